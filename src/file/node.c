/* file/node.c -- values of the nodes of a system file, and messages with
 * their places. */
#include "file/reader.h"

#include "base/near.h"
#include "yoke/run.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- messages ------------------------------------------------------------ */

yoke_status yk_file_place(const yk_reader *r, const yk_yaml *at, size_t offset,
                          yoke_status status, yoke_err *err)
{
    int line = 0, column = 0;

    if (status == YOKE_OK) return YOKE_OK;
    yk_yaml_place(at, offset, &line, &column);
    if (r->wrapped)
        yk_prefix(err, "%s", r->path);
    else
        yk_yaml_prefix(err, r->path, line, column);
    return status;
}

yoke_status yk_file_place_key(const yk_reader *r, const yk_yaml *at,
                              yoke_status status, yoke_err *err)
{
    if (status != YOKE_OK && r->wrapped)
        yk_prefix(err, "%s: \"%.100s\"", r->path, at->key);
    else if (status != YOKE_OK)
        yk_yaml_prefix(err, r->path, at->key_line, at->key_column);
    return status;
}

yoke_status yk_file_check_name(const yk_reader *r, const yk_yaml *node,
                               yoke_err *err)
{
    if (yk_is_name(node->key)) return YOKE_OK;
    yk_fail(
        err, YOKE_E_FILE,
        "\"%.100s\" is not a name: a letter first, then letters, digits and _",
        node->key);
    return yk_file_place_key(r, node, YOKE_E_FILE, err);
}

yoke_status yk_file_fail(const yk_reader *r, const yk_yaml *at, yoke_err *err,
                         const char *format, ...)
{
    char text[YOKE_ERR_SIZE];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return yk_file_place(r, at, 0, yk_fail(err, YOKE_E_FILE, "%s", text), err);
}

yoke_status yk_file_place_entry(const yk_file_value *e, size_t offset,
                                yoke_status status, yoke_err *err)
{
    int line = 0, column = 0;

    if (status == YOKE_OK) return YOKE_OK;
    if (!e->at) {
        yk_prefix(err, "--set %.100s=%.100s", e->setting, e->text);
        return status;
    }
    yk_yaml_place(e->at, offset, &line, &column);
    yk_yaml_prefix(err, e->path, line, column);
    return status;
}

/* "; there are: a, b, c". */
static void list_words(yoke_err *err, int count, const char *const *list)
{
    enum { LISTED = 24 };

    for (int i = 0; i < count && i <= LISTED; i++)
        yk_suffix(err, "%s%.60s",
                  i ? ", " : "; there are: ", i < LISTED ? list[i] : "...");
}

void yk_file_suggest(yoke_err *err, const char *word, int count,
                     const char *const *list)
{
    const char *near = yk_nearest_word(word, count, list);
    const char *meant = yoke_run_option_meant(word);
    const size_t name = strcspn(word, ": =");
    const char *sign = word + name + strspn(word + name, " ");

    if (word[0] >= '0' && word[0] <= '9' && !strpbrk(word, "()[]"))
        yk_suffix(err, "; a number has a point, 1.5, and no comma");
    else if (name > 0 && sign[0] == ':' && sign[1])
        yk_suffix(err,
                  "; a blank is missing behind the colon: write "
                  "\"%.*s: %.60s\"",
                  (int)name, word, sign + 1);
    else if (name > 0 && sign[0] == '=' && sign[1])
        yk_suffix(err, "; write \"%.*s: %.60s\"", (int)name, word,
                  sign + 1 + strspn(sign + 1, " "));
    else if (meant && yk_texts_find(list, count, meant) >= 0)
        yk_suffix(err, "; it is called \"%s\" here", meant);
    else if (near)
        yk_suffix(err, "; did you mean \"%.60s\"?", near);
    else if (!yk_is_name(word)) /* a comma in an unquoted text splits it */
        yk_suffix(err, "; a text that contains a comma, a bracket or a colon "
                       "needs quotes");
    else
        list_words(err, count, list);
}

/* ---- keys ---------------------------------------------------------------- */

yoke_status yk_file_keys(const yk_reader *r, const yk_yaml *map, int count,
                         const char *const *key, yoke_err *err)
{
    yoke_status status = YOKE_OK;

    YK_TRY(yk_file_want(r, map, YK_YAML_MAP, err));
    for (const yk_yaml *e = map->first; e; e = e->next) {
        yoke_err one = { YOKE_OK, "" };
        if (yk_texts_find(key, count, e->key) >= 0) continue;
        yk_fail(&one, YOKE_E_FILE, "there is no key \"%.100s\" here", e->key);
        yk_file_suggest(&one, e->key, count, key);
        yk_file_place_key(r, e, YOKE_E_FILE, &one);
        if (!yk_err_gather(&status, YOKE_E_FILE, &one, err)) break;
    }
    return status;
}

/* ---- values -------------------------------------------------------------- */

/* What the value is for: " for "key"". */
static const char *owner(const yk_yaml *node, char text[80])
{
    text[0] = '\0';
    if (node->key) snprintf(text, 80, " for \"%.60s\"", node->key);
    return text;
}

