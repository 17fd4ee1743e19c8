/* step/tape.c -- the steps of a sweep, kept and corrected. */
#include "step/tape.h"

#include "base/vector.h"
#include "la/pattern.h"
#include "step/drive.h"
#include "step/policy.h"

#include <math.h>
#include <string.h>

/* ---- Life and death ------------------------------------------------------ */

void yk_tape_free(yk_tape *tape)
{
    for (size_t k = 0; k < tape->room; k++)
        YK_FREE(tape->step[k].x0, tape->step[k].slopes.C);
    for (size_t k = 0; k < tape->matrix_room; k++)
        YK_FREE(tape->matrix[k].C, tape->matrix[k].G);
    YK_FREE(tape->step, tape->matrix, tape->before.C, tape->du, tape->value,
            tape->node, tape->a[0]);
}

static yoke_status make_scratch(yk_tape *tape, const yk_problem *p,
                                yoke_err *err)
{
    const size_t n = (size_t)p->n + 1, samples = YOKE_WAVE_MAX_DEGREE + 1;

    if (tape->du) return YOKE_OK;
    YK_TRY(yk_doubles(&tape->value, samples * ((size_t)p->p + 1), err));
    YK_TRY(yk_doubles(&tape->a[0], 3 * YK_STAGES * n, err));
    for (int i = 0; i < YK_STAGES; i++) {
        tape->a[i] = tape->a[0] + (size_t)i * n;
        tape->b[i] = tape->a[0] + (size_t)(YK_STAGES + i) * n;
        tape->c[i] = tape->a[0] + (size_t)(2 * YK_STAGES + i) * n;
    }
    YK_TRY(yk_jacobian_create(&tape->before, p->system, err));
    YK_TRY(yk_doubles(&tape->node, (YK_STAGES + 1) * ((size_t)p->m + 1), err));
    return yk_doubles(&tape->du, (size_t)p->m + 1, err);
}

/* Of a step: one per stage, and those of the method. */
static int vectors(const yk_tape_method *m)
{
    return m->stages + m->extra;
}

/* All vectors of a step are in one block. */
static yoke_status make_step(yk_tape_step *s, const yk_problem *p, int stages,
                             yoke_err *err)
{
    const size_t n = (size_t)p->n + 1;
    double *block = NULL;

    if (s->x0) return YOKE_OK;
    const size_t in_c = (size_t)yoke_pattern_count(p->facts->C),
                 in_g = (size_t)yoke_pattern_count(p->facts->G);

    YK_TRY(yk_doubles(&block, (6 + 6 * (size_t)stages) * n + in_c + in_g, err));
    double **const begin[] = {
        &s->x0, &s->q0, &s->f0, &s->dx0, &s->dq0, &s->df0
    };
    double **const stage[] = { s->x, s->q, s->f, s->dx, s->dq, s->df };
    for (int k = 0; k < 6; k++, block += n) *begin[k] = block;
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < stages; i++, block += n) stage[k][i] = block;
    s->own.C = block;
    s->own.G = block + in_c;
    return YOKE_OK;
}

static yoke_status next_step(yk_driver *d, yk_tape_step **out, yoke_err *err)
{
    yk_tape *tape = &d->tape;
    const size_t before = tape->room;

    YK_TRY(make_scratch(tape, &d->p, err));
    YK_TRY(YK_GROW(&tape->step, &tape->room, tape->steps + 1, err));
    if (tape->room > before)
        memset(tape->step + before, 0,
               (tape->room - before) * sizeof *tape->step);
    *out = &tape->step[tape->steps];
    return make_step(*out, &d->p, vectors(tape->method), err);
}

/* The number of the matrices in use, which are kept. */
static yoke_status keep_matrices(yk_driver *d, int *number, yoke_err *err)
{
    yk_tape *tape = &d->tape;
    const yk_problem *p = &d->p;
    const size_t before = tape->matrix_room;

    *number = tape->matrices - 1;
    if (tape->matrices > 0 && tape->matrix[*number].stamp == p->values)
        return YOKE_OK;
    YK_TRY(YK_GROW(&tape->matrix, &tape->matrix_room, tape->matrices + 1, err));
    if (tape->matrix_room > before)
        memset(tape->matrix + before, 0,
               (tape->matrix_room - before) * sizeof *tape->matrix);
    *number = tape->matrices;
    yk_tape_matrices *const m = &tape->matrix[*number];
    const size_t in_c = (size_t)yoke_pattern_count(p->facts->C),
                 in_g = (size_t)yoke_pattern_count(p->facts->G);
    if (!m->C) YK_TRY(yk_doubles(&m->C, in_c + 1, err));
    if (!m->G) YK_TRY(yk_doubles(&m->G, in_g + 1, err));
    memcpy(m->C, p->C, in_c * sizeof *m->C);
    memcpy(m->G, p->G, in_g * sizeof *m->G);
    m->stamp = p->values;
    m->time = p->stamp_time;
    tape->matrices++;
    return YOKE_OK;
}

