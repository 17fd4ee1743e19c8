/* comp/equation/front/scalars.c -- arrays that a tool has written out.
 *
 * A tool that writes arrays out declares 'u[1].re' and 'u[2].re'.  The whole,
 * 'u.re', is then the array of them, also where only a part is written out:
 * 'm[1].x' is {'m[1].x[1]', 'm[1].x[2]'}.  A subscript that varies stands
 * inside the name, 'a.b[\'i\']'.
 */
#include "comp/equation/front/translate.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The end of a group of numbers [1,2] that begins at p, or NULL. */
static const char *group_end(const char *p)
{
    if (*p != '[' || !isdigit((unsigned char)p[1])) return NULL;
    for (p++; isdigit((unsigned char)*p) || *p == ','; p++) {
    }
    return *p == ']' ? p + 1 : NULL;
}

/* `name` without such groups. */
static yoke_status strip(yk_translator *t, const char *name, char **out)
{
    char *to = NULL;

    YK_TRY(YK_TAKE(t->arena, out, strlen(name) + 1, t->err));
    to = *out;
    for (const char *p = name; *p;) {
        const char *end = group_end(p);
        if (end)
            p = end;
        else
            *to++ = *p++;
    }
    *to = '\0';
    return YOKE_OK;
}

/* All symbols with groups in their names, by what is left without. */
static yoke_status make_index(yk_translator *t)
{
    t->indexed = true;
    for (int i = 0; i < t->symbol.count; i++) {
        yk_symbol *s = t->symbol.item[i];
        yk_list *list = NULL;
        char *key = NULL;
        if (!strchr(s->name, '[')) continue;
        YK_TRY(strip(t, s->name, &key));
        int number = yk_names_find(&t->written, key);
        if (number < 0) {
            number = t->groups.count;
            YK_TRY(yk_names_add(&t->written, key, number, t->err));
            YK_TRY(YK_TAKE(t->arena, &list, 1, t->err));
            YK_TRY(yk_list_push(t->arena, &t->groups, list, t->err));
        }
        list = t->groups.item[number];
        YK_TRY(yk_list_push(t->arena, list, s, t->err));
    }
    return YOKE_OK;
}

typedef struct written {
    int dims, size[YK_FLAT_LOOPS];
    int count;
    struct element {
        yk_symbol *symbol;
        int sub[YK_FLAT_LOOPS];
    } * element;
} written;

/* The numbers of the groups that `name` has and `wanted` has not. */
static bool match(const char *name, const char *wanted, int sub[YK_FLAT_LOOPS],
                  int *dims)
{
    *dims = 0;
    while (*name) {
        const char *end = group_end(name);
        if (!end || *wanted == '[') {
            if (*name++ != *wanted++) return false;
            continue;
        }
        for (const char *p = name; p + 1 < end;) {
            char *next = NULL;
            if (*dims == YK_FLAT_LOOPS) return false;
            sub[(*dims)++] = (int)strtol(p + 1, &next, 10);
            p = next;
        }
        name = end;
    }
    return *wanted == '\0' && *dims > 0;
}

static yoke_status collect(yk_translator *t, const char *name, written *w)
{
    char *key = NULL;

    *w = (written){ 0 };
    if (!t->indexed) YK_TRY(make_index(t));
    YK_TRY(strip(t, name, &key));
    const int number = yk_names_find(&t->written, key);
    if (number < 0) return YOKE_OK;
    const yk_list *list = t->groups.item[number];
    YK_TRY(YK_TAKE(t->arena, &w->element, list->count, t->err));
    for (int i = 0; i < list->count; i++) {
        struct element *e = &w->element[w->count];
        int dims = 0;
        e->symbol = list->item[i];
        if (!match(e->symbol->name, name, e->sub, &dims)) continue;
        if (w->count == 0) w->dims = dims;
        if (dims != w->dims) continue;
        for (int d = 0; d < dims; d++)
            if (e->sub[d] > w->size[d]) w->size[d] = e->sub[d];
        w->count++;
    }
    return YOKE_OK;
}

/* All elements are there, each once. */
static bool is_whole(const written *w)
{
    double all = 1.0;

    for (int d = 0; d < w->dims; d++) all *= w->size[d];
    return w->count > 0 && all == w->count;
}

static int place_of(const written *w, const struct element *e)
{
    int place = 0;

    for (int d = 0; d < w->dims; d++)
        place = place * w->size[d] + e->sub[d] - 1;
    return place;
}

