/* comp/fmu/kinds.h -- what an FMU can be used for, and how it is built. */
#ifndef YK_FMU_KINDS_H
#define YK_FMU_KINDS_H

#include "comp/fmu/xml.h"

/* Model exchange and co-simulation; one of them must be there. */
yoke_status yk_fmu_read_kinds(yk_fmu_description *d, const yk_xml *root,
                              yoke_err *err);

#endif
