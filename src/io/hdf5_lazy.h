/* io/hdf5_lazy.h -- the functions of HDF5, linked or loaded on demand.
 *
 * Later versions than 1.10 rename functions by macros; they are linked.
 */
#ifndef YK_IO_HDF5_LAZY_H
#define YK_IO_HDF5_LAZY_H

#include "base/lazy.h"

#include <hdf5.h>

/* Before anything else of HDF5 in a process. */
yoke_status yk_hdf5_load(yoke_err *err);

#ifdef YOKE_LAZY_HDF5

#if H5_VERSION_GE(1, 11, 0)
#error "configure with -DYOKE_LAZY=OFF: this HDF5 has other names"
#endif

#define YK_HDF5_FUNCTIONS(X)                                                   \
    X(H5Aclose)                                                                \
    X(H5Acreate2)                                                              \
    X(H5Adelete)                                                               \
    X(H5Aexists)                                                               \
    X(H5Aget_space)                                                            \
    X(H5Aget_type)                                                             \
    X(H5Aiterate2)                                                             \
    X(H5Aopen)                                                                 \
    X(H5Aread)                                                                 \
    X(H5Awrite)                                                                \
    X(H5Dclose)                                                                \
    X(H5Dcreate2)                                                              \
    X(H5Dget_create_plist)                                                     \
    X(H5Dget_space)                                                            \
    X(H5Dget_storage_size)                                                     \
    X(H5Dget_type)                                                             \
    X(H5Dopen2)                                                                \
    X(H5Dread)                                                                 \
    X(H5Dset_extent)                                                           \
    X(H5Dwrite)                                                                \
    X(H5Eget_auto2)                                                            \
    X(H5Eset_auto2)                                                            \
    X(H5Ewalk2)                                                                \
    X(H5FDregister)                                                            \
    X(H5FDunregister)                                                          \
    X(H5Fclose)                                                                \
    X(H5Fcreate)                                                               \
    X(H5Fflush)                                                                \
    X(H5Fget_vfd_handle)                                                       \
    X(H5Fopen)                                                                 \
    X(H5Gclose)                                                                \
    X(H5Gcreate2)                                                              \
    X(H5Lexists)                                                               \
    X(H5Lget_info)                                                             \
    X(H5PLset_loading_state)                                                   \
    X(H5Pclose)                                                                \
    X(H5Pcreate)                                                               \
    X(H5Pget_driver_info)                                                      \
    X(H5Pget_external_count)                                                   \
    X(H5Pget_layout)                                                           \
    X(H5Pget_nfilters)                                                         \
    X(H5Pset_chunk)                                                            \
    X(H5Pset_driver)                                                           \
    X(H5Pset_libver_bounds)                                                    \
    X(H5Sclose)                                                                \
    X(H5Screate)                                                               \
    X(H5Screate_simple)                                                        \
    X(H5Sget_simple_extent_dims)                                               \
    X(H5Sget_simple_extent_ndims)                                              \
    X(H5Sget_simple_extent_npoints)                                            \
    X(H5Sselect_hyperslab)                                                     \
    X(H5Tclose)                                                                \
    X(H5Tcopy)                                                                 \
    X(H5Tget_class)                                                            \
    X(H5Tget_size)                                                             \
    X(H5Tis_variable_str)                                                      \
    X(H5Tset_cset)                                                             \
    X(H5Tset_size)

/* clang-format off */
struct yk_hdf5_table {
#define MEMBER(f) __typeof__(f) *f##_;
    YK_HDF5_FUNCTIONS(MEMBER)
#undef MEMBER
    hid_t *native_double, *ieee_f64le, *c_s1, *dataset_create, *file_access;
};
/* clang-format on */

extern struct yk_hdf5_table yk_hdf5_table; /* written once, by yk_hdf5_load */

