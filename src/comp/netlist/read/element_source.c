/* comp/netlist/read/element_source.c -- independent, controlled and behavioural
 * sources. */
#include "comp/netlist/read/read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- lists of numbers ---------------------------------------------------- */

static yoke_status push_number(yk_net_reader *r, double value, yoke_err *err)
{
    YK_TRY(YK_GROW(&r->number, &r->number_room, r->numbers + 1, err));
    r->number[r->numbers++] = value;
    return YOKE_OK;
}

static yoke_status keep_numbers(yk_net_parse *p, double **out, int *count,
                                yoke_err *err)
{
    yk_net_reader *r = p->r;

    YK_TRY(YK_TAKE(&r->net->arena, out, r->numbers, err));
    if (r->numbers) memcpy(*out, r->number, (size_t)r->numbers * sizeof **out);
    *count = r->numbers;
    return YOKE_OK;
}

static bool is_value(const yk_net_parse *p)
{
    const yk_net_word *w = yk_net_here(p);
    int used;

    if (w->kind == YK_BRACED) return true;
    if (w->kind != YK_NET_WORD || yk_net_followed_by(p, YK_EQUALS))
        return false;
    yk_net_number(w->text, w->length, &used);
    return used > 0 || yk_net_find_slot(p->env, w->text, w->length);
}

static void skip_commas(yk_net_parse *p)
{
    while (yk_net_more(p) && yk_net_here(p)->kind == YK_COMMA) p->next++;
}

/* Appends values as long as there are any. */
static yoke_status take_numbers(yk_net_parse *p, const char *what,
                                yoke_err *err)
{
    for (skip_commas(p); yk_net_more(p) && is_value(p); skip_commas(p)) {
        double value;
        YK_TRY(yk_net_take_value(p, what, &value, err));
        YK_TRY(push_number(p->r, value, err));
    }
    return YOKE_OK;
}

/* ---- v, i ---------------------------------------------------------------- */

typedef struct shape {
    const char *name;
    yk_net_shape shape;
    int least, most; /* arguments */
} shape;

static const shape shapes[] = {
    { "pulse", YK_SHAPE_PULSE, 2, 8 },   { "sin", YK_SHAPE_SIN, 2, 7 },
    { "sine", YK_SHAPE_SIN, 2, 7 },      { "exp", YK_SHAPE_EXP, 2, 6 },
    { "pwl", YK_SHAPE_PWL, 2, 1 << 30 }, { "sffm", YK_SHAPE_SFFM, 2, 7 },
    { "am", YK_SHAPE_AM, 2, 7 },
};

static const shape *find_shape(const yk_net_word *w)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (yk_net_is(w, shapes[i].name)) return &shapes[i];
    return NULL;
}

/* Numbers, in brackets or not. */
static yoke_status bracket(yk_net_parse *p, const shape *f, yoke_err *err)
{
    const bool open = yk_net_more(p) && yk_net_here(p)->kind == YK_OPEN;

    if (open) p->next++;
    YK_TRY(take_numbers(p, f->name, err));
    if (!open) return YOKE_OK;
    if (!yk_net_more(p))
        return yk_net_fail(err, YOKE_E_ARG, yk_net_here_at(p),
                           "\"%s\": the bracket of %s( is not closed; add "
                           "\")\" behind the last number",
                           p->e->name, f->name);
    if (yk_net_here(p)->kind != YK_CLOSE)
        return yk_net_fail(err, YOKE_E_ARG, yk_net_here_at(p),
                           "\"%s\": %s(: \"%.30s\" is neither a number nor "
                           "\")\"",
                           p->e->name, f->name, yk_net_here(p)->text);
    p->next++;
    return YOKE_OK;
}

