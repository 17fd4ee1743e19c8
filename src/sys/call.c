/* sys/call.c -- the callbacks of a subsystem, called with care. */
#include "sys/call.h"

#include "base/finite.h"
#include "base/text.h"
#include "sys/closed.h"
#include "sys/system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool yk_system_has_rhs(const yoke_system *system)
{
    return system->ops->rhs != NULL;
}

/* A callback may fail without a message. */
static yoke_status failed(const yoke_system *s, double t, yoke_status status,
                          const char *what, yoke_err *err)
{
    if (err && (err->status != status || !err->text[0]))
        yk_fail(err, status, "%s returned \"%s\"", what,
                yoke_status_text(status));
    yk_prefix(err, "subsystem \"%s\", t = %.9g", s->name, t);
    return status;
}

/* The sign of a NaN tells nothing. */
static double without_sign(double value)
{
    return isnan(value) ? fabs(value) : value;
}

static yoke_status not_finite(const yoke_system *s, double t, const char *what,
                              const char *name, double value, yoke_err *err)
{
    return yk_fail(err, YOKE_RETRY,
                   "subsystem \"%s\", t = %.9g: %s of \"%s\" "
                   "is %g",
                   s->name, t, what, name, without_sign(value));
}

/* "; the values are x = 1, u = 2": the variables of row r of a pattern, at most `left` of
 * them, behind `used` letters. */
static void add_values(const yoke_pattern *p, int r, const char *const *name,
                       const double *value, int *left, char *text, size_t size)
{
    static const int most = 4;

    for (int j = 0; p && value && j<p->cols && * left> 0; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            if (p->row[k] != r) continue;
            yk_append(text, size, "%s%.60s = %.6g",
                      *left == most ? "; the values are " : ", ", name[j],
                      value[j]);
            --*left;
            break;
        }
}

/* The values of the variables of the row in question. */
static void add_row(const yoke_system *s, const yoke_question *ask, char *text,
                    size_t size)
{
    const yoke_system_info *info = &s->info;
    const int row = ask->row, shown = row - info->n;
    int left = 4;

    if (row < 0) return;
    add_values(shown < 0 ? info->G : info->Hx, shown < 0 ? row : shown,
               info->x_name, ask->x, &left, text, size);
    add_values(shown < 0 ? info->Gu : info->Hu, shown < 0 ? row : shown,
               info->u_name, ask->u, &left, text, size);
}

/* What the system says to the question, and these values. */
static bool answer(const yoke_system *s, yoke_question *ask, char *text,
                   size_t size)
{
    const yoke_system_info *info = &s->info;

    if (!info->help->explain || !info->help->explain(s->self, ask, text, size))
        return false;
    add_row(s, ask, text, size);
    return true;
}

/* Of a system that does not say what the row reads, all unknowns if they are
 * few. */
static void add_first(const yoke_system *s, const double *x, char *text,
                      size_t size)
{
    static const int most = 4;

    for (int j = 0; x && s->info.n <= most && j < s->info.n; j++)
        yk_append(text, size, "%s%.60s = %.6g",
                  j == 0 ? "; the values are " : ", ", s->info.x_name[j], x[j]);
}

/* The operation that went wrong, if the system can tell; else the values alone. */
static void explain(const yoke_system *s, double t, const double *x,
                    const double *u, int row, int column, yoke_err *err)
{
    yoke_question ask = {
        .row = row, .column = column, .t = t, .x = x, .u = u
    };
    char text[500] = "";

    if (!err) return;
    if (answer(s, &ask, text, sizeof text)) {
        yk_suffix(err, ", from %s", text);
        return;
    }
    text[0] = '\0';
    ask.row = row;
    add_row(s, &ask, text, sizeof text);
    if (!text[0]) add_first(s, x, text, sizeof text);
    yk_suffix(err, "%s", text);
}

bool yk_system_edge(const yoke_system *s, yoke_question *ask, char *text,
                    size_t size)
{
    char found[500];

    ask->row = ask->column = -1;
    if (!answer(s, ask, found, sizeof found)) return false;
    const int row = ask->row, shown = row - s->info.n;
    snprintf(text, size, "%.100s%s%.500s",
             row < 0      ? ""
             : shown >= 0 ? s->info.y_name[shown]
                          : s->info.eq_name[row],
             row < 0 ? "" : " comes to ", found);
    return true;
}

static yoke_status check_finite(const yoke_system *s, double t,
                                const char *what, const char *const *name,
                                const double *v, int n, yoke_err *err)
{
    int at = 0;

    if (!v || yk_few_finite(v, n, &at)) return YOKE_OK;
    return not_finite(s, t, what, name[at], v[at], err);
}

