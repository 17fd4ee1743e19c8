/* Events of several parts at one instant.  Whatever is solved apart or as one,
 * in whatever order and windows, it means what one model with all equations
 * means: discrete variables have their new values at once, states that reinit
 * changes at the end, and pre() of an input is its value before. */
#include "check.h"

#include "yoke/equation.h"
#include "yoke/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PARTS = 6, SIGNALS = 10, VALUES = 6 };

typedef struct part {
    const char *name, *model;
    double parameter; /* "p", if the model has one */
} part;

typedef struct scene {
    const char *name, *text;
    double stop;
    part part[PARTS];
    const char *signal[SIGNALS][2]; /* input, output */
    struct {
        const char *name;
        double value, tolerance;
    } value[VALUES];
    bool exact;        /* only where steps end at the instants of others */
    const char *apart; /* what `cluster: none` says; NULL: it is right */
    const char *never; /* what every run says */
} scene;

typedef struct mode {
    const char *name;
    const char *option[3][2];
    bool backwards; /* the parts are listed the other way round */
    const char *method;
    double step;
} mode;

static const mode modes[] = {
    { "default", { { NULL } }, false, "radau5", 0.0 },
    { "backwards", { { NULL } }, true, "radau5", 0.0 },
    { "none", { { "cluster", "none" } }, false, "radau5", 0.0 },
    { "none, backwards", { { "cluster", "none" } }, true, "radau5", 0.0 },
    { "one", { { "scheme", "monolithic" } }, false, "radau5", 0.0 },
    { "one, backwards", { { "scheme", "monolithic" } }, true, "radau5", 0.0 },
    { "window 0.3", { { "window", "0.3" } }, false, "radau5", 0.0 },
    { "none, window 0.3",
      { { "window", "0.3" }, { "cluster", "none" } },
      false,
      "radau5",
      0.0 },
    { "none, window 0.0777",
      { { "window", "0.0777" }, { "cluster", "none" } },
      true,
      "radau5",
      0.0 },
    { "jacobi", { { "scheme", "jacobi" } }, false, "radau5", 0.0 },
    { "jacobi, none",
      { { "scheme", "jacobi" }, { "cluster", "none" } },
      false,
      "radau5",
      0.0 },
    { "trbdf2", { { "cluster", "none" } }, false, "trbdf2", 0.0 },
    { "fixed", { { "cluster", "none" } }, false, "rk4", 0.013 },
    { "fixed, one", { { "scheme", "monolithic" } }, false, "bdf2", 0.013 },
};
enum { MODES = sizeof modes / sizeof *modes };

/* ---- a run ---------------------------------------------------------------- */

static void add_part(yoke_model *model, const scene *s, const mode *m, int i)
{
    const yoke_parameter given = { "p", s->part[i].parameter };
    const bool has_parameter = !isnan(s->part[i].parameter);
    const yoke_equation_options options = { .model = s->part[i].model,
                                            .parameters = has_parameter,
                                            .parameter = &given };
    yoke_stepper_options stepper = yoke_stepper_defaults();
    yoke_system *system = NULL;
    yoke_err err;

    snprintf(stepper.method, sizeof stepper.method, "%s", m->method);
    stepper.step = m->step;
    CHECK_OK(yoke_equation_parse(&system, s->part[i].name, "scene.mo", s->text,
                                 strlen(s->text), &options, NULL, &err),
             &err);
    CHECK_OK(yoke_model_add(model, system, &stepper, &err), &err);
}

static yoke_model *make(const scene *s, const mode *m)
{
    yoke_model *model = NULL;
    yoke_err err;
    int count = 0;

    CHECK_OK(yoke_model_create(&model, &err), &err);
    while (count < PARTS && s->part[count].name) count++;
    for (int i = 0; i < count; i++)
        add_part(model, s, m, m->backwards ? count - 1 - i : i);
    for (int k = 0; k < SIGNALS && s->signal[k][0]; k++)
        CHECK_OK(yoke_graph_signal(yoke_model_graph(model), s->signal[k][0],
                                   s->signal[k][1], 1.0, &err),
                 &err);
    return model;
}

