/* comp/equation/front/parse.c -- expressions, by recursive descent.
 *
 * Reference: Modelica language specification 3.6, appendix A.2.7.
 */
#include "base/text.h"
#include "comp/equation/front/parse.h"

#include <stdio.h>
#include <string.h>

enum { MOST_KEPT = 8 }; /* subscripts of a reference whose place is kept */

yoke_status yk_parse_next(yk_parser *p)
{
    p->last = p->now;
    p->now = p->next;
    return yk_lex_next(&p->lexer, &p->next);
}

static bool token_is(const yk_token *t, const char *text)
{
    return (t->kind == YK_TOKEN_SIGN || t->kind == YK_TOKEN_WORD) &&
           t->text[0] == text[0] && strcmp(t->text, text) == 0;
}

bool yk_parse_is(const yk_parser *p, const char *text)
{
    return token_is(&p->now, text);
}

yoke_status yk_parse_accept(yk_parser *p, const char *text, bool *found)
{
    *found = yk_parse_is(p, text);
    return *found ? yk_parse_next(p) : YOKE_OK;
}

/* What was left out between the last token and this one. */
static const char *omitted(const yk_parser *p, const char *wanted)
{
    const bool behind =
        p->last.kind == YK_TOKEN_NUMBER &&
        (p->now.kind == YK_TOKEN_NAME || token_is(&p->now, "("));

    if (behind && p->now.at.line == p->last.at.line)
        return strstr(wanted, "declaration")
                   ? "; a unit stands in brackets, (unit = \"W\")"
                   : "; a product needs its sign, 2*x";
    if (p->now.kind == YK_TOKEN_NUMBER && token_is(&p->last, ","))
        return "; a number has a point, 1.5, and no comma";
    if (p->last.kind == YK_TOKEN_NUMBER && token_is(&p->now, ",") &&
        strstr(wanted, "after the equation"))
        return "; a number has a point, 1.5, and no comma";
    if (token_is(&p->now, ";") && token_is(&p->last, ";"))
        return "; one ';' is enough";
    if (token_is(&p->now, "=") && strstr(wanted, "after the condition"))
        return "; a condition compares by <, >, <=, >= or ==";
    return "";
}

yoke_status yk_parse_unexpected(const yk_parser *p, const char *wanted)
{
    const yk_token *t = &p->now;

    if (t->kind == YK_TOKEN_END)
        return yk_fail_at(p->err, YOKE_E_FILE, p->lexer.path, t->at,
                          "%s is expected, but the text ends here%s", wanted,
                          strcmp(wanted, "end") == 0
                              ? "; a model ends with \"end NAME;\""
                              : "");
    if (wanted[0] == '\'' && wanted[1] == ';' && p->last.at.line < t->at.line)
        return yk_fail_at(p->err, YOKE_E_FILE, p->lexer.path, t->at,
                          "%s is expected, found '%.60s'; line %d ends without "
                          "it",
                          wanted, t->text, p->last.at.line);
    const char *word =
        t->kind == YK_TOKEN_NAME ? yk_lex_small_word(t->text) : NULL;
    if (word)
        return yk_fail_at(p->err, YOKE_E_FILE, p->lexer.path, t->at,
                          "%s is expected, found '%s'; words of the language "
                          "are small: %s",
                          wanted, t->text, word);
    return yk_fail_at(p->err, YOKE_E_FILE, p->lexer.path, t->at,
                      "%s is expected, found %s%.60s%s%s", wanted,
                      t->kind == YK_TOKEN_STRING ? "\"" : "'", t->text,
                      t->kind == YK_TOKEN_STRING ? "\"" : "'",
                      omitted(p, wanted));
}

/* Nothing but a section begins or ends with these. */
static bool begins_section(const yk_parser *p)
{
    return yk_parse_is(p, "end") || yk_parse_is(p, "equation") ||
           yk_parse_is(p, "algorithm") || yk_parse_is(p, "initial") ||
           yk_parse_is(p, "public") || yk_parse_is(p, "protected");
}

static bool at_end(const yk_parser *p)
{
    return p->now.kind == YK_TOKEN_END && p->lexer.at >= p->lexer.length;
}

