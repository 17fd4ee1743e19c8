/* io/lock.c -- one run writes to a file at a time.
 *
 * The lock belongs to a descriptor of its own, so it holds while formats open, cut
 * and close the file, and ends with the process whatever happens to it.  File
 * systems without locks do without.
 */
#define _DEFAULT_SOURCE
#include "io/format.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

yoke_status yk_file_lock(int *lock, const char *path, yoke_err *err)
{
    struct stat about;

    *lock = -1;
    if (yk_stream(path) >= 0 || stat(path, &about) != 0 ||
        !S_ISREG(about.st_mode))
        return YOKE_OK;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return YOKE_OK; /* who may not read it may still write it */
    if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(file);
        return yk_fail(err, YOKE_E_FILE,
                       "%s: another run is writing to it; wait for its end, or "
                       "choose another name",
                       path);
    }
    *lock = file;
    return YOKE_OK;
}

void yk_file_unlock(int lock)
{
    if (lock >= 0) close(lock);
}
