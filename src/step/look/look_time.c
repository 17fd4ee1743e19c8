/* step/look/look_time.c -- no step passes over what time alone does.
 *
 * The courses of a system are functions g(t) that are known in advance; D is
 * what a step has not seen of one (deviation.c).  The step is tested where D is
 * largest, as for inputs (look.c).
 *
 * A diode answers to the crest of a voltage and not to where D is largest, so
 * where equations are not affine the step is also tested where g is farthest
 * above and below all its values that were seen.
 *
 * If D is too much, the step and those that follow end where D may be no
 * more than what would be half a tolerance: e is proportional to h D.
 */
#include "step/drive.h"
#include "step/look/look.h"
#include "step/look/deviation.h"
#include "step/policy.h"

#include <math.h>

/* ---- The step ------------------------------------------------------------ */

/* What is no number at a point where the equations are some is in a branch that
 * is not taken: exp(1 h / 0.5 s) where time is below 1 h. */
static bool sees(yk_search *s, const yk_problem *p, const yk_stages *nodes,
                 int course, double t, double h)
{
    const yoke_courses *c = p->facts->courses;

    return !yk_search_begin(s, c->enclose, c->self, course, t, h) ||
           yk_search_sees(s, nodes) || s->undefined;
}

/* Deviations so small that they cannot be distinguished from none, or a step so short
 * that would go unreported. */
static bool is_idle(const yk_search *s, const yk_problem *p)
{
    return s->upper <= s->floor || (s->upper > YK_LOOK_SURE * s->lower &&
                                    s->h < 1e-12 * p->options.span);
}

static yoke_status test_course(yk_driver *d, yk_search *s, yoke_err *err)
{
    yk_step_look *k = &d->look;
    const double before = k->worst, time = k->worst_time;
    const int of = k->worst_of;

    k->worst = 0.0;
    YK_TRY(yk_look_test(d, s->where, yk_input(&d->p, s->where), err));
    /* Where the bound is not reached, it counts. */
    if (s->upper > YK_LOOK_SURE * s->lower)
        k->worst = s->lower > 0.0 ? fmin(k->worst * s->upper / s->lower,
                                         1e3 * fmax(k->bound, k->worst))
                                  : 2.0 * k->bound;
    if (k->worst > k->bound) {
        k->now.course = s->which + 1;
        k->now.alert = YK_LOOK_ALERT;
        k->now.reach = s->lower * s->h * k->bound / k->worst;
        k->by_course = true;
    }
    if (k->worst >= before) return YOKE_OK;
    k->worst = before;
    k->worst_time = time;
    k->worst_of = of;
    return YOKE_OK;
}

/* Beyond these the values of a course count as new. */
static double novel(const yk_search *s, const yk_problem *p)
{
    return p->options.rtol * fmax(fabs(s->seen[0]), fabs(s->seen[1]));
}

/* Farthest above and below what was seen. */
static yoke_status test_crests(yk_driver *d, yk_search *s, yoke_err *err)
{
    yk_step_look *k = &d->look;
    yk_problem *p = &d->p;

    for (int side = 0; side < 2 && k->worst <= k->bound; side++) {
        if (!yk_search_beyond(s, novel(s, p))) break;
        YK_TRY(yk_look_test(d, s->where, yk_input(p, s->where), err));
        yk_search_see(s);
    }
    return YOKE_OK;
}

/* Times of a step at which it was tested and passed; more are not kept. */
typedef struct passed_tests {
    int count;
    double t[8];
} passed_tests;

/* A test looks at all unknowns.  One at which this course deviates nearly as
 * much as anywhere says as much as its own would: with thousands of courses
 * that is what keeps a step from thousands of tests. */
static bool is_tested(const yk_search *s, const passed_tests *tests)
{
    for (int k = 0; k < tests->count; k++)
        if (s->upper <= YK_LOOK_SURE * yk_search_deviation(s, tests->t[k]))
            return true;
    return false;
}

