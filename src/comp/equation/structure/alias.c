/* comp/equation/structure/alias.c -- elimination of a = b, a = -b and a =
 * constant.
 *
 * Elements that are equal up to sign form a class (union and find with signs);
 * one element, the root, stays an unknown.  An input is always the root; then
 * what is differentiated, then what has a fixed start value.  Loop equations
 * are treated element by element, so a loop may lose some of its rounds.
 */
#include "comp/equation/code/interpret.h"
#include "comp/equation/policy.h"
#include "comp/equation/structure/structure.h"

#include <math.h>

/* What to do with an equation. */
typedef enum verdict { KEEP, DROP, REDUNDANT } verdict;

typedef struct classes {
    yk_model *m;
    signed char *rank; /* which of two roots stays */
    bool *known;       /* the root is a constant */
} classes;

static int find(yk_model *m, int e, int *sign)
{
    int root = e, total = 1;

    while (m->root[root] != root) {
        total *= m->sign[root];
        root = m->root[root];
    }
    *sign = total;
    while (e != root) { /* shorten the path */
        const int next = m->root[e], s = m->sign[e];
        m->root[e] = root;
        m->sign[e] = (signed char)total;
        total *= s;
        e = next;
    }
    return root;
}

/* The start value of a class: a fixed one, else the first that is not zero. */
static void inherit(yk_model *m, int root, int child, int sign)
{
    if (m->fixed[root]) return;
    if (m->fixed[child] || m->start[root] == 0.0)
        m->start[root] = sign * m->start[child];
    m->fixed[root] = m->fixed[child];
}

/* Its derivative is another input, which the derivative of an alias would not
 * know. */
static bool has_rate(const yk_model *m, int element)
{
    return m->flat->variable[m->owner[element]].rate > 0;
}

static verdict unite(classes *c, int a, int b, int sign)
{
    yk_model *m = c->m;
    int sa, sb;
    int ra = find(m, a, &sa), rb = find(m, b, &sb);
    const int s = sign * sa * sb; /* ra = s rb */

    if (ra == rb) return s == 1 ? REDUNDANT : KEEP;
    if (c->known[ra] && c->known[rb]) return REDUNDANT;
    if (yk_is_input(m, ra) && (yk_is_input(m, rb) || c->known[rb])) return KEEP;
    if (yk_is_input(m, rb) && c->known[ra]) return KEEP;
    if (has_rate(m, ra) || has_rate(m, rb)) return KEEP;
    if (c->rank[rb] > c->rank[ra] || (c->rank[rb] == c->rank[ra] && rb < ra)) {
        const int other = ra;
        ra = rb;
        rb = other;
    }
    if (!yk_is_input(m, ra)) inherit(m, ra, rb, s);
    if (c->known[rb]) {
        c->known[ra] = true;
        m->value[ra] = s * m->value[rb];
    }
    m->root[rb] = ra;
    m->sign[rb] = (signed char)s;
    return DROP;
}

static verdict set_constant(classes *c, int a, double value)
{
    int sign;
    const int root = find(c->m, a, &sign);

    if (yk_is_input(c->m, root) || !isfinite(value)) return KEEP;
    if (c->known[root]) return REDUNDANT;
    c->known[root] = true;
    c->m->value[root] = sign * value;
    return DROP;
}

/* ---- Which equations are aliases ---------------------------------------- */

static bool number_at(const yk_model *m, int node, double *value)
{
    *value = m->pool.node[node].number;
    return m->pool.node[node].op == YK_OP_NUMBER && *value != 0.0;
}