/* A stale message in err must not be mistaken for the callback's. */
static void forget(yoke_err *err)
{
    if (!err) return;
    err->status = YOKE_OK;
    err->text[0] = '\0';
}

yoke_status yk_system_eval_raw(yoke_system *s, double t, const double *x,
                               const double *u, double *q, double *f,
                               yoke_err *err)
{
    const int n = s->info.n;
    yoke_status status = YOKE_OK;

    forget(err);
    if (s->ops->eval)
        status = s->ops->eval(s->self, t, x, u, q, f, err);
    else {
        if (f && n > 0) {
            status = s->ops->rhs(s->self, t, x, u, f, err);
            for (int i = 0; i < n; i++) f[i] = -f[i];
        }
        if (q && n > 0) memcpy(q, x, (size_t)n * sizeof *q);
    }
    return status == YOKE_OK ? YOKE_OK : failed(s, t, status, "eval", err);
}

yoke_status yoke_system_eval(yoke_system *s, double t, const double *x,
                             const double *u, double *q, double *f,
                             yoke_err *err)
{
    YK_TRY(yk_system_eval_raw(s, t, x, u, q, f, err));
    int at = 0;
    const bool is_q = q && !yk_few_finite(q, s->info.n, &at);
    if (!is_q && (!f || yk_few_finite(f, s->info.n, &at))) return YOKE_OK;
    not_finite(s, t, is_q ? "q" : "f", s->info.eq_name[at],
               is_q ? q[at] : f[at], err);
    explain(s, t, x, u, at, -1, err);
    return YOKE_RETRY;
}

yoke_status yk_system_output_raw(yoke_system *s, double t, const double *x,
                                 const double *u, double *y, yoke_err *err)
{
    yoke_status status = YOKE_OK;

    forget(err);
    if (s->elsewhere)
        return s->elsewhere->output(s->elsewhere->self, t, u, y, err);
    if (s->ops->output)
        status = s->ops->output(s->self, t, x, u, y, err);
    else if (s->info.n > 0)
        memcpy(y, x, (size_t)s->info.n * sizeof *y);
    return status == YOKE_OK ? YOKE_OK : failed(s, t, status, "output", err);
}

yoke_status yoke_system_output(yoke_system *s, double t, const double *x,
                               const double *u, double *y, yoke_err *err)
{
    int at = 0;

    YK_TRY(yk_system_output_raw(s, t, x, u, y, err));
    if (yk_few_finite(y, s->info.p, &at)) return YOKE_OK;
    not_finite(s, t, "value", s->info.y_name[at], y[at], err);
    explain(s, t, x, u, s->info.n + at, -1, err);
    return YOKE_RETRY;
}

yoke_status yk_system_rhs(yoke_system *s, double t, const double *x,
                          const double *u, double *xdot, yoke_err *err)
{
    if (!s->ops->rhs)
        return yk_fail(err, YOKE_E_MISSING,
                       "subsystem \"%s\" has no explicit "
                       "right-hand side",
                       s->name);
    forget(err);
    const yoke_status status = s->ops->rhs(s->self, t, x, u, xdot, err);
    if (status != YOKE_OK) return failed(s, t, status, "rhs", err);
    return check_finite(s, t, "derivative", s->info.x_name, xdot, s->info.n,
                        err);
}

/* What G and H are made of is explained by the system itself: slopes by x, by u
 * the value that has them. */
typedef struct matrix {
    const char *name;
    const yoke_pattern *p;
    const double *value;
    const char *const *row, *const *col; /* names */
    bool by_x;
} matrix;

static yoke_status check_matrix(const yoke_system *s, double t, const double *x,
                                const double *u, matrix m, yoke_err *err)
{
    int at = 0, col = 0;

    if (!m.value || yk_few_finite(m.value, yoke_pattern_count(m.p), &at))
        return YOKE_OK;
    while (m.p->start[col + 1] <= at) col++;
    yk_fail(err, YOKE_RETRY,
            "subsystem \"%s\", t = %.9g: the slope of \"%s\" by \"%s\" = "
            "%g, Jacobian %s(%d, %d), is %g",
            s->name, t, m.row[m.p->row[at]], m.col[col],
            m.by_x ? x[col]
            : u    ? u[col]
                   : 0.0,
            m.name, m.p->row[at] + 1, col + 1, without_sign(m.value[at]));
    const bool output = m.name[0] == 'H';
    if (output || m.name[0] == 'G')
        explain(s, t, x, u, m.p->row[at] + (output ? s->info.n : 0),
                m.by_x ? col : -1, err);
    return YOKE_RETRY;
}

static void set_identity(double *value, int n)
{
    for (int i = 0; value && i < n; i++) value[i] = 1.0;
}

