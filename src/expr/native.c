/* expr/native.c -- the C of expressions: one function for the value, one for
 * value and slopes. */
#include "expr/native.h"

#include "base/arena.h"
#include "base/names.h"
#include "expr/policy.h"
#include "expr/slopes.h"

#include <stdio.h>
#include <string.h>

/* Longer functions take a compiler too long. */
enum { MOST_STEPS = 3000 };

typedef double value_function(double t, const double *y, const double *n);
typedef double slope_function(double t, const double *y, const double *n,
                              double *slope);

typedef struct code {
    value_function *value;
    slope_function *slopes;
    double *number[2]; /* of each */
} code;

struct yk_compiled {
    yk_object *object;
    int count;
    code *code;
};

void yk_compiled_free(yk_compiled *c)
{
    if (!c) return;
    for (int k = 0; c->code && k < c->count; k++)
        YK_FREE(c->code[k].number[0], c->code[k].number[1]);
    yk_object_free(c->object);
    YK_FREE(c->code, c);
}

bool yk_compiled_has(const yk_compiled *c, int k)
{
    return c && c->code[k].value;
}

double yk_compiled_value(const yk_compiled *c, int k, double t, const double *y,
                         double *slope)
{
    const code *own = &c->code[k];

    return slope ? own->slopes(t, y, own->number[1], slope)
                 : own->value(t, y, own->number[0]);
}

/* ---- the text of one ------------------------------------------------------ */

/* As in expr/gradient.c. */
static const char *const slope_prelude =
    "static inline double times(double a, double b)\n"
    "{\n"
    "    return a == 0.0 || b == 0.0 ? 0.0 : a * b;\n"
    "}\n"
    "static inline double over(double a, double b)\n"
    "{\n"
    "    return a == 0.0 ? 0.0 : a / b;\n"
    "}\n"
    "static inline double times_power(double b, double a, double less)\n"
    "{\n"
    "    return b == 0.0 ? 0.0 : b * pow(a, less);\n"
    "}\n"
    "static inline double times_log(double v, double a)\n"
    "{\n"
    "    return a > 0.0 ? v * log(a) : 0.0;\n"
    "}\n"
    "static inline double safe(double b)\n"
    "{\n"
    "    return b >= 0.0 ? b + 1e-32 : b - 1e-32;\n"
    "}\n"
    "#define ZERO 0.0\n"
    "#define ONE 1.0\n"
    "#define TWO 2.0\n"
    "#define LOG_OF_10 2.302585092994046\n"
    "#define NEG(x) (-(x))\n"
    "#define ADD(x, y) ((x) + (y))\n"
    "#define SUB(x, y) ((x) - (y))\n"
    "#define MUL(x, y) times(x, y)\n"
    "#define DIV(x, y) over(x, y)\n"
    "#define LESS(x, y) ((x) < (y))\n"
    "#define CHOOSE(c, x, y) ((c) > 0.5 ? (x) : (y))\n"
    "#define ABS(x) fabs(x)\n"
    "#define SQRT(x) sqrt(x)\n"
    "#define SIN(x) sin(x)\n"
    "#define COS(x) cos(x)\n"
    "#define SINH(x) sinh(x)\n"
    "#define COSH(x) cosh(x)\n"
    "#define SAFE(x) safe(x)\n"
    "#define TIMES_POWER(b, a, less) times_power(b, a, less)\n"
    "#define TIMES_LOG(v, a) times_log(v, a)\n";

typedef struct operands {
    const yk_expr_step *step;
    int child[3];
} operands;

static void put_operand(yk_c_text *s, const yk_expr_step *step, int at)
{
    if (step[at].op == YK_OP_NUMBER)
        yk_c_put_number(s, step[at].number);
    else
        yk_c_put(s, "v%d", at);
}

static void put_child(void *self, yk_c_text *s, int k)
{
    const operands *o = self;

    put_operand(s, o->step, o->child[k]);
}

static void put_step(yk_c_text *s, const yk_expr_step *step, int i)
{
    const yk_expr_step *own = &step[i];
    operands o = { step, { own->a, own->b, own->c } };

    if (own->op == YK_OP_NUMBER) return;
    yk_c_put(s, "const double v%d = ", i);
    if (own->op == YK_OP_TIME)
        yk_c_put(s, "t");
    else if (own->op == YK_OP_VARIABLE) {
        yk_c_put_number(s, own->number);
        yk_c_put(s, " * y[%d]", own->arg);
    } else
        yk_c_put_form(s, own->op, put_child, &o);
    yk_c_put(s, ";\n");
}

/* bar_k += what the step hands to operand k. */
static void hand(yk_c_text *s, const yk_expr_step *step, int to,
                 const char *text)
{
    if (step[to].kind > YK_KIND_TIME) yk_c_put(s, "b%d += %s;\n", to, text);
}

static void put_slopes_of(yk_c_text *s, const yk_expr_step *step, int i)
{
    static const char *const text[][3] = {
#define TEXT(name, da, db, dc) [YK_OP_##name] = { #da, #db, #dc },
        YK_SLOPES(TEXT)
#undef TEXT
    };
    static const int known = (int)(sizeof text / sizeof *text);
    const yk_expr_step *own = &step[i];
    const int child[3] = { own->a, own->b, own->c };
    const int count = yk_op_operands(own->op);

    if ((int)own->op >= known || !text[own->op][0]) return;
    yk_c_put(s, "{ const double bar = b%d, v = v%d, a = ", i, i);
    put_operand(s, step, own->a);
    yk_c_put(s, ", b = ");
    put_operand(s, step, own->b);
    yk_c_put(s, ", c = ");
    put_operand(s, step, own->c);
    yk_c_put(s, ";\n(void)bar; (void)v; (void)a; (void)b; (void)c;\n");
    for (int k = 0; k < count; k++) hand(s, step, child[k], text[own->op][k]);
    yk_c_put(s, "}\n");
}

