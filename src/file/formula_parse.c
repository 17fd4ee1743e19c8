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
#include "file/formula.h"

#include "base/near.h"
#include "base/quoted.h"
#include "file/units.h"

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

/* ---- steps --------------------------------------------------------------- */

static yoke_status number(parser *p, double value, int *out, yoke_err *err)
{
    return yk_formula_step(
        p->formula, (yk_expr_step){ .op = YK_OP_NUMBER, .number = value }, out,
        err);
}

static yoke_status operate(parser *p, yk_op op, int a, int b, int *out,
                           yoke_err *err)
{
    return yk_formula_step(
        p->formula, (yk_expr_step){ .op = op, .a = a, .b = b }, out, err);
}

/* ---- text ---------------------------------------------------------------- */

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
    const double value = strtod(p->text + p->at, NULL);

    if (!isfinite(value))
        return yk_fail(err, YOKE_E_FILE, "the number %.*s is too large",
                       (int)(length < 40 ? length : 40), p->text + p->at);
    p->at += length;
    return number(p, value, out, err);
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

/* Letters and digits, or anything between single quotes (base/quoted.h). */
static yoke_status parse_piece(parser *p, char *name, size_t *length,
                               yoke_err *err)
{
    if (p->text[p->at] != '\'') {
        while (yk_is_letter(p->text + p->at) || is_digit(p->text[p->at]))
            YK_TRY(put(p, name, length, err));
        return YOKE_OK;
    }
    const size_t end = p->at + yk_quoted_length(p->text + p->at);
    if (end == p->at) {
        p->at += strlen(p->text + p->at);
        return yk_fail(err, YOKE_E_FILE, "the quote ' is not closed");
    }
    while (p->at < end) YK_TRY(put(p, name, length, err));
    return YOKE_OK;
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
    return yk_is_letter(text) || *text == '\'';
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

/* ---- functions ----------------------------------------------------------- */

/* How the arguments of a function are read, and what is made of them. */
typedef enum manner {
    PLAIN, /* its operation */
    REST,  /* a - w b, where w is a / b, made whole by the operation */
    WHOLE, /* w */
    STEP,
    PULSE,
    TABLE
} manner;

static const struct {
    const char *name;
    yk_op op;
    manner manner;
} functions[] = {
    { "sin", YK_OP_SIN, PLAIN },      { "cos", YK_OP_COS, PLAIN },
    { "tan", YK_OP_TAN, PLAIN },      { "asin", YK_OP_ASIN, PLAIN },
    { "acos", YK_OP_ACOS, PLAIN },    { "atan", YK_OP_ATAN, PLAIN },
    { "sinh", YK_OP_SINH, PLAIN },    { "cosh", YK_OP_COSH, PLAIN },
    { "tanh", YK_OP_TANH, PLAIN },    { "exp", YK_OP_EXP, PLAIN },
    { "log", YK_OP_LOG, PLAIN },      { "log10", YK_OP_LOG10, PLAIN },
    { "sqrt", YK_OP_SQRT, PLAIN },    { "abs", YK_OP_ABS, PLAIN },
    { "sign", YK_OP_SIGN, PLAIN },    { "floor", YK_OP_FLOOR, PLAIN },
    { "ceil", YK_OP_CEIL, PLAIN },    { "atan2", YK_OP_ATAN2, PLAIN },
    { "min", YK_OP_MIN, PLAIN },      { "max", YK_OP_MAX, PLAIN },
    { "pow", YK_OP_POWER, PLAIN },    { "mod", YK_OP_FLOOR, REST },
    { "rem", YK_OP_TRUNC, REST },     { "div", YK_OP_TRUNC, WHOLE },
    { "step", YK_OP_NUMBER, STEP },   { "pulse", YK_OP_NUMBER, PULSE },
    { "table", YK_OP_NUMBER, TABLE },
};

enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static int find_function(const char *name)
{
    for (int i = 0; i < FUNCTIONS; i++)
        if (strcmp(functions[i].name, name) == 0) return i;
    return -1;
}

static const char *nearest_function(const char *name)
{
    const char *list[FUNCTIONS];

    for (int i = 0; i < FUNCTIONS; i++) list[i] = functions[i].name;
    return yk_nearest_word(name, FUNCTIONS, list);
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
    YK_TRY(number(p, 0.0, &zero, err));
    return operate(p, YK_OP_LESS_EQUAL, zero, x, out, err);
}

/* pulse(x, from, to): 1 for from <= x < to, else 0. */
static yoke_status parse_pulse(parser *p, int *out, yoke_err *err)
{
    static const char count[] = "three arguments: pulse(time, from, to)";
    int x = 0, from = 0, to = 0;

    YK_TRY(parse_expression(p, &x, err));
    YK_TRY(parse_comma(p, "pulse", count, err));
    YK_TRY(parse_expression(p, &from, err));
    YK_TRY(parse_comma(p, "pulse", count, err));
    YK_TRY(parse_expression(p, &to, err));
    YK_TRY(operate(p, YK_OP_LESS_EQUAL, from, x, &from, err));
    YK_TRY(operate(p, YK_OP_LESS, x, to, &to, err));
    return operate(p, YK_OP_AND, from, to, out, err);
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
    *at = NAN;
    if (yk_formula_kind(p->formula, x) == YK_KIND_NUMBER) {
        yk_formula_eval(p->formula, 0.0, NULL);
        *at = p->formula->value[x];
    }
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
static yoke_status add_line(parser *p, int x, const double at[2],
                            const int y[2], int *sum, yoke_err *err)
{
    int rise = 0, from = 0, to = 0, part = 0, width = 0;

    YK_TRY(operate(p, YK_OP_SUBTRACT, y[1], y[0], &rise, err));
    YK_TRY(number(p, at[0], &from, err));
    if (at[0] == at[1]) {
        YK_TRY(operate(p, YK_OP_LESS_EQUAL, from, x, &part, err));
    } else {
        YK_TRY(number(p, at[1], &to, err));
        YK_TRY(number(p, at[1] - at[0], &width, err));
        YK_TRY(operate(p, YK_OP_MAX, x, from, &part, err));
        YK_TRY(operate(p, YK_OP_MIN, part, to, &part, err));
        YK_TRY(operate(p, YK_OP_SUBTRACT, part, from, &part, err));
        YK_TRY(operate(p, YK_OP_DIVIDE, part, width, &part, err));
    }
    YK_TRY(operate(p, YK_OP_MULTIPLY, rise, part, &part, err));
    return operate(p, YK_OP_ADD, *sum, part, sum, err);
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
        YK_TRY(add_line(p, x, at, y, out, err));
        at[0] = at[1];
        y[0] = y[1];
    }
    return YOKE_OK;
}

/* Of w = a / b made whole. */
static yoke_status put_rest(parser *p, int which, int a, int b, int *out,
                            yoke_err *err)
{
    int part = 0;

    YK_TRY(operate(p, YK_OP_DIVIDE, a, b, &part, err));
    YK_TRY(operate(p, functions[which].op, part, part, out, err));
    if (functions[which].manner == WHOLE) return YOKE_OK;
    YK_TRY(operate(p, YK_OP_MULTIPLY, *out, b, &part, err));
    return operate(p, YK_OP_SUBTRACT, a, part, out, err);
}

static yoke_status parse_function(parser *p, int which, int *out, yoke_err *err)
{
    const char *name = functions[which].name;
    const yk_op op = functions[which].op;
    const bool made = functions[which].manner != PLAIN;
    const bool two = made || yk_op_operands(op) == 2;
    int a = 0, b = 0;

    YK_TRY(parse_expression(p, &a, err));
    if (two) YK_TRY(parse_comma(p, name, "two arguments", err));
    if (two) YK_TRY(parse_expression(p, &b, err));
    if (p->text[p->at] == ',')
        return yk_fail(err, YOKE_E_FILE, "%s has %s", name,
                       two ? "two arguments" : "one argument");
    return made ? put_rest(p, which, a, b, out, err)
                : operate(p, op, a, b, out, err);
}

/* The arguments of a function, behind its "(". */
static yoke_status parse_call(parser *p, const char *name, size_t place,
                              int *out, yoke_err *err)
{
    const int which = find_function(name);

    if (which < 0) return unknown(p, name, place, err);
    switch (functions[which].manner) {
    case STEP:
        YK_TRY(parse_step(p, out, err));
        break;
    case PULSE:
        YK_TRY(parse_pulse(p, out, err));
        break;
    case TABLE:
        YK_TRY(parse_table(p, out, err));
        break;
    default:
        YK_TRY(parse_function(p, which, out, err));
    }
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
    if (strcmp(name, "pi") == 0) return number(p, pi, out, err);
    if (strcmp(name, "time") == 0)
        return operate(p, YK_OP_TIME, 0, 0, out, err);
    return yk_formula_variable(p->formula, name, place, out, err);
}

/* A sign that a text processor or a page of the web has made of another. */
static yoke_status printed_sign(const char *text, yoke_err *err)
{
    int length = 0;
    const char *plain = yk_plain_sign(text, &length);

    return yk_fail(err, YOKE_E_FILE,
                   "the sign \"%.*s\" has no meaning here; write %s", length,
                   text, *plain == ' ' ? "a blank" : plain);
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
    if (yk_plain_sign(text, NULL)) return printed_sign(text, err);
    return yk_fail(err, YOKE_E_FILE,
                   "a number or a name is expected instead of \"%.1s\"%s", text,
                   *text == '='   ? "; write one \"=\" between the two sides"
                   : *text == '>' ? "; a signal is INPUT = OUTPUT"
                   : *text == '*' ? "; a power is a^b"
                                  : "");
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
    return operate(p, YK_OP_POWER, a, b, out, err);
}

static yoke_status parse_signed(parser *p, int *out, yoke_err *err)
{
    int a = 0;

    if (accept(p, '+')) return parse_factor(p, out, err);
    if (!accept(p, '-')) return parse_power(p, out, err);
    YK_TRY(parse_factor(p, &a, err));
    return operate(p, YK_OP_NEGATE, a, a, out, err);
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
        const yk_op op = p->text[p->at] == '*' ? YK_OP_MULTIPLY : YK_OP_DIVIDE;
        if (!accept(p, '*') && !accept(p, '/')) return YOKE_OK;
        YK_TRY(parse_factor(p, &right, err));
        YK_TRY(operate(p, op, *out, right, out, err));
    }
}

