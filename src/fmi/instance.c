/* fmi/instance.c -- one instance: parameters, the run, inputs, outputs. */
#define _POSIX_C_SOURCE 200809L
#include "fmi/instance.h"

#include "file/reader.h"
#include "fmi/guest.h"
#include "yoke/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PATH = 4096, ORDER = 3, NUMBER = 32 };

/* How far from where it was found an event may happen, in units of tiny_of:
 * errors of the tolerance move it. */
enum { NEAR = 100000 };

/* All that a state consists of; in the heap of the instance. */
typedef struct state {
    yoke_file *file;
    yoke_run *run; /* NULL: not yet, or values have changed since */
    int *column;   /* of each variable that is shown: in the run */
    double *parameter;
    double *input;    /* value and derivatives of each */
    double *sample;   /* values of each during a step */
    bool *is_set;     /* value, since the last step */
    bool *is_sloped;  /* derivatives, since the last step */
    bool *is_changed; /* parameter is not as in the file */
    double start, stop, tolerance;
    double t, span;
    double told;    /* the time reached, as the host knows it: before t where an
                       event was passed over */
    double after;   /* events after that time are looked for, */
    double event;   /* and this is the first; INFINITY: none */
    double pending; /* the one that the host knows of and that is not passed
                       over yet; INFINITY: none */
    double *slope;  /* of all variables of the run; NULL: not asked for */
    bool initialising, running, stepped;
} state;

struct yk_fmi {
    yk_heap *heap;
    yk_fmi_interface interface;
    char folder[PATH];
};

static state *state_of(const yk_fmi *f)
{
    return yk_heap_root(f->heap);
}

/* ---- life --------------------------------------------------------------- */

static yoke_status make_state(yk_fmi *f, yoke_err *err)
{
    const yk_fmi_interface *i = &f->interface;
    state *s = NULL;

    YK_TRY(YK_NEW(&s, 1, err));
    yk_heap_set_root(f->heap, s);
    YK_TRY(yk_ints(&s->column, (size_t)i->shown, err));
    YK_TRY(yk_doubles(&s->parameter, (size_t)i->parameters, err));
    YK_TRY(YK_NEW(&s->is_changed, i->parameters, err));
    YK_TRY(yk_doubles(&s->input, (size_t)i->inputs * (ORDER + 1), err));
    YK_TRY(yk_doubles(&s->sample, (size_t)i->inputs * YK_FMI_SAMPLES, err));
    YK_TRY(YK_NEW(&s->is_set, i->inputs, err));
    YK_TRY(YK_NEW(&s->is_sloped, i->inputs, err));
    for (int k = 0; k < i->variables; k++) {
        const yk_fmi_variable *v = &i->variable[k];
        if (v->kind == YK_FMI_PARAMETER) s->parameter[v->number] = v->start;
        if (v->kind == YK_FMI_INPUT)
            s->input[v->number * (ORDER + 1)] = v->start;
    }
    s->start = s->t = s->told = i->start;
    s->stop = i->stop;
    s->event = s->pending = INFINITY;
    return YOKE_OK;
}

/* A heap with nothing but an empty state. */
static yoke_status begin_heap(yk_fmi *f, yoke_err *err)
{
    yk_fmi_guest guest;

    f->heap = yk_heap_create();
    if (!f->heap) return yk_fail(err, YOKE_E_MEMORY, "out of memory");
    yk_fmi_guest_enter(&guest, f->heap);
    const yoke_status status = make_state(f, err);
    yk_fmi_guest_leave(&guest);
    return status;
}

static yoke_status read_interface(yk_fmi *f, yoke_err *err)
{
    char path[PATH + 20];
    char *text = NULL;
    size_t length = 0;

    snprintf(path, sizeof path, "%s/%s", f->folder, YK_FMI_FILE);
    YK_TRY(yk_file_bytes(&text, &length, path, err));
    return yk_fmi_read_interface(&f->interface, text, path, err);
}

