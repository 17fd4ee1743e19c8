/* comp/netlist/ngspice/deck.c -- makes the netlist that ngspice gets. */
#include "comp/netlist/ngspice/deck.h"
#include "comp/netlist/ngspice/policy.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct maker {
    yk_ng_deck *deck;
    yk_ng_wish *wish;
    int number;     /* of the line */
    int depth;      /* of subcircuits */
    bool control;   /* between .control and .endc */
    bool dropped;   /* the line before, so its continuation too */
    bool *found;    /* sources */
    bool *replaced; /* sets */
    char tstep[64];
    double tstop;
} maker;

double yk_ng_number(const char *text)
{
    static const struct {
        const char *suffix;
        double factor;
    } list[] = { { "meg", 1e6 }, { "mil", 25.4e-6 }, { "t", 1e12 },
                 { "g", 1e9 },   { "k", 1e3 },       { "m", 1e-3 },
                 { "u", 1e-6 },  { "n", 1e-9 },      { "p", 1e-12 },
                 { "f", 1e-15 } };
    char *end = NULL;
    const double value = strtod(text, &end);

    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strncasecmp(end, list[i].suffix, strlen(list[i].suffix)) == 0)
            return value * list[i].factor;
    return value;
}

/* ---- lines ------------------------------------------------------------- */

static yoke_status add(maker *m, const char *text, size_t length, yoke_err *err)
{
    yk_ng_deck *d = m->deck;
    char *copy = NULL;

    YK_TRY(YK_GROW(&d->line, &d->room, d->lines + 2, err));
    YK_TRY(yk_print(&copy, err, "%.*s", (int)length, text));
    d->line[d->lines++] = copy;
    d->line[d->lines] = NULL;
    return YOKE_OK;
}

static yoke_status add_text(maker *m, const char *text, yoke_err *err)
{
    return add(m, text, strlen(text), err);
}

/* pre_osdi x.osdi, pre_codemodel x.cm: libraries that the netlist needs. */
static yoke_status keep_command(maker *m, const char *line, yoke_err *err)
{
    yk_ng_deck *d = m->deck;

    while (*line == ' ' || *line == '\t') line++;
    if (strncasecmp(line, "pre_", 4) != 0) return YOKE_OK;
    return yk_texts_add(&d->before, line + 4, err);
}

/* The first word of a line in lower case; *rest: behind it. */
static void first_word(const char *line, char word[64], const char **rest)
{
    size_t n = 0;

    while (*line == ' ' || *line == '\t') line++;
    for (; *line && !isspace((unsigned char)*line); line++)
        if (n < 63) word[n++] = (char)tolower((unsigned char)*line);
    word[n] = '\0';
    *rest = line;
}

/* Analyses and outputs are left to the system file. */
static bool is_left_out(const char *word)
{
    static const char *const list[] = {
        ".tran", ".op",  ".ac",    ".dc",    ".tf",    ".noise",  ".pz",
        ".sens", ".sp",  ".disto", ".four",  ".print", ".plot",   ".meas",
        ".save", ".end", ".probe", ".width", ".pss",   ".measure"
    };

    return yk_texts_find(list, sizeof list / sizeof *list, word) >= 0;
}

/* .tran STEP STOP: times that sources leave open. */
static void keep_tran(maker *m, const char *rest)
{
    char word[64];

    first_word(rest, word, &rest);
    snprintf(m->tstep, sizeof m->tstep, "%s", word);
    first_word(rest, word, &rest);
    m->tstop = yk_ng_number(word);
}

/* Sources that leave their frequency open take one period in the whole time of
 * .tran, which is not that of the run here. */
