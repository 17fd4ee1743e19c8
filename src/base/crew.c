/* base/crew.c -- helpers for one job (crew.h). */
#include "base/crew.h"
#include "base/base.h"

/* It belongs to the thread as its stack does, and is there only while a job
 * runs. */
static _Thread_local const yk_crew *lent = NULL;

const yk_crew *yk_crew_lend(const yk_crew *crew)
{
    const yk_crew *before = lent;

    lent = crew;
    return before;
}

yoke_status yk_crew_alone(const yk_parts *p, yoke_err *err)
{
    yoke_status first = YOKE_OK;
    yoke_err
        why; /* zeros in all of its text would cost more than a small job */

    why.status = YOKE_OK;
    why.text[0] = '\0';
    for (int i = 0; i < p->count; i++) {
        yoke_err *const to = first == YOKE_OK ? err : &why;
        const yoke_status status = p->job(p->context, i, to);
        if (status < 0 || status == YOKE_STOPPED) {
            if (err && to != err) *err = why;
            return status;
        }
        if (first == YOKE_OK) first = status;
    }
    return first;
}

yoke_status yk_crew_run(const yk_parts *parts, yoke_err *err)
{
    return lent && parts->count > 1 ? lent->run(lent->self, parts, err)
                                    : yk_crew_alone(parts, err);
}
