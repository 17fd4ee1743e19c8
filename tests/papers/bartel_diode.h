/* bartel_diode.h -- the circuit of A. Bartel, M. Brunk, M. Guenther, S.
 * Schoeps, Dynamic iteration for coupled problems of electric circuits and
 * distributed devices (2011), section 7: a source of 1 V and 100 GHz, 1 Ohm, N
 * diodes in parallel.
 *
 *     v = sin(2 pi 1e11 t),  i_V = -(v - v_D)/R,
 *     C v_D' + i = (v - v_D)/R,   C = 0 (A, source) or N C_D (B, capacitance)
 *
 * The paper prints no doping.  Set S2 of the reference has 5e18 1/cm^3 and
 * 270, 85 cm^2/(V s), set S1 4e17 1/cm^3 and 1500, 450; in both the middle of
 * the diode, 20.5 nm, is not doped: so were the expected numbers computed.
 */
#ifndef YK_BARTEL_DIODE_H
#define YK_BARTEL_DIODE_H

#include "check.h"
#include "comp/semiconductor/semiconductor.h"

#include <yoke/yoke.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double resistance = 1.0, ps = 1e-12, each = 1e-17; /* C_D */

typedef struct set {
    double doping, electrons, holes;
} set;

static const set s1 = { 4e23, 0.15, 0.045 }, s2 = { 5e24, 0.027, 0.0085 };

/* ---- the parts ----------------------------------------------------------- */

static inline yoke_system *make_block(const set *s, double copies,
                                      yk_diode_coupling coupling)
{
    const yk_diode_doping doping[] = {
        { .kind = YK_DOPING_LAYER,
          .density = s->doping,
          .from = 0.0,
          .to = 39.75e-9 },
        { .kind = YK_DOPING_LAYER,
          .density = -s->doping,
          .from = 60.25e-9,
          .to = 1e-7 },
    };
    yk_diode d = yk_diode_defaults();
    yoke_system *system = NULL;
    yoke_err err = { YOKE_OK, "" };

    d.length = 1e-7;
    d.area = 1e-14;
    d.copies = copies;
    d.dopings = 2;
    d.doping = doping;
    d.permittivity = 1e-10;
    d.thermal_voltage = 0.026;
    d.charge = 1.6e-19;
    d.electrons.mobility = s->electrons;
    d.holes.mobility = s->holes;
    d.coupling = coupling;
    CHECK_OK(yk_diode_create(&system, "block", &d, &err), &err);
    return system;
}

static inline void source(void *context, double t, double *r)
{
    (void)context;
    r[0] = -sin(2.0 * pi * 1e11 * t);
    r[1] = r[2] = 0.0;
}

/* Unknowns v, v_D, i_V. */
static inline yoke_system *make_circuit(double capacitance, const double *x0)
{
    const double g = 1.0 / resistance;
    const yoke_linear linear = {
        .n = 3,
        .m = 1,
        .E = (double[]){ 0, 0, 0, 0, capacitance, 0, 0, 0, 0 },
        .A = (double[]){ 1, 0, 0, g, -g, 0, g, -g, 1 },
        .B = (double[]){ 0, -1, 0 },
        .source = source,
        .x0 = x0,
        .x_name = (const char *const[]){ "v", "vd", "iv" },
        .u_name = (const char *const[]){ "i" },
    };
    yoke_system *system = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yoke_linear_create(&system, "circuit", &linear, &err), &err);
    return system;
}

/* ---- a tap: the network variables at the end of each sweep --------------- */

enum { NETWORK = 3 };

typedef struct tap {
    double u[NETWORK];
} tap;

static inline yoke_status tap_eval(void *self, double t, const double *x,
                                   const double *u, double *q, double *f,
                                   yoke_err *err)
{
    tap *s = self;

    (void)t;
    (void)err;
    for (int c = 0; c < NETWORK; c++) {
        s->u[c] = u[c];
        if (q) q[c] = 0.0;
        if (f) f[c] = x[c] - u[c];
    }
    return YOKE_OK;
}

