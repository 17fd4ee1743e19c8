/* sys/difference.c -- Jacobians by coloured finite differences.
 *
 * Columns that share no row are perturbed together (Curtis, Powell, Reid 1974),
 * so the number of evaluations is the number of colours, not of columns.
 * Forward differences with delta = sqrt(eps) max(|v|, size of v): the error is
 * about sqrt(eps) relative, enough for Newton's matrix.  Where the callback
 * refuses the moved point the difference is taken backwards.
 *
 * Colours of a system that is YOKE_REENTRANT are computed at once, by lanes: each
 * has arguments and results of its own and a range of colours, and writes columns
 * that no other writes.  A colour is computed in the same way by any lane, and of
 * two failures that of the lower colour is told, so nothing depends on threads.
 */
#include "sys/system.h"

#include "base/crew.h"

#include <float.h>
#include <math.h>

typedef struct colouring {
    yoke_pattern *both; /* union of the two patterns differenced together */
    int *colour;
    int colours;
} colouring;

/* More threads than these find no work in one system.  A lane costs four vectors. */
enum { LANES = 16 };

typedef struct lane {
    double *x, *u; /* perturbed arguments */
    double *delta; /* of each argument, n or m */
    double *moved; /* results: q then f, or y */
} lane;

struct yk_difference {
    colouring state;     /* C and G by x */
    colouring input;     /* Cu and Gu by u */
    colouring state_out; /* Hx by x */
    colouring input_out; /* Hu by u */
    lane lane[LANES];
    int lanes;    /* 1: calls never overlap */
    double *base; /* results at the point itself */
};

static void colouring_clear(colouring *c)
{
    yoke_pattern_free(c->both);
    yk_free(c->colour);
}

static yoke_status colouring_create(colouring *c, const yoke_pattern *a,
                                    const yoke_pattern *b, yoke_err *err)
{
    if (b)
        YK_TRY(yk_pattern_union(&c->both, a, b, NULL, NULL, err));
    else
        YK_TRY(yk_pattern_copy(&c->both, a, err));
    YK_TRY(yk_ints(&c->colour, (size_t)a->cols, err));
    return yk_pattern_colour(c->both, c->colour, &c->colours, err);
}

void yk_difference_free(yk_difference *d)
{
    if (!d) return;
    colouring_clear(&d->state);
    colouring_clear(&d->input);
    colouring_clear(&d->state_out);
    colouring_clear(&d->input_out);
    for (int k = 0; k < LANES; k++)
        YK_FREE(d->lane[k].x, d->lane[k].u, d->lane[k].delta, d->lane[k].moved);
    YK_FREE(d->base, d);
}

yoke_status yk_difference_create(yk_difference **out, const yoke_system *s,
                                 yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_difference *d = NULL;
    const yoke_system_info *info = &s->info;
    const size_t n = (size_t)info->n, m = (size_t)info->m, p = (size_t)info->p;
    const size_t results = 2 * n > p ? 2 * n : p;

    YK_TRY(YK_NEW(&d, 1, err));
    YK_GO(colouring_create(&d->state, info->C, info->G, err));
    YK_GO(colouring_create(&d->input, info->Cu, info->Gu, err));
    YK_GO(colouring_create(&d->state_out, info->Hx, NULL, err));
    YK_GO(colouring_create(&d->input_out, info->Hu, NULL, err));
    d->lanes = info->flags & YOKE_REENTRANT ? LANES : 1;
    for (int k = 0; k < d->lanes; k++) {
        lane *l = &d->lane[k];
        YK_GO(yk_doubles(&l->x, n, err));
        YK_GO(yk_doubles(&l->u, m, err));
        YK_GO(yk_doubles(&l->delta, n > m ? n : m, err));
        YK_GO(yk_doubles(&l->moved, results, err));
    }
    YK_GO(yk_doubles(&d->base, results, err));
    *out = d;
    d = NULL;
done:
    yk_difference_free(d);
    return status;
}

/* One family of columns: arguments v[cols] (x or u), results either (q, f) or
 * y. */
typedef struct family {
    const colouring *c;
    bool by_x;
    const double *nominal; /* NULL: one */
    const yoke_pattern *first, *second;
    double *first_value, *second_value; /* NULL: not wanted */
    bool output;
} family;

static yoke_status results(const lane *l, yoke_system *s, double t, bool output,
                           double *r, yoke_err *err)
{
    if (output) return yoke_system_output(s, t, l->x, l->u, r, err);
    return yoke_system_eval(s, t, l->x, l->u, r, r + s->info.n, err);
}

static void take_column(const yoke_pattern *p, double *value, int j,
                        const double *base, const double *moved, double delta)
{
    if (!value) return;
    for (int k = p->start[j]; k < p->start[j + 1]; k++)
        value[k] = (moved[p->row[k]] - base[p->row[k]]) / delta;
}

