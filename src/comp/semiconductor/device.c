/* comp/semiconductor/device.c -- the equations of the boxes and their
 * derivatives.
 *
 * Currents over an edge of length h from node 0 to node 1, divided by q, with
 * d = (psi1 - psi0)/UT and B(d) = d / (e^d - 1) (Scharfetter and Gummel 1969):
 *
 *     Jn =  mun UT/h (n1 B(d) - n0 B(-d))
 *     Jp = -mup UT/h (p1 B(-d) - p0 B(d))
 *
 * Both are M-matrices in the densities for any d: implicit Euler keeps them
 * positive.  Boxes of length w between the midpoints, divided by the length L
 * of the device and the density N of its largest doping:
 *
 *     d/dt w n      - (Jn+ - Jn-) + w R = 0
 *     d/dt w p      + (Jp+ - Jp-) + w R = 0
 *     -(eps/q) ((psi+ - psi)/h+ - (psi - psi-)/h-) - w (p - n + doping) = 0
 *
 * Recombination: (n p - ni^2) (1 / (taup (n + ni) + taun (p + ni)) + Cn n + Cp
 * p), Shockley-Read-Hall with traps in the middle of the gap, and Auger.  In
 * high fields mobilities fall as mu / (1 + (mu E / vs)^b)^(1/b), Caughey and
 * Thomas 1967, E the field along the edge.
 *
 * The current into the anode: the mean over the edges of their particle
 * currents, plus eps A/L dv/dt.  It equals the whole current over any edge,
 * since that is the same for all by the three equations.
 */
#include "comp/semiconductor/device.h"

#include <math.h>
#include <string.h>

/* ---- an edge ------------------------------------------------------------- */

/* B(d), B(-d) and B'(d). */
typedef struct bernoulli {
    double plus, minus, slope;
} bernoulli;

static bernoulli weigh(double d)
{
    const double a = fabs(d);
    const double small = a > 0.0 ? a / expm1(a) : 1.0;
    const double large = small + a;
    bernoulli b = { d > 0.0 ? small : large, d > 0.0 ? large : small, 0.0 };

    if (a < 0.05) {
        const double s = d * d;
        b.slope = -0.5 + d * (1.0 / 6.0 - s * (1.0 / 180.0 - s / 5040.0));
    } else {
        b.slope = b.plus / d * (1.0 - b.minus);
    }
    return b;
}

/* Current over an edge in the density of either node, `from` and `to`, and its
 * derivative by d. */
typedef struct flux {
    double value, from, to, by_d;
} flux;

/* mu / low and its derivative by d, in the field of the edge. */
static double slow_down(const yk_carrier *c, double mobility, double ut,
                        double h, double d, double *by_d)
{
    *by_d = 0.0;
    if (c->saturation == 0.0 || d == 0.0) return 1.0;
    const double z =
        pow(mobility * ut * fabs(d) / (h * c->saturation), c->exponent);
    const double factor = pow(1.0 + z, -1.0 / c->exponent);
    *by_d = -factor * z / ((1.0 + z) * d);
    return factor;
}

/* sign = 1: electrons, -1: holes, which see -d and flow the other way. */
static flux carry(const yk_dd *d, const yk_carrier *c, int edge, double dpsi,
                  const bernoulli *b, int sign, double n0, double n1)
{
    const double h = d->edge[edge].h;
    double bend = 0.0;
    const double low = c->mobility[edge] * d->ut / h;
    const double factor =
        slow_down(c, c->mobility[edge], d->ut, h, dpsi, &bend);
    const double k = sign * low * factor;
    const double ahead = sign > 0 ? b->plus : b->minus;
    const double behind = sign > 0 ? b->minus : b->plus;
    /* derivatives of B(d) and B(-d) by d */
    const double plus = b->slope, minus = 1.0 + b->slope;
    const double pull =
        sign > 0 ? n1 * plus - n0 * minus : n1 * minus - n0 * plus;
    const double sum = n1 * ahead - n0 * behind;

    return (flux){ k * sum, -k * behind, k * ahead,
                   k * pull + sign * low * bend * sum };
}

