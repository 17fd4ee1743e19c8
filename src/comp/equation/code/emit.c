/* comp/equation/code/emit.c -- the text of the generated C.
 *
 *     void yoke_f(double t, const double *w, double *f, lists)
 *     void yoke_j(double t, const double *w, double *J, lists, tables)
 *
 * Loops stay loops.  Each node of the expression graph is one statement, in
 * the order of the interpreter.  Numbers are data (expr/c_text.h), and variables
 * are numbered without them.
 * Blocks are gathered into functions of moderate length, because the time of
 * an optimising compiler grows faster than the length of a function.
 */
#include "comp/equation/code/code_c.h"

enum { NODES_PER_FUNCTION = 300 };

static const char *const arguments =
    "#define ARGS double t, const double *restrict w, double *restrict out, "
    "\\\n"
    "    const int *const *restrict list, const int *const *restrict at, \\\n"
    "    const double *const *restrict sign, const double *restrict n\n"
    "#define PASS t, w, out, list, at, sign, n\n";

/* ---- One node ----------------------------------------------------------- */

static void put_operand(yk_c_text *s, const yk_model *m, int node)
{
    const yk_node *n = &m->pool.node[node];

    if (n->op == YK_OP_NUMBER)
        yk_c_put_number(s, n->number);
    else
        yk_c_put(s, "v%d", m->pool.mark[node]);
}

/* base + sum stride_k c_k */
static void put_place(yk_c_text *s, int base, const int *stride, int loops)
{
    yk_c_put(s, "%d", base);
    for (int l = 0; l < loops; l++)
        if (stride[l] == 1)
            yk_c_put(s, " + c%d", l);
        else if (stride[l] != 0)
            yk_c_put(s, " + (%d) * c%d", stride[l], l);
}

typedef struct operands {
    const yk_model *m;
    int child[3];
} operands;

static void put_child(void *self, yk_c_text *s, int k)
{
    const operands *o = self;

    put_operand(s, o->m, o->child[k]);
}

static void put_node(yk_c_text *s, const yk_model *m, const yk_template *t,
                     int node)
{
    const yk_node *n = &m->pool.node[node];
    int stride[YK_FLAT_LOOPS];

    if (n->op == YK_OP_NUMBER) return;
    yk_c_put(s, "const double v%d = ", m->pool.mark[node]);
    if (n->op == YK_OP_TIME)
        yk_c_put(s, "t");
    else if (n->op == YK_OP_INDEX)
        yk_c_put(s, "(double)(%d + (%d) * c%d)", t->first[n->variable],
                 t->step[n->variable], n->variable);
    else if (n->op == YK_OP_REFER || n->op == YK_OP_HELD) {
        const int base = yk_slot_strides(m, t, node, stride);
        yk_c_put(s, "w[");
        put_place(s, base, stride, t->loops);
        yk_c_put(s, "]");
    } else if (n->op == YK_OP_INTERPOLATE || n->op == YK_OP_SLOPE) {
        yk_c_put(s, "%s(w + %d, %d, ", n->op == YK_OP_SLOPE ? "slope" : "look",
                 m->base[n->variable],
                 m->flat->variable[n->variable].count / 2);
        put_operand(s, m, n->a);
        yk_c_put(s, ")");
    } else {
        operands o = { m, { n->a, n->b, n->c } };
        yk_c_put_form(s, (yk_op)n->op, put_child, &o);
    }
    yk_c_put(s, ";\n");
}

/* ---- Loops -------------------------------------------------------------- */

