/* tests/fuzz/raw_fuzz.c -- the reader of raw files takes any bytes: it reads a
 * table or gives a message. */
#include "fuzz.h"

#include "table_check.h"

#include <stdlib.h>
#include <string.h>

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
