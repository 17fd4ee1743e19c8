/* comp/netlist/read/subckt.c -- scopes, and the expansion of X lines.
 *
 * A scope is what stands between .subckt and .ends, or the top.  Expansion
 * reads the lines of a scope again for each instance; memory grows with the
 * result only.
 */
#include "base/text.h"
#include "comp/netlist/read/read.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- sorting the lines into scopes --------------------------------------- */

static bool starts(const char *text, const char *word)
{
    const size_t n = strlen(word);

    return strncmp(text, word, n) == 0 &&
           (text[n] == '\0' || isspace((unsigned char)text[n]));
}

static yoke_status copy_word(yk_net_reader *r, const yk_net_word *w,
                             const char **out, yoke_err *err)
{
    return yk_net_copy(&r->scratch, out, w->text, w->length, err);
}

/* Words from 2 on are ports up to `params:` or the first `name =`. */
static yoke_status read_ports(yk_net_reader *r, yk_net_scope *scope, int *next,
                              yoke_err *err)
{
    yk_list ports = { 0 };
    int k = 2;

    for (; k < r->words; k++) {
        const char *name;
        if (yk_net_is(&r->word[k], "params:")) break;
        if (k + 1 < r->words && r->word[k + 1].kind == YK_EQUALS) break;
        if (r->word[k].kind == YK_COMMA || r->word[k].kind == YK_OPEN ||
            r->word[k].kind == YK_CLOSE)
            continue;
        if (r->word[k].kind != YK_NET_WORD)
            return yk_net_fail(err, YOKE_E_ARG,
                               yk_net_at(r, scope->at, r->word[k].text),
                               "a port of \"%s\" is not a name", scope->name);
        YK_TRY(copy_word(r, &r->word[k], &name, err));
        if (yk_names_find(&scope->port_index, name) >= 0)
            return yk_net_fail(
                err, YOKE_E_ARG, yk_net_at(r, scope->at, r->word[k].text),
                "subcircuit \"%s\" has two ports \"%s\"", scope->name, name);
        YK_TRY(yk_names_add(&scope->port_index, name, ports.count, err));
        YK_TRY(yk_list_push(&r->scratch, &ports, (void *)name, err));
    }
    if (k < r->words && yk_net_is(&r->word[k], "params:")) k++;
    scope->ports = ports.count;
    scope->port = (const char **)ports.item;
    *next = k;
    return YOKE_OK;
}

static yoke_status begin_subckt(yk_net_reader *r, yk_net_scope **inside,
                                const yk_net_line *line, int depth,
                                yoke_err *err)
{
    yk_net_scope *scope = NULL, *parent = *inside;
    int next = 0;

    YK_TRY(yk_net_split(r, line->text, line->at, err));
    if (r->words < 2 || r->word[1].kind != YK_NET_WORD)
        return yk_net_fail(err, YOKE_E_ARG, line->at,
                           ".subckt needs a name and ports");
    if (depth >= YK_NET_DEPTH)
        return yk_net_fail(err, YOKE_E_ARG, line->at,
                           ".subckt is nested more than %d deep (is an .ends "
                           "missing?)",
                           YK_NET_DEPTH);
    YK_TRY(YK_TAKE(&r->scratch, &scope, 1, err));
    scope->parent = parent;
    scope->at = line->at;
    YK_TRY(yk_list_push(&r->scratch, &r->scopes, scope, err));
    YK_TRY(copy_word(r, &r->word[1], &scope->name, err));
    const int old = yk_names_find(&parent->subckt_index, scope->name);
    YK_TRY(read_ports(r, scope, &next, err));
    YK_TRY(yk_net_read_slots(r, &scope->params, next, line->at, err));
    scope->defaults = scope->params.count;
    *inside = scope;
    if (old >= 0) { /* as in ngspice the first one counts */
        const yk_net_scope *first = parent->subckts.item[old];
        return yk_net_warn(r->net, err, line->at,
                           "subcircuit \"%.80s\" is ignored, it is defined at "
                           "%.200s:%d",
                           scope->name, first->at.file, first->at.line);
    }
    YK_TRY(yk_list_push(&r->scratch, &parent->subckts, scope, err));
    return yk_names_add(&parent->subckt_index, scope->name,
                        parent->subckts.count - 1, err);
}

