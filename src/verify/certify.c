/* verify/certify.c -- what exit status 0 does not say about a run.
 *
 * Status 0 certifies the tests that were made.  Where the user asked for
 * something that has no test, the summary says so, one sentence each.
 */
#include "base/text.h"
#include "verify/spot.h"
#include "iter/ph/split.h"
#include "verify/policy.h"
#include "sys/call.h"
#include "sys/closed.h"
#include "yoke/optional.h"

#include <stdio.h>

/* Adds a name to a list of which only the first few are named. */
static void add_name(char *list, size_t room, int count, const char *name)
{
    enum { TOLD = 6 };

    if (count < TOLD)
        yk_append(list, room, "%s%.60s", count ? ", " : "", name);
    else if (count == TOLD)
        yk_append(list, room, " and others");
}

/* Subsystems whose steps have no error control. */
static bool fixed_steps(const yk_spot *s, char *text, size_t room)
{
    char list[600] = "";
    int count = 0;

    for (int c = 0; c < s->units->plan[0].schedule->clusters; c++) {
        const yk_cluster *cluster = &s->units->plan[0].cluster[c];
        yoke_stepper_options o;
        if (yoke_system_facts(cluster->system)->closed ||
            yk_split_is(&s->units->plan[0].propagator[c]) ||
            yk_ladder_stepper(s->ladder, cluster, true, &o, NULL) != YOKE_OK ||
            !yoke_stepper_is_fixed(o.method))
            continue;
        add_name(list, sizeof list, count++, cluster->name);
    }
    if (count == 0) return false;
    snprintf(text, room,
             "the steps of %s have a fixed length: their error is not tested",
             list);
    return true;
}

/* What fixed steps have overlooked of their inputs, the worst of all. */
static bool overlooked(const yk_spot *s, char *text, size_t room)
{
    const yk_unit_plan *plan = &s->units->plan[0];
    double most = YK_PROMISE;

    for (int c = 0; c < plan->schedule->clusters; c++) {
        const yk_propagator *p = &plan->propagator[c];
        const yoke_system *system = plan->cluster[c].system;
        yoke_work work = { 0 };
        if (p->ops) p->ops->work(p->self, &work);
        if (!(work.overlooked > most)) continue;
        most = work.overlooked;
        snprintf(
            text, room,
            "the input of %.60s, or the time in it, does something between "
            "the points of its fixed steps: at t = %.6g that is worth %.2g "
            "tolerances of \"%.80s\" "
            "(take a shorter step)",
            plan->cluster[c].name, work.overlooked_time, most,
            yoke_system_facts(system)->x_name[work.overlooked_in]);
    }
    return most > YK_PROMISE;
}

/* Events that may or may not happen. */
static bool grazing(const yk_spot *s, char *text, size_t room)
{
    const yk_unit_plan *plan = &s->units->plan[0];

    for (int c = 0; c < plan->schedule->clusters; c++) {
        const yk_propagator *p = &plan->propagator[c];
        yoke_event_about about = { .text = NULL };
        yoke_work work = { 0 };
        if (p->ops) p->ops->work(p->self, &work);
        if (work.grazes == 0) continue;
        yk_system_about(plan->cluster[c].system, work.grazed_event, &about);
        snprintf(text, room,
                 "an event of %.60s (%.120s) comes within a tolerance of its "
                 "threshold at t = %.6g and does not happen: it might (a "
                 "smaller rtol decides it)",
                 plan->cluster[c].name,
                 about.text ? about.text : "an indicator", work.grazed_time);
        return true;
    }
    return false;
}

static bool waves(const yk_spot *s, char *text, size_t room)
{
    const yk_unit_plan *plan = &s->units->plan[0];

    if (s->units->count > 1 || plan->schedule->clusters > 1 ||
        !yk_split_is(&plan->propagator[0]))
        return false;
    snprintf(text, room,
             "port-Hamiltonian schemes have steps of a fixed length: their "
             "error is not tested");
    return true;
}

