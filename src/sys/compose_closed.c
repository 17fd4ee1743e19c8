/* sys/compose_closed.c -- members are asked, closed ones at once.
 *
 * A closed member begins a process for every answer (comp/closed/answers.h), so
 * many of them are asked by whoever helps here (base/crew.h); the others after
 * them, one after the other.  Members write only to what is their own.
 */
#include "base/crew.h"
#include "sys/closed.h"
#include "sys/compose.h"

static bool is_closed(const yk_asking *a, const member *m)
{
    return a->wants(m) && m->system->info.closed &&
           m->system->info.flags & YOKE_PARALLEL;
}

static yoke_status ask_closed(void *context, int index, yoke_err *err)
{
    const yk_asking *a = context;

    return a->ask(a, &a->c->member[a->c->closed[index]], err);
}

yoke_status yk_composite_ask(const yk_asking *a, bool all, yoke_err *err)
{
    composite *c = a->c;
    yk_parts parts = { .job = ask_closed, .context = (void *)a };
    yoke_status first = YOKE_OK;

    for (int i = 0; i < c->members; i++)
        if (c->closed && is_closed(a, &c->member[i]))
            c->closed[parts.count++] = i;
    if (parts.count > 1) first = yk_crew_run(&parts, err);
    if (first < 0 || (first != YOKE_OK && !all)) return first;
    for (int i = 0; i < c->members; i++) {
        const member *m = &c->member[i];
        if (!a->wants(m) || (parts.count > 1 && is_closed(a, m))) continue;
        const yoke_status one = a->ask(a, m, first == YOKE_OK ? err : NULL);
        if (one < 0 || (one != YOKE_OK && !all)) return one;
        if (first == YOKE_OK) first = one;
    }
    return first;
}
