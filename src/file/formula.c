/* file/formula.c -- formulas as programs of expr, with names of variables. */
#include "file/formula.h"

#include "base/texts.h"

#include <math.h>

enum { MOST_TERMS = 1000000 };

yoke_status yk_formula_step(yk_formula *f, yk_expr_step step, int *out,
                            yoke_err *err)
{
    const int steps = f->program.steps;

    if (steps >= MOST_TERMS)
        return yk_fail(err, YOKE_E_FILE, "the formula has more than %d terms",
                       MOST_TERMS);
    YK_TRY(YK_GROW(&f->value, &f->value_room, steps + 1, err));
    return yk_expr_append(&f->program, step, out, err);
}

static yoke_status new_variable(yk_formula *f, const char *name, size_t place,
                                yoke_err *err)
{
    const size_t need = (size_t)f->variables + 1;
    char *copy = NULL;

    YK_TRY(YK_GROW(&f->name, &f->name_room, need, err));
    YK_TRY(YK_GROW(&f->place, &f->place_room, need, err));
    YK_TRY(yk_copy_text(&copy, name, err));
    f->name[f->variables] = copy;
    f->place[f->variables++] = place;
    return yk_names_add(&f->names, copy, f->variables - 1, err);
}

yoke_status yk_formula_variable(yk_formula *f, const char *name, size_t place,
                                int *out, yoke_err *err)
{
    int number = yk_names_find(&f->names, name);

    if (number < 0) {
        number = f->variables;
        YK_TRY(new_variable(f, name, place, err));
    }
    return yk_formula_step(
        f, (yk_expr_step){ .op = YK_OP_VARIABLE, .arg = number, .number = 1.0 },
        out, err);
}

void yk_formula_clear(yk_formula *f)
{
    yk_texts_free(f->name, f->variables);
    yk_names_clear(&f->names);
    yk_expr_clear(&f->program);
    YK_FREE(f->place, f->value);
    *f = (yk_formula){ 0 };
}

void yk_formula_eval(yk_formula *f, double t, const double *y)
{
    yk_expr_values(f->program.step, f->program.steps, t, y, f->value);
}

void yk_formula_bind(yk_formula *f, const double *y)
{
    for (int i = 0; i < f->program.steps; i++) {
        yk_expr_step *s = &f->program.step[i];
        if (s->op == YK_OP_VARIABLE)
            *s = (yk_expr_step){ .op = YK_OP_NUMBER, .number = y[s->arg] };
        yk_expr_classify(f->program.step, i);
    }
}

yk_expr_kind yk_formula_kind(const yk_formula *f, int root)
{
    return f->program.step[root].kind;
}

/* W y + r(t): every part of it that is of time alone. */
static bool is_straight_beside(const yk_formula *f, int root)
{
    for (int i = 0; i <= root; i++)
        if (f->program.step[i].kind == YK_KIND_TIME &&
            f->program.step[i].shape > YK_STRAIGHT)
            return false;
    return true;
}

bool yk_formula_is_piecewise_linear(const yk_formula *f, int root)
{
    const yk_expr_step *s = &f->program.step[root];

    if (s->shape <= YK_STRAIGHT || !yk_formula_has_time(f)) return true;
    return s->kind == YK_KIND_LINEAR && is_straight_beside(f, root);
}

bool yk_formula_has_time(const yk_formula *f)
{
    for (int i = 0; i < f->program.steps; i++)
        if (f->program.step[i].op == YK_OP_TIME) return true;
    return false;
}

void yk_formula_weights(yk_formula *f, int root, double *weight, double *factor)
{
    yk_formula_eval(f, 0.0, NULL);
    yk_expr_gradient(f->program.step, root, f->value, f->variables, weight,
                     factor);
}

void yk_formula_rates(yk_formula *f, double t, const double *y, double *rate)
{
    yk_expr_rates(f->program.step, f->program.steps, t, y, f->value, rate);
}

yoke_status yk_breaks_create(yk_breaks **out, const yk_formula *f,
                             yoke_err *err)
{
    *out = NULL;
    const yoke_status status =
        yk_breaks_add(out, f->program.steps, f->program.step, err);
    if (status == YOKE_OK) return YOKE_OK;
    yk_breaks_free(*out);
    *out = NULL;
    return status;
}

double yk_formula_next_break(yk_breaks *breaks, double t)
{
    return yk_breaks_after(breaks, t, INFINITY);
}
