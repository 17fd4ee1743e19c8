/* cli/cmd_run.c -- yoke run PROBLEM. */
#include "cli/keep.h"
#include "cli/watch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static cli_processes processes; /* besides this one */

void cli_use_processes(const cli_processes *others)
{
    processes = *others;
}

void cli_tell_processes(int words, char **word, const char *folder)
{
    if (processes.words) processes.words(processes.self, words, word, folder);
}

typedef struct watch {
    cli_progress progress;
    cli_live *live; /* NULL: nobody looks */
    yoke_file *file;
    yoke_run *run;
    const cli_keep *keep;
    yoke_err measured; /* what .measure could not keep */
} watch;

static bool on_stop(void *context)
{
    watch *p = context;

    cli_progress_wait(&p->progress);
    return cli_interrupted() && !cli_keep_waits(p->keep);
}

static bool on_window(void *context, double t, const yoke_iterate_result *r)
{
    watch *p = context;

    cli_progress_show(&p->progress, t, r);
    if (p->live) cli_live_window(p->live, p->run, t, r);
    if (yoke_file_measure_window(p->file, p->run, &p->measured) != YOKE_OK)
        return true;
    return cli_interrupted() && !cli_keep_waits(p->keep);
}

static void on_sweep(void *context, const yoke_sweep *sweep)
{
    const watch *p = context;

    if (p->live) cli_live_sweep(p->live, sweep);
    if (cli_logs(CLI_DEBUG)) cli_log_sweep(NULL, sweep);
}

static double over(long work, long oracle)
{
    return oracle > 0 ? (double)work / (double)oracle : NAN;
}

/* A number, or a dash if it is not known. */
static void print_ratio(double value)
{
    if (isfinite(value))
        printf(" %8.2f", value);
    else
        printf(" %8s", "-");
}

static void print_work(const yoke_run *run)
{
    const char *name = NULL;
    yoke_work w, once;
    int more = 0;

    /* 79 letters: as wide as a terminal that nobody has made wider. */
    printf("\n%-16s %9s %8s %7s %9s %8s %8s %8s\n", "subsystem", "steps",
           "rejected", "events", "residuals", "factored", "seconds",
           "overhead");
    for (int i = 0; yoke_run_work(run, i, &name, &w); i++) {
        if (i >= 12) {
            more++;
            continue;
        }
        printf("%-16.40s %9ld %8ld %7ld %9ld %8ld %8.3f", name, w.steps,
               w.rejected, w.events, w.residuals, w.factorizations, w.seconds);
        print_ratio(yoke_run_oracle(run, i, &once)
                        ? over(w.residuals, once.residuals)
                        : NAN);
        putchar('\n');
    }
    if (more) printf("... and %d more\n", more);
}

static void print_final(const yoke_run *run, double t)
{
    const char *const *name = NULL;
    const double *value = NULL;
    const int count = yoke_run_variables(run, &name, &value);

    printf("\nAt t = %.9g:\n", t);
    for (int k = 0; k < count && k < 12; k++) {
        const char *unit = yoke_run_unit(run, k);
        printf("  %-24s % .10g%s%s\n", name[k], value[k], unit[0] ? " " : "",
               unit);
    }
    if (count > 12) printf("  ... and %d more\n", count - 12);
}

static void print_rates(const yoke_run_result *r, const yoke_iterate_options *o)
{
    const bool plain =
        o->accelerate == YOKE_ACCELERATE_NONE || o->stop != YOKE_STOP_ERROR;

    printf("  rate per sweep      ");
    if (isfinite(r->rate_median))
        printf("%.3g measured (median; at most %.3g)", r->rate_median,
               r->iterate.rate);
    else
        printf("not measured: no window took three sweeps");
    if (isfinite(r->rate_predicted))
        printf(", %.3g predicted%s", r->rate_predicted,
               plain ? "" : "\n                      without acceleration");
    putchar('\n');
}

