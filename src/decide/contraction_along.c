/* decide/contraction_along.c -- the contraction along the solution.
 *
 * At each time asked for the sweep is linearised there (graph/contract.c) over
 * one step of length h that ends at it.  With constant extrapolation the outputs
 * that a window begins with are wrong by what they change in it, dy; the first
 * sweep makes S dy of that, S being the sweep matrix of the order.  All orders
 * of two subsystems contract alike, but they begin with different errors: that
 * of what is extrapolated.
 */
#include "decide/contraction_along.h"

#include "graph/contract.h"

#include <math.h>
#include <string.h>

static const double SHORT = 1e-6; /* see rho_short */

void yk_along_free(yk_along *a)
{
    yoke_schedule_free(a->schedule);
    YK_FREE(a->change, a->size, a->error);
}

/* One after the other? */
static bool is_pair(const yoke_schedule *s)
{
    return s->clusters == 2 && s->stages == 2;
}

yoke_status yk_along_open(yk_along *a, const yoke_graph *graph,
                          const yoke_run_options *options, yoke_err *err)
{
    int outputs = 0;

    YK_TRY(yoke_run_schedule(&a->schedule, graph, options, err));
    YK_TRY(yoke_graph_check(graph, a->schedule, options->start, err));
    for (int i = 0; i < yoke_graph_count(graph); i++)
        outputs += yoke_system_facts(yoke_graph_system(graph, i))->p;
    YK_TRY(
        YK_DOUBLES((size_t)outputs + 1, err, &a->change, &a->size, &a->error));
    a->turned = *a->schedule;
    if (is_pair(a->schedule)) {
        a->member[0] = a->schedule->member[1];
        a->member[1] = a->schedule->member[0];
        a->turned.member = a->member;
    }
    return YOKE_OK;
}

/* The largest error of an output of the first subsystem after the first sweep,
 * relative to its size.  (Those of the second are one sweep behind or ahead, by
 * the order.) */
static double first_error(yk_along *a, yk_contract *contract,
                          const yoke_schedule *schedule,
                          const yk_model_point *p)
{
    const size_t outputs = (size_t)p->first_out[p->nodes];
    double most = 0.0;

    memset(a->error, 0, outputs * sizeof *a->error);
    yk_contract_carry(contract, schedule, p->first_out, a->change, a->error);
    for (int k = 0; k < p->first_out[1]; k++)
        if (a->size[k] > 0.0) most = fmax(most, fabs(a->error[k]) / a->size[k]);
    return most;
}

/* NAN: a part is singular there. */
static yoke_status radius(yk_contract *contract, double h, double *rho,
                          yoke_err *err)
{
    double norm = 0.0;
    const yoke_status status = yk_contract_respond(contract, h, err);

    *rho = NAN;
    if (status > 0) return YOKE_OK;
    YK_TRY(status);
    return yk_contract_sweep(contract, NULL, rho, &norm, err);
}

static yoke_status look(yk_along *a, double h, const yk_model_point *p,
                        yoke_along *out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_contract *contract = NULL;

    YK_GO(yk_contract_create(&contract, p->graph, a->schedule, out->t,
                             (const double *const *)p->x,
                             (const double *const *)p->u, err));
    YK_GO(radius(contract, SHORT * h, &out->rho_short, err));
    YK_GO(radius(contract, h, &out->rho, err));
    if (isnan(out->rho) || !is_pair(a->schedule)) goto done;
    out->first[0] = first_error(a, contract, a->schedule, p);
    out->first[1] = first_error(a, contract, &a->turned, p);
    for (int k = 0; k < 2; k++)
        out->answer[k] = yk_contract_answer(contract, a->schedule->member[k],
                                            p->first_out, a->change);
done:
    yk_contract_free(contract);
    return status;
}

yoke_status yk_along_look(yk_along *a, double h, const yk_model_point *before,
                          const yk_model_point *p, yoke_along *out,
                          yoke_err *err)
{
    for (int k = 0; k < p->first_out[p->nodes]; k++) {
        a->change[k] = p->y[k] - before->y[k];
        a->size[k] = fmax(a->size[k], fabs(p->y[k]));
    }
    return look(a, h, p, out, err);
}
