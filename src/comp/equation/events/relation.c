/* comp/equation/events/relation.c -- relations whose values are held between
 * events. */
#include "comp/equation/events/relation.h"

#include <math.h>

/* Less than any difference of numbers that are not equal. */
static const double least = 1e-300;

typedef struct relation {
    yk_code code; /* d, or x of floor(x) */
    yk_template t;
    int op;                          /* LESS, LESS_EQUAL, FLOOR, INTERPOLATE */
    int base, stride[YK_FLAT_LOOPS]; /* of its values in w */
    int first;                       /* number of its first instance */
    bool up, down, kink, watched, jumps;
    int table, rows; /* INTERPOLATE: its place in w */
    char *text;
} relation;

/* Held instead of a point of a table, where x is beyond its ends. */
static const double beyond = 1e290;

struct yk_relations {
    int count, scalars;
    relation *relation;
    double *workspace;
};

void yk_relations_free(yk_relations *all)
{
    if (!all) return;
    for (int i = 0; all->relation && i < all->count; i++) {
        yk_code_free(&all->relation[i].code);
        yk_free(all->relation[i].text);
    }
    yk_free(all->relation);
    yk_free(all->workspace);
    yk_free(all);
}

int yk_relations_count(const yk_relations *all)
{
    return all ? all->scalars : 0;
}

static void set_table(relation *r, const yk_model *m, const yk_flat_node *n)
{
    if (n->op != YK_OP_INTERPOLATE) return;
    r->table = m->base[n->variable];
    r->rows = m->flat->variable[n->variable].count / 2;
}

yoke_status yk_relations_create(yk_relations **out, yk_model *m, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_relations *all = NULL;
    int registers = 1;

    if (m->relation.count == 0) return YOKE_OK;
    YK_GO(YK_NEW(&all, 1, err));
    YK_GO(YK_NEW(&all->relation, m->relation.count, err));
    for (int i = 0; i < m->relation.count; i++) {
        const yk_flat_relation *flat = &m->flat->relation[i];
        relation *r = &all->relation[i];
        r->t = m->relation.at[i]; /* without loops over a list */
        r->op = (int)m->flat->node[flat->node].op;
        r->base = yk_slot_strides(m, &r->t, m->relation_held[i], r->stride);
        r->first = r->t.row;
        r->up = flat->up;
        r->down = flat->down;
        r->kink = flat->kink;
        r->watched = flat->watched;
        r->jumps = flat->jumps;
        set_table(r, m, &m->flat->node[flat->node]);
        all->count++;
        YK_GO(yk_copy_text(&r->text, flat->text, err));
        YK_GO(yk_code_create(&r->code, m, &r->t, 1, &r->t.residual, err));
        if (r->code.registers > registers) registers = r->code.registers;
    }
    all->scalars = m->relation.rows;
    YK_GO(yk_doubles(&all->workspace, (size_t)registers * YK_LANES, err));
    *out = all;
    all = NULL;
done:
    yk_relations_free(all);
    return status;
}

/* ---- Values ---------------------------------------------------------------
 */

static bool is_level(const relation *r)
{
    return r->up && r->down;
}

/* d or x of up to YK_LANES instances. */
static const double *run(const yk_relations *all, const relation *r, int first,
                         int *lanes, double t, const double *w)
{
    const int left = r->t.instances - first;

    *lanes = left < YK_LANES ? left : YK_LANES;
    yk_code_run(&r->code, &r->t, first, *lanes, t, w, all->workspace);
    return all->workspace + (size_t)r->code.result[0] * YK_LANES;
}

static int slot_of(const relation *r, int instance)
{
    int counter[YK_FLAT_LOOPS] = { 0 }, slot = r->base;

    yk_counters(&r->t, instance, counter);
    for (int l = 0; l < r->t.loops; l++) slot += r->stride[l] * counter[l];
    return slot;
}

/* Infinite differences are differences too. */
static double bounded(double d)
{
    return d > 1e300 ? 1e300 : d < -1e300 ? -1e300 : d;
}

/* The piece of the table in which x lies, from *low to *high. */
static void find_piece(const relation *r, const double *w, double x,
                       double *low, double *high)
{
    const double *p = w + r->table;
    int i = 0, n = r->rows;

    while (n - i > 1) { /* rows i and n: the last at or before x, one after */
        const int middle = (i + n) / 2;
        if (x < p[2 * middle])
            n = middle;
        else
            i = middle;
    }
    if (i == 0 && x < p[0]) n = 0;
    *low = n == 0 ? -INFINITY : p[2 * (n - 1)];
    *high = n == r->rows ? INFINITY : p[2 * n];
}

