/* comp/closed/subsystem.c -- a closed part as a subsystem of a system file. */
#include "comp/closed/subsystem.h"
#include "sys/closed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIXED = 8, NUMBER = 40 };

typedef struct part {
    yk_closed_facts f;
    yk_closed closed;
    yk_part_facts told; /* of the last run */
    bool stepped;       /* a step was given */
    char **text;        /* all texts */
    int texts;
    const char **key, **value, **input, **output;

    /* The last answer of `output`. */
    double *u, *y, t;
    bool answered;
} part;

double yk_closed_number(const yk_part_spec *spec, const char *key,
                        double preset)
{
    const char *text = yk_part_setting(spec, key);

    return text ? strtod(text, NULL) : preset;
}

/* ---- workers ----------------------------------------------------------- */

/* Nothing tells where in time a part does something: steps are bounded as those
 * of our steppers are then (docs/methods/inputs.md). */
static double longest_step(const yoke_stepper_options *o)
{
    static const double fewest = 54.0; /* steps of a run */
    const double longest = o->span / fewest;

    if (!(o->max_step > 0.0)) return longest;
    return longest > 0.0 ? fmin(longest, o->max_step) : o->max_step;
}

static yoke_status open_part(part *c, const yoke_stepper_options *o,
                             yk_propagator *out, yoke_err *err)
{
    static const char *const fixed[FIXED] = { "tolerance", "absolute", "span",
                                              "longest", "step" };
    const yk_closed_facts *f = &c->f;
    const double longest = longest_step(o);
    const double number[] = { o->rtol, o->atol, o->span,
                              longest > 0.0 ? longest : INFINITY, o->step };
    const int extra = o->step > 0.0 ? 5 : 4, count = f->settings + extra;
    const char **key = NULL, **value = NULL;
    double *atol = NULL;
    char text[FIXED][NUMBER];
    yoke_status status;

    YK_GO(YK_NEW(&key, count, err));
    YK_GO(YK_NEW(&value, count, err));
    YK_GO(yk_doubles(&atol, (size_t)f->outputs + 1, err));
    for (int i = 0; i < extra; i++) {
        snprintf(text[i], NUMBER, "%.17g", number[i]);
        key[i] = fixed[i];
        value[i] = text[i];
    }
    for (int i = 0; i < f->settings; i++) {
        key[extra + i] = f->key[i];
        value[extra + i] = f->value[i];
    }
    for (int i = 0; i < f->outputs; i++) atol[i] = o->atol;
    const yk_part_spec spec = { .name = f->name,
                                .kind = f->engine,
                                .settings = count,
                                .key = key,
                                .value = value,
                                .m = f->inputs,
                                .p = f->outputs,
                                .rtol = o->rtol,
                                .atol = atol,
                                .longest = longest,
                                .seconds = f->seconds,
                                .bytes = f->bytes,
                                .replay = f->replay,
                                .stop = o->stop,
                                .stop_context = o->stop_context };
    YK_GO(yk_part_create(out, &spec, err));
done:
    YK_FREE(key, value, atol);
    return status;
}

static yoke_status part_create(void *self, const yoke_stepper_options *options,
                               yk_propagator *out, yoke_err *err)
{
    part *c = self;

    YK_TRY(open_part(c, options, out, err));
    c->told = (yk_part_facts){ .said = "" };
    c->stepped = options->step > 0.0;
    yk_part_keep_telling(out, &c->told);
    return YOKE_OK;
}

/* ---- what is told ------------------------------------------------------ */

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

