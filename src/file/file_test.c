/* file/file_test.c -- system files that are right. */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"

/* ---- subsystems and signals ---------------------------------------------- */

static void two_masses_swing_as_they_should(void **state)
{
    yoke_file *file = parse(TWO_MASSES);
    (void)state;
    assert_string_equal(yoke_file_name(file), "two masses");
    yoke_run *run = run_file(file);
    CHECK_NEAR(value_of(run, "left.x"), exact_left(1.0), 1e-7);
    CHECK_NEAR(value_of(run, "right.x"), exact_right(1.0), 1e-7);
    yoke_run_close(run, NULL);
    CHECK_CONTAINS(yoke_file_report(file, 0), "left: linear: 2 states");
    CHECK_CONTAINS(yoke_file_report(file, 1), "right: linear");
    assert_null(yoke_file_report(file, 2));
    assert_null(yoke_file_report(file, -1));
    yoke_file_free(file);
}

static void settings_replace_parameters_and_options(void **state)
{
    /* Without the springs to the walls, and with m = 4, the masses swing about
     * their centre: x = (1 + cos(sqrt(2 c / m) t)) / 2. */
    const yoke_setting setting[] = {
        { "left.m", "4 kg" },     { "right.m", "4000 g" },
        { "left.k", "0" },        { "right.k", "0" },
        { "left.c", "2 N/m" },    { "right.c", "2" },
        { "run.stop", "500 ms" }, { "run.max-sweeps", "77" },
    };
    const yoke_file_options options = { .settings = 8, .setting = setting };
    yoke_file *file = parse_with(TWO_MASSES, &options);
    (void)state;
    assert_int_equal(yoke_file_run_options(file)->iterate.max_sweeps, 77);
    yoke_run *run = run_file(file);
    CHECK_NEAR(value_of(run, "left.x"), 0.5 + 0.5 * cos(0.5), 1e-7);
    CHECK_NEAR(value_of(run, "right.x"), 0.5 - 0.5 * cos(0.5), 1e-7);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

/* The links of the graph as "to.input from.output weight". */
static void check_links(yoke_file *file, int count, const yoke_link *want)
{
    const yoke_link *link = NULL;
    const yoke_graph *graph = yoke_model_graph(yoke_file_model(file));

    assert_int_equal(yoke_graph_links(graph, &link), count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(link[i].to, want[i].to);
        assert_int_equal(link[i].input, want[i].input);
        assert_int_equal(link[i].from, want[i].from);
        assert_int_equal(link[i].output, want[i].output);
        assert_true(link[i].weight == want[i].weight);
    }
}

#define GAINS                                                                  \
    "yoke: 1\n"                                                                \
    "subsystems:\n"                                                            \
    "  a: {linear: {A: -1, B: [[1, 2]]}}\n"                                    \
    "  b: {linear: {A: [[-1, 0], [0, -2]], B: [1, 1], H: [1, 1]}}\n"

static void signals_are_linear_combinations(void **state)
{
    static const yoke_link want[] = {
        { 0, 0, 1, 0, 2.0 },
        { 0, 0, 0, 0, -1.0 / 3.0 },
        { 0, 1, 1, 0, 0.5 },
        { 1, 0, 0, 0, -1.5e-3 },
    };
    yoke_file *file =
        parse(GAINS "couplings:\n"
                    "  - signal: a.u1 = 2*b.y1 - a.x1/3; a.u2 = b.y1/2;\n"
                    "  - signal: [b.u1 = -(1.5e-3*a.x1)]\n");
    (void)state;
    check_links(file, 4, want);
    yoke_file_free(file);
}

static void matrices_may_be_short(void **state)
{
    yoke_file *file = parse("yoke: 1\n"
                            "subsystems:\n"
                            "  a: {linear: {A: -3, B: 2 1/s, H: [1], D: 4}}\n"
                            "  g: {linear: {D: [[1, 2]]}}\n");
    (void)state;
    yoke_file_free(file);
}

static void full_linear_subsystems(void **state)
{
    yoke_file *file =
        parse("yoke: 1\n"
              "run: {stop: 2, rtol: 1e-9}\n"
              "subsystems:\n"
              "  full:\n"
              "    parameters: {w: 3 rad/s, gain: [2, 5], on: true, off: "
              "false}\n"
              "    linear:\n"
              "      E: [[1, 0], [0, 0]]\n"
              "      A: [[0, 1], [0, -1]]\n"
              "      source: [off, 'on*gain[2]*cos(w*time)']\n"
              "      H: [[1, 0], ['gain[1]', 0]]\n"
              "      x0: [1, 0]\n"
              "      x: [q, r]\n"
              "      y: [position, twice]\n");
    (void)state;
    yoke_run *run = run_file(file); /* q' = r, r = 5 cos 3t */
    CHECK_NEAR(value_of(run, "full.q"), 1.0 + 5.0 / 3.0 * sin(6.0), 1e-7);
    CHECK_NEAR(value_of(run, "full.twice"), 2.0 + 10.0 / 3.0 * sin(6.0), 1e-7);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

/* ---- options ------------------------------------------------------------- */

static void options_have_units_and_lists(void **state)
{
    yoke_file *file = parse(
        "yoke: 1\n"
        "run:\n"
        "  stop: 2 min\n"
        "  window: auto\n"
        "  scheme: jacobi\n"
        "  order: [b, a]\n"
        "  max-sweeps: 12\n"
        "  at_end: yes\n"
        "  monitor: [b.y1]\n"
        "subsystems:\n"
        "  a: {linear: {A: -1}, stepper: trapezoidal, step: 1 ms, dense: "
        "cubic}\n"
        "  b: {linear: {A: -1, H: 1}, steps: 4, stepper: rk4, given: true}\n"
        "output: {every: 10 ms, variables: [a.*, b.y1], file: result.csv}\n");
    const yoke_run_options *o = yoke_file_run_options(file);
    (void)state;
    assert_true(o->stop == 120.0);
    assert_true(o->iterate.window == 0.0);
    assert_int_equal(o->scheme, YOKE_JACOBI);
    assert_string_equal(o->order, "b a");
    assert_int_equal(o->iterate.max_sweeps, 12);
    assert_true(o->iterate.at_end);
    assert_string_equal(o->monitor, "b.y1");
    assert_true(o->every == 0.01);
    assert_string_equal(o->record, "a.* b.y1");
    assert_string_equal(o->output, "result.csv");
    yoke_file_free(file);
}

/* Texts of any length, and file names with spaces. */
static void lists_may_be_long(void **state)
{
    char text[6000];
    size_t used =
        (size_t)snprintf(text, sizeof text,
                         "yoke: 1\nsubsystems: {a: {linear: {A: -1}}}\n"
                         "output: {file: [a b.csv, c.h5], variables: [");
    (void)state;
    for (int i = 0; i < 500; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%sa.x%d",
                                 i ? ", " : "", i);
    snprintf(text + used, sizeof text - used, "]}\n");
    yoke_file *file = parse(text);
    const yoke_run_options *o = yoke_file_run_options(file);
    assert_string_equal(o->output, "a b.csv\nc.h5");
    assert_true(strlen(o->record) > 2500);
    CHECK_CONTAINS(o->record, "a.x498 a.x499");
    yoke_file_free(file);
}

static void everything_says_where_it_comes_from(void **state)
{
    const yoke_setting setting[] = { { "a.k", "4" }, { "run.rtol", "1e-3" } };
    const yoke_file_options options = { .settings = 2, .setting = setting };
    yoke_file *file = parse_with(
        "yoke: 1\n"
        "run: {stop: 2 min}\n"
        "subsystems:\n"
        "  a: {linear: {A: -k*m, B: 1, u: f}, parameters: {k: 1, m: 2 g},\n"
        "      stepper: rk4, steps: 3}\n"
        "couplings:\n"
        "  - constraint: {name: j, equation: a.x1 = 0, multiplier: F,\n"
        "                 enters: a.f = F}\n"
        "output: {every: 1}\n",
        &options);
    yoke_file_subsystem s;
    yoke_file_coupling c;
    yoke_option_text o;
    int line = 0;
    (void)state;

    assert_true(yoke_file_subsystem_at(file, 0, &s));
    assert_string_equal(s.source, "linear");
    assert_string_equal(s.stepper.method, "rk4");
    assert_int_equal(s.parameters, 2);
    assert_int_equal(s.parameter[0].origin, YOKE_FROM_COMMAND);
    assert_true(s.parameter[0].value == 4.0);
    assert_int_equal(s.parameter[1].origin, YOKE_FROM_FILE);
    assert_string_equal(s.parameter[1].text, "2 g");
    assert_true(s.parameter[1].value == 0.002);
    assert_int_equal(s.parameter[1].line, 4);
    assert_false(yoke_file_subsystem_at(file, 1, &s));

    assert_true(yoke_file_coupling_at(file, 0, &c));
    assert_string_equal(c.kind, "constraint");
    assert_string_equal(c.name, "j");
    assert_int_equal(c.texts, 3);
    assert_string_equal(c.key[2], "enters");
    assert_string_equal(c.text[2], "a.f = F");
    assert_false(yoke_file_coupling_at(file, 1, &c));

    for (int i = 0; yoke_run_list(i, &o); i++) {
        const yoke_origin origin = yoke_file_option_origin(file, i, &line);
        const bool in_file =
            strcmp(o.name, "stop") == 0 || strcmp(o.name, "every") == 0;
        assert_int_equal(origin, in_file ? YOKE_FROM_FILE
                                 : strcmp(o.name, "rtol") == 0
                                     ? YOKE_FROM_COMMAND
                                     : YOKE_FROM_DEFAULT);
        assert_int_equal(line > 0, in_file);
    }
    yoke_file_free(file);
}

/* The step of the run replaces `steps: 1` of a fixed method: y' = -y by the
 * explicit Euler method in ten steps. */
static void a_step_for_all_subsystems(void **state)
{
    const yoke_setting setting = { "run.step", "100 ms" };
    const yoke_file_options options = { .settings = 1, .setting = &setting };
    yoke_file *file = parse_with("yoke: 1\n"
                                 "run: {stop: 1, window: 1}\n"
                                 "subsystems:\n"
                                 "  a: {linear: {A: -1, x0: 1}, stepper: "
                                 "euler, steps: 1}\n"
                                 "  b: {linear: {A: -1, x0: 1}, rtol: 0.1}\n",
                                 &options);
    yoke_work work;
    (void)state;
    yoke_run *run = run_file(file);
    CHECK_NEAR(value_of(run, "a.x1"), pow(0.9, 10.0), 1e-14);
    assert_true(yoke_run_work(run, 1, NULL, &work));
    assert_true(work.steps >= 10 * work.sweeps);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

/* Sweeps that follow the grid of the last one keep to it: 50 steps of 2 ms in a
 * window of 100 ms, or more. */
static void no_step_is_longer_than_that_of_the_run(void **state)
{
    yoke_file *file =
        parse("yoke: 1\n"
              "run: {stop: 1, window: 0.1, rtol: 1e-3, step: 2 ms, "
              "accelerate: newton}\n"
              "subsystems:\n"
              "  a: {linear: {A: [[0, 1], [-40, 0]], B: [0, 1], "
              "x0: [1, 0]}}\n"
              "  b: {linear: {A: [[0, 1], [-40, 0]], B: [0, 1]}}\n"
              "couplings:\n"
              "  - signal: a.u1 = 20*b.x1; b.u1 = 20*a.x1\n");
    yoke_work work;
    (void)state;
    yoke_run *run = run_file(file);
    for (int i = 0; yoke_run_work(run, i, NULL, &work); i++) {
        assert_true(work.sweeps > 10);
        assert_true(work.steps >= 50 * work.sweeps);
    }
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

static void what_is_left_out_has_its_default(void **state)
{
    const yoke_run_options standard = yoke_run_defaults();
    yoke_file *file = parse("yoke: 1\n"
                            "run:\n"
                            "output:\n"
                            "couplings:\n"
                            "subsystems: {a: {linear: {A: -1}, parameters: }}");
    (void)state;
    assert_string_equal(yoke_file_name(file), "f");
    assert_memory_equal(yoke_file_run_options(file)->order, standard.order, 1);
    assert_true(yoke_file_run_options(file)->stop == standard.stop);
    yoke_file_free(file);
}

/* ---- constraints --------------------------------------------------------- */

/* The model problem of Wang, Hou and Modnak: two structures with x2 = 2 y1. */
#define STRUCTURE(K, M, LOAD, FORCE, NAMES, START)                             \
    "    linear:\n"                                                            \
    "      E: [[1,0,0,0,0,0], [0,1,0,0,0,0], [0,0,1,0,0,0], [0,0,0,1,0,0], "   \
    "[0,0,0,0,0,0], [0,0,0,0,0,0]]\n"                                          \
    "      A: [[0,0,1,0,0,0], [0,0,0,1,0,0], [0,0,0,0,1,0], [0,0,0,0,0,1], "   \
    "[" K "], [" M "]]\n"                                                      \
    "      B: " FORCE "\n"                                                     \
    "      source: [0, 0, 0, 0, " LOAD "]\n"                                   \
    "      x0: [0, 0, 0, 0, " START "]\n"                                      \
    "      x: [" NAMES ", v1, v2, a1, a2]\n"                                   \
    "      u: force\n"

#define WANG(RUN, EQUATION)                                                    \
    "yoke: 1\n"                                                                \
    "run: {stop: 1, given: true, " RUN "}\n"                                   \
    "subsystems:\n"                                                            \
    "  x:\n" STRUCTURE(                                                        \
        "2,1,0,0,-4,-1", "1,2,0,0,-1,-3", "6, 7", "[0,0,0,0,0,1]", "x1, x2",   \
        "13/15, 38/15") "  y:\n" STRUCTURE("1,2,0,0,-5,-2", "0,2,0,0,-2,-4",   \
                                           "10, 4", "[0,0,0,0,1,0]", "y1, y2", \
                                           "19/15, 11/30") "couplings:\n"      \
                                                           "  - constraint: "  \
                                                           "{name: joint, "    \
                                                           "equation:"         \
                                                           " " EQUATION        \
                                                           ", multiplier: "    \
                                                           "lambda, start: "   \
                                                           "-22/15, owner: "   \
                                                           "y, "               \
                                                           "enters: [x.force " \
                                                           "= -lambda, "       \
                                                           "y.force = "        \
                                                           "2*lambda]}\n"

static void check_wang(const char *text, double tol)
{
    yoke_file *reference = parse(
        WANG("scheme: monolithic, rtol: 1e-11, atol: 1e-12", "x.a2 = 2*y.a1"));
    yoke_file *file = parse(text);
    yoke_run *want = run_file(reference), *run = run_file(file);

    CHECK_NEAR(value_of(run, "x.x2"), 2.0 * value_of(run, "y.y1"), tol);
    CHECK_NEAR(value_of(run, "x.x1"), value_of(want, "x.x1"), tol);
    CHECK_NEAR(value_of(run, "y.y2"), value_of(want, "y.y2"), tol);
    yoke_run_close(run, NULL);
    yoke_run_close(want, NULL);
    yoke_file_free(file);
    yoke_file_free(reference);
}

static void constraint_of_accelerations(void **state)
{
    (void)state;
    check_wang(WANG("rtol: 1e-8", "x.a2 - 2*y.a1 = 0"), 1e-6);
}

static void constraint_of_positions_in_one_line(void **state)
{
    (void)state;
    check_wang(WANG("rtol: 1e-6, window: 0.1", "x.x2 - 2*y.y1 = 0"), 1e-6);
}

/* The same constraint, which the reader cannot know to be linear. */
static void constraint_by_a_nonlinear_formula(void **state)
{
    (void)state;
    check_wang(WANG("rtol: 1e-8", "exp(x.a2) = exp(y.a1)^2"), 1e-5);
}

/* Its derivatives are exact, and stand only where an output is read. */
static void nonlinear_formulas_have_exact_slopes(void **state)
{
    yoke_file *file = parse(
        "yoke: 1\n"
        "subsystems:\n"
        "  a: {linear: {A: [[-1, 0], [0, -1]], B: [[1, 0], [0, 1]], D: [[1, "
        "0], [0, 1]], H: [[0, 0], [0, 0]]}}\n"
        "couplings:\n"
        "  - constraint:\n"
        "      equation: [a.y1^2 + a.y1*a.y2 = 3, exp(a.y2) = time]\n"
        "      multiplier: [f, g]\n"
        "      enters: a.u1 = f; a.u2 = g\n");
    yoke_graph *graph = yoke_model_graph(yoke_file_model(file));
    yoke_system *s = yoke_graph_system(graph, yoke_graph_find(graph, "c1"));
    const double x[2] = { 0.0, 0.0 }, y[2] = { 3.0, 0.5 };
    double slope[4] = { NAN, NAN, NAN, NAN };
    const yoke_jacobian jac = { .Gu = slope };
    yoke_err err;
    (void)state;

    assert_int_equal(yoke_system_facts(s)->Gu->start[2], 3);
    CHECK_OK(yoke_system_jacobian(s, 0.0, x, y, &jac, &err), &err);
    CHECK_NEAR(slope[0], 6.5, 0.0);
    CHECK_NEAR(slope[1], 3.0, 0.0);
    CHECK_NEAR(slope[2], exp(0.5), 0.0);
    yoke_file_free(file);
}

/* A mass on a rod that follows a given motion: x = 1 + 0.1 time^2. */
static void constraint_that_depends_on_time(void **state)
{
    yoke_file *file = parse(
        "yoke: 1\n"
        "run: {stop: 1, rtol: 1e-8}\n"
        "subsystems:\n"
        "  m: {linear: {E: [[1, 0], [0, 0]], A: [[0, 1], [0, -1]], "
        "B: [0, 1], x: [v, a], u: f}}\n"
        "couplings:\n"
        "  - constraint: {equation: m.a/2 = 1 + 0.1*time^2, multiplier: F, "
        "enters: m.f = F/3}\n");
    (void)state;
    yoke_run *run = run_file(file);
    CHECK_NEAR(value_of(run, "m.v"), 2.0 + 0.2 / 3.0, 1e-6);
    CHECK_NEAR(value_of(run, "c1.F"), 6.6, 1e-5);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

static void several_equations_have_several_multipliers(void **state)
{
    yoke_file *file = parse(
        "yoke: 1\n"
        "subsystems:\n"
        "  a: {linear: {A: [[-1, 0], [0, -1]], B: [[1, 0], [0, 1]], D: [[1, "
        "0], [0, 1]], H: [[0, 0], [0, 0]]}}\n"
        "couplings:\n"
        "  - constraint:\n"
        "      equation: [a.y1 = 3, a.y2 = a.y1 + 1]\n"
        "      multiplier: [f, g]\n"
        "      start: [1, 2]\n"
        "      enters: a.u1 = f; a.u2 = g\n");
    (void)state;
    yoke_run *run = run_file(file);
    CHECK_NEAR(value_of(run, "c1.f"), 3.0, 1e-6);
    CHECK_NEAR(value_of(run, "c1.g"), 4.0, 1e-6);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

/* ---- ports --------------------------------------------------------------- */

/* Three capacitors at one node; one of them has a resistor.  The port is a
 * voltage (output) and a current into the component (input). */
static void ports_share_potential_and_flow(void **state)
{
    yoke_file *file =
        parse("yoke: 1\n"
              "run: {stop: 1, rtol: 1e-8, scheme: monolithic}\n"
              "subsystems:\n"
              "  r: {linear: {D: 3 Ohm, u: p.i, y: p.v}}\n"
              "  s: {linear: {D: 6 Ohm, u: p.i, y: p.v}}\n"
              "  c: {linear: {E: 2 F, A: 0, B: 1, H: 1, x0: 1, u: p.i, "
              "y: p.v}}\n"
              "couplings:\n"
              "  - connect: [r.p, s.p, c.p]\n");
    (void)state;
    yoke_run *run = run_file(file); /* 2 v' = -v/2 */
    CHECK_NEAR(value_of(run, "c.p.v"), exp(-0.25), 1e-6);
    CHECK_NEAR(value_of(run, "r.p.v"), exp(-0.25), 1e-6);
    CHECK_NEAR(value_of(run, "c1_1.lambda"), exp(-0.25) / 3.0, 1e-6);
    CHECK_NEAR(value_of(run, "c1_2.lambda"), exp(-0.25) / 6.0, 1e-6);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

static void ports_may_name_their_owner(void **state)
{
    yoke_file *file =
        parse("yoke: 1\n"
              "subsystems:\n"
              "  r: {linear: {D: 3, u: p.i, y: p.v}}\n"
              "  c: {linear: {A: 0, B: 1, H: 1, u: p.i, y: p.v}}\n"
              "couplings:\n"
              "  - connect: {ports: [r.p, c.p], owner: r, name: node}\n");
    (void)state;
    assert_int_equal(
        yoke_graph_find(yoke_model_graph(yoke_file_model(file)), "node"), 2);
    yoke_file_free(file);
}

/* ---- included systems ---------------------------------------------------- */

static yoke_file *read_scratch(const char *name,
                               const yoke_file_options *options)
{
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yoke_file_read(&file, in_scratch(name), options, &err), &err);
    return file;
}

static void write_pair(void)
{
    write_file("pair.yoke", TWO_MASSES);
    write_file("outer.yoke", "yoke: 1\n"
                             "run: {stop: 1, rtol: 1e-8}\n"
                             "subsystems:\n"
                             "  pair: {system: pair.yoke, parameters: "
                             "{left.x0: 3}}\n"
                             "  filter: {linear: {A: -1, B: 1}}\n"
                             "couplings:\n"
                             "  - signal: filter.u1 = pair.right.x\n");
}

static void a_system_may_be_a_subsystem(void **state)
{
    (void)state;
    write_pair();
    yoke_file *file = read_scratch("outer.yoke", NULL);
    assert_string_equal(yoke_file_name(file), "outer");
    CHECK_CONTAINS(yoke_file_report(file, 0), "pair: system");
    yoke_run *run = run_file(file);
    CHECK_NEAR(value_of(run, "pair.left.x"), 3.0 * exact_left(1.0), 1e-6);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

static void settings_reach_into_included_systems(void **state)
{
    const yoke_setting setting = { "pair.left.x0", "-2" };
    const yoke_file_options options = { .settings = 1, .setting = &setting };
    (void)state;
    write_pair();
    yoke_file *file = read_scratch("outer.yoke", &options);
    yoke_run *run = run_file(file);
    CHECK_NEAR(value_of(run, "pair.left.x"), -2.0 * exact_left(1.0), 1e-6);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

/* What an included system leaves open is an input of it. */
static void open_inputs_are_inputs_of_the_whole(void **state)
{
    (void)state;
    write_file("open.yoke", "yoke: 1\n"
                            "subsystems:\n"
                            "  a: {linear: {A: -1, B: [[1, 1]]}}\n"
                            "couplings: [signal: a.u2 = a.x1]\n");
    write_file("outer.yoke", "yoke: 1\n"
                             "run: {stop: 1, rtol: 1e-8}\n"
                             "subsystems:\n"
                             "  in: {system: open.yoke}\n"
                             "  one: {linear: {A: 0, x0: 2}}\n"
                             "couplings: [signal: in.a.u1 = one.x1]\n");
    yoke_file *file = read_scratch("outer.yoke", NULL);
    yoke_run *run = run_file(file); /* a' = -a + a + 2 */
    CHECK_NEAR(value_of(run, "in.a.x1"), 2.0, 1e-6);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_masses_swing_as_they_should),
        cmocka_unit_test(settings_replace_parameters_and_options),
        cmocka_unit_test(signals_are_linear_combinations),
        cmocka_unit_test(matrices_may_be_short),
        cmocka_unit_test(full_linear_subsystems),
        cmocka_unit_test(options_have_units_and_lists),
        cmocka_unit_test(lists_may_be_long),
        cmocka_unit_test(everything_says_where_it_comes_from),
        cmocka_unit_test(a_step_for_all_subsystems),
        cmocka_unit_test(no_step_is_longer_than_that_of_the_run),
        cmocka_unit_test(what_is_left_out_has_its_default),
        cmocka_unit_test(constraint_of_accelerations),
        cmocka_unit_test(constraint_of_positions_in_one_line),
        cmocka_unit_test(constraint_by_a_nonlinear_formula),
        cmocka_unit_test(nonlinear_formulas_have_exact_slopes),
        cmocka_unit_test(constraint_that_depends_on_time),
        cmocka_unit_test(several_equations_have_several_multipliers),
        cmocka_unit_test(ports_share_potential_and_flow),
        cmocka_unit_test(ports_may_name_their_owner),
        cmocka_unit_test(a_system_may_be_a_subsystem),
        cmocka_unit_test(settings_reach_into_included_systems),
        cmocka_unit_test(open_inputs_are_inputs_of_the_whole),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
