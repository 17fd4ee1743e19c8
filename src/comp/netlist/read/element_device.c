/* comp/netlist/read/element_device.c -- semiconductors, switches. */
#include "comp/netlist/read/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* True if the model's type is in a list of words with blanks around. */
static bool type_in(const yk_net_parse *p, const char *list)
{
    char padded[60];

    snprintf(padded, sizeof padded, " %.50s ",
             p->r->net->model[p->e->model].type);
    return strstr(list, padded) != NULL;
}

static yoke_status check_type(const yk_net_parse *p, const yk_net_word *w,
                              const char *types, yoke_err *err)
{
    if (type_in(p, types)) return YOKE_OK;
    return yk_net_fail(err, YOKE_E_MISSING,
                       yk_net_at(p->r, p->line->at, w->text),
                       "\"%s\": model \"%.*s\" is of type \"%s\", supported "
                       "is%s",
                       p->e->name, w->length, w->text,
                       p->r->net->model[p->e->model].type, types);
}

yoke_status yk_net_take_model(yk_net_parse *p, const char *types, yoke_err *err)
{
    yk_net_skip_marks(p);
    if (!yk_net_more(p) || yk_net_here(p)->kind != YK_NET_WORD)
        return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                           "\"%s\" names no model", p->e->name);
    const yk_net_word *w = yk_net_here(p);
    p->next++;
    YK_TRY(yk_net_use_model(p->r, p->env, w->text, w->length, p->line->at,
                            &p->e->model, err));
    return check_type(p, w, types, err);
}

static bool has_bins(const yk_net_parse *p, const yk_net_word *w)
{
    char name[YK_NET_NAME + 20];

    if (p->e->kind != 'm' || w->length > YK_NET_NAME) return false;
    const int n = snprintf(name, sizeof name, "%.*s.1", w->length, w->text);
    return yk_net_has_model(p->env, name, n);
}

/* The number of nodes: words before the first that is a model, between least
 * and most; `preset` if there is none. */
static int count_nodes(const yk_net_parse *p, int least, int most, int preset)
{
    for (int k = least; k <= most && 1 + k < p->r->words; k++) {
        const yk_net_word *w = &p->r->word[1 + k];
        if (w->kind != YK_NET_WORD) continue;
        if (yk_net_has_model(p->env, w->text, w->length) || has_bins(p, w))
            return k;
    }
    return preset;
}

static bool number_here(const yk_net_parse *p)
{
    return yk_net_more(p) && !yk_net_followed_by(p, YK_EQUALS) &&
           !yk_net_is(yk_net_here(p), "off");
}

static yoke_status take_area(yk_net_parse *p, yoke_err *err)
{
    double area;

    if (!number_here(p)) return YOKE_OK;
    YK_TRY(yk_net_take_value(p, "area", &area, err));
    return yk_net_add_param(p, "area", area, err);
}

/* True if `value` lies in [least, most) of a binned model; what the model does
 * not say holds. */
static bool in_bin(const yk_net_model *m, const char *least, const char *most,
                   double value)
{
    bool has_least, has_most;
    const double a = yk_net_value(m->param, m->params, least, 0.0, &has_least);
    const double b = yk_net_value(m->param, m->params, most, 0.0, &has_most);

    return has_least && has_most && value >= a && value < b;
}

/* Models name.1, name.2, ...: the one whose bin holds length and width. */
static yoke_status take_bin(yk_net_parse *p, const yk_net_word *w,
                            yoke_err *err)
{
    bool has_l, has_w;
    char name[YK_NET_NAME + 20];
    const double scale =
        yk_net_value(p->r->net->option, p->r->net->options, "scale", 1.0, NULL);
    const double l =
        scale * yk_net_value(p->param, p->params, "l", 0.0, &has_l);
    const double width = scale *
                         yk_net_value(p->param, p->params, "w", 0.0, &has_w) /
                         yk_net_value(p->param, p->params, "nf", 1.0, NULL);

    for (int k = 1;; k++) {
        snprintf(name, sizeof name, "%.*s.%d", w->length, w->text, k);
        if (!yk_net_has_model(p->env, name, (int)strlen(name))) break;
        YK_TRY(yk_net_use_model(p->r, p->env, name, (int)strlen(name),
                                p->line->at, &p->e->model, err));
        const yk_net_model *m = &p->r->net->model[p->e->model];
        if (in_bin(m, "lmin", "lmax", l) && in_bin(m, "wmin", "wmax", width))
            return YOKE_OK;
    }
    return yk_net_fail(err, YOKE_E_ARG, yk_net_at(p->r, p->line->at, w->text),
                       "\"%s\": no bin of model \"%.*s\" holds l = %g, w = "
                       "%g%s",
                       p->e->name, w->length, w->text, l, width,
                       has_l && has_w ? "" : " (give l and w)");
}

