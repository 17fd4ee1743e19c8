/* comp/netlist/read/command_print.c -- what is to be shown: .print, .save,
 * .measure, hints. */
#include "comp/netlist/read/command.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- vectors ------------------------------------------------------------- */

static yoke_status add_wish(yk_net_command_parse *c, const char *analysis,
                            const char *text, yoke_err *err)
{
    yk_netlist *net = c->r->net;
    const char *computed = NULL;

    YK_TRY(yk_net_vector_name(c->r, &text, err));
    YK_TRY(yk_net_let_expand(c->r, text, &computed, err));
    YK_TRY(yk_net_push(c->r, (void **)&net->wish, net->wishes,
                       sizeof *net->wish, err));
    net->wish[net->wishes++] = (yk_net_wish){ analysis, text, c->at, computed };
    return YOKE_OK;
}

static const char *begin_of(const yk_net_word *w)
{
    return w->kind == YK_BRACED || w->kind == YK_STRING ? w->text - 1 : w->text;
}

static const char *end_of(const yk_net_word *w)
{
    return w->text + w->length + (w->kind == YK_BRACED || w->kind == YK_STRING);
}

/* Words from k on that hang together: v ( a , b ) or v(1)-v(2); returns the
 * number of the first behind them. */
static int cluster(const yk_net_reader *r, int k)
{
    int depth = 0;
    const int first = k;

    if (r->word[k].kind == YK_EQUALS || r->word[k].kind == YK_COMMA)
        return k + 1;
    for (; k < r->words; k++) {
        const yk_net_token kind = r->word[k].kind;
        const bool joins =
            kind == YK_OPEN && k > first && r->word[k - 1].kind == YK_NET_WORD;
        const bool apart = k > first && !joins &&
                           begin_of(&r->word[k]) > end_of(&r->word[k - 1]);
        if (depth == 0 && k > first &&
            (apart || kind == YK_COMMA || kind == YK_EQUALS))
            break;
        depth += (kind == YK_OPEN) - (kind == YK_CLOSE);
    }
    return k;
}

/* Text of words without blanks. */
static yoke_status squeeze(yk_net_reader *r, int first, int last,
                           const char **out, yoke_err *err)
{
    const char *begin = begin_of(&r->word[first]);
    const char *end = end_of(&r->word[last - 1]);
    char *text = NULL;
    int n = 0;

    YK_TRY(YK_TAKE(&r->net->arena, &text, end - begin + 1, err));
    for (const char *p = begin; p < end; p++)
        if (!isspace((unsigned char)*p)) text[n++] = *p;
    *out = text;
    return YOKE_OK;
}

/* Words of a plot that say how it looks, each with the words behind it; 0 for
 * a vector. */
static int style_words(const yk_net_word *w)
{
    static const struct {
        const char *name;
        int words;
    } style[] = {
        { "vs", 1 },        { "xlimit", 3 },   { "ylimit", 3 },
        { "xl", 3 },        { "yl", 3 },       { "xindices", 3 },
        { "title", 2 },     { "xlabel", 2 },   { "ylabel", 2 },
        { "xcompress", 2 }, { "xdelta", 2 },   { "ydelta", 2 },
        { "samep", 1 },     { "nointerp", 1 }, { "combplot", 1 },
        { "pointplot", 1 }, { "linplot", 1 },  { "polar", 1 },
        { "smith", 1 },     { "lingrid", 1 },  { "loglog", 1 },
        { "xlog", 1 },      { "ylog", 1 },     { "nogrid", 1 },
    };

    if (w->kind == YK_STRING) return 1;
    for (size_t i = 0; i < sizeof style / sizeof *style; i++)
        if (yk_net_is(w, style[i].name)) return style[i].words;
    return 0;
}

yoke_status yk_net_vectors(yk_net_command_parse *c, const char *analysis,
                           yoke_err *err)
{
    yk_net_reader *r = c->r;

    while (c->next < r->words) {
        const char *text;
        const yk_net_token kind = r->word[c->next].kind;
        if (kind == YK_COMMA) {
            c->next++;
            continue;
        }
        const int style = style_words(&r->word[c->next]);
        if (style > 0) {
            c->next += style;
            continue;
        }
        const int last = cluster(r, c->next);
        if (kind == YK_OPEN) { /* limits of a plot */
            c->next = last;
            continue;
        }
        if (last < r->words && r->word[last].kind == YK_EQUALS) {
            c->next = last + 2; /* a setting of a plot: xlimit = ... */
            continue;
        }
        YK_TRY(squeeze(r, c->next, last, &text, err));
        YK_TRY(add_wish(c, analysis, text, err));
        c->next = last;
    }
    return YOKE_OK;
}