/* ---- Recording ----------------------------------------------------------- */

/* The errors of deep unknowns cannot be estimated again from the stages. */
bool yk_tape_is_on(const yk_driver *d)
{
    return d->tape.on && (!d->p.deep || d->method->stepping == YK_FIXED);
}

void yk_tape_begin(yk_driver *d)
{
    yk_tape *tape = &d->tape;

    tape->steps = tape->matrices = 0;
    tape->broken = tape->kicked = false;
    tape->missed = 0.0;
    tape->renewed = false;
    tape->lenient = yk_tape_is_on(d) ? fmax(tape->lenient_next, 1.0) : 1.0;
    tape->lenient_next = 1.0;
}

/* The sweep is accepted: where it ends the next one begins. */
void yk_tape_accept(yk_driver *d)
{
    yk_tape *tape = &d->tape;

    if (d->p.affine || !yk_tape_is_on(d)) return;
    tape->known = tape->renewed && tape->steps > 0;
    if (!tape->known) return;
    yoke_jacobian *const last = &tape->step[tape->steps - 1].slopes;
    const yoke_jacobian spare = tape->before;
    tape->before = *last;
    *last = spare;
    tape->renewed = false;
}

void yk_tape_break(yk_driver *d)
{
    d->tape.broken = true;
}

yoke_status yk_tape_add(yk_driver *d, double t, double h, yoke_err *err)
{
    yk_tape *tape = &d->tape;
    const yk_problem *p = &d->p;
    yk_tape_step *s = NULL;

    if (!yk_tape_is_on(d) || tape->broken) return YOKE_OK;
    if ((tape->steps + 1.0) * p->n > YK_STEP_TAPE_ROOM ||
        (tape->method->able && !tape->method->able(d->self))) {
        tape->broken = true;
        return YOKE_OK;
    }
    YK_TRY(next_step(d, &s, err));
    YK_TRY(keep_matrices(d, &s->matrices, err));
    s->t = p->t;
    s->end = t;
    s->h = h;
    s->missed = tape->missed;
    s->effort = p->effort;
    tape->method->rate(d->self, &s->theta, &s->first);
    yk_copy(s->x0, p->x, p->n);
    yk_copy(s->q0, p->q, p->n);
    yk_copy(s->f0, p->f, p->n);
    tape->method->store(d->self, s->x, s->q, s->f);
    tape->steps++;
    return YOKE_OK;
}

/* ---- Derivatives by the inputs ------------------------------------------- */

double yk_tape_time(const yk_tape *tape, const yk_tape_step *s, int i)
{
    return i == tape->method->stages - 1 ? s->end
                                         : s->t + tape->method->theta[i] * s->h;
}

static yoke_status ask_slopes(yk_driver *d, yoke_jacobian *jac, const double *x,
                              double t, yoke_err *err)
{
    yk_problem *p = &d->p;

    YK_TRY(yoke_system_jacobian(p->system, yk_time(p, t), x, yk_input(p, t),
                                jac, err));
    p->work.jacobians += !p->affine;
    return YOKE_OK;
}

/* Derivatives at a time inside of a step: (1 - part) of a, part of b. */
typedef struct slopes {
    const yoke_jacobian *a, *b;
    double part;
} slopes;

static slopes slopes_at(const yk_driver *d, int k, double t)
{
    const yk_tape *tape = &d->tape;
    const yk_tape_step *s = &tape->step[k];

    if (d->p.affine) return (slopes){ &tape->before, &tape->before, 1.0 };
    return (slopes){ k > 0 ? &s[-1].slopes : &tape->before, &s->slopes,
                     (t - s->t) / s->h };
}

