/* tests/fuzz/program_fuzz.c -- the reader of a program's answers takes any
 * lines: it gives points in order, all finite, or a message.  The first byte
 * says what is awaited. */
#include "fuzz.h"

#include "comp/program/protocol.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check(int holds)
{
    if (!holds) abort();
}

static void check_points(yk_closed_points *s)
{
    yk_wave *wave = NULL;

    check(s->count >= 2 && s->t[0] == 0.0 && s->t[s->count - 1] == 1.0);
    for (int i = 0; i < s->count; i++) {
        check(i == 0 || s->t[i] >= s->t[i - 1]);
        for (int c = 0; c < s->p; c++) check(isfinite(s->y[i * s->p + c]));
    }
    check(yk_wave_create(&wave, s->p, NULL) == YOKE_OK);
    const yoke_status status = yk_closed_points_wave(s, wave, NULL);
    check(status == YOKE_OK || status == YOKE_RETRY); /* overflow of slopes */
    if (status == YOKE_OK)
        check(yk_wave_begin(wave) == 0.0 && yk_wave_end(wave) == 1.0);
    yk_wave_free(wave);
}

static void read_answer(yk_program_answer *a, char *text)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_status status = YOKE_OK;

    while (text && status == YOKE_OK && !a->ended) {
        char *end = strchr(text, '\n');

        if (end) *end = '\0';
        status = yk_program_line(a, text, &err);
        text = end ? end + 1 : NULL;
    }
    if (status != YOKE_OK) check(err.text[0] != '\0');
    if (status == YOKE_OK && a->ended && a->kind == YK_PROGRAM_ADVANCE)
        check_points(a->points);
    if (status == YOKE_OK && a->ended && a->kind == YK_PROGRAM_HELLO)
        check(a->version == YK_PROGRAM_VERSION);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const name[] = { "u", "v" };
    static const char *const unit[] = { "N", "" };
    yk_closed_points points = { 0 };
    double values[2], *y = NULL;
    char *text;

    if (size == 0) return 0;
    text = malloc(size);
    check(text && yk_closed_points_create(&points, 2, NULL) == YOKE_OK);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    check(yk_closed_points_add(&points, 0.0, &y, NULL) == YOKE_OK);
    y[0] = y[1] = 1.0;
    yk_program_answer a = { .kind = (yk_program_kind)(data[0] % 5),
                            .p = 2,
                            .names = 2,
                            .name = name,
                            .unit = unit,
                            .values = values,
                            .t0 = 0.0,
                            .t1 = 1.0,
                            .points = &points };
    read_answer(&a, text);
    yk_closed_points_clear(&points);
    free(text);
    return 0;
}

FUZZ_MAIN("program");
