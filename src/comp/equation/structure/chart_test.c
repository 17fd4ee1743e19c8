/* comp/equation/structure/chart_test.c -- states that are chosen again during
 * the run. */
#define _XOPEN_SOURCE 700
#include "comp/equation/compile_fixture.h"

#include "yoke/equation.h"

static yoke_system *read_with(const char *text, const char *compiler,
                              yoke_equation_report *report)
{
    const yoke_equation_options options = { .compiler = compiler,
                                            .cache = cache };
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yoke_equation_parse(&system, "m", "m.mo", text, strlen(text),
                                 &options, report, &err),
             &err);
    CHECK_OK(yoke_conform(system, 0.3, NULL, NULL, &err), &err);
    return system;
}

typedef struct outcome {
    yoke_status status;
    yoke_err err;
    yoke_work work;
    double x[64], most; /* at the end; largest |energy| at any knot */
} outcome;

/* In one window, or in `windows` with two sweeps each.  energy: an unknown, or
 * NULL. */
static outcome run(yoke_system *s, const char *method, double step, double rtol,
                   double end, int windows, const char *energy)
{
    const yoke_system_info *info = yoke_system_facts(s);
    yoke_stepper_options o = yoke_stepper_defaults();
    yk_propagator p = { 0 };
    yk_wave *u = NULL, *y = NULL;
    outcome out = { .status = YOKE_OK };
    double y0[64], x[64];
    int watch[64];

    snprintf(o.method, sizeof o.method, "%s", method);
    o.rtol = o.atol = rtol;
    o.step = step;
    for (int j = 0; j < info->n; j++) watch[j] = j;
    CHECK_OK(yk_stepper_create(&p, s, &o, info->n, watch, &out.err), &out.err);
    CHECK_OK(yk_wave_create(&u, p.m, &out.err), &out.err);
    CHECK_OK(yk_wave_create(&y, p.p, &out.err), &out.err);
    CHECK_OK(p.ops->start(p.self, 0.0, NULL, NULL, y0, &out.err), &out.err);
    for (int k = 1; k <= windows && out.status == YOKE_OK; k++) {
        const double t = end * k / windows;
        yk_wave_clear(u, end * (k - 1) / windows);
        for (int sweep = 0; sweep < (windows > 1 ? 2 : 1); sweep++)
            if (out.status == YOKE_OK)
                out.status = p.ops->sweep(p.self, t, u, y, &out.err);
        if (out.status != YOKE_OK) break;
        const yk_wave *w = p.ops->watched(p.self);
        for (int i = 0; energy && i < yk_wave_pieces(w); i++) {
            yk_wave_eval(w, yk_wave_knot(w, i), NULL, x);
            out.most = fmax(out.most, fabs(x[find_x(s, energy)]));
        }
        yk_wave_eval(w, t, NULL, out.x);
        CHECK_OK(p.ops->accept(p.self, &out.err), &out.err);
    }
    p.ops->work(p.self, &out.work);
    p.ops->free(p.self);
    yk_wave_free(u);
    yk_wave_free(y);
    return out;
}

/* ---- The pendulum -------------------------------------------------------- */

static const char pendulum[] =
    "model Pendulum\n"
    "  Real x(start = 1, fixed = true), y(start = 0);\n"
    "  Real vx(start = 0), vy(start = 0, fixed = true), F;\n"
    "  Real energy;\n"
    "equation\n"
    "  der(x) = vx;\n"
    "  der(y) = vy;\n"
    "  der(vx) = -F*x;\n"
    "  der(vy) = -F*y - 9.81;\n"
    "  x^2 + y^2 = 1;\n"
    "  energy = (vx^2 + vy^2)/2 + 9.81*y;\n"
    "end Pendulum;\n";

/* Quarter of the period of the swing from the horizontal, in units of
 * sqrt(L / g): K(sin 45 degrees). */
static const double quarter = 1.8540746773013719184;

/* sin of Jacobi's amplitude am(u, k) by the arithmetic-geometric mean
 * (Abramowitz and Stegun 16.4). */
