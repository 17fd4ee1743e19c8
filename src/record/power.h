/* record/power.h -- port-Hamiltonian subsystems in a run: their energy in any
 * scheme, and what the schemes that iterate on them guaranteed and did. */
#ifndef YK_POWER_H
#define YK_POWER_H

#include "iter/ph/split.h"
#include "record/record.h"

typedef struct yk_power yk_power;

/* NULL is written if no subsystem is port-Hamiltonian.  Borrows the record. */
yoke_status yk_power_create(yk_power **out, const yk_record *record,
                            yoke_err *err);
void yk_power_free(yk_power *power); /* accepts NULL, as all that follow */

/* The units of plan 0 are others. */
yoke_status yk_power_place(yk_power *power, yoke_err *err);

/* A window that ends at t1 was accepted; x0: initial values of each node. */
void yk_power_window(yk_power *power, double *const *x0, double t1);

/* Nothing is known; what a plan tells; what is known of a run. */
yoke_power yk_power_unknown(void);
void yk_power_plan(yoke_power *out, const yk_split_plan *plan);
bool yk_power_result(const yk_power *power, yoke_power *out);
void yk_power_text(const yk_power *power, char *text, size_t room);

#endif
