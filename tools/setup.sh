#!/bin/sh
# tools/setup.sh run|test -- installs the Debian packages that are missing.
#
# With everything in place it needs neither the network nor root.  What cannot
# be installed is named, and the build goes on: it may do without.
#
# Not installed, since they are large and only some things use them: gmsh (meshes
# of .geo files), getdp (a test of fields, else skipped), ngspice (comparisons in
# bench/).
set -u

needed="gcc cmake make pkg-config libsuitesparse-dev libopenblas-dev
    liblapacke-dev libsundials-dev libhdf5-dev libyaml-dev libmetis-dev gnuplot-nox"
[ "${1:-run}" = test ] && needed="$needed libcmocka-dev"
wanted=
[ "${1:-run}" = test ] && wanted="g++ clang libclang-rt-14-dev clang-format zsh"
# For the page of yoke report, and to try it; Node may come from elsewhere.
command -v npm >/dev/null 2>&1 || wanted="$wanted npm"
[ "${1:-run}" != test ] || command -v chromium >/dev/null 2>&1 ||
    wanted="$wanted chromium"

if ! command -v dpkg-query >/dev/null 2>&1 ||
    ! command -v apt-get >/dev/null 2>&1; then
    echo "setup: not a Debian system; these packages or their like are needed:"
    echo $needed $wanted | sed 's/^/setup:   /'
    exit 0
fi

is_installed() {
    dpkg-query -W -f '${Status}' "$1" 2>/dev/null |
        grep -q 'install ok installed'
}

missing_of() {
    for package in $1; do
        is_installed "$package" || printf ' %s' "$package"
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

needed_missing=$(missing_of "$needed")
wanted_missing=$(missing_of "$wanted")
[ -z "$needed_missing$wanted_missing" ] && exit 0

echo "setup: missing packages:$needed_missing$wanted_missing"
if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null 2>&1; then
    echo "setup: neither root nor sudo; please install them"
    exit 0
fi
as_root apt-get update -q || echo "setup: apt-get update failed; going on"
if [ -n "$needed_missing" ]; then
    install $needed_missing ||
        echo "setup: could not install:$needed_missing; going on"
fi
for package in $wanted_missing; do
    install "$package" || echo "setup: could not install $package; going on"
done
exit 0