/* The residual is c1 ref1 + c2 ref2 with |c1| = |c2|: ref1 = sign ref2. */
static yoke_status is_pair(yk_model *m, const yk_template *t, int *sign,
                           bool *yes, yoke_err *err)
{
    double c1, c2;
    int rest;

    *yes = false;
    if (t->refs != 2 || !number_at(m, t->slope[0], &c1) ||
        !number_at(m, t->slope[1], &c2) || fabs(c1) != fabs(c2))
        return YOKE_OK;
    if (m->pool.node[t->ref[0]].order || m->pool.node[t->ref[1]].order)
        return YOKE_OK;
    YK_TRY(yk_without(&m->pool, t->residual, 2, t->ref, &rest, err));
    *yes = yk_eq_expr_is_number(&m->pool, rest, 0.0);
    *sign = c1 == c2 ? -1 : 1;
    return YOKE_OK;
}

/* The residual is c ref + rest with constant rest. */
static yoke_status is_single(yk_model *m, const yk_template *t, double *c,
                             int *rest, bool *yes, yoke_err *err)
{
    *yes = false;
    if (t->refs != 1 || !number_at(m, t->slope[0], c)) return YOKE_OK;
    if (m->pool.node[t->ref[0]].order) return YOKE_OK;
    YK_TRY(yk_without(&m->pool, t->residual, 1, t->ref, rest, err));
    *yes = yk_eq_expr_is_constant(&m->pool, *rest);
    return YOKE_OK;
}

static yoke_status apply_verdict(const yk_model *m, const yk_template *t, int k,
                                 verdict v, bool *keep, yoke_err *err)
{
    char name[YK_NAME_SIZE];
    const yk_templates one = { .count = 1, .at = (yk_template *)t };

    keep[k] = v == KEEP;
    if (v != REDUNDANT) return YOKE_OK;
    yk_eq_row_name(m, &one, t->row + k, name);
    return yk_fail(err, YOKE_E_MODEL,
                   "%s: repeats or contradicts what other equations of the "
                   "form a = b or a = constant say",
                   name);
}

static yoke_status take_pairs(classes *c, const yk_template *t, int sign,
                              bool *keep, yoke_err *err)
{
    for (int k = 0; k < t->instances; k++) {
        int counter[YK_FLAT_LOOPS];
        yk_counters(t, k, counter);
        const int a = yk_template_element(c->m, t, t->ref[0], counter);
        const int b = yk_template_element(c->m, t, t->ref[1], counter);
        YK_TRY(apply_verdict(c->m, t, k, unite(c, a, b, sign), keep, err));
    }
    return YOKE_OK;
}

static yoke_status take_constants(classes *c, const yk_template *t, double by,
                                  int rest, bool *keep, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    double *value = NULL, *w = NULL;

    YK_GO(yk_doubles(&value, (size_t)t->instances, err));
    YK_GO(yk_doubles(&w, (size_t)c->m->slots, err));
    yk_eq_start_values(c->m, w);
    YK_GO(yk_evaluate(c->m, t, 1, &rest, 0.0, w, value, err));
    for (int k = 0; k < t->instances; k++) {
        int counter[YK_FLAT_LOOPS];
        yk_counters(t, k, counter);
        const int a = yk_template_element(c->m, t, t->ref[0], counter);
        YK_GO(apply_verdict(c->m, t, k, set_constant(c, a, -value[k] / by),
                            keep, err));
    }
done:
    YK_FREE(value, w);
    return status;
}

/* ---- Removing instances ------------------------------------------------- */

static yoke_status keep_some(yk_template *t, const bool *keep, yoke_err *err)
{
    int count = 0, *list = NULL;

    for (int k = 0; k < t->instances; k++) count += keep[k];
    if (count == t->instances) return YOKE_OK;
    YK_TRY(yk_ints(&list, (size_t)count, err));
    count = 0;
    for (int k = 0; k < t->instances; k++)
        if (keep[k]) list[count++] = t->list ? t->list[k] : k;
    yk_free(t->list);
    t->list = list;
    t->instances = count;
    return YOKE_OK;
}

