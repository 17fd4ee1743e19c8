/* file/formula_parse.c -- the text of a formula.
 *
 *     equation   = expression "=" expression
 *     expression = "if" expression "then" expression "else" expression
 *                | and { "or" and }
 *     and        = not { "and" not }
 *     not        = [ "not" ] relation
 *     relation   = sum [ ("<" | "<=" | ">" | ">=") sum ]
 *     sum        = product { ("+" | "-") product }
 *     product    = factor { ("*" | "/") factor }
 *     factor     = ("+" | "-") factor | power
 *     power      = operand [ "^" factor ]
 *     operand    = number | name | "(" expression ")"
 *                | function "(" expression { "," expression } ")"
 */
#include "file/formula_term.h"

#include "base/near.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 100, LONGEST_NAME = 500 };

typedef struct parser {
    yk_formula *formula;
    const char *text;
    size_t at;
    int depth;
} parser;

static void skip(parser *p)
{
    p->at += strspn(p->text + p->at, " \t\r\n");
}

static bool accept(parser *p, char c)
{
    if (p->text[p->at] != c) return false;
    p->at++;
    skip(p);
    return true;
}

static bool is_letter(char c)
{
    return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

/* Bytes of a number at the start of the text; 0: none. */
static size_t number_length(const char *text)
{
    const size_t whole = digits(text);
    size_t length = whole;

    if (text[length] == '.') {
        const size_t rest = digits(text + length + 1);
        if (whole + rest == 0) return 0;
        length += 1 + rest;
    }
    if (length == 0 || (text[length] != 'e' && text[length] != 'E'))
        return length;
    const size_t sign_at = length + 1;
    const size_t from =
        sign_at + (text[sign_at] == '+' || text[sign_at] == '-');
    return is_digit(text[from]) ? from + digits(text + from) : length;
}

static yoke_status parse_number(parser *p, size_t length, int *out,
                                yoke_err *err)
{
    const double number = strtod(p->text + p->at, NULL);

    if (!isfinite(number))
        return yk_fail(err, YOKE_E_FILE, "the number %.*s is too large",
                       (int)(length < 40 ? length : 40), p->text + p->at);
    p->at += length;
    return yk_formula_number(p->formula, number, out, err);
}

static yoke_status put(parser *p, char *name, size_t *length, yoke_err *err)
{
    if (*length + 1 >= LONGEST_NAME)
        return yk_fail(err, YOKE_E_FILE, "a name has at most %d characters",
                       LONGEST_NAME - 1);
    name[(*length)++] = p->text[p->at++];
    name[*length] = '\0';
    return YOKE_OK;
}

/* Letters and digits, or anything between single quotes. */
static yoke_status parse_piece(parser *p, char *name, size_t *length,
                               yoke_err *err)
{
    if (p->text[p->at] != '\'') {
        while (is_letter(p->text[p->at]) || is_digit(p->text[p->at]))
            YK_TRY(put(p, name, length, err));
        return YOKE_OK;
    }
    do {
        YK_TRY(put(p, name, length, err));
        if (!p->text[p->at])
            return yk_fail(err, YOKE_E_FILE, "the quote ' is not closed");
    } while (p->text[p->at] != '\'');
    return put(p, name, length, err);
}

/* [1] or [2, 3]; spaces are left out. */
static yoke_status parse_subscript(parser *p, char *name, size_t *length,
                                   yoke_err *err)
{
    do {
        YK_TRY(put(p, name, length, err));
        skip(p);
        if (!is_digit(p->text[p->at]))
            return yk_fail(err, YOKE_E_FILE, "a subscript is a number here");
        while (is_digit(p->text[p->at])) YK_TRY(put(p, name, length, err));
        skip(p);
    } while (p->text[p->at] == ',');
    if (p->text[p->at] != ']')
        return yk_fail(err, YOKE_E_FILE, "the subscript is not closed by ]");
    return put(p, name, length, err);
}

static bool begins_name(const char *text)
{
    return is_letter(*text) || *text == '\'';
}

/* amp.v(out): brackets behind a name with a dot belong to it, since functions
 * have no dots. */
static yoke_status parse_node(parser *p, char *name, size_t *length,
                              yoke_err *err)
{
    do {
        YK_TRY(put(p, name, length, err));
        if (!p->text[p->at])
            return yk_fail(err, YOKE_E_FILE, "a closing \")\" is missing here");
    } while (p->text[p->at] != ')');
    return put(p, name, length, err);
}

static yoke_status parse_name(parser *p, char *name, yoke_err *err)
{
    size_t length = 0;
    bool dotted = false;

    for (;; dotted = true) {
        YK_TRY(parse_piece(p, name, &length, err));
        if (p->text[p->at] == '[')
            YK_TRY(parse_subscript(p, name, &length, err));
        if (dotted && p->text[p->at] == '(')
            return parse_node(p, name, &length, err);
        if (p->text[p->at] != '.' || !begins_name(p->text + p->at + 1))
            return YOKE_OK;
        YK_TRY(put(p, name, &length, err));
    }
}

static yoke_status parse_expression(parser *p, int *out, yoke_err *err);

static yoke_status close_bracket(parser *p, yoke_err *err)
{
    skip(p);
    if (accept(p, ')')) return YOKE_OK;
    return yk_fail(err, YOKE_E_FILE, "a closing \")\" is missing here");
}

/* Functions that are made of others. */
static const char *const made[] = { "step", "pulse", "table" };

enum { MADE = sizeof made / sizeof made[0] };

static const char *nearest_function(const char *name)
{
    const char *list[F_NAMED + MADE];

    for (int i = 0; i < F_NAMED; i++) list[i] = yk_formula_function(i);
    for (int i = 0; i < MADE; i++) list[F_NAMED + i] = made[i];
    return yk_nearest_word(name, F_NAMED + MADE, list);
}

static yoke_status unknown(parser *p, const char *name, size_t place,
                           yoke_err *err)
{
    const char *near = nearest_function(name);

    p->at = place;
    return yk_fail(err, YOKE_E_FILE, "there is no function \"%.100s\"%s%s%s",
                   name, near ? "; is \"" : "", near ? near : "",
                   near ? "\" meant?" : "");
}

static yoke_status parse_comma(parser *p, const char *name, const char *count,
                               yoke_err *err)
{
    if (accept(p, ',')) return YOKE_OK;
    return yk_fail(err, YOKE_E_FILE, "%s has %s", name, count);
}

/* step(x): 0 before x = 0, 1 from there on. */
static yoke_status parse_step(parser *p, int *out, yoke_err *err)
{
    int x = 0, zero = 0;

    YK_TRY(parse_expression(p, &x, err));
    YK_TRY(yk_formula_number(p->formula, 0.0, &zero, err));
    return yk_formula_call(p->formula, F_GREATER_EQUAL, x, zero, out, err);
}

/* pulse(x, from, to): 1 for from <= x < to, else 0. */
static yoke_status parse_pulse(parser *p, int *out, yoke_err *err)
{
    static const char count[] = "three arguments: pulse(time, from, to)";
    yk_formula *f = p->formula;
    int x = 0, from = 0, to = 0;

    YK_TRY(parse_expression(p, &x, err));
    YK_TRY(parse_comma(p, "pulse", count, err));
    YK_TRY(parse_expression(p, &from, err));
    YK_TRY(parse_comma(p, "pulse", count, err));
    YK_TRY(parse_expression(p, &to, err));
    YK_TRY(yk_formula_call(f, F_GREATER_EQUAL, x, from, &from, err));
    YK_TRY(yk_formula_call(f, F_LESS, x, to, &to, err));
    return yk_formula_call(f, F_AND, from, to, out, err);
}

/* One point of a table; its abscissa must be known here, and be later. */
static yoke_status parse_point(parser *p, double *at, int *y, yoke_err *err)
{
    static const char count[] =
        "an argument and pairs behind it: table(time, 0, 1, 5, 2)";
    const double before = *at;
    const size_t place = p->at;
    int x = 0;

    YK_TRY(parse_expression(p, &x, err));
    if (yk_formula_kind(p->formula, x) == YK_CONSTANT)
        yk_formula_eval(p->formula, 0.0, NULL);
    *at = yk_formula_kind(p->formula, x) == YK_CONSTANT ? p->formula->value[x]
                                                        : NAN;
    if (!isfinite(*at) || !(*at >= before)) {
        p->at = place;
        return yk_fail(err, YOKE_E_FILE,
                       "the first of each pair of a table is a number, not "
                       "less than the one before");
    }
    YK_TRY(parse_comma(p, "table", count, err));
    return parse_expression(p, y, err);
}

/* *sum += (y1 - y0) * (min(max(x, x0), x1) - x0) / (x1 - x0), or, where both
 * are at the same x, a jump. */
static yoke_status add_line(yk_formula *f, int x, const double at[2],
                            const int y[2], int *sum, yoke_err *err)
{
    int rise = 0, from = 0, to = 0, part = 0, width = 0;

    YK_TRY(yk_formula_operation(f, SUBTRACT, y[1], y[0], &rise, err));
    YK_TRY(yk_formula_number(f, at[0], &from, err));
    if (at[0] == at[1]) {
        YK_TRY(yk_formula_call(f, F_GREATER_EQUAL, x, from, &part, err));
    } else {
        YK_TRY(yk_formula_number(f, at[1], &to, err));
        YK_TRY(yk_formula_number(f, at[1] - at[0], &width, err));
        YK_TRY(yk_formula_call(f, F_MAX, x, from, &part, err));
        YK_TRY(yk_formula_call(f, F_MIN, part, to, &part, err));
        YK_TRY(yk_formula_operation(f, SUBTRACT, part, from, &part, err));
        YK_TRY(yk_formula_operation(f, DIVIDE, part, width, &part, err));
    }
    YK_TRY(yk_formula_operation(f, MULTIPLY, rise, part, &part, err));
    return yk_formula_operation(f, ADD, *sum, part, sum, err);
}

/* table(x, x1, y1, x2, y2, ...): straight lines, constant beyond the ends. */
static yoke_status parse_table(parser *p, int *out, yoke_err *err)
{
    double at[2] = { -INFINITY, 0.0 };
    int x = 0, y[2];

    YK_TRY(parse_expression(p, &x, err));
    if (!accept(p, ','))
        return yk_fail(err, YOKE_E_FILE,
                       "a table has an argument and pairs behind it: "
                       "table(time, 0, 1, 5, 2)");
    YK_TRY(parse_point(p, &at[0], &y[0], err));
    *out = y[0];
    while (accept(p, ',')) {
        at[1] = at[0];
        YK_TRY(parse_point(p, &at[1], &y[1], err));
        YK_TRY(add_line(p->formula, x, at, y, out, err));
        at[0] = at[1];
        y[0] = y[1];
    }
    return YOKE_OK;
}

static yoke_status parse_function(parser *p, const char *name, int which,
                                  int *out, yoke_err *err)
{
    const bool two = yk_formula_arguments(which) == 2;
    int a = 0, b = 0;

    YK_TRY(parse_expression(p, &a, err));
    if (two) YK_TRY(parse_comma(p, name, "two arguments", err));
    if (two) YK_TRY(parse_expression(p, &b, err));
    if (p->text[p->at] == ',')
        return yk_fail(err, YOKE_E_FILE, "%s has %s", name,
                       two ? "two arguments" : "one argument");
    return yk_formula_call(p->formula, (yk_function)which, a, b, out, err);
}

/* The arguments of a function, behind its "(". */
static yoke_status parse_call(parser *p, const char *name, size_t place,
                              int *out, yoke_err *err)
{
    const int which = yk_formula_find_function(name);

    if (which >= 0)
        YK_TRY(parse_function(p, name, which, out, err));
    else if (strcmp(name, "step") == 0)
        YK_TRY(parse_step(p, out, err));
    else if (strcmp(name, "pulse") == 0)
        YK_TRY(parse_pulse(p, out, err));
    else if (strcmp(name, "table") == 0)
        YK_TRY(parse_table(p, out, err));
    else
        return unknown(p, name, place, err);
    return close_bracket(p, err);
}

static yoke_status parse_named(parser *p, int *out, yoke_err *err)
{
    static const double pi = 3.14159265358979323846;
    const size_t place = p->at;
    char name[LONGEST_NAME];

    YK_TRY(parse_name(p, name, err));
    if (p->text[p->at] == '(') {
        accept(p, '(');
        return parse_call(p, name, place, out, err);
    }
    if (strcmp(name, "pi") == 0)
        return yk_formula_number(p->formula, pi, out, err);
    if (strcmp(name, "time") == 0) return yk_formula_time(p->formula, out, err);
    return yk_formula_variable(p->formula, name, place, out, err);
}

static yoke_status parse_operand(parser *p, int *out, yoke_err *err)
{
    const char *text = p->text + p->at;
    const size_t length = number_length(text);

    if (length) return parse_number(p, length, out, err);
    if (begins_name(text)) return parse_named(p, out, err);
    if (accept(p, '(')) {
        YK_TRY(parse_expression(p, out, err));
        return close_bracket(p, err);
    }
    if (!*text)
        return yk_fail(err, YOKE_E_FILE,
                       "the formula ends too early; a "
                       "number or a name is missing");
    return yk_fail(err, YOKE_E_FILE,
                   "a number or a name is expected instead of \"%.1s\"", text);
}

static yoke_status parse_factor(parser *p, int *out, yoke_err *err);

static yoke_status parse_power(parser *p, int *out, yoke_err *err)
{
    int a = 0, b = 0;

    YK_TRY(parse_operand(p, &a, err));
    skip(p);
    if (!accept(p, '^')) {
        *out = a;
        return YOKE_OK;
    }
    YK_TRY(parse_factor(p, &b, err));
    return yk_formula_call(p->formula, F_POW, a, b, out, err);
}

static yoke_status parse_signed(parser *p, int *out, yoke_err *err)
{
    int a = 0;

    if (accept(p, '+')) return parse_factor(p, out, err);
    if (!accept(p, '-')) return parse_power(p, out, err);
    YK_TRY(parse_factor(p, &a, err));
    return yk_formula_operation(p->formula, NEGATE, a, a, out, err);
}

/* Every way into the depth leads through here. */
static yoke_status enter(parser *p, yoke_err *err)
{
    if (p->depth >= DEEPEST)
        return yk_fail(err, YOKE_E_FILE,
                       "the formula is nested more than %d deep", DEEPEST);
    p->depth++;
    return YOKE_OK;
}

static yoke_status parse_factor(parser *p, int *out, yoke_err *err)
{
    YK_TRY(enter(p, err));
    skip(p);
    YK_TRY(parse_signed(p, out, err));
    p->depth--;
    return YOKE_OK;
}

static yoke_status parse_product(parser *p, int *out, yoke_err *err)
{
    YK_TRY(parse_factor(p, out, err));
    for (;;) {
        int right = 0;
        skip(p);
        const operation what = p->text[p->at] == '*' ? MULTIPLY : DIVIDE;
        if (!accept(p, '*') && !accept(p, '/')) return YOKE_OK;
        YK_TRY(parse_factor(p, &right, err));
        YK_TRY(yk_formula_operation(p->formula, what, *out, right, out, err));
    }
}

static yoke_status parse_sum(parser *p, int *out, yoke_err *err)
{
    YK_TRY(parse_product(p, out, err));
    for (;;) {
        int right = 0;
        const operation what = p->text[p->at] == '+' ? ADD : SUBTRACT;
        if (!accept(p, '+') && !accept(p, '-')) return YOKE_OK;
        YK_TRY(parse_product(p, &right, err));
        YK_TRY(yk_formula_operation(p->formula, what, *out, right, out, err));
    }
}

/* A word of the language, not the beginning of a name. */
static bool accept_word(parser *p, const char *word)
{
    const size_t length = strlen(word);
    const char *text = p->text + p->at;

    if (strncmp(text, word, length) != 0 || is_letter(text[length]) ||
        is_digit(text[length]))
        return false;
    p->at += length;
    skip(p);
    return true;
}

static bool accept_relation(parser *p, yk_function *which)
{
    const bool less = accept(p, '<');

    if (!less && !accept(p, '>')) return false;
    const bool equal = p->text[p->at] == '=';
    *which = less ? (equal ? F_LESS_EQUAL : F_LESS)
                  : (equal ? F_GREATER_EQUAL : F_GREATER);
    if (equal) accept(p, '=');
    return true;
}

static yoke_status parse_relation(parser *p, int *out, yoke_err *err)
{
    yk_function which = F_LESS;
    int right = 0;

    YK_TRY(parse_sum(p, out, err));
    if (!accept_relation(p, &which)) return YOKE_OK;
    YK_TRY(parse_sum(p, &right, err));
    return yk_formula_call(p->formula, which, *out, right, out, err);
}

static yoke_status check_truth(parser *p, size_t place, int term, yoke_err *err)
{
    if (yk_formula_is_truth(p->formula, term)) return YOKE_OK;
    p->at = place;
    return yk_fail(err, YOKE_E_FILE,
                   "a condition is expected here, such as time < 3");
}

static yoke_status parse_not(parser *p, int *out, yoke_err *err)
{
    skip(p);
    if (!accept_word(p, "not")) return parse_relation(p, out, err);
    const size_t place = p->at;
    YK_TRY(parse_relation(p, out, err));
    YK_TRY(check_truth(p, place, *out, err));
    return yk_formula_call(p->formula, F_NOT, *out, *out, out, err);
}

static yoke_status parse_logic(parser *p, yk_function which, int *out,
                               yoke_err *err)
{
    const size_t place = p->at;

    YK_TRY(which == F_OR ? parse_logic(p, F_AND, out, err)
                         : parse_not(p, out, err));
    for (;;) {
        int right = 0;
        if (!accept_word(p, yk_formula_function((int)which))) return YOKE_OK;
        YK_TRY(check_truth(p, place, *out, err));
        const size_t at = p->at;
        YK_TRY(which == F_OR ? parse_logic(p, F_AND, &right, err)
                             : parse_not(p, &right, err));
        YK_TRY(check_truth(p, at, right, err));
        YK_TRY(yk_formula_call(p->formula, which, *out, right, out, err));
    }
}

/* if a then b else c */
static yoke_status parse_if(parser *p, int *out, yoke_err *err)
{
    int part[3] = { 0 };

    for (int k = 0; k < 3; k++) {
        const size_t place = p->at;
        YK_TRY(parse_expression(p, &part[k], err));
        if (k == 0) YK_TRY(check_truth(p, place, part[k], err));
        if (k < 2 && !accept_word(p, k == 0 ? "then" : "else"))
            return yk_fail(err, YOKE_E_FILE,
                           "\"%s\" is missing here: if a then b else c",
                           k == 0 ? "then" : "else");
    }
    return yk_formula_select(p->formula, part[0], part[1], part[2], out, err);
}

static yoke_status parse_expression(parser *p, int *out, yoke_err *err)
{
    skip(p);
    if (!accept_word(p, "if")) return parse_logic(p, F_OR, out, err);
    YK_TRY(enter(p, err));
    YK_TRY(parse_if(p, out, err));
    p->depth--;
    return YOKE_OK;
}

yoke_status yk_formula_expression(yk_formula *formula, const char *text,
                                  size_t *at, int *root, yoke_err *err)
{
    parser p = { .formula = formula, .text = text, .at = *at };
    const yoke_status status = parse_expression(&p, root, err);

    *at = p.at;
    return status;
}

yoke_status yk_formula_equation(yk_formula *formula, const char *text,
                                size_t *at, int *root, yoke_err *err)
{
    int left = 0, right = 0;

    YK_TRY(yk_formula_expression(formula, text, at, &left, err));
    if (text[*at] != '=')
        return yk_fail(err, YOKE_E_FILE,
                       "an equation has the form a = b; \"=\" is expected "
                       "here");
    ++*at;
    YK_TRY(yk_formula_expression(formula, text, at, &right, err));
    return yk_formula_operation(formula, SUBTRACT, left, right, root, err);
}

yoke_status yk_formula_end(const char *text, size_t at, yoke_err *err)
{
    if (!text[at]) return YOKE_OK;
    return yk_fail(err, YOKE_E_FILE,
                   "\"%.20s\" does not belong to the formula; is an operator "
                   "missing?",
                   text + at);
}
