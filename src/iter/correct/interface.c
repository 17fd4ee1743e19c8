/* iter/correct/interface.c -- the late waveforms and the linearised sweep. */
#include "iter/correct/interface.h"
#include "la/dense.h"

#include <string.h>

typedef struct linear_unit {
    double *z;       /* p by m */
    double *du;      /* m */
    double *history; /* p */
    double *dy;      /* p: as read by others */
    double *made;    /* p: of the stage that is being done */
    int *late_at;    /* p: place among the late components, or -1 */
} linear_unit;

struct yk_interface {
    yk_plan_state *plan;
    int size;
    yk_late *late;
    linear_unit *unit;
    double *factor;  /* of I - S */
    double *inverse; /* of I - S */
    int *pivot;
    double *column;
};

static void unit_clear(linear_unit *u)
{
    YK_FREE(u->z, u->du, u->history, u->dy, u->made, u->late_at);
}

void yk_interface_free(yk_interface *f)
{
    if (!f) return;
    for (int i = 0; f->unit && i < f->plan->plan.units; i++)
        unit_clear(&f->unit[i]);
    YK_FREE(f->unit, f->late, f->factor, f->inverse, f->pivot, f->column, f);
}

static yoke_status unit_create(linear_unit *u, const yoke_propagator *p,
                               yoke_err *err)
{
    const size_t ins = (size_t)p->m, outs = (size_t)p->p;

    YK_TRY(yk_doubles(&u->z, ins * outs, err));
    YK_TRY(yk_doubles(&u->du, ins, err));
    YK_TRY(YK_DOUBLES(outs, err, &u->history, &u->dy, &u->made));
    return yk_ints(&u->late_at, outs, err);
}

static yoke_status number_late(yk_interface *f, yoke_err *err)
{
    const yk_plan *plan = &f->plan->plan;
    size_t room = 0;

    for (int i = 0; i < plan->units; i++)
        room += (size_t)plan->unit[i].propagator->p;
    YK_TRY(YK_NEW(&f->late, room, err));
    for (int i = 0; i < plan->units; i++)
        for (int c = 0; c < plan->unit[i].propagator->p; c++) {
            const bool late = f->plan->unit[i].late[c];
            f->unit[i].late_at[c] = late ? f->size : -1;
            if (late) f->late[f->size++] = (yk_late){ i, c };
        }
    return YOKE_OK;
}

static yoke_status build(yk_interface *f, yoke_err *err)
{
    const yk_plan *plan = &f->plan->plan;

    YK_TRY(YK_NEW(&f->unit, plan->units, err));
    for (int i = 0; i < plan->units; i++)
        YK_TRY(unit_create(&f->unit[i], plan->unit[i].propagator, err));
    YK_TRY(number_late(f, err));
    const size_t n = (size_t)f->size;
    YK_TRY(YK_DOUBLES(n * n, err, &f->factor, &f->inverse));
    YK_TRY(yk_ints(&f->pivot, n, err));
    return yk_doubles(&f->column, n, err);
}

yoke_status yk_interface_create(yk_interface **out, yk_plan_state *plan,
                                yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_interface *f = NULL;

    YK_TRY(YK_NEW(&f, 1, err));
    f->plan = plan;
    YK_GO(build(f, err));
    *out = f;
    f = NULL;
done:
    yk_interface_free(f);
    return status;
}

int yk_interface_size(const yk_interface *f, const yk_late **late)
{
    if (late) *late = f->late;
    return f->size;
}

bool yk_interface_can(const yk_interface *f)
{
    for (int i = 0; i < f->plan->plan.units; i++)
        if (!f->plan->plan.unit[i].propagator->ops->answer) return false;
    return true;
}

/* ---- one linear sweep -----------------------------------------------------
 */

static void solve_unit(yk_interface *f, int index)
{
    const yk_unit *unit = &f->plan->plan.unit[index];
    const int m = unit->propagator->m, p = unit->propagator->p;
    linear_unit *u = &f->unit[index];

    for (int j = 0; j < m; j++) u->du[j] = 0.0;
    for (int k = 0; k < unit->feeds; k++) {
        const yk_feed *feed = &unit->feed[k];
        if (feed->delayed) continue;
        u->du[feed->to] += feed->weight * f->unit[feed->unit].dy[feed->from];
    }
    for (int o = 0; o < p; o++) {
        u->made[o] = u->history[o];
        for (int j = 0; j < m; j++) u->made[o] += u->z[o * m + j] * u->du[j];
    }
}

/* F' at one point of the grid: from dw, and the histories, to out. */
static void sweep(yk_interface *f, const double *dw, double *out)
{
    const yk_plan *plan = &f->plan->plan;
    const yoke_schedule *s = plan->schedule;

    for (int i = 0; i < plan->units; i++)
        for (int c = 0; c < plan->unit[i].propagator->p; c++) {
            const int at = f->unit[i].late_at[c];
            f->unit[i].dy[c] = at >= 0 && dw ? dw[at] : 0.0;
        }
    for (int stage = 0; stage < s->stages; stage++) {
        for (int k = s->stage[stage]; k < s->stage[stage + 1]; k++)
            solve_unit(f, s->member[k]);
        for (int k = s->stage[stage]; k < s->stage[stage + 1]; k++) {
            linear_unit *u = &f->unit[s->member[k]];
            const int p = plan->unit[s->member[k]].propagator->p;
            for (int o = 0; o < p; o++) u->dy[o] = u->made[o];
        }
    }
    for (int l = 0; l < f->size; l++)
        out[l] = f->unit[f->late[l].unit].dy[f->late[l].component];
}