/* A point inside the piece. */
static double place_in(double low, double high)
{
    if (low == -INFINITY) return -beyond;
    return high == INFINITY ? beyond : 0.5 * (low + high);
}

static double value_of(const relation *r, const double *w, double d)
{
    double low, high;

    if (r->op == YK_OP_FLOOR) return floor(d);
    if (r->op == YK_OP_INTERPOLATE) {
        find_piece(r, w, d, &low, &high);
        return place_in(low, high);
    }
    return (r->op == YK_OP_LESS ? d > 0.0 : d >= 0.0) ? 1.0 : 0.0;
}

/* No branch is held. */
static bool is_free(const relation *r, double held)
{
    return r->kink && (r->op == YK_OP_INTERPOLATE ? held > 2.0 * beyond
                                                  : held > 0.25 && held < 0.75);
}

/* g with the value `held`. */
static double above(const relation *r, const double *w, double d, double held)
{
    double low, high;

    if (is_free(r, held)) return -fabs(d) - least;
    if (r->op == YK_OP_INTERPOLATE) {
        find_piece(r, w, held, &low, &high);
        return bounded(fmax(low - d, d - high) - least);
    }
    if (r->op == YK_OP_FLOOR) return fmax(held - d - least, d - (held + 1.0));
    const bool strict = r->op == YK_OP_LESS;
    if (held > 0.5) return strict ? -d : -d - least;
    return strict ? d - least : d;
}

void yk_relations_indicate(const yk_relations *all, double t, const double *w,
                           double *g)
{
    for (int i = 0; all && i < all->count; i++) {
        const relation *r = &all->relation[i];
        for (int k = 0, lanes = 0; k < r->t.instances; k += lanes) {
            const double *d = run(all, r, k, &lanes, t, w);
            for (int j = 0; j < lanes; j++) {
                const double held =
                    is_level(r) ? w[slot_of(r, k + j)] : r->down;
                g[r->first + k + j] = above(r, w, bounded(d[j]), held);
            }
        }
    }
}

bool yk_relations_settle(const yk_relations *all, double t, double *w)
{
    bool changed = false;

    for (int i = 0; all && i < all->count; i++) {
        const relation *r = &all->relation[i];
        for (int k = 0, lanes = 0; k < r->t.instances; k += lanes) {
            const double *d = run(all, r, k, &lanes, t, w);
            for (int j = 0; j < lanes; j++) {
                double *held = &w[slot_of(r, k + j)];
                const double now = value_of(r, w, d[j]);
                changed = changed || now > *held || now < *held;
                *held = now;
            }
        }
    }
    return changed;
}

/* What was held changes, though x may be there but for rounding only. */
static double changed(const relation *r, const double *w, double d, double held)
{
    double low, high;

    if (is_free(r, held)) return value_of(r, w, d);
    if (r->op == YK_OP_INTERPOLATE) {
        find_piece(r, w, held, &low, &high);
        const bool up = d - high > low - d;
        const double x = up ? fmax(d, high) : fmin(d, nextafter(low, -beyond));
        return value_of(r, w, x);
    }
    if (r->op != YK_OP_FLOOR) return held > 0.5 ? 0.0 : 1.0;
    const double now = floor(d);
    return d - held > 0.5 ? fmax(now, held + 1.0) : fmin(now, held - 1.0);
}

bool yk_relations_change(const yk_relations *all, double t,
                         const bool *happened, double *after, double *before)
{
    bool early = false;

    for (int i = 0; all && i < all->count; i++) {
        const relation *r = &all->relation[i];
        for (int k = 0, lanes = 0; k < r->t.instances; k += lanes) {
            const double *d = run(all, r, k, &lanes, t, before);
            for (int j = 0; j < lanes; j++) {
                const int slot = slot_of(r, k + j);
                const bool now = happened[r->first + k + j];
                early = early || (now && !r->kink &&
                                  above(r, before, d[j], before[slot]) < 0.0);
                if (is_level(r)) {
                    if (now)
                        after[slot] = changed(r, before, d[j], before[slot]);
                    continue;
                }
                after[slot] = before[slot] = value_of(r, before, d[j]);
                if (!now) continue;
                after[slot] = r->up ? 1.0 : 0.0;
                before[slot] = r->up ? 0.0 : 1.0;
            }
        }
    }
    return early;
}

void yk_relations_about(const yk_relations *all, int k, yoke_event_about *out)
{
    int i = all->count - 1;

    while (all->relation[i].first > k) i--;
    const relation *r = &all->relation[i];
    *out = (yoke_event_about){ .text = r->text,
                               .level = is_level(r),
                               .kink = r->kink && !r->jumps,
                               .watched = r->watched };
}
