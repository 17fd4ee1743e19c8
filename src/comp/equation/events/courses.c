/* comp/equation/events/courses.c -- functions of time alone in the equations.
 *
 * The largest expressions that depend on time and nothing else: 10 exp(-(time -
 * 3)^2) in der(x) = 10 exp(-(time - 3)^2) - x.  They are what steppers look at
 * (yoke_courses).  An unknown that one equation gives as such an expression,
 * y = cos(time), is one too wherever else it occurs.
 */
#include "comp/equation/events/courses.h"

#include <math.h>

enum { MOST_INSTANCES = 2000, ROUNDS = 8 };

static bool timed(const yk_pool *p, int node)
{
    return (p->node[node].on & (YK_ON_VALUES | YK_ON_TIME)) == YK_ON_TIME;
}

/* ---- One function --------------------------------------------------------- */

static double table_value(const yk_model *m, const yk_template *t,
                          const yk_node *n, const int *counter)
{
    int place = n->place[0];

    for (int l = 0; l < t->loops; l++)
        place += n->place[l + 1] * (t->first[l] + t->step[l] * counter[l]);
    return m->flat->variable[n->variable].value[place];
}

/* A table, an unknown, an input. */
static bool refer(const yk_layout *l, const yk_model *m, const yk_template *t,
                  const yk_node *n, const int *counter, yk_expr_step *s)
{
    const yk_flat_kind kind = m->flat->variable[n->variable].kind;

    if (kind == YK_FLAT_TABLE) {
        s->number = table_value(m, t, n, counter);
        return true;
    }
    if (kind != YK_FLAT_UNKNOWN && kind != YK_FLAT_INPUT) return false;
    const int e = yk_template_element(m, t, (int)(n - m->pool.node), counter);
    const int root = m->root[e], v = m->owner[root];
    if (m->sign[e] == 0) {
        s->number = n->order == 0 ? m->value[e] : 0.0;
        return true;
    }
    s->op = YK_OP_VARIABLE;
    s->number = m->sign[e];
    if (yk_is_input(m, root) && n->order == 0) {
        s->arg = l->n + yk_layout_input(l, root);
        return true;
    }
    s->arg = l->column[m->segment[n->order][v] + root - m->base[v]];
    return s->arg >= 0;
}

/* What is held, of no relation: one more variable of the path, behind the
 * unknowns and the inputs. */
static bool refer_held(const yk_layout *l, const yk_model *m,
                       const yk_template *t, const yk_node *n,
                       const int *counter, yk_expr_step *s)
{
    int stride[YK_FLAT_LOOPS] = { 0 };
    int slot = yk_slot_strides(m, t, (int)(n - m->pool.node), stride);

    for (int k = 0; k < t->loops; k++) slot += stride[k] * counter[k];
    s->op = YK_OP_VARIABLE;
    s->number = 1.0;
    s->arg = l->n + l->m + slot;
    return true;
}

/* False: bounds of it are not known. */
static bool translate(const yk_layout *l, const yk_model *m,
                      const yk_template *t, const yk_node *n,
                      const int *counter, yk_expr_step *s)
{
    const int *mark = m->pool.mark;

    *s = (yk_expr_step){ .a = n->a < 0 ? -1 : mark[n->a] - 1,
                         .b = n->b < 0 ? -1 : mark[n->b] - 1,
                         .c = n->c < 0 ? -1 : mark[n->c] - 1,
                         .number = n->number };
    if (n->op == YK_OP_INDEX) {
        s->number = t->first[n->variable] +
                    t->step[n->variable] * (double)counter[n->variable];
        return true;
    }
    if (n->op == YK_OP_REFER) return refer(l, m, t, n, counter, s);
    if (n->op == YK_OP_HELD) return refer_held(l, m, t, n, counter, s);
    s->op = (yk_op)n->op;
    if (n->op == YK_OP_INTERPOLATE) {
        s->table = l->w + m->base[n->variable];
        s->arg = m->flat->variable[n->variable].count / 2;
        if (s->arg == 0) *s = (yk_expr_step){ .op = YK_OP_NUMBER };
    }
    return yk_jet_knows(s->op);
}

/* A function as steps; *known false: bounds of it are not. */
static yoke_status write_steps(const yk_layout *l, yk_model *m,
                               const yk_template *t, int instance, int root,
                               yk_expr_step **step, int *length, bool *known,
                               yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_pool *p = &m->pool;
    int *list = NULL, counter[YK_FLAT_LOOPS] = { 0 };

    *known = true;
    yk_counters(t, instance, counter);
    YK_TRY(yk_reach(p, 1, &root, &list, length, err));
    YK_GO(YK_NEW(step, *length, err));
    for (int i = 0; i < *length; i++) p->mark[list[i]] = i + 1;
    for (int i = 0; i < *length; i++)
        if (!translate(l, m, t, &p->node[list[i]], counter, &(*step)[i]))
            *known = false;
    for (int i = 0; i < *length; i++) p->mark[list[i]] = 0;
done:
    yk_free(list);
    return status;
}

yoke_status yk_add_course(yk_course_list *out, const yk_layout *l, yk_model *m,
                          const yk_template *t, int instance, int root,
                          yoke_err *err)
{
    yk_expr_step *step = NULL;
    int length = 0;
    bool known;
    yoke_status status =
        write_steps(l, m, t, instance, root, &step, &length, &known, err);

    if (status == YOKE_OK && known)
        status = yk_courses_add(out, length, step, err);
    yk_free(step);
    return status;
}

