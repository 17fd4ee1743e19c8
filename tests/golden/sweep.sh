#!/bin/sh
# sweep.sh PROGRAM: a sweep that is stopped goes on where it was, whatever
# stopped it; the table is the same as without; a run that crashes is a row.
set -u
program=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
status=0

fail() {
    echo "$1"
    status=1
}

cat >lin.yaml <<'EOF'
yoke: 1
run: {stop: 1}
subsystems:
  a: {parameters: {k: 1}, linear: {A: -k, x: [x], x0: [1]}}
measure:
  last: final(a.x)
EOF
values='a.k=lin(0,5,60)'

"$program" sweep lin.yaml --vary "$values" --quiet --jobs 1 -o whole.csv ||
    fail "the whole sweep failed"

# A full disk.
(
    ulimit -f 2
    "$program" sweep lin.yaml --vary "$values" --quiet -o full.csv 2>err
) && fail "a full disk was not told"
grep -q 'cannot write full.csv.rows' err || fail "no word of the full disk"
grep -q 'the same command goes on' err || fail "no word of how to go on"
"$program" sweep lin.yaml --vary "$values" --quiet --jobs 3 -o full.csv ||
    fail "it did not go on after the full disk"
cmp -s whole.csv full.csv || fail "another table after the full disk"
[ ! -e full.csv.rows ] || fail "full.csv.rows is still there"

# An interrupt; a sweep that ended before it was sent has nothing to go on with.
"$program" sweep lin.yaml --vary "$values" --jobs 1 -o stop.csv >out 2>err &
child=$!
rounds=0
until [ -s stop.csv ] || [ $rounds -ge 3000 ] ||
    { [ -f stop.csv.rows ] && [ "$(wc -l <stop.csv.rows)" -gt 3 ]; }; do
    rounds=$((rounds + 1))
    sleep 0.02
done
kill -TERM $child 2>/dev/null
wait $child && [ ! -s stop.csv ] && fail "an interrupted sweep has status 0"
if [ -f stop.csv.rows ]; then
    # Rows of another sweep, or of another model, are not taken.
    "$program" sweep lin.yaml --vary 'a.k=lin(0,5,61)' -o stop.csv \
        >out 2>err && fail "other values were accepted"
    grep -q 'rows of another sweep' err || fail "no word of other values"
    sed 's/x0: .1./x0: [2]/' lin.yaml >other.yaml
    "$program" sweep other.yaml --vary "$values" -o stop.csv \
        >out 2>err && fail "another model was accepted"
    grep -q 'rows of another sweep' err || fail "no word of another model"
    printf '59 ok 0.1' >>stop.csv.rows # cut off
    "$program" sweep lin.yaml --vary "$values" --quiet -o stop.csv 2>err ||
        fail "it did not go on"
    cmp -s whole.csv stop.csv || fail "another table after the interrupt"
fi

# A run that dies is a row.
"$program" sweep lin.yaml --vary 'a.k=lin(0,5,400)' --jobs 1 -o dead.csv \
    >out 2>err &
child=$!
killed=
while kill -0 $child 2>/dev/null && [ -z "$killed" ]; do
    for one in $(cat /proc/$child/task/$child/children 2>/dev/null); do
        kill -SEGV "$one" 2>/dev/null && killed=yes
    done
done
wait $child
code=$?
if [ -n "$killed" ] && [ -f dead.csv ]; then
    rows=$(wc -l <dead.csv)
    [ "$rows" -eq 401 ] || fail "$rows lines instead of 401"
    if grep -q 'ended by signal 11' dead.csv; then
        [ $code -eq 1 ] || fail "status $code after a crash"
    fi
fi
exit $status
