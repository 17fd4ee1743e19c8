/* comp/netlist/analyse/probe.c -- what .print, .save and .measure ask for that
 * is no variable of the circuit: currents of elements without a branch, powers,
 * differences of voltages, expressions.
 *
 * Each becomes a node of its own, named as it is written, with a resistance of
 * 1 Ohm to ground and a current that nothing else feels: a controlled source,
 * or a mirror (kind 'y') of the current into a terminal of another element,
 * charge included.  So they are there in every analysis, as exact as the
 * variables they follow.
 */
#include "comp/netlist/read/read.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SAVED = 20000 }; /* currents of .options savecurrents */

typedef struct probe {
    yk_net_reader *r;
    const char *text; /* as written: the name of the node */
    yk_net_place at;
    int node;
} probe;

/* ---- elements ------------------------------------------------------------ */

static bool has_branch(const yk_net_element *el)
{
    return strchr("vleh", el->kind) != NULL ||
           (el->kind == 'b' && !el->is_current);
}

/* An element between `nodes` nodes; the caller fills the rest. */
static yoke_status add(probe *p, char kind, int nodes, const int *node,
                       yk_net_element **out, yoke_err *err)
{
    yk_net_reader *r = p->r;
    yk_netlist *net = r->net;
    const char *name = NULL;
    yk_net_element e = { .kind = kind, .at = p->at, .model = -1 };

    YK_TRY(yk_net_may_grow(net, p->at, err));
    YK_TRY(yk_arena_print(&net->arena, &name, err, "%c:%s", kind, p->text));
    e.name = name;
    e.nodes = nodes;
    YK_TRY(YK_TAKE(&net->arena, &e.node, nodes, err));
    memcpy(e.node, node, (size_t)nodes * sizeof *node);
    YK_TRY(YK_GROW(&net->element, &r->element_room, net->elements + 1, err));
    if (yk_names_find(r->elements, name) != -1)
        return yk_net_fail(err, YOKE_E_ARG, p->at,
                           "\"%s\" is the name of an element already", name);
    YK_TRY(yk_names_add(r->elements, name, net->elements, err));
    net->element[net->elements] = e;
    *out = &net->element[net->elements++];
    return YOKE_OK;
}

/* The node with its resistance; a negative one turns the sign of a current that
 * leaves the node. */
static yoke_status begin(probe *p, double resistance, yoke_err *err)
{
    yk_netlist *net = p->r->net;
    yk_net_element *e = NULL;

    YK_TRY(yk_net_node(p->r, p->r->root, p->text, (int)strlen(p->text), p->at,
                       &p->node, err));
    YK_TRY(add(p, 'r', 2, (const int[]){ p->node, 0 }, &e, err));
    YK_TRY(YK_TAKE(&net->arena, &e->param, 1, err));
    e->param[0] =
        (yk_net_param){ .name = "value", .value = resistance, .at = p->at };
    e->params = 1;
    return YOKE_OK;
}

/* The current into terminal `terminal` of an element, times `sign`. */
static yoke_status add_mirror(probe *p, int of, int terminal, double sign,
                              yoke_err *err)
{
    yk_netlist *net = p->r->net;
    yk_net_element *e = NULL;

    YK_TRY(begin(p, -sign, err));
    YK_TRY(add(p, 'y', 1, &p->node, &e, err));
    YK_TRY(YK_TAKE(&net->arena, &e->control, 1, err));
    e->controls = 1;
    e->control[0] = of;
    e->terminal = terminal;
    return YOKE_OK;
}

/* v(a,b): a linear source. */
static yoke_status add_difference(probe *p, int a, int b, yoke_err *err)
{
    yk_netlist *net = p->r->net;
    yk_net_element *e = NULL;

    YK_TRY(begin(p, 1.0, err));
    YK_TRY(add(p, 'g', 4, (const int[]){ 0, p->node, a, b }, &e, err));
    e->dimensions = 1;
    e->coefs = 2;
    YK_TRY(YK_TAKE(&net->arena, &e->coef, 2, err));
    e->coef[1] = 1.0;
    return YOKE_OK;
}

static yoke_status add_source(probe *p, yk_net_expr *expr, yoke_err *err)
{
    yk_net_element *e = NULL;

    YK_TRY(begin(p, 1.0, err));
    YK_TRY(add(p, 'b', 2, (const int[]){ 0, p->node }, &e, err));
    e->expr = expr;
    e->is_current = true;
    return YOKE_OK;
}

