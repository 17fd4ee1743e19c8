/* record/drift.c -- how far solutions leave the constraints of mechanisms.
 *
 * Recorded outputs "SUBSYSTEM.drift.NAME" are what is left of a constraint,
 * with ".v" at the end what is left of its derivative.  After every accepted
 * window their largest size at the points of the time grid is noted.
 */
#include "run/run.h"

#include <math.h>
#include <string.h>

static const char *name_of(const yoke_run *run, int k)
{
    const char *const *name = NULL;
    const double *value = NULL;

    yoke_run_variables(run, &name, &value);
    return name[k];
}

static bool is_drift(const yoke_run *run, int k)
{
    const char *dot = strchr(name_of(run, k), '.');

    return run->column[k].is_output && dot && strncmp(dot, ".drift.", 7) == 0;
}

yoke_status yk_drift_create(yoke_run *run, yoke_err *err)
{
    yk_free(run->drift);
    run->drift = NULL;
    run->drifts = 0;
    YK_TRY(YK_NEW(&run->drift, run->columns + 1, err));
    for (int k = 0; k < run->columns; k++)
        if (is_drift(run, k))
            run->drift[run->drifts++] =
                (yk_run_drift){ .column = k, .t = run->options.start };
    return YOKE_OK;
}

void yk_drift_window(yoke_run *run)
{
    const yoke_wave *last = NULL;
    const int drifts = run->drifts;

    for (int first = 0, next = 0; first < drifts; first = next) {
        const yk_column *c = &run->column[run->drift[first].column];
        last = yk_record_wave(run, c);
        while (next < drifts &&
               yk_record_wave(run, &run->column[run->drift[next].column]) ==
                   last)
            next++;
        for (int i = 1; i <= yoke_wave_pieces(last); i++) {
            const double t = yoke_wave_knot(last, i);
            yoke_wave_eval(last, t, NULL, run->scratch);
            for (int k = first; k < next; k++) {
                yk_run_drift *d = &run->drift[k];
                const double size =
                    fabs(run->scratch[run->column[d->column].component]);
                if (size <= d->largest) continue;
                d->largest = size;
                d->t = t;
            }
        }
    }
}

bool yoke_run_drift(const yoke_run *run, int i, const char **name,
                    double *largest, double *t)
{
    if (i < 0 || i >= run->drifts) return false;
    if (name) *name = name_of(run, run->drift[i].column);
    if (largest) *largest = run->drift[i].largest;
    if (t) *t = run->drift[i].t;
    return true;
}
