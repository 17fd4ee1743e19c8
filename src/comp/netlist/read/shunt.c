/* comp/netlist/read/shunt.c -- capacitors and resistors from nodes to ground.
 *
 * .options cshunt and rshunt put one at every node, as in ngspice.
 *
 * Transistors without charges have nodes whose voltage is no state.  Where their
 * gain is infinite, as that of two saturated MOS transistors without lambda, or
 * where two of them hold each other, it jumps at some instant that no source
 * tells, and no step however short is continuous there.  Such nodes get a
 * capacitance of gmin times the print step, 1e-20 to 1e-18 F: a thousandth and
 * less of what a micrometre of wire has.  At 1 uA 1e-18 F are charged by 1 V in
 * a picosecond, so that the jump becomes an edge which steps resolve, and a node
 * that nothing but gmin holds forgets its charge within about a print step.  It
 * is to time what gmin is to direct current.
 *
 * A coil L whose node only junctions and switches share, all without charge,
 * leaves it when they block with gmin alone: voltages follow within L gmin,
 * 1e-17 s and less, which no time near 1e-4 s resolves.  Such nodes get a
 * resistor to ground that makes this a part of the print step, L / R = part
 * tstep.  What flows in it is that part of what the coil's current changes by
 * in a print step at the same voltage.
 */
#include "comp/netlist/read/read.h"

#include <math.h>
#include <string.h>

/* Less than the first is lost in rounding at picoseconds: at 1e-22 F a spot
 * check of cross-coupled gates fails.  More than the second would be seen. */
static const double least = 1e-20, most = 1e-18;

/* L / R of a node that a coil leads to, in print steps: a fifth of the tolerance
 * of the preset, so that nobody sees the current.  Of thirteen converters and
 * rectifiers seven have no solution without the resistor, four with 1e-6 and
 * 5e-6, three with 1e-5 to 1e-4, two with 1e-3. */
static const double coil_part = 2e-5;

enum { BARE = 1, CHARGED = 2, HELD = 4 };

/* ---- what is at a node --------------------------------------------------- */

static bool has_any(const yk_net_model *m, const char *const *names)
{
    for (; *names; names++)
        if (yk_net_value(m->param, m->params, *names, 0.0, NULL) != 0.0)
            return true;
    return false;
}

static bool has_charges(const yk_netlist *net, const yk_net_element *e)
{
    static const char *const mos[] = { "tox", "cgso", "cgdo", "cgbo", "cbd",
                                       "cbs", "cj",   "cjsw", NULL };
    static const char *const bjt[] = { "cje", "cjc", "cjs", "ccs",
                                       "tf",  "tr",  NULL };
    static const char *const jfet[] = { "cgs", "cgd", NULL };
    const yk_net_model *m = e->model >= 0 ? &net->model[e->model] : NULL;

    if (!m) return true;
    if (e->kind == 'q') return has_any(m, bjt);
    if (e->kind == 'j') return has_any(m, jfet);
    return e->nodes < 4 || has_any(m, mos) ||
           yk_net_value(m->param, m->params, "level", 1.0, NULL) != 1.0;
}

static int mark_of(const yk_netlist *net, const yk_net_element *e)
{
    if (strchr("mqj", e->kind)) return has_charges(net, e) ? CHARGED : BARE;
    if (strchr("vehlto", e->kind)) return HELD;
    if (e->kind == 'b') return e->is_current ? 0 : HELD;
    return e->kind == 'c' || e->kind == 'd' ? CHARGED : 0;
}

static void mark_nodes(const yk_netlist *net, unsigned char *mark)
{
    for (int k = 0; k < net->elements; k++) {
        const yk_net_element *e = &net->element[k];
        const int what = mark_of(net, e);
        /* Behind the second node of a source those that control it. */
        const int nodes = what == HELD && e->nodes > 2 ? 2 : e->nodes;
        for (int i = 0; i < nodes; i++) mark[e->node[i]] |= (unsigned char)what;
    }
}

/* ---- coils --------------------------------------------------------------- */

static bool is_free_diode(const yk_netlist *net, const yk_net_element *e)
{
    static const char *const charges[] = { "cjo", "cj0",  "cj", "cjsw",
                                           "cjp", "cjsw", "tt", NULL };

    return e->kind == 'd' && e->model >= 0 &&
           !has_any(&net->model[e->model], charges);
}

/* The conductance to ground of each node that a coil leads to and where all
 * else may block; 0 of others. */
