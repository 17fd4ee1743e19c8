/* tests/fuzz/market_fuzz.c -- the reader of Matrix Market files takes any
 * bytes: it reads a matrix of finite numbers, or gives a message with a line.
 */
#include "fuzz.h"

#include "comp/ph/ph.h"
#include "yoke/ph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check(int holds)
{
    if (!holds) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    yoke_pattern *p = NULL;
    double *value = NULL;
    yoke_err err = { YOKE_OK, "" };
    const yoke_status status =
        yk_ph_read_matrix(&p, &value, (const char *)data, size, &err);

    if (status == YOKE_OK) {
        check(p->rows > 0 && p->cols > 0);
        for (int k = 0; k < yoke_pattern_count(p); k++) {
            check(p->row[k] >= 0 && p->row[k] < p->rows);
            check(isfinite(value[k]) || fabs(value[k]) > 1e300);
        }
    } else {
        check(status == YOKE_E_FILE || status == YOKE_E_MEMORY);
        check(status != YOKE_E_FILE || strncmp(err.text, "line ", 5) == 0);
        check(p == NULL && value == NULL);
    }
    yoke_pattern_free(p);
    yk_free(value);
    return 0;
}

FUZZ_MAIN("market");
