/* comp/netlist/read/read.c -- reading a netlist: nodes, models, references. */
#include "comp/netlist/read/read.h"

#include "comp/netlist/device/device.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The tables for finding names live as long as the netlist, behind it. */
typedef struct whole {
    yk_netlist net; /* first */
    yk_names nodes, elements;
} whole;

/* ---- messages ------------------------------------------------------------ */

yoke_status yk_net_fail(yoke_err *err, yoke_status status, yk_net_place at,
                        const char *format, ...)
{
    va_list args;
    char text[YOKE_ERR_SIZE];

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (char *p = text; *p; p++)
        if (*p == YK_NET_JOINT) *p = ' ';
    if (!at.file) return yk_fail(err, status, "%s", text);
    if (at.column > 0)
        return yk_fail(err, status, "%s:%d:%d: %s", at.file, at.line, at.column,
                       text);
    return yk_fail(err, status, "%s:%d: %s", at.file, at.line, text);
}

yoke_status yk_net_warn(yk_netlist *netlist, yoke_err *err, yk_net_place at,
                        const char *format, ...)
{
    enum { MOST = 1000 };
    va_list args;
    char text[500], whole_text[1000];
    const char *copy;

    if (netlist->warnings >= MOST) return YOKE_OK;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (netlist->warnings == MOST - 1)
        snprintf(text, sizeof text, "further warnings are left out");
    char column[16] = "";
    if (at.column > 0) snprintf(column, sizeof column, "%d:", at.column);
    for (char *p = text; *p; p++)
        if (*p == YK_NET_JOINT) *p = ' ';
    const int length =
        snprintf(whole_text, sizeof whole_text, "%.400s:%d:%s %s", at.file,
                 at.line, column, text);
    YK_TRY(yk_net_copy(
        &netlist->arena, &copy, whole_text,
        length < (int)sizeof whole_text ? length : (int)sizeof whole_text - 1,
        err));
    if (!netlist->warning)
        YK_TRY(YK_TAKE(&netlist->arena, &netlist->warning, MOST, err));
    netlist->warning[netlist->warnings++] = copy;
    return YOKE_OK;
}

yoke_status yk_net_may_grow(const yk_netlist *net, yk_net_place at,
                            yoke_err *err)
{
    if (net->elements + net->instances < net->most) return YOKE_OK;
    return yk_net_fail(err, YOKE_E_ARG, at,
                       "the netlist expands to more than %d elements and "
                       "subcircuits (%d and %d up to this line); if it is "
                       "meant to be so large, write .options maxelements=N",
                       net->most, net->elements, net->instances);
}

double yk_net_value(const yk_net_param *param, int params, const char *name,
                    double preset, bool *given)
{
    for (int i = params - 1; i >= 0; i--) { /* the last one wins */
        if (strcmp(param[i].name, name) != 0) continue;
        if (given) *given = true;
        return param[i].value;
    }
    if (given) *given = false;
    return preset;
}

double yk_net_option(const yk_netlist *net, const char *name, double preset)
{
    return yk_net_value(net->option, net->options, name, preset, NULL);
}

int yk_net_find_node(const yk_netlist *netlist, const char *name)
{
    if (strcmp(name, "gnd") == 0) return 0;
    return yk_names_find(&((const whole *)netlist)->nodes, name);
}

int yk_net_find_element(const yk_netlist *netlist, const char *name)
{
    const int found = yk_names_find(&((const whole *)netlist)->elements, name);

    return found < 0 ? -1 : found; /* instances have numbers below -1 */
}

/* ---- nodes --------------------------------------------------------------- */

static yoke_status add_node(yk_net_reader *r, const char *name, yk_net_place at,
                            int *node, yoke_err *err)
{
    yk_netlist *net = r->net;
    const char *copy;

    if (net->nodes >= INT_MAX / 2)
        return yk_net_fail(err, YOKE_E_ARG, at, "too many nodes");
    YK_TRY(yk_net_copy(&net->arena, &copy, name, (int)strlen(name), err));
    YK_TRY(YK_GROW(&net->node, &r->node_room, net->nodes + 1, err));
    YK_TRY(YK_GROW(&net->node_at, &r->place_room, net->nodes + 1, err));
    YK_TRY(yk_names_add(r->nodes, copy, net->nodes, err));
    net->node[net->nodes] = copy;
    net->node_at[net->nodes] = at;
    *node = net->nodes++;
    return YOKE_OK;
}

