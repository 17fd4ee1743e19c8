/* comp/equation/structure/initial_newton.c -- initial values of a model alone,
 * with its inputs at their start values.
 *
 * Newton's method with halved steps.  Where there are inputs this is a first
 * guess: the values with what is coupled to them are found at the start of a
 * run (model/initial.c).
 */
#include "comp/equation/structure/initial.h"

#include "comp/equation/events/events.h"
#include "la/lu.h"

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
    double *z, *trial; /* cols */
} solver;

static void solver_free(solver *s)
{
    void *all[] = { s->pick, s->place, s->value, s->r,
                    s->step, s->scale, s->z,     s->trial };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) yk_free(all[k]);
    yoke_pattern_free(s->pattern);
}

static yoke_status solver_create(solver *s, yk_eq_initial *p, yoke_err *err)
{
    const size_t rows = (size_t)p->rows;

    *s = (solver){ .p = p, .cols = p->n + p->p };
    YK_TRY(yk_ints(&s->pick, (size_t)s->cols, err));
    YK_TRY(yk_doubles(&s->r, rows, err));
    YK_TRY(yk_doubles(&s->step, rows, err));
    YK_TRY(yk_doubles(&s->scale, rows, err));
    YK_TRY(yk_doubles(&s->trial, (size_t)s->cols, err));
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
    YK_GO(yk_ints(&row, (size_t)all->count, err));
    YK_GO(yk_ints(&col, (size_t)all->count, err));
    YK_GO(yk_ints(&s->place, (size_t)all->count, err));
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
    yk_free(row);
    yk_free(col);
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

/* Rows are compared after division by their largest entry. */
static void find_scale(solver *s)
{
    const yoke_pattern *a = s->pattern;

    for (int i = 0; i < s->p->rows; i++) s->scale[i] = 0.0;
    for (int k = 0; k < a->start[a->cols]; k++)
        s->scale[a->row[k]] = fmax(s->scale[a->row[k]], fabs(s->value[k]));
    for (int i = 0; i < s->p->rows; i++)
        if (!(s->scale[i] > 0.0) || !isfinite(s->scale[i])) s->scale[i] = 1.0;
}

static double norm(const solver *s)
{
    double most = 0.0;

    for (int i = 0; i < s->p->rows; i++) {
        const double v = fabs(s->r[i]) / s->scale[i];
        if (!(v <= most)) most = v; /* keeps NaN */
    }
    return most;
}

/* The first row that is not a number. */
static int undefined(const solver *s)
{
    int row = 0;

    while (row + 1 < s->p->rows && isfinite(s->r[row])) row++;
    return row;
}

/* z += lambda step, with the longest lambda = 1, 1/2, ... that lowers the
 * residual; *change is the size of the change. */
static yoke_status advance(solver *s, double *change, yoke_err *err)
{
    const double before = norm(s);
    double lambda = 1.0;

    for (int h = 0; h < HALVINGS; h++, lambda *= 0.5) {
        *change = 0.0;
        for (int j = 0; j < s->cols; j++) {
            const double d =
                s->pick[j] < 0 ? 0.0 : lambda * s->step[s->pick[j]];
            s->trial[j] = s->z[j] - d;
            *change = fmax(*change, fabs(d) / (s->p->size[j] + fabs(s->z[j])));
        }
        residual(s, s->trial);
        const double now = norm(s);
        if (now < before || now < 1e-12) break;
    }
    if (!isfinite(norm(s)))
        return yk_fail(err, YOKE_RETRY, "%s is not defined there",
                       s->p->row_name[undefined(s)]);
    memcpy(s->z, s->trial, ((size_t)s->cols) * sizeof *s->z);
    return YOKE_OK;
}

static yoke_status iterate(solver *s, yk_lu *lu, yoke_err *err)
{
    double change = INFINITY;

    residual(s, s->z);
    for (int k = 0; k < ITERATIONS; k++) {
        matrix(s);
        find_scale(s);
        if (norm(s) < 1e-14 || change < 1e-12) return YOKE_OK;
        YK_TRY(yk_lu_factor(lu, s->value, NULL, err));
        memcpy(s->step, s->r, (size_t)s->p->rows * sizeof *s->r);
        YK_TRY(yk_lu_solve(lu, s->step, err));
        YK_TRY(advance(s, &change, err));
    }
    if (norm(s) < 1e-9) return YOKE_OK;
    return yk_fail(err, YOKE_RETRY, "Newton's method did not converge");
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
    yk_lu *lu = NULL;

    YK_GO(make_matrix(s, err));
    YK_GO(yk_lu_create(&lu, s->pattern, false, err));
    memcpy(s->z, s->p->start, ((size_t)s->cols) * sizeof *s->z);
    status = iterate(s, lu, err);
    if (status == YOKE_RETRY) {
        leave_zero(s);
        status = iterate(s, lu, err);
    }
done:
    yk_lu_free(lu);
    return status;
}

/* ---- Attempts ----------------------------------------------------------- */

static yoke_status attempt(solver *s, bool respect_fixed, yoke_err *err)
{
    YK_TRY(yk_eq_initial_choose(s->p, respect_fixed, s->pick, err));
    YK_TRY(newton(s, err));
    const yoke_status status = yk_eq_initial_check_fixed(s->p, s->z, err);
    return status > 0 && s->p->s->layout.m == 0 ? YOKE_E_MODEL : status;
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
    memcpy(x, own.z, (size_t)p->n * sizeof *x);
    yk_eq_initial_set(p, own.z, NULL);
    yk_relations_settle(yk_whens_relations(s->events), 0.0, s->w);
done:
    solver_free(&own);
    return status;
}