static yoke_status take_shape(yk_net_parse *p, const shape *f, yoke_err *err)
{
    yk_net_source *s = p->e->source;

    if (s->shape != YK_SHAPE_NONE)
        return yk_net_fail(err, YOKE_E_ARG, yk_net_here_at(p),
                           "\"%s\" has two waveforms", p->e->name);
    p->next++;
    p->r->numbers = 0;
    yk_net_pwl_marks marks = { 1, NULL };
    if (f->shape == YK_SHAPE_PWL) YK_TRY(yk_net_pwl_begin(p, &marks, err));
    do { /* pwl (0 1) (1n 2) has several brackets */
        if (!marks.file) YK_TRY(bracket(p, f, err));
    } while (yk_net_more(p) && yk_net_here(p)->kind == YK_OPEN);
    if (f->shape == YK_SHAPE_PWL) YK_TRY(yk_net_pwl_end(p, &marks, err));
    s->shape = f->shape;
    YK_TRY(keep_numbers(p, &s->arg, &s->args, err));
    if (s->args < f->least || s->args > f->most)
        return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                           "\"%s\": %s takes %d to %d numbers, not %d",
                           p->e->name, f->name, f->least,
                           f->most < 1000 ? f->most : 1000, s->args);
    return s->shape == YK_SHAPE_PWL ? yk_net_pwl_check(p, err) : YOKE_OK;
}

static yoke_status take_ac(yk_net_parse *p, yoke_err *err)
{
    yk_net_source *s = p->e->source;

    p->next++;
    if (yk_net_more(p) && yk_net_here(p)->kind == YK_EQUALS) p->next++;
    s->ac_magnitude = 1.0;
    if (yk_net_more(p) && is_value(p))
        YK_TRY(yk_net_take_value(p, "ac", &s->ac_magnitude, err));
    skip_commas(p);
    if (yk_net_more(p) && is_value(p))
        YK_TRY(yk_net_take_value(p, "ac", &s->ac_phase, err));
    return YOKE_OK;
}

static yoke_status take_named(yk_net_parse *p, yoke_err *err)
{
    yk_net_source *s = p->e->source;
    const yk_net_word *w = yk_net_here(p);
    double value;

    p->next += 2;
    YK_TRY(yk_net_take_value(p, "value", &value, err));
    if (yk_net_is(w, "r") && s->shape == YK_SHAPE_PWL) {
        s->has_repeat = value >= 0.0; /* r = -1: once */
        s->repeat = value;
    } else if (yk_net_is(w, "td") && s->shape == YK_SHAPE_PWL) {
        s->delay_by = value;
    } else if (yk_net_is(w, "m") && p->e->kind == 'i') {
        return yk_net_add_param(p, "m", value, err);
    } else {
        return yk_net_fail(err, YOKE_E_MISSING,
                           yk_net_at(p->r, p->line->at, w->text),
                           "\"%s\": \"%.*s\" of a source is not supported",
                           p->e->name, w->length, w->text);
    }
    return YOKE_OK;
}

static yoke_status take_dc(yk_net_parse *p, yoke_err *err)
{
    yk_net_source *s = p->e->source;

    if (yk_net_is(yk_net_here(p), "dc")) {
        p->next++;
        if (yk_net_more(p) && yk_net_here(p)->kind == YK_EQUALS) p->next++;
    }
    s->has_dc = true;
    if (!yk_net_more(p) || find_shape(yk_net_here(p)) ||
        yk_net_is(yk_net_here(p), "ac"))
        return YOKE_OK; /* dc alone is 0 */
    return yk_net_take_value(p, "dc value", &s->dc, err);
}

/* Amplitude and phase of .disto, which is not done. */
static yoke_status skip_distortion(yk_net_parse *p, yoke_err *err)
{
    double value;

    p->next++;
    for (int k = 0; k < 2 && yk_net_more(p) && is_value(p); k++)
        YK_TRY(yk_net_take_value(p, "distof", &value, err));
    return YOKE_OK;
}

static yoke_status source_word(yk_net_parse *p, yoke_err *err)
{
    const yk_net_word *w = yk_net_here(p);
    const shape *f = find_shape(w);

    if (yk_net_is(w, "distof1") || yk_net_is(w, "distof2"))
        return skip_distortion(p, err);

    if (f) return take_shape(p, f, err);
    if (yk_net_is(w, "ac")) return take_ac(p, err);
    if (yk_net_is(w, "dc")) return take_dc(p, err);
    if (yk_net_followed_by(p, YK_EQUALS)) return take_named(p, err);
    if (is_value(p)) {
        if (p->e->source->has_dc)
            return yk_net_fail(err, YOKE_E_ARG, yk_net_here_at(p),
                               "\"%s\" has two dc values", p->e->name);
        return take_dc(p, err);
    }
    return yk_net_fail(err, YOKE_E_MISSING,
                       yk_net_at(p->r, p->line->at, w->text),
                       "\"%s\": \"%.*s\" of a source is not supported",
                       p->e->name, w->length > 80 ? 80 : w->length, w->text);
}

