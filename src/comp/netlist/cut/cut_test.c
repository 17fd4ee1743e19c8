/* comp/netlist/cut/cut_test.c -- how netlists are cut: by hand, at elements, by
 * instances, by METIS, with overlap; what is refused. */
#include "check.h"

#include "yoke/netlist.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 40000 };

static yoke_file *parse(const char *text)
{
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yoke_file_parse(&file, "test.cir", text, strlen(text), NULL, &err),
             &err);
    return file;
}

static yoke_netlist_info info_of(const yoke_file *file)
{
    yoke_netlist_info info;

    assert_true(yoke_file_netlist(file, &info));
    return info;
}

static const yoke_netlist_part *part_named(const yoke_file *file,
                                           const char *name)
{
    const yoke_netlist_info info = info_of(file);

    for (int i = 0; i < info.parts; i++)
        if (strcmp(info.part[i].name, name) == 0) return &info.part[i];
    fail_msg("there is no part %s", name);
    return NULL;
}

static yoke_netlist_cut cut_named(const yoke_file *file, const char *element)
{
    const yoke_netlist_info info = info_of(file);

    for (int i = 0; i < info.cuts; i++)
        if (strcmp(info.cut[i].element, element) == 0) return info.cut[i];
    fail_msg("%s is not cut", element);
    return info.cut[0];
}

/* Nodes n1 .. nN, each with 1 nF to ground, 1 kOhm between neighbours. */
static const char *line(int nodes, const char *hints, const char *tran)
{
    static char text[ROOM];
    int at = snprintf(text, ROOM,
                      "line\n%s\nv1 in 0 sin(0 1 2k)\nr0 in n1 1k\n", hints);

    for (int k = 1; k <= nodes; k++) {
        at += snprintf(text + at, ROOM - (size_t)at, "c%d n%d 0 1n\n", k, k);
        if (k < nodes)
            at += snprintf(text + at, ROOM - (size_t)at, "r%d n%d n%d 1k\n", k,
                           k, k + 1);
    }
    snprintf(text + at, ROOM - (size_t)at, "%s\n.end\n", tran);
    return text;
}

/* ---- refusals ------------------------------------------------------------ */

static void hints_that_cannot_be_are_refused(void **state)
{
    static const struct {
        const char *hint, *part;
    } bad[] = {
        { "partition foo", "is not known; there are partition none" },
        { "partition cells 0", "is not a number from 1 to 1000000" },
        { "partition auto 5000", "is not a number from 1 to 1000" },
        { "partition auto -1", "is not known" },
        { "partition hierarchy 99", "is not a number from 1 to 64" },
        { "partition none 3", "is not known" },
        { "latent maybe", "is not known" },
        { "partition", "is not known" },
        { "sleep", "is not known" },
        { "", "is not known" },
        { "overlap two", "is not known" },
        { "overlap 0", "is not a number from 1" },
        { "overlap 1", "\"overlap\" needs parts that overlap" },
        { "part", "a part needs a name and nodes" },
        { "part left", "a part needs a name and nodes" },
        { "part rest n1", "is not a name of a part" },
        { "part a.b n1", "is not a name of a part" },
        { "part 1a n1", "is not a name of a part" },
        { "part left n77", "there is no node \"n77\"" },
        { "part left m1", "is it \"n1\"?" },
        { "part left x*", "there is no node \"x*\"" },
        { "part left 0", "ground is in no part" },
        { "part a n1\n* yoke: part b n*",
          "test.cir:3: node \"n1\" is to be in the parts \"a\" (line 2) and "
          "\"b\"" },
        { "partition cells\n* yoke: part b n*",
          "\"part\" and \"partition cells\" cannot be used together" },
        { "partition none\n* yoke: cut voltage r1", "cannot be used together" },
        { "cut", "is not known" },
        { "cut r1", "is not known" },
        { "cut voltage", "no element is named" },
        { "cut current first", "no element is named" },
        { "cut voltage r77", "there is no element \"r77\"" },
        { "cut voltage v1", "cut current v1" },
        { "cut current v1", "node \"in\" is driven by a source" },
        { "cut current r0", "node \"in\" is driven by a source" },
        { "cut voltage c1", "node \"0\" is ground" },
        { "cut voltage r1 r1", "is cut twice" },
        { "cut current r1\n* yoke: cut current r1",
          "test.cir:3: r1 is cut twice" },
        { "stepper magic", "test.cir:2: " },
        { "stepper trapezoidal fast", "is not a step in seconds" },
    };
    (void)state;

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        char hint[200];
        yoke_file *file = NULL;
        yoke_err err = { YOKE_OK, "" };
        snprintf(hint, sizeof hint, "* yoke: %s", bad[k].hint);
        const char *text = line(3, hint, ".tran 1u 10u");
        CHECK_STATUS(
            yoke_file_parse(&file, "test.cir", text, strlen(text), NULL, &err),
            YOKE_E_FILE, &err);
        CHECK_CONTAINS(err.text, bad[k].part);
        CHECK_CONTAINS(err.text, "test.cir:");
        assert_null(file);
    }
}

