/* mpi/tenant.h -- what a process has of a run that is in many.
 *
 * A tenant is the share of one rank of the run: its model, its units, in memory
 * that is saved with the run.  A process has one, its own; or none, one or several
 * after the run was taken up in another number of processes (docs/methods/
 * checkpoints.md), rank 0 too, which then asks itself.
 */
#ifndef YK_MPI_TENANT_H
#define YK_MPI_TENANT_H

#include "exec/gate.h"
#include "mpi/served.h"
#include "yoke/file.h"
#include "yoke/run.h"

struct yk_checkpoint_part; /* run/checkpoint.h */

typedef struct yk_tenant {
    int slot;           /* its rank when the run began */
    yoke_graph **graph; /* of each reading (read.c) */
    size_t graph_room;
    int graphs;
    yoke_schedule schedule; /* of the last PLAN */
    bool *extra;
    yk_served **unit; /* by handle */
    size_t room;
    int units;
    yk_gate gate; /* what stops its units */
} yk_tenant;

/* Of this process, and not saved. */
typedef struct yk_tenants {
    yk_tenant **item;
    size_t room;
    int count;
    yoke_model *model; /* as this process has read it, of a run that goes on */
    yoke_model *(*read)(void *reader, int count, const yoke_file_absent *absent,
                        char *why, size_t room);
    void *reader;
    bool (*stop)(void *context);
    void *context;
    char **copy; /* of each: the section to be fetched, of malloc, or NULL */
    size_t *size;
    size_t copy_room, size_room;
    char *coming; /* a section that is on its way here, of malloc */
} yk_tenants;

/* The tenant of this process from its beginning on. */
yoke_status yk_tenants_begin(yk_tenants *t, int slot, yoke_err *err);
void yk_tenants_clear(yk_tenants *t);

/* What needs no answer, and what does, behind their heads.  The answer is without
 * one. */
void yk_tenants_hear(yk_tenants *t, const yk_mail_head *head, yk_bytes *in);
void yk_tenants_answer(yk_tenants *t, const yk_mail_head *head, yk_bytes *in,
                       yk_bytes *out);

/* A section becomes a tenant; closed parts are run until where they were. */
yoke_status yk_tenants_take(yk_tenants *t, struct yk_checkpoint_part *section,
                            yoke_err *err);

#endif
