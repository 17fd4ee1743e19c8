/* step/cells/latent_cells.c -- the cells of a system: who reads whom. */
#include "step/cells/latent.h"
#include "sys/call.h"

#include <math.h>

void yk_latent_unlist(yk_latent *s)
{
    yk_lists *const lists[] = { &s->reader, &s->read, &s->taker, &s->event };

    YK_FREE(s->first, s->list, s->restless_cell);
    for (int k = 0; k < 4; k++) {
        YK_FREE(lists[k]->start, lists[k]->cell);
    }
}

static yoke_status list_unknowns(yk_latent *s, yoke_err *err)
{
    YK_TRY(yk_ints(&s->first, (size_t)s->cells + 2, err));
    YK_TRY(yk_ints(&s->list, (size_t)s->n + 1, err));
    for (int i = 0; i < s->n; i++) s->first[yk_cell_of(s, i) + 1]++;
    for (int c = 0; c < s->cells; c++) s->first[c + 1] += s->first[c];
    for (int i = 0; i < s->n; i++) s->list[s->first[yk_cell_of(s, i)]++] = i;
    for (int c = s->cells; c > 0; c--) s->first[c] = s->first[c - 1];
    s->first[0] = 0;
    return YOKE_OK;
}

/* What a list is of. */
typedef enum relation { READER, READ, TAKER } relation;

/* Counts, or writes, the pairs of one matrix, some of them more than once. */
static void scan(const yk_latent *s, const yoke_pattern *m, relation what,
                 yk_lists *l, bool write)
{
    for (int j = 0; j < m->cols; j++)
        for (int k = m->start[j]; k < m->start[j + 1]; k++) {
            const int row = yk_cell_of(s, m->row[k]);
            const int col = what == TAKER ? j : yk_cell_of(s, j);
            const int from = what == READ ? row : col;
            const int to = what == READ ? col : row;
            if (what != TAKER && from == to) continue;
            if (write)
                l->cell[l->start[from]++] = to;
            else
                l->start[from + 1]++;
        }
}

static yoke_status make_lists(const yk_latent *s, relation what, yk_lists *l,
                              yoke_err *err)
{
    const int items = what == TAKER ? s->m : s->cells;
    const yoke_pattern *const m[2] = {
        what == TAKER ? s->facts->Gu : s->facts->G,
        what == TAKER ? s->facts->Cu : s->facts->C
    };

    YK_TRY(yk_ints(&l->start, (size_t)items + 2, err));
    for (int k = 0; k < 2; k++) scan(s, m[k], what, l, false);
    for (int i = 0; i < items; i++) l->start[i + 1] += l->start[i];
    YK_TRY(yk_ints(&l->cell, (size_t)l->start[items] + 1, err));
    for (int k = 0; k < 2; k++) scan(s, m[k], what, l, true);
    for (int i = items; i > 0; i--) l->start[i] = l->start[i - 1];
    l->start[0] = 0;
    return YOKE_OK;
}

/* The events of each cell. */
static yoke_status list_events(yk_latent *s, yoke_err *err)
{
    const int events = s->facts->events;
    const int *const cell = s->facts->cells->event_cell;
    yk_lists *l = &s->event;

    YK_TRY(yk_ints(&l->start, (size_t)s->cells + 2, err));
    YK_TRY(yk_ints(&l->cell, (size_t)events + 1, err));
    for (int k = 0; k < events; k++) l->start[cell[k] + 1]++;
    for (int c = 0; c < s->cells; c++) l->start[c + 1] += l->start[c];
    for (int k = 0; k < events; k++) l->cell[l->start[cell[k]]++] = k;
    for (int c = s->cells; c > 0; c--) l->start[c] = l->start[c - 1];
    l->start[0] = 0;
    return YOKE_OK;
}

static yoke_status list_restless(yk_latent *s, yoke_err *err)
{
    YK_TRY(yk_ints(&s->restless_cell, (size_t)s->cells + 1, err));
    for (int c = 0; c < s->cells; c++)
        if (!yk_system_is_still(s->system, c, -INFINITY, INFINITY))
            s->restless_cell[s->restless++] = c;
    return YOKE_OK;
}

yoke_status yk_latent_list(yk_latent *s, yoke_err *err)
{
    YK_TRY(list_unknowns(s, err));
    YK_TRY(make_lists(s, READER, &s->reader, err));
    YK_TRY(make_lists(s, READ, &s->read, err));
    YK_TRY(make_lists(s, TAKER, &s->taker, err));
    YK_TRY(list_events(s, err));
    return list_restless(s, err);
}

void yk_latent_begin_queue(yk_latent *s)
{
    s->marks++;
}

int yk_latent_enqueue(yk_latent *s, int cell, int count)
{
    if (s->mark[cell] == s->marks) return count;
    s->mark[cell] = s->marks;
    s->queue[count] = cell;
    return count + 1;
}

void yk_latent_requeue(yk_latent *s, int count)
{
    s->marks++;
    for (int k = 0; k < count; k++) s->mark[s->queue[k]] = s->marks;
}

int yk_latent_add_layers(yk_latent *s, int count, int layers, bool awake)
{
    const yk_lists *l = &s->reader;

    for (int layer = 0, begin = 0; layer < layers; layer++) {
        const int end = count;
        for (int k = begin; k < end; k++)
            for (int r = l->start[s->queue[k]]; r < l->start[s->queue[k] + 1];
                 r++)
                if (!awake || s->now.awake[l->cell[r]])
                    count = yk_latent_enqueue(s, l->cell[r], count);
        begin = end;
    }
    return count;
}

void yk_latent_wake(yk_latent *s, int count)
{
    for (int k = 0; k < count; k++) {
        const int c = s->queue[k];
        if (s->now.awake[c]) continue;
        s->now.awake[c] = true;
        s->now.cell[s->now.count++] = c;
        s->formed = false;
    }
}

bool yk_latent_is_border(const yk_latent *s, int j)
{
    const yoke_pattern *const m[2] = { s->facts->G, s->facts->C };

    for (int w = 0; w < 2; w++)
        for (int k = m[w]->start[j]; k < m[w]->start[j + 1]; k++)
            if (!s->now.awake[yk_cell_of(s, m[w]->row[k])]) return true;
    return false;
}
