/* comp/equation/front/builtin.h -- what the two lists of built-in functions
 * share. */
#ifndef YK_BUILTIN_H
#define YK_BUILTIN_H

#include "comp/equation/front/translate.h"

typedef struct yk_builtin yk_builtin;

struct yk_builtin {
    const char *name;
    int least, most; /* arguments */
    yk_op op;
    yoke_status (*shape)(yk_translator *t, const yk_builtin *b, yk_expr *e,
                         yk_shape *out);
    yoke_status (*element)(yk_translator *t, const yk_builtin *b, yk_expr *e,
                           const yk_value *at, int dims, yk_value *out);
};

/* builtin_array.c; ends with a NULL name. */
extern const yk_builtin yk_array_builtins[];
extern const yk_builtin yk_event_builtins[];

/* The shape of a Real or Integer; others are refused. */
yoke_status yk_need_number(yk_translator *t, yk_expr *e, yk_shape *out);

#endif
