/* comp/equation/events.c -- when-equations as state events.
 *
 * Conditions and actions are interpreted, also beside native code: they are few
 * and are asked a few times per step.
 *
 * Two rows of values lie one after the other when actions are computed,
 *
 *     w = [ after | before ]          x is read from the first, pre(x) from the
 *                                     second
 *
 * and variables with memory (d = value) get their values in the first one again
 * and again until nothing changes: so an action sees the new values that other
 * actions give, in any order.  Values that go round in a circle are refused.
 * reinit comes last, with the continuous unknowns as they were.
 *
 * An action gives a new charge, so its target must be an unknown under d/dt:
 * the algebraic unknowns follow from the charges, and a value given to one of
 * them would be lost.  Elements that are aliases pass the value on to their
 * root.
 */
#include "comp/equation/events.h"

#include "comp/equation/depend.h"
#include "comp/equation/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct target {
    int column, slot; /* of x, in w */
    double sign;
    bool memory;
} target;

typedef struct event {
    yk_code indicator, action; /* one result; one per target */
    target *target;
    int line, clause, branch;
    bool at_start, periodic, warns;
    char *text;  /* of an assertion, or NULL */
    int warning; /* number of one that warns, or -1 */
} event;

struct yk_whens {
    int count, actions;
    event *event;
    const yk_layout *layout; /* borrowed */
    char *file;
    double *workspace, *w;
    bool *active;
    int warnings;
    double *since; /* of each */
};

/* What is computed at an event is computed once: no loops. */
static const yk_template once = { .rounds = 1, .instances = 1 };

void yk_whens_free(yk_whens *all)
{
    if (!all) return;
    for (int k = 0; all->event && k < all->count; k++) {
        yk_code_free(&all->event[k].indicator);
        yk_code_free(&all->event[k].action);
        yk_free(all->event[k].target);
        yk_free(all->event[k].text);
    }
    yk_free(all->event);
    yk_free(all->file);
    yk_free(all->workspace);
    yk_free(all->w);
    yk_free(all->active);
    yk_free(all->since);
    yk_free(all);
}

int yk_whens_count(const yk_whens *all)
{
    return all ? all->count : 0;
}

int yk_whens_since(const yk_whens *all, double **since)
{
    *since = all ? all->since : NULL;
    return all ? all->warnings : 0;
}

const char *yk_whens_warning(const yk_whens *all, int number)
{
    int k = 0;

    while (all->event[k].warning != number) k++;
    return all->event[k].text;
}

static bool is_quiet(const yk_whens *all, const event *e)
{
    return e->warning >= 0 && !isnan(all->since[e->warning]);
}

/* ---- Values -------------------------------------------------------------- */

static double result(const yk_whens *all, const yk_code *code, int r)
{
    return all->workspace[(size_t)code->result[r] * YK_LANES];
}

void yk_whens_indicate(const yk_whens *all, double t, const double *w,
                       double *g)
{
    for (int k = 0; k < all->count; k++) {
        const yk_code *code = &all->event[k].indicator;
        if (is_quiet(all, &all->event[k])) {
            g[k] = -1.0;
            continue;
        }
        yk_code_run(code, &once, 0, 1, t, w, all->workspace);
        g[k] = result(all, code, 0);
    }
}

void yk_whens_begin(const yk_whens *all, double t, const double *w,
                    bool *happened)
{
    for (int k = 0; k < all->count; k++) {
        const event *e = &all->event[k];
        if (!e->at_start || is_quiet(all, e)) continue;
        yk_code_run(&e->indicator, &once, 0, 1, t, w, all->workspace);
        const double g = result(all, &e->indicator, 0);
        happened[k] = e->periodic ? !(g > 0.0 || g < 0.0) : g >= 0.0;
    }
}

/* An event counts unless an earlier branch of its clause happens too. */
static void choose_active(const yk_whens *all, const bool *happened)
{
    for (int k = 0; k < all->count; k++) {
        const event *e = &all->event[k];
        all->active[k] = happened[k];
        for (int i = 0; i < all->count && all->active[k]; i++)
            if (happened[i] && all->event[i].clause == e->clause &&
                all->event[i].branch < e->branch)
                all->active[k] = false;
    }
}

