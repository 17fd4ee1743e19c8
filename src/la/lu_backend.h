/* la/lu_backend.h -- what la/lu.c chooses from. */
#ifndef YK_LU_BACKEND_H
#define YK_LU_BACKEND_H

#include "la/lu.h"

typedef struct yk_lu_ops {
    yoke_status (*create)(void **out, const yoke_pattern *pattern,
                          bool is_complex, yoke_err *err);
    yoke_status (*factor)(void *self, const double *value, int *column,
                          yoke_err *err);
    yoke_status (*solve)(void *self, double *b, yoke_err *err);
    double (*rcond)(void *self);
    void (*free)(void *self);
} yk_lu_ops;

extern const yk_lu_ops yk_lu_dense_ops;
extern const yk_lu_ops yk_lu_klu_ops;

#endif