static yoke_status end_subckt(yk_net_reader *r, yk_net_scope **inside,
                              const yk_net_line *line, yoke_err *err)
{
    yk_net_scope *scope = *inside;

    YK_TRY(yk_net_split(r, line->text, line->at, err));
    if (!scope->parent)
        return yk_net_fail(err, YOKE_E_ARG, line->at, ".ends without .subckt");
    *inside = scope->parent;
    if (r->words < 2 || yk_net_is(&r->word[1], scope->name)) return YOKE_OK;
    return yk_net_warn(r->net, err, line->at,
                       ".ends %.*s ends \"%.80s\" of line %d",
                       r->word[1].length > 80 ? 80 : r->word[1].length,
                       r->word[1].text, scope->name, scope->at.line);
}

/* True if some value is not a plain number, so that it may depend on the
 * parameters of an instance. */
static bool has_expressions(const yk_net_reader *r)
{
    for (int k = 3; k < r->words; k++) {
        const yk_net_word *w = &r->word[k];
        int used;
        if (w->kind == YK_BRACED) return true;
        if (w->kind != YK_NET_WORD || r->word[k - 1].kind != YK_EQUALS)
            continue;
        yk_net_number(w->text, w->length, &used);
        if (used == 0) return true;
    }
    return false;
}

static yoke_status sort_model(yk_net_reader *r, yk_net_scope *scope,
                              const yk_net_line *line, bool conditional,
                              yoke_err *err)
{
    /* conditional ones are chosen inside instances */
    yk_arena *arena = conditional ? &r->keep : &r->scratch;
    yk_net_model_line *m = NULL;

    YK_TRY(yk_net_split(r, line->text, line->at, err));
    if (r->words < 3 || r->word[1].kind != YK_NET_WORD ||
        r->word[2].kind != YK_NET_WORD)
        return yk_net_fail(err, YOKE_E_ARG, line->at,
                           ".model needs a name and a type");
    YK_TRY(YK_TAKE(arena, &m, 1, err));
    YK_TRY(
        yk_net_copy(arena, &m->name, r->word[1].text, r->word[1].length, err));
    m->line = (int)(line - r->line);
    m->made = m->made_in = -1;
    m->has_params = has_expressions(r) && scope->parent;
    const int old = yk_names_find(&scope->model_index, m->name);
    yk_net_model_line *first = old >= 0 ? scope->models.item[old] : NULL;
    m->conditional = conditional;
    if (first && first->conditional && (first->off || !conditional)) {
        *first = *m; /* that of another branch or instance */
        return YOKE_OK;
    }
    if (first) {
        return yk_net_warn(r->net, err, line->at,
                           "model \"%.80s\" is ignored, it is defined at "
                           "%.200s:%d",
                           m->name, r->line[first->line].at.file,
                           r->line[first->line].at.line);
    }
    YK_TRY(yk_list_push(arena, &scope->models, m, err));
    return yk_names_add(&scope->model_index, m->name, scope->models.count - 1,
                        err);
}

/* .param name = value ..., or name(x) = expression, which is a function. */
static yoke_status sort_param(yk_net_reader *r, yk_net_scope *scope,
                              const yk_net_line *line, yoke_err *err)
{
    YK_TRY(yk_net_split(r, line->text, line->at, err));
    if (r->words > 2 && r->word[2].kind == YK_OPEN)
        return yk_net_read_func(r, scope, line, err);
    return yk_net_read_slots(r, &scope->params, 1, line->at, err);
}

/* `.step param r list 1k 2k`, `.step dec param r 1 1k 5`: its first value, which
 * .param overrides wherever it stands. */
static yoke_status sort_step(yk_net_reader *r, yk_net_scope *scope,
                             const yk_net_line *line, yoke_err *err)
{
    yk_list *params = &scope->params;
    yk_net_slot *slot = NULL;
    int k = 1;

    YK_TRY(yk_net_split(r, line->text, line->at, err));
    while (k < r->words && !yk_net_is(&r->word[k], "param")) k++;
    const int value =
        k + 2 + (k + 2 < r->words && yk_net_is(&r->word[k + 2], "list"));
    if (value >= r->words) return YOKE_OK;
    YK_TRY(YK_TAKE(&r->scratch, &slot, 1, err));
    YK_TRY(copy_word(r, &r->word[k + 1], &slot->name, err));
    slot->at = line->at;
    slot->text = r->word[value].text;
    slot->length = r->word[value].length;
    YK_TRY(yk_list_push(&r->scratch, params, slot, err));
    memmove(params->item + 1, params->item,
            (size_t)(params->count - 1) * sizeof *params->item);
    params->item[0] = slot;
    return YOKE_OK;
}

