/* comp/semiconductor/diode_test.c */
#include "check.h"
#include "comp/semiconductor/device.h"
#include "yoke/check.h"
#include "comp/semiconductor/semiconductor.h"

#include <math.h>
#include <string.h>

static const double nm = 1e-9;

/* 50 nm n and 50 nm p, as in Bartel, Brunk, Guenther, Schoeps. */
static const yk_diode_doping abrupt[] = {
    { .kind = YK_DOPING_LAYER, .density = 5e24, .from = 0.0, .to = 50e-9 },
    { .kind = YK_DOPING_LAYER, .density = -5e24, .from = 50e-9, .to = 1e-7 }
};

static yk_diode small(int cells)
{
    yk_diode d = yk_diode_defaults();

    d.length = 100.0 * nm;
    d.area = 1e-14;
    d.dopings = 2;
    d.doping = abrupt;
    d.cells = cells;
    d.permittivity = 1e-10;
    d.thermal_voltage = 0.026;
    d.charge = 1.6e-19;
    d.electrons.mobility = 0.027;
    d.holes.mobility = 0.0085;
    return d;
}

static yoke_system *create(const yk_diode *given)
{
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yk_diode_create(&system, "diode", given, &err), &err);
    return system;
}

/* Fields and recombination of every kind, all couplings, both directions. */
static void diodes_conform(void **state)
{
    static const yk_diode_doping turned[] = {
        { .kind = YK_DOPING_LAYER, .density = -4e24, .to = 30e-9 },
        { .kind = YK_DOPING_LAYER, .density = 2e24, .from = 30e-9, .to = 1e-7 }
    };

    (void)state;
    for (int k = 0; k < 12; k++) {
        yk_diode d = small(10);
        yoke_err err;
        d.copies = 1500.0;
        d.coupling = (yk_diode_coupling)(k % 3);
        if (k >= 6) d.doping = turned;
        if (k / 3 % 2) {
            d.bias = 0.9;
            d.electrons.saturation = 1e5;
            d.holes.saturation = 8e4;
            d.electrons.lifetime = 1e-12;
            d.holes.lifetime = 2e-12;
            d.electrons.auger = 2.8e-43;
            d.holes.auger = 9.9e-44;
            d.mobility = YK_MOBILITY_ARORA;
        }
        yoke_system *system = create(&d);
        const double u = d.coupling == YK_DIODE_PORT ? 1e-3 : d.bias;
        CHECK_OK(yoke_conform(system, 0.0, NULL, &u, &err), &err);
        yoke_system_free(system);
    }
}

/* ---- statics ------------------------------------------------------------- */

/* A long diode with different sides, 1 um and 10^16, 10^17 1/cm^3. */
static const yk_diode_doping unequal[] = {
    { .kind = YK_DOPING_LAYER, .density = -1e23, .from = 0.0, .to = 1e-6 },
    { .kind = YK_DOPING_LAYER, .density = 1e22, .from = 1e-6, .to = 2e-6 }
};

static yk_diode long_diode(int cells)
{
    yk_diode d = yk_diode_defaults();

    d.length = 2e-6;
    d.area = 1e-12;
    d.dopings = 2;
    d.doping = unequal;
    d.cells = cells;
    d.finest = 2.0 * nm;
    return d;
}

/* UT ln(Na Nd / ni^2); n p = ni^2 everywhere, and no current flows. */
static void equilibrium_has_the_built_in_potential(void **state)
{
    const yk_diode given = long_diode(300);
    const double ut = given.thermal_voltage, ni = given.intrinsic;
    const double want = ut * log(1e23 * 1e22 / (ni * ni));
    yk_diode_facts facts;
    yk_dd d = { 0 };
    yoke_err err;

    (void)state;
    CHECK_OK(yk_diode_look(&given, &facts, &err), &err);
    CHECK_NEAR(facts.built_in, want, 1e-9 * want);
    CHECK_NEAR(facts.capacitance, given.permittivity * 1e-12 / 2e-6, 1e-25);
    CHECK_OK(yk_dd_create(&d, &given, &err), &err);
    double x[YK_FIELDS * 400];
    assert_true(d.inner <= 400);
    CHECK_OK(yk_dd_equilibrium(&d, x, &err), &err);
    CHECK_NEAR(x[YK_FIELDS * (d.inner - 1)] - x[0], want, 1e-3 * want);
    for (int k = 0; k < d.inner; k++)
        CHECK_NEAR(x[YK_FIELDS * k + 1] * x[YK_FIELDS * k + 2] / (ni * ni), 1.0,
                   1e-10);
    /* against the current of the majority alone, q mu n UT/L A */
    const double size = 1.6e-19 * 0.045 * 1e23 * ut / 2e-6 * 1e-12;
    CHECK_NEAR(yk_dd_current(&d, x, 0.0, NULL, NULL) / size, 0.0, 1e-11);
    yk_dd_clear(&d);
}

