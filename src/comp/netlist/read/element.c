/* comp/netlist/read/element.c -- one element line: nodes, value, parameters. */
#include "comp/netlist/read/read.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* ---- values -------------------------------------------------------------- */

static yoke_status name_of_parameter(yk_net_reader *r, yk_net_env *env,
                                     const yk_net_word *word, yk_net_place at,
                                     const char *what, double *value,
                                     yoke_err *err)
{
    yk_net_slot *slot = yk_net_find_slot(env, word->text, word->length);

    if (slot) return yk_net_slot_value(r, slot, value, err);
    return yk_net_fail(err, YOKE_E_ARG, yk_net_at(r, at, word->text),
                       "%s: \"%.*s\" is neither a number nor a parameter", what,
                       word->length > 80 ? 80 : word->length, word->text);
}

yoke_status yk_net_word_value(yk_net_reader *r, yk_net_env *env,
                              const yk_net_word *word, yk_net_place at,
                              const char *what, double *value, yoke_err *err)
{
    int used;

    if (word->kind == YK_BRACED)
        return yk_net_constant(r, env, word->text, word->length, at, value,
                               err);
    if (word->kind != YK_NET_WORD)
        return yk_net_fail(err, YOKE_E_ARG, yk_net_at(r, at, word->text),
                           "%s: a number is missing before \"%.*s\"", what,
                           word->length > 80 ? 80 : word->length, word->text);
    *value = yk_net_number(word->text, word->length, &used);
    if (used == 0) return name_of_parameter(r, env, word, at, what, value, err);
    if (used < word->length)
        return yk_net_fail(err, YOKE_E_ARG, yk_net_at(r, at, word->text),
                           "%s: \"%.*s\" is not a number (write 4.7k for 4k7, "
                           "and expressions in braces)",
                           what, word->length > 80 ? 80 : word->length,
                           word->text);
    if (!isfinite(*value))
        return yk_net_fail(err, YOKE_E_ARG, yk_net_at(r, at, word->text),
                           "%s: \"%.*s\" is too large", what,
                           word->length > 80 ? 80 : word->length, word->text);
    return YOKE_OK;
}

/* ---- steps through the words --------------------------------------------- */

bool yk_net_more(const yk_net_parse *p)
{
    return p->next < p->r->words;
}

const yk_net_word *yk_net_here(const yk_net_parse *p)
{
    return &p->r->word[p->next];
}

yk_net_place yk_net_here_at(const yk_net_parse *p)
{
    return yk_net_more(p) ? yk_net_at(p->r, p->line->at, yk_net_here(p)->text)
                          : p->line->at;
}

bool yk_net_followed_by(const yk_net_parse *p, yk_net_token kind)
{
    return p->next + 1 < p->r->words && p->r->word[p->next + 1].kind == kind;
}

void yk_net_skip_marks(yk_net_parse *p)
{
    while (yk_net_more(p) && (yk_net_here(p)->kind == YK_COMMA ||
                              yk_net_here(p)->kind == YK_OPEN ||
                              yk_net_here(p)->kind == YK_CLOSE))
        p->next++;
}

yoke_status yk_net_room(yk_net_parse *p, int nodes, yoke_err *err)
{
    p->e->nodes = nodes;
    return YK_TAKE(&p->r->net->arena, &p->e->node, nodes, err);
}

yoke_status yk_net_take_node(yk_net_parse *p, int k, yoke_err *err)
{
    yk_net_skip_marks(p);
    if (!yk_net_more(p) || yk_net_here(p)->kind != YK_NET_WORD ||
        yk_net_followed_by(p, YK_EQUALS))
        return yk_net_fail(err, YOKE_E_ARG, yk_net_here_at(p),
                           "\"%s\" needs %d nodes, the line has %d", p->e->name,
                           p->e->nodes, k);
    const yk_net_word *w = yk_net_here(p);
    p->next++;
    return yk_net_node(p->r, p->env, w->text, w->length, p->line->at,
                       &p->e->node[k], err);
}

