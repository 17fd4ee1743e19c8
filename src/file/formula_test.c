/* file/formula_test.c */
#include "check.h"

#include "file/formula.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads an equation and gives its value at t = 0.5, y = 2, 3, 5, ... */
static double at_primes(const char *text, yk_expr_kind kind)
{
    static const double y[] = { 2, 3, 5, 7, 11 };
    yk_formula f = { 0 };
    yoke_err err = { YOKE_OK, "" };
    size_t at = 0;
    int root = 0;

    CHECK_OK(yk_formula_equation(&f, text, &at, &root, &err), &err);
    CHECK_OK(yk_formula_end(text, at, &err), &err);
    assert_int_equal(yk_formula_kind(&f, root), kind);
    yk_formula_eval(&f, 0.5, y);
    const double value = f.value[root];
    yk_formula_clear(&f);
    return value;
}

static void refused(const char *text, size_t place, const char *message)
{
    yk_formula f = { 0 };
    yoke_err err = { YOKE_OK, "" };
    size_t at = 0;
    int root = 0;
    yoke_status status = yk_formula_equation(&f, text, &at, &root, &err);

    if (status == YOKE_OK) status = yk_formula_end(text, at, &err);
    CHECK_STATUS(status, YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, message);
    assert_int_equal(at, place);
    yk_formula_clear(&f);
}

static void precedence_is_the_usual_one(void **state)
{
    (void)state;
    CHECK_NEAR(at_primes("a.x - 2*b.y = 1", YK_KIND_LINEAR), -5.0, 0.0);
    CHECK_NEAR(at_primes("a.x - b.y - c.z = 0", YK_KIND_LINEAR), -6.0, 0.0);
    CHECK_NEAR(at_primes("a.x/b.y/2 = 0", YK_KIND_NONLINEAR), 2.0 / 3 / 2,
               1e-16);
    CHECK_NEAR(at_primes("-a.x^2 = 0", YK_KIND_NONLINEAR), -4.0, 0.0);
    CHECK_NEAR(at_primes("a.x^-1 = 0", YK_KIND_NONLINEAR), 0.5, 0.0);
    CHECK_NEAR(at_primes("2^a.x^b.y = 0", YK_KIND_NONLINEAR), 256.0, 0.0);
    CHECK_NEAR(at_primes("- - +a.x = -(b.y)", YK_KIND_LINEAR), 5.0, 0.0);
    CHECK_NEAR(at_primes("(a.x + b.y)*2 = a.x", YK_KIND_LINEAR), 8.0, 0.0);
}

static void functions_are_known(void **state)
{
    (void)state;
    CHECK_NEAR(at_primes("sin(a.x) = cos(b.y)", YK_KIND_NONLINEAR),
               sin(2.0) - cos(3.0), 0.0);
    CHECK_NEAR(at_primes("atan2(a.x, b.y) = max(a.x, b.y)", YK_KIND_NONLINEAR),
               atan2(2, 3) - 3, 0.0);
    CHECK_NEAR(at_primes("sign(-a.x) * abs(a.x) = sqrt(4)", YK_KIND_NONLINEAR),
               -4.0, 0.0);
    CHECK_NEAR(at_primes("pow(a.x, 3) = log10(100)", YK_KIND_NONLINEAR), 6.0,
               0.0);
}

static void classes_are_told_apart(void **state)
{
    (void)state;
    at_primes("1 = 2*pi", YK_KIND_NUMBER);
    at_primes("sin(2*pi*time) = time^2", YK_KIND_TIME);
    at_primes("a.x = time", YK_KIND_LINEAR);
    at_primes("3*(a.x - b.y)/sqrt(2) = exp(time)", YK_KIND_LINEAR);
    at_primes("time*a.x = 0", YK_KIND_NONLINEAR);
    at_primes("a.x*b.y = 0", YK_KIND_NONLINEAR);
    at_primes("1/a.x = 0", YK_KIND_NONLINEAR);
}

