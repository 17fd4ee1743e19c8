/* comp/netlist/read/expr_test.c */
#include "comp/netlist/read/read_fixture.h"
#include "expr/breaks.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Value and slopes of an expression of v(1) = x and v(2) = y at time t. */
typedef struct outcome {
    double value, slope[2];
} outcome;

static yk_netlist *read_behaviour(const char *expr)
{
    char text[400];

    snprintf(text, sizeof text,
             "t\nb1 3 0 v=%s\nr1 1 0 1\nr2 2 0 1\nr3 3 0 1\nvs 1 0 1\n.end\n",
             expr);
    return read_text(text);
}

static outcome evaluate(const yk_net_expr *e, double t, double x, double y)
{
    outcome out = { 0.0, { 0.0, 0.0 } };
    double var[2] = { x, y }, slope[2];
    double *work = malloc(yk_net_expr_work(e) * sizeof *work);

    assert_non_null(work);
    assert_true(e->vars <= 2);
    /* the variables are in the order of their first use */
    for (int k = 0; k < e->vars; k++) {
        assert_false(e->var[k].is_current);
        var[k] = e->var[k].a == 2 ? x : y; /* node 1 is "3" */
    }
    yk_net_expr_eval(e, t, var, &out.value, slope, work);
    for (int k = 0; k < e->vars; k++)
        out.slope[e->var[k].a == 2 ? 0 : 1] = slope[k];
    free(work);
    return out;
}

static double parameter(const char *expr)
{
    char text[400];

    snprintf(text, sizeof text, "t\nr1 1 0 {%s}\n.end\n", expr);
    yk_netlist *net = read_text(text);
    const double value = param(element(net, "r1"), "value");
    yk_netlist_free(net);
    return value;
}

static double behaviour(const char *expr)
{
    yk_netlist *net = read_behaviour(expr);
    const double value =
        evaluate(element(net, "b1")->expr, 0.0, 0.0, 0.0).value;
    yk_netlist_free(net);
    return value;
}

/* Values printed by ngspice 39, in {...} and in a B source; NAN: it refuses and
 * so do we, or it refuses and we do not. */
static const struct {
    const char *expr;
    double param, behaviour;
} values[] = {
    { "2^3^2", 64, 64 },
    { "2**3", 8, 8 },
    { "(-2)^3", 8, 8 },
    { "2*-3^2", 18, -18 },
    { "2^-2", 0.25, 0.25 },
    { "(-3)^0.5", 1.7320508075688772, 1.7320508075688772 },
    { "pow(-2,3)", -8, 8 },
    { "pwr(-2,3)", 8, -8 },
    { "log(10)", 2.302585092994046, 2.302585092994046 },
    { "log10(100)", 2, 2 },
    { "ln(10)", 2.302585092994046, 2.302585092994046 },
    { "int(2.7)", 2, NAN },
    { "nint(2.5)", 2, 2 },
    { "sgn(-3)", -1, -1 },
    { "7%4", 3, NAN },
    { "7.5\\2", 3, NAN },
    { "1 && 0 || 1", 1, 1 },
    { "!0", 1, 1 },
    { "3 == 3", 1, 1 },
    { "3 <> 4", 1, 1 },
    { "3 != 4", 1, 1 },
    { "1 ? 2 : 0 ? 3 : 4", 2, 2 },
    { "0 ? 2 : 1 ? 3 : 4", 3, 3 },
    { "-2^2", -4, -4 },
    { "-3*-2", 6, 6 },
    { "1a", 1, 1 },
    { "1mil", NAN, 2.54e-5 },
    { "sqr(3)", 9, NAN },
    { "arctan(1)", 0.7853981633974483, NAN },
    { "exp(1)", 2.718281828459045, 2.718281828459045 },
    { "pi", NAN, 3.141592653589793 },
    { "e", NAN, 2.718281828459045 },
    { "min(3,2)", 2, 2 },
    { "pwl(3,0,0,1,1)", NAN, 3 },
    { "u(0)", NAN, 0.5 },
    { "uramp(2)", NAN, 2 },
    { "u2(0.3)", NAN, 0.3 },
    { "temper", NAN, 27 },
    { "1e3k", 1e6, 1e6 },
    { "10meg", 1e7, 1e7 },
    { "ternary_fcn(1,2,3)", 2, 2 },
    { "floor(-1.5)", -2, -2 },
    { "ceil(1.2)", 2, 2 },
    { "1/0", NAN, 1e32 },
    { "pow(-2,0.5)", NAN, 1.4142135623730951 },
    { "2-(-3)", 5, 5 },
    { "5-3-1", 1, 1 },
    { "1=1", 1, NAN },
    { "- -3", 3, 3 },
    { "!1 + 2", 2, 2 },
    { "1 < 2 == 1", 1, 1 },
    { "2 < 1 || 1", 1, 1 },
    { "3-+2", NAN, 1 },
    { "0/0", NAN, 0 },
};

