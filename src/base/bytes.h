/* base/bytes.h -- a file as text in memory. */
#ifndef YK_BYTES_H
#define YK_BYTES_H

#include "base/base.h"

/* Devices and pipes may never end, so only regular files are read. */
yoke_status yk_bytes_readable(const char *path, yoke_err *err);

/* At most `most_mib` MiB, with a zero behind them; the caller frees *text. */
yoke_status yk_bytes_read(char **text, size_t *length, const char *path,
                          int most_mib, yoke_err *err);

#endif
