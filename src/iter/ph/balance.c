/* iter/ph/balance.c -- where the energy of a window went.
 *
 *     H = x'Q'E x / 2,    dH/dt = - (Qx)'R(Qx) + v'F'Qx + r'G'Qx
 *
 * Between two grid points only e = E x is known.  Since E'Q is symmetric, H is
 * the same for every x with E x = e.  Such an x is found with E whose empty
 * rows and columns get a one on the diagonal.
 */
#include "iter/ph/window.h"
#include "iter/policy.h"
#include "base/vector.h"

#include <math.h>
#include <string.h>

typedef struct stored {
    yk_sparse E;
    yk_lu *lu; /* NULL: no x can be found, the energy is that of the integrals
                */
} stored;

struct yk_energy {
    const yk_ph_net *net;
    stored *block;
    double *x, *v, *f; /* of all blocks */
    yk_balance *part;  /* of each block */
    double *price;
    double last; /* stored energy, where it is only summed up */
    bool begun;
};

void yk_energy_free(yk_energy *e)
{
    if (!e) return;
    for (int i = 0; e->block && i < e->net->blocks; i++) {
        yk_sparse_clear(&e->block[i].E);
        yk_lu_free(e->block[i].lu);
    }
    YK_FREE(e->block, e->x, e->v, e->f, e->part, e->price, e);
}

