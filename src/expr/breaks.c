/* expr/breaks.c -- the instants at which functions of time switch.
 *
 * Each switch (sign, min, floor, a relation, ...) watches a function g of time
 * that must not meet a level: 0, a whole number, a point of a table.  Switches
 * are looked at operands first.  When one is looked at, all inside it are known
 * to keep their branch up to `end`.  With these branches held g is smooth, and
 * its first level (expr/level.c) is the new `end`.  The last one is the next
 * instant of all.
 *
 * What was found or proven of a switch is kept as long as the branches inside
 * it are, so a switch that never changes costs nothing beside one that changes
 * often.
 */
#include "base/vector.h"
#include "expr/level.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_KEPT = 1024, /* instants */
    MOST_PASSED = 64  /* those passed one by one on the way to t */
};

struct yk_breaks {
    yk_watch w;
    int triggers, buckets;
    size_t value_room, held_room, bound_room, about_room, list_room,
        trigger_room;
    yk_trigger *trigger;
    struct about {
        long changed; /* when the branch did last */
        int trigger;  /* -1: none */
        int mark;     /* the last switch that depends on it */
        int next;     /* step with the same hash; -1: none */
    } * about;        /* of each step */
    int *bucket;
    long changes;

    /* Instants in (begin, end], all of them. */
    double begin, end, at[MOST_KEPT];
    double blur[MOST_KEPT]; /* so far from each roundings cloud its branch */
    int kept;
    bool brief; /* the last piece was too short for branches to be certain */
};

long yk_breaks_looks(const yk_breaks *b)
{
    return b ? b->w.looks : 0;
}

void yk_breaks_free(yk_breaks *b)
{
    if (!b) return;
    yk_expr_clear(&b->w.all);
    YK_FREE(b->w.value, b->w.held, b->w.bound, b->w.list, b->trigger, b->about,
            b->bucket, b);
}

/* ---- one piece after the other --------------------------------------------
 */

/* Forgets what is known of g if a branch inside it has changed, or if t lies
 * elsewhere.  True: it did. */
static bool renew(yk_breaks *b, yk_trigger *g, double t)
{
    bool same = !b->brief && t >= g->from && t + yk_level_rounding(t) < g->to;

    for (int k = g->first; same && g->nested && k < g->first + g->count; k++)
        same = b->about[b->w.list[k]].changed <= g->seen;
    if (same) return false;
    g->from = g->to = t;
    g->found = false;
    g->seen = b->changes;
    return true;
}

/* A point of the piece that begins at t. */
static double inside(double t, double end, double part)
{
    return t + part * (isinf(end) ? fmax(1.0, fabs(t)) : end - t);
}

/* The branch on the piece.  One point may be where g touches a level, two of
 * three are not. */
static void hold(yk_breaks *b, const yk_trigger *g, double t, double end)
{
    double *held = &b->w.held[g->step];
    double branch = yk_level_branch(&b->w, g, inside(t, end, 0.381966));
    const double other = yk_level_branch(&b->w, g, inside(t, end, 0.618034));

    if (other != branch &&
        yk_level_branch(&b->w, g, inside(t, end, 0.131704)) == other)
        branch = other;
    if (branch != *held) b->about[g->step].changed = ++b->changes;
    *held = branch;
}

/* The first level of g after t, or `end` if it is not before. */
static double meet(yk_breaks *b, yk_trigger *g, double t, double end)
{
    const bool fresh = renew(b, g, t);

    if (!g->found && g->to < end) {
        const double at = yk_level_after(&b->w, g, t, g->to, end);
        g->found = g->shape != YK_CURVED || at < INFINITY;
        g->to = g->found ? at : end;
    }
    if (g->found && g->to < end) end = g->to;
    if (fresh) hold(b, g, t, end);
    return end;
}

/* Of those that switch at the end of a piece of this length. */
static double blur_of(yk_breaks *b, double t, double piece)
{
    double most = 0.0;

    for (int k = 0; k < b->triggers; k++) {
        const yk_trigger *g = &b->trigger[k];
        if (g->found && g->to <= t)
            most = fmax(most, yk_level_blur(&b->w, g, t, piece));
    }
    return most;
}

static void keep(yk_breaks *b, double from, double t)
{
    if (b->kept == MOST_KEPT) { /* forgets the older half */
        b->kept /= 2;
        b->begin = b->at[MOST_KEPT - b->kept - 1];
        memmove(b->at, b->at + MOST_KEPT - b->kept,
                (size_t)b->kept * sizeof *b->at);
        memmove(b->blur, b->blur + MOST_KEPT - b->kept,
                (size_t)b->kept * sizeof *b->blur);
    }
    b->blur[b->kept] = blur_of(b, t, t - from);
    b->at[b->kept++] = t;
}

/* Moves b->end to the next instant, which is kept, or to `until`.  Straight
 * lines first: others are looked for only up to the instant that they give. */
