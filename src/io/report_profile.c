/* io/report_profile.c -- what the page shows of profiles.
 *
 *     "profiles": {"time": [t, ...], "list": [{
 *         "name", "label", "unit", "along", "along_unit", "group",
 *         "at": [coordinate, ...], "least", "most", "values": base64,
 *         "marks": [{"name", "at": [of each time], "value": [...]}],
 *         "ties": [{"at", "to": number in the list}]}]}
 *
 * `values` are numbers of 16 bits, low byte first, time by time: 0 is `least`,
 * 65534 `most`, 65535 no number.  Times are those of rows, about equally far
 * apart; where there is too much, fewer times and points are taken.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/names.h"
#include "io/entry.h"
#include "io/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_FRAMES = 200, LEAST_FRAMES = 20, MOST_POINTS = 600 };
enum { MOST_VALUES = 400000, NONE = 65535 };

double yk_shape_value(const yk_shapes *s, int row, int column)
{
    return column < 0 ? 0.0 : yk_entry(s->table, row, column);
}

double yk_shape_shown(const yk_shapes *s, const yk_report_shape *shape, int row,
                      int column)
{
    const double v = yk_shape_value(s, row, column);

    return shape->log ? log10(v) : v;
}

void yk_shapes_clear(yk_shapes *s)
{
    for (int i = 0; s->shape && i < s->count; i++) {
        YK_FREE(s->shape[i].point, s->shape[i].column, s->shape[i].mark_at);
    }
    YK_FREE(s->shape, s->row, s->is_column);
}

/* ---- choice -------------------------------------------------------------- */

static yoke_status find_points(yk_shapes *s, yk_report_shape *shape,
                               const yk_names *known, yoke_err *err)
{
    const yoke_profile *p = shape->profile;

    YK_TRY(YK_INTS((size_t)p->points, err, &shape->point, &shape->column));
    YK_TRY(yk_ints(&shape->mark_at, (size_t)p->marks, err));
    for (int i = 0; i < p->points; i++) {
        const char *name = p->variable[i];
        const int column = name ? yk_names_find(known, name) : -1;
        if (name && column < 0) continue;
        if (name) s->is_column[column] = true;
        shape->point[shape->points] = i;
        shape->column[shape->points++] = column;
    }
    for (int i = 0; i < p->marks; i++) {
        const char *name = p->mark[i].variable;
        const int column = name ? yk_names_find(known, name) : -1;
        shape->mark_at[i] = name && column < 0 ? -2 : column;
    }
    return YOKE_OK;
}

/* At most `most` points, the first and the last among them. */
static void thin_points(yk_report_shape *shape, int most)
{
    const int before = shape->points;

    if (before <= most) return;
    for (int k = 0; k < most; k++) {
        const int from = (int)floor((double)k * (before - 1) / (most - 1));
        shape->point[k] = shape->point[from];
        shape->column[k] = shape->column[from];
    }
    shape->points = most;
}

static bool same_subsystem(const char *a, const char *b)
{
    const size_t length = strcspn(a, ".");

    return length == strcspn(b, ".") && strncmp(a, b, length) == 0;
}

/* Profiles of one subsystem with the same quantities. */
static bool belong_together(const yoke_profile *a, const yoke_profile *b)
{
    return same_subsystem(a->name, b->name) &&
           strcmp(a->label, b->label) == 0 && strcmp(a->unit, b->unit) == 0 &&
           strcmp(a->along, b->along) == 0 &&
           strcmp(a->along_unit, b->along_unit) == 0;
}

static void find_groups(yk_shapes *s)
{
    for (int i = 0; i < s->count; i++) {
        s->shape[i].group = -1;
        for (int k = 0; k < i && s->shape[i].group < 0; k++)
            if (belong_together(s->shape[k].profile, s->shape[i].profile))
                s->shape[i].group = s->shape[k].group;
        if (s->shape[i].group < 0) s->shape[i].group = s->groups++;
    }
}

/* Rows nearest to equidistant times; the first and the last are there.  Of two
 * rows at a jump the second. */
static yoke_status choose_frames(yk_shapes *s, int most, yoke_err *err)
{
    const yoke_table *t = s->table;
    const int rows = t->rows;
    int row = 0;

    YK_TRY(yk_ints(&s->row, (size_t)(rows < most ? rows : most), err));
    if (rows <= most) {
        for (int i = 0; i < rows; i++) s->row[s->frames++] = i;
        return YOKE_OK;
    }
    const double begin = yk_shape_value(s, 0, 0);
    const double span = yk_shape_value(s, rows - 1, 0) - begin;
    for (int k = 0; k < most; k++) {
        const double want = begin + span * k / (most - 1);
        while (row + 1 < rows && fabs(yk_shape_value(s, row + 1, 0) - want) <=
                                     fabs(yk_shape_value(s, row, 0) - want))
            row++;
        if (s->frames > 0 && row <= s->row[s->frames - 1]) continue;
        s->row[s->frames++] = row;
    }
    return YOKE_OK;
}

