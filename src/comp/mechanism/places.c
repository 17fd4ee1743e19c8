/* comp/mechanism/places.c */
#include "comp/mechanism/places.h"

void yk_multibody_places_clear(yk_multibody_places *p)
{
    yoke_pattern_free(p->pattern);
    YK_FREE(p->at, p->row, p->col);
}

void yk_multibody_places_begin(yk_multibody_places *p, double *value)
{
    p->value = value;
    p->next = 0;
}

static yoke_status record(yk_multibody_places *p, int row, int col)
{
    const size_t need = (size_t)p->count + 1;

    YK_TRY(YK_GROW(&p->row, &p->row_room, need, NULL));
    YK_TRY(YK_GROW(&p->col, &p->col_room, need, NULL));
    p->row[p->count] = row;
    p->col[p->count++] = col;
    return YOKE_OK;
}

void yk_put(yk_multibody_places *p, int row, int col, double value)
{
    if (p->pattern) {
        if (p->value) p->value[p->at[p->next++]] += value;
    } else if (p->status == YOKE_OK) {
        p->status = record(p, row, col);
    }
}

yoke_status yk_multibody_places_end(yk_multibody_places *p, int rows, int cols,
                                    yoke_err *err)
{
    yoke_pattern *pattern = NULL;

    if (p->status != YOKE_OK)
        return yk_fail(err, p->status, "no memory for a Jacobian");
    YK_TRY(yk_ints(&p->at, (size_t)p->count + 1, err));
    YK_TRY(yoke_pattern_create(&pattern, rows, cols, p->count, p->row, p->col,
                               err));
    for (int k = 0; k < p->count; k++)
        p->at[k] = yoke_pattern_find(pattern, p->row[k], p->col[k]);
    p->pattern = pattern;
    return YOKE_OK;
}
