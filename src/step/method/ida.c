/* step/method/ida.c -- SUNDIALS IDA: variable step, variable order BDF, KLU.
 *
 * IDA solves F(t, x, x') = 0.  From the charge form,
 *
 *     F = d/dt q(t, x(t), u(t)) + f(t, x, u(t)),
 *
 * where the first term is the derivative of q along (1, x', u'):
 *
 *     systems given by their right side      x'
 *     affine systems                         C x' + Cu u'
 *     others                                 central differences
 *         ( q(t + e, x + e x', u(t + e)) - q(t - e, x - e x', u(t - e)) ) / 2e
 *
 * In a short segment t and u permit a short e only, with which x moves by little
 * more than its rounding: then one difference with t and u, one with x.
 *
 * The matrix is cj C + G; the dependence of C on x is left out.  Each segment
 * starts IDA again at order 1, with x' from slopes.c or, where that does not
 * apply, from a difference.  Between the ends: IDA's own polynomial, of the
 * order of the step.
 *
 * Index 2 and 3 (deep_unknowns.c) are refused: IDA passes its error test there
 * only if the algebraic unknowns are left out of it, and then nothing bounds the
 * error of the multipliers.
 *
 * Limits: q of an affine system must not depend on t other than through u.
 * Charges are conserved to the tolerance, not to rounding.
 * Reference: Hindmarsh et al., ACM Trans. Math. Softw. 31 (2005) 363.
 */
#include "step/method.h"
#include "step/solve/slopes.h"

#include "la/pattern.h"
#include "sys/system.h"

#include <float.h>
#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <string.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

enum { SLOTS = 6 };

/* Of the tolerances, for the error of one step: over many they add up.  With 1
 * runs are off by 3 to 120 tolerances on problems that do not amplify errors,
 * with this by up to 10 (tests/converge/tolerance.c).  At order k as many steps
 * as go like tol^(-1/(k+1)) have errors in proportion to tol if each has
 * tol^(1+1/k); k = 5.  A beginning goes through the orders 1 and 2 in about ten
 * steps, however small their errors are, so a tenth of that costs a few steps
 * and takes the error of a hundred events from 25 tolerances to 2. */
static double part_of(double rtol, int order)
{
    const double part = 0.1 * pow(fmin(1.0, rtol / 1e-4), 0.2);

    return order > 2 ? part : 0.1 * part;
}

/* Attempts of one step, IDA's own are 10: after a kink the first step may have
 * to be shorter than a window by twelve powers of ten, and each attempt is a
 * quarter of the last. */
enum { ATTEMPTS = 40 };

typedef enum charge_rate { IDENTITY, CONSTANT, DIFFERENCE } charge_rate;

typedef struct ida {
    yk_problem *p;
    charge_rate rate;
    double *Cu; /* of an affine system */
    SUNContext context;
    void *memory;
    N_Vector x, xdot, sample;
    SUNMatrix matrix;
    SUNLinearSolver solver;
    yk_slopes slopes;
    yk_newton newton;
    bool judged;  /* its index is known */
    bool fresh;   /* no step since the segment began */
    double part;  /* of the tolerances, that it has now */
    double *blur; /* n: least of these */

    double *xdot_data, *shifted, *q_minus, *q_plus, *udot, *u;
    int cursor;

    double *slot[SLOTS]; /* x at times inside the last step */
    double slot_time[SLOTS];
    int slots;
    double *inner[2]; /* x and x' there, for the defect */

    long iterations, rejected; /* IDA's counts since the segment began */
    yoke_status status;        /* of the last callback that failed */
    yoke_err err;              /* its message, or IDA's */
} ida;

/* ---- The residual -------------------------------------------------------- */

static const double *input_at(ida *s, double t)
{
    const yk_problem *p = s->p;

    if (p->m == 0 || !p->wave) return p->u;
    if (t <= p->begin)
        yk_wave_eval_right(p->wave, t, &s->cursor, s->u);
    else
        yk_wave_eval(p->wave, t, &s->cursor, s->u);
    return s->u;
}

