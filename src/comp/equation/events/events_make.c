/* comp/equation/events/events_make.c -- rules of events are made from the flat
 * model.
 *
 * An action gives a new charge, so its target must be an unknown under d/dt:
 * the algebraic unknowns follow from the charges, and a value given to one of
 * them would be lost.  Elements that are aliases pass the value on to their
 * root.
 */
#include "comp/equation/structure/chart.h"
#include "comp/equation/structure/depend.h"
#include "comp/equation/events/events_rules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

static yoke_status find_target(yk_target *out, const yk_model *m,
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
    out->memory = a->memory ? 0 : -1;
    out->alone = !a->memory && !yk_charts_find(m->charts, out->slot, 0);
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
    return yk_fail(
        err, YOKE_E_MODEL,
        "%s:%d: %s in a relation or when-equation; introduce a variable for it "
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

static yoke_status make_actions(yk_rule *e, yk_model *m, const yk_layout *l,
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
    YK_GO(yk_eq_code_create(&e->action, m, &yk_once, flat->actions, root, err));
done:
    yk_free(root);
    return status;
}

/* A warning is shown as it stands. */
static yoke_status copy_text(yk_rule *e, const yk_flat_event *flat,
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
static yoke_status make_rule(yk_rule *e, yk_model *m, const yk_layout *l,
                             const yk_flat_event *flat, const int *before,
                             yoke_err *err)
{
    e->kind = flat->kind;
    e->line = flat->line;
    e->clause = flat->clause;
    e->branch = flat->branch;
    e->warns = flat->warning;
    if (flat->text) YK_TRY(copy_text(e, flat, m->flat->file, err));
    if (flat->kind != YK_FLAT_ALWAYS) {
        const int condition = before[flat->condition];
        YK_TRY(check_references(m, l, flat->line, condition, err));
        YK_TRY(
            yk_eq_code_create(&e->condition, m, &yk_once, 1, &condition, err));
    }
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
        const yk_rule *e = &all->rule[number++];
        for (int r = 0; r < e->action.results; r++)
            if (e->target[r].memory >= 0) on[e->target[r].column] = true;
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

/* The number of a variable with memory, a new one if need be. */
static int number_memory(yk_whens *all, const yk_target *to)
{
    for (int i = 0; i < all->memories; i++)
        if (all->memory_slot[i] == to->slot) return i;
    all->memory_slot[all->memories] = to->slot;
    all->memory_column[all->memories] = to->column;
    return all->memories++;
}

static yoke_status make_memories(yk_whens *all, yoke_err *err)
{
    for (int k = 0; k < all->count; k++)
        all->actions += all->rule[k].action.results;
    YK_TRY(YK_INTS((size_t)all->actions, err, &all->memory_slot,
                   &all->memory_column));
    YK_TRY(yk_doubles(&all->fresh, (size_t)all->actions, err));
    for (int k = 0; k < all->count; k++)
        for (int r = 0; r < all->rule[k].action.results; r++)
            if (all->rule[k].target[r].memory >= 0)
                all->rule[k].target[r].memory =
                    number_memory(all, &all->rule[k].target[r]);
    return YOKE_OK;
}

static yoke_status make_workspace(yk_whens *all, yoke_err *err)
{
    int registers = 1;

    for (int k = 0; k < all->count; k++) {
        const yk_rule *e = &all->rule[k];
        if (e->condition.registers > registers)
            registers = e->condition.registers;
        if (e->action.registers > registers) registers = e->action.registers;
    }
    for (int k = 0; k < all->count; k++)
        all->rule[k].warning = all->rule[k].warns ? all->warnings++ : -1;
    YK_TRY(yk_doubles(&all->since, (size_t)all->warnings, err));
    for (int k = 0; k < all->warnings; k++) all->since[k] = NAN;
    YK_TRY(yk_doubles(&all->w, 3 * (size_t)all->layout->slots, err));
    YK_TRY(YK_DOUBLES((size_t)all->layout->slots, err, &all->begin,
                      &all->moved[0], &all->moved[1]));
    YK_TRY(YK_NEW(&all->locked, yk_relations_count(all->relations) + 1, err));
    return yk_doubles(&all->workspace, (size_t)registers * YK_LANES, err);
}

static yoke_status make_instants(yk_whens *all, const yk_model *m,
                                 yoke_err *err)
{
    const yk_flat *flat = m->flat;

    all->start = NAN;
    all->held = (size_t)m->held;
    all->helds = (size_t)(m->fixed_slots - m->held);
    all->initial_slot = flat->initial ? m->base[flat->initial - 1] : -1;
    all->terminal_slot = flat->terminal ? m->base[flat->terminal - 1] : -1;
    YK_TRY(YK_NEW(&all->sample, flat->samples, err));
    YK_TRY(yk_ints(&all->sample_slot, (size_t)flat->samples, err));
    for (int i = 0; i < flat->samples; i++) {
        all->sample[i][0] = flat->sample[i].first;
        all->sample[i][1] = flat->sample[i].interval;
        all->sample_slot[i] = m->base[flat->sample[i].variable];
    }
    all->samples = flat->samples;
    return YOKE_OK;
}

/* With when-equations of relations that matter in one direction only, nothing
 * happens at the start. */
static bool needs_start(const yk_whens *all, const yk_flat *flat,
                        const bool *follows)
{
    bool any = all->count > 0 && all->initial_slot >= 0;

    for (int k = 0; k < all->count; k++)
        any = any || all->rule[k].kind != YK_FLAT_WHEN;
    for (int i = 0; all->count > 0 && i < flat->relations; i++)
        any =
            any ||
            (((flat->relation[i].up && flat->relation[i].down) || follows[i]) &&
             !flat->relation[i].kink);
    return any;
}

/* What rules give values that are known at once.  True: they give any. */
static bool find_given(const yk_whens *all, bool *memory)
{
    bool any = false;

    for (int k = 0; k < all->count; k++)
        for (int r = 0; r < all->rule[k].action.results; r++) {
            const yk_target *to = &all->rule[k].target[r];
            if (to->memory >= 0 || to->alone) memory[to->column] = true;
            any = true;
        }
    return any;
}

/* Where they cannot be solved for, what would be wrong is refused. */
static yoke_status make_algebra(yk_whens *all, yk_model *m, const int *before,
                                yoke_err *err)
{
    yoke_status status = YOKE_OK;
    bool *memory = NULL, whole = true;

    YK_GO(YK_NEW(&memory, all->layout->n + 1, err));
    if (find_given(all, memory))
        YK_GO(yk_algebra_create(&all->algebra, m, all->layout, memory, &whole,
                                err));
    if (!whole) YK_GO(check_actions(all, m, all->layout, before, err));
done:
    yk_free(memory);
    return status;
}

static yoke_status make_rules(yk_whens *all, yk_model *m, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_flat *flat = m->flat;
    int *before = NULL, count = 0;

    for (int i = 0; i < flat->events; i++) count += counts(&flat->event[i]);
    YK_GO(YK_NEW(&all->rule, count, err));
    YK_GO(yk_ints(&before, (size_t)flat->nodes, err));
    yk_import(&m->pool, true, before);
    YK_GO(yk_pool_status(&m->pool, err));
    for (int i = 0; i < flat->events; i++)
        if (counts(&flat->event[i]))
            YK_GO(make_rule(&all->rule[all->count++], m, all->layout,
                            &flat->event[i], before, err));
    YK_GO(make_algebra(all, m, before, err));
    all->ends = all->count > 0 && all->terminal_slot >= 0;
done:
    yk_free(before);
    return status;
}

/* Relations of what an instant gives a value, or what is solved for there, change
 * there. */
static yoke_status find_followers(const yk_whens *all, yk_model *m,
                                  bool *follows, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    bool *memory = NULL, *read = NULL;
    const int n = all->layout->n;

    YK_GO(YK_NEW(&memory, n + 1, err));
    YK_GO(YK_NEW(&read, n + 1, err));
    (void)find_given(all, memory);
    for (int i = 0; i < m->relation.count; i++) {
        const yk_template *t = &m->relation.at[i];
        if (m->flat->relation[i].watched) continue;
        YK_GO(yk_algebra_reads(all->algebra, m, t, &follows[i], err));
        memset(read, 0, (size_t)n * sizeof *read);
        YK_GO(yk_columns_read(m, all->layout, t, read, err));
        for (int j = 0; j < n; j++)
            follows[i] = follows[i] || (read[j] && memory[j]);
    }
done:
    YK_FREE(memory, read);
    return status;
}

static yoke_status make_relations(yk_whens *all, yk_model *m, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    bool *follows = NULL;

    YK_GO(YK_NEW(&follows, m->relation.count + 1, err));
    YK_GO(find_followers(all, m, follows, err));
    YK_GO(yk_relations_create(&all->relations, m, follows, err));
    all->starts = needs_start(all, m->flat, follows);
done:
    yk_free(follows);
    return status;
}

yoke_status yk_whens_create(yk_whens **out, yk_model *m, const yk_layout *l,
                            yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_flat *flat = m->flat;
    yk_whens *all = NULL;
    int count = flat->relations;

    for (int i = 0; i < flat->events; i++) count += counts(&flat->event[i]);
    if (count == 0) return YOKE_OK;
    YK_GO(YK_NEW(&all, 1, err));
    all->layout = l;
    YK_GO(yk_copy_text(&all->file, flat->file, err));
    for (int i = 0; i < m->relation.count; i++)
        if (m->relation.at[i].loops == 0)
            YK_GO(check_references(m, l, m->relation.at[i].line,
                                   m->relation.at[i].residual, err));
    YK_GO(make_instants(all, m, err));
    YK_GO(make_rules(all, m, err));
    YK_GO(make_relations(all, m, err));
    YK_GO(make_memories(all, err));
    YK_GO(make_workspace(all, err));
    *out = all;
    all = NULL;
done:
    yk_whens_free(all);
    return status;
}