static void print_errors(const yoke_run_result *r,
                         const yoke_iterate_options *o)
{
    printf("  coupling error      ");
    if (isfinite(r->iterate.estimate))
        printf("estimated at %.2g tolerances or less", r->iterate.estimate);
    else
        printf("not known");
    printf(" (rtol %.1e, atol %.1e)\n", o->rtol, o->atol);
    printf("  coupling residual   %.2g tolerances (largest last change of a "
           "window)\n",
           r->iterate.residual);
}

/* The largest of positions and of velocities. */
static void print_drift(const yoke_run *run, const yoke_run_result *r)
{
    const char *name = NULL, *of[2] = { NULL, NULL };
    double size = 0.0, t = 0.0, most[2] = { -1.0, -1.0 }, when[2] = { 0.0 };

    for (int i = 0; yoke_run_drift(run, i, &name, &size, &t); i++) {
        const size_t length = strlen(name);
        const int k = length > 2 && strcmp(name + length - 2, ".v") == 0;
        if (size <= most[k]) continue;
        most[k] = size;
        when[k] = t;
        of[k] = name;
    }
    for (int k = 0; k < 2; k++)
        if (of[k])
            printf("  drift of %s %.2g at most (%s, t = %.4g)\n",
                   k ? "velocities" : "positions ", most[k], of[k], when[k]);
    if (r->work.missed[0] > 0.0 || r->work.missed[1] > 0.0)
        printf("  projections         removed up to %.2g from positions, %.2g "
               "from velocities\n",
               r->work.missed[0], r->work.missed[1]);
}

/* How much of the work waits for other work. */
static void print_jobs(const yoke_run_result *r)
{
    const double path = r->iterate.path, work = r->iterate.work;

    if (!(path > 0.0)) return;
    printf("  jobs                %d; the critical path is %.3g of the work%s",
           r->jobs, path / work,
           work > 1.001 * path ? "" : ": nothing runs at once\n");
    if (work > 1.001 * path)
        printf(", so many\n                      processors are at most %.3g "
               "times faster than one\n",
               work / path);
}

/* What other machines would take. */
static void print_scaling(yoke_run *run, const yoke_run_options *options)
{
    const yoke_scaling *s = NULL;
    int count = 0;
    yoke_err err = { YOKE_OK, "" };

    if (yoke_run_scaling(run, &count, &s, &err) != YOKE_OK) {
        cli_log(CLI_WARNING, "%s", err.text);
        return;
    }
    if (count == 0) return;
    printf("\nTasks are in %s.  The same run would take, with messages of %.3g "
           "us and %.3g MB/s:\n",
           options->tasks, 1e6 * options->latency, 1e-6 * options->bandwidth);
    for (int k = 0; k < count; k++)
        printf("  %4d %-9s %10.4g s, %6.3g times faster%s%.3g%s\n", s[k].count,
               s[k].threads ? (s[k].count > 1 ? "threads" : "thread") : "ranks",
               s[k].seconds, s[0].seconds / s[k].seconds,
               s[k].threads ? "; " : "; messages ",
               s[k].threads ? 100.0 * s[k].serial / s[k].seconds
                            : 100.0 * s[k].messages / s[k].seconds,
               s[k].threads ? " % of it is done by one alone" : " %");
}

static void print_counts(const yoke_run *run, const yoke_run_result *r,
                         const yoke_iterate_options *o)
{
    const yoke_iterate_result *it = &r->iterate;

    printf("  windows             %d, %d repeated\n", it->windows,
           it->rejected);
    printf("  sweeps              %ld, %.2f per window, %ld solves skipped\n",
           it->sweeps, (double)it->sweeps / it->windows, it->skipped);
    print_rates(r, o);
    print_errors(r, o);
    cli_power_after(run);
    if (isfinite(r->overhead))
        printf("  overhead            %.2f, %s (residuals over those of each "
               "subsystem\n                      solved once, alone)\n",
               r->overhead, r->replayed ? "measured" : "estimated");
    print_drift(run, r);
    print_jobs(r);
    if (r->work.cells[1] > 0.0)
        printf("  cells awake         %.3g %% in the mean over time; those at "
               "rest are not solved\n",
               100.0 * r->work.cells[0] / r->work.cells[1]);
}

