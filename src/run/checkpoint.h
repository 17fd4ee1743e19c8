/* run/checkpoint.h -- the file of a checkpoint.
 *
 *     head     sizes of what follows, addresses of the run and what is beside it
 *     about    pairs of texts: version, command line, files, libraries
 *     layout   of the image (base/image.h)
 *     image
 *     digest   of everything before it
 */
#ifndef YK_RUN_CHECKPOINT_H
#define YK_RUN_CHECKPOINT_H

#include "base/image.h"
#include "base/loaded.h"
#include "io/text.h"

#include <stdint.h>

enum { YK_CHECKPOINT_FORMAT = 1 };

typedef struct yk_checkpoint_head {
    char magic[8];
    uint64_t format, about, layout, image; /* sizes in bytes */
    uint64_t run, beside;                  /* addresses */
    double t;                              /* time reached */
} yk_checkpoint_head;

/* Writes the image of this process; sizes of `head` are filled in.  The file at
 * `path` is replaced when the new one is complete, and kept as PATH.old. */
yoke_status yk_checkpoint_save(const char *path, yk_checkpoint_head *head,
                               const yk_text *about, yoke_err *err);

/* A file in memory, checked: sizes, digest, layout. */
typedef struct yk_checkpoint_bytes {
    char *bytes; /* of the process, not of the image */
    size_t size;
    yk_checkpoint_head head;
    const char *about;
    yk_image_layout layout;
    char *image;
} yk_checkpoint_bytes;

yoke_status yk_checkpoint_load(yk_checkpoint_bytes *out, const char *path,
                               yoke_err *err);
/* The same of bytes in memory, which it takes. */
yoke_status yk_checkpoint_parse(yk_checkpoint_bytes *out, char *bytes,
                                size_t size, const char *path, yoke_err *err);
void yk_checkpoint_clear(yk_checkpoint_bytes *bytes);

/* The next pair of `about` behind *at, which begins at 0; false: no more. */
bool yk_checkpoint_pair(const yk_checkpoint_bytes *bytes, size_t *at,
                        const char **key, const char **value);

#endif
