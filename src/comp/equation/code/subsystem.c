/* comp/equation/code/subsystem.c -- the callbacks of a compiled model. */
#include "comp/equation/code/subsystem.h"

#include "comp/equation/structure/chart.h"
#include "comp/equation/code/code_c.h"
#include "comp/equation/policy.h"
#include "comp/equation/events/events.h"
#include "expr/why.h"
#include "la/pattern.h"

#include <math.h>
#include <string.h>

/* ---- Values ------------------------------------------------------------- */

/* All values from x and u, with aliases. */
static const double *values(yk_subsystem *s, const double *x, const double *u)
{
    const yk_layout *l = &s->layout;
    double *w = s->w;

    if (s->direct) return x;

    for (int k = 0; k < s->runs; k++)
        memcpy(w + s->run[k][1], x + s->run[k][0],
               (size_t)s->run[k][2] * sizeof *w);
    for (int k = 0; k < l->m; k++) w[l->u_slot[k]] = u ? u[k] : 0.0;
    yk_layout_fill(l, w);
    return w;
}

static int lanes_at(const yk_template *t, int k)
{
    return t->instances - k < YK_LANES ? t->instances - k : YK_LANES;
}

void yk_subsystem_f(yk_subsystem *s, double t, const double *w, double *f)
{
    t = yk_breaks_beside(s->layout.breaks, t);
    if (s->native) {
        yk_native_f(s->native, t, w, f);
        return;
    }
    for (int i = 0; i < s->layout.blocks; i++) {
        const yk_template *block = &s->layout.block[i].t;
        for (int k = 0; k < block->instances; k += YK_LANES) {
            const int lanes = lanes_at(block, k);
            yk_eq_code_run(&s->f[i], block, k, lanes, t, w, s->workspace);
            memcpy(f + block->row + k,
                   s->workspace + (size_t)s->f[i].result[0] * YK_LANES,
                   (size_t)lanes * sizeof *f);
        }
    }
}

static void scatter(const yk_entry *e, int first, int lanes, const double *from,
                    double *J)
{
    for (int k = 0; k < lanes; k++) {
        const double v = e->sign ? e->sign[first + k] * from[k] : from[k];
        if (e->alone)
            J[e->at[first + k]] = v;
        else
            J[e->at[first + k]] += v;
    }
}

static void interpret_j(yk_subsystem *s, double t, const double *w, double *J)
{
    for (int i = 0; i < s->layout.blocks; i++) {
        const yk_block *b = &s->layout.block[i];
        const yk_code *code = &s->j[i];
        for (int k = 0; b->entries > 0 && k < b->t.instances; k += YK_LANES) {
            const int lanes = lanes_at(&b->t, k);
            yk_eq_code_run(code, &b->t, k, lanes, t, w, s->workspace);
            for (int r = 0; r < b->entries; r++)
                scatter(&b->entry[r], k, lanes,
                        s->workspace + (size_t)code->result[r] * YK_LANES, J);
        }
    }
}

static void find_j(yk_subsystem *s, double t, const double *w, double *J)
{
    const yk_layout *l = &s->layout;
    const size_t count = (size_t)l->g_count + (size_t)l->gu_count;

    memcpy(J, l->J, (count + (l->trash ? 1 : 0)) * sizeof *J);
    if (l->affine) return;
    if (s->native)
        yk_native_j(s->native, t, w, J);
    else
        interpret_j(s, t, w, J);
}

/* The slope of sqrt(x) at 0 is infinite, that of the angle of a complex number
 * 0 is none; the equation has a value there all the same.  Newton's method then
 * takes the slope nearby, or none.  Where the value is no number the entry
 * stays, and the caller tells so. */
static void tame(const yk_subsystem *s, const double *near, int first,
                 const yoke_pattern *p, double *J)
{
    const int count = yoke_pattern_count(p);

    for (int k = 0; k < count; k++) {
        const double slope = near[first + k];
        if (isfinite(J[first + k]) || !isfinite(s->near_f[p->row[k]])) continue;
        J[first + k] = isfinite(slope) ? slope : 0.0;
    }
}

static void move_aside(yk_subsystem *s, const double *w)
{
    const yk_layout *l = &s->layout;
    double *near = s->near_w;

    memcpy(near, w, (size_t)(s->direct ? l->n : l->slots) * sizeof *near);
    for (int j = 0; j < l->n; j++)
        near[l->x_slot[j]] +=
            YK_EQ_BESIDE * fmax(1.0, fabs(near[l->x_slot[j]]));
    for (int k = 0; k < l->m; k++)
        near[l->u_slot[k]] +=
            YK_EQ_BESIDE * fmax(1.0, fabs(near[l->u_slot[k]]));
    yk_layout_fill(l, near);
}

