/* iter/resize.h -- how long the next window should be. */
#ifndef YK_RESIZE_H
#define YK_RESIZE_H

#include <stdbool.h>

/* The search for the length with the least work per unit of time. */
typedef struct yk_resize {
    double length;      /* of the next window */
    double least, most; /* bounds */
    double factor;      /* of the next change of length */
    double cost;        /* work per time of the window before; NAN: none */
    int rest;           /* windows to wait before the next change */
} yk_resize;

void yk_resize_begin(yk_resize *r, double first, double least, double most);

/* A window of `length` was accepted after `work`, rejected attempts included.
 */
void yk_resize_accept(yk_resize *r, double length, double work);

/* A window of `length` was rejected. */
void yk_resize_reject(yk_resize *r, double length);

/* The end of the window that begins at t: the rest up to `end` is divided into
 * equal windows, so that none is a sliver. */
double yk_resize_end(const yk_resize *r, double t, double end);

#endif
