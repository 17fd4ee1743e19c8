/* io/hdf5_lazy.c -- HDF5 is loaded when it is needed first. */
#include "io/writer.h"

#ifdef YOKE_HAVE_HDF5
#include "io/hdf5_lazy.h"

#ifdef YOKE_LAZY_HDF5
#include <pthread.h>

struct yk_hdf5_table yk_hdf5_table;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static yoke_err missing;

static void load(void)
{
    static herr_t (*open)(void);
    struct yk_hdf5_table *t = &yk_hdf5_table;
#define ROW(f) { #f, &t->f##_ },
    const yk_lazy_name list[] = {
        YK_HDF5_FUNCTIONS(ROW){ "H5open", &open },
        { "H5T_NATIVE_DOUBLE_g", &t->native_double },
        { "H5T_IEEE_F64LE_g", &t->ieee_f64le },
        { "H5T_C_S1_g", &t->c_s1 },
        { "H5P_CLS_DATASET_CREATE_ID_g", &t->dataset_create },
        { "H5P_CLS_FILE_ACCESS_ID_g", &t->file_access },
    };
#undef ROW

    missing.status = yk_lazy_load(YOKE_LAZY_HDF5, list,
                                  (int)(sizeof list / sizeof *list), &missing);
    if (missing.status == YOKE_OK && open() < 0)
        missing.status =
            yk_fail(&missing, YOKE_E_MISSING, "HDF5 does not start");
}

yoke_status yk_hdf5_load(yoke_err *err)
{
    pthread_once(&once, load);
    if (missing.status != YOKE_OK && err) *err = missing;
    return missing.status;
}

#else

yoke_status yk_hdf5_load(yoke_err *err)
{
    (void)err;
    return YOKE_OK;
}

#endif

void yk_writer_prepare(void)
{
    (void)yk_hdf5_load(NULL);
}

#else

void yk_writer_prepare(void)
{
}

#endif
