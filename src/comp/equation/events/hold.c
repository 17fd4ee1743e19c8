/* comp/equation/events/hold.c -- relations that are held between events.
 *
 * The value of a relation such as x > 0 jumps; a solver must not step across.
 * So it is held: a variable r has its value, the equations read r, and events
 * change it where x - 0 changes its sign.  Each relation is watched by itself,
 * and `and`, `or`, `not` and `if` combine what is held.  floor(x), of which
 * ceil, integer, mod, div and rem are made, is held in the same way.
 *
 * max(a, b), min(a, b), abs(x) and tables have kinks: which branch counts is
 * held in the same way, and the branch is continued beyond its end.  Since they
 * are continuous nothing is lost by a little too late, so these relations are
 * of their own kind (`kink`).  What depends on time alone has breakpoints
 * instead, and what has too many kinks is left to the error test of the steps,
 * as are those that keep a root, a logarithm or a divisor where it is defined:
 * sqrt(max(0, x)) has no branch that could be continued.
 *
 * Relations and kinks in functions and in noEvent are what they are at every
 * moment, and no events in the sense of the language.  But a step across them is as wrong as any
 * other, so they are watched: steps end there, and nothing is held.
 *
 * A relation of variables that change at events only is no event: it is
 * computed there.
 *
 * One sweep over all nodes from the last to the first hands down what uses
 * them: does it matter that a value becomes true, or false?  A relation that
 * only occurs in the condition of a when, not under `not`, matters if it
 * becomes true; that it becomes false again needs no event.
 *
 * Reference: Modelica language specification 3.6, sections 3.7.3 and 8.5.
 */
#include "base/text.h"
#include "comp/equation/front/translate.h"
#include "expr/policy.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    UP = 1,
    DOWN = 2,
    BOTH = 3,
    RULE = 4, /* part of a condition, or of an equation of discrete variables */
    FRAGILE = 8, /* under a function that is not defined everywhere */
    MOST_COMPARED = 300
};

typedef struct finder {
    yk_translator *t;
    yk_flat *flat;
    unsigned char *use;  /* of each node */
    bool *moves;         /* depends on time, or on what is not discrete */
    bool *open;          /* depends on unknowns or inputs */
    bool *rates;         /* depends on der(x) */
    unsigned char *loop; /* the loops it depends on */
    int *owner;          /* an equation it occurs in, plus one */
    int nodes;           /* as the front end left them */
    int kinks;           /* held so far */
} finder;

static bool is_held_here(const yk_translator *t, const yk_value *v)
{
    return v->kind == YK_VALUE_NODE && !t->initial && !t->constant &&
           (!(t->quiet & YK_EVEN) || t->condition) &&
           (!t->in_when || t->condition);
}

/* Nothing is held, but steps end there. */
static bool is_only_watched(const yk_translator *t)
{
    return yk_in_function(t) || (t->quiet && !t->condition);
}

/* A node that is not used yet: what is held is read there. */
static yoke_status add_spare(yk_translator *t, int *node)
{
    const yk_flat_node spare = {
        .op = YK_OP_NUMBER, .a = -1, .b = -1, .c = -1, .variable = -1
    };

    return yk_flat_add_node(t->flat, &spare, node, t->err);
}

yoke_status yk_eq_hold_relation(yk_translator *t, yk_place at, int sign,
                                yk_value *v)
{
    yk_flat_node n = { .op = YK_OP_HOLD,
                       .a = v->node,
                       .b = -1,
                       .c = -1,
                       .number = at.line,
                       .variable = sign,
                       .place = { is_only_watched(t) ? YK_WATCHED : 0 } };

    if (!is_held_here(t, v)) return YOKE_OK;
    if (is_only_watched(t)) YK_TRY(add_spare(t, &n.b));
    return yk_flat_add_node(t->flat, &n, &v->node, t->err);
}

static bool has_kink(yk_op op)
{
    return op == YK_OP_MAX || op == YK_OP_MIN || op == YK_OP_ABS ||
           op == YK_OP_INTERPOLATE;
}