static void find_range(const yk_shapes *s, yk_report_shape *shape)
{
    shape->least = INFINITY;
    shape->most = -INFINITY;
    for (int f = 0; f < s->frames; f++)
        for (int k = 0; k < shape->points; k++) {
            const double v = yk_shape_value(s, s->row[f], shape->column[k]);
            if (!isfinite(v)) continue;
            shape->least = fmin(shape->least, v);
            shape->most = fmax(shape->most, v);
        }
    if (shape->least <= shape->most) return;
    shape->least = shape->most = 0.0;
}

/* Groups with positive values over many powers of ten. */
static void find_logarithmic(yk_shapes *s)
{
    static const double wide = 1e6;

    for (int g = 0; g < s->groups; g++) {
        double least = INFINITY, most = 0.0;
        for (int i = 0; i < s->count; i++) {
            if (s->shape[i].group != g) continue;
            least = fmin(least, s->shape[i].least);
            most = fmax(most, s->shape[i].most);
        }
        if (!(least > 0.0 && most > wide * least)) continue;
        for (int i = 0; i < s->count; i++) {
            yk_report_shape *shape = &s->shape[i];
            if (shape->group != g) continue;
            shape->log = true;
            shape->least = log10(shape->least);
            shape->most = log10(shape->most);
        }
    }
}

static yoke_status choose(yk_shapes *s, const yoke_profiles *profiles,
                          const yk_names *known, yoke_err *err)
{
    double points = 0.0;

    YK_TRY(YK_NEW(&s->shape, profiles->count, err));
    for (int i = 0; i < profiles->count; i++) {
        yk_report_shape *shape = &s->shape[s->count++];
        shape->profile = &profiles->profile[i];
        YK_TRY(find_points(s, shape, known, err));
        thin_points(shape, MOST_POINTS);
        points += shape->points;
    }
    if (points > MOST_VALUES / LEAST_FRAMES)
        for (int i = 0; i < s->count; i++) thin_points(&s->shape[i], 50);
    find_groups(s);
    const double most = fmin(MOST_FRAMES, MOST_VALUES / fmax(points, 1.0));
    YK_TRY(choose_frames(s, (int)fmax(most, LEAST_FRAMES), err));
    for (int i = 0; i < s->count; i++) find_range(s, &s->shape[i]);
    find_logarithmic(s);
    return YOKE_OK;
}

yoke_status yk_shapes_create(yk_shapes *out, const yoke_profiles *profiles,
                             const yoke_table *table, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_names known = { 0 };

    out->table = table;
    YK_GO(YK_NEW(&out->is_column, table->cols, err));
    for (int j = table->cols - 1; j >= 0; j--)
        YK_GO(yk_names_add(&known, table->name[j], j, err));
    if (table->rows > 0) YK_GO(choose(out, profiles, &known, err));
done:
    yk_names_clear(&known);
    return status;
}

/* ---- JSON ---------------------------------------------------------------- */

/* Bytes as base64, three at a time; `rest` waits for more. */
typedef struct coder {
    yk_text *out;
    unsigned char rest[3];
    int count;
} coder;

static yoke_status put_rest(coder *c, yoke_err *err)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned all =
        (unsigned)c->rest[0] << 16 | (unsigned)c->rest[1] << 8 | c->rest[2];
    char four[4];

    for (int k = 0; k < 4; k++)
        four[k] = k <= c->count ? digits[all >> (18 - 6 * k) & 63] : '=';
    memset(c->rest, 0, sizeof c->rest);
    c->count = 0;
    return yk_text_add(c->out, four, 4, err);
}

static yoke_status put_byte(coder *c, unsigned value, yoke_err *err)
{
    c->rest[c->count++] = (unsigned char)(value & 255);
    return c->count == 3 ? put_rest(c, err) : YOKE_OK;
}

static yoke_status put_values(yk_text *out, const yk_shapes *s,
                              const yk_report_shape *shape, yoke_err *err)
{
    const double range = shape->most - shape->least;
    coder c = { out, { 0, 0, 0 }, 0 };

    YK_TRY(yk_json_key(out, "values", err));
    YK_TRY(yk_text_put(out, "\"", err));
    for (int f = 0; f < s->frames; f++)
        for (int k = 0; k < shape->points; k++) {
            const double v =
                yk_shape_shown(s, shape, s->row[f], shape->column[k]);
            const double part = range > 0.0 ? (v - shape->least) / range : 0.0;
            const unsigned code = isfinite(part) && isfinite(v)
                                      ? (unsigned)floor(part * (NONE - 1) + 0.5)
                                      : (unsigned)NONE;
            YK_TRY(put_byte(&c, code, err));
            YK_TRY(put_byte(&c, code >> 8, err));
        }
    if (c.count > 0) YK_TRY(put_rest(&c, err));
    return yk_text_put(out, "\"", err);
}

static yoke_status put_list(yk_text *out, const char *name, int count,
                            const double *value, int digits, yoke_err *err)
{
    YK_TRY(yk_json_key(out, name, err));
    return yk_json_numbers(out, count, value, digits, err);
}