void yk_fmi_free(yk_fmi *f)
{
    if (!f) return;
    yk_heap_free(f->heap);
    yk_fmi_clear_interface(&f->interface);
    yk_free(f);
}

yoke_status yk_fmi_create(yk_fmi **out, const char *folder, const char *token,
                          yoke_err *err)
{
    yk_fmi_guest guest;
    yk_fmi *f = NULL;
    yoke_status status = YOKE_OK;

    yk_fmi_guest_enter(&guest, NULL);
    YK_GO(YK_NEW(&f, 1, err));
    if (strlen(folder) >= sizeof f->folder)
        YK_GO(yk_fail(err, YOKE_E_ARG,
                      "the path of the resources is too "
                      "long: %.200s",
                      folder));
    strcpy(f->folder, folder);
    YK_GO(read_interface(f, err));
    if (strcmp(token, f->interface.token) != 0)
        YK_GO(yk_fail(err, YOKE_E_ARG,
                      "the token \"%.80s\" is not that of this FMU, \"%.80s\"",
                      token, f->interface.token));
    YK_GO(begin_heap(f, err));
    *out = f;
    f = NULL;
done:
    yk_fmi_free(f);
    yk_fmi_guest_leave(&guest);
    return status;
}

yoke_status yk_fmi_reset(yk_fmi *f, yoke_err *err)
{
    yk_heap *old = f->heap;
    const yoke_status status = begin_heap(f, err);

    if (status == YOKE_OK) {
        yk_heap_free(old);
        return status;
    }
    yk_heap_free(f->heap);
    f->heap = old;
    return status;
}

/* ---- the run ------------------------------------------------------------ */

static void drop_run(state *s)
{
    yoke_run_close(s->run, NULL);
    yk_free(s->slope);
    s->run = NULL;
    s->slope = NULL;
}

/* Everything that was read belongs to the FMU. */
static yoke_status check_sources(const yk_fmi *f, const yoke_file *file,
                                 yoke_err *err)
{
    const char *path = NULL;

    for (int i = 0; (path = yoke_file_source_at(file, i)); i++)
        if (strncmp(path, f->folder, strlen(f->folder)) != 0)
            return yk_fail(err, YOKE_E_FILE,
                           "the system reads %.300s, which is not part of the "
                           "FMU; name it relative to the system file",
                           path);
    return YOKE_OK;
}

/* The file with the parameters as they are. */
static yoke_status read_file(yk_fmi *f, state *s, yoke_err *err)
{
    const yk_fmi_interface *i = &f->interface;
    yoke_status status = YOKE_OK;
    yoke_setting *set = NULL;
    char(*number)[NUMBER] = NULL;
    char path[2 * PATH];
    int count = 0;

    YK_GO(YK_NEW(&set, i->settings + i->parameters + 1, err));
    YK_GO(YK_NEW(&number, i->parameters + 1, err));
    for (int k = 0; k < i->settings; k++)
        set[count++] =
            (yoke_setting){ i->setting[k].name, i->setting[k].value };
    for (int k = 0; k < i->variables; k++) {
        const yk_fmi_variable *v = &i->variable[k];
        if (v->kind != YK_FMI_PARAMETER || !s->is_changed[v->number]) continue;
        snprintf(number[v->number], NUMBER, "%.17g", s->parameter[v->number]);
        set[count++] = (yoke_setting){ v->name, number[v->number] };
    }
    const yoke_file_options options = { .settings = count, .setting = set };
    snprintf(path, sizeof path, "%s/%s", f->folder, i->system);
    YK_GO(yoke_file_read(&s->file, path, &options, err));
    YK_GO(check_sources(f, s->file, err));
done:
    YK_FREE(set, number);
    return status;
}

