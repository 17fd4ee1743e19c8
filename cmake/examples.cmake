# The examples and pages of the manual become part of the program:
# cli/cmd_example.c writes the former out, cli/cmd_help.c prints the latter.
#
# Included by CMakeLists.txt it adds a rule that makes the C file; run as a
# script (cmake -P) with ROOT and OUTPUT it is that rule.
if(NOT CMAKE_SCRIPT_MODE_FILE)
    set(YOKE_EXAMPLES ${CMAKE_BINARY_DIR}/examples/example_files.c)
    file(GLOB example_files CONFIGURE_DEPENDS
        ${CMAKE_SOURCE_DIR}/examples/*/*.yaml
        ${CMAKE_SOURCE_DIR}/examples/*/*.geo
        ${CMAKE_SOURCE_DIR}/examples/*/*.msh
        ${CMAKE_SOURCE_DIR}/examples/*/*.mo
        ${CMAKE_SOURCE_DIR}/examples/*/*.cir
        ${CMAKE_SOURCE_DIR}/examples/*/*.c
        ${CMAKE_SOURCE_DIR}/examples/*/*.py
        ${CMAKE_SOURCE_DIR}/examples/*/*/modelDescription.xml
        ${CMAKE_SOURCE_DIR}/examples/*/*/sources/*.c
        ${CMAKE_SOURCE_DIR}/examples/*/*.ss[dvm]
        ${CMAKE_SOURCE_DIR}/examples/*/README.md
        ${CMAKE_SOURCE_DIR}/examples/*/expected.txt
        ${CMAKE_SOURCE_DIR}/docs/manual/*.md)
    add_custom_command(OUTPUT ${YOKE_EXAMPLES}
        COMMAND ${CMAKE_COMMAND} -D ROOT=${CMAKE_SOURCE_DIR}/examples
            -D MANUAL=${CMAKE_SOURCE_DIR}/docs/manual
            -D OUTPUT=${YOKE_EXAMPLES}
            -P ${CMAKE_SOURCE_DIR}/cmake/examples.cmake
        DEPENDS cmake/examples.cmake ${example_files}
        COMMENT "Embedding the examples"
        VERBATIM)
    return()
endif()
cmake_minimum_required(VERSION 3.18)

# The bytes of a file as the elements of a C array, ended by 0.
function(array out path)
    file(READ ${path} hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(REPEAT "[0-9a-fx,]" 5 byte)
    string(REPEAT "${byte}" 15 line)
    string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
    set(${out} "${bytes}0x00" PARENT_SCOPE)
endfunction()

set(arrays "")
set(rows "")
set(count 0)
file(GLOB systems ${ROOT}/*/system.yaml ${ROOT}/*/SystemStructure.ssd)
foreach(system IN LISTS systems)
    get_filename_component(folder ${system} DIRECTORY)
    get_filename_component(example ${folder} NAME)
    file(GLOB models ${folder}/*.mo ${folder}/*.cir ${folder}/*.geo
        ${folder}/*.msh ${folder}/*.c ${folder}/*.py
        ${folder}/*/modelDescription.xml ${folder}/*/sources/*.c
        ${folder}/*.ss[vm])
    file(GLOB variants ${folder}/*.yaml)
    list(REMOVE_ITEM variants ${system})
    foreach(path ${system} ${variants} ${models} ${folder}/README.md
            ${folder}/expected.txt)
        if(NOT EXISTS ${path})
            continue()
        endif()
        file(RELATIVE_PATH name ${folder} ${path})
        array(bytes ${path})
        string(APPEND arrays
            "static const unsigned char file${count}[] = {\n${bytes}\n};\n\n")
        string(APPEND rows "    { \"${example}\", \"${name}\", file${count}, "
            "sizeof file${count} - 1 },\n")
        math(EXPR count "${count} + 1")
    endforeach()
endforeach()
set(topics "")
foreach(topic system-file components equations json)
    array(bytes ${MANUAL}/${topic}.md)
    string(APPEND arrays
        "static const unsigned char file${count}[] = {\n${bytes}\n};\n\n")
    string(APPEND topics "    { NULL, \"${topic}\", file${count}, "
        "sizeof file${count} - 1 },\n")
    math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUTPUT} "/* Made from examples/ by cmake/examples.cmake. */
#include \"cli/cli.h\"

#include <stddef.h>

${arrays}const cli_example_file cli_example_files[] = {
${rows}    { NULL, NULL, NULL, 0 },
};

const cli_example_file cli_topics[] = {
${topics}    { NULL, NULL, NULL, 0 },
};
")
