/* yoke/export.h -- a system as something that other programs run.
 *
 * A co-simulation FMU holds the files of the system and a binary that reads and
 * solves them; it runs where Yoke is not installed (docs/manual/export.md).
 */
#ifndef YOKE_EXPORT_H
#define YOKE_EXPORT_H

#include "yoke/file.h"

YOKE_BEGIN_C

typedef struct yoke_export_options {
    int fmi;                     /* version of the standard, 2 or 3; 0: 3 */
    const yoke_run_options *run; /* NULL: those of the file */
    int settings;                /* with which the file was read */
    const yoke_setting *setting;
} yoke_export_options;

/* Writes the system that was read from `path` to the FMU `out`.  What cannot be
 * carried along is refused by name.  `options` may be NULL. */
YOKE_API yoke_status yoke_export_fmu(yoke_file *file, const char *path,
                                     const char *out,
                                     const yoke_export_options *options,
                                     yoke_err *err);

YOKE_END_C

#endif