static void numbers_are_those_of_ngspice(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        if (!isnan(values[i].param))
            CHECK_NEAR(parameter(values[i].expr), values[i].param,
                       1e-14 * fabs(values[i].param));
        if (!isnan(values[i].behaviour))
            CHECK_NEAR(behaviour(values[i].expr), values[i].behaviour,
                       1e-14 * fabs(values[i].behaviour));
    }
}

/* Every operator and function, at places where it is smooth. */
static const struct {
    const char *expr;
    double x, y;
} smooth[] = {
    { "-v(1)", 0.7, 0.0 },
    { "!v(1)", 0.7, 0.0 },
    { "v(1)+v(2)", 0.7, 0.3 },
    { "v(1)-v(2)", 0.7, 0.3 },
    { "v(1)*v(2)", 0.7, 0.3 },
    { "v(1)/v(2)", 0.7, -0.3 },
    { "v(1)^v(2)", 0.7, 1.3 },
    { "v(1)**3", -0.7, 0.0 },
    { "pow(v(1),v(2))", -0.7, 1.3 },
    { "pwr(v(1),v(2))", 0.7, 1.3 },
    { "pwr(v(1),v(2))", -0.7, 1.3 },
    { "1*{v(1)%v(2)}", 2.7, 1.1 },
    { "1*{v(1)\\v(2)}", 2.7, 1.1 },
    { "v(1)==v(2)", 0.7, 0.3 },
    { "v(1)!=v(2)", 0.7, 0.3 },
    { "v(1)<v(2)", 0.7, 0.3 },
    { "v(1)<=v(2)", 0.7, 0.3 },
    { "v(1)>v(2)", 0.7, 0.3 },
    { "v(1)>=v(2)", 0.7, 0.3 },
    { "v(1)&&v(2)", 0.7, 0.3 },
    { "v(1)||v(2)", 0.7, 0.3 },
    { "v(1)>0.5 ? v(1)*v(2) : sin(v(2))", 0.7, 0.3 },
    { "v(1)>0.9 ? v(1)*v(2) : sin(v(2))", 0.7, 0.3 },
    { "if(v(1),v(2)^2,1)", 0.7, 0.3 },
    { "abs(v(1))", -0.7, 0.0 },
    { "sgn(v(1))", -0.7, 0.0 },
    { "sqrt(v(1))", 0.7, 0.0 },
    { "sqr(v(1))", 0.7, 0.0 },
    { "exp(v(1))", 0.7, 0.0 },
    { "ln(v(1))", 0.7, 0.0 },
    { "log(v(1))", 0.7, 0.0 },
    { "log10(v(1))", 0.7, 0.0 },
    { "sin(v(1))", 0.7, 0.0 },
    { "cos(v(1))", 0.7, 0.0 },
    { "tan(v(1))", 0.7, 0.0 },
    { "asin(v(1))", 0.7, 0.0 },
    { "acos(v(1))", 0.7, 0.0 },
    { "atan(v(1))", 0.7, 0.0 },
    { "arctan(v(1))", 0.7, 0.0 },
    { "sinh(v(1))", 0.7, 0.0 },
    { "cosh(v(1))", 0.7, 0.0 },
    { "tanh(v(1))", 0.7, 0.0 },
    { "asinh(v(1))", 0.7, 0.0 },
    { "acosh(v(1))", 1.7, 0.0 },
    { "atanh(v(1))", 0.7, 0.0 },
    { "min(v(1),v(2))", 0.7, 0.3 },
    { "min(v(1),v(2))", 0.3, 0.7 },
    { "max(v(1),v(2))", 0.7, 0.3 },
    { "max(v(1),v(2))", 0.3, 0.7 },
    { "ceil(v(1))", 0.7, 0.0 },
    { "floor(v(1))", 0.7, 0.0 },
    { "nint(v(1))", 0.7, 0.0 },
    { "int(v(1))", 1.7, 0.0 },
    { "u(v(1))", 0.7, 0.0 },
    { "u2(v(1))", 0.7, 0.0 },
    { "u2(v(1))", 1.7, 0.0 },
    { "uramp(v(1))", 0.7, 0.0 },
    { "uramp(v(1))", -0.7, 0.0 },
    { "pwl(v(1),0,0,1,2,2,1)", 0.7, 0.0 },
    { "pwl(v(1),0,0,1,2,2,1)", 1.7, 0.0 },
    { "pwl(v(1),0,0,1,2,2,1)", -1.7, 0.0 },
    { "pwl(v(1),0,0,1,2,2,1)", 3.7, 0.0 },
    { "exp(-sqr(v(1)-v(2)))*sin(v(1)*v(2))/(1+v(2)^2)", 0.7, 0.3 },
};

