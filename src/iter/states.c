/* iter/states.c -- one sweep per window: the units are corrected along their
 * steps until inputs and outputs agree (states.h). */
#include "iter/states.h"

#include "base/tolerance.h"
#include "iter/coupled.h"
#include "iter/policy.h"
#include "iter/stage.h"

#include <math.h>

enum { ROUNDS = 10 };

/* ---- Life and death ------------------------------------------------------ */

void yk_states_free(yk_states *st)
{
    if (!st) return;
    for (int i = 0; st->unit && i < st->units; i++) {
        yk_coupled_unit *const q = &st->unit[i];
        yk_wave *const wave[] = { q->r, q->du, q->dy, q->v };
        for (int k = 0; k < 4; k++) yk_wave_free(wave[k]);
        YK_FREE(q->knot, q->value, q->scale, q->input, q->unit, q->peak,
                q->term);
    }
    yk_krylov_free(st->krylov);
    YK_FREE(st->unit, st->order, st->b, st->x, st->first, st);
}

static yoke_status unit_create(yk_coupled_unit *q, const yk_unit_state *s,
                               yoke_err *err)
{
    const int m = s->unit->propagator->m, p = s->unit->propagator->p;
    const size_t samples = YOKE_WAVE_MAX_DEGREE + 1;

    q->any = yk_any_late(s);
    YK_TRY(yk_wave_create(&q->r, m, err));
    YK_TRY(yk_wave_create(&q->du, m, err));
    YK_TRY(yk_wave_create(&q->dy, p, err));
    YK_TRY(yk_wave_create(&q->v, p, err));
    YK_TRY(YK_NEW(&q->term, s->unit->feeds + 2 * m + 1, err));
    YK_TRY(YK_DOUBLES((size_t)m + 1, err, &q->input, &q->unit));
    YK_TRY(yk_doubles(&q->value, samples * ((size_t)p + 1), err));
    return YK_DOUBLES((size_t)p + 1, err, &q->scale, &q->peak);
}

/* A unit without inputs from others needs no correction. */
static bool can(const yk_unit *unit)
{
    return unit->propagator->ops->tape || unit->feeds == 0;
}

static bool is_follower(const yk_propagator *p)
{
    return p->ops->tape && p->ops->tape->follows &&
           p->ops->tape->follows(p->self);
}

/* Those last that follow the unknowns of others; who reads them. */
static void find_order(yk_states *st)
{
    int count = 0;

    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < st->units; i++)
            if (is_follower(st->plan->plan.unit[i].propagator) == (pass == 1))
                st->order[count++] = i;
    for (int i = 0; i < st->units; i++) {
        const yk_unit *unit = &st->plan->plan.unit[i];
        for (int f = 0; f < unit->feeds; f++)
            if (!unit->feed[f].delayed &&
                is_follower(st->plan->plan.unit[unit->feed[f].unit].propagator))
                st->unit[i].held = true;
    }
}

static yoke_status build(yk_states *st, yoke_err *err)
{
    YK_TRY(yk_ints(&st->order, (size_t)st->units, err));
    YK_TRY(YK_NEW(&st->unit, st->units, err));
    find_order(st);
    YK_TRY(yk_krylov_create(&st->krylov, YK_ITER_STATES_VECTORS, err));
    for (int i = 0; i < st->units; i++) {
        const yk_unit *unit = &st->plan->plan.unit[i];
        YK_TRY(unit_create(&st->unit[i], &st->plan->unit[i], err));
        if (unit->propagator->ops->tape)
            unit->propagator->ops->tape->keep(unit->propagator->self, true);
    }
    return YOKE_OK;
}

/* Followers of units whose sweeps are not kept are better off without. */
static bool in_vain(const yk_states *st)
{
    bool follows = false, kept = true;

    for (int i = 0; i < st->units; i++) {
        const yk_unit *unit = &st->plan->plan.unit[i];
        const yk_tape_ops *tape = unit->propagator->ops->tape;
        follows = follows || is_follower(unit->propagator);
        if (unit->feeds > 0 && tape->able)
            kept = kept && tape->able(unit->propagator->self);
    }
    return follows && !kept;
}

static void forget(const yk_states *st)
{
    for (int i = 0; i < st->units; i++) {
        const yk_propagator *p = st->plan->plan.unit[i].propagator;
        if (p->ops->tape) p->ops->tape->keep(p->self, false);
    }
}

