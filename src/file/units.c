/* file/units.c -- units of the SI with prefixes, and numbers with units.
 *
 *     unit   = piece { ("." | "*" | "/") piece }
 *     piece  = symbol [ ["^"] whole number ] | "1" | "(" unit ")"
 *
 * Powers of ten are collected as exponents and applied by one multiplication or
 * division, so 1.1 ms is the same number as 1.1e-3 wherever possible.
 */
#include "file/units.h"

#include "file/formula.h"
#include "base/near.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 24, DEEPEST = 20, MOST_EXPONENT = 300 };

typedef struct unit {
    const char *symbol;
    int exponent;
    double factor; /* 0: `degree` */
    bool prefixes; /* takes SI prefixes */
    const char *name;
    signed char power[YK_DIMENSIONS]; /* of s, m, kg, A, K, mol */
} unit;

static const double degree = 3.14159265358979323846 / 180.0;

/* The last two are a capital omega and the sign ohm. */
static const unit units[] = {
    { "s", 0, 1.0, true, "the second", { 1, 0, 0, 0, 0, 0 } },
    { "m", 0, 1.0, true, "the metre", { 0, 1, 0, 0, 0, 0 } },
    { "g", -3, 1.0, true, "the gram", { 0, 0, 1, 0, 0, 0 } },
    { "A", 0, 1.0, true, "the ampere", { 0, 0, 0, 1, 0, 0 } },
    { "V", 0, 1.0, true, "the volt", { -3, 2, 1, -1, 0, 0 } },
    { "Ohm", 0, 1.0, true, "the ohm", { -3, 2, 1, -2, 0, 0 } },
    { "F", 0, 1.0, true, "the farad", { 4, -2, -1, 2, 0, 0 } },
    { "H", 0, 1.0, true, "the henry", { -2, 2, 1, -2, 0, 0 } },
    { "N", 0, 1.0, true, "the newton", { -2, 1, 1, 0, 0, 0 } },
    { "Pa", 0, 1.0, true, "the pascal", { -2, -1, 1, 0, 0, 0 } },
    { "J", 0, 1.0, true, "the joule", { -2, 2, 1, 0, 0, 0 } },
    { "W", 0, 1.0, true, "the watt", { -3, 2, 1, 0, 0, 0 } },
    { "Hz", 0, 1.0, true, "the hertz", { -1, 0, 0, 0, 0, 0 } },
    { "K", 0, 1.0, true, "the kelvin", { 0, 0, 0, 0, 1, 0 } },
    { "C", 0, 1.0, true, "the coulomb", { 1, 0, 0, 1, 0, 0 } },
    { "T", 0, 1.0, true, "the tesla", { -2, 0, 1, -1, 0, 0 } },
    { "Wb", 0, 1.0, true, "the weber", { -2, 2, 1, -1, 0, 0 } },
    { "S", 0, 1.0, true, "the siemens", { 3, -2, -1, 2, 0, 0 } },
    { "rad", 0, 1.0, true, "the radian", { 0, 0, 0, 0, 0, 0 } },
    { "mol", 0, 1.0, true, "the mole", { 0, 0, 0, 0, 0, 1 } },
    { "min", 0, 60.0, false, "the minute", { 1, 0, 0, 0, 0, 0 } },
    { "h", 0, 3600.0, false, "the hour", { 1, 0, 0, 0, 0, 0 } },
    { "deg", 0, 0.0, false, "the degree", { 0, 0, 0, 0, 0, 0 } },
    { "\xce\xa9", 0, 1.0, true, "the ohm", { -3, 2, 1, -2, 0, 0 } },
    { "\xe2\x84\xa6", 0, 1.0, true, "the ohm", { -3, 2, 1, -2, 0, 0 } },
};

enum { UNITS = sizeof units / sizeof units[0], ASCII_UNITS = UNITS - 2 };

typedef struct prefix {
    const char *symbol;
    int exponent;
} prefix;

static const prefix prefixes[] = {
    { "f", -15 },       { "p", -12 }, { "n", -9 }, { "u", -6 },
    { "m", -3 },        { "c", -2 },  { "d", -1 }, { "h", 2 },
    { "k", 3 },         { "M", 6 },   { "G", 9 },  { "T", 12 },
    { "\xc2\xb5", -6 }, /* the sign micro */
    { "\xce\xbc", -6 }, /* small mu */
};

enum { PREFIXES = sizeof prefixes / sizeof prefixes[0] };

/* What people write instead, and what to say about it. */
typedef struct hint {
    const char *wrong, *text;
} hint;

