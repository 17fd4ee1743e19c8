/* bench/common/bench.h -- what every benchmark driver needs: a clock, a results
 * file of rows (case, quantity, value), the slope of a line, and a counter of
 * allocations.  Drivers end on the first failure.
 */
#ifndef BENCH_H
#define BENCH_H

#include <yoke/yoke.h>

#include <stdbool.h>

/* Prints the message and ends the program unless status is YOKE_OK. */
void bench_need(yoke_status status, const yoke_err *err);

/* Zeroed memory or the end of the program. */
void *bench_new(size_t count, size_t bytes);

double bench_clock(void); /* seconds, monotonic */

/* "[--quick] FILE": where results go, and whether the short variant runs. */
typedef struct bench_arguments {
    bool quick;
    const char *file;
} bench_arguments;

bench_arguments bench_read_arguments(int count, char **text);

/* One results file at a time. */
void bench_open(const char *file);
void bench_put(const char *name, const char *quantity, double value);
void bench_close(void);

/* Least-squares slope of log y against log x. */
double bench_slope(int count, const double *x, const double *y);

/* Allocations through the library's allocator so far; `bench_count` must be
 * called before anything else of the library. */
void bench_count(void);
long bench_allocations(void);

#endif
