/* comp/equation/events/events.c -- what happens at events.
 *
 * Rules are interpreted, also beside native code: they are asked at events
 * only.
 *
 * Three rows of values lie one after the other,
 *
 *     w = [ after | before | before ]
 *
 * x is read from the row a code is given, pre(x) from the next one: so the same
 * code tells a condition after and before the event.  A round of the event
 * iteration solves the equations of all discrete variables: a variable has the
 * value of its equation, or of the when-equations that are active (their
 * condition is true and was not before), or keeps its value before.  All are
 * computed again until nothing changes, so conditions and actions see the new
 * values that others give, in any order; values that go round in a circle are
 * refused.  Algebraic unknowns that are read are solved for with them
 * (algebra.h), and relations follow.  Then reinit is computed, with the
 * continuous unknowns as they were; the next round sees what it has given.  The
 * values after become those before, and rounds are repeated until nothing is
 * new: pre(v) = v.
 *
 * At the start the equations are solved first, and what their solution makes
 * true has been true before: only initial() and sample() are events.
 *
 * Reference: Modelica language specification 3.6, appendix B.
 */
#include "comp/equation/events/events_rules.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 100 };

void yk_whens_free(yk_whens *all)
{
    if (!all) return;
    for (int k = 0; all->rule && k < all->count; k++) {
        yk_eq_code_free(&all->rule[k].condition);
        yk_eq_code_free(&all->rule[k].action);
        YK_FREE(all->rule[k].target, all->rule[k].text);
    }
    void *own[] = { all->sample,      all->sample_slot,   all->rule,
                    all->file,        all->workspace,     all->w,
                    all->memory_slot, all->memory_column, all->fresh,
                    all->since,       all->begin,         all->moved[0],
                    all->moved[1],    all->locked };
    for (size_t k = 0; k < sizeof own / sizeof *own; k++) yk_free(own[k]);
    yk_relations_free(all->relations);
    yk_algebra_free(all->algebra);
    yk_free(all);
}

void yk_whens_use(yk_whens *all, struct yk_subsystem *s)
{
    if (all) all->s = s;
}

/* Relations, instants of sample(), the start and the end. */
int yk_whens_count(const yk_whens *all)
{
    if (!all) return 0;
    return yk_relations_count(all->relations) + all->samples + all->starts +
           all->ends;
}

static int start_event(const yk_whens *all)
{
    return yk_relations_count(all->relations) + all->samples;
}

static int end_event(const yk_whens *all)
{
    return start_event(all) + all->starts;
}

const yk_relations *yk_whens_relations(const yk_whens *all)
{
    return all ? all->relations : NULL;
}

void yk_whens_about(const yk_whens *all, int k, yoke_event_about *out)
{
    if (k < yk_relations_count(all->relations))
        yk_relations_about(all->relations, k, out);
    else {
        out->text = all->file;
        out->timed = true;
    }
    out->terminal = all->ends && k == end_event(all);
}

int yk_whens_since(const yk_whens *all, double **since)
{
    *since = all ? all->since : NULL;
    return all ? all->warnings : 0;
}

const char *yk_whens_warning(const yk_whens *all, int number)
{
    int k = 0;

    while (all->rule[k].warning != number) k++;
    return all->rule[k].text;
}

static bool is_quiet(const yk_whens *all, const yk_rule *e)
{
    return e->warning >= 0 && !isnan(all->since[e->warning]);
}

/* ---- Indicators -----------------------------------------------------------
 */

/* Time since the next or last instant first + k interval, k >= 0. */
static double since_sample(const double sample[2], double t)
{
    const double k = fmax(floor((t - sample[0]) / sample[1] + 0.5), 0.0);

    return t - (sample[0] + k * sample[1]);
}

void yk_whens_indicate(const yk_whens *all, double t, const double *w,
                       double *g)
{
    const int relations = yk_relations_count(all->relations);

    yk_relations_indicate(all->relations, t, w, g);
    for (int i = 0; i < all->samples; i++)
        g[relations + i] = since_sample(all->sample[i], t);
    if (all->starts) g[start_event(all)] = -1.0;
    if (all->ends) g[end_event(all)] = -1.0;
}

/* ---- Rules ----------------------------------------------------------------
 */

static size_t row(const yk_whens *all)
{
    return (size_t)all->layout->slots;
}

