/* sys/compose_initial.c -- initial equations of a composite: those of its
 * members, coupled like the members.
 */
#include "sys/compose.h"

/* The system to be solved for member i: its initial equations by this choice,
 * or by the last one it has; NULL: the member itself will do.  place[n]. */
static yoke_status stand_in(const composite *c, int i, double t, int choice,
                            yoke_system **out, int *place, bool *chosen,
                            yoke_err *err)
{
    const yoke_system *s = c->member[i].system;

    for (int k = 0; k < s->info.n; k++) place[k] = k;
    for (int k = choice; s->info.initial && k >= 0 && !*out; k--) {
        YK_TRY(s->info.initial->create(s->self, t, k, out, place, err));
        if (*out && k == choice) *chosen = true;
    }
    return YOKE_OK;
}

/* The composite again, of other members. */
static yoke_status couple(const composite *c, yoke_system *const *by,
                          yoke_system **out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int(*open)[2] = NULL;

    YK_GO(YK_NEW(&open, c->opens, err));
    for (int i = 0; i < c->members; i++)
        for (int k = 0; k < c->member[i].system->info.m; k++) {
            const int at = c->open_at[c->member[i].u + k];
            if (at < 0) continue;
            open[at][0] = i;
            open[at][1] = k;
        }
    const yoke_composition parts = {
        .members = c->members,
        .links = c->links,
        .opens = c->opens,
        .outs = c->outs,
        .member = by,
        .link = c->link,
        .open = (const int(*)[2])open,
        .out = (const int(*)[2])c->out,
    };
    YK_GO(yoke_compose(out, c->name, &parts, err));
done:
    yk_free(open);
    return status;
}

/* Unknowns of the members first, then the inputs that are kept. */
static void shift_places(const composite *c, yoke_system *const *by, int *place)
{
    int first = 0;

    for (int i = 0; i < c->members; i++) {
        for (int k = 0; k < c->member[i].system->info.n; k++)
            place[c->member[i].x + k] += first;
        first += by[i]->info.n;
    }
    for (int k = 0; k < c->kept; k++) place[c->base + k] = first + k;
}

static yoke_status create(void *self, double t, int choice, yoke_system **out,
                          int *place, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const composite *c = self;
    yoke_system **own = NULL, **by = NULL, *made = NULL;
    bool chosen = false;

    YK_GO(YK_NEW(&own, c->members, err));
    YK_GO(YK_NEW(&by, c->members, err));
    for (int i = 0; i < c->members; i++) {
        YK_GO(stand_in(c, i, t, choice, &own[i], place + c->member[i].x,
                       &chosen, err));
        by[i] = own[i] ? own[i] : c->member[i].system;
    }
    if (!chosen) goto done;
    YK_GO(couple(c, by, &made, err));
    shift_places(c, by, place);
    made->part = own;
    made->parts = c->members;
    own = NULL;
    *out = made;
done:
    for (int i = 0; own && i < c->members; i++) yoke_system_free(own[i]);
    YK_FREE(own, by);
    return status;
}

static yoke_status accept(void *self, double t, double *x, const double *v,
                          yoke_err *err)
{
    composite *c = self;

    YK_TRY(yk_composite_gather(c, t, x, v, err));
    for (int i = 0; i < c->members; i++) {
        const member *m = &c->member[i];
        if (!m->system->info.initial) continue;
        const yoke_status status = m->system->info.initial->accept(
            m->system->self, t, x ? x + m->x : NULL, c->u + m->u, err);
        if (status == YOKE_OK) continue;
        yk_prefix(err, "subsystem \"%s\"", m->system->name);
        return status;
    }
    return YOKE_OK;
}

static bool required(void *self)
{
    const composite *c = self;

    for (int i = 0; i < c->members; i++) {
        const yoke_system *s = c->member[i].system;
        if (s->info.initial && s->info.initial->required(s->self)) return true;
    }
    return false;
}

const yoke_initial_ops yk_composite_initial_ops = {
    .create = create,
    .accept = accept,
    .required = required,
};