static yoke_status check_frequency(const maker *m, const char *line,
                                   yoke_err *err)
{
    static const struct {
        const char *shape;
        int values;
    } list[] = { { "sin", 3 }, { "sffm", 5 }, { "am", 4 } };

    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        const size_t length = strlen(list[i].shape);
        const char *at = line, *rest = NULL;
        char word[64];
        int values = 0;

        while (*at && (strncasecmp(at, list[i].shape, length) != 0 ||
                       at == line || !isspace((unsigned char)at[-1]) ||
                       (at[length] != '(' && at[length] != ' ')))
            at++;
        const char *open = strchr(at, '('), *close = strchr(at, ')');
        if (!*at || !open || !close || strchr(open + 1, '(')) continue;
        for (first_word(open + 1, word, &rest);
             word[0] && word[0] != ')' && open < close;
             first_word(rest, word, &rest)) {
            values++;
            if (strchr(word, ')')) break;
        }
        if (values < list[i].values && !strchr(open, ','))
            return yk_fail(err, YOKE_E_ARG,
                           "%.200s:%d: write the frequency of this source: "
                           "without it, ngspice takes the length of .tran, "
                           "which is not that of the run",
                           m->wish->path, m->number);
    }
    return YOKE_OK;
}

/* ---- inputs and parameters --------------------------------------------- */

/* An input: the source keeps its nodes and asks Yoke for its value. */
static yoke_status replace_source(maker *m, const char *word, const char *rest,
                                  bool *done, yoke_err *err)
{
    char plus[64], minus[64], text[300];

    *done = false;
    for (int i = 0; m->depth == 0 && i < m->wish->sources; i++) {
        if (strcasecmp(word, m->wish->source[i]) != 0) continue;
        if (word[0] != 'v' && word[0] != 'i')
            return yk_fail(err, YOKE_E_ARG,
                           "%.200s:%d: with ngspice an input is the value of "
                           "a voltage or current source, not of \"%s\"",
                           m->wish->path, m->number, word);
        first_word(rest, plus, &rest);
        first_word(rest, minus, &rest);
        snprintf(text, sizeof text, "%s %s %s external 0", word, plus, minus);
        m->found[i] = *done = true;
        return add_text(m, text, err);
    }
    return YOKE_OK;
}

static void find_element(maker *m, const char *word)
{
    for (int i = 0; m->depth == 0 && i < m->wish->sets; i++)
        if (strcasecmp(word, m->wish->set[i].name) == 0)
            m->replaced[i] = m->wish->set[i].is_element = true;
}

/* The end of a value behind `name =`: in braces, in quotes, or a word. */
static const char *value_end(const char *at)
{
    const char *end = NULL;

    if (*at == '{') end = strchr(at, '}');
    if (*at == '\'') end = strchr(at + 1, '\'');
    if (end) return end + 1;
    while (*at && !isspace((unsigned char)*at) && *at != ',') at++;
    return at;
}

/* Where the value of `name` begins in a .param line, or NULL. */
static const char *find_value(const char *line, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = line; *at; at++) {
        if (strncasecmp(at, name, length) != 0 ||
            (at > line && !isspace((unsigned char)at[-1]) && at[-1] != ','))
            continue;
        const char *value = at + length;
        while (isspace((unsigned char)*value)) value++;
        if (*value != '=') continue;
        do value++;
        while (isspace((unsigned char)*value));
        return value;
    }
    return NULL;
}

static yoke_status replace_params(maker *m, const char *line, size_t length,
                                  yoke_err *err)
{
    char *text = NULL, *next = NULL;
    yoke_status status = yk_print(&text, err, "%.*s", (int)length, line);

    for (int i = 0; status == YOKE_OK && m->depth == 0 && i < m->wish->sets;
         i++) {
        const char *value = find_value(text, m->wish->set[i].name);

        if (!value) continue;
        const char *end = value_end(value), *with = m->wish->set[i].value;
        status = yk_print(&next, err, "%.*s%s%s", (int)(value - text), text,
                          with, end);
        if (status != YOKE_OK) break;
        yk_free(text);
        text = next;
        m->replaced[i] = true;
    }
    if (status == YOKE_OK) status = add_text(m, text, err);
    yk_free(text);
    return status;
}

/* ---- the user's lines -------------------------------------------------- */

