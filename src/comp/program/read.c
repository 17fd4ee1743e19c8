/* comp/program/read.c -- programs in system files.
 *
 *     cfd: {program: [./solver, case], inputs: {force: N}, outputs: [x]}
 *
 * The subsystem is closed: it runs in a worker, which starts the program in the
 * folder of the system file.
 */
#include "base/seen.h"
#include "comp/closed/answers.h"
#include "comp/closed/subsystem.h"
#include "file/component.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct builder {
    yk_reader *r;
    const yk_yaml *node;
    int count; /* settings */
    size_t key_room, value_room;
    char **key, **value;
    const char **input, **output; /* names: of the tree of the file */
    yk_closed_facts facts;
} builder;

static yoke_status add(builder *b, const char *mark, const char *name,
                       const char *value, yoke_err *err)
{
    const size_t i = (size_t)b->count;

    YK_TRY(YK_GROW(&b->key, &b->key_room, i + 1, err));
    YK_TRY(YK_GROW(&b->value, &b->value_room, i + 1, err));
    b->key[i] = b->value[i] = NULL;
    b->count++;
    YK_TRY(yk_print(&b->key[i], err, "%s%s", mark, name));
    return yk_copy_text(&b->value[i], value, err);
}

/* ---- ports ------------------------------------------------------------- */

/* Names go over a line of words. */
static yoke_status check_port(const builder *b, const yk_yaml *at,
                              const char *name, yoke_err *err)
{
    bool good = isalpha((unsigned char)name[0]) || name[0] == '_';

    for (const char *c = name; good && *c; c++)
        good = isalnum((unsigned char)*c) || strchr("_.[]", *c);
    if (good && strlen(name) < 200) return YOKE_OK;
    return yk_file_fail(b->r, at, err,
                        "\"%.100s\" is not a name for an input or output: "
                        "letters, digits, _ . [ ]",
                        name);
}

static yoke_status add_port(builder *b, const yk_yaml *at, const char *mark,
                            const char *name, const char *unit, int i,
                            const char **list, yoke_err *err)
{
    YK_TRY(check_port(b, at, name, err));
    for (int k = 0; k < i; k++)
        if (strcmp(list[k], name) == 0)
            return yk_file_fail(b->r, at, err, "\"%.100s\" is there twice",
                                name);
    list[i] = name;
    if (unit[0])
        YK_TRY(yk_file_port_unit(b->r->file, b->node->key, name, unit, err));
    return add(b, mark, name, unit, err);
}

/* A list of names, or a map of names and units; nothing: none. */
static yoke_status read_ports(builder *b, const char *key, const char *mark,
                              const char ***out, int *count, yoke_err *err)
{
    const yk_yaml *list = yk_yaml_find(b->node, key);
    const yk_yaml **item = NULL;
    int items = 0;

    *count = 0;
    if (!list || yk_yaml_is_empty(list)) return YK_NEW(out, 1, err);
    if (list->kind == YK_YAML_MAP) {
        YK_TRY(YK_NEW(out, list->count + 1, err));
        for (const yk_yaml *e = list->first; e; e = e->next) {
            const char *unit = "";

            if (!yk_yaml_is_empty(e)) YK_TRY(yk_file_text(b->r, e, &unit, err));
            YK_TRY(add_port(b, e, mark, e->key, unit, (*count)++, *out, err));
        }
        return YOKE_OK;
    }
    YK_TRY(yk_file_texts(b->r, list, &item, &items, err));
    yoke_status status = YK_NEW(out, items + 1, err);
    for (int i = 0; status == YOKE_OK && i < items; i++)
        status = add_port(b, item[i], mark, item[i]->text, "", (*count)++, *out,
                          err);
    yk_free(item);
    return status;
}

/* ---- program, parameters, limits --------------------------------------- */

/* The first word that names a file: the program, or what an interpreter reads.  A
 * result must not overwrite it, and a run goes on with the same one only.  Files
 * behind it may be written by the program. */
static yoke_status tell_file(const builder *b, const yk_yaml *word, bool *found,
                             yoke_err *err)
{
    struct stat about;
    char *path = NULL;

    if (*found) return YOKE_OK;
    YK_TRY(yk_file_beside(&path, b->r->path, word->text, err));
    *found = stat(path, &about) == 0 && S_ISREG(about.st_mode);
    yoke_status status = YOKE_OK;
    if (*found) {
        yk_seen_tell(path);
        status = yk_file_note_input(b->r->file, path, err);
    }
    yk_free(path);
    return status;
}

static yoke_status read_words(builder *b, const yk_yaml *given, yoke_err *err)
{
    const yk_yaml **item = NULL;
    int count = 0;
    bool found = false;

    YK_TRY(yk_file_texts(b->r, given, &item, &count, err));
    yoke_status status = YOKE_OK;
    if (count == 0)
        status = yk_file_fail(b->r, given, err, "no program is named");
    for (int i = 0; status == YOKE_OK && i < count; i++) {
        status = add(b, "word:", "", item[i]->text, err);
        if (status == YOKE_OK) status = tell_file(b, item[i], &found, err);
    }
    yk_free(item);
    return status;
}

