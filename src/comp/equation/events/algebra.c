/* comp/equation/events/algebra.c -- algebraic unknowns at an instant are solved
 * for.
 *
 * Newton's method for all of them at once, from their values before; where that
 * fails, one block after the other, as initial values.
 */
#include "comp/equation/events/algebra_parts.h"

#include "base/tolerance.h"
#include "comp/equation/code/subsystem.h"
#include "la/newton.h"
#include "step/solve/exact.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 30, HALVINGS = 10 };

void yk_algebra_free(yk_algebra *a)
{
    if (!a) return;
    for (int i = 0; i < a->count; i++) {
        if (a->row_name) yk_free(a->row_name[i]);
        if (a->col_name) yk_free(a->col_name[i]);
    }
    yk_lu_free(a->lu);
    yoke_pattern_free(a->pattern);
    YK_FREE(a->row, a->col, a->kept, a->jumps, a->row_name, a->col_name,
            a->from, a->value, a->r, a->step, a->scale, a->charge, a->old,
            a->begin, a->f, a->J, a->x, a->slot, a->last);
    yk_free(a);
}

/* ---- Values -------------------------------------------------------------- */

static int slot_of(const yk_algebra *a, int i)
{
    return a->layout->x_slot[a->col[i]];
}

static void follow_aliases(const yk_algebra *a, double *w)
{
    const yk_layout *l = a->layout;

    for (int k = 0; k < l->fills; k++)
        w[l->fill_to[k]] = l->fill_sign[k] * w[l->fill_from[k]];
}

void yk_algebra_accept(yk_algebra *a, const double *w)
{
    for (int k = 0; k < a->slots; k++) a->last[k] = w[a->slot[k]];
}

static bool has_changed(const yk_algebra *a, const double *w)
{
    for (int k = 0; k < a->slots; k++)
        if (memcmp(&a->last[k], &w[a->slot[k]], sizeof *w) != 0) return true;
    return false;
}

void yk_algebra_copy(const yk_algebra *a, const double *from, double *to)
{
    for (int i = 0; i < a->count; i++) to[slot_of(a, i)] = from[slot_of(a, i)];
    follow_aliases(a, to);
}

void yk_algebra_move(const yk_algebra *a, const double *w, const double *w0,
                     int way, double *to)
{
    static const double part = 1e-9; /* Newton's method ends at 1e-12 */

    memcpy(to, w, (size_t)a->layout->slots * sizeof *to);
    for (int i = 0; i < a->count; i++) {
        const int k = slot_of(a, i);
        const double by = part * fmax(fabs(w[k]), fabs(w0[k]));
        to[k] += way && i % 2 ? -by : by;
    }
    follow_aliases(a, to);
}

void yk_algebra_write(const yk_algebra *a, const double *w, double *x)
{
    const yoke_pattern *C = a->layout->C;

    for (int i = 0; i < a->count; i++)
        if (C->start[a->col[i]] == C->start[a->col[i] + 1])
            x[a->col[i]] = w[slot_of(a, i)];
}

/* ---- The equations ------------------------------------------------------- */

static void charges(const yk_algebra *a, double *q)
{
    const yoke_pattern *C = a->layout->C;
    double *x = a->x;

    memset(x, 0, (size_t)a->layout->n * sizeof *x);
    for (int j = 0; j < a->layout->n; j++)
        for (int k = C->start[j]; k < C->start[j + 1]; k++)
            x[C->row[k]] += a->layout->C_value[k] * a->w[a->layout->x_slot[j]];
    for (int i = 0; i < a->count; i++) q[i] = a->kept[i] ? x[a->row[i]] : 0.0;
}

static void residual(const yk_algebra *a)
{
    charges(a, a->r);
    yk_subsystem_f(a->s, a->t, a->w, a->f);
    for (int i = 0; i < a->count; i++)
        a->r[i] = a->kept[i] ? a->r[i] - a->charge[i] : a->f[a->row[i]];
}

static void matrix(const yk_algebra *a, double *value)
{
    const yoke_pattern *p = a->pattern;

    yk_subsystem_j(a->s, a->t, a->w, a->J);
    for (int k = 0; k < p->start[p->cols]; k++)
        value[k] = a->kept[p->row[k]] ? a->layout->C_value[a->from[k]]
                                      : a->J[a->from[k]];
}

/* Rows are compared after division by their largest entry. */
static void find_scale(yk_algebra *a)
{
    const yoke_pattern *p = a->pattern;

    for (int i = 0; i < a->count; i++) a->scale[i] = 0.0;
    for (int k = 0; k < p->start[p->cols]; k++)
        a->scale[p->row[k]] = fmax(a->scale[p->row[k]], fabs(a->value[k]));
    for (int i = 0; i < a->count; i++)
        if (!(a->scale[i] > 0.0) || !isfinite(a->scale[i])) a->scale[i] = 1.0;
}

