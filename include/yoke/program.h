/* yoke/program.h -- a C program as a part of a system.
 *
 * In a system file:  cfd: {program: [./solver, case], inputs: [u], outputs: [y]}
 *
 * Nothing of Yoke is linked.  One file of the program defines
 * YOKE_PROGRAM_CODE before it includes this header and so has the code, about
 * 300 lines of C99 and POSIX.  main calls yoke_program_main, which speaks the
 * protocol of docs/manual/programs.md with Yoke over the standard input and
 * output; messages of the program go to the standard error.
 *
 *     static int start(void *self, yoke_program *run, double t,
 *                      const double *u, double *y)
 *     {
 *         ...                                    outputs at t
 *         return 0;
 *     }
 *
 *     static int advance(void *self, yoke_program *run, double t0, double t1)
 *     {
 *         const int n = yoke_program_steps(run);
 *         for (int i = 1; i <= n; i++) {
 *             const double a = t0 + (t1 - t0) * (i - 1) / n;
 *             const double b = i == n ? t1 : t0 + (t1 - t0) * i / n;
 *             ... yoke_program_input(run, 0, b) ...
 *             yoke_program_point(run, b, y, NULL);
 *         }
 *         return 0;
 *     }
 *
 *     int main(void)
 *     {
 *         static const yoke_program_ops ops = { .start = start,
 *                                               .advance = advance };
 *         return yoke_program_main(&ops, NULL);
 *     }
 */
#ifndef YOKE_PROGRAM_H
#define YOKE_PROGRAM_H

#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

#define YOKE_PROGRAM_VERSION 1

typedef struct yoke_program yoke_program; /* the exchange with Yoke */

/* CONTROLS  it chooses its points by itself, so that its outputs have an error
 *           below the tolerances; yoke_program_steps is 0.  Without it every
 *           window is run with n and with 2 n steps until both agree.
 * COPIES    it may be copied by fork: it has one thread and writes to no file
 *           of its own.  Then it goes back in time without save and restore:
 *           each sweep runs in a copy of the process.  Linux only. */
#define YOKE_PROGRAM_CONTROLS 1u
#define YOKE_PROGRAM_COPIES   2u

/* Every callback returns 0, or what yoke_program_fail or _retry returns. */
typedef struct yoke_program_ops {
    unsigned flags;

    /* REQUIRED.  Begin at t with the inputs u; write the outputs y there. */
    int (*start)(void *self, yoke_program *run, double t, const double *u,
                 double *y);

    /* REQUIRED.  Go from t0 to t1 and tell the outputs on the way, at the end
     * at least, by yoke_program_point. */
    int (*advance)(void *self, yoke_program *run, double t0, double t1);

    /* OPTIONAL.  A parameter of the system file, before start: a number in SI
     * units, or a text.  Without it there are none. */
    int (*set)(void *self, yoke_program *run, const char *name,
               const char *value);

    /* OPTIONAL, all or none.  The state, to be given back any number of times;
     * the same inputs must then give the same outputs to the last bit.  With
     * none of them, and without COPIES, a window is repeated by running the
     * program again from the start.  `save` returns NULL if it cannot. */
    void *(*save)(void *self);
    int (*restore)(void *self, const void *state);
    void (*forget)(void *self, void *state);

    /* OPTIONAL.  Everything up to t is final: the place to write results. */
    void (*accept)(void *self, double t);

    /* OPTIONAL.  NULL, or pairs of a port and its unit, ended by NULL, which
     * must be those of the system file: { "force", "N", NULL }. */
    const char *const *units;
} yoke_program_ops;

/* Serves Yoke until it says quit; returns the exit status for main. */
int yoke_program_main(const yoke_program_ops *ops, void *self);

/* ---- for callbacks ------------------------------------------------------ */

/* How many inputs and outputs there are, and the place of one with this name,
 * or -1. */
