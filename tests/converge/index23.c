/* tests/converge/index23.c -- systems of index 2 and 3 with the default
 * stepper, against exact solutions.
 *
 * Errors are in tolerances, atol + rtol max |x|.  States: within ten.  The
 * multiplier of index 2 too.  That of index 3 is one of order 2, and rounding
 * makes it inaccurate by eps / h^2: below rtol 1e-6 it cannot keep the
 * tolerance.  What it keeps is measured here.
 */
#include "mechanism_fixture.h"

#include <string.h>

enum { STATES, MULTIPLIERS, KINDS, MOST = 8, SAMPLES = 16 };

typedef struct variable {
    const char *name;
    int kind;
    double size; /* of the exact solution */
    double (*exact)(double t);
} variable;

typedef struct outcome {
    double error[KINDS]; /* in tolerances */
    long steps, rejected;
} outcome;

typedef struct meter {
    yoke_run *run;
    int count, at[MOST], windows;
    const variable *variable;
    double rtol, done, value[64];
    outcome out;
} meter;

/* ---- measuring ----------------------------------------------------------- */

static bool each_window(void *context, double t,
                        const yoke_iterate_result *so_far)
{
    meter *m = context;

    if (so_far->windows <= m->windows) { /* repeated, as one system */
        m->done = 0.0;
        m->out = (outcome){ { 0.0 }, 0, 0 };
    }
    for (int k = 1; k <= SAMPLES; k++) {
        const double at =
            k < SAMPLES ? m->done + (t - m->done) * k / SAMPLES : t;
        yoke_run_at(m->run, at, m->value);
        for (int i = 0; i < m->count; i++) {
            const variable *v = &m->variable[i];
            const double tolerance = m->rtol * (0.01 + v->size);
            const double error =
                fabs(m->value[m->at[i]] - v->exact(at)) / tolerance;
            m->out.error[v->kind] = fmax(m->out.error[v->kind], error);
        }
    }
    m->done = t;
    m->windows = so_far->windows;
    return false;
}

static void find(meter *m)
{
    const char *const *name = NULL;
    const double *value = NULL;
    const int count = yoke_run_variables(m->run, &name, &value);

    assert_true(count <= 64);
    for (int i = 0; i < m->count; i++) {
        m->at[i] = -1;
        for (int k = 0; k < count; k++)
            if (strcmp(name[k], m->variable[i].name) == 0) m->at[i] = k;
        if (m->at[i] < 0) fail_msg("%s is not there", m->variable[i].name);
    }
}

/* Takes the model. */
static outcome run(yoke_model *model, yoke_scheme scheme, double rtol,
                   int count, const variable *list)
{
    static meter m;
    const yoke_watcher watcher = { .window = each_window, .context = &m };
    yoke_run_options o = yoke_run_defaults();
    yoke_run_result result;
    yoke_err err;

    memset(&m, 0, sizeof m);
    m.count = count;
    m.variable = list;
    m.rtol = rtol;
    o.stop = 1.0;
    o.scheme = scheme;
    o.given = true;
    o.iterate.rtol = rtol;
    o.iterate.atol = 0.01 * rtol;
    CHECK_OK(yoke_run_create(&m.run, model, &o, &watcher, &err), &err);
    find(&m);
    CHECK_OK(yoke_run_advance(m.run, o.stop, &err), &err);
    yoke_run_summary(m.run, &result);
    assert_true(result.converged);
    m.out.steps = result.work.steps;
    m.out.rejected = result.work.rejected;
    CHECK_OK(yoke_run_close(m.run, &err), &err);
    yoke_model_free(model);
    return m.out;
}

/* The steps that a tolerance needs, or those that a source of time has at
 * least, 64 and some at the beginning. */
static double few_steps(double rtol)
{
    return fmax(3.0 * pow(rtol, -1.0 / 3.0), 90.0);
}

static void check(const char *what, double rtol, const outcome *o,
                  double states, double multipliers, double steps)
{
    print_message("%s, rtol %.0e: errors %.3g and %.3g, %ld steps, %ld "
                  "rejected\n",
                  what, rtol, o->error[STATES], o->error[MULTIPLIERS], o->steps,
                  o->rejected);
    CHECK_BETWEEN(o->error[STATES], 0.0, states);
    CHECK_BETWEEN(o->error[MULTIPLIERS], 0.0, multipliers);
    CHECK_BETWEEN((double)o->steps, 5.0, steps);
}

/* ---- a capacitor at a voltage source: index 2 ---------------------------- */

/* C v1' + (v1 - v2)/R - i = 0,  c v2' + (v2 - v1)/R = 0,  v1 = sin(w t). */
static const double C1 = 0.2, C2 = 0.5, R = 0.4, omega = 7.0;

