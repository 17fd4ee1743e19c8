/* file/formula_run_test.c -- runs of every component that takes a formula of
 * time, driven by formulas that jump and bend, against exact integrals. */
#define _XOPEN_SOURCE 700
#include "base/base.h"
#include "file/file_fixture.h"

#include <math.h>

static const double stop = 20.0;

/* ---- formulas with their exact values and instants ----------------------- */

typedef struct term {
    int kind;
    double a, b, c; /* amplitude, and two numbers in (0, stop) with b < c */
} term;

enum { KINDS = 12, MOST_TERMS = 4, MOST_KNOTS = 4000 };

static const char *const shape[KINDS] = {
    "%g*pulse(time, %.6f, %.6f)",
    "%g*0.5*(sign(time - %.6f) - sign(time - %.6f))",
    "%g*max(0, 1 - abs(time - %.6f)/%.6f)",
    "%g*(mod(time, %.6f) < 0.02*%.6f)",
    "%g*max(0, sin(%.6f*time))*(time < %.6f)",
    "%g*floor(time/%.6f)*step(%.6f - time)",
    "%g*(if time > %.6f and not time > %.6f then 1 else 0)",
    "%g*table(time, 1, 0, 2, 3, 2, 1, 7, 0)*(time > %.6f)*(time < %.6f)",
    "%g*pulse(time, %.6f, 30)*pulse(time, -1, %.6f)*time",
    "%g*min(max(time - %.6f, 0), max(%.6f - time, 0))",
    "%g*sign(sin(%.6f*time))*(cos(%.6f*time) > 0)",
    "%g*rem(time, %.6f)*(ceil(time/%.6f) - div(time, 5))",
};

static double sign(double x)
{
    return (x > 0.0) - (x < 0.0);
}

static double table(double t)
{
    return t < 1 ? 0 : t < 2 ? 3 * (t - 1) : t < 7 ? (7 - t) / 5 : 0;
}

static double value(const term *f, double t)
{
    const double b = f->b, c = f->c;

    switch (f->kind) {
    case 0:
    case 1:
    case 6:
        return f->a * (t > b && t < c);
    case 2:
        return f->a * fmax(0.0, 1.0 - fabs(t - b) / c);
    case 3:
        return f->a * (fmod(t, b) < 0.02 * c);
    case 4:
        return f->a * fmax(0.0, sin(b * t)) * (t < c);
    case 5:
        return f->a * floor(t / b) * (t < c);
    case 7:
        return f->a * table(t) * (t > b && t < c);
    case 8:
        return f->a * t * (t > b && t < c);
    case 9:
        return f->a * fmin(fmax(t - b, 0.0), fmax(c - t, 0.0));
    case 10:
        return f->a * sign(sin(b * t)) * (cos(c * t) > 0.0);
    default:
        return f->a * fmod(t, b) * (ceil(t / c) - trunc(t / 5.0));
    }
}

static int add_multiples(double *knot, int count, double from, double period)
{
    for (double t = from; t < stop && count < MOST_KNOTS - 8; t += period)
        if (t > 0.0) knot[count++] = t;
    return count;
}

/* All instants at which it is not smooth, and a fine grid between them. */
static int knots_of(const term *f, double *knot)
{
    const double pi = acos(-1.0);
    const double given[] = {
        0, stop, f->b, f->c, f->b - f->c, f->b + f->c, 0.5 * (f->b + f->c),
        1, 2,    7
    };
    int count = 0;

    for (size_t k = 0; k < sizeof given / sizeof given[0]; k++)
        if (given[k] >= 0.0 && given[k] <= stop) knot[count++] = given[k];
    if (f->kind == 3 || f->kind == 5 || f->kind == 11)
        count = add_multiples(knot, count, f->b, f->b);
    if (f->kind == 3) count = add_multiples(knot, count, 0.02 * f->c, f->b);
    if (f->kind == 4 || f->kind == 10)
        count = add_multiples(knot, count, pi / f->b, pi / f->b);
    if (f->kind == 10)
        count = add_multiples(knot, count, 0.5 * pi / f->c, pi / f->c);
    if (f->kind == 11) {
        count = add_multiples(knot, count, f->c, f->c);
        count = add_multiples(knot, count, 5.0, 5.0);
    }
    count = add_multiples(knot, count, 0.25, 0.25);
    qsort(knot, (size_t)count, sizeof *knot, yk_compare_doubles);
    return count;
}

