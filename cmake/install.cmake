# Installs the library, its headers, the program, the manual page, and what
# other projects need to find them: yoke.pc and a CMake package.  Both find
# their prefix from where they are, so the tree may be moved.
include(CMakePackageConfigHelpers)

set(YOKE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/yoke)
set(YOKE_PC_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(TARGETS yoke EXPORT yokeTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/yoke DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h")
if(TARGET yoke_program)
    file(RELATIVE_PATH to_library /${CMAKE_INSTALL_BINDIR}
        /${CMAKE_INSTALL_LIBDIR})
    set_target_properties(yoke_program PROPERTIES
        INSTALL_RPATH "$ORIGIN/${to_library}")
    install(TARGETS yoke_program DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET yoke_mpi) # not in packages, which would depend on MPI
    install(TARGETS yoke_mpi DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT mpi
        EXCLUDE_FROM_ALL)
endif()
install(TARGETS yoke_worker DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/yoke)
install(FILES LICENSE RENAME copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES docs/man/yoke.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES completion/yoke.bash RENAME yoke
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES completion/_yoke
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)

install(EXPORT yokeTargets NAMESPACE yoke:: DESTINATION ${YOKE_CMAKE_DIR})
configure_package_config_file(cmake/yokeConfig.cmake.in yokeConfig.cmake
    INSTALL_DESTINATION ${YOKE_CMAKE_DIR})
# The interface changes with the major version only, as the library's name does.
write_basic_package_version_file(
    ${CMAKE_CURRENT_BINARY_DIR}/yokeConfigVersion.cmake
    COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/yokeConfig.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/yokeConfigVersion.cmake
    DESTINATION ${YOKE_CMAKE_DIR})

file(RELATIVE_PATH YOKE_PC_UP /${YOKE_PC_DIR} /)
string(REGEX REPLACE "/$" "" YOKE_PC_UP "${YOKE_PC_UP}")
configure_file(cmake/yoke.pc.in yoke.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/yoke.pc DESTINATION ${YOKE_PC_DIR})