static bool stopping(const yk_spot *s, char *text, size_t room)
{
    const yoke_iterate_options *o = &s->options->iterate;

    if (s->units->plan[0].schedule->clusters < 2) return false;
    if (o->stop == YOKE_STOP_COUNT)
        snprintf(
            text, room,
            "windows end after %d sweeps (test: count): the coupling error "
            "is %s",
            o->max_sweeps, "estimated, not bounded");
    else if (o->stop == YOKE_STOP_CHANGE)
        snprintf(text, room,
                 "windows end when the last change is small (test: change): "
                 "what is left of the coupling error was not estimated");
    return o->stop != YOKE_STOP_ERROR;
}

static bool at_end(const yk_spot *s, char *text, size_t room)
{
    if (!s->options->iterate.at_end || s->units->plan[0].schedule->clusters < 2)
        return false;
    snprintf(text, room,
             "iterates are compared at the ends of windows only (at_end)");
    return true;
}

static bool given(const yk_spot *s, char *text, size_t room)
{
    if (!s->options->given || s->options->solved) return false;
    snprintf(
        text, room,
        "initial values are taken as given: they were not made consistent");
    return true;
}

/* A difference that could not be judged. */
static bool undecided(const yk_spot *s, char *text, size_t room)
{
    if (s->undecided == 0) return false;
    snprintf(text, room,
             "%d spot %s found more than ten tolerances, but small changes at "
             "the beginning of the piece, or another method, make as much: a "
             "smaller atol or rtol shows whether it matters",
             s->undecided, s->undecided == 1 ? "check" : "checks");
    return true;
}

static bool has_row(const yoke_pattern *p, int row)
{
    for (int k = 0; k < p->start[p->cols]; k++)
        if (p->row[k] == row) return true;
    return false;
}

/* Does anything but a constant feed the input? */
static bool is_fed(const yoke_graph *graph, const yk_cluster *cluster,
                   int input)
{
    for (int k = 0; k < cluster->sources; k++)
        if (cluster->source[k].to == input &&
            cluster->source[k].node != graph->constant - 1)
            return true;
    return false;
}

/* Does an input enter an equation without derivatives? */
static bool constrained(const yoke_graph *graph, const yk_cluster *cluster)
{
    const yoke_system_info *f = yoke_system_facts(cluster->system);

    for (int j = 0; j < f->m; j++)
        for (int k = f->Gu->start[j]; k < f->Gu->start[j + 1]; k++)
            if (!has_row(f->C, f->Gu->row[k]) && is_fed(graph, cluster, j))
                return true;
    return false;
}

/* An unknown that is the derivative of an input, or -1: by an equation in which
 * nothing but inputs is differentiated, or as a multiplier where an input enters
 * an equation without derivatives. */
static int derivative(const yoke_graph *graph, const yk_cluster *cluster,
                      const yk_propagator *p)
{
    const yoke_system_info *f = yoke_system_facts(cluster->system);
    const bool constrains = constrained(graph, cluster);

    for (int i = 0; i < f->n; i++) {
        if (constrains && yk_propagator_is_deep(p, i)) return i;
        for (int k = f->G->start[i]; k < f->G->start[i + 1]; k++)
            if (has_row(f->Cu, f->G->row[k]) && !has_row(f->C, f->G->row[k]))
                return i;
    }
    return -1;
}

static bool derivatives(const yk_spot *s, char *text, size_t room)
{
    const yk_unit_plan *plan = &s->units->plan[0];

    for (int c = 0; c < plan->schedule->clusters; c++) {
        const yk_cluster *cluster = &plan->cluster[c];
        const yk_propagator *p = &plan->propagator[c];
        const int i =
            cluster->ins > 0 && p->ops ? derivative(s->graph, cluster, p) : -1;
        if (i < 0) continue;
        snprintf(text, room,
                 "\"%.80s\" of %.60s is determined by the derivative of an "
                 "input: its neighbours' waveforms are known to the tolerance, "
                 "their derivatives to less (solve them as one)",
                 yoke_system_facts(cluster->system)->x_name[i], cluster->name);
        return true;
    }
    snprintf(text, room, "%s", s->derived);
    return s->derived[0] != '\0';
}

