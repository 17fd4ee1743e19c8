/* io/plot.c -- pictures by gnuplot, without a shell.
 *
 * gnuplot reads a script and the data from a temporary file, writes the picture
 * into another and its messages into a third.  No path and no shell is in the
 * script, so nothing in a name can become a command: texts are between single
 * quotes, where gnuplot substitutes nothing, and have none inside.  The picture
 * replaces an older one only when it is complete.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/text.h"
#include "io/entry.h"
#include "io/format.h"
#include "io/prefix.h"
#include "io/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { WIDTH = 960, HEIGHT = 540, LEAST_SIZE = 100, MOST_SIZE = 10000 };
enum { LONG_LABEL = 24, FEW_CURVES = 20, MOST_PANELS = 20 };

/* Pixels: of a panel, of all around them, of a letter, of a line of the legend. */
enum { PANEL = 180, AROUND = 110, LETTER = 9, LINE = 21 };

/* Okabe and Ito's palette, told apart by everyone, without its yellow. */
static const char *const colours[] = { "#0072B2", "#D55E00", "#009E73",
                                       "#CC79A7", "#E69F00", "#56B4E9",
                                       "#000000" };
enum { COLOURS = sizeof colours / sizeof colours[0] };

extern char **environ; /* handed on, not read */

typedef struct picture {
    const char *path;
    bool is_svg;
    int curves, panels;
    const yoke_curve *curve;
    yoke_plot_options options;
    yk_unit_prefix x_prefix, y_prefix[MOST_PANELS];
    FILE *script, *image, *messages;
} picture;

static const char *label_of(const yoke_curve *c)
{
    return c->label ? c->label : c->table->name[c->column];
}

/* ---- The script ---------------------------------------------------------- */

/* gnuplot 5.4 mistakes a doubled quote at the beginning of a string, so a quote
 * becomes an apostrophe. */
static void put_text(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs("\xE2\x80\x99", out);
        else
            fputc(iscntrl((unsigned char)*text) ? ' ' : *text, out);
}