int yoke_program_inputs(const yoke_program *run);
int yoke_program_outputs(const yoke_program *run);
int yoke_program_find_input(const yoke_program *run, const char *name);
int yoke_program_find_output(const yoke_program *run, const char *name);
double yoke_program_rtol(const yoke_program *run);
double yoke_program_atol(const yoke_program *run);

/* In `advance`: equal steps that the window should take; input k at t, its mean
 * over [a, b], and the end of the first stretch after t on which the inputs are
 * smooth; outputs y at t, with their slopes or NULL.  Two points at one time are
 * a jump. */
int yoke_program_steps(const yoke_program *run);
double yoke_program_input(const yoke_program *run, int k, double t);
double yoke_program_mean(const yoke_program *run, int k, double a, double b);
double yoke_program_knot(const yoke_program *run, double t);
void yoke_program_point(yoke_program *run, double t, const double *y,
                        const double *slope);

/* What went wrong, for the message with which the run ends / a window that is
 * too long.  Returns what the callback returns. */
int yoke_program_fail(yoke_program *run, const char *format, ...);
int yoke_program_retry(yoke_program *run, const char *format, ...);

#ifdef __cplusplus
}
#endif

#endif

/* ---- the code ----------------------------------------------------------- */

#if defined(YOKE_PROGRAM_CODE) && !defined(YOKE_PROGRAM_CODE_IS_HERE)
#define YOKE_PROGRAM_CODE_IS_HERE

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __linux__
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

enum { YOKE_PROGRAM_TOKENS = 4, YOKE_PROGRAM_BACK = 86 };

struct yoke_program {
    const yoke_program_ops *ops;
    void *self;
    char *line;
    size_t room;
    int m, p;
    char **input, **output;
    double rtol, atol;
    double *u, *y;

    /* The window. */
    double t0, t1;
    int steps, pieces;
    double *knot, *coef; /* ends of pieces; room for 8 m coefficients of each */
    int *degree;
    size_t piece_room;

    int token[YOKE_PROGRAM_TOKENS];
    void *state[YOKE_PROGRAM_TOKENS];
#ifdef __linux__
    volatile pid_t *runner; /* shared by all copies */
    int holds;              /* this process is a copy of a held one */
#endif
    int failed; /* 1: error, 2: retry */
    char text[400];
};

static void *yoke_program_more(void *block, size_t bytes)
{
    void *larger = realloc(block, bytes ? bytes : 1);

    if (!larger) {
        fputs("no memory\n", stderr);
        exit(1);
    }
    return larger;
}

/* The next line without its end; 0: there is none. */
static int yoke_program_read(yoke_program *run)
{
    size_t length = 0;
    int c;

    while ((c = getchar()) != EOF && c != '\n') {
        if (length + 2 > run->room) {
            run->room = 2 * run->room + 256;
            run->line = (char *)yoke_program_more(run->line, run->room);
        }
        run->line[length++] = (char)c;
    }
    if (!run->line) run->line = (char *)yoke_program_more(NULL, run->room = 2);
    run->line[length] = '\0';
    return c != EOF || length > 0;
}

static void yoke_program_split(yoke_program *run, char ***list, int *count)
{
    *count = 0;
    strtok(run->line, " ");
    for (char *word; (word = strtok(NULL, " ")) != NULL;) {
        *list = (char **)yoke_program_more(*list, ((size_t)*count + 1) *
                                                      sizeof **list);
        (*list)[*count] =
            strcpy((char *)yoke_program_more(NULL, strlen(word) + 1), word);
        ++*count;
    }
    for (int i = 0; i < *count; i++)
        for (int k = 0; run->ops->units && run->ops->units[k]; k += 2)
            if (strcmp(run->ops->units[k], (*list)[i]) == 0)
                printf("unit %s %s\n", (*list)[i], run->ops->units[k + 1]);
}

/* ---- failures */

static int yoke_program_say(yoke_program *run, int kind, const char *format,
                            va_list list)
{
    vsnprintf(run->text, sizeof run->text, format, list);
    for (char *c = run->text; *c; c++)
        if (*c == '\n') *c = ' ';
    run->failed = kind;
    return kind;
}

