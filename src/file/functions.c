/* file/functions.c -- formulas that callbacks evaluate: breakpoints, courses,
 * values with branches held, events, bounds along the path of a step. */
#include "file/functions.h"

#include "base/text.h"
#include "expr/policy.h"
#include "expr/why.h"
#include "sys/system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void yk_functions_free(yk_functions *f)
{
    while (f) {
        yk_functions *next = f->next;
        yk_breaks_free(f->breaks);
        yk_courses_clear(&f->courses);
        yk_formula_clear(&f->formula);
        yk_compiled_free(f->compiled);
        yk_arena_clear(&f->arena);
        YK_FREE(f->root, f->y, f->rate, f);
        f = next;
    }
}

/* ---- of time --------------------------------------------------------------- */

yoke_status yk_functions_close(yk_functions *f, yoke_err *err)
{
    if (f->y) yk_formula_bind(&f->formula, f->y);
    f->straight = true;
    for (int i = 0; i < f->count; i++)
        f->straight = f->straight &&
                      yk_formula_is_piecewise_linear(&f->formula, f->root[i]);
    return yk_breaks_create(&f->breaks, &f->formula, err);
}

void yk_functions_now(void *context, double t, double *value)
{
    yk_functions *f = context;

    yk_formula_eval(&f->formula, yk_breaks_beside(f->breaks, t), f->y);
    for (int i = 0; i < f->count; i++) value[i] = f->formula.value[f->root[i]];
}

double yk_functions_next_break(void *context, double t)
{
    return yk_formula_next_break(((yk_functions *)context)->breaks, t);
}

static yoke_status add_courses(const yk_functions *f, yk_course_list *list,
                               yoke_err *err)
{
    if (f->straight) return YOKE_OK;
    return yk_courses_find(list, &f->formula.program, f->count, f->root, err);
}

/* ---- of inputs ------------------------------------------------------------- */

static yoke_status extract(yk_functions *f, yoke_err *err)
{
    const yk_expr_program *all = &f->formula.program;
    int *at = NULL;

    YK_TRY(YK_TAKE(&f->arena, &f->function, f->count, err));
    YK_TRY(YK_TAKE(&f->arena, &at, all->steps, err));
    for (int i = 0; i < f->count; i++) {
        yk_expr_step *step = NULL;
        YK_TRY(YK_TAKE(&f->arena, &step, f->root[i] + 1, err));
        const int steps = yk_expr_extract(all->step, f->root[i], at, step);
        f->function[i].program =
            (yk_source_program){ steps, step, f->formula.variables };
    }
    return YOKE_OK;
}

static yoke_status hold_all(yk_functions *f, bool with, int *kinks,
                            yoke_err *err)
{
    bool *open = NULL;

    *kinks = 0;
    YK_TRY(YK_TAKE(&f->arena, &open, f->formula.variables + 1, err));
    for (int k = 0; k < f->formula.variables; k++) open[k] = true;
    for (int i = 0; i < f->count; i++) {
        const yk_source_program *p = &f->function[i].program;
        yk_held *held = NULL;
        YK_TRY(yk_held_make(&held, &f->arena, p->steps, p->step, p->variables,
                            open, with, err));
        f->function[i].held = held;
        if (held) *kinks += held->kinks;
    }
    return YOKE_OK;
}

static yoke_status number_branches(yk_functions *f, yoke_err *err)
{
    for (int i = 0; i < f->count; i++) {
        yk_held_function *fn = &f->function[i];
        fn->first = f->holds;
        if (!fn->held) continue;
        f->holds += fn->held->holds;
        fn->program = (yk_source_program){ fn->held->steps, fn->held->step,
                                           fn->held->variables };
        YK_TRY(YK_TAKE(&f->arena, &fn->arg, fn->held->variables, err));
    }
    return YK_TAKE(&f->arena, &f->held, f->holds + 1, err);
}

