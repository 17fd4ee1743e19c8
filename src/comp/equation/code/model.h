/* comp/equation/code/model.h -- what the passes of the back end work on.
 *
 * A scalar unknown or input is an *element*: base[variable] + place.  An
 * element and its derivatives have a *slot* each in the vector w of all values,
 * which the code reads:
 *
 *     w = [ elements | tables | held | first derivatives | second ... ]
 *
 * so a reference in a loop is w[constant + sum stride_k counter_k], whatever
 * happens to single elements (alias, state, dummy derivative).
 */
#ifndef YK_MODEL_H
#define YK_MODEL_H

#include "comp/equation/expr.h"
#include "yoke/equation.h"

enum { YK_ORDERS = 12 }; /* highest derivative, plus one */

/* residual(i1, ..., ik) = 0 for all rounds of its loops, or for some. */
typedef struct yk_template {
    int residual;
    int loops, count[YK_FLAT_LOOPS], first[YK_FLAT_LOOPS], step[YK_FLAT_LOOPS];
    int rounds; /* product of the counts */
    int line, column;
    int order;        /* how often it was differentiated */
    int twin;         /* so many before it have the same line and order */
    int instances;    /* scalar equations */
    int *list;        /* their rounds, increasing; NULL: all rounds */
    int row;          /* of its first instance */
    int refs;         /* references to unknowns and inputs */
    int *ref, *slope; /* nodes: the reference, the derivative by it */
} yk_template;

typedef struct yk_templates {
    int count, rows;
    size_t room;
    yk_template *at;
} yk_templates;

typedef struct yk_model {
    const yk_flat *flat; /* borrowed */
    yk_pool pool;
    int elements;
    int *base;               /* of each variable; tables: their slot */
    int *owner;              /* variable of each element */
    int *segment[YK_ORDERS]; /* first slot of each variable, or -1 */
    int slots, fixed_slots;  /* fixed_slots: elements, tables, held values */
    int held;                /* first slot of those */

    /* Aliases: element e is sign * root, or the constant value (sign 0). */
    int *root;
    signed char *sign;
    double *value;
    double *start; /* of each element; roots collect from their class */
    bool *fixed;

    yk_templates equation, initial;
    yk_templates relation; /* residual: d, or x of floor(x) (relation.h) */
    yk_templates action;   /* residual: a value or condition of an event that
                              contains a derivative */
    int *relation_held;    /* node of the held value of each */
    int *relation_plain;   /* the relation itself, or floor(x) */
    int written, unknowns, eliminated; /* scalar, for the report */
    int index, differentiated;
    int *highest; /* d_j: highest derivative of each root */
    bool *dummy;  /* elements * YK_ORDERS: this derivative is algebraic */
    int dummies;
    int combined;             /* derivatives that occur in combinations only */
    struct yk_charts *charts; /* chart.h; NULL: all states are kept */
    char text[YOKE_ERR_SIZE];
} yk_model;

yoke_status yk_eq_model_create(yk_model *model, const yk_flat *flat,
                               yoke_err *err);
void yk_eq_model_free(yk_model *model);

/* Slots for derivatives up to the highest that occurs. */
yoke_status yk_eq_model_segments(yk_model *model, yoke_err *err);

/* Takes t->list.  Finds the references of t and their derivatives. */
yoke_status yk_templates_add(yk_templates *all, yk_pool *pool, yk_template *t,
                             yoke_err *err);

/* The counters of instance k, each from 0. */
void yk_counters(const yk_template *t, int k, int counter[YK_FLAT_LOOPS]);

/* The element a reference means in the instance with these counters. */
int yk_template_element(const yk_model *model, const yk_template *t, int ref,
                        const int counter[YK_FLAT_LOOPS]);

/* The same as slot = base + sum stride_k counter_k. */
int yk_slot_strides(const yk_model *model, const yk_template *t, int node,
                    int stride[YK_FLAT_LOOPS]);

/* Counts templates with the same line, for their names. */
yoke_status yk_number_twins(yk_templates *all, yoke_err *err);

bool yk_is_input(const yk_model *model, int element);

/* Where an element and its derivatives are in lists of all places. */
static inline size_t yk_order_place(int element, int order)
{
    return (size_t)element * YK_ORDERS + (size_t)order;
}

static inline int yk_slot_of(const yk_model *m, int element, int order)
{
    const int v = m->owner[element];
    return m->segment[order][v] + element - m->base[v];
}

/* The element and order a slot belongs to. */
void yk_slot_owner(const yk_model *model, int slot, int *element, int *order);

/* "x[2,3]", with `order` times der( ) around it. */
enum {
    YK_NAME_SIZE = 512,
    YK_NAME_MOST = 400 /* characters of a variable's name */
};
void yk_element_name(const yk_model *model, int element, int order,
                     char out[YK_NAME_SIZE]);
/* "rod.mo:12", "rod.mo:12 [i=3]". */
void yk_eq_row_name(const yk_model *model, const yk_templates *all, int row,
                    char out[YK_NAME_SIZE]);
/* Where its equation stands; column 0: not known. */
void yk_eq_row_place(const yk_templates *all, int row, int *line, int *column);

#endif
