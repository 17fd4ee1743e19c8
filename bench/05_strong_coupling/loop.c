/* loop.c -- loops of gains.
 *
 * y_i = H_i x_i + W_i u_i + ..., u = K y: with y on top of each other
 * y = T y + ..., and a plain sweep over windows that tend to zero is the
 * Gauss-Seidel iteration with T in the order of the schedule.  The gains W are
 * scaled so that its spectral radius is alpha.  Drawn again: loops that are
 * nearly singular somewhere along the exact solution, |(I - T)^-1| > 20.
 */
#include "dense.h"
#include "problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum way { BY_EQUATION, BY_OUTPUT, BY_CHARGE } way;

enum { MOST_LOOP = 2 * MOST_PARTS, SAMPLES = 40 };
static const double most_inverse = 20.0;

typedef struct loop {
    way way;
    int size;              /* of all outputs */
    int first[MOST_PARTS]; /* output of each part */
} loop;

/* dy/du of one part at t, as fast changes see it. */
static void gain_of(const loop *l, const part *a, double t,
                    double gain[MOST_Y][MOST_U])
{
    const int states = a->n - a->p;

    part_input_slope(a,
                     l->way == BY_OUTPUT   ? IN_OUTPUT
                     : l->way == BY_CHARGE ? IN_CHARGE
                                           : IN_FLOW,
                     t, gain);
    if (l->way == BY_OUTPUT) return;
    for (int i = 0; i < a->p; i++)
        for (int j = 0; j < a->m; j++)
            gain[i][j] = -gain[l->way == BY_EQUATION ? states + i : i][j];
}

/* T at t. */
static void loop_matrix(const loop *l, const problem *p, double t, double *T)
{
    double gain[MOST_PARTS][MOST_Y][MOST_U];

    for (int i = 0; i < p->parts; i++) gain_of(l, &p->part[i], t, gain[i]);
    memset(T, 0, (size_t)(l->size * l->size) * sizeof *T);
    for (int k = 0; k < p->links; k++) {
        const yoke_link *a = &p->link[k];
        const int column = l->first[a->from] + a->output;
        for (int i = 0; i < p->part[a->to].p; i++)
            T[(l->first[a->to] + i) * l->size + column] +=
                gain[a->to][i][a->input] * a->weight;
    }
}

/* Radius of one Gauss-Seidel sweep with scale * T. */
static double sweep_radius(const loop *l, const problem *p, const double *T,
                           double scale)
{
    const int n = l->size;
    double sweep[MOST_LOOP * MOST_LOOP];

    for (int c = 0; c < n; c++) {
        double y[MOST_LOOP] = { 0.0 }, made[MOST_LOOP];
        y[c] = 1.0;
        for (int k = 0; k < p->parts; k++) {
            const int which = p->order[k], first = l->first[which];
            for (int i = first; i < first + p->part[which].p; i++) {
                made[i] = 0.0;
                for (int j = 0; j < n; j++)
                    made[i] += scale * T[i * n + j] * y[j];
            }
            memcpy(y + first, made + first,
                   (size_t)p->part[which].p * sizeof *y);
        }
        for (int i = 0; i < n; i++) sweep[i * n + c] = y[i];
    }
    return dense_radius(n, sweep);
}

static void draw_links(problem *p, dice *d)
{
    const bool ring = dice_flip(d);

    for (int i = 0; i < p->parts; i++)
        for (int k = 0; k < p->part[i].m; k++) {
            const int sources = ring ? 1 : 1 + dice_pick(d, 3);
            for (int s = 0; s < sources; s++) {
                const int step =
                    ring ? p->parts - 1 : 1 + dice_pick(d, p->parts - 1);
                const int from = (i + step) % p->parts;
                problem_signal(p, i, k, from, dice_pick(d, p->part[from].p),
                               dice_signed(d, 0.2, 1.0));
            }
        }
}

/* Sizes, exact solution and the parts without their gains. */
static void draw_part(const loop *l, problem *p, part *a, dice *d)
{
    const double rate =
        l->way == BY_CHARGE ? dice_log(d, -2.0, -1.0) : dice_log(d, -1.0, 2.0);
    const int states = l->way == BY_CHARGE ? a->p : 1 + dice_pick(d, 3);

    a->n = states + (l->way == BY_EQUATION ? a->p : 0);
    for (int k = 0; k < a->n; k++) a->x[k] = problem_course(d, 1.0);
    for (int k = 0; k < a->p; k++) a->y[k] = problem_course(d, 1.0);
    for (int k = 0; k < states; k++) {
        a->E[k][k] = 1.0;
        a->A[k][k] = rate * dice_between(d, 1.0, 2.0);
        if (p->nonlinear && l->way != BY_CHARGE && dice_flip(d))
            part_add_term(a, IN_FLOW, k, (term_kind)dice_pick(d, 3), false, k,
                          rate * dice_between(d, 0.1, 0.5));
    }
    for (int i = 0; i < a->p; i++)
        for (int k = 0; k < states; k++) {
            const double h = dice_signed(d, 0.2, 1.0);
            if (l->way == BY_EQUATION) a->A[states + i][k] = -h;
            if (l->way == BY_OUTPUT) a->H[i][k] = h;
        }
    for (int i = 0; i < a->p; i++) {
        if (l->way == BY_EQUATION) a->A[states + i][states + i] = 1.0;
        if (l->way == BY_OUTPUT) continue;
        const int k = l->way == BY_EQUATION ? states + i : i;
        a->H[i][k] = 1.0;
        a->x[k] = a->y[i];
    }
}

