/* file/refuse_test.c -- system files that are wrong: each message says
 * where, what, and what to do. */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"

#include <sys/stat.h>

#define HEAD "yoke: 1\nsubsystems:\n" /* then line 3 */
#define ONE  HEAD "  a: {linear: {A: -1, B: 1}}\n"
#define TWO                                                                    \
    ONE "  b: {linear: {A: [[-1, 0], [0, -2]], B: [1, 1], H: [1, 1]}}\n"       \
        "couplings:\n" /* then line 6 */
#define PORTS                                                                  \
    HEAD "  r: {linear: {D: 3, u: p.i, y: p.v}}\n"                             \
         "  c: {linear: {A: 0, B: 1, H: 1, u: p.i, y: p.v}}\n"                 \
         "couplings:\n" /* then line 6 */

static void the_top_of_the_file(void **state)
{
    (void)state;
    refused("", "f:1:1: ", "empty");
    refused("hello", "f:1:1: ", "begins with its version");
    refused("[1, 2]", "f:1:1: ", "begins with its version");
    refused("name: x", "f:1:1: ", "yoke: 1");
    refused("yoke: 2", "f:1:7: ", "version 1");
    refused("yoke: {}", "f:1:7: ", "version 1");
    refused("yoke: 1", "f:1:1: ", "needs \"subsystems\"");
    refused("yoke: 1\nsubsystem: {}", "f:2:1: ", "did you mean \"subsystems\"");
    refused("yoke: 1\nelephants: 3", "f:2:1: ", "there are: yoke, name");
    refused("yoke: 1\nname: [x]\n",
            "f:2:7: ", "a text is expected for \"name\"");
    refused("yoke: 1\nsubsystems: [a]", "f:2:13: ", "a map");
    refused("yoke: 1\nsubsystems: {}", "f:2:13: ", "no subsystem");
    refused("yoke: 1\nsubsystems:\n", "f:2:12: ", "not nothing");
    refused(ONE "couplings: {a: b}", "f:4:12: ", "a list");
    refused(ONE "run: [a]", "f:4:6: ", "a map");
}

static void options_of_the_run(void **state)
{
    (void)state;
    refused("yoke: 1\nrun: {stopp: 1}", "f:2:7: ", "did you mean \"stop\"");
    refused("yoke: 1\nrun: {elephant: 1}", "f:2:7: ", "no option");
    refused("yoke: 1\nrun: {stop: 10 sec}", "f:2:16: ", "did you mean \"s\"");
    refused("yoke: 1\nrun: {stop: auto}", "f:2:13: ", "neither a number");
    refused("yoke: 1\nrun: {stop: }", "f:2:13: ", "not nothing");
    refused("yoke: 1\nrun: {rtol: 3}", "f:2:13: ", "between 0 and 1");
    refused("yoke: 1\nrun: {max_sweeps: 1.5}", "f:2:19: ", "whole number");
    refused("yoke: 1\nrun: {scheme: gauss}", "f:2:15: ", "gauss-seidel");
    refused("yoke: 1\nrun: {skip: maybe}", "f:2:13: ", "true nor false");
    refused("yoke: 1\nrun: {order: [a, [b]]}", "f:2:18: ", "a text");
    refused("yoke: 1\noutput: {evry: 1}", "f:2:10: ", "did you mean \"every\"");
    refused("yoke: 1\noutput: {every: -1}", "f:2:17: ", "between 0");
    refused("yoke: 1\noutput: {every: [1, 2]}", "f:2:17: ", "at most 1");
    refused("yoke: 1\nrun: {step: 1 ms}\nsubsystems:\n"
            "  a: {linear: {A: -1}, steps: 4}",
            "f:4:31: ", "\"step\" of run in line 2 replaces");
    refused("yoke: 1\nrun: {every: 1}\noutput: {every: 2}",
            "f:3:17: ", "in line 2 are the same");
}

static void long_texts_of_options(void **state)
{
    char text[3000];
    (void)state;
    snprintf(text, sizeof text, "yoke: 1\nrun: {stepper: %01000d}", 0);
    refused(text, "f:2:16: ", "at most 31");
}

