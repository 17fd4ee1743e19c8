/* io/io_test.h -- files in a folder of its own for each test program here. */
#ifndef YK_IO_TEST_H
#define YK_IO_TEST_H

#include "check.h"
#include "scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