static yoke_status make_room(yk_functions *f, yoke_err *err)
{
    int steps = 1, variables = 1;

    for (int i = 0; i < f->count; i++) {
        const yk_source_program *p = &f->function[i].program;
        if (p->steps > steps) steps = p->steps;
        if (p->variables > variables) variables = p->variables;
    }
    YK_TRY(YK_TAKE(&f->arena, &f->work, steps, err));
    YK_TRY(YK_TAKE(&f->arena, &f->bar, steps, err));
    YK_TRY(YK_TAKE(&f->arena, &f->motion, 2 * steps, err));
    YK_TRY(YK_TAKE(&f->arena, &f->jet, steps, err));
    YK_TRY(YK_TAKE(&f->arena, &f->bend, f->count, err));
    return YK_TAKE(&f->arena, &f->slope, variables, err);
}

/* The variables of function i, with what is held behind them. */
static const double *arguments(const yk_functions *f, int i, const double *y)
{
    const yk_held_function *fn = &f->function[i];

    if (!fn->held) return y;
    memcpy(fn->arg, y, (size_t)f->formula.variables * sizeof *y);
    return fn->arg;
}

static double value(yk_functions *f, int i, double t, const double *y,
                    double *slope)
{
    const yk_source_program *p = &f->function[i].program;
    const double *arg = arguments(f, i, y);

    if (yk_compiled_has(f->compiled, i))
        return yk_compiled_value(f->compiled, i, t, arg, slope);
    yk_expr_values(p->step, p->steps, t, arg, f->work);
    if (slope)
        yk_expr_gradient(p->step, p->steps - 1, f->work, p->variables, slope,
                         f->bar);
    return f->work[p->steps - 1];
}

void yk_functions_values(yk_functions *f, double t, const double *y, double *g,
                         double *slope)
{
    const size_t n = (size_t)f->formula.variables;

    for (int i = 0; i < f->count; i++) {
        const double now = value(f, i, t, y, slope ? f->slope : NULL);
        if (g) g[i] = now;
        if (slope) memcpy(slope + (size_t)i * n, f->slope, n * sizeof *slope);
    }
}

void yk_functions_along(yk_functions *f, double t, const double *y,
                        const double *rate, double *g)
{
    const int n = f->formula.variables;

    for (int i = 0; i < f->count; i++) {
        const yk_source_program *p = &f->function[i].program;
        const double *arg = arguments(f, i, y);
        const int last = p->steps - 1;
        for (int j = 0; j < p->variables; j++)
            f->slope[j] = j < n ? rate[j] : 0.0; /* what is held stays */
        yk_expr_motion(p->step, p->steps, t, arg, f->slope, f->work, f->motion);
        g[i] = f->motion[2 * last];
        g[f->count + i] = f->motion[2 * last + 1];
    }
}

static bool explain_value(yk_functions *f, const yoke_question *ask, char *text,
                          size_t size)
{
    const int i = ask->row;
    const yk_source_program *p = &f->function[i].program;

    yk_expr_values(p->step, p->steps, ask->t, arguments(f, i, ask->u), f->work);
    return yk_expr_blame(p->step, p->steps, f->work, text, size);
}

static bool explain_edge(yk_functions *f, yoke_question *ask, char *text,
                         size_t size)
{
    double most = ask->least;

    for (int i = 0; i < f->count; i++) {
        const yk_source_program *p = &f->function[i].program;
        yk_expr_values(p->step, p->steps, ask->t, arguments(f, i, ask->u),
                       f->work);
        yk_expr_values(p->step, p->steps, ask->t_next,
                       arguments(f, i, ask->u_next), f->bar);
        if (yk_expr_blame_edge(p->step, p->steps, f->work, f->bar, &most, text,
                               size))
            ask->row = i;
    }
    return most > ask->least;
}

bool yk_functions_explain(void *self, yoke_question *ask, char *text,
                          size_t size)
{
    yk_functions *f = self;
    const bool edge = ask->row < 0;
    char why[300] = "";

    if (edge && !explain_edge(f, ask, why, sizeof why)) return false;
    if (!edge) explain_value(f, ask, why, sizeof why); /* or it is a slope */
    snprintf(text, size, "%.150s%s%.300s", f->text,
             edge     ? " comes to "
             : why[0] ? ", "
                      : "",
             why);
    for (int v = 0; v < f->formula.variables && v < 4; v++)
        yk_append(text, size, "%s%.60s = %.6g",
                  v == 0 ? "; the values are " : ", ", f->formula.name[v],
                  ask->u[v]);
    ask->row = -1;
    return true;
}

