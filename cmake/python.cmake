# The Python package in build/python/yoke: `make python`, and what
# `pip install ./python` packs.  YOKE_PYTHON names the interpreter; otherwise the
# first of python3 and Debian's own that has NumPy and its headers.  What is
# missing is told in YOKE_PYTHON_MISSING, and nothing is built.
set(YOKE_PYTHON "" CACHE STRING "Python interpreter of the package")
set(YOKE_PYTHON_FOUND "")
set(YOKE_PYTHON_MISSING "python3 is not installed")

foreach(candidate ${YOKE_PYTHON} python3 /usr/bin/python3)
    execute_process(COMMAND ${candidate} -c "
import os, sysconfig
include = sysconfig.get_path('include')
assert os.path.exists(os.path.join(include, 'Python.h')), 'Python.h (python3-dev)'
import numpy
print(include, numpy.get_include(), sysconfig.get_config_var('EXT_SUFFIX'), sep=';')"
        RESULT_VARIABLE failed OUTPUT_VARIABLE told ERROR_VARIABLE why
        OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_STRIP_TRAILING_WHITESPACE)
    if(failed STREQUAL "0")
        set(YOKE_PYTHON_FOUND ${candidate})
        break()
    elseif(NOT why STREQUAL "")
        string(REGEX REPLACE ".*\n" "" why "${why}")
        set(YOKE_PYTHON_MISSING "${candidate}: ${why}")
    endif()
endforeach()

if(YOKE_PYTHON_FOUND)
    list(GET told 0 python_include)
    list(GET told 1 numpy_include)
    list(GET told 2 python_suffix)
    set(package ${CMAKE_BINARY_DIR}/python/yoke)
    set(here ${CMAKE_SOURCE_DIR}/python)
    add_library(yoke_python_core MODULE EXCLUDE_FROM_ALL
        ${here}/src/core.c ${here}/src/facts.c ${here}/src/jacobian.c
        ${here}/src/model.c
        ${here}/src/part.c ${here}/src/run.c ${here}/src/tables.c)
    target_include_directories(yoke_python_core PRIVATE include ${here}/src)
    target_include_directories(yoke_python_core SYSTEM PRIVATE
        ${python_include} ${numpy_include})
    target_link_libraries(yoke_python_core PRIVATE yoke m)
    # Finds the library beside itself, wherever the folder is moved to.
    set_target_properties(yoke_python_core PROPERTIES PREFIX ""
        OUTPUT_NAME _core SUFFIX ${python_suffix}
        LIBRARY_OUTPUT_DIRECTORY ${package}
        BUILD_RPATH "$ORIGIN" BUILD_RPATH_USE_ORIGIN ON)
    # The build tree's own path would come first: only $ORIGIN is wanted.
    set_target_properties(yoke_python_core PROPERTIES
        BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
    file(GLOB python_sources CONFIGURE_DEPENDS ${here}/yoke/*.py
        ${here}/yoke/*.pyi ${here}/yoke/py.typed)
    add_custom_target(yoke_python
        COMMAND ${CMAKE_COMMAND} -E make_directory ${package}
        COMMAND ${CMAKE_COMMAND} -E copy_if_different ${python_sources}
            ${package}
        COMMAND ${CMAKE_COMMAND} -E copy_if_different $<TARGET_FILE:yoke>
            ${package}/$<TARGET_SONAME_FILE_NAME:yoke>
        COMMAND ${CMAKE_COMMAND} -E copy_if_different
            $<TARGET_FILE:yoke_worker> ${package}
        DEPENDS yoke_python_core yoke yoke_worker VERBATIM)
else()
    add_custom_target(yoke_python
        COMMAND ${CMAKE_COMMAND} -E echo
            "the Python package needs python3-dev and python3-numpy; ${YOKE_PYTHON_MISSING}"
        COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
endif()
