/* comp/netlist/device/tline.c -- lines: lossless (t), lossy (o), uniform RC
 * (u).
 *
 * A lossless line with the impedance z0 and the delay td joins two ports,
 *
 *     v1(t) - z0 i1(t) = v2(t - td) + z0 i2(t - td),   and the same with 1, 2
 *
 * exchanged (i flows into the port).  It stays one element; part.c has its
 * equations and takes the right sides as inputs, signals with a delay.  At rest
 * they say v1 = v2, i1 = -i2.
 *
 * The others become elements here, under names with "#".  A line with
 * inductance and capacitance is a chain of n lossless ones, the losses lumped
 * between them: r / 2n, line of delay td / n with g / 2n at its ends, r / 2n.
 * With x = s td / n and a = r / (n z0) the angle of one section is
 *
 *     cosh(angle) = cosh x + a/2 sinh x
 *                 = 1 + (x^2 + a x)/2 + (x^4 + 2 a x^3)/24 + ...,
 *
 * that of the line has a^2 x^2 / 24 more: signals slower than td / n see the
 * delay td (1 - a^2 / 24), and their front is not smeared, whatever n.
 * Without inductance there are n equal sections of resistance and capacitance;
 * without both the two-port is known in closed form.
 *
 * The uniform RC line is that of SPICE: lumps that grow geometrically from both
 * ends to the middle (Nagel's expansion as ngspice's manual has it).
 */
#include "comp/netlist/read/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Sections of a lossy line: so that a is at most a sixteenth at the preset
 * reltol of 1e-3 and falls with its root, to 1/64.  A step through a line with
 * r = 1.4 z0 then errs by 7e-4 of its height at most, with 1/64 by 1.4e-4; the
 * time it takes grows with the square of the number. */
static const double loss_by_reltol = 3.84; /* a^2 / reltol */
static const double least_loss = 1.0 / 64.0, most_loss = 1.0 / 16.0;
enum { LEAST_SECTIONS = 16, RC_SECTIONS = 100, MOST_SECTIONS = 1000 };

/* ---- small elements in place of a line ----------------------------------- */

/* A line that becomes other elements. */
typedef struct maker {
    yk_net_parse *p;
    const yk_net_element *line;
    char local[YK_NET_NAME + 1]; /* as it is written */
    int made, nodes;
} maker;

static yoke_status maker_begin(maker *m, yk_net_parse *p, yoke_err *err)
{
    const yk_net_word *w = &p->r->word[0];

    *m = (maker){ .p = p, .line = p->e };
    if (w->length > YK_NET_NAME - 20)
        return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                           "the name of the line is too long");
    memcpy(m->local, w->text, (size_t)w->length);
    return YOKE_OK;
}

static yoke_status new_node(maker *m, int *node, yoke_err *err)
{
    char text[YK_NET_NAME + 30];
    const int n = snprintf(text, sizeof text, "%s#%d", m->local, ++m->nodes);

    return yk_net_node(m->p->r, m->p->env, text, n, m->p->line->at, node, err);
}

typedef struct quantity {
    const char *name;
    double value;
} quantity;

static yoke_status add(maker *m, char kind, int nodes, const int *node,
                       int quantities, const quantity *q, int model,
                       yoke_err *err)
{
    yk_netlist *net = m->p->r->net;
    const char *name = NULL;
    yk_net_element e = { .kind = kind,
                         .at = m->line->at,
                         .model = model,
                         .instance = m->line->instance };
    yk_net_parse p = *m->p;

    YK_TRY(yk_net_may_grow(net, m->line->at, err));
    for (int k = 0; k < quantities; k++)
        if (!isfinite(q[k].value))
            return yk_net_fail(err, YOKE_E_ARG, m->line->at,
                               "\"%.80s\": the values of the line make a %s "
                               "that is not finite",
                               m->line->name, q[k].name);
    YK_TRY(yk_arena_print(&net->arena, &name, err, "%c#%s#%d", kind,
                          m->line->name, ++m->made));
    e.name = name;
    p.e = &e;
    p.params = 0;
    YK_TRY(yk_net_room(&p, nodes, err));
    memcpy(e.node, node, (size_t)nodes * sizeof *node);
    for (int k = 0; k < quantities; k++)
        YK_TRY(yk_net_add_param(&p, q[k].name, q[k].value, err));
    return yk_net_add_element(&p, err);
}