static bool cut_name(char *key, const char *text, int length)
{
    if (length > YK_NET_NAME) return false;
    memcpy(key, text, (size_t)length);
    key[length] = '\0';
    return true;
}

static int find_port(const yk_net_env *env, const char *text, int length)
{
    enum { FEW = 8 };
    const yk_net_scope *scope = env->scope;
    char key[YK_NET_NAME + 1];

    if (scope->ports > FEW)
        return cut_name(key, text, length)
                   ? yk_names_find(&scope->port_index, key)
                   : -1;
    for (int i = 0; i < scope->ports; i++)
        if (strncmp(scope->port[i], text, (size_t)length) == 0 &&
            scope->port[i][length] == '\0')
            return i;
    return -1;
}

static bool is_ground(const char *text, int length)
{
    return (length == 1 && text[0] == '0') ||
           (length == 3 && memcmp(text, "gnd", 3) == 0);
}

/* The full name in r->name. */
static yoke_status node_name(yk_net_reader *r, const yk_net_env *env,
                             const char *text, int length, yk_net_place at,
                             yoke_err *err)
{
    const size_t before = strlen(env->prefix);

    if (before + (size_t)length + 2 > YK_NET_NAME)
        return yk_net_fail(err, YOKE_E_ARG, at,
                           "the name of a node has more than %d letters",
                           YK_NET_NAME - 2);
    memcpy(r->name, text, (size_t)length);
    r->name[length] = '\0';
    if (before == 0 || yk_names_find(&r->globals, r->name) >= 0) return YOKE_OK;
    memcpy(r->name, env->prefix, before);
    r->name[before] = '.';
    memcpy(r->name + before + 1, text, (size_t)length);
    r->name[before + 1 + (size_t)length] = '\0';
    return YOKE_OK;
}

yoke_status yk_net_node(yk_net_reader *r, yk_net_env *env, const char *text,
                        int length, yk_net_place at, int *node, yoke_err *err)
{
    const int port = env->parent ? find_port(env, text, length) : -1;

    if (is_ground(text, length)) {
        *node = 0;
        return YOKE_OK;
    }
    if (port >= 0) {
        *node = env->port[port];
        return YOKE_OK;
    }
    YK_TRY(node_name(r, env, text, length, at, err));
    const int found = yk_names_find(r->nodes, r->name);
    if (found < 0) return add_node(r, r->name, at, node, err);
    *node = found;
    return YOKE_OK;
}

yoke_status yk_net_node_later(yk_net_reader *r, yk_net_env *env,
                              const char *text, int length, yk_net_place at,
                              int *node, const char **name, yoke_err *err)
{
    const int port = env->parent ? find_port(env, text, length) : -1;

    *name = NULL;
    *node = port >= 0 ? env->port[port] : 0;
    if (port >= 0 || is_ground(text, length)) return YOKE_OK;
    YK_TRY(node_name(r, env, text, length, at, err));
    return yk_net_copy(&r->keep, name, r->name, (int)strlen(r->name), err);
}

yoke_status yk_net_full_name(yk_arena *arena, const yk_net_env *env,
                             const char *text, int length, const char **out,
                             yk_net_place at, yoke_err *err)
{
    const size_t before = strlen(env->prefix);

    if (before + (size_t)length + 4 > YK_NET_NAME)
        return yk_net_fail(err, YOKE_E_ARG, at,
                           "the name of an element has more than %d letters",
                           YK_NET_NAME - 4);
    if (before == 0) return yk_net_copy(arena, out, text, length, err);
    return yk_arena_print(arena, out, err, "%c.%s.%.*s", text[0], env->prefix,
                          length, text);
}

/* ---- models -------------------------------------------------------------- */

/* The line of a model and the environment of its scope. */
static yk_net_model_line *find_model(yk_net_env *env, const char *name,
                                     yk_net_env **where)
{
    for (const yk_net_scope *s = env->scope; s; s = s->parent) {
        const int i = yk_names_find(&s->model_index, name);
        if (i < 0 || ((yk_net_model_line *)s->models.item[i])->off) continue;
        yk_net_env *e = env;
        while (e->parent && e->scope != s) e = e->parent;
        *where = e;
        return s->models.item[i];
    }
    return NULL;
}

