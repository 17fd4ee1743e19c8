/* comp/ph/read.c -- port-Hamiltonian subsystems in the file, and the blocks of
 * J between them.
 *
 *     first:
 *       component: port-hamiltonian
 *       x: [p, q]
 *       J: [[0, -1], [1, 0]]
 *       R: [0.5, 0]             a flat list is a diagonal
 *       Q: [1/m, K]
 *       E: E.mtx                a Matrix Market file
 *       B: [[1], [0]]           ports: inputs u, outputs y = B'Qx
 *       G: [[1], [0]]           driven by `input`
 *       input: sin(time)
 *       x0: [0, 0.1]
 *
 *     couplings:
 *     - blocks: {rows: first, columns: second, J: [[0, 0], [-1, 0]]}
 *
 * Such a block J_12 gives the subsystems ports of their own: for each unknown
 * with an entry in it the input flow.NAME, which is added to its equation, and
 * the output effort.NAME, its component of Q x.
 */
#include "file/component.h"

#include "comp/ph/ph.h"
#include "la/sparse.h"
#include "yoke/ph.h"

#include <stdio.h>
#include <string.h>

enum { MOST_FULL = 4000000 };

/* A matrix as written: sizes and entries. */
typedef struct given {
    int rows, cols;
    bool is_flat; /* a list of numbers, or one number */
    yk_triplets entry;
    yk_sparse file; /* read from a file */
} given;

static void given_clear(given *g)
{
    yk_triplets_clear(&g->entry);
    yk_sparse_clear(&g->file);
    *g = (given){ 0 };
}

/* ---- matrices ------------------------------------------------------------ */

static bool is_path(const yk_yaml *node)
{
    const size_t length = node->kind == YK_YAML_TEXT ? strlen(node->text) : 0;

    return length > 4 && strcmp(node->text + length - 4, ".mtx") == 0;
}

static yoke_status read_file(const yk_reader *r, const yk_yaml *node, given *g,
                             yoke_err *err)
{
    yoke_status status = YOKE_OK;
    char *path = NULL, *text = NULL;
    size_t length = 0;

    YK_GO(yk_file_input(r, &path, node->text, err));
    YK_GO(yk_file_place(r, node, 0, yk_file_bytes(&text, &length, path, err),
                        err));
    status =
        yk_ph_read_matrix(&g->file.pattern, &g->file.value, text, length, err);
    if (status != YOKE_OK) {
        yk_prefix(err, "\"%.300s\"", node->text);
        yk_file_place(r, node, 0, status, err);
        goto done;
    }
    g->rows = g->file.pattern->rows;
    g->cols = g->file.pattern->cols;
    YK_GO(yk_triplets_add_matrix(&g->entry, 1.0, g->file.pattern, g->file.value,
                                 0, 0, err));
done:
    YK_FREE(path, text);
    return status;
}

static yoke_status read_row(const yk_reader *r, const yk_yaml *list,
                            const yk_unit_scope *scope, int row, given *g,
                            yoke_err *err)
{
    int col = 0;

    for (const yk_yaml *e = list->first; e; e = e->next, col++) {
        double value = 0.0;
        YK_TRY(yk_file_number(r, e, scope, &value, err));
        if (value != 0.0)
            YK_TRY(yk_triplets_add(&g->entry, row, col, value, err));
    }
    return YOKE_OK;
}

static yoke_status read_rows(const yk_reader *r, const yk_yaml *node,
                             const yk_unit_scope *scope, given *g,
                             yoke_err *err)
{
    g->rows = node->count;
    g->cols = node->first ? node->first->count : 0;
    if ((double)g->rows * g->cols > MOST_FULL)
        return yk_file_fail(r, node, err,
                            "\"%s\" has more than 4e6 entries; write it to a "
                            "Matrix Market file",
                            node->key);
    int row = 0;
    for (const yk_yaml *e = node->first; e; e = e->next, row++) {
        YK_TRY(yk_file_want(r, e, YK_YAML_LIST, err));
        if (e->count != g->cols)
            return yk_file_fail(r, e, err,
                                "this row of \"%s\" has %d numbers, the first "
                                "one has %d",
                                node->key, e->count, g->cols);
        YK_TRY(read_row(r, e, scope, row, g, err));
    }
    return YOKE_OK;
}

/* A flat list is read as one row; its key tells whether it is a diagonal or a
 * column. */