/* Nothing if the value is zero. */
static yoke_status add_two(maker *m, char kind, int a, int b, double value,
                           yoke_err *err)
{
    const quantity q = { "value", value };

    if (value == 0.0) return YOKE_OK;
    return add(m, kind, 2, (const int[]){ a, b }, 1, &q, -1, err);
}

static yoke_status add_shunt(maker *m, int a, int b, double g, yoke_err *err)
{
    return add_two(m, 'r', a, b, g > 0.0 ? 1.0 / g : 0.0, err);
}

/* ---- lossy lines --------------------------------------------------------- */

/* Values of the whole line; v, i at its ends before the start. */
typedef struct lossy {
    double r, l, g, c;
    bool has_ic;
    double v[2], i[2];
    int sections;
} lossy;

static double at(const double *end, double x)
{
    return end[0] + (end[1] - end[0]) * x;
}

/* One lossless piece from x1 to x2 of the line. */
static yoke_status add_piece(maker *m, const lossy *y, const int *node,
                             double x1, double x2, yoke_err *err)
{
    const double flow[2] = { y->i[0], -y->i[1] }; /* to the right */
    const quantity q[] = {
        { "z0", sqrt(y->l / y->c) }, { "td", (x2 - x1) * sqrt(y->l * y->c) },
        { "v1", at(y->v, x1) },      { "i1", at(flow, x1) },
        { "v2", at(y->v, x2) },      { "i2", -at(flow, x2) }
    };

    return add(m, 't', 4, node, y->has_ic ? 6 : 2, q, -1, err);
}

/* Inner pieces have ground as their other node: the ports of a lossless line
 * are separate. */
static yoke_status add_chain(maker *m, const lossy *y, yoke_err *err)
{
    const int *port = m->line->node, n = y->sections;
    const double g = y->g / (2.0 * n);
    int left = port[0];

    for (int k = 0; k < n; k++) {
        const double x1 = (double)k / n, x2 = (k + 1.0) / n;
        int node[4] = { left, k ? 0 : port[1], port[2],
                        k + 1 < n ? 0 : port[3] };
        if (y->r > 0.0) {
            YK_TRY(new_node(m, &node[0], err));
            YK_TRY(add_two(m, 'r', left, node[0], y->r / (k ? n : 2 * n), err));
        }
        if (y->r > 0.0 || k + 1 < n) YK_TRY(new_node(m, &node[2], err));
        YK_TRY(add_piece(m, y, node, x1, x2, err));
        YK_TRY(add_shunt(m, node[0], node[1], g, err));
        YK_TRY(add_shunt(m, node[2], node[3], g, err));
        left = node[2];
    }
    if (y->r == 0.0) return YOKE_OK;
    return add_two(m, 'r', left, port[2], y->r / (2 * n), err);
}

/* Resistances, and capacitances and conductances between them. */
static yoke_status add_ladder(maker *m, const lossy *y, yoke_err *err)
{
    const int *port = m->line->node, n = y->sections;
    int left = port[0];

    for (int k = 0; k <= n; k++) {
        const double part = (k == 0 || k == n ? 0.5 : 1.0) / n;
        const quantity q[] = { { "value", part * y->c },
                               { "ic", at(y->v, (double)k / n) } };
        YK_TRY(add(m, 'c', 2, (const int[]){ left, port[1] }, y->has_ic ? 2 : 1,
                   q, -1, err));
        YK_TRY(add_shunt(m, left, port[1], part * y->g, err));
        if (k == n) break;
        int right = port[2];
        if (k + 1 < n) YK_TRY(new_node(m, &right, err));
        YK_TRY(add_two(m, 'r', left, right, y->r / n, err));
        left = right;
    }
    return YOKE_OK;
}