/* Not the first byte of a letter. */
static bool is_inside(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

static void put_quoted(FILE *out, const char *before, const char *text,
                       const char *after)
{
    fprintf(out, "%s'", before);
    put_text(out, text);
    fprintf(out, "'%s", after);
}

static void put_terminal(const picture *p)
{
    const int w = p->options.width, h = p->options.height;

    if (p->is_svg) {
        fprintf(p->script,
                "set terminal svg size %d,%d noenhanced font 'Sans,14' "
                "background rgb 'white'\n",
                w, h);
        return;
    }
    fprintf(p->script,
            "if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) "
            "set terminal pngcairo size %d,%d noenhanced font 'Sans,12'; "
            "else set terminal png size %d,%d noenhanced\n",
            w, h, w, h);
}

static size_t longest_label(const picture *p)
{
    size_t longest = 0;

    for (int i = 0; i < p->curves; i++) {
        const size_t length = strlen(label_of(&p->curve[i]));
        if (length > longest) longest = length;
    }
    return longest;
}

/* Pixels beside the panels. */
static double legend_width(const picture *p)
{
    return fmin((double)longest_label(p) * LETTER + 78.0,
                0.4 * p->options.width);
}

static const yk_unit_prefix none = { 1.0, "", NULL };

/* `name [unit]`; the unit may be empty. */
static void put_axis(FILE *out, const char *axis, const char *name,
                     const yk_unit_prefix *prefix, const char *unit)
{
    if (prefix->unit) unit = prefix->unit;
    fprintf(out, "set %s '", axis);
    put_text(out, name);
    if (unit && unit[0]) {
        fprintf(out, "%s%s", name[0] ? " [" : "[", prefix->text);
        put_text(out, unit);
        fputc(']', out);
    }
    fputs("'\n", out);
}

static const char *unit_of(const yoke_table *t, int column)
{
    return t->unit && t->unit[column] ? t->unit[column] : "";
}

static int x_of(const picture *p, const yoke_curve *c)
{
    return c->x_column > 0 ? c->x_column : p->options.x_column;
}

static int count_curves(const picture *p, int panel, const yoke_curve **first)
{
    int count = 0;

    for (int i = 0; i < p->curves; i++) {
        if (p->curve[i].panel != panel) continue;
        if (count++ == 0) *first = &p->curve[i];
    }
    return count;
}

/* The unit of all curves of a panel, or NULL if they differ. */
static const char *common_unit(const picture *p, int panel)
{
    const char *unit = NULL;

    for (int i = 0; i < p->curves; i++) {
        const yoke_curve *c = &p->curve[i];
        if (c->panel != panel) continue;
        if (unit && strcmp(unit_of(c->table, c->column), unit) != 0)
            return NULL;
        unit = unit_of(c->table, c->column);
    }
    return unit;
}

static void put_x_label(const picture *p)
{
    const yoke_plot_options *o = &p->options;
    const yoke_curve *c = &p->curve[0];

    if (o->x_label)
        put_axis(p->script, "xlabel", o->x_label, &none, NULL);
    else
        put_axis(p->script, "xlabel", c->table->name[x_of(p, c)], &p->x_prefix,
                 unit_of(c->table, x_of(p, c)));
}

static void put_labels(const picture *p, int panel)
{
    const yoke_plot_options *o = &p->options;
    const yoke_curve *first = NULL;
    const int count = count_curves(p, panel, &first);

    if (o->title && panel == 0)
        put_quoted(p->script, "set title ", o->title, "\n");
    else
        fputs("unset title\n", p->script);
    if (panel + 1 == p->panels) put_x_label(p);
    if (o->y_label)
        put_axis(p->script, "ylabel", o->y_label, &none, NULL);
    else
        put_axis(p->script, "ylabel",
                 count == 1 && p->panels == 1 ? label_of(first) : "",
                 &p->y_prefix[panel], common_unit(p, panel));
}

static void range_of_x(const picture *p, double *out_least, double *out_most)
{
    double least = INFINITY, most = -INFINITY;

    for (int i = 0; i < p->curves; i++) {
        const yoke_table *t = p->curve[i].table;
        for (int k = 0; k < t->rows; k++) {
            const double x = yk_entry(t, k, x_of(p, &p->curve[i]));
            least = fmin(least, x);
            most = fmax(most, x);
        }
    }
    *out_least = least;
    *out_most = most;
}

/* Digits that tell the labels of the x axis apart. */
static int digits_of_x(const picture *p)
{
    double least = 0.0, most = 0.0;

    range_of_x(p, &least, &most);
    const double size = fmax(fabs(least), fabs(most));
    if (!(most > least) || !isfinite(size)) return 6;
    return (int)fmin(fmax(6.0, 3.0 + ceil(log10(size / (most - least)))), 16.0);
}

/* Beside the curves, and below them when the labels are long or many. */
static void put_legend(const picture *p)
{
    const size_t longest = longest_label(p);

    if (p->panels > 1)
        fprintf(p->script,
                "set key at screen %.4f, graph 1 left top vertical Left "
                "reverse samplen 1.5 spacing 1.1\n",
                1.0 - (legend_width(p) - 12.0) / p->options.width);
    else if (p->curves == 1)
        fprintf(p->script, "unset key\nset rmargin %d\n",
                digits_of_x(p) > 6 ? digits_of_x(p) : 4);
    else if (longest <= LONG_LABEL && p->curves <= FEW_CURVES)
        fputs("set key outside right top vertical Left reverse samplen 2 "
              "spacing 1.25\n",
              p->script);
    else
        fputs("set key outside bottom center horizontal Left reverse samplen 2 "
              "spacing 1.25 height 1\n",
              p->script);
}

static void put_x_format(const picture *p)
{
    if (digits_of_x(p) > 6)
        fprintf(p->script, "set format x '%%.%dg'\nset xtics rotate by -30\n",
                digits_of_x(p));
    else
        fputs("set format x '%g'\n", p->script);
}

/* Range of the curves of a panel; least > most: there are no numbers. */
static void range_of(const picture *p, int panel, double *least, double *most)
{
    *least = INFINITY;
    *most = -INFINITY;
    for (int k = 0; k < p->curves; k++) {
        const yoke_curve *c = &p->curve[k];
        if (c->panel != panel) continue;
        for (int i = 0; i < c->table->rows; i++) {
            const double v = yk_entry(c->table, i, c->column);
            if (!isfinite(v)) continue;
            *least = fmin(*least, v);
            *most = fmax(*most, v);
        }
    }
}

/* Digits with which the labels of the vertical axis differ from each other. */
static int digits_of_y(const picture *p, int panel)
{
    double least = 0.0, most = 0.0;

    range_of(p, panel, &least, &most);
    const double size = fmax(fabs(least), fabs(most));
    if (p->options.log_y || !(most > least)) return 2;
    return (int)fmin(2.0 + ceil(log10(size / (most - least))), 15.0);
}

/* Hours and days where a piece of a long run is shorter than one would be as
 * unreadable as seconds. */
static void keep_seconds(yk_unit_prefix *prefix, double length)
{
    if (prefix->unit && length < prefix->by) *prefix = none;
}

/* Axes that have a label of the caller's stay as they are, and so do
 * logarithmic ones, and those with more digits than an SI prefix has. */
static void find_prefixes(picture *p)
{
    const yoke_curve *c = &p->curve[0];
    double least = 0.0, most = 0.0;

    range_of_x(p, &least, &most);
    p->x_prefix = yk_unit_prefix_find(
        fmax(fabs(least), fabs(most)),
        p->options.x_label ? NULL : unit_of(c->table, x_of(p, c)));
    keep_seconds(&p->x_prefix, most - least);
    for (int panel = 0; panel < p->panels; panel++) {
        range_of(p, panel, &least, &most);
        p->y_prefix[panel] = yk_unit_prefix_find(
            fmax(fabs(least), fabs(most)),
            p->options.y_label || p->options.log_y || digits_of_y(p, panel) > 6
                ? NULL
                : common_unit(p, panel));
        keep_seconds(&p->y_prefix[panel], most - least);
    }
}

/* Letters of the longest label of any vertical axis, at most. */
static int letters_of_y(const picture *p)
{
    int letters = 5;

    for (int panel = 0; panel < p->panels; panel++) {
        double least = 0.0, most = 0.0;
        range_of(p, panel, &least, &most);
        const double size =
            fmax(fabs(least), fabs(most)) / p->y_prefix[panel].by;
        const double power = size > 0.0 ? floor(log10(size)) : 0.0;
        const int digits = digits_of_y(p, panel);
        int n = digits + 1 + (least < 0.0); /* and the point */
        if (power < -4.0 || power >= fmax(6.0, digits))
            n += 4; /* e-12 */
        else if (power < 0.0)
            n += (int)-power;
        if (n > letters) letters = n;
    }
    return letters;
}

/* The least positive value of a panel, at most `most`. */
static double least_positive(const picture *p, int panel, double most)
{
    for (int k = 0; k < p->curves; k++) {
        const yoke_curve *c = &p->curve[k];
        for (int i = 0; i < c->table->rows && c->panel == panel; i++) {
            const double v = yk_entry(c->table, i, c->column);
            if (v > 0.0 && v < most) most = v;
        }
    }
    return most;
}

/* A logarithmic axis of about a decade has labels at equal distances: gnuplot's
 * own are at powers of ten. */
static void put_log_format(const picture *p, int panel)
{
    double low = 0.0, most = 0.0;

    range_of(p, panel, &low, &most);
    const double least = least_positive(p, panel, most);
    if (most > 20.0 * least || !(most > least)) {
        fputs("set format y '%.0e'\nset ytics autofreq\n", p->script);
        return;
    }
    double step = pow(10.0, floor(log10(most - least)));
    if (most - least < 4.0 * step) step /= 2.0;
    fputs("set format y '%.6g'\nset ytics (", p->script);
    for (double k = ceil(least / step); k * step <= most; k++)
        fprintf(p->script, "%s%.12g", k * step < least + step ? "" : ", ",
                k * step);
    fputs(")\n", p->script);
}

static void put_y_format(const picture *p, int panel)
{
    if (p->options.log_y)
        put_log_format(p, panel);
    else if (digits_of_y(p, panel) > 6)
        fprintf(p->script, "set format y '%%.%dg'\n", digits_of_y(p, panel));
    else
        fputs("set format y '%g'\n", p->script);
}

/* Over few decades 1, 2, 5, 10, ... have labels. */
static void put_log_x(const picture *p)
{
    static const double step[] = { 1.0, 2.0, 5.0 };
    const char *between = "set xtics (";
    double least = 0.0, most = 0.0;

    range_of_x(p, &least, &most);
    fputs("set logscale x\n", p->script);
    if (!(least > 0.0) || most > 2000.0 * least) return;
    for (double ten = pow(10.0, floor(log10(least))); ten <= most; ten *= 10.0)
        for (int k = 0; k < 3; k++) {
            if (step[k] * ten < least || step[k] * ten > most) continue;
            fprintf(p->script, "%s%.12g", between, step[k] * ten);
            between = ", ";
        }
    if (between[0] == ',') fputs(")\n", p->script);
}

static void put_style(const picture *p)
{
    fputs("set encoding utf8\n"
          "set border 3 linewidth 1 linecolor rgb '#404040'\n"
          "set tics nomirror out scale 0.6 textcolor rgb '#202020'\n"
          "set grid back linetype 1 linewidth 1 linecolor rgb '#e4e4e4'\n"
          "set autoscale xfix\nset autoscale yfix\n"
          "set format '%g'\n",
          p->script);
    const double beside = x_of(p, &p->curve[0]) > 0 ? 0.02 : 0.0;
    fprintf(p->script,
            "set offsets graph %g, graph %g, graph 0.04, graph 0.04\n", beside,
            beside);
    fprintf(p->script, "set lmargin %d\n", 6 + letters_of_y(p));
    put_x_format(p);
    if (p->options.log_y) fputs("unset offsets\nset logscale y\n", p->script);
    if (p->options.log_x) put_log_x(p);
}

/* Behind a label, where the axis has none for all. */
static void put_own_unit(const picture *p, const yoke_curve *c)
{
    const char *unit = unit_of(c->table, c->column);

    if (!unit[0] || common_unit(p, c->panel)) return;
    put_quoted(p->script, ".' ['.", unit, ".']'");
}

/* A label that is wider than its room loses letters in the middle, where names
 * of one subsystem differ least. */
static void put_title(const picture *p, const yoke_curve *c)
{
    const char *label = label_of(c);
    const double room =
        p->panels > 1 ? legend_width(p) - 78.0 : p->options.width - 200.0;
    const size_t most = (size_t)fmax(room / LETTER, 8.0);
    const size_t length = strlen(label);
    size_t head = most / 2, tail = length - (most - head - 1);
    char *text = NULL;

    if (length <= most || yk_copy_text(&text, label, NULL) != YOKE_OK) {
        put_quoted(p->script, " title ", label, "");
        put_own_unit(p, c);
        return;
    }
    while (head > 0 && is_inside(label[head])) head--;
    while (tail < length && is_inside(label[tail])) tail++;
    text[head] = '\0';
    put_quoted(p->script, " title ", text, "");
    fputs(".'\xE2\x80\xA6'", p->script);
    put_quoted(p->script, ".", label + tail, "");
    put_own_unit(p, c);
    yk_free(text);
}

/* After the last colour the line is dashed. */
static void put_curves(const picture *p, int panel)
{
    int k = 0;

    for (int i = 0; i < p->curves; i++) {
        if (p->curve[i].panel != panel) continue;
        fputs(k == 0 ? "plot " : ", ", p->script);
        const bool points = p->options.points || p->curve[i].table->rows == 1;
        fprintf(p->script,
                "'-' using 1:2 with %s linewidth 2 linecolor rgb '%s' "
                "dashtype %d",
                points ? "linespoints pointtype 7 pointsize 0.6" : "lines",
                colours[k % COLOURS], 1 + k / COLOURS % 4);
        put_title(p, &p->curve[i]);
        k++;
    }
    fputc('\n', p->script);
}

/* NaN makes a gap; so does infinity. */
static void put_number(FILE *out, double value, char after)
{
    if (isfinite(value))
        fprintf(out, "%.17g%c", value, after); /* times lie close together */
    else
        fprintf(out, "NaN%c", after);
}

static void put_row(const picture *p, const yoke_curve *c, int i)
{
    const yoke_table *t = c->table;
    const double *row = t->value + (size_t)i * (size_t)t->cols;

    put_number(p->script, row[x_of(p, c)] / p->x_prefix.by, ' ');
    put_number(p->script, row[c->column] / p->y_prefix[c->panel].by, '\n');
}

/* Rows i to end - 1 lie within half a pixel of the x axis: the first, the last,
 * the least, the largest and a gap show what all would. */
static void put_group(const picture *p, const yoke_curve *c, int i, int end)
{
    const yoke_table *t = c->table;
    const double *y = t->value + c->column;
    int shown[5] = { i, i, i, end - 1, end - 1 };

    for (int k = i; k < end; k++) {
        const double v = y[(size_t)k * (size_t)t->cols];
        if (!isfinite(v)) shown[4] = k;
        if (!(v >= y[(size_t)shown[1] * (size_t)t->cols])) shown[1] = k;
        if (!(v <= y[(size_t)shown[2] * (size_t)t->cols])) shown[2] = k;
    }
    qsort(shown, 5, sizeof *shown, yk_compare_ints);
    for (int k = 0; k < 5; k++)
        if (k == 0 || shown[k] != shown[k - 1]) put_row(p, c, shown[k]);
}

/* Of many rows in the order of x as many as can be seen. */
static void put_data(const picture *p, const yoke_curve *c)
{
    const yoke_table *t = c->table;
    const double *x = t->value + x_of(p, c);
    double least = 0.0, most = 0.0;
    bool ordered = true;

    range_of_x(p, &least, &most);
    const double scale = 2.0 * p->options.width / (most - least);
    for (int i = 1; i < t->rows && ordered; i++)
        ordered = x[(size_t)i * (size_t)t->cols] >=
                  x[(size_t)(i - 1) * (size_t)t->cols];
    const bool thin = ordered && isfinite(scale) &&
                      t->rows > 8 * p->options.width && !p->options.log_x;
    for (int i = 0, end; i < t->rows; i = end) {
        const double at =
            floor(scale * (x[(size_t)i * (size_t)t->cols] - least));
        end = i + 1;
        while (thin && end < t->rows &&
               floor(scale * (x[(size_t)end * (size_t)t->cols] - least)) == at)
            end++;
        put_group(p, c, i, end);
    }
    fputs("e\n", p->script);
}

/* Panels stand one below the other.  They have one axis of time, of all curves: its labels stand below the last
 * panel only. */
static void put_common_x(const picture *p)
{
    double least = 0.0, most = 0.0;

    range_of_x(p, &least, &most);
    if (!(most > least) || !isfinite(most - least)) return;
    fputs("set xrange [", p->script);
    put_number(p->script, least / p->x_prefix.by, ':');
    put_number(p->script, most / p->x_prefix.by, ']');
    fputc('\n', p->script);
}

static void put_panels(const picture *p)
{
    const double w = p->options.width, h = p->options.height;
    const double right = legend_width(p);

    if (p->panels > 1)
        fprintf(p->script,
                "set multiplot layout %d,1 margins %.4f,%.4f,%.4f,%.4f "
                "spacing 0,%.4f\n",
                p->panels, fmax(90.0, 60.0 + 8.0 * letters_of_y(p)) / w,
                1.0 - right / w, 66.0 / h,
                1.0 - (p->options.title ? 40.0 : 15.0) / h, 22.0 / h);
    if (p->panels > 1) put_common_x(p);
    for (int panel = 0; panel < p->panels; panel++) {
        if (panel + 1 < p->panels)
            fputs("set format x ''\nunset xlabel\n", p->script);
        else if (p->panels > 1)
            put_x_format(p);
        put_y_format(p, panel);
        put_labels(p, panel);
        put_curves(p, panel);
        for (int i = 0; i < p->curves; i++)
            if (p->curve[i].panel == panel) put_data(p, &p->curve[i]);
    }
    if (p->panels > 1) fputs("unset multiplot\n", p->script);
}

static yoke_status write_script(picture *p, yoke_err *err)
{
    YK_POINT;

    put_terminal(p);
    put_style(p);
    put_legend(p);
    put_panels(p);
    if (fflush(p->script) != 0 || ferror(p->script))
        return yk_fail(err, YOKE_E_FILE, "%s: temporary file: %s", p->path,
                       strerror(errno));
    rewind(p->script);
    return YOKE_OK;
}

/* ---- gnuplot ------------------------------------------------------------- */

static yoke_status start(const picture *p, pid_t *child, yoke_err *err)
{
    char name[] = "gnuplot", plain[] = "-d", input[] = "/dev/stdin";
    char *const arguments[] = { name, plain, input, NULL }; /* no init file */
    posix_spawn_file_actions_t actions;

    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0)
        return yk_fail(err, YOKE_E_MEMORY, "gnuplot: %s", strerror(code));
    FILE *const files[] = { p->script, p->image, p->messages };
    for (int i = 0; i < 3 && code == 0; i++)
        code = posix_spawn_file_actions_adddup2(&actions, fileno(files[i]), i);
    if (code == 0)
        code = posix_spawnp(child, name, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (code == 0) return YOKE_OK;
    if (code == ENOENT)
        return yk_fail(err, YOKE_E_MISSING,
                       "%s: gnuplot was not found; install gnuplot-nox",
                       p->path);
    return yk_fail(err, YOKE_E_FILE, "%s: cannot start gnuplot: %s", p->path,
                   strerror(code));
}

/* The last line that is not empty says what is wrong. */
static void last_message(FILE *messages, char *out, size_t size)
{
    char line[400];

    out[0] = '\0';
    rewind(messages);
    while (fgets(line, sizeof line, messages)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[strspn(line, " \t^")]) snprintf(out, size, "%s", line);
    }
}

