/* comp/equation/code/layout.h -- unknowns, rows and Jacobians of the subsystem.
 *
 *     d/dt (C x + Cu u) + f(t, x, u) = 0        y = Hx x + Hu u + constants
 *
 * C, Cu, Hx, Hu are constant between events: only f and its derivatives need
 * code.
 */
#ifndef YK_LAYOUT_H
#define YK_LAYOUT_H

#include "comp/equation/code/interpret.h"
#include "comp/equation/structure/structure.h"
#include "expr/breaks.h"
#include "sys/course.h"
#include "yoke/optional.h"
#include "yoke/system.h"

/* The derivative of a block by one of its references. */
typedef struct yk_entry {
    int node;     /* the derivative */
    int *at;      /* instances: place in J = [G | Gu | trash] */
    double *sign; /* instances; NULL: all are +1 */
    bool alone;   /* nothing else is added to these places */
    bool affine;  /* at = first + sum stride_k counter_k */
    int first, stride[YK_FLAT_LOOPS];
} yk_entry;

/* f of one template: rows row ... row + instances - 1. */
typedef struct yk_block {
    yk_template t; /* `list` is borrowed from the model, no references */
    int entries;   /* with values that change */
    yk_entry *entry;
} yk_block;

typedef struct yk_layout {
    int n, m, p;
    int rows; /* of blocks; the links and the charts (chart.h) follow */
    int slots;
    int *column; /* of each slot, or -1 */
    int *x_slot; /* of each unknown */
    int *u_slot; /* of each input */
    int fills;   /* w[to] = sign w[from]: aliases */
    int *fill_to, *fill_from;
    double *fill_sign;
    double *w; /* constants and tables filled in */
    int links; /* d/dt (x[state] + terms) - x[rate] = 0; state = n + input: of
                  an input */
    int *state, *rate;
    int terms; /* factor x[term_state] in link term_link */
    int *term_link, *term_state;
    double *term_factor;
    int combinations; /* rows of charts */
    bool *charged; /* elements * YK_ORDERS: derivative under d/dt, no column */
    bool *alone;   /* elements: an input that some charge consists of alone */

    int blocks;
    yk_block *block;
    yoke_pattern *C, *G, *Cu, *Gu, *Hx, *Hu;
    double *C_value, *Cu_value, *Hx_value, *Hu_value, *y_constant;
    double *J; /* G, Gu and one more: constant entries, zero elsewhere; C_value
                  and J have the T of the charts as it is now */
    int g_count, gu_count;
    bool trash;    /* some entry goes to the last place */
    bool affine;   /* no entry changes */
    bool timeless; /* time enters along straight lines between the breaks */
    int *y_element;
    int *y_place; /* unknown, n + input, or -1 */
    signed char *y_sign;
    yk_breaks *breaks;      /* of functions of time; NULL: none */
    yk_course_list courses; /* functions of time */
    yk_course_list bent;    /* functions of unknowns and inputs */
    yk_course_list watched; /* what relations compare (relation.h) */
    int *watch;             /* of each: its place in `watched`, or -1 */
    yoke_curves curves;
    int samples; /* breaks at first + k interval, k >= 0 */
    double (*sample)[2];
} yk_layout;

yoke_status yk_layout_create(yk_layout *layout, yk_model *model, yoke_err *err);
void yk_layout_free(yk_layout *layout);

/* The number of the input that is this element. */
int yk_layout_input(const yk_layout *layout, int element);

/* Gives aliases the values of what they are. */
void yk_layout_fill(const yk_layout *layout, double *w);

/* The outputs, which are linear; u may be NULL. */
void yk_layout_output(const yk_layout *layout, const double *x, const double *u,
                      double *y);

/* Entries of a Jacobian; `to` may be NULL. */
void yk_layout_copy(double *to, const double *from,
                    const yoke_pattern *pattern);

/* charge.c: which derivatives go under d/dt.  charge[template][ref] (freed by
 * the caller, one block) and needs[elements * YK_ORDERS]: the derivative has an
 * unknown of its own. */
typedef struct yk_charge_term {
    int into, from; /* places element * YK_ORDERS + order */
    double factor;
} yk_charge_term;

typedef struct yk_charge {
    bool *ref;  /* references of all templates, one after the other */
    int *start; /* of each template */
    bool *needs;
    bool *alone; /* see yk_layout */
    bool *gone;  /* places: occurs in combinations only (combine.c): the unknown
                   of place `into` is d_into + sum factor d_from */
    int gones, terms;
    yk_charge_term *term;
    size_t term_room;
} yk_charge;

yoke_status yk_charge_create(yk_charge *charge, yk_model *model, yoke_err *err);
void yk_charge_free(yk_charge *charge);
yoke_status yk_charge_combine(yk_charge *charge, yk_model *model,
                              yoke_err *err);

/* The name of unknown j: of a variable, a derivative, or a combination of
 * derivatives. */
void yk_layout_name(const yk_layout *layout, const yk_model *model, int j,
                    char out[YK_NAME_SIZE]);

/* breaks.c: functions of time that are not smooth. */
yoke_status yk_find_breaks(yk_layout *layout, yk_model *model, yoke_err *err);
/* The first instant of sample(first, interval) after t, of all of them. */
double yk_next_sample(const yk_layout *layout, double t);

#endif
