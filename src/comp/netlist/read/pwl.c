/* comp/netlist/read/pwl.c -- what stands around the points of `pwl`.
 *
 *     pwl(0 0 1m 5) r=0                       ngspice
 *     pwl repeat forever (0 0 1m 5) endrepeat   PSpice and LTspice
 *     pwl repeat for 3 (0 0 1m 5) endrepeat
 *     pwl file="points.txt"
 *
 * A file holds pairs of time and value; lines that begin with * ; # are
 * comments.
 */
#include "comp/netlist/read/read.h"

#include <ctype.h>
#include <string.h>

enum { MOST = 100000 };

static bool next_is(const yk_net_parse *p, const char *word)
{
    return yk_net_more(p) && yk_net_is(yk_net_here(p), word);
}

static yoke_status begin_repeat(yk_net_parse *p, yk_net_pwl_marks *marks,
                                yoke_err *err)
{
    double times = 0.0;

    p->next++;
    if (next_is(p, "forever")) {
        p->next++;
        marks->times = 0;
        return YOKE_OK;
    }
    if (next_is(p, "for")) p->next++;
    YK_TRY(yk_net_take_value(p, "repeat for", &times, err));
    if (!(times >= 1.0 && times <= MOST))
        return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                           "\"%s\": pwl repeat for %g: not in 1 .. %d",
                           p->e->name, times, MOST);
    marks->times = (int)times;
    return YOKE_OK;
}

/* Name of a file, in brackets or not. */
static yoke_status begin_file(yk_net_parse *p, yk_net_pwl_marks *marks,
                              yoke_err *err)
{
    p->next++;
    if (yk_net_more(p) && yk_net_here(p)->kind == YK_EQUALS) p->next++;
    if (!yk_net_more(p) || (yk_net_here(p)->kind != YK_NET_WORD &&
                            yk_net_here(p)->kind != YK_STRING &&
                            yk_net_here(p)->kind != YK_BRACED))
        return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                           "\"%s\": pwl file= without the name of a file",
                           p->e->name);
    marks->file = yk_net_here(p);
    p->next++;
    return YOKE_OK;
}

yoke_status yk_net_pwl_begin(yk_net_parse *p, yk_net_pwl_marks *marks,
                             yoke_err *err)
{
    const bool open = yk_net_more(p) && yk_net_followed_by(p, YK_NET_WORD) &&
                      yk_net_here(p)->kind == YK_OPEN &&
                      (yk_net_is(yk_net_here(p) + 1, "file") ||
                       yk_net_is(yk_net_here(p) + 1, "repeat"));

    if (open) p->next++;
    if (next_is(p, "repeat")) YK_TRY(begin_repeat(p, marks, err));
    if (next_is(p, "file")) YK_TRY(begin_file(p, marks, err));
    if (open && yk_net_more(p) && yk_net_here(p)->kind == YK_CLOSE) p->next++;
    return YOKE_OK;
}

/* ---- points -------------------------------------------------------------- */

static yoke_status push(yk_net_reader *r, double value, yoke_err *err)
{
    YK_TRY(YK_GROW(&r->number, &r->number_room, r->numbers + 1, err));
    r->number[r->numbers++] = value;
    return YOKE_OK;
}

static bool separates(char c)
{
    return isspace((unsigned char)c) || c == ',';
}

/* The numbers of one line. */
static yoke_status push_line(yk_net_parse *p, const char *path, int line,
                             const char *text, yoke_err *err)
{
    if (*text && strchr("*;#", *text)) return YOKE_OK;
    while (*text && *text != ';') {
        int used = 0, length = 0;
        while (text[length] && !separates(text[length])) length++;
        const double value = yk_net_number(text, length, &used);
        if (used == 0 || used != length)
            return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                               "\"%s\": %s:%d: \"%.*s\" is not a number; "
                               "pwl file= reads pairs of time and value",
                               p->e->name, path, line,
                               length > 60 ? 60 : length, text);
        YK_TRY(push(p->r, value, err));
        text += length;
        while (separates(*text)) text++;
    }
    return YOKE_OK;
}

static yoke_status push_file(yk_net_parse *p, const yk_net_word *name,
                             yoke_err *err)
{
    const char *path = NULL;
    char *text = NULL;

    YK_TRY(yk_net_copy(&p->r->scratch, &path, name->text, name->length, err));
    YK_TRY(yk_net_read_data(p->r, path, p->line->at, &text, err));
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) text += 3;
    for (int line = 1; *text; line++) {
        char *end = text + strcspn(text, "\n");
        const bool last = *end == '\0';
        *end = '\0';
        for (char *c = text; *c; c++) *c = (char)tolower((unsigned char)*c);
        while (separates(*text)) text++;
        YK_TRY(push_line(p, path, line, text, err));
        text = last ? end : end + 1;
    }
    return YOKE_OK;
}

/* The points again, each time as much later as the last of them is. */
static yoke_status push_again(yk_net_parse *p, int times, yoke_err *err)
{
    yk_net_reader *r = p->r;
    const int count = r->numbers;

    if (count < 2 || count % 2) return YOKE_OK; /* yk_net_pwl_check tells */
    const double period = r->number[count - 2];
    if ((double)count * times > YK_NET_MOST)
        return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                           "\"%s\": pwl repeat for %d makes more than %d "
                           "points",
                           p->e->name, times, YK_NET_MOST);
    for (int k = 1; k < times; k++)
        for (int i = 0; i < count; i++)
            YK_TRY(push(r, r->number[i] + (i % 2 ? 0.0 : k * period), err));
    return YOKE_OK;
}

yoke_status yk_net_pwl_end(yk_net_parse *p, const yk_net_pwl_marks *marks,
                           yoke_err *err)
{
    if (marks->file) YK_TRY(push_file(p, marks->file, err));
    if (next_is(p, "endrepeat")) p->next++;
    if (next_is(p, "repeat") || next_is(p, "file"))
        return yk_net_fail(err, YOKE_E_MISSING, yk_net_here_at(p),
                           "\"%s\": pwl with points before \"%s\" is not "
                           "supported; write all points in one list",
                           p->e->name,
                           next_is(p, "repeat") ? "repeat" : "file");
    if (marks->times > 1) return push_again(p, marks->times, err);
    if (marks->times == 1) return YOKE_OK;
    if (p->r->numbers > 0 && p->r->number[0] != 0.0)
        return yk_net_fail(err, YOKE_E_MISSING, p->line->at,
                           "\"%s\": pwl repeat forever needs a first point at "
                           "0, not at %g",
                           p->e->name, p->r->number[0]);
    p->e->source->has_repeat = true;
    p->e->source->repeat = 0.0;
    return YOKE_OK;
}

yoke_status yk_net_pwl_check(const yk_net_parse *p, yoke_err *err)
{
    const yk_net_source *s = p->e->source;

    if (s->args % 2)
        return yk_net_fail(err, YOKE_E_ARG, p->line->at,
                           "\"%s\": pwl has %d numbers, not pairs of time and "
                           "value",
                           p->e->name, s->args);
    for (int i = 2; i < s->args; i += 2)
        if (s->arg[i] < s->arg[i - 2]) /* equal: a jump */
            return yk_net_fail(
                err, YOKE_E_ARG, p->line->at,
                "\"%s\": pwl time %g is before the previous one, %g",
                p->e->name, s->arg[i], s->arg[i - 2]);
    return YOKE_OK;
}
