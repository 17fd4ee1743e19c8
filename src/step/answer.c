/* step/answer.c -- the linearised answer of a driven system to its inputs. */
#include "step/drive.h"

#include <string.h>

/* The system is affine and its matrix for this h is already factored. */
static yoke_status answer_linearise(void *self, double h, double *z,
                                    yoke_err *err)
{
    yk_driver *d = self;
    yk_problem *p = &d->p;

    if (!d->response) YK_TRY(yk_response_create(&d->response, p->system, err));
    YK_TRY(yk_response_linearise(d->response, p->t, p->x, p->u, err));
    YK_TRY(yk_response_factor(d->response, 1.5 / h, err));
    p->work.jacobians += !p->affine;
    p->work.factorizations++;
    p->work.solves += p->m;
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

const yoke_answer_ops yk_drive_answer = {
    .linearise = answer_linearise,
    .begin = answer_begin,
    .history = answer_history,
    .follow = answer_follow,
};