/* sum += weight ((1 - part) A v + part B v). */
static void multiply(const yoke_pattern *pattern, const double *a,
                     const double *b, double part, double weight,
                     const double *v, double *sum)
{
    if (a == b) part = 1.0;
    if (part < 1.0)
        yk_pattern_multiply(pattern, a, weight * (1.0 - part), v, sum);
    yk_pattern_multiply(pattern, b, weight * part, v, sum);
}

/* ---- The answer ---------------------------------------------------------- */

yk_tape_loan yk_tape_lend(const yk_problem *p)
{
    return (yk_tape_loan){ p->t,     p->stamp_time, p->C,   p->G,
                           p->stamp, p->oldest,     p->wave };
}

void yk_tape_take(yk_driver *d, const yk_tape_step *s)
{
    const yk_tape_matrices *m =
        s->matrices < 0 ? &s->own : &d->tape.matrix[s->matrices];
    yk_problem *p = &d->p;

    p->t = s->t;
    p->C = m->C;
    p->G = m->G;
    p->stamp = m->stamp;
    p->stamp_time = m->time;
    p->oldest = 0;
}

void yk_tape_give_back(yk_problem *p, const yk_tape_loan *l)
{
    p->C = l->C;
    p->G = l->G;
    p->stamp = l->stamp;
    p->stamp_time = l->stamp_time;
    p->oldest = l->oldest;
    p->wave = l->wave;
}

/* The part of the last answer that is not by dx, at stage i. */
static void by_inputs(yk_driver *d, int k, int i, const yk_wave *du,
                      int *cursor)
{
    yk_tape *tape = &d->tape;
    const yk_problem *p = &d->p;
    yk_tape_step *s = &tape->step[k];
    const double t = yk_tape_time(tape, s, i);
    const slopes at = slopes_at(d, k, t);

    memset(s->dq[i], 0, (size_t)p->n * sizeof(double));
    memset(s->df[i], 0, (size_t)p->n * sizeof(double));
    if (!du || p->m == 0) return;
    yk_wave_eval(du, t, cursor, tape->du);
    if (p->charge_input)
        multiply(p->facts->Cu, at.a->Cu, at.b->Cu, at.part, 1.0, tape->du,
                 s->dq[i]);
    multiply(p->facts->Gu, at.a->Gu, at.b->Gu, at.part, 1.0, tape->du,
             s->df[i]);
}

/* The part that is.  The next step needs it at the end; inside it waits until the
 * answer is applied, which most are not. */
static void by_unknowns(const yk_problem *p, yk_tape_step *s, int i)
{
    yk_pattern_multiply(p->facts->C, p->C, 1.0, s->dx[i], s->dq[i]);
    yk_pattern_multiply(p->facts->G, p->G, 1.0, s->dx[i], s->df[i]);
}

/* What moves the beginning of step k. */
static void begin_step(yk_tape *tape, int n, int k, bool whole)
{
    yk_tape_step *s = &tape->step[k];
    const int last = tape->method->stages - 1;

    if (k == 0) {
        yk_zero(s->dx0, n);
        yk_zero(s->dq0, n);
        yk_zero(s->df0, n);
        return;
    }
    const yk_tape_step *b = &tape->step[k - 1];
    for (int i = 0; i < n; i++) {
        s->dx0[i] = b->dx[last][i] + (whole ? b->x[last][i] - s->x0[i] : 0.0);
        s->dq0[i] = b->dq[last][i] + (whole ? b->q[last][i] - s->q0[i] : 0.0);
        s->df0[i] = b->df[last][i] + (whole ? b->f[last][i] - s->f0[i] : 0.0);
    }
}

/* The charges before the beginning of step k, less that of the beginning, with
 * their weights. */
static void add_past(const yk_driver *d, int k, bool whole, double *sum)
{
    const yk_tape_method *m = d->tape.method;
    const yk_tape_step *s = &d->tape.step[k];

    memset(sum, 0, (size_t)d->p.n * sizeof *sum);
    for (int j = 1; j <= m->past; j++) {
        const double weight = m->weigh(d->self, j);
        const double *q = !whole   ? NULL
                          : j <= k ? s[-j].q0
                                   : m->charge(d->self, j - k);
        for (int i = 0; i < d->p.n; i++)
            sum[i] += weight * ((j <= k ? s[-j].dq0[i] : 0.0) - s->dq0[i] +
                                (q ? q[i] - s->q0[i] : 0.0));
    }
}