static yoke_status add_folder(builder *b, yoke_err *err)
{
    const char *slash = strrchr(b->r->path, '/');
    char folder[4096];

    if (!slash) return YOKE_OK;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - b->r->path + 1),
             b->r->path);
    return add(b, "folder", "", folder, err);
}

/* Numbers with a unit in SI units; anything else as it stands. */
static yoke_status add_parameters(builder *b, const yk_entries *parameters,
                                  yoke_err *err)
{
    for (int i = 0; i < parameters->count; i++) {
        const yk_file_value *e = &parameters->entry[i];
        char number[64];
        double value = 0.0;
        size_t at = 0;
        const char *text = e->text;

        if (yk_quantity_read(text, NULL, NULL, &value, &at, NULL) == YOKE_OK) {
            snprintf(number, sizeof number, "%.17g", value);
            text = number;
        }
        if (strpbrk(text, "\r\n"))
            return yk_file_place_entry(
                e, 0,
                yk_fail(err, YOKE_E_FILE,
                        "a parameter of a program is one "
                        "line"),
                err);
        YK_TRY(add(b, "set:", e->name, text, err));
    }
    return YOKE_OK;
}

static yoke_status read_limits(builder *b, yoke_err *err)
{
    yk_closed_facts *f = &b->facts;
    yk_closed_limits limits;

    YK_TRY(yk_closed_read_limits(b->r, b->node, &limits, err));
    f->seconds = limits.seconds;
    f->bytes = limits.bytes;
    f->direct = true;
    return yk_file_truth(b->r, b->node, "direct", &f->direct, err);
}

static yoke_status build(builder *b, const yk_yaml *given,
                         const yk_entries *parameters, yoke_system **out,
                         yoke_err *err)
{
    yk_closed_facts *f = &b->facts;
    char place[400];
    int line = 0, column = 0;

    yk_yaml_place(given, 0, &line, &column);
    snprintf(place, sizeof place, "%.360s:%d:%d", b->r->path, line, column);
    YK_TRY(read_words(b, given, err));
    YK_TRY(add_folder(b, err));
    YK_TRY(read_ports(b, "inputs", "in:", &b->input, &f->inputs, err));
    YK_TRY(read_ports(b, "outputs", "out:", &b->output, &f->outputs, err));
    if (f->outputs == 0)
        return yk_file_fail(b->r, b->node, err,
                            "\"%.100s\" has no outputs: list what the program "
                            "gives, outputs: [name, ...]",
                            b->node->key);
    YK_TRY(add_parameters(b, parameters, err));
    YK_TRY(read_limits(b, err));
    f->name = b->node->key;
    f->place = place;
    f->kind = "program";
    f->engine = "program";
    f->settings = b->count;
    f->key = (const char *const *)b->key;
    f->value = (const char *const *)b->value;
    f->input = b->input;
    f->output = b->output;
    f->replay = true;
    f->compared = "is a program: its steps are tested, what it does between "
                  "two of them is not";
    f->given = "is a program with steps of a fixed length: their error was "
               "not tested";
    f->own = "is a program that controls its error by itself: nothing else "
             "tested it";
    return yk_closed_system(out, f, err);
}

static yoke_status read_program(yk_reader *r, const yk_yaml *node,
                                const yk_yaml *given, yk_entries *parameters,
                                yoke_system **out, yoke_err *err)
{
    builder b = { .r = r, .node = node };
    yoke_status status = build(&b, given, parameters, out, err);

    if (status == YOKE_OK)
        status = yk_file_report(
            r->file, err,
            "%s: program %.200s: %d inputs, %d outputs; it goes back in time "
            "by "
            "its own save and restore if it has them, otherwise by running "
            "again from the start",
            node->key, b.value[0], b.facts.inputs, b.facts.outputs);
    if (status == YOKE_OK)
        status = yk_facts_part(&r->file->facts, node->key, "program",
                               b.value[0], NULL, parameters, err);
    for (int i = 0; i < b.count; i++) YK_FREE(b.key[i], b.value[i]);
    YK_FREE(b.key, b.value, b.input, b.output);
    return status;
}

static const yk_key keys[] = {
    { "inputs", YK_KEY_NAMES, false, NULL,
      "names of the inputs, or a map of names and units" },
    { "outputs", YK_KEY_NAMES, true, NULL,
      "names of the outputs, or a map of names and units" },
    { "direct", YK_KEY_TEXT, false, NULL,
      "false: no output depends on an input at once; true if left out" },
    { "time_limit", YK_KEY_NUMBER, false, "s",
      "for one exchange with the part; 600 s if left out" },
    { "memory_limit", YK_KEY_NUMBER, false, "1",
      "of the part, in megabytes; 8000 if left out" },
    { NULL, YK_KEY_TEXT, false, NULL, NULL },
};

const yk_component yk_component_program = {
    .source = "program",
    .text = "any program that speaks the protocol, in a process of its own",
    .key = keys,
    .read = read_program,
};
