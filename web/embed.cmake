# cmake -P embed.cmake: makes the page of yoke report and a C array of it.
#
#   SOURCE   this folder
#   FOLDER   where things are made
#   OUTPUT   the C file
#   LIBRARY  AUTO, ON or OFF: whether uPlot is put into the page
#
# uPlot comes from SOURCE/node_modules, or by `npm ci` into FOLDER.  With AUTO
# the page does without where that is not possible: chart.js has a simpler one.
cmake_minimum_required(VERSION 3.18)

function(find_library_folder out)
    foreach(folder ${SOURCE}/node_modules/uplot ${FOLDER}/node_modules/uplot)
        if(EXISTS ${folder}/dist/uPlot.iife.min.js)
            set(${out} ${folder} PARENT_SCOPE)
            return()
        endif()
    endforeach()
    set(${out} "" PARENT_SCOPE)
endfunction()

function(install_library)
    find_program(NPM npm)
    if(NOT NPM)
        message(STATUS "report: there is no npm")
        return()
    endif()
    file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json
        DESTINATION ${FOLDER})
    execute_process(
        COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel error
            --fetch-retries 0 --fetch-timeout 20000
        WORKING_DIRECTORY ${FOLDER} TIMEOUT 90
        OUTPUT_QUIET ERROR_VARIABLE problem RESULT_VARIABLE result)
    if(NOT result EQUAL 0)
        message(STATUS "report: npm ci failed: ${problem}")
    endif()
endfunction()

# Text in which CMake would see lists or references stays as it is only when it
# is handled by string(REPLACE) and quoted.
function(insert mark file)
    file(READ ${file} text)
    string(REPLACE "${mark}" "${text}" page "${page}")
    set(page "${page}" PARENT_SCOPE)
endfunction()

set(library "")
if(NOT LIBRARY STREQUAL OFF)
    find_library_folder(library)
    if(NOT library)
        install_library()
        find_library_folder(library)
    endif()
    if(NOT library AND NOT LIBRARY STREQUAL AUTO)
        message(FATAL_ERROR "uPlot is neither in web/node_modules nor could "
            "npm fetch it")
    elseif(NOT library)
        message(STATUS "report: the page gets its own simple charts instead of "
            "uPlot")
    endif()
endif()

file(READ ${SOURCE}/report.html page)
if(library)
    file(READ ${library}/LICENSE license)
    file(READ ${library}/dist/uPlot.min.css style)
    file(READ ${library}/dist/uPlot.iife.min.js script)
    string(REPLACE "@UPLOT_CSS@" "${style}" page "${page}")
    string(REPLACE "@UPLOT_JS@" "/*\nuPlot\n\n${license}*/\n${script}" page
        "${page}")
else()
    string(REPLACE "@UPLOT_CSS@" "" page "${page}")
    string(REPLACE "@UPLOT_JS@" "" page "${page}")
endif()
insert(@REPORT_CSS@ ${SOURCE}/report.css)
insert(@GRAPH_JS@ ${SOURCE}/graph.js)
insert(@CHART_JS@ ${SOURCE}/chart.js)
insert(@PROFILE_JS@ ${SOURCE}/profile.js)
insert(@REPORT_JS@ ${SOURCE}/report.js)
file(WRITE ${FOLDER}/page.html "${page}")

file(READ ${FOLDER}/page.html hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REPEAT "[0-9a-fx,]" 5 byte)
string(REPEAT "${byte}" 15 line)
string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "/* Made from web/ by web/embed.cmake. */
#include <stddef.h>

extern const unsigned char yk_report_page[];

const unsigned char yk_report_page[] = {
${bytes}0x00
};
")
