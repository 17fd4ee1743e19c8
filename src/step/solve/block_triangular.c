/* step/solve/block_triangular.c -- initial values, one block of equations
 * after the other.
 *
 * Newton's method for everything at once linearises equations at values that
 * other equations are still going to change: r = sqrt(x^2 + y^2) is no trouble,
 * but a = 1/r is while r has its first value, zero.  So where that fails the
 * equations
 *
 *     q(t0, x, u0) = q0  on rows with charge,   f(t0, x, u0) = 0  on the others
 *
 * are put in block triangular form (Tarjan).  Each block is solved for its own
 * unknowns when all that it depends on is known; an explicit equation is a block
 * of one, and one step of Newton's method evaluates it.  In a block:
 *
 *     1. Newton's method, increments halved until the residual falls,
 *     2. the same with nominal values, positive and negative, instead of zeros,
 *     3. along the path  r(z) - (1 - s) r(z0) = 0,  s from 0 to 1, in steps as
 *        long as Newton's method converges.
 *
 * Limits: every step evaluates all equations, and a block is a dense matrix: up
 * to YK_STEP_BLOCKS_MOST unknowns.
 */
#include "step/solve/exact.h"

#include "base/text.h"
#include "base/vector.h"
#include "la/dense.h"
#include "la/pattern.h"
#include "step/policy.h"

enum { ITERATIONS = 60, HALVINGS = 14 };

typedef struct blocks {
    yoke_system *system;
    const yoke_system_info *info;
    double t;
    const double *u;
    double *x;
    int n;
    bool *charged;
    double *q0, *q, *f, *r;
    double *C, *G;
    yoke_pattern *pattern;
    int *row, *col, *first, *number, count;
    /* The block that is solved now. */
    int begin, size;
    double *a, *step, *scale, *old, *before, *z0, *r0;
    int *pivot;
    double share; /* of r0 that is taken away */
} blocks;

static void blocks_free(blocks *b)
{
    YK_FREE(b->charged, b->q0, b->q, b->f, b->r, b->C, b->G, b->row, b->col,
            b->first, b->number, b->a, b->step, b->scale, b->old, b->before,
            b->z0, b->r0, b->pivot, b->x);
    yoke_pattern_free(b->pattern);
}

/* Rows of C where there is a charge, of G elsewhere. */
static yoke_status make_pattern(blocks *b, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yoke_pattern *from[2] = { b->info->C, b->info->G };
    const size_t most = (size_t)yoke_pattern_count(from[0]) +
                        (size_t)yoke_pattern_count(from[1]);
    int *row = NULL, *col = NULL, count = 0;

    YK_GO(YK_INTS(most, err, &row, &col));
    for (int k = 0; k < yoke_pattern_count(from[0]); k++)
        b->charged[from[0]->row[k]] = true;
    for (int m = 0; m < 2; m++)
        for (int j = 0; j < b->n; j++)
            for (int k = from[m]->start[j]; k < from[m]->start[j + 1]; k++) {
                if (b->charged[from[m]->row[k]] != (m == 0)) continue;
                row[count] = from[m]->row[k];
                col[count++] = j;
            }
    YK_GO(yoke_pattern_create(&b->pattern, b->n, b->n, count, row, col, err));
done:
    YK_FREE(row, col);
    return status;
}

static yoke_status blocks_create(blocks *b, yoke_err *err)
{
    const size_t n = (size_t)b->n, one = n + 1;
    int matched = 0;

    YK_TRY(YK_NEW(&b->charged, b->n, err));
    YK_TRY(make_pattern(b, err));
    YK_TRY(YK_INTS(one, err, &b->row, &b->col, &b->first, &b->number));
    YK_TRY(yk_pattern_blocks(b->pattern, b->row, b->col, b->first, &b->count,
                             &matched, err));
    if (matched < b->n)
        return yk_fail(err, YOKE_RETRY,
                       "the equations do not determine all unknowns");
    int most = 0;
    for (int k = 0; k < b->count; k++)
        if (b->first[k + 1] - b->first[k] > most)
            most = b->first[k + 1] - b->first[k];
    const size_t size = (size_t)most;
    YK_TRY(YK_DOUBLES(one, err, &b->q0, &b->q, &b->f, &b->r));
    YK_TRY(yk_doubles(&b->C, (size_t)yoke_pattern_count(b->info->C) + 1, err));
    YK_TRY(yk_doubles(&b->G, (size_t)yoke_pattern_count(b->info->G) + 1, err));
    YK_TRY(yk_doubles(&b->a, size * size, err));
    YK_TRY(YK_DOUBLES(size, err, &b->step, &b->scale, &b->old, &b->before,
                      &b->z0, &b->r0));
    return yk_ints(&b->pivot, size, err);
}

