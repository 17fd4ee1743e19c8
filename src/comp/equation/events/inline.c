/* comp/equation/events/inline.c -- actions see what the same instant changes.
 *
 * An action of a when, e = r - x, holds at the instant together with all
 * equations.  If r is algebraic and follows from what changes at the same
 * instant, r = if mode == 1 then 0 else 1, or r = if time >= 1 then 1 else 0, the
 * value that r has had so far is not the one that is meant.  So r is replaced by
 * its expression, and so on, down to what no event changes by itself, states,
 * and to what actions see as it is after the instant: variables that change at
 * events only, relations that are held, and inputs, which events of other
 * subsystems change.
 *
 * Relations and kinks of what is replaced are not held then, as those that stand
 * in the action.  What has no explicit equation, or an equation with
 * derivatives, is solved for inside the event iteration (algebra.h).
 */
#include "comp/equation/front/translate.h"

enum { MOST_DEPTH = 1000 };

/* What is known about an element: is it to be replaced? */
enum { UNKNOWN, ASKED, KEEP, REPLACE };

/* Of a node: does it depend on what events change, and can it be written out? */
enum { INDEPENDENT = 1, DEPENDENT, UNFIT };

typedef struct inliner {
    yk_flat *flat;
    int *base;             /* of each variable: its first element */
    int *definition;       /* of each element: node, or -1 */
    unsigned char *answer; /* of each element */
    unsigned char *use;    /* of each node; 0: not known */
    int *copy;             /* of each node as it was: the new one, or -1 */
    int nodes, depth;
    yoke_err *err;
} inliner;

/* The element that a node refers to; -1: none, or one that is no unknown. */
static int element_of(const inliner *s, int node)
{
    const yk_flat_node *n = &s->flat->node[node];

    if (n->op != YK_OP_REFER ||
        s->flat->variable[n->variable].kind != YK_FLAT_UNKNOWN)
        return -1;
    for (int k = 1; k <= YK_FLAT_LOOPS; k++)
        if (n->place[k] != 0) return -1;
    return s->base[n->variable] + n->place[0];
}

/* Everything below a derivative keeps its name. */
static void keep_states(inliner *s)
{
    const yk_flat *flat = s->flat;
    unsigned char *below = s->answer; /* not used yet */

    for (int i = flat->nodes - 1; i >= 0; i--) {
        const yk_flat_node *n = &flat->node[i];
        if (n->op != YK_OP_DER || n->variable < 0) continue;
        const int first = s->base[n->variable];
        for (int k = 0; k < flat->variable[n->variable].count; k++)
            below[first + k] = KEEP;
    }
    for (int v = 0; v < flat->variables; v++)
        for (int k = 0; k < flat->variable[v].count; k++)
            if (flat->variable[v].kind != YK_FLAT_UNKNOWN ||
                flat->variable[v].is_discrete)
                below[s->base[v] + k] = KEEP;
}

static void find_definitions(inliner *s)
{
    const yk_flat *flat = s->flat;

    for (int e = 0; e < flat->equations; e++) {
        const yk_flat_equation *q = &flat->equation[e];
        if (q->loops > 0 || q->initial) continue;
        const int left = element_of(s, q->left),
                  right = element_of(s, q->right);
        if (left >= 0 && s->answer[left] != KEEP && s->definition[left] < 0)
            s->definition[left] = q->right;
        else if (right >= 0 && s->answer[right] != KEEP &&
                 s->definition[right] < 0)
            s->definition[right] = q->left;
    }
}

static bool is_to_replace(inliner *s, int element);

static int use_of(inliner *s, int node);

/* What is held jumps; the others have a kink. */
static bool jumps(yk_op op)
{
    return op == YK_OP_LESS || op == YK_OP_LESS_EQUAL || op == YK_OP_FLOOR;
}