/* Length e of the difference: x moves by the cube root of the rounding unit,
 * relative to its size; 0: it does not move. */
static double difference_length(const yk_problem *p, const double *x,
                                const double *xdot)
{
    double most = 0.0;

    for (int i = 0; i < p->n; i++)
        most = fmax(most, fabs(xdot[i]) / (fabs(x[i]) + p->facts->nominal[i]));
    return most > 0.0 ? cbrt(DBL_EPSILON) / most : 0.0;
}

/* q at t + later, with x + e x'. */
static yoke_status charge_at(ida *s, double t, double later, double e,
                             const double *x, const double *xdot, double *q,
                             yoke_err *err)
{
    yk_problem *p = s->p;

    for (int i = 0; i < p->n; i++) s->shifted[i] = x[i] + e * xdot[i];
    p->work.residuals++;
    return yoke_system_eval(p->system, yk_time(p, t + later), s->shifted,
                            input_at(s, t + later), q, NULL, err);
}

/* rate := derivative of q along (1, x', u').  The difference does not reach
 * over the ends of the segment. */
static yoke_status difference(ida *s, double t, const double *x,
                              const double *xdot, double *rate, yoke_err *err)
{
    const yk_problem *p = s->p;
    const double by_time =
        cbrt(DBL_EPSILON) * fmax(p->end - p->begin, 1e-3 * fabs(p->t));
    const double by_x = difference_length(p, x, xdot);
    const bool apart = by_x > by_time;
    const double e = apart || by_x == 0.0 ? by_time : by_x;
    const double low = fmax(-e, fmin(p->begin - t, 0.0));
    const double high = fmin(e, fmax(p->end - t, 0.0));

    YK_TRY(charge_at(s, t, high, apart ? 0.0 : high, x, xdot, s->q_plus, err));
    YK_TRY(charge_at(s, t, low, apart ? 0.0 : low, x, xdot, s->q_minus, err));
    for (int i = 0; i < p->n; i++)
        rate[i] = (s->q_plus[i] - s->q_minus[i]) / (high - low);
    if (!apart) return YOKE_OK;
    YK_TRY(charge_at(s, t, 0.0, by_x, x, xdot, s->q_plus, err));
    YK_TRY(charge_at(s, t, 0.0, -by_x, x, xdot, s->q_minus, err));
    for (int i = 0; i < p->n; i++)
        rate[i] += (s->q_plus[i] - s->q_minus[i]) / (2.0 * by_x);
    return YOKE_OK;
}

static void constant_rate(ida *s, double t, const double *xdot, double *rate)
{
    yk_problem *p = s->p;

    memset(rate, 0, (size_t)p->n * sizeof *rate);
    yk_pattern_multiply(p->facts->C, p->C, 1.0, xdot, rate);
    if (!p->charge_input || !p->wave) return;
    /* From the right at the beginning of the segment, from the left elsewhere.
     */
    const double at = t <= p->begin ? p->begin + 1e-9 * (p->end - p->begin) : t;
    yk_wave_eval_dot(p->wave, at, 1, &s->cursor, s->udot);
    yk_pattern_multiply(p->facts->Cu, s->Cu, 1.0, s->udot, rate);
}

static yoke_status residual(ida *s, double t, const double *x,
                            const double *xdot, double *r, yoke_err *err)
{
    yk_problem *p = s->p;

    if (s->rate == DIFFERENCE)
        YK_TRY(difference(s, t, x, xdot, r, err));
    else if (s->rate == CONSTANT)
        constant_rate(s, t, xdot, r);
    else
        memcpy(r, xdot, (size_t)p->n * sizeof *r);
    YK_TRY(yk_eval(p, t, x, NULL, p->f_new, err));
    for (int i = 0; i < p->n; i++) r[i] += p->f_new[i];
    return YOKE_OK;
}

/* IDA wants > 0 for "try a smaller step" and < 0 for "stop". */
static int note(ida *s, yoke_status status)
{
    if (status != YOKE_OK) s->status = status;
    return (int)status;
}