/* Width of the depletion layer on the p (0) and n side. */
static void depletion(const yk_diode *g, double v, double width[2])
{
    const double na = 1e23, nd = 1e22, ut = g->thermal_voltage;
    const double bend =
        ut * log(na * nd / (g->intrinsic * g->intrinsic)) - v - 2.0 * ut;
    const double all =
        sqrt(2.0 * g->permittivity * bend / g->charge * (1.0 / na + 1.0 / nd));

    width[0] = all * nd / (na + nd);
    width[1] = all * na / (na + nd);
}

/* I = q A ni^2 (Dn/(Wp Na) + Dp/(Wn Nd)) (e^(V/UT) - 1) with neutral sides Wp,
 * Wn: short base, low injection; a decade of current per UT ln 10 = 59.5 mV. */
static void low_injection_is_an_ideal_short_diode(void **state)
{
    const yk_diode g = long_diode(400);
    const double v[] = { -0.5, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5 };
    const double ut = g.thermal_voltage;
    double i[7], width[2];
    yoke_err err;

    (void)state;
    CHECK_OK(yk_diode_sweep(&g, 7, v, i, &err), &err);
    for (int k = 0; k < 7; k++) {
        depletion(&g, v[k], width);
        const double want = g.charge * g.area * g.intrinsic * g.intrinsic * ut *
                            (g.electrons.mobility / ((1e-6 - width[0]) * 1e23) +
                             g.holes.mobility / ((1e-6 - width[1]) * 1e22)) *
                            expm1(v[k] / ut);
        print_message("%g V: %.5g A, %.4f of the formula\n", v[k], i[k],
                      i[k] / want);
        CHECK_BETWEEN(i[k] / want, 0.995, 1.005);
    }
    const double decade = (v[5] - v[3]) / log10(i[5] / i[3]);
    print_message("%.3f mV per decade\n", 1e3 * decade);
    CHECK_NEAR(decade / (ut * log(10.0)), 1.0, 0.01);
}

/* The whole current is the same over all edges of a static state. */
static void static_current_is_the_same_everywhere(void **state)
{
    yk_diode given = small(100);
    yk_dd d = { 0 };
    double x[YK_FIELDS * 99], v = 0.0;
    yoke_err err;

    (void)state;
    CHECK_OK(yk_dd_create(&d, &given, &err), &err);
    CHECK_OK(yk_dd_equilibrium(&d, x, &err), &err);
    CHECK_OK(yk_dd_move(&d, x, &v, 0.9, &err), &err);
    const double i = yk_dd_current(&d, x, v, NULL, NULL);
    print_message("%.6g A at 0.9 V\n", i);
    for (int k = 0; k < d.edges; k++)
        CHECK_NEAR(yk_dd_edge_current(&d, x, v, k) / i, 1.0, 1e-6);
    yk_dd_clear(&d);
}

/* Doubling an equal grid divides the error of the current by four. */
static void grids_converge_with_order_two(void **state)
{
    const double v = 0.9;
    double i[5], error[4];
    yoke_err err;

    (void)state;
    for (int k = 0; k < 5; k++) {
        const yk_diode d = small(50 << k);
        CHECK_OK(yk_diode_sweep(&d, 1, &v, &i[k], &err), &err);
    }
    for (int k = 0; k < 4; k++) error[k] = fabs(i[k] - i[4]);
    for (int k = 0; k < 3; k++)
        print_message("%d cells: error %.3g, order %.2f\n", 50 << k,
                      error[k] / i[4], log2(error[k] / error[k + 1]));
    CHECK_BETWEEN(log2(error[0] / error[1]), 1.7, 2.3);
    CHECK_BETWEEN(log2(error[1] / error[2]), 1.7, 2.5);
}

/* Recombination adds to the current, saturation of velocity takes from it;
 * mobilities by doping are those of the papers' curves. */