static void cuts_that_divide_nothing_are_refused(void **state)
{
    static const char text[] =
        "ring\n* yoke: cut voltage r1\ni1 0 a 1\nr1 a b 1\nr2 a b 1\n"
        "r3 b 0 1\nr4 a 0 1\n.tran 1 2\n.end\n";
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;

    CHECK_STATUS(
        yoke_file_parse(&file, "test.cir", text, strlen(text), NULL, &err),
        YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, "test.cir:2: r1 is to be cut, but other elements "
                             "join its two sides");
}

static void hints_in_subcircuits_are_refused(void **state)
{
    static const char text[] =
        "sub\n.subckt s a\n* yoke: part x a\nr1 a 0 1\n.ends\nx1 n s\n"
        "i1 0 n 1\n.tran 1 2\n.end\n";
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;

    CHECK_STATUS(
        yoke_file_parse(&file, "test.cir", text, strlen(text), NULL, &err),
        YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, "test.cir:3: \"* yoke:\" lines stand outside");
}

/* ---- rates --------------------------------------------------------------- */

/* Of a long line: G mu^2 - (2 G + C/h) mu + G = 0. */
static double decay(double h)
{
    const double a = 1.0 + 0.5 * 1e-9 * 1e3 / h;

    return a - sqrt(a * a - 1.0);
}

/* A run that stops after `sweeps` sweeps of one window of one step; the voltage
 * beside the cut. */
static double after(const char *text, int sweeps, double h)
{
    yoke_file *file = parse(text);
    yoke_run_options o = *yoke_file_run_options(file);
    yoke_run *run = NULL;
    double v = NAN;
    yoke_err err = { YOKE_OK, "" };

    o.iterate.window = h;
    o.iterate.stop = YOKE_STOP_COUNT;
    o.iterate.max_sweeps = sweeps;
    o.iterate.extrapolate = 0;
    o.iterate.accelerate = YOKE_ACCELERATE_NONE;
    o.iterate.skip = false;
    o.iterate.rtol = o.iterate.atol = 1e-14;
    o.cluster = YOKE_CLUSTER_NONE;
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), &o, NULL, &err),
             &err);
    CHECK_OK(yoke_run_advance(run, h, &err), &err);
    CHECK_OK(yoke_run_value(run, "v(n20)", &v, &err), &err);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
    return v;
}

/* One sweep across a cut with N layers on both sides leaves mu^(4N + 2). */
static void overlap_helps_as_the_theory_says(void **state)
{
    static const double h = 1e-5; /* mu = 0.73 */
    (void)state;

    for (int layers = 0; layers <= 2; layers++) {
        char hints[200];
        const double wanted = pow(decay(h), 4.0 * layers + 2.0);
        int at = snprintf(hints, sizeof hints,
                          "* yoke: stepper implicit-euler 1\n"
                          "* yoke: cut voltage r20\ni2 0 n20 sin(0 1m 2k)");
        if (layers)
            snprintf(hints + at, sizeof hints - (size_t)at,
                     "\n* yoke: overlap %d", layers);
        const char *text = line(400, hints, ".tran 1m 10m");
        yoke_file *file = parse(text);
        yoke_contraction c = { .h = h };
        yoke_run_options o = *yoke_file_run_options(file);
        yoke_err err = { YOKE_OK, "" };
        assert_int_equal(info_of(file).parts, 2);
        assert_int_equal(part_named(file, "part1")->copies, layers);
        CHECK_OK(yoke_model_contraction(yoke_file_model(file), &o, 1, &c, &err),
                 &err);
        CHECK_NEAR(c.rho, wanted, 1e-4 * wanted);
        yoke_file_free(file);
        double v[5];
        for (int k = 0; k < 5; k++) v[k] = after(text, k + 1, h);
        print_message(
            "overlap %d: theory %.4f, predicted %.4f, measured %.4f\n", layers,
            wanted, c.rho, (v[2] - v[1]) / (v[1] - v[0]));
        for (int k = 0; k < 2; k++)
            CHECK_NEAR((v[k + 2] - v[k + 1]) / (v[k + 1] - v[k]), c.rho,
                       1e-4 * c.rho);
    }
}