static int ida_residual(double t, N_Vector x, N_Vector xdot, N_Vector r,
                        void *data)
{
    ida *s = data;

    return note(s,
                residual(s, t, N_VGetArrayPointer(x), N_VGetArrayPointer(xdot),
                         N_VGetArrayPointer(r), &s->err));
}

static int ida_jacobian(double t, double cj, N_Vector x, N_Vector xdot,
                        N_Vector r, SUNMatrix matrix, void *data, N_Vector w1,
                        N_Vector w2, N_Vector w3)
{
    ida *s = data;
    yk_problem *p = s->p;
    double *const value = SUNSparseMatrix_Data(matrix);
    const int in_c = yoke_pattern_count(p->facts->C);
    const int in_g = yoke_pattern_count(p->facts->G);
    yoke_status status = YOKE_OK;

    (void)xdot, (void)r, (void)w1, (void)w2, (void)w3;
    if (!p->affine || !p->stamp)
        status = yk_jacobian(p, t, N_VGetArrayPointer(x), &s->err);
    if (status != YOKE_OK) return note(s, status);
    /* IDA clears the matrix before each call, places included. */
    for (int j = 0; j <= p->n; j++)
        SUNSparseMatrix_IndexPointers(matrix)[j] = p->both->start[j];
    for (int k = 0; k < yoke_pattern_count(p->both); k++) {
        SUNSparseMatrix_IndexValues(matrix)[k] = p->both->row[k];
        value[k] = 0.0;
    }
    for (int k = 0; k < in_c; k++) value[p->c_at[k]] += cj * p->C[k];
    for (int k = 0; k < in_g; k++) value[p->g_at[k]] += p->G[k];
    p->work.factorizations++;
    return 0;
}

/* What the error of one step may be. */
static double tolerance(const ida *s, int i, double x)
{
    const yk_problem *p = s->p;

    return yk_tolerance(fmax(s->part * p->atol[i], s->blur[i]),
                        s->part * p->options.rtol, x);
}

static int ida_weights(N_Vector x, N_Vector weight, void *data)
{
    const ida *s = data;
    const yk_problem *p = s->p;
    const double *const value = N_VGetArrayPointer(x);
    double *const w = N_VGetArrayPointer(weight);

    for (int i = 0; i < p->n; i++) w[i] = 1.0 / tolerance(s, i, value[i]);
    return 0;
}

/* ---- Life
 * -------------------------------------------------------------------- */

static void ida_message(int code, const char *module, const char *function,
                        char *message, void *data)
{
    ida *s = data;

    (void)code;
    if (s->status == YOKE_OK)
        snprintf(s->err.text, sizeof s->err.text, "%s, %s: %s", module,
                 function, message);
}

static void ida_free(void *self)
{
    ida *s = self;
    if (!s) return;
    YK_FREE(s->Cu, s->xdot_data, s->shifted, s->q_minus, s->q_plus, s->udot,
            s->u, s->blur);
    for (int i = 0; i < SLOTS; i++) yk_free(s->slot[i]);
    YK_FREE(s->inner[0], s->inner[1]);
    yk_slopes_free(&s->slopes);
    yk_newton_free(&s->newton);
    if (s->memory) IDAFree(&s->memory);
    if (s->solver) SUNLinSolFree(s->solver);
    if (s->matrix) SUNMatDestroy(s->matrix);
    N_Vector const vector[] = { s->x, s->xdot, s->sample };
    for (size_t i = 0; i < 3; i++)
        if (vector[i]) N_VDestroy(vector[i]);
    if (s->context) SUNContext_Free(&s->context);
    yk_free(s);
}

static yoke_status make_blocks(ida *s, yoke_err *err)
{
    const yk_problem *p = s->p;
    const size_t n = (size_t)p->n + 1, m = (size_t)p->m + 1;
    double **const block[] = { &s->xdot_data, &s->shifted, &s->q_minus,
                               &s->q_plus, &s->blur };

    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        YK_TRY(yk_doubles(block[i], n, err));
    for (int i = 0; i < SLOTS; i++) YK_TRY(yk_doubles(&s->slot[i], n, err));
    YK_TRY(YK_DOUBLES(n, err, &s->inner[0], &s->inner[1]));
    YK_TRY(YK_DOUBLES(m, err, &s->udot, &s->u));
    YK_TRY(
        yk_doubles(&s->Cu, (size_t)yoke_pattern_count(p->facts->Cu) + 1, err));
    YK_TRY(yk_newton_create(&s->newton, p, err));
    return yk_slopes_create(&s->slopes, p, err);
}

