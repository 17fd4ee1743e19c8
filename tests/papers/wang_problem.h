/* The model problem of Wang, Hou and Modnak (2011): two structures, each with
 * two degrees of freedom, held together by x2 = 2 y1.
 *
 *     [4 1; 1 3] x'' = [2 1; 1 2] x + (6, 7)  - (0, lambda)           (16)
 *     [5 2; 2 4] y'' = [1 2; 0 2] y + (10, 4) + (2 lambda, 0)         (17)
 *              x2'' = 2 y1'',   everything zero at the start          (18)
 *
 * Numbers in brackets are equations of the paper; names that begin with 001 are
 * those of an independent recomputation of its tables.
 */
#ifndef YK_TESTS_WANG_PROBLEM_H
#define YK_TESTS_WANG_PROBLEM_H

#include "check.h"

#include "yoke/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { X1, X2, Y1, Y2, LAMBDA, VALUES }; /* of a state */

/* ---- the problem --------------------------------------------------------- */

typedef enum equations {
    CONSTRAINT, /* (16), (17) and a constraint for the multiplier */
    SOLVED,     /* solved for x'', y'' and lambda, with the right signs */
    PRINTED     /* the same with the signs of (22) and (24) */
} equations;

typedef struct setup {
    equations form;
    const char *x_method, *y_method; /* NULL: trapezoidal */
    const char *schedule;            /* NULL: "y + joint > x", or "y > x" */
    double window;
    int steps;       /* of the fixed methods, in a window */
    double eps0;     /* bound of the change at the end of a window; 0: 1e-6 */
    double stop;     /* end time; 0: 10 */
    int max_sweeps;  /* 0: 100 */
    bool count;      /* always max_sweeps sweeps */
    bool monolithic; /* one system, no iteration */
    bool position;   /* the constraint is x2 = 2 y1 itself; initial values are
                        taken as given */
    bool whole;      /* compare over the whole window, not only at its end */
} setup;

enum { MOST_WINDOWS = 24, MOST_SWEEPS = 64 };

typedef struct outcome {
    double start[VALUES], value[VALUES]; /* at the start and the end time */
    yoke_run_result result;
    yoke_err err;
    int sweeps[MOST_WINDOWS + 1];                    /* of window 1, 2, ... */
    double eps_x[MOST_WINDOWS + 1][MOST_SWEEPS + 1]; /* of sweep 1, 2, ... */
    double eps[MOST_WINDOWS + 1][MOST_SWEEPS + 1];   /* of all variables */
} outcome;

static void x_load(void *context, double t, double *r)
{
    (void)context, (void)t;
    memset(r, 0, 6 * sizeof *r);
    r[4] = 6.0;
    r[5] = 7.0;
}

static void y_load(void *context, double t, double *r)
{
    (void)context, (void)t;
    memset(r, 0, 6 * sizeof *r);
    r[4] = 10.0;
    r[5] = 4.0;
}

static const double e_matrix[36] = {
    [0] = 1, [7] = 1, [14] = 1, [21] = 1 /* the accelerations are algebraic */
};

/* (16) and (17) with the unknowns position, velocity, acceleration. */
static yoke_system *create_x(bool given)
{
    static const double a[36] = {
        0, 0, 1, 0, 0,  0,  /* x1' = v1 */
        0, 0, 0, 1, 0,  0,  /* x2' = v2 */
        0, 0, 0, 0, 1,  0,  /* v1' = a1 */
        0, 0, 0, 0, 0,  1,  /* v2' = a2 */
        2, 1, 0, 0, -4, -1, /* 0 = K x + r - M a + force */
        1, 2, 0, 0, -1, -3,
    };
    static const double b[6] = { 0, 0, 0, 0, 0, 1 };
    static const double start[6] = { 0, 0, 0, 0, 13.0 / 15, 38.0 / 15 };
    static const char *const name[] = { "x1", "x2", "v1", "v2", "a1", "a2" };
    static const char *const input[] = { "force" };
    const yoke_linear x = { .n = 6,
                            .m = 1,
                            .E = e_matrix,
                            .A = a,
                            .B = b,
                            .source = x_load,
                            .x0 = given ? start : NULL,
                            .x_name = name,
                            .u_name = input };
    yoke_system *system = NULL;
    yoke_err err = { 0 };

    CHECK_OK(yoke_linear_create(&system, "x", &x, &err), &err);
    return system;
}