yoke_status yk_net_take_nodes(yk_net_parse *p, int nodes, yoke_err *err)
{
    YK_TRY(yk_net_room(p, nodes, err));
    for (int k = 0; k < nodes; k++) YK_TRY(yk_net_take_node(p, k, err));
    return YOKE_OK;
}

yoke_status yk_net_take_value(yk_net_parse *p, const char *what, double *value,
                              yoke_err *err)
{
    if (!yk_net_more(p))
        return yk_net_fail(err, YOKE_E_ARG, p->line->at, "\"%s\" has no %s",
                           p->e->name, what);
    YK_TRY(yk_net_word_value(p->r, p->env, yk_net_here(p), p->line->at, what,
                             value, err));
    p->next++;
    return YOKE_OK;
}

/* Parameters are collected in a small array first: most elements have one. */
yoke_status yk_net_add_param(yk_net_parse *p, const char *name, double value,
                             yoke_err *err)
{
    if (p->params >= YK_NET_PARAMS)
        return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                           "\"%s\" has more than %d parameters", p->e->name,
                           YK_NET_PARAMS);
    p->param[p->params++] = (yk_net_param){ name, value, p->line->at };
    return YOKE_OK;
}

static yoke_status unknown_name(const yk_net_parse *p, const yk_net_word *w,
                                const char *const *known, yoke_err *err)
{
    char wanted[60], room[100];
    yk_net_near near = { .wanted = wanted };
    const int length = w->length > 50 ? 50 : w->length;

    memcpy(wanted, w->text, (size_t)length);
    wanted[length] = '\0';
    for (; *known; known++) yk_net_near_try(&near, *known);
    return yk_net_fail(err, YOKE_E_ARG, yk_net_at(p->r, p->line->at, w->text),
                       "\"%s\" has no parameter \"%s\"%s", p->e->name, wanted,
                       yk_net_near_text(&near, room, sizeof room));
}

static const char *find_known(const yk_net_word *w, const char *const *known)
{
    for (; *known; known++)
        if (yk_net_is(w, *known)) return *known;
    return NULL;
}

/* name = a, b, ...: name, name2, name3, name4. */
static yoke_status list_of_values(yk_net_parse *p, const char *name,
                                  yoke_err *err)
{
    static const char *const ic[] = { "ic", "ic2", "ic3", "ic4" };
    static const char *const tc[] = { "tc1", "tc2" };
    const bool is_ic = strcmp(name, "ic") == 0;
    const bool is_tc = strcmp(name, "tc") == 0;
    const int most = is_ic ? 4 : is_tc ? 2 : 1;

    for (int k = 0; k < most; k++) {
        double value;
        if (k > 0) {
            if (!yk_net_more(p) || yk_net_here(p)->kind != YK_COMMA) break;
            p->next++;
        }
        YK_TRY(yk_net_take_value(p, name, &value, err));
        YK_TRY(yk_net_add_param(p,
                                is_ic   ? ic[k]
                                : is_tc ? tc[k]
                                        : name,
                                value, err));
    }
    return YOKE_OK;
}

/* What LTspice writes about the part in the shop: of no effect in the circuit. */
static bool is_rating(char kind, const yk_net_word *w)
{
    static const char *const r[] = { "tol", "pwr", "mfg", "pn", NULL };
    static const char *const c[] = { "tol", "v",    "irms",   "mfg",
                                     "pn",  "type", "vrated", NULL };
    static const char *const l[] = { "tol", "ipk", "irms", "mfg", "pn", NULL };

    return (kind == 'r' && find_known(w, r)) ||
           (kind == 'c' && find_known(w, c)) ||
           (kind == 'l' && find_known(w, l));
}

static yoke_status skip_rating(yk_net_parse *p, yoke_err *err)
{
    const yk_net_word *w = yk_net_here(p);

    YK_TRY(yk_net_warn(p->r->net, err, yk_net_at(p->r, p->line->at, w->text),
                       "\"%s\": %.*s is a rating of the part and left out",
                       p->e->name, w->length, w->text));
    p->next += 2;
    if (yk_net_more(p)) p->next++;
    return YOKE_OK;
}

