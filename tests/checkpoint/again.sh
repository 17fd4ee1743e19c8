#!/bin/sh
# again.sh PROGRAM: a run that begins again, because errors are amplified and because a
# second solution shows that they add up, is killed after each of its checkpoints,
# those between two beginnings too; it goes on to the bytes of a run without any.
set -u
program=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
status=0
cat >system.yaml <<'EOF'
yoke: 1
name: a reader that is steep
run: {stop: 20, rtol: 1e-3}
subsystems:
  swing: {model: swing.mo}
  steep: {model: steep.mo}
couplings:
  - signal: steep.u = swing.x
EOF
cat >swing.mo <<'EOF'
model swing
  output Real x(start = 1);
  Real v(start = 0);
equation
  der(x) = v;
  der(v) = -27*x;
end swing;
EOF
cat >steep.mo <<'EOF'
model steep
  input Real u;
  output Real y(start = 0);
equation
  der(y) = exp(746*(u - 1));
end steep;
EOF
"$program" run system.yaml -o w.csv --json >w.json || exit 1
[ "$(grep -c 'begins again' w.json)" -ge 2 ] || { echo "it begins once"; exit 1; }

count=1 ended=137
while [ $ended = 137 ] && [ $count -lt 60 ]; do
    rm -f r.* c c.old
    "$program" run system.yaml -o r.csv --quiet --checkpoint c \
        --checkpoint-every 0 --checkpoint-kill $count 2>/dev/null
    ended=$?
    if [ $ended = 137 ]; then
        "$program" resume c --checkpoint-every 1h ||
            { echo "it does not go on after checkpoint $count"; status=1; }
    fi
    for table in csv coupling.csv; do
        cmp r.$table w.$table || { echo "killed after $count"; status=1; }
    done
    count=$((count + 1))
done 2>/dev/null
[ $count -gt 10 ] && [ $ended = 0 ] || { echo "$count runs, $ended"; status=1; }

# A later end: it was not solved a second time, and says so.
"$program" run system.yaml -o r.csv --checkpoint c --stop 19 >/dev/null || status=1
"$program" resume c --json --stop 20 >out || status=1
grep -q 'beyond the stop time' out || { echo "not told"; status=1; }
exit $status
