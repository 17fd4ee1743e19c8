/* step/tape_doubt.c -- what a correction along the steps may have left: inputs that
 * no stage has seen, matrices that were old.
 */
#include "base/vector.h"
#include "la/pattern.h"
#include "step/drive.h"
#include "step/policy.h"

#include <float.h>
#include <math.h>

/* ---- Between the stages --------------------------------------------------- */

/* How far the change of inputs at t is from the polynomial through its values at
 * the beginning and the stages of the step, in tolerances. */
static double deviation_at(const yk_driver *d, const yk_tape_step *s, double t,
                           const double *node, int *cursor)
{
    const yk_tape *tape = &d->tape;
    const yk_problem *p = &d->p;
    double weight[YK_TAPE_NODES], most = 0.0;

    yk_tape_lagrange(tape, (t - s->t) / (s->end - s->t), weight);
    yk_wave_eval(tape->changed, t, cursor, tape->du);
    for (int c = 0; c < p->m; c++) {
        double sum = 0.0;
        for (int j = 0; j <= tape->method->stages; j++)
            sum += weight[j] * node[j * p->m + c];
        most = fmax(most,
                    fabs(tape->du[c] - sum) / yk_tolerance_u(p, fabs(p->u[c])));
    }
    return most;
}

/* One polynomial over the whole step, of a degree that its values at the beginning and
 * the stages determine? */
static bool is_seen(const yk_tape *tape, const yk_tape_step *s, int piece)
{
    const yk_wave *w = tape->changed;
    const double end =
        piece + 1 < yk_wave_pieces(w) ? yk_wave_knot(w, piece + 1) : INFINITY;

    return yk_wave_degree(w, piece) <= tape->method->stages &&
           (piece == 0 || yk_wave_knot(w, piece) <= s->t) && s->end <= end;
}

/* Inputs that change between the stages of a step are never seen: their
 * largest deviation at the knots of the change and between them. */
double yk_tape_between(yk_driver *d, const yk_tape_step *s, int *piece,
                       double *node)
{
    const yk_tape *tape = &d->tape;
    const yk_wave *w = tape->changed;
    const int m = d->p.m;
    double most = 0.0, last = s->t;
    int cursor = 0;
    bool smooth = true;

    while (*piece + 1 < yk_wave_pieces(w) &&
           yk_wave_knot(w, *piece + 1) <= s->t)
        ++*piece;
    if (is_seen(tape, s, *piece)) return 0.0;
    yk_wave_eval_right(w, s->t, &cursor, node);
    for (int j = 0; j < tape->method->stages; j++)
        yk_wave_eval(w, yk_tape_time(tape, s, j), &cursor, node + (j + 1) * m);
    cursor = *piece;
    while (last < s->end) {
        while (*piece + 1 < yk_wave_pieces(w) &&
               yk_wave_knot(w, *piece + 1) <= last)
            ++*piece;
        const double knot = *piece + 1 < yk_wave_pieces(w)
                                ? yk_wave_knot(w, *piece + 1)
                                : s->end;
        const double next = fmin(knot, s->end);
        smooth = smooth && next >= s->end - 1e-9 * s->h;
        for (int k = 1; k <= 3; k++)
            most = fmax(most, deviation_at(d, s, last + (next - last) * k / 3.0,
                                           node, &cursor));
        if (!(next > last)) break;
        last = next;
    }
    return smooth ? YK_STEP_TAPE_SMOOTH * most : most;
}

double yk_tape_begun(yk_driver *d)
{
    const yk_tape *tape = &d->tape;
    double most = 0.0;

    if (d->p.m == 0 || !tape->changed || d->method->stepping == YK_FIXED)
        return 0.0;
    yk_wave_eval_right(tape->changed, tape->step[0].t, NULL, tape->du);
    for (int c = 0; c < d->p.m; c++)
        most = fmax(most,
                    fabs(tape->du[c]) / yk_tolerance_u(&d->p, fabs(d->p.u[c])));
    return most;
}

/* ---- Tolerances ------------------------------------------------------------ */

/* Tolerances by which corrections are judged: not below rounding, however small
 * an unknown is that grows (grow.c). */
void yk_tape_weights(yk_problem *p, const double *x)
{
    yk_weights(p, x);
    for (int i = 0; i < p->n; i++) {
        const double least = DBL_EPSILON * p->facts->nominal[i];
        if (p->weight[i] < least) p->weight[i] = least;
    }
}

/* ---- Old matrices --------------------------------------------------------- */

/* What the correction of a step leaves because C and G were other ones than at
 * its end, in tolerances.  Newton's contraction does not say: it was measured for
 * changes of other unknowns, by predictions that may have been perfect. */
static yoke_status add_old(yk_driver *d, const yk_tape_step *s,
                           yk_tape_result *result, yoke_err *err)
{
    yk_tape *tape = &d->tape;
    const yk_problem *p = &d->p;
    const int vectors = tape->method->stages + tape->method->extra;
    const double *dq[YK_STAGES], *df[YK_STAGES];
    double *const first = tape->a[YK_STAGES - 1];
    double most = 0.0;

    if (!tape->renewed || s->matrices < 0) return YOKE_OK;
    yk_tape_take(d, s);
    for (int j = 0; j < vectors; j++) {
        yk_zero(tape->c[j], p->n);
        if (j >= tape->method->stages) continue;
        yk_zero(tape->a[j], p->n);
        yk_zero(tape->b[j], p->n);
        yk_pattern_multiply(p->facts->C, s->slopes.C, 1.0, s->dx[j],
                            tape->a[j]);
        yk_pattern_multiply(p->facts->C, p->C, -1.0, s->dx[j], tape->a[j]);
        yk_pattern_multiply(p->facts->G, s->slopes.G, 1.0, s->dx[j],
                            tape->b[j]);
        yk_pattern_multiply(p->facts->G, p->G, -1.0, s->dx[j], tape->b[j]);
        dq[j] = tape->a[j];
        df[j] = tape->b[j];
    }
    yk_zero(first, p->n);
    YK_TRY(tape->method->solve(d->self, s->h, first, dq, df, tape->c, err));
    for (int j = 0; j < tape->method->stages; j++)
        most = fmax(most, yk_norm_rms(p, tape->c[j]));
    result->left += most;
    return YOKE_OK;
}

/* Largest |dx| of a step in tolerances, and what it leaves. */
yoke_status yk_tape_measure(yk_driver *d, const yk_tape_step *s,
                            yk_tape_result *result, yoke_err *err)
{
    yk_problem *p = &d->p;
    double size = 0.0;

    yk_tape_weights(p, s->x0);
    for (int i = 0; i < d->tape.method->stages; i++)
        size = fmax(size, yk_norm_rms(p, s->dx[i]));
    result->size = fmax(result->size, size);
    if (p->affine) return YOKE_OK;
    result->left += s->theta * size * fmax(1.0, size / fmax(1.0, s->first));
    return size > YK_STEP_TAPE_OLD ? add_old(d, s, result, err) : YOKE_OK;
}
