/* Example 2.1 of Arnold and Guenther (2001): the extrapolation from window to
 * window may be unstable although the iteration in each window contracts.
 *
 *     y1' = 1,  0 = (alpha - 1) y1 + alpha z1 - alpha u
 *     y2' = 0,  0 = alpha z2 - u,                         0 = z1 - z2
 *
 * with the solution u = t, windows of length H, k sweeps in each, and the guess
 * (2.11)
 *
 *     u(T_n) + beta (u(T_n) - u(T_{n-1} + c H)) / (H - c H) (t - T_n).
 *
 * Then v_n = u(T_n) - u(T_{n-1} + c H) obeys v_{n+1} = beta alpha^k v_n +
 * (1 - alpha^k) (1 - c) H: unstable if |beta| alpha^k > 1.
 *
 * No run of the program has that guess for other beta than 0 and 1, so the
 * iteration (2.3) is written here over the propagators of the two subsystems;
 * the guesses that the program has follow below, with whole runs.  Numbers: an
 * independent implementation in another language.
 */
#include "check.h"
#include "step/steppers.h"
#include "yoke/run.h"

#include <math.h>
#include <string.h>

enum { WINDOWS = 60 };

static const double length = 0.1;

/* ---- the subsystems ------------------------------------------------------ */

static void one(void *context, double t, double *r)
{
    (void)context;
    (void)t;
    r[0] = 1.0;
}

static yoke_system *first(double alpha)
{
    const yoke_linear linear = {
        .n = 2,
        .m = 1,
        .p = 1,
        .E = (double[]){ 1.0, 0.0, 0.0, 0.0 },
        .A = (double[]){ 0.0, 0.0, alpha - 1.0, alpha },
        .B = (double[]){ 0.0, -alpha },
        .H = (double[]){ 0.0, 1.0 },
        .source = one,
        .x_name = (const char *const[]){ "y", "z" },
        .u_name = (const char *const[]){ "u" },
        .y_name = (const char *const[]){ "z" },
    };
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yoke_linear_create(&system, "first", &linear, &err), &err);
    return system;
}

/* y2' = 0, 0 = alpha z2 - u; the constraint is a subsystem of its own. */
static yoke_system *second(double alpha)
{
    const yoke_linear linear = {
        .n = 2,
        .m = 1,
        .p = 1,
        .E = (double[]){ 1.0, 0.0, 0.0, 0.0 },
        .A = (double[]){ 0.0, 0.0, 0.0, alpha },
        .B = (double[]){ 0.0, -1.0 },
        .H = (double[]){ 0.0, 1.0 },
        .x_name = (const char *const[]){ "y", "z" },
        .u_name = (const char *const[]){ "u" },
        .y_name = (const char *const[]){ "z" },
    };
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yoke_linear_create(&system, "second", &linear, &err), &err);
    return system;
}

/* The second subsystem with its constraint, z1 is the input, u the output. */
static yoke_system *second_with_constraint(double alpha)
{
    const yoke_linear linear = {
        .n = 3,
        .m = 1,
        .p = 1,
        .E = (double[]){ 1, 0, 0, 0, 0, 0, 0, 0, 0 },
        .A = (double[]){ 0, 0, 0, 0, alpha, -1, 0, -1, 0 },
        .B = (double[]){ 0, 0, 1 },
        .H = (double[]){ 0, 0, 1 },
        .x_name = (const char *const[]){ "y", "z", "u" },
        .u_name = (const char *const[]){ "z1" },
        .y_name = (const char *const[]){ "u" },
    };
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yoke_linear_create(&system, "second", &linear, &err), &err);
    return system;
}

/* All waveforms are straight lines: there is no error but that of Newton's
 * method. */
static yoke_stepper_options exact_stepper(void)
{
    yoke_stepper_options o = yoke_stepper_defaults();

    o.rtol = o.atol = 1e-13;
    return o;
}

/* ---- the iteration over propagators -------------------------------------- */

typedef struct side {
    yoke_system *system;
    yk_propagator propagator;
} side;

