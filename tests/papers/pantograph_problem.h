/* The pantograph/catenary benchmark of Arnold and Guenther (2001), section 5: a
 * pantograph of two masses moves along a catenary of two wires; the contact
 * force is the multiplier of the constraint head - contact = 0.
 *
 * The data of the original are not public; those here were chosen so that the
 * numbers printed in the paper hold (stability bound 6.6e-5 s, G M^-1 G' = 0.11
 * and 3.44, 998 coordinates of the catenary).
 */
#ifndef PANTOGRAPH_PROBLEM_H
#define PANTOGRAPH_PROBLEM_H

#include "check.h"
#include "comp/mechanism/masses.h"
#include "comp/mechanism/wires.h"
#include "yoke/mechanism.h"
#include "yoke/result.h"
#include "yoke/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GRID = 10000 }; /* times n * 5e-5 at which errors are measured */

static const double tau = 5e-5, end_time = 0.5;
static const double head_mass = 1.0 / 0.11, kernel_width = 0.0848246264374602;

static void uplift(void *context, double t, double *force)
{
    (void)context;
    (void)t;
    force[1] = 120.0;
}

static yoke_system *make_pantograph(void)
{
    const yk_masses_mass mass[] = { { "head", head_mass, 0.0, 0.0, true },
                                    { "frame", 15.0, 0.0, 0.0, false } };
    const yk_masses_spring spring[] = { { 0, 1, 4200.0, 10.0, 0.0 },
                                        { -1, 1, 50.0, 90.0, 0.0 } };
    const yk_masses given = {
        .masses = 2, .springs = 2, .mass = mass, .spring = spring, .act = uplift
    };
    yoke_system *out = NULL;
    yoke_err err;

    CHECK_OK(yk_masses_create(&out, "pantograph", &given, &err), &err);
    return out;
}

static yoke_system *make_catenary(void)
{
    const yk_wires_wire wire[] = { { "carrier", 1.07, 131.7, 16e3, 0.0125 },
                                   { "contact", 1.35, 190.347, 20e3, 0.0125 } };
    const yk_wires_dropper dropper[] = { { 0, 1, 4.0, 1e5 },
                                         { 0, 1, 8.0, 1e5 },
                                         { 0, 1, 12.0, 1e5 },
                                         { 0, 1, 16.0, 1e5 } };
    const yk_wires_contact contact = { "contact", 1, 2.0, 32.0, kernel_width };
    const yk_wires given = { .span = 20.0,
                             .nodes = 499,
                             .wires = 2,
                             .droppers = 4,
                             .contacts = 1,
                             .wire = wire,
                             .dropper = dropper,
                             .contact = &contact };
    yoke_system *out = NULL;
    yoke_err err;

    CHECK_OK(yk_wires_create(&out, "catenary", &given, &err), &err);
    return out;
}

/* How the pantograph is solved, and the iteration. */
typedef struct variant {
    const char *method, *dense; /* of the pantograph; NULL: stormer, natural */
    bool monolithic, catenary_first;
    double step;     /* of the catenary, and of everything if monolithic */
    int mult;        /* window and step of the pantograph over `step` */
    int sweeps;      /* per window */
    int extrapolate; /* order of the first guess */
    yoke_accelerate accelerate;
    double stop, every;
} variant;

typedef struct outcome {
    yoke_status status;
    yoke_run_result result;
    yoke_work pantograph;
    yoke_table *table;
    const yoke_watcher *watcher;
    yoke_err err;
} outcome;

static yoke_stepper_options stepper_of(const char *method, const char *dense,
                                       double step)
{
    yoke_stepper_options o = yoke_stepper_defaults();
    yoke_err err;

    CHECK_OK(yoke_stepper_set(&o, "method", method, &err), &err);
    CHECK_OK(yoke_stepper_set(&o, "dense", dense, &err), &err);
    o.step = step;
    o.warm = false;
    return o;
}

