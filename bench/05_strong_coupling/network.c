/* network.c -- parts joined by constraints with multipliers: circuits and
 * mechanisms.
 *
 * Part i has an inertia I_i (capacitances or masses) and rows P_i.  For windows
 * that tend to zero only R_i = P_i I_i^-1 P_i' matters: a sweep solves, part by
 * part, the rows which the part owns, sum_j R_j u_j = 0, for their multipliers.
 * The sizes of the inertias are chosen so that the spectral radius of a sweep
 * is alpha.
 */
#include "dense.h"
#include "problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_N = 8 };

typedef struct body {
    int n;
    double scale, rate;
    double inertia[MOST_N * MOST_N]; /* n by n, times scale */
    double P[MOST_ROWS][MOST_N];
    double R[MOST_ROWS][MOST_ROWS]; /* for scale 1 */
    bool member[MOST_ROWS];
} body;

typedef struct net {
    int bodies, rows;
    int owner[MOST_ROWS];
    bool hub; /* one joint of all; otherwise a tree of pairs */
    body body[MOST_PARTS];
} net;

/* ---- what is joined ------------------------------------------------------ */

static void draw_joints(net *w, dice *d)
{
    int owned[MOST_PARTS] = { 0 };

    w->hub = w->bodies == 2 || dice_flip(d);
    if (w->hub) {
        const int owner = dice_pick(d, w->bodies);
        w->rows = 1 + dice_pick(d, 3);
        for (int k = 0; k < w->rows; k++) {
            w->owner[k] = owner;
            for (int i = 0; i < w->bodies; i++) w->body[i].member[k] = true;
        }
        owned[owner] = w->rows;
    } else {
        w->rows = w->bodies - 1;
        for (int k = 0; k < w->rows; k++) {
            const int other = dice_pick(d, k + 1);
            w->body[k + 1].member[k] = w->body[other].member[k] = true;
            w->owner[k] = dice_flip(d) ? k + 1 : other;
            owned[w->owner[k]]++;
        }
    }
    for (int i = 0; i < w->bodies; i++) {
        const int n = 1 + dice_pick(d, 3);
        w->body[i].n = n > owned[i] ? n : owned[i];
    }
}

/* Positive definite, entries about 1. */
static void draw_inertia(body *b, dice *d)
{
    double v[MOST_N];

    for (int i = 0; i < b->n; i++) v[i] = dice_between(d, -0.7, 0.7);
    for (int i = 0; i < b->n; i++)
        for (int j = 0; j < b->n; j++) b->inertia[i * b->n + j] = v[i] * v[j];
    for (int i = 0; i < b->n; i++)
        b->inertia[i * b->n + i] += dice_between(d, 0.5, 1.5);
}

/* Row k mainly takes one coordinate, of every row another while there are
 * enough. */
static void draw_rows(const net *w, body *b, dice *d)
{
    int next = dice_pick(d, b->n);

    for (int k = 0; k < w->rows; k++) {
        if (!b->member[k]) continue;
        b->P[k][next++ % b->n] = dice_signed(d, 0.5, 1.5);
        for (int i = 0; i < b->n; i++)
            if (b->P[k][i] == 0.0 && dice_flip(d))
                b->P[k][i] = dice_between(d, -0.3, 0.3);
    }
}

static bool find_mobility(const net *w, body *b)
{
    double inverse[MOST_N * MOST_N];

    if (!dense_inverse(b->n, b->inertia, inverse)) return false;
    for (int k = 0; k < w->rows; k++)
        for (int l = 0; l < w->rows; l++)
            for (int i = 0; i < b->n; i++)
                for (int j = 0; j < b->n; j++)
                    b->R[k][l] +=
                        b->P[k][i] * inverse[i * b->n + j] * b->P[l][j];
    return true;
}

/* ---- one sweep ----------------------------------------------------------- */

/* The multipliers and R_i u of each part when it was last solved. */
typedef struct state {
    double u[MOST_ROWS], moved[MOST_PARTS][MOST_ROWS];
} state;

