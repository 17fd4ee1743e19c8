/* file/run_section.c -- the sections `run` and `output`: options of the run. */
#include "file/reader.h"

#include "model/names.h"
#include "model/options.h"

#include <stdio.h>
#include <string.h>

enum { NAME = 64 };

/* Option names may be written with "-" for "_". */
static void normal_name(const char *key, char name[NAME])
{
    snprintf(name, NAME, "%s", key);
    for (char *p = name; *p; p++)
        if (*p == '-') *p = '_';
}

/* The number of an option. */
static yoke_status find_option(const char *key, int *number, yoke_err *err)
{
    const char *list[YK_MOST_OPTIONS];
    yoke_option_text option;
    char name[NAME];
    int count = 0;

    normal_name(key, name);
    for (; count < YK_MOST_OPTIONS && yoke_run_list(count, &option); count++) {
        if (strcmp(option.name, name) == 0) {
            *number = count;
            return YOKE_OK;
        }
        list[count] = option.name;
    }
    yk_fail(err, YOKE_E_FILE, "there is no option \"%.100s\" of a run", key);
    yk_file_suggest(err, key, count, list);
    return YOKE_E_FILE;
}

/* The unit that a number under an option may have; NULL: any. */
static const char *unit_of(const char *option)
{
    static const char *const time[] = { "start", "stop",       "window",
                                        "step",  "min_window", "every" };

    if (yk_texts_find(time, sizeof time / sizeof time[0], option) >= 0)
        return "s";
    if (strcmp(option, "mu") == 0 || strcmp(option, "omega") == 0) return "1/s";
    return strcmp(option, "atol") == 0 ? NULL : "1";
}

/* `auto` stands for what an option means when it is not given; numbers may have
 * units. */
static yoke_status set_option(yoke_file *file, const yoke_option_text *option,
                              const char *given, size_t *at, yoke_err *err)
{
    const bool is_number =
        (option->least != 0.0 || option->most != 0.0) &&
        !(option->words && yk_glob_any(option->words, given));
    const bool automatic = strcmp(option->name, "window") == 0 ||
                           strcmp(option->name, "order") == 0;
    char number[40];
    double value = 0.0;

    *at = 0;
    if (automatic && strcmp(given, "auto") == 0) given = option->preset;
    if (is_number) {
        YK_TRY(yk_quantity_read(given, NULL, unit_of(option->name), &value, at,
                                err));
        snprintf(number, sizeof number, "%.17g", value);
        given = number;
    }
    const yoke_run_options before = file->run;
    YK_TRY(yoke_run_set(&file->run, option->name, given, err));
    const yoke_status status = yk_run_keep(&file->run, &file->texts, err);
    if (status != YOKE_OK) file->run = before; /* `given` does not stay */
    return status;
}

/* A list is its texts with something in between: file names may contain
 * spaces. */
static yoke_status join(const yk_reader *r, const yoke_option_text *option,
                        const yk_yaml *list, char **out, yoke_err *err)
{
    const char between = strcmp(option->name, "output") == 0 ? '\n' : ' ';
    size_t room = 1;

    for (const yk_yaml *e = list->first; e; e = e->next) {
        YK_TRY(yk_file_want(r, e, YK_YAML_TEXT, err));
        room += strlen(e->text) + 1;
    }
    YK_TRY(yk_alloc((void **)out, room, 1, err));
    char *to = *out;
    for (const yk_yaml *e = list->first; e; e = e->next) {
        const size_t length = strlen(e->text);
        memcpy(to, e->text, length);
        to += length;
        if (e->next) *to++ = between;
    }
    return YOKE_OK;
}

static yoke_status set_node(yk_reader *r, int number, const yk_yaml *node,
                            yoke_err *err)
{
    const char *given = NULL;
    yoke_option_text option;
    char *joined = NULL;
    size_t at = 0;

    yoke_run_list(number, &option);
    if (node->kind == YK_YAML_LIST) {
        YK_TRY(join(r, &option, node, &joined, err));
        given = joined;
    } else
        YK_TRY(yk_file_text(r, node, &given, err));
    const yoke_status status = set_option(r->file, &option, given, &at, err);
    yk_free(joined);
    YK_TRY(yk_file_place(r, node, joined ? 0 : at, status, err));
    r->file->facts.option[number] =
        (yk_option_origin){ YOKE_FROM_FILE, node->line };
    return YOKE_OK;
}