yoke_status yk_eq_hold_all(yk_translator *t, yk_place at, int node, int *out)
{
    yk_flat_node n = t->flat->node[node];

    *out = node;
    if (n.op == YK_OP_AND || n.op == YK_OP_OR || n.op == YK_OP_NOT) {
        YK_TRY(yk_enter(t, at));
        YK_TRY(yk_eq_hold_all(t, at, n.a, &n.a));
        if (n.b >= 0) YK_TRY(yk_eq_hold_all(t, at, n.b, &n.b));
        t->depth--;
        return yk_flat_add_node(t->flat, &n, out, t->err);
    }
    if (n.op == YK_OP_HOLD && n.place[0] == YK_WATCHED &&
        !has_kink(t->flat->node[n.a].op)) {
        n.place[0] = 0;
        n.b = -1;
        return yk_flat_add_node(t->flat, &n, out, t->err);
    }
    return YOKE_OK;
}

yoke_status yk_eq_hold_kink(yk_translator *t, yk_place at, yk_value *v)
{
    yk_flat_node n = { .op = YK_OP_HOLD,
                       .a = v->node,
                       .c = -1,
                       .number = at.line,
                       .place = { is_only_watched(t) ? YK_WATCHED : 0 } };

    if (!is_held_here(t, v) || !has_kink(t->flat->node[v->node].op))
        return YOKE_OK;
    YK_TRY(add_spare(t, &n.b));
    return yk_flat_add_node(t->flat, &n, &v->node, t->err);
}

/* ---- The text of a relation ---------------------------------------------- */

static void put(char *text, size_t size, const char *more)
{
    yk_append(text, size, "%s", more);
}

static void write_reference(const yk_flat *flat, const yk_flat_node *n,
                            char *text, size_t size)
{
    const yk_flat_variable *v = &flat->variable[n->variable];
    char place[24] = "";
    bool loops = false;

    for (int k = 1; k <= YK_FLAT_LOOPS; k++) loops = loops || n->place[k] != 0;
    put(text, size, n->op == YK_OP_DER ? "der(" : "");
    put(text, size, v->name[0] ? v->name : "...");
    if (v->dims && (loops || v->dims > 1))
        put(text, size, "[...]");
    else if (v->dims)
        snprintf(place, sizeof place, "[%d]", n->place[0] + 1);
    put(text, size, place);
    put(text, size, n->op == YK_OP_DER ? ")" : "");
}

static void write_node(const yk_flat *flat, int node, int depth, char *text,
                       size_t size)
{
    static const char *const sign[] = { " + ", " - ", "*", "/", "^" };
    const yk_flat_node *n = &flat->node[node];
    char number[32] = "...";
    const bool sum = n->op == YK_OP_ADD || n->op == YK_OP_SUBTRACT;

    if (depth > 6 || strlen(text) + 8 > size) {
        put(text, size, "...");
    } else if (n->op == YK_OP_TIME) {
        put(text, size, "time");
    } else if (n->op == YK_OP_DER && n->a >= 0) {
        put(text, size, "der(...)");
    } else if (n->op == YK_OP_REFER || n->op == YK_OP_DER ||
               n->op == YK_OP_PRE) {
        write_reference(flat, n, text, size);
    } else if (n->op >= YK_OP_ADD && n->op <= YK_OP_POWER) {
        put(text, size, sum && depth > 1 ? "(" : "");
        write_node(flat, n->a, depth + 1, text, size);
        put(text, size, sign[n->op - YK_OP_ADD]);
        write_node(flat, n->b, depth + 1, text, size);
        put(text, size, sum && depth > 1 ? ")" : "");
    } else if (n->op == YK_OP_NEGATE) {
        put(text, size, "-");
        write_node(flat, n->a, depth + 1, text, size);
    } else {
        if (n->op == YK_OP_NUMBER)
            snprintf(number, sizeof number, "%g", n->number);
        put(text, size, number);
    }
}