static void slope_is_the_limit_of_differences(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof smooth / sizeof *smooth; i++) {
        const double h = 1e-6, x = smooth[i].x, y = smooth[i].y;
        yk_netlist *net = read_behaviour(smooth[i].expr);
        const yk_net_expr *e = element(net, "b1")->expr;
        const outcome at = evaluate(e, 0.25, x, y);
        const double by_x = (evaluate(e, 0.25, x + h, y).value -
                             evaluate(e, 0.25, x - h, y).value) /
                            (2.0 * h);
        const double by_y = (evaluate(e, 0.25, x, y + h).value -
                             evaluate(e, 0.25, x, y - h).value) /
                            (2.0 * h);
        if (fabs(at.slope[0] - by_x) > 1e-8 * (1.0 + fabs(by_x)) ||
            fabs(at.slope[1] - by_y) > 1e-8 * (1.0 + fabs(by_y)))
            fail_msg("%s: slopes %.12g %.12g, differences %.12g %.12g",
                     smooth[i].expr, at.slope[0], at.slope[1], by_x, by_y);
        yk_netlist_free(net);
    }
}

static void difference_of_two_nodes_is_one_variable(void **state)
{
    yk_netlist *net = read_text("t\nb1 c 0 v=v(a,b)^2*time + i(vs) + v(a,b)\n"
                                "r1 a b 1\nvs a 0 1\nr2 c 0 1\n.end\n");
    const yk_net_expr *e = element(net, "b1")->expr;
    const double var[2] = { 3.0, 5.0 };
    double value, slope[2], work[16];
    (void)state;

    assert_int_equal(e->vars, 2);
    assert_true(e->uses_time);
    assert_string_equal(net->node[e->var[0].a], "a");
    assert_string_equal(net->node[e->var[0].b], "b");
    assert_true(e->var[1].is_current);
    assert_int_equal(e->var[1].a, yk_net_find_element(net, "vs"));
    assert_true(yk_net_expr_work(e) <= 16);
    yk_net_expr_eval(e, 2.0, var, &value, slope, work);
    CHECK_NEAR(value, 18.0 + 5.0 + 3.0, 0.0);
    CHECK_NEAR(slope[0], 12.0 + 1.0, 0.0);
    CHECK_NEAR(slope[1], 1.0, 0.0);
    yk_netlist_free(net);
}

/* As functions of time whose variables are not known. */
static yk_breaks *breaks_of(const yk_net_expr *e)
{
    yoke_err err;
    yk_breaks *breaks = NULL;

    CHECK_OK(yk_breaks_add(&breaks, e->steps, e->step, &err), &err);
    return breaks;
}

