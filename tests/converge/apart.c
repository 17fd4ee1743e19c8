/* tests/converge/apart.c -- constraints between subsystems that stay apart: the
 * multipliers are as accurate as the states, whatever the masses are.
 *
 * A body has the unknowns q, v, a (or q, v of a body of first order, a
 * capacitor) and the outputs y(q), y.v, y.a.  Constrained by positions (index 3),
 * velocities (index 2) or accelerations it is compared with everything as one
 * system of index 1 at a tolerance of 1e-10: constraint on the highest
 * derivatives.
 */
#define _POSIX_C_SOURCE 200809L
#include "run/run_fixture.h"

#include "yoke/file.h"

enum { MOST = 3, TIMES = 60, NAMES = 120 };

typedef struct body body;

/* F of M a = F, and y, y.v, y.a from q, v, a. */
struct body {
    int order, n, inputs, outputs;
    double M[MOST][MOST];
    void (*force)(const body *b, double t, const double *q, const double *v,
                  const double *u, double *f);
    void (*place)(const body *b, const double *q, const double *v,
                  const double *a, double *y);
    double start[2][MOST]; /* q, v */
    double p[4];
    const char *name;
};

static yoke_status body_eval(void *self, double t, const double *x,
                             const double *u, double *q, double *f,
                             yoke_err *err)
{
    const body *b = self;
    const int n = b->n, last = b->order * n;
    double force[MOST];

    (void)err;
    b->force(b, t, x, x + n, u, force);
    for (int i = 0; i < last; i++) {
        if (q) q[i] = x[i];
        if (f) f[i] = -x[n + i];
    }
    for (int i = 0; i < n; i++) {
        if (q) q[last + i] = 0.0;
        if (!f) continue;
        f[last + i] = -force[i];
        for (int j = 0; j < n; j++) f[last + i] += b->M[i][j] * x[last + j];
    }
    return YOKE_OK;
}

static yoke_status body_output(void *self, double t, const double *x,
                               const double *u, double *y, yoke_err *err)
{
    const body *b = self;

    (void)t, (void)u, (void)err;
    b->place(b, x, x + b->n, x + 2 * b->n, y);
    return YOKE_OK;
}

static void add_body(yoke_model *model, body *b)
{
    static const yoke_system_ops ops = { .kind = "body",
                                         .eval = body_eval,
                                         .output = body_output };
    static const char *const y_name[2][9] = {
        { "y1", "y1.v", "y1.a" },
        { "y1", "y2", "y1.v", "y2.v", "y1.a", "y2.a" },
    };
    static const char *const rod_name[] = { "y1",   "y2",   "y3",   "y4",
                                            "y1.v", "y2.v", "y3.v", "y4.v",
                                            "y1.a", "y2.a", "y3.a", "y4.a" };
    double x0[3 * MOST] = { 0.0 };
    yoke_system *system = NULL;
    yoke_err err;

    for (int k = 0; k < b->order; k++)
        for (int i = 0; i < b->n; i++) x0[k * b->n + i] = b->start[k][i];
    const yoke_system_info info = {
        .n = (b->order + 1) * b->n,
        .m = b->inputs,
        .p = (b->order + 1) * b->outputs,
        .x0 = x0,
        .y_name = b->outputs == 4 ? rod_name : y_name[b->outputs - 1],
    };
    CHECK_OK(yoke_system_create(&system, b->name, &ops, b, &info, &err), &err);
    CHECK_OK(yoke_model_add(model, system, NULL, &err), &err);
}

/* ---- bodies -------------------------------------------------------------- */

/* All coordinates, one of which is read (p[3]): K q, a cube, an offset. */
static void first_place(const body *b, const double *q, const double *v,
                        const double *a, double *y)
{
    const int i = (int)b->p[3];

    y[0] = q[i];
    y[1] = v[i];
    if (b->order == 2) y[2] = a[i];
}

/* Arnold's and Wang's two structures, held by x2 = 2 y1. */
static void left_force(const body *b, double t, const double *q,
                       const double *v, const double *u, double *f)
{
    (void)b, (void)t, (void)v;
    f[0] = 2.0 * q[0] + q[1] + 6.0;
    f[1] = q[0] + 2.0 * q[1] + 7.0 + u[0];
}

