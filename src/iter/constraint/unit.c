/* iter/constraint/unit.c -- constraints as a unit: the waveform of their
 * multipliers.
 *
 * The window is cut into pieces with a polynomial of degree DEGREE each, through
 * the values at the points of Chebyshev and Lobatto.  A piece on which the
 * polynomial has not settled is halved.  Later sweeps of a window keep its
 * pieces, so that iterates differ by what the iteration changes alone.
 */
#include "iter/constraint/node.h"
#include "iter/policy.h"

#include "base/tolerance.h"
#include "la/dense.h"
#include "sys/call.h"

#include <math.h>
#include <string.h>

enum { DEGREE = 5, POINTS = DEGREE + 1, MOST_PIECES = 4096 };

typedef struct unit {
    yk_constraint_node node;
    const yk_cluster *cluster;
    double rtol, atol;
    int n; /* multipliers */
    int watches, *watch;
    yk_wave *watched;
    yk_wave_term *term;
    double place[POINTS];            /* of the points, in [0, 1] */
    double monomial[POINTS][POINTS]; /* coefficients from values */
    double *value;                   /* of each piece POINTS by n ... */
    double *read;                    /* ... and what the units have read */
    size_t value_room, read_room;
    double *coef, *tail, *most, *lambda, *u;
    double t, t1; /* accepted point; end of the last sweep */
    double *knot; /* of the pieces of the last sweep */
    bool *cut;    /* it is an instant at which something happens */
    size_t knot_room, cut_room;
    int pieces;
    double length; /* of the pieces to come; 0: not known */
    double rest;   /* of the pieces of the last sweep, the largest */
    double *end;   /* multipliers at the accepted point */
    bool swept;
    int sweeps;       /* of this window */
    double change[2]; /* in the last two, relative */
    bool tight;       /* the units have tolerances for the multipliers */
    double *ever;     /* largest multipliers so far */
    yoke_work work;
} unit;

static void unit_free(void *self)
{
    unit *c = self;

    if (!c) return;
    yk_constraint_node_clear(&c->node);
    yk_wave_free(c->watched);
    YK_FREE(c->watch, c->term, c->value, c->read, c->coef, c->tail, c->most,
            c->lambda, c->u, c->knot, c->cut, c->end, c->ever);
    yk_free(c);
}

/* ---- points -------------------------------------------------------------- */

/* Coefficients of theta^k from values at the points, by the inverse of their
 * powers. */
static yoke_status make_points(unit *c, yoke_err *err)
{
    double power[POINTS * POINTS], row[POINTS];
    int pivot[POINTS];

    for (int j = 0; j < POINTS; j++) {
        c->place[j] = 0.5 - 0.5 * cos(3.14159265358979323846 * j / DEGREE);
        for (int k = 0; k < POINTS; k++)
            power[j * POINTS + k] = k ? pow(c->place[j], k) : 1.0;
    }
    YK_TRY(yk_dense_factor(POINTS, power, pivot, NULL, err));
    for (int j = 0; j < POINTS; j++) {
        memset(row, 0, sizeof row);
        row[j] = 1.0;
        YK_TRY(yk_dense_solve(POINTS, power, pivot, 1, row, err));
        for (int k = 0; k < POINTS; k++) c->monomial[k][j] = row[k];
    }
    return YOKE_OK;
}

/* Coefficient k of Chebyshev's polynomials of component i. */
static double chebyshev(const unit *c, const double *value, int i, int k)
{
    double sum = 0.0;

    for (int j = 0; j < POINTS; j++) {
        const double end = j == 0 || j == DEGREE ? 0.5 : 1.0;
        sum += end * value[j * c->n + i] *
               cos(3.14159265358979323846 * k * (DEGREE - j) / DEGREE);
    }
    return (k == DEGREE ? 1.0 : 2.0) * sum / DEGREE;
}

/* ---- one piece ----------------------------------------------------------- */

/* Multipliers at the instant, and those that were read. */
static yoke_status at_point(unit *c, const yk_wave *u, const yk_instant_of *at,
                            double *lambda, double *read, yoke_err *err)
{
    if (at->t == at->from)
        yk_wave_eval_right(u, at->t, NULL, c->u);
    else
        yk_wave_eval(u, at->t, NULL, c->u);
    YK_TRY(yk_constraint_node_degrees(&c->node, at, err));
    YK_TRY(yk_constraint_node_solve(&c->node, at, c->lambda, err));
    c->work.solves++;
    for (int i = 0; i < c->n; i++) {
        read[i] = c->u[c->node.inputs + i];
        lambda[i] = read[i] + c->lambda[i];
    }
    return YOKE_OK;
}

