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
static flux carry(const yk_device *d, const yk_carrier *c, int edge,
                  double dpsi, const bernoulli *b, int sign, double n0,
                  double n1)
{
    const double h = d->x[edge + 1] - d->x[edge];
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
static const double *at_node(const yk_device *d, const double *x, double v,
                             int k, node scratch)
{
    if (k > 0 && k < d->cells) return x + YK_FIELDS * (k - 1);
    const int side = k > 0;
    memcpy(scratch, d->contact[side], sizeof(node));
    if (d->anode_left == (side == 0)) scratch[YK_PSI] += v;
    return scratch;
}

static edge look(const yk_device *d, int k, const double *a, const double *b)
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
static double recombine(const yk_device *d, double n, double p, double by[2])
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

static bool recombines(const yk_device *d)
{
    return d->electrons.lifetime > 0.0 || d->holes.lifetime > 0.0 ||
           d->electrons.auger > 0.0 || d->holes.auger > 0.0;
}

/* ---- the boxes ----------------------------------------------------------- */

static double width(const yk_device *d, int k)
{
    return 0.5 * (d->x[k + 1] - d->x[k - 1]);
}

static double per(const yk_device *d)
{
    return 1.0 / (d->length * d->scale);
}

double yk_device_weight(const yk_device *d, int k)
{
    return k % YK_FIELDS == YK_PSI ? 0.0 : width(d, k / YK_FIELDS + 1) * per(d);
}

static void eval_charges(const yk_device *d, const double *x, double *q)
{
    for (int k = 0; k < YK_FIELDS * d->inner; k++)
        q[k] = k % YK_FIELDS == YK_PSI ? 0.0 : yk_device_weight(d, k) * x[k];
}

/* Adds what edge k brings to the rows of its two nodes. */
static void add_edge(const yk_device *d, int k, const double *a,
                     const double *b, double *f)
{
    const edge e = look(d, k, a, b);
    const double s = per(d), h = d->x[k + 1] - d->x[k];
    const double field = s * d->eps / (d->charge * h) * (b[0] - a[0]);
    double *const left = k > 0 ? f + YK_FIELDS * (k - 1) : NULL;
    double *const right = k + 1 < d->cells ? f + YK_FIELDS * k : NULL;

    if (left) {
        left[YK_PSI] -= field;
        left[YK_ELECTRONS] -= s * e.n.value;
        left[YK_HOLES] += s * e.p.value;
    }
    if (right) {
        right[YK_PSI] += field;
        right[YK_ELECTRONS] += s * e.n.value;
        right[YK_HOLES] -= s * e.p.value;
    }
}

void yk_device_eval(const yk_device *d, const double *x, double v, double *q,
                    double *f)
{
    const bool loses = recombines(d);
    node low, high;
    double by[2];

    if (q) eval_charges(d, x, q);
    if (!f) return;
    memset(f, 0, (size_t)(YK_FIELDS * d->inner) * sizeof *f);
    for (int k = 0; k < d->cells; k++)
        add_edge(d, k, at_node(d, x, v, k, low), at_node(d, x, v, k + 1, high),
                 f);
    for (int k = 1; k <= d->inner; k++) {
        const double *at = x + YK_FIELDS * (k - 1);
        double *const row = f + YK_FIELDS * (k - 1);
        const double w = width(d, k) * per(d);
        row[YK_PSI] -= w * (at[YK_HOLES] - at[YK_ELECTRONS] + d->doping[k]);
        if (!loses) continue;
        const double r = recombine(d, at[YK_ELECTRONS], at[YK_HOLES], by);
        row[YK_ELECTRONS] += w * r;
        row[YK_HOLES] += w * r;
    }
}

/* ---- derivatives --------------------------------------------------------- */

/* Derivatives of the three rows of a node by the values of another: rows by
 * columns. */
typedef double block[YK_FIELDS][YK_FIELDS];

/* What edge k brings to the rows of its right node, by the left (0) and right
 * (1) values; the left node gets the opposite. */
static void edge_blocks(const yk_device *d, int k, const double *a,
                        const double *b, block by[2])
{
    const edge e = look(d, k, a, b);
    const double s = per(d), h = d->x[k + 1] - d->x[k];
    const double field = s * d->eps / (d->charge * h);

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

/* Adds a block of node `k` (from 1), where = 0, 1, 2: left, own, right. */
static void put(const yk_device *d, double *G, int k, int where, block value,
                double sign)
{
    const int *place = d->place + (size_t)YK_DEVICE_BLOCK * (size_t)(k - 1);

    for (int r = 0; r < YK_FIELDS; r++)
        for (int c = 0; c < YK_FIELDS; c++) {
            const int at = place[(r * 3 + where) * YK_FIELDS + c];
            if (at >= 0) G[at] += sign * value[r][c];
        }
}

int yk_device_anode(const yk_device *d)
{
    return d->anode_left ? 0 : YK_FIELDS * (d->inner - 1);
}

static void put_edges(const yk_device *d, const double *x, double v, double *G,
                      double *Gv)
{
    const int last = d->cells - 1;
    node low, high;
    block by[2];

    for (int k = 0; k < d->cells; k++) {
        if (!G && k > 0 && k < last) continue;
        edge_blocks(d, k, at_node(d, x, v, k, low),
                    at_node(d, x, v, k + 1, high), by);
        if (G && k > 0) {
            put(d, G, k, 1, by[0], -1.0);
            put(d, G, k, 2, by[1], -1.0);
        }
        if (G && k < last) {
            put(d, G, k + 1, 0, by[0], 1.0);
            put(d, G, k + 1, 1, by[1], 1.0);
        }
        for (int r = 0; Gv && r < YK_FIELDS; r++) {
            if (d->anode_left && k == 0) Gv[r] = by[0][r][YK_PSI];
            if (!d->anode_left && k == last) Gv[r] = -by[1][r][YK_PSI];
        }
    }
}

void yk_device_jacobian(const yk_device *d, const double *x, double v,
                        double *G, double *Gv)
{
    const bool loses = recombines(d);

    put_edges(d, x, v, G, Gv);
    for (int k = 1; G && k <= d->inner; k++) {
        const double *at = x + YK_FIELDS * (k - 1);
        const double w = width(d, k) * per(d);
        double by[2] = { 0.0, 0.0 };
        if (loses) recombine(d, at[YK_ELECTRONS], at[YK_HOLES], by);
        block own = { { 0.0, w, -w },
                      { 0.0, w * by[0], w * by[1] },
                      { 0.0, w * by[0], w * by[1] } };
        put(d, G, k, 1, own, 1.0);
    }
}

/* ---- currents ------------------------------------------------------------ */

/* From current over q in +x to that into the anode, of all copies. */
static double turn(const yk_device *d)
{
    return (d->anode_left ? 1.0 : -1.0) * d->charge * d->area * d->copies;
}

/* Adds `weight` times the derivatives of an edge's current. */
static void add_slopes(const yk_device *d, const edge *e, int k, double weight,
                       double *dx, double *dv)
{
    const double pull = weight * (e->n.by_d + e->p.by_d) / d->ut;

    for (int side = 0; side < 2; side++) {
        const int at = k + side;
        const double sign = side ? 1.0 : -1.0;
        if (at > 0 && at < d->cells) {
            double *const to = dx + YK_FIELDS * (at - 1);
            to[YK_PSI] += sign * pull;
            to[YK_ELECTRONS] += weight * (side ? e->n.to : e->n.from);
            to[YK_HOLES] += weight * (side ? e->p.to : e->p.from);
        } else if (d->anode_left == (at == 0)) {
            *dv += sign * pull;
        }
    }
}

double yk_device_current(const yk_device *d, const double *x, double v,
                         double *dx, double *dv)
{
    const double factor = turn(d) / d->length;
    double sum = 0.0;
    node low, high;

    if (dx) memset(dx, 0, (size_t)(YK_FIELDS * d->inner) * sizeof *dx);
    if (dx) *dv = 0.0;
    for (int k = 0; k < d->cells; k++) {
        const edge e =
            look(d, k, at_node(d, x, v, k, low), at_node(d, x, v, k + 1, high));
        const double weight = factor * (d->x[k + 1] - d->x[k]);
        sum += weight * (e.n.value + e.p.value);
        if (dx) add_slopes(d, &e, k, weight, dx, dv);
    }
    return sum;
}

double yk_device_edge_current(const yk_device *d, const double *x, double v,
                              int k)
{
    node low, high;
    const edge e =
        look(d, k, at_node(d, x, v, k, low), at_node(d, x, v, k + 1, high));

    return turn(d) * (e.n.value + e.p.value);
}

int yk_device_quiet_edge(const yk_device *d, const double *x)
{
    double least = INFINITY;
    int best = 0;

    for (int k = 1; k < d->cells - 1; k++) {
        const double *a = x + YK_FIELDS * (k - 1), *b = a + YK_FIELDS;
        const double size =
            a[YK_ELECTRONS] + b[YK_ELECTRONS] + a[YK_HOLES] + b[YK_HOLES];
        if (size >= least) continue;
        least = size;
        best = k;
    }
    return best;
}