static double jacobi_sn(double u, double k)
{
    double a[12] = { 1.0 }, c[12] = { k }, b = sqrt(1.0 - k * k);
    int n = 0;

    while (n < 11 && fabs(c[n]) > 1e-16) {
        a[n + 1] = (a[n] + b) / 2.0;
        c[n + 1] = (a[n] - b) / 2.0;
        b = sqrt(a[n] * b);
        n++;
    }
    double phi = ldexp(a[n] * u, n);
    for (; n > 0; n--) phi = (phi + asin(c[n] / a[n] * sin(phi))) / 2.0;
    return sin(phi);
}

/* Angle from hanging down. */
static double angle(double t)
{
    const double k = sqrt(0.5);

    return 2.0 * asin(k * jacobi_sn(quarter + sqrt(9.81) * t, k));
}

/* Twenty periods from the horizontal: the error is that of the tolerance, and
 * so is the energy; two state changes per period. */
static void a_pendulum_swings(void **state)
{
    const double period = 4.0 * quarter / sqrt(9.81), end = 20.2 * period;
    yoke_equation_report report;
    yoke_system *s = read_with(pendulum, NULL, &report);
    (void)state;

    CHECK_CONTAINS(report.text, "chosen again where needed: 1 combination "
                                "of vx, vy; 1 combination of x, y.");
    assert_int_equal(report.states, 2);
    CHECK_NEAR(angle(0.0), M_PI / 2.0, 1e-7);
    CHECK_NEAR(angle(period / 4.0), 0.0, 1e-12);
    for (double rtol = 1e-6; rtol > 1e-9; rtol /= 100.0) {
        const outcome o = run(s, "radau5", 0.0, rtol, end, 1, "energy");
        CHECK_OK(o.status, &o.err);
        CHECK_BETWEEN(o.most, 0.0, 10.0 * 9.81 * rtol);
        CHECK_NEAR(o.x[0], sin(angle(end)), 200.0 * rtol);
        CHECK_NEAR(o.x[1], -cos(angle(end)), 200.0 * rtol);
        CHECK_NEAR(o.x[0] * o.x[0] + o.x[1] * o.x[1], 1.0, 1e-3 * rtol);
        CHECK_NEAR(o.x[0] * o.x[2] + o.x[1] * o.x[3], 0.0, 1e-2 * rtol);
        assert_int_equal(o.work.events, 41);
    }
    yoke_system_free(s);
}

/* A full turn: started fast at the bottom, it goes round and round. */
static void a_pendulum_turns_over(void **state)
{
    static const char text[] =
        "model Wheel\n"
        "  Real x(start = 0), y(start = -1), vx(start = 7, fixed = true), vy;\n"
        "  Real F, phi(start = 0), omega(start = 7), energy;\n"
        "equation\n"
        "  der(x) = vx;\n"
        "  der(y) = vy;\n"
        "  der(vx) = -F*x;\n"
        "  der(vy) = -F*y - 9.81;\n"
        "  x^2 + y^2 = 1;\n"
        "  der(phi) = omega;\n"
        "  der(omega) = -9.81*sin(phi);\n"
        "  energy = (vx^2 + vy^2)/2 + 9.81*y + 9.81 - 24.5;\n"
        "end Wheel;\n";
    yoke_system *s = read_with(text, NULL, NULL);
    const outcome o = run(s, "radau5", 0.0, 1e-9, 20.0, 1, "energy");
    const double phi = o.x[find_x(s, "phi")];
    (void)state;

    CHECK_OK(o.status, &o.err);
    assert_true(phi > 50.0);
    CHECK_NEAR(o.x[find_x(s, "x")], sin(phi), 1e-6);
    CHECK_NEAR(o.x[find_x(s, "y")], -cos(phi), 1e-6);
    CHECK_BETWEEN(o.most, 0.0, 1e-7);
    CHECK_BETWEEN((double)o.work.events, phi / acos(0.4) - 1.0,
                  phi / acos(0.4) + 1.0);
    yoke_system_free(s);
}

/* ---- More than one constraint -------------------------------------------- */

