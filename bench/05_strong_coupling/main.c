/* Random strongly coupled problems: do they converge with the defaults, in how
 * many sweeps, and to the right solution? */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "measure.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 30 }; /* a case that takes longer has failed */

enum { DECADES = 6, LEAST_DECADE = -2, WORST = 8 };

typedef struct arguments {
    bool verbose, owned;
    unsigned long seed;
    long count, only;   /* only: -1, or one case */
    const char *family; /* NULL: all */
    const char *file, *set[8];
    int sets;
} arguments;

/* ---- tables -------------------------------------------------------------- */

typedef struct cell {
    int cases, failures, wrong, unknown;
    long windows, sweeps, rejected;
    double most_sweeps, log_work, most_work;
    int finished, compared;
    int as_one; /* everything was one system at the end */
} cell;

typedef struct record {
    unsigned long number;
    double value;
} record;

typedef struct tally {
    cell cell[FAMILIES][DECADES], family[FAMILIES], all;
    record slow[WORST]; /* sweeps per window, largest first */
} tally;

static double sweeps_of(const verdict *v)
{
    const yoke_iterate_result *it = &v->coupled.result.iterate;

    return it->windows > 0 ? (double)it->sweeps / it->windows : NAN;
}

static double work_of(const verdict *v)
{
    return (double)v->coupled.result.work.residuals /
           (double)v->whole.result.work.residuals;
}

static void count_in(cell *c, const verdict *v)
{
    const yoke_iterate_result *it = &v->coupled.result.iterate;

    c->cases++;
    c->failures += v->failed;
    c->wrong += v->wrong;
    c->unknown += v->unknown;
    if (v->failed) return;
    c->finished++;
    c->as_one += v->coupled.result.subsystems == 1;
    c->windows += it->windows;
    c->sweeps += it->sweeps;
    c->rejected += it->rejected;
    c->most_sweeps = fmax(c->most_sweeps, sweeps_of(v));
    if (v->unknown) return;
    c->compared++;
    c->log_work += log(work_of(v));
    c->most_work = fmax(c->most_work, work_of(v));
}

static void count_slow(tally *t, unsigned long number, double value)
{
    int at = WORST;

    while (at > 0 && value > t->slow[at - 1].value) at--;
    if (at == WORST) return;
    memmove(&t->slow[at + 1], &t->slow[at],
            (size_t)(WORST - 1 - at) * sizeof *t->slow);
    t->slow[at] = (record){ number, value };
}

static void count_case(tally *t, const problem *p, unsigned long number,
                       const verdict *v)
{
    int decade = (int)floor(log10(p->alpha)) - LEAST_DECADE;

    if (decade < 0) decade = 0;
    if (decade >= DECADES) decade = DECADES - 1;
    count_in(&t->cell[p->family][decade], v);
    count_in(&t->family[p->family], v);
    count_in(&t->all, v);
    if (!v->failed) count_slow(t, number, sweeps_of(v));
}

static void print_cell(const char *name, const char *alpha, const cell *c)
{
    const double mean =
        c->windows > 0 ? (double)c->sweeps / (double)c->windows : NAN;

    if (c->cases == 0) return;
    printf("%-11s %-14s %5d %6d %5d %7d %6d %7.2f %7.2f %8ld %7.2f %7.1f\n",
           name, alpha, c->cases, c->failures, c->wrong, c->unknown, c->as_one,
           mean, c->most_sweeps, c->rejected,
           c->compared > 0 ? exp(c->log_work / c->compared) : NAN,
           c->most_work);
}

static void put_cell(const char *name, const cell *c)
{
    if (c->cases == 0) return;
    bench_put(name, "cases", c->cases);
    bench_put(name, "failures", c->failures);
    bench_put(name, "wrong", c->wrong);
    bench_put(name, "no_reference", c->unknown);
    bench_put(name, "rejected", (double)c->rejected);
    bench_put(name, "as_one", c->as_one);
    if (c->finished == 0) return;
    bench_put(name, "sweeps_per_window",
              (double)c->sweeps / (double)c->windows);
    bench_put(name, "most_sweeps_per_window", c->most_sweeps);
    bench_put(name, "residuals_over_monolithic",
              exp(c->log_work / c->compared));
}