static yoke_status fill(const yk_ph_block *b, stored *s, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_triplets t = { 0 };
    bool *row = NULL, *col = NULL;
    const yoke_pattern *p = b->E.pattern;
    yoke_err why = { YOKE_OK, "" };

    YK_GO(YK_NEW(&row, b->n, err));
    YK_GO(YK_NEW(&col, b->n, err));
    for (int j = 0; j < b->n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (b->E.value[k] != 0.0) row[p->row[k]] = col[j] = true;
    YK_GO(yk_triplets_add_matrix(&t, 1.0, p, b->E.value, 0, 0, err));
    for (int i = 0; i < b->n; i++)
        if (!row[i] && !col[i]) YK_GO(yk_triplets_add(&t, i, i, 1.0, err));
    YK_GO(yk_sparse_create(&s->E, b->n, b->n, &t, err));
    YK_GO(yk_lu_create(&s->lu, s->E.pattern, false, err));
    status = yk_lu_factor(s->lu, s->E.value, NULL, &why);
    if (status == YOKE_RETRY) {
        yk_lu_free(s->lu);
        s->lu = NULL;
        status = YOKE_OK;
    } else if (status != YOKE_OK && err) {
        *err = why;
    }
done:
    YK_FREE(row, col);
    yk_triplets_clear(&t);
    return status;
}

yoke_status yk_energy_create(yk_energy **out, const yk_ph_net *net,
                             yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_energy *e = NULL;

    YK_GO(YK_NEW(&e, 1, err));
    e->net = net;
    YK_GO(YK_NEW(&e->block, net->blocks + 1, err));
    for (int i = 0; i < net->blocks; i++)
        YK_GO(fill(&net->block[i], &e->block[i], err));
    YK_GO(YK_DOUBLES((size_t)net->n + 1, err, &e->x, &e->v, &e->f));
    YK_GO(yk_doubles(&e->price, (size_t)net->blocks + 1, err));
    YK_GO(YK_NEW(&e->part, net->blocks + 1, err));
    *out = e;
    return YOKE_OK;
done:
    yk_energy_free(e);
    return status;
}

/* NAN: not to be had from e. */
static yoke_status stored_energy(yk_energy *s, int i, const double *e,
                                 double *sum, yoke_err *err)
{
    const yk_ph_block *b = &s->net->block[i];
    double *const x = s->x + s->net->first[i], *const v =
                                                   s->v + s->net->first[i];

    if (!s->block[i].lu) {
        *sum = NAN;
        return YOKE_OK;
    }
    memcpy(x, e, (size_t)b->n * sizeof *e);
    YK_TRY(yk_lu_solve(s->block[i].lu, x, err));
    memset(v, 0, (size_t)b->n * sizeof *v);
    yk_sparse_multiply(&b->Q, 1.0, x, v);
    *sum = 0.5 * yk_dot(b->n, v, e);
    return YOKE_OK;
}

yoke_status yk_energy_state(yk_energy *s, int i, const double *e, double *x,
                            yoke_err *err)
{
    const yk_ph_block *b = &s->net->block[i];
    const yoke_pattern *p = b->E.pattern;

    if (!s->block[i].lu) return YOKE_OK;
    double *const solved = s->x + s->net->first[i];
    memcpy(solved, e, (size_t)b->n * sizeof *e);
    YK_TRY(yk_lu_solve(s->block[i].lu, solved, err));
    for (int j = 0; j < b->n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (b->E.value[k] != 0.0) x[j] = solved[j];
    return YOKE_OK;
}

static void integrate(yk_energy *s, const yk_window *w, int i, yk_balance *out)
{
    const yk_ph_block *b = &w->net->block[i];
    const int stages = w->rk->stages;
    double *const v = s->v + w->net->first[i], *const f =
                                                   s->f + w->net->first[i];

    for (int k = 0; k < w->points; k++) {
        const double *X = w->X[i] + (size_t)k * (size_t)b->n;
        const double weight = w->h * w->rk->b[k % stages];
        memset(v, 0, (size_t)b->n * sizeof *v);
        memset(f, 0, (size_t)b->n * sizeof *f);
        yk_sparse_multiply(&b->Q, 1.0, X, v);
        yk_sparse_multiply(&b->RQ, 1.0, X, f);
        out->dissipated += weight * yk_dot(b->n, v, f);
        memset(f, 0, (size_t)b->n * sizeof *f);
        yk_window_drive(w, i, k, f);
        out->supplied += weight * yk_dot(b->n, v, f);
    }
}

typedef struct energies {
    yk_energy *s;
    const yk_window *w;
} energies;

static yoke_status of_block(void *context, int i, yoke_err *err)
{
    const energies *all = context;
    const yk_window *w = all->w;
    const int at = w->net->first[i];
    yk_balance *out = &all->s->part[i];

    *out = (yk_balance){ 0 };
    YK_TRY(stored_energy(all->s, i, w->e0 + at, &out->start, err));
    YK_TRY(stored_energy(all->s, i, w->e1 + at, &out->end, err));
    integrate(all->s, w, i, out);
    return YOKE_OK;
}

/* The blocks at once, their sums in their order. */
static yoke_status of_blocks(yk_energy *s, const yk_window *w, yoke_err *err)
{
    energies all = { s, w };
    const yk_batch batch = { .count = w->net->blocks,
                             .job = of_block,
                             .context = &all,
                             .price = s->price };

    for (int i = 0; i < w->net->blocks; i++)
        s->price[i] = YK_ITER_PH_ENERGY * w->points * w->net->block[i].n;
    return w->executor ? w->executor->ops->run(w->executor->self, &batch, err)
                       : yk_batch_in_order(&batch, err);
}

yoke_status yk_energy_window(yk_energy *s, const yk_window *w, yk_balance *out,
                             yoke_err *err)
{
    *out = (yk_balance){ 0 };
    YK_TRY(of_blocks(s, w, err));
    for (int i = 0; i < w->net->blocks; i++) {
        out->start += s->part[i].start;
        out->end += s->part[i].end;
        out->dissipated += s->part[i].dissipated;
        out->supplied += s->part[i].supplied;
    }
    if (isnan(out->end)) {
        out->start = s->begun ? s->last : 0.0;
        out->end = out->start - out->dissipated + out->supplied;
    }
    s->begun = true;
    s->last = out->end;
    out->defect = out->end - out->start + out->dissipated - out->supplied;
    return YOKE_OK;
}
