/* comp/equation/front/lex.h -- words and signs of Modelica text. */
#ifndef YK_LEX_H
#define YK_LEX_H

#include "base/arena.h"

typedef struct yk_place {
    int line, column;
} yk_place;

typedef enum yk_token_kind {
    YK_TOKEN_END,
    YK_TOKEN_NAME, /* identifiers, quoted ones without their quotes */
    YK_TOKEN_WORD, /* reserved words */
    YK_TOKEN_NUMBER,
    YK_TOKEN_STRING,
    YK_TOKEN_SIGN
} yk_token_kind;

typedef struct yk_token {
    yk_token_kind kind;
    yk_place at;
    const char *text; /* in the arena; signs and words too */
    double number;
    bool whole; /* a number without point and exponent */
} yk_token;

typedef struct yk_lexer {
    const char *path, *text;
    size_t length, at;
    yk_place place;
    yk_arena *arena;
    yoke_err *err;
} yk_lexer;

/* Writes the next token; comments and white space are passed over. */
/* The reserved word that `name` is in capital letters, or NULL. */
const char *yk_lex_small_word(const char *name);

yoke_status yk_lex_next(yk_lexer *lexer, yk_token *token);

/* A message `path:line:column: ...`; returns `status`. */
yoke_status yk_fail_at(yoke_err *err, yoke_status status, const char *path,
                       yk_place at, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