yoke_status yk_states_create(yk_states **out, yk_plan_state *plan,
                             const yk_iteration_setup *setup, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_states *st = NULL;

    *out = NULL;
    for (int i = 0; i < plan->plan.units; i++)
        if (!can(&plan->plan.unit[i])) return YOKE_OK;
    YK_TRY(YK_NEW(&st, 1, err));
    st->plan = plan;
    st->units = plan->plan.units;
    st->rtol = setup->options->rtol;
    st->atol = setup->options->atol;
    st->weight = setup->weight;
    YK_GO(build(st, err));
    if (in_vain(st)) {
        forget(st);
        goto done;
    }
    *out = st;
    st = NULL;
done:
    yk_states_free(st);
    return status;
}

/* ---- Tolerances ---------------------------------------------------------- */

static double tolerance_of(const yk_states *st, const yk_unit *unit, int c,
                           double size)
{
    const double counts = st->weight ? st->weight[unit->output_id[c]] : 1.0;

    return yk_tolerance(st->atol / counts, st->rtol, size);
}

/* For all units, those at once that may be; with followers, in their order.  share:
 * of what a solve costs. */
static yoke_status each(yk_states *st, yk_job job, void *context, double share,
                        yoke_err *err)
{
    const yk_stage all = { .count = st->units,
                           .unit = st->order,
                           .job = job,
                           .context = context,
                           .share = share };

    return yk_stage_run(st->plan, &all, err);
}

static yoke_status find_scales(void *context, int i, yoke_err *err)
{
    yk_states *st = context;
    yk_unit_state *s = &st->plan->unit[i];
    double *const scale = st->unit[i].scale;

    YK_TRY(yk_unit_sizes(s, err));
    for (int c = 0; c < s->unit->propagator->p; c++)
        scale[c] = tolerance_of(st, s->unit, c, s->size[c]);
    return YOKE_OK;
}

/* ---- A window ------------------------------------------------------------ */

/* Tolerances of the inputs of a unit: the least of what is added up. */
static void find_units(yk_states *st, int i)
{
    const yk_unit *unit = st->plan->unit[i].unit;
    double *const least = st->unit[i].unit;

    for (int c = 0; c < unit->propagator->m; c++) least[c] = INFINITY;
    for (int f = 0; f < unit->feeds; f++) {
        const yk_feed *feed = &unit->feed[f];
        const double scale = st->unit[feed->unit].scale[feed->from];
        if (feed->delayed || feed->weight == 0.0) continue;
        least[feed->to] = fmin(least[feed->to], fabs(feed->weight) * scale);
    }
}

/* Raises *most to the size of a waveform of inputs. */
static yoke_status raise(yk_coupled_unit *q, const yk_wave *w, int m,
                         double *most, yoke_err *err)
{
    YK_TRY(yk_wave_distance(w, NULL, q->input, err));
    for (int c = 0; c < m; c++)
        if (q->input[c] > 0.0) *most = fmax(*most, q->input[c] / q->unit[c]);
    return YOKE_OK;
}

/* Changes with the outputs that a unit reads, and with its own: those change with
 * each solve and correction, which take new inputs. */
static long versions_of(const yk_states *st, int i)
{
    const yk_unit_state *s = &st->plan->unit[i];
    long sum = s->version;

    for (int f = 0; f < s->unit->feeds; f++)
        if (!s->unit->feed[f].delayed)
            sum += st->plan->unit[s->unit->feed[f].unit].version;
    return sum;
}

/* r of a unit, and its size in tolerances of what it reads; nothing where it is
 * known. */
static yoke_status compare(void *context, int i, yoke_err *err)
{
    yk_states *st = context;
    const yk_unit_state *s = &st->plan->unit[i];
    yk_coupled_unit *q = &st->unit[i];
    const long versions = versions_of(st, i);
    int terms = 0;

    if (q->compared == versions) return YOKE_OK;
    q->read = 0.0;
    if (s->unit->propagator->m == 0) return YOKE_OK;
    for (int f = 0; f < s->unit->feeds; f++) {
        const yk_feed *feed = &s->unit->feed[f];
        yk_coupled_add(q, &terms,
                       feed->delayed ? feed->delayed
                                     : st->plan->unit[feed->unit].y,
                       feed->from, feed->to, feed->weight);
    }
    for (int c = 0; c < s->unit->propagator->m; c++)
        yk_coupled_add(q, &terms, s->u_last, c, c, -1.0);
    YK_TRY(yk_wave_combine(q->r, st->t0, st->t1, terms, q->term, err));
    find_units(st, i);
    YK_TRY(raise(q, q->r, s->unit->propagator->m, &q->read, err));
    q->compared = versions;
    return YOKE_OK;
}

