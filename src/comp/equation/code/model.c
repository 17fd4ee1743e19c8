/* comp/equation/code/model.c -- elements, slots, templates and their names. */
#include "base/text.h"
#include "comp/equation/code/model.h"
#include "comp/equation/structure/chart.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_templates(yk_templates *all)
{
    for (int i = 0; i < all->count; i++)
        YK_FREE(all->at[i].list, all->at[i].ref, all->at[i].slope);
    yk_free(all->at);
    *all = (yk_templates){ 0 };
}

yoke_status yk_templates_add(yk_templates *all, yk_pool *pool, yk_template *t,
                             yoke_err *err)
{
    yoke_status status = YOKE_OK;

    t->ref = t->slope = NULL;
    t->row = all->rows;
    YK_GO(yk_gradient(pool, t->residual, &t->ref, &t->slope, &t->refs, err));
    YK_GO(YK_GROW(&all->at, &all->room, all->count + 1, err));
    all->at[all->count++] = *t;
    all->rows += t->instances;
    return YOKE_OK;
done:
    YK_FREE(t->list, t->ref, t->slope);
    return status;
}

void yk_counters(const yk_template *t, int k, int counter[YK_FLAT_LOOPS])
{
    int round = t->list ? t->list[k] : k;

    for (int l = t->loops - 1; l >= 0; l--) {
        counter[l] = round % t->count[l];
        round /= t->count[l];
    }
}

int yk_template_element(const yk_model *model, const yk_template *t, int ref,
                        const int counter[YK_FLAT_LOOPS])
{
    const yk_node *n = &model->pool.node[ref];
    int place = n->place[0];

    for (int l = 0; l < t->loops; l++)
        place += n->place[l + 1] * (t->first[l] + t->step[l] * counter[l]);
    return model->base[n->variable] + place;
}

int yk_slot_strides(const yk_model *model, const yk_template *t, int node,
                    int stride[YK_FLAT_LOOPS])
{
    const yk_node *n = &model->pool.node[node];
    int slot = model->segment[n->order][n->variable] + n->place[0];

    for (int l = 0; l < YK_FLAT_LOOPS; l++) {
        stride[l] = l < t->loops ? n->place[l + 1] * t->step[l] : 0;
        if (l < t->loops) slot += n->place[l + 1] * t->first[l];
    }
    return slot;
}

bool yk_is_input(const yk_model *model, int element)
{
    return model->flat->variable[model->owner[element]].kind == YK_FLAT_INPUT;
}

void yk_slot_owner(const yk_model *model, int slot, int *element, int *order)
{
    const int derivatives = slot - model->fixed_slots;

    *order = slot < model->elements ? 0 : 1 + derivatives / model->elements;
    *element = slot < model->elements ? slot : derivatives % model->elements;
}

/* ---- Names -------------------------------------------------------------- */

void yk_element_name(const yk_model *model, int element, int order,
                     char out[YK_NAME_SIZE])
{
    const int v = model->owner[element];
    const yk_flat_variable *variable = &model->flat->variable[v];
    int place = element - model->base[v], index[YK_FLAT_LOOPS];

    out[0] = '\0';
    for (int k = 0; k < order; k++) yk_append(out, YK_NAME_SIZE, "der(");
    yk_append(out, YK_NAME_SIZE, "%.*s", YK_NAME_MOST, variable->name);
    for (int d = variable->dims - 1; d >= 0; d--) {
        index[d] = place % variable->size[d] + 1;
        place /= variable->size[d];
    }
    for (int d = 0; d < variable->dims; d++)
        yk_append(out, YK_NAME_SIZE, "%s%d%s", d == 0 ? "[" : ",", index[d],
                  d == variable->dims - 1 ? "]" : "");
    for (int k = 0; k < order; k++) yk_append(out, YK_NAME_SIZE, ")");
}

static const yk_template *template_of(const yk_templates *all, int row)
{
    int low = 0, high = all->count - 1;

    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (all->at[middle].row <= row)
            low = middle;
        else
            high = middle - 1;
    }
    return &all->at[low];
}

static int by_line(const void *a, const void *b)
{
    const yk_template *s = *(yk_template *const *)a;
    const yk_template *t = *(yk_template *const *)b;

    if (s->line != t->line) return s->line < t->line ? -1 : 1;
    if (s->order != t->order) return s->order < t->order ? -1 : 1;
    return (s > t) - (s < t);
}

