#!/bin/sh
# info.sh PROGRAM: yoke info of systems, models and results, as text and JSON.
set -u
program=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
status=0

# TEXT ARGUMENTS...: yoke info prints TEXT.
tells() {
    text=$1
    shift
    "$program" info "$@" >out 2>err || { echo "yoke info $*: failed"; status=1; }
    grep -qF -e "$text" out && return
    echo "yoke info $*: does not say: $text"
    cat out err
    status=1
}

# TEXT ARGUMENTS...: yoke info fails and says TEXT.
refuses() {
    text=$1
    shift
    if "$program" info "$@" >out 2>err; then
        echo "yoke info $*: should fail"
        status=1
    fi
    grep -qF -e "$text" err && return
    echo "yoke info $*: does not complain: $text"
    cat err
    status=1
}

# CONDITION ARGUMENTS...: holds for the JSON d (needs python3).
holds() {
    condition=$1
    shift
    "$program" info "$@" --json >out 2>err
    python3 -c '
import json, sys
d = json.load(open("out"))
def named(list, name): return [e for e in list if e["name"] == name][0]
if not eval(sys.argv[1]): sys.exit(1)
' "$condition" && return
    echo "yoke info $* --json: not so: $condition"
    cat out err
    status=1
}

cat >motor.mo <<'EOF'
connector Pin Real v; flow Real i; end Pin;
function twice input Real u; output Real y; algorithm y := 2*u; end twice;
model Motor
  parameter Real R(unit = "Ohm") = 2 "resistance";
  parameter Real k[2] = {1, 2};
  parameter Real tab[2,2] = [0, 0; 1, 1];
  Pin p;
  input Real load(unit = "N.m") "torque";
  output Real speed;
  Real w(start = 1), x, y, z(start = -1);
equation
  p.v = R*p.i + w;
  der(w) = k[1]*p.i - load + interpolate(tab, time);
  speed = w;
  der(x) = y;
  x = twice(w);
  der(z) = 1;
  when z > 0 then reinit(z, -1); end when;
end Motor;
EOF
cat >needs.mo <<'EOF'
model Needs
  parameter Real R "no default";
  Real x;
equation
  der(x) = -R*x;
end Needs;
EOF
cat >system.yaml <<'EOF'
yoke: 1
name: a motor
run: {stop: 2 s, rtol: 1e-4}
subsystems:
  m: {model: motor.mo, class: Motor, parameters: {R: 3 Ohm}, stepper: ida}
  r: {linear: {D: g, u: p.i, y: p.v}, parameters: {g: 5}}
  b: {linear: {A: -1, B: 1, u: w}}
couplings:
  - connect: [m.p, r.p]
  - signal: m.load = 0.1*b.x1; b.w = m.speed
output: {every: 10 ms, file: [a.csv, b.csv]}
EOF

# Equation models
tells 'model        Motor (line 3)' motor.mo
tells 'function     twice (line 2)' motor.mo
tells 'R = 2 Ohm  -- resistance' motor.mo
tells 'k[2] = {1, 2}' motor.mo
tells 'load N.m  -- torque' motor.mo
tells 'p: potential p.v, flow p.i' motor.mo
tells 'index: 2, reduced to 1' motor.mo
tells 'events: 1 of the state, 0 in time' motor.mo
tells 'tables: tab' motor.mo
refuses 'the parameter R has no value' needs.mo
grep -q 'R = not given  -- no default' out || { echo "needs.mo: R?"; status=1; }
refuses 'there is no model Engine' motor.mo --class Engine
refuses 'nowhere.mo: No such file' nowhere.mo
refuses '--rtol is not for this kind of file' motor.mo --rtol 1

# Systems
tells 'system "a motor"' system.yaml
tells 'm: model motor.mo, class Motor, stepper ida' system.yaml
tells 'R = 3 Ohm (file, line 5)  -- resistance' system.yaml
tells 'k = {1, 2} (default)' system.yaml
tells 'k = {1, 9} (command line)' system.yaml --set 'm.k[2]=9'
tells 'g = 7 (command line)' system.yaml --set r.g=7
tells 'inputs: p.i load' system.yaml
tells 'signal: m.load = 0.1*b.x1; b.w = m.speed (line 10)' system.yaml
tells 'connect c1: ports: m.p, r.p (line 9)' system.yaml
tells 'rtol         = 0.0001 (file, line 3)' system.yaml
tells 'rtol         = 1e-07 (command line)' system.yaml --rtol 1e-7
tells 'rtol         = 1e-07 (command line)' system.yaml --set run.rtol=1e-7
tells 'atol         = 1e-09 (default)' system.yaml
tells 'output       = a.csv b.csv (file, line 11)' system.yaml
tells 'output       = c.csv (command line)' system.yaml -o c.csv
tells 'joint: system "two structures and a joint"' joint
refuses 'there is no parameter Q' system.yaml --set m.Q=1
refuses '--set m.Q=1: ' system.yaml --set m.Q=1
refuses 'yoke info lists all' system.yaml --set m.Q=1
refuses 'there are: m, r, b' system.yaml --set n.R=1
# A closed part says how it goes back in time; nothing is started for that.
cat >program.yaml <<'END'
yoke: 1
subsystems: {a: {program: [./nothing, case], inputs: [u], outputs: {y: N}}}
run: {stop: 1}
END
tells 'closed: program ./nothing: 1 inputs, 1 outputs; it goes back in time' \
    program.yaml
