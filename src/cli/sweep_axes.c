/* cli/sweep_axes.c -- which values the parameters of a sweep take.
 *
 * Values are computed from the number of the row alone, random ones too, so
 * that the table does not depend on who computes a row, and when.
 */
#include "cli/sweep.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers with units -------------------------------------------------- */

/* A number, perhaps with a unit, up to one of the characters of `end`. */
static int take_number(sweep_axis *a, const char **p, const char *end,
                       double *value)
{
    char *behind = NULL;

    *value = strtod(*p, &behind);
    if (behind == *p || !isfinite(*value))
        return cli_usage("--vary %s: a number is expected at \"%.40s\"",
                         a->text, *p);
    const char *unit = behind + strspn(behind, " ");
    size_t length = strcspn(unit, end);
    *p = unit + length;
    while (length > 0 && isspace((unsigned char)unit[length - 1])) length--;
    if (length == 0) return CLI_OK;
    if (length >= SWEEP_UNIT)
        return cli_usage("--vary %s: \"%.40s\" is not a unit", a->text, unit);
    if (a->unit[0] &&
        (strlen(a->unit) != length || strncmp(a->unit, unit, length) != 0))
        return cli_usage("--vary %s: the numbers have different units, %s and "
                         "%.*s; write all in one",
                         a->text, a->unit, (int)length, unit);
    snprintf(a->unit, sizeof a->unit, "%.*s", (int)length, unit);
    return CLI_OK;
}

/* ---- kinds --------------------------------------------------------------- */

static int finish_span(sweep_axis *a, double count)
{
    if (!(count >= 1.0 && count <= SWEEP_MOST_ROWS) || count != floor(count))
        return cli_usage("--vary %s: the number of values is a whole one from "
                         "1 to %d",
                         a->text, SWEEP_MOST_ROWS);
    a->count = (int)count;
    if (a->log && !(a->first > 0.0 && a->last > 0.0))
        return cli_usage("--vary %s: log needs positive numbers", a->text);
    if (a->count == 1 && a->first != a->last)
        return cli_usage("--vary %s: one value cannot be both %g and %g",
                         a->text, a->first, a->last);
    return CLI_OK;
}

/* lin(first, last, count) or log(first, last, count); without a count the range,
 * for random values. */
static int read_span(sweep_axis *a, const char *p)
{
    double number[3];
    int count = 3;

    a->log = p[1] == 'o';
    p += 4;
    for (int k = 0; k < count; k++) {
        const int status = take_number(a, &p, ",)", &number[k]);
        if (status != CLI_OK) return status;
        if (k == 1 && *p == ')') count = 2;
        if (*p != (k < count - 1 ? ',' : ')'))
            return cli_usage("--vary %s: expected %s(first,last,count)",
                             a->text, a->log ? "log" : "lin");
        p++;
    }
    while (isspace((unsigned char)*p)) p++;
    if (*p)
        return cli_usage("--vary %s: not understood: \"%.40s\"", a->text, p);
    a->first = number[0];
    a->last = number[1];
    if (count == 3) return finish_span(a, number[2]);
    if (a->log && !(a->first > 0.0 && a->last > 0.0))
        return cli_usage("--vary %s: log needs positive numbers", a->text);
    return CLI_OK;
}

/* first:step:last, or first:last for random values. */
static int read_range(sweep_axis *a, const char *p)
{
    double number[3] = { 0.0 };
    int count = 0;

    for (;; p++) {
        const int status = take_number(a, &p, ":", &number[count++]);
        if (status != CLI_OK) return status;
        if (!*p) break;
        if (count == 3)
            return cli_usage("--vary %s: expected first:step:last", a->text);
    }
    a->first = number[0];
    a->last = number[count - 1];
    if (count == 2) {
        if (a->first > a->last)
            return cli_usage("--vary %s: the range is reversed", a->text);
        return CLI_OK;
    }
    a->step = number[1];
    if (a->step == 0.0)
        return cli_usage("--vary %s: the step is zero", a->text);
    const double steps = (a->last - a->first) / a->step;
    if (steps < 0.0)
        return cli_usage("--vary %s: with the step %g no value lies between "
                         "%g and %g; the step leads away from the end",
                         a->text, a->step, a->first, a->last);
    if (!(steps < SWEEP_MOST_ROWS))
        return cli_usage("--vary %s: these are more than %d values", a->text,
                         SWEEP_MOST_ROWS);
    /* 1:0.1:5 has 41 values, although 0.1 is not a tenth. */
    a->count = (int)floor(steps * (1.0 + 1e-12) + 1e-9) + 1;
    return CLI_OK;
}

