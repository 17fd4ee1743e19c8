#include "problem.h"

#include "bench.h"
#include "comp/mechanism/masses.h"
#include "comp/mechanism/wires.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double head_mass = 1.0 / 0.11, frame_mass = 15.0;
static const double c1 = 4200.0, d1 = 10.0, c2 = 50.0, d2 = 90.0;
static const double uplift = 120.0, catenary_step = 5e-5;

/* ---- two masses ---------------------------------------------------------- */

static void push_up(void *context, double t, double *force)
{
    (void)t;
    ((counter *)context)->calls++;
    force[1] = uplift;
}

static yoke_system *two_masses(counter *count)
{
    const yk_masses_mass mass[] = { { "head", head_mass, 0.0, 0.0, true },
                                    { "frame", frame_mass, 0.0, 0.0, false } };
    const yk_masses_spring spring[] = { { 0, 1, c1, d1, 0.0 },
                                        { -1, 1, c2, d2, 0.0 } };
    const yk_masses given = { .masses = 2,
                              .springs = 2,
                              .mass = mass,
                              .spring = spring,
                              .act = push_up,
                              .act_context = count };
    yoke_err err = { YOKE_OK, "" };
    yoke_system *out = NULL;

    bench_need(yk_masses_create(&out, "pantograph", &given, &err), &err);
    return out;
}

/* ---- the elastic frame --------------------------------------------------- */

/* Coordinates: the head, then the nodes of the frame, from its foot to its top.
 * In the modes  phi_k(i) ~ cos(pi k (i + 1/2) / nodes)  the frame has the
 * frequencies 60 k^1.5 Hz, k = 1, 2, ..., and 5 % of critical damping in each;
 * k = 0 is its motion as a rigid body.  In the coordinates of the nodes both
 * matrices are full. */
typedef struct elastic {
    int n;         /* coordinates */
    double *K, *D; /* n by n */
    counter *count;
} elastic;

static void elastic_free(void *self)
{
    elastic *s = self;

    if (!s) return;
    free(s->K);
    free(s->D);
    free(s);
}

static yoke_status elastic_mass(void *self, const double *q, double *M,
                                yoke_err *err)
{
    const elastic *s = self;

    (void)q;
    (void)err;
    for (int i = 0; i < s->n; i++)
        M[i * s->n + i] = i == 0 ? head_mass : frame_mass / (s->n - 1);
    return YOKE_OK;
}

static yoke_status elastic_force(void *self, double t, const double *q,
                                 const double *v, const double *u, double *phi,
                                 yoke_err *err)
{
    const elastic *s = self;

    (void)t;
    (void)err;
    s->count->calls++;
    for (int i = 0; i < s->n; i++) {
        const double *K = s->K + i * s->n, *D = s->D + i * s->n;
        double sum = 0.0;
        for (int j = 0; j < s->n; j++) sum += K[j] * q[j] + D[j] * v[j];
        phi[i] = -sum;
    }
    phi[0] += u[0];
    for (int i = 1; i < s->n; i++) phi[i] += uplift / (s->n - 1);
    return YOKE_OK;
}

/* The head. */
static yoke_status elastic_observe(void *self, double t, const double *q,
                                   const double *v, const yoke_motion *y,
                                   yoke_err *err)
{
    (void)self, (void)t, (void)v, (void)err;
    y->value[0] = q[0];
    y->G[0] = 1.0;
    return YOKE_OK;
}

static void add_mode(elastic *s, int k)
{
    const int nodes = s->n - 1;
    const double omega = 2.0 * pi * 60.0 * pow(k, 1.5), zeta = 0.05;
    const double mass = frame_mass / nodes;

    for (int i = 0; i < nodes; i++)
        for (int j = 0; j < nodes; j++) {
            const double shape = 2.0 / nodes * cos(pi * k * (i + 0.5) / nodes) *
                                 cos(pi * k * (j + 0.5) / nodes);
            s->K[(i + 1) * s->n + j + 1] += mass * omega * omega * shape;
            s->D[(i + 1) * s->n + j + 1] += mass * 2.0 * zeta * omega * shape;
        }
}

/* A spring between coordinates a and b, or b and the ground. */
static void add_spring(double *K, int n, int a, int b, double c)
{
    K[b * n + b] += c;
    if (a < 0) return;
    K[a * n + a] += c;
    K[a * n + b] -= c;
    K[b * n + a] -= c;
}

