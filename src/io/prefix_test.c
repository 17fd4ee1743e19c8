/* Prefixes of units. */
#include "check.h"
#include "io/prefix.h"

#include <math.h>

static void numbers_have_few_digits(void **state)
{
    static const struct {
        double size;
        const char *unit, *text;
        double by;
    } row[] = {
        { 5e-4, "s", "\xc2\xb5", 1e-6 }, { 1e-3, "s", "m", 1e-3 },
        { 0.05, "s", "m", 1e-3 },        { 0.1, "s", "", 1.0 },
        { 9999.0, "s", "", 1.0 },        { 1e4, "s", "", 3600.0 },
        { 5e6, "s", "", 86400.0 },       { 9999.0, "V", "", 1.0 },
        { 1e4, "V", "k", 1e3 },          { 2.5e-13, "F", "f", 1e-15 },
        { 1e-20, "A", "f", 1e-15 },      { 3e14, "Hz", "T", 1e12 },
        { 5e-4, "rad/s", "", 1.0 },      { 5e-4, "", "", 1.0 },
        { 0.9999e-3, "V", "m", 1e-3 },   { 0.0999, "V", "", 1.0 },
        { 0.0, "V", "", 1.0 },           { INFINITY, "V", "", 1.0 },
    };
    (void)state;

    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        const yk_unit_prefix p = yk_unit_prefix_find(row[k].size, row[k].unit);
        assert_string_equal(p.text, row[k].text);
        CHECK_NEAR(p.by, row[k].by, 1e-9 * row[k].by);
    }
    assert_string_equal(yk_unit_prefix_find(1e-3, NULL).text, "");
    assert_string_equal(yk_unit_prefix_find(172800.0, "s").unit, "h");
    assert_string_equal(yk_unit_prefix_find(1e6, "s").unit, "d");
    assert_null(yk_unit_prefix_find(1e4, "V").unit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_few_digits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
