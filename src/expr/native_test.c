/* Tests of expr/native.h: generated code does what the lists do. */
#define _XOPEN_SOURCE 700

#include "expr/native.h"

#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VARIABLES = 3 };

static const double rows[] = { 0.0, 1.0, 1.0, 3.0 };

static int put(yk_expr_program *p, yk_expr_step step)
{
    int at = -1;

    assert_int_equal(yk_expr_append(p, step, &at, NULL), YOKE_OK);
    return at;
}

/* op(2 x, 0.3 y + t, z) times a number */
static void write_program(yk_expr_program *p, yk_op op, double factor)
{
    const int x =
        put(p, (yk_expr_step){ .op = YK_OP_VARIABLE, .arg = 0, .number = 2.0 });
    const int y =
        put(p, (yk_expr_step){ .op = YK_OP_VARIABLE, .arg = 1, .number = 0.3 });
    const int z =
        put(p, (yk_expr_step){ .op = YK_OP_VARIABLE, .arg = 2, .number = 1.0 });
    const int t = put(p, (yk_expr_step){ .op = YK_OP_TIME });
    const int b = put(p, (yk_expr_step){ .op = YK_OP_ADD, .a = y, .b = t });
    const int v = put(p, (yk_expr_step){ .op = op,
                                         .a = x,
                                         .b = b,
                                         .c = z,
                                         .table = rows,
                                         .arg = yk_op_is_table(op) ? 2 : 0 });
    const int k =
        put(p, (yk_expr_step){ .op = YK_OP_NUMBER, .number = factor });
    put(p, (yk_expr_step){ .op = YK_OP_MULTIPLY, .a = v, .b = k });
}

static void compare(const yk_compiled *c, int k, const yk_expr_program *p,
                    double t, const double *y)
{
    double v[16], bar[16], slope[VARIABLES], own[VARIABLES];

    yk_expr_values(p->step, p->steps, t, y, v);
    yk_expr_gradient(p->step, p->steps - 1, v, VARIABLES, slope, bar);
    const double value = yk_compiled_value(c, k, t, y, NULL);
    const double again = yk_compiled_value(c, k, t, y, own);
    for (int j = -1; j < VARIABLES; j++) {
        const double is = j < 0 ? value : own[j];
        const double be = j < 0 ? v[p->steps - 1] : slope[j];
        if (!(is <= be && is >= be) && !(isnan(is) && isnan(be)))
            fail_msg("operation %d, %d: %.17g instead of %.17g", k, j, is, be);
    }
    assert_memory_equal(&value, &again, sizeof value);
}

static void code_has_the_bits_of_the_lists(void **state)
{
    static char cache[] = "/tmp/yoke-native-XXXXXX";
    yk_expr_program p[YK_OP_COUNT];
    yk_source_program source[YK_OP_COUNT];
    yk_native_report report;
    yk_compiled *c = NULL;
    yoke_err err = { YOKE_OK, "" };

    (void)state;
    if (!mkdtemp(cache)) fail_msg("no folder");
    memset(p, 0, sizeof p);
    for (int op = 0; op < YK_OP_COUNT; op++) {
        const bool own = op >= YK_OP_NEGATE && op < YK_OP_HOLD;
        if (own) write_program(&p[op], (yk_op)op, 1.5);
        source[op] = (yk_source_program){ p[op].steps, p[op].step, VARIABLES };
    }
    const yk_native_options options = { .compiler = "cc", .scratch = cache };
    CHECK_OK(yk_compiled_create(&c, YK_OP_COUNT, source, INFINITY, &options,
                                &report, &err),
             &err);
    for (int op = 0; op < YK_OP_COUNT; op++) {
        assert_int_equal(yk_compiled_has(c, op),
                         source[op].steps > 0 && !yk_op_is_table((yk_op)op));
        for (int i = 0; yk_compiled_has(c, op) && i < 200; i++) {
            const double y[VARIABLES] = { sin(1.0 + i), cos(3.0 * i),
                                          sin(7.0 * i) };
            compare(c, op, &p[op], 0.1 * (i % 5), y);
        }
        yk_expr_clear(&p[op]);
    }
    yk_compiled_free(c);
    rmdir(cache);
}

static void a_missing_compiler_is_no_failure_of_another_kind(void **state)
{
    yk_expr_program p = { 0 };
    yk_native_report report;
    yk_compiled *c = NULL;
    yoke_err err = { YOKE_OK, "" };

    (void)state;
    write_program(&p, YK_OP_SIN, 1.0);
    const yk_source_program source = { p.steps, p.step, VARIABLES };
    const yk_native_options options = { .compiler = "no-such-compiler" };
    CHECK_STATUS(
        yk_compiled_create(&c, 1, &source, INFINITY, &options, &report, &err),
        YOKE_E_MISSING, &err);
    assert_false(yk_compiled_has(c, 0));
    yk_expr_clear(&p);
}

static void code_is_made_where_it_pays(void **state)
{
    yk_expr_program p = { 0 };
    yk_native_report report;
    yk_compiled *c = NULL;
    yoke_err err = { YOKE_OK, "" };

    (void)state;
    write_program(&p, YK_OP_SIN, 1.0);
    const yk_source_program source = { p.steps, p.step, VARIABLES };
    const yk_native_options options = { .compiler = "no-such-compiler" };
    CHECK_OK(yk_compiled_create(&c, 1, &source, 1e6, &options, &report, &err),
             &err);
    assert_null(c);
    CHECK_STATUS(
        yk_compiled_create(&c, 1, &source, 1e7, &options, &report, &err),
        YOKE_E_MISSING, &err);
    yk_expr_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_has_the_bits_of_the_lists),
        cmocka_unit_test(code_is_made_where_it_pays),
        cmocka_unit_test(a_missing_compiler_is_no_failure_of_another_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
