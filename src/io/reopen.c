/* io/reopen.c -- result files that go on in another process. */
#define _POSIX_C_SOURCE 200809L
#include "base/transfer.h"
#include "io/format.h"
#include "io/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void yk_written_add(yk_written *w, const void *bytes, size_t length)
{
    const unsigned char *p = bytes;

    for (size_t i = 0; i < length; i++) /* Fowler, Noll, Vo */
        w->sum = (w->sum ^ (p[i] + 1U)) * 1099511628211ULL;
    w->size += (long long)length;
}

yoke_status yk_written_differs(const char *path, yoke_err *err)
{
    return yk_fail(err, YOKE_E_FILE,
                   "%s: what it had at the checkpoint is not in it: it is not "
                   "the file of that run any more",
                   path);
}

static yoke_status compare(int file, const char *path, const yk_written *w,
                           yoke_err *err)
{
    yk_written now = { .from = w->from, .size = w->from };
    char bytes[1 << 14];

    while (now.size < w->size) {
        const long long left = w->size - now.size;
        const size_t most =
            left < (long long)sizeof bytes ? (size_t)left : sizeof bytes;
        size_t got = 0;
        const int why = yk_read_bytes(file, bytes, most, now.size, &got);
        if (got == 0)
            return yk_fail(err, YOKE_E_FILE, "%s: cannot read: %s", path,
                           strerror(why ? why : EIO));
        yk_written_add(&now, bytes, got);
    }
    return now.sum == w->sum ? YOKE_OK : yk_written_differs(path, err);
}

yoke_status yk_written_reopen(int *out, const char *path, const yk_written *w,
                              yoke_err *err)
{
    struct stat about;
    yoke_status status = YOKE_OK;
    const int file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);

    if (file < 0)
        return yk_fail(err, YOKE_E_FILE, "%s: cannot go on with it: %s", path,
                       strerror(errno));
    const bool known = fstat(file, &about) == 0 && S_ISREG(about.st_mode);
    if (!known || about.st_size < w->size)
        YK_GO(yk_fail(err, YOKE_E_FILE,
                      "%s: has %lld bytes, and had %lld at the checkpoint: it "
                      "is not the file of that run any more",
                      path, known ? (long long)about.st_size : -1LL, w->size));
    YK_GO(compare(file, path, w, err));
    *out = file;
    return YOKE_OK;
done:
    close(file);
    return status;
}

yoke_status yk_written_cut(int descriptor, const char *path,
                           const yk_written *w, yoke_err *err)
{
    if (descriptor < 0 || (ftruncate(descriptor, (off_t)w->size) == 0 &&
                           lseek(descriptor, (off_t)w->size, SEEK_SET) >= 0))
        return YOKE_OK;
    return yk_fail(err, YOKE_E_FILE, "%s: cannot be cut: %s", path,
                   strerror(errno));
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
