/* tests/fuzz/circuit_fuzz.c -- from any bytes to a circuit with its operating
 * point and its other analyses, or a message: no crash, no end of memory, no
 * value that is not finite. */
#include "fuzz.h"

#include "yoke/netlist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 32 << 20 };

static size_t bytes_taken;

/* Counts what is requested; what is freed is not given back. */
static void *limited(void *block, size_t bytes)
{
    if (bytes > MOST_BYTES - bytes_taken) return NULL;
    bytes_taken += bytes;
    return realloc(block, bytes);
}

static void check(int holds)
{
    if (!holds) abort();
}

static void check_table(const yoke_table *t)
{
    check(t->cols > 0 && t->rows >= 0);
    for (size_t k = 0; k < (size_t)t->rows * (size_t)t->cols; k++)
        check(isfinite(t->value[k]));
}

static void analyse(yoke_file *file)
{
    yoke_analysis a;

    for (int i = 0; i < 3 && yoke_file_analysis_at(file, i, &a); i++) {
        yoke_err err = { YOKE_OK, "" };
        yoke_table *t = NULL;
        if (yoke_file_analyse(file, i, &t, &err) == YOKE_OK)
            check_table(t);
        else
            check(err.text[0] != '\0');
        yoke_table_free(t);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const yoke_allocator allocator = { limited, free };
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };

    yoke_set_allocator(&allocator);
    bytes_taken = 0;
    const yoke_status status = yoke_file_parse(
        &file, "fuzz.cir", (const char *)data, size, NULL, &err);
    if (status == YOKE_OK)
        analyse(file);
    else
        check(file == NULL && err.text[0] != '\0');
    yoke_file_free(file);
    return 0;
}

FUZZ_MAIN("circuit");
