/* comp/fmu/honest.c -- does an FMU depend on what it says, and on nothing else?
 *
 * A dependency that the description leaves out is a zero in the Jacobian, and
 * an output that is said to depend on nothing is taken as constant between two
 * points: wrong, and no error test sees it.  So at the start each column (those
 * of one colour at once, where there are many) is moved by as little as a
 * difference would be, and rows that change without having said so are not
 * believed: they may depend on everything.
 */
#include "comp/fmu/exchange.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Columns are moved one by one up to this number. */
enum { FEW = 200 };

static const double part = 1e-6; /* of the size, by which a column is moved */

/* Changes below this part of the size (or of 1) are noise of a solver inside. */
static const double noise = 1e-8;

/* Marks the rows of a column that its pattern has. */
static void mark(const yoke_pattern *p, int column, bool *said)
{
    for (int k = p->start[column]; k < p->start[column + 1]; k++)
        said[p->row[k]] = true;
}

typedef struct check {
    yk_fmu_exchange *s;
    double *base, *moved, *point; /* rows; rows; columns */
    bool *said;
    int found;
} check;

static bool is_in(const check *c, int column, int which, bool alone)
{
    return alone ? column == which : c->s->jacobian.colour[column] == which;
}

/* It need not be defined there. */
static yoke_status evaluate(yk_fmu_exchange *s, double t, const double *x,
                            const double *u, double *out, bool *defined,
                            yoke_err *err)
{
    yoke_err why = { YOKE_OK, "" };
    const yoke_status status = yk_fmu_exchange_evaluate(s, t, x, u, out, &why);

    *defined = status == YOKE_OK;
    if (status != YOKE_E_MEMORY) return YOKE_OK;
    if (err) *err = why;
    return status;
}

/* Moves one column, or those of a colour, and looks at all rows. */
static yoke_status look(check *c, double t, const double *u0, int which,
                        bool alone, yoke_err *err)
{
    const yk_fmu_jacobian *j = &c->s->jacobian;
    const int n = c->s->n, m = c->s->e.input.count, p = c->s->e.output.count;

    memset(c->said, 0, (size_t)(n + p) * sizeof *c->said);
    for (int k = 0; k < n + m; k++) {
        const double value = k < n ? c->s->x[k] : u0[k - n];
        const double size = fmax(fabs(value), k < n ? c->s->nominal[k] : 1.0);
        c->point[k] = value;
        if (!is_in(c, k, which, alone)) continue;
        c->point[k] += part * size;
        mark(k < n ? j->G : j->Gu, k < n ? k : k - n, c->said);
        mark(k < n ? j->Hx : j->Hu, k < n ? k : k - n, c->said + n);
    }
    bool defined = false;
    YK_TRY(evaluate(c->s, t, c->point, c->point + n, c->moved, &defined, err));
    if (!defined) return YOKE_OK;
    for (int r = 0; r < n + p; r++)
        if (!c->said[r] && !j->liar[r] &&
            fabs(c->moved[r] - c->base[r]) >
                noise * fmax(fabs(c->base[r]), 1.0)) {
            j->liar[r] = true;
            c->found++;
        }
    return YOKE_OK;
}

static yoke_status room(check *c, yoke_err *err)
{
    const size_t rows = (size_t)(c->s->n + c->s->e.output.count) + 1;
    const size_t columns = (size_t)(c->s->n + c->s->e.input.count) + 1;

    YK_TRY(YK_DOUBLES(rows, err, &c->base, &c->moved));
    YK_TRY(yk_doubles(&c->point, columns, err));
    if (!c->s->jacobian.liar) YK_TRY(YK_NEW(&c->s->jacobian.liar, rows, err));
    return YK_NEW(&c->said, rows, err);
}

yoke_status yk_fmu_exchange_verify(yk_fmu_exchange *s, double t0,
                                   const double *u0, yoke_err *err)
{
    const int columns = s->n + s->e.input.count;
    const bool alone = columns <= FEW;
    check c = { .s = s };
    bool defined = false;
    yoke_status status = YOKE_OK;

    YK_GO(room(&c, err));
    YK_GO(evaluate(s, t0, s->x, u0, c.base, &defined, err));
    if (!defined) goto done;
    for (int k = 0; k < (alone ? columns : s->jacobian.colours); k++)
        YK_GO(look(&c, t0, u0, k, alone, err));
    yk_fmu_exchange_point(s, t0, s->x, u0, NULL);
    if (c.found == 0) goto done;
    printf("%d of its derivatives and outputs depend on more than the "
           "description says; they are taken to depend on everything\n",
           c.found);
    YK_GO(yk_fmu_exchange_places(s, err));
done:
    YK_FREE(c.base, c.moved, c.point, c.said);
    return status;
}