static yoke_status run_gnuplot(const picture *p, yoke_err *err)
{
    char text[400];
    pid_t child = 0, ended = 0;
    int state = 0;

    YK_TRY(start(p, &child, err));
    do ended = waitpid(child, &state, 0);
    while (ended < 0 && errno == EINTR);
    /* A program that ignores SIGCHLD gets no state: then the image decides. */
    if (ended < 0 || (WIFEXITED(state) && WEXITSTATUS(state) == 0))
        return YOKE_OK;
    last_message(p->messages, text, sizeof text);
    return yk_fail(err, YOKE_E_FILE, "%s: gnuplot failed: %s", p->path, text);
}

static yoke_status copy_image(const picture *p, yoke_err *err)
{
    char block[1 << 14];
    size_t n = 0, total = 0;

    if (fseek(p->image, 0, SEEK_END) != 0 || ftell(p->image) <= 0)
        return yk_fail(err, YOKE_E_FILE, "%s: gnuplot drew nothing", p->path);
    rewind(p->image);
    FILE *out = fopen(p->path, "wbe");
    if (!out) return yk_cannot_write(p->path, errno, err);
    errno = 0;
    while ((n = fread(block, 1, sizeof block, p->image)) > 0)
        total += fwrite(block, 1, n, out);
    const bool bad = ferror(p->image) || ferror(out);
    if (fclose(out) == 0 && !bad && total > 0) return YOKE_OK;
    yk_cannot_write(p->path, errno, err);
    remove(p->path); /* the first half of a picture is of no use */
    return YOKE_E_FILE;
}

