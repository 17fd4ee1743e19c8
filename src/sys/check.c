/* sys/check.c -- does a subsystem keep the promises of yoke/system.h?
 *
 * At a few seeded random points near the given one the Jacobians are compared,
 * column by column, with central differences of two step lengths,
 *
 *     D(d) = (r(v + d e_j) - r(v - d e_j)) / (2 d),   d = eps^(1/3) size_j,
 *
 * whose error is about eps^(2/3); |D(d) - D(2d)| bounds what curvature adds.
 * An entry is wrong if it differs by more than 1e-4 of itself and 1e-7 of the
 * largest term of its row: smaller mistakes are not seen.  A dependence outside
 * the pattern is reported if it is above 1e-8 of that term.
 *
 * Purity is a matter of bits, not of tolerances: the iteration repeats windows
 * and expects the same numbers.
 */
#include "sys/call.h"
#include "sys/system.h"
#include "yoke/check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { POINTS = 3, COLUMN_LIMIT = 2000 };

#define ENTRY_TOLERANCE  1e-4 /* of an entry */
#define TERM_TOLERANCE   1e-7 /* of the largest term of the row */
#define PLACE_TOLERANCE  1e-8 /* of the same, outside the pattern */
#define VALUE_TOLERANCE  1e-9 /* two ways to compute one value */
#define AFFINE_TOLERANCE 1e-6 /* sums of terms with differenced factors */

typedef struct conform {
    yoke_system *system;
    double t;
    double *x, *u;                  /* the point */
    double *far_x, *far_u;          /* another one */
    double *base, *again;           /* q, f, y one after the other: 2n + p */
    double *plus, *minus;           /* the same, moved */
    double *near_slope, *far_slope; /* D(d), D(2d) */
    double *term;                   /* size of the largest term of each row */
    yoke_jacobian jac, other;
    void *bytes, *bytes_again, *bytes_event;
    double *g, *g_again;     /* indicators */
    double *jump, *jump_far; /* n: what apply wrote */
    bool *happened;
} conform;

/* One matrix: results from `first` on by x or by u. */
typedef struct block {
    const char *name;
    const yoke_pattern *pattern;
    const double *value, *other;
    int first;
    const char *const *row_name;
} block;

/* C, G, Hx (by_x) or Cu, Gu, Hu. */
static void get_blocks(const conform *c, bool by_x, block out[3])
{
    const yoke_system_info *i = &c->system->info;
    const yoke_jacobian *j = &c->jac, *o = &c->other;
    const int n = i->n;

    out[0] = by_x ? (block){ "C", i->C, j->C, o->C, 0, i->eq_name }
                  : (block){ "Cu", i->Cu, j->Cu, o->Cu, 0, i->eq_name };
    out[1] = by_x ? (block){ "G", i->G, j->G, o->G, n, i->eq_name }
                  : (block){ "Gu", i->Gu, j->Gu, o->Gu, n, i->eq_name };
    out[2] = by_x ? (block){ "Hx", i->Hx, j->Hx, o->Hx, 2 * n, i->y_name }
                  : (block){ "Hu", i->Hu, j->Hu, o->Hu, 2 * n, i->y_name };
}

static void conform_clear(conform *c)
{
    YK_FREE(c->x, c->base, c->jac.C, c->other.C, c->bytes, c->bytes_again,
            c->bytes_event, c->g, c->jump, c->happened);
}

static yoke_status conform_create(conform *c, yoke_system *s, double t,
                                  yoke_err *err)
{
    const yoke_system_info *info = &s->info;
    const size_t n = (size_t)info->n, m = (size_t)info->m;
    const size_t rows = 2 * n + (size_t)info->p;

    c->system = s;
    c->t = t;
    YK_TRY(yk_doubles(&c->x, 2 * (n + m), err));
    c->u = c->x + n;
    c->far_x = c->u + m;
    c->far_u = c->far_x + n;
    YK_TRY(yk_doubles(&c->base, 7 * rows, err));
    c->again = c->base + rows;
    c->plus = c->again + rows;
    c->minus = c->plus + rows;
    c->near_slope = c->minus + rows;
    c->far_slope = c->near_slope + rows;
    c->term = c->far_slope + rows;
    YK_TRY(yk_jacobian_create(&c->jac, s, err));
    YK_TRY(yk_jacobian_create(&c->other, s, err));
    YK_TRY(yk_alloc(&c->bytes, info->memory_bytes, 1, err));
    YK_TRY(yk_alloc(&c->bytes_again, info->memory_bytes, 1, err));
    YK_TRY(yk_alloc(&c->bytes_event, info->memory_bytes, 1, err));
    if (info->events == 0) return YOKE_OK;
    YK_TRY(yk_doubles(&c->g, 2 * (size_t)info->events, err));
    c->g_again = c->g + info->events;
    YK_TRY(yk_doubles(&c->jump, 2 * n + 1, err));
    c->jump_far = c->jump + n;
    return YK_NEW(&c->happened, info->events, err);
}