static void compare(const scene *s, const mode *m, yoke_run *run)
{
    const char *const *name = NULL;
    const double *value = NULL;
    const int count = yoke_run_variables(run, &name, &value);

    for (int k = 0; k < VALUES && s->value[k].name; k++) {
        int i = 0;
        while (i < count && strcmp(name[i], s->value[k].name)) i++;
        if (i == count) fail_msg("%s: no \"%s\"", s->name, s->value[k].name);
        if (!(fabs(value[i] - s->value[k].value) <= s->value[k].tolerance))
            fail_msg("%s, %s: %s is %.15g, not %.15g", s->name, m->name,
                     name[i], value[i], s->value[k].value);
    }
}

static bool is_apart(const mode *m)
{
    for (int k = 0; k < 3; k++)
        if (m->option[k][0] && strcmp(m->option[k][1], "none") == 0)
            return true;
    return false;
}

static void play_in(const scene *s, const mode *m)
{
    yoke_run_options options = yoke_run_defaults();
    yoke_model *model = make(s, m);
    yoke_run *run = NULL;
    yoke_err err = { YOKE_OK, "" };

    options.stop = s->stop;
    for (int k = 0; k < 3 && m->option[k][0]; k++)
        CHECK_OK(yoke_run_set(&options, m->option[k][0], m->option[k][1], &err),
                 &err);
    CHECK_OK(yoke_run_create(&run, model, &options, NULL, &err), &err);
    const yoke_status status = yoke_run_advance(run, s->stop, &err);
    if (is_apart(m) && s->apart) {
        assert_int_equal(status, YOKE_JOIN);
        CHECK_CONTAINS(err.text, s->apart);
    } else if (s->never) {
        assert_int_equal(status, YOKE_E_MODEL);
        CHECK_CONTAINS(err.text, s->never);
    } else {
        if (status != YOKE_OK)
            fail_msg("%s, %s: %s", s->name, m->name, err.text);
        compare(s, m, run);
    }
    yoke_run_close(run, NULL);
    yoke_model_free(model);
}

static void play(const scene *s)
{
    for (int m = 0; m < MODES; m++)
        if (!s->exact || strncmp(modes[m].name, "fixed", 5))
            play_in(s, &modes[m]);
}

#define NONE NAN

/* ---- samplers ------------------------------------------------------------- */

#define COUNTER                                                                \
    "model A\n"                                                                \
    "  discrete output Real n(start = 0, fixed = true);\n"                     \
    "equation\n"                                                               \
    "  when sample(0, 0.1) then n = pre(n) + 1; end when;\n"                   \
    "end A;\n"

/* 0.1 * 3 is not 0.3: instants that agree to rounding are one.  All three tick at
 * the stop time, too. */
static void clocks_of_three_periods(void **state)
{
    static const scene s = {
        .name = "clocks",
        .text = COUNTER "model B\n"
                        "  parameter Real p = 0.3;\n"
                        "  input Real n;\n"
                        "  discrete output Real m(start = 0, fixed = true);\n"
                        "  output Real x(start = 0, fixed = true);\n"
                        "equation\n"
                        "  when sample(0, p) then m = n; end when;\n"
                        "  der(x) = m;\n"
                        "end B;\n",
        .stop = 21.0,
        .part = { { "a", "A", NONE }, { "b", "B", 0.3 }, { "c", "B", 0.7 } },
        .signal = { { "b.n", "a.n" }, { "c.n", "b.m" } },
        .value = { { "b.m", 211.0, 1e-9 },
                   { "b.x", 2194.5, 1e-6 },
                   { "c.m", 211.0, 1e-9 },
                   { "c.x", 2131.5, 1e-6 } },
    };

    (void)state;
    play(&s);
}

