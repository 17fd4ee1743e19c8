/* run/run_fixture.h -- small models with known solutions, a scratch folder. */
#ifndef YK_RUN_FIXTURE_H
#define YK_RUN_FIXTURE_H

#include "check.h"
#include "scratch.h"

#include "yoke/result.h"
#include "yoke/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- two masses ------------------------------------------------------------
 */

static const double two_pi = 6.28318530717958647693;

/* x' = v,  v' = -k x - c (x - other),  k = 4 pi^2,  c = 16 pi^2 */
static inline yoke_status mass_rhs(void *self, double t, const double *x,
                                   const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)err;
    xdot[0] = x[1];
    xdot[1] = -two_pi * two_pi * (x[0] + 4.0 * (x[0] - u[0]));
    return YOKE_OK;
}

static inline yoke_status mass_create(yoke_system **out, const char *name,
                                      double x0, yoke_err *err)
{
    static const yoke_system_ops ops = { .kind = "mass", .rhs = mass_rhs };
    static const char *const x_name[] = { "x", "v" };
    static const char *const u_name[] = { "other" };
    const double start[] = { x0, 0.0 };
    const yoke_system_info info = { .n = 2,
                                    .m = 1,
                                    .positions = 1,
                                    .x0 = start,
                                    .x_name = x_name,
                                    .u_name = u_name };

    return yoke_system_create(out, name, &ops, NULL, &info, err);
}

static inline yoke_stepper_options stepper(const char *method, double step)
{
    yoke_stepper_options options = yoke_stepper_defaults();
    yoke_err err;

    CHECK_OK(yoke_stepper_set(&options, "method", method, &err), &err);
    options.step = step;
    return options;
}

static inline yoke_model *new_model(void)
{
    yoke_model *model = NULL;
    yoke_err err;

    CHECK_OK(yoke_model_create(&model, &err), &err);
    return model;
}

static inline void add_system(yoke_model *model, yoke_system *system,
                              const yoke_stepper_options *options)
{
    yoke_err err;

    CHECK_OK(yoke_model_add(model, system, options, &err), &err);
}

static inline void connect(yoke_model *model, const char *input,
                           const char *output, double weight)
{
    yoke_err err;

    CHECK_OK(
        yoke_graph_signal(yoke_model_graph(model), input, output, weight, &err),
        &err);
}

static inline void add_linear(yoke_model *model, const char *name,
                              const yoke_linear *linear,
                              const yoke_stepper_options *options)
{
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yoke_linear_create(&system, name, linear, &err), &err);
    add_system(model, system, options);
}

static inline yoke_model *two_masses(const yoke_stepper_options *left,
                                     const yoke_stepper_options *right)
{
    yoke_model *model = new_model();
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(mass_create(&system, "left", 1.0, &err), &err);
    add_system(model, system, left);
    CHECK_OK(mass_create(&system, "right", 0.0, &err), &err);
    add_system(model, system, right);
    connect(model, "left.other", "right.x", 1.0);
    connect(model, "right.other", "left.x", 1.0);
    return model;
}

static inline double exact_left(double t)
{
    return 0.5 * (cos(two_pi * t) + cos(3.0 * two_pi * t));
}

static inline double exact_right(double t)
{
    return 0.5 * (cos(two_pi * t) - cos(3.0 * two_pi * t));
}

static inline double value_of(const yoke_run *run, const char *name)
{
    double value = NAN;
    yoke_err err;

    CHECK_OK(yoke_run_value(run, name, &value, &err), &err);
    return value;
}

static inline void set(yoke_run_options *options, const char *name,
                       const char *value)
{
    yoke_err err;

    CHECK_OK(yoke_run_set(options, name, value, &err), &err);
}

/* ---- files ------------------------------------------------------------------
 */

/* The name lives until the eighth call after this. */
static inline void to_file(yoke_run_options *options, const char *name)
{
    static char path[8][512];
    static int turn;
    char *out = path[turn++ % 8];

    snprintf(out, sizeof path[0], "%s", in_scratch(name));
    options->output = out;
}

static inline yoke_table *read_table(const char *path, const char *table)
{
    yoke_table *out = NULL;
    yoke_err err;

    CHECK_OK(yoke_table_read(&out, path, table, &err), &err);
    return out;
}

#endif
