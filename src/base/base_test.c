/* base/base_test.c */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include "base/base.h"
#include "base/lengths.h"
#include "base/names.h"
#include "base/options.h"
#include "base/text.h"
#include "base/texts.h"
#include "base/tolerance.h"
#include "base/transfer.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void prefix_goes_in_front(void **state)
{
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    assert_int_equal(yk_fail(&err, YOKE_RETRY, "x is %g", 2.0), YOKE_RETRY);
    yk_prefix(&err, "window %d", 12);
    assert_string_equal(err.text, "window 12: x is 2");
    for (int i = 0; i < 200; i++) yk_prefix(&err, "%s", "much too long");
    assert_true(strlen(err.text) < YOKE_ERR_SIZE);
    assert_int_equal(yk_fail(NULL, YOKE_E_ARG, "unseen"), YOKE_E_ARG);
}

static void every_status_has_a_text(void **state)
{
    (void)state;
    assert_string_equal(yoke_status_name(YOKE_E_MODEL), "YOKE_E_MODEL");
    assert_string_equal(yoke_status_text((yoke_status)99), "unknown status");
}

static void huge_requests_are_refused(void **state)
{
    yoke_err err = { YOKE_OK, "" };
    double *v = NULL;
    (void)state;
    CHECK_STATUS(yk_doubles(&v, SIZE_MAX / 4, &err), YOKE_E_MEMORY, &err);
    assert_null(v);
    CHECK_CONTAINS(err.text, "out of memory");
}

static void random_numbers_are_the_same_everywhere(void **state)
{
    unsigned long long seed = 1;
    double mean = 0.0;
    (void)state;
    for (int i = 0; i < 10000; i++) mean += yk_random(&seed) / 10000.0;
    CHECK_NEAR(mean, 0.5, 0.01);
}

static void infinities_are_found(void **state)
{
    double v[3] = { 1.0, INFINITY, NAN };
    int at = -1;
    (void)state;
    assert_true(yk_all_finite(v, 1, &at));
    assert_false(yk_all_finite(v, 3, &at));
    assert_int_equal(at, 1);
}

typedef struct sample {
    double tol;
    int count;
    bool flag;
    char word[32];
    int kind;
    const char *file;
} sample;

static const yk_option table[] = {
    { YK_FIELD(YK_REAL, sample, tol), 1e-14, 1.0, 1e-6, "tolerance", NULL,
      NULL },
    { YK_FIELD(YK_INT, sample, count), 1, 10, 5, "count", NULL, NULL },
    { YK_FIELD(YK_FLAG, sample, flag), 0, 1, 1, "flag", NULL, NULL },
    { YK_FIELD(YK_WORD, sample, word), 0, 0, 0, "word", "red green", "red" },
    { YK_FIELD(YK_ENUM, sample, kind), 0, 0, 1, "kind", "a b c", NULL },
    { YK_FIELD(YK_TEXT, sample, file), 0, 0, 0, "file", NULL, "out" },
};

static void sizes_are_measured_in_tolerances(void **state)
{
    const double weight[] = { yk_tolerance(1.0, 0.5, -2.0), 1.0, 4.0 };
    const double v[] = { 1.0, -3.0, 8.0 }, lost[] = { 1.0, NAN, 8.0 };
    int at = -1;

    (void)state;
    CHECK_NEAR(weight[0], 2.0, 0.0);
    CHECK_NEAR(yk_weighted_max(3, v, weight, &at), 3.0, 0.0);
    assert_int_equal(at, 1);
    assert_true(isnan(yk_weighted_max(3, lost, weight, NULL)));
}