static yoke_status treat(classes *c, yk_template *t, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    bool *keep = NULL, pair, single = false;
    int sign = 1, rest = 0;
    double by = 1.0;

    YK_TRY(is_pair(c->m, t, &sign, &pair, err));
    if (!pair) YK_TRY(is_single(c->m, t, &by, &rest, &single, err));
    if (!pair && !single) return YOKE_OK;
    YK_TRY(YK_NEW(&keep, t->instances, err));
    if (pair)
        YK_GO(take_pairs(c, t, sign, keep, err));
    else
        YK_GO(take_constants(c, t, by, rest, keep, err));
    YK_GO(keep_some(t, keep, err));
done:
    yk_free(keep);
    return status;
}

static void remove_empty(yk_templates *all)
{
    int kept = 0;

    all->rows = 0;
    for (int i = 0; i < all->count; i++) {
        yk_template t = all->at[i];
        if (t.instances == 0) {
            YK_FREE(t.list, t.ref, t.slope);
            continue;
        }
        t.row = all->rows;
        all->rows += t.instances;
        all->at[kept++] = t;
    }
    all->count = kept;
}

static void rank_elements(classes *c)
{
    const yk_model *m = c->m;

    for (int e = 0; e < m->elements; e++)
        c->rank[e] = yk_is_input(m, e) ? 3 : m->fixed[e] ? 1 : 0;
    for (int i = 0; i < m->equation.count; i++) {
        const yk_template *t = &m->equation.at[i];
        for (int r = 0; r < t->refs; r++) {
            if (m->pool.node[t->ref[r]].order == 0) continue;
            for (int k = 0; k < t->instances; k++) {
                int counter[YK_FLAT_LOOPS];
                yk_counters(t, k, counter);
                const int e = yk_template_element(m, t, t->ref[r], counter);
                if (c->rank[e] < 2) c->rank[e] = 2;
            }
        }
    }
}

static void flatten(classes *c)
{
    yk_model *m = c->m;
    int sign;

    for (int e = 0; e < m->elements; e++) find(m, e, &sign);
    for (int e = 0; e < m->elements; e++)
        if (c->known[m->root[e]] && m->root[e] != e) {
            m->value[e] = m->sign[e] * m->value[m->root[e]];
            m->sign[e] = 0;
        }
    for (int e = 0; e < m->elements; e++)
        if (c->known[e] && m->root[e] == e) m->sign[e] = 0;
}

/* A start value that is declared fixed holds: the class must have it, too. */
static yoke_status check_fixed(const classes *c, yoke_err *err)
{
    yk_model *m = c->m;
    char name[YK_NAME_SIZE];

    for (int e = 0; e < m->elements; e++) {
        int sign = 1;
        const int root = find(m, e, &sign);
        if (!m->fixed[e] || yk_is_input(m, root)) continue;
        if (!c->known[root] && (root == e || !m->fixed[root])) continue;
        const double value =
            sign * (c->known[root] ? m->value[root] : m->start[root]);
        if (fabs(m->start[e] - value) <= YK_EQ_CONSISTENT * (1.0 + fabs(value)))
            continue;
        yk_element_name(m, e, 0, name);
        return yk_fail(err, YOKE_E_MODEL,
                       "%s: the start value of %s is fixed at %g, but its "
                       "equations give %g there: leave out `fixed = true`, or "
                       "the equation",
                       m->flat->file, name, m->start[e], value);
    }
    return YOKE_OK;
}

yoke_status yk_eliminate_aliases(yk_model *m, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    classes c = { .m = m };
    const int before = m->equation.rows;

    YK_GO(YK_NEW(&c.rank, m->elements, err));
    YK_GO(YK_NEW(&c.known, m->elements, err));
    rank_elements(&c);
    for (int i = 0; i < m->equation.count; i++)
        YK_GO(treat(&c, &m->equation.at[i], err));
    YK_GO(check_fixed(&c, err));
    remove_empty(&m->equation);
    flatten(&c);
    m->eliminated = before - m->equation.rows;
done:
    YK_FREE(c.rank, c.known);
    return status;
}
