/* sys/solvable.c -- is a system solvable for its unknowns, and its index.
 *
 * Structure first: the largest matching of equations with unknowns in the
 * pattern of C and G together; what is left over can be named.  Then numbers:
 * the shuffle of sys/index.c, which ends with the index or with an equation
 * that depends on the others.
 */
#include "base/text.h"
#include "sys/solvable.h"
#include "sys/system.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of Jacobians by forward differences, relative to the terms of a row. */
#define DIFFERENCE_NOISE 1e-7

static yoke_status pencil_facts(yoke_system *s, double t, const double *x,
                                const double *u, yk_pencil_facts *facts,
                                yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_jacobian jac = { 0 };
    double *size = NULL;
    const int n = s->info.n;

    YK_GO(yk_jacobian_create(&jac, s, err));
    YK_GO(yk_doubles(&size, (size_t)n, err));
    for (int j = 0; j < n; j++) size[j] = fmax(fabs(x[j]), s->info.nominal[j]);
    const yoke_jacobian wanted = { .C = jac.C, .G = jac.G };
    YK_GO(yoke_system_jacobian(s, t, x, u, &wanted, err));
    const yk_pencil pencil = {
        .C_pattern = s->info.C,
        .G_pattern = s->info.G,
        .C = jac.C,
        .G = jac.G,
        .size = size,
        .noise = s->differenced ? DIFFERENCE_NOISE : 0.0,
    };
    status = yk_pencil_index(&pencil, facts, err);
    if (status == YOKE_E_NUMERIC) yk_prefix(err, "subsystem \"%s\"", s->name);
done:
    YK_FREE(size, jac.C);
    return status;
}

yoke_status yk_index(yoke_system *s, double t, const double *x, const double *u,
                     int *index, yoke_err *err)
{
    yk_pencil_facts facts = { 0, -1, -1 };

    if (s->info.n > 0) YK_TRY(pencil_facts(s, t, x, u, &facts, err));
    *index = facts.index;
    return YOKE_OK;
}

/* "a, b and 3 more" into text. */
static void list_names(char *text, size_t room, const char *const *name,
                       const int *which, int count)
{
    const int shown = count > 5 ? 4 : count;

    text[0] = '\0';
    for (int i = 0; i < shown; i++)
        yk_append(text, room, "%s\"%s\"", i ? ", " : "", name[which[i]]);
    if (shown < count) yk_append(text, room, " and %d more", count - shown);
}

static yoke_status structural_text(const yoke_system *s, const int *match,
                                   yoke_solvability *out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *unknown = NULL, *equation = NULL, unknowns = 0, equations = 0;
    bool *used = NULL;
    const int n = s->info.n;
    char left[300], right[300];

    YK_GO(YK_INTS((size_t)n, err, &unknown, &equation));
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
    YK_FREE(unknown, equation, used);
    return status;
}

static void numerical_text(const yoke_system *s, const yk_pencil_facts *facts,
                           yoke_solvability *out)
{
    snprintf(
        out->text, sizeof out->text,
        "subsystem \"%s\" is not solvable: at the start values equation \"%s\" "
        "depends on the others (it repeats or contradicts them), and "
        "nothing determines the unknown \"%s\" (C/h + G is singular for "
        "every h); write another equation for it, or begin elsewhere",
        s->name, s->info.eq_name[facts->equation],
        s->info.x_name[facts->unknown]);
}

static void count_columns(const yoke_system *s, yoke_solvability *out)
{
    for (int j = 0; j < s->info.n; j++)
        if (s->info.C->start[j + 1] > s->info.C->start[j]) out->differential++;
    out->algebraic = s->info.n - out->differential;
}

/* Rank of the pattern of C and G; the text if it is not full. */
static yoke_status structure(const yoke_system *s, yoke_solvability *out,
                             yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_pattern *both = NULL;
    int *match = NULL;

    YK_GO(yk_pattern_union(&both, s->info.C, s->info.G, NULL, NULL, err));
    YK_GO(yk_ints(&match, (size_t)s->info.n, err));
    YK_GO(yk_pattern_match(both, match, &out->structural_rank, err));
    if (out->structural_rank < s->info.n)
        YK_GO(structural_text(s, match, out, err));
done:
    yk_free(match);
    yoke_pattern_free(both);
    return status;
}

yoke_status yoke_solvable(yoke_system *s, double t, const double *x,
                          const double *u, yoke_solvability *out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yoke_solvability result = { .index = -1 };
    yk_pencil_facts facts = { 0, -1, -1 };
    double *zero = NULL;
    const int n = s->info.n;

    count_columns(s, &result);
    YK_GO(structure(s, &result, err));
    if (result.structural_rank == n && n > 0) {
        if (!u) YK_GO(yk_doubles(&zero, (size_t)s->info.m, err));
        YK_GO(
            pencil_facts(s, t, x ? x : s->info.x0, u ? u : zero, &facts, err));
        if (facts.index < 0) numerical_text(s, &facts, &result);
    }
    if (result.structural_rank == n) result.index = facts.index;
    result.solvable = result.index >= 0;
    *out = result;
done:
    yk_free(zero);
    return status;
}
