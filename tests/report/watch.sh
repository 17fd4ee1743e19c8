#!/bin/sh
# watch.sh PROGRAM: yoke run --watch, asked by a script.  Skipped where there is
# no Python.
set -u
if ! command -v python3 >/dev/null 2>&1; then
    echo "skipped: there is no python3"
    exit 77
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
python3 "$(dirname "$0")/watch.py" "$1" "$scratch"
