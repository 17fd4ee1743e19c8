#include "problems.h"

#include "bench.h"
#include "chain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

static problem begin(int subsystems)
{
    yoke_err err = { YOKE_OK, "" };
    problem p = { .order = "" };

    p.groups = subsystems;
    bench_need(yoke_model_create(&p.model, &err), &err);
    return p;
}

void problem_free(problem *p)
{
    yoke_model_free(p->model);
}

static void add(problem *p, const char *name, const yoke_system_ops *ops,
                const yoke_system_info *info)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_system *system = NULL;

    bench_need(yoke_system_create(&system, name, ops, NULL, info, &err), &err);
    bench_need(yoke_model_add(p->model, system, NULL, &err), &err);
    p->unknowns += info->n;
}

static void join(problem *p, const char *input, const char *output, double w)
{
    yoke_err err = { YOKE_OK, "" };

    bench_need(
        yoke_graph_signal(yoke_model_graph(p->model), input, output, w, &err),
        &err);
}

/* ---- two masses ---------------------------------------------------------- */

static yoke_status mass(void *self, double t, const double *x, const double *u,
                        double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)err;
    xdot[0] = x[1];
    xdot[1] = -4 * pi * pi * x[0] - 16 * pi * pi * (x[0] - u[0]);
    return YOKE_OK;
}

problem two_masses(double window)
{
    static const yoke_system_ops ops = { .kind = "mass", .rhs = mass };
    const yoke_system_info info = {
        .n = 2,
        .m = 1,
        .flags = YOKE_AFFINE | YOKE_TIMELESS,
        .x0 = (double[]){ 1.0, 0.0 },
        .x_name = (const char *const[]){ "x", "v" },
        .u_name = (const char *const[]){ "other" },
    };
    yoke_system_info right = info;
    problem p = begin(2);

    snprintf(p.name, sizeof p.name, "two-masses-H-%g", window);
    p.stop = 1.0;
    p.window = window;
    p.rtol = p.atol = 1e-6;
    p.record = "left.x right.x";
    right.x0 = (double[]){ 0.0, 0.0 };
    add(&p, "left", &ops, &info);
    add(&p, "right", &ops, &right);
    join(&p, "left.other", "right.x", 1.0);
    join(&p, "right.other", "left.x", 1.0);
    return p;
}

/* ---- Wang, Hou, Modnak, equations (16)-(18) ------------------------------ */

/* (4 1; 1 3) x'' = (2 1; 1 2) x + (6, 7) - (0, lambda) */
static void x_acceleration(const double *x, double lambda, double *a)
{
    const double r1 = 2 * x[0] + x[1] + 6, r2 = x[0] + 2 * x[1] + 7 - lambda;

    a[0] = (3 * r1 - r2) / 11;
    a[1] = (4 * r2 - r1) / 11;
}

/* (5 2; 2 4) y'' = (1 2; 0 2) y + (10, 4) + (2 lambda, 0) */
static void y_acceleration(const double *y, double lambda, double *a)
{
    const double r1 = y[0] + 2 * y[1] + 10 + 2 * lambda, r2 = 2 * y[1] + 4;

    a[0] = (4 * r1 - 2 * r2) / 16;
    a[1] = (5 * r2 - 2 * r1) / 16;
}

static yoke_status x_rhs(void *self, double t, const double *x, const double *u,
                         double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)err;
    xdot[0] = x[2];
    xdot[1] = x[3];
    x_acceleration(x, u[0], xdot + 2);
    return YOKE_OK;
}

static yoke_status x_output(void *self, double t, const double *x,
                            const double *u, double *y, yoke_err *err)
{
    double a[2];

    (void)self, (void)t, (void)err;
    x_acceleration(x, u[0], a);
    y[0] = a[1];
    return YOKE_OK;
}

static yoke_status y_rhs(void *self, double t, const double *x, const double *u,
                         double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)err;
    xdot[0] = x[2];
    xdot[1] = x[3];
    y_acceleration(x, u[0], xdot + 2);
    return YOKE_OK;
}

static yoke_status y_output(void *self, double t, const double *x,
                            const double *u, double *y, yoke_err *err)
{
    double a[2];

    (void)self, (void)t, (void)err;
    y_acceleration(x, u[0], a);
    y[0] = a[0];
    return YOKE_OK;
}

