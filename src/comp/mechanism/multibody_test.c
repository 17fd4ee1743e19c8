/* comp/mechanism/multibody_test.c */
#include "check.h"
#include "comp/mechanism/plane.h"
#include "sys/call.h"
#include "yoke/check.h"
#include "yoke/mechanism.h"

#include <math.h>
#include <string.h>

static const double third = 1.0 / 3.0;

static void loads(void *context, double t, double *load)
{
    (void)context;
    for (int i = 0; i < 8; i++) load[i] = (i + 1) * sin(t + i);
}

static void turn(void *context, double t, double *d)
{
    (void)context;
    d[0] = 0.4 + 0.5 * t + 0.1 * t * t;
    d[1] = 0.5 + 0.2 * t;
    d[2] = 0.2;
}

/* One of everything: a driven crank, a slider on a tilted axis of it, a rod
 * that turns on the slider, a block welded to it, and a body on springs. */
static const double at = 0.4;

static yoke_status everything(yoke_system **out, yoke_formulation formulation,
                              yoke_err *err)
{
    const double c = cos(at), s = sin(at);
    const yk_plane_body body[] = {
        { "crank", 2.0, 0.3, 0.0, 0.0, at, NAN, NAN, NAN },
        { "slider", 1.0, 0.1, c - 0.2 * s, s + 0.2 * c, at + 0.3, NAN, NAN,
          NAN },
        { "rod", 0.5, 0.2, c - 0.2 * s + 0.7, s + 0.2 * c, 0.0, NAN, NAN, 1.5 },
        { "block", 0.7, 0.05, c - 0.2 * s + 1.7, s + 0.2 * c, -0.5, NAN, NAN,
          NAN },
        { "free", 3.0, 0.4, 1.0, 3.0, 0.7, 0.3, -0.2, 2.0 },
    };
    const yk_plane_point point[] = {
        { "O", -1, 0.0, 0.0, false },     { "C", 0, 0.0, 0.0, false },
        { "axis", 0, 0.5, 0.2, false },   { "S", 1, 0.0, 0.0, true },
        { "R", 2, -0.7, 0.0, true },      { "T", 2, 1.0, 0.0, false },
        { "B", 3, 0.0, 0.0, false },      { "F", 4, 0.2, -0.1, true },
        { "wall", -1, 0.5, 4.0, true },   { "tip", 3, 0.1, 0.3, true },
        { "tail", 4, -0.3, -0.2, false },
    };
    const yk_plane_joint joint[] = {
        { "pin", YK_REVOLUTE, 0, 1, { 0, 0 }, NAN, -1 },
        { "motor", YK_MOTOR, 0, 1, { 0, 0 }, NAN, 0 },
        { "slide", YK_TRANSLATIONAL, 2, 3, { 2.0, 0.0 }, NAN, -1 },
        { "hinge", YK_REVOLUTE, 3, 4, { 0, 0 }, NAN, -1 },
        { "weld", YK_WELD, 5, 6, { 0, 0 }, NAN, -1 },
        { "groove", YK_SLIDING, 7, 8, { 0, 0 }, NAN, -1 },
    };
    const double up[2] = { 0.5 - 1.0, 4.0 - 3.0 };
    yk_plane_joint all[6];
    const yk_plane_strut strut[] = { { 9, 7, 40.0, 3.0, 0.8 },
                                     { 8, 10, 15.0, 0.0, 0.0 } };
    const yk_plane_torsion torsion[] = { { -1, 4, 3.0, 0.2, 0.1 },
                                         { 1, 2, 2.0, 0.0, -0.4 } };
    const yk_plane_load load[] = { { 9, false, true },
                                   { 7, false, false },
                                   { 2, true, true },
                                   { 3, true, false } };
    memcpy(all, joint, sizeof all);
    /* The axis, through F, towards the wall, in coordinates of the body. */
    const double fc = cos(0.7), fs = sin(0.7);
    const double dx = up[0] - (0.2 * fc + 0.1 * fs);
    const double dy = up[1] - (0.2 * fs - 0.1 * fc);
    all[5].axis[0] = fc * dx + fs * dy;
    all[5].axis[1] = -fs * dx + fc * dy;
    yk_plane_body bodies[5];
    memcpy(bodies, body, sizeof bodies);
    bodies[4].vx = bodies[4].vy = NAN;
    const yk_plane given = { .bodies = 5,
                             .points = 11,
                             .joints = 6,
                             .struts = 2,
                             .torsions = 2,
                             .loads = 4,
                             .body = bodies,
                             .point = point,
                             .joint = all,
                             .strut = strut,
                             .torsion = torsion,
                             .load = load,
                             .gravity = { 0.3, -9.81 },
                             .formulation = formulation,
                             .eta = 7.0,
                             .act = loads,
                             .lead = turn };
    return yk_plane_create(out, "m", &given, err);
}

