/* sys/course.c -- courses of a system: functions of time alone. */
#include "sys/course.h"

#include <math.h>
#include <string.h>

void yk_courses_clear(yk_course_list *list)
{
    yk_free(list->step);
    yk_free(list->start);
    yk_free(list->jet);
    *list = (yk_course_list){ 0 };
}

static void follow(const yk_course_step *s, const yoke_path *path, double from,
                   double to, int order, yk_jet *out)
{
    double value[YOKE_COURSE_ORDER + 1][2];
    const int low = s->number < 0.0;

    path->enclose(path->self, s->place, from, to, order, value);
    for (int k = 0; k <= order; k++)
        out->c[k] =
            (yk_span){ s->number * value[k][low], s->number * value[k][!low] };
}

/* Numbers, and what is made of them, are there already. */
static void run(const yk_course_step *step, int steps, const yoke_path *path,
                double from, double to, int order, yk_jet *jet)
{
    for (int i = 0; i < steps; i++) {
        const yk_course_step *s = &step[i];
        if (s->steady) continue;
        if (s->op == YK_JET_NUMBER)
            yk_jet_number(s->number, order, &jet[i]);
        else if (s->op == YK_JET_PATH)
            follow(s, path, from, to, order, &jet[i]);
        else if (s->op == YK_JET_TIME)
            yk_jet_time(from, to, order, &jet[i]);
        else if (s->op == YK_JET_TABLE)
            yk_jet_look_up(&s->table, order, &jet[s->a], &jet[i]);
        else
            yk_jet_apply(s->op, order, &jet[s->a], &jet[s->b < 0 ? 0 : s->b],
                         &jet[s->c < 0 ? 0 : s->c], &jet[i]);
    }
}

void yk_curve_enclose(void *self, int i, const yoke_path *path, double from,
                      double to, int order, double (*out)[2])
{
    const yk_course_list *list = self;
    const int first = list->start[i], steps = list->start[i + 1] - first;

    const yk_jet *const last = list->jet + first + steps - 1;
    run(list->step + first, steps, path, from, to, order, list->jet + first);
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

static bool same_step(const yk_course_step *a, const yk_course_step *b)
{
    return a->op == b->op && a->a == b->a && a->b == b->b && a->c == b->c &&
           a->number == b->number && a->place == b->place &&
           a->table.point == b->table.point;
}

static bool is_known(const yk_course_list *list, int steps,
                     const yk_course_step *step)
{
    for (int i = 0; i < list->count; i++) {
        const yk_course_step *const s = list->step + list->start[i];
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

static bool is_steady(const yk_course_step *step, int i)
{
    const yk_course_step *s = &step[i];

    if (s->op == YK_JET_NUMBER) return true;
    if (s->op == YK_JET_TIME || s->op == YK_JET_PATH) return false;
    return step[s->a].steady && (s->b < 0 || step[s->b].steady) &&
           (s->c < 0 || step[s->c].steady);
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

yoke_status yk_courses_add(yk_course_list *list, int steps,
                           const yk_course_step *step, yoke_err *err)
{
    const size_t used = list->count > 0 ? (size_t)list->start[list->count] : 0;
    const yoke_path path = { anywhere, NULL };

    YK_TRY(yk_grow((void **)&list->jet, &list->jet_room, used + (size_t)steps,
                   sizeof *list->jet, err));
    run(step, steps, &path, -INFINITY, INFINITY, YOKE_COURSE_ORDER,
        list->jet + used);
    if (is_straight(&list->jet[used + (size_t)steps - 1])) return YOKE_OK;
    if (list->count < COMPARED && is_known(list, steps, step)) return YOKE_OK;
    YK_TRY(yk_grow((void **)&list->step, &list->room, used + (size_t)steps,
                   sizeof *list->step, err));
    YK_TRY(yk_grow((void **)&list->start, &list->start_room,
                   (size_t)list->count + 2, sizeof *list->start, err));
    memcpy(list->step + used, step, (size_t)steps * sizeof *step);
    for (int i = 0; i < steps; i++)
        list->step[used + (size_t)i].steady = is_steady(list->step + used, i);
    list->start[list->count] = (int)used;
    list->start[++list->count] = (int)used + steps;
    return YOKE_OK;
}

const yoke_courses *yk_courses_tell(yk_course_list *list)
{
    if (list->count == 0) return NULL;
    list->told = (yoke_courses){ list->count, enclose, list, list->shown };
    return &list->told;
}