static inline yoke_stepper_options euler(double step)
{
    yoke_stepper_options o = yoke_stepper_defaults();

    snprintf(o.method, sizeof o.method, "implicit-euler");
    o.step = step;
    o.max_newton = 50;
    return o;
}

/* Takes the systems; `t` is borrowed and may be NULL. */
static inline yoke_model *make_model(yoke_system *circuit, yoke_system *block,
                                     double step, tap *t)
{
    static const yoke_system_ops ops = { .kind = "tap", .eval = tap_eval };
    static const char *const from[] = { "circuit.v", "circuit.vd",
                                        "circuit.iv" };
    const yoke_system_info info = { .n = NETWORK, .m = NETWORK };
    const yoke_stepper_options stepper = euler(step);
    yoke_model *model = NULL;
    yoke_system *system = NULL;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yoke_model_create(&model, &err), &err);
    CHECK_OK(yoke_model_add(model, circuit, &stepper, &err), &err);
    CHECK_OK(yoke_model_add(model, block, &stepper, &err), &err);
    yoke_graph *g = yoke_model_graph(model);
    CHECK_OK(yoke_graph_signal(g, "block.v", "circuit.vd", 1.0, &err), &err);
    CHECK_OK(yoke_graph_signal(g, "circuit.i", "block.i", 1.0, &err), &err);
    if (!t) return model;
    CHECK_OK(yoke_system_create(&system, "tap", &ops, t, &info, &err), &err);
    CHECK_OK(yoke_model_add(model, system, &stepper, &err), &err);
    for (int c = 0; c < NETWORK; c++) {
        char input[16];
        snprintf(input, sizeof input, "tap.u%d", c + 1);
        CHECK_OK(yoke_graph_signal(g, input, from[c], 1.0, &err), &err);
    }
    return model;
}

/* A: source coupling, B: capacitance; from thermal equilibrium. */
static inline yoke_model *paper_model(const set *s, double copies, char kind,
                                      double step, tap *t)
{
    const bool b = kind == 'B';

    return make_model(
        make_circuit(b ? copies * each : 0.0, NULL),
        make_block(s, copies, b ? YK_DIODE_CAPACITANCE : YK_DIODE_SOURCE), step,
        t);
}

/* ---- runs ---------------------------------------------------------------- */

/* Fixed windows, a fixed number of plain sweeps, constant extrapolation. */
static inline yoke_run_options plain(double stop, double window, int sweeps,
                                     bool device_first)
{
    yoke_run_options o = yoke_run_defaults();

    o.stop = stop;
    o.iterate.window = window;
    o.iterate.max_sweeps = sweeps;
    o.iterate.stop = YOKE_STOP_COUNT;
    o.iterate.accelerate = YOKE_ACCELERATE_NONE;
    o.iterate.extrapolate = 0;
    o.iterate.min_window = 1.0;
    o.iterate.loosen = o.iterate.skip = false;
    o.iterate.rtol = 1e-10;
    o.iterate.atol = 1e-12;
    o.cluster = YOKE_CLUSTER_NONE;
    o.schedule =
        device_first ? "block > circuit > tap" : "circuit > block > tap";
    return o;
}

static inline yoke_run_options whole(double stop, double window)
{
    yoke_run_options o = plain(stop, window, 1, false);

    o.scheme = YOKE_MONOLITHIC;
    o.schedule = "";
    return o;
}

enum { WINDOWS = 2001, SWEEPS = 16 };

/* The network variables at the end of every window, as one system. */
typedef struct reference {
    int windows;
    double at[WINDOWS][NETWORK];
} reference;

static inline double value_of(const yoke_run *run, const char *name)
{
    double value = 0.0;
    yoke_err err = { YOKE_OK, "" };

    CHECK_OK(yoke_run_value(run, name, &value, &err), &err);
    return value;
}

static inline double off(const double *u, const double *want)
{
    double sum = 0.0, size = 0.0;

    for (int c = 0; c < NETWORK; c++) {
        sum += (u[c] - want[c]) * (u[c] - want[c]);
        size += want[c] * want[c];
    }
    return sqrt(sum / size);
}

#endif