static void every_formulation_conforms(void **state)
{
    static const int index[] = { [YOKE_POSITION] = 3,
                                 [YOKE_VELOCITY] = 2,
                                 [YOKE_STABILISED] = 1,
                                 [YOKE_GGL] = 2 };
    const double u[] = { 3.0, -2.0, 1.5 };
    yoke_err err;
    (void)state;
    for (int f = YOKE_POSITION; f <= YOKE_GGL; f++) {
        yoke_system *system = NULL;
        yoke_solvability s;
        CHECK_OK(everything(&system, (yoke_formulation)f, &err), &err);
        const yoke_system_info *facts = yoke_system_facts(system);
        assert_int_equal(facts->m, 3);
        assert_int_equal(facts->positions, 15);
        CHECK_OK(yoke_conform(system, 0.3, facts->x0, u, &err), &err);
        CHECK_OK(yoke_conform(system, 0.3, NULL, NULL, &err), &err);
        CHECK_OK(yoke_solvable(system, 0.0, facts->x0, u, &s, &err), &err);
        assert_int_equal(s.index, index[f]);
        yoke_system_free(system);
    }
}

static double output(yoke_system *system, double t, const double *x,
                     const char *name)
{
    const yoke_system_info *facts = yoke_system_facts(system);
    const double u[8] = { 0 };
    double y[200] = { 0 };
    yoke_err err;

    assert_true(facts->p <= 200);
    CHECK_OK(yoke_system_output(system, t, x, u, y, &err), &err);
    for (int i = 0; i < facts->p; i++)
        if (strcmp(facts->y_name[i], name) == 0) return y[i];
    fail_msg("there is no output %s", name);
    return NAN;
}

/* The motor turns all bodies; equations of motion and constraints hold. */
static void the_start_is_consistent_on_all_levels(void **state)
{
    const double u[3] = { 0.0, 0.0, 0.0 };
    yoke_system *system = NULL;
    double f[100];
    yoke_err err;
    (void)state;
    CHECK_OK(everything(&system, YOKE_STABILISED, &err), &err);
    const yoke_system_info *facts = yoke_system_facts(system);
    CHECK_OK(yoke_system_eval(system, 0.0, facts->x0, u, NULL, f, &err), &err);
    for (int i = 30; i < facts->n; i++) CHECK_NEAR(f[i], 0.0, 1e-11);
    CHECK_NEAR(output(system, 0.0, facts->x0, "crank.angle.v"), 0.5, 1e-14);
    CHECK_NEAR(output(system, 0.0, facts->x0, "slider.angle.v"), 0.5, 1e-14);
    CHECK_NEAR(output(system, 0.0, facts->x0, "rod.angle.v"), 1.5, 0.0);
    CHECK_NEAR(output(system, 0.0, facts->x0, "block.angle.v"), 1.5, 1e-13);
    CHECK_NEAR(output(system, 0.0, facts->x0, "drift.slide.across.v"), 0.0,
               1e-14);
    CHECK_NEAR(output(system, 0.0, facts->x0, "R.x.a"),
               output(system, 0.0, facts->x0, "S.x.a"), 1e-11);
    yoke_system_free(system);
}

/* ---- a beam on two supports ---------------------------------------------- */

/* A beam of 4 m and 10 kg on a pin at the left and a roller, 50 N down at 3 m:
 * the roller carries (10 g 2 + 50 3)/4, the pin the rest. */
