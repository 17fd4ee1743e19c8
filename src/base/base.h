/* base/base.h -- status, memory, clock and random numbers for every part. */
#ifndef YK_BASE_H
#define YK_BASE_H

#include "base/locale.h"
#include "yoke/status.h"

#include <stdbool.h>

/* Return at once / go to `done:` when `call` fails. */
#define YK_TRY(call)                                                           \
    do {                                                                       \
        const yoke_status yk_status_ = (call);                                 \
        if (yk_status_ != YOKE_OK) return yk_status_;                          \
    } while (0)

#define YK_GO(call)                                                            \
    do {                                                                       \
        status = (call);                                                       \
        if (status != YOKE_OK) goto done;                                      \
    } while (0)

#define yk_fail yoke_fail

/* Adds `format ...: ` in front of the message of a failure. */
void yk_prefix(yoke_err *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds text at the end of the message of a failure. */
void yk_suffix(yoke_err *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* All problems of a file in one message, a line for each: takes in the result
 * of one entry, whose message is `one`; false: reading on is of no use. */
bool yk_err_gather(yoke_status *all, yoke_status status, const yoke_err *one,
                   yoke_err *err);

/* Zeroed memory; count * size is checked.  *out is untouched on failure. */
yoke_status yk_alloc(void **out, size_t count, size_t size, yoke_err *err);
yoke_status yk_doubles(double **out, size_t count, yoke_err *err);
yoke_status yk_ints(int **out, size_t count, yoke_err *err);
#define YK_NEW(out, count, err)                                                \
    yk_alloc((void **)(out), (size_t)(count), sizeof **(out), (err))

/* Enlarges *block, *capacity elements of `size`, to at least `need` by
 * doubling.  New memory is not zeroed. */
yoke_status yk_grow(void **block, size_t *capacity, size_t need, size_t size,
                    yoke_err *err);
#define YK_GROW(block, capacity, need, err)                                    \
    yk_grow((void **)(block), (capacity), (size_t)(need), sizeof **(block),    \
            (err))
void yk_free(void *block); /* accepts NULL */

/* The same for several: YK_DOUBLES(n, err, &a, &b), YK_FREE(a, b).  On failure
 * those before it stay allocated. */
yoke_status yk_doubles_all(size_t count, yoke_err *err, size_t blocks,
                           double **const *block);
yoke_status yk_ints_all(size_t count, yoke_err *err, size_t blocks,
                        int **const *block);
void yk_free_all(size_t blocks, void *const *block);
#define YK_COUNT(...) (sizeof((void *[]){ __VA_ARGS__ }) / sizeof(void *))
#define YK_DOUBLES(n, err, ...)                                                \
    yk_doubles_all(n, err, YK_COUNT(__VA_ARGS__),                              \
                   (double **const[]){ __VA_ARGS__ })
#define YK_INTS(n, err, ...)                                                   \
    yk_ints_all(n, err, YK_COUNT(__VA_ARGS__), (int **const[]){ __VA_ARGS__ })
#define YK_FREE(...)                                                           \
    yk_free_all(YK_COUNT(__VA_ARGS__), (void *[]){ __VA_ARGS__ })

/* A text as printf writes it. */
yoke_status yk_print(char **out, yoke_err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Copies; *out is NULL if text is NULL. */
yoke_status yk_copy_text(char **out, const char *text, yoke_err *err);
yoke_status yk_copy_doubles(double **out, const double *from, size_t count,
                            yoke_err *err);
yoke_status yk_copy_ints(int **out, const int *from, size_t count,
                         yoke_err *err);

/* For qsort, increasing. */
int yk_compare_ints(const void *a, const void *b);
int yk_compare_doubles(const void *a, const void *b);

/* Seconds since some fixed moment. */
double yk_clock(void);

/* Uniform in [0, 1), the same on every machine; `state` is any nonzero seed. */
double yk_random(unsigned long long *state);

/* True if all values are finite; otherwise *at (if not NULL) is the first that
 * is not. */
bool yk_all_finite(const double *v, int n, int *at);

#endif
