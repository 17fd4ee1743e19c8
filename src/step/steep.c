/* step/steep.c -- by how much a subsystem amplifies errors of its inputs.
 *
 * Let y = h(x, u) follow u at once.  An error of u that is one rtol of its largest
 * value makes an error of y which is
 *
 *     gain = max_t |dh/du| rtol max|u| / (atol + rtol max|y|)
 *
 * of its tolerance.  Along the path of a run nothing has to be differentiated for
 * it: over a piece in which y moves by dy, and what it follows by du of its largest
 * value, the slope is at least dy / du.  The same is asked of algebraic unknowns,
 * and of rates r = dq/dt that depend on inputs alone, by their means over two
 * steps.  An error of a rate matters as far as it adds up in the charge, so its
 * gain is the smaller of
 *
 *     max_t slope / max|r|      and      rtol sum of slope h / (atol + rtol max|q|),
 *
 * the latter if the error of u has always the same sign.  For r = u the former is
 * 1, however long the run is; for r = exp(200 u) with |u| up to 1 it is 200.
 *
 * Inputs that move together and whose effects cancel, y = u_1 - u_2, are not seen
 * in this way.  So the derivatives themselves are looked at, too, at the ends of
 * windows 1, 2, 4, 8 ...: what cancels does so for long.
 *
 * It is a lower bound: of what the path does not touch nothing is seen.  Rates that depend on unknowns are left out, unless
 * nothing depends on their charge: elsewhere an error may fade.
 * docs/methods/amplification.md.
 */
#include "step/steep.h"

#include "base/vector.h"
#include "la/pattern.h"
#include "step/policy.h"

#include <float.h>
#include <string.h>

/* ---- What follows what ------------------------------------------------------
 */

typedef struct finder {
    const yk_problem *p;
    yoke_pattern *g, *gu; /* row by row */
    bool *algebraic;      /* of each unknown: no charge depends on it */
    int *given;           /* of each unknown: the row that gives it, or -1 */
    bool *seen;           /* m + n: in the list of a row already */
    int *list;            /* which they are */
    int count;
} finder;

/* Does the equation give one algebraic unknown by others that are given? */
static int gives(const finder *f, int row)
{
    int found = -1;

    for (int k = f->g->start[row]; k < f->g->start[row + 1]; k++) {
        const int j = f->g->row[k];
        if (!f->algebraic[j] || f->given[j] >= 0) continue;
        if (found >= 0) return -1;
        found = j;
    }
    return found;
}

/* Explicit equations, one after the other. */
static void find_given(finder *f)
{
    bool more = true;

    for (int j = 0; j < f->p->n; j++) f->given[j] = -1;
    while (more) {
        more = false;
        for (int i = 0; i < f->p->n; i++) {
            const int j = f->p->charge[i] ? -1 : gives(f, i);
            if (j < 0) continue;
            f->given[j] = i;
            more = true;
        }
    }
}

static void add(finder *f, int item)
{
    if (f->seen[item]) return;
    f->seen[item] = true;
    f->list[f->count++] = item;
}

/* Unknowns that an equation gives are replaced by what it contains.  False: one of
 * them is not given by any. */
static bool expand(finder *f)
{
    for (int k = 0; k < f->count; k++) {
        const int j = f->list[k] - f->p->m;
        if (j < 0 || !f->algebraic[j]) continue;
        const int i = f->given[j];
        if (i < 0) return false;
        for (int e = f->gu->start[i]; e < f->gu->start[i + 1]; e++)
            add(f, f->gu->row[e]);
        for (int e = f->g->start[i]; e < f->g->start[i + 1]; e++)
            add(f, f->p->m + f->g->row[e]);
    }
    return true;
}

/* Inputs and unknowns with charge of the list: those that it follows.  False: no
 * inputs, or, with `alone`, unknowns too. */
static bool settle(finder *f, bool alone)
{
    bool good = expand(f), input = false;
    int left = 0;

    for (int k = 0; k < f->count; k++) {
        const int item = f->list[k], j = item - f->p->m;
        f->seen[item] = false;
        if (j >= 0 && f->algebraic[j]) continue;
        if (j >= 0 && alone) good = false;
        if (j < 0) input = true;
        f->list[left++] = item;
    }
    f->count = left;
    return good && input;
}