static yoke_status make_options(const yk_fmi *f, state *s, yoke_run_options *o,
                                yoke_err *err)
{
    const yk_fmi_interface *i = &f->interface;

    *o = *yoke_file_run_options(s->file);
    for (int k = 0; k < i->options; k++)
        YK_TRY(yoke_run_set(o, i->option[k].name, i->option[k].value, err));
    if (s->tolerance > 0.0) {
        o->iterate.atol *= s->tolerance / o->iterate.rtol;
        o->iterate.rtol = s->tolerance;
    }
    s->span = isfinite(s->stop) ? s->stop - s->start : i->stop - i->start;
    o->start = s->start;
    o->stop = s->start + s->span;
    o->output = o->tasks = "";
    o->iterates = false;
    return YOKE_OK;
}

static yoke_status find_columns(const yk_fmi *f, state *s, yoke_err *err)
{
    const yk_fmi_interface *i = &f->interface;
    const char *const *name = NULL;
    const int count = yoke_run_variables(s->run, &name, NULL);
    int at = 0; /* they come in the order of the run */

    for (int k = 0; k < i->variables; k++) {
        const yk_fmi_variable *v = &i->variable[k];
        if (v->kind < YK_FMI_OUTPUT) continue;
        int tries = 0;
        while (tries < count && strcmp(name[at % count], v->name) != 0)
            tries++, at++;
        if (tries == count)
            return yk_fail(err, YOKE_E_MODEL,
                           "with these parameters the system has no variable "
                           "\"%.200s\"",
                           v->name);
        s->column[v->number] = at++ % count;
    }
    return YOKE_OK;
}

/* Inputs as they are set, from t on. */
static yoke_status give_inputs(state *s, int inputs, double t, yoke_err *err)
{
    for (int k = 0; k < inputs; k++) {
        double *c = s->input + k * (ORDER + 1);
        if (!s->is_set[k] && !s->is_sloped[k]) continue;
        for (int j = 1; j <= ORDER && !s->is_sloped[k]; j++) c[j] = 0.0;
        YK_TRY(yoke_file_set_input(s->file, k, t, ORDER + 1, c, err));
    }
    return YOKE_OK;
}

/* An accepted window: was there an event? */
static bool on_window(void *context, double t, const yoke_iterate_result *done)
{
    state *s = context;

    (void)t, (void)done;
    if (s->run) s->event = fmin(s->event, yoke_run_instant(s->run, s->after));
    return false;
}

/* The run at its start, with the values that are set. */
static yoke_status make_run(yk_fmi *f, state *s, yoke_err *err)
{
    yoke_run_options options;
    const yoke_watcher watcher = { .window = on_window, .context = s };

    if (s->run) return YOKE_OK;
    if (!s->file) YK_TRY(read_file(f, s, err));
    YK_TRY(make_options(f, s, &options, err));
    yoke_file_rewind_inputs(s->file, s->start);
    for (int k = 0; k < f->interface.inputs; k++) s->is_set[k] = true;
    YK_TRY(give_inputs(s, f->interface.inputs, s->start, err));
    YK_TRY(yoke_run_create(&s->run, yoke_file_model(s->file), &options,
                           &watcher, err));
    s->t = s->told = s->start;
    s->stepped = false;
    return find_columns(f, s, err);
}

/* ---- initialisation ----------------------------------------------------- */

yoke_status yk_fmi_setup(yk_fmi *f, double start, double stop, double tolerance,
                         yoke_err *err)
{
    state *s = state_of(f);

    if (!isfinite(start) || isnan(stop) || !(stop > start))
        return yk_fail(err, YOKE_E_ARG, "the run from %g to %g has no length",
                       start, stop);
    if (tolerance != 0.0 && !(tolerance >= 1e-14 && tolerance <= 1.0))
        return yk_fail(err, YOKE_E_ARG,
                       "the tolerance %g is not between 1e-14 and 1",
                       tolerance);
    s->start = s->t = s->told = start;
    s->stop = stop;
    s->tolerance = tolerance;
    return YOKE_OK;
}

