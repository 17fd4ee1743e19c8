/* iter/constraint/pieces.c -- the polynomials of multipliers.
 *
 * The window is cut into pieces, each with a polynomial of degree 5.  Where
 * nothing is known about the units but what a point costs to ask, these go
 * through the points of Chebyshev and Lobatto, and pieces are equal.  Where units
 * keep their steps the equations are known at the stages: pieces are steps of
 * one of the units, and a polynomial goes through the values at the three
 * stages, at the beginning, and at two points of the piece before.  Of methods
 * with one stage three to five steps are a piece, and three of their ends are its
 * points.
 */
#include "iter/constraint/unit.h"
#include "iter/policy.h"

#include "base/tolerance.h"
#include "sys/call.h"

#include <math.h>

enum { DEGREE = YK_MULTIPLIER_DEGREE, POINTS = YK_MULTIPLIER_POINTS, PAST = 2 };

/* The stages of Radau's method before the end. */
static const double stage[2] = { 0.15505102572168219018,
                                 0.64494897427831780982 };

/* Steps of a piece of methods with one stage; twice as many less one are divided. */
enum { GROUP = 3 };

/* Less than this part of a piece after it is no help: three points so close to one
 * another tell its end by errors, which grow from piece to piece (twelvefold where
 * each is eight times as long as the one before). */
static const double least_past = 0.4;

/* ---- polynomials --------------------------------------------------------- */

/* Component i of a polynomial. */
static double value_of(const double *poly, int n, int i, double theta)
{
    double sum = 0.0;

    for (int k = DEGREE; k >= 0; k--) sum = sum * theta + poly[k * n + i];
    return sum;
}

/* Coefficients of the powers from the values at the places, by differences; the
 * first `from` are not used. */
static void interpolate(const double *place, const double *value, int from,
                        int n, int i, double *poly)
{
    double d[POINTS] = { 0.0 }, a[POINTS] = { 0.0 };

    for (int j = from; j < POINTS; j++) d[j] = value[j * n + i];
    for (int k = 1; k < POINTS - from; k++)
        for (int j = POINTS - 1; j >= from + k; j--)
            d[j] = (d[j] - d[j - 1]) / (place[j] - place[j - k]);
    for (int j = POINTS - 1; j >= from; j--) { /* a := a (x - place) + d */
        for (int k = POINTS - 1; k > 0; k--) a[k] = a[k - 1] - place[j] * a[k];
        a[0] = d[j] - place[j] * a[0];
    }
    for (int k = 0; k < POINTS; k++) poly[k * n + i] = a[k];
}

/* The pieces before piece k at time t: which polynomial, and where in it. */
static const double *past_at(const yk_multipliers *c, int k, double t,
                             const double *last, const double *poly,
                             double *theta)
{
    int j = k - 1;

    while (j > 0 && t < c->knot[j] && !c->piece[j].cut) j--;
    if (j < 0 || (j == 0 && t < c->knot[0] && !c->piece[0].cut)) {
        *theta = 1.0 + (t - c->t) / c->last_length;
        return last;
    }
    *theta = (t - c->knot[j]) / (c->knot[j + 1] - c->knot[j]);
    return poly + (size_t)(j * POINTS * c->n);
}

void yk_multipliers_shape(const yk_multipliers *c, int k, double *value,
                          const double *last, double *poly)
{
    const yk_multiplier_piece *p = &c->piece[k];
    const size_t at = (size_t)(k * POINTS * c->n);
    const double t0 = c->knot[k], h = c->knot[k + 1] - t0;
    double *const own = value + at;

    for (int j = p->from; j < p->first; j++) {
        double theta = 1.0;
        const double *past =
            past_at(c, k, t0 + p->place[j] * h, last, poly, &theta);
        for (int i = 0; i < c->n; i++)
            own[j * c->n + i] = past ? value_of(past, c->n, i, theta) : 0.0;
    }
    for (int i = 0; i < c->n; i++) {
        interpolate(p->place, own, p->from, c->n, i, poly + at);
        for (int j = 0; j < p->from; j++)
            own[j * c->n + i] = value_of(poly + at, c->n, i, p->place[j]);
    }
}

yoke_status yk_multipliers_append(const yk_multipliers *c, const double *poly,
                                  yk_wave *y, yoke_err *err)
{
    yk_wave_clear(y, c->t);
    for (int k = 0; k < c->pieces; k++)
        YK_TRY(yk_wave_append(y, c->knot[k + 1], DEGREE,
                              poly + (size_t)(k * POINTS * c->n), err));
    return YOKE_OK;
}

/* ---- one instant --------------------------------------------------------- */

