/* Whole circuits against ngspice 39 at tight tolerances.
 *
 * circuits/NAME.csv holds what ngspice computed for circuits/NAME.cir (see
 * make_circuits.py).  Every column must agree to 1e-4 of its size, the largest
 * absolute value that it has in the whole run.  Each netlist is one test; the
 * largest deviation is printed.  Transients are run as a whole, in cells, and
 * in parts that METIS makes of them, iterated. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include "comp/netlist/analyse/analyse.h"
#include "yoke/file.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 24, ROWS = 24, MOST = 200, LINE = 2000 };

static const double bound = 1e-4;
static const double rtol = 1e-7;

/* The netlist chooses its stepper by this: radau5.  Without it, trbdf2 solves
 * circuits with junctions; as a whole they are. */
#define TIGHT "\n.options reltol=1e-7"

/* What ngspice computed; row[0] is the first. */
typedef struct expected {
    bool is_tran;
    int columns, rows;
    char name[COLUMNS][60];
    double size[COLUMNS], value[ROWS][COLUMNS];
} expected;

static void path_of(char *path, size_t room, const char *name,
                    const char *ending)
{
    snprintf(path, room, "%s/circuits/%s%s", YOKE_TEST_DATA, name, ending);
}

static int numbers(char *line, double *value)
{
    int count = 0;

    for (char *p = strtok(line, ",\n"); p && count < COLUMNS;
         p = strtok(NULL, ",\n"))
        value[count++] = strtod(p, NULL);
    return count;
}

static void read_expected(const char *name, expected *e)
{
    char path[600], line[LINE];
    FILE *file;

    memset(e, 0, sizeof *e);
    path_of(path, sizeof path, name, ".csv");
    file = fopen(path, "r");
    if (!file) fail_msg("cannot open %s", path);
    assert_non_null(fgets(line, sizeof line, file));
    e->is_tran = strncmp(line, "# tran", 6) == 0;
    assert_non_null(fgets(line, sizeof line, file));
    for (char *p = strtok(line, ",\n"); p; p = strtok(NULL, ",\n")) {
        assert_true(e->columns < COLUMNS && strlen(p) < sizeof e->name[0]);
        strcpy(e->name[e->columns++], p);
    }
    assert_non_null(fgets(line, sizeof line, file));
    assert_int_equal(numbers(line, e->size), e->columns);
    while (fgets(line, sizeof line, file)) {
        assert_true(e->rows < ROWS);
        assert_int_equal(numbers(line, e->value[e->rows++]), e->columns);
    }
    fclose(file);
    assert_true(e->rows > 0);
}

/* ---- deviations ---------------------------------------------------------- */

/* Deviations that the equations of the models explain. */
static const struct {
    const char *circuit;
    double bound;
    const char *reason;
} explained[] = {
    { "mos3_ac", 2e-3,
      "the derivatives of level 3 in ngspice leave out terms: the slope of its "
      "own .dc, which mos3_transfer compares, is that of Yoke" },
};

typedef struct worst {
    double deviation; /* over the size */
    double got, wanted, at;
    const char *column;
} worst;

static void compare(worst *w, const expected *e, int row, int column,
                    double got)
{
    const double wanted = e->value[row][column];
    const double size = e->size[column] > 1e-12 ? e->size[column] : 1e-12;
    const double deviation =
        isfinite(got) ? fabs(got - wanted) / size : INFINITY;

    if (w->column && !(deviation > w->deviation)) return;
    *w = (worst){ deviation, got, wanted, e->value[row][e->is_tran ? 0 : 1],
                  e->name[column] };
}

static void judge(const char *name, const worst *w)
{
    double limit = bound;
    const char *reason = "";

    for (size_t k = 0; k < sizeof explained / sizeof *explained; k++)
        if (strcmp(explained[k].circuit, name) == 0) {
            limit = explained[k].bound;
            reason = explained[k].reason;
        }
    assert_non_null(w->column);
    print_message("%-24s %.1e  %s at %.6g: %.9g, ngspice %.9g%s%s\n", name,
                  w->deviation, w->column, w->at, w->got, w->wanted,
                  reason[0] ? "; " : "", reason);
    if (!(w->deviation <= limit))
        fail_msg("%s: deviation %g is more than %g", name, w->deviation, limit);
}

/* ---- transients ---------------------------------------------------------- */

static double value_of(const yoke_run *run, const char *name)
{
    yoke_err err = { YOKE_OK, "" };
    double v = NAN;

    CHECK_OK(yoke_run_value(run, name, &v, &err), &err);
    return v;
}

/* With lines for Yoke behind the title. */
static yoke_file *read_with(const char *path, const char *hint)
{
    enum { ROOM = 20000 };
    static char text[ROOM];
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    FILE *from = fopen(path, "r");

    assert_non_null(from);
    assert_non_null(fgets(text, ROOM, from));
    size_t length = strlen(text);
    length += (size_t)snprintf(text + length, ROOM - length, "%s\n", hint);
    length += fread(text + length, 1, ROOM - length, from);
    fclose(from);
    assert_true(length < ROOM);
    CHECK_OK(yoke_file_parse(&file, path, text, length, NULL, &err), &err);
    return file;
}

