/* mpi/served.h -- a unit in the rank that has it. */
#ifndef YK_MPI_SERVED_H
#define YK_MPI_SERVED_H

#include "graph/cluster.h"
#include "mpi/protocol.h"
#include "yoke/stepper.h"

typedef struct yk_served {
    int handle;
    yk_cluster *cluster; /* one */
    yk_propagator propagator;
    yk_unit_shape shape;
    yoke_stepper_options options;
    int *watch;
    yoke_input_facts *input; /* of a cluster with events beside others */
    char **from;             /* their texts */
    bool *join;
    yk_wave *u[2]; /* the inputs of the last sweep, and of the one before */
    int turn;      /* which of them */
    yk_wave *other, *y, *du, *dy;
    double *a, *b; /* scratch */
    size_t a_room, b_room;
    int *input_list;
    size_t list_room;
    void *memory;
    yk_bytes result;     /* of the last call */
    yk_bytes told, tell; /* facts of the last answer; scratch */
    yk_echo got;         /* inputs that came last */
} yk_served;

/* Reads what MAKE says behind its head, and makes it.  The schedule is that of
 * the last PLAN.  stop: asked between two steps. */
yoke_status yk_served_create(yk_served **out, const yoke_graph *graph,
                             const yoke_schedule *schedule, const bool *extra,
                             yk_bytes *in, bool (*stop)(void *context),
                             void *context, yoke_err *err);
void yk_served_free(yk_served *s); /* accepts NULL */

/* The run was taken up by this process: a closed part is run until where it was. */
yoke_status yk_served_again(yk_served *s, yoke_err *err);

/* Does the calls of a message and writes the answer behind its head. */
void yk_served_call(yk_served *s, yk_bytes *in, yk_bytes *out);

/* Writes the answer to MAKE behind its head. */
void yk_served_tell_shape(yk_served *s, yk_bytes *out);

/* The other side of MAKE: what rank 0 says of a unit. */
void yk_served_describe(yk_bytes *out, int unit,
                        const yoke_stepper_options *stepper, int ins,
                        int watches, const int *watch);
/* Behind it: what its system remembers here, and whether it is aside, so that a
 * unit which is made elsewhere begins as one made here. */
yoke_status yk_served_put_memory(yk_bytes *out, yoke_system *system,
                                 yoke_err *err);

#endif