static yoke_status read_matrix(const yk_reader *r, const yk_yaml *node,
                               const yk_unit_scope *scope, given *g,
                               yoke_err *err)
{
    double value = 0.0;

    if (is_path(node)) return read_file(r, node, g, err);
    if (node->kind == YK_YAML_LIST && node->first &&
        node->first->kind == YK_YAML_LIST)
        return read_rows(r, node, scope, g, err);
    g->is_flat = true;
    g->rows = 1;
    g->cols = 1;
    if (node->kind == YK_YAML_TEXT) {
        YK_TRY(yk_file_number(r, node, scope, &value, err));
        return yk_triplets_add(&g->entry, 0, 0, value, err);
    }
    YK_TRY(yk_file_want(r, node, YK_YAML_LIST, err));
    g->cols = node->count;
    return read_row(r, node, scope, 0, g, err);
}

/* A flat list becomes a diagonal or a column. */
static void unfold(given *g, bool diagonal)
{
    if (!g->is_flat) return;
    g->rows = g->cols;
    if (!diagonal) g->cols = 1;
    for (int k = 0; k < g->entry.count; k++) {
        g->entry.row[k] = g->entry.col[k];
        if (!diagonal) g->entry.col[k] = 0;
    }
}

/* ---- ports that blocks need ---------------------------------------------- */

static bool names(const yk_yaml *block, const char *key, const char *name)
{
    const yk_yaml *node = yk_yaml_find(block, key);

    return node && node->kind == YK_YAML_TEXT && strcmp(node->text, name) == 0;
}

static yoke_status mark_block(const yk_reader *r, const yk_yaml *block,
                              const char *name, int n, bool *touched,
                              yoke_err *err)
{
    const yk_yaml *node = yk_yaml_find(block, "J");
    const bool is_row = names(block, "rows", name);
    yoke_status status = YOKE_OK;
    given g = { 0 };

    if (!node || !(is_row || names(block, "columns", name))) return YOKE_OK;
    YK_GO(read_matrix(r, node, NULL, &g, err));
    if (g.is_flat && g.cols > 1)
        YK_GO(yk_file_fail(r, node, err,
                           "a block of J is a list of rows, or a file"));
    const int size = is_row ? g.rows : g.cols;
    if (size != n)
        YK_GO(yk_file_fail(r, node, err,
                           "this block has %d %s, but \"%s\" has %d unknowns",
                           size, is_row ? "rows" : "columns", name, n));
    for (int k = 0; k < g.entry.count; k++)
        touched[is_row ? g.entry.row[k] : g.entry.col[k]] = true;
done:
    given_clear(&g);
    return status;
}

static yoke_status mark_blocks(const yk_reader *r, const char *name, int n,
                               bool *touched, yoke_err *err)
{
    const yk_yaml *list = r->couplings;

    if (!list || list->kind != YK_YAML_LIST) return YOKE_OK;
    for (const yk_yaml *e = list->first; e; e = e->next) {
        const yk_yaml *block =
            e->kind == YK_YAML_MAP ? yk_yaml_find(e, "blocks") : NULL;
        if (block && block->kind == YK_YAML_MAP)
            YK_TRY(mark_block(r, block, name, n, touched, err));
    }
    return YOKE_OK;
}

/* ---- the subsystem ------------------------------------------------------- */

typedef enum part {
    PART_E,
    PART_J,
    PART_R,
    PART_Q,
    PART_B,
    PART_G,
    PARTS
} part;

static const char *const part_key[PARTS] = { "E", "J", "R", "Q", "B", "G" };

typedef struct reader {
    given part[PARTS];
    yk_sparse matrix[PARTS];
    const yk_yaml *node[PARTS];
    int n, ports; /* ports: those of B */
    double *x0;
    bool *touched;
    const char **x, **u, **y;
    char *own; /* texts of names that are made here */
    int us;
    yk_functions *functions;
} reader;

static void reader_clear(reader *d)
{
    for (int k = 0; k < PARTS; k++) {
        given_clear(&d->part[k]);
        yk_sparse_clear(&d->matrix[k]);
    }
    YK_FREE(d->x0, d->touched, d->x, d->u, d->y, d->own);
}

