/* comp/netlist/system/settings.c -- `--set NAME=VALUE` for a netlist that is the
 * system.
 *
 *     rload=2k           a .param at the top, or the value of R, C, L, V, I
 *     circuit.stepper=   how it is solved: options of the stepper, of all parts
 *     run.rtol=1e-8      an option of the run
 *
 * A setting that nothing takes is refused: a run with the old value would look
 * like one with the new.
 */
#include "comp/netlist/system/settings.h"

#include "file/reader.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool begins(const char *name, const char *front)
{
    return strncmp(name, front, strlen(front)) == 0;
}

static bool is_value(const yoke_setting *s)
{
    return !begins(s->name, "run.") && !begins(s->name, "circuit.");
}

static yoke_status named(const yoke_setting *s, yoke_status status,
                         yoke_err *err)
{
    if (status != YOKE_OK) yk_prefix(err, "--set %s=%s", s->name, s->value);
    return status == YOKE_OK ? YOKE_OK : YOKE_E_FILE;
}

yoke_status yk_net_setting_number(const char *text, double *value,
                                  yoke_err *err)
{
    char plain[64];
    int n = 0, used = 0;

    for (; *text && n < (int)sizeof plain - 1; text++)
        if (!isspace((unsigned char)*text))
            plain[n++] = (char)tolower((unsigned char)*text);
    plain[n] = '\0';
    *value = yk_net_number(plain, n, &used);
    if (used > 0 && used == n && !*text && isfinite(*value)) return YOKE_OK;
    return yk_fail(err, YOKE_E_FILE,
                   "this is not a number; a netlist takes 2000, 2e3 or 2k");
}

yoke_status yk_net_settings_read(const yoke_file_options *options, int *sets,
                                 yk_net_set **out, yoke_err *err)
{
    const int count = options ? options->settings : 0;
    yk_net_set *set = NULL;

    *sets = 0;
    YK_TRY(YK_NEW(&set, count + 1, err));
    *out = set;
    for (int i = 0; i < count; i++) {
        const yoke_setting *s = &options->setting[i];
        if (!is_value(s)) continue;
        YK_TRY(yk_copy_text(&set[*sets].name, s->name, err));
        for (char *p = set[*sets].name; *p; p++)
            *p = (char)tolower((unsigned char)*p);
        ++*sets;
        YK_TRY(named(
            s, yk_net_setting_number(s->value, &set[*sets - 1].value, err),
            err));
    }
    return YOKE_OK;
}

void yk_net_settings_free(int sets, yk_net_set *set)
{
    for (int i = 0; set && i < sets; i++) yk_free(set[i].name);
    yk_free(set);
}

/* ---- values -------------------------------------------------------------- */

static yoke_status unknown(const yk_netlist *net, const char *name,
                           yoke_err *err)
{
    enum { LOOK = 20000 };
    char room[100];
    yk_net_near near = { .wanted = name };

    for (int i = 0; i < net->elements && i < LOOK; i++)
        if (strchr("rclvi", net->element[i].kind))
            yk_net_near_try(&near, net->element[i].name);
    return yk_fail(err, YOKE_E_FILE,
                   "%s has no .param \"%.80s\" at the top and no such element "
                   "R, C, L, V or I%s; other settings are circuit.stepper and "
                   "its like, and run.option",
                   net->path, name, yk_net_near_text(&near, room, sizeof room));
}

/* A plain value, which nothing else makes: no model, expression or waveform. */
static double *value_of(yk_net_element *e)
{
    if (e->source)
        return e->source->shape == YK_SHAPE_NONE ? &e->source->dc : NULL;
    for (int k = 0; !e->expr && e->model < 0 && k < e->params; k++)
        if (strcmp(e->param[k].name, "value") == 0) return &e->param[k].value;
    return NULL;
}

static yoke_status set_element(yk_netlist *net, const yk_net_set *set,
                               yoke_err *err)
{
    const int e = yk_net_find_element(net, set->name);

    if (e < 0) return unknown(net, set->name, err);
    double *value = value_of(&net->element[e]);
    if (!value || !strchr("rclvi", net->element[e].kind))
        return yk_fail(err, YOKE_E_FILE,
                       "%s:%d: \"%.80s\" has no plain value; write a .param "
                       "into its line and set that",
                       net->element[e].at.file, net->element[e].at.line,
                       set->name);
    if (net->element[e].kind == 'r' && set->value == 0.0)
        return yk_fail(err, YOKE_E_FILE, "a resistance of 0 is refused");
    *value = set->value;
    if (net->element[e].source) net->element[e].source->has_dc = true;
    return YOKE_OK;
}

yoke_status yk_net_settings_apply(yk_netlist *net,
                                  const yoke_file_options *options, int sets,
                                  const yk_net_set *set, yoke_err *err)
{
    int k = 0;

    for (int i = 0; k < sets; i++) {
        if (!is_value(&options->setting[i])) continue;
        if (!set[k].used)
            YK_TRY(named(&options->setting[i], set_element(net, &set[k], err),
                         err));
        k++;
    }
    return YOKE_OK;
}

/* ---- how it is solved ---------------------------------------------------- */

yoke_status yk_net_settings_stepper(const yoke_file_options *options,
                                    yoke_stepper_options *how, yoke_err *err)
{
    for (int i = 0; options && i < options->settings; i++) {
        const yoke_setting *s = &options->setting[i];
        if (!begins(s->name, "circuit.")) continue;
        const char *key = s->name + strlen("circuit.");
        const bool method = strcmp(key, "stepper") == 0;
        const char *text = s->value;
        char number[40];
        double value;
        if (yk_net_setting_number(text, &value, NULL) == YOKE_OK) {
            snprintf(number, sizeof number, "%.17g", value);
            text = number;
        }
        YK_TRY(named(
            s, yoke_stepper_set(how, method ? "method" : key, text, err), err));
    }
    return YOKE_OK;
}

yoke_status yk_net_settings_run(const yoke_file_options *options,
                                yoke_file *file, yoke_err *err)
{
    for (int i = 0; options && i < options->settings; i++) {
        const yoke_setting *s = &options->setting[i];
        if (!begins(s->name, "run.")) continue;
        YK_TRY(named(
            s, yk_file_run_set(file, s->name + strlen("run."), s->value, err),
            err));
    }
    return YOKE_OK;
}
