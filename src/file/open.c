/* file/open.c -- the section `inputs`: inputs of the whole system.
 *
 * They are outputs of a subsystem of that name without unknowns, so couplings
 * read them as those of any other.  In a run each holds its start value, unless a
 * program sets another course (yoke_file_set_input): polynomials of time, one
 * behind the other, with a breakpoint where they jump or bend.  The past is kept,
 * because a run may begin again.
 *
 * In an included system they are its inputs: what comes in goes out.
 */
#include "file/open.h"

#include "base/vector.h"
#include "sys/system.h"
#include "yoke/compose.h"
#include "yoke/optional.h"

#include <math.h>
#include <string.h>

enum {
    MOST_INPUTS = 10000,
    ORDER = 3,     /* largest derivative that can be set */
    FORGOTTEN = 64 /* pieces of the past, where nothing begins again */
};

/* input i on [t[k], t[k+1]): sum of coef[(k * count + i) * (ORDER + 1) + j] s^j,
 * s = t - t[k]. */
struct yk_open {
    int count, pieces;
    char **name, **unit;
    double *start;
    double *t, *coef;
    bool *bends; /* the piece begins with a jump or a bend */
    size_t t_room, coef_room, bend_room;
    yoke_courses courses;
};

/* ---- the polynomials ---------------------------------------------------- */

static const double *piece(const yk_open *o, int k, int i)
{
    return o->coef + ((size_t)k * (size_t)o->count + (size_t)i) * (ORDER + 1);
}

/* The last that begins not after t. */
static int find_piece(const yk_open *o, double t)
{
    if (o->t[o->pieces - 1] <= t) return o->pieces - 1; /* nearly always */
    const int k = yk_last_below(o->t, o->pieces, 1, t);
    return k < 0 ? 0 : k;
}

static double value_at(const double *c, double s, int order)
{
    double sum = 0.0;

    for (int j = ORDER; j >= order; j--) {
        double factor = 1.0;
        for (int d = 0; d < order; d++) factor *= j - d;
        sum = sum * s + factor * c[j];
    }
    return sum;
}

static yoke_status open_output(void *self, double t, const double *x,
                               const double *u, double *y, yoke_err *err)
{
    const yk_open *o = self;
    const int k = find_piece(o, t);

    (void)x, (void)u, (void)err;
    for (int i = 0; i < o->count; i++)
        y[i] = value_at(piece(o, k, i), t - o->t[k], 0);
    return YOKE_OK;
}

static double open_next_break(void *self, double t)
{
    const yk_open *o = self;

    for (int k = find_piece(o, t); k < o->pieces; k++)
        if (o->t[k] > t && o->bends[k]) return o->t[k];
    return INFINITY;
}

/* Derivative `order` over its factorial for s in [a, b], 0 <= a. */
static void enclose_piece(const double *c, double a, double b, int order,
                          double out[2])
{
    double low = 0.0, high = 0.0;

    for (int j = ORDER; j >= order; j--) {
        double binomial = 1.0;
        for (int d = 1; d <= order; d++)
            binomial *= (double)(j - order + d) / d;
        low = fmin(low * a, low * b) + binomial * c[j];
        high = fmax(high * a, high * b) + binomial * c[j];
    }
    out[0] = fmin(out[0], low);
    out[1] = fmax(out[1], high);
}

static void open_enclose(void *self, int i, double from, double to, int order,
                         double (*out)[2])
{
    const yk_open *o = self;

    for (int d = 0; d <= order; d++) {
        out[d][0] = INFINITY;
        out[d][1] = -INFINITY;
        for (int k = find_piece(o, from); k < o->pieces; k++) {
            const double end = k + 1 < o->pieces ? fmin(o->t[k + 1], to) : to;
            if (k > 0 && o->t[k] > to) break;
            enclose_piece(piece(o, k, i), fmax(0.0, from - o->t[k]),
                          fmax(0.0, end - o->t[k]), d, out[d]);
        }
    }
}

static const yoke_system_ops open_ops = {
    .kind = "inputs",
    .eval = yk_no_equations,
    .output = open_output,
    .next_break = open_next_break,
};

/* ---- what is set -------------------------------------------------------- */

static yoke_status add_piece(yk_open *o, double t, yoke_err *err)
{
    const size_t more = (size_t)o->pieces + 1;

    YK_TRY(YK_GROW(&o->t, &o->t_room, more, err));
    YK_TRY(YK_GROW(&o->bends, &o->bend_room, more, err));
    YK_TRY(YK_GROW(&o->coef, &o->coef_room,
                   more * (size_t)o->count * (ORDER + 1), err));
    o->t[o->pieces] = t;
    o->bends[o->pieces++] = false;
    return YOKE_OK;
}