/* No capacitance: series elements, or a symmetric pi of resistances. */
static yoke_status add_lumped(maker *m, const lossy *y, yoke_err *err)
{
    const int *port = m->line->node;
    int middle = port[2];

    if (y->g == 0.0) {
        if (y->r > 0.0 && y->l > 0.0) YK_TRY(new_node(m, &middle, err));
        YK_TRY(add_two(m, 'r', port[0], middle, y->r, err));
        if (y->r == 0.0) middle = port[0];
        return add_two(m, 'l', middle, port[2], y->l, err);
    }
    const double z = sqrt(y->r / y->g), angle = sqrt(y->r * y->g);
    for (int k = 0; k < 2; k++)
        YK_TRY(add_shunt(m, port[2 * k], port[1], tanh(0.5 * angle) / z, err));
    return add_two(m, 'r', port[0], port[2], z * sinh(angle), err);
}

/* ---- parameters ---------------------------------------------------------- */

static double model_value(const yk_net_parse *p, const char *name,
                          double preset, bool *given)
{
    const yk_net_model *m = &p->r->net->model[p->e->model];

    return yk_net_value(m->param, m->params, name, preset, given);
}

/* Parameters that are not in `known` are a warning. */
static yoke_status check_names(const yk_net_parse *p, const char *const *known,
                               yoke_err *err)
{
    const yk_net_model *m = &p->r->net->model[p->e->model];

    for (int i = 0; i < m->params; i++) {
        int k = 0;
        while (known[k] && strcmp(known[k], m->param[i].name) != 0) k++;
        if (!known[k])
            YK_TRY(yk_net_warn(p->r->net, err, m->at,
                               "model \"%.80s\": parameter \"%.80s\" is "
                               "ignored",
                               m->name, m->param[i].name));
    }
    return YOKE_OK;
}

/* A value of the model, not negative; `positive`: more than 0. */
static yoke_status take(const yk_net_parse *p, const char *name, double preset,
                        bool positive, double *out, yoke_err *err)
{
    const yk_net_model *m = &p->r->net->model[p->e->model];

    *out = model_value(p, name, preset, NULL);
    if (isfinite(*out) && (positive ? *out > 0.0 : *out >= 0.0)) return YOKE_OK;
    return yk_net_fail(
        err, YOKE_E_ARG, m->at, "model \"%.80s\": %s = %g of a line must %s",
        m->name, name, *out, positive ? "be more than 0" : "not be negative");
}

static yoke_status fail(const yk_net_parse *p, yoke_err *err, const char *text)
{
    return yk_net_fail(err, YOKE_E_ARG, p->line->at, "\"%.80s\" %s", p->e->name,
                       text);
}

/* v1, i1, v2, i2, or the list ic. */
static bool take_ic(const yk_net_parse *p, double *v, double *i)
{
    static const char *const name[2][4] = { { "v1", "i1", "v2", "i2" },
                                            { "ic", "ic2", "ic3", "ic4" } };
    bool any = false;

    for (int k = 0; k < 4; k++)
        for (int form = 0; form < 2; form++) {
            bool given = false;
            const double value =
                yk_net_value(p->param, p->params, name[form][k], 0.0, &given);
            if (!given) continue;
            (k % 2 ? i : v)[k / 2] = value;
            any = true;
        }
    return any;
}

/* ---- t, o, u ------------------------------------------------------------- */