/* Integrals of f and of (stop - t) f over the run. */
static void integrate(const term *f, double out[2])
{
    static const double x[] = { 0.0, 0.5384693101056831, 0.906179845938664 };
    static const double w[] = { 0.5688888888888889, 0.4786286704993665,
                                0.2369268850561891 };
    static double knot[MOST_KNOTS];
    const int count = knots_of(f, knot);

    for (int k = 0; k + 1 < count; k++) {
        const double h = 0.5 * (knot[k + 1] - knot[k]);
        const double m = 0.5 * (knot[k + 1] + knot[k]);
        for (int j = -2; j <= 2 && h > 0.0; j++) {
            const double t = m + (j < 0 ? -h : h) * x[abs(j)];
            out[0] += w[abs(j)] * h * value(f, t);
            out[1] += w[abs(j)] * h * value(f, t) * (stop - t);
        }
    }
}

static double draw(unsigned long *seed, double lo, double hi)
{
    *seed = *seed * 6364136223846793005ul + 1442695040888963407ul;
    return lo + (hi - lo) * (double)(*seed >> 40) / 16777216.0;
}

/* A sum of some of them: text, integral, integral of the integral. */
static void invent(unsigned long *seed, int first, int terms, char *text,
                   size_t room, double exact[2])
{
    text[0] = '\0';
    exact[0] = exact[1] = 0.0;
    for (int k = 0; k < terms; k++) {
        term f = { .kind = (first + 5 * k) % KINDS };
        char one[200];
        f.a = round(draw(seed, 1.0, 90.0)) / 10.0;
        f.b = round(1e6 * draw(seed, 0.3, 9.0)) / 1e6;
        f.c = round(1e6 * draw(seed, f.b + 0.001, 19.0)) / 1e6;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(one, sizeof one, shape[f.kind], f.a, f.b, f.c);
#pragma GCC diagnostic pop
        strncat(text, k ? " + " : "", room - strlen(text) - 1);
        strncat(text, one, room - strlen(text) - 1);
        integrate(&f, exact);
    }
}

/* ---- components ---------------------------------------------------------- */

/* `part` is driven by the formula %s and shows its integral as `speed`; `f`
 * integrates that once more. */
typedef struct component {
    const char *part, *speed;
    double factor; /* speed over integral */
} component;

static const component components[] = {
    { "{linear: {A: 0, source: \"%s\", x: v}}", "v", 1.0 },
    { "{linear: {A: [[0, 0], [1, 0]], source: [\"k*(%s)\", 0], x: [v, x]}, "
      "parameters: {k: 3}}",
      "v", 3.0 },
    { "{component: mechanism, masses: {h: {mass: 2, force: \"%s\"}}}", "h.v",
      0.5 },
    { "{component: mechanism, masses: {h: {mass: 2, force: \"%s\"}}, inputs: "
      "[h], formulation: port-hamiltonian}",
      "h.v", 0.5 },
    { "{component: port-hamiltonian, J: [0], Q: [4], B: [1], G: [1], input: "
      "[\"%s\"], x0: [0]}",
      "y1", 4.0 },
    { "{component: multibody, bodies: {b: {mass: 5, inertia: 2, velocity: [0, "
      "0], rate: 0}}, forces: [{at: b, force: [\"%s\", 0]}]}",
      "b.x.v", 0.2 },
    { "{component: multibody, bodies: {b: {mass: 5, inertia: 2, velocity: [0, "
      "0], rate: 0}}, forces: [{on: b, torque: \"%s\"}]}",
      "b.angle.v", 0.5 },
};

enum { COMPONENTS = sizeof components / sizeof components[0] };

static bool has_input(const component *c)
{
    return strstr(c->part, "inputs:") || strstr(c->part, " B: [1]");
}

