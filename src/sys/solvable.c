/* sys/solvable.c -- is a system solvable for its unknowns, and its index.
 *
 * Structure: the largest matching of equations with unknowns in the pattern of
 * C and G together.  Then numbers: s C + G is factored for two values of s; it
 * is singular for both only if (with probability one) the pencil is singular.
 *
 * Index: for a regular pencil of index k, (s C + G)^-1 grows like s^(k-1) as
 * s -> infinity (Weierstrass form: the nilpotent blocks give the polynomial
 * part I - s N + s^2 N^2 ...; the dynamic part decays like 1/s).  The growth is
 * measured on a seeded random vector, component by component, between s and
 * 10 s with s well above the fastest mode, max_i |G_i| / |C_i| over the rows.
 *
 * Limits: local (one linearisation) and numerical: a growth that begins only
 * above the chosen s is not seen.
 * Reference: Kunkel, Mehrmann, Differential-Algebraic Equations, section 2.1.
 */
#include "sys/solvable.h"
#include "la/lu.h"
#include "sys/system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct pencil {
    yoke_pattern *both;
    int *c_at, *g_at;
    yoke_jacobian jac;
    double *value, *v1, *v2;
    yk_lu *lu;
} pencil;

static void pencil_clear(pencil *p)
{
    yoke_pattern_free(p->both);
    yk_free(p->c_at);
    yk_free(p->g_at);
    yk_free(p->jac.C);
    yk_free(p->value);
    yk_free(p->v1);
    yk_free(p->v2);
    yk_lu_free(p->lu);
}

static yoke_status pencil_create(pencil *p, yoke_system *s, double t,
                                 const double *x, const double *u,
                                 yoke_err *err)
{
    const size_t n = (size_t)s->info.n;

    YK_TRY(yk_pattern_union(&p->both, s->info.C, s->info.G, &p->c_at, &p->g_at,
                            err));
    YK_TRY(yk_jacobian_create(&p->jac, s, err));
    YK_TRY(yk_doubles(&p->value, (size_t)yoke_pattern_count(p->both), err));
    YK_TRY(yk_doubles(&p->v1, n, err));
    YK_TRY(yk_doubles(&p->v2, n, err));
    const yoke_jacobian wanted = { .C = p->jac.C, .G = p->jac.G };
    return yoke_system_jacobian(s, t, x, u, &wanted, err);
}

/* s C + G, factored. */
static yoke_status pencil_factor(pencil *p, const yoke_system *s, double shift,
                                 int *column, yoke_err *err)
{
    const int count = yoke_pattern_count(p->both);

    for (int k = 0; k < count; k++) p->value[k] = 0.0;
    for (int k = 0; k < yoke_pattern_count(s->info.C); k++)
        p->value[p->c_at[k]] += shift * p->jac.C[k];
    for (int k = 0; k < yoke_pattern_count(s->info.G); k++)
        p->value[p->g_at[k]] += p->jac.G[k];
    if (!p->lu) YK_TRY(yk_lu_create(&p->lu, p->both, false, err));
    return yk_lu_factor(p->lu, p->value, column, err);
}

static void row_maxima(const yoke_pattern *p, const double *value, double *most)
{
    for (int i = 0; i < p->rows; i++) most[i] = 0.0;
    for (int k = 0; k < yoke_pattern_count(p); k++)
        most[p->row[k]] = fmax(most[p->row[k]], fabs(value[k]));
}

/* The rate of the fastest mode, roughly. */
static double fastest(pencil *p, const yoke_system *s)
{
    double rate = 0.0;

    row_maxima(s->info.C, p->jac.C, p->v1);
    row_maxima(s->info.G, p->jac.G, p->v2);
    for (int i = 0; i < s->info.n; i++)
        if (p->v1[i] > 0.0 && p->v2[i] > 0.0)
            rate = fmax(rate, p->v2[i] / p->v1[i]);
    return rate > 0.0 ? rate : 1.0;
}

static yoke_status response(pencil *p, const yoke_system *s, double shift,
                            double *v, int *column, yoke_err *err)
{
    unsigned long long seed = 20260102;

    for (int i = 0; i < s->info.n; i++) v[i] = 0.5 + yk_random(&seed);
    YK_TRY(pencil_factor(p, s, shift, column, err));
    return yk_lu_solve(p->lu, v, err);
}

static int growth_to_index(const double *v1, const double *v2, int n)
{
    double slope = -1.0, most = 0.0;

    for (int i = 0; i < n; i++) most = fmax(most, fabs(v2[i]));
    for (int i = 0; i < n; i++) {
        if (fabs(v2[i]) < 1e-14 * most || v1[i] == 0.0) continue;
        slope = fmax(slope, log10(fabs(v2[i]) / fabs(v1[i])));
    }
    return slope < -0.5 ? 0 : 1 + (int)floor(slope + 0.5);
}

