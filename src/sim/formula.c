/* sim/formula.c -- a formula as a list of terms, operands before operators.
 *
 *     equation   = sum "=" sum
 *     sum        = product { ("+" | "-") product }
 *     product    = factor { ("*" | "/") factor }
 *     factor     = ("+" | "-") factor | power
 *     power      = operand [ "^" factor ]
 *     operand    = number | name | function "(" sum [ "," sum ] ")" | "(" sum
 * ")"
 *
 * One pass forward evaluates everything, one pass backward gives the weights of
 * a linear expression; only the parser recurses, and that not deep.
 */
#include "sim/formula_term.h"

#include "sim/near.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 100, MOST_TERMS = 1000000, LONGEST_NAME = 500 };

/* ---- functions ----------------------------------------------------------- */

static double sign(double x)
{
    return (x > 0.0) - (x < 0.0);
}

typedef struct function {
    const char *name;
    double (*one)(double x);
    double (*two)(double x, double y);
} function;

static const function functions[] = {
    { "sin", sin, NULL },     { "cos", cos, NULL },   { "tan", tan, NULL },
    { "asin", asin, NULL },   { "acos", acos, NULL }, { "atan", atan, NULL },
    { "sinh", sinh, NULL },   { "cosh", cosh, NULL }, { "tanh", tanh, NULL },
    { "exp", exp, NULL },     { "log", log, NULL },   { "log10", log10, NULL },
    { "sqrt", sqrt, NULL },   { "abs", fabs, NULL },  { "sign", sign, NULL },
    { "atan2", NULL, atan2 }, { "min", NULL, fmin },  { "max", NULL, fmax },
    { "pow", NULL, pow },
};

enum {
    FUNCTIONS = sizeof functions / sizeof functions[0],
    POW = FUNCTIONS - 1
};

const char *yk_formula_function(int i)
{
    return functions[i].name;
}

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

/* ---- terms --------------------------------------------------------------- */

static yk_formula_class later(yk_formula_class a, yk_formula_class b)
{
    return a > b ? a : b;
}

static yk_formula_class kind_of(const yk_formula *f, const yk_term *t)
{
    const yk_formula_class a = f->term[t->a].kind, b = f->term[t->b].kind;

    switch (t->what) {
    case ADD:
    case SUBTRACT:
        return later(a, b);
    case NEGATE:
        return a;
    case MULTIPLY:
        if (a == YK_CONSTANT) return b;
        /* fall through */
    case DIVIDE:
        if (b == YK_CONSTANT) return a;
        /* fall through */
    default:
        return later(a, b) <= YK_TIME ? later(a, b) : YK_NONLINEAR;
    }
}

static yoke_status append(yk_formula *f, yk_term term, int *out, yoke_err *err)
{
    if (f->terms >= MOST_TERMS)
        return yk_fail(err, YOKE_E_FILE, "the formula has more than %d terms",
                       MOST_TERMS);
    YK_TRY(yk_grow((void **)&f->term, &f->term_room, (size_t)f->terms + 1,
                   sizeof *f->term, err));
    YK_TRY(yk_grow((void **)&f->value, &f->value_room, (size_t)f->terms + 1,
                   sizeof *f->value, err));
    f->term[f->terms] = term;
    *out = f->terms++;
    return YOKE_OK;
}

static yoke_status append_operation(yk_formula *f, operation what, int a, int b,
                                    int which, int *out, yoke_err *err)
{
    yk_term term = { .what = what, .a = a, .b = b, .function = which };

    term.kind = kind_of(f, &term);
    return append(f, term, out, err);
}

static yoke_status new_variable(yk_formula *f, const char *name, size_t place,
                                yoke_err *err)
{
    const size_t need = (size_t)f->variables + 1;
    char *copy = NULL;

    YK_TRY(
        yk_grow((void **)&f->name, &f->name_room, need, sizeof *f->name, err));
    YK_TRY(yk_grow((void **)&f->place, &f->place_room, need, sizeof *f->place,
                   err));
    YK_TRY(yk_copy_text(&copy, name, err));
    f->name[f->variables] = copy;
    f->place[f->variables++] = place;
    return yk_names_add(&f->names, copy, f->variables - 1, err);
}

