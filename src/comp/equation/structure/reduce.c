/* comp/equation/structure/reduce.c -- how often must an equation be
 * differentiated?
 *
 * Let s(i,j) be the highest order of the derivative of unknown j in equation i.
 * We look for the least offsets c(i) >= 0, d(j) with
 *
 *     d(j) - c(i) >= s(i,j)     for all places, with equality on a transversal.
 *
 * Then equation i differentiated c(i) times and the derivatives of order d(j)
 * form a matching system (Pryce, BIT 41 (2001) 364).  Pantelides' algorithm
 * (SIAM J. Sci. Stat. Comput. 9 (1988) 213) finds them: from each unmatched
 * equation look for an augmenting path through places with equality; if there
 * is none, all equations and unknowns visited have their offsets raised by one,
 * which keeps the matching found so far, and the search is repeated.  It ends
 * because the structure check has found a matching of the whole.
 *
 * If the places with s(i,j) = d(j) match perfectly at once nothing is
 * differentiated: the usual case, decided by one call of BTF.
 */
#include "comp/equation/structure/reduce.h"
#include "comp/equation/structure/chart.h"

#include "base/text.h"
#include "la/pattern.h"

#include <stdio.h>

typedef struct search {
    const yk_incidence *in;
    int *c, *d;
    int *match;           /* row of each element, or -1 */
    int *seen_row, *seen; /* stamp of the last search */
    int stamp;
    int *stack, *next, *via; /* rows of the path, next place, element taken */
    int *visited, visits;    /* elements */
    int *passed, passes;     /* rows */
} search;

static void search_free(search *s)
{
    int *all[] = { s->c,    s->match, s->seen_row, s->seen,  s->stack,
                   s->next, s->via,   s->visited,  s->passed };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) yk_free(all[k]);
}

static yoke_status search_create(search *s, yk_model *m, const yk_incidence *in,
                                 yoke_err *err)
{
    const size_t rows = (size_t)in->rows, elements = (size_t)m->elements;

    *s = (search){ .in = in, .d = m->highest };
    YK_TRY(yk_ints(&s->c, rows, err));
    YK_TRY(YK_INTS(elements, err, &s->match, &s->seen, &s->visited));
    YK_TRY(YK_INTS(rows, err, &s->seen_row, &s->passed, &s->stack, &s->next));
    return yk_ints(&s->via, rows, err);
}

/* ---- The first matching ------------------------------------------------- */

static void highest_orders(yk_model *m, const yk_incidence *in)
{
    for (int k = 0; k < in->start[in->rows]; k++)
        if (in->order[k] > m->highest[in->element[k]])
            m->highest[in->element[k]] = in->order[k];
}

/* Matches equations with highest derivatives; *complete: all of them. */
static yoke_status first_matching(search *s, const yk_model *m, bool *complete,
                                  yoke_err *err)
{
    yoke_status status = YOKE_OK;
    const yk_incidence *in = s->in;
    const size_t most = (size_t)in->start[in->rows];
    int *row = NULL, *col = NULL, count = 0, matched;
    yoke_pattern *pattern = NULL;

    YK_GO(YK_INTS(most, err, &row, &col));
    for (int i = 0; i < in->rows; i++)
        for (int k = in->start[i]; k < in->start[i + 1]; k++)
            if (in->order[k] == s->d[in->element[k]]) {
                row[count] = i;
                col[count++] = in->element[k];
            }
    YK_GO(yoke_pattern_create(&pattern, in->rows, m->elements, count, row, col,
                              err));
    YK_GO(yk_pattern_match(pattern, s->match, &matched, err));
    *complete = matched == in->rows;
done:
    yoke_pattern_free(pattern);
    YK_FREE(row, col);
    return status;
}

/* ---- Pantelides --------------------------------------------------------- */

static void enter(search *s, int *depth, int row)
{
    s->seen_row[row] = s->stamp;
    s->passed[s->passes++] = row;
    s->stack[*depth] = row;
    s->next[(*depth)++] = s->in->start[row];
}