static yoke_status read_parts(const yk_reader *r, const yk_yaml *map,
                              const yk_unit_scope *scope, reader *d,
                              yoke_err *err)
{
    d->n = -1;
    for (int k = 0; k < PARTS; k++) {
        d->node[k] = yk_yaml_find(map, part_key[k]);
        if (!d->node[k]) continue;
        YK_TRY(read_matrix(r, d->node[k], scope, &d->part[k], err));
        unfold(&d->part[k], k < PART_B);
        if (d->n < 0) d->n = d->part[k].rows;
        if (d->part[k].rows != d->n)
            return yk_file_fail(r, d->node[k], err,
                                "\"%s\" has %d rows, but there are %d unknowns",
                                part_key[k], d->part[k].rows, d->n);
        if (k < PART_B && d->part[k].cols != d->n)
            return yk_file_fail(r, d->node[k], err,
                                "\"%s\" is %d by %d; it must be square",
                                part_key[k], d->part[k].rows, d->part[k].cols);
    }
    if (d->n < 1)
        return yk_file_fail(r, map, err,
                            "a port-Hamiltonian subsystem needs at least one "
                            "of the matrices E, J, R, Q");
    return YOKE_OK;
}

static yoke_status read_names(const yk_reader *r, const yk_yaml *map,
                              const char *key, int count, const char **out,
                              yoke_err *err)
{
    const yk_yaml *node = yk_yaml_find(map, key);
    const yk_yaml **item = NULL;
    int found = 0;

    if (!node) return YOKE_OK;
    YK_TRY(yk_file_texts(r, node, &item, &found, err));
    yoke_status status = YOKE_OK;
    if (found != count)
        status =
            yk_file_fail(r, node, err, "\"%s\" has %d names, but %d are needed",
                         key, found, count);
    for (int i = 0; status == YOKE_OK && i < count; i++) out[i] = item[i]->text;
    yk_free(item);
    return status;
}

/* x1 ..., u1 ..., y1 ... unless given; flow.NAME and effort.NAME for blocks. */
static yoke_status name_all(const yk_reader *r, const yk_yaml *map, reader *d,
                            yoke_err *err)
{
    size_t longest = 16;
    int extra = 0;

    YK_TRY(YK_NEW(&d->x, d->n, err));
    YK_TRY(read_names(r, map, "x", d->n, d->x, err));
    for (int i = 0; i < d->n; i++) {
        extra += d->touched[i];
        if (d->x[i] && strlen(d->x[i]) + 8 > longest)
            longest = strlen(d->x[i]) + 8;
    }
    d->us = d->ports + extra;
    YK_TRY(YK_NEW(&d->u, d->us + 1, err));
    YK_TRY(YK_NEW(&d->y, d->us + 1, err));
    YK_TRY(read_names(r, map, "u", d->ports, d->u, err));
    YK_TRY(read_names(r, map, "y", d->ports, d->y, err));
    YK_TRY(yk_alloc((void **)&d->own, (size_t)(d->n + 2 * d->us + 1), longest,
                    err));
    char *at = d->own;
#define NAME(target, ...)                                                      \
    do {                                                                       \
        if (!(target)) {                                                       \
            snprintf(at, longest, __VA_ARGS__);                                \
            (target) = at;                                                     \
            at += longest;                                                     \
        }                                                                      \
    } while (0)
    for (int i = 0; i < d->n; i++) NAME(d->x[i], "x%d", i + 1);
    for (int i = 0; i < d->ports; i++) NAME(d->u[i], "u%d", i + 1);
    for (int i = 0; i < d->ports; i++) NAME(d->y[i], "y%d", i + 1);
    for (int i = 0, k = d->ports; i < d->n; i++) {
        if (!d->touched[i]) continue;
        NAME(d->u[k], "flow.%s", d->x[i]);
        NAME(d->y[k], "effort.%s", d->x[i]);
        k++;
    }
#undef NAME
    return YOKE_OK;
}

static yoke_status read_start(const yk_reader *r, const yk_yaml *map,
                              const yk_unit_scope *scope, reader *d,
                              yoke_err *err)
{
    const yk_yaml *node = yk_yaml_find(map, "x0");
    const yk_yaml *e = node;

    YK_TRY(yk_doubles(&d->x0, (size_t)d->n, err));
    if (!node) return YOKE_OK;
    if (node->kind == YK_YAML_LIST) e = node->first;
    const int count = node->kind == YK_YAML_LIST ? node->count : 1;
    if (count != d->n)
        return yk_file_fail(r, node, err,
                            "\"x0\" has %d numbers, but there are %d unknowns",
                            count, d->n);
    for (int i = 0; i < d->n; i++, e = e->next)
        YK_TRY(yk_file_number(r, e, scope, &d->x0[i], err));
    return YOKE_OK;
}

