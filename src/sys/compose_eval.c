/* sys/compose_eval.c -- a composite evaluated: inputs gathered, members called,
 * Jacobians summed from their terms.
 *
 * Limit: of a member with and without feedthrough the outputs without are
 * needed before all its inputs are known; its callback is then called with
 * zero for the missing ones and must not refuse that.
 */
#include "sys/call.h"
#include "sys/compose.h"

#include <math.h>
#include <string.h>

static void term_list_clear(term_list *list)
{
    YK_FREE(list->row, list->col, list->term);
}

void yk_composite_free(void *self)
{
    composite *c = self;

    if (!c) return;
    term_list_clear(&c->C);
    term_list_clear(&c->G);
    term_list_clear(&c->Cu);
    term_list_clear(&c->Gu);
    term_list_clear(&c->Hx);
    term_list_clear(&c->Hu);
    yoke_pattern_free(c->pC);
    yoke_pattern_free(c->pG);
    yoke_pattern_free(c->pCu);
    yoke_pattern_free(c->pGu);
    yoke_pattern_free(c->pHx);
    yoke_pattern_free(c->pHu);
    for (int i = 0; c->member && i < c->members; i++) {
        yoke_pattern_free(c->member[i].hx_rows);
        yoke_pattern_free(c->member[i].hu_rows);
    }
    YK_FREE(c->member, c->link, c->link_start, c->out, c->open_at, c->kept_at,
            c->u, c->du, c->discrete, c->reads, c->x_before, c->y, c->value,
            c->closed, c->name, c);
}

static yoke_status raw_output(const yk_asking *a, const member *m,
                              yoke_err *err)
{
    const composite *c = a->c;

    return yk_system_output_raw(m->system, a->t, yk_at(a->x, m->x), c->u + m->u,
                                c->y + m->y, err);
}

static yoke_status own_output(const yk_asking *a, const member *m,
                              yoke_err *err)
{
    const composite *c = a->c;

    return yoke_system_output(m->system, a->t, yk_at(a->x, m->x), c->u + m->u,
                              c->y + m->y, err);
}

static yoke_status own_jacobian(const yk_asking *a, const member *m,
                                yoke_err *err)
{
    const composite *c = a->c;
    const yoke_jacobian jac = {
        c->value + m->C,  c->value + m->G,  c->value + m->Cu,
        c->value + m->Gu, c->value + m->Hx, c->value + m->Hu,
    };

    return yoke_system_jacobian(m->system, a->t, yk_at(a->x, m->x), c->u + m->u,
                                &jac, err);
}

static bool is_early(const member *m)
{
    return m->outputs_early && !m->feedthrough;
}

static bool is_early_fed(const member *m)
{
    return m->outputs_early && m->feedthrough;
}

static bool is_fed(const member *m)
{
    return m->feedthrough;
}

static bool is_wanted(const member *m)
{
    return m->wanted;
}

static bool is_any(const member *m)
{
    (void)m;
    return true;
}

/* The outputs that other members need, of members with or without feedthrough,
 * and what they add to the inputs that are not kept. */
static yoke_status early_outputs(composite *c, bool feedthrough, double t,
                                 const double *x, yoke_err *err)
{
    const yk_asking early = { c, t, x, feedthrough ? is_early_fed : is_early,
                              raw_output };

    YK_TRY(yk_composite_ask(&early, false, err));
    for (int l = 0; l < c->links; l++) {
        const yoke_link *link = &c->link[l];
        const int k = c->member[link->to].u + link->input;
        const member *from = &c->member[link->from];
        if (c->kept_at[k] < 0 && from->feedthrough == feedthrough)
            c->u[k] += link->weight * c->y[from->y + link->output];
    }
    return YOKE_OK;
}

/* Members without feedthrough come first, so that the others see as many of
 * their inputs as possible. */
yoke_status yk_composite_gather(composite *c, double t, const double *x,
                                const double *v, yoke_err *err)
{
    for (int k = 0; k < c->m_all; k++) {
        if (c->kept_at[k] >= 0)
            c->u[k] = x[c->base + c->kept_at[k]];
        else
            c->u[k] = c->open_at[k] >= 0 ? v[c->open_at[k]] : 0.0;
    }
    YK_TRY(early_outputs(c, false, t, x, err));
    return early_outputs(c, true, t, x, err);
}

/* 0 = w - v - sum K y for the kept inputs. */
static yoke_status kept_residual(composite *c, double t, const double *x,
                                 const double *v, double *f, yoke_err *err)
{
    YK_TRY(yk_composite_ask(&(yk_asking){ c, t, x, is_fed, own_output }, false,
                            err));
    for (int k = 0; k < c->m_all; k++)
        if (c->kept_at[k] >= 0)
            f[c->base + c->kept_at[k]] =
                c->u[k] - (c->open_at[k] >= 0 ? v[c->open_at[k]] : 0.0);
    for (int l = 0; l < c->links; l++) {
        const yoke_link *link = &c->link[l];
        const int k = c->kept_at[c->member[link->to].u + link->input];
        if (k >= 0)
            f[c->base + k] -=
                link->weight * c->y[c->member[link->from].y + link->output];
    }
    return YOKE_OK;
}