static void physics_acts_in_the_right_direction(void **state)
{
    const double v[] = { 0.3, 0.9 };
    const yk_diode_carrier none = { 0 };
    yk_diode d = long_diode(300);
    double plain[2], other[2];
    yoke_err err;

    (void)state;
    CHECK_OK(yk_diode_sweep(&d, 2, v, plain, &err), &err);
    d.electrons.lifetime = d.holes.lifetime = 1e-9;
    CHECK_OK(yk_diode_sweep(&d, 2, v, other, &err), &err);
    CHECK_BETWEEN(other[0] / plain[0], 2.0, 1e4);
    d = long_diode(300);
    d.electrons.auger = d.holes.auger = 1e-36;
    CHECK_OK(yk_diode_sweep(&d, 2, v, other, &err), &err);
    CHECK_BETWEEN(other[0] / plain[0], 1.01, 1e4);
    d = long_diode(300);
    d.electrons.saturation = 1.07e5;
    d.holes.saturation = 8.37e4;
    CHECK_OK(yk_diode_sweep(&d, 2, v, other, &err), &err);
    CHECK_BETWEEN(other[1] / plain[1], 0.3, 0.9999);
    CHECK_NEAR(yk_mobility(YK_MOBILITY_ARORA, &none, false, 1.26e23), 0.0714,
               1e-6);
    CHECK_NEAR(yk_mobility(YK_MOBILITY_ARORA, &none, true, 0.0), 0.04613, 1e-6);
    CHECK_NEAR(yk_mobility(YK_MOBILITY_MASETTI, &none, false, 0.0), 0.1417,
               1e-6);
    CHECK_NEAR(yk_mobility(YK_MOBILITY_MASETTI, &none, true, 2.23e23), 0.02648,
               1e-4);
}

/* ---- doping and grids ---------------------------------------------------- */

static double ramp(void *context, double x)
{
    return *(double *)context * (0.5e-6 - x);
}

static void profiles_of_all_kinds_add_up(void **state)
{
    const double at[] = { 0.0, 1e-6 }, value[] = { 2e22, -2e22 };
    double slope = 1e28;
    const yk_diode_doping parts[] = {
        { .kind = YK_DOPING_TABLE, .points = 2, .x = at, .value = value },
        { .kind = YK_DOPING_FUNCTION, .function = ramp, .context = &slope },
        { .kind = YK_DOPING_GAUSSIAN,
          .density = 1e21,
          .at = 0.2e-6,
          .width = 0.05e-6 },
        { .kind = YK_DOPING_LAYER,
          .density = -1e20,
          .from = 0.9e-6,
          .to = 1e-6 },
    };
    yk_diode d = yk_diode_defaults();
    yk_diode_facts facts;
    yoke_err err;
    double *x = NULL;
    int cells = 0;

    (void)state;
    d.length = 1e-6;
    d.area = 1e-12;
    d.dopings = 4;
    d.doping = parts;
    CHECK_NEAR(yk_doping_at(&d, 0.2e-6, 1) / 1.6e22, 1.0, 1e-9);
    CHECK_NEAR(yk_doping_at(&d, 0.95e-6, 1) / -2.26e22, 1.0, 1e-9);
    CHECK_NEAR(yk_doping_mean(&d, 0.4e-6, 0.6e-6) / 1e22, 0.0, 1e-4);
    CHECK_OK(yk_diode_look(&d, &facts, &err), &err);
    assert_int_equal(facts.cells, 200);
    d.finest = 1e-9;
    CHECK_OK(yk_diode_grid(&d, &x, &cells, &err), &err);
    CHECK_BETWEEN(cells, 190, 210);
    double least = 1.0;
    for (int k = 0; k < cells; k++) {
        assert_true(x[k + 1] > x[k]);
        least = fmin(least, x[k + 1] - x[k]);
    }
    CHECK_NEAR(x[cells], 1e-6, 1e-18);
    CHECK_BETWEEN(least, 0.5e-9, 1.2e-9);
    yk_free(x);
}

/* ---- meshes -------------------------------------------------------------- */

enum { ACROSS = 3, ALONG = 24, NODES = (ACROSS + 1) * (ALONG + 1) };
enum { TRIANGLES = 2 * ACROSS * ALONG };

typedef struct plate {
    double x[NODES], y[NODES], doping[TRIANGLES];
    int triangle[TRIANGLES][3], contact[NODES];
    yk_diode_mesh mesh;
} plate;

