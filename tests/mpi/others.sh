#!/bin/sh
# others.sh YOKE_MPI YOKE -- what the examples do not have: all steppers, events with
# memory, delays, averaged schedules, parts of a netlist, merging before and in the run,
# a host by its name.
mpi=$1 yoke=$2 ranks=3
. "$(dirname "$0")/mpirun.sh"
. "$(dirname "$0")/compare.sh"
problems=$(cd "$(dirname "$0")/../../bench/07_work_precision/problems" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
YOKE_CACHE=$work/cache
export YOKE_CACHE
cd "$work" || exit 1

fail() {
    echo "$1"
    status=1
}

cat >models.mo <<'END'
model Mass
  parameter Real m = 1, k = 40, c = 0.5;
  input Real left, right;
  output Real x(start = 1, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(x) = v;
  m*der(v) = k*(left - x) + k*(right - x) - c*v - x^3;
end Mass;
model Thermostat
  input Real T;
  output Real heat;
  discrete Real on(start = 1, fixed = true), last(start = 0, fixed = true);
equation
  heat = 4*on;
  when T > 1.2 then
    on = 0; last = time;
  elsewhen T < 0.8 then
    on = 1; last = time;
  end when;
end Thermostat;
model Room
  input Real heat, wall;
  output Real T(start = 0, fixed = true);
equation
  der(T) = heat - 2*(T - wall);
end Room;
model Wall
  input Real room;
  output Real T(start = 0, fixed = true);
equation
  der(T) = 0.2*(room - T) - 0.05*T;
end Wall;
model Fast
  input Real T;
  output Real heat;
  Real i(start = 0, fixed = true);
equation
  der(i) = 300*(sin(400*time) - (1 + 0.2*T)*i);
  heat = i^2;
end Fast;
END

# chain NAME RUN STEPPER DELAY: four masses.
chain() {
    cat >"$1.yaml" <<END
yoke: 1
run: {stop: 1, $2}
subsystems:
  a: {model: models.mo, class: Mass, $3}
  b: {model: models.mo, class: Mass, parameters: {m: 2}, $3}
  c: {model: models.mo, class: Mass, parameters: {m: 3}, $3}
  d: {model: models.mo, class: Mass, parameters: {k: 10}, $3}
couplings:
  - {signal: a.left = d.x$4}
  - signal: a.right = b.x; b.left = a.x; b.right = c.x
  - signal: c.left = b.x; c.right = d.x; d.left = c.x; d.right = a.x
END
}

for stepper in radau5 trbdf2 genalpha ida "bdf2, step: 1 ms" "rk4, step: 1 ms" \
    "trapezoidal, step: 1 ms"; do
    chain chain "cluster: none" "stepper: $stepper" ""
    compare chain.yaml --scheme jacobi
done
chain chain "cluster: none" "stepper: radau5" ""
compare chain.yaml --scheme jacobi
# Inputs and facts that the other side has are not sent again: 1.7 times as much before.
bytes=$(sed -n 's/.* messages, \([0-9.e+]*\) bytes.*/\1/p' ranks.json)
echo "$bytes" | awk '{ exit !($1 > 0 && $1 < 340000) }' || fail "$bytes bytes"
compare chain.yaml --schedule "a, c > b, d"
compare chain.yaml --schedule "0.5 * a > b > c > d; 0.5 * d > c > b > a"
compare chain.yaml --oracle
compare chain.yaml --accelerate none --window 0.01
compare chain.yaml --cluster auto
chain delay "" "stepper: radau5" ", delay: 50 ms"
compare delay.yaml
chain host "cluster: none, scheme: jacobi" "host: $(uname -n)" ""
compare host.yaml

# A circuit that uses devices again where their voltages hardly changed, to its own
# tolerance whatever others have asked it for.
cat >diode.cir <<'END'
a rectifier
vin a 0 0
rs a s1 1
d1 s1 out dm
rload out 0 10
cl out 0 10u
.model dm d(is=1e-9 n=0.9665599)
.end
END
cat >diode.yaml <<'END'
yoke: 1
run: {stop: 4 ms, cluster: none, rtol: 1e-4, atol: 1e-4}
subsystems:
  source: {linear: {E: 0, A: -1, source: "16*sin(2*pi*600*time)", x: v}}
  load: {netlist: diode.cir, inputs: {vin: u}, outputs: [v(out)]}
couplings:
  - signal: load.u = source.v
END
compare diode.yaml
compare diode.yaml --stepper implicit-euler --step 2e-5

cat >room.yaml <<'END'
yoke: 1
run: {stop: 5}
subsystems:
  thermostat: {model: models.mo, class: Thermostat}
  room: {model: models.mo, class: Room}
  wall: {model: models.mo, class: Wall}
couplings:
  - signal: thermostat.T = room.T
  - signal: room.heat = thermostat.heat; room.wall = wall.T
  - signal: wall.room = room.T
END
compare room.yaml
compare room.yaml --scheme jacobi --cluster none

# A second solution shows that errors add up, and the run begins again.
cat >swing.mo <<'END'
model Place
  input Real v;
  output Real x(start = 1, fixed = true);
equation
  der(x) = v;
end Place;
model Speed
  input Real x;
  output Real v(start = 0, fixed = true);
equation
  der(v) = -x;
end Speed;
END
cat >swing.yaml <<'END'
yoke: 1
run: {stop: 4000, rtol: 1e-3, cluster: none}
subsystems:
  a: {model: swing.mo, class: Place}
  b: {model: swing.mo, class: Speed}
couplings:
  - signal: a.v = b.v; b.x = a.x
END
compare swing.yaml
grep -q '"second": {"made": true.*"part": 0\.0' ranks.json ||
    fail "no second solution, or nothing was mended"

# The same with a closed part, which is begun anew where it is; it has few points, so
# that errors are there.
if command -v python3 >/dev/null; then
    cat >rise.py <<'END'
import math, sys
while True:
    word = sys.stdin.readline().split()
    if not word or word[0] == "quit":
        break
    if word[0] == "hello":
        print("protocol 1\ncontrols\nsaves")
    if word[0] == "start":
        print("values 0")
    if word[0] == "advance":
        t0, t1 = float(word[1]), float(word[2])
        for k in range(int(word[4])):
            sys.stdin.readline()
        for i in range(1, 7):
            t = t0 + (t1 - t0) * i / 6
            print("point %.17g %.17g" % (t, 1 - math.exp(-10 * t)))
    print("done", flush=True)
END
    cat >rise.yaml <<'END'
yoke: 1
run: {stop: 1, rtol: 1e-5}
subsystems:
  p: {program: [python3, rise.py], outputs: [y], direct: false}
  x: {linear: {A: 10, B: -10, x0: 0.5, x: x, u: u}}
couplings:
  - signal: x.u = p.y
END
    compare rise.yaml
    grep -q '"second": {"made": true.*"part": 0\.0' ranks.json ||
        fail "no second solution of a closed part, or nothing was mended"
    grep -q '"rank [12] on [^:]*: p"' ranks.json || fail "who had p is not told"

    # One whose steps are ours: the second solution has twice as many at least.
    cat >lag.py <<'END'
import math, sys
x, old = 1.0, {}
while True:
    word = sys.stdin.readline().split()
    if not word or word[0] == "quit":
        break
    if word[0] == "hello":
        print("protocol 1\nsaves")
    if word[0] == "start":
        x = 1.0
        print("values 1")
    if word[0] == "save":
        old[word[1]] = x
    if word[0] == "restore":
        x = old[word[1]]
    if word[0] == "advance":
        t = float(word[1])
        for k in range(int(word[3])):
            end, u = map(float, sys.stdin.readline().split()[1:])
            x, t = u + (x - u) * math.exp(t - end), end
            print("point %.17g %.17g" % (t, x))
    print("done", flush=True)
END
    cat >lag.yaml <<'END'
yoke: 1
run: {stop: 1, rtol: 1e-4}
subsystems:
  p: {program: [python3, lag.py], inputs: [u], outputs: [x], direct: false}
  o: {linear: {A: [[0, 1], [-9, 0]], B: [0, 1], x0: [1, 0], x: [x, v], u: u}}
couplings:
  - signal: p.u = o.x; o.u = p.x
END
    compare lag.yaml
    grep -q '"second": {"made": true' ranks.json || fail "no second solution"
fi

# A unit begins with what its system remembered in rank 0 when it was put together.
cat >sampled.mo <<'END'
model Sampled
  input Real u, w;
  output Real x(start = 0, fixed = true);
  discrete Real s(start = 0, fixed = true);
equation
  when sample(0, 0.07) then
    s = 0.5*pre(s) + u;
  end when;
  der(x) = s - x + 0.1*w;
end Sampled;
model Grow
  input Real u;
  output Real x(start = 0.5, fixed = true), v;
equation
  der(x) = -x + 0.4*(1 + 9.08*time)*u + cos(5*time);
  v = -x*(1 + 9.08*time);
end Grow;
END
cat >sampled.yaml <<'END'
yoke: 1
run: {stop: 0.1, rtol: 1e-3, spot: 0}
subsystems:
  a: {model: sampled.mo, class: Grow}
  b: {model: sampled.mo, class: Sampled}
  c: {linear: {A: [[0, 1], [-11, -0.5]], B: [0, 1], x0: [0.563, 0], x: [x, v], u: u}}
couplings:
  - signal: a.u = -0.849*a.v
  - signal: "b.u = max(a.v, 0)*0.3 + sin(time)"
  - signal: b.w = -0.452*c.x - 0.029*a.v
  - signal: "c.u = max(a.x, 0)*0.3 + sin(time)"
END
compare sampled.yaml

# Merged in the run, because that is cheaper: the states travel.
for name in multirate rectifier; do
    sed 's/models.mo/merged.mo/' "$problems/$name.yaml" >$name.yaml
    cp "$problems/models.mo" merged.mo
    compare $name.yaml
    grep -q '"rung": "monolithic", "time": 0\.[0-9]' serial.json ||
        fail "$name: nothing was merged in the run"
    [ "$(sed -n 's/.*"\([0-9]*\) messages.*/\1/p' ranks.json)" -gt 100 ] ||
        fail "$name: it was in one rank from the start"
done

# Cells that sleep, in parts.
cat >inverters.cir <<'END'
chain of inverters
.model n nmos level=1 vto=0.7 kp=100u
.model p pmos level=1 vto=-0.7 kp=50u
.subckt inv in out vdd
mn out in 0 0 n w=2u l=1u
mp out in vdd vdd p w=4u l=1u
c1 out 0 20f
.ends
vdd vdd 0 3
vin n0 0 pulse(0 3 1n 0.1n 0.1n 5n 12n)
x1 n0 n1 vdd inv
x2 n1 n2 vdd inv
x3 n2 n3 vdd inv
x4 n3 n4 vdd inv
x5 n4 n5 vdd inv
x6 n5 n6 vdd inv
.tran 0.1n 15n
.end
END
compare inverters.cir
sed 's/^\.tran/* yoke: partition hierarchy\n&/' inverters.cir >parts.cir
compare parts.cir --cluster none
compare parts.cir --cluster none --scheme jacobi

echo "$compared runs compared, $travelled with units in other ranks"
[ "$travelled" -ge 14 ] || {
    echo "too few were in other ranks"
    status=1
}
exit $status
