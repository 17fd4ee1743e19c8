#!/bin/sh
# refuse.sh PROGRAM: what must not go on is refused with its name; a damaged
# checkpoint gives way to the one before; a full disk leaves both as they were.
set -u
program=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
status=0

# expect STATUS TEXT COMMAND...
expect() {
    wanted=$1 text=$2
    shift 2
    "$@" >out 2>err
    got=$?
    if [ $got != "$wanted" ] || ! grep -q -- "$text" err; then
        echo "yoke $*: status $got, expected $wanted and \"$text\""
        cat err
        status=1
    fi
}

"$program" example netlist-plant here >/dev/null || exit 1
cd here || exit 1
cp -r ../here ../whole
(cd ../whole && "$program" run system.yaml -o r.csv --quiet) || exit 1
"$program" run system.yaml -o r.csv --quiet --checkpoint c --checkpoint-every 0 \
    --checkpoint-kill 4 2>/dev/null
mkdir ../kept && cp -p ./* ../kept
again() {
    rm -f ./*
    cp -p ../kept/* .
}

# The newest is damaged: the one before is taken, and the result is right.
for where in 3 90000; do
    again
    printf X | dd of=c bs=1 seek=$where conv=notrunc 2>/dev/null
    expect 0 "the one before it is taken" "$program" resume c --checkpoint-every 1h
    cmp r.csv ../whole/r.csv || status=1
done
again
head -c 5000 c >d && mv d c
chmod 600 c
expect 0 "not complete" "$program" resume c --checkpoint-every 1h
cmp r.csv ../whole/r.csv || status=1

# Both are, or neither is there.
again
printf X | dd of=c bs=1 seek=5000 conv=notrunc 2>/dev/null
printf X | dd of=c.old bs=1 seek=5000 conv=notrunc 2>/dev/null
expect 1 "digest differs" "$program" resume c --checkpoint-every 1h
rm c c.old
expect 1 "cannot read" "$program" resume c --checkpoint-every 1h
expect 2 "name the checkpoint" "$program" resume

# The model, the result or the owner is another.
again
echo "# changed" >>system.yaml
expect 1 "system.yaml is not as it was" "$program" resume c --checkpoint-every 1h
again
: >r.csv
expect 1 "r.csv: has 0 bytes" "$program" resume c --checkpoint-every 1h
again
chmod 622 c
chmod 622 c.old
expect 1 "others may write it" "$program" resume c --checkpoint-every 1h
again
expect 1 "is before that" "$program" resume c --stop 1e-9

# What ida knows cannot be saved, and it says so before it runs.
expect 1 "stepper ida" "$program" run two-masses \
    --scheme monolithic --stepper ida --checkpoint d
expect 1 "leave one of both out" "$program" run two-masses \
    --tasks t.csv --checkpoint d
expect 2 "is not a time" "$program" run two-masses \
    --checkpoint d --checkpoint-every soon

# Nothing can be taken back from a pipe.
mkfifo pipe.csv
cat pipe.csv >/dev/null &
expect 1 "not a regular file" "$program" run two-masses -o pipe.csv --checkpoint d

# No room for a checkpoint (the limit is on the size of a file): the run goes on,
# and the checkpoint that is there stays.
again
cp c before
(ulimit -f 600 && "$program" resume c --checkpoint-every 0 >out 2>err)
[ $? = 0 ] || { echo "a full disk ends the run"; cat err; status=1; }
grep -q "the checkpoint before is as it was" err || status=1
cmp c before || status=1
cmp r.csv ../whole/r.csv || status=1
[ "$(grep -c "the checkpoint before is as it was" err)" = 1 ] ||
    { echo "a full disk is reported more than once"; cat err; status=1; }

# Nothing but a checkpoint is replaced by one, and its folder must be there.
cp ../kept/system.yaml .
expect 1 "system.yaml: this is there and is not a checkpoint" "$program" run \
    system.yaml --checkpoint system.yaml --checkpoint-every 0
cmp system.yaml ../kept/system.yaml || status=1
cp system.yaml d.old
expect 1 "d.old: this is there" "$program" run two-masses --checkpoint d
rm d.old
expect 2 "would replace the result ./d.csv" "$program" run two-masses -o ./d.csv \
    --checkpoint d.csv
for name in d.coupling.csv "$PWD/d.csv" d.h5; do # the tables of a result, too
    expect 2 "is that of a result" "$program" run two-masses -o d.csv \
        --checkpoint "$name" --checkpoint-every 0
done
expect 1 "gone/c: cannot write: No such file" "$program" run two-masses \
    --checkpoint gone/c

expect 1 "cannot write: File name too long" "$program" run two-masses \
    --checkpoint "$(printf 'c%.0s' $(seq 300))"

# A folder that is lost in the run; it is told once more when it is there again.
mkdir gone
"$program" run two-masses --stop 1e7 --checkpoint gone/c --checkpoint-every 0 \
    --quiet 2>err &
run=$!
tries=0
until [ -f gone/c ] || [ $tries -gt 200 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
mv gone lost
for text in "the checkpoint before is as it was" "written again to gone/c"; do
    tries=0
    until grep -q "$text" err; do
        tries=$((tries + 1))
        [ $tries -lt 200 ] || { echo "not told: $text"; status=1; break; }
        sleep 0.1
    done
    mkdir -p gone
done
kill $run
wait $run
[ "$(grep -c warning err)" = 2 ] || { echo "told too often"; cat err; status=1; }
exit $status
