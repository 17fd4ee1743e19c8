/* fmi/wrap.c -- malloc and its like for everything that is linked into the
 * binary of an FMU: the linker sends their calls here (--wrap). */
#include "fmi/heap.h"

#include <stdint.h>
#include <string.h>

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t bytes);
void __wrap_free(void *block);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t bytes)
{
    return yk_heap_resize(NULL, bytes ? bytes : 1);
}

void *__wrap_calloc(size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size) return NULL;
    const size_t bytes = count && size ? count * size : 1;
    void *block = yk_heap_resize(NULL, bytes);

    if (block) memset(block, 0, bytes);
    return block;
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return yk_heap_resize(old, bytes ? bytes : 1);
}

void __wrap_free(void *block)
{
    yk_heap_release(block);
}

char *__wrap_strdup(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = yk_heap_resize(NULL, bytes);

    return copy ? memcpy(copy, text, bytes) : NULL;
}
