/* Smooth but narrow functions of time: no step passes over one, however narrow,
 * whatever language it is written in.  All have exact integrals. */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"

#include "yoke/optional.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* ---- sources ------------------------------------------------------------- */

/* x' = text - leak x, x(0) = 0, as an equation model, as a formula of a system
 * file, as a B source of a netlist, and as two parts. */
enum { MODEL, FORMULA, NETLIST, FOLLOWER, KINDS };

static void write_model(const char *text, double leak)
{
    char model[1000];

    snprintf(model, sizeof model,
             "model S\n  Real x(start = 0, fixed = true);\n"
             "equation\n  der(x) = %s - %g*x;\nend S;\n"
             "model D\n  output Real y;\nequation\n  y = %s;\nend D;\n"
             "model F\n  input Real u;\n  Real x(start = 0, fixed = true);\n"
             "equation\n  der(x) = u - %g*x;\nend F;\n",
             text, leak, text, leak);
    write_file("m.mo", model);
}

static yoke_file *read_system(int kind, const char *text, double leak,
                              double stop, double rtol, const char *more,
                              const char *part)
{
    char run[200], all[3000];
    const char *const path = in_scratch("m.mo");

    snprintf(run, sizeof run,
             "yoke: 1\nrun: {stop: %.17g, rtol: %g, atol: %g%s}\nsubsystems:\n",
             stop, rtol, 1e-3 * rtol, more);
    if (kind == MODEL) {
        write_model(text, leak);
        snprintf(all, sizeof all, "%s  a: {model: %s, class: S%s}\n", run, path,
                 part);
    } else if (kind == FORMULA) {
        snprintf(all, sizeof all,
                 "%s  a: {linear: {A: %g, source: \"%s\", x: x}%s}\n", run,
                 -leak, text, part);
    } else if (kind == FOLLOWER) {
        write_model(text, leak);
        snprintf(all, sizeof all,
                 "%s  d: {model: %s, class: D}\n  a: {model: %s, class: F}\n"
                 "couplings:\n  - signal: a.u = d.y\n",
                 run, path, path);
    } else {
        char net[1500];
        snprintf(net, sizeof net,
                 "* a capacitor\nB1 0 x I = %s\nC1 x 0 1\nR1 x 0 %.17g\n"
                 ".ic v(x)=0\n.end\n",
                 text, leak > 0.0 ? 1.0 / leak : 1e18);
        write_file("n.cir", net);
        snprintf(all, sizeof all, "%s  a: {netlist: %s%s}\n", run,
                 in_scratch("n.cir"), part);
    }
    return parse(all);
}

static double final_of(yoke_file *file, int kind)
{
    yoke_run *run = run_file(file);
    const double x = value_of(run, kind == NETLIST ? "a.v(x)" : "a.x");

    yoke_run_close(run, NULL);
    yoke_file_free(file);
    return x;
}

static void check(int kind, const char *text, double leak, double stop,
                  double rtol, const char *more, const char *part, double exact)
{
    const double x =
        final_of(read_system(kind, text, leak, stop, rtol, more, part), kind);
    const double off = fabs(x - exact) / (rtol * (1e-3 + fabs(exact)));

    if (!(off <= 10.0))
        fail_msg("kind %d, %s, rtol %g%s%s: %.12g instead of %.12g, %.3g "
                 "tolerances",
                 kind, text, rtol, more, part, x, exact, off);
}

/* ---- pulses -------------------------------------------------------------- */

typedef struct pulse {
    const char *text;
    double stop, exact;
} pulse;

enum { PULSES = 11 };

static void make_pulses(pulse *p)
{
    const double w = 1e-3, a = 61.7;
    const pulse all[PULSES] = {
        { "1000*exp(-((time - 70000.3)/0.001)^2)", 1e5, sqrt(pi) },
        { "1000/cosh((time - 61.7)/0.001)^2", 100, 2.0 },
        { "1000/(1 + ((time - 61.7)/0.001)^2)", 100,
          atan((100 - a) / w) + atan(a / w) },
        { "1000*exp((61.7 - time)/0.001 - exp((61.7 - time)/0.001))", 100,
          1.0 },
        { "1 + tanh((time - 61.7)/0.000001)", 100, 2.0 * (100 - a) },
        { "tanh((time - 61.7)/0.000001) - tanh((time - 61.8)/0.000001)", 100,
          0.2 },
        { "2*time*cos(time^2)", 20, sin(400.0) },
        { "sin(20*time)*sin(21*time)", 50, sin(50.0) / 2 - sin(2050.0) / 82 },
        { "sin(time) + 10*exp(-((time - 61.7)/0.001)^2)", 100,
          1.0 - cos(100.0) + 0.01 * sqrt(pi) },
        { "time + 10*exp(-((time - 61.7)/0.001)^2)", 100,
          5000.0 + 0.01 * sqrt(pi) },
        { "1000*exp(-((time - 33)/0.001)^2) - 400*exp(-((time - 33.2)/0.01)^2)",
          1000, sqrt(pi) - 4.0 * sqrt(pi) },
    };

    for (int i = 0; i < PULSES; i++) p[i] = all[i];
}