yoke_status yk_parse_resume(yk_parser *p, int depth, yoke_status status)
{
    bool passed = false;

    if (p->lost || status != YOKE_E_FILE ||
        !yk_err_gather(&p->failed, status, p->err, p->problems))
        return status;
    p->depth = depth;
    while (!passed && !at_end(p) && !begins_section(p)) {
        passed = yk_parse_is(p, ";");
        for (yoke_status next = yk_parse_next(p); next != YOKE_OK;
             next = yk_lex_next(&p->lexer, &p->next))
            if (!yk_err_gather(&p->failed, next, p->err, p->problems))
                return next;
    }
    return YOKE_OK;
}

yoke_status yk_parse_expect(yk_parser *p, const char *text, const char *after)
{
    char wanted[80];

    if (yk_parse_is(p, text)) return yk_parse_next(p);
    snprintf(wanted, sizeof wanted, "'%s' after %s", text, after);
    return yk_parse_unexpected(p, wanted);
}

yoke_status yk_parse_name(yk_parser *p, const char **name, const char *what)
{
    if (p->now.kind != YK_TOKEN_NAME) return yk_parse_unexpected(p, what);
    *name = p->now.text;
    return yk_parse_next(p);
}

static yoke_status join(yk_parser *p, const char **head, const char *tail)
{
    return yk_arena_print(p->arena, head, p->err, "%s.%s", *head, tail);
}

/* The next part of a dotted name; all parts together are limited, because
 * each join copies. */
static yoke_status join_next(yk_parser *p, const char **name)
{
    const char *part = NULL;

    YK_TRY(yk_parse_next(p));
    const yk_place at = p->now.at;
    YK_TRY(yk_parse_name(p, &part, "a name after the dot"));
    if (strlen(*name) + strlen(part) > 8000)
        return yk_fail_at(p->err, YOKE_E_FILE, p->lexer.path, at,
                          "this name is too long");
    return join(p, name, part);
}

yoke_status yk_parse_dotted(yk_parser *p, const char **name, const char *what)
{
    YK_TRY(yk_parse_name(p, name, what));
    while (yk_parse_is(p, ".")) YK_TRY(join_next(p, name));
    return YOKE_OK;
}

yoke_status yk_parse_refuse(const yk_parser *p, yk_place at, const char *what,
                            const char *instead)
{
    return yk_fail_at(p->err, YOKE_E_FILE, p->lexer.path, at,
                      "%s is not supported%s%s", what, instead ? "; " : "",
                      instead ? instead : "");
}

yoke_status yk_parse_enter(yk_parser *p)
{
    if (++p->depth > YK_PARSE_DEPTH)
        return yk_fail_at(p->err, YOKE_E_FILE, p->lexer.path, p->now.at,
                          "nested more than %d deep; introduce variables for "
                          "the inner parts",
                          YK_PARSE_DEPTH);
    return YOKE_OK;
}

static yoke_status new_expr(yk_parser *p, yk_ast_kind kind, yk_place at,
                            yk_expr **out)
{
    yk_expr *e = NULL;

    YK_TRY(YK_TAKE(p->arena, &e, 1, p->err));
    e->kind = kind;
    e->at = at;
    e->stamp = -1;
    *out = e;
    return YOKE_OK;
}

static void set_children(yk_expr *e, const yk_list *list)
{
    e->count = list->count;
    e->child = (yk_expr **)list->item;
}

/* A node of `kind` with one or two children. */
static yoke_status new_with(yk_parser *p, yk_ast_kind kind, yk_place at,
                            yk_expr *a, yk_expr *b, yk_expr **out)
{
    yk_list list = { 0 };

    YK_TRY(YK_PUSH(p, &list, a));
    if (b) YK_TRY(YK_PUSH(p, &list, b));
    YK_TRY(new_expr(p, kind, at, out));
    set_children(*out, &list);
    return YOKE_OK;
}

