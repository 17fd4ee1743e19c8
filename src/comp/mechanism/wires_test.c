/* comp/mechanism/wires_test.c */
#include "check.h"
#include "comp/mechanism/wires.h"
#include "la/lu.h"
#include "sys/call.h"
#include "yoke/check.h"
#include "yoke/mechanism.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double width = 0.0848246264374602;

static const yk_wires_wire two[] = { { "carrier", 1.07, 131.7, 16e3, 0.0125 },
                                     { "contact", 1.35, 190.347, 20e3,
                                       0.0125 } };
static const yk_wires_dropper four[] = { { 0, 1, 4.0, 1e5 },
                                         { 0, 1, 8.0, 1e5 },
                                         { 0, 1, 12.0, 1e5 },
                                         { 0, 1, 16.0, 1e5 } };

static yk_wires catenary(const yk_wires_contact *contact)
{
    return (yk_wires){ .span = 20.0,
                       .nodes = 499,
                       .wires = 2,
                       .droppers = 4,
                       .contacts = 1,
                       .wire = two,
                       .dropper = four,
                       .contact = contact };
}

static yoke_system *create(const yk_wires *given)
{
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yk_wires_create(&system, "wires", given, &err), &err);
    return system;
}

/* Two contacts on one wire, droppers between nodes and beside the support. */
static void wires_conform(void **state)
{
    const yk_wires_dropper dropper[] = { { 0, 1, 0.3, 50.0 },
                                         { 1, 0, 4.44, 20.0 },
                                         { 0, 1, 9.95, 30.0 } };
    const yk_wires_contact contact[] = { { "front", 1, 4.0, 3.0, 0.5 },
                                         { "rear", 1, 2.5, 3.0, 0.4 },
                                         { "still", 0, 7.0, 0.0, 0.6 } };
    const yk_wires given = { .span = 10.0,
                             .nodes = 24,
                             .wires = 2,
                             .droppers = 3,
                             .contacts = 3,
                             .wire = two,
                             .dropper = dropper,
                             .contact = contact };
    yoke_system *system = create(&given);
    yoke_err err;
    (void)state;
    CHECK_OK(yoke_conform(system, 0.37, NULL, NULL, &err), &err);
    CHECK_OK(yoke_conform(system, 1.9, NULL, NULL, &err), &err);
    yoke_system_free(system);
}

/* Derivative of output 2 by input 0 at time t: G M^-1 G'. */
static double effective(yoke_system *system, double t)
{
    const yoke_system_info *f = yoke_system_facts(system);
    double *x = calloc((size_t)f->n, sizeof *x), y[3];
    const double one = 1.0;
    yoke_err err;

    CHECK_OK(yoke_system_output(system, t, x, &one, y, &err), &err);
    free(x);
    return y[2];
}

static void effective_mass_hardly_depends_on_the_place_between_nodes(void **s)
{
    const yk_wires_contact moving = { "contact", 1, 2.0, 32.0, width };
    const yk_wires given = catenary(&moving);
    yoke_system *system = create(&given);
    double least = INFINITY, most = 0.0;
    (void)s;
    for (int k = 0; k <= 40; k++) {
        const double g = effective(system, 0.04 / 32.0 * k / 40.0);
        least = fmin(least, g);
        most = fmax(most, g);
    }
    CHECK_NEAR(least, 3.43996, 1e-5);
    CHECK_NEAR(most, 3.44004, 1e-5);
    yoke_system_free(system);
}