yoke_status yk_net_values(yk_net_parse *p, const char *const *known,
                          yoke_err *err)
{
    for (yk_net_skip_marks(p); yk_net_more(p); yk_net_skip_marks(p)) {
        const yk_net_word *w = yk_net_here(p);
        const char *name = find_known(w, known);
        const bool has_value = yk_net_followed_by(p, YK_EQUALS);
        if (name && !has_value && strcmp(name, "off") == 0)
            p->e->off = true;
        else if (name && !has_value && strcmp(name, "on") == 0)
            p->e->on = true;
        else if (!has_value)
            return yk_net_fail(err, YOKE_E_ARG,
                               yk_net_at(p->r, p->line->at, w->text),
                               "\"%s\": unexpected word \"%.*s\"%s", p->e->name,
                               w->length > 80 ? 80 : w->length, w->text,
                               w->length == 1 && strchr("fpnumkKgtT", *w->text)
                                   ? "; a suffix follows its number without a "
                                     "blank, 1k"
                                   : "");
        else if (!name && is_rating(p->e->kind, w)) {
            YK_TRY(skip_rating(p, err));
            continue;
        } else if (!name)
            return unknown_name(p, w, known, err);
        p->next++;
        if (!has_value) continue;
        p->next++;
        YK_TRY(list_of_values(p, name, err));
        if (strcmp(name, "off") == 0)
            p->e->off = p->param[--p->params].value != 0.0;
    }
    return YOKE_OK;
}

/* ---- r, c, l ------------------------------------------------------------- */

/* True if v(, i( or time stands in the text. */
static bool mentions(const char *text, int length)
{
    for (int i = 0; i < length; i++) {
        const bool begins = i == 0 || !(isalnum((unsigned char)text[i - 1]) ||
                                        text[i - 1] == '_');
        if (!begins) continue;
        if (text[i] == 'v' || text[i] == 'i') {
            int k = i + 1;
            while (k < length && isspace((unsigned char)text[k])) k++;
            if (k < length && text[k] == '(') return true;
        }
        if (length - i >= 4 && memcmp(text + i, "time", 4) == 0 &&
            (length - i == 4 ||
             !(isalnum((unsigned char)text[i + 4]) || text[i + 4] == '_')))
            return true;
    }
    return false;
}

static yoke_status passive_value(yk_net_parse *p, yoke_err *err)
{
    const yk_net_word *w = yk_net_here(p);
    double value = 0.0;

    if (w->kind == YK_BRACED && mentions(w->text, w->length)) {
        p->next++;
        YK_TRY(yk_net_behaviour(p->r, p->env, w->text, w->length, 1.0,
                                p->line->at, &p->e->expr, &value, err));
        if (p->e->expr) return YOKE_OK;
    } else {
        YK_TRY(yk_net_take_value(p, "value", &value, err));
    }
    return yk_net_add_param(p, "value", value, err);
}

static bool is_value_name(char kind, const yk_net_word *w)
{
    return kind == 'r'   ? yk_net_is(w, "r") || yk_net_is(w, "resistance")
           : kind == 'c' ? yk_net_is(w, "c") || yk_net_is(w, "capacitance")
                         : yk_net_is(w, "l") || yk_net_is(w, "inductance");
}

static bool is_number(const yk_net_word *w)
{
    int used;

    if (w->kind != YK_NET_WORD) return w->kind == YK_BRACED;
    yk_net_number(w->text, w->length, &used);
    return used > 0;
}