yoke_status yk_multipliers_at(yk_multipliers *c, const yk_wave *u,
                              const yk_instant_of *at, double *lambda,
                              double *read, yoke_err *err)
{
    if (at->t == at->from)
        yk_wave_eval_right(u, at->t, NULL, c->u);
    else
        yk_wave_eval(u, at->t, NULL, c->u);
    YK_TRY(yk_constraint_node_degrees(&c->node, at, err));
    YK_TRY(yk_constraint_node_solve(&c->node, at, c->lambda, err));
    for (int i = 0; i < c->n; i++) {
        read[i] = c->u[c->node.inputs + i];
        lambda[i] = read[i] + c->lambda[i];
    }
    return YOKE_OK;
}

void yk_multipliers_smooth(const yk_multipliers *c, int k, yk_instant_of *at)
{
    int first = k, last = k + 1;

    while (first > 0 && !c->piece[first].cut) first--;
    while (last < c->pieces && !c->piece[last].cut) last++;
    at->from = c->knot[first];
    at->to = c->knot[last];
}

/* ---- one piece ----------------------------------------------------------- */

/* How much of the polynomials is known before piece k; 0: it starts again. */
static double past_of(const yk_multipliers *c, int k)
{
    int j = k;

    while (j > 0 && !c->piece[j].cut) j--;
    return c->knot[k] - c->knot[j] +
           (j == 0 && !c->piece[0].cut ? c->last_length : 0.0);
}

/* Where the points of piece k are. */
static void place(yk_multipliers *c, int k)
{
    const double h = c->knot[k + 1] - c->knot[k], past = past_of(c, k);
    yk_multiplier_piece *p = &c->piece[k];

    p->from = 0;
    if (c->along && past > 0.0) {
        const double back = fmin(1.0, past / h);
        /* The end of the window before has been moved since. */
        p->first = k > 0 ? PAST + 1 : PAST;
        p->from = back < least_past ? PAST : 0;
        for (int j = 0; j < PAST; j++) {
            p->place[j] = back * (p->inner[j] - 1.0);
            p->place[PAST + 1 + j] = p->inner[j];
        }
        p->place[PAST] = 0.0;
        p->place[DEGREE] = 1.0;
        return;
    }
    p->first = past > 0.0 && k > 0;
    for (int j = 0; j < POINTS; j++)
        p->place[j] = 0.5 - 0.5 * cos(3.14159265358979323846 * j / DEGREE);
}

/* Values of piece k at its own points, and those that were read there. */
static yoke_status ask(yk_multipliers *c, const yk_wave *u, int k,
                       double *value, double *read, yoke_err *err)
{
    const double t0 = c->knot[k], t1 = c->knot[k + 1];
    const yk_multiplier_piece *p = &c->piece[k];
    yk_instant_of at = { .scale = t1 - t0 };

    yk_multipliers_smooth(c, k, &at);
    for (int j = DEGREE; j >= p->first; j--) {
        at.t = p->place[j] == 0.0   ? t0
               : p->place[j] == 1.0 ? t1
                                    : t0 + p->place[j] * (t1 - t0);
        at.careful = j == DEGREE && (k == 0 || p->cut || !c->along);
        YK_TRY(yk_multipliers_at(c, u, &at, value + j * c->n, read + j * c->n,
                                 err));
    }
    return YOKE_OK;
}

static yoke_status make_room(yk_multipliers *c, int k, yoke_err *err)
{
    const size_t count = (size_t)(k + 1) * POINTS * (size_t)c->n;
    double **const array[] = { &c->value,   &c->read, &c->change,
                               &c->pending, &c->poly, &c->change_poly };
    size_t *const room[] = { &c->value_room,  &c->read_room,
                             &c->change_room, &c->pending_room,
                             &c->poly_room,   &c->change_poly_room };

    for (int i = 0; i < 6; i++)
        YK_TRY(yk_grow((void **)array[i], room[i], count, sizeof(double), err));
    return YOKE_OK;
}

static yoke_status sample(yk_multipliers *c, const yk_wave *u, int k,
                          yoke_err *err)
{
    YK_TRY(make_room(c, k, err));
    place(c, k);
    const size_t at = (size_t)(k * POINTS * c->n);
    double *const value = c->value + at, *const read = c->read + at;
    YK_TRY(ask(c, u, k, value, read, err));
    yk_multipliers_shape(c, k, c->value, c->last, c->poly);
    for (int j = 0; j < c->piece[k].first * c->n; j++) read[j] = value[j];
    for (int j = 0; j < POINTS; j++)
        for (int i = 0; i < c->n; i++)
            c->most[i] = fmax(c->most[i], fabs(value[j * c->n + i]));
    return YOKE_OK;
}

