/* states.c -- ODEs coupled by signals through states.
 *
 * Each part has E x' + A x = ... with E, A positive definite and its own rate.
 * An edge joins state k of one part with state l of another: by a conductance,
 * g (x_k - x_l) leaving one and entering the other, or by a gyrator, g x_l
 * entering one and g x_k leaving the other.  Both keep the whole dissipative.
 */
#include "problem.h"

#include <math.h>
#include <stdio.h>

typedef struct scales {
    double capacity[MOST_PARTS], rate[MOST_PARTS];
} scales;

static void draw_part(problem *p, int i, const scales *s, dice *d)
{
    part *a = &p->part[i];
    const double g = s->capacity[i] * s->rate[i];

    a->n = a->p = 1 + dice_pick(d, 4);
    for (int k = 0; k < a->n; k++) {
        a->E[k][k] = s->capacity[i] * dice_between(d, 0.5, 2.0);
        a->A[k][k] = g * dice_between(d, 0.5, 2.0);
        a->H[k][k] = 1.0;
        a->x[k] = a->y[k] = problem_course(d, 1.0);
        for (int l = 0; l < k; l++) {
            const double turn = g * dice_between(d, -1.0, 1.0);
            a->A[k][l] = turn;
            a->A[l][k] = -turn;
        }
        if (p->nonlinear && dice_flip(d)) {
            const term_kind kind = (term_kind)dice_pick(d, 3);
            part_add_term(a, IN_FLOW, k, kind, false, k,
                          g * dice_between(d, 0.1, kind == SINE ? 0.5 : 2.0));
        }
    }
}

static void join(problem *p, int i, int j, double g, dice *d)
{
    part *a = &p->part[i], *b = &p->part[j];
    const int k = dice_pick(d, a->n), l = dice_pick(d, b->n);
    const bool gyrator = dice_flip(d);

    if (a->m == MOST_U || b->m == MOST_U) return;
    if (!gyrator) {
        a->A[k][k] += g;
        b->A[l][l] += g;
    }
    a->B[k][a->m] = g;
    b->B[l][b->m] = gyrator ? -g : g;
    problem_signal(p, i, a->m++, j, l, 1.0);
    problem_signal(p, j, b->m++, i, k, 1.0);
}

bool draw_states(problem *p, dice *d, double alpha)
{
    scales s;
    const int extra = dice_pick(d, p->parts);

    for (int i = 0; i < p->parts; i++) {
        s.capacity[i] = dice_log(d, -1.0, 1.0);
        s.rate[i] = dice_log(d, -1.0, 1.5);
        draw_part(p, i, &s, d);
    }
    for (int e = 1; e < p->parts + extra; e++) {
        const int i = e < p->parts ? e : 1 + dice_pick(d, p->parts - 1);
        const int j = dice_pick(d, i);
        const double g =
            alpha * dice_between(d, 0.5, 2.0) *
            sqrt(s.capacity[i] * s.rate[i] * s.capacity[j] * s.rate[j]);
        join(p, i, j, g, d);
    }
    p->alpha = alpha;
    snprintf(p->note, sizeof p->note, "%d edges", p->links / 2);
    return true;
}
