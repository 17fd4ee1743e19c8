/* comp/equation/front/table_value.h -- tables of the standard library:
 * CombiTable1D, CombiTable2D and CombiTimeTable. */
#ifndef YK_TABLE_VALUE_H
#define YK_TABLE_VALUE_H

#include "comp/equation/front/translate.h"

typedef enum yk_smoothness {
    YK_SMOOTH_LINES = 1,
    YK_SMOOTH_AKIMA = 2,
    YK_SMOOTH_STEPS = 3,
    YK_SMOOTH_MONOTONE1 = 4,
    YK_SMOOTH_MONOTONE2 = 5,
    YK_SMOOTH_MAKIMA = 6
} yk_smoothness;

typedef enum yk_beyond {
    YK_BEYOND_HOLD = 1,
    YK_BEYOND_LINE = 2,
    YK_BEYOND_PERIODIC = 3,
    YK_BEYOND_REFUSED = 4
} yk_beyond;

/* Rows of numbers; of a table of one argument the first column increases, of
 * one of two arguments the first row and the first column do. */
struct yk_combi {
    const char *name;
    yk_place at;
    int rows, columns;
    double *value;
    int chosen, *choice; /* the columns that are outputs, from 1 on */
    yk_smoothness smooth;
    yk_beyond beyond;
    double start, shift; /* of a table of time */
    int *variable;       /* of the flat model, by column; -1: none yet */
};

/* The output `number`, from 1 on, at u. */
yoke_status yk_combi_value(yk_translator *t, yk_combi *table, yk_place at,
                           int number, const yk_value *u, yk_value *out);
yoke_status yk_combi_value2(yk_translator *t, yk_combi *table, yk_place at,
                            const yk_value *u1, const yk_value *u2,
                            yk_value *out);
/* Refuses what is no table of one argument, or of two. */
yoke_status yk_combi_check(yk_translator *t, const yk_combi *table, bool two);

#endif
