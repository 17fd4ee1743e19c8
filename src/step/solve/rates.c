/* step/solve/rates.c -- unknowns that are rates of charges.
 *
 * The current of a source with a capacitor, or the slope of a voltage, is what
 * is left over in a row with charge.  Charges and algebraic equations do not
 * determine it at an instant: it jumps wherever an input or a source has a
 * kink, and a segment begins with any value of it.
 *
 * Structurally: among the unknowns that no charge depends on and the rows
 * without charge, it belongs to the part with too few rows, which alternating
 * paths reach from the unknowns that a largest matching leaves over (Dulmage
 * and Mendelsohn, Canad. J. Math. 10 (1958) 517).
 */
#include "step/look/look.h"

#include "la/pattern.h"

/* G without the columns that charges depend on and the rows with charge. */
static yoke_status algebraic_part(yoke_pattern **out, const yk_problem *p,
                                  const bool *charge, yoke_err *err)
{
    const yoke_pattern *C = p->facts->C, *G = p->facts->G;
    yoke_status status = YOKE_OK;
    yoke_pattern *s = NULL;
    int count = 0;

    YK_GO(yk_pattern_copy(&s, G, err));
    for (int j = 0; j < p->n; j++) {
        const bool state = C->start[j + 1] > C->start[j];
        s->start[j] = count;
        for (int k = G->start[j]; k < G->start[j + 1]; k++)
            if (!state && !charge[G->row[k]]) s->row[count++] = G->row[k];
    }
    s->start[p->n] = count;
    *out = s;
    s = NULL;
done:
    yoke_pattern_free(s);
    return status;
}

/* Marks what alternating paths from column j reach. */
static void reach(const yoke_pattern *s, const int *column_of, int j,
                  bool *rate, int *stack)
{
    int depth = 0;

    if (rate[j]) return;
    rate[j] = true;
    stack[depth++] = j;
    while (depth > 0) {
        const int at = stack[--depth];
        for (int k = s->start[at]; k < s->start[at + 1]; k++) {
            const int next = column_of[s->row[k]];
            if (next < 0 || rate[next]) continue;
            rate[next] = true;
            stack[depth++] = next;
        }
    }
}

yoke_status yk_find_rates(const yk_problem *p, const bool *charge, bool *rate,
                          yoke_err *err)
{
    const yoke_pattern *C = p->facts->C;
    yoke_status status = YOKE_OK;
    yoke_pattern *s = NULL;
    int *match = NULL, *column_of = NULL, *stack = NULL, matched = 0;

    YK_GO(algebraic_part(&s, p, charge, err));
    YK_GO(YK_INTS((size_t)p->n + 1, err, &match, &column_of, &stack));
    YK_GO(yk_pattern_match(s, match, &matched, err));
    for (int i = 0; i < p->n; i++) {
        column_of[i] = -1;
        rate[i] = false;
    }
    for (int j = 0; j < p->n; j++)
        if (match[j] >= 0) column_of[match[j]] = j;
    for (int j = 0; j < p->n; j++)
        if (C->start[j + 1] == C->start[j] && match[j] < 0)
            reach(s, column_of, j, rate, stack);
done:
    YK_FREE(stack, column_of, match);
    yoke_pattern_free(s);
    return status;
}