static void subsystems(void **state)
{
    (void)state;
    refused(HEAD "  a: 3",
            "f:3:6: ", "a map {key: value} is expected for \"a\"");
    refused(HEAD "  a: {}", "f:3:3: ", "needs one of: model");
    refused(HEAD "  a: {modell: x.mo}", "f:3:7: ", "did you mean \"model\"");
    refused(HEAD "  a: {model: x.mo, linear: {}}", "f:3:28: ", "both");
    refused(HEAD "  2a: {linear: {A: 1}}", "f:3:3: ", "not a name");
    refused(HEAD "  run: {linear: {A: 1}}", "f:3:3: ", "not a name");
    refused(HEAD "  a b: {linear: {A: 1}}", "f:3:3: ", "not a name");
    refused(HEAD "  a.2b: {linear: {A: 1}}", "f:3:3: ", "not a name");
    refused(HEAD "  a: {linear: {A: 1}}\n  a.b: {linear: {A: 1}}",
            "f:4:3: ", "could mean either");
    refused(HEAD "  a: {linear: {A: 1}, class: B}",
            "f:3:30: ", "\"model\" only");
    refused(HEAD "  a: {linear: {A: 1}, stepper: rk5}", "f:3:32: ", "rk4");
    refused(HEAD "  a: {linear: {A: 1}, step: 1 kk}",
            "f:3:31: ", "unit \"kk\"");
    refused(HEAD "  a: {linear: {A: 1}, step: [1]}", "f:3:29: ", "a number");
    refused(HEAD "  a: {linear: {A: 1}, steps: -1}", "f:3:30: ", "between");
    refused(ONE "  a: {linear: {A: 1}}", "f:4:3: ", "in line 3 already");
}

static void parameters(void **state)
{
    (void)state;
    refused(HEAD "  a: {linear: {A: k}, parameters: 3}", "f:3:35: ", "a map");
    refused(HEAD "  a: {linear: {A: k}, parameters: {k: }}",
            "f:3:39: ", "a text");
    refused(HEAD "  a: {linear: {A: k}, parameters: {k: {}}}",
            "f:3:39: ", "a text is expected");
    refused(HEAD "  a: {linear: {A: k}, parameters: {k: 2*q}}",
            "f:3:41: ", "\"q\" is neither");
    refused(HEAD "  a: {linear: {A: k}, parameters: {k: 1/0}}",
            "f:3:39: ", "not a finite");
    refused(HEAD "  a: {linear: {A: k}, parameters: {k: [1, 2 Q]}}",
            "f:3:45: ", "unit \"Q\"");
    refused(HEAD "  a: {linear: {A: k}}", "f:3:19: ", "\"k\" is neither");
    refused(HEAD "  a: {linear: {A: time}}", "f:3:23: ", "not a constant");
}

static void linear_subsystems(void **state)
{
    (void)state;
    refused(HEAD "  a: {linear: 3}", "f:3:15: ", "a map");
    refused(HEAD "  a: {linear: {}}", "f:3:15: ", "needs the matrix A");
    refused(HEAD "  a: {linear: {C: 1}}", "f:3:16: ", "there are: A, B");
    refused(HEAD "  a: {linear: {A: [[1, 2]]}}", "f:3:19: ", "2 states");
    refused(HEAD "  a: {linear: {A: [[1, 2], [3]]}}", "f:3:28: ", "1 numbers");
    refused(HEAD "  a: {linear: {A: [[1], 2]}}", "f:3:25: ", "a list");
    refused(HEAD "  a: {linear: {A: {}}}", "f:3:19: ", "a list");
    refused(HEAD "  a: {linear: {A: [[1, 2], [3, []]]}}",
            "f:3:32: ", "a number");
    refused(HEAD "  a: {linear: {A: 1, B: [1, 2]}}",
            "f:3:25: ", "\"B\" is for 2 states, but \"A\" is for 1");
    refused(HEAD "  a: {linear: {A: 1, x0: [1, 2]}}", "f:3:26: ", "2 states");
    refused(HEAD "  a: {linear: {A: 1, x0: {}}}", "f:3:26: ", "a list");
    refused(HEAD "  a: {linear: {A: 1, x: [x, y]}}", "f:3:25: ", "2 states");
    refused(HEAD "  a: {linear: {A: 1, y: y}}",
            "f:3:25: ", "without \"H\" and \"D\"");
    refused(HEAD "  a: {linear: {A: 1, source: [1, 2]}}",
            "f:3:30: ", "2 states");
    refused(HEAD "  a: {linear: {A: 1, source: 2 + }}",
            "f:3:33: ", "too early");
    refused(HEAD "  a: {linear: {A: 1, source: 2 q}}", "f:3:32: ", "operator");
    refused(HEAD "  a: {linear: {A: 1, source: q}}",
            "f:3:30: ", "neither the time nor a parameter");
}