static yoke_status loop_eval(void *self, double t, const double *x,
                             const double *u, double *q, double *f,
                             yoke_err *err)
{
    (void)self, (void)u, (void)err;
    if (q) {
        q[0] = C1 * x[0];
        q[1] = C2 * x[1];
        q[2] = 0.0;
    }
    if (f) {
        f[0] = (x[0] - x[1]) / R - x[2];
        f[1] = (x[1] - x[0]) / R;
        f[2] = x[0] - sin(omega * t);
    }
    return YOKE_OK;
}

static double loop_v1(double t)
{
    return sin(omega * t);
}

static double loop_v2(double t)
{
    const double a = 1.0 / (R * C2);

    return a / (a * a + omega * omega) *
           (a * sin(omega * t) - omega * cos(omega * t) + omega * exp(-a * t));
}

static double loop_i(double t)
{
    return C1 * omega * cos(omega * t) + (loop_v1(t) - loop_v2(t)) / R;
}

static yoke_system *loop(double i0)
{
    static const yoke_system_ops ops = { .kind = "loop", .eval = loop_eval };
    static const char *const name[] = { "v1", "v2", "i" };
    static const int c_row[] = { 0, 1 }, c_col[] = { 0, 1 };
    static const int g_row[] = { 0, 1, 2, 0, 1, 0 },
                     g_col[] = { 0, 0, 0, 1, 1, 2 };
    const double x0[] = { 0.0, 0.0, i0 };
    yoke_pattern *C = NULL, *G = NULL;
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yoke_pattern_create(&C, 3, 3, 2, c_row, c_col, &err), &err);
    CHECK_OK(yoke_pattern_create(&G, 3, 3, 6, g_row, g_col, &err), &err);
    const yoke_system_info info = {
        .n = 3, .p = 3, .x0 = x0, .x_name = name, .C = C, .G = G
    };
    CHECK_OK(yoke_system_create(&system, "c", &ops, NULL, &info, &err), &err);
    yoke_pattern_free(C);
    yoke_pattern_free(G);
    return system;
}

static void capacitor_at_a_source(void **state)
{
    static const variable list[] = {
        { "c.v1", STATES, 1.0, loop_v1 },
        { "c.v2", STATES, 0.6, loop_v2 },
        { "c.i", MULTIPLIERS, 3.4, loop_i },
    };
    (void)state;
    for (int digits = 4; digits <= 10; digits += 2) {
        const double rtol = pow(10.0, -digits);
        const outcome o = run(model_of(loop(C1 * omega), NULL), YOKE_MONOLITHIC,
                              rtol, 3, list);
        check("capacitor", rtol, &o, 10.0, 10.0, few_steps(rtol));
    }
}

/* The multiplier that is given at the start is wrong. */
static void wrong_multiplier_is_forgotten(void **state)
{
    static const variable list[] = {
        { "c.v1", STATES, 1.0, loop_v1 },
        { "c.v2", STATES, 0.6, loop_v2 },
    };
    (void)state;
    for (int digits = 4; digits <= 10; digits += 2) {
        const double rtol = pow(10.0, -digits);
        const outcome o =
            run(model_of(loop(100.0), NULL), YOKE_MONOLITHIC, rtol, 2, list);
        check("wrong start", rtol, &o, 10.0, 0.0, few_steps(rtol));
    }
}

/* ---- a driven mass: index 2 and 3 ---------------------------------------- */

static double driven_x(double t)
{
    return sin(3.0 * t);
}

static double driven_v(double t)
{
    return 3.0 * cos(3.0 * t);
}

static void check_driven(const char *what, yoke_formulation formulation,
                         const double multipliers[4], const double steps[4])
{
    static const variable list[] = {
        { "s.m", STATES, 1.0, driven_x },
        { "s.m.v", STATES, 3.0, driven_v },
        { "s.lambda.motor", MULTIPLIERS, 13.0, driven_lambda },
    };

    for (int k = 0; k < 4; k++) {
        const double rtol = pow(10.0, -4 - 2 * k);
        const outcome o = run(model_of(driven_mass(formulation, 0.0), NULL),
                              YOKE_MONOLITHIC, rtol, 3, list);
        check(what, rtol, &o, 10.0, multipliers[k], steps[k]);
    }
}

static void velocity_of_a_driven_mass(void **state)
{
    const double multipliers[] = { 10.0, 10.0, 10.0, 10.0 };
    const double steps[] = { 100.0, 300.0, 1500.0, 8000.0 };

    (void)state;
    check_driven("velocity", YOKE_VELOCITY, multipliers, steps);
}

