/* io/pages_test.c -- changes reach the disk together or not at all.
 *
 * Writes go through a pwrite of our own, which ends the process, or fails, in
 * the middle of a chosen one.
 */
#define _DEFAULT_SOURCE
#include "check.h"
#include "io/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int countdown = -1; /* writes until the bad one; below 0: none */
static bool dies;

ssize_t pwrite(int file, const void *from, size_t size, off_t at)
{
    if (countdown == 0) {
        (void)syscall(SYS_pwrite64, file, from, size / 2, at);
        if (dies) _exit(0);
        errno = ENOSPC;
        return -1;
    }
    if (countdown > 0) countdown--;
    return syscall(SYS_pwrite64, file, from, size, at);
}

static char path[] = "/tmp/yoke-pages-XXXXXX";

/* Version v of the file: v * 3000 bytes, all of value v: every commit changes
 * everything that was there and adds something. */
static void write_version(yk_pages *f, int v)
{
    static unsigned char bytes[3000 * 20];

    memset(bytes, v, (size_t)v * 3000);
    assert_int_equal(yk_pages_write(f, 0, (size_t)v * 3000, bytes), 0);
}

/* The version of the file; fails if it is mixed. */
static int version_of(const char *name)
{
    static unsigned char bytes[3000 * 20];
    yk_pages f;

    assert_int_equal(yk_pages_open(&f, name, false), 0);
    assert_in_range(f.end, 0, sizeof bytes);
    assert_int_equal(yk_pages_read(&f, 0, (size_t)f.end, bytes), 0);
    const int v = f.end > 0 ? bytes[0] : 0;
    if (f.kept > 0 && f.pages == 0) /* what others see may have a tail */
        assert_true(f.end >= (unsigned long long)v * 3000);
    else
        assert_true(f.end == (unsigned long long)v * 3000);
    for (int i = 0; i < v * 3000; i++) assert_int_equal(bytes[i], v);
    yk_pages_close(&f);
    return v;
}

/* Commits versions from 2 on until it fails; the last that was committed. */
static int write_versions(int first, int last)
{
    yk_pages f;
    int done = 0;

    assert_int_equal(yk_pages_open(&f, path, true), 0);
    for (int v = first; v <= last; v++) {
        write_version(&f, v);
        if (yk_pages_commit(&f) != 0) break;
        done = v;
    }
    yk_pages_close(&f);
    return done;
}

static void bytes_come_back(void **state)
{
    yk_pages f;
    char text[12] = "";

    (void)state;
    assert_int_equal(write_versions(1, 9), 9);
    assert_int_equal(version_of(path), 9);
    assert_int_equal(yk_pages_open(&f, path, true), 0);
    assert_int_equal(yk_pages_write(&f, 4090, 12, "hello, world"), 0);
    assert_int_equal(yk_pages_read(&f, 4090, 12, text), 0);
    assert_memory_equal(text, "hello, world", 12);
    assert_int_equal(yk_pages_commit(&f), 0);
    assert_int_equal(f.pages, 0);
    assert_int_equal(yk_pages_write(&f, 4091, 1, "E"), 0);
    assert_int_equal(yk_pages_read(&f, 4088, 12, text), 0);
    assert_memory_equal(text, "\0\0hEllo, wor", 12);
    yk_pages_close(&f); /* drops the change */
    assert_int_equal(yk_pages_open(&f, path, false), 0);
    assert_int_equal(yk_pages_read(&f, 4090, 12, text), 0);
    assert_memory_equal(text, "hello, world", 12);
    assert_int_equal(yk_pages_read(&f, 100000, 4, text), 0);
    assert_memory_equal(text, "\0\0\0\0", 4);
    yk_pages_close(&f);
}

/* Killed in the middle of any write the file is some version, and never older
 * than the one before. */
static void a_death_leaves_a_whole_file(void **state)
{
    int before = 0;

    (void)state;
    for (int n = 0; before < 9; n++) {
        int result = 0;
        const pid_t child = fork();
        if (child == 0) {
            countdown = n;
            dies = true;
            write_versions(1, 9);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &result, 0), child);
        assert_int_equal(result, 0);
        if (n < 2) continue; /* the first commit: there is nothing to keep */
        const int v = version_of(path);
        assert_in_range(v, before, before + 1);
        before = v;
        assert_true(n < 1000);
    }
}

static void a_failure_leaves_a_whole_file(void **state)
{
    (void)state;
    for (int n = 0;; n++) {
        countdown = n;
        dies = false;
        const int done = write_versions(1, 9);
        const bool reached = countdown == 0;
        countdown = -1;
        const int v = version_of(path);
        assert_in_range(v, done, done + (n > 0));
        if (!reached) break;
        assert_true(n < 1000);
    }
}

/* A record with any byte changed is no record. */
static void a_damaged_record_is_ignored(void **state)
{
    static unsigned char bytes[1 << 16];
    int n = 0, result = 0;
    ssize_t size = 0;

    (void)state;
    for (n = 0; n < 1000; n++) { /* until one is left behind */
        const pid_t child = fork();
        if (child == 0) {
            countdown = n;
            dies = true;
            write_versions(1, 2);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &result, 0), child);
        const int file = open(path, O_RDONLY);
        size = read(file, bytes, sizeof bytes);
        close(file);
        if (size > 32 && memcmp(bytes + size - 32, "yokeredo", 8) == 0) break;
    }
    assert_in_range(n, 1, 999);
    for (ssize_t i = 6000; i < size; i += i < size - 40 ? 37 : 1) {
        yk_pages f;
        FILE *file = fopen(path, "wb");
        bytes[i] ^= 1;
        assert_int_equal(fwrite(bytes, 1, (size_t)size, file), size);
        fclose(file);
        bytes[i] ^= 1;
        assert_int_equal(yk_pages_open(&f, path, false), 0);
        assert_int_equal(f.pages, 0);
        yk_pages_close(&f);
    }
}

static void only_files_are_opened(void **state)
{
    yk_pages f;

    (void)state;
    assert_int_equal(yk_pages_open(&f, "/none/x", false), ENOENT);
    assert_int_equal(yk_pages_open(&f, "/dev/null", false), ESPIPE);
    assert_int_equal(yk_pages_open(&f, "/tmp", false), ESPIPE);
}

static int make_file(void **state)
{
    (void)state;
    const int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_come_back),
        cmocka_unit_test(a_death_leaves_a_whole_file),
        cmocka_unit_test(a_failure_leaves_a_whole_file),
        cmocka_unit_test(a_damaged_record_is_ignored),
        cmocka_unit_test(only_files_are_opened),
    };

    return cmocka_run_group_tests(tests, make_file, remove_file);
}
