/* comp/netlist/analyse/measure.c -- .measure on a table of rows.
 *
 * Everything is done on straight lines between rows, cut to the interval that
 * `from`, `to` and `td` leave: sums for averages are exact for such lines, and
 * crossings are found where the line meets the level.
 *
 * A crossing is counted where the difference d to the level changes its sign.
 * Where d = 0 at a row it counts once: on arrival, or on departure if the
 * waveform begins at the level or leaves it on the side from which it came.
 */
#include "comp/netlist/analyse/measure.h"

#include "base/near.h"
#include "comp/netlist/read/read.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LAST = -1 };

enum { ROOM = 1100 }; /* of a name */

/* A column or the difference of two; -1: zero. */
typedef struct signal {
    int plus, minus;
    char part; /* of complex columns: 'r', 'i', 'm', 'p', 'd' (decibel) */
    bool is_constant;
    double level; /* if is_constant */
} signal;

/* What stands behind a signal: name = value. */
typedef struct limits {
    double from, to, val, at;
    bool has_val, has_at;
    int rise, fall, cross; /* 0: not given, LAST */
} limits;

typedef struct parse {
    const yk_net_measure *m;
    const yk_net_rows *rows;
    int next;
} parse;

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* ---- signals ------------------------------------------------------------- */

/* Splits "vdb(a,b)" into 'v', "db", "a", "b"; false if it is no such text. */
static bool split_name(const char *text, char *kind, char part[3], char *a,
                       char *b, size_t room)
{
    const char *open = strchr(text, '('), *close = strrchr(text, ')');
    const char *comma = open ? strchr(open, ',') : NULL;

    if ((text[0] != 'v' && text[0] != 'i') || !open || !close || close[1] ||
        open - text > 3)
        return false;
    const char *end = comma ? comma : close;
    if ((size_t)(close - open) >= room || end == open + 1 ||
        (comma && comma + 1 == close))
        return false;
    *kind = text[0];
    snprintf(part, 3, "%.*s", (int)(open - text - 1), text + 1);
    snprintf(a, room, "%.*s", (int)(end - open - 1), open + 1);
    b[0] = '\0';
    if (comma) snprintf(b, room, "%.*s", (int)(close - comma - 1), comma + 1);
    return true;
}

static bool is_ground(const char *node)
{
    return strcmp(node, "0") == 0 || strcmp(node, "gnd") == 0;
}

/* Column kind(name); -1 for ground, -2: there is none. */
static int find_column(const yk_net_rows *rows, char kind, const char *name)
{
    const size_t length = strlen(name);

    if (kind == 'v' && is_ground(name)) return -1;
    for (int k = 1; k < rows->columns; k++) {
        const char *c = rows->name[k];
        if (c[0] == kind && c[1] == '(' && strncmp(c + 2, name, length) == 0 &&
            strcmp(c + 2 + length, ")") == 0)
            return k;
    }
    return -2;
}

static bool part_of(const yk_net_rows *rows, const char *text, char *part)
{
    static const char *const known[] = { "", "r", "i", "m", "p", "db" };

    *part = 'r';
    for (int k = 0; k < COUNT(known); k++)
        if (strcmp(text, known[k]) == 0) {
            if (k > 0) *part = text[0];
            return k == 0 || rows->is_complex;
        }
    return false;
}

static const char *called(const yk_net_measure *m)
{
    return m->plain ? "measure" : ".measure";
}

static yoke_status fail_at(const parse *p, yoke_status status, const char *what,
                           const char *word, yoke_err *err)
{
    return yk_net_fail(err, status, p->m->at, "%s %.60s: %s%.120s%s",
                       called(p->m), p->m->name, what, word ? word : "",
                       word ? "\"" : "");
}

static const char *word_at(const parse *p, int k)
{
    return k < p->m->words ? p->m->word[k] : "";
}

/* The column of exactly that name. */
static int named_column(const yk_net_rows *rows, const char *text)
{
    for (int k = rows->columns - 1; k > 0; k--)
        if (strcmp(rows->name[k], text) == 0) return k;
    return -2;
}

