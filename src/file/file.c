/* file/file.c -- system files: the whole, section by section. */
#include "file/component.h"
#include "file/open.h"

#include <stdio.h>
#include <string.h>

/* ---- life ---------------------------------------------------------------- */

/* The model goes first: it uses the formulas and the included systems. */
void yoke_file_free(yoke_file *file)
{
    if (!file) return;
    yoke_model_free(file->model);
    yk_functions_free(file->functions);
    for (int i = 0; i < file->includes; i++) yoke_file_free(file->include[i]);
    yk_texts_clear(&file->reports);
    for (int i = 0; i < file->ports; i++)
        YK_FREE(file->port[i].port, file->port[i].unit);
    yk_free(file->port);
    yk_names_clear(&file->port_names);
    yk_file_free_terminals(file);
    yk_texts_clear(&file->inputs);
    yk_free(file->include);
    yk_facts_clear(&file->facts);
    if (file->measured) file->free_measured(file->measured);
    yk_file_measures_clear(&file->measures);
    if (file->whole) file->free_whole(file->whole);
    if (file->release) file->release(file->held);
    yk_open_free(file->open);
    YK_FREE(file->shown, file->record, file->texts, file->name, file);
}

yoke_status yk_file_functions(yoke_file *file, int count, yk_functions **out,
                              yoke_err *err)
{
    yk_functions *f = NULL;

    YK_TRY(YK_NEW(&f, 1, err));
    f->next = file->functions;
    file->functions = f;
    f->count = count;
    *out = f;
    return yk_ints(&f->root, (size_t)count, err);
}

yoke_status yk_file_hold(const yk_reader *r, const yk_yaml *at, yk_functions *f,
                         bool events, yoke_err *err)
{
    const yoke_file_options *o = r->options;
    const yoke_run_options *run = &r->file->run;
    const double rows = run->every > 0.0 ? run->stop / run->every : 100.0;
    char text[200];

    snprintf(text, sizeof text, "%.60s:%d: %.100s", r->path, at->line,
             at->text);
    if (!o || !o->compiler)
        return yk_functions_hold(f, events, text, NULL, 0.0, err);
    const yk_native_options how = { .compiler = o->compiler,
                                    .cache = o->cache,
                                    .scratch = o->scratch };
    return yk_functions_hold(f, events, text, &how, rows, err);
}

yoke_model *yoke_file_model(yoke_file *file)
{
    return file->model;
}

const yoke_run_options *yoke_file_run_options(const yoke_file *file)
{
    return &file->run;
}

const char *yoke_file_name(const yoke_file *file)
{
    return file->name;
}

const char *yoke_file_report(const yoke_file *file, int i)
{
    return i >= 0 && i < file->reports.count ? file->reports.at[i] : NULL;
}

/* ---- sections ------------------------------------------------------------ */

static yoke_status has_version(yk_reader *r, const yk_yaml *root, yoke_err *err)
{
    if (yk_yaml_find(root, "yoke")) return YOKE_OK;
    return yk_file_fail(r, root, err,
                        "a system file begins with its version: \"yoke: 1\"");
}

/* Nothing more is said of a text that is none, or of another version. */
static yoke_status check_version(yk_reader *r, const yk_yaml *root,
                                 yoke_err *err)
{
    const yk_yaml *version = yk_yaml_find(root, "yoke");

    if (root->kind != YK_YAML_MAP) return has_version(r, root, err);
    if (!version ||
        (version->kind == YK_YAML_TEXT && strcmp(version->text, "1") == 0))
        return YOKE_OK;
    return yk_file_fail(r, version, err,
                        "this program reads version 1 of system files: write "
                        "\"yoke: 1\"");
}

/* That in the file, or the file's own without folder and extension. */
static yoke_status read_name(yk_reader *r, const yk_yaml *root, yoke_err *err)
{
    const yk_yaml *node = yk_yaml_find(root, "name");
    const char *slash = strrchr(r->path, '/');
    const char *text = slash ? slash + 1 : r->path;

    if (node) YK_TRY(yk_file_text(r, node, &text, err));
    YK_TRY(yk_copy_text(&r->file->name, text, err));
    char *dot = node ? NULL : strrchr(r->file->name, '.');
    if (dot && dot != r->file->name) *dot = '\0';
    return YOKE_OK;
}

static yoke_status check_keys(yk_reader *r, const yk_yaml *root, yoke_err *err)
{
    static const char *const key[] = { "yoke",    "name",       "run",
                                       "inputs",  "subsystems", "couplings",
                                       "outputs", "output",     "measure" };

    return yk_file_keys(r, root, sizeof key / sizeof key[0], key, err);
}