yoke_status yk_parse_subscripts(yk_parser *p, yk_list *list)
{
    if (!yk_parse_is(p, "[")) return YOKE_OK;
    do {
        yk_expr *e = NULL;
        YK_TRY(yk_parse_next(p));
        if (yk_parse_is(p, ":") &&
            (token_is(&p->next, ",") || token_is(&p->next, "]"))) {
            YK_TRY(new_expr(p, YK_EXPR_COLON, p->now.at, &e));
            YK_TRY(yk_parse_next(p));
        } else {
            YK_TRY(yk_parse_expr(p, &e));
        }
        YK_TRY(YK_PUSH(p, list, e));
    } while (yk_parse_is(p, ","));
    return yk_parse_expect(p, "]", "subscripts");
}

static yoke_status parse_iterator(yk_parser *p, yk_iterator *it)
{
    it->at = p->now.at;
    YK_TRY(yk_parse_name(p, &it->name, "the name of an iterator"));
    if (!yk_parse_is(p, "in"))
        return yk_parse_refuse(p, it->at, "an iterator without a range",
                               "write `in 1:n`");
    YK_TRY(yk_parse_next(p));
    return yk_parse_expr(p, &it->range);
}

yoke_status yk_parse_iterators(yk_parser *p, int *count, yk_iterator **out)
{
    yk_list list = { 0 };
    yk_iterator *all = NULL;
    bool more = true;

    while (more) {
        yk_iterator *it = NULL;
        YK_TRY(YK_TAKE(p->arena, &it, 1, p->err));
        YK_TRY(parse_iterator(p, it));
        YK_TRY(YK_PUSH(p, &list, it));
        YK_TRY(yk_parse_accept(p, ",", &more));
    }
    YK_TRY(YK_TAKE(p->arena, &all, list.count, p->err));
    for (int i = 0; i < list.count; i++) all[i] = *(yk_iterator *)list.item[i];
    *count = list.count;
    *out = all;
    return YOKE_OK;
}

static yoke_status named_argument(yk_parser *p, yk_expr *call, yk_list *labels,
                                  yk_list *list)
{
    const char *label = NULL;
    yk_expr *e = NULL;

    if (yk_parse_is(p, "function"))
        return yk_parse_refuse(p, p->now.at, "a function as an argument", NULL);
    if (p->now.kind == YK_TOKEN_NAME && token_is(&p->next, "=")) {
        label = p->now.text;
        YK_TRY(yk_parse_next(p));
        YK_TRY(yk_parse_next(p));
    }
    YK_TRY(yk_parse_expr(p, &e));
    YK_TRY(YK_PUSH(p, labels, (void *)label));
    YK_TRY(YK_PUSH(p, list, e));
    if (label) call->label = (const char **)labels->item;
    return YOKE_OK;
}

/* After the opening parenthesis. */
static yoke_status parse_arguments(yk_parser *p, yk_expr *call)
{
    yk_list list = { 0 }, labels = { 0 };
    bool more = !yk_parse_is(p, ")");

    while (more) {
        YK_TRY(named_argument(p, call, &labels, &list));
        if (list.count == 1 && yk_parse_is(p, "for")) {
            YK_TRY(yk_parse_next(p));
            YK_TRY(yk_parse_iterators(p, &call->iterators, &call->iterator));
        }
        YK_TRY(yk_parse_accept(p, ",", &more));
    }
    if (call->label) call->label = (const char **)labels.item;
    set_children(call, &list);
    return yk_parse_expect(p, ")", "the arguments");
}

/* What follows an expression in parentheses or a call: [subscripts], .member */
static yoke_status parse_suffixes(yk_parser *p, yk_place at, yk_expr **out)
{
    while (yk_parse_is(p, "[") || yk_parse_is(p, ".")) {
        yk_expr *of = *out;
        yk_list list = { 0 };
        const bool part = yk_parse_is(p, "[");
        YK_TRY(new_expr(p, part ? YK_EXPR_PART : YK_EXPR_MEMBER, at, out));
        (*out)->of = of;
        (*out)->name = "(...)";
        if (part) {
            YK_TRY(yk_parse_subscripts(p, &list));
            set_children(*out, &list);
        } else {
            YK_TRY(yk_parse_next(p));
            YK_TRY(yk_parse_name(p, &(*out)->name, "a name after the dot"));
        }
    }
    return YOKE_OK;
}