/* Members are evaluated even if one before them is not defined there: initial
 * values are looked for equation by equation. */
static yoke_status composite_eval(void *self, double t, const double *x,
                                  const double *v, double *q, double *f,
                                  yoke_err *err)
{
    composite *c = self;

    yoke_status all = YOKE_OK;

    YK_TRY(yk_composite_gather(c, t, x, v, err));
    for (int i = 0; i < c->members; i++) {
        const member *m = &c->member[i];
        const yoke_status one = yoke_system_eval(
            m->system, t, yk_at(x, m->x), c->u + m->u, q ? q + m->x : NULL,
            f ? f + m->x : NULL, all == YOKE_OK ? err : NULL);
        if (one < 0) return one;
        if (all == YOKE_OK) all = one;
    }
    for (int k = c->base; q && k < c->n; k++) q[k] = 0.0;
    if (f && c->kept) YK_TRY(kept_residual(c, t, x, v, f, all ? NULL : err));
    return all;
}

static yoke_status composite_rhs(void *self, double t, const double *x,
                                 const double *v, double *xdot, yoke_err *err)
{
    composite *c = self;

    YK_TRY(yk_composite_gather(c, t, x, v, err));
    for (int i = 0; i < c->members; i++) {
        const member *m = &c->member[i];
        YK_TRY(yk_system_rhs(m->system, t, yk_at(x, m->x), c->u + m->u,
                             xdot + m->x, err));
    }
    return YOKE_OK;
}

static yoke_status composite_output(void *self, double t, const double *x,
                                    const double *v, double *y, yoke_err *err)
{
    composite *c = self;

    YK_TRY(yk_composite_gather(c, t, x, v, err));
    YK_TRY(yk_composite_ask(&(yk_asking){ c, t, x, is_wanted, own_output },
                            false, err));
    for (int k = 0; k < c->outs; k++)
        y[k] = c->y[c->member[c->out[k][0]].y + c->out[k][1]];
    return YOKE_OK;
}

static void sum_terms(const composite *c, const term_list *list, double *out)
{
    for (int k = 0; out && k < list->count; k++) {
        const term *s = &list->term[k];
        double value = s->weight;
        if (s->a != ONE) value *= c->value[s->a];
        if (s->b != ONE) value *= c->value[s->b];
        out[s->target] += value;
    }
}

static yoke_status composite_jacobian(void *self, double t, const double *x,
                                      const double *v, const yoke_jacobian *jac,
                                      yoke_err *err)
{
    composite *c = self;

    YK_TRY(yk_composite_gather(c, t, x, v, err));
    const yoke_status status = yk_composite_ask(
        &(yk_asking){ c, t, x, is_any, own_jacobian }, true, err);
    if (status < 0) return status;
    sum_terms(c, &c->C, jac->C);
    sum_terms(c, &c->G, jac->G);
    sum_terms(c, &c->Cu, jac->Cu);
    sum_terms(c, &c->Gu, jac->Gu);
    sum_terms(c, &c->Hx, jac->Hx);
    sum_terms(c, &c->Hu, jac->Hu);
    return status;
}

static void composite_accuracy(void *self, double rtol)
{
    const composite *c = self;

    for (int i = 0; i < c->members; i++)
        yk_system_accuracy(c->member[i].system, rtol);
}

static void composite_aside(void *self, bool on)
{
    const composite *c = self;

    for (int i = 0; i < c->members; i++)
        yk_system_aside(c->member[i].system, on);
}

/* Inputs of members move with the others' outputs. */
static bool composite_settled(void *self, double t, const double *x,
                              const double *dx, const double *v,
                              const double *dv)
{
    composite *c = self;

    if (!c->settles) return true;
    for (int k = 0; k < c->n; k++) c->x_before[k] = x[k] - dx[k];
    if (yk_composite_gather(c, t, c->x_before, v, NULL) != YOKE_OK)
        return false;
    memcpy(c->du, c->u, (size_t)c->m_all * sizeof *c->u);
    if (yk_composite_gather(c, t, x, v, NULL) != YOKE_OK) return false;
    for (int k = 0; k < c->m_all; k++) {
        c->du[k] = c->u[k] - c->du[k];
        if (dv && c->open_at[k] >= 0) c->du[k] += dv[c->open_at[k]];
    }
    for (int i = 0; i < c->members; i++) {
        const member *m = &c->member[i];
        if (!yk_system_settled(m->system, t, yk_at(x, m->x), yk_at(dx, m->x),
                               c->u + m->u, c->du + m->u))
            return false;
    }
    return true;
}