/* What grew from below its tolerance by its inputs. */
static bool grown(const yk_spot *s, char *text, size_t room)
{
    const yk_unit_plan *plan = &s->units->plan[0];

    for (int c = 0; c < plan->schedule->clusters; c++) {
        const yk_cluster *cluster = &plan->cluster[c];
        const yk_propagator *p = &plan->propagator[c];
        yoke_work work = { 0 };
        if (p->ops) p->ops->work(p->self, &work);
        if (work.grown == 0) continue;
        snprintf(
            text, room,
            "\"%.80s\" of %.60s grew from below its atol by its inputs: if "
            "they respond to it, errors grew with it (take a smaller atol)",
            yoke_system_facts(cluster->system)->x_name[work.grown - 1],
            cluster->name);
        return true;
    }
    return false;
}

/* Multipliers that are no better than rounding permits, over more of the run than
 * a few steps that begin it or cross a jump. */
static bool blurred(const yk_spot *s, char *text, size_t room)
{
    const yk_unit_plan *plan = &s->units->plan[0];
    const double span = s->options->stop - s->options->start;

    for (int c = 0; c < plan->schedule->clusters; c++) {
        const yk_cluster *cluster = &plan->cluster[c];
        const yk_propagator *p = &plan->propagator[c];
        yoke_work work = { 0 };
        if (p->ops) p->ops->work(p->self, &work);
        if (!(work.blurred > YK_VERIFY_BLURRED * span)) continue;
        snprintf(text, room,
                 "rounding in a constraint of index 2 or 3 limits \"%.80s\" of "
                 "%.60s: errors of %.2g tolerances were permitted to it (take "
                 "a larger "
                 "rtol, the form velocity or stabilised, or cluster: none)",
                 yoke_system_facts(cluster->system)->x_name[work.blurred_in],
                 cluster->name, work.blur);
        return true;
    }
    snprintf(text, room, "%s", s->blurred);
    return s->blurred[0] != '\0';
}

void yk_spot_keep(yk_spot *s)
{
    char text[sizeof s->derived];

    if (derivatives(s, text, sizeof text))
        snprintf(s->derived, sizeof s->derived, "%s", text);
    if (blurred(s, text, sizeof text))
        snprintf(s->blurred, sizeof s->blurred, "%s", text);
}

/* Errors that a reader amplifies, and that no smaller tolerance was taken for. */
static bool amplified(const yk_spot *s, char *text, size_t room)
{
    char what[300];

    if (!yk_ladder_amplified(s->ladder, what, sizeof what)) return false;
    snprintf(
        text, room,
        "%s: an error of one tolerance there becomes that many here (take a "
        "smaller rtol)",
        what);
    return true;
}

/* What closed part k does inside; false: there is no such part. */
static bool closed(const yk_spot *s, int k, char *text, size_t room)
{
    const yk_unit_plan *plan = &s->units->plan[0];
    char cost[300];

    for (int c = 0; c < plan->schedule->clusters; c++) {
        text[0] = '\0';
        if (yk_system_tell(plan->cluster[c].system, cost, text,
                           room < sizeof cost ? room : sizeof cost) &&
            text[0] && k-- == 0)
            return true;
    }
    return false;
}

static bool unchecked(const yk_spot *s, char *text, size_t room)
{
    if (s->options->spot > 0.0) return false;
    snprintf(text, room, "there were no spot checks (spot: 0)");
    return true;
}

bool yk_spot_uncertain(const yk_spot *s, int i, char *text, size_t room)
{
    static bool (*const list[])(const yk_spot *s, char *text, size_t room) = {
        fixed_steps, overlooked,  grazing, waves,   stopping,  at_end,    given,
        undecided,   derivatives, grown,   blurred, amplified, unchecked,
    };

    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        if (!list[k](s, text, room)) continue;
        if (i-- == 0) return true;
    }
    return closed(s, i, text, room);
}