static yoke_status append_variable(yk_formula *f, const char *name,
                                   size_t place, int *out, yoke_err *err)
{
    int number = yk_names_find(&f->names, name);

    if (number < 0) {
        number = f->variables;
        YK_TRY(new_variable(f, name, place, err));
    }
    const yk_term term = { .what = VARIABLE, .kind = YK_LINEAR, .a = number };
    return append(f, term, out, err);
}

void yk_formula_clear(yk_formula *f)
{
    for (int i = 0; i < f->variables; i++) yk_free(f->name[i]);
    yk_names_clear(&f->names);
    yk_free(f->name);
    yk_free(f->place);
    yk_free(f->term);
    yk_free(f->value);
    *f = (yk_formula){ 0 };
}

/* ---- parser -------------------------------------------------------------- */

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
    const yk_term term = { .what = NUMBER, .number = number };
    return append(p->formula, term, out, err);
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

static yoke_status parse_sum(parser *p, int *out, yoke_err *err);

static yoke_status close_bracket(parser *p, yoke_err *err)
{
    skip(p);
    if (accept(p, ')')) return YOKE_OK;
    return yk_fail(err, YOKE_E_FILE, "a closing \")\" is missing here");
}

/* The arguments of a function, behind its "(". */
static yoke_status parse_call(parser *p, const char *name, size_t place,
                              int *out, yoke_err *err)
{
    const int which = find_function(name);
    int a = 0, b = 0;

    if (which < 0) {
        const char *near = nearest_function(name);
        p->at = place;
        return yk_fail(
            err, YOKE_E_FILE, "there is no function \"%.100s\"%s%s%s", name,
            near ? "; is \"" : "", near ? near : "", near ? "\" meant?" : "");
    }
    YK_TRY(parse_sum(p, &a, err));
    const bool two = functions[which].two != NULL;
    if (two && !accept(p, ','))
        return yk_fail(err, YOKE_E_FILE, "%s has two arguments", name);
    if (two) YK_TRY(parse_sum(p, &b, err));
    if (p->text[p->at] == ',')
        return yk_fail(err, YOKE_E_FILE, "%s has %s", name,
                       two ? "two arguments" : "one argument");
    YK_TRY(close_bracket(p, err));
    return append_operation(p->formula, two ? APPLY_2 : APPLY, a, two ? b : a,
                            which, out, err);
}

static yoke_status parse_named(parser *p, int *out, yoke_err *err)
{
    static const double pi = 3.14159265358979323846;
    const yk_term constant = { .what = NUMBER, .number = pi };
    const yk_term now = { .what = TIME, .kind = YK_TIME };
    const size_t place = p->at;
    char name[LONGEST_NAME];

    YK_TRY(parse_name(p, name, err));
    if (p->text[p->at] == '(') {
        accept(p, '(');
        return parse_call(p, name, place, out, err);
    }
    if (strcmp(name, "pi") == 0) return append(p->formula, constant, out, err);
    if (strcmp(name, "time") == 0) return append(p->formula, now, out, err);
    return append_variable(p->formula, name, place, out, err);
}