yoke_status yk_fmi_enter(yk_fmi *f, yoke_err *err)
{
    state *s = state_of(f);

    if (s->initialising || s->running)
        return yk_fail(err, YOKE_E_ARG, "the FMU is initialised already");
    s->initialising = true;
    return YOKE_OK;
}

static yoke_status inside(yk_fmi *f,
                          yoke_status (*work)(yk_fmi *f, state *s,
                                              yoke_err *err),
                          yoke_err *err)
{
    yk_fmi_guest guest;

    yk_fmi_guest_enter(&guest, f->heap);
    const yoke_status status = work(f, state_of(f), err);
    yk_fmi_guest_leave(&guest);
    return status;
}

yoke_status yk_fmi_leave(yk_fmi *f, yoke_err *err)
{
    state *s = state_of(f);

    if (!s->initialising)
        return yk_fail(err, YOKE_E_ARG, "initialisation has not been started");
    YK_TRY(inside(f, make_run, err));
    s->initialising = false;
    s->running = true;
    for (int k = 0; k < f->interface.inputs; k++)
        s->is_set[k] = s->is_sloped[k] = false;
    return YOKE_OK;
}

/* ---- values ------------------------------------------------------------- */

static yoke_status find(const yk_fmi *f, unsigned reference,
                        const yk_fmi_variable **out, yoke_err *err)
{
    if (reference >= (unsigned)f->interface.variables)
        return yk_fail(err, YOKE_E_ARG, "there is no variable %u", reference);
    *out = &f->interface.variable[reference];
    return YOKE_OK;
}

/* Outputs depend on inputs and parameters while it is being initialised. */
static yoke_status get_shown(yk_fmi *f, const yk_fmi_variable *v, double *out,
                             yoke_err *err)
{
    state *s = state_of(f);
    const double *value = NULL;

    if (!s->initialising && !s->running) {
        *out = v->start;
        return YOKE_OK;
    }
    if (!s->run) YK_TRY(inside(f, make_run, err));
    yoke_run_variables(s->run, NULL, &value);
    *out = value[s->column[v->number]];
    return YOKE_OK;
}

yoke_status yk_fmi_get(yk_fmi *f, size_t count, const unsigned *reference,
                       double *value, yoke_err *err)
{
    const state *s = state_of(f);
    const yk_fmi_variable *v = NULL;

    for (size_t i = 0; i < count; i++) {
        YK_TRY(find(f, reference[i], &v, err));
        if (v->kind == YK_FMI_TIME)
            value[i] = s->told;
        else if (v->kind == YK_FMI_PARAMETER)
            value[i] = s->parameter[v->number];
        else if (v->kind == YK_FMI_INPUT)
            value[i] = s->input[v->number * (ORDER + 1)];
        else
            YK_TRY(get_shown(f, v, &value[i], err));
    }
    return YOKE_OK;
}

static yoke_status forget_run(yk_fmi *f, state *s, yoke_err *err)
{
    (void)f, (void)err;
    drop_run(s);
    return YOKE_OK;
}

static yoke_status forget_file(yk_fmi *f, state *s, yoke_err *err)
{
    (void)f, (void)err;
    drop_run(s);
    yoke_file_free(s->file);
    s->file = NULL;
    return YOKE_OK;
}

