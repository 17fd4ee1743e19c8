/* step/answer.c -- the linearised answer of a driven system to its inputs. */
#include "step/drive.h"

#include <string.h>

/* The unknowns at time t of the last sweep: those of its trace, or on the line
 * from its start to its end. */
static const double *unknowns_at(yk_driver *d, double t)
{
    const yk_problem *p = &d->p;
    const yk_step_point *k = &d->kept;

    if (t >= p->t) return p->x;
    if (d->trace && yk_wave_pieces(d->trace) > 0)
        yk_wave_eval_right(d->trace, t, NULL, d->x_inside);
    else
        for (int i = 0; i < p->n; i++)
            d->x_inside[i] =
                k->x[i] + (p->x[i] - k->x[i]) * (t - k->t) / (p->t - k->t);
    return d->x_inside;
}

static yoke_status answer_linearise(void *self, double t, const double *u,
                                    double h, double *z, yoke_err *err)
{
    yk_driver *d = self;
    yk_problem *p = &d->p;
    const bool end = u == NULL;

    if (!d->response) {
        YK_TRY(yk_doubles(&d->x_inside, (size_t)p->n + 1, err));
        YK_TRY(yk_response_create(&d->response, p->system, err));
    }
    YK_TRY(yk_response_linearise(d->response, end ? p->t : t,
                                 end ? p->x : unknowns_at(d, t), end ? p->u : u,
                                 err));
    p->work.jacobians += !p->affine;
    if (!yk_response_ready(d->response, 1.5 / h)) {
        p->work.factorizations++;
        p->work.solves += p->m;
    }
    YK_TRY(yk_response_factor(d->response, 1.5 / h, err));
    memcpy(z, yk_response_matrix(d->response),
           (size_t)p->p * (size_t)p->m * sizeof *z);
    return YOKE_OK;
}

static void answer_begin(void *self)
{
    yk_response_begin(((yk_driver *)self)->response);
}

static yoke_status answer_history(void *self, double *dy, yoke_err *err)
{
    yk_driver *d = self;

    d->p.work.solves++;
    return yk_response_history(d->response, dy, err);
}

static void answer_follow(void *self, const double *du)
{
    yk_response_follow(((yk_driver *)self)->response, du);
}

const yk_answer_ops yk_drive_answer = {
    .linearise = answer_linearise,
    .begin = answer_begin,
    .history = answer_history,
    .follow = answer_follow,
};
