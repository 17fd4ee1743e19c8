/* comp/netlist/cut/choose.c -- which parts a circuit is cut into.
 *
 * The measure is the contraction of one Gauss-Seidel sweep over an implicit
 * step, rho(h) of docs/methods/contraction.md at the start of the run, for the
 * step at which resistors and capacitors are compared and for a hundredth of
 * the run: the larger of the two is the predicted rate.
 *
 * Parts that METIS found and whose iteration would take too many sweeps
 * (graph/cost.h) are merged, each time the two with the largest loop gain
 * g_ab g_ba, until it would not or one is left.  Currents whose owner is left
 * open get the one that contracts better.
 */
#include "comp/netlist/cut/cut.h"

#include "base/text.h"
#include "graph/contract.h"
#include "graph/cost.h"
#include "graph/policy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LENGTHS = 2,
    MOST_OPEN = 16 /* owners that are tried */
};

/* ---- prediction ---------------------------------------------------------- */

typedef struct prediction {
    yk_circuit *c;
    yk_arena_mark mark;
    yoke_model *model;
    yoke_schedule *schedule;
    int parts, lengths;
    double h[LENGTHS];
    double **x, **u; /* values at the start */
    yk_contract *contract[LENGTHS];
    bool too_large, singular;
} prediction;

static void prediction_clear(prediction *p)
{
    for (int k = 0; k < LENGTHS; k++) yk_contract_free(p->contract[k]);
    for (int i = 0; i < p->parts; i++) {
        if (p->x) yk_free(p->x[i]);
        if (p->u) yk_free(p->u[i]);
    }
    YK_FREE(p->x, p->u);
    yoke_schedule_free(p->schedule);
    yoke_model_free(p->model);
    yk_arena_release(&p->c->net->arena, p->mark);
}

/* Values of all parts, which are their initial ones, and their inputs. */
static yoke_status take_values(prediction *p, yoke_err *err)
{
    const yoke_graph *g = yoke_model_graph(p->model);
    const yoke_link *link = NULL;
    const int links = yoke_graph_links(g, &link);

    YK_TRY(YK_NEW(&p->x, p->parts + 1, err));
    YK_TRY(YK_NEW(&p->u, p->parts + 1, err));
    for (int i = 0; i < p->parts; i++) {
        const yoke_system_info *f = yoke_system_facts(yoke_graph_system(g, i));
        YK_TRY(yk_copy_doubles(&p->x[i], f->x0, (size_t)f->n, err));
        YK_TRY(yk_doubles(&p->u[i], (size_t)f->m + 1, err));
    }
    for (int l = 0; l < links; l++) {
        const yoke_system_info *f =
            yoke_system_facts(yoke_graph_system(g, link[l].from));
        for (int k = 0; k < f->n; k++)
            if (strcmp(f->x_name[k], f->y_name[link[l].output]) == 0)
                p->u[link[l].to][link[l].input] = p->x[link[l].from][k];
    }
    return YOKE_OK;
}

/* No rate where the numbers are not such that there is one; that is no reason
 * to refuse a netlist. */
static yoke_status excuse(yoke_status status, const yoke_err *why,
                          bool *excused, yoke_err *err)
{
    if (status == YOKE_OK) return YOKE_OK;
    if (status < 0 && status != YOKE_E_NUMERIC)
        return yk_fail(err, status, "%s", why->text);
    *excused = true;
    return YOKE_OK;
}

static yoke_status linearise(prediction *p, yoke_err *err)
{
    const yoke_graph *g = yoke_model_graph(p->model);

    YK_TRY(
        yk_schedule_create(&p->schedule, g, YOKE_GAUSS_SEIDEL, 0, NULL, err));
    YK_TRY(take_values(p, err));
    for (int k = 0; !p->singular && k < p->lengths; k++) {
        yoke_err why = { YOKE_OK, "" };
        yoke_status status = yk_contract_create(
            &p->contract[k], g, p->schedule, 0.0, (const double *const *)p->x,
            (const double *const *)p->u, &why);
        if (status == YOKE_OK)
            status = yk_contract_respond(p->contract[k], p->h[k], &why);
        YK_TRY(excuse(status, &why, &p->singular, err));
    }
    return YOKE_OK;
}

