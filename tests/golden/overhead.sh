#!/bin/sh
# overhead.sh PROGRAM: the measured overhead of the examples at rtol 1e-6, by
# counts, is below 2; docs/methods/overhead.md says which are not among them,
# and why.
set -u
program=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
status=0
for example in floating-capacitor four-bar heat-rod joint pendulum \
    slider-crank swing two-masses van-der-pol; do
    if ! "$program" run $example --rtol 1e-6 --oracle --json >out 2>err; then
        cat err
        echo "$example: failed"
        status=1
        continue
    fi
    overhead=$(sed -n 's/^ "overhead": \([-0-9.e+]*\),.*/\1/p' out)
    echo "$example: ${overhead:-not known}"
    echo "${overhead:-9}" | awk '{ exit !($1 > 0.5 && $1 < 2) }' || status=1
done
# Apart.
while read -r example most; do
    if ! "$program" run "$example" --rtol 1e-6 --cluster none --oracle --json \
        >out 2>err; then
        cat err
        echo "$example, cluster none: failed"
        status=1
        continue
    fi
    overhead=$(sed -n 's/^ "overhead": \([-0-9.e+]*\),.*/\1/p' out)
    echo "$example, cluster none: ${overhead:-not known}, at most $most"
    echo "${overhead:-9} $most" | awk '{ exit !($1 > 0.5 && $1 < $2) }' ||
        status=1
done <<END
rc-chain 1.3
netlist-plant 1.25
END
exit $status