/* The row is one of those that are looked at. */
static yoke_status take(yk_steep *s, const finder *f, int number, int *count,
                        size_t *room, yoke_err *err)
{
    const int k = s->rates + s->unknowns + s->outputs;
    const int used = s->first[k];

    YK_TRY(YK_GROW(&s->item, room, (size_t)(used + f->count) + 1, err));
    memcpy(s->item + used, f->list, (size_t)f->count * sizeof *s->item);
    s->first[k + 1] = used + f->count;
    s->kept[k].number = number;
    s->kept[k].by = f->given[number < f->p->n ? number : 0];
    ++*count;
    return YOKE_OK;
}

/* Patterns row by row. */
static void list_row(finder *f, const yoke_pattern *inputs,
                     const yoke_pattern *unknowns, int row)
{
    f->count = 0;
    for (int e = inputs->start[row]; e < inputs->start[row + 1]; e++)
        add(f, inputs->row[e]);
    for (int e = unknowns->start[row]; e < unknowns->start[row + 1]; e++)
        add(f, f->p->m + unknowns->row[e]);
}

static bool has_column(const yoke_pattern *p, int j)
{
    return p->start[j + 1] > p->start[j];
}

/* Does no equation contain an unknown of the charge?  Then its errors cannot
 * fade. */
static bool adds_up(const finder *f, int row)
{
    const yoke_system_info *facts = f->p->facts;

    for (int j = 0; j < f->p->n; j++)
        for (int k = facts->C->start[j]; k < facts->C->start[j + 1]; k++)
            if (facts->C->row[k] == row && has_column(facts->G, j))
                return false;
    return true;
}

static yoke_status find_rows(yk_steep *s, finder *f, yoke_err *err)
{
    const yk_problem *p = f->p;
    yoke_status status = YOKE_OK;
    yoke_pattern *hx = NULL, *hu = NULL;
    size_t room = 0;

    find_given(f);
    for (int i = 0; i < p->n; i++) {
        list_row(f, f->gu, f->g, i);
        if (settle(f, !adds_up(f, i)) && p->charge[i])
            YK_GO(take(s, f, i, &s->rates, &room, err));
    }
    for (int j = 0; j < p->n; j++) {
        f->count = 0;
        add(f, p->m + j);
        if (settle(f, false) && f->algebraic[j])
            YK_GO(take(s, f, j, &s->unknowns, &room, err));
    }
    YK_GO(yk_pattern_transpose(&hx, p->facts->Hx, err));
    YK_GO(yk_pattern_transpose(&hu, p->facts->Hu, err));
    for (int i = 0; i < p->p; i++) {
        list_row(f, hu, hx, i);
        const bool own = f->count > 1 || hu->start[i + 1] > hu->start[i];
        if (settle(f, false) && own)
            YK_GO(take(s, f, i, &s->outputs, &room, err));
    }
done:
    yoke_pattern_free(hx);
    yoke_pattern_free(hu);
    return status;
}

static yoke_status find_all(yk_steep *s, const yk_problem *p, yoke_err *err)
{
    const size_t n = (size_t)p->n + 1, all = n + (size_t)p->m;
    yoke_status status = YOKE_OK;
    finder f = { .p = p };

    YK_GO(yk_pattern_transpose(&f.g, p->facts->G, err));
    YK_GO(yk_pattern_transpose(&f.gu, p->facts->Gu, err));
    YK_GO(YK_NEW(&f.algebraic, n, err));
    YK_GO(YK_NEW(&f.seen, all, err));
    YK_GO(yk_ints(&f.given, n, err));
    YK_GO(yk_ints(&f.list, all, err));
    for (int j = 0; j < p->n; j++) f.algebraic[j] = !has_column(p->facts->C, j);
    YK_GO(find_rows(s, &f, err));
done:
    yoke_pattern_free(f.g);
    yoke_pattern_free(f.gu);
    YK_FREE(f.algebraic, f.seen, f.given, f.list);
    return status;
}

