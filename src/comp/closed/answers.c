/* comp/closed/answers.c -- what every closed part answers in the same way. */
#include "base/text.h"
#include "comp/closed/answers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

yoke_status yk_answers_create(yk_closed_answers *a, int m, int p, yoke_err *err)
{
    a->m = m;
    a->p = p;
    YK_TRY(yk_doubles(&a->nominal, (size_t)m + 1, err));
    YK_TRY(yk_doubles(&a->u, YK_ANSWERS * (size_t)m + 1, err));
    YK_TRY(yk_doubles(&a->y, (YK_ANSWERS + 1) * (size_t)p + 1, err));
    for (int k = 0; k < m; k++) a->nominal[k] = 1.0;
    return YOKE_OK;
}

void yk_answers_clear(yk_closed_answers *a)
{
    YK_FREE(a->u, a->y, a->nominal);
    a->u = a->y = a->nominal = NULL;
}

/* Nothing tells where in time a part does something: steps are bounded as those
 * of our steppers are then (docs/methods/inputs.md). */
double yk_answers_longest_step(const yoke_stepper_options *o)
{
    static const double fewest = 54.0; /* steps of a run */
    const double longest = o ? o->span / fewest : 0.0;

    if (!o || !(o->max_step > 0.0)) return longest;
    return longest > 0.0 ? fmin(longest, o->max_step) : o->max_step;
}

yoke_status yk_answers_run(yk_closed_answers *a,
                           const yoke_stepper_options *options,
                           yk_propagator *out, yoke_err *err)
{
    YK_TRY(a->open(a->self, options, out, err));
    if (a->aside) return YOKE_OK;
    a->told = (yk_part_facts){ .said = "" };
    yk_part_keep_telling(out, &a->told);
    return YOKE_OK;
}

/* The place of an answer to this, or -1. */
static int remembered(const yk_closed_answers *a, double t, const double *u)
{
    const size_t m = (size_t)a->m;

    for (int k = 0; k < a->answered; k++)
        if (a->t[k] == t &&
            (m == 0 || memcmp(a->u + (size_t)k * m, u, m * sizeof *u) == 0))
            return k;
    return -1;
}

/* Asks a part of its own and remembers the answer in place k. */
static yoke_status ask(yk_closed_answers *a, int k, double t, const double *u,
                       yoke_err *err)
{
    const size_t m = (size_t)a->m, p = (size_t)a->p;
    double *y = a->y + (size_t)YK_ANSWERS * p; /* scratch */
    yk_propagator open;

    YK_TRY(a->open(a->self, NULL, &open, err));
    const yoke_status status = open.ops->start(open.self, t, NULL, u, y, err);
    open.ops->free(open.self);
    if (status != YOKE_OK) return status;
    a->t[k] = t;
    if (m) memcpy(a->u + (size_t)k * m, u, m * sizeof *u);
    if (p) memcpy(a->y + (size_t)k * p, y, p * sizeof *y);
    if (k == a->answered)
        a->answered++;
    else
        a->oldest = (k + 1) % YK_ANSWERS;
    return YOKE_OK;
}

yoke_status yk_answers_start(yk_closed_answers *a, double t, const double *u,
                             double *y, yoke_err *err)
{
    int k = remembered(a, t, u);

    if (k < 0) {
        k = a->answered < YK_ANSWERS ? a->answered : a->oldest;
        YK_TRY(ask(a, k, t, u, err));
    }
    memcpy(y, a->y + (size_t)k * (size_t)a->p, (size_t)a->p * sizeof *y);
    return YOKE_OK;
}

/* ---- differences ------------------------------------------------------- */

/* The outputs at the end of a window with constant inputs. */
static yoke_status end_values(const yk_propagator *p, double t, double h,
                              const double *u, yk_wave *in, yk_wave *out,
                              double *y, yoke_err *err)
{
    yk_wave_clear(in, t);
    YK_TRY(yk_wave_append_constant(in, t + h, u, err));
    YK_TRY(p->ops->sweep(p->self, t + h, in, out, err));
    yk_wave_eval(out, t + h, NULL, y);
    return YOKE_OK;
}