/* max(a, b), floor(x), interpolate(table, x) */
static void write_call(const yk_flat *flat, const yk_flat_node *n, char *text,
                       size_t size)
{
    const bool table = n->op == YK_OP_INTERPOLATE;

    put(text, size,
        n->op == YK_OP_FLOOR ? "floor("
        : n->op == YK_OP_MAX ? "max("
        : n->op == YK_OP_MIN ? "min("
        : n->op == YK_OP_ABS ? "abs("
                             : "interpolate(");
    if (table) put(text, size, flat->variable[n->variable].name);
    if (table) put(text, size, ", ");
    write_node(flat, n->a, 0, text, n->b < 0 ? size - 8 : size / 2);
    if (n->b >= 0) put(text, size, ", ");
    if (n->b >= 0) write_node(flat, n->b, 0, text, size - 8);
    put(text, size, ")");
}

/* "m.mo:4: x > 0"; sign: as in the text, or 0 for a function. */
static yoke_status describe(const finder *f, const yk_flat_node *n, int sign,
                            int line, char **out)
{
    char text[160], expression[100] = "";
    const bool swap = sign == '>' || sign == 'g';
    const char *word = sign == '<'   ? " < "
                       : sign == 'l' ? " <= "
                       : sign == '>' ? " > "
                                     : " >= ";

    if (sign == 0) {
        write_call(f->flat, n, expression, sizeof expression);
    } else {
        write_node(f->flat, swap ? n->b : n->a, 1, expression,
                   sizeof expression / 2);
        put(expression, sizeof expression, word);
        write_node(f->flat, swap ? n->a : n->b, 1, expression,
                   sizeof expression - 8);
    }
    snprintf(text, sizeof text, "%.50s:%d: %s", f->flat->file, line,
             expression);
    return yk_copy_text(out, text, f->t->err);
}

/* ---- What nodes depend on ------------------------------------------------ */

static bool is_open(const yk_flat *flat, const yk_flat_node *n)
{
    return (n->op == YK_OP_REFER || n->op == YK_OP_PRE || n->op == YK_OP_DER) &&
           n->variable >= 0 && flat->variable[n->variable].kind < YK_FLAT_TABLE;
}

static bool moves_itself(const yk_flat *flat, const yk_flat_node *n)
{
    if (n->op == YK_OP_TIME || n->op == YK_OP_DER) return true;
    if (n->op != YK_OP_REFER && n->op != YK_OP_PRE) return false;
    const yk_flat_variable *v = &flat->variable[n->variable];
    return v->kind < YK_FLAT_TABLE && !v->is_discrete;
}

static bool has_children(const yk_flat_node *n)
{
    return n->op != YK_OP_NUMBER && n->op != YK_OP_TIME &&
           n->op != YK_OP_INDEX && n->op != YK_OP_REFER &&
           (n->op != YK_OP_DER || n->a >= 0) && n->op != YK_OP_PRE;
}

static bool is_kink(const yk_flat *flat, const yk_flat_node *n)
{
    return n->op == YK_OP_HOLD &&
           (n->place[0] == YK_WATCHED || has_kink(flat->node[n->a].op));
}

/* What is held does not move, except along a branch. */
static void find_dependence(finder *f)
{
    for (int i = 0; i < f->nodes; i++) {
        const yk_flat_node *n = &f->flat->node[i];
        const int child[3] = { n->a, n->b, n->c };
        f->moves[i] = moves_itself(f->flat, n);
        f->open[i] = is_open(f->flat, n);
        f->rates[i] = n->op == YK_OP_DER;
        if (n->op == YK_OP_INDEX) f->loop[i] = (unsigned char)(1u << n->a);
        if (n->op == YK_OP_REFER || n->op == YK_OP_DER || n->op == YK_OP_PRE)
            for (int k = 0; k < YK_FLAT_LOOPS; k++)
                if (n->place[k + 1]) f->loop[i] |= (unsigned char)(1u << k);
        for (int k = 0; k < 3 && has_children(n); k++) {
            if (child[k] < 0) continue;
            f->moves[i] = f->moves[i] || f->moves[child[k]];
            f->open[i] = f->open[i] || f->open[child[k]];
            f->rates[i] = f->rates[i] || f->rates[child[k]];
            f->loop[i] |= f->loop[child[k]];
        }
        if (n->op == YK_OP_HOLD && !is_kink(f->flat, n)) f->moves[i] = false;
    }
}

