/* Materials, fields with known solutions, and the systems made of them. */
#include "comp/field/field_fixture.h"
#include "comp/field/device.h"
#include "step/steppers.h"
#include "sys/call.h"
#include "sys/system.h"
#include "yoke/check.h"
#include "yoke/stepper.h"

#include <string.h>

static const double pi = 3.14159265358979323846;
static const double brauer[3] = { 0.3774, 2.970, 388.33 };
static const double steel[][2] = { { 0, 0 },          { 0.3, 39.78875 },
                                   { 0.8, 79.5775 },  { 1.12, 159.155 },
                                   { 1.32, 318.31 },  { 1.46, 795.775 },
                                   { 1.54, 1591.55 }, { 1.61875, 3376.667 },
                                   { 1.74, 7957.75 }, { 1.87, 15915.5 },
                                   { 1.99, 31831 },   { 2.045964, 55102.04 },
                                   { 2.08, 79577.5 } };
enum { STEEL = sizeof steel / sizeof steel[0] };
static const int only[1] = { 0 };

/* ---- materials ----------------------------------------------------------- */

/* nu B, slope, bend and energy are derivatives of each other. */
static void check_curve(const yk_field_material *m)
{
    yk_bh bh = { .nu = 0.0 };
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yk_bh_create(&bh, m, &err), &err);
    for (double b = 0.013; b < 2.6; b += 0.0371) {
        const double h = 1e-5;
        const yk_bh_point low = yk_bh_eval(&bh, b - h), at = yk_bh_eval(&bh, b),
                          high = yk_bh_eval(&bh, b + h);
        const double H = at.nu * b;
        CHECK_NEAR((high.energy - low.energy) / (2 * h), H, 1e-6 * H + 1e-4);
        CHECK_NEAR(((b + h) * high.nu - (b - h) * low.nu) / (2 * h), at.slope,
                   1e-3 * at.slope);
        CHECK_NEAR((high.slope - low.slope) / (2 * h), at.bend,
                   2e-2 * at.slope + 2e-2 * fabs(at.bend));
        assert_true(at.slope > 0.0);
    }
    CHECK_NEAR(yk_bh_eval(&bh, 5.0).slope, 1.0 / YK_MU0, 1e-6);
    yk_bh_clear(&bh);
}

static void curves_are_consistent(void **state)
{
    yk_bh bh = { .nu = 0.0 };
    yk_field_material m = { .name = "iron", .bh = YK_BH_BRAUER };

    (void)state;
    memcpy(m.brauer, brauer, sizeof brauer);
    check_curve(&m);
    CHECK_OK(yk_bh_create(&bh, &m, NULL), NULL);
    CHECK_NEAR(bh.b_end, 1.9584934011724862, 1e-8);
    CHECK_NEAR(bh.h_end, 66256.5301445932, 1e-3);
    m = (yk_field_material){
        .name = "steel", .bh = YK_BH_TABLE, .points = STEEL, .point = steel
    };
    check_curve(&m);
    CHECK_OK(yk_bh_create(&bh, &m, NULL), NULL);
    for (int k = 1; k < STEEL; k++)
        CHECK_NEAR(yk_bh_eval(&bh, steel[k][0]).nu * steel[k][0], steel[k][1],
                   1e-9 * steel[k][1]);
    yk_bh_clear(&bh);
}

static void refuse_material(const yk_field_material *m, const char *part)
{
    yk_bh bh = { .nu = 0.0 };
    yoke_err err = { YOKE_OK, "" };

    CHECK_STATUS(yk_bh_create(&bh, m, &err), YOKE_E_MODEL, &err);
    CHECK_CONTAINS(err.text, "\"bad\"");
    CHECK_CONTAINS(err.text, part);
    yk_bh_clear(&bh);
}

