#!/bin/sh
# interrupt.sh PROGRAM: an interrupted run leaves a result that can be read.
set -u
program=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

"$program" run two-masses --stop 1e6 --output r.csv --quiet 2>err &
child=$!
for i in 1 2 3 4 5 6 7 8 9 10; do # the header is there before the first window
    [ -s r.coupling.csv ] && break
    sleep 0.2
done
sleep 0.5
kill -INT $child
wait $child
code=$?
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