static yoke_status parse_operand(parser *p, int *out, yoke_err *err)
{
    const char *text = p->text + p->at;
    const size_t length = number_length(text);

    if (length) return parse_number(p, length, out, err);
    if (begins_name(text)) return parse_named(p, out, err);
    if (accept(p, '(')) {
        YK_TRY(parse_sum(p, out, err));
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
    return append_operation(p->formula, APPLY_2, a, b, POW, out, err);
}

static yoke_status parse_signed(parser *p, int *out, yoke_err *err)
{
    int a = 0;

    if (accept(p, '+')) return parse_factor(p, out, err);
    if (!accept(p, '-')) return parse_power(p, out, err);
    YK_TRY(parse_factor(p, &a, err));
    return append_operation(p->formula, NEGATE, a, a, 0, out, err);
}

/* Every way into the depth leads through here. */
static yoke_status parse_factor(parser *p, int *out, yoke_err *err)
{
    if (p->depth >= DEEPEST)
        return yk_fail(err, YOKE_E_FILE,
                       "the formula is nested more than %d deep", DEEPEST);
    p->depth++;
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
        YK_TRY(append_operation(p->formula, what, *out, right, 0, out, err));
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
        YK_TRY(append_operation(p->formula, what, *out, right, 0, out, err));
    }
}

yoke_status yk_formula_expression(yk_formula *formula, const char *text,
                                  size_t *at, int *root, yoke_err *err)
{
    parser p = { .formula = formula, .text = text, .at = *at };
    const yoke_status status = parse_sum(&p, root, err);

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
    return append_operation(formula, SUBTRACT, left, right, 0, root, err);
}

yoke_status yk_formula_end(const char *text, size_t at, yoke_err *err)
{
    if (!text[at]) return YOKE_OK;
    return yk_fail(err, YOKE_E_FILE,
                   "\"%.20s\" does not belong to the formula; is an operator "
                   "missing?",
                   text + at);
}

/* ---- values -------------------------------------------------------------- */

static double value_of(const yk_formula *f, const yk_term *t, double time,
                       const double *y)
{
    const double a = t->what > VARIABLE ? f->value[t->a] : 0.0;
    const double b = t->what > VARIABLE ? f->value[t->b] : 0.0;

    switch (t->what) {
    case NUMBER:
        return t->number;
    case TIME:
        return time;
    case VARIABLE:
        return y ? y[t->a] : 0.0;
    case ADD:
        return a + b;
    case SUBTRACT:
        return a - b;
    case MULTIPLY:
        return a * b;
    case DIVIDE:
        return a / b;
    case NEGATE:
        return -a;
    case APPLY:
        return functions[t->function].one(a);
    case APPLY_2:
        return functions[t->function].two(a, b);
    }
    return NAN;
}

void yk_formula_eval(yk_formula *f, double t, const double *y)
{
    for (int i = 0; i < f->terms; i++)
        f->value[i] = value_of(f, &f->term[i], t, y);
}

yk_formula_class yk_formula_kind(const yk_formula *f, int root)
{
    return f->term[root].kind;
}

bool yk_formula_has_time(const yk_formula *f)
{
    for (int i = 0; i < f->terms; i++)
        if (f->term[i].what == TIME) return true;
    return false;
}

/* d(root) / d(term) goes from each operator to its operands; nothing flows
 * into terms that do not depend on y. */
static void spread(const yk_formula *f, const yk_term *t, double d,
                   double *weight, double *factor)
{
    switch (t->what) {
    case VARIABLE:
        weight[t->a] += d;
        break;
    case ADD:
    case SUBTRACT:
        factor[t->a] += d;
        factor[t->b] += t->what == ADD ? d : -d;
        break;
    case NEGATE:
        factor[t->a] -= d;
        break;
    case MULTIPLY:
        if (f->term[t->a].kind == YK_CONSTANT)
            factor[t->b] += d * f->value[t->a];
        else
            factor[t->a] += d * f->value[t->b];
        break;
    case DIVIDE:
        factor[t->a] += d / f->value[t->b];
        break;
    default:
        break;
    }
}

void yk_formula_weights(yk_formula *f, int root, double *weight, double *factor)
{
    yk_formula_eval(f, 0.0, NULL);
    memset(weight, 0, sizeof *weight * (size_t)f->variables);
    memset(factor, 0, sizeof *factor * (size_t)f->terms);
    factor[root] = 1.0;
    for (int i = root; i >= 0; i--)
        if (f->term[i].kind == YK_LINEAR && factor[i] != 0.0)
            spread(f, &f->term[i], factor[i], weight, factor);
}