static yoke_status read_signal(parse *p, signal *s, yoke_err *err)
{
    char kind, part[3], a[ROOM], b[ROOM];
    const int at = p->next++;
    const char *text = word_at(p, at);

    *s = (signal){ .plus = -2, .minus = -1, .part = 'r' };
    if (!text[0])
        return fail_at(p, YOKE_E_ARG, "a signal is missing at the end", NULL,
                       err);
    if (strcmp(text, p->rows->name[0]) == 0) {
        s->plus = 0;
        return YOKE_OK;
    }
    if (at < p->m->words && (p->m->plain || (p->m->expr && p->m->expr[at]))) {
        s->plus = named_column(p->rows, text);
        return s->plus > 0
                   ? YOKE_OK
                   : fail_at(p, YOKE_E_ARG, "expected a signal here, not \"",
                             text, err);
    }
    if (text[0] == '@' && (s->plus = named_column(p->rows, text)) > 0)
        return YOKE_OK;
    if (!split_name(text, &kind, part, a, b, ROOM) ||
        !part_of(p->rows, part, &s->part))
        return fail_at(p, YOKE_E_ARG,
                       p->rows->is_complex
                           ? "expected v(node), v(a,b), i(source), vm, vdb, "
                             "vp, vr or vi, not \""
                           : "expected v(node), v(a,b) or i(source), not \"",
                       text, err);
    s->plus = find_column(p->rows, kind, a);
    if (b[0]) s->minus = find_column(p->rows, kind, b);
    if (s->plus != -2 && s->minus != -2) return YOKE_OK;
    const char *near = yk_nearest_word(text, p->rows->columns - 1,
                                       (const char *const *)p->rows->name + 1);
    fail_at(p, YOKE_E_ARG, "there is no column for \"", text, err);
    if (near) yk_suffix(err, "; did you mean \"%.60s\"?", near);
    return YOKE_E_ARG;
}

static double complex column_value(const yk_net_rows *t, int k, size_t row)
{
    const size_t n = (size_t)t->columns;

    if (k < 0) return 0.0;
    if (!t->is_complex) return t->value[row * n + (size_t)k];
    const double *z = t->value + 2 * (row * n + (size_t)k);
    return z[0] + I * z[1];
}

static double scale_at(const yk_net_rows *t, int row)
{
    return creal(column_value(t, 0, (size_t)row));
}

static double value_at(const yk_net_rows *t, const signal *s, int row)
{
    if (s->is_constant) return s->level;
    const double complex z = column_value(t, s->plus, (size_t)row) -
                             column_value(t, s->minus, (size_t)row);
    switch (s->part) {
    case 'i':
        return cimag(z);
    case 'm':
        return cabs(z);
    case 'p':
        return carg(z);
    case 'd':
        return 20.0 * log10(cabs(z));
    default:
        return creal(z);
    }
}

/* ---- lines between rows -------------------------------------------------- */

typedef struct line {
    double x0, x1, y0, y1;
} line;

/* Line k of a - b (b may be NULL), cut to [from, to]; false: it is outside. */
static bool line_at(const yk_net_rows *t, const signal *a, const signal *b,
                    const limits *l, int k, line *out)
{
    const double x0 = scale_at(t, k), x1 = scale_at(t, k + 1);
    double y0 = value_at(t, a, k), y1 = value_at(t, a, k + 1);
    double w0 = 0.0, w1 = 1.0;

    if (fmax(x0, x1) < l->from || fmin(x0, x1) > l->to) return false;
    if (b) {
        y0 -= value_at(t, b, k);
        y1 -= value_at(t, b, k + 1);
    }
    if (x1 != x0) {
        const double first = (l->from - x0) / (x1 - x0);
        const double last = (l->to - x0) / (x1 - x0);
        w0 = fmax(w0, fmin(first, last));
        w1 = fmin(w1, fmax(first, last));
        if (w0 > w1) return false;
    }
    *out = (line){ w0 > 0.0 ? x0 + w0 * (x1 - x0) : x0,
                   w1 < 1.0 ? x0 + w1 * (x1 - x0) : x1,
                   w0 > 0.0 ? y0 + w0 * (y1 - y0) : y0,
                   w1 < 1.0 ? y0 + w1 * (y1 - y0) : y1 };
    return true;
}

