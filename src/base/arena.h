/* base/arena.h -- memory that is given back all at once. */
#ifndef YK_ARENA_H
#define YK_ARENA_H

#include "base/base.h"

typedef struct yk_arena_block yk_arena_block;

/* Zero-initialise it. */
typedef struct yk_arena {
    yk_arena_block *top;
} yk_arena;

/* Where an arena stands; what was taken later is given back by release. */
typedef struct yk_arena_mark {
    yk_arena_block *top;
    size_t used;
} yk_arena_mark;

/* Zeroed memory for `count` elements; *out is untouched on failure. */
yoke_status yk_arena_take(yk_arena *arena, void **out, size_t count,
                          size_t size, yoke_err *err);
#define YK_TAKE(arena, out, count, err)                                        \
    yk_arena_take((arena), (void **)(out), (size_t)(count), sizeof **(out),    \
                  (err))

/* A text as printf writes it. */
yoke_status yk_arena_print(yk_arena *arena, const char **out, yoke_err *err,
                           const char *format, ...)
    __attribute__((format(printf, 4, 5)));

yk_arena_mark yk_arena_now(const yk_arena *arena);
void yk_arena_release(yk_arena *arena, yk_arena_mark mark);
void yk_arena_clear(yk_arena *arena);

/* Names that are made one after the other: a failure, and its message in *err,
 * is kept and the names from there on are NULL.  { .err = err } at first. */
typedef struct yk_labels {
    yk_arena arena;
    yoke_status status;
    yoke_err *err;
} yk_labels;

const char *yk_label(yk_labels *labels, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A list of pointers in an arena. */
typedef struct yk_list {
    int count, room;
    void **item;
} yk_list;

yoke_status yk_list_push(yk_arena *arena, yk_list *list, void *item,
                         yoke_err *err);

#endif
