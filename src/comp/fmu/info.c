/* comp/fmu/info.c -- what is in an FMU, in words. */
#include "comp/fmu/archive.h"
#include "comp/fmu/engine.h"
#include "yoke/fmu.h"

#include <stdio.h>

static const char *yes(bool is)
{
    return is ? "yes" : "no";
}

static void tell_kind(const yk_fmu_kind *k, const char *name, bool simulation,
                      void (*line)(void *context, const char *text),
                      void *context)
{
    char text[400];

    if (!k->present) return;
    snprintf(text, sizeof text,
             "%s: saves its state: %s; directional derivatives: %s; one "
             "instance per process: %s%s",
             name, yes(k->state), yes(k->directional), yes(k->once),
             k->tool ? "; NEEDS its own program to run" : "");
    line(context, text);
    snprintf(text, sizeof text, "  goes back in time: %s",
             k->state && simulation
                 ? "by its own state, if a probe at the start of a run "
                   "confirms it"
                 : "by copies of its process; with threads, by running again "
                   "from the start");
    line(context, text);
    if (k->sources > 0) {
        snprintf(text, sizeof text, "  sources: %d files", k->sources);
        line(context, text);
    }
    if (!simulation) return;
    snprintf(text, sizeof text,
             "  any communication step: %s; takes derivatives of inputs: %s; "
             "event mode: %s; inputs during a step: %s; derivatives of "
             "outputs: %s",
             yes(k->variable_step), yes(k->interpolates), yes(k->event_mode),
             yes(k->midway), yes(k->slopes > 0));
    line(context, text);
    if (k->fixed_step > 0.0) {
        snprintf(text, sizeof text, "  steps of its own solver: %g s",
                 k->fixed_step);
        line(context, text);
    }
}

static void tell_variable(const yk_fmu_variable *v,
                          void (*line)(void *context, const char *text),
                          void *context)
{
    static const char *const roles[] = {
        [YK_FMU_PARAMETER] = "parameter", [YK_FMU_STRUCTURAL] = "structural",
        [YK_FMU_INPUT] = "input",         [YK_FMU_OUTPUT] = "output",
        [YK_FMU_INDEPENDENT] = NULL,
    };
    char text[600], size[32] = "";

    if (!roles[v->causality]) return;
    if (v->array) snprintf(size, sizeof size, "[%d]", v->count);
    snprintf(text, sizeof text, "  %-10s %-8s %.100s%s%s%.60s%s%.100s%s",
             roles[v->causality],
             v->enumeration ? "Enum" : yk_fmu_type_name(v->type), v->name, size,
             v->start ? " = " : "", v->start ? v->start : "",
             v->unit ? " " : "", v->unit ? v->unit : "",
             v->outside ? " (outside its min and max)" : "");
    line(context, text);
}

yoke_status yoke_fmu_info(const char *path,
                          void (*line)(void *context, const char *text),
                          void *context, yoke_err *err)
{
    YK_POINT;
    yk_fmu_description *d = NULL;
    char text[600], *folder = NULL;
    const yoke_status status = yk_fmu_unpack(&folder, &d, path, err);

    if (status == YOKE_OK) {
        snprintf(text, sizeof text,
                 "%.200s: FMI %d.0, model \"%.100s\"%s%.100s", path, d->version,
                 d->model, d->tool ? ", by " : "", d->tool ? d->tool : "");
        line(context, text);
        tell_kind(&d->exchange, "model exchange", false, line, context);
        tell_kind(&d->simulation, "co-simulation", true, line, context);
        snprintf(text, sizeof text,
                 "%d variables, %d states, %d event indicators", d->variables,
                 d->derivatives, d->indicators);
        line(context, text);
        for (int i = 0; i < d->terminals; i++) {
            const yk_fmu_terminal *t = &d->terminal[i];

            snprintf(text, sizeof text,
                     "  port       %.100s: potential %.100s, flow %.100s (%s)",
                     t->name, d->variable[t->potential].name,
                     d->variable[t->flow].name, t->sign > 0.0 ? "in" : "out");
            line(context, text);
        }
        for (int i = 0; i < d->variables; i++)
            tell_variable(&d->variable[i], line, context);
    }
    yk_fmu_description_free(d);
    yk_archive_remove(folder);
    return status;
}