static bool solve_owned(const net *w, int i, state *s)
{
    const body *b = &w->body[i];
    double a[MOST_ROWS * MOST_ROWS], inverse[MOST_ROWS * MOST_ROWS];
    double right[MOST_ROWS];
    int own[MOST_ROWS], count = 0;

    for (int k = 0; k < w->rows; k++)
        if (w->owner[k] == i) own[count++] = k;
    if (count == 0) return true;
    for (int r = 0; r < count; r++) {
        right[r] = 0.0;
        for (int j = 0; j < w->bodies; j++)
            if (j != i) right[r] -= s->moved[j][own[r]];
        for (int l = 0; l < w->rows; l++)
            if (w->owner[l] != i)
                right[r] -= b->R[own[r]][l] / b->scale * s->u[l];
        for (int c = 0; c < count; c++)
            a[r * count + c] = b->R[own[r]][own[c]] / b->scale;
    }
    if (!dense_inverse(count, a, inverse)) return false;
    for (int r = 0; r < count; r++) {
        s->u[own[r]] = 0.0;
        for (int c = 0; c < count; c++)
            s->u[own[r]] += inverse[r * count + c] * right[c];
    }
    return true;
}

static bool sweep(const net *w, const int *order, state *s)
{
    for (int k = 0; k < w->bodies; k++) {
        const int i = order[k];
        const body *b = &w->body[i];
        if (!solve_owned(w, i, s)) return false;
        for (int r = 0; r < w->rows; r++) {
            s->moved[i][r] = 0.0;
            for (int l = 0; l < w->rows; l++)
                s->moved[i][r] += b->R[r][l] / b->scale * s->u[l];
        }
    }
    return true;
}

static double sweep_radius(const net *w, const int *order)
{
    const int n = w->rows * (w->bodies + 1);
    double matrix[DENSE_MOST * DENSE_MOST];

    for (int c = 0; c < n; c++) {
        state s = { { 0.0 }, { { 0.0 } } };
        double *entry =
            c < w->rows ? &s.u[c] : &s.moved[c / w->rows - 1][c % w->rows];
        *entry = 1.0;
        if (!sweep(w, order, &s)) return NAN;
        for (int k = 0; k < w->rows; k++) matrix[k * n + c] = s.u[k];
        for (int i = 0; i < w->bodies; i++)
            for (int k = 0; k < w->rows; k++)
                matrix[((i + 1) * w->rows + k) * n + c] = s.moved[i][k];
    }
    return dense_radius(n, matrix);
}

/* Owners become heavier or lighter than the others by a factor, the one that
 * comes nearest to alpha; the mean of the logarithms is zero. */
static double choose_scales(net *w, const int *order, double alpha, dice *d)
{
    double noise[MOST_PARTS], weight[MOST_PARTS] = { 0.0 }, best = NAN;
    double chosen = 0.0, mean = 0.0;
    enum { STEPS = 40 };

    for (int i = 0; i < w->bodies; i++) noise[i] = dice_between(d, -0.3, 0.3);
    for (int k = 0; k < w->rows; k++) weight[w->owner[k]] = 1.0;
    for (int k = 0; k <= STEPS; k++) {
        const double theta = -5.0 + 10.0 * k / STEPS;
        for (int i = 0; i < w->bodies; i++)
            w->body[i].scale = pow(10.0, noise[i] + theta * weight[i]);
        const double rho = sweep_radius(w, order);
        if (!(rho > 0.0)) continue;
        if (isnan(best) || fabs(log(rho / alpha)) < fabs(log(best / alpha))) {
            best = rho;
            chosen = theta;
        }
    }
    for (int i = 0; i < w->bodies; i++)
        mean += (noise[i] + chosen * weight[i]) / w->bodies;
    for (int i = 0; i < w->bodies; i++)
        w->body[i].scale = pow(10.0, noise[i] + chosen * weight[i] - mean);
    return best;
}

/* ---- the equations ------------------------------------------------------- */

