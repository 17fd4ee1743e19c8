/* comp/equation/structure/chart.c -- when states go bad, and which come next.
 *
 * Let the rows of Q (m by n) be an orthonormal basis of the row space of H, by
 * Gram and Schmidt, and Q0 what Q was when T was made.  T z and g(z) = 0
 * determine z as long as [Q; T] is regular, and
 *
 *     sigma_min([Q; T] restricted to the null space)  =  sigma_min(Q0 Q'),
 *
 * the cosine of the largest angle by which the null space has turned.  It is
 * one where T is made and, times the sign of det(Q0 Q'), continuous as long as
 * the rows of H are independent.  New coordinates are due when it falls to
 * `least_cosine`: a pendulum turns by 66 degrees with the same coordinate, and
 * a swing of less than 132 degrees needs no change after the first.  Those of
 * the start are left a little earlier, at `first_cosine`: a swing that begins
 * at rest comes back to where it began, and would then just touch the limit.
 *
 * Where the rows of H become dependent (a slider-crank whose rods have the same
 * length, at its dead point) one row of Q changes its sign: the measure jumps
 * below zero, which is an event too, and there no T is found.
 *
 * Reference: Potra and Yen, Mech. Struct. Mach. 19 (1991) 77 (tangent plane
 * parametrization); Golub and Van Loan, Matrix Computations, 4th ed., section
 * 6.4.3 (angles between subspaces).
 */
#include "comp/equation/structure/chart.h"

#include <math.h>
#include <string.h>

/* Along with others, or at other events, coordinates are changed below the
 * last. */
static const double least_cosine = 0.4, first_cosine = 0.5, good_cosine = 0.8;

/* A row of H shorter than this part of its length after the rows before it are
 * subtracted depends on them. */
static const double independent = 1e-6;

/* Given unknowns must be coordinates at least as good as this. */
static const double least_given = 0.01;

static void chart_free(yk_chart *c)
{
    YK_FREE(c->element, c->order, c->size, c->kept, c->row, c->term, c->state,
            c->rate, c->c_at, c->g_at);
}

void yk_charts_free(yk_charts *all)
{
    if (!all) return;
    for (int k = 0; k < all->count; k++) chart_free(&all->chart[k]);
    for (int k = 0; all->code && k < all->codes; k++)
        yk_eq_code_free(&all->code[k]);
    YK_FREE(all->chart, all->code, all->code_of, all->workspace, all->memory,
            all->h, all->basis, all->product, all->rest, all);
}

const yk_chart *yk_charts_find(const yk_charts *all, int element, int order)
{
    for (int k = 0; all && k < all->count; k++)
        for (int j = 0; j < all->chart[k].cols; j++)
            if (all->chart[k].element[j] == element &&
                all->chart[k].order[j] == order)
                return &all->chart[k];
    return NULL;
}

/* ---- Construction -------------------------------------------------------- */

static yoke_status make_codes(yk_charts *all, yk_model *m, yoke_err *err)
{
    int registers = 1;

    YK_TRY(yk_ints(&all->code_of, (size_t)m->equation.count, err));
    YK_TRY(YK_NEW(&all->code, m->equation.count, err));
    for (int i = 0; i < m->equation.count; i++) all->code_of[i] = -1;
    for (int k = 0; k < all->count; k++)
        for (int i = 0; i < all->chart[k].rows; i++) {
            const int number = all->chart[k].row[i].number;
            const yk_template *t = &m->equation.at[number];
            if (all->code_of[number] >= 0) continue;
            all->code_of[number] = all->codes++;
            yk_code *code = &all->code[all->code_of[number]];
            YK_TRY(yk_eq_code_create(code, m, t, t->refs, t->slope, err));
            if (code->registers > registers) registers = code->registers;
        }
    return yk_doubles(&all->workspace, (size_t)registers * YK_LANES, err);
}

