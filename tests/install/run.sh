#!/bin/sh
# run.sh BUILD CMAKE -- installs into a temporary prefix, then builds and runs
# foreign programs: the one that yoke.h shows, by pkg-config and by find_package,
# and one in C++ that includes every header.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=$1
cmake=$2
work=$(mktemp -d "$build/install test.XXXXXX")
trap 'rm -rf "$work"' EXIT
prefix="$work/moved"

"$cmake" --install "$build" --prefix "$work/prefix" >"$work/log" ||
    { cat "$work/log"; exit 1; }
mv "$work/prefix" "$prefix" # nothing may remember where it was
[ -s "$prefix/share/doc/yoke/copyright" ] || { echo "no licence"; exit 1; }
pc=$(dirname "$(find "$prefix" -name yoke.pc)")
lib=$(dirname "$pc")

# The program in the comment of yoke.h; exact: 50 + 30 exp(-2 t) and the rest.
cd "$work"
mkdir foreign
sed -n '/^ \*     #include <yoke/,/^ \*\//{s/^ \*     //p;s/^ \*$//p;}' \
    "$prefix/include/yoke/yoke.h" >foreign/main.c
cp "$here/CMakeLists.txt" foreign
expected='t = 1: 54.0601, 45.9399'
run() {
    told=$("$@") || { echo "$told"; exit 1; }
    echo "$told"
    [ "$told" = "$expected" ] || { echo "expected: $expected"; exit 1; }
}

echo "== pkg-config"
# Such flags cannot carry a space, so the work is done from inside.
PKG_CONFIG_PATH="${pc#"$work"/}" pkg-config --modversion yoke
flags=$(PKG_CONFIG_PATH="${pc#"$work"/}" pkg-config --cflags --libs yoke)
${CC:-cc} -std=c11 -Wall -Wextra -Werror foreign/main.c $flags \
    "-Wl,-rpath,$lib" -o by_pkg_config
run ./by_pkg_config

echo "== find_package"
"$cmake" -S foreign -B "$work/by cmake" -DCMAKE_PREFIX_PATH="$prefix" \
    >"$work/log" || { cat "$work/log"; exit 1; }
"$cmake" --build "$work/by cmake" >"$work/log" ||
    { cat "$work/log"; exit 1; }
run "$work/by cmake/foreign"

echo "== C++"
if command -v "${CXX:-c++}" >/dev/null 2>&1; then
    for header in "$prefix"/include/yoke/*.h; do
        echo "#include <yoke/$(basename "$header")>"
    done >all.cpp
    cat >>all.cpp <<'END'
#include <cstdio>
int main()
{
    std::printf("%s\n", yoke_status_text(YOKE_OK));
    return yoke_status_text(YOKE_OK)[0] == 'd' ? 0 : 1;
}
END
    ${CXX:-c++} -std=c++11 -Wall -Wextra -Wpedantic -Werror all.cpp \
        "-I$prefix/include" "-L$lib" -lyoke "-Wl,-rpath,$lib" -o in_cpp
    ./in_cpp
else
    echo "left out: there is no C++ compiler"
fi

if [ -x "$prefix/bin/yoke" ]; then
    echo "== program"
    "$prefix/bin/yoke" version
    echo "== an FMU: the worker is found"
    "$prefix/bin/yoke" run "$build/tests/fmus/plain2.fmu" >"$work/log" 2>&1 ||
        { cat "$work/log"; exit 1; }
    grep 'closed parts' "$work/log"
    echo "== a program with the installed header"
    mkdir pair
    cp "$here"/../../examples/program-pair/* pair
    ${CC:-cc} -O2 -Wall -Wextra -Werror "-I$prefix/include" pair/left.c \
        -o pair/left -lm
    sed 's|program: .*right.py.*|program: ./left|' pair/system.yaml >pair/two.yaml
    "$prefix/bin/yoke" run pair/two.yaml --stop 0.1 >"$work/log" 2>&1 ||
        { cat "$work/log"; exit 1; }
    grep 'right goes back in time by its own state' "$work/log"
    echo "== a plug-in, by cc and by find_package"
    cp -r "$here/../../examples/plug-in" plug
    ${CC:-cc} -std=c11 -O2 -Wall -Wextra -Werror -shared -fPIC \
        "-I$prefix/include" plug/oscillator.c -o plug/oscillator.so
    "$prefix/bin/yoke" run plug/pair.yaml --quiet -o by_cc.csv
    "$cmake" -S plug -B "$work/by cmake 2" -DCMAKE_PREFIX_PATH="$prefix" \
        >"$work/log" || { cat "$work/log"; exit 1; }
    "$cmake" --build "$work/by cmake 2" >"$work/log" ||
        { cat "$work/log"; exit 1; }
    cp "$work/by cmake 2/oscillator.so" plug
    "$prefix/bin/yoke" run plug/pair.yaml --quiet -o by_cmake.csv
    "$prefix/bin/yoke" compare by_cc.csv by_cmake.csv
fi
test -f "$prefix/share/man/man1/yoke.1"