static bool make_objects(ida *s)
{
    const yk_problem *p = s->p;
    const int places = yoke_pattern_count(p->both);

    if (SUNContext_Create(NULL, &s->context)) return false;
    s->x = N_VMake_Serial(p->n, p->x_new, s->context);
    s->xdot = N_VMake_Serial(p->n, s->xdot_data, s->context);
    s->sample = N_VMake_Serial(p->n, s->slot[0], s->context);
    s->matrix = SUNSparseMatrix(p->n, p->n, places > 0 ? places : 1, CSC_MAT,
                                s->context);
    if (!s->x || !s->xdot || !s->sample || !s->matrix) return false;
    s->solver = SUNLinSol_KLU(s->x, s->matrix, s->context);
    s->memory = IDACreate(s->context);
    /* AMD: the patterns are nearly symmetric. */
    return s->solver && s->memory &&
           SUNLinSol_KLUSetOrdering(s->solver, 0) == SUNLS_SUCCESS;
}

static bool configure(ida *s)
{
    const yoke_stepper_options *o = &s->p->options;

    if (IDASetErrHandlerFn(s->memory, ida_message, s)) return false;
    if (IDAInit(s->memory, ida_residual, 0.0, s->x, s->xdot)) return false;
    if (IDAWFtolerances(s->memory, ida_weights)) return false;
    if (IDASetUserData(s->memory, s)) return false;
    if (IDASetLinearSolver(s->memory, s->solver, s->matrix)) return false;
    if (IDASetJacFn(s->memory, ida_jacobian)) return false;
    if (o->max_step > 0.0 && IDASetMaxStep(s->memory, o->max_step))
        return false;
    if (IDASetMaxErrTestFails(s->memory, ATTEMPTS)) return false;
    if (IDASetMaxConvFails(s->memory, ATTEMPTS)) return false;
    return IDASetMaxNumSteps(s->memory, -1) == IDA_SUCCESS;
}

static yoke_status ida_create(void **out, const yk_method *method,
                              yk_problem *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    ida *s = NULL;

    (void)method;
    YK_TRY(YK_NEW(&s, 1, err));
    s->p = p;
    s->rate = p->system->ops->eval == NULL ? IDENTITY
              : p->affine                  ? CONSTANT
                                           : DIFFERENCE;
    YK_GO(make_blocks(s, err));
    if (p->n > 0 && !(make_objects(s) && configure(s)))
        YK_GO(yk_fail(err, YOKE_E_MEMORY, "subsystem \"%s\": IDA: %s", p->name,
                      s->err.text[0] ? s->err.text : "out of memory"));
    *out = s;
    s = NULL;
done:
    ida_free(s);
    return status;
}

/* ---- Steps
 * ------------------------------------------------------------------- */

static yoke_status constant_matrices(ida *s, yoke_err *err)
{
    yk_problem *p = s->p;
    const yoke_jacobian want = { .Cu = s->Cu };

    if (s->rate != CONSTANT) return YOKE_OK;
    YK_TRY(yk_jacobian_once(p, p->t, p->x, err));
    return yoke_system_jacobian(p->system, yk_time(p, p->t), p->x,
                                yk_input(p, p->t), &want, err);
}

/* x at a time e later, to second order: charges follow their rates, the other
 * unknowns the algebraic equations. */
static yoke_status point_later(ida *s, double e, double *x, yoke_err *err)
{
    yk_problem *p = s->p;

    for (int i = 0; i < p->n; i++) s->q_plus[i] = p->q[i] - e * p->f[i];
    memcpy(x, p->x, (size_t)p->n * sizeof *x);
    return yk_newton_solve(&s->newton, p, p->t + e, 1.0, 0.0, s->q_plus, x,
                           s->q_minus, p->f_new, err);
}