/* ---- The picture --------------------------------------------------------- */

static yoke_status check_curve(const picture *p, int i, yoke_err *err)
{
    const yoke_table *t = p->curve[i].table;
    const int columns[] = { x_of(p, &p->curve[i]), p->curve[i].column };

    for (int k = 0; k < 2; k++)
        if (columns[k] < 0 || columns[k] >= t->cols)
            return yk_fail(err, YOKE_E_ARG,
                           "curve %d: column %d is not between 0 and %d", i,
                           columns[k], t->cols - 1);
    if (t->rows < 1)
        return yk_fail(err, YOKE_E_ARG, "curve %d: the table has no rows", i);
    return YOKE_OK;
}

/* gnuplot fails where nothing can be drawn. */
static yoke_status check_values(const picture *p, int panel, yoke_err *err)
{
    const yoke_curve *first = NULL;
    double least = 0.0, most = 0.0;

    range_of(p, panel, &least, &most);
    if (most > 0.0 || (least <= most && !p->options.log_y)) return YOKE_OK;
    count_curves(p, panel, &first);
    return yk_fail(err, YOKE_E_ARG,
                   p->options.log_y
                       ? "\"%.200s\" is nowhere above 0 and has no logarithm; "
                         "choose other variables, or a plain axis"
                       : "\"%.200s\" has no finite value",
                   label_of(first));
}

