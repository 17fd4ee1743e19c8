/* comp/netlist/read/parasitic.c -- elements inside of an element, as LTspice
 * writes them:
 *
 *     L1 in sw 10u Rser=50m Cpar=2p      C1 out 0 22u Rser=5m Lser=1n
 *
 * become lines of their own, behind that of the element: in series between a new
 * node and the second of the element, or beside it.  Its current is the one that
 * it has in LTspice.
 */
#include "comp/netlist/read/read.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef struct inside {
    const char *name;
    char kind;   /* of the element that it becomes */
    bool series; /* or beside */
    const char *of;
} inside;

static const inside known[] = {
    { "rser", 'r', true, "lcv" },
    { "lser", 'l', true, "c" },
    { "rpar", 'r', false, "lc" },
    { "cpar", 'c', false, "lcv" },
};

enum { KNOWN = sizeof known / sizeof *known };

/* " rser = 0.1" in a line: where it begins, where its value does and ends. */
typedef struct found {
    char *begin, *value, *end;
} found;

static char *end_of_value(char *at)
{
    if (*at == '{') {
        char *close = strchr(at, '}');
        return close ? close + 1 : at + strlen(at);
    }
    while (*at && !isspace((unsigned char)*at)) at++;
    return at;
}

static bool find(char *text, const inside *k, found *out)
{
    const size_t length = strlen(k->name);

    if (!strchr(k->of, text[0])) return false;
    for (char *p = strstr(text, k->name); p; p = strstr(p + 1, k->name)) {
        char *at = p + length;
        if (p == text || !isspace((unsigned char)p[-1])) continue;
        while (isspace((unsigned char)*at)) at++;
        if (*at != '=') continue;
        at++;
        while (isspace((unsigned char)*at)) at++;
        *out = (found){ p, at, end_of_value(at) };
        return *at != '\0';
    }
    return false;
}

/* A word and what follows it. */
static bool word(const char **at, char *out, size_t room)
{
    while (isspace((unsigned char)**at)) ++*at;
    const size_t n = strcspn(*at, " \t\v");
    if (n == 0 || n >= room) return false;
    memcpy(out, *at, n);
    out[n] = '\0';
    *at += n;
    return true;
}

/* name first second value */
static yoke_status add_element(yk_net_reader *r, yk_net_lines *to,
                               const yk_net_line *line, const inside *k,
                               const char *first, const char *second,
                               const found *f, yoke_err *err)
{
    const int value = (int)(f->end - f->value);
    const size_t name = strcspn(line->text, " \t\v");
    const size_t room =
        name + strlen(first) + strlen(second) + (size_t)value + 32;
    char *text = NULL;

    YK_TRY(YK_TAKE(&r->keep, &text, room, err));
    snprintf(text, room, "%c#%.*s#%s %s %s %.*s", k->kind, (int)name,
             line->text, k->name, first, second, value, f->value);
    return yk_net_lines_add(to, (yk_net_line){ text, line->at, 0 }, err);
}

/* The line without what stands inside, and with another second node. */
static yoke_status add_rest(yk_net_reader *r, yk_net_lines *to,
                            const yk_net_line *line, const char *name,
                            const char *first, const char *second,
                            const char *rest, yoke_err *err)
{
    const size_t room =
        strlen(name) + strlen(first) + strlen(second) + strlen(rest) + 4;
    char *text = NULL;

    YK_TRY(YK_TAKE(&r->keep, &text, room, err));
    snprintf(text, room, "%s %s %s%s", name, first, second, rest);
    return yk_net_lines_add(to, (yk_net_line){ text, line->at, 0 }, err);
}