yoke_status yk_number_twins(yk_templates *all, yoke_err *err)
{
    yk_template **sorted = NULL;

    YK_TRY(YK_NEW(&sorted, all->count, err));
    for (int i = 0; i < all->count; i++) sorted[i] = &all->at[i];
    if (all->count > 1)
        qsort(sorted, (size_t)all->count, sizeof *sorted, by_line);
    for (int i = 1; i < all->count; i++)
        if (sorted[i]->line == sorted[i - 1]->line &&
            sorted[i]->order == sorted[i - 1]->order)
            sorted[i]->twin = sorted[i - 1]->twin + 1;
    yk_free(sorted);
    return YOKE_OK;
}

/* Of a long path the end, which names the file. */
static const char *short_path(const char *path)
{
    const size_t length = strlen(path), most = 120;

    return length > most ? path + length - most : path;
}

void yk_eq_row_name(const yk_model *model, const yk_templates *all, int row,
                    char out[YK_NAME_SIZE])
{
    const yk_template *t = template_of(all, row);
    int counter[YK_FLAT_LOOPS];
    char times[24] = "", twin[24] = "";

    if (t->order > 1) snprintf(times, sizeof times, "%d ", t->order);
    if (t->twin > 0) snprintf(twin, sizeof twin, " (%d)", t->twin + 1);
    snprintf(out, YK_NAME_SIZE, "%s%s%s%s:%d%s",
             t->order > 0 ? "derivative " : "", times,
             t->order > 0 ? "of " : "", short_path(model->flat->file), t->line,
             twin);
    yk_counters(t, row - t->row, counter);
    for (int l = 0; l < t->loops && t->rounds > 1; l++)
        yk_append(out, YK_NAME_SIZE, "%s%d%s", l == 0 ? " [" : ",",
                  t->first[l] + t->step[l] * counter[l],
                  l == t->loops - 1 ? "]" : "");
}

void yk_eq_row_place(const yk_templates *all, int row, int *line, int *column)
{
    const yk_template *t = template_of(all, row);

    *line = t->line;
    *column = t->column;
}

/* ---- Elements ----------------------------------------------------------- */

static yoke_status count_elements(yk_model *m, yoke_err *err)
{
    const yk_flat *flat = m->flat;
    long long elements = 0, slots;

    for (int v = 0; v < flat->variables; v++)
        if (flat->variable[v].kind < YK_FLAT_TABLE) {
            m->base[v] = (int)elements;
            elements += flat->variable[v].count;
            if (elements > INT_MAX / 64)
                return yk_fail(
                    err, YOKE_E_MODEL, "%s:%d: more than %d scalar variables",
                    flat->file, flat->variable[v].line, INT_MAX / 64);
        }
    slots = elements;
    for (int kind = YK_FLAT_TABLE; kind <= YK_FLAT_HELD; kind++) {
        m->held = (int)slots;
        for (int v = 0; v < flat->variables; v++) {
            if ((int)flat->variable[v].kind != kind) continue;
            m->base[v] = (int)slots;
            slots += flat->variable[v].count;
            if (slots > INT_MAX / 16)
                return yk_fail(err, YOKE_E_MODEL, "%s:%d: table too large",
                               flat->file, flat->variable[v].line);
        }
    }
    m->elements = (int)elements;
    m->slots = m->fixed_slots = (int)slots;
    return YOKE_OK;
}

static yoke_status create_elements(yk_model *m, yoke_err *err)
{
    const yk_flat *flat = m->flat;
    YK_TRY(yk_ints(&m->base, (size_t)flat->variables, err));
    YK_TRY(count_elements(m, err));
    const size_t n = (size_t)m->elements;
    YK_TRY(yk_copy_ints(&m->segment[0], m->base, (size_t)flat->variables, err));
    YK_TRY(YK_INTS(n, err, &m->owner, &m->root));
    YK_TRY(YK_NEW(&m->sign, n, err));
    YK_TRY(YK_DOUBLES(n, err, &m->value, &m->start));
    YK_TRY(YK_NEW(&m->fixed, n, err));
    YK_TRY(yk_ints(&m->highest, n, err));
    YK_TRY(YK_NEW(&m->dummy, n * YK_ORDERS, err));
    for (int v = 0; v < flat->variables; v++) {
        const yk_flat_variable *variable = &flat->variable[v];
        if (variable->kind >= YK_FLAT_TABLE) continue;
        for (int k = 0; k < variable->count; k++) {
            const int e = m->base[v] + k;
            m->owner[e] = v;
            m->root[e] = e;
            m->sign[e] = 1;
            m->start[e] = variable->start ? variable->start[k] : 0.0;
            m->fixed[e] = variable->fixed && variable->fixed[k];
        }
        if (variable->kind == YK_FLAT_UNKNOWN) m->unknowns += variable->count;
    }
    return YOKE_OK;
}

