/* comp/netlist/circuit/rest.c -- unstable operating points.
 *
 * Newton's method finds operating points whether they are stable or not, and an
 * oscillator has only an unstable one.  A run would stay there: the growing
 * part of rounding is far below the tolerance, and steps that are longer than
 * the time of growth damp it.  In a real circuit noise starts the oscillation;
 * here a push of a few tolerances along the growing mode does.  Along the mode
 * all equations hold to first order, so nothing else moves.
 */
#include "comp/netlist/circuit/part.h"

#include "sys/unstable.h"

#include <math.h>
#include <string.h>

/* The growth that matters: over the run by more than e^5; and no faster than
 * any circuit. */
static const double least_growth = 5.0, fastest = 1e13 /* 1/s */;

/* Unknowns.  Above that a full search takes more than 1 % of a short run: 11 ms
 * for a chain of 500 inverters, of 140 ms in all. */
static const int large = 200;

/* Tolerances.  With one the first steps may still damp it: an error test
 * accepts what is below the tolerance. */
static const double kick = 10.0;

typedef struct rest {
    yk_net_part *p;
    double *x, *C, *G, *size, *mode;
} rest;

static void rest_clear(rest *r)
{
    yk_part_free(r->p);
    YK_FREE(r->x, r->C, r->G, r->size, r->mode);
}

static yoke_status make_whole(yk_net_part **out, yk_circuit *c, yoke_err *err)
{
    yk_net_part_spec spec = { 0 };
    int *own = NULL;

    YK_TRY(yk_ints(&own, (size_t)c->variables + 1, err));
    for (int v = 1; v < c->variables; v++)
        if (yk_circuit_has(c, v)) own[spec.count++] = v;
    spec.variable = own;
    const yoke_status status = yk_net_part_create(out, c, &spec, err);
    yk_free(own);
    return status;
}

/* What counts as alike: tolerances of voltages; currents of that size times
 * 1 mS, derivatives as far as they move voltages. */
static double size_of(const yk_circuit *c, int variable, double value,
                      const yk_op_tolerance *tol)
{
    const double size = tol->reltol * fabs(value);

    if (yk_circuit_is_rate(c, variable)) return size + 1e7 * tol->vntol;
    return variable < c->nodes ? size + tol->vntol : size + 1e-3 * tol->vntol;
}

static yoke_status linearise(rest *r, yk_circuit *c, const double *value,
                             const yk_op_tolerance *tol, yoke_err *err)
{
    YK_TRY(make_whole(&r->p, c, err));
    const yk_net_part *p = r->p;
    const size_t n = (size_t)p->n + 1;

    YK_TRY(YK_DOUBLES(n, err, &r->x, &r->size, &r->mode));
    YK_TRY(
        yk_doubles(&r->C, (size_t)yoke_pattern_count(p->pattern_C) + 1, err));
    YK_TRY(
        yk_doubles(&r->G, (size_t)yoke_pattern_count(p->pattern_G) + 1, err));
    for (int i = 0; i < p->n; i++) {
        r->x[i] = value[p->variable[i]];
        r->size[i] = size_of(c, p->variable[i], r->x[i], tol);
    }
    const yoke_jacobian jac = { .C = r->C, .G = r->G };
    return yk_part_jacobian(r->p, 0.0, r->x, NULL, &jac, err);
}

/* The voltage that moves most. */
static int largest(const rest *r)
{
    const yk_net_part *p = r->p;
    int best = 0;
    double most = 0.0;

    for (int i = 0; i < p->n; i++)
        if (p->variable[i] < p->circuit->first_rate &&
            fabs(r->mode[i]) > most * r->size[i]) {
            most = fabs(r->mode[i]) / r->size[i];
            best = i;
        }
    return best;
}

yoke_status yk_circuit_disturb(yk_circuit *c, double length,
                               const yk_op_tolerance *tol, double *value,
                               yk_disturbance *out, yoke_err *err)
{
    rest r = { 0 };
    yk_unstable_growth growth = { 0 };
    yoke_status status = YOKE_OK;

    *out = (yk_disturbance){ 0 };
    if (c->lines > 0 || !(length > 0.0)) return YOKE_OK;
    YK_GO(linearise(&r, c, value, tol, err));
    const yk_unstable_rest where = { .n = r.p->n,
                                     .C_pattern = r.p->pattern_C,
                                     .G_pattern = r.p->pattern_G,
                                     .C = r.C,
                                     .G = r.G,
                                     .size = r.size,
                                     .least = least_growth / length,
                                     .most = fastest,
                                     .quick = r.p->n > large };
    YK_GO(yk_unstable_find(&where, &growth, r.mode, err));
    if (growth.rate > 0.0) {
        const int at = largest(&r);
        out->rate = growth.rate;
        out->turn = growth.turn;
        out->variable = r.p->variable[at];
        out->change = kick * r.mode[at];
        for (int i = 0; i < r.p->n; i++)
            value[r.p->variable[i]] += kick * r.mode[i];
    }
done:
    rest_clear(&r);
    return status;
}