static bool same_place(const yk_net_rows *t, double a, double b)
{
    return fabs(a - b) <=
           1e-9 * fabs(scale_at(t, t->rows - 1) - scale_at(t, 0));
}

/* The first line that x lies on, x rounded into the table; -1: there is none.
 */
static int line_of(const yk_net_rows *t, double *x)
{
    for (int k = 0; k + 1 < t->rows; k++) {
        const double x0 = scale_at(t, k), x1 = scale_at(t, k + 1);
        if (fmin(x0, x1) <= *x && *x <= fmax(x0, x1)) return k;
    }
    if (same_place(t, *x, scale_at(t, 0))) {
        *x = scale_at(t, 0);
        return 0;
    }
    if (!same_place(t, *x, scale_at(t, t->rows - 1))) return -1;
    *x = scale_at(t, t->rows - 1);
    return t->rows - 2;
}

static double interpolate(const yk_net_rows *t, const signal *s, int k,
                          double x)
{
    const double x0 = scale_at(t, k), x1 = scale_at(t, k + 1);
    const double y0 = value_at(t, s, k), y1 = value_at(t, s, k + 1);

    return x1 == x0 ? y1 : y0 + (x - x0) / (x1 - x0) * (y1 - y0);
}

/* By the parabola through three rows around x. */
static double derivative(const yk_net_rows *t, const signal *s, int k, double x)
{
    const double a = scale_at(t, k), b = scale_at(t, k + 1);
    const double slope = (value_at(t, s, k + 1) - value_at(t, s, k)) / (b - a);
    const bool before =
        k > 0 && (k + 2 >= t->rows || fabs(x - a) < fabs(b - x));
    const int third = before ? k - 1 : k + 2;

    if (third >= t->rows) return slope;
    const double c = scale_at(t, third);
    if (c == a || c == b) return slope;
    const double from_a = (value_at(t, s, third) - value_at(t, s, k)) / (c - a);
    const double bend = (from_a - slope) / (c - b);
    return slope + bend * ((x - a) + (x - b));
}

/* ---- crossings ----------------------------------------------------------- */

typedef enum side { AT_START, BELOW, ABOVE, FROM_BELOW, FROM_ABOVE } side;

static side side_of(double d)
{
    return d > 0.0 ? ABOVE : d < 0.0 ? BELOW : AT_START;
}

/* Follows one line; 1: it rises through the level, -1: falls, at *x. */
static int follow(side *now, const line *l, double *x)
{
    const side was = *now, next = side_of(l->y1);

    if (next == AT_START) {
        *x = l->x1;
        if (was == BELOW) *now = FROM_BELOW;
        if (was == ABOVE) *now = FROM_ABOVE;
        return was == BELOW ? 1 : was == ABOVE ? -1 : 0;
    }
    *now = next;
    if (was == next || (was == FROM_BELOW && next == ABOVE) ||
        (was == FROM_ABOVE && next == BELOW))
        return 0;
    *x = l->x0;
    if (was == BELOW || was == ABOVE)
        *x += (l->x1 - l->x0) * l->y0 / (l->y0 - l->y1);
    return next == ABOVE ? 1 : -1;
}

/* A difference below this is none: rounding must not count as a crossing. */
static double rounding(const yk_net_rows *t, const signal *a, const signal *b)
{
    double most = 0.0;

    for (int k = 0; k < t->rows; k++) {
        const double d = fabs(value_at(t, a, k) - value_at(t, b, k));
        if (isfinite(d)) most = fmax(most, d);
    }
    return 1e-12 * most;
}

