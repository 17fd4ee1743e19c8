/* tests/mpi/bytes_test.c -- what the other side has is not sent again. */
#include "check.h"

#include "mpi/bytes.h"

#include <string.h>

/* One piece of degree 7: longer than the number of a waveform that is known. */
static yk_wave *wave_of(double value)
{
    const double coef[8] = { value, 1, 2, 3, 4, 5, 6, 7 };
    yk_wave *w = NULL;

    CHECK_OK(yk_wave_create(&w, 1, NULL), NULL);
    yk_wave_clear(w, 0.0);
    CHECK_OK(yk_wave_append(w, 1.0, 7, coef, NULL), NULL);
    return w;
}

/* Sends it; the other side has the same bits.  Bytes of the message. */
static size_t pass(yk_echo *from, yk_echo *to, const yk_wave *wave)
{
    yk_bytes message = { 0 };
    yk_wave *got = NULL;

    CHECK_OK(yk_wave_create(&got, 1, NULL), NULL);
    yk_echo_put_wave(from, &message, wave);
    const size_t used = message.used;
    if (to) {
        yk_echo_get_wave(to, &message, got);
        CHECK_OK(message.status, NULL);
        assert_int_equal(message.at, used);
        assert_true(yk_wave_equal(got, wave));
    }
    yk_wave_free(got);
    yk_bytes_free(&message);
    return used;
}

static void one_of_the_last_two_waveforms_is_a_number(void **state)
{
    yk_wave *a = wave_of(1), *b = wave_of(2), *c = wave_of(3);
    yk_echo from = { 0 }, to = { 0 };
    const size_t whole = pass(&from, &to, a), number = 8;
    (void)state;

    assert_true(whole > 64);
    assert_int_equal(pass(&from, &to, a), number);
    assert_int_equal(pass(&from, &to, b), whole);
    assert_int_equal(pass(&from, &to, a), number);
    assert_int_equal(pass(&from, &to, b), number);
    assert_int_equal(pass(&from, &to, c), whole);
    assert_int_equal(pass(&from, &to, a), whole);
    yk_echo_free(&from);
    yk_echo_free(&to);
    yk_wave_free(a);
    yk_wave_free(b);
    yk_wave_free(c);
}

/* A call that failed may have left others unread. */
static void what_was_not_read_goes_again(void **state)
{
    yk_wave *a = wave_of(1), *b = wave_of(2);
    yk_echo from = { 0 }, to = { 0 };
    const size_t whole = pass(&from, &to, a);
    (void)state;

    pass(&from, NULL, b);
    yk_echo_forget(&from);
    assert_int_equal(pass(&from, &to, b), whole);
    assert_int_equal(pass(&from, &to, b), 8);
    assert_int_equal(pass(&from, &to, a), whole);
    assert_int_equal(pass(&from, &to, b), 8);
    yk_echo_free(&from);
    yk_echo_free(&to);
    yk_wave_free(a);
    yk_wave_free(b);
}

static void a_number_that_nobody_sent_is_refused(void **state)
{
    const int number[] = { -1, 0, 1, YK_ECHOES, YK_ECHOES + 1 };
    yk_wave *w = wave_of(1);
    (void)state;

    for (int i = 0; i < 5; i++) {
        yk_bytes message = { 0 };
        yk_echo to = { 0 };
        yk_bytes_put_int(&message, number[i]);
        yk_echo_get_wave(&to, &message, w);
        assert_int_equal(message.status, YOKE_E_CALLBACK);
        yk_bytes_free(&message);
        yk_echo_free(&to);
    }
    yk_wave_free(w);
}

/* Facts of `words` words, of which these two are other than before. */
static size_t pass_facts(yk_bytes *from, yk_bytes *to, int words, int i, int j)
{
    yk_bytes message = { 0 }, now = { 0 };

    for (int k = 0; k < words; k++)
        yk_bytes_put_double(&now, k == i || k == j ? 1000.0 * i + j + 0.5 : k);
    yk_bytes_put_changes(&message, from, &now);
    const size_t used = message.used;
    yk_bytes_get_changes(&message, to);
    CHECK_OK(message.status, NULL);
    assert_int_equal(message.at, used);
    assert_int_equal(to->used, from->used);
    assert_int_equal(to->used, 8 * (size_t)words);
    assert_memory_equal(to->data, from->data, to->used);
    assert_int_equal(to->at, 0);
    yk_bytes_free(&now);
    yk_bytes_free(&message);
    return used;
}

static void words_that_changed_are_sent(void **state)
{
    yk_bytes from = { 0 }, to = { 0 };
    (void)state;

    assert_int_equal(pass_facts(&from, &to, 130, -1, -1), 8 * 132);
    /* a flag and three masks */
    assert_int_equal(pass_facts(&from, &to, 130, -1, -1), 8 * 4);
    assert_int_equal(pass_facts(&from, &to, 130, 0, 129), 8 * 6);
    assert_int_equal(pass_facts(&from, &to, 130, 63, 64), 8 * 8);
    assert_int_equal(pass_facts(&from, &to, 64, 63, 2), 8 * 66);
    assert_int_equal(pass_facts(&from, &to, 64, 63, 2), 8 * 2);
    yk_bytes_free(&from);
    yk_bytes_free(&to);
}

static void facts_that_are_cut_off_are_refused(void **state)
{
    yk_bytes from = { 0 }, to = { 0 }, message = { 0 }, now = { 0 };
    (void)state;

    pass_facts(&from, &to, 20, -1, -1);
    for (int k = 0; k < 20; k++) yk_bytes_put_double(&now, -k - 1.0);
    yk_bytes_put_changes(&message, &from, &now);
    message.used -= 8;
    yk_bytes_get_changes(&message, &to);
    assert_int_equal(message.status, YOKE_E_CALLBACK);
    yk_bytes_free(&from);
    yk_bytes_free(&to);
    yk_bytes_free(&message);
    yk_bytes_free(&now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_of_the_last_two_waveforms_is_a_number),
        cmocka_unit_test(what_was_not_read_goes_again),
        cmocka_unit_test(a_number_that_nobody_sent_is_refused),
        cmocka_unit_test(words_that_changed_are_sent),
        cmocka_unit_test(facts_that_are_cut_off_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
