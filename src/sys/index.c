/* sys/index.c -- the index of a matrix pencil by Luenberger's shuffle.
 *
 * Row operations bring C to echelon form.  A row whose part in C vanishes is an
 * algebraic equation 0 = g'x; it is differentiated, g'x' = 0, which moves its
 * part in G over to C, and is reduced again.  The number of rounds until C has
 * full rank is the index.  A row that vanishes altogether depends on the others
 * for every s: the pencil is singular.
 *
 * What is zero?  Every number carries a running estimate of its error (as
 * Wilkinson's, but squares are added, since bounds are far too large for more
 * than ten unknowns), and is treated as zero below a small multiple of it.  The
 * test does not change when equations or unknowns are scaled, so 1 F next to
 * 1e-12 F or equations in odd units do no harm; the growth of (s C + G)^-1 with
 * s does not have this property.  Rows whose pivots have lost digits wait until
 * the others are done, which replaces complete pivoting.
 *
 * Each row of the echelon form keeps its multipliers instead of its combined
 * row of G; the combination Z'G is formed only for rows that vanish.  So the
 * work is that of a sparse LU of C, without a fill-reducing order.
 *
 * Limits: the index of one linearisation; a nearly singular C passes as regular
 * as long as its smallest pivot stands out of the rounding errors.
 * Reference: Luenberger, Time-invariant descriptor systems, Automatica 14
 * (1978); Kunkel, Mehrmann, Differential-Algebraic Equations, section 2.1.
 */
#include "sys/solvable.h"

#include <float.h>
#include <math.h>

/* Entries of the Jacobians may carry this many roundings; a number within
 * DOUBT estimated errors of zero is zero. */
#define ROUNDINGS 8.0
#define DOUBT     10.0

enum { SCALING_ROUNDS = 4 };

typedef struct entry {
    int at;
    double value, error;
} entry;

typedef struct list {
    int count;
    size_t room;
    entry *entry;
} list;

/* One equation: c'x' + g'x = 0; once it is reduced, c is what is left (pivot
 * first) and l the multipliers of the earlier rows. */
typedef struct row {
    list c, g, l;
    int equation;
} row;

/* A sparse vector under construction: dense values, a list of the places in
 * use, and a heap of those still to be eliminated. */
typedef struct vector {
    double *value, *error;
    bool *used;
    int *place, places;
    int *heap, waiting;
} vector;

typedef struct shuffle {
    int n, pivots;
    row *waiting, *next; /* n each: rows of this round and of the next */
    int waits, nexts;
    row *pivot;    /* n: rows of the echelon form in order of creation */
    int *pivot_of; /* of each column: its row in `pivot`, or -1 */
    double *scale; /* of each column, powers of two */
    vector v, z;   /* over columns; over rows of the echelon form */
} shuffle;

static void list_clear(list *l)
{
    yk_free(l->entry);
    *l = (list){ 0 };
}

static void row_clear(row *r)
{
    list_clear(&r->c);
    list_clear(&r->g);
    list_clear(&r->l);
}

static yoke_status list_add(list *l, int at, double value, double error,
                            yoke_err *err)
{
    YK_TRY(yk_grow((void **)&l->entry, &l->room, (size_t)l->count + 1,
                   sizeof(entry), err));
    l->entry[l->count++] = (entry){ at, value, error };
    return YOKE_OK;
}

/* ---- sparse vectors ----------------------------------------------------- */

static void vector_clear(vector *v)
{
    YK_FREE(v->value, v->error, v->used, v->place, v->heap);
}

static yoke_status vector_create(vector *v, int n, yoke_err *err)
{
    YK_TRY(YK_DOUBLES((size_t)n, err, &v->value, &v->error));
    YK_TRY(YK_NEW(&v->used, n, err));
    YK_TRY(yk_ints(&v->place, (size_t)n, err));
    return yk_ints(&v->heap, (size_t)n, err);
}

static void vector_reset(vector *v)
{
    for (int k = 0; k < v->places; k++) {
        v->value[v->place[k]] = 0.0;
        v->error[v->place[k]] = 0.0;
        v->used[v->place[k]] = false;
    }
    v->places = 0;
    v->waiting = 0;
}

static void heap_push(vector *v, int key)
{
    int k = v->waiting++;

    while (k > 0 && v->heap[(k - 1) / 2] > key) {
        v->heap[k] = v->heap[(k - 1) / 2];
        k = (k - 1) / 2;
    }
    v->heap[k] = key;
}

