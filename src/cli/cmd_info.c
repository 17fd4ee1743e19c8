/* cli/cmd_info.c -- yoke info FILE: what is in a result, a system file or a
 * file of equation models. */
#include "cli/info.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- JSON ---------------------------------------------------------------- */

void info_key(const char *name, bool first)
{
    if (!first) printf(", ");
    cli_json_text(name);
    printf(": ");
}

void info_text(const char *name, const char *text, bool first)
{
    info_key(name, first);
    if (text)
        cli_json_text(text);
    else
        printf("null");
}

void info_names(const char *name, int count, const char *const *list)
{
    info_key(name, false);
    putchar('[');
    for (int i = 0; i < count; i++) {
        if (i) printf(", ");
        if (list[i])
            cli_json_text(list[i]);
        else
            printf("null");
    }
    putchar(']');
}

void info_numbers(const char *name, int count, const double *value, bool scalar)
{
    info_key(name, false);
    if (!value) {
        printf("null");
        return;
    }
    if (!scalar) putchar('[');
    for (int i = 0; i < count; i++) {
        if (i) printf(", ");
        cli_json_number(value[i]);
    }
    if (!scalar) putchar(']');
}

/* ---- Text ---------------------------------------------------------------- */

void info_list(const char *title, int count, const char *const *list)
{
    enum { MOST = 12 };

    if (count == 0) return;
    printf("    %s:", title);
    for (int i = 0; i < count && i < MOST; i++) printf(" %s", list[i]);
    if (count > MOST) printf(" ... and %d more", count - MOST);
    putchar('\n');
}

/* ---- Results ------------------------------------------------------------- */

typedef struct range {
    double least, most, mean, rms, last;
} range;

/* What was read of a result; `statistics` may be NULL. */
typedef struct result {
    yoke_table *rows, *statistics;
    yoke_notes *notes;
    yoke_profiles *profiles;
} result;

static double entry(const yoke_table *t, int row, int column)
{
    return t->value[(size_t)row * (size_t)t->cols + (size_t)column];
}

/* Mean and rms of the straight lines between rows; of the rows themselves where
 * they are all at one time. */
static void range_of_rows(const yoke_table *t, int column, range *r)
{
    const double span = entry(t, t->rows - 1, 0) - entry(t, 0, 0);
    double area = 0.0, square = 0.0;

    for (int i = 0; i < t->rows; i++) {
        const double b = entry(t, i, column);
        const double a = i ? entry(t, i - 1, column) : b;
        const double h = span <= 0.0 ? 1.0
                         : i         ? entry(t, i, 0) - entry(t, i - 1, 0)
                                     : 0.0;
        r->least = i ? fmin(r->least, b) : b; /* of those that are numbers */
        r->most = i ? fmax(r->most, b) : b;
        area += h * 0.5 * (a + b);
        square += h * (a * a + a * b + b * b) / 3.0;
    }
    r->mean = area / (span > 0.0 ? span : t->rows);
    r->rms = sqrt(square / (span > 0.0 ? span : t->rows));
}

static range find_range(const result *f, int column)
{
    static const char *const name[] = { "least", "most", "mean", "rms" };
    const yoke_table *s = f->statistics;
    range r = { 0.0, 0.0, 0.0, 0.0, 0.0 };
    double *const to[] = { &r.least, &r.most, &r.mean, &r.rms };

    if (f->rows->rows < 1) return r;
    range_of_rows(f->rows, column, &r);
    r.last = entry(f->rows, f->rows->rows - 1, column);
    for (int k = 0; s && column > 0 && k < 4; k++) {
        const int c = yoke_table_find(s, name[k]);
        if (c >= 0) *to[k] = entry(s, column - 1, c);
    }
    return r;
}

static const char *unit_of(const yoke_table *t, int column)
{
    return t->unit && t->unit[column] ? t->unit[column] : "";
}

static int found_points(const yoke_table *t, const yoke_profile *p)
{
    int found = 0;

    for (int i = 0; i < p->points; i++)
        found += !p->variable[i] || yoke_table_find(t, p->variable[i]) >= 0;
    return found;
}

