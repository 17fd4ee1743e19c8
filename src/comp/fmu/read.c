/* comp/fmu/read.c -- FMUs in system files.
 *
 *     motor: {fmu: motor.fmu, kind: cs, step: 1 ms, parameters: {R: 2 Ohm}}
 *
 * The subsystem is closed: it runs in a worker, and of it only inputs and
 * outputs are known here.
 */
#include "comp/closed/answers.h"
#include "comp/fmu/archive.h"
#include "comp/fmu/engine.h"
#include "comp/fmu/rates.h"
#include "file/component.h"
#include "sys/closed.h"
#include "sys/system.h"
#include "yoke/optional.h"
#include "yoke/stepper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIXED = 24 };

typedef struct fmu {
    char *name, *folder;
    yk_fmu_description *description;
    yk_fmu_signals input, output;
    bool exchange, replay, inside;
    double seconds, bytes;
    int starts; /* parameters and start values, inputs and outputs */
    char **key, **value;
    yk_closed closed;
    yk_closed_answers answers;
    bool controlled; /* its steps are chosen by comparing */
} fmu;

/* ---- workers ----------------------------------------------------------- */

typedef struct settings {
    int count;
    const char **key, **value;
    char text[FIXED][64];
    int texts;
} settings;

static void add(settings *s, const char *key, const char *value)
{
    s->key[s->count] = key;
    s->value[s->count++] = value;
}

static void add_number(settings *s, const char *key, double value)
{
    char *text = s->text[s->texts++];

    snprintf(text, sizeof s->text[0], "%.17g", value);
    add(s, key, text);
}

static void add_stepper(settings *s, const yoke_stepper_options *o)
{
    if (!o) return;
    add(s, "stepper:method", o->method);
    add_number(s, "stepper:rtol", o->rtol);
    add_number(s, "stepper:atol", o->atol);
    add_number(s, "span", o->span);
    if (o->step > 0.0) add_number(s, "stepper:step", o->step);
    if (o->max_step > 0.0) add_number(s, "stepper:max_step", o->max_step);
    if (o->min_step > 0.0) add_number(s, "stepper:min_step", o->min_step);
}

/* The communication step that was given, or the only one that it takes. */
static yoke_status find_step(const fmu *f, const yoke_stepper_options *o,
                             double *step, yoke_err *err)
{
    const yk_fmu_description *d = f->description;
    const yk_fmu_kind *kind = &d->simulation;

    *step = o ? o->step : 0.0;
    if (*step > 0.0 || f->exchange) return YOKE_OK;
    if (kind->fixed_step > 0.0) *step = kind->fixed_step;
    if (*step > 0.0 || kind->variable_step) return YOKE_OK;
    if (d->step > 0.0) *step = d->step;
    if (*step > 0.0 || !o) return YOKE_OK;
    return yk_fail(err, YOKE_E_ARG,
                   "part \"%s\" takes communication steps of one length only, "
                   "and does not say which: set `step`",
                   f->name);
}

/* With `isolate: none`. */
static const yk_part_maker engines[] = { { "fmu", yk_fmu_make },
                                         { NULL, NULL } };

static yoke_status open_part(void *self, const yoke_stepper_options *o,
                             yk_propagator *out, yoke_err *err)
{
    const fmu *f = self;
    double step = 0.0;
    settings s = { 0 };
    double *atol = NULL;
    yoke_status status;
    const int room = f->starts + FIXED;

    YK_GO(find_step(f, o, &step, err));
    YK_GO(YK_NEW(&s.key, room, err));
    YK_GO(YK_NEW(&s.value, room, err));
    YK_GO(yk_doubles(&atol, (size_t)f->output.count + 1, err));
    add(&s, "folder", f->folder);
    add(&s, "use", f->exchange ? "me" : "cs");
    if (step > 0.0 && !f->exchange) add_number(&s, "step", step);
    if (o) add_number(&s, "tolerance", o->rtol);
    if (f->exchange)
        add_stepper(&s, o);
    else if (o)
        add_number(&s, "span", o->span);
    if (o && !f->exchange) add_number(&s, "atol", o->atol);
    for (int i = 0; i < f->starts; i++) add(&s, f->key[i], f->value[i]);
    for (int k = 0; k < f->output.count; k++)
        atol[k] =
            f->output.discrete[k] && f->description->simulation.event_mode
                ? INFINITY
                : (o ? o->atol : 1e-6) *
                      f->description->variable[f->output.signal[k].variable]
                          .nominal;
    const yk_part_spec spec = { .name = f->name,
                                .kind = "fmu",
                                .settings = s.count,
                                .key = s.key,
                                .value = s.value,
                                .m = f->input.count,
                                .p = f->output.count,
                                .rtol = o ? o->rtol : 1e-6,
                                .atol = atol,
                                .longest = yk_answers_longest_step(o),
                                .aside = f->answers.aside,
                                .unlike = &((fmu *)self)->answers.unlike,
                                .seconds = f->seconds,
                                .bytes = f->bytes,
                                .replay = f->replay,
                                .inside = f->inside ? engines : NULL,
                                .stop = o ? o->stop : NULL,
                                .stop_context = o ? o->stop_context : NULL };
    YK_GO(yk_part_create(out, &spec, err));
done:
    YK_FREE(s.key, s.value, atol);
    return status;
}