static int heap_pop(vector *v)
{
    const int top = v->heap[0], last = v->heap[--v->waiting];
    int k = 0;

    for (int child = 1; child < v->waiting; child = 2 * k + 1) {
        if (child + 1 < v->waiting && v->heap[child + 1] < v->heap[child])
            child++;
        if (v->heap[child] >= last) break;
        v->heap[k] = v->heap[child];
        k = child;
    }
    v->heap[k] = last;
    return top;
}

/* v[e.at] += (a +- da) (e.value +- e.error); true if the place is new. */
static bool vector_add(vector *v, const entry *e, double a, double da)
{
    const double product = a * e->value;
    const double sum = v->value[e->at] + product;
    const bool fresh = !v->used[e->at];

    const double p1 = a * e->error, p2 = da * e->value;
    const double p3 = DBL_EPSILON * product, p4 = DBL_EPSILON * sum;
    v->error[e->at] = sqrt(v->error[e->at] * v->error[e->at] + p1 * p1 +
                           p2 * p2 + p3 * p3 + p4 * p4);
    v->value[e->at] = sum;
    if (fresh) {
        v->used[e->at] = true;
        v->place[v->places++] = e->at;
    }
    return fresh;
}

static bool vector_is_zero(const vector *v, int at)
{
    return fabs(v->value[at]) <= DOUBT * v->error[at];
}

/* The place of the largest value that is not zero, or -1. */
static int vector_largest(const vector *v)
{
    int best = -1;

    for (int k = 0; k < v->places; k++) {
        const int at = v->place[k];
        if (vector_is_zero(v, at)) continue;
        if (best < 0 || fabs(v->value[at]) > fabs(v->value[best])) best = at;
    }
    return best;
}

/* What is not zero times 2^power; the place `first` comes first. */
static yoke_status vector_store(const vector *v, int first, int power, list *to,
                                yoke_err *err)
{
    YK_TRY(list_add(to, first, ldexp(v->value[first], power),
                    ldexp(v->error[first], power), err));
    for (int k = 0; k < v->places; k++) {
        const int at = v->place[k];
        if (at == first || vector_is_zero(v, at)) continue;
        YK_TRY(list_add(to, at, ldexp(v->value[at], power),
                        ldexp(v->error[at], power), err));
    }
    return YOKE_OK;
}

/* ---- one round ---------------------------------------------------------- */

static void add_to_v(shuffle *s, const entry *e, double a, double da)
{
    if (vector_add(&s->v, e, a, da) && s->pivot_of[e->at] >= 0)
        heap_push(&s->v, s->pivot_of[e->at]);
}

/* Subtracts the rows of the echelon form from r->c, which is left in s->v; the
 * multipliers go to r->l.  An earlier row can bring in columns of later rows
 * but not the other way, hence the heap. */
static yoke_status reduce(shuffle *s, row *r, yoke_err *err)
{
    vector_reset(&s->v);
    for (int k = 0; k < r->c.count; k++) add_to_v(s, &r->c.entry[k], 1.0, 0.0);
    while (s->v.waiting > 0) {
        const int k = heap_pop(&s->v);
        const list *u = &s->pivot[k].c;
        const double pivot = u->entry[0].value;
        const int at = u->entry[0].at;
        const double l = s->v.value[at] / pivot;
        const double dl =
            hypot(s->v.error[at], l * u->entry[0].error) / fabs(pivot);
        const bool zero = vector_is_zero(&s->v, at);

        s->v.value[at] = s->v.error[at] = 0.0; /* zero by construction */
        if (zero) continue;
        YK_TRY(list_add(&r->l, k, l, dl, err));
        for (int e = 1; e < u->count; e++) add_to_v(s, &u->entry[e], -l, dl);
    }
    return YOKE_OK;
}

/* r->c has vanished: the same combination of the rows of G into s->v.  With
 * z = e_r - l_r the combination of reduced rows, z L^-1 is that of the
 * original ones; later rows come first, so the heap holds negative numbers. */