yoke_status yk_eq_model_segments(yk_model *m, yoke_err *err)
{
    int most = 0;

    for (int i = 0; i < m->pool.nodes; i++)
        if (m->pool.node[i].op == YK_OP_REFER && m->pool.node[i].order > most)
            most = m->pool.node[i].order;
    if (most >= YK_ORDERS)
        return yk_fail(err, YOKE_E_MODEL,
                       "%s: needs derivatives of order %d, at most %d",
                       m->flat->file, most, YK_ORDERS - 1);
    for (int k = 1; k <= most; k++) {
        if (m->segment[k]) continue;
        YK_TRY(yk_ints(&m->segment[k], (size_t)m->flat->variables, err));
        for (int v = 0; v < m->flat->variables; v++) {
            m->segment[k][v] = m->slots;
            if (m->flat->variable[v].kind < YK_FLAT_TABLE)
                m->slots += m->flat->variable[v].count;
        }
    }
    return YOKE_OK;
}

/* ---- Templates from the flat model -------------------------------------- */

/* All elements a reference can mean lie inside its variable. */
static yoke_status check_places(const yk_model *m, const yk_template *t,
                                int node, yoke_err *err)
{
    const yk_node *n = &m->pool.node[node];
    const yk_flat_variable *v = &m->flat->variable[n->variable];
    long long least = n->place[0], most = n->place[0];

    for (int l = 0; l < YK_FLAT_LOOPS; l++) {
        const long long p = n->place[l + 1];
        if (p == 0) continue;
        if (l >= t->loops)
            return yk_fail(err, YOKE_E_MODEL, "%s:%d: index outside its loop",
                           m->flat->file, t->line);
        const long long a = p * t->first[l];
        const long long b =
            p * (t->first[l] + (long long)t->step[l] * (t->count[l] - 1));
        least += a < b ? a : b;
        most += a < b ? b : a;
    }
    if (least < 0 || most >= v->count)
        return yk_fail(err, YOKE_E_MODEL,
                       "%s:%d: element %lld of %s, which has %d", m->flat->file,
                       t->line, least < 0 ? least + 1 : most + 1, v->name,
                       v->count);
    return YOKE_OK;
}

static yoke_status check_template(yk_model *m, const yk_template *t,
                                  yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *list = NULL, length = 0;

    YK_TRY(yk_reach(&m->pool, 1, &t->residual, &list, &length, err));
    for (int i = 0; i < length; i++)
        if (m->pool.node[list[i]].op == YK_OP_REFER)
            YK_GO(check_places(m, t, list[i], err));
done:
    yk_free(list);
    return status;
}

static yoke_status add_equation(yk_model *m, const yk_flat_equation *e,
                                const int *map, yoke_err *err)
{
    yk_template t = { .loops = e->loops, .line = e->line, .column = e->column };
    long long rounds = 1;

    for (int l = 0; l < e->loops; l++) {
        t.count[l] = e->count[l];
        t.first[l] = e->first[l];
        t.step[l] = e->step[l];
        rounds *= e->count[l];
        if (rounds > INT_MAX / 64)
            return yk_fail(err, YOKE_E_MODEL, "%s:%d: too many equations",
                           m->flat->file, e->line);
    }
    if (rounds <= 0) return YOKE_OK;
    t.rounds = t.instances = (int)rounds;
    t.residual = yk_eq_expr_binary(&m->pool, YK_OP_SUBTRACT, map[e->left],
                                   map[e->right]);
    YK_TRY(yk_pool_status(&m->pool, err));
    YK_TRY(check_template(m, &t, err));
    yk_templates *all = e->initial ? &m->initial : &m->equation;
    if (all->rows > INT_MAX / 64 - t.instances)
        return yk_fail(err, YOKE_E_MODEL, "%s:%d: too many equations",
                       m->flat->file, e->line);
    return yk_templates_add(all, &m->pool, &t, err);
}

