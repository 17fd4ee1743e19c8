/* comp/equation/code/interpret.c -- expressions without a compiler.
 *
 * Each instruction is carried out for up to YK_LANES instances of the loop
 * before the next one, so that decoding costs little.  Every lane computes what
 * yk_op_value and the generated C compute, in the same order: the same bits.
 */
#include "comp/equation/code/interpret.h"

#include "expr/why.h"

#include <math.h>
#include <string.h>

void yk_eq_code_free(yk_code *code)
{
    YK_FREE(code->instruction, code->result);
    *code = (yk_code){ 0 };
}

/* ---- Registers ---------------------------------------------------------- */

/* A register is free again after the last use of its node. */
typedef struct allocation {
    int *last;  /* position of the last use of each node of the list */
    int *place; /* its register */
    int *spare, spares, used;
} allocation;

static void note_uses(const yk_pool *pool, const int *list, int length,
                      int *last)
{
    for (int i = 0; i < length; i++) {
        const yk_node *n = &pool->node[list[i]];
        const int child[3] = { n->a, n->b, n->c };
        for (int k = 0; k < 3; k++)
            if (child[k] >= 0) last[pool->mark[child[k]] - 1] = i;
    }
}

static void release(allocation *a, int child, int at)
{
    if (child < 0 || a->last[child] != at) return;
    a->last[child] = -1; /* once, also if it occurs twice */
    a->spare[a->spares++] = a->place[child];
}

static int take(allocation *a)
{
    return a->spares > 0 ? a->spare[--a->spares] : a->used++;
}

static void describe(yk_model *model, const yk_template *t, int node,
                     yk_instruction *in)
{
    const yk_node *n = &model->pool.node[node];

    in->op = n->op;
    in->number = n->number;
    in->a = in->b = in->c = -1;
    if (n->op == YK_OP_REFER || n->op == YK_OP_HELD)
        in->base = yk_slot_strides(model, t, node, in->stride);
    else if (n->op == YK_OP_PRE) /* a second w follows the first */
        in->base = model->slots + yk_slot_strides(model, t, node, in->stride);
    else if (n->op == YK_OP_INDEX)
        in->base = n->variable;
    else if (n->op == YK_OP_INTERPOLATE || n->op == YK_OP_SLOPE) {
        in->base = model->base[n->variable];
        in->rows = model->flat->variable[n->variable].count / 2;
    }
}

static void emit(yk_code *code, yk_model *model, const yk_template *t,
                 const int *list, allocation *a)
{
    const yk_pool *pool = &model->pool;

    for (int i = 0; i < code->length; i++) {
        const yk_node *n = &pool->node[list[i]];
        yk_instruction *in = &code->instruction[i];
        const int child[3] = { n->a < 0 ? -1 : pool->mark[n->a] - 1,
                               n->b < 0 ? -1 : pool->mark[n->b] - 1,
                               n->c < 0 ? -1 : pool->mark[n->c] - 1 };
        describe(model, t, list[i], in);
        if (child[0] >= 0) in->a = a->place[child[0]];
        if (child[1] >= 0) in->b = a->place[child[1]];
        if (child[2] >= 0) in->c = a->place[child[2]];
        /* Lane by lane an operand may be overwritten by its result. */
        for (int k = 0; k < 3; k++) release(a, child[k], i);
        in->out = a->place[i] = take(a);
    }
    code->registers = a->used;
}

yoke_status yk_eq_code_create(yk_code *code, yk_model *model,
                              const yk_template *t, int count, const int *root,
                              yoke_err *err)
{
    yoke_status status = YOKE_OK;
    int *list = NULL, length = 0;
    allocation a = { 0 };
    int *mark = model->pool.mark;

    *code = (yk_code){ .results = count };
    YK_TRY(yk_reach(&model->pool, count, root, &list, &length, err));
    YK_GO(YK_INTS((size_t)length, err, &a.last, &a.place, &a.spare));
    YK_GO(YK_NEW(&code->instruction, length, err));
    YK_GO(yk_ints(&code->result, (size_t)count, err));
    code->length = length;
    for (int i = 0; i < length; i++) mark[list[i]] = i + 1;
    for (int i = 0; i < length; i++) a.last[i] = -1;
    note_uses(&model->pool, list, length, a.last);
    for (int r = 0; r < count; r++) a.last[mark[root[r]] - 1] = length;
    emit(code, model, t, list, &a);
    for (int r = 0; r < count; r++)
        code->result[r] = a.place[mark[root[r]] - 1];
    for (int i = 0; i < length; i++) mark[list[i]] = 0;
done:
    YK_FREE(list, a.last, a.place, a.spare);
    if (status != YOKE_OK) yk_eq_code_free(code);
    return status;
}

