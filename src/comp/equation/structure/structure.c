/* comp/equation/structure/structure.c -- scalar incidence, and the parts of a
 * model that are not determined or determined twice.
 *
 * A maximum matching of equations with unknowns either is perfect, or the
 * unknowns that alternating paths reach from an unmatched unknown, with their
 * equations, form the part with too few equations, and likewise with equations
 * and unknowns exchanged (Dulmage and Mendelsohn, Canad. J. Math. 10 (1958)
 * 517; Pothen and Fan, ACM TOMS 16 (1990) 303).
 */
#include "comp/equation/structure/structure.h"

#include "base/text.h"
#include "la/pattern.h"

#include <stdio.h>
#include <string.h>

enum { NAMED = 4 }; /* so many are named in a message */

void yk_eq_start_values(const yk_model *m, double *w)
{
    memset(w, 0, (size_t)m->slots * sizeof *w);
    for (int e = 0; e < m->elements; e++)
        w[e] =
            m->sign[e] == 0 ? m->value[e] : m->sign[e] * m->start[m->root[e]];
    for (int v = 0; v < m->flat->variables; v++)
        if (m->flat->variable[v].kind >= YK_FLAT_TABLE)
            memcpy(w + m->base[v], m->flat->variable[v].value,
                   (size_t)m->flat->variable[v].count * sizeof *w);
}

/* ---- Incidence ---------------------------------------------------------- */

void yk_incidence_free(yk_incidence *incidence)
{
    YK_FREE(incidence->start, incidence->element, incidence->order);
    *incidence = (yk_incidence){ 0 };
}

static int add_row(yk_incidence *out, const yk_model *m, const yk_template *t,
                   int k, int at)
{
    int counter[YK_FLAT_LOOPS];

    yk_counters(t, k, counter);
    for (int r = 0; r < t->refs; r++) {
        const int e = yk_template_element(m, t, t->ref[r], counter);
        if (m->sign[e] == 0 || yk_is_input(m, m->root[e])) continue;
        out->element[at] = m->root[e];
        out->order[at++] = (signed char)m->pool.node[t->ref[r]].order;
    }
    return at;
}

yoke_status yk_incidence_create(yk_incidence *out, const yk_model *m,
                                yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_templates *all = &m->equation;
    size_t most = 0;
    int at = 0, row = 0;

    *out = (yk_incidence){ .rows = all->rows };
    for (int i = 0; i < all->count; i++)
        most += (size_t)all->at[i].instances * (size_t)all->at[i].refs;
    if (most > 500000000)
        return yk_fail(err, YOKE_E_MODEL, "%s: %zu entries in the Jacobian",
                       m->flat->file, most);
    YK_GO(yk_ints(&out->start, (size_t)all->rows + 1, err));
    YK_GO(yk_ints(&out->element, most, err));
    YK_GO(YK_NEW(&out->order, most, err));
    for (int i = 0; i < all->count; i++)
        for (int k = 0; k < all->at[i].instances; k++) {
            at = add_row(out, m, &all->at[i], k, at);
            out->start[++row] = at;
        }
done:
    if (status != YOKE_OK) yk_incidence_free(out);
    return status;
}

/* ---- Matching ----------------------------------------------------------- */

typedef struct bipartite {
    yoke_pattern *pattern; /* equations by unknowns */
    int *column;           /* of each element, or -1 */
    int *element;          /* of each column */
    int *row_of;           /* matched row of each column, or -1 */
    int *column_of;        /* matched column of each row, or -1 */
    int matched;
} bipartite;

static void bipartite_free(bipartite *b)
{
    yoke_pattern_free(b->pattern);
    YK_FREE(b->column, b->element, b->row_of, b->column_of);
}

static int number_columns(bipartite *b, const yk_model *m)
{
    int columns = 0;

    for (int e = 0; e < m->elements; e++) {
        b->column[e] = -1;
        if (m->root[e] != e || m->sign[e] == 0 || yk_is_input(m, e)) continue;
        b->element[columns] = e;
        b->column[e] = columns++;
    }
    return columns;
}