static yoke_status add_expression(probe *p, const char *text, int length,
                                  yoke_err *err)
{
    yk_net_expr *expr = NULL;

    YK_TRY(yk_net_behaviour(p->r, p->r->root, text, length, 1.0, p->at, &expr,
                            NULL, err));
    return add_source(p, expr, err);
}

/* Sums, products and absolute values of vectors: they have a value wherever
 * the circuit has one.  A quotient has none where its divisor crosses zero. */
static bool is_tame(const char *text, int length)
{
    for (int i = 1; i < length; i++) {
        const char c = text[i], before = text[i - 1];
        if (before == '/' && !isdigit((unsigned char)c) && c != '.')
            return false;
        if (strchr("^<>=!&|?%[", c)) return false;
        int n = 0; /* of a name in front of a bracket */
        while (c == '(' && n < i && isalnum((unsigned char)text[i - 1 - n]))
            n++;
        if (n > 1 && (n != 3 || strncmp(text + i - 3, "abs", 3) != 0))
            return false;
        if (n == 1 && before != 'v' && before != 'i') return false;
    }
    return true;
}

/* Of a script, where expressions may have functions that only ngspice's shell
 * has: one that we do not read is no failure, and not recorded. */
static yoke_status add_readable(probe *p, const char *text, int length,
                                yoke_err *err)
{
    yk_net_expr *expr = NULL;
    yoke_err why = { YOKE_OK, "" };

    if (!is_tame(text, length)) return YOKE_OK;
    const yoke_status status = yk_net_behaviour(p->r, p->r->root, text, length,
                                                1.0, p->at, &expr, NULL, &why);
    if (status == YOKE_E_ARG) return YOKE_OK;
    if (status != YOKE_OK) return yk_fail(err, status, "%s", why.text);
    return add_source(p, expr, err);
}

/* ---- what is asked for --------------------------------------------------- */

/* The terminal of a quantity of an element, -1: it has none such. */
static int terminal_of(const yk_net_element *el, const char *quantity)
{
    static const struct {
        const char *kinds, *quantity;
        int terminal;
    } known[] = {
        { "rc", "i", 0 },  { "i", "current", 0 }, { "d", "id", 0 },
        { "d", "i", 0 },   { "q", "ic", 0 },      { "q", "ib", 1 },
        { "q", "ie", 2 },  { "q", "is", 3 },      { "mj", "id", 0 },
        { "mj", "ig", 1 }, { "mj", "is", 2 },     { "m", "ib", 3 },
    };

    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strchr(known[k].kinds, el->kind) &&
            strcmp(known[k].quantity, quantity) == 0)
            return known[k].terminal < el->nodes ? known[k].terminal : -1;
    return -1;
}

/* ngspice tells the currents of p channel transistors with the other sign. */
static double sign_of(const yk_netlist *net, const yk_net_element *el)
{
    return strchr("mj", el->kind) && net->model[el->model].type[0] == 'p' ? -1.0
                                                                          : 1.0;
}

/* The power that a resistor or source takes. */
static yoke_status add_power(probe *p, const yk_net_element *el, bool *done,
                             yoke_err *err)
{
    enum { ROOM = 4 * YK_NET_NAME };
    const yk_netlist *net = p->r->net;
    char text[ROOM], v[2 * YK_NET_NAME + 10];

    *done = strchr("rv", el->kind) && !el->expr;
    if (!*done) return YOKE_OK;
    snprintf(v, sizeof v, "v(%s,%s)", net->node[el->node[0]],
             net->node[el->node[1]]);
    const int length =
        el->kind == 'v'
            ? snprintf(text, sizeof text, "%s*i(%s)", v, el->name)
            : snprintf(text, sizeof text, "%s^2*%.17g", v,
                       yk_net_value(el->param, el->params, "m", 1.0, NULL) /
                           yk_net_passive(net, el));
    if (length >= ROOM) {
        *done = false;
        return YOKE_OK;
    }
    return add_expression(p, text, length, err);
}