static int read_list(sweep_axis *a, const char *p)
{
    int room = 1;

    for (const char *q = p; *q; q++) room += *q == ',';
    a->list = calloc((size_t)room, sizeof *a->list);
    if (!a->list) return cli_usage("out of memory");
    for (;; p++) {
        const int status = take_number(a, &p, ",", &a->list[a->count++]);
        if (status != CLI_OK) return status;
        if (!*p) return CLI_OK;
    }
}

int sweep_read_axis(sweep *s, const char *text)
{
    const char *equal = strchr(text, '=');
    sweep_axis *a = &s->axis[s->axes];

    if (!equal || equal == text || equal - text >= (int)sizeof a->name ||
        !equal[1])
        return cli_usage("--vary needs name=values, such as motor.R=1:0.1:5, "
                         "not \"%s\"",
                         text);
    if (s->axes == SWEEP_MOST_AXES)
        return cli_usage("--vary: at most %d parameters", SWEEP_MOST_AXES);
    s->axes++;
    a->text = text;
    snprintf(a->name, sizeof a->name, "%.*s", (int)(equal - text), text);
    for (int k = 0; k + 1 < s->axes; k++)
        if (strcmp(s->axis[k].name, a->name) == 0)
            return cli_usage("--vary %s: \"%s\" is varied twice", text,
                             a->name);
    const char *p = equal + 1 + strspn(equal + 1, " ");
    if (strncmp(p, "log(", 4) == 0 || strncmp(p, "lin(", 4) == 0)
        return read_span(a, p);
    return strchr(p, ':') ? read_range(a, p) : read_list(a, p);
}

int sweep_count_rows(sweep *s, int random)
{
    double rows = 1.0;

    s->random = random > 0;
    for (int k = 0; k < s->axes && !s->random; k++) {
        if (s->axis[k].count == 0)
            return cli_usage("--vary %s: how many values?  Write %s, or "
                             "--random N for random ones",
                             s->axis[k].text,
                             strstr(s->axis[k].text, "=log(") ||
                                     strstr(s->axis[k].text, "=lin(")
                                 ? "(first,last,count)"
                                 : "first:step:last");
        rows *= s->axis[k].count;
    }
    if (s->random) rows = random;
    if (rows > SWEEP_MOST_ROWS)
        return cli_usage("sweep: these are %.3g runs, at most %d are "
                         "permitted; --random N takes N of them",
                         rows, SWEEP_MOST_ROWS);
    s->rows = (int)rows;
    return CLI_OK;
}

/* ---- values -------------------------------------------------------------- */

/* In [0, 1): the finaliser of splitmix64 (Steele, Lea, Flood 2014) on a number
 * of the row, the axis and the seed. */
static double uniform(uint64_t seed, uint64_t row, uint64_t axis)
{
    uint64_t z = seed * 0x9e3779b97f4a7c15u + row * 0xd1342543de82ef95u +
                 (axis + 1) * 0x2545f4914f6cdd1du;

    for (int k = 0; k < 2; k++) {
        z += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        z ^= z >> 31;
    }
    return (double)(z >> 11) * 0x1p-53;
}

static double between(const sweep_axis *a, double part)
{
    if (part == 0.0) return a->first;
    if (part == 1.0) return a->last;
    if (a->log) return a->first * pow(a->last / a->first, part);
    return a->first + part * (a->last - a->first);
}

/* In the unit of the axis. */
static double value_in_unit(const sweep *s, int row, int axis)
{
    const sweep_axis *a = &s->axis[axis];
    int k = row;

    if (s->random) {
        const double part =
            uniform((uint64_t)s->seed, (uint64_t)row, (uint64_t)axis);
        if (a->list) return a->list[(int)(part * a->count)];
        return between(a, part);
    }
    for (int i = s->axes - 1; i > axis; i--) k /= s->axis[i].count;
    k %= a->count;
    if (a->list) return a->list[k];
    if (a->step != 0.0) return a->first + k * a->step;
    return between(a, a->count > 1 ? (double)k / (a->count - 1) : 0.0);
}