static yoke_status parse_call(yk_parser *p, const char *name, yk_place at,
                              yk_expr **out)
{
    YK_TRY(new_expr(p, YK_EXPR_CALL, at, out));
    (*out)->name = name;
    YK_TRY(yk_parse_next(p));
    YK_TRY(parse_arguments(p, *out));
    /* array(a, b) is {a, b} */
    if (strcmp(name, "array") == 0 && (*out)->count && !(*out)->label)
        (*out)->kind =
            (*out)->iterators ? YK_EXPR_COMPREHENSION : YK_EXPR_ARRAY;
    return parse_suffixes(p, at, out);
}

/* The name with its subscripts as text, if all of them are numbers: "a[1].x".
 * Tools that write out arrays declare such names. */
static yoke_status add_scalar(yk_parser *p, const yk_list *list, int from,
                              const char *part, const char **scalar)
{
    char text[80] = "";

    if (!*scalar) return YOKE_OK;
    for (int i = from; i < list->count; i++) {
        const yk_expr *e = list->item[i];
        if (e->kind != YK_EXPR_NUMBER || !e->whole ||
            strlen(text) + 24 > sizeof text) {
            *scalar = NULL;
            return YOKE_OK;
        }
        yk_append(text, sizeof text, "%s%.0f", i == from ? "[" : ",",
                  e->number);
    }
    if (text[0]) yk_append(text, sizeof text, "]");
    return yk_arena_print(p->arena, scalar, p->err, "%s%s%s%s", *scalar,
                          **scalar ? "." : "", part, text);
}

/* a.b[i].c[j]: the names are joined and so are the subscripts, because an
 * array of ports has its dimensions before those of its members. */
static yoke_status parse_reference(yk_parser *p, yk_expr **out)
{
    const yk_place at = p->now.at;
    yk_list list = { 0 };
    const char *name = NULL, *scalar = "", *part = p->now.text;
    int behind[MOST_KEPT], kept = 0;

    YK_TRY(yk_parse_name(p, &name, "a name"));
    for (bool more = true; more;) {
        const int before = list.count;
        YK_TRY(yk_parse_subscripts(p, &list));
        YK_TRY(add_scalar(p, &list, before, part, &scalar));
        while (kept < list.count && kept < MOST_KEPT)
            behind[kept++] = (int)strlen(name);
        more = yk_parse_is(p, ".");
        part = p->next.text;
        if (more) YK_TRY(join_next(p, &name));
    }
    if (yk_parse_is(p, "(") && list.count == 0)
        return parse_call(p, name, at, out);
    YK_TRY(new_expr(p, YK_EXPR_REFERENCE, at, out));
    (*out)->name = name;
    set_children(*out, &list);
    if (list.count == 0) return YOKE_OK;
    (*out)->scalar = scalar;
    if (list.count > MOST_KEPT) return YOKE_OK;
    YK_TRY(YK_TAKE(p->arena, &(*out)->behind, kept, p->err));
    memcpy((*out)->behind, behind, (size_t)kept * sizeof *behind);
    return YOKE_OK;
}

yoke_status yk_parse_component_name(yk_parser *p, const char **name,
                                    yk_list *dims)
{
    const char *scalar = "", *part = p->now.text;

    YK_TRY(yk_parse_name(p, name, "the name of a component"));
    YK_TRY(yk_parse_subscripts(p, dims));
    while (yk_parse_is(p, ".")) {
        YK_TRY(add_scalar(p, dims, 0, part, &scalar));
        if (!scalar)
            return yk_parse_refuse(p, p->now.at,
                                   "a component of a component with subscripts "
                                   "that are not numbers",
                                   NULL);
        *dims = (yk_list){ 0 };
        part = p->next.text;
        YK_TRY(join_next(p, name));
        YK_TRY(yk_parse_subscripts(p, dims));
    }
    const yk_list none = { 0 };
    YK_TRY(add_scalar(p, &none, 0, part, &scalar));
    *name = scalar;
    return YOKE_OK;
}