static void fill_circuit(const problem *p, const net *w, const body *b, part *a,
                         dice *d)
{
    const double g = b->scale * b->rate;

    a->n = b->n;
    for (int i = 0; i < b->n; i++) {
        for (int j = 0; j < b->n; j++)
            a->E[i][j] = b->scale * b->inertia[i * b->n + j];
        a->A[i][i] = g * dice_between(d, 0.5, 2.0);
        for (int j = 0; j < i; j++) {
            const double turn = g * dice_between(d, -0.5, 0.5);
            a->A[i][j] = turn;
            a->A[j][i] = -turn;
        }
        if (p->nonlinear && dice_flip(d)) {
            const term_kind kind = (term_kind)dice_pick(d, 3);
            part_add_term(a, IN_FLOW, i, kind, false, i,
                          g * dice_between(d, 0.1, kind == SINE ? 0.4 : 1.0));
        }
        if (p->nonlinear && dice_flip(d))
            part_add_term(a, IN_CHARGE, i, SINE, false, i,
                          b->scale * dice_between(d, 0.1, 0.4));
    }
    for (int k = 0; k < w->rows; k++) {
        if (!b->member[k]) continue;
        for (int i = 0; i < b->n; i++) {
            a->B[i][a->m] = b->P[k][i];
            a->H[a->p][i] = b->P[k][i];
        }
        a->m++;
        snprintf(a->y_name[a->p++], sizeof a->y_name[0], "g%d", k + 1);
    }
}

/* q' = v,  M v' = -K q - D v - ... - G' lambda, or the same with a = v'. */
static void fill_mechanism(const problem *p, const net *w, const body *b,
                           part *a, dice *d)
{
    const bool with_a = p->family == STABILISED;
    const int n = b->n, v = n, force = with_a ? 2 * n : n;
    const double stiff = b->scale * b->rate * b->rate;
    int row = 0;

    a->n = with_a ? 3 * n : 2 * n;
    for (int i = 0; i < n; i++) {
        a->E[i][i] = 1.0;
        a->A[i][v + i] = -1.0;
        if (with_a) {
            a->E[v + i][v + i] = 1.0;
            a->A[v + i][force + i] = -1.0;
        }
        for (int j = 0; j < n; j++) {
            const double m = b->scale * b->inertia[i * n + j];
            if (with_a)
                a->A[force + i][force + j] = m;
            else
                a->E[v + i][v + j] = m;
        }
        a->A[force + i][i] = stiff * dice_between(d, 0.5, 2.0);
        a->A[force + i][v + i] = 0.2 * b->scale * b->rate;
        if (p->nonlinear && dice_flip(d))
            part_add_term(a, IN_FLOW, force + i, dice_flip(d) ? CUBE : SINE,
                          false, i, stiff * dice_between(d, 0.1, 0.5));
    }
    for (int k = 0; k < w->rows; k++) row += b->member[k];
    a->m = row;
    for (int k = 0, at = 0; k < w->rows; k++) {
        if (!b->member[k]) continue;
        for (int i = 0; i < n; i++) a->B[force + i][at] = -b->P[k][i];
        at++;
    }
    for (int level = 0; level < 3; level++) {
        static const char *const tail[] = { "", ".v", ".a" };
        if (p->family == POSITION && level != 0) continue;
        if (p->family == VELOCITY && level != 1) continue;
        for (int k = 0; k < w->rows; k++) {
            if (!b->member[k]) continue;
            for (int i = 0; i < n; i++) a->H[a->p][level * n + i] = b->P[k][i];
            snprintf(a->y_name[a->p++], sizeof a->y_name[0], "g%d%s", k + 1,
                     tail[level]);
        }
    }
}

/* ---- the exact solution -------------------------------------------------- */

static void row_of(const net *w, int k, double *row)
{
    int at = 0;

    for (int i = 0; i < w->bodies; i++)
        for (int j = 0; j < w->body[i].n; j++) row[at++] = w->body[i].P[k][j];
}

/* Coordinates z with sum P z = 0: z - W' (W W')^-1 W z. */
static bool project(const net *w, int count, course *z)
{
    double W[MOST_ROWS][MOST_PARTS * MOST_N];
    double square[MOST_ROWS * MOST_ROWS] = { 0.0 };
    double inverse[MOST_ROWS * MOST_ROWS];
    const int m = w->rows;

    for (int k = 0; k < m; k++) row_of(w, k, W[k]);
    for (int k = 0; k < m; k++)
        for (int l = 0; l < m; l++)
            for (int i = 0; i < count; i++)
                square[k * m + l] += W[k][i] * W[l][i];
    if (!dense_inverse(m, square, inverse)) return false;
    for (int b = 0; b < BASIS; b++) {
        double violation[MOST_ROWS] = { 0.0 };
        for (int k = 0; k < m; k++)
            for (int i = 0; i < count; i++) violation[k] += W[k][i] * z[i].c[b];
        for (int k = 0; k < m; k++)
            for (int l = 0; l < m; l++)
                for (int i = 0; i < count; i++)
                    z[i].c[b] -= W[k][i] * inverse[k * m + l] * violation[l];
    }
    return true;
}