static void curves_that_are_none_are_refused(void **state)
{
    static const double falls[][2] = { { 0, 0 }, { 1, 100 }, { 0.9, 200 } };
    static const double flat[][2] = { { 0, 0 }, { 1, 100 }, { 1.1, 100 } };
    static const double late[][2] = { { 0.1, 0 }, { 1, 100 }, { 1.1, 200 } };
    static const double swapped[][2] = { { 0, 0 }, { 100, 1 }, { 200, 1.5 } };

    (void)state;
    refuse_material(
        &(yk_field_material){
            .name = "bad", .bh = YK_BH_TABLE, .points = 3, .point = falls },
        "point 3 of the table, B = 0.9, H = 200");
    refuse_material(
        &(yk_field_material){
            .name = "bad", .bh = YK_BH_TABLE, .points = 3, .point = flat },
        "both must increase");
    refuse_material(
        &(yk_field_material){
            .name = "bad", .bh = YK_BH_TABLE, .points = 3, .point = late },
        "must begin with 0, 0");
    refuse_material(
        &(yk_field_material){
            .name = "bad", .bh = YK_BH_TABLE, .points = 3, .point = swapped },
        "pairs of B in T");
    refuse_material(
        &(yk_field_material){
            .name = "bad", .bh = YK_BH_TABLE, .points = 2, .point = falls },
        "2 points");
    refuse_material(&(yk_field_material){ .name = "bad", .mu_r = -3 },
                    "mu_r = -3");
    refuse_material(&(yk_field_material){ .name = "bad",
                                          .bh = YK_BH_BRAUER,
                                          .brauer = { -1, 2, 3 } },
                    "k1 = -1");
    refuse_material(&(yk_field_material){ .name = "bad",
                                          .bh = YK_BH_TABLE,
                                          .points = 3,
                                          .point = falls,
                                          .remanence = { 0, 1 } },
                    "has a remanence and a curve");
}

/* ---- fields with known solutions ----------------------------------------- */

/* (radius, angle) to (x, y). */
static void polar(double *x, double *y)
{
    const double r = *x, angle = *y;

    *x = r * cos(angle);
    *y = r * sin(angle);
}

static const yk_field_material air[] = { { .name = "air" } };

/* Inductance of a length of one metre: a wire of radius 1 mm inside a shell
 * from 3 to 4 mm that carries the current back, a quarter of it. */
static double coaxial_error(int n)
{
    const double a = 1e-3, b = 3e-3, c = 4e-3, c2 = c * c, b2 = b * b;
    const fixture_grid g = { .count = 3,
                             .rows = 2 * n,
                             .end = { 1e-6, a, b, c },
                             .cells = { n, n, n },
                             .region = { 0, 1, 2 },
                             .regions = 3,
                             .low = 0.0,
                             .high = pi / 2,
                             .map = polar,
                             .fix_right = true };
    yoke_mesh *mesh = fixture_mesh(&g);
    const int region[] = { 0, 2 }, material_of[] = { 0, 0, 0 };
    const double turns[] = { 0.25, -0.25 }, current = 2.0;
    const yk_field_winding w = { "cable", 2, region, turns, 1.0, 0.0, 0.0 };
    const yk_field f = { .mesh = mesh,
                         .unit = 1.0,
                         .depth = 1.0,
                         .symmetry = 4.0,
                         .materials = 1,
                         .windings = 1,
                         .fixed = 1,
                         .material = air,
                         .material_of = material_of,
                         .winding = &w,
                         .fixed_line = only };
    const double shell =
        (c2 * c2 * log(c / b) - c2 * (c2 - b2) + (c2 * c2 - b2 * b2) / 4) /
        ((c2 - b2) * (c2 - b2));
    const double exact = YK_MU0 / (2 * pi) * (log(b / a) + 0.25 + shell);
    yk_field_solver *s = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yk_field_solver_create(&s, &f, &err), &err);
    CHECK_OK(yk_field_solve_current(s, &current, &err), &err);
    CHECK_NEAR(s->energy, 0.5 * s->phi[0] * current, 1e-12 * s->energy);
    const double error = s->phi[0] / current / exact - 1.0;
    yk_field_solver_free(s);
    yoke_mesh_free(mesh);
    return error;
}

static void a_coaxial_cable_has_its_inductance(void **state)
{
    const double coarse = coaxial_error(8), fine = coaxial_error(16),
                 finest = coaxial_error(32);

    (void)state;
    printf("coaxial cable: errors %.3g %.3g %.3g\n", coarse, fine, finest);
    CHECK_BETWEEN(fabs(finest), 0.0, 1e-3);
    CHECK_BETWEEN(coarse / fine, 3.6, 4.4); /* second order */
    CHECK_BETWEEN(fine / finest, 3.6, 4.4);
}