/* @name[quantity].  A current that is a variable is asked for by its name. */
static yoke_status take_quantity(probe *p, const char **text, yoke_err *err)
{
    const yk_netlist *net = p->r->net;
    const char *open = strchr(p->text, '['), *close = strrchr(p->text, ']');
    char name[YK_NET_NAME + 1], quantity[20];
    bool done = false;

    if (!open || !close || close[1] || close - open - 1 >= 20 ||
        open - p->text - 1 > YK_NET_NAME)
        return YOKE_OK;
    snprintf(name, sizeof name, "%.*s", (int)(open - p->text - 1), p->text + 1);
    snprintf(quantity, sizeof quantity, "%.*s", (int)(close - open - 1),
             open + 1);
    const int e = yk_net_find_element(net, name);
    if (e < 0) return YOKE_OK;
    const yk_net_element *el = &net->element[e];
    if (has_branch(el) && strcmp(quantity, "i") == 0) {
        return yk_arena_print(&p->r->net->arena, text, err, "i(%s)", name);
    }
    if (strcmp(quantity, "p") == 0) return add_power(p, el, &done, err);
    const int terminal = terminal_of(el, quantity);
    return terminal < 0 ? YOKE_OK
                        : add_mirror(p, e, terminal, sign_of(net, el), err);
}

/* i(name) of an element without a branch. */
static yoke_status take_current(probe *p, yoke_err *err)
{
    const yk_netlist *net = p->r->net;
    char name[YK_NET_NAME + 1];
    const size_t length = strlen(p->text) - 3;

    if (length > YK_NET_NAME) return YOKE_OK;
    snprintf(name, sizeof name, "%.*s", (int)length, p->text + 2);
    const int e = yk_net_find_element(net, name);
    if (e < 0 || !strchr("rcid", net->element[e].kind)) return YOKE_OK;
    return add_mirror(p, e, 0, 1.0, err);
}

/* v(a,b), both of which are there. */
static yoke_status take_difference(probe *p, const char *comma, yoke_err *err)
{
    const yk_netlist *net = p->r->net;
    char a[YK_NET_NAME + 1], b[YK_NET_NAME + 1];
    const size_t first = (size_t)(comma - p->text) - 2;
    const size_t second = strlen(comma) - 2;

    if (first > YK_NET_NAME || second > YK_NET_NAME) return YOKE_OK;
    snprintf(a, sizeof a, "%.*s", (int)first, p->text + 2);
    snprintf(b, sizeof b, "%.*s", (int)second, comma + 1);
    const int plus = yk_net_find_node(net, a), minus = yk_net_find_node(net, b);
    if (plus < 0 || minus < 0) return YOKE_OK;
    return add_difference(p, plus, minus, err);
}

/* The text of an expression: par('...'), or one with operators outside
 * brackets; NULL: it is none. */
static const char *expression_in(const char *text, int *length)
{
    const size_t n = strlen(text);
    int depth = 0;

    if (strncmp(text, "par(", 4) == 0 && text[n - 1] == ')') {
        const bool quoted = n > 6 && strchr("'\"{", text[4]);
        *length = (int)n - (quoted ? 7 : 5);
        return text + (quoted ? 5 : 4);
    }
    *length = (int)n;
    for (const char *c = text; *c; c++) {
        depth += (*c == '(') - (*c == ')');
        if (depth == 0 && c > text && strchr("+-*/", *c)) return text;
    }
    return NULL;
}

static bool is_call(const char *text, char name)
{
    const size_t n = strlen(text);

    return n > 3 && text[0] == name && text[1] == '(' && text[n - 1] == ')' &&
           strchr(text, ')') == text + n - 1;
}

/* One text; *text may become another that asks for the same. */
static yoke_status take(yk_net_reader *r, const char **text,
                        const char *analysis, yk_net_place at, yoke_err *err)
{
    probe p = { .r = r, .text = *text, .at = at };
    int length = 0;

    if (!p.text[0] || strlen(p.text) > YK_NET_NAME - 2 ||
        yk_net_find_node(r->net, p.text) >= 0)
        return YOKE_OK;
    if (p.text[0] == '@') return take_quantity(&p, text, err);
    if (is_call(p.text, 'i')) return take_current(&p, err);
    const char *comma = strchr(p.text, ',');
    if (is_call(p.text, 'v'))
        return comma ? take_difference(&p, comma, err) : YOKE_OK;
    const char *inner = expression_in(p.text, &length);
    if (!inner || strcmp(analysis, "ac") == 0) return YOKE_OK;
    return analysis[0] ? add_expression(&p, inner, length, err)
                       : add_readable(&p, inner, length, err);
}