/* -1: singular pencil; *column is where it was found. */
static yoke_status pencil_index(pencil *p, const yoke_system *s, int *index,
                                int *column, yoke_err *err)
{
    const double shift = 1e3 * fastest(p, s);

    *index = -1;
    *column = -1;
    for (int tries = 0; tries < 2; tries++) {
        const double s1 = shift * (tries ? 2.718 : 1.0);
        yoke_status status = response(p, s, s1, p->v1, column, err);
        if (status == YOKE_OK)
            status = response(p, s, 10.0 * s1, p->v2, column, err);
        if (status < 0) return status;
        if (status != YOKE_OK) continue;
        *index = growth_to_index(p->v1, p->v2, s->info.n);
        return YOKE_OK;
    }
    return YOKE_OK;
}

yoke_status yk_index(yoke_system *s, double t, const double *x, const double *u,
                     int *index, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    pencil p = { 0 };
    int column = -1;

    *index = 0;
    if (s->info.n == 0) return YOKE_OK;
    YK_GO(pencil_create(&p, s, t, x, u, err));
    YK_GO(pencil_index(&p, s, index, &column, err));
done:
    pencil_clear(&p);
    return status;
}

/* "a, b and 3 more" into text. */
static void list_names(char *text, size_t room, const char *const *name,
                       const int *which, int count)
{
    size_t used = 0;
    const int shown = count > 5 ? 4 : count;

    text[0] = '\0';
    for (int i = 0; i < shown && used + 2 < room; i++) {
        const int wrote = snprintf(text + used, room - used, "%s\"%s\"",
                                   i ? ", " : "", name[which[i]]);
        used += (size_t)wrote;
        if (used >= room) return;
    }
    if (shown < count && used < room)
        snprintf(text + used, room - used, " and %d more", count - shown);
}

static yoke_status structural_text(const yoke_system *s, const int *match,
                                   yoke_solvability *out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *unknown = NULL, *equation = NULL, unknowns = 0, equations = 0;
    bool *used = NULL;
    const int n = s->info.n;
    char left[300], right[300];

    YK_GO(yk_ints(&unknown, (size_t)n, err));
    YK_GO(yk_ints(&equation, (size_t)n, err));
    YK_GO(YK_NEW(&used, n, err));
    for (int j = 0; j < n; j++) {
        if (match[j] < 0)
            unknown[unknowns++] = j;
        else
            used[match[j]] = true;
    }
    for (int i = 0; i < n; i++)
        if (!used[i]) equation[equations++] = i;
    list_names(left, sizeof left, s->info.x_name, unknown, unknowns);
    list_names(right, sizeof right, s->info.eq_name, equation, equations);
    snprintf(out->text, sizeof out->text,
             "subsystem \"%s\" is not solvable: no equation determines the "
             "unknown %s, and equation %s has no unknown of its own left",
             s->name, left, right);
done:
    yk_free(unknown);
    yk_free(equation);
    yk_free(used);
    return status;
}

static void numerical_text(const yoke_system *s, int column,
                           yoke_solvability *out)
{
    const bool known = column >= 0 && column < s->info.n;

    snprintf(out->text, sizeof out->text,
             "subsystem \"%s\" is not solvable: C/h + G is singular for every "
             "h, the equations depend on each other%s%s%s",
             s->name, known ? "; nothing determines the unknown \"" : "",
             known ? s->info.x_name[column] : "", known ? "\"" : "");
}

static void count_columns(const yoke_system *s, yoke_solvability *out)
{
    for (int j = 0; j < s->info.n; j++)
        if (s->info.C->start[j + 1] > s->info.C->start[j]) out->differential++;
    out->algebraic = s->info.n - out->differential;
}

yoke_status yoke_solvable(yoke_system *s, double t, const double *x,
                          const double *u, yoke_solvability *out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    pencil p = { 0 };
    int *match = NULL, column = -1;
    double *zero = NULL;
    const int n = s->info.n;

    memset(out, 0, sizeof *out);
    count_columns(s, out);
    if (n == 0) {
        out->solvable = true;
        return YOKE_OK;
    }
    if (!u) YK_GO(yk_doubles(&zero, (size_t)s->info.m, err));
    YK_GO(pencil_create(&p, s, t, x ? x : s->info.x0, u ? u : zero, err));
    YK_GO(yk_ints(&match, (size_t)n, err));
    YK_GO(yk_pattern_match(p.both, match, &out->structural_rank, err));
    if (out->structural_rank < n) {
        out->index = -1;
        YK_GO(structural_text(s, match, out, err));
        goto done;
    }
    YK_GO(pencil_index(&p, s, &out->index, &column, err));
    out->solvable = out->index >= 0;
    if (!out->solvable) numerical_text(s, column, out);
done:
    yk_free(zero);
    yk_free(match);
    pencil_clear(&p);
    return status;
}
