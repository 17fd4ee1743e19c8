/* base/image.c -- memory that another process can take up.
 *
 * Chunks of memory (base/blocks.h) are at fixed addresses and are never given
 * back.
 *
 * There is one allocator of the library in a process, and so one heap that it
 * takes from; heaps of other slots are those of processes that this one has taken
 * up.  Blocks go back to the heap that they came from.
 */
#define _GNU_SOURCE
#include "base/image.h"

#include "base/base.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HEADER = YK_BLOCK_HEADER };

/* Far from where the system puts programs, libraries and stacks, and where the
 * sanitizers leave room. */
#define BASE ((uintptr_t)0x200000000000)

/* The first slot has all chunks, 4 TB; the others lie behind it, 32 GB each: 1023
 * of them end below 0x44.., where programs begin at 0x55.. */
enum { FEW_CHUNKS = 17 };
#define FIRST_ROOM ((uintptr_t)yk_chunk_size(YK_BLOCK_CHUNKS))
#define OTHER_ROOM ((uintptr_t)yk_chunk_size(FEW_CHUNKS))

typedef struct heap {
    yk_image_layout now;
    bool mapped[YK_BLOCK_CHUNKS];
} heap;

static struct {
    bool on;
    int slot; /* that memory is taken from */
    atomic_flag lock;
    heap heap[YK_IMAGE_SLOTS];
} image = { .lock = ATOMIC_FLAG_INIT };

/* ---- places ------------------------------------------------------------- */

static uintptr_t base_of(int slot)
{
    return slot == 0 ? BASE
                     : BASE + FIRST_ROOM + (uintptr_t)(slot - 1) * OTHER_ROOM;
}

static int chunks_of(int slot)
{
    return slot == 0 ? YK_BLOCK_CHUNKS : FEW_CHUNKS;
}

/* The slot of an address; -1: it is in none. */
static int slot_of(const void *block)
{
    const uintptr_t far = (uintptr_t)block - BASE;

    if (far < FIRST_ROOM) return 0;
    return far - FIRST_ROOM < (YK_IMAGE_SLOTS - 1) * OTHER_ROOM
               ? 1 + (int)((far - FIRST_ROOM) / OTHER_ROOM)
               : -1;
}

/* Chunk i begins as far behind the base as it is long. */
static char *chunk_at(int slot, int i)
{
    return (char *)(base_of(slot) + yk_chunk_size(i)); // NOLINT
}

static bool is_mine(const void *block)
{
    return slot_of(block) >= 0;
}

/* ---- allocation --------------------------------------------------------- */

static bool need_chunk(int slot, int i)
{
    heap *h = &image.heap[slot];

    if (h->mapped[i]) return true;
    void *at =
        mmap(chunk_at(slot, i), yk_chunk_size(i), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE,
             -1, 0);
    if (at == MAP_FAILED) return false;
    if (at != chunk_at(slot, i)) { /* an old kernel does not know the flag */
        munmap(at, yk_chunk_size(i));
        return false;
    }
    h->mapped[i] = true;
    return true;
}

static char *chunk(void *self, int i)
{
    (void)self;
    return i < chunks_of(image.slot) && need_chunk(image.slot, i)
               ? chunk_at(image.slot, i)
               : NULL;
}

static void give_back(char *block)
{
    yk_block_give_back(&image.heap[slot_of(block)].now, block);
}

/* Allocations are few and short, and nobody sleeps inside. */
static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&image.lock, memory_order_acquire))
        sched_yield();
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&image.lock, memory_order_release);
}

void *yk_image_resize(void *old, size_t bytes)
{
    if (old && !is_mine(old)) return realloc(old, bytes);
    const size_t before = old ? yk_block_size(old) : 0;
    if (old && bytes <= before) return old;
    lock();
    char *block =
        yk_block_take(&image.heap[image.slot].now, bytes, chunk, NULL);
    if (block && old) {
        memcpy(block, old, before);
        give_back(old);
    }
    unlock();
    return block;
}

void yk_image_release(void *block)
{
    if (!block) return;
    if (!is_mine(block)) {
        free(block);
        return;
    }
    lock();
    give_back(block);
    unlock();
}

bool yk_image_on(void)
{
    return image.on;
}

static void turn_on(void)
{
    const yoke_allocator own = { yk_image_resize, yk_image_release };

    image.on = true;
    yoke_set_allocator(&own);
}

static yoke_status no_place(int slot, size_t bytes, yoke_err *err)
{
    return yk_fail(err, YOKE_E_MEMORY,
                   "no memory of %zu bytes at the fixed addresses that "
                   "checkpoints need (from %#llx on)",
                   bytes, (unsigned long long)base_of(slot));
}

void yk_image_choose(int slot)
{
    if (!image.on) image.slot = slot;
}

int yk_image_enter(int slot)
{
    const int before = image.slot;

    if (image.on && slot >= 0 && slot < YK_IMAGE_SLOTS &&
        image.heap[slot].now.chunks > 0)
        image.slot = slot;
    return before;
}