static yoke_status set_one(yk_fmi *f, const yk_fmi_variable *v, double value,
                           yoke_err *err)
{
    state *s = state_of(f);

    if (!isfinite(value))
        return yk_fail(err, YOKE_E_ARG, "\"%.200s\" = %g is not finite",
                       v->name, value);
    if (v->kind == YK_FMI_INPUT) {
        s->input[v->number * (ORDER + 1)] = value;
        s->is_set[v->number] = true;
        return s->running ? YOKE_OK : inside(f, forget_run, err);
    }
    if (v->kind != YK_FMI_PARAMETER)
        return yk_fail(
            err, YOKE_E_ARG,
            "\"%.200s\" is neither an input nor a parameter: it cannot be "
            "set",
            v->name);
    if (s->running)
        return yk_fail(err, YOKE_E_ARG,
                       "the parameter \"%.200s\" is fixed: it can be set "
                       "before the run only",
                       v->name);
    if (s->parameter[v->number] == value) return YOKE_OK;
    s->parameter[v->number] = value;
    s->is_changed[v->number] = value != v->start;
    return inside(f, forget_file, err);
}

yoke_status yk_fmi_set(yk_fmi *f, size_t count, const unsigned *reference,
                       const double *value, yoke_err *err)
{
    const yk_fmi_variable *v = NULL;

    for (size_t i = 0; i < count; i++) {
        YK_TRY(find(f, reference[i], &v, err));
        YK_TRY(set_one(f, v, value[i], err));
    }
    return YOKE_OK;
}

/* The cubic through four values at equal distances, z = 3 s / h:
 * y0 + z d1 + z (z - 1) d2 / 2 + z (z - 1) (z - 2) d3 / 6. */
static void fit_cubic(double *c, const double y[YK_FMI_SAMPLES], double h)
{
    const double d1 = y[1] - y[0], d2 = y[2] - 2.0 * y[1] + y[0];
    const double d3 = y[3] - 3.0 * y[2] + 3.0 * y[1] - y[0];
    const double w = 3.0 / h;

    c[0] = y[0];
    c[1] = w * (d1 - d2 / 2.0 + d3 / 3.0);
    c[2] = w * w * (d2 - d3);
    c[3] = w * w * w * d3;
}

yoke_status yk_fmi_sample(yk_fmi *f, int k, double h, yoke_err *err)
{
    state *s = state_of(f);

    (void)err;
    for (int i = 0; i < f->interface.inputs; i++) {
        double *y = s->sample + i * YK_FMI_SAMPLES;
        y[k] = s->input[i * (ORDER + 1)];
        if (k + 1 < YK_FMI_SAMPLES || !s->is_set[i]) continue;
        fit_cubic(s->input + i * (ORDER + 1), y, h);
        s->is_sloped[i] = true;
    }
    return YOKE_OK;
}

yoke_status yk_fmi_set_slopes(yk_fmi *f, size_t count,
                              const unsigned *reference, const int *order,
                              const double *value, yoke_err *err)
{
    state *s = state_of(f);
    const yk_fmi_variable *v = NULL;

    for (size_t i = 0; i < count; i++) {
        YK_TRY(find(f, reference[i], &v, err));
        double *c = s->input + v->number * (ORDER + 1);
        if (v->kind != YK_FMI_INPUT)
            return yk_fail(err, YOKE_E_ARG, "\"%.200s\" is not an input",
                           v->name);
        if (order[i] < 1 || order[i] > ORDER || !isfinite(value[i]))
            return yk_fail(err, YOKE_E_ARG,
                           "derivative %d of \"%.200s\" = %g: orders 1 to %d "
                           "are taken",
                           order[i], v->name, value[i], ORDER);
        for (int j = 1; j <= ORDER && !s->is_sloped[v->number]; j++) c[j] = 0.0;
        s->is_sloped[v->number] = true;
        c[order[i]] = value[i];
    }
    return YOKE_OK;
}

static yoke_status find_slopes(yk_fmi *f, state *s, yoke_err *err)
{
    (void)f;
    if (!s->slope)
        YK_TRY(yk_doubles(&s->slope,
                          (size_t)yoke_run_variables(s->run, NULL, NULL) + 1,
                          err));
    yoke_run_slopes(s->run, s->slope);
    return YOKE_OK;
}

