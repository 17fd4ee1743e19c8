/* la/bisect.c -- graph partitioning by METIS.
 *
 * METIS divides into k parts at once too, but where vertices are few and
 * unequal it then leaves parts empty and prints about it; halves of something
 * that is not empty never are.
 * Reference: Karypis, Kumar, SIAM J. Sci. Comput. 20 (1998) 359-392.
 */
#include "la/bisect.h"

#ifdef YOKE_HAVE_METIS
#include <metis.h>
#endif

#include <string.h>

#ifdef YOKE_HAVE_METIS

typedef struct halver {
    const yk_weighted *g;
    int *part;
    int *local;  /* of each vertex: its place in the piece, or -1 */
    int *vertex; /* of the piece */
    idx_t *start, *to, *weight, *work, *side;
} halver;

/* The vertices of part p with the edges between them; how many there are. */
static int take_piece(halver *k, int p)
{
    const yk_weighted *g = k->g;
    int count = 0;
    idx_t edges = 0;

    for (int i = 0; i < g->n; i++)
        if (k->part[i] == p) {
            k->local[i] = count;
            k->vertex[count++] = i;
        }
    for (int a = 0; a < count; a++) {
        const int i = k->vertex[a];
        k->start[a] = edges;
        k->work[a] = g->work[i];
        for (int j = g->start[i]; j < g->start[i + 1]; j++) {
            if (k->part[g->to[j]] != p) continue;
            k->to[edges] = k->local[g->to[j]];
            k->weight[edges++] = g->weight[j];
        }
    }
    k->start[count] = edges;
    return count;
}

/* Halves part p; the second half becomes `next`.  *done: both have vertices. */
static yoke_status halve(halver *k, int p, int next, bool *done, yoke_err *err)
{
    idx_t vertices = take_piece(k, p), constraints = 1, halves = 2, cut = 0;
    idx_t options[METIS_NOPTIONS];
    int moved = 0;

    *done = false;
    if (vertices < 2) return YOKE_OK;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    const int answer = METIS_PartGraphRecursive(
        &vertices, &constraints, k->start, k->to, k->work, NULL, k->weight,
        &halves, NULL, NULL, options, &cut, k->side);
    if (answer != METIS_OK)
        return yk_fail(
            err, answer == METIS_ERROR_MEMORY ? YOKE_E_MEMORY : YOKE_E_ARG,
            "METIS cannot divide a graph of %d vertices (status %d)",
            (int)vertices, answer);
    for (int a = 0; a < vertices; a++) moved += k->side[a] == 1;
    if (moved == 0 || moved == vertices) return YOKE_OK;
    for (int a = 0; a < vertices; a++)
        if (k->side[a] == 1) k->part[k->vertex[a]] = next;
    *done = true;
    return YOKE_OK;
}

/* The heaviest part that may still be divided, or -1. */
static int heaviest(const yk_weighted *g, const int *part, int parts,
                    const bool *whole, double *load)
{
    int best = -1;

    for (int p = 0; p < parts; p++) load[p] = 0.0;
    for (int i = 0; i < g->n; i++) load[part[i]] += g->work[i];
    for (int p = 0; p < parts; p++)
        if (!whole[p] && (best < 0 || load[p] > load[best])) best = p;
    return best;
}

static yoke_status make_room(halver *k, int wanted, bool **whole, double **load,
                             yoke_err *err)
{
    const size_t n = (size_t)k->g->n, edges = (size_t)k->g->start[k->g->n];

    YK_TRY(YK_INTS(n + 1, err, &k->local, &k->vertex));
    YK_TRY(YK_NEW(&k->start, n + 1, err));
    YK_TRY(YK_NEW(&k->work, n + 1, err));
    YK_TRY(YK_NEW(&k->side, n + 1, err));
    YK_TRY(YK_NEW(&k->to, edges + 1, err));
    YK_TRY(YK_NEW(&k->weight, edges + 1, err));
    YK_TRY(YK_NEW(whole, wanted + 1, err));
    return yk_doubles(load, (size_t)wanted + 1, err);
}

yoke_status yk_bisect(const yk_weighted *graph, int wanted, int *part,
                      int *parts, yoke_err *err)
{
    halver k = { .g = graph, .part = part };
    yoke_status status = YOKE_OK;
    bool *whole = NULL;
    double *load = NULL;
    int count = graph->n > 0;

    memset(part, 0, (size_t)graph->n * sizeof *part);
    YK_GO(make_room(&k, wanted, &whole, &load, err));
    while (count < wanted) {
        bool done = false;
        const int p = heaviest(graph, part, count, whole, load);
        if (p < 0) break;
        YK_GO(halve(&k, p, count, &done, err));
        if (done)
            count++;
        else
            whole[p] = true;
    }
    *parts = count;
done:
    YK_FREE(k.local, k.vertex, k.start, k.work, k.side, k.to, k.weight, whole,
            load);
    return status;
}

#else

yoke_status yk_bisect(const yk_weighted *graph, int wanted, int *part,
                      int *parts, yoke_err *err)
{
    (void)graph, (void)wanted, (void)part, (void)parts;
    return yk_fail(err, YOKE_E_MISSING,
                   "this program was built without METIS (libmetis-dev), which "
                   "divides circuits; give the parts by hand");
}

#endif