/* ---- One block ----------------------------------------------------------- */

/* r of the block; values that are not finite are left in it. */
static yoke_status residual(blocks *b, yoke_err *err)
{
    for (int i = 0; i < b->n; i++) b->q[i] = b->f[i] = NAN;
    const yoke_status status =
        yoke_system_eval(b->system, b->t, b->x, b->u, b->q, b->f, err);
    if (status < 0) return status;
    for (int k = 0; k < b->size; k++) {
        const int i = b->row[b->begin + k];
        b->r[k] = b->charged[i] ? b->q[i] - b->q0[i] : b->f[i];
        if (b->share > 0.0) b->r[k] -= b->share * b->r0[k];
    }
    return YOKE_OK;
}

/* The matrix of the block, row by row, and the largest slope of each row. */
static yoke_status matrix(blocks *b)
{
    const yoke_pattern *from[2] = { b->info->C, b->info->G };
    const yoke_jacobian want = { .C = b->C, .G = b->G };

    for (int k = 0; k < yoke_pattern_count(from[0]); k++) b->C[k] = NAN;
    for (int k = 0; k < yoke_pattern_count(from[1]); k++) b->G[k] = NAN;
    const yoke_status status =
        yoke_system_jacobian(b->system, b->t, b->x, b->u, &want, NULL);
    if (status < 0) return status;
    yk_zero(b->a, b->size * b->size);
    yk_zero(b->scale, b->size);
    for (int k = 0; k < b->size; k++) b->number[b->row[b->begin + k]] = k;
    for (int c = 0; c < b->size; c++) {
        const int j = b->col[b->begin + c];
        for (int m = 0; m < 2; m++)
            for (int k = from[m]->start[j]; k < from[m]->start[j + 1]; k++) {
                const int i = b->number[from[m]->row[k]];
                if (i < 0 || b->charged[from[m]->row[k]] != (m == 0)) continue;
                const double v = (m == 0 ? b->C : b->G)[k];
                b->a[i * b->size + c] += v;
                b->scale[i] = fmax(b->scale[i], fabs(v) * b->info->nominal[j]);
            }
    }
    for (int k = 0; k < b->size; k++) {
        b->number[b->row[b->begin + k]] = -1;
        if (!(b->scale[k] > 0.0)) b->scale[k] = 1.0;
    }
    return YOKE_OK;
}

static double norm(const blocks *b)
{
    double most = 0.0;

    for (int k = 0; k < b->size; k++) {
        const double v = fabs(b->r[k]) / b->scale[k];
        if (!(v <= most)) most = v; /* NaN too */
    }
    return most;
}

/* x of the block: old - lambda step; the largest relative change. */
static double move(blocks *b, double lambda)
{
    double most = 0.0;

    for (int k = 0; k < b->size; k++) {
        const int j = b->col[b->begin + k];
        b->x[j] = b->old[k] - lambda * b->step[k];
        most = fmax(most, fabs(lambda * b->step[k]) /
                              (b->info->nominal[j] + fabs(b->old[k])));
    }
    return most;
}

/* YOKE_RETRY: not solved. */
static yoke_status newton(blocks *b, int most)
{
    YK_TRY(residual(b, NULL));
    for (int it = 0; it < most; it++) {
        double change = 0.0, lambda = 1.0;
        YK_TRY(matrix(b));
        const double left = norm(b);
        if (!isfinite(left)) return YOKE_RETRY;
        if (left < 1e-15) return YOKE_OK;
        for (int k = 0; k < b->size; k++)
            b->old[k] = b->x[b->col[b->begin + k]];
        yk_copy(b->step, b->r, b->size);
        if (!yk_all_finite(b->a, b->size * b->size, NULL)) return YOKE_RETRY;
        YK_TRY(yk_dense_factor(b->size, b->a, b->pivot, NULL, NULL));
        YK_TRY(yk_dense_solve(b->size, b->a, b->pivot, 1, b->step, NULL));
        for (int h = 0; h < HALVINGS; h++, lambda *= 0.5) {
            change = move(b, lambda);
            YK_TRY(residual(b, NULL));
            const double now = norm(b);
            if (now < left || change < 1e-13) break;
        }
        if (change < 1e-12 && norm(b) < 1e-9) return YOKE_OK;
        if (!isfinite(norm(b))) return YOKE_RETRY;
    }
    return YOKE_RETRY;
}

static void restart(blocks *b, double instead)
{
    for (int k = 0; k < b->size; k++) {
        const int j = b->col[b->begin + k];
        b->x[j] = b->z0[k] == 0.0 ? instead * b->info->nominal[j] : b->z0[k];
    }
}