static void find_coils(const yk_netlist *net, double time, unsigned char *mark,
                       double *conductance)
{
    for (int k = 0; k < net->elements; k++) {
        const yk_net_element *e = &net->element[k];
        const bool blocks = strchr("sw", e->kind) || is_free_diode(net, e);
        const bool floats =
            e->kind == 'c' && e->node[0] != 0 && e->node[1] != 0;
        const double coil =
            e->kind == 'l' && !e->expr ? yk_net_passive(net, e) : 0.0;
        for (int i = 0; i < 2 && i < e->nodes; i++) {
            const int n = e->node[i];
            if (coil > 0.0)
                conductance[n] += time / coil;
            else if (blocks)
                mark[n] |= BARE;
            else if (!floats)
                mark[n] |= HELD;
        }
        for (int i = 2; i < e->nodes && !strchr("swegbfh", e->kind); i++)
            mark[e->node[i]] |= HELD;
    }
    for (int n = 0; n < net->nodes; n++)
        if (mark[n] != BARE || n == 0) conductance[n] = 0.0;
}

/* ---- elements ------------------------------------------------------------ */

static yoke_status put(yk_netlist *net, char kind, int node, double value,
                       yoke_err *err)
{
    yk_net_element made = { .kind = kind,
                            .at = net->node_at[node],
                            .nodes = 2,
                            .model = -1,
                            .params = 1 };

    YK_TRY(yk_arena_print(&net->arena, &made.name, err, "%c#shunt#%s", kind,
                          net->node[node]));
    YK_TRY(YK_TAKE(&net->arena, &made.node, 2, err));
    YK_TRY(YK_TAKE(&net->arena, &made.param, 1, err));
    made.node[0] = node;
    *made.param = (yk_net_param){ "value", value, made.at };
    return yk_net_put_element(net, &made, err);
}

static yoke_status put_all(yk_netlist *net, char kind, double value,
                           const unsigned char *mark, yoke_err *err)
{
    const int nodes = net->nodes;
    int count = 0;

    for (int n = 1; n < nodes; n++) count += !mark || mark[n] == BARE;
    if (count == 0) return YOKE_OK;
    YK_TRY(yk_net_room_for(net, count, err));
    for (int n = 1; n < nodes; n++)
        if (!mark || mark[n] == BARE) YK_TRY(put(net, kind, n, value, err));
    return YOKE_OK;
}

yoke_status yk_net_shunt_options(yk_netlist *net, yoke_err *err)
{
    static const char *const name[] = { "cshunt", "rshunt" };

    for (int k = 0; k < 2; k++) {
        const double value =
            yk_net_value(net->option, net->options, name[k], 0.0, NULL);
        if (value < 0.0)
            return yk_fail(err, YOKE_E_ARG, "%s: .options %s = %g is negative",
                           net->path, name[k], value);
        if (value > 0.0) YK_TRY(put_all(net, name[k][0], value, NULL, err));
    }
    return YOKE_OK;
}

static yoke_status put_charges(yk_netlist *net, double tstep, yoke_err *err)
{
    const double gmin =
        yk_net_value(net->option, net->options, "gmin", 1e-12, NULL);
    const double value = fmin(most, fmax(least, gmin * tstep));
    unsigned char *mark = NULL;

    YK_TRY(YK_NEW(&mark, net->nodes + 1, err));
    mark_nodes(net, mark);
    const yoke_status status = put_all(net, 'c', value, mark, err);
    yk_free(mark);
    return status;
}

static yoke_status put_coils(yk_netlist *net, double tstep, yoke_err *err)
{
    const int nodes = net->nodes;
    unsigned char *mark = NULL;
    double *conductance = NULL;
    yoke_status status = YOKE_OK;
    int count = 0;

    YK_GO(YK_NEW(&mark, nodes + 1, err));
    YK_GO(yk_doubles(&conductance, (size_t)nodes + 1, err));
    find_coils(net, coil_part * tstep, mark, conductance);
    for (int n = 1; n < nodes; n++) count += conductance[n] > 0.0;
    YK_GO(yk_net_room_for(net, count, err));
    for (int n = 1; n < nodes; n++)
        if (conductance[n] > 0.0)
            YK_GO(put(net, 'r', n, 1.0 / conductance[n], err));
done:
    YK_FREE(mark, conductance);
    return status;
}

yoke_status yk_net_shunt_bare(yk_netlist *net, double tstep, yoke_err *err)
{
    bool charges = false, resistors = false;

    yk_net_value(net->option, net->options, "cshunt", 0.0, &charges);
    yk_net_value(net->option, net->options, "rshunt", 0.0, &resistors);
    net->bare = net->elements;
    if (!charges) YK_TRY(put_charges(net, tstep, err));
    if (!resistors) YK_TRY(put_coils(net, tstep, err));
    net->bares = net->elements - net->bare;
    return YOKE_OK;
}
