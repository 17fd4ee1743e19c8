#!/bin/sh
# equal.sh YOKE_MPI YOKE RANKS EXAMPLES -- every example gives the same bytes and the
# same counts with so many ranks as yoke run with one job, as it is and with all
# subsystems at once.
mpi=$1 yoke=$2 ranks=$3 examples=$4
. "$(dirname "$0")/mpirun.sh"
. "$(dirname "$0")/compare.sh"
include=$(cd "$(dirname "$0")/../../include" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
YOKE_CACHE=$work/cache
export YOKE_CACHE
cd "$work" || exit 1

for name in $examples; do
    mkdir "$name" && "$yoke" example "$name" "$name" >/dev/null || exit 1
    # What the README of the example says.
    if [ -f "$name/left.c" ]; then
        cc -O2 -I "$include" "$name/left.c" -o "$name/left" \
            -lm || exit 1
    fi
    any=
    for system in "$name"/*.yaml; do
        [ -f "$system" ] || continue
        any=yes
        compare "$system"
        compare "$system" --scheme jacobi --cluster none
    done
    if [ -z "$any" ]; then compare "$name"; fi
done
echo "$compared runs compared, $travelled with units in other ranks"
if [ "$travelled" -eq 0 ]; then
    echo "nothing was in another rank"
    status=1
fi
exit $status