/* Text from this column on, broken at spaces. */
static void print_broken(const char *text, int column)
{
    enum { WIDTH = 79 };
    int at = column;

    for (const char *p = text; *p;) {
        const int length = (int)strcspn(p, " ");
        if (at > column && at + 1 + length > WIDTH) {
            printf("\n%*s", column, "");
            at = column;
        } else if (at > column) {
            putchar(' ');
            at++;
        }
        printf("%.*s", length, p);
        at += length;
        p += length;
        p += strspn(p, " ");
    }
    putchar('\n');
}

/* What was in which process. */
static void print_places(const yoke_run *run)
{
    char text[1400];

    for (int i = 0; yoke_run_place(run, i, text, sizeof text); i++) {
        printf("  %-20s", i ? "" : "processes");
        print_broken(text, 22);
    }
}

/* How closed parts went back in time, and what they cost. */
static void print_closed(const yoke_run *run)
{
    char text[300];

    for (int i = 0; yoke_run_closed(run, i, text, sizeof text); i++)
        printf("  %-19s %s\n", i ? "" : "closed parts", text);
}

/* Pieces that were solved again. */
static void print_spots(const yoke_run *run)
{
    yoke_spot s;
    char part[300], text[400];

    if (!yoke_run_spot(run, &s)) return;
    printf("  spot checks         ");
    if (s.made == 0)
        snprintf(text, sizeof text, "none made%s",
                 yoke_run_closed(run, 0, part, sizeof part)
                     ? ": a closed part cannot be solved in another way"
                     : "");
    else if (s.largest > 0.0)
        snprintf(text, sizeof text,
                 "%d, largest difference %.2g tolerances (%.60s, t = %.6g)",
                 s.made, s.largest, s.name, s.t);
    else
        snprintf(text, sizeof text, "%d, largest difference 0 tolerances",
                 s.made);
    print_broken(text, 22);
}

/* The whole, solved again. */
static void print_second(const yoke_run *run)
{
    yoke_second s;

    if (!yoke_run_second(run, &s)) return;
    printf("  second solution     ");
    if (!s.made)
        print_broken(s.failed, 22);
    else
        printf("differs by %.2g tolerances at most\n", s.apart);
}

/* A picture of such rows would lack peaks. */
static void print_rows(const yoke_run *run, const yoke_run_options *options)
{
    double within = NAN, since = NAN;
    char text[300];

    if (!yoke_run_rows(run, &within, &since) || isnan(since)) return;
    snprintf(text, sizeof text,
             "TOO FEW from t = %.6g on: straight lines between them are up to "
             "%.2g of a variable's range off, because there are at most %d "
             "(--rows %d permits more)",
             since, within, options->rows, 10 * options->rows);
    printf("  rows                ");
    print_broken(text, 22);
}

static void print_uncertain(yoke_run *run)
{
    const char *text = NULL;

    for (int i = 0; yoke_run_uncertain(run, i, &text); i++) {
        printf("  %-20s", i ? "" : "not certified");
        print_broken(text, 22);
    }
}

/* What the run decided by itself. */
static void print_ladder(const yoke_run *run, bool alone)
{
    yoke_ladder_step s;

    for (int i = 0; yoke_run_step(run, i, &s); i++) {
        char text[1400];
        if (alone && strcmp(s.rung, "window") == 0) continue;
        snprintf(text, sizeof text, "%s, from t = %.6g s: %s", s.rung, s.t,
                 s.text);
        printf("  %-20s", i ? "" : "decided");
        print_broken(text, 22);
    }
}