static void right_force(const body *b, double t, const double *q,
                        const double *v, const double *u, double *f)
{
    (void)b, (void)t, (void)v;
    f[0] = q[0] + 2.0 * q[1] + 10.0 + u[0];
    f[1] = 2.0 * q[1] + 4.0;
}

static body left_structure = { .order = 2,
                               .n = 2,
                               .inputs = 1,
                               .outputs = 1,
                               .M = { { 4.0, 1.0 }, { 1.0, 3.0 } },
                               .force = left_force,
                               .place = first_place,
                               .p = { 0.0, 0.0, 0.0, 1.0 },
                               .name = "a" };
static body right_structure = { .order = 2,
                                .n = 2,
                                .inputs = 1,
                                .outputs = 1,
                                .M = { { 5.0, 2.0 }, { 2.0, 4.0 } },
                                .force = right_force,
                                .place = first_place,
                                .name = "b" };

/* m q'' = -p0 q - p1 q^3 - p2 q' + u, m in M. */
static void spring_force(const body *b, double t, const double *q,
                         const double *v, const double *u, double *f)
{
    (void)t;
    f[0] =
        -b->p[0] * q[0] - b->p[1] * q[0] * q[0] * q[0] - b->p[2] * v[0] + u[0];
}

/* C v' = (p0 sin 3t - v)/R - p2 v^3 + u. */
static void capacitor_force(const body *b, double t, const double *q,
                            const double *v, const double *u, double *f)
{
    (void)v;
    f[0] = (b->p[0] * sin(3.0 * t) - q[0]) / b->p[1] -
           b->p[2] * q[0] * q[0] * q[0] + u[0];
}

/* About (p0, 0), length p1, mass p2 at the tip. */
static void pendulum_force(const body *b, double t, const double *q,
                           const double *v, const double *u, double *f)
{
    (void)t, (void)v;
    f[0] = b->p[1] *
           (-9.81 * b->p[2] * sin(q[0]) + u[0] * cos(q[0]) + u[1] * sin(q[0]));
}

static void pendulum_place(const body *b, const double *q, const double *v,
                           const double *a, double *y)
{
    const double l = b->p[1], s = l * sin(q[0]), c = l * cos(q[0]);

    y[0] = b->p[0] + s;
    y[1] = -c;
    y[2] = c * v[0];
    y[3] = s * v[0];
    y[4] = c * a[0] - s * v[0] * v[0];
    y[5] = s * a[0] + c * v[0] * v[0];
}

/* A free rod of length p0 and mass p1: forces at both ends. */
static void rod_force(const body *b, double t, const double *q, const double *v,
                      const double *u, double *f)
{
    const double s = 0.5 * b->p[0] * sin(q[2]), c = 0.5 * b->p[0] * cos(q[2]);

    (void)t, (void)v;
    f[0] = u[0] + u[2];
    f[1] = u[1] + u[3] - 9.81 * b->p[1];
    f[2] = s * (u[0] - u[2]) - c * (u[1] - u[3]);
}

static void rod_place(const body *b, const double *q, const double *v,
                      const double *a, double *y)
{
    const double s = 0.5 * b->p[0] * sin(q[2]), c = 0.5 * b->p[0] * cos(q[2]);

    for (int k = 0; k < 2; k++) {
        const double w = k ? 1.0 : -1.0;
        y[2 * k] = q[0] + w * c;
        y[2 * k + 1] = q[1] + w * s;
        y[4 + 2 * k] = v[0] - w * s * v[2];
        y[5 + 2 * k] = v[1] + w * c * v[2];
        y[8 + 2 * k] = a[0] - w * (s * a[2] + c * v[2] * v[2]);
        y[9 + 2 * k] = a[1] + w * (c * a[2] - s * v[2] * v[2]);
    }
}

/* ---- models -------------------------------------------------------------- */

/* a.y1 = ratio b.y1, the multiplier acts with -1 and `ratio`. */
static void tie(yoke_model *model, const char *first, const char *second,
                double ratio, yoke_form form)
{
    const char *const output[] = { first, second };
    const double weight[] = { 1.0, -ratio };
    const yoke_constraint c = { .count = 1,
                                .outputs = 2,
                                .output = output,
                                .weight = weight,
                                .form = form,
                                .eta = 1.0,
                                .owner = "b",
                                .may_stay = true };
    yoke_err err;

    CHECK_OK(yoke_graph_constraint(yoke_model_graph(model), "tie", &c, &err),
             &err);
    connect(model, "a.u1", "tie.lambda", -1.0);
    connect(model, "b.u1", "tie.lambda", ratio);
}