static yoke_status read_inputs(yk_reader *r, const yk_yaml *map,
                               const yk_unit_scope *scope, reader *d,
                               yoke_err *err)
{
    const yk_yaml *node = yk_yaml_find(map, "input");
    const int sources = d->node[PART_G] ? d->part[PART_G].cols : 0;
    const yk_yaml **item = NULL;
    int count = 0;

    if (!node && sources == 0) return YOKE_OK;
    if (!node)
        return yk_file_fail(r, d->node[PART_G], err,
                            "\"G\" has %d columns, so \"input\" must have %d "
                            "formulas",
                            sources, sources);
    YK_TRY(yk_file_texts(r, node, &item, &count, err));
    yoke_status status = YOKE_OK;
    if (count != sources)
        status = yk_file_fail(r, node, err,
                              "\"input\" has %d formulas, but \"G\" has %d "
                              "columns",
                              count, sources);
    if (status == YOKE_OK)
        status = yk_file_functions(r->file, count, &d->functions, err);
    for (int i = 0; status == YOKE_OK && i < count; i++)
        status = yk_file_function(r, item[i], scope, "an input", NULL,
                                  d->functions, i, err);
    if (status == YOKE_OK) status = yk_file_bind(d->functions, scope, err);
    yk_free(item);
    return status;
}

static yoke_status make_matrices(reader *d, yoke_err *err)
{
    int port = d->ports;

    for (int i = 0; i < d->n; i++)
        if (d->touched[i])
            YK_TRY(
                yk_triplets_add(&d->part[PART_B].entry, i, port++, 1.0, err));
    for (int k = 0; k < PARTS; k++) {
        const int cols = k < PART_B    ? d->n
                         : k == PART_B ? d->us
                                       : d->part[PART_G].cols;
        if (!d->node[k] && k != PART_B) continue;
        YK_TRY(yk_sparse_create(&d->matrix[k], d->n, cols, &d->part[k].entry,
                                err));
    }
    return YOKE_OK;
}

static yoke_matrix borrow(const yk_sparse *m)
{
    return (yoke_matrix){ m->pattern, m->value };
}

static yoke_status read_all(yk_reader *r, const yk_yaml *map,
                            const yk_unit_scope *scope, reader *d,
                            yoke_system **out, yoke_err *err)
{
    YK_TRY(read_parts(r, map, scope, d, err));
    d->ports = d->node[PART_B] ? d->part[PART_B].cols : 0;
    YK_TRY(YK_NEW(&d->touched, d->n, err));
    YK_TRY(mark_blocks(r, map->key, d->n, d->touched, err));
    YK_TRY(name_all(r, map, d, err));
    YK_TRY(read_start(r, map, scope, d, err));
    YK_TRY(read_inputs(r, map, scope, d, err));
    YK_TRY(make_matrices(d, err));
    const yoke_ph ph = {
        .n = d->n,
        .m = d->us,
        .sources = d->functions ? d->functions->count : 0,
        .E = borrow(&d->matrix[PART_E]),
        .J = borrow(&d->matrix[PART_J]),
        .R = borrow(&d->matrix[PART_R]),
        .Q = borrow(&d->matrix[PART_Q]),
        .B = borrow(&d->matrix[PART_B]),
        .G = borrow(&d->matrix[PART_G]),
        .source = d->functions ? yk_functions_now : NULL,
        .context = d->functions,
        .next_break = d->functions ? yk_functions_next_break : NULL,
        .straight = !d->functions || d->functions->straight,
        .x0 = d->x0,
        .x_name = d->x,
        .u_name = d->u,
        .y_name = d->y,
    };
    YK_TRY(yk_file_place_key(r, map, yoke_ph_create(out, map->key, &ph, err),
                             err));
    return yk_functions_told(out, d->functions, NULL, err);
}

static yoke_status read(yk_reader *r, const yk_yaml *map,
                        const yk_unit_scope *scope, yoke_system **out,
                        yoke_err *err)
{
    reader d = { 0 };
    const yoke_status status = read_all(r, map, scope, &d, out, err);

    reader_clear(&d);
    return status;
}

/* ---- blocks between subsystems ------------------------------------------- */