/* From s = 0, where the values are a solution, to s = 1. */
static yoke_status follow(blocks *b)
{
    double s = 0.0, length = 0.25;
    yoke_status status = YOKE_OK;

    b->share = 0.0;
    YK_TRY(residual(b, NULL));
    if (!yk_all_finite(b->r, b->size, NULL)) return YOKE_RETRY;
    yk_copy(b->r0, b->r, b->size);
    for (int k = 0; s < 1.0 && k < YK_STEP_BLOCKS_PATH; k++) {
        const double next = fmin(1.0, s + length);
        for (int c = 0; c < b->size; c++)
            b->before[c] = b->x[b->col[b->begin + c]];
        b->share = 1.0 - next;
        status = newton(b, 8);
        if (status < 0) break;
        length *= status == YOKE_OK ? 2.0 : 0.25;
        if (status == YOKE_OK)
            s = next;
        else
            for (int c = 0; c < b->size; c++)
                b->x[b->col[b->begin + c]] = b->before[c];
    }
    b->share = 0.0;
    return status < 0 ? status : s < 1.0 ? YOKE_RETRY : YOKE_OK;
}

static yoke_status solve_block(blocks *b)
{
    static const double instead[] = { 0.0, 1.0, -1.0 };
    const int ways = (int)(sizeof instead / sizeof *instead);
    yoke_status status = YOKE_RETRY;

    for (int k = 0; k < b->size; k++) b->z0[k] = b->x[b->col[b->begin + k]];
    for (int way = 0; way < 2 * ways && status > 0; way++) {
        restart(b, instead[way % ways]);
        status = way < ways ? newton(b, ITERATIONS) : follow(b);
    }
    if (status > 0) restart(b, 0.0);
    return status;
}

/* ---- Messages ------------------------------------------------------------ */

/* What the block was left with where the search began, and its unknowns. */
static yoke_status refuse(blocks *b, yoke_err *err)
{
    enum { MOST = 6 };
    enum { ROOM = 700 };
    char equations[ROOM] = "", unknowns[ROOM] = "";
    yoke_err why = { .status = YOKE_OK };
    bool finite = true;

    YK_TRY(residual(b, &why));
    for (int k = 0; k < b->size && k < MOST; k++) {
        const int i = b->row[b->begin + k], j = b->col[b->begin + k];
        finite = finite && isfinite(b->r[k]);
        yk_append(equations, ROOM, "%s\"%.120s\": %.4g", k ? ", " : "",
                  b->info->eq_name[i], b->r[k]);
        yk_append(unknowns, ROOM, "%s%.120s = %.6g", k ? ", " : "",
                  b->info->x_name[j], b->x[j]);
    }
    if (b->size > MOST) {
        yk_append(equations, ROOM, ", ...");
        yk_append(unknowns, ROOM, ", ...");
    }
    return yk_fail(err, YOKE_RETRY,
                   "no solution was found for %s; searched from %s, where the "
                   "residuals are %s%s%.300s%s; give start values near the "
                   "solution, or there is none",
                   b->size == 1 ? "one equation with one unknown"
                                : "equations that must be solved together",
                   unknowns, equations, finite ? "" : " (",
                   finite ? "" : why.text, finite ? "" : ")");
}

static yoke_status solve(blocks *b, yoke_err *err)
{
    b->size = 0;
    YK_TRY(residual(b, err));
    yk_copy(b->q0, b->q, b->n);
    for (int i = 0; i < b->n; i++) b->number[i] = -1;
    for (int k = 0; k < b->count; k++) {
        b->begin = b->first[k];
        b->size = b->first[k + 1] - b->first[k];
        const yoke_status status = solve_block(b);
        if (status > 0) return refuse(b, err);
        if (status < 0) return yk_fail(err, status, "a block of equations");
    }
    return YOKE_OK;
}

yoke_status yk_initial_blocks(yoke_system *system, double t0, const double *u0,
                              double *x, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yoke_system_info *info = yoke_system_facts(system);
    blocks b = {
        .system = system, .info = info, .t = t0, .u = u0, .n = info->n
    };

    if (info->n > YK_STEP_BLOCKS_MOST)
        return yk_fail(err, YOKE_RETRY, "%d unknowns are more than %d", info->n,
                       YK_STEP_BLOCKS_MOST);
    YK_GO(yk_copy_doubles(&b.x, x, (size_t)info->n, err));
    YK_GO(blocks_create(&b, err));
    YK_GO(solve(&b, err));
    yk_copy(x, b.x, info->n);
done:
    blocks_free(&b);
    return status;
}