static yoke_status violation(const conform *c, const char *what,
                             const char *name, double a, double b,
                             yoke_err *err)
{
    return yk_fail(err, YOKE_E_MODEL,
                   "subsystem \"%s\", t = %.9g: %s \"%s\": %.17g and %.17g, "
                   "difference %.3g",
                   c->system->name, c->t, what, name, a, b, a - b);
}

/* q, f and y; all finite. */
static yoke_status evaluate(const conform *c, double t, const double *x,
                            const double *u, double *r, yoke_err *err)
{
    const int n = c->system->info.n;

    YK_TRY(yoke_system_eval(c->system, t, x, u, r, r + n, err));
    return yoke_system_output(c->system, t, x, u, r + 2 * n, err);
}

static const char *row_name(const conform *c, int i)
{
    const yoke_system_info *info = &c->system->info;

    if (i >= 2 * info->n) return info->y_name[i - 2 * info->n];
    return info->eq_name[i < info->n ? i : i - info->n];
}

/* ---- purity, save and restore ------------------------------------------- */

/* Bit for bit, or, of a system that iterates inside, to `digits` of them. */
static bool is_same(const conform *c, double a, double b, int digits)
{
    const double size = fmax(fabs(a), fabs(b));

    return a == b || (c->system->info.flags & YOKE_ITERATED &&
                      fabs(a - b) <= pow(10.0, -digits) * (size + 1e-6));
}

/* The results in c->again are those in c->base. */
static yoke_status same_results(const conform *c, const char *when,
                                yoke_err *err)
{
    const yoke_system_info *info = &c->system->info;
    char what[160];

    for (int i = 0; i < 2 * info->n + info->p; i++) {
        if (is_same(c, c->base[i], c->again[i], 10)) continue;
        snprintf(what, sizeof what, "%s differs %s in %s",
                 i < info->n       ? "q"
                 : i < 2 * info->n ? "f"
                                   : "the output",
                 when, i < 2 * info->n ? "equation" : "output");
        return violation(c, what, row_name(c, i), c->base[i], c->again[i], err);
    }
    return YOKE_OK;
}

static yoke_status again(const conform *c, const char *when, yoke_err *err)
{
    YK_TRY(evaluate(c, c->t, c->x, c->u, c->again, err));
    return same_results(c, when, err);
}

/* q and f asked for one at a time. */
static yoke_status check_single(const conform *c, yoke_err *err)
{
    const int n = c->system->info.n;

    YK_TRY(yoke_system_eval(c->system, c->t, c->x, c->u, c->again, NULL, err));
    YK_TRY(
        yoke_system_eval(c->system, c->t, c->x, c->u, NULL, c->again + n, err));
    return same_results(c, "when q and f are evaluated one at a time", err);
}

/* Entry k of a block at two calls, or at two points. */
typedef bool entry_test(const conform *c, const block *b, bool by_x, int j,
                        int k);

/* All entries; a message is "BEFORE block AFTER in row ...". */
static yoke_status test_entries(const conform *c, bool by_x, entry_test *good,
                                const char *before, const char *after,
                                yoke_err *err)
{
    const yoke_system_info *info = &c->system->info;
    block list[3];
    char what[160];

    get_blocks(c, by_x, list);
    for (const block *b = list; b < list + 3; b++)
        for (int j = 0; j < b->pattern->cols; j++)
            for (int k = b->pattern->start[j]; k < b->pattern->start[j + 1];
                 k++) {
                if (good(c, b, by_x, j, k)) continue;
                snprintf(what, sizeof what, "%s %s %s in row \"%.60s\", column",
                         before, b->name, after,
                         b->row_name[b->pattern->row[k]]);
                return violation(c, what,
                                 by_x ? info->x_name[j] : info->u_name[j],
                                 b->value[k], b->other[k], err);
            }
    return YOKE_OK;
}