yoke_status yk_fmi_get_slopes(yk_fmi *f, size_t count,
                              const unsigned *reference, const int *order,
                              double *value, yoke_err *err)
{
    const state *s = state_of(f);
    const yk_fmi_variable *v = NULL;

    if (!s->stepped)
        return yk_fail(err, YOKE_E_ARG,
                       "derivatives of outputs are known after a step");
    YK_TRY(inside(f, find_slopes, err));
    for (size_t i = 0; i < count; i++) {
        YK_TRY(find(f, reference[i], &v, err));
        if (v->kind < YK_FMI_OUTPUT || order[i] != 1)
            return yk_fail(err, YOKE_E_ARG,
                           "derivative %d of \"%.200s\": first derivatives of "
                           "outputs are known",
                           order[i], v->name);
        value[i] = s->slope[s->column[v->number]];
    }
    return YOKE_OK;
}

/* ---- steps -------------------------------------------------------------- */

/* Times nearer to an event than this are at it: far below what tolerances see,
 * far above rounding. */
static double tiny_of(const state *s)
{
    return 1e-11 * s->span + 1e-15 * fabs(s->t);
}

/* The value of an input that nobody set follows its derivatives. */
static void follow_inputs(state *s, int inputs, double h)
{
    for (int k = 0; k < inputs; k++) {
        double *c = s->input + k * (ORDER + 1);
        c[0] += h * (c[1] + 0.5 * h * (c[2] + h / 3.0 * c[3]));
        c[1] += h * (c[2] + 0.5 * h * c[3]);
        c[2] += h * c[3];
    }
}

/* Not part of its caller, which computes with the arithmetic of the host. */
__attribute__((noinline)) static yoke_status step(yk_fmi *f, state *s, double t,
                                                  double h, yoke_err *err)
{
    const double begin = s->t, end = t + h;

    s->event = INFINITY;
    s->after = begin + tiny_of(s);
    s->told = end;
    if (end <= begin) return YOKE_OK; /* an event was passed over */
    if (end >= s->start + s->span - 1e-9 * s->span) {
        s->span += fmax(s->span, end - s->start);
        yoke_run_prolong(s->run, s->start + s->span);
    }
    YK_TRY(give_inputs(s, f->interface.inputs, s->t, err));
    for (int k = 0; k < f->interface.inputs; k++)
        s->is_set[k] = s->is_sloped[k] = false;
    const yoke_status status = yoke_run_advance(s->run, end, err);
    s->t = s->told = yoke_run_time(s->run);
    s->stepped = true;
    if (status == YOKE_OK) follow_inputs(s, f->interface.inputs, s->t - begin);
    return status;
}

yoke_status yk_fmi_step(yk_fmi *f, double t, double h, yoke_err *err)
{
    state *s = state_of(f);
    const double tiny = 1e-9 * h + 1e-13 * fabs(t);

    if (!s->running || !s->run)
        return yk_fail(err, YOKE_E_ARG, "a step before initialisation");
    if (!(h > 0.0) || !isfinite(t + h))
        return yk_fail(err, YOKE_E_ARG, "a step from t = %g by %g", t, h);
    if (fabs(t - s->told) > tiny)
        return yk_fail(err, YOKE_E_ARG,
                       "a step from t = %.12g, but the time reached is %.12g",
                       t, s->told);
    yk_fmi_guest guest;

    yk_fmi_guest_enter(&guest, f->heap);
    const yoke_status status = step(f, s, t, h, err);
    yk_fmi_guest_leave(&guest);
    return status;
}

double yk_fmi_time(const yk_fmi *f)
{
    return state_of(f)->told;
}