yoke_status yk_multipliers_renew(yk_multipliers *c, const yk_wave *u,
                                 yoke_err *err)
{
    for (int k = 0; k < c->pieces; k++) {
        const size_t at = (size_t)(k * POINTS * c->n);
        double *const fresh = c->pending + at;
        YK_TRY(ask(c, u, k, fresh, c->read + at, err));
        for (int j = 0; j < POINTS * c->n; j++)
            fresh[j] = j < c->piece[k].first * c->n
                           ? 0.0
                           : fresh[j] - c->value[(int)at + j];
    }
    return YOKE_OK;
}

/* What the polynomial of piece k leaves of the waveform, over what it may: its
 * last coefficient by Chebyshev's polynomials. */
static double rest(const yk_multipliers *c, int k)
{
    const double *poly = c->poly + (size_t)(k * POINTS * c->n);
    const double leading = ldexp(1.0, 2 * DEGREE - 1);
    double most = 0.0;

    for (int i = 0; i < c->n; i++) {
        const double tol = yk_tolerance(c->atol, c->rtol, c->most[i]);
        most = fmax(most, fabs(poly[DEGREE * c->n + i]) / leading / tol);
    }
    return most / YK_ITER_CONSTRAINT_REST;
}

/* ---- pieces -------------------------------------------------------------- */

static yoke_status insert_knot(yk_multipliers *c, int at, double t, bool cut,
                               yoke_err *err)
{
    const size_t count = (size_t)c->pieces + 2;

    YK_TRY(YK_GROW(&c->knot, &c->knot_room, count, err));
    YK_TRY(YK_GROW(&c->piece, &c->piece_room, count, err));
    for (int k = c->pieces; k >= at; k--) {
        c->knot[k + 1] = c->knot[k];
        c->piece[k + 1] = c->piece[k];
    }
    c->knot[at] = t;
    c->piece[at] =
        (yk_multiplier_piece){ .cut = cut, .inner = { stage[0], stage[1] } };
    c->pieces++;
    return YOKE_OK;
}

/* Pieces shorter than the steps of the units see the steps, not the solution. */
static double shortest_piece(const yk_multipliers *c, double window)
{
    double least = window;

    for (int i = 0; i < c->node.parts; i++) {
        const yk_propagator *p = c->node.part[i].p;
        const double step = p->ops->step ? p->ops->step(p->self) : 0.0;
        if (c->node.part[i].reads > 0 && step > 0.0) least = fmin(least, step);
    }
    return fmax(least, window / YK_MULTIPLIER_PIECES);
}

/* Equal pieces, as long as is expected to be enough. */
static yoke_status equal_pieces(yk_multipliers *c, double t1, yoke_err *err)
{
    const double whole = t1 - c->t;
    const double want = c->length > 0.0
                            ? fmax(c->length, 2.0 * shortest_piece(c, whole))
                            : whole;
    const int count =
        (int)fmin(fmax(ceil(whole / want - 1e-9), 1.0), YK_MULTIPLIER_PIECES);

    for (int k = 0; k <= count; k++)
        YK_TRY(insert_knot(c, k, k == count ? t1 : c->t + whole * k / count,
                           false, err));
    return YOKE_OK;
}

static int steps_of(const yk_constraint_part *part)
{
    const yk_motion_ops *motion = part->p->ops->motion;

    return part->reads > 0 && motion->steps ? motion->steps(part->p->self) : 0;
}

/* How many steps of a part are a piece: one of Radau's method, a group of those
 * with one stage.  0: none, its stages are too few and too many. */
static int group_of(const yk_constraint_part *part)
{
    const yk_motion_ops *motion = part->p->ops->motion;
    const double *place = NULL;
    const int stages =
        motion->stages ? motion->stages(part->p->self, &place) : 0;

    if (stages == 1) return steps_of(part) >= GROUP ? GROUP : 0;
    return stages == 3 && fabs(place[0] - stage[0]) < 1e-9 &&
           fabs(place[1] - stage[1]) < 1e-9;
}

/* The part with the most steps, which are the pieces: between its stages a stiff
 * step is not accurate enough to ask for derivatives.  NULL: somebody does not
 * keep his. */
static const yk_constraint_part *find_reference(const yk_multipliers *c)
{
    const yk_constraint_part *fine = NULL;

    for (int i = 0; i < c->node.parts; i++) {
        const yk_constraint_part *part = &c->node.part[i];
        const int steps = steps_of(part);
        if (part->reads == 0) continue;
        if (steps == 0) return NULL;
        if (!fine || steps > steps_of(fine)) fine = part;
    }
    return fine && group_of(fine) > 0 ? fine : NULL;
}

/* The first breakpoint after t, of the constraints or of a unit, also of one that
 * they do not read: others may; or where a delayed signal bends. */