/* ---- Which matter -------------------------------------------------------- */

static void use(finder *f, int node, int how, int owner)
{
    f->use[node] |= (unsigned char)how;
    if (f->owner[node] == 0) f->owner[node] = owner;
}

static bool counts(const yk_flat_event *e)
{
    return e->actions > 0 || e->text;
}

/* Does it depend on pre() of what moves (1), and on what moves itself (2)? */
static int reads(const yk_flat *flat, int node)
{
    const yk_flat_node *n = &flat->node[node];
    const int child[3] = { n->a, n->b, n->c };
    int out = 0;

    if (moves_itself(flat, n)) return n->op == YK_OP_PRE ? 1 : 2;
    for (int k = 0; k < 3 && has_children(n); k++)
        if (child[k] >= 0) out |= reads(flat, child[k]);
    return out;
}

/* What a condition with values before reads is known at all times: v > 0 and
 * pre(v) < 0 must not become true where v falls. */
static int ways(const finder *f, const yk_flat_event *e)
{
    if (reads(f->flat, e->condition) & 1) return BOTH;
    return e->kind == YK_FLAT_WHEN ? UP : DOWN;
}

static void use_roots(finder *f)
{
    const yk_flat *flat = f->flat;

    for (int i = 0; i < flat->equations; i++) {
        use(f, flat->equation[i].left, BOTH, i + 1);
        use(f, flat->equation[i].right, BOTH, i + 1);
    }
    for (int i = 0; i < flat->events; i++) {
        const yk_flat_event *e = &flat->event[i];
        if (!counts(e)) continue;
        if (e->kind != YK_FLAT_ALWAYS)
            use(f, e->condition, RULE | ways(f, e), 0);
        for (int k = 0; k < e->actions; k++)
            use(f, e->action[k].value,
                e->kind == YK_FLAT_ALWAYS ? RULE | BOTH : BOTH, 0);
    }
}

/* Is the function not defined, or not finite, for all values of child k? */
static bool is_fragile(const yk_flat *flat, const yk_flat_node *n, int k)
{
    switch (n->op) {
    case YK_OP_SQRT:
    case YK_OP_LOG:
    case YK_OP_LOG10:
    case YK_OP_ASIN:
    case YK_OP_ACOS:
        return true;
    case YK_OP_DIVIDE:
        return k == 1;
    case YK_OP_POWER:
        return k == 0 && !(flat->node[n->b].op == YK_OP_NUMBER &&
                           flat->node[n->b].number > 0.0 &&
                           fmod(flat->node[n->b].number, 1.0) == 0.0);
    default:
        return false;
    }
}

static void hand_down(finder *f, int i)
{
    const yk_flat_node *n = &f->flat->node[i];
    const int child[3] = { n->a, n->b, n->c };
    int how = f->use[i];

    if (how == 0 || !has_children(n)) return;
    if (n->op == YK_OP_NOT)
        how = (how & RULE) | (how & UP ? DOWN : 0) | (how & DOWN ? UP : 0);
    else if (is_kink(f->flat, n))
        how = BOTH | (how & FRAGILE);
    else if (n->op == YK_OP_HOLD)
        how = BOTH;
    else if (n->op != YK_OP_AND && n->op != YK_OP_OR)
        how |= BOTH;
    for (int k = 0; k < 3; k++)
        if (child[k] >= 0)
            use(f, child[k], how | (is_fragile(f->flat, n, k) ? FRAGILE : 0),
                f->owner[i]);
}

