/* comp/program/engine.c -- a program over a window.
 *
 * The program is a child of the worker.  A copy of the worker would share it, so
 * there are no copies: it goes back by its own `save` and `restore`, tried once
 * (save, advance, restore, advance: the same points to the bit), or not at all,
 * and then yoke starts a new worker and repeats what was accepted.
 */
#include "base/text.h"
#include "base/lengths.h"
#include "comp/program/engine.h"
#include "comp/program/process.h"
#include "comp/program/protocol.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ports {
    int count;
    const char **name, **unit;
} ports;

typedef struct program {
    yk_process process;
    char **copy; /* of texts of the settings */
    int copies;
    char **word; /* program and arguments */
    const char *folder;
    ports input, output;
    int sets;
    const char **set_name, **set_value;
    double rtol, atol, step;
    bool saves, controls, waveforms, goes_back, tried;
    int windows;     /* accepted */
    bool fresh;      /* no sweep of this window was made */
    yk_wave *second; /* the same sweep once more */
    int token;       /* of the accepted point; 0: none yet */
    yk_text request;
    yk_closed_points points;
    double t, t1;      /* accepted; end of the last sweep */
    double t0, *u0;    /* how it began */
    double *y, *y_end; /* outputs at t, at t1 */
    double *u, *scratch;
    int steps;
    yoke_work work;
} program;

/* ---- requests ---------------------------------------------------------- */

static yoke_status put_numbers(yk_text *x, int count, const double *value,
                               yoke_err *err)
{
    for (int k = 0; k < count; k++)
        YK_TRY(yk_text_print(x, err, " %.17g", value[k]));
    return yk_text_print(x, err, "\n");
}

static yoke_status take(void *context, const char *line, yoke_err *err)
{
    yk_program_answer *a = context;
    const yoke_status status = yk_program_line(a, line, err);

    if (status == YOKE_E_CALLBACK)
        yk_prefix(err, "line %d of its answer", a->lines);
    return status;
}

/* Sends the request and reads the answer.  `t` is for messages. */
static yoke_status ask(program *p, yk_program_answer *a, double t,
                       yoke_err *err)
{
    char word[32];
    const char *const line = p->request.at;

    a->p = p->output.count;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(line, " \n"), line);
    const yoke_status status = yk_process_ask(
        &p->process, line, p->request.length, take, a, &a->ended, err);
    p->request.length = 0;
    if (status != YOKE_OK)
        yk_prefix(err, "at t = %.9g, asked to \"%s\"", t, word);
    return status;
}

/* A request that is answered with `done`. */
static yoke_status ask_plain(program *p, double t, yoke_err *err)
{
    yk_program_answer a = { .kind = YK_PROGRAM_PLAIN };

    return ask(p, &a, t, err);
}

static yoke_status ask_token(program *p, const char *word, int token,
                             yoke_err *err)
{
    YK_TRY(yk_text_print(&p->request, err, "%s %d\n", word, token));
    return ask_plain(p, p->t, err);
}

/* ---- hello ------------------------------------------------------------- */

static yoke_status tell_ports(program *p, const char *word, const ports *list,
                              double t, yoke_err *err)
{
    yk_program_answer a = { .kind = YK_PROGRAM_PORTS,
                            .names = list->count,
                            .name = list->name,
                            .unit = list->unit };

    YK_TRY(yk_text_print(&p->request, err, "%s", word));
    for (int i = 0; i < list->count; i++)
        YK_TRY(yk_text_print(&p->request, err, " %s", list->name[i]));
    YK_TRY(yk_text_print(&p->request, err, "\n"));
    return ask(p, &a, t, err);
}

static yoke_status greet(program *p, double t, yoke_err *err)
{
    yk_program_answer a = { .kind = YK_PROGRAM_HELLO };

    YK_TRY(yk_text_print(&p->request, err, "hello %d\n", YK_PROGRAM_VERSION));
    YK_TRY(ask(p, &a, t, err));
    p->saves = a.saves;
    p->controls = a.controls;
    p->waveforms = a.waveforms;
    YK_TRY(tell_ports(p, "inputs", &p->input, t, err));
    YK_TRY(tell_ports(p, "outputs", &p->output, t, err));
    YK_TRY(yk_text_print(&p->request, err, "tolerance %.17g %.17g\n", p->rtol,
                         p->atol));
    YK_TRY(ask_plain(p, t, err));
    for (int i = 0; i < p->sets; i++) {
        YK_TRY(yk_text_print(&p->request, err, "set %s %s\n", p->set_name[i],
                             p->set_value[i]));
        YK_TRY(ask_plain(p, t, err));
    }
    return YOKE_OK;
}

