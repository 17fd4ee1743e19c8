/* comp/mechanism/refuse_test.c -- mechanisms and constraints that cannot
 * be, written in system files: what is wrong, and with which of them. */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"

typedef struct bad {
    const char *file;
    const char *message[3];
    const char *absent; /* a name that has nothing to do with it */
} bad;

/* Reads the file and starts the run; one of them must fail. */
static void check_bad(const bad *b)
{
    yoke_file *file = NULL;
    yoke_run *run = NULL;
    yoke_err err = { YOKE_OK, "" };
    yoke_status status = try_text(&file, b->file, NULL, &err);

    if (status == YOKE_OK)
        status = yoke_run_create(&run, yoke_file_model(file),
                                 yoke_file_run_options(file), NULL, &err);
    if (status >= 0) fail_msg("this was accepted: %s", b->file);
    for (int k = 0; k < 3 && b->message[k]; k++)
        CHECK_CONTAINS(err.text, b->message[k]);
    if (b->absent && strstr(err.text, b->absent))
        fail_msg("\"%s\" has nothing to do with it: %s", b->absent, err.text);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

#define CHECK_BAD(list)                                                        \
    do {                                                                       \
        for (size_t k = 0; k < sizeof(list) / sizeof *(list); k++)             \
            check_bad(&(list)[k]);                                             \
    } while (0)

/* ---- inside a mechanism -------------------------------------------------- */

#define MASSES(MASS, LIST, REST)                                               \
    "yoke: 1\nrun: {stop: 1}\nsubsystems:\n"                                   \
    "  m:\n"                                                                   \
    "    component: mechanism\n"                                               \
    "    masses: {a: {mass: " MASS "}, b: 2 kg, c: 3 kg}\n"                    \
    "    constraints:\n" LIST REST

#define ROD(NAME, EQUATION) "      - {name: " NAME ", equation: " EQUATION "}\n"

static void constraints_of_a_mechanism(void **state)
{
    static const bad list[] = {
        { MASSES("1",
                 ROD("ab", "a - b = 0") ROD("bc", "b - c = 0")
                     ROD("ac", "2*a - 2*c = 0"),
                 ""),
          { "f:4:3: subsystem \"m\"", "\"ab\", \"bc\" and \"ac\" are redundant",
            "leave one out" },
          NULL },
        { MASSES("1",
                 ROD("bc", "b - c = 0") ROD("ab", "a = b")
                     ROD("again", "3*a - 3*b = 0"),
                 ""),
          { "\"ab\" and \"again\" are redundant" },
          "\"bc\"" },
        { MASSES("1", ROD("near", "a - b = 0") ROD("far", "a - b = 0.5"), ""),
          { "\"near\" and \"far\" contradict each other", "differ by 0.5" },
          NULL },
        { MASSES("1", ROD("moves", "a - a = sin(time)"), ""),
          { "\"moves\" touches no coordinate" },
          NULL },
        { MASSES("0 kg", ROD("ab", "a - b = 0"), ""),
          { "the mass of coordinate \"a\" is 0" },
          "\"b\"" },
        { MASSES("-1 kg", ROD("ab", "a - b = 0"), ""),
          { "the mass of coordinate \"a\" is -1" },
          "\"b\"" },
        { MASSES("1", ROD("ab", "a - b = 0.3"), ""),
          { "the initial positions do not satisfy the constraint \"ab\"",
            "-0.3 instead of 0", "the nearest that do have a = 0.2, b = -0.1" },
          "c =" },
        { MASSES("1", ROD("ab", "a - b = 0.3*time"), ""),
          { "the initial velocities do not satisfy the constraint \"ab\"",
            "the nearest that do have a.v = 0.2, b.v = -0.1" },
          "c.v" },
    };
    (void)state;
    CHECK_BAD(list);
}

static void a_mechanism_is_assembled(void **state)
{
    yoke_file *file = parse(MASSES("1", ROD("ab", "a - b = 0.3 + 0.3*time"),
                                   "    assemble: 0.31\n"));
    const yoke_run_options *options = yoke_file_run_options(file);
    yoke_run *run = NULL;
    yoke_err err = { YOKE_OK, "" };
    (void)state;
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), options, NULL, &err),
             &err);
    CHECK_NEAR(value_of(run, "m.a"), 0.2, 1e-12);
    CHECK_NEAR(value_of(run, "m.b"), -0.1, 1e-12);
    CHECK_NEAR(value_of(run, "m.a.v"), 0.2, 1e-12);
    CHECK_NEAR(value_of(run, "m.drift.ab"), 0.0, 1e-12);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