/* Step k: dx of its beginning and stages, dq and df of its beginning and end. */
static yoke_status answer_step(yk_driver *d, int k, const yk_wave *du,
                               bool whole, int *cursor, yoke_err *err)
{
    yk_tape *tape = &d->tape;
    yk_problem *p = &d->p;
    yk_tape_step *s = &tape->step[k];
    const double *dq[YK_STAGES], *df[YK_STAGES];

    yk_tape_take(d, s);
    begin_step(tape, p->n, k, whole);
    double *const first = tape->a[YK_STAGES - 1];
    for (int i = 0; i < p->n; i++)
        first[i] = s->df0[i] + (whole ? s->f0[i] : 0.0);
    if (tape->method->past > 0) add_past(d, k, whole, first);
    for (int j = 0; j < tape->method->stages; j++) {
        by_inputs(d, k, j, du, cursor);
        for (int i = 0; i < p->n; i++) {
            tape->a[j][i] =
                s->dq[j][i] - s->dq0[i] + (whole ? s->q[j][i] - s->q0[i] : 0.0);
            tape->b[j][i] = s->df[j][i] + (whole ? s->f[j][i] : 0.0);
        }
        dq[j] = tape->a[j];
        df[j] = tape->b[j];
    }
    for (int j = tape->method->stages; j < vectors(tape->method); j++)
        for (int i = 0; i < p->n; i++) s->dx[j][i] = whole ? s->x[j][i] : 0.0;
    YK_TRY(tape->method->solve(d->self, s->h, first, dq, df, s->dx, err));
    by_unknowns(p, s, tape->method->stages - 1);
    return YOKE_OK;
}

/* Where the values are that make the polynomial of a step: its beginning, its
 * stages, and beginnings of steps before. */
static double node_of(const yk_tape_method *m, int i)
{
    return i == 0 ? 0.0 : i <= m->stages ? m->theta[i - 1] : m->stages - i;
}

/* The degree of the polynomials of a step. */
static int degree_of(const yk_tape_method *m)
{
    return m->stages + m->through;
}

/* Weights of these values at theta. */
void yk_tape_lagrange(const yk_tape *tape, double theta, double *weight)
{
    const int nodes = degree_of(tape->method) + 1;

    for (int i = 0; i < nodes; i++) {
        weight[i] = tape->share[i];
        for (int j = 0; j < nodes; j++)
            if (j != i) weight[i] *= theta - tape->place[j];
    }
}

static void place_nodes(yk_tape *tape)
{
    const int degree = degree_of(tape->method);

    if (tape->weighed) return;
    for (int i = 0; i <= degree; i++) tape->place[i] = node_of(tape->method, i);
    for (int i = 0; i <= degree; i++) {
        double all = 1.0;
        for (int j = 0; j <= degree; j++)
            if (j != i) all *= tape->place[i] - tape->place[j];
        tape->share[i] = 1.0 / all;
    }
    for (int i = 0; i <= degree; i++)
        yk_tape_lagrange(tape, (double)i / degree, tape->weight[i]);
    tape->weighed = true;
}

/* dx of unknown i in step k; nothing changes before the window. */
static double change_of(const yk_tape *tape, int k, const double *weight, int i)
{
    const yk_tape_step *s = &tape->step[k];
    const int stages = tape->method->stages;
    double dx = weight[0] * s->dx0[i];

    for (int j = 0; j < stages; j++) dx += weight[j + 1] * s->dx[j][i];
    for (int j = 1; j <= tape->method->through && j <= k; j++)
        dx += weight[stages + j] * s[-j].dx0[i];
    return dx;
}

/* dy at t inside step k; `weight` of the values there. */
static void output_at(yk_driver *d, int k, double t, const double *weight,
                      const yk_wave *du, bool right, int *cursor, double *dy)
{
    yk_tape *tape = &d->tape;
    const yk_problem *p = &d->p;
    const slopes at = slopes_at(d, k, t);
    const double part = at.a->Hx == at.b->Hx ? 1.0 : at.part;

    memset(dy, 0, (size_t)p->p * sizeof *dy);
    for (int l = 0; l < d->output.needed; l++) {
        const int i = d->output.need[l];
        const double dx = change_of(tape, k, weight, i);
        for (int e = p->facts->Hx->start[i]; e < p->facts->Hx->start[i + 1];
             e++)
            dy[p->facts->Hx->row[e]] +=
                (part < 1.0 ? (1.0 - part) * at.a->Hx[e] : 0.0) * dx +
                part * at.b->Hx[e] * dx;
    }
    if (!p->feedthrough || !du || p->m == 0) return;
    if (right)
        yk_wave_eval_right(du, t, cursor, tape->du);
    else
        yk_wave_eval(du, t, cursor, tape->du);
    multiply(p->facts->Hu, at.a->Hu, at.b->Hu, at.part, 1.0, tape->du, dy);
}

