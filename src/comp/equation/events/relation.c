/* comp/equation/events/relation.c -- relations whose values are held between
 * events. */
#include "comp/equation/events/relation.h"

#include "expr/hold.h"

#include <math.h>
#include <string.h>

typedef struct relation {
    yk_code code; /* d, or x of floor(x) */
    yk_template t;
    yk_op op;                        /* LESS, LESS_EQUAL, FLOOR, INTERPOLATE */
    int base, stride[YK_FLAT_LOOPS]; /* of its values in w */
    int first;                       /* number of its first instance */
    int upper; /* the same of the upper ends of FLOOR, or -1: it has one end */
    bool up, down, kink, watched, jumps, follows, before, late, timed;
    int table, rows; /* INTERPOLATE: its place in w */
    char *text;
} relation;

struct yk_relations {
    int count, scalars;
    int uppers; /* behind the scalar ones */
    relation *relation;
    double *workspace;
};

void yk_relations_free(yk_relations *all)
{
    if (!all) return;
    for (int i = 0; all->relation && i < all->count; i++) {
        yk_eq_code_free(&all->relation[i].code);
        yk_free(all->relation[i].text);
    }
    YK_FREE(all->relation, all->workspace, all);
}

int yk_relations_count(const yk_relations *all)
{
    return all ? all->scalars + all->uppers : 0;
}

static void set_table(relation *r, const yk_model *m, const yk_flat_node *n)
{
    if (n->op != YK_OP_INTERPOLATE) return;
    r->table = m->base[n->variable];
    r->rows = m->flat->variable[n->variable].count / 2;
}

static bool is_level(const relation *r)
{
    return r->up && r->down;
}

/* A whole number that is held has two ends, and each is an indicator: whether
 * it has been passed is remembered of each. */
static void number_uppers(yk_relations *all)
{
    for (int i = 0; i < all->count; i++) {
        relation *r = &all->relation[i];
        r->upper = -1;
        if (r->op != YK_OP_FLOOR || !is_level(r)) continue;
        r->upper = all->scalars + all->uppers;
        all->uppers += r->t.instances;
    }
}

yoke_status yk_relations_create(yk_relations **out, yk_model *m,
                                const bool *follows, yoke_err *err)
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
        r->op = m->flat->node[flat->node].op;
        r->base = yk_slot_strides(m, &r->t, m->relation_held[i], r->stride);
        r->first = r->t.row;
        r->follows = follows[i];
        r->up = flat->up || follows[i];
        r->down = flat->down || follows[i];
        r->kink = flat->kink;
        r->watched = flat->watched;
        r->jumps = flat->jumps;
        r->before = flat->before;
        r->late = flat->late;
        r->timed = (m->pool.node[r->t.residual].on &
                    (YK_ON_VALUES | YK_ON_TIME)) == YK_ON_TIME;
        set_table(r, m, &m->flat->node[flat->node]);
        all->count++;
        YK_GO(yk_copy_text(&r->text, flat->text, err));
        YK_GO(yk_eq_code_create(&r->code, m, &r->t, 1, &r->t.residual, err));
        if (r->code.registers > registers) registers = r->code.registers;
    }
    all->scalars = m->relation.rows;
    number_uppers(all);
    YK_GO(yk_doubles(&all->workspace, (size_t)registers * YK_LANES, err));
    *out = all;
    all = NULL;
done:
    yk_relations_free(all);
    return status;
}

/* ---- Values ---------------------------------------------------------------
 */

/* d or x of up to YK_LANES instances. */
static const double *run(const yk_relations *all, const relation *r, int first,
                         int *lanes, double t, const double *w)
{
    const int left = r->t.instances - first;

    *lanes = left < YK_LANES ? left : YK_LANES;
    yk_eq_code_run(&r->code, &r->t, first, *lanes, t, w, all->workspace);
    return all->workspace + (size_t)r->code.result[0] * YK_LANES;
}

static int slot_of(const relation *r, int instance)
{
    int counter[YK_FLAT_LOOPS] = { 0 }, slot = r->base;

    yk_counters(&r->t, instance, counter);
    for (int l = 0; l < r->t.loops; l++) slot += r->stride[l] * counter[l];
    return slot;
}

