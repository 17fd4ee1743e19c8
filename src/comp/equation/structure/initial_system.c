/* comp/equation/structure/initial_system.c -- the equations of the initial
 * values as a system of their own.
 *
 *     0 = F(t, z, u)      y = Hx x + Hu u + constants      z = (x, p)
 *
 * F are the equations of initial.h.  It has no charges; coupled to the others
 * like the model itself it gives initial values that hold together with what is
 * connected to the inputs.  What is held between events (relations, discrete
 * variables) is that of the model and follows the values in `settle`.
 */
#include "comp/equation/structure/initial.h"

#include "comp/equation/events/events.h"
#include "la/pattern.h"

#include <stdio.h>
#include <string.h>

typedef struct yk_start {
    yk_eq_initial *p;
    int cols; /* n + p */
    int *row; /* of each unknown that is kept: its equation; -1: solved for */
    double *keep;              /* cols */
    double *x_new;             /* cols */
    yoke_pattern *G, *Gu, *Hx; /* of the system */
    int *z_place, *u_place, *keep_place;
} yk_start;

/* ---- Callbacks ---------------------------------------------------------- */

static yoke_status eval(void *self, double t, const double *z, const double *u,
                        double *q, double *f, yoke_err *err)
{
    const yk_start *s = self;

    (void)err;
    if (q) memset(q, 0, (size_t)s->cols * sizeof *q);
    if (!f) return YOKE_OK;
    yk_eq_initial_set(s->p, z, u);
    yk_eq_initial_residual(s->p, t, z, f);
    for (int j = 0; j < s->cols; j++)
        if (s->row[j] >= 0) f[s->row[j]] = z[j] - s->keep[j];
    return YOKE_OK;
}

static yoke_status output(void *self, double t, const double *z,
                          const double *u, double *y, yoke_err *err)
{
    (void)t, (void)err;
    yk_layout_output(&((yk_start *)self)->p->s->layout, z, u, y);
    return YOKE_OK;
}

static yoke_status jacobian(void *self, double t, const double *z,
                            const double *u, const yoke_jacobian *jac,
                            yoke_err *err)
{
    const yk_start *s = self;
    const yk_layout *l = &s->p->s->layout;

    (void)err;
    yk_layout_copy(jac->Hx, l->Hx_value, l->Hx);
    yk_layout_copy(jac->Hu, l->Hu_value, l->Hu);
    if (!jac->G && !jac->Gu) return YOKE_OK;
    yk_eq_initial_set(s->p, z, u);
    yk_eq_initial_slopes(s->p, t);
    if (jac->Gu) yk_eq_initial_add(s->p, &s->p->of_u, s->u_place, jac->Gu);
    if (!jac->G) return YOKE_OK;
    yk_eq_initial_add(s->p, &s->p->of_z, s->z_place, jac->G);
    for (int j = 0; j < s->cols; j++)
        if (s->row[j] >= 0) jac->G[s->keep_place[j]] = 1.0;
    return YOKE_OK;
}

/* Nothing happens while initial values are looked for. */
static yoke_status indicate(void *self, double t, const double *z,
                            const double *u, double *g, yoke_err *err)
{
    const yk_start *s = self;

    (void)t, (void)z, (void)u, (void)err;
    for (int k = 0; k < yk_whens_count(s->p->s->events); k++) g[k] = -1.0;
    return YOKE_OK;
}

static yoke_status apply(void *self, double t, const double *z, const double *u,
                         const bool *happened, double *z_new, yoke_err *err)
{
    (void)self, (void)t, (void)z, (void)u, (void)happened, (void)z_new;
    (void)err;
    return YOKE_OK;
}

/* Discrete variables keep what their equations say instead of their start
 * values, and with them all unknowns what conditions with initial() will make
 * of them; those that are solved for stay. */
