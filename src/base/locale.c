/* base/locale.c -- see locale.h. */
#define _POSIX_C_SOURCE 200809L
#include "base/locale.h"

#include <locale.h>

/* Where there is no memory for a locale, the whole one of C needs none. */
yk_locale yk_locale_enter(void)
{
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);

    if (!plain) plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return (yk_locale){ .plain = plain, .before = uselocale(plain) };
}

void yk_locale_leave(yk_locale *saved)
{
    uselocale((locale_t)saved->before);
    if (saved->plain) freelocale((locale_t)saved->plain);
}