static bool is_repeated(const conform *c, const block *b, bool by_x, int j,
                        int k)
{
    (void)by_x, (void)j;
    return is_same(c, b->value[k], b->other[k], 4);
}

/* Calls elsewhere must leave no trace; whether they succeed does not matter. */
static void go_elsewhere(const conform *c)
{
    const double t = c->t + 1e-3 * (1.0 + fabs(c->t));

    (void)evaluate(c, t, c->far_x, c->far_u, c->plus, NULL);
    (void)yoke_system_jacobian(c->system, t, c->far_x, c->far_u, &c->other,
                               NULL);
}

static yoke_status check_purity(const conform *c, yoke_err *err)
{
    YK_TRY(again(c, "at a second call", err));
    YK_TRY(check_single(c, err));
    go_elsewhere(c);
    YK_TRY(again(c, "after a call with other arguments", err));
    YK_TRY(yoke_system_jacobian(c->system, c->t, c->x, c->u, &c->other, err));
    for (int by_x = 1; by_x >= 0; by_x--)
        YK_TRY(test_entries(c, by_x, is_repeated, "Jacobian",
                            "differs at a second call", err));
    return YOKE_OK;
}

/* The memory is what `bytes` says. */
static yoke_status same_bytes(const conform *c, const void *bytes,
                              const char *when, yoke_err *err)
{
    const size_t size = c->system->info.memory_bytes;
    const unsigned char *a = bytes, *b = c->bytes_again;

    yk_system_save(c->system, c->bytes_again);
    for (size_t k = 0; k < size; k++)
        if (a[k] != b[k])
            return yk_fail(err, YOKE_E_MODEL,
                           "subsystem \"%s\", t = %.9g: byte %zu of the saved "
                           "memory is %d before and %d %s",
                           c->system->name, c->t, k, a[k], b[k], when);
    return YOKE_OK;
}

static yoke_status check_memory(const conform *c, yoke_err *err)
{
    if (!c->system->ops->save) return YOKE_OK;
    yk_system_save(c->system, c->bytes);
    YK_TRY(again(c, "after save", err));
    go_elsewhere(c);
    YK_TRY(same_bytes(c, c->bytes,
                      "after evaluations, which must not change it", err));
    yk_system_restore(c->system, c->bytes);
    YK_TRY(same_bytes(c, c->bytes, "after restore", err));
    return again(c, "after restore", err);
}

/* ---- events -------------------------------------------------------------- */

static yoke_status same_indicators(const conform *c, const char *when,
                                   yoke_err *err)
{
    YK_TRY(yk_system_indicate(c->system, c->t, c->x, c->u, c->g_again, err));
    for (int k = 0; k < c->system->info.events; k++)
        if (c->g[k] != c->g_again[k])
            return yk_fail(err, YOKE_E_MODEL,
                           "subsystem \"%s\", t = %.9g: the indicator of event "
                           "%d differs %s: %.17g and %.17g, difference %.3g",
                           c->system->name, c->t, k + 1, when, c->g[k],
                           c->g_again[k], c->g[k] - c->g_again[k]);
    return YOKE_OK;
}

static yoke_status apply_one(const conform *c, int k, double *x_new,
                             yoke_err *err)
{
    c->happened[k] = true;
    const yoke_status status =
        yk_system_apply(c->system, c->t, c->x, c->u, c->happened, x_new, err);
    c->happened[k] = false;
    return status;
}

static yoke_status same_jump(const conform *c, int k, yoke_err *err)
{
    const yoke_system_info *info = &c->system->info;
    char what[80];

    snprintf(what, sizeof what,
             "event %d, applied again after restore, differs in unknown",
             k + 1);
    for (int i = 0; i < info->n; i++)
        if (c->jump[i] != c->jump_far[i])
            return violation(c, what, info->x_name[i], c->jump[i],
                             c->jump_far[i], err);
    return YOKE_OK;
}

