#!/bin/sh
# bench/run.sh [--quick] [BUILD] -- runs every benchmark with the programs in
# BUILD (default: build), checks counts and errors, prints a summary.
#
# The full run writes results.csv in each folder; --quick takes seconds and
# leaves its results in BUILD.
set -u

bench=$(cd "$(dirname "$0")" && pwd)
quick=
build=$bench/../build
for argument in "$@"; do
    case $argument in
    --quick) quick=--quick ;;
    *) build=$argument ;;
    esac
done
build=$(cd "$build" && pwd) || exit 2

failed=0
for script in "$bench"/[0-9]*/run.sh; do
    folder=$(dirname "$script")
    echo "== $(basename "$folder")"
    (cd "$folder" && sh ./run.sh "$build" $quick) || failed=$((failed + 1))
    echo
done
if [ $failed -eq 0 ]; then
    echo "Every benchmark is within its limits."
else
    echo "$failed of the benchmarks failed or left their limits."
    exit 1
fi
