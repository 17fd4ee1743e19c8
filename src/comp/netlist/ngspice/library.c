/* comp/netlist/ngspice/library.c -- loads the shared library of ngspice. */
#define _GNU_SOURCE
#include "comp/netlist/ngspice/library.h"

#include <dlfcn.h>
#include <stdlib.h>

static yoke_status find(void *library, const char *name, void *out,
                        yoke_err *err)
{
    void **at = out; /* POSIX: pointers to data and to functions are alike */

    *at = dlsym(library, name);
    if (*at) return YOKE_OK;
    return yk_fail(err, YOKE_E_MISSING,
                   "the library of ngspice has no %s; version 39 has it", name);
}

yoke_status yk_ng_open(yk_ng_library *out, yoke_err *err)
{
    static const char *const names[] = { "libngspice.so.0", "libngspice.so" };
    void *library = NULL;

    /* Threads would not be copied by fork. */
    setenv("OMP_NUM_THREADS", "1", 1);
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return yk_fail(err, YOKE_E_MISSING,
                       "ngspice's shared library is not installed (%.200s); "
                       "install the package libngspice0, or leave out "
                       "engine: ngspice",
                       dlerror());
    YK_TRY(find(library, "ngSpice_Init", &out->init, err));
    YK_TRY(find(library, "ngSpice_Init_Sync", &out->init_sync, err));
    YK_TRY(find(library, "ngSpice_Circ", &out->circuit, err));
    YK_TRY(find(library, "ngSpice_Command", &out->command, err));
    YK_TRY(find(library, "ngGet_Vec_Info", &out->vector, err));
    YK_TRY(find(library, "ngSpice_CurPlot", &out->plot, err));
    return find(library, "ngSpice_SetBkpt", &out->breakpoint, err);
}