/* What was computed by names of let. */
static yoke_status take_computed(yk_net_reader *r, const yk_net_wish *w,
                                 const char *text, yoke_err *err)
{
    probe p = { .r = r, .text = w->text, .at = w->at };

    if (strcmp(w->analysis, "ac") == 0 || strlen(p.text) > YK_NET_NAME - 2 ||
        yk_net_find_node(r->net, p.text) >= 0)
        return YOKE_OK;
    return add_readable(&p, text, (int)strlen(text), err);
}

/* .options savecurrents: those of all elements, named as ngspice does. */
static yoke_status save_currents(yk_net_reader *r, yoke_err *err)
{
    static const char *const quantities[] = { "i",  "id", "ic", "ib",
                                              "ie", "is", "ig", "current" };
    const int elements = r->net->elements;
    int saved = 0;

    for (int e = 0; e < elements; e++)
        for (size_t q = 0; q < sizeof quantities / sizeof *quantities; q++) {
            const yk_net_element *el = &r->net->element[e];
            const char *name = NULL;
            const char *text;
            if (terminal_of(el, quantities[q]) < 0 ||
                (el->kind == 'd' && q == 0))
                continue;
            if (++saved > MOST_SAVED)
                return yk_net_warn(r->net, err, el->at,
                                   "savecurrents: the currents from %.80s on "
                                   "are left out",
                                   el->name);
            YK_TRY(yk_arena_print(&r->net->arena, &name, err, "@%s[%s]",
                                  el->name, quantities[q]));
            text = name;
            YK_TRY(take(r, &text, "", el->at, err));
        }
    return YOKE_OK;
}

/* Currents without a branch in an expression of a measure. */
static yoke_status take_measured(yk_net_reader *r, const yk_net_measure *m,
                                 const yk_net_expr *e, yoke_err *err)
{
    yk_netlist *net = r->net;

    if (!e || strcmp(m->word[0], "param") == 0) return YOKE_OK;
    for (int k = 0; k < e->vars; k++) {
        const char *text = NULL;
        if (!e->var[k].is_current || has_branch(&net->element[e->var[k].a]))
            continue;
        YK_TRY(yk_arena_print(&net->arena, &text, err, "i(%s)",
                              net->element[e->var[k].a].name));
        YK_TRY(take(r, &text, "", m->at, err));
    }
    return YOKE_OK;
}

yoke_status yk_net_add_probes(yk_net_reader *r, yoke_err *err)
{
    yk_netlist *net = r->net;

    net->probes = net->nodes;
    for (int k = 0; k < net->wishes; k++) {
        yk_net_wish *w = &net->wish[k];
        YK_TRY(w->computed ? take_computed(r, w, w->computed, err)
                           : take(r, &w->text, w->analysis, w->at, err));
    }
    for (int k = 0; k < net->measures; k++) {
        const yk_net_measure *m = &net->measure[k];
        for (int i = 0; i < m->words; i++) {
            if (m->word[i][0] == '@' || is_call(m->word[i], 'i'))
                YK_TRY(take(r, (const char **)&m->word[i], "", m->at, err));
            YK_TRY(take_measured(r, m, m->expr[i], err));
        }
    }
    if (yk_net_value(net->option, net->options, "savecurrents", 0.0, NULL) !=
        0.0)
        YK_TRY(save_currents(r, err));
    net->probed = net->nodes - net->probes;
    return YOKE_OK;
}

bool yk_net_is_probe(const yk_netlist *net, int node)
{
    return node >= net->probes && node < net->probes + net->probed;
}

int yk_net_probe_of(const yk_netlist *net, int e)
{
    const yk_net_element *el = &net->element[e];

    for (int k = 0; k < 2 && k < el->nodes; k++)
        if (yk_net_is_probe(net, el->node[k])) return el->node[k];
    return 0;
}

bool yk_net_has_mirrors(const yk_netlist *net)
{
    for (int e = net->elements - 1; e >= 0; e--) {
        const yk_net_element *el = &net->element[e];
        if (el->kind == 'y' && net->element[el->control[0]].kind != 'r')
            return true;
    }
    return false;
}