/* Event k twice from the same memory; it is restored at the end. */
static yoke_status check_apply(const conform *c, int k, yoke_err *err)
{
    const yoke_status status = apply_one(c, k, c->jump, err);
    if (status == YOKE_RETRY) return YOKE_OK; /* such an event ends the run */
    YK_TRY(status);
    yk_system_save(c->system, c->bytes_event);
    yk_system_restore(c->system, c->bytes);
    YK_TRY(same_indicators(c, "after apply and restore", err));
    YK_TRY(apply_one(c, k, c->jump_far, err));
    YK_TRY(same_jump(c, k, err));
    YK_TRY(same_bytes(c, c->bytes_event, "after the same event again", err));
    yk_system_restore(c->system, c->bytes);
    return YOKE_OK;
}

static yoke_status check_events(const conform *c, yoke_err *err)
{
    if (c->system->info.events == 0) return YOKE_OK;
    YK_TRY(yk_system_indicate(c->system, c->t, c->x, c->u, c->g, err));
    YK_TRY(same_indicators(c, "at a second call", err));
    (void)yk_system_indicate(c->system, c->t, c->far_x, c->far_u, c->g_again,
                             NULL);
    go_elsewhere(c);
    YK_TRY(same_indicators(c, "after a call with other arguments", err));
    yk_system_save(c->system, c->bytes);
    for (int k = 0; k < c->system->info.events; k++)
        YK_TRY(check_apply(c, k, err));
    return again(c, "after events and restore", err);
}

/* ---- Jacobians ---------------------------------------------------------- */

static double size_of(const conform *c, bool by_x, int j)
{
    return by_x ? fmax(fabs(c->x[j]), c->system->info.nominal[j])
                : fmax(fabs(c->u[j]), 1.0);
}

/* max(|r_i|, |J_ij| size_j): what rounding errors of row i are relative to. */
static void find_terms(const conform *c)
{
    const yoke_system_info *info = &c->system->info;

    for (int i = 0; i < 2 * info->n + info->p; i++)
        c->term[i] = fabs(c->base[i]);
    for (int by_x = 0; by_x < 2; by_x++) {
        block list[3];
        get_blocks(c, by_x, list);
        for (int b = 0; b < 3; b++)
            for (int j = 0; j < list[b].pattern->cols; j++)
                for (int k = list[b].pattern->start[j];
                     k < list[b].pattern->start[j + 1]; k++) {
                    double *term =
                        &c->term[list[b].first + list[b].pattern->row[k]];
                    *term = fmax(*term,
                                 fabs(list[b].value[k]) * size_of(c, by_x, j));
                }
    }
}

static yoke_status slopes(const conform *c, bool by_x, int j, double step,
                          double *slope, yoke_err *err)
{
    const yoke_system_info *info = &c->system->info;
    double *v = by_x ? &c->x[j] : &c->u[j];
    const double original = *v, up = original + step, down = original - step;

    *v = up;
    yoke_status status = evaluate(c, c->t, c->x, c->u, c->plus, err);
    *v = down;
    if (status == YOKE_OK)
        status = evaluate(c, c->t, c->x, c->u, c->minus, err);
    *v = original;
    for (int i = 0; i < 2 * info->n + info->p && status == YOKE_OK; i++)
        slope[i] = (c->plus[i] - c->minus[i]) / (up - down);
    return status;
}

static yoke_status wrong_entry(const conform *c, const block *b, int row,
                               const char *column, double given, double slope,
                               bool outside, yoke_err *err)
{
    return yk_fail(err, YOKE_E_MODEL,
                   "subsystem \"%s\", t = %.9g: %s(\"%s\", \"%s\") is %.9g%s, "
                   "differences give %.9g, difference %.3g",
                   c->system->name, c->t, b->name, b->row_name[row], column,
                   given, outside ? " (not in the pattern)" : "", slope,
                   given - slope);
}

/* One column of one matrix against the slopes. */
static yoke_status check_block(const conform *c, const block *b, bool by_x,
                               int j, yoke_err *err)
{
    const yoke_system_info *info = &c->system->info;
    const char *column = by_x ? info->x_name[j] : info->u_name[j];
    const double size = size_of(c, by_x, j);
    int k = b->pattern->start[j];

    for (int i = 0; i < b->pattern->rows; i++) {
        const double d1 = c->near_slope[b->first + i];
        const double d2 = c->far_slope[b->first + i];
        const double term = fmax(c->term[b->first + i], fabs(d1) * size) / size;
        const bool inside =
            k < b->pattern->start[j + 1] && b->pattern->row[k] == i;
        const double given = inside ? b->value[k++] : 0.0;
        const double limit =
            inside ? ENTRY_TOLERANCE * fmax(fabs(given), fabs(d1)) +
                         TERM_TOLERANCE * term + 10.0 * fabs(d1 - d2)
                   : PLACE_TOLERANCE * term;
        if (fabs(given - d1) <= limit) continue;
        if (!inside && fabs(d2) <= limit) continue; /* rounding only */
        return wrong_entry(c, b, i, column, given, d1, !inside, err);
    }
    return YOKE_OK;
}