static yoke_status find_delay(const yk_net_parse *p, double *td, yoke_err *err)
{
    bool has_td, has_f, has_nl;
    const double f = yk_net_value(p->param, p->params, "f", 0.0, &has_f);
    const double nl = yk_net_value(p->param, p->params, "nl", 0.25, &has_nl);

    *td = yk_net_value(p->param, p->params, "td", 0.0, &has_td);
    if (!has_td && !has_f && has_nl)
        return fail(p, err, "has nl without f; give both, or td");
    if (!has_td && !has_f)
        return fail(p, err, "needs z0 and either td or f (with nl)");
    if (!has_td && !(f > 0.0 && nl > 0.0))
        return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                           "\"%.80s\": f = %g and nl = %g must be more than 0",
                           p->e->name, f, nl);
    if (!has_td) *td = nl / f;
    if (*td > 0.0 && isfinite(*td)) return YOKE_OK;
    return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                       "\"%.80s\": the delay td = %g must be more than 0",
                       p->e->name, *td);
}

static yoke_status read_lossless(yk_net_parse *p, yoke_err *err)
{
    static const char *const known[] = { "z0", "zo", "td", "f",  "nl", "ic",
                                         "v1", "i1", "v2", "i2", NULL };
    double td = 0.0, v[2] = { 0.0, 0.0 }, i[2] = { 0.0, 0.0 };
    bool has_z = false;

    YK_TRY(yk_net_take_nodes(p, 4, err));
    YK_TRY(yk_net_values(p, known, err));
    for (int k = 0; k < p->params; k++)
        if (strcmp(p->param[k].name, "zo") == 0) p->param[k].name = "z0";
    const double z0 = yk_net_value(p->param, p->params, "z0", 0.0, &has_z);
    if (!has_z) return fail(p, err, "needs z0 and either td or f (with nl)");
    if (!(z0 > 0.0 && isfinite(z0)))
        return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                           "\"%.80s\": the impedance z0 = %g must be more than "
                           "0",
                           p->e->name, z0);
    YK_TRY(find_delay(p, &td, err));
    const bool has_ic = take_ic(p, v, i);
    p->params = 0;
    YK_TRY(yk_net_add_param(p, "z0", z0, err));
    YK_TRY(yk_net_add_param(p, "td", td, err));
    if (!has_ic) return YOKE_OK;
    YK_TRY(yk_net_add_param(p, "v1", v[0], err));
    YK_TRY(yk_net_add_param(p, "i1", i[0], err));
    YK_TRY(yk_net_add_param(p, "v2", v[1], err));
    return yk_net_add_param(p, "i2", i[1], err);
}

/* Once: what --rtol says later is not known here. */
static yoke_status warn_of_sections(const yk_net_parse *p, double n,
                                    double front, yoke_err *err)
{
    if (p->r->warned_of_sections) return YOKE_OK;
    p->r->warned_of_sections = true;
    return yk_net_warn(p->r->net, err, p->line->at,
                       "the lossy line is cut into %.0f sections: the front of "
                       "a step may be too high by the part %.1g; .options "
                       "reltol or linesections makes it finer, at a cost that "
                       "grows with the square",
                       ceil(n), front);
}

static yoke_status choose_sections(const yk_net_parse *p, lossy *y,
                                   yoke_err *err)
{
    const yk_netlist *net = p->r->net;
    bool given = false;
    double n =
        yk_net_value(net->option, net->options, "linesections", 0.0, &given);

    if (given && !(n >= 1.0 && n <= MOST_SECTIONS))
        return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                           "\"%.80s\": linesections = %g of .options is not "
                           "between 1 and %d",
                           p->e->name, n, MOST_SECTIONS);
    if (!given && y->l == 0.0) n = RC_SECTIONS;
    if (!given && y->l > 0.0) {
        const double z0 = sqrt(y->l / y->c);
        const double reltol =
            yk_net_value(net->option, net->options, "reltol", 1e-3, NULL);
        const double loss =
            fmin(fmax(sqrt(loss_by_reltol * fmax(reltol, 0.0)), least_loss),
                 most_loss);
        n = fmin(fmax((y->r / z0 + y->g * z0) / loss, LEAST_SECTIONS),
                 MOST_SECTIONS);
        if (loss > least_loss && n > LEAST_SECTIONS)
            YK_TRY(warn_of_sections(p, n, n * loss * loss / 8.0, err));
    }
    if (y->r == 0.0 && y->g == 0.0) n = 1.0;
    y->sections = (int)ceil(n);
    return YOKE_OK;
}

