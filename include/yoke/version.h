/* yoke/version.h -- the version of the library. */
#ifndef YOKE_VERSION_H
#define YOKE_VERSION_H

#include "yoke/status.h"

#define YOKE_VERSION "1.0.0"

YOKE_BEGIN_C

/* The version the library was built as; compare it with YOKE_VERSION. */
YOKE_API const char *yoke_version(void);

YOKE_END_C

#endif