static void try(const component *c, const char *formula, const double exact[2],
                double rtol, const char *mode)
{
    char text[4000], part[2000], port[20] = "";

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(part, sizeof part, c->part, formula);
#pragma GCC diagnostic pop
    if (has_input(c))
        snprintf(port, sizeof port, "%s",
                 strstr(c->part, "inputs:") ? "p.h.force" : "p.u1");
    snprintf(text, sizeof text,
             "yoke: 1\nrun: {stop: %g, rtol: %g%s}\nsubsystems:\n  p: %s\n"
             "  f: {linear: {A: 0, B: 1, u: u}}\n"
             "  z: {linear: {A: -1}}\n"
             "couplings:\n- signal: f.u = p.%s\n%s%s%s",
             stop, rtol, mode, part, c->speed, port[0] ? "- signal: " : "",
             port, port[0] ? " = z.x1\n" : "");
    yoke_file *file = parse(text);
    yoke_run *run = run_file(file);
    const double size = fmax(fabs(c->factor * exact[1]), 1.0);
    const double got = value_of(run, "f.x1");
    if (!(fabs(got - c->factor * exact[1]) <= 10.0 * rtol * size))
        print_error("%s", text);
    CHECK_NEAR(got, c->factor * exact[1], 10.0 * rtol * size);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

static void every_component_sees_every_formula(void **state)
{
    unsigned long seed = 1;
    (void)state;
    for (int c = 0; c < COMPONENTS; c++)
        for (int kind = 0; kind < KINDS; kind++) {
            char formula[1000];
            double exact[2];
            invent(&seed, kind, 1, formula, sizeof formula, exact);
            try(&components[c], formula, exact, 1e-6,
                kind % 2 ? "" : ", cluster: none");
        }
}

static void sums_of_formulas(void **state)
{
    unsigned long seed = 77;
    (void)state;
    for (int run = 0; run < 60; run++) {
        char formula[1000];
        double exact[2];
        invent(&seed, run, 2 + run % 3, formula, sizeof formula, exact);
        try(&components[run % COMPONENTS], formula, exact,
            run % 2 ? 1e-9 : 1e-4, run % 4 < 2 ? "" : ", cluster: none");
    }
}

/* ---- accuracy -------------------------------------------------------------
 */

/* x' = -x + pulses: the error follows the tolerance. */
static double error_of(const char *method, double rtol)
{
    static const double edge[][2] = { { 1.3, 1.31 }, { 4.7, 6.2 }, { 6.3, 9 } };
    char text[1000];
    double exact = 0.0;

    snprintf(text, sizeof text,
             "yoke: 1\nrun: {stop: 10, rtol: %g, atol: %g}\nsubsystems:\n"
             "  a: {linear: {A: -1, source: \"5*pulse(time, 1.3, 1.31) + "
             "pulse(time, 4.7, 6.2) + pulse(time, 6.3, 9)\"}, stepper: %s}\n",
             rtol, 1e-3 * rtol, method);
    for (int k = 0; k < 3; k++)
        exact +=
            (k ? 1.0 : 5.0) * (exp(edge[k][1] - 10.0) - exp(edge[k][0] - 10.0));
    yoke_file *file = parse(text);
    yoke_run *run = run_file(file);
    const double error = fabs(value_of(run, "a.x1") - exact);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
    return error;
}

static void tolerances_are_followed(void **state)
{
    static const char *const method[] = { "radau5", "trbdf2", "ida" };
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        const double rough = error_of(method[k], 1e-6);
        const double fine = error_of(method[k], 1e-9);
        print_message("%s: %.2e, %.2e\n", method[k], rough, fine);
        assert_true(rough <= 1e-5);
        assert_true(fine <= 1e-8);
    }
}

/* ---- constraints, motors, included systems --------------------------------
 */