static void begin(side *s, yoke_system *system)
{
    const double u0 = 0.0;
    double y0 = NAN;
    const yoke_stepper_options stepper = exact_stepper();
    yoke_err err;

    s->system = system;
    CHECK_OK(yk_stepper_create(&s->propagator, system, &stepper, 0, NULL, &err),
             &err);
    CHECK_OK(
        s->propagator.ops->start(s->propagator.self, 0.0, NULL, &u0, &y0, &err),
        &err);
}

static void end(side *s)
{
    s->propagator.ops->free(s->propagator.self);
    yoke_system_free(s->system);
}

static void solve(side *s, double t1, const yk_wave *u, yk_wave *y)
{
    yoke_err err;

    CHECK_OK(s->propagator.ops->sweep(s->propagator.self, t1, u, y, &err),
             &err);
}

static double value(const yk_wave *w, double t)
{
    double v = NAN;

    yk_wave_eval(w, t, NULL, &v);
    return v;
}

typedef struct outcome {
    double v[WINDOWS + 1]; /* v[0] = 0 */
    double most;           /* largest |u - t| */
} outcome;

/* (2.11); before the first window u is its initial value. */
static void guess(yk_wave *u, int n, double beta, double v, double c,
                  double last)
{
    const double slope = beta * v / (length - c * length);
    const double coef[] = { last, slope * length };
    yoke_err err;

    yk_wave_clear(u, n * length);
    CHECK_OK(yk_wave_append(u, (n + 1) * length, 1, coef, &err), &err);
}

static outcome iterate(double alpha, int k, double beta, double c)
{
    outcome o = { .most = 0.0 };
    side a = { 0 }, b = { 0 };
    yk_wave *u = NULL, *z = NULL;
    double last = 0.0;
    yoke_err err;

    begin(&a, first(alpha));
    begin(&b, second_with_constraint(alpha));
    CHECK_OK(yk_wave_create(&u, 1, &err), &err);
    CHECK_OK(yk_wave_create(&z, 1, &err), &err);
    for (int n = 0; n < WINDOWS; n++) {
        const double t0 = n * length, t1 = (n + 1) * length;
        guess(u, n, beta, o.v[n], c, last);
        for (int i = 0; i < k; i++) {
            solve(&a, t1, u, z);
            solve(&b, t1, z, u);
        }
        CHECK_OK(a.propagator.ops->accept(a.propagator.self, &err), &err);
        CHECK_OK(b.propagator.ops->accept(b.propagator.self, &err), &err);
        last = value(u, t1);
        o.v[n + 1] = last - value(u, t0 + c * length);
        o.most = fmax(o.most, fabs(last - t1));
    }
    yk_wave_free(u);
    yk_wave_free(z);
    end(&a);
    end(&b);
    return o;
}

/* The last v, its limit (NAN: none is near, or it grows without one), and the
 * largest error of u. */
static const struct row {
    double alpha;
    int k;
    double beta;
    bool stable;
    double last, fixpoint, most;
} rows[] = {
    { 0.5, 1, 0, true, 0.025, 0.025, 0.1 },
    { 0.5, 1, 1, true, 0.05, 0.05, 0.05 },
    { 0.5, 1, 1.9, true, 0.4769651005065, 0.5, 1.702741535472 },
    { 0.5, 1, 2, false, 1.5, NAN, 5.7 },
    { 0.5, 1, 2.1, false, 8.839592947062, -0.5, 33.46026397969 },
    { 0.5, 1, -2.1, false, -0.2155998279771, 0.01219512195, 0.459844928227 },
    { 0.5, 2, 3.9, true, 1.171626425135, 1.5, 2.983454982548 },
    { 0.5, 2, 4.1, false, 5.099684623223, -1.5, 13.32389696035 },
    { 0.9, 1, 1, true, 0.04991014948501, 0.05, 0.3486784401 },
    { 0.9, 1, 1.1, true, 0.2264216788046, 0.5, 2.984870954302 },
    { 0.9, 1, 1.2, false, 6.266066479201, -0.0625, 73.69549326586 },
    { 0.9, 5, 1.6, true, 0.3585476624572, 0.3708254854, 1.501393252135 },
    { 0.9, 5, 1.8, false, 12.31625181205, -0.3256178239, 55.05393887325 },
    { 0.9, 1, 3, false, 2.240510236643e+23, -0.002941176471,
      6.72153070993e+23 },
    { 0.9, 10, 3, false, 9.823236355539, -0.7074150409, 29.26617507334 },
    { 0.9, 11, 3, true, 0.5701330901625, 0.5858036157, 1.514666912293 },
};