static yoke_status check_assertions(const yk_whens *all, double t,
                                    yoke_err *err)
{
    for (int k = 0; k < all->count; k++) {
        const event *e = &all->event[k];
        if (!all->active[k] || !e->text) continue;
        if (e->warning < 0)
            return yk_fail(err, YOKE_RETRY, "%s:%d: assertion failed: %s",
                           all->file, e->line, e->text);
        if (!is_quiet(all, e)) all->since[e->warning] = t;
    }
    return YOKE_OK;
}

/* New values of one event: those with memory, or the others. */
static void give_values(const yk_whens *all, const event *e, double t,
                        bool memory, double *x_new)
{
    yk_code_run(&e->action, &once, 0, 1, t, all->w, all->workspace);
    for (int r = 0; r < e->action.results; r++) {
        const target *to = &e->target[r];
        if (to->memory == memory)
            x_new[to->column] = to->sign * result(all, &e->action, r);
    }
}

/* Memory of all active events into the row of values after the event.  True if
 * something changed. */
static bool show_values(const yk_whens *all, const double *x_new)
{
    const yk_layout *l = all->layout;
    bool changed = false;

    for (int k = 0; k < all->count; k++)
        for (int r = 0; all->active[k] && r < all->event[k].action.results;
             r++) {
            const target *to = &all->event[k].target[r];
            double *w = &all->w[to->slot];
            if (!to->memory) continue;
            changed = changed || memcmp(w, &x_new[to->column], sizeof *w) != 0;
            *w = x_new[to->column];
        }
    for (int k = 0; changed && k < l->fills; k++)
        all->w[l->fill_to[k]] = l->fill_sign[k] * all->w[l->fill_from[k]];
    return changed;
}

static yoke_status no_end(const yk_whens *all, yoke_err *err)
{
    int k = 0;

    while (!all->active[k] || all->event[k].text) k++;
    return yk_fail(err, YOKE_E_MODEL,
                   "%s:%d: the new values of this when-equation, or of others "
                   "at the same instant, depend on one another in a circle; "
                   "write pre(...) for the value before",
                   all->file, all->event[k].line);
}

yoke_status yk_whens_apply(const yk_whens *all, double t, const double *w,
                           const bool *happened, double *x_new, yoke_err *err)
{
    const size_t slots = (size_t)all->layout->slots;
    bool changed = true;

    choose_active(all, happened);
    YK_TRY(check_assertions(all, t, err));
    memcpy(all->w, w, slots * sizeof *w);
    memcpy(all->w + slots, w, slots * sizeof *w);
    for (int i = 0; changed; i++) {
        if (i > all->actions + 1) return no_end(all, err);
        for (int k = 0; k < all->count; k++)
            if (all->active[k])
                give_values(all, &all->event[k], t, true, x_new);
        changed = show_values(all, x_new);
    }
    for (int k = 0; k < all->count; k++)
        if (all->active[k]) give_values(all, &all->event[k], t, false, x_new);
    return YOKE_OK;
}

void yk_whens_given(const yk_whens *all, bool *given)
{
    for (int k = 0; k < all->count; k++)
        for (int r = 0; all->active[k] && r < all->event[k].action.results; r++)
            given[all->event[k].target[r].column] = true;
}

/* ---- What is refused ----------------------------------------------------- */

/* Why an element cannot get a new value, or NULL. */
static const char *obstacle(const yk_model *m, int element)
{
    const int root = m->root[element];

    if (m->sign[element] == 0) return "is constant";
    if (yk_is_input(m, root)) return "is an input";
    if (m->highest[root] == 0) return "is algebraic";
    if (m->dummy[(size_t)root * YK_ORDERS + 1] &&
        !yk_charts_find(m->charts, root, 0))
        return "was made algebraic to reduce the index";
    return NULL;
}

