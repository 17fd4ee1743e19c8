/* yoke/ssp.h -- SSP packages (System Structure and Parameterization).
 *
 * yoke_file_read reads packages (.ssp) and descriptions (.ssd) as systems
 * (docs/manual/ssp.md); this writes them.
 */
#ifndef YOKE_SSP_H
#define YOKE_SSP_H

#include "yoke/file.h"

YOKE_BEGIN_C

/* Writes a system whose parts are all FMUs as a package: parameters, signals
 * with factors and constants, start and stop time, units.  What SSP has no
 * place for (steps, tolerances, schedules) stands in an annotation that
 * yoke_file_read understands and other programs pass by; what cannot be said at
 * all is refused by name.  `run` may be NULL: the options of the file. */
YOKE_API yoke_status yoke_ssp_write(yoke_file *file,
                                    const yoke_run_options *run,
                                    const char *path, yoke_err *err);

YOKE_END_C

#endif