static void clear(double *value, const yoke_pattern *p)
{
    if (value) memset(value, 0, (size_t)yoke_pattern_count(p) * sizeof *value);
}

static yoke_status given_jacobian(yoke_system *s, double t, const double *x,
                                  const double *u, const yoke_jacobian *jac,
                                  yoke_err *err)
{
    const yoke_system_info *info = &s->info;

    clear(jac->C, info->C);
    clear(jac->G, info->G);
    clear(jac->Cu, info->Cu);
    clear(jac->Gu, info->Gu);
    clear(jac->Hx, info->Hx);
    clear(jac->Hu, info->Hu);
    forget(err);
    const yoke_status status = s->ops->jacobian(s->self, t, x, u, jac, err);
    if (status != YOKE_OK) return failed(s, t, status, "jacobian", err);
    if (!s->ops->eval) set_identity(jac->C, info->n);
    if (!s->ops->output) set_identity(jac->Hx, info->n);
    return YOKE_OK;
}

yoke_status yoke_system_jacobian(yoke_system *s, double t, const double *x,
                                 const double *u, const yoke_jacobian *jac,
                                 yoke_err *err)
{
    const yoke_system_info *info = &s->info;

    if (s->ops->jacobian)
        YK_TRY(given_jacobian(s, t, x, u, jac, err));
    else
        YK_TRY(yk_difference_jacobian(s->difference, s, t, x, u, jac, err));
    const matrix all[] = {
        { "C", info->C, jac->C, info->eq_name, info->x_name, true },
        { "G", info->G, jac->G, info->eq_name, info->x_name, true },
        { "Cu", info->Cu, jac->Cu, info->eq_name, info->u_name, false },
        { "Gu", info->Gu, jac->Gu, info->eq_name, info->u_name, false },
        { "Hx", info->Hx, jac->Hx, info->y_name, info->x_name, true },
        { "Hu", info->Hu, jac->Hu, info->y_name, info->u_name, false },
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        YK_TRY(check_matrix(s, t, x, u, all[k], err));
    return YOKE_OK;
}

yoke_status yk_system_indicate(yoke_system *s, double t, const double *x,
                               const double *u, double *g, yoke_err *err)
{
    int at = 0;

    if (s->info.events == 0) return YOKE_OK;
    forget(err);
    const yoke_status status =
        s->info.event->indicate(s->self, t, x, u, g, err);
    if (status != YOKE_OK) return failed(s, t, status, "indicate", err);
    if (yk_few_finite(g, s->info.events, &at)) return YOKE_OK;
    return yk_fail(err, YOKE_RETRY,
                   "subsystem \"%s\", t = %.9g: indicator of event %d is %g",
                   s->name, t, at + 1, g[at]);
}

yoke_status yk_system_begin(yoke_system *s, double t, const double *x,
                            const double *u, bool *happened, yoke_err *err)
{
    for (int k = 0; k < s->info.events; k++) happened[k] = false;
    if (s->info.events == 0 || !s->info.event->begin) return YOKE_OK;
    forget(err);
    const yoke_status status =
        s->info.event->begin(s->self, t, x, u, happened, err);
    return status == YOKE_OK ? YOKE_OK : failed(s, t, status, "begin", err);
}

yoke_status yk_system_apply(yoke_system *s, double t, const double *x,
                            const double *u, const bool *happened,
                            double *x_new, yoke_err *err)
{
    if (s->info.n > 0) memcpy(x_new, x, (size_t)s->info.n * sizeof *x_new);
    if (s->info.events == 0) return YOKE_OK;
    forget(err);
    const yoke_status status =
        s->info.event->apply(s->self, t, x, u, happened, x_new, err);
    if (status != YOKE_OK) return failed(s, t, status, "apply", err);
    return check_finite(s, t, "value after an event", s->info.x_name, x_new,
                        s->info.n, err);
}

yoke_status yk_system_meet(yoke_system *s, const yoke_instant *at,
                           double *x_new, yoke_err *err)
{
    if (s->info.events == 0 || !s->info.event->meet) {
        if (at->memory) yk_system_restore(s, at->memory);
        return yk_system_apply(s, at->t, at->x, at->u, at->happened, x_new,
                               err);
    }
    memcpy(x_new, at->x, (size_t)s->info.n * sizeof *x_new);
    forget(err);
    const yoke_status status = s->info.event->meet(s->self, at, x_new, err);
    if (status != YOKE_OK) return failed(s, at->t, status, "meet", err);
    return check_finite(s, at->t, "value after an event", s->info.x_name, x_new,
                        s->info.n, err);
}

yoke_status yk_system_settle(yoke_system *s, double t, const double *x,
                             const double *u, double *x_new, bool *changed,
                             yoke_err *err)
{
    if (s->info.n > 0) memcpy(x_new, x, (size_t)s->info.n * sizeof *x_new);
    *changed = false;
    if (s->info.events == 0 || !s->info.event->settle) return YOKE_OK;
    forget(err);
    const yoke_status status =
        s->info.event->settle(s->self, t, x, u, x_new, changed, err);
    return status == YOKE_OK ? YOKE_OK : failed(s, t, status, "settle", err);
}

void yk_system_about(yoke_system *s, int k, yoke_event_about *out)
{
    *out = (yoke_event_about){ .text = NULL };
    if (k >= 0 && k < s->info.events && s->info.event->about)
        s->info.event->about(s->self, k, out);
}

bool yk_system_remark(yoke_system *s, int k, yoke_remark *out)
{
    return s->info.event && s->info.event->remark &&
           s->info.event->remark(s->self, k, out);
}

yoke_status yk_system_project(yoke_system *s, double t, double *x,
                              double missed[2], yoke_err *err)
{
    missed[0] = missed[1] = 0.0;
    if (!s->info.help->project) return YOKE_OK;
    const yoke_status status =
        s->info.help->project(s->self, t, x, missed, err);
    if (status != YOKE_OK)
        yk_prefix(err, "subsystem \"%s\", t = %.9g", s->name, t);
    return status;
}

bool yk_system_bound(yoke_system *s, const double *x, double *dx)
{
    return s->info.help->bound && s->info.help->bound(s->self, x, dx);
}

double yk_system_next_break(yoke_system *s, double t)
{
    if (!s->ops->next_break) return INFINITY;
    const double next = s->ops->next_break(s->self, t);
    return next > t ? next : INFINITY;
}

void yk_system_accuracy(yoke_system *s, double rtol)
{
    if (s->asides == 0) s->accuracy = rtol;
    if (s->info.help->accuracy) s->info.help->accuracy(s->self, rtol);
}

void yk_system_aside(yoke_system *s, bool on)
{
    if (!on && s->asides == 0) return; /* it was not there yet */
    s->asides += on ? 1 : -1;
    if (s->info.help->aside && s->asides == (on ? 1 : 0))
        s->info.help->aside(s->self, on);
    if (s->asides == 0 && s->accuracy > 0.0) yk_system_accuracy(s, s->accuracy);
}

bool yk_system_limits(const yoke_system *s)
{
    return s->info.flags & YOKE_LIMITS;
}

void yk_system_limit(yoke_system *s, bool on, double t, const double *x,
                     const double *u)
{
    if (s->info.help->limit) s->info.help->limit(s->self, on, t, x, u);
}

yoke_status yk_system_place(const yoke_system *s, int k, yoke_status status,
                            yoke_err *err)
{
    char text[700];

    if (err && k >= 0 && k < s->info.n && s->info.help->place &&
        s->info.help->place(s->self, k, text, sizeof text))
        yk_suffix(err, "; %s", text);
    return status;
}

bool yk_system_settled(yoke_system *s, double t, const double *x,
                       const double *dx, const double *u, const double *du)
{
    return !s->info.help->settled ||
           s->info.help->settled(s->self, t, x, dx, u, du);
}

yoke_status yk_system_part(yoke_system *s, int unknowns, const int *unknown,
                           const double *x, yoke_cell_part *out, yoke_err *err)
{
    return s->info.cells->part(s->self, unknowns, unknown, x, out, err);
}

bool yk_system_is_still(yoke_system *s, int cell, double t0, double t1)
{
    return s->info.cells->is_still(s->self, cell, t0, t1);
}

bool yk_system_is_far(yoke_system *s, int cell, double t, const double *x,
                      const double *slack)
{
    return s->info.cells->is_far(s->self, cell, t, x, slack);
}

void yk_system_absorb(yoke_system *s, const yoke_system *part)
{
    s->info.cells->absorb(s->self, part);
}

void yk_system_save(yoke_system *s, void *bytes)
{
    if (s->ops->save) s->ops->save(s->self, bytes);
}

void yk_system_reset(yoke_system *s)
{
    if (s->initial) s->ops->restore(s->self, s->initial);
}

void yk_system_restore(yoke_system *s, const void *bytes)
{
    if (s->ops->restore) s->ops->restore(s->self, bytes);
}

void yk_system_put_elsewhere(yoke_system *s, const yk_elsewhere *where)
{
    s->elsewhere = where;
}

bool yk_system_tell(const yoke_system *s, char *cost, char *doubt, size_t room)
{
    const yk_closed *c = s->info.closed;

    if (!c || !c->tell) return false;
    if (s->elsewhere)
        s->elsewhere->tell(s->elsewhere->self, cost, doubt, room);
    else
        c->tell(c->self, cost, doubt, room);
    return true;
}
