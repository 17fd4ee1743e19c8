/* iter/correct/correct.c -- better coupling waveforms between two sweeps.
 *
 * With r = F(w) - w the correction dw solves dw - F' dw = r on a grid of N
 * equal steps.  At each instant
 *
 *     dw(t) = M r(t) + M history(t),      M = (I - S)^-1.
 *
 * The second part is smooth and interpolated from the grid.  The first part may
 * be rough, on the scale of the subsystems' own steps; where M differs from the
 * identity it is applied to the waveforms themselves, exactly, so that nothing
 * between the points of the grid is left for a strong coupling to amplify.  For
 * the history r is averaged around each point.
 *
 * Without history, and with S for h -> 0, this is the preconditioner of Arnold
 * and Guenther (2001), equations (2.12) to (2.14): M = (I - A)^-1.  An A(t)
 * given by the user is taken at each point of the grid, and at the end of the
 * window for the part that is applied exactly.  Without a linearisation M = I,
 * and Anderson's method does the rest; Aitken's has M = omega I.
 *
 * How dw is found is the business of the accelerations (acceleration.h); here is
 * when they are made again, how their corrections are judged, and when they are
 * left out.
 */
#include "iter/correct/correct.h"

#include "base/lengths.h"
#include "iter/correct/acceleration.h"
#include "iter/policy.h"

#include <math.h>
#include <string.h>

/* h -> 0 relative to the window. */
static const double short_step = 1e-6;

/* An acceleration that is used. */
typedef struct user {
    const yk_acceleration *ops; /* NULL: none */
    void *self;
} user;

struct yk_correct {
    yk_grid grid;
    user first, second; /* second: what works on the dw of others */
    double step;        /* of the matrices; 0: none */
    bool chosen;        /* the grid of this window */
    bool stale;         /* new matrices are wanted */
    bool stopped;       /* no correction in this window */
    int skip, distrust; /* windows without; the next time */
    int applied;        /* corrections in this window */
    int grown, slow;    /* those in a row that grew, or hardly shrank */
    int stuck;          /* sweeps in a row with hardly less to correct */
    double norm, rest;  /* of the last dw; of r before it */
    yoke_err why;       /* there was no correction the last time */
};

static void user_free(user *u)
{
    if (u->self) u->ops->free(u->self);
}

void yk_correct_free(yk_correct *c)
{
    if (!c) return;
    user_free(&c->first);
    user_free(&c->second);
    yk_grid_clear(&c->grid);
    yk_free(c);
}

/* What is asked for, as far as the units can.  False: nothing. */
static bool choose(yk_correct *c, const yoke_iterate_options *o, bool answers)
{
#define ENTRY(E, name, text) [YOKE_ACCELERATE_##E] = &yk_accelerate_##name,
    static const yk_acceleration *const table[] = { YK_ACCELERATIONS(ENTRY) };
#undef ENTRY
    const yk_acceleration *way = table[o->accelerate];

    if (o->accelerate == YOKE_ACCELERATE_AUTO) {
        c->first.ops = &yk_accelerate_newton;
        c->second.ops = &yk_accelerate_anderson;
    } else if (way == &yk_accelerate_precondition && o->preconditioner)
        c->first.ops = &yk_accelerate_given;
    else if (way && way->after)
        c->second.ops = way;
    else
        c->first.ops = way;
    if (c->first.ops && c->first.ops->answers && !answers) c->first.ops = NULL;
    return c->first.ops || c->second.ops;
}

static yoke_status user_create(user *u, const yk_grid *grid, yoke_err *err)
{
    return u->ops && u->ops->create ? u->ops->create(&u->self, grid, err)
                                    : YOKE_OK;
}

yoke_status yk_correct_create(yk_correct **out, yk_plan_state *plan,
                              const yoke_iterate_options *options,
                              yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_interface *interface = NULL;
    yk_correct *c = NULL;

    *out = NULL;
    YK_TRY(YK_NEW(&c, 1, err));
    YK_GO(yk_interface_create(&interface, plan, err));
    if (!choose(c, options, yk_interface_can(interface)) ||
        yk_interface_size(interface, NULL) == 0) {
        yk_interface_free(interface);
        goto done;
    }
    YK_GO(yk_grid_create(&c->grid, interface, plan, options, err));
    c->grid.history = c->first.ops && c->first.ops->history;
    YK_GO(user_create(&c->first, &c->grid, err));
    YK_GO(user_create(&c->second, &c->grid, err));
    *out = c;
    c = NULL;
done:
    yk_correct_free(c);
    return status;
}

