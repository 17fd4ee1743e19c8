#!/bin/sh
# Runs this benchmark: sh ./run.sh BUILD [--quick]
#
# Every example, with default options and with `cluster: none`: its residuals
# over those in baseline.csv.  --quick leaves out the large ones.
set -eu

build=$1
quick=${2:-}
examples=$(cd ../../examples && pwd)
results=results.csv
if [ -n "$quick" ]; then results=$build/bench_18_cost.csv; fi
if [ ! -x "$build/yoke" ]; then
    echo "left out: this build has no yoke"
    exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The sum of the column "residuals" of the table that a run prints.
residuals() {
    awk '/^subsystem .* residuals / {
             for (i = 1; i <= NF; i++) if ($i == "residuals") column = i
             next
         }
         column && NF < column { exit }
         column { sum += $column }
         END { print sum + 0 }'
}

echo "case,quantity,value" > "$results"
printf '%-34s %9s %9s %6s\n' case before now ratio
sed -e 1d -e '/^#/d' baseline.csv | while IFS=, read -r example mode before; do
    if [ -n "$quick" ] && [ "$before" -gt 60000 ]; then continue; fi
    cp -R "$examples/$example/." "$folder"
    options=
    if [ "$mode" = none ]; then options="--cluster none"; fi
    # shellcheck disable=SC2086
    now=$(cd "$folder" && "$build/yoke" run system.yaml $options 2>&1 | residuals)
    ratio=$(echo "$now $before" | awk '{ printf "%.3f", $1 ? $1 / $2 : 99 }')
    printf '%-34s %9d %9d %6s\n' "$example, $mode" "$before" "$now" "$ratio"
    echo "$example-$mode,residuals,$now" >> "$results"
    echo "$example-$mode,ratio,$ratio" >> "$results"
    rm -rf "$folder"/*
done
awk -v quick="$quick" -f ../check.awk limits.csv "$results"