static const hint hints[] = {
    { "meg", "\"meg\" is a suffix of SPICE, not a unit; write 1e6 or the "
             "prefix M with a unit, such as MOhm" },
    { "mil", "\"mil\" is a suffix of SPICE, not a unit; write 25.4 um" },
    { "d", "a day is 24 h" },
    { "day", "a day is 24 h" },
    { "days", "a day is 24 h" },
    { "hours", "did you mean \"h\"?" },
    { "sec", "did you mean \"s\"?" },
    { "msec", "did you mean \"ms\"?" },
    { "usec", "did you mean \"us\"?" },
    { "hr", "did you mean \"h\"?" },
    { "hour", "did you mean \"h\"?" },
    { "volt", "did you mean \"V\"?" },
    { "amp", "did you mean \"A\"?" },
    { "newton", "did you mean \"N\"?" },
    { "degC", "temperatures are in K: add 273.15; what a model "
              "declares in degC takes the number alone" },
    { "rpm", "write rad/s: times 2*pi/60; what a model declares in "
             "rpm takes the number alone" },
    { "pi", "write it into the number: 2*pi" },
};

enum { HINTS = sizeof hints / sizeof hints[0] };

/* ---- symbols ------------------------------------------------------------- */

static const unit *find_unit(const char *symbol)
{
    for (int i = 0; i < UNITS; i++)
        if (strcmp(units[i].symbol, symbol) == 0) return &units[i];
    return NULL;
}

static const prefix *find_prefix(const char *symbol)
{
    for (int i = 0; i < PREFIXES; i++)
        if (strncmp(prefixes[i].symbol, symbol, strlen(prefixes[i].symbol)) ==
            0)
            return &prefixes[i];
    return NULL;
}

static yk_unit_scale scale_of(const unit *u, int exponent)
{
    const double factor = u->factor != 0.0 ? u->factor : degree;
    yk_unit_scale out = { u->exponent + exponent, factor, { 0 } };

    for (int k = 0; k < YK_DIMENSIONS; k++) out.power[k] = u->power[k];
    return out;
}

/* A unit alone goes first: "min" and "Pa" have no prefix. */
static bool find_symbol(const char *symbol, yk_unit_scale *out)
{
    const unit *u = find_unit(symbol);
    const prefix *p = find_prefix(symbol);

    if (u) {
        *out = scale_of(u, 0);
        return true;
    }
    if (!p) return false;
    u = find_unit(symbol + strlen(p->symbol));
    if (!u || !u->prefixes) return false;
    *out = scale_of(u, p->exponent);
    return true;
}

/* The known unit nearest to a symbol, written to `best`; "" if there is none.
 */
static void suggest(const char *symbol, char best[LONGEST])
{
    int least = strlen(symbol) > 3 ? 3 : 2;

    best[0] = '\0';
    for (int i = 0; i < ASCII_UNITS; i++)
        for (int k = -1; k < PREFIXES - 2; k++) {
            char known[LONGEST];
            if (k >= 0 && !units[i].prefixes) break;
            snprintf(known, sizeof known, "%s%s",
                     k < 0 ? "" : prefixes[k].symbol, units[i].symbol);
            const int distance = yk_word_distance(symbol, known);
            if (distance >= least || distance >= (int)strlen(known)) continue;
            least = distance;
            memcpy(best, known, LONGEST);
        }
}

static yoke_status unknown_unit(const char *symbol, yoke_err *err)
{
    const prefix *p = find_prefix(symbol);
    char near[LONGEST];

    for (int i = 0; i < HINTS; i++)
        if (yk_word_distance(symbol, hints[i].wrong) == 0)
            return yk_fail(err, YOKE_E_FILE, "there is no unit \"%s\"; %s",
                           symbol, hints[i].text);
    if (p && strcmp(p->symbol, symbol) == 0)
        return yk_fail(err, YOKE_E_FILE,
                       "\"%s\" is a prefix without a unit (suffixes of SPICE "
                       "are not used here); write 1e%d or add the unit, such "
                       "as %sV",
                       symbol, p->exponent, symbol);
    suggest(symbol, near);
    if (near[0])
        return yk_fail(err, YOKE_E_FILE,
                       "there is no unit \"%s\"; did you mean \"%s\"?", symbol,
                       near);
    return yk_fail(err, YOKE_E_FILE,
                   "there is no unit \"%s\"; leave it out or use SI units, "
                   "such as ms, kN, V, N/m",
                   symbol);
}