bool yk_net_has_model(const yk_net_env *env, const char *text, int length)
{
    char key[YK_NET_NAME + 1];

    if (!cut_name(key, text, length)) return false;
    for (const yk_net_scope *s = env->scope; s; s = s->parent) {
        const int i = yk_names_find(&s->model_index, key);
        if (i >= 0 && !((yk_net_model_line *)s->models.item[i])->off)
            return true;
    }
    return false;
}

static bool is_supported(const char *type)
{
    static const char *const types[] = {
        "r",   "res",   "c",      "cap",    "l",       "ind",     "d",   "npn",
        "pnp", "nmos",  "pmos",   "njf",    "pjf",     "sw",      "csw", "ltra",
        "urc", "vdmos", "vdmosn", "vdmosp", "vswitch", "iswitch", NULL
    };

    for (int i = 0; types[i]; i++)
        if (strcmp(type, types[i]) == 0) return true;
    return false;
}

/* The value of a parameter.  A version 3.2.4 is not a number; its first two
 * parts are. */
static yoke_status model_word(yk_net_reader *r, yk_net_env *env,
                              const yk_net_word *w, const yk_net_model *m,
                              yk_net_param *param, yoke_err *err)
{
    int used;

    if (strcmp(param->name, "version") == 0 && w->kind == YK_NET_WORD) {
        param->value = yk_net_number(w->text, w->length, &used);
        if (used > 0) return YOKE_OK;
    }
    const yoke_status status =
        yk_net_word_value(r, env, w, m->at, param->name, &param->value, err);
    if (status != YOKE_OK) yk_suffix(err, " (of model \"%s\")", m->name);
    return status;
}

/* A word such as mfg=onsemi that vendors write into models. */
static bool is_remark(yk_net_reader *r, yk_net_env *env, const yk_net_word *w,
                      const yk_net_model *m, const char *name)
{
    double value;

    return (w->kind == YK_NET_WORD || w->kind == YK_STRING) &&
           !yk_device_knows(m->type, name) &&
           yk_net_word_value(r, env, w, m->at, name, &value, NULL) != YOKE_OK;
}

static bool is_plain_value(const yk_net_word *w)
{
    int used = 0;

    if (w->kind == YK_BRACED) return true;
    if (w->kind != YK_NET_WORD) return false;
    (void)yk_net_number(w->text, w->length, &used);
    return used > 0;
}

/* Pairs and flags of a model, in r->word. */
static yoke_status model_params(yk_net_reader *r, yk_net_env *env,
                                yk_net_model *m, int first, yoke_err *err)
{
    for (int k = first; k < r->words; k++) {
        const yk_net_word *w = &r->word[k];
        yk_net_param *param = &m->param[m->params];
        if (w->kind == YK_OPEN || w->kind == YK_CLOSE || w->kind == YK_COMMA)
            continue;
        if (w->kind != YK_NET_WORD)
            return yk_net_fail(
                err, YOKE_E_ARG, yk_net_at(r, m->at, w->text),
                "model \"%s\": \"%.*s\" is not a name of a parameter", m->name,
                w->length, w->text);
        param->at = m->at;
        param->value = 1.0;
        YK_TRY(
            yk_net_copy(&r->net->arena, &param->name, w->text, w->length, err));
        m->params++;
        if (k + 1 < r->words && is_plain_value(&r->word[k + 1])) {
            /* bf 50: the sign may be left out */
            YK_TRY(model_word(r, env, &r->word[++k], m, param, err));
            continue;
        }
        if (k + 1 >= r->words || r->word[k + 1].kind != YK_EQUALS) continue;
        if (k + 2 >= r->words)
            return yk_net_fail(err, YOKE_E_ARG, yk_net_at(r, m->at, w->text),
                               "model \"%s\": \"%s\" has no value", m->name,
                               param->name);
        if (is_remark(r, env, &r->word[k + 2], m, param->name)) {
            YK_TRY(yk_net_warn(
                r->net, err, m->at,
                "model %s (%s): unknown parameter ignored: %.40s = %.*s, which "
                "is not a number",
                m->name, m->type, param->name,
                r->word[k + 2].length > 40 ? 40 : r->word[k + 2].length,
                r->word[k + 2].text));
            m->params--;
        } else
            YK_TRY(model_word(r, env, &r->word[k + 2], m, param, err));
        k += 2;
    }
    return YOKE_OK;
}