static void reactions_are_those_of_statics(void **state)
{
    const yk_plane_body beam = { "beam", 10.0, 13.0, 2.0, 1.0,
                                 0.0,    NAN,  NAN,  NAN };
    const yk_plane_point point[] = { { "A", -1, 0.0, 1.0, false },
                                     { "left", 0, -2.0, 0.0, true },
                                     { "B", -1, 7.0, 1.0, false },
                                     { "right", 0, 2.0, 0.0, true },
                                     { "P", 0, 1.0, 0.0, true } };
    const yk_plane_joint joint[] = {
        { "pin", YK_REVOLUTE, 0, 1, { 0, 0 }, NAN, -1 },
        { "roller", YK_SLIDING, 2, 3, { 1, 0 }, NAN, -1 }
    };
    const yk_plane_load load = { 4, false, true };
    const yk_plane given = { .bodies = 1,
                             .points = 5,
                             .joints = 2,
                             .loads = 1,
                             .body = &beam,
                             .point = point,
                             .joint = joint,
                             .load = &load,
                             .gravity = { 0.0, -9.81 } };
    const double u[] = { 20.0, -50.0 };
    yoke_system *system = NULL;
    double x[12], f[12];
    yoke_err err;
    (void)state;
    CHECK_OK(yk_plane_create(&system, "m", &given, &err), &err);
    memcpy(x, yoke_system_facts(system)->x0, sizeof x);
    CHECK_NEAR(output(system, 0.0, x, "pin.fy"), 49.05, 1e-12);
    /* With the load the multipliers have to be these: the residual is zero. */
    const double roller = (10.0 * 9.81 * 2.0 + 50.0 * 3.0) / 4.0;
    x[9] = 20.0;                            /* fx on the beam is -20 */
    x[10] = -(10.0 * 9.81 + 50.0 - roller); /* fy is the opposite */
    x[11] = -roller;
    CHECK_OK(yoke_system_eval(system, 0.0, x, u, NULL, f, &err), &err);
    for (int i = 0; i < 12; i++) CHECK_NEAR(f[i], 0.0, 1e-12);
    CHECK_NEAR(output(system, 0.0, x, "roller.force"), roller, 1e-12);
    CHECK_NEAR(output(system, 0.0, x, "energy.potential"), 98.1, 1e-12);
    yoke_system_free(system);
}

/* ---- refusals ------------------------------------------------------------ */

typedef struct linkage {
    yk_plane_body body[4];
    yk_plane_point point[12];
    yk_plane_joint joint[8];
    int bodies, points, joints;
    double assemble;
} linkage;

/* A parallelogram: two cranks of 1 m at 60 degrees on a ground of 2 m. */
static linkage parallelogram(void)
{
    const double c = 0.5, s = sqrt(0.75), up = acos(-1.0) / 3.0;
    return (linkage){
        .bodies = 3,
        .points = 8,
        .joints = 4,
        .body = { { "left", 1, third, 0.5 * c, 0.5 * s, up, NAN, NAN, 2.0 },
                  { "bar", 1, third, c + 1.0, s, 0.0, NAN, NAN, NAN },
                  { "right", 1, third, 2.0 + 0.5 * c, 0.5 * s, up, NAN, NAN,
                    NAN } },
        .point = { { "O", -1, 0, 0, false },
                   { "l0", 0, -0.5, 0, false },
                   { "l1", 0, 0.5, 0, false },
                   { "b0", 1, -1, 0, false },
                   { "b1", 1, 1, 0, false },
                   { "r1", 2, 0.5, 0, false },
                   { "r0", 2, -0.5, 0, false },
                   { "Q", -1, 2, 0, false } },
        .joint = { { "A", YK_REVOLUTE, 0, 1, { 0, 0 }, NAN, -1 },
                   { "B", YK_REVOLUTE, 2, 3, { 0, 0 }, NAN, -1 },
                   { "C", YK_REVOLUTE, 4, 5, { 0, 0 }, NAN, -1 },
                   { "D", YK_REVOLUTE, 6, 7, { 0, 0 }, NAN, -1 } },
    };
}

static yoke_status build(yoke_system **out, const linkage *l, yoke_err *err)
{
    const yk_plane given = { .bodies = l->bodies,
                             .points = l->points,
                             .joints = l->joints,
                             .body = l->body,
                             .point = l->point,
                             .joint = l->joint,
                             .assemble = l->assemble,
                             .formulation = YOKE_STABILISED };
    return yk_plane_create(out, "m", &given, err);
}

static void refused(const linkage *l, const char *message)
{
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_STATUS(build(&system, l, &err), YOKE_E_MODEL, &err);
    assert_null(system);
    CHECK_CONTAINS(err.text, message);
}

/* A closed loop: the bar does not turn, its middle moves like the cranks. */
static void velocities_follow_from_the_joints(void **state)
{
    const linkage l = parallelogram();
    yoke_system *system = NULL;
    yoke_err err;
    (void)state;
    CHECK_OK(build(&system, &l, &err), &err);
    const double *x = yoke_system_facts(system)->x0;
    CHECK_NEAR(output(system, 0.0, x, "right.angle.v"), 2.0, 1e-13);
    CHECK_NEAR(output(system, 0.0, x, "bar.angle.v"), 0.0, 1e-13);
    CHECK_NEAR(output(system, 0.0, x, "bar.x.v"), -2.0 * sqrt(0.75), 1e-13);
    CHECK_NEAR(output(system, 0.0, x, "bar.y.v"), 1.0, 1e-13);
    yoke_system_free(system);
}

