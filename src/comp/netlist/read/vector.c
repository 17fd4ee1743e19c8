/* comp/netlist/read/vector.c -- texts that name a vector, or compute one.
 *
 * `let x = ...` of .control is kept as text.  Where x stands later, its
 * expression is put in its place, in brackets:
 *
 *     let p = v(a)*i(v1)      print p, p/2   ->   (v(a)*i(v1)), (v(a)*i(v1))/2
 */
#include "comp/netlist/read/command.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 4000 }; /* letters of an expression */

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static yk_net_let *find_let(yk_net_script *s, const char *name, int length)
{
    for (int k = s->lets - 1; k >= 0; k--)
        if (strlen(s->let[k].name) == (size_t)length &&
            strncmp(s->let[k].name, name, (size_t)length) == 0)
            return &s->let[k];
    return NULL;
}

/* A name that stands alone: no node, no function, no vector of a plot. */
static yk_net_let *let_at(yk_net_script *s, const char *text, int at, int depth,
                          int *length)
{
    *length = 0;
    if (!isalpha((unsigned char)text[at]) ||
        (at > 0 && (in_name(text[at - 1]) || strchr("@#$", text[at - 1]))))
        return NULL;
    while (in_name(text[at + *length])) (*length)++;
    const char next = text[at + *length];
    if (depth > 0 || (next && strchr("([#", next))) return NULL;
    return find_let(s, text + at, *length);
}

yoke_status yk_net_let_expand(yk_net_reader *r, const char *text,
                              const char **out, yoke_err *err)
{
    char room[MOST + 1];
    size_t n = 0;
    int depth = 0; /* in the brackets of v( and i( */
    bool changed = false;

    *out = NULL;
    for (int i = 0; r->script.lets > 0 && text[i];) {
        int length;
        const yk_net_let *let = let_at(&r->script, text, i, depth, &length);
        const bool call = text[i] == '(' && i > 0 &&
                          strchr("vi", text[i - 1]) &&
                          (i < 2 || !in_name(text[i - 2]));
        if (text[i] == ')' && depth > 0)
            depth--;
        else if (call || (text[i] == '(' && depth > 0))
            depth++;
        const char *with = let ? let->text : text + i;
        const size_t size = let          ? strlen(with)
                            : length > 0 ? (size_t)length
                                         : 1;
        if (n + size + 2 > MOST) return YOKE_OK;
        n += (size_t)snprintf(room + n, MOST + 1 - n, let ? "(%.*s)" : "%.*s",
                              (int)size, with);
        changed |= let != NULL;
        i += length > 0 ? length : 1;
    }
    return changed ? yk_net_copy(&r->net->arena, out, room, (int)n, err)
                   : YOKE_OK;
}

yoke_status yk_net_let_line(yk_net_reader *r, const yk_net_line *line,
                            bool *taken, yoke_err *err)
{
    yk_net_script *s = &r->script;
    const char *name = line->text + 3, *equals = strchr(name, '=');
    const char *text, *expanded;
    char *plain = NULL;
    int n = 0;

    *taken = false;
    while (isspace((unsigned char)*name)) name++;
    const char *end = name;
    while (in_name(*end)) end++;
    const char *rest = end;
    while (isspace((unsigned char)*rest)) rest++;
    if (!equals || rest != equals || end == name ||
        !isalpha((unsigned char)*name) || strchr(equals, '$'))
        return YOKE_OK;
    YK_TRY(YK_TAKE(&r->net->arena, &plain, strlen(equals) + 1, err));
    for (text = equals + 1; *text; text++)
        if (!isspace((unsigned char)*text)) plain[n++] = *text;
    YK_TRY(yk_net_let_expand(r, plain, &expanded, err));
    yk_net_let let = { .text = expanded ? expanded : plain };
    if (!strchr(let.text, '(')) return YOKE_OK; /* a number */
    YK_TRY(
        yk_net_copy(&r->net->arena, &let.name, name, (int)(end - name), err));
    YK_TRY(yk_net_push(r, (void **)&s->let, s->lets, sizeof let, err));
    s->let[s->lets++] = let;
    *taken = true;
    return YOKE_OK;
}

/* ---- other ways to write a vector ---------------------------------------- */

/* "tran1.v(out)" is v(out) of the first transient. */
static const char *without_plot(const char *text)
{
    static const char *const kind[] = { "tran", "dc", "ac", "op" };

    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        const size_t n = strlen(kind[k]);
        if (strncmp(text, kind[k], n) != 0) continue;
        const size_t digits = strspn(text + n, "0123456789");
        if (digits > 0 && text[n + digits] == '.') return text + n + digits + 1;
    }
    return text;
}

/* Is it v(...) or i(...) to its end? */
static bool is_vector(const char *text, int length)
{
    const char *close = memchr(text, ')', (size_t)length);

    return length > 3 && strchr("vi", text[0]) && text[1] == '(' &&
           close == text + length - 1;
}

/* db(v(out)) is vdb(out). */
static yoke_status part_of_vector(yk_net_reader *r, const char **text,
                                  yoke_err *err)
{
    static const struct {
        const char *name, *part;
    } known[] = { { "mag(", "m" }, { "db(", "db" },  { "ph(", "p" },
                  { "re(", "r" },  { "real(", "r" }, { "im(", "i" },
                  { "imag(", "i" } };

    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const size_t n = strlen(known[k].name), all = strlen(*text);
        const char *inner = *text + n;
        if (strncmp(*text, known[k].name, n) != 0 || (*text)[all - 1] != ')' ||
            !is_vector(inner, (int)(all - n) - 1))
            continue;
        return yk_arena_print(&r->net->arena, text, err, "%c%s%.*s", inner[0],
                              known[k].part, (int)(all - n) - 2, inner + 1);
    }
    return YOKE_OK;
}

yoke_status yk_net_vector_name(yk_net_reader *r, const char **text,
                               yoke_err *err)
{
    static const char *const every[] = { "v(alias(*))", "v(*)", "i(alias(*))",
                                         "i(*)", "*" };

    *text = without_plot(*text);
    for (size_t k = 0; k < sizeof every / sizeof *every; k++)
        if (strcmp(*text, every[k]) == 0) {
            *text = "all";
            return YOKE_OK;
        }
    return part_of_vector(r, text, err);
}

bool yk_net_computes(const char *text)
{
    const size_t n = strlen(text);
    const char *open = strchr(text, '(');
    int depth = 0;

    if (!open) return false;
    const size_t name = (size_t)(open - text);
    const bool plain = name > 0 && name < 4 &&
                       strspn(text, "vimdbpr") == name && strchr("vi", text[0]);
    for (size_t k = name; k < n; k++) {
        depth += (text[k] == '(') - (text[k] == ')');
        if (depth == 0) return !plain || k + 1 < n;
    }
    return false;
}