static yoke_status append_piece(yk_driver *d, int k, double a, double b,
                                int degree, const yk_wave *du, int *cursor,
                                yk_wave *dy, yoke_err *err)
{
    yk_tape *tape = &d->tape;
    const yk_tape_step *s = &tape->step[k];
    const bool whole =
        a == s->t && b == s->end && degree == degree_of(tape->method);

    for (int i = 0; i <= degree; i++) {
        const double t = i == 0        ? a
                         : i == degree ? b
                                       : a + (b - a) * i / degree;
        double weight[YK_TAPE_NODES];
        if (!whole)
            yk_tape_lagrange(tape, (t - s->t) / (s->end - s->t), weight);
        output_at(d, k, t, whole ? tape->weight[i] : weight, du, i == 0, cursor,
                  tape->value + i * d->p.p);
    }
    return yk_wave_append_samples(dy, b, degree, tape->value, err);
}

/* The outputs of step k; where they follow the inputs at once they are divided
 * where these are. */
static yoke_status append_step(yk_driver *d, int k, const yk_wave *du,
                               int *piece, int *cursor, yk_wave *dy,
                               yoke_err *err)
{
    const yk_tape_step *s = &d->tape.step[k];
    const double least = 1e-9 * (s->end - s->t);
    const int own = degree_of(d->tape.method);
    double a = s->t;

    if (!d->p.feedthrough || !du || d->p.m == 0)
        return append_piece(d, k, a, s->end, own, du, cursor, dy, err);
    while (a < s->end) {
        double b = s->end;
        while (*piece + 1 < yk_wave_pieces(du) &&
               yk_wave_knot(du, *piece + 1) <= a + least)
            ++*piece;
        if (*piece + 1 < yk_wave_pieces(du) &&
            yk_wave_knot(du, *piece + 1) < b - least)
            b = yk_wave_knot(du, *piece + 1);
        const int of_u = yk_wave_degree(du, *piece);
        YK_TRY(append_piece(d, k, a, b, of_u > own ? of_u : own, du, cursor, dy,
                            err));
        a = b;
    }
    return YOKE_OK;
}

static yoke_status run_answer(yk_driver *d, const yk_wave *du, bool whole,
                              yk_wave *dy, yoke_err *err)
{
    yk_tape *tape = &d->tape;
    int cursor = 0, piece = 0, stage_cursor = 0;

    yk_wave_clear(dy, tape->step[0].t);
    for (int k = 0; k < tape->steps; k++) {
        YK_TRY(answer_step(d, k, du, whole, &stage_cursor, err));
        YK_TRY(append_step(d, k, du, &piece, &cursor, dy, err));
    }
    return YOKE_OK;
}

yoke_status yk_tape_answer(yk_driver *d, const yk_wave *du, bool whole,
                           yk_wave *dy, yoke_err *err)
{
    const double clock = yk_clock();
    const yk_tape_loan l = yk_tape_lend(&d->p);

    d->tape.changed = du;
    d->tape.quiet = false;
    const yoke_status status = run_answer(d, du, whole, dy, err);
    yk_tape_give_back(&d->p, &l);
    d->p.t = l.t;
    d->p.work.seconds += yk_clock() - clock;
    return status;
}

static yoke_status tape_answer(void *self, const yk_wave *du, bool whole,
                               yk_wave *dy, yoke_err *err)
{
    yk_driver *d = self;

    return d->front.longer ? yk_front_answer(d, du, whole, dy, err)
                           : yk_tape_answer(d, du, whole, dy, err);
}

static void tape_rest(void *self)
{
    ((yk_driver *)self)->tape.quiet = true;
}

