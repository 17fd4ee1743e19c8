/* bench/common/bench.c -- clock, results file, slopes, allocation counter. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static FILE *results;
static long allocations;

void bench_need(yoke_status status, const yoke_err *err)
{
    if (status == YOKE_OK) return;
    fprintf(stderr, "%s: %s\n", yoke_status_name(status), err->text);
    exit(1);
}

void *bench_new(size_t count, size_t bytes)
{
    void *block = calloc(count ? count : 1, bytes);

    if (block) return block;
    fputs("out of memory\n", stderr);
    exit(1);
}

double bench_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bench_arguments bench_read_arguments(int count, char **text)
{
    bench_arguments a = { false, NULL };

    for (int i = 1; i < count; i++) {
        if (strcmp(text[i], "--quick") == 0)
            a.quick = true;
        else
            a.file = text[i];
    }
    if (a.file) return a;
    fprintf(stderr, "usage: %s [--quick] RESULTS.csv\n", text[0]);
    exit(2);
}

void bench_open(const char *file)
{
    results = fopen(file, "w");
    if (!results) {
        perror(file);
        exit(1);
    }
    fputs("case,quantity,value\n", results);
}

void bench_put(const char *name, const char *quantity, double value)
{
    fprintf(results, "%s,%s,%.6g\n", name, quantity, value);
}

void bench_close(void)
{
    if (fclose(results) == 0) return;
    perror("results");
    exit(1);
}

double bench_slope(int count, const double *x, const double *y)
{
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;

    for (int i = 0; i < count; i++) {
        const double a = log(x[i]), b = log(y[i]);
        sx += a;
        sy += b;
        sxx += a * a;
        sxy += a * b;
    }
    return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

static void *counted_resize(void *block, size_t bytes)
{
    allocations++;
    return realloc(block, bytes);
}

void bench_count(void)
{
    const yoke_allocator counting = { counted_resize, free };

    yoke_set_allocator(&counting);
}

long bench_allocations(void)
{
    return allocations;
}
