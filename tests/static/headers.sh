#!/bin/sh
# Every public header compiles alone, as C and as C++.
set -u
cd "$(dirname "$0")/../.."

flags="-Wall -Wextra -Wpedantic -Werror -fsyntax-only -Iinclude"
status=0
for header in include/yoke/*.h; do
    echo "#include \"yoke/$(basename "$header")\"" |
        ${CC:-cc} -std=c11 -Wstrict-prototypes $flags -x c - || {
        echo "$header does not compile alone as C"
        status=1
    }
done
if ! command -v "${CXX:-c++}" >/dev/null 2>&1; then
    echo "skipped: there is no C++ compiler"
    [ $status -eq 0 ] && exit 77
    exit 1
fi
for header in include/yoke/*.h; do
    echo "#include \"yoke/$(basename "$header")\"" |
        ${CXX:-c++} -std=c++11 $flags -x c++ - || {
        echo "$header does not compile alone as C++"
        status=1
    }
done
exit $status
