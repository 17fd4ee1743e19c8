/* comp/equation/rates.c -- adds them to the flat model. */
#include "comp/equation/rates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const tail[YK_RATES] = { ".v", ".a" };

static int find_variable(const yk_flat *flat, const char *name, size_t length)
{
    for (int v = 0; v < flat->variables; v++) {
        const char *own = flat->variable[v].name;
        if (own && strncmp(own, name, length) == 0 && own[length] == '\0')
            return v;
    }
    return -1;
}

/* "y[2,3]" as a variable and the place of its element; false: there is none. */
static bool find_element(const yk_flat *flat, const char *name, int *variable,
                         int *place)
{
    const size_t length = strlen(name);
    const char *open =
        length && name[length - 1] == ']' ? strrchr(name, '[') : NULL;

    *place = 0;
    *variable = find_variable(flat, name, length);
    if (*variable >= 0) return flat->variable[*variable].dims == 0;
    if (!open) return false;
    *variable = find_variable(flat, name, (size_t)(open - name));
    if (*variable < 0) return false;
    const yk_flat_variable *v = &flat->variable[*variable];
    char *at = NULL;
    for (int k = 0; k < v->dims; k++, open = at) {
        const long i = strtol(open + 1, &at, 10);
        if (i < 1 || i > v->size[k]) return false;
        if (*at != (k + 1 < v->dims ? ',' : ']')) return false;
        *place = *place * v->size[k] + (int)i - 1;
    }
    return v->dims > 0;
}

/* Like another one: an input with its size, an output as a scalar. */
static yoke_status add_variable(yk_flat *flat, const char *name, size_t length,
                                int order, const yk_flat_variable *like,
                                int *number, yoke_err *err)
{
    yk_flat_variable v = { .kind = like->kind,
                           .count = 1,
                           .is_output = like->is_output,
                           .line = like->line };

    if (v.kind == YK_FLAT_INPUT) {
        v.dims = like->dims;
        v.count = like->count;
        memcpy(v.size, like->size, sizeof v.size);
    }
    YK_TRY(
        yk_print(&v.name, err, "%.*s%s", (int)length, name, tail[order - 1]));
    const yoke_status status = yk_doubles(&v.start, (size_t)v.count, err);
    if (status != YOKE_OK) {
        yk_free(v.name);
        return status;
    }
    return yk_flat_add_variable(flat, &v, number, err);
}

static bool is_rate(const yk_flat_node *n, int of, int place)
{
    return n->op == YK_OP_DER && n->variable == of && n->place[0] == place;
}

/* An unknown v with the equation der(x) = v: a node that refers to it, or -1.
 * It is a state already, and the derivative another name for it. */
static int find_rate(const yk_flat *flat, int of, int place)
{
    for (int i = 0; i < flat->equations; i++) {
        const yk_flat_equation *e = &flat->equation[i];
        if (e->initial || e->loops > 0) continue;
        const int side[2] = { e->left, e->right };
        for (int k = 0; k < 2; k++) {
            const yk_flat_node *v = &flat->node[side[1 - k]];
            if (is_rate(&flat->node[side[k]], of, place) &&
                v->op == YK_OP_REFER &&
                flat->variable[v->variable].kind == YK_FLAT_UNKNOWN)
                return side[1 - k];
        }
    }
    return -1;
}

/* variable `number` = der(element `place` of `of`) */
static yoke_status add_equation(yk_flat *flat, int number, int of, int place,
                                int line, yoke_err *err)
{
    yk_flat_node own = { .op = YK_OP_REFER, .variable = number };
    yk_flat_node rate = { .op = YK_OP_DER, .variable = of };
    yk_flat_equation e = { .line = line };

    own.a = own.b = own.c = rate.a = rate.b = rate.c = -1;
    rate.place[0] = place;
    const int known = find_rate(flat, of, place);
    if (known >= 0) rate = flat->node[known];
    YK_TRY(yk_flat_add_node(flat, &own, &e.left, err));
    YK_TRY(yk_flat_add_node(flat, &rate, &e.right, err));
    return yk_flat_add_equation(flat, &e, err);
}

static yoke_status add_output(yk_flat *flat, const yk_equation_rate *rate,
                              yoke_err *err)
{
    int of, place, number;

    if (!find_element(flat, rate->name, &of, &place)) return YOKE_OK;
    if (flat->variable[of].kind != YK_FLAT_UNKNOWN) return YOKE_OK;
    for (int k = 1; k <= rate->order; k++) {
        const yk_flat_variable like = flat->variable[of];
        YK_TRY(add_variable(flat, rate->name, strlen(rate->name), k, &like,
                            &number, err));
        YK_TRY(add_equation(flat, number, of, place, like.line, err));
        of = number;
        place = 0;
    }
    return YOKE_OK;
}

/* An element stands for its array, which is added once. */
static yoke_status add_input(yk_flat *flat, const yk_equation_rate *rate,
                             yoke_err *err)
{
    const char *open = strrchr(rate->name, '[');
    size_t length = strlen(rate->name);
    int of = find_variable(flat, rate->name, length), number;

    if (of < 0 && open) {
        length = (size_t)(open - rate->name);
        of = find_variable(flat, rate->name, length);
    }
    if (of < 0 || flat->variable[of].kind != YK_FLAT_INPUT) return YOKE_OK;
    for (int k = 1; k <= rate->order; k++) {
        const yk_flat_variable like = flat->variable[of];
        number = like.rate - 1;
        if (like.rate == 0)
            YK_TRY(
                add_variable(flat, rate->name, length, k, &like, &number, err));
        flat->variable[of].rate = number + 1;
        of = number;
    }
    return YOKE_OK;
}

yoke_status yk_flat_add_rates(yk_flat *flat, const yk_equation_rates *rates,
                              yoke_err *err)
{
    for (int i = 0; rates && i < rates->count; i++)
        YK_TRY(rates->rate[i].input ? add_input(flat, &rates->rate[i], err)
                                    : add_output(flat, &rates->rate[i], err));
    return YOKE_OK;
}