/* The owner of the current is chosen: the side with less capacitance. */
static void the_owner_is_the_side_that_contracts(void **state)
{
    static const char *const text[] = {
        "o\n* yoke: cut current vx\ni1 0 a sin(0 1 1)\nc1 a 0 1\nr1 a 0 1\n"
        "vx a b 0\nc2 b 0 0.25\nr2 b 0 1\n.tran 0.01 1\n.end\n",
        "o\n* yoke: cut current vx\ni1 0 a sin(0 1 1)\nc1 a 0 0.25\nr1 a 0 1\n"
        "vx a b 0\nc2 b 0 1\nr2 b 0 1\n.tran 0.01 1\n.end\n"
    };
    (void)state;

    double rate[2];
    for (int k = 0; k < 2; k++) {
        yoke_file *file = parse(text[k]);
        const yoke_netlist_cut cut = cut_named(file, "vx");
        assert_string_equal(cut.kind, "current");
        assert_int_equal(cut.line, 6);
        /* Parts are numbered by their first nodes: a is in part1. */
        assert_string_equal(cut.owner, k == 0 ? "part2" : "part1");
        rate[k] = info_of(file).rate;
        yoke_file_free(file);
    }
    CHECK_NEAR(rate[0], 0.25, 0.01);
    CHECK_NEAR(rate[1], 0.25, 0.01);
    char forced[400];
    snprintf(forced, sizeof forced, "o\n* yoke: cut current first vx%s",
             text[0] + strlen("o\n* yoke: cut current vx"));
    yoke_file *file = parse(forced);
    CHECK_NEAR(info_of(file).rate, 4.0, 0.2);
    yoke_file_free(file);
}

/* ---- parts --------------------------------------------------------------- */

static double end_value(const char *text, double rtol, const char *name,
                        bool *converged)
{
    yoke_file *file = parse(text);
    yoke_run_options o = *yoke_file_run_options(file);
    yoke_run_result r;
    yoke_run *run = NULL;
    double v = NAN;
    yoke_err err = { YOKE_OK, "" };

    o.iterate.rtol = o.iterate.atol = rtol;
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), &o, NULL, &err),
             &err);
    CHECK_OK(yoke_run_advance(run, o.stop, &err), &err);
    CHECK_OK(yoke_run_value(run, name, &v, &err), &err);
    yoke_run_summary(run, &r);
    if (converged) *converged = r.converged;
    yoke_run_close(run, NULL);
    yoke_file_free(file);
    return v;
}

/* Whatever the cut, the waveforms are those of the whole. */
static void all_cuts_give_the_same(void **state)
{
    static const char *const hints[] = {
        "* yoke: cut voltage r20",
        "* yoke: cut current r20",
        "* yoke: cut current first r20",
        "* yoke: cut current second r20",
        "* yoke: cut voltage r10 r20\n* yoke: cut current r30",
        "* yoke: cut voltage r20\n* yoke: overlap 3",
        "* yoke: part left n1 n1* n2 n3 n4 n5 n6 n7 n8 n9",
        "* yoke: part odd n1 n3 n5 n7 n9\n* yoke: part even n2 n4 n6 n8",
        "* yoke: part a n1*\n* yoke: cut current r19\n* yoke: overlap 1",
#ifdef YOKE_HAVE_METIS
        "* yoke: partition auto 3",
        "* yoke: partition auto",
#endif
    };
    static const char tran[] = ".tran 1u 100u\n.print tran v(n20) v(n40)";
    bool converged = false;
    (void)state;
    const double whole =
        end_value(line(40, "* whole", tran), 1e-9, "v(n20)", &converged);

    assert_true(fabs(whole) > 1e-3);
    for (size_t k = 0; k < sizeof hints / sizeof *hints; k++) {
        const double v =
            end_value(line(40, hints[k], tran), 1e-7, "v(n20)", &converged);
        assert_true(converged);
        CHECK_NEAR(v, whole, 1e-6);
    }
}

