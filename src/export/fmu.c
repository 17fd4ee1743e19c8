/* export/fmu.c -- a system as a co-simulation FMU. */
#include "base/base.h"
#include "yoke/export.h"

yoke_status yoke_export_fmu(yoke_file *file, const char *path, const char *out,
                            const yoke_export_options *options, yoke_err *err)
{
    (void)file;
    (void)path;
    (void)options;
    return yk_fail(err, YOKE_E_MISSING,
                   "%.300s: this program cannot write FMUs yet", out);
}
