/* comp/netlist/system/switch_test.c -- switches whose controls jump, in time
 * and at the start, against exact solutions. */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"

/* 0.999 V where a switch is closed, 1e-9 V where it is open. */
static const double closed = 0.999;

/* v(x) is the integral of v(o). */
#define INTEGRAL "g1 0 x o 0 1\nc1 x 0 1 ic=0\n"
#define SUPPLY   "v1 in 0 1\nr1 o 0 999\n"

static double run_text(const char *text, const char *name)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_file *file = NULL;
    double v = NAN;

    CHECK_OK(yoke_file_parse(&file, "test.cir", text, strlen(text), NULL, &err),
             &err);
    yoke_run *run = run_file(file);
    CHECK_OK(yoke_run_value(run, name, &v, &err), &err);
    CHECK_OK(yoke_run_close(run, NULL), NULL);
    yoke_file_free(file);
    return v;
}

static void check(const char *what, double v, double exact)
{
    if (!(fabs(v - exact) <= 2e-6))
        fail_msg("%s: %.10g instead of %.10g", what, v, exact);
}

static const char *const kinds[] = {
    "s1 in o g 0 m\n.model m sw(vt=0.5 vh=0.1 ron=1 roff=1e12)\n",
    "s1 in o g 0 m\n.model m sw(vt=0.5 vh=0 ron=1 roff=1e12)\n",
    "s1 in o g 0 m\n.model m sw(vt=0.5 vh=-0.1 ron=1 roff=1e12)\n",
    "vm g h 0\nrm h 0 1k\nw1 in o vm m\n"
    ".model m csw(it=0.5m ih=0.1m ron=1 roff=1e12)\n",
    "vm g h 0\nrm h 0 1k\nw1 in o vm m\n"
    ".model m csw(it=0.5m ron=1 roff=1e12)\n",
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Over 3 s.  The last two give the control another B source in between. */
static const struct {
    const char *gate;
    double on; /* s */
} gates[] = {
    { "b1 g 0 v=time>0.5 && time<1.7 ? 1 : 0\n", 1.2 },
    { "b1 g 0 v=u(time-0.5)-u(time-1.7)+u(time-2)\n", 2.2 },
    { "b1 g 0 v=(time-floor(time)) > 0.4 ? 1 : 0\n", 1.8 },
    { "b1 g 0 v=sin(2*pi*time)>0 ? 1 : 0\n", 1.5 },
    { "vt t 0 pulse(0 1 0 1 1n 1n 1.000000002)\nrt t 0 1k\n"
      "b1 g 0 v=v(t)>0.4 ? 1 : 0\n",
      1.8 },
    { "b0 f 0 v=(time-floor(time)) > 0.4 ? 1 : 0\nrf f 0 1k\n"
      "b1 g 0 v=v(f)>0.5 ? 0 : 1\n",
      1.2 },
    { "b0 f 0 v=time>0.5 && time<1.7 ? 3.2 : 0.5\nrf f 0 1k\n"
      "b1 g 0 v=floor(v(f)/2)\n",
      1.2 },
};

static void switches_see_every_jump_of_their_control(void **state)
{
    char text[900];
    (void)state;

    for (size_t i = 0; i < sizeof gates / sizeof gates[0]; i++)
        for (int k = 0; k < KINDS; k++) {
            snprintf(text, sizeof text,
                     "gate\n" SUPPLY INTEGRAL "%srg g 0 1k\n%s"
                     ".tran 10m 3 uic\n.end\n",
                     gates[i].gate, kinds[k]);
            check(text, run_text(text, "v(x)"), closed * gates[i].on);
        }
}

/* A ramp that falls back at once: closed from 0.6 on, until the jump. */
static void a_sawtooth_closes_and_opens(void **state)
{
    char text[900];
    (void)state;

    snprintf(text, sizeof text,
             "saw\n" SUPPLY INTEGRAL "b1 g 0 v=time-floor(time)\nrg g 0 1k\n%s"
             ".tran 10m 3 uic\n.end\n",
             kinds[0]);
    check(text, run_text(text, "v(x)"), closed * 3.0 * 0.4);
}

/* B, switch, B, switch, B, switch: each turns the one before round. */
static void jumps_pass_through_chains(void **state)
{
    (void)state;
    const char text[] =
        "chain\n" SUPPLY INTEGRAL "b1 g 0 v=time>0.5 && time<1.7 ? 1 : 0\n"
        "rg g 0 1k\ns1 in p g 0 m\nrp p 0 999\n"
        ".model m sw(vt=0.5 vh=0.1 ron=1 roff=1e12)\n"
        "b2 q 0 v=v(p)>0.5 ? 0 : 1\nrq q 0 1k\ns2 in w q 0 m\nrw w 0 999\n"
        "b3 y 0 v=ceil(0.3-v(w))\nvm y z 0\nrz z 0 1k\nw1 in o vm n\n"
        ".model n csw(it=0.5m ron=1 roff=1e12)\n"
        ".tran 10m 3 uic\n.end\n";

    check("chain", run_text(text, "v(x)"), closed * 1.2);
}

/* Without uic, and at instants that are no multiples of anything. */
static void the_last_state_is_right_after_an_operating_point(void **state)
{
    char text[900];
    (void)state;

    for (int k = 0; k < KINDS; k++) {
        snprintf(text, sizeof text,
                 "op\n" SUPPLY "b1 g 0 v=time>0.317 && time<1.7 ? 1 : 0\n"
                 "rg g 0 1k\n%s.tran 10m 3\n.end\n",
                 kinds[k]);
        check(text, run_text(text, "v(o)"), 0.0);
    }
}

/* on and off count between the levels only. */
static void at_the_start_switches_follow_their_controls(void **state)
{
    static const struct {
        const char *control, *word;
        bool is_on;
    } list[] = {
        { "vg g 0 1", "", true },       { "vg g 0 1", " off", true },
        { "vg g 0 0", " on", false },   { "vg g 0 0", "", false },
        { "vg g 0 0.55", "", false },   { "vg g 0 0.55", " on", true },
        { "vg g 0 0.45", " on", true }, { "vg g 0 0.45", " off", false },
        { "b1 g 0 v=1", "", true },     { "vh h 0 2\nr8 h g 1k", "", true },
        { "c9 g 0 1 ic=1", "", true },  { "c9 g 0 1 ic=0", " on", false },
    };
    char text[900];
    (void)state;

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        snprintf(text, sizeof text,
                 "start\n" SUPPLY INTEGRAL "%s\nr9 g 0 1k\ns1 in o g 0 m%s\n"
                 ".model m sw(vt=0.5 vh=0.1 ron=1 roff=1e12)\n"
                 ".tran 10m 3 uic\n.end\n",
                 list[i].control, list[i].word);
        check(text, run_text(text, "v(x)"), list[i].is_on ? closed * 3.0 : 0.0);
        snprintf(text, sizeof text,
                 "start\n" SUPPLY INTEGRAL
                 "%s\nr9 g f 1\nvm f k 0\nr8 k 0 999\n"
                 "w1 in o vm m%s\n"
                 ".model m csw(it=0.5m ih=0.1m ron=1 roff=1e12)\n"
                 ".tran 10m 3 uic\n.end\n",
                 list[i].control, list[i].word);
        if (i < 9)
            check(text, run_text(text, "v(x)"),
                  list[i].is_on ? closed * 3.0 : 0.0);
    }
}

