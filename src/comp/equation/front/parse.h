/* comp/equation/front/parse.h -- what the two halves of the parser share. */
#ifndef YK_PARSE_H
#define YK_PARSE_H

#include "comp/equation/front/ast.h"

enum { YK_PARSE_DEPTH = 200 };

typedef struct yk_parser {
    yk_lexer lexer;
    yk_token last, now, next;
    yk_arena *arena;
    yoke_err *err; /* of the part that is read */
    int depth;
    /* Problems so far, and whether what follows cannot be told apart. */
    yoke_status failed;
    yoke_err *problems;
    bool lost;
    const char *package; /* path of the class we are in, "" outside */
    yk_class *in;        /* that class, or NULL */
    yk_list classes, constants;
} yk_parser;

yoke_status yk_parse_next(yk_parser *p);

/* The present token is this sign or reserved word. */
bool yk_parse_is(const yk_parser *p, const char *text);
/* The same; if so it is passed and *found is set. */
yoke_status yk_parse_accept(yk_parser *p, const char *text, bool *found);
/* It must be; `after` tells what it follows. */
yoke_status yk_parse_expect(yk_parser *p, const char *text, const char *after);
yoke_status yk_parse_name(yk_parser *p, const char **name, const char *what);
/* a.b.c as one text */
yoke_status yk_parse_dotted(yk_parser *p, const char **name, const char *what);

yoke_status yk_parse_unexpected(const yk_parser *p, const char *wanted);
yoke_status yk_parse_refuse(const yk_parser *p, yk_place at, const char *what,
                            const char *instead);
yoke_status yk_parse_enter(yk_parser *p); /* one level deeper, or refused */

/* After a failure: keeps its message and goes on behind the next ";", or at
 * the word that ends the section.  Fails if that is not possible. */
yoke_status yk_parse_resume(yk_parser *p, int depth, yoke_status status);

yoke_status yk_parse_expr(yk_parser *p, yk_expr **out);
/* [a, :, 1:3] after a name; none if there is no bracket. */
yoke_status yk_parse_subscripts(yk_parser *p, yk_list *list);
/* The name of a component, a.b[1].c: subscripts before a dot are part of it, as
 * tools write arrays out; those at the end are its dimensions. */
yoke_status yk_parse_component_name(yk_parser *p, const char **name,
                                    yk_list *dims);
/* i in 1:n, j in 1:m */
yoke_status yk_parse_iterators(yk_parser *p, int *count, yk_iterator **out);

/* A section up to a word that ends it. */
yoke_status yk_parse_equations(yk_parser *p, yk_branch *out, bool statements);
/* a = b, or with `statements` a := b; or a call. */
yoke_status yk_parse_equality(yk_parser *p, yk_equation *q, bool statements);
yoke_status yk_parse_text(yk_parser *p);    /* "a" + "b", or nothing */
yoke_status yk_parse_comment(yk_parser *p); /* the same, and an annotation */
/* annotation(...); the experiment of a model is kept in `keep`, unless NULL. */
yoke_status yk_parse_annotation(yk_parser *p, yk_experiment *keep);

#define YK_PUSH(p, list, item)                                                 \
    yk_list_push((p)->arena, (list), (item), (p)->err)

#endif
