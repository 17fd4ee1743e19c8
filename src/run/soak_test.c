/* run/soak_test.c -- long runs need no more memory than short ones. */
#define _DEFAULT_SOURCE
#include "run/run_fixture.h"

#include "base/base.h"

#include <malloc.h>
#include <stdatomic.h>

enum { WINDOWS = 100000 };
static const double window = 1e-3;

/* Bytes that the library has at present. */
static atomic_llong held;

static void *resize(void *old, size_t bytes)
{
    const long long before = old ? (long long)malloc_usable_size(old) : 0;
    void *block = realloc(old, bytes);

    if (block) held += (long long)malloc_usable_size(block) - before;
    return block;
}

static void release(void *block)
{
    if (block) held -= (long long)malloc_usable_size(block);
    free(block);
}

static yoke_run *begin(yoke_model *model, int windows)
{
    yoke_run_options options = yoke_run_defaults();
    yoke_run *run = NULL;
    yoke_err err;

    options.iterate.window = window;
    options.stop = windows * window;
    options.jobs = 1;
    CHECK_OK(yoke_run_create(&run, model, &options, NULL, &err), &err);
    return run;
}

/* After a tenth of the windows nothing grows any more. */
static void soak(const char *method, double step, int windows)
{
    const yoke_stepper_options how = stepper(method, step);
    yoke_model *model = two_masses(&how, &how);
    yoke_run *run = begin(model, windows);
    yoke_run_result r;
    yoke_err err;

    CHECK_OK(yoke_run_advance(run, 0.1 * windows * window, &err), &err);
    const long long before = held;
    CHECK_OK(yoke_run_advance(run, windows * window, &err), &err);
    yoke_run_summary(run, &r);
    assert_true(r.iterate.windows >= windows);
    if (held > before)
        print_message("%s: %lld bytes more after %d windows\n", method,
                      held - before, r.iterate.windows);
    assert_true(held <= before);
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_model_free(model);
}

static void a_hundred_thousand_windows_take_no_more_memory(void **state)
{
    (void)state;
    soak("radau5", 0.0, WINDOWS / 2);
    soak("trbdf2", 0.0, WINDOWS / 2);
}

/* A million, and a hundred million steps, take minutes: with the argument
 * `long`. */
static void a_million_windows_take_no_more_memory(void **state)
{
    (void)state;
    soak("radau5", 0.0, 1000000);
}

static void a_hundred_million_steps_take_no_more_memory(void **state)
{
    (void)state;
    soak("rk4", 0.002 * window, 100000);
}

int main(int argc, char **argv)
{
    const yoke_allocator counted = { resize, release };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hundred_thousand_windows_take_no_more_memory),
    };
    const struct CMUnitTest more[] = {
        cmocka_unit_test(a_million_windows_take_no_more_memory),
        cmocka_unit_test(a_hundred_million_steps_take_no_more_memory),
    };

    yoke_set_allocator(&counted);
    if (argc > 1 && strcmp(argv[1], "long") == 0)
        return cmocka_run_group_tests(more, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
