/* record/drift.c -- how far solutions leave the constraints of mechanisms.
 *
 * Recorded outputs "SUBSYSTEM.drift.NAME" are what is left of a constraint,
 * with ".v" at the end what is left of its derivative.  After every accepted
 * window their largest size at the points of the time grid is noted.
 */
#include "record/record.h"

#include <math.h>
#include <string.h>

static bool is_drift(const yk_record *r, int k)
{
    const char *dot = strchr(r->name[k], '.');

    return r->column[k].is_output && dot && strncmp(dot, ".drift.", 7) == 0;
}

yoke_status yk_drift_create(yk_record *r, yoke_err *err)
{
    yk_free(r->drift);
    r->drift = NULL;
    r->drifts = 0;
    YK_TRY(YK_NEW(&r->drift, r->columns + 1, err));
    for (int k = 0; k < r->columns; k++)
        if (is_drift(r, k))
            r->drift[r->drifts++] =
                (yk_record_drift){ .column = k, .t = r->options->start };
    return YOKE_OK;
}

void yk_drift_window(yk_record *r)
{
    const yk_wave *last = NULL;
    const int drifts = r->drifts;

    for (int first = 0, next = 0; first < drifts; first = next) {
        const yk_record_column *c = &r->column[r->drift[first].column];
        last = yk_record_wave(r, c);
        while (next < drifts &&
               yk_record_wave(r, &r->column[r->drift[next].column]) == last)
            next++;
        for (int i = 1; i <= yk_wave_pieces(last); i++) {
            const double t = yk_wave_knot(last, i);
            yk_wave_eval(last, t, NULL, r->scratch);
            for (int k = first; k < next; k++) {
                yk_record_drift *d = &r->drift[k];
                const double size =
                    fabs(r->scratch[r->column[d->column].component]);
                if (size <= d->largest) continue;
                d->largest = size;
                d->t = t;
            }
        }
    }
}
