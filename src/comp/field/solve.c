/* comp/field/solve.c -- the static field for given fluxes or currents.
 *
 * For currents i the potentials minimise W(a) - i'X'a; for fluxes phi they
 * minimise W(a) under X'a = phi, and i are the multipliers.  Both problems are
 * strictly convex, so Newton's method with a line search on the energy finds
 * the one solution from anywhere.
 *
 * A step with the tangent K (factored; W = K^-1 X, L = X'W, G = L^-1)
 *
 *     K da - X di = X i - force(a) =: -r,   X'da = phi - X'a =: c
 *     da = z + W di,  z = -K^-1 r,  di = G (c - X'z)
 *
 * is measured by sqrt(da'K da) over the square root of the energy.  The first
 * step, from the last solution, is the linear one da = W G c, which meets the
 * fluxes; all others keep them.  A tangent from an earlier point serves for
 * three steps that shrink by 0.6 at least (Shamanskii 1967), and for any number
 * that shrink by ten; after a step with a tangent of the present point that was
 * below 3e-7 the error is below its square.
 */
#include "comp/field/solve.h"

#include "base/vector.h"
#include "la/newton.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 80, MOST_LENGTHS = 30, MOST_OLD = 3 };

static const double quadratic = 3e-7; /* a last step with a new tangent */
static const double stalled = 1e-11;  /* a step that is only rounding */
static const double rounding = 1e-8;  /* one that no longer shrinks */
static const double done_below = 1e-12;
static const double nothing = 1e-9;   /* T: errors are measured against it */
static const double somewhere = 1e-3; /* a guess of how far it moved */

void yk_field_solver_free(yk_field_solver *s)
{
    if (!s) return;
    yk_cholesky_free(s->tangent);
    yk_cholesky_free(s->chord);
    YK_FREE(s->value, s->a, s->i, s->W, s->L, s->W_chord, s->force);
    yk_field_model_clear(&s->model);
    yk_free(s);
}

static yoke_status make_room(yk_field_solver *s, yoke_err *err)
{
    const size_t n = (size_t)s->model.n, m = (size_t)s->model.m;

    YK_TRY(yk_doubles(&s->value, (size_t)yoke_pattern_count(s->model.lower) + 1,
                      err));
    YK_TRY(yk_doubles(&s->a, n, err));
    YK_TRY(yk_doubles(&s->i, 4 * m, err));
    s->phi = s->i + m;
    s->di = s->phi + m;
    s->gap = s->di + m;
    YK_TRY(yk_doubles(&s->W, n * m, err));
    YK_TRY(yk_doubles(&s->L, 3 * m * m, err));
    s->G = s->L + m * m;
    s->L_chord = s->G + m * m;
    YK_TRY(yk_doubles(&s->W_chord, n * m, err));
    YK_TRY(yk_doubles(&s->force, 3 * n, err));
    s->step = s->force + n;
    s->trial = s->step + n;
    s->moved = INFINITY;
    for (int k = 0; k < s->model.elements; k++) {
        const yk_field_element *e = &s->model.element[k];
        s->least +=
            e->volume * yk_bh_eval(&s->model.bh[e->material], nothing).energy;
    }
    return YOKE_OK;
}

yoke_status yk_field_solver_create(yk_field_solver **out, const yk_field *given,
                                   yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_field_solver *s = NULL;

    YK_TRY(YK_NEW(&s, 1, err));
    YK_GO(yk_field_model_create(&s->model, given, err));
    YK_GO(make_room(s, err));
    YK_GO(yk_cholesky_create(&s->tangent, s->model.lower, err));
    YK_GO(yk_cholesky_create(&s->chord, s->model.lower, err));
    *out = s;
    s = NULL;
done:
    yk_field_solver_free(s);
    return status;
}

/* ---- small algebra ------------------------------------------------------- */

