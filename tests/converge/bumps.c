/* Smooth but narrow answers to states and inputs: no step passes over one.  s
 * and v are sines, so that the integrand is known, and its integral to many
 * digits by Simpson's rule. */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"

#include <math.h>

static const double stop = 40.0;

/* ---- answers -------------------------------------------------------------- */

static double gauss(double s, double v)
{
    (void)v;
    return 100.0 * exp(-pow(300.0 * (s - 0.613), 2));
}

static double thin(double s, double v)
{
    (void)v;
    return 1e4 * exp(-pow(3e4 * (s - 0.613), 2));
}

static double meeting(double s, double v)
{
    return 10.0 * exp(-3000.0 * (pow(s - 0.5, 2) + pow(v + 0.5, 2)));
}

static double hill(double s, double v)
{
    (void)v;
    return 100.0 / (1.0 + 1e6 * pow(s - 0.613, 2));
}

static double difference(double s, double v)
{
    (void)v;
    return 100.0 * (tanh(1000.0 * (s - 0.613)) - tanh(1000.0 * (s - 0.614)));
}

/* The equation of x, and of what it needs; s and v are inputs, or states. */
static const struct {
    const char *declare, *text;
    double (*exact)(double s, double v);
} answer[] = {
    { "", "der(x) = 100*exp(-(300*(s - 0.613))^2);", gauss },
    { "", "der(x) = 1e4*exp(-(3e4*(s - 0.613))^2);", thin },
    { "", "der(x) = 10*exp(-3000*((s - 0.5)^2 + (v + 0.5)^2));", meeting },
    { "", "der(x) = 10*exp(-3000*(s - 0.5)^2)*exp(-3000*(v + 0.5)^2);",
      meeting },
    { "", "der(x) = 100/(1 + 1e6*(s - 0.613)^2);", hill },
    { "",
      "der(x) = 100*tanh(1000*(s - 0.613)) - 100*tanh(1000*(s - 0.614)) + 0*v;",
      difference },
    { "Real w;", "w = exp(-(300*(s - 0.613))^2); der(x) = 100*w;", gauss },
    { "Real p; Real q; Real w;",
      "p = s - 0.5; q = v + 0.5; w = p*p + q*q; der(x) = 10*exp(-3000*w);",
      meeting },
};
enum { ANSWERS = sizeof answer / sizeof *answer };

static double integral(double (*f)(double s, double v))
{
    enum { PARTS = 8000000 };
    const double h = stop / PARTS;
    double sum = 0.0;

    for (int i = 0; i <= PARTS; i++) {
        const double t = h * i, s = sin(t);
        const double weight = i == 0 || i == PARTS ? 1.0 : i % 2 ? 4.0 : 2.0;
        sum += weight * f(s, sin(sqrt(2.0) * t));
    }
    return sum * h / 3.0;
}

/* ---- runs ---------------------------------------------------------------- */

/* All in one model; a follower of two oscillators; all parts as one system. */
enum { ONE, FOLLOWER, WHOLE, WAYS };

static const char *const circle = "  Real c(start = 1, fixed = true);\n"
                                  "  Real d(start = 1, fixed = true);\n";

static void write_models(int i)
{
    char text[2000];

    snprintf(text, sizeof text,
             "model One\n  Real s(start = 0, fixed = true);\n"
             "  Real v(start = 0, fixed = true);\n%s"
             "  Real x(start = 0, fixed = true); %s\n"
             "equation\n  der(s) = c; der(c) = -s;\n"
             "  der(v) = sqrt(2)*d; der(d) = -sqrt(2)*v;\n  %s\nend One;\n"
             "model Osc\n  parameter Real w = 1;\n"
             "  output Real s(start = 0, fixed = true);\n"
             "  Real c(start = 1, fixed = true);\n"
             "equation\n  der(s) = w*c; der(c) = -w*s;\nend Osc;\n"
             "model Ear\n  input Real s; input Real v;\n"
             "  output Real x(start = 0, fixed = true); %s\nequation\n  %s\n"
             "end Ear;\n",
             circle, answer[i].declare, answer[i].text, answer[i].declare,
             answer[i].text);
    write_file("m.mo", text);
}

