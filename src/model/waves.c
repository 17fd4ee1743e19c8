/* model/waves.c -- two physical ports that exchange waves instead of
 * potential and flow.
 *
 * Each port gets a small subsystem, owned by that of the port, which closes it
 * with a resistance Z = 1/zeta,
 *
 *     i = g - zeta v,      sent = 2 zeta v - g = zeta v - i,
 *
 * and the ports exchange g = what the other sent.  At the fixed point v and i
 * of both agree: v_a = v_b, i_a = -i_b.  If both sides are passive no wave
 * grows, whatever Z and the window are; the exchange is the closer to finished
 * in one sweep, the closer Z is to the impedance of one of the ports.
 *
 * Where Z is not given it follows from the answers of the ports over implicit
 * steps of several lengths h, linearised at the initial values: with
 *
 *     rho(h) = |(Za(h) - Z) (Zb(h) - Z) / ((Za(h) + Z) (Zb(h) + Z))|
 *
 * the Z for which the largest of these is least.
 *
 * What one side's grid does not resolve of the other's wave is sent back whole,
 * so the rates hold down to the accuracy of the steppers: both sides should
 * have the same fixed step.  Otherwise the report says so.  A wave is a
 * difference, zeta v - i, so both are solved more accurately than is asked for
 * (run/plan.c).
 */
#include "model/waves.h"

#include "graph/graph.h"
#include "model/model.h"
#include "sys/response.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LENGTHS = 4, TRIALS = 121 };

/* ---- impedance ----------------------------------------------------------- */

/* dv/di of a port over steps of these lengths; NAN: not known. */
static yoke_status answers(const yoke_graph *graph, const yk_wave_port *port,
                           double t, const double *h, double *z, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_response *r = NULL;
    double *u = NULL;
    int node = 0, flow = 0, potential = 0;

    YK_TRY(yk_graph_port(graph, port->flow, true, &node, &flow, err));
    YK_TRY(
        yk_graph_port(graph, port->potential, false, &node, &potential, err));
    yoke_system *s = yoke_graph_system(graph, node);
    const yoke_system_info *f = yoke_system_facts(s);
    YK_GO(yk_doubles(&u, (size_t)f->m + 1, err));
    YK_GO(yk_response_create(&r, s, err));
    YK_GO(yk_response_linearise(r, t, f->x0, u, err));
    for (int k = 0; k < LENGTHS; k++) {
        yoke_err why = { YOKE_OK, "" };
        status = yk_response_factor(r, 1.5 / h[k], &why);
        z[k] = status == YOKE_OK
                   ? yk_response_matrix(r)[potential * f->m + flow]
                   : NAN;
        if (status == YOKE_RETRY) status = YOKE_OK;
        if (status != YOKE_OK) {
            if (err) *err = why;
            goto done;
        }
    }
done:
    yk_response_free(r);
    yk_free(u);
    return status;
}

static double worst(const double *a, const double *b, double z)
{
    double most = 0.0;

    for (int k = 0; k < LENGTHS; k++) {
        const double ra = (a[k] - z) / (a[k] + z), rb = (b[k] - z) / (b[k] + z);
        if (a[k] > 0.0 && b[k] > 0.0) most = fmax(most, fabs(ra * rb));
    }
    return most;
}

/* Fails where the ports are not passive or nothing is known of them. */
static yoke_status estimate(const yoke_graph *graph, const yk_wave_port *port,
                            double start, double span, double *z, double *rho,
                            yoke_err *err)
{
    double h[LENGTHS], answer[2][LENGTHS], least = INFINITY, most = 0.0;

    for (int k = 0; k < LENGTHS; k++) h[k] = span * pow(10.0, -1.0 - k);
    for (int side = 0; side < 2; side++) {
        YK_TRY(answers(graph, &port[side], start, h, answer[side], err));
        for (int k = 0; k < LENGTHS; k++) {
            if (answer[side][k] < 0.0)
                return yk_fail(err, YOKE_E_FILE,
                               "\"%.100s\" falls by %.3g when %.100s grows by "
                               "1: the port is not passive, waves are of no "
                               "use; check the sign of the flow",
                               port[side].potential, -answer[side][k],
                               port[side].flow);
            if (!(answer[side][k] > 0.0)) continue;
            least = fmin(least, answer[side][k]);
            most = fmax(most, answer[side][k]);
        }
    }
    if (!(most > 0.0))
        return yk_fail(err, YOKE_E_FILE,
                       "the impedance of these ports cannot be found at the "
                       "initial values; give \"impedance\"");
    *rho = INFINITY;
    for (int k = 0; k < TRIALS; k++) {
        const double trial = least * pow(most / least, k / (TRIALS - 1.0));
        const double now = worst(answer[0], answer[1], trial);
        if (!(now < *rho)) continue;
        *rho = now;
        *z = trial;
    }
    return YOKE_OK;
}