/* "name" at the top, "subcircuit:name" or "x1.x2:name" inside. */
static yoke_status model_name(yk_net_reader *r, const yk_net_env *env,
                              const yk_net_model_line *line, const char **out,
                              yoke_err *err)
{
    const char *front = !env->parent       ? ""
                        : line->has_params ? env->prefix
                                           : env->scope->name;
    const char *name = NULL;

    YK_TRY(yk_arena_print(&r->net->arena, &name, err, "%s%s%s", front,
                          front[0] ? ":" : "", line->name));
    *out = name;
    return YOKE_OK;
}

/* `ako:base` of PSpice, a kind of: the parameters of another model, which those
 * that follow replace. */
static yoke_status model_of_kind(yk_net_reader *r, yk_net_env *env,
                                 yk_net_model *m, yoke_err *err)
{
    const int front = (int)strlen("ako:");
    const yk_net_word w = r->word[2];
    int base = -1;

    if (r->words < 4 || r->word[3].kind != YK_NET_WORD)
        return yk_net_fail(err, YOKE_E_ARG, yk_net_at(r, m->at, w.text),
                           "model \"%s\": \"%.*s\" is followed by the type",
                           m->name, w.length, w.text);
    if (++r->kinds > 50)
        return yk_net_fail(err, YOKE_E_ARG, m->at,
                           "model \"%s\" is a kind of itself, or more than 50 "
                           "models are kinds of one another",
                           m->name);
    YK_TRY(yk_net_use_model(r, env, w.text + front, w.length - front, m->at,
                            &base, err));
    r->kinds--;
    const yk_net_model from = r->net->model[base];
    if (!yk_net_is(&r->word[3], from.type))
        return yk_net_fail(err, YOKE_E_ARG, m->at,
                           "model \"%s\" is a \"%.*s\", \"%s\" a \"%s\"",
                           m->name, r->word[3].length, r->word[3].text,
                           from.name, from.type);
    m->type = from.type;
    YK_TRY(YK_TAKE(&r->net->arena, &m->param, r->words + from.params, err));
    YK_TRY(model_params(r, env, m, 4, err));
    for (int i = 0, own = m->params; i < from.params; i++) {
        int k = 0;
        while (k < own && strcmp(m->param[k].name, from.param[i].name) != 0)
            k++;
        if (k == own) m->param[m->params++] = from.param[i];
    }
    return YOKE_OK;
}

/* Type and parameters, from r->word. */
static yoke_status model_body(yk_net_reader *r, yk_net_env *env,
                              yk_net_model *m, yoke_err *err)
{
    const yk_net_word *w = &r->word[2];

    if (w->length > 4 && strncmp(w->text, "ako:", 4) == 0)
        return model_of_kind(r, env, m, err);
    YK_TRY(yk_net_copy(&r->net->arena, &m->type, w->text, w->length, err));
    /* the values of others are not looked at; their elements are refused */
    if (!is_supported(m->type)) return YOKE_OK;
    YK_TRY(YK_TAKE(&r->net->arena, &m->param, r->words, err));
    return model_params(r, env, m, 3, err);
}

/* The words of the element that asks are kept. */
static yoke_status make_model(yk_net_reader *r, yk_net_env *env,
                              yk_net_model_line *from, yoke_err *err)
{
    yk_netlist *net = r->net;
    const yk_net_line *line = &r->line[from->line];
    yk_net_word *const kept = r->word;
    const int kept_words = r->words;
    const size_t kept_room = r->word_room;
    yk_net_model m = { .at = line->at };

    r->word = NULL;
    r->words = 0;
    r->word_room = 0;
    yoke_status status = yk_net_split(r, line->text, line->at, err);
    if (status == YOKE_OK) status = model_name(r, env, from, &m.name, err);
    if (status == YOKE_OK) status = model_body(r, env, &m, err);
    yk_free(r->word);
    r->word = kept;
    r->words = kept_words;
    r->word_room = kept_room;
    YK_TRY(status);
    YK_TRY(YK_GROW(&net->model, &r->model_room, net->models + 1, err));
    YK_TRY(yk_net_check_model(net, &m, err));
    from->made = net->models;
    from->made_in = env->instance;
    net->model[net->models++] = m;
    return YOKE_OK;
}