/* A value and a model in any order. */
static yoke_status passive_front(yk_net_parse *p, bool *has_value,
                                 yoke_err *err)
{
    yk_net_element *e = p->e;

    for (;; yk_net_skip_marks(p)) {
        if (!yk_net_more(p)) return YOKE_OK;
        const yk_net_word *w = yk_net_here(p);
        if (yk_net_followed_by(p, YK_EQUALS)) {
            if (!is_value_name(e->kind, w)) return YOKE_OK;
            p->next += 2;
            if (!yk_net_more(p)) return YOKE_OK;
        } else if (!is_number(w) && e->model < 0 &&
                   yk_net_has_model(p->env, w->text, w->length)) {
            YK_TRY(yk_net_use_model(p->r, p->env, w->text, w->length,
                                    p->line->at, &e->model, err));
            p->next++;
            continue;
        } else if (*has_value) {
            return YOKE_OK;
        }
        YK_TRY(passive_value(p, err));
        *has_value = true;
    }
}

static yoke_status read_passive(yk_net_parse *p, yoke_err *err)
{
    static const char *const r[] = { "l",     "w",   "m",     "tc",
                                     "tc1",   "tc2", "temp",  "dtemp",
                                     "scale", "tce", "noisy", NULL };
    static const char *const c[] = { "l",     "w",   "m",    "tc",
                                     "tc1",   "tc2", "temp", "dtemp",
                                     "scale", "ic",  NULL };
    static const char *const l[] = { "m",     "tc",    "tc1", "tc2", "temp",
                                     "dtemp", "scale", "ic",  "nt",  NULL };
    const char kind = p->e->kind;
    bool has_value = false;

    YK_TRY(yk_net_take_nodes(p, 2, err));
    YK_TRY(passive_front(p, &has_value, err));
    if (!has_value && p->e->model < 0)
        return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                           "\"%s\" has neither a value nor a model",
                           p->e->name);
    YK_TRY(yk_net_values(p, kind == 'r' ? r : kind == 'c' ? c : l, err));
    if (p->e->model < 0) return YOKE_OK;
    const char *type = p->r->net->model[p->e->model].type;
    const char *word = kind == 'r' ? "res" : kind == 'c' ? "cap" : "ind";
    if ((type[0] == kind && !type[1]) || strcmp(type, word) == 0)
        return has_value ? YOKE_OK : yk_net_model_value(p, err);
    return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                       "\"%s\" has a model of type \"%s\"", p->e->name, type);
}

/* K1 L1 L2 coefficient */
static yoke_status read_coupling(yk_net_parse *p, yoke_err *err)
{
    yk_net_element *e = p->e;
    enum { INDUCTORS = 2 };
    double value;

    if (p->r->words != 2 + INDUCTORS)
        return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                           "\"%s\" needs two inductors and a coefficient",
                           e->name);
    YK_TRY(YK_TAKE(&p->r->net->arena, &e->control, INDUCTORS, err));
    for (; e->controls < INDUCTORS; p->next++) {
        const yk_net_word *w = yk_net_here(p);
        YK_TRY(yk_net_refer(p->r, p->env, w->text, w->length, "l",
                            &e->control[e->controls++], p->line->at, err));
    }
    YK_TRY(yk_net_take_value(p, "coefficient", &value, err));
    if (!(fabs(value) <= 1.0))
        return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                           "\"%s\": the coefficient %g is not between -1 and "
                           "1",
                           e->name, value);
    return yk_net_add_param(p, "value", value, err);
}

/* ---- all ----------------------------------------------------------------- */