static bool tape_change(void *self, double t, double *dx, double *du)
{
    yk_driver *d = self;
    const yk_tape *tape = &d->tape;
    double weight[YK_TAPE_NODES];
    int k = 0;

    if (tape->quiet || tape->steps == 0) return false;
    while (k < tape->steps - 1 && tape->step[k].end < t) k++;
    const yk_tape_step *s = &tape->step[k];
    yk_tape_lagrange(tape, (t - s->t) / (s->end - s->t), weight);
    for (int i = 0; i < d->p.n; i++) dx[i] = change_of(tape, k, weight, i);
    if (tape->changed && d->p.m > 0) yk_wave_eval(tape->changed, t, NULL, du);
    return true;
}

/* ---- Applying it --------------------------------------------------------- */

static void move_step(yk_driver *d, yk_tape_step *s)
{
    const int n = d->p.n, last = d->tape.method->stages - 1;

    for (int i = 0; i < last; i++) by_unknowns(&d->p, s, i);
    yk_add(n, 1.0, s->dx0, s->x0);
    yk_add(n, 1.0, s->dq0, s->q0);
    yk_add(n, 1.0, s->df0, s->f0);
    for (int i = 0; i <= last; i++) {
        yk_add(n, 1.0, s->dx[i], s->x[i]);
        yk_add(n, 1.0, s->dq[i], s->q[i]);
        yk_add(n, 1.0, s->df[i], s->f[i]);
    }
    for (int i = last + 1; i < vectors(d->tape.method); i++)
        yk_add(n, 1.0, s->dx[i], s->x[i]);
}

/* The step once more as the stepper would accept it: its error, the length of
 * the next one, its polynomial and its waveforms. */
static yoke_status replay_step(yk_driver *d, const yk_tape_step *s, yk_wave *y,
                               yk_tape_result *result, yoke_err *err)
{
    const yk_tape_method *m = d->tape.method;
    yk_problem *p = &d->p;
    const double wanted = d->control.h;
    double error = 0.0;

    yk_copy(p->x, s->x0, p->n);
    yk_copy(p->q, s->q0, p->n);
    yk_copy(p->f, s->f0, p->n);
    m->load(d->self, (const double *const *)s->x, (const double *const *)s->q,
            (const double *const *)s->f);
    yk_copy(p->x_new, s->x[m->stages - 1], p->n);
    if (d->method->stepping == YK_ADAPTIVE) {
        yk_tape_weights(p, p->x);
        YK_TRY(m->judge(d->self, s->h, &error, err));
        result->error = fmax(result->error, error);
        yk_control_accept(&d->control, s->h, fmin(fmax(error, s->missed), 1.0),
                          s->effort);
        /* One that was cut very short tells nothing against the longer one. */
        if (s->end == p->end && s->h < YK_STEP_TAPE_SHORT * wanted)
            d->control.h = fmax(d->control.h, wanted);
    }
    d->method->shape(d->self, s->h);
    if (m->past > 0) d->method->commit(d->self);
    YK_TRY(yk_output_step(&d->output, p, d->method, d->self, s->end, y,
                          d->watched, err));
    if (d->trace && yk_wave_end(d->trace) == p->t)
        YK_TRY(yk_output_trace(&d->output, p, d->method, d->self, s->end,
                               d->trace, err));
    return YOKE_OK;
}

static yoke_status run_apply(yk_driver *d, const yk_wave *u, yk_wave *y,
                             yk_tape_result *result, yoke_err *err)
{
    yk_tape *tape = &d->tape;
    yk_problem *p = &d->p;
    const int last = tape->method->stages - 1;
    int piece = 0;

    d->there = false;
    d->control = d->kept.control;
    yk_driver_copy_poly(d, &p->poly, &d->kept.poly);
    if (tape->method->past > 0) d->method->back(d->self);
    p->wave = u;
    p->cursor = 0;
    p->u_time = d->output.y_time = NAN;
    p->begin = p->begin_knot = d->kept.t;
    yk_wave_clear(y, d->kept.t);
    yk_wave_clear(d->watched, d->kept.t);
    if (d->trace) yk_wave_clear(d->trace, d->kept.t);
    result->begun = yk_tape_begun(d);
    for (int k = 0; k < tape->steps; k++) {
        if (p->m > 0 && tape->changed && d->method->stepping != YK_FIXED)
            result->between =
                fmax(result->between,
                     yk_tape_between(d, &tape->step[k], &piece, tape->node));
        YK_TRY(yk_tape_measure(d, &tape->step[k], result, err));
        yk_tape_take(d, &tape->step[k]);
        move_step(d, &tape->step[k]);
        YK_TRY(replay_step(d, &tape->step[k], y, result, err));
    }
    const yk_tape_step *s = &tape->step[tape->steps - 1];
    p->t = s->end;
    yk_copy(p->x, s->x[last], p->n);
    yk_copy(p->q, s->q[last], p->n);
    yk_copy(p->f, s->f[last], p->n);
    if (p->m) yk_copy(p->u, yk_input(p, p->t), p->m);
    yk_copy(d->x_end, p->x, p->n);
    return YOKE_OK;
}