static yoke_status difference(const yk_closed_answers *a,
                              const yk_propagator *p, double t, double *u,
                              double h, yk_wave *in, yk_wave *out, double *y,
                              double *z, yoke_err *err)
{
    static const double share = 1e-3; /* of the nominal value or the value */
    double *moved = y + a->p;

    YK_TRY(p->ops->start(p->self, t, NULL, u, y, err));
    YK_TRY(end_values(p, t, h, u, in, out, y, err));
    for (int k = 0; k < a->m; k++) {
        const double before = u[k];
        const double change = share * fmax(a->nominal[k], fabs(before));

        u[k] = before + change;
        YK_TRY(end_values(p, t, h, u, in, out, moved, err));
        u[k] = before;
        for (int i = 0; i < a->p; i++)
            z[i * a->m + k] = (moved[i] - y[i]) / change;
    }
    return YOKE_OK;
}

yoke_status yk_answers_differences(yk_closed_answers *a, double t,
                                   const double *u, double h, double *z,
                                   yoke_err *err)
{
    const yoke_stepper_options o = yoke_stepper_defaults();
    yk_propagator p = { 0 };
    yk_wave *in = NULL, *out = NULL;
    double *y = NULL, *copy = NULL;
    yoke_status status;

    YK_GO(yk_doubles(&y, 2 * (size_t)a->p + 1, err));
    YK_GO(yk_copy_doubles(&copy, u, (size_t)a->m, err));
    YK_GO(yk_wave_create(&in, a->m, err));
    YK_GO(yk_wave_create(&out, a->p, err));
    YK_GO(a->open(a->self, &o, &p, err));
    YK_GO(difference(a, &p, t, copy, h, in, out, y, z, err));
done:
    if (p.ops) p.ops->free(p.self);
    yk_wave_free(in);
    yk_wave_free(out);
    YK_FREE(y, copy);
    return status;
}

/* ---- messages ---------------------------------------------------------- */

/* How much it wrote, and its last line. */
static void add_said(const yk_part_facts *s, char *text, size_t room)
{
    size_t end = strlen(s->said), begin;

    while (end > 0 && s->said[end - 1] <= ' ') end--;
    for (begin = end; begin > 0 && s->said[begin - 1] != '\n'; begin--) {
    }
    yk_append(text, room, "; it wrote %zu bytes, at last \"%.*s\"",
              s->said_in_all, (int)(end - begin < 80 ? end - begin : 80),
              s->said + begin);
}

void yk_answers_cost(const yk_closed_answers *a, char *text, size_t room)
{
    static const char *const ways[] = {
        [YK_PART_BY_STATE] = "by its own state",
        [YK_PART_BY_FORK] = "by copies of its process",
        [YK_PART_BY_REPLAY] = "by running again from the start",
    };
    const yk_part_facts *s = &a->told;

    text[0] = '\0';
    if (s->exchanges == 0) return;
    snprintf(text, room, "%s goes back in time %s; %ld exchanges, %.3g s",
             a->name, ways[s->way], s->exchanges, s->seconds);
    if (s->said_in_all > 0) add_said(s, text, room);
}

/* ---- limits ------------------------------------------------------------ */

yoke_status yk_closed_read_limits(const yk_reader *r, const yk_yaml *node,
                                  yk_closed_limits *out, yoke_err *err)
{
    YK_TRY(yk_file_setting(r, node, "time_limit", "s", NULL, 600.0,
                           &out->seconds, err));
    YK_TRY(yk_file_setting(r, node, "memory_limit", "1", NULL, 8000.0,
                           &out->bytes, err));
    out->bytes *= 1e6;
    out->replay = false;
    return yk_file_truth(r, node, "replay", &out->replay, err);
}
