/* comp/equation/events/condition.c -- conditions of events, and assertions.
 *
 * A condition is an expression of relations, which are held between events
 * (hold.c), and of variables that change at events only.
 */
#include "comp/equation/front/translate.h"

#include <string.h>

yoke_status yk_has_memory(yk_translator *t, const yk_expr *e, bool *out)
{
    yk_meaning m = { 0 };

    if (e->kind == YK_EXPR_REFERENCE) YK_TRY(yk_resolve(t, e, &m));
    if (!m.symbol || e->count || m.symbol->dims)
        return yk_refuse(t, e->at, "a scalar variable is needed here");
    *out = m.symbol->by_event;
    return YOKE_OK;
}

yoke_status yk_need_whole(yk_translator *t, const yk_expr *e)
{
    yk_shape shape[2];

    if (!t->condition || yk_in_function(t)) return YOKE_OK;
    for (int i = 0; i < 2; i++) {
        YK_TRY(yk_shape_of(t, e->child[i], &shape[i]));
        if (shape[i].type == YK_TYPE_REAL)
            return yk_refuse(t, e->at,
                             "== and <> of Real numbers make no event; write a "
                             "relation with <, <=, > or >=");
    }
    return YOKE_OK;
}

/* A function in it has no events of its own. */
static yoke_status check_calls(yk_translator *t, const yk_expr *e)
{
    if (e->kind == YK_EXPR_CALL && !yk_is_builtin(t, e->name))
        return yk_refuse(t, e->at,
                         "%s() in the condition of an event is not supported; "
                         "write a relation such as x > 0 or time >= 1",
                         e->name);
    if (e->kind == YK_EXPR_RELATION) return YOKE_OK;
    for (int i = 0; i < e->count; i++)
        if (e->child[i]) YK_TRY(check_calls(t, e->child[i]));
    return YOKE_OK;
}

yoke_status yk_condition_size(yk_translator *t, const yk_expr *e, int *size)
{
    yk_shape shape;

    t->in_when = t->condition = true;
    YK_TRY(yk_shape_of(t, (yk_expr *)e, &shape));
    t->in_when = t->condition = false;
    *size = shape.dims == 1 ? shape.size[0] : 0;
    return YOKE_OK;
}

yoke_status yk_condition(yk_translator *t, const yk_expr *e, int element,
                         int *node)
{
    const yk_value at = yk_number(element);
    yk_shape shape;
    yk_value v;

    t->in_when = t->condition = true;
    YK_TRY(yk_shape_of(t, (yk_expr *)e, &shape));
    if (shape.dims != (element > 0) || shape.type != YK_TYPE_BOOLEAN)
        return yk_refuse(t, e->at, "a condition is needed here");
    YK_TRY(check_calls(t, e));
    YK_TRY(yk_element(t, (yk_expr *)e, element ? &at : NULL, element > 0, &v));
    t->in_when = t->condition = false;
    *node = -1;
    return v.kind == YK_VALUE_NUMBER ? YOKE_OK : yk_to_node(t, &v, node);
}

/* ---- assert ----------------------------------------------------------------
 */

static const yk_expr *argument(const yk_expr *call, int number,
                               const char *name)
{
    for (int i = 0; i < call->count; i++)
        if (call->label && call->label[i] ? strcmp(call->label[i], name) == 0
                                          : i == number)
            return call->child[i];
    return NULL;
}

/* The literal parts of the text; values in it appear as "...". */
yoke_status yk_copy_message(yk_translator *t, const yk_expr *e, char **out)
{
    char text[400] = "";
    size_t used = 0;
    const int parts = e->kind == YK_EXPR_SUM ? e->count : 1;

    for (int i = 0; i < parts && used < sizeof text - 1; i++) {
        const yk_expr *part = parts > 1 ? e->child[i] : e;
        const char *word = part->kind == YK_EXPR_STRING ? part->name : "...";
        const size_t room = sizeof text - 1 - used, size = strlen(word);
        memcpy(text + used, word, size < room ? size : room);
        used += size < room ? size : room;
    }
    return yk_copy_text(out, text, t->err);
}

