#!/bin/sh
# read.sh YOKE_MPI YOKE -- a rank reads the files of the subsystems that it solves, and
# needs no others: here each works in a folder of its own, where the others are not.
mpi=$1 yoke=$2 ranks=3
. "$(dirname "$0")/mpirun.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
YOKE_CACHE=$work/cache
export YOKE_CACHE mpi
cd "$work" || exit 1
status=0

fail() {
    echo "$1"
    status=1
}

mkdir 0
# Units that are converted, a formula, a derivative, another file, parameters.
cat >0/system.yaml <<'END'
yoke: 1
run: {stop: 1, scheme: jacobi, cluster: none}
subsystems:
  p1: {model: p1.mo, parameters: {k: 3}}
  p2: {model: p2.mo, stepper: trbdf2}
  p3: {model: p3.mo}
  p4: {model: p4.mo}
  p5: {system: p5.yaml}
couplings:
  - signal: p1.u = p5.q.y
  - signal: p2.u = p1.y
  - signal: p3.u = p2.y
  - signal: p4.u = p3.y + 0.1 * p1.y * p2.y
  - signal: p5.q.u = p4.y
END
for k in 1 2 3 4 6; do
    cat >0/p$k.mo <<END
model P$k
  parameter Real k = $k;
  input Real u(unit = "$([ $k -eq 2 ] && echo mm || echo m)");
  output Real y(start = $k, fixed = true, unit = "m");
equation
  der(y) = -k*y + sin(u$([ $k -eq 2 ] && echo " / 1000"));
end P$k;
END
done
cat >0/p5.yaml <<'END'
yoke: 1
subsystems:
  q: {model: p6.mo}
END
cp -r 0 all
"$yoke" run all/system.yaml --set p3.k=5 -o serial.csv --quiet --jobs 1 || exit 1
cat >there.sh <<'END'
cd "$OMPI_COMM_WORLD_RANK" && exec "$mpi" "$@"
END

# run FOLDERS...: for ranks 1 and 2.
run() {
    mpirun_yoke 3 sh there.sh run system.yaml --set p3.k=5 -o ranks.csv --json \
        >json 2>err
}

cp -r 0 1
cp -r 0 2
run || fail "with all files everywhere: $(cat err)"
cmp serial.csv 0/ranks.csv || fail "another result"

# parts RANK: their names.
parts() {
    sed -n "s/.*\"rank $1 on [^:]*: \([^\"]*\)\".*/\1/p" json | tr -d ,
}
for rank in 1 2; do
    mine=$(parts $rank)
    [ -n "$mine" ] || fail "rank $rank has nothing"
    for k in 1 2 3 4 5; do
        case " $mine " in
        *" p$k "*) echo "rank $rank: p$k" ;;
        *) if [ $k -eq 5 ]; then rm $rank/p5.yaml $rank/p6.mo; else
            rm $rank/p$k.mo
        fi ;;
        esac
    done
done
rm -f 0/ranks.csv
run || fail "with its own files in each rank: $(cat err)"
cmp serial.csv 0/ranks.csv || fail "another result with its own files"

# A file that it needs is missing, or is another one.
for own in 1/*.mo; do break; done
sed 's/-k\*y/-k*y + 0*x; der(x) = 1/; s/^equation/  Real x;&/' "$own" >other
mv "$own" hidden
run && fail "a file is missing and nobody said so"
grep -q "^yoke: rank 1 on .*$(basename "$own")" err || fail "message: $(cat err)"
sed 's/-k\*y/-1.5*k*y/' hidden >"$own"
cmp -s hidden "$own" && fail "nothing was changed"
run && fail "an equation is another one and nobody said so"
grep -q "^yoke: rank 1 on .*another system: .*$(basename "$own")" err || fail "message: $(cat err)"
mv other "$own"
run && fail "a file is another one and nobody said so"
grep -q '^yoke: rank 1 on .*it has read another system' err || fail "message: $(cat err)"
mv hidden "$own"

# What can be saved is read whole in each rank.
mpirun_yoke 3 sh there.sh run system.yaml --checkpoint ck --quiet >out 2>err &&
    fail "a checkpoint without all files in each rank"
for rank in 1 2; do cp 0/*.mo 0/*.yaml $rank; done
sed -i 's/-k\*y/-1.5*k*y/' 1/p*.mo
mpirun_yoke 3 sh there.sh run system.yaml --checkpoint ck --quiet >out 2>err &&
    fail "a checkpoint with another equation in a rank"
grep -q "another system: p[1-6].mo" err || fail "message: $(cat err)"
exit $status