int yoke_program_fail(yoke_program *run, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    yoke_program_say(run, 1, format, list);
    va_end(list);
    return 1;
}

int yoke_program_retry(yoke_program *run, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    yoke_program_say(run, 2, format, list);
    va_end(list);
    return 2;
}

static void yoke_program_done(yoke_program *run, int bad)
{
    if (bad && !run->failed) yoke_program_fail(run, "status %d", bad);
    if (run->failed)
        printf("%s %s\n", run->failed == 2 ? "retry" : "error", run->text);
    else
        puts("done");
    fflush(stdout);
    run->failed = 0;
}

/* ---- inputs and outputs */

int yoke_program_inputs(const yoke_program *run)
{
    return run->m;
}

int yoke_program_outputs(const yoke_program *run)
{
    return run->p;
}

static int yoke_program_find(char *const *list, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(list[i], name) == 0) return i;
    return -1;
}

int yoke_program_find_input(const yoke_program *run, const char *name)
{
    return yoke_program_find(run->input, run->m, name);
}

int yoke_program_find_output(const yoke_program *run, const char *name)
{
    return yoke_program_find(run->output, run->p, name);
}

double yoke_program_rtol(const yoke_program *run)
{
    return run->rtol;
}

double yoke_program_atol(const yoke_program *run)
{
    return run->atol;
}

int yoke_program_steps(const yoke_program *run)
{
    return run->steps;
}

/* The piece at t: the left one at a knot. */
static int yoke_program_piece(const yoke_program *run, double t)
{
    int i = 0;

    while (i + 1 < run->pieces && run->knot[i] < t) i++;
    return i;
}

static double yoke_program_value(const yoke_program *run, int i, int k,
                                 double t)
{
    const double left = i > 0 ? run->knot[i - 1] : run->t0;
    const double s = (t - left) / (run->knot[i] - left);
    const double *c = run->coef + (size_t)i * 8 * (size_t)run->m;
    double sum = 0.0;

    for (int j = run->degree[i]; j >= 0; j--) sum = sum * s + c[j * run->m + k];
    return sum;
}

double yoke_program_input(const yoke_program *run, int k, double t)
{
    if (run->pieces == 0 || k < 0 || k >= run->m) return NAN;
    return yoke_program_value(run, yoke_program_piece(run, t), k, t);
}

double yoke_program_knot(const yoke_program *run, double t)
{
    for (int i = 0; i < run->pieces; i++)
        if (run->knot[i] > t) return run->knot[i];
    return run->t1;
}

/* Gauss with four points on each piece: exact. */
double yoke_program_mean(const yoke_program *run, int k, double a, double b)
{
    static const double node[2] = { 0.339981043584856, 0.861136311594053 };
    static const double weight[2] = { 0.652145154862546, 0.347854845137454 };
    double sum = 0.0, left = a;

    if (run->pieces == 0 || k < 0 || k >= run->m) return NAN;
    while (left < b) {
        const double knot = yoke_program_knot(run, left);
        const double right = knot > left && knot < b ? knot : b;
        const double half = 0.5 * (right - left);
        const int i = yoke_program_piece(run, left + half);

        for (int g = 0; g < 2; g++)
            sum += half * weight[g] *
                   (yoke_program_value(run, i, k, left + half * (1 - node[g])) +
                    yoke_program_value(run, i, k, left + half * (1 + node[g])));
        left = right;
    }
    return sum / (b - a);
}

static void yoke_program_print(const char *word, int count, const double *value)
{
    fputs(word, stdout);
    for (int i = 0; i < count; i++) printf(" %.17g", value[i]);
    putchar('\n');
}

void yoke_program_point(yoke_program *run, double t, const double *y,
                        const double *slope)
{
    printf("point %.17g", t);
    yoke_program_print("", run->p, y);
    if (slope) yoke_program_print("slope", run->p, slope);
}