/* A piece of a long coil around the axis, inner and outer radius 10, 14 mm. */
static double solenoid_error(int n)
{
    const double a = 10e-3, b = 14e-3, height = 5e-3, d = b - a, N = 200;
    const fixture_grid g = { .count = 3,
                             .rows = n,
                             .end = { 0.0, a, b, 20e-3 },
                             .cells = { n, n, n },
                             .region = { 0, 1, 0 },
                             .regions = 2,
                             .low = 0.0,
                             .high = height };
    yoke_mesh *mesh = fixture_mesh(&g);
    const int region[] = { 1 }, material_of[] = { 0, 0 };
    const yk_field_winding w = { "coil", 1, region, &N, NAN, 58e6, 0.5 };
    const yk_field f = { .mesh = mesh,
                         .unit = 1.0,
                         .axisymmetric = true,
                         .symmetry = 1.0,
                         .materials = 1,
                         .windings = 1,
                         .material = air,
                         .material_of = material_of,
                         .winding = &w };
    const double exact =
        2 * pi * YK_MU0 * N * N / height * (a * a / 2 + b * d / 3 - d * d / 4);
    const double current = 3.0;
    yk_field_solver *s = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yk_field_solver_create(&s, &f, &err), &err);
    CHECK_OK(yk_field_solve_current(s, &current, &err), &err);
    /* R of wires in series, of the mean length. */
    CHECK_NEAR(s->model.resistance[0],
               N * N * pi * (a + b) / (58e6 * 0.5 * height * d),
               2e-3 * s->model.resistance[0]);
    const double error = s->phi[0] / current / exact - 1.0;
    yk_field_solver_free(s);
    yoke_mesh_free(mesh);
    return error;
}

static void a_long_coil_has_its_inductance(void **state)
{
    const double coarse = solenoid_error(4), fine = solenoid_error(8),
                 finest = solenoid_error(16);

    (void)state;
    printf("long coil: errors %.3g %.3g %.3g\n", coarse, fine, finest);
    CHECK_BETWEEN(fabs(finest), 0.0, 1e-3);
    CHECK_BETWEEN(coarse / fine, 3.5, 4.5);
    CHECK_BETWEEN(fine / finest, 3.5, 4.5);
}

/* A core of iron without end along y, closed above and below by symmetry, with
 * a gap of another material between: flux along y, a coil on both sides.  The
 * gap reaches across coil and air, so that the field is along y everywhere: H
 * is the same in all columns of one height, and Ampere's law
 *
 *     N i = H_iron(B) l_iron + B/mu_0 l_gap
 *
 * holds for the inner column exactly if the layers are the whole height; here
 * there is one layer: iron in the core, so N i = H(B) height. */
static void iron_in_a_coil_obeys_amperes_law(void **state)
{
    const double width = 10e-3, height = 20e-3, N = 100, current = 4.0,
                 depth = 30e-3;
    const fixture_grid g = { .count = 3,
                             .rows = 3,
                             .end = { 0.0, width, 12e-3, 20e-3 },
                             .cells = { 4, 8, 3 },
                             .region = { 0, 1, 2 },
                             .regions = 3,
                             .low = 0.0,
                             .high = height,
                             .fix_left = true };
    yoke_mesh *mesh = fixture_mesh(&g);
    const int region[] = { 1 }, material_of[] = { 1, 0, 0 };
    const yk_field_material material[] = {
        { .name = "air" },
        { .name = "steel", .bh = YK_BH_TABLE, .points = STEEL, .point = steel },
    };
    const yk_field_winding w = { "coil", 1, region, &N, 0.1, 0.0, 0.0 };
    const yk_field f = { .mesh = mesh,
                         .unit = 1.0,
                         .depth = depth,
                         .symmetry = 1.0,
                         .materials = 2,
                         .windings = 1,
                         .fixed = 1,
                         .material = material,
                         .material_of = material_of,
                         .winding = &w,
                         .fixed_line = only };
    yk_field_solver *s = NULL;
    yk_bh bh = { .nu = 0.0 };
    yoke_err err = { YOKE_OK, "" };
    double low = 0.0, high = 5.0;

    (void)state;
    CHECK_OK(yk_bh_create(&bh, &material[1], &err), &err);
    for (int k = 0; k < 100; k++) {
        const double b = 0.5 * (low + high);
        if (yk_bh_eval(&bh, b).nu * b < N * current / height)
            low = b;
        else
            high = b;
    }
    CHECK_OK(yk_field_solver_create(&s, &f, &err), &err);
    CHECK_OK(yk_field_solve_current(s, &current, &err), &err);
    /* Flux through the core, and a third of that of a full coil in the coil. */
    const double air_flux = YK_MU0 * N * current / height * 2e-3 / 3.0;
    CHECK_NEAR(s->phi[0], N * depth * (low * width + air_flux),
               1e-5 * s->phi[0]);
    yk_bh_clear(&bh);
    yk_field_solver_free(s);
    yoke_mesh_free(mesh);
}

