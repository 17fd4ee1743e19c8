# The binary of exported FMUs: the library in one file that needs nothing but
# the C library.  Objects that would need more have a substitute in src/fmi;
# since those come first, the archive's are not taken.
find_library(KLU_STATIC libklu.a)
find_library(BTF_STATIC libbtf.a)
find_library(AMD_STATIC libamd.a)
find_library(COLAMD_STATIC libcolamd.a)
find_library(SUITESPARSE_STATIC libsuitesparseconfig.a)
find_library(YAML_STATIC libyaml.a)
if(NOT (KLU_STATIC AND BTF_STATIC AND AMD_STATIC AND COLAMD_STATIC AND SUITESPARSE_STATIC
        AND YAML_STATIC))
    message(STATUS "Static SuiteSparse or libyaml not found: no export of FMUs")
    return()
endif()

# SUNDIALS too, where the library has it.
set(YOKE_SUNDIALS_STATIC)
if(YOKE_SUNDIALS_LIBRARIES)
    foreach(name ida sunlinsolklu sunmatrixsparse nvecserial)
        find_library(SUNDIALS_${name}_STATIC libsundials_${name}.a)
        list(APPEND YOKE_SUNDIALS_STATIC ${SUNDIALS_${name}_STATIC})
    endforeach()
endif()

add_library(yoke_static STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:yoke_objects>)
set(FILES)
include(src/fmi/files.cmake)
list(TRANSFORM FILES PREPEND src/fmi/)
add_library(yoke_fmi MODULE ${FILES})
set_target_properties(yoke_fmi PROPERTIES PREFIX "" OUTPUT_NAME yoke-fmi
    LINK_DEPENDS ${CMAKE_SOURCE_DIR}/src/fmi/exports.map)
target_include_directories(yoke_fmi PRIVATE include src)
target_include_directories(yoke_fmi SYSTEM PRIVATE ${YOKE_INCLUDES})
target_link_libraries(yoke_fmi PRIVATE yoke_static ${YOKE_SUNDIALS_STATIC} ${KLU_STATIC} ${BTF_STATIC} ${AMD_STATIC}
    ${COLAMD_STATIC} ${SUITESPARSE_STATIC} ${YAML_STATIC} m ${CMAKE_DL_LIBS})
set(YOKE_WRAPPED)
foreach(name malloc calloc realloc free strdup)
    list(APPEND YOKE_WRAPPED -Wl,--wrap=${name})
endforeach()
target_link_options(yoke_fmi PRIVATE ${YOKE_WRAPPED} -Wl,-Bsymbolic -Wl,--gc-sections -Wl,-z,defs
    -Wl,--version-script=${CMAKE_SOURCE_DIR}/src/fmi/exports.map)
install(TARGETS yoke_fmi DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/yoke)