/* ---- copies: the process that has the accepted state waits, the sweep runs in
 * a child of it.  The first process waits for them all. */

#ifdef __linux__
static void yoke_program_end_like(int state)
{
    if (WIFSIGNALED(state)) {
        signal(WTERMSIG(state), SIG_DFL);
        raise(WTERMSIG(state));
    }
    _exit(WIFEXITED(state) ? WEXITSTATUS(state) : 1);
}

static int yoke_program_watch(yoke_program *run)
{
    void *page = mmap(NULL, sizeof(pid_t), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int state = 0;

    if (page == MAP_FAILED) return 1;
    run->runner = (volatile pid_t *)page;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) {
        *run->runner = getpid();
        return 0;
    }
    for (;;) {
        const pid_t ended = waitpid(-1, &state, 0);

        if (ended < 0) _exit(1);
        if (ended == *run->runner) yoke_program_end_like(state);
    }
}

/* Returns in a child, once for each time that it is gone back to. */
static int yoke_program_hold(yoke_program *run)
{
    const pid_t parent = getppid();
    const int held = run->holds;
    int state = 0;

    run->holds = 1;
    if (held) kill(parent, SIGKILL); /* nobody goes back there any more */
    for (;;) {
        const pid_t child = fork();

        if (child < 0) return yoke_program_fail(run, "no copy of the program");
        if (child == 0) {
            *run->runner = getpid();
            return 0;
        }
        while (waitpid(child, &state, 0) != child) {
        }
        if (!WIFEXITED(state) || WEXITSTATUS(state) != YOKE_PROGRAM_BACK) {
            *run->runner = getpid();
            yoke_program_end_like(state);
        }
    }
}

static int yoke_program_copies(const yoke_program *run)
{
    return (run->ops->flags & YOKE_PROGRAM_COPIES) && !run->ops->save;
}
#endif

/* ---- requests */

static int yoke_program_save(yoke_program *run, int token)
{
#ifdef __linux__
    if (yoke_program_copies(run)) return yoke_program_hold(run);
#endif
    for (int i = 0; i < YOKE_PROGRAM_TOKENS; i++) {
        if (run->token[i]) continue;
        run->state[i] = run->ops->save(run->self);
        if (!run->state[i]) return yoke_program_fail(run, "cannot save");
        run->token[i] = token;
        return 0;
    }
    return yoke_program_fail(run, "too many states are saved");
}

static int yoke_program_restore(yoke_program *run, int token, int forget)
{
#ifdef __linux__
    if (yoke_program_copies(run)) {
        if (!forget) _exit(YOKE_PROGRAM_BACK);
        return 0;
    }
#endif
    for (int i = 0; i < YOKE_PROGRAM_TOKENS; i++) {
        if (run->token[i] != token) continue;
        if (!forget) return run->ops->restore(run->self, run->state[i]);
        run->ops->forget(run->self, run->state[i]);
        run->token[i] = 0;
        return 0;
    }
    return yoke_program_fail(run, "state %d is not saved", token);
}

static int yoke_program_pieces(yoke_program *run)
{
    const size_t m = (size_t)run->m, count = (size_t)run->pieces;

    if (count > run->piece_room) {
        run->knot =
            (double *)yoke_program_more(run->knot, count * sizeof *run->knot);
        run->degree =
            (int *)yoke_program_more(run->degree, count * sizeof *run->degree);
        run->coef = (double *)yoke_program_more(
            run->coef, (count * 8 * m + 1) * sizeof *run->coef);
        run->piece_room = count;
    }
    for (size_t i = 0; i < count; i++) {
        char *at = NULL;

        if (!yoke_program_read(run) || strncmp(run->line, "piece ", 6) != 0)
            return yoke_program_fail(run, "a piece is missing");
        run->knot[i] = strtod(run->line + 6, &at);
        run->degree[i] = (int)strtol(at, &at, 10);
        if (run->degree[i] < 0 || run->degree[i] > 7)
            return yoke_program_fail(run, "a piece of degree %d",
                                     run->degree[i]);
        for (size_t j = 0; j < (size_t)(run->degree[i] + 1) * m; j++)
            run->coef[i * 8 * m + j] = strtod(at, &at);
    }
    return 0;
}