static yoke_status find_target(target *out, const yk_model *m,
                               const yk_layout *l,
                               const struct yk_flat_action *a, yoke_err *err)
{
    const int element = m->base[a->variable] + a->place;
    const char *why = obstacle(m, element);
    char name[YK_NAME_SIZE];

    if (why) {
        yk_element_name(m, element, 0, name);
        return yk_fail(err, YOKE_E_MODEL, "%s:%d: %s a state, but %s %s",
                       m->flat->file, a->line,
                       a->memory ? "a value in a when-equation needs"
                                 : "reinit needs",
                       name, why);
    }
    out->slot = m->root[element];
    out->column = l->column[out->slot];
    out->sign = m->sign[element];
    out->memory = a->memory;
    return YOKE_OK;
}

/* Derivatives under d/dt have no value of their own. */
static yoke_status check_reference(const yk_model *m, const yk_layout *l,
                                   int line, int node, yoke_err *err)
{
    const yk_node *n = &m->pool.node[node];
    char name[YK_NAME_SIZE];

    if (n->op != YK_OP_REFER || n->order == 0) return YOKE_OK;
    const int element = m->base[n->variable] + n->place[0];
    const int root = m->root[element], owner = m->owner[root];
    const int slot = m->segment[n->order][owner] + root - m->base[owner];
    if (m->sign[element] == 0 || l->column[slot] >= 0) return YOKE_OK;
    yk_element_name(m, element, n->order, name);
    return yk_fail(err, YOKE_E_MODEL,
                   "%s:%d: %s in a when-equation; introduce a variable for it "
                   "with an equation of its own",
                   m->flat->file, line, name);
}

/* ---- Construction -------------------------------------------------------- */

static yoke_status check_references(yk_model *m, const yk_layout *l, int line,
                                    int root, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *list = NULL, length = 0;

    YK_TRY(yk_reach(&m->pool, 1, &root, &list, &length, err));
    for (int i = 0; i < length; i++)
        YK_GO(check_reference(m, l, line, list[i], err));
done:
    yk_free(list);
    return status;
}

static yoke_status make_actions(event *e, yk_model *m, const yk_layout *l,
                                const yk_flat_event *flat, const int *map,
                                yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *root = NULL;

    YK_GO(yk_ints(&root, (size_t)flat->actions, err));
    YK_GO(YK_NEW(&e->target, flat->actions, err));
    for (int r = 0; r < flat->actions; r++) {
        const struct yk_flat_action *a = &flat->action[r];
        root[r] = map[a->value];
        YK_GO(find_target(&e->target[r], m, l, a, err));
        YK_GO(check_references(m, l, a->line, root[r], err));
    }
    YK_GO(yk_code_create(&e->action, m, &once, flat->actions, root, err));
done:
    yk_free(root);
    return status;
}

/* A warning is shown as it stands. */
static yoke_status copy_text(event *e, const yk_flat_event *flat,
                             const char *file, yoke_err *err)
{
    char text[1000];

    if (!flat->warning) return yk_copy_text(&e->text, flat->text, err);
    snprintf(text, sizeof text, "%.500s:%d: %.400s", file, flat->line,
             flat->text);
    return yk_copy_text(&e->text, text, err);
}

/* now[] and before[] number the nodes of the flat model without and with PRE.
 */
static yoke_status make_event(event *e, yk_model *m, const yk_layout *l,
                              const yk_flat_event *flat, const int *now,
                              const int *before, yoke_err *err)
{
    const int indicator = yk_expr_binary(&m->pool, YK_OP_SUBTRACT,
                                         now[flat->left], now[flat->right]);

    e->line = flat->line;
    e->clause = flat->clause;
    e->branch = flat->branch;
    e->at_start = flat->at_start;
    e->periodic = flat->interval > 0.0;
    e->warns = flat->warning;
    if (flat->text) YK_TRY(copy_text(e, flat, m->flat->file, err));
    YK_TRY(check_references(m, l, flat->line, indicator, err));
    YK_TRY(yk_code_create(&e->indicator, m, &once, 1, &indicator, err));
    return make_actions(e, m, l, flat, before, err);
}

static bool counts(const yk_flat_event *e)
{
    return e->actions > 0 || e->text;
}

/* An algebraic unknown that an action reads must not follow from what the same
 * event changes: its new value is not known before all is solved again. */