void yk_subsystem_j(yk_subsystem *s, double t, const double *w, double *J)
{
    const yk_layout *l = &s->layout;
    const int count = l->g_count + l->gu_count;
    int k = 0;

    t = yk_breaks_beside(l->breaks, t);
    find_j(s, t, w, J);
    while (k < count && isfinite(J[k])) k++;
    if (k == count) return;
    move_aside(s, w);
    memset(s->near_f, 0, (size_t)l->n * sizeof *s->near_f);
    yk_subsystem_f(s, t, w, s->near_f);
    find_j(s, t, s->near_w, s->near_J);
    tame(s, s->near_J, 0, l->G, J);
    tame(s, s->near_J, l->g_count, l->Gu, J);
}

/* ---- Callbacks ---------------------------------------------------------- */

static void links(const yk_layout *l, const double *x, double *f)
{
    for (int k = 0; k < l->links; k++) f[l->rows + k] = -x[l->rate[k]];
}

/* -T w; T stands in C. */
static void combinations(const yk_charts *charts, const double *C,
                         const double *x, double *f)
{
    for (int k = 0; charts && k < charts->count; k++) {
        const yk_chart *c = &charts->chart[k];
        for (int i = 0; i < c->cols - c->rows; i++) {
            double sum = 0.0;
            for (int j = 0; j < c->cols; j++)
                sum -= C[c->c_at[i * c->cols + j]] * x[c->rate[j]];
            f[c->first + i] = sum;
        }
    }
}

static yoke_status eval(void *self, double t, const double *x, const double *u,
                        double *q, double *f, yoke_err *err)
{
    yk_subsystem *s = self;
    const yk_layout *l = &s->layout;

    (void)err;
    if (q) {
        memset(q, 0, (size_t)l->n * sizeof *q);
        yk_pattern_multiply(l->C, l->C_value, 1.0, x, q);
        if (u) yk_pattern_multiply(l->Cu, l->Cu_value, 1.0, u, q);
    }
    if (f) {
        yk_subsystem_f(s, t, values(s, x, u), f);
        links(l, x, f);
        combinations(s->model.charts, l->C_value, x, f);
    }
    return YOKE_OK;
}

static yoke_status output(void *self, double t, const double *x,
                          const double *u, double *y, yoke_err *err)
{
    (void)t, (void)err;
    yk_layout_output(&((yk_subsystem *)self)->layout, x, u, y);
    return YOKE_OK;
}

static yoke_status jacobian(void *self, double t, const double *x,
                            const double *u, const yoke_jacobian *jac,
                            yoke_err *err)
{
    yk_subsystem *s = self;
    const yk_layout *l = &s->layout;

    (void)err;
    yk_layout_copy(jac->C, l->C_value, l->C);
    yk_layout_copy(jac->Cu, l->Cu_value, l->Cu);
    yk_layout_copy(jac->Hx, l->Hx_value, l->Hx);
    yk_layout_copy(jac->Hu, l->Hu_value, l->Hu);
    if (!jac->G && !jac->Gu) return YOKE_OK;
    const double *w = values(s, x, u);
    if (jac->G && l->gu_count == 0 && !l->trash) {
        yk_subsystem_j(s, t, w, jac->G);
        return YOKE_OK;
    }
    yk_subsystem_j(s, t, w, s->J);
    yk_layout_copy(jac->G, s->J, l->G);
    yk_layout_copy(jac->Gu, s->J + l->g_count, l->Gu);
    return YOKE_OK;
}

static yoke_status rhs(void *self, double t, const double *x, const double *u,
                       double *xdot, yoke_err *err)
{
    yk_subsystem *s = self;

    (void)err;
    yk_subsystem_f(s, t, values(s, x, u), xdot);
    for (int j = 0; j < s->layout.n; j++) xdot[j] = -xdot[j];
    return YOKE_OK;
}

/* Codes of the interpreter are there beside native code too. */
static bool explain_row(yk_subsystem *s, const yoke_question *ask,
                        yk_blamed *out)
{
    const yk_layout *l = &s->layout;
    const double *w = values(s, ask->x, ask->u);

    for (int i = 0; i < l->blocks; i++) {
        const yk_template *b = &l->block[i].t;
        if (ask->row < b->row || ask->row >= b->row + b->instances) continue;
        return yk_eq_code_explain(ask->column < 0 ? &s->f[i] : &s->j[i], b,
                                  ask->row - b->row, ask->t, w, s->workspace,
                                  out);
    }
    return false;
}

