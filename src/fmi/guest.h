/* fmi/guest.h -- an FMU is a guest in a process that belongs to somebody else.
 *
 * While it computes it has its own heap, the numbers of the C locale (a host may
 * write 0,5 for 0.5) and the usual arithmetic (a host may round otherwise, treat
 * tiny numbers as zero, or trap divisions).  All of it is of the thread, and is
 * as before when the call returns.
 */
#ifndef YK_FMI_GUEST_H
#define YK_FMI_GUEST_H

#include "fmi/heap.h"

#include <fenv.h>
#include <locale.h>

typedef struct yk_fmi_guest {
    yk_heap *heap;
    locale_t own, host;
    fenv_t arithmetic;
} yk_fmi_guest;

/* `heap` may be NULL: that of the process. */
void yk_fmi_guest_enter(yk_fmi_guest *g, yk_heap *heap);
void yk_fmi_guest_leave(const yk_fmi_guest *g);

#endif