static int yoke_program_advance(yoke_program *run)
{
    char *at = run->line + 7;

    run->t0 = strtod(at, &at);
    run->t1 = strtod(at, &at);
    run->steps = (int)strtol(at, &at, 10);
    run->pieces = (int)strtol(at, &at, 10);
    const int bad = yoke_program_pieces(run);
    return bad ? bad : run->ops->advance(run->self, run, run->t0, run->t1);
}

static int yoke_program_start(yoke_program *run)
{
    char *at = run->line + 5;
    const double t = strtod(at, &at);

    for (int i = 0; i < run->m; i++) run->u[i] = strtod(at, &at);
    const int bad = run->ops->start(run->self, run, t, run->u, run->y);
    if (!bad) yoke_program_print("values", run->p, run->y);
    return bad;
}

static int yoke_program_set(yoke_program *run)
{
    char *name = run->line + 4, *value = strchr(name, ' ');

    if (value) *value++ = '\0';
    if (!run->ops->set)
        return yoke_program_fail(run, "there is no parameter \"%s\"", name);
    return run->ops->set(run->self, run, name,
                         value ? value : name + strlen(name));
}

static void yoke_program_hello(const yoke_program *run)
{
    int saves = run->ops->save != NULL;

#ifdef __linux__
    saves = saves || yoke_program_copies(run);
#endif
    printf("protocol %d\nwaveforms\n", YOKE_PROGRAM_VERSION);
    if (run->ops->flags & YOKE_PROGRAM_CONTROLS) puts("controls");
    if (saves) puts("saves");
}

static int yoke_program_serve(yoke_program *run)
{
    const char *line = run->line;

    if (strncmp(line, "hello ", 6) == 0)
        yoke_program_hello(run);
    else if (strncmp(line, "inputs", 6) == 0) {
        yoke_program_split(run, &run->input, &run->m);
        run->u = (double *)yoke_program_more(run->u,
                                             (size_t)run->m * sizeof *run->u);
    } else if (strncmp(line, "outputs", 7) == 0) {
        yoke_program_split(run, &run->output, &run->p);
        run->y = (double *)yoke_program_more(run->y,
                                             (size_t)run->p * sizeof *run->y);
    } else if (strncmp(line, "tolerance ", 10) == 0) {
        char *at = run->line + 10;

        run->rtol = strtod(at, &at);
        run->atol = strtod(at, &at);
    } else if (strncmp(line, "set ", 4) == 0)
        return yoke_program_set(run);
    else if (strncmp(line, "start ", 6) == 0)
        return yoke_program_start(run);
    else if (strncmp(line, "advance ", 8) == 0)
        return yoke_program_advance(run);
    else if (strncmp(line, "save ", 5) == 0)
        return yoke_program_save(run, atoi(line + 5));
    else if (strncmp(line, "restore ", 8) == 0)
        return yoke_program_restore(run, atoi(line + 8), 0);
    else if (strncmp(line, "forget ", 7) == 0)
        return yoke_program_restore(run, atoi(line + 7), 1);
    else if (strncmp(line, "accept ", 7) == 0 && run->ops->accept)
        run->ops->accept(run->self, strtod(line + 7, NULL));
    return 0; /* requests of later versions are answered with done too */
}

int yoke_program_main(const yoke_program_ops *ops, void *self)
{
    static yoke_program run;

    run.ops = ops;
    run.self = self;
#ifdef __linux__
    if (yoke_program_copies(&run) && yoke_program_watch(&run) != 0) {
        fputs("no copy of the program\n", stderr);
        return 1;
    }
#endif
    while (yoke_program_read(&run) && strcmp(run.line, "quit") != 0)
        yoke_program_done(&run, yoke_program_serve(&run));
    return 0;
}
#endif
