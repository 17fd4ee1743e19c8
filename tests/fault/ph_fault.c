/* tests/fault/ph_fault.c -- port-Hamiltonian systems from the text of a file to
 * the end of a run, in which allocations fail: each of the
 * first ones, then one of more and more. */
#include "check.h"
#include "yoke/yoke.h"

#include <stdio.h>
#include <string.h>

static const char parts[] =
    "subsystems:\n"
    "  a: {component: port-hamiltonian, J: [[0, -1], [1, 0]], R: [0.5, 0], "
    "x0: [1, 0], G: [1, 0], input: sin(time)}\n"
    "  b: {component: port-hamiltonian, E: [1, 0], R: [0.1, 2], Q: [2, 1], "
    "J: [[0, 1], [-1, 0]], B: [[1], [0]]}\n"
    "  c: {linear: {E: 2, A: -0.3, B: 1, H: 1}}\n"
    "couplings:\n"
    "- blocks: {rows: a, columns: b, J: [[0.5, 1], [0, 2]]}\n"
    "- signal: c.u1 = b.y1; b.u1 = -c.y1\n";

static yoke_status whole(const char *run, yoke_err *err)
{
    char text[2000];
    yoke_file *file = NULL;
    yoke_power power;
    bool found = false;

    snprintf(text, sizeof text,
             "yoke: 1\nrun: {stop: 0.04, step: 2e-3, %s}\n%s", run, parts);
    yoke_status status =
        yoke_file_parse(&file, "ph.yaml", text, strlen(text), NULL, err);
    if (status == YOKE_OK)
        status =
            yoke_model_power(yoke_file_model(file), yoke_file_run_options(file),
                             &found, &power, err);
    if (status == YOKE_OK)
        status = yoke_simulate(yoke_file_model(file),
                               yoke_file_run_options(file), NULL, err);
    yoke_file_free(file);
    return status;
}

static void requests_fail(const char *run)
{
    long n = 1;

    for (;; n += 1 + n / 50) {
        yoke_err err = { YOKE_OK, "" };
        fault_allocator(n);
        const yoke_status status = whole(run, &err);
        const long blocks = fault_blocks();
        const bool reached = fault_requests() >= n;
        fault_restore();
        if (blocks != 0) print_error("request %ld: %ld blocks\n", n, blocks);
        assert_int_equal(blocks, 0);
        if (!reached) {
            CHECK_OK(status, &err);
            break;
        }
        if (status != YOKE_E_MEMORY) print_error("request %ld\n", n);
        CHECK_STATUS(status, YOKE_E_MEMORY, &err);
    }
    assert_true(n > 100);
}

static void port_waves(void **state)
{
    (void)state;
    requests_fail("scheme: port-waves");
}

static void with_gmres(void **state)
{
    (void)state;
    requests_fail("scheme: port-waves, waves: gmres, stepper: "
                  "radau3");
}

static void condensed(void **state)
{
    (void)state;
    requests_fail("scheme: port-waves, waves: direct");
}

static void lions_mercier(void **state)
{
    (void)state;
    requests_fail("scheme: lions-mercier, max_sweeps: 300");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(port_waves),
        cmocka_unit_test(with_gmres),
        cmocka_unit_test(condensed),
        cmocka_unit_test(lions_mercier),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
