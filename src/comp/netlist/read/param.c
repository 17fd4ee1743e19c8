/* comp/netlist/read/param.c -- parameters and functions.
 *
 * A parameter is evaluated when it is first used, so the order of .param lines
 * does not matter; one that needs itself is found because it is busy.
 */
#include "comp/netlist/read/read.h"

#include <string.h>

static bool equals(const char *name, const char *text, int length)
{
    return strncmp(name, text, (size_t)length) == 0 && name[length] == '\0';
}

static yk_net_slot *find_here(yk_net_env *env, const char *name, int length)
{
    char key[YK_NET_NAME + 1];

    if (env->index.count == 0) {
        for (int i = env->slots - 1; i >= 0; i--) /* the last one wins */
            if (equals(env->slot[i].name, name, length)) return &env->slot[i];
        return NULL;
    }
    if (length > YK_NET_NAME) return NULL;
    memcpy(key, name, (size_t)length);
    key[length] = '\0';
    const int i = yk_names_find(&env->index, key);
    return i < 0 ? NULL : &env->slot[i];
}

yk_net_slot *yk_net_find_slot(yk_net_env *env, const char *name, int length)
{
    for (; env; env = env->parent) {
        yk_net_slot *slot = find_here(env, name, length);
        if (slot) return slot;
    }
    return NULL;
}

const yk_net_func *yk_net_find_func(const yk_net_env *env, const char *name,
                                    int length)
{
    char key[YK_NET_NAME + 1];

    if (length > YK_NET_NAME) return NULL;
    memcpy(key, name, (size_t)length);
    key[length] = '\0';
    for (; env; env = env->parent) {
        const int i = yk_names_find(&env->scope->func_index, key);
        if (i >= 0) return env->scope->funcs.item[i];
    }
    return NULL;
}

yoke_status yk_net_slot_value(yk_net_reader *r, yk_net_slot *slot,
                              double *value, yoke_err *err)
{
    if (slot->state == YK_BUSY)
        return yk_net_fail(err, YOKE_E_ARG, yk_net_at(r, slot->at, slot->text),
                           "parameter \"%s\" depends on itself", slot->name);
    if (slot->state == YK_UNSEEN) {
        slot->state = YK_BUSY;
        const yoke_status status =
            yk_net_constant(r, slot->env, slot->text, slot->length, slot->at,
                            &slot->value, err);
        slot->state = status == YOKE_OK ? YK_NET_DONE : YK_UNSEEN;
        YK_TRY(status);
    }
    *value = slot->value;
    return YOKE_OK;
}

/* ---- name = expression ... ----------------------------------------------- */

static const char *word_begin(const yk_net_word *w)
{
    return w->kind == YK_BRACED || w->kind == YK_STRING ? w->text - 1 : w->text;
}

static const char *word_end(const yk_net_word *w)
{
    const int marks = w->kind == YK_BRACED || w->kind == YK_STRING;
    return w->text + w->length + marks;
}

/* The first word after a value that begins at word k: the next name that is
 * followed by "=", or the end. */
static int value_end(const yk_net_reader *r, int k)
{
    int depth = 0;

    for (; k < r->words; k++) {
        depth += (r->word[k].kind == YK_OPEN) - (r->word[k].kind == YK_CLOSE);
        if (depth > 0) continue;
        if (r->word[k].kind == YK_NET_WORD && k + 1 < r->words &&
            r->word[k + 1].kind == YK_EQUALS)
            break;
    }
    return k;
}