static void options_are_set_and_refused(void **state)
{
    yoke_err err = { YOKE_OK, "" };
    sample s;
    (void)state;
    yk_options_defaults(table, 6, &s);
    assert_int_equal(s.count, 5);
    assert_int_equal(s.kind, 1);
    assert_string_equal(s.word, "red");
    CHECK_OK(yk_options_set(table, 6, &s, "tol", "1e-3", &err), &err);
    CHECK_NEAR(s.tol, 1e-3, 0.0);
    CHECK_OK(yk_options_set(table, 6, &s, "kind", "c", &err), &err);
    assert_int_equal(s.kind, 2);
    CHECK_OK(yk_options_set(table, 6, &s, "flag", "no", &err), &err);
    assert_false(s.flag);
    CHECK_STATUS(yk_options_set(table, 6, &s, "cuont", "1", &err), YOKE_E_ARG,
                 &err);
    CHECK_CONTAINS(err.text, "did you mean \"count\"?");
    CHECK_STATUS(yk_options_set(table, 6, &s, "count", "11", &err), YOKE_E_ARG,
                 &err);
    assert_string_equal(err.text, "count = 11 is not between 1 and 10");
    CHECK_STATUS(yk_options_set(table, 6, &s, "count", "1.5", &err), YOKE_E_ARG,
                 &err);
    CHECK_STATUS(yk_options_set(table, 6, &s, "tol", "nan", &err), YOKE_E_ARG,
                 &err);
    CHECK_STATUS(yk_options_set(table, 6, &s, "word", "blue", &err), YOKE_E_ARG,
                 &err);
    CHECK_CONTAINS(err.text, "red green");
    s.count = 0;
    CHECK_STATUS(yk_options_check(table, 6, &s, &err), YOKE_E_ARG, &err);
}