static bool is_true(const yk_whens *all, const yk_rule *e, double t,
                    const double *w)
{
    if (e->kind == YK_FLAT_ALWAYS) return true;
    yk_eq_code_run(&e->condition, &yk_once, 0, 1, t, w, all->workspace);
    return all->workspace[(size_t)e->condition.result[0] * YK_LANES] > 0.5;
}

static const double *act(const yk_whens *all, const yk_rule *e, double t)
{
    yk_eq_code_run(&e->action, &yk_once, 0, 1, t, all->w, all->workspace);
    return all->workspace;
}

/* Which when-equations are active, with the values after as they are. */
static void find_active(const yk_whens *all, double t, bool whens)
{
    for (int k = 0; k < all->count; k++) {
        yk_rule *e = &all->rule[k];
        e->active = e->kind == YK_FLAT_ALWAYS;
        if (e->kind != YK_FLAT_WHEN) continue;
        e->now = is_true(all, e, t, all->w);
        e->active = whens && e->now && !e->before;
    }
    for (int k = 0; k < all->count; k++)
        for (int i = 0; i < k && all->rule[k].active; i++)
            if (all->rule[i].active &&
                all->rule[i].clause == all->rule[k].clause &&
                all->rule[i].branch < all->rule[k].branch)
                all->rule[k].active = false;
}

/* All variables with memory once; true: one changed. */
static bool compute(const yk_whens *all, double t, bool whens)
{
    const double *before = all->w + row(all);
    bool changed = false;

    for (int i = 0; i < all->memories; i++)
        all->fresh[i] = before[all->memory_slot[i]];
    find_active(all, t, whens);
    for (int k = 0; k < all->count; k++) {
        const yk_rule *e = &all->rule[k];
        if (!e->active) continue;
        const double *value = act(all, e, t);
        for (int r = 0; r < e->action.results; r++)
            if (e->target[r].memory >= 0)
                all->fresh[e->target[r].memory] =
                    e->target[r].sign *
                    value[(size_t)e->action.result[r] * YK_LANES];
    }
    for (int i = 0; i < all->memories; i++) {
        double *w = &all->w[all->memory_slot[i]];
        changed = changed || memcmp(w, &all->fresh[i], sizeof *w) != 0;
        *w = all->fresh[i];
    }
    if (changed) yk_layout_fill(all->layout, all->w);
    return changed;
}

static yoke_status no_end(const yk_whens *all, yoke_err *err)
{
    int k = 0;

    while (k + 1 < all->count && !all->rule[k].active) k++;
    return yk_fail(err, YOKE_E_MODEL,
                   "%s:%d: the new values of this equation, or of others "
                   "at the same instant, depend on one another in a circle; "
                   "write pre(...) for the value before",
                   all->file, all->rule[k].line);
}

/* The line of the first when-equation that happens. */
static int first_active(const yk_whens *all)
{
    int k = 0;

    while (k + 1 < all->count &&
           !(all->rule[k].active && all->rule[k].kind == YK_FLAT_WHEN))
        k++;
    return all->rule[k].line;
}

/* Relations follow what the instant has changed, each once in a round: y > 1 has
 * happened and sets y back, when y > 1 then m = pre(m) - 1, y = x + m.  Those
 * that read values before the round do so between two rounds only. */
static bool follow_relations(const yk_whens *all, double t, bool between)
{
    const double *moved[2] = { NULL, NULL };

    if (!all->solving) return false;
    for (int way = 0; way < 2 && all->algebra; way++) {
        yk_algebra_move(all->algebra, all->w, all->begin, way, all->moved[way]);
        moved[way] = all->moved[way];
    }
    return yk_relations_follow(all->relations, t, between, all->begin, moved,
                               all->locked, all->w);
}

/* So do algebraic unknowns.  What does not settle is left to whoever locates
 * events. */
static yoke_status follow(const yk_whens *all, double t, yoke_err *err)
{
    enum { ROUNDS = 30 };

    for (int i = 0; i < ROUNDS; i++) {
        bool solved = all->algebra && all->solving;
        yoke_err why = { .status = YOKE_OK };
        const yoke_status status =
            solved ? yk_algebra_solve(all->algebra, all->s, t, all->w, false,
                                      &solved, &why)
                   : YOKE_OK;
        if (status != YOKE_OK)
            return yk_fail(err, status < 0 ? status : YOKE_E_MODEL,
                           "%s:%d: at the event at t = %.15g a condition or "
                           "action reads algebraic variables that have no new "
                           "values: %s",
                           all->file, first_active(all), t, why.text);
        if (!follow_relations(all, t, false)) return YOKE_OK;
    }
    return YOKE_OK;
}