static double run_way(int way, int i, double rtol, const char *more,
                      const char *part)
{
    const char *const path = in_scratch("m.mo");
    char text[2000];
    int used;

    write_models(i);
    used = snprintf(text, sizeof text,
                    "yoke: 1\nrun: {stop: %g, rtol: %g, atol: %g%s%s}\n"
                    "subsystems:\n",
                    stop, rtol, 1e-3 * rtol, more,
                    way == WHOLE ? ", scheme: monolithic" : "");
    if (way == ONE)
        snprintf(text + used, sizeof text - (size_t)used,
                 "  b: {model: %s, class: One%s}\n", path, part);
    else
        snprintf(text + used, sizeof text - (size_t)used,
                 "  o: {model: %s, class: Osc}\n"
                 "  p: {model: %s, class: Osc, parameters: {w: sqrt(2)}}\n"
                 "  b: {model: %s, class: Ear}\n"
                 "couplings:\n  - signal: b.s = o.s; b.v = p.s\n",
                 path, path, path);
    yoke_file *file = parse(text);
    yoke_run *run = run_file(file);
    const double x = value_of(run, "b.x");
    yoke_run_close(run, NULL);
    yoke_file_free(file);
    return x;
}

static void check(int way, int i, double rtol, const char *more,
                  const char *part, double exact)
{
    const double x = run_way(way, i, rtol, more, part);
    const double off = fabs(x - exact) / (rtol * (1e-3 + fabs(exact)));

    print_message("%d %d %g: %.3g tolerances\n", way, i, rtol, off);
    if (!(off <= 10.0))
        fail_msg("way %d, %s, rtol %g%s: %.12g instead of %.12g, %.3g "
                 "tolerances",
                 way, answer[i].text, rtol, more, x, exact, off);
}

static void no_answer_is_too_narrow(void **state)
{
    (void)state;
    for (int i = 0; i < ANSWERS; i++) {
        const double exact = integral(answer[i].exact);
        for (int way = 0; way < WAYS; way++)
            for (double rtol = 1e-4; rtol > 1e-9; rtol *= 1e-2) {
                check(way, i, rtol, "", "", exact);
                if (way == FOLLOWER)
                    check(way, i, rtol, ", cluster: none", "", exact);
            }
    }
}

static void every_stepper_sees_them(void **state)
{
    static const char *const part[] = { ", stepper: trbdf2", ", stepper: ida",
                                        ", stepper: genalpha" };
    const double exact = integral(gauss);
    (void)state;
    for (int k = 0; k < 3; k++)
        for (double rtol = 1e-4; rtol > 1e-7; rtol *= 1e-2)
            check(ONE, 0, rtol, "", part[k], exact);
}

/* What is smooth costs no evaluations. */
static long residuals_of(const char *curve)
{
    char text[1000];
    const char *name = NULL;
    yoke_work work;

    snprintf(text, sizeof text,
             "model S\n  Real x(start = 1, fixed = true);\n"
             "  Real v(start = 0, fixed = true);\n"
             "equation\n  der(x) = v;\n  der(v) = %s;\nend S;\n",
             curve);
    write_file("s.mo", text);
    snprintf(text, sizeof text,
             "yoke: 1\nrun: {stop: 100, spot: 0}\nsubsystems:\n"
             "  a: {model: %s}\n",
             in_scratch("s.mo"));
    yoke_file *file = parse(text);
    yoke_run *run = run_file(file);
    assert_true(yoke_run_work(run, 0, &name, &work));
    yoke_run_close(run, NULL);
    yoke_file_free(file);
    return work.residuals;
}

/* x - x^3/6 + x^5/120 - ... is no curve, and nearly the sine. */
static void smooth_ones_cost_little(void **state)
{
    (void)state;
    const long plain =
        residuals_of("-x + x*x*x/6 - x*x*x*x*x/120 + x*x*x*x*x*x*x/5040");
    const long curve = residuals_of("-sin(x)");
    print_message("%ld residuals for %ld\n", curve, plain);
    CHECK_BETWEEN((double)curve, 0.97 * (double)plain, 1.03 * (double)plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_answer_is_too_narrow),
        cmocka_unit_test(every_stepper_sees_them),
        cmocka_unit_test(smooth_ones_cost_little),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
