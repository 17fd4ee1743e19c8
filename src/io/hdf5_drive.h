/* io/hdf5_drive.h -- HDF5 over io/pages.h. */
#ifndef YK_IO_HDF5_DRIVE_H
#define YK_IO_HDF5_DRIVE_H

#include "io/hdf5_lazy.h"

/* How files are opened: our driver, the format of version 1.8 and no locks.
 * That format has no limit of 64 KiB on the list of names, and no mark that
 * makes a file unreadable after a crash.  Without locks a file can be read
 * while a run writes it.  Close with H5Pclose.  Where opening fails for lack of
 * memory or a reason of the system, *code becomes its number of errno. */
hid_t yk_hdf5_access(int *code);

/* The same for a file that was written and goes on to be. */
hid_t yk_hdf5_access_again(int *code);

/* Memory for changes of so many bytes: io/pages.h.  0 or a number of errno. */
int yk_hdf5_prepare(hid_t file, size_t bytes);

/* Everything that HDF5 has written so far reaches the disk; after H5Fflush.  0
 * or a number of errno: then the file stays as it was, now and later. */
int yk_hdf5_commit(hid_t file);

/* The descriptor of the file, or -1. */
int yk_hdf5_descriptor(hid_t file);

/* The number of errno of the first write that failed, or 0. */
int yk_hdf5_failure(hid_t file);

#endif
