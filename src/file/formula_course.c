/* file/formula_course.c -- what formulas of time tell steppers (yoke_courses).
 *
 * The largest terms that depend on time alone.  mod, rem and div are made of
 * quotients and floor or trunc; a term with a function whose bounds are not
 * known (atan2) is left out.
 */
#include "file/formula_term.h"
#include "file/reader.h"

#include "sys/system.h"

/* Steps of one course, in the order of its terms. */
typedef struct writer {
    const yk_formula *f;
    int steps;
    yk_expr_step *step;
    int *at; /* of each term: its step, or -1 */
    bool *wanted;
    bool known;
} writer;

static int put(writer *w, yk_op op, int a, int b, int c)
{
    w->step[w->steps] = (yk_expr_step){ .op = op, .a = a, .b = b, .c = c };
    return w->steps++;
}

static const yk_op function_of[FUNCTIONS] = {
    [F_SIN] = YK_OP_SIN,   [F_COS] = YK_OP_COS,   [F_TAN] = YK_OP_TAN,
    [F_ASIN] = YK_OP_ASIN, [F_ACOS] = YK_OP_ACOS, [F_ATAN] = YK_OP_ATAN,
    [F_SINH] = YK_OP_SINH, [F_COSH] = YK_OP_COSH, [F_TANH] = YK_OP_TANH,
    [F_EXP] = YK_OP_EXP,   [F_LOG] = YK_OP_LOG,   [F_SQRT] = YK_OP_SQRT,
    [F_ABS] = YK_OP_ABS,   [F_SIGN] = YK_OP_SIGN, [F_FLOOR] = YK_OP_FLOOR,
    [F_CEIL] = YK_OP_CEIL, [F_MIN] = YK_OP_MIN,   [F_MAX] = YK_OP_MAX,
    [F_POW] = YK_OP_POWER, [F_NOT] = YK_OP_NOT,   [F_AND] = YK_OP_AND,
    [F_OR] = YK_OP_OR,     [F_LESS] = YK_OP_LESS, [F_LESS_EQUAL] = YK_OP_LESS,
};

/* Functions that are made of others. */
static int put_made(writer *w, yk_function which, int a, int b)
{
    int whole, scale;

    switch (which) {
    case F_LOG10:
        scale = put(w, YK_OP_NUMBER, -1, -1, -1);
        w->step[scale].number = 10.0;
        scale = put(w, YK_OP_LOG, scale, -1, -1);
        return put(w, YK_OP_DIVIDE, put(w, YK_OP_LOG, a, -1, -1), scale, -1);
    case F_GREATER:
    case F_GREATER_EQUAL:
        return put(w, YK_OP_LESS, b, a, -1);
    case F_MOD:
    case F_REM:
    case F_DIV:
        whole = put(w, which == F_MOD ? YK_OP_FLOOR : YK_OP_TRUNC,
                    put(w, YK_OP_DIVIDE, a, b, -1), -1, -1);
        if (which == F_DIV) return whole;
        return put(w, YK_OP_SUBTRACT, a, put(w, YK_OP_MULTIPLY, b, whole, -1),
                   -1);
    default:
        w->known = false;
        return 0;
    }
}

static int put_term(writer *w, const yk_term *t)
{
    const int a = w->at[t->a], b = w->at[t->b], c = w->at[t->c];
    int at;

    switch (t->what) {
    case NUMBER:
        at = put(w, YK_OP_NUMBER, -1, -1, -1);
        w->step[at].number = t->number;
        return at;
    case TIME:
        return put(w, YK_OP_TIME, -1, -1, -1);
    case ADD:
        return put(w, YK_OP_ADD, a, b, -1);
    case SUBTRACT:
        return put(w, YK_OP_SUBTRACT, a, b, -1);
    case MULTIPLY:
        return put(w, YK_OP_MULTIPLY, a, b, -1);
    case DIVIDE:
        return put(w, YK_OP_DIVIDE, a, b, -1);
    case NEGATE:
        return put(w, YK_OP_NEGATE, a, -1, -1);
    case SELECT:
        return put(w, YK_OP_IF, a, b, c);
    case APPLY:
    case APPLY_2:
        if (function_of[t->function] != YK_OP_NUMBER)
            return put(w, function_of[t->function], a,
                       t->what == APPLY_2 ? b : -1, -1);
        return put_made(w, t->function, a, b);
    default:
        w->known = false;
        return 0;
    }
}

/* Most steps that a term becomes. */
enum { MOST = 4 };

static void mark(writer *w, int root)
{
    for (int i = 0; i <= root; i++) w->wanted[i] = i == root;
    for (int i = root; i >= 0; i--) {
        const yk_term *t = &w->f->term[i];
        if (!w->wanted[i] || t->what <= VARIABLE) continue;
        w->wanted[t->a] = w->wanted[t->b] = w->wanted[t->c] = true;
    }
}

static yoke_status add_course(writer *w, int root, yk_course_list *list,
                              yoke_err *err)
{
    w->steps = 0;
    w->known = true;
    mark(w, root);
    for (int i = 0; i <= root && w->known; i++)
        if (w->wanted[i]) w->at[i] = put_term(w, &w->f->term[i]);
    return w->known ? yk_courses_add(list, w->steps, w->step, err) : YOKE_OK;
}

static yoke_status add_courses(writer *w, const yk_functions *f,
                               yk_course_list *list, yoke_err *err)
{
    for (int i = 0; i < f->count; i++)
        if (w->f->term[f->root[i]].kind == YK_TIME)
            YK_TRY(add_course(w, f->root[i], list, err));
    for (int i = 0; i < w->f->terms; i++) {
        const yk_term *t = &w->f->term[i];
        const int operand[3] = { t->a, t->b, t->c };
        if (t->kind <= YK_TIME || t->what <= VARIABLE) continue;
        for (int k = 0; k < 3; k++)
            if (w->f->term[operand[k]].kind == YK_TIME)
                YK_TRY(add_course(w, operand[k], list, err));
    }
    return YOKE_OK;
}

static yoke_status add_all(const yk_functions *f, yk_course_list *list,
                           yoke_err *err)
{
    yoke_status status = YOKE_OK;
    writer w = { .f = &f->formula };

    if (f->straight || f->formula.terms == 0) return YOKE_OK;
    YK_GO(YK_NEW(&w.step, MOST * f->formula.terms, err));
    YK_GO(yk_ints(&w.at, (size_t)f->formula.terms, err));
    YK_GO(YK_NEW(&w.wanted, f->formula.terms, err));
    YK_GO(add_courses(&w, f, list, err));
done:
    yk_free(w.step);
    yk_free(w.at);
    yk_free(w.wanted);
    return status;
}

yoke_status yk_functions_tell(yoke_system *system, yk_functions *f,
                              const yk_functions *more, yoke_err *err)
{
    if (!f) return YOKE_OK;
    YK_TRY(add_all(f, &f->courses, err));
    if (more) YK_TRY(add_all(more, &f->courses, err));
    system->info.courses = yk_courses_tell(&f->courses);
    return YOKE_OK;
}

yoke_status yk_functions_told(yoke_system **made, yk_functions *f,
                              const yk_functions *more, yoke_err *err)
{
    const yoke_status status = yk_functions_tell(*made, f, more, err);

    if (status == YOKE_OK) return YOKE_OK;
    yoke_system_free(*made);
    *made = NULL;
    return status;
}
