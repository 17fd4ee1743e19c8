#!/bin/sh
# Ranks: sh ./mpi.sh BUILD [--quick]
#
# Problems of problems.awk by yoke --jobs 1 and by 2 and 4 ranks of yoke-mpi, one after
# the other, three times; the shortest elapsed times count, with and without the
# beginning (mpirun, reading in every rank).  Results and counts must be equal to the
# bit.  Messages and bytes are those in and out of rank 0.
set -eu

build=$(cd "$1" && pwd)
quick=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
results=$here/mpi.csv
if [ -n "$quick" ]; then results=$build/bench_16_parallel_mpi.csv; fi
if [ ! -x "$build/yoke-mpi" ] || ! command -v mpirun >/dev/null 2>&1; then
    echo "left out: this build has no yoke-mpi, or there is no mpirun"
    exit 0
fi
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/rods.mo" "$here/load.cir" \
    "$here/../../examples/transformer-rectifier/transformer.msh" "$work"
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

# Its seconds, not those of its spot checks.
seconds() {
    sed -n 's/^ "seconds": \([0-9.]*\).*/\1/p' "$1"
}

least() {
    awk -v a="$1" -v b="$2" 'BEGIN { print a == "" || b < a ? b : a }'
}

# run NAME COMMAND...: elapsed seconds of the run in NAME.json and of all in NAME.time.
run() {
    out=$1
    shift
    begin=$(date +%s.%N)
    "$@" --json -o "$out.csv" >"$out.json"
    end=$(date +%s.%N)
    echo "$end $begin" | awk '{ print $1 - $2 }' >"$out.time"
}

# measure NAME SIZE
measure() {
    name=$1 size=$2 file=$1.yaml
    if [ "$name" = chains ]; then file=$name.cir; fi
    awk -v problem="$name" -v size="$size" -f "$here/problems.awk" >"$file"
    set --
    if [ "$file" = chains.cir ]; then # every second chain at once
        set -- --schedule \
            "chain1, chain3, chain5, chain7 > chain2, chain4, chain6, chain8"
    fi
    serial='' two='' four='' whole_serial='' whole_two='' whole_four='' same=1 turns=3
    if [ -n "$quick" ]; then turns=1; fi
    for turn in $(seq $turns); do
        run serial "$build/yoke" run "$file" "$@" --jobs 1
        run two mpirun --oversubscribe -n 2 "$build/yoke-mpi" run "$file" "$@"
        run four mpirun --oversubscribe -n 4 "$build/yoke-mpi" run "$file" "$@"
        for side in serial two four; do
            eval "$side=\$(least \"\$$side\" \"\$(seconds $side.json)\")"
            eval "whole_$side=\$(least \"\$whole_$side\" \"\$(cat $side.time)\")"
            cmp -s serial.csv $side.csv || same=0
            for key in windows sweeps rejected critical_path; do
                [ "$(of $key serial.json)" = "$(of $key $side.json)" ] || same=0
            done
        done
    done
    windows=$(of windows serial.json)
    {
        echo "$name,seconds serial,$serial"
        echo "$name,seconds 2 ranks,$two"
        echo "$name,seconds 4 ranks,$four"
        echo "$name,seconds with the beginning serial,$whole_serial"
        echo "$name,seconds with the beginning 2 ranks,$whole_two"
        echo "$name,seconds with the beginning 4 ranks,$whole_four"
        echo "$name,critical path,$(of critical_path serial.json)"
        echo "$name,windows,$windows"
        for side in two four; do
            sed -n 's/.*"\([0-9]*\) messages, \([0-9.e+]*\) bytes.*/\1 \2/p' $side.json |
                awk -v name="$name" -v side=$side -v w="$windows" '{
                    printf "%s,messages per window %s ranks,%.4g\n", name,
                        side == "two" ? 2 : 4, $1 / w
                    printf "%s,bytes per window %s ranks,%.4g\n", name,
                        side == "two" ? 2 : 4, $2 / w
                }'
        done
        echo "$name,equal,$same"
    } | tee -a "$results"
    [ $same -eq 1 ] || failed=1
}

failed=0
echo "load of the machine: $(cut -d ' ' -f 1 /proc/loadavg), $(nproc) processors"
if [ -n "$quick" ]; then
    measure ring 4
    measure chains 6
else
    measure ring 32
    measure chains 60
    measure fields 1
    if [ -f mass.fmu ]; then measure fmus 64; fi
fi
exit $failed