static yoke_system *create_y(bool given)
{
    static const double a[36] = {
        0, 0, 1, 0, 0,  0,  /* y1' = v1 */
        0, 0, 0, 1, 0,  0,  /* y2' = v2 */
        0, 0, 0, 0, 1,  0,  /* v1' = a1 */
        0, 0, 0, 0, 0,  1,  /* v2' = a2 */
        1, 2, 0, 0, -5, -2, /* 0 = K y + r - M a + force */
        0, 2, 0, 0, -2, -4,
    };
    static const double b[6] = { 0, 0, 0, 0, 1, 0 };
    static const double start[6] = { 0, 0, 0, 0, 19.0 / 15, 11.0 / 30 };
    static const char *const name[] = { "y1", "y2", "v1", "v2", "a1", "a2" };
    static const char *const input[] = { "force" };
    const yoke_linear y = { .n = 6,
                            .m = 1,
                            .E = e_matrix,
                            .A = a,
                            .B = b,
                            .source = y_load,
                            .x0 = given ? start : NULL,
                            .x_name = name,
                            .u_name = input };
    yoke_system *system = NULL;
    yoke_err err = { 0 };

    CHECK_OK(yoke_linear_create(&system, "y", &y, &err), &err);
    return system;
}

static void join(yoke_graph *g, bool position)
{
    static const char *const level[2][2] = { { "x.a2", "y.a1" },
                                             { "x.x2", "y.y1" } };
    const double weight[2] = { 1.0, -2.0 }, start = -22.0 / 15;
    const yoke_constraint joint = { .count = 1,
                                    .outputs = 2,
                                    .output = level[position],
                                    .weight = weight,
                                    .start = position ? &start : NULL };
    yoke_err err = { 0 };

    CHECK_OK(yoke_graph_constraint(g, "joint", &joint, &err), &err);
    CHECK_OK(yoke_graph_signal(g, "x.force", "joint.lambda", -1, &err), &err);
    CHECK_OK(yoke_graph_signal(g, "y.force", "joint.lambda", 2, &err), &err);
}

/* x'' of (25). */
static void x_acceleration(const double *x, double lambda, double *a)
{
    a[0] = (5 * x[0] + x[1] + lambda) / 11 + 1;
    a[1] = (2 * x[0] + 7 * x[1] - 4 * lambda) / 11 + 2;
}

static yoke_status solved_x(void *self, double t, const double *x,
                            const double *u, double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)err;
    xdot[0] = x[2];
    xdot[1] = x[3];
    x_acceleration(x, u[0], xdot + 2);
    return YOKE_OK;
}

static yoke_status solved_x_output(void *self, double t, const double *x,
                                   const double *u, double *y, yoke_err *err)
{
    double a[2];

    (void)self, (void)t, (void)err;
    x_acceleration(x, u[0], a);
    y[0] = x[0];
    y[1] = x[1];
    y[2] = a[1];
    return YOKE_OK;
}

static const double right = 1.0, misprint = -1.0; /* sign of y2 in (22) */

/* (22): y1'' = x2''/2, y2'' = sign y2/2 + 1 - x2''/4. */
static yoke_status solved_y(void *self, double t, const double *y,
                            const double *u, double *ydot, yoke_err *err)
{
    (void)t, (void)err;
    ydot[0] = y[2];
    ydot[1] = y[3];
    ydot[2] = 0.5 * u[0];
    ydot[3] = 0.5 * *(const double *)self * y[1] + 1 - 0.25 * u[0];
    return YOKE_OK;
}

/* (24): lambda = -sign (y1 + y2)/2 - 4 + x2''. */
static yoke_status solved_y_output(void *self, double t, const double *x,
                                   const double *u, double *y, yoke_err *err)
{
    (void)t, (void)err;
    y[0] = x[0];
    y[1] = x[1];
    y[2] = -0.5 * *(const double *)self * (x[0] + x[1]) - 4 + u[0];
    return YOKE_OK;
}