void yk_correct_names(yk_correct *c, const yk_iteration_setup *setup,
                      const int *variable_at)
{
    for (int l = 0; c && l < c->grid.size; l++) {
        const yk_late *late = &c->grid.late[l];
        const int id =
            c->grid.plan->plan.unit[late->unit].output_id[late->component];
        if (setup->weight) c->grid.counts[l] = setup->weight[id];
        if (variable_at[id] >= 0)
            c->grid.name[l] = setup->variable_name[variable_at[id]];
    }
}

void yk_correct_begin(yk_correct *c, double t0, double t1)
{
    const user *const both[] = { &c->first, &c->second };

    c->grid.t0 = t0;
    c->grid.t1 = t1;
    c->chosen = false;
    c->stopped = c->skip > 0;
    c->skip -= c->skip > 0;
    c->applied = c->grown = c->slow = c->stuck = 0;
    for (int k = 0; k < 2; k++)
        if (both[k]->ops && both[k]->ops->begin)
            both[k]->ops->begin(both[k]->self);
}

void yk_correct_accept(yk_correct *c, double rate)
{
    if (!c->stopped && c->applied > 1) c->distrust = 0;
    c->stale = c->stale || rate > YK_ITER_GOOD_RATE;
    if (c->first.ops && c->first.ops->accept)
        c->first.ops->accept(c->first.self, c->grid.t1, c->step);
}

/* ---- matrices ------------------------------------------------------------ */

/* What the second one has learnt was with another grid or another first one. */
static void reset(yk_correct *c)
{
    if (c->second.ops) c->second.ops->reset(c->second.self);
}

static yoke_status choose_steps(yk_correct *c, yoke_err *err)
{
    const yk_plan_state *plan = c->grid.plan;
    int pieces = 0, steps = YK_LEAST_STEPS;

    for (int i = 0; i < plan->plan.units; i++) {
        const int own = yk_wave_pieces(plan->unit[i].y);
        if (own > pieces) pieces = own;
    }
    while (steps < YK_MOST_STEPS && steps < YK_ITER_GRID_POINTS * pieces)
        steps *= 2;
    if (steps <= c->grid.steps && 4 * steps > c->grid.steps) return YOKE_OK;
    YK_TRY(yk_grid_steps(&c->grid, steps, err));
    reset(c);
    return YOKE_OK;
}

/* What is not read of a waveform, between the points that a subsystem looks
 * at, has F' = 0: applied to it, M leaves the part I - M of it.  What is read
 * there and is not on the grid grows by S in each sweep.  Unless I - M is a
 * clear reduction, M is applied to the waveforms as they are in every other
 * sweep: the one takes what is read, the other what is not. */
static void choose_exact(yk_correct *c)
{
    yk_grid *g = &c->grid;
    double norm = 0.0;

    for (int i = 0; i < g->size && g->history; i++) {
        double sum = 0.0;
        for (int k = g->m.start[i]; k < g->m.start[i + 1]; k++)
            sum += fabs(g->m.value[k]) * g->scale[g->m.col[k]];
        norm = fmax(norm, sum / g->scale[i]);
    }
    g->exact = norm < YK_ITER_EXACT || c->applied % 2 == 0;
}

/* The matrices for this window, if those at hand do not serve. */
static yoke_status prepare(yk_correct *c, yoke_err *err)
{
    const yk_acceleration *first = c->first.ops;
    yk_grid *g = &c->grid;

    if (!c->chosen) YK_TRY(choose_steps(c, err));
    c->chosen = true;
    const double length = g->t1 - g->t0;
    const double h = g->history ? length / g->steps : length * short_step;
    const bool same = yk_same_length(h, c->step);
    const bool answers = first && first->answers;
    if (!same) reset(c);
    if (answers && !c->stale && same && (first->history || c->applied > 0))
        return YOKE_OK;
    c->step = 0.0;
    if (first && first->prepare)
        YK_TRY(first->prepare(c->first.self, g, h, err));
    c->step = h;
    if (!answers) return YOKE_OK;
    c->stale = false;
    reset(c);
    return YOKE_OK;
}

