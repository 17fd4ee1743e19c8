/* comp/equation/code/emit.c -- the text of the generated C.
 *
 *     void yoke_f(double t, const double *w, double *f, lists)
 *     void yoke_j(double t, const double *w, double *J, lists, tables)
 *
 * Loops stay loops.  Each node of the expression graph is one statement, in
 * the order of the interpreter.  Numbers are data, n[0], n[1], ... in the order
 * of the text: a model with other values of its parameters is the same text, and
 * is compiled once.  So are its variables numbered without them.  Builtins
 * are switched off when compiling, so no call is folded or replaced by another
 * function; sqrt and abs are exact by the standard and written as builtins.
 * Blocks are gathered into functions of moderate length, because the time of
 * an optimising compiler grows faster than the length of a function.
 */
#include "comp/equation/code/code_c.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NODES_PER_FUNCTION = 300 };

void yk_c_text_free(yk_c_text *source)
{
    YK_FREE(source->text, source->number);
    *source = (yk_c_text){ 0 };
}

static void put(yk_c_text *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void put(yk_c_text *s, const char *format, ...)
{
    char line[512];
    va_list list;

    va_start(list, format);
    const int n = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    if (s->status != YOKE_OK || n < 0) return;
    const size_t length = (size_t)n < sizeof line ? (size_t)n : sizeof line - 1;
    s->status =
        yk_grow((void **)&s->text, &s->room, s->length + length + 1, 1, NULL);
    if (s->status != YOKE_OK) return;
    memcpy(s->text + s->length, line, length + 1);
    s->length += length;
}

static const char *const prelude =
    "/* Generated; do not edit. */\n"
    "double pow(double, double), exp(double), log(double), log10(double);\n"
    "double sin(double), cos(double), tan(double), asin(double);\n"
    "double acos(double), atan(double), atan2(double, double);\n"
    "double sinh(double), cosh(double), tanh(double);\n"
    "double floor(double), ceil(double);\n"
    "#define fabs __builtin_fabs\n"
    "#define sqrt __builtin_sqrt\n"
    "#define ARGS double t, const double *restrict w, double *restrict out, "
    "\\\n"
    "    const int *const *restrict list, const int *const *restrict at, \\\n"
    "    const double *const *restrict sign, const double *restrict n\n"
    "#define PASS t, w, out, list, at, sign, n\n"
    "static inline int piece(const double *table, int rows, double x)\n"
    "{\n"
    "    int low = 0, high = rows - 1;\n"
    "    while (high - low > 1) {\n"
    "        const int middle = (low + high) / 2;\n"
    "        if (x < table[2 * middle]) high = middle; else low = middle;\n"
    "    }\n"
    "    return low;\n"
    "}\n"
    "static inline double slope(const double *table, int rows, double x)\n"
    "{\n"
    "    if (rows < 2 || x < table[0] || x > table[2 * rows - 2]) return 0.0;\n"
    "    const double *r = table + 2 * piece(table, rows, x);\n"
    "    return (r[3] - r[1]) / (r[2] - r[0]);\n"
    "}\n";

static const char *const prelude_end =
    "static inline double look(const double *table, int rows, double x)\n"
    "{\n"
    "    if (rows < 1) return 0.0;\n"
    "    if (x <= table[0]) return table[1];\n"
    "    if (x >= table[2 * rows - 2]) return table[2 * rows - 1];\n"
    "    const double *r = table + 2 * piece(table, rows, x);\n"
    "    return r[1] + (r[3] - r[1]) / (r[2] - r[0]) * (x - r[0]);\n"
    "}\n";

/* ---- One node ----------------------------------------------------------- */

/* Each occurrence has its own, because values that are equal by chance here are
 * not in another instance of the model. */
static void put_number(yk_c_text *s, double v)
{
    if (s->status != YOKE_OK) return;
    s->status = yk_grow((void **)&s->number, &s->number_room,
                        (size_t)s->numbers + 1, sizeof *s->number, NULL);
    if (s->status != YOKE_OK) return;
    put(s, "n[%d]", s->numbers);
    s->number[s->numbers++] = v;
}

static void put_operand(yk_c_text *s, const yk_model *m, int node)
{
    const yk_node *n = &m->pool.node[node];

    if (n->op == YK_OP_NUMBER)
        put_number(s, n->number);
    else
        put(s, "v%d", m->pool.mark[node]);
}

/* base + sum stride_k c_k */
static void put_place(yk_c_text *s, int base, const int *stride, int loops)
{
    put(s, "%d", base);
    for (int l = 0; l < loops; l++)
        if (stride[l] == 1)
            put(s, " + c%d", l);
        else if (stride[l] != 0)
            put(s, " + (%d) * c%d", stride[l], l);
}

/* The text of its operation, in which a, b, c are the operands. */
static void put_form(yk_c_text *s, const yk_model *m, const yk_node *n)
{
    const int child[3] = { n->a, n->b, n->c };
    bool inside = false; /* a word */

    for (const char *text = yk_op_text((yk_op)n->op); *text; text++) {
        const bool word = isalnum((unsigned char)*text);
        if (word && !inside && !isalnum((unsigned char)text[1]) &&
            *text >= 'a' && *text <= 'c')
            put_operand(s, m, child[*text - 'a']);
        else
            put(s, "%c", *text);
        inside = word;
    }
}

static void put_node(yk_c_text *s, const yk_model *m, const yk_template *t,
                     int node)
{
    const yk_node *n = &m->pool.node[node];
    int stride[YK_FLAT_LOOPS];

    if (n->op == YK_OP_NUMBER) return;
    put(s, "const double v%d = ", m->pool.mark[node]);
    if (n->op == YK_OP_TIME)
        put(s, "t");
    else if (n->op == YK_OP_INDEX)
        put(s, "(double)(%d + (%d) * c%d)", t->first[n->variable],
            t->step[n->variable], n->variable);
    else if (n->op == YK_OP_REFER || n->op == YK_OP_HELD) {
        const int base = yk_slot_strides(m, t, node, stride);
        put(s, "w[");
        put_place(s, base, stride, t->loops);
        put(s, "]");
    } else if (n->op == YK_OP_INTERPOLATE || n->op == YK_OP_SLOPE) {
        put(s, "%s(w + %d, %d, ", n->op == YK_OP_SLOPE ? "slope" : "look",
            m->base[n->variable], m->flat->variable[n->variable].count / 2);
        put_operand(s, m, n->a);
        put(s, ")");
    } else
        put_form(s, m, n);
    put(s, ";\n");
}

/* ---- Loops -------------------------------------------------------------- */

/* Defines c0 ... of the round and k, the number of the instance. */
static void open_loops(yk_c_text *s, const yk_template *t, int list)
{
    if (t->list) {
        put(s, "for (int k = 0; k < %d; k++) {\n", t->instances);
        if (t->loops > 0) put(s, "int round = list[%d][k];\n", list);
        for (int l = t->loops - 1; l >= 0; l--) {
            put(s, "const int c%d = round %% %d;\n", l, t->count[l]);
            if (l > 0) put(s, "round /= %d;\n", t->count[l]);
        }
        return;
    }
    for (int l = 0; l < t->loops; l++)
        put(s, "for (int c%d = 0; c%d < %d; c%d++) {\n", l, l, t->count[l], l);
    put(s, "{\nconst int k = 0");
    for (int l = 0, weight = t->rounds; l < t->loops; l++) {
        weight /= t->count[l];
        if (weight == 1)
            put(s, " + c%d", l);
        else
            put(s, " + %d * c%d", weight, l);
    }
    put(s, ";\n");
}

static void close_loops(yk_c_text *s, const yk_template *t)
{
    for (int l = 0; !t->list && l < t->loops; l++) put(s, "}\n");
    put(s, "}\n");
}

/* The variables of the text from 1 on, the numbers behind them. */
static void number_nodes(yk_model *m, const int *list, int length)
{
    int next = 0;

    for (int numbers = 0; numbers < 2; numbers++)
        for (int i = 0; i < length; i++)
            if ((m->pool.node[list[i]].op == YK_OP_NUMBER) == numbers)
                m->pool.mark[list[i]] = ++next;
}

static void put_nodes(yk_c_text *s, yk_model *m, const yk_template *t,
                      const int *list, int length)
{
    number_nodes(m, list, length);
    for (int i = 0; i < length; i++) put_node(s, m, t, list[i]);
}

static void forget(yk_model *m, const int *list, int length)
{
    for (int i = 0; i < length; i++) m->pool.mark[list[i]] = 0;
}

/* ---- Functions ---------------------------------------------------------- */

/* Blocks go into functions prefix0, prefix1, ... */
typedef struct emitter {
    yk_c_text *s;
    yk_model *m;
    const char *prefix;
    int functions, nodes;
    int lists, tables; /* numbers of lists and tables used so far */
} emitter;

static void next_function(emitter *e, int nodes)
{
    if (e->functions > 0 && e->nodes + nodes <= NODES_PER_FUNCTION) {
        e->nodes += nodes;
        return;
    }
    if (e->functions > 0) put(e->s, "}\n");
    put(e->s, "static void %s%d(ARGS)\n{\n", e->prefix, e->functions++);
    put(e->s, "(void)t; (void)w; (void)list; (void)at; (void)sign; (void)n;\n");
    e->nodes = nodes;
}

static void finish_functions(emitter *e, const char *name)
{
    if (e->functions > 0) put(e->s, "}\n");
    put(e->s, "void %s(ARGS)\n{\n", name);
    put(e->s, "(void)t; (void)w; (void)out; (void)list; (void)at; (void)n;\n");
    for (int i = 0; i < e->functions; i++)
        put(e->s, "%s%d(PASS);\n", e->prefix, i);
    put(e->s, "}\n");
}

static yoke_status emit_f(emitter *e, const yk_block *b, yoke_err *err)
{
    int *list = NULL, length = 0;

    YK_TRY(yk_reach(&e->m->pool, 1, &b->t.residual, &list, &length, err));
    next_function(e, length);
    open_loops(e->s, &b->t, e->lists);
    if (b->t.list) e->lists++;
    put_nodes(e->s, e->m, &b->t, list, length);
    put(e->s, "out[%d + k] = ", b->t.row);
    put_operand(e->s, e->m, b->t.residual);
    put(e->s, ";\n");
    close_loops(e->s, &b->t);
    forget(e->m, list, length);
    yk_free(list);
    return YOKE_OK;
}

static void put_entry(emitter *e, const yk_template *t, const yk_entry *entry)
{
    put(e->s, "out[");
    if (entry->affine)
        put_place(e->s, entry->first, entry->stride, t->loops);
    else
        put(e->s, "at[%d][k]", e->tables);
    put(e->s, entry->alone ? "] = " : "] += ");
    if (entry->sign) put(e->s, "sign[%d][k] * ", e->tables);
    put_operand(e->s, e->m, entry->node);
    put(e->s, ";\n");
}

/* An entry is stored as soon as its value is known: a compiler has few live
 * values to look after, and stays linear for sums over thousands of unknowns.
 * head[i] is the first entry with the value of the node that is marked i + 1,
 * from 1. */
static void put_nodes_and_entries(emitter *e, const yk_block *b,
                                  const int *list, int length, int *head,
                                  int *next)
{
    yk_model *m = e->m;
    const int tables = e->tables;

    number_nodes(m, list, length);
    for (int k = b->entries - 1; k >= 0; k--) {
        const int at = m->pool.mark[b->entry[k].node] - 1;
        next[k] = head[at];
        head[at] = k + 1;
    }
    for (int i = 0; i < length; i++) {
        put_node(e->s, m, &b->t, list[i]);
        const int first = head[m->pool.mark[list[i]] - 1];
        for (int k = first - 1; k >= 0; k = next[k] - 1) {
            e->tables = tables + k;
            put_entry(e, &b->t, &b->entry[k]);
        }
    }
    e->tables = tables + b->entries;
}

static yoke_status emit_j(emitter *e, const yk_block *b, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *list = NULL, *root = NULL, *head = NULL, *next = NULL, length = 0;

    if (b->t.list && b->entries == 0) e->lists++;
    if (b->entries == 0) return YOKE_OK;
    YK_GO(yk_ints(&root, (size_t)b->entries, err));
    for (int k = 0; k < b->entries; k++) root[k] = b->entry[k].node;
    YK_GO(yk_reach(&e->m->pool, b->entries, root, &list, &length, err));
    YK_GO(yk_ints(&head, (size_t)length, err));
    YK_GO(yk_ints(&next, (size_t)b->entries, err));
    next_function(e, length);
    open_loops(e->s, &b->t, e->lists);
    if (b->t.list) e->lists++;
    put_nodes_and_entries(e, b, list, length, head, next);
    put(e->s, "(void)k;\n");
    close_loops(e->s, &b->t);
    forget(e->m, list, length);
done:
    yk_free(root);
    yk_free(list);
    yk_free(head);
    yk_free(next);
    return status;
}

yoke_status yk_emit(yk_c_text *source, const yk_layout *l, yk_model *m,
                    yoke_err *err)
{
    yoke_status status = YOKE_OK;
    emitter f = { .s = source, .m = m, .prefix = "f" };
    emitter j = { .s = source, .m = m, .prefix = "j" };

    *source = (yk_c_text){ 0 };
    for (const char *line = prelude; *line; line++) put(source, "%c", *line);
    put(source, "%s", prelude_end);
    for (int i = 0; i < l->blocks; i++) YK_GO(emit_f(&f, &l->block[i], err));
    finish_functions(&f, "yoke_f");
    for (int i = 0; i < l->blocks; i++) YK_GO(emit_j(&j, &l->block[i], err));
    finish_functions(&j, "yoke_j");
    if (source->status != YOKE_OK)
        YK_GO(yk_fail(err, source->status, "no memory for generated code"));
done:
    if (status != YOKE_OK) yk_c_text_free(source);
    return status;
}