static void perturb(const lane *l, const family *f, int colour, double sign)
{
    double *argument = f->by_x ? l->x : l->u;

    for (int j = 0; j < f->c->both->cols; j++) {
        if (f->c->colour[j] != colour) continue;
        const double size = f->nominal ? f->nominal[j] : 1.0;
        const double v = argument[j];
        const double moved = v + sign * sqrt(DBL_EPSILON) * fmax(fabs(v), size);
        l->delta[j] = moved - v; /* exactly representable */
        argument[j] = moved;
    }
}

static void restore(const lane *l, const family *f, int colour,
                    const double *original)
{
    double *argument = f->by_x ? l->x : l->u;

    for (int j = 0; j < f->c->both->cols; j++)
        if (f->c->colour[j] == colour) argument[j] = original[j];
}

static void take_colour(const lane *l, const double *base, const family *f,
                        int colour, int n)
{
    for (int j = 0; j < f->c->both->cols; j++) {
        if (f->c->colour[j] != colour) continue;
        take_column(f->first, f->first_value, j, base, l->moved, l->delta[j]);
        if (f->second)
            take_column(f->second, f->second_value, j, base + n, l->moved + n,
                        l->delta[j]);
    }
}

/* The point at which all columns of a call are. */
typedef struct point {
    yk_difference *d;
    yoke_system *s;
    double t;
    const double *x, *u;
    const family *f;
    int lanes; /* of this family */
} point;

static yoke_status one_colour(const point *p, const lane *l, int colour,
                              yoke_err *err)
{
    const family *f = p->f;
    const double *original = f->by_x ? p->x : p->u;

    perturb(l, f, colour, 1.0);
    yoke_status status = results(l, p->s, p->t, f->output, l->moved, err);
    if (status == YOKE_RETRY) { /* the edge of the domain */
        restore(l, f, colour, original);
        perturb(l, f, colour, -1.0);
        status = results(l, p->s, p->t, f->output, l->moved, err);
    }
    restore(l, f, colour, original);
    if (status == YOKE_OK) take_colour(l, p->d->base, f, colour, p->s->info.n);
    return status;
}

static int first_colour(const point *p, int k)
{
    return (int)((long)k * p->f->c->colours / p->lanes);
}

static void go_there(const point *p, const lane *l)
{
    for (int i = 0; i < p->s->info.n; i++) l->x[i] = p->x[i];
    for (int i = 0; i < p->s->info.m; i++) l->u[i] = p->u[i];
}

static yoke_status run_lane(void *context, int k, yoke_err *err)
{
    const point *p = context;

    go_there(p, &p->d->lane[k]);
    for (int c = first_colour(p, k); c < first_colour(p, k + 1); c++)
        YK_TRY(one_colour(p, &p->d->lane[k], c, err));
    return YOKE_OK;
}

static yoke_status family_jacobian(point *p, const family *f, yoke_err *err)
{
    yk_difference *d = p->d;
    double price[LANES];

    if (yoke_pattern_count(f->c->both) == 0) return YOKE_OK;
    p->f = f;
    go_there(p, &d->lane[0]);
    YK_TRY(results(&d->lane[0], p->s, p->t, f->output, d->base, err));
    p->lanes = d->lanes < f->c->colours ? d->lanes : f->c->colours;
    for (int k = 0; k < p->lanes; k++) /* as of graph/cost.h: unknowns */
        price[k] = (first_colour(p, k + 1) - first_colour(p, k)) *
                   ((double)p->s->info.n + p->s->inside);
    const yk_parts parts = { p->lanes, run_lane, p, price };
    return yk_crew_run(&parts, err);
}

yoke_status yk_difference_jacobian(yk_difference *d, yoke_system *s, double t,
                                   const double *x, const double *u,
                                   const yoke_jacobian *jac, yoke_err *err)
{
    const yoke_system_info *info = &s->info;
    const family state = { &d->state, true,   info->nominal, info->C,
                           info->G,   jac->C, jac->G,        false };
    const family input = { &d->input, false,   NULL,    info->Cu,
                           info->Gu,  jac->Cu, jac->Gu, false };
    const family state_out = { &d->state_out, true,    info->nominal, info->Hx,
                               NULL,          jac->Hx, NULL,          true };
    const family input_out = { &d->input_out, false,   NULL, info->Hu,
                               NULL,          jac->Hu, NULL, true };
    point p = { .d = d, .s = s, .t = t, .x = x, .u = u };

    if (jac->C || jac->G) YK_TRY(family_jacobian(&p, &state, err));
    if (jac->Cu || jac->Gu) YK_TRY(family_jacobian(&p, &input, err));
    if (jac->Hx) YK_TRY(family_jacobian(&p, &state_out, err));
    if (jac->Hu) YK_TRY(family_jacobian(&p, &input_out, err));
    return YOKE_OK;
}