problem wang_hou_modnak(double window)
{
    static const yoke_system_ops x_ops = { .kind = "body x",
                                           .rhs = x_rhs,
                                           .output = x_output };
    static const yoke_system_ops y_ops = { .kind = "body y",
                                           .rhs = y_rhs,
                                           .output = y_output };
    const yoke_system_info info = {
        .n = 4,
        .m = 1,
        .p = 1,
        .flags = YOKE_AFFINE | YOKE_TIMELESS,
        .u_name = (const char *const[]){ "lambda" },
        .y_name = (const char *const[]){ "a" },
    };
    const yoke_constraint joint = {
        .count = 1,
        .outputs = 2,
        .output = (const char *const[]){ "x.a", "y.a" },
        .weight = (const double[]){ 1.0, -2.0 }, /* x2'' - 2 y1'' = 0 */
        .owner = "y",
    };
    yoke_err err = { YOKE_OK, "" };
    problem p = begin(3);

    snprintf(p.name, sizeof p.name, "wang-hou-modnak-H-%g", window);
    p.stop = 10.0;
    p.window = window;
    p.rtol = p.atol = 1e-6;
    p.record = "x.a joint.lambda";
    add(&p, "y", &y_ops, &info);
    add(&p, "x", &x_ops, &info);
    bench_need(
        yoke_graph_constraint(yoke_model_graph(p.model), "joint", &joint, &err),
        &err);
    join(&p, "x.lambda", "joint.lambda", 1.0);
    join(&p, "y.lambda", "joint.lambda", 1.0);
    p.unknowns++;
    p.groups = 2; /* y and joint are solved as one */
    return p;
}

/* ---- chain of RC cells in blocks ----------------------------------------- */

/* Inside a block the conductance is 100, between blocks 0.1; every cell is fed
 * by a current of its own phase, every block at its own frequency. */
static chain *make_block(int cells, int blocks, int i, bool back)
{
    const int n = cells / blocks;
    chain *s = chain_create(n);

    s->c = 1.0;
    s->g = 100.0;
    s->leak = 1.0;
    s->has_left = i > 0;
    s->has_right = back && i + 1 < blocks;
    s->g_left = s->has_left ? 0.1 : 0.0;
    s->g_right = s->has_right ? 0.1 : 0.0;
    s->omega = 2.0 * pi * (1 + i % 3);
    for (int k = 0; k < n; k++) {
        const double phase = 0.7 * (i * n + k);
        s->a[k] = 5.0 * (1.0 + 0.5 * cos(phase));
        s->b[k] = 5.0 * (1.0 + 0.5 * sin(phase));
    }
    return s;
}

static void join_blocks(problem *p, int left, int right, bool back)
{
    char input[32], output[32];

    snprintf(input, sizeof input, "b%d.left", right);
    snprintf(output, sizeof output, "b%d.last", left);
    join(p, input, output, 1.0);
    if (!back) return;
    snprintf(input, sizeof input, "b%d.right", left);
    snprintf(output, sizeof output, "b%d.first", right);
    join(p, input, output, 1.0);
}

static problem make_chain(int cells, int blocks, double window, bool back)
{
    yoke_err err = { YOKE_OK, "" };
    problem p = begin(blocks);

    snprintf(p.name, sizeof p.name, "rc-chain-N-%d-M-%d", cells, blocks);
    p.stop = 1.0;
    p.window = window;
    p.rtol = p.atol = 1e-6;
    p.record = "*.first *.last";
    p.unknowns = cells;
    for (int i = 0; i < blocks; i++) {
        yoke_system *system = NULL;
        char name[32];
        snprintf(name, sizeof name, "b%d", i);
        bench_need(chain_system(&system, name,
                                make_block(cells, blocks, i, back), YOKE_AFFINE,
                                NULL, &err),
                   &err);
        bench_need(yoke_model_add(p.model, system, NULL, &err), &err);
        if (i > 0) join_blocks(&p, i - 1, i, back);
    }
    return p;
}

problem rc_chain(int cells, int blocks, double window)
{
    return make_chain(cells, blocks, window, true);
}

problem rc_cascade(int cells, int blocks, double window)
{
    problem p = make_chain(cells, blocks, window, false);

    snprintf(p.name, sizeof p.name, "rc-cascade-N-%d-M-%d", cells, blocks);
    p.scheme = YOKE_JACOBI;
    return p;
}
