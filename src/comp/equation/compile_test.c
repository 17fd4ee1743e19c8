/* comp/equation/compile_test.c -- from flat models to subsystems. */
#define _XOPEN_SOURCE 700
#include "comp/equation/compile_fixture.h"
#include "sys/call.h"

#include <unistd.h>

/* ---- Models ------------------------------------------------------------- */

/* m der(v) = -k x - d v + F;  der(x) = v. */
static fixture oscillator(void)
{
    fixture f = fixture_create();
    const int x = unknown(&f, "x", 0, 2, 1.0), v = unknown(&f, "v", 0, 3, 0.0);
    const int F = variable(&f, "F", YK_FLAT_INPUT, 0, 4, 0.0);

    equation(&f, der(&f, x), ref(&f, v), 6);
    equation(&f, mul(&f, num(&f, 2.0), der(&f, v)),
             sub(&f, ref(&f, F),
                 add(&f, mul(&f, num(&f, 3.0), ref(&f, x)),
                     mul(&f, num(&f, 0.5), ref(&f, v)))),
             7);
    return f;
}

static void linear_equations_become_charges(void **state)
{
    fixture f = oscillator();
    yoke_equation_report report;
    yoke_system *s = both(&f, &report);
    const yoke_system_info *info = yoke_system_facts(s);
    const double x[2] = { 1.0, 2.0 }, u[1] = { 5.0 };
    double q[2], g[2];
    (void)state;

    assert_int_equal(info->n, 2);
    assert_int_equal(info->m, 1);
    assert_int_equal(info->p, 2);
    assert_true(info->flags & YOKE_AFFINE);
    assert_false(yk_system_has_rhs(s)); /* q is not x */
    CHECK_OK(yoke_system_eval(s, 0.0, x, u, q, g, NULL), NULL);
    CHECK_NEAR(q[0], 1.0, 0.0);
    CHECK_NEAR(q[1], 4.0, 0.0);
    CHECK_NEAR(g[0], -2.0, 0.0);
    CHECK_NEAR(g[1], 3.0 + 1.0 - 5.0, 0.0);
    assert_string_equal(info->x_name[1], "v");
    assert_string_equal(info->u_name[0], "F");
    assert_string_equal(info->eq_name[1], "model.mo:7");
    assert_int_equal(report.index, 0);
    assert_int_equal(report.states, 2);
    CHECK_NEAR(info->x0[0], 1.0, 0.0);
    yoke_system_free(s);
    yk_flat_free(f.flat);
}

/* der(x[i]) = expression k of x for every function. */
static fixture all_functions(void)
{
    static const yk_op unary[] = {
        YK_OP_NEGATE, YK_OP_NOT,  YK_OP_ABS,   YK_OP_SIGN, YK_OP_SQRT,
        YK_OP_EXP,    YK_OP_LOG,  YK_OP_LOG10, YK_OP_SIN,  YK_OP_COS,
        YK_OP_TAN,    YK_OP_ASIN, YK_OP_ACOS,  YK_OP_ATAN, YK_OP_SINH,
        YK_OP_COSH,   YK_OP_TANH, YK_OP_FLOOR, YK_OP_CEIL,
    };
    static const yk_op binary[] = {
        YK_OP_ADD,  YK_OP_SUBTRACT,   YK_OP_MULTIPLY, YK_OP_DIVIDE, YK_OP_POWER,
        YK_OP_LESS, YK_OP_LESS_EQUAL, YK_OP_EQUAL,    YK_OP_AND,    YK_OP_OR,
        YK_OP_MIN,  YK_OP_MAX,        YK_OP_ATAN2,
    };
    enum {
        U = sizeof unary / sizeof *unary,
        B = sizeof binary / sizeof *binary
    };
    fixture f = fixture_create();
    const double row[] = { -1.0, 0.5, 0.2, 1.0, 0.9, 3.0, 4.0, 3.5 };
    const int x = unknown(&f, "x", U + B + 3, 2, 0.42);
    const int T = table(&f, "T", 8, row);

    for (int i = 0; i < U; i++)
        equation(&f, der_el(&f, x, i, 0),
                 op1(&f, unary[i], el(&f, x, (i + 1) % U, 0)), 10 + i);
    for (int i = 0; i < B; i++)
        equation(&f, der_el(&f, x, U + i, 0),
                 op2(&f, binary[i], el(&f, x, i, 0), el(&f, x, i + 2, 0)),
                 50 + i);
    equation(&f, der_el(&f, x, U + B, 0),
             op3(&f, YK_OP_IF,
                 op2(&f, YK_OP_LESS, el(&f, x, 0, 0), el(&f, x, 1, 0)),
                 op1(&f, YK_OP_SIN, el(&f, x, 2, 0)),
                 mul(&f, el(&f, x, 3, 0), el(&f, x, 3, 0))),
             80);
    equation(&f, der_el(&f, x, U + B + 1, 0),
             interpolate(&f, T, mul(&f, num(&f, 1.5), el(&f, x, 4, 0))), 81);
    equation(&f, der_el(&f, x, U + B + 2, 0),
             op2(&f, YK_OP_POWER, el(&f, x, 4, 0), num(&f, 2.5)), 82);
    return f;
}