static void print_table(const tally *t, unsigned long seed)
{
    printf("\n%-11s %-14s %5s %6s %5s %7s %6s %7s %7s %8s %7s %7s\n", "family",
           "alpha", "cases", "failed", "wrong", "no ref.", "as one", "sweeps",
           "most", "rejected", "work", "most");
    for (int f = 0; f < FAMILIES; f++) {
        for (int k = 0; k < DECADES; k++) {
            char text[32], name[64];
            snprintf(text, sizeof text, "1e%d ... 1e%d", k + LEAST_DECADE,
                     k + LEAST_DECADE + 1);
            snprintf(name, sizeof name, "%s-1e%d", family_name[f],
                     k + LEAST_DECADE);
            print_cell(family_name[f], text, &t->cell[f][k]);
            put_cell(name, &t->cell[f][k]);
        }
        print_cell(family_name[f], "all", &t->family[f]);
        put_cell(family_name[f], &t->family[f]);
    }
    print_cell("all", "all", &t->all);
    put_cell("all", &t->all);
    printf("\nmost sweeps per window:");
    for (int k = 0; k < WORST && t->slow[k].value > 0.0; k++)
        printf(" %.1f (--seed %lu --case %lu)", t->slow[k].value, seed,
               t->slow[k].number);
    printf("\n");
}

/* ---- cases --------------------------------------------------------------- */

static void describe(const problem *p, unsigned long number, const verdict *v)
{
    printf("case %lu: %s, %s, alpha %.3g, %d parts, %s; %s\n", number,
           family_name[p->family], p->nonlinear ? "nonlinear" : "linear",
           p->alpha, p->parts, p->note, p->schedule);
    if (v->failed) printf("  failed: %s\n", v->coupled.text);
    if (v->unknown) printf("  monolithic: %s\n", v->whole.text);
    for (int k = 0; k < KINDS; k++)
        printf("  error of %s: coupled %.3g (%s, t = %.4g), monolithic %.3g "
               "(%s)%s\n",
               k == OF_STATES ? "states" : "others", v->coupled.error[k],
               v->coupled.worst[k], v->coupled.worst_at[k], v->whole.error[k],
               v->whole.worst[k], v->wrong ? " WRONG" : "");
    printf("  windows %d, rejected %d, sweeps %ld, residuals %ld; monolithic "
           "%ld\n",
           v->coupled.result.iterate.windows,
           v->coupled.result.iterate.rejected, v->coupled.result.iterate.sweeps,
           (long)v->coupled.result.work.residuals,
           (long)v->whole.result.work.residuals);
}

/* One line. */
static void name_bad(const problem *p, unsigned long number, const verdict *v)
{
    printf("--case %lu: %s, alpha %.3g, %d parts: ", number,
           family_name[p->family], p->alpha, p->parts);
    if (v->failed)
        printf("failed: %.120s\n", v->coupled.text);
    else
        printf("wrong: errors %.3g and %.3g, monolithic %.3g and %.3g\n",
               v->coupled.error[OF_STATES], v->coupled.error[OF_OTHERS],
               v->whole.error[OF_STATES], v->whole.error[OF_OTHERS]);
}

/* ---- a case in a process of its own: it may hang or crash ---------------- */

static void tell(int end, const verdict *v)
{
    const char *bytes = (const char *)v;

    for (size_t sent = 0; sent < sizeof *v;) {
        const ssize_t some = write(end, bytes + sent, sizeof *v - sent);
        if (some <= 0) _exit(1);
        sent += (size_t)some;
    }
}

/* Says what is known after the monolithic run, and again at the end. */
static void work_and_tell(problem *p, const yoke_run_options *options, bool log,
                          int end)
{
    verdict v = { .failed = true };

    alarm(SECONDS);
    v.whole = measure_whole(p, options);
    v.unknown = !v.whole.converged;
    tell(end, &v);
    v = measure(p, options, &v.whole, log);
    fflush(stdout);
    tell(end, &v);
    _exit(0);
}

