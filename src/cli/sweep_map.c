/* cli/sweep_map.c -- a map: two parameters across and up, a measure as colour.
 *
 * One panel for each measure.  On a grid every run is a rectangle around its
 * point; random runs are discs.  Runs without a value are crossed out.
 * Parameters that were chosen by a factor have a logarithmic axis.
 */
#include "cli/sweep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    LEFT = 90,
    TOP = 50,
    WIDE = 480,
    HIGH = 360,
    PANEL = TOP + HIGH + 60,
    FULL = LEFT + WIDE + 150,
    TICKS = 8 /* at most */
};

/* Dark blue, green, yellow: brightness rises, also in print and for eyes that
 * see red and green alike. */
static void put_colour(FILE *out, double part)
{
    static const double stop[5][3] = { { 68, 1, 84 },
                                       { 59, 82, 139 },
                                       { 33, 145, 140 },
                                       { 94, 201, 98 },
                                       { 253, 231, 37 } };
    const double x = fmin(fmax(part, 0.0), 1.0) * 4.0;
    const int k = x < 4.0 ? (int)x : 3;
    int c[3];

    for (int i = 0; i < 3; i++)
        c[i] = (int)(stop[k][i] + (x - k) * (stop[k + 1][i] - stop[k][i]));
    fprintf(out, "#%02x%02x%02x", c[0], c[1], c[2]);
}

static void put_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else
            fputc(*text, out);
    }
}

/* Where a value lies on its axis, from 0 to 1. */
typedef struct scale {
    double low, high;
    bool log;
} scale;

static double place(const scale *s, double v)
{
    if (s->high == s->low) return 0.5;
    if (s->log) return log(v / s->low) / log(s->high / s->low);
    return (v - s->low) / (s->high - s->low);
}

static double at(const scale *s, double part)
{
    if (s->log) return s->low * pow(s->high / s->low, part);
    return s->low + part * (s->high - s->low);
}

/* With half a cell on both sides, or room for the discs. */
static scale scale_of(const sweep *s, int axis)
{
    const sweep_axis *a = &s->axis[axis];
    scale c = { INFINITY, -INFINITY, a->log };

    for (int r = 0; r < s->rows; r++) {
        c.low = fmin(c.low, sweep_value(s, r, axis));
        c.high = fmax(c.high, sweep_value(s, r, axis));
    }
    if (c.high == c.low) return c;
    const double half = s->random || a->list ? 0.04 : 0.5 / (a->count - 1);
    return (scale){ at(&c, -half), at(&c, 1.0 + half), a->log };
}

static void put_run(const sweep *s, FILE *out, const scale c[2], int row,
                    double part)
{
    const bool cells = !s->random && !s->axis[0].list && !s->axis[1].list;
    const double x = LEFT + WIDE * place(&c[0], sweep_value(s, row, 0));
    const double y = HIGH * (1.0 - place(&c[1], sweep_value(s, row, 1)));
    const double w = cells ? (double)WIDE / s->axis[0].count : 8.0;
    const double h = cells ? (double)HIGH / s->axis[1].count : 8.0;

    if (isnan(part)) {
        fprintf(out,
                "<path d=\"M%.2f %.2fl8 8m0 -8l-8 8\" stroke=\"#c00\" "
                "stroke-width=\"1.5\"/>\n",
                x - 4.0, TOP + y - 4.0);
        return;
    }
    if (cells)
        fprintf(out,
                "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"",
                x - w / 2.0, TOP + y - h / 2.0, w + 0.3, h + 0.3);
    else
        fprintf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"5\"", x, TOP + y);
    fputs(" fill=\"", out);
    put_colour(out, part);
    fputs("\"/>\n", out);
}

/* The least of 1, 2, 5, 10, 20, ... times a power of ten that is not below x. */
static double round_step(double x)
{
    const double ten = pow(10.0, floor(log10(x)));

    for (double k = 1.0; k < 10.0; k = k == 2.0 ? 5.0 : 2.0 * k)
        if (k * ten >= x * (1.0 - 1e-9)) return k * ten;
    return 10.0 * ten;
}

/* 1, 2, 5, 10, 20, ... between two values; 0: they are more than TICKS. */
static int find_steps(const scale *s, double *tick)
{
    static const double step[] = { 1.0, 2.0, 5.0 };
    int count = 0;

    for (double e = floor(log10(s->low)); e <= log10(s->high); e++)
        for (int k = 0; k < 3; k++) {
            const double v = step[k] * pow(10.0, e);
            if (v < s->low || v > s->high) continue;
            if (count == TICKS) return 0;
            tick[count++] = v;
        }
    return count;
}