static void parts_by_hand_are_as_told(void **state)
{
    (void)state;
    yoke_file *file =
        parse(line(9,
                   "* yoke: part left in n1 n2\n* yoke: part left n3\n"
                   "* yoke: part right n7 n8 n9",
                   ".tran 1u 10u\n.print tran v(n9) i(v1)"));

    assert_int_equal(info_of(file).parts, 3);
    /* The current of v1 goes where its node is. */
    assert_int_equal(part_named(file, "left")->unknowns, 4);
    assert_int_equal(part_named(file, "rest")->unknowns, 3);
    assert_int_equal(part_named(file, "right")->unknowns, 3);
    assert_int_equal(info_of(file).cuts, 2);
    assert_string_equal(cut_named(file, "r3").kind, "voltage");
    assert_string_equal(cut_named(file, "r6").part[0], "rest");
    CHECK_CONTAINS(info_of(file).partition, "partition by hand: 3 parts");
    CHECK_CONTAINS(info_of(file).partition, "2 elements cut: r3, r6");
    yoke_file_free(file);
}

static void cuts_through_a_device_are_a_warning(void **state)
{
    static const char text[] =
        "torn\n* yoke: part left a\ni1 0 a 1m\nr1 a 0 1k\nd1 a b dm\n"
        "r2 b 0 1k\nc2 b 0 1n\n.model dm d\n.tran 1u 10u\n.end\n";
    (void)state;
    yoke_file *file = parse(text);

    CHECK_CONTAINS(yoke_file_warning(file, 0),
                   "test.cir:2: the parts cut what conducts directly, d1:");
    assert_null(yoke_file_warning(file, 1));
    yoke_file_free(file);
}

/* A cut moves a node away from its capacitor; `uic` begins as before. */
static void initial_conditions_reach_split_nodes(void **state)
{
    static const char *const given[] = { "c1 a 0 1u ic=0.1\n",
                                         "c1 a 0 1u\n.ic v(a)=0.1\n" };
    (void)state;

    for (int k = 0; k < 2; k++) {
        double v[2];
        for (int cut = 0; cut < 2; cut++) {
            char text[300];
            snprintf(text, sizeof text, "ic\n%s%sr1 a 0 1k\n.tran 1u 1m uic\n",
                     cut ? "* yoke: cut current c1\n" : "", given[k]);
            v[cut] = end_value(text, 1e-7, "v(a)", NULL);
        }
        CHECK_NEAR(v[0], 0.1 * exp(-1.0), 1e-7);
        CHECK_NEAR(v[1], v[0], 1e-6);
    }
}

/* ---- instances ----------------------------------------------------------- */

static const char *nested(const char *hint)
{
    static char text[2000];

    snprintf(text, sizeof text,
             "nested\n* yoke: %s\n.subckt cell a b\nr1 a m 1k\nc1 m 0 1n\n"
             "r2 m b 1k\n.ends\n.subckt two a b\nx1 a c cell\nc9 c 0 100n\n"
             "x2 c b cell\n.ends\nv1 in 0 1\nxa in p two\nc1 p 0 100n\n"
             "xb p q two\nc2 q 0 100n\n.tran 0.1u 10u\n.end\n",
             hint);
    return text;
}

static void instances_give_their_names(void **state)
{
    (void)state;
    yoke_file *file = parse(nested("partition hierarchy"));
    assert_int_equal(part_named(file, "xa")->unknowns, 3);
    assert_int_equal(part_named(file, "xb")->unknowns, 3);
    yoke_file_free(file);
    file = parse(nested("partition hierarchy 2"));
    assert_int_equal(part_named(file, "xa_x1")->unknowns, 1);
    assert_int_equal(part_named(file, "xb_x2")->unknowns, 1);
    part_named(file, "xa");
    yoke_file_free(file);
    CHECK_NEAR(end_value(nested("partition hierarchy 2"), 1e-8, "v(p)", NULL),
               end_value(nested("partition none"), 1e-9, "v(p)", NULL), 1e-7);
}

/* ---- METIS --------------------------------------------------------------- */

#ifdef YOKE_HAVE_METIS

