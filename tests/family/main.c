/* family/main.c -- draws systems, judges them, prints a table by class.
 *
 *     family [--count N] [--seed S] [--first K] [--class NAME] [--rtol R]
 *            [--mode default|none] [--seconds T] [--keep FOLDER] [--list]
 *            [--quick] [RESULTS.csv]
 *
 * Without --rtol and --mode all three tolerances and both modes are run.
 * --quick takes 60 systems, the classes in turn.  --keep writes the files of
 * what is wrong to FOLDER/NUMBER_RTOL_MODE.
 */
#define _XOPEN_SOURCE 700
#include "family.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CLASSES = 40 };

typedef struct tally {
    int runs, wrong, far, refused, endless, crashed;
    double worst;
    double residuals;
} tally;

typedef struct options {
    int count, first;
    unsigned long seed;
    const char *only, *keep, *results;
    double rtol, seconds;
    int mode; /* -1: both */
    bool list, quick;
} options;

static const char *const modes[2] = { "", ", cluster: none" };
static const char *const mode_names[2] = { "default", "none" };
static const char *const verdicts[] = { "right", "WRONG", "refused", "NO END",
                                        "CRASHED" };

static bool parse(int argc, char **argv, options *o)
{
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i], *v = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(a, "--quick") == 0) {
            o->count = 60;
            o->quick = true;
            continue;
        }
        if (strcmp(a, "--list") == 0) {
            o->list = true;
            continue;
        }
        if (a[0] != '-') {
            o->results = a;
            continue;
        }
        i++;
        if (strcmp(a, "--count") == 0)
            o->count = atoi(v);
        else if (strcmp(a, "--seed") == 0)
            o->seed = strtoul(v, NULL, 10);
        else if (strcmp(a, "--first") == 0)
            o->first = atoi(v);
        else if (strcmp(a, "--class") == 0)
            o->only = v;
        else if (strcmp(a, "--keep") == 0)
            o->keep = v;
        else if (strcmp(a, "--rtol") == 0)
            o->rtol = atof(v);
        else if (strcmp(a, "--seconds") == 0)
            o->seconds = atof(v);
        else if (strcmp(a, "--mode") == 0)
            o->mode = strcmp(v, "none") == 0;
        else {
            fprintf(stderr, "family: unknown option %s\n", a);
            return false;
        }
    }
    return true;
}

static void count(tally *t, const judgement *j)
{
    t->runs++;
    t->wrong += j->verdict == VERDICT_WRONG;
    t->far += j->verdict == VERDICT_WRONG && j->worst > 10 * FAMILY_LIMIT;
    t->refused += j->verdict == VERDICT_REFUSED;
    t->endless += j->verdict == VERDICT_ENDLESS;
    t->crashed += j->verdict == VERDICT_CRASHED;
    t->residuals += (double)j->residuals;
    if (j->verdict == VERDICT_WRONG ||
        (j->verdict == VERDICT_RIGHT && j->worst <= FAMILY_LIMIT))
        t->worst = fmax(t->worst, j->worst); /* not what the run remarked on */
}

static void tell(const options *o, const family_class *k, const family_case *c,
                 int number, double rtol, int mode, const judgement *j)
{
    if (j->verdict == VERDICT_RIGHT && !o->list) return;
    printf("%-7s %5d %.0e %-7s %-14s %-28s", verdicts[j->verdict], number, rtol,
           mode_names[mode], k->name, c->name);
    if (j->verdict == VERDICT_RIGHT || j->verdict == VERDICT_WRONG)
        printf(" %9.3g tol  %s(%.6g) = %.9g, exact %.9g", j->worst, j->variable,
               j->at, j->value, j->exact);
    else
        printf(" %.160s", j->message);
    printf("  %ld residuals %.3f s\n", j->residuals, j->seconds);
    fflush(stdout);
}

static void keep(const options *o, const family_case *c, int number,
                 double rtol, int mode, const judgement *j)
{
    char path[400], note[480];

    if (!o->keep || (j->verdict == VERDICT_RIGHT && !o->list)) return;
    mkdir(o->keep, 0777);
    snprintf(path, sizeof path, "%s/%d_%.0e_%s", o->keep, number, rtol,
             mode_names[mode]);
    mkdir(path, 0777);
    judge_write(c, rtol, modes[mode], path);
    snprintf(note, sizeof note, "%s/verdict.txt", path);
    FILE *file = fopen(note, "w");
    if (!file) return;
    fprintf(file,
            "%s\n%s: %.6g tolerances in %s at %.17g: %.17g, exact %.17g\n%s\n",
            c->name, verdicts[j->verdict], j->worst, j->variable, j->at,
            j->value, j->exact, j->message);
    for (int i = 0; i < c->readings; i++)
        fprintf(file, "%s(%.17g) = %.17g\n", c->reading[i].name, c->stop,
                wave_at(c->reading[i].exact, c->stop));
    fclose(file);
}