static yoke_model *structures(yoke_form form, double unused)
{
    yoke_model *model = new_model();

    (void)unused;
    add_body(model, &left_structure);
    add_body(model, &right_structure);
    tie(model, "a.y1", "b.y1", 2.0, form);
    return model;
}

/* Springs of 1 and 4 per mass, masses 1 : ratio. */
static yoke_model *masses(yoke_form form, double ratio)
{
    static body light, heavy;
    yoke_model *model = new_model();

    light = (body){ .order = 2,
                    .n = 1,
                    .inputs = 1,
                    .outputs = 1,
                    .M = { { 1.0 } },
                    .p = { 1.0, 0.5, 0.1 },
                    .start = { { 1.0 } },
                    .force = spring_force,
                    .place = first_place,
                    .name = "a" };
    heavy = light;
    heavy.name = "b";
    heavy.M[0][0] = ratio;
    heavy.p[0] = 4.0 * ratio;
    heavy.p[2] = 0.3 * ratio;
    add_body(model, &light);
    add_body(model, &heavy);
    tie(model, "a.y1", "b.y1", 1.0, form);
    return model;
}

/* Index 2; the form "stabilised" stands for the constraint on derivatives. */
static yoke_model *capacitors(yoke_form form, double ratio)
{
    static body source, load;
    const bool rates = form == YOKE_FORM_STABILISED;
    yoke_model *model = new_model();

    source = (body){ .order = 1,
                     .n = 1,
                     .inputs = 1,
                     .outputs = 1,
                     .M = { { 1.0 } },
                     .p = { 5.0, 0.2, 0.0 },
                     .force = capacitor_force,
                     .place = first_place,
                     .name = "a" };
    load = source;
    load.name = "b";
    load.M[0][0] = ratio;
    load.p[0] = 0.0;
    load.p[1] = 1.0;
    load.p[2] = 0.1;
    add_body(model, &source);
    add_body(model, &load);
    tie(model, rates ? "a.y1.v" : "a.y1", rates ? "b.y1.v" : "b.y1", 1.0,
        YOKE_FORM_POSITION);
    return model;
}

static void pin(yoke_model *model, const char *name, const char *pendulum,
                int end, yoke_form form)
{
    char text[4][20], input[20];
    const char *output[4];
    const double weight[] = { 1.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, -1.0 };
    yoke_err err;

    for (int k = 0; k < 4; k++) {
        snprintf(text[k], sizeof text[k], "%s.y%d", k < 2 ? pendulum : "rod",
                 k < 2 ? k + 1 : 2 * end + k - 1);
        output[k] = text[k];
    }
    const yoke_constraint c = { .count = 2,
                                .outputs = 4,
                                .output = output,
                                .weight = weight,
                                .form = form,
                                .eta = 1.0,
                                .owner = "rod",
                                .may_stay = true };
    CHECK_OK(yoke_graph_constraint(yoke_model_graph(model), name, &c, &err),
             &err);
    for (int k = 0; k < 2; k++) {
        char from[20];
        snprintf(from, sizeof from, "%s.lambda%d", name, k + 1);
        snprintf(input, sizeof input, "%s.u%d", pendulum, k + 1);
        connect(model, input, from, -1.0);
        snprintf(input, sizeof input, "rod.u%d", 2 * end + k + 1);
        connect(model, input, from, 1.0);
    }
}

/* Two pendula of different lengths and masses, joined by a rod with mass: two
 * pins that share the rod. */
