/* comp/fmu/jacobian.c -- Jacobians of model exchange FMUs.
 *
 * The description says which states and inputs a derivative or an output depends
 * on; what it does not say may depend on everything.  Columns that share no row
 * have one colour and are found together,
 *
 *     by a directional derivative with the seed of the colour, or
 *     by a difference, which costs one more evaluation.
 *
 * Both are tried at the start, and the cheaper one is taken; derivatives that
 * differ from the differences are not believed.
 */
#include "comp/fmu/exchange.h"
#include "la/pattern.h"
#include "la/sparse.h"

#include <math.h>
#include <stdio.h>

/* A derivative may differ from a difference by this part of the largest one in
 * its row: differences of curved functions do. */
static const double ALIKE = 0.05;

/* ---- columns ----------------------------------------------------------- */

/* States in the order of their derivatives, then inputs. */
static yoke_status list_columns(yk_fmu_exchange *s, yoke_err *err)
{
    const yk_fmu_description *d = s->e.description;
    const int columns = s->n + s->e.input.count;
    yk_fmu_signal *column = NULL;

    YK_TRY(YK_NEW(&column, columns + 1, err));
    s->jacobian.column = column;
    for (int i = 0, c = 0; i < d->derivatives; i++) {
        const yk_fmu_variable *v = &d->variable[d->derivative[i].variable];

        for (int k = 0; k < v->count; k++)
            column[c++] = (yk_fmu_signal){ v->state, k };
    }
    for (int k = 0; k < s->e.input.count; k++)
        column[s->n + k] = s->e.input.signal[k];
    return YOKE_OK;
}

/* ---- places ------------------------------------------------------------ */

/* Of each variable: the first of its columns, of which `next` is the one behind
 * it, what the description says of it among the outputs or derivatives, and
 * scratch; -1, NULL: none. */
typedef struct index {
    int *column, *next;
    const yk_fmu_unknown **told;
    bool *reads;
} index;

static void index_clear(index *of)
{
    YK_FREE(of->column, of->next, of->reads);
    yk_free(of->told);
}

static yoke_status index_create(const yk_fmu_exchange *s, index *of,
                                yoke_err *err)
{
    const yk_fmu_description *d = s->e.description;
    const int columns = s->n + s->e.input.count;
    const size_t room = (size_t)d->variables + 1;

    YK_TRY(yk_ints(&of->column, room, err));
    YK_TRY(YK_NEW(&of->told, room, err));
    YK_TRY(yk_ints(&of->next, (size_t)columns + 1, err));
    YK_TRY(YK_NEW(&of->reads, room, err));
    for (int v = 0; v < d->variables; v++) of->column[v] = -1;
    for (int j = columns - 1; j >= 0; j--) {
        const int v = s->jacobian.column[j].variable;
        of->next[j] = of->column[v];
        of->column[v] = j;
    }
    for (int i = 0; i < d->derivatives; i++)
        of->told[d->derivative[i].variable] = &d->derivative[i];
    for (int i = 0; i < d->outputs; i++)
        of->told[d->output[i].variable] = &d->output[i];
    return YOKE_OK;
}

static yoke_status add_row(const yk_fmu_exchange *s, yk_triplets *p, int row,
                           const yk_fmu_unknown *unknown, const index *of,
                           yoke_err *err)
{
    const int columns = s->n + s->e.input.count;
    const bool lies = s->jacobian.liar && s->jacobian.liar[row];
    const bool all = !unknown || !unknown->listed || lies;

    for (int j = 0; all && j < columns; j++)
        YK_TRY(yk_triplets_add(p, row, j, 0.0, err));
    for (int k = 0; !all && k < unknown->count; k++) {
        const int v = unknown->known[k];
        if (of->reads[v]) continue; /* named twice */
        of->reads[v] = true;
        for (int j = of->column[v]; j >= 0; j = of->next[j])
            YK_TRY(yk_triplets_add(p, row, j, 0.0, err));
    }
    for (int k = 0; !all && k < unknown->count; k++)
        of->reads[unknown->known[k]] = false;
    return YOKE_OK;
}