static void print_row(const char *name, const tally *t)
{
    printf("%-16s %6d %6d %6d %8d %7d %7d %10.3g %12.0f\n", name, t->runs,
           t->wrong, t->far, t->refused, t->endless, t->crashed, t->worst,
           t->residuals);
}

static void add(tally *sum, const tally *t)
{
    sum->runs += t->runs;
    sum->wrong += t->wrong;
    sum->far += t->far;
    sum->refused += t->refused;
    sum->endless += t->endless;
    sum->crashed += t->crashed;
    sum->worst = fmax(sum->worst, t->worst);
    sum->residuals += t->residuals;
}

static void write_row(FILE *file, const char *name, const tally *t)
{
    fprintf(file,
            "%s,runs,%d\n%s,wrong,%d\n%s,far,%d\n%s,refused_percent,%.4g\n"
            "%s,endless,%d\n%s,crashed,%d\n%s,worst,%.6g\n%s,residuals,%.0f\n",
            name, t->runs, name, t->wrong, name, t->far, name,
            t->runs ? 100.0 * t->refused / t->runs : 0.0, name, t->endless,
            name, t->crashed, name, t->worst, name, t->residuals);
}

static tally report(const tally *table, const char *results)
{
    tally all = { 0 };
    FILE *file = results ? fopen(results, "w") : NULL;

    printf("%-16s %6s %6s %6s %8s %7s %7s %10s %12s\n", "class", "runs", "> 10",
           "> 100", "refused", "no end", "crash", "worst", "residuals");
    if (file) fprintf(file, "case,quantity,value\n");
    for (int k = 0; family_classes[k].name; k++) {
        if (!table[k].runs) continue;
        print_row(family_classes[k].name, &table[k]);
        if (file) write_row(file, family_classes[k].name, &table[k]);
        add(&all, &table[k]);
    }
    print_row("all", &all);
    if (file) {
        write_row(file, "all", &all);
        fclose(file);
    }
    return all;
}

static void run_case(const options *o, int number, const char *folder,
                     tally *table)
{
    static const double tolerances[] = { 1e-4, 1e-6, 1e-8 };
    family_case c;
    int classes = 0;
    while (family_classes[classes].name) classes++;
    const family_class *k = family_make(
        o->seed, number,
        o->quick ? family_classes[number % classes].name : o->only, &c);

    if (!k) {
        printf("number %d could not be drawn\n", number);
        return;
    }
    for (int r = 0; r < 3; r++)
        for (int m = 0; m < 2; m++) {
            judgement j;
            if (o->rtol > 0.0 && fabs(o->rtol / tolerances[r] - 1.0) > 1e-6)
                continue;
            if (o->mode >= 0 && m != o->mode) continue;
            judge(&c, tolerances[r], modes[m], folder, o->seconds, &j);
            count(&table[k - family_classes], &j);
            tell(o, k, &c, number, tolerances[r], m, &j);
            keep(o, &c, number, tolerances[r], m, &j);
        }
    case_free(&c);
}

static void clean(const char *folder)
{
    static const char *const files[] = { "system.yaml", "m.mo", "c.cir" };
    char path[400];

    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        remove(path);
    }
    rmdir(folder);
}

int main(int argc, char **argv)
{
    options o = { .count = 1000, .seed = 1, .seconds = 10.0, .mode = -1 };
    tally table[CLASSES] = { { 0 } };
    char folder[] = "/tmp/yoke_family.XXXXXX";

    if (!parse(argc, argv, &o)) return 2;
    if (!mkdtemp(folder)) {
        perror("family: a temporary folder");
        return 2;
    }
    for (int i = 0; i < o.count; i++) {
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\r%d of %d ", i + 1, o.count);
        run_case(&o, o.first + i, folder, table);
    }
    if (isatty(STDERR_FILENO)) fputc('\n', stderr);
    clean(folder);
    const tally all = report(table, o.results);
    return all.wrong || all.endless || all.crashed ||
                   100 * all.refused > all.runs
               ? 1
               : 0;
}