static double fmu_multiple(void *self, const yoke_stepper_options *options)
{
    const fmu *f = self;
    double step = 0.0;

    if (f->exchange || f->description->simulation.variable_step) return 0.0;
    return find_step(f, options, &step, NULL) == YOKE_OK ? step : 0.0;
}

/* One that stops at events stands anywhere behind them, unless its solver has
 * steps of its own. */
static double fmu_grain(void *self, const yoke_stepper_options *options)
{
    const fmu *f = self;
    const yk_fmu_kind *kind = &f->description->simulation;
    double step = 0.0;

    if (f->exchange ||
        (kind->event_mode && kind->variable_step && !(kind->fixed_step > 0.0)))
        return 0.0;
    return find_step(f, options, &step, NULL) == YOKE_OK ? step : 0.0;
}

static yoke_status fmu_create(void *self, const yoke_stepper_options *options,
                              yk_propagator *out, yoke_err *err)
{
    fmu *f = self;
    double step = 0.0;

    YK_TRY(find_step(f, options, &step, err));
    YK_TRY(yk_answers_run(&f->answers, options, out, err));
    f->controlled = !(step > 0.0);
    return YOKE_OK;
}

/* The archive was unpacked to another folder. */
static yoke_status fmu_again(void *self, const void *fresh, yoke_err *err)
{
    fmu *f = self;
    const fmu *other = fresh;
    char *folder = NULL;

    YK_TRY(yk_copy_text(&folder, other->folder, err));
    yk_free(f->folder);
    f->folder = folder;
    return YOKE_OK;
}

/* ---- messages ---------------------------------------------------------- */

static yoke_status fmu_answer(void *self, double t, const double *u, double h,
                              double *z, yoke_err *err)
{
    fmu *f = self;

    return yk_answers_differences(&f->answers, t, u, h, z, err);
}

static bool fmu_unlike(void *self)
{
    return ((const fmu *)self)->answers.unlike;
}

static void fmu_tell(void *self, char *cost, char *doubt, size_t room)
{
    const fmu *f = self;

    doubt[0] = '\0';
    yk_answers_cost(&f->answers, cost, room);
    if (f->answers.told.exchanges == 0) return;
    if (f->exchange) return;
    if (f->controlled)
        snprintf(doubt, room,
                 "%s is a co-simulation FMU: its communication steps are "
                 "tested, its own solver and what is over between two of "
                 "them are not",
                 f->name);
    else
        snprintf(doubt, room,
                 "the communication steps of %s have a fixed length: "
                 "neither their error nor that of its own solver was tested",
                 f->name);
}

/* ---- the subsystem ----------------------------------------------------- */

static yoke_status fmu_output(void *self, double t, const double *x,
                              const double *u, double *y, yoke_err *err)
{
    fmu *f = self;

    (void)x;
    return yk_answers_start(&f->answers, t, u, y, err);
}

static void fmu_free(void *self)
{
    fmu *f = self;

    if (!f) return;
    yk_fmu_description_free(f->description);
    yk_archive_remove(f->folder);
    for (int i = 0; i < f->starts; i++) YK_FREE(f->key[i], f->value[i]);
    YK_FREE(f->key, f->value);
    yk_answers_clear(&f->answers);
    YK_FREE(f->name, f);
}

static void fmu_aside(void *self, bool on)
{
    fmu *f = self;

    f->answers.aside = on;
}

static const yoke_help_ops help = { .aside = fmu_aside };