static void a_chain_passes_its_value_at_once(void **state)
{
    static const scene s = {
        .name = "chain",
        .text = COUNTER "model B\n"
                        "  input Real u;\n"
                        "  discrete output Real m(start = 0, fixed = true);\n"
                        "equation\n"
                        "  when sample(0, 0.1) then m = u; end when;\n"
                        "end B;\n"
                        "model D\n"
                        "  input Real u;\n"
                        "  output Real x(start = 0, fixed = true);\n"
                        "equation\n"
                        "  der(x) = u;\n"
                        "end D;\n",
        .stop = 3.05,
        .part = { { "a", "A", NONE },
                  { "b", "B", NONE },
                  { "c", "B", NONE },
                  { "d", "D", NONE } },
        .signal = { { "b.u", "a.n" }, { "c.u", "b.m" }, { "d.u", "c.m" } },
        .value = { { "b.m", 31.0, 1e-9 },
                   { "c.m", 31.0, 1e-9 },
                   { "d.x", 48.05, 1e-7 } },
        .exact = true,
    };

    (void)state;
    play(&s);
}

static void a_counter_counts_a_counter(void **state)
{
    static const scene s = {
        .name = "sum",
        .text = "model A\n"
                "  discrete output Real n(start = 0, fixed = true);\n"
                "equation\n"
                "  when sample(0.1, 0.1) then n = pre(n) + 1; end when;\n"
                "end A;\n"
                "model B\n"
                "  input Real u;\n"
                "  discrete output Real s(start = 0, fixed = true);\n"
                "  discrete output Real t(start = 0, fixed = true);\n"
                "equation\n"
                "  when sample(0.1, 0.1) then\n"
                "    s = pre(s) + u;\n"
                "    t = pre(t) + pre(u);\n"
                "  end when;\n"
                "end B;\n",
        .stop = 3.05,
        .part = { { "a", "A", NONE }, { "b", "B", NONE } },
        .signal = { { "b.u", "a.n" } },
        .value = { { "a.n", 30.0, 1e-9 },
                   { "b.s", 465.0, 1e-9 },
                   { "b.t", 435.0, 1e-9 } },
    };

    (void)state;
    play(&s);
}

/* Beside them an algebraic loop of gain -6, which makes a run merge the two. */
static void merged_parts_mean_the_same(void **state)
{
    static const scene s = {
        .name = "merge",
        .text = "model A\n"
                "  input Real w;\n"
                "  output Real y, nn;\n"
                "  discrete Real n(start = 0, fixed = true);\n"
                "equation\n"
                "  when sample(0, 0.1) then n = pre(n) + 1; end when;\n"
                "  nn = 2*n;\n"
                "  y = 1 - 3*w;\n"
                "end A;\n"
                "model B\n"
                "  input Real y, n;\n"
                "  output Real w;\n"
                "  discrete output Real m(start = 0, fixed = true);\n"
                "equation\n"
                "  w = 2*y;\n"
                "  when sample(0, 0.1) then m = n; end when;\n"
                "end B;\n",
        .stop = 2.05,
        .part = { { "a", "A", NONE }, { "b", "B", NONE } },
        .signal = { { "a.w", "b.w" }, { "b.y", "a.y" }, { "b.n", "a.nn" } },
        .value = { { "b.m", 42.0, 1e-6 }, { "a.y", 1.0 / 7.0, 1e-6 } },
    };

    (void)state;
    play(&s);
}

/* ---- values before -------------------------------------------------------- */

#define REGISTER                                                               \
    "model R\n"                                                                \
    "  parameter Real p = 0;\n"                                                \
    "  input Real d;\n"                                                        \
    "  discrete output Real q;\n"                                              \
    "initial equation\n"                                                       \
    "  q = p;\n"                                                               \
    "equation\n"                                                               \
    "  when sample(1, 1) then q = pre(d); end when;\n"                         \
    "end R;\n"

static void flip_flops_swap(void **state)
{
    static const scene s = {
        .name = "flip-flops",
        .text = REGISTER,
        .stop = 5.5,
        .part = { { "a", "R", 1.0 }, { "b", "R", 0.0 } },
        .signal = { { "b.d", "a.q" }, { "a.d", "b.q" } },
        .value = { { "a.q", 0.0, 1e-12 }, { "b.q", 1.0, 1e-12 } },
    };

    (void)state;
    play(&s);
}