/* An iron ring of rectangular section around the axis, cut by a gap across the
 * axis is not axisymmetric; a pot: iron of very high permeability everywhere
 * but in a disc, the gap, so that all the voltage of the coil lies across it.
 */
static void a_gapped_core_has_the_inductance_of_its_gap(void **state)
{
    const double gap = 0.2e-3, radius = 10e-3, N = 50, current = 1.0;
    const fixture_grid g = { .count = 3,
                             .rows = 8,
                             .end = { 0.0, radius, 15e-3, 18e-3 },
                             .cells = { 10, 5, 3 },
                             .region = { 0, 1, 2 },
                             .regions = 3,
                             .low = 0.0,
                             .high = gap };
    yoke_mesh *mesh = fixture_mesh(&g);
    const int region[] = { 1 }, material_of[] = { 0, 0, 1 };
    const yk_field_material material[] = { { .name = "air" },
                                           { .name = "iron", .mu_r = 1e6 } };
    const yk_field_winding w = { "coil", 1, region, &N, 0.1, 0.0, 0.0 };
    const yk_field f = { .mesh = mesh,
                         .unit = 1.0,
                         .axisymmetric = true,
                         .symmetry = 1.0,
                         .materials = 2,
                         .windings = 1,
                         .material = material,
                         .material_of = material_of,
                         .winding = &w };
    yk_field_solver *s = NULL;
    yoke_err err = { YOKE_OK, "" };
    const double d = 5e-3, b = 15e-3;
    const double exact = 2 * pi * YK_MU0 * N * N / gap *
                         (radius * radius / 2 + b * d / 3 - d * d / 4);

    (void)state;
    CHECK_OK(yk_field_solver_create(&s, &f, &err), &err);
    CHECK_OK(yk_field_solve_current(s, &current, &err), &err);
    CHECK_NEAR(s->phi[0] / current, exact, 5e-3 * exact);
    yk_field_solver_free(s);
    yoke_mesh_free(mesh);
}

/* ---- systems ------------------------------------------------------------- */

/* Two coils on a core of steel, a quarter of a shell type. */
typedef struct two_coils {
    yoke_mesh *mesh;
    yk_field field;
    yk_field_winding winding[2];
    yk_field_material material[3];
    int region[2], material_of[4];
    double turns[2];
} two_coils;

static void make_two(two_coils *t, double sigma, double remanence)
{
    const fixture_grid g = { .count = 4,
                             .rows = 6,
                             .end = { 0.0, 10e-3, 14e-3, 20e-3, 30e-3 },
                             .cells = { 4, 3, 3, 4 },
                             .region = { 0, 1, 2, 3 },
                             .regions = 4,
                             .low = 0.0,
                             .high = 20e-3,
                             .fix_left = true,
                             .fix_right = true };
    *t = (two_coils){
        .material = { { .name = "air" },
                      { .name = "steel",
                        .bh = YK_BH_BRAUER,
                        .brauer = { 0.3774, 2.970, 388.33 } },
                      { .name = "outer",
                        .mu_r = 1.05,
                        .sigma = sigma,
                        .insulated = true,
                        .remanence = { 0.0, remanence } } },
        .region = { 1, 2 },
        .turns = { 50, 20 },
        .material_of = { 1, 0, 0, 2 },
    };
    t->mesh = fixture_mesh(&g);
    t->winding[0] = (yk_field_winding){ "one",        1,   &t->region[0],
                                        &t->turns[0], 0.5, 0.0,
                                        0.0 };
    t->winding[1] = (yk_field_winding){ "two",        1,   &t->region[1],
                                        &t->turns[1], 0.2, 0.0,
                                        0.0 };
    t->field = (yk_field){
        .mesh = t->mesh,
        .unit = 1.0,
        .depth = 30e-3,
        .symmetry = 4.0,
        .materials = 3,
        .windings = 2,
        .fixed = 1,
        .material = t->material,
        .material_of = t->material_of,
        .winding = t->winding,
        .fixed_line = only,
    };
}

