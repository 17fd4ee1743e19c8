# bench/one.sh -- read by the run.sh of each folder: runs its program and checks
# the results.  Arguments: BUILD [--quick].
set -eu

name=$(basename "$PWD")
build=$1
quick=${2:-}
program=$build/bench_$name
results=results.csv
if [ -n "$quick" ]; then results=$build/bench_$name.csv; fi
if [ ! -x "$program" ]; then
    echo "left out: this build has no bench_$name"
    exit 0
fi
"$program" $quick "$results"
awk -v quick="$quick" -f ../check.awk limits.csv "$results"