static yoke_status note_failed(yk_reader *r, const yk_yaml *node, yoke_err *err)
{
    YK_TRY(yk_grow((void **)&r->failed, &r->failed_room,
                   (size_t)r->failures + 1, sizeof(const yk_yaml *), err));
    r->failed[r->failures++] = node;
    return YOKE_OK;
}

static yoke_status read_subsystems(yk_reader *r, const yk_yaml *root,
                                   yoke_err *err)
{
    const yk_yaml *map = yk_yaml_find(root, "subsystems");
    yoke_status status = YOKE_OK;

    if (!map) return YOKE_OK; /* a misspelt key may be the reason */
    YK_TRY(yk_file_want(r, map, YK_YAML_MAP, err));
    if (!map->first && !(r->options && r->options->added))
        return yk_file_fail(r, map, err, "there is no subsystem");
    for (const yk_yaml *e = map->first; e; e = e->next) {
        yoke_err one = { YOKE_OK, "" };
        const yoke_status now = yk_file_subsystem(r, e, &one);
        if (now != YOKE_OK) YK_TRY(note_failed(r, e, err));
        if (!yk_err_gather(&status, now, &one, err)) break;
    }
    return status;
}

static yoke_status read_inputs(yk_reader *r, const yk_yaml *root, yoke_err *err)
{
    const yk_yaml *map = yk_yaml_find(root, "inputs");
    const yoke_status status = yk_file_open(r, map, err);

    if (status != YOKE_OK) YK_TRY(note_failed(r, map, err));
    return status;
}

static yoke_status read_couplings(yk_reader *r, const yk_yaml *root,
                                  yoke_err *err)
{
    const yk_yaml *list = yk_yaml_find(root, "couplings");

    const yk_yaml *parts = yk_yaml_find(root, "subsystems");

    if (!list || yk_yaml_is_empty(list) || !parts || parts->kind != YK_YAML_MAP)
        return YOKE_OK;
    return yk_file_couplings(r, list, err);
}

static yoke_status read_measures(yk_reader *r, const yk_yaml *root,
                                 yoke_err *err)
{
    return yk_file_measure_section(r, yk_yaml_find(root, "measure"), err);
}

static yoke_status read_run(yk_reader *r, const yk_yaml *root, yoke_err *err)
{
    const yk_yaml *run = yk_yaml_find(root, "run");
    yoke_err one = { YOKE_OK, "" };
    yoke_status status = yk_file_run(r, run, err);

    if (status == YOKE_E_MEMORY) return status; /* texts were not kept */
    yk_err_gather(&status,
                  yk_file_output(r, run, yk_yaml_find(root, "output"), &one),
                  &one, err);
    return status;
}

/* Names of outputs of the whole system, with a blank between two. */
static yoke_status read_outputs(yk_reader *r, const yk_yaml *root,
                                yoke_err *err)
{
    const yk_yaml *node = yk_yaml_find(root, "outputs");
    const yk_yaml **item = NULL;
    int count = 0;
    size_t room = 1;

    if (!node || yk_yaml_is_empty(node)) return YOKE_OK;
    YK_TRY(yk_file_texts(r, node, &item, &count, err));
    for (int i = 0; i < count; i++) room += strlen(item[i]->text) + 1;
    const yoke_status status = yk_alloc((void **)&r->file->shown, room, 1, err);
    for (int i = 0; status == YOKE_OK && i < count; i++) {
        if (i > 0) strcat(r->file->shown, " ");
        strcat(r->file->shown, item[i]->text);
    }
    yk_free(item);
    return status;
}

const char *yoke_file_outputs(const yoke_file *file)
{
    return file->shown ? file->shown : "";
}

/* ---- settings ------------------------------------------------------------ */

static yoke_status run_settings(yk_reader *r, const yk_yaml *root,
                                yoke_err *err)
{
    yoke_status status = YOKE_OK;

    (void)root;
    for (int i = 0; i < r->settings.count; i++) {
        yk_file_value *e = &r->settings.entry[i];
        yoke_err one = { YOKE_OK, "" };
        if (strncmp(e->name, "run.", 4) == 0 &&
            !yk_err_gather(&status, yk_file_run_setting(r, e, &one), &one, err))
            break;
    }
    return status;
}

