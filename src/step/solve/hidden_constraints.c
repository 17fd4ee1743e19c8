/* step/solve/hidden_constraints.c -- consistent values where the index is 2 or
 * more.
 *
 * The equations d/dt q + f = 0 hide others, which come out when they are
 * differentiated: the velocity of a constraint, its acceleration, that fixes the
 * multiplier.  We look for the Taylor coefficients of a solution,
 *
 *     x(t0 + h s) = eta_0 + eta_1 s + ... + eta_K s^K,
 *
 * K being the index, such that the coefficients rho_0 ... rho_(K-1) of
 *
 *     rho(s) = d/ds q(x(s)) + h f(x(s))
 *
 * vanish: the equations and their first K - 1 derivatives.  Coefficients of q
 * and f are those of the polynomials through their values at a few points s;
 * those of C and G, found in the same way, give the Jacobian
 *
 *     d rho_j / d eta_i = (j + 1) C_(j+1-i) + h G_(j-i).
 *
 * By definition of the index these equations determine all of eta_0 but what
 * may be chosen; of the highest coefficients some stay undetermined and are
 * zero.  So Newton's method takes least squares with dependent columns left
 * out.  The unknowns of charges in eta_0 are kept at first.  What is left of
 * the equations is then the contradiction; if there is one, unknowns whose
 * values are guesses move, as few as possible, those that begin at zero before
 * others.
 *
 * h is a part of the shortest time of the equations.  Truncation falls with h and rounding
 * grows, so h is shortened, or made longer, until two results agree.
 *
 * Limits: dense matrices, so there is a largest n; f must be smooth from t0 to
 * t0 + h.  Reference: Campbell, SIAM J. Sci. Comput. 15 (1994) (derivative
 * arrays); Pryce, BIT 41 (2001) 364 (Taylor coefficients of a DAE).
 */
#include "step/solve/hidden_constraints.h"

#include "base/text.h"
#include "base/vector.h"
#include "la/dense.h"
#include "step/policy.h"

enum { MOST_K = 5, POINTS = MOST_K + 4, ITERATIONS = 12 };

typedef struct hidden {
    yk_problem *p;
    int n, K, points;
    double h, time;              /* time: see find_time */
    double fit[POINTS * POINTS]; /* coefficient j by the value at point l */
    double *eta, *old, *before, *best; /* K + 1 vectors */
    double *x, *q, *f, *C, *G;         /* at all points, then coefficients */
    double *unit;      /* of each unknown: its nominal and its start value */
    double *rho, *row; /* K vectors; 1 / size of each row */
    int light;         /* a row that counts little, or -1 */
    int rank;          /* columns that do not depend on others */
    int cols, *column; /* i * n + j of each unknown */
    double *a, *step, *work;
} hidden;

static void hidden_free(hidden *d)
{
    YK_FREE(d->eta, d->old, d->before, d->best, d->x, d->unit, d->q, d->f, d->C,
            d->G, d->rho, d->row, d->column, d->a, d->step, d->work);
}

static int places(const yoke_pattern *pattern)
{
    return yoke_pattern_count(pattern) + 1;
}

/* The inverse of the matrix of powers of the points l / (points - 1). */
static yoke_status make_fit(hidden *d, yoke_err *err)
{
    const int m = d->points;
    double power[POINTS * POINTS], unit[POINTS];
    int pivot[POINTS];

    for (int l = 0; l < m; l++)
        for (int j = 0; j < m; j++)
            power[l * m + j] = j ? pow((double)l / (m - 1), j) : 1.0;
    YK_TRY(yk_dense_factor(m, power, pivot, NULL, err));
    for (int l = 0; l < m; l++) {
        for (int j = 0; j < m; j++) unit[j] = j == l;
        YK_TRY(yk_dense_solve(m, power, pivot, 1, unit, err));
        for (int j = 0; j < m; j++) d->fit[j * m + l] = unit[j];
    }
    return YOKE_OK;
}

