/* yoke/yoke.h -- how the parts belong together, and everything at once.
 *
 * Several subsystems, each solved by its own method on its own time grid,
 * exchange whole waveforms over a window of time and repeat until they agree.
 *
 *   your functions             a model in a file
 *        |                            |
 *        v                            v
 *   system.h  a subsystem        file.h  a system file and what is in it
 *        |                            |
 *        v                            |
 *   graph.h  what couples them        |
 *        |                            |
 *        v                            |
 *   run.h  a model, its run  <--------+
 *        |
 *        v
 *   result.h  tables, pictures   report.h  a page about the run
 *
 * These, status.h, and the first lines of stepper.h and iterate.h, in which the
 * options of methods and of the iteration are, are read in an evening.  The
 * others are looked up:
 *
 *   event.h      state events of a subsystem    optional.h  what else it may offer
 *   compose.h    subsystems of matrices, or of  check.h     is a subsystem what
 *                other subsystems                           it claims to be?
 *   mechanism.h  constrained mechanisms         ph.h        port-Hamiltonian systems
 *   mesh.h       meshes of Gmsh                 profile.h   values along a line
 *   equation.h   equation models as such        netlist.h   netlists as such
 *   fmu.h ssp.h  what is in FMUs and packages   export.h    a system as an FMU
 *   checkpoint.h runs that go on later          work.h      what is counted
 *   sparse.h     patterns of matrices           version.h
 *   plugin.h     a subsystem in a shared library of your own, and program.h, in a
 *                program of its own: both for that library or program alone
 *
 * Functions return a status and write a message (status.h).  On failure outputs
 * are untouched and what would have been created is NULL.  Every pointer has one
 * of three words: a function
 *
 *   borrows  what must live as long as the object that got it, or, of results,
 *            what lives as long as the object it came from;
 *   copies   what you may change or free afterwards;
 *   takes    what it frees for you, also if it fails.
 *
 * Where nothing is said an argument is read during the call only.  What is
 * created is freed by the function of the same noun; a model takes its
 * subsystems.  Both ways meet: subsystems of your own can be added to the model
 * of a file.
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
#include "yoke/graph.h"
#include "yoke/iterate.h"
#include "yoke/mechanism.h"
#include "yoke/mesh.h"
#include "yoke/netlist.h"
#include "yoke/optional.h"
#include "yoke/ph.h"
#include "yoke/profile.h"
#include "yoke/report.h"
#include "yoke/result.h"
#include "yoke/run.h"
#include "yoke/sparse.h"
#include "yoke/ssp.h"
#include "yoke/status.h"
#include "yoke/stepper.h"
#include "yoke/system.h"
#include "yoke/version.h"
#include "yoke/work.h"

#endif