static void growth_is_beta_times_alpha_to_the_k(void **state)
{
    const double c = 0.5;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        const outcome o = iterate(r->alpha, r->k, r->beta, c);
        const double power = pow(r->alpha, r->k), growth = r->beta * power;
        double v = 0.0;
        for (int n = 1; n <= WINDOWS; n++) {
            v = growth * v + (1.0 - power) * (1.0 - c) * length;
            CHECK_NEAR(o.v[n], v, 1e-10 * (0.05 + fabs(v)));
        }
        CHECK_NEAR(o.v[WINDOWS], r->last, 1e-9 * (0.05 + fabs(r->last)));
        CHECK_NEAR(o.most, r->most, 1e-9 * r->most);
        assert_true(r->stable == (fabs(growth) < 1.0));
        const double step = o.v[WINDOWS] - o.v[WINDOWS - 1];
        const double before = o.v[WINDOWS - 1] - o.v[WINDOWS - 2];
        if (fabs(before) > 1e-3) CHECK_NEAR(step / before, growth, 1e-8);
    }
}

/* Stable: the limit is approached by the same factor; only beta = 1 has the
 * limit (1 - c) H that is right. */
static void stable_ones_tend_to_their_limit(void **state)
{
    const double c = 0.5;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        if (!r->stable) continue;
        const double power = pow(r->alpha, r->k), growth = r->beta * power;
        const double limit =
            (1.0 - power) * (1.0 - c) * length / (1.0 - growth);
        const outcome o = iterate(r->alpha, r->k, r->beta, c);
        CHECK_NEAR(limit, r->fixpoint, 1e-9);
        CHECK_NEAR(o.v[WINDOWS] - limit, -limit * pow(growth, WINDOWS), 1e-10);
        if (r->beta == 1.0) CHECK_NEAR(limit, 0.05, 1e-15);
    }
}

/* ---- the program's own guesses ------------------------------------------- */

static yoke_model *make_model(double alpha)
{
    static const char *const output[] = { "first.z", "second.z" };
    static const double weight[] = { 1.0, -1.0 };
    const yoke_constraint constraint = {
        .count = 1,
        .outputs = 2,
        .output = output,
        .weight = weight,
        .owner = "second",
        .multiplier = (const char *const[]){ "u" },
    };
    const yoke_stepper_options stepper = exact_stepper();
    yoke_model *model = NULL;
    yoke_err err;

    CHECK_OK(yoke_model_create(&model, &err), &err);
    yoke_graph *g = yoke_model_graph(model);
    CHECK_OK(yoke_model_add(model, first(alpha), &stepper, &err), &err);
    CHECK_OK(yoke_model_add(model, second(alpha), &stepper, &err), &err);
    CHECK_OK(yoke_graph_constraint(g, "g", &constraint, &err), &err);
    CHECK_OK(yoke_graph_signal(g, "first.u", "g.u", 1.0, &err), &err);
    CHECK_OK(yoke_graph_signal(g, "second.u", "g.u", 1.0, &err), &err);
    return model;
}

typedef struct watched {
    yoke_run *run;
    int u, windows;
    double end[WINDOWS + 1]; /* u - t at the ends of the windows */
} watched;

static bool note_end(void *context, double t, const yoke_iterate_result *so_far)
{
    watched *w = context;
    double now[16];

    (void)so_far;
    yoke_run_at(w->run, t, now);
    if (w->windows < WINDOWS) w->end[++w->windows] = now[w->u] - t;
    return false;
}