/* The operation of all equations that nears its end most. */
static bool explain_edge(yk_subsystem *s, yoke_question *ask, yk_blamed *out)
{
    const yk_layout *l = &s->layout;
    const double time[2] = { ask->t, ask->t_next };
    const double *w[2] = { s->near_w, NULL };
    double(*scratch)[2] = NULL, most = ask->least;
    int longest = 1;

    for (int i = 0; i < l->blocks; i++)
        if (s->f[i].length > longest) longest = s->f[i].length;
    if (YK_NEW(&scratch, longest, NULL) != YOKE_OK) return false;
    memcpy(s->near_w, values(s, ask->x, ask->u),
           (size_t)(s->direct ? l->n : l->slots) * sizeof *s->near_w);
    w[1] = values(s, ask->x_next, ask->u_next);
    for (int i = 0; i < l->blocks; i++) {
        const yk_template *b = &l->block[i].t;
        for (int k = 0; k < b->instances; k++) {
            const double part = yk_eq_code_edge(
                &s->f[i], b, k, time, w, s->workspace, scratch, most, out);
            if (part > most) ask->row = b->row + k;
            most = part;
        }
    }
    yk_free(scratch);
    return ask->row >= 0;
}

static bool explain(void *self, yoke_question *ask, char *text, size_t size)
{
    yk_blamed found;

    if (!(ask->row < 0 ? explain_edge(self, ask, &found)
                       : explain_row(self, ask, &found)))
        return false;
    yk_op_blame((yk_op)found.op, found.operand[0], found.operand[1], text,
                size);
    return true;
}

const yoke_help_ops yk_subsystem_help_ops = { .explain = explain };

static double next_break(void *self, double t)
{
    yk_layout *l = &((yk_subsystem *)self)->layout;

    return fmin(yk_breaks_after(l->breaks, t, INFINITY), yk_next_sample(l, t));
}

/* ---- Events and memory --------------------------------------------------- */

int yk_subsystem_events(const yk_subsystem *s)
{
    const yk_charts *charts = s->model.charts;

    return yk_whens_count(s->events) + (charts ? charts->components : 0);
}

/* The same with a place for every slot. */
static double *all_values(yk_subsystem *s, const double *x, const double *u)
{
    if (!s->direct)
        (void)values(s, x, u);
    else
        memcpy(s->w, x, (size_t)s->layout.n * sizeof *x);
    return s->w;
}

static void store_charts(yk_subsystem *s)
{
    yk_charts_store(s->model.charts, s->layout.C_value, s->layout.J);
}

void yk_subsystem_anchor(yk_subsystem *s, double t, const double *x,
                         const double *u)
{
    if (!s->model.charts) return;
    yk_charts_start(s->model.charts, &s->model, t, values(s, x, u));
    store_charts(s);
}

/* The memory is that of the charts, then what is held, then the times of the
 * warnings. */
static size_t chart_memory(const yk_subsystem *s)
{
    const yk_charts *charts = s->model.charts;

    return charts ? charts->numbers * sizeof *charts->memory : 0;
}

static size_t held_memory(const yk_subsystem *s)
{
    const yk_model *m = &s->model;

    return s->events ? (size_t)(m->fixed_slots - m->held) * sizeof *s->w : 0;
}

static size_t warning_memory(const yk_subsystem *s, double **since)
{
    return (size_t)yk_whens_since(s->events, since) * sizeof **since;
}

size_t yk_subsystem_memory(const yk_subsystem *s)
{
    double *since = NULL;

    return chart_memory(s) + held_memory(s) + warning_memory(s, &since);
}

static void save(void *self, void *bytes)
{
    const yk_subsystem *s = self;
    double *since = NULL;
    const size_t charts = chart_memory(s), held = held_memory(s);
    const size_t times = warning_memory(s, &since);

    if (charts) memcpy(bytes, s->model.charts->memory, charts);
    if (held) memcpy((char *)bytes + charts, s->w + s->model.held, held);
    if (times) memcpy((char *)bytes + charts + held, since, times);
}