static const double *column(const yk_field_solver *s, const double *matrix,
                            int j)
{
    return matrix + (size_t)j * (size_t)s->model.n;
}

/* inverse := matrix^-1, symmetric and positive definite; both m by m. */
static yoke_status invert(int m, const double *matrix, double *inverse,
                          yoke_err *err)
{
    memcpy(inverse, matrix, (size_t)(m * m) * sizeof *inverse);
    for (int k = 0; k < m; k++) {
        const double pivot = inverse[k * m + k];
        if (!(pivot > 1e-13 * matrix[k * m + k]))
            return yk_fail(err, YOKE_E_MODEL,
                           "the windings are not independent: the inductances "
                           "of winding %d follow from those before it",
                           k + 1);
        inverse[k * m + k] = 1.0;
        for (int j = 0; j < m; j++) inverse[k * m + j] /= pivot;
        for (int i = 0; i < m; i++) {
            const double factor = inverse[i * m + k];
            if (i == k) continue;
            inverse[i * m + k] = 0.0;
            for (int j = 0; j < m; j++)
                inverse[i * m + j] -= factor * inverse[k * m + j];
        }
    }
    return YOKE_OK;
}

/* ---- matrices ------------------------------------------------------------ */

static yoke_status factor(yk_field_solver *s, yk_field_matrix which,
                          yk_cholesky *cholesky, double *W, double *L,
                          yoke_err *err)
{
    const yk_field_model *f = &s->model;

    yk_field_assemble(f, s->a, NULL, which, s->value);
    YK_TRY(yk_cholesky_factor(cholesky, s->value, NULL, err));
    YK_TRY(yk_cholesky_solve(cholesky, f->m, f->X, W, err));
    s->factorizations++;
    s->solves += f->m;
    for (int i = 0; i < f->m; i++)
        for (int j = 0; j <= i; j++)
            L[i * f->m + j] = L[j * f->m + i] =
                yk_dot(f->n, column(s, f->X, i), column(s, W, j));
    return YOKE_OK;
}

yoke_status yk_field_tangent(yk_field_solver *s, double accuracy, yoke_err *err)
{
    const bool is_linear = s->model.is_linear && s->moved < INFINITY;

    if (is_linear || s->moved <= accuracy) return YOKE_OK;
    s->moved = INFINITY;
    YK_TRY(factor(s, YK_TANGENT, s->tangent, s->W, s->L, err));
    YK_TRY(invert(s->model.m, s->L, s->G, err));
    s->moved = 0.0;
    return YOKE_OK;
}

yoke_status yk_field_chord(yk_field_solver *s, yoke_err *err)
{
    if (s->chord_valid) return YOKE_OK;
    YK_TRY(factor(s, YK_CHORD, s->chord, s->W_chord, s->L_chord, err));
    s->chord_valid = true;
    return YOKE_OK;
}

/* ---- Newton's method ----------------------------------------------------- */

/* What is sought, and how large the solution is. */
typedef struct target {
    yk_field_solver *solver;
    const double *flux; /* NULL: the currents are given */
    double energy, size;
    double length; /* of the step, relative */
    int old;       /* steps with the tangent that is there */
} target;

static void find_gap(yk_field_solver *s, const target *t)
{
    for (int j = 0; j < s->model.m; j++)
        s->gap[j] = t->flux
                        ? t->flux[j] -
                              yk_dot(s->model.n, column(s, s->model.X, j), s->a)
                        : 0.0;
}

/* di = G (gap - X'z), and z + W di in s->step. */
static void meet_fluxes(yk_field_solver *s, const target *t)
{
    const int m = s->model.m, n = s->model.n;

    if (!t->flux) {
        for (int j = 0; j < m; j++) s->di[j] = 0.0;
        return;
    }
    for (int j = 0; j < m; j++)
        s->gap[j] -= yk_dot(n, column(s, s->model.X, j), s->step);
    for (int j = 0; j < m; j++) s->di[j] = yk_dot(m, s->G + j * m, s->gap);
    for (int j = 0; j < m; j++)
        yk_add(n, s->di[j], column(s, s->W, j), s->step);
}