static yoke_status compare_all(yk_states *st, double *most, yoke_err *err)
{
    *most = 0.0;
    YK_TRY(each(st, find_scales, st, YK_ITER_STAGE_WAVES, err));
    YK_TRY(each(st, compare, st, YK_ITER_STAGE_WAVES, err));
    for (int i = 0; i < st->units; i++) *most = fmax(*most, st->unit[i].read);
    return YOKE_OK;
}

/* The last march becomes the state of a unit. */
static yoke_status apply(void *context, int i, yoke_err *err)
{
    yk_states *st = context;
    yk_unit_state *s = &st->plan->unit[i];
    const yk_propagator *p = s->unit->propagator;
    yk_coupled_unit *q = &st->unit[i];
    int terms = 0;

    if (q->still) {
        q->result.size = q->result.left = 0.0;
        q->shift = 0.0;
        return YOKE_OK;
    }
    for (int c = 0; c < p->m; c++) {
        yk_coupled_add(q, &terms, s->u_last, c, c, 1.0);
        yk_coupled_add(q, &terms, q->by, c, c, 1.0);
    }
    YK_TRY(yk_wave_combine(s->u, st->t0, st->t1, terms, q->term, err));
    q->shift = q->change;
    if (isnan(q->shift)) {
        q->shift = 0.0;
        YK_TRY(raise(q, q->by, p->m, &q->shift, err));
    }
    q->heard = fmax(q->heard, q->shift);
    yk_wave *const used = s->u;
    s->u = s->u_last;
    s->u_last = used;
    s->version++;
    s->solved = false; /* no solve has read it: none may be skipped for it */
    YK_TRY(p->ops->tape->apply(p->self, used, s->y, &q->result, err));
    q->moved += q->result.size;
    q->between += q->result.between;
    q->begun += q->result.begun;
    return YOKE_OK;
}

static bool is_affine(const yk_propagator *p)
{
    return !p->ops->tape || p->ops->tape->affine(p->self);
}

/* Does a unit that follows the unknowns of others say that too much is left? */
static bool others_doubt(const yk_states *st, double allowed)
{
    for (int i = 0; i < st->units; i++)
        if (st->unit[i].result.measured && st->unit[i].result.left > allowed)
            return true;
    return false;
}

/* Of the last correction of a unit.  A change of inputs counts as one of
 * unknowns: where these do not follow at the present values (a diode that does not
 * conduct) they may do so at the new ones, and Newton's contraction says nothing
 * about it.  Not where what is left is measured with the new ones. */
static double size_of(const yk_coupled_unit *q)
{
    return q->held ? q->result.size : fmax(q->result.size, q->shift);
}

/* Evaluates where the correction leaves too much; after the first time wherever
 * something has moved. */
typedef struct doubts {
    yk_states *st;
    double allowed;
    bool first, all;
    yk_renewal what;
} doubts;

static yoke_status evaluate(void *context, int i, yoke_err *err)
{
    const doubts *d = context;
    yk_unit_state *s = &d->st->plan->unit[i];
    const yk_propagator *p = s->unit->propagator;
    const yk_coupled_unit *q = &d->st->unit[i];
    const double doubt = YK_ITER_STATES_DOUBT * d->allowed;
    const bool doubtful = d->all || q->result.left > doubt ||
                          size_of(q) > (d->first ? YK_ITER_STATES_FAR : doubt);

    if (is_affine(p) || q->still || !doubtful) return YOKE_OK;
    d->st->unit[i].fresh = true;
    return p->ops->tape->renew(p->self, s->u_last, d->what, err);
}

/* Sizes over all units: of the correction, of that in units that are not affine,
 * and of what it leaves by their own contraction. */
typedef struct sizes {
    double all, curved, left;
    double known; /* what a unit has measured to be left */
} sizes;

