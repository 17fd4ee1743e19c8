/* comp/fmu/honest.c -- does an FMU depend on what it says, and on nothing else?
 *
 * A dependency that the description leaves out is a zero in the Jacobian, and
 * an output that is said to depend on nothing is taken as constant between two
 * points: wrong, and no error test sees it.  So at the start each column (those
 * of one colour at once, where there are many) is moved by as little as a
 * difference would be, and rows that change without having said so are not
 * believed: they may depend on everything.  The same is done a little way off, with
 * all states and inputs other than at the start: y = x u does not show that it
 * depends on u where x = 0.
 */
#include "comp/fmu/exchange.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Columns are moved one by one up to this number. */
enum { FEW = 200 };

static const double part = 1e-6; /* of the size, by which a column is moved */

/* Of the size, by which all columns are moved for the second look: by different
 * parts, up to this. */
static const double off = 0.1;

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
    double *base, *moved;   /* rows */
    double *column, *point; /* columns: where it is tried; scratch */
    bool *said;
    int found;
} check;

static double size_of(const check *c, int k)
{
    return fmax(fabs(c->column[k]), k < c->s->n ? c->s->nominal[k] : 1.0);
}

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
static yoke_status look(check *c, double t, int which, bool alone,
                        yoke_err *err)
{
    const yk_fmu_jacobian *j = &c->s->jacobian;
    const int n = c->s->n, m = c->s->e.input.count, p = c->s->e.output.count;

    memset(c->said, 0, (size_t)(n + p) * sizeof *c->said);
    for (int k = 0; k < n + m; k++) {
        c->point[k] = c->column[k];
        if (!is_in(c, k, which, alone)) continue;
        c->point[k] += part * size_of(c, k);
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
    YK_TRY(YK_DOUBLES(columns, err, &c->column, &c->point));
    if (!c->s->jacobian.liar) YK_TRY(YK_NEW(&c->s->jacobian.liar, rows, err));
    return YK_NEW(&c->said, rows, err);
}

/* All columns, here. */
static yoke_status look_at_all(check *c, double t, yoke_err *err)
{
    const int columns = c->s->n + c->s->e.input.count;
    const bool alone = columns <= FEW;
    const int looks = alone ? columns : c->s->jacobian.colours;
    bool defined = false;

    YK_TRY(evaluate(c->s, t, c->column, c->column + c->s->n, c->base, &defined,
                    err));
    for (int k = 0; defined && k < looks; k++)
        YK_TRY(look(c, t, k, alone, err));
    return YOKE_OK;
}

yoke_status yk_fmu_exchange_verify(yk_fmu_exchange *s, double t0,
                                   const double *u0, yoke_err *err)
{
    const int columns = s->n + s->e.input.count;
    check c = { .s = s };
    yoke_status status = YOKE_OK;

    YK_GO(room(&c, err));
    for (int k = 0; k < columns; k++)
        c.column[k] = k < s->n ? s->x[k] : u0[k - s->n];
    YK_GO(look_at_all(&c, t0, err));
    for (int k = 0; k < columns; k++)
        c.column[k] += off * (k + 1) / columns * size_of(&c, k);
    YK_GO(look_at_all(&c, t0, err));
    yk_fmu_exchange_point(s, t0, s->x, u0, NULL);
    if (c.found == 0) goto done;
    printf("%d of its derivatives and outputs depend on more than the "
           "description says; they are taken to depend on everything\n",
           c.found);
    YK_GO(yk_fmu_exchange_places(s, err));
done:
    YK_FREE(c.base, c.moved, c.column, c.point, c.said);
    return status;
}