static void every_function_has_its_derivative(void **state)
{
    fixture f = all_functions();
    yoke_equation_report report;
    (void)state;
    yoke_system_free(both(&f, &report));
    yk_flat_free(f.flat);
}

/* der(T[i]) = (T[i-1] - 2 T[i] + T[i+1]) + a T[i]^4, ends given. */
static fixture rod(int n)
{
    fixture f = fixture_create();
    const int T = unknown(&f, "T", n, 2, 1.0);

    equation(&f, der_el(&f, T, 0, 0), sub(&f, el(&f, T, 1, 0), el(&f, T, 0, 0)),
             5);
    loop(&f, der_el(&f, T, 0, 1),
         add(&f,
             add(&f,
                 sub(&f, el(&f, T, -1, 1),
                     mul(&f, num(&f, 2.0), el(&f, T, 0, 1))),
                 el(&f, T, 1, 1)),
             mul(&f, num(&f, -0.1),
                 op2(&f, YK_OP_POWER, el(&f, T, 0, 1), num(&f, 4.0)))),
         n - 2, 1, 6);
    equation(&f, der_el(&f, T, n - 1, 0),
             sub(&f, el(&f, T, n - 2, 0), el(&f, T, n - 1, 0)), 7);
    return f;
}

static void a_rod_of_a_thousand_stays_a_loop(void **state)
{
    fixture f = rod(1000);
    yoke_equation_report report;
    yoke_system *s = both(&f, &report);
    const yoke_system_info *info = yoke_system_facts(s);
    (void)state;

    assert_int_equal(report.equations, 1000);
    assert_int_equal(yoke_pattern_count(info->G), 3 * 1000 - 2);
    assert_string_equal(info->x_name[2], "T[3]");
    assert_string_equal(info->eq_name[2], "model.mo:6 [2]");
    assert_false(info->flags & YOKE_AFFINE);
    yoke_system_free(s);
    yk_flat_free(f.flat);
}