yoke_status yk_watch(yk_layout *l, yk_model *m, const yk_template *t, int root,
                     yoke_err *err)
{
    yoke_status status = YOKE_OK;

    for (int k = 0; k < t->instances; k++) {
        yk_expr_step *step = NULL;
        int length = 0;
        bool known;
        l->watch[t->row + k] = -1;
        if (k >= MOST_INSTANCES || timed(&m->pool, root)) continue;
        status = write_steps(l, m, t, k, root, &step, &length, &known, err);
        if (status == YOKE_OK && known) {
            l->watch[t->row + k] = l->watched.count;
            status = yk_courses_put(&l->watched, length, step, err);
        }
        yk_free(step);
        YK_TRY(status);
    }
    return YOKE_OK;
}

static yoke_status add_breaks(yk_layout *l, yk_model *m, const yk_template *t,
                              int instance, int root, yoke_err *err)
{
    yk_expr_step *step = NULL;
    int length = 0;
    bool known;
    yoke_status status =
        write_steps(l, m, t, instance, root, &step, &length, &known, err);

    if (status == YOKE_OK)
        status = yk_breaks_add(&l->breaks, length, step, err);
    yk_free(step);
    return status;
}

/* ---- All of an equation --------------------------------------------------- */

/* A function of time in all rounds of t, for its breaks or as a course. */
static yoke_status add_function(yk_layout *l, yk_model *m, const yk_template *t,
                                int root, bool breaks, yoke_err *err)
{
    const bool loop = m->pool.node[root].on & YK_ON_LOOP;
    const int count = loop ? t->instances : 1;

    if (count > MOST_INSTANCES) {
        if (breaks) l->timeless = false;
        return YOKE_OK;
    }
    for (int k = 0; k < count; k++)
        YK_TRY(breaks ? add_breaks(l, m, t, k, root, err)
                      : yk_add_course(&l->courses, l, m, t, k, root, err));
    return YOKE_OK;
}

static bool is_new(const yk_pool *p, int node, int nodes, bool *seen)
{
    if (!seen || node >= nodes || p->node[node].on & YK_ON_LOOP) return true;
    const bool fresh = !seen[node];
    seen[node] = true;
    return fresh;
}

/* seen[nodes]: for breaks; NULL: for courses. */
static yoke_status find_functions(yk_layout *l, yk_model *m,
                                  const yk_template *t, int root, int nodes,
                                  bool *seen, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_pool *p = &m->pool;
    int *list = NULL, length = 0;

    if (!(p->node[root].on & YK_ON_TIME)) return YOKE_OK;
    if (timed(p, root)) return add_function(l, m, t, root, seen != NULL, err);
    YK_TRY(yk_reach(&m->pool, 1, &root, &list, &length, err));
    for (int i = 0; i < length; i++) {
        const yk_node n = p->node[list[i]];
        const int child[3] = { n.a, n.b, n.c };
        if (timed(p, list[i])) continue;
        for (int k = 0; k < 3; k++)
            if (child[k] >= 0 && timed(p, child[k]) &&
                is_new(p, child[k], nodes, seen))
                YK_GO(add_function(l, m, t, child[k], seen != NULL, err));
    }
done:
    yk_free(list);
    return status;
}

yoke_status yk_find_courses(yk_layout *l, yk_model *m, const yk_template *t,
                            int root, yoke_err *err)
{
    return find_functions(l, m, t, root, 0, NULL, err);
}

yoke_status yk_find_switches(yk_layout *l, yk_model *m, const yk_template *t,
                             int root, int nodes, bool *seen, yoke_err *err)
{
    return find_functions(l, m, t, root, nodes, seen, err);
}

/* ---- Unknowns that are functions of time ---------------------------------- */

/* One scalar unknown itself. */
static bool is_unknown(const yk_model *m, int node)
{
    const yk_node *n = &m->pool.node[node];

    return n->op == YK_OP_REFER && n->order == 0 && !(n->on & YK_ON_LOOP) &&
           m->flat->variable[n->variable].kind == YK_FLAT_UNKNOWN;
}

bool yk_gives(const yk_model *m, int root, int *unknown, int *function)
{
    const yk_pool *p = &m->pool;
    const yk_node *n = &p->node[root];

    if (n->op != YK_OP_SUBTRACT) return false;
    *unknown = n->a;
    *function = n->b;
    if (!is_unknown(m, *unknown)) {
        *unknown = n->b;
        *function = n->a;
    }
    return is_unknown(m, *unknown);
}

/* As a function of time. */
static bool gives(const yk_model *m, int root, int *unknown, int *function)
{
    return yk_gives(m, root, unknown, function) && timed(&m->pool, *function);
}

yoke_status yk_known_unknowns(yk_model *m, int count, int *root, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *from = NULL, *to = NULL, known = 0, before = -1;
    bool *done = NULL;

    YK_GO(YK_INTS((size_t)count + 1, err, &from, &to));
    YK_GO(YK_NEW(&done, count + 1, err));
    for (int round = 0; round < ROUNDS && known > before; round++) {
        before = known;
        for (int i = 0; i < count; i++) {
            if (done[i] || m->equation.at[i].instances != 1) continue;
            if (!gives(m, root[i], &from[known], &to[known])) continue;
            done[i] = true;
            known++;
        }
        for (int i = 0; i < count && known > before; i++)
            if (!done[i])
                YK_GO(yk_replace(&m->pool, root[i], known, from, to, &root[i],
                                 err));
    }
done:
    YK_FREE(from, to, done);
    return status;
}