static yoke_status settle(const yk_whens *all, double t, bool whens,
                          yoke_err *err)
{
    const int most = all->actions + 1 + (all->solving ? (int)all->helds : 0);

    YK_TRY(follow(all, t, err));
    for (int i = 0; compute(all, t, whens); i++) {
        if (i > most) return no_end(all, err);
        YK_TRY(follow(all, t, err));
    }
    return YOKE_OK;
}

static yoke_status check_assertions(const yk_whens *all, double t,
                                    yoke_err *err)
{
    for (int k = 0; k < all->count; k++) {
        const yk_rule *e = &all->rule[k];
        if (e->kind != YK_FLAT_ASSERT || is_quiet(all, e) ||
            is_true(all, e, t, all->w))
            continue;
        if (e->warning < 0)
            return yk_fail(err, YOKE_RETRY, "%s:%d: assertion failed: %s",
                           all->file, e->line, e->text);
        all->since[e->warning] = t;
    }
    return YOKE_OK;
}

static void reinitialise(const yk_whens *all, double t, double *x_new)
{
    for (int k = 0; k < all->count; k++) {
        const yk_rule *e = &all->rule[k];
        if (!e->active) continue;
        const double *value = act(all, e, t);
        for (int r = 0; r < e->action.results; r++)
            if (e->target[r].memory < 0)
                x_new[e->target[r].column] =
                    e->target[r].sign *
                    value[(size_t)e->action.result[r] * YK_LANES];
    }
}

/* The next round sees what reinit has given. */
static void take_states(const yk_whens *all, const double *x_new)
{
    for (int k = 0; k < all->count; k++) {
        const yk_rule *e = &all->rule[k];
        for (int r = 0; e->active && r < e->action.results; r++)
            if (e->target[r].alone)
                all->w[e->target[r].slot] = x_new[e->target[r].column];
    }
    yk_layout_fill(all->layout, all->w);
}

/* Relations follow what the round has given, and the values after are those
 * before the next one.  False: nothing is new. */
static bool next_round(const yk_whens *all, double t)
{
    double *before = all->w + row(all);

    memset(all->locked, 0, (size_t)yk_relations_count(all->relations));
    bool any = follow_relations(all, t, true);
    any = yk_relations_pass(all->relations, all->w, before) || any;
    (void)yk_relations_pass(all->relations, before, before + row(all));
    for (int k = 0; k < all->count; k++) all->rule[k].before = all->rule[k].now;
    for (int i = 0; i < all->memories; i++) {
        const int slot = all->memory_slot[i];
        any = any || memcmp(&before[slot], &all->w[slot], sizeof *before) != 0;
        before[slot] = before[row(all) + (size_t)slot] = all->w[slot];
    }
    if (!any) return false;
    yk_layout_fill(all->layout, before);
    yk_layout_fill(all->layout, before + row(all));
    return true;
}

static yoke_status rounds(const yk_whens *all, double t, double *x_new,
                          yoke_err *err)
{
    for (int i = 0;; i++) {
        YK_TRY(settle(all, t, true, err));
        reinitialise(all, t, x_new);
        if (i == MOST_ROUNDS) break;
        take_states(all, x_new);
        if (!next_round(all, t)) return YOKE_OK;
    }
    int k = 0;
    while (k + 1 < all->count && !all->rule[k].active) k++;
    return yk_fail(err, YOKE_E_MODEL,
                   "%s:%d: the event iteration at t = %.15g does not end: the "
                   "value of this equation, or of others, changes in each of "
                   "%d rounds",
                   all->file, all->rule[k].line, t, MOST_ROUNDS);
}

/* ---- An event -------------------------------------------------------------
 */

static void find_before(const yk_whens *all, double t)
{
    for (int k = 0; k < all->count; k++)
        if (all->rule[k].kind == YK_FLAT_WHEN)
            all->rule[k].before =
                is_true(all, &all->rule[k], t, all->w + row(all));
}

