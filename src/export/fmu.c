/* export/fmu.c -- a system as a co-simulation FMU.
 *
 * The archive holds the description, the binary of src/fmi, the files of the
 * system below resources/ and resources/yoke.txt, which says how they are read.
 */
#define _POSIX_C_SOURCE 200809L
#include "export/export.h"

#include "comp/fmu/archive.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 4096 };

/* The name of the file as an identifier of C. */
static void find_identifier(yk_export *e)
{
    const char *slash = strrchr(e->out, '/');
    const char *name = slash ? slash + 1 : e->out;
    const char *dot = strrchr(name, '.');
    const size_t length = dot ? (size_t)(dot - name) : strlen(name);
    size_t at = 0;

    if (!isalpha((unsigned char)name[0])) e->identifier[at++] = 'x';
    for (size_t i = 0; i < length && at + 1 < sizeof e->identifier; i++)
        e->identifier[at++] =
            isalnum((unsigned char)name[i]) && (unsigned char)name[i] < 128
                ? name[i]
                : '_';
    e->identifier[at] = '\0';
}

static yoke_status make_folder(char **out, yoke_err *err)
{
    const char *place = getenv("TMPDIR");
    char name[ROOM];

    snprintf(name, sizeof name, "%.3000s/yoke-XXXXXX", place ? place : "/tmp");
    if (!mkdtemp(name))
        return yk_fail(err, YOKE_E_FILE, "%.300s: %s", name, strerror(errno));
    return yk_copy_text(out, name, err);
}

static yoke_status write_fmu(yk_export *e, yoke_err *err)
{
    char path[ROOM], binary[ROOM];

    YK_TRY(yk_export_find(e, err));
    YK_TRY(make_folder(&e->folder, err));
    YK_TRY(yk_export_gather(e, binary, sizeof binary, err));
    snprintf(path, sizeof path, "%.4000s/modelDescription.xml", e->folder);
    YK_TRY(yk_export_describe(e, path, err));
    YK_TRY(yk_export_try(e, binary, err));
    return yk_archive_pack(e->out, e->folder, err);
}

yoke_status yoke_export_fmu(yoke_file *file, const char *path, const char *out,
                            const yoke_export_options *options, yoke_err *err)
{
    YK_POINT;
    static const yoke_export_options none = { .fmi = 0 };
    yk_export e = { .file = file,
                    .path = path,
                    .out = out,
                    .options = options ? options : &none };

    e.fmi = e.options->fmi ? e.options->fmi : 3;
    if (e.fmi != 2 && e.fmi != 3)
        return yk_fail(err, YOKE_E_ARG, "fmi = %d is neither 2 nor 3", e.fmi);
    e.run = e.options->run ? *e.options->run : *yoke_file_run_options(file);
    if (yoke_file_outputs(file)[0]) e.run.record = yoke_file_outputs(file);
    find_identifier(&e);
    const yoke_status status = write_fmu(&e, err);
    yk_archive_remove(e.folder);
    yk_export_clear(&e);
    return status;
}
