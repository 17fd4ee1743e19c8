/* comp/semiconductor/diode_test.c */
#include "check.h"
#include "comp/semiconductor/device.h"
#include "yoke/check.h"
#include "yoke/semiconductor.h"

#include <math.h>
#include <string.h>

static const double nm = 1e-9;

/* 50 nm n and 50 nm p, as in Bartel, Brunk, Guenther, Schoeps. */
static const yoke_doping abrupt[] = {
    { .kind = YOKE_DOPING_LAYER, .density = 5e24, .from = 0.0, .to = 50e-9 },
    { .kind = YOKE_DOPING_LAYER, .density = -5e24, .from = 50e-9, .to = 1e-7 }
};

static yoke_diode small(int cells)
{
    yoke_diode d = yoke_diode_defaults();

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

static yoke_system *create(const yoke_diode *given)
{
    yoke_system *system = NULL;
    yoke_err err;

    CHECK_OK(yoke_diode_create(&system, "diode", given, &err), &err);
    return system;
}

/* Fields and recombination of every kind, all couplings, both directions. */
static void diodes_conform(void **state)
{
    static const yoke_doping turned[] = {
        { .kind = YOKE_DOPING_LAYER, .density = -4e24, .to = 30e-9 },
        { .kind = YOKE_DOPING_LAYER,
          .density = 2e24,
          .from = 30e-9,
          .to = 1e-7 }
    };

    (void)state;
    for (int k = 0; k < 12; k++) {
        yoke_diode d = small(10);
        yoke_err err;
        d.copies = 1500.0;
        d.coupling = (yoke_diode_coupling)(k % 3);
        if (k >= 6) d.doping = turned;
        if (k / 3 % 2) {
            d.bias = 0.9;
            d.electrons.saturation = 1e5;
            d.holes.saturation = 8e4;
            d.electrons.lifetime = 1e-12;
            d.holes.lifetime = 2e-12;
            d.electrons.auger = 2.8e-43;
            d.holes.auger = 9.9e-44;
            d.mobility = YOKE_MOBILITY_ARORA;
        }
        yoke_system *system = create(&d);
        const double u = d.coupling == YOKE_DIODE_PORT ? 1e-3 : d.bias;
        CHECK_OK(yoke_conform(system, 0.0, NULL, &u, &err), &err);
        yoke_system_free(system);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diodes_conform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