static yoke_status set_key(yk_reader *r, const yk_yaml *node, yoke_err *err)
{
    int number = 0;

    YK_TRY(
        yk_file_place_key(r, node, find_option(node->key, &number, err), err));
    return set_node(r, number, node, err);
}

yoke_status yk_file_run(yk_reader *r, const yk_yaml *run, yoke_err *err)
{
    yoke_status status = YOKE_OK;

    if (!run || yk_yaml_is_empty(run)) return YOKE_OK;
    YK_TRY(yk_file_want(r, run, YK_YAML_MAP, err));
    const yk_yaml *step = yk_yaml_find(run, "step");
    r->step_line = step ? step->line : 0;
    for (const yk_yaml *e = run->first; e; e = e->next) {
        yoke_err one = { YOKE_OK, "" };
        if (!yk_err_gather(&status, set_key(r, e, &one), &one, err)) break;
    }
    const yk_yaml *stop = yk_yaml_find(run, "stop");
    const yoke_run_options *o = &r->file->run;
    if (status != YOKE_OK || !stop || o->stop > o->start) return status;
    return yk_file_fail(r, stop, err, "stop = %g is not after start = %g",
                        o->stop, o->start);
}

yoke_status yk_file_run_setting(yk_reader *r, yk_file_value *setting,
                                yoke_err *err)
{
    yoke_option_text option;
    size_t at = 0;
    int number = 0;

    setting->used = true;
    yoke_status status =
        find_option(setting->name + strlen("run."), &number, err);
    if (status == YOKE_OK) {
        yoke_run_list(number, &option);
        status = set_option(r->file, &option, setting->text, &at, err);
    } else
        yk_suffix(err, "; yoke help run lists all options");
    YK_TRY(yk_file_place_entry(setting, at, status, err));
    r->file->facts.option[number] = (yk_option_origin){ YOKE_FROM_COMMAND, 0 };
    return YOKE_OK;
}

yoke_status yk_file_run_set(yoke_file *file, const char *name,
                            const char *value, yoke_err *err)
{
    yoke_option_text option;
    size_t at = 0;
    int number = 0;

    YK_TRY(find_option(name, &number, err));
    yoke_run_list(number, &option);
    return set_option(file, &option, value, &at, err);
}

/* ---- output -------------------------------------------------------------- */

/* A key of `output` is an option of the run under a friendlier name. */
static const struct {
    const char *key, *option;
    int most; /* members of a list */
} outputs[] = {
    { "every", "every", 1 },
    { "rows", "rows", 1 },
    { "variables", "record", 1000000 },
    { "aliases", "aliases", 1 },
    { "file", "output", 1000 },
};

enum { OUTPUTS = sizeof outputs / sizeof outputs[0] };

static yoke_status set_output(yk_reader *r, const yk_yaml *run,
                              const yk_yaml *node, int which, yoke_err *err)
{
    const char *name = outputs[which].option;
    const yk_yaml *twice = yk_yaml_find(run, name);
    int number = 0;

    if (twice)
        return yk_file_fail(r, node, err,
                            "\"%s\" of output and \"%s\" of run in line %d "
                            "are the same; remove one of the two",
                            node->key, name, twice->key_line);
    if (node->count > outputs[which].most)
        return yk_file_fail(r, node, err,
                            "\"%s\" has %d entries; at most %d are permitted",
                            node->key, node->count, outputs[which].most);
    YK_TRY(find_option(name, &number, err));
    return set_node(r, number, node, err);
}

yoke_status yk_file_output(yk_reader *r, const yk_yaml *run,
                           const yk_yaml *output, yoke_err *err)
{
    const char *key[OUTPUTS];

    if (!output || yk_yaml_is_empty(output)) return YOKE_OK;
    for (int i = 0; i < OUTPUTS; i++) key[i] = outputs[i].key;
    yoke_status status = yk_file_keys(r, output, OUTPUTS, key, err);
    if (output->kind != YK_YAML_MAP) return status;
    for (int i = 0; i < OUTPUTS; i++) {
        const yk_yaml *node = yk_yaml_find(output, key[i]);
        yoke_err one = { YOKE_OK, "" };
        if (node && !yk_err_gather(&status, set_output(r, run, node, i, &one),
                                   &one, err))
            break;
    }
    return status;
}
