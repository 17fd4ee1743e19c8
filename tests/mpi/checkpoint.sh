#!/bin/sh
# checkpoint.sh YOKE_MPI YOKE RANKS EXAMPLES -- each run is killed after its second
# checkpoint and goes on in as many processes, in fewer and in one; the result has the
# bytes of the run that was never stopped, in one process.
mpi=$1 yoke=$2 ranks=$3 examples=$4
. "$(dirname "$0")/mpirun.sh"
include=$(cd "$(dirname "$0")/../../include" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
YOKE_CACHE=$work/cache
export YOKE_CACHE
cd "$work" || exit 1
status=0 resumed=0

fail() {
    echo "$name: $1"
    cat "$work/err"
    status=1
}

# What must be the same: rows, the log of the coupling, the counts of the work.
plain() {
    cat "$1.csv" "$1.coupling.csv"
    cut -d, -f1-7 "$1.work.csv"
}

for name in $examples; do
    mkdir "$work/$name" && cd "$work/$name" || exit 1
    "$yoke" example "$name" . >/dev/null || exit 1
    if [ -f left.c ]; then cc -O2 -I "$include" left.c -o left -lm || exit 1; fi
    system=$(ls ./*.yaml 2>/dev/null | head -1)
    [ -n "$system" ] || system=$PWD
    "$yoke" run "$system" -o whole.csv --quiet --jobs 1 >"$work/out" \
        2>"$work/err"
    expected=$? # 1: not every window converged
    [ -s whole.csv ] || fail "the whole run failed"
    plain whole >whole.plain
    for many in $ranks $((ranks - 1)) $((ranks + 1)) alone; do
        rm -f c c.old parts.*
        mpirun_yoke "$ranks" "$mpi" run "$system" -o parts.csv --quiet \
            --checkpoint c --checkpoint-every 0 --checkpoint-kill 2 \
            >"$work/out" 2>"$work/err"
        if [ $? -ne 137 ]; then
            fail "it was not killed"
            continue
        fi
        if [ "$many" = alone ]; then
            "$mpi" resume c --checkpoint-every 1h >"$work/out" 2>"$work/err"
        else
            mpirun_yoke "$many" "$mpi" resume c --checkpoint-every 1h \
                >"$work/out" 2>"$work/err"
        fi
        [ $? -eq $expected ] || fail "it does not go on in $many processes"
        plain parts >parts.plain
        cmp whole.plain parts.plain || fail "other bytes in $many processes"
        resumed=$((resumed + 1))
    done
done
echo "$resumed runs went on"
[ $resumed -gt 0 ] || status=1
exit $status