/* ---- closing the ports --------------------------------------------------- */

static const char wave_name[] = "wave", sent_name[] = "sent";

bool yk_is_wave_port(const yoke_system *system)
{
    const yoke_system_info *f = yoke_system_facts(system);

    return f->n == 0 && f->m == 2 && f->p == 2 &&
           strcmp(f->u_name[1], wave_name) == 0 &&
           strcmp(f->y_name[1], sent_name) == 0;
}

/* The subsystem that closes one port: "<coupling>_a" or "_b". */
static yoke_status close_port(yoke_model *model, const char *name,
                              const yk_wave_port *port, double zeta,
                              yoke_err *err)
{
    static const char *const u[] = { "potential", wave_name };
    static const char *const y[] = { "flow", sent_name };
    const double D[4] = { -zeta, 1.0, 2.0 * zeta, -1.0 };
    const yoke_linear closed = {
        .n = 0, .m = 2, .p = 2, .D = D, .u_name = u, .y_name = y
    };
    yoke_graph *graph = yoke_model_graph(model);
    yoke_system *system = NULL;
    char address[700];

    YK_TRY(yoke_linear_create(&system, name, &closed, err));
    YK_TRY(yoke_model_add(model, system, NULL, err));
    YK_TRY(yk_graph_own(graph, name, port->subsystem, err));
    snprintf(address, sizeof address, "%s.potential", name);
    YK_TRY(yoke_graph_signal(graph, address, port->potential, 1.0, err));
    snprintf(address, sizeof address, "%s.flow", name);
    return yoke_graph_signal(graph, port->flow, address, 1.0, err);
}

static yoke_status exchange(yoke_graph *graph, const char *to, const char *from,
                            yoke_err *err)
{
    char input[700], output[700];

    snprintf(input, sizeof input, "%s.wave", to);
    snprintf(output, sizeof output, "%s.sent", from);
    return yoke_graph_signal(graph, input, output, 1.0, err);
}

/* Do both sides have the same fixed step? */
static bool same_grid(const yoke_model *model, double every,
                      const yk_wave_port port[2])
{
    const yoke_graph *graph = model->graph;
    double step[2];

    for (int k = 0; k < 2; k++) {
        const int node = yoke_graph_find(graph, port[k].subsystem);
        const yoke_stepper_options *o = yk_model_stepper(model, node);
        if (!o || !yoke_stepper_is_fixed(o->method)) return false;
        step[k] = every > 0.0 ? every : o->step;
    }
    return step[0] > 0.0 && step[0] == step[1];
}

yoke_status yk_model_waves(yoke_model *model, const yoke_run_options *o,
                           const char *name, const yk_wave_port port[2],
                           double impedance, char text[YK_WAVES_TEXT],
                           yoke_err *err)
{
    yoke_graph *graph = model->graph;
    char side[2][320], rate[80] = "";
    double z = impedance, rho = NAN;
    const char *const grids =
        same_grid(model, o->step, port)
            ? ""
            : "; with one fixed step for both sides it would go on below the "
              "accuracy of the steppers";

    if (z == 0.0)
        YK_TRY(estimate(graph, port, o->start,
                        o->iterate.window > 0.0 ? o->iterate.window
                                                : o->stop - o->start,
                        &z, &rho, err));
    for (int k = 0; k < 2; k++) {
        snprintf(side[k], sizeof side[k], "%.300s_%c", name, 'a' + k);
        YK_TRY(close_port(model, side[k], &port[k], 1.0 / z, err));
    }
    YK_TRY(exchange(graph, side[0], side[1], err));
    YK_TRY(exchange(graph, side[1], side[0], err));
    if (!isnan(rho))
        snprintf(rate, sizeof rate,
                 " by the responses of the ports; a sweep leaves about %.3g of "
                 "an error",
                 rho);
    snprintf(text, YK_WAVES_TEXT, "waves, impedance %.*g%s%s",
             isnan(rho) ? 6 : 4, z, rate, grids);
    return YOKE_OK;
}