/* The event that is near: when it happens, seen from here. */
static yoke_status come_nearer(yk_fmi *f, yk_saved_heap **here, yoke_err *err)
{
    state *s = state_of(f);
    const double now = s->told, tiny = tiny_of(s);

    if (!(now < s->pending)) return YOKE_OK;
    YK_TRY(yk_fmi_save(f, here, err));
    const yoke_status status = yk_fmi_step(f, now, NEAR * tiny, err);
    const double at = state_of(f)->event;
    YK_TRY(yk_fmi_restore(f, *here, err));
    s = state_of(f);
    if (status != YOKE_OK || !isfinite(at)) return YOKE_OK;
    if (at - tiny > now + tiny)
        YK_TRY(yk_fmi_step(f, now, at - tiny - now, err));
    state_of(f)->pending = at;
    return YOKE_OK;
}

/* To find an event it is passed over; then the step is repeated, from `start`
 * to just before it.  With other steps it is found a little earlier or later. */
yoke_status yk_fmi_step_to_event(yk_fmi *f, double t, double h,
                                 yk_saved_heap **start, bool *event,
                                 yoke_err *err)
{
    enum { TRIES = 6 };
    double end = t + h;

    *event = false;
    YK_TRY(yk_fmi_update(f, err)); /* if the host has not asked for it */
    YK_TRY(yk_fmi_save(f, start, err));
    for (int k = 0; k < TRIES; k++) {
        YK_TRY(yk_fmi_step(f, t, end - t, err));
        state *s = state_of(f);
        const double at = s->event;
        if (!(at < end)) {
            if (*event) s->pending = end + tiny_of(s);
            return *event ? come_nearer(f, start, err) : YOKE_OK;
        }
        YK_TRY(yk_fmi_restore(f, *start, err));
        s = state_of(f);
        *event = true;
        end = at - tiny_of(s);
        s->pending = at;
        if (end > s->t + tiny_of(s)) continue;
        s->told = t; /* it happens here and now */
        return YOKE_OK;
    }
    return yk_fmi_step(f, t, end - t, err);
}

static yoke_status pass_event(yk_fmi *f, state *s, yoke_err *err)
{
    const double told = s->told, at = s->pending;
    double beyond = 4.0 * tiny_of(s);
    yoke_status status = YOKE_OK;

    s->pending = INFINITY;
    for (; beyond <= NEAR * tiny_of(s) && status == YOKE_OK; beyond *= 4.0) {
        const double from = s->t;
        if (at + beyond <= from) continue;
        status = step(f, s, from, at + beyond - from, err);
        if (isfinite(s->event) || yoke_run_instant(s->run, from) < INFINITY)
            break;
    }
    s->told = told;
    return status;
}

yoke_status yk_fmi_update(yk_fmi *f, yoke_err *err)
{
    if (!isfinite(state_of(f)->pending)) return YOKE_OK;
    return inside(f, pass_event, err);
}

/* ---- states ------------------------------------------------------------- */

yoke_status yk_fmi_save(yk_fmi *f, yk_saved_heap **image, yoke_err *err)
{
    return yk_heap_save(image, f->heap, err);
}

yoke_status yk_fmi_restore(yk_fmi *f, const yk_saved_heap *image, yoke_err *err)
{
    return yk_heap_restore(image, f->heap, err);
}

yoke_status yk_fmi_write_state(const yk_fmi *f, const yk_saved_heap *image,
                               void *bytes, size_t size, yoke_err *err)
{
    if (size < yk_saved_heap_size(image))
        return yk_fail(err, YOKE_E_ARG, "there is no room for the state");
    yk_heap_write(image, f->interface.token, bytes);
    return YOKE_OK;
}

yoke_status yk_fmi_read_state(yk_fmi *f, yk_saved_heap **image,
                              const void *bytes, size_t size, yoke_err *err)
{
    return yk_heap_read(image, f->heap, f->interface.token, bytes, size, err);
}

const char *yk_fmi_warning(yk_fmi *f, int i)
{
    const state *s = state_of(f);
    const char *subsystem = NULL;
    yoke_remark remark;

    if (!s->run || !yoke_run_remark(s->run, i, &subsystem, &remark))
        return NULL;
    return remark.text;
}