/* ---- parser -------------------------------------------------------------- */

typedef struct parser {
    const char *text;
    size_t at;
    int depth;
} parser;

/* Blanks, those that do not break a line included: texts copied from pages have
 * them between a number and its unit. */
static size_t blanks(const char *text)
{
    static const char *const wide[] = { "\u00a0", "\u2009", "\u202f" };
    size_t at = 0, before = 0;

    do {
        before = at += strspn(text + at, " \t\r\n");
        for (int i = 0; i < 3; i++)
            if (strncmp(text + at, wide[i], strlen(wide[i])) == 0)
                at += strlen(wide[i]);
    } while (at > before);
    return at;
}

static void skip(parser *p)
{
    p->at += blanks(p->text + p->at);
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
    return isalpha((unsigned char)c) || (unsigned char)c >= 0x80;
}

static yoke_status parse_symbol(parser *p, yk_unit_scale *out, yoke_err *err)
{
    char symbol[LONGEST];
    size_t length = 0;

    while (is_letter(p->text[p->at + length])) length++;
    if (length == 0)
        return yk_fail(err, YOKE_E_FILE,
                       p->text[p->at]
                           ? "a unit is expected instead of \"%.20s\"; write "
                             "the unit once, after the whole number"
                           : "a unit is missing at the end%s",
                       p->text + p->at);
    if (length >= LONGEST)
        return yk_fail(err, YOKE_E_FILE, "there is no unit \"%.*s...\"",
                       LONGEST, p->text + p->at);
    memcpy(symbol, p->text + p->at, length);
    symbol[length] = '\0';
    if (!find_symbol(symbol, out)) return unknown_unit(symbol, err);
    p->at += length;
    return YOKE_OK;
}

/* "^2", "2", "^-1", "-1"; otherwise the power is 1. */
static yoke_status parse_power(parser *p, int *power, yoke_err *err)
{
    const bool marked = p->text[p->at] == '^';
    const char *text = p->text + p->at + marked;
    const size_t sign = *text == '-' || *text == '+';
    const size_t digits = strspn(text + sign, "0123456789");

    *power = 1;
    if (digits == 0 && !marked) return YOKE_OK;
    if (digits == 0 || digits > 2)
        return yk_fail(err, YOKE_E_FILE,
                       "the power of a unit is a whole number of at most two "
                       "digits");
    *power = atoi(text);
    p->at += (size_t)marked + sign + digits;
    return YOKE_OK;
}

static yoke_status parse_unit(parser *p, yk_unit_scale *out, yoke_err *err);

static yoke_status parse_bracket(parser *p, yk_unit_scale *out, yoke_err *err)
{
    if (p->depth >= DEEPEST)
        return yk_fail(err, YOKE_E_FILE, "the unit is nested too deep");
    p->depth++;
    YK_TRY(parse_unit(p, out, err));
    p->depth--;
    if (accept(p, ')')) return YOKE_OK;
    return yk_fail(err, YOKE_E_FILE, "a closing \")\" is missing here");
}

static yoke_status parse_piece(parser *p, yk_unit_scale *out, yoke_err *err)
{
    int power = 1;

    *out = (yk_unit_scale){ 0, 1.0, { 0 } };
    if (accept(p, '1')) return YOKE_OK;
    if (accept(p, '(')) return parse_bracket(p, out, err);
    YK_TRY(parse_symbol(p, out, err));
    YK_TRY(parse_power(p, &power, err));
    skip(p);
    out->exponent *= power;
    out->factor = pow(out->factor, power);
    for (int k = 0; k < YK_DIMENSIONS; k++) out->power[k] *= power;
    return YOKE_OK;
}

static yoke_status check_scale(const yk_unit_scale *s, yoke_err *err)
{
    if (abs(s->exponent) <= MOST_EXPONENT && isfinite(s->factor) &&
        s->factor != 0.0)
        return YOKE_OK;
    return yk_fail(err, YOKE_E_FILE,
                   "the unit is too large or too small for a number");
}

static yoke_status parse_unit(parser *p, yk_unit_scale *out, yoke_err *err)
{
    yk_unit_scale piece;

    YK_TRY(parse_piece(p, out, err));
    YK_TRY(check_scale(out, err));
    for (;;) {
        const bool over = p->text[p->at] == '/';
        if (!accept(p, '/') && !accept(p, '.') && !accept(p, '*'))
            return YOKE_OK;
        YK_TRY(parse_piece(p, &piece, err));
        out->exponent += over ? -piece.exponent : piece.exponent;
        out->factor =
            over ? out->factor / piece.factor : out->factor * piece.factor;
        for (int k = 0; k < YK_DIMENSIONS; k++)
            out->power[k] += over ? -piece.power[k] : piece.power[k];
        YK_TRY(check_scale(out, err));
    }
}