yoke_status yk_charts_finish(yk_model *m, yoke_err *err)
{
    yk_charts *all = m->charts;
    size_t most = 1;

    if (!all) return YOKE_OK;
    YK_TRY(make_codes(all, m, err));
    for (int k = 0; k < all->count; k++) {
        const size_t n = (size_t)all->chart[k].cols;
        all->numbers += 1 + n * n;
        if (n > most) most = n;
    }
    YK_TRY(yk_doubles(&all->memory, all->numbers, err));
    YK_TRY(YK_DOUBLES(most * most, err, &all->h, &all->basis, &all->product,
                      &all->rest));
    double *at = all->memory;
    for (int k = 0; k < all->count; k++) {
        yk_chart *c = &all->chart[k];
        c->least = at;
        c->q = at + 1;
        c->t = c->q + c->rows * c->cols;
        at += 1 + c->cols * c->cols;
    }
    return YOKE_OK;
}

/* ---- Orthonormal rows ---------------------------------------------------- */

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;

    for (int j = 0; j < n; j++) sum += a[j] * b[j];
    return sum;
}

/* v minus its part in the span of the rows of a, twice for rounding; returns
 * its length. */
static double subtract(const double *a, int rows, double *v, int n)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < rows; i++) {
            const double part = dot(a + i * n, v, n);
            for (int j = 0; j < n; j++) v[j] -= part * a[i * n + j];
        }
    return sqrt(dot(v, v, n));
}

static void divide(double *v, double length, int n)
{
    for (int j = 0; j < n; j++) v[j] /= length;
}

/* Gram and Schmidt; false if a row depends on those before it. */
static bool orthonormal(double *a, int rows, int n)
{
    for (int i = 0; i < rows; i++) {
        double *v = a + i * n;
        const double length = sqrt(dot(v, v, n));
        if (!(length > 0.0) || !isfinite(length)) return false;
        divide(v, length, n);
        const double left = subtract(a, i, v, n);
        if (!(left >= independent)) return false;
        divide(v, left, n);
    }
    return true;
}

/* Appends to the orthonormal rows of a, up to `wanted`, what is left of those
 * of v[count * n] (which is overwritten), the longest first. */
static void extend(double *a, int rows, int wanted, double *v, int count, int n)
{
    for (; rows < wanted; rows++) {
        double most = -1.0;
        int best = 0;
        for (int i = 0; i < count; i++) {
            const double length = subtract(a, rows, v + i * n, n);
            if (length <= most) continue;
            most = length;
            best = i;
        }
        memcpy(a + rows * n, v + best * n, (size_t)n * sizeof *a);
        divide(a + rows * n, most, n);
    }
}

static void identity(double *a, int n)
{
    memset(a, 0, (size_t)n * (size_t)n * sizeof *a);
    for (int i = 0; i < n; i++) a[i * n + i] = 1.0;
}

/* ---- How far the null space has turned ----------------------------------- */

/* Sign of the determinant of a[n * n], which is overwritten. */
static double sign_of(double *a, int n)
{
    double sign = 1.0;

    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[p * n + k])) p = i;
        for (int j = k; p != k && j < n; j++) {
            const double swap = a[k * n + j];
            a[k * n + j] = a[p * n + j];
            a[p * n + j] = swap;
        }
        if (a[k * n + k] == 0.0) return 0.0;
        if ((p != k) != (a[k * n + k] < 0.0)) sign = -sign;
        for (int i = k + 1; i < n; i++) {
            const double factor = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return sign;
}

/* Least pivot of the symmetric a[n * n], which is overwritten, or the first one
 * that is not positive: above zero if and only if a is positive definite. */
static double least_pivot(double *a, int n)
{
    double least = INFINITY;

    for (int k = 0; k < n; k++) {
        const double pivot = a[k * n + k];
        least = fmin(least, pivot);
        if (!(pivot > 0.0)) return pivot;
        for (int i = k + 1; i < n; i++) {
            const double factor = a[i * n + k] / pivot;
            for (int j = k + 1; j <= i; j++)
                a[i * n + j] -= factor * a[j * n + k];
        }
    }
    return least;
}

