/* base/transfer.c -- see transfer.h. */
#define _POSIX_C_SOURCE 200809L
#include "base/transfer.h"

#include <errno.h>
#include <unistd.h>

int yk_write_bytes(int file, const void *from, size_t size, long long at,
                   size_t *done)
{
    const char *p = from;
    size_t went = 0;
    int why = 0;

    while (went < size && !why) {
        const ssize_t n = at < 0 ? write(file, p + went, size - went)
                                 : pwrite(file, p + went, size - went,
                                          (off_t)at + (off_t)went);
        if (n > 0)
            went += (size_t)n;
        else if (n == 0 || errno != EINTR)
            why = n < 0 ? errno : EIO;
    }
    if (done) *done = went;
    return why;
}

int yk_read_bytes(int file, void *to, size_t size, long long at, size_t *done)
{
    char *p = to;
    size_t went = 0;
    int why = 0;

    while (went < size && !why) {
        const ssize_t n = at < 0 ? read(file, p + went, size - went)
                                 : pread(file, p + went, size - went,
                                         (off_t)at + (off_t)went);
        if (n == 0) break;
        if (n > 0)
            went += (size_t)n;
        else if (errno != EINTR)
            why = errno;
    }
    if (done) *done = went;
    return why;
}