static void no_pulse_is_too_narrow(void **state)
{
    pulse p[PULSES];
    (void)state;
    make_pulses(p);
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < PULSES; i++)
            for (double rtol = 1e-4; rtol > 1e-9; rtol *= 1e-2)
                check(kind, p[i].text, 0.0, p[i].stop, rtol,
                      i % 2 ? ", cluster: none" : "", "", p[i].exact);
}

static void every_stepper_sees_them(void **state)
{
    static const char *const part[] = { ", stepper: trbdf2",
                                        ", stepper: genalpha",
                                        ", stepper: ida" };
    pulse p[PULSES];
    (void)state;
    make_pulses(p);
    for (int s = 0; s < 3; s++)
        for (int i = 0; i < 2; i++)
            for (int kind = MODEL; kind <= FORMULA; kind++)
                check(kind, p[i].text, 0.0, p[i].stop, 1e-4, "", part[s],
                      p[i].exact);
}

/* ---- trains -------------------------------------------------------------- */

/* The integral of 10 exp(leak s + K (cos s - 1)) over [a, b]: Simpson's rule,
 * where it is not negligible. */
static double spike(double K, double leak, double a, double b)
{
    enum { PARTS = 4000 };
    const double w = fmin(pi, 9.0 / sqrt(K));
    const double from = fmax(a, -w), to = fmin(b, w), h = (to - from) / PARTS;
    double sum = 0.0;

    for (int i = 0; i <= PARTS; i++) {
        const double s = from + h * i;
        const double weight = i == 0 || i == PARTS ? 1.0 : i % 2 ? 4.0 : 2.0;
        sum += weight * exp(leak * s + K * (cos(s) - 1.0));
    }
    return 10.0 * sum * h / 3.0;
}

/* x' = 10 exp(K (cos(t - 3) - 1)) - leak x after `count` spikes. */
static double train(double K, double leak, int count, double *stop)
{
    const double whole = spike(K, leak, -pi, pi);
    double x = 0.0;

    *stop = 3.0 + pi * (2 * count - 1);
    for (int k = 0; k < count; k++)
        x += exp(-leak * (*stop - 3.0 - 2.0 * pi * k)) *
             (k == 0 ? spike(K, leak, -3.0, pi) : whole);
    return x;
}

static void trains_of_spikes(void **state)
{
    static const double K[] = { 1, 3, 10, 100, 1000, 1e4, 1e6 };
    (void)state;
    for (int i = 0; i < 7; i++)
        for (int kind = 0; kind < KINDS; kind++) {
            const double rtol = i % 3 == 0 ? 1e-4 : i % 3 == 1 ? 1e-6 : 1e-8;
            char text[100];
            double stop = 0.0;
            const double exact = train(K[i], 0.01, 95, &stop);
            snprintf(text, sizeof text, "10*exp(%g*(cos(time - 3) - 1))", K[i]);
            check(kind, text, 0.01, stop, rtol,
                  (i + kind) % 2 ? ", cluster: none" : "", "", exact);
        }
}

/* The spike is in one equation, the cosine in another. */
static void through_an_algebraic_unknown(void **state)
{
    char text[600];
    double stop = 0.0;
    const double exact = train(1000.0, 0.01, 40, &stop);
    (void)state;
    write_file("v.mo",
               "model S\n  Real x(start = 0, fixed = true);\n  Real y, z;\n"
               "equation\n  y = cos(time - 3);\n  z = 1000*(y - 1);\n"
               "  der(x) = 10*exp(z) - 0.01*x;\nend S;\n");
    snprintf(text, sizeof text,
             "yoke: 1\nrun: {stop: %.17g}\nsubsystems:\n  a: {model: %s}\n",
             stop, in_scratch("v.mo"));
    CHECK_NEAR(final_of(parse(text), MODEL), exact, 1e-5 * exact);
}

/* ---- what it costs ------------------------------------------------------- */

static int courses_of(int kind, const char *text)
{
    yoke_file *file = read_system(kind, text, 0.0, 1.0, 1e-6, "", "");
    const yoke_graph *graph = yoke_model_graph(yoke_file_model(file));
    const yoke_courses *told =
        yoke_system_facts(yoke_graph_system(graph, 0))->courses;
    const int count = told ? told->count : 0;

    yoke_file_free(file);
    return count;
}

static void straight_lines_cost_nothing(void **state)
{
    (void)state;
    for (int kind = 0; kind <= NETLIST; kind++) {
        assert_int_equal(courses_of(kind, "3*time - 2"), 0);
        assert_int_equal(courses_of(kind, "max(time, 2*time - 0.5)"), 0);
        assert_int_equal(courses_of(kind, "sin(time)"), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_pulse_is_too_narrow),
        cmocka_unit_test(every_stepper_sees_them),
        cmocka_unit_test(trains_of_spikes),
        cmocka_unit_test(through_an_algebraic_unknown),
        cmocka_unit_test(straight_lines_cost_nothing),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
