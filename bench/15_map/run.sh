#!/bin/sh
# Runs this benchmark: sh ./run.sh BUILD [--quick]
#
# The map (bench_15_map), then sizes up to 20,000 parts (bench_15_scale), which
# runs the program itself, and a bank of rectifiers (bench_15_bank).  All results are
# in one file.
set -eu

build=$1
quick=${2:-}
results=results.csv
if [ -n "$quick" ]; then results=$build/bench_15_map.csv; fi
for program in bench_15_map bench_15_scale bench_15_bank yoke; do
    if [ ! -x "$build/$program" ]; then
        echo "left out: this build has no $program"
        exit 0
    fi
done
# shellcheck disable=SC2086
"$build/bench_15_map" $quick "$results"
# shellcheck disable=SC2086
"$build/bench_15_scale" $quick "$results.scale" "$build/yoke"
# shellcheck disable=SC2086
"$build/bench_15_bank" $quick "$results.bank"
sed 1d "$results.scale" >> "$results"
sed 1d "$results.bank" >> "$results"
rm "$results.scale" "$results.bank"
awk -v quick="$quick" -f ../check.awk limits.csv "$results"