yoke_status yk_unit_read(const char *text, size_t *at, yk_unit_scale *out,
                         yoke_err *err)
{
    parser p = { .text = text, .at = *at };
    yoke_status status = parse_unit(&p, out, err);

    if (status == YOKE_OK && text[p.at])
        status = yk_fail(err, YOKE_E_FILE,
                         "\"%.20s\" is not part of a unit; write the unit "
                         "once, after the whole number: (1 + 2) ms",
                         text + p.at);
    *at = p.at;
    return status;
}

/* ---- numbers ------------------------------------------------------------- */

static yoke_status find_names(const yk_formula *f, const yk_unit_scope *scope,
                              double *y, size_t *at, yoke_err *err)
{
    for (int i = 0; i < f->variables; i++) {
        const int number = scope ? yk_names_find(scope->names, f->name[i]) : -1;
        if (number < 0) {
            *at = f->place[i];
            return yk_fail(err, YOKE_E_FILE,
                           "\"%.100s\" is neither a number nor a parameter "
                           "defined before",
                           f->name[i]);
        }
        y[i] = scope->value[number];
    }
    return YOKE_OK;
}

static yoke_status evaluate(yk_formula *f, int root, const yk_unit_scope *scope,
                            double *value, size_t *at, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    double *y = NULL;

    YK_GO(yk_doubles(&y, (size_t)f->variables, err));
    YK_GO(find_names(f, scope, y, at, err));
    if (yk_formula_has_time(f))
        YK_GO(yk_fail(err, YOKE_E_FILE, "\"time\" is not a constant"));
    yk_formula_eval(f, 0.0, y);
    *value = f->value[root];
done:
    yk_free(y);
    return status;
}

static double apply(double value, const yk_unit_scale *scale)
{
    const double power = pow(10.0, abs(scale->exponent));

    if (scale->factor != 1.0) value *= scale->factor;
    if (scale->exponent == 0) return value;
    return scale->exponent > 0 ? value * power : value / power;
}

bool yk_unit_is_alike(const yk_unit_scale *a, const yk_unit_scale *b)
{
    for (int k = 0; k < YK_DIMENSIONS; k++)
        if (a->power[k] != b->power[k]) return false;
    return true;
}

static bool is_number(const yk_unit_scale *a)
{
    const yk_unit_scale one = { 0, 1.0, { 0 } };

    return yk_unit_is_alike(a, &one);
}

/* A letter that is a prefix and a unit, as "m": which of the two is meant? */
static void hint_prefix(const char *text, const char *expected, yoke_err *err)
{
    char symbol[LONGEST];

    snprintf(symbol, sizeof symbol, "%.*s", LONGEST - 1, text);
    const unit *u = find_unit(symbol);
    const prefix *p = find_prefix(symbol);
    if (!u || !p || strcmp(p->symbol, symbol) != 0) return;
    if (strcmp(expected, "1") == 0)
        yk_suffix(err, "; \"%s\" is %s here, not a prefix: write 1e%d", symbol,
                  u->name, p->exponent);
    else
        yk_suffix(err,
                  "; \"%s\" is %s here, not a prefix: did you mean \"%s%s\"?",
                  symbol, u->name, symbol,
                  expected + (strncmp(expected, "kg", 2) == 0));
}

/* Is the unit `text` of the dimension of the unit `expected`?  One that is not
 * known permits everything. */
static yoke_status check_dimension(const char *text, const yk_unit_scale *scale,
                                   const char *expected, yoke_err *err)
{
    yk_unit_scale wanted;
    yoke_err ignored;
    size_t at = 0;

    if (yk_unit_read(expected, &at, &wanted, &ignored) != YOKE_OK)
        return YOKE_OK;
    if (yk_unit_is_alike(scale, &wanted)) return YOKE_OK;
    if (is_number(&wanted))
        yk_fail(err, YOKE_E_FILE,
                "\"%.40s\": a number without a unit is "
                "expected",
                text);
    else
        yk_fail(err, YOKE_E_FILE,
                "\"%.40s\" is not a unit here: one like \"%.40s\" is expected",
                text, expected);
    hint_prefix(text, is_number(&wanted) ? "1" : expected, err);
    return YOKE_E_FILE;
}

