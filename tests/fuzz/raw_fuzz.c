/* tests/fuzz/raw_fuzz.c -- the reader of raw files takes any bytes: it reads a
 * table or gives a message. */
#include "fuzz.h"

#include "io/format.h"

#include <stdlib.h>
#include <string.h>

static void check(int holds)
{
    if (!holds) abort();
}

static void check_table(const yoke_table *t)
{
    double sum = 0.0;

    check(t->cols > 0 && t->rows >= 0);
    for (int j = 0; j < t->cols; j++) {
        const int found = yoke_table_find(t, t->name[j]);
        check(found >= 0 && found <= j && t->unit[j] != NULL);
        if (j > 64) break; /* the search is linear */
    }
    for (size_t i = 0; i < (size_t)t->rows * (size_t)t->cols; i++)
        sum += t->value[i];
    (void)sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    yoke_table t = { 0, 0, NULL, NULL, NULL };
    yoke_err err = { YOKE_OK, "" };
    const yoke_status status =
        yk_raw_parse(&t, "fuzz", (const char *)data, size, &err);

    if (status == YOKE_OK) {
        yoke_difference d;
        check_table(&t);
        yoke_table_compare(&t, &t, t.name[t.cols - 1], &d, &err);
    } else {
        check(status == YOKE_E_FILE || status == YOKE_E_MEMORY);
        check(strncmp(err.text, "fuzz:", 5) == 0);
    }
    yk_table_clear(&t);
    return 0;
}

FUZZ_MAIN("raw");