/* Its process is there, greeted, not started. */
static yoke_status open_program(program *p, double t, yoke_err *err)
{
    YK_TRY(yk_process_start(&p->process, p->folder, p->word, err));
    return greet(p, t, err);
}

static yoke_status begin(program *p, yoke_err *err)
{
    yk_program_answer a = { .kind = YK_PROGRAM_START, .values = p->y };

    YK_TRY(yk_text_print(&p->request, err, "start %.17g", p->t0));
    YK_TRY(put_numbers(&p->request, p->input.count, p->u0, err));
    p->t = p->t1 = p->t0;
    return ask(p, &a, p->t0, err);
}

/* ---- advance ----------------------------------------------------------- */

static int count_steps(const program *p, double t1)
{
    if (p->controls) return 0;
    if (!(p->step > 0.0)) return p->steps;
    return (int)fmax(yk_whole_steps((t1 - p->t) / p->step), 1.0);
}

/* Held inputs: their means over each step. */
static yoke_status put_steps(program *p, double t1, int steps, const yk_wave *u,
                             yoke_err *err)
{
    const double h = (t1 - p->t) / steps;
    double a = p->t;

    for (int i = 1; i <= steps; i++) {
        const double b = i == steps ? t1 : p->t + i * h;

        if (p->input.count > 0) yk_closed_means(u, a, b, p->scratch, p->u);
        YK_TRY(yk_text_print(&p->request, err, "step %.17g", b));
        YK_TRY(put_numbers(&p->request, p->input.count, p->u, err));
        a = b;
    }
    return YOKE_OK;
}

/* Polynomials: coefficients of powers of (t - left) / (right - left). */
static yoke_status put_pieces(program *p, const yk_wave *u, yoke_err *err)
{
    for (int i = 0; i < yk_wave_pieces(u); i++) {
        const int degree = yk_wave_degree(u, i);

        YK_TRY(yk_text_print(&p->request, err, "piece %.17g %d",
                             yk_wave_knot(u, i + 1), degree));
        YK_TRY(put_numbers(&p->request, (degree + 1) * p->input.count,
                           yk_wave_coef(u, i), err));
    }
    return YOKE_OK;
}

static yoke_status advance(program *p, double t1, const yk_wave *u, yk_wave *y,
                           yoke_err *err)
{
    const int steps = count_steps(p, t1), n = p->output.count;
    const int pieces = p->waveforms ? yk_wave_pieces(u) : 0;
    yk_program_answer a = {
        .kind = YK_PROGRAM_ADVANCE, .t0 = p->t, .t1 = t1, .points = &p->points
    };
    double *first = NULL;

    yk_closed_points_reset(&p->points);
    YK_TRY(yk_closed_points_add(&p->points, p->t, &first, err));
    memcpy(first, p->y, (size_t)n * sizeof *first);
    YK_TRY(yk_text_print(&p->request, err, "advance %.17g %.17g %d %d\n", p->t,
                         t1, steps, pieces));
    YK_TRY(p->waveforms ? put_pieces(p, u, err)
                        : put_steps(p, t1, steps, u, err));
    YK_TRY(ask(p, &a, t1, err));
    const int last = p->points.count - 1;
    memcpy(p->y_end, p->points.y + (size_t)last * (size_t)n,
           (size_t)n * sizeof *first);
    p->work.steps += last;
    p->work.residuals += last;
    p->t1 = t1;
    return yk_closed_points_wave(&p->points, y, err);
}

/* ---- going back -------------------------------------------------------- */

static yoke_status try_state(program *p, double t1, const yk_wave *u,
                             yk_wave *y, yoke_err *err)
{
    yk_wave *first = NULL;
    yoke_status status;

    YK_GO(yk_wave_create(&first, p->output.count, err));
    YK_GO(ask_token(p, "save", 1, err));
    YK_GO(advance(p, t1, u, first, err));
    YK_GO(ask_token(p, "restore", 1, err));
    YK_GO(advance(p, t1, u, y, err));
    YK_GO(ask_token(p, "restore", 1, err));
    p->goes_back = yk_wave_equal(first, y);
    p->token = 1;
done:
    yk_wave_free(first);
    return status;
}

