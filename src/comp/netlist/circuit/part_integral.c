/* comp/netlist/circuit/part_integral.c -- charges of C(v) and fluxes of L(i).
 *
 * A capacitance that depends on its own voltage means i = C(v) v', as in SPICE:
 * its charge is the integral of C from 0 to v, not C(v) v.  The same holds for
 * inductances of their own current.  Where the value depends on something else,
 * C(w) v' is no derivative of any charge; there i = (C(w) v)', and the netlist
 * is told so.
 *
 * The integral is by Lobatto's formula with seven points, the ends among them,
 * on pieces that are halved until both halves agree with the whole: the value
 * may have just jumped.
 */
#include "comp/netlist/circuit/part.h"

#include <math.h>
#include <string.h>

enum { POINTS = 7, HALVINGS = 40 };

static const double enough = 1e-11; /* of the integral */

bool yk_circuit_integrates(const yk_circuit *c, int e)
{
    const yk_net_element *el = &c->net->element[e];
    const yk_net_expr *x = el->expr;

    if (!x || !strchr("cl", el->kind) || x->uses_time || x->vars == 0)
        return false;
    for (int k = 0; k < x->vars; k++) {
        const yk_net_var *v = &x->var[k];
        const bool own =
            el->kind == 'l'
                ? v->is_current && v->a == e
                : !v->is_current &&
                      ((v->a == el->node[0] && v->b == el->node[1]) ||
                       (v->a == el->node[1] && v->b == el->node[0]));
        if (!own) return false;
    }
    return true;
}

yoke_status yk_circuit_tell_values(const yk_circuit *c, yoke_err *err)
{
    for (int e = 0; e < c->net->elements; e++) {
        const yk_net_element *el = &c->net->element[e];
        if (!el->expr || !strchr("cl", el->kind) || yk_circuit_integrates(c, e))
            continue;
        const bool coil = el->kind == 'l';
        YK_TRY(yk_net_warn(
            c->net, err, el->at,
            "%.60s: the value depends on more than its own %s, so its %s is "
            "value * %s here; ngspice takes value * d%s/dt and conserves none",
            el->name, coil ? "current" : "voltage", coil ? "flux" : "charge",
            coil ? "i" : "v", coil ? "i" : "v"));
    }
    return YOKE_OK;
}

/* Over s from a to b of the value at s times the arguments. */
static double lobatto(const yk_part_function *fn, double *arg, double a,
                      double b)
{
    static const double at[POINTS] = {
        -1.0, -0.830223896278567, -0.468848793470714,
        0.0,  0.468848793470714,  0.830223896278567,
        1.0
    };
    static const double weight[POINTS] = { 1.0 / 21.0,        0.276826047361566,
                                           0.431745381209863, 0.487619047619048,
                                           0.431745381209863, 0.276826047361566,
                                           1.0 / 21.0 };
    double sum = 0.0;

    for (int k = 0; k < POINTS; k++) {
        const double s = 0.5 * (a + b) + 0.5 * (b - a) * at[k];
        double value = 0.0;
        for (int v = 0; v + 1 < fn->vars; v++) arg[v] = s * fn->arg[v];
        yk_net_expr_eval(fn->expr, 0.0, arg, &value, NULL, fn->work);
        sum += weight[k] * value;
    }
    return 0.5 * (b - a) * sum;
}

double yk_part_integral(const yk_part_function *fn)
{
    double *arg = fn->slope; /* nobody has asked for slopes yet */
    double sum = 0.0, a = 0.0, b = 1.0;
    double whole = lobatto(fn, arg, a, b);
    const double size = fabs(whole);

    for (int depth = 0; a < 1.0;) {
        const double middle = 0.5 * (a + b);
        const double left = lobatto(fn, arg, a, middle);
        const double right = lobatto(fn, arg, middle, b);
        const double apart = fabs(left + right - whole);
        if (depth < HALVINGS && apart > enough * fmax(size, fabs(sum))) {
            b = middle;
            whole = left;
            depth++;
            continue;
        }
        sum += left + right;
        /* The next piece is as long, or as much longer as a has halves left. */
        const double length = b - a;
        a = b;
        double next = length;
        while (depth > 0 && fmod(a, 2.0 * next) == 0.0) {
            next *= 2.0;
            depth--;
        }
        b = fmin(a + next, 1.0);
        if (a < 1.0) whole = lobatto(fn, arg, a, b);
    }
    return sum * fn->arg[fn->vars - 1];
}

double yk_part_charge_at(const yk_net_part *p, const yk_part_function *fn,
                         double v)
{
    const int own = fn->vars - 1;
    double value = 0.0;

    for (int k = 0; k <= own; k++) {
        fn->arg[k] = p->z[fn->plus[k]] - p->z[fn->minus[k]];
        if (fn->plus[k] == fn->plus[own] && fn->minus[k] == fn->minus[own])
            fn->arg[k] = v;
        else if (fn->plus[k] == fn->minus[own] && fn->minus[k] == fn->plus[own])
            fn->arg[k] = -v;
    }
    if (fn->integrates) return fn->factor * yk_part_integral(fn);
    yk_net_expr_eval(fn->expr, 0.0, fn->arg, &value, NULL, fn->work);
    return fn->factor * value * v;
}