yoke_status yk_tape_apply(yk_driver *d, const yk_wave *u, yk_wave *y,
                          yk_tape_result *result, yoke_err *err)
{
    const double clock = yk_clock();
    const yk_tape_loan l = yk_tape_lend(&d->p);

    *result =
        (yk_tape_result){ .steps = d->tape.steps,
                          .first = d->tape.step[0].end - d->tape.step[0].t };
    d->inputs = u;
    d->tape.kicked = false;
    const yoke_status status = run_apply(d, u, y, result, err);
    yk_tape_give_back(&d->p, &l);
    d->p.work.seconds += yk_clock() - clock;
    return status;
}

static yoke_status tape_apply(void *self, const yk_wave *u, yk_wave *y,
                              yk_tape_result *result, yoke_err *err)
{
    yk_driver *d = self;

    return d->front.longer ? yk_front_apply(d, y, result, err)
                           : yk_tape_apply(d, u, y, result, err);
}

/* ---- Renewal ------------------------------------------------------------- */

/* Matrices of the end of a step in place of those that it was solved with. */
static void renew_matrices(yk_driver *d, yk_tape_step *s)
{
    const yk_problem *p = &d->p;

    yk_copy(s->own.C, s->slopes.C, yoke_pattern_count(p->facts->C));
    yk_copy(s->own.G, s->slopes.G, yoke_pattern_count(p->facts->G));
    s->own.stamp = ++d->p.stamps;
    s->own.time = s->end;
    s->matrices = -1;
}

static yoke_status renew_step(yk_driver *d, yk_tape_step *s, yk_renewal what,
                              yoke_err *err)
{
    yk_tape *tape = &d->tape;
    yk_problem *p = &d->p;
    const bool residuals = what == YK_RENEW_EQUATIONS;
    const int last = tape->method->stages - 1;

    p->t = s->t;
    if (!p->affine) {
        if (!s->slopes.C)
            YK_TRY(yk_jacobian_create(&s->slopes, p->system, err));
        YK_TRY(ask_slopes(d, &s->slopes, s->x[last], s->end, err));
    }
    for (int i = 0; residuals && i <= last; i++)
        YK_TRY(yk_eval(p, yk_tape_time(tape, s, i), s->x[i], s->q[i], s->f[i],
                       err));
    if (residuals && !p->affine) renew_matrices(d, s);
    return YOKE_OK;
}

/* Adds to q and f of the stages of step k a part of what the last answer has
 * changed, by the derivatives at both of its ends. */
static void add_change(yk_driver *d, int k, double weight, int *cursor)
{
    yk_tape *tape = &d->tape;
    const yoke_system_info *const has = d->p.facts;
    yk_tape_step *s = &tape->step[k];

    for (int i = 0; i < tape->method->stages; i++) {
        const double t = yk_tape_time(tape, s, i);
        const slopes at = slopes_at(d, k, t);
        multiply(has->C, at.a->C, at.b->C, at.part, weight, s->dx[i], s->q[i]);
        multiply(has->G, at.a->G, at.b->G, at.part, weight, s->dx[i], s->f[i]);
        if (!tape->changed || d->p.m == 0) continue;
        yk_wave_eval(tape->changed, t, cursor, tape->du);
        multiply(has->Cu, at.a->Cu, at.b->Cu, at.part, weight, tape->du,
                 s->q[i]);
        multiply(has->Gu, at.a->Gu, at.b->Gu, at.part, weight, tape->du,
                 s->f[i]);
    }
}

/* Takes from q and f of the stages what the last answer has added to them. */
static void take_change(yk_driver *d, yk_tape_step *s)
{
    for (int i = 0; i < d->tape.method->stages; i++) {
        yk_add(d->p.n, -1.0, s->dq[i], s->q[i]);
        yk_add(d->p.n, -1.0, s->df[i], s->f[i]);
    }
}