/* Blocks that conduct well inside, with a weak resistor between them. */
static const char *blocks(int count, const char *weak, const char *hint)
{
    static char text[ROOM];
    int at = snprintf(text, ROOM, "blocks\n* yoke: %s\nv1 in 0 sin(0 1 10k)\n",
                      hint);

    for (int k = 0; k < count; k++) {
        if (k)
            at += snprintf(text + at, ROOM - (size_t)at, "rw%d z%d a%d %s\n", k,
                           k - 1, k, weak);
        else
            at += snprintf(text + at, ROOM - (size_t)at, "rin in a0 1k\n");
        at += snprintf(text + at, ROOM - (size_t)at,
                       "ra%d a%d b%d 100\nrb%d b%d z%d 100\nca%d a%d 0 10n\n"
                       "cb%d b%d 0 10n\ncz%d z%d 0 10n\nrz%d z%d 0 1k\n",
                       k, k, k, k, k, k, k, k, k, k, k, k, k, k);
    }
    snprintf(text + at, ROOM - (size_t)at, ".tran 1u 200u\n.end\n");
    return text;
}

static void metis_cuts_where_it_is_weak(void **state)
{
    (void)state;
    yoke_file *file = parse(blocks(12, "100k", "partition auto 4"));
    const yoke_netlist_info info = info_of(file);

    assert_int_equal(info.parts, 4);
    assert_int_equal(info.cuts, 3);
    for (int i = 0; i < info.cuts; i++)
        assert_true(strncmp(info.cut[i].element, "rw", 2) == 0);
    for (int i = 0; i < info.parts; i++)
        assert_int_equal(info.part[i].unknowns, 9);
    assert_true(info.rate < 0.01);
    CHECK_CONTAINS(info.partition, "none had to be merged");
    yoke_file_free(file);
}

/* The rate decides: over 10 ns every node of the line is a cell, over a
 * hundredth of the run, 20 us, mu = 0.8 and a cut leaves mu^2; with three
 * layers of copies mu^14. */
static void parts_that_do_not_contract_are_merged(void **state)
{
    static const char tran[] = ".tran 10n 2m\n.print tran v(n20)";
    (void)state;
    yoke_file *file = parse(line(80, "* yoke: partition auto 4", tran));
    yoke_netlist_info info = info_of(file);

    assert_int_equal(info.cells, 80);
    assert_int_equal(info.parts, 1);
    CHECK_CONTAINS(info.partition, "METIS made 4 parts");
    CHECK_CONTAINS(info.partition, "merged until one sweep leaves at most 0.3");
    yoke_file_free(file);

    file = parse(line(80, "* yoke: partition auto 4\n* yoke: overlap 3", tran));
    info = info_of(file);
    assert_int_equal(info.parts, 4);
    assert_int_equal(info.cuts, 3);
    assert_true(info.rate > 0.01 && info.rate <= 0.3);
    assert_int_equal(part_named(file, "part1")->copies, 3);
    yoke_file_free(file);
}

static void the_number_of_parts_follows_the_work(void **state)
{
    (void)state;
    yoke_file *file = parse(blocks(8, "100k", "partition auto"));
    assert_int_equal(info_of(file).parts, 1);
    CHECK_CONTAINS(info_of(file).partition, "too little work to divide");
    yoke_file_free(file);
    file = parse(blocks(110, "100k", "partition auto"));
    assert_int_equal(info_of(file).parts, 2); /* 330 unknowns, 150 each */
    yoke_file_free(file);
    file = parse(line(30, "* yoke: partition auto", ".tran 1u 100u"));
    assert_int_equal(info_of(file).parts, 1);
    CHECK_CONTAINS(info_of(file).partition, "everything is coupled strongly");
    yoke_file_free(file);
}

#endif

/* ---- lines and what is shown --------------------------------------------- */

/* A wave that has gone through the line and back, with its reflections. */
static const char *delayed(const char *hints, const char *tran)
{
    static char text[ROOM];

    snprintf(text, ROOM,
             "delay\n%s\nv1 in 0 sin(0 1 100meg)\nr1 in a 70\nc1 a 0 2p\n"
             "t1 a 0 b 0 z0=50 td=1.5n ic=0.2,1m,-0.1,2m\nr2 b 0 75\n"
             "c2 b 0 2p\nr3 b c 100\nc3 c 0 5p\nr4 c d 2k\nc4 d 0 1p\n"
             "%s\n.print tran v(a) v(b) v(c) v(d) i(r3) i(r4) v(a,d) "
             "v(c)*v(b)\n.end\n",
             hints, tran);
    return text;
}

