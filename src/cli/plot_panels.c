/* cli/plot_panels.c -- which variables a picture shows, and in which panel. */
#include "cli/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Without -v: panels, curves in each, curves in all.  With it: panels. */
enum { FEW_PANELS = 4, FEW_IN_PANEL = 5, FEW_CURVES = 12, MOST_PANELS = 20 };

/* Lines that can be told apart: seven colours, four patterns. */
enum { MOST_IN_PANEL = 28 };

/* Elements of arrays are shown where there are fewer plain variables, and of a
 * long one so many. */
enum { FEW_PLAIN = 3, FEW_MEMBERS = 4 };

/* Curves of one unit whose sizes differ by more than this are drawn apart: the
 * smaller one would be a line of a few pixels.  Without a unit they may be
 * anything, and are not drawn together as easily. */
static const double same_unit = 30.0, no_unit = 10.0;

/* ---- one column ---------------------------------------------------------- */

typedef struct extent {
    double least, most;
} extent;

static extent extent_of(const yoke_table *t, int column)
{
    extent e = { INFINITY, -INFINITY };

    for (int i = 0; i < t->rows; i++) {
        const double *row = t->value + (size_t)i * (size_t)t->cols;
        if (!isfinite(row[column])) continue;
        e.least = fmin(e.least, row[column]);
        e.most = fmax(e.most, row[column]);
    }
    return e;
}

static double size_of(extent e)
{
    return e.most >= e.least ? fmax(fabs(e.least), fabs(e.most)) : 0.0;
}

static bool is_constant(extent e)
{
    return !(e.most - e.least > 1e-9 * size_of(e));
}

static const char *unit_of(const yoke_table *t, int column)
{
    return t->unit && t->unit[column] ? t->unit[column] : "";
}

/* ---- panels -------------------------------------------------------------- */

typedef struct panel {
    const char *unit;
    double least, most; /* sizes of its curves */
    int curves;
} panel;

/* By how much the sizes would differ, 1 or more; INFINITY: another unit. */
static double spread(const panel *p, const char *unit, double size)
{
    if (strcmp(p->unit, unit) != 0) return INFINITY;
    if (size == 0.0 || p->most == 0.0) return 1.0;
    return fmax(p->most, size) / fmin(p->least, size);
}

static void join(panel *p, double size)
{
    if (size > 0.0) {
        p->least = p->most > 0.0 ? fmin(p->least, size) : size;
        p->most = fmax(p->most, size);
    }
    p->curves++;
}

typedef struct panels {
    int count, most, in_each;
    bool strict; /* a curve that fits nowhere is left out */
    panel panel[MOST_PANELS];
} panels;

/* The panel of a curve, or -1: there is no room. */
static int find_panel(panels *p, const char *unit, double size)
{
    const double limit = unit[0] ? same_unit : no_unit;
    double best = INFINITY;
    int where = -1;

    for (int k = 0; k < p->count; k++) {
        const double s = spread(&p->panel[k], unit, size);
        if (s >= best || p->panel[k].curves >= p->in_each) continue;
        best = s;
        where = k;
    }
    if (best <= limit) return where;
    if (p->count == p->most) return p->strict ? -1 : where;
    p->panel[p->count] = (panel){ unit, 0.0, 0.0, 0 };
    return p->count++;
}

void cli_plot_panels(cli_picture *p)
{
    panels all = { 0, MOST_PANELS, MOST_IN_PANEL, false, { { 0 } } };

    for (int i = 0; i < p->curves; i++) {
        yoke_curve *c = &p->curve[i];
        const char *name = c->table->name[c->column];
        const double size = size_of(extent_of(c->table, c->column));
        int k = -1;
        for (int j = 0; j < i && k < 0; j++) /* the same of another result */
            if (strcmp(p->curve[j].table->name[p->curve[j].column], name) == 0)
                k = p->curve[j].panel;
        if (k < 0) k = find_panel(&all, unit_of(c->table, c->column), size);
        c->panel = k < 0 ? all.count - 1 : k;
        join(&all.panel[c->panel], size);
    }
}

void cli_plot_drop_empty(cli_picture *p)
{
    int kept = 0;

    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1 && kept == 0) return;
        kept = 0;
        for (int i = 0; i < p->curves; i++) {
            const yoke_curve c = p->curve[i];
            const yoke_table *t = c.table;
            int k = 0;
            while (
                k < t->rows &&
                !isfinite(
                    t->value[(size_t)k * (size_t)t->cols + (size_t)c.column]))
                k++;
            if (k == t->rows && pass == 1)
                cli_log(CLI_WARNING, "%s is left out: it has no finite value",
                        t->name[c.column]);
            if (k == t->rows) continue;
            if (pass == 1) p->curve[kept] = c;
            kept++;
        }
    }
    p->curves = kept;
}