/* Each has a curve. */
static yoke_status count_panels(picture *p, yoke_err *err)
{
    const yoke_curve *first = NULL;

    for (int i = 0; i < p->curves; i++) {
        const int panel = p->curve[i].panel;
        if (panel < 0 || panel >= MOST_PANELS)
            return yk_fail(err, YOKE_E_ARG,
                           "curve %d: panel %d is not between 0 and %d", i,
                           panel, MOST_PANELS - 1);
        if (panel >= p->panels) p->panels = panel + 1;
    }
    for (int panel = 0; panel < p->panels; panel++)
        if (count_curves(p, panel, &first) == 0)
            return yk_fail(err, YOKE_E_ARG, "panel %d has no curve", panel);
    return YOKE_OK;
}

/* Every panel has room for its legend. */
static int height_of(const picture *p)
{
    const yoke_curve *first = NULL;
    const int wide = 78 + LETTER * (int)longest_label(p);
    const int beside = p->options.width / wide, below = p->curves;
    int panel = p->panels < 3 ? (HEIGHT - AROUND) / p->panels : PANEL;

    if (p->panels == 1 && below > FEW_CURVES)
        return HEIGHT + LINE * (below / (beside > 1 ? beside : 1));
    for (int k = 0; k < p->panels && p->panels > 1; k++) {
        const int lines = count_curves(p, k, &first);
        if (LINE * (lines + 2) > panel) panel = LINE * (lines + 2);
    }
    return p->panels * panel + AROUND;
}

