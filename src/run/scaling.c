/* run/scaling.c -- what a run would take on other machines, from its tasks. */
#include "run/places.h"
#include "run/run.h"

#include "base/image.h"

#include "base/text.h"
#include "exec/tasks.h"

#include <stdio.h>

/* Waking threads for a stage (exec/policy.h), s. */
static const double wake = 20e-6;

enum { MACHINES = YK_RUN_MACHINES };

static const struct {
    int count;
    bool threads;
} machine[MACHINES] = { { 1, true },   { 2, true },    { 8, true },
                        { 64, true },  { 2, false },   { 8, false },
                        { 64, false }, { 1024, false } };

yoke_status yk_run_executor(yoke_run *run, yoke_err *err)
{
    const char *file = run->options.tasks;
    yk_places *places = run->options.places;

    if (places && file[0])
        return yk_fail(err, YOKE_E_ARG,
                       "tasks = \"%s\": a run in several processes does not "
                       "record its tasks; leave it out",
                       file);
    if (places) {
        run->executor = places->executor;
        places->gate = &run->gate;
        return YOKE_OK;
    }
    if (!file[0])
        return yk_executor_threads(&run->executor, run->options.jobs, err);
    if (yk_image_on())
        return yk_fail(err, YOKE_E_ARG,
                       "tasks = \"%s\": a run with checkpoints does not record "
                       "its tasks; leave one of both out",
                       file);
    return yk_executor_recorded(&run->executor, file, err);
}

yoke_status yoke_run_scaling(yoke_run *run, int *count,
                             const yoke_scaling **list, yoke_err *err)
{
    YK_POINT;
    yk_machine there[MACHINES];
    yk_replayed out[MACHINES];

    *count = 0;
    *list = run->scaling;
    if (!yk_executor_is_recorded(&run->executor)) return YOKE_OK;
    for (int k = 0; k < MACHINES; k++)
        there[k] = (yk_machine){
            .count = machine[k].count,
            .threads = machine[k].threads,
            .latency = machine[k].threads ? wake : run->options.latency,
            .bandwidth = run->options.bandwidth,
        };
    YK_TRY(yk_tasks_flush(&run->executor, err));
    YK_TRY(yk_tasks_replay(run->options.tasks, MACHINES, there, out, err));
    for (int k = 0; k < MACHINES; k++)
        run->scaling[k] = (yoke_scaling){
            .count = machine[k].count,
            .threads = machine[k].threads,
            .seconds = out[k].seconds,
            .messages = out[k].sending,
            .serial = out[k].serial,
        };
    *count = MACHINES;
    return YOKE_OK;
}

/* "threads count seconds messages serial", a line for each. */
yoke_status yk_run_note_scaling(yoke_run *run, yoke_err *err)
{
    const yoke_scaling *s = NULL;
    char text[100 * MACHINES] = "";
    int count = 0;

    YK_TRY(yoke_run_scaling(run, &count, &s, err));
    if (count == 0) return YOKE_OK;
    for (int k = 0; k < count; k++)
        yk_append(text, sizeof text, "%s %d %.6g %.6g %.6g\n",
                  s[k].threads ? "threads" : "ranks", s[k].count, s[k].seconds,
                  s[k].messages, s[k].serial);
    YK_TRY(yk_record_write_note(&run->record, "scaling", text, err));
    snprintf(text, sizeof text, "%.6g %.6g", run->options.latency,
             run->options.bandwidth);
    return yk_record_write_note(&run->record, "network", text, err);
}