static void signals(void **state)
{
    (void)state;
    refused(TWO "  - signal: a.u1", "f:6:17: ", "\"=\" is expected");
    refused(TWO "  - signal: 2*a.u1 = b.y1",
            "f:6:13: ", "an input is expected");
    refused(TWO "  - signal: a.u1 = b.y1 + 1/0",
            "f:6:20: ", "the constant term is inf");
    refused(TWO "  - {signal: a.u1 = b.y1, units: maybe}",
            "f:6:34: ", "can only be \"ignore\"");
    refused(TWO "  - units: ignore", "f:6:12: ", "is for a signal");
    refused(TWO "  - signal: a.u1 = b.y1/0", "f:6:20: ", "divided by zero");
    refused(TWO "  - signal: a.u1 = b.y1 b.y1", "f:6:25: ", "operator");
    refused(TWO "  - signal: a.u1 = b.y2", "f:6:13: ", "no output \"y2\"");
    refused(TWO "  - signal: a.q = b.y1", "f:6:13: ", "no input \"q\"");
    refused(TWO "  - signal: c.u = b.y1", "f:6:13: ", "no subsystem \"c\"");
    refused(TWO "  - signal: 'a.u1 = b.y1; u = 2'",
            "f:6:27: ", "does not have the form");
    refused(TWO "  - signal: a.u1 = b.y1\n  - signal: a.u1 = b.y1",
            "f:7:13: ", "in line 6 already");
    refused(TWO "  - signal: [a.u1 = b.y1, {}]", "f:6:27: ", "a text");
    refused(TWO "  - signal:", "f:6:12: ", "not nothing");
    refused(TWO "  - signl: a", "f:6:5: ", "did you mean \"signal\"");
    refused(TWO "  - a.u1 = b.y1",
            "f:6:5: ", "a coupling says its kind: write");
    refused(TWO "  - {signal: a.u1 = b.y1, connect: [a, b]}",
            "f:6:5: ", "exactly one");
    refused(TWO "  - {}", "f:6:5: ", "exactly one");
    refused(TWO "  - {signal: a.u1 = max(b.y1, 2)}",
            "f:6:31: ", "needs quotes");
}

#define CONSTRAINT(REST) TWO "  - constraint: {" REST "}"