/* A rectangle of 100 by 40 nm, n at the left and p at the right; nodes of the
 * second row are moved by `shift` of a cell. */
static void make_plate(plate *p, double shift)
{
    for (int k = 0; k < NODES; k++) {
        const int i = k % (ALONG + 1), j = k / (ALONG + 1);
        const bool moved = i > 0 && i < ALONG && j == 1;
        p->x[k] = 100.0 * nm * (i + (moved ? shift : 0.0)) / ALONG;
        p->y[k] = 40.0 * nm * j / ACROSS;
        p->contact[k] = i == 0 ? 2 : i == ALONG ? 1 : 0;
    }
    for (int t = 0; t < TRIANGLES; t++) {
        const int i = t / 2 % ALONG, j = t / 2 / ALONG;
        const int low = j * (ALONG + 1) + i, high = low + ALONG + 1;
        /* the shorter diagonal */
        const int lower[] = { low, low + 1, j == 0 ? high : high + 1 };
        const int upper[] = { j == 0 ? low + 1 : low, high + 1, high };
        memcpy(p->triangle[t], t % 2 ? upper : lower, sizeof lower);
        p->doping[t] = i < ALONG / 2 ? 5e24 : -5e24;
    }
    p->mesh = (yk_diode_mesh){
        NODES,     TRIANGLES,  p->x,      p->y, (const int(*)[3])p->triangle,
        p->doping, p->contact, 250.0 * nm
    };
}

/* The same device as a line and as a rectangle. */
static void rectangle_is_the_line(void **state)
{
    static plate p;
    yk_diode line = small(ALONG), flat = small(ALONG);
    yk_diode_facts a, b;
    const double v[] = { 0.5, 0.9, 1.0 };
    double i[3], j[3];
    yoke_err err;

    (void)state;
    make_plate(&p, 0.0);
    flat.mesh = &p.mesh;
    CHECK_OK(yk_diode_look(&line, &a, &err), &err);
    CHECK_OK(yk_diode_look(&flat, &b, &err), &err);
    CHECK_NEAR(b.capacitance / a.capacitance, 1.0, 1e-12);
    CHECK_NEAR(b.built_in, a.built_in, 1e-12);
    CHECK_OK(yk_diode_sweep(&line, 3, v, i, &err), &err);
    CHECK_OK(yk_diode_sweep(&flat, 3, v, j, &err), &err);
    for (int k = 0; k < 3; k++)
        print_message("%g V: %.8g A and %.8g A\n", v[k], i[k], j[k]);
    CHECK_NEAR(j[1] / i[1], 1.0, 1e-5);
    CHECK_NEAR(j[2] / i[2], 1.0, 1e-7);
}

static void meshes_conform(void **state)
{
    static plate p;

    (void)state;
    make_plate(&p, 0.3);
    for (int k = 0; k < 3; k++) {
        yk_diode d = small(ALONG);
        const double u = k == 2 ? 1e-3 : 0.8;
        yoke_err err;
        d.mesh = &p.mesh;
        d.bias = 0.8;
        d.coupling = (yk_diode_coupling)k;
        d.mobility = YK_MOBILITY_MASETTI;
        d.electrons.saturation = 1e5;
        d.electrons.lifetime = d.holes.lifetime = 1e-12;
        yoke_system *system = create(&d);
        CHECK_OK(yoke_conform(system, 0.0, NULL, &u, &err), &err);
        yoke_system_free(system);
    }
}

static void refuse(const yk_diode *given, const char *text);

static void meshes_that_couple_negatively_are_refused(void **state)
{
    static plate p;
    yk_diode d = small(ALONG);

    (void)state;
    d.mesh = &p.mesh;
    make_plate(&p, 0.0);
    p.y[ALONG + 6] = 3.0 * nm; /* flattens the triangles below it */
    refuse(&d, "has a negative coupling");
    make_plate(&p, 0.0);
    p.contact[0] = 1;
    refuse(&d, "node 1 of the anode has the doping 5e+24");
    make_plate(&p, 0.0);
    for (int k = 0; k < NODES; k++)
        if (p.contact[k] == 2) p.contact[k] = 0;
    refuse(&d, "0 at the cathode");
    make_plate(&p, 0.0);
    for (int t = 0; t < TRIANGLES; t++) p.doping[t] = -5e24;
    for (int k = 0; k < NODES; k++)
        if (p.contact[k] == 2) p.contact[k] = 0;
    refuse(&d, "0 at the cathode");
    make_plate(&p, 0.0);
    p.x[30] = p.x[31];
    p.y[30] = p.y[31];
    refuse(&d, "has no area");
    make_plate(&p, 0.0);
    p.mesh.depth = -1.0;
    refuse(&d, "the depth is -1 m");
    make_plate(&p, 0.0);
    p.triangle[5][1] = 1000;
    refuse(&d, "triangle 6 has the node 1001");
}