static int rows_of(const yk_steep *s)
{
    return s->rates + s->unknowns + s->outputs;
}

static yoke_status make_past(yk_steep_past *past, size_t all, yoke_err *err)
{
    return YK_DOUBLES(all, err, &past->low, &past->high, &past->rate);
}

yoke_status yk_steep_create(yk_steep *s, const yk_problem *p, yoke_err *err)
{
    const yoke_system_info *f = p->facts;
    const size_t n = (size_t)p->n, m = (size_t)p->m, all = n + m + 1;
    const size_t most = 2 * n + (size_t)p->p + 1;

    if (m == 0 || !(f->flags & YOKE_TIMELESS) || yoke_pattern_count(f->Cu) > 0)
        return YOKE_OK;
    YK_TRY(yk_ints(&s->first, most + 1, err));
    YK_TRY(YK_NEW(&s->kept, most, err));
    YK_TRY(YK_NEW(&s->row, most, err));
    YK_TRY(find_all(s, p, err));
    YK_TRY(yk_doubles(&s->direct, (size_t)s->first[rows_of(s)] + 1, err));
    YK_TRY(yk_doubles(&s->G, (size_t)yoke_pattern_count(f->G) + 1, err));
    YK_TRY(yk_doubles(&s->Gu, (size_t)yoke_pattern_count(f->Gu) + 1, err));
    YK_TRY(yk_doubles(&s->Hu, (size_t)yoke_pattern_count(f->Hu) + 1, err));
    YK_TRY(YK_DOUBLES(3 * all, err, &s->u_at, &s->x_at));
    YK_TRY(yk_doubles(&s->y_at, 3 * (size_t)p->p + 1, err));
    YK_TRY(yk_doubles(&s->peak, all, err));
    YK_TRY(make_past(&s->now, all, err));
    YK_TRY(make_past(&s->before, all, err));
    YK_TRY(make_past(&s->at_point, all, err));
    memcpy(s->row, s->kept, (size_t)rows_of(s) * sizeof *s->row);
    s->on = rows_of(s) > 0;
    return YOKE_OK;
}

static void free_past(yk_steep_past *past)
{
    YK_FREE(past->low, past->high, past->rate);
}

void yk_steep_free(yk_steep *s)
{
    free_past(&s->now);
    free_past(&s->before);
    free_past(&s->at_point);
    YK_FREE(s->first, s->item, s->kept, s->row, s->direct, s->G, s->Gu, s->Hu,
            s->peak, s->u_at, s->x_at, s->y_at);
}

/* ---- Points ----------------------------------------------------------------
 */

static void copy_past(const yk_problem *p, yk_steep_past *to,
                      const yk_steep_past *from)
{
    to->known = from->known;
    yk_copy(to->low, from->low, p->m + p->n);
    yk_copy(to->high, from->high, p->m + p->n);
    yk_copy(to->rate, from->rate, p->n);
}

void yk_steep_back(yk_steep *s, const yk_problem *p)
{
    if (!s->on) return;
    memcpy(s->row, s->kept, (size_t)rows_of(s) * sizeof *s->row);
    copy_past(p, &s->before, &s->at_point);
}

void yk_steep_jump(yk_steep *s)
{
    s->before.known = false;
}

/* ---- Slopes ----------------------------------------------------------------
 */

static void reach(double value, double *low, double *high, double *peak)
{
    if (value < *low) *low = value;
    if (value > *high) *high = value;
    if (fabs(value) > *peak) *peak = fabs(value);
}

/* By how much of their largest values the items of row k have moved. */
static double moved(const yk_steep *s, int k, const yk_steep_past *now,
                    const yk_steep_past *before)
{
    double most = 0.0;

    for (int e = s->first[k]; e < s->first[k + 1]; e++) {
        const int i = s->item[e];
        double low = now->low[i], high = now->high[i];
        if (before) low = fmin(low, before->low[i]);
        if (before) high = fmax(high, before->high[i]);
        if (high - low > most * s->peak[i]) most = (high - low) / s->peak[i];
    }
    return most;
}

