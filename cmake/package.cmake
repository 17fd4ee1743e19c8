# `make package`: what cpack needs for a Debian package.  The libraries that it
# depends on are those that the program was linked with; tools/package.sh tries it.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME yoke)
set(CPACK_PACKAGE_VENDOR "the developers of Yoke")
set(CPACK_PACKAGE_CONTACT "the developers of Yoke")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "simulates coupled differential-algebraic systems by dynamic iteration
 Subsystems keep their own solvers and time grids, exchange waveforms over a
 window and iterate until they agree: equation models, netlists, mechanisms,
 fields, FMUs and programs.")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# And those that it loads on demand.
string(REPLACE ";" ", " CPACK_DEBIAN_PACKAGE_DEPENDS "${YOKE_LAZY_PACKAGES}")
# Pictures; compiled models; netlists in ngspice.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gnuplot-nox, gcc, libc6-dev")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libngspice0")
include(CPack)
