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
 */
#include "comp/netlist/read/read.h"

#include <math.h>
#include <string.h>

/* Less than the first is lost in rounding at picoseconds: at 1e-22 F a spot
 * check of cross-coupled gates fails.  More than the second would be seen. */
static const double least = 1e-20, most = 1e-18;

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

yoke_status yk_net_shunt_bare(yk_netlist *net, double tstep, yoke_err *err)
{
    const double gmin =
        yk_net_value(net->option, net->options, "gmin", 1e-12, NULL);
    const double value = fmin(most, fmax(least, gmin * tstep));
    unsigned char *mark = NULL;
    bool given = false;

    yk_net_value(net->option, net->options, "cshunt", 0.0, &given);
    if (given) return YOKE_OK;
    YK_TRY(YK_NEW(&mark, net->nodes + 1, err));
    mark_nodes(net, mark);
    net->bare = net->elements;
    const yoke_status status = put_all(net, 'c', value, mark, err);
    net->bares = net->elements - net->bare;
    yk_free(mark);
    return status;
}