static void constraints(void **state)
{
    (void)state;
    refused(TWO "  - constraint: a.x1 = 0", "f:6:17: ", "a map");
    refused(CONSTRAINT("equatoin: a.x1 = 0"),
            "f:6:18: ", "did you mean \"equation\"");
    refused(CONSTRAINT("name: j"), "f:6:17: ", "needs \"equation\"");
    refused(CONSTRAINT("equation: []"), "f:6:28: ", "no equation");
    refused(CONSTRAINT("equation: a.x1 = 0"), "f:6:17: ", "\"multiplier\"");
    refused(CONSTRAINT("equation: a.x1"), "f:6:32: ", "\"=\" is expected");
    refused(CONSTRAINT("equation: a.x1 = 0 0"), "f:6:37: ", "operator");
    refused(CONSTRAINT("equation: 1 = 0"), "f:6:28: ", "no output");
    refused(CONSTRAINT("equation: a.x1 = z"), "f:6:35: ", "\"z\" in the");
    refused(CONSTRAINT("equation: a.x1/0 = 1"), "f:6:28: ", "by zero");
    refused(CONSTRAINT("equation: a.x1 = 0, multiplier: [p, q]"),
            "f:6:50: ", "2 multipliers for 1");
    refused(CONSTRAINT("equation: a.x1 = 0, multiplier: p.q"),
            "f:6:50: ", "not a name for a multiplier");
    refused(CONSTRAINT("equation: a.x1 = 0, multiplier: p"),
            "f:6:17: ", "needs \"enters\"");
    refused(CONSTRAINT("equation: a.x1 = 0, multiplier: p, enters: []"),
            "f:6:50: ", "enters nowhere");
    refused(CONSTRAINT("equation: a.x1 = 0, multiplier: p, enters: a.u1 = q"),
            "f:6:61: ", "\"q\" is not the multiplier");
    refused(CONSTRAINT("equation: a.x1 = 0, multiplier: p, enters: a.u1 = p^2"),
            "f:6:68: ", "not linear in the multiplier");
    refused(CONSTRAINT("equation: a.x1 = 0, multiplier: p, "
                       "enters: a.u1 = -b.x1*p"),
            "f:6:68: ", "cannot contain \"b.x1\"; let the multiplier enter");
    refused(CONSTRAINT("equation: a.x1 = 0, multiplier: p, "
                       "enters: a.u1 = log(b.x1)*p"),
            "f:6:68: ", "in the model that has the input \"a.u1\"");
    refused(CONSTRAINT("equation: a.x1 = 0, multiplier: p, "
                       "enters: a.u1 = sin(time)*p"),
            "f:6:68: ", "contains the time");
    refused(CONSTRAINT("equation: a.x1 = 0, multiplier: p, "
                       "enters: a.u1 = p + b.x1"),
            "f:6:61: ", "\"b.x1\" is not the multiplier");
    refused(CONSTRAINT("equation: [a.x1 = 0, b.x1 = 0], multiplier: [p, p]"),
            "f:6:66: ", "two multipliers \"p\"");
    refused(CONSTRAINT("equation: a.x1 = 0, multiplier: p, enters: a.u9 = p"),
            "f:6:61: ", "no input \"u9\"");
    refused(CONSTRAINT("equation: a.x9 = 0, multiplier: p, enters: a.u1 = p"),
            "f:6:28: ", "no output \"x9\"");
    refused(CONSTRAINT("equation: a.x1 = 0, multiplier: p, enters: a.u1 = p, "
                       "owner: z"),
            "f:6:78: ", "no subsystem \"z\"");
    refused(CONSTRAINT("equation: a.x1 = 0, multiplier: p, enters: a.u1 = p, "
                       "name: a"),
            "f:6:28: ", "two subsystems named \"a\"");
    refused(CONSTRAINT("name: 2, equation: a.x1 = 0"),
            "f:6:24: ", "not a name");
    refused(CONSTRAINT("equation: a.x1 = 0, multiplier: p, start: [1, 2]"),
            "f:6:60: ", "2 start values");
    refused(CONSTRAINT("equation: a.x1 = 0, multiplier: p, start: q"),
            "f:6:60: ", "neither a number");
}

/* 3200 equations of as many outputs: 10,240,000 weights. */
static void constraints_beyond_measure(void **state)
{
    enum { COUNT = 3200 };
    char *text = malloc(COUNT * 16 + 1000);
    size_t used = (size_t)sprintf(text, TWO "  - constraint: {equation: [");
    (void)state;
    for (int i = 0; i < COUNT; i++)
        used += (size_t)sprintf(text + used, "a.x%d = 0, ", i);
    sprintf(text + used, "], multiplier: p}");
    refused(text, "f:6:17: ", "write several");
    free(text);
}

static void connected_ports(void **state)
{
    (void)state;
    refused(PORTS "  - connect: r.p", "f:6:14: ", "a list");
    refused(PORTS "  - connect: [r.p]", "f:6:14: ", "2 to 1000 ports");
    refused(PORTS "  - connect: [r.p, r.p]", "f:6:20: ", "occurs twice");
    refused(PORTS "  - connect: [r.p, c.q]",
            "f:6:20: ", "0 and 0 named \"q.*\"");
    refused(PORTS "  - connect: [r.p, z.q]", "f:6:20: ", "no subsystem \"z\"");
    refused(PORTS "  - connect: [r.p, c]", "f:6:20: ", "subsystem.port");
    refused(PORTS "  - connect: {ports: [r.p, c.p], owner: z}",
            "f:6:41: ", "no subsystem \"z\"");
    refused(PORTS "  - connect: {owner: z}",
            "f:6:14: ", "\"ports\" is missing");
    refused(PORTS "  - connect: {port: z}",
            "f:6:15: ", "did you mean \"ports\"");
}