/* The name of an analysis, or NULL. */
static const char *analysis_of(const yk_net_word *w)
{
    static const char *const known[] = { "tran", "dc", "ac", "op" };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (yk_net_is(w, known[i])) return known[i];
    return NULL;
}

yoke_status yk_net_print(yk_net_command_parse *c, yoke_err *err)
{
    yk_net_reader *r = c->r;
    const char *analysis =
        c->next < r->words ? analysis_of(&r->word[c->next]) : NULL;

    if (!analysis) {
        static const char *const other[] = { "noise", "disto", "sens", "pz" };
        for (size_t i = 0; c->next < r->words && i < 4; i++)
            if (yk_net_is(&r->word[c->next], other[i]))
                return yk_net_skip_request(c, err);
        return yk_net_vectors(c, "", err);
    }
    c->next++;
    return yk_net_vectors(c, analysis, err);
}

yoke_status yk_net_save(yk_net_command_parse *c, yoke_err *err)
{
    return yk_net_vectors(c, "", err);
}

/* ---- .measure ------------------------------------------------------------ */

/* A word of a .measure: braces around a constant become its number. */
static yoke_status measure_word(yk_net_command_parse *c, int first, int last,
                                const char **out, yoke_err *err)
{
    yk_net_reader *r = c->r;
    const yk_net_word *w = &r->word[first];
    char text[40];
    double value;

    if (last != first + 1 || w->kind != YK_BRACED)
        return squeeze(r, first, last, out, err);
    YK_TRY(yk_net_constant(r, c->env, w->text, w->length, c->at, &value, err));
    const int n = snprintf(text, sizeof text, "%.17g", value);
    return yk_net_copy(&r->net->arena, out, text, n, err);
}

/* The words from `first` on as one text without its quotes or braces. */
static const char *inner_text(const yk_net_reader *r, int first, int last,
                              int *length)
{
    const yk_net_word *w = &r->word[first];
    const bool marked =
        last == first + 1 && (w->kind == YK_BRACED || w->kind == YK_STRING);
    const char *text = marked ? w->text : begin_of(w);

    *length = marked ? w->length : (int)(end_of(&r->word[last - 1]) - text);
    return text;
}

/* param = expression: the rest of the line. */
static yoke_status measure_param(yk_net_command_parse *c, yk_net_expr **out,
                                 yoke_err *err)
{
    yk_net_reader *r = c->r;
    const int first = c->next;
    int length;

    if (first >= r->words)
        return yk_net_fail(err, YOKE_E_ARG, c->at, "%s: param needs = value",
                           c->name);
    const char *text = inner_text(r, first, r->words, &length);
    c->next = r->words;
    return yk_net_result_expr(r, c->env, text, length, c->at, out, err);
}

/* An expression of the rows of a measure: there currents of R, C, I and D can be
 * had as well as those of branches (probe.c). */
static yoke_status measured_expr(yk_net_command_parse *c, const char *text,
                                 int length, yk_net_expr **out, yoke_err *err)
{
    yk_net_reader *r = c->r;
    const int laters = r->laters;

    YK_TRY(
        yk_net_behaviour(r, c->env, text, length, 1.0, c->at, out, NULL, err));
    for (int k = laters; k < r->laters; k++) r->later[k].kinds = "vlehbrcid";
    return YOKE_OK;
}

/* par(expression), words first .. last - 1. */
static yoke_status measure_par(yk_net_command_parse *c, int first, int last,
                               yk_net_expr **out, yoke_err *err)
{
    int length;

    if (last - first < 4 || c->r->word[last - 1].kind != YK_CLOSE)
        return yk_net_fail(err, YOKE_E_ARG, c->at,
                           "%s: par needs an expression in brackets", c->name);
    const char *text = inner_text(c->r, first + 2, last - 1, &length);
    return measured_expr(c, text, length, out, err);
}

/* An expression without par, as LTspice writes it, or the name of a let. */
static yoke_status measure_computed(yk_net_command_parse *c,
                                    const char *analysis, const char **text,
                                    yk_net_expr **out, yoke_err *err)
{
    const char *computed = NULL;

    YK_TRY(yk_net_vector_name(c->r, text, err));
    if (strcmp(analysis, "ac") == 0) return YOKE_OK;
    YK_TRY(yk_net_let_expand(c->r, *text, &computed, err));
    if (!computed && !yk_net_computes(*text)) return YOKE_OK;
    if (!computed) computed = *text;
    return measured_expr(c, computed, (int)strlen(computed), out, err);
}

