#!/bin/sh
# run.sh BUILD [--quick] -- needs the package in BUILD/python (make python).
set -eu
build=${1:?"run.sh BUILD"}
shift
for python in python3 /usr/bin/python3; do
    if PYTHONPATH=$build/python "$python" -c 'import yoke' 2>/dev/null; then
        PYTHONPATH=$build/python exec "$python" "$(dirname "$0")/measure.py" \
            "$build" "$@"
    fi
done
echo "skipped: the Python package is not built (make python)"
