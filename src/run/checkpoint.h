/* run/checkpoint.h -- the file of a checkpoint.
 *
 *     head     sizes of what follows, addresses of the run and what is beside it
 *     about    pairs of texts: version, command line, files, libraries
 *     layout   of the image (base/image.h)
 *     image
 *     sections one for each process that served the run: sizes, libraries, layout
 *              and image of its memory
 *     digest   of everything before it
 */
#ifndef YK_RUN_CHECKPOINT_H
#define YK_RUN_CHECKPOINT_H

#include "base/image.h"
#include "base/loaded.h"
#include "io/text.h"
#include "yoke/graph.h"

#include <stdint.h>

enum { YK_CHECKPOINT_FORMAT = 2 };

typedef struct yk_checkpoint_head {
    char magic[8];
    uint64_t format, about, layout, image; /* sizes in bytes */
    uint64_t run, beside;                  /* addresses */
    uint64_t places;                       /* what other processes have */
    uint64_t sections;
    double t; /* time reached */
} yk_checkpoint_head;

/* Of a section: sizes, and the address of what that process served with. */
typedef struct yk_section_head {
    uint64_t about, layout, image, kept;
} yk_section_head;

/* Writes the image of this process; sizes of `head` are filled in.  The file at
 * `path` is replaced when the new one is complete, and kept as PATH.old.  more:
 * gives the sections, by yk_places; or NULL. */
struct yk_places;
yoke_status yk_checkpoint_save(const char *path, yk_checkpoint_head *head,
                               const yk_text *about,
                               const struct yk_places *more, yoke_err *err);

/* The bytes of a section whose libraries are known; NULL: no memory. */
char *yk_section_pack(int slot, const void *kept, const yk_text *about,
                      size_t *size);

/* A section: the memory of this process in `slot`, and the address of something in
 * it.  The bytes are those of malloc. */
yoke_status yk_section_make(int slot, const void *kept, char **bytes,
                            size_t *size, yoke_err *err);

/* The memory of one process, checked; borrowed from the bytes that it was read
 * from.  whole: these bytes, of a section. */
typedef struct yk_checkpoint_part {
    const char *about;
    size_t about_size;
    yk_image_layout layout;
    char *image;
    size_t image_size;
    uint64_t kept;
    char *whole;
    size_t whole_size;
} yk_checkpoint_part;

/* Reads a section, which may be followed by others: *used is its length. */
yoke_status yk_section_parse(yk_checkpoint_part *out, char *bytes, size_t size,
                             size_t *used, yoke_err *err);

/* Takes it up: memory is that of the section from now on, and *kept what it was
 * made with. */
yoke_status yk_section_take(yk_checkpoint_part *section, void **kept,
                            yoke_err *err);

/* Closed parts of a graph that was taken up get what has another place in this
 * process, such as folders, from one that was read again. */
yoke_status yk_checkpoint_renew(const yoke_graph *graph,
                                const yoke_graph *fresh, yoke_err *err);

/* A file in memory, checked: sizes, digest, layout. */
typedef struct yk_checkpoint_bytes {
    char *bytes; /* of the process, not of the image */
    size_t size;
    yk_checkpoint_head head;
    yk_checkpoint_part own;
    yk_checkpoint_part *section;
} yk_checkpoint_bytes;

/* Nobody else saves a run in this file as long as this process lives, or until
 * it holds another; nothing if it is not there. */
yoke_status yk_checkpoint_hold(const char *path, yoke_err *err);

yoke_status yk_checkpoint_load(yk_checkpoint_bytes *out, const char *path,
                               yoke_err *err);
/* The same of bytes in memory, which it takes. */
yoke_status yk_checkpoint_parse(yk_checkpoint_bytes *out, char *bytes,
                                size_t size, const char *path, yoke_err *err);
void yk_checkpoint_clear(yk_checkpoint_bytes *bytes);

/* The next pair of `about` behind *at, which begins at 0; false: no more. */
bool yk_checkpoint_pair(const yk_checkpoint_part *part, size_t *at,
                        const char **key, const char **value);

#endif
