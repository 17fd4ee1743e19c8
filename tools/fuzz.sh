#!/bin/sh
# tools/fuzz.sh SECONDS -- every tests/fuzz/*_fuzz.c, the time shared equally.
#
# What libFuzzer finds goes to build-fuzz/found; an input that breaks a reader
# belongs into tests/fuzz/corpus with its correction.
set -eu

cmake -S . -B build-fuzz -DYOKE_TESTS=ON -DYOKE_FUZZ=ON \
    -DCMAKE_C_COMPILER=clang \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_FLAGS="\
-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined" \
    >build-fuzz.log 2>&1 || { cat build-fuzz.log; exit 1; }
rm -f build-fuzz.log
cmake --build build-fuzz -j "${JOBS:-2}" --target fuzzers

set -- "${1:-600}" tests/fuzz/*_fuzz.c
seconds=$(($1 / ($# - 1)))
shift
for source in "$@"; do
    name=$(basename "$source" _fuzz.c)
    found=build-fuzz/found/$name
    mkdir -p "$found"
    echo "== $name, $seconds seconds"
    build-fuzz/fuzz/${name}_fuzz -max_total_time="$seconds" -max_len=4096 \
        -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$found/" \
        "$found" "tests/fuzz/corpus/$name"
done
