#!/bin/sh
# tools/setup.sh run|python|package|test|check -- installs the Debian packages that are missing.
#
#   run     to build Yoke, run it and draw pictures
#   python  to build the Python package
#   package to make a Debian package
#   test    for `make test` beside that: the library of the unit tests, SUNDIALS,
#           ngspice as a library and Python with NumPy and pytest, without which
#           their tests are skipped
#   check   for everything a change must pass: a second compiler, MPI, layout
#           of the sources, C++, zsh, npm and a browser for the pages of yoke
#           report, mmdebstrap for a bare machine
#
# With everything in place it needs neither the network nor root.  What cannot
# be installed is named, and the build goes on: it may do without, or the
# libraries may have come from elsewhere.
#
# Never installed, since they are large and few things use them: gmsh (meshes of
# .geo files), getdp (a test of fields, else skipped), ngspice (comparisons in
# bench/).  Nor, for run, SUNDIALS (150 packages for one stepper, ida) and, for run
# and test, npm (where it is, the pages of yoke report get uPlot, else simple charts); both
# are used where they are.
set -u
what=${1:-run}

needed="gcc libc6-dev cmake make pkg-config libsuitesparse-dev libopenblas-dev
    liblapacke-dev libhdf5-dev libyaml-dev libxml2-dev libzip-dev libmetis-dev gnuplot-nox"
wanted=
case $what in
run) ;;
python) needed="$needed python3-dev python3-numpy" ;;
package) needed="$needed dpkg-dev file" ;;
test)
    needed="$needed libcmocka-dev libsundials-dev"
    wanted="libngspice0 locales python3-dev python3-numpy python3-pytest"
    ;;
check)
    needed="$needed libcmocka-dev libsundials-dev"
    wanted="libngspice0 locales python3-dev python3-numpy python3-pytest python3-pandas
        python3-pip g++ clang libclang-rt-14-dev clang-format zsh
        libopenmpi-dev openmpi-bin mmdebstrap"
    # Node and Chromium may come from elsewhere.
    command -v npm >/dev/null 2>&1 || wanted="$wanted npm"
    command -v chromium >/dev/null 2>&1 || wanted="$wanted chromium"
    ;;
*)
    echo "setup: what is \"$what\"?  run, python, package, test or check"
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null 2>&1 ||
    ! command -v apt-get >/dev/null 2>&1; then
    echo "setup: not a Debian system; these packages or their like are needed:"
    echo $needed $wanted | sed 's/^/setup:   /'
    exit 0
fi

# All packages are asked for at once: one call of dpkg-query is one look at its
# whole database.
missing_of() {
    [ $# -gt 0 ] || return 0
    there=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" \
        2>/dev/null | sed -n 's/^installed //p')
    for package in "$@"; do
        echo "$there" | grep -qxF -e "$package" || printf ' %s' "$package"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

install() {
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -q --no-install-recommends "$@"
}

needed_missing=$(missing_of $needed)
wanted_missing=$(missing_of $wanted)
[ -z "$needed_missing$wanted_missing" ] && exit 0

echo "setup: missing packages:$needed_missing$wanted_missing"
if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null 2>&1; then
    echo "setup: you are not root, and there is no sudo; as root, run"
    echo "setup:   apt-get install --no-install-recommends$needed_missing$wanted_missing"
    echo "setup: going on without them, which may fail"
    exit 0
fi
as_root apt-get update -q || echo "setup: apt-get update failed; going on"
if [ -n "$needed_missing" ]; then
    install $needed_missing ||
        echo "setup: could not install:$needed_missing; going on, which may fail"
fi
for package in $wanted_missing; do
    install "$package" || echo "setup: could not install $package; going on"
done
exit 0
