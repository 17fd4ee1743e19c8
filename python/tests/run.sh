#!/bin/sh
# run.sh PYTHON PACKAGES FILE... -- pytest on files of this folder.  Without
# pytest it is skipped.
set -u
python=$1
packages=$2
shift 2
"$python" -c 'import pytest' 2>/dev/null || {
    echo "skipped: $python has no pytest (python3-pytest)"
    exit 77
}
here=$(dirname "$0")
for file in "$@"; do set -- "$@" "$here/$file"; shift; done
PYTHONPATH=$packages PYTHONDONTWRITEBYTECODE=1 exec "$python" -m pytest -q \
    -p no:cacheprovider --rootdir "$here" "$@"