static sizes measure(const yk_states *st)
{
    sizes out = { 0 };

    for (int i = 0; i < st->units; i++) {
        const yk_tape_result *r = &st->unit[i].result;
        out.all = fmax(out.all, r->size);
        if (r->measured) out.known = fmax(out.known, r->left);
        if (r->measured) continue;
        if (is_affine(st->plan->unit[i].unit->propagator)) continue;
        out.curved = fmax(out.curved, size_of(&st->unit[i]));
        out.left = fmax(out.left, r->left);
    }
    return out;
}

/* Were the steps of a unit made for another waveform?  Where they are what they
 * are a second sweep would find the same. */
static bool of_another(const yk_propagator *p, const yk_coupled_unit *q)
{
    const yk_tape_ops *const tape = p->ops->tape;

    return q->moved > YK_ITER_STATES_OTHER && (q->held || !is_affine(p)) &&
           !tape->fixed(p->self);
}

/* What follows from unknowns of others that are solved again is, too. */
static void judge_followers(yk_states *st, yk_settled *out)
{
    for (int i = 0; out->again > 0 && i < st->units; i++) {
        const yk_propagator *p = st->plan->unit[i].unit->propagator;
        yk_coupled_unit *q = &st->unit[i];
        if (q->again || !is_follower(p)) continue;
        q->again = true;
        out->again++;
    }
}

/* Has the correction brought an event into a unit? */
static yoke_status look_for_events(void *context, int i, yoke_err *err)
{
    yk_states *st = context;
    const yk_unit_state *s = &st->plan->unit[i];
    const yk_propagator *p = s->unit->propagator;
    yk_coupled_unit *q = &st->unit[i];

    if (q->again || !p->ops->tape || !p->ops->tape->watchful(p->self) ||
        fmax(q->moved, q->heard) <= YK_ITER_STATES_EVENT)
        return YOKE_OK;
    yoke_err why;
    const yoke_status status =
        p->ops->tape->renew(p->self, s->u_last, YK_RENEW_EVENTS, &why);
    q->again = status > 0;
    if (status < 0 && err) *err = why;
    return status > 0 ? YOKE_OK : status;
}

/* Steps that are not accurate at the corrected values, and events that have come,
 * are a reason to solve a unit again. */
static yoke_status judge(yk_states *st, yk_settled *out, yoke_err *err)
{
    for (int i = 0; i < st->units; i++) {
        const yk_propagator *p = st->plan->unit[i].unit->propagator;
        yk_coupled_unit *q = &st->unit[i];
        q->again = q->result.error > YK_ITER_STATES_ERROR || of_another(p, q) ||
                   fmax(q->between, q->begun) > YK_ITER_STATES_BETWEEN;
    }
    YK_TRY(each(st, look_for_events, st, YK_ITER_STAGE_WAVES, err));
    out->again = 0;
    for (int i = 0; i < st->units; i++) out->again += st->unit[i].again;
    judge_followers(st, out);
    return YOKE_OK;
}

/* Units of a loop that amplifies have the same steps, one each.  Errors of steps
 * that begin with another value of the inputs, as behind a jump that nobody has
 * foreseen, say nothing of the length: they are solved again. */
static void compare_steps(const yk_states *st, yk_settled *out)
{
    double least = st->t1 - st->t0;

    out->even = st->loudest > YK_ITER_STATES_AMPLIFIES;
    if (!out->even) return;
    for (int i = 0; i < st->units; i++) {
        const yk_tape_result *r = &st->unit[i].result;
        if (r->steps > 1) least = fmin(least, r->first);
        if (r->error > YK_ITER_STATES_ERROR &&
            st->unit[i].begun <= YK_ITER_STATES_BETWEEN)
            least = fmin(least, 0.9 * r->first * pow(r->error, -0.25));
    }
    if (least < (1.0 - 1e-9) * (st->t1 - st->t0)) out->shorter = least;
}

static bool ready(const yk_states *st)
{
    for (int i = 0; i < st->units; i++) {
        const yk_unit *unit = st->plan->unit[i].unit;
        const yk_propagator *p = unit->propagator;
        if (unit->feeds > 0 && !p->ops->tape->ready(p->self)) return false;
    }
    return true;
}

/* Derivatives by the inputs along the steps: no correction tells whether old ones
 * would do.  Those of steps that have not changed since are there.  It is done with
 * the first march, which finds the steps near the processor then. */