refuses 'neither a file nor an example' nothing

# Results
"$program" run two-masses --stop-time 0.1 -o result.csv --quiet
hdf5=yes
"$program" run two-masses --stop-time 0.1 -o result.h5 --quiet 2>err || {
    cat err
    grep -q 'built without HDF5' err || status=1
    hdf5=
}
tells 'left.x' result.csv
[ -z "$hdf5" ] || tells 'system: two masses' result.h5
tells 'system: two masses' result.csv
"$program" run pantograph --stop-time 0.002 -o wire.csv --quiet
tells 'profile: catenary.contact: deflection [m] at 501 points along x from 0 to 20 m' \
    wire.csv
printf 'note,text\nprofiles,"profile\ta"\n' >wire.notes.csv
refuses 'note "profiles", line 1: fields are missing' wire.csv
"$program" run pantograph --stop-time 0.002 -o wire.csv --quiet
refuses 'result.csv' nowhere/result.csv
refuses 'name a result, a system file' --json


# Netlists.
cat >net.cir <<'END'
a title
v1 a 0 1
r1 a b 1k
l1 b c 1m
l2 c d 1m
r2 d 0 1k
c1 d 0 1n
.tran 1u 1m
.op
.end
END
tells "net.cir: netlist: a title" net.cir
tells "       2 inductors" net.cir
tells "tran: to 0.001 s" net.cir
tells "only inductors and current sources lead to v(c): l1 (line 4), l2" net.cir
tells "vdrive" netlist-plant --set plant.vdrive=0
printf 'open\nv1 a 0 1\nc1 a b 1n\nc2 b 0 1n\n.op\n' >open.cir
refuses "open.cir:3: the node of v(b) has no path for direct current" open.cir

# Variables that equal another, or are constant, on request and by name.
cat >alias.mo <<'END'
model A
  output Real x(start = 1, fixed = true, unit = "m");
  Real y(unit = "m");
  Real z;
  Real c(unit = "kg");
equation
  der(x) = -x;
  y = -x;
  z = y;
  c = 5;
end A;
END
cat >alias.yaml <<'END'
yoke: 1
subsystems:
  a: {model: alias.mo}
END
"$program" run alias.yaml --every 1 --aliases true -o alias.csv --quiet || status=1
awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) { sub(/.*\./, "", $k); at[$k] = k } }
    NR > 1 && !($at["y"] == -$at["x"] && $at["z"] == -$at["x"] && $at["c"] == 5 &&
        $at["x"] > 0.3) { bad = 1 }
    END { exit bad || NR != 3 || length(at) != 5 }' alias.csv ||
    { echo "aliases: not so"; cat alias.csv; status=1; }
tells "kg" alias.csv
name=$(head -n 1 alias.csv | tr ',' '\n' | grep 'y$')
"$program" run alias.yaml --every 1 --record "$name" -o alias.csv --quiet || status=1
[ "$(head -n 1 alias.csv)" = "time,$name" ] ||
    { echo "an alias by its name: $(head -n 1 alias.csv)"; status=1; }
tells "           -1     -0.367879" alias.csv
"$program" run alias.yaml --every 1 -o alias.csv --quiet || status=1
head -n 1 alias.csv | grep -q 'c$' && { echo "aliases unasked"; status=1; }