static void composite_limit(void *self, bool on, double t, const double *x,
                            const double *v)
{
    composite *c = self;

    if (on && yk_composite_gather(c, t, x, v, NULL) != YOKE_OK) return;
    for (int i = 0; i < c->members; i++) {
        const member *m = &c->member[i];
        yk_system_limit(m->system, on, t, x ? yk_at(x, m->x) : NULL,
                        c->u + m->u);
    }
}

static void composite_enclose(void *self, int i, double from, double to,
                              int order, double (*out)[2])
{
    const composite *c = self;
    int low = 0, high = c->members; /* it is a course of the last that begins
                                       at i or before */

    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (c->member[middle].course <= i)
            low = middle;
        else
            high = middle;
    }
    const yoke_courses *told = c->member[low].system->info.courses;
    told->enclose(told->self, i - c->member[low].course, from, to, order, out);
}

const yoke_courses *yk_composite_courses(composite *c)
{
    bool shown = false;
    int count = 0;

    for (int i = 0; i < c->members; i++) {
        const yoke_courses *told = c->member[i].system->info.courses;
        c->member[i].course = count;
        count += told ? told->count : 0;
        shown = shown || (told && told->shown);
    }
    c->courses = (yoke_courses){ count, composite_enclose, c, shown };
    return count > 0 ? &c->courses : NULL;
}

static double composite_next_break(void *self, double t)
{
    const composite *c = self;
    double next = INFINITY;

    for (int i = 0; i < c->members; i++)
        next = fmin(next, yk_system_next_break(c->member[i].system, t));
    return next;
}

static void composite_save(void *self, void *bytes)
{
    const composite *c = self;

    for (int i = 0; i < c->members; i++)
        if (c->member[i].system->info.memory_bytes > 0)
            yk_system_save(c->member[i].system,
                           (char *)bytes + c->member[i].memory);
}

static void composite_restore(void *self, const void *bytes)
{
    const composite *c = self;

    for (int i = 0; i < c->members; i++)
        if (c->member[i].system->info.memory_bytes > 0)
            yk_system_restore(c->member[i].system,
                              (const char *)bytes + c->member[i].memory);
}

/* ---- Events -------------------------------------------------------------- */

static yoke_status composite_indicate(void *self, double t, const double *x,
                                      const double *v, double *g, yoke_err *err)
{
    composite *c = self;

    YK_TRY(yk_composite_gather(c, t, x, v, err));
    for (int i = 0; i < c->members; i++) {
        const member *m = &c->member[i];
        YK_TRY(yk_system_indicate(m->system, t, yk_at(x, m->x), c->u + m->u,
                                  g + m->event, err));
    }
    return YOKE_OK;
}

static yoke_status composite_begin(void *self, double t, const double *x,
                                   const double *v, bool *happened,
                                   yoke_err *err)
{
    composite *c = self;

    YK_TRY(yk_composite_gather(c, t, x, v, err));
    for (int i = 0; i < c->members; i++) {
        const member *m = &c->member[i];
        YK_TRY(yk_system_begin(m->system, t, yk_at(x, m->x), c->u + m->u,
                               happened + m->event, err));
    }
    return YOKE_OK;
}

/* Members see inputs made of x_now, and before the instant of x_before; which
 * of the two an input comes from is known only to the member. */
static yoke_status composite_meet(void *self, const yoke_instant *at,
                                  double *x_new, yoke_err *err)
{
    composite *c = self;

    YK_TRY(yk_composite_gather(c, at->t, at->x_now, at->u, err));
    memcpy(c->du, c->u, (size_t)c->m_all * sizeof *c->u);
    if (at->memory) composite_restore(c, at->memory);
    YK_TRY(yk_composite_gather(c, at->t, at->x_before, at->u_before, err));
    for (int i = 0; i < c->members; i++) {
        const member *m = &c->member[i];
        bool any = false;
        for (int k = 0; k < m->system->info.events; k++)
            any = any || at->happened[m->event + k];
        if (!any) continue;
        const yoke_instant own = {
            .t = at->t,
            .x = yk_at(at->x, m->x),
            .x_now = yk_at(at->x_now, m->x),
            .x_before = yk_at(at->x_before, m->x),
            .u = c->du + m->u,
            .u_before = c->u + m->u,
            .happened = at->happened + m->event,
        };
        YK_TRY(yk_system_meet(m->system, &own, x_new + m->x, err));
    }
    return YOKE_OK;
}

/* Nothing but what is now is known. */
static yoke_status composite_apply(void *self, double t, const double *x,
                                   const double *v, const bool *happened,
                                   double *x_new, yoke_err *err)
{
    const yoke_instant at = { .t = t,
                              .x = x,
                              .x_now = x,
                              .x_before = x,
                              .u = v,
                              .u_before = v,
                              .happened = happened };

    return composite_meet(self, &at, x_new, err);
}

