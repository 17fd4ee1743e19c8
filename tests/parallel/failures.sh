#!/bin/sh
# failures.sh EAGER YOKE -- a subsystem that fails, and an interrupt, with threads:
# the message of the first one, in bounded time, and a readable result.
eager=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
status=0

fail() {
    echo "$1"
    status=1
}

# b and d leave the domain of their equations at once; a and c would run long.
cat >system.yaml <<'END'
yoke: 1
run: {stop: 1, scheme: jacobi, cluster: none, window: 1, limit: fail}
subsystems:
  a: {model: slow.mo}
  b: {model: root.mo}
  c: {model: slow.mo}
  d: {model: root.mo}
END
cat >slow.mo <<'END'
model Slow
  Real x(start = 1, fixed = true);
equation
  der(x) = -x + sin(1e4 * time);
end Slow;
END
cat >root.mo <<'END'
model Root
  Real x(start = 0.5, fixed = true);
equation
  der(x) = -1;
  assert(x > 0.4, "x is below its range");
end Root;
END
"$eager" run system.yaml --quiet --jobs 1 >first.out 2>first.err
expected=$?
for jobs in 2 4; do
    for turn in 1 2 3; do
        timeout 120 "$eager" run system.yaml --quiet --jobs $jobs >out 2>err
        [ $? -eq $expected ] || fail "--jobs $jobs: another exit status"
        cmp first.err err || fail "--jobs $jobs: another message"
    done
done
[ $expected -ne 0 ] || fail "nothing failed"
grep -q '"b"' first.err || fail "not the first subsystem that failed"

# An interrupt reaches all threads between two steps.
cat >long.yaml <<'END'
yoke: 1
run: {stop: 1e6, scheme: jacobi, cluster: none, window: 1e6, every: step}
subsystems:
  a: {model: slow.mo}
  b: {model: slow.mo}
  c: {model: slow.mo}
END
env --default-signal=INT \
    "$eager" run long.yaml --quiet --jobs 3 -o long.csv 2>err &
child=$!
# Until it has worked for half a second; 100 ticks are a second on every Linux.
rounds=0
until [ ! -r "/proc/$child/stat" ] || [ $rounds -ge 3000 ] ||
    [ "$(sed 's/.*) //' "/proc/$child/stat" | cut -d ' ' -f 12)" -ge 50 ]; do
    rounds=$((rounds + 1))
    sleep 0.1
done
kill -INT $child
(sleep 300 && kill -KILL $child) >/dev/null 2>&1 &
guard=$!
wait $child
got=$?
kill $guard 2>/dev/null
[ $got -eq 1 ] || fail "exit status $got after an interrupt, not 1"
grep -q 'stopped at t = ' err || fail "an interrupt was not told: $(cat err)"
exit $status