static yoke_status sort_func(yk_net_reader *r, yk_net_scope *scope,
                             const yk_net_line *line, yoke_err *err)
{
    YK_TRY(yk_net_split(r, line->text, line->at, err));
    return yk_net_read_func(r, scope, line, err);
}

static yoke_status sort_global(yk_net_reader *r, const yk_net_line *line,
                               yoke_err *err)
{
    YK_TRY(yk_net_split(r, line->text, line->at, err));
    for (int k = 1; k < r->words; k++) {
        const char *name;
        if (r->word[k].kind != YK_NET_WORD) continue;
        YK_TRY(copy_word(r, &r->word[k], &name, err));
        YK_TRY(yk_names_add(&r->globals, name, 1, err));
    }
    return YOKE_OK;
}

static yoke_status add_body(yk_net_scope *scope, int line, yoke_err *err)
{
    if ((size_t)scope->bodies == scope->body_room)
        YK_TRY(
            YK_GROW(&scope->body, &scope->body_room, scope->bodies + 1, err));
    scope->body[scope->bodies++] = line;
    return YOKE_OK;
}

/* Lines that hold for all of a scope or netlist. */
static bool is_of_scope(const char *text)
{
    static const char *const words[] = { ".subckt", ".param",  ".params",
                                         ".func",   ".global", ".options",
                                         ".option", ".opt",    ".temp",
                                         NULL };

    for (int k = 0; words[k]; k++)
        if (starts(text, words[k])) return true;
    return false;
}

static yoke_status sort_line(yk_net_reader *r, yk_net_scope **inside, int k,
                             int *depth, yoke_err *err)
{
    const yk_net_line *line = &r->line[k];
    const char *text = line->text;
    yk_net_scope *scope = *inside;

    if (text[0] != '.') return add_body(scope, k, err);
    if (yk_net_is_condition(text)) {
        YK_TRY(yk_net_sort_condition(scope, line, err));
        return add_body(scope, k, err);
    }
    if (starts(text, ".model") && scope->ifs > 0) {
        scope->has_choice = true;
        return add_body(scope, k, err);
    }
    if (is_of_scope(text)) YK_TRY(yk_net_refuse_condition(scope, line, err));
    if (starts(text, ".subckt"))
        return begin_subckt(r, inside, line, (*depth)++, err);
    if (starts(text, ".ends")) {
        YK_TRY(yk_net_check_conditions(scope, err));
        --*depth;
        return end_subckt(r, inside, line, err);
    }
    if (starts(text, ".model")) return sort_model(r, scope, line, false, err);
    if (starts(text, ".param") || starts(text, ".params"))
        return sort_param(r, scope, line, err);
    if (starts(text, ".func")) return sort_func(r, scope, line, err);
    if (starts(text, ".global")) return sort_global(r, line, err);
    if (starts(text, ".step") && scope == r->top)
        YK_TRY(sort_step(r, scope, line, err));
    return add_body(scope, k, err);
}

static yoke_status try_sort(yk_net_reader *r, yk_net_scope **inside, int k,
                            int *depth, yoke_err *err)
{
    yoke_err why = { YOKE_OK, "" };
    const yoke_status status = sort_line(r, inside, k, depth, &why);

    return yk_net_problem(r, &r->line[k], false, status, &why, err);
}

yoke_status yk_net_sort(yk_net_reader *r, yoke_err *err)
{
    yk_net_scope *inside = r->top;
    bool control = false;
    int depth = 0;

    for (int k = 0; k < r->lines; k++) {
        const char *text = r->line[k].text;
        if (starts(text, ".control")) control = true;
        if (control) /* .func and the like mean nothing there */
            YK_TRY(add_body(r->top, k, err));
        else
            YK_TRY(try_sort(r, &inside, k, &depth, err));
        if (starts(text, ".endc")) control = false;
    }
    if (inside->parent)
        return yk_net_fail(err, YOKE_E_ARG, inside->at,
                           "subcircuit \"%s\" has no .ends", inside->name);
    return yk_net_check_conditions(inside, err);
}

/* ---- expansion ----------------------------------------------------------- */

static yoke_status expand_scope(yk_net_reader *r, yk_net_env *env,
                                yoke_err *err);