/* ---- Execution ---------------------------------------------------------- */

typedef struct lanes {
    int count;
    int counter[YK_FLAT_LOOPS][YK_LANES];
} lanes;

/* The next round of full loops, last counter fastest. */
static void next_round(const yk_template *t, int counter[YK_FLAT_LOOPS])
{
    for (int l = t->loops - 1; l >= 0; l--) {
        if (++counter[l] < t->count[l]) return;
        counter[l] = 0;
    }
}

static void set_lanes(lanes *l, const yk_template *t, int first, int count)
{
    int counter[YK_FLAT_LOOPS] = { 0 };

    l->count = count;
    yk_counters(t, first, counter);
    for (int k = 0; k < count; k++) {
        for (int j = 0; j < t->loops; j++) l->counter[j][k] = counter[j];
        if (t->list && k + 1 < count)
            yk_counters(t, first + k + 1, counter);
        else
            next_round(t, counter);
    }
}

static void load(const yk_instruction *in, const yk_template *t, const lanes *l,
                 const double *w, double *out)
{
    if (t->loops == 1 && !t->list) {
        const double *from = w + in->base + in->stride[0] * l->counter[0][0];
        for (int k = 0; k < l->count; k++) out[k] = from[k * in->stride[0]];
        return;
    }
    for (int k = 0; k < l->count; k++) {
        int slot = in->base;
        for (int j = 0; j < t->loops; j++)
            slot += in->stride[j] * l->counter[j][k];
        out[k] = w[slot];
    }
}

static void look_up(const yk_instruction *in, const double *w, const double *a,
                    int n, double *out)
{
    if (in->op == YK_OP_SLOPE)
        for (int k = 0; k < n; k++)
            out[k] = yk_slope(w + in->base, in->rows, a[k]);
    else
        for (int k = 0; k < n; k++)
            out[k] = yk_interpolate(w + in->base, in->rows, a[k]);
}

/* A loop for each operation. */
static void operate(int op, int n, const double *first, const double *second,
                    const double *third, double *out)
{
    if (!second) second = first;
    if (!third) third = first;
    switch (op) {
#define LOOP(name, operands, value, corner)                                    \
    case YK_OP_##name:                                                         \
        for (int k = 0; k < n; k++) {                                          \
            const double a = first[k], b = second[k], c = third[k];            \
            (void)a, (void)b, (void)c;                                         \
            out[k] = value;                                                    \
        }                                                                      \
        break;
        YK_OPS(LOOP)
#undef LOOP
    default:
        break;
    }
}

static void carry_out(const yk_instruction *in, const yk_template *t,
                      const lanes *l, double time, const double *w,
                      double *workspace)
{
    const int n = l->count;
    double *out = workspace + (size_t)in->out * YK_LANES;
    const double *a = in->a < 0 ? NULL : workspace + (size_t)in->a * YK_LANES;
    const double *b = in->b < 0 ? NULL : workspace + (size_t)in->b * YK_LANES;
    const double *c = in->c < 0 ? NULL : workspace + (size_t)in->c * YK_LANES;

    switch (in->op) {
    case YK_OP_NUMBER:
        for (int k = 0; k < n; k++) out[k] = in->number;
        break;
    case YK_OP_TIME:
        for (int k = 0; k < n; k++) out[k] = time;
        break;
    case YK_OP_INDEX:
        for (int k = 0; k < n; k++)
            out[k] = t->first[in->base] +
                     t->step[in->base] * l->counter[in->base][k];
        break;
    case YK_OP_REFER:
    case YK_OP_HELD:
    case YK_OP_PRE:
        load(in, t, l, w, out);
        break;
    case YK_OP_INTERPOLATE:
    case YK_OP_SLOPE:
        look_up(in, w, a, n, out);
        break;
    default:
        operate(in->op, n, a, b, c, out);
    }
}