/* ---- refusals ------------------------------------------------------------ */

static void refuse(const yk_diode *given, const char *text)
{
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_STATUS(yk_diode_create(&system, "d1", given, &err), YOKE_E_ARG, &err);
    CHECK_CONTAINS(err.text, "\"d1\"");
    CHECK_CONTAINS(err.text, text);
    assert_null(system);
}

static void settings_without_meaning_are_refused_by_name(void **state)
{
    static const double back[] = { 0.0, 60e-9, 40e-9, 1e-7 };
    static const double part[] = { 0.0, 30e-9, 60e-9, 9e-8 };
    yk_diode_doping one[2] = { abrupt[0], abrupt[1] };
    yk_diode d = small(20);

    (void)state;
    d.doping = one;
    one[1].density = 1e23;
    refuse(&d, "the doping has one sign only");
    one[1] = abrupt[1];
    one[1].from = 60e-9;
    one[1].to = 70e-9;
    refuse(&d, "one contact of a diode is n, the other p");
    one[1] = abrupt[1];
    one[1].to = 3e-7;
    refuse(&d, "doping 2: the layer from 5e-08 m to 3e-07 m");
    one[1] = abrupt[1];
    one[1].density = -1e15;
    refuse(&d, "no ohmic contact");
    one[1].density = NAN;
    refuse(&d, "doping 2: the density is nan");
    d = small(20);
    d.length = 100.0;
    refuse(&d, "the length is 100 m");
    d = small(20);
    d.area = -1.0;
    refuse(&d, "the area is -1 m^2");
    d = small(2);
    refuse(&d, "2 cells");
    d = small(20);
    d.electrons.lifetime = -1e-6;
    refuse(&d, "electrons: the lifetime is -1e-06 s");
    d.electrons.lifetime = 1e-6;
    refuse(&d, "both or none");
    d = small(20);
    d.holes.mobility = 0.0;
    refuse(&d, "holes: the mobility is 0");
    d = small(20);
    d.points = 4;
    d.point = back;
    refuse(&d, "do not increase: 4e-08 m after 6e-08 m");
    d.point = part;
    refuse(&d, "the grid goes from 0 m to 9e-08 m");
    d = small(20);
    d.dopings = 0;
    refuse(&d, "no doping");
    d = small(20);
    d.bias = 100.0;
    refuse(&d, "the bias is 100 V");
}

static void allocation_failures_leave_nothing(void **state)
{
    yoke_status status = YOKE_E_MEMORY;
    yoke_err err;

    (void)state;
    for (int k = 1; status != YOKE_OK; k++) {
        yk_diode given = small(8);
        yoke_system *system = NULL;
        given.finest = 5.0 * nm;
        given.bias = 0.1;
        given.coupling = (yk_diode_coupling)(k % 3);
        fault_allocator(k);
        status = yk_diode_create(&system, "d", &given, &err);
        if (status != YOKE_OK) assert_int_equal(status, YOKE_E_MEMORY);
        yoke_system_free(system);
        assert_int_equal(fault_blocks(), 0);
        fault_restore();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diodes_conform),
        cmocka_unit_test(equilibrium_has_the_built_in_potential),
        cmocka_unit_test(low_injection_is_an_ideal_short_diode),
        cmocka_unit_test(static_current_is_the_same_everywhere),
        cmocka_unit_test(grids_converge_with_order_two),
        cmocka_unit_test(physics_acts_in_the_right_direction),
        cmocka_unit_test(profiles_of_all_kinds_add_up),
        cmocka_unit_test(rectangle_is_the_line),
        cmocka_unit_test(meshes_conform),
        cmocka_unit_test(meshes_that_couple_negatively_are_refused),
        cmocka_unit_test(settings_without_meaning_are_refused_by_name),
        cmocka_unit_test(allocation_failures_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
