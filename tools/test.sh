#!/bin/sh
# tools/test.sh [more] -- builds and tests; the last line counts the tests.
#
#   release   as users have it, all tests but those with the label `long`
#
# and with `more`, instead,
#
#   release   the long ones
#   dev       address and undefined-behaviour sanitizers, warnings are errors,
#             without the long tests and those of accuracy alone
#   clang     a second compiler, warnings are errors, benchmarks too; compiled only
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

run() { # build directory, log, options of ctest
    directory=$1
    log=$1/$2
    shift 2
    echo "== test: $directory $*"
    ctest --test-dir "$directory" -j "$jobs" --output-on-failure \
        --no-tests=error "$@" 2>&1 | tee "$log"
    count "$log"
    say_skipped "$directory" "$log"
}

# The reason of a skipped test is the last line it printed.
say_skipped() { # build directory, log
    grep -q '(Skipped)$' "$2" || return 0
    sed -n 's/^[[:space:]]*[0-9]* - \(.*\) (Skipped)$/\1/p' "$2" |
        while read -r name; do
            printf '%s: ' "$name"
            awk -v name="$name" '
            $0 ~ "^[0-9]+/[0-9]+ Test(ing)?: " { at = ($NF == name) }
            at && /skipped: / { reason = $0 }
            END { print reason ? reason : "skipped" }' \
                "$1/Testing/Temporary/LastTest.log"
        done
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

most_people() {
    if build release; then
        run build ctest.log -LE long
    else
        broken "the release build failed"
    fi
}

developers() {
    if build release; then
        run build ctest-long.log -L long
    else
        broken "the release build failed"
    fi
    probe_leak_check
    if build dev; then
        run build-dev ctest.log -LE 'long|accuracy'
    else
        broken "the dev build failed"
    fi
    if command -v clang >/dev/null 2>&1; then
        build clang || broken "the clang build failed"
    else
        echo "test: clang is not installed; its build is left out"
    fi
}

# The tests neither need nor fill the cache of the user.
cache=$(mktemp -d) && trap 'rm -rf "$cache"' EXIT && export XDG_CACHE_HOME="$cache"

mkdir -p build
rm -f build/summary
if [ "${1:-}" = more ]; then developers; else most_people; fi
[ "$skipped" -gt 0 ] && echo "$skipped skipped"
echo "$passed passed, $failed failed" | tee build/summary
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
