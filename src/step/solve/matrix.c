/* step/solve/matrix.c -- the matrices s C + g G of implicit stages, factored.
 *
 * C and G are combined on the union of their patterns, by index maps made once.
 *
 * Several factorisations are kept, for different s, unless every sweep begins
 * cold (option warm).  A repeated sweep takes the same steps again and finds
 * those of the sweep before: no older than the window, with the Jacobian of the
 * same time, they are as good as new ones.
 * Those of earlier windows are overwritten first.  When all belong to this
 * window the last one used is overwritten: steps come in a cycle, and replacing
 * the least recently used would lose all of them.
 */
#include "step/method.h"
#include "step/policy.h"
#include "sys/call.h"

#include <math.h>
#include <string.h>

/* Kept of this window; of earlier ones, if this one needs no more. */
enum { MOST = 16, FEW = 2 };

typedef struct factors {
    yk_lu *lu;
    double re, im, g;
    long stamp;  /* of the Jacobian; 0: not factored */
    double time; /* of the Jacobian */
    long used;   /* window of the last use */
} factors;

struct yk_matrix {
    bool is_complex;
    double *value;
    int count, current;
    int filled; /* those behind were never used */
    factors slot[MOST];
};

yoke_status yk_matrix_create(yk_matrix **out, const yk_problem *p,
                             bool is_complex, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_matrix *matrix = NULL;
    const size_t places = (size_t)yoke_pattern_count(p->both);
    const double most = YK_STEP_FACTOR_ROOM / (20.0 * (double)places + 1.0);

    YK_TRY(YK_NEW(&matrix, 1, err));
    matrix->is_complex = is_complex;
    matrix->count = most < 1.0 || !p->options.warm ? 1
                    : most > MOST                  ? MOST
                                                   : (int)most;
    YK_GO(yk_doubles(&matrix->value, (is_complex ? 2 : 1) * places + 1, err));
    *out = matrix;
    matrix = NULL;
done:
    yk_matrix_free(matrix);
    return status;
}

void yk_matrix_free(yk_matrix *matrix)
{
    if (!matrix) return;
    for (int k = 0; k < MOST; k++) yk_lu_free(matrix->slot[k].lu);
    YK_FREE(matrix->value, matrix);
}

/* value = (re + i im) C + g G on the union of both patterns. */
static void assemble(const yk_problem *p, yk_matrix *matrix, double re,
                     double im, double g)
{
    const int places = yoke_pattern_count(p->both);
    const int in_c = yoke_pattern_count(p->facts->C);
    const int in_g = yoke_pattern_count(p->facts->G);
    const int *const row = p->facts->G->row;
    const int wide = matrix->is_complex ? 2 : 1;
    double *const value = matrix->value;

    memset(value, 0, (size_t)(wide * places) * sizeof *value);
    for (int k = 0; k < in_c; k++) value[wide * p->c_at[k]] += re * p->C[k];
    if (matrix->is_complex)
        for (int k = 0; k < in_c; k++)
            value[wide * p->c_at[k] + 1] += im * p->C[k];
    for (int k = 0; k < in_g; k++)
        value[wide * p->g_at[k]] += (p->charge[row[k]] ? g : 1.0) * p->G[k];
}

static yoke_status name_unknown(yk_problem *p, int column, yoke_err *err)
{
    p->singular = true;
    if (column < 0 || column >= p->n)
        return yk_fail(err, YOKE_RETRY,
                       "the matrix s C + G of the step is singular");
    const yoke_status status =
        yk_fail(err, YOKE_RETRY,
                "the matrix s C + G of the step is singular: it does not "
                "determine \"%s\"",
                p->facts->x_name[column]);
    return yk_system_place(p->system, column, status, err);
}

static bool fits(const factors *s, long stamp, double re, double im, double g)
{
    return s->stamp == stamp && s->re == re && s->im == im && s->g == g;
}

/* Those with the Jacobian in use, or -1; most often the last ones. */
static int find_own(const yk_problem *p, const yk_matrix *matrix, double re,
                    double im, double g)
{
    if (!p->stamp) return -1;
    if (fits(&matrix->slot[matrix->current], p->stamp, re, im, g))
        return matrix->current;
    for (int k = 0; k < matrix->filled; k++)
        if (fits(&matrix->slot[k], p->stamp, re, im, g)) return k;
    return -1;
}

/* The factors of this matrix with the Jacobian nearest in time, the latest of
 * several, or -1: there are none, or the present Jacobian is nearer. */
static int find(const yk_problem *p, const yk_matrix *matrix, double re,
                double im, double g)
{
    double nearest = fabs(p->stamp_time - p->t);
    int best = -1;

    if (!p->oldest) return find_own(p, matrix, re, im, g);
    for (int k = 0; k < matrix->filled; k++) {
        const factors *s = &matrix->slot[k];
        if (s->re != re || s->im != im || s->g != g || !s->stamp) continue;
        if (s->stamp != p->stamp && (!p->oldest || s->stamp < p->oldest))
            continue;
        const double distance = fabs(s->time - p->t);
        if (distance > nearest) continue;
        if (best >= 0 && distance == nearest &&
            s->stamp < matrix->slot[best].stamp)
            continue;
        nearest = distance;
        best = k;
    }
    return best;
}

/* Of earlier windows few are kept, so that a unit that takes few steps in a window
 * stays in the memory near the processor, with hundreds of others. */
static int oldest_slot(const yk_problem *p, const yk_matrix *matrix)
{
    int best = matrix->current;

    for (int k = 0; k < matrix->count; k++) {
        const factors *s = &matrix->slot[k];
        if (k >= FEW && matrix->slot[best].used != p->window) break;
        if (s->used == p->window) continue;
        if (matrix->slot[best].used == p->window ||
            s->used < matrix->slot[best].used)
            best = k;
    }
    return best;
}

yoke_status yk_matrix_factor(yk_problem *p, yk_matrix *matrix, double re,
                             double im, double g, yoke_err *err)
{
    const int found = find(p, matrix, re, im, g);
    int column = -1;

    matrix->current = found >= 0 ? found : oldest_slot(p, matrix);
    factors *s = &matrix->slot[matrix->current];
    s->used = p->window;
    if (found >= 0) return YOKE_OK;
    if (matrix->current >= matrix->filled) matrix->filled = matrix->current + 1;
    *s = (factors){ s->lu, re, im, g, 0, p->stamp_time, p->window };
    if (!s->lu) YK_TRY(yk_lu_create(&s->lu, p->both, matrix->is_complex, err));
    assemble(p, matrix, re, im, g);
    p->work.factorizations++;
    const yoke_status status = yk_lu_factor(s->lu, matrix->value, &column, err);
    if (status > 0) return name_unknown(p, column, err);
    if (status == YOKE_OK) s->stamp = p->stamp;
    return status;
}

bool yk_matrix_is_doubtful(const yk_matrix *matrix)
{
    return yk_lu_rcond(matrix->slot[matrix->current].lu) < YK_STEP_DOUBTFUL;
}

bool yk_matrix_is_current(const yk_problem *p, const yk_matrix *matrix)
{
    const long stamp = matrix->slot[matrix->current].stamp;

    return stamp != 0 && stamp == p->stamp;
}

yoke_status yk_matrix_solve(yk_problem *p, yk_matrix *matrix, double *b,
                            yoke_err *err)
{
    p->work.solves++;
    return yk_lu_solve(matrix->slot[matrix->current].lu, b, err);
}
