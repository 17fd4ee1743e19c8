/* fmi/heap.h -- the memory of one instance of an FMU.
 *
 * Everything that the run of an instance allocates lies in its own heap, the
 * memory of foreign libraries too (fmi/wrap.c).  So the state of an instance is
 * the image of its heap: saved by a copy, restored by another one, whatever
 * solvers, iterations and models have in it.  After that allocations go on as they
 * did, so the same calls give the same bits.
 *
 * A saved image can be written as bytes and read in another process that has
 * loaded the same binary.  There the heap and the binary lie at other addresses:
 * words that are addresses in one of the two are moved (see yk_heap_read).
 */
#ifndef YK_FMI_HEAP_H
#define YK_FMI_HEAP_H

#include "yoke/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct yk_heap yk_heap;
typedef struct yk_saved_heap yk_saved_heap;

/* An empty heap, or NULL: no memory. */
yk_heap *yk_heap_create(void);
void yk_heap_free(yk_heap *heap); /* all that is in it; accepts NULL */

/* This thread allocates from `heap` from now on, NULL: from that of the
 * process.  Returns the one before. */
yk_heap *yk_heap_enter(yk_heap *heap);

/* Allocation from the heap of this thread; `old` may be of that heap or of the
 * process.  NULL: no memory. */
void *yk_heap_resize(void *old, size_t bytes);
void yk_heap_release(void *block); /* accepts NULL */

/* One address that is kept with the heap, and found again in its images. */
void yk_heap_set_root(yk_heap *heap, void *root);
void *yk_heap_root(const yk_heap *heap);

/* A copy of the heap; *image, if not NULL, is used again. */
yoke_status yk_heap_save(yk_saved_heap **image, const yk_heap *heap,
                         yoke_err *err);
yoke_status yk_heap_restore(const yk_saved_heap *image, yk_heap *heap,
                            yoke_err *err);
void yk_saved_heap_free(yk_saved_heap *image); /* accepts NULL */

/* As bytes: how many, written to `out`, and back into a new image for `heap`.
 * `key` names the FMU; bytes of another one, or damaged ones, are refused. */
size_t yk_saved_heap_size(const yk_saved_heap *image);
void yk_heap_write(const yk_saved_heap *image, const char *key, void *out);
yoke_status yk_heap_read(yk_saved_heap **image, yk_heap *heap, const char *key,
                         const void *bytes, size_t size, yoke_err *err);

#endif
