/* bench/12_port_hamiltonian/check.h -- lets the problems of tests/papers end
 * the program on a failure, without the test library. */
#ifndef BENCH_12_CHECK_H
#define BENCH_12_CHECK_H

#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

static inline void check_ok(yoke_status status, const yoke_err *err)
{
    if (status == YOKE_OK) return;
    fprintf(stderr, "%s\n", err ? err->text : yoke_status_text(status));
    exit(1);
}

#define CHECK_OK(call, err) check_ok((call), (err))

#endif