static const yoke_system_ops ops = { .kind = "FMU",
                                     .eval = yk_no_equations,
                                     .output = fmu_output,
                                     .free = fmu_free };

bool yk_fmu_made_of(const yoke_system *system, yk_fmu_made *out)
{
    const fmu *f = system->self;

    if (system->ops != &ops) return false;
    *out = (yk_fmu_made){ .description = f->description,
                          .input = &f->input,
                          .output = &f->output,
                          .exchange = f->exchange,
                          .replay = f->replay,
                          .seconds = f->seconds,
                          .bytes = f->bytes,
                          .settings = f->starts,
                          .key = f->key,
                          .value = f->value };
    return true;
}

/* What the structure says of each variable, or NULL. */
static yoke_status find_unknowns(const fmu *f, const yk_fmu_unknown ***out,
                                 yoke_err *err)
{
    const yk_fmu_description *d = f->description;

    YK_TRY(YK_NEW(out, d->variables + 1, err));
    for (int i = 0; i < d->outputs; i++)
        (*out)[d->output[i].variable] = &d->output[i];
    return YOKE_OK;
}

/* May the output depend on the input at once? */
static bool depends(const yk_fmu_unknown *output, int input)
{
    if (!output || !output->listed) return true;
    for (int k = 0; k < output->count; k++)
        if (output->known[k] == input) return true;
    return false;
}

static yoke_status make_system(fmu *f, yoke_system **out, yoke_err *err)
{
    const int m = f->input.count, p = f->output.count;
    int *start = NULL, *row = NULL, count = 0;
    const yk_fmu_unknown **unknown = NULL;
    const char **unit = NULL;
    yoke_status status;

    YK_GO(find_unknowns(f, &unknown, err));
    YK_GO(YK_NEW(&unit, p, err));
    for (int i = 0; i < p; i++)
        unit[i] = f->description->variable[f->output.signal[i].variable].unit;
    YK_GO(yk_ints(&start, (size_t)m + 1, err));
    YK_GO(yk_ints(&row, (size_t)m * (size_t)p + 1, err));
    for (int k = 0; k < m; k++) {
        for (int i = 0; i < p; i++)
            if (depends(unknown[f->output.signal[i].variable],
                        f->input.signal[k].variable))
                row[count++] = i;
        start[k + 1] = count;
    }
    const yoke_pattern feed = {
        .rows = p, .cols = m, .start = start, .row = row
    };
    f->closed = (yk_closed){ .create = fmu_create,
                             .answer = fmu_answer,
                             .multiple = fmu_multiple,
                             .grain = fmu_grain,
                             .tell = fmu_tell,
                             .unlike = fmu_unlike,
                             .again = fmu_again,
                             .self = f };
    const yoke_system_info info = { .m = m,
                                    .p = p,
                                    .flags = YOKE_TIMELESS |
                                             (f->inside ? 0u : YOKE_PARALLEL),
                                    .u_name = f->input.name,
                                    .y_name = f->output.name,
                                    .y_unit = unit,
                                    .Hu = &feed,
                                    .help = &help,
                                    .closed = &f->closed };
    status = yoke_system_create(out, f->name, &ops, f, &info, err);
    f = NULL; /* taken, also on failure */
done:
    YK_FREE(start, row, unknown, (void *)unit);
    fmu_free(f);
    return status;
}

/* ---- the file ---------------------------------------------------------- */

/* What the unit of a variable is, by the definition in the FMU, or by its name
 * where there is none.  False: nobody knows. */
static bool find_unit(const yk_fmu_description *d, const yk_fmu_variable *v,
                      yk_unit_zero *out)
{
    const yk_fmu_unit *u = yk_fmu_find_unit(d, v->unit);
    size_t at = 0;

    *out = (yk_unit_zero){ .offset = 0.0 };
    if (!v->unit) return false;
    if (!u || !u->known)
        return yk_unit_read(v->unit, &at, &out->scale, NULL) == YOKE_OK;
    if (u->factor == 0.0 || u->power[6] != 0) return false; /* cd */
    out->scale =
        (yk_unit_scale){ .factor = u->factor,
                         .power = { u->power[2], u->power[1], u->power[0],
                                    u->power[3], u->power[4], u->power[5] } };
    if (!v->relative) out->offset = u->offset;
    return true;
}