static yoke_status check_action(yk_model *m, const yk_layout *l, yk_depend *d,
                                const bool *on, int line, int root,
                                yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *list = NULL, length = 0;

    YK_TRY(yk_reach(&m->pool, 1, &root, &list, &length, err));
    for (int i = 0; i < length; i++) {
        const yk_node *n = &m->pool.node[list[i]];
        char name[YK_NAME_SIZE];
        if (n->op != YK_OP_REFER || n->order > 0 ||
            m->flat->variable[n->variable].kind != YK_FLAT_UNKNOWN)
            continue;
        const int element = m->base[n->variable] + n->place[0];
        const int column = l->column[m->root[element]];
        if (m->sign[element] == 0 || column < 0 ||
            yk_depends(d, column, on) < 0)
            continue;
        yk_element_name(m, element, 0, name);
        YK_GO(yk_fail(err, YOKE_E_MODEL,
                      "%s:%d: %s depends on a variable that gets a value at "
                      "the same event; write its expression here, or pre(%s) "
                      "for the value before",
                      m->flat->file, line, name, name));
    }
done:
    yk_free(list);
    return status;
}

static yoke_status check_actions(const yk_whens *all, yk_model *m,
                                 const yk_layout *l, const int *before,
                                 yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_depend *d = NULL;
    bool *on = NULL;
    int number = 0;

    YK_GO(yk_depend_create(&d, l, err));
    YK_GO(YK_NEW(&on, l->n, err));
    for (int i = 0; i < m->flat->events; i++) {
        const yk_flat_event *flat = &m->flat->event[i];
        if (!counts(flat)) continue;
        const event *e = &all->event[number++];
        for (int r = 0; r < e->action.results; r++)
            if (e->target[r].memory) on[e->target[r].column] = true;
        for (int r = 0; r < e->action.results; r++)
            YK_GO(check_action(m, l, d, on, flat->action[r].line,
                               before[flat->action[r].value], err));
        for (int r = 0; r < e->action.results; r++)
            on[e->target[r].column] = false;
    }
done:
    yk_depend_free(d);
    yk_free(on);
    return status;
}

static yoke_status make_workspace(yk_whens *all, yoke_err *err)
{
    int registers = 1;

    for (int k = 0; k < all->count; k++) {
        const event *e = &all->event[k];
        if (e->indicator.registers > registers)
            registers = e->indicator.registers;
        if (e->action.registers > registers) registers = e->action.registers;
        all->actions += e->action.results;
    }
    for (int k = 0; k < all->count; k++)
        all->event[k].warning = all->event[k].warns ? all->warnings++ : -1;
    YK_TRY(yk_doubles(&all->since, (size_t)all->warnings, err));
    for (int k = 0; k < all->warnings; k++) all->since[k] = NAN;
    YK_TRY(YK_NEW(&all->active, all->count, err));
    YK_TRY(yk_doubles(&all->w, 2 * (size_t)all->layout->slots, err));
    return yk_doubles(&all->workspace, (size_t)registers * YK_LANES, err);
}

yoke_status yk_whens_create(yk_whens **out, yk_model *m, const yk_layout *l,
                            yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_flat *flat = m->flat;
    yk_whens *all = NULL;
    int *now = NULL, *before = NULL, count = 0;

    for (int i = 0; i < flat->events; i++) count += counts(&flat->event[i]);
    if (count == 0) return YOKE_OK;
    YK_GO(YK_NEW(&all, 1, err));
    all->layout = l;
    YK_GO(yk_copy_text(&all->file, flat->file, err));
    YK_GO(YK_NEW(&all->event, count, err));
    YK_GO(yk_ints(&now, (size_t)flat->nodes, err));
    YK_GO(yk_ints(&before, (size_t)flat->nodes, err));
    yk_import(&m->pool, false, now); /* finds what is there already */
    yk_import(&m->pool, true, before);
    YK_GO(yk_pool_status(&m->pool, err));
    for (int i = 0; i < flat->events; i++)
        if (counts(&flat->event[i]))
            YK_GO(make_event(&all->event[all->count++], m, l, &flat->event[i],
                             now, before, err));
    YK_GO(check_actions(all, m, l, before, err));
    YK_GO(make_workspace(all, err));
    *out = all;
    all = NULL;
done:
    yk_free(now);
    yk_free(before);
    yk_whens_free(all);
    return status;
}