/* ngspice's rules for r: it is one of the times, and the period goes from
 * there to the last. */
static yoke_status check_repeat(const yk_net_parse *p, yoke_err *err)
{
    const yk_net_source *s = p->e->source;

    if (!s->has_repeat) return YOKE_OK;
    for (int i = 0; i + 2 < s->args; i += 2)
        if (s->arg[i] == s->repeat) return YOKE_OK;
    return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                       "\"%s\": r = %g is none of the times of pwl before the "
                       "last",
                       p->e->name, s->repeat);
}

/* A triangle to those who come from other programs. */
static yoke_status warn_of_width(const yk_net_parse *p, yoke_err *err)
{
    enum { WIDTH = 5, PERIOD = 6 };
    const yk_net_source *s = p->e->source;

    if (s->shape != YK_SHAPE_PULSE || s->args <= PERIOD ||
        s->arg[WIDTH] != 0.0 || !(s->arg[PERIOD] > 0.0))
        return YOKE_OK;
    return yk_net_warn(p->r->net, err, p->line->at,
                       "\"%s\": a width of 0 counts as left out, as in "
                       "ngspice: the pulse stays until its period ends; for "
                       "a triangle write a small width, 1n",
                       p->e->name);
}

yoke_status yk_net_read_source(yk_net_parse *p, yoke_err *err)
{
    YK_TRY(yk_net_take_nodes(p, 2, err));
    YK_TRY(YK_TAKE(&p->r->net->arena, &p->e->source, 1, err));
    for (yk_net_skip_marks(p); yk_net_more(p); yk_net_skip_marks(p))
        YK_TRY(source_word(p, err));
    YK_TRY(warn_of_width(p, err));
    return check_repeat(p, err);
}

/* ---- e, f, g, h ---------------------------------------------------------- */

/* m of a source and of the instances around it. */
static yoke_status multiplier(yk_net_parse *p, double *m, yoke_err *err)
{
    static const char *const known[] = { "m", NULL };

    YK_TRY(yk_net_values(p, known, err));
    *m = yk_net_value(p->param, p->params, "m", 1.0, NULL);
    p->params = 0;
    if (p->env->multiplier != 1.0 && (p->e->kind == 'f' || p->e->kind == 'g')) {
        if (*m != 1.0) YK_TRY(yk_net_warn_of_m(p->r, p->line->at, err));
        *m *= p->env->multiplier;
    }
    if ((p->e->kind == 'e' || p->e->kind == 'h') && *m != 1.0)
        return yk_net_fail(err, YOKE_E_MISSING, p->line->at,
                           "\"%s\": m of a voltage is not supported",
                           p->e->name);
    return YOKE_OK;
}

yoke_status yk_net_take_source(yk_net_parse *p, int sources, yoke_err *err)
{
    yk_net_element *e = p->e;

    YK_TRY(YK_TAKE(&p->r->net->arena, &e->control, sources, err));
    for (; e->controls < sources; p->next++) {
        yk_net_skip_marks(p);
        if (!yk_net_more(p) || yk_net_here(p)->kind != YK_NET_WORD)
            return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                               "\"%s\" does not name the source whose current "
                               "controls it",
                               e->name);
        const yk_net_word *w = yk_net_here(p);
        YK_TRY(yk_net_refer(p->r, p->env, w->text, w->length, "vlehb",
                            &e->control[e->controls++], p->line->at, err));
    }
    return YOKE_OK;
}

static yoke_status scale_coefs(yk_net_parse *p, yoke_err *err)
{
    double m;

    YK_TRY(multiplier(p, &m, err));
    for (int i = 0; i < p->e->coefs; i++) p->e->coef[i] *= m;
    return YOKE_OK;
}

