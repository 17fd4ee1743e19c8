#!/bin/sh
# run.sh PROGRAM MASTER CMAKE [sanitized]: exported FMUs, run by a foreign master
# in an empty environment, by yoke run, and inside other systems.
set -u
program=$1 master=$2 cmake=$3 sanitized=${4:-}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failed=0

complain() {
    echo "$*"
    failed=1
}

# refused TEXT COMMAND...: it fails and says so.
refused() {
    text=$1
    shift
    if "$@" >out 2>&1 || ! grep -q -e "$text" out; then
        complain "$*: not refused, or without \"$text\":"
        cat out
    fi
}

# near A B TOLERANCE WHAT
near() {
    awk -v a="$1" -v b="$2" -v tol="$3" 'BEGIN {
        d = a - b; if (d < 0) d = -d
        s = b < 0 ? -b : b; if (s < 1) s = 1
        exit !(a != "" && b != "" && d <= tol * s) }' ||
        complain "$4: $1 and $2 differ by more than $3"
}

# value NAME COMMAND...: of the last row that yoke run prints.
value() {
    name=$1
    shift
    "$program" "$@" 2>err | awk -v name="$name" '$1 == name { print $2 }'
    cat err >&2
}

# ---- systems: open inputs, events, a netlist, an example

cat >drive.yaml <<'END'
yoke: 1
name: driven mass
run: {stop: 2 s, rtol: 1e-7, atol: 1e-9}
inputs:
  force: {unit: N, start: 3}
  shake: 0
subsystems:
  a: {linear: {A: [[0, 1], [-k, -0.2]], B: [[0, 0], [1, 1]], x: [x, v], u: [f, g]}, parameters: {k: 4}}
  b: {linear: {A: -3, B: 1, x: z, u: w}}
couplings:
  - signal: a.f = inputs.force - b.z
  - signal: b.w = a.x
  - signal: a.g = inputs.shake
outputs: [a.x, b.*]
END
cat >ball.mo <<'END'
model Ball
  parameter Real c = 0.8;
  input Real wind(unit = "m/s2");
  Real h(start = 1, fixed = true, unit = "m");
  Real v(start = 0, fixed = true);
  discrete Integer n(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = wind - 9.81;
  when h <= 0 then
    reinit(v, -c*pre(v));
    n = pre(n) + 1;
  end when;
end Ball;
END
mkdir models
mv ball.mo models
cat >ball.yaml <<'END'
yoke: 1
name: bouncing ball
run: {stop: 1.5 s, rtol: 1e-8, atol: 1e-10}
inputs: {wind: {unit: m/s^2}}
subsystems:
  ball: {model: models/ball.mo, parameters: {c: 0.7}}
couplings:
  - signal: ball.wind = inputs.wind
outputs: [ball.h, ball.n]
END
cat >rectifier.cir <<'END'
rectifier
.include diode.inc
v1 in 0 sin(0 5 1k)
d1 in out dm
r1 out 0 1k
c1 out 0 1u
.tran 1u 5m
.end
END
echo '.model dm d(is=1e-14)' >diode.inc

# ---- each by a foreign master: nothing in the environment, another folder

# A locale that writes 0,5; where it cannot be made it is not tried.
mkdir locale
localedef -i de_DE -f UTF-8 locale/xx_XX >/dev/null 2>&1

# scenes NAME INPUT STOP MORE: the first output
scenes() {
    for version in 2 3; do
        rm -rf fmu
        mkdir fmu
        "$program" export "$1" -o "x$version.fmu" --fmi $version >out 2>&1 || {
            complain "$1 is not exported:"
            cat out
            continue
        }
        (cd fmu && "$cmake" -E tar xf "../x$version.fmu")
        library=$(ls "$scratch"/fmu/binaries/*/*.so)
        token=$(sed -n 's/^token //p' fmu/resources/yoke.txt)
        output=$(sed -n '/^parameter\|^input\|^output/p' fmu/resources/yoke.txt |
            grep -n -m 1 '^output' | cut -d : -f 1)
        resources=$scratch/fmu/resources
        [ $version = 2 ] && resources=file://$resources
        for scene in back write read two mistakes more strange $4; do
            (cd / && env -i "LOCPATH=$scratch/locale" "$master" $version "$library" "$resources" "$token" \
                "$2" "$output" "$3" $scene "$scratch/state") >"$scene.out" 2>err ||
                complain "$1, FMI $version, $scene: $(cat $scene.out err)"
        done
        cmp -s write.out read.out && cmp -s back.out two.out &&
            cmp -s back.out write.out ||
            complain "$1, FMI $version: not the same bits:" \
                "$(cat back.out write.out read.out two.out)"
    done
}
[ -n "$sanitized" ] || {
    scenes drive.yaml 2 2 ""
    scenes ball.yaml 2 1.2 "fail events"
    scenes rectifier.cir 0 5e-3 ""
    scenes two-masses 0 1 ""
    # It needs the C library and nothing else.
    ldd "$library" | sed 's/ =>.*//; s/ (.*//; s/^[ \t]*//' >needed
    grep -v -e '^linux-vdso' -e '^libm\.so' -e '^libc\.so' -e ld-linux needed &&
        complain "the binary needs more than the C library"
}

# ---- the same system gives the same file

"$program" export drive.yaml -o one/../d2.fmu --fmi 2 >out 2>&1 &&
    complain "a folder that is not there"
"$program" export drive.yaml -o d2.fmu --fmi 2 >out || complain "no FMU 2"
"$program" export drive.yaml -o d3.fmu >out || complain "no FMU 3"
cp d3.fmu first.fmu
"$program" export drive.yaml -o d3.fmu >out
cmp -s first.fmu d3.fmu || complain "two exports differ"
sed 's/k: 4/k: 5/' drive.yaml >other.yaml
"$program" export other.yaml -o d3.fmu >out
cmp -s first.fmu d3.fmu && complain "other systems have the same token"
mv first.fmu d3.fmu

sed 's/rtol: 1e-7, atol: 1e-9/step: 10 ms/
     s/u: w}}/u: w}, stepper: implicit-euler}/' drive.yaml >fixed.yaml
