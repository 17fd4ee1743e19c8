/* tests/support.c -- see check.h. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void check_near(double a, double b, double tol, const char *a_text,
                const char *b_text, const char *file, int line)
{
    if (fabs(a - b) <= tol && isfinite(tol)) return;
    print_error("%s = %.17g, %s = %.17g, difference %.3g > %.3g\n", a_text, a,
                b_text, b, fabs(a - b), tol);
    _fail(file, line);
}

void check_between(double a, double least, double most, const char *text,
                   const char *file, int line)
{
    if (a >= least && a <= most) return;
    print_error("%s = %.17g is not in [%.10g, %.10g]\n", text, a, least, most);
    _fail(file, line);
}

void check_status(yoke_status got, yoke_status want, const yoke_err *err,
                  const char *text, const char *file, int line)
{
    if (got == want) return;
    print_error("%s\n  returned %s, expected %s; message: %s\n", text,
                yoke_status_name(got), yoke_status_name(want),
                err ? err->text : "(none)");
    _fail(file, line);
}

void check_contains(const char *text, const char *part, const char *file,
                    int line)
{
    if (*part && strstr(text, part)) return; /* every text contains "" */
    print_error("\"%s\"\n  does not contain \"%s\"\n", text, part);
    _fail(file, line);
}

static long requests, failing, blocks;

static void *faulty_resize(void *block, size_t bytes)
{
    requests++;
    if (failing && requests == failing) return NULL;
    void *result = realloc(block, bytes);
    if (result && !block) blocks++;
    return result;
}

static void counting_free(void *block)
{
    if (block) blocks--;
    free(block);
}

void fault_allocator(long fail_at)
{
    static const yoke_allocator faulty = { faulty_resize, counting_free };

    requests = 0;
    blocks = 0;
    failing = fail_at;
    yoke_set_allocator(&faulty);
}

void fault_fail_after(long fail_at)
{
    failing = fail_at;
}

long fault_requests(void)
{
    return requests;
}

long fault_blocks(void)
{
    return blocks;
}

void fault_restore(void)
{
    yoke_set_allocator(NULL);
}
