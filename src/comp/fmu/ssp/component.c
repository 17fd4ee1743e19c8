/* comp/fmu/ssp/component.c -- SSP packages and descriptions as systems. */
#include "comp/fmu/ssp/ssp.h"

#include "file/component.h"

#include <string.h>

static bool is_ssp(const char *path)
{
    const size_t length = strlen(path);

    return length > 4 && (strcmp(path + length - 4, ".ssp") == 0 ||
                          strcmp(path + length - 4, ".ssd") == 0);
}

static void release(void *held)
{
    yk_ssp_close(held);
}

static yoke_status wrap(yk_wrapped *out, const char *path,
                        const yoke_file_options *options, yoke_err *err)
{
    yk_ssp *ssp = NULL;

    YK_TRY(yk_ssp_open(&ssp, path, options ? options->variant : NULL, err));
    out->held = ssp;
    out->release = release;
    out->folders = ssp->shown.count;
    out->folder = (const char *const *)ssp->folders.item;
    out->shown = (const char *const *)ssp->shown.item;
    YK_TRY(yk_ssp_text(ssp, &out->text, err));
    YK_TRY(yk_ssp_about(ssp, err));
    out->warnings = ssp->warnings.count;
    out->warning = (const char *const *)ssp->warnings.item;
    out->notes = ssp->notes.count;
    out->note = (const char *const *)ssp->notes.item;
    return YOKE_OK;
}

/* Its parts are closed, and a composition is one system of equations. */
static yoke_status refuse(yk_reader *r, const yk_yaml *node,
                          const yk_yaml *given, yk_entries *parameters,
                          yoke_system **out, yoke_err *err)
{
    (void)parameters, (void)out;
    return yk_file_fail(r, given, err,
                        "an SSP package is a system of its own and cannot be "
                        "the subsystem \"%.100s\"; run it alone, or take its "
                        "FMUs",
                        node->key);
}

const yk_component yk_component_ssp = {
    .source = "ssp",
    .text = "a package of FMUs (SSP 1.0 or 2.0), which is run alone",
    .read = refuse,
    .is_whole = is_ssp,
    .wrap = wrap,
};
