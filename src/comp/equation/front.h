/* comp/equation/front.h -- the front end: text becomes a flat model. */
#ifndef YK_FRONT_H
#define YK_FRONT_H

#include "comp/equation/flat.h"
#include "yoke/equation.h"

/* Reads text into a flat model.  `options` may be NULL. */
yoke_status yk_equation_front(yk_flat **out, const char *path, const char *text,
                              size_t length,
                              const yoke_equation_options *options,
                              yoke_err *err);

#endif