/* The parts, each linearised over steps of the lengths h.  Clear it also on
 * failure; what is taken from the arena in between is lost then. */
static yoke_status predict(prediction *p, yk_circuit *c,
                           const yk_partition *cut, const double *start,
                           const yk_file_hints *hints, yoke_err *err)
{
    const yoke_link *link = NULL;

    *p = (prediction){ .c = c,
                       .mark = yk_arena_now(&c->net->arena),
                       .lengths = hints->span > 0.0 ? LENGTHS : 1,
                       .h = { hints->o.step, hints->span / 100.0 } };
    YK_TRY(yoke_model_create(&p->model, err));
    YK_TRY(yk_file_add_parts(p->model, c, cut, start, NULL, false, err));
    p->too_large = yoke_graph_links(yoke_model_graph(p->model), &link) >
                   YK_GRAPH_MOST_SIGNALS;
    if (p->too_large) return YOKE_OK;
    p->parts = cut->parts;
    return linearise(p, err);
}

/* The rate if parts with the same group were one, groups in their order; NAN:
 * some part is singular. */
static yoke_status rate_of(prediction *p, const int *group, int groups,
                           double *rate, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *order = NULL;

    *rate = groups == 1 ? 0.0 : NAN;
    if (groups == 1 || p->singular) return YOKE_OK;
    YK_TRY(yk_ints(&order, (size_t)groups, err));
    for (int k = 0; k < groups; k++) order[k] = k;
    *rate = 0.0;
    for (int k = 0; status == YOKE_OK && k < p->lengths; k++) {
        yoke_err why = { YOKE_OK, "" };
        double rho = NAN;
        bool excused = false;
        status = excuse(yk_contract_merged(p->contract[k], group, groups, order,
                                           &rho, &why),
                        &why, &excused, err);
        /* Once not known it stays so. */
        *rate = excused || isnan(*rate) || isnan(rho) ? NAN : fmax(*rate, rho);
    }
    yk_free(order);
    return status;
}

/* The predicted rate of a partition; NAN: not known. */
static yoke_status rate_of_parts(yk_circuit *c, const yk_partition *cut,
                                 const double *start,
                                 const yk_file_hints *hints, double *rate,
                                 yoke_err *err)
{
    yoke_status status = YOKE_OK;
    prediction p = { 0 };
    int *group = NULL;

    *rate = cut->parts < 2 ? 0.0 : NAN;
    if (cut->parts < 2 || cut->parts > YK_GRAPH_MOST_SIGNALS) return YOKE_OK;
    YK_GO(predict(&p, c, cut, start, hints, err));
    if (p.too_large) goto done;
    YK_GO(yk_ints(&group, (size_t)cut->parts, err));
    for (int k = 0; k < cut->parts; k++) group[k] = k;
    YK_GO(rate_of(&p, group, cut->parts, rate, err));
done:
    yk_free(group);
    prediction_clear(&p);
    return status;
}

/* ---- merging ------------------------------------------------------------- */

/* Loop gains of all pairs, the larger over the lengths. */
static yoke_status find_gains(prediction *p, double *gain, double *work,
                              yoke_err *err)
{
    const int n = p->parts;

    for (int k = 0; k < n * n; k++) gain[k] = 0.0;
    for (int k = 0; !p->singular && k < p->lengths; k++) {
        YK_TRY(yk_contract_gains(p->contract[k], work, err));
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++)
                gain[a * n + b] =
                    fmax(gain[a * n + b], work[a * n + b] * work[b * n + a]);
    }
    return YOKE_OK;
}

/* Merges the two groups with the largest gain between them. */
static void merge_worst(const double *gain, int n, int *group, int *groups)
{
    int first = 0, second = 1;
    double most = -1.0;

    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            if (group[a] < group[b] && gain[a * n + b] > most) {
                most = gain[a * n + b];
                first = group[a];
                second = group[b];
            }
    for (int a = 0; a < n; a++) {
        if (group[a] == second) group[a] = first;
        if (group[a] > second) group[a]--;
    }
    --*groups;
}