/* ---- Variables for them ---------------------------------------------------
 */

static bool same_tree(const yk_flat *flat, int a, int b, int depth)
{
    const yk_flat_node *m = &flat->node[a], *n = &flat->node[b];
    const int left[3] = { m->a, m->b, m->c }, right[3] = { n->a, n->b, n->c };

    if (a == b) return true;
    if (depth > 20 || m->op != n->op || m->number != n->number ||
        memcmp(m->place, n->place, sizeof m->place) != 0)
        return false;
    if (m->op != YK_OP_HOLD && m->variable != n->variable) return false;
    if (!has_children(m)) return m->op != YK_OP_INDEX || m->a == n->a;
    for (int k = 0; k < 3; k++)
        if ((left[k] < 0) != (right[k] < 0) ||
            (left[k] >= 0 && !same_tree(flat, left[k], right[k], depth + 1)))
            return false;
    return true;
}

/* The same relation outside of loops, or NULL. */
static yk_flat_relation *find_same(const finder *f, const yk_flat_relation *own)
{
    const yk_flat *flat = f->flat;

    for (int i = 0; i < flat->relations && i < MOST_COMPARED; i++) {
        yk_flat_relation *r = &flat->relation[i];
        if (r->loops == 0 && r->kink == own->kink &&
            r->watched == own->watched && r->before == own->before &&
            same_tree(flat, r->node, own->node, 0))
            return r;
    }
    return NULL;
}

/* The loops of the equation, those that do not matter with one round; place of
 * the value in its variable, and how many there are. */
static yoke_status set_loops(const finder *f, int node, yk_flat_relation *r,
                             int place[YK_FLAT_LOOPS + 1], int *count)
{
    const int owner = f->owner[node] - 1;
    double stride = 1.0;

    memset(place, 0, (YK_FLAT_LOOPS + 1) * sizeof *place);
    *count = 1;
    if (!f->loop[node] || owner < 0) return YOKE_OK;
    const yk_flat_equation *e = &f->flat->equation[owner];
    r->loops = e->loops;
    for (int l = e->loops - 1; l >= 0; l--) {
        const bool used = f->loop[node] >> l & 1;
        const int last = e->first[l] + e->step[l] * (e->count[l] - 1);
        const int least = e->step[l] < 0 ? last : e->first[l];
        const int extent =
            (e->step[l] < 0 ? -e->step[l] : e->step[l]) * (e->count[l] - 1) + 1;
        r->count[l] = used ? e->count[l] : 1;
        r->first[l] = e->first[l];
        r->step[l] = e->step[l];
        if (!used) continue;
        place[l + 1] = (int)stride;
        place[0] -= (int)stride * least;
        stride *= extent;
        if (stride > INT_MAX / 64)
            return yk_fail(f->t->err, YOKE_E_MODEL, "%s:%d: too many relations",
                           f->flat->file, e->line);
    }
    *count = (int)stride;
    return YOKE_OK;
}

/* No branch is held at first. */
static void set_free(yk_flat *flat, int variable, int node)
{
    yk_flat_variable *v = &flat->variable[variable];
    const bool table = flat->node[node].op == YK_OP_INTERPOLATE;

    for (int i = 0; i < v->count; i++)
        v->value[i] = table ? YK_FREE_PLACE : YK_FREE_BRANCH;
}

static void refer(yk_flat_node *n, int variable, const int *place)
{
    *n = (yk_flat_node){
        .op = YK_OP_REFER, .a = -1, .b = -1, .c = -1, .variable = variable
    };
    memcpy(n->place, place, sizeof n->place);
}

static bool looks_back(const yk_flat *flat, int node)
{
    const yk_flat_node *n = &flat->node[node];
    const int child[3] = { n->a, n->b, n->c };
    bool any = n->op == YK_OP_PRE;

    for (int k = 0; k < 3 && has_children(n) && !any; k++)
        any = child[k] >= 0 && looks_back(flat, child[k]);
    return any;
}