static yoke_status difference(const part *c, const yk_propagator *p, double t,
                              double *u, double h, yk_wave *in, yk_wave *out,
                              double *y, double *z, yoke_err *err)
{
    static const double share = 1e-3; /* of the value, or of one */
    const int m = c->f.inputs, q = c->f.outputs;
    double *moved = y + q;

    YK_TRY(p->ops->start(p->self, t, NULL, u, y, err));
    YK_TRY(end_values(p, t, h, u, in, out, y, err));
    for (int k = 0; k < m; k++) {
        const double before = u[k], change = share * fmax(1.0, fabs(before));

        u[k] = before + change;
        YK_TRY(end_values(p, t, h, u, in, out, moved, err));
        u[k] = before;
        for (int i = 0; i < q; i++) z[i * m + k] = (moved[i] - y[i]) / change;
    }
    return YOKE_OK;
}

static yoke_status part_answer(void *self, double t, const double *u, double h,
                               double *z, yoke_err *err)
{
    part *c = self;
    const yoke_stepper_options o = yoke_stepper_defaults();
    yk_propagator p = { 0 };
    yk_wave *in = NULL, *out = NULL;
    double *y = NULL, *copy = NULL;
    yoke_status status;

    YK_GO(yk_doubles(&y, 2 * (size_t)c->f.outputs + 1, err));
    YK_GO(yk_copy_doubles(&copy, u, (size_t)c->f.inputs, err));
    YK_GO(yk_wave_create(&in, c->f.inputs, err));
    YK_GO(yk_wave_create(&out, c->f.outputs, err));
    YK_GO(open_part(c, &o, &p, err));
    YK_GO(difference(c, &p, t, copy, h, in, out, y, z, err));
done:
    if (p.ops) p.ops->free(p.self);
    yk_wave_free(in);
    yk_wave_free(out);
    YK_FREE(y, copy);
    return status;
}

static void part_tell(void *self, char *cost, char *doubt, size_t room)
{
    static const char *const ways[] = {
        [YK_PART_BY_STATE] = "by its own state",
        [YK_PART_BY_FORK] = "by copies of its process",
        [YK_PART_BY_REPLAY] = "by running again from the start",
    };
    const part *c = self;
    const yk_part_facts *s = &c->told;
    const char *what = s->steps > 0 ? c->f.compared : c->f.own;

    cost[0] = doubt[0] = '\0';
    if (s->exchanges == 0) return;
    snprintf(cost, room, "%s goes back in time %s; %ld exchanges, %.3g s",
             c->f.name, ways[s->way], s->exchanges, s->seconds);
    if (c->stepped) what = c->f.given;
    if (what) snprintf(doubt, room, "%s %s", c->f.name, what);
}

/* ---- the subsystem ----------------------------------------------------- */

/* Outputs at the start; each answer is a worker of its own, so the last one is
 * remembered. */
static yoke_status part_output(void *self, double t, const double *x,
                               const double *u, double *y, yoke_err *err)
{
    part *c = self;
    const size_t m = (size_t)c->f.inputs, p = (size_t)c->f.outputs;
    const yoke_stepper_options o = yoke_stepper_defaults();
    yk_propagator open;

    (void)x;
    if (!c->answered || c->t != t ||
        (m && memcmp(c->u, u, m * sizeof *u) != 0)) {
        c->answered = false;
        YK_TRY(open_part(c, &o, &open, err));
        const yoke_status status =
            open.ops->start(open.self, t, NULL, u, c->y, err);
        open.ops->free(open.self);
        if (status != YOKE_OK) return status;
        c->answered = true;
        c->t = t;
        if (m) memcpy(c->u, u, m * sizeof *u);
    }
    memcpy(y, c->y, p * sizeof *y);
    return YOKE_OK;
}

/* No unknowns: no equations. */
static yoke_status part_eval(void *self, double t, const double *x,
                             const double *u, double *q, double *f,
                             yoke_err *err)
{
    (void)self, (void)t, (void)x, (void)u, (void)q, (void)f, (void)err;
    return YOKE_OK;
}

static void part_free(void *self)
{
    part *c = self;

    if (!c) return;
    for (int i = 0; i < c->texts; i++) yk_free(c->text[i]);
    YK_FREE(c->text, c->key, c->value, c->input, c->output, c->u, c->y, c);
}