/* The inputs before belong to the values before. */
static void set_inputs(const yk_whens *all, const double *u_before)
{
    double *before = all->w + row(all);
    const size_t bytes = row(all) * sizeof *before;
    bool any = false;

    for (int k = 0; k < all->layout->m; k++) {
        double *w = &before[all->layout->u_slot[k]];
        any = any || memcmp(w, &u_before[k], sizeof *w) != 0;
        *w = u_before[k];
    }
    if (any) yk_layout_fill(all->layout, before);
    memcpy(before + row(all), before, bytes);
}

/* Have events at this instant given states new values already?  Then these are
 * the values before what happens next. */
static bool was_reset(const yk_whens *all, const double *w,
                      const double *x_before)
{
    for (int k = 0; x_before && k < all->count; k++)
        for (int r = 0; r < all->rule[k].action.results; r++) {
            const yk_target *to = &all->rule[k].target[r];
            if (to->memory < 0 && (w[to->slot] > x_before[to->column] ||
                                   w[to->slot] < x_before[to->column]))
                return true;
        }
    return false;
}

static bool set_rows(const yk_whens *all, double t, const double *w,
                     const yoke_instant *at)
{
    const size_t bytes = row(all) * sizeof *w;

    memcpy(all->w, w, bytes);
    memcpy(all->w + row(all), w, bytes);
    if (at->u_before) set_inputs(all, at->u_before);
    const bool early = yk_relations_change(all->relations, t, at->happened, w,
                                           all->w, all->w + row(all));
    if (was_reset(all, w, at->x_before))
        yk_relations_reset(all->relations, t, all->w + row(all));
    memcpy(all->w + 2 * row(all), all->w + row(all), bytes);
    return early;
}

/* What is true now has been true before. */
static yoke_status start_anew(const yk_whens *all, double t, yoke_err *err)
{
    const size_t bytes = row(all) * sizeof *all->w;

    memcpy(all->w + row(all), all->w, bytes);
    memcpy(all->w + 2 * row(all), all->w, bytes);
    for (int i = 0;; i++) {
        YK_TRY(settle(all, t, false, err));
        if (i == MOST_ROUNDS || !next_round(all, t)) break;
    }
    return YOKE_OK;
}

/* The unknowns before the instant are those of w, to rounding.  At the start w
 * has them as they will be. */
static yoke_status begin_algebra(yk_whens *all, double t, const double *w,
                                 const double *u_before, yoke_err *err)
{
    const yk_layout *l = all->layout;
    yoke_err why = { .status = YOKE_OK };
    bool solved = false;

    memcpy(all->begin, w, row(all) * sizeof *w);
    if (!all->algebra) return YOKE_OK;
    for (int k = 0; u_before && k < l->m; k++)
        all->begin[l->u_slot[k]] = u_before[k];
    yk_layout_fill(all->layout, all->begin);
    yk_algebra_accept(all->algebra, t == all->start ? all->w : all->begin);
    if (t == all->start) return YOKE_OK;
    const yoke_status status = yk_algebra_solve(
        all->algebra, all->s, t, all->begin, true, &solved, &why);
    if (status < 0) return yk_fail(err, status, "%s", why.text);
    if (status > 0) return YOKE_OK;
    for (size_t k = 0; k < 3; k++)
        yk_algebra_copy(all->algebra, all->begin, all->w + k * row(all));
    return YOKE_OK;
}

static void set_instants(const yk_whens *all, const bool *happened)
{
    const bool *sample = happened + yk_relations_count(all->relations);

    for (int i = 0; i < all->samples; i++)
        all->w[all->sample_slot[i]] = sample[i] ? 1.0 : 0.0;
    if (all->initial_slot >= 0)
        all->w[all->initial_slot] = happened[start_event(all)] ? 1.0 : 0.0;
    if (all->ends)
        all->w[all->terminal_slot] = happened[end_event(all)] ? 1.0 : 0.0;
}

/* True: it was. */
static bool make_false(const yk_whens *all, int slot)
{
    const bool was = slot >= 0 && all->w[slot] > 0.5;

    if (slot >= 0) all->w[slot] = 0.0;
    return was;
}

/* initial(), terminal() and sample() are over.  True: one was true. */
static bool end_instants(const yk_whens *all)
{
    bool any = make_false(all, all->initial_slot);

    any = make_false(all, all->terminal_slot) || any;
    for (int i = 0; i < all->samples; i++)
        any = make_false(all, all->sample_slot[i]) || any;
    return any;
}

