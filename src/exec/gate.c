/* exec/gate.c -- may a job go on? */
#include "exec/gate.h"

#include <limits.h>

/* The job that this thread runs at once with others, or -1.  It belongs to the
 * thread as its stack does: a stepper that asks knows nothing of batches. */
static _Thread_local int own = -1;

void yk_gate_open(yk_gate *gate, bool (*stop)(void *context), void *context)
{
    gate->stop = stop;
    gate->context = context;
    atomic_flag_clear(&gate->asking);
    atomic_store(&gate->stopped, false);
    atomic_store(&gate->failed, INT_MAX);
}

bool yk_gate_stops(void *self)
{
    yk_gate *gate = self;

    if (own < 0) return gate->stop && gate->stop(gate->context);
    if (yk_gate_closed(gate, own)) return true;
    if (!gate->stop) return false;
    if (atomic_load(&gate->stopped)) return true;
    if (atomic_flag_test_and_set(&gate->asking)) return false;
    const bool stops = gate->stop(gate->context);
    if (stops) atomic_store(&gate->stopped, true);
    atomic_flag_clear(&gate->asking);
    return stops;
}

void yk_gate_begin(yk_gate *gate)
{
    atomic_store(&gate->stopped, false);
    atomic_store(&gate->failed, INT_MAX);
}

void yk_gate_fail(yk_gate *gate, int index)
{
    int before = atomic_load(&gate->failed);

    while (index < before)
        if (atomic_compare_exchange_weak(&gate->failed, &before, index)) return;
}

bool yk_gate_closed(const yk_gate *gate, int index)
{
    return atomic_load(&gate->failed) < index;
}

void yk_gate_enter(int index)
{
    own = index;
}
