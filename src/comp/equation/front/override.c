/* comp/equation/front/override.c -- values of parameters that come from outside
 * of the model. */
#include "comp/equation/front/translate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The element that "[2,3]" means, or -1. */
static int override_element(const yk_symbol *s, const char *text)
{
    int place = 0, dims = 0;

    if (*text == '\0') return s->shape.dims == 0 ? 0 : -1;
    for (char *end; *text == '[' || *text == ','; text = end, dims++) {
        if (dims >= s->shape.dims) return -1;
        const long sub = strtol(text + 1, &end, 10);
        if (end == text + 1 || sub < 1 || sub > s->shape.size[dims]) return -1;
        place = place * s->shape.size[dims] + (int)sub - 1;
        while (*end == ' ') end++;
    }
    return strcmp(text, "]") == 0 && dims == s->shape.dims ? place : -1;
}

yoke_status yk_apply_overrides(yk_translator *t, yk_symbol *s)
{
    for (int i = 0; i < s->override.count; i++) {
        const yoke_parameter *p = s->override.item[i];
        const int place = override_element(s, p->name + strlen(s->name));
        char text[80];
        if (place < 0)
            return yk_fail(t->err, YOKE_E_ARG,
                           "%s: parameter %s: %s has the size %s",
                           t->flat->file, p->name, s->name,
                           yk_shape_text(&s->shape, text));
        if (!isfinite(p->value) ||
            (s->shape.type == YK_TYPE_INTEGER && p->value != floor(p->value)) ||
            (s->shape.type == YK_TYPE_BOOLEAN && p->value != 0.0 &&
             p->value != 1.0))
            return yk_fail(t->err, YOKE_E_ARG,
                           "%s: parameter %s: %g is not a value for it",
                           t->flat->file, p->name, p->value);
        s->value[place] = p->value;
    }
    return YOKE_OK;
}

static yoke_status find_override(yk_translator *t, const yoke_parameter *p)
{
    char name[256];
    yk_symbol *s = yk_find_symbol(t, p->name);

    if (!s) {
        snprintf(name, sizeof name, "%s", p->name);
        char *bracket = strrchr(name, '[');
        if (bracket) *bracket = '\0';
        s = bracket ? yk_find_symbol(t, name) : NULL;
    }
    if (!s) {
        const char *near = yk_nearest(&t->symbols, p->name);
        if (near && yk_find_symbol(t, near)->variability != YK_PARAMETER)
            near = NULL;
        return yk_fail(t->err, YOKE_E_ARG,
                       "%s: there is no parameter %s%s%s; yoke info lists all",
                       t->flat->file, p->name, near ? "; did you mean " : "",
                       near ? near : "");
    }
    const bool starts = s->variability == YK_CONTINUOUS && !s->is_final;
    if (s->variability != YK_PARAMETER || s->is_final)
        return yk_fail(
            t->err, YOKE_E_ARG,
            "%s:%d: %s is %s and cannot be given a value%s%s%s", t->flat->file,
            s->at.line, s->name, s->is_final ? "final" : "not a parameter",
            starts ? "; to choose where it starts declare " : "",
            starts ? "parameter Real x0 = 1, and start = x0 for " : "",
            starts ? s->name : "");
    return yk_list_push(t->arena, &s->override, (void *)p, t->err);
}

yoke_status yk_check_overrides(yk_translator *t)
{
    yoke_status status = YOKE_OK;
    yoke_err one = { YOKE_OK, "" }, *const all = t->err;

    t->err = &one;
    for (int i = 0; t->options && i < t->options->parameters; i++) {
        const yoke_status now = find_override(t, &t->options->parameter[i]);
        if (now == YOKE_E_ARG && status == YOKE_OK && t->options->refused)
            *t->options->refused = i;
        if (!yk_err_gather(&status, now, &one, all)) break;
    }
    t->err = all;
    return status;
}