"$program" export fixed.yaml -o fixed.fmu >out || complain "no FMU, fixed steps"
"$program" info fixed.fmu | grep -q 'steps of its own solver: 0.01 s' ||
    complain "a fixed step is not told"
"$program" export fixed.yaml --fmi 2 -o fixed2.fmu >out ||
    complain "no FMU, fixed steps, FMI 2"
"$program" info fixed2.fmu | grep -q 'steps of its own solver: 0.01 s' ||
    complain "a fixed step is not told, FMI 2"

# ---- by yoke: alone, with parameters, coupled to others

for version in 2 3; do
    x=$(value drivenmass.a.x run d$version.fmu)
    near "$x" "$(value a.x run drive.yaml)" 1e-6 "driven mass, FMI $version"
    "$program" run d$version.fmu 2>/dev/null | grep -q 'by its own state' ||
        complain "FMI $version: no own state"
    "$program" info d$version.fmu | grep -q 'saves its state: yes' ||
        complain "FMI $version: the state in yoke info"
    cat >pair.yaml <<END
yoke: 1
run: {stop: 2 s, rtol: 1e-6, atol: 1e-8}
subsystems:
  m: {fmu: d$version.fmu, parameters: {a.k: 6}}
  c: {linear: {A: -1, B: 1, x: s, x0: 1, u: e}}
couplings:
  - signal: c.e = m.a.x
  - signal: m.force = -3*c.s
  - signal: m.shake = 0.1*c.s
END
    sed 's/fmu: d.\.fmu/system: drive.yaml/; s/m\.force/m.inputs.force/
         s/m\.shake/m.inputs.shake/' pair.yaml >direct.yaml
    near "$(value c.s run pair.yaml)" "$(value c.s run direct.yaml)" 3e-7 \
        "coupled, FMI $version"
    cat >steps.yaml <<END
yoke: 1
run: {stop: 1.5 s, rtol: 1e-8, atol: 1e-10}
subsystems:
  b: {fmu: b$version.fmu, step: 10 ms, inputs: []}
END
    "$program" export ball.yaml -o b$version.fmu --fmi $version >out
    near "$(value b.ball.h run steps.yaml)" "$(value ball.h run ball.yaml)" \
        1e-7 "events, FMI $version"
    near "$(value b.ball.n run steps.yaml)" 2 0 "bounces, FMI $version"
done
# FMI 3: inputs are asked for during a step, and events are told.
near "$(value c.s run pair.yaml)" "$(value c.s run direct.yaml)" 1e-7 \
    "coupled by waveforms"
sed 's/outputs:.*/outputs: [ball.*]/' ball.yaml >all.yaml
"$program" export all.yaml -o all.fmu >out
for name in h v n; do
    near "$(value bouncingball.ball.$name run all.fmu)" \
        "$(value ball.$name run ball.yaml)" 1e-6 "events told, $name"
done

# ---- what is set on the command line goes along

"$program" export drive.yaml -o set.fmu --set a.k=6 --rtol 1e-9 >out ||
    complain "no export with settings"
near "$(value drivenmass.a.x run set.fmu --rtol 1e-7)" \
    "$(value a.x run drive.yaml --set a.k=6)" 1e-6 "settings"
"$program" info set.fmu | grep -q 'a\.k' && complain "a setting is a parameter"

# ---- refusals

cat >nested.yaml <<'END'
yoke: 1
subsystems: {inner: {fmu: d2.fmu, inputs: []}}
END
refused '"inner" is a closed part' "$program" export nested.yaml -o n.fmu
refused 'no extension of a format' "$program" export drive.yaml -o n.foo
refused 'neither 2 nor 3' "$program" export drive.yaml -o n.fmu --fmi 1
refused 'name the file' "$program" export drive.yaml
sed "s,models/,$scratch/models/," ball.yaml >absolute.yaml
refused 'relative to the system file' "$program" export absolute.yaml -o n.fmu
sed 's/outputs:.*/outputs: [a.nothing]/' drive.yaml >nothing.yaml
refused 'a.nothing' "$program" export nothing.yaml -o n.fmu
ls n.fmu >/dev/null 2>&1 && complain "a refused export leaves a file"
ls "${TMPDIR:-/tmp}"/yoke-?????? >/dev/null 2>&1 &&
    [ -n "${YOKE_TEST_ALONE:-}" ] && complain "folders are left behind"

# ---- inputs in system files

sed 's/force: .*/force: {unit: N, start: 2 m}/' drive.yaml >bad.yaml
refused 'bad.yaml:5' "$program" run bad.yaml
sed 's/force: .*/force: {what: 2}/' drive.yaml >bad.yaml
refused 'bad.yaml:5.*what' "$program" run bad.yaml
sed 's/  b: {lin/  inputs: {lin/' drive.yaml >bad.yaml
refused 'inputs' "$program" run bad.yaml
exit $failed