static void move_on(yk_breaks *b, double until)
{
    const double t = b->end, beyond = nextafter(until, INFINITY);
    double end = beyond;

    for (int simple = 1; simple >= 0; simple--)
        for (int k = 0; k < b->triggers; k++)
            if (b->trigger[k].simple == (simple == 1))
                end = meet(b, &b->trigger[k], t, end);
    b->brief = end - t <= 4.0 * yk_level_rounding(fmax(fabs(t), fabs(end)));
    b->end = fmin(end, until);
    if (end < beyond) keep(b, t, end);
}

/* How many of those kept are not after t. */
static int kept_before(const yk_breaks *b, double t)
{
    return yk_last_below(b->at, b->kept, 1, t) + 1;
}

static void begin_at(yk_breaks *b, double t)
{
    b->begin = b->end = t;
    b->kept = 0;
}

double yk_breaks_after(yk_breaks *b, double t, double until)
{
    if (!b || isnan(t)) return INFINITY;
    if (!(t >= b->begin)) begin_at(b, t);
    for (int passes = 0;; passes++) {
        const int k = kept_before(b, t);
        if (k < b->kept) return b->at[k] <= until ? b->at[k] : INFINITY;
        if (b->end >= until) return INFINITY;
        if (passes == MOST_PASSED) begin_at(b, t);
        move_on(b, until);
    }
}

double yk_breaks_beside(const yk_breaks *b, double t)
{
    if (!b || !(t >= b->begin)) return t;
    const int k = kept_before(b, t);
    const double after = k > 0 ? b->at[k - 1] + b->blur[k - 1] : -INFINITY;
    const double before = k < b->kept ? b->at[k] - b->blur[k] : INFINITY;
    if (after > before) return t; /* two instants next to one another */
    return fmin(fmax(t, after), before);
}

/* ---- the functions --------------------------------------------------------
 */

/* Keeps its branch until some instant. */
static bool is_switch(const yk_expr_step *s)
{
    return s->kind == YK_KIND_TIME && yk_op_corner(s->op) != YK_SMOOTH;
}

static yk_expr_shape watched_shape(const yk_expr_step *step, int i)
{
    const yk_expr_shape a = step[step[i].a].shape, b = step[step[i].b].shape;

    return yk_op_corner(step[i].op) == YK_AT_EQUAL && b > a ? b : a;
}

static unsigned hash_of(const yk_expr_step *s)
{
    unsigned char bytes[sizeof s->number];
    unsigned h = (unsigned)s->op;

    memcpy(bytes, &s->number, sizeof bytes);
    for (size_t k = 0; k < sizeof bytes; k++) h = 31u * h + bytes[k];
    return ((h * 31u + (unsigned)s->a) * 31u + (unsigned)s->b) * 31u +
           (unsigned)s->c;
}

static bool is_same(const yk_expr_step *a, const yk_expr_step *b)
{
    return a->op == b->op && a->a == b->a && a->b == b->b && a->c == b->c &&
           a->arg == b->arg && a->table == b->table &&
           memcmp(&a->number, &b->number, sizeof a->number) == 0;
}

static yoke_status make_room(yk_breaks *b, yoke_err *err)
{
    const size_t n = (size_t)b->w.all.steps + 1;

#define ROOM(array, room) YK_TRY(YK_GROW(&b->array, &b->room, n, err))
    ROOM(w.value, value_room);
    ROOM(w.held, held_room);
    ROOM(w.bound, bound_room);
    ROOM(about, about_room);
#undef ROOM
    if (n < (size_t)b->buckets) return YOKE_OK;
    yk_free(b->bucket);
    b->bucket = NULL;
    b->buckets = 0;
    YK_TRY(yk_ints(&b->bucket, 4 * n, err));
    b->buckets = (int)(4 * n);
    for (int k = 0; k < b->buckets; k++) b->bucket[k] = -1;
    for (int i = 0; i < b->w.all.steps; i++) {
        const unsigned hash = hash_of(&b->w.all.step[i]);
        b->about[i].next = b->bucket[hash % (unsigned)b->buckets];
        b->bucket[hash % (unsigned)b->buckets] = i;
    }
    return YOKE_OK;
}

/* The steps of time that a switch depends on, in order. */
static yoke_status collect(yk_breaks *b, yk_trigger *g, yoke_err *err)
{
    const yk_expr_step *step = b->w.all.step;
    int end = g->first;

    for (int k = g->first - 1; k < end; k++) {
        const yk_expr_step *s = &step[k < g->first ? g->step : b->w.list[k]];
        const int operand[3] = { s->a, s->b, s->c };
        YK_TRY(YK_GROW(&b->w.list, &b->list_room, end + 3, err));
        for (int j = 0; yk_op_operands(s->op) > 0 && j < 3; j++) {
            const int i = operand[j];
            if (step[i].kind != YK_KIND_TIME || b->about[i].mark == g->step)
                continue;
            b->about[i].mark = g->step;
            b->w.list[end++] = i;
        }
    }
    g->count = end - g->first;
    qsort(b->w.list + g->first, (size_t)g->count, sizeof *b->w.list,
          yk_compare_ints);
    return YOKE_OK;
}