typedef struct edge {
    flux n, p;
} edge;

typedef double node[YK_FIELDS];

/* Values at a node; contacts have the voltage. */
static const double *at_node(const yk_dd *d, const double *x, double v, int k,
                             node scratch)
{
    if (d->number[k] >= 0) return x + YK_FIELDS * d->number[k];
    memcpy(scratch, d->fixed[k], sizeof(node));
    if (d->number[k] == YK_ANODE) scratch[YK_PSI] += v;
    return scratch;
}

static edge look(const yk_dd *d, int k, const double *a, const double *b)
{
    const double dpsi = (b[YK_PSI] - a[YK_PSI]) / d->ut;
    const bernoulli w = weigh(dpsi);

    return (
        edge){ carry(d, &d->electrons, k, dpsi, &w, 1, a[YK_ELECTRONS],
                     b[YK_ELECTRONS]),
               carry(d, &d->holes, k, dpsi, &w, -1, a[YK_HOLES], b[YK_HOLES]) };
}

/* ---- recombination ------------------------------------------------------- */

/* R and its derivatives by n and p.  Densities below zero, which Newton's
 * method may pass, count as zero where they would be a denominator. */
static double recombine(const yk_dd *d, double n, double p, double by[2])
{
    const yk_carrier *e = &d->electrons, *h = &d->holes;
    const double excess = n * p - d->ni * d->ni;
    double rate = e->auger * n + h->auger * p;
    double rate_n = e->auger, rate_p = h->auger;

    if (e->lifetime > 0.0 || h->lifetime > 0.0) {
        const double below = h->lifetime * (fmax(n, 0.0) + d->ni) +
                             e->lifetime * (fmax(p, 0.0) + d->ni);
        rate += 1.0 / below;
        if (n > 0.0) rate_n -= h->lifetime / (below * below);
        if (p > 0.0) rate_p -= e->lifetime / (below * below);
    }
    by[0] = p * rate + excess * rate_n;
    by[1] = n * rate + excess * rate_p;
    return excess * rate;
}

static bool recombines(const yk_dd *d)
{
    return d->electrons.lifetime > 0.0 || d->holes.lifetime > 0.0 ||
           d->electrons.auger > 0.0 || d->holes.auger > 0.0;
}

/* ---- the boxes ----------------------------------------------------------- */

static double per(const yk_dd *d)
{
    return 1.0 / (d->size * d->scale);
}

void yk_dd_weights(const yk_dd *d, double *weight)
{
    for (int k = 0; k < d->nodes; k++) {
        if (d->number[k] < 0) continue;
        double *const to = weight + YK_FIELDS * d->number[k];
        to[YK_PSI] = 0.0;
        to[YK_ELECTRONS] = to[YK_HOLES] = d->volume[k] * per(d);
    }
}

/* Adds what edge k brings to the rows of its two nodes. */
static void add_edge(const yk_dd *d, int k, const double *a, const double *b,
                     double *f)
{
    const yk_edge *on = &d->edge[k];
    const edge e = look(d, k, a, b);
    const double s = per(d) * on->s;
    const double field = s * d->eps / (d->charge * on->h) * (b[0] - a[0]);
    const int at[] = { d->number[on->a], d->number[on->b] };

    for (int side = 0; side < 2; side++) {
        if (at[side] < 0) continue;
        double *const row = f + YK_FIELDS * at[side];
        const double sign = side ? 1.0 : -1.0;
        row[YK_PSI] += sign * field;
        row[YK_ELECTRONS] += sign * s * e.n.value;
        row[YK_HOLES] -= sign * s * e.p.value;
    }
}

