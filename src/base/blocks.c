/* base/blocks.c -- blocks of a heap whose memory is kept as an image. */
#include "base/blocks.h"

#include <string.h>

enum { MOST_SHIFT = 38 }; /* no block is larger than 2^38 */

/* 16, 32, 48, 64, then four for each power of two: 80, 96, 112, 128, 160, ... */
int yk_block_class(size_t bytes, size_t *size)
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

size_t yk_block_size(const char *block)
{
    size_t size;

    memcpy(&size, block - YK_BLOCK_HEADER, sizeof size);
    return size;
}

bool yk_block_is_live(const char *block)
{
    size_t live;

    memcpy(&live, block - YK_BLOCK_HEADER + sizeof live, sizeof live);
    return live != 0;
}

static void set_live(char *block, bool live)
{
    const size_t word = live;

    memcpy(block - YK_BLOCK_HEADER + sizeof word, &word, sizeof word);
}

size_t yk_block_kept(const char *block)
{
    return YK_BLOCK_HEADER +
           (yk_block_is_live(block) ? yk_block_size(block) : sizeof(void *));
}

/* A chunk with room for `bytes` becomes the last one in use; smaller ones are
 * left out. */
static char *add_chunk(yk_blocks *b, size_t bytes, yk_chunk *chunk, void *self)
{
    int i = b->chunks;

    while (i < YK_BLOCK_CHUNKS && yk_chunk_size(i) < bytes) b->used[i++] = 0;
    char *at = i < YK_BLOCK_CHUNKS ? chunk(self, i) : NULL;
    if (!at) return NULL;
    b->used[i] = 0;
    b->chunks = i + 1;
    return at;
}

static char *take_empty(yk_blocks *b, int class)
{
    char *block = b->empty[class];

    memcpy(&b->empty[class], block, sizeof(void *));
    memset(block, 0, sizeof(void *));
    set_live(block, true);
    return block;
}

char *yk_block_take(yk_blocks *b, size_t bytes, yk_chunk *chunk, void *self)
{
    size_t size = 0;

    if (bytes > (size_t)1 << MOST_SHIFT) return NULL;
    const int class = yk_block_class(bytes, &size);
    if (b->empty[class]) return take_empty(b, class);
    const size_t whole = size + YK_BLOCK_HEADER;
    const int last = b->chunks - 1;
    const bool fits = last >= 0 && yk_chunk_size(last) - b->used[last] >= whole;
    char *const at =
        fits ? chunk(self, last) : add_chunk(b, whole, chunk, self);
    if (!at) return NULL;
    size_t *const used = &b->used[b->chunks - 1];
    char *block = at + *used + YK_BLOCK_HEADER;
    *used += whole;
    memcpy(block - YK_BLOCK_HEADER, &size, sizeof size);
    set_live(block, true);
    return block;
}

void yk_block_give_back(yk_blocks *b, char *block)
{
    size_t size = 0;
    const int class = yk_block_class(yk_block_size(block), &size);

    memset(block, 0, yk_block_size(block));
    memcpy(block, &b->empty[class], sizeof(void *));
    set_live(block, false);
    b->empty[class] = block;
}
