/* decide/orders.c -- the orders in which a few clusters may run. */
#include "decide/orders.h"

#include "decide/policy.h"

#include <math.h>

static void swap(int *a, int *b)
{
    const int c = *a;

    *a = *b;
    *b = c;
}

/* All orders of the entries from k on, by exchanging. */
static yoke_status all_orders(int n, int *order, int k, yk_order_judge judge,
                              void *context, yoke_err *err)
{
    double value = 0.0;

    if (k == n) return judge(context, order, &value, err);
    for (int i = k; i < n; i++) {
        swap(&order[k], &order[i]);
        YK_TRY(all_orders(n, order, k + 1, judge, context, err));
        swap(&order[k], &order[i]);
    }
    return YOKE_OK;
}

static yoke_status improve(int n, int *order, yk_order_judge judge,
                           void *context, yoke_err *err)
{
    double best = INFINITY, value = 0.0;
    bool better = true;

    YK_TRY(judge(context, order, &best, err));
    while (better) {
        better = false;
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++) {
                swap(&order[i], &order[j]);
                YK_TRY(judge(context, order, &value, err));
                if (value < best * (1.0 - YK_DECIDE_SAME_RADIUS)) {
                    best = value;
                    better = true;
                } else
                    swap(&order[i], &order[j]);
            }
    }
    return YOKE_OK;
}

yoke_status yk_orders_try(int n, int *order, yk_order_judge judge,
                          void *context, yoke_err *err)
{
    if (n > YK_MOST_ORDERED) return YOKE_OK;
    return n <= YK_ALL_ORDERS ? all_orders(n, order, 0, judge, context, err)
                              : improve(n, order, judge, context, err);
}
