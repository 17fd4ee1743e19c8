/* sys/system.h -- what a yoke_system is made of. */
#ifndef YK_SYSTEM_H
#define YK_SYSTEM_H

#include "base/base.h"
#include "la/pattern.h"
#include "yoke/event.h"
#include "yoke/optional.h"
#include "yoke/system.h"

struct yoke_system {
    char *name;
    const yoke_system_ops *ops;
    void *self;
    yoke_system_info info;            /* every pointer filled in and owned */
    char *names;                      /* the text behind all names */
    struct yk_difference *difference; /* NULL if ops->jacobian is given */
    void *initial; /* its memory when it was created, or NULL */
    int parts;
    yoke_system **part; /* systems that are freed with it */
    yoke_profile *profile;
    int profiles;
    size_t profile_room;
    struct yk_derived *derived; /* owned; behind info.ports, or NULL */
    const struct yk_elsewhere *elsewhere; /* a closed part (sys/closed.h), or
                                             NULL */
    bool foreign;                         /* code of others in this process */
    bool differenced; /* its Jacobians, or those of a member, are differences */
    double *own;      /* n: weights of its unknowns inside it, or NULL: 1 */
    double *weight;   /* n: the same for all who read it, or NULL: 1 */
    double inside;    /* what a residual costs besides, in unknowns */
    int asides;       /* how often somebody else has begun to call it */
    double accuracy;  /* that who solves it asked for last; 0: none */
};

/* An error of unknown i counts weight[i] >= 1 times (NULL: once) for those who
 * read the system, besides what it counts inside: its absolute tolerance is
 * divided by that.  Copies. */
yoke_status yk_system_weigh(yoke_system *system, const double *weight,
                            yoke_err *err);
/* The weights that another process has found for the same system. */
yoke_status yk_system_put_weights(yoke_system *system, const double *weight,
                                  yoke_err *err);
double yk_system_weight(const yoke_system *system, int i);

/* The `eval` of a system without unknowns. */
yoke_status yk_no_equations(void *self, double t, const double *x,
                            const double *u, double *q, double *f,
                            yoke_err *err);

/* Its callbacks, those of one of our own components, are YOKE_PARALLEL. */
void yk_system_parallel(yoke_system *system);
/* They solve something inside: a residual costs this besides, in unknowns (graph/
 * cost.h).  Only what is given to threads depends on it. */
void yk_system_solves(yoke_system *system, double inside);
/* They are those of a plug-in. */
void yk_system_foreign(yoke_system *system);

/* sys/absent.c: the ports of a system that another process has; it cannot be
 * called. */
yoke_status yk_system_absent(yoke_system **out, const char *name, int m,
                             const char *const *u_name, int p,
                             const char *const *y_name, yoke_err *err);
bool yk_system_is_absent(const yoke_system *system);

/* sys/difference.c: Jacobians by coloured finite differences. */
typedef struct yk_difference yk_difference;

yoke_status yk_difference_create(yk_difference **out, const yoke_system *system,
                                 yoke_err *err);
void yk_difference_free(yk_difference *difference); /* accepts NULL */
yoke_status yk_difference_jacobian(yk_difference *difference,
                                   yoke_system *system, double t,
                                   const double *x, const double *u,
                                   const yoke_jacobian *jac, yoke_err *err);

/* sys/probe.c: fills the patterns that are NULL by looking which results change
 * when one argument does. */
yoke_status yk_probe_patterns(yoke_system *system, yoke_err *err);

/* Calls without the check for finite values. */
yoke_status yk_system_eval_raw(yoke_system *system, double t, const double *x,
                               const double *u, double *q, double *f,
                               yoke_err *err);
yoke_status yk_system_output_raw(yoke_system *system, double t, const double *x,
                                 const double *u, double *y, yoke_err *err);

/* The memory becomes what it was when the system was created. */
void yk_system_reset(yoke_system *system);

/* p + k, also for an empty vector given as NULL. */
static inline const double *yk_at(const double *p, int k)
{
    return p ? p + k : NULL;
}

/* sys/profile.c: adds a copy with `prefix` and a dot in front of its names, if
 * there is one; names are not checked. */
yoke_status yk_profile_add(yoke_system *system, const char *prefix,
                           const yoke_profile *profile, yoke_err *err);
void yk_profiles_free(yoke_system *system);

/* sys/ports.c: info.ports of a linear system, if it has that form and did not
 * tell it; otherwise `why` says why not.  At time t. */
typedef struct yk_derived yk_derived;
yoke_status yk_system_derive_ports(yoke_system *system, double t, char *why,
                                   size_t room, yoke_err *err);
void yk_derived_free(yk_derived *derived); /* accepts NULL */

/* Undoes that; false: there was nothing to undo. */
bool yk_system_forget_ports(yoke_system *system);

/* True for each equation without charge: row of C and Cu structurally empty.
 * algebraic[n]. */
void yk_system_algebraic_rows(const yoke_system *system, bool *algebraic);

/* Inputs that a composite keeps as unknowns stand behind the unknowns of its
 * members: member and input of the k-th, or false if there is none. */
bool yk_composite_kept(const yoke_system *system, int k, int *member,
                       int *input);

/* Room for the values of all six Jacobians in one block; jac->C is its start
 * and what to free. */
yoke_status yk_jacobian_create(yoke_jacobian *jac, const yoke_system *system,
                               yoke_err *err);

#endif
