/* fmi/folder.c -- where the resources of an FMU are. */
#define _GNU_SOURCE
#include "fmi/folder.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int hex(char c)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *at = c ? strchr(digits, c) : NULL;

    return at ? (int)((at - digits) % 16) : -1;
}

/* %20 is a blank. */
static void decode(char *text)
{
    char *to = text;

    for (const char *p = text; *p; p++) {
        const bool coded = *p == '%' && hex(p[1]) >= 0 && hex(p[2]) >= 0;
        *to++ = coded ? (char)(16 * hex(p[1]) + hex(p[2])) : *p;
        if (coded) p += 2;
    }
    *to = '\0';
}

/* binaries/PLATFORM/x.so -> resources */
static yoke_status beside_binary(char *out, size_t room, yoke_err *err)
{
    static const char anchor = 0;
    Dl_info here;

    if (!dladdr(&anchor, &here) || !here.dli_fname ||
        !strrchr(here.dli_fname, '/'))
        return yk_fail(err, YOKE_E_FILE,
                       "the place of the resources was not given");
    const int folder = (int)(strrchr(here.dli_fname, '/') - here.dli_fname);
    const int wrote =
        snprintf(out, room, "%.*s/../../resources", folder, here.dli_fname);
    if (wrote > 0 && (size_t)wrote < room) return YOKE_OK;
    return yk_fail(err, YOKE_E_FILE, "the path of the binary is too long");
}

yoke_status yk_fmi_folder(const char *given, char *out, size_t room,
                          yoke_err *err)
{
    static const char scheme[] = "file:";

    if (!given || !given[0]) return beside_binary(out, room, err);
    const bool uri = strncmp(given, scheme, strlen(scheme)) == 0;
    const char *path = uri ? given + strlen(scheme) : given;
    if (uri && strncmp(path, "//", 2) == 0) {
        path += 2;
        path += strcspn(path, "/"); /* a host name, which is ours */
    }
    if (strlen(path) + 1 > room)
        return yk_fail(err, YOKE_E_FILE,
                       "the path of the resources is too "
                       "long");
    strcpy(out, path);
    if (uri) decode(out);
    for (size_t n = strlen(out); n > 1 && out[n - 1] == '/'; n--)
        out[n - 1] = '\0';
    return YOKE_OK;
}