/* A relation of values before, pre(v) < 0, is what v < 0 has been before; one of
 * both is no function of the present point. */
static yoke_status find_before(const finder *f, int node, int line, bool *out)
{
    const int how = reads(f->flat, node);

    *out = how == 1;
    if (how < 3) return YOKE_OK;
    return yk_fail(f->t->err, YOKE_E_MODEL,
                   "%s:%d: pre() of a variable that changes all the time is "
                   "compared with the present value of one, which no event can "
                   "watch; compare each with a value of its own, as in v > 0 "
                   "and pre(v) < 0, or keep the value in a discrete variable",
                   f->flat->file, line);
}

/* Node i holds `node`; `told`: for the text.  A reference to its value takes
 * the place of i, or of a spare node of a kink. */
static yoke_status make_relation(finder *f, int i, int node, int told, int sign,
                                 int line)
{
    const int how = f->use[i];
    const yk_flat_node own = f->flat->node[i];
    const bool kink = is_kink(f->flat, &own);
    const int at = kink ? own.b : i;
    yk_flat_relation r = { .node = node,
                           .refer = at,
                           .line = line,
                           .kink = kink,
                           .watched = kink && own.place[0] == YK_WATCHED,
                           .late = looks_back(f->flat, node),
                           .jumps =
                               kink && !has_kink(f->flat->node[own.a].op) };
    yk_flat_relation *same = f->loop[i] ? NULL : find_same(f, &r);
    int place[YK_FLAT_LOOPS + 1], count = 0, variable = 0;

    if (how & RULE) YK_TRY(find_before(f, node, line, &r.before));
    if (!same) {
        YK_TRY(set_loops(f, i, &r, place, &count));
        YK_TRY(yk_flat_add_held(f->flat, count, &variable, f->t->err));
        if (kink) set_free(f->flat, variable, node);
        YK_TRY(describe(f, &f->flat->node[told], sign, line, &r.text));
        YK_TRY(yk_flat_add_relation(f->flat, &r, f->t->err));
        same = &f->flat->relation[f->flat->relations - 1];
    } else {
        const yk_flat_node *n = &f->flat->node[same->refer];
        variable = n->variable;
        memcpy(place, n->place, sizeof place);
    }
    same->up = same->up || (how & UP) || r.before;
    same->down = same->down || (how & DOWN) || r.before ||
                 f->flat->node[node].op == YK_OP_FLOOR;
    refer(&f->flat->node[at], variable, place);
    if (r.before) f->flat->node[at].op = YK_OP_PRE;
    return YOKE_OK;
}

static bool is_worth_it(const finder *f, int i)
{
    const yk_flat_node *n = &f->flat->node[i];

    return n->op == YK_OP_HOLD && (f->use[i] & BOTH) && f->moves[n->a];
}

/* How many rounds of loops, from above. */
static double rounds_of(const finder *f, int i)
{
    const int owner = f->owner[i] - 1;
    double rounds = 1.0;

    if (!f->loop[i] || owner < 0) return rounds;
    for (int l = 0; l < f->flat->equation[owner].loops; l++)
        rounds *= f->flat->equation[owner].count[l];
    return rounds;
}

/* Which branch of max(a, b): b <= a; of min(a, b): a <= b; of abs(x): 0 <= x;
 * of a table: where. */
