/* io/report_shapes.c -- profiles at a few times as SVG, for paper and for
 * browsers without JavaScript.
 *
 * One picture per group: panels in two columns, one per time; in a panel the
 * profiles of the group below each other, each around a line of its own, all
 * with the same scale, which a bar shows.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PANELS = 6, COLUMNS = 2, MOST_POINTS = 150, MOST_LANES = 8 };
enum { WIDTH = 380, GAP = 24, LANE = 54, HEAD = 22, FOOT = 30, INSET = 8 };

typedef struct picture {
    yk_text *out;
    const yk_shapes *shapes;
    int group, lanes;
    int lane[MOST_LANES]; /* shapes */
    double left, right;   /* coordinates */
    double unit;          /* pixels per value */
    double middle[MOST_LANES];
} picture;

__attribute__((format(printf, 3, 4))) static yoke_status put(yk_text *out,
                                                             yoke_err *err,
                                                             const char *format,
                                                             ...)
{
    char text[256];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return yk_text_put(out, text, err);
}

static const yk_report_shape *shape_of(const picture *p, int lane)
{
    return &p->shapes->shape[p->lane[lane]];
}

static int lane_of(const picture *p, const char *name)
{
    for (int i = 0; i < p->lanes; i++)
        if (strcmp(shape_of(p, i)->profile->name, name) == 0) return i;
    return -1;
}

static double x_of(const picture *p, double at)
{
    return INSET + (WIDTH - 2 * INSET) * (at - p->left) / (p->right - p->left);
}

static double y_of(const picture *p, int lane, double value)
{
    return HEAD + LANE * (lane + 0.5) - p->unit * (value - p->middle[lane]);
}

/* The scale is that of the profile with the largest range. */
static void find_scale(picture *p)
{
    double range = 0.0;

    p->left = INFINITY;
    p->right = -INFINITY;
    for (int i = 0; i < p->lanes; i++) {
        const yk_report_shape *s = shape_of(p, i);
        if (s->points == 0) continue;
        p->left = fmin(p->left, s->profile->at[s->point[0]]);
        p->right = fmax(p->right, s->profile->at[s->point[s->points - 1]]);
        p->middle[i] = 0.5 * s->least + 0.5 * s->most;
        range = fmax(range, s->most - s->least);
    }
    p->unit = range > 0.0 && isfinite(range) ? 0.8 * LANE / range : 0.0;
}

static void find_lanes(picture *p)
{
    for (int i = 0; i < p->shapes->count && p->lanes < MOST_LANES; i++)
        if (p->shapes->shape[i].group == p->group) p->lane[p->lanes++] = i;
    find_scale(p);
}

/* Value of a shape at a coordinate, between its points. */
static double value_at(const picture *p, const yk_report_shape *s, int row,
                       double at)
{
    int k = 1;

    while (k + 1 < s->points && s->profile->at[s->point[k]] < at) k++;
    const double a = s->profile->at[s->point[k - 1]];
    const double b = s->profile->at[s->point[k]];
    const double u = yk_shape_shown(p->shapes, s, row, s->column[k - 1]);
    const double v = yk_shape_shown(p->shapes, s, row, s->column[k]);
    return u + (v - u) * fmin(fmax((at - a) / (b - a), 0.0), 1.0);
}

static yoke_status put_curve(const picture *p, int lane, int row, yoke_err *err)
{
    const yk_report_shape *s = shape_of(p, lane);
    const int count = s->points < MOST_POINTS ? s->points : MOST_POINTS;
    bool open = false;

    YK_TRY(put(p->out, err, "<path class=\"curve\" d=\""));
    for (int i = 0; count > 1 && i < count; i++) {
        const int k = (int)floor((double)i * (s->points - 1) / (count - 1));
        const double v = yk_shape_shown(p->shapes, s, row, s->column[k]);
        if (isfinite(v))
            YK_TRY(put(p->out, err, "%s%.1f %.1f", open ? "L" : "M",
                       x_of(p, s->profile->at[s->point[k]]), y_of(p, lane, v)));
        open = isfinite(v);
    }
    return put(p->out, err, "\"/>");
}

static yoke_status put_ties(const picture *p, int lane, int row, yoke_err *err)
{
    const yk_report_shape *s = shape_of(p, lane);

    for (int i = 0; i < s->profile->ties; i++) {
        const yoke_tie *tie = &s->profile->tie[i];
        const int to = lane_of(p, tie->to);
        if (to < 0 || s->points < 2 || shape_of(p, to)->points < 2) continue;
        const double a = value_at(p, s, row, tie->at);
        const double b = value_at(p, shape_of(p, to), row, tie->at);
        if (!isfinite(a) || !isfinite(b)) continue;
        YK_TRY(put(p->out, err,
                   "<line class=\"tie\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" "
                   "y2=\"%.1f\"/>",
                   x_of(p, tie->at), y_of(p, lane, a), x_of(p, tie->at),
                   y_of(p, to, b)));
    }
    return YOKE_OK;
}

