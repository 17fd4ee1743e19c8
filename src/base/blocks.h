/* base/blocks.h -- sizes of the blocks of a heap. */
#ifndef YK_BASE_BLOCKS_H
#define YK_BASE_BLOCKS_H

#include <stddef.h>

/* The class of a block, and how long its blocks are: 16, 32, 48, 64, then four
 * for each power of two: 80, 96, 112, 128, 160, ... */
static inline int yk_block_class(size_t bytes, size_t *size)
{
    const size_t need = bytes < 16 ? 16 : bytes;
    int shift = 4;

    while (((size_t)8 << shift) < need) shift++;
    const size_t unit = (size_t)1 << shift;
    const size_t k = (need + unit - 1) / unit; /* at most 8; 5 or more behind
                                                  the first power */
    *size = unit * k;
    return 4 * (shift - 4) + (int)k - 1;
}

#endif
