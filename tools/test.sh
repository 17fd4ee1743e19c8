#!/bin/sh
# tools/test.sh -- every build and every test; the last line counts them.
#
#   release   as users have it
#   dev       address and undefined-behaviour sanitizers, warnings are errors
#   clang     a second compiler, warnings are errors; compiled only
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL 2>/dev/null

jobs=${JOBS:-2}
passed=0
failed=0
skipped=0

broken() {
    echo "test: $1"
    failed=$((failed + 1))
}

build() { # preset
    echo "== build: $1"
    cmake --preset "$1" && cmake --build --preset "$1" -j "$jobs"
}

# Reads "... N tests failed out of M" and the list of those not run.
count() { # log
    set -- "$1" $(sed -n \
        's/.*tests passed, \([0-9]*\) tests* failed out of \([0-9]*\).*/\1 \2/p' \
        "$1")
    if [ $# -ne 3 ]; then
        broken "no summary in $1"
        return
    fi
    left_out=$(grep -c '^[[:space:]]*[0-9]* - .*(Skipped)$' "$1")
    failed=$((failed + $2))
    skipped=$((skipped + left_out))
    passed=$((passed + $3 - $2 - left_out))
}

run() { # build directory
    echo "== test: $1"
    ctest --test-dir "$1" -j "$jobs" --output-on-failure --no-tests=error 2>&1 |
        tee "$1/ctest.log"
    count "$1/ctest.log"
}

# The leak check needs ptrace, which some containers forbid.
probe_leak_check() {
    mkdir -p build-dev
    echo 'int main(void) { return 0; }' |
        ${CC:-cc} -fsanitize=address -x c - -o build-dev/probe 2>/dev/null
    if ASAN_OPTIONS=detect_leaks=1 build-dev/probe >/dev/null 2>&1; then
        leaks=1
    else
        echo "test: the leak check does not work here and is left out"
        leaks=0
    fi
    export ASAN_OPTIONS="detect_leaks=$leaks"
    export UBSAN_OPTIONS=print_stacktrace=1
}

if build release; then run build; else broken "the release build failed"; fi

probe_leak_check
if build dev; then run build-dev; else broken "the dev build failed"; fi

if command -v clang >/dev/null 2>&1; then
    build clang || broken "the clang build failed"
else
    echo "test: clang is not installed; its build is left out"
fi

[ "$skipped" -gt 0 ] && echo "$skipped skipped"
mkdir -p build
echo "$passed passed, $failed failed" | tee build/summary
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