static void lines_are_cut_by_their_delay(void **state)
{
    static const struct {
        const char *hints;
        int parts;
        bool between; /* are the ends apart? */
    } cut[] = {
        { "* yoke: partition cells", 6, true },
        { "* yoke: part one a\n* yoke: part two b c d", 2, true },
        { "* yoke: part one a b\n* yoke: part two c d", 2, false },
        { "* yoke: part one a\n* yoke: part two b\n* yoke: overlap 2", 3,
          true },
        { "* yoke: cut voltage r4", 2, false },
        { "* yoke: cut current r3", 2, false },
#ifdef YOKE_HAVE_METIS
        { "* yoke: partition auto 2", 2, true },
#endif
    };
    static const char *const tran[] = { ".tran 0.1n 11n",
                                        ".tran 0.1n 11n uic" };
    static const char *const shown[] = { "v(a)",  "v(d)",   "i(r3)",
                                         "i(r4)", "v(a,d)", "v(c)*v(b)" };
    (void)state;

    for (size_t k = 0; k < sizeof cut / sizeof *cut; k++) {
        yoke_file *file = parse(delayed(cut[k].hints, tran[0]));
        assert_int_equal(info_of(file).parts, cut[k].parts);
        if (cut[k].between) {
            const yoke_netlist_cut t1 = cut_named(file, "t1");
            assert_string_equal(t1.kind, "delay");
            assert_null(t1.owner);
        }
        yoke_file_free(file);
        for (int u = 0; u < 2; u++)
            for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
                const double whole = end_value(delayed("* whole", tran[u]),
                                               1e-8, shown[i], NULL);
                const double v = end_value(delayed(cut[k].hints, tran[u]), 1e-8,
                                           shown[i], NULL);
                assert_true(fabs(whole) > 1e-5);
                CHECK_NEAR(v, whole, 1e-5 * fabs(whole) + 1e-9);
            }
    }
}

static void lines_need_no_cut(void **state)
{
    const char *text = delayed("* yoke: cut current t1", ".tran 0.1n 11n");
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;

    CHECK_STATUS(
        yoke_file_parse(&file, "test.cir", text, strlen(text), NULL, &err),
        YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, "test.cir:2: t1 is a line");
    CHECK_CONTAINS(err.text, "give its ends to different parts");
}

/* What is shown across a cut joins nothing and is no part of its own; it is
 * also no node that a part could have. */
static void what_is_shown_does_not_count(void **state)
{
    yoke_file *file = parse(delayed("* yoke: part one a b\n* yoke: part two *c"
                                    " d*",
                                    ".tran 0.1n 11n"));
    yoke_err err = { YOKE_OK, "" };
    (void)state;

    assert_int_equal(info_of(file).parts, 2);
    assert_int_equal(info_of(file).cuts, 1);
    assert_string_equal(cut_named(file, "r3").kind, "voltage");
    assert_null(yoke_file_warning(file, 0));
    yoke_file_free(file);
    file = NULL;
    const char *text = delayed("* yoke: part one i(r3)", ".tran 0.1n 11n");
    CHECK_STATUS(
        yoke_file_parse(&file, "test.cir", text, strlen(text), NULL, &err),
        YOKE_E_FILE, &err);
    CHECK_CONTAINS(err.text, "there is no node \"i(r3)\"");
}

/* Nodes put in are voltages also where others are shown. */
/* The current of a charge between a driven node and another is the derivative of
 * that one: it is shown by the part that has it. */
static void currents_are_shown_where_the_charge_is(void **state)
{
    yoke_file *file =
        parse("shown\n* yoke: partition cells 1\nv1 in 0 sin(0 1 1k)\n"
              "c1 in a 1u\nr1 a 0 1k\nq1 vc in e qn\nvc vc 0 5\n"
              "re e 0 1k\n.model qn npn(cje=1n)\n"
              ".tran 10u 1m\n.print tran @c1[i] @q1[ib]\n.end\n");
    const yoke_netlist_info info = info_of(file);

    (void)state;
    assert_int_equal(info.parts, 2); /* a and e, each with what is shown */
    for (int i = 0; i < info.parts; i++)
        assert_int_equal(info.part[i].unknowns, 2);
    yoke_file_free(file);
}