static yoke_status make_kink(finder *f, int i)
{
    const yk_flat_node hold = f->flat->node[i];
    const yk_flat_node n = f->flat->node[hold.a];
    const double rounds = rounds_of(f, i);
    yk_flat_node relation = { .op = YK_OP_LESS_EQUAL,
                              .a = n.op == YK_OP_MIN ? n.a : n.b,
                              .b = n.op == YK_OP_MIN ? n.b : n.a,
                              .c = -1,
                              .variable = -1 };
    const yk_flat_node zero = {
        .op = YK_OP_NUMBER, .a = -1, .b = -1, .c = -1, .variable = -1
    };
    int node = hold.a;

    if (!f->open[hold.a] || f->rates[hold.a] ||
        f->kinks + rounds > YK_EXPR_KINKS ||
        ((f->use[i] & FRAGILE) && hold.place[0] != YK_WATCHED))
        return YOKE_OK;
    f->kinks += (int)rounds;
    if (n.op == YK_OP_ABS)
        YK_TRY(yk_flat_add_node(f->flat, &zero, &relation.a, f->t->err));
    if (n.op == YK_OP_MAX || n.op == YK_OP_MIN || n.op == YK_OP_ABS)
        YK_TRY(yk_flat_add_node(f->flat, &relation, &node, f->t->err));
    return make_relation(f, i, node, hold.a, hold.variable, (int)hold.number);
}

/* A Boolean unknown or input b in a condition is the relation b > 1/2. */
static yoke_status watch_boolean(finder *f, int i)
{
    yk_flat_node n = { .op = YK_OP_NUMBER, .a = -1, .b = -1, .c = -1 };
    int half = 0, copy = 0, node = 0;

    n.number = 0.5;
    n.variable = -1;
    YK_TRY(yk_flat_add_node(f->flat, &n, &half, f->t->err));
    n = f->flat->node[i];
    YK_TRY(yk_flat_add_node(f->flat, &n, &copy, f->t->err));
    n = (yk_flat_node){
        .op = YK_OP_LESS, .a = half, .b = copy, .c = -1, .variable = -1
    };
    YK_TRY(yk_flat_add_node(f->flat, &n, &node, f->t->err));
    YK_TRY(make_relation(f, i, node, node, '>',
                         f->flat->variable[f->flat->node[copy].variable].line));
    f->moves[i] = false;
    return YOKE_OK;
}

static bool is_open_boolean(const yk_flat *flat, const yk_flat_node *n)
{
    if (n->op != YK_OP_REFER && n->op != YK_OP_PRE) return false;
    const yk_flat_variable *v = &flat->variable[n->variable];
    return v->kind < YK_FLAT_TABLE && v->is_boolean && !v->is_discrete;
}

static yoke_status resolve(finder *f)
{
    for (int i = f->nodes - 1; i >= 0; i--) {
        hand_down(f, i);
        if ((f->use[i] & RULE) && is_open_boolean(f->flat, &f->flat->node[i]))
            YK_TRY(watch_boolean(f, i));
    }
    for (int i = 0; i < f->nodes; i++) {
        const yk_flat_node n = f->flat->node[i];
        if (!is_worth_it(f, i)) continue;
        if (is_kink(f->flat, &n))
            YK_TRY(make_kink(f, i));
        else
            YK_TRY(make_relation(f, i, n.a, n.a, n.variable, (int)n.number));
    }
    return YOKE_OK;
}

/* ---- Conditions -----------------------------------------------------------
 */

static yoke_status refuse(const finder *f, int line, const char *text)
{
    return yk_fail(f->t->err, YOKE_E_MODEL, "%s:%d: %s", f->flat->file, line,
                   text);
}

static yoke_status check_condition(const finder *f, const yk_flat_event *e)
{
    const yk_flat_node *n = &f->flat->node[e->condition];

    if (f->moves[e->condition] && e->kind == YK_FLAT_ASSERT)
        return refuse(f, e->line,
                      "no event can watch this condition; write relations such "
                      "as x > 0");
    if (f->moves[e->condition])
        return refuse(f, e->line,
                      "what this condition depends on makes no event; write "
                      "relations such as x > 0 or time >= 1, outside of "
                      "functions");
    if (n->op == YK_OP_NUMBER)
        return refuse(f, e->line, "this condition never changes");
    return YOKE_OK;
}

/* An assertion of a function that no event can watch is noted, not checked. */
static yoke_status not_checked(const finder *f, yk_flat_event *e)
{
    const yk_value always = yk_number(1.0);

    YK_TRY(yk_to_node(f->t, &always, &e->condition));
    return yk_flat_note(f->flat, f->t->err,
                        "%s:%d: warning, not checked while the model runs: "
                        "%.200s",
                        f->flat->file, e->line, e->text);
}