/* Above zero if and only if the signed cosine of the largest angle between the
 * spans of the orthonormal rows of a and b is above `least`, and zero with it:
 * then P P' - least^2 I is positive definite, P = a b'. */
static double margin(yk_charts *all, const double *a, const double *b, int rows,
                     int n, double least)
{
    double sines = rows; /* sum of the squared sines */
    double *const p = all->product, *const s = all->rest;

    for (int i = 0; i < rows; i++)
        for (int k = 0; k < rows; k++) {
            const double v = dot(a + i * n, b + k * n, n);
            p[i * rows + k] = v;
            sines -= v * v;
        }
    memcpy(s, p, (size_t)rows * (size_t)rows * sizeof *s);
    if (sign_of(s, rows) <= 0.0) return -1.0;
    if (sines < 0.5 * (1.0 - least * least)) return 1.0 - sines - least * least;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k <= i; k++)
            s[i * rows + k] = dot(p + i * rows, p + k * rows, rows) -
                              (i == k ? least * least : 0.0);
    return least_pivot(s, rows);
}

/* ---- One chart ----------------------------------------------------------- */

/* all->h = Q for the slopes at w; false if rows depend on each other. */
static bool load(yk_charts *all, const yk_model *m, const yk_chart *c, double t,
                 const double *w)
{
    const int n = c->cols;

    memset(all->h, 0, (size_t)c->rows * (size_t)n * sizeof *all->h);
    for (int i = 0; i < c->rows; i++) {
        const yk_chart_row *row = &c->row[i];
        const yk_code *code = &all->code[all->code_of[row->number]];
        yk_eq_code_run(code, &m->equation.at[row->number], row->instance, 1, t,
                       w, all->workspace);
        for (int k = row->first; k < row->first + row->count; k++) {
            const yk_chart_term *term = &c->term[k];
            all->h[i * n + term->column] +=
                term->weight * c->size[term->column] *
                all->workspace[(size_t)code->result[term->ref] * YK_LANES];
        }
    }
    return orthonormal(all->h, c->rows, n);
}

/* Q and its complement, from all->h; good until the cosine is `least`. */
static void make(yk_charts *all, yk_chart *c, double least)
{
    const int n = c->cols;
    const size_t bytes = (size_t)c->rows * (size_t)n * sizeof *c->q;

    memcpy(c->q, all->h, bytes);
    memcpy(all->basis, all->h, bytes);
    identity(all->rest, n);
    extend(all->basis, c->rows, n, all->rest, n, n);
    memcpy(c->t, all->basis + c->rows * n,
           (size_t)(n - c->rows) * (size_t)n * sizeof *c->t);
    *c->least = least;
}

/* The given unknowns are the first coordinates; c->t comes as the null space.
 * False if they are no coordinates. */
static bool make_given(yk_charts *all, yk_chart *c, const bool *given)
{
    const int n = c->cols, free = n - c->rows;
    int rows = 0;

    memset(all->basis, 0, (size_t)n * (size_t)n * sizeof *all->basis);
    for (int j = 0; j < n && rows < free; j++)
        if (given[c->state[j]]) all->basis[rows++ * n + j] = 1.0;
    extend(all->basis, rows, free, c->t, free, n);
    memcpy(c->t, all->basis, (size_t)free * (size_t)n * sizeof *c->t);
    identity(all->rest, n);
    extend(all->basis, free, n, all->rest, n, n);
    memcpy(c->q, all->basis + free * n,
           (size_t)c->rows * (size_t)n * sizeof *c->q);
    if (margin(all, c->q, all->h, c->rows, n, least_given) > 0.0) return true;
    for (int j = 0; j < n; j++) c->q[j] = -c->q[j]; /* the other orientation */
    return margin(all, c->q, all->h, c->rows, n, least_given) > 0.0;
}