static void note(yk_steep_row *row, double change, double by, double t)
{
    if (!(change > row->slope * by) || !(by > 0.0)) return;
    row->slope = change / by;
    row->when = t;
}

static void range_unknowns(yk_steep *s, const yk_problem *p)
{
    const yk_poly *poly = &p->poly;
    const size_t n = (size_t)p->n;
    double *low = s->now.low + p->m, *high = s->now.high + p->m;
    double *peak = s->peak + p->m;

    for (size_t i = 0; i < n; i++) {
        double half = p->x_new[i];
        if (poly->valid && poly->coef) {
            half = 0.0;
            for (int k = poly->degree; k >= 0; k--)
                half = 0.5 * half + poly->coef[(size_t)k * n + i];
        }
        low[i] = high[i] = p->x[i];
        reach(half, &low[i], &high[i], &peak[i]);
        reach(p->x_new[i], &low[i], &high[i], &peak[i]);
    }
}

static void range_inputs(yk_steep *s, yk_problem *p, double t)
{
    const double at[3] = { p->t, 0.5 * (p->t + t), t };

    for (int k = 0; k < 3; k++) {
        const double *u = yk_input(p, at[k]);
        for (int j = 0; j < p->m; j++) {
            if (k == 0) s->now.low[j] = s->now.high[j] = u[j];
            reach(u[j], &s->now.low[j], &s->now.high[j], &s->peak[j]);
        }
    }
}

static void compare_rates(yk_steep *s, const yk_problem *p, double h, double t)
{
    for (int k = 0; k < s->rates; k++) {
        yk_steep_row *row = &s->row[k];
        const double q = p->q_new[row->number];
        const double noise = YK_STEEP_NOISE * DBL_EPSILON * fabs(q) / h;
        const double change = fabs(s->now.rate[k] - s->before.rate[k]);
        const double by = moved(s, k, &s->now, &s->before);
        if (!(change > YK_STEEP_LEAST * row->peak + noise)) continue;
        if (by > 0.0) row->sum += h * change / by;
        note(row, change, by, t);
    }
}

static void look_at_rates(yk_steep *s, const yk_problem *p, double t)
{
    const double h = t - p->t;

    for (int k = 0; k < s->rates; k++) {
        yk_steep_row *row = &s->row[k];
        const int i = row->number;
        s->now.rate[k] = (p->q_new[i] - p->q[i]) / h;
        row->peak = fmax(row->peak, fabs(s->now.rate[k]));
        row->size = fmax(row->size, fabs(p->q_new[i]));
    }
    if (s->before.known) compare_rates(s, p, h, t);
}

static void look_at_unknowns(yk_steep *s, const yk_problem *p, double t)
{
    for (int k = s->rates; k < s->rates + s->unknowns; k++) {
        yk_steep_row *row = &s->row[k];
        const int i = p->m + row->number;
        const double change = s->now.high[i] - s->now.low[i];
        row->peak = s->peak[i];
        if (change > YK_STEEP_LEAST * row->peak)
            note(row, change, moved(s, k, &s->now, NULL), t);
    }
}

void yk_steep_step(yk_steep *s, yk_problem *p, double t)
{
    if (s->rates + s->unknowns == 0 || !(t > p->t)) return;
    range_inputs(s, p, t);
    range_unknowns(s, p);
    look_at_rates(s, p, t);
    look_at_unknowns(s, p, t);
    const yk_steep_past last = s->before;
    s->before = s->now;
    s->before.known = true;
    s->now = last;
}

static void range_three(const double *v, int count, double *low, double *high,
                        double *peak)
{
    for (int j = 0; j < count; j++) {
        low[j] = high[j] = v[j];
        for (int k = 0; k < 3; k++)
            reach(v[k * count + j], &low[j], &high[j], &peak[j]);
    }
}