static yoke_system *create_solved_x(void)
{
    static const yoke_system_ops ops = { .kind = "structure",
                                         .rhs = solved_x,
                                         .output = solved_x_output };
    const yoke_system_info info = {
        .n = 4,
        .m = 1,
        .p = 3,
        .flags = YOKE_AFFINE,
        .x_name = (const char *const[]){ "x1", "x2", "v1", "v2" },
        .u_name = (const char *const[]){ "lambda" },
        .y_name = (const char *const[]){ "x1", "x2", "a2" },
    };
    yoke_system *system = NULL;
    yoke_err err = { 0 };

    CHECK_OK(yoke_system_create(&system, "x", &ops, NULL, &info, &err), &err);
    return system;
}

static yoke_system *create_solved_y(const double *sign)
{
    static const yoke_system_ops ops = { .kind = "structure",
                                         .rhs = solved_y,
                                         .output = solved_y_output };
    const yoke_system_info info = {
        .n = 4,
        .m = 1,
        .p = 3,
        .flags = YOKE_AFFINE,
        .x_name = (const char *const[]){ "y1", "y2", "v1", "v2" },
        .u_name = (const char *const[]){ "x.a2" },
        .y_name = (const char *const[]){ "y1", "y2", "lambda" },
    };
    yoke_system *system = NULL;
    yoke_err err = { 0 };

    CHECK_OK(yoke_system_create(&system, "y", &ops, (void *)(uintptr_t)sign,
                                &info, &err),
             &err);
    return system;
}

/* ---- a run --------------------------------------------------------------- */

static yoke_stepper_options stepper(const setup *s, const char *method)
{
    yoke_stepper_options o = yoke_stepper_defaults();

    snprintf(o.method, sizeof o.method, "%s", method ? method : "trapezoidal");
    o.steps = s->steps;
    o.rtol = o.atol = strcmp(o.method, "trbdf2") == 0 ? 1e-8 : 1e-10;
    return o;
}

static yoke_model *create_model(const setup *s)
{
    const bool apart = s->form == CONSTRAINT;
    const yoke_stepper_options x = stepper(s, s->x_method);
    const yoke_stepper_options y = stepper(s, s->y_method);
    yoke_model *m = NULL;
    yoke_err err = { 0 };

    CHECK_OK(yoke_model_create(&m, &err), &err);
    yoke_graph *g = yoke_model_graph(m);
    CHECK_OK(yoke_model_add(m,
                            apart ? create_x(s->position) : create_solved_x(),
                            &x, &err),
             &err);
    CHECK_OK(yoke_model_add(
                 m,
                 apart
                     ? create_y(s->position)
                     : create_solved_y(s->form == PRINTED ? &misprint : &right),
                 &y, &err),
             &err);
    if (apart) {
        join(g, s->position);
        return m;
    }
    CHECK_OK(yoke_graph_signal(g, "x.lambda", "y.lambda", 1, &err), &err);
    CHECK_OK(yoke_graph_signal(g, "y.x.a2", "x.a2", 1, &err), &err);
    return m;
}

/* The stopping test (10): max(|dx|, |dy|, |dlambda|) <= eps0 at t_{n+1}.  The
 * coupled x2'' is tested too, but it changes by about 4/11 of dlambda. */
static yoke_run_options run_options(const setup *s)
{
    yoke_run_options o = yoke_run_defaults();

    o.stop = s->stop > 0 ? s->stop : 10.0;
    o.given = s->position;
    o.iterate.window = s->window;
    o.iterate.rtol = 0.0;
    o.iterate.atol = s->eps0 > 0 ? s->eps0 : 1e-6;
    o.iterate.stop = s->count ? YOKE_STOP_COUNT : YOKE_STOP_CHANGE;
    o.iterate.max_sweeps = s->max_sweeps ? s->max_sweeps : 100;
    o.iterate.at_end = !s->whole;
    o.iterate.extrapolate = 0; /* the guess (23) */
    o.iterate.accelerate = YOKE_ACCELERATE_NONE;
    o.monitor = "x.x1 x.x2 y.y1 y.y2";
    if (s->monolithic)
        o.scheme = YOKE_MONOLITHIC;
    else
        o.schedule = s->schedule             ? s->schedule
                     : s->form == CONSTRAINT ? "y + joint > x"
                                             : "y > x";
    return o;
}