static void a_bit_walks_round_a_ring_of_five(void **state)
{
    static const scene s = {
        .name = "ring",
        .text = REGISTER,
        .stop = 8.5,
        .part = { { "a", "R", 1.0 },
                  { "b", "R", 0.0 },
                  { "c", "R", 0.0 },
                  { "d", "R", 0.0 },
                  { "e", "R", 0.0 } },
        .signal = { { "b.d", "a.q" },
                    { "c.d", "b.q" },
                    { "d.d", "c.q" },
                    { "e.d", "d.q" },
                    { "a.d", "e.q" } },
        .value = { { "a.q", 0.0, 1e-12 },
                   { "b.q", 0.0, 1e-12 },
                   { "c.q", 0.0, 1e-12 },
                   { "d.q", 1.0, 1e-12 },
                   { "e.q", 0.0, 1e-12 } },
    };

    (void)state;
    play(&s);
}

/* x is exact: 1 - 0.1 * 2 z summed over the periods. */
static void a_filter_and_a_controller_of_one_period(void **state)
{
    double x = 1.0, z = 0.0, u = 0.0;

    for (int k = 0; k <= 20; k++) {
        z = 0.5 * z + 0.5 * x;
        u = -2.0 * z;
        x += (k < 20 ? 0.1 : 0.05) * u;
    }
    const scene s = {
        .name = "controller",
        .text = "model P\n"
                "  input Real u;\n"
                "  output Real x(start = 1, fixed = true);\n"
                "equation\n"
                "  der(x) = u;\n"
                "end P;\n"
                "model F\n"
                "  input Real y;\n"
                "  discrete output Real z(start = 0, fixed = true);\n"
                "equation\n"
                "  when sample(0, 0.1) then z = 0.5*pre(z) + 0.5*y; end when;\n"
                "end F;\n"
                "model C\n"
                "  input Real z;\n"
                "  discrete output Real u(start = 0, fixed = true);\n"
                "equation\n"
                "  when sample(0, 0.1) then u = -2*z; end when;\n"
                "end C;\n",
        .stop = 2.05,
        .part = { { "p", "P", NONE }, { "c", "C", NONE }, { "f", "F", NONE } },
        .signal = { { "p.u", "c.u" }, { "f.y", "p.x" }, { "c.z", "f.z" } },
        .value = { { "p.x", x, 1e-8 }, { "f.z", z, 1e-8 }, { "c.u", u, 1e-8 } },
        .exact = true,
    };

    (void)state;
    play(&s);
}

/* ---- drawn at random ------------------------------------------------------ */

/* Values from the recursion over the instants, with exact flows between. */

static void samplers_that_read_values_before(void **state)
{
    static const scene s = {
        .name = "samplers_that_read_values_before",
        .text = "model M0\n"
                "  discrete output Real v(start=-2,fixed=true);\n"
                "  output Real x(start=0,fixed=true);\n"
                "equation\n"
                "  der(x) = v;\n"
                "  when sample(0.7,0.7) then v = -0.5*pre(v) + -2;\n"
                "    reinit(x, 0*x + 0*v); end when;\n"
                "end M0;\n"
                "model M1\n"
                "  input Real v0;\n"
                "  discrete output Real v(start=3,fixed=true);\n"
                "  output Real x(start=2,fixed=true);\n"
                "equation\n"
                "  der(x) = v + (-2)*x;\n"
                "  when sample(0.3,0.3) then v = 0.5*pre(v) + -1*v0 +\n"
                "    -0.5*pre(v0) + 3; end when;\n"
                "end M1;\n"
                "model M2\n"
                "  input Real v0;\n"
                "  input Real v1;\n"
                "  discrete output Real v(start=3,fixed=true);\n"
                "  output Real x(start=-2,fixed=true);\n"
                "equation\n"
                "  der(x) = v;\n"
                "  when sample(0.1,0.1) then v = 0.5*pre(v) + 0.5*v0 +\n"
                "    0.5*pre(v0) + 0.25*pre(v1) + 3; end when;\n"
                "end M2;\n",
        .stop = 3.05,
        .part = { { "m2", "M2", NONE },
                  { "m0", "M0", NONE },
                  { "m1", "M1", NONE } },
        .signal = { { "m1.v0", "m0.v" },
                    { "m2.v1", "m1.v" },
                    { "m2.v0", "m0.v" } },
        .value = { { "m0.v", -1.375, 1e-5 },
                   { "m1.v", 9.9794921875, 1e-5 },
                   { "m2.v", 8.21974152838811, 1e-5 },
                   { "m0.x", -0.34375, 1e-5 },
                   { "m1.x", 4.93424541713376, 1e-5 },
                   { "m2.x", 20.1294411144918, 1e-5 } },
        .exact = true,
    };

    (void)state;
    play(&s);
}