static yoke_status unknown_model(const yk_net_env *env, const char *name,
                                 yk_net_place at, yoke_err *err)
{
    char room[100];
    yk_net_near near = { .wanted = name };

    for (const yk_net_scope *s = env->scope; s; s = s->parent)
        for (int i = 0; i < s->models.count; i++)
            yk_net_near_try(&near,
                            ((yk_net_model_line *)s->models.item[i])->name);
    const char *hint = yk_net_near_text(&near, room, sizeof room);
    return yk_net_fail(err, YOKE_E_ARG, at, "there is no model \"%s\"%s", name,
                       *hint ? hint
                             : " (.model declares one, .include FILE reads "
                               "those of a file)");
}

yoke_status yk_net_use_model(yk_net_reader *r, yk_net_env *env,
                             const char *text, int length, yk_net_place at,
                             int *model, yoke_err *err)
{
    char key[YK_NET_NAME + 1];
    yk_net_env *where = NULL;

    if (!cut_name(key, text, length))
        return yk_net_fail(err, YOKE_E_ARG, at, "the name is too long");
    yk_net_model_line *line = find_model(env, key, &where);
    if (!line) return unknown_model(env, key, yk_net_at(r, at, text), err);
    if (line->made < 0 ||
        (line->has_params && line->made_in != where->instance))
        YK_TRY(make_model(r, where, line, err));
    *model = line->made;
    return YOKE_OK;
}

/* ---- references ---------------------------------------------------------- */

yoke_status yk_net_refer(yk_net_reader *r, yk_net_env *env, const char *text,
                         int length, const char *kinds, int *to,
                         yk_net_place at, yoke_err *err)
{
    yk_net_later later = { .to = to, .kinds = kinds, .word = text, .at = at };

    *to = -1;
    YK_TRY(
        yk_net_full_name(&r->keep, env, text, length, &later.local, at, err));
    YK_TRY(yk_net_copy(&r->keep, &later.global, text, length, err));
    YK_TRY(YK_GROW(&r->later, &r->later_room, r->laters + 1, err));
    r->later[r->laters++] = later;
    return YOKE_OK;
}

static yoke_status unknown_element(const yk_net_reader *r,
                                   const yk_net_later *later, yoke_err *err)
{
    enum { LOOK = 20000 };
    char room[100];
    yk_net_near near = { .wanted = later->local };

    for (int i = 0; i < r->net->elements && i < LOOK; i++)
        if (strchr(later->kinds, r->net->element[i].kind))
            yk_net_near_try(&near, r->net->element[i].name);
    return yk_net_fail(err, YOKE_E_ARG, yk_net_at(r, later->at, later->word),
                       "there is no element \"%s\"%s", later->local,
                       yk_net_near_text(&near, room, sizeof room));
}

static yoke_status resolve_one(yk_net_reader *r, const yk_net_later *later,
                               yoke_err *err)
{
    int found = yk_names_find(r->elements, later->local);

    if (found < 0) found = yk_names_find(r->elements, later->global);
    if (found < 0) return unknown_element(r, later, err);
    if (!strchr(later->kinds, r->net->element[found].kind))
        return yk_net_fail(err, YOKE_E_ARG,
                           yk_net_at(r, later->at, later->word),
                           "\"%s\" is of the wrong kind: %s", later->local,
                           later->kinds[0] == 'l' ? "an inductor is needed"
                                                  : "a voltage source is "
                                                    "needed");
    *later->to = found;
    return YOKE_OK;
}

/* All that are wrong, not only the first. */
static yoke_status resolve(yk_net_reader *r, yoke_err *err)
{
    for (int i = 0; i < r->laters; i++) {
        const yk_net_later *later = &r->later[i];
        yoke_err why = { YOKE_OK, "" };
        const yoke_status status = resolve_one(r, later, &why);
        if (status == YOKE_OK) continue;
        char none[] = "";
        yk_net_line line = { none, later->at, 0 };
        for (int k = 0; k < r->lines && line.text == none; k++)
            if (r->line[k].at.line == later->at.line &&
                r->line[k].at.file == later->at.file)
                line.text = r->line[k].text;
        YK_TRY(yk_net_problem(r, &line, false, status, &why, err));
    }
    return yk_net_problems(r, err);
}