/* The instants between which nothing happens around piece k. */
static void smooth_around(const unit *c, int k, yk_instant_of *at)
{
    int first = k, last = k + 1;

    while (first > 0 && !c->cut[first]) first--;
    while (last < c->pieces && !c->cut[last]) last++;
    at->from = c->knot[first];
    at->to = c->knot[last];
}

/* Values of piece k; the first is that of the end of the one before unless
 * something happens there. */
static yoke_status sample(unit *c, const yk_wave *u, int k, yoke_err *err)
{
    const double t0 = c->knot[k], t1 = c->knot[k + 1];
    const bool goes_on = k > 0 && !c->cut[k];
    const size_t piece = (size_t)POINTS * (size_t)c->n, n = (size_t)c->n;
    yk_instant_of at = { 0 };

    YK_TRY(yk_grow((void **)&c->value, &c->value_room, (size_t)(k + 1) * piece,
                   sizeof *c->value, err));
    YK_TRY(yk_grow((void **)&c->read, &c->read_room, (size_t)(k + 1) * piece,
                   sizeof *c->read, err));
    double *const value = c->value + (size_t)k * piece;
    double *const read = c->read + (size_t)k * piece;
    smooth_around(c, k, &at);
    at.scale = t1 - t0;
    if (goes_on) {
        memcpy(value, value - n, n * sizeof *value);
        memcpy(read, read - n, n * sizeof *read);
    }
    for (int j = DEGREE; j >= goes_on; j--) {
        at.t = j == 0 ? t0 : j == DEGREE ? t1 : t0 + c->place[j] * (t1 - t0);
        at.careful = j == DEGREE;
        YK_TRY(at_point(c, u, &at, value + j * c->n, read + j * c->n, err));
    }
    for (int j = 0; j < POINTS; j++)
        for (int i = 0; i < c->n; i++)
            c->most[i] = fmax(c->most[i], fabs(value[j * c->n + i]));
    return YOKE_OK;
}

/* What the polynomial of piece k leaves of the waveform, over what it may. */
static double rest(const unit *c, int k)
{
    const double *value = c->value + k * POINTS * c->n;
    double most = 0.0;

    for (int i = 0; i < c->n; i++) {
        const double tol = yk_tolerance(c->atol, c->rtol, c->most[i]);
        most = fmax(most, fabs(chebyshev(c, value, i, DEGREE)) / tol);
    }
    return most / YK_ITER_CONSTRAINT_REST;
}

static yoke_status append(unit *c, yk_wave *y, const double *value, double t1,
                          yoke_err *err)
{
    for (int k = 0; k < POINTS; k++)
        for (int i = 0; i < c->n; i++) {
            double sum = 0.0;
            for (int j = 0; j < POINTS; j++)
                sum += c->monomial[k][j] * value[j * c->n + i];
            c->coef[k * c->n + i] = sum;
        }
    return yk_wave_append(y, t1, DEGREE, c->coef, err);
}

/* ---- pieces -------------------------------------------------------------- */

static yoke_status insert_knot(unit *c, int at, double t, bool cut,
                               yoke_err *err)
{
    const size_t count = (size_t)c->pieces + 2;

    YK_TRY(
        yk_grow((void **)&c->knot, &c->knot_room, count, sizeof *c->knot, err));
    YK_TRY(yk_grow((void **)&c->cut, &c->cut_room, count, sizeof *c->cut, err));
    for (int k = c->pieces; k >= at; k--) {
        c->knot[k + 1] = c->knot[k];
        c->cut[k + 1] = c->cut[k];
    }
    c->knot[at] = t;
    c->cut[at] = cut;
    c->pieces++;
    return YOKE_OK;
}

/* Pieces shorter than the steps of the units see the steps, not the solution. */
static double shortest_piece(const unit *c, double window)
{
    double least = window;

    for (int i = 0; i < c->node.parts; i++) {
        const yk_propagator *p = c->node.part[i].p;
        const double step = p->ops->step ? p->ops->step(p->self) : 0.0;
        if (c->node.part[i].reads > 0 && step > 0.0) least = fmin(least, step);
    }
    return fmax(least, window / MOST_PIECES);
}

/* Equal pieces, as long as is expected to be enough. */
static yoke_status fresh_pieces(unit *c, double t1, yoke_err *err)
{
    const double whole = t1 - c->t;
    const double want = c->length > 0.0
                            ? fmax(c->length, 2.0 * shortest_piece(c, whole))
                            : whole;
    const int count =
        (int)fmin(fmax(ceil(whole / want - 1e-9), 1.0), MOST_PIECES);

    c->pieces = -1;
    for (int k = 0; k <= count; k++)
        YK_TRY(insert_knot(c, k, k == count ? t1 : c->t + whole * k / count,
                           k == 0 || k == count, err));
    return YOKE_OK;
}