void yk_eq_code_run(const yk_code *code, const yk_template *t, int first,
                    int count, double time, const double *w, double *workspace)
{
    lanes l;

    set_lanes(&l, t, first, count);
    for (int i = 0; i < code->length; i++)
        carry_out(&code->instruction[i], t, &l, time, w, workspace);
}

/* Does instruction i of lane 0, whose operands are `value`, tell enough? */
typedef bool judge(void *self, int i, const yk_instruction *in,
                   const double value[3], double result);

/* Runs instance k; false: nobody was content. */
static bool walk(const yk_code *code, const yk_template *t, int k, double time,
                 const double *w, double *workspace, judge *ask, void *self)
{
    lanes l;

    set_lanes(&l, t, k, 1);
    for (int i = 0; i < code->length; i++) {
        const yk_instruction *in = &code->instruction[i];
        const int from[3] = { in->a, in->b, in->c };
        double value[3] = { 0.0, 0.0, 0.0 };
        for (int r = 0; r < 3; r++)
            if (from[r] >= 0) value[r] = workspace[(size_t)from[r] * YK_LANES];
        carry_out(in, t, &l, time, w, workspace);
        if (yk_op_operands((yk_op)in->op) > 0 &&
            ask(self, i, in, value, workspace[(size_t)in->out * YK_LANES]))
            return true;
    }
    return false;
}

static bool is_culprit(void *self, int i, const yk_instruction *in,
                       const double value[3], double result)
{
    (void)i;
    if (isfinite(result) || !isfinite(value[0]) || !isfinite(value[1]) ||
        !isfinite(value[2]))
        return false;
    memcpy(self, &(yk_blamed){ in->op, { value[0], value[1] } },
           sizeof(yk_blamed));
    return true;
}

bool yk_eq_code_explain(const yk_code *code, const yk_template *t, int k,
                        double time, const double *w, double *workspace,
                        yk_blamed *out)
{
    return walk(code, t, k, time, w, workspace, is_culprit, out);
}

static bool keep_operands(void *self, int i, const yk_instruction *in,
                          const double value[3], double result)
{
    double(*const now)[2] = self;

    (void)in, (void)result;
    now[i][0] = value[0];
    now[i][1] = value[1];
    return false;
}

typedef struct nearing {
    double (*now)[2], most;
    yk_blamed *out;
} nearing;

static bool is_nearer(void *self, int i, const yk_instruction *in,
                      const double value[3], double result)
{
    nearing *n = self;
    const double part = yk_op_nears((yk_op)in->op, n->now[i], value);

    (void)result;
    if (part > n->most) {
        n->most = part;
        *n->out = (yk_blamed){ in->op, { n->now[i][0], n->now[i][1] } };
    }
    return false;
}

double yk_eq_code_edge(const yk_code *code, const yk_template *t, int k,
                       const double time[2], const double *const w[2],
                       double *workspace, double (*scratch)[2], double least,
                       yk_blamed *out)
{
    nearing n = { scratch, least, out };

    walk(code, t, k, time[0], w[0], workspace, keep_operands, scratch);
    walk(code, t, k, time[1], w[1], workspace, is_nearer, &n);
    return n.most;
}

yoke_status yk_evaluate(yk_model *model, const yk_template *t, int count,
                        const int *root, double time, const double *w,
                        double *out, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_code code = { 0 };
    double *workspace = NULL;

    if (count == 0) return YOKE_OK;
    YK_TRY(yk_eq_code_create(&code, model, t, count, root, err));
    YK_GO(yk_doubles(&workspace, (size_t)code.registers * YK_LANES, err));
    for (int k = 0; k < t->instances; k += YK_LANES) {
        const int left = t->instances - k;
        const int some = left < YK_LANES ? left : YK_LANES;
        yk_eq_code_run(&code, t, k, some, time, w, workspace);
        for (int r = 0; r < count; r++)
            for (int l = 0; l < some; l++)
                out[(size_t)(k + l) * (size_t)count + (size_t)r] =
                    workspace[(size_t)code.result[r] * YK_LANES + (size_t)l];
    }
done:
    yk_free(workspace);
    yk_eq_code_free(&code);
    return status;
}