static yoke_status bipartite_create(bipartite *b, const yk_model *m,
                                    const yk_incidence *in, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *row = NULL, *col = NULL;
    const int count = in->start[in->rows];

    *b = (bipartite){ 0 };
    YK_GO(YK_INTS((size_t)m->elements, err, &b->column, &b->element));
    const int columns = number_columns(b, m);
    YK_GO(YK_INTS((size_t)count, err, &row, &col));
    for (int i = 0; i < in->rows; i++)
        for (int k = in->start[i]; k < in->start[i + 1]; k++) {
            row[k] = i;
            col[k] = b->column[in->element[k]];
        }
    YK_GO(yoke_pattern_create(&b->pattern, in->rows, columns, count, row, col,
                              err));
    YK_GO(yk_ints(&b->row_of, (size_t)columns, err));
    YK_GO(yk_ints(&b->column_of, (size_t)in->rows, err));
    YK_GO(yk_pattern_match(b->pattern, b->row_of, &b->matched, err));
    for (int i = 0; i < in->rows; i++) b->column_of[i] = -1;
    for (int j = 0; j < columns; j++)
        if (b->row_of[j] >= 0) b->column_of[b->row_of[j]] = j;
done:
    YK_FREE(row, col);
    return status;
}

/* ---- Dulmage and Mendelsohn --------------------------------------------- */

typedef struct part {
    bool *row, *col; /* belongs to it */
} part;

/* From what is unmatched on one side: all of the other side that occur with it,
 * and their partners.  `with`: for each of the one side, the others. */
static void reach(const yoke_pattern *with, const int *partner,
                  const int *of_other, bool *own, bool *other, int *queue)
{
    int count = 0;

    for (int i = 0; i < with->cols; i++)
        if (partner[i] < 0) {
            own[i] = true;
            queue[count++] = i;
        }
    for (int q = 0; q < count; q++)
        for (int k = with->start[queue[q]]; k < with->start[queue[q] + 1];
             k++) {
            const int next = of_other[with->row[k]];
            other[with->row[k]] = true;
            if (next < 0 || own[next]) continue;
            own[next] = true;
            queue[count++] = next;
        }
}

typedef struct writer {
    char text[YOKE_ERR_SIZE];
} writer;

static void put(writer *w, const char *a, const char *b)
{
    yk_append(w->text, sizeof w->text, "%s%s", a, b);
}

static void put_unknowns(writer *w, const yk_model *m, const bipartite *b,
                         const bool *in)
{
    int count = 0;

    for (int j = 0; j < b->pattern->cols; j++) {
        char name[YK_NAME_SIZE], line[YK_NAME_SIZE + 24];
        if (!in[j] || count++ >= NAMED) continue;
        yk_element_name(m, b->element[j], 0, name);
        snprintf(line, sizeof line, "%s (line %d)", name,
                 m->flat->variable[m->owner[b->element[j]]].line);
        put(w, count > 1 ? ", " : "", line);
    }
    if (count > NAMED) put(w, ", ...", "");
    if (count == 0) put(w, "nothing", "");
}

static bool names_any(const bipartite *b, const bool *in)
{
    for (int j = 0; j < b->pattern->cols; j++)
        if (in[j]) return true;
    return false;
}

/* Of equations that are too many the last of the file: what was written last is
 * most likely the one that is wrong. */
static int likeliest(const yk_model *m, const bipartite *b, const bool *in)
{
    int best = -1, best_line = 0;

    for (int i = 0; i < b->pattern->rows; i++) {
        int line = 0, column = 0;
        if (!in[i]) continue;
        yk_eq_row_place(&m->equation, i, &line, &column);
        if (best >= 0 && line < best_line) continue;
        best = i;
        best_line = line;
    }
    return best;
}

/* `first`, if it is one of them, stands first. */
static void put_equations(writer *w, const yk_model *m, const bipartite *b,
                          const bool *in, int first)
{
    const int rows = b->pattern->rows;
    int count = 0;

    for (int k = first >= 0 ? -1 : 0; k < rows; k++) {
        const int i = k < 0 ? first : k;
        char name[YK_NAME_SIZE];
        if (k == first || !in[i] || count++ >= NAMED) continue;
        yk_eq_row_name(m, &m->equation, i, name);
        put(w, count > 1 ? ", " : "", name);
    }
    if (count > NAMED) put(w, ", ...", "");
    if (count == 0) put(w, "no equation", "");
}

