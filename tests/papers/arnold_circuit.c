/* Section 4.1 of Arnold and Guenther (2001): two subcircuits, joined at a node.
 *
 *     C1 y1' + g1 y1 + s1 = u,   C2 y2' + g2 y2 = -u,   y1 = y2,
 *
 * with C1 = 1, C2 = alpha, g1 = 1, g2 = 0.3, s1 = -(1 + sin 2 pi t), y(0) = 0
 * on [0, 1].  As the paper asks, the constraint is differentiated once: z = y'
 * is an algebraic unknown of each side and 0 = z1 - z2.  The first subcircuit
 * is solved with the current u of the last sweep, the second one owns the
 * constraint; an error of u is multiplied by -C2/C1 = -alpha.
 *
 * Numbers: an independent implementation in another language (Chebyshev
 * collocation with 15 nodes in every window); errors agree within 2 %, factors
 * of growth within 1 %, runs that blow up to an order of magnitude.
 */
#include "check.h"
#include "yoke/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = 200, SWEEPS = 8, LENGTHS = 3, COUNTS = 4 };

static const double lengths[LENGTHS] = { 0.1, 0.05, 0.025 };
static const int counts[COUNTS] = { 1, 2, 3, 5 };

static const double c1 = 1.0, g1 = 1.0, g2 = 0.3;
static const double two_pi = 6.283185307179586477;

/* ---- the circuit --------------------------------------------------------- */

static void source(void *context, double t, double *r)
{
    (void)context;
    r[0] = 0.0;
    r[1] = -(1.0 + sin(two_pi * t));
}

/* y' = z, 0 = c z + g y + s - sign u; s is there for the first one. */
static void add_side(yoke_model *model, const char *name, double c, double g,
                     double sign, double tolerance)
{
    const yoke_linear linear = {
        .n = 2,
        .m = 1,
        .p = 2,
        .E = (double[]){ 1.0, 0.0, 0.0, 0.0 },
        .A = (double[]){ 0.0, 1.0, g, c },
        .B = (double[]){ 0.0, -sign },
        .source = sign > 0.0 ? source : NULL,
        .x_name = (const char *const[]){ "y", "z" },
        .u_name = (const char *const[]){ "u" },
    };
    yoke_stepper_options stepper = yoke_stepper_defaults();
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yoke_stepper_set(&stepper, "method", "radau5", &err), &err);
    stepper.rtol = stepper.atol = tolerance;
    CHECK_OK(yoke_linear_create(&system, name, &linear, &err), &err);
    CHECK_OK(yoke_model_add(model, system, &stepper, &err), &err);
}

static yoke_model *make_circuit(double alpha, double tolerance)
{
    static const char *const output[] = { "first.z", "second.z" };
    static const double weight[] = { 1.0, -1.0 };
    const yoke_constraint node = { .count = 1,
                                   .outputs = 2,
                                   .output = output,
                                   .weight = weight,
                                   .owner = "second",
                                   .multiplier = (const char *const[]){ "u" } };
    yoke_model *model = NULL;
    yoke_err err;

    CHECK_OK(yoke_model_create(&model, &err), &err);
    yoke_graph *g = yoke_model_graph(model);
    add_side(model, "first", c1, g1, 1.0, tolerance);
    add_side(model, "second", alpha, g2, -1.0, tolerance);
    CHECK_OK(yoke_graph_constraint(g, "node", &node, &err), &err);
    CHECK_OK(yoke_graph_signal(g, "first.u", "node.u", 1.0, &err), &err);
    CHECK_OK(yoke_graph_signal(g, "second.u", "node.u", 1.0, &err), &err);
    return model;
}