static bool composite_remark(void *self, int k, yoke_remark *out)
{
    const composite *c = self;

    for (int i = 0; i < c->members; i++) {
        int count = 0;
        for (; yk_system_remark(c->member[i].system, count, out); count++)
            if (count == k) return true;
        k -= count;
    }
    return false;
}

static yoke_status composite_settle(void *self, double t, const double *x,
                                    const double *v, double *x_new,
                                    bool *changed, yoke_err *err)
{
    composite *c = self;

    YK_TRY(yk_composite_gather(c, t, x, v, err));
    for (int i = 0; i < c->members; i++) {
        const member *m = &c->member[i];
        bool own = false;
        if (m->system->info.events == 0) continue;
        YK_TRY(yk_system_settle(m->system, t, yk_at(x, m->x), c->u + m->u,
                                x_new ? x_new + m->x : NULL, &own, err));
        *changed = *changed || own;
    }
    return YOKE_OK;
}

static void composite_about(void *self, int k, yoke_event_about *out)
{
    const composite *c = self;
    int i = c->members - 1;

    while (i > 0 && c->member[i].event > k) i--;
    yk_system_about(c->member[i].system, k - c->member[i].event, out);
}

static bool composite_bound(void *self, const double *x, double *dx)
{
    const composite *c = self;
    bool bounded = false;

    for (int i = 0; i < c->members; i++) {
        const member *m = &c->member[i];
        if (yk_system_bound(m->system, x + m->x, dx + m->x)) bounded = true;
    }
    return bounded;
}

static yoke_status composite_project(void *self, double t, double *x,
                                     double missed[2], yoke_err *err)
{
    const composite *c = self;

    missed[0] = missed[1] = 0.0;
    for (int i = 0; i < c->members; i++) {
        const member *m = &c->member[i];
        double own[2];
        YK_TRY(yk_system_project(m->system, t, x + m->x, own, err));
        for (int k = 0; k < 2; k++)
            if (own[k] > missed[k]) missed[k] = own[k];
    }
    return YOKE_OK;
}

static bool composite_place(void *self, int unknown, char *text, size_t size)
{
    const composite *c = self;

    for (int i = 0; i < c->members; i++) {
        const yoke_system *s = c->member[i].system;
        const int own = unknown - c->member[i].x;
        if (own >= 0 && own < s->info.n && s->info.help->place)
            return s->info.help->place(s->self, own, text, size);
    }
    return false;
}

/* Members say where it is; rows of the whole are evaluated by them, too. */
static bool composite_explain(void *self, yoke_question *ask, char *text,
                              size_t size)
{
    composite *c = self;

    if (ask->row >= 0 ||
        yk_composite_gather(c, ask->t_next, ask->x_next, ask->u_next, NULL))
        return false;
    memcpy(c->du, c->u, (size_t)c->m_all * sizeof *c->u);
    if (yk_composite_gather(c, ask->t, ask->x, ask->u, NULL)) return false;
    for (int i = 0; i < c->members; i++) {
        const member *m = &c->member[i];
        yoke_question own = *ask;
        own.x = yk_at(ask->x, m->x);
        own.x_next = yk_at(ask->x_next, m->x);
        own.u = c->u + m->u;
        own.u_next = c->du + m->u;
        if (yk_system_edge(m->system, &own, text, size)) return true;
    }
    return false;
}

/* `project` and `bound` only if a member has them: they cost something. */
const yoke_help_ops *yk_composite_help(composite *c)
{
    c->help.accuracy = composite_accuracy;
    c->help.aside = composite_aside;
    c->help.settled = composite_settled;
    c->help.limit = composite_limit;
    c->help.place = composite_place;
    c->help.explain = composite_explain;
    for (int i = 0; i < c->members; i++) {
        const yoke_help_ops *own = c->member[i].system->info.help;
        if (own->project) c->help.project = composite_project;
        if (own->bound) c->help.bound = composite_bound;
    }
    return &c->help;
}

const yoke_event_ops yk_composite_event_ops = {
    .indicate = composite_indicate,
    .apply = composite_apply,
    .begin = composite_begin,
    .remark = composite_remark,
    .settle = composite_settle,
    .about = composite_about,
    .meet = composite_meet,
};

#define COMMON_OPS                                                             \
    .kind = "composite", .eval = composite_eval, .output = composite_output,   \
    .jacobian = composite_jacobian, .next_break = composite_next_break,        \
    .save = composite_save, .restore = composite_restore,                      \
    .free = yk_composite_free

const yoke_system_ops yk_composite_ops = { COMMON_OPS };
const yoke_system_ops yk_composite_ode_ops = { COMMON_OPS,
                                               .rhs = composite_rhs };