/* ---- settings ------------------------------------------------------------ */

static void bad_setting(const char *name, const char *value, const char *place,
                        const char *message)
{
    const yoke_setting setting = { name, value };
    const yoke_file_options options = { .settings = 1, .setting = &setting };

    refused_with(TWO_MASSES, &options, place, message);
}

static void settings(void **state)
{
    (void)state;
    bad_setting("lft.m", "3", "--set lft.m=3: ", "did you mean \"left\"");
    bad_setting("elephant.m", "3", "--set elephant.m=3: ", "\"elephant\"");
    bad_setting("left", "3", "--set left=3: ", "subsystem.parameter=value");
    bad_setting("left.k1", "3", "--set left.k1=3: ", "there are: m, k, c, x0");
    bad_setting("left.m", "3 kk", "--set left.m=3 kk: ", "unit \"kk\"");
    bad_setting("run.rtoll", "3",
                "--set run.rtoll=3: ", "did you mean \"rtol\"");
    bad_setting("run.rtol", "3", "--set run.rtol=3: ", "between 0 and 1");
}

/* ---- files --------------------------------------------------------------- */

static void refused_file(const char *name, const char *message)
{
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    char place[400];

    snprintf(place, sizeof place, "%s:", in_scratch(name));
    const yoke_status status =
        yoke_file_read(&file, in_scratch(name), NULL, &err);
    assert_true(status < 0);
    assert_null(file);
    CHECK_CONTAINS(err.text, message);
    assert_memory_equal(err.text, place, strlen(place));
}

static void missing_files(void **state)
{
    (void)state;
    refused_file("missing.yoke", "No such file");
    refused_file(".", "is a folder");
    refused(HEAD "  a: {model: missing.mo}", "f:3:14: ", "No such file");
    refused(HEAD "  a: {model: missing.yoke}", "f:3:14: ", "ends in .mo");
    refused(HEAD "  a: {system: missing.yoke}", "f:3:15: ", "No such file");
    refused(HEAD "  a: {system: /}", "f:3:15: ", "is a folder");
    refused(HEAD "  a: {system: /dev/zero}", "f:3:15: ", "not a regular file");
    refused(HEAD "  a: {system: [a]}", "f:3:15: ", "a text");
    refused(HEAD "  a: {model: x.mo, class: [a]}", "f:3:27: ", "a text");
    refused(HEAD "  a: {model: x.mo, parameters: {m: 2 q}}",
            "f:3:38: ", "\"q\"");
}

static void huge_files(void **state)
{
    FILE *file = fopen(in_scratch("huge.yoke"), "wb");
    (void)state;
    assert_non_null(file);
    assert_int_equal(fseek(file, 20L << 20, SEEK_SET), 0);
    fputc('x', file);
    assert_int_equal(fclose(file), 0);
    refused_file("huge.yoke", "16 MiB");
}

static void circles_of_included_files(void **state)
{
    (void)state;
    write_file("self.yoke", HEAD "  a: {system: self.yoke}\n");
    refused_file("self.yoke", "3:15: ");
    refused_file("self.yoke", "includes itself");
    write_file("one.yoke", HEAD "  a: {system: two.yoke}\n");
    write_file("two.yoke", HEAD "  a: {system: ./one.yoke}\n");
    refused_file("one.yoke", "includes itself by way of");
}

/* Each level holds the next ten times: refused before it fills the memory. */
static void towers_of_included_files(void **state)
{
    char text[1000], name[40];
    (void)state;
    for (int level = 0; level < 8; level++) {
        size_t used = (size_t)snprintf(text, sizeof text, HEAD);
        for (int i = 0; i < 10; i++)
            used +=
                (size_t)snprintf(text + used, sizeof text - used,
                                 "  s%d: {system: l%d.yoke}\n", i, level + 1);
        snprintf(name, sizeof name, "l%d.yoke", level);
        write_file(name, text);
    }
    write_file("l8.yoke", HEAD "  a: {linear: {A: 1}}\n");
    refused_file("l0.yoke", "more than 1000 systems");
}