void yk_functions_reads(const yk_functions *f, bool *reads)
{
    const int variables = f->formula.variables;

    for (int i = 0; i < f->count; i++) {
        const yk_source_program *p = &f->function[i].program;
        for (int k = 0; k < p->steps; k++)
            if (p->step[k].op == YK_OP_VARIABLE && p->step[k].arg < variables)
                reads[i * variables + p->step[k].arg] = true;
    }
}

/* ---- memory ---------------------------------------------------------------- */

static void set_branch(yk_functions *f, int i, int k, double value)
{
    const yk_held_function *fn = &f->function[i];

    f->held[fn->first + k] = value;
    yk_held_set(fn->held, k, value, fn->arg);
}

void yk_functions_save(void *self, void *bytes)
{
    const yk_functions *f = self;

    if (f->holds > 0) memcpy(bytes, f->held, f->events.memory_bytes);
}

void yk_functions_restore(void *self, const void *bytes)
{
    yk_functions *f = self;

    if (f->holds > 0) memcpy(f->held, bytes, f->events.memory_bytes);
    for (int i = 0; i < f->count; i++)
        for (int k = 0; f->function[i].held && k < f->function[i].held->holds;
             k++)
            set_branch(f, i, k, f->held[f->function[i].first + k]);
}

/* ---- events ---------------------------------------------------------------- */

/* d of branch k of function i. */
static double argument(yk_functions *f, int i, int k, double t, const double *u)
{
    const yk_held *held = f->function[i].held;

    if (k == 0)
        yk_expr_values(held->step, held->steps, t, arguments(f, i, u), f->work);
    return yk_held_argument(held, k, f->work);
}

static yoke_status indicate(void *self, double t, const double *x,
                            const double *u, double *g, yoke_err *err)
{
    yk_functions *f = self;

    (void)x, (void)err;
    for (int i = 0; i < f->count; i++) {
        const yk_held_function *fn = &f->function[i];
        for (int k = 0; fn->held && k < fn->held->holds; k++)
            g[fn->first + k] =
                yk_hold_above(&fn->held->hold[k], argument(f, i, k, t, u),
                              f->held[fn->first + k]);
    }
    return YOKE_OK;
}

static yoke_status apply(void *self, double t, const double *x, const double *u,
                         const bool *happened, double *x_new, yoke_err *err)
{
    yk_functions *f = self;

    (void)x, (void)x_new, (void)err;
    for (int i = 0; i < f->count; i++) {
        const yk_held_function *fn = &f->function[i];
        for (int k = 0; fn->held && k < fn->held->holds; k++) {
            const double d = argument(f, i, k, t, u);
            const yk_hold *h = &fn->held->hold[k];
            const int twin = yk_hold_twin(h, k);
            if (!happened[fn->first + k] ||
                (twin < k && happened[fn->first + twin]))
                continue;
            const double now = yk_hold_change(h, d, f->held[fn->first + k]);
            set_branch(f, i, k, now);
            set_branch(f, i, twin, now);
        }
    }
    return YOKE_OK;
}

/* Branches may depend on one another: until all fit. */
static yoke_status settle(void *self, double t, const double *x,
                          const double *u, double *x_new, bool *changed,
                          yoke_err *err)
{
    yk_functions *f = self;
    bool again = true;

    (void)x, (void)x_new, (void)err;
    *changed = false;
    for (int round = 0; again && round <= f->holds; round++) {
        again = false;
        for (int i = 0; i < f->count; i++) {
            const yk_held_function *fn = &f->function[i];
            for (int k = 0; fn->held && k < fn->held->holds; k++) {
                const double old = f->held[fn->first + k];
                const double now =
                    yk_hold_value(&fn->held->hold[k], argument(f, i, k, t, u));
                again = again || now < old || now > old;
                set_branch(f, i, k, now);
            }
        }
        *changed = *changed || again;
    }
    return YOKE_OK;
}