yoke_status yk_image_begin(yoke_err *err)
{
    if (image.on) return YOKE_OK;
    if (image.slot < 0 || image.slot >= YK_IMAGE_SLOTS)
        return yk_fail(err, YOKE_E_ARG,
                       "checkpoints of more than %d processes cannot be made",
                       YK_IMAGE_SLOTS);
    if (!need_chunk(image.slot, 0))
        return no_place(image.slot, yk_chunk_size(0), err);
    turn_on();
    return YOKE_OK;
}

/* ---- the image ---------------------------------------------------------- */

void yk_image_now(int slot, yk_image_layout *out)
{
    *out = image.heap[slot].now;
    out->slot = slot;
}

bool yk_image_next(yk_image_place *at, const char **bytes, size_t *length)
{
    const yk_image_layout *now = &image.heap[at->slot].now;

    while (at->chunk < now->chunks && at->offset >= now->used[at->chunk]) {
        at->chunk++;
        at->offset = 0;
    }
    if (at->chunk >= now->chunks) return false;
    const char *block = chunk_at(at->slot, at->chunk) + at->offset + HEADER;
    *bytes = block - HEADER;
    *length = yk_block_kept(block);
    at->offset += yk_block_size(block) + HEADER;
    return true;
}

/* A free block of this layout, as far as its address tells. */
static bool may_be_free(const yk_image_layout *then, const void *block)
{
    for (int i = 0; i < then->chunks; i++) {
        const uintptr_t from = (uintptr_t)chunk_at(then->slot, i) + HEADER;
        if ((uintptr_t)block - from < then->used[i])
            return (uintptr_t)block % HEADER == 0;
    }
    return !block;
}

static bool sizes_are_right(const yk_image_layout *then)
{
    if (then->slot < 0 || then->slot >= YK_IMAGE_SLOTS) return false;
    if (then->chunks < 0 || then->chunks > chunks_of(then->slot)) return false;
    for (int i = 0; i < then->chunks; i++)
        if (then->used[i] > yk_chunk_size(i) || then->used[i] % HEADER != 0)
            return false;
    for (int i = 0; i < YK_BLOCK_CLASSES; i++)
        if (!may_be_free(then, then->empty[i])) return false;
    return true;
}

/* The block at `bytes`: is it one that this chunk may have? */
static bool block_fits(const yk_image_layout *then, const char *bytes,
                       size_t left, size_t room)
{
    size_t size = 0;
    void *next = NULL;

    if (left < HEADER + sizeof(void *)) return false;
    const char *block = bytes + HEADER;
    if (yk_block_size(block) < 16 || yk_block_size(block) > room) return false;
    yk_block_class(yk_block_size(block), &size);
    if (size != yk_block_size(block) || yk_block_kept(block) > left)
        return false;
    memcpy(&next, block, sizeof next);
    return yk_block_is_live(block) || may_be_free(then, next);
}

bool yk_image_fits(const yk_image_layout *then, const char *bytes, size_t size)
{
    size_t at = 0;

    if (!sizes_are_right(then)) return false;
    for (int i = 0; i < then->chunks; i++) {
        size_t k = 0;
        while (k < then->used[i]) {
            const size_t room = then->used[i] - k;
            if (room < HEADER ||
                !block_fits(then, bytes + at, size - at, room - HEADER))
                return false;
            k += yk_block_size(bytes + at + HEADER) + HEADER;
            at += yk_block_kept(bytes + at + HEADER);
        }
    }
    return at == size;
}

yoke_status yk_image_take(const yk_image_layout *then, const char *bytes,
                          yoke_err *err)
{
    const int slot = then->slot;

    if (image.on && (slot == image.slot || image.heap[slot].now.chunks > 0))
        return yk_fail(err, YOKE_E_ARG,
                       "this process has memory of another run already");
    for (int i = 0; i < then->chunks; i++)
        if (then->used[i] && !need_chunk(slot, i))
            return no_place(slot, yk_chunk_size(i), err);
    image.heap[slot].now = *then;
    for (int i = 0; i < then->chunks; i++)
        for (size_t k = HEADER; k < then->used[i];) {
            char *block = chunk_at(slot, i) + k;
            const size_t kept = yk_block_kept(bytes + HEADER);
            memcpy(block - HEADER, bytes, kept);
            bytes += kept;
            k += yk_block_size(block) + HEADER;
        }
    if (image.on) return YOKE_OK;
    image.slot = slot;
    turn_on();
    return YOKE_OK;
}

bool yk_image_has(const void *address, size_t bytes)
{
    yk_image_place at = { 0, 0, slot_of(address) };
    const char *piece = NULL;
    size_t length = 0;

    while (at.slot >= 0 && yk_image_next(&at, &piece, &length))
        if (piece + HEADER == address)
            return yk_block_is_live(piece + HEADER) &&
                   yk_block_size(piece + HEADER) >= bytes;
    return false;
}
