# The page of yoke report becomes part of the library: io/report.c.
set(YOKE_WITH_UPLOT AUTO CACHE STRING
    "uPlot in the page of yoke report: ON, OFF or AUTO")
set(YOKE_PAGE ${CMAKE_BINARY_DIR}/web/report_page.c)
add_custom_command(OUTPUT ${YOKE_PAGE}
    COMMAND ${CMAKE_COMMAND} -D SOURCE=${CMAKE_SOURCE_DIR}/web
        -D FOLDER=${CMAKE_BINARY_DIR}/web -D OUTPUT=${YOKE_PAGE}
        -D LIBRARY=${YOKE_WITH_UPLOT} -P ${CMAKE_SOURCE_DIR}/web/embed.cmake
    DEPENDS web/embed.cmake web/package.json web/package-lock.json
        web/report.html web/report.css web/graph.js web/chart.js web/profile.js web/report.js
    COMMENT "Making the page of yoke report"
    VERBATIM)
list(APPEND YOKE_FILES ${YOKE_PAGE})