/* Where a meets b, by the counts of `l`. */
static yoke_status find_crossing(const parse *p, const signal *a,
                                 const signal *b, const limits *l, double *out,
                                 yoke_err *err)
{
    const int wanted = l->rise ? l->rise : l->fall ? l->fall : l->cross;
    const double tiny = rounding(p->rows, a, b);
    bool begun = false;
    side now = AT_START;
    int count = 0;

    *out = NAN;
    for (int k = 0; k + 1 < p->rows->rows; k++) {
        line part;
        double x;
        if (!line_at(p->rows, a, b, l, k, &part)) continue;
        if (fabs(part.y0) <= tiny) part.y0 = 0.0;
        if (fabs(part.y1) <= tiny) part.y1 = 0.0;
        if (!begun) now = side_of(part.y0);
        begun = true;
        const int turn = follow(&now, &part, &x);
        if (turn == 0 || (l->rise && turn < 0) || (l->fall && turn > 0))
            continue;
        if (++count != wanted && wanted != LAST) continue;
        *out = x;
        if (wanted != LAST) return YOKE_OK;
    }
    if (count > 0 && wanted == LAST) return YOKE_OK;
    return yk_net_fail(err, YOKE_E_MODEL, p->m->at,
                       "%s %.60s failed: %d crossing%s of this kind from "
                       "%g to %g, the one wanted is not among them",
                       called(p->m), p->m->name, count, count == 1 ? "" : "s",
                       fmax(l->from, scale_at(p->rows, 0)),
                       fmin(l->to, scale_at(p->rows, p->rows->rows - 1)));
}

/* ---- words --------------------------------------------------------------- */

static bool read_number(const char *text, double *value)
{
    const int length = (int)strlen(text);
    int used = 0;

    *value = yk_net_number(text, length, &used);
    return used == length && used > 0;
}

static yoke_status read_count(parse *p, const char *text, int *count,
                              yoke_err *err)
{
    double value = 0.0;

    if (strcmp(text, "last") == 0) {
        *count = LAST;
        return YOKE_OK;
    }
    if (!read_number(text, &value) || !(value >= 1.0 && value <= 1e9) ||
        value != floor(value))
        return fail_at(p, YOKE_E_ARG,
                       "rise, fall and cross take a whole number from 1 on or "
                       "last, not \"",
                       text, err);
    *count = (int)value;
    return YOKE_OK;
}

/* One `name = value` behind a signal; LTspice leaves the sign out. */
static yoke_status read_limit(parse *p, limits *l, yoke_err *err)
{
    const bool sign = strcmp(word_at(p, p->next + 1), "=") == 0;
    const char *name = word_at(p, p->next),
               *text = word_at(p, p->next + (sign ? 2 : 1));
    int *const count[] = { &l->rise, &l->fall, &l->cross };
    static const char *const counted[] = { "rise", "fall", "cross" };
    double value;

    if (!sign && !(read_number(text, &value) || strcmp(text, "last") == 0))
        return fail_at(p, YOKE_E_ARG, "not understood: \"", name, err);
    p->next += sign ? 3 : 2;
    for (int k = 0; k < COUNT(counted); k++)
        if (strcmp(name, counted[k]) == 0) {
            if (l->rise || l->fall || l->cross)
                return fail_at(p, YOKE_E_ARG,
                               "rise, fall and cross cannot be used together; "
                               "one too many is \"",
                               name, err);
            return read_count(p, text, count[k], err);
        }
    if (!read_number(text, &value))
        return fail_at(p, YOKE_E_ARG, "this is not a number: \"", text, err);
    if (strcmp(name, "from") == 0 || strcmp(name, "td") == 0)
        l->from = fmax(l->from, value);
    else if (strcmp(name, "to") == 0)
        l->to = value;
    else if (strcmp(name, "val") == 0)
        l->val = value, l->has_val = true;
    else if (strcmp(name, "at") == 0)
        l->at = value, l->has_at = true;
    else
        return fail_at(p, YOKE_E_ARG, "not supported: \"", name, err);
    return YOKE_OK;
}

static bool ends_limits(const char *word)
{
    return !word[0] || strcmp(word, "targ") == 0 || strcmp(word, "when") == 0;
}

static yoke_status read_limits(parse *p, limits *l, yoke_err *err)
{
    while (!ends_limits(word_at(p, p->next))) YK_TRY(read_limit(p, l, err));
    return YOKE_OK;
}

static limits no_limits(void)
{
    return (limits){ .from = -INFINITY, .to = INFINITY };
}

static yoke_status expect_end(const parse *p, yoke_err *err)
{
    return p->next >= p->m->words ? YOKE_OK
                                  : fail_at(p, YOKE_E_ARG, "not understood: \"",
                                            word_at(p, p->next), err);
}

/* ---- what is measured ---------------------------------------------------- */