/* The course before, as it would go on from t. */
static void continue_piece(yk_open *o, int k, double t)
{
    for (int i = 0; i < o->count; i++) {
        double *c = (double *)(size_t)piece(o, k, i);
        const double *before = piece(o, k - 1, i);
        double factorial = 1.0;
        for (int j = 0; j <= ORDER; j++) {
            if (j > 0) factorial *= j;
            c[j] = value_at(before, t - o->t[k - 1], j) / factorial;
        }
    }
}

static void forget_past(yk_open *o)
{
    const int old = o->pieces - FORGOTTEN;
    const size_t size = (size_t)o->count * (ORDER + 1);

    if (old <= 0) return;
    memmove(o->t, o->t + old, FORGOTTEN * sizeof *o->t);
    memmove(o->bends, o->bends + old, FORGOTTEN * sizeof *o->bends);
    memmove(o->coef, o->coef + (size_t)old * size,
            FORGOTTEN * size * sizeof *o->coef);
    o->pieces = FORGOTTEN;
}

static void begin_courses(yk_open *o, double t)
{
    o->pieces = 1;
    o->t[0] = t;
    o->bends[0] = false;
    memset(o->coef, 0, (size_t)o->count * (ORDER + 1) * sizeof *o->coef);
    for (int i = 0; i < o->count; i++)
        o->coef[(size_t)i * (ORDER + 1)] = o->start[i];
}

static bool any_events(const yoke_file *file)
{
    const yoke_graph *graph = yoke_model_graph(file->model);

    for (int i = 0; i < yoke_graph_count(graph); i++)
        if (yoke_system_facts(yoke_graph_system(graph, i))->events > 0)
            return true;
    return false;
}

/* Does the value jump, or the slope, by more than pieces of one smooth course
 * do that were fitted to it? */
static bool bends(const yoke_iterate_options *o, const double before[2],
                  const double *now)
{
    static const double part = 1e-3; /* of the tolerance, of the slope */
    const double value = fmax(fabs(before[0]), fabs(now[0]));
    const double slope = fmax(fabs(before[1]), fabs(now[1]));

    return fabs(now[0] - before[0]) > part * (o->rtol * value + o->atol) ||
           fabs(now[1] - before[1]) > part * slope;
}

yoke_status yoke_file_set_input(yoke_file *file, int i, double t, int count,
                                const double *derivative, yoke_err *err)
{
    yk_open *o = file->open;
    double factorial = 1.0;

    if (!o || i < 0 || i >= o->count)
        return yk_fail(err, YOKE_E_ARG, "the system has no input %d", i);
    if (count < 1 || count > ORDER + 1)
        return yk_fail(err, YOKE_E_ARG,
                       "input \"%s\": %d derivatives; at most %d are taken",
                       o->name[i], count - 1, ORDER);
    if (!isfinite(t) || !yk_all_finite(derivative, count, NULL))
        return yk_fail(err, YOKE_E_ARG, "input \"%s\" at t = %g is not finite",
                       o->name[i], t);
    if (t < o->t[o->pieces - 1])
        return yk_fail(err, YOKE_E_ARG,
                       "input \"%s\": t = %g is before %g, where it was set "
                       "last",
                       o->name[i], t, o->t[o->pieces - 1]);
    if (t > o->t[o->pieces - 1]) {
        YK_TRY(add_piece(o, t, err));
        continue_piece(o, o->pieces - 1, t);
        if (!any_events(file)) forget_past(o);
    }
    double *c = (double *)(size_t)piece(o, o->pieces - 1, i);
    const double before[2] = { c[0], c[1] };
    for (int j = 0; j <= ORDER; j++) {
        if (j > 0) factorial *= j;
        c[j] = j < count ? derivative[j] / factorial : 0.0;
    }
    if (o->pieces > 1 && bends(&file->run.iterate, before, c))
        o->bends[o->pieces - 1] = true;
    return YOKE_OK;
}

void yoke_file_rewind_inputs(yoke_file *file, double t)
{
    if (file->open) begin_courses(file->open, t);
}

bool yoke_file_input_at(const yoke_file *file, int i, yoke_file_input *out)
{
    const yk_open *o = file->open;

    if (!o || i < 0 || i >= o->count) return false;
    *out = (yoke_file_input){ o->name[i], o->unit[i], o->start[i] };
    return true;
}

/* ---- the section -------------------------------------------------------- */

void yk_open_free(yk_open *o)
{
    if (!o) return;
    for (int i = 0; i < o->count; i++) YK_FREE(o->name[i], o->unit[i]);
    YK_FREE(o->name, o->unit, o->start, o->t, o->coef, o->bends, o);
}