static yoke_status hidden_create(hidden *d, yk_problem *p, int index,
                                 yoke_err *err)
{
    const size_t n = (size_t)p->n, K = (size_t)index;

    *d = (hidden){
        .p = p, .n = p->n, .K = index, .points = index + 4, .light = -1
    };
    const size_t m = (size_t)d->points;
    YK_TRY(YK_DOUBLES((K + 1) * n, err, &d->eta, &d->old, &d->before, &d->best,
                      &d->step));
    YK_TRY(YK_DOUBLES(m * n, err, &d->q, &d->f));
    YK_TRY(YK_DOUBLES(n, err, &d->x, &d->unit));
    for (int j = 0; j < p->n; j++)
        d->unit[j] = p->facts->nominal[j] + fabs(p->x[j]);
    YK_TRY(yk_doubles(&d->C, m * (size_t)places(p->facts->C), err));
    YK_TRY(yk_doubles(&d->G, m * (size_t)places(p->facts->G), err));
    YK_TRY(YK_DOUBLES(K * n, err, &d->rho, &d->work));
    YK_TRY(yk_doubles(&d->row, n, err));
    YK_TRY(yk_ints(&d->column, (K + 1) * n, err));
    YK_TRY(yk_doubles(&d->a, K * (K + 1) * n * n, err));
    return make_fit(d, err);
}

/* ---- Equations ----------------------------------------------------------- */

/* Values at the points, size numbers each, become coefficients. */
static void to_coefficients(const hidden *d, int size, double *value)
{
    const int m = d->points;

    for (int k = 0; k < size; k++) {
        double one[POINTS];
        for (int l = 0; l < m; l++) one[l] = value[l * size + k];
        for (int j = 0; j < m; j++)
            value[j * size + k] = yk_dot(m, d->fit + j * m, one);
    }
}

static yoke_status sample(hidden *d, yoke_err *err)
{
    yk_problem *p = d->p;
    const int n = d->n, nc = places(p->facts->C), ng = places(p->facts->G);

    for (int l = 0; l < d->points; l++) {
        const double s = (double)l / (d->points - 1), t = p->t + d->h * s;
        yk_copy(d->x, d->eta + d->K * n, n);
        for (int i = d->K - 1; i >= 0; i--)
            for (int k = 0; k < n; k++)
                d->x[k] = d->eta[i * n + k] + s * d->x[k];
        YK_TRY(yk_eval(p, t, d->x, d->q + l * n, d->f + l * n, err));
        YK_TRY(yk_jacobian(p, t, d->x, err));
        yk_copy(d->C + l * nc, p->C, nc - 1);
        yk_copy(d->G + l * ng, p->G, ng - 1);
    }
    p->stamp = p->values = 0;
    to_coefficients(d, n, d->q);
    to_coefficients(d, n, d->f);
    to_coefficients(d, nc, d->C);
    to_coefficients(d, ng, d->G);
    return YOKE_OK;
}

