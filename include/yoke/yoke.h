/* yoke/yoke.h -- how the parts belong together, and everything at once.
 *
 * Several subsystems, each solved by its own method on its own time grid,
 * exchange whole waveforms over a window of time and repeat until they agree.
 *
 *   your functions             a model in a file
 *        |                            |
 *        v                            v
 *   system.h  a subsystem        file.h  netlist.h  equation.h
 *        |                            |
 *        v                            |       event.h, optional.h: what else a
 *   graph.h  what couples them        |         subsystem may offer
 *        |                            |       compose.h, ph.h, mechanism.h:
 *        v                            |         ready-made subsystems
 *   run.h  a model, its run  <--------+       check.h: is it what it claims?
 *        |                                    stepper.h, iterate.h: methods,
 *        v                                      options, what was done
 *   result.h  tables, pictures   report.h  a page about the run
 *
 * Functions return a status and write a message (status.h).  What is created is
 * freed by the function of the same noun; a model takes its subsystems.  Both
 * ways meet: subsystems of your own can be added to the model of a file.
 *
 * Two bodies exchange heat, each a subsystem that reads the other's temperature
 * (tests/install compiles and runs this program):
 *
 *     #include <yoke/yoke.h>
 *     #include <stdio.h>
 *
 *     static yoke_status cool(void *self, double t, const double *x,
 *                             const double *u, double *xdot, yoke_err *err)
 *     {
 *         (void)self, (void)t, (void)err;
 *         xdot[0] = u[0] - x[0];
 *         return YOKE_OK;
 *     }
 *
 *     int main(void)
 *     {
 *         static const yoke_system_ops ops = { .kind = "body", .rhs = cool };
 *         static const char *const name[] = { "hot", "cold" };
 *         yoke_run_options options = yoke_run_defaults();
 *         yoke_run_result result = { .converged = false };
 *         yoke_err err = { YOKE_OK, "" };
 *         yoke_model *model = NULL;
 *         yoke_table *table = NULL;
 *
 *         yoke_model_create(&model, &err);
 *         for (int k = 0; k < 2 && err.status == YOKE_OK; k++) {
 *             const double start = k == 0 ? 80.0 : 20.0;
 *             const yoke_system_info info = { .n = 1, .m = 1, .x0 = &start };
 *             yoke_system *body = NULL;
 *             if (!yoke_system_create(&body, name[k], &ops, NULL, &info, &err))
 *                 yoke_model_add(model, body, NULL, &err);
 *         }
 *         options.stop = 1.0;
 *         options.output = "heat.csv";
 *         yoke_graph *graph = model ? yoke_model_graph(model) : NULL;
 *         if (err.status == YOKE_OK &&
 *             !yoke_graph_signal(graph, "hot.u1", "cold.x1", 1.0, &err) &&
 *             !yoke_graph_signal(graph, "cold.u1", "hot.x1", 1.0, &err) &&
 *             !yoke_simulate(model, &options, &result, &err) &&
 *             !yoke_table_read(&table, "heat.csv", "result", &err)) {
 *             const int last = (table->rows - 1) * table->cols;
 *             printf("t = %g: %.4f, %.4f\n", table->value[last],
 *                    table->value[last + 1], table->value[last + 2]);
 *         }
 *         if (err.status != YOKE_OK) puts(err.text);
 *         yoke_table_free(table);
 *         yoke_model_free(model);
 *         return err.status == YOKE_OK && result.converged ? 0 : 1;
 *     }
 */
#ifndef YOKE_YOKE_H
#define YOKE_YOKE_H

#include "yoke/check.h"
#include "yoke/checkpoint.h"
#include "yoke/compose.h"
#include "yoke/equation.h"
#include "yoke/event.h"
#include "yoke/export.h"
#include "yoke/file.h"
#include "yoke/fmu.h"
#include "yoke/ssp.h"
#include "yoke/netlist.h"
#include "yoke/graph.h"
#include "yoke/iterate.h"
#include "yoke/mechanism.h"
#include "yoke/mesh.h"
#include "yoke/optional.h"
#include "yoke/ph.h"
#include "yoke/profile.h"
#include "yoke/report.h"
#include "yoke/result.h"
#include "yoke/run.h"
#include "yoke/sparse.h"
#include "yoke/status.h"
#include "yoke/stepper.h"
#include "yoke/system.h"
#include "yoke/version.h"
#include "yoke/work.h"

#endif