/* A mass is led along a table that bends: the force is what it takes. */
static void leads_may_bend(void **state)
{
    yoke_file *file = parse(
        "yoke: 1\nrun: {stop: 4, rtol: 1e-8}\nsubsystems:\n"
        "  m: {component: mechanism, masses: {h: 2}, constraints: [{name: rod, "
        "equation: \"h = max(0, time - 1.37)^2\"}]}\n");
    (void)state;
    yoke_run *run = run_file(file);
    CHECK_NEAR(value_of(run, "m.h"), 2.63 * 2.63, 1e-6);
    CHECK_NEAR(value_of(run, "m.h.v"), 2.0 * 2.63, 1e-6);
    CHECK_NEAR(fabs(value_of(run, "m.lambda.rod")), 4.0, 1e-6);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

static void motors_may_bend(void **state)
{
    yoke_file *file = parse(
        "yoke: 1\nrun: {stop: 4, rtol: 1e-8}\nsubsystems:\n"
        "  m:\n    component: multibody\n"
        "    bodies: {b: {mass: 1, inertia: 3}}\n"
        "    joints: {shaft: {type: revolute, between: [ground, b]}, motor: "
        "{type: motor, between: [ground, b], angle: \"max(0, time - "
        "1.37)^2\"}}\n");
    (void)state;
    yoke_run *run = run_file(file);
    CHECK_NEAR(value_of(run, "m.b.angle"), 2.63 * 2.63, 1e-6);
    CHECK_NEAR(value_of(run, "m.motor.torque"), 6.0, 1e-5);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

/* y = x + l is led along d(t): x' = -x + l = -2 x + d. */
static void constraints_between_subsystems_may_bend(void **state)
{
    const double s = 2.63;
    const double exact = s * s / 2 - s / 2 + 0.25 - 0.25 * exp(-2.0 * s);
    static const char *const left[] = { "a.y", "a.y*(1 + 0*a.y)" };
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[700];
        snprintf(text, sizeof text,
                 "yoke: 1\nrun: {stop: 4, rtol: 1e-8}\nsubsystems:\n"
                 "  a: {linear: {A: -1, B: 1, H: 1, D: 1, u: u, x: x, y: y}}\n"
                 "couplings:\n"
                 "- constraint: {name: c, equation: \"%s = max(0, time - "
                 "1.37)^2\", multiplier: l, enters: [a.u = l]}\n",
                 left[k]);
        yoke_file *file = parse(text);
        yoke_run *run = run_file(file);
        CHECK_NEAR(value_of(run, "a.y"), s * s, 1e-6);
        CHECK_NEAR(value_of(run, "a.x"), exact, 1e-6);
        yoke_run_close(run, NULL);
        yoke_file_free(file);
    }
}

static void included_systems_have_them_too(void **state)
{
    (void)state;
    write_file("pulse.yoke",
               "yoke: 1\nsubsystems:\n"
               "  a: {linear: {A: 0, source: \"pulse(time, 3.3, 3.35)*k\"}, "
               "parameters: {k: 20}}\n"
               "  b: {linear: {A: 0, B: 1, u: u}}\n"
               "couplings:\n- signal: b.u = a.x1\n");
    write_file("outer.yoke", "yoke: 1\nrun: {stop: 10}\nsubsystems:\n"
                             "  s: {system: pulse.yoke}\n");
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    CHECK_OK(yoke_file_read(&file, in_scratch("outer.yoke"), NULL, &err), &err);
    yoke_run *run = run_file(file);
    CHECK_NEAR(value_of(run, "s.a.x1"), 1.0, 1e-9);
    CHECK_NEAR(value_of(run, "s.b.x1"), 6.675, 1e-6);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

/* ---- port-Hamiltonian schemes -------------------------------------------- */

/* x1 of two coupled subsystems at the end, with pulses inside the steps of a
 * uniform grid. */
static double by_scheme(const char *run_options)
{
    char text[1500];

    snprintf(text, sizeof text,
             "yoke: 1\nrun: {stop: 10, %s}\nsubsystems:\n"
             "  a: {component: port-hamiltonian, J: [[0, -1], [1, 0]], Q: [1, "
             "1], R: [0.1, 0], G: [[1], [0]], input: [\"10*pulse(time, 3.3333, "
             "3.3377)\"]}\n"
             "  b: {component: port-hamiltonian, J: [[0, -1], [1, 0]], Q: [1, "
             "2], R: [0.2, 0], G: [[1], [0]], input: [\"sign(sin(3*time))\"]}\n"
             "couplings:\n"
             "- blocks: {rows: a, columns: b, J: [[0, 1], [0, 0]]}\n",
             run_options);
    yoke_file *file = parse(text);
    yoke_run *run = run_file(file);
    const double value = value_of(run, "a.x1");
    yoke_run_close(run, NULL);
    yoke_file_free(file);
    return value;
}

/* The order of the method is kept; a jump inside a step would leave order 1. */
static void grids_end_at_jumps(void **state)
{
    static const struct {
        const char *way;
        double order;
    } list[] = {
        { "scheme: port-waves, stepper: implicit-midpoint", 2.0 },
        { "scheme: port-waves, stepper: radau3", 3.0 },
        { "scheme: port-waves, stepper: radau3, waves: direct", 3.0 },
        { "scheme: lions-mercier, stepper: implicit-midpoint", 2.0 },
    };
    const double exact = by_scheme("scheme: monolithic, rtol: 1e-11");
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        char options[300];
        double error[2];
        for (int half = 0; half < 2; half++) {
            snprintf(options, sizeof options, "%s, rtol: 1e-10, step: %g",
                     list[k].way, half ? 0.02 : 0.04);
            error[half] = fabs(by_scheme(options) - exact);
        }
        print_message("%s: %.2e, %.2e\n", list[k].way, error[0], error[1]);
        CHECK_BETWEEN(log2(error[0] / error[1]), list[k].order - 0.3,
                      list[k].order + 0.5);
    }
}

/* ---- what is said about time ----------------------------------------------
 */

static bool is_timeless(const char *part)
{
    char text[1000];

    snprintf(text, sizeof text, "yoke: 1\nsubsystems:\n  p: %s\n", part);
    yoke_file *file = parse(text);
    yoke_graph *graph = yoke_model_graph(yoke_file_model(file));
    const bool is = (yoke_system_facts(yoke_graph_system(graph, 0))->flags &
                     YOKE_TIMELESS) != 0;
    yoke_file_free(file);
    return is;
}

/* Straight between breakpoints, or not. */
static void components_tell_how_they_depend_on_time(void **state)
{
    static const struct {
        const char *formula;
        bool straight;
    } list[] = {
        { "3", true },
        { "pulse(time, 1, 2)*time", true },
        { "sign(sin(time))", true },
        { "sin(time)", false },
        { "max(0, sin(time))", false },
        { "exp(-((time - 5)/0.01)^2)", false },
    };
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++)
        for (int c = 0; c < COMPONENTS; c++) {
            char part[800];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(part, sizeof part, components[c].part, list[k].formula);
#pragma GCC diagnostic pop
            if (is_timeless(part) != list[k].straight) print_error("%s", part);
            assert_true(is_timeless(part) == list[k].straight);
        }
    assert_true(is_timeless("{linear: {A: -1}}"));
    assert_true(is_timeless("{component: wires, span: 20, nodes: 9, wires: {w: "
                            "{density: 1, tension: 1}}}"));
}

