/* python/src/part.h -- the inside of a core_part, for part.c and jacobian.c. */
#ifndef CORE_PART_H
#define CORE_PART_H

#include "core.h"

enum { CORE_MATRICES = 6 }; /* C G Cu Gu Hx Hu */

typedef struct core_function {
    PyObject *call; /* borrowed; NULL: none */
    int args;       /* 2: without u */
} core_function;

typedef struct core_vector {
    PyObject *array;
    int count;
} core_vector;

struct core_part {
    core_function rhs, residual, output, jacobian, output_jacobian, indicate,
        apply, next_break;
    int n, m, p, events;
    core_vector x, u;
    yoke_pattern *pattern[CORE_MATRICES];
    double *work; /* differences: two results, x or u */
    const double *breaks;
    int break_count;
    double *memory;
    size_t memory_bytes;
    char *name;
    PyObject *error;
    char failure[YOKE_ERR_SIZE]; /* its text, with part and time */
    bool fatal;
    bool compared; /* rhs or residual was called twice at one point */
    yoke_system_ops ops;
    yoke_event_ops event;
};

/* Calls a function; NULL: an exception is set.  `more`, which may be NULL, is a
 * last argument.  The interpreter is held. */
PyObject *core_invoke(core_part *p, const core_function *f, double t,
                      const double *x, const double *u, PyObject *more);

/* The same, and takes `count` numbers of what it returned; false: an exception is
 * set. */
bool core_numbers(core_part *p, const core_function *f, double t,
                  const double *x, const double *u, PyObject *more, int count,
                  double *out, const char *what);

/* Keeps the exception that is set; what it means for the stepper. */
yoke_status core_failed(core_part *p, double t, const char *what,
                        yoke_err *err);

/* What every call says after a failure for good. */
yoke_status core_after_failure(const core_part *p, yoke_err *err);

/* yoke_system_ops.jacobian */
yoke_status core_on_jacobian(void *self, double t, const double *x,
                             const double *u, const yoke_jacobian *jac,
                             yoke_err *err);

#endif
