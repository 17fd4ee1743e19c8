/* base/beside.h -- files that are installed with the library. */
#ifndef YK_BESIDE_H
#define YK_BESIDE_H

#include "base/base.h"

/* The path of a file beside the library, or where it is installed with it, that
 * `mode` (of access) is permitted for.  YOKE_E_MISSING: there is none; the text
 * names the file and the library, and ends with `hint`. */
yoke_status yk_beside(const char *name, int mode, const char *hint, char *path,
                      size_t room, yoke_err *err);

#endif
