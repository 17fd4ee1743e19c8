/* run/checkpoint_test.c -- the image of memory and the file of a checkpoint. */
#define _DEFAULT_SOURCE
#include "check.h"

#include "base/digest.h"
#include "base/seen.h"
#include "run/checkpoint.h"
#include "run/run.h"
#include "yoke/checkpoint.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char file[] = "checkpoint_test.ck";
static const char old[] = "checkpoint_test.ck.old";

/* A child process, whose memory may become an image: the status of `work`. */
static int apart(int (*work)(void))
{
    int status = -1;
    const pid_t child = fork();

    if (child == 0) _exit(work());
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

typedef struct chain {
    struct chain *next;
    int (*compare)(const char *a, const char *b);
    double *value;
    int count;
} chain;

/* A list of blocks, with holes between them. */
static int write_list(void)
{
    yk_checkpoint_head head = { .t = 2.5 };
    yk_text about = { NULL, 0, 0 };
    chain *list = NULL;
    void *hole[40];

    if (yk_image_begin(NULL) != YOKE_OK) return 1;
    for (int k = 0; k < 40; k++) {
        chain *l = NULL;
        if (YK_NEW(&l, 1, NULL) != YOKE_OK ||
            YK_NEW(&l->value, 40 * k + 1, NULL) != YOKE_OK ||
            yk_alloc(&hole[k], (size_t)(17 * k), 1, NULL) != YOKE_OK)
            return 2;
        l->compare = strcmp;
        l->count = 40 * k + 1;
        for (int i = 0; i < l->count; i++) l->value[i] = k + i;
        l->next = list;
        list = l;
    }
    for (int k = 0; k < 40; k += 3) yk_free(hole[k]);
    head.run = (uintptr_t)list;
    if (yk_text_add(&about, "word\0run", 9, NULL) != YOKE_OK) return 3;
    return yk_checkpoint_save(file, &head, &about, NULL, NULL) == YOKE_OK ? 0
                                                                          : 4;
}

static int read_list(void)
{
    yk_checkpoint_bytes b;
    double *more = NULL;
    int count = 0;

    if (yk_checkpoint_load(&b, file, NULL) != YOKE_OK) return 1;
    if (b.head.t != 2.5) return 2;
    if (yk_image_take(&b.own.layout, b.own.image, NULL) != YOKE_OK) return 3;
    const chain *l = (const chain *)(uintptr_t)b.head.run;
    if (!yk_image_has(l, sizeof *l)) return 4;
    for (; l; l = l->next, count++)
        for (int i = 0; i < l->count; i++)
            if (l->value[i] != 39 - count + i) return 5;
    if (count != 40) return 6;
    /* The heap goes on. */
    for (int k = 0; k < 1000; k++) {
        if (yk_doubles(&more, (size_t)k, NULL) != YOKE_OK) return 7;
        yk_free(more);
    }
    return yk_image_take(&b.own.layout, b.own.image, NULL) == YOKE_E_ARG ? 0
                                                                         : 8;
}

static void memory_goes_on_in_another_process(void **state)
{
    (void)state;
    unlink(file);
    unlink(old);
    assert_int_equal(apart(write_list), 0);
    assert_int_equal(apart(read_list), 0);
    assert_int_not_equal(access(old, F_OK), 0);
    assert_int_equal(apart(write_list), 0);
    assert_int_equal(access(old, F_OK), 0); /* two generations */
}

/* Every write fails once: the checkpoint that is there stays whole. */
static int fill_disk(void)
{
    yk_checkpoint_head head = { .t = 3.5 };
    yk_text about = { NULL, 0, 0 };
    yk_checkpoint_bytes b;
    struct rlimit limit;
    char *more = NULL;
    int failed = 0;

    signal(SIGXFSZ, SIG_IGN);
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
    if (yk_image_begin(NULL) != YOKE_OK) return 2;
    if (YK_NEW(&more, 500000, NULL) != YOKE_OK) return 3;
    for (rlim_t size = 0; size < 520000; size += 40000) {
        limit.rlim_cur = size;
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 4;
        if (yk_checkpoint_save(file, &head, &about, NULL, NULL) != YOKE_OK)
            failed++;
        if (failed * 40000 != (int)size + 40000) break;
        if (yk_checkpoint_load(&b, file, NULL) != YOKE_OK) return 5;
        if (b.head.t != 2.5) return 6;
        yk_checkpoint_clear(&b);
    }
    return failed > 10 ? 0 : 7;
}

/* No memory is a status, and what is there can be written. */
static int fill_memory(void)
{
    yk_checkpoint_head head = { .t = 4.5 };
    yk_text about = { NULL, 0, 0 };
    yoke_err err = { YOKE_OK, "" };
    struct rlimit limit;
    char *more = NULL;

    if (yk_image_begin(NULL) != YOKE_OK) return 1;
    if (getrlimit(RLIMIT_AS, &limit) != 0) return 2;
    limit.rlim_cur = 4096;
    if (setrlimit(RLIMIT_AS, &limit) != 0) return 3;
    if (YK_NEW(&more, 1 << 24, &err) != YOKE_E_MEMORY || more) return 4;
    return yk_checkpoint_save(file, &head, &about, NULL, &err) == YOKE_OK ? 0
                                                                          : 5;
}

static void a_full_disk_leaves_the_one_before(void **state)
{
    (void)state;
    unlink(file);
    unlink(old);
    assert_int_equal(apart(write_list), 0);
    assert_int_equal(apart(fill_disk), 0);
    assert_int_equal(apart(read_list), 0);
    assert_int_equal(apart(fill_memory), 0);
}

static char *copy_of(const yk_checkpoint_bytes *b)
{
    char *bytes = malloc(b->size);

    assert_non_null(bytes);
    memcpy(bytes, b->bytes, b->size);
    return bytes;
}

/* With the digest of what the bytes are now. */
static void seal(char *bytes, size_t size)
{
    unsigned char digest[YK_DIGEST_SIZE];
    yk_digest d;

    yk_digest_begin(&d);
    yk_digest_add(&d, bytes, size - sizeof digest);
    yk_digest_end(&d, digest);
    memcpy(bytes + size - sizeof digest, digest, sizeof digest);
}

static void damage_is_seen(void **state)
{
    yk_checkpoint_bytes b, other = { 0 };
    yoke_err err = { YOKE_OK, "" };
    unsigned long long seed = 7;
    (void)state;

    assert_int_equal(apart(write_list), 0);
    assert_int_equal(yk_checkpoint_load(&b, file, &err), YOKE_OK);
    for (int k = 0; k < 60; k++) {
        char *bytes = copy_of(&b);
        bytes[(size_t)(yk_random(&seed) * (double)b.size)] ^= 4;
        CHECK_STATUS(yk_checkpoint_parse(&other, bytes, b.size, file, &err),
                     YOKE_E_FILE, &err);
        assert_null(other.bytes);
    }
    for (size_t size = 0; size < b.size; size += 1 + b.size / 50) {
        CHECK_STATUS(yk_checkpoint_parse(&other, copy_of(&b), size, file, &err),
                     YOKE_E_FILE, &err);
    }
    yk_checkpoint_clear(&b);
}

/* Sizes and places that are wrong, with a digest that is right. */
static void nothing_is_read_outside(void **state)
{
    yk_checkpoint_bytes b, other = { 0 };
    unsigned long long seed = 11;
    (void)state;

    assert_int_equal(apart(write_list), 0);
    assert_int_equal(yk_checkpoint_load(&b, file, NULL), YOKE_OK);
    for (int k = 0; k < 40; k++) {
        char *bytes = copy_of(&b);
        const size_t reach = sizeof b.head + sizeof b.own.layout + 600;
        const size_t at = (size_t)(yk_random(&seed) * (double)reach);
        bytes[at] = (char)(256.0 * yk_random(&seed));
        seal(bytes, b.size);
        if (yk_checkpoint_parse(&other, bytes, b.size, file, NULL) == YOKE_OK)
            yk_checkpoint_clear(&other);
    }
    yk_checkpoint_clear(&b);
    unlink(file);
    unlink(old);
}

static void files_are_known_by_what_is_in_them(void **state)
{
    yk_seen list = { 0 };
    (void)state;

    yk_seen_watch(&list);
    for (int k = 0; k < 3; k++) {
        FILE *f = fopen("checkpoint_test.txt", "w");
        assert_non_null(f);
        fprintf(f, "%d", k / 2);
        fclose(f);
        yk_seen_tell("checkpoint_test.txt");
    }
    yk_seen_watch(NULL);
    yk_seen_tell("checkpoint_test.txt");
    assert_int_equal(list.count, 2);
    assert_string_not_equal(list.file[0].digest, list.file[1].digest);
    yk_seen_clear(&list);
    unlink("checkpoint_test.txt");
}

/* The last test, since they stay away. */
static void libraries_that_come_later_are_left_out(void **state)
{
    yk_loaded *list = NULL, *now = NULL;
    int count = 0, left = 0;
    (void)state;

    assert_int_equal(yk_loaded_list(&list, &count, NULL), YOKE_OK);
    assert_true(count > 1);
    const uint64_t late = list[count - 1].begin;
    assert_int_equal(yk_loaded_leave_out(list, count - 1, NULL), YOKE_OK);
    assert_int_equal(yk_loaded_list(&now, &left, NULL), YOKE_OK);
    assert_int_equal(left, count - 1);
    for (int i = 0; i < left; i++) assert_true(now[i].begin != late);
    yk_free(now);
}

static void libraries_are_moved(void **state)
{
    enum { MOST = 512 };
    static yk_loaded there[MOST];
    static int place[MOST];
    yk_loaded *list = NULL;
    int count = 0;
    uint64_t word[3] = { (uintptr_t)&file, 42, 0 };
    double number = 0.1;
    (void)state;

    assert_int_equal(yk_loaded_list(&list, &count, NULL), YOKE_OK);
    assert_true(count > 1 && count <= MOST);
    memcpy(there, list, (size_t)count * sizeof *list);
    for (int k = 0; k < count; k++) there[k].begin += 0x10000000;
    word[0] += 0x10000000;
    memcpy(&word[2], &number, sizeof number);
    assert_int_equal(yk_loaded_match(there, count, list, count, place, NULL),
                     YOKE_OK);
    yk_loaded_move(there, count, list, place, (char *)word, sizeof word);
    assert_true(word[0] == (uintptr_t)&file);
    assert_true(word[1] == 42);
    assert_memory_equal(&word[2], &number, sizeof number);
    yk_loaded_mark(list, count, (char *)word, sizeof word);
    int used = 0;
    for (int k = 0; k < count; k++) used += list[k].used;
    assert_int_equal(used, 1);
    int which = -1;
    yk_loaded at = { .begin = 0x7f1200000000, .length = 4096, .used = true };
    assert_false(yk_loaded_distinct(&at, 1, false, &which));
    at.begin = 0x7f11fffff000; /* small negative numbers */
    assert_false(yk_loaded_distinct(&at, 1, false, &which));
    at.begin = 0x7f1211000000;
    assert_true(yk_loaded_distinct(&at, 1, false, &which));
    assert_false(yk_loaded_distinct(&at, 1, true, &which));
    at.used = false;
    at.begin = 0;
    assert_true(yk_loaded_distinct(&at, 1, false, &which));
    snprintf(there[0].id, sizeof there[0].id, "another");
    yoke_err err = { YOKE_OK, "" };
    CHECK_STATUS(yk_loaded_match(there, count, list, count, place, &err),
                 YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, there[0].name);
    yk_free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_goes_on_in_another_process),
        cmocka_unit_test(a_full_disk_leaves_the_one_before),
        cmocka_unit_test(damage_is_seen),
        cmocka_unit_test(nothing_is_read_outside),
        cmocka_unit_test(files_are_known_by_what_is_in_them),
        cmocka_unit_test(libraries_are_moved),
        cmocka_unit_test(libraries_that_come_later_are_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