static void forget(yk_interface *f)
{
    for (int i = 0; i < f->plan->plan.units; i++)
        memset(f->unit[i].history, 0,
               (size_t)f->plan->plan.unit[i].propagator->p *
                   sizeof *f->unit[i].history);
}

/* I - S column by column, and its inverse. */
static yoke_status factor(yk_interface *f, const char *const *name,
                          yoke_err *err)
{
    const int n = f->size;
    int row = -1;

    forget(f);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) f->column[i] = i == j;
        sweep(f, f->column, f->column);
        for (int i = 0; i < n; i++)
            f->factor[i * n + j] = (i == j) - f->column[i];
    }
    if (!yk_all_finite(f->factor, n * n, &row))
        return yk_fail(err, YOKE_RETRY,
                       "the linearised sweep is not finite in the row of "
                       "\"%.300s\"",
                       name ? name[row / n] : "");
    const yoke_status status =
        yk_dense_factor(n, f->factor, f->pivot, &row, err);
    if (status > 0)
        return yk_fail(err, status,
                       "the linearised sweep has no unique fixed point: I - S "
                       "is singular in the row of \"%.300s\"",
                       name ? name[row] : "");
    if (status < 0) return status;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) f->column[i] = i == j;
        YK_TRY(yk_dense_solve(n, f->factor, f->pivot, 1, f->column, err));
        for (int i = 0; i < n; i++) f->inverse[i * n + j] = f->column[i];
    }
    return YOKE_OK;
}

/* At time t inside of the last sweep, at its end without `inside`. */
static yoke_status linearise(yk_interface *f, double t, bool inside, double h,
                             const char *const *name, yoke_err *err)
{
    for (int i = 0; i < f->plan->plan.units; i++) {
        const yk_unit_state *s = &f->plan->unit[i];
        const yoke_propagator *p = s->unit->propagator;
        double *u = inside ? f->unit[i].du : NULL;
        if (inside && p->m > 0 && yoke_wave_pieces(s->u_last) > 0)
            yoke_wave_eval_right(s->u_last, t, NULL, u);
        const yoke_status status = p->ops->answer->linearise(
            p->self, inside ? t : 0.0, u, h, f->unit[i].z, err);
        if (status != YOKE_OK) yk_prefix(err, "\"%.100s\"", s->unit->name);
        YK_TRY(status);
    }
    return factor(f, name, err);
}

yoke_status yk_interface_linearise(yk_interface *f, double h,
                                   const char *const *name, yoke_err *err)
{
    return linearise(f, 0.0, false, h, name, err);
}

yoke_status yk_interface_linearise_at(yk_interface *f, double t, double h,
                                      const char *const *name, yoke_err *err)
{
    return linearise(f, t, true, h, name, err);
}

const double *yk_interface_inverse(const yk_interface *f)
{
    return f->inverse;
}

/* ---- march ----------------------------------------------------------------
 */

static yoke_status histories(yk_interface *f, yoke_err *err)
{
    for (int i = 0; i < f->plan->plan.units; i++) {
        const yoke_propagator *p = f->plan->plan.unit[i].propagator;
        YK_TRY(p->ops->answer->history(p->self, f->unit[i].history, err));
    }
    return YOKE_OK;
}

static void follow(yk_interface *f)
{
    for (int i = 0; i < f->plan->plan.units; i++) {
        const yoke_propagator *p = f->plan->plan.unit[i].propagator;
        p->ops->answer->follow(p->self, f->unit[i].du);
    }
}

/* One point; its units have their histories. */
static yoke_status march_point(yk_interface *f, const double *r, double *dw,
                               double *smooth, yoke_err *err)
{
    const int n = f->size;

    sweep(f, NULL, smooth);
    for (int l = 0; l < n; l++) dw[l] = r[l] + smooth[l];
    YK_TRY(yk_dense_solve(n, f->factor, f->pivot, 1, dw, err));
    YK_TRY(yk_dense_solve(n, f->factor, f->pivot, 1, smooth, err));
    sweep(f, dw, f->column);
    return YOKE_OK;
}

yoke_status yk_interface_march(yk_interface *f, int count, const double *r,
                               double *dw, double *smooth, yoke_err *err)
{
    for (int i = 0; i < f->plan->plan.units; i++) {
        const yoke_propagator *p = f->plan->plan.unit[i].propagator;
        p->ops->answer->begin(p->self);
    }
    forget(f);
    for (int k = 0; k < count; k++) {
        const int at = k * f->size;
        if (k > 0) YK_TRY(histories(f, err));
        YK_TRY(march_point(f, r + at, dw + at, smooth + at, err));
        if (k > 0) follow(f);
    }
    return YOKE_OK;
}