static void samplers_and_states_of_three_parts(void **state)
{
    static const scene s = {
        .name = "samplers_and_states_of_three_parts",
        .text = "model M0\n"
                "  discrete output Real v(start=1,fixed=true);\n"
                "  output Real x(start=1,fixed=true);\n"
                "equation\n"
                "  der(x) = v + (-1)*x;\n"
                "  when sample(0.0,0.1) then v = 0*pre(v) + 1; reinit(x,\n"
                "    -0.5*x + 0*v); end when;\n"
                "end M0;\n"
                "model M1\n"
                "  input Real v2;\n"
                "  input Real x0;\n"
                "  input Real x2;\n"
                "  discrete output Real v(start=2,fixed=true);\n"
                "  output Real x(start=1,fixed=true);\n"
                "equation\n"
                "  der(x) = v + (-2)*x;\n"
                "  when sample(0.1,0.1) then v = -0.5*pre(v) + 0.5*pre(v2)\n"
                "    + -0.25*x0 + -0.25*x2 + 2; reinit(x, 0*x + 0*v +\n"
                "    0.25*x2); end when;\n"
                "end M1;\n"
                "model M2\n"
                "  input Real v1;\n"
                "  input Real x0;\n"
                "  discrete output Real v(start=0,fixed=true);\n"
                "  output Real x(start=0,fixed=true);\n"
                "equation\n"
                "  der(x) = v + (-1)*x;\n"
                "  when sample(0.0,0.2) then v = -0.5*pre(v) + 1*v1 +\n"
                "    -0.5*pre(v1) + -0.25*x0 + 0; reinit(x, -0.5*x + 1*v +\n"
                "    0.25*x0); end when;\n"
                "end M2;\n",
        .stop = 3.05,
        .part = { { "m0", "M0", NONE },
                  { "m2", "M2", NONE },
                  { "m1", "M1", NONE } },
        .signal = { { "m1.v2", "m2.v" },
                    { "m1.x0", "m0.x" },
                    { "m1.x2", "m2.x" },
                    { "m2.v1", "m1.v" },
                    { "m2.x0", "m0.x" } },
        .value = { { "m0.v", 1, 1e-5 },
                   { "m1.v", 1.417463770385, 1e-5 },
                   { "m2.v", 0.459380838658888, 1e-5 },
                   { "m0.x", 0.0176082641170799, 1e-5 },
                   { "m1.x", 0.143330048692063, 1e-5 },
                   { "m2.x", 0.31540996489772, 1e-5 } },
        .exact = true,
        .apart = "by an event that may read what this one changes",
    };

    (void)state;
    play(&s);
}

