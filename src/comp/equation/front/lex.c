/* comp/equation/front/lex.c -- reads one token after another.
 *
 * Reference: Modelica language specification 3.6, chapter 2.
 */
#include "comp/equation/front/lex.h"

#include "base/near.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 4000, NUMBER_MOST = 400 };

static const char *const words[] = {
    "algorithm",   "and",          "annotation", "block",       "break",
    "class",       "connect",      "connector",  "constant",    "constrainedby",
    "der",         "discrete",     "each",       "else",        "elseif",
    "elsewhen",    "encapsulated", "end",        "enumeration", "equation",
    "expandable",  "extends",      "external",   "false",       "final",
    "flow",        "for",          "function",   "if",          "import",
    "impure",      "in",           "initial",    "inner",       "input",
    "loop",        "model",        "not",        "operator",    "or",
    "outer",       "output",       "package",    "parameter",   "partial",
    "protected",   "public",       "pure",       "record",      "redeclare",
    "replaceable", "return",       "stream",     "then",        "true",
    "type",        "when",         "while",      "within",
};

/* The longer ones first. */
static const char *const signs[] = { "<=", ">=", "==", "<>", ":=", ".+", ".-",
                                     ".*", "./", ".^", "(",  ")",  "[",  "]",
                                     "{",  "}",  ",",  ";",  ":",  ".",  "=",
                                     "<",  ">",  "+",  "-",  "*",  "/",  "^" };

#define COUNT(list) (sizeof(list) / sizeof *(list))

yoke_status yk_fail_at(yoke_err *err, yoke_status status, const char *path,
                       yk_place at, const char *format, ...)
{
    va_list args;

    if (!err) return status;
    err->status = status;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    yk_prefix(err, "%s:%d:%d", path, at.line, at.column);
    return status;
}

static yoke_status fail(const yk_lexer *l, yk_place at, const char *what)
{
    return yk_fail_at(l->err, YOKE_E_FILE, l->path, at, "%s", what);
}

/* The character `ahead` of the next one; 0 at the end. */
static int peek(const yk_lexer *l, size_t ahead)
{
    return ahead < l->length - l->at ? (unsigned char)l->text[l->at + ahead]
                                     : 0;
}

static void step(yk_lexer *l)
{
    if (l->text[l->at++] == '\n') {
        l->place.line++;
        l->place.column = 1;
    } else if ((peek(l, 0) & 0xc0) != 0x80) { /* the last byte of a letter */
        l->place.column++;
    }
}

static void skip(yk_lexer *l, size_t count)
{
    while (count-- > 0 && l->at < l->length) step(l);
}

static bool at_end(const yk_lexer *l)
{
    return l->at >= l->length;
}

static yoke_status skip_block_comment(yk_lexer *l)
{
    const yk_place at = l->place;

    for (skip(l, 2); !at_end(l); step(l)) {
        if (peek(l, 0) == '*' && peek(l, 1) == '/') {
            skip(l, 2);
            return YOKE_OK;
        }
    }
    return fail(l, at, "this comment has no end; close it with */");
}

/* @12, also @ 12 */
static size_t decoration_blanks(const yk_lexer *l)
{
    size_t n = 1;

    while (peek(l, n) == ' ' || peek(l, n) == '\t') n++;
    return n;
}

static bool is_decoration(const yk_lexer *l)
{
    return isdigit(peek(l, decoration_blanks(l))) != 0;
}

static void skip_decoration(yk_lexer *l)
{
    skip(l, decoration_blanks(l));
    while (isdigit(peek(l, 0))) step(l);
}

static yoke_status skip_space(yk_lexer *l)
{
    static const char mark[] = "\xef\xbb\xbf";

    if (l->at == 0 && l->length >= 3 && memcmp(l->text, mark, 3) == 0)
        l->at = 3; /* byte order mark */
    while (!at_end(l)) {
        const int c = peek(l, 0);
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f')
            step(l);
        else if (c == '/' && peek(l, 1) == '/')
            while (!at_end(l) && peek(l, 0) != '\n') step(l);
        else if (c == '/' && peek(l, 1) == '*')
            YK_TRY(skip_block_comment(l));
        else if (c == '@' && is_decoration(l)) /* a place in a source */
            skip_decoration(l);
        else
            break;
    }
    return YOKE_OK;
}