static yoke_status unknown_setting(const yk_file_value *e, const yk_yaml *map,
                                   yoke_err *err)
{
    enum { LISTED = 64 };
    const size_t length = strcspn(e->name, ".");
    const char *list[LISTED];
    char name[64];
    int count = 0;

    snprintf(name, sizeof name, "%.*s", (int)length, e->name);
    for (const yk_yaml *s = map->first; s && count < LISTED; s = s->next)
        list[count++] = s->key;
    if (e->name[length]) {
        yk_fail(err, YOKE_E_FILE, "there is no subsystem \"%s\"", name);
        yk_file_suggest(err, name, count, list);
    } else if (yk_yaml_find(map, name)) {
        yk_fail(err, YOKE_E_FILE,
                "a setting has the form subsystem.parameter=value; \"%s\" is "
                "a subsystem: name one of its parameters, %s.PARAMETER=value",
                name, name);
    } else {
        yk_fail(err, YOKE_E_FILE,
                "a setting has the form subsystem.parameter=value or "
                "run.option=value");
        if (count > 0) yk_suffix(err, "; here %.60s.%s=...", list[0], name);
    }
    yk_suffix(err, "; yoke info lists all names");
    return yk_file_place_entry(e, 0, YOKE_E_FILE, err);
}

static yoke_status check_settings(yk_reader *r, const yk_yaml *root,
                                  yoke_err *err)
{
    yoke_status status = YOKE_OK;

    for (int i = 0; r->failures == 0 && i < r->settings.count; i++) {
        const yk_file_value *e = &r->settings.entry[i];
        yoke_err one = { YOKE_OK, "" };
        if (!e->used &&
            !yk_err_gather(
                &status,
                unknown_setting(e, yk_yaml_find(root, "subsystems"), &one),
                &one, err))
            break;
    }
    return status;
}

/* ---- the whole ----------------------------------------------------------- */

/* Each section tells its problems, whatever another one has. */
static yoke_status read_sections(yk_reader *r, const yk_yaml *root,
                                 yoke_err *err)
{
    static yoke_status (*const section[])(yk_reader *, const yk_yaml *,
                                          yoke_err *) = {
        has_version,    check_keys,     read_name,    read_run,
        run_settings,   read_inputs,    read_outputs, read_subsystems,
        check_settings, read_couplings, read_measures
    };
    yoke_status status = YOKE_OK;

    YK_TRY(check_version(r, root, err));
    r->couplings = yk_yaml_find(root, "couplings");
    for (size_t i = 0; i < sizeof section / sizeof section[0]; i++) {
        yoke_err one = { YOKE_OK, "" };
        if (!yk_err_gather(&status, section[i](r, root, &one), &one, err))
            break;
    }
    if (status != YOKE_OK) return status;
    if (!yk_yaml_find(root, "subsystems"))
        return yk_file_fail(r, root, err,
                            "a system needs \"subsystems\": a map from names "
                            "to what they are");
    return yk_file_connect_rates(r, err);
}

/* *out is the caller's, also on failure. */
static yoke_status read_once(yoke_file **out, yk_reader *r, const yk_yaml *root,
                             yoke_err *err)
{
    YK_TRY(YK_NEW(out, 1, err));
    (*out)->run = yoke_run_defaults();
    r->file = *out;
    r->failures = 0;
    YK_TRY(yoke_model_create(&(*out)->model, err));
    return read_sections(r, root, err);
}

yoke_status yk_file_build(yoke_file **out, yk_reader *r, const char *text,
                          size_t length, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_yaml_tree tree = { NULL, NULL };
    yoke_file *file = NULL;
    const yk_budget budget = *r->budget;

    YK_GO(yk_yaml_parse(&tree, r->path, text, length, err));
    do {
        yoke_file_free(file);
        file = NULL;
        *r->budget = budget;
        if (err) *err = (yoke_err){ .status = YOKE_OK };
        status = read_once(&file, r, tree.root, err);
    } while (yk_file_reads_again(r, status));
    if (status != YOKE_OK) goto done;
    *out = file;
    file = NULL;
done:
    yoke_file_free(file);
    yk_file_rates_clear(&r->rates);
    YK_FREE(r->failed);
    yk_yaml_clear(&tree);
    return status;
}

static yoke_status take_settings(yk_reader *r, yoke_err *err)
{
    for (int i = 0; r->options && i < r->options->settings; i++) {
        const yoke_setting *s = &r->options->setting[i];
        const yk_file_value entry = { .text = s->value, .setting = s->name };
        char *name = NULL;
        YK_TRY(yk_copy_text(&name, s->name, err));
        YK_TRY(yk_entries_add(&r->settings, name, &entry, err));
    }
    return YOKE_OK;
}

