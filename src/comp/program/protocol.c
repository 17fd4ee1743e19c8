/* comp/program/protocol.c -- the answers of a program, line by line. */
#include "comp/program/protocol.h"
#include "comp/program/policy.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static yoke_status refuse(const char *line, const char *why, yoke_err *err)
{
    return yk_fail(err, YOKE_E_CALLBACK,
                   "\"%.60s%s\" is not what it may answer: %s", line,
                   strlen(line) > 60 ? "..." : "", why);
}

/* Is the first word this one?  Then *rest is what follows it. */
static bool is_word(const char *line, const char *word, const char **rest)
{
    const size_t length = strlen(word);

    if (strncmp(line, word, length) != 0) return false;
    if (line[length] != '\0' && line[length] != ' ') return false;
    *rest = line + length;
    while (**rest == ' ') ++*rest;
    return true;
}

static yoke_status no_more(const char *line, const char *rest, yoke_err *err)
{
    if (*rest == '\0') return YOKE_OK;
    return refuse(line, "nothing belongs behind this word", err);
}

/* One finite number; *at goes behind it and the blanks. */
static yoke_status number(const char *line, const char **at, double *out,
                          yoke_err *err)
{
    char *end = NULL;

    *out = strtod(*at, &end);
    if (end == *at || (*end != '\0' && *end != ' '))
        return refuse(line, "a number is missing", err);
    if (!isfinite(*out)) return refuse(line, "a number is not finite", err);
    while (*end == ' ') end++;
    *at = end;
    return YOKE_OK;
}

static yoke_status numbers(const char *line, const char *at, int count,
                           double *out, yoke_err *err)
{
    char why[100];
    int k = 0;

    for (; k < count && *at; k++) YK_TRY(number(line, &at, &out[k], err));
    if (k == count && *at == '\0') return YOKE_OK;
    snprintf(why, sizeof why, "%s than %d numbers of outputs",
             k < count ? "fewer" : "more", count);
    return refuse(line, why, err);
}

/* ---- hello and ports --------------------------------------------------- */

static yoke_status hello_line(yk_program_answer *a, const char *line,
                              yoke_err *err)
{
    const char *rest = NULL;
    double version = 0.0;

    if (is_word(line, "protocol", &rest)) {
        YK_TRY(number(line, &rest, &version, err));
        if (version != YK_PROGRAM_VERSION)
            return yk_fail(err, YOKE_E_CALLBACK,
                           "it speaks version %g of the protocol, and this "
                           "Yoke version %d",
                           version, YK_PROGRAM_VERSION);
        a->version = (int)version;
        return no_more(line, rest, err);
    }
    if (is_word(line, "saves", &rest)) {
        a->saves = true;
        return no_more(line, rest, err);
    }
    if (is_word(line, "controls", &rest)) {
        a->controls = a->waveforms = true;
        return no_more(line, rest, err);
    }
    if (is_word(line, "waveforms", &rest)) {
        a->waveforms = true;
        return no_more(line, rest, err);
    }
    return refuse(line,
                  "expected protocol, saves, controls, waveforms or done; "
                  "messages go to the standard error",
                  err);
}

/* unit NAME UNIT */
static yoke_status port_line(const yk_program_answer *a, const char *line,
                             yoke_err *err)
{
    const char *rest = NULL;

    if (!is_word(line, "unit", &rest))
        return refuse(line,
                      "expected unit or done; messages go to the standard "
                      "error",
                      err);
    for (int i = 0; i < a->names; i++) {
        const size_t length = strlen(a->name[i]);

        if (strncmp(rest, a->name[i], length) != 0 || rest[length] != ' ')
            continue;
        const char *unit = rest + length + 1;
        while (*unit == ' ') unit++;
        if (!a->unit || !a->unit[i][0] || strcmp(a->unit[i], unit) == 0)
            return YOKE_OK;
        return yk_fail(err, YOKE_E_ARG,
                       "\"%s\" has the unit %.40s in the program and %.40s in "
                       "the system file",
                       a->name[i], unit, a->unit[i]);
    }
    return refuse(line, "it has no port of that name", err);
}

/* ---- values and points ------------------------------------------------- */

