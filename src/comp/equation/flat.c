/* comp/equation/flat.c -- the life of a flat model. */
#include "comp/equation/flat.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void clear_variable(const yk_flat_variable *v)
{
    YK_FREE(v->name, v->unit, v->start, v->nominal, v->fixed, v->value);
}

/* Room for one more of `count` elements, whose numbers are ints. */
static yoke_status room_for_one(void **block, size_t *room, int count,
                                size_t size, yoke_err *err)
{
    if (count == INT_MAX)
        return yk_fail(err, YOKE_E_MEMORY,
                       "the flat model has more than %d parts of a kind",
                       INT_MAX);
    return yk_grow(block, room, (size_t)count + 1, size, err);
}

yoke_status yk_flat_create(yk_flat **out, const char *file, const char *name,
                           yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_flat *flat = NULL;

    YK_GO(YK_NEW(&flat, 1, err));
    YK_GO(yk_copy_text(&flat->file, file, err));
    YK_GO(yk_copy_text(&flat->name, name, err));
    *out = flat;
    return YOKE_OK;
done:
    yk_flat_free(flat);
    return status;
}

void yk_flat_drop_events(yk_flat *flat, int count)
{
    while (flat->events > count) {
        const yk_flat_event *e = &flat->event[--flat->events];
        YK_FREE(e->action, e->text);
    }
}

yoke_status yk_flat_note(yk_flat *flat, yoke_err *err, const char *format, ...)
{
    char line[400], *all = NULL;
    const size_t used = flat->note ? strlen(flat->note) : 0;
    size_t room = 0;
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    YK_TRY(yk_grow((void **)&all, &room, used + strlen(line) + 3, 1, err));
    snprintf(all, room, "%s%s%s", flat->note ? flat->note : "",
             used ? "; " : "", line);
    yk_free(flat->note);
    flat->note = all;
    return YOKE_OK;
}

void yk_flat_free(yk_flat *flat)
{
    if (!flat) return;
    for (int i = 0; i < flat->variables; i++)
        clear_variable(&flat->variable[i]);
    yk_flat_drop_events(flat, 0);
    for (int i = 0; i < flat->relations; i++) yk_free(flat->relation[i].text);
    YK_FREE(flat->relation, flat->sample, flat->note, flat->file, flat->name,
            flat->variable, flat->equation, flat->event, flat->node, flat);
}

yoke_status yk_flat_add_variable(yk_flat *flat,
                                 const yk_flat_variable *variable, int *number,
                                 yoke_err *err)
{
    const yoke_status status =
        room_for_one((void **)&flat->variable, &flat->variable_room,
                     flat->variables, sizeof *flat->variable, err);
    if (status != YOKE_OK) {
        clear_variable(variable);
        return status;
    }
    flat->variable[flat->variables] = *variable;
    *number = flat->variables++;
    return YOKE_OK;
}

yoke_status yk_flat_add_node(yk_flat *flat, const yk_flat_node *node,
                             int *number, yoke_err *err)
{
    YK_TRY(room_for_one((void **)&flat->node, &flat->node_room, flat->nodes,
                        sizeof *flat->node, err));
    flat->node[flat->nodes] = *node;
    *number = flat->nodes++;
    return YOKE_OK;
}

yoke_status yk_flat_add_equation(yk_flat *flat,
                                 const yk_flat_equation *equation,
                                 yoke_err *err)
{
    YK_TRY(room_for_one((void **)&flat->equation, &flat->equation_room,
                        flat->equations, sizeof *flat->equation, err));
    flat->equation[flat->equations++] = *equation;
    return YOKE_OK;
}

yoke_status yk_flat_add_event(yk_flat *flat, const yk_flat_event *event,
                              yoke_err *err)
{
    const yoke_status status =
        room_for_one((void **)&flat->event, &flat->event_room, flat->events,
                     sizeof *flat->event, err);
    if (status != YOKE_OK) {
        YK_FREE(event->action, event->text);
        return status;
    }
    flat->event[flat->events++] = *event;
    return YOKE_OK;
}

yoke_status yk_flat_add_relation(yk_flat *flat,
                                 const yk_flat_relation *relation,
                                 yoke_err *err)
{
    const yoke_status status =
        room_for_one((void **)&flat->relation, &flat->relation_room,
                     flat->relations, sizeof *flat->relation, err);
    if (status != YOKE_OK) {
        yk_free(relation->text);
        return status;
    }
    flat->relation[flat->relations++] = *relation;
    return YOKE_OK;
}

yoke_status yk_flat_add_held(yk_flat *flat, int count, int *number,
                             yoke_err *err)
{
    yoke_status status = YOKE_OK;
    yk_flat_variable v = { .kind = YK_FLAT_HELD,
                           .count = count,
                           .is_discrete = true,
                           .is_boolean = true };

    YK_GO(yk_copy_text(&v.name, "", err));
    YK_GO(yk_doubles(&v.value, (size_t)count, err));
    return yk_flat_add_variable(flat, &v, number, err);
done:
    clear_variable(&v);
    return status;
}

yoke_status yk_flat_add_sample(yk_flat *flat, double first, double interval,
                               int *variable, yoke_err *err)
{
    yk_flat_sample s = { .first = first, .interval = interval };

    for (int i = 0; i < flat->samples; i++)
        if (flat->sample[i].first == first &&
            flat->sample[i].interval == interval) {
            *variable = flat->sample[i].variable;
            return YOKE_OK;
        }
    YK_TRY(yk_flat_add_held(flat, 1, &s.variable, err));
    YK_TRY(room_for_one((void **)&flat->sample, &flat->sample_room,
                        flat->samples, sizeof *flat->sample, err));
    flat->sample[flat->samples++] = s;
    *variable = s.variable;
    return YOKE_OK;
}
