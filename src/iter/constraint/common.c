/* iter/constraint/common.c -- what both kinds of constraints that stay apart have
 * in common: multipliers that are watched, given to others and accepted. */
#include "iter/constraint/constraint.h"

#include "sys/call.h"

#include <string.h>

static yoke_status common_create(yk_constraint_common *c,
                                 const yk_constraint_setup *setup,
                                 yoke_err *err)
{
    const size_t n = (size_t)yoke_system_facts(setup->cluster->system)->n;

    c->cluster = setup->cluster;
    c->count = (int)n;
    c->watches = setup->watches;
    YK_TRY(yk_copy_ints(&c->watch, setup->watch, (size_t)setup->watches, err));
    YK_TRY(YK_NEW(&c->term, (size_t)setup->watches + n + 1, err));
    YK_TRY(yk_wave_create(&c->watched, setup->watches, err));
    return yk_doubles(&c->end, 2 * n, err);
}

void yk_constraint_common_clear(yk_constraint_common *c)
{
    yk_wave_free(c->watched);
    YK_FREE(c->watch, c->term, c->end);
}

yoke_status yk_constraint_watch(yk_constraint_common *c, const yk_wave *y,
                                double t0, double t1, yoke_err *err)
{
    for (int k = 0; k < c->watches; k++)
        c->term[k] = (yk_wave_term){ y, c->watch[k], k, 1.0 };
    if (c->watches == 0) return YOKE_OK;
    return yk_wave_combine(c->watched, t0, t1, c->watches, c->term, err);
}

void yk_constraint_arrive(yk_constraint_common *c)
{
    memcpy(c->end, c->end + c->count, (size_t)c->count * sizeof *c->end);
}

const yk_wave *yk_constraint_watched(void *self)
{
    return ((const yk_constraint_common *)self)->watched;
}

double yk_constraint_next_break(void *self, double t)
{
    const yk_constraint_common *c = self;

    return yk_system_next_break(c->cluster->system, t);
}

/* It has no unknowns but what it puts out. */
double yk_constraint_moved(void *self)
{
    (void)self;
    return 0.0;
}

void yk_constraint_give(void *self, double *x)
{
    const yk_constraint_common *c = self;

    memcpy(x, c->end, (size_t)c->count * sizeof *x);
}

void yk_constraint_work(void *self, yoke_work *work)
{
    *work = ((const yk_constraint_common *)self)->work;
}

yoke_status yk_constraint_make(
    yk_propagator *out, const yk_propagator_ops *ops, size_t bytes,
    yoke_status (*build)(void *self, const yk_constraint_setup *setup,
                         yoke_err *err),
    const yk_constraint_setup *setup, yoke_err *err)
{
    const yoke_system_info *f = yoke_system_facts(setup->cluster->system);
    yoke_status status = YOKE_OK;
    void *self = NULL;

    YK_TRY(yk_alloc(&self, 1, bytes, err));
    YK_GO(common_create(self, setup, err));
    YK_GO(build(self, setup, err));
    *out =
        (yk_propagator){ ops, self, f->m + f->n, f->n, setup->watches, false };
    self = NULL;
done:
    ops->free(self);
    return status;
}