/* A knot at time t, at which something happens. */
static yoke_status cut_at(unit *c, double t, yoke_err *err)
{
    const double tiny = 1e-9 * (c->knot[c->pieces] - c->knot[0]);

    for (int k = 0; k <= c->pieces; k++) {
        if (fabs(c->knot[k] - t) <= tiny) {
            if (k > 0 && k < c->pieces) c->knot[k] = t;
            c->cut[k] = true;
            return YOKE_OK;
        }
        if (c->knot[k] > t) return insert_knot(c, k, t, true, err);
    }
    return YOKE_OK;
}

/* Instants of the units that are read, and of the constraints themselves. */
static yoke_status cut_all(unit *c, double t1, yoke_err *err)
{
    for (int k = 1; k < c->pieces; k++) c->cut[k] = false;
    for (int i = 0; i < c->node.parts; i++) {
        const yk_constraint_part *part = &c->node.part[i];
        const double *t = NULL;
        if (part->reads == 0 || !part->p->ops->instants) continue;
        const int count = part->p->ops->instants(part->p->self, &t);
        for (int k = 0; k < count; k++)
            if (t[k] > c->t && t[k] < t1) YK_TRY(cut_at(c, t[k], err));
    }
    for (double t = c->t;;) {
        t = yk_system_next_break(c->cluster->system, t);
        if (!(t < t1)) return YOKE_OK;
        YK_TRY(cut_at(c, t, err));
    }
}

/* The units as accurate as the multipliers need them. */
static yoke_status tighten(unit *c, yoke_err *err)
{
    for (int i = 0; i < c->n; i++) {
        c->ever[i] = fmax(c->ever[i], c->most[i]);
        c->tail[i] = yk_tolerance(c->atol, c->rtol, c->ever[i]);
    }
    c->tight = true;
    return yk_constraint_node_tighten(&c->node, c->t, c->t1, c->tail, err);
}

static yoke_status sample_all(unit *c, const yk_wave *u, yoke_err *err)
{
    const double least = shortest_piece(c, c->t1 - c->t);

    for (int i = 0; i < c->n; i++) c->most[i] = 0.0;
    c->rest = 0.0;
    for (int k = 0; k < c->pieces;) {
        const double length = c->knot[k + 1] - c->knot[k];
        YK_TRY(sample(c, u, k, err));
        const double left = rest(c, k);
        if (left > 1.0 && length > 2.0 * least && c->pieces < MOST_PIECES)
            YK_TRY(
                insert_knot(c, k + 1, c->knot[k] + 0.5 * length, false, err));
        else {
            c->rest = fmax(c->rest, left);
            k++;
        }
    }
    return YOKE_OK;
}

/* Is what has changed only noise?  It is as small as rounding makes second
 * derivatives, and does not fall any more.  Then the multipliers stay as they
 * were read. */
static bool settled(unit *c, const double *size)
{
    const int count = c->pieces * POINTS;
    const double stall = YK_ITER_CONSTRAINT_STALL;
    double most = 0.0;

    for (int k = 0; k < count; k++)
        for (int i = 0; i < c->n; i++) {
            const int at = k * c->n + i;
            if (c->value[at] != c->read[at])
                most = fmax(most, fabs(c->value[at] - c->read[at]) /
                                      fmax(c->most[i],
                                           YK_ITER_CONSTRAINT_LOST * size[i]));
        }
    const bool stalls =
        most > stall * c->change[0] && c->change[0] > stall * c->change[1];
    c->change[1] = c->change[0];
    c->change[0] = most;
    if (++c->sweeps < 2) return false;
    return most <= YK_ITER_CONSTRAINT_ROUNDING ||
           (c->sweeps > 3 && most <= YK_ITER_CONSTRAINT_NOISE && stalls);
}

static yoke_status unit_sweep(void *self, double t1, const yk_wave *u,
                              yk_wave *y, yoke_err *err)
{
    unit *c = self;
    const bool again = c->swept && c->t1 == t1;

    if (!again) {
        YK_TRY(fresh_pieces(c, t1, err));
        c->sweeps = 0;
    }
    YK_TRY(cut_all(c, t1, err));
    c->swept = false;
    c->t1 = t1;
    c->work.sweeps++;
    YK_TRY(sample_all(c, u, err));
    YK_TRY(yk_constraint_node_sizes(&c->node, c->lambda, err));
    const double *made = settled(c, c->lambda) ? c->read : c->value;
    yk_wave_clear(y, c->t);
    for (int k = 0; k < c->pieces; k++)
        YK_TRY(append(c, y, made + k * POINTS * c->n, c->knot[k + 1], err));
    memcpy(c->end + c->n, made + (c->pieces * POINTS - 1) * c->n,
           (size_t)c->n * sizeof *c->end);
    for (int k = 0; k < c->watches; k++)
        c->term[k] = (yk_wave_term){ y, c->watch[k], k, 1.0 };
    if (c->watches)
        YK_TRY(yk_wave_combine(c->watched, c->t, t1, c->watches, c->term, err));
    c->swept = true;
    return c->tight ? YOKE_OK : tighten(c, err);
}