/* The next unseen element at which row has equality, or -1. */
static int next_element(search *s, int level)
{
    const int row = s->stack[level];

    while (s->next[level] < s->in->start[row + 1]) {
        const int k = s->next[level]++, e = s->in->element[k];
        if (s->in->order[k] + s->c[row] == s->d[e] && s->seen[e] != s->stamp)
            return e;
    }
    return -1;
}

static bool augment(search *s, int row)
{
    int depth = 0;

    s->stamp++;
    s->visits = s->passes = 0;
    enter(s, &depth, row);
    while (depth > 0) {
        const int e = next_element(s, depth - 1);
        if (e < 0) {
            depth--;
            continue;
        }
        s->seen[e] = s->stamp;
        s->visited[s->visits++] = e;
        s->via[depth - 1] = e;
        if (s->match[e] < 0) {
            while (depth-- > 0) s->match[s->via[depth]] = s->stack[depth];
            return true;
        }
        if (s->seen_row[s->match[e]] != s->stamp) enter(s, &depth, s->match[e]);
    }
    return false;
}

static yoke_status raise_offsets(search *s, const yk_model *m, yoke_err *err)
{
    char name[YK_NAME_SIZE];

    for (int k = 0; k < s->passes; k++) s->c[s->passed[k]]++;
    for (int k = 0; k < s->visits; k++)
        if (++s->d[s->visited[k]] >= YK_ORDERS - 1) {
            yk_eq_row_name(m, &m->equation, s->passed[0], name);
            return yk_fail(err, YOKE_E_MODEL,
                           "%s: the structural index is more than %d", name,
                           YK_ORDERS - 2);
        }
    return YOKE_OK;
}

static yoke_status pantelides(search *s, const yk_model *m, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    bool *has = NULL;

    YK_GO(YK_NEW(&has, s->in->rows, err));
    for (int e = 0; e < m->elements; e++)
        if (s->match[e] >= 0) has[s->match[e]] = true;
    for (int i = 0; i < s->in->rows; i++)
        while (!has[i] && !augment(s, i)) YK_GO(raise_offsets(s, m, err));
done:
    yk_free(has);
    return status;
}

static int structural_index(const yk_model *m, const yk_incidence *in,
                            const int *c)
{
    int most = 0;
    bool algebraic = false;

    for (int i = 0; i < in->rows; i++)
        if (c[i] > most) most = c[i];
    for (int k = 0; k < in->start[in->rows]; k++)
        if (m->highest[in->element[k]] == 0) algebraic = true;
    return most + algebraic;
}

/* ---- Differentiated equations ------------------------------------------- */

/* The instances of t with offset >= order, as rounds; NULL: all rounds. */
static yoke_status chosen_rounds(const yk_template *t, const int *c, int order,
                                 int **list, int *count, yoke_err *err)
{
    *list = NULL;
    *count = 0;
    for (int k = 0; k < t->instances; k++) *count += c[t->row + k] >= order;
    if (*count == t->rounds || *count == 0) return YOKE_OK;
    YK_TRY(yk_ints(list, (size_t)*count, err));
    int at = 0;
    for (int k = 0; k < t->instances; k++)
        if (c[t->row + k] >= order) (*list)[at++] = t->list ? t->list[k] : k;
    return YOKE_OK;
}

static yoke_status differentiate_template(yk_model *m, int number, const int *c,
                                          yoke_err *err)
{
    const yk_template t = m->equation.at[number];
    int residual = t.residual;

    for (int order = 1; order < YK_ORDERS; order++) {
        yk_template d = t;
        YK_TRY(chosen_rounds(&t, c, order, &d.list, &d.instances, err));
        if (d.instances == 0) return YOKE_OK;
        const yoke_status status =
            yk_time_derivative(&m->pool, residual, &residual, err);
        if (status != YOKE_OK) {
            yk_free(d.list);
            return status;
        }
        d.residual = residual;
        d.order = order;
        YK_TRY(yk_templates_add(&m->equation, &m->pool, &d, err));
        m->differentiated += d.instances;
    }
    return YOKE_OK;
}