static yoke_status parse_sum(parser *p, int *out, yoke_err *err)
{
    YK_TRY(parse_product(p, out, err));
    for (;;) {
        int right = 0;
        const yk_op op = p->text[p->at] == '+' ? YK_OP_ADD : YK_OP_SUBTRACT;
        if (!accept(p, '+') && !accept(p, '-')) return YOKE_OK;
        YK_TRY(parse_product(p, &right, err));
        YK_TRY(operate(p, op, *out, right, out, err));
    }
}

/* A word of the language, not the beginning of a name. */
static bool accept_word(parser *p, const char *word)
{
    const size_t length = strlen(word);
    const char *text = p->text + p->at;

    if (strncmp(text, word, length) != 0 || yk_is_letter(text + length) ||
        is_digit(text[length]))
        return false;
    p->at += length;
    skip(p);
    return true;
}

/* a > b is b < a. */
static yoke_status parse_relation(parser *p, int *out, yoke_err *err)
{
    int right = 0;

    YK_TRY(parse_sum(p, out, err));
    const bool less = accept(p, '<');
    if (!less && !accept(p, '>')) return YOKE_OK;
    const yk_op op = p->text[p->at] == '=' ? YK_OP_LESS_EQUAL : YK_OP_LESS;
    if (op == YK_OP_LESS_EQUAL) accept(p, '=');
    YK_TRY(parse_sum(p, &right, err));
    return operate(p, op, less ? *out : right, less ? right : *out, out, err);
}

