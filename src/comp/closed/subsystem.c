/* comp/closed/subsystem.c -- a closed part as a subsystem of a system file. */
#include "comp/closed/subsystem.h"
#include "comp/closed/answers.h"
#include "sys/closed.h"
#include "sys/system.h"
#include "yoke/optional.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIXED = 8, NUMBER = 40 };

typedef struct part {
    yk_closed_facts f;
    yk_closed closed;
    yk_closed_answers answers;
    bool stepped; /* a step was given */
    char **text;  /* all texts */
    int texts;
    const char **key, **value, **input, **output;
} part;

double yk_closed_number(const yk_part_spec *spec, const char *key,
                        double preset)
{
    const char *text = yk_part_setting(spec, key);

    return text ? strtod(text, NULL) : preset;
}

/* ---- workers ----------------------------------------------------------- */

static yoke_status open_part(void *self, const yoke_stepper_options *options,
                             yk_propagator *out, yoke_err *err)
{
    const part *c = self;
    const yoke_stepper_options preset = yoke_stepper_defaults();
    const yoke_stepper_options *o = options ? options : &preset;
    static const char *const fixed[FIXED] = { "tolerance", "absolute", "span",
                                              "longest", "step" };
    const yk_closed_facts *f = &c->f;
    const double longest = yk_answers_longest_step(o);
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
                                .aside = c->answers.aside,
                                .seconds = f->seconds,
                                .bytes = f->bytes,
                                .replay = f->replay,
                                .stop = o->stop,
                                .stop_context = o->stop_context };
    status = yk_part_create(out, &spec, err);
    if (status != YOKE_OK && f->place) yk_prefix(err, "%s", f->place);
done:
    YK_FREE(key, value, atol);
    return status;
}

static yoke_status part_create(void *self, const yoke_stepper_options *options,
                               yk_propagator *out, yoke_err *err)
{
    part *c = self;

    c->stepped = options->step > 0.0;
    return yk_answers_run(&c->answers, options, out, err);
}

/* ---- the subsystem ----------------------------------------------------- */

static yoke_status part_answer(void *self, double t, const double *u, double h,
                               double *z, yoke_err *err)
{
    part *c = self;

    return yk_answers_differences(&c->answers, t, u, h, z, err);
}

static void part_tell(void *self, char *cost, char *doubt, size_t room)
{
    const part *c = self;
    const yk_part_facts *s = &c->answers.told;
    const char *what = s->steps > 0 ? c->f.compared : c->f.own;

    doubt[0] = '\0';
    yk_answers_cost(&c->answers, cost, room);
    if (s->exchanges == 0) return;
    if (c->stepped) what = c->f.given;
    if (what) snprintf(doubt, room, "%s %s", c->f.name, what);
}

static yoke_status part_output(void *self, double t, const double *x,
                               const double *u, double *y, yoke_err *err)
{
    part *c = self;

    (void)x;
    return yk_answers_start(&c->answers, t, u, y, err);
}

static void part_free(void *self)
{
    part *c = self;

    if (!c) return;
    for (int i = 0; i < c->texts; i++) yk_free(c->text[i]);
    yk_answers_clear(&c->answers);
    YK_FREE(c->text, c->key, c->value, c->input, c->output, c);
}

static void part_aside(void *self, bool on)
{
    part *c = self;

    c->answers.aside = on;
}

static const yoke_help_ops help = { .aside = part_aside };

static const yoke_system_ops ops = { .kind = "closed part",
                                     .eval = yk_no_equations,
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
    const int most = 2 * f->settings + f->inputs + f->outputs + 7;

    c->f = *f;
    YK_TRY(YK_NEW(&c->text, most, err));
    YK_TRY(keep(c, &c->f.name, err));
    YK_TRY(keep(c, &c->f.place, err));
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
    c->answers.name = c->f.name;
    c->answers.open = open_part;
    c->answers.self = c;
    return yk_answers_create(&c->answers, f->inputs, f->outputs, err);
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
                                    .help = &help,
                                    .closed = &c->closed };
    status = yoke_system_create(out, c->f.name, &ops, c, &info, err);
    c = NULL; /* taken, also on failure */
done:
    YK_FREE(start, row);
    part_free(c);
    return status;
}
