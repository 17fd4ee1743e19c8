/* cli/sweep_table.c -- the table of a sweep, the messages about it, its picture. */
#include "cli/plot.h"
#include "cli/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double measured(const sweep *s, int row, int k)
{
    return s->value[(size_t)row * (size_t)s->measures + (size_t)k];
}

/* ---- CSV ----------------------------------------------------------------- */

/* In quotes where it must be. */
static void put_text(FILE *out, const char *text)
{
    if (!text[strcspn(text, ",\"")]) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

/* A comma and as few digits as read back to the same number. */
static void put_number(FILE *out, double value)
{
    char text[40];

    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    fprintf(out, ",%s", text);
}

/* "ok" is a run of which nothing is left uncertified. */
static void put_state(const sweep *s, FILE *out, int row)
{
    char text[SWEEP_MESSAGE + SWEEP_NOTE + 32];
    const char *message = s->message[row], *note = s->note[row];

    snprintf(text, sizeof text, "%s%s%s%s", message ? message : "",
             message && note ? "; " : "", note ? "not certified: " : "",
             note ? note : "");
    put_text(out, text[0] ? text : "ok");
}

static void put_csv(const sweep *s, FILE *out, bool messages)
{
    fputs("run", out);
    for (int k = 0; k < s->axes; k++) {
        fputc(',', out);
        put_text(out, s->axis[k].name);
    }
    for (int k = 0; k < s->measures && !messages; k++) {
        fputc(',', out);
        put_text(out, s->measure[k]);
    }
    fputs(",status\n", out);
    for (int r = 0; r < s->rows; r++) {
        if (messages && !s->message[r] && !s->note[r]) continue;
        fprintf(out, "%d", r + 1);
        for (int k = 0; k < s->axes; k++) put_number(out, sweep_value(s, r, k));
        for (int k = 0; k < s->measures && !messages; k++)
            if (isnan(measured(s, r, k)))
                fputs(",nan", out);
            else
                put_number(out, measured(s, r, k));
        fputc(',', out);
        put_state(s, out, r);
        fputc('\n', out);
    }
}

int sweep_close(FILE *out, const char *path)
{
    yoke_err err = { YOKE_OK, "" };

    if (out) {
        const bool good = fflush(out) == 0 && !ferror(out);
        if (fclose(out) == 0 && good) return CLI_OK;
    }
    yoke_fail(&err, YOKE_E_FILE, "cannot write %s: %s", path, strerror(errno));
    return cli_fail(&err);
}

static int write_csv(const sweep *s, const char *path, bool messages)
{
    FILE *out = fopen(path, "w");

    if (out) put_csv(s, out, messages);
    return sweep_close(out, path);
}

/* ---- as numbers ---------------------------------------------------------- */

static void table_free(yoke_table *t)
{
    free(t->name);
    free(t->value);
}

/* run, parameters, measures, not certified, failed; the names are borrowed. */
static int make_table(const sweep *s, yoke_table *t)
{
    static char run[] = "run", failed[] = "failed", noted[] = "not_certified";
    const int cols = 3 + s->axes + s->measures;

    *t = (yoke_table){ .rows = s->rows, .cols = cols };
    t->name = calloc((size_t)cols, sizeof *t->name);
    t->value = calloc((size_t)s->rows * (size_t)cols, sizeof *t->value);
    if (!t->name || !t->value) {
        table_free(t);
        return cli_usage("out of memory");
    }
    t->name[0] = run;
    t->name[cols - 2] = noted;
    t->name[cols - 1] = failed;
    for (int k = 0; k < s->axes; k++)
        t->name[1 + k] = (char *)(size_t)s->axis[k].name;
    for (int k = 0; k < s->measures; k++)
        t->name[1 + s->axes + k] = s->measure[k];
    for (int r = 0; r < s->rows; r++) {
        double *row = t->value + (size_t)r * (size_t)cols;
        row[0] = r + 1;
        for (int k = 0; k < s->axes; k++) row[1 + k] = sweep_value(s, r, k);
        for (int k = 0; k < s->measures; k++)
            row[1 + s->axes + k] = measured(s, r, k);
        row[cols - 2] = s->note[r] != NULL;
        row[cols - 1] = s->message[r] != NULL;
    }
    return CLI_OK;
}

/* The messages stand beside a file of numbers. */
static int write_numbers(const sweep *s, const char *path)
{
    yoke_err err = { YOKE_OK, "" };
    yoke_table t;
    char beside[1100];
    int status = make_table(s, &t);

    if (status != CLI_OK) return status;
    if (yoke_table_write(&t, path, &err) != YOKE_OK) status = cli_fail(&err);
    table_free(&t);
    if (status != CLI_OK || s->failed + s->noted == 0) return status;
    snprintf(beside, sizeof beside, "%s.messages.csv", path);
    return write_csv(s, beside, true);
}

int sweep_write_table(const sweep *s, const char *path)
{
    return cli_ends_in(path, ".csv") ? write_csv(s, path, false)
                                     : write_numbers(s, path);
}

/* ---- messages ------------------------------------------------------------ */

/* The rows with the least and the largest value; -1: there is none. */
static void extremes(const sweep *s, int k, int *least, int *most)
{
    *least = *most = -1;
    for (int r = 0; r < s->rows; r++) {
        const double v = measured(s, r, k);
        if (isnan(v)) continue;
        if (*least < 0 || v < measured(s, *least, k)) *least = r;
        if (*most < 0 || v > measured(s, *most, k)) *most = r;
    }
}

static void print_place(const sweep *s, int row)
{
    for (int k = 0; k < s->axes; k++)
        printf("%s%s = %.6g", k ? ", " : "(", s->axis[k].name,
               sweep_value(s, row, k));
    putchar(')');
}

static bool same_note(const sweep *s, int row, const char *note)
{
    return row < s->rows && s->note[row] && strcmp(s->note[row], note) == 0;
}

/* A row before this one has the same note. */
static bool told(const sweep *s, int row)
{
    for (int r = 0; r < row; r++)
        if (same_note(s, r, s->note[row])) return true;
    return false;
}

/* "1 to 3, 7": the runs with this note. */
static void print_runs(const sweep *s, const char *note)
{
    const char *between = "";

    for (int r = 0; r < s->rows; r++) {
        int last = r;
        if (!same_note(s, r, note)) continue;
        while (same_note(s, last + 1, note)) last++;
        printf("%s%d", between, r + 1);
        if (last > r) printf("%s%d", last > r + 1 ? " to " : ", ", last + 1);
        between = ", ";
        r = last;
    }
}

/* Which runs, and what: runs of which the same is true together. */
static void print_notes(const sweep *s)
{
    enum { SHOWN = 5 };
    int shown = 0;

    if (s->noted == 0) return;
    printf("%d of %d run%s %s not certified in full:\n", s->noted, s->rows,
           s->rows == 1 ? "" : "s", s->noted == 1 ? "is" : "are");
    for (int r = 0; r < s->rows && shown <= SHOWN; r++) {
        if (!s->note[r] || told(s, r)) continue;
        if (shown++ == SHOWN) {
            printf("  ... and more, see the messages in the table\n");
            break;
        }
        printf("  run ");
        print_runs(s, s->note[r]);
        printf(": %s\n", s->note[r]);
    }
}

void sweep_print(const sweep *s, const char *path)
{
    enum { SHOWN = 5 };
    int shown = 0;

    printf("%d run%s, %d failed.\n", s->rows, s->rows == 1 ? "" : "s",
           s->failed);
    for (int k = 0; k < s->measures; k++) {
        int least, most;
        extremes(s, k, &least, &most);
        if (least < 0) {
            printf("  %-24s no run has a value\n", s->measure[k]);
            continue;
        }
        printf("  %-24s from %.6g ", s->measure[k], measured(s, least, k));
        print_place(s, least);
        printf("\n  %-24s to   %.6g ", "", measured(s, most, k));
        print_place(s, most);
        putchar('\n');
    }
    for (int r = 0; r < s->rows && shown < SHOWN; r++) {
        if (!s->message[r]) continue;
        printf("  run %d ", r + 1);
        print_place(s, r);
        printf(": %s\n", s->message[r]);
        shown++;
    }
    if (s->failed > shown)
        printf("  ... and %d more failed\n", s->failed - shown);
    print_notes(s);
    printf("table: %s\n", path);
}

static void json_extremes(const sweep *s)
{
    for (int k = 0; k < s->measures; k++) {
        int least, most;
        extremes(s, k, &least, &most);
        printf(k ? ",\n  " : "");
        cli_json_text(s->measure[k]);
        printf(": {\"least\": ");
        cli_json_number(least < 0 ? NAN : measured(s, least, k));
        printf(", \"least_run\": %d, \"largest\": ", least + 1);
        cli_json_number(most < 0 ? NAN : measured(s, most, k));
        printf(", \"largest_run\": %d}", most + 1);
    }
}

static void json_texts(const sweep *s, char *const *text)
{
    int count = 0;

    for (int r = 0; r < s->rows; r++) {
        if (!text[r]) continue;
        printf("%s{\"run\": %d, \"message\": ", count++ ? ",\n  " : "", r + 1);
        cli_json_text(text[r]);
        putchar('}');
    }
}

/* The keys are those of docs/manual/json.md. */
void sweep_json(const sweep *s, const char *path)
{
    printf("{\"runs\": %d, \"failed\": %d, \"table\": ", s->rows, s->failed);
    cli_json_text(path);
    printf(",\n \"measures\": {");
    json_extremes(s);
    printf("},\n \"failures\": [");
    json_texts(s, s->message);
    printf("],\n \"not_certified\": [");
    json_texts(s, s->note);
    puts("]}");
}

/* ---- picture ------------------------------------------------------------- */

/* Rows in the order of the parameter, then of the runs, so that lines do not go
 * back. */
static int compare_rows(const void *a, const void *b)
{
    const double *x = a, *y = b;
    const int k = x[1] != y[1];

    return (x[k] > y[k]) - (x[k] < y[k]);
}

/* Measures of different size have panels of their own. */
static int draw_lines(const sweep *s, const char *path)
{
    enum { MOST = 8 };
    const yoke_plot_options options = { .title = s->title,
                                        .x_label = s->axis[0].name,
                                        .points = s->random || s->rows < 60,
                                        .x_column = 1,
                                        .log_x = s->axis[0].log };
    yoke_err err = { YOKE_OK, "" };
    yoke_table t;
    cli_picture *p = calloc(1, sizeof *p);
    int status = p ? make_table(s, &t) : cli_usage("out of memory");

    if (status != CLI_OK) goto done;
    p->curves = s->measures < MOST ? s->measures : MOST;
    qsort(t.value, (size_t)t.rows, (size_t)t.cols * sizeof *t.value,
          compare_rows);
    for (int k = 0; k < p->curves; k++)
        p->curve[k] = (yoke_curve){ .table = &t, .column = 2 + k };
    cli_plot_drop_empty(p);
    cli_plot_panels(p);
    if (yoke_plot(path, p->curves, p->curve, &options, &err) != YOKE_OK)
        status = cli_fail(&err);
    table_free(&t);
done:
    free(p);
    return status;
}

int sweep_picture(const sweep *s, const char *path)
{
    if (s->axes == 1) return draw_lines(s, path);
    if (s->axes == 2) return sweep_map(s, path);
    return cli_usage("--picture shows one parameter or two, these are %d",
                     s->axes);
}
