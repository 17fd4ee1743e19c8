/* comp/linear/read.c -- a linear subsystem written in the file.
 *
 *     E x' + F u' = A x + B u + source(t),   y = H x + D u
 *
 * A matrix is a list of rows.  A flat list is one column of B and F, one row of
 * H and D; a number is 1 by 1.
 */
#include "file/component.h"

typedef enum part { A, B, D, E, F, H, MATRICES } part;

/* Rows and columns of each, in terms of n unknowns, m inputs, p outputs. */
typedef enum size { UNKNOWNS, INPUTS, OUTPUTS, SIZES } size;

static const struct {
    const char *key;
    size rows, cols;
    bool flat_is_column;
} parts[MATRICES] = {
    [A] = { "A", UNKNOWNS, UNKNOWNS, true },
    [B] = { "B", UNKNOWNS, INPUTS, true },
    [D] = { "D", OUTPUTS, INPUTS, false },
    [E] = { "E", UNKNOWNS, UNKNOWNS, true },
    [F] = { "F", UNKNOWNS, INPUTS, true },
    [H] = { "H", OUTPUTS, UNKNOWNS, false },
};

static const char *const size_text[SIZES] = { "states", "inputs", "outputs" };
static const char *const names_key[SIZES] = { "x", "u", "y" };

typedef struct matrix {
    const yk_yaml *node;
    int rows, cols;
    double *value;
} matrix;

typedef struct linear {
    matrix matrix[MATRICES];
    int size[SIZES]; /* -1: not known yet */
    const char *known_by[SIZES];
    const char **name[SIZES];
    double *x0;
} linear;

static void linear_clear(linear *l)
{
    for (int i = 0; i < MATRICES; i++) yk_free(l->matrix[i].value);
    for (int i = 0; i < SIZES; i++) yk_free(l->name[i]);
    yk_free(l->x0);
}

/* ---- sizes --------------------------------------------------------------- */

/* Every part of the subsystem says something about the sizes. */
static yoke_status agree(const yk_reader *r, linear *l, const yk_yaml *node,
                         size which, int count, yoke_err *err)
{
    if (l->size[which] < 0) {
        l->size[which] = count;
        l->known_by[which] = node->key;
    }
    if (l->size[which] == count) return YOKE_OK;
    return yk_file_fail(
        r, node, err, "\"%s\" is for %d %s, but \"%s\" is for %d", node->key,
        count, size_text[which], l->known_by[which], l->size[which]);
}

/* ---- matrices ------------------------------------------------------------ */

static bool is_flat(const yk_yaml *node)
{
    return node->first && node->first->kind == YK_YAML_TEXT;
}

/* Rows and columns as written. */
static yoke_status measure(const yk_reader *r, const yk_yaml *node, part which,
                           matrix *m, yoke_err *err)
{
    m->node = node;
    m->rows = m->cols = 1;
    if (node->kind == YK_YAML_TEXT) return YOKE_OK;
    YK_TRY(yk_file_want(r, node, YK_YAML_LIST, err));
    if (is_flat(node)) {
        *(parts[which].flat_is_column ? &m->rows : &m->cols) = node->count;
        return YOKE_OK;
    }
    m->rows = node->count;
    m->cols = node->first ? node->first->count : 0;
    for (const yk_yaml *row = node->first; row; row = row->next) {
        YK_TRY(yk_file_want(r, row, YK_YAML_LIST, err));
        if (row->count != m->cols)
            return yk_file_fail(r, row, err,
                                "this row of \"%s\" has %d numbers, the first "
                                "one has %d",
                                node->key, row->count, m->cols);
    }
    return YOKE_OK;
}

static yoke_status read_numbers(const yk_reader *r, const yk_yaml *list,
                                const yk_unit_scope *scope, double **at,
                                yoke_err *err)
{
    if (list->kind == YK_YAML_TEXT)
        return yk_file_number(r, list, scope, (*at)++, err);
    for (const yk_yaml *e = list->first; e; e = e->next)
        YK_TRY(yk_file_number(r, e, scope, (*at)++, err));
    return YOKE_OK;
}