static yoke_status read_mos(yk_net_parse *p, const char *const *known,
                            yoke_err *err)
{
    const yk_net_word *w = yk_net_more(p) ? yk_net_here(p) : NULL;

    if (!w || w->kind != YK_NET_WORD || w->length > YK_NET_NAME ||
        yk_net_has_model(p->env, w->text, w->length) || !has_bins(p, w)) {
        YK_TRY(yk_net_take_model(p, " nmos pmos ", err));
        return yk_net_values(p, known, err);
    }
    p->next++;
    YK_TRY(yk_net_values(p, known, err));
    YK_TRY(take_bin(p, w, err));
    return check_type(p, w, " nmos pmos ", err);
}

/* Three nodes: drain, gate, source. */
static yoke_status read_power_mos(yk_net_parse *p, yoke_err *err)
{
    static const char *const known[] = {
        "m", "off", "ic", "temp", "dtemp", NULL
    };

    YK_TRY(yk_net_take_model(p, " vdmos vdmosn vdmosp nmos pmos ", err));
    if (!type_in(p, " vdmos vdmosn vdmosp "))
        return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                           "\"%s\" has 3 nodes before the model, a MOS "
                           "transistor 4; only a vdmos has 3",
                           p->e->name);
    return yk_net_values(p, known, err);
}

/* LTspice writes the source twice, as if there were a bulk. */
static bool is_power_mos(const yk_net_parse *p)
{
    const yk_net_word *w = yk_net_more(p) ? yk_net_here(p) : NULL;
    int model = -1;

    return w && w->kind == YK_NET_WORD && p->e->node[2] == p->e->node[3] &&
           yk_net_has_model(p->env, w->text, w->length) &&
           yk_net_use_model(p->r, p->env, w->text, w->length, p->line->at,
                            &model, NULL) == YOKE_OK &&
           strncmp(p->r->net->model[model].type, "vdmos", 5) == 0;
}

/* The diode of straight lines that LTspice has is another one: with its
 * parameters left out the result would be wrong. */
static yoke_status refuse_straight(const yk_net_parse *p, yoke_err *err)
{
    static const char *const own[] = { "ron", "roff", "vfwd", "vrev", "rrev" };
    const yk_net_model *m = &p->r->net->model[p->e->model];

    for (size_t k = 0; k < sizeof own / sizeof *own; k++) {
        bool given = false;
        (void)yk_net_value(m->param, m->params, own[k], 0.0, &given);
        if (given)
            return yk_net_fail(
                err, YOKE_E_ARG, m->at,
                "model \"%s\": %s belongs to the diode of straight lines of "
                "LTspice, which is not read; nearly the same is d(is=1u n=0.1 "
                "rs=RON), with a source of VFWD in series",
                m->name, own[k]);
    }
    return YOKE_OK;
}

static yoke_status read_diode(yk_net_parse *p, const char *const *known,
                              yoke_err *err)
{
    YK_TRY(yk_net_take_nodes(p, 2, err));
    YK_TRY(yk_net_take_model(p, " d ", err));
    YK_TRY(refuse_straight(p, err));
    YK_TRY(take_area(p, err));
    return yk_net_values(p, known, err);
}

yoke_status yk_net_read_device(yk_net_parse *p, yoke_err *err)
{
    static const char *const d[] = { "area", "pj",   "m",     "off",
                                     "ic",   "temp", "dtemp", NULL };
    static const char *const q[] = { "area", "areab", "areac", "m", "off",
                                     "ic",   "temp",  "dtemp", NULL };
    static const char *const m[] = { "l",  "w",    "m",     "ad",     "as",
                                     "pd", "ps",   "nrd",   "nrs",    "off",
                                     "ic", "temp", "dtemp", "geo",    "nf",
                                     "sa", "sb",   "sd",    "delvto", "mulu0",
                                     NULL };
    static const char *const j[] = { "area", "m",     "off", "ic",
                                     "temp", "dtemp", NULL };

    switch (p->e->kind) {
    case 'd':
        return read_diode(p, d, err);
    case 'q':
        YK_TRY(yk_net_take_nodes(p, count_nodes(p, 3, 5, 3), err));
        YK_TRY(yk_net_take_model(p, " npn pnp ", err));
        if (p->e->nodes > 4)
            return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                               "\"%s\" has %d nodes, a Gummel-Poon "
                               "transistor 3 or 4",
                               p->e->name, p->e->nodes);
        YK_TRY(take_area(p, err));
        return yk_net_values(p, q, err);
    case 'm':
        YK_TRY(yk_net_take_nodes(p, count_nodes(p, 3, 7, 4), err));
        if (p->e->nodes == 4 && is_power_mos(p)) p->e->nodes = 3;
        if (p->e->nodes == 3) return read_power_mos(p, err);
        if (p->e->nodes != 4)
            return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                               "\"%s\" has %d nodes before the model, a MOS "
                               "transistor 4",
                               p->e->name, p->e->nodes);
        return read_mos(p, m, err);
    default:
        YK_TRY(yk_net_take_nodes(p, 3, err));
        YK_TRY(yk_net_take_model(p, " njf pjf ", err));
        YK_TRY(take_area(p, err));
        return yk_net_values(p, j, err);
    }
}

