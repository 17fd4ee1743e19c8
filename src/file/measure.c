/* file/measure.c -- reads the texts of measures. */
#include "file/measure.h"

#include "file/reader.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { WORD = 64 };

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static const char *const kinds[] = { "max",    "min",    "avg",   "mean",
                                     "rms",    "pp",     "integ", "integral",
                                     "max_at", "min_at", "final", "when",
                                     "find",   "deriv",  "trig",  "first",
                                     "range" };
static const char *const behind[] = { "targ", "when" };
static const char *const times[] = { "from", "to", "td", "at" };
static const char *const counts[] = { "rise", "fall", "cross" };

typedef struct measure_text {
    yk_file_measures *list;
    yk_file_measure *m;
    const char *text;
    size_t at;
} measure_text;

static void skip(measure_text *p)
{
    while (isspace((unsigned char)p->text[p->at])) p->at++;
}

/* The word at byte `at`, and the first byte behind it that is no space. */
static size_t peek(const measure_text *p, char word[WORD])
{
    size_t end = p->at;

    while (isalnum((unsigned char)p->text[end]) || p->text[end] == '_') end++;
    snprintf(word, WORD, "%.*s", (int)(end - p->at), p->text + p->at);
    while (isspace((unsigned char)p->text[end])) end++;
    return end;
}

static yoke_status push(measure_text *p, const char *word, yoke_err *err)
{
    return yk_texts_add(&p->m->words, word, err);
}

/* ---- signals ------------------------------------------------------------- */

/* v(out) or i(v1) of a netlist, which has no dot in front. */
static yoke_status branch(measure_text *p, int *root, bool *found,
                          yoke_err *err)
{
    const char *text = p->text + p->at, *close = strchr(text, ')');
    char name[256];

    *found = (text[0] == 'v' || text[0] == 'i') && text[1] == '(' && close &&
             close - text < 250;
    if (!*found) return YOKE_OK;
    snprintf(name, sizeof name, "%.*s", (int)(close - text + 1), text);
    YK_TRY(yk_formula_variable(&p->list->formula, name, p->at, root, err));
    p->at += (size_t)(close - text) + 1;
    skip(p);
    return YOKE_OK;
}

static yoke_status read_signal(measure_text *p, yoke_err *err)
{
    yk_file_measures *l = p->list;
    const size_t k = (size_t)l->signals;
    char word[32];
    bool found = false;
    int root = 0;

    skip(p);
    YK_TRY(branch(p, &root, &found, err));
    if (!found)
        YK_TRY(yk_formula_expression(&l->formula, p->text, &p->at, &root, err));
    YK_TRY(YK_GROW(&l->root, &l->root_room, k + 1, err));
    YK_TRY(YK_GROW(&l->signal, &l->name_room, k + 1, err));
    snprintf(word, sizeof word, "signal %d", l->signals + 1);
    l->signal[k] = NULL;
    YK_TRY(yk_copy_text(&l->signal[k], word, err));
    l->root[k] = root;
    l->signals++;
    return push(p, word, err);
}

/* ---- limits -------------------------------------------------------------- */

/* The text up to the next comma or bracket that closes. */
static yoke_status take_value(measure_text *p, char *value, size_t room,
                              yoke_err *err)
{
    const size_t begin = p->at;
    int depth = 0;

    for (; p->text[p->at]; p->at++) {
        const char c = p->text[p->at];
        if (depth == 0 && (c == ',' || c == ')')) break;
        depth += (c == '(') - (c == ')');
    }
    if (p->at - begin >= room)
        return yk_fail(err, YOKE_E_FILE, "this value is too long");
    snprintf(value, room, "%.*s", (int)(p->at - begin), p->text + begin);
    for (size_t n = strlen(value); n && isspace((unsigned char)value[n - 1]);)
        value[--n] = '\0';
    return YOKE_OK;
}

