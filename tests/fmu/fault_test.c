/* tests/fmu/fault_test.c -- FMUs when something else fails: memory, disk, and the
 * processes of a part, at every stage. */
#define _GNU_SOURCE
#include "check.h"
#include "comp/fmu/archive.h"
#include "comp/fmu/engine.h"
#include "yoke/file.h"
#include "yoke/run.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- memory ------------------------------------------------------------ */

static const char alone[] =
    "yoke: 1\n"
    "subsystems:\n"
    "  p: {fmu: %s.fmu, kind: %s, isolate: none, inputs: [], parameters: "
    "{x: 1}}\n"
    "run: {stop: 0.01, window: 0.005, rtol: 1e-3, spot: 0}\n";

static yoke_status whole(const char *text, yoke_err *err)
{
    yoke_file *file = NULL;
    yoke_run *run = NULL;
    yoke_status status = yoke_file_parse(&file, FMUS "/fault.yaml", text,
                                         strlen(text), NULL, err);

    if (status == YOKE_OK)
        status = yoke_run_create(&run, yoke_file_model(file),
                                 yoke_file_run_options(file), NULL, err);
    if (status == YOKE_OK) status = yoke_run_advance(run, 0.01, err);
    if (run) yoke_run_close(run, NULL);
    yoke_file_free(file);
    return status;
}