static void samplers_in_other_rhythms(void **state)
{
    static const scene s = {
        .name = "samplers_in_other_rhythms",
        .text = "model M0\n"
                "  input Real v1;\n"
                "  input Real v2;\n"
                "  discrete output Real v(start=-3,fixed=true);\n"
                "  output Real x(start=-1,fixed=true);\n"
                "equation\n"
                "  der(x) = v + (-2)*x;\n"
                "  when sample(0.1,0.2) then v = 0*pre(v) + 0.25*pre(v1) +\n"
                "    0.5*pre(v2) + -3; end when;\n"
                "end M0;\n"
                "model M1\n"
                "  input Real v0;\n"
                "  input Real x0;\n"
                "  discrete output Real v(start=-3,fixed=true);\n"
                "  output Real x(start=-2,fixed=true);\n"
                "equation\n"
                "  der(x) = v + (-2)*x;\n"
                "  when sample(0.1,0.1) then v = 0.5*pre(v) + -1*v0 +\n"
                "    -0.25*x0 + -3; reinit(x, -0.5*x + 0*v); end when;\n"
                "end M1;\n"
                "model M2\n"
                "  input Real v0;\n"
                "  input Real v1;\n"
                "  input Real x1;\n"
                "  discrete output Real v(start=-2,fixed=true);\n"
                "  output Real x(start=2,fixed=true);\n"
                "equation\n"
                "  der(x) = v;\n"
                "  when sample(0.1,0.1) then v = -0.5*pre(v) + 0.5*v0 +\n"
                "    1*v1 + -2; reinit(x, -0.5*x + 0*v + 0.25*x1); end\n"
                "    when;\n"
                "end M2;\n",
        .stop = 3.05,
        .part = { { "m1", "M1", NONE },
                  { "m2", "M2", NONE },
                  { "m0", "M0", NONE } },
        .signal = { { "m0.v2", "m2.v" },
                    { "m0.v1", "m1.v" },
                    { "m1.v0", "m0.v" },
                    { "m1.x0", "m0.x" },
                    { "m2.v1", "m1.v" },
                    { "m2.v0", "m0.v" },
                    { "m2.x1", "m1.x" } },
        .value = { { "m0.v", -3.33999972501653, 1e-5 },
                   { "m1.v", 1.5145079626692, 1e-5 },
                   { "m2.v", -1.4369715223675, 1e-5 },
                   { "m0.x", -1.66931381142271, 1e-5 },
                   { "m1.x", 0.0280002930844708, 1e-5 },
                   { "m2.x", -0.00771623238315515, 1e-5 } },
        .exact = true,
    };

    (void)state;
    play(&s);
}

/* ---- reinit --------------------------------------------------------------- */

/* At t = 1 in both parts: discrete values are new, states as they were. */
static void the_same_time_in_two_parts(void **state)
{
    static const scene s = {
        .name = "time",
        .text = "model A\n"
                "  discrete output Real y(start = 1, fixed = true);\n"
                "  output Real x(start = 0, fixed = true);\n"
                "equation\n"
                "  der(x) = 1;\n"
                "  when time >= 1 then y = 2; reinit(x, 100); end when;\n"
                "end A;\n"
                "model B\n"
                "  input Real u, w;\n"
                "  discrete output Real p(start = 0, fixed = true);\n"
                "  discrete output Real q(start = 0, fixed = true);\n"
                "  discrete output Real r(start = 0, fixed = true);\n"
                "  output Real x(start = 0, fixed = true);\n"
                "equation\n"
                "  der(x) = u;\n"
                "  when time >= 1 then\n"
                "    p = u; q = pre(u); r = w; reinit(x, 10*u + w);\n"
                "  end when;\n"
                "end B;\n",
        .stop = 2.0,
        .part = { { "b", "B", NONE }, { "a", "A", NONE } },
        .signal = { { "b.u", "a.y" }, { "b.w", "a.x" } },
        .value = { { "b.p", 2.0, 1e-9 },
                   { "b.q", 1.0, 1e-9 },
                   { "b.r", 1.0, 1e-8 },
                   { "b.x", 23.0, 1e-6 },
                   { "a.x", 101.0, 1e-5 } },
    };

    (void)state;
    play(&s);
}