/* How a section is written, for one that is something else. */
static const char *example(const yk_yaml *node)
{
    static const char *const text[] = {
        "run: {stop: 1 s}",
        "subsystems: {motor: {model: motor.mo}}",
        "parameters: {R: 3}",
        "constraint: {equation: a.x - b.x = 0, enters: [b.f = lambda]}",
        "connect: [a.p, b.p]",
        "output: {file: result.csv}",
        "measure: {peak: max(a.x)}",
    };
    const size_t length = node->key ? strlen(node->key) : 0;

    for (size_t k = 0; length && k < sizeof text / sizeof *text; k++)
        if (strncmp(text[k], node->key, length) == 0 && text[k][length] == ':')
            return text[k];
    return NULL;
}

/* `motor: motor.fmu`, `{J=3}`: what is meant, where that is plain. */
static void suggest_map(const yk_yaml *node, yoke_err *err)
{
    static const char *const kind[][2] = {
        { ".mo", "model" },    { ".bmo", "model" },   { ".fmu", "fmu" },
        { ".cir", "netlist" }, { ".sp", "netlist" },  { ".net", "netlist" },
        { ".ssp", "ssp" },     { ".yaml", "system" },
    };
    const char *sign = node->key ? strchr(node->key, '=') : NULL;
    const char *text = node->kind == YK_YAML_TEXT ? node->text : NULL;
    const char *dot = text ? strrchr(text, '.') : NULL;

    if (sign && sign[1])
        yk_suffix(err, "; write \"%.*s: %.60s\"", (int)(sign - node->key),
                  node->key, sign + 1);
    for (size_t k = 0; node->key && dot && k < sizeof kind / sizeof *kind; k++)
        if (strcmp(dot, kind[k][0]) == 0)
            yk_suffix(err, "; write \"%.60s: {%s: %.100s}\"", node->key,
                      kind[k][1], text);
}

yoke_status yk_file_want(const yk_reader *r, const yk_yaml *node,
                         yk_yaml_kind kind, yoke_err *err)
{
    static const char *const wanted[] = { "a text", "a list [a, b]",
                                          "a map {key: value}" };
    char of[80];

    if (node->kind == kind && !(kind == YK_YAML_TEXT && yk_yaml_is_empty(node)))
        return YOKE_OK;
    const bool dash = kind == YK_YAML_LIST && node->kind == YK_YAML_MAP;
    const bool dashes = kind == YK_YAML_MAP && node->kind == YK_YAML_LIST;
    yk_file_fail(r, node, err, "%s is expected%s, not %s%s", wanted[kind],
                 owner(node, of), yk_yaml_kind_text(node),
                 dash     ? "; each entry of a list begins with \"- \""
                 : dashes ? "; write NAME: VALUE, "
                            "without dashes and without [ ]"
                          : "");
    const char *written = dash || dashes ? NULL : example(node);
    if (written)
        yk_suffix(err, "; write \"%s\"", written);
    else if (!dash && !dashes)
        suggest_map(node, err);
    return YOKE_E_FILE;
}

yoke_status yk_file_text(const yk_reader *r, const yk_yaml *node,
                         const char **text, yoke_err *err)
{
    YK_TRY(yk_file_want(r, node, YK_YAML_TEXT, err));
    *text = node->text;
    return YOKE_OK;
}

yoke_status yk_file_quantity(const yk_reader *r, const yk_yaml *node,
                             const char *unit, const yk_unit_scope *scope,
                             double *value, yoke_err *err)
{
    char of[80];
    size_t at = 0;

    if (node->kind != YK_YAML_TEXT || yk_yaml_is_empty(node))
        return yk_file_fail(r, node, err, "a number is expected%s, not %s",
                            owner(node, of), yk_yaml_kind_text(node));
    const yoke_status status =
        yk_quantity_read(node->text, scope, unit, value, &at, err);
    return yk_file_place(r, node, at, status, err);
}

yoke_status yk_file_number(const yk_reader *r, const yk_yaml *node,
                           const yk_unit_scope *scope, double *value,
                           yoke_err *err)
{
    return yk_file_quantity(r, node, NULL, scope, value, err);
}

static yoke_status collect(const yk_reader *r, const yk_yaml *list,
                           const yk_yaml **item, yoke_err *err)
{
    int count = 0;

    for (const yk_yaml *e = list->first; e; e = e->next) {
        YK_TRY(yk_file_want(r, e, YK_YAML_TEXT, err));
        item[count++] = e;
    }
    return YOKE_OK;
}

yoke_status yk_file_texts(const yk_reader *r, const yk_yaml *node,
                          const yk_yaml ***out, int *count, yoke_err *err)
{
    const bool is_list = node->kind == YK_YAML_LIST;
    const yk_yaml **item = NULL;

    if (!is_list) YK_TRY(yk_file_want(r, node, YK_YAML_TEXT, err));
    YK_TRY(YK_NEW(&item, is_list ? node->count : 1, err));
    if (!is_list) item[0] = node;
    const yoke_status status = is_list ? collect(r, node, item, err) : YOKE_OK;
    if (status != YOKE_OK) {
        yk_free(item);
        return status;
    }
    *out = item;
    *count = is_list ? node->count : 1;
    return YOKE_OK;
}
