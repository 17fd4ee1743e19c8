/* comp/mechanism/multibody_start.c -- where bodies begin.
 *
 * Positions that are wrong by little are corrected by Newton's method with the
 * least change in the norm of the mass matrix.  Velocities that are not given
 * follow from the others and the joints with the least kinetic energy.
 */
#include "comp/mechanism/mechanism.h"
#include "comp/mechanism/multibody.h"

#include <math.h>
#include <string.h>

static const double small = 1e-7; /* errors of a start, relative */

typedef struct start {
    double *G, *M, *value, *rate, *bend, *z, *b;
    bool *fixed;
    double size; /* of the positions, at least 1 */
} start;

static void start_clear(start *w)
{
    YK_FREE(w->G, w->M, w->value, w->rate, w->bend, w->z, w->b, w->fixed);
}

static yoke_status start_create(start *w, const yk_multibody *s, yoke_err *err)
{
    const size_t n = (size_t)s->n, rows = (size_t)s->rows;

    YK_TRY(yk_doubles(&w->G, rows * n + 1, err));
    YK_TRY(yk_doubles(&w->M, n * n, err));
    YK_TRY(YK_DOUBLES(rows + 1, err, &w->value, &w->rate, &w->bend));
    YK_TRY(yk_doubles(&w->z, n, err));
    YK_TRY(yk_doubles(&w->b, n + rows, err));
    YK_TRY(yk_alloc((void **)&w->fixed, n, sizeof *w->fixed, err));
    for (int i = 0; i < s->n; i++) w->M[i * s->n + i] = s->mass[i];
    return YOKE_OK;
}

static void evaluate(const yk_multibody *s, start *w, const double *x)
{
    const int n = s->n;
    yk_multibody_row_at c;

    memset(w->G, 0, (size_t)s->rows * (size_t)n * sizeof *w->G);
    for (int k = 0; k < s->rows; k++) {
        const yk_multibody_row *row = &s->row[k];
        yk_row_evaluate(s, k, x, x + n, &c);
        w->value[k] = c.value;
        w->rate[k] = c.rate;
        w->bend[k] = c.bend;
        for (int i = 0; i < YK_LOCAL; i++) {
            const int j = yk_coordinate(row->a.body, row->b.body, i);
            if (j >= 0) w->G[k * n + j] += c.G[i];
        }
    }
}

static double worst(const yk_multibody *s, const start *w)
{
    double most = 0.0;

    for (int k = 0; k < s->rows; k++) most = fmax(most, fabs(w->value[k]));
    return most;
}

/* ---- positions ----------------------------------------------------------- */

/* Newton's method while the error gets smaller, if it is no more than `most`.
 */
static yoke_status assemble(const yk_multibody *s, start *w, double *x,
                            double most, yoke_err *err)
{
    enum { STEPS = 30 };
    double left = worst(s, w);

    if (!(left <= most)) return YOKE_OK;
    for (int step = 0; step < STEPS && left > 0.0; step++) {
        YK_TRY(yk_mechanism_correct(s->rows, s->n, s->mass, w->G, NULL,
                                    w->value, w->z, err));
        for (int i = 0; i < s->n; i++) x[i] -= w->z[i];
        evaluate(s, w, x);
        const double now = worst(s, w);
        if (!(now < left)) {
            for (int i = 0; i < s->n; i++) x[i] += w->z[i];
            evaluate(s, w, x);
            break;
        }
        left = now;
    }
    return YOKE_OK;
}

static const char remedy[] =
    "move a body, or let \"assemble\" correct what is off by less";