/* `scratch` has room for one number per frame, and per point. */
static yoke_status put_marks(yk_text *out, const yk_shapes *s,
                             const yk_report_shape *shape, double *scratch,
                             yoke_err *err)
{
    bool first = true;

    YK_TRY(yk_json_key(out, "marks", err));
    YK_TRY(yk_text_put(out, "[", err));
    for (int i = 0; i < shape->profile->marks; i++) {
        const yoke_mark *m = &shape->profile->mark[i];
        if (shape->mark_at[i] < -1) continue;
        YK_TRY(yk_text_put(out, first ? "{" : ",{", err));
        first = false;
        YK_TRY(yk_json_pair(out, "name", m->name, err));
        for (int f = 0; f < s->frames; f++)
            scratch[f] = m->at + m->speed * yk_shape_value(s, s->row[f], 0);
        YK_TRY(put_list(out, "at", s->frames, scratch, 6, err));
        for (int f = 0; f < s->frames; f++)
            scratch[f] = yk_shape_shown(s, shape, s->row[f], shape->mark_at[i]);
        YK_TRY(put_list(out, "value", s->frames, scratch, 6, err));
        YK_TRY(yk_text_put(out, "}", err));
    }
    return yk_text_put(out, "]", err);
}

static int find_shape(const yk_shapes *s, const char *name)
{
    for (int i = 0; i < s->count; i++)
        if (strcmp(s->shape[i].profile->name, name) == 0) return i;
    return -1;
}

static yoke_status put_ties(yk_text *out, const yk_shapes *s,
                            const yk_report_shape *shape, yoke_err *err)
{
    bool first = true;

    YK_TRY(yk_json_key(out, "ties", err));
    YK_TRY(yk_text_put(out, "[", err));
    for (int i = 0; i < shape->profile->ties; i++) {
        const yoke_tie *tie = &shape->profile->tie[i];
        const int to = find_shape(s, tie->to);
        if (to < 0) continue;
        YK_TRY(yk_text_put(out, first ? "{" : ",{", err));
        first = false;
        YK_TRY(yk_json_real(out, "at", tie->at, err));
        YK_TRY(yk_json_int(out, "to", to, err));
        YK_TRY(yk_text_put(out, "}", err));
    }
    return yk_text_put(out, "]", err);
}

static yoke_status put_shape(yk_text *out, const yk_shapes *s,
                             const yk_report_shape *shape, double *scratch,
                             yoke_err *err)
{
    const yoke_profile *p = shape->profile;
    char label[256];

    snprintf(label, sizeof label, "%s%.200s", shape->log ? "log10 of " : "",
             p->label);
    YK_TRY(yk_text_put(out, "{", err));
    YK_TRY(yk_json_pair(out, "name", p->name, err));
    YK_TRY(yk_json_pair(out, "label", label, err));
    YK_TRY(yk_json_pair(out, "unit", p->unit, err));
    YK_TRY(yk_json_pair(out, "along", p->along, err));
    YK_TRY(yk_json_pair(out, "along_unit", p->along_unit, err));
    YK_TRY(yk_json_int(out, "group", shape->group, err));
    for (int k = 0; k < shape->points; k++) scratch[k] = p->at[shape->point[k]];
    YK_TRY(put_list(out, "at", shape->points, scratch, 17, err));
    YK_TRY(yk_json_real(out, "least", shape->least, err));
    YK_TRY(yk_json_real(out, "most", shape->most, err));
    YK_TRY(put_values(out, s, shape, err));
    YK_TRY(put_marks(out, s, shape, scratch, err));
    YK_TRY(put_ties(out, s, shape, err));
    return yk_text_put(out, "}", err);
}

static yoke_status put_all(yk_text *out, const yk_shapes *s, double *scratch,
                           yoke_err *err)
{
    YK_TRY(yk_json_key(out, "profiles", err));
    YK_TRY(yk_text_put(out, "{", err));
    for (int f = 0; f < s->frames; f++)
        scratch[f] = yk_shape_value(s, s->row[f], 0);
    YK_TRY(put_list(out, "time", s->frames, scratch, 17, err));
    YK_TRY(yk_json_key(out, "list", err));
    YK_TRY(yk_text_put(out, "[", err));
    for (int i = 0; i < s->count; i++) {
        if (i > 0) YK_TRY(yk_text_put(out, ",\n", err));
        YK_TRY(put_shape(out, s, &s->shape[i], scratch, err));
    }
    return yk_text_put(out, "]}", err);
}

yoke_status yk_report_profiles(yk_text *out, const yk_shapes *s, yoke_err *err)
{
    double *scratch = NULL;

    if (s->count == 0) return YOKE_OK;
    YK_TRY(yk_doubles(&scratch, MOST_FRAMES + MOST_POINTS, err));
    const yoke_status status = put_all(out, s, scratch, err);
    yk_free(scratch);
    return status;
}