static void combine(shuffle *s, const row *r)
{
    vector_reset(&s->v);
    vector_reset(&s->z);
    for (int k = 0; k < r->g.count; k++)
        vector_add(&s->v, &r->g.entry[k], 1.0, 0.0);
    for (int k = 0; k < r->l.count; k++)
        if (vector_add(&s->z, &r->l.entry[k], -1.0, 0.0))
            heap_push(&s->z, -r->l.entry[k].at);
    while (s->z.waiting > 0) {
        const int k = -heap_pop(&s->z);
        const row *p = &s->pivot[k];
        const double z = s->z.value[k], dz = s->z.error[k];
        for (int e = 0; e < p->g.count; e++)
            vector_add(&s->v, &p->g.entry[e], z, dz);
        for (int e = 0; e < p->l.count; e++)
            if (vector_add(&s->z, &p->l.entry[e], -z, dz))
                heap_push(&s->z, -p->l.entry[e].at);
    }
}

/* The row joins the echelon form. */
static yoke_status keep_row(shuffle *s, row *r, int at, yoke_err *err)
{
    row *p = &s->pivot[s->pivots];

    list_clear(&r->c);
    YK_TRY(vector_store(&s->v, at, 0, &r->c, err));
    *p = *r;
    *r = (row){ 0 };
    s->pivot_of[at] = s->pivots++;
    return YOKE_OK;
}

/* r->c has vanished: the row joins the next round, unless it vanishes
 * altogether. */
static yoke_status differentiate(shuffle *s, const row *r, int *vanished,
                                 yoke_err *err)
{
    int power = 0;

    combine(s, r);
    const int at = vector_largest(&s->v);
    if (at < 0) {
        *vanished = r->equation;
        return YOKE_OK;
    }
    row *next = &s->next[s->nexts++];
    frexp(s->v.value[at], &power); /* a new equation, any scale will do */
    next->equation = r->equation;
    return vector_store(&s->v, at, -power, &next->c, err);
}

/* Reduces one row.  False in *done: its pivot is less certain than asked. */
static yoke_status treat_row(shuffle *s, row *r, double certainty, bool *done,
                             int *vanished, yoke_err *err)
{
    YK_TRY(reduce(s, r, err));
    const int at = vector_largest(&s->v);
    *done = at < 0 || fabs(s->v.value[at]) >= certainty * s->v.error[at];
    if (at < 0) return differentiate(s, r, vanished, err);
    if (*done) return keep_row(s, r, at, err);
    r->l.count = 0;
    return YOKE_OK;
}

/* One pass over the waiting rows; those that are not done stay. */
static yoke_status run_pass(shuffle *s, double certainty, int *vanished,
                            yoke_err *err)
{
    int left = 0;

    for (int i = 0; i < s->waits; i++) {
        bool done = false;
        YK_TRY(treat_row(s, &s->waiting[i], certainty, &done, vanished, err));
        if (done) {
            row_clear(&s->waiting[i]);
            continue;
        }
        if (left < i) {
            s->waiting[left] = s->waiting[i];
            s->waiting[i] = (row){ 0 };
        }
        left++;
    }
    s->waits = left;
    return YOKE_OK;
}

/* One round; rows with certain pivots come first.  Writes an equation that has
 * vanished. */
static yoke_status run_round(shuffle *s, int *vanished, yoke_err *err)
{
    s->nexts = 0;
    for (double certainty = 1e13; s->waits > 0; certainty *= 0.1) {
        if (certainty < 0.01 * DOUBT) /* that pass leaves none but by NaN */
            return yk_fail(err, YOKE_E_NUMERIC,
                           "its matrices overflow: entries or sizes of "
                           "unknowns are too large, choose other units");
        YK_TRY(run_pass(s, fmax(certainty, DOUBT), vanished, err));
    }
    row *const swap = s->waiting;
    s->waiting = s->next;
    s->next = swap;
    s->waits = s->nexts;
    return YOKE_OK;
}

/* ---- loading ------------------------------------------------------------ */

static double power_of_two(double value)
{
    int power = 0;

    frexp(value, &power);
    return ldexp(1.0, power);
}