static void put_solution(const problem *p, const body *b, part *a,
                         const course *z)
{
    for (int i = 0; i < b->n; i++) {
        a->x[i] = z[i];
        if (p->family == CIRCUIT) continue;
        a->x[b->n + i] = course_derivative(&p->basis, &a->x[i]);
        if (p->family != STABILISED) continue;
        a->x[2 * b->n + i] = course_derivative(&p->basis, &a->x[b->n + i]);
    }
    for (int k = 0; k < a->p; k++)
        for (int i = 0; i < a->n; i++)
            course_add(&a->y[k], a->H[k][i], &a->x[i]);
}

static bool draw_solution(problem *p, const net *w, dice *d, bool moving)
{
    course z[MOST_PARTS * MOST_N];
    int count = 0;

    for (int i = 0; i < w->bodies; i++) count += w->body[i].n;
    for (int i = 0; i < count; i++) z[i] = problem_course(d, 1.0);
    if (!moving && !project(w, count, z)) return false;
    for (int i = 0, at = 0; i < w->bodies; at += w->body[i++].n)
        put_solution(p, &w->body[i], &p->part[i], z + at);
    return true;
}

/* ---- joints -------------------------------------------------------------- */

/* Row k of part i is its input number ... */
static int place_of(const body *b, int k)
{
    int at = 0;

    for (int l = 0; l < k; l++) at += b->member[l];
    return at;
}

static void put_row(problem *p, const net *w, joint *j, int row, int k,
                    bool moving, dice *d)
{
    double mobility = 0.0;

    for (int i = 0; i < w->bodies; i++)
        mobility += w->body[i].R[k][k] / w->body[i].scale;
    j->lambda[row] = problem_course(d, 1.0 / mobility);
    snprintf(j->base[row], sizeof j->base[row], "g%d", k + 1);
    for (int i = 0; i < w->bodies; i++) {
        const body *b = &w->body[i];
        if (!b->member[k]) continue;
        p->part[i].u[place_of(b, k)] = j->lambda[row];
        for (int c = 0; moving && c < b->n; c++)
            course_add(&j->offset[row], b->P[k][c], &p->part[i].x[c]);
    }
}

static void put_joints(problem *p, const net *w, bool moving, dice *d)
{
    p->joints = w->hub ? 1 : w->rows;
    for (int n = 0; n < p->joints; n++) {
        joint *j = &p->joint[n];
        j->rows = w->hub ? w->rows : 1;
        j->owner = w->owner[n];
        j->basis = &p->basis;
        snprintf(j->name, sizeof j->name, "j%d", n + 1);
        for (int i = 0; i < w->bodies; i++) {
            if (!w->body[i].member[n]) continue;
            j->part[j->members] = i;
            j->output[j->members++] = place_of(&w->body[i], n);
        }
        for (int k = 0; k < j->rows; k++)
            put_row(p, w, j, k, w->hub ? k : n, moving, d);
    }
}

bool draw_network(problem *p, dice *d, double alpha)
{
    net w = { .bodies = p->parts };
    const bool moving = dice_flip(d), circuit = p->family == CIRCUIT;

    draw_joints(&w, d);
    for (int i = 0; i < w.bodies; i++) {
        w.body[i].rate =
            circuit ? dice_log(d, -1.0, 2.0) : dice_log(d, -0.5, 1.5);
        draw_inertia(&w.body[i], d);
        draw_rows(&w, &w.body[i], d);
        if (!find_mobility(&w, &w.body[i])) return false;
    }
    p->alpha = choose_scales(&w, p->order, alpha, d);
    if (!(fabs(log10(p->alpha / alpha)) < 0.3)) return false;
    for (int i = 0; i < w.bodies; i++) {
        if (circuit)
            fill_circuit(p, &w, &w.body[i], &p->part[i], d);
        else
            fill_mechanism(p, &w, &w.body[i], &p->part[i], d);
    }
    if (!draw_solution(p, &w, d, moving)) return false;
    put_joints(p, &w, moving, d);
    p->given = p->family != STABILISED;
    snprintf(p->note, sizeof p->note, "%d rows, %s%s", w.rows,
             w.hub ? "one joint" : "a tree of joints",
             moving ? ", moving" : "");
    return true;
}
