/* iter/delay.c -- signals with a delay.
 *
 *     u(t) = weight * y(t - delay)
 *
 * Outputs of one subsystem that are read with a delay are remembered together,
 * in a history; a tap is such a history with one delay, a waveform over the
 * present window.  Links that give the same output different values before the
 * start have different histories.
 */
#include "iter/delay.h"

#include "wave/history.h"

#include <math.h>

typedef struct past {
    int node, count;
    size_t room, past_room;
    int *output;    /* of the node */
    double *before; /* of each: before the start; NAN: its first value */
    double span;    /* the longest delay */
    yk_history *history;
    int *component, *id; /* scratch and numbers of the outputs */
    double *value;       /* scratch */
} past;

typedef struct tap {
    int past;
    double delay;
    yk_wave *wave;
} tap;

struct yk_delays {
    int pasts, taps, links;
    size_t past_room, tap_room;
    past *past;
    tap *tap;
    int (*link)[2]; /* of each link: tap and component; tap -1: no delay */
    double least;
};

void yk_delays_free(yk_delays *d)
{
    if (!d) return;
    for (int k = 0; k < d->pasts; k++) {
        past *p = &d->past[k];
        yk_history_free(p->history);
        YK_FREE(p->output, p->before, p->component, p->id, p->value);
    }
    for (int k = 0; k < d->taps; k++) yk_wave_free(d->tap[k].wave);
    YK_FREE(d->past, d->tap, d->link, d);
}

/* ---- which histories, which taps ------------------------------------------
 */

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* The place of an output in a history, -1: none, -2: with another value before
 * the start. */
static int find_output(const past *p, int output, double before)
{
    for (int k = 0; k < p->count; k++)
        if (p->output[k] == output) return same(p->before[k], before) ? k : -2;
    return -1;
}

static yoke_status add_output(past *p, int output, double before, yoke_err *err)
{
    YK_TRY(YK_GROW(&p->output, &p->room, p->count + 1, err));
    YK_TRY(YK_GROW(&p->before, &p->past_room, p->count + 1, err));
    p->output[p->count] = output;
    p->before[p->count++] = before;
    return YOKE_OK;
}

static yoke_status find_past(yk_delays *d, const yoke_link *link,
                             const yoke_delay *delay, int *which,
                             int *component, yoke_err *err)
{
    const double before = delay->has_past ? delay->past : NAN;
    int at = -2;

    for (*which = 0; *which < d->pasts; ++*which) {
        if (d->past[*which].node != link->from) continue;
        at = find_output(&d->past[*which], link->output, before);
        if (at != -2) break;
    }
    if (*which == d->pasts) {
        YK_TRY(YK_GROW(&d->past, &d->past_room, d->pasts + 1, err));
        d->past[d->pasts++] = (past){ .node = link->from };
        at = -1;
    }
    past *p = &d->past[*which];
    p->span = fmax(p->span, delay->time);
    *component = at >= 0 ? at : p->count;
    return at >= 0 ? YOKE_OK : add_output(p, link->output, before, err);
}

static yoke_status find_tap(yk_delays *d, int which, double delay, int *out,
                            yoke_err *err)
{
    for (*out = 0; *out < d->taps; ++*out)
        if (d->tap[*out].past == which && d->tap[*out].delay == delay)
            return YOKE_OK;
    YK_TRY(YK_GROW(&d->tap, &d->tap_room, d->taps + 1, err));
    d->tap[d->taps++] = (tap){ .past = which, .delay = delay };
    return YOKE_OK;
}

static yoke_status make_room(past *p, yoke_err *err)
{
    YK_TRY(yk_history_create(&p->history, p->count, p->span, err));
    YK_TRY(YK_INTS((size_t)p->count, err, &p->component, &p->id));
    return yk_doubles(&p->value, (size_t)p->count, err);
}

static yoke_status build(yk_delays *d, const yoke_graph *graph, yoke_err *err)
{
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(graph, &link);

    YK_TRY(YK_NEW(&d->link, links, err));
    d->links = links;
    d->least = INFINITY;
    for (int l = 0; l < links; l++) {
        const yoke_delay delay = yoke_graph_delay_of(graph, l);
        int which = 0;
        d->link[l][0] = -1;
        if (delay.time == 0.0) continue;
        d->least = fmin(d->least, delay.time);
        YK_TRY(find_past(d, &link[l], &delay, &which, &d->link[l][1], err));
        YK_TRY(find_tap(d, which, delay.time, &d->link[l][0], err));
    }
    for (int k = 0; k < d->pasts; k++) YK_TRY(make_room(&d->past[k], err));
    for (int k = 0; k < d->taps; k++)
        YK_TRY(yk_wave_create(&d->tap[k].wave, d->past[d->tap[k].past].count,
                              err));
    return YOKE_OK;
}

yoke_status yk_delays_create(yk_delays **out, const yoke_graph *graph,
                             yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_delays *d = NULL;

    *out = NULL;
    if (graph->delays == 0) return YOKE_OK;
    YK_TRY(YK_NEW(&d, 1, err));
    YK_GO(build(d, graph, err));
    *out = d;
    d = NULL;
done:
    yk_delays_free(d);
    return status;
}

/* ---- a run ----------------------------------------------------------------
 */

yoke_status yk_delays_start(yk_delays *d, double t, const int *first_out,
                            const double *y, yoke_err *err)
{
    for (int k = 0; d && k < d->pasts; k++) {
        past *p = &d->past[k];
        for (int i = 0; i < p->count; i++) {
            p->id[i] = first_out[p->node] + p->output[i];
            p->value[i] = isnan(p->before[i]) ? y[p->id[i]] : p->before[i];
        }
        YK_TRY(yk_history_start(p->history, t, p->value, err));
    }
    return YOKE_OK;
}

double yk_delays_least(const yk_delays *d)
{
    return d ? d->least : INFINITY;
}

yoke_status yk_delays_read(yk_delays *d, double t0, double t1, yoke_err *err)
{
    for (int k = 0; d && k < d->taps; k++)
        YK_TRY(yk_history_read(d->past[d->tap[k].past].history, t0, t1,
                               d->tap[k].delay, d->tap[k].wave, err));
    return YOKE_OK;
}

const yk_wave *yk_delays_wave(const yk_delays *d, int l, int *component)
{
    if (!d || l < 0 || l >= d->links || d->link[l][0] < 0) return NULL;
    *component = d->link[l][1];
    return d->tap[d->link[l][0]].wave;
}

double yk_delays_value(const yk_delays *d, int l, double t)
{
    const tap *from = &d->tap[d->link[l][0]];
    const past *p = &d->past[from->past];

    yk_history_value(p->history, t - from->delay, p->value);
    return p->value[d->link[l][1]];
}

/* The outputs of a subsystem are in one waveform. */
yoke_status yk_delays_keep(yk_delays *d, yk_find_output find,
                           const void *context, yoke_err *err)
{
    for (int k = 0; d && k < d->pasts; k++) {
        past *p = &d->past[k];
        const yk_wave *wave = NULL;
        for (int i = 0; i < p->count; i++)
            wave = find(context, p->id[i], &p->component[i]);
        YK_TRY(yk_history_add(p->history, wave, p->component, err));
    }
    return YOKE_OK;
}