static yoke_status settle(void *self, double t, const double *z,
                          const double *u, double *z_new, bool *changed,
                          yoke_err *err)
{
    yk_start *s = self;
    yk_eq_initial *p = s->p;
    yk_whens *events = p->s->events;

    yk_eq_initial_set(p, z, u);
    const bool any =
        yk_relations_settle(yk_whens_relations(events), t, p->s->w);
    memcpy(s->x_new, z, (size_t)s->cols * sizeof *z);
    for (int j = 0; j < p->n; j++)
        if (s->row[j] >= 0) s->x_new[j] = p->before[j];
    yk_eq_initial_set(p, s->x_new, u);
    YK_TRY(yk_whens_settle(events, t, p->s->w, s->x_new, changed, err));
    for (int j = 0; j < p->n; j++)
        if (s->row[j] >= 0) p->before[j] = s->x_new[j];
    yk_eq_initial_set(p, s->x_new, u);
    YK_TRY(yk_whens_preview(events, t, p->s->w, s->x_new, err));
    *changed = any;
    for (int j = 0; j < p->n; j++) {
        if (s->row[j] < 0) continue;
        if (s->x_new[j] > z[j] || s->x_new[j] < z[j])
            *changed = p->ruled[j] = true;
        z_new[j] = s->keep[j] = s->x_new[j];
    }
    return YOKE_OK;
}

/* ---- Construction ------------------------------------------------------- */

static void start_free(void *self)
{
    yk_start *s = self;

    if (!s) return;
    YK_FREE(s->row, s->keep, s->x_new, s->z_place, s->u_place, s->keep_place);
    yoke_pattern_free(s->G);
    yoke_pattern_free(s->Gu);
    yoke_pattern_free(s->Hx);
    yk_free(s);
}

/* Kept unknowns get the rows behind the equations. */
static yoke_status number_kept(yk_start *s, bool respect_fixed, yoke_err *err)
{
    int next = s->p->rows;

    YK_TRY(yk_ints(&s->row, (size_t)s->cols, err));
    YK_TRY(yk_eq_initial_choose(s->p, respect_fixed, s->row, err));
    for (int j = 0; j < s->cols; j++) s->row[j] = s->row[j] < 0 ? next++ : -1;
    return YOKE_OK;
}

/* The pattern of the entries, and of those that are kept (row; may be NULL);
 * places of both. */
static yoke_status make_pattern(const yk_start *s, const yk_eq_entries *all,
                                int cols, const int *kept, yoke_pattern **out,
                                int **place, int **keep_place, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const size_t room = (size_t)all->count + (size_t)s->cols;
    int *row = NULL, *col = NULL, count = 0;

    YK_GO(YK_INTS(room, err, &row, &col));
    YK_GO(yk_ints(place, (size_t)all->count, err));
    for (; count < all->count; count++) {
        row[count] = all->at[count].row;
        col[count] = all->at[count].col;
    }
    for (int j = 0; kept && j < cols; j++)
        if (kept[j] >= 0) {
            row[count] = kept[j];
            col[count++] = j;
        }
    YK_GO(yoke_pattern_create(out, s->cols, cols, count, row, col, err));
    for (int k = 0; k < all->count; k++)
        (*place)[k] = yoke_pattern_find(*out, all->at[k].row, all->at[k].col);
    if (!kept) goto done;
    YK_GO(yk_ints(keep_place, (size_t)cols, err));
    for (int j = 0; j < cols; j++)
        (*keep_place)[j] =
            kept[j] < 0 ? -1 : yoke_pattern_find(*out, kept[j], j);
done:
    YK_FREE(row, col);
    return status;
}

/* Hx of the model, with columns for p. */
static yoke_status widen(yoke_pattern **out, const yoke_pattern *from, int cols,
                         yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const int count = yoke_pattern_count(from);
    int *col = NULL;

    YK_GO(yk_ints(&col, (size_t)count, err));
    for (int j = 0; j < from->cols; j++)
        for (int k = from->start[j]; k < from->start[j + 1]; k++) col[k] = j;
    YK_GO(
        yoke_pattern_create(out, from->rows, cols, count, from->row, col, err));
done:
    yk_free(col);
    return status;
}

static yoke_status start_create(yk_start **out, yk_eq_initial *p,
                                bool respect_fixed, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_layout *l = &p->s->layout;
    yk_start *s = NULL;

    YK_GO(YK_NEW(&s, 1, err));
    s->p = p;
    s->cols = p->n + p->p;
    YK_GO(number_kept(s, respect_fixed, err));
    YK_GO(yk_copy_doubles(&s->keep, p->start, (size_t)s->cols, err));
    YK_GO(yk_doubles(&s->x_new, (size_t)s->cols, err));
    YK_GO(make_pattern(s, &p->of_z, s->cols, s->row, &s->G, &s->z_place,
                       &s->keep_place, err));
    YK_GO(
        make_pattern(s, &p->of_u, l->m, NULL, &s->Gu, &s->u_place, NULL, err));
    YK_GO(widen(&s->Hx, l->Hx, s->cols, err));
    *out = s;
    s = NULL;
done:
    start_free(s);
    return status;
}

