/* base/beside.c -- files that are installed with the library. */
#define _GNU_SOURCE /* dladdr */
#include "base/beside.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

yoke_status yk_beside(const char *name, int mode, const char *hint, char *path,
                      size_t room, yoke_err *err)
{
    static const char *const places[] = { "", "../libexec/yoke/",
                                          "../../libexec/yoke/", "../" };
    static const char anchor = 0;
    Dl_info here;

    if (!dladdr(&anchor, &here) || !here.dli_fname)
        return yk_fail(err, YOKE_E_MISSING, "the library is not found");
    const char *slash = strrchr(here.dli_fname, '/');
    const int folder = slash ? (int)(slash - here.dli_fname + 1) : 0;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const int used = snprintf(path, room, "%.*s%s%s", folder,
                                  here.dli_fname, places[i], name);
        if (used >= 0 && (size_t)used < room && access(path, mode) == 0)
            return YOKE_OK;
    }
    return yk_fail(err, YOKE_E_MISSING, "%s is not beside %.300s%s", name,
                   here.dli_fname, hint);
}
