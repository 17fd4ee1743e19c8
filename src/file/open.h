/* file/open.h -- inputs of a whole system. */
#ifndef YK_FILE_OPEN_H
#define YK_FILE_OPEN_H

#include "file/reader.h"

/* The subsystem that they are outputs of. */
#define YK_OPEN_NAME "inputs"

typedef struct yk_open yk_open;

/* The section `inputs`, which may be NULL. */
yoke_status yk_file_open(yk_reader *r, const yk_yaml *map, yoke_err *err);
void yk_open_free(yk_open *open); /* accepts NULL */

#endif