/* (C1 + C2) y' + (g1 + g2) y = 1 + sin 2 pi t. */
static void exact(double alpha, double t, double *y, double *u)
{
    const double c = c1 + alpha, a = (g1 + g2) / c, w = two_pi;
    const double down = 1.0 / c / (a * a + w * w), decay = exp(-a * t);

    *y = (1.0 - decay) / (g1 + g2) +
         down * (a * sin(w * t) - w * cos(w * t) + w * decay);
    const double rate = (1.0 + sin(w * t)) / c - a * *y;
    *u = -alpha * rate - g2 * *y;
}

/* ---- a run --------------------------------------------------------------- */

typedef struct watched {
    double alpha, window;
    yoke_run *run;
    int y, u;                  /* places among the recorded variables */
    int windows;               /* done */
    double most_y, most_u;     /* largest errors so far */
    double sample[POINTS + 1]; /* u in the last window */
    double end[64];            /* error of u at the end of each window */
} watched;

static bool measure(void *context, double t, const yoke_iterate_result *so_far)
{
    watched *w = context;
    double value[16], y = 0.0, u = 0.0;

    (void)so_far;
    for (int k = 1; k <= POINTS; k++) {
        const double at = t - w->window + w->window * k / POINTS;
        yoke_run_at(w->run, k == POINTS ? t : at, value);
        exact(w->alpha, k == POINTS ? t : at, &y, &u);
        w->most_y = fmax(w->most_y, fabs(value[w->y] - y));
        w->most_u = fmax(w->most_u, fabs(value[w->u] - u));
        w->sample[k] = value[w->u];
    }
    w->end[w->windows++ % 64] = value[w->u] - u;
    return false;
}

static int place(yoke_run *run, const char *name)
{
    const char *const *names = NULL;
    const int count = yoke_run_variables(run, &names, NULL);

    assert_true(count <= 16);
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return i;
    fail_msg("%s is not recorded", name);
    return -1;
}

/* k sweeps in each window of length H.  What blows up cannot be solved with the
 * tightest tolerance: windows would be repeated with half their length. */
static watched run(double alpha, bool precondition, double window, int sweeps,
                   double stop)
{
    watched w = { .alpha = alpha, .window = window };
    const yoke_watcher watcher = { .window = measure, .context = &w };
    yoke_model *model = make_circuit(alpha, precondition ? 1e-13 : 1e-11);
    yoke_run_options o = yoke_run_defaults();
    yoke_err err;

    o.stop = stop;
    o.iterate.window = window;
    o.iterate.stop = YOKE_STOP_COUNT;
    o.iterate.max_sweeps = sweeps;
    o.iterate.extrapolate = 0;
    o.iterate.accelerate =
        precondition ? YOKE_ACCELERATE_PRECONDITION : YOKE_ACCELERATE_NONE;
    CHECK_OK(yoke_run_create(&w.run, model, &o, &watcher, &err), &err);
    w.y = place(w.run, "first.y");
    w.u = place(w.run, "node.u");
    CHECK_OK(yoke_run_advance(w.run, stop, &err), &err);
    assert_int_equal(w.windows, lround(stop / window));
    yoke_run_close(w.run, NULL);
    yoke_model_free(model);
    return w;
}

/* ---- the reference ------------------------------------------------------- */

/* `window`: errors of u after the first window, 1 ... 8 sweeps in it; u and y:
 * largest errors on [0, 1] for the lengths and counts above.  Zero: not told,
 * or beyond 1e99. */