/* Two rods in Cartesian coordinates beside the same in angles. */
static void a_double_pendulum_swings(void **state)
{
    static const char text[] =
        "model Double\n"
        "  parameter Real g = 9.81;\n"
        "  Real x1(start = 1), y1(start = 0), x2(start = 2), y2(start = 0);\n"
        "  Real u1, v1, u2, v2, F1, F2;\n"
        "  Real a(start = 1.5707963267948966), b(start = 1.5707963267948966);\n"
        "  Real p, q, energy;\n"
        "equation\n"
        "  der(x1) = u1; der(y1) = v1; der(x2) = u2; der(y2) = v2;\n"
        "  der(u1) = -F1*x1 + F2*(x2 - x1);\n"
        "  der(v1) = -F1*y1 + F2*(y2 - y1) - g;\n"
        "  der(u2) = -F2*(x2 - x1);\n"
        "  der(v2) = -F2*(y2 - y1) - g;\n"
        "  x1^2 + y1^2 = 1;\n"
        "  (x2 - x1)^2 + (y2 - y1)^2 = 1;\n"
        "  der(a) = p; der(b) = q;\n"
        "  2*der(p) + der(q)*cos(a - b) + q^2*sin(a - b) + 2*g*sin(a) = 0;\n"
        "  der(q) + der(p)*cos(a - b) - p^2*sin(a - b) + g*sin(b) = 0;\n"
        "  energy = (u1^2 + v1^2 + u2^2 + v2^2)/2 + g*(y1 + y2);\n"
        "end Double;\n";
    yoke_equation_report report;
    yoke_system *s = read_with(text, NULL, &report);
    const outcome o = run(s, "radau5", 0.0, 1e-10, 3.0, 1, "energy");
    const double a = o.x[find_x(s, "a")], b = o.x[find_x(s, "b")];
    (void)state;

    CHECK_OK(o.status, &o.err);
    assert_int_equal(report.states, 8);
    CHECK_CONTAINS(report.text, "2 combinations of x1, y1, x2, y2");
    CHECK_NEAR(o.x[find_x(s, "x1")], sin(a), 1e-6);
    CHECK_NEAR(o.x[find_x(s, "y1")], -cos(a), 1e-6);
    CHECK_NEAR(o.x[find_x(s, "x2")], sin(a) + sin(b), 1e-6);
    CHECK_NEAR(o.x[find_x(s, "y2")], -cos(a) - cos(b), 1e-6);
    CHECK_BETWEEN(o.most, 0.0, 1e-7);
    CHECK_BETWEEN((double)o.work.events, 3.0, 40.0);
    yoke_system_free(s);
}

/* A slider-crank, crank r and rod l, through its dead points; the angle of the
 * crank beside it, from Lagrange's equation in that angle. */
static const char crank[] =
    "model Crank\n"
    "  parameter Real r = 0.5, l = 1, M = 2;\n"
    "  Real x(start = r), y(start = 0), u(start = 0), v(start = 3*r);\n"
    "  Real s(start = r + l), w(start = 0), F, G;\n"
    "  Real phi(start = 0), omega(start = 3), S(start = 1), dS, ddS;\n"
    "equation\n"
    "  der(x) = u; der(y) = v; der(s) = w;\n"
    "  der(u) = -F*x + G*(s - x);\n"
    "  der(v) = -F*y - G*y;\n"
    "  M*der(w) = -G*(s - x);\n"
    "  x^2 + y^2 = r^2;\n"
    "  (s - x)^2 + y^2 = l^2;\n"
    "  der(phi) = omega;\n"
    "  S = sqrt(l^2 - r^2*sin(phi)^2);\n"
    "  dS = -r*sin(phi) - r^2*sin(phi)*cos(phi)/S;\n"
    "  ddS = -r*cos(phi) - r^2*cos(2*phi)/S - r^4*(sin(phi)*cos(phi))^2/S^3;\n"
    "  (r^2 + M*dS^2)*der(omega) + M*dS*ddS*omega^2 = 0;\n"
    "end Crank;\n";

static void a_crank_passes_its_dead_points(void **state)
{
    yoke_system *s = read_with(crank, NULL, NULL);
    const outcome o = run(s, "radau5", 0.0, 1e-9, 30.0, 1, NULL);
    const double phi = o.x[find_x(s, "phi")];
    (void)state;

    CHECK_OK(o.status, &o.err);
    assert_true(phi > 40.0);
    CHECK_NEAR(o.x[find_x(s, "x")], 0.5 * cos(phi), 1e-6);
    CHECK_NEAR(o.x[find_x(s, "y")], 0.5 * sin(phi), 1e-6);
    CHECK_NEAR(o.x[find_x(s, "s")],
               0.5 * cos(phi) + sqrt(1.0 - 0.25 * pow(sin(phi), 2)), 1e-6);
    yoke_system_free(s);
}