/* name = value. */
static yoke_status read_limit(measure_text *p, const char *name, size_t equal,
                              yoke_err *err)
{
    char value[200], number[40];
    double v = 0.0;

    p->at = equal + 1;
    skip(p);
    const size_t begin = p->at;
    YK_TRY(take_value(p, value, sizeof value, err));
    YK_TRY(push(p, name, err));
    YK_TRY(push(p, "=", err));
    if (yk_texts_find(counts, COUNT(counts), name) >= 0)
        return push(p, value, err);
    size_t at = 0;
    const yoke_status status = yk_quantity_read(
        value, NULL, yk_texts_find(times, COUNT(times), name) >= 0 ? "s" : NULL,
        &v, &at, err);
    if (status != YOKE_OK) {
        p->at = begin + at;
        return status;
    }
    snprintf(number, sizeof number, "%.17g", v);
    return push(p, number, err);
}

static yoke_status read_argument(measure_text *p, const char *kind,
                                 yoke_err *err)
{
    char word[WORD];

    skip(p);
    const size_t next = peek(p, word);
    const bool equal = p->text[next] == '=' && p->text[next + 1] != '=';
    if (equal && (yk_texts_find(times, COUNT(times), word) >= 0 ||
                  yk_texts_find(counts, COUNT(counts), word) >= 0 ||
                  strcmp(word, "val") == 0))
        return read_limit(p, word, next, err);
    YK_TRY(read_signal(p, err));
    if (p->text[p->at] != '=' || strcmp(kind, "when") != 0) return YOKE_OK;
    p->at++;
    YK_TRY(push(p, "=", err));
    return read_signal(p, err);
}

/* kind(argument, ...). */
static yoke_status read_call(measure_text *p, const char *kind, size_t open,
                             yoke_err *err)
{
    if (strcmp(kind, "mean") == 0) kind = "avg";
    if (strcmp(kind, "range") == 0) kind = "pp";
    YK_TRY(push(p, kind, err));
    p->at = open;
    do {
        p->at++;
        YK_TRY(read_argument(p, kind, err));
        skip(p);
    } while (p->text[p->at] == ',');
    if (p->text[p->at] != ')')
        return yk_fail(err, YOKE_E_FILE,
                       "expected , or ) here; what may stand behind a signal "
                       "is from=, to=, td=, at=, val=, rise=, fall= or cross=");
    p->at++;
    skip(p);
    return YOKE_OK;
}

/* ---- measures of measures ------------------------------------------------ */

static yoke_status read_derived(measure_text *p, yoke_err *err)
{
    enum { MOST = 64 };
    yk_file_measure *m = p->m;
    const char *known[MOST];
    int count = 0;

    m->derived = true;
    YK_TRY(yk_formula_expression(&m->of, p->text, &p->at, &m->root, err));
    YK_TRY(yk_formula_end(p->text, p->at, err));
    for (int k = 0; k < p->list->count && k < MOST; k++)
        known[count++] = p->list->at[k].name;
    for (int v = 0; v < m->of.variables; v++) {
        bool found = false;
        for (int k = 0; k < p->list->count; k++)
            found = found || strcmp(p->list->at[k].name, m->of.name[v]) == 0;
        if (found) continue;
        p->at = m->of.place[v];
        yk_fail(err, YOKE_E_FILE,
                "there is no measure \"%.100s\" before this one; a variable is "
                "measured by max(%.100s), final(%.100s), ...",
                m->of.name[v], m->of.name[v], m->of.name[v]);
        if (count > 0) yk_file_suggest(err, m->of.name[v], count, known);
        return YOKE_E_FILE;
    }
    return YOKE_OK;
}

