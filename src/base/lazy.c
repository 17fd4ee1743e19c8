/* base/lazy.c -- libraries that are loaded when they are needed first. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "base/lazy.h"

#include <dlfcn.h>
#include <string.h>

/* A program that is linked with the library itself may have its variables moved
 * to its own data; then those count. */
static void *find(void *handle, const char *name, bool shared)
{
    void *at = dlsym(handle, name);
    void *global = shared ? dlsym(RTLD_DEFAULT, name) : NULL;

    return global ? global : at;
}

yoke_status yk_lazy_load(const char *library, const yk_lazy_name *list,
                         int count, yoke_err *err)
{
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);

    if (!handle)
        return yk_fail(err, YOKE_E_MISSING,
                       "the library %s cannot be loaded: %.300s; is its "
                       "package installed?",
                       library, dlerror());
    const bool shared = dlsym(RTLD_DEFAULT, list[0].name) ==
                        dlsym(handle, list[0].name); /* a function */
    for (int i = 0; i < count; i++) {
        void *at = find(handle, list[i].name, shared);
        if (!at)
            return yk_fail(err, YOKE_E_MISSING,
                           "the library %s has no %s: it is another version",
                           library, list[i].name);
        memcpy(list[i].to, &at, sizeof at); /* ISO C has no other way */
    }
    return YOKE_OK;
}