/* Unknowns count with `unit`. */
static void row_sizes(const hidden *d, const yoke_pattern *a,
                      const double *value, const double *unit, bool charged,
                      double *size)
{
    for (int j = 0; j < a->cols; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            if (d->p->charge[a->row[k]] == charged)
                size[a->row[k]] =
                    fmax(size[a->row[k]], fabs(value[k]) * unit[j]);
}

/* Rows with charge are measured by C, the others by G and without h, at the start
 * values. */
static void residual(hidden *d)
{
    const int n = d->n;

    yk_zero(d->row, n);
    row_sizes(d, d->p->facts->C, d->C, d->unit, true, d->row);
    row_sizes(d, d->p->facts->G, d->G, d->unit, false, d->row);
    for (int i = 0; i < n; i++) {
        const double size = d->row[i] > 0.0 ? d->row[i] : 1.0;
        d->row[i] = 1.0 / (d->p->charge[i] ? size : size * d->h);
        if (i == d->light) d->row[i] *= 1e-3;
    }
    for (int j = 0; j < d->K; j++)
        for (int i = 0; i < n; i++)
            d->rho[j * n + i] = d->row[i] * ((j + 1) * d->q[(j + 1) * n + i] +
                                             d->h * d->f[j * n + i]);
}

/* The places of a in block (j, i) of the matrix, times a factor. */
static void add_block(const hidden *d, const yoke_pattern *a,
                      const double *value, double factor, int j,
                      const int *at_column)
{
    for (int c = 0; c < a->cols; c++) {
        if (at_column[c] < 0) continue;
        double *const to =
            d->a + (size_t)at_column[c] * (size_t)d->K * (size_t)d->n;
        for (int k = a->start[c]; k < a->start[c + 1]; k++)
            to[j * d->n + a->row[k]] += factor * d->row[a->row[k]] * value[k];
    }
}

/* One increment of Newton's method; *size: the largest change relative to the
 * unknowns. */
static yoke_status increment(hidden *d, double *size, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yoke_system_info *facts = d->p->facts;
    const int n = d->n, K = d->K, rows = K * n;
    const int nc = places(facts->C), ng = places(facts->G);
    int *at_column = NULL;

    YK_GO(yk_ints(&at_column, (size_t)(K + 1) * (size_t)n, err));
    for (int k = 0; k < (K + 1) * n; k++) at_column[k] = -1;
    for (int c = 0; c < d->cols; c++) at_column[d->column[c]] = c;
    memset(d->a, 0, (size_t)rows * (size_t)d->cols * sizeof *d->a);
    for (int i = 0; i <= K; i++)
        for (int j = i > 0 ? i - 1 : 0; j < K; j++) {
            add_block(d, facts->C, d->C + (j + 1 - i) * nc, j + 1, j,
                      at_column + i * n);
            if (j >= i)
                add_block(d, facts->G, d->G + (j - i) * ng, d->h, j,
                          at_column + i * n);
        }
    yk_zero(d->step, (K + 1) * n);
    YK_GO(yk_least_squares(rows, d->cols, d->a, d->rho,
                           YK_STEP_HIDDEN_DEPENDENT, d->step, &d->rank, err));
    *size = 0.0;
    for (int c = 0; c < d->cols; c++) {
        const int at = d->column[c], x = at % n;
        const double whole = facts->nominal[x] + fabs(d->eta[x]);
        d->eta[at] -= d->step[c];
        if (at < n) *size = fmax(*size, fabs(d->step[c]) / whole);
    }
done:
    yk_free(at_column);
    return status;
}

/* Row and order of the largest contradiction, and its size in units of the
 * unknowns: a derivative counts as what it does in the time of the system.  The
 * last derivatives, which determine multipliers, leave rounding only. */
static double worst(const hidden *d, int *row, int *order)
{
    double most = 0.0, factor = 1.0;

    *row = *order = 0;
    for (int j = 0; j < d->K; j++) {
        for (int i = 0; i < d->n; i++) {
            const double left = fabs(d->rho[j * d->n + i]) * factor;
            if (left <= most) continue;
            most = left;
            *row = i;
            *order = j;
        }
        factor = j + 2 < d->K ? factor * d->time / d->h : 1.0;
    }
    return most;
}

/* ---- Unknowns ------------------------------------------------------------ */

static bool is_differential(const hidden *d, int j)
{
    const yoke_pattern *C = d->p->facts->C;

    return C->start[j + 1] > C->start[j];
}

static bool is_guess(const hidden *d, int j)
{
    return d->p->facts->guess && d->p->facts->guess[j];
}

/* Columns that depend on earlier ones do not move: what must move comes first,
 * what should keep its value last. */
static void list_columns(hidden *d, bool move_guesses)
{
    const int n = d->n;

    d->cols = 0;
    for (int j = 0; j < n; j++)
        if (!is_differential(d, j)) d->column[d->cols++] = j;
    for (int k = n; k < (d->K + 1) * n; k++) d->column[d->cols++] = k;
    for (int given = 0; given < 2 && move_guesses; given++)
        for (int j = 0; j < n; j++)
            if (is_differential(d, j) && is_guess(d, j) &&
                (d->p->x[j] != 0.0) == given)
                d->column[d->cols++] = j;
}

/* The coefficients for one h.  If they are a solution, those with the least left
 * of the equations: at the end increments are rounding, which may be anything
 * where a column is nearly dependent.  YOKE_RETRY: Newton's method does not converge. */
static yoke_status solve(hidden *d, yoke_err *err)
{
    const int count = (d->K + 1) * d->n;
    double size = INFINITY, least = INFINITY;
    int row, order;

    yk_zero(d->eta, count);
    yk_copy(d->eta, d->p->x, d->n);
    for (int k = 0; k < ITERATIONS; k++) {
        YK_TRY(sample(d, err));
        residual(d);
        const double left = worst(d, &row, &order);
        const bool better = left < 0.5 * least;
        if (left < least) yk_copy(d->old, d->eta, count);
        least = fmin(least, left);
        if (k > 1 && !better && size < YK_STEP_HIDDEN_SURE) break;
        YK_TRY(increment(d, &size, err));
    }
    if (least < YK_STEP_HIDDEN_LEFT) yk_copy(d->eta, d->old, count);
    YK_TRY(sample(d, err));
    residual(d);
    if (size < YK_STEP_HIDDEN_SURE || least < YK_STEP_HIDDEN_LEFT)
        return YOKE_OK;
    return yk_fail(err, YOKE_RETRY, "Newton's method does not converge");
}

/* The shortest |C| / |G| of a row.  INFINITY: there is none. */
static double shortest_time(hidden *d)
{
    yk_problem *p = d->p;
    double time = INFINITY;

    yk_zero(d->q, d->n);
    yk_zero(d->f, d->n);
    row_sizes(d, p->facts->C, p->C, p->facts->nominal, true, d->q);
    row_sizes(d, p->facts->G, p->G, p->facts->nominal, true, d->f);
    for (int i = 0; i < d->n; i++)
        if (d->q[i] > 0.0 && d->f[i] > 0.0)
            time = fmin(time, d->q[i] / d->f[i]);
    return time;
}

/* The row that an unknown of a charge counts for: that of its largest place in C.
 * -1: it has none. */
static int row_of(const hidden *d, int j)
{
    const yoke_pattern *C = d->p->facts->C;
    double most = 0.0;
    int row = -1;

    for (int k = C->start[j]; k < C->start[j + 1]; k++) {
        if (!(fabs(d->p->C[k]) > most)) continue;
        most = fabs(d->p->C[k]);
        row = C->row[k];
    }
    return row;
}

/* w = |C^-1| |G| v, one number for each row, the charges having these sizes. */
static void multiply(const hidden *d, const double *size, const double *v,
                     double *w)
{
    const yoke_pattern *G = d->p->facts->G;

    yk_zero(w, d->n);
    for (int j = 0; j < d->n; j++) {
        const int row = row_of(d, j);
        const double by = d->p->facts->nominal[j];
        for (int k = G->start[j]; row >= 0 && k < G->start[j + 1]; k++)
            if (size[G->row[k]] > 0.0)
                w[G->row[k]] +=
                    fabs(d->p->G[k]) * by * v[row] / size[G->row[k]];
    }
}

/* A time that is the same in all units, sqrt(m / k) of a mass on a spring whose
 * rows say 1 and m / k: 1 over the spectral radius of |C^-1| |G|, by the norm of a
 * power.  Unknowns without charge are not followed.  INFINITY: there is none. */
static double common_time(hidden *d)
{
    enum { POWER = 32 };
    double sum = 0.0;

    yk_zero(d->q, d->n);
    row_sizes(d, d->p->facts->C, d->p->C, d->p->facts->nominal, true, d->q);
    for (int i = 0; i < d->n; i++) d->f[i] = 1.0;
    for (int k = 0; k < POWER; k++) {
        double most = 0.0;
        multiply(d, d->q, d->f, d->x);
        for (int i = 0; i < d->n; i++) most = fmax(most, d->x[i]);
        if (!(most > 0.0) || !isfinite(most)) return INFINITY;
        for (int i = 0; i < d->n; i++) d->f[i] = d->x[i] / most;
        sum += log(most);
    }
    return exp(-sum / POWER);
}

static double find_time(hidden *d)
{
    const double rows = shortest_time(d), common = common_time(d);
    const double time =
        isfinite(common) ? fmax(rows, YK_STEP_HIDDEN_COMMON * common) : rows;

    return isfinite(time) ? time : 1.0;
}

/* Of the results of two lengths; *at: the unknown that differs most. */
static double difference(const hidden *d, int *at)
{
    double most = 0.0;

    for (int j = 0; j < d->n; j++) {
        const double by = fabs(d->eta[j] - d->before[j]) /
                          (d->p->facts->nominal[j] + fabs(d->eta[j]));
        if (!(by > most)) continue;
        most = by;
        *at = j;
    }
    return most;
}

/* What a walk through several lengths has found. */
typedef struct agreement {
    int rank;   /* the most columns that any length could tell apart */
    double gap; /* least difference of two that are next to each other */
    int at;     /* the unknown that differs by it */
} agreement;

/* Lengths from h on, each `factor` times the one before, until two agree or agree
 * less than those before.  best: the later of the two that agree most; *left: the
 * contradiction of the last.  A length that tells less columns apart than another
 * one sees rounding, and two of them agree for that reason. */
static yoke_status walk(hidden *d, double h, double factor, agreement *most,
                        double *left, yoke_err *err)
{
    double last = INFINITY, gap = INFINITY;
    int row, order, found = 0, at = 0;

    d->h = h;
    for (int k = 0; k < YK_STEP_HIDDEN_LENGTHS; k++, d->h *= factor) {
        const yoke_status status = solve(d, err);
        if (status < 0) return status;
        if (status > 0) continue;
        const double now = worst(d, &row, &order);
        if (d->rank < most->rank && found) break;
        if (d->rank < most->rank) continue;
        *left = now;
        if (now > YK_STEP_HIDDEN_LEFT &&
            (factor > 1.0 || k + 2 < YK_STEP_HIDDEN_LENGTHS)) {
            found = 0;
            continue;
        }
        if (d->rank > most->rank) {
            *most = (agreement){ .rank = d->rank, .gap = INFINITY };
            found = 0;
        }
        gap = found++ ? difference(d, &at) : INFINITY;
        yk_copy(d->before, d->eta, (d->K + 1) * d->n);
        if (gap < most->gap || most->gap == INFINITY)
            yk_copy(d->best, d->eta, (d->K + 1) * d->n);
        if (gap < most->gap) most->at = at;
        most->gap = fmin(most->gap, gap);
        if (gap < YK_STEP_HIDDEN_LEFT || gap > last) break;
        last = gap;
    }
    return found ? YOKE_OK : YOKE_RETRY;
}

/* Shorter and shorter h; where rounding rules from the first on, longer and
 * longer.  *left: the contradiction; the result is in eta. */
static yoke_status choose_length(hidden *d, double *left, yoke_err *err)
{
    const double h = YK_STEP_HIDDEN_PART * d->time;
    agreement most = { .gap = INFINITY };
    double longer = 0.0;

    YK_TRY(walk(d, h, 0.25, &most, left, err));
    if (*left > YK_STEP_HIDDEN_LEFT) return YOKE_OK;
    if (most.gap > YK_STEP_HIDDEN_LEFT) {
        const yoke_status status = walk(d, h, 4.0, &most, &longer, err);
        if (status < 0) return status;
    }
    yk_copy(d->eta, d->best, (d->K + 1) * d->n);
    if (most.gap < YK_STEP_HIDDEN_SURE) return YOKE_OK;
    return yk_fail(err, YOKE_RETRY,
                   "rounding leaves values of \"%.100s\" that differ by %.2g; "
                   "equations nearly follow from others, or are far from each "
                   "other in size",
                   d->p->facts->x_name[most.at], most.gap);
}

/* ---- Messages ------------------------------------------------------------ */

/* Some of the unknowns of a row, with their values. */
static void list_values(const hidden *d, int row, char *text, size_t size)
{
    const yoke_pattern *G = d->p->facts->G;
    int listed = 0;

    text[0] = '\0';
    for (int j = 0; j < d->n && listed < 4; j++)
        for (int k = G->start[j]; k < G->start[j + 1]; k++) {
            if (G->row[k] != row) continue;
            yk_append(text, size, "%s%.100s = %g", listed ? ", " : "",
                      d->p->facts->x_name[j], d->p->x[j]);
            listed++;
        }
}

/* Least squares spread it over several rows.  Of those that have about as much
 * the last one is named, constraints being behind what they join; counting
 * little, it then has all of it. */
static double gather(hidden *d, int *row, int *order)
{
    const double most = worst(d, row, order);
    double factor = 1.0;

    for (int j = 0; j < d->K; j++) {
        for (int i = *row + 1; i < d->n; i++)
            if (fabs(d->rho[j * d->n + i]) * factor > 0.3 * most) {
                *row = i;
                *order = j;
            }
        factor = j + 2 < d->K ? factor * d->time / d->h : 1.0;
    }
    d->light = *row;
    d->h = YK_STEP_HIDDEN_PART * d->time / 64.0; /* one of the middle ones */
    if (solve(d, NULL) != YOKE_OK) return NAN;
    double size = d->rho[*order * d->n + *row] / d->row[*row] / d->h;
    for (int k = 1; k <= *order; k++) size *= k / d->h;
    return size;
}

static yoke_status contradiction(hidden *d, yoke_err *err)
{
    static const char *const level[] = { "", "the first derivative of ",
                                         "the second derivative of " };
    int row, order;
    char values[500];
    const double size = gather(d, &row, &order);

    list_values(d, row, values, sizeof values);
    return yk_fail(
        err, YOKE_E_MODEL,
        "subsystem \"%s\": the start values contradict each other: %s"
        "equation \"%s\" is left with %.4g where it must be 0, with %s%s",
        d->p->name, level[order < 3 ? order : 2], d->p->facts->eq_name[row],
        size, values,
        order ? " (velocities must satisfy the constraint as well as "
                "positions)"
              : "");
}

static yoke_status not_found(const hidden *d, const yoke_err *why,
                             yoke_err *err)
{
    return yk_fail(err, YOKE_E_MODEL,
                   "subsystem \"%s\" has index %d, and no consistent initial "
                   "values were found near those given: %.300s; give "
                   "consistent ones and set `given`",
                   d->p->name, d->K, why->text);
}

yoke_status yk_hidden_values(yk_problem *p, int index, double *x, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    hidden d = { 0 };
    yoke_err own = { .status = YOKE_OK };
    double left = 0.0;

    if (index > MOST_K || p->n > YK_STEP_HIDDEN_MOST)
        return yk_fail(err, YOKE_E_MODEL,
                       "subsystem \"%s\" has index %d and %d unknowns: initial "
                       "values are computed up to index %d and %d unknowns; "
                       "give consistent ones and set `given`",
                       p->name, index, p->n, MOST_K, YK_STEP_HIDDEN_MOST);
    YK_GO(hidden_create(&d, p, index, err));
    YK_GO(yk_jacobian(p, p->t, p->x, err));
    d.time = find_time(&d);
    for (int guesses = 0; guesses < 2; guesses++) {
        list_columns(&d, guesses);
        status = choose_length(&d, &left, &own);
        if (status < 0 || (status == YOKE_OK && left <= YK_STEP_HIDDEN_LEFT))
            break;
    }
    if (status > 0)
        status = not_found(&d, &own, err);
    else if (status == YOKE_OK && left > YK_STEP_HIDDEN_LEFT)
        status = contradiction(&d, err);
    else if (status == YOKE_OK)
        yk_copy(x, d.eta, p->n);
    else
        yk_fail(err, status, "%s", own.text);
done:
    hidden_free(&d);
    return status;
}