/* No unknown of the model is in the equations that are too many. */
static bool restricts_inputs(const yk_model *m, const bipartite *b,
                             const bool *in)
{
    bool inputs = false;

    for (int j = 0; j < b->pattern->cols; j++)
        if (in[j]) return false;
    for (int e = 0; e < m->elements; e++) inputs = inputs || yk_is_input(m, e);
    return inputs;
}

/* Unknowns without an equation, and what to do; the place of the first. */
static void put_under(writer *w, const yk_model *m, const bipartite *b,
                      const part *under, char *place, size_t room)
{
    bool none = true;

    for (int i = 0; i < b->pattern->rows; i++) none = none && !under->row[i];
    for (int j = b->pattern->cols - 1; j >= 0; j--)
        if (under->col[j])
            snprintf(place, room, ":%d",
                     m->flat->variable[m->owner[b->element[j]]].line);
    put(w, "; not determined: ", "");
    put_unknowns(w, m, b, under->col);
    put(w, none ? ", in no equation" : ", occurring only in ", "");
    if (!none) put_equations(w, m, b, under->row, -1);
    put(w,
        "; write an equation more, or declare what is known as parameter or "
        "input",
        "");
}

static yoke_status report(const yk_model *m, const bipartite *b, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const size_t rows = (size_t)b->pattern->rows;
    const size_t cols = (size_t)b->pattern->cols;
    part under = { 0 }, over = { 0 };
    yoke_pattern *unknowns = NULL; /* of each equation */
    int *queue = NULL;
    writer w = { .text = "" };
    char place[40] = "";

    YK_GO(YK_NEW(&under.row, rows, err));
    YK_GO(YK_NEW(&under.col, cols, err));
    YK_GO(YK_NEW(&over.row, rows, err));
    YK_GO(YK_NEW(&over.col, cols, err));
    YK_GO(yk_ints(&queue, rows + cols, err));
    YK_GO(yk_pattern_transpose(&unknowns, b->pattern, err));
    reach(b->pattern, b->row_of, b->column_of, under.col, under.row, queue);
    reach(unknowns, b->column_of, b->row_of, over.row, over.col, queue);
    if (b->matched < b->pattern->cols)
        put_under(&w, m, b, &under, place, sizeof place);
    if (b->matched < b->pattern->rows) {
        int line = 0, column = 0;
        const int culprit = likeliest(m, b, over.row);
        yk_eq_row_place(&m->equation, culprit, &line, &column);
        if (column > 0) snprintf(place, sizeof place, ":%d:%d", line, column);
        put(&w, "; too many equations: ", "");
        put_equations(&w, m, b, over.row, culprit);
        put(&w, " for ", "");
        put_unknowns(&w, m, b, over.col);
        if (!names_any(b, over.col) && !restricts_inputs(m, b, over.col))
            put(&w,
                ": all in them is known (Real x = 1 holds at all times; a "
                "start value is Real x(start = 1))",
                "");
        else if (!restricts_inputs(m, b, over.col))
            put(&w,
                "; take one of them out, most likely the first, or declare the "
                "unknown that it is for",
                "");
        else
            put(&w,
                "; an equation between inputs is a `constraint` of the "
                "system file, whose multiplier enters the inputs of the "
                "others",
                "");
    }
    status = yk_fail(err, YOKE_E_MODEL,
                     "%s%s: model %s has %d equation%s for %d unknown%s (%d "
                     "alias%s left out)%s",
                     m->flat->file, place, m->flat->name, b->pattern->rows,
                     b->pattern->rows == 1 ? "" : "s", b->pattern->cols,
                     b->pattern->cols == 1 ? "" : "s", m->eliminated,
                     m->eliminated == 1 ? "" : "es", w.text);
done:
    yoke_pattern_free(unknowns);
    YK_FREE(under.row, under.col, over.row, over.col, queue);
    return status;
}

yoke_status yk_check_structure(const yk_model *m, const yk_incidence *in,
                               yoke_err *err)
{
    yoke_status status = YOKE_OK;
    bipartite b;

    YK_GO(bipartite_create(&b, m, in, err));
    if (b.matched < in->rows || b.matched < b.pattern->cols)
        status = report(m, &b, err);
done:
    bipartite_free(&b);
    return status;
}
