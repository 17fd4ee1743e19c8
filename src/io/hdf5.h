/* io/hdf5.h -- shared by what writes and what reads HDF5. */
#ifndef YK_IO_HDF5_H
#define YK_IO_HDF5_H

#include "io/format.h"
#include "io/hdf5_lazy.h"

/* The library prints nothing: HDF5's printing is off while we are in it. */
typedef struct yk_hdf5_printing {
    H5E_auto2_t function;
    void *data;
} yk_hdf5_printing;

yk_hdf5_printing yk_hdf5_silence(void);
void yk_hdf5_restore(yk_hdf5_printing before);

/* With HDF5's own message; before its next call.  YOKE_E_MEMORY if errno says
 * so since yk_hdf5_silence, otherwise YOKE_E_FILE. */
yoke_status yk_hdf5_fail(const char *path, const char *what, yoke_err *err);

#endif