static void start_chart(yk_charts *all, const yk_model *m, yk_chart *c,
                        double t, const double *w)
{
    const int n = c->cols;

    if (load(all, m, c, t, w)) {
        make(all, c, first_cosine);
        return;
    }
    memset(c->least, 0, (1 + (size_t)n * (size_t)n) * sizeof *c->least);
    for (int j = 0, i = 0; j < n; j++)
        if (c->kept[j]) c->t[i++ * n + j] = 1.0;
}

void yk_charts_start(yk_charts *all, const yk_model *m, double t,
                     const double *w)
{
    for (int k = 0; k < all->count; k++)
        start_chart(all, m, &all->chart[k], t, w);
}

/* ---- Events -------------------------------------------------------------- */

void yk_charts_indicate(yk_charts *all, const yk_model *m, double t,
                        const double *w, double *g)
{
    for (int k = 0; k < all->components; k++) g[k] = -1.0;
    for (int k = 0; k < all->count; k++) {
        const yk_chart *c = &all->chart[k];
        if (*c->least == 0.0) continue;
        const double left =
            load(all, m, c, t, w)
                ? margin(all, c->q, all->h, c->rows, c->cols, *c->least)
                : -1.0;
        g[c->component] = fmax(g[c->component], -left);
    }
}

/* With Q in all->h. */
static bool is_good(yk_charts *all, const yk_chart *c)
{
    return margin(all, c->q, all->h, c->rows, c->cols, good_cosine) > 0.0;
}

void yk_charts_begin(yk_charts *all, const yk_model *m, double t,
                     const double *w, bool *happened)
{
    for (int k = 0; k < all->count; k++) {
        const yk_chart *c = &all->chart[k];
        if (!load(all, m, c, t, w)) continue;
        if (*c->least == 0.0 || !is_good(all, c)) happened[c->component] = true;
    }
}

static yoke_status dependent(const yk_chart *c, yoke_err *err)
{
    return yk_fail(err, YOKE_RETRY,
                   "%s: the constraints depend on each other here, a singular "
                   "point from which the motion may go on in several ways; "
                   "change lengths or start values so that it is not reached",
                   c->name);
}

static yoke_status apply_chart(yk_charts *all, const yk_model *m, yk_chart *c,
                               double t, const double *w, bool happened,
                               const bool *given, yoke_err *err)
{
    int marks = 0;

    if (!load(all, m, c, t, w))
        return happened && *c->least != 0.0 ? dependent(c, err) : YOKE_OK;
    for (int j = 0; j < c->cols; j++) marks += given[c->state[j]];
    if (!happened && marks == 0 && *c->least != 0.0 && is_good(all, c))
        return YOKE_OK;
    make(all, c, least_cosine);
    if (marks == 0 || marks > c->cols - c->rows) return YOKE_OK;
    if (make_given(all, c, given)) return YOKE_OK;
    return yk_fail(err, YOKE_RETRY,
                   "%s: the constraint determines what reinit gives a value",
                   c->name);
}

yoke_status yk_charts_apply(yk_charts *all, const yk_model *m, double t,
                            const double *w, const bool *happened,
                            const bool *given, yoke_err *err)
{
    for (int k = 0; k < all->count; k++) {
        yk_chart *c = &all->chart[k];
        YK_TRY(
            apply_chart(all, m, c, t, w, happened[c->component], given, err));
    }
    return YOKE_OK;
}

void yk_charts_store(const yk_charts *all, double *C, double *J)
{
    for (int k = 0; k < all->count; k++) {
        const yk_chart *c = &all->chart[k];
        const int n = c->cols;
        for (int i = 0; i < n - c->rows; i++)
            for (int j = 0; j < n; j++) {
                const double v = c->t[i * n + j] * (c->mean / c->size[j]);
                C[c->c_at[i * n + j]] = v;
                J[c->g_at[i * n + j]] = -v;
            }
    }
}