static void conforms(const yk_field *f, const double *x, const double *u)
{
    yoke_system *system = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yk_field_create(&system, "device", f, &err), &err);
    CHECK_OK(yoke_conform(system, 0.0, x, u, &err), &err);
    yoke_system_free(system);
}

static void systems_of_all_kinds_conform(void **state)
{
    static const double flux[] = { 0.35, 0.13 }, voltage[] = { 3.0, -1.0 },
                        current[] = { 4.0, 2.0 };

    (void)state;
    for (int drive = 0; drive < 3; drive++)
        for (int extract = 0; extract < 3; extract++)
            for (int magnet = 0; magnet < 2; magnet++) {
                two_coils t;
                make_two(&t, 0.0, magnet ? 0.8 : 0.0);
                t.field.drive = (yk_field_drive)drive;
                t.field.extract = (yk_field_extract)extract;
                conforms(&t.field, drive == 2 ? voltage : flux,
                         drive == 0   ? voltage
                         : drive == 1 ? flux
                                      : current);
                yoke_mesh_free(t.mesh);
            }
}

static void systems_with_conductors_conform(void **state)
{
    static const double u[] = { 3.0, -1.0 };

    (void)state;
    for (int drive = 0; drive < 3; drive += 2) {
        two_coils t;
        make_two(&t, 1e6, 0.4);
        t.field.drive = (yk_field_drive)drive;
        conforms(&t.field, NULL, u);
        t.material[2].insulated = false;
        conforms(&t.field, NULL, u);
        yoke_mesh_free(t.mesh);
    }
}

static void an_inductance_conforms(void **state)
{
    static const char *const name[] = { "one", "two", "three" };
    static const double resistance[] = { 1, 2, 3 }, flux[] = { 0.1, 0, 0.2 };
    static const double x[] = { 1, 2, 3, 4, 5, 6 },
                        u[] = { 1, 2, 3, 10, 1, 2, 11, 3, 12, 0.1, 0.2, 0.3 };

    (void)state;
    for (int offset = 0; offset < 2; offset++) {
        const yk_inductance l = { 3, name, resistance, flux, offset == 1 };
        yoke_system *system = NULL;
        yoke_err err = { YOKE_OK, "" };
        CHECK_OK(yk_inductance_create(&system, "coils", &l, &err), &err);
        CHECK_OK(yoke_conform(system, 0.0, x, u, &err), &err);
        assert_int_equal(yoke_system_facts(system)->m, offset ? 12 : 9);
        assert_string_equal(yoke_system_facts(system)->u_name[5],
                            "L.one.three");
        yoke_system_free(system);
    }
}

/* The solution does not depend on where the iteration begins. */
static void the_field_is_the_same_from_every_start(void **state)
{
    static const double far[][2] = {
        { 0.0, 0.0 }, { 2.0, 0.8 }, { -3.0, -1.2 }, { 0.01, -0.02 }
    };
    static const double phi[2] = { 0.4, 0.16 };
    two_coils t;
    yk_field_solver *s = NULL;
    yoke_err err = { YOKE_OK, "" };
    double first[2] = { 0.0, 0.0 };

    (void)state;
    make_two(&t, 0.0, 0.0);
    CHECK_OK(yk_field_solver_create(&s, &t.field, &err), &err);
    for (int k = 0; k < 4; k++) {
        CHECK_OK(yk_field_solve_flux(s, far[k], &err), &err);
        CHECK_OK(yk_field_solve_flux(s, phi, &err), &err);
        if (k == 0) memcpy(first, s->i, sizeof first);
        for (int j = 0; j < 2; j++)
            CHECK_NEAR(s->i[j], first[j], 1e-9 * fabs(first[j]));
    }
    /* Back by the currents; chord and tangent of the same field. */
    const double i[2] = { s->i[0], s->i[1] }, zero[2] = { 0.0, 0.0 };
    CHECK_OK(yk_field_solve_current(s, zero, &err), &err);
    CHECK_OK(yk_field_solve_current(s, i, &err), &err);
    CHECK_OK(yk_field_chord(s, &err), &err);
    CHECK_OK(yk_field_tangent(s, 0.0, &err), &err);
    for (int j = 0; j < 2; j++) {
        CHECK_NEAR(s->phi[j], phi[j], 1e-10);
        CHECK_NEAR(s->L_chord[2 * j] * i[0] + s->L_chord[2 * j + 1] * i[1],
                   phi[j], 1e-10);
    }
    assert_true(s->L[0] < s->L_chord[0]); /* saturated */
    yk_field_solver_free(s);
    yoke_mesh_free(t.mesh);
}