/* (a), or (a, , b) as the left side of a call with several results */
static yoke_status parse_parenthesis(yk_parser *p, yk_expr **out)
{
    const yk_place at = p->now.at;
    yk_list list = { 0 };
    bool more = true;

    YK_TRY(yk_parse_next(p));
    while (more) {
        yk_expr *e = NULL;
        if (!yk_parse_is(p, ",") && !yk_parse_is(p, ")"))
            YK_TRY(yk_parse_expr(p, &e));
        YK_TRY(YK_PUSH(p, &list, e));
        YK_TRY(yk_parse_accept(p, ",", &more));
    }
    YK_TRY(yk_parse_expect(p, ")", "the expression"));
    if (list.count == 1 && list.item[0]) {
        *out = list.item[0];
        return parse_suffixes(p, at, out);
    }
    YK_TRY(new_expr(p, YK_EXPR_TUPLE, at, out));
    set_children(*out, &list);
    return YOKE_OK;
}

/* The elements of an array up to `close` or ';'. */
static yoke_status parse_elements(yk_parser *p, yk_place at, yk_expr **out)
{
    yk_list list = { 0 };
    bool more = true;

    while (more) {
        yk_expr *e = NULL;
        YK_TRY(yk_parse_expr(p, &e));
        YK_TRY(YK_PUSH(p, &list, e));
        YK_TRY(yk_parse_accept(p, ",", &more));
    }
    YK_TRY(new_expr(p, YK_EXPR_ARRAY, at, out));
    set_children(*out, &list);
    return YOKE_OK;
}

static yoke_status parse_braces(yk_parser *p, yk_expr **out)
{
    const yk_place at = p->now.at;

    YK_TRY(yk_parse_next(p));
    if (yk_parse_is(p, "}"))
        return yk_parse_refuse(p, at, "an empty array", NULL);
    YK_TRY(parse_elements(p, at, out));
    if (yk_parse_is(p, "for") && (*out)->count == 1) {
        (*out)->kind = YK_EXPR_COMPREHENSION;
        YK_TRY(yk_parse_next(p));
        YK_TRY(yk_parse_iterators(p, &(*out)->iterators, &(*out)->iterator));
    }
    return yk_parse_expect(p, "}", "the elements");
}

static yoke_status parse_matrix(yk_parser *p, yk_expr **out)
{
    const yk_place at = p->now.at;
    yk_list rows = { 0 };

    do {
        yk_expr *row = NULL;
        YK_TRY(yk_parse_next(p));
        YK_TRY(parse_elements(p, p->now.at, &row));
        YK_TRY(YK_PUSH(p, &rows, row));
    } while (yk_parse_is(p, ";"));
    YK_TRY(new_expr(p, YK_EXPR_MATRIX, at, out));
    set_children(*out, &rows);
    return yk_parse_expect(p, "]", "the rows");
}

static yoke_status parse_literal(yk_parser *p, yk_ast_kind kind, yk_expr **out)
{
    YK_TRY(new_expr(p, kind, p->now.at, out));
    (*out)->number = p->now.number;
    (*out)->whole = p->now.whole;
    (*out)->name = p->now.text;
    if (kind == YK_EXPR_BOOLEAN) (*out)->number = p->now.text[0] == 't';
    return yk_parse_next(p);
}

static yoke_status parse_primary(yk_parser *p, yk_expr **out)
{
    const yk_token *t = &p->now;

    if (t->kind == YK_TOKEN_NUMBER)
        return parse_literal(p, YK_EXPR_NUMBER, out);
    if (t->kind == YK_TOKEN_STRING)
        return parse_literal(p, YK_EXPR_STRING, out);
    if (t->kind == YK_TOKEN_NAME) return parse_reference(p, out);
    if (yk_parse_is(p, "(")) return parse_parenthesis(p, out);
    if (yk_parse_is(p, "{")) return parse_braces(p, out);
    if (yk_parse_is(p, "[")) return parse_matrix(p, out);
    if (yk_parse_is(p, "true") || yk_parse_is(p, "false"))
        return parse_literal(p, YK_EXPR_BOOLEAN, out);
    if (yk_parse_is(p, "end")) return parse_literal(p, YK_EXPR_END, out);
    if ((yk_parse_is(p, "der") || yk_parse_is(p, "initial") ||
         yk_parse_is(p, "pure")) &&
        token_is(&p->next, "(")) {
        const char *name = t->text;
        const yk_place at = t->at;
        YK_TRY(yk_parse_next(p));
        return parse_call(p, name, at, out);
    }
    return yk_parse_unexpected(p, yk_parse_is(p, "*")
                                      ? "an expression (a power is a^b)"
                                      : "an expression");
}