/* (4 x(e/2) - x(e) - 3 x(0)) / e, a slope of second order, with x(e) in
 * s->shifted. */
static double slope_of(const ida *s, double e, int i)
{
    const yk_problem *p = s->p;

    return (4.0 * p->x_new[i] - s->shifted[i] - 3.0 * p->x[i]) / e;
}

/* x' of the algebraic unknowns, which slopes.c leaves open.  With 0 the first
 * step would have to be so short that they do not move: after a kink, where
 * they are 0, by no more than atol. */
static yoke_status algebraic_slopes(ida *s, yoke_err *err)
{
    yk_problem *p = s->p;
    const int *const start = p->facts->C->start;
    const double e = 1e-4 * (p->end - p->begin);
    bool any = false;

    for (int j = 0; j < p->n; j++) any = any || start[j + 1] == start[j];
    if (!any) return YOKE_OK;
    YK_TRY(yk_eval(p, p->t, p->x, NULL, p->f, err));
    YK_TRY(point_later(s, e, s->shifted, err));
    YK_TRY(point_later(s, 0.5 * e, p->x_new, err));
    for (int j = 0; j < p->n; j++)
        if (start[j + 1] == start[j]) s->xdot_data[j] = slope_of(s, e, j);
    return YOKE_OK;
}

/* x' where the columns of C depend on each other (combinations of unknowns as
 * states, floating capacitors): a difference over a time in which little
 * changes.  YOKE_RETRY: higher index, or no such time. */
static yoke_status difference_slopes(ida *s, yoke_err *err)
{
    yk_problem *p = s->p;
    double e = 1e-4 * (p->end - p->begin);

    YK_TRY(yk_eval(p, p->t, p->x, NULL, p->f, err));
    for (int k = 0; k < 10; k++, e *= 0.1) {
        double most = 0.0;
        YK_TRY(point_later(s, e, s->shifted, err));
        YK_TRY(point_later(s, 0.5 * e, p->x_new, err));
        for (int i = 0; i < p->n; i++) {
            const double size = fabs(p->x[i]) + p->facts->nominal[i];
            s->xdot_data[i] = slope_of(s, e, i);
            most = fmax(most, fabs(s->shifted[i] - p->x[i]) / size);
        }
        if (most < 1e-3) return YOKE_OK;
    }
    return yk_fail(err, YOKE_RETRY, "unknowns change at once");
}

/* x' at the beginning of a segment: with x' = 0 the rate is that of q alone. */
static yoke_status first_slopes(ida *s, yoke_err *err)
{
    yk_problem *p = s->p;
    double *const rate = p->f_new; /* free until the first step */

    memset(s->xdot_data, 0, (size_t)p->n * sizeof *rate);
    memcpy(p->x_new, p->x, (size_t)p->n * sizeof *rate);
    if (s->rate == DIFFERENCE)
        YK_TRY(difference(s, p->t, p->x, s->xdot_data, rate, err));
    else if (s->rate == CONSTANT)
        constant_rate(s, p->t, s->xdot_data, rate);
    else
        memset(rate, 0, (size_t)p->n * sizeof *rate);
    yoke_status status =
        yk_slopes_solve(&s->slopes, p, p->t, rate, p->x_new, s->xdot_data, err);
    if (status == YOKE_OK && !p->options.given)
        memcpy(p->x, p->x_new, (size_t)p->n * sizeof *rate);
    if (status == YOKE_OK) {
        status = algebraic_slopes(s, err);
        return status < 0 ? status : YOKE_OK;
    }
    if (status > 0) status = difference_slopes(s, err);
    if (status > 0) memset(s->xdot_data, 0, (size_t)p->n * sizeof *rate);
    return status < 0 ? status : YOKE_OK;
}

static yoke_status refused(ida *s, yoke_err *err)
{
    return yk_fail(err, YOKE_E_NUMERIC, "subsystem \"%s\", t = %.10g: %.800s",
                   s->p->name, s->p->t, s->err.text);
}