static const yoke_system_ops ops = {
    .kind = "initial equations",
    .eval = eval,
    .output = output,
    .jacobian = jacobian,
    .free = start_free,
};

static const yoke_event_ops event_ops = {
    .indicate = indicate,
    .apply = apply,
    .settle = settle,
};

/* Names of the equations: those of kept unknowns are made here. */
static yoke_status name_equations(const yk_start *s, char **kept,
                                  const char **name, yoke_err *err)
{
    const yk_eq_initial *p = s->p;
    char text[YK_NAME_SIZE + 32];

    for (int i = 0; i < p->rows; i++) name[i] = yk_eq_initial_row_name(p, i);
    for (int j = 0; j < s->cols; j++) {
        if (s->row[j] < 0) continue;
        snprintf(text, sizeof text, "start value of %.150s", p->z_name[j]);
        YK_TRY(yk_copy_text(&kept[j], text, err));
        name[s->row[j]] = kept[j];
    }
    return YOKE_OK;
}

static yoke_status make_system(yoke_system **out, yk_start *s, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_eq_initial *p = s->p;
    const yk_layout *l = &p->s->layout;
    const int events = yk_whens_count(p->s->events), cols = s->cols;
    const char **name = NULL;
    char **kept = NULL;

    YK_GO(YK_NEW(&name, cols, err));
    YK_GO(YK_NEW(&kept, cols, err));
    YK_GO(name_equations(s, kept, name, err));
    const yoke_system_info info = {
        .n = cols,
        .m = l->m,
        .p = l->p,
        .events = events,
        .event = events ? &event_ops : NULL,
        .x0 = p->start,
        .nominal = p->size,
        .x_name = (const char *const *)p->z_name,
        .eq_name = name,
        .G = s->G,
        .Gu = s->Gu,
        .Hx = s->Hx,
        .Hu = l->Hu,
    };
    yk_start *given = s;
    s = NULL;
    status = yoke_system_create(out, p->system, &ops, given, &info, err);
done:
    start_free(s);
    for (int j = 0; kept && j < cols; j++) yk_free(kept[j]);
    YK_FREE(kept, name);
    return status;
}

yoke_status yk_eq_initial_system(yoke_system **out, yk_eq_initial *p,
                                 bool respect_fixed, yoke_err *err)
{
    yk_start *s = NULL;

    YK_TRY(start_create(&s, p, respect_fixed, err));
    return make_system(out, s, err);
}

/* ---- What the model offers ---------------------------------------------- */

/* Alone it was solved at the time 0, without initial(). */
static yoke_status create(void *self, double t, int choice, yoke_system **out,
                          int *place, yoke_err *err)
{
    yk_eq_initial *p = ((yk_subsystem *)self)->initial;

    if (choice > 1 ||
        (p->s->layout.m == 0 && t == 0.0 && !yk_whens_wait(p->s->events)))
        return YOKE_OK;
    for (int j = 0; j < p->n; j++) {
        place[j] = j;
        p->ruled[j] = false;
        p->before[j] = p->start[j];
    }
    return yk_eq_initial_system(out, p, choice == 1, err);
}

/* The event of the start is still to come: it begins with the values before. */
static yoke_status accept(void *self, double t, double *x, const double *u,
                          yoke_err *err)
{
    yk_subsystem *s = self;
    yk_eq_initial *p = s->initial;

    YK_TRY(yk_eq_initial_check_fixed(p, x, err));
    yk_eq_initial_set_x(p, x, u);
    YK_TRY(yk_eq_initial_check_spare(p, t, err));
    for (int j = 0; j < p->n; j++)
        if (p->ruled[j]) x[j] = p->before[j];
    yk_subsystem_anchor(s, t, x, u);
    return YOKE_OK;
}

static bool required(void *self)
{
    return ((yk_subsystem *)self)->model.initial.count > 0;
}

const yoke_initial_ops yk_subsystem_initial_ops = {
    .create = create,
    .accept = accept,
    .required = required,
};
