/* comp/equation/front/builtin.h -- what the two lists of built-in functions
 * share. */
#ifndef YK_BUILTIN_H
#define YK_BUILTIN_H

#include "comp/equation/front/translate.h"

typedef struct yk_builtin yk_builtin;

/* What the two functions of a row are given: the row, the call, and for an
 * element its subscripts.  Few need all of it. */
#define YK_MAYBE __attribute__((unused))
#define YK_SHAPE_TAKES                                                         \
    YK_MAYBE yk_translator *t, YK_MAYBE const yk_builtin *b,                   \
        YK_MAYBE yk_expr *e, yk_shape *out
#define YK_ELEMENT_TAKES                                                       \
    YK_MAYBE yk_translator *t, YK_MAYBE const yk_builtin *b,                   \
        YK_MAYBE yk_expr *e, YK_MAYBE const yk_value *at, YK_MAYBE int dims,   \
        yk_value *out

struct yk_builtin {
    const char *name;
    int least, most; /* arguments */
    yk_op op;
    yoke_status (*shape)(YK_SHAPE_TAKES);
    yoke_status (*element)(YK_ELEMENT_TAKES);
};

/* builtin_array.c; ends with a NULL name. */
extern const yk_builtin yk_array_builtins[];
extern const yk_builtin yk_event_builtins[];

/* The shape of a Real or Integer; others are refused. */
yoke_status yk_need_number(yk_translator *t, yk_expr *e, yk_shape *out);

#endif