/* A message of several lines: each begins with its place or a count. */
static bool begins_message(const char *line)
{
    const size_t word = strcspn(line, " \n");
    const char *colon = memchr(line, ':', word);

    return strncmp(line, "--set ", 6) == 0 || (*line >= '0' && *line <= '9') ||
           *line == '(' ||
           (colon && (colon[1] == ' ' || (colon[1] >= '0' && colon[1] <= '9')));
}

/* Texts of the file stand in messages; a terminal should not obey them. */
static void make_printable(yoke_err *err)
{
    for (char *p = err ? err->text : NULL; p && *p; p++)
        if (((unsigned char)*p < ' ' &&
             !(*p == '\n' && begins_message(p + 1))) ||
            *p == 127)
            *p = '?';
}

static yoke_status parse(yoke_file **out, const char *path, const char *text,
                         size_t length, const yoke_file_options *options,
                         bool wrapped, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_budget budget = { 0, 0, 0.0 };
    yk_reader r = {
        .path = path, .options = options, .budget = &budget, .wrapped = wrapped
    };

    YK_GO(take_settings(&r, err));
    YK_GO(yk_file_build(out, &r, text, length, err));
done:
    yk_entries_clear(&r.settings);
    if (status != YOKE_OK) make_printable(err);
    return status;
}

void yk_wrapped_name(const char *model, char name[64])
{
    int n = 0;

    for (const char *p = model; *p && n < 60; p++) {
        const bool letter =
            (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z');
        const bool digit = *p >= '0' && *p <= '9';

        if (letter || (n > 0 && (digit || *p == '_'))) name[n++] = *p;
    }
    name[n] = '\0';
    if (n == 0 || strcmp(name, "run") == 0) snprintf(name, 64, "model");
}

/* A file that is one subsystem, in a system of its own. */
static yoke_status parse_wrapped(const yk_component *c, yoke_file **out,
                                 const char *path,
                                 const yoke_file_options *options,
                                 yoke_err *err)
{
    yk_wrapped w = { 0 };
    yoke_status status = c->wrap(&w, path, options, err);

    if (status == YOKE_OK)
        status = parse(out, path, w.text, strlen(w.text), options, true, err);
    if (status == YOKE_OK) {
        (*out)->warnings = w.warnings;
        (*out)->warning = w.warning;
        (*out)->notes = w.notes;
        (*out)->note = w.note;
        (*out)->told = w.told;
        (*out)->held = w.held;
        (*out)->release = w.release;
        status =
            yk_facts_wrapped(&(*out)->facts, w.folders, w.folder, w.shown, err);
        if (status != YOKE_OK) {
            yoke_file_free(*out);
            *out = NULL;
        }
    } else {
        if (w.release) w.release(w.held);
        make_printable(err);
    }
    yk_free(w.text);
    return status;
}

yoke_status yoke_file_parse(yoke_file **out, const char *path, const char *text,
                            size_t length, const yoke_file_options *options,
                            yoke_err *err)
{
    YK_POINT;
    const yk_component *whole = yk_component_of_file(path);

    if (whole && whole->wrap)
        return parse_wrapped(whole, out, path, options, err);
    if (whole) return whole->whole(out, path, text, length, options, err);
    return parse(out, path, text, length, options, false, err);
}

yoke_status yoke_file_read(yoke_file **out, const char *path,
                           const yoke_file_options *options, yoke_err *err)
{
    YK_POINT;
    size_t length = 0;
    char *text = NULL;

    const yk_component *whole = yk_component_of_file(path);
    if (whole && whole->wrap)
        return parse_wrapped(whole, out, path, options, err);
    if (whole) /* of any size */
        return whole->whole(out, path, NULL, 0, options, err);
    yoke_status status = yk_file_bytes(&text, &length, path, err);

    if (status != YOKE_OK) {
        yk_yaml_prefix(err, path, 1, 1);
        return status;
    }
    status = yoke_file_parse(out, path, text, length, options, err);
    yk_free(text);
    if (status != YOKE_OK) return status;
    status = yk_file_note_input(*out, path, err);
    if (status == YOKE_OK) return status;
    yoke_file_free(*out);
    *out = NULL;
    return status;
}

yoke_status yoke_file_number(const yoke_file *file, const char *name,
                             const char *text, double *value, yoke_err *err)
{
    YK_POINT;
    size_t at = 0;
    double read = 0.0;

    if (file->number && strncmp(name, "run.", 4) != 0)
        YK_TRY(file->number(text, &read, err));
    else
        YK_TRY(yk_quantity_read(text, NULL, NULL, &read, &at, err));
    *value = read;
    return YOKE_OK;
}