static yoke_status take_line(maker *m, const char *line, size_t length,
                             yoke_err *err)
{
    char word[64];
    const char *rest = NULL;
    bool done = false;

    if (m->number == 1) return add(m, line, length, err); /* the title */
    first_word(line, word, &rest);
    if (word[0] == '+' && m->dropped && !m->control) return YOKE_OK;
    m->dropped = false;
    if (strcmp(word, ".control") == 0) m->control = true;
    if (m->control) {
        m->control = strcmp(word, ".endc") != 0;
        return keep_command(m, line, err);
    }
    if (strcmp(word, ".tran") == 0 && m->depth == 0) keep_tran(m, rest);
    if (is_left_out(word)) {
        m->dropped = true;
        return YOKE_OK;
    }
    if (strcmp(word, ".subckt") == 0) m->depth++;
    if (strcmp(word, ".ends") == 0 && m->depth > 0) m->depth--;
    if (strcmp(word, ".param") == 0 || strcmp(word, ".params") == 0)
        return replace_params(m, line, length, err);
    YK_TRY(replace_source(m, word, rest, &done, err));
    m->dropped = done;
    if (!done && (word[0] == 'v' || word[0] == 'i'))
        YK_TRY(check_frequency(m, line, err));
    find_element(m, word);
    return done ? YOKE_OK : add(m, line, length, err);
}

static yoke_status take_lines(maker *m, char *text, yoke_err *err)
{
    for (char *line = text; *line;) {
        char *end = strchr(line, '\n'), *next = end ? end + 1 : NULL;

        m->number++;
        if (!end) end = next = line + strlen(line);
        if (end > line && end[-1] == '\r') end--;
        *end = '\0';
        YK_TRY(take_line(m, line, (size_t)(end - line), err));
        line = next;
    }
    return YOKE_OK;
}

static yoke_status check_found(const maker *m, yoke_err *err)
{
    const yk_ng_wish *w = m->wish;

    for (int i = 0; i < w->sources; i++)
        if (!m->found[i])
            return yk_fail(err, YOKE_E_ARG,
                           "there is no source \"%s\" outside of subcircuits "
                           "in %.300s",
                           w->source[i], w->path);
    for (int i = 0; i < w->sets; i++)
        if (!m->replaced[i])
            return yk_fail(err, YOKE_E_ARG,
                           "there is neither an element nor a .param \"%s\" "
                           "outside of subcircuits in %.300s",
                           w->set[i].name, w->path);
    return YOKE_OK;
}

/* ---- our lines --------------------------------------------------------- */

static yoke_status add_ours(maker *m, yoke_err *err)
{
    const yk_ng_wish *w = m->wish;
    /* It never ends by itself: what is near its end would not be reached. */
    const double stop = 2.0 * fmax(m->tstop, w->span > 0.0 ? w->span : 1.0);
    char text[400], step[60];

    for (int i = 0; i < w->lines; i++) YK_TRY(add_text(m, w->line[i], err));
    YK_TRY(add_text(m, YK_NG_FLAG_V " " YK_NG_FLAG " 0 external 0", err));
    snprintf(step, sizeof step, "%.17g", stop / 100.0);
    snprintf(text, sizeof text, ".tran %s %.17g 0 %.17g",
             m->tstep[0] ? m->tstep : step, stop, stop / 50.0);
    YK_TRY(add_text(m, text, err));
    snprintf(text, sizeof text, ".options minbreak=%.17g trtol=%.17g",
             YK_NGSPICE_BREAK * stop, YK_NGSPICE_STEP_ERROR);
    YK_TRY(add_text(m, text, err));
    return add_text(m, ".end", err);
}

yoke_status yk_ng_deck_make(yk_ng_deck *out, const char *text, yk_ng_wish *wish,
                            yoke_err *err)
{
    maker m = { .deck = out, .wish = wish };
    char *copy = NULL;
    yoke_status status;

    *out = (yk_ng_deck){ 0 };
    YK_GO(yk_copy_text(&copy, text, err));
    YK_GO(YK_NEW(&m.found, wish->sources + 1, err));
    YK_GO(YK_NEW(&m.replaced, wish->sets + 1, err));
    YK_GO(take_lines(&m, copy, err));
    if (out->lines == 0) YK_GO(add_text(&m, "* empty", err));
    YK_GO(check_found(&m, err));
    YK_GO(add_ours(&m, err));
done:
    YK_FREE(copy, m.found, m.replaced);
    if (status != YOKE_OK) yk_ng_deck_clear(out);
    return status;
}

void yk_ng_deck_clear(yk_ng_deck *deck)
{
    for (int i = 0; i < deck->lines; i++) yk_free(deck->line[i]);
    yk_texts_clear(&deck->before);
    yk_free(deck->line);
    *deck = (yk_ng_deck){ 0 };
}