static yoke_status add_trigger(yk_breaks *b, int i, yoke_err *err)
{
    const yk_expr_shape shape = watched_shape(b->w.all.step, i);
    const yk_trigger *last =
        b->triggers > 0 ? &b->trigger[b->triggers - 1] : NULL;
    yk_trigger g = { .step = i,
                     .first = last ? last->first + last->count : 0,
                     .shape = shape,
                     .simple = shape != YK_CURVED,
                     .from = NAN,
                     .gap = 1.0 };

    YK_TRY(collect(b, &g, err));
    for (int k = g.first; k < g.first + g.count; k++) {
        const int in = b->about[b->w.list[k]].trigger;
        if (in < 0) continue;
        g.nested = true;
        g.simple = g.simple && b->trigger[in].simple;
    }
    YK_TRY(YK_GROW(&b->trigger, &b->trigger_room, b->triggers + 1, err));
    b->about[i].trigger = b->triggers;
    b->trigger[b->triggers++] = g;
    return YOKE_OK;
}

/* A step that is new among all, at place i.  Numbers are computed once. */
static yoke_status complete(yk_breaks *b, int i, yoke_err *err)
{
    const yk_expr_step *s = &b->w.all.step[i];

    b->w.held[i] = 0.0;
    if (is_switch(s)) return add_trigger(b, i, err);
    if (s->kind != YK_KIND_NUMBER) return YOKE_OK;
    if (yk_op_corner(s->op) != YK_SMOOTH)
        b->w.held[i] = yk_expr_branch(s, b->w.value[s->a], b->w.value[s->b]);
    b->w.value[i] = yk_expr_held_value(s, 0.0, b->w.held[i], b->w.value);
    yk_expr_held_jet(s, 0.0, 0.0, b->w.held[i], 1, b->w.bound, &b->w.bound[i]);
    return YOKE_OK;
}

/* *out: the place of the step among all. */
static yoke_status intern(yk_breaks *b, const yk_expr_step *s, int *out,
                          yoke_err *err)
{
    YK_TRY(make_room(b, err));
    int *first = &b->bucket[hash_of(s) % (unsigned)b->buckets];
    for (*out = *first; *out >= 0; *out = b->about[*out].next)
        if (is_same(&b->w.all.step[*out], s)) return YOKE_OK;
    YK_TRY(yk_expr_append(&b->w.all, *s, out, err));
    b->about[*out] =
        (struct about){ .trigger = -1, .mark = -1, .next = *first };
    *first = *out;
    return complete(b, *out, err);
}

/* Those that switches consist of. */
static int mark_switches(const yk_expr_program *p, bool *wanted)
{
    int count = 0;

    for (int i = p->steps - 1; i >= 0; i--) {
        const yk_expr_step *s = &p->step[i];
        wanted[i] = wanted[i] || is_switch(s);
        if (!wanted[i]) continue;
        count++;
        if (yk_op_operands(s->op) > 0)
            wanted[s->a] = wanted[s->b] = wanted[s->c] = true;
    }
    return count;
}

static yoke_status add_steps(yk_breaks *b, const yk_expr_program *p,
                             const bool *wanted, int *place, yoke_err *err)
{
    for (int i = 0; i < p->steps; i++) {
        yk_expr_step s = p->step[i];
        const bool leaf = yk_op_operands(s.op) == 0;
        if (!wanted[i]) continue;
        s.a = leaf ? 0 : place[s.a];
        s.b = leaf ? 0 : place[s.b];
        s.c = leaf ? 0 : place[s.c];
        YK_TRY(intern(b, &s, &place[i], err));
    }
    return YOKE_OK;
}

yoke_status yk_breaks_add(yk_breaks **breaks, int steps,
                          const yk_expr_step *step, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_expr_program p = { 0 };
    bool *wanted = NULL;
    int *place = NULL;

    YK_GO(yk_ints(&place, (size_t)steps + 1, err));
    for (int i = 0; i < steps; i++)
        YK_GO(yk_expr_append(&p, step[i], &place[i], err));
    YK_GO(YK_NEW(&wanted, steps + 1, err));
    if (mark_switches(&p, wanted) == 0) goto done;
    if (!*breaks) {
        YK_GO(YK_NEW(breaks, 1, err));
        (*breaks)->begin = NAN;
    }
    YK_GO(add_steps(*breaks, &p, wanted, place, err));
done:
    yk_expr_clear(&p);
    YK_FREE(wanted, place);
    return status;
}