static yoke_status fill(const yk_reader *r, const yk_unit_scope *scope,
                        matrix *m, yoke_err *err)
{
    YK_TRY(yk_doubles(&m->value, (size_t)m->rows * (size_t)m->cols, err));
    double *at = m->value;
    if (m->node->kind == YK_YAML_TEXT || is_flat(m->node))
        return read_numbers(r, m->node, scope, &at, err);
    for (const yk_yaml *row = m->node->first; row; row = row->next)
        YK_TRY(read_numbers(r, row, scope, &at, err));
    return YOKE_OK;
}

static yoke_status read_matrices(const yk_reader *r, const yk_yaml *given,
                                 const yk_unit_scope *scope, linear *l,
                                 yoke_err *err)
{
    for (int i = 0; i < MATRICES; i++) {
        const yk_yaml *node = yk_yaml_find(given, parts[i].key);
        matrix *m = &l->matrix[i];
        if (!node) continue;
        YK_TRY(measure(r, node, (part)i, m, err));
        YK_TRY(agree(r, l, node, parts[i].rows, m->rows, err));
        YK_TRY(agree(r, l, node, parts[i].cols, m->cols, err));
        YK_TRY(fill(r, scope, m, err));
    }
    return YOKE_OK;
}

/* ---- names and start values ---------------------------------------------- */

static yoke_status read_names(const yk_reader *r, const yk_yaml *given,
                              linear *l, size which, yoke_err *err)
{
    const yk_yaml *node = yk_yaml_find(given, names_key[which]);
    const yk_yaml **item = NULL;
    int count = 0;

    if (!node) return YOKE_OK;
    YK_TRY(yk_file_texts(r, node, &item, &count, err));
    yoke_status status = agree(r, l, node, which, count, err);
    if (status == YOKE_OK) status = YK_NEW(&l->name[which], count, err);
    for (int i = 0; status == YOKE_OK && i < count; i++)
        l->name[which][i] = item[i]->text;
    yk_free(item);
    return status;
}

static yoke_status read_start(const yk_reader *r, const yk_yaml *given,
                              const yk_unit_scope *scope, linear *l,
                              yoke_err *err)
{
    const yk_yaml *node = yk_yaml_find(given, "x0");

    if (!node) return YOKE_OK;
    if (node->kind != YK_YAML_TEXT)
        YK_TRY(yk_file_want(r, node, YK_YAML_LIST, err));
    const int count = node->kind == YK_YAML_TEXT ? 1 : node->count;
    YK_TRY(agree(r, l, node, UNKNOWNS, count, err));
    YK_TRY(yk_doubles(&l->x0, (size_t)count, err));
    double *at = l->x0;
    return read_numbers(r, node, scope, &at, err);
}

/* ---- source -------------------------------------------------------------- */

static yoke_status parse_source(const yk_reader *r, const yk_yaml *item,
                                yk_formula *formula, int *root, yoke_err *err)
{
    size_t at = 0;
    yoke_status status =
        yk_formula_expression(formula, item->text, &at, root, err);

    if (status == YOKE_OK) status = yk_formula_end(item->text, at, err);
    return yk_file_place(r, item, at, status, err);
}

/* The values of the parameters that the formulas contain. */
static yoke_status bind(const yk_reader *r, const yk_yaml *node,
                        yk_functions *f, const yk_unit_scope *scope,
                        yoke_err *err)
{
    const yk_formula *formula = &f->formula;

    YK_TRY(yk_doubles(&f->y, (size_t)formula->variables, err));
    for (int i = 0; i < formula->variables; i++) {
        const int number = yk_names_find(scope->names, formula->name[i]);
        if (number < 0)
            return yk_file_fail(r, node, err,
                                "\"%.100s\" in \"source\" is neither the time "
                                "nor a parameter",
                                formula->name[i]);
        f->y[i] = scope->value[number];
    }
    return yk_functions_close(f, err);
}