static yoke_status add_rows(const yk_fmu_exchange *s, yk_triplets *p,
                            const index *of, yoke_err *err)
{
    const yk_fmu_description *d = s->e.description;
    int row = 0;

    for (int i = 0; i < d->derivatives; i++) {
        const int count = d->variable[d->derivative[i].variable].count;

        for (int k = 0; k < count; k++)
            YK_TRY(add_row(s, p, row++, &d->derivative[i], of, err));
    }
    for (int o = 0; o < s->e.output.count; o++)
        YK_TRY(add_row(s, p, row++, of->told[s->e.output.signal[o].variable],
                       of, err));
    return YOKE_OK;
}

/* Rows from ... to and these columns of all places. */
static yoke_status cut(yoke_pattern **out, const yk_triplets *p, int row,
                       int rows, int col, int cols, yoke_err *err)
{
    yk_triplets part = { 0 };
    yoke_status status = YOKE_OK;

    for (int k = 0; k < p->count; k++)
        if (p->row[k] >= row && p->row[k] < row + rows && p->col[k] >= col &&
            p->col[k] < col + cols)
            YK_GO(yk_triplets_add(&part, p->row[k] - row, p->col[k] - col, 0.0,
                                  err));
    status = yoke_pattern_create(out, rows, cols, part.count, part.row,
                                 part.col, err);
done:
    yk_triplets_clear(&part);
    return status;
}

static yoke_status colour(yk_fmu_exchange *s, const yk_triplets *p,
                          yoke_err *err)
{
    const int rows = s->n + s->e.output.count;
    const int cols = s->n + s->e.input.count;
    yoke_pattern *all = NULL;

    YK_TRY(yk_ints(&s->jacobian.colour, (size_t)cols + 1, err));
    YK_TRY(cut(&all, p, 0, rows, 0, cols, err));
    const yoke_status status =
        yk_pattern_colour(all, s->jacobian.colour, &s->jacobian.colours, err);
    yoke_pattern_free(all);
    return status;
}

/* ---- directional derivatives ------------------------------------------- */

/* The variables that are told: derivatives, and outputs that are smooth.  Places
 * of other outputs stay zero, so with arrays among them nothing is told. */
static yoke_status list_unknowns(yk_fmu_exchange *s, yoke_err *err)
{
    const yk_fmu_description *d = s->e.description;
    yk_fmu_jacobian *j = &s->jacobian;
    const size_t rows = (size_t)(s->n + s->e.output.count) + 1;
    const size_t cols = (size_t)(s->n + s->e.input.count) + 1;
    int row = 0;

    YK_TRY(YK_NEW(&j->unknown, rows, err));
    YK_TRY(YK_NEW(&j->known, cols, err));
    YK_TRY(yk_ints(&j->row, rows, err));
    YK_TRY(yk_ints(&j->known_at, cols, err));
    YK_TRY(yk_ints(&j->place, (size_t)d->variables + 1, err));
    for (int v = 0; v < d->variables; v++) j->place[v] = -1;
    YK_TRY(yk_doubles(&j->out, 3 * rows, err));
    for (int i = 0; i < d->derivatives; i++) {
        const yk_fmu_variable *v = &d->variable[d->derivative[i].variable];

        j->unknown[j->unknowns++] = v->reference;
        for (int k = 0; k < v->count; k++) j->row[j->rows++] = row++;
    }
    for (int o = 0; o < s->e.output.count; o++) {
        const yk_fmu_variable *v = &d->variable[s->e.output.signal[o].variable];

        if (s->e.output.discrete[o] || v->type != YK_FMU_FLOAT64 || v->array)
            continue;
        j->unknown[j->unknowns++] = v->reference;
        j->row[j->rows++] = s->n + o;
    }
    return YOKE_OK;
}

/* out[n + p]: the change of derivatives and outputs with the columns of one
 * colour. */
