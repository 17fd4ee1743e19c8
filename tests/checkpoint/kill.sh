#!/bin/sh
# kill.sh PROGRAM TIMES SEED [EXAMPLE]: a run is killed with kill -9 at TIMES moments
# drawn at random, in checkpoints too, and resumed each time; the result has the
# bytes of a run that was never stopped.  A run that comes to its end between two
# kills is compared, and another one begins.
set -u
program=$1 times=$2 seed=$3 example=${4:-netlist-plant}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/whole" "$scratch/parts"
cd "$scratch/whole" || exit 1
"$program" run "$example" -o r.csv -o r.raw --quiet || exit 1
cd "$scratch/parts" || exit 1
killed=0 resumed=0 ended=0 begins="run $example -o r.csv -o r.raw --quiet
    --checkpoint c --checkpoint-every 0"
what=$begins

# The run is over: nothing is lost.
compare() {
    for file in r.csv r.raw r.coupling.csv; do
        cmp "$scratch/whole/$file" "$file" || exit 1
    done
    ended=$((ended + 1))
    rm -f ./*
    what=$begins
}

# go OPTION...: the run begins, or goes on.
go() {
    # shellcheck disable=SC2086
    "$program" $what "$@" >>out 2>>err
}

for moment in $(awk -v n=$((20 * times)) -v s="$seed" 'BEGIN {
    srand(s); for (k = 0; k < n; k++) printf "%.3f\n", 0.6 * rand() }'); do
    [ $killed -lt "$times" ] || break
    # shellcheck disable=SC2086
    "$program" $what >>out 2>>err &
    child=$!
    sleep "$moment"
    kill -9 $child 2>/dev/null
    wait $child
    case $? in
    137) killed=$((killed + 1)) ;;
    0) compare ;;
    *)
        cat err
        exit 1
        ;;
    esac
    if [ -f c ] && [ "$what" != "resume c" ]; then what="resume c"; fi
    if [ "$what" = "resume c" ]; then resumed=$((resumed + 1)); fi
done 2>/dev/null
go --checkpoint-every 1h || { cat err; exit 1; }
compare
echo "killed $killed times, resumed $resumed times, $ended runs to the end"
[ $killed -eq "$times" ] && [ $resumed -gt 0 ]
