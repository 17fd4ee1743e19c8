/* io/reopen.c -- result files that go on in another process. */
#define _POSIX_C_SOURCE 200809L
#include "io/format.h"
#include "io/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

yoke_status yk_file_reopen(int *out, const char *path, long long size,
                           yoke_err *err)
{
    struct stat about;
    const int file = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);

    if (file < 0)
        return yk_fail(err, YOKE_E_FILE, "%s: cannot go on with it: %s", path,
                       strerror(errno));
    const bool known = fstat(file, &about) == 0 && S_ISREG(about.st_mode);
    if (!known || about.st_size < size) {
        close(file);
        return yk_fail(err, YOKE_E_FILE,
                       "%s: has %lld bytes, and had %lld at the checkpoint: it "
                       "is not the file of that run any more",
                       path, known ? (long long)about.st_size : -1LL, size);
    }
    if (ftruncate(file, (off_t)size) != 0 ||
        lseek(file, (off_t)size, SEEK_SET) < 0) {
        const int code = errno;
        close(file);
        return yk_fail(err, YOKE_E_FILE, "%s: cannot be cut: %s", path,
                       strerror(code));
    }
    *out = file;
    return YOKE_OK;
}

yoke_status yk_file_sync(int descriptor, const char *path, yoke_err *err)
{
    struct stat about;

    if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode))
        return yk_fail(
            err, YOKE_E_ARG,
            "%s is not a regular file, so nothing of it can be taken "
            "back: write the result to a file",
            path);
    if (fsync(descriptor) != 0 && errno != EINTR && errno != EINVAL)
        return yk_cannot_write(path, errno, err);
    return YOKE_OK;
}
