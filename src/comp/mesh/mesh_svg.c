/* comp/mesh/mesh_svg.c -- a mesh, and a field on it, as a picture.
 *
 * All triangles of one colour are one path, so the file stays small.  Lines of
 * equal potential are straight in each triangle.
 */
#include "base/compare.h"
#include "base/text.h"
#include "comp/mesh/mesh.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 760, MARGIN = 20, LEGEND = 190, COLOURS = 24, TONES = 8 };

/* Light ones, told apart by everyone. */
static const char *const tone[TONES] = { "#cfe2f3", "#f9d5b8", "#c8e6c9",
                                         "#e6cfe6", "#fff2b3", "#d9d9d9",
                                         "#bfe9f2", "#f3c6c6" };

typedef struct side {
    yk_pair ends;
    int region;
} side;

typedef struct sketch {
    const yoke_mesh *mesh;
    const yoke_mesh_paint *paint;
    FILE *out;
    double x, y, scale, height; /* corner, pixels per unit */
    double most;                /* density */
} sketch;

static double to_x(const sketch *s, double x)
{
    return MARGIN + (x - s->x) * s->scale;
}

static double to_y(const sketch *s, double y)
{
    return s->height + MARGIN + 24 - (y - s->y) * s->scale;
}

static void measure(sketch *s)
{
    const yoke_mesh *m = s->mesh;
    double right = -INFINITY, top = -INFINITY;

    s->x = s->y = INFINITY;
    for (int k = 0; k < m->nodes; k++) {
        s->x = fmin(s->x, m->x[k]);
        s->y = fmin(s->y, m->y[k]);
        right = fmax(right, m->x[k]);
        top = fmax(top, m->y[k]);
    }
    s->scale = SIDE / fmax(right - s->x, top - s->y);
    s->height = (top - s->y) * s->scale;
    for (int e = 0; s->paint->density && e < m->triangles; e++)
        s->most = fmax(s->most, s->paint->density[e]);
    const double width = (right - s->x) * s->scale;
    fprintf(s->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
            "height=\"%.0f\" font-family=\"sans-serif\" font-size=\"14\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            width + 2 * MARGIN + LEGEND,
            fmax(s->height + 2 * MARGIN + 24, 260.0));
}

/* Blue over white to red would hide nothing at the ends; this runs from dark
 * blue over green to yellow, brighter with every step. */
static void colour_of(int bin, char text[8])
{
    static const int key[5][3] = { { 48, 18, 99 },
                                   { 38, 86, 150 },
                                   { 33, 145, 140 },
                                   { 122, 209, 81 },
                                   { 253, 231, 37 } };
    const double at = 4.0 * bin / (COLOURS - 1);
    const int k = at >= 4.0 ? 3 : (int)at;
    int c[3];

    for (int j = 0; j < 3; j++)
        c[j] = key[k][j] + (int)((at - k) * (key[k + 1][j] - key[k][j]));
    snprintf(text, 8, "#%02x%02x%02x", (unsigned)c[0] & 255u,
             (unsigned)c[1] & 255u, (unsigned)c[2] & 255u);
}

static int group_of(const sketch *s, int e)
{
    if (!s->paint->density) return s->mesh->region_of[e];
    if (!(s->most > 0.0)) return 0;
    return (int)fmin(COLOURS - 1, COLOURS * s->paint->density[e] / s->most);
}

static void put_triangles(const sketch *s)
{
    const yoke_mesh *m = s->mesh;
    const int groups = s->paint->density ? COLOURS : m->regions;

    for (int g = 0; g < groups; g++) {
        char colour[8];
        bool any = false;
        if (s->paint->density)
            colour_of(g, colour);
        else
            memcpy(colour, tone[g % TONES], 8);
        for (int e = 0; e < m->triangles; e++) {
            const int *v = m->triangle[e];
            if (group_of(s, e) != g) continue;
            if (!any)
                fprintf(s->out,
                        "<path fill=\"%s\" stroke=\"%s\" stroke-width=\"0.4\" "
                        "d=\"",
                        colour, s->paint->density ? colour : "#777777");
            any = true;
            for (int k = 0; k < 3; k++)
                fprintf(s->out, "%s%.1f %.1f", k ? "L" : "M",
                        to_x(s, m->x[v[k]]), to_y(s, m->y[v[k]]));
            fputs("Z", s->out);
        }
        if (any) fputs("\"/>\n", s->out);
    }
}

/* Sides with another region, or nothing, on the other side. */
static void put_outlines(const sketch *s, side *list)
{
    const yoke_mesh *m = s->mesh;
    const int count = 3 * m->triangles;

    for (int e = 0; e < m->triangles; e++)
        for (int k = 0; k < 3; k++) {
            const int v = m->triangle[e][k], w = m->triangle[e][(k + 1) % 3];
            list[3 * e + k] =
                (side){ { v < w ? v : w, v < w ? w : v }, m->region_of[e] };
        }
    qsort(list, (size_t)count, sizeof *list, yk_compare_pairs);
    fprintf(s->out,
            "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.2\" d=\"",
            s->paint->density ? "#bbbbbb" : "#333333");
    for (int k = 0; k < count; k++) {
        if (k + 1 < count && yk_compare_pairs(&list[k], &list[k + 1]) == 0 &&
            list[k].region == list[k + 1].region) {
            k++;
            continue;
        }
        fprintf(s->out, "M%.1f %.1fL%.1f %.1f", to_x(s, m->x[list[k].ends.a]),
                to_y(s, m->y[list[k].ends.a]), to_x(s, m->x[list[k].ends.b]),
                to_y(s, m->y[list[k].ends.b]));
        if (k + 1 < count && yk_compare_pairs(&list[k], &list[k + 1]) == 0) k++;
    }
    fputs("\"/>\n", s->out);
}

