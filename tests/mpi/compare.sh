# compare.sh -- to be read by tests: compare SYSTEM OPTION... runs it as $yoke does
# with one job and with $ranks ranks of $mpi; result, counts and messages are the same.
status=0 compared=0 travelled=0

# All that a run tells but the time it took, the name of its file, where it was.
counts() {
    sed -e 's/"seconds": [0-9.e+-]*//g' -e 's/"jobs": [0-9]*//g' \
        -e 's/; [0-9]* exchanges[^"]*//g' "$1" |
        awk '/"processes": \[/ { skip = 1 } !skip { print } /\]/ { skip = 0 }' |
        sed '/^ *,*$/d'
}

# compare SYSTEM OPTION...
compare() {
    "$yoke" run "$@" --json --jobs 1 -o serial.csv >serial.json 2>serial.err
    expected=$?
    if [ $expected -ne 0 ]; then
        # Not for this scheme: then for nobody, with the same words.
        grep '^yoke:' serial.err >serial.csv
    fi
    mpirun_yoke "$ranks" "$mpi" run "$@" --json -o ranks.csv >ranks.json \
        2>ranks.err
    got=$?
    if [ $got -ne 0 ]; then grep '^yoke:' ranks.err >ranks.csv; fi
    counts serial.json >serial.counts
    counts ranks.json >ranks.counts
    if [ $got -ne $expected ]; then
        echo "$*: exit status $got instead of $expected"
        cat ranks.err
        status=1
    elif ! cmp serial.csv ranks.csv; then
        echo "$*: another result"
        status=1
    elif ! cmp serial.counts ranks.counts; then
        echo "$*: other counts"
        diff serial.counts ranks.counts | head -6
        status=1
    fi
    if grep -q '"rank 1 on [^:]*: no part' ranks.json; then
        echo "note: $*: all of it is in rank 0"
    elif grep -q '"rank 1 on' ranks.json; then
        travelled=$((travelled + 1))
    fi
    rm -f ranks.csv serial.csv
    compared=$((compared + 1))
}