static void print_profiles(const yoke_table *t, const yoke_profiles *profiles)
{
    for (int i = 0; i < profiles->count; i++) {
        const yoke_profile *p = &profiles->profile[i];
        printf("profile: %s: %s%s%s%s at %d points along %s from %g to %g%s%s",
               p->name, p->label[0] ? p->label : "value",
               p->unit[0] ? " [" : "", p->unit, p->unit[0] ? "]" : "",
               p->points, p->along[0] ? p->along : "its coordinate", p->at[0],
               p->at[p->points - 1], p->along_unit[0] ? " " : "",
               p->along_unit);
        const int found = found_points(t, p);
        if (found < p->points) printf(", %d of them recorded", found);
        putchar('\n');
    }
}

/* The notes "ladder 1", "ladder 2", ...: rung, time and text. */
static void print_ladder(const yoke_notes *notes)
{
    char name[32];

    for (int k = 1;; k++) {
        snprintf(name, sizeof name, "ladder %d", k);
        const char *text = yoke_notes_find(notes, name);
        if (!text) return;
        printf("decision: ");
        for (; *text; text++) putchar(*text == '\t' ? ' ' : *text);
        putchar('\n');
    }
}

/* One line each. */
static void print_uncertain(const yoke_notes *notes)
{
    const char *text = yoke_notes_find(notes, "not_certified");

    while (text && *text) {
        const int length = (int)strcspn(text, "\n");
        printf("not certified: %.*s\n", length, text);
        text += length + (text[length] == '\n');
    }
}

static void print_columns(const result *f)
{
    const yoke_table *t = f->rows;
    int wide = 6;

    for (int c = 0; c < t->cols; c++) {
        const int length = (int)strlen(t->name[c]);
        if (length > wide && length <= 40) wide = length;
    }
    printf("least, most, mean and rms: of %s\n",
           f->statistics ? "the whole solution"
                         : "the rows, with straight lines between them");
    printf("%-*s %-8s %13s %13s %13s %13s %13s\n", wide, "column", "unit",
           "least", "most", "mean", "rms", "last");
    for (int c = 0; c < t->cols; c++) {
        const range r = find_range(f, c);
        printf("%-*s %-8s %13.6g %13.6g", wide, t->name[c], unit_of(t, c),
               r.least, r.most);
        if (c == 0)
            printf(" %13s %13s", "", "");
        else
            printf(" %13.6g %13.6g", r.mean, r.rms);
        printf(" %13.6g\n", r.last);
    }
}

static void print_result(const char *path, const result *f)
{
    static const char *const shown[] = { "system",   "command",   "date",
                                         "version",  "converged", "summary",
                                         "repaired", "rows",      "error" };

    printf("%s: %d rows, %d columns\n", path, f->rows->rows, f->rows->cols);
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
        const char *text = yoke_notes_find(f->notes, shown[k]);
        if (text) printf("%s: %s\n", shown[k], text);
    }
    print_uncertain(f->notes);
    print_ladder(f->notes);
    print_profiles(f->rows, f->profiles);
    print_columns(f);
}

static void json_profiles(const yoke_profiles *profiles)
{
    printf(",\n \"profiles\": [");
    for (int i = 0; i < profiles->count; i++) {
        const yoke_profile *p = &profiles->profile[i];
        printf("%s{", i ? ",\n  " : "");
        info_text("name", p->name, true);
        info_text("label", p->label, false);
        info_text("unit", p->unit, false);
        info_text("along", p->along, false);
        info_text("along_unit", p->along_unit, false);
        info_numbers("at", p->points, p->at, false);
        info_names("columns", p->points, p->variable);
        printf("}");
    }
    printf("]");
}

static void json_result(const char *path, const result *f)
{
    const yoke_table *t = f->rows;
    const yoke_notes *notes = f->notes;

    printf("{");
    info_text("kind", "result", true);
    info_text("file", path, false);
    info_text("statistics", f->statistics ? "solution" : "rows", false);
    printf(", \"rows\": %d,\n \"columns\": [", t->rows);
    for (int c = 0; c < t->cols; c++) {
        const range r = find_range(f, c);
        printf("%s{", c ? ",\n  " : "");
        info_text("name", t->name[c], true);
        info_text("unit", unit_of(t, c), false);
        info_numbers("least", 1, &r.least, true);
        info_numbers("most", 1, &r.most, true);
        info_numbers("mean", 1, &r.mean, true);
        info_numbers("rms", 1, &r.rms, true);
        info_numbers("last", 1, &r.last, true);
        printf("}");
    }
    printf("]");
    json_profiles(f->profiles);
    printf(",\n \"notes\": {");
    for (int i = 0; i < notes->count; i++) {
        if (i) printf(",\n  ");
        cli_json_text(notes->name[i]);
        printf(": ");
        cli_json_text(notes->text[i]);
    }
    puts("}}");
}