/* The line of one level in one triangle. */
static void put_level(const sketch *s, const int v[3], double level)
{
    const yoke_mesh *m = s->mesh;
    const double *a = s->paint->potential;
    int ends = 0;

    for (int k = 0; k < 3; k++) {
        const int i = v[k], j = v[(k + 1) % 3];
        if ((a[i] < level) == (a[j] < level)) continue;
        const double part = (level - a[i]) / (a[j] - a[i]);
        fprintf(s->out, "%s%.1f %.1f", ends++ ? "L" : "M",
                to_x(s, m->x[i] + part * (m->x[j] - m->x[i])),
                to_y(s, m->y[i] + part * (m->y[j] - m->y[i])));
    }
}

static void put_levels(const sketch *s)
{
    const yoke_mesh *m = s->mesh;
    const double *a = s->paint->potential;
    const int lines = s->paint->lines > 0 ? s->paint->lines : 20;
    double low = INFINITY, high = -INFINITY;

    for (int k = 0; k < m->nodes; k++) {
        low = fmin(low, a[k]);
        high = fmax(high, a[k]);
    }
    if (!(high > low)) return;
    fputs("<path fill=\"none\" stroke=\"black\" stroke-width=\"0.8\" d=\"",
          s->out);
    for (int e = 0; e < m->triangles; e++)
        for (int k = 0; k < lines; k++)
            put_level(s, m->triangle[e],
                      low + (high - low) * (k + 0.5) / lines);
    fputs("\"/>\n", s->out);
}

static void put_legend(const sketch *s)
{
    const yoke_mesh *m = s->mesh;
    double right = 0.0;

    for (int k = 0; k < m->nodes; k++) right = fmax(right, to_x(s, m->x[k]));
    right += MARGIN;
    if (s->paint->title) {
        fprintf(s->out, "<text x=\"%d\" y=\"22\">", MARGIN);
        yk_xml_write(s->out, s->paint->title);
        fputs("</text>\n", s->out);
    }
    for (int g = 0; !s->paint->density && g < m->regions; g++) {
        fprintf(s->out,
                "<rect x=\"%.0f\" y=\"%d\" width=\"18\" height=\"14\" "
                "fill=\"%s\" stroke=\"#333333\"/><text x=\"%.0f\" y=\"%d\">",
                right, 44 + 24 * g, tone[g % TONES], right + 26, 56 + 24 * g);
        yk_xml_write(s->out, m->region[g]);
        fputs("</text>\n", s->out);
    }
    for (int g = 0; s->paint->density && g < COLOURS; g++) {
        char colour[8];
        colour_of(g, colour);
        fprintf(s->out,
                "<rect x=\"%.0f\" y=\"%d\" width=\"18\" height=\"8\" "
                "fill=\"%s\"/>\n",
                right, 60 + 8 * (COLOURS - 1 - g), colour);
    }
    if (!s->paint->density) return;
    fprintf(s->out,
            "<text x=\"%.0f\" y=\"66\">%.3g</text><text x=\"%.0f\" y=\"%d\">0"
            "</text><text x=\"%.0f\" y=\"48\">",
            right + 26, s->most, right + 26, 60 + 8 * COLOURS, right);
    yk_xml_write(s->out, s->paint->label ? s->paint->label : "");
    fputs("</text>\n", s->out);
}

yoke_status yoke_mesh_draw(const yoke_mesh *mesh, const char *path,
                           const yoke_mesh_paint *paint, yoke_err *err)
{
    YK_POINT;
    static const yoke_mesh_paint plain = { NULL, NULL, 0, NULL, NULL };
    sketch s = { .mesh = mesh, .paint = paint ? paint : &plain };
    side *list = NULL;

    YK_TRY(YK_NEW(&list, 3 * (size_t)mesh->triangles, err));
    s.out = fopen(path, "w");
    if (!s.out) {
        yk_free(list);
        return yk_fail(err, YOKE_E_FILE, "cannot write \"%.300s\": %s", path,
                       strerror(errno));
    }
    measure(&s);
    put_triangles(&s);
    put_outlines(&s, list);
    if (s.paint->potential) put_levels(&s);
    put_legend(&s);
    fputs("</svg>\n", s.out);
    yk_free(list);
    const bool bad = ferror(s.out) != 0;
    if (fclose(s.out) != 0 || bad)
        return yk_fail(err, YOKE_E_FILE, "\"%.300s\" could not be written",
                       path);
    return YOKE_OK;
}