static yoke_status tell(yk_fmu_exchange *s, int which, double *out,
                        yoke_err *err)
{
    const yk_fmu_description *d = s->e.description;
    yk_fmu_jacobian *j = &s->jacobian;
    const int columns = s->n + s->e.input.count;
    double *const told = j->out;
    int knowns = 0, seeds = 0;

    for (int c = 0; c < columns; c++) {
        const yk_fmu_signal *at = &j->column[c];
        const yk_fmu_variable *v = &d->variable[at->variable];
        if (j->colour[c] != which || v->type != YK_FMU_FLOAT64 ||
            (c >= s->n && v->variability != YK_FMU_CONTINUOUS))
            continue;
        /* Elements of one array may be columns in any order. */
        if (j->place[at->variable] < 0) {
            YK_TRY(YK_GROW(&j->seed, &j->seed_room, seeds + v->count, err));
            for (int e = 0; e < v->count; e++) j->seed[seeds + e] = 0.0;
            j->place[at->variable] = seeds;
            seeds += v->count;
            j->known_at[knowns] = at->variable;
            j->known[knowns++] = v->reference;
        }
        j->seed[j->place[at->variable] + at->element] = 1.0;
    }
    for (int k = 0; k < knowns; k++) j->place[j->known_at[k]] = -1;
    for (int r = 0; r < s->n + s->e.output.count; r++) out[r] = 0.0;
    if (knowns == 0 || j->unknowns == 0) return YOKE_OK;
    YK_TRY(yk_fmu_directional(s->e.instance, j->unknowns, j->unknown, j->rows,
                              told, knowns, j->known, seeds, j->seed, err));
    for (int r = 0; r < j->rows; r++) out[j->row[r]] = told[r];
    return YOKE_OK;
}

/* Column c of one matrix from out, of which the first row is `row`. */
static void put(const yoke_pattern *p, double *value, int c, const double *out,
                double sign)
{
    for (int k = p->start[c]; value && k < p->start[c + 1]; k++)
        value[k] = sign * out[p->row[k]];
}

yoke_status yk_fmu_exchange_jacobian(void *self, double t, const double *x,
                                     const double *u, const yoke_jacobian *jac,
                                     yoke_err *err)
{
    yk_fmu_exchange *s = self;
    yk_fmu_jacobian *j = &s->jacobian;
    const int n = s->n, m = s->e.input.count;
    double *const out = j->out + n + s->e.output.count + 1;

    YK_TRY(yk_fmu_exchange_point(s, t, x, u, err));
    for (int k = 0; jac->C && k < n; k++) jac->C[k] = 1.0;
    for (int which = 0; which < j->colours; which++) {
        YK_TRY(tell(s, which, out, err));
        for (int c = 0; c < n + m; c++) {
            if (j->colour[c] != which) continue;
            put(c < n ? j->G : j->Gu, c < n ? jac->G : jac->Gu,
                c < n ? c : c - n, out, -1.0);
            put(c < n ? j->Hx : j->Hu, c < n ? jac->Hx : jac->Hu,
                c < n ? c : c - n, out + n, 1.0);
        }
    }
    return YOKE_OK;
}

/* ---- the choice -------------------------------------------------------- */

yoke_status yk_fmu_exchange_evaluate(yk_fmu_exchange *s, double t,
                                     const double *x, const double *u,
                                     double *out, yoke_err *err)
{
    YK_TRY(yk_fmu_exchange_point(s, t, x, u, err));
    YK_TRY(yk_fmu_slopes(s->e.instance, s->n, out, err));
    return yk_fmu_get(s->e.instance, s->e.output.count, s->e.output.signal,
                      out + s->n, err);
}

/* x and u moved in the columns of one colour, all by as much; moved has n + m.
 */
static double move(const yk_fmu_exchange *s, int which, const double *u0,
                   double *moved)
{
    static const double part = 1e-6;
    const int n = s->n, m = s->e.input.count;
    double size = 1.0;

    for (int c = 0; c < n + m; c++)
        if (s->jacobian.colour[c] == which)
            size = fmax(size, fabs(c < n ? s->x[c] : u0[c - n]));
    for (int c = 0; c < n + m; c++) {
        const double value = c < n ? s->x[c] : u0[c - n];

        moved[c] = value + (s->jacobian.colour[c] == which ? part * size : 0.0);
    }
    return part * size;
}

static bool alike(const yk_fmu_exchange *s, const double *told,
                  const double *base, const double *moved, double h)
{
    const int rows = s->jacobian.rows;
    double most = 0.0, wrong = 0.0;

    for (int r = 0; r < rows; r++) {
        const int at = s->jacobian.row[r];
        const double seen = (moved[at] - base[at]) / h;

        most = fmax(most, fabs(seen));
        wrong = fmax(wrong, fabs(seen - told[at]));
    }
    return wrong <= ALIKE * most + 1e-6;
}

