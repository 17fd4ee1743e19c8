/* yoke/fmu.h -- FMUs (Functional Mock-up Units, FMI 2.0 and 3.0).
 *
 * In system files they are subsystems (docs/manual/fmu.md); a file of its own
 * is read by yoke_file_read as well.
 */
#ifndef YOKE_FMU_H
#define YOKE_FMU_H

#include "yoke/status.h"

YOKE_BEGIN_C

/* What is in an FMU, line by line: what it can do, its variables. */
YOKE_API yoke_status yoke_fmu_info(const char *path,
                                   void (*line)(void *context,
                                                const char *text),
                                   void *context, yoke_err *err);

YOKE_END_C

#endif