static yoke_status fail_later(yk_translator *t, const yk_expr *condition,
                              const yk_expr *message, bool warning)
{
    yk_flat_event event = { .kind = YK_FLAT_ASSERT,
                            .line = condition->at.line,
                            .clause = ++t->clauses,
                            .warning = warning };

    YK_TRY(yk_blame_all(t)); /* an event has no loops */
    YK_TRY(yk_condition(t, condition, 0, &event.condition));
    if (event.condition < 0)
        return yk_refuse(t, condition->at, "this condition never changes");
    YK_TRY(yk_copy_message(t, message, &event.text));
    return yk_flat_add_event(t->flat, &event, t->err);
}

static yoke_status note_warning(yk_translator *t, const yk_expr *call,
                                const yk_expr *message, bool now)
{
    yoke_status status;
    char *text = NULL;

    YK_TRY(yk_copy_message(t, message, &text));
    status = yk_flat_note(
        t->flat, t->err, "%s:%d: warning%s: %.200s", t->source->path,
        call->at.line, now ? "" : ", not checked while the model runs", text);
    yk_free(text);
    return status;
}

/* A condition that no event can watch costs the warning, not the model. */
static yoke_status warn_later(yk_translator *t, const yk_expr *call,
                              const yk_expr *condition, const yk_expr *message)
{
    const int nodes = t->flat->nodes, events = t->flat->events;
    const yoke_status status = fail_later(t, condition, message, true);

    if (status != YOKE_E_MODEL) return status;
    t->in_when = t->condition = false;
    t->flat->nodes = nodes;
    yk_flat_drop_events(t->flat, events);
    if (t->err) *t->err = (yoke_err){ YOKE_OK, "" };
    return note_warning(t, call, message, false);
}

static yoke_status is_warning(yk_translator *t, const yk_expr *level, bool *out)
{
    const char *name =
        level && level->kind == YK_EXPR_REFERENCE ? level->name : "";

    *out = strcmp(name, "AssertionLevel.warning") == 0;
    if (level && !*out && strcmp(name, "AssertionLevel.error") != 0)
        return yk_refuse(t, level->at,
                         "the level of assert is AssertionLevel.error or "
                         "AssertionLevel.warning");
    return YOKE_OK;
}

yoke_status yk_is_warning(yk_translator *t, const yk_expr *call, bool *out)
{
    return is_warning(t, argument(call, 2, "level"), out);
}

yoke_status yk_assert(yk_translator *t, const yk_expr *e)
{
    yk_expr *condition = (yk_expr *)argument(e, 0, "condition");
    const yk_expr *message = argument(e, 1, "message");
    const int nodes = t->flat->nodes, events = t->flat->events;
    yk_shape shape;
    yk_value v;
    bool warning = false;

    if (!condition || !message)
        return yk_refuse(t, e->at, "assert needs a condition and a text");
    YK_TRY(yk_is_warning(t, e, &warning));
    YK_TRY(yk_shape_of(t, condition, &shape));
    if (shape.dims || shape.type != YK_TYPE_BOOLEAN)
        return yk_refuse(t, e->at, "assert needs a condition");
    t->varies = false;
    YK_TRY(yk_element(t, condition, NULL, 0, &v));
    if (yk_is_number(&v, 1.0)) return YOKE_OK;
    if (v.kind != YK_VALUE_NUMBER) {
        if (!t->varies) YK_TRY(yk_blame_all(t));
        t->flat->nodes = nodes; /* evaluated again below */
        yk_flat_drop_events(t->flat, events);
        t->binding++;
        return warning ? warn_later(t, e, condition, message)
                       : fail_later(t, condition, message, false);
    }
    if (warning) return note_warning(t, e, message, true);
    return yk_refuse(t, e->at, "assertion failed: %.200s",
                     message->kind == YK_EXPR_STRING ? message->name : "");
}
