/* comp/fmu/engine.c -- what both kinds of FMUs have in common in a worker. */
#include "comp/fmu/archive.h"
#include "comp/fmu/engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_XML = 256 << 20 };

/* ---- signals ----------------------------------------------------------- */

static bool is_number(yk_fmu_type type)
{
    return type != YK_FMU_STRING && type != YK_FMU_BINARY &&
           type != YK_FMU_CLOCK;
}

yoke_status yk_fmu_name_signal(const yk_fmu_description *d,
                               const yk_fmu_variable *v, int element,
                               const char **out, yoke_err *err)
{
    *out = v->name;
    if (!v->array) return YOKE_OK;
    return yk_arena_print(d->arena, out, err, "%s[%d]", v->name, element + 1);
}

/* Elements from ... to - 1 of variable i. */
static yoke_status add_signals(const yk_fmu_description *d, int i, int from,
                               int to, yk_fmu_signals *out, yoke_err *err)
{
    const yk_fmu_variable *v = &d->variable[i];

    for (int k = from; k < to; k++) {
        out->signal[out->count] = (yk_fmu_signal){ i, k };
        out->discrete[out->count] = v->variability != YK_FMU_CONTINUOUS;
        YK_TRY(yk_fmu_name_signal(d, v, k, &out->name[out->count], err));
        out->count++;
    }
    return YOKE_OK;
}

static yoke_status make_room(const yk_fmu_description *d, int count,
                             yk_fmu_signals *out, yoke_err *err)
{
    *out = (yk_fmu_signals){ 0 };
    YK_TRY(YK_TAKE(d->arena, &out->signal, count + 1, err));
    YK_TRY(YK_TAKE(d->arena, &out->discrete, count + 1, err));
    return YK_TAKE(d->arena, &out->name, count + 1, err);
}

yoke_status yk_fmu_list(const yk_fmu_description *d, yk_fmu_causality causality,
                        yk_fmu_signals *out, yoke_err *err)
{
    int count = 0;

    for (int i = 0; i < d->variables; i++)
        if (d->variable[i].causality == causality &&
            is_number(d->variable[i].type))
            count += d->variable[i].count;
    YK_TRY(make_room(d, count, out, err));
    for (int i = 0; i < d->variables; i++)
        if (d->variable[i].causality == causality &&
            is_number(d->variable[i].type))
            YK_TRY(add_signals(d, i, 0, d->variable[i].count, out, err));
    return YOKE_OK;
}

/* x, or x[3] of an array; *element -1: all of them.  False: no number has that
 * name. */
static bool find_signal(const yk_fmu_description *d, const char *name,
                        int *variable, int *element)
{
    const char *bracket = strrchr(name, '[');
    char base[1000], *end = NULL;

    *element = -1;
    *variable = yk_fmu_find(d, name);
    if (*variable >= 0) return is_number(d->variable[*variable].type);
    if (!bracket || (size_t)(bracket - name) >= sizeof base) return false;
    memcpy(base, name, (size_t)(bracket - name));
    base[bracket - name] = '\0';
    *variable = yk_fmu_find(d, base);
    const long place = strtol(bracket + 1, &end, 10);
    if (*variable < 0 || strcmp(end, "]") != 0 ||
        !d->variable[*variable].array || place < 1 ||
        place > d->variable[*variable].count)
        return false;
    *element = (int)place - 1;
    return is_number(d->variable[*variable].type);
}

yoke_status yk_fmu_choose(const yk_fmu_description *d, int count,
                          const char *const *name, yk_fmu_signals *out,
                          int *bad, yoke_err *err)
{
    int all = 0, v = -1, element = -1;

    for (*bad = 0; *bad < count; ++*bad) {
        if (!find_signal(d, name[*bad], &v, &element)) return YOKE_OK;
        all += element < 0 ? d->variable[v].count : 1;
    }
    *bad = -1;
    YK_TRY(make_room(d, all, out, err));
    for (int i = 0; i < count; i++) {
        find_signal(d, name[i], &v, &element);
        const int from = element < 0 ? 0 : element;
        YK_TRY(add_signals(d, v, from,
                           element < 0 ? d->variable[v].count : from + 1, out,
                           err));
    }
    return YOKE_OK;
}

yoke_status yk_fmu_some_choose(const yk_fmu_description *d,
                               const yk_fmu_signals *all, bool discrete,
                               bool reals, yk_fmu_some *out, yoke_err *err)
{
    const size_t room = (size_t)all->count + 1;

    YK_TRY(YK_NEW(&out->signal, room, err));
    YK_TRY(yk_ints(&out->at, room, err));
    YK_TRY(yk_doubles(&out->value, room, err));
    for (int k = 0; k < all->count; k++) {
        const yk_fmu_variable *v = &d->variable[all->signal[k].variable];

        if (all->discrete[k] != discrete) continue;
        if (reals && (v->type != YK_FMU_FLOAT64 || v->array)) continue;
        out->signal[out->count] = all->signal[k];
        out->at[out->count++] = k;
    }
    return YOKE_OK;
}

void yk_fmu_some_clear(yk_fmu_some *some)
{
    YK_FREE(some->signal, some->at, some->value);
}

/* ---- life -------------------------------------------------------------- */

static double number_setting(const yk_part_spec *spec, const char *key,
                             double preset)
{
    const char *text = yk_part_setting(spec, key);

    return text ? strtod(text, NULL) : preset;
}

