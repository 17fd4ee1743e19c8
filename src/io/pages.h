/* io/pages.h -- a file whose changes reach the disk together or not at all.
 *
 * What is written stays in memory until `commit`.  A process that is killed at
 * any moment, or a disk that is full, leaves the file as some commit left it:
 *
 *     1. space for everything is reserved; without it nothing is changed
 *     2. what lies behind the old end is written there: nobody refers to it
 *     3. pages of the old part go behind the new end, with a checksum: a record
 *        of what is to be done
 *     4. they are written to their places
 *     5. the record is cut off
 *
 * Killed before 3 is complete the old file is whole; after it `open` finds the
 * record and takes the pages from there.  Other readers, which do not know of
 * it, see the old file until 4, and the new one after it.
 *
 * Nothing is synchronised with the disk itself: a machine that loses power may
 * lose more.
 */
#ifndef YK_IO_PAGES_H
#define YK_IO_PAGES_H

#include <stdbool.h>
#include <stddef.h>

enum { YK_PAGE = 4096 };

typedef struct yk_page {
    unsigned long long number;
    unsigned char *bytes;
} yk_page;

typedef struct yk_pages {
    int descriptor;
    unsigned long long end;  /* of the file with what is pending */
    unsigned long long kept; /* of the file as it was committed */
    yk_page *page;           /* pending, numbers increasing */
    size_t pages, room;
    unsigned char **spare; /* pages to be used again */
    size_t spares, spare_room;
    unsigned char *record;
    size_t record_room;
} yk_pages;

/* All return 0 or a number of errno.  A file that is written is made empty. */
int yk_pages_open(yk_pages *file, const char *path, bool write);

/* A file that was written goes on to be. */
int yk_pages_reopen(yk_pages *file, const char *path);

/* Bytes after the end are 0. */
int yk_pages_read(const yk_pages *file, unsigned long long at, size_t size,
                  void *out);
int yk_pages_write(yk_pages *file, unsigned long long at, size_t size,
                   const void *from);

/* Memory for changes of so many bytes between two commits; more is allocated
 * when it is needed. */
int yk_pages_prepare(yk_pages *file, size_t bytes);

/* After a failure the file on the disk is as it was; commit no more. */
int yk_pages_commit(yk_pages *file);

/* Drops what was not committed. */
void yk_pages_close(yk_pages *file);

#endif