static int find_use(inliner *s, int node)
{
    const yk_flat_node *n = &s->flat->node[node];
    int use = INDEPENDENT;

    if (n->op == YK_OP_PRE || n->op == YK_OP_NUMBER || n->op == YK_OP_INDEX)
        return INDEPENDENT;
    if (n->op == YK_OP_DER || s->depth >= MOST_DEPTH) return UNFIT;
    if (n->op == YK_OP_REFER) {
        const int element = element_of(s, node);
        const yk_flat_variable *v = &s->flat->variable[n->variable];
        if (v->kind == YK_FLAT_INPUT) return DEPENDENT;
        if (v->kind == YK_FLAT_UNKNOWN && v->is_discrete) return DEPENDENT;
        return element >= 0 && is_to_replace(s, element) ? DEPENDENT
                                                         : INDEPENDENT;
    }
    if (n->op == YK_OP_HOLD && jumps(s->flat->node[n->a].op)) use = DEPENDENT;
    const int child[] = { n->a, n->op == YK_OP_HOLD ? -1 : n->b, n->c };
    s->depth++;
    for (int k = 0; k < 3; k++) {
        const int below = child[k] >= 0 ? use_of(s, child[k]) : INDEPENDENT;
        if (below > use) use = below;
    }
    s->depth--;
    return use;
}

static int use_of(inliner *s, int node)
{
    if (s->use[node] == 0) s->use[node] = (unsigned char)find_use(s, node);
    return s->use[node];
}

static bool is_to_replace(inliner *s, int element)
{
    if (s->answer[element] == UNKNOWN) {
        s->answer[element] = ASKED; /* again below: it follows from itself */
        const int node = s->definition[element];
        s->answer[element] =
            node >= 0 && use_of(s, node) == DEPENDENT ? REPLACE : KEEP;
    }
    return s->answer[element] == REPLACE;
}

/* *out: the node with what is to be replaced written out. */
static yoke_status write_out(inliner *s, int node, int *out)
{
    yk_flat_node n = s->flat->node[node];
    const int element = element_of(s, node);

    *out = node;
    if (s->copy[node] >= 0) {
        *out = s->copy[node];
        return YOKE_OK;
    }
    if (element >= 0 && is_to_replace(s, element))
        YK_TRY(write_out(s, s->definition[element], out));
    else if (n.op == YK_OP_HOLD) {
        int value = n.a;
        YK_TRY(write_out(s, n.a, &value));
        if (value != n.a) *out = value;
    } else if (n.op != YK_OP_REFER && n.op != YK_OP_PRE && n.op != YK_OP_DER &&
               n.op != YK_OP_INDEX) {
        int *const child[] = { &n.a, &n.b, &n.c };
        bool other = false;
        for (int k = 0; k < 3; k++) {
            const int was = *child[k];
            if (was >= 0) YK_TRY(write_out(s, was, child[k]));
            other = other || *child[k] != was;
        }
        if (other) YK_TRY(yk_flat_add_node(s->flat, &n, out, s->err));
    }
    s->copy[node] = *out;
    return YOKE_OK;
}

static yoke_status write_actions(inliner *s)
{
    for (int i = 0; i < s->flat->events; i++) {
        yk_flat_event *e = &s->flat->event[i];
        if (e->kind != YK_FLAT_WHEN) continue;
        for (int k = 0; k < e->actions; k++)
            YK_TRY(write_out(s, e->action[k].value, &e->action[k].value));
    }
    return YOKE_OK;
}

yoke_status yk_inline_actions(yk_flat *flat, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    inliner s = { .flat = flat, .nodes = flat->nodes, .err = err };
    size_t elements = 0;
    bool any = false;

    for (int i = 0; i < flat->events; i++)
        any = any || (flat->event[i].kind == YK_FLAT_WHEN &&
                      flat->event[i].actions > 0);
    if (!any) return YOKE_OK;
    YK_GO(yk_ints(&s.base, (size_t)flat->variables + 1, err));
    for (int v = 0; v < flat->variables; v++) {
        s.base[v] = (int)elements;
        elements += (size_t)flat->variable[v].count;
    }
    YK_GO(yk_ints(&s.definition, elements + 1, err));
    YK_GO(YK_NEW(&s.answer, elements + 1, err));
    YK_GO(YK_NEW(&s.use, (size_t)s.nodes + 1, err));
    YK_GO(yk_ints(&s.copy, (size_t)s.nodes + 1, err));
    for (size_t k = 0; k < elements; k++) s.definition[k] = -1;
    for (int k = 0; k < s.nodes; k++) s.copy[k] = -1;
    keep_states(&s);
    find_definitions(&s);
    status = write_actions(&s);
done:
    YK_FREE(s.base, s.definition, s.answer, s.use, s.copy);
    return status;
}
