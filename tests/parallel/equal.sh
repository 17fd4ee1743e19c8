#!/bin/sh
# equal.sh EAGER YOKE EXAMPLES -- every example (or file) gives the same bytes and the same
# counts with 1, 2 and 4 threads, as it is and with all subsystems at once.  EAGER
# is the program that gives every batch to the threads.
eager=$1 yoke=$2 examples=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
YOKE_CACHE=$work/cache
export YOKE_CACHE
cd "$work" || exit 1
status=0 compared=0

# All that a run tells but the time it took, the name of its file, the jobs.
counts() {
    sed -e 's/"seconds": [0-9.e+-]*//g' -e 's/"jobs": [0-9]*//g' \
        -e 's/; [0-9]* exchanges[^"]*//g' "$1"
}

# compare NAME SYSTEM OPTION...: the serial run of the program, against the others.
compare() {
    name=$1 system=$2
    shift 2
    "$yoke" run "$system" --json --jobs 1 -o serial.csv "$@" >serial.json \
        2>serial.err
    expected=$?
    if [ $expected -ne 0 ]; then
        # Not for this scheme: then for nobody, with the same words.
        cp serial.err serial.csv
    fi
    for jobs in 1 2 4; do
        "$eager" run "$system" --json --jobs $jobs -o threads.csv "$@" \
            >threads.json 2>threads.err
        got=$?
        if [ $got -ne 0 ]; then cp threads.err threads.csv; fi
        counts serial.json >serial.counts
        counts threads.json >threads.counts
        if [ $got -ne $expected ]; then
            echo "$name $* --jobs $jobs: exit status $got instead of $expected"
            status=1
        elif ! cmp serial.csv threads.csv; then
            echo "$name $* --jobs $jobs: another result"
            status=1
        elif ! cmp serial.counts threads.counts; then
            echo "$name $* --jobs $jobs: other counts"
            diff serial.counts threads.counts | head -4
            status=1
        fi
        rm -f threads.csv
        compared=$((compared + 1))
    done
    rm -f serial.csv
}

if [ -f "$examples" ]; then # a system of the tests; its path may have blanks
    compare "$(basename "$examples")" "$examples"
    examples=
fi
for name in $examples; do
    mkdir "$name" && "$yoke" example "$name" "$name" >/dev/null || exit 1
    for system in "$name"/*.yaml; do
        [ -f "$system" ] || continue
        compare "$system" "$system"
        compare "$system" "$system" --scheme jacobi --cluster none
    done
done
echo "$compared runs compared"
exit $status
