/* tests/export/heap_test.c -- the memory of an instance: blocks, images, bytes
 * that move to another heap. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include "fmi/heap.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 400, ROUNDS = 20000 };

static unsigned draw(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void blocks_do_not_overlap(void **state)
{
    unsigned char *block[BLOCKS] = { NULL };
    size_t size[BLOCKS] = { 0 };
    unsigned seed = 3;
    yk_heap *h = yk_heap_create();
    (void)state;
    assert_non_null(h);
    yk_heap *before = yk_heap_enter(h);
    for (int k = 0; k < ROUNDS; k++) {
        const unsigned i = draw(&seed) % BLOCKS;
        const size_t more = draw(&seed) % (k % 50 == 0 ? 300000 : 500);
        for (size_t b = 0; b < size[i]; b++)
            if (block[i][b] != (unsigned char)i) fail();
        if (draw(&seed) % 4 == 0) {
            free(block[i]);
            block[i] = NULL;
            size[i] = 0;
            continue;
        }
        unsigned char *grown = realloc(block[i], more + 1);
        assert_non_null(grown);
        assert_int_equal((uintptr_t)grown % 16, 0);
        const size_t kept = more < size[i] ? more : size[i];
        for (size_t b = 0; b < kept; b++)
            if (grown[b] != (unsigned char)i) fail();
        memset(grown, (int)i, more + 1);
        block[i] = grown;
        size[i] = more + 1;
    }
    yk_heap_enter(before);
    yk_heap_free(h);
}

static void blocks_of_the_process_stay_there(void **state)
{
    char *outside = malloc(100);
    yk_heap *h = yk_heap_create();
    (void)state;
    yk_heap *before = yk_heap_enter(h);
    outside = realloc(outside, 200);
    assert_non_null(outside);
    free(outside);
    assert_null(malloc(SIZE_MAX / 2));
    unsigned char *zero = calloc(10, 10);
    assert_non_null(zero);
    for (int i = 0; i < 100; i++) assert_int_equal(zero[i], 0);
    char *copy = strdup("text");
    assert_string_equal(copy, "text");
    yk_heap_enter(before);
    yk_heap_free(h);
}

/* A list whose links are addresses. */
typedef struct item {
    struct item *next;
    const char *name; /* a constant of the binary */
    double value;
    char text[40];
} item;

static const char constant[] = "constant";

static void make_list(yk_heap *h, int count)
{
    yk_heap *before = yk_heap_enter(h);
    item *first = NULL;

    for (int i = 0; i < count; i++) {
        item *p = calloc(1, sizeof *p);
        void *hole = malloc((size_t)(17 * i + 1));
        assert_non_null(p);
        *p = (item){ .next = first, .name = constant, .value = 1.0 / (i + 1) };
        first = p;
        free(hole);
    }
    yk_heap_set_root(h, first);
    yk_heap_enter(before);
}

static void check_list(const yk_heap *h, int count)
{
    const item *p = yk_heap_root(h);

    for (int i = count - 1; i >= 0; i--, p = p->next) {
        assert_non_null(p);
        assert_ptr_equal(p->name, constant);
        assert_true(p->value == 1.0 / (i + 1));
    }
    assert_null(p);
}

static void an_image_brings_everything_back(void **state)
{
    yk_heap *h = yk_heap_create();
    yk_saved_heap *image = NULL;
    yoke_err err;
    (void)state;
    make_list(h, 500);
    CHECK_OK(yk_heap_save(&image, h, &err), &err);
    yk_heap *before = yk_heap_enter(h);
    void *next = malloc(77), *large = malloc(3000000);
    assert_non_null(large);
    memset(yk_heap_root(h), 7, sizeof(item));
    yk_heap_enter(before);
    CHECK_OK(yk_heap_restore(image, h, &err), &err);
    check_list(h, 500);
    before = yk_heap_enter(h);
    assert_ptr_equal(malloc(77), next); /* it goes on as it did */
    assert_ptr_equal(malloc(3000000), large);
    yk_heap_enter(before);
    yk_saved_heap_free(image);
    yk_heap_free(h);
}

static void bytes_go_to_another_heap(void **state)
{
    yk_heap *a = yk_heap_create(), *b = yk_heap_create();
    yk_saved_heap *image = NULL, *other = NULL;
    yoke_err err;
    (void)state;
    make_list(a, 3000);
    make_list(b, 10);
    CHECK_OK(yk_heap_save(&image, a, &err), &err);
    assert_int_equal(yk_heap_restore(image, b, &err), YOKE_E_ARG);
    const size_t size = yk_saved_heap_size(image);
    assert_true(size < 2 * 3000 * sizeof(item)); /* holes are left out */
    char *bytes = malloc(size);
    yk_heap_write(image, "key", bytes);
    yk_saved_heap_free(image);
    yk_heap_free(a);
    assert_int_equal(yk_heap_read(&other, b, "lock", bytes, size, &err),
                     YOKE_E_ARG);
    CHECK_CONTAINS(err.text, "another FMU");
    for (size_t k = 0; k < size; k += k < 400 ? 1 : 997) {
        bytes[k] ^= 4;
        if (yk_heap_read(&other, b, "key", bytes, size, &err) == YOKE_OK)
            fail_msg("byte %zu", k);
        bytes[k] ^= 4;
    }
    assert_null(other);
    CHECK_OK(yk_heap_read(&other, b, "key", bytes, size, &err), &err);
    check_list(b, 10); /* not yet */
    CHECK_OK(yk_heap_restore(other, b, &err), &err);
    check_list(b, 3000);
    free(bytes);
    yk_saved_heap_free(other);
    yk_heap_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_do_not_overlap),
        cmocka_unit_test(blocks_of_the_process_stay_there),
        cmocka_unit_test(an_image_brings_everything_back),
        cmocka_unit_test(bytes_go_to_another_heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