/* Equal masses swap their velocities; each part finds the contact itself. */
static void a_row_of_three_bodies_hands_on_its_motion(void **state)
{
    static const scene s = {
        .name = "cradle",
        .text = "model L\n"
                "  input Real xr, vr;\n"
                "  output Real x(start = 0, fixed = true);\n"
                "  output Real v(start = 1, fixed = true);\n"
                "equation\n"
                "  der(x) = v; der(v) = 0;\n"
                "  when x > xr then reinit(v, vr); end when;\n"
                "end L;\n"
                "model M\n"
                "  input Real xl, vl, xr, vr;\n"
                "  output Real x(start = 1, fixed = true);\n"
                "  output Real v(start = 0, fixed = true);\n"
                "equation\n"
                "  der(x) = v; der(v) = 0;\n"
                "  when xl > x then reinit(v, vl);\n"
                "  elsewhen x > xr then reinit(v, vr); end when;\n"
                "end M;\n"
                "model R\n"
                "  input Real xl, vl;\n"
                "  output Real x(start = 2, fixed = true);\n"
                "  output Real v(start = 0, fixed = true);\n"
                "equation\n"
                "  der(x) = v; der(v) = 0;\n"
                "  when xl > x then reinit(v, vl); end when;\n"
                "end R;\n",
        .stop = 5.0,
        .part = { { "a", "L", NONE }, { "b", "M", NONE }, { "c", "R", NONE } },
        .signal = { { "a.xr", "b.x" },
                    { "a.vr", "b.v" },
                    { "b.xl", "a.x" },
                    { "b.vl", "a.v" },
                    { "b.xr", "c.x" },
                    { "b.vr", "c.v" },
                    { "c.xl", "b.x" },
                    { "c.vl", "b.v" } },
        .value = { { "a.x", 1.0, 1e-6 },
                   { "a.v", 0.0, 1e-6 },
                   { "b.x", 2.0, 1e-6 },
                   { "b.v", 0.0, 1e-6 },
                   { "c.x", 5.0, 1e-5 },
                   { "c.v", 1.0, 1e-6 } },
    };

    (void)state;
    play(&s);
}

/* An output of both kinds is known only where both are solved as one. */
static void an_output_that_jumps_in_both_ways(void **state)
{
    static const scene s = {
        .name = "both",
        .text = "model A\n"
                "  discrete Real y(start = 1, fixed = true);\n"
                "  Real x(start = 0, fixed = true);\n"
                "  output Real z;\n"
                "equation\n"
                "  der(x) = 1;\n"
                "  z = x + 10*y;\n"
                "  when time >= 1 then y = 2; reinit(x, 100); end when;\n"
                "end A;\n"
                "model B\n"
                "  input Real u;\n"
                "  discrete output Real p(start = 0, fixed = true);\n"
                "equation\n"
                "  when time >= 1 then p = u; end when;\n"
                "end B;\n",
        .stop = 2.0,
        .part = { { "a", "A", NONE }, { "b", "B", NONE } },
        .signal = { { "b.u", "a.z" } },
        .value = { { "b.p", 21.0, 1e-6 }, { "a.z", 121.0, 1e-5 } },
        .apart = "subsystem \"b\", t = 1: an event reads the input \"u\", and "
                 "\"a.z\", which it comes from, jumps at the same instant both "
                 "with discrete variables and with states",
    };

    (void)state;
    play(&s);
}

/* ---- causes and circles --------------------------------------------------- */

/* a makes b's condition true, b makes c's: one instant, one value before. */
static void an_event_causes_events_in_other_parts(void **state)
{
    static const scene s = {
        .name = "cascade",
        .text = "model A\n"
                "  output Real x(start = 0, fixed = true);\n"
                "  discrete output Real n(start = 0, fixed = true);\n"
                "equation\n"
                "  der(x) = 1;\n"
                "  when x > 0.7 then n = 3; end when;\n"
                "end A;\n"
                "model B\n"
                "  input Real u;\n"
                "  discrete output Real m(start = 0, fixed = true);\n"
                "equation\n"
                "  when u > 2 then m = 10*u + pre(u); end when;\n"
                "end B;\n"
                "model C\n"
                "  input Real u, w;\n"
                "  discrete output Real k(start = 0, fixed = true);\n"
                "  output Real z(start = 5, fixed = true);\n"
                "equation\n"
                "  der(z) = 0;\n"
                "  when u > 20 then\n"
                "    k = u + w + 100*pre(w) + 1000*pre(u);\n"
                "    reinit(z, z + w);\n"
                "  end when;\n"
                "end C;\n",
        .stop = 2.0,
        .part = { { "c", "C", NONE }, { "a", "A", NONE }, { "b", "B", NONE } },
        .signal = { { "b.u", "a.n" }, { "c.u", "b.m" }, { "c.w", "a.n" } },
        .value = { { "b.m", 30.0, 1e-9 },
                   { "c.k", 33.0, 1e-9 },
                   { "c.z", 8.0, 1e-7 } },
    };

    (void)state;
    play(&s);
}