/* Files that others wrote have none, and runs that were killed. */
static void read_statistics(result *f, const char *path)
{
    yoke_table *s = NULL;
    yoke_err err;

    if (cli_ends_in(path, ".raw") ||
        yoke_table_read(&s, path, "statistics", &err) != YOKE_OK)
        return;
    if (s->rows == f->rows->cols - 1)
        f->statistics = s;
    else
        yoke_table_free(s);
}

static int info_result(const char *path, bool json)
{
    yoke_err err = { YOKE_OK, "" };
    result f = { NULL, NULL, NULL, NULL };
    int status = CLI_OK;

    if (yoke_table_read(&f.rows, path, "result", &err) != YOKE_OK ||
        yoke_notes_read(&f.notes, path, &err) != YOKE_OK ||
        yoke_profiles_read(&f.profiles, f.notes, &err) != YOKE_OK) {
        status = cli_fail(&err);
    } else {
        read_statistics(&f, path);
        if (json)
            json_result(path, &f);
        else
            print_result(path, &f);
    }
    yoke_profiles_free(f.profiles);
    yoke_notes_free(f.notes);
    yoke_table_free(f.statistics);
    yoke_table_free(f.rows);
    return status;
}

/* ---- The verb ------------------------------------------------------------ */

/* Options of files that have none. */
static int refuse_rest(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (argv[i][0] == '-')
            return cli_has_option("info", argv[i])
                       ? cli_usage("info: %s is not for this kind of file",
                                   argv[i])
                       : cli_unknown_option("info", argv[i]);
    return argc == 2 ? CLI_OK
                     : cli_usage("info: unexpected argument \"%s\"", argv[2]);
}

static void print_line(void *context, const char *text)
{
    (void)context;
    puts(text);
}

/* A file, or the folder of one that is not packed. */
static bool is_fmu(const char *path)
{
    char inside[4096];
    const int wrote =
        snprintf(inside, sizeof inside, "%s/modelDescription.xml", path);
    FILE *there = wrote < (int)sizeof inside ? fopen(inside, "r") : NULL;

    if (there) fclose(there);
    return there || cli_ends_in(path, ".fmu");
}

static int info_fmu(const char *path)
{
    yoke_err err = { YOKE_OK, "" };

    if (yoke_fmu_info(path, print_line, NULL, &err) != YOKE_OK)
        return cli_fail(&err);
    return CLI_OK;
}

int cmd_info(int argc, char **argv)
{
    const bool json = cli_flag(&argc, argv, "--json");
    const char *class_name = cli_value(&argc, argv, "--class");

    cli_only_look();
    cli_take_trust(&argc, argv);
    const int limits = cli_take_limits(&argc, argv);
    if (limits != CLI_OK) return limits;
    if (argc < 2 || (class_name && !class_name[0]))
        return cli_usage(argc < 2 ? "info: name a result, a system file, an "
                                    "equation model or an example"
                                  : "info: --class needs a value");
    const int first = cli_system_first(argc, argv);
    if (first != CLI_OK) return first;
    const bool is_model =
        cli_ends_in(argv[1], ".mo") || cli_ends_in(argv[1], ".bmo");
    if (class_name && !is_model)
        return cli_usage("info: --class is for equation models (.mo)");
    if (cli_ends_in(argv[1], ".msh") || cli_ends_in(argv[1], ".geo")) {
        const char *picture = cli_value(&argc, argv, "--draw");
        const int bad = refuse_rest(argc, argv);
        if (bad != CLI_OK) return bad;
        if (picture && !cli_ends_in(picture, ".svg"))
            return cli_usage("info: --draw makes a picture NAME.svg");
        if (picture && cli_overwrites(picture, argv[1])) return CLI_USAGE;
        return info_mesh(argv[1], picture, json);
    }
    if (is_fmu(argv[1])) {
        const int bad = refuse_rest(argc, argv);
        if (bad != CLI_OK) return bad;
        if (json) return cli_usage("info: there is no --json for FMUs");
        return info_fmu(argv[1]);
    }
    if (!is_model && !cli_ends_in(argv[1], ".csv") &&
        !cli_ends_in(argv[1], ".h5") && !cli_ends_in(argv[1], ".raw"))
        return info_system(argc, argv, json);
    const int status = refuse_rest(argc, argv);
    if (status != CLI_OK) return status;
    return is_model ? info_model(argv[1], class_name, json)
                    : info_result(argv[1], json);
}
