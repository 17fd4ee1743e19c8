/* tests/fault/hdf5_fault.c -- a process that is killed in the middle of any
 * write to an HDF5 file leaves what it had flushed.
 *
 * Writes go through a pwrite of our own, which ends the process in the middle
 * of a chosen one.
 */
#define _DEFAULT_SOURCE
#include "check.h"
#include "io/writer.h"
#include "yoke/yoke.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 12, ROWS = 300 };

static int countdown = -1; /* writes until the last; below 0: no end */
static bool fails; /* the disk is full from then on: the process goes on */

ssize_t pwrite(int file, const void *from, size_t size, off_t at)
{
    if (countdown == 0) {
        (void)syscall(SYS_pwrite64, file, from, size / 2, at);
        if (!fails) _exit(0);
        errno = ENOSPC;
        return -1;
    }
    if (countdown > 0) countdown--;
    return syscall(SYS_pwrite64, file, from, size, at);
}

static char folder[] = "/tmp/yoke-fault-XXXXXX";
static char path[64];

/* Two tables, so that their indices are written in turn.  Tells by the pipe how
 * many blocks are safe. */
static yoke_status write_blocks(int told)
{
    static const char *const names[] = { "time", "x" };
    yk_writer *w = NULL;
    yoke_status status = yk_writer_create(&w, path, NULL);
    int id[2] = { 0, 0 };

    if (status != YOKE_OK) return status;
    yk_writer_table(w, "result", 2, names, NULL, &id[0], NULL);
    status = yk_writer_table(w, "coupling", 2, names, NULL, &id[1], NULL);
    for (int b = 0; b < BLOCKS && status == YOKE_OK; b++) {
        for (int i = 0; i < ROWS; i++)
            for (int k = 0; k < 2; k++)
                yk_writer_row(w, id[k], (double[2]){ b * ROWS + i, k }, NULL);
        status = yk_writer_flush(w, NULL);
        if (status == YOKE_OK && write(told, "b", 1) != 1) return YOKE_E_FILE;
    }
    const yoke_status closed = yk_writer_close(w, NULL);
    return status == YOKE_OK ? closed : status;
}

static void check_table(const char *name, int number, int safe)
{
    yoke_table *t = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yoke_table_read(&t, path, name, &err), &err);
    assert_in_range(t->rows, safe * ROWS, (safe + 1) * ROWS);
    for (int i = 0; i < t->rows; i++) {
        CHECK_NEAR(t->value[2 * i], i, 0.0);
        CHECK_NEAR(t->value[2 * i + 1], number, 0.0);
    }
    yoke_table_free(t);
}

/* Blocks that the child says are safe; *status: what it returned. */
static int try_writing(int n, int *result)
{
    int ends[2], safe = 0;
    char byte;

    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        countdown = n;
        const yoke_status status = write_blocks(ends[1]);
        _exit(status == YOKE_OK ? 7 : status == YOKE_E_FILE ? 8 : 9);
    }
    close(ends[1]);
    while (read(ends[0], &byte, 1) == 1) safe++;
    close(ends[0]);
    assert_int_equal(waitpid(child, result, 0), child);
    assert_true(WIFEXITED(*result));
    *result = WEXITSTATUS(*result);
    return safe;
}

static void a_death_in_any_write_keeps_what_was_flushed(void **state)
{
    int result = 0, n = 0;

    (void)state;
    fails = false;
    for (n = 0; result != 7; n += n < 200 ? 1 : 3) {
        const int safe = try_writing(n, &result);
        assert_true(result == 0 || result == 7);
        if (safe == 0) continue;
        check_table("result", 0, safe);
        check_table("coupling", 1, safe);
    }
    CHECK_BETWEEN(n, 50, 5000);
}

/* The process goes on, closes the file and ends well. */
static void a_full_disk_keeps_what_was_flushed(void **state)
{
    int result = 0;

    (void)state;
    fails = true;
    for (int n = 0; result != 7; n += 7) {
        const int safe = try_writing(n, &result);
        assert_true(result == 8 || result == 7);
        if (safe == 0) continue;
        check_table("result", 0, safe);
        check_table("coupling", 1, safe);
    }
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/x.h5", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_death_in_any_write_keeps_what_was_flushed),
        cmocka_unit_test(a_full_disk_keeps_what_was_flushed),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
