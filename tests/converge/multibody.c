/* Rigid bodies against exact solutions: a pendulum by elliptic functions,
 * energy, orders of convergence, a closed loop, static reactions of a truss.
 */
#include "mechanism_fixture.h"

#include "comp/mechanism/plane.h"
#include "step/steppers.h"

static const double gravity = 9.81, pi = 3.14159265358979323846;

typedef struct simulation {
    yoke_model *model;
    yoke_run *run;
} simulation;

static simulation simulate(const yk_plane *given,
                           const yoke_stepper_options *stepper, double stop)
{
    simulation s = { NULL, NULL };
    yoke_system *system = NULL;
    yoke_run_options o = yoke_run_defaults();
    yoke_err err;

    o.stop = stop;
    o.iterate.window = 0.25;
    o.given = given->formulation != YOKE_STABILISED &&
              given->formulation != YOKE_PROJECTED;
    CHECK_OK(yk_plane_create(&system, "m", given, &err), &err);
    s.model = model_of(system, stepper);
    CHECK_OK(yoke_run_create(&s.run, s.model, &o, NULL, &err), &err);
    CHECK_OK(yoke_run_advance(s.run, stop, &err), &err);
    return s;
}

static void end(simulation s)
{
    yoke_run_close(s.run, NULL);
    yoke_model_free(s.model);
}

/* ---- a rod that swings --------------------------------------------------- */

/* sn(z, k) by descending Landen transformations (Abramowitz, Stegun 16.12). */
static double sn(double z, double k)
{
    if (k < 1e-9) return sin(z);
    const double other = sqrt(1.0 - k * k),
                 less = (1.0 - other) / (1.0 + other);
    const double s = sn(z / (1.0 + less), less);

    return (1.0 + less) * s / (1.0 + less * s * s);
}

/* K(k) by the arithmetic-geometric mean. */
static double quarter(double k)
{
    double a = 1.0, b = sqrt(1.0 - k * k);

    for (int i = 0; i < 60 && a - b > 1e-16 * a; i++) {
        const double next = 0.5 * (a + b);
        b = sqrt(a * b);
        a = next;
    }
    return pi / (2.0 * a);
}

/* The rod of length 1 hangs at one end and starts at rest at the angle `from`
 * from hanging: sin(angle/2) = k sn(K + w t), w^2 = 3g/2. */
static const double from = 2.0;

static double exact_angle(double t)
{
    const double k = sin(0.5 * from);

    return 2.0 * asin(k * sn(quarter(k) + sqrt(1.5 * gravity) * t, k));
}

static simulation swing(yoke_formulation formulation, const char *method,
                        double step, double rtol, double eta, double stop)
{
    const double angle = from - 0.5 * pi; /* of the rod, from level */
    const yk_plane_body rod = {
        "rod", 2.0, 2.0 / 12.0, 0.5 * cos(angle), 0.5 * sin(angle), angle,
        NAN,   NAN, NAN
    };
    const yk_plane_point point[] = { { "O", -1, 0.0, 0.0, false },
                                     { "top", 0, -0.5, 0.0, true },
                                     { "tip", 0, 0.5, 0.0, true } };
    const yk_plane_joint hinge = {
        "hinge", YK_REVOLUTE, 0, 1, { 0, 0 }, NAN, -1
    };
    const yk_plane given = { .bodies = 1,
                             .points = 3,
                             .joints = 1,
                             .body = &rod,
                             .point = point,
                             .joint = &hinge,
                             .gravity = { 0.0, -gravity },
                             .formulation = formulation,
                             .eta = eta };
    const yoke_stepper_options stepper = stepper_of(method, step, rtol, rtol);

    return simulate(&given, &stepper, stop);
}

static double swing_error(simulation s, double t)
{
    return fabs(value_of(s.run, "m.rod.angle") + 0.5 * pi - exact_angle(t));
}