/* An unknown that a derivative of a constraint determines. */
static yoke_status check_index(ida *s, yoke_err *err)
{
    yk_problem *p = s->p;
    int deep = -1;
    bool three = false;

    s->judged = true;
    YK_TRY(yk_find_depth(p, err));
    p->h_noise = p->h_begin = 0.0;
    for (int j = 0; j < p->n && !three; j++) {
        if (p->depth[j] <= 0) continue;
        three = !p->forgets[j];
        if (deep < 0 || three) deep = j;
    }
    if (deep < 0) return YOKE_OK;
    return yk_fail(err, YOKE_E_MODEL,
                   "subsystem \"%s\": ida does not solve constraints of index "
                   "%d (\"%s\" is determined by the derivative of one); use "
                   "radau5, genalpha or bdf, or the constraint in another form",
                   p->name, three ? 3 : 2, p->facts->x_name[deep]);
}

/* Instants are known to rounding (yk_time), so no unknown is better known than
 * its slope times that: with less as its tolerance IDA would never begin. */
static void set_tolerances(ida *s)
{
    const yk_problem *p = s->p;
    const double blur =
        32.0 * DBL_EPSILON * fmax(fabs(p->t), p->end - p->begin);

    s->part = part_of(p->options.rtol, 1);
    s->fresh = true;
    for (int i = 0; i < p->n; i++) s->blur[i] = blur * fabs(s->xdot_data[i]);
}

/* IDA begins with h = w / 2 |x'|, in which x moves by half its tolerance: after
 * a jump of an input that may be less than the rounding of t.  At order 1 the
 * error is h^2 x'' / 2, which permits sqrt(4 T h) with |x''| = |x'| / T.  T is
 * taken as a thousandth of the segment; where it is shorter, the error test
 * finds out. */
static double begin_step(const ida *s)
{
    const yk_problem *p = s->p;
    const double length = p->end - p->begin;
    double most = 0.0;

    if (p->options.step > 0.0) return fmin(p->options.step, length);
    for (int i = 0; i < p->n; i++)
        most = fmax(most, fabs(s->xdot_data[i]) / tolerance(s, i, p->x[i]));
    const double h = 1e-3 * length;
    return most > 0.0 ? fmin(h, sqrt(2.0 * h / most)) : h;
}

static yoke_status ida_begin(void *self, bool smooth, yoke_err *err)
{
    ida *s = self;
    yk_problem *p = s->p;

    (void)smooth;
    if (p->n == 0) return YOKE_OK;
    s->cursor = 0;
    s->iterations = s->rejected = 0;
    s->status = YOKE_OK;
    s->err.text[0] = '\0';
    YK_TRY(constant_matrices(s, err));
    YK_TRY(first_slopes(s, err));
    if (!s->judged) YK_TRY(check_index(s, err));
    N_VSetArrayPointer(p->x, s->x);
    N_VSetArrayPointer(s->xdot_data, s->xdot);
    set_tolerances(s);
    if (IDAReInit(s->memory, p->t, s->x, s->xdot) ||
        IDASetInitStep(s->memory, begin_step(s)) ||
        IDASetStopTime(s->memory, p->end))
        return refused(s, err);
    if (!p->options.warm && SUNLinSol_KLUReInit(s->solver, s->matrix,
                                                SUNSparseMatrix_NNZ(s->matrix),
                                                SUNKLU_REINIT_PARTIAL))
        return refused(s, err);
    return YOKE_OK;
}

/* What IDA counts is added to the work. */
static void count_work(ida *s)
{
    long iterations = 0, failed_tests = 0, failed_solves = 0;
    int order = 1;

    IDAGetNumNonlinSolvIters(s->memory, &iterations);
    IDAGetNumErrTestFails(s->memory, &failed_tests);
    IDAGetNumNonlinSolvConvFails(s->memory, &failed_solves);
    IDAGetLastOrder(s->memory, &order);
    s->p->work.solves += iterations - s->iterations;
    s->p->work.rejected += failed_tests + failed_solves - s->rejected;
    s->iterations = iterations;
    s->rejected = failed_tests + failed_solves;
    s->p->poly.degree = order > 1 ? order : 1;
}

