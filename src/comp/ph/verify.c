/* comp/ph/verify.c -- is it port-Hamiltonian?
 *
 *     J + J' = 0,   R - R' = 0,   E'Q - Q'E = 0     entry by entry
 *     R >= 0,       E'Q >= 0                        by Cholesky factors
 *     Q invertible                                  by LU
 *
 * all to 1e-10 of the largest entry: matrices come from files with as many
 * digits as their writer thought enough.  A negative pivot of the Cholesky
 * factor is a direction in which the form is negative by that much.
 */
#include "comp/ph/ph.h"

#include "la/lu.h"

#include <math.h>

static const double small = 1e-10;

/* Entries of an envelope for which definiteness is still checked. */
static const double most_entries = 5e7;

yoke_status yk_ph_finite(const char *what, const yoke_matrix *m, yoke_err *err)
{
    const yoke_pattern *p = m->pattern;

    for (int j = 0; p && j < p->cols; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (!isfinite(m->value[k]))
                return yk_fail(err, YOKE_E_MODEL,
                               "%s(%d, %d) is %g; every entry must be finite",
                               what, p->row[k] + 1, j + 1, m->value[k]);
    return YOKE_OK;
}

static double entry(const yk_sparse *m, int i, int j)
{
    const int at = yoke_pattern_find(m->pattern, i, j);

    return at < 0 ? 0.0 : m->value[at];
}

/* m = sign m', with the entry that violates it most. */
static yoke_status check_turned(const yk_sparse *m, double sign,
                                const char *what, const char *word,
                                yoke_err *err)
{
    const yoke_pattern *p = m->pattern;
    const double largest = yk_sparse_largest(m);
    double worst = small * largest;
    int row = -1, col = -1;

    for (int j = 0; j < p->cols; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            const int i = p->row[k];
            const double miss = fabs(m->value[k] - sign * entry(m, j, i));
            if (!(miss > worst)) continue;
            worst = miss;
            row = i;
            col = j;
        }
    if (row < 0) return YOKE_OK;
    if (row == col)
        return yk_fail(err, YOKE_E_MODEL,
                       "%s is not %s: %s(%d, %d) = %.6g, which must be 0", what,
                       word, what, row + 1, col + 1, entry(m, row, col));
    return yk_fail(err, YOKE_E_MODEL,
                   "%s is not %s: %s(%d, %d) = %.6g and %s(%d, %d) = %.6g "
                   "differ from it by %.3g",
                   what, word, what, row + 1, col + 1, entry(m, row, col), what,
                   col + 1, row + 1, entry(m, col, row), worst);
}

static yoke_status check_semidefinite(const yk_sparse *m, const char *what,
                                      const char *const *x_name, yoke_err *err)
{
    const double size = yk_sparse_largest(m);
    double pivot = 0.0;
    int row = -1;

    if (size == 0.0) return YOKE_OK;
    YK_TRY(
        yk_sparse_definite(m, small * size, most_entries, &row, &pivot, err));
    if (row < 0) return YOKE_OK;
    return yk_fail(err, YOKE_E_MODEL,
                   "%s is not positive semidefinite: at row %d%s%s%s it is "
                   "negative by %.3g (%s(%d, %d) = %.6g)",
                   what, row + 1, x_name ? " (" : "", x_name ? x_name[row] : "",
                   x_name ? ")" : "", -(pivot - small * size), what, row + 1,
                   row + 1, entry(m, row, row));
}

static yoke_status check_invertible(const yk_sparse *q, yoke_err *err)
{
    yk_lu *lu = NULL;
    int column = -1;
    yoke_err why = { YOKE_OK, "" };

    YK_TRY(yk_lu_create(&lu, q->pattern, false, err));
    yoke_status status = yk_lu_factor(lu, q->value, &column, &why);
    const double rcond = status == YOKE_OK ? yk_lu_rcond(lu) : 0.0;
    yk_lu_free(lu);
    if (status == YOKE_OK && rcond > 1e-15) return YOKE_OK;
    if (status < 0) {
        if (err) *err = why;
        return status;
    }
    if (column >= 0)
        return yk_fail(err, YOKE_E_MODEL,
                       "Q is not invertible: column %d depends on the others",
                       column + 1);
    return yk_fail(err, YOKE_E_MODEL,
                   "Q is not invertible: its condition number is about %.1g",
                   1.0 / rcond);
}

yoke_status yk_ph_verify(const yk_ph *ph, const char *const *x_name,
                         yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_sparse product = { NULL, NULL };

    YK_GO(check_turned(&ph->J, -1.0, "J", "skew-symmetric", err));
    YK_GO(check_turned(&ph->R, 1.0, "R", "symmetric", err));
    YK_GO(check_semidefinite(&ph->R, "R", x_name, err));
    YK_GO(check_invertible(&ph->Q, err));
    YK_GO(yk_sparse_product_transposed(&product, &ph->linear.E, &ph->Q, err));
    YK_GO(check_turned(&product, 1.0, "E'Q", "symmetric", err));
    YK_GO(check_semidefinite(&product, "E'Q", x_name, err));
done:
    yk_sparse_clear(&product);
    return status;
}