/* The first requests one by one, later ones at larger and larger distances. */
static void check_memory(const char *fmu, const char *kind)
{
    char text[500];
    long n = 1;

    snprintf(text, sizeof text, alone, fmu, kind);
    for (;; n += 1 + n / 60) {
        yoke_err err = { YOKE_OK, "" };

        fault_allocator(n);
        const yoke_status status = whole(text, &err);
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

static void no_failed_allocation_leaks(void **unused)
{
    (void)unused;
    check_memory("state2", "cs");
    check_memory("plain3", "cs");
    check_memory("plain3", "me");
}

/* ---- disk -------------------------------------------------------------- */

static int entries(const char *folder)
{
    DIR *list = opendir(folder);
    int count = 0;

    assert_non_null(list);
    while (readdir(list)) count++;
    closedir(list);
    return count - 2;
}

static void full_disk_is_told_and_nothing_left(void **unused)
{
    char home[] = "/tmp/yoke-fault-XXXXXX", *folder = NULL;
    yoke_err err = { YOKE_OK, "" };
    struct rlimit old, little;

    (void)unused;
    assert_non_null(mkdtemp(home));
    assert_int_equal(setenv("TMPDIR", home, 1), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_IGN);
    for (rlim_t bytes = 0; bytes < 10000; bytes += 1111) {
        little = old;
        little.rlim_cur = bytes;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
        const yoke_status status =
            yk_archive_unpack(&folder, FMUS "/plain2.fmu", &err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        CHECK_STATUS(status, YOKE_E_FILE, &err);
        CHECK_CONTAINS(err.text, "File too large");
        assert_null(folder);
        assert_int_equal(entries(home), 0);
    }
    assert_int_equal(unsetenv("TMPDIR"), 0);
    assert_int_equal(rmdir(home), 0);
}

/* ---- processes --------------------------------------------------------- */

typedef enum victim { SUPERVISOR, BASE } victim;
typedef enum stage {
    MADE,
    STARTED,
    SWEPT,
    SWEPT_AGAIN,
    ACCEPTED,
    STAGES
} stage;

/* The first child of a process, or 0. */
static pid_t child_of(pid_t pid)
{
    char path[100];
    int child = 0;

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid,
             (int)pid);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    if (fscanf(file, "%d", &child) != 1) child = 0;
    fclose(file);
    return child;
}

/* Has ended, whether or not its parent has asked for it yet. */
static bool is_over(pid_t pid)
{
    char path[100], state = 'X';

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (!file) return true;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = 'X';
    fclose(file);
    return state == 'Z' || state == 'X';
}

/* The signal is only on its way when kill() returns; when the victim is over, its
 * children have been sent theirs. */
static void kill_now(victim who)
{
    pid_t pid = child_of(getpid());

    assert_true(pid > 0);
    if (who == BASE) pid = child_of(pid);
    assert_true(pid > 0);
    assert_int_equal(kill(pid, SIGKILL), 0);
    while (!is_over(pid)) poll(NULL, 0, 1);
}

typedef struct bench {
    char *folder;
    yk_propagator part;
    yk_wave *u, *y;
    yoke_err err;
} bench;

static void open_part(bench *b, bool aside)
{
    const char *key[] = { "folder", "use", "in:u", "out:y" };
    const char *value[] = { NULL, "cs", "", "" };
    yk_part_spec spec = { .name = "mass",
                          .kind = "fmu",
                          .settings = 4,
                          .key = key,
                          .value = value,
                          .m = 1,
                          .p = 1,
                          .rtol = 1e-3,
                          .aside = aside,
                          .seconds = 20.0 };

    *b = (bench){ 0 };
    CHECK_OK(yk_wave_create(&b->u, 1, &b->err), &b->err);
    CHECK_OK(yk_wave_create(&b->y, 1, &b->err), &b->err);
    CHECK_OK(yk_archive_unpack(&b->folder, FMUS "/plain2.fmu", &b->err),
             &b->err);
    value[0] = b->folder;
    CHECK_OK(yk_part_create(&b->part, &spec, &b->err), &b->err);
}

static void close_part(bench *b)
{
    b->part.ops->free(b->part.self);
    yk_archive_remove(b->folder);
    yk_wave_free(b->u);
    yk_wave_free(b->y);
}

/* start, sweep, sweep, accept, sweep: the victim dies before one of them. */
static yoke_status go_through(bench *b, stage at, victim who)
{
    const yk_propagator *p = &b->part;
    double u0 = 0.0, y0;

    for (int k = 0; k < STAGES; k++) {
        const double t = k > ACCEPTED - 1 ? 0.1 : 0.0;

        if (k == (int)at) kill_now(who);
        yk_wave_clear(b->u, t);
        CHECK_OK(yk_wave_append_constant(b->u, t + 0.1, &u0, &b->err), &b->err);
        if (k == MADE)
            YK_TRY(p->ops->start(p->self, 0.0, NULL, &u0, &y0, &b->err));
        else if (k == SWEPT_AGAIN)
            YK_TRY(p->ops->accept(p->self, &b->err));
        else
            YK_TRY(p->ops->sweep(p->self, t + 0.1, b->u, b->y, &b->err));
    }
    return YOKE_OK;
}

/* Of a window in which no output moves. */
static long steps_at_rest(bool aside)
{
    const double u0 = 0.0;
    yoke_work work = { 0 };
    double y0;
    bench b;

    open_part(&b, aside);
    const yk_propagator *p = &b.part;
    CHECK_OK(p->ops->start(p->self, 0.0, NULL, &u0, &y0, &b.err), &b.err);
    yk_wave_clear(b.u, 0.0);
    CHECK_OK(yk_wave_append_constant(b.u, 0.1, &u0, &b.err), &b.err);
    CHECK_OK(p->ops->sweep(p->self, 0.1, b.u, b.y, &b.err), &b.err);
    p->ops->work(p->self, &work);
    close_part(&b);
    return work.steps;
}

/* What is wrong with a state that no output shows yet is the same in two
 * solutions with the same steps. */
static void second_solution_has_other_steps(void **unused)
{
    (void)unused;
    assert_true(steps_at_rest(true) > steps_at_rest(false));
}

static void death_at_every_stage_is_told(void **unused)
{
    (void)unused;
    for (int who = 0; who < 2; who++)
        for (int at = 0; at < STAGES; at++) {
            bench b;

            open_part(&b, false);
            const yoke_status status = go_through(&b, (stage)at, (victim)who);
            if (status != YOKE_E_CALLBACK)
                print_error("stage %d, victim %d\n", at, who);
            CHECK_STATUS(status, YOKE_E_CALLBACK, &b.err);
            CHECK_CONTAINS(b.err.text, "part \"mass\"");
            close_part(&b);
            assert_int_equal(child_of(getpid()), 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_failed_allocation_leaks),
        cmocka_unit_test(full_disk_is_told_and_nothing_left),
        cmocka_unit_test(second_solution_has_other_steps),
        cmocka_unit_test(death_at_every_stage_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