/* With rods of equal length the constraints depend on each other where the
 * slider is at the axis: the motion could go on in two ways. */
static void a_true_singularity_is_told(void **state)
{
    static const char text[] =
        "model Crank\n"
        "  Real x(start = 1), y(start = 0), u(start = 0), v(start = 3);\n"
        "  Real s(start = 2), w(start = 0), F, G;\n"
        "equation\n"
        "  der(x) = u; der(y) = v; der(s) = w;\n"
        "  der(u) = -F*x + G*(s - x);\n"
        "  der(v) = -F*y - G*y;\n"
        "  2*der(w) = -G*(s - x);\n"
        "  x^2 + y^2 = 1;\n"
        "  (s - x)^2 + y^2 = 1;\n"
        "end Crank;\n";
    yoke_system *s = read_with(text, NULL, NULL);
    const outcome o = run(s, "radau5", 0.0, 1e-8, 5.0, 1, NULL);
    (void)state;

    assert_true(o.status > 0);
    CHECK_CONTAINS(o.err.text, "m.mo:9: the constraints depend on each other");
    yoke_system_free(s);
}

/* ---- Levels and blocks --------------------------------------------------- */

/* A constraint of index 2, by first-order equations, beside a pendulum and a
 * third one of other size: each has states of its own. */
static void blocks_change_on_their_own(void **state)
{
    static const char text[] =
        "model Three\n"
        "  Real a(start = 1), b(start = 0), mu;\n"
        "  Real x(start = 0), y(start = -1), u(start = 1, fixed = true), v, "
        "F;\n"
        "  Real c(start = 0, nominal = 1000), d(start = 2000), nu;\n"
        "equation\n"
        "  der(a) = -b + a*mu;\n"
        "  der(b) = a + b*mu;\n"
        "  a^2 + b^2 = 1;\n"
        "  der(x) = u; der(y) = v;\n"
        "  der(u) = -F*x;\n"
        "  der(v) = -F*y - 1;\n"
        "  x^2 + y^2 = 1;\n"
        "  der(c) = -2*d + c*nu;\n"
        "  der(d) = 2*c + d*nu;\n"
        "  c^2 + d^2 = 4000000;\n"
        "end Three;\n";
    yoke_equation_report report;
    yoke_system *s = read_with(text, NULL, &report);
    const outcome o = run(s, "radau5", 0.0, 1e-9, 10.0, 1, NULL);
    (void)state;

    CHECK_OK(o.status, &o.err);
    assert_int_equal(yoke_system_facts(s)->events, 3);
    assert_int_equal(report.states, 4);
    CHECK_CONTAINS(report.text, "1 combination of a, b;");
    CHECK_CONTAINS(report.text, "1 combination of c, d");
    CHECK_NEAR(o.x[find_x(s, "a")], cos(10.0), 1e-8);
    CHECK_NEAR(o.x[find_x(s, "b")], sin(10.0), 1e-8);
    CHECK_NEAR(o.x[find_x(s, "c")], -2000.0 * sin(20.0), 2e-5);
    CHECK_NEAR(o.x[find_x(s, "d")], 2000.0 * cos(20.0), 2e-5);
    /* The pendulum swings by 60 degrees to each side, within one chart. */
    CHECK_NEAR(o.x[find_x(s, "u")] * o.x[find_x(s, "u")] +
                   o.x[find_x(s, "v")] * o.x[find_x(s, "v")],
               -1.0 - 2.0 * o.x[find_x(s, "y")], 1e-7);
    CHECK_BETWEEN((double)o.work.events, 20.0 / acos(0.4) - 1.0,
                  30.0 / acos(0.4) + 1.0);
    yoke_system_free(s);
}

/* Constraint at the level of accelerations: index 4.  The control F keeps the
 * third derivatives on the circle; x = cos t. */