static yoke_status read_measure(measure_text *p, yoke_err *err)
{
    char word[WORD];

    skip(p);
    size_t next = peek(p, word);
    if (p->text[next] != '(' || yk_texts_find(kinds, COUNT(kinds), word) < 0) {
        const size_t begin = p->at;
        const yoke_status status = read_derived(p, err);
        if (status == YOKE_OK || p->text[next] != '(' || !word[0] ||
            p->at > next)
            return status;
        p->at = begin;
        yk_fail(err, YOKE_E_FILE, "there is no measure \"%.60s\"", word);
        yk_file_suggest(err, word, COUNT(kinds), kinds);
        return YOKE_E_FILE;
    }
    YK_TRY(read_call(p, word, next, err));
    while (p->text[p->at]) {
        next = peek(p, word);
        if (p->text[next] != '(' ||
            yk_texts_find(behind, COUNT(behind), word) < 0)
            return yk_fail(err, YOKE_E_FILE,
                           "only targ(...) and when(...) may follow a measure; "
                           "a formula of measures names those before it");
        YK_TRY(read_call(p, word, next, err));
    }
    return YOKE_OK;
}

static void clear_one(yk_file_measure *m)
{
    yk_texts_clear(&m->words);
    yk_formula_clear(&m->of);
    YK_FREE(m->name, m->path);
}

void yk_file_measures_clear(yk_file_measures *list)
{
    for (int k = 0; k < list->count; k++) clear_one(&list->at[k]);
    yk_texts_free(list->signal, list->signals);
    yk_formula_clear(&list->formula);
    YK_FREE(list->root, list->at);
    *list = (yk_file_measures){ 0 };
}

/* `name` is the key, `path` NULL on the command line.  *at is the byte at which
 * reading failed. */
static yoke_status add_measure(yk_file_measures *list, const char *name,
                               const char *text, const char *path, int line,
                               size_t *at, yoke_err *err)
{
    measure_text p = { .list = list, .text = text };
    yk_file_measure m = { .line = line };
    yoke_status status = YOKE_OK;

    *at = 0;
    for (int k = 0; k < list->count; k++)
        if (strcmp(list->at[k].name, name) == 0)
            return yk_fail(err, YOKE_E_FILE, "there are two measures \"%.60s\"",
                           name);
    YK_GO(yk_copy_text(&m.name, name, err));
    if (path) YK_GO(yk_copy_text(&m.path, path, err));
    YK_GO(YK_GROW(&list->at, &list->room, list->count + 1, err));
    p.m = &m;
    status = read_measure(&p, err);
    *at = p.at;
    if (status != YOKE_OK) goto done;
    list->at[list->count++] = m;
    return YOKE_OK;
done:
    clear_one(&m);
    return status;
}

/* ---- the section of a file ----------------------------------------------- */

static yoke_status read_entry(yk_reader *r, const yk_yaml *e, yoke_err *err)
{
    const char *text = NULL;
    size_t at = 0;

    YK_TRY(yk_file_check_name(r, e, err));
    YK_TRY(yk_file_text(r, e, &text, err));
    const yoke_status status = add_measure(&r->file->measures, e->key, text,
                                           r->path, e->line, &at, err);
    return yk_file_place(r, e, at, status, err);
}

yoke_status yk_file_measure_section(yk_reader *r, const yk_yaml *map,
                                    yoke_err *err)
{
    yoke_status status = YOKE_OK;

    if (!map || yk_yaml_is_empty(map)) return YOKE_OK;
    YK_TRY(yk_file_want(r, map, YK_YAML_MAP, err));
    for (const yk_yaml *e = map->first; e; e = e->next) {
        yoke_err one = { YOKE_OK, "" };
        if (!yk_err_gather(&status, read_entry(r, e, &one), &one, err)) break;
    }
    return status;
}

yoke_status yoke_file_add_measure(yoke_file *file, const char *name,
                                  const char *text, yoke_err *err)
{
    YK_POINT;
    size_t at = 0;
    const yoke_status status =
        add_measure(&file->measures, name, text, NULL, 0, &at, err);

    if (status == YOKE_E_FILE)
        yk_prefix(err, "measure \"%.200s\", character %d", text, (int)at + 1);
    return status;
}