/* Where the points of the step miss most of the course. */
static yoke_status test_deviation(yk_driver *d, yk_search *s,
                                  passed_tests *tests, yoke_err *err)
{
    yk_search_largest(s, INFINITY);
    if (is_idle(s, &d->p) || is_tested(s, tests)) return YOKE_OK;
    YK_TRY(test_course(d, s, err));
    if (tests->count < 8) tests->t[tests->count++] = s->where;
    yk_search_see(s);
    return YOKE_OK;
}

yoke_status yk_look_at_time(yk_driver *d, yoke_err *err)
{
    yk_step_look *k = &d->look;
    const yk_problem *p = &d->p;
    const int count = p->facts->courses ? p->facts->courses->count : 0;
    passed_tests tests = { .count = 0 };
    yk_search s;

    k->by_inputs = false;
    for (int i = 0; i < count && k->worst <= k->bound; i++) {
        const bool seen = sees(&s, p, &k->stages, i, p->t, k->h);
        if (!seen) YK_TRY(test_deviation(d, &s, &tests, err));
        if (!p->affine && s.h > 0.0 && !s.undefined && k->tests < k->limit &&
            k->worst <= k->bound)
            YK_TRY(test_crests(d, &s, err));
    }
    k->tests = 0;
    return YOKE_OK;
}

/* ---- Outputs and fixed steps --------------------------------------------- */

bool yk_course_passes(const yk_problem *p, const yk_stages *nodes, int course,
                      double t, double h, double *where)
{
    yk_search s;

    if (sees(&s, p, nodes, course, t, h)) return false;
    yk_search_largest(&s, INFINITY);
    *where = s.where;
    return !is_idle(&s, p);
}

/* May fixed steps of length h in [from, to] deviate by more than a hundredth of
 * what the course does there? */
static bool may_miss(const yk_driver *d, int course, double from, double to,
                     double h)
{
    const yoke_courses *c = d->p.facts->courses;
    const yk_stages *nodes = &d->look.stages;
    double all[5][2];

    c->enclose(c->self, course, from, to, nodes->count, all);
    const double most =
        fmax(fabs(all[nodes->count][0]), fabs(all[nodes->count][1]));
    return !(yk_search_widest(nodes) * pow(h, nodes->count) * most <=
             YK_LOOK_MISSABLE * (all[0][1] - all[0][0]));
}

yoke_status yk_look_at_fixed_time(yk_driver *d, double t, double h, int steps,
                                  yoke_err *err)
{
    const yk_problem *p = &d->p;
    const int count = p->facts->courses ? p->facts->courses->count : 0;
    const double from = fmax(p->begin, t - steps * h);
    const int taken = (int)ceil((t - from) / h - 1e-6);

    for (int i = 0; i < count; i++) {
        double most = 0.0, where = 0.0, begin = 0.0;
        yk_search s;
        if (!may_miss(d, i, from, t, h)) continue;
        for (int k = 0; k < taken; k++) {
            const double at = fmax(from, t - (k + 1) * h);
            if (sees(&s, p, &d->look.stages, i, at, h)) continue;
            yk_search_largest(&s, INFINITY);
            if (s.lower <= most) continue;
            most = s.lower;
            where = s.where;
            begin = at;
        }
        if (most > 0.0) YK_TRY(yk_look_test_fixed(d, begin, h, where, err));
    }
    return YOKE_OK;
}

void yk_look_before(yk_driver *d, double *h)
{
    const yk_look_watch *w = &d->look.now;
    const yk_problem *p = &d->p;
    yk_stages nodes;
    yk_search s;

    if (w->alert == 0) return;
    yk_look_stages(d, 0.0, &nodes);
    for (int i = 0; i < 40; i++, *h *= 0.5) {
        const double enough = 0.5 * w->reach / *h;
        if (sees(&s, p, &nodes, w->course - 1, p->t, *h)) return;
        s.floor = fmax(s.floor, enough);
        yk_search_largest(&s, enough);
        if (s.upper <= s.floor) return;
    }
}
