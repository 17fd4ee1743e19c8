/* measure.c -- one problem solved, and compared with its exact solution. */
#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TIMES = 200, MOST_NAMES = MOST_PARTS * (MOST_X + MOST_Y) + MOST_ROWS };

/* A run that has not come to an end after so many sweeps never will. */
static const long most_sweeps = 200000;

/* ---- what the variables should be ---------------------------------------- */

typedef struct variable {
    char name[32];
    const course *exact;
    double scale; /* its tolerance */
    int kind, at; /* place in the run's list */
} variable;

typedef struct watch {
    const problem *problem;
    yoke_run *run;
    outcome *out;
    double done; /* time up to which errors are measured */
    int windows; /* so far */
    bool log;
    long sweeps;
    int variables;
    variable variable[MOST_NAMES];
    double value[MOST_NAMES];
} watch;

static void add(watch *w, const char *owner, const char *name,
                const course *exact, int kind, const yoke_run_options *o)
{
    variable *v = &w->variable[w->variables++];
    double most = 0.0;

    for (int k = 0; k <= TIMES; k++)
        most = fmax(most, fabs(course_at(&w->problem->basis, exact,
                                         w->problem->stop * k / TIMES)));
    snprintf(v->name, sizeof v->name, "%s.%s", owner, name);
    v->exact = exact;
    v->scale = o->iterate.atol + o->iterate.rtol * most;
    v->kind = kind;
    v->at = -1;
}

static bool differential(const part *p, int i)
{
    for (int k = 0; k < p->n; k++)
        if (p->E[k][i] != 0.0) return true;
    return false;
}

static void add_part(watch *w, const part *p, const yoke_run_options *o)
{
    char name[24];

    for (int i = 0; i < p->n; i++) {
        snprintf(name, sizeof name, "x%d", i + 1);
        add(w, p->name, name, &p->x[i],
            differential(p, i) ? OF_STATES : OF_OTHERS, o);
    }
    for (int i = 0; i < p->p; i++) {
        snprintf(name, sizeof name, "y%d", i + 1);
        add(w, p->name, p->y_name[i][0] ? p->y_name[i] : name, &p->y[i],
            OF_OTHERS, o);
    }
}

static void add_joint(watch *w, const joint *j, const yoke_run_options *o)
{
    char name[24] = "lambda";

    for (int k = 0; k < j->rows; k++) {
        if (j->rows > 1) snprintf(name, sizeof name, "lambda%d", k + 1);
        add(w, j->name, name, &j->lambda[k], OF_OTHERS, o);
    }
}

/* False: the run does not record one of them. */
static bool find_variables(watch *w)
{
    const char *const *name = NULL;
    const double *value = NULL;
    const int count = yoke_run_variables(w->run, &name, &value);

    if (count > MOST_NAMES) return false;
    for (int i = 0; i < w->variables; i++) {
        variable *v = &w->variable[i];
        for (int k = 0; k < count && v->at < 0; k++)
            if (strcmp(name[k], v->name) == 0) v->at = k;
        if (v->at < 0) {
            snprintf(w->out->text, sizeof w->out->text, "%s is not recorded",
                     v->name);
            return false;
        }
    }
    return true;
}

/* ---- while it runs ------------------------------------------------------- */

static void compare(watch *w, double t)
{
    outcome *o = w->out;

    yoke_run_at(w->run, t, w->value);
    for (int i = 0; i < w->variables; i++) {
        const variable *v = &w->variable[i];
        const double exact = course_at(&w->problem->basis, v->exact, t);
        const double error = fabs(w->value[v->at] - exact) / v->scale;
        if (error <= o->error[v->kind]) continue;
        o->error[v->kind] = error;
        o->worst_at[v->kind] = t;
        snprintf(o->worst[v->kind], sizeof o->worst[0], "%s", v->name);
    }
}