static yoke_status read_lossy(yk_net_parse *p, yoke_err *err)
{
    static const char *const known[] = { "ic", "v1", "i1", "v2", "i2", NULL };
    /* Those of ngspice's convolution say nothing here. */
    static const char *const of_model[] = {
        "r",          "l",          "g",           "c",         "len",
        "rel",        "abs",        "nocontrol",   "steplimit", "nosteplimit",
        "lininterp",  "quadinterp", "mixedinterp", "truncnr",   "truncdontcut",
        "compactrel", "compactabs", NULL
    };
    lossy y = { .r = 0.0 };
    double length = 0.0;
    maker m;

    YK_TRY(yk_net_take_nodes(p, 4, err));
    YK_TRY(yk_net_take_model(p, " ltra ", err));
    YK_TRY(yk_net_values(p, known, err));
    YK_TRY(check_names(p, of_model, err));
    YK_TRY(take(p, "len", 0.0, true, &length, err));
    YK_TRY(take(p, "r", 0.0, false, &y.r, err));
    YK_TRY(take(p, "l", 0.0, false, &y.l, err));
    YK_TRY(take(p, "g", 0.0, false, &y.g, err));
    YK_TRY(take(p, "c", 0.0, false, &y.c, err));
    y.r *= length, y.l *= length, y.g *= length, y.c *= length;
    y.has_ic = take_ic(p, y.v, y.i);
    YK_TRY(maker_begin(&m, p, err));
    if (y.l > 0.0 && y.c > 0.0) {
        YK_TRY(choose_sections(p, &y, err));
        return add_chain(&m, &y, err);
    }
    if (p->e->node[1] != p->e->node[3])
        return fail(p, err,
                    "has other return nodes at its ends; that needs a line "
                    "with l and c");
    if (y.r == 0.0 && (y.l == 0.0 || y.g > 0.0))
        return fail(p, err, "has neither r nor both l and c");
    if (y.l > 0.0 && y.g > 0.0)
        return fail(p, err, "has l and g but no c, which is not a line");
    if (y.c == 0.0) return add_lumped(&m, &y, err);
    YK_TRY(choose_sections(p, &y, err));
    return add_ladder(&m, &y, err);
}

/* Lumps of the uniform RC line, and what the first of them has. */
typedef struct lumps {
    int count;
    double k, r, c;
    int model; /* of diodes in place of capacitors, or -1 */
} lumps;

/* A diode instead of each capacitor. */
static yoke_status make_diode(const yk_net_parse *p, const lumps *y, double is,
                              double rs, int *out, yoke_err *err)
{
    yk_netlist *net = p->r->net;
    yk_net_model model = {
        .name = p->e->name, .type = "d", .params = 3, .at = p->line->at
    };

    YK_TRY(YK_TAKE(&net->arena, &model.param, 3, err));
    model.param[0] = (yk_net_param){ "cjo", y->c, p->line->at };
    model.param[1] = (yk_net_param){ "rs", rs, p->line->at };
    model.param[2] = (yk_net_param){ "is", is, p->line->at };
    YK_TRY(YK_GROW(&net->model, &p->r->model_room, net->models + 1, err));
    *out = net->models;
    net->model[net->models++] = model;
    return YOKE_OK;
}

static yoke_status add_lump(maker *m, const lumps *y, int node, double size,
                            yoke_err *err)
{
    const int ends[] = { node, m->line->node[2] };
    const quantity q = { y->model < 0 ? "value" : "area",
                         y->model < 0 ? size * y->c : size };

    return add(m, y->model < 0 ? 'c' : 'd', 2, ends, 1, &q, y->model, err);
}