static void write_values(const yk_whens *all, double *w, double *x_new)
{
    memcpy(w + all->held, all->w + all->held, all->helds * sizeof *w);
    for (int i = 0; i < all->memories; i++)
        x_new[all->memory_column[i]] = all->w[all->memory_slot[i]];
    if (all->algebra) yk_algebra_write(all->algebra, all->w, x_new);
}

/* What happens at the instant, until it is over. */
static yoke_status happen(yk_whens *all, double t, double *x_new, yoke_err *err)
{
    YK_TRY(rounds(all, t, x_new, err));
    if (!end_instants(all)) return YOKE_OK;
    take_states(all, x_new);
    return rounds(all, t, x_new, err);
}

yoke_status yk_whens_apply(yk_whens *all, const yoke_instant *at, double *w,
                           double *x_new, yoke_err *err)
{
    const double t = at->t, *u_before = at->u_before;
    const bool *happened = at->happened;

    if (all->starts && happened[start_event(all)]) all->start = t;
    const bool early = set_rows(all, t, w, at);
    if (t == all->start && !early) {
        YK_TRY(start_anew(all, t, err));
        if (u_before) set_inputs(all, u_before);
    }
    YK_TRY(begin_algebra(all, t, w, u_before, err));
    find_before(all, t);
    set_instants(all, happened);
    memcpy(all->locked, happened, (size_t)yk_relations_count(all->relations));
    yk_relations_join(all->relations, all->locked);
    all->solving = true;
    const yoke_status status = happen(all, t, x_new, err);
    all->solving = false;
    if (status != YOKE_OK) return status;
    YK_TRY(check_assertions(all, t, err));
    write_values(all, w, x_new);
    return YOKE_OK;
}

yoke_status yk_whens_settle(yk_whens *all, double t, double *w, double *x_new,
                            bool *changed, yoke_err *err)
{
    const size_t bytes = row(all) * sizeof *w;

    *changed = yk_relations_settle(all->relations, t, w);
    memcpy(all->w, w, bytes);
    YK_TRY(start_anew(all, t, err));
    for (int i = 0; i < all->memories; i++) {
        const double now = all->w[all->memory_slot[i]];
        double *x = &x_new[all->memory_column[i]];
        *changed = *changed || now > *x || now < *x;
        *x = now;
    }
    return YOKE_OK;
}

bool yk_whens_wait(const yk_whens *all)
{
    return all && all->initial_slot >= 0 && all->count > 0;
}

yoke_status yk_whens_preview(yk_whens *all, double t, const double *w,
                             double *x_new, yoke_err *err)
{
    if (!yk_whens_wait(all)) return YOKE_OK;
    memcpy(all->w, w, row(all) * sizeof *w);
    YK_TRY(start_anew(all, t, err));
    find_before(all, t);
    for (int k = 1; k >= 0; k--) {
        all->w[all->initial_slot] = k;
        YK_TRY(rounds(all, t, x_new, err));
    }
    for (int i = 0; i < all->memories; i++)
        x_new[all->memory_column[i]] = all->w[all->memory_slot[i]];
    return YOKE_OK;
}

/* Is there anything to do at the start? */
static bool has_start(yk_whens *all, double t, const double *w)
{
    const size_t bytes = row(all) * sizeof *w;
    bool any = all->initial_slot >= 0;

    memcpy(all->w, w, bytes);
    any = yk_relations_settle(all->relations, t, all->w) || any;
    memcpy(all->w + row(all), all->w, bytes);
    memcpy(all->w + 2 * row(all), all->w, bytes);
    any = compute(all, t, false) || any;
    for (int k = 0; k < all->count && !any; k++)
        any = all->rule[k].kind == YK_FLAT_ASSERT &&
              !is_quiet(all, &all->rule[k]) &&
              !is_true(all, &all->rule[k], t, all->w);
    return any;
}

void yk_whens_begin(yk_whens *all, double t, const double *w, bool *happened)
{
    const int relations = yk_relations_count(all->relations);

    for (int i = 0; i < all->samples; i++) {
        const double since = since_sample(all->sample[i], t);
        happened[relations + i] = !(since > 0.0 || since < 0.0);
    }
    if (all->starts && has_start(all, t, w)) happened[start_event(all)] = true;
}

void yk_whens_given(const yk_whens *all, bool *given)
{
    for (int k = 0; k < all->count; k++)
        for (int r = 0; all->rule[k].active && r < all->rule[k].action.results;
             r++)
            given[all->rule[k].target[r].column] = true;
}