static yoke_status refuse_recursion(yk_net_reader *r, const yk_net_env *env,
                                    const char *name, yk_net_place at,
                                    yoke_err *err)
{
    char chain[400];

    (void)r;
    snprintf(chain, sizeof chain, "%.80s", name);
    for (const yk_net_env *k = env; k && k->parent; k = k->parent) {
        yk_append(chain, sizeof chain, " in %.80s", k->scope->name);
        if (strcmp(k->scope->name, name) == 0) break;
    }
    return yk_net_fail(err, YOKE_E_ARG, at,
                       "the subcircuit contains itself: %s", chain);
}

static yk_net_scope *find_subckt(const yk_net_env *env, const char *name)
{
    for (const yk_net_scope *s = env->scope; s; s = s->parent) {
        const int i = yk_names_find(&s->subckt_index, name);
        if (i >= 0) return s->subckts.item[i];
    }
    return NULL;
}

static yoke_status unknown_subckt(const yk_net_env *env, const char *name,
                                  yk_net_place at, yoke_err *err)
{
    char room[100];
    yk_net_near near = { .wanted = name };

    for (const yk_net_scope *s = env->scope; s; s = s->parent)
        for (int i = 0; i < s->subckts.count; i++)
            yk_net_near_try(&near, ((yk_net_scope *)s->subckts.item[i])->name);
    const char *hint = yk_net_near_text(&near, room, sizeof room);
    return yk_net_fail(err, YOKE_E_ARG, at, "there is no subcircuit \"%s\"%s",
                       name,
                       *hint ? hint
                             : " (.subckt declares one, .include FILE reads "
                               "those of a file)");
}

/* The last word before `params:` or `name =` is the subcircuit. */
static int find_name_word(const yk_net_reader *r, int *params)
{
    int k = 1, last = -1;

    for (; k < r->words; k++) {
        if (yk_net_is(&r->word[k], "params:")) break;
        if (k + 1 < r->words && r->word[k + 1].kind == YK_EQUALS) break;
        if (r->word[k].kind == YK_NET_WORD) last = k;
    }
    *params = k < r->words && yk_net_is(&r->word[k], "params:") ? k + 1 : k;
    return last;
}

static yoke_status connect_ports(yk_net_reader *r, yk_net_env *outer,
                                 yk_net_env *env, int name_word,
                                 yk_net_place at, yoke_err *err)
{
    const yk_net_scope *scope = env->scope;
    int count = 0;

    YK_TRY(YK_TAKE(&r->net->arena, &env->port, scope->ports, err));
    for (int k = 1; k < name_word; k++) {
        const yk_net_word *w = &r->word[k];
        if (w->kind == YK_COMMA || w->kind == YK_OPEN || w->kind == YK_CLOSE)
            continue;
        if (w->kind != YK_NET_WORD)
            return yk_net_fail(err, YOKE_E_ARG, yk_net_at(r, at, w->text),
                               "\"%.*s\" is not a name of a node", w->length,
                               w->text);
        if (count < scope->ports)
            YK_TRY(yk_net_node(r, outer, w->text, w->length, at,
                               &env->port[count], err));
        count++;
    }
    if (count != scope->ports)
        return yk_net_fail(err, YOKE_E_ARG,
                           yk_net_at(r, at, r->word[name_word].text),
                           "subcircuit \"%s\" has %d ports, the line %d nodes",
                           scope->name, scope->ports, count);
    return YOKE_OK;
}

/* One that the head does not declare is a mistake if it is nearly one of those
 * that it does; LTspice takes any other. */
static yoke_status unknown_param(yk_net_reader *r, const yk_net_scope *scope,
                                 const char *name, yk_net_place at,
                                 yoke_err *err)
{
    char room[100];
    yk_net_near near = { .wanted = name };

    for (int i = 0; i < scope->defaults; i++)
        yk_net_near_try(&near, ((yk_net_slot *)scope->params.item[i])->name);
    if (!yk_net_near_text(&near, room, sizeof room)[0])
        return yk_net_warn(
            r->net, err, at,
            "subcircuit \"%s\" does not declare the parameter \"%s\"; "
            "the value is used all the same",
            scope->name, name);
    return yk_net_fail(err, YOKE_E_ARG, at,
                       "subcircuit \"%s\" has no parameter \"%s\"%s",
                       scope->name, name, room);
}

yoke_status yk_net_warn_of_m(yk_net_reader *r, yk_net_place at, yoke_err *err)
{
    if (r->warned_of_m) return YOKE_OK;
    r->warned_of_m = true;
    return yk_net_warn(r->net, err, at,
                       "m of an instance multiplies m and the currents inside "
                       "it; ngspice 39 forgets the inner m and leaves out b "
                       "sources");
}