static bool is_item(const yk_fmu_variable *v, double number)
{
    int i = 0;

    while (i < v->items && v->item[i].value != number) i++;
    return v->items == 0 || i < v->items;
}

static yoke_status refuse_item(const yk_fmu_variable *v, const yk_file_value *e,
                               yoke_err *err)
{
    yk_fail(err, YOKE_E_ARG, "\"%s\" has no value %.100s; there %s", e->name,
            e->text, v->items > 1 ? "are" : "is");
    for (int i = 0; i < v->items; i++)
        yk_suffix(err, "%s %.100s (%.17g)", i > 0 ? "," : "", v->item[i].name,
                  v->item[i].value);
    return yk_file_place_entry(e, 0, YOKE_E_ARG, err);
}

/* 2 m for a variable in mm is 2000; a text, or a truth, is itself. */
static yoke_status read_value(const yk_fmu_description *d,
                              const yk_fmu_variable *v, const yk_file_value *e,
                              char **out, yoke_err *err)
{
    yk_unit_zero is;
    const bool known = find_unit(d, v, &is);
    char text[64];
    double number = 0.0;
    size_t at = 0;

    for (int i = 0; i < v->items; i++)
        if (strcmp(v->item[i].name, e->text) == 0) {
            snprintf(text, sizeof text, "%.17g", v->item[i].value);
            return yk_copy_text(out, text, err);
        }
    if (v->type == YK_FMU_STRING || v->type == YK_FMU_BOOLEAN || v->array)
        return yk_copy_text(out, e->text, err);
    const yoke_status status =
        yk_quantity_read_as(e->text, known ? &is : NULL, &number, &at, err);
    if (status != YOKE_OK && v->unit)
        yk_suffix(err, " (the FMU declares \"%.100s\" in %.40s)", v->name,
                  v->unit);
    if (status != YOKE_OK) return yk_file_place_entry(e, at, status, err);
    if (!is_item(v, number)) return refuse_item(v, e, err);
    if (!yk_fmu_fits(v->type, number)) {
        yk_fail(err, YOKE_E_ARG, "%s = %.100s is not a value of type %s",
                e->name, e->text, yk_fmu_type_name(v->type));
        return yk_file_place_entry(e, 0, YOKE_E_ARG, err);
    }
    snprintf(text, sizeof text, "%.17g", number);
    return yk_copy_text(out, text, err);
}

static yoke_status refuse_parameter(const fmu *f, const yk_file_value *e,
                                    yoke_err *err)
{
    const yk_fmu_description *d = f->description;
    const char **name = NULL;
    int count = 0;

    yk_fail(err, YOKE_E_ARG, "the FMU has no parameter \"%s\"", e->name);
    if (YK_NEW(&name, d->variables + 1, NULL) == YOKE_OK) {
        for (int i = 0; i < d->variables; i++)
            if (d->variable[i].causality == YK_FMU_PARAMETER ||
                d->variable[i].initial != YK_FMU_CALCULATE)
                name[count++] = d->variable[i].name;
        yk_file_suggest(err, e->name, count, name);
    }
    yk_free(name);
    return yk_file_place_entry(e, 0, YOKE_E_ARG, err);
}

/* Sizes of arrays are those of the description. */
static yoke_status refuse_structural(const yk_file_value *e, yoke_err *err)
{
    yk_fail(err, YOKE_E_ARG,
            "\"%s\" is a structural parameter; it keeps the value of the FMU",
            e->name);
    return yk_file_place_entry(e, 0, YOKE_E_ARG, err);
}

static yoke_status refuse_computed(const yk_file_value *e, yoke_err *err)
{
    yk_fail(err, YOKE_E_ARG,
            "the FMU computes \"%s\" by itself: it is neither a parameter nor "
            "has it a start value that may be set",
            e->name);
    return yk_file_place_entry(e, 0, YOKE_E_ARG, err);
}

/* Parameters, and start values that may be set. */
static yoke_status read_parameters(fmu *f, const yk_entries *entries,
                                   yoke_err *err)
{
    for (int i = 0; i < entries->count; i++) {
        const yk_file_value *e = &entries->entry[i];
        const int v = yk_fmu_find(f->description, e->name);

        if (v < 0) return refuse_parameter(f, e, err);
        if (f->description->variable[v].causality == YK_FMU_STRUCTURAL)
            return refuse_structural(e, err);
        if (!yk_fmu_may_set(&f->description->variable[v]))
            return refuse_computed(e, err);
        const int k = f->starts++;
        YK_TRY(yk_print(&f->key[k], err, "start:%s", e->name));
        YK_TRY(read_value(f->description, &f->description->variable[v], e,
                          &f->value[k], err));
    }
    return YOKE_OK;
}

