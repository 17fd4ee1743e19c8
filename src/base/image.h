/* base/image.h -- memory that another process can take up.
 *
 * Once begun, all memory of the library lies in one heap, at addresses that are
 * the same in every process.  What a run knows is in it: states, waveforms,
 * steps, matrices, decisions.  So a checkpoint is the image of the heap, and
 * nothing can be forgotten (docs/methods/checkpoints.md).  Addresses inside the
 * image stay what they are; those of functions and tables of the program and its
 * libraries, which lie elsewhere in the next process, are moved (base/loaded.h).
 *
 * What belongs to one process alone, files that are open and threads, is made
 * again in the next one; what it had in the image is left there.
 */
#ifndef YK_BASE_IMAGE_H
#define YK_BASE_IMAGE_H

#include "base/blocks.h"
#include "yoke/status.h"

#include <stdbool.h>
#include <stddef.h>

/* Processes that are saved together have images at different addresses, their
 * slots, so that one of them can take up those of several.  The memory of this
 * one is in slot 0, unless another is chosen before it begins. */
enum { YK_IMAGE_SLOTS = 1024 };
void yk_image_choose(int slot);

/* Memory of the library comes from the image from now on, that of all threads.
 * Before the first call of anything that is to be in it. */
yoke_status yk_image_begin(yoke_err *err);
bool yk_image_on(void);

/* The allocator, for libraries that take one (la/foreign.c). */
void *yk_image_resize(void *old, size_t bytes);
void yk_image_release(void *block); /* accepts NULL */

/* Bytes of an image: how it is divided, then the blocks that are in use. */
typedef yk_blocks yk_image_layout;

void yk_image_now(int slot, yk_image_layout *out);

/* The next piece of the image behind *at, which begins at 0; false: no more. */
typedef struct yk_image_place {
    int chunk;
    size_t offset;
    int slot;
} yk_image_place;
bool yk_image_next(yk_image_place *at, const char **bytes, size_t *length);

/* Do these bytes fill this layout?  Addresses of free blocks are checked, too. */
bool yk_image_fits(const yk_image_layout *then, const char *bytes, size_t size);

/* Takes them up, in a process that has none in that slot yet; what is allocated
 * from then on is in the first slot that was taken, unless another is entered:
 * what a slot refers to must be in it, since the next process may not have the
 * others.  Enters one of those that were taken and returns the one before. */
int yk_image_enter(int slot);
yoke_status yk_image_take(const yk_image_layout *then, const char *bytes,
                          yoke_err *err);

/* Is there a block in use that begins at `address`, with so many bytes? */
bool yk_image_has(const void *address, size_t bytes);

#endif