static void position_of_a_driven_mass(void **state)
{
    const double multipliers[] = { 100.0, 100.0, 100.0, 1e4 };
    const double steps[] = { 300.0, 3000.0, 20000.0, 20000.0 };

    (void)state;
    check_driven("position", YOKE_POSITION, multipliers, steps);
}

/* ---- a pendulum that starts horizontally: index 2 and 3 ------------------ */

static const double swing = 1.5707963267948966;

static double angle(double t)
{
    return pendulum_angle(swing, t, 2000, NULL);
}

static double pendulum_x(double t)
{
    return sin(angle(t));
}

static double pendulum_y(double t)
{
    return -cos(angle(t));
}

static double rod_lambda(double t)
{
    return pendulum_lambda(swing, angle(t));
}

static void check_pendulum(const char *what, yoke_formulation formulation,
                           const double multipliers[4], const double steps[4])
{
    static const variable list[] = {
        { "p.x", STATES, 1.0, pendulum_x },
        { "p.y", STATES, 1.0, pendulum_y },
        { "p.lambda.rod", MULTIPLIERS, 29.0, rod_lambda },
    };

    for (int k = 0; k < 4; k++) {
        const double rtol = pow(10.0, -4 - 2 * k);
        const outcome o =
            run(model_of(pendulum_at(formulation, 0.0, swing), NULL),
                YOKE_MONOLITHIC, rtol, 3, list);
        check(what, rtol, &o, 10.0, multipliers[k], steps[k]);
    }
}

static void pendulum_by_velocity(void **state)
{
    const double multipliers[] = { 10.0, 10.0, 10.0, 10.0 };
    const double steps[] = { 100.0, 300.0, 1500.0, 8000.0 };
    /* The other multiplier is zero: its tolerance is the absolute one. */
    const double more[] = { 300.0, 1500.0, 8000.0, 40000.0 };

    (void)state;
    check_pendulum("pendulum, velocity", YOKE_VELOCITY, multipliers, steps);
    check_pendulum("pendulum, ggl", YOKE_GGL, multipliers, more);
}

static void pendulum_by_position(void **state)
{
    const double multipliers[] = { 100.0, 100.0, 100.0, 1e4 };
    const double steps[] = { 300.0, 3000.0, 20000.0, 20000.0 };

    (void)state;
    check_pendulum("pendulum, position", YOKE_POSITION, multipliers, steps);
}

/* ---- two oscillators held together --------------------------------------- */

static double joined_x(double t)
{
    return cos(3.0 * t);
}

static double joined_lambda(double t)
{
    return -cos(3.0 * t);
}

static void check_joined(const char *what, yoke_form form, yoke_scheme scheme,
                         double multipliers, double steps)
{
    static const variable list[] = {
        { "a.x", STATES, 1.0, joined_x },
        { "b.x", STATES, 1.0, joined_x },
        { "joint.lambda", MULTIPLIERS, 1.0, joined_lambda },
    };

    for (int digits = 4; digits <= 8; digits += 2) {
        const double rtol = pow(10.0, -digits);
        const outcome o =
            run(joined_oscillators(form, 0.0, NULL), scheme, rtol, 3, list);
        /* The derivative of a waveform that is accurate to the tolerance on
         * steps h is accurate to tolerance / h: two parts over [0, 1]. */
        const double apart = 0.5 * (double)o.steps;
        check(what, rtol, &o, 10.0, multipliers > 0.0 ? multipliers : apart,
              steps);
    }
}

static void oscillators_held_together(void **state)
{
    const yoke_scheme any = yoke_run_defaults().scheme;

    (void)state;
    check_joined("joint, velocity, monolithic", YOKE_FORM_VELOCITY,
                 YOKE_MONOLITHIC, 10.0, 3000.0);
    check_joined("joint, position, monolithic", YOKE_FORM_POSITION,
                 YOKE_MONOLITHIC, 10.0, 3000.0);
    /* Apart, the multiplier is as accurate as derivatives of the waveforms that
     * are exchanged; by position it is solved as one system. */
    check_joined("joint, velocity", YOKE_FORM_VELOCITY, any, 0.0, 1e5);
    check_joined("joint, position", YOKE_FORM_POSITION, any, 10.0, 1e5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capacitor_at_a_source),
        cmocka_unit_test(wrong_multiplier_is_forgotten),
        cmocka_unit_test(velocity_of_a_driven_mass),
        cmocka_unit_test(position_of_a_driven_mass),
        cmocka_unit_test(pendulum_by_velocity),
        cmocka_unit_test(pendulum_by_position),
        cmocka_unit_test(oscillators_held_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
