/* base/beside.c -- files that are installed with the library. */
#define _GNU_SOURCE /* dladdr */
#include "base/beside.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The file that this code is in.  Of a program the linker knows no more than the
 * word that it was called by, which may be found by PATH. */
static const char *own_file(char *program, size_t room)
{
    static const char anchor = 0;
    Dl_info here;

    if (!dladdr(&anchor, &here) || !here.dli_fname) return NULL;
    if (strcmp(here.dli_fname, program_invocation_name) != 0)
        return here.dli_fname;
    const ssize_t length = readlink("/proc/self/exe", program, room - 1);
    if (length <= 0) return here.dli_fname;
    program[length] = '\0';
    return program;
}

yoke_status yk_beside(const char *name, int mode, const char *hint, char *path,
                      size_t room, yoke_err *err)
{
    static const char *const places[] = { "", "../libexec/yoke/",
                                          "../../libexec/yoke/", "../" };
    char program[PATH_MAX];
    const char *file = own_file(program, sizeof program);

    if (!file) return yk_fail(err, YOKE_E_MISSING, "the library is not found");
    const char *slash = strrchr(file, '/');
    const int folder = slash ? (int)(slash - file + 1) : 0;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const int used =
            snprintf(path, room, "%.*s%s%s", folder, file, places[i], name);
        if (used >= 0 && (size_t)used < room && access(path, mode) == 0)
            return YOKE_OK;
    }
    return yk_fail(err, YOKE_E_MISSING, "%s is not beside %.300s%s", name, file,
                   hint);
}
