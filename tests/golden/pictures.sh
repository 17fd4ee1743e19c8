#!/bin/sh
# pictures.sh PROGRAM: yoke plot on results; skipped without gnuplot.
set -u
program=$1
if ! command -v gnuplot >/dev/null 2>&1; then
    echo "skipped: there is no gnuplot"
    exit 77
fi
sh "$(dirname "$0")/run.sh" "$program" "$(dirname "$0")/pictures.txt"
