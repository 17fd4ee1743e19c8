/* comp/equation/structure/initial_newton.c -- initial values of a model alone,
 * with its inputs at their start values.
 *
 * Newton's method with halved steps.  Where there are inputs this is a first
 * guess: the values with what is coupled to them are found at the start of a
 * run (model/initial.c).
 */
#include "comp/equation/structure/initial.h"

#include "base/tolerance.h"
#include "comp/equation/events/events.h"
#include "la/lu.h"
#include "la/newton.h"
#include "la/sparse.h"
#include "step/solve/exact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ITERATIONS = 60, HALVINGS = 12 };

typedef struct solver {
    yk_eq_initial *p;
    int cols;  /* n + p */
    int *pick; /* cols */
    yoke_pattern *pattern;
    int *place; /* of each entry, or -1 */
    double *value, *r, *step, *scale;
    double *z, *old; /* cols; where the increment begins */
    yk_lu *lu;
    double left, change; /* the residual there, the size of the last change */
    bool moved;          /* the search did not begin at the start values */
} solver;

static void solver_free(solver *s)
{
    YK_FREE(s->pick, s->place, s->value, s->r, s->step, s->scale, s->z, s->old);
    yoke_pattern_free(s->pattern);
}

static yoke_status solver_create(solver *s, yk_eq_initial *p, yoke_err *err)
{
    const size_t rows = (size_t)p->rows;

    *s = (solver){ .p = p, .cols = p->n + p->p };
    YK_TRY(yk_ints(&s->pick, (size_t)s->cols, err));
    YK_TRY(YK_DOUBLES(rows, err, &s->r, &s->step, &s->scale));
    YK_TRY(yk_doubles(&s->old, (size_t)s->cols, err));
    return yk_copy_doubles(&s->z, p->start, (size_t)s->cols, err);
}

static yoke_status make_matrix(solver *s, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_eq_entries *all = &s->p->of_z;
    int *row = NULL, *col = NULL, count = 0;

    yoke_pattern_free(s->pattern);
    s->pattern = NULL;
    yk_free(s->place);
    s->place = NULL;
    yk_free(s->value);
    s->value = NULL;
    YK_GO(YK_INTS((size_t)all->count, err, &row, &col, &s->place));
    for (int k = 0; k < all->count; k++)
        if (s->pick[all->at[k].col] >= 0) {
            row[count] = all->at[k].row;
            col[count++] = s->pick[all->at[k].col];
        }
    YK_GO(yoke_pattern_create(&s->pattern, s->p->rows, s->p->rows, count, row,
                              col, err));
    for (int k = 0; k < all->count; k++) {
        const yk_eq_entry *e = &all->at[k];
        s->place[k] =
            s->pick[e->col] < 0
                ? -1
                : yoke_pattern_find(s->pattern, e->row, s->pick[e->col]);
    }
    YK_GO(yk_doubles(&s->value, (size_t)yoke_pattern_count(s->pattern), err));
done:
    YK_FREE(row, col);
    return status;
}

static void residual(solver *s, const double *z)
{
    yk_eq_initial_set(s->p, z, NULL);
    yk_eq_initial_residual(s->p, 0.0, z, s->r);
}

/* For the values as the last residual left them. */
static void matrix(solver *s)
{
    yk_eq_initial_slopes(s->p, 0.0);
    memset(s->value, 0,
           (size_t)yoke_pattern_count(s->pattern) * sizeof *s->value);
    yk_eq_initial_add(s->p, &s->p->of_z, s->place, s->value);
}

static double norm(const solver *s)
{
    return yk_weighted_max(s->p->rows, s->r, s->scale, NULL);
}

/* The first row that is not a number. */
static int undefined(const solver *s)
{
    int row = 0;

    while (row + 1 < s->p->rows && isfinite(s->r[row])) row++;
    return row;
}