static yoke_status blame_row(const yk_multibody *s, const yk_plane *g, int k,
                             const start *w, const double *x, yoke_err *err)
{
    const yk_multibody_row *row = &s->row[k];
    const char *name = g->joint[row->joint].name;
    const double off = fabs(w->value[k]);
    yk_arm a, b;

    yk_arm_at(&row->a, x, x + s->n, &a);
    yk_arm_at(&row->b, x, x + s->n, &b);
    switch (row->kind) {
    case YK_ROW_ACROSS:
        return yk_fail(err, YOKE_E_MODEL,
                       "joint \"%s\": the point \"%s\" is %g m off the axis "
                       "through \"%s\" at the start; %s",
                       name, row->b.name, off, row->a.name, remedy);
    case YK_ROW_ANGLE:
        return yk_fail(err, YOKE_E_MODEL,
                       "joint \"%s\": the angle of \"%s\" against \"%s\" is "
                       "wrong by %g rad at the start; %s",
                       name, row->b.name, row->a.name, off, remedy);
    default:
        return yk_fail(err, YOKE_E_MODEL,
                       "joint \"%s\": its points \"%s\" and \"%s\" are %g m "
                       "apart at the start, at (%g, %g) and (%g, %g); %s",
                       name, row->a.name, row->b.name,
                       hypot(b.r[0] - a.r[0], b.r[1] - a.r[1]), a.r[0], a.r[1],
                       b.r[0], b.r[1], remedy);
    }
}

static yoke_status check_positions(const yk_multibody *s, const yk_plane *g,
                                   const char *const *row_name, const start *w,
                                   const double *x, yoke_err *err)
{
    const yoke_status status =
        yk_mechanism_check_rank(s->rows, s->n, w->G, w->value, row_name, err);

    if (status != YOKE_OK)
        yk_suffix(err, " (rows of joints, at the positions of the start)");
    YK_TRY(status);
    for (int k = 0; k < s->rows; k++)
        if (!(fabs(w->value[k]) <= small * w->size))
            return blame_row(s, g, k, w, x, err);
    return YOKE_OK;
}

/* ---- velocities and accelerations ---------------------------------------- */

/* value = G v + rate */
static void speeds(const yk_multibody *s, start *w, const double *v)
{
    for (int k = 0; k < s->rows; k++) {
        w->value[k] = w->rate[k];
        for (int j = 0; j < s->n; j++) w->value[k] += w->G[k * s->n + j] * v[j];
    }
}

static yoke_status find_velocities(const yk_multibody *s, start *w,
                                   const char *const *row_name, double *v,
                                   yoke_err *err)
{
    speeds(s, w, v);
    YK_TRY(yk_mechanism_correct(s->rows, s->n, s->mass, w->G, w->fixed,
                                w->value, w->z, err));
    for (int j = 0; j < s->n; j++) v[j] -= w->z[j];
    speeds(s, w, v);
    return yk_mechanism_check_zero(s->rows, s->n, w->G, v, w->value, row_name,
                                   "velocities", err);
}

static yoke_status find_accelerations(yk_multibody *s, start *w, double t,
                                      double *x, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int n = s->n;
    double *u = NULL;

    YK_GO(yk_doubles(&u, (size_t)s->inputs + 1, err));
    evaluate(s, w, x); /* with the velocities */
    status = yk_forces(s, t, x, x + n, u, w->b, err);
    if (status == YOKE_RETRY) { /* no other start can be tried */
        status = YOKE_E_MODEL;
        if (err) err->status = status;
    }
    if (status != YOKE_OK) goto done;
    for (int k = 0; k < s->rows; k++) w->b[n + k] = -w->bend[k];
    YK_GO(yk_mechanism_accelerate(s->rows, n, w->M, w->G, w->b, err));
    memcpy(x + 2 * n, w->b, (size_t)(n + s->rows) * sizeof *x);
done:
    yk_free(u);
    return status;
}

yoke_status yk_multibody_start(yk_multibody *s, const yk_plane *given,
                               const char *const *row_name, double *x,
                               yoke_err *err)
{
    yoke_status status = YOKE_OK;
    start w = { .size = 1.0 };

    YK_GO(start_create(&w, s, err));
    for (int i = 0; i < s->n; i++) {
        w.size = fmax(w.size, fabs(x[i]));
        w.fixed[i] = !isnan(x[s->n + i]);
        if (!w.fixed[i]) x[s->n + i] = 0.0;
    }
    yk_multibody_drives(s, given->start);
    evaluate(s, &w, x);
    YK_GO(assemble(s, &w, x, fmax(given->assemble, small * w.size), err));
    YK_GO(check_positions(s, given, row_name, &w, x, err));
    YK_GO(find_velocities(s, &w, row_name, x + s->n, err));
    YK_GO(find_accelerations(s, &w, given->start, x, err));
done:
    start_clear(&w);
    return status;
}