/* One open subsystem, or a circuit that is one system. */
static bool is_alone(const yoke_file *file, yoke_run *run,
                     const yoke_run_result *r, double stop)
{
    char text[1400];
    yoke_netlist_info circuit;
    yoke_work work;

    if (r->subsystems != 1 || (!r->converged && r->t >= stop)) return false;
    return yoke_file_netlist(file, &circuit) ||
           !(yoke_run_work(run, 1, NULL, &work) ||
             yoke_run_closed(run, 0, text, sizeof text) ||
             yoke_run_place(run, 0, text, sizeof text));
}

/* Nothing is coupled, so nothing is said of windows and sweeps. */
static void print_plain(const yoke_file *file, yoke_run *run,
                        const yoke_run_result *r, const yoke_iterate_options *o)
{
    yoke_netlist_info circuit;

    printf("The %s is solved %sto t = %.9g in %.3f s.\n",
           yoke_file_netlist(file, &circuit) ? "circuit" : "system",
           r->converged ? "" : "only ", r->t, r->seconds);
    printf("  steps               %ld, %ld rejected (rtol %.1e, atol %.1e)\n",
           r->work.steps, r->work.rejected, o->rtol, o->atol);
    if (r->work.cells[1] > 0.0)
        printf("  cells awake         %.3g %% in the mean over time; those at "
               "rest are not solved\n",
               100.0 * r->work.cells[0] / r->work.cells[1]);
    print_spots(run);
    print_second(run);
}

static void print_summary(const yoke_file *file, yoke_run *run,
                          const yoke_run_options *options)
{
    const char *told = yoke_file_told(file);
    yoke_run_result r;

    yoke_run_summary(run, &r);
    const bool alone = is_alone(file, run, &r, options->stop);
    if (told && options->stop == yoke_file_run_options(file)->stop) {
        printf("defaults of the file  ");
        print_broken(told, 22);
    }
    if (r.iterate.windows == 0)
        puts(r.text);
    else if (alone) {
        print_plain(file, run, &r, &options->iterate);
    } else {
        printf("%d %s, %.3f s: %s.\n", r.subsystems,
               r.subsystems == 1 ? "subsystem" : "subsystems", r.seconds,
               r.converged           ? "every window converged"
               : r.t < options->stop ? "the run ended before its stop time"
                                     : "NOT every window converged");
        print_counts(run, &r, &options->iterate);
        print_spots(run);
        print_second(run);
        print_closed(run);
        print_places(run);
    }
    print_rows(run, options);
    print_uncertain(run);
    print_ladder(run, alone);
    print_final(run, r.t);
    print_work(run);
    print_scaling(run, options);
    if (options->output[0]) putchar('\n');
    cli_print_results(options->output);
}

/* The head of one entry of an object. */
static void key(const char *name)
{
    printf(",\n \"%s\": ", name);
}

static void number(const char *name, double value)
{
    key(name);
    cli_json_number(value);
}

static void json_work(const yoke_work *w)
{
    printf("{\"sweeps\": %ld, \"steps\": %ld, \"rejected\": %ld, "
           "\"residuals\": %ld, \"jacobians\": %ld, "
           "\"factorizations\": %ld, \"solves\": %ld, \"events\": %ld, "
           "\"seconds\": %.6f",
           w->sweeps, w->steps, w->rejected, w->residuals, w->jacobians,
           w->factorizations, w->solves, w->events, w->seconds);
}

static void json_final(const yoke_run *run)
{
    const char *const *name = NULL;
    const double *value = NULL;
    const int count = yoke_run_variables(run, &name, &value);

    key("final");
    putchar('{');
    for (int k = 0; k < count; k++) {
        if (k) printf(", ");
        cli_json_text(name[k]);
        printf(": ");
        cli_json_number(value[k]);
    }
    putchar('}');
}

