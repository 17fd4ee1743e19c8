/* family/judge.c -- runs a system through the public library and compares.
 *
 * Each run is a process of its own: one that crashes or does not end takes
 * nothing with it.  Compared are all readings at 48 times, drawn from the same
 * numbers for every run of a case, and at the end; at least 50 rtol of the run
 * away from jumps of that variable, whose instants are known to a tolerance
 * only.  The error is
 *
 *     |x - exact| / (atol + rtol scale),
 *
 * scale the largest |exact| up to then, at least 1 % of its largest over the
 * run and what the class says, and what an error of the input makes of it at
 * that time: a follower cannot be better than what it follows.
 */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE   700
#include "family.h"

#include "yoke/file.h"
#include "yoke/run.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 48, JUMPS = 400 };

typedef struct watched {
    const family_case *c;
    double rtol, atol;
    yoke_run *run;
    double time[TIMES + 1];
    int next; /* time to look at */
    double *row;
    int column[FAMILY_READINGS];
    int jumps[FAMILY_READINGS];
    double jump[FAMILY_READINGS][JUMPS];
    double most[FAMILY_READINGS], whole[FAMILY_READINGS];
    judgement *j;
} watched;

static bool beside_jump(const watched *w, int r, double t)
{
    const double blur = (50.0 * w->rtol + 1e-9) * w->c->stop;

    for (int k = 0; k < w->jumps[r] && k < JUMPS; k++)
        if (fabs(t - w->jump[r][k]) <= blur) return true;
    return false;
}

static void compare(watched *w, int r, double t, double value)
{
    const reading *read = &w->c->reading[r];
    const double exact = wave_at(read->exact, t);

    w->most[r] = wave_most(read->exact, t);
    if (beside_jump(w, r, t)) return;
    double scale = fmax(fmax(w->most[r], 0.01 * w->whole[r]), read->least);
    for (int k = 0; k < 2 && read->moved[k]; k++)
        scale = fmax(scale, FAMILY_OWN / FAMILY_PART *
                                fabs(wave_at(read->moved[k], t) - exact));
    const double error = fabs(value - exact) / (w->atol + w->rtol * scale);
    if (error <= w->j->worst) return; /* not if error is NaN */
    w->j->worst = isfinite(error) ? error : 1e300;
    w->j->at = t;
    w->j->value = value;
    w->j->exact = exact;
    memcpy(w->j->variable, read->name, sizeof read->name);
}

static bool on_window(void *self, double t, const yoke_iterate_result *so_far)
{
    watched *w = self;

    (void)so_far;
    for (; w->next <= TIMES && w->time[w->next] <= t; w->next++) {
        yoke_run_at(w->run, w->time[w->next], w->row);
        for (int r = 0; r < w->c->readings; r++)
            compare(w, r, w->time[w->next], w->row[w->column[r]]);
    }
    return false;
}