yoke_status yk_states_linearise(yk_states *st, int i, yoke_err *err)
{
    const yk_unit_state *s = &st->plan->unit[i];
    const yk_propagator *p = s->unit->propagator;
    yk_coupled_unit *q = &st->unit[i];

    if (s->unit->feeds == 0 || q->linearised == s->version) return YOKE_OK;
    YK_TRY(p->ops->tape->renew(p->self, s->u_last, YK_RENEW_SLOPES, err));
    q->linearised = s->version;
    return YOKE_OK;
}

static yoke_status linearise(void *context, int i, yoke_err *err)
{
    return yk_states_linearise(context, i, err);
}

static bool any_follows(const yk_states *st)
{
    for (int i = 0; i < st->units; i++)
        if (is_follower(st->plan->unit[i].unit->propagator)) return true;
    return false;
}

/* How far the corrections of a window have come. */
typedef struct progress {
    int evaluated;  /* rounds with evaluations */
    bool refreshed; /* there was one with newer matrices */
    double before;  /* size of the last correction before such a round */
    double known; /* what was measured to be left then; INFINITY: nothing was */
} progress;

/* Asks those who can measure what the correction has left. */
static yoke_status ask_left(yk_states *st, sizes *now, yoke_err *err)
{
    now->known = 0.0;
    for (int i = 0; i < st->units; i++) {
        const yk_unit_state *s = &st->plan->unit[i];
        const yk_propagator *p = s->unit->propagator;
        yk_tape_result *r = &st->unit[i].result;
        if (!r->measured) continue;
        YK_TRY(p->ops->tape->left(p->self, s->u_last, &r->left, err));
        now->known = fmax(now->known, r->left);
    }
    return YOKE_OK;
}

/* What is left after a correction, by the size of the one before; *slow: they do not
 * shrink. */
static double left_of(const sizes *now, const progress *p, double allowed,
                      bool *slow)
{
    const double most = fmax(now->curved, now->known);

    *slow = false;
    if ((p->evaluated == 0 && !p->refreshed) || !(now->curved > 0.0))
        return now->left;
    *slow = most > 0.5 * fmax(p->before, p->known) && most > allowed;
    return now->curved * fmax(now->curved / p->before, YK_ITER_STATES_CONTRACT);
}

/* Another correction, after a look at the equations: by matrices that are newer than
 * those of the steps if these are all that the last one has left, else by an
 * evaluation. */
static yoke_status look_again(yk_states *st, double allowed, const sizes *now,
                              progress *p, yoke_err *err)
{
    const bool refresh = p->evaluated == 0 && !p->refreshed &&
                         now->curved <= YK_ITER_STATES_FARTHER &&
                         !others_doubt(st, allowed);
    doubts d = { st, allowed, !p->refreshed && p->evaluated == 0,
                 others_doubt(st, allowed),
                 refresh ? YK_RENEW_MATRICES : YK_RENEW_EQUATIONS };

    p->refreshed = p->refreshed || refresh;
    p->before = now->curved;
    p->known = now->known;
    if (!refresh && ++p->evaluated > YK_ITER_STATES_EVALUATED)
        return yk_fail(err, YOKE_RETRY, "corrections shrink slowly");
    return each(st, evaluate, &d, YK_ITER_STAGE_MARCH, err);
}

/* After a correction that leaves `rest` of the linear problem: *more, by an
 * evaluation. */
static yoke_status advance(yk_states *st, double allowed, double rest,
                           progress *p, bool *more, yk_settled *out,
                           yoke_err *err)
{
    sizes now = measure(st);
    const bool far = p->evaluated == 0 && now.curved > YK_ITER_STATES_FAR;
    bool slow = false;
    double left = left_of(&now, p, allowed, &slow);

    if (left > allowed || far)
        now.known = INFINITY; /* there will be another one anyway */
    else
        YK_TRY(ask_left(st, &now, err));
    if (now.known < INFINITY)
        left = fmax(left_of(&now, p, allowed, &slow), now.known);
    out->size = fmax(out->size, now.all);
    if (slow && p->evaluated > 0)
        return yk_fail(err, YOKE_RETRY, "corrections do not shrink");
    out->left = fmax(left, rest);
    *more = left > allowed || far || slow;
    if (!*more && rest > allowed)
        return yk_fail(err, YOKE_RETRY, "the linear problem is not solved");
    return *more ? look_again(st, allowed, &now, p, err) : YOKE_OK;
}