static void json_subsystems(const yoke_run *run)
{
    const char *cluster = NULL;
    yoke_work w, once;

    key("work");
    putchar('{');
    for (int i = 0; yoke_run_work(run, i, &cluster, &w); i++) {
        if (i) printf(",\n  ");
        cli_json_text(cluster);
        printf(": ");
        json_work(&w);
        printf(", \"overhead\": ");
        cli_json_number(yoke_run_oracle(run, i, &once)
                            ? over(w.residuals, once.residuals)
                            : NAN);
        putchar('}');
    }
    putchar('}');
}

static void json_ladder(const yoke_run *run)
{
    yoke_ladder_step s;

    key("ladder");
    putchar('[');
    for (int i = 0; yoke_run_step(run, i, &s); i++) {
        if (i) printf(",\n  ");
        printf("{\"rung\": \"%s\", \"time\": ", s.rung);
        cli_json_number(s.t);
        printf(", \"text\": ");
        cli_json_text(s.text);
        putchar('}');
    }
    putchar(']');
}

static void json_remarks(const yoke_run *run)
{
    const char *name = NULL;
    yoke_remark r;

    key("remarks");
    putchar('[');
    for (int i = 0; yoke_run_remark(run, i, &name, &r); i++) {
        printf("%s{\"subsystem\": ", i ? ", " : "");
        cli_json_text(name);
        printf(", \"since\": ");
        cli_json_number(r.since);
        printf(", \"text\": ");
        cli_json_text(r.text);
        putchar('}');
    }
    putchar(']');
}

/* Nothing if tasks are not recorded. */
static void json_scaling(yoke_run *run)
{
    const yoke_scaling *s = NULL;
    int count = 0;
    yoke_err err = { YOKE_OK, "" };

    if (yoke_run_scaling(run, &count, &s, &err) != YOKE_OK)
        cli_log(CLI_WARNING, "%s", err.text);
    if (count == 0) return;
    key("scaling");
    for (int k = 0; k < count; k++) {
        printf("%s{\"%s\": %d, \"seconds\": %.9g, \"messages\": %.9g, "
               "\"serial\": %.9g}",
               k ? ",\n  " : "[", s[k].threads ? "threads" : "ranks",
               s[k].count, s[k].seconds, s[k].messages, s[k].serial);
    }
    putchar(']');
}

static void json_places(const yoke_run *run)
{
    char text[1400];

    if (!yoke_run_place(run, 0, text, sizeof text)) return;
    key("processes");
    putchar('[');
    for (int i = 0; yoke_run_place(run, i, text, sizeof text); i++) {
        if (i) printf(",\n  ");
        cli_json_text(text);
    }
    putchar(']');
}

static void json_spots(const yoke_run *run)
{
    yoke_spot s;
    const bool open = yoke_run_spot(run, &s);

    key("spot");
    if (!open) {
        printf("null");
        return;
    }
    printf("{\"made\": %d, \"undecided\": %d, \"failed\": %d, \"largest\": ",
           s.made, s.undecided, s.failed);
    cli_json_number(s.made ? s.largest : NAN);
    printf(", \"variable\": ");
    cli_json_text(s.name);
    printf(", \"time\": ");
    cli_json_number(s.t);
    printf(", \"length\": ");
    cli_json_number(s.time);
    printf(",\n  \"work\": ");
    json_work(&s.work);
    printf("}}");
}

static void json_second(const yoke_run *run)
{
    yoke_second s;

    key("second");
    if (!yoke_run_second(run, &s)) {
        printf("null");
        return;
    }
    printf("{\"made\": %s, \"apart\": ", s.made ? "true" : "false");
    cli_json_number(s.made ? s.apart : NAN);
    printf(", \"variable\": ");
    cli_json_text(s.name);
    printf(", \"time\": ");
    cli_json_number(s.t);
    printf(", \"part\": ");
    cli_json_number(s.part);
    printf(", \"failed\": ");
    cli_json_text(s.failed);
    putchar('}');
}