/* A triangle below the point. */
static yoke_status put_marks(const picture *p, int lane, int row, yoke_err *err)
{
    const yk_report_shape *s = shape_of(p, lane);
    const double t = yk_shape_value(p->shapes, row, 0);

    for (int i = 0; i < s->profile->marks; i++) {
        const yoke_mark *m = &s->profile->mark[i];
        const double at = m->at + m->speed * t;
        if (s->mark_at[i] < -1 || !(at >= p->left && at <= p->right)) continue;
        const double v = yk_shape_shown(p->shapes, s, row, s->mark_at[i]);
        if (!isfinite(v)) continue;
        YK_TRY(put(p->out, err,
                   "<path class=\"mark\" d=\"M%.1f %.1fl-5 9h10z\"/>",
                   x_of(p, at), y_of(p, lane, v)));
    }
    return YOKE_OK;
}

static yoke_status put_panel(const picture *p, int panel, int row,
                             yoke_err *err)
{
    const int height = HEAD + LANE * p->lanes + FOOT;

    YK_TRY(put(p->out, err, "<g transform=\"translate(%d %d)\">",
               panel % COLUMNS * (WIDTH + GAP), panel / COLUMNS * height));
    YK_TRY(put(p->out, err, "<text x=\"%d\" y=\"14\">t = %.5g</text>", INSET,
               yk_shape_value(p->shapes, row, 0)));
    for (int i = 0; i < p->lanes; i++) YK_TRY(put_ties(p, i, row, err));
    for (int i = 0; i < p->lanes; i++) {
        YK_TRY(put_curve(p, i, row, err));
        YK_TRY(put_marks(p, i, row, err));
    }
    YK_TRY(put(p->out, err,
               "<path class=\"axis\" d=\"M%d %dH%d\"/>"
               "<text class=\"end\" x=\"%d\" y=\"%d\">%.4g</text>",
               INSET, height - FOOT + 4, WIDTH - INSET, INSET,
               height - FOOT + 18, p->left));
    YK_TRY(put(p->out, err, "<text class=\"end last\" x=\"%d\" y=\"%d\">%.4g ",
               WIDTH - INSET, height - FOOT + 18, p->right));
    YK_TRY(yk_html_text(p->out, shape_of(p, 0)->profile->along_unit, err));
    return put(p->out, err, "</text></g>\n");
}

/* One, two or five times a power of ten, about a third of a lane. */
static double bar_length(const picture *p)
{
    const double want = 0.35 * LANE / p->unit;
    const double power = pow(10.0, floor(log10(want)));
    const double lead = want / power;

    return power * (lead >= 5.0 ? 5.0 : lead >= 2.0 ? 2.0 : 1.0);
}

static yoke_status put_caption(const picture *p, yoke_err *err)
{
    const yoke_profile *first = shape_of(p, 0)->profile;

    YK_TRY(put(p->out, err, "<figcaption>"));
    if (shape_of(p, 0)->log) YK_TRY(yk_text_put(p->out, "log10 of ", err));
    YK_TRY(yk_html_text(p->out, first->label[0] ? first->label : "value", err));
    YK_TRY(put(p->out, err, " of "));
    for (int i = 0; i < p->lanes; i++) {
        YK_TRY(put(p->out, err, "%s", i ? ", " : ""));
        YK_TRY(yk_html_text(p->out, shape_of(p, i)->profile->name, err));
    }
    YK_TRY(put(p->out, err, " over "));
    YK_TRY(yk_html_text(p->out, first->along, err));
    if (p->unit > 0.0) {
        YK_TRY(put(p->out, err, "; the bar is %.3g ", bar_length(p)));
        YK_TRY(yk_html_text(p->out, first->unit, err));
    }
    return put(p->out, err, "</figcaption></figure>\n");
}

static yoke_status put_picture(picture *p, yoke_err *err)
{
    const yk_shapes *s = p->shapes;
    const int panels = s->frames < PANELS ? s->frames : PANELS;
    const int lines = (panels + COLUMNS - 1) / COLUMNS;
    const int height = lines * (HEAD + LANE * p->lanes + FOOT);

    YK_TRY(put(p->out, err,
               "<figure class=\"shapes\"><svg viewBox=\"0 0 %d %d\" "
               "role=\"img\" aria-label=\"shapes over time\">\n",
               COLUMNS * WIDTH + GAP, height));
    for (int k = 0; k < panels; k++) {
        const int frame =
            panels > 1 ? (int)floor((double)k * (s->frames - 1) / (panels - 1))
                       : 0;
        YK_TRY(put_panel(p, k, s->row[frame], err));
    }
    if (p->unit > 0.0)
        YK_TRY(put(p->out, err,
                   "<path class=\"bar\" d=\"M%d %.1fv%.1fM%d %.1fh6M%d "
                   "%.1fh6\"/>\n",
                   WIDTH - INSET - 3, 4.0, p->unit * bar_length(p),
                   WIDTH - INSET - 6, 4.0, WIDTH - INSET - 6,
                   4.0 + p->unit * bar_length(p)));
    YK_TRY(put(p->out, err, "</svg>"));
    return put_caption(p, err);
}

yoke_status yk_report_shapes(yk_text *out, const yk_shapes *s, yoke_err *err)
{
    for (int g = 0; g < s->groups && s->frames > 0; g++) {
        picture p = { .out = out, .shapes = s, .group = g };
        find_lanes(&p);
        if (p.lanes > 0 && p.right > p.left) YK_TRY(put_picture(&p, err));
    }
    return YOKE_OK;
}
