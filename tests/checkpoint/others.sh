#!/bin/sh
# others.sh PROGRAM: what others did in the meantime.  Results that another run has
# written, and programs that were changed, are refused and left as they are; two
# runs are not saved in one file.
set -u
program=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
status=0

# expect TEXT COMMAND...: it fails with this text.
expect() {
    text=$1
    shift
    "$@" >out 2>err && { echo "yoke $*: status 0"; status=1; }
    grep -q -- "$text" err || { echo "yoke $*: no \"$text\""; cat err; status=1; }
}

"$program" example netlist-plant here >/dev/null || exit 1
cd here || exit 1
for format in csv raw h5; do
    "$program" run system.yaml -o w.$format --quiet || exit 1
    "$program" run system.yaml -o r.$format --quiet --checkpoint k \
        --checkpoint-every 0 --checkpoint-kill 90 2>/dev/null
    # The rows until then are in the file, or that of any other run would do.
    case $format in
    csv) [ "$(wc -l <r.csv)" -gt 100 ] || { wc -l r.csv; status=1; } ;;
    esac
    mkdir kept && cp r.* kept
    "$program" run system.yaml -o r.$format --quiet --rtol 1e-7 || exit 1
    cp r.$format before
    expect "is not the file of that run any more" "$program" resume k
    cmp r.$format before || status=1
    cp kept/* .
    "$program" resume k --checkpoint-every 1h || status=1
    case $format in
    h5) "$program" compare r.h5 w.h5 --rtol 0 --atol 0 >/dev/null || status=1 ;;
    *) cmp r.$format w.$format || status=1 ;;
    esac
    rm -rf kept before r.*
done

# While a run is saved in a file, no other is, and nobody goes on from it.
rm -f k k.old
"$program" run system.yaml -o r.csv --stop 1e4 --quiet --checkpoint k \
    --checkpoint-every 0 2>first &
first=$!
tries=0
until [ -f k.old ] || [ $tries -gt 200 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
expect "another run is saved there" "$program" run two-masses --checkpoint k
expect "another run is saved there" "$program" resume k
kill $first
wait $first
grep -v "goes on from there" first && status=1
"$program" resume k --stop 1e-9 2>err
grep -q "is before that" err || { cat err; status=1; } # it is free again

# Stopped in the second solution: it is told how to go on, and that is made again.
command -v python3 >/dev/null || exit $status
cat >lag.py <<'END'
import math, os, sys, time

x, old = 1.0, {}
while True:
    word = sys.stdin.readline().split()
    if not word or word[0] == "quit":
        break
    if word[0] == "hello":
        print("protocol 1\nsaves")
    if word[0] == "start":
        x = 1.0
        print("values 1")
    if word[0] == "save":
        old[word[1]] = x
    if word[0] == "restore":
        x = old[word[1]]
    if word[0] == "advance":
        if os.path.exists("s") and not os.path.exists("fast"):
            time.sleep(0.2)
        t = float(word[1])
        for k in range(int(word[3])):
            end, u = map(float, sys.stdin.readline().split()[1:])
            x, t = u + (x - u) * math.exp(t - end), end
            print("point %.17g %.17g" % (t, x))
    print("done", flush=True)
END
cat >lag.yaml <<'END'
yoke: 1
run: {stop: 1, rtol: 1e-3}
subsystems:
  p: {program: [python3, lag.py], inputs: [u], outputs: [x], direct: false}
  o: {linear: {A: [[0, 1], [-9, 0]], B: [0, 1], x0: [1, 0], x: [x, v], u: u}}
couplings:
  - signal: p.u = o.x; o.u = p.x
END
"$program" run lag.yaml -o w.csv --quiet || exit 1
"$program" run lag.yaml -o r.csv --quiet --checkpoint s --checkpoint-every 1h \
    2>err &
run=$!
tries=0
until [ -f s ] || [ $tries -gt 600 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
kill $run
wait $run && { echo "it came to its end"; status=1; }
grep -q "solved a second time.*resume s goes on from there" err ||
    { cat err; status=1; }
touch fast
(cd .. && "$program" resume here/s 2>here/err) || status=1
grep -q "goes on in .*here, where it was started" err || { cat err; status=1; }
cmp r.csv w.csv || status=1

# The file that the command of a program names.
"$program" example program-pair pair >/dev/null && cd pair || exit 1
sed -i 's|./left|[python3, right.py]|' system.yaml
"$program" run system.yaml -o r.csv --quiet --checkpoint k --checkpoint-every 0 \
    --checkpoint-kill 2 2>/dev/null
echo "# changed" >>right.py
expect "right.py is not as it was" "$program" resume k
exit $status
