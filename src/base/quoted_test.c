/* base/quoted_test.c */
#include "base/quoted.h"
#include "check.h"

#include <string.h>

static void quotes_end_where_they_are_closed(void **state)
{
    (void)state;
    assert_int_equal(yk_quoted_length("'a b'.c"), 5);
    assert_int_equal(yk_quoted_length("'it''s'"), 7);
    assert_int_equal(yk_quoted_length("a'b'"), 0);
    assert_int_equal(yk_quoted_length("'open"), 0);
    assert_int_equal(yk_quoted_length("''"), 2);
}

static void stops_inside_quotes_do_not_count(void **state)
{
    (void)state;
    assert_int_equal(yk_quoted_span("'a b'.y c", " "), 7);
    assert_int_equal(yk_quoted_span("a.'b c' d", " "), 7);
    assert_int_equal(yk_quoted_span("it's b", " "), 4);
    assert_int_equal(yk_quoted_span("'a.b'.c", "."), 5);
    assert_int_equal(yk_quoted_span("'a'", "."), 3);
    assert_int_equal(yk_quoted_span("", " "), 0);
}

static void paths_are_names_and_dots(void **state)
{
    (void)state;
    assert_true(yk_is_path("a", " +"));
    assert_true(yk_is_path("drive.'motor 1'.x", " +"));
    assert_true(yk_is_path("'a.b'", " +"));
    assert_false(yk_is_path("a b", " +"));
    assert_false(yk_is_path("a..b", " +"));
    assert_false(yk_is_path(".a", " +"));
    assert_false(yk_is_path("a.", " +"));
    assert_false(yk_is_path("''", " +"));
    assert_false(yk_is_path("a'b", " +"));
    assert_false(yk_is_path("", " +"));
    assert_false(yk_is_path("'a'b", " +"));
}

static void a_name_comes_back_from_its_quotes(void **state)
{
    static const char *const names[] = {
        "plain", "a b", "a.b", "it's", "'", "[1,2]", "*", "\xc3\xb6 x"
    };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *quoted = NULL, plain[50];

        assert_int_equal(yk_quote(&quoted, names[i], NULL), YOKE_OK);
        assert_true(yk_is_path(quoted, ". +>,;*"));
        yk_unquote(plain, quoted, strlen(quoted));
        assert_string_equal(plain, names[i]);
        assert_true(yk_quoted_is(quoted, names[i]));
        assert_true(yk_quoted_is(names[i], names[i]));
        yk_free(quoted);
    }
    assert_true(yk_quoted_is("body.'a b'.v[2]", "body.a b.v[2]"));
    assert_false(yk_quoted_is("'a b'", "a c"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quotes_end_where_they_are_closed),
        cmocka_unit_test(stops_inside_quotes_do_not_count),
        cmocka_unit_test(paths_are_names_and_dots),
        cmocka_unit_test(a_name_comes_back_from_its_quotes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
