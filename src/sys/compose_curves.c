/* sys/compose_curves.c -- curves of a composite: those of its members, along
 * their paths.
 *
 * The unknowns of a member are some of the whole.  An input of a member that is
 * no unknown of the whole is the sum of what feeds it, outputs of other members
 * along their paths; since inputs in circles are unknowns, that ends.
 */
#include "sys/compose.h"

#include <math.h>

typedef struct seen {
    const composite *c;
    const member *m;
    const yoke_path *whole;
} seen;

static void nothing(int order, double (*out)[2])
{
    for (int k = 0; k <= order; k++) {
        out[k][0] = -INFINITY;
        out[k][1] = INFINITY;
    }
}

static void member_path(void *self, int i, double from, double to, int order,
                        double (*out)[2]);

static void add_output(const seen *s, const yoke_link *link, double from,
                       double to, int order, double (*out)[2])
{
    const member *m = &s->c->member[link->from];
    const yoke_curves *told = m->system->info.curves;
    seen other = { s->c, m, s->whole };
    const yoke_path path = { member_path, &other };
    double value[YOKE_COURSE_ORDER + 1][2];
    const int low = link->weight < 0.0;

    if (link->weight == 0.0) return;
    if (told)
        told->output(told->self, link->output, &path, from, to, order, value);
    else
        nothing(order, value);
    for (int k = 0; k <= order; k++) {
        out[k][0] += link->weight * value[k][low];
        out[k][1] += link->weight * value[k][!low];
    }
}

static void member_path(void *self, int i, double from, double to, int order,
                        double (*out)[2])
{
    const seen *s = self;
    const composite *c = s->c;
    const yoke_path *whole = s->whole;
    const int n = s->m->system->info.n, k = s->m->u + i - n;
    int place = -1;

    if (i < n)
        place = s->m->x + i;
    else if (c->kept_at[k] >= 0)
        place = c->base + c->kept_at[k];
    else if (c->open_at[k] >= 0)
        place = c->n + c->open_at[k];
    for (int j = 0; place < 0 && j <= order; j++) out[j][0] = out[j][1] = 0.0;
    if (place >= 0) whole->enclose(whole->self, place, from, to, order, out);
    if (i < n || c->kept_at[k] >= 0) return;
    for (int l = c->link_start[k]; l < c->link_start[k + 1]; l++)
        add_output(s, &c->link[l], from, to, order, out);
}

static void composite_curve(void *self, int i, const yoke_path *path,
                            double from, double to, int order, double (*out)[2])
{
    const composite *c = self;
    int k = 0;

    while (k + 1 < c->members && i >= c->member[k + 1].curve) k++;
    const yoke_curves *told = c->member[k].system->info.curves;
    seen s = { c, &c->member[k], path };
    const yoke_path inner = { member_path, &s };
    told->enclose(told->self, i - c->member[k].curve, &inner, from, to, order,
                  out);
}

static void composite_out(void *self, int k, const yoke_path *path, double from,
                          double to, int order, double (*out)[2])
{
    const composite *c = self;
    const member *m = &c->member[c->out[k][0]];
    const yoke_curves *told = m->system->info.curves;
    seen s = { c, m, path };
    const yoke_path inner = { member_path, &s };

    if (told)
        told->output(told->self, c->out[k][1], &inner, from, to, order, out);
    else
        nothing(order, out);
}

static void composite_indicator(void *self, int i, const yoke_path *path,
                                double from, double to, int order,
                                double (*out)[2])
{
    const composite *c = self;
    int k = 0;

    while (k + 1 < c->members && i >= c->member[k + 1].event) k++;
    const yoke_curves *told = c->member[k].system->info.curves;
    seen s = { c, &c->member[k], path };
    const yoke_path inner = { member_path, &s };
    if (told && told->indicator)
        told->indicator(told->self, i - c->member[k].event, &inner, from, to,
                        order, out);
    else
        nothing(order, out);
}

const yoke_curves *yk_composite_curves(composite *c)
{
    int count = 0;
    bool any = false, shown = false;

    for (int i = 0; i < c->members; i++) {
        const yoke_curves *told = c->member[i].system->info.curves;
        c->member[i].curve = count;
        count += told ? told->count : 0;
        any = any || told;
        shown = shown || (told && told->shown);
    }
    c->curves =
        (yoke_curves){ .count = count,
                       .enclose = composite_curve,
                       .output = composite_out,
                       .self = c,
                       .indicator = c->events > 0 ? composite_indicator : NULL,
                       .shown = shown };
    return any ? &c->curves : NULL;
}