/* poly(n) with n pairs of nodes or n sources, then coefficients. */
static yoke_status read_poly(yk_net_parse *p, yoke_err *err)
{
    enum { MOST = 20 };
    yk_net_element *e = p->e;
    const bool nodes = e->kind == 'e' || e->kind == 'g';
    const int out[2] = { e->node[0], e->node[1] };
    double n;

    p->next++;
    yk_net_skip_marks(p);
    YK_TRY(yk_net_take_value(p, "number of dimensions", &n, err));
    if (!(n >= 1.0 && n <= MOST) || n != floor(n))
        return yk_net_fail(err, YOKE_E_ARG, yk_net_here_at(p),
                           "\"%s\": poly(%g): dimensions are 1 to %d", e->name,
                           n, MOST);
    e->dimensions = (int)n;
    yk_net_skip_marks(p);
    if (nodes) {
        YK_TRY(yk_net_room(p, 2 + 2 * e->dimensions, err));
        e->node[0] = out[0];
        e->node[1] = out[1];
        for (int k = 2; k < e->nodes; k++) YK_TRY(yk_net_take_node(p, k, err));
    } else {
        YK_TRY(yk_net_take_source(p, e->dimensions, err));
    }
    yk_net_skip_marks(p);
    p->r->numbers = 0;
    YK_TRY(take_numbers(p, "coefficient", err));
    YK_TRY(keep_numbers(p, &e->coef, &e->coefs, err));
    if (e->coefs == 0)
        return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                           "\"%s\": poly has no coefficients", e->name);
    return scale_coefs(p, err);
}

static yoke_status read_gain(yk_net_parse *p, yoke_err *err)
{
    yk_net_element *e = p->e;
    const int out[2] = { e->node[0], e->node[1] };

    if (e->kind == 'e' || e->kind == 'g') {
        YK_TRY(yk_net_room(p, 4, err));
        e->node[0] = out[0];
        e->node[1] = out[1];
        YK_TRY(yk_net_take_node(p, 2, err));
        YK_TRY(yk_net_take_node(p, 3, err));
    } else {
        YK_TRY(yk_net_take_source(p, 1, err));
    }
    yk_net_skip_marks(p);
    if (yk_net_more(p) && yk_net_is(yk_net_here(p), "gain") &&
        yk_net_followed_by(p, YK_EQUALS))
        p->next += 2;
    e->dimensions = 1;
    e->coefs = 2;
    YK_TRY(YK_TAKE(&p->r->net->arena, &e->coef, 2, err));
    YK_TRY(yk_net_take_value(p, "gain", &e->coef[1], err));
    return scale_coefs(p, err);
}

/* Text of an expression: what is in braces, or the words up to `name =`. */
typedef struct piece {
    const char *text;
    int length;
} piece;

static bool ends_expression(const yk_net_parse *p)
{
    static const char *const names[] = { "m",          "tc1",      "tc2",
                                         "tc",         "temp",     "dtemp",
                                         "reciproctc", "reciprocm" };

    if (!yk_net_followed_by(p, YK_EQUALS)) return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (yk_net_is(yk_net_here(p), names[i])) return true;
    return false;
}

static yoke_status take_expression(yk_net_parse *p, piece *out, yoke_err *err)
{
    if (!yk_net_more(p))
        return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                           "\"%s\" has no expression", p->e->name);
    const int first = p->next;
    int depth = 0;
    for (; yk_net_more(p); p->next++) {
        const yk_net_token kind = yk_net_here(p)->kind;
        depth += (kind == YK_OPEN) - (kind == YK_CLOSE);
        if (depth == 0 && ends_expression(p)) break;
    }
    const yk_net_word *a = &p->r->word[first];
    const yk_net_word *b = &p->r->word[p->next - 1];
    if (p->next <= first)
        return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                           "\"%s\" has no expression", p->e->name);
    if (a == b && a->kind == YK_BRACED) {
        *out = (piece){ a->text, a->length };
        return YOKE_OK;
    }
    const char *begin = a->kind == YK_BRACED ? a->text - 1 : a->text;
    const char *end = b->text + b->length + (b->kind == YK_BRACED);
    *out = (piece){ begin, (int)(end - begin) };
    return YOKE_OK;
}

/* The points and what is behind them, of a function of `of`. */
static yoke_status read_points(yk_net_parse *p, piece of, yoke_err *err)
{
    double m;

    p->r->numbers = 0;
    for (yk_net_skip_marks(p); yk_net_more(p) && is_value(p);
         yk_net_skip_marks(p)) {
        double value;
        YK_TRY(yk_net_take_value(p, "point", &value, err));
        YK_TRY(push_number(p->r, value, err));
    }
    if (p->r->numbers % 2 || p->r->numbers < 4)
        return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                           "\"%s\": table needs two points (x, y) or more",
                           p->e->name);
    YK_TRY(multiplier(p, &m, err));
    return yk_net_table(p->r, p->env, of.text, of.length, p->r->numbers / 2,
                        p->r->number, m, p->line->at, &p->e->expr, err);
}