static bool occurs(const yk_flat *flat, int node, yk_op op,
                   const struct yk_flat_action *of)
{
    const yk_flat_node *n = &flat->node[node];
    const int child[3] = { n->a, n->b, n->c };
    bool any =
        n->op == op && n->variable == of->variable && n->place[0] == of->place;

    for (int k = 0; k < 3 && has_children(n) && !any; k++)
        any = child[k] >= 0 && occurs(flat, child[k], op, of);
    return any;
}

/* By the language pre(v) follows before v > 0 and pre(v) < 0 is looked at again. */
static yoke_status note_reset(const finder *f, const yk_flat_event *e,
                              const struct yk_flat_action *a)
{
    const char *name = f->flat->variable[a->variable].name;

    if (a->memory || e->kind != YK_FLAT_WHEN || !counts(e) ||
        !occurs(f->flat, e->condition, YK_OP_PRE, a) ||
        !occurs(f->flat, e->condition, YK_OP_REFER, a))
        return YOKE_OK;
    return yk_flat_note(f->flat, f->t->err,
                        "%s:%d: warning, after reinit(%s, ...) pre(%s) is the "
                        "new value at once: what reinit does to %s is not seen "
                        "by comparing both",
                        f->flat->file, e->line, name, name, name);
}

static yoke_status note_resets(const finder *f)
{
    const yk_flat *flat = f->flat;

    for (int i = 0; i < flat->events; i++)
        for (int j = 0; j < flat->events; j++)
            for (int k = 0; k < flat->event[j].actions; k++)
                YK_TRY(
                    note_reset(f, &flat->event[i], &flat->event[j].action[k]));
    return YOKE_OK;
}

static yoke_status check_rules(const finder *f)
{
    for (int i = 0; i < f->flat->events; i++) {
        yk_flat_event *e = &f->flat->event[i];
        if (!counts(e)) continue;
        if (e->of_function && f->moves[e->condition]) {
            YK_TRY(not_checked(f, e));
            continue;
        }
        if (e->kind != YK_FLAT_ALWAYS) {
            YK_TRY(check_condition(f, e));
            continue;
        }
        for (int k = 0; k < e->actions; k++)
            if (f->moves[e->action[k].value])
                return refuse(f, e->line,
                              "a variable that changes at events only depends "
                              "on one that changes all the time");
    }
    return YOKE_OK;
}

yoke_status yk_finish_relations(yk_translator *t)
{
    yoke_status status = YOKE_OK;
    finder f = { .t = t, .flat = t->flat };

    for (int i = 0; i < t->symbol.count; i++) {
        const yk_symbol *s = t->symbol.item[i];
        if (s->variable < 0) continue;
        yk_flat_variable *v = &t->flat->variable[s->variable];
        v->is_discrete = s->by_event;
        v->is_boolean = s->shape.type == YK_TYPE_BOOLEAN;
    }
    YK_GO(yk_inline_actions(t->flat, t->err));
    f.nodes = t->flat->nodes;
    const size_t n = (size_t)f.nodes;
    YK_GO(YK_NEW(&f.use, n, t->err));
    YK_GO(YK_NEW(&f.moves, n, t->err));
    YK_GO(YK_NEW(&f.open, n, t->err));
    YK_GO(YK_NEW(&f.rates, n, t->err));
    YK_GO(YK_NEW(&f.loop, n, t->err));
    YK_GO(yk_ints(&f.owner, n, t->err));
    find_dependence(&f);
    use_roots(&f);
    YK_GO(note_resets(&f));
    YK_GO(resolve(&f));
    find_dependence(&f);
    status = check_rules(&f);
done:
    YK_FREE(f.use, f.moves, f.open, f.rates, f.loop, f.owner);
    return status;
}