/* ---- rigid bodies -------------------------------------------------------- */

#define BODIES(LOW, MASS, ANGLE, REST)                                         \
    "yoke: 1\nrun: {stop: 1}\nsubsystems:\n"                                   \
    "  m:\n"                                                                   \
    "    component: multibody\n"                                               \
    "    bodies:\n"                                                            \
    "      left: {mass: " MASS ", inertia: 0.1, position: [0, 0.5], "          \
    "angle: 90 deg}\n"                                                         \
    "      right: {mass: 1, inertia: 0.1, position: [2, 0.5], "                \
    "angle: " ANGLE "}\n"                                                      \
    "      high: {mass: 1, inertia: 0.1, position: [1, 1]}\n" LOW              \
    "    points:\n"                                                            \
    "      B: {on: ground, at: [2, 0]}\n"                                      \
    "      la: {on: left, at: [-0.5, 0]}\n"                                    \
    "      lt: {on: left, at: [0.5, 0]}\n"                                     \
    "      ra: {on: right, at: [-0.5, 0]}\n"                                   \
    "      rt: {on: right, at: [0.5, 0]}\n"                                    \
    "      hl: {on: high, at: [-1, 0]}\n"                                      \
    "      hr: {on: high, at: [1, 0]}\n" REST

#define FOUR_BAR                                                               \
    "      JA: {type: revolute, between: [ground, la]}\n"                      \
    "      JB: {type: revolute, between: [B, ra]}\n"                           \
    "      JE: {type: revolute, between: [lt, hl]}\n"                          \
    "      JF: {type: revolute, between: [rt, hr]}\n"

/* A parallel four-bar with a second coupler: its loop closes twice. */
#define TWO_COUPLERS                                                           \
    "      wl: {on: low, at: [-1, 0]}\n"                                       \
    "      wr: {on: low, at: [1, 0]}\n"                                        \
    "    joints:\n" FOUR_BAR                                                   \
    "      JC: {type: revolute, between: [left, wl]}\n"                        \
    "      JD: {type: revolute, between: [right, wr]}\n"

#define LOW "      low: {mass: 1, inertia: 0.1, position: [1, 0.5]}\n"

static void joints_of_bodies(void **state)
{
    static const bad list[] = {
        { BODIES(LOW, "1", "90 deg", TWO_COUPLERS),
          { "\"JA.x\", \"JB.x\", \"JE.x\", \"JF.x\", \"JC.x\" and \"JD.x\" are "
            "redundant",
            "leave one out" },
          ".y\"" },
        { BODIES("", "1", "90 deg",
                 "    joints:\n" FOUR_BAR
                 "      twice: {type: revolute, between: [ground, la]}\n"),
          { "\"JA.x\" and \"twice.x\" are redundant" },
          "\"JB" },
        { BODIES("", "1", "90 deg",
                 "    joints:\n" FOUR_BAR
                 "      one: {type: motor, between: [ground, left], angle: "
                 "90 deg}\n"
                 "      two: {type: motor, between: [ground, left], angle: "
                 "80 deg}\n"),
          { "\"one.angle\" and \"two.angle\" contradict each other",
            "differ by 0.1745" },
          "\"JA" },
        { BODIES("", "1", "80 deg", "    joints:\n" FOUR_BAR),
          { "joint \"JB\": its points", "apart at the start", "assemble" },
          "\"JE" },
        { BODIES("", "0", "90 deg", "    joints:\n" FOUR_BAR),
          { "\"left\"", "mass" },
          "\"right\"" },
    };
    (void)state;
    CHECK_BAD(list);
}

/* ---- between subsystems -------------------------------------------------- */