double yk_unit_ratio(const yk_unit_scale *from, const yk_unit_scale *to)
{
    return from->factor / to->factor * pow(10.0, from->exponent - to->exponent);
}

/* The value in SI units. */
static yoke_status read_quantity(const char *text, const yk_unit_scope *scope,
                                 const char *expected, double *value,
                                 bool *has_unit, yk_unit_scale *found,
                                 size_t *at, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_unit_scale scale = { 0, 1.0, { 0 } };
    yk_formula formula = { 0 };
    double number = 0.0;
    int root = 0;

    *at = 0;
    YK_GO(yk_formula_expression(&formula, text, at, &root, err));
    const size_t behind = *at + blanks(text + *at);
    YK_GO(evaluate(&formula, root, scope, &number, at, err));
    *has_unit = text[behind] != '\0';
    if (*has_unit) {
        *at = behind;
        YK_GO(yk_unit_read(text, at, &scale, err));
        *at = behind;
        if (expected)
            YK_GO(check_dimension(text + behind, &scale, expected, err));
    }
    *value = apply(number, &scale);
    *found = scale;
    *at = 0;
    if (!isfinite(*value))
        status = yk_fail(err, YOKE_E_FILE, "\"%.100s\" is not a finite number",
                         text);
done:
    yk_formula_clear(&formula);
    return status;
}

yoke_status yk_quantity_read(const char *text, const yk_unit_scope *scope,
                             const char *expected, double *value, size_t *at,
                             yoke_err *err)
{
    bool has_unit = false;
    yk_unit_scale found;

    return read_quantity(text, scope, expected, value, &has_unit, &found, at,
                         err);
}

/* Length of the text before its unit, if that is `unit` letter by letter. */
static size_t before_unit(const char *text, const char *symbol)
{
    const size_t length = strlen(text), tail = strlen(symbol);

    return length > tail && strcmp(text + length - tail, symbol) == 0
               ? length - tail
               : length;
}

/* Nothing can be converted to a unit that is not known: 1e5 Pa is no number of
 * bar. */
static yoke_status read_foreign(const char *text, const yk_unit_scope *scope,
                                const char *wanted, double *value, size_t *at,
                                yoke_err *err)
{
    bool has_unit = false;
    yk_unit_scale found;
    char *number = NULL;

    YK_TRY(
        yk_print(&number, err, "%.*s", (int)before_unit(text, wanted), text));
    yoke_status status =
        read_quantity(number, scope, NULL, value, &has_unit, &found, at, err);
    if (status == YOKE_OK && has_unit)
        status = yk_fail(err, YOKE_E_FILE,
                         "\"%.60s\": nothing can be converted to %.40s, which "
                         "is not known; write the number without a unit, in "
                         "%.40s",
                         text, wanted, wanted);
    yk_free(number);
    return status;
}

yoke_status yk_quantity_read_in(const char *text, const yk_unit_scope *scope,
                                const char *expected, double *value, size_t *at,
                                yoke_err *err)
{
    static const yk_unit_scale si = { 0, 1.0, { 0 } };
    const bool any = !expected || !expected[0];
    yk_unit_scale scale, found;
    yoke_err ignored;
    bool has_unit = false;
    size_t end = 0;

    if (!any && yk_unit_read(expected, &end, &scale, &ignored) != YOKE_OK)
        return read_foreign(text, scope, expected, value, at, err);
    YK_TRY(read_quantity(text, scope, any ? NULL : expected, value, &has_unit,
                         &found, at, err));
    if (has_unit && !any) *value *= yk_unit_ratio(&si, &scale);
    return YOKE_OK;
}

yoke_status yk_quantity_read_as(const char *text, const yk_unit_zero *expected,
                                double *value, size_t *at, yoke_err *err)
{
    static const yk_unit_scale si = { 0, 1.0, { 0 } };
    yk_unit_scale found;
    bool has_unit = false;

    YK_TRY(read_quantity(text, NULL, NULL, value, &has_unit, &found, at, err));
    if (!has_unit) return YOKE_OK;
    if (!expected)
        return yk_fail(err, YOKE_E_FILE,
                       "the variable has no unit that is known: a number "
                       "without a unit is expected");
    if (!yk_unit_is_alike(&found, &expected->scale))
        return yk_fail(err, YOKE_E_FILE,
                       "\"%.60s\" has a unit of another dimension", text);
    *value = (*value - expected->offset) * yk_unit_ratio(&si, &expected->scale);
    return YOKE_OK;
}
