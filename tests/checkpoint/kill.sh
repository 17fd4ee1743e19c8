#!/bin/sh
# kill.sh PROGRAM TIMES SEED: a run is killed with kill -9 at TIMES moments drawn at
# random, in checkpoints too, and resumed each time; the result has the bytes of a
# run that was never stopped.
set -u
program=$1 times=$2 seed=$3
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/whole" "$scratch/parts"
cd "$scratch/whole" || exit 1
"$program" run netlist-plant -o r.csv -o r.raw --quiet || exit 1
cd "$scratch/parts" || exit 1
set -- run netlist-plant -o r.csv -o r.raw --quiet --checkpoint c \
    --checkpoint-every 0
killed=0 begun=0
for k in $(awk -v n="$times" -v s="$seed" \
    'BEGIN { srand(s); for (k = 0; k < n; k++) printf "%.3f\n", 0.6 * rand() }'); do
    "$program" "$@" >>out 2>>err &
    child=$!
    sleep "$k"
    kill -9 $child 2>/dev/null && killed=$((killed + 1))
    wait $child
    ended=$?
    if [ $ended != 0 ] && [ $ended != 137 ]; then
        echo "a run ended with $ended"
        cat err
        exit 1
    fi
    if [ -f c ]; then
        begun=$((begun + 1))
        set -- resume c
    fi
done 2>/dev/null
"$program" "$@" --checkpoint-every 1h >>out 2>>err || { cat err; exit 1; }
echo "killed $killed times, resumed $begun times"
[ $begun -gt 0 ] || exit 1
for file in r.csv r.raw r.coupling.csv; do
    cmp "$scratch/whole/$file" "$file" || exit 1
done
