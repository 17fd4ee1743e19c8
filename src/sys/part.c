/* sys/part.c -- some equations of a system with as many of its unknowns.
 *
 * The other unknowns that occur in these equations become inputs, so the charge
 * of a floating capacitor cut in two keeps its dependence on the far node.
 */
#include "sys/call.h"
#include "sys/system.h"
#include "yoke/compose.h"

typedef struct part {
    yoke_system *whole;
    int count;     /* unknowns and equations */
    int foreign;   /* unknowns of the whole that are inputs here */
    int *unknown;  /* count */
    int *equation; /* count */
    int *input;    /* foreign: unknown of the whole */
    int *place;    /* of each unknown of the whole: k >= 0 own, -1 - k input,
                      or UNUSED */
    double *x, *q, *f; /* of the whole */
    yoke_jacobian jac; /* of the whole */
    int *row;          /* of each equation of the whole: its place here or -1 */
    yoke_pattern *C, *G, *Cu, *Gu;
} part;

enum { UNUSED = -1000000000 };

static void part_free(void *self)
{
    part *p = self;

    if (!p) return;
    YK_FREE(p->unknown, p->equation, p->input, p->place, p->x, p->q, p->f,
            p->jac.C, p->row);
    yoke_pattern_free(p->C);
    yoke_pattern_free(p->G);
    yoke_pattern_free(p->Cu);
    yoke_pattern_free(p->Gu);
    yk_free(p);
}

static void scatter(const part *p, const double *x, const double *u)
{
    for (int k = 0; k < p->count; k++) p->x[p->unknown[k]] = x[k];
    for (int k = 0; k < p->foreign; k++) p->x[p->input[k]] = u[k];
}

static yoke_status part_eval(void *self, double t, const double *x,
                             const double *u, double *q, double *f,
                             yoke_err *err)
{
    part *p = self;

    scatter(p, x, u);
    YK_TRY(yk_system_eval_raw(p->whole, t, p->x, yk_at(u, p->foreign),
                              q ? p->q : NULL, f ? p->f : NULL, err));
    for (int k = 0; k < p->count; k++) {
        if (q) q[k] = p->q[p->equation[k]];
        if (f) f[k] = p->f[p->equation[k]];
    }
    return YOKE_OK;
}

/* Entries of the whole's matrix by x that belong to own unknowns (own) or to
 * foreign ones (other). */
static void pick_state(const part *p, const yoke_pattern *from,
                       const double *value, const yoke_pattern *own_pattern,
                       double *own, const yoke_pattern *other_pattern,
                       double *other)
{
    for (int j = 0; j < from->cols; j++)
        for (int k = from->start[j]; k < from->start[j + 1]; k++) {
            const int i = p->row[from->row[k]], place = p->place[j];
            if (i < 0 || place == UNUSED) continue;
            if (place >= 0) {
                if (own)
                    own[yoke_pattern_find(own_pattern, i, place)] = value[k];
            } else if (other)
                other[yoke_pattern_find(other_pattern, i, -1 - place)] =
                    value[k];
        }
}

static void pick_input(const part *p, const yoke_pattern *from,
                       const double *value, const yoke_pattern *pattern,
                       double *out)
{
    for (int j = 0; out && j < from->cols; j++)
        for (int k = from->start[j]; k < from->start[j + 1]; k++) {
            const int i = p->row[from->row[k]];
            if (i >= 0)
                out[yoke_pattern_find(pattern, i, p->foreign + j)] = value[k];
        }
}

static yoke_status part_jacobian(void *self, double t, const double *x,
                                 const double *u, const yoke_jacobian *jac,
                                 yoke_err *err)
{
    part *p = self;
    const yoke_system_info *whole = &p->whole->info;
    const yoke_jacobian wanted = { p->jac.C,  p->jac.G, p->jac.Cu,
                                   p->jac.Gu, NULL,     NULL };

    scatter(p, x, u);
    YK_TRY(yoke_system_jacobian(p->whole, t, p->x, yk_at(u, p->foreign),
                                &wanted, err));
    pick_state(p, whole->C, p->jac.C, p->C, jac->C, p->Cu, jac->Cu);
    pick_state(p, whole->G, p->jac.G, p->G, jac->G, p->Gu, jac->Gu);
    pick_input(p, whole->Cu, p->jac.Cu, p->Cu, jac->Cu);
    pick_input(p, whole->Gu, p->jac.Gu, p->Gu, jac->Gu);
    return YOKE_OK;
}