static void split_nodes_are_voltages(void **state)
{
    const char *text = delayed("* yoke: cut current r3",
                               ".print tran v(r3.cut)\n.tran 0.1n 11n");
    bool converged = false;
    (void)state;

    CHECK_NEAR(end_value(text, 1e-8, "v(r3.cut)", &converged),
               end_value(text, 1e-8, "v(b)", &converged), 1e-9);
}

/* Parts that are asked for are kept unless the iteration fails. */
static void parts_asked_for_are_kept(void **state)
{
    static const struct {
        const char *hint;
        yoke_clustering wanted;
    } known[] = {
        { "* nothing", YOKE_CLUSTER_AUTO },
        { "* yoke: partition none", YOKE_CLUSTER_AUTO },
        { "* yoke: latent no", YOKE_CLUSTER_AUTO },
        { "* yoke: part all *", YOKE_CLUSTER_AUTO },
        { "* yoke: partition cells", YOKE_CLUSTER_FAILING },
        { "* yoke: partition hierarchy", YOKE_CLUSTER_FAILING },
        { "* yoke: part one a", YOKE_CLUSTER_FAILING },
        { "* yoke: cut voltage r4", YOKE_CLUSTER_FAILING },
    };
    (void)state;

    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        yoke_file *file = parse(delayed(known[k].hint, ".tran 0.1n 11n"));
        assert_int_equal(yoke_file_run_options(file)->cluster, known[k].wanted);
        yoke_file_free(file);
    }
}

/* ---- memory -------------------------------------------------------------- */

static long left, living; /* allocations until one fails; blocks */

static void *failing(void *block, size_t bytes)
{
    if (left-- == 0) return NULL;
    void *const made = realloc(block, bytes);
    if (made && !block) living++;
    return made;
}

static void give_back(void *block)
{
    if (block) living--;
    free(block);
}

/* Whichever allocation fails, it is reported and nothing is left behind. */
static void every_allocation_may_fail(void **state)
{
    static const char *const hints[] = {
        "* yoke: partition auto 3\n* yoke: overlap 3",
        "* yoke: part a n1 n2\n* yoke: cut current r2\n* yoke: overlap 1",
    };
    const yoke_allocator counting = { failing, give_back };
    (void)state;

    for (size_t h = 0; h < sizeof hints / sizeof *hints; h++) {
        yoke_status status = YOKE_E_MEMORY;
        for (long k = 0; status != YOKE_OK; k += k < 100 ? 1 : 5) {
            const char *text = line(9, hints[h], ".tran 10n 2m");
            yoke_file *file = NULL;
            yoke_err err = { YOKE_OK, "" };
            yoke_set_allocator(&counting);
            left = k;
            living = 0;
            status = yoke_file_parse(&file, "test.cir", text, strlen(text),
                                     NULL, &err);
            yoke_file_free(file);
            yoke_set_allocator(NULL);
            assert_int_equal(living, 0);
#ifndef YOKE_HAVE_METIS
            if (status == YOKE_E_MISSING) break;
#endif
            if (status != YOKE_OK) assert_int_equal(status, YOKE_E_MEMORY);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hints_that_cannot_be_are_refused),
        cmocka_unit_test(cuts_that_divide_nothing_are_refused),
        cmocka_unit_test(hints_in_subcircuits_are_refused),
        cmocka_unit_test(overlap_helps_as_the_theory_says),
        cmocka_unit_test(the_owner_is_the_side_that_contracts),
        cmocka_unit_test(all_cuts_give_the_same),
        cmocka_unit_test(parts_by_hand_are_as_told),
        cmocka_unit_test(cuts_through_a_device_are_a_warning),
        cmocka_unit_test(initial_conditions_reach_split_nodes),
        cmocka_unit_test(instances_give_their_names),
        cmocka_unit_test(lines_are_cut_by_their_delay),
        cmocka_unit_test(lines_need_no_cut),
        cmocka_unit_test(what_is_shown_does_not_count),
        cmocka_unit_test(currents_are_shown_where_the_charge_is),
        cmocka_unit_test(split_nodes_are_voltages),
        cmocka_unit_test(parts_asked_for_are_kept),
        cmocka_unit_test(every_allocation_may_fail),
#ifdef YOKE_HAVE_METIS
        cmocka_unit_test(metis_cuts_where_it_is_weak),
        cmocka_unit_test(parts_that_do_not_contract_are_merged),
        cmocka_unit_test(the_number_of_parts_follows_the_work),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