/* Models that have no device; the line is that of the model or of the element.
 */
static yoke_status check_models(yk_net_reader *r, yoke_err *err)
{
    for (int e = 0; e < r->net->elements; e++) {
        const yk_net_element *el = &r->net->element[e];
        yoke_err why = { YOKE_OK, "" };
        char text[] = ".model";
        const yoke_status status = yk_device_check(r->net, el, &why);
        if (status == YOKE_OK) continue;
        yk_net_line line = { text, el->at, 0 };
        if (status == YOKE_E_MISSING)
            line.at = r->net->model[el->model].at;
        else
            snprintf(text, sizeof text, "%c", el->kind);
        YK_TRY(yk_net_problem(r, &line, false, YOKE_E_ARG, &why, err));
    }
    return YOKE_OK;
}

/* ---- all of it ----------------------------------------------------------- */

static yoke_status prepare(yk_net_reader *r, yoke_err *err)
{
    yk_netlist *net = r->net;
    int ground;

    YK_TRY(YK_NEW(&r->name, YK_NET_NAME + 8, err));
    YK_TRY(YK_TAKE(&r->scratch, &r->top, 1, err));
    YK_TRY(YK_TAKE(&r->scratch, &r->root, 1, err));
    r->top->name = "";
    YK_TRY(yk_list_push(&r->scratch, &r->scopes, r->top, err));
    r->root->scope = r->top;
    r->root->prefix = "";
    r->root->multiplier = 1.0;
    r->temper = 27.0;
    YK_TRY(add_node(r, "0", (yk_net_place){ net->path, 1, 0 }, &ground, err));
    YK_TRY(YK_GROW(&net->instance, &r->instance_room, 1, err));
    net->instance[net->instances++] = (yk_net_instance){ .name = "" };
    return YOKE_OK;
}

static void free_reader(yk_net_reader *r)
{
    for (int i = 0; i < r->texts.count; i++) yk_free(r->texts.item[i]);
    for (int i = 0; i < r->scopes.count; i++) {
        yk_net_scope *s = r->scopes.item[i];
        yk_names_clear(&s->port_index);
        yk_names_clear(&s->subckt_index);
        yk_names_clear(&s->model_index);
        yk_names_clear(&s->func_index);
        yk_free(s->body);
    }
    if (r->root) yk_names_clear(&r->root->index);
    yk_names_clear(&r->globals);
    YK_FREE(r->line, r->word, r->later, r->level, r->name, r->number);
    yk_arena_clear(&r->problem_room);
    yk_arena_clear(&r->keep);
    yk_arena_clear(&r->scratch);
}

static void apply_sets(const yk_net_scope *top, int sets, yk_net_set *set)
{
    for (int k = 0; k < sets; k++)
        for (int i = 0; i < top->params.count; i++) {
            yk_net_slot *slot = top->params.item[i];
            if (strcmp(slot->name, set[k].name) != 0) continue;
            slot->value = set[k].value;
            slot->state = YK_NET_DONE;
            set[k].used = true;
        }
}

yoke_status yk_netlist_read(yk_netlist **out, const char *path,
                            const char *text, size_t length, yoke_err *err)
{
    return yk_netlist_read_set(out, path, text, length, 0, NULL, err);
}

yoke_status yk_netlist_read_set(yk_netlist **out, const char *path,
                                const char *text, size_t length, int sets,
                                yk_net_set *set, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_net_reader r = { .net = NULL };
    whole *w = NULL;

    YK_TRY(YK_NEW(&w, 1, err));
    r.net = &w->net;
    r.net->most = YK_NET_ELEMENTS;
    r.nodes = &w->nodes;
    r.elements = &w->elements;
    YK_GO(yk_net_load(&r, path, text, length, err));
    YK_GO(yk_net_parasitics(&r, err));
    YK_GO(yk_net_operators(&r, err));
    if (r.lost_file) YK_GO(yk_net_problems(&r, err));
    YK_GO(prepare(&r, err));
    status = yk_net_sort(&r, err);
    if (status != YOKE_OK && r.problems.count > 0) /* it follows from them */
        status = yk_net_problems(&r, err);
    YK_GO(status);
    apply_sets(r.top, sets, set);
    YK_GO(yk_net_expand(&r, err));
    YK_GO(check_models(&r, err));
    YK_GO(yk_net_problems(&r, err));
    YK_GO(yk_net_apply_alters(&r, err));
    YK_GO(resolve(&r, err));
    YK_GO(yk_net_add_probes(&r, err));
    YK_GO(resolve(&r, err));
    YK_GO(yk_net_finish(&r, err));
    YK_GO(yk_net_shunt_options(r.net, err));
done:
    free_reader(&r);
    if (status != YOKE_OK) {
        yk_netlist_free(&w->net);
        return status;
    }
    *out = &w->net;
    return YOKE_OK;
}