static yoke_status merge_until_good(prediction *p, int *group, int *groups,
                                    yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const size_t n = (size_t)p->parts;
    double *gain = NULL, *work = NULL, rate = NAN;

    YK_GO(YK_DOUBLES(n * n, err, &gain, &work));
    YK_GO(find_gains(p, gain, work, err));
    YK_GO(rate_of(p, group, *groups, &rate, err));
    while (*groups > 1 && !(yk_cost_sweeps(rate) <= YK_COST_PART)) {
        merge_worst(gain, p->parts, group, groups);
        YK_GO(rate_of(p, group, *groups, &rate, err));
    }
done:
    YK_FREE(gain, work);
    return status;
}

/* With its copies, if there are to be any. */
static yoke_status overlapped(yk_circuit *c, const yk_partition *cut,
                              const yk_file_hints *hints, yk_partition *out,
                              yoke_err *err)
{
    *out = *cut;
    return yk_partition_overlap(c, out, hints->o.overlap, err);
}

/* What became of the parts of METIS. */
typedef struct history {
    int asked; /* parts before any was merged; */
    int found; /* fewer if there were too many signals to judge them */
} history;

/* Merges parts of METIS. */
static yoke_status coarsen(yk_circuit *c, const double *start,
                           yk_file_hints *hints, yk_partition *cut, history *of,
                           yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_partition whole;
    prediction p = { .c = c };
    int *group = NULL, groups = 0;

    for (; cut->parts > 1; of->found = cut->parts) {
        YK_TRY(overlapped(c, cut, hints, &whole, err));
        status = predict(&p, c, &whole, start, hints, err);
        if (status != YOKE_OK || !p.too_large) break;
        /* Too many signals to judge: fewer parts. */
        prediction_clear(&p);
        p = (prediction){ .c = c };
        hints->o.parts = cut->parts / 2;
        YK_TRY(yk_circuit_cut(c, start, &hints->o, cut, err));
    }
    if (cut->parts < 2) return status;
    if (status == YOKE_OK) status = yk_ints(&group, (size_t)cut->parts, err);
    if (status == YOKE_OK) {
        groups = cut->parts;
        for (int k = 0; k < groups; k++) group[k] = k;
        status = merge_until_good(&p, group, &groups, err);
    }
    prediction_clear(&p);
    if (status == YOKE_OK && groups < cut->parts)
        status = yk_partition_merge(c, cut, group, groups, err);
    yk_free(group);
    return status;
}

/* ---- owners of currents -------------------------------------------------- */

static yoke_status cut_and_judge(yk_circuit *c, const double *start,
                                 const yk_file_hints *hints, double *rate,
                                 yoke_err *err)
{
    yk_partition cut;

    YK_TRY(yk_circuit_cut(c, start, &hints->o, &cut, err));
    YK_TRY(overlapped(c, &cut, hints, &cut, err));
    return rate_of_parts(c, &cut, start, hints, rate, err);
}

/* One after the other, each is tried on both sides. */
static yoke_status choose_owners(yk_circuit *c, const double *start,
                                 yk_file_hints *hints, yoke_err *err)
{
    double rate = NAN;
    int tried = 0;

    for (int k = 0; k < hints->wishes && tried < MOST_OPEN; k++) {
        yk_seam *seam = &hints->seam[hints->wish[k].element];
        double other = NAN;
        if (!hints->wish[k].open) continue;
        if (tried++ == 0) YK_TRY(cut_and_judge(c, start, hints, &rate, err));
        *seam = YK_SEAM_FIRST;
        YK_TRY(cut_and_judge(c, start, hints, &other, err));
        if (other < rate || (isnan(rate) && !isnan(other)))
            rate = other;
        else
            *seam = YK_SEAM_SECOND;
    }
    return YOKE_OK;
}

/* ---- report -------------------------------------------------------------- */

static bool is_cut(const yk_circuit *c, const yk_partition *cut, int e,
                   int *part)
{
    return !yk_net_probe_of(c->net, e) &&
           yk_partition_of(c, cut, e, 2, part) > 1;
}

