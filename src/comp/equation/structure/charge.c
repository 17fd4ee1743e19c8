/* comp/equation/structure/charge.c -- which derivatives go under d/dt.
 *
 * An equation sum c_k der(x_k) + f = 0 with constant c_k is d/dt (sum c_k x_k)
 * + f = 0.  A derivative that occurs in several equations, or in another form,
 * becomes an unknown of its own with the equation d/dt x - d = 0; so does one
 * in a relation that makes events, or in what happens at them.  The same holds for inputs: d/dt u - d = 0
 * has a charge that depends on the input, and nobody differentiates a waveform.
 * F = c der(u) is one, too, but better where others deliver der(u) (rates.h).
 * If only combinations of such derivatives occur, these become the unknowns
 * (combine.c).
 *
 * A reference in a loop is treated as a whole: if one of its elements needs an
 * unknown all of them get one, so that the loop stays a loop.
 */
#include "comp/equation/structure/chart.h"
#include "comp/equation/code/layout.h"

void yk_charge_free(yk_charge *charge)
{
    YK_FREE(charge->ref, charge->start, charge->needs, charge->alone,
            charge->gone, charge->term);
    *charge = (yk_charge){ 0 };
}

/* The root and order a reference of instance k means; false for a constant. */
static bool target(const yk_model *m, const yk_template *t, int r, int k,
                   int *root)
{
    int counter[YK_FLAT_LOOPS];

    yk_counters(t, k, counter);
    const int e = yk_template_element(m, t, t->ref[r], counter);
    *root = m->root[e];
    return m->sign[e] != 0;
}

/* A use of weight 2 is one too many. */
static void count_uses(const yk_model *m, const yk_templates *all, int weight,
                       unsigned char *uses)
{
    for (int i = 0; i < all->count; i++) {
        const yk_template *t = &all->at[i];
        for (int r = 0; r < t->refs; r++) {
            const int order = m->pool.node[t->ref[r]].order;
            if (order == 0) continue;
            for (int k = 0; k < t->instances; k++) {
                int root;
                if (!target(m, t, r, k, &root)) continue;
                if (uses[yk_order_place(root, order)] < 2)
                    uses[yk_order_place(root, order)] += (unsigned char)weight;
            }
        }
    }
}

/* States below the highest one: x' is a state itself if x'' is a derivative. */
static void inner_states(const yk_model *m, bool *needs)
{
    for (int e = 0; e < m->elements; e++)
        for (int k = 1; k < m->highest[e]; k++)
            if (!m->dummy[yk_order_place(e, k)] &&
                !m->dummy[yk_order_place(e, k + 1)])
                needs[yk_order_place(e, k)] = true;
    for (int c = 0; m->charts && c < m->charts->count; c++) {
        const yk_chart *chart = &m->charts->chart[c];
        for (int j = 0; j < chart->cols; j++) {
            const size_t place =
                yk_order_place(chart->element[j], chart->order[j]);
            if (chart->order[j] > 0 && !m->dummy[place]) needs[place] = true;
        }
    }
}

static bool chargeable(const yk_model *m, const yk_template *t, int r,
                       const unsigned char *uses, const bool *needs)
{
    const int order = m->pool.node[t->ref[r]].order;
    bool some = false;

    if (order == 0 || !yk_eq_expr_is_constant(&m->pool, t->slope[r]))
        return false;
    for (int k = 0; k < t->instances; k++) {
        int root;
        if (!target(m, t, r, k, &root)) continue;
        some = true;
        if (yk_is_input(m, root)) {
            if (order > 1) return false;
            continue;
        }
        if (uses[yk_order_place(root, order)] != 1 ||
            needs[yk_order_place(root, order)] ||
            m->dummy[yk_order_place(root, order)])
            return false;
    }
    return some;
}

/* Inputs that an equation with these charges differentiates, and nothing beside. */
static void find_alone(const yk_model *m, const yk_template *t, const bool *ref,
                       bool *alone)
{
    int root;
    bool mixed = false;

    for (int r = 0; r < t->refs; r++)
        for (int k = 0; ref[r] && k < t->instances; k++)
            if (target(m, t, r, k, &root) && !yk_is_input(m, root))
                mixed = true;
    for (int r = 0; !mixed && r < t->refs; r++)
        for (int k = 0; ref[r] && k < t->instances; k++)
            if (target(m, t, r, k, &root)) alone[root] = true;
}

/* Of an input all derivatives below are needed too. */
static void need_unknowns(const yk_model *m, const yk_template *t, int r,
                          bool *needs)
{
    const int order = m->pool.node[t->ref[r]].order;

    for (int k = 0; order > 0 && k < t->instances; k++) {
        int root;
        if (!target(m, t, r, k, &root)) continue;
        if (yk_is_input(m, root))
            for (int o = 1; o <= order; o++)
                needs[yk_order_place(root, o)] = true;
        else if (!m->dummy[yk_order_place(root, order)])
            needs[yk_order_place(root, order)] = true;
    }
}

static void need_all(const yk_model *m, const yk_templates *all, bool *needs)
{
    for (int i = 0; i < all->count; i++)
        for (int r = 0; r < all->at[i].refs; r++)
            need_unknowns(m, &all->at[i], r, needs);
}

yoke_status yk_charge_create(yk_charge *charge, yk_model *m, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    unsigned char *uses = NULL;
    const size_t places = (size_t)m->elements * YK_ORDERS;
    int refs = 0;

    *charge = (yk_charge){ 0 };
    YK_GO(yk_ints(&charge->start, (size_t)m->equation.count + 1, err));
    for (int i = 0; i < m->equation.count; i++)
        charge->start[i + 1] = refs += m->equation.at[i].refs;
    YK_GO(YK_NEW(&charge->ref, refs, err));
    YK_GO(YK_NEW(&charge->needs, places, err));
    YK_GO(YK_NEW(&charge->alone, m->elements, err));
    YK_GO(YK_NEW(&uses, places, err));
    count_uses(m, &m->equation, 1, uses);
    count_uses(m, &m->relation, 2, uses);
    count_uses(m, &m->action, 2, uses);
    inner_states(m, charge->needs);
    need_all(m, &m->relation, charge->needs);
    need_all(m, &m->action, charge->needs);
    for (int i = 0; i < m->equation.count; i++) {
        const yk_template *t = &m->equation.at[i];
        for (int r = 0; r < t->refs; r++) {
            bool *own = &charge->ref[charge->start[i] + r];
            *own = chargeable(m, t, r, uses, charge->needs);
            if (!*own) need_unknowns(m, t, r, charge->needs);
        }
        find_alone(m, t, &charge->ref[charge->start[i]], charge->alone);
    }
    YK_GO(yk_charge_combine(charge, m, err));
done:
    yk_free(uses);
    if (status != YOKE_OK) yk_charge_free(charge);
    return status;
}