/* ---- In words ------------------------------------------------------------ */

typedef struct sentence {
    char *text;
    size_t size;
    int items;
} sentence;

static void say(sentence *s, const char *before, const char *what)
{
    yk_append(s->text, s->size, "%s%s", before, what);
}

/* An item of a list; the list is cut off after some. */
static void say_item(sentence *s, const char *what)
{
    if (s->items < 8)
        say(s, s->items ? ", " : "", what);
    else if (s->items == 8)
        say(s, ", ...", "");
    s->items++;
}

static void describe_equations(sentence *s, const yk_model *m,
                               const yk_incidence *in, const int *c)
{
    char name[YK_NAME_SIZE], item[YK_NAME_SIZE + 32];

    s->items = 0;
    say(s, "Differentiated: ", "");
    for (int i = 0; i < in->rows; i++) {
        if (c[i] == 0) continue;
        yk_eq_row_name(m, &m->equation, i, name);
        snprintf(item, sizeof item, "%s (%d time%s)", name, c[i],
                 c[i] > 1 ? "s" : "");
        say_item(s, item);
    }
}

/* Derivatives that are algebraic at all times, or states that are kept. */
static void describe_unknowns(sentence *s, const yk_model *m, bool dummies)
{
    char name[YK_NAME_SIZE];

    s->items = 0;
    for (int e = 0; e < m->elements; e++)
        for (int k = 1; k <= m->highest[e]; k++)
            if (m->dummy[(size_t)e * YK_ORDERS + (size_t)k] == dummies &&
                !yk_charts_find(m->charts, e, k - 1)) {
                yk_element_name(m, e, dummies ? k : k - 1, name);
                say_item(s, name);
            }
    if (s->items == 0) say(s, "none", "");
}

static void describe_charts(sentence *s, const yk_model *m)
{
    for (int k = 0; m->charts && k < m->charts->count; k++) {
        const yk_chart *c = &m->charts->chart[k];
        char name[YK_NAME_SIZE], head[64];
        if (k == 8) say(s, "; and others", "");
        if (k >= 8) continue;
        snprintf(head, sizeof head, "%s%d combination%s of ",
                 k ? "; " : ". States chosen again where needed: ",
                 c->cols - c->rows, c->cols - c->rows > 1 ? "s" : "");
        say(s, head, "");
        s->items = 0;
        for (int j = 0; j < c->cols; j++) {
            yk_element_name(m, c->element[j], c->order[j], name);
            say_item(s, name);
        }
    }
}

static void describe(yk_model *m, const yk_incidence *in, const int *c)
{
    sentence s = { .text = m->text, .size = sizeof m->text };
    char head[64];

    snprintf(head, sizeof head, "Structural index %d, reduced to 1. ",
             m->index);
    say(&s, head, "");
    describe_equations(&s, m, in, c);
    say(&s, ". Algebraic instead of derivatives: ", "");
    describe_unknowns(&s, m, true);
    say(&s, ". States: ", "");
    describe_unknowns(&s, m, false);
    say(&s, s.items ? ", chosen at the start values and kept" : "", "");
    describe_charts(&s, m);
    say(&s, ".", "");
}

yoke_status yk_reduce(yk_model *m, const yk_incidence *in, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    search s = { 0 };
    bool complete;
    const int templates = m->equation.count;

    YK_GO(search_create(&s, m, in, err));
    highest_orders(m, in);
    YK_GO(first_matching(&s, m, &complete, err));
    if (!complete) YK_GO(pantelides(&s, m, err));
    m->index = structural_index(m, in, s.c);
    if (complete) goto done;
    for (int i = 0; i < templates; i++)
        YK_GO(differentiate_template(m, i, s.c, err));
    YK_GO(yk_eq_model_segments(m, err));
    YK_GO(yk_choose_dummies(m, templates, s.c, err));
    describe(m, in, s.c);
done:
    search_free(&s);
    return status;
}
