/* sys/compose.h -- what a composite is made of (sys/compose*.c only). */
#ifndef YK_COMPOSE_H
#define YK_COMPOSE_H

#include "sys/system.h"
#include "yoke/compose.h"

enum { ONE = -1 }; /* a factor 1 in a term */

typedef struct term {
    int target, a, b; /* place in the result; places in the members' values */
    double weight;
} term;

typedef struct term_list {
    int count;
    size_t row_room, col_room, room;
    int *row, *col; /* of each term */
    term *term;
} term_list;

typedef struct member {
    yoke_system *system;
    int x, u, y;                     /* where its vectors begin */
    int C, G, Cu, Gu, Hx, Hu;        /* where its Jacobians begin in `value` */
    yoke_pattern *hx_rows, *hu_rows; /* transposed: the columns of each row */
    bool outputs_early; /* some output without feedthrough feeds the inside */
    bool wanted;        /* some output is one of the whole */
    bool feedthrough;   /* some output depends on an input */
    size_t memory;      /* where its bytes begin */
    int event;          /* where its events begin */
    int course;         /* where its courses begin */
    int curve;          /* and its curves */
} member;

typedef struct composite {
    char *name;
    int members, links, opens, kept;
    int events;
    yoke_help_ops help;
    yoke_courses courses;
    yoke_curves curves;
    int n, base, m_all, p_all; /* base: unknowns of members; all inputs and
                                  outputs of members */
    int outs;
    int (*out)[2]; /* member, output */
    member *member;
    yoke_link *link;       /* sorted by the input they feed */
    int *link_start;       /* of each input, m_all + 1 */
    int *open_at;          /* of each input of the members: place in v, or -1 */
    int *kept_at;          /* of each input: place among the kept ones, or -1 */
    double *u, *y;         /* of all members */
    double *du, *x_before; /* of Newton's last move */
    bool settles;          /* a member wants to be asked */
    bool *discrete;
    unsigned char *reads; /* of at_events: unknowns, open inputs */
    yoke_event_facts at_events;
    double *value; /* all Jacobians of all members */
    int *closed;   /* scratch for members that are; NULL: none is */
    bool has_rhs;
    term_list C, G, Cu, Gu, Hx, Hu;
    yoke_pattern *pC, *pG, *pCu, *pGu, *pHx, *pHu;
} composite;

/* sys/compose_terms.c: the lists of terms and the patterns of the result. */
yoke_status yk_composite_terms(composite *c, yoke_err *err);

/* sys/compose_eval.c: the callbacks; with `rhs` if every member has one. */
extern const yoke_system_ops yk_composite_ops, yk_composite_ode_ops;
extern const yoke_event_ops yk_composite_event_ops;
const yoke_help_ops *yk_composite_help(composite *c);
void yk_composite_free(void *self); /* accepts NULL */
/* Courses of all members, one after the other. */
const yoke_courses *yk_composite_courses(composite *c);
const yoke_curves *yk_composite_curves(composite *c);

/* All inputs of all members into c->u. */
yoke_status yk_composite_gather(composite *c, double t, const double *x,
                                const double *v, yoke_err *err);

/* sys/compose_closed.c: `ask` of every member that `wants` it; closed ones at
 * once.  all: also if one is not defined there; then its status is returned. */
typedef struct yk_asking {
    composite *c;
    double t;
    const double *x;
    bool (*wants)(const member *m);
    yoke_status (*ask)(const struct yk_asking *a, const member *m,
                       yoke_err *err);
} yk_asking;

yoke_status yk_composite_ask(const yk_asking *a, bool all, yoke_err *err);

/* sys/compose_initial.c: if a member has initial equations. */
extern const yoke_initial_ops yk_composite_initial_ops;

#endif