typedef struct tried {
    bool alike, works;
} tried;

static tried try_told(yk_fmu_exchange *s, double t0, const double *u0,
                      double *scratch)
{
    const int rows = s->n + s->e.output.count;
    double *told = scratch, *base = told + rows, *moved = base + rows;
    double *point = moved + rows;
    tried r = { .alike = true, .works = true };

    r.works = yk_fmu_exchange_evaluate(s, t0, s->x, u0, base, NULL) == YOKE_OK;
    for (int c = 0; r.works && r.alike && c < s->jacobian.colours; c++) {
        r.works = yk_fmu_exchange_point(s, t0, s->x, u0, NULL) == YOKE_OK &&
                  tell(s, c, told, NULL) == YOKE_OK;
        const double h = move(s, c, u0, point);
        if (yk_fmu_exchange_evaluate(s, t0, point, point + s->n, moved, NULL) ==
            YOKE_OK)
            r.alike = r.alike && alike(s, told, base, moved, h);
    }
    return r;
}

/* What they cost is not asked: that would be a clock, and the bits of a run must not
 * depend on one. */
void yk_fmu_exchange_weigh(yk_fmu_exchange *s, double t0, const double *u0)
{
    const int rows = s->n + s->e.output.count;
    yk_fmu_jacobian *j = &s->jacobian;
    double *scratch = NULL;

    j->told = false;
    for (int o = 0; o < s->e.output.count; o++)
        if (s->e.description->variable[s->e.output.signal[o].variable].array)
            return;
    if (!s->e.description->exchange.directional ||
        yk_doubles(&scratch, (size_t)(4 * rows + s->n + s->e.input.count + 1),
                   NULL) != YOKE_OK)
        return;
    const tried r = try_told(s, t0, u0, scratch);
    yk_free(scratch);
    j->told = r.works && r.alike;
    if (!j->told)
        printf("directional derivatives %s; differences are taken\n",
               r.works ? "differ from differences" : "fail");
    yk_fmu_exchange_point(s, t0, s->x, u0, NULL);
}

/* ---- life -------------------------------------------------------------- */

static void clear_places(yk_fmu_jacobian *j)
{
    bool *const liar = j->liar;

    yoke_pattern_free(j->C);
    yoke_pattern_free(j->G);
    yoke_pattern_free(j->Cu);
    yoke_pattern_free(j->Gu);
    yoke_pattern_free(j->Hx);
    yoke_pattern_free(j->Hu);
    YK_FREE(j->column, j->colour, j->unknown, j->known, j->known_at, j->row,
            j->seed, j->out, j->place);
    *j = (yk_fmu_jacobian){ .liar = liar };
}

yoke_status yk_fmu_exchange_places(yk_fmu_exchange *s, yoke_err *err)
{
    yk_fmu_jacobian *j = &s->jacobian;
    const int n = s->n, m = s->e.input.count, p = s->e.output.count;
    yk_triplets all = { 0 };
    index of = { 0 };
    yoke_status status;

    clear_places(j);
    YK_GO(list_columns(s, err));
    YK_GO(index_create(s, &of, err));
    YK_GO(add_rows(s, &all, &of, err));
    YK_GO(yk_pattern_identity(&j->C, n, err));
    YK_GO(yk_pattern_empty(&j->Cu, n, m, err));
    YK_GO(cut(&j->G, &all, 0, n, 0, n, err));
    YK_GO(cut(&j->Gu, &all, 0, n, n, m, err));
    YK_GO(cut(&j->Hx, &all, n, p, 0, n, err));
    YK_GO(cut(&j->Hu, &all, n, p, n, m, err));
    YK_GO(colour(s, &all, err));
    YK_GO(list_unknowns(s, err));
done:
    index_clear(&of);
    yk_triplets_clear(&all);
    return status;
}

void yk_fmu_exchange_clear(yk_fmu_exchange *s)
{
    clear_places(&s->jacobian);
    yk_free(s->jacobian.liar);
    s->jacobian.liar = NULL;
}