/* Files of FMI 3 beside the description, if they are there. */
static yoke_status read_more(yk_fmu_description *d, const char *folder,
                             yoke_err *err)
{
    static const struct {
        const char *file;
        yoke_status (*read)(yk_fmu_description *d, const char *path,
                            const char *xml, size_t length, yoke_err *err);
    } more[] = {
        { "sources/buildDescription.xml", yk_fmu_describe_build },
        { "terminalsAndIcons/terminalsAndIcons.xml",
          yk_fmu_describe_terminals },
    };

    for (int i = 0; d->version == 3 && i < 2; i++) {
        char *text = NULL;
        size_t length = 0;

        if (yk_archive_read(&text, &length, folder, more[i].file, MOST_XML,
                            NULL) != YOKE_OK)
            continue;
        const yoke_status status =
            more[i].read(d, more[i].file, text, length, err);
        yk_free(text);
        YK_TRY(status);
    }
    return YOKE_OK;
}

/* In an unpacked folder; `path` is for messages. */
static yoke_status read_description(yk_fmu_description **out,
                                    const char *folder, const char *path,
                                    yoke_err *err)
{
    char *text = NULL;
    size_t length = 0;
    yoke_status status = yk_archive_read(&text, &length, folder,
                                         "modelDescription.xml", MOST_XML, err);

    if (status != YOKE_OK)
        yk_prefix(err, "%s", path);
    else
        status = yk_fmu_describe(out, path, text, length, err);
    yk_free(text);
    if (status == YOKE_OK) status = read_more(*out, folder, err);
    if (status == YOKE_OK) return YOKE_OK;
    yk_fmu_description_free(*out);
    *out = NULL;
    return status;
}

yoke_status yk_fmu_unpack(char **folder, yk_fmu_description **out,
                          const char *path, yoke_err *err)
{
    YK_TRY(yk_archive_unpack(folder, path, err));
    const yoke_status status = read_description(out, *folder, path, err);
    if (status == YOKE_OK) return YOKE_OK;
    yk_archive_remove(*folder);
    *folder = NULL;
    return status;
}

/* Start values are those of the settings, all others are the FMU's own. */
static yoke_status set_starts(yk_fmu_engine *e, const yk_part_spec *spec,
                              yoke_err *err)
{
    for (int i = 0; i < spec->settings; i++) {
        if (strncmp(spec->key[i], "start:", 6) != 0) continue;
        const int v = yk_fmu_find(e->description, spec->key[i] + 6);

        if (v < 0)
            return yk_fail(err, YOKE_E_ARG, "the FMU has no variable \"%s\"",
                           spec->key[i] + 6);
        YK_TRY(yk_fmu_set_text(e->instance, v, spec->value[i], err));
    }
    return YOKE_OK;
}

static yoke_status check_sizes(const yk_fmu_engine *e, const yk_part_spec *spec,
                               yoke_err *err)
{
    if (e->input.count == spec->m && e->output.count == spec->p) return YOKE_OK;
    return yk_fail(err, YOKE_E_ARG,
                   "the FMU has %d inputs and %d outputs instead of %d and %d",
                   e->input.count, e->output.count, spec->m, spec->p);
}

/* The variables that the settings name in this way. */
static yoke_status choose(yk_fmu_engine *e, const yk_part_spec *spec,
                          const char *mark, yk_fmu_signals *out, yoke_err *err)
{
    const size_t length = strlen(mark);
    const char **name = NULL;
    int count = 0, bad = -1;

    YK_TRY(YK_NEW(&name, spec->settings + 1, err));
    for (int i = 0; i < spec->settings; i++)
        if (strncmp(spec->key[i], mark, length) == 0)
            name[count++] = spec->key[i] + length;
    yoke_status status =
        yk_fmu_choose(e->description, count, name, out, &bad, err);
    if (bad >= 0)
        status = yk_fail(err, YOKE_E_ARG, "the FMU has no variable \"%s\"",
                         name[bad]);
    yk_free(name);
    return status;
}

yoke_status yk_fmu_engine_open(yk_fmu_engine *e, const yk_part_spec *spec,
                               bool exchange, yoke_err *err)
{
    const char *folder = yk_part_setting(spec, "folder");

    if (!folder) return yk_fail(err, YOKE_E_ARG, "no folder of the FMU");
    snprintf(e->name, sizeof e->name, "%s", spec->name);
    e->tolerance = number_setting(spec, "tolerance", 0.0);
    e->atol = number_setting(spec, "atol", 1e-6);
    e->stop = number_setting(spec, "stop", INFINITY);
    e->step = number_setting(spec, "step", 0.0);
    e->replay = spec->replay;
    YK_TRY(
        read_description(&e->description, folder, "modelDescription.xml", err));
    YK_TRY(choose(e, spec, "in:", &e->input, err));
    YK_TRY(choose(e, spec, "out:", &e->output, err));
    YK_TRY(check_sizes(e, spec, err));
    YK_TRY(yk_fmu_open(&e->instance, e->description, folder, exchange,
                       spec->name, err));
    return set_starts(e, spec, err);
}

void yk_fmu_engine_close(yk_fmu_engine *e)
{
    yk_fmu_close(e->instance);
    yk_fmu_description_free(e->description);
    *e = (yk_fmu_engine){ 0 };
}

yoke_status yk_fmu_engine_start(yk_fmu_engine *e, double t0, const double *u0,
                                yoke_err *err)
{
    YK_TRY(yk_fmu_enter(e->instance, e->tolerance, t0, e->stop, err));
    YK_TRY(yk_fmu_set(e->instance, e->input.count, e->input.signal, u0, err));
    return yk_fmu_leave(e->instance, err);
}

yoke_status yk_fmu_make(const yk_part_spec *spec, yk_part_engine *out,
                        yoke_err *err)
{
    const char *use = yk_part_setting(spec, "use");

    return use && strcmp(use, "me") == 0
               ? yk_fmu_make_exchange(spec, out, err)
               : yk_fmu_make_simulation(spec, out, err);
}