/* Charge of the box, and recombination in it. */
static void add_node(const yk_dd *d, int k, const double *x, bool loses,
                     double *f)
{
    const double w = d->volume[k] * per(d);
    const double *at = x + YK_FIELDS * d->number[k];
    double *const row = f + YK_FIELDS * d->number[k];
    double by[2];

    row[YK_PSI] -= w * (at[YK_HOLES] - at[YK_ELECTRONS] + d->doping[k]);
    if (!loses) return;
    const double r = recombine(d, at[YK_ELECTRONS], at[YK_HOLES], by);
    row[YK_ELECTRONS] += w * r;
    row[YK_HOLES] += w * r;
}

void yk_dd_eval(const yk_dd *d, const double *x, double v, double *q, double *f)
{
    const bool loses = recombines(d);
    node low, high;

    if (q) yk_dd_weights(d, q);
    for (int k = 0; q && k < YK_FIELDS * d->inner; k++) q[k] *= x[k];
    if (!f) return;
    memset(f, 0, (size_t)(YK_FIELDS * d->inner) * sizeof *f);
    for (int k = 0; k < d->edges; k++)
        add_edge(d, k, at_node(d, x, v, d->edge[k].a, low),
                 at_node(d, x, v, d->edge[k].b, high), f);
    for (int k = 0; k < d->nodes; k++)
        if (d->number[k] >= 0) add_node(d, k, x, loses, f);
}

/* ---- derivatives --------------------------------------------------------- */

/* Derivatives of the three rows of a node by the values of another: rows by
 * columns. */
typedef double block[YK_FIELDS][YK_FIELDS];

/* What edge k brings to the rows of its node b, by the values of a (0) and b
 * (1); node a gets the opposite. */
static void edge_blocks(const yk_dd *d, int k, const double *a, const double *b,
                        block by[2])
{
    const edge e = look(d, k, a, b);
    const double s = per(d) * d->edge[k].s;
    const double field = s * d->eps / (d->charge * d->edge[k].h);

    memset(by, 0, 2 * sizeof(block));
    for (int side = 0; side < 2; side++) {
        const double sign = side ? 1.0 : -1.0;
        by[side][YK_PSI][YK_PSI] = sign * field;
        by[side][YK_ELECTRONS][YK_PSI] = sign * s * e.n.by_d / d->ut;
        by[side][YK_HOLES][YK_PSI] = -sign * s * e.p.by_d / d->ut;
        by[side][YK_ELECTRONS][YK_ELECTRONS] = s * (side ? e.n.to : e.n.from);
        by[side][YK_HOLES][YK_HOLES] = -s * (side ? e.p.to : e.p.from);
    }
}

static void put(const int *place, double *G, block value, double sign)
{
    for (int r = 0; r < YK_FIELDS; r++)
        for (int c = 0; c < YK_FIELDS; c++)
            if (place[r * YK_FIELDS + c] >= 0)
                G[place[r * YK_FIELDS + c]] += sign * value[r][c];
}

/* dF/dv of an edge between the anode and an inner node. */
static void put_anode(const yk_dd *d, int k, block by[2], double *Gv)
{
    const int a = d->number[d->edge[k].a], b = d->number[d->edge[k].b];
    const int inner = a >= 0 ? a : b, other = a >= 0 ? b : a;

    if (inner < 0 || other != YK_ANODE) return;
    for (int r = 0; r < YK_FIELDS; r++)
        Gv[YK_FIELDS * d->beside_at[inner] + r] +=
            a >= 0 ? -by[1][r][YK_PSI] : by[0][r][YK_PSI];
}

static void put_edge(const yk_dd *d, int k, const double *x, double v,
                     double *G, double *Gv)
{
    const int *place = d->place + (size_t)(k * YK_EDGE_BLOCKS * YK_BLOCK);
    node low, high;
    block by[2];

    edge_blocks(d, k, at_node(d, x, v, d->edge[k].a, low),
                at_node(d, x, v, d->edge[k].b, high), by);
    for (int i = 0; G && i < YK_EDGE_BLOCKS; i++)
        put(place + i * YK_BLOCK, G, by[i % 2], i < 2 ? -1.0 : 1.0);
    if (Gv) put_anode(d, k, by, Gv);
}