/* Tables lie in w. */
static yk_hold hold_of(const relation *r, const double *w)
{
    return (yk_hold){
        .op = r->op, .kink = r->kink, .rows = r->rows, .table = w + r->table
    };
}

/* One end of FLOOR. */
static yk_hold side_of(const relation *r, const double *w, bool upper)
{
    yk_hold hold = hold_of(r, w);

    hold.side = r->upper < 0 ? 0 : upper ? 1 : -1;
    return hold;
}

void yk_relations_indicate(const yk_relations *all, double t, const double *w,
                           double *g)
{
    for (int i = 0; all && i < all->count; i++) {
        const relation *r = &all->relation[i];
        const yk_hold hold = side_of(r, w, false), upper = side_of(r, w, true);
        for (int k = 0, lanes = 0; k < r->t.instances; k += lanes) {
            const double *d = run(all, r, k, &lanes, t, w);
            for (int j = 0; j < lanes; j++) {
                const double held =
                    is_level(r) ? w[slot_of(r, k + j)] : r->down;
                g[r->first + k + j] = yk_hold_above(&hold, d[j], held);
                if (r->upper >= 0)
                    g[r->upper + k + j] = yk_hold_above(&upper, d[j], held);
            }
        }
    }
}

/* The relation that has indicator k. */
static const relation *find(const yk_relations *all, int k)
{
    int i = all->count - 1;

    if (k < all->scalars)
        while (all->relation[i].first > k) i--;
    else
        while (all->relation[i].upper < 0 || all->relation[i].upper > k) i--;
    return &all->relation[i];
}

int yk_relations_scalar(const yk_relations *all, int k)
{
    const relation *r = find(all, k);

    return k < all->scalars ? k : k - r->upper + r->first;
}

void yk_relations_join(const yk_relations *all, bool *of)
{
    for (int i = 0; all && i < all->count; i++) {
        const relation *r = &all->relation[i];
        for (int k = 0; r->upper >= 0 && k < r->t.instances; k++)
            of[r->first + k] = of[r->first + k] || of[r->upper + k];
    }
}

void yk_relations_enclose(const yk_relations *all, int k, const double *w,
                          int order, double (*out)[2])
{
    const relation *r = find(all, k);
    const yk_hold hold = side_of(r, w, k >= all->scalars);
    const int instance = yk_relations_scalar(all, k) - r->first;
    const double held = is_level(r) ? w[slot_of(r, instance)] : r->down;
    yk_jet d, g;

    for (int j = 0; j <= order; j++) d.c[j] = (yk_span){ out[j][0], out[j][1] };
    yk_hold_enclose(&hold, order, &d, held, &g);
    for (int j = 0; j <= order; j++) {
        out[j][0] = g.c[j].lo;
        out[j][1] = g.c[j].hi;
    }
}

static bool settle(const yk_relations *all, double t, bool before, double *w)
{
    bool changed = false;

    for (int i = 0; all && i < all->count; i++) {
        const relation *r = &all->relation[i];
        const yk_hold hold = hold_of(r, w);
        if (before && !r->before) continue;
        for (int k = 0, lanes = 0; k < r->t.instances; k += lanes) {
            const double *d = run(all, r, k, &lanes, t, w);
            for (int j = 0; j < lanes; j++) {
                double *held = &w[slot_of(r, k + j)];
                const double now = yk_hold_value(&hold, d[j]);
                changed = changed || now > *held || now < *held;
                *held = now;
            }
        }
    }
    return changed;
}

/* Of those that matter in one direction, the value before from before. */
static void find_before(const yk_relations *all, const relation *r, double t,
                        double *before)
{
    const yk_hold hold = hold_of(r, before);

    if (is_level(r)) return;
    for (int k = 0, lanes = 0; k < r->t.instances; k += lanes) {
        const double *d = run(all, r, k, &lanes, t, before);
        for (int j = 0; j < lanes; j++)
            before[slot_of(r, k + j)] = yk_hold_value(&hold, d[j]);
    }
}