static double part_next_break(void *self, double t)
{
    return yk_system_next_break(((part *)self)->whole, t);
}

static void part_save(void *self, void *bytes)
{
    yk_system_save(((part *)self)->whole, bytes);
}

static void part_restore(void *self, const void *bytes)
{
    yk_system_restore(((part *)self)->whole, bytes);
}

static const yoke_system_ops part_ops = {
    .kind = "part",
    .eval = part_eval,
    .jacobian = part_jacobian,
    .next_break = part_next_break,
    .save = part_save,
    .restore = part_restore,
    .free = part_free,
};

static yoke_status check_lists(const yoke_system *whole, int count,
                               const int *unknown, const int *equation,
                               yoke_err *err)
{
    const int n = whole->info.n;

    if (whole->info.events > 0)
        return yk_fail(err, YOKE_E_ARG,
                       "a system with events (\"%s\" has %d) cannot be cut "
                       "into parts",
                       whole->name, whole->info.events);
    if (count < 1 || count > n)
        return yk_fail(err, YOKE_E_ARG,
                       "a part of %d unknowns of a system of "
                       "%d",
                       count, n);
    for (int k = 0; k < count; k++) {
        if (unknown[k] < 0 || unknown[k] >= n)
            return yk_fail(err, YOKE_E_ARG,
                           "unknown[%d] = %d is not between 0 "
                           "and %d",
                           k, unknown[k], n - 1);
        if (equation[k] < 0 || equation[k] >= n)
            return yk_fail(err, YOKE_E_ARG,
                           "equation[%d] = %d is not between "
                           "0 and %d",
                           k, equation[k], n - 1);
    }
    return YOKE_OK;
}

/* Notes the places of the part's unknowns and equations in the whole. */
static yoke_status place_own(part *p, yoke_err *err)
{
    const yoke_system_info *info = &p->whole->info;

    for (int j = 0; j < info->n; j++) {
        p->place[j] = UNUSED;
        p->row[j] = -1;
    }
    for (int k = 0; k < p->count; k++) {
        if (p->place[p->unknown[k]] != UNUSED)
            return yk_fail(err, YOKE_E_ARG, "unknown \"%s\" is listed twice",
                           info->x_name[p->unknown[k]]);
        if (p->row[p->equation[k]] >= 0)
            return yk_fail(err, YOKE_E_ARG, "equation \"%s\" is listed twice",
                           info->eq_name[p->equation[k]]);
        p->place[p->unknown[k]] = k;
        p->row[p->equation[k]] = k;
    }
    return YOKE_OK;
}

static void mark_foreign(part *p, const yoke_pattern *from)
{
    for (int j = 0; j < from->cols; j++)
        for (int k = from->start[j]; k < from->start[j + 1]; k++)
            if (p->row[from->row[k]] >= 0 && p->place[j] == UNUSED)
                p->place[j] = -1;
}

/* Numbers the foreign unknowns in the order of the whole. */
static void number_foreign(part *p, int n)
{
    for (int j = 0; j < n; j++)
        if (p->place[j] < 0 && p->place[j] != UNUSED) {
            p->place[j] = -1 - p->foreign;
            p->input[p->foreign++] = j;
        }
}

/* Pattern of own (own = true) or foreign unknowns and inputs. */
static yoke_status part_pattern(yoke_pattern **out, const part *p,
                                const yoke_pattern *state,
                                const yoke_pattern *input, bool own,
                                yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *row = NULL, *col = NULL, count = 0;
    const size_t room =
        (size_t)yoke_pattern_count(state) + (size_t)yoke_pattern_count(input);

    YK_GO(YK_INTS(room, err, &row, &col));
    for (int j = 0; j < state->cols; j++)
        for (int k = state->start[j]; k < state->start[j + 1]; k++) {
            const int i = p->row[state->row[k]], place = p->place[j];
            if (i < 0 || place == UNUSED || (place >= 0) != own) continue;
            row[count] = i;
            col[count++] = own ? place : -1 - place;
        }
    for (int j = 0; !own && j < input->cols; j++)
        for (int k = input->start[j]; k < input->start[j + 1]; k++) {
            if (p->row[input->row[k]] < 0) continue;
            row[count] = p->row[input->row[k]];
            col[count++] = p->foreign + j;
        }
    YK_GO(yoke_pattern_create(out, p->count,
                              own ? p->count : p->foreign + input->cols, count,
                              row, col, err));
done:
    YK_FREE(row, col);
    return status;
}