/* ---- the propagator ------------------------------------------------------ */

static yoke_status unit_start(void *self, double t0, const double *x0,
                              const double *u0, double *y0, yoke_err *err)
{
    unit *c = self;
    const double *x = x0 ? x0 : yoke_system_facts(c->cluster->system)->x0;

    (void)u0;
    (void)err;
    c->t = c->t1 = t0;
    c->swept = c->tight = false;
    c->length = 0.0;
    memset(c->ever, 0, (size_t)c->n * sizeof *c->ever);
    for (int i = 0; i < c->n; i++) c->end[i] = y0[i] = x[i];
    return YOKE_OK;
}

static yoke_status unit_settle(void *self, yoke_err *err)
{
    unit *c = self;

    YK_TRY(yk_constraint_node_project(&c->node, c->t, c->t1, c->rtol, c->atol,
                                      err));
    return tighten(c, err);
}

static yoke_status unit_accept(void *self, yoke_err *err)
{
    unit *c = self;

    (void)err;
    /* The last coefficient grows like the power DEGREE + 1 of the length. */
    c->length = (c->t1 - c->t) / c->pieces *
                fmin(pow(YK_ITER_CONSTRAINT_AIM / fmax(c->rest, 1e-300),
                         1.0 / (DEGREE + 1)),
                     YK_ITER_CONSTRAINT_GROW);
    memcpy(c->end, c->end + c->n, (size_t)c->n * sizeof *c->end);
    c->t = c->t1;
    c->swept = false;
    return YOKE_OK;
}

static const yk_wave *unit_watched(void *self)
{
    return ((unit *)self)->watched;
}

static double unit_next_break(void *self, double t)
{
    return yk_system_next_break(((unit *)self)->cluster->system, t);
}

/* It has no unknowns but what it puts out. */
static double unit_moved(void *self)
{
    (void)self;
    return 0.0;
}

static void unit_give(void *self, double *x)
{
    const unit *c = self;

    memcpy(x, c->end, (size_t)c->n * sizeof *x);
}

static void unit_work(void *self, yoke_work *work)
{
    *work = ((unit *)self)->work;
}

static const yk_handover_ops handover = {
    .give = unit_give,
    .take = unit_start,
    .join = unit_start,
};

static const yk_propagator_ops unit_ops = {
    .kind = "constraint",
    .start = unit_start,
    .sweep = unit_sweep,
    .settle = unit_settle,
    .accept = unit_accept,
    .watched = unit_watched,
    .next_break = unit_next_break,
    .moved = unit_moved,
    .handover = &handover,
    .work = unit_work,
    .free = unit_free,
};

static yoke_status build(unit *c, const yk_constraint_setup *setup,
                         yoke_err *err)
{
    const yoke_system_info *f = yoke_system_facts(setup->cluster->system);
    const size_t n = (size_t)f->n;

    c->cluster = setup->cluster;
    c->rtol = setup->rtol;
    c->atol = setup->atol;
    c->n = f->n;
    c->watches = setup->watches;
    YK_TRY(yk_constraint_node_create(&c->node, setup, err));
    YK_TRY(yk_copy_ints(&c->watch, setup->watch, (size_t)setup->watches, err));
    YK_TRY(YK_NEW(&c->term, setup->watches, err));
    YK_TRY(yk_wave_create(&c->watched, setup->watches, err));
    YK_TRY(yk_doubles(&c->coef, POINTS * n, err));
    YK_TRY(YK_DOUBLES(n, err, &c->tail, &c->most, &c->lambda, &c->ever));
    YK_TRY(yk_doubles(&c->end, 2 * n, err));
    YK_TRY(yk_doubles(&c->u, (size_t)f->m + n, err));
    return make_points(c, err);
}

yoke_status yk_constraint_unit_create(yk_propagator *out,
                                      const yk_constraint_setup *setup,
                                      yoke_err *err)
{
    const yoke_system_info *f = yoke_system_facts(setup->cluster->system);
    yoke_status status = YOKE_OK;
    unit *c = NULL;

    YK_TRY(YK_NEW(&c, 1, err));
    YK_GO(build(c, setup, err));
    *out = (yk_propagator){ &unit_ops, c, f->m + f->n, f->n, setup->watches };
    c = NULL;
done:
    unit_free(c);
    return status;
}

yoke_status yk_constraint_unit_bind(const yk_propagator *unit_of, int units,
                                    const yk_unit *all, int self, yoke_err *err)
{
    unit *c = unit_of->self;

    return yk_constraint_node_bind(&c->node, units, all, self, err);
}
