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

exit $failed