static yoke_status increment(void *self, yk_newton_run *run, yoke_err *err)
{
    solver *s = self;

    matrix(s);
    yk_row_scale(s->pattern, s->value, s->scale);
    s->left = norm(s);
    run->done = s->left < 1e-14 || s->change < 1e-12;
    run->size = run->done ? 0.0 : 1.0;
    if (run->done) return YOKE_OK;
    YK_TRY(yk_lu_factor(s->lu, s->value, NULL, err));
    memcpy(s->step, s->r, (size_t)s->p->rows * sizeof *s->r);
    memcpy(s->old, s->z, (size_t)s->cols * sizeof *s->z);
    return yk_lu_solve(s->lu, s->step, err);
}

/* Good is what lowers the residual. */
static yoke_status move(void *self, double lambda, bool *good, yoke_err *err)
{
    solver *s = self;

    s->change = 0.0;
    for (int j = 0; j < s->cols; j++) {
        const double d = s->pick[j] < 0 ? 0.0 : lambda * s->step[s->pick[j]];
        s->z[j] = s->old[j] - d;
        s->change =
            fmax(s->change, fabs(d) / (s->p->size[j] + fabs(s->old[j])));
    }
    residual(s, s->z);
    const double now = norm(s);
    *good = now < s->left || now < 1e-12;
    if (isfinite(now)) return YOKE_OK;
    return yk_fail(err, YOKE_RETRY, "%s is not defined there",
                   yk_eq_initial_row_name(s->p, undefined(s)));
}

static yoke_status iterate(solver *s, yoke_err *err)
{
    yk_newton_run run = { s, increment, move, .most = ITERATIONS,
                          .lengths = HALVINGS };

    s->change = INFINITY;
    residual(s, s->z);
    const yoke_status status = yk_newton_iterate(&run, err);
    return run.end == YK_NEWTON_SLOW && norm(s) < 1e-9 ? YOKE_OK : status;
}

/* Where nothing is said about an unknown the search begins at zero, and a
 * product such as m der(v) has no slope there. */
static void leave_zero(solver *s)
{
    memcpy(s->z, s->p->start, ((size_t)s->cols) * sizeof *s->z);
    for (int j = 0; j < s->cols; j++)
        if (s->pick[j] >= 0 && s->z[j] == 0.0) s->z[j] = s->p->size[j];
}

static yoke_status newton(solver *s, yoke_err *err)
{
    yoke_status status = YOKE_OK;

    YK_GO(make_matrix(s, err));
    YK_GO(yk_lu_create(&s->lu, s->pattern, false, err));
    memcpy(s->z, s->p->start, ((size_t)s->cols) * sizeof *s->z);
    status = iterate(s, err);
    if (status == YOKE_RETRY) {
        leave_zero(s);
        status = iterate(s, err);
    }
done:
    yk_lu_free(s->lu);
    s->lu = NULL;
    return status;
}

/* ---- Elsewhere ----------------------------------------------------------- */

enum { WAYS = 4, MOST_ROWS = 2000 };

/* Start values that lead nowhere are replaced by others of the nominal sizes, all
 * of them different: where unknowns are equal, slopes often are. */
static void begin_elsewhere(solver *s, int way)
{
    static const double factor[WAYS] = { 1.0, 0.01, -1.0, 100.0 };

    memcpy(s->z, s->p->start, ((size_t)s->cols) * sizeof *s->z);
    for (int j = 0; j < s->cols; j++) {
        const double golden = 0.6180339887498949 * (j + 1);
        if (s->pick[j] < 0 || (j < s->p->n && s->p->fixed[j])) continue;
        s->z[j] = factor[way] * s->p->size[j] * (0.5 + golden - floor(golden));
    }
}

static yoke_status elsewhere(solver *s, yoke_err *err)
{
    yoke_status status = YOKE_RETRY;

    YK_GO(make_matrix(s, err));
    YK_GO(yk_lu_create(&s->lu, s->pattern, false, err));
    status = YOKE_RETRY;
    for (int way = 0; way < WAYS && status == YOKE_RETRY; way++) {
        begin_elsewhere(s, way);
        status = iterate(s, NULL);
    }
    s->moved = status == YOKE_OK;
done:
    yk_lu_free(s->lu);
    s->lu = NULL;
    return status;
}