static const struct row {
    double alpha;
    bool precondition;
    double window[SWEEPS];
    double u[LENGTHS][COUNTS], y[LENGTHS][COUNTS];
    double growth[LENGTHS]; /* of u per window with one sweep in each */
} rows[] = {
    { 0.5,
      false,
      { 0.09053602, 0.04435106, 0.02172318, 0.01063845, 0.005209158,
        0.002550289, 0.001248367, 0.000610977 },
      { { 0.09053602, 0.06043385, 0.02231943, 0.00569923 },
        { 0.0484999, 0.03338229, 0.01188393, 0.003062699 },
        { 0.024763, 0.01730349, 0.006129162, 0.001572096 } },
      { { 0.009293335, 0.01418409, 0.003657765, 0.001040242 },
        { 0.003225335, 0.007735468, 0.001842037, 0.0005448393 },
        { 0.001604532, 0.003971303, 0.0009349449, 0.0002801385 } },
      { 0, 0, 0 } },
    { 0.5,
      true,
      { 0.001239111, 5.503303e-06, 1.831053e-08, 4.873535e-11, 1.083578e-13,
        3.330669e-16, 1.110223e-16, 3.330669e-16 },
      { { 0.002444599, 1.031659e-05, 3.367457e-08, 1.956213e-13 },
        { 0.001267417, 2.770171e-06, 4.569684e-09, 7.7785e-15 },
        { 0.0006436078, 7.080848e-07, 5.865282e-10, 1.498801e-15 } },
      { { 0.01833449, 7.737443e-05, 2.525593e-07, 1.46716e-12 },
        { 0.009505624, 2.077628e-05, 3.427263e-08, 5.795364e-14 },
        { 0.004827058, 5.310636e-06, 4.398962e-09, 1.021405e-14 } },
      { 0, 0, 0 } },
    { 0.9,
      false,
      { 0.2238959, 0.194656, 0.1691628, 0.1469438, 0.1275848, 0.1107238,
        0.09604356, 0.08326693 },
      { { 0.2238959, 0.4111464, 0.1691628, 0.1275848 },
        { 0.1211907, 0.3449444, 0.094909, 0.07429776 },
        { 0.06217129, 0.2422321, 0.04952343, 0.03944487 } },
      { { 0.01297429, 0.08715642, 0.01004584, 0.007774271 },
        { 0.003405659, 0.07050001, 0.002697747, 0.002588182 },
        { 0.0008665694, 0.04809373, 0.0009409463, 0.00124854 } },
      { 0, 0, 0 } },
    { 0.9,
      true,
      { 0.004097143, 4.314086e-05, 3.401532e-07, 2.145043e-09, 1.127298e-11,
        5.062617e-14, 2.220446e-16, 2.220446e-16 },
      { { 0.008487809, 8.512493e-05, 6.614935e-07, 2.156417e-11 },
        { 0.004460181, 2.305133e-05, 8.997415e-08, 7.401024e-13 },
        { 0.002265228, 5.898213e-06, 1.156641e-08, 2.160772e-14 } },
      { { 0.02687806, 0.0002695623, 2.09473e-06, 6.828654e-11 },
        { 0.01412391, 7.299589e-05, 2.849181e-07, 2.343514e-12 },
        { 0.007173221, 1.867768e-05, 3.662695e-08, 6.838974e-14 } },
      { 0, 0, 0 } },
    { 2,
      false,
      { 0.7039614, 1.346776, 2.574747, 4.918714, 9.389236, 17.90825, 34.12724,
        64.97613 },
      { { 171.5893, 126389.3, 4.921884e+07, 1.041577e+13 },
        { 82843.87, 7.373844e+10, 2.379706e+16, 5.296574e+27 },
        { 4.243951e+10, 4.049662e+22, 1.297758e+34, 3.157554e+57 } },
      { { 5.341093, 8040.407, 1859046, 3.971528e+11 },
        { 1337.364, 2.398877e+09, 4.880431e+14, 1.141356e+26 },
        { 3.480619e+08, 6.666453e+20, 1.385591e+32, 3.610325e+55 } },
      { 1.895453, 1.944322, 1.971917 } },
    { 2,
      true,
      { 0.01048824, 0.0001980507, 2.80118e-06, 3.169093e-08, 2.988192e-10,
        2.415623e-12, 1.731948e-14, 4.440892e-16 },
      { { 0.02075018, 0.0003772939, 5.232618e-06, 5.458067e-10 },
        { 0.01110341, 0.0001025681, 7.165442e-07, 1.886782e-11 },
        { 0.005642193, 2.63564e-05, 9.273039e-08, 6.125933e-13 } },
      { { 0.03661796, 0.0006658128, 9.234033e-06, 9.631883e-10 },
        { 0.01959425, 0.0001810024, 1.26449e-06, 3.329623e-11 },
        { 0.009956812, 4.65113e-05, 1.636419e-07, 1.081107e-12 } },
      { 0, 0, 0 } },
    { 31,
      false,
      { 16.66212, 490.478, 14424.14, 423757.7, 1.243587e+07, 3.645329e+08,
        1.067254e+10, 3.120572e+11 },
      { { 2.007119e+14, 6.950401e+28, 2.238608e+43, 1.93899e+72 },
        { 7.994269e+28, 2.167971e+58, 5.555077e+87, 0 },
        { 2.618736e+58, 0, 0, 0 } },
      { { 5.950336e+11, 2.032284e+26, 6.213404e+40, 4.848901e+69 },
        { 1.216544e+26, 3.330826e+55, 8.313541e+84, 0 },
        { 2.019011e+55, 0, 0, 0 } },
      { 28.16943, 29.54944, 30.26568 } },
    { 31,
      true,
      { 0.02715137, 0.0008656877, 2.069752e-05, 3.96042e-07, 6.31792e-09,
        8.64222e-11, 1.034728e-12, 1.110223e-14 },
      { { 0.04792843, 0.001599673, 3.928084e-05, 1.234915e-08 },
        { 0.02363676, 0.0003840014, 4.646939e-06, 3.59931e-10 },
        { 0.01162185, 9.361371e-05, 5.641293e-07, 1.087797e-11 } },
      { { 0.04995798, 0.001667412, 4.09442e-05, 1.287208e-08 },
        { 0.02463766, 0.0004002621, 4.843715e-06, 3.751722e-10 },
        { 0.01211398, 9.757781e-05, 5.880175e-07, 1.133832e-11 } },
      { 0, 0, 0 } },
};