void yk_dd_jacobian(const yk_dd *d, const double *x, double v, double *G,
                    double *Gv)
{
    const bool loses = recombines(d);
    const int *place =
        d->place + (size_t)d->edges * (size_t)(YK_EDGE_BLOCKS * YK_BLOCK);

    for (int k = 0; Gv && k < YK_FIELDS * d->beside; k++) Gv[k] = 0.0;
    for (int k = 0; k < d->edges; k++) put_edge(d, k, x, v, G, Gv);
    for (int k = 0; G && k < d->nodes; k++) {
        if (d->number[k] < 0) continue;
        const double *at = x + YK_FIELDS * d->number[k];
        const double w = d->volume[k] * per(d);
        double by[2] = { 0.0, 0.0 };
        if (loses) recombine(d, at[YK_ELECTRONS], at[YK_HOLES], by);
        block own = { { 0.0, w, -w },
                      { 0.0, w * by[0], w * by[1] },
                      { 0.0, w * by[0], w * by[1] } };
        put(place + (size_t)d->number[k] * YK_BLOCK, G, own, 1.0);
    }
}

/* ---- currents ------------------------------------------------------------ */

/* Adds `weight` times the derivatives of an edge's current. */
static void add_slopes(const yk_dd *d, const edge *e, int k, double weight,
                       double *dx, double *dv)
{
    const double pull = weight * (e->n.by_d + e->p.by_d) / d->ut;
    const int at[] = { d->number[d->edge[k].a], d->number[d->edge[k].b] };

    for (int side = 0; side < 2; side++) {
        const double sign = side ? 1.0 : -1.0;
        if (at[side] >= 0) {
            double *const to = dx + YK_FIELDS * at[side];
            to[YK_PSI] += sign * pull;
            to[YK_ELECTRONS] += weight * (side ? e->n.to : e->n.from);
            to[YK_HOLES] += weight * (side ? e->p.to : e->p.from);
        } else if (at[side] == YK_ANODE) {
            *dv += sign * pull;
        }
    }
}

/* From current over q to that of all copies. */
static double times(const yk_dd *d)
{
    return d->charge * d->area * d->copies;
}

double yk_dd_current(const yk_dd *d, const double *x, double v, double *dx,
                     double *dv)
{
    double sum = 0.0;
    node low, high;

    if (dx) memset(dx, 0, (size_t)(YK_FIELDS * d->inner) * sizeof *dx);
    if (dx) *dv = 0.0;
    for (int k = 0; k < d->edges; k++) {
        const yk_edge *on = &d->edge[k];
        const edge e = look(d, k, at_node(d, x, v, on->a, low),
                            at_node(d, x, v, on->b, high));
        const double weight = times(d) * on->s * on->fall;
        sum += weight * (e.n.value + e.p.value);
        if (dx) add_slopes(d, &e, k, weight, dx, dv);
    }
    return sum;
}

double yk_dd_edge_current(const yk_dd *d, const double *x, double v, int k)
{
    const yk_edge *on = &d->edge[k];
    node low, high;
    const edge e =
        look(d, k, at_node(d, x, v, on->a, low), at_node(d, x, v, on->b, high));

    return copysign(times(d) * on->s, on->fall) * (e.n.value + e.p.value);
}

int yk_dd_quiet_edge(const yk_dd *d, const double *x)
{
    double least = INFINITY;
    int best = 0;

    for (int k = 1; k < d->edges - 1; k++) {
        const double *a = x + YK_FIELDS * (k - 1), *b = a + YK_FIELDS;
        const double size =
            a[YK_ELECTRONS] + b[YK_ELECTRONS] + a[YK_HOLES] + b[YK_HOLES];
        if (size >= least) continue;
        least = size;
        best = k;
    }
    return best;
}