/* Where `name = value` of an X line stands: its value is known. */
static yk_net_place name_at(const yk_net_reader *r, yk_net_place at,
                            const yk_net_slot *slot)
{
    for (int k = 0; k + 2 < r->words; k++)
        if (r->word[k].kind == YK_NET_WORD &&
            yk_net_is(&r->word[k], slot->name))
            return yk_net_at(r, at, r->word[k].text);
    return at;
}

/* Defaults, .param of the body, then what the X line says, which wins. */
static yoke_status make_slots(yk_net_reader *r, yk_net_env *outer,
                              yk_net_env *env, int first, yk_net_place at,
                              yoke_err *err)
{
    const yk_net_scope *scope = env->scope;
    const int own = scope->params.count;
    yk_list given = { 0 };

    YK_TRY(yk_net_read_slots(r, &given, first, at, err));
    YK_TRY(YK_TAKE(&r->scratch, &env->slot, own + given.count, err));
    for (int i = 0; i < own; i++) {
        env->slot[i] = *(const yk_net_slot *)scope->params.item[i];
        env->slot[i].env = env;
    }
    env->slots = own;
    for (int i = 0; i < given.count; i++) {
        const yk_net_slot *slot = given.item[i];
        int k = 0;
        while (k < scope->defaults &&
               strcmp(env->slot[k].name, slot->name) != 0)
            k++;
        if (k == scope->defaults && strcmp(slot->name, "m") == 0) {
            double m;
            YK_TRY(yk_net_constant(r, outer, slot->text, slot->length, at, &m,
                                   err));
            if (env->multiplier != 1.0 && m != 1.0)
                YK_TRY(yk_net_warn_of_m(r, at, err));
            env->multiplier *= m;
            continue;
        }
        if (k == scope->defaults)
            YK_TRY(
                unknown_param(r, scope, slot->name, name_at(r, at, slot), err));
        env->slot[env->slots] = *slot;
        env->slot[env->slots++].env = outer;
    }
    return YOKE_OK;
}

static yoke_status add_instance(yk_net_reader *r, yk_net_env *outer,
                                yk_net_env *env, yoke_err *err)
{
    yk_netlist *net = r->net;

    YK_TRY(YK_GROW(&net->instance, &r->instance_room, net->instances + 1, err));
    env->instance = net->instances;
    net->instance[net->instances++] =
        (yk_net_instance){ .name = env->prefix,
                           .parent = outer->instance,
                           .ports = env->scope->ports,
                           .port = env->port };
    return YOKE_OK;
}

static yoke_status instance_name(yk_net_reader *r, const yk_net_env *outer,
                                 const char **out, yk_net_place at,
                                 yoke_err *err)
{
    const yk_net_word *w = &r->word[0];
    const size_t before = strlen(outer->prefix);
    const char *name = NULL;

    if (before + (size_t)w->length + 1 > YK_NET_NAME)
        return yk_net_fail(err, YOKE_E_ARG, at,
                           "the name of the instance is too long");
    YK_TRY(yk_arena_print(&r->net->arena, &name, err, "%s%s%.*s", outer->prefix,
                          before ? "." : "", w->length, w->text));
    *out = name;
    return YOKE_OK;
}

static yoke_status check_subckt(yk_net_reader *r, const yk_net_env *outer,
                                yk_net_scope **scope, int name_word,
                                yk_net_place at, yoke_err *err)
{
    const char *name;

    if (name_word < 1)
        return yk_net_fail(err, YOKE_E_ARG, at, "the line names no subcircuit");
    YK_TRY(copy_word(r, &r->word[name_word], &name, err));
    *scope = find_subckt(outer, name);
    const char *word = r->word[name_word].text;
    if (!*scope)
        return unknown_subckt(outer, name, yk_net_at(r, at, word), err);
    if ((*scope)->busy)
        return refuse_recursion(r, outer, name, yk_net_at(r, at, word), err);
    if (r->depth >= YK_NET_DEPTH)
        return yk_net_fail(err, YOKE_E_ARG, at,
                           "subcircuits are nested more than %d deep",
                           YK_NET_DEPTH);
    return yk_net_may_grow(r->net, at, err);
}