#define H5Aclose                   (*yk_hdf5_table.H5Aclose_)
#define H5Acreate2                 (*yk_hdf5_table.H5Acreate2_)
#define H5Adelete                  (*yk_hdf5_table.H5Adelete_)
#define H5Aexists                  (*yk_hdf5_table.H5Aexists_)
#define H5Aget_space               (*yk_hdf5_table.H5Aget_space_)
#define H5Aget_type                (*yk_hdf5_table.H5Aget_type_)
#define H5Aiterate2                (*yk_hdf5_table.H5Aiterate2_)
#define H5Aopen                    (*yk_hdf5_table.H5Aopen_)
#define H5Aread                    (*yk_hdf5_table.H5Aread_)
#define H5Awrite                   (*yk_hdf5_table.H5Awrite_)
#define H5Dclose                   (*yk_hdf5_table.H5Dclose_)
#define H5Dcreate2                 (*yk_hdf5_table.H5Dcreate2_)
#define H5Dget_create_plist        (*yk_hdf5_table.H5Dget_create_plist_)
#define H5Dget_space               (*yk_hdf5_table.H5Dget_space_)
#define H5Dget_storage_size        (*yk_hdf5_table.H5Dget_storage_size_)
#define H5Dget_type                (*yk_hdf5_table.H5Dget_type_)
#define H5Dopen2                   (*yk_hdf5_table.H5Dopen2_)
#define H5Dread                    (*yk_hdf5_table.H5Dread_)
#define H5Dset_extent              (*yk_hdf5_table.H5Dset_extent_)
#define H5Dwrite                   (*yk_hdf5_table.H5Dwrite_)
#define H5Eget_auto2               (*yk_hdf5_table.H5Eget_auto2_)
#define H5Eset_auto2               (*yk_hdf5_table.H5Eset_auto2_)
#define H5Ewalk2                   (*yk_hdf5_table.H5Ewalk2_)
#define H5FDregister               (*yk_hdf5_table.H5FDregister_)
#define H5FDunregister             (*yk_hdf5_table.H5FDunregister_)
#define H5Fclose                   (*yk_hdf5_table.H5Fclose_)
#define H5Fcreate                  (*yk_hdf5_table.H5Fcreate_)
#define H5Fflush                   (*yk_hdf5_table.H5Fflush_)
#define H5Fget_vfd_handle          (*yk_hdf5_table.H5Fget_vfd_handle_)
#define H5Fopen                    (*yk_hdf5_table.H5Fopen_)
#define H5Gclose                   (*yk_hdf5_table.H5Gclose_)
#define H5Gcreate2                 (*yk_hdf5_table.H5Gcreate2_)
#define H5Lexists                  (*yk_hdf5_table.H5Lexists_)
#define H5Lget_info                (*yk_hdf5_table.H5Lget_info_)
#define H5PLset_loading_state      (*yk_hdf5_table.H5PLset_loading_state_)
#define H5Pclose                   (*yk_hdf5_table.H5Pclose_)
#define H5Pcreate                  (*yk_hdf5_table.H5Pcreate_)
#define H5Pget_driver_info         (*yk_hdf5_table.H5Pget_driver_info_)
#define H5Pget_external_count      (*yk_hdf5_table.H5Pget_external_count_)
#define H5Pget_layout              (*yk_hdf5_table.H5Pget_layout_)
#define H5Pget_nfilters            (*yk_hdf5_table.H5Pget_nfilters_)
#define H5Pset_chunk               (*yk_hdf5_table.H5Pset_chunk_)
#define H5Pset_driver              (*yk_hdf5_table.H5Pset_driver_)
#define H5Pset_libver_bounds       (*yk_hdf5_table.H5Pset_libver_bounds_)
#define H5Sclose                   (*yk_hdf5_table.H5Sclose_)
#define H5Screate                  (*yk_hdf5_table.H5Screate_)
#define H5Screate_simple           (*yk_hdf5_table.H5Screate_simple_)
#define H5Sget_simple_extent_dims  (*yk_hdf5_table.H5Sget_simple_extent_dims_)
#define H5Sget_simple_extent_ndims (*yk_hdf5_table.H5Sget_simple_extent_ndims_)
#define H5Sget_simple_extent_npoints                                           \
    (*yk_hdf5_table.H5Sget_simple_extent_npoints_)
#define H5Sselect_hyperslab (*yk_hdf5_table.H5Sselect_hyperslab_)
#define H5Tclose            (*yk_hdf5_table.H5Tclose_)
#define H5Tcopy             (*yk_hdf5_table.H5Tcopy_)
#define H5Tget_class        (*yk_hdf5_table.H5Tget_class_)
#define H5Tget_size         (*yk_hdf5_table.H5Tget_size_)
#define H5Tis_variable_str  (*yk_hdf5_table.H5Tis_variable_str_)
#define H5Tset_cset         (*yk_hdf5_table.H5Tset_cset_)
#define H5Tset_size         (*yk_hdf5_table.H5Tset_size_)

/* Constants call these; the library is open by then. */
#undef H5CHECK
#undef H5OPEN
#define H5CHECK
#define H5OPEN
#undef H5T_NATIVE_DOUBLE
#undef H5T_IEEE_F64LE
#undef H5T_C_S1
#undef H5P_DATASET_CREATE
#undef H5P_FILE_ACCESS
#define H5T_NATIVE_DOUBLE  (*yk_hdf5_table.native_double)
#define H5T_IEEE_F64LE     (*yk_hdf5_table.ieee_f64le)
#define H5T_C_S1           (*yk_hdf5_table.c_s1)
#define H5P_DATASET_CREATE (*yk_hdf5_table.dataset_create)
#define H5P_FILE_ACCESS    (*yk_hdf5_table.file_access)

#endif
#endif
