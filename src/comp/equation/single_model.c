/* comp/equation/single_model.c -- a system of one equation model: `yoke run
 * model.mo`.
 *
 * The model says itself how it is to be run, by annotation(experiment(...));
 * without one it runs from 0 to 1 s, as the language says.
 */
#include "comp/equation/read.h"

#include "base/text.h"
#include "comp/equation/front/front.h"
#include "comp/equation/policy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RUN = 300, TOLD = 500 };

static void release(void *self)
{
    yk_free(self);
}

static void add(char *text, size_t room, const char *format, double value)
{
    if (isfinite(value)) yk_append(text, room, format, value);
}

/* The section `run`, and a note about it. */
static void write_run(const yk_experiment *e, const char *file, char run[RUN],
                      char told[TOLD])
{
    snprintf(run, RUN, "{stop: %.17g", isfinite(e->stop) ? e->stop : 1.0);
    add(run, RUN, ", start: %.17g", e->start);
    add(run, RUN, ", rtol: %.17g", e->tolerance);
    add(run, RUN, ", every: %.17g", e->interval);
    strcat(run, "}");
    if (e->line > 0)
        snprintf(told, TOLD, "%.200s:%d:", file, e->line);
    else
        snprintf(told, TOLD, "%.200s:", file);
    add(told, TOLD, " start = %.10g s,", e->start);
    add(told, TOLD, " stop = %.10g s,", isfinite(e->stop) ? e->stop : 1.0);
    if (!isfinite(e->stop)) {
        told[strlen(told) - 1] = '\0';
        strcat(told, " (no StopTime in the model),");
    }
    add(told, TOLD, " rtol = %.10g,", e->tolerance);
    add(told, TOLD, " every = %.10g s,", e->interval);
    told[strlen(told) - 1] = '\0'; /* the comma */
}

/* An interval that makes so many rows that writing them takes longer than the
 * run is left out, and told. */
static void limit_rows(yk_experiment *e, char told[TOLD])
{
    const double start = isfinite(e->start) ? e->start : 0.0;
    const double stop = isfinite(e->stop) ? e->stop : start + 1.0;
    const double rows = (stop - start) / e->interval;

    if (!(rows > YK_EQ_ROWS)) return;
    yk_append(told, TOLD,
              "; its Interval is left out: it makes %.0f rows (--every %.10g)",
              rows, e->interval);
    e->interval = NAN;
}

/* Numbers that a run cannot have are left out. */
static void check(yk_experiment *e)
{
    const double start = isfinite(e->start) ? e->start : 0.0;

    if (!(e->tolerance > 0.0 && e->tolerance < 1.0)) e->tolerance = NAN;
    if (!(e->interval > 0.0)) e->interval = NAN;
    if (!(e->stop > start)) e->stop = isfinite(e->start) ? start + 1.0 : NAN;
}

bool yk_eq_model_is_file(const char *path)
{
    const size_t length = strlen(path);

    return (length > 3 && strcmp(path + length - 3, ".mo") == 0) ||
           (length > 4 && strcmp(path + length - 4, ".bmo") == 0);
}

yoke_status yk_eq_model_wrap(yk_wrapped *out, const char *path,
                             const yoke_file_options *options, yoke_err *err)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    yk_experiment e = { NAN, NAN, NAN, NAN, 0 };
    char name[64], model[200] = "", run[RUN];
    char *told = NULL;

    (void)options;
    YK_TRY(yk_equation_experiment(path, &e, model, sizeof model, err));
    check(&e);
    const char *dot = strrchr(model, '.');
    yk_wrapped_name(dot ? dot + 1 : model, name);
    YK_TRY(yk_alloc((void **)&told, TOLD, 1, err));
    out->held = told;
    out->release = release;
    char left[TOLD] = "";
    limit_rows(&e, left);
    write_run(&e, file, run, told);
    yk_append(told, TOLD, "%s", left);
    out->told = told;
    return yk_print(&out->text, err,
                    "yoke: 1\nrun: %s\nsubsystems:\n  %s: {model: "
                    "\"%s\"}\n",
                    run, name, file);
}
