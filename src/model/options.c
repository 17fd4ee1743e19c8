/* model/options.c -- the one table of run options. */
#include "model/options.h"

#include "base/near.h"
#include "base/options.h"
#include "iter/correct/acceleration.h"

#include <float.h>
#include <math.h>

#define RUN(type, field) (type), #field, offsetof(yoke_run_options, field)
#define ITERATE(type, field)                                                   \
    (type), #field, offsetof(yoke_run_options, iterate.field)

static const yk_option table[] = {
    { RUN(YK_REAL, start), -1e300, 1e300, 0.0, "start time", NULL, NULL },
    { RUN(YK_REAL, stop), -1e300, 1e300, 1.0, "stop time", NULL, NULL },
    { ITERATE(YK_REAL, window), 0.0, 1e300, 0.0,
      "length of a window; 0: the one with the least predicted work", NULL,
      NULL },
    { ITERATE(YK_REAL, min_window), 1e-12, 1.0, 1e-6,
      "shortest length after halving, relative to the window (0: to the run)",
      NULL, NULL },
    { RUN(YK_ENUM, scheme), 0, 0, 0, "how the subsystems are swept",
      "gauss-seidel jacobi picard monolithic port-waves lions-mercier", NULL },
    { RUN(YK_TEXT, order), 0, 0, 0,
      "order of the subsystems, separated by spaces or commas; empty: as added",
      NULL, "" },
    { RUN(YK_TEXT, schedule), 0, 0, 0,
      "schedule as text, instead of scheme and order: a + b, c > d", NULL, "" },
    { RUN(YK_ENUM, cluster), 0, 0, 0,
      "auto: subsystems that are coupled too strongly are merged, and a better "
      "order is taken if none is given; none: nothing is merged; failing: "
      "subsystems are merged only if their iteration fails",
      "auto none failing", NULL },
    { RUN(YK_WORD, stepper), 0, 0, 0,
      "method of the monolithic scheme; empty: that of the first subsystem; of "
      "port-waves and lions-mercier: implicit-midpoint (if empty), "
      "implicit-euler or radau3",
      NULL, "" },
    { RUN(YK_REAL, step), 0.0, 1e300, 0.0,
      "step of every subsystem, instead of its own: fixed methods use it, "
      "adaptive ones take no longer step; 0: each subsystem has its own",
      NULL, NULL },
    { ITERATE(YK_REAL, rtol), 0.0, 1.0, 1e-6, "relative tolerance", NULL,
      NULL },
    { ITERATE(YK_REAL, atol), 0.0, 1e300, 1e-9, "absolute tolerance", NULL,
      NULL },
    { ITERATE(YK_INT, max_sweeps), 1, 1000000, 50,
      "largest number of sweeps per window", NULL, NULL },
    { YK_ENUM, "test", offsetof(yoke_run_options, iterate.stop), 0, 0, 0,
      "a window ends when the estimated error or the change is small, or after "
      "max_sweeps sweeps",
      "error change count", NULL },
    { ITERATE(YK_REAL, fraction), 1e-12, 1.0, 0.3,
      "fraction of the tolerance that is left to the iteration", NULL, NULL },
    { ITERATE(YK_FLAG, at_end), 0, 1, 0,
      "compare iterates at the end of the window only", NULL, NULL },
    { ITERATE(YK_ENUM, limit), 0, 0, 0,
      "what happens when max_sweeps do not suffice", "fail shorten", NULL },
    { ITERATE(YK_REAL, relax), 0.01, 1.99, 1.0, "relaxation factor", NULL,
      NULL },
    { ITERATE(YK_ENUM, accelerate), 0, 0, 0, YK_ACCELERATE_TEXT,
      YK_ACCELERATE_WORDS, NULL },
    { RUN(YK_TEXT, preconditioner), 0, 0, 0,
      "for accelerate = precondition: entries of A instead of those of the "
      "linearised sweep, \"row column value; ...\" with names of coupling "
      "variables",
      NULL, "" },
    { ITERATE(YK_INT, extrapolate), -1, YOKE_EXTRAPOLATE_MAX, -1,
      "order of the first guess in a window; -1: the order that was best so "
      "far",
      NULL, NULL },
    { ITERATE(YK_FLAG, loosen), 0, 1, 1,
      "early sweeps of a window are solved with looser tolerances", NULL,
      NULL },
    { ITERATE(YK_FLAG, skip), 0, 1, 1,
      "a subsystem whose inputs did not change is not solved again", NULL,
      NULL },
    { ITERATE(YK_FLAG, across), 0, 1, 0,
      "windows cross the breakpoints of the subsystems instead of ending there",
      NULL, NULL },
    { RUN(YK_ENUM, waves), 0, 0, 0,
      "for port-waves: plain sweeps, GMRES or condensed ports; auto: GMRES if "
      "the guaranteed rate is more than 0.5",
      "auto plain gmres direct", NULL },
    { RUN(YK_ENUM, wave_order), 0, 0, 0,
      "for port-waves: one colour of subsystems after the other, or all at "
      "once from the old waves",
      "colours jacobi", NULL },
    { RUN(YK_REAL, mu), 0.0, 1e300, 0.0,
      "for port-waves and lions-mercier: the shift, 1/s; 0: the one for which "
      "the fewest sweeps are guaranteed",
      NULL, NULL },
    { RUN(YK_REAL, omega), 0.0, 1e300, 0.0,
      "for lions-mercier: exponent of the weighted norm, at least mu; 0: the "
      "smallest that the step permits",
      NULL, NULL },
    { RUN(YK_REAL, alpha), 0.0, 1.0, 0.0,
      "for lions-mercier: share of the dissipation that stays in the "
      "subsystems",
      NULL, NULL },
    { RUN(YK_REAL, lambda), 0.0, 1e300, 0.0,
      "for lions-mercier: the parameter of the resolvents; 0: the matrix with "
      "the best guaranteed rate",
      NULL, NULL },
    { RUN(YK_REAL, spot), 0.0, 1.0, 0.05,
      "spot checks: random pieces of the run are solved again in another way, "
      "with this share of the work; 0: none",
      NULL, NULL },
    { RUN(YK_INT, spot_seed), 0, 2147483646, 1,
      "seed of the spot checks: other numbers draw other pieces", NULL, NULL },
    { RUN(YK_REAL, second), 0.0, 1e300, 5e6,
      "a run that costs at most so much (residuals times unknowns) is solved a "
      "second time, to a tenth of the tolerance, and both are compared; 0: "
      "none",
      NULL, NULL },
    { RUN(YK_INT, jobs), 0, 4096, 0,
      "subsystems that are solved at once, each in its thread, where that "
      "pays; "
      "0: as many as there are processors; the results are the same for any "
      "number",
      NULL, NULL },
    { RUN(YK_TEXT, tasks), 0, 0, 0,
      "file for the task graph of the run, which is solved with one thread "
      "then: seconds and bytes of all that could run at once; the summary "
      "tells what many processors would take",
      NULL, "" },
    { RUN(YK_REAL, latency), 0.0, 1e3, 20e-6,
      "for tasks: latency of a message between two machines, s", NULL, NULL },
    { RUN(YK_REAL, bandwidth), 1.0, 1e300, 1e9,
      "for tasks: bytes per second between two machines", NULL, NULL },
    { RUN(YK_FLAG, given), 0, 1, 0,
      "take initial values as given, without making them consistent", NULL,
      NULL },
    { RUN(YK_ENUM, start_from), 0, 0, 0,
      "where the run begins: at the values of the subsystems, or at rest, the "
      "equilibrium of the coupled system",
      "values steady", NULL },
    { RUN(YK_REAL, every), 0.0, 1e300, YOKE_EVERY_AUTO,
      "time between rows of the result; auto: so many rows that straight lines "
      "between them stay within 0.001 of each variable's range; window, step: "
      "a row at the end of each",
      "auto window step", NULL },
    { RUN(YK_INT, rows), 20, 1000000000, 5000,
      "most rows that every: auto may write", NULL, NULL },
    { RUN(YK_TEXT, output), 0, 0, 0,
      "result file, .csv, .h5 or .raw (-o for short); - for CSV on standard "
      "output",
      NULL, "" },
    { RUN(YK_FLAG, units), 0, 1, 0, "a second line with the units in CSV files",
      NULL, NULL },
    { RUN(YK_TEXT, record), 0, 0, 0,
      "variables in the result, separated by spaces or commas, * for any text; "
      "empty: "
      "all",
      NULL, "" },
    { RUN(YK_FLAG, aliases), 0, 1, 0,
      "record variables too that equation models removed because they equal "
      "another or are constant; one that is named without a * is recorded in "
      "any case",
      NULL, NULL },
    { RUN(YK_TEXT, monitor), 0, 0, 0, "further outputs in the convergence test",
      NULL, "" },
    { RUN(YK_FLAG, iterates), 0, 1, 0,
      "write the coupling waveforms of every sweep to the result file", NULL,
      NULL },
};