/* Largest entry of each row, columns multiplied by `scale`. */
static void row_maxima(const yoke_pattern *p, const double *value,
                       const double *scale, double *most)
{
    for (int i = 0; i < p->rows; i++) most[i] = 0.0;
    for (int j = 0; j < p->cols; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            most[p->row[k]] = fmax(most[p->row[k]], fabs(value[k]) * scale[j]);
}

/* most[j] = max(most[j], largest entry of column j in rows scaled to one). */
static void column_maxima(const yoke_pattern *p, const double *value,
                          const double *scale, const double *row_most,
                          double *most)
{
    for (int j = 0; j < p->cols; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (value[k] != 0.0)
                most[j] = fmax(most[j],
                               fabs(value[k]) * scale[j] / row_most[p->row[k]]);
}

/* Columns scaled so that the largest entry of each is near one when the rows of
 * C and of G are scaled to one; it only guides the choice of pivots. */
static void scale_columns(shuffle *s, const yk_pencil *p)
{
    double *rows = s->v.value, *most = s->z.value;

    for (int j = 0; j < s->n; j++) s->scale[j] = power_of_two(p->size[j]);
    for (int round = 0; round < SCALING_ROUNDS; round++) {
        for (int j = 0; j < s->n; j++) most[j] = 0.0;
        row_maxima(p->C_pattern, p->C, s->scale, rows);
        column_maxima(p->C_pattern, p->C, s->scale, rows, most);
        row_maxima(p->G_pattern, p->G, s->scale, rows);
        column_maxima(p->G_pattern, p->G, s->scale, rows, most);
        for (int j = 0; j < s->n; j++)
            if (most[j] > 0.0) s->scale[j] /= power_of_two(most[j]);
    }
    for (int j = 0; j < s->n; j++) rows[j] = most[j] = 0.0;
}

/* Errors of differenced entries: noise * (largest term of the row) / size. */
static yoke_status load_matrix(shuffle *s, const yk_pencil *p,
                               const yoke_pattern *pattern, const double *value,
                               bool charges, yoke_err *err)
{
    double *most = s->v.value;

    row_maxima(pattern, value, p->size, most);
    for (int j = 0; j < s->n; j++)
        for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++) {
            const int i = pattern->row[k];
            const double scaled = value[k] * s->scale[j];
            const double error = ROUNDINGS * DBL_EPSILON * fabs(scaled) +
                                 p->noise * most[i] / p->size[j] * s->scale[j];
            row *r = &s->waiting[i];
            if (scaled != 0.0)
                YK_TRY(
                    list_add(charges ? &r->c : &r->g, j, scaled, error, err));
        }
    for (int i = 0; i < s->n; i++) most[i] = 0.0;
    return YOKE_OK;
}

static void shuffle_clear(shuffle *s)
{
    for (int i = 0; i < s->n; i++) {
        if (s->waiting) row_clear(&s->waiting[i]);
        if (s->next) row_clear(&s->next[i]);
        if (s->pivot) row_clear(&s->pivot[i]);
    }
    YK_FREE(s->waiting, s->next, s->pivot, s->pivot_of, s->scale);
    vector_clear(&s->v);
    vector_clear(&s->z);
}

static yoke_status shuffle_create(shuffle *s, const yk_pencil *p, yoke_err *err)
{
    const int n = p->C_pattern->cols;

    s->n = n;
    YK_TRY(YK_NEW(&s->waiting, n, err));
    YK_TRY(YK_NEW(&s->next, n, err));
    YK_TRY(YK_NEW(&s->pivot, n, err));
    YK_TRY(yk_ints(&s->pivot_of, (size_t)n, err));
    YK_TRY(yk_doubles(&s->scale, (size_t)n, err));
    YK_TRY(vector_create(&s->v, n, err));
    YK_TRY(vector_create(&s->z, n, err));
    for (int i = 0; i < n; i++) {
        s->pivot_of[i] = -1;
        s->waiting[i].equation = i;
    }
    s->waits = n;
    scale_columns(s, p);
    YK_TRY(load_matrix(s, p, p->C_pattern, p->C, true, err));
    return load_matrix(s, p, p->G_pattern, p->G, false, err);
}

static int first_without_pivot(const shuffle *s)
{
    for (int j = 0; j < s->n; j++)
        if (s->pivot_of[j] < 0) return j;
    return -1;
}

yoke_status yk_pencil_index(const yk_pencil *pencil, yk_pencil_facts *facts,
                            yoke_err *err)
{
    yoke_status status = YOKE_OK;
    shuffle s = { 0 };
    int rounds = 0, vanished = -1;

    YK_GO(shuffle_create(&s, pencil, err));
    YK_GO(run_round(&s, &vanished, err));
    while (s.waits > 0 && rounds <= s.n) { /* an index is at most n */
        YK_GO(run_round(&s, &vanished, err));
        rounds++;
    }
    if (s.waits > 0) vanished = s.waiting[0].equation;
    facts->index = vanished < 0 ? rounds : -1;
    facts->equation = vanished;
    facts->unknown = vanished < 0 ? -1 : first_without_pivot(&s);
done:
    shuffle_clear(&s);
    return status;
}