/* Force over displacement at a contact that stands still. */
static double stiffness(double at)
{
    const yk_wires_contact still = { "contact", 1, at, 0.0, width };
    const yk_wires given = catenary(&still);
    yoke_system *system = create(&given);
    const yoke_system_info *f = yoke_system_facts(system);
    double *x = calloc((size_t)f->n, sizeof *x);
    double *g = calloc((size_t)yoke_pattern_count(f->G), sizeof *g), y[3];
    const double one = 1.0;
    const yoke_jacobian want = { .G = g };
    yk_lu *lu = NULL;
    yoke_err err;

    assert_true(f->flags & YOKE_AFFINE);
    CHECK_OK(yoke_system_jacobian(system, 0.0, x, &one, &want, &err), &err);
    double *b = calloc((size_t)f->n, sizeof *b);
    CHECK_OK(yoke_system_eval(system, 0.0, x, &one, NULL, b, &err), &err);
    for (int i = 0; i < f->n; i++) b[i] = -b[i];
    CHECK_OK(yk_lu_create(&lu, f->G, false, &err), &err);
    CHECK_OK(yk_lu_factor(lu, g, NULL, &err), &err);
    CHECK_OK(yk_lu_solve(lu, b, &err), &err);
    CHECK_OK(yoke_system_output(system, 0.0, b, &one, y, &err), &err);
    yk_lu_free(lu);
    yoke_system_free(system);
    free(x);
    free(g);
    free(b);
    return 1.0 / y[0];
}

static void static_stiffness_along_the_span(void **state)
{
    static const double known[][2] = { { 2.0, 14405.6 },
                                       { 4.0, 11216.8 },
                                       { 6.0, 7335.5 },
                                       { 8.0, 7485.18 },
                                       { 10.0, 6307.33 } };
    (void)state;
    for (int i = 0; i < 5; i++)
        CHECK_NEAR(stiffness(known[i][0]), known[i][1], 1e-4 * known[i][1]);
}

/* With x(t + d) = x + d v + d^2/2 a the outputs at t + d, t, t - d have
 * differences that are contact.v and contact.a, motion of xp included. */
static void velocity_and_acceleration_contain_the_motion(void **state)
{
    const yk_wires_contact moving = { "contact", 1, 7.0, 32.0, 0.3 };
    const yk_wires given = catenary(&moving);
    yoke_system *system = create(&given);
    const yoke_system_info *f = yoke_system_facts(system);
    const int half = f->n / 2;
    double *x = calloc((size_t)f->n, sizeof *x),
           *xdot = calloc((size_t)f->n, sizeof *x);
    double *near = calloc((size_t)f->n, sizeof *x), y[3][3];
    const double force = 80.0, t = 0.01, d = 1e-5;
    yoke_err err;
    (void)state;
    for (int k = 0; k < half; k++) {
        const double s = 0.04 * (k % 499 + 1);
        x[k] = 0.01 * sin(0.9 * s) * (k < 499 ? 1.0 : 1.5);
        x[half + k] = 0.3 * cos(0.7 * s);
    }
    CHECK_OK(yk_system_rhs(system, t, x, &force, xdot, &err), &err);
    for (int e = -1; e <= 1; e++) {
        for (int k = 0; k < half; k++) {
            near[k] = x[k] + e * d * x[half + k] + 0.5 * d * d * xdot[half + k];
            near[half + k] = x[half + k];
        }
        if (e == 0) memcpy(near, x, (size_t)f->n * sizeof *x);
        CHECK_OK(
            yoke_system_output(system, t + e * d, near, &force, y[e + 1], &err),
            &err);
    }
    CHECK_NEAR((y[2][0] - y[0][0]) / (2.0 * d), y[1][1], 1e-5);
    CHECK_NEAR((y[2][0] - 2.0 * y[1][0] + y[0][0]) / (d * d), y[1][2], 1e-3);
    assert_true(fabs(y[1][2]) > 1.0);
    yoke_system_free(system);
    free(x);
    free(xdot);
    free(near);
}

static void refuse(yk_wires given, const char *text)
{
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_STATUS(yk_wires_create(&system, "wires", &given, &err), YOKE_E_ARG,
                 &err);
    CHECK_CONTAINS(err.text, "subsystem \"wires\": ");
    CHECK_CONTAINS(err.text, text);
    assert_null(system);
}

