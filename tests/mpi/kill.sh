#!/bin/sh
# kill.sh YOKE_MPI YOKE -- a run in three processes is killed with kill -9, one rank
# after the other, and goes on each time, in another number of processes too: nothing
# is lost.  A checkpoint of many processes is refused by yoke, and by yoke-mpi one of
# yoke, with what to do; a damaged one falls back to the older.
mpi=$1 yoke=$2
. "$(dirname "$0")/mpirun.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
YOKE_CACHE=$work/cache
export YOKE_CACHE
cd "$work" || exit 1
status=0

fail() {
    echo "$1"
    cat err
    status=1
}

cat >mass.mo <<'END'
model Mass
  parameter Real m = 1, k = 40, c = 0.5;
  input Real left, right;
  output Real x(start = 1, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(x) = v;
  m*der(v) = k*(left - x) + k*(right - x) - c*v - x^3 + sin(40*time);
end Mass;
END
cat >chain.yaml <<'END'
yoke: 1
run: {stop: 40, cluster: none, window: 0.01, scheme: jacobi}
subsystems:
  a: {model: mass.mo}
  b: {model: mass.mo, parameters: {m: 2}}
  c: {model: mass.mo, parameters: {m: 3}}
couplings:
  - signal: a.left = c.x; a.right = b.x; b.left = a.x; b.right = c.x
  - signal: c.left = b.x; c.right = a.x
END
"$yoke" run chain.yaml -o whole.csv --quiet --jobs 1 2>err || fail "the whole run"

# The process of rank $1 of the run whose mpirun is $child.
rank_process() {
    for process in $(cat /proc/$child/task/*/children 2>/dev/null); do
        tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null |
            grep -qx "OMPI_COMM_WORLD_RANK=$1" && echo "$process"
    done
}

# kill_rank RANK PROCESSES WORD...: begins, and kills the rank when there is a new
# checkpoint and something behind it.
kill_rank() {
    victim=$1 count=$2
    shift 2
    rm -f c.old
    (
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
            exec mpirun --oversubscribe -n "$count" "$mpi" "$@" >out 2>err
    ) &
    child=$!
    rounds=0
    until [ -f c.old ]; do
        rounds=$((rounds + 1))
        if [ $rounds -gt 3000 ] || [ ! -d /proc/$child ]; then break; fi
        sleep 0.05
    done
    process=$(rank_process "$victim")
    [ -n "$process" ] || fail "rank $victim was not found"
    kill -9 $process 2>/dev/null
    wait $child && fail "status 0 of a run whose rank $victim was killed"
    killed=$((killed + 1))
}

killed=0
kill_rank 1 3 run chain.yaml -o parts.csv --quiet --checkpoint c \
    --checkpoint-every 20ms
kill_rank 1 2 resume c --checkpoint-every 20ms
kill_rank 0 3 resume c --checkpoint-every 20ms
kill_rank 2 4 resume c --checkpoint-every 20ms

# Others say what they cannot do, and touch nothing.
cp parts.csv before.csv
"$yoke" resume c >out 2>err && fail "yoke resumes what yoke-mpi saved"
grep -q 'one of yoke-mpi, in 3 processes: yoke-mpi resume' err ||
    fail "yoke does not say who goes on"
cmp parts.csv before.csv || fail "a run that was refused has written"
"$yoke" run chain.yaml --stop 0.1 -o one.csv --quiet --checkpoint one 2>err ||
    fail "a run of yoke"
mpirun_yoke 2 "$mpi" resume one --stop 0.2 >out 2>err &&
    fail "yoke-mpi resumes what yoke saved"
grep -q 'one of yoke, in one process: yoke resume' err ||
    fail "yoke-mpi does not say who goes on"
mpirun_yoke 2 "$mpi" resume nothing >out 2>err && fail "status 0 without a file"

# Memory of a rank that is damaged: the one before is taken.
size=$(wc -c <c)
printf 'x' | dd of=c bs=1 seek=$((size - 4000)) conv=notrunc 2>/dev/null
[ -f c.old ] || fail "there is no older checkpoint"
mpirun_yoke 3 "$mpi" resume c --checkpoint-every 1h >out 2>err ||
    fail "it does not go on to the end"
grep -q 'the one before it is taken' err || fail "damage was not told"
cmp whole.csv parts.csv || fail "other bytes"
# What the parts of several ranks get in one process is with them when they are in
# several again: closed parts keep all that they were asked.
if command -v python3 >/dev/null; then
    cat >lag.py <<'END'
import math, sys
x, kept = 1.0, {}
while True:
    word = sys.stdin.readline().split()
    if not word or word[0] == "quit":
        break
    if word[0] == "hello":
        print("protocol 1\nsaves")
    if word[0] == "start":
        t = float(word[1])
        print("values %.17g" % x)
    if word[0] == "advance":
        for k in range(int(word[3])):
            step = sys.stdin.readline().split()
            u, to = float(step[2]), float(step[1])
            x = u + (x - u) * math.exp(t - to)
            t = to
            print("point %.17g %.17g" % (t, x))
    if word[0] == "save":
        kept = {word[1]: (t, x)}
    if word[0] == "restore":
        t, x = kept[word[1]]
    print("done", flush=True)
END
    cat >lag.yaml <<'END'
yoke: 1
run: {stop: 2, cluster: none, window: 0.01, scheme: jacobi, second: 0, rtol: 1e-4}
subsystems:
  a: {model: mass.mo}
  p: {program: [python3, lag.py], inputs: [u], outputs: [x], direct: false}
  q: {program: [python3, lag.py], inputs: [u], outputs: [x], direct: false}
couplings:
  - signal: a.left = p.x; a.right = q.x; p.u = a.x; q.u = p.x
END
    "$yoke" run lag.yaml -o whole.csv --quiet --jobs 1 2>err || fail "the whole run"
    kill_rank 2 3 run lag.yaml -o lag.csv --quiet --checkpoint c \
        --checkpoint-every 0
    kill_rank 0 1 resume c --checkpoint-every 0
    kill_rank 1 3 resume c --checkpoint-every 0
    kill_rank 1 2 resume c --checkpoint-every 0
    mpirun_yoke 3 "$mpi" resume c --checkpoint-every 1h >out 2>err ||
        fail "what was in one process does not go on in three"
    cmp whole.csv lag.csv || fail "other bytes with closed parts"
    rm -f c c.old
fi

echo "killed $killed times"
exit $status