/* s->step and s->di with the tangent that is there; *size: relative. */
static yoke_status find_step(yk_field_solver *s, const target *t, double *size,
                             yoke_err *err)
{
    const yk_field_model *f = &s->model;

    find_gap(s, t);
    memcpy(s->trial, s->force, (size_t)f->n * sizeof *s->trial);
    for (int j = 0; j < f->m; j++)
        yk_add(f->n, -s->i[j], column(s, f->X, j), s->trial);
    YK_TRY(yk_cholesky_solve(s->tangent, 1, s->trial, s->step, err));
    s->solves++;
    for (int k = 0; k < f->n; k++) s->step[k] = -s->step[k];
    meet_fluxes(s, t);
    /* da'K da = -r'da + di'X'da */
    double square = -yk_dot(f->n, s->trial, s->step);
    for (int j = 0; j < f->m; j++)
        square += s->di[j] * yk_dot(f->n, column(s, f->X, j), s->step);
    *size = square > 0.0 ? sqrt(square / t->size) : 0.0;
    return YOKE_OK;
}

/* The function that the solution minimises, at the point p. */
static double merit(const yk_field_solver *s, const target *t, const double *p,
                    double energy)
{
    const yk_field_model *f = &s->model;

    for (int j = 0; !t->flux && j < f->m; j++)
        energy -= s->i[j] * yk_dot(f->n, column(s, f->X, j), p);
    return energy;
}

/* a += length da: good is what lowers the energy. */
static yoke_status search(void *self, double length, bool *good, yoke_err *err)
{
    target *t = self;
    yk_field_solver *s = t->solver;
    const yk_field_model *f = &s->model;

    (void)err;
    memcpy(s->trial, s->a, (size_t)f->n * sizeof *s->trial);
    yk_add(f->n, length, s->step, s->trial);
    if (good && t->length >= 1e-5) {
        const double energy =
            yk_field_assemble(f, s->trial, NULL, YK_CHORD, NULL);
        const double square = t->length * t->length * t->size;
        *good = merit(s, t, s->trial, energy) <=
                merit(s, t, s->a, t->energy) - 1e-4 * length * square;
    }
    if (good && !*good) return YOKE_OK;
    memcpy(s->a, s->trial, (size_t)f->n * sizeof *s->a);
    yk_add(f->m, length, s->di, s->i);
    s->moved += t->length;
    return YOKE_OK;
}

static void look(yk_field_solver *s, target *t)
{
    const yk_field_model *f = &s->model;
    double coenergy = 0.0;

    t->energy = yk_field_assemble(f, s->a, s->force, YK_CHORD, NULL);
    for (int j = 0; j < f->m; j++)
        coenergy += fabs(s->i[j] * yk_dot(f->n, column(s, f->X, j), s->a));
    t->size = fabs(t->energy) + coenergy + s->least;
}

/* Is a step of this size with an old tangent, the `old`-th one, good enough? */
static bool serves(double size, double last, int old)
{
    if (!(last < INFINITY)) return size <= 0.02;
    return size <= 0.1 * last || (size <= 0.6 * last && old < MOST_OLD);
}

static yoke_status increment(void *self, yk_newton_run *run, yoke_err *err)
{
    target *t = self;
    yk_field_solver *s = t->solver;
    const double last = run->before;
    double size = 0.0;

    look(s, t);
    YK_TRY(find_step(s, t, &size, err));
    bool is_new = s->moved == 0.0;
    const double ratio = last < INFINITY ? fmin(1.0, size / last) : 1.0;
    run->done = size * ratio < done_below || size < stalled ||
                (size > 0.5 * last && size < rounding);
    if (!is_new && !run->done && !s->model.is_linear &&
        !serves(size, last, t->old)) {
        YK_TRY(yk_field_tangent(s, 0.0, err));
        YK_TRY(find_step(s, t, &size, err));
        is_new = true;
    }
    t->old = is_new ? 0 : t->old + 1;
    run->done =
        run->done || (is_new && size < quadratic && !s->model.is_linear);
    run->size = t->length = size;
    return YOKE_OK;
}