static yoke_status start_line(yk_program_answer *a, const char *line,
                              yoke_err *err)
{
    const char *rest = NULL;

    if (!is_word(line, "values", &rest))
        return refuse(line,
                      "expected values or done; messages go to the standard "
                      "error",
                      err);
    if (a->valued) return refuse(line, "the values are there already", err);
    a->valued = true;
    return numbers(line, rest, a->p, a->values, err);
}

/* Times do not decrease and stay in the window; that at the end is the end. */
static yoke_status place(const yk_program_answer *a, const char *line,
                         double *t, yoke_err *err)
{
    const yk_closed_points *s = a->points;
    const double near = YK_PROGRAM_NEAR * (a->t1 - a->t0);

    if (fabs(*t - a->t1) <= near) *t = a->t1;
    if (fabs(*t - a->t0) <= near) *t = a->t0;
    if (*t < a->t0 || *t > a->t1)
        return refuse(line, "the time is outside of the window", err);
    if (*t < s->t[s->count - 1])
        return refuse(line, "the time is before that of the last point", err);
    if (s->count > 2 && *t == s->t[s->count - 1] && *t == s->t[s->count - 2])
        return refuse(line, "a third point at the same time", err);
    if (s->count >= YK_PROGRAM_POINTS)
        return refuse(line, "more points than a window may have", err);
    return YOKE_OK;
}

static yoke_status point_line(yk_program_answer *a, const char *line,
                              yoke_err *err)
{
    yk_closed_points *s = a->points;
    const char *rest = NULL;
    double t = 0.0, *y = s->y;

    if (is_word(line, "slope", &rest))
        return numbers(line, rest, a->p,
                       s->slope + (size_t)(s->count - 1) * (size_t)a->p, err);
    if (!is_word(line, "point", &rest))
        return refuse(line,
                      "expected point, slope or done; messages go to the "
                      "standard error",
                      err);
    YK_TRY(number(line, &rest, &t, err));
    YK_TRY(place(a, line, &t, err));
    if (t > a->t0 || s->count > 1) YK_TRY(yk_closed_points_add(s, t, &y, err));
    return numbers(line, rest, a->p, y, err);
}

/* ---- the end ----------------------------------------------------------- */

static yoke_status check_end(const yk_program_answer *a, yoke_err *err)
{
    const yk_closed_points *s = a->points;

    if (a->kind == YK_PROGRAM_HELLO && a->version == 0)
        return yk_fail(err, YOKE_E_CALLBACK,
                       "it did not answer `protocol %d` to hello",
                       YK_PROGRAM_VERSION);
    if (a->kind == YK_PROGRAM_START && !a->valued)
        return yk_fail(err, YOKE_E_CALLBACK,
                       "it did not give the values of its outputs");
    if (a->kind == YK_PROGRAM_ADVANCE &&
        (s->count < 2 || s->t[s->count - 1] != a->t1))
        return yk_fail(err, YOKE_E_CALLBACK,
                       "its last point is at t = %.9g instead of the end of "
                       "the window, %.9g",
                       s->t[s->count - 1], a->t1);
    return YOKE_OK;
}

/* What the program says, in characters that can be printed. */
static yoke_status its_failure(yoke_status status, const char *text,
                               yoke_err *err)
{
    char clean[400];
    size_t n = 0;

    for (; *text && n + 1 < sizeof clean; text++)
        clean[n++] = (char)(iscntrl((unsigned char)*text) ? ' ' : *text);
    clean[n] = '\0';
    return yk_fail(err, status, "it says: %s",
                   n ? clean : "error, without a text");
}

yoke_status yk_program_line(yk_program_answer *a, const char *line,
                            yoke_err *err)
{
    const char *rest = NULL;

    a->lines++;
    if (is_word(line, "done", &rest)) {
        YK_TRY(no_more(line, rest, err));
        a->ended = true;
        return check_end(a, err);
    }
    if (is_word(line, "error", &rest))
        return its_failure(YOKE_E_MODEL, rest, err);
    if (is_word(line, "retry", &rest))
        return its_failure(YOKE_RETRY, rest, err);
    switch (a->kind) {
    case YK_PROGRAM_HELLO:
        return hello_line(a, line, err);
    case YK_PROGRAM_PORTS:
        return port_line(a, line, err);
    case YK_PROGRAM_START:
        return start_line(a, line, err);
    case YK_PROGRAM_ADVANCE:
        return point_line(a, line, err);
    default:
        return refuse(line, "expected done; messages go to the standard error",
                      err);
    }
}
