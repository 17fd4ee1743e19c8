#!/bin/sh
# pip.sh PYTHON BUILD -- `pip install` of the package without network, into a
# folder of its own, which is then moved.
set -eu
python=$(command -v "$1")
build=$2
root=$(cd "$(dirname "$0")/../.." && pwd)
"$python" -m pip --version >/dev/null 2>&1 || {
    echo "skipped: $python has no pip (python3-pip)"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
YOKE_BUILD=$build "$python" -m pip install -q --no-index --no-deps \
    --target "$work/first" "$root/python"
mv "$work/first" "$work/second"
cd "$work"
PYTHONPATH=$work/second "$python" -c '
import sys, yoke
assert yoke.__file__.startswith(sys.argv[1]), yoke.__file__
r = yoke.run(sys.argv[2])
assert r.converged and len(r.values) > 1
print(r)' "$work" "$root/examples/two-masses"
maps=$(PYTHONPATH=$work/second "$python" -c '
import yoke
print(open("/proc/self/maps").read())' | grep -c "$work/second/yoke/libyoke")
[ "$maps" -gt 0 ] || { echo "the library beside the package is not used"; exit 1; }