static yoke_model *pendula(yoke_form form, double unused)
{
    static body first, second, rod;
    const double l[2] = { 1.0, 0.8 }, phi[2] = { 0.5, 0.3 }, at = 1.5;
    const double dx = at + l[1] * sin(phi[1]) - l[0] * sin(phi[0]);
    const double dy = -l[1] * cos(phi[1]) + l[0] * cos(phi[0]);
    yoke_model *model = new_model();

    (void)unused;
    first = (body){ .order = 2,
                    .n = 1,
                    .inputs = 2,
                    .outputs = 2,
                    .M = { { 1.0 } },
                    .p = { 0.0, l[0], 1.0 },
                    .start = { { phi[0] } },
                    .force = pendulum_force,
                    .place = pendulum_place,
                    .name = "first" };
    second = first;
    second.name = "second";
    second.M[0][0] = 3.0 * l[1] * l[1];
    second.p[0] = at;
    second.p[1] = l[1];
    second.p[2] = 3.0;
    second.start[0][0] = phi[1];
    const double length = hypot(dx, dy);
    rod =
        (body){ .order = 2,
                .n = 3,
                .inputs = 4,
                .outputs = 4,
                .M = { { 0.5 },
                       { 0.0, 0.5 },
                       { 0.0, 0.0, 0.5 * length * length / 12.0 } },
                .p = { length, 0.5 },
                .start = { { l[0] * sin(phi[0]) + 0.5 * dx,
                             -l[0] * cos(phi[0]) + 0.5 * dy, atan2(dy, dx) } },
                .force = rod_force,
                .place = rod_place,
                .name = "rod" };
    add_body(model, &first);
    add_body(model, &second);
    add_body(model, &rod);
    pin(model, "left", "first", 0, form);
    pin(model, "right", "second", 1, form);
    return model;
}

/* ---- runs ---------------------------------------------------------------- */

typedef struct table {
    yoke_run *run;
    int names, next;
    double stop, value[TIMES + 1][NAMES];
    char name[NAMES][40];
    yoke_run_result result;
} table;

static bool each_window(void *context, double t,
                        const yoke_iterate_result *so_far)
{
    table *a = context;

    (void)so_far;
    for (; a->next <= TIMES && a->stop * a->next / TIMES <= t; a->next++)
        yoke_run_at(a->run, a->stop * a->next / TIMES, a->value[a->next]);
    return false;
}

static void solve(table *a, yoke_model *model, const yoke_run_options *o)
{
    const yoke_watcher watcher = { .window = each_window, .context = a };
    const char *const *name = NULL;
    const double *value = NULL;
    yoke_err err;

    memset(a, 0, sizeof *a);
    a->stop = o->stop;
    a->next = 1;
    CHECK_OK(yoke_run_create(&a->run, model, o, &watcher, &err), &err);
    a->names = yoke_run_variables(a->run, &name, &value);
    assert_true(a->names <= NAMES);
    for (int k = 0; k < a->names; k++)
        snprintf(a->name[k], sizeof a->name[k], "%s", name[k]);
    CHECK_OK(yoke_run_advance(a->run, o->stop, &err), &err);
    yoke_run_summary(a->run, &a->result);
    assert_true(a->result.converged);
    assert_int_equal(a->next, TIMES + 1);
    CHECK_OK(yoke_run_close(a->run, &err), &err);
}

static void solve_and_free(table *a, yoke_model *model,
                           const yoke_run_options *o)
{
    solve(a, model, o);
    yoke_model_free(model);
}

typedef struct errors {
    double states, multipliers; /* in tolerances: tol times the largest size */
    double sweeps;              /* per window */
} errors;

/* q of the bodies, or anything else. */
static errors compare(const table *a, const table *exact, double tol)
{
    errors e = { .sweeps = (double)a->result.iterate.sweeps /
                           a->result.iterate.windows };

    for (int k = 0; k < exact->names; k++) {
        double most = 0.0, error = 0.0;
        int at = 0;
        while (at < a->names && strcmp(a->name[at], exact->name[k]) != 0) at++;
        assert_true(at < a->names);
        for (int i = 1; i <= TIMES; i++) {
            most = fmax(most, fabs(exact->value[i][k]));
            error = fmax(error, fabs(a->value[i][at] - exact->value[i][k]));
        }
        const char *dot = strchr(exact->name[k], '.');
        double *to =
            dot && strncmp(dot, ".lambda", 7) == 0 ? &e.multipliers : &e.states;
        if (most > 1e-6) *to = fmax(*to, error / (tol * most));
    }
    return e;
}

typedef yoke_model *make(yoke_form form, double ratio);

static yoke_run_options reference_options(double stop)
{
    yoke_run_options o = yoke_run_defaults();

    o.stop = stop;
    o.scheme = YOKE_MONOLITHIC;
    o.iterate.rtol = 1e-10;
    o.iterate.atol = 1e-12;
    return o;
}

static void reference(table *exact, make *problem, double ratio, double stop)
{
    const yoke_run_options o = reference_options(stop);

    solve_and_free(exact, problem(YOKE_FORM_STABILISED, ratio), &o);
}