static bool listen_to(int end, verdict *v)
{
    char *bytes = (char *)v;
    size_t got = 0;

    while (got < sizeof *v) {
        const ssize_t some = read(end, bytes + got, sizeof *v - got);
        if (some < 0 && errno == EINTR) continue;
        if (some <= 0) return false;
        got += (size_t)some;
    }
    return true;
}

static verdict measure_apart(problem *p, const yoke_run_options *options,
                             bool log)
{
    verdict v = { .failed = true, .unknown = true }, final;
    int end[2], state = 0;

    fflush(stdout);
    if (pipe(end) != 0) {
        perror("pipe");
        exit(1);
    }
    const pid_t child = fork();
    if (child < 0) {
        perror("fork");
        exit(1);
    }
    if (child == 0) work_and_tell(p, options, log, end[1]);
    close(end[1]);
    const bool begun = listen_to(end[0], &final);
    if (begun) v = final;
    const bool complete = begun && listen_to(end[0], &final);
    close(end[0]);
    waitpid(child, &state, 0);
    if (complete) return final;
    snprintf(v.coupled.text, sizeof v.coupled.text,
             WIFSIGNALED(state) && WTERMSIG(state) == SIGALRM
                 ? "no end after %d seconds"
                 : "the process crashed (limit %d seconds)",
             SECONDS);
    return v;
}

static void run_case(const arguments *a, tally *t, unsigned long number)
{
    static problem p;
    yoke_err err = { YOKE_OK, "" };

    problem_draw(&p, a->seed, number);
    p.owned = a->owned;
    yoke_run_options options = measure_options(&p);
    for (int i = 0; i < a->sets; i++) {
        char name[32];
        const char *value = strchr(a->set[i], '=');
        snprintf(name, sizeof name, "%.*s", (int)(value - a->set[i]),
                 a->set[i]);
        bench_need(yoke_run_set(&options, name, value + 1, &err), &err);
    }
    const verdict v = measure_apart(&p, &options, a->verbose);
    count_case(t, &p, number, &v);
    if (a->verbose || a->only >= 0)
        describe(&p, number, &v);
    else if (v.failed || v.wrong)
        name_bad(&p, number, &v);
}

/* ---- arguments ----------------------------------------------------------- */

static void usage(const char *program)
{
    fprintf(
        stderr,
        "usage: %s [--quick] [--seed N] [--cases N] [--case K] "
        "[--family NAME] [--owners] [-v] [--set OPTION=VALUE] [RESULTS.csv]\n",
        program);
    exit(2);
}

static arguments read_arguments(int count, char **text)
{
    arguments a = { .seed = 1, .count = 1000, .only = -1 };

    for (int i = 1; i < count; i++) {
        const char *next = i + 1 < count ? text[i + 1] : NULL;
        if (strcmp(text[i], "-v") == 0) {
            a.verbose = true;
        } else if (strcmp(text[i], "--owners") == 0) {
            a.owned = true;
        } else if (strcmp(text[i], "--quick") == 0) {
            a.count = 60;
        } else if (text[i][0] != '-') {
            a.file = text[i];
        } else if (!next) {
            usage(text[0]);
        } else {
            i++;
            if (strcmp(text[i - 1], "--seed") == 0)
                a.seed = strtoul(next, NULL, 10);
            else if (strcmp(text[i - 1], "--cases") == 0)
                a.count = strtol(next, NULL, 10);
            else if (strcmp(text[i - 1], "--case") == 0)
                a.only = strtol(next, NULL, 10);
            else if (strcmp(text[i - 1], "--family") == 0)
                a.family = next;
            else if (strcmp(text[i - 1], "--set") == 0 && a.sets < 8 &&
                     strchr(next, '='))
                a.set[a.sets++] = next;
            else
                usage(text[0]);
        }
    }
    return a;
}

int main(int count, char **text)
{
    const arguments a = read_arguments(count, text);
    static tally t;

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (a.only >= 0) {
        run_case(&a, &t, (unsigned long)a.only);
        return 0;
    }
    bench_open(a.file ? a.file : "/dev/null");
    for (long k = 0; k < a.count; k++)
        if (!a.family || strcmp(a.family, family_name[k % FAMILIES]) == 0)
            run_case(&a, &t, (unsigned long)k);
    print_table(&t, a.seed);
    bench_close();
    return 0;
}
