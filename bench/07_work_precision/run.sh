#!/bin/sh
# Runs this benchmark: sh ./run.sh BUILD [--quick]; if there is gnuplot, draws
# BUILD/bench_07_work_precision.png.
draw() {
    status=$?
    if [ -f "${results:-}" ] && command -v gnuplot >/dev/null; then
        gnuplot -e "results='$results'; picture='$program.png'" plot.gp
    fi
    exit $status
}
trap draw EXIT
. ../one.sh