static yoke_status build(part *p, yoke_system *whole, int count,
                         const int *unknown, const int *equation, yoke_err *err)
{
    const yoke_system_info *info = &whole->info;
    const size_t n = (size_t)info->n;

    YK_TRY(check_lists(whole, count, unknown, equation, err));
    p->whole = whole;
    p->count = count;
    YK_TRY(yk_copy_ints(&p->unknown, unknown, (size_t)count, err));
    YK_TRY(yk_copy_ints(&p->equation, equation, (size_t)count, err));
    YK_TRY(YK_INTS(n, err, &p->input, &p->place, &p->row));
    YK_TRY(yk_copy_doubles(&p->x, info->x0, n, err));
    YK_TRY(YK_DOUBLES(n, err, &p->q, &p->f));
    YK_TRY(yk_jacobian_create(&p->jac, whole, err));
    YK_TRY(place_own(p, err));
    mark_foreign(p, info->C);
    mark_foreign(p, info->G);
    number_foreign(p, info->n);
    YK_TRY(part_pattern(&p->C, p, info->C, info->Cu, true, err));
    YK_TRY(part_pattern(&p->G, p, info->G, info->Gu, true, err));
    YK_TRY(part_pattern(&p->Cu, p, info->C, info->Cu, false, err));
    return part_pattern(&p->Gu, p, info->G, info->Gu, false, err);
}

/* Names, initial and nominal values of the part, then the system itself. */
static yoke_status finish(yoke_system **out, const char *name, part *p,
                          yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yoke_system_info *whole = &p->whole->info;
    const int m = p->foreign + whole->m;
    const char **x_name = NULL, **eq_name = NULL, **u_name = NULL;
    double *x0 = NULL, *nominal = NULL;
    bool taken = false;

    YK_GO(YK_NEW(&x_name, p->count, err));
    YK_GO(YK_NEW(&eq_name, p->count, err));
    YK_GO(YK_NEW(&u_name, m, err));
    YK_GO(YK_DOUBLES((size_t)p->count, err, &x0, &nominal));
    for (int k = 0; k < p->count; k++) {
        x_name[k] = whole->x_name[p->unknown[k]];
        eq_name[k] = whole->eq_name[p->equation[k]];
        x0[k] = whole->x0[p->unknown[k]];
        nominal[k] = whole->nominal[p->unknown[k]];
    }
    for (int k = 0; k < m; k++)
        u_name[k] = k < p->foreign ? whole->x_name[p->input[k]]
                                   : whole->u_name[k - p->foreign];
    const yoke_system_info info = {
        .n = p->count,
        .m = m,
        .flags = whole->flags & (YOKE_AFFINE | YOKE_TIMELESS),
        .memory_bytes = whole->memory_bytes,
        .courses = whole->courses,
        .x0 = x0,
        .nominal = nominal,
        .x_name = x_name,
        .u_name = u_name,
        .eq_name = eq_name,
        .C = p->C,
        .G = p->G,
        .Cu = p->Cu,
        .Gu = p->Gu,
    };
    taken = true;
    YK_GO(yoke_system_create(out, name, &part_ops, p, &info, err));
    (*out)->differenced = p->whole->differenced;
done:
    if (!taken) part_free(p);
    YK_FREE(nominal, x0, u_name, eq_name, x_name);
    return status;
}

yoke_status yoke_part_create(yoke_system **out, const char *name,
                             yoke_system *whole, int count, const int *unknown,
                             const int *equation, yoke_err *err)
{
    part *p = NULL;

    YK_TRY(YK_NEW(&p, 1, err));
    const yoke_status status = build(p, whole, count, unknown, equation, err);
    if (status != YOKE_OK) {
        yk_prefix(err, "part \"%s\" of \"%s\"", name ? name : "unnamed",
                  whole->name);
        part_free(p);
        return status;
    }
    return finish(out, name, p, err);
}
