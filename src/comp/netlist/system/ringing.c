/* comp/netlist/system/ringing.c -- does a coil ring with a capacitance?
 *
 * Around a coil L, between nodes a and b, what the charges of capacitors and
 * devices at a (the devices without a voltage) sum up to is C.  Resistors damp
 * it: conductance g of those at a, and R, what those at b are together if
 * there is no capacitor.  With z = sqrt(L / C) its quality is
 *
 *     Q = 1 / (R / z + g z).
 *
 * Junctions and switches, which block at times, are left out.  Where nothing
 * else is at a and the junctions have no charge, that is the limit C -> 0: Q
 * and the number of turns have no bound.  Errors of a free oscillation add up
 * from turn to turn, so what can turn often wants a method with orders to
 * spare.
 *
 * Residuals and errors of trbdf2 and radau5, which this decides between: a
 * boost converter in discontinuous mode (10 uH, 15 pF, 400 periods, reltol
 * 1e-4) 154,420 and 15 %, 152,769 and 0.4 % (ngspice 79 %); a buck converter
 * with a diode without charge 98,878 and 1.1e-4, 52,456 and 1.4e-5.
 */
#include "comp/netlist/system/ringing.h"

#include <math.h>
#include <string.h>

/* Turns, half periods, of a run that are many: those of an order 3 at its
 * tolerance leave some ten tolerances (docs/methods/circuits.md). */
static const double many_turns = 20.0;
static const double least_quality = 3.0;

/* Turns whose errors fit into ten tolerances: where charges are linear (radau5
 * at 1e-4 leaves 27 after 2000); and where the period depends on the amplitude,
 * so that errors add up twice (16 after 400, 510 after 320 of a flyback
 * converter; with 10 instead of 3 turns the last becomes 21 instead of 13). */
static const double linear_turns = 300.0, nonlinear_turns = 3.0;

static const double pi = 3.14159265358979323846;

/* What hangs on a node. */
typedef struct load {
    double charge;      /* F */
    double conductance; /* S, of resistors */
    bool smooth;        /* there is a capacitor, or the voltage is given */
    bool junction;      /* a device that blocks at times */
    bool held;          /* something conducts when junctions block */
} load;

/* The largest charge per voltage of a node of the device. */
static double capacitance(const yk_device *d)
{
    double b[YK_DEVICE_BRANCHES] = { 0.0 };
    double dq[YK_DEVICE_NODES * YK_DEVICE_BRANCHES] = { 0.0 };
    double most = 0.0;

    if (!d->has_charge) return 0.0;
    d->ops->load(d, b, NULL, NULL, NULL, dq);
    for (int n = 0; n < d->nodes - d->rates; n++) {
        double sum = 0.0;
        for (int k = 0; k < d->branches; k++)
            sum += dq[n * d->branches + k] *
                   ((d->plus[k] == n) - (d->minus[k] == n));
        most = fmax(most, sum);
    }
    return most;
}

static load load_of(const yk_circuit *c, int node)
{
    load sum = { .smooth = node == 0 || c->driver[node] >= 0 };

    for (int i = c->touch_start[node]; i < c->touch_start[node + 1]; i++) {
        const int e = c->touch[i];
        const yk_net_element *el = &c->net->element[e];
        if (e >= c->net->bare && e < c->net->bare + c->net->bares) continue;
        if (c->device[e]) sum.charge += capacitance(c->device[e]);
        sum.junction = sum.junction || strchr("dqjm", el->kind);
        sum.held = sum.held || !strchr("ldqjmcswik", el->kind);
        if (el->expr || (el->kind != 'c' && el->kind != 'r')) continue;
        const double value = yk_net_passive(c->net, el);
        if (el->kind == 'c') {
            sum.charge += value;
            sum.smooth = true;
        } else if (value > 0.0)
            sum.conductance += 1.0 / value;
    }
    return sum;
}

/* The end a of a coil, with what is at its other end. */
static bool rings(double coil, const load *a, const load *b, double length)
{
    if (!(coil > 0.0)) return false;
    if (!(a->charge > 0.0)) return a->junction && !a->held;
    const double z = sqrt(coil / a->charge);
    const double turns = length / (pi * sqrt(coil * a->charge));
    const double series =
        b->smooth || b->conductance == 0.0 ? 0.0 : 1.0 / b->conductance;

    return turns > many_turns &&
           series / z + a->conductance * z < 1.0 / least_quality;
}

static bool has_charges(const yk_circuit *c)
{
    for (int e = 0; e < c->net->elements; e++)
        if ((c->device[e] && c->device[e]->has_charge) ||
            (c->net->element[e].expr && strchr("cl", c->net->element[e].kind)))
            return true;
    return false;
}

double yk_circuit_turns(const yk_circuit *c, double length)
{
    for (int e = 0; e < c->net->elements; e++) {
        const yk_net_element *el = &c->net->element[e];
        if (el->kind != 'l' || el->expr) continue;
        const double coil = yk_net_passive(c->net, el);
        const load end[2] = { load_of(c, el->node[0]),
                              load_of(c, el->node[1]) };
        for (int k = 0; k < 2; k++)
            if (el->node[k] != 0 && c->driver[el->node[k]] < 0 &&
                rings(coil, &end[k], &end[1 - k], length))
                return has_charges(c) ? nonlinear_turns : linear_turns;
    }
    return 0.0;
}