/* = value or = signal. */
static yoke_status read_level(parse *p, signal *level, yoke_err *err)
{
    *level = (signal){ .is_constant = true };
    p->next++;
    if (!read_number(word_at(p, p->next), &level->level))
        return read_signal(p, level, err);
    p->next++;
    return YOKE_OK;
}

/* signal val = ... counts, or at = ...: an instant of trig or targ. */
static yoke_status read_instant(parse *p, double *x, yoke_err *err)
{
    limits l = no_limits();
    signal s = { 0 }, level = { .is_constant = true };
    const bool no_signal = strcmp(word_at(p, p->next), "at") == 0;

    if (!no_signal) YK_TRY(read_signal(p, &s, err));
    const bool equals = !no_signal && strcmp(word_at(p, p->next), "=") == 0;
    if (equals) YK_TRY(read_level(p, &level, err));
    YK_TRY(read_limits(p, &l, err));
    *x = l.at;
    if (l.has_at) return YOKE_OK;
    if (equals && !(l.rise || l.fall || l.cross)) l.cross = 1;
    if (no_signal || l.has_val == equals || !(l.rise || l.fall || l.cross))
        return fail_at(p, YOKE_E_ARG,
                       "trig and targ need at, or a signal with val and rise, "
                       "fall or cross, or signal = value as in LTspice",
                       NULL, err);
    if (!equals) level.level = l.val;
    return find_crossing(p, &s, &level, &l, x, err);
}

static yoke_status trig_targ(parse *p, double *value, yoke_err *err)
{
    double trig, targ;

    YK_TRY(read_instant(p, &trig, err));
    if (strcmp(word_at(p, p->next), "targ") != 0)
        return fail_at(p, YOKE_E_ARG, "targ is missing after trig", NULL, err);
    p->next++;
    YK_TRY(read_instant(p, &targ, err));
    YK_TRY(expect_end(p, err));
    *value = targ - trig;
    return YOKE_OK;
}

/* signal = value or signal = signal, and limits. */
static yoke_status when(parse *p, double *x, yoke_err *err)
{
    limits l = no_limits();
    signal a, b;

    YK_TRY(read_signal(p, &a, err));
    if (strcmp(word_at(p, p->next), "=") != 0)
        return fail_at(p, YOKE_E_ARG,
                       "when needs signal = value or signal = signal", NULL,
                       err);
    YK_TRY(read_level(p, &b, err));
    YK_TRY(read_limits(p, &l, err));
    YK_TRY(expect_end(p, err));
    if (l.has_val || l.has_at)
        return fail_at(p, YOKE_E_ARG, "val and at do not go with when", NULL,
                       err);
    if (!(l.rise || l.fall || l.cross)) l.cross = 1;
    return find_crossing(p, &a, &b, &l, x, err);
}

/* find or deriv: signal at = x, or signal when ... */
static yoke_status find(parse *p, bool deriv, double *value, yoke_err *err)
{
    limits l = no_limits();
    signal s;
    double x;

    YK_TRY(read_signal(p, &s, err));
    YK_TRY(read_limits(p, &l, err));
    if (strcmp(word_at(p, p->next), "when") == 0) {
        p->next++;
        YK_TRY(when(p, &x, err));
    } else {
        YK_TRY(expect_end(p, err));
        if (!l.has_at)
            return fail_at(p, YOKE_E_ARG, "find and deriv need at or when",
                           NULL, err);
        x = l.at;
    }
    const int k = line_of(p->rows, &x);
    if (k < 0)
        return yk_net_fail(err, YOKE_E_MODEL, p->m->at,
                           "%s %.60s failed: %g is not between %g and %g",
                           called(p->m), p->m->name, x, scale_at(p->rows, 0),
                           scale_at(p->rows, p->rows->rows - 1));
    *value =
        deriv ? derivative(p->rows, &s, k, x) : interpolate(p->rows, &s, k, x);
    return YOKE_OK;
}

typedef struct statistics {
    double span, integral, square; /* of the value, of its square */
    double least, most, least_at, most_at;
} statistics;

static void include_point(statistics *s, double x, double y)
{
    if (y < s->least) s->least = y, s->least_at = x;
    if (y > s->most) s->most = y, s->most_at = x;
}