/* If it does not repeat itself it is started again, as if nothing had been tried. */
static bool back(void *self, double t1, const yk_wave *u, yk_wave *y)
{
    program *p = self;

    if (p->tried || !p->saves) return p->goes_back;
    p->tried = true;
    if (try_state(p, t1, u, y, NULL) == YOKE_OK && p->goes_back) return true;
    p->goes_back = false;
    p->token = 0;
    p->request.length = 0;
    fprintf(stderr,
            "save and restore do not give back the same points; the program "
            "is run again from the start instead\n");
    yk_process_end(&p->process, "quit\n");
    if (open_program(p, p->t0, NULL) == YOKE_OK) begin(p, NULL);
    return false;
}

/* ---- the propagator ---------------------------------------------------- */

static yoke_status program_start(void *self, double t0, const double *x0,
                                 const double *u0, double *y0, yoke_err *err)
{
    program *p = self;

    (void)x0;
    p->t0 = t0;
    if (p->input.count) memcpy(p->u0, u0, (size_t)p->input.count * sizeof *u0);
    YK_TRY(begin(p, err));
    memcpy(y0, p->y, (size_t)p->output.count * sizeof *y0);
    return YOKE_OK;
}

/* Is what it restores still all of its state? */
static yoke_status sweep_again(program *p, double t1, const yk_wave *u,
                               const yk_wave *y, yoke_err *err)
{
    if (!p->second) YK_TRY(yk_wave_create(&p->second, p->output.count, err));
    YK_TRY(ask_token(p, "restore", p->token, err));
    YK_TRY(advance(p, t1, u, p->second, err));
    if (yk_wave_equal(p->second, y)) return YOKE_OK;
    return yk_fail(err, YOKE_E_CALLBACK,
                   "the program does not repeat itself from the state that it "
                   "saved at t = %.9g, although it did at the start: what was "
                   "computed so far may be wrong",
                   p->t);
}

static yoke_status program_sweep(void *self, double t1, const yk_wave *u,
                                 yk_wave *y, yoke_err *err)
{
    program *p = self;
    const bool twice = p->goes_back && p->fresh && yk_part_is_due(p->windows);

    p->work.sweeps++;
    p->fresh = false;
    if (p->goes_back) YK_TRY(ask_token(p, "restore", p->token, err));
    YK_TRY(advance(p, t1, u, y, err));
    return twice ? sweep_again(p, t1, u, y, err) : YOKE_OK;
}

static yoke_status program_accept(void *self, yoke_err *err)
{
    program *p = self;

    p->t = p->t1;
    memcpy(p->y, p->y_end, (size_t)p->output.count * sizeof *p->y);
    YK_TRY(yk_text_print(&p->request, err, "accept %.17g\n", p->t));
    YK_TRY(ask_plain(p, p->t, err));
    p->fresh = true;
    p->windows++;
    if (!p->goes_back) return YOKE_OK;
    p->token++;
    YK_TRY(ask_token(p, "save", p->token, err));
    return ask_token(p, "forget", p->token - 1, err);
}

static int program_instants(void *self, const double **t)
{
    const program *p = self;

    *t = p->points.instant;
    return p->points.instants;
}

static double program_step(void *self)
{
    const program *p = self;
    const int last = p->points.count - 1;

    if (p->step > 0.0) return p->step;
    return last > 0 ? (p->t1 - p->points.t[0]) / last : 0.0;
}

static void program_work(void *self, yoke_work *work)
{
    const program *p = self;

    *work = p->work;
}

static void program_free(void *self)
{
    program *p = self;

    if (!p) return;
    yk_process_end(&p->process, "quit\n");
    yk_closed_points_clear(&p->points);
    yk_wave_free(p->second);
    for (int i = 0; i < p->copies; i++) yk_free(p->copy[i]);
    YK_FREE(p->copy, p->word, p->input.name, p->input.unit, p->output.name,
            p->output.unit, p->set_name, p->set_value, p->request.at, p->u0,
            p->y, p->y_end, p->u, p->scratch, p);
}

