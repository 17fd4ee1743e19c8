#!/bin/sh
# Runs this benchmark: sh ./run.sh BUILD [--quick]
#
# Each problem with --jobs 1 and --jobs 2, one after the other, five times; the
# shortest times count.  Results and counts must be equal to the bit.  Then once
# with its tasks recorded: what two threads would take without others on the
# machine, and what more threads and ranks would.
set -eu

build=$(cd "$1" && pwd)
quick=${2:-}
here=$PWD
results=$here/results.csv
if [ -n "$quick" ]; then results=$build/bench_16_parallel.csv; fi
yoke=$build/yoke
if [ ! -x "$yoke" ]; then
    echo "left out: this build has no yoke"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp rods.mo load.cir ../../examples/transformer-rectifier/transformer.msh "$work"
if [ -f "$build/tests/fmus/state2.fmu" ]; then
    cp "$build/tests/fmus/state2.fmu" "$work/mass.fmu"
fi
YOKE_CACHE=$work/cache
export YOKE_CACHE
cd "$work"
echo "case,quantity,value" >"$results"

# The value of a key of the report.
of() {
    sed -n "s/.*\"$1\": \([-+0-9.e]*\).*/\1/p" "$2" | head -1
}

least() {
    awk -v a="$1" -v b="$2" 'BEGIN { print a == "" || b < a ? b : a }'
}

# From the tasks: seconds on one processor, then how many times faster.
replayed() {
    awk -v name="$1" '/"(threads|ranks)": [0-9]+, "seconds"/ {
        match($0, /"(threads|ranks)": [0-9]+/)
        split(substr($0, RSTART + 1, RLENGTH - 1), key, /": /)
        match($0, /"seconds": [-+0-9.e]+/)
        seconds = substr($0, RSTART + 11, RLENGTH - 11)
        if (key[1] == "threads" && key[2] == 1) {
            all = seconds
            printf "%s,processor seconds,%s\n", name, seconds
        } else
            printf "%s,replayed %s %s,%.4g\n", name, key[2], key[1],
                all / seconds
    }' tasks.json
}

# measure NAME SIZE: problem NAME of this size.
measure() {
    name=$1 size=$2 file=$1.yaml
    if [ "$name" = chains ]; then file=$name.cir; fi
    awk -v problem="$name" -v size="$size" -f "$here/problems.awk" >"$file"
    set -- --spot 0
    one='' two='' same=1 turns=5
    if [ -n "$quick" ]; then turns=1; fi
    for turn in $(seq $turns); do
        "$yoke" run "$file" "$@" --json --jobs 1 -o one.csv >one.json
        "$yoke" run "$file" "$@" --json --jobs 2 -o two.csv >two.json
        one=$(least "$one" "$(of seconds one.json)")
        two=$(least "$two" "$(of seconds two.json)")
        cmp -s one.csv two.csv || same=0
        for key in windows sweeps rejected critical_path; do
            [ "$(of $key one.json)" = "$(of $key two.json)" ] || same=0
        done
    done
    "$yoke" run "$file" "$@" --json --tasks tasks.csv >tasks.json
    {
        echo "$name,size,$size"
        echo "$name,windows,$(of windows one.json)"
        echo "$name,sweeps,$(of sweeps one.json)"
        echo "$name,critical path,$(of critical_path one.json)"
        echo "$name,same bits,$same"
        echo "$name,seconds with 1 job,$one"
        echo "$name,seconds with 2 jobs,$two"
        awk -v a="$one" -v b="$two" -v n="$name" \
            'BEGIN { printf "%s,times faster,%.3f\n", n, a / b }'
        echo "$name,load,$(cut -d ' ' -f 1 /proc/loadavg)"
        replayed "$name"
    } >>"$results"
    tail -17 "$results"
}

measure ring 32
measure rods 32
measure blocks 256
measure chains 60
measure fields 2
if [ -f mass.fmu ]; then measure fmus 64; fi
cd "$here"
awk -v quick="$quick" -f ../check.awk limits.csv "$results"