static double norm(const yk_algebra *a)
{
    return yk_weighted_max(a->count, a->r, a->scale, NULL);
}

/* ---- All at once --------------------------------------------------------- */

static yoke_status increment(void *self, yk_newton_run *run, yoke_err *err)
{
    yk_algebra *a = self;

    matrix(a, a->value);
    find_scale(a);
    a->left = norm(a);
    run->done = a->change < 1e-12 || a->left == 0.0;
    run->size = a->left == 0.0 ? 0.0 : 1.0;
    if (a->left == 0.0) return YOKE_OK;
    YK_TRY(yk_lu_factor(a->lu, a->value, NULL, err));
    memcpy(a->step, a->r, (size_t)a->count * sizeof *a->r);
    for (int i = 0; i < a->count; i++) a->old[i] = a->w[slot_of(a, i)];
    return yk_lu_solve(a->lu, a->step, err);
}

/* Good is what lowers the residual, or moves nothing any more. */
static yoke_status move(void *self, double lambda, bool *good, yoke_err *err)
{
    yk_algebra *a = self;

    a->change = 0.0;
    for (int i = 0; i < a->count; i++) {
        const double d = lambda * a->step[i], now = a->old[i] - d;
        const double size =
            fmax(fmax(fabs(now), fabs(a->old[i])), fabs(a->begin[i]));
        a->w[slot_of(a, i)] = now;
        if (size > 0.0) a->change = fmax(a->change, fabs(d) / size);
    }
    follow_aliases(a, a->w);
    residual(a);
    const double now = norm(a);
    if (!isfinite(now))
        return yk_fail(err, YOKE_RETRY, "the equations have no value there");
    if (good) *good = now < a->left || a->change < 1e-12;
    return YOKE_OK;
}

static yoke_status at_once(yk_algebra *a, yoke_err *err)
{
    yk_newton_run run = { a, increment, move, .most = ITERATIONS,
                          .lengths = HALVINGS };

    a->change = INFINITY;
    residual(a);
    return yk_newton_iterate(&run, err);
}

/* ---- One block after the other ------------------------------------------- */

static void set(const yk_algebra *a, const double *z)
{
    for (int i = 0; i < a->count; i++) a->w[slot_of(a, i)] = z[i];
    follow_aliases(a, a->w);
}

static yoke_status eval(void *self, double t, const double *z, const double *u,
                        double *q, double *f, yoke_err *err)
{
    const yk_algebra *a = self;

    (void)t, (void)u, (void)err;
    if (q) memset(q, 0, (size_t)a->count * sizeof *q);
    if (!f) return YOKE_OK;
    set(a, z);
    residual(a);
    memcpy(f, a->r, (size_t)a->count * sizeof *f);
    return YOKE_OK;
}

static yoke_status jacobian(void *self, double t, const double *z,
                            const double *u, const yoke_jacobian *jac,
                            yoke_err *err)
{
    const yk_algebra *a = self;

    (void)t, (void)u, (void)err;
    set(a, z);
    if (jac->G) matrix(a, jac->G);
    return YOKE_OK;
}

static const yoke_system_ops ops = {
    .kind = "equations at an event",
    .eval = eval,
    .jacobian = jacobian,
};

static yoke_status by_blocks(yk_algebra *a, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_system *equations = NULL;
    double *z = NULL;
    const yoke_system_info info = {
        .n = a->count,
        .x0 = a->begin,
        .x_name = (const char *const *)a->col_name,
        .eq_name = (const char *const *)a->row_name,
        .G = a->pattern,
    };

    YK_GO(yk_copy_doubles(&z, a->begin, (size_t)a->count, err));
    YK_GO(yoke_system_create(&equations, "event", &ops, a, &info, err));
    YK_GO(yk_initial_blocks(equations, a->t, NULL, z, err));
    set(a, z);
done:
    yoke_system_free(equations);
    yk_free(z);
    return status;
}

yoke_status yk_algebra_solve(yk_algebra *a, struct yk_subsystem *s, double t,
                             double *w, bool anyway, bool *solved,
                             yoke_err *err)
{
    *solved = anyway || has_changed(a, w);
    if (!*solved) return YOKE_OK;
    a->s = s;
    a->t = t;
    a->w = w;
    charges(a, a->charge);
    for (int i = 0; i < a->count; i++) a->begin[i] = w[slot_of(a, i)];
    yoke_status status = at_once(a, NULL);
    if (status > 0) {
        set(a, a->begin);
        status = by_blocks(a, err);
        if (status != YOKE_OK) set(a, a->begin);
    }
    if (status == YOKE_OK) yk_algebra_accept(a, w);
    return status;
}
