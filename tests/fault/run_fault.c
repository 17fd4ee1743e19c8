/* tests/fault/run_fault.c -- a complete run in which every allocation fails
 * once, and every write.
 *
 *     a:     x' = -z + 0.1 b.x      0 = z - x - lambda
 *     b:     x' = -x + 0.1 a.x
 *     joint: 0 = a.z - b.x          solved with a
 */
#define _XOPEN_SOURCE 700
#include "run/run_fixture.h"

#include <signal.h>
#include <sys/resource.h>

#define TRY(call)                                                              \
    do {                                                                       \
        const yoke_status status_ = (call);                                    \
        if (status_ != YOKE_OK) return status_;                                \
    } while (0)

static yoke_status add(yoke_model *model, const char *name,
                       const yoke_linear *linear, yoke_err *err)
{
    yoke_system *system = NULL;

    TRY(yoke_linear_create(&system, name, linear, err));
    return yoke_model_add(model, system, NULL, err);
}

static yoke_status build(yoke_model *model, yoke_err *err)
{
    static const double E[] = { 1, 0, 0, 0 }, A[] = { 0, -1, -1, 1 };
    static const double B[] = { 0.1, 0, 0, -1 };
    static const double a = -1.0, b = 0.1, x0[] = { 1.0, 0.0 };
    static const char *const name[] = { "x", "z" };
    static const char *const input[] = { "b", "lambda" };
    static const char *const read[] = { "a.z", "b.x1" };
    static const double weight[] = { 1.0, -1.0 };
    const yoke_linear first = { .n = 2,
                                .m = 2,
                                .E = E,
                                .A = A,
                                .B = B,
                                .x0 = x0,
                                .x_name = name,
                                .u_name = input };
    const yoke_linear second = { .n = 1, .m = 1, .A = &a, .B = &b, .x0 = x0 };
    const yoke_constraint joint = {
        .count = 1, .outputs = 2, .output = read, .weight = weight, .owner = "a"
    };
    yoke_graph *graph = yoke_model_graph(model);

    TRY(add(model, "a", &first, err));
    TRY(add(model, "b", &second, err));
    TRY(yoke_graph_constraint(graph, "joint", &joint, err));
    TRY(yoke_graph_signal(graph, "a.b", "b.x1", 1.0, err));
    TRY(yoke_graph_signal(graph, "a.lambda", "joint.lambda", 1.0, err));
    return yoke_graph_signal(graph, "b.u1", "a.x", 1.0, err);
}

static yoke_run_options options_of(const char *schedule, int windows)
{
    yoke_run_options o = yoke_run_defaults();

    o.stop = 0.3;
    o.iterate.window = 0.3 / windows;
    o.iterate.rtol = 1e-4;
    o.schedule = schedule;
    o.monitor = "a.z";
    to_file(&o, "fault.csv");
    return o;
}

/* Everything from nothing to the files, and back to nothing. */
static yoke_status whole(const yoke_run_options *options, yoke_err *err)
{
    yoke_model *model = NULL;
    yoke_run_result result;
    yoke_status status = yoke_model_create(&model, err);

    if (status == YOKE_OK) status = build(model, err);
    if (status == YOKE_OK) status = yoke_simulate(model, options, &result, err);
    yoke_model_free(model);
    return status;
}

/* ---- memory
 * ------------------------------------------------------------------ */

static void every_request_fails_once(const char *schedule)
{
    const yoke_run_options options = options_of(schedule, 3);
    long n = 1;

    for (;; n++) {
        yoke_err err = { YOKE_OK, "" };
        fault_allocator(n);
        const yoke_status status = whole(&options, &err);
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
        CHECK_CONTAINS(err.text, "out of memory");
        assert_int_equal(err.status, YOKE_E_MEMORY);
    }
    assert_true(n > 100);
}

static void no_failed_allocation_leaks_or_crashes(void **state)
{
    (void)state;
    every_request_fails_once("");
}

static void nor_with_averaged_schedules(void **state)
{
    (void)state;
    every_request_fails_once("0.5 * a > b; 0.5 * b > a");
}

static void nor_in_one_cluster(void **state)
{
    (void)state;
    every_request_fails_once("a + b + joint");
}

/* ---- files
 * --------------------------------------------------------------------- */

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* The rows of t are the first rows of all. */
static void check_first_rows(const yoke_table *t, const yoke_table *all)
{
    assert_int_equal(t->cols, all->cols);
    assert_true(t->rows <= all->rows);
    assert_memory_equal(t->value, all->value,
                        sizeof(double) * (size_t)t->rows * (size_t)t->cols);
}

static void whatever_is_written_can_be_read(void **state)
{
    yoke_run_options options = options_of("", 12);
    yoke_status status = YOKE_OK;
    long failed = 0, with_rows = 0;
    yoke_err err;
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    CHECK_OK(whole(&options, &err), &err);
    yoke_table *all = read_table(options.output, "result");
    to_file(&options, "cut.csv");
    for (rlim_t bytes = 0;; bytes += 61) {
        yoke_table *t = NULL;
        remove(options.output);
        limit_files(bytes);
        status = whole(&options, &err);
        limit_files(RLIM_INFINITY);
        if (status == YOKE_OK) break;
        CHECK_STATUS(status, YOKE_E_FILE, &err);
        CHECK_CONTAINS(err.text, "cannot write");
        failed++;
        if (yoke_table_read(&t, options.output, "result", NULL) != YOKE_OK)
            continue; /* not even the header */
        check_first_rows(t, all);
        with_rows += t->rows > 0;
        yoke_table_free(t);
    }
    assert_true(failed > 20 && with_rows > 10);
    yoke_table_free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_failed_allocation_leaks_or_crashes),
        cmocka_unit_test(nor_with_averaged_schedules),
        cmocka_unit_test(nor_in_one_cluster),
        cmocka_unit_test(whatever_is_written_can_be_read),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