# A peak of 500 V that lasts a millionth of the run, and the units of a circuit.
cat >peak.cir <<'END'
a peak
v1 a 0 pwl(0 0 0.3e-3 0 0.3000005e-3 500 0.300001e-3 0 1 0)
r1 a b 1k
c1 b 0 1n
.tran 1u 1m
.end
END
"$program" run peak.cir --every auto -o peak.csv --units true --quiet || status=1
tells "least, most, mean and rms: of the whole solution" peak.csv
tells "v(a)   V                    0           500" peak.csv
sed -n 2p peak.csv | grep -q '^s,V' || { echo "peak.csv: no units"; status=1; }
awk -F, 'NR > 2 && $3 > most { most = $3 } NR > 2 { rows++ }
    END { exit !(most > 499 && rows > 500 && rows < 1000) }' peak.csv ||
    { echo "peak.csv: the peak is not in the rows"; status=1; }
rm peak.statistics.csv
tells "least, most, mean and rms: of the rows, with straight lines" peak.csv
"$program" run peak.cir --every auto -o - --quiet 2>err >stream.csv || status=1
tail -n +3 peak.csv >a; tail -n +2 stream.csv >b
cmp a b || { echo "standard output is not the same"; status=1; }
ls stream.* | grep -qx stream.csv || status=1
[ "$(ls stream.* | wc -l)" = 1 ] || { echo "files beside a stream"; status=1; }
"$program" run peak.cir --stop 1e-5 -o - 2>err >stream.csv || status=1
head -n 1 stream.csv | grep -q '^time,' || { echo "words in the result"; status=1; }
grep -q "result: standard output" err || { echo "no summary"; status=1; }

if python3 -c '' 2>/dev/null; then
    holds '(d["statistics"] == "rows" and d["columns"][2]["unit"] == "V" and
        d["columns"][2]["most"] > 499)' peak.csv
    holds 'd["kind"] == "model" and d["model"] == "Motor"' motor.mo
    holds '[c["name"] for c in d["classes"]] == ["Pin", "twice", "Motor"]' \
        motor.mo
    holds 'named(d["parameters"], "R") == {"name": "R", "unit": "Ohm",
        "description": "resistance", "line": 4, "size": [], "value": 2,
        "final": False}' motor.mo
    holds 'named(d["parameters"], "tab")["value"] == [0, 0, 1, 1]' motor.mo
    holds 'd["ports"] == [{"name": "p", "potential": "p.v", "flow": "p.i",
        "open": True}]' motor.mo
    holds '(d["structure"]["index"] == 2 and d["structure"]["tables"] ==
        ["tab"] and d["structure"]["state_events"] == 1)' motor.mo
    holds 'd["structure"] is None and "no value" in d["problem"]' needs.mo
    holds 'd["kind"] == "system" and d["name"] == "a motor"' system.yaml
    holds 'named(named(d["subsystems"], "m")["parameters"], "R") == {
        "name": "R", "value": 3, "unit": "Ohm", "description": "resistance",
        "written": "3 Ohm", "origin": "file", "line": 5}' system.yaml
    holds '(named(d["subsystems"], "m")["class"] == "Motor" and
        named(d["subsystems"], "r")["path"] is None)' system.yaml
    holds '[c["kind"] for c in d["couplings"]] == ["connect", "signal"]' \
        system.yaml
    holds 'd["couplings"][0]["ports"] == ["m.p", "r.p"]' system.yaml
    holds 'named(d["run"], "stop") == {"name": "stop", "value": "2",
        "default": "1", "origin": "file", "line": 3}' system.yaml
    holds 'named(d["run"], "stop")["origin"] == "command line"' system.yaml \
        --stop-time 3
    holds 'd["output_files"] == ["a.csv", "b.csv"]' system.yaml
    for result in result.csv ${hdf5:+result.h5}; do
        holds 'd["kind"] == "result" and d["columns"][0]["name"] == "time"' \
            $result
        holds 'd["notes"]["converged"] == "yes" and d["rows"] > 1' $result
    done
    holds 'd["notes"]["converged"] == "yes" and d["profiles"] == []' result.csv
    holds '[p["name"] for p in d["profiles"]] == ["catenary.carrier",
        "catenary.contact"]' wire.csv
    holds '(d["profiles"][1]["columns"][:2] == [None, "catenary.contact[1]"] and
        len(d["profiles"][1]["at"]) == 501 and d["profiles"][1]["unit"] ==
        "m")' wire.csv
    holds 'd["file"] == "joint"' joint
    holds '(d["kind"] == "netlist" and d["kinds"] == {"c": 1, "l": 2, "r": 2,
        "v": 1} and d["analyses"] == ["tran", "op"] and d["nodes"] == 5)' net.cir
    holds '["index 2" in r for r in d["remarks"]] == [True]' net.cir
    holds 'named(d["subsystems"], "plant")["source"] == "netlist"' netlist-plant
else
    echo "JSON is not tested: there is no python3"
fi
exit $status