/* Variables of splitting A in the order of its clusters: y1 y2 lambda of the
 * first, x1 x2 x2'' of the second. */
static void note_sweep(void *context, const yoke_sweep *sweep)
{
    outcome *out = context;
    const double *c = sweep->variable_change;

    if (sweep->window > MOST_WINDOWS || sweep->sweep > MOST_SWEEPS) return;
    out->sweeps[sweep->window] = sweep->sweep;
    for (int v = 0; v < sweep->variables; v++)
        out->eps[sweep->window][sweep->sweep] =
            fmax(out->eps[sweep->window][sweep->sweep], c[v]);
    if (sweep->variables == 6)
        out->eps_x[sweep->window][sweep->sweep] = fmax(c[3], c[4]);
}

static void read_values(const yoke_run *run, equations form, double *value)
{
    const char *const name[VALUES] = { "x.x1", "x.x2", "y.y1", "y.y2",
                                       form == CONSTRAINT ? "joint.lambda"
                                                          : "y.lambda" };
    yoke_err err = { 0 };

    for (int k = 0; k < VALUES; k++)
        CHECK_OK(yoke_run_value(run, name[k], &value[k], &err), &err);
}

static yoke_status try_run(const setup *s, outcome *out)
{
    yoke_model *model = create_model(s);
    const yoke_run_options options = run_options(s);
    const yoke_watcher watcher = { .sweep = note_sweep, .context = out };
    yoke_run *run = NULL;

    memset(out, 0, sizeof *out);
    CHECK_OK(yoke_run_create(&run, model, &options, &watcher, &out->err),
             &out->err);
    read_values(run, s->form, out->start);
    const yoke_status status = yoke_run_advance(run, options.stop, &out->err);
    yoke_run_summary(run, &out->result);
    read_values(run, s->form, out->value);
    CHECK_OK(yoke_run_close(run, NULL), NULL);
    yoke_model_free(model);
    return status;
}

static void run(const setup *s, outcome *out)
{
    CHECK_OK(try_run(s, out), &out->err);
    assert_true(out->result.converged || s->count);
}

static outcome scratch; /* large: not on the stack */

static const outcome *run_once(setup s)
{
    run(&s, &scratch);
    return &scratch;
}

static void check_values(const double *got, const double *want, double tol)
{
    for (int k = 0; k < VALUES; k++) CHECK_NEAR(got[k], want[k], tol);
}

/* ---- reference solution -------------------------------------------------- */

/* 001.closed_form.  The paper says there is none. */
static void exact(double t, double *v)
{
    const double ch = cosh(t / sqrt(2.0)), ck = cosh(sqrt(7.0 / 15) * t);
    const double tsh = sqrt(2.0) * t * sinh(t / sqrt(2.0));

    v[X1] = -1 - 63 * ch + 1.25 * tsh + 64 * ck;
    v[X2] = -4 + 20 * ch - 16 * ck;
    v[Y1] = 0.5 * v[X2];
    v[Y2] = -2 + 58 * ch - 1.25 * tsh - 56 * ck;
    v[LAMBDA] = -2 - 24 * ch + 0.625 * tsh + 368.0 / 15 * ck;
}

static double error_at(const outcome *o, double t)
{
    double v[VALUES], most = 0.0;

    exact(t, v);
    for (int k = 0; k < VALUES; k++)
        most = fmax(most, fabs(o->value[k] - v[k]));
    return most;
}

/* 001.value.trapezoid.model.h0.1: the trapezoidal rule with step 0.1, t = 10 */
static const double fixed_tenth[VALUES] = {
    2975.465962900037, 4373.925699831707, 2186.962849915853, -2215.22344958517,
    2446.7896748535504
};

#endif
