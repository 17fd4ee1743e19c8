/* comp/mechanism/read.h -- what the readers of mechanisms share. */
#ifndef YK_MECHANISM_READ_H
#define YK_MECHANISM_READ_H

#include "comp/mechanism/masses.h"
#include "file/component.h"
#include "yoke/mechanism.h"

/* The keys `formulation` and `eta`. */
yoke_status yk_read_formulation(const yk_reader *r, const yk_yaml *map,
                                const yk_unit_scope *scope, double preset,
                                yoke_formulation *formulation, double *eta,
                                yoke_err *err);

/* Masses and springs as a port-Hamiltonian system (masses_ph.c). */
yoke_status yk_masses_ph(const char *name, const yk_masses *given,
                         yoke_system **out, yoke_err *err);

#endif