/* y = a c + x^2 with c = 3, z = -y, w = z; der(x) = -w. */
static fixture aliases(void)
{
    fixture f = fixture_create();
    const int x = unknown(&f, "x", 0, 2, 0.5), y = unknown(&f, "y", 0, 3, 0.0);
    const int z = unknown(&f, "z", 0, 4, 0.0), w = unknown(&f, "w", 0, 5, 0.0);
    const int c = unknown(&f, "c", 0, 6, 0.0);

    equation(&f, der(&f, x), op1(&f, YK_OP_NEGATE, ref(&f, w)), 10);
    equation(&f, ref(&f, z), op1(&f, YK_OP_NEGATE, ref(&f, y)), 11);
    equation(&f, ref(&f, w), ref(&f, z), 12);
    equation(&f, mul(&f, num(&f, 2.0), ref(&f, c)), num(&f, 6.0), 13);
    equation(&f,
             sub(&f,
                 add(&f, mul(&f, ref(&f, c), ref(&f, y)),
                     op1(&f, YK_OP_EXP, ref(&f, w))),
                 mul(&f, ref(&f, x), ref(&f, x))),
             num(&f, 0.0), 14);
    return f;
}

static void aliases_and_constants_are_eliminated(void **state)
{
    fixture f = aliases();
    yoke_equation_report report;
    yoke_system *s = both(&f, &report);
    const yoke_system_info *info = yoke_system_facts(s);
    double y[5];
    (void)state;

    assert_int_equal(report.eliminated, 3);
    assert_int_equal(report.unknowns, 5);
    assert_int_equal(report.index, 1);
    assert_int_equal(info->n, 2);
    assert_int_equal(info->p, 5);
    CHECK_OK(yoke_system_output(s, 0.0, info->x0, NULL, y, NULL), NULL);
    CHECK_NEAR(y[4], 3.0, 0.0);
    CHECK_NEAR(y[2], -y[1], 0.0);
    CHECK_NEAR(y[3], -y[1], 0.0);
    CHECK_NEAR(3.0 * y[1] + exp(-y[1]) - 0.25, 0.0, 1e-12); /* consistent */
    yoke_system_free(s);
    yk_flat_free(f.flat);
}

/* a[i] = b[i] for all i, but b[1] = 2 and der(b[i]) = -a[i] otherwise. */
static void loops_may_lose_some_rounds(void **state)
{
    fixture f = fixture_create();
    yoke_equation_report report;
    const int a = unknown(&f, "a", 5, 2, 1.0), b = unknown(&f, "b", 5, 3, 1.0);
    const int c = unknown(&f, "c", 5, 4, 1.0);
    (void)state;

    loop(&f, el(&f, a, 0, 1), el(&f, b, 0, 1), 5, 0, 10);
    equation(&f, el(&f, b, 0, 0), num(&f, 2.0), 11);
    loop(
        &f, der_el(&f, b, 0, 1),
        mul(&f, el(&f, a, -1, 1),
            op1(&f, YK_OP_NEGATE, mul(&f, el(&f, a, 0, 1), loop_index(&f, 0)))),
        4, 1, 12);
    loop(&f, el(&f, c, 0, 1),
         mul(&f, el(&f, a, 0, 1), op1(&f, YK_OP_SIN, el(&f, b, 0, 1))), 5, 0,
         13);
    yoke_system *s = both(&f, &report);
    assert_int_equal(report.eliminated, 6);
    assert_int_equal(yoke_system_facts(s)->n, 9);
    yoke_system_free(s);
    yk_flat_free(f.flat);
}