static void texts_may_be_long_and_are_kept(void **state)
{
    yoke_err err = { YOKE_OK, "" };
    char text[1000], scratch[YK_OPTION_SIZE];
    char *store = NULL;
    sample s;
    (void)state;
    yk_options_defaults(table, 6, &s);
    assert_string_equal(s.file, "out");
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    CHECK_OK(yk_options_set(table, 6, &s, "file", text, &err), &err);
    CHECK_OK(yk_options_keep(table, 6, &s, &store, &err), &err);
    CHECK_OK(yk_options_keep(table, 6, &s, &store, &err), &err);
    text[0] = 'y';
    assert_int_equal(strlen(s.file), 999);
    assert_int_equal(s.file[0], 'x');
    assert_ptr_equal(yk_option_value(&table[5], &s, scratch), s.file);
    assert_string_equal(yk_option_value(&table[3], &s, scratch), "red");
    assert_string_equal(yk_option_value(&table[4], &s, scratch), "b");
    s.file = NULL;
    CHECK_STATUS(yk_options_check(table, 6, &s, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "file is NULL");
    yk_free(store);
}

static void names_are_found_again(void **state)
{
    static char text[500][16];
    yk_names names = { 0 };
    (void)state;
    assert_int_equal(yk_names_find(&names, "a"), -1);
    for (int i = 0; i < 500; i++) {
        snprintf(text[i], sizeof text[i], "n%d", i);
        CHECK_OK(yk_names_add(&names, text[i], i, NULL), NULL);
    }
    for (int i = 0; i < 500; i++)
        assert_int_equal(yk_names_find(&names, text[i]), i);
    CHECK_OK(yk_names_add(&names, "n7", 70, NULL), NULL);
    assert_int_equal(yk_names_find(&names, "n7"), 70);
    assert_int_equal(names.count, 500);
    assert_int_equal(yk_names_find(&names, "n500"), -1);
    yk_names_clear(&names);
}

static void texts_in_a_room_are_cut_off(void **state)
{
    char text[8] = "ab";
    (void)state;
    assert_true(yk_append(text, sizeof text, "%d", 345));
    assert_string_equal(text, "ab345");
    assert_false(yk_append(text, sizeof text, "%s", "6789"));
    assert_string_equal(text, "ab34567");
    assert_false(yk_append(text, sizeof text, "x"));
    assert_false(yk_append(text, 3, "x")); /* longer than the room already */
    assert_string_equal(text, "ab34567");
    assert_true(yk_append(text, sizeof text, "%s", ""));
}

static void texts_grow(void **state)
{
    yk_text text = { 0 };
    (void)state;
    for (int i = 0; i < 1000; i++)
        CHECK_OK(yk_text_print(&text, NULL, "%03d,", i), NULL);
    CHECK_OK(yk_text_put(&text, "end", NULL), NULL);
    assert_int_equal(text.length, 4003);
    assert_string_equal(text.at + 3996, "999,end");
    yk_text_clear(&text);
    assert_null(text.at);
    assert_true(yk_ends_with("a.html", ".html"));
    assert_false(yk_ends_with(".html", ".html"));
}

static void bytes_go_to_a_file_and_back(void **state)
{
    char path[] = "base_test.XXXXXX", back[8] = "";
    const int file = mkstemp(path);
    size_t done = 0;
    (void)state;
    assert_true(file >= 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(yk_write_bytes(file, "abcdef", 6, YK_HERE, NULL), 0);
    assert_int_equal(yk_write_bytes(file, "xy", 2, 2, &done), 0);
    assert_int_equal(done, 2);
    assert_int_equal(yk_read_bytes(file, back, 7, 1, &done), 0);
    assert_int_equal(done, 5); /* there are no more */
    assert_string_equal(back, "bxyef");
    assert_int_equal(yk_read_bytes(-1, back, 7, YK_HERE, &done), EBADF);
    close(file);
}

static void lists_of_texts_grow_and_are_searched(void **state)
{
    yoke_err err = { YOKE_OK, "" };
    yk_texts list = { 0 };
    char text[20];

    (void)state;
    assert_false(yk_texts_have(&list, "a"));
    for (int i = 0; i < 100; i++) {
        snprintf(text, sizeof text, "text %d", i);
        CHECK_OK(yk_texts_add(&list, text, &err), &err);
    }
    assert_int_equal(list.count, 100);
    assert_int_equal(
        yk_texts_find((const char *const *)list.at, list.count, "text 42"), 42);
    assert_true(yk_texts_have(&list, "text 99"));
    assert_false(yk_texts_have(&list, "text"));
    yk_texts_clear(&list);
    assert_int_equal(list.count, 0);
    yk_texts_free(NULL, 3);
}

/* Some steps of a tenth of a millisecond from 1e3 s on. */
static void sums_of_steps_are_whole_steps(void **state)
{
    double t = 1e3;

    (void)state;
    for (int k = 0; k < 100; k++) t += 1e-4;
    assert_true((t - 1e3) / 1e-4 != 100.0);
    assert_true(yk_whole_steps((t - 1e3) / 1e-4) == 100.0);
    assert_true(yk_steps_inside((t - 1e3) / 1e-4) == 100.0);
    assert_true(yk_whole_steps(2.00001) == 3.0);
    assert_true(yk_steps_inside(2.99999) == 2.0);
    assert_false(yk_same_length(1e-6, (1e3 + 1e-6) - 1e3));
    assert_true(yk_same_length(1e-2, (1e3 + 1e-2) - 1e3));
    assert_true(yk_rounding_beside(1.0, -1e3) == yk_rounding(1e3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefix_goes_in_front),
        cmocka_unit_test(every_status_has_a_text),
        cmocka_unit_test(huge_requests_are_refused),
        cmocka_unit_test(random_numbers_are_the_same_everywhere),
        cmocka_unit_test(infinities_are_found),
        cmocka_unit_test(sizes_are_measured_in_tolerances),
        cmocka_unit_test(options_are_set_and_refused),
        cmocka_unit_test(texts_may_be_long_and_are_kept),
        cmocka_unit_test(names_are_found_again),
        cmocka_unit_test(texts_in_a_room_are_cut_off),
        cmocka_unit_test(texts_grow),
        cmocka_unit_test(lists_of_texts_grow_and_are_searched),
        cmocka_unit_test(sums_of_steps_are_whole_steps),
        cmocka_unit_test(bytes_go_to_a_file_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