/* left < right and left <= right as right - left; floor(x) and tables as x. */
static yoke_status add_relation(yk_model *m, const yk_flat_relation *r,
                                const int *map, yoke_err *err)
{
    const yk_flat_node *n = &m->flat->node[r->node];
    yk_template t = { .loops = r->loops, .line = r->line, .rounds = 1 };

    for (int l = 0; l < r->loops; l++) {
        t.count[l] = r->count[l];
        t.first[l] = r->first[l];
        t.step[l] = r->step[l];
        t.rounds *= r->count[l];
    }
    t.instances = t.rounds;
    const bool table = n->op == YK_OP_INTERPOLATE;
    t.residual =
        n->op == YK_OP_FLOOR || table
            ? map[n->a]
            : yk_eq_expr_binary(&m->pool, YK_OP_SUBTRACT, map[n->b], map[n->a]);
    m->relation_held[m->relation.count] = map[r->refer];
    m->relation_plain[m->relation.count] = table ? map[n->a] : map[r->node];
    YK_TRY(yk_pool_status(&m->pool, err));
    YK_TRY(check_template(m, &t, err));
    return yk_templates_add(&m->relation, &m->pool, &t, err);
}

/* Kept if it contains a derivative: that needs a value of its own. */
static yoke_status add_action(yk_model *m, int line, int root, yoke_err *err)
{
    yk_template t = {
        .residual = root, .line = line, .rounds = 1, .instances = 1
    };
    int *list = NULL, length = 0;
    bool any = false;

    YK_TRY(yk_reach(&m->pool, 1, &root, &list, &length, err));
    for (int i = 0; i < length; i++) {
        const yk_node *n = &m->pool.node[list[i]];
        any = any || (n->op == YK_OP_REFER && n->order > 0);
    }
    yk_free(list);
    return any ? yk_templates_add(&m->action, &m->pool, &t, err) : YOKE_OK;
}

static yoke_status add_event(yk_model *m, const yk_flat_event *e,
                             const int *map, yoke_err *err)
{
    if (e->condition >= 0)
        YK_TRY(add_action(m, e->line, map[e->condition], err));
    for (int i = 0; i < e->actions; i++)
        YK_TRY(add_action(m, e->action[i].line, map[e->action[i].value], err));
    return YOKE_OK;
}

yoke_status yk_eq_model_create(yk_model *m, const yk_flat *flat, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *map = NULL;

    *m = (yk_model){ .flat = flat };
    YK_GO(create_elements(m, err));
    YK_GO(yk_pool_create(&m->pool, flat, err));
    YK_GO(yk_ints(&map, (size_t)flat->nodes, err));
    yk_import(&m->pool, false, map);
    YK_GO(yk_pool_status(&m->pool, err));
    for (int i = 0; i < flat->equations; i++)
        YK_GO(add_equation(m, &flat->equation[i], map, err));
    YK_GO(YK_INTS((size_t)flat->relations, err, &m->relation_held,
                  &m->relation_plain));
    for (int i = 0; i < flat->relations; i++)
        YK_GO(add_relation(m, &flat->relation[i], map, err));
    for (int i = 0; i < flat->events; i++)
        YK_GO(add_event(m, &flat->event[i], map, err));
    m->written = m->equation.rows;
    YK_GO(yk_eq_model_segments(m, err));
done:
    yk_free(map);
    if (status != YOKE_OK) yk_eq_model_free(m);
    return status;
}

void yk_eq_model_free(yk_model *m)
{
    yk_charts_free(m->charts);
    free_templates(&m->equation);
    free_templates(&m->initial);
    free_templates(&m->relation);
    free_templates(&m->action);
    YK_FREE(m->relation_held, m->relation_plain);
    for (int k = 0; k < YK_ORDERS; k++) yk_free(m->segment[k]);
    YK_FREE(m->base, m->owner, m->root, m->sign, m->value, m->start, m->fixed,
            m->highest, m->dummy);
    yk_pool_free(&m->pool);
    *m = (yk_model){ 0 };
}