/* From both ends to the middle. */
static yoke_status add_lumps(maker *m, const lumps *y, yoke_err *err)
{
    int low = m->line->node[0], high = m->line->node[1];
    double size = 1.0;

    for (int i = 1; i <= y->count; i++, size *= y->k) {
        int inner = 0, outer = 0;
        YK_TRY(new_node(m, &inner, err));
        outer = inner;
        if (i < y->count) YK_TRY(new_node(m, &outer, err));
        YK_TRY(add_two(m, 'r', low, outer, size * y->r, err));
        YK_TRY(add_two(m, 'r', inner, high, size * y->r, err));
        YK_TRY(add_lump(m, y, outer, size, err));
        if (i < y->count) YK_TRY(add_lump(m, y, inner, size, err));
        low = outer;
        high = inner;
    }
    return YOKE_OK;
}

static yoke_status count_lumps(const yk_net_parse *p, double k, double norm,
                               int *count, yoke_err *err)
{
    bool given = false;
    double n = yk_net_value(p->param, p->params, "n", 0.0, &given);

    if (!given) {
        const double share = (k - 1.0) / k;
        n = norm < 35.0 ? 3.0
                        : fmax(3.0, floor(log(norm * share * share) / log(k)));
    }
    if (!(n >= 1.0 && n <= MOST_SECTIONS))
        return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                           "\"%.80s\": n = %g lumps are not between 1 and %d",
                           p->e->name, n, MOST_SECTIONS);
    *count = (int)n;
    return YOKE_OK;
}

static yoke_status read_uniform(yk_net_parse *p, yoke_err *err)
{
    static const double two_pi = 6.283185307179586476925;
    static const char *const known[] = { "l", "n", NULL };
    static const char *const of_model[] = { "k",     "fmax",   "rperl",
                                            "cperl", "isperl", "rsperl",
                                            NULL };
    double fmax_ = 0.0, r = 0.0, c = 0.0, is = 0.0, rs = 0.0;
    bool has_diode = false;
    lumps y = { .model = -1 };
    maker m;

    YK_TRY(yk_net_take_nodes(p, 3, err));
    YK_TRY(yk_net_take_model(p, " urc ", err));
    YK_TRY(yk_net_values(p, known, err));
    YK_TRY(check_names(p, of_model, err));
    const double length = yk_net_value(p->param, p->params, "l", 0.0, NULL);
    if (!(length > 0.0 && isfinite(length)))
        return fail(p, err, "needs a length l, which is more than 0");
    YK_TRY(take(p, "k", 1.5, true, &y.k, err));
    YK_TRY(take(p, "fmax", 1e9, true, &fmax_, err));
    YK_TRY(take(p, "rperl", 1000.0, true, &r, err));
    YK_TRY(take(p, "cperl", 1e-12, true, &c, err));
    YK_TRY(take(p, "isperl", 0.0, false, &is, err));
    YK_TRY(take(p, "rsperl", 0.0, false, &rs, err));
    model_value(p, "isperl", 0.0, &has_diode);
    if (y.k <= 1.0)
        return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                           "\"%.80s\": k = %g of its model must be more than 1",
                           p->e->name, y.k);
    r *= length, c *= length, is *= length;
    YK_TRY(count_lumps(p, y.k, two_pi * fmax_ * r * c, &y.count, err));
    const double grown = pow(y.k, y.count);
    const double share = (y.k - 1.0) / (grown / y.k * (y.k + 1.0) - 2.0);
    y.r = r * (y.k - 1.0) / (2.0 * grown - 2.0);
    y.c = c * share;
    if (!(isfinite(grown) && y.r > 0.0 && y.c > 0.0))
        return fail(p, err, "has too many lumps for its k");
    if (has_diode)
        YK_TRY(make_diode(p, &y, is * share, rs * length * y.count, &y.model,
                          err));
    YK_TRY(maker_begin(&m, p, err));
    return add_lumps(&m, &y, err);
}

yoke_status yk_net_read_line(yk_net_parse *p, yoke_err *err)
{
    switch (p->e->kind) {
    case 't':
        return read_lossless(p, err);
    case 'o':
        return read_lossy(p, err);
    default:
        return read_uniform(p, err);
    }
}