static void check_breaks(const char *expr, const double *want, int count)
{
    yk_netlist *net = read_behaviour(expr);
    const yk_net_expr *e = element(net, "b1")->expr;
    yk_breaks *b = breaks_of(e);
    double t = 0.0;

    for (int i = 0; i < count; i++) {
        t = yk_breaks_after(b, t, INFINITY);
        CHECK_NEAR(t, want[i], 1e-15);
    }
    t = yk_breaks_after(b, t, INFINITY);
    if (!isinf(t)) fail_msg("%s has one more break at %g", expr, t);
    yk_breaks_free(b);
    yk_netlist_free(net);
}

static void corners_in_time_are_known(void **state)
{
    (void)state;
    check_breaks("sin(time)*v(1)", NULL, 0);
    check_breaks("pwl(time,0,0,1m,1,2m,0)", (double[]){ 1e-3, 2e-3 }, 2);
    check_breaks("u(time-3m)*v(1)", (double[]){ 3e-3 }, 1);
    check_breaks("2*time > 1m ? v(1) : 0", (double[]){ 5e-4 }, 1);
    check_breaks("max(time, 4m)", (double[]){ 4e-3 }, 1);
    check_breaks("uramp(1m-time)-uramp(2m-time/2)", (double[]){ 1e-3, 4e-3 },
                 2);
    check_breaks("u2(time/2m)", (double[]){ 2e-3 }, 1);
    check_breaks("abs(-(time-5m))", (double[]){ 5e-3 }, 1);
}

/* Operands of time alone that are no straight lines; `repeat`: the same again
 * each second, up to 10 s. */
static void check_switches(const char *expr, const double *want, int count,
                           bool repeat)
{
    yk_netlist *net = read_behaviour(expr);
    const yk_net_expr *e = element(net, "b1")->expr;
    yk_breaks *b = breaks_of(e);
    double t = 0.0;

    for (int i = 0; i < (repeat ? 10 : 1) * count; i++) {
        t = yk_breaks_after(b, t, 10.0);
        CHECK_NEAR(t, want[i % count] + i / count, 1e-12);
    }
    t = yk_breaks_after(b, t, 10.0);
    if (!isinf(t)) fail_msg("%s has one more break at %.15g", expr, t);
    yk_breaks_free(b);
    yk_netlist_free(net);
}

static void switches_in_time_are_found(void **state)
{
    const double pi = acos(-1.0);
    const double up = asin(0.99) / (2.0 * pi), down = 0.5 - up;
    const double tip = acos(0.9999) / (2.0 * pi);
    (void)state;

    check_switches("sin(6.283185307179586*time) > 0.99 ? v(1) : 0",
                   (double[]){ up, down }, 2, true);
    /* 4.5 ms wide */
    check_switches("u(cos(6.283185307179586*(time-0.4))-0.9999)",
                   (double[]){ 0.4 - tip, 0.4 + tip }, 2, true);
    check_switches("(time-2)^2 < 1e-8 ? 5 : v(1)",
                   (double[]){ 2.0 - 1e-4, 2.0 + 1e-4 }, 2, false);
    check_switches("exp(-((time-3)/1u)^2) > exp(-1) ? 1 : 0",
                   (double[]){ 3.0 - 1e-6, 3.0 + 1e-6 }, 2, false);
    check_switches("max(2, exp(time))", (double[]){ log(2.0) }, 1, false);
    check_switches("floor(sqrt(time))", (double[]){ 1.0, 4.0, 9.0 }, 3, false);
    check_switches("pwl(time*time, 1,0, 4,1, 9,0)", (double[]){ 1.0, 2.0, 3.0 },
                   3, false);
    check_switches("abs(abs(time-2)-1)", (double[]){ 1.0, 2.0, 3.0 }, 3, false);
    check_switches("sgn(time^3-8)*v(1)", (double[]){ 2.0 }, 1, false);
    /* What rests at its level does not switch there, nor what touches it. */
    check_switches("(time-2)^2 < 0 ? 1 : 0", NULL, 0, false);
    check_switches("exp(-(time-2)^2) > 1 ? 5 : 3", NULL, 0, false);
    check_switches("abs(max(0, time-3))", (double[]){ 3.0 }, 1, false);
    check_switches("sin(time)*exp(-time)*v(1)", NULL, 0, false);
    check_switches("v(1)*sin(time) > 0.5 ? 1 : 0", NULL, 0, false);
}

/* An instant early in a long run is as exact as its own digits, and it is found
 * from however near: steppers ask whether they stand at one. */
