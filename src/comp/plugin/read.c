/* comp/plugin/read.c -- subsystems in shared libraries of the user.
 *
 *     oscillator: {component: ./mine.so, parameters: {mu: 5}}
 *
 * The library stays loaded until the program ends: systems made by it may live
 * that long.
 */
#define _GNU_SOURCE
#include "yoke/plugin.h"
#include "file/component.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the library ------------------------------------------------------- */

static yoke_status check_version(const yoke_plugin *p, const char *path,
                                 yoke_err *err)
{
    if (p->version != YOKE_PLUGIN_VERSION)
        return yk_fail(err, YOKE_E_ARG,
                       "%s is a plug-in of version %d, and this Yoke takes "
                       "version %d: recompile it",
                       path, p->version, YOKE_PLUGIN_VERSION);
    if (p->ops_bytes != sizeof(yoke_system_ops) ||
        p->info_bytes != sizeof(yoke_system_info))
        return yk_fail(err, YOKE_E_ARG,
                       "%s was compiled with the headers of another Yoke: "
                       "recompile it",
                       path);
    return p->create ? YOKE_OK
                     : yk_fail(err, YOKE_E_ARG, "%s has no create", path);
}

/* A path without a slash would be searched for in the system's folders. */
static yoke_status load(const char *path, const yoke_plugin **out,
                        yoke_err *err)
{
    char here[4200];

    snprintf(here, sizeof here, "%s%s", strchr(path, '/') ? "" : "./", path);
    void *library = dlopen(here, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return yk_fail(err, YOKE_E_FILE, "not a plug-in: %.700s", dlerror());
    *out = dlsym(library, "yoke_plugin_entry");
    if (!*out)
        return yk_fail(err, YOKE_E_FILE,
                       "%s is not a plug-in: it does not export "
                       "yoke_plugin_entry (YOKE_PLUGIN of yoke/plugin.h)",
                       path);
    return check_version(*out, path, err);
}

/* ---- parameters -------------------------------------------------------- */

static bool is_text(const yk_file_value *e)
{
    return e->at && !e->at->plain;
}

/* Numbers may use those before them, unless there are texts too. */
static yoke_status read_numbers(yk_entries *parameters,
                                yoke_plugin_parameter *out, yoke_err *err)
{
    bool texts = false;

    for (int i = 0; i < parameters->count; i++)
        texts = texts || is_text(&parameters->entry[i]);
    if (!texts) YK_TRY(yk_file_values(parameters, err));
    for (int i = 0; i < parameters->count; i++) {
        const yk_file_value *e = &parameters->entry[i];
        double value = texts ? NAN : parameters->value[i];
        size_t at = 0;

        if (texts && !is_text(e))
            YK_TRY(yk_file_place_entry(
                e, at, yk_quantity_read(e->text, NULL, NULL, &value, &at, err),
                err));
        out[i] = (yoke_plugin_parameter){ .name = e->name,
                                          .text = e->text,
                                          .value = value };
    }
    return YOKE_OK;
}

static yoke_status all_asked(const yk_entries *parameters,
                             const yoke_plugin_parameter *p, yoke_err *err)
{
    for (int i = 0; i < parameters->count; i++)
        if (!p[i].asked)
            return yk_file_place_entry(
                &parameters->entry[i], 0,
                yk_fail(err, YOKE_E_ARG, "the plug-in has no parameter \"%s\"",
                        p[i].name),
                err);
    return YOKE_OK;
}

/* ---- the subsystem ----------------------------------------------------- */

static yoke_status create(const yoke_plugin *plugin, const char *path,
                          yoke_plugin_request *request,
                          const yk_entries *parameters, yoke_system **out,
                          yoke_err *err)
{
    yoke_plugin_system made = { 0 };
    yoke_err own = { YOKE_OK, "" };
    yoke_status status = plugin->create(request, &made, &own);

    own.text[sizeof own.text - 1] = '\0';
    if (status != YOKE_OK)
        return yk_fail(err, status < 0 ? status : YOKE_E_MODEL,
                       "plug-in %.200s: %.700s", path,
                       own.text[0] ? own.text : yoke_status_text(status));
    if (!made.ops || made.info.closed)
        status = yk_fail(err, YOKE_E_CALLBACK,
                         "plug-in %.200s gives no system it may give", path);
    if (status == YOKE_OK)
        status = all_asked(parameters, request->parameter, err);
    if (status != YOKE_OK) {
        if (made.ops && made.ops->free && made.self) made.ops->free(made.self);
        return status;
    }
    return yoke_system_create(out, request->name, made.ops, made.self,
                              &made.info, err);
}

static yoke_status make(yk_reader *r, const yk_yaml *node, const yk_yaml *given,
                        const char *path, yk_entries *parameters,
                        yoke_system **out, yoke_err *err)
{
    const yoke_plugin *plugin = NULL;
    yoke_plugin_parameter *list = NULL;
    const char *slash = strrchr(r->path, '/');
    char folder[4096] = "";
    yoke_status status;

    if (slash)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - r->path + 1),
                 r->path);
    YK_GO(YK_NEW(&list, parameters->count + 1, err));
    YK_GO(read_numbers(parameters, list, err));
    YK_GO(yk_file_place(r, given, 0, load(path, &plugin, err), err));
    yoke_plugin_request request = { .name = node->key,
                                    .folder = folder,
                                    .parameters = parameters->count,
                                    .parameter = list };
    YK_GO(create(plugin, path, &request, parameters, out, err));
    const yoke_system_info *f = yoke_system_facts(*out);
    YK_GO(yk_file_report(r->file, err,
                         "%s: plug-in %.200s%s%.100s: %d unknowns, %d inputs, "
                         "%d outputs",
                         node->key, path, plugin->text ? ", " : "",
                         plugin->text ? plugin->text : "", f->n, f->m, f->p));
done:
    yk_free(list);
    return status;
}

static yoke_status read_plugin(yk_reader *r, const yk_yaml *node,
                               const yk_yaml *given, yk_entries *parameters,
                               yoke_system **out, yoke_err *err)
{
    const char *name = NULL;
    char *path = NULL;

    YK_TRY(yk_file_text(r, given, &name, err));
    if (r->options && r->options->look && !r->options->trust)
        return yk_file_fail(r, given, err,
                            "the plug-in \"%.200s\" is code, which is not "
                            "loaded only to look at the file; if you trust it, "
                            "say --trust",
                            name);
    YK_TRY(yk_file_input(r, &path, name, err));
    yoke_status status = make(r, node, given, path, parameters, out, err);
    if (status == YOKE_OK)
        status = yk_facts_part(&r->file->facts, node->key, "component", path,
                               NULL, parameters, err);
    yk_free(path);
    return status;
}

const yk_component yk_component_plugin = {
    .source = "component",
    .foreign = true,
    .name = YK_PLUGIN_NAME,
    .text = "a subsystem in a shared library of your own (yoke/plugin.h)",
    .read = read_plugin,
};
