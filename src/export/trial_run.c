/* export/trial_run.c -- a new FMU is initialised and takes one step before it is
 * packed.  If it cannot, the export says so, not the program that uses it. */
#define _GNU_SOURCE
#include "export/export.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { PATH = 4096 };

typedef void function(void);
typedef void *instantiate(const char *name, const char *token,
                          const char *resources, bool visible, bool logging,
                          bool events, bool early, const uint32_t *required,
                          size_t count, void *environment,
                          void (*log)(void *environment, int status,
                                      const char *category,
                                      const char *message),
                          function *intermediate);
typedef int enter(void *self, bool has_tolerance, double tolerance,
                  double start, bool has_stop, double stop);
typedef int leave(void *self);
typedef int do_step(void *self, double t, double h, bool no_return, bool *event,
                    bool *terminate, bool *early, double *last);
typedef void release(void *self);

/* Keeps the first message. */
static void keep(void *environment, int status, const char *category,
                 const char *message)
{
    yoke_err *err = environment;

    (void)category;
    if (status >= 2 && err->status == YOKE_OK) {
        err->status = YOKE_E_MODEL;
        snprintf(err->text, sizeof err->text, "%s", message);
    }
}

static function *find(void *library, const char *name)
{
    void *at = dlsym(library, name);
    function *out = NULL;

    memcpy(&out, &at, sizeof at);
    return out;
}

static bool run(void *library, const yk_export *e, yoke_err *said)
{
    instantiate *make =
        (instantiate *)find(library, "fmi3InstantiateCoSimulation");
    enter *begin = (enter *)find(library, "fmi3EnterInitializationMode");
    leave *end = (leave *)find(library, "fmi3ExitInitializationMode");
    do_step *step = (do_step *)find(library, "fmi3DoStep");
    release *drop = (release *)find(library, "fmi3FreeInstance");
    const double start = e->run.start, span = e->run.stop - start;
    bool event = false, terminate = false, early = false;
    double last = start;
    char resources[PATH];

    if (!make || !begin || !end || !step || !drop) return false;
    snprintf(resources, sizeof resources, "%s/resources/", e->folder);
    void *self = make("check", e->token, resources, false, false, false, false,
                      NULL, 0, said, keep, NULL);
    if (!self) return false;
    const bool good = begin(self, false, 0.0, start, true, e->run.stop) == 0 &&
                      end(self) == 0 &&
                      step(self, start, 1e-4 * span, true, &event, &terminate,
                           &early, &last) == 0;
    drop(self);
    return good;
}

yoke_status yk_export_try(const yk_export *e, const char *binary, yoke_err *err)
{
    yoke_err said = { YOKE_OK, "" };
    void *library = dlopen(binary, RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return yk_fail(err, YOKE_E_FILE, "the binary of the FMU: %.300s",
                       dlerror());
    const bool good = run(library, e, &said);
    dlclose(library);
    if (good) return YOKE_OK;
    return yk_fail(err, YOKE_E_MODEL, "the exported FMU does not run: %.800s",
                   said.text[0] ? said.text : "it gives no reason");
}