static yoke_status read_kind(const yk_reader *r, const yk_yaml *node, fmu *f,
                             yoke_err *err)
{
    const yk_yaml *kind = yk_yaml_find(node, "kind");
    const yk_fmu_description *d = f->description;
    const char *text = d->simulation.present ? "cs" : "me";

    if (kind) YK_TRY(yk_file_text(r, kind, &text, err));
    if (strcmp(text, "cs") != 0 && strcmp(text, "me") != 0)
        return yk_file_fail(r, kind, err,
                            "kind: \"%.50s\" is neither cs (co-simulation) "
                            "nor me (model exchange)",
                            text);
    f->exchange = strcmp(text, "me") == 0;
    const yk_fmu_kind *use = f->exchange ? &d->exchange : &d->simulation;
    if (!use->present)
        return yk_file_fail(r, kind, err, "the FMU is for %s only",
                            f->exchange ? "co-simulation" : "model exchange");
    if (use->tool)
        return yk_file_fail(r, node, err,
                            "the FMU needs the program it comes from to run "
                            "(needsExecutionTool); export it without");
    return YOKE_OK;
}

static yoke_status read_limits(const yk_reader *r, const yk_yaml *node, fmu *f,
                               yoke_err *err)
{
    const yk_yaml *isolate = yk_yaml_find(node, "isolate");
    const char *how = "process";
    yk_closed_limits limits;

    YK_TRY(yk_closed_read_limits(r, node, &limits, err));
    f->seconds = limits.seconds;
    f->bytes = limits.bytes;
    f->replay = limits.replay;
    if (isolate) YK_TRY(yk_file_text(r, isolate, &how, err));
    f->inside = strcmp(how, "none") == 0;
    if (!f->inside && strcmp(how, "process") != 0)
        return yk_file_fail(r, isolate, err,
                            "isolate: \"%.50s\" is neither process nor none",
                            how);
    return YOKE_OK;
}

static yoke_status describe(fmu *f, const char *path, yoke_err *err)
{
    return yk_fmu_unpack(&f->folder, &f->description, path, err);
}

/* The variables of a list, or all of this causality. */
static yoke_status read_signals(const yk_reader *r, const yk_yaml *list,
                                yk_fmu_causality causality, const fmu *f,
                                yk_fmu_signals *out, yoke_err *err)
{
    const yk_yaml **item = NULL;
    const char **name = NULL;
    int count = 0, bad = -1;

    if (!list) return yk_fmu_list(f->description, causality, out, err);
    YK_TRY(yk_file_texts(r, list, &item, &count, err));
    yoke_status status = YK_NEW(&name, count + 1, err);
    for (int i = 0; status == YOKE_OK && i < count; i++)
        name[i] = item[i]->text;
    if (status == YOKE_OK)
        status = yk_fmu_choose(f->description, count, name, out, &bad, err);
    if (bad >= 0)
        status = yk_file_fail(r, item[bad], err,
                              "the FMU has no variable \"%.200s\" with numbers",
                              item[bad]->text);
    YK_FREE(name, item);
    return status;
}

/* How many signals from i on are all elements of one variable; 0: signal i is an
 * element alone. */
static int whole_variable(const fmu *f, const yk_fmu_signals *list, int i)
{
    const int v = list->signal[i].variable;
    const int count = f->description->variable[v].count;

    for (int k = 0; k < count; k++)
        if (i + k >= list->count || list->signal[i + k].variable != v ||
            list->signal[i + k].element != k)
            return 0;
    return count;
}

/* Named to the worker: whole variables, or elements. */
static yoke_status name_signals(fmu *f, const char *mark,
                                const yk_fmu_signals *list, yoke_err *err)
{
    for (int i = 0, n = 0; i<list->count; i += n> 0 ? n : 1) {
        n = whole_variable(f, list, i);
        const char *name =
            n > 0 ? f->description->variable[list->signal[i].variable].name
                  : list->name[i];
        const int k = f->starts++;

        YK_TRY(yk_print(&f->key[k], err, "%s%s", mark, name));
        YK_TRY(yk_copy_text(&f->value[k], "", err));
    }
    return YOKE_OK;
}