static yoke_status iterate(target *t, yoke_err *err)
{
    yk_newton_run run = { t,
                          increment,
                          search,
                          .most = MOST_STEPS,
                          .lengths = MOST_LENGTHS,
                          .strict = true };
    const yoke_status status = yk_newton_iterate(&run, err);

    if (status > 0 && run.end != YK_NEWTON_FAILED)
        yk_prefix(err, "the field is not found (last change %g of its size)",
                  run.size);
    return status;
}

static yoke_status solve(yk_field_solver *s, target *t, yoke_err *err)
{
    const yk_field_model *f = &s->model;

    s->chord_valid = false;
    if (!(s->moved < INFINITY)) YK_TRY(yk_field_tangent(s, 0.0, err));
    YK_TRY(iterate(t, err));
    s->energy = yk_field_assemble(f, s->a, NULL, YK_CHORD, NULL);
    for (int j = 0; j < f->m; j++)
        s->phi[j] =
            t->flux ? t->flux[j] : yk_dot(f->n, column(s, f->X, j), s->a);
    return YOKE_OK;
}

/* After a failure the next solution begins at zero. */
static yoke_status begin_anew(yk_field_solver *s, yoke_status status)
{
    if (status == YOKE_OK) return status;
    memset(s->a, 0, (size_t)s->model.n * sizeof *s->a);
    memset(s->i, 0, (size_t)s->model.m * sizeof *s->i);
    memset(s->phi, 0, (size_t)s->model.m * sizeof *s->phi);
    s->moved = INFINITY;
    return status;
}

/* The first guess: the linear answer to the change of the fluxes. */
static yoke_status predict_flux(yk_field_solver *s, const target *t,
                                yoke_err *err)
{
    const int m = s->model.m, n = s->model.n;

    if (!(s->moved < INFINITY)) YK_TRY(yk_field_tangent(s, 0.0, err));
    find_gap(s, t);
    for (int j = 0; j < m; j++) s->di[j] = yk_dot(m, s->G + j * m, s->gap);
    for (int j = 0; j < m; j++) yk_add(n, s->di[j], column(s, s->W, j), s->a);
    yk_add(m, 1.0, s->di, s->i);
    s->moved = fmax(s->moved, somewhere);
    return YOKE_OK;
}

static bool is_same(int m, const double *x, const double *y)
{
    for (int j = 0; j < m; j++)
        if (x[j] != y[j]) return false;
    return true;
}

yoke_status yk_field_solve_flux(yk_field_solver *s, const double *phi,
                                yoke_err *err)
{
    target t = { .solver = s, .flux = phi };

    if (s->moved < INFINITY && is_same(s->model.m, phi, s->phi)) return YOKE_OK;
    yoke_status status = predict_flux(s, &t, err);
    if (status == YOKE_OK) status = solve(s, &t, err);
    return begin_anew(s, status);
}

yoke_status yk_field_solve_current(yk_field_solver *s, const double *i,
                                   yoke_err *err)
{
    const int m = s->model.m, n = s->model.n;
    target t = { .solver = s };

    if (s->moved < INFINITY && is_same(m, i, s->i)) return YOKE_OK;
    if (s->moved < INFINITY)
        for (int j = 0; j < m; j++)
            yk_add(n, i[j] - s->i[j], column(s, s->W, j), s->a);
    memcpy(s->i, i, (size_t)m * sizeof *i);
    if (s->moved < INFINITY) s->moved = fmax(s->moved, somewhere);
    return begin_anew(s, solve(s, &t, err));
}
