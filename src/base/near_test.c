/* base/near_test.c */
#include "check.h"

#include "base/near.h"

static const char *const list[] = { "stop", "start", "max_sweeps", "K" };

static void misspelt_words_are_found(void **state)
{
    (void)state;
    assert_string_equal(yk_nearest_word("stpo", 4, list), "stop");
    assert_string_equal(yk_nearest_word("Stop", 4, list), "stop");
    assert_string_equal(yk_nearest_word("max-sweep", 4, list), "max_sweeps");
}

static void a_beginning_is_found_where_nothing_is_nearer(void **state)
{
    static const char *const keys[] = { "warm", "parameters", "step" };
    (void)state;
    assert_string_equal(yk_nearest_word("params", 3, keys), "parameters");
    assert_string_equal(yk_nearest_word("stepp", 3, keys), "step");
    assert_null(yk_nearest_word("partition", 3, keys));
}

static void strange_words_are_not(void **state)
{
    char word[200] = "";
    (void)state;
    assert_null(yk_nearest_word("elephant", 4, list));
    assert_null(yk_nearest_word("x", 4, list)); /* everything short is near */
    for (int i = 0; i < 199; i++) word[i] = 's';
    assert_null(yk_nearest_word(word, 4, list));
    assert_null(yk_nearest_word("stop", 0, NULL));
}

static void names_are_recognised(void **state)
{
    (void)state;
    assert_true(yk_is_name("left_2"));
    assert_true(yk_is_name("_"));
    assert_true(yk_is_name("K\xc3\xb6rper"));
    assert_false(yk_is_name("2left"));
    assert_false(yk_is_name("a.b"));
    assert_false(yk_is_name("a b"));
    assert_false(yk_is_name(""));
    assert_false(yk_is_name("\xe2\x88\x92x")); /* a minus sign */
}

static void signs_of_print_have_a_plain_one(void **state)
{
    int length = 0;
    (void)state;
    assert_string_equal(yk_plain_sign("\xe2\x80\x9c"
                                      "a",
                                      &length),
                        "\"");
    assert_int_equal(length, 3);
    assert_string_equal(yk_plain_sign("\xc2\xb2", NULL), "^2");
    assert_null(yk_plain_sign("-", NULL));
    assert_null(yk_plain_sign("\xcf\x89", NULL)); /* omega */
    assert_null(yk_plain_sign("", NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(misspelt_words_are_found),
        cmocka_unit_test(a_beginning_is_found_where_nothing_is_nearer),
        cmocka_unit_test(strange_words_are_not),
        cmocka_unit_test(signs_of_print_have_a_plain_one),
        cmocka_unit_test(names_are_recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