/* name: {unit: N, start: 2}, or name: 2 N. */
static yoke_status read_input(const yk_reader *r, yk_open *o, int i,
                              const yk_yaml *node, yoke_err *err)
{
    static const char *const key[] = { "unit", "start" };
    const yk_yaml *start = node->kind == YK_YAML_TEXT ? node : NULL;
    const char *unit = NULL;
    yk_unit_scale scale;
    size_t at = 0;

    YK_TRY(yk_file_check_name(r, node, err));
    YK_TRY(yk_copy_text(&o->name[i], node->key, err));
    if (!start && !yk_yaml_is_empty(node)) {
        YK_TRY(yk_file_want(r, node, YK_YAML_MAP, err));
        YK_TRY(yk_file_keys(r, node, 2, key, err));
        const yk_yaml *given = yk_yaml_find(node, "unit");
        start = yk_yaml_find(node, "start");
        if (given) {
            YK_TRY(yk_file_text(r, given, &unit, err));
            YK_TRY(yk_file_place(r, given, at,
                                 yk_unit_read(unit, &at, &scale, err), err));
            YK_TRY(yk_copy_text(&o->unit[i], unit, err));
        }
    }
    if (!start || yk_yaml_is_empty(start)) return YOKE_OK;
    const yoke_status status =
        yk_quantity_read_in(start->text, NULL, unit, &o->start[i], &at, err);
    return yk_file_place(r, start, at, status, err);
}

static yoke_status read_inputs(const yk_reader *r, yk_open *o,
                               const yk_yaml *map, yoke_err *err)
{
    int i = 0;

    YK_TRY(yk_file_want(r, map, YK_YAML_MAP, err));
    if (map->count < 1 || map->count > MOST_INPUTS)
        return yk_file_fail(r, map, err, "a system has 1 to %d inputs",
                            MOST_INPUTS);
    YK_TRY(YK_NEW(&o->name, map->count, err));
    YK_TRY(YK_NEW(&o->unit, map->count, err));
    YK_TRY(yk_doubles(&o->start, (size_t)map->count, err));
    o->count = map->count;
    for (const yk_yaml *e = map->first; e; e = e->next)
        YK_TRY(read_input(r, o, i++, e, err));
    YK_TRY(add_piece(o, r->file->run.start, err));
    begin_courses(o, r->file->run.start);
    return YOKE_OK;
}

static yoke_status make_source(yoke_system **out, yk_open *o, yoke_err *err)
{
    const yoke_system_info info = {
        .p = o->count,
        .flags = YOKE_AFFINE | YOKE_PARALLEL,
        .y_name = (const char *const *)o->name,
        .courses = &o->courses,
    };

    o->courses = (yoke_courses){
        .count = o->count, .enclose = open_enclose, .self = o, .shown = true
    };
    return yoke_system_create(out, YK_OPEN_NAME, &open_ops, o, &info, err);
}

/* y = u */
static yoke_status make_passage(yoke_system **out, const yk_open *o,
                                yoke_err *err)
{
    const size_t n = (size_t)o->count;
    double *d = NULL;

    YK_TRY(yk_doubles(&d, n * n, err));
    for (size_t i = 0; i < n; i++) d[i * n + i] = 1.0;
    const yoke_linear given = { .m = o->count,
                                .p = o->count,
                                .D = d,
                                .u_name = (const char *const *)o->name,
                                .y_name = (const char *const *)o->name };
    const yoke_status status =
        yoke_linear_create(out, YK_OPEN_NAME, &given, err);
    yk_free(d);
    return status;
}

static yoke_status add_units(const yk_reader *r, const yk_open *o,
                             yoke_err *err)
{
    for (int i = 0; i < o->count; i++)
        if (o->unit[i])
            YK_TRY(yk_file_port_unit(r->file, YK_OPEN_NAME, o->name[i],
                                     o->unit[i], err));
    return YOKE_OK;
}

yoke_status yk_file_open(yk_reader *r, const yk_yaml *map, yoke_err *err)
{
    yoke_system *system = NULL;
    const yk_entries none = { 0 };

    if (!map || yk_yaml_is_empty(map)) return YOKE_OK;
    YK_TRY(YK_NEW(&r->file->open, 1, err));
    YK_TRY(read_inputs(r, r->file->open, map, err));
    YK_TRY(r->parent ? make_passage(&system, r->file->open, err)
                     : make_source(&system, r->file->open, err));
    YK_TRY(yk_file_place_key(
        r, map, yoke_model_add(r->file->model, system, NULL, err), err));
    YK_TRY(add_units(r, r->file->open, err));
    YK_TRY(yk_file_report(r->file, err, "%s: %d inputs of the system",
                          YK_OPEN_NAME, r->file->open->count));
    YK_TRY(yk_facts_part(&r->file->facts, YK_OPEN_NAME, "inputs", NULL, NULL,
                         &none, err));
    r->file->facts.part[r->file->facts.parts - 1].stepper =
        yoke_stepper_defaults();
    return YOKE_OK;
}