static void wrong_structure_is_named(void **state)
{
    fixture f = fixture_create();
    const int x = unknown(&f, "x", 0, 2, 0.0), y = unknown(&f, "y", 0, 3, 0.0);
    const int z = unknown(&f, "z", 0, 4, 0.0);
    (void)state;

    equation(&f, der(&f, x), mul(&f, ref(&f, x), ref(&f, x)), 10);
    equation(&f, ref(&f, x), mul(&f, num(&f, 2.0), now(&f)), 11);
    equation(&f, add(&f, ref(&f, y), mul(&f, ref(&f, z), ref(&f, z))),
             num(&f, 3.0), 12);
    refused(&f, "not determined: y (line 3), z (line 4), occurring only in "
                "model.mo:12");
    refused(&f, "too many equations: model.mo:11, model.mo:10 for x (line 2)");
    yk_flat_free(f.flat);

    f = fixture_create();
    unknown(&f, "a", 0, 2, 0.0);
    refused(&f, "a (line 2), in no equation; write an equation");
    yk_flat_free(f.flat);

    f = fixture_create();
    const int a = unknown(&f, "a", 0, 2, 0.0), b = unknown(&f, "b", 0, 2, 0.0);
    equation(&f, ref(&f, a), ref(&f, b), 5);
    equation(&f, op1(&f, YK_OP_NEGATE, ref(&f, b)),
             op1(&f, YK_OP_NEGATE, ref(&f, a)), 6);
    refused(&f, "model.mo:6: repeats");
    yk_flat_free(f.flat);

    f = fixture_create();
    const int v = unknown(&f, "v", 3, 2, 0.0);
    loop(&f, der_el(&f, v, 0, 1), el(&f, v, 1, 1), 3, 0, 7);
    refused(&f, "model.mo:7: element 4 of v, which has 3");
    yk_flat_free(f.flat);
}

/* der(u) of an input: linear is a charge, anything else an unknown. */
static void derivatives_of_inputs(void **state)
{
    fixture f = fixture_create();
    yoke_equation_report report;
    int u = variable(&f, "u", YK_FLAT_INPUT, 0, 1, 0.0);
    int x = unknown(&f, "x", 0, 2, 0.0);
    (void)state;

    equation(&f, add(&f, der(&f, x), mul(&f, num(&f, 3.0), der(&f, u))),
             op1(&f, YK_OP_NEGATE, ref(&f, x)), 5);
    yoke_system *s = both(&f, &report);
    const double xv = 1.0, uv = 2.0;
    double q;
    CHECK_OK(yoke_system_eval(s, 0.0, &xv, &uv, &q, NULL, NULL), NULL);
    CHECK_NEAR(q, 7.0, 0.0);
    yoke_system_free(s);
    yk_flat_free(f.flat);

    f = fixture_create();
    u = variable(&f, "u", YK_FLAT_INPUT, 0, 1, 0.0);
    x = unknown(&f, "x", 0, 2, 0.0);
    equation(&f, der(&f, x), op1(&f, YK_OP_SIN, der(&f, u)), 5);
    s = both(&f, &report);
    const yoke_system_info *info = yoke_system_facts(s);
    assert_int_equal(info->n, 2);
    assert_string_equal(info->x_name[1], "der(u)");
    const double both_x[2] = { 1.0, 0.5 };
    double both_q[2], both_f[2];
    CHECK_OK(yoke_system_eval(s, 0.0, both_x, &uv, both_q, both_f, NULL), NULL);
    CHECK_NEAR(both_q[1], 2.0, 0.0); /* d/dt u - d = 0 */
    CHECK_NEAR(both_f[1], -0.5, 0.0);
    CHECK_NEAR(both_f[0], -sin(0.5), 1e-15);
    yoke_system_free(s);
    yk_flat_free(f.flat);
}

/* x der(x) = -1, and z = der(x)^2: der(x) becomes an unknown. */
static void other_derivatives_become_unknowns(void **state)
{
    fixture f = fixture_create();
    yoke_equation_report report;
    const int x = unknown(&f, "x", 0, 2, 1.0), z = unknown(&f, "z", 0, 3, 0.0);
    double end[3];
    (void)state;

    equation(&f, mul(&f, ref(&f, x), der(&f, x)), num(&f, -1.0), 5);
    equation(&f, ref(&f, z), mul(&f, der(&f, x), der(&f, x)), 6);
    yoke_system *s = both(&f, &report);
    assert_int_equal(yoke_system_facts(s)->n, 3);
    assert_int_equal(find_x(s, "der(x)"), 2);
    CHECK_NEAR(yoke_system_facts(s)->x0[1], 1.0, 1e-12);
    integrate(s, 0.375, 1e-10, end); /* x = sqrt(1 - 2 t) */
    CHECK_NEAR(end[0], 0.5, 1e-8);
    CHECK_NEAR(end[1], 4.0, 1e-6);
    yoke_system_free(s);
    yk_flat_free(f.flat);
}