/* One correction after the other until nothing is left. */
static yoke_status correct(yk_states *st, double allowed, yk_settled *out,
                           yoke_err *err)
{
    progress p = { .before = INFINITY, .known = INFINITY };

    st->begins = true;
    if (any_follows(st)) /* it may ask others before they march */
        YK_TRY(each(st, linearise, st, YK_ITER_STAGE_MARCH, err));
    for (int round = 0; round < ROUNDS; round++) {
        double most = 0.0, rest = 0.0;
        bool more = false;
        YK_TRY(compare_all(st, &most, err));
        if (round == 0) out->change = most;
        YK_TRY(yk_coupled_solve(st, allowed, &rest, err));
        YK_TRY(each(st, apply, st, YK_ITER_STAGE_MARCH, err));
        YK_TRY(advance(st, allowed, rest, &p, &more, out, err));
        if (more) continue;
        YK_TRY(compare_all(st, &most, err));
        out->left = fmax(out->left, most);
        if (most <= YK_ITER_STATES_MATCH * allowed) return YOKE_OK;
    }
    return yk_fail(err, YOKE_RETRY, "outputs and inputs do not agree");
}

/* The waveforms of a unit may need more room in other windows. */
static yoke_status make_room(yk_coupled_unit *q, yoke_err *err)
{
    yk_wave *const wave[] = { q->r, q->du, q->dy, q->v };

    for (int k = 0; k < 4; k++) {
        const int pieces = yk_wave_pieces(wave[k]);
        if (pieces > 0)
            YK_TRY(yk_wave_reserve(wave[k], 2 * pieces + 8,
                                   YOKE_WAVE_MAX_DEGREE, err));
    }
    return YOKE_OK;
}

/* Its steps are new ones. */
static void forget_corrections(yk_coupled_unit *q)
{
    q->moved = q->heard = q->between = q->begun = 0.0;
    q->result = (yk_tape_result){ 0 };
}

yoke_status yk_states_settle(yk_states *st, double t0, double t1,
                             double allowed, yk_settled *out, yoke_err *err)
{
    const bool other = t0 != st->t0 || t1 != st->t1;
    yoke_err why;

    why.status = YOKE_OK;
    why.text[0] = '\0';
    *out = (yk_settled){ 0 };
    st->t0 = t0;
    st->t1 = t1;
    st->gain = 0.0;
    for (int i = 0; i < st->units; i++)
        if (other || st->plan->unit[i].moved) forget_corrections(&st->unit[i]);
    if (!ready(st)) return YOKE_OK;
    const yoke_status status = correct(st, allowed, out, &why);
    if (status < 0) {
        if (err) *err = why;
        return status;
    }
    out->possible = status == YOKE_OK;
    st->loudest = fmax(st->gain, YK_ITER_STATES_FORGET * st->loudest);
    if (out->possible) {
        compare_steps(st, out);
        YK_TRY(judge(st, out, err));
    }
    for (int i = 0; i < st->units; i++) YK_TRY(make_room(&st->unit[i], err));
    return YOKE_OK;
}

bool yk_states_again(const yk_states *st, int unit)
{
    return st->unit[unit].again;
}

double yk_states_gain(const yk_states *st)
{
    return st->loudest;
}

yoke_status yk_states_growth(yk_states *st, double *growth, yoke_err *err)
{
    double most = 1.0;

    for (int i = 0; i < st->units; i++) {
        yk_unit_state *s = &st->plan->unit[i];
        yk_coupled_unit *q = &st->unit[i];
        if (!q->any) continue;
        YK_TRY(yk_unit_sizes(s, err));
        for (int c = 0; c < s->unit->propagator->p; c++) {
            const double atol = tolerance_of(st, s->unit, c, 0.0);
            const double before = q->peak[c], now = s->size[c];
            q->peak[c] = now;
            if (s->late[c] && now < atol &&
                before > YK_ITER_STATES_SILENT * atol)
                most = fmax(most, now / before);
        }
    }
    *growth = st->gain > YK_ITER_STATES_LOOP ? most : 1.0;
    return YOKE_OK;
}
