/* cli/problems.c -- the built-in problems.
 *
 * Each is written with the public interface only, as a user would.
 */
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TRY(call)                                                              \
    do {                                                                       \
        const yoke_status status_ = (call);                                    \
        if (status_ != YOKE_OK) return status_;                                \
    } while (0)

static const double pi = 3.14159265358979323846;

static yoke_status add_linear(yoke_model *model, const char *name,
                              const yoke_linear *linear, yoke_err *err)
{
    yoke_system *system = NULL;

    TRY(yoke_linear_create(&system, name, linear, err));
    return yoke_model_add(model, system, NULL, err);
}

/* ---- two masses between three springs ----------------------------------- */

/* Wall - 4 pi^2 - m1 - 16 pi^2 - m2 - 4 pi^2 - wall, m = 1.  Exact:
 * x = (cos 2 pi t +- cos 6 pi t) / 2. */
static yoke_status build_two_masses(yoke_model *model,
                                    yoke_run_options *options, yoke_err *err)
{
    const double k = 4.0 * pi * pi, c = 16.0 * pi * pi;
    const double A[] = { 0.0, 1.0, -k - c, 0.0 }, B[] = { 0.0, c };
    const char *const x_name[] = { "x", "v" };
    const char *const u_name[] = { "other" };
    yoke_linear mass = { .n = 2, .m = 1, .A = A, .B = B };
    yoke_graph *graph = yoke_model_graph(model);

    mass.x_name = x_name;
    mass.u_name = u_name;
    mass.x0 = (const double[]){ 1.0, 0.0 };
    TRY(add_linear(model, "left", &mass, err));
    mass.x0 = (const double[]){ 0.0, 0.0 };
    TRY(add_linear(model, "right", &mass, err));
    TRY(yoke_graph_signal(graph, "left.other", "right.x", 1.0, err));
    TRY(yoke_graph_signal(graph, "right.other", "left.x", 1.0, err));
    options->stop = 2.0;
    options->iterate.window = 0.05;
    options->every = 0.01;
    return YOKE_OK;
}

/* ---- two structures and a joint ----------------------------------------- */

/* Wang, Hou, Modnak 2011, (16)-(18): M z'' = K z + r + g lambda in first-order
 * form, with the accelerations as algebraic unknowns. */
typedef struct structure {
    double M[4], K[4], r[2], g[2];
    const char *const *x_name;
} structure;

static void load(void *context, double t, double *r)
{
    const structure *s = context;

    (void)t;
    memset(r, 0, 4 * sizeof *r);
    r[4] = s->r[0];
    r[5] = s->r[1];
}

static yoke_status add_structure(yoke_model *model, const char *name,
                                 structure *s, yoke_err *err)
{
    static const double E[36] = { 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
                                  0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1 };
    static const char *const u_name[] = { "lambda" };
    const double A[36] = {
        0,       0,       1, 0, 0,        0, /* z1' = v1 */
        0,       0,       0, 1, 0,        0, /* z2' = v2 */
        0,       0,       0, 0, 1,        0, /* v1' = a1 */
        0,       0,       0, 0, 0,        1, /* v2' = a2 */
        s->K[0], s->K[1], 0, 0, -s->M[0], -s->M[1],
        s->K[2], s->K[3], 0, 0, -s->M[2], -s->M[3],
    };
    const double B[6] = { 0, 0, 0, 0, s->g[0], s->g[1] };
    const yoke_linear linear = {
        .n = 6,
        .m = 1,
        .E = E,
        .A = A,
        .B = B,
        .source = load,
        .context = s,
        .x_name = s->x_name,
        .u_name = u_name,
    };

    return add_linear(model, name, &linear, err);
}

static yoke_status build_joint(yoke_model *model, yoke_run_options *options,
                               yoke_err *err)
{
    static const char *const x_name[] = { "x1", "x2", "v1", "v2", "a1", "a2" };
    static const char *const y_name[] = { "y1", "y2", "w1", "w2", "b1", "b2" };
    static structure x = {
        { 4, 1, 1, 3 }, { 2, 1, 1, 2 }, { 6, 7 }, { 0, -1 }, x_name
    };
    static structure y = {
        { 5, 2, 2, 4 }, { 1, 2, 0, 2 }, { 10, 4 }, { 2, 0 }, y_name
    };
    static const char *const read[] = { "x.a2", "y.b1" };
    static const double weight[] = { 1.0, -2.0 }; /* x2'' = 2 y1'' */
    const yoke_constraint joint = {
        .count = 1, .outputs = 2, .output = read, .weight = weight, .owner = "y"
    };
    yoke_graph *graph = yoke_model_graph(model);

    TRY(add_structure(model, "y", &y, err));
    TRY(add_structure(model, "x", &x, err));
    TRY(yoke_graph_constraint(graph, "joint", &joint, err));
    TRY(yoke_graph_signal(graph, "x.lambda", "joint.lambda", 1.0, err));
    TRY(yoke_graph_signal(graph, "y.lambda", "joint.lambda", 1.0, err));
    options->stop = 10.0;
    options->iterate.window = 0.5;
    options->every = 0.05;
    return YOKE_OK;
}

/* ---- a floating capacitor ----------------------------------------------- */

