/* exec/gate.h -- may a job go on?
 *
 * Long jobs ask between two steps.  The question of the user ("stop?") is asked
 * by one thread at a time, whatever their number; the answer true holds for all
 * jobs of the batch.  A job behind one that failed for good is stopped, too.
 */
#ifndef YK_EXEC_GATE_H
#define YK_EXEC_GATE_H

#include <stdatomic.h>
#include <stdbool.h>

typedef struct yk_gate {
    bool (*stop)(void *context); /* or NULL: never */
    void *context;
    atomic_flag asking;
    atomic_bool stopped;
    atomic_int failed; /* lowest index of a job that failed for good */
} yk_gate;

void yk_gate_open(yk_gate *gate, bool (*stop)(void *context), void *context);

/* True: the job of this thread must end.  `gate` is a yk_gate, for the `stop`
 * of steppers. */
bool yk_gate_stops(void *gate);

/* For executors: a batch begins; job `index` failed for good; this thread begins
 * with job `index` of a batch with others, or ends with it (-1). */
void yk_gate_begin(yk_gate *gate);
void yk_gate_fail(yk_gate *gate, int index);
bool yk_gate_closed(const yk_gate *gate, int index);
void yk_gate_enter(int index);

#endif