static yoke_status read_source(yk_reader *r, const yk_yaml *given,
                               const yk_unit_scope *scope, linear *l,
                               yk_functions **out, yoke_err *err)
{
    const yk_yaml *node = yk_yaml_find(given, "source");
    const yk_yaml **item = NULL;
    int count = 0;

    if (!node) return YOKE_OK;
    YK_TRY(yk_file_texts(r, node, &item, &count, err));
    yoke_status status = agree(r, l, node, UNKNOWNS, count, err);
    if (status == YOKE_OK) status = yk_file_functions(r->file, count, out, err);
    for (int i = 0; status == YOKE_OK && i < count; i++)
        status =
            parse_source(r, item[i], &(*out)->formula, &(*out)->root[i], err);
    yk_free(item);
    return status == YOKE_OK ? bind(r, node, *out, scope, err) : status;
}

/* ---- the subsystem ------------------------------------------------------- */

static yoke_status read_all(yk_reader *r, const yk_yaml *given,
                            const yk_unit_scope *scope, linear *l,
                            yk_functions **functions, yoke_err *err)
{
    static const char *const key[] = { "A", "B", "D", "E",  "F",     "H",
                                       "x", "u", "y", "x0", "source" };

    YK_TRY(yk_file_keys(r, given, sizeof key / sizeof key[0], key, err));
    for (int i = 0; i < SIZES; i++) l->size[i] = -1;
    YK_TRY(read_matrices(r, given, scope, l, err));
    YK_TRY(read_start(r, given, scope, l, err));
    YK_TRY(read_source(r, given, scope, l, functions, err));
    if (!l->matrix[H].value && !l->matrix[D].value) { /* then y = x */
        const yk_yaml *node = yk_yaml_find(given, "y");
        if (node)
            return yk_file_fail(r, node, err,
                                "without \"H\" and \"D\" the outputs are the "
                                "states; leave \"y\" out");
    }
    for (int i = 0; i < SIZES; i++)
        YK_TRY(read_names(r, given, l, (size)i, err));
    if (l->size[UNKNOWNS] < 0 && !l->matrix[D].value)
        return yk_file_fail(r, given, err,
                            "\"linear\" needs the matrix A, or D alone");
    return YOKE_OK;
}

static int known(int count)
{
    return count < 0 ? 0 : count;
}

static yoke_status create(yoke_system **out, const char *name, const linear *l,
                          yk_functions *functions, yoke_err *err)
{
    const yoke_linear given = {
        .n = known(l->size[UNKNOWNS]),
        .m = known(l->size[INPUTS]),
        .p = known(l->size[OUTPUTS]),
        .E = l->matrix[E].value,
        .A = l->matrix[A].value,
        .F = l->matrix[F].value,
        .B = l->matrix[B].value,
        .H = l->matrix[H].value,
        .D = l->matrix[D].value,
        .source = functions ? yk_functions_now : NULL,
        .context = functions,
        .next_break = functions ? yk_functions_next_break : NULL,
        .straight = !functions || functions->straight,
        .x0 = l->x0,
        .x_name = l->name[UNKNOWNS],
        .u_name = l->name[INPUTS],
        .y_name = l->name[OUTPUTS],
    };

    YK_TRY(yoke_linear_create(out, name, &given, err));
    return yk_functions_told(out, functions, NULL, err);
}

static yoke_status report(yk_reader *r, const yoke_system *system,
                          yoke_err *err)
{
    const yoke_system_info *f = yoke_system_facts(system);

    return yk_file_report(r->file, err,
                          "%s: linear: %d states, %d inputs, %d outputs",
                          yoke_system_name(system), f->n, f->m, f->p);
}

static yoke_status read_linear(yk_reader *r, const yk_yaml *node,
                               const yk_yaml *given, yk_entries *parameters,
                               yoke_system **out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_functions *functions = NULL;
    linear l = { 0 };

    YK_TRY(yk_file_no_added(parameters, err));
    YK_TRY(yk_file_values(parameters, err));
    const yk_unit_scope scope = { &parameters->names, parameters->value };
    YK_GO(read_all(r, given, &scope, &l, &functions, err));
    YK_GO(yk_file_place(r, given, 0, create(out, node->key, &l, functions, err),
                        err));
    YK_GO(report(r, *out, err));
    YK_GO(yk_facts_part(&r->file->facts, node->key, "linear", NULL, NULL,
                        parameters, err));
done:
    linear_clear(&l);
    return status;
}

const yk_component yk_component_linear = {
    .source = "linear",
    .text = "matrices",
    .read = read_linear,
};
