/* io/io_test.h -- a folder of its own for each test program here. */
#ifndef YK_IO_TEST_H
#define YK_IO_TEST_H

#include "check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char scratch[] = "io_test.XXXXXX";

/* A path in the folder; the text lives until the eighth call after this. */
static inline const char *in_scratch(const char *name)
{
    static char path[8][512];
    static int turn;
    char *out = path[turn++ % 8];

    snprintf(out, sizeof path[0], "%s/%s", scratch, name);
    return out;
}

static inline int make_scratch(void **state)
{
    (void)state;
    return mkdtemp(scratch) ? 0 : -1;
}

static inline int remove_scratch(void **state)
{
    DIR *folder = opendir(scratch);
    const struct dirent *entry;

    (void)state;
    while (folder && (entry = readdir(folder)))
        if (entry->d_name[0] != '.') remove(in_scratch(entry->d_name));
    if (folder) closedir(folder);
    return rmdir(scratch);
}

static inline void write_file(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* At most size - 1 bytes, with a zero after them; returns their count. */
static inline size_t read_file(const char *path, char *out, size_t size)
{
    FILE *file = fopen(path, "rb");

    assert_non_null(file);
    const size_t length = fread(out, 1, size - 1, file);
    out[length] = '\0';
    fclose(file);
    return length;
}

#endif
