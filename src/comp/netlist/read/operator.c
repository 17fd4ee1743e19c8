/* comp/netlist/read/operator.c -- integrals and derivatives in sources.
 *
 *     B1 out 0 V = k*idt(v(a)) + ddt(v(b))
 *
 * idt(x, x0), or sdt, is the voltage of a capacitor of 1 F into which a source
 * drives x; it begins at x0, or 0, also in the operating point.  ddt(x) is the
 * current of one whose voltage a source holds at x.  Both become lines of their
 * own behind that of the element, innermost first:
 *
 *     b#b1#1 0 b1#1 i = v(a)     c#b1#1 b1#1 0 1     .ic v(b1#1) = 0
 *     b#b1#2 b1#2 0 v = v(b)     c#b1#2 b1#2 0 1
 *     b1 out 0 v = k*v(b1#1) + (-i(b#b1#2))
 */
#include "comp/netlist/read/read.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* One call in a line. */
typedef struct call {
    bool derivative;
    const char *begin, *end; /* of all of it */
    const char *arg,
        *comma;       /* of the first argument; NULL: there is no other */
    const char *last; /* the closing bracket */
} call;

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("_#.$", c));
}

static bool close_call(call *c)
{
    int depth = 1;

    c->comma = NULL;
    for (const char *p = c->arg; *p; p++) {
        depth += (*p == '(') - (*p == ')');
        if (depth == 1 && *p == ',' && !c->comma) c->comma = p;
        if (depth > 0) continue;
        c->last = p;
        c->end = p + 1;
        return true;
    }
    return false;
}

/* The last call, which has no other inside. */
static bool find_call(const char *text, call *out)
{
    static const char *const names[] = { "ddt", "idt", "sdt" };
    bool any = false;

    for (const char *p = text; *p; p++)
        for (int k = 0; k < 3; k++) {
            if (strncmp(p, names[k], 3) != 0 || (p > text && in_name(p[-1])))
                continue;
            const char *open = p + 3 + strspn(p + 3, " \t\v");
            if (*open != '(') continue;
            call c = { .derivative = k == 0, .begin = p, .arg = open + 1 };
            if (!close_call(&c)) continue;
            *out = c;
            any = true;
        }
    return any;
}

static yoke_status add_text(yk_net_reader *r, yk_net_lines *to,
                            const char *text, yk_net_place at, yoke_err *err)
{
    const char *copy = NULL;

    YK_TRY(yk_net_copy(&r->keep, &copy, text, (int)strlen(text), err));
    return yk_net_lines_add(to, (yk_net_line){ (char *)(size_t)copy, at, 0 },
                            err);
}

/* The lines of one call, and what takes its place. */
static yoke_status add_call(yk_net_reader *r, yk_net_lines *to, const call *c,
                            const char *name, int number, yk_net_place at,
                            char *room, size_t size, char *instead,
                            size_t instead_size, yoke_err *err)
{
    const char *stop = !c->derivative && c->comma ? c->comma : c->last;
    const int length = (int)(stop - c->arg);

    snprintf(room, size, "b#%s#%d %s%s#%d%s %c = %.*s", name, number,
             c->derivative ? "" : "0 ", name, number, c->derivative ? " 0" : "",
             c->derivative ? 'v' : 'i', length, c->arg);
    YK_TRY(add_text(r, to, room, at, err));
    snprintf(room, size, "c#%s#%d %s#%d 0 1", name, number, name, number);
    YK_TRY(add_text(r, to, room, at, err));
    if (c->derivative) {
        snprintf(instead, instead_size, "(-i(b#%s#%d))", name, number);
        return YOKE_OK;
    }
    snprintf(instead, instead_size, "v(%s#%d)", name, number);
    snprintf(room, size, ".ic v(%s#%d) = {%.*s}", name, number,
             c->comma ? (int)(c->last - c->comma) - 1 : 1,
             c->comma ? c->comma + 1 : "0");
    return add_text(r, to, room, at, err);
}

static yoke_status expand(yk_net_reader *r, yk_net_lines *to,
                          const yk_net_line *line, yoke_err *err)
{
    enum { NAME = 200, INSTEAD = 2 * NAME };
    yoke_status status = YOKE_OK;
    const size_t size = strlen(line->text) + 4 * NAME;
    const int place = to->lines;
    char name[NAME], instead[INSTEAD];
    char *room = NULL, *text = NULL;
    call c;

    snprintf(name, sizeof name, "%.*s", (int)strcspn(line->text, " \t\v"),
             line->text);
    YK_TRY(yk_net_lines_add(to, *line, err)); /* its place */
    for (int k = 1; find_call(to->line[place].text, &c); k++) {
        const char *old = to->line[place].text;
        const size_t whole = strlen(old) + INSTEAD;
        YK_GO(YK_NEW(&room, size + whole, err));
        YK_GO(add_call(r, to, &c, name, k, line->at, room, size + whole,
                       instead, sizeof instead, err));
        yk_free(room);
        room = NULL;
        YK_GO(YK_TAKE(&r->keep, &text, whole, err));
        snprintf(text, whole, "%.*s%s%s", (int)(c.begin - old), old, instead,
                 c.end);
        to->line[place] = (yk_net_line){ text, line->at, 0 };
    }
done:
    yk_free(room);
    return status;
}

static bool has_call(const yk_net_line *line)
{
    call c;

    return strchr("beg", line->text[0]) && find_call(line->text, &c);
}

yoke_status yk_net_operators(yk_net_reader *r, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_net_lines to = { NULL, 0, 0 };
    bool any = false, control = false;

    for (int i = 0; i < r->lines && !any; i++) any = has_call(&r->line[i]);
    if (!any) return YOKE_OK;
    for (int i = 0; i < r->lines; i++) {
        const yk_net_line *line = &r->line[i];
        if (strncmp(line->text, ".control", 8) == 0) control = true;
        if (strncmp(line->text, ".endc", 5) == 0) control = false;
        YK_GO(!control && has_call(line) ? expand(r, &to, line, err)
                                         : yk_net_lines_add(&to, *line, err));
    }
    yk_net_lines_take(r, &to);
    return YOKE_OK;
done:
    yk_free(to.line);
    return status;
}