static yoke_run_options apart_options(double stop, double tol)
{
    yoke_run_options o = yoke_run_defaults();

    o.stop = stop;
    o.cluster = YOKE_CLUSTER_NONE;
    o.iterate.rtol = tol;
    o.iterate.atol = 1e-3 * tol;
    return o;
}

static errors show(const table *found, const table *exact, double tol)
{
    const errors e = compare(found, exact, tol);

    if (getenv("YOKE_SHOW"))
        fprintf(stderr,
                "tol %g: states %.2g, multipliers %.2g, %.2f sweeps in %d "
                "windows\n",
                tol, e.states, e.multipliers, e.sweeps,
                found->result.iterate.windows);
    return e;
}

static const double tolerance[] = { 1e-4, 1e-6, 1e-8 };

/* Errors are at most `bound` tolerances at the first `count` tolerances; sweeps
 * per window at 1e-6. */
static double check(const table *exact, make *problem, yoke_form form,
                    double ratio, double bound, int count)
{
    static table found;
    double sweeps = 0.0;

    for (int k = 0; k < count; k++) {
        yoke_run_options o = apart_options(exact->stop, tolerance[k]);
        o.given = true;
        solve_and_free(&found, problem(form, ratio), &o);
        const errors e = show(&found, exact, tolerance[k]);
        CHECK_BETWEEN(e.states, 0.0, bound);
        CHECK_BETWEEN(e.multipliers, 0.0, bound);
        CHECK_BETWEEN(e.sweeps, 1.0, 6.5);
        if (k == 1) sweeps = e.sweeps;
    }
    return sweeps;
}

static table exact;

static void two_structures(void **state)
{
    (void)state;
    reference(&exact, structures, 0.0, 3.0);
    for (int form = 0; form < 3; form++)
        check(&exact, structures, (yoke_form)form, 0.0, 1.0, 3);
}

static void masses_of_any_ratio(void **state)
{
    static const double ratio[] = { 1e-3, 1.0, 1e3 };
    (void)state;
    for (int k = 0; k < 3; k++) {
        reference(&exact, masses, ratio[k], 2.0);
        CHECK_BETWEEN(
            check(&exact, masses, YOKE_FORM_POSITION, ratio[k], 1.5, 3), 1.0,
            4.5);
    }
    check(&exact, masses, YOKE_FORM_VELOCITY, ratio[2], 1.5, 3);
}

static void a_loop_of_capacitors(void **state)
{
    static const double ratio[] = { 0.01, 1.0, 100.0 };
    (void)state;
    for (int k = 0; k < 3; k++) {
        reference(&exact, capacitors, ratio[k], 1.0);
        check(&exact, capacitors, YOKE_FORM_POSITION, ratio[k], 1.5, 3);
    }
}

static void two_pendula_and_a_rod(void **state)
{
    (void)state;
    reference(&exact, pendula, 0.0, 0.5);
    check(&exact, pendula, YOKE_FORM_POSITION, 0.0, 2.0, 2);
}

/* The example: rigid bodies with joints of their own, two multipliers. */
static void a_slider_crank_cut_at_its_pin(void **state)
{
    static table found;
    const yoke_run_options o = reference_options(0.1);
    yoke_file *file = NULL;
    yoke_err err;
    (void)state;
    CHECK_OK(yoke_file_read(&file, YOKE_EXAMPLES "/slider-crank/system.yaml",
                            NULL, &err),
             &err);
    solve(&exact, yoke_file_model(file), &o);
    for (int k = 0; k < 3; k++) {
        const yoke_run_options a = apart_options(0.1, tolerance[k]);
        solve(&found, yoke_file_model(file), &a);
        const errors e = show(&found, &exact, tolerance[k]);
        CHECK_BETWEEN(e.states, 0.0, 5.0);
        CHECK_BETWEEN(e.multipliers, 0.0, 2.0);
        CHECK_BETWEEN(e.sweeps, 1.0, 6.0);
    }
    yoke_file_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_structures),
        cmocka_unit_test(masses_of_any_ratio),
        cmocka_unit_test(a_loop_of_capacitors),
        cmocka_unit_test(two_pendula_and_a_rod),
        cmocka_unit_test(a_slider_crank_cut_at_its_pin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