static void switches_are_exact_to_rounding(void **state)
{
    yk_netlist *net = read_behaviour("sin(2k*time) > 0.3 ? 1 : 0");
    const yk_net_expr *e = element(net, "b1")->expr;
    yk_breaks *b = breaks_of(e);
    const double exact = asin(0.3) / 2e3, digit = 4e-16 * exact;
    (void)state;

    const double t = yk_breaks_after(b, 0.0, 100.0);
    CHECK_NEAR(t, exact, digit);
    CHECK_NEAR(evaluate(e, t + 8 * digit, 0.0, 0.0).value, 1.0, 0.0);
    CHECK_NEAR(evaluate(e, t - 8 * digit, 0.0, 0.0).value, 0.0, 0.0);
    CHECK_NEAR(yk_breaks_after(b, t - 8 * digit, 100.0), t, digit);
    const double next = yk_breaks_after(b, t, 100.0);
    CHECK_NEAR(next, acos(-1.0) / 2e3 - exact, 1e-15 * next);
    yk_breaks_free(b);
    yk_netlist_free(net);
}

/* Near the top of a sine, and in a difference of large numbers, roundings show
 * the wrong branch for many digits of time around the instant. */
static void values_beside_a_switch_are_those_of_their_side(void **state)
{
    static const char *const list[] = {
        "sin(6.2831853k*time) > 0.9999 ? 1 : 0",
        "sin(6.2831853k*time) > 1-1e-12 ? 1 : 0",
        "1-4k*time < 1-1e-10 ? 1 : 0",
        "time + 1e6 > 1e6 + 1m ? 1 : 0",
        "u(sin(time)^2 - 0.999999)",
    };
    (void)state;

    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        yk_netlist *net = read_behaviour(list[k]);
        const yk_net_expr *e = element(net, "b1")->expr;
        yk_breaks *b = breaks_of(e);
        const double t = yk_breaks_after(b, 0.0, 100.0);
        (void)yk_breaks_after(b, t, 100.0);
        for (int side = -1; side <= 1; side += 2)
            for (int j = 2; j < 4096; j++) {
                const double at = t * (1.0 + side * j * DBL_EPSILON);
                const double moved = yk_breaks_beside(b, at);
                CHECK_NEAR(evaluate(e, moved, 0.0, 0.0).value, side > 0, 0.0);
                CHECK_NEAR(moved, at, 1e-4 * t);
            }
        assert_true(yk_breaks_beside(b, 0.5 * t) == 0.5 * t);
        yk_breaks_free(b);
        yk_netlist_free(net);
    }
}

static void a_staircase_breaks_for_ever(void **state)
{
    yk_netlist *net = read_behaviour("floor(1k*time)+nint(1k*time)");
    const yk_net_expr *e = element(net, "b1")->expr;
    yk_breaks *b = breaks_of(e);
    double t = 0.0;
    (void)state;

    for (int k = 1; k <= 2000; k++) {
        t = yk_breaks_after(b, t, INFINITY);
        CHECK_NEAR(t, 0.5e-3 * k, 1e-12);
    }
    t = yk_breaks_after(b, 1e6, INFINITY);
    CHECK_BETWEEN(t, 1e6 + 1e-10, 1e6 + 0.6e-3);
    yk_breaks_free(b);
    yk_netlist_free(net);
}

static void functions_of_functions_keep_exact_slopes(void **state)
{
    yk_netlist *net =
        read_text("t\n.func sq(x) {x*x}\n.func f(a,b) {sq(a)+sq(sq(b))*k}\n"
                  ".param k=2\n"
                  ".param h(x)={3*x}\n"
                  "b1 3 0 v=f(v(1), v(2)) + h(1)\nr1 1 0 1\nr2 2 0 1\n"
                  "r3 3 0 {f(1,h(1))}\n.end\n");
    const outcome at = evaluate(element(net, "b1")->expr, 0.0, 3.0, 0.5);
    (void)state;

    CHECK_NEAR(at.value, 9.0 + 2.0 * 0.0625 + 3.0, 1e-15);
    CHECK_NEAR(at.slope[0], 6.0, 1e-15);
    CHECK_NEAR(at.slope[1], 8.0 * 0.125, 1e-15);
    CHECK_NEAR(param(element(net, "r3"), "value"), 163.0, 1e-12);
    yk_netlist_free(net);
}