static void json_uncertain(yoke_run *run)
{
    const char *text = NULL;

    key("not_certified");
    putchar('[');
    for (int i = 0; yoke_run_uncertain(run, i, &text); i++) {
        if (i) printf(",\n  ");
        cli_json_text(text);
    }
    putchar(']');
}

static void json_drift(const yoke_run *run)
{
    const char *name = NULL;
    double size = 0.0, t = 0.0;

    key("drift");
    putchar('[');
    for (int i = 0; yoke_run_drift(run, i, &name, &size, &t); i++) {
        printf("%s{\"name\": ", i ? ", " : "");
        cli_json_text(name);
        printf(", \"largest\": ");
        cli_json_number(size);
        printf(", \"time\": ");
        cli_json_number(t);
        putchar('}');
    }
    putchar(']');
}

/* `error` is "" for none.  The keys are those of docs/manual/json.md. */
static void print_json(const yoke_file *file, yoke_run *run,
                       const cli_tables *tables, const char *error)
{
    yoke_run_result r;

    yoke_run_summary(run, &r);
    const yoke_iterate_result *it = &r.iterate;
    printf("{\"converged\": %s", r.converged ? "true" : "false");
    key("error");
    if (error[0])
        cli_json_text(error);
    else
        printf("null");
    json_drift(run);
    key("repaired");
    if (r.repaired)
        cli_json_text(r.repaired);
    else
        printf("null");
    json_ladder(run);
    json_remarks(run);
    json_spots(run);
    json_second(run);
    json_uncertain(run);
    number("time", r.t);
    printf(",\n \"windows\": %d, \"sweeps\": %ld, \"rejected\": %d, "
           "\"skipped\": %ld",
           it->windows, it->sweeps, it->rejected, it->skipped);
    number("sweeps_per_window",
           it->windows ? (double)it->sweeps / it->windows : NAN);
    number("rate", it->rate);
    number("rate_median", r.rate_median);
    number("rate_predicted", r.rate_predicted);
    number("coupling_estimate", it->estimate);
    number("coupling_residual", it->residual);
    number("overhead", r.overhead);
    printf(", \"overhead_is\": \"%s\"", r.replayed ? "measured" : "estimated");
    printf(",\n \"jobs\": %d", r.jobs);
    json_places(run);
    number("critical_path", it->work > 0.0 ? it->path / it->work : NAN);
    printf(",\n \"seconds\": %.6f", r.seconds);
    json_scaling(run);
    yoke_power power;
    cli_json_power(yoke_run_power(run, &power) ? &power : NULL);
    json_final(run);
    cli_json_tables(tables);
    cli_json_measures(file);
    json_subsystems(run);
    key("oracle");
    json_work(&r.oracle);
    puts("}}");
}

static void print_remarks(const yoke_run *run)
{
    const char *name = NULL;
    yoke_remark r;

    for (int i = 0; yoke_run_remark(run, i, &name, &r); i++)
        if (isinf(r.since))
            cli_log(CLI_WARNING, "subsystem \"%s\": %s", name, r.text);
        else
            cli_log(CLI_WARNING, "subsystem \"%s\", t = %.9g: %s", name,
                    r.since, r.text);
}

/* What `yoke run` is asked for besides the options of the run. */
typedef struct wishes {
    bool json, quiet, oracle;
    cli_keep *keep;
    cli_watch *watch;
} wishes;

/* Predicted rate and, on request, the work of the oracle; a run that was
 * interrupted can be judged too. */
static yoke_status judge(yoke_run *run, const wishes *w, yoke_err *err)
{
    yoke_run_result r;
    double rate = NAN;

    yoke_run_summary(run, &r);
    if (r.iterate.windows == 0) return YOKE_OK;
    const yoke_status status = yoke_run_predict(run, &rate, err);
    if (status != YOKE_OK || !w->oracle) return status;
    return yoke_run_replay(run, NULL, err);
}

