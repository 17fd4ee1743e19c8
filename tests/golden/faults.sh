#!/bin/sh
# faults.sh PROGRAM: files that mean no good, little memory, full files, closed
# pipes.  Each ends at once with a message, and what was written can be read.
set -u
program=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failed=0

complain() {
    echo "$*"
    failed=1
}

# status WANTED TEXT COMMAND...: exit status, and TEXT in what is said.
status() {
    wanted=$1 text=$2
    shift 2
    timeout 600 "$@" >out 2>&1 </dev/null
    code=$?
    if [ $code -ne "$wanted" ] || ! grep -q -e "$text" out; then
        complain "$*: status $code, not $wanted, or without \"$text\":"
        cat out
    fi
}

# ---- Geometries.  This gmsh tells what it was asked, and does what a file
# says, as the real one does.
mkdir bin
cat >bin/gmsh <<'END'
#!/bin/sh
for last; do :; done
echo "$@" >>"$GMSH_LOG"
sed -n 's/^ *SystemCall "\(.*\)";.*/\1/p' "$last" | sh
while [ $# -gt 0 ]; do
    [ "$1" = -o ] && cat >"$2" <<'MESH'
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
1
2 1 "all"
$EndPhysicalNames
$Nodes
3
1 0 0 0
2 1 0 0
3 0 1 0
$EndNodes
$Elements
1
1 2 2 1 1 1 2 3
$EndElements
MESH
    shift
done
END
chmod +x bin/gmsh
GMSH_LOG=$scratch/log
export GMSH_LOG
old_path=$PATH
PATH=$scratch/bin:$PATH

printf 'Point(1) = {0, 0, 0};\n' >good.geo
printf 'Point(1) = {0, 0, 0};\nSystemCall "touch %s/bad";\n' "$scratch" >bad.geo
cp good.geo ./-o.geo
status 0 "1 triangles" "$program" info good.geo
status 1 'bad.geo:2: "SystemCall" is not permitted' "$program" info bad.geo
[ -e bad ] && complain "bad.geo ran a program"
status 0 "1 triangles" "$program" info --trust bad.geo
[ -e bad ] || complain "--trust: the stand-in for gmsh did not run"
rm -f bad log
status 0 "1 triangles" "$program" info ./-o.geo
status 0 "1 triangles" "$program" info --trust ./-o.geo
grep -q ' -o\.geo' log && complain "a name became an option: $(cat log)"
cat >field.yaml <<'END'
yoke: 1
run: {stop: 1 ms}
subsystems:
  f:
    component: field
    mesh: bad.geo
    depth: 1 m
    regions: {all: air}
    windings: {w: {region: all, turns: 1}}
END
for verb in info check run verify; do
    status 1 'bad.geo:2: "SystemCall" is not permitted' "$program" $verb \
        field.yaml
    [ -e bad ] && complain "$verb: bad.geo ran a program"
done
PATH=$old_path

# ---- What would take all memory is refused with its line.
cat >big.mo <<'END'
model Big
  parameter Integer n = 3000000;
  Real x[n](each start = 1);
equation
  der(x) = -x;
end Big;
END
cat >big.yaml <<'END'
yoke: 1
run: {stop: 1 s}
subsystems:
  a: {model: big.mo}
END
for verb in check run verify; do
    status 1 "big.mo:3:8: x has 3000000 elements.*may have 1000000 " \
        "$program" $verb big.yaml
done
status 1 "x has 3000000 elements.*may have 100 " "$program" info big.mo \
    --max-elements 100
status 0 "n = 50" "$program" info big.yaml --max-elements 60 --set a.n=50
status 2 "is not a number from 1 to 1e8" "$program" info big.yaml \
    --max-elements no
cat >wire.yaml <<'END'
yoke: 1
run: {stop: 1 s}
subsystems:
  a:
    component: wires
    span: 20 m
    nodes: 3000000
    wires: {w: {density: 1 kg/m, bending: 1 N.m^2, tension: 1 kN}}
END
status 1 "wire.yaml:4:3: with \"a\" the system has [0-9]* unknowns" \
    "$program" check wire.yaml
printf 'yoke: 1\na: &a [x, x]\nb: &b [*a, *a]\n' >bomb.yaml
status 1 "bomb.yaml:2:4: anchors" "$program" info bomb.yaml

# ---- Little memory: OpenBLAS waits for ever for its threads.
if (ulimit -v 4000000) 2>/dev/null && ! ldd "$program" | grep -q asan; then
    (
        ulimit -v 150000
        status 0 "^yoke " "$program" version
        status 0 "usage" "$program" help
        status 1 "too little memory" "$program" run two-masses
        exit $failed
    ) || failed=1
fi

# ---- Few files: more of them are asked for, and where there are none it is said.
"$program" example program-pair >out
(cd program-pair && sed -i 's/\.\/left/[python3, right.py]/' system.yaml)
status 0 "" sh -c 'ulimit -S -n 8; exec "$@"' sh \
    "$program" run program-pair/system.yaml -o pair.csv
status 1 "too many open files: the limit is 6, .*ulimit -n raises it" \
    sh -c 'ulimit -n 6; exec "$@"' sh \
    "$program" run program-pair/system.yaml -o pair.csv

# ---- A limit of memory that is below that of a closed part stays as it is.
if (ulimit -v 4000000) 2>/dev/null && ! ldd "$program" | grep -q asan; then
    status 0 "" sh -c 'ulimit -v 4000000; exec "$@"' sh \
        "$program" run program-pair/system.yaml --stop 0.01 -o pair.csv
fi

# ---- An input is never overwritten, under whatever name.
cat >one.cir <<'END'
* one
.include two.inc
v1 1 0 1
.tran 1u 10u
.end
END
echo "r1 1 0 1k" >two.inc
cp one.cir keep.cir
ln two.inc hard.csv
ln -s one.cir soft.csv
ln two.inc beside.notes.csv
for name in hard.csv soft.csv ./hard.csv beside.csv; do
    status 1 "would overwrite" "$program" run one.cir -o $name
done
cmp -s one.cir keep.cir || complain "the netlist was overwritten"
grep -q r1 two.inc || complain "the included netlist was overwritten"
status 0 "" "$program" run one.cir -o fine.csv
cp fine.csv keep.csv
ln -s fine.csv fine.png
ln fine.csv fine.html
status 2 "would overwrite" "$program" plot fine.csv
status 2 "would overwrite" "$program" report fine.csv
status 2 "would overwrite" "$program" plot fine.csv -o fine.png
cmp -s fine.csv keep.csv || complain "the result was overwritten"

# ---- Files that may not grow: a message, and a result that can be read.
for kind in csv h5; do
    (
        ulimit -f 200
        status 1 "File too large" "$program" run two-masses --every step \
            --stop 1e5 -o full.$kind --quiet
        exit $failed
    ) || failed=1
    status 0 "^full.$kind: [0-9]* rows" "$program" info full.$kind
    grep -q ": 0 rows" out && complain "nothing is left in full.$kind"
done

# ---- Killed in the first second, and later.
for kind in csv h5; do
    for wait in 0.3 1.6; do
        "$program" run two-masses --every step --stop 1e9 -o killed.$kind \
            --quiet >/dev/null 2>&1 &
        child=$!
        for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
            [ -s killed.$kind ] && break
            sleep 0.1
        done
        sleep $wait
        kill -KILL $child
        wait $child 2>/dev/null
        status 0 "^killed.$kind: [0-9]* rows" "$program" info killed.$kind
    done
done

# ---- Standard output that is closed, full or a pipe without a reader.
"$program" run two-masses -o closed.csv >&- 2>err
[ $? -eq 1 ] || complain "closed standard output was not noticed"
head -n 1 closed.csv | grep -q '^time,' || complain "closed.csv: $(head -n 1 closed.csv)"
"$program" run two-masses -o closed.csv >&- 2>&-
[ $? -eq 1 ] || complain "closed standard streams were not noticed"
head -n 1 closed.csv | grep -q '^time,' || complain "closed.csv: $(head -n 1 closed.csv)"
if [ -w /dev/full ]; then
    "$program" run two-masses --quiet -o - >/dev/full 2>err
    [ $? = 1 ] && grep -q "standard output: cannot write" err ||
        complain "a full standard output is not named: $(cat err)"
    "$program" info closed.csv >/dev/full 2>err
    [ $? -eq 1 ] && grep -q "standard output: No space" err ||
        complain "a full standard output was not noticed"
fi
rm -f fifo
mkfifo fifo
(exec 3<fifo; sleep 0.2; exec 3<&-) &
(sleep 0.6; exec "$program" run two-masses -o pipe.csv) >fifo 2>err
code=$?
[ $code -eq 1 ] || complain "a closed pipe: status $code: $(cat err)"
status 0 "^pipe.csv: 101 rows" "$program" info pipe.csv

exit $failed