/* One switch closes another at the start. */
static void starts_pass_through_chains(void **state)
{
    (void)state;
    const char text[] =
        "chain\n" SUPPLY INTEGRAL "vg g 0 1\ns1 in p g 0 m\nrp p 0 999\n"
        ".model m sw(vt=0.5 vh=0.1 ron=1 roff=1e12)\n"
        "s2 in q p 0 m\nrq q 0 999\ns3 in o q 0 m off\n"
        ".tran 10m 3 uic\n.end\n";

    check("chain", run_text(text, "v(x)"), closed * 3.0);
}

/* The input is 1 from the start, whatever the netlist says of its source. */
static void at_the_start_switches_follow_inputs(void **state)
{
    static const char system[] =
        "yoke: 1\nrun: {stop: 3 s, rtol: 1e-6}\nsubsystems:\n"
        "  plant: {netlist: sw.cir, inputs: {vg: g}, outputs: [v(x)]}\n"
        "  ctl: {linear: {x: [g], A: [[0]], x0: [%d]}}\n"
        "couplings: [signal: plant.g = ctl.g]\n";
    yoke_err err = { YOKE_OK, "" };
    char text[400];
    (void)state;

    write_file("sw.cir",
               "sw\n" SUPPLY "r2 o y 1k\nc1 y 0 1m\nvg g 0 0\ns1 in o g 0 m\n"
               "b1 x 0 v=v(y)\nrx x 0 1k\n"
               ".model m sw(vt=0.5 vh=0.1 ron=1 roff=1e12)\n.end\n");
    for (int on = 0; on <= 1; on++) {
        yoke_file *file = NULL;
        double v = NAN;
        snprintf(text, sizeof text, system, on);
        write_file("system.yaml", text);
        CHECK_OK(yoke_file_read(&file, in_scratch("system.yaml"), NULL, &err),
                 &err);
        yoke_run *run = run_file(file);
        CHECK_OK(yoke_run_value(run, "plant.v(x)", &v, &err), &err);
        CHECK_OK(yoke_run_close(run, NULL), NULL);
        yoke_file_free(file);
        check("input", v,
              on ? closed * (1.0 - exp(-3.0 / (1.0 + 1e-3 * 0.999))) : 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switches_see_every_jump_of_their_control),
        cmocka_unit_test(a_sawtooth_closes_and_opens),
        cmocka_unit_test(jumps_pass_through_chains),
        cmocka_unit_test(the_last_state_is_right_after_an_operating_point),
        cmocka_unit_test(at_the_start_switches_follow_their_controls),
        cmocka_unit_test(starts_pass_through_chains),
        cmocka_unit_test(at_the_start_switches_follow_inputs),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