static void evaluation_does_not_allocate(void **state)
{
    yk_netlist *net = read_behaviour("exp(v(1))*pwl(v(2),0,0,1,1)+floor(time)");
    const yk_net_expr *e = element(net, "b1")->expr;
    yk_breaks *b = breaks_of(e);
    double var[2] = { 0.3, 0.4 }, value, slope[2], work[32];
    (void)state;

    assert_true(yk_net_expr_work(e) <= 32);
    fault_allocator(0);
    yk_net_expr_eval(e, 0.1, var, &value, slope, work);
    yk_breaks_after(b, 0.1, 1.0);
    assert_int_equal(fault_requests(), 0);
    fault_restore();
    yk_breaks_free(b);
    yk_netlist_free(net);
}

static void table_is_that_of_ngspice(void **state)
{
    yk_netlist *net =
        read_text("t\ne1 3 0 table {v(1)-v(2)} = (-1,-5) (0,0) (2,8)\n"
                  "r1 1 0 1\nr2 2 0 1\nr3 3 0 1\n.end\n");
    const yk_net_expr *e = element(net, "e1")->expr;
    const double x[] = { -9.0, -0.5, 1.0, 7.0, 0.0, 2.0, -1.1, 0.1, 1.9 };
    const double want[] = { -5.0,   -2.5, 4.0,  8.0, /* ngspice: */
                            -0.025, 7.8,  -5.0, 0.4, 7.55 };
    const double slope[] = { 0.0, 5.0, 4.0, 0.0, 4.5, 2.0, 0.0, 4.0, 3.0 };
    (void)state;

    for (int i = 0; i < 9; i++) {
        const outcome at = evaluate(e, 0.0, x[i], 0.0);
        CHECK_NEAR(at.value, want[i], 1e-14);
        CHECK_NEAR(at.slope[0], slope[i], 1e-13);
        CHECK_NEAR(at.slope[1], -slope[i], 1e-13);
    }
    yk_netlist_free(net);
}

static void straight_functions_are_known(void **state)
{
    static const char *const straight[] = {
        "3*v(1)-v(2)/4+1",   "2*(v(1)+(-v(2)))*3",      "sin(7*time)",
        "time*time+v(1)",    "time>1?3:exp(-time)",     "5",
        "v(1)-2*(3>2?1:-1)", "v(2)*pow(2,3)+cos(time)",
    };
    static const char *const curved[] = {
        "v(1)*v(2)",  "time*v(1)",     "1/(1+v(1))",     "max(v(1),0)",
        "v(1)>0?1:2", "time>1?v(1):0", "v(1)^2",         "abs(v(1))",
        "v(1)/time",  "time>1?0:v(1)", "min(time,v(1))", "1?v(1):v(2)",
    };
    (void)state;

    for (size_t i = 0; i < sizeof straight / sizeof *straight; i++) {
        yk_netlist *net = read_behaviour(straight[i]);
        assert_true(yk_net_expr_is_affine(element(net, "b1")->expr));
        yk_netlist_free(net);
    }
    for (size_t i = 0; i < sizeof curved / sizeof *curved; i++) {
        yk_netlist *net = read_behaviour(curved[i]);
        assert_false(yk_net_expr_is_affine(element(net, "b1")->expr));
        yk_netlist_free(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_ngspice),
        cmocka_unit_test(slope_is_the_limit_of_differences),
        cmocka_unit_test(difference_of_two_nodes_is_one_variable),
        cmocka_unit_test(corners_in_time_are_known),
        cmocka_unit_test(values_beside_a_switch_are_those_of_their_side),
        cmocka_unit_test(a_staircase_breaks_for_ever),
        cmocka_unit_test(switches_in_time_are_found),
        cmocka_unit_test(switches_are_exact_to_rounding),
        cmocka_unit_test(functions_of_functions_keep_exact_slopes),
        cmocka_unit_test(evaluation_does_not_allocate),
        cmocka_unit_test(table_is_that_of_ngspice),
        cmocka_unit_test(straight_functions_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