static yoke_netlist_cut describe_cut(const yk_circuit *c,
                                     const yk_partition *cut, int e,
                                     const int *part)
{
    const yk_net_element *el = &c->net->element[e];
    const bool is_line = el->kind == 't', by_current = c->branch[e] >= 0;

    return (yoke_netlist_cut){
        .element = el->name,
        .path = el->at.file,
        .line = el->at.line,
        .kind = is_line      ? "delay"
                : by_current ? "current"
                             : "voltage",
        .part = { cut->name[part[0]], cut->name[part[1]] },
        .owner = by_current && !is_line && cut->part[c->branch[e]] >= 0
                     ? cut->name[cut->part[c->branch[e]]]
                     : NULL,
    };
}

/* Every element that is cut; probes only read. */
static yoke_status list_cuts(yk_net_system *s, const yk_circuit *c,
                             const yk_partition *cut, yoke_err *err)
{
    yk_arena *arena = &c->net->arena;
    int part[2], count = 0;

    for (int e = 0; e < c->net->elements; e++) count += is_cut(c, cut, e, part);
    YK_TRY(YK_TAKE(arena, &s->cut, count + 1, err));
    for (int e = 0; e < c->net->elements; e++)
        if (is_cut(c, cut, e, part))
            s->cut[s->cuts++] = describe_cut(c, cut, e, part);
    return YOKE_OK;
}

/* The user may cut what conducts directly, but should know. */
static yoke_status warn_torn(yk_circuit *c, const yk_file_hints *hints,
                             const yk_partition *cut, yoke_err *err)
{
    const char *first = NULL;
    int count = 0;

    if (hints->o.cut != YK_CUT_HAND) return YOKE_OK;
    for (int e = 0; e < c->net->elements; e++)
        if (!yk_net_probe_of(c->net, e) && yk_partition_tears(c, cut, e)) {
            if (count++ == 0) first = c->net->element[e].name;
        }
    if (count == 0) return YOKE_OK;
    return yk_net_warn(
        c->net, err, hints->at,
        "the parts cut what conducts directly, %.80s%s: the iteration may be "
        "very slow there or diverge, whatever rate is predicted at the start",
        first, count > 1 ? " and others" : "");
}

static yoke_status list_parts(yk_net_system *s, yk_circuit *c,
                              const yk_partition *cut, yoke_err *err)
{
    YK_TRY(YK_TAKE(&c->net->arena, &s->part, cut->parts + 1, err));
    for (int p = 0; p < cut->parts; p++)
        s->part[p] = (yoke_netlist_part){
            .name = cut->name[p],
            .unknowns = cut->owned[p],
            .copies = cut->first[p + 1] - cut->first[p] - cut->owned[p],
        };
    s->cells = cut->cells;
    s->parts = cut->parts;
    s->unknowns = 0;
    for (int p = 0; p < cut->parts; p++) s->unknowns += cut->owned[p];
    return YOKE_OK;
}

static void write_names(const yk_net_system *s, char *text, size_t room)
{
    enum { SHOWN = 8 };

    text[0] = '\0';
    for (int k = 0; k < s->cuts && k < SHOWN; k++)
        yk_append(text, room, "%s%.60s", k ? ", " : "", s->cut[k].element);
    if (s->cuts > SHOWN) yk_append(text, room, " and %d more", s->cuts - SHOWN);
}

static const char *plural(int count)
{
    return count == 1 ? "" : "s";
}

/* Why there are as many parts as there are. */
static void write_reason(const yk_file_hints *hints, const yk_partition *cut,
                         const history *of, char *text, size_t room)
{
    text[0] = '\0';
    if (hints->o.cut != YK_CUT_AUTO) return;
    if (of->asked > of->found)
        yk_append(text, room,
                  "; between %d parts there were more than %d signals",
                  of->asked, YK_GRAPH_MOST_SIGNALS);
    if (of->found > cut->parts)
        yk_append(text, room,
                  "; METIS made %d parts, which were merged until one sweep "
                  "leaves at most %.2g of an error",
                  of->found, yk_cost_rate(YK_COST_PART));
    else if (of->found == 1 && cut->cells == 1)
        yk_append(text, room, "; everything is coupled strongly");
    else if (of->asked == 1)
        yk_append(text, room, "; %s",
                  hints->o.parts == 1 ? "one part was given"
                                      : "too little work to divide");
    else if (cut->parts > 1)
        yk_append(text, room, "; METIS made them, none had to be merged");
}