static yoke_status instance_line(yk_net_reader *r, yk_net_env *outer,
                                 const yk_net_line *line, yoke_err *err)
{
    const yk_arena_mark mark = yk_arena_now(&r->scratch);
    yk_net_env env = { .parent = outer, .multiplier = outer->multiplier };
    yk_net_scope *scope = NULL;
    int params;
    const int name_word = find_name_word(r, &params);

    YK_TRY(check_subckt(r, outer, &scope, name_word, line->at, err));
    env.scope = scope;
    YK_TRY(instance_name(r, outer, &env.prefix, line->at, err));
    YK_TRY(connect_ports(r, outer, &env, name_word, line->at, err));
    YK_TRY(make_slots(r, outer, &env, params, line->at, err));
    YK_TRY(add_instance(r, outer, &env, err));
    if (yk_names_find(r->elements, env.prefix) != -1)
        return yk_net_fail(err, YOKE_E_ARG, line->at,
                           "\"%s\" is used twice as a name", env.prefix);
    YK_TRY(yk_names_add(r->elements, env.prefix, -2 - env.instance, err));
    scope->busy = true;
    r->depth++;
    YK_TRY(expand_scope(r, &env, err));
    r->depth--;
    scope->busy = false;
    yk_arena_release(&r->scratch, mark);
    return YOKE_OK;
}

static yoke_status expand_line(yk_net_reader *r, yk_net_env *env, int k,
                               bool *control, yoke_err *err)
{
    const yk_net_line *line = &r->line[k];
    const char *text = line->text;

    if (starts(text, ".control")) *control = true;
    if (*control) {
        if (starts(text, ".endc")) *control = false;
        return yk_net_control(r, env, line, err);
    }
    if (text[0] == '*') return yk_net_hint_line(r, env, line, err);
    YK_TRY(yk_net_split(r, text, line->at, err));
    if (starts(text, ".model")) return YOKE_OK;
    if (text[0] == '.') return yk_net_command(r, env, line, err);
    if (text[0] == 'x') return instance_line(r, env, line, err);
    return yk_net_element_line(r, env, line, err);
}

/* A line that cannot be read does not stop the others. */
static yoke_status try_line(yk_net_reader *r, yk_net_env *env, int k,
                            bool *control, yoke_err *err)
{
    yoke_err why = { YOKE_OK, "" };
    const bool in_control = *control;
    const yoke_status status = expand_line(r, env, k, control, &why);

    return yk_net_problem(r, &r->line[k], in_control, status, &why, err);
}

/* The models whose conditions hold in this instance. */
static yoke_status choose_models(yk_net_reader *r, yk_net_env *env,
                                 yoke_err *err)
{
    yk_net_branches branches = { .depth = 0 };
    yk_net_scope *scope = env->scope;

    for (int i = 0; i < scope->models.count; i++) {
        yk_net_model_line *m = scope->models.item[i];
        m->off = m->conditional;
    }
    for (int i = 0; i < scope->bodies; i++) {
        const yk_net_line *line = &r->line[scope->body[i]];
        if (yk_net_is_condition(line->text))
            YK_TRY(yk_net_condition(r, env, line, &branches, err));
        else if (yk_net_active(&branches) && starts(line->text, ".model"))
            YK_TRY(sort_model(r, scope, line, true, err));
    }
    return YOKE_OK;
}

static yoke_status expand_scope(yk_net_reader *r, yk_net_env *env,
                                yoke_err *err)
{
    yk_net_branches branches = { .depth = 0 };
    bool control = false;

    if (env->scope->has_choice) YK_TRY(choose_models(r, env, err));
    for (int i = 0; i < env->scope->bodies; i++) {
        const yk_net_line *line = &r->line[env->scope->body[i]];
        if (!control && yk_net_is_condition(line->text))
            YK_TRY(yk_net_condition(r, env, line, &branches, err));
        else if (yk_net_active(&branches))
            YK_TRY(try_line(r, env, env->scope->body[i], &control, err));
    }
    return YOKE_OK;
}

yoke_status yk_net_expand(yk_net_reader *r, yoke_err *err)
{
    yk_net_env *env = r->root;
    const yk_net_scope *top = r->top;

    YK_TRY(YK_TAKE(&r->scratch, &env->slot, top->params.count, err));
    for (int i = 0; i < top->params.count; i++) {
        env->slot[i] = *(const yk_net_slot *)top->params.item[i];
        env->slot[i].env = env;
        YK_TRY(yk_names_add(&env->index, env->slot[i].name, i, err));
    }
    env->slots = top->params.count;
    YK_TRY(yk_net_options(r, env, err));
    return expand_scope(r, env, err);
}