/* Units may be in other processes, which do not see what others ask. */
static void what_others_ask_shows_in_no_bit(void **state)
{
    static const double way[][2] = { { 0.2, 0.08 }, { 0.4, 0.16 } };
    static const double far[2] = { -3.0, -1.2 }, voltage[2] = { 3.0, -1.0 };
    double y[2][32];
    yoke_err err = { YOKE_OK, "" };

    (void)state;
    for (int asked = 0; asked < 2; asked++) {
        two_coils t;
        yoke_system *system = NULL;
        make_two(&t, 0.0, 0.0);
        CHECK_OK(yk_field_create(&system, "device", &t.field, &err), &err);
        for (int k = 0; k < 2; k++) {
            CHECK_OK(yoke_system_output(system, 0.0, way[k], voltage, y[asked],
                                        &err),
                     &err);
            if (!asked || k == 1) continue;
            double other[32];
            for (int depth = 0; depth < 2; depth++)
                yk_system_aside(system, true);
            CHECK_OK(yoke_system_output(system, 0.0, far, voltage, other, &err),
                     &err);
            for (int depth = 0; depth < 2; depth++)
                yk_system_aside(system, false);
        }
        assert_in_range(yoke_system_facts(system)->p, 2, 32);
        assert_int_equal(system->asides, 0);
        yoke_system_free(system);
        yoke_mesh_free(t.mesh);
    }
    assert_memory_equal(y[0], y[1], 4 * sizeof **y); /* i and phi */
}

static void a_field_is_drawn(void **state)
{
    static const double current[] = { 4.0, 2.0 };
    two_coils t;
    yoke_system *system = NULL;
    yoke_err err = { YOKE_OK, "" };

    (void)state;
    make_two(&t, 0.0, 0.0);
    CHECK_OK(yk_field_create(&system, "device", &t.field, &err), &err);
    yoke_mesh_free(t.mesh);
    CHECK_OK(yoke_field_draw(system, current, "field", "field_test.svg", &err),
             &err);
    assert_int_equal(remove("field_test.svg"), 0);
    yoke_system_free(system);
    make_two(&t, 1e6, 0.0);
    CHECK_OK(yk_field_create(&system, "device", &t.field, &err), &err);
    CHECK_STATUS(yoke_field_draw(system, current, NULL, "field_test.svg", &err),
                 YOKE_E_ARG, &err);
    yoke_system_free(system);
    yoke_mesh_free(t.mesh);
}

static void refuse(two_coils *t, const char *part)
{
    yoke_system *system = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_STATUS(yk_field_create(&system, "device", &t->field, &err),
                 YOKE_E_MODEL, &err);
    assert_null(system);
    CHECK_CONTAINS(err.text, "field \"device\"");
    CHECK_CONTAINS(err.text, part);
    yoke_mesh_free(t->mesh);
}

static void fields_that_cannot_be_meant_are_refused(void **state)
{
    two_coils t;

    (void)state;
    make_two(&t, 0.0, 0.0);
    t.material_of[3] = -1;
    refuse(&t, "the region \"r3\" has no material");
    make_two(&t, 0.0, 0.0);
    t.field.unit = 1e6;
    refuse(&t, "is not plausible; \"unit\"");
    make_two(&t, 0.0, 0.0);
    t.turns[1] = 0.0;
    refuse(&t, "winding \"two\": 0 turns in \"r2\"");
    make_two(&t, 0.0, 0.0);
    t.winding[0].resistance = NAN;
    refuse(&t, "winding \"one\" has no resistance");
    make_two(&t, 0.0, 0.0);
    t.region[1] = 1;
    refuse(&t, "not independent");
    make_two(&t, 0.0, 0.0);
    t.field.fixed = 0;
    refuse(&t, "fixed nowhere");
    make_two(&t, 1e6, 0.0);
    t.field.extract = YK_EXTRACT_CHORD;
    refuse(&t, "with conducting regions");
    make_two(&t, 1e6, 0.0);
    t.material_of[1] = 2;
    refuse(&t, "winding \"one\": its region \"r1\" is of a conducting");
    make_two(&t, 0.0, 0.0);
    t.field.axisymmetric = true;
    for (int k = 0; k < t.mesh->nodes; k++) t.mesh->x[k] -= 0.01;
    refuse(&t, "x is the radius");
    make_two(&t, 0.0, 0.0);
    t.winding[1].name = "one";
    refuse(&t, "two windings \"one\"");
}