static void put_slopes(yk_c_text *s, const yk_source_program *p)
{
    const int root = p->steps - 1;

    for (int k = 0; k < p->variables; k++)
        yk_c_put(s, "double s%d = 0.0;\n", k);
    for (int i = 0; i <= root; i++)
        if (p->step[i].kind > YK_KIND_TIME)
            yk_c_put(s, "double b%d = %s;\n", i, i == root ? "1.0" : "0.0");
    for (int i = root; i >= 0; i--) {
        const yk_expr_step *own = &p->step[i];
        if (own->kind <= YK_KIND_TIME) continue;
        if (own->op != YK_OP_VARIABLE) {
            put_slopes_of(s, p->step, i);
            continue;
        }
        yk_c_put(s, "s%d += b%d * ", own->arg, i);
        yk_c_put_number(s, own->number);
        yk_c_put(s, ";\n");
    }
    for (int k = 0; k < p->variables; k++)
        yk_c_put(s, "slope[%d] = s%d;\n", k, k);
}

/* From the list of arguments on. */
static void put_function(yk_c_text *s, const yk_source_program *p, bool slopes)
{
    yk_c_put(s,
             "(double t, const double *restrict y, const double *restrict n"
             "%s)\n{\n(void)t; (void)y; (void)n;\n",
             slopes ? ", double *restrict slope" : "");
    for (int i = 0; i < p->steps; i++) put_step(s, p->step, i);
    if (slopes) put_slopes(s, p);
    yk_c_put(s, "return ");
    put_operand(s, p->step, p->steps - 1);
    yk_c_put(s, ";\n}\n");
}

/* ---- all of them ---------------------------------------------------------- */

typedef struct writer {
    yk_c_text all;
    yk_names bodies; /* that are there already */
    yk_arena arena;  /* has their texts */
    int functions;
    int *index; /* of each program: its two functions */
} writer;

static bool is_suitable(const yk_source_program *p)
{
    if (p->steps == 0 || p->steps > MOST_STEPS) return false;
    for (int i = 0; i < p->steps; i++)
        if (yk_op_is_table(p->step[i].op)) return false;
    return true;
}

static yoke_status write_one(writer *w, const yk_source_program *p, bool slopes,
                             double **number, int *index, yoke_err *err)
{
    yk_c_text one = { 0 };
    const char *copy = NULL;
    yoke_status status = YOKE_OK;

    put_function(&one, p, slopes);
    YK_GO(one.status);
    *number = one.number;
    one.number = NULL;
    *index = yk_names_find(&w->bodies, one.text);
    if (*index >= 0) goto done;
    *index = w->functions++;
    YK_GO(yk_arena_print(&w->arena, &copy, err, "%s", one.text));
    YK_GO(yk_names_add(&w->bodies, copy, *index, err));
    yk_c_put(&w->all, "double yoke_%d", *index);
    yk_c_put_text(&w->all, one.text);
done:
    yk_c_text_free(&one);
    return status;
}

static yoke_status write_all(yk_compiled *c, writer *w,
                             const yk_source_program *program, yoke_err *err)
{
    YK_TRY(yk_ints(&w->index, 2 * (size_t)c->count + 1, err));
    yk_c_put_prelude(&w->all);
    yk_c_put_text(&w->all, slope_prelude);
    for (int k = 0; k < c->count; k++) {
        if (!is_suitable(&program[k])) continue;
        for (int j = 0; j < 2; j++)
            YK_TRY(write_one(w, &program[k], j, &c->code[k].number[j],
                             &w->index[2 * k + j], err));
    }
    return YOKE_OK;
}

static yoke_status find_functions(yk_compiled *c, const writer *w,
                                  const yk_source_program *program,
                                  yoke_err *err)
{
    for (int k = 0; k < c->count; k++) {
        char name[32];
        if (!is_suitable(&program[k])) continue;
        snprintf(name, sizeof name, "yoke_%d", w->index[2 * k]);
        YK_TRY(yk_object_find(c->object, name, &c->code[k].value, err));
        snprintf(name, sizeof name, "yoke_%d", w->index[2 * k + 1]);
        YK_TRY(yk_object_find(c->object, name, &c->code[k].slopes, err));
    }
    return YOKE_OK;
}

static bool pays(const yk_compiled *c, const yk_source_program *program,
                 double evaluations, size_t length)
{
    double steps = 0.0;

    for (int k = 0; k < c->count; k++)
        if (is_suitable(&program[k])) steps += program[k].steps;
    return YK_EXPR_SAVED * steps * evaluations >=
           YK_EXPR_COMPILER + YK_EXPR_COMPILER_BYTE * (double)length;
}

yoke_status yk_compiled_create(yk_compiled **out, int count,
                               const yk_source_program *program,
                               double evaluations,
                               const yk_native_options *options,
                               yk_native_report *report, yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_compiled *c = NULL;
    writer w = { .functions = 0 };

    YK_GO(YK_NEW(&c, 1, err));
    YK_GO(YK_NEW(&c->code, count + 1, err));
    c->count = count;
    YK_GO(write_all(c, &w, program, err));
    if (!pays(c, program, evaluations, w.all.length)) goto done;
    YK_GO(yk_object_create(&c->object, &w.all, options, report, err));
    YK_GO(find_functions(c, &w, program, err));
    *out = c;
    c = NULL;
done:
    yk_compiled_free(c);
    yk_c_text_free(&w.all);
    yk_names_clear(&w.bodies);
    yk_arena_clear(&w.arena);
    yk_free(w.index);
    return status;
}
