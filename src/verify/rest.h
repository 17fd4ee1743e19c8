/* verify/rest.h -- runs that rest where nothing holds them. */
#ifndef YK_REST_H
#define YK_REST_H

#include "model/point.h"
#include "record/record.h"

/* A remark if nothing has moved from the initial values up to t though
 * something grows. */
yoke_status yk_rest_note(yk_record *record, const yk_first_point *initial,
                         double t, yoke_err *err);

#endif
