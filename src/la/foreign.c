/* la/foreign.c -- where SuiteSparse has its memory from. */
#include "la/foreign.h"

#include "base/image.h"

#include <stdint.h>
#include <string.h>
#include <suitesparse/SuiteSparse_config.h>

static void *new_block(size_t bytes)
{
    return yk_image_resize(NULL, bytes);
}

static void *new_zeros(size_t count, size_t size)
{
    if (size && count > SIZE_MAX / 2 / size) return NULL;
    void *block = yk_image_resize(NULL, count * size);
    if (block) memset(block, 0, count * size);
    return block;
}

void yk_foreign_image(void)
{
#if SUITESPARSE_MAIN_VERSION < 6
    SuiteSparse_config.malloc_func = new_block;
    SuiteSparse_config.calloc_func = new_zeros;
    SuiteSparse_config.realloc_func = yk_image_resize;
    SuiteSparse_config.free_func = yk_image_release;
#else
    SuiteSparse_config_malloc_func_set(new_block);
    SuiteSparse_config_calloc_func_set(new_zeros);
    SuiteSparse_config_realloc_func_set(yk_image_resize);
    SuiteSparse_config_free_func_set(yk_image_release);
#endif
}