static void rod_swings_by_elliptic_functions(void **state)
{
    static const struct {
        yoke_formulation formulation;
        const char *method;
        double step, error, drift, energy;
    } row[] = {
        { YOKE_STABILISED, "radau5", 0.0, 1e-6, 1e-8, 1e-6 },
        { YOKE_STABILISED, "rk4", 1e-3, 1e-8, 1e-9, 1e-8 },
        { YOKE_VELOCITY, "radau5", 0.0, 1e-6, 1e-7, 1e-6 },
        { YOKE_GGL, "radau5", 0.0, 1e-6, 1e-11, 1e-6 },
        { YOKE_VELOCITY, "genalpha", 0.0, 1e-5, 1e-6, 1e-4 },
        { YOKE_GGL, "genalpha", 0.0, 1e-5, 1e-9, 1e-4 },
        { YOKE_POSITION, "genalpha", 0.0, 1e-4, 1e-9, 1e-3 },
        { YOKE_VELOCITY, "bdf2", 2e-3, 1e-3, 1e-4, 1e-2 },
        { YOKE_GGL, "bdf2", 2e-3, 1e-3, 1e-9, 1e-2 },
        { YOKE_GGL, "bdf3", 5e-4, 1e-5, 1e-9, 1e-4 },
        { YOKE_POSITION, "bdf3", 5e-4, 1e-5, 1e-9, 1e-4 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const simulation s = swing(row[i].formulation, row[i].method,
                                   row[i].step, 1e-7, 10.0, 3.0);
        const double error = swing_error(s, 3.0);
        const double drift = hypot(value_of(s.run, "m.drift.hinge.x"),
                                   value_of(s.run, "m.drift.hinge.y"));
        const double energy =
            value_of(s.run, "m.energy.total") + 2.0 * gravity * 0.5 * cos(from);
        print_message("%d %s: error %.2g drift %.2g energy %.2g\n",
                      (int)row[i].formulation, row[i].method, error, drift,
                      energy);
        CHECK_BETWEEN(error, 0.0, row[i].error);
        CHECK_BETWEEN(drift, 0.0, row[i].drift);
        CHECK_NEAR(energy, 0.0, row[i].energy);
        end(s);
    }
}

#ifdef YOKE_HAVE_SUNDIALS
static void ida_refuses(yoke_formulation formulation, const char *message)
{
    yoke_system *system = pendulum_at(formulation, 0.0, 1.0);
    yoke_stepper_options o = stepper_of("ida", 0.0, 1e-6, 1e-6);
    yk_propagator p = { 0 };
    yk_wave *y = NULL;
    double y0[16];
    yoke_err err;
    o.given = true;
    CHECK_OK(yk_stepper_create(&p, system, &o, 0, NULL, &err), &err);
    CHECK_OK(yk_wave_create(&y, p.p, &err), &err);
    CHECK_OK(p.ops->start(p.self, 0.0, NULL, NULL, y0, &err), &err);
    CHECK_STATUS(p.ops->sweep(p.self, 0.5, NULL, y, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, message);
    p.ops->free(p.self);
    yk_wave_free(y);
    yoke_system_free(system);
}
#endif

static void ida_refuses_higher_index(void **state)
{
#ifdef YOKE_HAVE_SUNDIALS
    ida_refuses(YOKE_POSITION,
                "subsystem \"p\": ida does not solve constraints of index 3 "
                "(\"x.v\" is determined by");
    ida_refuses(YOKE_VELOCITY,
                "subsystem \"p\": ida does not solve constraints of index 2");
    ida_refuses(YOKE_GGL,
                "subsystem \"p\": ida does not solve constraints of index 2");
#endif
    (void)state;
}

/* Along the rod m (l/2 w^2 + g cos a), across m g/4 sin a. */
static void reaction_of_a_swinging_rod(void **state)
{
    const simulation s = swing(YOKE_STABILISED, "radau5", 0.0, 1e-9, 10.0, 1.0);
    const double a = exact_angle(1.0), m = 2.0;
    const double w2 = 3.0 * gravity * (cos(a) - cos(from));
    const double along = m * (0.5 * w2 + gravity * cos(a));
    const double across = 0.25 * m * gravity * sin(a);
    (void)state;
    CHECK_NEAR(value_of(s.run, "m.hinge.fx"), -along * sin(a) + across * cos(a),
               1e-5);
    CHECK_NEAR(value_of(s.run, "m.hinge.fy"), along * cos(a) + across * sin(a),
               1e-5);
    CHECK_NEAR(value_of(s.run, "m.tip.x"), sin(a), 1e-7);
    CHECK_NEAR(value_of(s.run, "m.tip.y"), -cos(a), 1e-7);
    CHECK_NEAR(value_of(s.run, "m.tip.x.a"),
               -w2 * sin(a) - 1.5 * gravity * sin(a) * cos(a), 1e-5);
    end(s);
}

static double order_of(const char *method, double h, double eta)
{
    const simulation a = swing(YOKE_STABILISED, method, h, 1e-10, eta, 1.0);
    const simulation b =
        swing(YOKE_STABILISED, method, 0.5 * h, 1e-10, eta, 1.0);
    const double order = log2(swing_error(a, 1.0) / swing_error(b, 1.0));

    end(a);
    end(b);
    return order;
}

static void methods_keep_their_order(void **state)
{
    (void)state;
    CHECK_BETWEEN(order_of("rk4", 0.01, 5.0), 3.7, 4.3);
    CHECK_BETWEEN(order_of("bdf2", 2e-3, 5.0), 1.8, 2.2);
    CHECK_BETWEEN(order_of("stormer", 4e-3, 5.0), 1.8, 2.2);
}

/* Without eta the joint drifts, with it the drift is bounded: a long run. */
static void stabilisation_bounds_the_drift(void **state)
{
    const simulation none =
        swing(YOKE_STABILISED, "radau5", 0.0, 1e-5, 0.0, 60.0);
    const simulation some =
        swing(YOKE_STABILISED, "radau5", 0.0, 1e-5, 10.0, 60.0);
    const double drift = hypot(value_of(none.run, "m.drift.hinge.x"),
                               value_of(none.run, "m.drift.hinge.y"));
    const double less = hypot(value_of(some.run, "m.drift.hinge.x"),
                              value_of(some.run, "m.drift.hinge.y"));
    (void)state;
    print_message("drift after 60 s: eta 0 %.2g, eta 10 %.2g\n", drift, less);
    CHECK_BETWEEN(less, 0.0, 1e-6);
    CHECK_BETWEEN(less, 0.0, 0.1 * drift);
    end(none);
    end(some);
}

/* The summary tells the largest drift and when it was. */
static void drift_is_told(void **state)
{
    static const struct {
        yoke_formulation formulation;
        double least, most, missed;
    } row[] = {
        { YOKE_STABILISED, 1e-10, 1e-3, 0.0 },
        { YOKE_PROJECTED, 0.0, 1e-6, 1e-12 }, /* between the steps */
        { YOKE_GGL, 0.0, 1e-8, 0.0 },         /* Newton's tolerance */
    };
    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const simulation s =
            swing(row[i].formulation, "radau5", 0.0, 1e-5, 0.0, 3.0);
        const char *name = NULL;
        double most = 0.0, t = -1.0;
        yoke_run_result result;
        assert_true(yoke_run_drift(s.run, 0, &name, &most, &t));
        assert_string_equal(name, "m.drift.hinge.x");
        CHECK_BETWEEN(most, row[i].least, row[i].most);
        if (row[i].formulation == YOKE_PROJECTED)
            CHECK_NEAR(value_of(s.run, name), 0.0, 1e-14);
        CHECK_BETWEEN(t, 0.0, 3.0);
        assert_true(yoke_run_drift(s.run, 3, &name, NULL, NULL));
        assert_string_equal(name, "m.drift.hinge.y.v");
        assert_false(yoke_run_drift(s.run, 4, NULL, NULL, NULL));
        yoke_run_summary(s.run, &result);
        if (row[i].missed > 0.0)
            CHECK_BETWEEN(result.work.missed[0], row[i].missed, 1e-5);
        else
            CHECK_NEAR(result.work.missed[0], 0.0, 0.0);
        end(s);
    }
}

/* ---- a closed loop ------------------------------------------------------- */

static void crank_turns(void *context, double t, double *d)
{
    (void)context;
    d[0] = 6.0 * t;
    d[1] = 6.0;
    d[2] = 0.0;
}

/* Crank 0.3, coupler 0.9, rocker 0.7 on a ground of 1: the angles by the law of
 * cosines. */
static void pose(double crank, double *coupler, double *rocker)
{
    const double a = 0.3, b = 0.9, c = 0.7, d = 1.0;
    const double x = d - a * cos(crank), y = -a * sin(crank), e = hypot(x, y);

    *coupler = atan2(y, x) + acos((b * b + e * e - c * c) / (2.0 * b * e));
    *rocker = atan2(a * sin(crank) + b * sin(*coupler),
                    a * cos(crank) + b * cos(*coupler) - d);
}

static void four_bar_closes_its_loop(void **state)
{
    double p = 0.0, r = 0.0;
    (void)state;
    pose(0.0, &p, &r);
    const yk_plane_body body[] = {
        { "crank", 1, 0.1, 0.15, 0, 0, NAN, NAN, NAN },
        { "coupler", 2, 0.2, 0.3 + 0.45 * cos(p), 0.45 * sin(p), p, NAN, NAN,
          NAN },
        { "rocker", 1.5, 0.1, 1 + 0.35 * cos(r), 0.35 * sin(r), r, NAN, NAN,
          NAN },
    };
    const yk_plane_point point[] = {
        { "A", -1, 0, 0, false },    { "a", 0, -0.15, 0, false },
        { "b", 0, 0.15, 0, false },  { "B", 1, -0.45, 0, false },
        { "c", 1, 0.45, 0, true },   { "C", 2, 0.35, 0, false },
        { "d", 2, -0.35, 0, false }, { "D", -1, 1, 0, false },
        { "crank", 0, 0, 0, false },
    };
    const yk_plane_joint joint[] = {
        { "JA", YK_REVOLUTE, 0, 1, { 0, 0 }, NAN, -1 },
        { "JB", YK_REVOLUTE, 2, 3, { 0, 0 }, NAN, -1 },
        { "JC", YK_REVOLUTE, 4, 5, { 0, 0 }, NAN, -1 },
        { "JD", YK_REVOLUTE, 6, 7, { 0, 0 }, NAN, -1 },
        { "motor", YK_MOTOR, 0, 8, { 0, 0 }, NAN, 0 },
    };
    const yk_plane given = { .bodies = 3,
                             .points = 9,
                             .joints = 5,
                             .body = body,
                             .point = point,
                             .joint = joint,
                             .gravity = { 0.0, -gravity },
                             .formulation = YOKE_STABILISED,
                             .eta = 10.0,
                             .lead = crank_turns };
    const yoke_stepper_options stepper = stepper_of("radau5", 0.0, 1e-8, 1e-8);
    const simulation s = simulate(&given, &stepper, 2.0);
    const double t = 2.0, d = 1e-4;
    double q[3], w[3];
    for (int i = 0; i < 3; i++) pose(6.0 * (t + (i - 1) * d), &q[i], &w[i]);
    CHECK_NEAR(value_of(s.run, "m.crank.angle"), 12.0, 1e-9);
    CHECK_NEAR(value_of(s.run, "m.coupler.angle"), q[1], 1e-7);
    CHECK_NEAR(value_of(s.run, "m.rocker.angle"), w[1], 1e-7);
    CHECK_NEAR(value_of(s.run, "m.rocker.angle.v"), (w[2] - w[0]) / (2.0 * d),
               1e-5);
    CHECK_NEAR(value_of(s.run, "m.rocker.angle.a"),
               (w[2] - 2.0 * w[1] + w[0]) / (d * d), 1e-4);
    /* The motor's power is what the energy gains: no other force does work. */
    const double power = value_of(s.run, "m.motor.torque") * 6.0;
    const double v[] = { value_of(s.run, "m.crank.x.v"),
                         value_of(s.run, "m.crank.y.v"),
                         value_of(s.run, "m.coupler.x.v"),
                         value_of(s.run, "m.coupler.y.v"),
                         value_of(s.run, "m.coupler.angle.v"),
                         value_of(s.run, "m.rocker.x.v"),
                         value_of(s.run, "m.rocker.y.v"),
                         value_of(s.run, "m.rocker.angle.v") };
    const double a[] = { value_of(s.run, "m.crank.x.a"),
                         value_of(s.run, "m.crank.y.a"),
                         value_of(s.run, "m.coupler.x.a"),
                         value_of(s.run, "m.coupler.y.a"),
                         value_of(s.run, "m.coupler.angle.a"),
                         value_of(s.run, "m.rocker.x.a"),
                         value_of(s.run, "m.rocker.y.a"),
                         value_of(s.run, "m.rocker.angle.a") };
    const double mass[] = { 1, 1, 2, 2, 0.2, 1.5, 1.5, 0.1 };
    double gain = gravity * (v[1] + 2.0 * v[3] + 1.5 * v[6]);
    for (int i = 0; i < 8; i++) gain += mass[i] * v[i] * a[i];
    CHECK_NEAR(power, gain, 1e-5);
    end(s);
}

/* ---- statics ------------------------------------------------------------- */

/* Two rods of 1 m and 3 kg lean against each other at 60 degrees, pinned at
 * both feet and at the top.  Each foot carries a rod, the thrust is
 * m g/2 cot 60 degrees.  A spring pulls the top with 40 N to the left foot:
 * only the left rod and its foot feel it. */
static void three_hinged_arch_stands(void **state)
{
    const double c = 0.5, s60 = sqrt(0.75), m = 3.0;
    const yk_plane_body body[] = {
        { "left", m, 0.25, 0.5 * c, 0.5 * s60, pi / 3.0, NAN, NAN, NAN },
        { "right", m, 0.25, 1.0 - 0.5 * c, 0.5 * s60, 2.0 * pi / 3.0, NAN, NAN,
          NAN },
    };
    const yk_plane_point point[] = {
        { "F", -1, 0, 0, false },   { "f", 0, -0.5, 0, false },
        { "l", 0, 0.5, 0, true },   { "r", 1, 0.5, 0, false },
        { "h", 1, -0.5, 0, false }, { "H", -1, 1, 0, false },
    };
    const yk_plane_joint joint[] = {
        { "foot", YK_REVOLUTE, 0, 1, { 0, 0 }, NAN, -1 },
        { "top", YK_REVOLUTE, 2, 3, { 0, 0 }, NAN, -1 },
        { "heel", YK_REVOLUTE, 5, 4, { 0, 0 }, NAN, -1 },
    };
    const yk_plane_strut load = { 2, 0, 40.0, 0.0, 0.0 };
    const yk_plane given = { .bodies = 2,
                             .points = 6,
                             .joints = 3,
                             .struts = 1,
                             .body = body,
                             .point = point,
                             .joint = joint,
                             .strut = &load,
                             .gravity = { 0.0, -gravity },
                             .formulation = YOKE_STABILISED,
                             .eta = 10.0 };
    const yoke_stepper_options stepper = stepper_of("radau5", 0.0, 1e-8, 1e-8);
    const simulation s = simulate(&given, &stepper, 1.0);
    const double thrust = 0.5 * m * gravity * c / s60;
    (void)state;
    CHECK_NEAR(value_of(s.run, "m.heel.fx"), -thrust, 1e-8);
    CHECK_NEAR(value_of(s.run, "m.heel.fy"), m * gravity, 1e-8);
    CHECK_NEAR(value_of(s.run, "m.top.fx"), thrust, 1e-8);
    CHECK_NEAR(value_of(s.run, "m.top.fy"), 0.0, 1e-8);
    CHECK_NEAR(value_of(s.run, "m.foot.fx"), thrust + 40.0 * c, 1e-8);
    CHECK_NEAR(value_of(s.run, "m.foot.fy"), m * gravity + 40.0 * s60, 1e-8);
    CHECK_NEAR(value_of(s.run, "m.l.x"), 0.5, 1e-10);
    end(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rod_swings_by_elliptic_functions),
        cmocka_unit_test(ida_refuses_higher_index),
        cmocka_unit_test(reaction_of_a_swinging_rod),
        cmocka_unit_test(methods_keep_their_order),
        cmocka_unit_test(stabilisation_bounds_the_drift),
        cmocka_unit_test(drift_is_told),
        cmocka_unit_test(four_bar_closes_its_loop),
        cmocka_unit_test(three_hinged_arch_stands),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