static yoke_status copy(yk_lexer *l, size_t from, size_t length,
                        const char **out)
{
    char *text = NULL;

    YK_TRY(YK_TAKE(l->arena, &text, length + 1, l->err));
    memcpy(text, l->text + from, length);
    *out = text;
    return YOKE_OK;
}

static bool is_reserved(const char *name)
{
    for (size_t i = 0; i < COUNT(words); i++)
        if (words[i][0] == name[0] && strcmp(words[i], name) == 0) return true;
    return false;
}

const char *yk_lex_small_word(const char *name)
{
    for (size_t i = 0; i < COUNT(words); i++) {
        size_t k = 0;
        while (name[k] && tolower((unsigned char)name[k]) == words[i][k]) k++;
        if (!name[k] && !words[i][k]) return words[i];
    }
    return NULL;
}

static yoke_status read_name(yk_lexer *l, yk_token *t)
{
    const size_t from = l->at;

    while (isalnum(peek(l, 0)) || peek(l, 0) == '_') step(l);
    if (l->at - from > NAME_MOST)
        return fail(l, t->at, "this name is too long");
    YK_TRY(copy(l, from, l->at - from, &t->text));
    t->kind = is_reserved(t->text) ? YK_TOKEN_WORD : YK_TOKEN_NAME;
    return YOKE_OK;
}

/* 'a.b[1]' is one name; the quotes are not part of it for us, so that the
 * member v of a port p and the exported name 'p.v' are the same thing. */
static yoke_status read_quoted(yk_lexer *l, yk_token *t)
{
    step(l);
    const size_t from = l->at;
    while (peek(l, 0) != '\'') {
        const int c = peek(l, 0);
        if (c < ' ' || c == 127)
            return fail(l, t->at,
                        "this quoted name has no end; close it "
                        "with ' on the same line (the derivative of x is "
                        "der(x))");
        skip(l, c == '\\' ? 2 : 1);
    }
    const size_t length = l->at - from;
    if (length == 0) return fail(l, t->at, "this quoted name is empty");
    if (length > NAME_MOST) return fail(l, t->at, "this name is too long");
    step(l);
    t->kind = YK_TOKEN_NAME;
    YK_TRY(copy(l, from, length, &t->text));
    /* An escape may have jumped over bytes that a name cannot have. */
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)t->text[i] < ' ')
            return fail(l, t->at, "this quoted name has a control character");
    return YOKE_OK;
}

static yoke_status read_string(yk_lexer *l, yk_token *t)
{
    char *text = NULL;
    size_t to = 0;

    step(l);
    const size_t from = l->at;
    while (!at_end(l) && peek(l, 0) != '"') skip(l, peek(l, 0) == '\\' ? 2 : 1);
    if (at_end(l))
        return fail(l, t->at, "this string has no end; close it with \"");
    YK_TRY(YK_TAKE(l->arena, &text, l->at - from + 1, l->err));
    for (size_t i = from; i < l->at; i++) {
        if (l->text[i] == '\0')
            return fail(l, t->at, "this string has a zero byte");
        if (l->text[i] == '\\' && i + 1 < l->at) i++;
        text[to++] = l->text[i];
    }
    step(l);
    t->kind = YK_TOKEN_STRING;
    t->text = text;
    return YOKE_OK;
}

static void skip_digits(yk_lexer *l)
{
    while (isdigit(peek(l, 0))) step(l);
}