/* Initial equations der(x) = 0 and y = 2: steady state. */
static void initial_equations_are_solved(void **state)
{
    fixture f = fixture_create();
    yoke_equation_report report;
    const int x = unknown(&f, "x", 0, 2, 5.0), y = unknown(&f, "y", 0, 3, 1.0);
    const int a = unknown(&f, "a", 0, 4, 0.0);
    (void)state;

    equation(&f, der(&f, x), sub(&f, ref(&f, a), ref(&f, x)), 5);
    equation(&f, der(&f, y), op1(&f, YK_OP_NEGATE, ref(&f, y)), 6);
    equation(&f, ref(&f, a), mul(&f, ref(&f, y), ref(&f, y)), 7);
    initial(&f, der(&f, x), num(&f, 0.0), 9);
    initial(&f, mul(&f, ref(&f, y), num(&f, 3.0)), num(&f, 6.0), 10);
    yoke_system *s = both(&f, &report);
    const double *x0 = yoke_system_facts(s)->x0;
    CHECK_NEAR(x0[0], 4.0, 1e-12);
    CHECK_NEAR(x0[1], 2.0, 1e-12);
    CHECK_NEAR(x0[2], 4.0, 1e-12);
    yoke_system_free(s);

    initial(&f, ref(&f, x), num(&f, 1.0), 11);
    refused(&f, "model.mo:11 contradicts the others");
    yk_flat_free(f.flat);
}

/* A fixed algebraic start value moves the state instead. */
static void fixed_start_values_are_kept(void **state)
{
    fixture f = fixture_create();
    yoke_equation_report report;
    const int x = unknown(&f, "x", 0, 2, 1.0), y = unknown(&f, "y", 0, 3, 6.0);
    (void)state;

    fix(&f, y);
    equation(&f, der(&f, x), op1(&f, YK_OP_NEGATE, ref(&f, y)), 5);
    equation(&f, ref(&f, y), mul(&f, num(&f, 2.0), ref(&f, x)), 6);
    yoke_system *s = both(&f, &report);
    CHECK_NEAR(yoke_system_facts(s)->x0[0], 3.0, 1e-12);
    CHECK_NEAR(yoke_system_facts(s)->x0[1], 6.0, 0.0);
    yoke_system_free(s);
    fix(&f, x); /* leaks nothing: x had none */
    refused(&f, "is fixed");
    yk_flat_free(f.flat);
}

/* Loop over a parameter array and a function of time. */
static void tables_and_times(void **state)
{
    fixture f = fixture_create();
    yoke_equation_report report;
    const double k[] = { 1.0, 2.0, 3.0 };
    const double row[] = { 0.0, 0.0, 1.5, 3.0, 2.0, 3.0 };
    const int K = table(&f, "k", 3, k), R = table(&f, "r", 6, row);
    const int x = unknown(&f, "x", 3, 2, 1.0), z = unknown(&f, "z", 0, 3, 0.0);
    double end[4];
    (void)state;

    loop(&f, mul(&f, el(&f, K, 0, 1), der_el(&f, x, 0, 1)),
         op1(&f, YK_OP_NEGATE, mul(&f, el(&f, K, 0, 1), el(&f, x, 0, 1))), 3, 0,
         5);
    equation(
        &f, der(&f, z),
        add(&f, interpolate(&f, R, now(&f)),
            op3(&f, YK_OP_IF, op2(&f, YK_OP_LESS_EQUAL, num(&f, 1.0), now(&f)),
                num(&f, 10.0), num(&f, 0.0))),
        6);
    yoke_system *s = both(&f, &report);
    assert_true(yoke_system_facts(s)->flags & YOKE_AFFINE);
    CHECK_NEAR(yk_system_next_break(s, 0.5), 1.0, 0.0);
    CHECK_NEAR(yk_system_next_break(s, 1.0), 1.5, 0.0);
    CHECK_NEAR(yk_system_next_break(s, 1.5), 2.0, 0.0);
    assert_true(isinf(yk_system_next_break(s, 2.0)));
    integrate(s, 0.9, 1e-9, end);
    CHECK_NEAR(end[2], exp(-0.9), 1e-8);
    CHECK_NEAR(end[3], 0.81, 1e-8);
    yoke_system_free(s);
    yk_flat_free(f.flat);
}