/* The array from dimension `d` on, from element `first` on. */
static yoke_status nest(yk_translator *t, yk_place at, const written *w,
                        yk_symbol **by_place, int d, int first, yk_expr **out)
{
    int stride = 1;

    YK_TRY(YK_TAKE(t->arena, out, 1, t->err));
    (*out)->at = at;
    (*out)->stamp = -1;
    if (d == w->dims) {
        (*out)->kind = YK_EXPR_REFERENCE;
        (*out)->name = by_place[first]->name;
        return YOKE_OK;
    }
    for (int k = d + 1; k < w->dims; k++) stride *= w->size[k];
    (*out)->kind = YK_EXPR_ARRAY;
    (*out)->count = w->size[d];
    YK_TRY(YK_TAKE(t->arena, &(*out)->child, w->size[d], t->err));
    for (int k = 0; k < w->size[d]; k++)
        YK_TRY(nest(t, at, w, by_place, d + 1, first + k * stride,
                    &(*out)->child[k]));
    return YOKE_OK;
}

/* With subscripts of its own it is a part of the array. */
static void become(yk_expr *e, yk_expr *array)
{
    if (e->count) {
        e->kind = YK_EXPR_PART;
        e->of = array;
        return;
    }
    e->kind = array->kind;
    e->count = array->count;
    e->child = array->child;
}

/* The bracket [ whose subscripts are no numbers, or NULL. */
static const char *open_bracket(const char *name)
{
    for (const char *p = strchr(name, '['); p; p = strchr(p + 1, '['))
        if (!group_end(p)) return p;
    return NULL;
}

yoke_status yk_eq_read_inside(yk_translator *t, yk_expr *e, bool *found)
{
    const char *open = open_bracket(e->name);
    yk_source source = { .path = t->source->path };
    char *text = NULL;
    size_t n = 0;

    if (!open || e->count) return YOKE_OK;
    const size_t room = strlen(e->name) + 60;
    YK_TRY(YK_TAKE(t->arena, &text, room, t->err));
    n = (size_t)snprintf(text, room, "model M equation '%.*s'",
                         (int)(open - e->name), e->name);
    for (const char *p = open; *p; p++)
        if (*p != '\\') text[n++] = *p;
    snprintf(text + n, room - n, " = 0; end M;");
    yoke_err unused = { YOKE_OK, "" };
    const yoke_status status =
        yk_parse(&source, t->arena, source.path, text, strlen(text), &unused);
    if (status == YOKE_E_MEMORY) return yk_fail(t->err, status, "no memory");
    if (status != YOKE_OK || source.classes != 1 ||
        source.class_[0]->equations.count != 1)
        return YOKE_OK;
    const yk_expr *left = source.class_[0]->equations.body[0]->left;
    if (left->kind != YK_EXPR_REFERENCE) return YOKE_OK;
    e->name = left->name;
    e->count = left->count;
    e->child = left->child;
    e->behind = left->behind;
    *found = true;
    return YOKE_OK;
}

yoke_status yk_written_out(yk_translator *t, yk_expr *e, bool *found)
{
    yk_symbol **by_place = NULL;
    yk_expr *array = NULL;
    written w;

    *found = false;
    if (e->scalar && yk_find_symbol(t, e->scalar)) {
        e->name = e->scalar;
        e->count = 0;
        *found = true;
        return YOKE_OK;
    }
    YK_TRY(collect(t, e->name, &w));
    if (!is_whole(&w)) return YOKE_OK;
    YK_TRY(YK_TAKE(t->arena, &by_place, w.count, t->err));
    for (int i = 0; i < w.count; i++)
        by_place[place_of(&w, &w.element[i])] = w.element[i].symbol;
    for (int i = 0; i < w.count; i++)
        if (!by_place[i]) return YOKE_OK;
    YK_TRY(nest(t, e->at, &w, by_place, 0, 0, &array));
    become(e, array);
    *found = true;
    return YOKE_OK;
}

yoke_status yk_leaves(yk_translator *t, yk_expr *e, yk_list *out)
{
    YK_TRY(yk_settle(t, e));
    if (e->kind == YK_EXPR_REFERENCE)
        return yk_list_push(t->arena, out, e, t->err);
    if (e->kind == YK_EXPR_PART) return yk_leaves(t, e->of, out);
    if (e->kind != YK_EXPR_ARRAY)
        return yk_refuse(t, e->at,
                         e->kind == YK_EXPR_CALL && strcmp(e->name, "der") == 0
                             ? "a derivative is not assigned; write der(x) = "
                               "... in a section equation"
                             : "a value can be assigned to a variable only");
    YK_TRY(yk_enter(t, e->at));
    for (int i = 0; i < e->count; i++) YK_TRY(yk_leaves(t, e->child[i], out));
    t->depth--;
    return YOKE_OK;
}