enum { COUNT = sizeof table / sizeof table[0] };

yoke_run_options yoke_run_defaults(void)
{
    yoke_run_options options = { .start = 0.0 }; /* functions: none */

    yk_options_defaults(table, COUNT, &options);
    return options;
}

const char *yoke_run_option_meant(const char *word)
{
    static const char *const words[][2] = {
        { "tolerance", "rtol" },  { "reltol", "rtol" },
        { "rel_tol", "rtol" },    { "tol", "rtol" },
        { "abstol", "atol" },     { "abs_tol", "atol" },
        { "tend", "stop" },       { "t_end", "stop" },
        { "tstop", "stop" },      { "t_stop", "stop" },
        { "tfinal", "stop" },     { "t_final", "stop" },
        { "stop_time", "stop" },  { "stoptime", "stop" },
        { "end_time", "stop" },   { "end", "stop" },
        { "duration", "stop" },   { "start_time", "start" },
        { "starttime", "start" }, { "tstart", "start" },
        { "t_start", "start" },   { "t0", "start" },
        { "dt", "step" },         { "timestep", "step" },
        { "time_step", "step" },  { "step_size", "step" },
        { "max_step", "step" },   { "solver", "stepper" },
        { "method", "stepper" },  { "integrator", "stepper" },
        { "interval", "every" },  { "output_interval", "every" },
        { "outputs", "record" },  { "variables", "record" },
        { "file", "output" },     { "result", "output" },
        { "threads", "jobs" },
    };

    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (yk_word_distance(word, words[k][0]) == 0) return words[k][1];
    return NULL;
}