/* The same crossing found by two parts, one of which reads the other. */
static void two_parts_find_the_same_crossing(void **state)
{
    static const scene s = {
        .name = "crossing",
        .text = "model S\n"
                "  output Real x(start = 0, fixed = true);\n"
                "  Real v(start = 1, fixed = true);\n"
                "equation\n"
                "  der(x) = v; der(v) = -x;\n"
                "end S;\n"
                "model A\n"
                "  input Real s;\n"
                "  discrete output Real n(start = 0, fixed = true);\n"
                "  Real w(start = 0, fixed = true);\n"
                "equation\n"
                "  der(w) = -w + s;\n"
                "  when s > 0.5 then n = pre(n) + 1; end when;\n"
                "end A;\n"
                "model B\n"
                "  input Real s, n;\n"
                "  discrete output Real m(start = 0, fixed = true);\n"
                "  Real w(start = 0, fixed = true);\n"
                "equation\n"
                "  der(w) = -3*w + s;\n"
                "  when s > 0.5 then m = pre(m) + n; end when;\n"
                "end B;\n",
        .stop = 40.0,
        .part = { { "s", "S", NONE }, { "a", "A", NONE }, { "b", "B", NONE } },
        .signal = { { "a.s", "s.x" }, { "b.s", "s.x" }, { "b.n", "a.n" } },
        .value = { { "a.n", 7.0, 1e-9 }, { "b.m", 28.0, 1e-9 } },
    };

    (void)state;
    play(&s);
}

#define HALF                                                                   \
    "model A\n"                                                                \
    "  input Real u;\n"                                                        \
    "  discrete output Real y(start = 0, fixed = true);\n"                     \
    "equation\n"                                                               \
    "  when sample(1, 1) then y = 0.5*u + 1; end when;\n"                      \
    "end A;\n"

static void a_circle_of_two_samplers_is_refused(void **state)
{
    static const scene s = {
        .name = "circle",
        .text = HALF,
        .stop = 2.5,
        .part = { { "a", "A", NONE }, { "b", "A", NONE } },
        .signal = { { "a.u", "b.y" }, { "b.u", "a.y" } },
        .apart = "by an event that may read what this one changes",
        .never = ".y\" at this instant depends on itself",
    };

    (void)state;
    play(&s);
}

/* The circle goes through a part without events. */
static void a_circle_through_a_plant_is_refused(void **state)
{
    static const scene s = {
        .name = "circle through a plant",
        .text = HALF "model P\n"
                     "  input Real u;\n"
                     "  output Real y;\n"
                     "  Real x(start = 1, fixed = true);\n"
                     "equation\n"
                     "  der(x) = -x;\n"
                     "  y = u + x;\n"
                     "end P;\n",
        .stop = 2.5,
        .part = { { "a", "A", NONE }, { "p", "P", NONE } },
        .signal = { { "a.u", "p.y" }, { "p.u", "a.y" } },
        .apart = "subsystem \"a\", t = 1: an event reads the input \"u\", and "
                 "\"p.y\"",
        .never = "the new value of \"a.y\" at this instant depends on itself",
    };

    (void)state;
    play(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_of_three_periods),
        cmocka_unit_test(a_chain_passes_its_value_at_once),
        cmocka_unit_test(a_counter_counts_a_counter),
        cmocka_unit_test(merged_parts_mean_the_same),
        cmocka_unit_test(flip_flops_swap),
        cmocka_unit_test(a_bit_walks_round_a_ring_of_five),
        cmocka_unit_test(a_filter_and_a_controller_of_one_period),
        cmocka_unit_test(samplers_that_read_values_before),
        cmocka_unit_test(samplers_and_states_of_three_parts),
        cmocka_unit_test(samplers_in_other_rhythms),
        cmocka_unit_test(the_same_time_in_two_parts),
        cmocka_unit_test(a_row_of_three_bodies_hands_on_its_motion),
        cmocka_unit_test(an_output_that_jumps_in_both_ways),
        cmocka_unit_test(an_event_causes_events_in_other_parts),
        cmocka_unit_test(two_parts_find_the_same_crossing),
        cmocka_unit_test(a_circle_of_two_samplers_is_refused),
        cmocka_unit_test(a_circle_through_a_plant_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