/* The run from its beginning, or from a checkpoint; *file is the one it has. */
static yoke_status begin(yoke_run **run, yoke_file **file, cli_system *s,
                         const wishes *w, const yoke_watcher *watcher,
                         yoke_err *err)
{
    cli_keep *k = w->keep;
    void *beside = NULL;

    if (!k->from)
        return yoke_run_create(run, s->model, &s->options, watcher, err);
    yoke_checkpoint_places(k->from, processes.places);
    const yoke_status status = yoke_checkpoint_take(
        k->from, s->model, run, &beside, watcher, s->options.jobs, err);
    if (status != YOKE_OK) return status;
    k->fresh = s->file;
    *file = s->file = beside;
    if (!(s->options.stop >= yoke_run_time(*run)))
        return yoke_fail(err, YOKE_E_ARG,
                         "the run has come to t = %.9g, and stop = %.9g is "
                         "before that",
                         yoke_run_time(*run), s->options.stop);
    yoke_run_prolong(*run, s->options.stop);
    return YOKE_OK;
}

/* What a run has beside it from its beginning on. */
static yoke_status equip(yoke_run *run, const char *name, const wishes *w,
                         yoke_err *err)
{
    if (w->keep->from) return YOKE_OK;
    const yoke_status status = cli_note_run(run, name, err);
    if (status != YOKE_OK || !w->oracle) return status;
    return yoke_run_keep_waves(run, err);
}

static int execute(cli_system *s, const wishes *w, const cli_tables *tables)
{
    const yoke_run_options *options = &s->options;
    yoke_file *file = s->file;
    watch p = { .keep = w->keep };
    const yoke_watcher watcher = { .window = on_window,
                                   .sweep = w->watch->on || cli_logs(CLI_DEBUG)
                                                ? on_sweep
                                                : NULL,
                                   .stop = on_stop,
                                   .context = &p };
    yoke_err err = { YOKE_OK, "" }, judge_err = { YOKE_OK, "" };
    yoke_run *run = NULL;
    yoke_run_result r = { .converged = false };

    if (begin(&run, &file, s, w, &watcher, &err) != YOKE_OK)
        return cli_fail_options(s, &err);
    p.run = run;
    p.file = file;
    if (!w->keep->from && yoke_file_measure_begin(file, run, &err) != YOKE_OK) {
        yoke_run_close(run, NULL);
        return cli_fail(&err);
    }
    /* Before there was nothing to keep; whoever reads the address may interrupt. */
    cli_interrupt_begin();
    if (cli_watch_begin(w->watch, run, s->name, options->stop) != CLI_OK) {
        cli_interrupt_close();
        yoke_run_close(run, NULL);
        return CLI_FAILED;
    }
    p.live = w->watch->live;
    yoke_netlist_info circuit;
    cli_progress_begin(&p.progress, options->start, options->stop,
                       !w->json && !w->quiet && cli_logs(CLI_NOTE) &&
                           !cli_logs(CLI_DEBUG),
                       yoke_file_netlist(file, &circuit) && circuit.parts < 2);
    yoke_status status = equip(run, s->name, w, &err);
    cli_keep_run(w->keep, run, file, options->stop);
    if (status == YOKE_OK) status = yoke_run_advance(run, options->stop, &err);
    cli_interrupt_end(); /* the next one ends what follows */
    if (p.measured.status != YOKE_OK) err = p.measured;
    if (status == YOKE_OK) status = yoke_file_measure(file, &err);
    if (status == YOKE_OK) status = cli_note_measures(run, file, &err);
    if (status != YOKE_OK) {
        cli_keep_tell(w->keep, &err);
        cli_progress_break(&p.progress);
        cli_fail(&err);
    }
    const yoke_status judged = judge(run, w, &judge_err);
    if (judged != YOKE_OK) cli_fail(&judge_err);
    yoke_run_summary(run, &r);
    cli_watch_end(w->watch, run,
                  status == YOKE_OK && r.converged ? CLI_LIVE_ENDED
                                                   : CLI_LIVE_FAILED,
                  status == YOKE_OK ? r.text : err.text);
    print_remarks(run);
    if (w->json)
        print_json(file, run, tables, status == YOKE_OK ? "" : err.text);
    else if (!w->quiet)
        print_summary(file, run, options);
    cli_interrupt_close();
    yoke_err close_err = { YOKE_OK, "" };
    const yoke_status closed = yoke_run_close(run, &close_err);
    if (closed != YOKE_OK) cli_fail(&close_err);
    fflush(stdout);
    cli_watch_close(w->watch);
    if (closed != YOKE_OK) return CLI_FAILED;
    return status == YOKE_OK && judged == YOKE_OK && r.converged ? CLI_OK
                                                                 : CLI_FAILED;
}

