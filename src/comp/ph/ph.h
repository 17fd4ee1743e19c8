/* comp/ph/ph.h -- the inside of a port-Hamiltonian system. */
#ifndef YK_PH_H
#define YK_PH_H

#include "sys/linear.h"
#include "yoke/optional.h"
#include "yoke/ph.h"

/* E, B, G, A = (J - R) Q and H = B'Q are those of the linear system. */
typedef struct yk_ph {
    yk_linear linear;
    yk_sparse J, R, Q;
    yoke_ports ports;
} yk_ph;

/* comp/ph/verify.c: the structure, entry by entry. */
yoke_status yk_ph_verify(const yk_ph *ph, const char *const *x_name,
                         yoke_err *err);

/* Refuses entries that are not finite. */
yoke_status yk_ph_finite(const char *what, const yoke_matrix *m, yoke_err *err);

/* A matrix in the text of a Matrix Market file: coordinate or array, real or
 * integer, general, symmetric or skew-symmetric.  *pattern and *value are the
 * caller's to free, with yoke_pattern_free and yk_free.  Refusals
 * begin with the line. */
yoke_status yk_ph_read_matrix(yoke_pattern **pattern, double **value,
                              const char *text, size_t length, yoke_err *err);

#endif