static yoke_status tell(yoke_file *file, yk_circuit *c,
                        const yk_file_hints *hints, const yk_partition *cut,
                        const history *of, double rate, yoke_err *err)
{
    yk_net_system *s = yk_net_system_of(file);
    char reason[300], names[700], rates[100] = "";
    const char *text = NULL;
    enum { ROOM = 1400 };

    YK_TRY(list_parts(s, c, cut, err));
    YK_TRY(list_cuts(s, c, cut, err));
    s->rate = rate;
    YK_TRY(yk_file_report(file, err, "%s: %d cell%s, %d loop%s, %d part%s",
                          c->net->path, cut->cells, plural(cut->cells),
                          cut->loops, plural(cut->loops), cut->parts,
                          plural(cut->parts)));
    if (!hints->asked || hints->o.cut == YK_CUT_NONE) return YOKE_OK;
    write_reason(hints, cut, of, reason, sizeof reason);
    write_names(s, names, sizeof names);
    if (cut->parts > 1 && isfinite(rate))
        snprintf(rates, sizeof rates, ", predicted rate %.3g per sweep", rate);
    else if (cut->parts > 1)
        snprintf(rates, sizeof rates, ", rate not predicted");
    YK_TRY(yk_arena_print(
        &c->net->arena, &text, err,
        "partition %s%s: %d part%s, %d element%s cut%s%s%s%s", hints->asked,
        hints->o.overlap ? " with overlap" : "", cut->parts, plural(cut->parts),
        s->cuts, plural(s->cuts), s->cuts ? ": " : "", names, rates, reason));
    s->text = text;
    return yk_file_report(file, err, "%s: %s", c->net->path, text);
}

/* ---- all ----------------------------------------------------------------- */

/* A cut at named elements and nowhere else must divide something. */
static yoke_status check_divided(const yk_circuit *c, const yk_partition *cut,
                                 const yk_file_hints *hints, yoke_err *err)
{
    for (int k = 0; hints->o.cut == YK_CUT_SEAMS && k < hints->wishes; k++) {
        const yk_seam_wish *w = &hints->wish[k];
        const int *node = c->net->element[w->element].node;
        if (cut->part[node[0]] != cut->part[node[1]]) continue;
        return yk_net_fail(
            err, YOKE_E_FILE, w->at,
            "%.80s is to be cut, but other elements join its two sides (nodes "
            "\"%.60s\" and \"%.60s\"): cut those too, or give the parts by "
            "hand (* yoke: part NAME nodes)",
            w->name, c->net->node[node[0]], c->net->node[node[1]]);
    }
    return YOKE_OK;
}

yoke_status yk_file_cut(yoke_file *file, yk_circuit *c, const double *start,
                        yk_file_hints *hints, const yoke_stepper_options *how,
                        yoke_err *err)
{
    yk_partition cut;
    double rate = NAN;
    history of;

    YK_TRY(choose_owners(c, start, hints, err));
    YK_TRY(yk_circuit_cut(c, start, &hints->o, &cut, err));
    YK_TRY(check_divided(c, &cut, hints, err));
    of = (history){ cut.parts, cut.parts };
    if (hints->o.cut == YK_CUT_AUTO)
        YK_TRY(coarsen(c, start, hints, &cut, &of, err));
    YK_TRY(overlapped(c, &cut, hints, &cut, err));
    YK_TRY(rate_of_parts(c, &cut, start, hints, &rate, err));
    YK_TRY(warn_torn(c, hints, &cut, err));
    YK_TRY(tell(file, c, hints, &cut, &of, rate, err));
    /* What was asked for explicitly is given up only where it fails. */
    if (hints->asked && cut.parts > 1) file->run.cluster = YOKE_CLUSTER_FAILING;
    return yk_file_add_parts(file->model, c, &cut, start, how, hints->uic, err);
}
