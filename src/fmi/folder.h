/* fmi/folder.h -- where the resources of an FMU are. */
#ifndef YK_FMI_FOLDER_H
#define YK_FMI_FOLDER_H

#include "base/base.h"

/* From a URI, file:///tmp/x/resources (FMI 2), or a path (FMI 3), which may be
 * NULL or "": beside the folder of the binary.  Without a slash at its end. */
yoke_status yk_fmi_folder(const char *given, char *out, size_t room,
                          yoke_err *err);

#endif