static yoke_status gather(parse *p, statistics *out, yoke_err *err)
{
    limits l = no_limits();
    signal s;

    *out = (statistics){ .least = INFINITY, .most = -INFINITY };
    YK_TRY(read_signal(p, &s, err));
    YK_TRY(read_limits(p, &l, err));
    YK_TRY(expect_end(p, err));
    if (l.has_val || l.has_at || l.rise || l.fall || l.cross)
        return fail_at(p, YOKE_E_ARG, "only td, from and to go with \"",
                       p->m->word[0], err);
    for (int k = 0; k + 1 < p->rows->rows; k++) {
        line part;
        if (!line_at(p->rows, &s, NULL, &l, k, &part)) continue;
        const double a = part.y0, b = part.y1, h = fabs(part.x1 - part.x0);
        out->span += h;
        out->integral += h * (a + b) / 2.0;
        out->square += h * (a * a + a * b + b * b) / 3.0;
        include_point(out, part.x0, a);
        include_point(out, part.x1, b);
    }
    if (out->span > 0.0) return YOKE_OK;
    return yk_net_fail(err, YOKE_E_MODEL, p->m->at,
                       "%s %.60s failed: nothing was computed from %g "
                       "to %g",
                       called(p->m), p->m->name, l.from, l.to);
}

typedef enum figure { AVG, INTEG, RMS, MAX, MIN, PP, MAX_AT, MIN_AT } figure;

/* The value of a row. */
static yoke_status value_of_row(parse *p, int row, double *value, yoke_err *err)
{
    signal s;

    YK_TRY(read_signal(p, &s, err));
    YK_TRY(expect_end(p, err));
    *value = value_at(p->rows, &s, row);
    return YOKE_OK;
}

static yoke_status statistic(parse *p, figure which, double *value,
                             yoke_err *err)
{
    statistics s;

    YK_TRY(gather(p, &s, err));
    const double figures[] = { [AVG] = s.integral / s.span,
                               [INTEG] = s.integral,
                               [RMS] = sqrt(s.square / s.span),
                               [MAX] = s.most,
                               [MIN] = s.least,
                               [PP] = s.most - s.least,
                               [MAX_AT] = s.most_at,
                               [MIN_AT] = s.least_at };
    *value = figures[which];
    return YOKE_OK;
}

static bool is_monotone(const yk_net_rows *t)
{
    const double way = scale_at(t, t->rows - 1) - scale_at(t, 0);

    for (int k = 0; k + 1 < t->rows; k++)
        if ((scale_at(t, k + 1) - scale_at(t, k)) * way < 0.0) return false;
    return true;
}

/* ---- expressions --------------------------------------------------------- */

/* The columns of the variables of an expression. */
static yoke_status find_vars(const parse *p, const yk_net_expr *e, int *plus,
                             int *minus, yoke_err *err)
{
    const yk_netlist *net = p->m->net;

    for (int k = 0; k < e->vars; k++) {
        const yk_net_var *v = &e->var[k];
        minus[k] = -1;
        if (v->is_current) {
            plus[k] = find_column(p->rows, 'i', net->element[v->a].name);
        } else {
            plus[k] = v->a ? find_column(p->rows, 'v', net->node[v->a]) : -1;
            minus[k] = v->b ? find_column(p->rows, 'v', net->node[v->b]) : -1;
        }
        if (plus[k] == -2 || minus[k] == -2)
            return fail_at(p, YOKE_E_ARG, "there is no column for par(\"",
                           e->text, err);
    }
    return YOKE_OK;
}

static yoke_status fill_par(const parse *p, const yk_net_expr *e,
                            yk_net_rows *t, int column, yoke_err *err)
{
    const size_t vars = (size_t)e->vars;
    double *room = NULL;
    int *at = NULL;
    yoke_status status = YOKE_OK;

    YK_GO(yk_ints(&at, 2 * vars + 1, err));
    YK_GO(yk_doubles(&room, 2 * vars + 1 + yk_net_expr_work(e), err));
    YK_GO(find_vars(p, e, at, at + vars, err));
    for (int i = 0; i < t->rows; i++) {
        for (size_t k = 0; k < vars; k++)
            room[k] = creal(column_value(p->rows, at[k], (size_t)i) -
                            column_value(p->rows, at[vars + k], (size_t)i));
        yk_net_expr_eval(
            e, scale_at(p->rows, i), room,
            &t->value[(size_t)i * (size_t)t->columns + (size_t)column],
            room + vars, room + 2 * vars + 1);
    }
done:
    YK_FREE(room, at);
    return status;
}