/* a * -b and a ^ -b, which the grammar does not have, but tools write */
static yoke_status parse_signed(yk_parser *p,
                                yoke_status (*operand)(yk_parser *, yk_expr **),
                                yk_expr **out)
{
    const yk_place at = p->now.at;
    const bool minus = yk_parse_is(p, "-");

    if (minus) YK_TRY(yk_parse_next(p));
    YK_TRY(operand(p, out));
    if (minus) YK_TRY(new_with(p, YK_EXPR_NEGATE, at, *out, NULL, out));
    return YOKE_OK;
}

static yoke_status parse_power(yk_parser *p, yk_expr **out)
{
    yk_expr *exponent = NULL;

    YK_TRY(parse_primary(p, out));
    const bool whole = yk_parse_is(p, "^");
    if (!whole && !yk_parse_is(p, ".^")) return YOKE_OK;
    const yk_place at = p->now.at;
    YK_TRY(yk_parse_next(p));
    YK_TRY(parse_signed(p, parse_primary, &exponent));
    YK_TRY(new_with(p, YK_EXPR_POWER, at, *out, exponent, out));
    YK_TRY(YK_TAKE(p->arena, &(*out)->op, 1, p->err));
    (*out)->op[0] = whole ? '^' : 'e';
    return YOKE_OK;
}

static yoke_status parse_factor(yk_parser *p, yk_expr **out)
{
    return parse_signed(p, parse_power, out);
}

/* The code of the present sign, by a list of signs and one of codes. */
static char code_of(const yk_parser *p, const char *const *sign,
                    const char *code)
{
    for (int i = 0; code[i]; i++)
        if (yk_parse_is(p, sign[i])) return code[i];
    return 0;
}

typedef struct chain {
    yk_ast_kind kind;
    const char *const *sign;
    const char *code;
    yoke_status (*operand)(yk_parser *p, yk_expr **out);
} chain;

/* operand { sign operand }, as one node if there is more than one operand. */
static yoke_status parse_chain(yk_parser *p, const chain *c, yk_expr **out)
{
    yk_list list = { 0 };
    size_t room = 0;
    char *op = NULL, sign;
    yk_place at = p->now.at;

    YK_TRY(c->operand(p, out));
    YK_TRY(YK_PUSH(p, &list, *out));
    while ((sign = code_of(p, c->sign, c->code)) != 0) {
        yk_expr *e = NULL;
        if (list.count == 1) at = p->now.at;
        if ((size_t)list.count >= room) {
            char *larger = NULL;
            room = room ? 2 * room : 8;
            YK_TRY(YK_TAKE(p->arena, &larger, room, p->err));
            if (op) memcpy(larger, op, (size_t)list.count);
            op = larger;
        }
        op[list.count] = sign;
        YK_TRY(yk_parse_next(p));
        YK_TRY(c->operand(p, &e));
        YK_TRY(YK_PUSH(p, &list, e));
    }
    if (list.count == 1) return YOKE_OK;
    YK_TRY(new_expr(p, c->kind, at, out));
    set_children(*out, &list);
    (*out)->op = op;
    return YOKE_OK;
}

static yoke_status parse_term(yk_parser *p, yk_expr **out)
{
    static const char *const sign[] = { "*", "/", ".*", "./" };
    const chain c = { YK_EXPR_PRODUCT, sign, "*/td", parse_factor };
    return parse_chain(p, &c, out);
}

/* A sign before the first term belongs to that term. */
static yoke_status parse_signed_term(yk_parser *p, yk_expr **out)
{
    const yk_place at = p->now.at;
    const bool minus = yk_parse_is(p, "-") || yk_parse_is(p, ".-");

    if (minus || yk_parse_is(p, "+") || yk_parse_is(p, ".+"))
        YK_TRY(yk_parse_next(p));
    YK_TRY(parse_term(p, out));
    if (minus) YK_TRY(new_with(p, YK_EXPR_NEGATE, at, *out, NULL, out));
    return YOKE_OK;
}