/* first second table = (x, y, x, y, ...), of LTspice. */
static bool is_table_of_nodes(const yk_net_parse *p)
{
    return p->next + 3 < p->r->words &&
           yk_net_is(&p->r->word[p->next + 2], "table") &&
           p->r->word[p->next + 3].kind == YK_EQUALS;
}

static yoke_status read_table_of_nodes(yk_net_parse *p, yoke_err *err)
{
    const yk_net_word *w = yk_net_here(p);
    char between[2 * YK_NET_NAME + 8];
    const int length = snprintf(between, sizeof between, "v(%.*s,%.*s)",
                                w[0].length, w[0].text, w[1].length, w[1].text);

    p->next += 4;
    return read_points(p, (piece){ between, length }, err);
}

/* table {expression} = (x, y) (x, y) ... */
static yoke_status read_table(yk_net_parse *p, yoke_err *err)
{
    yk_net_element *e = p->e;

    p->next++;
    if (!yk_net_more(p) || yk_net_here(p)->kind != YK_BRACED)
        return yk_net_fail(err, YOKE_E_ARG, yk_net_here_at(p),
                           "\"%s\": table needs an expression in braces",
                           e->name);
    const yk_net_word *w = yk_net_here(p);
    p->next++;
    if (yk_net_more(p) && yk_net_here(p)->kind == YK_EQUALS) p->next++;
    return read_points(p, (piece){ w->text, w->length }, err);
}

static yoke_status read_value(yk_net_parse *p, yoke_err *err)
{
    piece text;
    double m;

    p->next++;
    if (yk_net_more(p) && yk_net_here(p)->kind == YK_EQUALS) p->next++;
    YK_TRY(take_expression(p, &text, err));
    YK_TRY(multiplier(p, &m, err));
    return yk_net_behaviour(p->r, p->env, text.text, text.length, m,
                            p->line->at, &p->e->expr, NULL, err);
}

static yoke_status refuse_form(const yk_net_parse *p, bool *refused,
                               yoke_err *err)
{
    static const char *const names[] = { "freq", "chebyshev", "delay", "and",
                                         "nand", "or",        "nor",   "pwl" };
    const yk_net_word *w = yk_net_here(p);

    *refused = true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (yk_net_is(w, names[i]) && (yk_net_followed_by(p, YK_BRACED) ||
                                       yk_net_followed_by(p, YK_EQUALS) ||
                                       yk_net_followed_by(p, YK_OPEN)))
            return yk_net_fail(err, YOKE_E_MISSING, yk_net_here_at(p),
                               "\"%s\": %s is not supported", p->e->name,
                               names[i]);
    *refused = false;
    return YOKE_OK;
}

/* laplace {expression} = {h}, or first second laplace = h. */
static bool is_transfer(const yk_net_parse *p, bool *nodes)
{
    *nodes = p->next + 3 < p->r->words &&
             yk_net_is(&p->r->word[p->next + 2], "laplace") &&
             p->r->word[p->next + 3].kind == YK_EQUALS;
    return *nodes || (yk_net_is(yk_net_here(p), "laplace") &&
                      (yk_net_followed_by(p, YK_BRACED) ||
                       yk_net_followed_by(p, YK_EQUALS)));
}

static yoke_status read_transfer(yk_net_parse *p, bool nodes, yoke_err *err)
{
    const yk_net_word *w = yk_net_here(p);
    char between[2 * YK_NET_NAME + 8];
    piece input = { between, 0 }, h;
    double m;

    if (nodes) {
        input.length = snprintf(between, sizeof between, "v(%.*s,%.*s)",
                                w[0].length, w[0].text, w[1].length, w[1].text);
        p->next += 4;
    } else {
        p->next += yk_net_followed_by(p, YK_EQUALS) ? 2 : 1;
        if (!yk_net_more(p) || yk_net_here(p)->kind != YK_BRACED)
            return yk_net_fail(err, YOKE_E_ARG, yk_net_here_at(p),
                               "\"%s\": laplace {expression} = {function of "
                               "s} is expected",
                               p->e->name);
        input = (piece){ yk_net_here(p)->text, yk_net_here(p)->length };
        p->next++;
        if (yk_net_more(p) && yk_net_here(p)->kind == YK_EQUALS) p->next++;
    }
    YK_TRY(take_expression(p, &h, err));
    YK_TRY(multiplier(p, &m, err));
    return yk_net_transfer(p, input.text, input.length, h.text, h.length, m,
                           err);
}