static void chains_of_included_files(void **state)
{
    char text[200], name[40];
    (void)state;
    for (int level = 0; level < 30; level++) {
        snprintf(text, sizeof text, HEAD "  s: {system: k%d.yoke}\n",
                 level + 1);
        snprintf(name, sizeof name, "k%d.yoke", level);
        write_file(name, text);
    }
    refused_file("k0.yoke", "more than 20 deep");
}

static void control_characters_stay_out_of_messages(void **state)
{
    (void)state;
    refused("yoke: 1\n\"a\\e[31m\\nb\": 1\n", "f:2:1: ", "\"a?[31m?b\"");
}

/* ---- memory -------------------------------------------------------------- */

static void every_request_fails_once(const char *text)
{
    static const yoke_setting setting[] = { { "r.k", "3" },
                                            { "run.stop", "2" } };
    const yoke_file_options options = { .settings = 2, .setting = setting };

    for (long n = 1;; n++) {
        yoke_file *file = NULL;
        yoke_err err = { YOKE_OK, "" };
        fault_allocator(n);
        const yoke_status status = try_text(&file, text, &options, &err);
        const bool reached = fault_requests() >= n;
        yoke_file_free(file);
        const long blocks = fault_blocks();
        fault_restore();
        if (blocks != 0) print_error("request %ld: %ld blocks\n", n, blocks);
        assert_int_equal(blocks, 0);
        if (!reached) {
            CHECK_OK(status, &err);
            break;
        }
        if (status != YOKE_E_MEMORY) print_error("request %ld\n", n);
        CHECK_STATUS(status, YOKE_E_MEMORY, &err);
        CHECK_CONTAINS(err.text, "out of memory");
    }
}

static void failed_allocations_leak_nothing(void **state)
{
    char text[2000];
    (void)state;
    write_file("inner.yoke", HEAD "  r: {linear: {A: -1, B: [[1, 1]], x0: k}, "
                                  "parameters: {k: 1}}\n"
                                  "couplings: [signal: r.u1 = r.x1]\n");
    snprintf(text, sizeof text,
             "yoke: 1\n"
             "name: all of it\n"
             "run: {stop: 1, order: [r, c, i]}\n"
             "subsystems:\n"
             "  r: {linear: {D: k, u: p.i, y: p.v}, parameters: "
             "{k: 2, l: [1, 2]}}\n"
             "  c: {linear: {A: 0, B: [[1, 1]], H: 1, source: k*time, x0: 1, "
             "u: [p.i, f], y: p.v}, parameters: {k: 2}}\n"
             "  i: {system: %s, parameters: {r.k: 3}}\n"
             "couplings:\n"
             "  - connect: [r.p, c.p]\n"
             "  - signal: i.r.u2 = 2*c.p.v - i.r.x1\n"
             "  - constraint: {equation: sin(c.p.v) = i.r.x1, multiplier: m, "
             "enters: c.f = m}\n"
             "  - constraint: {equation: c.p.v = i.r.x1 + time, multiplier: m, "
             "start: 1, enters: c.f = m}\n"
             "output: {every: 1, variables: [r.*], file: x.csv}\n",
             in_scratch("inner.yoke"));
    every_request_fails_once(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_top_of_the_file),
        cmocka_unit_test(options_of_the_run),
        cmocka_unit_test(long_texts_of_options),
        cmocka_unit_test(subsystems),
        cmocka_unit_test(parameters),
        cmocka_unit_test(linear_subsystems),
        cmocka_unit_test(signals),
        cmocka_unit_test(constraints),
        cmocka_unit_test(constraints_beyond_measure),
        cmocka_unit_test(connected_ports),
        cmocka_unit_test(settings),
        cmocka_unit_test(missing_files),
        cmocka_unit_test(huge_files),
        cmocka_unit_test(circles_of_included_files),
        cmocka_unit_test(towers_of_included_files),
        cmocka_unit_test(chains_of_included_files),
        cmocka_unit_test(control_characters_stay_out_of_messages),
        cmocka_unit_test(failed_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
