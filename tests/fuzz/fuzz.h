/* tests/fuzz/fuzz.h -- one source for libFuzzer and for ctest.
 *
 * A target defines LLVMFuzzerTestOneInput and ends with FUZZ_MAIN("name").
 * With YOKE_FUZZER libFuzzer brings its own main.  Without it the main here
 * runs over corpus/name (of the folder of this file, where ctest starts it)
 * and over seeded mutations of these files, the same on every machine.  Their
 * number, and the seed, may be given as arguments.
 */
#ifndef YK_TESTS_FUZZ_H
#define YK_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifdef YOKE_FUZZER
#define FUZZ_MAIN(name) extern int yk_fuzz_unused
#else

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define FUZZ_MAIN(name)                                                        \
    int main(int argc, char **argv)                                            \
    {                                                                          \
        return fuzz_main("corpus/" name, argc, argv);                          \
    }                                                                          \
    extern int yk_fuzz_unused

/* A target that is slow may say less. */
#ifndef FUZZ_ROUNDS
#define FUZZ_ROUNDS 5000
#endif

enum { FUZZ_SIZE = 1 << 15, FUZZ_FILES = 256 };

typedef struct fuzz_input {
    uint8_t data[FUZZ_SIZE];
    size_t size;
} fuzz_input;

static int fuzz_below(unsigned long long *seed, size_t n)
{
    return (int)(yk_random(seed) * (double)n);
}

static void fuzz_change_byte(fuzz_input *in, unsigned long long *seed)
{
    static const char special[] = ",\"\r\n.eE+-0123456789 \t;:=()[]{}#\\/'";

    if (in->size == 0) return;
    const int at = fuzz_below(seed, in->size);
    in->data[at] = yk_random(seed) < 0.7
                       ? (uint8_t)special[fuzz_below(seed, sizeof special)]
                       : (uint8_t)fuzz_below(seed, 256);
}

/* A piece of itself is copied to another place, or the tail is cut. */
static void fuzz_move_piece(fuzz_input *in, unsigned long long *seed)
{
    if (in->size < 2) return;
    const size_t from = (size_t)fuzz_below(seed, in->size);
    const size_t to = (size_t)fuzz_below(seed, in->size);
    size_t length = 1 + (size_t)fuzz_below(seed, in->size - from);

    if (yk_random(seed) < 0.2) {
        in->size = to;
        return;
    }
    if (length > FUZZ_SIZE - to) length = FUZZ_SIZE - to;
    memmove(in->data + to, in->data + from, length);
    if (to + length > in->size) in->size = to + length;
}

/* Exactly `size` bytes on the heap, so that a sanitizer sees the end. */
static void fuzz_run(const fuzz_input *in)
{
    uint8_t *copy = malloc(in->size ? in->size : 1);

    if (!copy) abort();
    memcpy(copy, in->data, in->size);
    LLVMFuzzerTestOneInput(copy, in->size);
    free(copy);
}

static int fuzz_compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Sorted, so that the mutations do not depend on the file system. */
static int fuzz_list(const char *folder, char name[][300])
{
    DIR *list = opendir(folder);
    const struct dirent *entry;
    int count = 0;

    while (list && count < FUZZ_FILES && (entry = readdir(list)))
        if (entry->d_name[0] != '.')
            snprintf(name[count++], sizeof name[0], "%s/%s", folder,
                     entry->d_name);
    if (list) closedir(list);
    qsort(name, (size_t)count, sizeof name[0], fuzz_compare);
    return count;
}

static int fuzz_load(const char *path, fuzz_input *in)
{
    FILE *file = fopen(path, "rb");

    if (!file) return 0;
    in->size = fread(in->data, 1, FUZZ_SIZE, file);
    fclose(file);
    return 1;
}

static int fuzz_main(const char *folder, int argc, char **argv)
{
    static char name[FUZZ_FILES][300];
    static fuzz_input in;
    const int rounds = argc > 1 ? atoi(argv[1]) : FUZZ_ROUNDS;
    unsigned long long seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 20240229;
    const int files = fuzz_list(folder, name);

    if (files == 0) {
        fprintf(stderr, "%s has no files\n", folder);
        return 1;
    }
    for (int i = 0; i < files; i++)
        if (fuzz_load(name[i], &in)) fuzz_run(&in);
    for (int round = 0; round < rounds; round++) {
        if (!fuzz_load(name[round % files], &in)) return 1;
        for (int k = fuzz_below(&seed, 8); k >= 0; k--) {
            if (yk_random(&seed) < 0.7)
                fuzz_change_byte(&in, &seed);
            else
                fuzz_move_piece(&in, &seed);
        }
        fuzz_run(&in);
    }
    printf("%d files, %d mutations\n", files, rounds);
    return 0;
}
#endif

#endif