static yoke_status find_part(const yk_reader *r, const yk_yaml *block,
                             const char *key, yoke_system **out, yoke_err *err)
{
    yoke_graph *graph = yoke_model_graph(r->file->model);
    const yk_yaml *node = NULL;

    YK_TRY(yk_file_need(r, block, key, YK_YAML_TEXT, &node, err));
    const int i = yoke_graph_find(graph, node->text);
    if (i < 0)
        return yk_file_fail(r, node, err, "there is no subsystem \"%.100s\"",
                            node->text);
    *out = yoke_graph_system(graph, i);
    if (yoke_system_facts(*out)->ports) return YOKE_OK;
    return yk_file_fail(r, node, err,
                        "\"%.100s\" is not a port-Hamiltonian subsystem; "
                        "blocks of J are between those",
                        node->text);
}

/* "subsystem.flow.NAME" or "subsystem.effort.NAME". */
static void port_name(char *out, size_t room, const yoke_system *s,
                      const char *what, int unknown)
{
    snprintf(out, room, "%s.%s.%s", yoke_system_name(s), what,
             yoke_system_facts(s)->x_name[unknown]);
}

static yoke_status add_entry(yoke_graph *graph, const yoke_system *to, int row,
                             const yoke_system *from, int col, double weight,
                             yoke_err *err)
{
    char input[400], output[400];

    port_name(input, sizeof input, to, "flow", row);
    port_name(output, sizeof output, from, "effort", col);
    return yoke_graph_signal(graph, input, output, weight, err);
}

static yoke_status read_blocks(yk_reader *r, const yk_yaml *block,
                               yoke_err *err)
{
    static const char *const key[] = { "rows", "columns", "J" };
    yoke_graph *graph = yoke_model_graph(r->file->model);
    yoke_system *a = NULL, *b = NULL;
    yoke_status status = YOKE_OK;
    yk_sparse m = { NULL, NULL };
    given g = { 0 };

    YK_TRY(yk_file_want(r, block, YK_YAML_MAP, err));
    YK_TRY(yk_file_keys(r, block, 3, key, err));
    YK_TRY(find_part(r, block, "rows", &a, err));
    YK_TRY(find_part(r, block, "columns", &b, err));
    const yk_yaml *node = yk_yaml_find(block, "J");
    if (!node) return yk_file_fail(r, block, err, "\"J\" is missing");
    if (a == b)
        return yk_file_fail(r, block, err,
                            "a block is between two subsystems; J inside one "
                            "is its own");
    YK_GO(read_matrix(r, node, NULL, &g, err));
    YK_GO(yk_sparse_create(&m, g.rows, g.cols, &g.entry, err));
    for (int j = 0; j < g.cols; j++)
        for (int k = m.pattern->start[j]; k < m.pattern->start[j + 1]; k++) {
            YK_GO(yk_file_place(
                r, node, 0,
                add_entry(graph, a, m.pattern->row[k], b, j, m.value[k], err),
                err));
            YK_GO(yk_file_place(
                r, node, 0,
                add_entry(graph, b, j, a, m.pattern->row[k], -m.value[k], err),
                err));
        }
done:
    yk_sparse_clear(&m);
    given_clear(&g);
    return status;
}

static const yk_key keys[] = {
    { "E", YK_KEY_MATRIX, false, NULL, "may be singular [the identity]" },
    { "J", YK_KEY_MATRIX, false, NULL, "skew [0]" },
    { "R", YK_KEY_MATRIX, false, NULL, "symmetric, not negative [0]" },
    { "Q", YK_KEY_MATRIX, false, NULL, "[the identity]" },
    { "B", YK_KEY_MATRIX, false, NULL,
      "ports: input and output of the same number belong together" },
    { "G", YK_KEY_MATRIX, false, NULL, "columns of the sources" },
    { "x", YK_KEY_NAMES, false, NULL, "names of the unknowns [x1, ...]" },
    { "u", YK_KEY_NAMES, false, NULL, "names of the inputs [u1, ...]" },
    { "y", YK_KEY_NAMES, false, NULL, "names of the outputs [y1, ...]" },
    { "input", YK_KEY_FORMULA, false, NULL, "one for each column of G" },
    { "x0", YK_KEY_MATRIX, false, NULL, "initial values [0]" },
    { NULL, YK_KEY_TEXT, false, NULL, NULL },
};

const yk_component yk_component_ph = {
    .source = "component",
    .name = "port-hamiltonian",
    .text = "port-Hamiltonian system",
    .key = keys,
    .make = read,
    .coupling = "blocks",
    .couple = read_blocks,
};