/* The equations at the stages, without an evaluation: the mean of the derivatives
 * before the last answer and after it tells what it has changed, up to its third
 * power. */
static yoke_status renew_by_mean(yk_driver *d, yoke_err *err)
{
    yk_tape *tape = &d->tape;
    int cursor = 0;

    for (int k = 0; k < tape->steps; k++) {
        take_change(d, &tape->step[k]);
        add_change(d, k, 0.5, &cursor);
    }
    for (int k = 0; k < tape->steps; k++)
        YK_TRY(renew_step(d, &tape->step[k], YK_RENEW_MATRICES, err));
    cursor = 0;
    for (int k = 0; k < tape->steps; k++) {
        add_change(d, k, 0.5, &cursor);
        renew_matrices(d, &tape->step[k]);
    }
    return YOKE_OK;
}

static yoke_status renew(yk_driver *d, yk_renewal what, yoke_err *err)
{
    yk_tape *tape = &d->tape;

    d->p.t = tape->step[0].t;
    if (!tape->known)
        YK_TRY(ask_slopes(d, &tape->before, tape->step[0].x0, tape->step[0].t,
                          err));
    tape->known = true;
    if (d->p.affine && what != YK_RENEW_EQUATIONS) return YOKE_OK;
    if (what == YK_RENEW_MATRICES && tape->renewed)
        return renew_by_mean(d, err);
    for (int k = 0; k < tape->steps; k++)
        YK_TRY(renew_step(d, &tape->step[k], what, err));
    tape->renewed = true;
    return YOKE_OK;
}

yoke_status yk_tape_renew(yk_driver *d, const yk_wave *u, yk_renewal what,
                          yoke_err *err)
{
    const double clock = yk_clock(), t = d->p.t;

    d->p.wave = u;
    d->p.cursor = 0;
    d->p.u_time = NAN;
    const yoke_status status =
        what == YK_RENEW_EVENTS ? yk_tape_search(d, err) : renew(d, what, err);
    d->p.wave = NULL;
    d->p.t = t;
    d->p.u_time = NAN;
    d->p.work.seconds += yk_clock() - clock;
    return status;
}

/* Steps that cross windows have theirs from the first of these. */
static yoke_status tape_renew(void *self, const yk_wave *u, yk_renewal what,
                              yoke_err *err)
{
    yk_driver *d = self;

    if (!d->front.longer) return yk_tape_renew(d, u, what, err);
    if (what == YK_RENEW_SLOPES && d->tape.renewed) return YOKE_OK;
    return yk_tape_renew(d, d->front.u, what, err);
}

/* ---- What the iteration asks --------------------------------------------- */

static void tape_keep(void *self, bool on)
{
    yk_driver *d = self;

    d->tape.method = d->method->tape;
    if (d->tape.method) place_nodes(&d->tape);
    d->tape.on =
        on && d->tape.method && !d->chords && !d->p.facts->help->project;
}

static bool tape_able(void *self)
{
    return yk_tape_is_on(self);
}

static void tape_lenient(void *self, double most)
{
    ((yk_driver *)self)->tape.lenient_next = most;
}

bool yk_tape_is_ready(void *self)
{
    const yk_driver *d = self;

    if (!yk_tape_is_on(d) || d->tape.broken || d->failed || !d->swept ||
        d->tape.steps == 0 || d->reads)
        return false;
    for (int i = 0; i < d->instants; i++)
        if (d->instant[i] > d->kept.t || d->events.count > 0) return false;
    return true;
}

static bool tape_affine(void *self)
{
    return ((const yk_driver *)self)->p.affine;
}

static bool tape_fixed(void *self)
{
    return ((const yk_driver *)self)->method->stepping == YK_FIXED;
}

static bool tape_passes(void *self)
{
    return ((const yk_driver *)self)->p.feedthrough;
}

static bool tape_watchful(void *self)
{
    const yk_events *e = &((const yk_driver *)self)->events;

    return e->count > 0 && !e->timed;
}

const yk_tape_ops yk_drive_tape = {
    .keep = tape_keep,
    .able = tape_able,
    .lenient = tape_lenient,
    .ready = yk_tape_is_ready,
    .affine = tape_affine,
    .fixed = tape_fixed,
    .passes = tape_passes,
    .watchful = tape_watchful,
    .answer = tape_answer,
    .rest = tape_rest,
    .change = tape_change,
    .apply = tape_apply,
    .renew = tape_renew,
};