static double next_break(const yk_multipliers *c, double t)
{
    double next = yk_system_next_break(c->of.cluster->system, t);

    for (int i = 0; i < c->node.parts; i++) {
        const yk_propagator *p = c->node.part[i].p;
        if (p->ops->next_break)
            next = fmin(next, p->ops->next_break(p->self, t));
    }
    return fmin(next, yk_bends_next(c, t));
}

/* Instants at which something happened in a unit. */
static int instants_of(const yk_constraint_part *part, const double **t)
{
    const yk_propagator *p = part->p;

    return p->ops->instants ? p->ops->instants(p->self, t) : 0;
}

/* Nothing happens where the window begins, and the polynomial before it goes
 * on. */
static bool goes_on(const yk_multipliers *c)
{
    const double tiny = 1e-9 * c->last_length;

    if (!(c->last_length > 0.0)) return false;
    if (next_break(c, c->t - tiny) <= c->t + tiny) return false;
    for (int i = 0; i < c->node.parts; i++) {
        const double *t = NULL;
        const int count = instants_of(&c->node.part[i], &t);
        if (count > 0 && t[0] <= c->t + tiny) return false;
    }
    return true;
}

/* Pieces of `group` steps of a part each, the last of them longer. */
static yoke_status along_steps(yk_multipliers *c, const yk_constraint_part *of,
                               int group, double t1, yoke_err *err)
{
    const yk_motion_ops *motion = of->p->ops->motion;
    const int steps = steps_of(of), count = steps / group;

    YK_TRY(insert_knot(c, 0, c->t, false, err));
    for (int k = 0, from = 0; k < count; k++) {
        const int to = k + 1 == count ? steps : from + group;
        const double t =
            to == steps ? t1 : motion->step_end(of->p->self, to - 1);
        YK_TRY(insert_knot(c, k + 1, t, false, err));
        for (int j = 0; group > 1 && j < PAST; j++) {
            const int at = from + ((j + 1) * (to - from) + 1) / 3;
            c->piece[k].inner[j] =
                (motion->step_end(of->p->self, at - 1) - c->knot[k]) /
                (t - c->knot[k]);
        }
        from = to;
    }
    return YOKE_OK;
}

yoke_status yk_multipliers_divide(yk_multipliers *c, double t1, yoke_err *err)
{
    const yk_constraint_part *of = c->on ? find_reference(c) : NULL;
    const int group = of ? group_of(of) : 0;

    c->pieces = -1;
    c->along = of != NULL;
    c->grouped = group > 1;
    if (of)
        YK_TRY(along_steps(c, of, group, t1, err));
    else
        YK_TRY(equal_pieces(c, t1, err));
    c->piece[0].cut = !goes_on(c);
    return YOKE_OK;
}

/* A knot at time t, at which something happens. */
static yoke_status cut_at(yk_multipliers *c, double t, yoke_err *err)
{
    const double tiny = 1e-9 * (c->knot[c->pieces] - c->knot[0]);

    for (int k = 0; k <= c->pieces; k++) {
        if (fabs(c->knot[k] - t) <= tiny) {
            if (k > 0 && k < c->pieces) c->knot[k] = t;
            c->piece[k].cut = true;
            return YOKE_OK;
        }
        if (c->knot[k] > t) return insert_knot(c, k, t, true, err);
    }
    return YOKE_OK;
}

/* Instants and breakpoints of all units, and of the constraints themselves. */
static yoke_status cut_all(yk_multipliers *c, yoke_err *err)
{
    for (int k = 1; k < c->pieces; k++) c->piece[k].cut = false;
    for (int i = 0; i < c->node.parts; i++) {
        const double *t = NULL;
        const int count = instants_of(&c->node.part[i], &t);
        for (int k = 0; k < count; k++)
            if (t[k] > c->t && t[k] < c->t1) YK_TRY(cut_at(c, t[k], err));
    }
    for (double t = next_break(c, c->t); t < c->t1; t = next_break(c, t))
        YK_TRY(cut_at(c, t, err));
    return YOKE_OK;
}

yoke_status yk_multipliers_sample(yk_multipliers *c, const yk_wave *u,
                                  yoke_err *err)
{
    const double least = shortest_piece(c, c->t1 - c->t);

    YK_TRY(cut_all(c, err));
    for (int i = 0; i < c->n; i++) c->most[i] = 0.0;
    c->rest = 0.0;
    for (int k = 0; k < c->pieces;) {
        const double length = c->knot[k + 1] - c->knot[k];
        YK_TRY(sample(c, u, k, err));
        const double left = rest(c, k);
        if (left > 1.0 && length > 2.0 * least && !c->grouped &&
            c->pieces < YK_MULTIPLIER_PIECES)
            YK_TRY(
                insert_knot(c, k + 1, c->knot[k] + 0.5 * length, false, err));
        else {
            c->rest = fmax(c->rest, left);
            k++;
        }
    }
    return YOKE_OK;
}