/* The function that has it. */
static int owner_of(const yk_functions *f, int event)
{
    int i = f->count - 1;

    while (!f->function[i].held || f->function[i].first > event) i--;
    return i;
}

static void about(void *self, int event, yoke_event_about *out)
{
    const yk_functions *f = self;
    const int i = owner_of(f, event);
    const yk_hold *h = &f->function[i].held->hold[event - f->function[i].first];
    *out = (yoke_event_about){
        .text = f->text, .level = true, .kink = h->kink, .watched = h->watched
    };
}

const yoke_event_ops yk_functions_events = {
    .indicate = indicate, .apply = apply, .settle = settle, .about = about
};

/* ---- along a path ----------------------------------------------------------
 */

typedef struct view {
    const yk_functions *f;
    const yk_held_function *fn;
    const yoke_path *path;
} view;

static void follow(void *self, int i, double from, double to, int order,
                   yk_jet *out)
{
    const view *v = self;
    double value[YOKE_COURSE_ORDER + 1][2];

    if (i >= v->f->formula.variables) {
        yk_jet_number(v->fn->arg[i], order, out);
        return;
    }
    v->path->enclose(v->path->self, v->f->unknowns + i, from, to, order, value);
    for (int k = 0; k <= order; k++)
        out->c[k] = (yk_span){ value[k][0], value[k][1] };
}

/* All steps of function i, into f->jet. */
static void enclose_steps(yk_functions *f, int i, const yoke_path *path,
                          double from, double to, int order)
{
    const yk_source_program *p = &f->function[i].program;
    view v = { f, &f->function[i], path };

    yk_expr_enclose(p->step, p->steps, from, to, order, follow, &v, true,
                    f->jet);
}

static void give(const yk_jet *jet, int order, double (*out)[2])
{
    for (int k = 0; k <= order; k++) {
        out[k][0] = jet->c[k].lo;
        out[k][1] = jet->c[k].hi;
    }
}

static void curve(void *self, int i, const yoke_path *path, double from,
                  double to, int order, double (*out)[2])
{
    yk_functions *f = self;
    const int which = f->bend[i];

    enclose_steps(f, which, path, from, to, order);
    give(&f->jet[f->function[which].program.steps - 1], order, out);
}

static void shown(void *self, int k, const yoke_path *path, double from,
                  double to, int order, double (*out)[2])
{
    yk_functions *f = self;

    if (f->unknowns > 0) {
        path->enclose(path->self, k, from, to, order, out);
        return;
    }
    enclose_steps(f, k, path, from, to, order);
    give(&f->jet[f->function[k].program.steps - 1], order, out);
}

static void indicator(void *self, int event, const yoke_path *path, double from,
                      double to, int order, double (*out)[2])
{
    yk_functions *f = self;
    const int i = owner_of(f, event);
    const yk_held_function *fn = &f->function[i];
    const yk_hold *h = &fn->held->hold[event - fn->first];
    yk_jet d, by, g;

    enclose_steps(f, i, path, from, to, order);
    yk_jet_number(h->by, order, &d);
    if (h->plus >= 0) {
        by = d;
        yk_jet_apply(YK_OP_ADD, order, &f->jet[h->plus], &by, &by, &d);
    }
    if (h->minus >= 0) {
        by = d;
        yk_jet_apply(YK_OP_SUBTRACT, order, &by, &f->jet[h->minus], &by, &d);
    }
    yk_hold_enclose(h, order, &d, f->held[event], &g);
    give(&g, order, out);
}

/* May it bend within a small part of the range of its operands? */
static bool is_sharp(const yk_expr_step *step, const yk_expr_step *s)
{
    const yk_expr_step *b = &step[s->b];

    if (s->kind <= YK_KIND_TIME) return false;
    if (s->op == YK_OP_DIVIDE || s->op == YK_OP_SAFE_DIVIDE)
        return b->kind > YK_KIND_TIME;
    if (s->op == YK_OP_POWER || s->op == YK_OP_SIGN_POWER)
        return b->op != YK_OP_NUMBER || b->number != floor(b->number) ||
               b->number < 0.0 || b->number > 3.0;
    return yk_op_bends(s->op);
}