static yoke_model *make_model(const variant *v)
{
    static const char *const output[] = { "pantograph.head",
                                          "catenary.contact" };
    static const double weight[] = { 1.0, -1.0 };
    const yoke_constraint contact = {
        .count = 1,
        .outputs = 2,
        .output = output,
        .weight = weight,
        .form = YOKE_FORM_STABILISED,
        .eta = 100.0,
        .owner = v->catenary_first ? "pantograph" : "catenary",
    };
    const yoke_stepper_options fast = stepper_of(
        "stormer", v->catenary_first ? "linear" : "natural", v->step);
    const yoke_stepper_options slow =
        stepper_of(v->method ? v->method : "stormer",
                   v->dense ? v->dense : "natural", v->mult * v->step);
    yoke_model *model = NULL;
    yoke_err err;

    CHECK_OK(yoke_model_create(&model, &err), &err);
    yoke_graph *g = yoke_model_graph(model);
    if (v->catenary_first)
        CHECK_OK(yoke_model_add(model, make_catenary(), &fast, &err), &err);
    CHECK_OK(yoke_model_add(model, make_pantograph(), &slow, &err), &err);
    if (!v->catenary_first)
        CHECK_OK(yoke_model_add(model, make_catenary(), &fast, &err), &err);
    CHECK_OK(yoke_graph_constraint(g, "contact", &contact, &err), &err);
    CHECK_OK(yoke_graph_signal(g, "pantograph.head.force", "contact.lambda",
                               -1.0, &err),
             &err);
    CHECK_OK(yoke_graph_signal(g, "catenary.contact.force", "contact.lambda",
                               1.0, &err),
             &err);
    return model;
}

static yoke_run_options options_of(const variant *v, const char *path)
{
    yoke_run_options o = yoke_run_defaults();

    o.stop = v->stop > 0.0 ? v->stop : end_time;
    o.scheme = v->monolithic ? YOKE_MONOLITHIC : YOKE_GAUSS_SEIDEL;
    o.every = v->every > 0.0 ? v->every : tau;
    o.iterate.window = v->monolithic ? 0.05 : v->mult * v->step;
    o.iterate.stop = YOKE_STOP_COUNT;
    o.iterate.max_sweeps = v->monolithic ? 1 : v->sweeps;
    o.iterate.extrapolate = v->extrapolate;
    o.iterate.accelerate = v->accelerate;
    o.iterate.loosen = o.iterate.skip = false;
    o.output = path;
    o.record = "contact.lambda pantograph.head";
    return o;
}

/* The result and the tables beside it. */
static void remove_result(const char *path)
{
    static const char *const table[] = { "", ".coupling", ".work" };
    char name[96];

    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "%.*s%s.csv",
                 (int)(strlen(path) - strlen(".csv")), path, table[i]);
        unlink(name);
    }
}

/* Runs and reads the result; the caller clears. */
static void attempt(const variant *v, outcome *o)
{
    char path[64];
    yoke_model *model = make_model(v);
    yoke_run *run = NULL;

    snprintf(path, sizeof path, "pantograph_%ld.csv", (long)getpid());
    const yoke_run_options options = options_of(v, path);
    CHECK_OK(yoke_run_create(&run, model, &options, o->watcher, &o->err),
             &o->err);
    o->status = yoke_run_advance(run, options.stop, &o->err);
    yoke_run_summary(run, &o->result);
    const char *name = NULL;
    for (int i = 0; yoke_run_work(run, i, &name, &o->pantograph); i++)
        if (strcmp(name, "pantograph") == 0) break;
    yoke_run_close(run, NULL);
    yoke_model_free(model);
    CHECK_OK(yoke_table_read(&o->table, path, "result", &o->err), &o->err);
    remove_result(path);
}

static double *column(const outcome *o, const char *name)
{
    const int at = yoke_table_find(o->table, name);
    double *value = malloc(((size_t)o->table->rows + 1) * sizeof *value);

    assert_true(at >= 0 && value);
    for (int i = 0; i < o->table->rows; i++)
        value[i] = o->table->value[i * o->table->cols + at];
    return value;
}

/* |value - reference| over the mean of |reference|. */
typedef struct error {
    double rms, max, median;
} error;

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static error error_of(const double *value, const double *reference, int count)
{
    double mean = 0.0, sum = 0.0;
    double *e = malloc((size_t)count * sizeof *e);
    error out = { 0 };

    assert_non_null(e);
    for (int i = 0; i < count; i++) mean += fabs(reference[i]) / count;
    for (int i = 0; i < count; i++) {
        e[i] = fabs(value[i] - reference[i]) / mean;
        sum += e[i] * e[i];
        out.max = fmax(out.max, e[i]);
    }
    qsort(e, (size_t)count, sizeof *e, by_size);
    out.rms = sqrt(sum / count);
    out.median = e[count / 2];
    free(e);
    return out;
}

#endif
