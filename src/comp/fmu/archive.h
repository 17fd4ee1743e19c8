/* comp/fmu/archive.h -- FMUs and SSP packages: zip archives, unpacked. */
#ifndef YK_FMU_ARCHIVE_H
#define YK_FMU_ARCHIVE_H

#include "base/base.h"

/* Unpacks `path`, or copies it if it is a folder, into a new folder below that
 * for temporary files; *folder belongs to the caller.  Names that lead out of the folder, links, and more
 * than 4 GiB or 100,000 files in all are refused. */
yoke_status yk_archive_unpack(char **folder, const char *path, yoke_err *err);

/* Writes the files of `folder` to the archive `path`, in the order of their names
 * and without their times: the same files give the same bytes.  An archive that is
 * there is replaced when all is written. */
yoke_status yk_archive_pack(const char *path, const char *folder,
                            yoke_err *err);

/* Does a path lead to a file in the folder?  Relative, without "..", backslashes
 * or anything a shell or a path would take for something else. */
bool yk_archive_is_inside(const char *name);

/* Removes the folder with all that is in it, and frees the name.  Accepts NULL.
 */
void yk_archive_remove(char *folder);

/* One file of a folder as a text with '\0' behind it. */
yoke_status yk_archive_read(char **text, size_t *length, const char *folder,
                            const char *name, size_t most, yoke_err *err);

/* One file of an archive, without unpacking it. */
yoke_status yk_archive_entry(char **text, size_t *length, const char *path,
                             const char *name, size_t most, yoke_err *err);

/* Names of the files right in a folder that end in `end`, sorted; the list and
 * the names belong to the caller, also on failure. */
yoke_status yk_archive_list(char ***name, int *count, const char *folder,
                            const char *end, yoke_err *err);

/* What goes into a new archive: a text, or a file. */
typedef struct yk_archive_item {
    const char *name, *text, *file; /* one of text and file */
} yk_archive_item;

/* Writes an archive; one that is there is replaced when the new one is whole.
 */
yoke_status yk_archive_write(const char *path, int count,
                             const yk_archive_item *item, yoke_err *err);

#endif