static void tell_curves(yoke_system *system, yk_functions *f)
{
    f->bends = 0;
    f->unknowns = system->info.n;
    for (int i = 0; i < f->count; i++) {
        const yk_source_program *p = &f->function[i].program;
        bool sharp = false, known = true;
        for (int k = 0; k < p->steps; k++) {
            sharp = sharp || is_sharp(p->step, &p->step[k]);
            known = known && yk_jet_knows(p->step[k].op);
        }
        if (sharp && known) f->bend[f->bends++] = i;
    }
    f->curves = (yoke_curves){ .count = f->bends,
                               .enclose = curve,
                               .output = shown,
                               .self = f,
                               .indicator = f->holds > 0 ? indicator : NULL,
                               .shown = f->unknowns == 0 && f->bends > 0 };
    system->info.curves = &f->curves;
}

yoke_status yk_functions_tell(yoke_system *system, yk_functions *f,
                              const yk_functions *more, yoke_err *err)
{
    if (!f) return YOKE_OK;
    YK_TRY(add_courses(f, &f->courses, err));
    if (more) YK_TRY(add_courses(more, &f->courses, err));
    system->info.courses = yk_courses_tell(&f->courses);
    if (f->function) tell_curves(system, f);
    return YOKE_OK;
}

yoke_status yk_functions_told(yoke_system **made, yk_functions *f,
                              const yk_functions *more, yoke_err *err)
{
    const yoke_status status = yk_functions_tell(*made, f, more, err);

    if (status == YOKE_OK) return YOKE_OK;
    yoke_system_free(*made);
    *made = NULL;
    return status;
}

/* ---- creation -------------------------------------------------------------- */

/* Before anything is known of the inputs they are zero. */
static yoke_status begin_branches(yk_functions *f, yoke_err *err)
{
    double *zero = NULL;
    bool changed = false;

    YK_TRY(yk_doubles(&zero, (size_t)f->formula.variables + 1, err));
    const yoke_status status = settle(f, 0.0, NULL, zero, NULL, &changed, err);
    yk_free(zero);
    return status;
}

/* Without a compiler the lists of steps do the same. */
static yoke_status compile(yk_functions *f, const yk_native_options *how,
                           double evaluations, yoke_err *err)
{
    yk_source_program *program = NULL;
    yk_native_report report;
    yoke_err why = { .status = YOKE_OK };

    YK_TRY(YK_TAKE(&f->arena, &program, f->count, err));
    for (int i = 0; i < f->count; i++) program[i] = f->function[i].program;
    const yoke_status status = yk_compiled_create(
        &f->compiled, f->count, program, evaluations, how, &report, &why);
    if (status == YOKE_OK || status == YOKE_E_MISSING) return YOKE_OK;
    return yk_fail(err, status, "%s", why.text);
}

yoke_status yk_functions_hold(yk_functions *f, bool events, const char *text,
                              const yk_native_options *how, double evaluations,
                              yoke_err *err)
{
    int kinks = 0;

    YK_TRY(yk_arena_print(&f->arena, &f->text, err, "%s", text));
    YK_TRY(extract(f, err));
    if (events) YK_TRY(hold_all(f, true, &kinks, err));
    if (kinks > YK_EXPR_KINKS) YK_TRY(hold_all(f, false, &kinks, err));
    YK_TRY(number_branches(f, err));
    YK_TRY(make_room(f, err));
    f->events = (yk_constraint_events){ .count = f->holds,
                                        .ops = &yk_functions_events,
                                        .memory_bytes =
                                            (size_t)f->holds * sizeof *f->held,
                                        .save = yk_functions_save,
                                        .restore = yk_functions_restore };
    YK_TRY(begin_branches(f, err));
    return how ? compile(f, how, evaluations, err) : YOKE_OK;
}
