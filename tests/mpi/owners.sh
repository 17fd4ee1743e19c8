#!/bin/sh
# owners.sh YOKE_MPI YOKE -- a closed part begins processes in one rank only: for the
# check, for the first point, for predictions and for the run.
mpi=$1 yoke=$2 ranks=3
. "$(dirname "$0")/mpirun.sh"
. "$(dirname "$0")/compare.sh"
include=$(cd "$(dirname "$0")/../../include" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
YOKE_CACHE=$work/cache
export YOKE_CACHE
cd "$work" || exit 1
"$yoke" example program-pair pair >/dev/null || exit 1
cc -O2 -I "$include" pair/left.c -o left -lm || exit 1
cat >begin.sh <<END
echo "\$1 \${OMPI_COMM_WORLD_RANK:-serial}" >>"$work/begun.log"
exec "$work/left"
END
{
    echo "yoke: 1"
    echo "run: {stop: 0.2, rtol: 1e-4}"
    echo "subsystems:"
    for k in 1 2 3 4; do
        echo "  p$k: {program: [sh, begin.sh, p$k], inputs: [u], outputs: [x],"
        echo "       parameters: {k: 40, c: 20, x: $k}}"
    done
    echo "couplings:"
    for k in 1 2 3 4; do echo "  - signal: p$k.u = p$((k % 4 + 1)).x"; done
} >ring.yaml

for options in "" "--scheme jacobi --cluster none"; do
    rm -f begun.log
    # shellcheck disable=SC2086
    compare ring.yaml $options
    for k in 1 2 3 4; do
        count=$(grep "^p$k [0-9]" begun.log | sort -u | wc -l)
        if [ "$count" -ne 1 ]; then
            echo "p$k began in $count ranks, options \"$options\""
            sort begun.log | uniq -c
            status=1
        fi
    done
    if [ "$(sed -n 's/^p. \([0-9]\)/\1/p' begun.log | sort -u | wc -l)" -ne 3 ]; then
        echo "not all ranks have a part, options \"$options\""
        status=1
    fi
done

# Found by PATH it finds what is beside it, too.
PATH=$(dirname "$mpi"):$PATH mpirun_yoke 2 "$(basename "$mpi")" run ring.yaml --quiet \
    >out 2>err || {
    cat err
    status=1
}
exit $status
