# The Python package by pytest.  With sanitizers an interpreter cannot load it.
set(python_tests ${CMAKE_SOURCE_DIR}/python/tests)
if(CMAKE_C_FLAGS MATCHES "sanitize|coverage")
    return()
endif()
foreach(name files parts runs tutorial)
    if(YOKE_PYTHON_FOUND)
        yoke_script(python_${name} sh ${python_tests}/run.sh
            ${YOKE_PYTHON_FOUND} ${CMAKE_BINARY_DIR}/python test_${name}.py)
    else()
        yoke_script(python_${name} sh ${python_tests}/skip.sh
            "no Python with NumPy and headers, ${YOKE_PYTHON_MISSING}")
    endif()
endforeach()
if(YOKE_PYTHON_FOUND)
    yoke_script(python_pip sh ${python_tests}/pip.sh ${YOKE_PYTHON_FOUND}
        ${CMAKE_BINARY_DIR})
    # It configures the build directory.
    set_tests_properties(python_pip PROPERTIES RUN_SERIAL ON)
    add_custom_target(yoke_python_tested ALL DEPENDS yoke_python)
endif()