static void what_cannot_be_is_refused(void **state)
{
    const yk_wires_contact moving = { "contact", 1, 2.0, 32.0, width };
    const yk_wires_contact narrow = { "contact", 1, 2.0, 32.0, 0.01 };
    const yk_wires_dropper off = { 0, 1, 20.0, 1e5 }, same = { 1, 1, 4.0, 1e5 };
    const yk_wires_wire light = { "light", 0.0, 1.0, 1.0, 0.0 };
    const yk_wires_wire slack = { "slack", 1.0, 0.0, 0.0, 0.0 };
    yk_wires given = catenary(&moving);
    (void)state;
    given.span = 0.0;
    refuse(given, "the span is 0 m");
    given = catenary(&moving);
    given.nodes = 2;
    refuse(given, "2 nodes; there must be at least 3");
    given = catenary(&narrow);
    refuse(given, "the width is 0.01 m; at least half a cell");
    given = catenary(&moving);
    given.droppers = 1;
    given.dropper = &off;
    refuse(given, "the dropper at 20 m is not between the supports");
    given.dropper = &same;
    refuse(given, "a dropper joins two of the 2 wires, not 1 and 1");
    given = catenary(&moving);
    given.droppers = given.contacts = 0;
    given.wires = 1;
    given.wire = &light;
    refuse(given, "\"light\": the density is 0 kg/m");
    given.wire = &slack;
    refuse(given, "\"slack\": bending = 0 N m^2 and tension = 0 N");
}

static void contact_that_leaves_the_wire_is_an_error(void **state)
{
    const yk_wires_contact moving = { "contact", 1, 2.0, 32.0, width };
    const yk_wires given = catenary(&moving);
    yoke_system *system = create(&given);
    const yoke_system_info *f = yoke_system_facts(system);
    double *x = calloc((size_t)f->n, sizeof *x), y[3];
    const double force = 0.0;
    yoke_err err;
    (void)state;
    CHECK_STATUS(yoke_system_output(system, 0.6, x, &force, y, &err),
                 YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "contact \"contact\" is at x = 21.2 m, off the "
                             "wire of 20 m");
    free(x);
    yoke_system_free(system);
}

/* Every allocation fails once; nothing is left behind. */
static void every_wire_is_a_profile(void **state)
{
    const yk_wires_contact moving = { "shoe", 1, 2.0, 32.0, width };
    const yk_wires given = catenary(&moving);
    yoke_system *system = create(&given);
    const yoke_profile *p = NULL;
    (void)state;

    assert_int_equal(yk_system_profiles(system, &p), 2);
    assert_string_equal(p[0].name, "carrier");
    assert_string_equal(p[1].name, "contact");
    assert_int_equal(p[1].points, 501);
    CHECK_NEAR(p[1].at[100], 4.0, 1e-12);
    assert_true(p[1].at[0] == 0.0 && fabs(p[1].at[500] - 20.0) < 1e-12);
    assert_null(p[1].variable[0]);
    assert_null(p[1].variable[500]);
    assert_string_equal(p[1].variable[100], "contact[100]");
    assert_int_equal(p[0].ties, 4);
    assert_int_equal(p[0].marks, 0);
    assert_true(p[0].tie[2].at == 12.0);
    assert_string_equal(p[0].tie[2].to, "contact");
    assert_int_equal(p[1].ties, 0);
    assert_int_equal(p[1].marks, 1);
    assert_string_equal(p[1].mark[0].variable, "shoe");
    assert_true(p[1].mark[0].at == 2.0 && p[1].mark[0].speed == 32.0);
    yoke_system_free(system);
}

static void allocation_failures_leave_nothing(void **state)
{
    const yk_wires_contact moving = { "p", 1, 2.0, 32.0, 2.0 };
    yk_wires given = catenary(&moving);
    yoke_status status = YOKE_E_MEMORY;
    yoke_err err;
    (void)state;
    given.nodes = 9;
    for (int k = 1; status != YOKE_OK; k++) {
        yoke_system *system = NULL;
        fault_allocator(k);
        status = yk_wires_create(&system, "wires", &given, &err);
        if (status != YOKE_OK) assert_int_equal(status, YOKE_E_MEMORY);
        yoke_system_free(system);
        assert_int_equal(fault_blocks(), 0);
        fault_restore();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wires_conform),
        cmocka_unit_test(
            effective_mass_hardly_depends_on_the_place_between_nodes),
        cmocka_unit_test(static_stiffness_along_the_span),
        cmocka_unit_test(velocity_and_acceleration_contain_the_motion),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(contact_that_leaves_the_wire_is_an_error),
        cmocka_unit_test(every_wire_is_a_profile),
        cmocka_unit_test(allocation_failures_leave_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