#define COUPLED(START, SPEED, GIVEN, REST)                                     \
    "yoke: 1\nrun: {stop: 1, given: " GIVEN "}\nsubsystems:\n"                 \
    "  a: {component: mechanism, masses: {x: {mass: 1, start: 1}, z: {mass: "  \
    "2, start: 1}}, springs: [{between: [x, z], stiffness: 3}], inputs: [x, "  \
    "z]}\n"                                                                    \
    "  b: {component: mechanism, masses: {x: {mass: 3, start: " START          \
    ", velocity: " SPEED "}}, inputs: [x]}\n"                                  \
    "couplings:\n"                                                             \
    "  - constraint: {name: j, " REST "}\n"

#define TWO(FORM, SECOND)                                                      \
    "equation: [a.x - b.x = 0, " SECOND "], multiplier: [l, m], form: " FORM   \
    ", enters: [a.x.force = -l - 2*m, b.x.force = l + 2*m, a.z.force = 0*l]"
#define ONE(FORM, ENTERS)                                                      \
    "equation: a.x - b.x = 0, multiplier: l, form: " FORM ", enters: [" ENTERS \
    "]"
#define BOTH "a.x.force = -l, b.x.force = l, a.z.force = 0*l"

static void constraints_between_mechanisms(void **state)
{
    static const bad list[] = {
        { COUPLED("1", "0", "false",
                  TWO("stabilised, eta: 10", "2*a.x - 2*b.x = 0")),
          { "\"j (equation 1)\" and \"j (equation 2)\" are redundant" },
          NULL },
        { COUPLED("1", "0", "true", TWO("velocity", "2*a.x - 2*b.x = 0")),
          { "\"j (equation 1)\" and \"j (equation 2)\" are redundant" },
          NULL },
        { COUPLED("1", "0", "true", TWO("position", "2*a.x - 2*b.x = 0")),
          { "\"j (equation 1)\" and \"j (equation 2)\" are redundant" },
          NULL },
        { COUPLED("1", "0", "false",
                  TWO("stabilised, eta: 10", "2*a.x - 2*b.x = 1")),
          { "\"j (equation 1)\" and \"j (equation 2)\" contradict each other",
            "differ by 1" },
          NULL },
        { COUPLED("1", "0", "false",
                  ONE("stabilised, eta: 10",
                      "a.x.force = 0*l, b.x.force = 0*l, a.z.force = l")),
          { "no multiplier acts at once on the constraint \"j\"",
            "two integrations" },
          NULL },
        { COUPLED("1", "0", "false",
                  "equation: [a.x = 1, b.x = 1], multiplier: [l, m], form: "
                  "stabilised, eta: 10, enters: [a.x.force = -l - m, "
                  "b.x.force = 0*l, a.z.force = 0*l]"),
          { "no multiplier acts on the constraint \"j (equation 2)\"" },
          "(equation 1)" },
        { COUPLED("2", "0", "false", ONE("stabilised, eta: 10", BOTH)),
          { "constraint \"j\": the positions at the start do not satisfy",
            "-1 instead of 0", "the nearest that do are a.x = 1.5, b.x = 1.5" },
          NULL },
        { COUPLED("1", "2", "false", ONE("stabilised, eta: 10", BOTH)),
          { "constraint \"j\": the velocities at the start do not satisfy",
            "the nearest that do are a.x.v = 1, b.x.v = 1" },
          NULL },
        { COUPLED("2", "0", "true", ONE("position", BOTH)),
          { "constraint \"j\": the positions at the start do not satisfy" },
          NULL },
        { COUPLED("1", "2", "true", ONE("velocity", BOTH)),
          { "constraint \"j\": the velocities at the start do not satisfy" },
          NULL },
        { COUPLED("1", "0", "false",
                  "equation: a.x - b.x = 0, multiplier: l, enters: []"),
          { "f:7:", "enters nowhere" },
          NULL },
    };
    (void)state;
    CHECK_BAD(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constraints_of_a_mechanism),
        cmocka_unit_test(a_mechanism_is_assembled),
        cmocka_unit_test(joints_of_bodies),
        cmocka_unit_test(constraints_between_mechanisms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