/* ---- a node split in two ------------------------------------------------- */

static yoke_status grow(yk_netlist *net, yoke_err *err)
{
    size_t nodes = (size_t)net->nodes, places = nodes;
    size_t elements = (size_t)net->elements;

    YK_TRY(YK_GROW(&net->node, &nodes, net->nodes + 1, err));
    YK_TRY(YK_GROW(&net->node_at, &places, net->nodes + 1, err));
    return YK_GROW(&net->element, &elements, net->elements + 1, err);
}

/* "head NAME .cut" */
static yoke_status make_name(yk_netlist *net, const char *head,
                             const char *name, const char **out, yoke_err *err)
{
    return yk_arena_print(&net->arena, out, err, "%s%s.cut", head, name);
}

yoke_status yk_net_put_source(yk_netlist *net, int e, int *source,
                              yoke_err *err)
{
    whole *w = (whole *)net;
    yk_net_element made = { .kind = 'v',
                            .at = net->element[e].at,
                            .nodes = 2,
                            .model = -1,
                            .instance = net->element[e].instance };
    const char *node = NULL;

    YK_TRY(make_name(net, "", net->element[e].name, &node, err));
    YK_TRY(make_name(net, "v.", net->element[e].name, &made.name, err));
    if (yk_net_find_node(net, node) >= 0 ||
        yk_net_find_element(net, made.name) >= 0)
        return yk_net_fail(err, YOKE_E_FILE, made.at,
                           "%.80s is to be cut, but there is a node "
                           "\"%.80s\" or an element \"%.80s\" already",
                           net->element[e].name, node, made.name);
    YK_TRY(YK_TAKE(&net->arena, &made.node, 2, err));
    YK_TRY(YK_TAKE(&net->arena, &made.source, 1, err));
    made.source->has_dc = true;
    YK_TRY(grow(net, err));
    YK_TRY(yk_names_add(&w->nodes, node, net->nodes, err));
    YK_TRY(yk_names_add(&w->elements, made.name, net->elements, err));
    net->node[net->nodes] = node;
    net->node_at[net->nodes] = made.at;
    made.node[0] = net->element[e].node[0];
    made.node[1] = net->element[e].node[0] = net->nodes++;
    *source = net->elements;
    net->element[net->elements++] = made;
    return YOKE_OK;
}

yoke_status yk_net_room_for(yk_netlist *net, int more, yoke_err *err)
{
    size_t room = (size_t)net->elements;

    return YK_GROW(&net->element, &room, (size_t)net->elements + (size_t)more,
                   err);
}

yoke_status yk_net_put_element(yk_netlist *net, const yk_net_element *e,
                               yoke_err *err)
{
    whole *w = (whole *)net;

    if (yk_net_find_element(net, e->name) >= 0)
        return yk_net_fail(err, YOKE_E_ARG, e->at,
                           "there is an element \"%.80s\" already", e->name);
    YK_TRY(yk_names_add(&w->elements, e->name, net->elements, err));
    net->element[net->elements++] = *e;
    return YOKE_OK;
}

void yk_netlist_free(yk_netlist *netlist)
{
    whole *w = (whole *)netlist;

    if (!netlist) return;
    yk_names_clear(&w->nodes);
    yk_names_clear(&w->elements);
    YK_FREE(netlist->node, netlist->node_at, netlist->element, netlist->model,
            netlist->instance);
    yk_arena_clear(&netlist->arena);
    yk_compiled_free(netlist->compiled);
    yk_free(netlist);
}