enum { ROWS = sizeof rows / sizeof *rows };

/* What the steppers leave between the points of their grids. */
static const double floor_of_steppers = 1e-11;

/* ---- tests --------------------------------------------------------------- */

static void check_error(double error, double wanted)
{
    CHECK_NEAR(error, wanted, 0.02 * wanted + floor_of_steppers);
}

/* Ratios of the errors after 1, 2, ... sweeps tend to alpha without the
 * preconditioner; with it each is smaller than the last. */
static void errors_in_one_window(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        const struct row *r = &rows[i];
        double last = NAN;
        for (int k = 1; k <= SWEEPS; k++) {
            const double error =
                run(r->alpha, r->precondition, 0.1, k, 0.1).most_u;
            check_error(error, r->window[k - 1]);
            if (k > 1 && r->window[k - 1] > 1e-9) {
                const double wanted = r->window[k - 1] / r->window[k - 2];
                CHECK_NEAR(error / last, wanted, 0.01 * wanted);
            }
            last = error;
        }
    }
}

/* Runs that blow up agree to an order of magnitude. */
static void check_run(const struct row *r, int length, int count)
{
    const double u = r->u[length][count], y = r->y[length][count];

    if (u == 0.0) return;
    const watched w =
        run(r->alpha, r->precondition, lengths[length], counts[count], 1.0);
    if (u < 10.0) {
        check_error(w.most_u, u);
        check_error(w.most_y, y);
    } else {
        CHECK_BETWEEN(log10(w.most_u / u), -1.0, 1.0);
        CHECK_BETWEEN(log10(w.most_y / y), -1.0, 1.0);
    }
}

static void errors_of_whole_runs(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++)
        for (int l = 0; l < LENGTHS; l++)
            for (int k = 0; k < COUNTS; k++) check_run(&rows[i], l, k);
}

/* alpha > 1: one sweep per window multiplies the error of u by alpha + O(H),
 * the more the shorter the windows are. */
