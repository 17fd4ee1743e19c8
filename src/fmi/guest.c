/* fmi/guest.c -- heap, locale and arithmetic of a call. */
#define _POSIX_C_SOURCE 200809L
#include "fmi/guest.h"

void yk_fmi_guest_enter(yk_fmi_guest *g, yk_heap *heap)
{
    fegetenv(&g->arithmetic);
    fesetenv(FE_DFL_ENV);
    g->own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    g->host = g->own ? uselocale(g->own) : (locale_t)0;
    g->heap = yk_heap_enter(heap);
}

void yk_fmi_guest_leave(const yk_fmi_guest *g)
{
    yk_heap_enter(g->heap);
    if (g->host) uselocale(g->host);
    if (g->own) freelocale(g->own);
    fesetenv(&g->arithmetic);
}