/* ---- eddy currents ------------------------------------------------------- */

/* A conducting sheet of half width d between two coils whose current is
 * switched on: the field diffuses into it,
 *
 *     flux = flux_oo (1 - sum 8 / (pi m)^2 exp(-m^2 t / tau)), m odd,
 *     tau = 4 mu_0 sigma d^2 / pi^2.
 */
static void a_field_diffuses_into_a_conductor(void **state)
{
    const double d = 5e-3, sigma = 1e7, N = 10, height = 10e-3, depth = 0.1;
    const fixture_grid g = { .count = 2,
                             .rows = 1,
                             .end = { 0.0, d, d * 1.0001 },
                             .cells = { 80, 1 },
                             .region = { 0, 1 },
                             .regions = 2,
                             .low = 0.0,
                             .high = height,
                             .fix_left = true };
    yoke_mesh *mesh = fixture_mesh(&g);
    const yk_field_material material[] = {
        { .name = "air" }, { .name = "sheet", .sigma = sigma }
    };
    const int region[] = { 1 }, material_of[] = { 1, 0 };
    const yk_field_winding w = { "coil", 1, region, &N, 0.0, 0.0, 0.0 };
    const yk_field f = { .mesh = mesh,
                         .unit = 1.0,
                         .depth = depth,
                         .symmetry = 1.0,
                         .materials = 2,
                         .windings = 1,
                         .fixed = 1,
                         .material = material,
                         .material_of = material_of,
                         .winding = &w,
                         .fixed_line = only,
                         .drive = YK_DRIVE_CURRENT };
    const double tau = 4 * YK_MU0 * sigma * d * d / (pi * pi);
    const double full = N * N * YK_MU0 / height * d * depth;
    yoke_stepper_options options = yoke_stepper_defaults();
    yoke_system *system = NULL;
    yk_propagator p = { NULL, NULL, 0, 0, 0, false };
    yk_wave *u = NULL, *y = NULL;
    yoke_err err = { YOKE_OK, "" };
    const double one = 1.0, none = 0.0;
    double start[2], end[2], part = 1.0;

    (void)state;
    for (int m = 1; m < 60; m += 2)
        part -= 8.0 / (pi * pi * m * m) * exp(-m * m * 1.0);
    options.rtol = 1e-7;
    CHECK_OK(yk_field_create(&system, "sheet", &f, &err), &err);
    CHECK_OK(yk_stepper_create(&p, system, &options, 0, NULL, &err), &err);
    CHECK_OK(yk_wave_create(&u, 1, &err), &err);
    CHECK_OK(yk_wave_create(&y, 2, &err), &err);
    CHECK_OK(p.ops->start(p.self, 0.0, NULL, &none, start, &err), &err);
    yk_wave_clear(u, 0.0);
    CHECK_OK(yk_wave_append(u, tau, 0, &one, &err), &err);
    CHECK_OK(p.ops->sweep(p.self, tau, u, y, &err), &err);
    yk_wave_eval(y, tau, NULL, end);
    CHECK_NEAR(end[0], full * part, 1e-3 * full);
    p.ops->free(p.self);
    yk_wave_free(u);
    yk_wave_free(y);
    yoke_system_free(system);
    yoke_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_are_consistent),
        cmocka_unit_test(curves_that_are_none_are_refused),
        cmocka_unit_test(a_coaxial_cable_has_its_inductance),
        cmocka_unit_test(a_long_coil_has_its_inductance),
        cmocka_unit_test(iron_in_a_coil_obeys_amperes_law),
        cmocka_unit_test(a_gapped_core_has_the_inductance_of_its_gap),
        cmocka_unit_test(systems_of_all_kinds_conform),
        cmocka_unit_test(systems_with_conductors_conform),
        cmocka_unit_test(an_inductance_conforms),
        cmocka_unit_test(the_field_is_the_same_from_every_start),
        cmocka_unit_test(what_others_ask_shows_in_no_bit),
        cmocka_unit_test(a_field_is_drawn),
        cmocka_unit_test(fields_that_cannot_be_meant_are_refused),
        cmocka_unit_test(a_field_diffuses_into_a_conductor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