/* At the times k stop / TIMES inside the window and at its end. */
static bool each_window(void *context, double t,
                        const yoke_iterate_result *so_far)
{
    watch *w = context;
    const double step = w->problem->stop / TIMES;

    if (so_far->windows <= w->windows) { /* repeated, as one system */
        w->done = 0.0;
        w->out->error[OF_STATES] = w->out->error[OF_OTHERS] = 0.0;
    }
    w->windows = so_far->windows;
    for (double k = floor(w->done / step) + 1.0; k * step < t; k += 1.0)
        compare(w, k * step);
    compare(w, t);
    w->done = t;
    return false;
}

static void each_sweep(void *context, const yoke_sweep *s)
{
    watch *w = context;
    int worst = 0;

    w->sweeps++;
    if (!w->log) return;
    for (int i = 1; i < s->variables; i++)
        if (s->variable_change[i] > s->variable_change[worst]) worst = i;
    printf("  window %d [%.6g, %.6g] sweep %d: change %.2e rate %.2g "
           "estimate %.2g, %s %.1e%s\n",
           s->window, s->t0, s->t1, s->sweep, s->change, s->rate, s->estimate,
           s->variables ? s->variable_name[worst] : "-",
           s->variables ? s->variable_change[worst] : 0.0,
           s->accepted ? ", accepted" : "");
}

static bool enough(void *context)
{
    const watch *w = context;

    return w->sweeps >= most_sweeps;
}

/* ---- one run ------------------------------------------------------------- */

static yoke_status advance(watch *w, yoke_model *model,
                           const yoke_run_options *options, yoke_err *err)
{
    const yoke_watcher watcher = {
        .window = each_window, .sweep = each_sweep, .stop = enough, .context = w
    };
    yoke_err closing;
    yoke_status status =
        yoke_run_create(&w->run, model, options, &watcher, err);

    if (status != YOKE_OK) return status;
    if (find_variables(w)) {
        status = yoke_run_advance(w->run, options->stop, err);
        yoke_run_summary(w->run, &w->out->result);
    } else {
        status = YOKE_E_ARG;
        snprintf(err->text, sizeof err->text, "%s", w->out->text);
    }
    (void)yoke_run_close(w->run, &closing);
    return status;
}

static outcome run_once(problem *p, const yoke_run_options *options, bool log)
{
    static watch w; /* large */
    outcome out = { .status = YOKE_OK };
    yoke_model *model = NULL;
    yoke_err err = { YOKE_OK, "" };

    memset(&w, 0, sizeof w);
    w.problem = p;
    w.out = &out;
    w.log = log;
    for (int i = 0; i < p->parts; i++) add_part(&w, &p->part[i], options);
    for (int i = 0; i < p->joints; i++) add_joint(&w, &p->joint[i], options);
    out.status = problem_model(&model, p, &err);
    if (out.status == YOKE_OK) out.status = advance(&w, model, options, &err);
    out.converged = out.status == YOKE_OK && out.result.converged;
    snprintf(out.text, sizeof out.text, "%s",
             out.status == YOKE_STOPPED ? "no end after 200000 sweeps"
             : out.status != YOKE_OK    ? err.text
             : out.converged            ? ""
                                        : "not converged");
    yoke_model_free(model);
    return out;
}

yoke_run_options measure_options(const problem *p)
{
    yoke_run_options o = yoke_run_defaults();

    o.second = 0.0; /* what is measured is one run */
    o.stop = p->stop;
    o.iterate.rtol = 1e-8;
    o.iterate.atol = 1e-10;
    o.order = p->names;
    o.given = p->given;
    return o;
}

outcome measure_whole(problem *p, const yoke_run_options *options)
{
    yoke_run_options whole = *options;

    whole.order = "";
    whole.scheme = YOKE_MONOLITHIC;
    return run_once(p, &whole, false);
}

verdict measure(problem *p, const yoke_run_options *options,
                const outcome *whole, bool log)
{
    verdict v = { .whole = *whole };

    v.coupled = run_once(p, options, log);
    v.failed = !v.coupled.converged;
    v.unknown = !v.whole.converged;
    for (int k = 0; k < KINDS && !v.failed; k++) {
        const double unit = v.unknown ? 1.0 : fmax(1.0, v.whole.error[k]);
        if (!(v.coupled.error[k] <= 10.0 * unit)) v.wrong = true;
    }
    return v;
}