/* Defines c0 ... of the round and k, the number of the instance. */
static void open_loops(yk_c_text *s, const yk_template *t, int list)
{
    if (t->list) {
        yk_c_put(s, "for (int k = 0; k < %d; k++) {\n", t->instances);
        if (t->loops > 0) yk_c_put(s, "int round = list[%d][k];\n", list);
        for (int l = t->loops - 1; l >= 0; l--) {
            yk_c_put(s, "const int c%d = round %% %d;\n", l, t->count[l]);
            if (l > 0) yk_c_put(s, "round /= %d;\n", t->count[l]);
        }
        return;
    }
    for (int l = 0; l < t->loops; l++)
        yk_c_put(s, "for (int c%d = 0; c%d < %d; c%d++) {\n", l, l, t->count[l],
                 l);
    yk_c_put(s, "{\nconst int k = 0");
    for (int l = 0, weight = t->rounds; l < t->loops; l++) {
        weight /= t->count[l];
        if (weight == 1)
            yk_c_put(s, " + c%d", l);
        else
            yk_c_put(s, " + %d * c%d", weight, l);
    }
    yk_c_put(s, ";\n");
}

static void close_loops(yk_c_text *s, const yk_template *t)
{
    for (int l = 0; !t->list && l < t->loops; l++) yk_c_put(s, "}\n");
    yk_c_put(s, "}\n");
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
    if (e->functions > 0) yk_c_put(e->s, "}\n");
    yk_c_put(e->s, "static void %s%d(ARGS)\n{\n", e->prefix, e->functions++);
    yk_c_put(e->s,
             "(void)t; (void)w; (void)list; (void)at; (void)sign; (void)n;\n");
    e->nodes = nodes;
}

static void finish_functions(emitter *e, const char *name)
{
    if (e->functions > 0) yk_c_put(e->s, "}\n");
    yk_c_put(e->s, "void %s(ARGS)\n{\n", name);
    yk_c_put(e->s,
             "(void)t; (void)w; (void)out; (void)list; (void)at; (void)n;\n");
    for (int i = 0; i < e->functions; i++)
        yk_c_put(e->s, "%s%d(PASS);\n", e->prefix, i);
    yk_c_put(e->s, "}\n");
}

static yoke_status emit_f(emitter *e, const yk_block *b, yoke_err *err)
{
    int *list = NULL, length = 0;

    YK_TRY(yk_reach(&e->m->pool, 1, &b->t.residual, &list, &length, err));
    next_function(e, length);
    open_loops(e->s, &b->t, e->lists);
    if (b->t.list) e->lists++;
    put_nodes(e->s, e->m, &b->t, list, length);
    yk_c_put(e->s, "out[%d + k] = ", b->t.row);
    put_operand(e->s, e->m, b->t.residual);
    yk_c_put(e->s, ";\n");
    close_loops(e->s, &b->t);
    forget(e->m, list, length);
    yk_free(list);
    return YOKE_OK;
}

static void put_entry(emitter *e, const yk_template *t, const yk_entry *entry)
{
    yk_c_put(e->s, "out[");
    if (entry->affine)
        put_place(e->s, entry->first, entry->stride, t->loops);
    else
        yk_c_put(e->s, "at[%d][k]", e->tables);
    yk_c_put(e->s, entry->alone ? "] = " : "] += ");
    if (entry->sign) yk_c_put(e->s, "sign[%d][k] * ", e->tables);
    put_operand(e->s, e->m, entry->node);
    yk_c_put(e->s, ";\n");
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
    yk_c_put(e->s, "(void)k;\n");
    close_loops(e->s, &b->t);
    forget(e->m, list, length);
done:
    YK_FREE(root, list, head, next);
    return status;
}

yoke_status yk_emit(yk_c_text *source, const yk_layout *l, yk_model *m,
                    yoke_err *err)
{
    yoke_status status = YOKE_OK;
    emitter f = { .s = source, .m = m, .prefix = "f" };
    emitter j = { .s = source, .m = m, .prefix = "j" };

    *source = (yk_c_text){ 0 };
    yk_c_put_prelude(source);
    yk_c_put_text(source, arguments);
    for (int i = 0; i < l->blocks; i++) YK_GO(emit_f(&f, &l->block[i], err));
    finish_functions(&f, "yoke_f");
    for (int i = 0; i < l->blocks; i++) YK_GO(emit_j(&j, &l->block[i], err));
    finish_functions(&j, "yoke_j");
done:
    if (status != YOKE_OK) yk_c_text_free(source);
    return status;
}
