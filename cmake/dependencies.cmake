# Foreign libraries.  Each is used by one file of the library.

# What cannot be done without is asked for by the name of its Debian package.
function(yoke_missing what package)
    message(FATAL_ERROR "${what} was not found.  On Debian: apt-get install "
        "${package}, or all that is needed at once: sh tools/setup.sh run")
endfunction()

macro(yoke_library variable package)
    find_library(${variable} NAMES ${ARGN})
    if(NOT ${variable})
        yoke_missing("The library ${ARGN}" ${package})
    endif()
endmacro()

# A library that is loaded when it is needed first (base/lazy.h): its files get a
# macro with its name, nothing links it but the tests.  Without YOKE_LAZY, or where
# its name is not known, it is linked like any other.
option(YOKE_LAZY "Load HDF5, libxml2 and libzip on demand" ON)
set(YOKE_LAZY_LIBRARIES)
set(YOKE_LAZY_PACKAGES)
function(yoke_lazy macro libraries)
    list(GET libraries 0 first)
    set(name "")
    if(YOKE_LAZY AND CMAKE_READELF)
        execute_process(COMMAND ${CMAKE_READELF} -d ${first}
            OUTPUT_VARIABLE text ERROR_QUIET)
        if(text MATCHES "SONAME[^[]*\\[([^]]+)\\]")
            set(name ${CMAKE_MATCH_1})
        endif()
    endif()
    if(NOT name)
        set(YOKE_LIBRARIES ${YOKE_LIBRARIES} ${libraries} PARENT_SCOPE)
        return()
    endif()
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_DEFINITIONS
        "${macro}=\"${name}\"")
    set(YOKE_LAZY_LIBRARIES ${YOKE_LAZY_LIBRARIES} ${libraries} PARENT_SCOPE)
    # A Debian package depends on it all the same.
    execute_process(COMMAND sh -c "dpkg-query -S '*/${name}' 2>/dev/null"
        OUTPUT_VARIABLE owner ERROR_QUIET)
    if(owner MATCHES "^([^:\n]+)")
        set(YOKE_LAZY_PACKAGES ${YOKE_LAZY_PACKAGES} ${CMAKE_MATCH_1}
            PARENT_SCOPE)
    endif()
endfunction()

find_package(PkgConfig QUIET)
if(NOT PKG_CONFIG_FOUND)
    yoke_missing(pkg-config pkg-config)
endif()
set(YOKE_DEFINITIONS)
set(YOKE_INCLUDES)
# dlopen (comp/equation/code/code_c.c).
find_package(Threads REQUIRED)
set(YOKE_LIBRARIES m ${CMAKE_DL_LIBS} Threads::Threads)

# SuiteSparse: KLU (la/lu_klu.c), BTF (la/pattern.c), CHOLMOD (la/cholesky.c), its
# memory (la/foreign.c).
yoke_library(KLU_LIBRARY libsuitesparse-dev klu)
yoke_library(BTF_LIBRARY libsuitesparse-dev btf)
yoke_library(SUITESPARSE_LIBRARY libsuitesparse-dev suitesparseconfig)
yoke_library(CHOLMOD_LIBRARY libsuitesparse-dev cholmod)
find_path(KLU_INCLUDE suitesparse/klu.h)
if(NOT KLU_INCLUDE)
    yoke_missing("suitesparse/klu.h" libsuitesparse-dev)
endif()
list(APPEND YOKE_LIBRARIES ${KLU_LIBRARY} ${BTF_LIBRARY} ${SUITESPARSE_LIBRARY}
    ${CHOLMOD_LIBRARY})

# LAPACK through OpenBLAS (la/dense.c).
yoke_library(LAPACKE_LIBRARY liblapacke-dev lapacke)
yoke_library(LAPACK_LIBRARY libopenblas-dev lapack openblas)
list(APPEND YOKE_LIBRARIES ${LAPACKE_LIBRARY} ${LAPACK_LIBRARY})

# libyaml (file/yaml.c).
pkg_check_modules(YAML yaml-0.1)
if(NOT YAML_FOUND)
    yoke_missing(libyaml libyaml-dev)
endif()
list(APPEND YOKE_INCLUDES ${YAML_INCLUDE_DIRS})
list(APPEND YOKE_LIBRARIES ${YAML_LINK_LIBRARIES})

# FMUs: libxml2 (comp/fmu/xml.c), libzip (comp/fmu/archive.c).
pkg_check_modules(XML libxml-2.0)
if(NOT XML_FOUND)
    yoke_missing(libxml2 libxml2-dev)
endif()
pkg_check_modules(ZIP libzip)
if(NOT ZIP_FOUND)
    yoke_missing(libzip libzip-dev)
endif()
list(APPEND YOKE_INCLUDES ${XML_INCLUDE_DIRS} ${ZIP_INCLUDE_DIRS})
yoke_lazy(YOKE_LAZY_XML "${XML_LINK_LIBRARIES}" src/comp/fmu/xml.c)
yoke_lazy(YOKE_LAZY_ZIP "${ZIP_LINK_LIBRARIES}" src/comp/fmu/archive.c)

# SUNDIALS (step/method/ida.c).
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
        list(APPEND YOKE_DEFINITIONS YOKE_HAVE_HDF5=1)
        if(HDF5_VERSION AND HDF5_VERSION VERSION_LESS 1.11)
            yoke_lazy(YOKE_LAZY_HDF5 "${HDF5_LINK_LIBRARIES}" src/io/hdf5.c
                src/io/hdf5_read.c src/io/hdf5_drive.c src/io/hdf5_lazy.c)
        else()
            list(APPEND YOKE_LIBRARIES ${HDF5_LINK_LIBRARIES})
        endif()
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

# MPI (mpi/link.c): not for the library, only for the program yoke-mpi.
set(YOKE_MPI_FOUND FALSE)
if(YOKE_WITH_MPI)
    pkg_check_modules(YOKE_OMPI ompi-c)
    if(YOKE_OMPI_FOUND)
        set(YOKE_MPI_FOUND TRUE)
        set(YOKE_MPI_INCLUDES ${YOKE_OMPI_INCLUDE_DIRS})
        set(YOKE_MPI_LIBRARIES ${YOKE_OMPI_LINK_LIBRARIES})
    else()
        find_package(MPI QUIET COMPONENTS C)
        if(MPI_C_FOUND)
            set(YOKE_MPI_FOUND TRUE)
            set(YOKE_MPI_INCLUDES ${MPI_C_INCLUDE_DIRS})
            set(YOKE_MPI_LIBRARIES ${MPI_C_LIBRARIES})
        endif()
    endif()
    if(NOT YOKE_MPI_FOUND AND NOT YOKE_WITH_MPI STREQUAL AUTO)
        message(FATAL_ERROR "MPI (libopenmpi-dev) was not found")
    elseif(NOT YOKE_MPI_FOUND)
        message(STATUS "MPI not found: no program yoke-mpi")
    endif()
endif()