static yoke_status read_ports(const yk_reader *r, const yk_yaml *node, fmu *f,
                              const yk_entries *parameters, yoke_err *err)
{
    YK_TRY(read_signals(r, yk_yaml_find(node, "inputs"), YK_FMU_INPUT, f,
                        &f->input, err));
    YK_TRY(read_signals(r, yk_yaml_find(node, "outputs"), YK_FMU_OUTPUT, f,
                        &f->output, err));
    YK_TRY(
        yk_fmu_add_rates(f->description, &r->rates, f->name, &f->output, err));
    const int most = parameters->count + f->input.count + f->output.count;
    YK_TRY(YK_NEW(&f->key, most + 1, err));
    YK_TRY(YK_NEW(&f->value, most + 1, err));
    YK_TRY(name_signals(f, "in:", &f->input, err));
    YK_TRY(name_signals(f, "out:", &f->output, err));
    f->answers.name = f->name;
    f->answers.open = open_part;
    f->answers.self = f;
    YK_TRY(
        yk_answers_create(&f->answers, f->input.count, f->output.count, err));
    for (int k = 0; k < f->input.count; k++)
        f->answers.nominal[k] =
            f->description->variable[f->input.signal[k].variable].nominal;
    return YOKE_OK;
}

static yoke_status tell_units(yk_reader *r, const char *name, const fmu *f,
                              const yk_fmu_signals *list, yoke_err *err)
{
    for (int i = 0; i < list->count; i++) {
        const yk_fmu_variable *v =
            &f->description->variable[list->signal[i].variable];

        yk_unit_zero is;
        const bool known = find_unit(f->description, v, &is);

        if (v->unit &&
            (list->signal[i].element == 0 || i == 0 ||
             list->signal[i - 1].variable != list->signal[i].variable))
            YK_TRY(yk_file_port_scale(r->file, name, v->name, v->unit,
                                      known ? &is : NULL, err));
    }
    return YOKE_OK;
}

static bool has_scalar(const yk_fmu_signals *list, int variable)
{
    for (int i = 0; i < list->count; i++)
        if (list->signal[i].variable == variable) return true;
    return false;
}

/* Ports: a potential and a flow, of which one is an input and one an output. */
static yoke_status tell_terminals(yk_reader *r, const char *name, const fmu *f,
                                  yoke_err *err)
{
    const yk_fmu_description *d = f->description;

    for (int i = 0; i < d->terminals; i++) {
        const yk_fmu_terminal *t = &d->terminal[i];
        const yk_fmu_variable *potential = &d->variable[t->potential];
        const yk_fmu_variable *flow = &d->variable[t->flow];
        const bool gives = has_scalar(&f->output, t->potential) &&
                           has_scalar(&f->input, t->flow);
        const bool driven = has_scalar(&f->input, t->potential) &&
                            has_scalar(&f->output, t->flow);

        if ((gives || driven) && !potential->array && !flow->array)
            YK_TRY(yk_file_add_terminal(r->file, name, t->name, potential->name,
                                        flow->name, driven, t->sign, err));
    }
    return YOKE_OK;
}

/* Of all that keep such a start, the first is named. */
static yoke_status tell_starts(yk_reader *r, const char *name, const fmu *f,
                               yoke_err *err)
{
    const yk_fmu_description *d = f->description;
    const yk_fmu_variable *first = NULL;
    char more[64] = "";
    int count = 0;

    for (int i = d->variables - 1; i >= 0; i--) {
        if (!d->variable[i].outside) continue;
        first = &d->variable[i];
        count++;
    }
    if (count == 0) return YOKE_OK;
    if (count > 1)
        snprintf(more, sizeof more, ", and so are %d others", count - 1);
    return yk_file_report(
        r->file, err,
        "%s: the start %.40s of \"%.100s\" is outside its min %g and max %g "
        "(%s:%d)%s",
        name, first->start, first->name, first->least, first->most, d->path,
        first->line, more);
}