/* ---- switches ------------------------------------------------------------ */

/* Names of parameters that a switch does not have. */
static yoke_status warn_of_switch(yk_net_parse *p, yoke_err *err)
{
    static const char *const known = " ron roff vt vh it ih von voff ion ioff ";
    const yk_net_model *m = &p->r->net->model[p->e->model];
    char list[200] = "";

    for (int k = 0; k < m->params; k++) {
        char padded[60];
        snprintf(padded, sizeof padded, " %.50s ", m->param[k].name);
        const size_t used = strlen(list);
        if (!strstr(known, padded) && used < sizeof list - 60)
            snprintf(list + used, sizeof list - used, "%s%.50s",
                     used ? ", " : "", m->param[k].name);
    }
    if (!list[0]) return YOKE_OK;
    return yk_net_warn(p->r->net, err, m->at,
                       "model %s (%s): unknown parameters ignored: %s", m->name,
                       m->type, list);
}

/* The first words, before anything is read. */
static void note_nodes(const yk_net_parse *p, yk_net_word node[4])
{
    for (int k = 1, n = 0; k < p->r->words && n < 4; k++)
        if (p->r->word[k].kind == YK_NET_WORD) node[n++] = p->r->word[k];
}

/* The element is from now on a current that an expression gives. */
static yoke_status make_current(yk_net_parse *p, const char *text, int length,
                                double factor, yoke_err *err)
{
    p->e->kind = 'b';
    p->e->is_current = true;
    p->e->nodes = 2;
    p->e->model = -1;
    p->params = 0;
    return yk_net_behaviour(p->r, p->env, text, length,
                            factor * p->env->multiplier, p->line->at,
                            &p->e->expr, NULL, err);
}

/* The switch of PSpice: between its two levels the logarithm of the resistance
 * goes smoothly from that of ROFF to that of RON,
 *
 *     ln R = ln sqrt(RON ROFF) + ln(RON/ROFF) (3 x/2 - 2 x^3),
 *     x = (control - middle) / (on - off), -1/2 ... 1/2,
 *
 * as a current (voltage)/R; no state, so no event. */
static yoke_status make_smooth(yk_net_parse *p, const yk_net_word *node,
                               const char *control, yoke_err *err)
{
    const yk_net_model *m = &p->r->net->model[p->e->model];
    const bool is_current = p->e->kind == 'w';
    char text[6 * YK_NET_NAME];

#define VALUE(name, preset)                                                    \
    yk_net_value(m->param, m->params, name, preset, NULL)
    const double on = VALUE(is_current ? "ion" : "von", is_current ? 1e-3 : 1);
    const double off = VALUE(is_current ? "ioff" : "voff", 0.0);
    const double ron = VALUE("ron", 1.0), roff = VALUE("roff", 1e6);
#undef VALUE
    if (!(ron > 0.0 && roff > 0.0) || !(fabs(on - off) > 0.0))
        return yk_net_fail(
            err, YOKE_E_ARG, m->at,
            "model \"%s\": ron and roff must be positive, %s and "
            "%s different",
            m->name, is_current ? "ion" : "von", is_current ? "ioff" : "voff");
    const double ratio = log(ron / roff), middle = 0.5 * log(ron * roff);
    const int length = snprintf(
        text, sizeof text,
        "v(%.*s,%.*s)*exp(%.17g-%.17g*(1.5-2*limit((%s-(%.17g))/(%.17g),-0.5,"
        "0.5)**2)*limit((%s-(%.17g))/(%.17g),-0.5,0.5))",
        node[0].length, node[0].text, node[1].length, node[1].text, -middle,
        ratio, control, 0.5 * (on + off), on - off, control, 0.5 * (on + off),
        on - off);
    return make_current(p, text, length, 1.0, err);
}

yoke_status yk_net_read_switch(yk_net_parse *p, yoke_err *err)
{
    static const char *const known[] = { "on", "off", NULL };
    yk_net_element *e = p->e;

    yk_net_word node[4] = { { YK_NET_WORD, 0, "" } };
    char control[2 * YK_NET_NAME + 8];

    note_nodes(p, node);
    YK_TRY(yk_net_take_nodes(p, e->kind == 's' ? 4 : 2, err));
    if (e->kind == 'w') YK_TRY(yk_net_take_source(p, 1, err));
    if (e->kind == 's')
        snprintf(control, sizeof control, "v(%.*s,%.*s)", node[2].length,
                 node[2].text, node[3].length, node[3].text);
    else
        snprintf(control, sizeof control, "i(%.*s)", node[2].length,
                 node[2].text);
    YK_TRY(yk_net_take_model(
        p, e->kind == 's' ? " sw vswitch " : " csw iswitch ", err));
    YK_TRY(yk_net_values(p, known, err));
    YK_TRY(warn_of_switch(p, err));
    if (type_in(p, " vswitch iswitch "))
        return make_smooth(p, node, control, err);
    return YOKE_OK;
}
