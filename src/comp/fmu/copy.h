/* comp/fmu/copy.h -- questions that are answered in a copy of the process.
 *
 * What an FMU does there is not seen here, whatever it is: it may crash, hang, or
 * end the process.
 */
#ifndef YK_FMU_COPY_H
#define YK_FMU_COPY_H

#include <stdbool.h>

/* May the process be copied?  Threads would be lost. */
bool yk_fmu_can_copy(void);

/* What `ask` returns in a copy, 1 to 9 (memory that is shared may hold more); 0
 * also if there is no answer within some seconds. */
int yk_fmu_ask_copy(int (*ask)(void *context), void *context, int seconds);

#endif
