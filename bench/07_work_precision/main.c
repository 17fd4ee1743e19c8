/* Work against precision: coupled, as a whole, and by IDA.
 *
 * Every problem is a system file; the driver gives rtol and atol and nothing
 * else.  The error is the largest one of all recorded variables at 400 times,
 * over atol + rtol max|y|.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TIMES = 400, TOLERANCES = 7 };

static const double long_run = 0.1; /* s: is not repeated for its time */

/* All problems have values of about 1, or more: atol = rtol. */
static const char *const problems[] = { "signals",   "constraint", "circuit",
                                        "rectifier", "mechanism",  "stiff",
                                        "rod",       "multirate",  "nonlinear",
                                        "breaks",    "events",     "jump" };
enum { PROBLEMS = sizeof problems / sizeof *problems };

static const struct method {
    const char *name, *stepper; /* stepper of everything; NULL: coupled */
} methods[] = {
    { "coupled", NULL },
    { "radau5", "radau5" },
    { "ida", "ida" },
};
enum { METHODS = sizeof methods / sizeof *methods };

/* The recorded variables at TIMES equal distances, row by row. */
typedef struct samples {
    int variables;
    double *value, *most;
} samples;

typedef struct outcome {
    bool failed;
    yoke_run_result result;
    double seconds;
    samples got;
} outcome;

typedef struct sampler {
    yoke_run *run;
    double stop;
    int next; /* from 1 to TIMES */
    samples *to;
} sampler;

static bool each_window(void *context, double t, const yoke_iterate_result *r)
{
    sampler *s = context;

    (void)r;
    for (; s->next <= TIMES; s->next++) {
        const double at = s->stop * s->next / TIMES;
        if (at > t * (1.0 + 1e-12)) break;
        yoke_run_at(s->run, fmin(at, t),
                    s->to->value +
                        (size_t)(s->next - 1) * (size_t)s->to->variables);
    }
    return false;
}

static void samples_free(samples *s)
{
    free(s->value);
    free(s->most);
}

static void make_room(samples *s, yoke_run *run)
{
    const char *const *name = NULL;
    const double *value = NULL;
    const int count = yoke_run_variables(run, &name, &value);

    if (s->value) return;
    s->variables = count;
    s->value = bench_new((size_t)count * TIMES, sizeof *s->value);
    s->most = bench_new((size_t)count, sizeof *s->most);
}

static void run_once(yoke_file *file, const struct method *m, double rtol,
                     outcome *o)
{
    yoke_run_options options = *yoke_file_run_options(file);
    yoke_err err = { YOKE_OK, "" };
    sampler s = { .stop = options.stop, .next = 1, .to = &o->got };
    const yoke_watcher watcher = { .window = each_window, .context = &s };
    const double begin = bench_clock();

    options.iterate.rtol = options.iterate.atol = rtol;
    options.output = "";
    if (m->stepper) {
        options.scheme = YOKE_MONOLITHIC;
        bench_need(yoke_run_set(&options, "stepper", m->stepper, &err), &err);
    }
    bench_need(yoke_run_create(&s.run, yoke_file_model(file), &options,
                               &watcher, &err),
               &err);
    make_room(&o->got, s.run);
    o->failed = yoke_run_advance(s.run, options.stop, &err) != YOKE_OK;
    if (o->failed) printf("%s, rtol %g: %s\n", m->name, rtol, err.text);
    o->seconds = fmin(o->seconds, bench_clock() - begin);
    yoke_run_summary(s.run, &o->result);
    bench_need(yoke_run_close(s.run, &err), &err);
}

static outcome run(yoke_file *file, const struct method *m, double rtol,
                   int repeats)
{
    outcome o = { .seconds = INFINITY };

    for (int k = 0;
         k < repeats && (k == 0 || (o.seconds < long_run && !o.failed)); k++)
        run_once(file, m, rtol, &o);
    for (int v = 0; v < o.got.variables; v++)
        for (int i = 0; i < TIMES; i++)
            o.got.most[v] =
                fmax(o.got.most[v], fabs(o.got.value[i * o.got.variables + v]));
    return o;
}

/* Largest distance over the tolerance, and where it is. */
static double distance(const samples *a, const samples *b, double rtol,
                       int *variable, int *time)
{
    double most = 0.0;

    for (int i = 0; i < TIMES * a->variables; i++) {
        const int v = i % a->variables;
        const double e =
            fabs(a->value[i] - b->value[i]) / (rtol + rtol * b->most[v]);
        if (e <= most) continue;
        most = e;
        *variable = v;
        *time = i / a->variables + 1;
    }
    return most;
}

