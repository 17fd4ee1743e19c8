/* base/arena.c -- blocks in a row, the newest first. */
#include "base/arena.h"

#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 1 << 16, ALIGN = 16 };

struct yk_arena_block {
    yk_arena_block *below;
    size_t used, room;
    union {
        double number;
        void *pointer;
        long long whole;
    } data[]; /* aligned for everything we store */
};

static yoke_status add_block(yk_arena *arena, size_t bytes, yoke_err *err)
{
    yk_arena_block *block = NULL;
    const size_t room = bytes > BLOCK ? bytes : BLOCK;

    YK_TRY(yk_alloc((void **)&block, sizeof *block + room, 1, err));
    block->room = room;
    block->below = arena->top;
    arena->top = block;
    return YOKE_OK;
}

yoke_status yk_arena_take(yk_arena *arena, void **out, size_t count,
                          size_t size, yoke_err *err)
{
    if (size && count > SIZE_MAX / 4 / size)
        return yk_fail(err, YOKE_E_MEMORY,
                       "out of memory: %zu elements of %zu bytes", count, size);
    const size_t bytes = (count * size + ALIGN - 1) / ALIGN * ALIGN;
    if (!arena->top || arena->top->room - arena->top->used < bytes)
        YK_TRY(add_block(arena, bytes, err));
    *out = (char *)arena->top->data + arena->top->used;
    memset(*out, 0, bytes);
    arena->top->used += bytes;
    return YOKE_OK;
}

static yoke_status print(yk_arena *arena, const char **out, yoke_err *err,
                         const char *format, va_list args)
{
    va_list again;
    char *text = NULL;

    va_copy(again, args);
    const size_t room = (size_t)vsnprintf(NULL, 0, format, args) + 1;
    const yoke_status status = YK_TAKE(arena, &text, room, err);
    if (status == YOKE_OK) vsnprintf(text, room, format, again);
    if (status == YOKE_OK) *out = text;
    va_end(again);
    return status;
}

yoke_status yk_arena_print(yk_arena *arena, const char **out, yoke_err *err,
                           const char *format, ...)
{
    va_list args;

    va_start(args, format);
    const yoke_status status = print(arena, out, err, format, args);
    va_end(args);
    return status;
}

const char *yk_label(yk_labels *labels, const char *format, ...)
{
    const char *text = NULL;
    va_list args;

    va_start(args, format);
    if (labels->status == YOKE_OK)
        labels->status =
            print(&labels->arena, &text, labels->err, format, args);
    va_end(args);
    return text;
}

yk_arena_mark yk_arena_now(const yk_arena *arena)
{
    return (yk_arena_mark){ arena->top, arena->top ? arena->top->used : 0 };
}

void yk_arena_release(yk_arena *arena, yk_arena_mark mark)
{
    while (arena->top != mark.top) {
        yk_arena_block *below = arena->top->below;
        yk_free(arena->top);
        arena->top = below;
    }
    if (arena->top) arena->top->used = mark.used;
}

void yk_arena_clear(yk_arena *arena)
{
    yk_arena_release(arena, (yk_arena_mark){ NULL, 0 });
}

yoke_status yk_list_push(yk_arena *arena, yk_list *list, void *item,
                         yoke_err *err)
{
    if (list->count == list->room) {
        void **larger = NULL;
        const int room = list->room ? 2 * list->room : 4;
        if (list->room > INT_MAX / 4)
            return yk_fail(err, YOKE_E_MEMORY, "a list is too long");
        YK_TRY(YK_TAKE(arena, &larger, room, err));
        if (list->count)
            memcpy(larger, list->item,
                   (size_t)list->count * sizeof *list->item);
        list->item = larger;
        list->room = room;
    }
    list->item[list->count++] = item;
    return YOKE_OK;
}
