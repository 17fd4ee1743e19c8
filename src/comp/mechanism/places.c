/* comp/mechanism/places.c */
#include "comp/mechanism/places.h"

void yk_multibody_places_clear(yk_multibody_places *p)
{
    yoke_pattern_free(p->pattern);
    yk_triplets_clear(&p->recorded);
    yk_free(p->at);
}

void yk_multibody_places_begin(yk_multibody_places *p, double *value)
{
    p->value = value;
    p->next = 0;
}

void yk_put(yk_multibody_places *p, int row, int col, double value)
{
    if (p->pattern) {
        if (p->value) p->value[p->at[p->next++]] += value;
    } else if (p->status == YOKE_OK) {
        p->status = yk_triplets_add(&p->recorded, row, col, 0.0, NULL);
    }
}

yoke_status yk_multibody_places_end(yk_multibody_places *p, int rows, int cols,
                                    yoke_err *err)
{
    const yk_triplets *list = &p->recorded;
    yoke_pattern *pattern = NULL;

    if (p->status != YOKE_OK)
        return yk_fail(err, p->status, "no memory for a Jacobian");
    YK_TRY(yk_ints(&p->at, (size_t)list->count + 1, err));
    YK_TRY(yoke_pattern_create(&pattern, rows, cols, list->count, list->row,
                               list->col, err));
    for (int k = 0; k < list->count; k++)
        p->at[k] = yoke_pattern_find(pattern, list->row[k], list->col[k]);
    p->pattern = pattern;
    return YOKE_OK;
}