static yoke_system *elastic_frame(int nodes, counter *count)
{
    static const yoke_mechanism_ops ops = { .mass = elastic_mass,
                                            .force = elastic_force,
                                            .observe = elastic_observe,
                                            .free = elastic_free };
    const int n = nodes + 1;
    const size_t size = (size_t)n * (size_t)n;
    elastic *s = bench_new(1, sizeof *s);
    char(*text)[16] = bench_new((size_t)n, sizeof *text);
    const char **name = bench_new((size_t)n, sizeof *name);
    const yoke_mechanism given = {
        .n = n,
        .m = 1,
        .outputs = 1,
        .affine = true,
        .q_name = name,
        .u_name = (const char *const[]){ "head.force" },
        .y_name = (const char *const[]){ "head" },
    };
    yoke_err err = { YOKE_OK, "" };
    yoke_system *out = NULL;

    *s = (elastic){ .n = n, .count = count };
    s->K = bench_new(size, sizeof *s->K);
    s->D = bench_new(size, sizeof *s->D);
    for (int k = 1; k < nodes; k++) add_mode(s, k);
    add_spring(s->K, n, 0, n - 1, c1);
    add_spring(s->D, n, 0, n - 1, d1);
    add_spring(s->K, n, -1, 1, c2);
    add_spring(s->D, n, -1, 1, d2);
    for (int i = 0; i < n; i++) {
        snprintf(text[i], sizeof text[i], "q%d", i);
        name[i] = text[i];
    }
    bench_need(yoke_mechanism_create(&out, "pantograph", &ops, s, &given, &err),
               &err);
    free(text);
    free(name);
    return out;
}

/* ---- the catenary -------------------------------------------------------- */

static yoke_system *catenary(void)
{
    const yk_wires_wire wire[] = { { "carrier", 1.07, 131.7, 16e3, 0.0125 },
                                   { "contact", 1.35, 190.347, 20e3, 0.0125 } };
    const yk_wires_dropper dropper[] = { { 0, 1, 4.0, 1e5 },
                                         { 0, 1, 8.0, 1e5 },
                                         { 0, 1, 12.0, 1e5 },
                                         { 0, 1, 16.0, 1e5 } };
    const yk_wires_contact contact = { "contact", 1, 2.0, 32.0,
                                       0.0848246264374602 };
    const yk_wires given = { .span = 20.0,
                             .nodes = 499,
                             .wires = 2,
                             .droppers = 4,
                             .contacts = 1,
                             .wire = wire,
                             .dropper = dropper,
                             .contact = &contact };
    yoke_err err = { YOKE_OK, "" };
    yoke_system *out = NULL;

    bench_need(yk_wires_create(&out, "catenary", &given, &err), &err);
    return out;
}

/* ---- the model ----------------------------------------------------------- */

static yoke_stepper_options stepper(const char *method, double step)
{
    yoke_stepper_options o = yoke_stepper_defaults();
    yoke_err err = { YOKE_OK, "" };

    bench_need(yoke_stepper_set(&o, "method", method, &err), &err);
    o.step = step;
    return o;
}

yoke_model *problem_model(const way *w, counter *count)
{
    const yoke_constraint contact = {
        .count = 1,
        .outputs = 2,
        .output =
            (const char *const[]){ "pantograph.head", "catenary.contact" },
        .weight = (const double[]){ 1.0, -1.0 },
        .form = YOKE_FORM_STABILISED,
        .eta = 100.0,
        .owner = "catenary",
    };
    const yoke_stepper_options slow = stepper(w->method, w->step);
    const yoke_stepper_options fast =
        stepper("stormer", w->fine > 0.0 ? w->fine : catenary_step);
    yoke_err err = { YOKE_OK, "" };
    yoke_model *model = NULL;

    bench_need(yoke_model_create(&model, &err), &err);
    bench_need(yoke_model_add(model,
                              w->nodes ? elastic_frame(w->nodes, count)
                                       : two_masses(count),
                              &slow, &err),
               &err);
    bench_need(
        yoke_model_add(model, catenary(), w->monolithic ? &slow : &fast, &err),
        &err);
    yoke_graph *g = yoke_model_graph(model);
    bench_need(yoke_graph_constraint(g, "contact", &contact, &err), &err);
    bench_need(yoke_graph_signal(g, "pantograph.head.force", "contact.lambda",
                                 -1.0, &err),
               &err);
    bench_need(yoke_graph_signal(g, "catenary.contact.force", "contact.lambda",
                                 1.0, &err),
               &err);
    return model;
}

yoke_run_options problem_options(const way *w, double stop)
{
    yoke_run_options o = yoke_run_defaults();

    o.second = 0.0; /* what is measured is one run */
    o.stop = stop;
    o.scheme = w->monolithic ? YOKE_MONOLITHIC : YOKE_GAUSS_SEIDEL;
    o.iterate.rtol = w->rtol;
    o.iterate.atol = w->atol;
    o.iterate.window = w->window;
    o.iterate.extrapolate = w->extrapolate;
    if (w->sweeps > 0) {
        o.iterate.stop = YOKE_STOP_COUNT;
        o.iterate.max_sweeps = w->sweeps;
    }
    o.record = "contact.lambda";
    return o;
}