static yoke_status read_slot(yk_net_reader *r, yk_net_slot *slot, int *k,
                             yk_net_place at, yoke_err *err)
{
    const yk_net_word *name = &r->word[*k];
    const int first = *k + 2;

    if (name->kind != YK_NET_WORD || *k + 1 >= r->words ||
        r->word[*k + 1].kind != YK_EQUALS)
        return yk_net_fail(err, YOKE_E_ARG, yk_net_at(r, at, word_begin(name)),
                           "expected \"name = value\" at \"%.60s\"",
                           word_begin(name));
    int last = value_end(r, first);
    *k = last;
    while (last > first && r->word[last - 1].kind == YK_COMMA) last--;
    if (last <= first)
        return yk_net_fail(err, YOKE_E_ARG, yk_net_at(r, at, name->text),
                           "parameter \"%.*s\" has no value", name->length,
                           name->text);
    YK_TRY(
        yk_net_copy(&r->scratch, &slot->name, name->text, name->length, err));
    slot->at = at;
    slot->text = word_begin(&r->word[first]);
    slot->length = (int)(word_end(&r->word[last - 1]) - slot->text);
    if (last == first + 1 && r->word[first].kind == YK_STRING)
        return yk_net_fail(err, YOKE_E_ARG, yk_net_at(r, at, slot->text),
                           "parameter \"%s\" is a text; only numbers are "
                           "supported",
                           slot->name);
    if (last == first + 1 && r->word[first].kind == YK_BRACED) {
        slot->text = r->word[first].text;
        slot->length = r->word[first].length;
    }
    return YOKE_OK;
}

yoke_status yk_net_read_slots(yk_net_reader *r, yk_list *list, int first,
                              yk_net_place at, yoke_err *err)
{
    for (int k = first; k < r->words;) {
        yk_net_slot *slot = NULL;
        if (r->word[k].kind == YK_COMMA) {
            k++;
            continue;
        }
        YK_TRY(YK_TAKE(&r->scratch, &slot, 1, err));
        YK_TRY(read_slot(r, slot, &k, at, err));
        YK_TRY(yk_list_push(&r->scratch, list, slot, err));
    }
    return YOKE_OK;
}

/* ---- .func name(a, b) {text} --------------------------------------------- */

static yoke_status read_arguments(yk_net_reader *r, yk_net_func *f, int *k,
                                  yk_net_place at, yoke_err *err)
{
    yk_list names = { 0 };

    for (; *k < r->words && r->word[*k].kind != YK_CLOSE; ++*k) {
        const char *name;
        if (r->word[*k].kind == YK_COMMA) continue;
        if (r->word[*k].kind != YK_NET_WORD)
            return yk_net_fail(
                err, YOKE_E_ARG, yk_net_at(r, at, r->word[*k].text),
                "an argument of function \"%s\" is not a name", f->name);
        YK_TRY(yk_net_copy(&r->scratch, &name, r->word[*k].text,
                           r->word[*k].length, err));
        YK_TRY(yk_list_push(&r->scratch, &names, (void *)name, err));
    }
    f->args = names.count;
    f->arg = (const char **)names.item;
    return YOKE_OK;
}

yoke_status yk_net_read_func(yk_net_reader *r, yk_net_scope *scope,
                             const yk_net_line *line, yoke_err *err)
{
    yk_net_func *f = NULL;
    int k = 3;

    if (r->words < 5 || r->word[1].kind != YK_NET_WORD ||
        r->word[2].kind != YK_OPEN)
        return yk_net_fail(err, YOKE_E_ARG, line->at,
                           "expected .func name(argument, ...) {expression}");
    YK_TRY(YK_TAKE(&r->scratch, &f, 1, err));
    f->at = line->at;
    YK_TRY(yk_net_copy(&r->scratch, &f->name, r->word[1].text,
                       r->word[1].length, err));
    YK_TRY(read_arguments(r, f, &k, line->at, err));
    k++;
    if (k < r->words && r->word[k].kind == YK_EQUALS) k++;
    if (k >= r->words)
        return yk_net_fail(err, YOKE_E_ARG, line->at,
                           "function \"%s\" has no expression", f->name);
    f->text = word_begin(&r->word[k]);
    f->length = (int)(word_end(&r->word[r->words - 1]) - f->text);
    if (k == r->words - 1 && r->word[k].kind == YK_BRACED) {
        f->text = r->word[k].text;
        f->length = r->word[k].length;
    }
    YK_TRY(yk_list_push(&r->scratch, &scope->funcs, f, err));
    return yk_names_add(&scope->func_index, f->name, scope->funcs.count - 1,
                        err);
}