static void events_without_actions_are_none(void **state)
{
    fixture f = oscillator();
    yk_flat_event e = { .line = 33 };
    yoke_equation_report report;
    (void)state;

    e.condition = num(&f, 0.0);
    assert_int_equal(yk_flat_add_event(f.flat, &e, NULL), YOKE_OK);
    yoke_system *s = both(&f, &report);
    assert_int_equal(yoke_system_facts(s)->events, 0);
    yoke_system_free(s);
    yk_flat_free(f.flat);
}

/* ---- Code --------------------------------------------------------------- */

static void the_second_time_code_is_found(void **state)
{
    fixture f = rod(17);
    yoke_equation_report report;
    (void)state;

    yoke_system_free(compiled(&f, "cc", &report));
    assert_true(report.compiled);
    assert_false(report.cached);
    yoke_system_free(compiled(&f, "cc", &report));
    assert_true(report.compiled);
    assert_true(report.cached);
    yk_flat_free(f.flat);
}

static void without_a_compiler_models_are_interpreted(void **state)
{
    fixture f = oscillator();
    yoke_equation_report report;
    (void)state;

    yoke_system_free(compiled(&f, "no-such-compiler", &report));
    assert_false(report.compiled);
    CHECK_CONTAINS(report.text, "Interpreted: there is no C compiler "
                                "\"no-such-compiler\" in the PATH");
    yoke_system_free(compiled(&f, "false", &report));
    assert_false(report.compiled);
    CHECK_CONTAINS(report.text, "compiler false failed");
    yk_flat_free(f.flat);
}

/* ---- Memory ------------------------------------------------------------- */

static void allocations_fail_one_by_one(fixture (*make)(void),
                                        const char *compiler)
{
    const yoke_equation_options options = { .compiler = compiler,
                                            .cache = cache };

    compile_leaks_nothing(make, &options);
}

static fixture small_rod(void)
{
    return rod(4);
}

static void failing_memory_leaks_nothing(void **state)
{
    (void)state;
    allocations_fail_one_by_one(oscillator, NULL);
    allocations_fail_one_by_one(aliases, NULL);
    allocations_fail_one_by_one(small_rod, "cc"); /* is in the cache or not */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_equations_become_charges),
        cmocka_unit_test(every_function_has_its_derivative),
        cmocka_unit_test(a_rod_of_a_thousand_stays_a_loop),
        cmocka_unit_test(aliases_and_constants_are_eliminated),
        cmocka_unit_test(loops_may_lose_some_rounds),
        cmocka_unit_test(wrong_structure_is_named),
        cmocka_unit_test(derivatives_of_inputs),
        cmocka_unit_test(other_derivatives_become_unknowns),
        cmocka_unit_test(initial_equations_are_solved),
        cmocka_unit_test(fixed_start_values_are_kept),
        cmocka_unit_test(tables_and_times),
        cmocka_unit_test(events_without_actions_are_none),
        cmocka_unit_test(the_second_time_code_is_found),
        cmocka_unit_test(without_a_compiler_models_are_interpreted),
        cmocka_unit_test(failing_memory_leaks_nothing),
    };
    if (!mkdtemp(cache)) return 1;
    return cmocka_run_group_tests(tests, NULL, remove_cache);
}