static void superfluous_joints_are_named(void **state)
{
    linkage l = parallelogram();
    (void)state;
    /* A third crank of the same length, beside the others: it moves along. */
    l.body[3] =
        (yk_plane_body){ "more",           1,   third, 1.25, 0.5 * sqrt(0.75),
                         acos(-1.0) / 3.0, NAN, NAN,   NAN };
    l.point[8] = (yk_plane_point){ "M", -1, 1, 0, false };
    l.point[9] = (yk_plane_point){ "m0", 3, -0.5, 0, false };
    l.point[10] = (yk_plane_point){ "m1", 3, 0.5, 0, false };
    l.point[11] = (yk_plane_point){ "b2", 1, 0, 0, false };
    l.joint[4] = (yk_plane_joint){ "E", YK_REVOLUTE, 8, 9, { 0, 0 }, NAN, -1 };
    l.joint[5] =
        (yk_plane_joint){ "F", YK_REVOLUTE, 10, 11, { 0, 0 }, NAN, -1 };
    l.bodies = 4;
    l.points = 12;
    l.joints = 6;
    refused(&l, "are redundant");
    /* The same joint twice involves nobody else. */
    l = parallelogram();
    l.joint[4] = l.joint[1];
    l.joint[4].name = "again";
    l.joints = 5;
    refused(&l, "the constraints \"B.x\" and \"again.x\" are redundant");
    /* Elsewhere it contradicts. */
    l.point[8] = (yk_plane_point){ "b9", 1, -1.25, 0, false };
    l.point[9] = (yk_plane_point){ "l9", 0, 0.75, 0, false };
    l.joint[4] = (yk_plane_joint){ "X", YK_WELD, 0, 1, { 0, 0 }, NAN, -1 };
    l.points = 10;
    refused(&l, "the constraints \"A.x\" and \"X.x\" are redundant");
    l.point[8] = (yk_plane_point){ "O2", -1, 0.3, 0, false };
    l.joint[4] = (yk_plane_joint){ "X", YK_REVOLUTE, 8, 1, { 0, 0 }, NAN, -1 };
    refused(&l, "the constraints \"A.x\" and \"X.x\" contradict each other: "
                "they hold the same motion at places that differ by 0.3");
}

/* With all bars nearly in one line the parallelogram may fold. */
static void joints_that_nearly_follow_from_each_other_are_named(void **state)
{
    const linkage l = parallelogram();
    yoke_system *system = NULL;
    double x[35] = { 0 };
    char text[700];
    yoke_err err;
    (void)state;
    CHECK_OK(build(&system, &l, &err), &err);
    memcpy(x, yoke_system_facts(system)->x0, sizeof x);
    yoke_question ask = { .x = x, .x_next = x };
    assert_false(yk_system_edge(system, &ask, text, sizeof text));
    const double q[9] = { 0.5, 5e-6, 1e-5, 2.0, 1e-5, 0.0, 2.5, 5e-6, 1e-5 };
    memcpy(x, q, sizeof q);
    assert_true(yk_system_edge(system, &ask, text, sizeof text));
    CHECK_CONTAINS(text,
                   "the constraints \"A.x\", \"B.x\", \"C.x\" and \"D.x\" "
                   "nearly follow from each other");
    yoke_system_free(system);
}

static void open_joints_are_named_with_the_distance(void **state)
{
    linkage l = parallelogram();
    yoke_system *system = NULL;
    yoke_err err;
    (void)state;
    l.point[7].x = 2.03;
    l.point[7].y = 0.04;
    refused(&l, "subsystem \"m\": joint \"D\": its points \"r0\" and \"Q\" are "
                "0.05 m apart at the start, at (2, ");
    l.assemble = 0.03;
    refused(&l, "0.05 m apart");
    l.assemble = 0.1;
    CHECK_OK(build(&system, &l, &err), &err);
    const double *x = yoke_system_facts(system)->x0;
    CHECK_NEAR(output(system, 0.0, x, "drift.D.x"), 0.0, 1e-14);
    CHECK_NEAR(output(system, 0.0, x, "drift.B.y"), 0.0, 1e-14);
    CHECK_NEAR(x[3], 1.5, 0.1);
    yoke_system_free(system);

    l = parallelogram();
    l.joint[1].kind = YK_SLIDING;
    l.joint[1].axis[1] = 1.0;
    l.body[1].x += 0.1;
    l.joint[2].kind = YK_SLIDING;
    l.joint[2].axis[0] = 1.0;
    refused(&l, "joint \"B\": the point \"b0\" is 0.05 m off the axis "
                "through \"l1\"");
    l = parallelogram();
    l.joint[1].kind = YK_WELD;
    l.joint[1].angle = -1.0;
    l.joints = 2;
    refused(&l, "joint \"B\": the angle of \"b0\" against \"l1\" is wrong by "
                "0.0471976 rad");
}

