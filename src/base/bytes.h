/* base/bytes.h -- a file as text in memory. */
#ifndef YK_BYTES_H
#define YK_BYTES_H

#include "base/base.h"

/* Devices and pipes may never end, so only regular files are read. */
yoke_status yk_bytes_readable(const char *path, yoke_err *err);

/* At most `most_mib` MiB, with a zero behind them; the caller frees *text. */
yoke_status yk_bytes_read(char **text, size_t *length, const char *path,
                          int most_mib, yoke_err *err);

/* Adds the file of the same folder that is called nearly so, if there is one,
 * to a message that says that there is no file `path`. */
void yk_suggest_file(const char *path, yoke_err *err);

#endif