/* What can be measured. */
static bool is_measure(const yk_net_word *w)
{
    static const char *const known[] = { "find", "avg",   "max",  "min",
                                         "pp",   "rms",   "trig", "integ",
                                         "when", "param", "deriv" };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (yk_net_is(w, known[i])) return true;
    return false;
}

yoke_status yk_net_measure_line(yk_net_command_parse *c, yoke_err *err)
{
    yk_net_reader *r = c->r;
    yk_netlist *net = r->net;
    yk_net_measure m = { .net = net, .at = c->at };
    yk_list words = { 0 }, exprs = { 0 };

    if (c->next + 2 >= r->words)
        return yk_net_fail(err, YOKE_E_ARG, c->at,
                           "%s needs an analysis, a name and what to measure",
                           c->name);
    m.analysis = analysis_of(&r->word[c->next]);
    if (m.analysis)
        c->next++;
    else if (is_measure(&r->word[c->next + 1])) /* LTspice leaves it out */
        m.analysis = "tran";
    if (!m.analysis)
        return yk_net_fail(err, YOKE_E_ARG,
                           yk_net_at(r, c->at, r->word[1].text),
                           "%s: \"%.*s\" is not tran, dc, ac or op", c->name,
                           r->word[1].length, r->word[1].text);
    YK_TRY(squeeze(r, c->next, c->next + 1, &m.name, err));
    c->next++;
    while (c->next < r->words) {
        const yk_net_word *w = &r->word[c->next];
        const char *text = "value";
        yk_net_expr *expr = NULL;
        const bool param =
            words.count > 0 && strcmp(words.item[0], "param") == 0;
        if (param && words.count == 1 && w->kind != YK_EQUALS) {
            text = "="; /* LTspice leaves it out */
        } else if (param && words.count == 2) {
            YK_TRY(measure_param(c, &expr, err));
        } else {
            const int last = cluster(r, c->next);
            const bool is_par = yk_net_is(w, "par") && last > c->next + 1;
            if (is_par) YK_TRY(measure_par(c, c->next, last, &expr, err));
            if (is_par)
                YK_TRY(squeeze(r, c->next, last, &text, err));
            else
                YK_TRY(measure_word(c, c->next, last, &text, err));
            if (!is_par && words.count > 0)
                YK_TRY(measure_computed(c, m.analysis, &text, &expr, err));
            c->next = last;
        }
        YK_TRY(yk_list_push(&net->arena, &words, (void *)text, err));
        YK_TRY(yk_list_push(&net->arena, &exprs, expr, err));
    }
    m.words = words.count;
    m.word = (const char *const *)words.item;
    m.expr = (yk_net_expr **)exprs.item;
    YK_TRY(yk_net_push(r, (void **)&net->measure, net->measures,
                       sizeof *net->measure, err));
    m.optional = c->line->text[0] != '.';
    net->measure[net->measures++] = m;
    return YOKE_OK;
}

/* ---- hints --------------------------------------------------------------- */

/* Words between blanks that do not stand in brackets. */
static yoke_status hint_words(yk_net_reader *r, const char *text,
                              yk_list *words, yoke_err *err)
{
    while (*text) {
        const char *begin = text, *word;
        int depth = 0;
        for (; *text && (depth > 0 || !isspace((unsigned char)*text)); text++)
            depth += (*text == '(') - (*text == ')');
        if (text > begin) {
            YK_TRY(yk_net_copy(&r->net->arena, &word, begin,
                               (int)(text - begin), err));
            YK_TRY(yk_list_push(&r->net->arena, words, (void *)word, err));
        }
        while (isspace((unsigned char)*text)) text++;
    }
    return YOKE_OK;
}

yoke_status yk_net_hint_line(yk_net_reader *r, yk_net_env *env,
                             const yk_net_line *line, yoke_err *err)
{
    yk_netlist *net = r->net;
    yk_list words = { 0 };
    yk_net_hint hint = { .instance = env->instance, .at = line->at };

    YK_TRY(hint_words(r, line->text + 1, &words, err));
    hint.words = words.count;
    hint.word = (const char *const *)words.item;
    YK_TRY(yk_net_push(r, (void **)&net->hint, net->hints, sizeof *net->hint,
                       err));
    net->hint[net->hints++] = hint;
    return YOKE_OK;
}