static void growth_per_window(void **state)
{
    int checked = 0;
    (void)state;
    for (int i = 0; i < ROWS; i++)
        for (int l = 0; l < LENGTHS; l++) {
            const double wanted = rows[i].growth[l];
            if (wanted == 0.0) continue;
            const watched w =
                run(rows[i].alpha, rows[i].precondition, lengths[l], 1, 1.0);
            const int n = w.windows;
            CHECK_NEAR(-w.end[n - 1] / w.end[n - 2], wanted, 0.01 * wanted);
            checked++;
        }
    assert_int_equal(checked, 6);
}

/* Two sweeps are worse than one at alpha = 0.9: an error of order H is left by
 * the factor f = (-alpha)^k, and f / (1 - f) is 4.26 instead of 0.47. */
static void two_sweeps_may_be_worse_than_one(void **state)
{
    (void)state;
    const double one = run(0.9, false, 0.1, 1, 1.0).most_u;
    const double two = run(0.9, false, 0.1, 2, 1.0).most_u;
    assert_true(two > 1.5 * one);
}

/* What is known before: alpha, and alpha of the other order. */
static void alpha_is_the_ratio_of_the_capacitances(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        yoke_model *model = make_circuit(rows[i].alpha, 1e-6);
        const yoke_run_options o = yoke_run_defaults();
        yoke_contraction c = { .h = 1e-9 };
        yoke_err err;
        CHECK_OK(yoke_model_contraction(model, &o, 1, &c, &err), &err);
        CHECK_NEAR(c.rho, rows[i].alpha, 1e-6 * rows[i].alpha);
        yoke_model_free(model);
    }
}

/* ---- A(t) given by the user ---------------------------------------------- */

static yoke_status given(void *context, double t, int n,
                         const char *const *name, double *A, yoke_err *err)
{
    (void)err;
    (void)t;
    assert_int_equal(n, 1);
    assert_string_equal(name[0], "node.u");
    A[0] = *(const double *)context;
    return YOKE_OK;
}

static double moving(double t)
{
    return -20.0 + 10.0 * sin(20.0 * t);
}

static yoke_status given_in_time(void *context, double t, int n,
                                 const char *const *name, double *A,
                                 yoke_err *err)
{
    (void)context;
    (void)n;
    (void)name;
    (void)err;
    A[0] = moving(t);
    return YOKE_OK;
}

/* One window with a matrix; NAN: the one that moves. */
static watched run_with(double a, bool as_text, int sweeps)
{
    watched w = { .alpha = 31.0, .window = 0.1 };
    const yoke_watcher watcher = { .window = measure, .context = &w };
    yoke_model *model = make_circuit(31.0, 1e-12);
    yoke_run_options o = yoke_run_defaults();
    char text[64];
    yoke_err err;

    o.stop = 0.1;
    o.iterate.window = 0.1;
    o.iterate.stop = YOKE_STOP_COUNT;
    o.iterate.max_sweeps = sweeps;
    o.iterate.extrapolate = 0;
    o.iterate.accelerate = YOKE_ACCELERATE_PRECONDITION;
    snprintf(text, sizeof text, "node.u node.u %.17g", a);
    if (as_text)
        o.preconditioner = text;
    else {
        o.iterate.preconditioner = isnan(a) ? given_in_time : given;
        o.iterate.preconditioner_context = &a;
    }
    CHECK_OK(yoke_run_create(&w.run, model, &o, &watcher, &err), &err);
    w.y = place(w.run, "first.y");
    w.u = place(w.run, "node.u");
    CHECK_OK(yoke_run_advance(w.run, o.stop, &err), &err);
    yoke_run_close(w.run, NULL);
    yoke_model_free(model);
    return w;
}

static double error_with(double a, bool as_text, int sweeps)
{
    return run_with(a, as_text, sweeps).most_u;
}