static yoke_status check_truth(parser *p, size_t place, int term, yoke_err *err)
{
    if (yk_op_is_truth(p->formula->program.step[term].op)) return YOKE_OK;
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
    return operate(p, YK_OP_NOT, *out, *out, out, err);
}

static yoke_status parse_logic(parser *p, yk_op op, int *out, yoke_err *err)
{
    const size_t place = p->at;

    YK_TRY(op == YK_OP_OR ? parse_logic(p, YK_OP_AND, out, err)
                          : parse_not(p, out, err));
    for (;;) {
        int right = 0;
        if (!accept_word(p, op == YK_OP_OR ? "or" : "and")) return YOKE_OK;
        YK_TRY(check_truth(p, place, *out, err));
        const size_t at = p->at;
        YK_TRY(op == YK_OP_OR ? parse_logic(p, YK_OP_AND, &right, err)
                              : parse_not(p, &right, err));
        YK_TRY(check_truth(p, at, right, err));
        YK_TRY(operate(p, op, *out, right, out, err));
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
    const yk_expr_step step = {
        .op = YK_OP_IF, .a = part[0], .b = part[1], .c = part[2]
    };
    return yk_formula_step(p->formula, step, out, err);
}

static yoke_status parse_expression(parser *p, int *out, yoke_err *err)
{
    skip(p);
    if (!accept_word(p, "if")) return parse_logic(p, YK_OP_OR, out, err);
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
    const yk_expr_step step = { .op = YK_OP_SUBTRACT, .a = left, .b = right };
    return yk_formula_step(formula, step, root, err);
}

/* What stands for a sign of other languages. */
static const char *native(char c)
{
    return c == '&'   ? "write and"
           : c == '|' ? "write or"
           : c == '!' ? "write not"
           : c == '?' ? "write if P then A else B"
                      : "is an operator missing?";
}

/* "24 V": a unit, and before it a number. */
static bool is_unit(const char *text, size_t at)
{
    yk_unit_scale unit;
    size_t before = at, from = at;

    if (yk_unit_read(text, &from, &unit, NULL) != YOKE_OK) return false;
    while (before > 0 && text[before - 1] == ' ') before--;
    while (before > 0 && strchr("0123456789.", text[before - 1])) before--;
    return isalpha((unsigned char)text[at]) && at > before &&
           isdigit((unsigned char)text[before]) &&
           (before == 0 || !isalpha((unsigned char)text[before - 1]));
}

yoke_status yk_formula_end(const char *text, size_t at, yoke_err *err)
{
    if (!text[at]) return YOKE_OK;
    if (yk_plain_sign(text + at, NULL)) return printed_sign(text + at, err);
    return yk_fail(err, YOKE_E_FILE,
                   "\"%.20s\" does not belong to the formula; %s", text + at,
                   is_unit(text, at) ? "its numbers are in SI units, without "
                                       "a unit behind them"
                                     : native(text[at]));
}
