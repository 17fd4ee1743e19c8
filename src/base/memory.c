/* base/memory.c -- the one door to the allocator, so that tests can close it.
 */
#include "base/base.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static yoke_allocator allocator = { realloc, free };

void yoke_set_allocator(const yoke_allocator *given)
{
    static const yoke_allocator standard = { realloc, free };
    allocator = given ? *given : standard;
}

static yoke_status out_of_memory(size_t count, size_t size, yoke_err *err)
{
    return yk_fail(err, YOKE_E_MEMORY,
                   "out of memory: %zu elements of %zu "
                   "bytes",
                   count, size);
}

yoke_status yk_alloc(void **out, size_t count, size_t size, yoke_err *err)
{
    if (size && count > SIZE_MAX / 2 / size)
        return out_of_memory(count, size, err);
    const size_t bytes = count && size ? count * size : 1;
    void *block = allocator.resize(NULL, bytes);
    if (!block) return out_of_memory(count, size, err);
    memset(block, 0, bytes);
    *out = block;
    return YOKE_OK;
}

yoke_status yk_doubles(double **out, size_t count, yoke_err *err)
{
    return yk_alloc((void **)out, count, sizeof(double), err);
}

yoke_status yk_ints(int **out, size_t count, yoke_err *err)
{
    return yk_alloc((void **)out, count, sizeof(int), err);
}

yoke_status yk_grow(void **block, size_t *capacity, size_t need, size_t size,
                    yoke_err *err)
{
    if (need <= *capacity) return YOKE_OK;
    size_t room = *capacity < 8 ? 8 : *capacity;
    while (room < need) {
        if (room > SIZE_MAX / 2) return out_of_memory(need, size, err);
        room *= 2;
    }
    if (room > SIZE_MAX / 2 / size) return out_of_memory(need, size, err);
    void *grown = allocator.resize(*block, room * size);
    if (!grown) return out_of_memory(need, size, err);
    *block = grown;
    *capacity = room;
    return YOKE_OK;
}

void yk_free(void *block)
{
    if (block) allocator.free(block);
}

yoke_status yk_doubles_all(size_t count, yoke_err *err, size_t blocks,
                           double **const *block)
{
    for (size_t k = 0; k < blocks; k++)
        YK_TRY(yk_doubles(block[k], count, err));
    return YOKE_OK;
}

yoke_status yk_ints_all(size_t count, yoke_err *err, size_t blocks,
                        int **const *block)
{
    for (size_t k = 0; k < blocks; k++) YK_TRY(yk_ints(block[k], count, err));
    return YOKE_OK;
}

void yk_free_all(size_t blocks, void *const *block)
{
    for (size_t k = 0; k < blocks; k++) yk_free(block[k]);
}

static yoke_status copy_block(void **out, const void *from, size_t count,
                              size_t size, yoke_err *err)
{
    void *block = NULL;

    YK_TRY(yk_alloc(&block, count, size, err));
    if (count) memcpy(block, from, count * size);
    *out = block;
    return YOKE_OK;
}

yoke_status yk_print(char **out, yoke_err *err, const char *format, ...)
{
    va_list args, again;

    va_start(args, format);
    va_copy(again, args);
    const size_t room = (size_t)vsnprintf(NULL, 0, format, args) + 1;
    const yoke_status status = yk_alloc((void **)out, room, 1, err);
    if (status == YOKE_OK) vsnprintf(*out, room, format, again);
    va_end(again);
    va_end(args);
    return status;
}

yoke_status yk_copy_text(char **out, const char *text, yoke_err *err)
{
    if (!text) {
        *out = NULL;
        return YOKE_OK;
    }
    return copy_block((void **)out, text, strlen(text) + 1, 1, err);
}

yoke_status yk_copy_doubles(double **out, const double *from, size_t count,
                            yoke_err *err)
{
    return copy_block((void **)out, from, count, sizeof *from, err);
}

yoke_status yk_copy_ints(int **out, const int *from, size_t count,
                         yoke_err *err)
{
    return copy_block((void **)out, from, count, sizeof *from, err);
}
