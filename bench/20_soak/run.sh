#!/bin/sh
# Runs this benchmark: sh ./run.sh BUILD [--quick]
#
# A million windows, a hundred million steps (a hundredth of both with --quick),
# then runs that are killed at 200 (4) random moments and resumed.
set -eu

build=$(cd "$1" && pwd)
quick=${2:-}
results=results.csv times=200
if [ -n "$quick" ]; then results=$build/bench_20_soak.csv times=4; fi
if [ ! -x "$build/bench_20_soak" ]; then
    echo "left out: this build has no bench_20_soak"
    exit 0
fi
"$build/bench_20_soak" $quick "$results"
if [ -x "$build/yoke" ]; then
    same=1
    said=$(sh ../../tests/checkpoint/kill.sh "$build/yoke" $times 7) || same=0
    echo "$said"
    {
        echo "$said" | sed -n 's/^killed \([0-9]*\) times, resumed \([0-9]*\) times, \([0-9]*\) runs.*/kill,killed,\1\
kill,resumed,\2\
kill,runs to the end,\3/p'
        echo "kill,same bytes,$same"
    } >>"$results"
fi
awk -v quick="$quick" -f ../check.awk limits.csv "$results"