static yoke_status expand(yk_net_reader *r, yk_net_lines *to, yk_net_line *line,
                          yoke_err *err)
{
    enum { WORD = 200 };
    char name[WORD], first[WORD], second[WORD], here[WORD], next[WORD];
    const char *rest = line->text;
    found f[KNOWN] = { { NULL, NULL, NULL } };

    if (!word(&rest, name, WORD) || !word(&rest, first, WORD) ||
        !word(&rest, second, WORD) || strlen(name) > WORD - 20)
        return yk_net_lines_add(to, *line, err);
    int last = -1, place = to->lines;
    for (int k = 0; k < KNOWN; k++)
        if (find(line->text, &known[k], &f[k]) && known[k].series) last = k;
    YK_TRY(yk_net_lines_add(to, (yk_net_line){ line->text, line->at, 0 },
                            err)); /* its place */
    snprintf(here, WORD, "%s", second);
    for (int k = 0; k < KNOWN; k++) {
        if (!f[k].begin) continue;
        if (!known[k].series) {
            YK_TRY(
                add_element(r, to, line, &known[k], first, second, &f[k], err));
            continue;
        }
        /* From the second node inwards. */
        snprintf(next, WORD, "%s#%d", name, k);
        YK_TRY(add_element(r, to, line, &known[k], next, here, &f[k], err));
        snprintf(here, WORD, "%s", next);
    }
    for (int k = 0; k < KNOWN; k++)
        if (f[k].begin)
            memset(f[k].begin, ' ', (size_t)(f[k].end - f[k].begin));
    const int kept = to->lines;
    YK_TRY(add_rest(r, to, line, name, first, last < 0 ? second : here, rest,
                    err));
    to->line[place] = to->line[kept];
    to->lines = kept;
    return YOKE_OK;
}

/* ---- several coils ------------------------------------------------------- */

/* How many coils a line K1 L1 L2 L3 0.99 names; 0: it is another. */
static int count_coils(const char *text)
{
    char name[200];
    int coils = 0;

    if (tolower((unsigned char)text[0]) != 'k' ||
        !word(&text, name, sizeof name))
        return 0;
    while (word(&text, name, sizeof name) &&
           tolower((unsigned char)name[0]) == 'l')
        coils++;
    return coils;
}

/* Each pair on a line of its own, k1#1#2. */
static yoke_status expand_coupling(yk_net_reader *r, yk_net_lines *to,
                                   const yk_net_line *line, yoke_err *err)
{
    enum { COILS = 20, WORD = 200 };
    char name[WORD], coil[COILS][WORD], pair[WORD + 20];
    const int coils = count_coils(line->text);
    const char *rest = line->text;

    if (coils > COILS)
        return yk_net_fail(err, YOKE_E_ARG, line->at,
                           "more than %d coils in one coupling", COILS);
    (void)word(&rest, name, WORD);
    for (int k = 0; k < coils; k++) (void)word(&rest, coil[k], WORD);
    for (int i = 0; i < coils; i++)
        for (int j = i + 1; j < coils; j++) {
            snprintf(pair, sizeof pair, "%s#%d#%d", name, i + 1, j + 1);
            YK_TRY(add_rest(r, to, line, pair, coil[i], coil[j], rest, err));
        }
    return YOKE_OK;
}

static bool has_inside(char *text)
{
    found f;

    for (int k = 0; k < KNOWN; k++)
        if (find(text, &known[k], &f)) return true;
    return false;
}

yoke_status yk_net_parasitics(yk_net_reader *r, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_net_lines to = { NULL, 0, 0 };
    bool any = false;

    for (int i = 0; i < r->lines && !any; i++)
        any = has_inside(r->line[i].text) || count_coils(r->line[i].text) > 2;
    if (!any) return YOKE_OK;
    for (int i = 0; i < r->lines; i++) {
        yk_net_line *line = &r->line[i];
        if (count_coils(line->text) > 2)
            YK_GO(expand_coupling(r, &to, line, err));
        else
            YK_GO(has_inside(line->text) ? expand(r, &to, line, err)
                                         : yk_net_lines_add(&to, *line, err));
    }
    yk_net_lines_take(r, &to);
    return YOKE_OK;
done:
    yk_free(to.line);
    return status;
}