/* A netlist may ask for nothing. */
static int check_tasks(const cli_system *s)
{
    yoke_analysis a;

    if (yoke_file_has_run(s->file) || yoke_file_analysis_at(s->file, 0, &a))
        return CLI_OK;
    return cli_usage("%s has no analysis: .tran, .op, .dc or .ac; write one "
                     "into it, such as \".tran 1u 1m\"",
                     s->path);
}

/* .op, .dc, .ac, then the run. */
static int run_tasks(cli_system *s, const wishes *w)
{
    cli_tables tables = { .count = 0 };
    const bool has_run = yoke_file_has_run(s->file);
    yoke_err err = { YOKE_OK, "" };

    if (yoke_file_check_output(s->file, s->options.output, &err) != YOKE_OK)
        return cli_fail(&err);
    int status = cli_analyses(s->file, s->options.output, w->quiet || w->json,
                              w->json ? &tables : NULL);
    if (w->json && (status != CLI_OK || !has_run))
        cli_json_analyses(s->file, &tables);
    if (status == CLI_OK && has_run)
        status = execute(s, w, &tables);
    else if (status == CLI_OK && w->watch->on)
        cli_log(CLI_WARNING, "--watch: the file asks for no run over time, so "
                             "there is nothing to show");
    if (status == CLI_OK && has_run && !s->options.output[0] && !w->quiet &&
        !w->json)
        puts("\nNo result file was given; --output name.csv, name.h5 or "
             "name.raw writes the waveforms.");
    if (status == CLI_OK) cli_print_measures(s->file, w->quiet || w->json);
    cli_tables_free(&tables);
    return status;
}

int cli_run_words(int argc, char **argv, cli_keep *keep)
{
    static cli_system system;
    keep->program = processes.places ? "yoke-mpi" : "yoke";
    int status = cli_keep_begin(keep, &argc, argv);
    cli_watch shown = { .on = false };
    const wishes w = {
        .json = cli_flag(&argc, argv, "--json"),
        .quiet = cli_flag(&argc, argv, "--quiet"),
        .oracle = cli_flag(&argc, argv, "--oracle"),
        .keep = keep,
        .watch = &shown,
    };
    cli_measures measures = { 0 };

    if (status == CLI_OK) status = cli_watch_take(&shown, &argc, argv);
    if (status == CLI_OK) status = cli_take_measures(&argc, argv, &measures);
    if (status != CLI_OK) return status;
    if (processes.serve) return processes.serve(processes.self, argc, argv);
    status = cli_load(&system, &argc, argv);
    system.options.places = processes.places;
    if (status == CLI_OK) status = cli_add_measures(system.file, &measures);
    if (status == CLI_OK) status = cli_keep_check(keep, system.options.output);
    if (status == CLI_OK) {
        status = check_tasks(&system);
        if (status == CLI_OK) status = run_tasks(&system, &w);
    }
    if (keep->fresh) system.file = keep->fresh;
    cli_unload(&system);
    return status;
}

int cmd_run(int argc, char **argv)
{
    static cli_keep keep;

    return cli_run_words(argc, argv, &keep);
}
