/* base/process.h -- runs another program to its end. */
#ifndef YK_PROCESS_H
#define YK_PROCESS_H

#include "base/base.h"

/* word[0] is looked for in the path; the list ends with NULL; no shell is
 * involved.  What the program writes goes to the file `message`.  Failures are
 * YOKE_E_MISSING: `what`, the program, and the first line it wrote that speaks
 * of an error, or else the first one. */
yoke_status yk_process_run(const char *what, char *const *word,
                           const char *message, yoke_err *err);

#endif
