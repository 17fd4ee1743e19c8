/* comp/fmu/rates.h -- derivatives of outputs that an FMU declares. */
#ifndef YK_FMU_RATES_H
#define YK_FMU_RATES_H

#include "comp/fmu/engine.h"
#include "file/reader.h"

/* Does the FMU say of any of these signals what its derivative is? */
bool yk_fmu_has_rates(const yk_fmu_description *d, const yk_fmu_signals *list);

/* Those that are wished for of this part become signals behind the others:
 * "x.v", and "x.a" for the second derivative of x. */
yoke_status yk_fmu_add_rates(const yk_fmu_description *d,
                             const yk_file_rates *wishes, const char *part,
                             yk_fmu_signals *list, yoke_err *err);

#endif
