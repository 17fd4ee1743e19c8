/* graph/contract.h -- how fast the window iteration contracts, before the run.
 */
#ifndef YK_CONTRACT_H
#define YK_CONTRACT_H

#include "graph/cluster.h"

/* The clusters of a schedule linearised at one point. */
typedef struct yk_contract yk_contract;

/* x[node] and u[node] are the values of all subsystems at t.  Borrows the
 * graph and the schedule. */
yoke_status yk_contract_create(yk_contract **out, const yoke_graph *graph,
                               const yoke_schedule *schedule, double t,
                               const double *const *x, const double *const *u,
                               yoke_err *err);
void yk_contract_free(yk_contract *contract); /* accepts NULL */

/* Responses over one implicit step of length h.  YOKE_RETRY: a cluster is
 * singular there. */
yoke_status yk_contract_respond(yk_contract *contract, double h, yoke_err *err);

/* Spectral radius and maximum norm of one sweep of the interface iteration, at
 * the responses of the last call above, when the stages are run as in
 * `schedule` (NULL: the contract's own; otherwise one with the same clusters).
 * With more than YK_GRAPH_MOST_SIGNALS coupled outputs the radius is accurate to
 * YK_GRAPH_RADIUS and the norm an upper bound of it. */
yoke_status yk_contract_sweep(yk_contract *contract,
                              const yoke_schedule *schedule, double *rho,
                              double *norm, yoke_err *err);

/* The radius alone, of the contract's own schedule, while others wait: with more
 * than YK_GRAPH_FEW_SIGNALS coupled outputs to YK_GRAPH_RADIUS. */
yoke_status yk_contract_rate(yk_contract *contract, double *rho, yoke_err *err);

/* What one sweep makes of errors y of the coupled outputs, at the responses of
 * the last yk_contract_respond; y and `after` by output id, first_out[node]
 * being that of the first output of a node.  Others are left alone. */
void yk_contract_carry(yk_contract *contract, const yoke_schedule *schedule,
                       const int *first_out, const double *y, double *after);

/* How much a cluster answers to the change y of all coupled outputs: largest
 * change of its outputs over that of its inputs; NAN if those do not change. */
double yk_contract_answer(yk_contract *contract, int cluster,
                          const int *first_out, const double *y);

/* The radius if the clusters with the same group were solved as one and the
 * groups ran one after the other in this order.  YOKE_RETRY: a group is
 * singular. */
yoke_status yk_contract_merged(yk_contract *contract, const int *group,
                               int groups, const int *order, double *rho,
                               yoke_err *err);

/* gain[a * clusters + b]: the largest change of an output of cluster a if all
 * outputs of cluster b change by one, at the responses of the last call. */
yoke_status yk_contract_gains(yk_contract *contract, double *gain,
                              yoke_err *err);

/* The input of a cluster that acts on an unknown the more, the shorter the step
 * is: the derivative of that input is asked for.  *input and *unknown, -1:
 * there is none; *input from a search that begins behind `after`. */
yoke_status yk_contract_deep(yk_contract *contract, int cluster, double h,
                             int after, int *input, int *unknown,
                             yoke_err *err);

/* Do the unknowns of all clusters move at about the same rate by themselves, up
 * to this factor (yk_response_rate)? */
bool yk_contract_alike(const yk_contract *contract, double factor);

/* Work of iterating over that of one system, by prices (graph/cost.h), if each
 * cluster took as many steps as its rate asks for: it takes more, since windows
 * cut steps and neighbours follow. */
double yk_contract_price(const yk_contract *contract);

/* The clusters; borrowed. */
const yk_cluster *yk_contract_clusters(const yk_contract *contract);

#endif