static void check_tran(const char *path, const char *hint, const expected *e,
                       worst *w)
{
    yoke_file *file = read_with(path, hint);
    yoke_run *run = NULL;
    yoke_run_options options;
    yoke_run_result r;
    yoke_err err = { YOKE_OK, "" };

    options = *yoke_file_run_options(file);
    options.iterate.rtol = rtol;
    options.iterate.atol = rtol;
    CHECK_OK(yoke_run_create(&run, yoke_file_model(file), &options, NULL, &err),
             &err);
    for (int k = 0; k < e->rows; k++) {
        CHECK_OK(yoke_run_advance(run, e->value[k][0], &err), &err);
        for (int c = 1; c < e->columns; c++)
            compare(w, e, k, c, value_of(run, e->name[c]));
    }
    yoke_run_summary(run, &r);
    assert_true(r.converged);
    CHECK_OK(yoke_run_close(run, &err), &err);
    yoke_file_free(file);
}

/* ---- op, dc, ac ---------------------------------------------------------- */

/* The place of a column in a row of the table. */
static int find(const yk_net_rows *t, const char *name)
{
    const char *end = t->is_complex ? strrchr(name, '_') : NULL;
    const size_t length = end ? (size_t)(end - name) : strlen(name);

    for (int k = 0; k < t->columns; k++)
        if (strncmp(t->name[k], name, length) == 0 && !t->name[k][length])
            return t->is_complex ? 2 * k + (end && end[1] == 'i') : k;
    fail_msg("no column %s", name);
    return -1;
}

static void check_rows(const char *path, const expected *e, worst *w)
{
    yk_netlist *net = NULL;
    yk_net_rows t = { 0 };
    yoke_err err = { YOKE_OK, "" };
    const bool has_scale = e->rows > 1;
    int width;

    CHECK_OK(yk_netlist_read(&net, path, NULL, 0, &err), &err);
    assert_int_equal(net->tasks, 1);
    CHECK_OK(yk_net_analyse(&t, net, &net->task[0], &err), &err);
    width = t.is_complex ? 2 * t.columns : t.columns;
    for (int k = 0; k < e->rows; k++) {
        const int row = (int)e->value[k][0];
        assert_true(row < t.rows);
        const double *got = t.value + (size_t)width * (size_t)row;
        if (has_scale)
            CHECK_NEAR(got[0], e->value[k][1],
                       1e-8 * fabs(e->value[k][1]) + 1e-12);
        for (int c = has_scale ? 2 : 1; c < e->columns; c++)
            compare(w, e, k, c, got[find(&t, e->name[c])]);
    }
    assert_true(t.rows - (int)e->value[e->rows - 1][0] <=
                (e->rows > 1 ? (int)e->value[1][0] : 1));
    yk_net_rows_clear(&t);
    yk_netlist_free(net);
}

static void agrees(void **state)
{
    const char *name = *state;
    static const char *const hints[] = { "* yoke: partition cells 1" TIGHT,
#ifdef YOKE_HAVE_METIS
                                         "* yoke: partition auto 3" TIGHT,
#endif
                                         NULL };
    static expected e;
    char path[600];
    worst w = { 0 };

    read_expected(name, &e);
    path_of(path, sizeof path, name, ".cir");
    if (e.is_tran)
        check_tran(path, "* yoke: partition none", &e, &w);
    else
        check_rows(path, &e, &w);
    judge(name, &w);
    if (!e.is_tran) return;
    for (int k = 0; hints[k]; k++) {
        w = (worst){ 0 };
        check_tran(path, hints[k], &e, &w);
        judge(name, &w);
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct CMUnitTest *)a)->name,
                  ((const struct CMUnitTest *)b)->name);
}

/* With names as arguments only these. */
int main(int argc, char **argv)
{
    static char name[MOST][60];
    static struct CMUnitTest test[MOST];
    char path[600];
    int count = 0;
    DIR *folder;

    snprintf(path, sizeof path, "%s/circuits", YOKE_TEST_DATA);
    folder = opendir(path);
    if (!folder) return 1;
    for (struct dirent *d; (d = readdir(folder)) != NULL;) {
        const char *end = strrchr(d->d_name, '.');
        if (!end || strcmp(end, ".cir") != 0 || count == MOST) continue;
        snprintf(name[count], sizeof name[0], "%.*s", (int)(end - d->d_name),
                 d->d_name);
        bool wanted = argc < 2;
        for (int k = 1; k < argc; k++)
            wanted = wanted || strcmp(argv[k], name[count]) == 0;
        if (!wanted) continue;
        test[count] =
            (struct CMUnitTest){ name[count], agrees, NULL, NULL, name[count] };
        count++;
    }
    closedir(folder);
    qsort(test, (size_t)count, sizeof *test, by_name);
    if (count == 0 || (argc < 2 && count < 40)) {
        print_message("only %d netlists in %s\n", count, path);
        return 1;
    }
    return _cmocka_run_group_tests("accuracy", test, (size_t)count, NULL, NULL);
}