/* ---- the correction ------------------------------------------------------ */

/* dw of the newest r, with what is known now. */
static yoke_status solve(yk_correct *c, yoke_err *err)
{
    yk_grid *g = &c->grid;

    if (c->first.ops) return c->first.ops->apply(c->first.self, g, err);
    memcpy(g->dw, g->r, (size_t)(g->size * (g->steps + 1)) * sizeof *g->dw);
    return YOKE_OK;
}

/* The first correction; with new matrices if the old ones are no longer good. */
static yoke_status solve_anew(yk_correct *c, yoke_err *err)
{
    const double last = c->norm, rest = c->rest;
    yk_grid *g = &c->grid;

    YK_TRY(solve(c, err));
    if (c->applied == 0) yk_grid_scale(g);
    c->norm = yk_grid_norm(g, g->dw);
    c->rest = yk_grid_norm(g, g->r);
    if (c->applied == 0) return YOKE_OK;
    c->stuck =
        c->rest > YK_ITER_STUCK_RATE * rest && c->rest > 1.0 ? c->stuck + 1 : 0;
    if (c->norm < YK_ITER_SMALL || c->norm <= YK_ITER_GOOD_RATE * last)
        return YOKE_OK;
    c->slow = c->norm > YK_ITER_SLOW_RATE * last ? c->slow + 1 : 0;
    c->grown = c->norm > last ? c->grown + 1 : 0;
    /* Differences are worth something only with one linearisation. */
    if (!g->history || (c->second.ops && c->slow >= 2)) return YOKE_OK;
    c->stale = true;
    YK_TRY(prepare(c, err));
    YK_TRY(solve(c, err));
    c->norm = yk_grid_norm(g, g->dw);
    return YOKE_OK;
}

/* Beside a linearisation the second one only if that alone is slow. */
static yoke_status improve(yk_correct *c, yoke_err *err)
{
    if (!c->second.ops || (c->first.ops && c->slow < 2)) return YOKE_OK;
    return c->second.ops->apply(c->second.self, &c->grid, err);
}

/* It did harm: the plain iteration goes on from what the sweep made, and the
 * next windows do without it, the more the oftener that happens. */
static void stop(yk_correct *c)
{
    c->stopped = true;
    c->step = 0.0; /* another window needs other matrices */
    c->skip = c->distrust;
    c->distrust = c->distrust ? 2 * c->distrust : 1;
    if (c->distrust > YK_ITER_DISTRUST) c->distrust = YK_ITER_DISTRUST;
}

static bool harmful(const yk_correct *c)
{
    const yk_acceleration *a = c->first.ops ? c->first.ops : c->second.ops;

    if (a->always) return false;
    return c->grown > (a->learns ? YK_ITER_PATIENCE : 0) ||
           (a->answers && c->stuck >= YK_ITER_STUCK);
}

const char *yk_correct_why_not(const yk_correct *c)
{
    return c ? c->why.text : "";
}

/* YOKE_RETRY: there is no correction. */
static yoke_status find(yk_correct *c, yoke_err *err)
{
    yk_grid *g = &c->grid;

    YK_TRY(prepare(c, err));
    yk_grid_sample(g);
    choose_exact(c);
    YK_TRY(solve_anew(c, err));
    YK_TRY(improve(c, err));
    c->applied++;
    if (yk_all_finite(g->dw, g->size * (g->steps + 1), NULL)) return YOKE_OK;
    return yk_fail(err, YOKE_RETRY, "the correction is not finite");
}

yoke_status yk_correct_apply(yk_correct *c, bool *done, yoke_err *err)
{
    yoke_err why = { YOKE_OK, "" };

    *done = false;
    if (c->stopped) return YOKE_OK;
    const yoke_status status = find(c, &why);
    if (status < 0) {
        if (err) *err = why;
        return status;
    }
    c->why = why;
    if (status != YOKE_OK || harmful(c)) {
        stop(c);
        return YOKE_OK;
    }
    YK_TRY(yk_grid_correct(&c->grid, err));
    *done = true;
    return YOKE_OK;
}