yoke_status yoke_run_set(yoke_run_options *options, const char *name,
                         const char *value, yoke_err *err)
{
    YK_POINT;
    const char *meant = yoke_run_option_meant(name);

    if (meant)
        return yk_fail(err, YOKE_E_ARG,
                       "there is no option \"%s\"; it is called \"%s\" here",
                       name, meant);
    return yk_options_set(table, COUNT, options, name, value, err);
}

bool yoke_run_list(int i, yoke_option_text *out)
{
    YK_POINT;

    if (i < 0 || i >= COUNT) return false;
    const yk_option *o = &table[i];
    const bool number = o->type == YK_REAL || o->type == YK_INT;
    *out = (yoke_option_text){
        .name = o->name,
        .text = o->text,
        .words = o->words,
        .least = number ? o->least : 0.0,
        .most = number ? o->most : 0.0,
    };
    yk_option_preset(o, out->preset, sizeof out->preset);
    return true;
}

const char *yoke_run_get(const yoke_run_options *options, int i,
                         char scratch[64])
{
    YK_POINT;

    return i >= 0 && i < COUNT ? yk_option_value(&table[i], options, scratch)
                               : NULL;
}

yoke_status yk_run_keep(yoke_run_options *options, char **store, yoke_err *err)
{
    return yk_options_keep(table, COUNT, options, store, err);
}

/* Windows, rows or steps of this length must be a reasonable number. */
static yoke_status check_count(const char *name, double length,
                               const yoke_run_options *options, yoke_err *err)
{
    const double count =
        length > 0.0 ? (options->stop - options->start) / length : 0.0;

    if (count <= 1e9) return YOKE_OK;
    return yk_fail(err, YOKE_E_ARG,
                   "%s = %g divides [%g, %g] into %.3g parts; at most 1e9 are "
                   "permitted",
                   name, length, options->start, options->stop, count);
}

/* Steps must be told apart. */
static yoke_status check_span(const yoke_run_options *o, yoke_err *err)
{
    static const double parts = 1e6;
    const double span = o->stop - o->start;
    const double apart = DBL_EPSILON * fmax(fabs(o->start), fabs(o->stop));

    if (!(span > 0.0))
        return yk_fail(err, YOKE_E_ARG, "stop = %g is not after start = %g",
                       o->stop, o->start);
    if (span >= parts * apart) return YOKE_OK;
    return yk_fail(err, YOKE_E_ARG,
                   "the run from start = %.17g to stop = %.17g is %g long, but "
                   "numbers of this size are %.2g apart, too few for steps: "
                   "count the time from a later instant, such as start: 0",
                   o->start, o->stop, span, apart);
}

yoke_status yk_run_check(const yoke_run_options *options, yoke_err *err)
{
    YK_TRY(yk_options_check(table, COUNT, options, err));
    YK_TRY(check_span(options, err));
    if (options->iterate.rtol == 0.0 && options->iterate.atol == 0.0)
        return yk_fail(err, YOKE_E_ARG, "rtol and atol are both 0");
    YK_TRY(check_count("window", options->iterate.window, options, err));
    YK_TRY(check_count("every", options->every, options, err));
    YK_TRY(check_count("step", options->step, options, err));
    if ((options->preconditioner[0] || options->iterate.preconditioner) &&
        options->iterate.accelerate != YOKE_ACCELERATE_PRECONDITION)
        return yk_fail(err, YOKE_E_ARG,
                       "a preconditioner is given, but accelerate is not "
                       "precondition");
    if (options->given && options->start_from == YOKE_FROM_REST)
        return yk_fail(err, YOKE_E_ARG,
                       "given and start_from: steady contradict each other: "
                       "values that are given are not those of a rest");
    if (options->stepper[0] &&
        (options->scheme < YOKE_MONOLITHIC || options->schedule[0])) {
        yoke_stepper_options one = yoke_stepper_defaults();
        YK_TRY(yoke_stepper_set(&one, "method", options->stepper, err));
        return yk_fail(err, YOKE_E_ARG,
                       "stepper = \"%.31s\" is for the monolithic scheme, "
                       "port-waves and lions-mercier; otherwise each subsystem "
                       "has its own: --set NAME.stepper=%.31s, in a system "
                       "file {model: ..., stepper: %.31s}",
                       options->stepper, options->stepper, options->stepper);
    }
    return YOKE_OK;
}
