/* tests/check.h -- cmocka with assertions that print both operands. */
#ifndef YK_TESTS_CHECK_H
#define YK_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "yoke/status.h"

/* |a - b| <= tol, which is finite */
#define CHECK_NEAR(a, b, tol)                                                  \
    check_near((a), (b), (tol), #a, #b, __FILE__, __LINE__)
/* least <= a <= most */
#define CHECK_BETWEEN(a, least, most)                                          \
    check_between((a), (least), (most), #a, __FILE__, __LINE__)
/* A call that must succeed; prints err's text otherwise. */
#define CHECK_OK(call, err)                                                    \
    check_status((call), YOKE_OK, (err), #call, __FILE__, __LINE__)
/* A call that must return `status`. */
#define CHECK_STATUS(call, status, err)                                        \
    check_status((call), (status), (err), #call, __FILE__, __LINE__)
/* `text` contains `part`, which is not empty. */
#define CHECK_CONTAINS(text, part)                                             \
    check_contains((text), (part), __FILE__, __LINE__)

void check_near(double a, double b, double tol, const char *a_text,
                const char *b_text, const char *file, int line);
void check_between(double a, double least, double most, const char *text,
                   const char *file, int line);
void check_status(yoke_status got, yoke_status want, const yoke_err *err,
                  const char *text, const char *file, int line);
void check_contains(const char *text, const char *part, const char *file,
                    int line);

/* An allocator that counts, and fails at the n-th request (0: never). */
void fault_allocator(long fail_at);
void fault_fail_after(long fail_at); /* the n-th since fault_allocator */
long fault_requests(void);           /* since fault_allocator */
long fault_blocks(void);             /* allocated and not yet freed */
void fault_restore(void);            /* the C library's again */

#endif
