/* comp/fmu/kinds.h -- what an FMU can be used for, and how it is built. */
#ifndef YK_FMU_KINDS_H
#define YK_FMU_KINDS_H

#include "comp/fmu/xml.h"

/* Model exchange and co-simulation; one of them must be there. */
yoke_status yk_fmu_read_kinds(yk_fmu_description *d, const yk_xml *root,
                              yoke_err *err);

/* comp/fmu/bounds.c: a value of the type of v, if the attribute is there. */
yoke_status yk_fmu_read_bound(yk_fmu_description *d, const yk_xml *at,
                              const char *name, const yk_fmu_variable *v,
                              double *out, yoke_err *err);
/* The same of its start, as many as there are elements (or one for all). */
yoke_status yk_fmu_check_start(yk_fmu_description *d, yk_fmu_variable *v,
                               yoke_err *err);

#endif
