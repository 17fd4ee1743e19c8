/* comp/equation/events/events_rules.h -- the parts of yk_whens, for its two
 * files. */
#ifndef YK_EQUATION_EVENTS_RULES_H
#define YK_EQUATION_EVENTS_RULES_H

#include "comp/equation/events/algebra.h"
#include "comp/equation/events/events.h"

typedef struct yk_target {
    int column, slot; /* of x, in w */
    double sign;
    int memory; /* number among the variables with memory, or -1: reinit */
    bool alone; /* reinit: no other unknown is bound to it by constraints */
} yk_target;

typedef struct yk_rule {
    yk_flat_event_kind kind;
    yk_code condition, action; /* one result; one per target */
    yk_target *target;
    int line, clause, branch;
    bool before, now, active; /* its condition; its actions count */
    char *text;               /* of an assertion, or NULL */
    bool warns;
    int warning; /* number of one that warns, or -1 */
} yk_rule;

struct yk_whens {
    yk_relations *relations;
    int samples;
    double (*sample)[2]; /* first, interval */
    int *sample_slot;
    int initial_slot;  /* of initial(), or -1 */
    int terminal_slot; /* of terminal(), or -1 */
    int count, actions;
    yk_rule *rule;
    const yk_layout *layout; /* borrowed */
    size_t held, helds;      /* slots of what is held, how many */
    char *file;
    double *workspace, *w;
    yk_algebra *algebra;    /* NULL: nothing is solved for */
    struct yk_subsystem *s; /* borrowed */
    double *begin;          /* values before the instant, solved again */
    double *moved[2];
    bool *locked; /* relations: have changed in this round */
    bool solving; /* in an instant, not before it */
    int memories; /* variables with memory */
    int *memory_slot, *memory_column;
    double *fresh; /* their new values */
    bool starts;   /* the start is an event */
    bool ends;     /* the end of the run is one */
    double start;  /* its time */
    int warnings;
    double *since; /* of each */
};

/* What is computed at an event is computed once: no loops. */
static const yk_template yk_once = { .rounds = 1, .instances = 1 };

#endif
