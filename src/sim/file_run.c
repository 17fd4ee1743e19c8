/* sim/file_run.c -- the sections `run` and `output`: options of the run. */
#include "sim/file.h"

#include <stdio.h>
#include <string.h>

enum { NAME = 64, TEXT = 1024, MOST_OPTIONS = 64 };

/* Option names may be written with "-" for "_". */
static void normal_name(const char *key, char name[NAME])
{
    snprintf(name, NAME, "%s", key);
    for (char *p = name; *p; p++)
        if (*p == '-') *p = '_';
}

static yoke_status find_option(const char *key, yoke_option_text *out,
                               yoke_err *err)
{
    const char *list[MOST_OPTIONS];
    char name[NAME];
    int count = 0;

    normal_name(key, name);
    for (; count < MOST_OPTIONS && yoke_run_list(count, out); count++) {
        if (strcmp(out->name, name) == 0) return YOKE_OK;
        list[count] = out->name;
    }
    yk_fail(err, YOKE_E_FILE, "there is no option \"%.100s\" of a run", key);
    yk_file_suggest(err, key, count, list);
    return YOKE_E_FILE;
}

/* The value as yoke_run_set wants it.  `auto` stands for what an option means
 * when it is not given. */
static yoke_status option_value(const yoke_option_text *option,
                                const char *given, char text[TEXT], size_t *at,
                                yoke_err *err)
{
    const bool is_number = option->least != 0.0 || option->most != 0.0;
    const bool automatic = strcmp(option->name, "window") == 0 ||
                           strcmp(option->name, "order") == 0;
    double value = 0.0;

    if (automatic && strcmp(given, "auto") == 0) given = option->preset;
    if (is_number) {
        YK_TRY(yk_quantity_read(given, NULL, &value, at, err));
        snprintf(text, TEXT, "%.17g", value);
    } else if ((size_t)snprintf(text, TEXT, "%s", given) >= TEXT)
        return yk_fail(err, YOKE_E_FILE, "the text is too long");
    return YOKE_OK;
}

static yoke_status set_option(yoke_run_options *run,
                              const yoke_option_text *option, const char *given,
                              size_t *at, yoke_err *err)
{
    char text[TEXT];

    *at = 0;
    YK_TRY(option_value(option, given, text, at, err));
    return yoke_run_set(run, option->name, text, err);
}

/* A list is its texts with spaces in between. */
static yoke_status join(const yk_reader *r, const yk_yaml *list,
                        char text[TEXT], yoke_err *err)
{
    size_t used = 0;

    text[0] = '\0';
    for (const yk_yaml *e = list->first; e; e = e->next) {
        YK_TRY(yk_file_want(r, e, YK_YAML_TEXT, err));
        used += (size_t)snprintf(text + used, TEXT - used, "%s%s",
                                 used ? " " : "", e->text);
        if (used >= TEXT)
            return yk_file_fail(r, e, err, "the list is too long");
    }
    return YOKE_OK;
}

static yoke_status set_node(yk_reader *r, const yoke_option_text *option,
                            const yk_yaml *node, yoke_err *err)
{
    const char *given = NULL;
    char text[TEXT];
    size_t at = 0;

    if (node->kind == YK_YAML_LIST) {
        YK_TRY(join(r, node, text, err));
        given = text;
    } else
        YK_TRY(yk_file_text(r, node, &given, err));
    const yoke_status status =
        set_option(&r->file->run, option, given, &at, err);
    return yk_file_place(r, node, given == text ? 0 : at, status, err);
}

yoke_status yk_file_run(yk_reader *r, const yk_yaml *run, yoke_err *err)
{
    if (!run || yk_yaml_is_empty(run)) return YOKE_OK;
    YK_TRY(yk_file_want(r, run, YK_YAML_MAP, err));
    for (const yk_yaml *e = run->first; e; e = e->next) {
        yoke_option_text option;
        YK_TRY(yk_file_place_key(r, e, find_option(e->key, &option, err), err));
        YK_TRY(set_node(r, &option, e, err));
    }
    return YOKE_OK;
}

yoke_status yk_file_run_setting(yk_reader *r, yk_entry *setting, yoke_err *err)
{
    yoke_option_text option;
    size_t at = 0;

    setting->used = true;
    yoke_status status =
        find_option(setting->name + strlen("run."), &option, err);
    if (status == YOKE_OK)
        status = set_option(&r->file->run, &option, setting->text, &at, err);
    return yk_file_place_entry(setting, at, status, err);
}

/* ---- output -------------------------------------------------------------- */

/* A key of `output` is an option of the run under a friendlier name. */
static const struct {
    const char *key, *option;
    int most; /* members of a list */
} outputs[] = {
    { "every", "every", 1 },
    { "variables", "record", 1000000 },
    { "file", "output", 1 },
};

enum { OUTPUTS = sizeof outputs / sizeof outputs[0] };

static yoke_status set_output(yk_reader *r, const yk_yaml *run,
                              const yk_yaml *node, int which, yoke_err *err)
{
    const char *name = outputs[which].option;
    const yk_yaml *twice = yk_yaml_find(run, name);
    yoke_option_text option;

    if (twice)
        return yk_file_fail(r, node, err,
                            "\"%s\" of output and \"%s\" of run in line %d "
                            "are the same; remove one of the two",
                            node->key, name, twice->key_line);
    if (node->count > outputs[which].most)
        return yk_file_fail(r, node, err,
                            "more than one for \"%s\" is not supported yet; "
                            "name one",
                            node->key);
    YK_TRY(find_option(name, &option, err));
    return set_node(r, &option, node, err);
}

yoke_status yk_file_output(yk_reader *r, const yk_yaml *run,
                           const yk_yaml *output, yoke_err *err)
{
    const char *key[OUTPUTS];

    if (!output || yk_yaml_is_empty(output)) return YOKE_OK;
    for (int i = 0; i < OUTPUTS; i++) key[i] = outputs[i].key;
    YK_TRY(yk_file_keys(r, output, OUTPUTS, key, err));
    for (int i = 0; i < OUTPUTS; i++) {
        const yk_yaml *node = yk_yaml_find(output, key[i]);
        if (node) YK_TRY(set_output(r, run, node, i, err));
    }
    return YOKE_OK;
}