/* ---- without -v ---------------------------------------------------------- */

/* A variable that couples subsystems, by the note "signals". */
static bool couples(const char *signals, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = signals; at && *at;) {
        if (strncmp(at, name, length) == 0 && at[length] == '\t') return true;
        at = strchr(at, '\n');
        if (at) at++;
    }
    return false;
}

/* The largest of the columns with this unit. */
static double largest_of(const yoke_table *t, const char *unit)
{
    double most = 0.0;

    for (int c = 1; c < t->cols; c++)
        if (strcmp(unit_of(t, c), unit) == 0)
            most = fmax(most, size_of(extent_of(t, c)));
    return most;
}

/* Against what else has its unit, and against anything, only rounding errors.
 */
static bool is_noise(const yoke_table *t, int column)
{
    const double size = size_of(extent_of(t, column));

    return size < 1e-12 && size < 1e-12 * largest_of(t, unit_of(t, column));
}

/* The absolute tolerance of the run, by the note "options"; 0: not known. */
static double tolerance_of(const yoke_notes *notes)
{
    const char *options = notes ? yoke_notes_find(notes, "options") : NULL;
    const char *at = options ? strstr(options, "\natol\t") : NULL;

    return at ? strtod(at + 6, NULL) : 0.0;
}

/* The run did not resolve it to a hundredth, and it is small against what else
 * has its unit: behind a long filter, before a front arrives. */
static bool is_unresolved(const yoke_table *t, int column, double tolerance)
{
    const double size = size_of(extent_of(t, column));

    return size < 100.0 * tolerance &&
           size < 1e-3 * largest_of(t, unit_of(t, column));
}

/* An element of an array with more than a few of them, of which some over its
 * length are enough. */
static bool is_between(const yoke_table *t, int column)
{
    const char *name = t->name[column], *open = strchr(name, '[');
    const size_t length = open ? (size_t)(open - name) + 1 : 0;
    int members = 0, place = 0;

    for (int c = 1; open && c < t->cols; c++) {
        if (strncmp(t->name[c], name, length) != 0) continue;
        if (c < column) place++;
        members++;
    }
    if (members <= FEW_MEMBERS) return false;
    for (int k = 0; k < FEW_MEMBERS; k++)
        if (place == k * (members - 1) / (FEW_MEMBERS - 1)) return false;
    return true;
}

/* How good a column is: what couples, then plain names, then elements of
 * arrays, then nodes inside of devices (d1#internal) and what is not resolved;
 * what never changes is not shown. */
static int rank(const yoke_table *t, int column, const char *signals,
                double tolerance)
{
    const char *name = t->name[column];

    if (is_constant(extent_of(t, column)) || is_noise(t, column)) return -1;
    if (strchr(name, '#') || is_unresolved(t, column, tolerance)) return 3;
    if (couples(signals, name)) return 0;
    return strchr(name, '[') ? 2 : 1;
}

/* One of those chosen looks the same. */
static bool is_like(const yoke_table *t, int c, int count, const int *column)
{
    const extent e = extent_of(t, c);
    const double near = 1e-3 * (e.most - e.least);

    for (int k = 0; k < count; k++) {
        int i = 0;
        while (i < t->rows) {
            const double *row = t->value + (size_t)i * (size_t)t->cols;
            if (!(fabs(row[c] - row[column[k]]) <= near)) break;
            i++;
        }
        if (i == t->rows) return true;
    }
    return false;
}

int cli_plot_usual(cli_picture *p, int file, const char *path, int *column)
{
    const yoke_table *t = p->table[file];
    panels all = { 0, FEW_PANELS, FEW_IN_PANEL, true, { { 0 } } };
    yoke_notes *notes = NULL;
    const char *signals = NULL;
    int count = 0;

    if (yoke_notes_read(&notes, path, NULL) == YOKE_OK)
        signals = yoke_notes_find(notes, "signals");
    const double tolerance = tolerance_of(notes);
    for (int r = 0; r <= 3 && (r < 2 || count < (r == 2 ? FEW_PLAIN : 1)); r++)
        for (int c = 1; c < t->cols && count < FEW_CURVES; c++) {
            if (rank(t, c, signals, tolerance) != r ||
                (r == 2 && is_between(t, c)) || is_like(t, c, count, column))
                continue;
            const double size = size_of(extent_of(t, c));
            const int k = find_panel(&all, unit_of(t, c), size);
            if (k < 0) continue;
            join(&all.panel[k], size);
            column[count++] = c;
        }
    yoke_notes_free(notes);
    for (int c = 1; c < t->cols && c <= FEW_IN_PANEL && count < c; c++)
        column[count++] = c; /* nothing changes */
    return count;
}