/* All columns, or a random sample of a large system. */
static yoke_status check_columns(const conform *c, bool by_x,
                                 unsigned long long *seed, yoke_err *err)
{
    const yoke_system_info *info = &c->system->info;
    const int cols = by_x ? info->n : info->m;
    const int tested = cols < COLUMN_LIMIT ? cols : COLUMN_LIMIT;
    block list[3];

    get_blocks(c, by_x, list);
    for (int k = 0; k < tested; k++) {
        const int j = tested == cols ? k : (int)(yk_random(seed) * cols);
        const double step = cbrt(DBL_EPSILON) * size_of(c, by_x, j);
        YK_TRY(slopes(c, by_x, j, step, c->near_slope, err));
        YK_TRY(slopes(c, by_x, j, 2.0 * step, c->far_slope, err));
        for (int b = 0; b < 3; b++)
            YK_TRY(check_block(c, &list[b], by_x, j, err));
    }
    return YOKE_OK;
}

/* ---- claims ------------------------------------------------------------- */

static const char *claim(const conform *c)
{
    return c->system->info.flags & YOKE_AFFINE ? "YOKE_AFFINE" : "YOKE_LINEAR";
}

static bool is_constant(const conform *c, const block *b, bool by_x, int j,
                        int k)
{
    const double v = b->value[k], w = b->other[k];
    const double term = c->term[b->first + b->pattern->row[k]];

    return fabs(v - w) <=
           AFFINE_TOLERANCE * (fabs(v) + term / size_of(c, by_x, j));
}

/* r += J d, and the sizes of the terms. */
static void add_changes(const conform *c, bool by_x, double *r, double *size)
{
    block list[3];

    get_blocks(c, by_x, list);
    for (int b = 0; b < 3; b++)
        for (int j = 0; j < list[b].pattern->cols; j++) {
            const double d =
                by_x ? c->far_x[j] - c->x[j] : c->far_u[j] - c->u[j];
            for (int k = list[b].pattern->start[j];
                 k < list[b].pattern->start[j + 1]; k++) {
                const int i = list[b].first + list[b].pattern->row[k];
                r[i] += list[b].value[k] * d;
                size[i] += fabs(list[b].value[k] * d);
            }
        }
}

/* r(far) = r(here) + J (far - here). */
static yoke_status check_affine(const conform *c, yoke_err *err)
{
    const yoke_system_info *info = &c->system->info;
    const int rows = 2 * info->n + info->p;
    double *predicted = c->plus, *size = c->minus;
    char before[60];

    if (!(info->flags & YOKE_LINEAR)) return YOKE_OK;
    YK_TRY(evaluate(c, c->t, c->far_x, c->far_u, c->again, err));
    YK_TRY(yoke_system_jacobian(c->system, c->t, c->far_x, c->far_u, &c->other,
                                err));
    snprintf(before, sizeof before, "%s is claimed but", claim(c));
    for (int by_x = 1; by_x >= 0; by_x--)
        YK_TRY(
            test_entries(c, by_x, is_constant, before, "is not constant", err));
    for (int i = 0; i < rows; i++) {
        predicted[i] = c->base[i];
        size[i] = fabs(c->base[i]) + fabs(c->again[i]) + c->term[i];
    }
    add_changes(c, true, predicted, size);
    add_changes(c, false, predicted, size);
    for (int i = 0; i < rows; i++)
        if (fabs(predicted[i] - c->again[i]) > AFFINE_TOLERANCE * size[i]) {
            char what[100];
            snprintf(what, sizeof what, "%s is claimed but %s", claim(c),
                     i < info->n       ? "q is not affine in equation"
                     : i < 2 * info->n ? "f is not affine in equation"
                                       : "h is not affine in output");
            return violation(c, what, row_name(c, i), predicted[i], c->again[i],
                             err);
        }
    return YOKE_OK;
}