/* 1.1 + 0.1 is 1.2 to who reads the table, not 1.2000000000000002. */
static double rounded(double value)
{
    char text[32];

    snprintf(text, sizeof text, "%.15g", value);
    return strtod(text, NULL);
}

double sweep_value(const sweep *s, int row, int axis)
{
    const sweep_axis *a = &s->axis[axis];
    const double value = s->random || a->list
                             ? value_in_unit(s, row, axis)
                             : rounded(value_in_unit(s, row, axis));

    return a->divisor > 0.0  ? value / a->divisor
           : a->factor > 0.0 ? value * a->factor
                             : value;
}

/* Division by 1e6 is exact where multiplication by 1e-6 is not: 3 u is 3e-06. */
int sweep_find_units(sweep *s, const yoke_file *file)
{
    yoke_err err = { YOKE_OK, "" };

    for (int k = 0; k < s->axes; k++) {
        sweep_axis *a = &s->axis[k];
        char text[SWEEP_UNIT + 8];
        double factor = 1.0;
        if (!a->unit[0]) continue;
        snprintf(text, sizeof text, "1 %s", a->unit);
        if (yoke_file_number(file, a->name, text, &factor, &err) != YOKE_OK)
            return cli_fail(&err);
        const double divisor = round(1.0 / factor);
        a->factor = factor;
        a->divisor = factor < 1.0 && fabs(factor * divisor - 1.0) < 1e-15
                         ? divisor
                         : 0.0;
    }
    return CLI_OK;
}

void sweep_setting(const sweep *s, int row, int axis, char *text, size_t room)
{
    const sweep_axis *a = &s->axis[axis];

    snprintf(text, room, "%s=%.17g%s%s", a->name, value_in_unit(s, row, axis),
             a->unit[0] ? " " : "", a->unit);
}

/* ---- rows ---------------------------------------------------------------- */

int sweep_create(sweep *s, int measures)
{
    const size_t rows = (size_t)s->rows, wide = (size_t)measures;

    s->measures = measures;
    s->measure = calloc(wide, sizeof *s->measure);
    s->value = calloc(rows * wide, sizeof *s->value);
    s->message = calloc(rows, sizeof *s->message);
    s->note = calloc(rows, sizeof *s->note);
    s->done = calloc(rows, sizeof *s->done);
    if (!s->measure || !s->value || !s->message || !s->note || !s->done)
        return cli_usage("out of memory");
    for (size_t k = 0; k < rows * wide; k++) s->value[k] = NAN;
    return CLI_OK;
}

void sweep_clear(sweep *s)
{
    for (int k = 0; s->measure && k < s->measures; k++) free(s->measure[k]);
    for (int k = 0; s->message && k < s->rows; k++) free(s->message[k]);
    for (int k = 0; s->note && k < s->rows; k++) free(s->note[k]);
    for (int k = 0; k < s->axes; k++) free(s->axis[k].list);
    free(s->measure);
    free(s->value);
    free(s->message);
    free(s->note);
    free(s->done);
}

/* In one line, at most `room` bytes; NULL: no memory. */
static char *line_of(const char *text, size_t room)
{
    char *line = calloc(1, room);

    if (!line) return NULL;
    snprintf(line, room, "%s", text);
    for (char *c = line; *c; c++)
        if (*c == '\n' || *c == '\r' || *c == '\t') *c = ' ';
    return line;
}

/* Without memory for a text the counts are right. */
void sweep_finish(sweep *s, int row, const double *value, const char *message,
                  const char *note)
{
    const size_t wide = (size_t)s->measures;

    if (s->done[row]) return;
    s->done[row] = true;
    s->finished++;
    if (value)
        memcpy(s->value + (size_t)row * wide, value, wide * sizeof *value);
    if (message) {
        s->failed++;
        s->message[row] = line_of(message, SWEEP_MESSAGE);
    }
    if (note) {
        s->noted++;
        s->note[row] = line_of(note, SWEEP_NOTE);
    }
}
