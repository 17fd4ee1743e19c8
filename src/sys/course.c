/* sys/course.c -- courses of a system: functions of time alone. */
#include "sys/course.h"

#include <math.h>
#include <string.h>

_Static_assert((int)YK_JET_ORDER == (int)YOKE_COURSE_ORDER,
               "courses have as many coefficients as jets");

void yk_courses_clear(yk_course_list *list)
{
    YK_FREE(list->step, list->start, list->jet);
    *list = (yk_course_list){ 0 };
}

static void follow(void *self, int place, double from, double to, int order,
                   yk_jet *out)
{
    const yoke_path *path = self;
    double value[YOKE_COURSE_ORDER + 1][2];

    path->enclose(path->self, place, from, to, order, value);
    for (int k = 0; k <= order; k++)
        out->c[k] = (yk_span){ value[k][0], value[k][1] };
}

void yk_curve_enclose(void *self, int i, const yoke_path *path, double from,
                      double to, int order, double (*out)[2])
{
    const yk_course_list *list = self;
    const int first = list->start[i], steps = list->start[i + 1] - first;

    const yk_jet *const last = list->jet + first + steps - 1;
    yk_expr_enclose(list->step + first, steps, from, to, order, follow,
                    (void *)path, false, list->jet + first);
    for (int k = 0; k <= order; k++) {
        out[k][0] = last->c[k].lo;
        out[k][1] = last->c[k].hi;
    }
}

static void enclose(void *self, int i, double from, double to, int order,
                    double (*out)[2])
{
    yk_curve_enclose(self, i, NULL, from, to, order, out);
}

static bool same_step(const yk_expr_step *a, const yk_expr_step *b)
{
    return a->op == b->op && a->a == b->a && a->b == b->b && a->c == b->c &&
           a->number == b->number && a->arg == b->arg && a->table == b->table;
}

static bool is_known(const yk_course_list *list, int steps,
                     const yk_expr_step *step)
{
    for (int i = 0; i < list->count; i++) {
        const yk_expr_step *const s = list->step + list->start[i];
        int k = 0;
        if (list->start[i + 1] - list->start[i] != steps) continue;
        while (k < steps && same_step(&s[k], &step[k])) k++;
        if (k == steps) return true;
    }
    return false;
}

/* No coefficient behind the second anywhere. */
static bool is_straight(const yk_jet *jet)
{
    for (int k = 2; k <= YOKE_COURSE_ORDER; k++)
        if (jet->c[k].lo != 0.0 || jet->c[k].hi != 0.0) return false;
    return true;
}

/* Anything at all. */
static void anywhere(void *self, int i, double from, double to, int order,
                     double (*out)[2])
{
    (void)self, (void)i, (void)from, (void)to;
    for (int k = 0; k <= order; k++) {
        out[k][0] = -INFINITY;
        out[k][1] = INFINITY;
    }
}

/* How many are compared with a new one. */
enum { COMPARED = 256 };

yoke_status yk_courses_put(yk_course_list *list, int steps,
                           const yk_expr_step *step, yoke_err *err)
{
    const size_t used = list->count > 0 ? (size_t)list->start[list->count] : 0;
    yoke_path path = { anywhere, NULL };

    YK_TRY(YK_GROW(&list->jet, &list->jet_room, used + (size_t)steps, err));
    YK_TRY(YK_GROW(&list->step, &list->room, used + (size_t)steps, err));
    YK_TRY(YK_GROW(&list->start, &list->start_room, list->count + 2, err));
    yk_expr_step *const own = list->step + used;
    memcpy(own, step, (size_t)steps * sizeof *step);
    for (int i = 0; i < steps; i++) yk_expr_classify(own, i);
    yk_expr_enclose(own, steps, -INFINITY, INFINITY, YOKE_COURSE_ORDER, follow,
                    &path, true, list->jet + used);
    list->start[list->count] = (int)used;
    list->start[++list->count] = (int)used + steps;
    return YOKE_OK;
}

yoke_status yk_courses_add(yk_course_list *list, int steps,
                           const yk_expr_step *step, yoke_err *err)
{
    YK_TRY(yk_courses_put(list, steps, step, err));
    const int last = --list->count, first = list->start[last];
    if (is_straight(&list->jet[first + steps - 1])) return YOKE_OK;
    if (last < COMPARED && is_known(list, steps, list->step + first))
        return YOKE_OK;
    list->count++;
    return YOKE_OK;
}

/* Room for the steps of one function. */
typedef struct part {
    const yk_expr_step *step;
    yk_expr_step *own;
    int *at;
} part;

static yoke_status add_part(yk_course_list *list, const part *p, int root,
                            yoke_err *err)
{
    if (p->step[root].kind != YK_KIND_TIME) return YOKE_OK;
    const int steps = yk_expr_extract(p->step, root, p->at, p->own);
    for (int i = 0; i < steps; i++)
        if (!yk_jet_knows(p->own[i].op)) return YOKE_OK;
    return yk_courses_add(list, steps, p->own, err);
}

yoke_status yk_courses_find(yk_course_list *list,
                            const yk_expr_program *program, int roots,
                            const int *root, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    part p = { .step = program->step };

    if (program->steps == 0) return YOKE_OK;
    YK_GO(YK_NEW(&p.own, program->steps, err));
    YK_GO(yk_ints(&p.at, (size_t)program->steps, err));
    for (int i = 0; i < roots; i++) YK_GO(add_part(list, &p, root[i], err));
    for (int i = 0; i < program->steps; i++) {
        const yk_expr_step *s = &program->step[i];
        const int operands = yk_op_operands(s->op);
        if (s->kind <= YK_KIND_TIME || operands == 0) continue;
        YK_GO(add_part(list, &p, s->a, err));
        if (operands > 1) YK_GO(add_part(list, &p, s->b, err));
        if (operands > 2) YK_GO(add_part(list, &p, s->c, err));
    }
done:
    YK_FREE(p.own, p.at);
    return status;
}

const yoke_courses *yk_courses_tell(yk_course_list *list)
{
    if (list->count == 0) return NULL;
    list->told = (yoke_courses){ list->count, enclose, list, list->shown };
    return &list->told;
}