static yoke_status check_picture(picture *p, yoke_err *err)
{
    yoke_plot_options *o = &p->options;

    p->is_svg = yk_ends_with(p->path, ".svg");
    if (!p->is_svg && !yk_ends_with(p->path, ".png"))
        return yk_fail(err, YOKE_E_FILE,
                       "%s: the name of a picture ends in .png or .svg",
                       p->path);
    if (p->curves < 1)
        return yk_fail(err, YOKE_E_ARG, "a picture of %d curves", p->curves);
    for (int i = 0; i < p->curves; i++) YK_TRY(check_curve(p, i, err));
    YK_TRY(count_panels(p, err));
    if (o->width == 0) o->width = WIDTH;
    if (o->height == 0) o->height = height_of(p);
    if (o->width < LEAST_SIZE || o->width > MOST_SIZE ||
        o->height < LEAST_SIZE || o->height > MOST_SIZE)
        return yk_fail(err, YOKE_E_ARG,
                       "a picture of %d by %d; both are between %d and %d",
                       o->width, o->height, LEAST_SIZE, MOST_SIZE);
    for (int i = 0; i < p->panels; i++) YK_TRY(check_values(p, i, err));
    find_prefixes(p);
    return YOKE_OK;
}

static yoke_status open_temporary(FILE **out, const char *path, yoke_err *err)
{
    *out = tmpfile();
    if (*out) return YOKE_OK;
    return yk_fail(err, YOKE_E_FILE, "%s: temporary file: %s", path,
                   strerror(errno));
}

yoke_status yoke_plot(const char *path, int curves, const yoke_curve *curve,
                      const yoke_plot_options *options, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    picture p = { .path = path, .curves = curves, .curve = curve };

    if (options) p.options = *options;
    YK_TRY(check_picture(&p, err));
    YK_GO(open_temporary(&p.script, path, err));
    YK_GO(open_temporary(&p.image, path, err));
    YK_GO(open_temporary(&p.messages, path, err));
    YK_GO(write_script(&p, err));
    YK_GO(run_gnuplot(&p, err));
    YK_GO(copy_image(&p, err));

done:
    if (p.script) fclose(p.script);
    if (p.image) fclose(p.image);
    if (p.messages) fclose(p.messages);
    return status;
}