static const yoke_system_ops ops = { .kind = "closed part",
                                     .eval = part_eval,
                                     .output = part_output,
                                     .free = part_free };

/* ---- life -------------------------------------------------------------- */

static yoke_status keep(part *c, const char **text, yoke_err *err)
{
    if (!*text) return YOKE_OK;
    YK_TRY(yk_copy_text(&c->text[c->texts], *text, err));
    *text = c->text[c->texts++];
    return YOKE_OK;
}

static yoke_status keep_list(part *c, const char ***out,
                             const char *const *list, int count, yoke_err *err)
{
    YK_TRY(YK_NEW(out, count + 1, err));
    for (int i = 0; i < count; i++) {
        (*out)[i] = list[i];
        YK_TRY(keep(c, &(*out)[i], err));
    }
    return YOKE_OK;
}

static yoke_status copy_facts(part *c, const yk_closed_facts *f, yoke_err *err)
{
    const int most = 2 * f->settings + f->inputs + f->outputs + 6;

    c->f = *f;
    YK_TRY(YK_NEW(&c->text, most, err));
    YK_TRY(keep(c, &c->f.name, err));
    YK_TRY(keep(c, &c->f.kind, err));
    YK_TRY(keep(c, &c->f.engine, err));
    YK_TRY(keep(c, &c->f.compared, err));
    YK_TRY(keep(c, &c->f.given, err));
    YK_TRY(keep(c, &c->f.own, err));
    YK_TRY(keep_list(c, &c->key, f->key, f->settings, err));
    YK_TRY(keep_list(c, &c->value, f->value, f->settings, err));
    YK_TRY(keep_list(c, &c->input, f->input, f->inputs, err));
    YK_TRY(keep_list(c, &c->output, f->output, f->outputs, err));
    c->f.key = c->key;
    c->f.value = c->value;
    c->f.input = c->input;
    c->f.output = c->output;
    YK_TRY(yk_doubles(&c->u, (size_t)f->inputs + 1, err));
    return yk_doubles(&c->y, (size_t)f->outputs + 1, err);
}

/* All outputs depend on all inputs at once, or none on any. */
static yoke_status make_pattern(const yk_closed_facts *f, int **start,
                                int **row, yoke_err *err)
{
    const int m = f->inputs, p = f->direct ? f->outputs : 0;

    YK_TRY(yk_ints(start, (size_t)m + 1, err));
    YK_TRY(yk_ints(row, (size_t)m * (size_t)p + 1, err));
    for (int k = 0; k < m; k++) {
        for (int i = 0; i < p; i++) (*row)[k * p + i] = i;
        (*start)[k + 1] = (k + 1) * p;
    }
    return YOKE_OK;
}

yoke_status yk_closed_system(yoke_system **out, const yk_closed_facts *facts,
                             yoke_err *err)
{
    part *c = NULL;
    int *start = NULL, *row = NULL;
    yoke_status status;

    YK_TRY(YK_NEW(&c, 1, err));
    YK_GO(copy_facts(c, facts, err));
    YK_GO(make_pattern(facts, &start, &row, err));
    const yoke_pattern feed = { .rows = facts->outputs,
                                .cols = facts->inputs,
                                .start = start,
                                .row = row };
    c->closed = (yk_closed){ .create = part_create,
                             .answer = part_answer,
                             .tell = part_tell,
                             .self = c };
    const yoke_system_info info = { .m = facts->inputs,
                                    .p = facts->outputs,
                                    .flags = YOKE_TIMELESS | YOKE_PARALLEL,
                                    .u_name = c->input,
                                    .y_name = c->output,
                                    .Hu = &feed,
                                    .closed = &c->closed };
    status = yoke_system_create(out, c->f.name, &ops, c, &info, err);
    c = NULL; /* taken, also on failure */
done:
    YK_FREE(start, row);
    part_free(c);
    return status;
}