static void three_levels_change_together(void **state)
{
    static const char text[] =
        "model Circle\n"
        "  Real x(start = 1), y(start = 0), u(start = 0), v(start = 1);\n"
        "  Real a(start = -1), b(start = 0), F;\n"
        "equation\n"
        "  der(x) = u; der(y) = v;\n"
        "  der(u) = a; der(v) = b;\n"
        "  der(a) = -u + F*x;\n"
        "  der(b) = -v + F*y;\n"
        "  x^2 + y^2 = 1;\n"
        "end Circle;\n";
    yoke_equation_report report;
    yoke_system *s = read_with(text, NULL, &report);
    const outcome o = run(s, "radau5", 0.0, 1e-10, 10.0, 1, NULL);
    (void)state;

    CHECK_OK(o.status, &o.err);
    assert_int_equal(report.index, 4);
    assert_int_equal(report.states, 3);
    CHECK_CONTAINS(report.text, "1 combination of a, b; 1 combination of u, v; "
                                "1 combination of x, y");
    CHECK_NEAR(o.x[find_x(s, "x")], cos(10.0), 1e-7);
    CHECK_NEAR(o.x[find_x(s, "v")], cos(10.0), 1e-7);
    CHECK_NEAR(o.x[find_x(s, "b")], -sin(10.0), 1e-7);
    CHECK_BETWEEN((double)o.work.events, 8.0, 9.0);
    yoke_system_free(s);
}

/* What can be a state at all times is one: no events, no memory. */
static void good_states_are_kept(void **state)
{
    static const char *const text[] = {
        /* y has a constant slope, x has not */
        "model Parabola\n"
        "  Real x(start = 3), y, u(start = -1), v, F;\n"
        "equation\n"
        "  der(x) = u; der(y) = v;\n"
        "  der(u) = 2*x*F; der(v) = -F - 1;\n"
        "  y = x^2;\n"
        "end Parabola;\n",
        /* linear constraint, nonlinear forces */
        "model Line\n"
        "  Real x(start = 1), y(start = 2), u, v, F;\n"
        "equation\n"
        "  der(x) = u; der(y) = v;\n"
        "  der(u) = -x^3 + 2*F; der(v) = -F;\n"
        "  y = 2*x;\n"
        "end Line;\n",
    };
    (void)state;

    for (int k = 0; k < 2; k++) {
        yoke_equation_report report;
        yoke_system *s = read_with(text[k], NULL, &report);
        const outcome o = run(s, "radau5", 0.0, 1e-9, 8.0, 1, NULL);
        const double x = o.x[0], u = o.x[find_x(s, "u")];
        CHECK_OK(o.status, &o.err);
        assert_int_equal(report.states, 2);
        assert_int_equal(yoke_system_facts(s)->events, 0);
        assert_int_equal(yoke_system_facts(s)->memory_bytes, 0);
        CHECK_CONTAINS(report.text, "chosen at the start values and kept.");
        if (k == 0)
            CHECK_NEAR(u * u * (1.0 + 4.0 * x * x) / 2.0 + x * x, 27.5, 1e-6);
        else
            CHECK_NEAR(5.0 * u * u / 2.0 + pow(x, 4) / 4.0, 0.25, 1e-7);
        yoke_system_free(s);
    }
}

/* ---- Steppers, windows, code --------------------------------------------- */

/* Fixed steps, halved: the order of the method is that of the result, across
 * four changes. */
static void the_order_of_the_method_stays(void **state)
{
    static const struct {
        const char *method;
        double step, order;
    } cases[] = { { "implicit-euler", 1e-3, 1.0 },
                  { "trapezoidal", 4e-3, 2.0 },
                  { "bdf2", 4e-3, 2.0 },
                  { "bdf3", 4e-3, 3.0 },
                  { "rk4", 2e-2, 4.0 } };
    yoke_system *s = read_with(pendulum, NULL, NULL);
    const double end = 3.0;
    (void)state;

    for (int k = 0; k < 5; k++) {
        double error[2];
        for (int i = 0; i < 2; i++) {
            const outcome o = run(s, cases[k].method, ldexp(cases[k].step, -i),
                                  1e-8, end, 1, NULL);
            CHECK_OK(o.status, &o.err);
            error[i] =
                hypot(o.x[0] - sin(angle(end)), o.x[1] + cos(angle(end)));
        }
        CHECK_BETWEEN(log2(error[0] / error[1]), cases[k].order - 0.35,
                      cases[k].order + 0.8);
    }
    yoke_system_free(s);
}

/* Windows that are solved twice give the same; so does native code, to the last
 * bit. */
