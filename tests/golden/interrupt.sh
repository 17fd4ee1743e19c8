#!/bin/sh
# interrupt.sh PROGRAM: an interrupted run leaves a result that can be read.  It
# ends soon, also in the middle of a sweep.
#
# Nothing here depends on the speed of the machine: we wait for what the run has
# written or for processor time it has used; limits by the clock are for what is
# stuck.
set -u
program=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
child=

# CONDITION...: until it holds or the child has ended; at most 5 minutes.
wait_until() {
    rounds=0
    until "$@" || [ $rounds -ge 3000 ] || ! kill -0 $child 2>/dev/null; do
        rounds=$((rounds + 1))
        sleep 0.1
    done
}

has_rows() {
    [ -f "$1" ] && [ "$(wc -l <"$1")" -gt 3 ]
}

# The child has used half a second.  A second is 100 ticks on every Linux.
has_worked() {
    [ ! -r "/proc/$child/stat" ] ||
        [ "$(sed 's/.*) //' "/proc/$child/stat" | cut -d ' ' -f 12)" -ge 50 ]
}

# SIGNAL: sends it and leaves the exit status in `code`.
end_child() {
    kill "-$1" $child
    (sleep 300 && kill -KILL $child) >/dev/null 2>&1 &
    guard=$!
    wait $child
    code=$?
    kill $guard 2>/dev/null
}

# A shell without job control starts jobs in the background with SIGINT ignored.
"$program" run two-masses --stop 1000 --output i.csv --quiet 2>err &
child=$!
wait_until has_rows i.csv
kill -INT $child 2>/dev/null
wait $child || {
    echo "an ignored interrupt: status $?"
    cat err
    exit 1
}
grep -qs "^1000," i.csv || {
    echo "an ignored interrupt: it ends with $(tail -n 1 i.csv)"
    exit 1
}

env --default-signal=INT \
    "$program" run two-masses --stop 1e6 --output r.csv --quiet 2>err &
child=$!
wait_until has_rows r.csv
end_child INT
if [ $code -ne 1 ]; then
    echo "exit status $code, not 1"
    cat err
    exit 1
fi
grep -q "stopped at t = " err || {
    echo "no message about the stop:"
    cat err
    exit 1
}
"$program" info r.csv >out || exit 1
rows=$(sed -n 's/^r.csv: \([0-9]*\) rows.*/\1/p' out)
[ "${rows:-0}" -gt 2 ] || {
    echo "only ${rows:-0} rows"
    exit 1
}

# One window of a hundred million periods: it ends only if its steps are stopped.
cat >long.cir <<'END'
* rectifier
v1 1 0 sin(0 1 1meg)
r1 1 2 100
d1 2 3 dm
r2 3 0 1k
c2 3 0 10n
.model dm d(is=1e-14)
.tran 1u 100
.end
END
"$program" run long.cir --window 100 --output s.csv --quiet 2>err &
child=$!
wait_until [ -s s.coupling.csv ]
wait_until has_worked
end_child TERM
if [ $code -ne 1 ]; then
    echo "inside a sweep: exit status $code, not 1"
    cat err
    exit 1
fi
grep -q "stopped at t = 0 on request.*its steps had come to t = " err || {
    echo "no message about the time reached:"
    cat err
    exit 1
}
"$program" info s.csv >out && grep -q "^s.csv: 1 rows" out || {
    echo "the result cannot be read:"
    cat out
    exit 1
}

# ends_soon SIGNAL WHAT COMMAND...: begun, interrupted after a while, over within
# two seconds of its own; a busy machine gets ten.
ends_soon() {
    signal=$1 what=$2
    shift 2
    "$@" >out 2>err &
    child=$!
    sleep 0.7
    kill "-$signal" $child 2>/dev/null || return # a fast machine: it is over
    (sleep 10 && kill -KILL $child) >/dev/null 2>&1 &
    guard=$!
    wait $child
    code=$?
    kill $guard 2>/dev/null
    if [ $code -eq 0 ] || [ $code -eq 137 ]; then
        echo "$what: status $code after an interrupt"
        exit 1
    fi
}

# Twice: at once.
env --default-signal=INT \
    "$program" run long.cir --window 100 --output s.csv --quiet 2>err &
child=$!
sleep 0.7
kill -INT $child
kill -INT $child 2>/dev/null
wait $child
[ $? -ne 0 ] || exit 1

# A matrix that takes minutes: nobody asks between two steps.
awk 'BEGIN {
    n = 60
    print "* mesh"; print "v1 n_0_0_0 0 sin(0 1 1k)"
    for (i = 0; i < n; i++) for (j = 0; j < n; j++) for (k = 0; k < 8; k++) {
        printf "c_%d_%d_%d n_%d_%d_%d 0 1n\n", i, j, k, i, j, k
        if (i) printf "ri_%d_%d_%d n_%d_%d_%d n_%d_%d_%d 1k\n", i, j, k, i, j, k, i - 1, j, k
        if (j) printf "rj_%d_%d_%d n_%d_%d_%d n_%d_%d_%d 1k\n", i, j, k, i, j, k, i, j - 1, k
        if (k) printf "rk_%d_%d_%d n_%d_%d_%d n_%d_%d_%d 1k\n", i, j, k, i, j, k, i, j, k - 1
    }
    print ".tran 1u 1"; print ".end" }' >mesh.cir
ends_soon TERM "a huge circuit" "$program" run mesh.cir -o mesh.csv --quiet
ends_soon TERM "check" "$program" check mesh.cir
ends_soon TERM "verify" "$program" verify two-masses \
    --stop 1e5 --every 1000 --step 1e-4

# A window that takes long shows that it goes on.
cat >swift.mo <<'END'
model Swift
  Real x(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -1e8*x;
end Swift;
END
goes_on() {
    grep -q "the next window takes" shown
}
if command -v script >/dev/null 2>&1; then
    script -qec "exec \"$program\" run swift.mo --stop 1e6 --window 1e6" /dev/null \
        >shown 2>&1 </dev/null &
    child=$!
    wait_until goes_on
    kill -TERM $child
    wait $child 2>/dev/null
    goes_on || { echo "a long window shows nothing"; exit 1; }

    # A narrow terminal gets whole items.
    script -qec "stty cols 30; exec \"$program\" run two-masses -o narrow.csv" \
        /dev/null >shown 2>&1 </dev/null
    tr '\r' '\n' <shown | grep "100 %" | grep -q "left$(printf '\033')\[K" || {
        echo "progress is cut inside a word"
        exit 1
    }
fi
exit 0