bool yk_relations_change(const yk_relations *all, double t,
                         const bool *happened, const double *w, double *after,
                         double *before)
{
    bool early = false;

    for (int i = 0; all && i < all->count; i++) {
        const relation *r = &all->relation[i];
        const yk_hold hold = hold_of(r, w);
        find_before(all, r, t, before);
        for (int k = 0, lanes = 0; k < r->t.instances; k += lanes) {
            const double *d = run(all, r, k, &lanes, t, w);
            for (int j = 0; j < lanes; j++) {
                const int slot = slot_of(r, k + j);
                const bool now = happened[r->first + k + j] ||
                                 (r->upper >= 0 && happened[r->upper + k + j]);
                early = early || (now && !r->kink &&
                                  yk_hold_above(&hold, d[j], w[slot]) < 0.0);
                if (is_level(r)) {
                    if (now) after[slot] = yk_hold_change(&hold, d[j], w[slot]);
                    continue;
                }
                after[slot] = yk_hold_value(&hold, d[j]);
                if (!now) continue;
                after[slot] = r->up ? 1.0 : 0.0;
                before[slot] = r->up ? 0.0 : 1.0;
            }
        }
    }
    return early;
}

bool yk_relations_settle(const yk_relations *all, double t, double *w)
{
    return settle(all, t, false, w);
}

void yk_relations_reset(const yk_relations *all, double t, double *before)
{
    (void)settle(all, t, true, before);
}

bool yk_relations_pass(const yk_relations *all, const double *after,
                       double *before)
{
    bool any = false;

    for (int i = 0; all && i < all->count; i++) {
        const relation *r = &all->relation[i];
        for (int k = 0; r->before && k < r->t.instances; k++) {
            const int slot = slot_of(r, k);
            any =
                any || after[slot] > before[slot] || after[slot] < before[slot];
            before[slot] = after[slot];
        }
    }
    return any;
}

/* d of some instances, and how much it depends on what is not known. */
static void compare(const yk_relations *all, const relation *r, int first,
                    double t, const double *begin, const double *const moved[2],
                    const double *after, double *d, double *change,
                    double *noise)
{
    int lanes = 0;
    const double *now = run(all, r, first, &lanes, t, after);

    memcpy(d, now, (size_t)lanes * sizeof *d);
    const double *was = run(all, r, first, &lanes, t, begin);
    for (int j = 0; j < lanes; j++) {
        change[j] = fabs(was[j] - d[j]);
        noise[j] = 0.0;
    }
    for (int way = 0; way < 2 && moved[way]; way++) {
        const double *other = run(all, r, first, &lanes, t, moved[way]);
        for (int j = 0; j < lanes; j++)
            noise[j] = fmax(noise[j], fabs(other[j] - d[j]));
    }
}

bool yk_relations_follow(const yk_relations *all, double t, bool between,
                         const double *begin, const double *const moved[2],
                         bool *locked, double *after)
{
    double d[YK_LANES], change[YK_LANES], noise[YK_LANES];
    bool changed = false;

    for (int i = 0; all && i < all->count; i++) {
        const relation *r = &all->relation[i];
        const yk_hold hold = hold_of(r, after);
        if (!r->follows || r->watched || (r->late && !between)) continue;
        for (int k = 0; k < r->t.instances; k += YK_LANES) {
            compare(all, r, k, t, begin, moved, after, d, change, noise);
            for (int j = 0; j < YK_LANES && k + j < r->t.instances; j++) {
                double *held = &after[slot_of(r, k + j)];
                bool *lock = &locked[r->first + k + j];
                if (*lock || !(change[j] > noise[j]) ||
                    !(yk_hold_above(&hold, d[j], *held) > noise[j]))
                    continue;
                *held = yk_hold_value(&hold, d[j]);
                changed = *lock = true;
            }
        }
    }
    return changed;
}

void yk_relations_about(const yk_relations *all, int k, yoke_event_about *out)
{
    const relation *r = find(all, k);

    *out = (yoke_event_about){ .text = r->text,
                               .level = is_level(r),
                               .kink = r->kink && !r->jumps,
                               .watched = r->watched,
                               .timed = r->timed };
}
