/* comp/mechanism/kernel.h -- the weights of a contact that moves on a grid. */
#ifndef YK_KERNEL_H
#define YK_KERNEL_H

#include "base/base.h"

/* At the nodes x_j = j dx, first <= j < first + count, j from 1 on:
 * phi = B5((x_j - xp)/width)/width and its first two derivatives by time. */
typedef struct yk_kernel {
    double dx, width, x0, speed;
    int nodes;
    int first, count;
    double t; /* at which the values are */
    double *phi, *rate, *bend;
} yk_kernel;

yoke_status yk_kernel_create(yk_kernel *kernel, double dx, int nodes,
                             double width, double x0, double speed,
                             yoke_err *err);
void yk_kernel_free(yk_kernel *kernel);

/* The values at time t; nothing to do if they are there. */
void yk_kernel_move(yk_kernel *kernel, double t);

#endif
