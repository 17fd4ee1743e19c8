# Foreign libraries.  Each is used by one file of the library.
find_package(PkgConfig REQUIRED)
set(YOKE_DEFINITIONS)
set(YOKE_INCLUDES)
# dlopen (comp/equation/code_c.c).
set(YOKE_LIBRARIES m ${CMAKE_DL_LIBS})

# SuiteSparse: KLU (la/lu_klu.c), BTF (la/pattern.c), CHOLMOD (la/cholesky.c).
find_library(KLU_LIBRARY klu REQUIRED)
find_library(BTF_LIBRARY btf REQUIRED)
find_library(CHOLMOD_LIBRARY cholmod REQUIRED)
find_path(KLU_INCLUDE suitesparse/klu.h REQUIRED)
list(APPEND YOKE_LIBRARIES ${KLU_LIBRARY} ${BTF_LIBRARY}
    ${CHOLMOD_LIBRARY})

# LAPACK through OpenBLAS (la/dense.c).
find_library(LAPACKE_LIBRARY lapacke REQUIRED)
find_library(LAPACK_LIBRARY NAMES lapack openblas REQUIRED)
list(APPEND YOKE_LIBRARIES ${LAPACKE_LIBRARY} ${LAPACK_LIBRARY})

# libyaml (sim/yaml.c).
pkg_check_modules(YAML REQUIRED yaml-0.1)
list(APPEND YOKE_INCLUDES ${YAML_INCLUDE_DIRS})
list(APPEND YOKE_LIBRARIES ${YAML_LINK_LIBRARIES})

# SUNDIALS (step/ida.c).
if(YOKE_WITH_SUNDIALS)
    find_library(IDA_LIBRARY sundials_ida)
    find_library(NVEC_LIBRARY sundials_nvecserial)
    find_library(SUNKLU_LIBRARY sundials_sunlinsolklu)
    find_library(SUNMATRIX_LIBRARY sundials_sunmatrixsparse)
    find_path(IDA_INCLUDE ida/ida.h)
    if(IDA_LIBRARY AND NVEC_LIBRARY AND SUNKLU_LIBRARY AND IDA_INCLUDE)
        set(YOKE_SUNDIALS_LIBRARIES ${IDA_LIBRARY} ${SUNKLU_LIBRARY}
            ${SUNMATRIX_LIBRARY} ${NVEC_LIBRARY})
        list(APPEND YOKE_LIBRARIES ${YOKE_SUNDIALS_LIBRARIES})
        list(APPEND YOKE_DEFINITIONS YOKE_HAVE_SUNDIALS=1)
    elseif(NOT YOKE_WITH_SUNDIALS STREQUAL AUTO)
        message(FATAL_ERROR "SUNDIALS (libsundials-dev) was not found")
    else()
        message(STATUS "SUNDIALS not found: no stepper `ida`")
    endif()
endif()

# HDF5 (io/hdf5.c).
if(YOKE_WITH_HDF5)
    pkg_check_modules(HDF5 hdf5-serial)
    if(NOT HDF5_FOUND)
        pkg_check_modules(HDF5 hdf5)
    endif()
    if(HDF5_FOUND)
        list(APPEND YOKE_INCLUDES ${HDF5_INCLUDE_DIRS})
        list(APPEND YOKE_LIBRARIES ${HDF5_LINK_LIBRARIES})
        list(APPEND YOKE_DEFINITIONS YOKE_HAVE_HDF5=1)
    elseif(NOT YOKE_WITH_HDF5 STREQUAL AUTO)
        message(FATAL_ERROR "HDF5 (libhdf5-dev) was not found")
    else()
        message(STATUS "HDF5 not found: results as CSV only")
    endif()
endif()

# METIS (la/bisect.c).
if(YOKE_WITH_METIS)
    find_library(METIS_LIBRARY metis)
    find_path(METIS_INCLUDE metis.h)
    if(METIS_LIBRARY AND METIS_INCLUDE)
        list(APPEND YOKE_INCLUDES ${METIS_INCLUDE})
        list(APPEND YOKE_LIBRARIES ${METIS_LIBRARY})
        list(APPEND YOKE_DEFINITIONS YOKE_HAVE_METIS=1)
    elseif(NOT YOKE_WITH_METIS STREQUAL AUTO)
        message(FATAL_ERROR "METIS (libmetis-dev) was not found")
    else()
        message(STATUS "METIS not found: no `partition auto` of netlists")
    endif()
endif()
