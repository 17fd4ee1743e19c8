#!/bin/sh
# failures.sh YOKE_MPI YOKE -- subsystems that fail, ranks that die, signals: the
# message says what and where, the status is not 0, the result can be read.
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
    status=1
}

cat >slow.mo <<'END'
model Slow
  Real x(start = 1, fixed = true);
equation
  der(x) = -x + sin(1e4 * time);
end Slow;
END
cat >root.mo <<'END'
model Root
  Real x(start = 0.5, fixed = true);
equation
  der(x) = -1;
  assert(x > 0.4, "x is below its range");
end Root;
END

# b and d leave the domain of their equations at once; a and c would run long.
cat >system.yaml <<'END'
yoke: 1
run: {stop: 1, scheme: jacobi, cluster: none, window: 1, limit: fail}
subsystems:
  a: {model: slow.mo}
  b: {model: root.mo}
  c: {model: slow.mo}
  d: {model: root.mo}
END
"$yoke" run system.yaml --quiet --jobs 1 >first.out 2>first.err
[ $? -ne 0 ] || fail "nothing failed"
for ranks in 2 4; do
    mpirun_yoke $ranks "$mpi" run system.yaml --quiet >out 2>err
    [ $? -ne 0 ] || fail "$ranks ranks: status 0 of a run that failed"
    grep '^yoke:' err | cmp first.err - || fail "$ranks ranks: another message"
done

# What fails for good at once does not keep what is before it from its end, and is the
# failure that is told.
cat >broken.sh <<'END'
while read -r word rest; do
    case $word in
    hello) echo protocol 1 ;;
    start) echo values 0 ;;
    advance) echo error it is broken; continue ;;
    quit) exit 0 ;;
    step) continue ;;
    esac
    echo done
done
END
cat >behind.yaml <<'END'
yoke: 1
run: {stop: 1, scheme: jacobi, cluster: none, window: 1}
subsystems:
  a: {model: slow.mo}
  b: {program: [sh, ./broken.sh], outputs: [y], direct: false}
  c: {model: slow.mo}
END
"$yoke" run behind.yaml --quiet --jobs 1 >first.out 2>first.err
grep -q 'it is broken' first.err || fail "not broken: $(cat first.err)"
for ranks in 2 3; do
    mpirun_yoke $ranks "$mpi" run behind.yaml --quiet >out 2>err
    grep '^yoke:' err | cmp first.err - ||
        fail "$ranks ranks: another message behind others: $(cat err)"
done

# The same refusals, said once.
mpirun_yoke 2 "$mpi" run nothing.yaml >out 2>err &&
    fail "status 0 without a system"
[ "$(grep -c '^yoke:' err)" -eq 1 ] || fail "not one message: $(cat err)"
sed 's/a: {model: slow.mo/a: {stepper: ida, model: slow.mo/' system.yaml >ida.yaml
mpirun_yoke 2 "$mpi" run ida.yaml --checkpoint x >out 2>err &&
    fail "status 0 with --checkpoint and ida"
grep -q 'no checkpoints: subsystem "a" has the stepper ida' err ||
    fail "--checkpoint: $(cat err)"
sed 's/a: {model: slow.mo/a: {host: nowhere, model: slow.mo/' system.yaml >host.yaml
mpirun_yoke 2 "$mpi" run host.yaml >out 2>err && fail "status 0 with no such host"
grep -q 'subsystem "a": host "nowhere": no rank is on it; ranks are on ' err ||
    fail "host: $(cat err)"

# Windows follow one another for hours.
cat >long.yaml <<'END'
yoke: 1
run: {stop: 1e6, scheme: jacobi, cluster: none, window: 0.01, every: step}
subsystems:
  a: {model: slow.mo}
  b: {model: slow.mo}
  c: {model: slow.mo}
END

# The process of rank $1 of the run whose mpirun is $child.
rank_process() {
    for process in $(cat /proc/$child/task/*/children 2>/dev/null); do
        tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null |
            grep -qx "OMPI_COMM_WORLD_RANK=$1" && echo "$process"
    done
}

# begin NAME [RANKS]: a run whose result has rows.  mpirun kills what is left when a rank has
# died after a second, which is little on a machine under load: here it waits longer.
begin() {
    # Without `exec` the shell of the function would get the signal.
    (
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
            exec mpirun --oversubscribe --mca odls_base_sigkill_timeout 8 \
            -n "${2:-3}" "$mpi" run long.yaml --quiet -o "$1.csv" >"$1.out" 2>"$1.err"
    ) &
    child=$!
    rounds=0
    until [ -f "$1.csv" ] && [ "$(wc -l <"$1.csv")" -gt 20 ]; do
        rounds=$((rounds + 1))
        if [ $rounds -gt 3000 ] || [ ! -d /proc/$child ]; then
            fail "$1: the run did not begin: $(cat "$1.err")"
            return
        fi
        sleep 0.1
    done
    (sleep 240 && kill -KILL $child) >/dev/null 2>&1 &
    guard=$!
}

# end NAME: it has ended, not with 0, and its rows can be read.
end() {
    wait $child
    got=$?
    kill $guard 2>/dev/null
    [ $got -ne 0 ] || fail "$1: exit status 0"
    [ $got -ne 137 ] || [ "$1" != stopped ] || fail "$1: it had to be killed"
    "$yoke" info "$1.csv" >info.out 2>&1 ||
        fail "$1: the result cannot be read: $(cat info.out)"
}

begin killed
victim=$(rank_process 1)
[ -n "$victim" ] || fail "rank 1 was not found"
kill -9 $victim
end killed
grep -q "yoke: t = .*: rank 1 on .* (process $victim) has died; it had [abc]\." \
    killed.err || fail "a rank that died was not named: $(cat killed.err)"

begin stopped
kill -TERM $child
end stopped
grep -q 'stopped at t = ' stopped.err ||
    fail "a signal was not told: $(cat stopped.err)"

# One that has no part has heard nothing for longer than it would wait.
begin idle 4
sleep 6
kill -TERM $child
end idle
grep -q 'stopped at t = ' idle.err ||
    fail "an idle rank ended before the others: $(cat idle.err)"

# One that is held gives no answer: rank 0, alone told to stop, says so and ends.
begin held
victim=$(rank_process 1)
kill -STOP "$victim"
rounds=0
until grep -q "waits for rank 1 on .* holds; kill -CONT $victim there" held.err; do
    rounds=$((rounds + 1))
    [ $rounds -lt 600 ] || { fail "nobody says who is waited for"; break; }
    sleep 0.1
done
kill -TERM "$(rank_process 0)"
end held
kill -CONT "$victim" 2>/dev/null
grep -q "rank 1 on .* (process $victim) has not answered yet" held.err &&
    grep -q "rank 1 on .* (process $victim) does not answer any more" held.err ||
    fail "a rank that is held was not named: $(cat held.err)"

begin first
others="$(rank_process 1) $(rank_process 2)"
kill -9 "$(rank_process 0)"
end first
for process in $others; do
    rounds=0
    while [ -d "/proc/$process" ] && [ $rounds -lt 600 ]; do
        rounds=$((rounds + 1))
        sleep 0.1
    done
    [ $rounds -lt 600 ] || fail "a rank outlived rank 0"
done
exit $status
