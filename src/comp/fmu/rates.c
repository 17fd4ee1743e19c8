/* comp/fmu/rates.c -- derivatives of outputs that an FMU declares.
 *
 * A constraint in the form velocity reads the derivative x.v of an output x.
 * A variable says of which state it is the derivative; an output may be that
 * state under another name, with the same reference.
 */
#include "comp/fmu/rates.h"

#include <stdio.h>
#include <string.h>

/* The variable that is the derivative of v, or -1. */
static int rate_of(const yk_fmu_description *d, int v)
{
    const yk_fmu_variable *of = &d->variable[v];

    if (of->array || of->type != YK_FMU_FLOAT64) return -1;
    if (of->derivative >= 0) return of->derivative;
    for (int k = 0; k < d->variables; k++) {
        const yk_fmu_variable *other = &d->variable[k];
        if (other->reference == of->reference && other->type == of->type &&
            other->derivative >= 0)
            return other->derivative;
    }
    return -1;
}

bool yk_fmu_has_rates(const yk_fmu_description *d, const yk_fmu_signals *list)
{
    for (int i = 0; i < list->count; i++)
        if (rate_of(d, list->signal[i].variable) >= 0) return true;
    return false;
}

/* The signal of this name becomes one more, of its derivative; not if there is
 * none. */
static yoke_status append(const yk_fmu_description *d, const char *port,
                          int order, yk_fmu_signals *list, yoke_err *err)
{
    int v = -1;

    for (int i = 0; i < list->count; i++)
        if (strcmp(list->name[i], port) == 0) v = list->signal[i].variable;
    for (int k = 0; k < order && v >= 0; k++) {
        const char *name = NULL;
        v = rate_of(d, v);
        if (v < 0) break;
        YK_TRY(yk_arena_print(d->arena, &name, err, "%s.%c", port,
                              k == 0 ? 'v' : 'a'));
        list->signal[list->count] = (yk_fmu_signal){ v, 0 };
        list->discrete[list->count] = false;
        list->name[list->count++] = name;
    }
    return YOKE_OK;
}

yoke_status yk_fmu_add_rates(const yk_fmu_description *d,
                             const yk_file_rates *wishes, const char *part,
                             yk_fmu_signals *list, yoke_err *err)
{
    const int room = list->count + 2 * wishes->count;
    yk_fmu_signals more = { .count = list->count };

    YK_TRY(YK_TAKE(d->arena, &more.signal, room + 1, err));
    YK_TRY(YK_TAKE(d->arena, &more.discrete, room + 1, err));
    YK_TRY(YK_TAKE(d->arena, &more.name, room + 1, err));
    for (int i = 0; i < list->count; i++) {
        more.signal[i] = list->signal[i];
        more.discrete[i] = list->discrete[i];
        more.name[i] = list->name[i];
    }
    for (int i = 0; i < wishes->count; i++) {
        const yk_file_rate *w = &wishes->at[i];
        if (!w->input && strcmp(w->part, part) == 0)
            YK_TRY(append(d, w->port, w->order, &more, err));
    }
    *list = more;
    return YOKE_OK;
}