static yoke_status read_all(yk_reader *r, const yk_yaml *node,
                            const yk_yaml *given, const char *path,
                            const yk_entries *parameters, fmu *f, yoke_err *err)
{
    YK_TRY(yk_copy_text(&f->name, node->key, err));
    YK_TRY(yk_file_place(r, given, 0, describe(f, path, err), err));
    YK_TRY(read_kind(r, node, f, err));
    YK_TRY(read_limits(r, node, f, err));
    YK_TRY(read_ports(r, node, f, parameters, err));
    YK_TRY(read_parameters(f, parameters, err));
    YK_TRY(tell_units(r, node->key, f, &f->input, err));
    YK_TRY(tell_units(r, node->key, f, &f->output, err));
    YK_TRY(tell_terminals(r, node->key, f, err));
    YK_TRY(yk_file_report(
        r->file, err, "%s: FMU %s, FMI %d.0 %s: %d inputs, %d outputs",
        node->key, f->description->model, f->description->version,
        f->exchange ? "model exchange" : "co-simulation", f->input.count,
        f->output.count));
    YK_TRY(tell_starts(r, node->key, f, err));
    YK_TRY(yk_facts_part(&r->file->facts, node->key, "fmu", path, NULL,
                         parameters, err));
    r->file->facts.part[r->file->facts.parts - 1].rates =
        yk_fmu_has_rates(f->description, &f->output);
    return YOKE_OK;
}

static yoke_status read_fmu(yk_reader *r, const yk_yaml *node,
                            const yk_yaml *given, yk_entries *parameters,
                            yoke_system **out, yoke_err *err)
{
    const char *name = NULL;
    char *path = NULL;
    fmu *f = NULL;

    YK_TRY(yk_file_text(r, given, &name, err));
    YK_TRY(yk_file_input(r, &path, name, err));
    yoke_status status = YK_NEW(&f, 1, err);
    if (status == YOKE_OK)
        status = read_all(r, node, given, path, parameters, f, err);
    yk_free(path);
    if (status != YOKE_OK) {
        fmu_free(f);
        return status;
    }
    return make_system(f, out, err);
}

/* ---- an FMU alone ------------------------------------------------------ */

static bool is_fmu(const char *path)
{
    const size_t length = strlen(path);

    return length > 4 && strcmp(path + length - 4, ".fmu") == 0;
}

/* Inputs keep their start values. */
static yoke_status wrap_fmu(yk_wrapped *out, const char *path,
                            const yoke_file_options *options, yoke_err *err)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    char name[64], stop[64] = "", rtol[64] = "";
    fmu *f = NULL;

    (void)options;
    YK_TRY(YK_NEW(&f, 1, err));
    yoke_status status = describe(f, path, err);
    if (status == YOKE_OK) {
        const yk_fmu_description *d = f->description;

        yk_wrapped_name(d->model, name);
        if (isfinite(d->stop)) snprintf(stop, sizeof stop, "%.17g", d->stop);
        if (d->tolerance > 0.0)
            snprintf(rtol, sizeof rtol, ", rtol: %.17g", d->tolerance);
        status =
            yk_print(&out->text, err,
                     "yoke: 1\nsubsystems:\n  %s: {fmu: \"%s\", inputs: []}\n"
                     "run: {stop: %s%s}\n",
                     name, file, stop[0] ? stop : "1", rtol);
    }
    fmu_free(f);
    return status;
}

static const yk_key keys[] = {
    { "kind", YK_KEY_TEXT, false, NULL,
      "cs (co-simulation) or me (model exchange); cs if the FMU has it" },
    { "inputs", YK_KEY_NAMES, false, NULL,
      "variables that are inputs; all of the FMU if left out, the others keep "
      "their start values" },
    { "outputs", YK_KEY_NAMES, false, NULL,
      "variables that are outputs, of any kind; the outputs of the FMU if left "
      "out" },
    { "time_limit", YK_KEY_NUMBER, false, "s",
      "for one exchange with the part; 600 s if left out" },
    { "memory_limit", YK_KEY_NUMBER, false, "1",
      "of the part, in megabytes; 8000 if left out" },
    { "replay", YK_KEY_TEXT, false, NULL,
      "true: it goes back in time by running again from the start" },
    { "isolate", YK_KEY_TEXT, false, NULL,
      "process (its own, if left out) or none: it runs in that of yoke, "
      "without "
      "limits" },
    { NULL, YK_KEY_TEXT, false, NULL, NULL },
};

const yk_component yk_component_fmu = {
    .source = "fmu",
    .foreign = true,
    .text = "an FMU (FMI 2.0 or 3.0) in a process of its own",
    .key = keys,
    .read = read_fmu,
    .is_whole = is_fmu,
    .wrap = wrap_fmu,
};