static void voltage(void *context, double t, double *r)
{
    (void)context;
    r[0] = 0.0;
    r[1] = -(sin(2.0 * t) + 0.5 * t);
}

/* Crow, Ilic 1990, (16), index 2, cut into (V1, I) | (V2): the charge of the
 * floating capacitor depends on the voltage of the other part. */
static yoke_status build_capacitor(yoke_model *model, yoke_run_options *options,
                                   yoke_err *err)
{
    static const double c1 = 1.0, c2 = 0.5, g1 = 0.3, g2 = 0.8;
    const double E1[] = { c1, 0, 0, 0 }, F1[] = { -c1, 0 };
    const double A1[] = { -g1, 1, 1, 0 };
    const double E2[] = { c1 + c2 }, F2[] = { -c1 }, A2[] = { -g2 };
    static const char *const name1[] = { "V1", "I" };
    static const char *const name2[] = { "V2" };
    const yoke_linear first = {
        .n = 2,
        .m = 1,
        .E = E1,
        .A = A1,
        .F = F1,
        .source = voltage,
        .x0 = (const double[]){ 0.0, 2.0 },
        .x_name = name1,
        .u_name = name2,
    };
    const yoke_linear second = {
        .n = 1,
        .m = 1,
        .E = E2,
        .A = A2,
        .F = F2,
        .x_name = name2,
        .u_name = name1,
    };
    yoke_stepper_options stepper = yoke_stepper_defaults();
    yoke_graph *graph = yoke_model_graph(model);
    yoke_system *system = NULL;

    TRY(yoke_stepper_set(&stepper, "method", "implicit-euler", err));
    stepper.step = 0.01;
    TRY(yoke_linear_create(&system, "first", &first, err));
    TRY(yoke_model_add(model, system, &stepper, err));
    TRY(yoke_linear_create(&system, "second", &second, err));
    TRY(yoke_model_add(model, system, &stepper, err));
    TRY(yoke_graph_signal(graph, "first.V2", "second.V2", 1.0, err));
    TRY(yoke_graph_signal(graph, "second.V1", "first.V1", 1.0, err));
    options->given = true; /* index 2 as a whole */
    options->stop = 2.0;
    options->iterate.window = 0.1;
    options->every = 0.02;
    return YOKE_OK;
}

/* ---- a chain of RC cells ------------------------------------------------ */

enum { CELLS = 10, PARTS = 10 };

/* v_i' = sum of (v_j - v_i) / R over the neighbours - v_i / R_ground; between
 * the parts R is ten times larger. */
static yoke_status add_cells(yoke_model *model, int part, yoke_err *err)
{
    static const char *const u_name[] = { "left", "right" };
    const bool first = part == 0, last = part == PARTS - 1;
    const int m = first || last ? 1 : 2;
    double A[CELLS * CELLS] = { 0 }, B[CELLS * 2] = { 0 }, x0[CELLS] = { 0 };
    char name[16];

    for (int i = 0; i < CELLS; i++) {
        const double left = i > 0 ? 1.0 : first ? 0.0 : 0.1;
        const double right = i < CELLS - 1 ? 1.0 : last ? 0.0 : 0.1;
        A[i * CELLS + i] = -left - right - 0.05;
        if (i > 0) A[i * CELLS + i - 1] = left;
        if (i < CELLS - 1) A[i * CELLS + i + 1] = right;
    }
    if (!first) B[0] = 0.1;
    if (!last) B[(CELLS - 1) * m + m - 1] = 0.1;
    if (first) x0[0] = 1.0;
    snprintf(name, sizeof name, "part%d", part + 1);
    const yoke_linear cells = { .n = CELLS,
                                .m = m,
                                .A = A,
                                .B = B,
                                .x0 = x0,
                                .u_name = u_name + (first ? 1 : 0) };
    return add_linear(model, name, &cells, err);
}

static yoke_status build_chain(yoke_model *model, yoke_run_options *options,
                               yoke_err *err)
{
    yoke_graph *graph = yoke_model_graph(model);

    for (int k = 0; k < PARTS; k++) TRY(add_cells(model, k, err));
    for (int k = 1; k < PARTS; k++) {
        char to[32], from[32];
        snprintf(to, sizeof to, "part%d.left", k + 1);
        snprintf(from, sizeof from, "part%d.x%d", k, CELLS);
        TRY(yoke_graph_signal(graph, to, from, 1.0, err));
        snprintf(to, sizeof to, "part%d.right", k);
        snprintf(from, sizeof from, "part%d.x1", k + 1);
        TRY(yoke_graph_signal(graph, to, from, 1.0, err));
    }
    options->stop = 20.0;
    options->iterate.window = 1.0;
    options->every = 0.1;
    return YOKE_OK;
}

const cli_problem cli_problems[] = {
    { "two-masses", "two masses between three springs, one subsystem each",
      build_two_masses },
    { "joint", "two structures held together by a constraint (index 1 form)",
      build_joint },
    { "floating-capacitor", "an index 2 circuit cut at a floating capacitor",
      build_capacitor },
    { "rc-chain", "100 RC cells in 10 weakly coupled parts", build_chain },
    { NULL, NULL, NULL },
};

const cli_problem *cli_problem_find(const char *name)
{
    for (const cli_problem *p = cli_problems; p->name; p++)
        if (strcmp(p->name, name) == 0) return p;
    return NULL;
}