yoke_status yk_net_read_control(yk_net_parse *p, yoke_err *err)
{
    const bool voltage = p->e->kind == 'e' || p->e->kind == 'g';
    bool refused;

    YK_TRY(yk_net_take_nodes(p, 2, err));
    yk_net_skip_marks(p);
    if (!yk_net_more(p))
        return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                           "\"%s\" has nothing that controls it", p->e->name);
    const yk_net_word *w = yk_net_here(p);
    bool nodes;
    if (voltage && is_transfer(p, &nodes)) return read_transfer(p, nodes, err);
    if (voltage && is_table_of_nodes(p)) return read_table_of_nodes(p, err);
    YK_TRY(refuse_form(p, &refused, err));
    if (yk_net_is(w, "poly") && yk_net_followed_by(p, YK_OPEN))
        return read_poly(p, err);
    if (voltage && yk_net_is(w, "table") && yk_net_followed_by(p, YK_BRACED))
        return read_table(p, err);
    const bool expression = yk_net_is(w, "value") ||
                            yk_net_is(w, p->e->kind == 'e' ? "vol" : "cur");
    if (voltage && expression &&
        (yk_net_followed_by(p, YK_EQUALS) || yk_net_followed_by(p, YK_BRACED)))
        return read_value(p, err);
    return read_gain(p, err);
}

/* ---- b ------------------------------------------------------------------- */

/* m, and 1 + tc1 dT + tc2 dT^2 at the temperature of the circuit. */
static yoke_status behaviour_factor(yk_net_parse *p, double *factor,
                                    yoke_err *err)
{
    static const char *const known[] = { "m",    "tc1",   "tc2", "tc",
                                         "temp", "dtemp", NULL };
    bool has1, has2;

    YK_TRY(yk_net_values(p, known, err));
    const double tc1 = yk_net_value(p->param, p->params, "tc1", 0.0, &has1);
    const double tc2 = yk_net_value(p->param, p->params, "tc2", 0.0, &has2);
    const double temp =
        yk_net_value(p->param, p->params, "temp", p->r->temper, NULL) +
        yk_net_value(p->param, p->params, "dtemp", 0.0, NULL);
    const double d = temp - yk_net_value(p->r->net->option, p->r->net->options,
                                         "tnom", 27.0, NULL);
    if (has1 || has2) p->r->temper_used = p->line->at;
    *factor = yk_net_value(p->param, p->params, "m", 1.0, NULL) *
              (1.0 + tc1 * d + tc2 * d * d);
    if (p->e->is_current && p->env->multiplier != 1.0) {
        YK_TRY(yk_net_warn_of_m(p->r, p->line->at, err));
        *factor *= p->env->multiplier;
    }
    p->params = 0;
    return YOKE_OK;
}

yoke_status yk_net_read_behaviour(yk_net_parse *p, yoke_err *err)
{
    piece text;
    double factor;

    YK_TRY(yk_net_take_nodes(p, 2, err));
    yk_net_skip_marks(p);
    if (!yk_net_more(p) || !yk_net_followed_by(p, YK_EQUALS) ||
        (!yk_net_is(yk_net_here(p), "v") && !yk_net_is(yk_net_here(p), "i")))
        return yk_net_fail(err, YOKE_E_ARG, yk_net_here_at(p),
                           "\"%s\" needs v = expression or i = expression",
                           p->e->name);
    p->e->is_current = yk_net_is(yk_net_here(p), "i");
    p->next += 2;
    YK_TRY(take_expression(p, &text, err));
    YK_TRY(behaviour_factor(p, &factor, err));
    return yk_net_behaviour(p->r, p->env, text.text, text.length, factor,
                            p->line->at, &p->e->expr, NULL, err);
}
