/* comp/netlist/read/problem.c -- all that is wrong in a netlist, not only the
 * first.
 *
 * A line that cannot be read is noted and reading goes on, so that one run
 * shows what would have to change.  What can only be judged when all lines were
 * read (names of other elements, nodes that nothing touches) is left out then:
 * it may follow from the lines that were not.
 */
#include "base/text.h"
#include "comp/netlist/read/read.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 1000, KINDS = 40, SUMMARY = 700 };

typedef struct problem {
    yk_net_place at;
    const char *text;
    char kind[24];
} problem;

/* "elements m", ".lib", "alter of .control" */
static void kind_of(const yk_net_line *line, bool control, char *kind,
                    size_t size)
{
    const char *text = line->text;
    int n = 0;

    while (text[n] && !isspace((unsigned char)text[n]) && n < 12) n++;
    if (control)
        snprintf(kind, size, "%.*s", n, text);
    else if (text[0] == '.')
        snprintf(kind, size, "%.*s", n, text);
    else
        snprintf(kind, size, "%c...", toupper((unsigned char)text[0]));
}

/* ---- places -------------------------------------------------------------- */

static bool is_line_of(const yk_net_line *line, yk_net_place at,
                       const char *text)
{
    return line->column > 0 && line->at.line == at.line &&
           line->at.file == at.file && text >= line->text &&
           text <= line->text + strlen(line->text);
}

static const yk_net_line *line_of(const yk_net_reader *r, yk_net_place at,
                                  const char *text)
{
    for (int k = 0; k < r->lines; k++)
        if (is_line_of(&r->line[k], at, text)) return &r->line[k];
    return NULL;
}

yk_net_place yk_net_at(const yk_net_reader *r, yk_net_place at,
                       const char *text)
{
    const yk_net_line *line = text ? line_of(r, at, text) : NULL;

    if (!line) return at;
    at.column = line->column;
    for (const char *p = line->text; p < text; p++) {
        const bool begins = (*p & 0xc0) != 0x80; /* a letter of UTF-8 */
        if (*p == YK_NET_JOINT) {
            at.line++;
            at.column = 1;
        } else {
            at.column += begins;
        }
    }
    return at;
}

/* ---- what is wrong ------------------------------------------------------- */

yoke_status yk_net_problem(yk_net_reader *r, const yk_net_line *line,
                           bool control, yoke_status status,
                           const yoke_err *why, yoke_err *err)
{
    problem *p = NULL;

    if (status == YOKE_OK) return YOKE_OK;
    if (status != YOKE_E_ARG && status != YOKE_E_FILE &&
        status != YOKE_E_MISSING)
        return yk_fail(err, status, "%s", why->text);
    for (int k = 0; k < r->problems.count; k++) {
        const problem *q = r->problems.item[k];
        if (q->at.line == line->at.line && q->at.file == line->at.file)
            return YOKE_OK; /* another instance of the same line */
    }
    if (r->problems.count == 0 || status == YOKE_E_MISSING)
        r->first_problem = status;
    r->lost_file |= status == YOKE_E_FILE;
    if (r->problems.count >= MOST) return yk_fail(err, status, "%s", why->text);
    YK_TRY(YK_TAKE(&r->problem_room, &p, 1, err));
    YK_TRY(yk_net_copy(&r->problem_room, &p->text, why->text,
                       (int)strlen(why->text), err));
    p->at = line->at;
    kind_of(line, control, p->kind, sizeof p->kind);
    return yk_list_push(&r->problem_room, &r->problems, p, err);
}

/* "3 M..., 1 .lib" */
static void summary(const yk_net_reader *r, char *out, size_t size)
{
    const char *kind[KINDS];
    int count[KINDS], kinds = 0, others = 0;

    for (int k = 0; k < r->problems.count; k++) {
        const problem *p = r->problems.item[k];
        int i = 0;
        while (i < kinds && strcmp(kind[i], p->kind) != 0) i++;
        if (i == KINDS) {
            others++;
            continue;
        }
        if (i == kinds) {
            kind[kinds] = p->kind;
            count[kinds++] = 0;
        }
        count[i]++;
    }
    out[0] = '\0';
    for (int i = 0; i < kinds; i++)
        yk_append(out, size, "%s%d %s", i ? ", " : "", count[i], kind[i]);
    if (others) yk_append(out, size, ", %d others", others);
}

yoke_status yk_net_problems(yk_net_reader *r, yoke_err *err)
{
    const int count = r->problems.count;
    char kinds[SUMMARY - 200];
    size_t used = 0;
    int shown = 0;

    if (count == 0) return YOKE_OK;
    const problem *first = r->problems.item[0];
    yk_fail(err, r->first_problem, "%s", first->text);
    if (!err || count == 1) return r->first_problem;
    for (shown = 1; shown < count; shown++) {
        const problem *p = r->problems.item[shown];
        used = strlen(err->text);
        if (used + strlen(p->text) + 2 + SUMMARY > sizeof err->text) break;
        yk_suffix(err, "\n%s", p->text);
    }
    summary(r, kinds, sizeof kinds);
    if (shown < count) yk_suffix(err, "\n(and %d more)", count - shown);
    yk_suffix(err, "\n%d lines would have to change, by kind: %s", count,
              kinds);
    return r->first_problem;
}
