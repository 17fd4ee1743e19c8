/* Two masses between three springs, each mass a subsystem of its own.
 *
 *     wall --k-- m1 --c-- m2 --k-- wall     k = 4 pi^2,  c = 16 pi^2,  m = 1
 *
 * Each mass knows the position of the other as an input.  Exact solution:
 * x1 = (cos 2 pi t + cos 6 pi t) / 2.
 */
#include <yoke/yoke.h>

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;

/* x' = v,  v' = -k x - c (x - other) */
static yoke_status mass(void *self, double t, const double *x, const double *u,
                        double *xdot, yoke_err *err)
{
    (void)self, (void)t, (void)err;
    xdot[0] = x[1];
    xdot[1] = -4 * pi * pi * x[0] - 16 * pi * pi * (x[0] - u[0]);
    return YOKE_OK;
}

static yoke_status add_mass(yoke_model *model, const char *name, double x0,
                            yoke_err *err)
{
    static const yoke_system_ops ops = { .kind = "mass", .rhs = mass };
    yoke_system_info info = { .n = 2, .m = 1 };
    yoke_system *system = NULL;

    info.x0 = (double[]){ x0, 0.0 };
    info.x_name = (const char *const[]){ "x", "v" };
    info.u_name = (const char *const[]){ "other" };
    if (yoke_system_create(&system, name, &ops, NULL, &info, err) != YOKE_OK)
        return err->status;
    return yoke_model_add(model, system, NULL, err);
}

int main(void)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_model *model = NULL;
    yoke_run_options options = yoke_run_defaults();
    yoke_run_result result = { .converged = false };

    options.iterate.window = 0.05;
    options.iterate.rtol = 1e-8;
    options.output = "two_masses.csv";
    if (yoke_model_create(&model, &err) == YOKE_OK &&
        add_mass(model, "left", 1.0, &err) == YOKE_OK &&
        add_mass(model, "right", 0.0, &err) == YOKE_OK) {
        yoke_graph *graph = yoke_model_graph(model);
        if (yoke_graph_signal(graph, "left.other", "right.x", 1, &err) == 0 &&
            yoke_graph_signal(graph, "right.other", "left.x", 1, &err) == 0)
            yoke_simulate(model, &options, &result, &err);
    }
    puts(err.status == YOKE_OK ? result.text : err.text);
    yoke_model_free(model);
    return result.converged ? 0 : 1;
}