static void names_may_have_dots_subscripts_and_quotes(void **state)
{
    yk_formula f = { 0 };
    yoke_err err;
    size_t at = 0;
    int root = 0;
    const char *text = "a.p.v[ 2 , 3 ].q + b.'x - y' + a.p.v[2,3].q + \xc3\xa4";
    (void)state;
    CHECK_OK(yk_formula_expression(&f, text, &at, &root, &err), &err);
    assert_int_equal(f.variables, 3);
    assert_string_equal(f.name[0], "a.p.v[2,3].q");
    assert_string_equal(f.name[1], "b.'x - y'");
    assert_string_equal(f.name[2], "\xc3\xa4");
    assert_int_equal(f.place[1], 19);
    yk_formula_clear(&f);
}

static void weights_are_exact(void **state)
{
    yk_formula f = { 0 };
    yoke_err err;
    size_t at = 0;
    int root = 0;
    double weight[4], factor[64];
    const char *text =
        "b.y*2 - c.z/3 + 1.5e-3*d.w - (4 - 2*(b.y + e.q))/4 + time";
    (void)state;
    CHECK_OK(yk_formula_expression(&f, text, &at, &root, &err), &err);
    assert_true(f.program.steps <= 64);
    yk_formula_weights(&f, root, weight, factor);
    assert_true(weight[0] == 2.5);
    assert_true(weight[1] == -1.0 / 3.0);
    assert_true(weight[2] == 1.5e-3);
    assert_true(weight[3] == 0.5);
    yk_formula_clear(&f);
}

static void mistakes_are_found_at_their_place(void **state)
{
    (void)state;
    refused("a.x", 3, "\"=\" is expected");
    refused("a.x = ", 6, "ends too early");
    refused("a.x = *", 6, "instead of \"*\"");
    refused("a.x = 2 b.y", 8, "is an operator missing");
    refused("a.x = (1 + 2", 12, "closing");
    refused("a.x = sine(1)", 6, "is \"sin\" meant");
    refused("a.x = elephant(1)", 6, "no function \"elephant\"");
    refused("a.x = max(1)", 11, "two arguments");
    refused("a.x = sin(1, 2)", 11, "one argument");
    refused("a.x = min(1, 2, 3)", 14, "two arguments");
    refused("a.x[k] = 1", 4, "subscript is a number");
    refused("a.x[1 = 1", 6, "closed by ]");
    refused("a.'x = 1", 8, "quote");
    refused("a.x == 1", 5, "instead of \"=\"");
}

static void depth_and_length_are_limited(void **state)
{
    static char text[4000];
    (void)state;
    memset(text, '(', 3000);
    refused(text, 100, "nested");
    memset(text, '-', 3000);
    refused(text, 100, "nested");
    for (int i = 0; i < 1500; i++) memcpy(text + 2 * i, "2^", 2);
    refused(text, 200, "nested");
    memset(text, 'x', 3000);
    refused(text, 499, "at most");
}

/* A chain is as deep as it is long, but nothing recurses along it. */
static void long_chains_are_no_problem(void **state)
{
    enum { LINKS = 200000 };
    yk_formula f = { 0 };
    yoke_err err;
    size_t at = 0;
    int root = 0;
    double weight = 0.0;
    char *text = calloc(2 * LINKS + 2, 1);
    (void)state;
    for (int i = 0; i < LINKS; i++) memcpy(text + 2 * i, "x+", 2);
    text[2 * LINKS] = 'x';
    CHECK_OK(yk_formula_expression(&f, text, &at, &root, &err), &err);
    double *factor = calloc((size_t)f.program.steps, sizeof *factor);
    yk_formula_weights(&f, root, &weight, factor);
    assert_true(weight == LINKS + 1.0);
    free(factor);
    free(text);
    yk_formula_clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(precedence_is_the_usual_one),
        cmocka_unit_test(functions_are_known),
        cmocka_unit_test(classes_are_told_apart),
        cmocka_unit_test(names_may_have_dots_subscripts_and_quotes),
        cmocka_unit_test(weights_are_exact),
        cmocka_unit_test(mistakes_are_found_at_their_place),
        cmocka_unit_test(depth_and_length_are_limited),
        cmocka_unit_test(long_chains_are_no_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