/* The table with a column for each par(...) of the measure. */
static yoke_status extend(const parse *p, int pars, yk_net_rows *t,
                          yoke_err *err)
{
    const yk_net_rows *from = p->rows;
    const size_t old = (size_t)from->columns;
    int column = from->columns;

    *t = (yk_net_rows){ .rows = from->rows, .columns = from->columns + pars };
    YK_TRY(YK_NEW(&t->name, t->columns, err));
    YK_TRY(yk_doubles(&t->value, (size_t)t->rows * (size_t)t->columns, err));
    memcpy(t->name, from->name, old * sizeof *t->name);
    for (int i = 0; i < t->rows; i++)
        memcpy(t->value + (size_t)i * (size_t)t->columns,
               from->value + (size_t)i * old, old * sizeof *t->value);
    for (int k = 0; k < p->m->words; k++) {
        if (!p->m->expr[k]) continue;
        YK_TRY(fill_par(p, p->m->expr[k], t, column, err));
        t->name[column++] = p->m->word[k];
    }
    return YOKE_OK;
}

/* param = expression of earlier results. */
static yoke_status param(const parse *p, const double *result, double *value,
                         yoke_err *err)
{
    const yk_net_expr *e =
        p->m->words == 3 && p->m->expr ? p->m->expr[2] : NULL;
    double *room = NULL;

    if (!e)
        return fail_at(p, YOKE_E_ARG, "param needs = and an expression", NULL,
                       err);
    if (!result) return YOKE_OK;
    for (int k = 0; k < e->vars; k++)
        if (!isfinite(result[e->var[k].a]))
            return fail_at(p, YOKE_E_MODEL, "failed: it needs \"",
                           p->m->net->measure[e->var[k].a].name, err);
    const size_t vars = (size_t)e->vars;
    YK_TRY(yk_doubles(&room, 2 * vars + 1 + yk_net_expr_work(e), err));
    for (size_t k = 0; k < vars; k++) room[k] = result[e->var[k].a];
    yk_net_expr_eval(e, 0.0, room, value, room + vars, room + 2 * vars + 1);
    yk_free(room);
    if (isfinite(*value)) return YOKE_OK;
    *value = NAN;
    return fail_at(p, YOKE_E_MODEL, "failed: the value is not finite", NULL,
                   err);
}

static yoke_status evaluate(const yk_net_measure *measure,
                            const yk_net_rows *rows, double *value,
                            yoke_err *err)
{
    static const struct {
        const char *name;
        figure which;
    } figures[] = {
        { "avg", AVG }, { "integ", INTEG },   { "integral", INTEG },
        { "rms", RMS }, { "max", MAX },       { "min", MIN },
        { "pp", PP },   { "max_at", MAX_AT }, { "min_at", MIN_AT }
    };
    parse p = { .m = measure, .rows = rows, .next = 1 };
    const char *what = word_at(&p, 0);

    if (rows->rows < 2)
        return fail_at(&p, YOKE_E_MODEL, "failed: it needs two rows or more",
                       NULL, err);
    if (!is_monotone(rows))
        return fail_at(&p, YOKE_E_ARG, "nested sweeps are not supported", NULL,
                       err);
    if (strcmp(what, "trig") == 0) return trig_targ(&p, value, err);
    if (strcmp(what, "when") == 0) return when(&p, value, err);
    if (strcmp(what, "find") == 0) return find(&p, false, value, err);
    if (strcmp(what, "deriv") == 0 || strcmp(what, "derivative") == 0)
        return find(&p, true, value, err);
    if (strcmp(what, "first") == 0) return value_of_row(&p, 0, value, err);
    if (strcmp(what, "final") == 0)
        return value_of_row(&p, rows->rows - 1, value, err);
    for (int k = 0; k < COUNT(figures); k++)
        if (strcmp(what, figures[k].name) == 0)
            return statistic(&p, figures[k].which, value, err);
    return fail_at(&p, YOKE_E_ARG,
                   "known are trig, when, find, deriv, avg, integ, rms, max, "
                   "min, pp, max_at, min_at, first, final and param, not \"",
                   what, err);
}