/* Round values on an axis; at most TICKS. */
static int find_ticks(const scale *s, double *tick)
{
    int count = 0;

    if (!(s->high > s->low)) {
        tick[0] = s->low;
        return 1;
    }
    if (s->log && (count = find_steps(s, tick)) > 1) return count;
    count = 0;
    if (s->log && s->high > 10.0 * s->low) {
        const double first = ceil(log10(s->low) - 1e-9);
        const double step =
            ceil((log10(s->high) - first + 1.0) / (double)TICKS);
        for (double e = first; e <= log10(s->high) + 1e-9 && count < TICKS;
             e += step)
            tick[count++] = pow(10.0, e);
        if (count > 1) return count;
        count = 0;
    }
    const double step = round_step((s->high - s->low) / (TICKS - 2));
    const double first = ceil(s->low / step - 1e-9);
    for (int k = 0; k < TICKS; k++) {
        const double v = (first + k) * step;
        if (v > s->high + 1e-9 * step) break;
        tick[count++] = v;
    }
    return count;
}

static void put_axes(const sweep *s, FILE *out, const scale c[2])
{
    double tick[TICKS];
    int count = find_ticks(&c[0], tick);

    for (int k = 0; k < count; k++) {
        const double x = LEFT + WIDE * place(&c[0], tick[k]);
        fprintf(out,
                "<path d=\"M%.1f %dv4\" stroke=\"#333\"/>\n"
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.6g"
                "</text>\n",
                x, TOP + HIGH, x, TOP + HIGH + 18, tick[k]);
    }
    count = find_ticks(&c[1], tick);
    for (int k = 0; k < count; k++) {
        const double y = TOP + HIGH * (1.0 - place(&c[1], tick[k]));
        fprintf(out,
                "<path d=\"M%d %.1fh-4\" stroke=\"#333\"/>\n"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.6g"
                "</text>\n",
                LEFT, y, LEFT - 7, y + 4.0, tick[k]);
    }
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
            LEFT + WIDE / 2, TOP + HIGH + 40);
    put_text(out, s->axis[0].name);
    fprintf(out,
            "</text>\n<text transform=\"translate(18 %d) rotate(-90)\" "
            "text-anchor=\"middle\">",
            TOP + HIGH / 2);
    put_text(out, s->axis[1].name);
    fputs("</text>\n", out);
}

static void put_bar(FILE *out, double low, double high)
{
    enum { STRIPES = 60 };

    for (int k = 0; k < STRIPES; k++) {
        fprintf(out,
                "<rect x=\"%d\" y=\"%.2f\" width=\"18\" height=\"%.2f\" "
                "fill=\"",
                LEFT + WIDE + 25, TOP + HIGH * (1.0 - (k + 1.0) / STRIPES),
                (double)HIGH / STRIPES + 0.3);
        put_colour(out, (k + 0.5) / STRIPES);
        fputs("\"/>\n", out);
    }
    const scale c = { low, high, false };
    double tick[TICKS];
    const int count = find_ticks(&c, tick);
    for (int k = 0; k < count; k++) {
        const double y = TOP + HIGH * (1.0 - place(&c, tick[k]));
        fprintf(out,
                "<path d=\"M%d %.1fh4\" stroke=\"#333\"/>\n"
                "<text x=\"%d\" y=\"%.1f\">%.6g</text>\n",
                LEFT + WIDE + 43, y, LEFT + WIDE + 50, y + 4.0, tick[k]);
    }
}

static void put_panel(const sweep *s, FILE *out, int k)
{
    const scale c[2] = { scale_of(s, 0), scale_of(s, 1) };
    double low = INFINITY, high = -INFINITY;

    for (int r = 0; r < s->rows; r++) {
        low = fmin(low, s->value[r * s->measures + k]);
        high = fmax(high, s->value[r * s->measures + k]);
    }
    /* The labels of the bar have six digits. */
    const bool same = high - low <= 1e-6 * fmax(fabs(low), fabs(high));
    fprintf(out,
            "<g transform=\"translate(0 %d)\">\n<text x=\"%d\" y=\"30\" "
            "text-anchor=\"middle\" font-weight=\"bold\">",
            k * PANEL, LEFT + WIDE / 2);
    put_text(out, s->measure[k]);
    if (same) fprintf(out, " = %.6g", high);
    fputs("</text>\n", out);
    for (int r = 0; r < s->rows; r++) {
        const double v = s->value[r * s->measures + k];
        put_run(s, out, c, r, same ? v - v : (v - low) / (high - low));
    }
    fprintf(out,
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
            "stroke=\"#333\"/>\n",
            LEFT, TOP, WIDE, HIGH);
    put_axes(s, out, c);
    if (low < high && !same) put_bar(out, low, high);
    fputs("</g>\n", out);
}

int sweep_map(const sweep *s, const char *path)
{
    enum { MOST = 8 };
    const int panels = s->measures < MOST ? s->measures : MOST;

    if (!cli_ends_in(path, ".svg"))
        return cli_usage("--picture %s: a map of two parameters is a .svg "
                         "file",
                         path);
    FILE *out = fopen(path, "w");
    if (out) {
        fprintf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
                "height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">\n"
                "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                FULL, panels * PANEL);
        for (int k = 0; k < panels; k++) put_panel(s, out, k);
        fputs("</svg>\n", out);
    }
    return sweep_close(out, path);
}