/* ---- known weights --------------------------------------------------------
 */

/* b decays from `size`; a integrates what `weights` make of it. */
static void weighted(const char *run_options, const char *subsystems,
                     const char *signals, double size, double rtol)
{
    char text[1500];
    const double exact = 1.0 - exp(-5.0);

    snprintf(text, sizeof text,
             "yoke: 1\nrun: {stop: 5, rtol: %g%s}\nsubsystems:\n"
             "  b: {linear: {A: -1, x0: %g}}\n%s"
             "  a: {linear: {A: 0, B: 1, u: u}}\ncouplings:\n- signal: [%s]\n",
             rtol, run_options, size, subsystems, signals);
    yoke_file *file = parse(text);
    yoke_run *run = run_file(file);
    CHECK_NEAR(value_of(run, "a.x1"), exact, 10.0 * rtol);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

static void small_outputs_with_large_weights(void **state)
{
    static const char *const mode[] = { "", ", cluster: none",
                                        ", scheme: jacobi" };
    (void)state;
    for (int k = 0; k < 3; k++)
        for (double rtol = 1e-4; rtol > 1e-9; rtol *= 0.01) {
            weighted(mode[k], "", "a.u = 1e10*b.x1", 1e-10, rtol);
            weighted(mode[k], "  g: {linear: {D: 1e6}}\n",
                     "g.u1 = 1e6*b.x1, a.u = g.y1", 1e-12, rtol);
            weighted(mode[k], "  g: {linear: {D: 1}}\n",
                     "g.u1 = 1e5*b.x1, a.u = 1e5*g.y1", 1e-10, rtol);
            /* A fast follower between them. */
            weighted(mode[k],
                     "  g: {linear: {A: [[-1, 0], [1, -1]], E: [[1, 0], [0, "
                     "0]], x0: [1e-10, 0], B: [0, 0], u: w}}\n",
                     "g.w = b.x1, a.u = 1e10*g.x2", 1e-10, rtol);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_component_sees_every_formula),
        cmocka_unit_test(sums_of_formulas),
        cmocka_unit_test(tolerances_are_followed),
        cmocka_unit_test(leads_may_bend),
        cmocka_unit_test(motors_may_bend),
        cmocka_unit_test(constraints_between_subsystems_may_bend),
        cmocka_unit_test(included_systems_have_them_too),
        cmocka_unit_test(grids_end_at_jumps),
        cmocka_unit_test(components_tell_how_they_depend_on_time),
        cmocka_unit_test(small_outputs_with_large_weights),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
