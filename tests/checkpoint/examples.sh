#!/bin/sh
# examples.sh PROGRAM FORMAT COUNT NAME...: each run is killed after checkpoint
# number COUNT and goes on with another number of threads; its result must have
# the bytes of a run that was never stopped.  What may differ: the notes that tell
# the command and the date, and seconds.
set -u
program=$1 format=$2 count=$3
shift 3
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
status=0

fail() {
    echo "$name, killed after checkpoint $count: $1"
    cat "$scratch/err"
    status=1
}

# Notes and tables without what may differ.
plain() {
    for file in "$1"/r.csv "$1"/r.coupling.csv "$1"/r.iterates.csv; do
        [ -f "$file" ] && cat "$file"
    done
    [ -f "$1/r.raw" ] && cat "$1/r.raw"
    [ -f "$1/r.work.csv" ] && cut -d, -f1-7 "$1/r.work.csv"
    [ -f "$1/r.notes.csv" ] &&
        sed '/^seconds,/d; /^command,/d; /^date,/d; /^jobs\t/d' "$1/r.notes.csv"
}

for name in "$@"; do
    mkdir "$scratch/whole" "$scratch/parts"
    cd "$scratch/whole" || exit 1
    "$program" run "$name" -o "r.$format" --quiet --jobs 1 >../out 2>../err ||
        fail "the whole run failed"
    cd "$scratch/parts" || exit 1
    "$program" run "$name" -o "r.$format" --quiet --jobs 2 \
        --checkpoint c --checkpoint-every 0 --checkpoint-kill "$count" \
        >../out 2>../err
    ended=$?
    if [ $ended = 137 ]; then
        "$program" resume c --jobs 3 --checkpoint-every 1h >../out 2>../err ||
            fail "it does not go on"
    elif [ $ended != 0 ]; then
        fail "the run failed"
    fi
    if [ "$format" = h5 ]; then
        for at in whole parts; do
            "$program" compare "$scratch/whole/r.h5" "$scratch/$at/r.h5" \
                --json >"$scratch/$at.json" 2>>../err || fail "compare"
        done
        sed "s/whole/X/g; s/parts/X/g" "$scratch/whole.json" >"$scratch/a"
        sed "s/whole/X/g; s/parts/X/g" "$scratch/parts.json" >"$scratch/b"
    else
        plain "$scratch/whole" >"$scratch/a"
        plain "$scratch/parts" >"$scratch/b"
    fi
    [ -s "$scratch/a" ] || fail "there is nothing to compare"
    cmp "$scratch/a" "$scratch/b" ||
        { fail "other bytes"; diff "$scratch/a" "$scratch/b" | head -n 6; }
    cd / && rm -rf "$scratch/whole" "$scratch/parts"
done
exit $status