/* ---- one problem --------------------------------------------------------- */

typedef struct problem {
    const char *name;
    yoke_file *file;
    outcome exact;
} problem;

static void name_of(const problem *p, int variable, char *text, size_t room)
{
    yoke_run_options options = *yoke_file_run_options(p->file);
    yoke_err err = { YOKE_OK, "" };
    const char *const *name = NULL;
    const double *value = NULL;
    yoke_run *run = NULL;

    options.output = "";
    bench_need(
        yoke_run_create(&run, yoke_file_model(p->file), &options, NULL, &err),
        &err);
    yoke_run_variables(run, &name, &value);
    snprintf(text, room, "%s", name[variable]);
    bench_need(yoke_run_close(run, &err), &err);
}

static void measure(const problem *p, const struct method *m, double rtol,
                    int repeats)
{
    char name[96], worst[96];
    int variable = 0, time = 0;
    outcome o = run(p->file, m, rtol, repeats);
    const yoke_work *w = &o.result.work;
    const yoke_iterate_result *it = &o.result.iterate;
    const double error =
        o.failed ? NAN
                 : distance(&o.got, &p->exact.got, rtol, &variable, &time);

    snprintf(name, sizeof name, "%s-%s-%g", p->name, m->name, rtol);
    name_of(p, variable, worst, sizeof worst);
    bench_put(name, "error", error);
    bench_put(name, "residuals", (double)w->residuals);
    bench_put(name, "factorizations", (double)w->factorizations);
    bench_put(name, "solves", (double)w->solves);
    bench_put(name, "steps", (double)w->steps);
    bench_put(name, "windows", it->windows);
    bench_put(name, "sweeps_per_window", (double)it->sweeps / it->windows);
    bench_put(name, "seconds", o.seconds);
    printf(
        "%-11s %-8s %7.0e %8.2f %9ld %7ld %7ld %6d %5.2f %9.5f  %s, %.3g%s\n",
        p->name, m->name, rtol, error, w->residuals, w->factorizations,
        w->steps, it->windows, (double)it->sweeps / it->windows, o.seconds,
        worst, yoke_file_run_options(p->file)->stop * time / TIMES,
        o.result.repaired ? "  (solved as one)" : "");
    samples_free(&o.got);
}

/* The reference, and how far it is, over a tolerance of 1e-9, from the same
 * method with a tolerance ten times larger and from another method. */
static void find_exact(problem *p)
{
    static const struct method radau5 = { "radau5", "radau5" };
    static const struct method ida = { "ida", "ida" };
    int variable = 0, time = 0;

    p->exact = run(p->file, &radau5, 1e-12, 1);
    outcome same = run(p->file, &radau5, 1e-11, 1);
    outcome other = run(p->file, &ida, 1e-11, 1);
    const double near =
        p->exact.failed || same.failed
            ? NAN
            : distance(&same.got, &p->exact.got, 1e-9, &variable, &time);
    const double far = other.failed ? NAN
                                    : distance(&other.got, &p->exact.got, 1e-9,
                                               &variable, &time);
    bench_put(p->name, "reference_distance", near);
    bench_put(p->name, "ida_distance", far);
    printf("%-11s reference: over a tolerance of 1e-9, radau5 with 1e-11 is "
           "%.2g away, ida with 1e-11 %.2g\n",
           p->name, near, far);
    samples_free(&same.got);
    samples_free(&other.got);
}

static void one_problem(const char *name, bool quick, int repeats)
{
    char path[128];
    problem p = { .name = name };
    yoke_err err = { YOKE_OK, "" };

    snprintf(path, sizeof path, "problems/%s.yaml", name);
    bench_need(yoke_file_read(&p.file, path, NULL, &err), &err);
    find_exact(&p);
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < TOLERANCES; k += quick ? 3 : 1)
            measure(&p, &methods[m], pow(10.0, -3 - k), repeats);
    samples_free(&p.exact.got);
    yoke_file_free(p.file);
}

int main(int count, char **text)
{
    const bench_arguments arguments = bench_read_arguments(count, text);

    setvbuf(stdout, NULL, _IOLBF, 0);
    bench_open(arguments.file);
    printf("%-11s %-8s %7s %8s %9s %7s %7s %6s %5s %9s  %s\n", "", "", "rtol",
           "error", "residuals", "LU", "steps", "wins", "swps", "seconds",
           "largest error of, at");
    for (int i = 0; i < PROBLEMS; i++)
        one_problem(problems[i], arguments.quick, arguments.quick ? 1 : 3);
    bench_close();
    return 0;
}