static yoke_status read_number(yk_lexer *l, yk_token *t)
{
    const size_t from = l->at;

    t->whole = true;
    skip_digits(l);
    /* 1./x and 1.*x are 1 ./ x and 1 .* x */
    if (peek(l, 0) == '.' && !(peek(l, 1) && strchr("*/^+-", peek(l, 1)))) {
        t->whole = false;
        step(l);
        skip_digits(l);
    }
    const size_t sign = peek(l, 1) == '+' || peek(l, 1) == '-';
    if ((peek(l, 0) == 'e' || peek(l, 0) == 'E') &&
        isdigit(peek(l, 1 + sign))) {
        t->whole = false;
        skip(l, 1 + sign);
        skip_digits(l);
    }
    if (l->at - from > NUMBER_MOST)
        return fail(l, t->at, "this number has too many digits");
    YK_TRY(copy(l, from, l->at - from, &t->text));
    t->kind = YK_TOKEN_NUMBER;
    t->number = strtod(t->text, NULL);
    if (!isfinite(t->number)) return fail(l, t->at, "this number is too large");
    return YOKE_OK;
}

/* What stands for a sign of other languages here. */
static const char *native(int c, int next)
{
    return c == '&'                  ? "; write and"
           : c == '|'                ? "; write or"
           : c == '!' && next == '=' ? "; write <>"
           : c == '!'                ? "; write not"
           : c == '#' || c == '%'    ? "; a comment begins with //"
                                     : "";
}

/* Something that is no token is passed over, so that the parser may go on. */
static yoke_status refuse_letter(yk_lexer *l, const yk_token *t)
{
    const char *text = l->text + l->at;
    char letter[5] = "";
    const int c = peek(l, 0), next = peek(l, 1);
    size_t n = 1;

    while (c >= 0xc0 && n < 4 && (peek(l, n) & 0xc0) == 0x80) n++;
    memcpy(letter, text, n);
    const char *plain = n > 1 ? yk_plain_sign(letter, NULL) : NULL;
    skip(l, n);
    if (plain)
        return yk_fail_at(l->err, YOKE_E_FILE, l->path, t->at,
                          "the sign '%s' has no meaning here; write %s", letter,
                          *plain == ' ' ? "a blank" : plain);
    if (n > 1)
        return yk_fail_at(l->err, YOKE_E_FILE, l->path, t->at,
                          "the letter '%s' cannot stand in a name; write it "
                          "with a to z, or in quotes, '%s'",
                          letter, letter);
    if (c <= ' ' || c >= 127)
        return yk_fail_at(l->err, YOKE_E_FILE, l->path, t->at,
                          "the byte %d has no meaning here", c);
    if (c == next && (c == '&' || c == '|')) skip(l, 1);
    if (c == '#' || c == '%')
        while (!at_end(l) && peek(l, 0) != '\n') step(l);
    return yk_fail_at(l->err, YOKE_E_FILE, l->path, t->at,
                      "the character '%c' has no meaning here%s", c,
                      native(c, next));
}

static yoke_status read_sign(yk_lexer *l, yk_token *t)
{
    for (size_t i = 0; i < COUNT(signs); i++) {
        if (signs[i][0] != l->text[l->at]) continue;
        const size_t length = strlen(signs[i]);
        if (length > l->length - l->at ||
            memcmp(l->text + l->at, signs[i], length) != 0)
            continue;
        skip(l, length);
        t->kind = YK_TOKEN_SIGN;
        t->text = signs[i];
        return YOKE_OK;
    }
    return refuse_letter(l, t);
}

yoke_status yk_lex_next(yk_lexer *l, yk_token *t)
{
    YK_TRY(skip_space(l));
    *t = (yk_token){ .kind = YK_TOKEN_END, .at = l->place, .text = "" };
    if (at_end(l)) return YOKE_OK;
    const int c = peek(l, 0);
    if (isalpha(c) || c == '_') return read_name(l, t);
    if (isdigit(c) || (c == '.' && isdigit(peek(l, 1))))
        return read_number(l, t);
    if (c == '\'') return read_quoted(l, t);
    if (c == '"') return read_string(l, t);
    return read_sign(l, t);
}