/* q = x and f = -rhs where both are given. */
static yoke_status check_rhs(const conform *c, yoke_err *err)
{
    const yoke_system_info *info = &c->system->info;
    const int n = info->n;
    double *xdot = c->plus;

    if (!c->system->ops->eval || !c->system->ops->rhs) return YOKE_OK;
    YK_TRY(yk_system_rhs(c->system, c->t, c->x, c->u, xdot, err));
    for (int i = 0; i < n; i++) {
        const double q = c->base[i], f = c->base[n + i];
        if (fabs(q - c->x[i]) > VALUE_TOLERANCE * fabs(c->x[i]))
            return violation(c, "rhs is given but q is not x in equation",
                             info->eq_name[i], q, c->x[i], err);
        if (fabs(f + xdot[i]) >
            VALUE_TOLERANCE *
                fmax(fmax(fabs(f), fabs(xdot[i])), c->term[n + i]))
            return violation(c, "rhs is given but f is not -rhs in equation",
                             info->eq_name[i], f, -xdot[i], err);
    }
    return YOKE_OK;
}

static yoke_status check_break(const conform *c, yoke_err *err)
{
    if (!c->system->ops->next_break) return YOKE_OK;
    const double next = c->system->ops->next_break(c->system->self, c->t);
    if (next > c->t) return YOKE_OK;
    return yk_fail(
        err, YOKE_E_MODEL,
        "subsystem \"%s\", t = %.9g: next_break gives %.9g, which is "
        "not after t; difference %.3g",
        c->system->name, c->t, next, next - c->t);
}

/* ---- points ------------------------------------------------------------- */

static void random_point(const conform *c, const double *x, const double *u,
                         double spread, unsigned long long *seed, double *to_x,
                         double *to_u)
{
    const yoke_system_info *info = &c->system->info;

    for (int i = 0; i < info->n; i++) {
        const double size = fmax(fabs(x[i]), info->nominal[i]);
        to_x[i] = x[i] + spread * size * (2.0 * yk_random(seed) - 1.0);
    }
    for (int i = 0; i < info->m; i++) {
        const double v = u ? u[i] : 0.0;
        to_u[i] =
            v + spread * fmax(fabs(v), 1.0) * (2.0 * yk_random(seed) - 1.0);
    }
}

static yoke_status check_here(const conform *c, unsigned long long *seed,
                              yoke_err *err)
{
    YK_TRY(evaluate(c, c->t, c->x, c->u, c->base, err));
    YK_TRY(yoke_system_jacobian(c->system, c->t, c->x, c->u, &c->jac, err));
    YK_TRY(check_purity(c, err));
    YK_TRY(check_memory(c, err));
    YK_TRY(check_events(c, err));
    find_terms(c);
    YK_TRY(check_columns(c, true, seed, err));
    YK_TRY(check_columns(c, false, seed, err));
    YK_TRY(check_affine(c, err));
    return check_rhs(c, err);
}

/* One random point; where the callbacks refuse it moves closer to (x, u). */
static yoke_status check_point(const conform *c, const double *x,
                               const double *u, unsigned long long *seed,
                               yoke_err *err)
{
    yoke_status status = YOKE_RETRY;

    for (double spread = 0.3; status == YOKE_RETRY && spread > 1e-9;
         spread /= 10.0) {
        random_point(c, x, u, spread, seed, c->x, c->u);
        random_point(c, x, u, spread, seed, c->far_x, c->far_u);
        status = check_here(c, seed, err);
    }
    if (status != YOKE_RETRY) return status;
    if (err) err->status = YOKE_E_MODEL;
    yk_prefix(err,
              "subsystem \"%s\" cannot be evaluated at any of the points tried "
              "around the given one",
              c->system->name);
    return YOKE_E_MODEL;
}

yoke_status yoke_conform(yoke_system *system, double t, const double *x,
                         const double *u, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    conform c = { 0 };
    unsigned long long seed = 20260103;

    YK_GO(conform_create(&c, system, t, err));
    YK_GO(check_break(&c, err));
    for (int k = 0; k < POINTS; k++)
        YK_GO(check_point(&c, x ? x : system->info.x0, u, &seed, err));
done:
    conform_clear(&c);
    return status;
}