static yoke_status refuse_kind(const yk_net_parse *p, yoke_err *err)
{
    static const char *const names[][2] = {
        { "a", "an XSPICE code model" },
        { "n", "a compiled Verilog-A device" },
        { "p", "a coupled multiconductor line" },
        { "y", "a single lossy line (txl)" },
        { "z", "a MESFET" },
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (p->e->name[0] == names[i][0][0])
            return yk_net_fail(err, YOKE_E_MISSING,
                               yk_net_at(p->r, p->line->at, p->r->word[0].text),
                               "\"%s\" is %s, which is not supported",
                               p->e->name, names[i][1]);
    return yk_net_fail(err, YOKE_E_ARG,
                       yk_net_at(p->r, p->line->at, p->r->word[0].text),
                       "\"%.60s\" is not an element: its first letter is none "
                       "of r c l k v i e f g h b d q m j s w t o u x",
                       p->e->name);
}

static yoke_status read_kind(yk_net_parse *p, yoke_err *err)
{
    switch (p->e->kind) {
    case 'r':
    case 'c':
    case 'l':
        YK_TRY(read_passive(p, err));
        return yk_net_check_passive(p, err);
    case 'k':
        return read_coupling(p, err);
    case 'v':
    case 'i':
        return yk_net_read_source(p, err);
    case 'e':
    case 'f':
    case 'g':
    case 'h':
        return yk_net_read_control(p, err);
    case 'b':
        return yk_net_read_behaviour(p, err);
    case 'd':
    case 'q':
    case 'm':
    case 'j':
        return yk_net_read_device(p, err);
    case 's':
    case 'w':
        return yk_net_read_switch(p, err);
    case 't':
    case 'o':
    case 'u':
        return yk_net_read_line(p, err);
    default:
        return refuse_kind(p, err);
    }
}

/* m of the X lines around multiplies m of what carries current; f, g and b
 * have it in their coefficients already. */
static yoke_status multiply(yk_net_parse *p, yoke_err *err)
{
    const double m = p->env->multiplier;

    bool own;
    const double inner = yk_net_value(p->param, p->params, "m", 1.0, &own);

    for (int k = 0; p->e->kind == 't' && k < p->params; k++) {
        if (strcmp(p->param[k].name, "z0") == 0) p->param[k].value /= m;
        if (p->param[k].name[0] == 'i') p->param[k].value *= m;
        if (!isfinite(p->param[k].value) || m <= 0.0)
            return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                               "\"%.80s\": a line cannot be there %g times",
                               p->e->name, m);
    }
    if (m == 1.0 || !strchr("rclidqmj", p->e->kind)) return YOKE_OK;
    if (own && inner != 1.0) YK_TRY(yk_net_warn_of_m(p->r, p->line->at, err));
    return yk_net_add_param(p, "m", m * inner, err);
}

yoke_status yk_net_add_element(yk_net_parse *p, yoke_err *err)
{
    yk_net_reader *r = p->r;
    yk_netlist *net = r->net;
    const int old = yk_names_find(r->elements, p->e->name);

    if (old != -1)
        return yk_net_fail(
            err, YOKE_E_ARG, yk_net_at(p->r, p->line->at, p->r->word[0].text),
            "element \"%s\" is defined twice, first at %s:%d", p->e->name,
            old < 0 ? p->line->at.file : net->element[old].at.file,
            old < 0 ? p->line->at.line : net->element[old].at.line);
    YK_TRY(multiply(p, err));
    p->e->params = p->params;
    YK_TRY(YK_TAKE(&net->arena, &p->e->param, p->params, err));
    memcpy(p->e->param, p->param, (size_t)p->params * sizeof *p->param);
    YK_TRY(YK_GROW(&net->element, &r->element_room, net->elements + 1, err));
    YK_TRY(yk_names_add(r->elements, p->e->name, net->elements, err));
    net->element[net->elements++] = *p->e;
    return YOKE_OK;
}

yoke_status yk_net_element_line(yk_net_reader *r, yk_net_env *env,
                                const yk_net_line *line, yoke_err *err)
{
    yk_net_element e = { .kind = line->text[0],
                         .at = line->at,
                         .model = -1,
                         .instance = env->instance };
    yk_net_parse p = {
        .r = r, .env = env, .line = line, .e = &e, .next = 1, .param = r->param
    };

    YK_TRY(yk_net_may_grow(r->net, line->at, err));
    if (r->word[0].kind != YK_NET_WORD)
        return yk_net_fail(err, YOKE_E_ARG, yk_net_at(r, line->at, line->text),
                           "a line cannot begin with \"%.20s\"", line->text);
    YK_TRY(yk_net_full_name(&r->net->arena, env, r->word[0].text,
                            r->word[0].length, &e.name, line->at, err));
    YK_TRY(read_kind(&p, err));
    /* Lossy lines have become other elements. */
    return strchr("ou", e.kind) ? YOKE_OK : yk_net_add_element(&p, err);
}