static void windows_and_code_agree(void **state)
{
    yoke_system *a = read_with(pendulum, NULL, NULL);
    yoke_system *b = read_with(pendulum, "cc", NULL);
    const outcome x = run(a, "radau5", 0.0, 1e-8, 6.0, 40, "energy");
    const outcome y = run(b, "radau5", 0.0, 1e-8, 6.0, 40, "energy");
    (void)state;

    CHECK_OK(x.status, &x.err);
    CHECK_OK(y.status, &y.err);
    assert_memory_equal(x.x, y.x,
                        (size_t)yoke_system_facts(a)->n * sizeof *x.x);
    assert_int_equal(x.work.events, y.work.events);
    CHECK_NEAR(x.x[0], sin(angle(6.0)), 1e-6);
    CHECK_NEAR(x.x[1], -cos(angle(6.0)), 1e-6);
    CHECK_BETWEEN(x.most, 0.0, 1e-6);
#ifdef YOKE_HAVE_SUNDIALS
    const outcome z = run(a, "ida", 0.0, 1e-8, 6.0, 1, "energy");
    CHECK_OK(z.status, &z.err);
    CHECK_NEAR(z.x[0], sin(angle(6.0)), 1e-5);
    CHECK_BETWEEN(z.most, 0.0, 1e-5);
#endif
    yoke_system_free(a);
    yoke_system_free(b);
}

/* reinit of one velocity is obeyed, the other one follows; of both it is the
 * part along the constraint that counts. */
static void velocities_get_new_values(void **state)
{
    static const char format[] = "model Kicked\n"
                                 "  Real x(start = 0.6), y(start = -0.8);\n"
                                 "  Real vx(start = 0), vy(start = 0), F;\n"
                                 "equation\n"
                                 "  der(x) = vx;\n"
                                 "  der(y) = vy;\n"
                                 "  der(vx) = -F*x;\n"
                                 "  der(vy) = -F*y - 9.81;\n"
                                 "  x^2 + y^2 = 1;\n"
                                 "  when x < %s then %s end when;\n"
                                 "end Kicked;\n";
    static const char *const action[] = {
        "reinit(vx, -2);",
        "reinit(vy, 1);",
        "reinit(vx, 3); reinit(vy, 4);",
    };
    const double y0 = -sqrt(1.0 - 0.3 * 0.3); /* where x = 0.3 */
    const double speed[] = { 2.0 / -y0, 1.0 / 0.3,
                             fabs(-3.0 * y0 + 4.0 * 0.3) };
    (void)state;

    for (int k = 0; k < 3; k++) {
        char text[700];
        snprintf(text, sizeof text, format, "0.3", action[k]);
        yoke_system *s = read_with(text, NULL, NULL);
        const outcome o = run(s, "radau5", 0.0, 1e-9, 0.45, 1, NULL);
        const double vx = o.x[2], vy = o.x[3];
        CHECK_OK(o.status, &o.err);
        CHECK_NEAR((vx * vx + vy * vy) / 2.0 + 9.81 * o.x[1],
                   speed[k] * speed[k] / 2.0 + 9.81 * y0, 1e-6);
        yoke_system_free(s);
    }

    char text[700]; /* at the bottom there is no vertical velocity */
    snprintf(text, sizeof text, format, "0", "reinit(vy, 1);");
    yoke_system *s = read_with(text, NULL, NULL);
    const outcome o = run(s, "radau5", 0.0, 1e-9, 0.6, 1, NULL);
    assert_true(o.status > 0);
    CHECK_CONTAINS(o.err.text, "m.mo:9: the constraint determines what reinit");
    yoke_system_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_change_on_their_own),
        cmocka_unit_test(three_levels_change_together),
        cmocka_unit_test(good_states_are_kept),
        cmocka_unit_test(the_order_of_the_method_stays),
        cmocka_unit_test(windows_and_code_agree),
        cmocka_unit_test(velocities_get_new_values),
        cmocka_unit_test(a_pendulum_swings),
        cmocka_unit_test(a_pendulum_turns_over),
        cmocka_unit_test(a_double_pendulum_swings),
        cmocka_unit_test(a_crank_passes_its_dead_points),
        cmocka_unit_test(a_true_singularity_is_told),
    };
    if (!mkdtemp(cache)) return 1;
    return cmocka_run_group_tests(tests, NULL, remove_cache);
}
