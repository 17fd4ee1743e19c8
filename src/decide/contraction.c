/* decide/contraction.c -- the contraction of a schedule at the initial point.
 * */
#include "graph/contract.h"
#include "model/point.h"
#include "model/model.h"

#include <math.h>

static yoke_status fill(yk_contract *contract, int count, yoke_contraction *out,
                        yoke_err *err)
{
    for (int k = 0; k < count; k++) {
        if (!(out[k].h > 0.0))
            return yk_fail(err, YOKE_E_ARG, "h[%d] = %g is not positive", k,
                           out[k].h);
        out[k].rho = out[k].norm = NAN;
        const yoke_status status = yk_contract_respond(contract, out[k].h, err);
        if (status < 0) return status;
        if (status != YOKE_OK) continue;
        YK_TRY(
            yk_contract_sweep(contract, NULL, &out[k].rho, &out[k].norm, err));
    }
    return YOKE_OK;
}

yoke_status yoke_model_contraction(yoke_model *model,
                                   const yoke_run_options *options, int count,
                                   yoke_contraction *out, yoke_err *err)
{
    YK_POINT;
    yoke_status status = YOKE_OK;
    yoke_graph *graph = yoke_model_graph(model);
    yoke_schedule *schedule = NULL;
    yk_contract *contract = NULL;
    yk_model_point point = { 0 };

    YK_GO(yk_graph_complete(graph, err));
    YK_GO(yoke_run_schedule(&schedule, graph, options, err));
    YK_GO(yoke_graph_check(graph, schedule, options->start, err));
    YK_GO(yk_point_begin(&point, graph, options, err));
    YK_GO(yk_contract_create(&contract, graph, schedule, options->start,
                             (const double *const *)point.x,
                             (const double *const *)point.u, err));
    YK_GO(fill(contract, count, out, err));
done:
    yk_contract_free(contract);
    yk_point_clear(&point);
    yoke_schedule_free(schedule);
    return status;
}