static watched run(double alpha, int k, int order)
{
    watched w = { .u = -1 };
    const yoke_watcher watcher = { .window = note_end, .context = &w };
    const char *const *name = NULL;
    yoke_model *model = make_model(alpha);
    yoke_run_options o = yoke_run_defaults();
    yoke_err err;

    o.stop = WINDOWS * length;
    o.iterate.window = length;
    o.iterate.stop = YOKE_STOP_COUNT;
    o.iterate.max_sweeps = k;
    o.iterate.extrapolate = order;
    o.iterate.accelerate = YOKE_ACCELERATE_NONE;
    CHECK_OK(yoke_run_create(&w.run, model, &o, &watcher, &err), &err);
    const int count = yoke_run_variables(w.run, &name, NULL);
    assert_true(count <= 16);
    for (int i = 0; i < count; i++)
        if (strcmp(name[i], "g.u") == 0) w.u = i;
    assert_true(w.u >= 0);
    CHECK_OK(yoke_run_advance(w.run, o.stop, &err), &err);
    assert_int_equal(w.windows, WINDOWS);
    yoke_run_close(w.run, NULL);
    yoke_model_free(model);
    return w;
}

/* beta = 0: the error at the end of a window is e' = alpha^k (e - H). */
static void order_0_is_beta_0(void **state)
{
    static const double alpha[] = { 0.5, 0.9 };
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int k = 1; k <= 3; k++) {
            const watched w = run(alpha[i], k, 0);
            double e = 0.0;
            for (int n = 1; n <= WINDOWS; n++) {
                e = pow(alpha[i], k) * (e - length);
                CHECK_NEAR(w.end[n], e, 1e-12);
            }
        }
}

/* beta = 1, c = 0: the error is a straight line in each window, continued and
 * multiplied by alpha^k. */
static void order_1_is_beta_1(void **state)
{
    static const double alpha[] = { 0.5, 0.9 };
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int k = 1; k <= 3; k++) {
            const watched w = run(alpha[i], k, 1);
            const double power = pow(alpha[i], k);
            double e = -power * length, v = (1.0 - power) * length;
            CHECK_NEAR(w.end[1], e, 1e-12);
            for (int n = 2; n <= WINDOWS; n++) {
                e = power * (e + v - length);
                v = power * v + (1.0 - power) * length;
                CHECK_NEAR(w.end[n], e, 1e-10);
            }
        }
}

/* A polynomial of any order through the last window alone leaves polynomials as
 * they are, so with alpha < 1 the error dies out, after growing by L alpha^k at
 * most in one window. */
static void higher_orders_die_out_too(void **state)
{
    static const double alpha[] = { 0.3, 0.5 };
    (void)state;
    for (int i = 0; i < 2; i++)
        for (int order = 2; order <= 4; order++) {
            const watched w = run(alpha[i], 2, order);
            assert_true(fabs(w.end[1]) > 1e-3);
            for (int n = WINDOWS / 2; n <= WINDOWS; n++)
                CHECK_BETWEEN(fabs(w.end[n]), 0.0, 1e-7);
        }
}

/* alpha = 1: I - A is singular, nothing determines u. */
static void a_singular_coupling_is_named(void **state)
{
    yoke_model *model = make_model(1.0);
    const yoke_run_options o = yoke_run_defaults();
    yoke_err err;
    (void)state;
    CHECK_STATUS(yoke_simulate(model, &o, NULL, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(
        err.text,
        "no multiplier acts on the constraint \"g\", or their effects cancel");
    CHECK_CONTAINS(err.text, "nothing determines the unknown \"g.u\"");
    yoke_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growth_is_beta_times_alpha_to_the_k),
        cmocka_unit_test(stable_ones_tend_to_their_limit),
        cmocka_unit_test(order_0_is_beta_0),
        cmocka_unit_test(order_1_is_beta_1),
        cmocka_unit_test(higher_orders_die_out_too),
        cmocka_unit_test(a_singular_coupling_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
