/* sys/difference.c -- Jacobians by coloured finite differences.
 *
 * Columns that share no row are perturbed together (Curtis, Powell, Reid 1974),
 * so the number of evaluations is the number of colours, not of columns.
 * Forward differences with delta = sqrt(eps) max(|v|, size of v): the error is
 * about sqrt(eps) relative, enough for Newton's matrix.  Where the callback
 * refuses the moved point the difference is taken backwards.
 */
#include "sys/system.h"

#include <float.h>
#include <math.h>

typedef struct colouring {
    yoke_pattern *both; /* union of the two patterns differenced together */
    int *colour;
    int colours;
} colouring;

struct yk_difference {
    colouring state;      /* C and G by x */
    colouring input;      /* Cu and Gu by u */
    colouring state_out;  /* Hx by x */
    colouring input_out;  /* Hu by u */
    double *x, *u;        /* perturbed arguments */
    double *delta;        /* of each argument, n or m */
    double *base, *moved; /* results: q then f, or y */
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
    YK_FREE(d->x, d->u, d->delta, d->base, d->moved, d);
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
    YK_GO(yk_doubles(&d->x, n, err));
    YK_GO(yk_doubles(&d->u, m, err));
    YK_GO(yk_doubles(&d->delta, n > m ? n : m, err));
    YK_GO(YK_DOUBLES(results, err, &d->base, &d->moved));
    *out = d;
    d = NULL;
done:
    yk_difference_free(d);
    return status;
}

/* One family of columns: arguments v[cols] (inside x or u), results either
 * (q, f) or y. */
typedef struct family {
    const colouring *c;
    double *v;             /* d->x or d->u */
    const double *nominal; /* NULL: one */
    const yoke_pattern *first, *second;
    double *first_value, *second_value; /* NULL: not wanted */
    bool output;
} family;

static yoke_status results(yk_difference *d, yoke_system *s, double t,
                           bool output, double *r, yoke_err *err)
{
    if (output) return yoke_system_output(s, t, d->x, d->u, r, err);
    return yoke_system_eval(s, t, d->x, d->u, r, r + s->info.n, err);
}

static void take_column(const yoke_pattern *p, double *value, int j,
                        const double *base, const double *moved, double delta)
{
    if (!value) return;
    for (int k = p->start[j]; k < p->start[j + 1]; k++)
        value[k] = (moved[p->row[k]] - base[p->row[k]]) / delta;
}

static void perturb(yk_difference *d, const family *f, int colour, double sign)
{
    for (int j = 0; j < f->c->both->cols; j++) {
        if (f->c->colour[j] != colour) continue;
        const double size = f->nominal ? f->nominal[j] : 1.0;
        const double v = f->v[j];
        const double moved = v + sign * sqrt(DBL_EPSILON) * fmax(fabs(v), size);
        d->delta[j] = moved - v; /* exactly representable */
        f->v[j] = moved;
    }
}

static void restore(const family *f, int colour, const double *original)
{
    for (int j = 0; j < f->c->both->cols; j++)
        if (f->c->colour[j] == colour) f->v[j] = original[j];
}

static void take_colour(const yk_difference *d, const family *f, int colour,
                        int n)
{
    for (int j = 0; j < f->c->both->cols; j++) {
        if (f->c->colour[j] != colour) continue;
        take_column(f->first, f->first_value, j, d->base, d->moved,
                    d->delta[j]);
        if (f->second)
            take_column(f->second, f->second_value, j, d->base + n,
                        d->moved + n, d->delta[j]);
    }
}

static yoke_status family_jacobian(yk_difference *d, yoke_system *s, double t,
                                   const family *f, const double *original,
                                   yoke_err *err)
{
    const int n = s->info.n;

    if (yoke_pattern_count(f->c->both) == 0) return YOKE_OK;
    YK_TRY(results(d, s, t, f->output, d->base, err));
    for (int c = 0; c < f->c->colours; c++) {
        perturb(d, f, c, 1.0);
        yoke_status status = results(d, s, t, f->output, d->moved, err);
        if (status == YOKE_RETRY) { /* the edge of the domain */
            restore(f, c, original);
            perturb(d, f, c, -1.0);
            status = results(d, s, t, f->output, d->moved, err);
        }
        restore(f, c, original);
        if (status != YOKE_OK) return status;
        take_colour(d, f, c, n);
    }
    return YOKE_OK;
}

yoke_status yk_difference_jacobian(yk_difference *d, yoke_system *s, double t,
                                   const double *x, const double *u,
                                   const yoke_jacobian *jac, yoke_err *err)
{
    const yoke_system_info *info = &s->info;
    const family state = { &d->state, d->x,   info->nominal, info->C,
                           info->G,   jac->C, jac->G,        false };
    const family input = { &d->input, d->u,    NULL,    info->Cu,
                           info->Gu,  jac->Cu, jac->Gu, false };
    const family state_out = { &d->state_out, d->x,    info->nominal, info->Hx,
                               NULL,          jac->Hx, NULL,          true };
    const family input_out = { &d->input_out, d->u,    NULL, info->Hu,
                               NULL,          jac->Hu, NULL, true };

    for (int i = 0; i < info->n; i++) d->x[i] = x[i];
    for (int i = 0; i < info->m; i++) d->u[i] = u[i];
    if (jac->C || jac->G) YK_TRY(family_jacobian(d, s, t, &state, x, err));
    if (jac->Cu || jac->Gu) YK_TRY(family_jacobian(d, s, t, &input, u, err));
    if (jac->Hx) YK_TRY(family_jacobian(d, s, t, &state_out, x, err));
    if (jac->Hu) YK_TRY(family_jacobian(d, s, t, &input_out, u, err));
    return YOKE_OK;
}
