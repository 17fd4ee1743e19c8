/* part/manners.c -- see manners.h. */
#define _GNU_SOURCE
#include "part/manners.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

void yk_manners_keep(yk_manners *m)
{
    const char *name = setlocale(LC_NUMERIC, NULL);

    fegetenv(&m->arithmetic);
    snprintf(m->numbers, sizeof m->numbers, "%s", name ? name : "C");
    m->thread = (void *)uselocale((locale_t)0);
}

void yk_manners_put_back(const yk_manners *m)
{
    const char *name = setlocale(LC_NUMERIC, NULL);

    fesetenv(&m->arithmetic);
    if (name && strcmp(name, m->numbers) != 0)
        setlocale(LC_NUMERIC, m->numbers);
    if ((void *)uselocale((locale_t)0) != m->thread)
        uselocale((locale_t)m->thread);
}
