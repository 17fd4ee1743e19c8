/* decide/predict.c -- the rate to be expected of a window, while a run goes on.
 *
 * It is the spectral radius of one sweep over one implicit step as long as the
 * window, linearised at the initial values (graph/contract.c): that of the
 * plain iteration.  With several schedules, relaxation, or very many signals it
 * is not told.
 */
#include "decide/predict.h"

#include "decide/policy.h"
#include "graph/contract.h"
#include "graph/policy.h"
#include "sys/call.h"
#include "yoke/optional.h"

#include <math.h>
#include <stdio.h>

void yk_predict_forget(yk_predict *p)
{
    yk_contract_free(p->contract);
    p->contract = NULL;
    p->tried = false;
    p->count = 0;
}

static bool possible(const yk_predict *p)
{
    const yoke_link *link = NULL;

    /* Answers of closed parts cost a run of them each; `yoke check` asks. */
    for (int i = 0; i < yoke_graph_count(p->graph); i++)
        if (yoke_system_facts(yoke_graph_system(p->graph, i))->closed)
            return false;
    return p->units->count == 1 && p->options->iterate.relax == 1.0 &&
           p->tally->units > 1 &&
           yoke_graph_links(p->graph, &link) <= YK_GRAPH_MOST_SIGNALS;
}

/* The subsystems' memories are those of the start while it is made. */
static yoke_status make_contract(yk_predict *p, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    void *memory = NULL;

    YK_TRY(yk_model_save(p->model, &memory, err));
    yk_model_aside(p->model, true);
    YK_GO(yk_model_rewind(p->model, err));
    YK_GO(yk_first_point_make(p->initial, p->model, p->options, err));
    YK_GO(yk_contract_create(&p->contract, p->graph, p->units->plan[0].schedule,
                             p->options->start,
                             (const double *const *)p->initial->point.x,
                             (const double *const *)p->initial->point.u, err));
done:
    yk_model_aside(p->model, false);
    yk_model_restore(p->model, memory);
    yk_free(memory);
    return status;
}

yoke_status yk_predict_respond(yk_predict *p, double length,
                               yk_contract **contract, yoke_err *err)
{
    yoke_err why = { YOKE_OK, "" };
    yoke_status status = YOKE_OK;

    *contract = NULL;
    if (!p->tried) {
        p->tried = true;
        if (possible(p)) status = make_contract(p, &why);
    }
    if (status == YOKE_OK && p->contract)
        status = yk_contract_respond(p->contract, length, &why);
    if (status == YOKE_OK) *contract = p->contract;
    if (status != YOKE_E_MEMORY) return YOKE_OK;
    if (err) *err = why;
    return status;
}

/* NAN: not known. */
static yoke_status evaluate(yk_predict *p, double length, double *rate,
                            yoke_err *err)
{
    yk_contract *contract = NULL;
    yoke_err why = { YOKE_OK, "" };
    yoke_status status = YOKE_OK;

    *rate = NAN;
    YK_TRY(yk_predict_respond(p, length, &contract, err));
    if (contract) status = yk_contract_rate(contract, rate, &why);
    if (status != YOKE_E_MEMORY) return YOKE_OK;
    if (err) *err = why;
    return status;
}

/* The nearest of the lengths that are known. */
static int nearest(const yk_predict *p, double length)
{
    int best = -1;

    for (int k = 0; k < p->count; k++)
        if (best < 0 || fabs(log(p->length[k] / length)) <
                            fabs(log(p->length[best] / length)))
            best = k;
    return best;
}

yoke_status yk_predict_rate(yk_predict *p, double length, double *rate,
                            yoke_err *err)
{
    const int near = nearest(p, length);

    *rate = NAN;
    if (!(length > 0.0)) return YOKE_OK;
    if (near >= 0 &&
        (fabs(p->length[near] / length - 1.0) < YK_DECIDE_SAME_LENGTH ||
         p->count == YK_LENGTHS)) {
        *rate = p->rate[near];
        return YOKE_OK;
    }
    YK_TRY(evaluate(p, length, rate, err));
    p->length[p->count] = length;
    p->rate[p->count++] = *rate;
    return YOKE_OK;
}

/* ---- a failure ------------------------------------------------------------
 */

bool yk_predict_plain(const yk_predict *p)
{
    const yoke_iterate_options *o = &p->options->iterate;

    return o->accelerate == YOKE_ACCELERATE_NONE ||
           (o->accelerate == YOKE_ACCELERATE_AUTO &&
            o->stop != YOKE_STOP_ERROR);
}

void yk_predict_blame(yk_predict *p, yoke_err *err)
{
    static const char advice[] =
        "try another order or owner (yoke check lists them), or solve the "
        "subsystems as one (scheme monolithic)";
    const yk_tally *t = p->tally;
    const bool grew = t->sweeps >= 2 && t->last_change > t->first_change;
    char measured[160] = "";
    double rate = NAN;

    if (!err || t->sweeps < 1) return;
    if (yk_predict_rate(p, t->t1 - t->t0, &rate, NULL) != YOKE_OK) rate = NAN;
    if (!(rate >= 1.0) && !grew) return;
    if (grew)
        snprintf(measured, sizeof measured,
                 ", the changes grew from %.2g to %.2g tolerances in %d sweeps",
                 t->first_change, t->last_change, t->sweeps);
    if (!(rate >= 1.0))
        yk_prefix(err, "the coupling seems to diverge%s; %s", measured, advice);
    else if (yk_predict_plain(p) || grew)
        yk_prefix(err,
                  "the coupling diverges (predicted rate %.3g per sweep%s): %s",
                  rate, measured, advice);
    else
        yk_prefix(err,
                  "the coupling diverges without acceleration (predicted rate "
                  "%.3g per sweep) and does not converge with it: %s",
                  rate, advice);
}
