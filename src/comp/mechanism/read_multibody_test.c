/* comp/mechanism/read_multibody_test.c -- rigid bodies in system files. */
#define _XOPEN_SOURCE 700
#include "file/file_fixture.h"

#define HEAD "yoke: 1\nrun: {stop: 1, window: 0.1, rtol: 1e-8}\nsubsystems:\n"

/* A wheel of 1/2 kg m^2 on a shaft: torque 3 + 2 cos(2t) and the parameter, a
 * torsional spring and damper: th'' = -8 th - 0.4 th' + 2 (3 + 2 cos 2t). */
static void torques_and_torsion_are_what_their_matrices_are(void **state)
{
    yoke_file *file =
        parse(HEAD "  w:\n"
                   "    component: multibody\n"
                   "    parameters: {f: 2}\n"
                   "    bodies: {wheel: {mass: 2 kg, inertia: 0.5, angle: 30 "
                   "deg, rate: 1 rad/s}}\n"
                   "    joints: {shaft: {type: revolute, between: [ground, "
                   "wheel]}}\n"
                   "    torsion: [{between: [ground, wheel], stiffness: 4, "
                   "damping: 0.2}]\n"
                   "    forces: [{on: wheel, torque: 3 + f*cos(f*time)}]\n"
                   "  l:\n"
                   "    linear: {A: [[0, 1], [-8, -0.4]], x0: [pi/6, 1], "
                   "source: [0, 6 + 4*cos(2*time)]}\n");
    (void)state;
    yoke_run *run = run_file(file);
    CHECK_NEAR(value_of(run, "w.wheel.angle"), value_of(run, "l.x1"), 1e-6);
    CHECK_NEAR(value_of(run, "w.wheel.angle.v"), value_of(run, "l.x2"), 1e-6);
    CHECK_NEAR(value_of(run, "w.energy.total"),
               2.0 * pow(value_of(run, "l.x1"), 2) +
                   0.25 * pow(value_of(run, "l.x2"), 2),
               1e-5);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

/* A block on a tilted guide, pulled by a spring to a post on the axis and by
 * gravity; the guide carries what is across.  Along the axis s'' = -9 s - g/2
 * with s(0) = 0.2, s = (0.2 + g/18) cos 3t - g/18. */
static void block_on_a_guide(void **state)
{
    yoke_file *file =
        parse(HEAD "  b:\n"
                   "    component: multibody\n"
                   "    gravity: [0, -9.81 m/s^2]\n"
                   "    bodies: {block: {mass: 1, inertia: 0.1, angle: 30 deg, "
                   "position: [0.2*cos(pi/6), 0.2*sin(pi/6)]}}\n"
                   "    points:\n"
                   "      post: {on: ground, at: [-2*cos(pi/6), -1]}\n"
                   "    joints: {guide: {type: translational, axis: "
                   "[cos(pi/6), 0.5], between: [ground, block]}}\n"
                   "    springs: [{between: [post, block], stiffness: 9, "
                   "length: 2 m}]\n");
    const double s = (0.2 + 9.81 / 18.0) * cos(3.0) - 9.81 / 18.0;
    (void)state;
    yoke_run *run = run_file(file);
    CHECK_NEAR(value_of(run, "b.block.x"), s * sqrt(0.75), 1e-6);
    CHECK_NEAR(value_of(run, "b.block.y"), s * 0.5, 1e-6);
    CHECK_NEAR(value_of(run, "b.guide.force"), 9.81 * sqrt(0.75), 1e-6);
    CHECK_NEAR(value_of(run, "b.guide.torque"), 0.0, 1e-8);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

/* A motor that starts at another time than zero, a weld, an input. */
static void motors_welds_and_inputs(void **state)
{
    yoke_file *file =
        parse("yoke: 1\nrun: {start: 1, stop: 2, window: 0.1, rtol: 1e-8}\n"
              "subsystems:\n"
              "  m:\n"
              "    component: multibody\n"
              "    bodies:\n"
              "      arm: {mass: 1, inertia: 1, position: [1, 0], angle: 0.5}\n"
              "      tool: {mass: 2, inertia: 1, position: [2, 0]}\n"
              "    points:\n"
              "      o: {on: arm, at: [-cos(0.5), sin(0.5)]}\n"
              "      e: {on: arm, at: [cos(0.5), -sin(0.5)]}\n"
              "    joints:\n"
              "      shaft: {type: revolute, between: [ground, o]}\n"
              "      drive: {type: motor, between: [ground, arm], "
              "angle: time^2/2}\n"
              "      flange: {type: weld, between: [e, tool]}\n"
              "    inputs: [tool, arm.torque]\n"
              "  f: {linear: {A: 0, x0: 3}}\n"
              "couplings:\n"
              "  - signal: m.tool.fx = 0*f.x1\n"
              "  - signal: m.tool.fy = 0*f.x1\n"
              "  - signal: m.arm.torque = 2*f.x1\n");
    (void)state;
    yoke_run *run = run_file(file);
    /* The arm of inertia 1 + 1 + 1 + 2*4 is accelerated by 1. */
    CHECK_NEAR(value_of(run, "m.arm.angle"), 2.0, 1e-8);
    CHECK_NEAR(value_of(run, "m.tool.angle"), 1.5, 1e-8);
    CHECK_NEAR(value_of(run, "m.tool.x"), 2.0 * cos(1.5), 1e-7);
    CHECK_NEAR(value_of(run, "m.tool.angle.v"), 2.0, 1e-7);
    CHECK_NEAR(value_of(run, "m.drive.torque"), 11.0 - 6.0, 1e-5);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
}

/* ---- refusals ------------------------------------------------------------ */

#define BODY "  m: {component: multibody, bodies: {a: {mass: 1, inertia: 1}}"

static void refusals_name_the_place(void **state)
{
    (void)state;
    refused(HEAD "  m: {component: multibody}\n",
            "f:4:", "\"bodies\" is missing in \"m\"");
    refused(HEAD "  m: {component: multibody, bodies: {a: {mass: 1}}}\n",
            "f:4:", "\"inertia\" is missing in \"a\"");
    refused(HEAD "  m: {component: multibody, bodies: {a: {mass: 0, inertia: "
                 "1}}}\n",
            "f:4:3: ", "body \"a\" has the mass 0 kg");
    refused(HEAD "  m: {component: multibody, bodies: {energy: {mass: 1, "
                 "inertia: 1}}}\n",
            "f:4:38: ", "\"energy\" is not a name here");
    refused(HEAD BODY ", points: {a: {on: a}}}\n",
            "f:4:", "\"a\" is in \"points\" already");
    refused(HEAD BODY ", points: {p: {on: b}}}\n",
            "f:4:", "there is no \"b\" in \"bodies\"");
    refused(HEAD BODY ", points: {p: {on: a, at: 3}}}\n", "f:4:", "list");
    refused(HEAD BODY ", points: {p: {on: a, at: [1, 2, 3]}}}\n",
            "f:4:", "\"at\" has two numbers, not 3");
    refused(HEAD BODY ", points: {pin: {on: a}}, joints: {j: {type: revolute, "
                      "between: [ground, pim]}}}\n",
            "f:4:", "there is no point or body \"pim\"; did you mean \"pin\"?");
    refused(HEAD BODY ", joints: {j: {type: ball, between: [ground, a]}}}\n",
            "f:4:", "there is no type of joint \"ball\"");
    refused(HEAD BODY ", joints: {j: {type: revolute, between: [ground]}}}\n",
            "f:4:", "\"between\" names two, not 1");
    refused(HEAD BODY ", joints: {j: {type: revolute, between: [ground, a], "
                      "axis: [1, 0]}}}\n",
            "f:4:", "there is no key \"axis\" here");
    refused(HEAD BODY ", joints: {j: {type: translational, between: [ground, "
                      "a]}}}\n",
            "f:4:", "\"axis\" is missing in \"j\"");
    refused(HEAD BODY ", joints: {j: {type: translational, between: [ground, "
                      "a], axis: [0, 0]}}}\n",
            "f:4:3: ", "joint \"j\": its axis (0, 0) has no direction");
    refused(HEAD BODY ", joints: {j: {type: translational, between: [ground, "
                      "a], axis: [1, 0], rotation: maybe}}}\n",
            "f:4:", "\"rotation\" is free or fixed, not \"maybe\"");
    refused(HEAD BODY ", joints: {j: {type: motor, between: [ground, a]}}}\n",
            "f:4:", "\"angle\" is missing in \"j\"");
    refused(HEAD BODY ", joints: {j: {type: motor, between: [ground, a], "
                      "angle: q*time}}}\n",
            "f:4:",
            "\"q\" in an angle is neither a number nor the time nor a "
            "parameter");
    refused(HEAD BODY ", joints: {j: {type: motor, between: [ground, a], "
                      "angle: 1 + time}}}\n",
            "f:4:3: ",
            "joint \"j\": the angle of \"a\" against \"ground\" is "
            "wrong by 1 rad at the start");
    refused(HEAD BODY ", joints: {j: {type: weld, between: [ground, a]}, "
                      "k: {type: revolute, between: [a, ground]}}}\n",
            "f:4:3: ", "the constraints \"j.x\" and \"k.x\" are redundant");
}

static void refusals_of_forces(void **state)
{
    (void)state;
    refused(HEAD BODY ", springs: [{between: [ground, a], stiffness: -1}]}\n",
            "f:4:", "stiffness -1 and damping 0 must not be negative");
    refused(HEAD BODY ", springs: [{between: [ground, a], stiffness: 1, "
                      "length: 1}]}\n",
            "f:4:3: ",
            "the ends \"ground\" and \"a\" of a spring are at the "
            "same place");
    refused(HEAD BODY ", torsion: [{between: [a, a], stiffness: 1}]}\n",
            "f:4:", "both ends of the spring are the same");
    refused(HEAD BODY ", forces: [{at: ground, force: [1, 2]}]}\n",
            "f:4:", "\"ground\" is on the ground: no force moves it");
    refused(HEAD BODY ", forces: [{at: a, force: [1, 2, 3]}]}\n",
            "f:4:", "\"force\" has two numbers, not 3");
    refused(HEAD BODY ", forces: [{at: a, torque: 3}]}\n",
            "f:4:", "there is no key \"at\" here");
    refused(HEAD BODY ", inputs: [a, a]}\n", "f:4:", "\"a\" is there twice");
    refused(HEAD BODY ", points: {p: {on: a}}, inputs: [p.torque]}\n",
            "f:4:", "there is no \"p\" in \"bodies\"");
    refused(HEAD BODY ", inputs: [b]}\n",
            "f:4:", "there is no point or body \"b\"");
    refused(HEAD BODY ", assemble: -1 mm}\n",
            "f:4:3: ", "assemble is -0.001 m");
    refused(HEAD BODY ", formulation: index3}\n",
            "f:4:", "there is no formulation \"index3\"");
}

/* A joint open by 5 cm: closed, or refused. */
static void assembling_closes_small_gaps(void **state)
{
#define OPEN                                                                   \
    ", points: {p: {on: a, at: [-3 cm, 4 cm]}}, joints: {j: {type: revolute, " \
    "between: [ground, p]}}"
    yoke_file *file = parse(HEAD BODY OPEN ", assemble: 10 cm}\n");
    (void)state;
    yoke_run *run = run_file(file);
    CHECK_NEAR(value_of(run, "m.p.x"), 0.0, 1e-12);
    CHECK_NEAR(value_of(run, "m.p.y"), 0.0, 1e-12);
    yoke_run_close(run, NULL);
    yoke_file_free(file);
    refused(HEAD BODY OPEN "}\n", "f:4:3: ",
            "joint \"j\": its points \"ground\" and \"p\" are 0.05 m "
            "apart at the start");
#undef OPEN
}

/* Every allocation fails once; nothing is left behind. */
static void allocation_failures_leave_nothing(void **state)
{
    static const char text[] = HEAD BODY
        ", points: {p: {on: a}, q: {on: ground, at: [1, 0]}},"
        " joints: {j: {type: motor, between: [ground, a], angle: time}},"
        " springs: [{between: [p, q], stiffness: 1}],"
        " torsion: [{between: [ground, a], stiffness: 1}],"
        " forces: [{at: p, force: [time, 1]}], inputs: [p, a.torque]}\n";
    yoke_status status = YOKE_E_MEMORY;
    yoke_err err;
    (void)state;
    for (int k = 1; status != YOKE_OK; k++) {
        yoke_file *file = NULL;
        fault_allocator(k);
        status = try_text(&file, text, NULL, &err);
        if (status != YOKE_OK) assert_int_equal(status, YOKE_E_MEMORY);
        yoke_file_free(file);
        assert_int_equal(fault_blocks(), 0);
        fault_restore();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(torques_and_torsion_are_what_their_matrices_are),
        cmocka_unit_test(block_on_a_guide),
        cmocka_unit_test(motors_welds_and_inputs),
        cmocka_unit_test(refusals_name_the_place),
        cmocka_unit_test(refusals_of_forces),
        cmocka_unit_test(assembling_closes_small_gaps),
        cmocka_unit_test(allocation_failures_leave_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
