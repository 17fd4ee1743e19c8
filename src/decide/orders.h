/* decide/orders.h -- the orders in which a few clusters may run. */
#ifndef YK_ORDERS_H
#define YK_ORDERS_H

#include "base/base.h"

/* Up to so many clusters all orders are tried. */
enum { YK_ALL_ORDERS = 6, YK_MOST_ORDERED = 32 };

/* How good an order is: less is better. */
typedef yoke_status (*yk_order_judge)(void *context, const int *order,
                                      double *value, yoke_err *err);

/* Judges all orders of order[0 .. n-1], or, if they are many, those found by
 * exchanging two at a time as long as that helps.  Does nothing for more than
 * YK_MOST_ORDERED. */
yoke_status yk_orders_try(int n, int *order, yk_order_judge judge,
                          void *context, yoke_err *err);

#endif