static yoke_status parse_arithmetic(yk_parser *p, yk_expr **out)
{
    static const char *const sign[] = { "+", "-", ".+", ".-" };
    const chain c = { YK_EXPR_SUM, sign, "+-pm", parse_signed_term };
    return parse_chain(p, &c, out);
}

static yoke_status parse_relation(yk_parser *p, yk_expr **out)
{
    static const char *const sign[] = { "<", "<=", ">", ">=", "==", "<>" };
    yk_expr *right = NULL;

    YK_TRY(parse_arithmetic(p, out));
    const char code = code_of(p, sign, "<l>g=n");
    if (!code) return YOKE_OK;
    const yk_place at = p->now.at;
    YK_TRY(yk_parse_next(p));
    YK_TRY(parse_arithmetic(p, &right));
    YK_TRY(new_with(p, YK_EXPR_RELATION, at, *out, right, out));
    YK_TRY(YK_TAKE(p->arena, &(*out)->op, 1, p->err));
    (*out)->op[0] = code;
    return YOKE_OK;
}

static yoke_status parse_negation(yk_parser *p, yk_expr **out)
{
    const yk_place at = p->now.at;
    bool found;

    YK_TRY(yk_parse_accept(p, "not", &found));
    YK_TRY(parse_relation(p, out));
    if (found) YK_TRY(new_with(p, YK_EXPR_NOT, at, *out, NULL, out));
    return YOKE_OK;
}

static yoke_status parse_and(yk_parser *p, yk_expr **out)
{
    static const char *const sign[] = { "and" };
    const chain c = { YK_EXPR_AND, sign, "&", parse_negation };
    return parse_chain(p, &c, out);
}

static yoke_status parse_or(yk_parser *p, yk_expr **out)
{
    static const char *const sign[] = { "or" };
    const chain c = { YK_EXPR_OR, sign, "|", parse_and };
    return parse_chain(p, &c, out);
}

/* a, a:b or a:b:c */
static yoke_status parse_simple(yk_parser *p, yk_expr **out)
{
    const yk_place at = p->now.at;
    yk_list list = { 0 };
    bool more;

    YK_TRY(parse_or(p, out));
    YK_TRY(YK_PUSH(p, &list, *out));
    YK_TRY(yk_parse_accept(p, ":", &more));
    while (more) {
        yk_expr *e = NULL;
        YK_TRY(parse_or(p, &e));
        YK_TRY(YK_PUSH(p, &list, e));
        more = false;
        if (list.count < 3) YK_TRY(yk_parse_accept(p, ":", &more));
    }
    if (list.count == 1) return YOKE_OK;
    YK_TRY(new_expr(p, YK_EXPR_RANGE, at, out));
    set_children(*out, &list);
    return YOKE_OK;
}

/* if c then a elseif d then b else e */
static yoke_status parse_if(yk_parser *p, yk_expr **out)
{
    const yk_place at = p->now.at;
    yk_list list = { 0 };

    do {
        yk_expr *condition = NULL, *value = NULL;
        YK_TRY(yk_parse_next(p));
        YK_TRY(yk_parse_expr(p, &condition));
        YK_TRY(yk_parse_expect(p, "then", "the condition"));
        YK_TRY(yk_parse_expr(p, &value));
        YK_TRY(YK_PUSH(p, &list, condition));
        YK_TRY(YK_PUSH(p, &list, value));
    } while (yk_parse_is(p, "elseif"));
    YK_TRY(yk_parse_expect(p, "else", "the value"));
    yk_expr *otherwise = NULL;
    YK_TRY(yk_parse_expr(p, &otherwise));
    YK_TRY(YK_PUSH(p, &list, otherwise));
    YK_TRY(new_expr(p, YK_EXPR_IF, at, out));
    set_children(*out, &list);
    return YOKE_OK;
}

yoke_status yk_parse_expr(yk_parser *p, yk_expr **out)
{
    YK_TRY(yk_parse_enter(p));
    if (yk_parse_is(p, "if"))
        YK_TRY(parse_if(p, out));
    else
        YK_TRY(parse_simple(p, out));
    p->depth--;
    return YOKE_OK;
}