void yk_steep_piece(yk_steep *s, const yk_problem *p, double t)
{
    const int first = s->rates + s->unknowns;
    yk_steep_past *now = &s->now;

    range_three(s->u_at, p->m, now->low, now->high, s->peak);
    range_three(s->x_at, p->n, now->low + p->m, now->high + p->m,
                s->peak + p->m);
    for (int k = first; k < rows_of(s); k++) {
        yk_steep_row *row = &s->row[k];
        double low = s->y_at[row->number], high = low;
        for (int i = 0; i < 3; i++)
            reach(s->y_at[i * p->p + row->number], &low, &high, &row->peak);
        if (high - low > YK_STEEP_LEAST * row->peak)
            note(row, high - low, moved(s, k, now, NULL), t);
    }
}

/* ---- Derivatives -----------------------------------------------------------
 */

static double entry(const yoke_pattern *p, const double *value, int row,
                    int col)
{
    for (int k = p->start[col]; k < p->start[col + 1]; k++)
        if (p->row[k] == row) return value[k];
    return 0.0;
}

/* Of row k by input j, as far as it occurs in the row itself. */
static double derivative(const yk_steep *s, const yoke_system_info *f, int k,
                         int j)
{
    const yk_steep_row *row = &s->kept[k];

    if (k < s->rates) return entry(f->Gu, s->Gu, row->number, j);
    if (k >= s->rates + s->unknowns) return entry(f->Hu, s->Hu, row->number, j);
    const double own = entry(f->G, s->G, row->by, row->number);
    return own != 0.0 ? entry(f->Gu, s->Gu, row->by, j) / own : 0.0;
}

/* At the present point. */
static void look_at_derivatives(yk_steep *s, yk_problem *p)
{
    const yoke_jacobian want = { .G = s->G, .Gu = s->Gu, .Hu = s->Hu };

    if (yoke_system_jacobian(p->system, yk_time(p, p->t), p->x, p->u, &want,
                             NULL) != YOKE_OK)
        return;
    for (int k = 0; k < rows_of(s); k++)
        for (int e = s->first[k]; e < s->first[k + 1]; e++) {
            if (s->item[e] >= p->m) continue;
            const double d = fabs(derivative(s, p->facts, k, s->item[e]));
            if (d > s->direct[e]) s->direct[e] = d;
        }
}

/* What one rtol of each input does to the row, over rtol. */
static double direct_slope(const yk_steep *s, const yk_problem *p, int k)
{
    double sum = 0.0;

    for (int e = s->first[k]; e < s->first[k + 1]; e++)
        if (s->item[e] < p->m) sum += s->direct[e] * s->peak[s->item[e]];
    return sum;
}

/* ---- What comes of it ------------------------------------------------------
 */

static double gain_of(const yk_steep *s, const yk_problem *p, int k)
{
    const yk_steep_row *row = &s->kept[k];
    const double rtol = p->options.rtol;
    double atol = p->options.atol;

    if (!(row->peak > 0.0)) return 0.0;
    const double direct = direct_slope(s, p, k);
    const double slope = fmax(row->slope, direct);
    if (k < s->rates + s->unknowns) atol = p->atol[row->number];
    if (k >= s->rates)
        return rtol * slope / yk_tolerance(atol, rtol, row->peak);
    const double sum = fmax(row->sum, direct * (p->t - s->begin));
    return fmin(slope / row->peak,
                rtol * sum / yk_tolerance(atol, rtol, row->size));
}

/* The largest of all. */
static void tell(const yk_steep *s, yk_problem *p)
{
    p->work.gain = 0.0;
    for (int k = 0; k < rows_of(s); k++) {
        const int number = s->kept[k].number;
        const double gain = gain_of(s, p, k);
        if (gain <= p->work.gain) continue;
        p->work.gain = gain;
        p->work.gain_time = s->kept[k].when;
        p->work.gain_in = k < s->rates + s->unknowns ? number : p->n + number;
    }
}

void yk_steep_keep(yk_steep *s, yk_problem *p)
{
    if (!s->on) return;
    memcpy(s->kept, s->row, (size_t)rows_of(s) * sizeof *s->row);
    copy_past(p, &s->at_point, &s->before);
    if (s->windows > 0 && (s->windows & (s->windows - 1)) == 0)
        look_at_derivatives(s, p);
    s->windows++;
    tell(s, p);
}

void yk_steep_start(yk_steep *s, double t)
{
    s->begin = t;
    s->before.known = false;
}