/* -31 is (2.14), 0 the plain iteration, -15 contracts by (2.13) with (31 - 15)
 * / (1 + 15) = 1. */
static void the_user_may_give_a_matrix(void **state)
{
    const struct row *plain = &rows[6], *best = &rows[7];
    (void)state;
    assert_true(plain->alpha == 31.0 && !plain->precondition);
    for (int k = 1; k <= 3; k++) {
        check_error(error_with(-31.0, false, k), best->window[k - 1]);
        check_error(error_with(-31.0, true, k), best->window[k - 1]);
        check_error(error_with(0.0, false, k), plain->window[k - 1]);
    }
    const double one = error_with(-20.0, false, 1);
    CHECK_NEAR(error_with(-20.0, false, 2) / one, 11.0 / 21.0, 0.1);
}

/* u_new = (I - A(t))^-1 (U - A(t) u_old) at every instant. */
static void the_matrix_may_depend_on_time(void **state)
{
    const watched plain = run_with(0.0, false, 1);
    const watched w = run_with(NAN, false, 1);
    double y = NAN, start = NAN;
    (void)state;
    exact(31.0, 0.0, &y, &start);
    for (int k = 1; k <= POINTS; k++) {
        const double a = moving(0.1 * k / POINTS);
        CHECK_NEAR(w.sample[k], (plain.sample[k] - a * start) / (1.0 - a),
                   1e-6);
    }
}

static void check_refused(const char *text, const char *part)
{
    yoke_model *model = make_circuit(31.0, 1e-6);
    yoke_run_options o = yoke_run_defaults();
    yoke_err err;

    o.iterate.accelerate = YOKE_ACCELERATE_PRECONDITION;
    o.preconditioner = text;
    CHECK_STATUS(yoke_simulate(model, &o, NULL, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, part);
    yoke_model_free(model);
}

static void matrices_that_cannot_be_are_refused(void **state)
{
    (void)state;
    check_refused("node.u node.u 1", "I - A is singular");
    check_refused("node.u node.u 1", "in the row of \"node.u\"");
    check_refused("node.u first.z 1", "\"first.z\" is not a coupling variable");
    check_refused("node.u first.z 1", "those are \"node.u\"");
    check_refused("node.u 1", "is not \"row column value\"");
    check_refused("node.u node.u nan", "A is not finite");
    check_refused("node.u node.u 1 2", "is not \"row column value\"");
}

/* Nothing but the tolerance is given. */
static void defaults_reach_the_tolerance(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        yoke_model *model = make_circuit(rows[i].alpha, 1e-6);
        yoke_run_options o = yoke_run_defaults();
        yoke_run *run = NULL;
        double value = NAN, y = NAN, u = NAN;
        yoke_err err;
        CHECK_OK(yoke_run_create(&run, model, &o, NULL, &err), &err);
        CHECK_OK(yoke_run_advance(run, 1.0, &err), &err);
        exact(rows[i].alpha, 1.0, &y, &u);
        CHECK_OK(yoke_run_value(run, "first.y", &value, &err), &err);
        CHECK_NEAR(value, y, 10.0 * 1e-6 * fabs(y));
        CHECK_OK(yoke_run_value(run, "node.u", &value, &err), &err);
        CHECK_NEAR(value, u, 10.0 * 1e-6 * fabs(u));
        yoke_run_close(run, NULL);
        yoke_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_in_one_window),
        cmocka_unit_test(errors_of_whole_runs),
        cmocka_unit_test(growth_per_window),
        cmocka_unit_test(two_sweeps_may_be_worse_than_one),
        cmocka_unit_test(alpha_is_the_ratio_of_the_capacitances),
        cmocka_unit_test(the_user_may_give_a_matrix),
        cmocka_unit_test(the_matrix_may_depend_on_time),
        cmocka_unit_test(matrices_that_cannot_be_are_refused),
        cmocka_unit_test(defaults_reach_the_tolerance),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
