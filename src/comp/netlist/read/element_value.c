/* comp/netlist/read/element_value.c -- resistance, capacitance and inductance
 * of models and at a temperature, with the formulas of ngspice 39.
 *
 *     R = rsh (l - 2 short) / (w - 2 narrow)
 *     C = cj (l - short) (w - narrow) + 2 cjsw (l - short + w - narrow)
 *     value(T) = value scale (1 + tc1 dT + tc2 dT^2),  dT = T - tnom,
 *
 * for a resistor with tce value scale 1.01^(tce dT) instead.
 */
#include "comp/netlist/read/read.h"

#include <math.h>
#include <string.h>

static double model_value(const yk_net_model *m, const char *name,
                          double preset, bool *given)
{
    return yk_net_value(m->param, m->params, name, preset, given);
}

/* Length and width, of the element or else of the model, less `by` of what
 * etching takes away. */
static void effective(const yk_net_parse *p, const yk_net_model *m, double by,
                      double *length, double *width)
{
    bool given;

    *length = yk_net_value(p->param, p->params, "l", 0.0, &given);
    if (!given) *length = model_value(m, "l", 10e-6, NULL);
    *width = yk_net_value(p->param, p->params, "w", 0.0, &given);
    if (!given) *width = model_value(m, "defw", 10e-6, NULL);
    *length -= by * model_value(m, "short", 0.0, NULL);
    *width -= by * model_value(m, "narrow", 0.0, NULL);
}

static double geometric_resistance(const yk_net_parse *p, const yk_net_model *m,
                                   bool *given)
{
    double length, width;
    const double whole = model_value(m, "r", 0.0, given);

    if (*given) return whole;
    effective(p, m, 2.0, &length, &width);
    return model_value(m, "rsh", 0.0, given) * length / width;
}

static double geometric_capacitance(const yk_net_parse *p,
                                    const yk_net_model *m, bool *given)
{
    double length, width;
    bool has_side;
    const double whole = model_value(m, "cap", 0.0, given);

    if (*given) return whole;
    effective(p, m, 1.0, &length, &width);
    const double side = model_value(m, "cjsw", 0.0, &has_side);
    const double area = model_value(m, "cj", 0.0, given);
    *given = *given || has_side;
    return area * length * width + 2.0 * side * (length + width);
}

yoke_status yk_net_model_value(yk_net_parse *p, yoke_err *err)
{
    const yk_net_model *m = &p->r->net->model[p->e->model];
    bool given = false;
    const double value = p->e->kind == 'r' ? geometric_resistance(p, m, &given)
                         : p->e->kind == 'c'
                             ? geometric_capacitance(p, m, &given)
                             : model_value(m, "ind", 0.0, &given);

    if (!given || !isfinite(value))
        return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                           "\"%s\" has no value, and its model \"%s\" has not "
                           "%s",
                           p->e->name, m->name,
                           p->e->kind == 'r'   ? "r or rsh"
                           : p->e->kind == 'c' ? "cap, cj or cjsw"
                                               : "ind");
    return yk_net_add_param(p, "value", value, err);
}

yoke_status yk_net_check_passive(yk_net_parse *p, yoke_err *err)
{
    for (int i = 0; i < p->params; i++) {
        if (p->e->kind != 'r' || strcmp(p->param[i].name, "value") != 0 ||
            p->param[i].value != 0.0)
            continue;
        p->param[i].value = 1e-3;
        return yk_net_warn(p->r->net, err, p->line->at,
                           "\"%.80s\" has no resistance; as in ngspice it is "
                           "taken as 1 mOhm",
                           p->e->name);
    }
    return YOKE_OK;
}

yoke_status yk_net_check_model(yk_netlist *net, const yk_net_model *m,
                               yoke_err *err)
{
    static const char *const known[] = {
        "r",    "rsh", "tc1", "tc2", "tce", "defw", "l",   "narrow", "short",
        "tnom", "kf",  "af",  "cap", "cj",  "cjsw", "ind", "level",  NULL
    };
    static const char *const types[] = { "r", "res", "c", "cap",
                                         "l", "ind", NULL };
    bool passive = false;

    for (int i = 0; types[i]; i++)
        passive = passive || strcmp(m->type, types[i]) == 0;
    for (int i = 0; passive && i < m->params; i++) {
        int k = 0;
        while (known[k] && strcmp(known[k], m->param[i].name) != 0) k++;
        if (!known[k])
            YK_TRY(yk_net_warn(net, err, m->at,
                               "model \"%.80s\": parameter \"%.80s\" is "
                               "ignored",
                               m->name, m->param[i].name));
    }
    return YOKE_OK;
}

/* A coefficient of the element or else of its model. */
static double coefficient(const yk_netlist *net, const yk_net_element *e,
                          const char *name, double preset)
{
    bool given;
    const double value = yk_net_value(e->param, e->params, name, 0.0, &given);

    if (given || e->model < 0) return given ? value : preset;
    return model_value(&net->model[e->model], name, preset, NULL);
}

double yk_net_passive(const yk_netlist *net, const yk_net_element *e)
{
    const double circuit =
        yk_net_value(net->option, net->options, "temp", 27.0, NULL);
    const double tnom =
        yk_net_value(net->option, net->options, "tnom", 27.0, NULL);
    const double temp =
        yk_net_value(e->param, e->params, "temp", circuit, NULL) +
        yk_net_value(e->param, e->params, "dtemp", 0.0, NULL);
    const double d = temp - (e->model < 0 ? tnom
                                          : model_value(&net->model[e->model],
                                                        "tnom", tnom, NULL));
    const double value =
        e->expr ? 1.0 : yk_net_value(e->param, e->params, "value", 0.0, NULL);
    const double scale = yk_net_value(e->param, e->params, "scale", 1.0, NULL);
    const double tce = coefficient(net, e, "tce", 0.0);

    if (e->kind == 'r' && tce != 0.0) return value * scale * pow(1.01, tce * d);
    return value * scale *
           (1.0 + (coefficient(net, e, "tc1", 0.0) +
                   coefficient(net, e, "tc2", 0.0) * d) *
                      d);
}