static yoke_status failed(ida *s, int flag, yoke_err *err)
{
    yk_problem *p = s->p;
    double h = 0.0;

    if (s->status < 0) {
        if (err) *err = s->err;
        return s->status;
    }
    IDAGetCurrentStep(s->memory, &h);
    if (flag == IDA_MEM_FAIL)
        return yk_fail(err, YOKE_E_MEMORY, "subsystem \"%s\": IDA: %.800s",
                       p->name, s->err.text);
    return yk_fail(err, YOKE_RETRY,
                   "subsystem \"%s\", t = %.10g, step %.3g: %.800s", p->name,
                   p->t, h, s->err.text);
}

static yoke_status ida_step(void *self, double t, double h, double *error,
                            double *t_reached, yoke_err *err)
{
    ida *s = self;
    yk_problem *p = s->p;
    int order = 1; /* of the next step; what IDA tells at first is older */

    (void)h, (void)error;
    s->slots = 0;
    p->poly.degree = 1;
    const double stop = p->h_most < t - p->t ? p->t + p->h_most : t;
    *t_reached = stop;
    if (p->n == 0) return YOKE_OK;
    N_VSetArrayPointer(p->x_new, s->x);
    if (IDASetStopTime(s->memory, stop) ||
        (!s->fresh && IDAGetCurrentOrder(s->memory, &order)))
        return refused(s, err);
    s->fresh = false;
    s->part = part_of(p->options.rtol, order);
    const int flag =
        IDASolve(s->memory, t, t_reached, s->x, s->xdot, IDA_ONE_STEP);
    count_work(s);
    if (flag < 0) return failed(s, flag, err);
    s->status = YOKE_OK;
    if (*t_reached < stop && flag != IDA_TSTOP_RETURN) return YOKE_OK;
    *t_reached = stop;
    if (stop < t) return YOKE_OK;
    return yk_eval(p, t, p->x_new, p->q_new, NULL, err);
}

/* The residual of the polynomial of the last step. */
static yoke_status ida_defect(void *self, double t, double *g, yoke_err *err)
{
    ida *s = self;
    bool failed = false;

    N_VSetArrayPointer(s->inner[0], s->sample);
    failed = IDAGetDky(s->memory, t, 0, s->sample) != IDA_SUCCESS;
    N_VSetArrayPointer(s->inner[1], s->sample);
    failed = failed || IDAGetDky(s->memory, t, 1, s->sample) != IDA_SUCCESS;
    if (failed) return refused(s, err);
    return residual(s, t, s->inner[0], s->inner[1], g, err);
}

/* x at a time inside the last step; computed once per time. */
static const double *sample(ida *s, double t)
{
    for (int k = 0; k < s->slots; k++)
        if (s->slot_time[k] == t) return s->slot[k];
    const int k = s->slots < SLOTS ? s->slots++ : SLOTS - 1;
    s->slot_time[k] = t;
    N_VSetArrayPointer(s->slot[k], s->sample);
    return IDAGetDky(s->memory, t, 0, s->sample) == IDA_SUCCESS ? s->slot[k]
                                                                : NULL;
}

static yoke_status ida_dense(void *self, double t, int count, const int *index,
                             double *value, yoke_err *err)
{
    ida *s = self;

    if (count == 0 || s->p->n == 0) return YOKE_OK;
    const double *x = sample(s, t);
    if (!x) return refused(s, err);
    for (int j = 0; j < count; j++) value[j] = x[index[j]];
    return YOKE_OK;
}

const yk_method yk_ida = {
    .name = "ida",
    .text = "SUNDIALS IDA, orders 1 to 5, adaptive",
    .stepping = YK_FREE,
    .order = 5,
    .degree = 5,
    .create = ida_create,
    .begin = ida_begin,
    .step = ida_step,
    .dense = ida_dense,
    .defect = ida_defect,
    .free = ida_free,
};