/* Gain w from input j to output i, a part of it as w z + c sin z. */
static void add_gain(const loop *l, part *a, int i, int j, double w, double c)
{
    const int row = l->way == BY_EQUATION ? a->n - a->p + i : i;

    switch (l->way) {
    case BY_EQUATION:
        a->B[row][j] += w;
        if (c != 0.0) part_add_term(a, IN_FLOW, row, SINE, true, j, -c);
        break;
    case BY_OUTPUT:
        a->D[row][j] += w;
        if (c != 0.0) part_add_term(a, IN_OUTPUT, row, SINE, true, j, c);
        break;
    case BY_CHARGE:
        a->F[row][j] -= w;
        if (c != 0.0) part_add_term(a, IN_CHARGE, row, SINE, true, j, -c);
        break;
    }
}

typedef struct gains {
    double w[MOST_PARTS][2][2], c[MOST_PARTS][2][2];
} gains;

static void draw_gains(const problem *p, gains *g, dice *d)
{
    memset(g, 0, sizeof *g);
    for (int a = 0; a < p->parts; a++)
        for (int i = 0; i < p->part[a].p; i++)
            for (int j = 0; j < p->part[a].m; j++) {
                const double w = g->w[a][i][j] =
                    dice_signed(d, 0.3, 1.0) * dice_log(d, -1.0, 1.0);
                if (p->nonlinear && dice_flip(d))
                    g->c[a][i][j] = w * dice_between(d, -0.4, 0.4);
            }
}

static void put_gains(const loop *l, problem *p, const gains *g, double scale)
{
    for (int a = 0; a < p->parts; a++)
        for (int i = 0; i < p->part[a].p; i++)
            for (int j = 0; j < p->part[a].m; j++)
                add_gain(l, &p->part[a], i, j, scale * g->w[a][i][j],
                         scale * g->c[a][i][j]);
}

/* By bisection of its logarithm; 0: there is none. */
static double scale_for(const loop *l, const problem *p, const gains *g,
                        double alpha)
{
    double T[MOST_LOOP * MOST_LOOP], low = -6.0, high = 6.0;
    problem trial = *p;

    for (int i = 0; i < p->parts; i++) trial.part[i].terms = 0;
    gains linear = *g;
    memset(linear.c, 0, sizeof linear.c);
    put_gains(l, &trial, &linear, 1.0);
    loop_matrix(l, &trial, 0.0, T);
    for (int k = 0; k < 60; k++) {
        const double middle = 0.5 * (low + high);
        if (sweep_radius(l, p, T, pow(10.0, middle)) < alpha)
            low = middle;
        else
            high = middle;
    }
    const double scale = pow(10.0, low);
    const double reached = sweep_radius(l, p, T, scale);
    return fabs(reached / alpha - 1.0) < 0.01 ? scale : 0.0;
}

/* Largest |(I - T)^-1| along the exact solution. */
static double inverse_norm(const loop *l, const problem *p)
{
    double worst = 0.0;

    for (int k = 0; k <= SAMPLES; k++) {
        double T[MOST_LOOP * MOST_LOOP], inverse[MOST_LOOP * MOST_LOOP];
        loop_matrix(l, p, p->stop * k / SAMPLES, T);
        for (int i = 0; i < l->size * l->size; i++)
            T[i] = (i % (l->size + 1) == 0) - T[i];
        if (!dense_inverse(l->size, T, inverse)) return INFINITY;
        worst = fmax(worst, dense_norm(l->size, l->size, inverse));
    }
    return worst;
}

/* The states feel the inputs, but not so much that the whole could grow. */
static void feed_states(const loop *l, problem *p, double inverse, dice *d)
{
    for (int i = 0; i < p->parts && l->way != BY_CHARGE; i++) {
        part *a = &p->part[i];
        const int states = a->n - (l->way == BY_EQUATION ? a->p : 0);
        for (int k = 0; k < states; k++)
            for (int j = 0; j < a->m; j++)
                a->B[k][j] =
                    a->A[k][k] * dice_between(d, -0.1, 0.1) / (3.0 * inverse);
    }
}

/* Inputs are needed before the gains of nonlinear loops can be judged. */
static void preview_inputs(problem *p)
{
    for (int i = 0; i < p->parts; i++)
        memset(p->part[i].u, 0, sizeof p->part[i].u);
    for (int k = 0; k < p->links; k++) {
        const yoke_link *l = &p->link[k];
        course_add(&p->part[l->to].u[l->input], l->weight,
                   &p->part[l->from].y[l->output]);
    }
}

bool draw_loop(problem *p, dice *d, double alpha)
{
    static const char *const word[] = { "equation", "output", "charge" };
    loop l = { .way = (way)dice_pick(d, 3) };
    gains g;

    for (int i = 0; i < p->parts; i++) {
        p->part[i].p = 1 + dice_pick(d, 2);
        p->part[i].m = 1 + dice_pick(d, 2);
        l.first[i] = l.size;
        l.size += p->part[i].p;
    }
    for (int i = 0; i < p->parts; i++) draw_part(&l, p, &p->part[i], d);
    draw_links(p, d);
    draw_gains(p, &g, d);
    const double scale = scale_for(&l, p, &g, alpha);
    if (scale == 0.0) return false;
    put_gains(&l, p, &g, scale);
    preview_inputs(p);
    const double inverse = inverse_norm(&l, p);
    if (!(inverse <= most_inverse)) return false;
    for (int i = 0; i < p->parts; i++)
        memset(p->part[i].u, 0, sizeof p->part[i].u);
    feed_states(&l, p, inverse, d);
    p->alpha = alpha;
    snprintf(p->note, sizeof p->note, "by %s, |(I - T)^-1| %.2g", word[l.way],
             inverse);
    return true;
}