static void restore(void *self, const void *bytes)
{
    yk_subsystem *s = self;
    double *since = NULL;
    const size_t charts = chart_memory(s), held = held_memory(s);
    const size_t times = warning_memory(s, &since);

    if (held) memcpy(s->w + s->model.held, (const char *)bytes + charts, held);
    if (times) memcpy(since, (const char *)bytes + charts + held, times);
    if (!charts) return;
    memcpy(s->model.charts->memory, bytes, charts);
    store_charts(s);
}

static yoke_status indicate(void *self, double t, const double *x,
                            const double *u, double *g, yoke_err *err)
{
    yk_subsystem *s = self;
    const double *w = all_values(s, x, u);

    (void)err;
    if (s->events) yk_whens_indicate(s->events, t, w, g);
    if (s->model.charts)
        yk_charts_indicate(s->model.charts, &s->model, t, w,
                           g + yk_whens_count(s->events));
    return YOKE_OK;
}

/* pre(u) is the input before the instant. */
static yoke_status meet(void *self, const yoke_instant *at, double *x_new,
                        yoke_err *err)
{
    yk_subsystem *s = self;
    const bool *happened = at->happened;
    const double t = at->t;

    if (at->memory) restore(s, at->memory);
    double *w = all_values(s, at->x, at->u);
    if (s->events) YK_TRY(yk_whens_apply(s->events, at, w, x_new, err));
    if (!s->model.charts) return YOKE_OK;
    memset(s->given, 0, (size_t)s->layout.n * sizeof *s->given);
    if (s->events) yk_whens_given(s->events, s->given);
    YK_TRY(yk_charts_apply(s->model.charts, &s->model, t, w,
                           happened + yk_whens_count(s->events), s->given,
                           err));
    store_charts(s);
    return YOKE_OK;
}

static yoke_status apply(void *self, double t, const double *x, const double *u,
                         const bool *happened, double *x_new, yoke_err *err)
{
    const yoke_instant at = {
        .t = t, .x = x, .u = u, .u_before = u, .happened = happened
    };

    return meet(self, &at, x_new, err);
}

static yoke_status begin(void *self, double t, const double *x, const double *u,
                         bool *happened, yoke_err *err)
{
    yk_subsystem *s = self;
    const double *w = all_values(s, x, u);

    (void)err;
    if (s->events) yk_whens_begin(s->events, t, w, happened);
    if (s->model.charts)
        yk_charts_begin(s->model.charts, &s->model, t, w,
                        happened + yk_whens_count(s->events));
    return YOKE_OK;
}

static yoke_status settle(void *self, double t, const double *x,
                          const double *u, double *x_new, bool *changed,
                          yoke_err *err)
{
    yk_subsystem *s = self;

    if (!s->events) return YOKE_OK;
    return yk_whens_settle(s->events, t, all_values(s, x, u), x_new, changed,
                           err);
}

static void about(void *self, int k, yoke_event_about *out)
{
    const yk_subsystem *s = self;

    if (k < yk_whens_count(s->events)) yk_whens_about(s->events, k, out);
}

static bool remark(void *self, int k, yoke_remark *out)
{
    const yk_subsystem *s = self;
    double *since = NULL;

    const int own = yk_whens_since(s->events, &since);

    if (k == own && s->note) {
        *out = (yoke_remark){ s->note, -INFINITY };
        return true;
    }
    if (k < 0 || k >= own) return false;
    *out = (yoke_remark){ yk_whens_warning(s->events, k), since[k] };
    return true;
}

/* ---- Construction ------------------------------------------------------- */

void yk_subsystem_free(void *self)
{
    yk_subsystem *s = self;

    if (!s) return;
    for (int i = 0; i < s->layout.blocks; i++) {
        if (s->f) yk_eq_code_free(&s->f[i]);
        if (s->j) yk_eq_code_free(&s->j[i]);
    }
    YK_FREE(s->f, s->j, s->workspace, s->w);
    YK_FREE(s->J, s->near_w, s->near_J, s->near_f);
    YK_FREE(s->run, s->given);
    yk_instants_free(&s->instants);
    yk_native_free(s->native);
    yk_whens_free(s->events);
    yk_free(s->note);
    yk_eq_initial_free(s->initial);
    yk_layout_free(&s->layout);
    yk_eq_model_free(&s->model);
    yk_free(s);
}