static void velocities_against_a_joint_are_refused(void **state)
{
    linkage l = parallelogram();
    (void)state;
    l.body[2].omega = 1.0; /* the left one has 2 */
    refused(&l, "the initial velocities do not satisfy the constraint");
}

static void bodies_without_mass_are_refused(void **state)
{
    linkage l = parallelogram();
    (void)state;
    l.body[1].mass = 0.0;
    refused(&l, "body \"bar\" has the mass 0 kg; it must be more than zero");
    l.body[1].mass = 1.0;
    l.body[2].inertia = -1.0;
    refused(&l, "body \"right\" has the moment of inertia -1 kg m^2");
    l = parallelogram();
    l.joint[1].b = 1;
    refused(&l, "joint \"B\": both points, \"l1\" and \"l0\", are on the body "
                "\"left\"");
    l.joint[1].a = 0;
    l.joint[1].b = 7;
    refused(&l, "are on the ground");
    l = parallelogram();
    l.joint[1].kind = YK_SLIDING;
    refused(&l, "joint \"B\": its axis (0, 0) has no direction");
}

/* ---- springs ------------------------------------------------------------- */

static void spring_without_length_has_no_direction(void **state)
{
    const yk_plane_body body = { "b", 1, 1, 0, 0, 0, 0, 0, 0 };
    const yk_plane_point point[] = { { "O", -1, 0, 0, false },
                                     { "b", 0, 0, 0, false } };
    yk_plane_strut strut = { 0, 1, 10.0, 0.0, 0.0 };
    const yk_plane given = { .bodies = 1,
                             .points = 2,
                             .struts = 1,
                             .body = &body,
                             .point = point,
                             .strut = &strut };
    yoke_system *system = NULL;
    yoke_err err;
    (void)state;
    CHECK_OK(yk_plane_create(&system, "m", &given, &err), &err);
    yoke_system_free(system);
    system = NULL;
    strut.length = 0.1;
    CHECK_STATUS(yk_plane_create(&system, "m", &given, &err), YOKE_E_MODEL,
                 &err);
    CHECK_CONTAINS(err.text, "the ends \"O\" and \"b\" of a spring are at the "
                             "same place");
    strut.stiffness = -1.0;
    CHECK_STATUS(yk_plane_create(&system, "m", &given, &err), YOKE_E_MODEL,
                 &err);
    CHECK_CONTAINS(err.text, "spring between \"O\" and \"b\": stiffness -1");
}

/* Every allocation fails once; nothing is left behind. */
static void allocation_failures_leave_nothing(void **state)
{
    yoke_status status = YOKE_E_MEMORY;
    yoke_err err;
    (void)state;
    for (int k = 1; status != YOKE_OK; k++) {
        yoke_system *system = NULL;
        fault_allocator(k);
        status = everything(&system, YOKE_GGL, &err);
        if (status != YOKE_OK) assert_int_equal(status, YOKE_E_MEMORY);
        yoke_system_free(system);
        assert_int_equal(fault_blocks(), 0);
        fault_restore();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_formulation_conforms),
        cmocka_unit_test(the_start_is_consistent_on_all_levels),
        cmocka_unit_test(reactions_are_those_of_statics),
        cmocka_unit_test(velocities_follow_from_the_joints),
        cmocka_unit_test(superfluous_joints_are_named),
        cmocka_unit_test(open_joints_are_named_with_the_distance),
        cmocka_unit_test(velocities_against_a_joint_are_refused),
        cmocka_unit_test(joints_that_nearly_follow_from_each_other_are_named),
        cmocka_unit_test(bodies_without_mass_are_refused),
        cmocka_unit_test(spring_without_length_has_no_direction),
        cmocka_unit_test(allocation_failures_leave_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