static const yk_propagator_ops program_ops = {
    .kind = "program",
    .start = program_start,
    .sweep = program_sweep,
    .accept = program_accept,
    .instants = program_instants,
    .step = program_step,
    .work = program_work,
    .free = program_free,
};

static void divide(void *self, int steps)
{
    program *p = self;

    p->steps = steps > 0 ? steps : 1;
}

/* ---- life -------------------------------------------------------------- */

/* Texts of the settings that begin with `mark`: names behind it, and values.
 * Both arrays end with NULL. */
static yoke_status list_of(program *p, const yk_part_spec *spec,
                           const char *mark, const char ***name,
                           const char ***value, int *count, yoke_err *err)
{
    const size_t length = strlen(mark);

    *count = 0;
    YK_TRY(YK_NEW(name, spec->settings + 1, err));
    YK_TRY(YK_NEW(value, spec->settings + 1, err));
    for (int i = 0; i < spec->settings; i++) {
        if (strncmp(spec->key[i], mark, length) != 0) continue;
        char **to = &p->copy[p->copies];

        YK_TRY(yk_copy_text(&to[0], spec->key[i] + length, err));
        p->copies++;
        YK_TRY(yk_copy_text(&to[1], spec->value[i], err));
        p->copies++;
        (*name)[*count] = to[0];
        (*value)[*count] = to[1];
        ++*count;
    }
    return YOKE_OK;
}

static yoke_status read_settings(program *p, const yk_part_spec *spec,
                                 yoke_err *err)
{
    const char **unused = NULL, *folder = yk_part_setting(spec, "folder");
    int words = 0;

    YK_TRY(YK_NEW(&p->copy, 2 * spec->settings + 2, err));
    if (folder) {
        YK_TRY(yk_copy_text(&p->copy[p->copies], folder, err));
        p->folder = p->copy[p->copies++];
    }
    const yoke_status status = list_of(p, spec, "word:", &unused,
                                       (const char ***)&p->word, &words, err);
    yk_free(unused);
    YK_TRY(status);
    if (words == 0) return yk_fail(err, YOKE_E_ARG, "no program");
    YK_TRY(list_of(p, spec, "in:", &p->input.name, &p->input.unit,
                   &p->input.count, err));
    YK_TRY(list_of(p, spec, "out:", &p->output.name, &p->output.unit,
                   &p->output.count, err));
    YK_TRY(
        list_of(p, spec, "set:", &p->set_name, &p->set_value, &p->sets, err));
    p->rtol = yk_closed_number(spec, "tolerance", 1e-6);
    p->atol = yk_closed_number(spec, "absolute", 1e-6);
    p->step = yk_closed_number(spec, "step", 0.0);
    if (p->input.count == spec->m && p->output.count == spec->p) return YOKE_OK;
    return yk_fail(err, YOKE_E_ARG, "%d inputs and %d outputs", p->input.count,
                   p->output.count);
}

static yoke_status make_room(program *p, const yk_part_spec *spec,
                             yoke_err *err)
{
    const size_t m = (size_t)spec->m + 1, n = (size_t)spec->p + 1;

    YK_TRY(YK_DOUBLES(m, err, &p->u0, &p->u, &p->scratch));
    YK_TRY(YK_DOUBLES(n, err, &p->y, &p->y_end));
    return yk_closed_points_create(&p->points, spec->p, err);
}

yoke_status yk_program_make(const yk_part_spec *spec, yk_part_engine *out,
                            yoke_err *err)
{
    program *p = NULL;
    yoke_status status;

    YK_TRY(YK_NEW(&p, 1, err));
    p->process = (yk_process){ .in = -1, .out = -1, .noise = -1 };
    p->steps = 1;
    YK_GO(read_settings(p, spec, err));
    YK_GO(make_room(p, spec, err));
    YK_GO(open_program(p, 0.0, err));
    *out = (yk_part_engine){
        .propagator = { .ops = &program_ops,
                        .self = p,
                        .m = spec->m,
                        .p = spec->p },
        .goes_back = back,
        .divide = p->controls || p->step > 0.0 ? NULL : divide,
    };
    return YOKE_OK;
done:
    program_free(p);
    return status;
}