yoke_status yk_net_measure_eval(const yk_net_measure *measure,
                                const yk_net_rows *rows, const double *result,
                                double *value, yoke_err *err)
{
    const parse p = { .m = measure, .rows = rows };
    yk_net_rows extended = { 0 };
    yoke_status status = YOKE_OK;
    int pars = 0;

    *value = NAN;
    if (strcmp(word_at(&p, 0), "param") == 0)
        return param(&p, result, value, err);
    for (int k = 0; k < measure->words; k++) pars += measure->expr[k] != NULL;
    if (pars == 0) return evaluate(measure, rows, value, err);
    if (rows->is_complex)
        return fail_at(&p, YOKE_E_ARG, "par(...) is not supported in ac", NULL,
                       err);
    YK_GO(extend(&p, pars, &extended, err));
    YK_GO(evaluate(measure, &extended, value, err));
done:
    yk_net_rows_clear(&extended);
    return status;
}

/* The columns of a par(...). */
static yoke_status visit_vars(
    const yk_net_measure *measure, const yk_net_expr *e,
    yoke_status (*visit)(void *context, const char *name, yoke_err *err),
    void *context, yoke_err *err)
{
    const yk_netlist *net = measure->net;
    char name[ROOM + 8];

    if (strcmp(measure->word[0], "param") == 0) return YOKE_OK;
    for (int k = 0; k < e->vars; k++) {
        const yk_net_var *v = &e->var[k];
        const int node[] = { v->a, v->b };
        if (v->is_current) {
            snprintf(name, sizeof name, "i(%.*s)", ROOM - 1,
                     net->element[v->a].name);
            YK_TRY(visit(context, name, err));
        }
        for (int i = 0; i < 2 && !v->is_current; i++) {
            if (node[i] == 0) continue;
            snprintf(name, sizeof name, "v(%.*s)", ROOM - 1,
                     net->node[node[i]]);
            YK_TRY(visit(context, name, err));
        }
    }
    return YOKE_OK;
}

yoke_status yk_net_measure_columns(const yk_net_measure *measure,
                                   yoke_status (*visit)(void *context,
                                                        const char *name,
                                                        yoke_err *err),
                                   void *context, yoke_err *err)
{
    char kind, part[3], node[2][ROOM], name[ROOM + 8];

    for (int k = 0; k < measure->words; k++) {
        if (measure->expr[k]) {
            YK_TRY(visit_vars(measure, measure->expr[k], visit, context, err));
            continue;
        }
        if (measure->word[k][0] == '@')
            YK_TRY(visit(context, measure->word[k], err));
        if (!split_name(measure->word[k], &kind, part, node[0], node[1], ROOM))
            continue;
        for (int i = 0; i < 2; i++) {
            if (!node[i][0] || (kind == 'v' && is_ground(node[i]))) continue;
            snprintf(name, sizeof name, "%c(%.*s)", kind, ROOM - 1, node[i]);
            YK_TRY(visit(context, name, err));
        }
    }
    return YOKE_OK;
}

int yk_net_measure_most(const yk_net_measure *measure)
{
    int most = 2 * measure->words;

    for (int k = 0; k < measure->words; k++)
        if (measure->expr[k]) most += 2 * measure->expr[k]->vars;
    return most;
}

bool yk_net_part_of_row(const yk_net_rows *rows, const char *text, int row,
                        double *value)
{
    char kind, part[3], a[ROOM], b[ROOM];
    signal s = { .minus = -1 };

    if (!rows->is_complex || !split_name(text, &kind, part, a, b, ROOM) ||
        !part[0] || !part_of(rows, part, &s.part))
        return false;
    s.plus = find_column(rows, kind, a);
    if (b[0]) s.minus = find_column(rows, kind, b);
    if (s.plus == -2 || s.minus == -2) return false;
    *value = value_at(rows, &s, row);
    return true;
}