static yoke_status find_runs(yk_subsystem *s, yoke_err *err)
{
    const yk_layout *l = &s->layout;
    size_t room = 0;

    for (int j = 0, next; j < l->n; j = next) {
        next = j + 1;
        while (next < l->n && l->x_slot[next] == l->x_slot[next - 1] + 1)
            next++;
        YK_TRY(YK_GROW(&s->run, &room, s->runs + 1, err));
        s->run[s->runs][0] = j;
        s->run[s->runs][1] = l->x_slot[j];
        s->run[s->runs++][2] = next - j;
    }
    return YOKE_OK;
}

/* An explicit ODE in the order of its unknowns: C = I, and no Cu. */
static bool is_ode(const yk_layout *l)
{
    bool yes = l->n > 0 && l->links == 0 && yoke_pattern_count(l->Cu) == 0;

    for (int j = 0; j < l->n && yes; j++) {
        const int k = l->C->start[j];
        yes = l->C->start[j + 1] == k + 1 && l->C->row[k] == j &&
              l->C_value[k] == 1.0;
    }
    return yes;
}

static yoke_status make_code(yk_subsystem *s, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_layout *l = &s->layout;
    int registers = 1, most = 0, *root = NULL;

    for (int i = 0; i < l->blocks; i++)
        if (l->block[i].entries > most) most = l->block[i].entries;
    YK_GO(yk_ints(&root, (size_t)most, err));
    YK_GO(YK_NEW(&s->f, l->blocks, err));
    YK_GO(YK_NEW(&s->j, l->blocks, err));
    for (int i = 0; i < l->blocks; i++) {
        yk_block *b = &l->block[i];
        for (int k = 0; k < b->entries; k++) root[k] = b->entry[k].node;
        YK_GO(yk_eq_code_create(&s->f[i], &s->model, &b->t, 1, &b->t.residual,
                                err));
        YK_GO(yk_eq_code_create(&s->j[i], &s->model, &b->t, b->entries, root,
                                err));
        if (s->f[i].registers > registers) registers = s->f[i].registers;
        if (s->j[i].registers > registers) registers = s->j[i].registers;
    }
    YK_GO(yk_doubles(&s->workspace, (size_t)registers * YK_LANES, err));
done:
    yk_free(root);
    return status;
}

yoke_status yk_subsystem_create(yk_subsystem **out, yk_model *model,
                                yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_subsystem *s = NULL;

    YK_GO(YK_NEW(&s, 1, err));
    s->model = *model;
    *model = (yk_model){ 0 };
    YK_GO(yk_layout_create(&s->layout, &s->model, err));
    const yk_layout *l = &s->layout;
    const size_t places = (size_t)l->g_count + (size_t)l->gu_count + 1;
    YK_GO(yk_copy_doubles(&s->w, l->w, (size_t)l->slots, err));
    YK_GO(YK_DOUBLES(places, err, &s->J, &s->near_J));
    YK_GO(yk_doubles(&s->near_w, (size_t)l->slots, err));
    YK_GO(yk_doubles(&s->near_f, (size_t)l->n, err));
    YK_GO(YK_NEW(&s->given, l->n, err));
    YK_GO(find_runs(s, err));
    s->direct = l->n > 0 && l->n == s->model.elements && l->x_slot[0] == 0 &&
                s->runs == 1 && s->model.fixed_slots == l->n;
    s->is_ode = is_ode(l);
    YK_GO(make_code(s, err));
    YK_GO(yk_whens_create(&s->events, &s->model, l, err));
    yk_whens_use(s->events, s);
    YK_GO(yk_instants_create(&s->instants, &s->model, l, s->events, err));
    *out = s;
    s = NULL;
done:
    yk_eq_model_free(model);
    yk_subsystem_free(s);
    return status;
}

static const yoke_system_ops plain_ops = {
    .kind = "equations",
    .eval = eval,
    .output = output,
    .jacobian = jacobian,
    .next_break = next_break,
    .save = save,
    .restore = restore,
    .free = yk_subsystem_free,
};

static const yoke_system_ops ode_ops = {
    .kind = "equations",
    .eval = eval,
    .output = output,
    .jacobian = jacobian,
    .rhs = rhs,
    .next_break = next_break,
    .save = save,
    .restore = restore,
    .free = yk_subsystem_free,
};

const yoke_system_ops *yk_subsystem_operations(const yk_subsystem *s)
{
    return s->is_ode && !s->model.charts ? &ode_ops : &plain_ops;
}

const yoke_event_ops yk_subsystem_event_ops = {
    .indicate = indicate,
    .apply = apply,
    .begin = begin,
    .remark = remark,
    .settle = settle,
    .about = about,
    .meet = meet,
};