/* ---- Attempts ----------------------------------------------------------- */

/* The same equations one block after the other. */
static yoke_status by_blocks(solver *s, bool respect_fixed, yoke_err *err)
{
    yoke_system *equations = NULL;
    double *u = NULL;
    const yk_layout *l = &s->p->s->layout;
    yoke_status status = YOKE_OK;

    YK_GO(yk_eq_initial_system(&equations, s->p, respect_fixed, err));
    YK_GO(yk_doubles(&u, (size_t)l->m + 1, err));
    for (int k = 0; k < l->m; k++) u[k] = s->p->s->w[l->u_slot[k]];
    memcpy(s->z, s->p->start, (size_t)s->cols * sizeof *s->z);
    YK_GO(yk_initial_blocks(equations, 0.0, u, s->z, err));
done:
    yoke_system_free(equations);
    yk_free(u);
    return status;
}

static yoke_status attempt(solver *s, bool respect_fixed, yoke_err *err)
{
    YK_TRY(yk_eq_initial_choose(s->p, respect_fixed, s->pick, err));
    const yoke_status quick = newton(s, err);
    if (quick < 0) return quick;
    const bool alone = s->p->s->layout.m == 0;
    s->moved = false;
    if (quick > 0) {
        yoke_status status = by_blocks(s, respect_fixed, err);
        if (status == YOKE_RETRY && alone && s->p->rows <= MOST_ROWS)
            status = elsewhere(s, err);
        if (status != YOKE_OK) return status;
    }
    const yoke_status status = yk_eq_initial_check_fixed(s->p, s->z, err);
    if (status != YOKE_OK) return status > 0 && alone ? YOKE_E_MODEL : status;
    if (!alone) return YOKE_OK;
    yk_eq_initial_set(s->p, s->z, NULL);
    return yk_eq_initial_check_spare(s->p, 0.0, err);
}

static yoke_status solve(solver *s, yoke_err *err)
{
    const yoke_status status = attempt(s, false, err);

    if (status == YOKE_OK || status == YOKE_E_MEMORY) return status;
    return attempt(s, true, err);
}

/* Relations are held while the rest is solved for; then they change. */
static yoke_status solve_all(solver *s, yoke_err *err)
{
    enum { ROUNDS = 30 };
    yk_subsystem *own = s->p->s;
    const yk_relations *relations = yk_whens_relations(own->events);

    yk_eq_initial_set(s->p, s->z, NULL);
    yk_relations_settle(relations, 0.0, own->w);
    for (int i = 0; i < ROUNDS && s->p->rows > 0; i++) {
        YK_TRY(solve(s, err));
        yk_eq_initial_set(s->p, s->z, NULL);
        if (!yk_relations_settle(relations, 0.0, own->w)) return YOKE_OK;
    }
    return YOKE_OK;
}

yoke_status yk_eq_initial_alone(yk_eq_initial *p, double *x, char *note,
                                size_t note_size, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_subsystem *s = p->s;
    solver own;
    yoke_err why = { .status = YOKE_OK };

    note[0] = '\0';
    YK_GO(solver_create(&own, p, err));
    status = solve_all(&own, &why);
    if (status > 0 && (s->layout.m > 0 || s->model.initial.count == 0)) {
        snprintf(note, note_size,
                 " The algebraic start values are left as given: %.200s.",
                 why.text);
        memcpy(own.z, p->start, (size_t)p->n * sizeof *own.z);
        status = YOKE_OK;
    }
    if (status != YOKE_OK) {
        status = yk_fail(err, status < 0 ? status : YOKE_E_MODEL,
                         "%s: initial values: %s", p->file, why.text);
        goto done;
    }
    if (own.moved)
        snprintf(note, note_size,
                 " Nothing was found from the start values: the search for "
                 "initial values began elsewhere.");
    memcpy(x, own.z, (size_t)p->n * sizeof *x);
    yk_eq_initial_set(p, own.z, NULL);
    yk_relations_settle(yk_whens_relations(s->events), 0.0, s->w);
done:
    solver_free(&own);
    return status;
}