static int increasing(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static bool prepare(watched *w, yoke_err *err)
{
    const char *const *name = NULL;
    const double *now = NULL;
    const int count = yoke_run_variables(w->run, &name, &now);
    dice d = dice_of(17, 4);

    w->row = calloc((size_t)count + 1, sizeof *w->row);
    for (int i = 0; i < TIMES; i++)
        w->time[i] = dice_between(&d, 0.0, w->c->stop);
    qsort(w->time, TIMES, sizeof *w->time, increasing);
    w->time[TIMES] = w->c->stop;
    for (int r = 0; r < w->c->readings; r++) {
        const reading *read = &w->c->reading[r];
        w->column[r] = -1;
        for (int k = 0; k < count; k++)
            if (strcmp(name[k], read->name) == 0) w->column[r] = k;
        if (w->column[r] < 0) {
            snprintf(err->text, sizeof err->text, "no variable \"%s\"",
                     read->name);
            return false;
        }
        w->whole[r] = wave_most(read->exact, w->c->stop);
        w->jumps[r] = wave_jumps(read->exact, 1e-9, w->jump[r], JUMPS);
    }
    return w->row != NULL;
}

/* Status 0 is what `yoke run` calls so. */
static bool run_file(watched *w, yoke_file *file, yoke_err *err)
{
    const yoke_run_options *options = yoke_file_run_options(file);
    const yoke_watcher watcher = { .window = on_window, .context = w };
    yoke_run_result result;
    const char *told = NULL;

    if (yoke_run_create(&w->run, yoke_file_model(file), options, &watcher,
                        err) != YOKE_OK)
        return false;
    bool ok = prepare(w, err) &&
              yoke_run_advance(w->run, options->stop, err) == YOKE_OK;
    yoke_run_summary(w->run, &result);
    w->j->residuals = result.work.residuals;
    w->j->remarked = result.remarks > 0 || yoke_run_uncertain(w->run, 0, &told);
    if (ok && !result.converged) {
        snprintf(err->text, sizeof err->text, "not every window converged");
        ok = false;
    }
    if (ok && w->next <= TIMES) {
        snprintf(err->text, sizeof err->text, "ended at t = %.9g", result.t);
        w->j->worst = 1e300;
    }
    if (yoke_run_close(w->run, err) != YOKE_OK) ok = false;
    free(w->row);
    return ok;
}

static void run_here(const family_case *c, double rtol, const char *path,
                     judgement *j)
{
    static watched w;
    yoke_file *file = NULL;
    yoke_err err = { YOKE_OK, "" };
    struct rusage used;

    memset(&w, 0, sizeof w);
    w.c = c;
    w.rtol = rtol;
    w.atol = case_atol(c, rtol);
    w.j = j;
    const bool ok = yoke_file_read(&file, path, NULL, &err) == YOKE_OK &&
                    run_file(&w, file, &err);
    yoke_file_free(file);
    j->verdict = !ok ? VERDICT_REFUSED
                 : j->worst > FAMILY_LIMIT && !(c->fixed && j->remarked)
                     ? VERDICT_WRONG
                     : VERDICT_RIGHT;
    snprintf(j->message, sizeof j->message, "%.399s", err.text);
    getrusage(RUSAGE_SELF, &used);
    j->seconds =
        (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec;
}

static bool write_text(const char *folder, const char *name, const char *bytes)
{
    char path[512];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    const bool ok = fputs(bytes, file) >= 0;
    return fclose(file) == 0 && ok;
}

bool judge_write(const family_case *c, double rtol, const char *mode,
                 const char *folder)
{
    text system = { NULL, 0, 0 };

    case_write(c, rtol, mode, &system);
    const bool ok =
        write_text(folder, "system.yaml", system.bytes) &&
        (!c->models.bytes || write_text(folder, "m.mo", c->models.bytes)) &&
        (!c->circuit.bytes || write_text(folder, "c.cir", c->circuit.bytes));
    text_free(&system);
    return ok;
}

static void in_child(const family_case *c, double rtol, const char *path,
                     double seconds, int to)
{
    const struct itimerval limit = {
        .it_value = { (time_t)seconds,
                      (suseconds_t)(1e6 * (seconds - floor(seconds))) }
    };
    judgement j = { .verdict = VERDICT_REFUSED };

    setitimer(ITIMER_PROF, &limit, NULL);
    run_here(c, rtol, path, &j);
    const ssize_t done = write(to, &j, sizeof j);
    _exit(done == (ssize_t)sizeof j ? 0 : 1);
}

void judge(const family_case *c, double rtol, const char *mode,
           const char *folder, double seconds, judgement *out)
{
    char path[512];
    int ends[2], status = 0;

    memset(out, 0, sizeof *out);
    out->verdict = VERDICT_CRASHED;
    snprintf(path, sizeof path, "%s/system.yaml", folder);
    if (!judge_write(c, rtol, mode, folder) || pipe(ends) != 0) {
        snprintf(out->message, sizeof out->message, "cannot write %.300s",
                 path);
        return;
    }
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        in_child(c, rtol, path, seconds, ends[1]);
    }
    close(ends[1]);
    const bool told =
        child > 0 && read(ends[0], out, sizeof *out) == (ssize_t)sizeof *out;
    close(ends[0]);
    if (child > 0) waitpid(child, &status, 0);
    if (told) return;
    memset(out, 0, sizeof *out);
    out->verdict = WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF
                       ? VERDICT_ENDLESS
                       : VERDICT_CRASHED;
    snprintf(out->message, sizeof out->message, "signal %d",
             WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}
