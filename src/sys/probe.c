/* sys/probe.c -- finds the places of the Jacobians from the callbacks alone.
 *
 * At three seeded random points near the initial values each argument is moved,
 * by a little and by a lot; a result whose bits change depends on it.  A place
 * that is missed because the dependence is hidden in a branch costs Newton's
 * method speed, not correctness, except in C: equations without any charge are
 * treated as algebraic.  The conformance check finds missed places.
 */
#include "sys/system.h"

#include <limits.h>
#include <math.h>

enum { PROBE_LIMIT = 4000, PROBE_POINTS = 3 };

typedef struct probe {
    yoke_system *system;
    double t;
    double *x, *u;        /* the point */
    double *base, *moved; /* q, f, y one after the other */
    bool *hit[6]; /* C, G, Cu, Gu, Hx, Hu: rows by columns, column major */
} probe;

static bool missing(const yoke_system_info *info)
{
    return !info->C || !info->G || !info->Cu || !info->Gu || !info->Hx ||
           !info->Hu;
}

static yoke_status evaluate(const probe *p, double *r)
{
    const int n = p->system->info.n;
    const yoke_status status =
        yk_system_eval_raw(p->system, p->t, p->x, p->u, r, r + n, NULL);
    if (status != YOKE_OK) return status;
    return yk_system_output_raw(p->system, p->t, p->x, p->u, r + 2 * n, NULL);
}

static bool same_bits(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Compares results with the base; column j of the matrices q, f, y by v. */
static void mark(const probe *p, int q, int f, int y, int j, bool all)
{
    const int n = p->system->info.n, outputs = p->system->info.p;
    const size_t column = (size_t)j * (size_t)n;

    for (int i = 0; i < n; i++) {
        if (p->hit[q] && (all || !same_bits(p->base[i], p->moved[i])))
            p->hit[q][column + (size_t)i] = true;
        if (p->hit[f] && (all || !same_bits(p->base[n + i], p->moved[n + i])))
            p->hit[f][column + (size_t)i] = true;
    }
    for (int i = 0; i < outputs; i++)
        if (p->hit[y] &&
            (all || !same_bits(p->base[2 * n + i], p->moved[2 * n + i])))
            p->hit[y][(size_t)j * (size_t)outputs + (size_t)i] = true;
}

static void move_one(const probe *p, double *v, int j, double size, int q,
                     int f, int y)
{
    static const double amount[3] = { 1e-3, 1.7, -0.6 };
    const double original = v[j];
    bool seen = false;

    for (int k = 0; k < 3; k++) {
        v[j] = original + amount[k] * size;
        if (evaluate(p, p->moved) != YOKE_OK) continue;
        seen = true;
        mark(p, q, f, y, j, false);
    }
    if (!seen) mark(p, q, f, y, j, true); /* nothing is known: assume all */
    v[j] = original;
}

static void random_point(const probe *p, double spread,
                         unsigned long long *seed)
{
    const yoke_system_info *info = &p->system->info;

    for (int i = 0; i < info->n; i++)
        p->x[i] =
            info->x0[i] + spread * info->nominal[i] * (0.2 + yk_random(seed));
    for (int i = 0; i < info->m; i++)
        p->u[i] = spread * (0.2 + yk_random(seed));
}

/* Where the callbacks fail the points move closer to the initial values. */
static bool find_point(probe *p, unsigned long long *seed)
{
    for (double spread = 1.0; spread > 1e-7; spread /= 10.0) {
        random_point(p, spread, seed);
        p->t = yk_random(seed);
        if (evaluate(p, p->base) == YOKE_OK) return true;
        p->t = 0.0;
        if (evaluate(p, p->base) == YOKE_OK) return true;
    }
    return false;
}

static void probe_all(probe *p)
{
    const yoke_system_info *info = &p->system->info;
    unsigned long long seed = 20260101;

    for (int point = 0; point < PROBE_POINTS; point++) {
        const bool known = find_point(p, &seed);
        for (int j = 0; j < info->n; j++) {
            if (known)
                move_one(p, p->x, j, info->nominal[j], 0, 1, 4);
            else
                mark(p, 0, 1, 4, j, true);
        }
        for (int j = 0; j < info->m; j++) {
            if (known)
                move_one(p, p->u, j, 1.0, 2, 3, 5);
            else
                mark(p, 2, 3, 5, j, true);
        }
    }
}

static yoke_status from_hits(const yoke_pattern **out, const bool *hit,
                             int rows, int cols, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *row = NULL, *col = NULL, count = 0;
    yoke_pattern *p = NULL;

    for (size_t k = 0; k < (size_t)rows * (size_t)cols; k++) {
        if (count == INT_MAX)
            return yk_fail(err, YOKE_E_ARG, "more than %d places", INT_MAX);
        count += hit[k];
    }
    YK_GO(YK_INTS((size_t)count, err, &row, &col));
    count = 0;
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++)
            if (hit[(size_t)j * (size_t)rows + (size_t)i]) {
                row[count] = i;
                col[count++] = j;
            }
    YK_GO(yoke_pattern_create(&p, rows, cols, count, row, col, err));
    *out = p;
done:
    YK_FREE(row, col);
    return status;
}

yoke_status yk_probe_patterns(yoke_system *s, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_system_info *info = &s->info;
    const size_t n = (size_t)info->n, m = (size_t)info->m, p = (size_t)info->p;
    const yoke_pattern **const slot[6] = { &info->C,  &info->G,  &info->Cu,
                                           &info->Gu, &info->Hx, &info->Hu };
    const int rows[6] = {
        info->n, info->n, info->n, info->n, info->p, info->p
    };
    const int cols[6] = {
        info->n, info->n, info->m, info->m, info->n, info->m
    };
    probe work = { .system = s };

    if (!missing(info)) return YOKE_OK;
    if (n + m > PROBE_LIMIT)
        return yk_fail(err, YOKE_E_ARG,
                       "n + m = %zu is more than %d: the "
                       "patterns of the Jacobians must be given",
                       n + m, PROBE_LIMIT);
    YK_GO(yk_doubles(&work.x, n, err));
    YK_GO(yk_doubles(&work.u, m, err));
    YK_GO(YK_DOUBLES(2 * n + p, err, &work.base, &work.moved));
    for (int k = 0; k < 6; k++)
        if (!*slot[k])
            YK_GO(YK_NEW(&work.hit[k], (size_t)rows[k] * (size_t)cols[k], err));
    probe_all(&work);
    for (int k = 0; k < 6; k++)
        if (work.hit[k])
            YK_GO(from_hits(slot[k], work.hit[k], rows[k], cols[k], err));
done:
    for (int k = 0; k < 6; k++) yk_free(work.hit[k]);
    YK_FREE(work.moved, work.base, work.u, work.x);
    return status;
}
