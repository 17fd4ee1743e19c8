#!/usr/bin/env python3
"""Makes circuits/NAME.csv from circuits/NAME.cir with ngspice (39 made the
files in the repository): python3 make_circuits.py [--program P] [NAME ...].
Each netlist has one analysis and names its columns by .print.  ngspice runs at
tight tolerances; a transient twice, with STEPS and twice as many equal steps,
so that what is stored is known to be converged: the finer run is written, and
the largest difference of the two, relative to the size of the column, to the
first line.  Then come the names, the size of each column (its largest absolute
value in the whole run), and the rows: time and values; or number of the row,
scale and values, of complex ones both parts.  Tests need neither ngspice nor
this script."""
import array
import bisect
import os
import re
import subprocess
import sys
import tempfile

STEPS = {"": 40000, "colpitts": 150000, "van_der_pol": 100000,
         "ring_oscillator": 100000, "rectifier": 100000, "bridge": 100000,
         "schmitt_trigger": 200000, "multivibrator": 200000,
         "charge_pump": 100000, "buck_converter": 800000,
         "switch_voltage": 200000, "switch_current": 200000,
         "comparator": 1500000,
         "jfet_tran": 100000, "emitter_follower": 100000,
         "ltra_rc": 2000, "ltra_rlc": 4000,
         "ltra_lossy": 4000}  # convolutions: steps squared
POINTS = 20
TIGHT = (".options reltol=1e-6 abstol=1e-14 vntol=1e-9 chgtol=1e-16 "
         "trtol=7 itl1=1000 itl4=200 gmin=1e-12")
# ngspice 39 ends with "timestep too small" at TIGHT.
LOOSER = {"doubler": ".options reltol=1e-5 abstol=1e-11 vntol=1e-7 itl4=200",
          "full_adder": ".options reltol=1e-5 abstol=1e-12 vntol=1e-7 "
                        "chgtol=1e-16 itl4=200",
          "vdmos_switch": ".options reltol=1e-5 abstol=1e-9 vntol=1e-6",
          "vdmos_half_bridge": ".options reltol=1e-5 abstol=1e-9 vntol=1e-6",
          "regulator": ".options reltol=1e-5 abstol=1e-11 vntol=1e-7 "
                       "itl4=200"}
SCALE = {"t": 1e12, "g": 1e9, "meg": 1e6, "k": 1e3, "m": 1e-3, "u": 1e-6,
         "n": 1e-9, "p": 1e-12, "f": 1e-15}


def number(text):
    m = re.match(r"([-+.0-9e]*[0-9.])(meg|[tgkmunpf])?", text)
    return float(m[1]) * SCALE.get(m[2], 1.0)


def columns_of(text):
    m = re.search(r"^\.print (tran|dc|ac|op) (.*)$", text, re.M)
    return m[1], m[2].split()


def prepare(text, steps, name=""):
    """The netlist with tolerances and, for .tran, the largest step."""
    lines = []
    for line in text.splitlines():
        if line.startswith(".tran"):
            words = line.split()
            stop = number(words[2])
            extra = " uic" if words[-1] == "uic" else ""
            line = ".tran %s %.12g 0 %.12g%s" % (
                words[1], stop, stop / steps, extra)
        if line.startswith(".print") and "@" in line:
            line = ".save all " + " ".join(
                w for w in line.split()[2:] if w[0] == "@")
        elif line.startswith(".print"):
            continue
        if line == ".end":
            lines.append(LOOSER.get(name, TIGHT))
        lines.append(line)
    return "\n".join(lines) + "\n"


def read_raw(path):
    data = open(path, "rb").read()
    head, body = data.split(b"Binary:\n", 1)
    head = head.decode("ascii")
    rows = int(re.search(r"No. Points: +(\d+)", head)[1])
    names = [w.split()[1] for w in
             head.split("Variables:\n")[1].strip("\n").split("\n")]
    width = 2 if "Flags: complex" in head else 1
    values = array.array("d")
    values.frombytes(body[:8 * rows * len(names) * width])
    n = len(names) * width
    return names, width, [values[k * n:(k + 1) * n] for k in range(rows)]


def run(program, text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "circuit.cir")
        raw = os.path.join(folder, "circuit.raw")
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        out = subprocess.run([program, "-b", "-r", raw, path],
                             capture_output=True, text=True, check=False,
                             timeout=600)
        if not os.path.exists(raw) or "aborted" in out.stdout + out.stderr:
            sys.exit(out.stdout + out.stderr)
        return read_raw(raw)


def at_time(rows, times, t):
    """Linear; the steps are small."""
    k = min(max(bisect.bisect_left(times, t), 1), len(times) - 1)
    a, b = rows[k - 1], rows[k]
    w = (t - a[0]) / (b[0] - a[0])
    return [x + w * (y - x) for x, y in zip(a, b)]


def pick(names, width, columns):
    lower = [n.lower() for n in names]
    found = []
    for c in columns:
        name = c if c in lower else re.sub(r"^i\((.*)\)$", r"\1#branch", c)
        if c[0] == "@" and name not in lower:
            name = "i(%s)" % c
        k = lower.index(name)
        found += [width * k + j for j in range(width)]
    return found


def transient(program, text, name, columns):
    steps = STEPS.get(name, STEPS[""])
    stop = number(re.search(r"^\.tran \S+ (\S+)", text, re.M)[1])
    times = [stop * (k + 1) / POINTS * (1.0 if k == POINTS - 1 else 0.987)
             for k in range(POINTS)]
    results = []
    for factor in (1, 2):
        names, width, rows = run(program, prepare(text, factor * steps, name))
        take = pick(names, width, columns)
        clock = [row[0] for row in rows]
        results.append([[at_time(rows, clock, t)[k] for k in take]
                        for t in times])
    size = [max(abs(row[k]) for row in rows) for k in take]
    change = max(abs(a - b) / s for x, y in zip(*results)
                 for a, b, s in zip(x, y, size) if s > 0)
    return (["time"] + columns, [0.0] + size,
            [[t] + row for t, row in zip(times, results[1])], change)


def table(program, text, kind, columns):
    names, width, rows = run(program, prepare(text, 1))
    take = pick(names, width, columns)
    every = -(-len(rows) // POINTS)
    head = [c + part for c in columns
            for part in (("", ) if width == 1 else ("_re", "_im"))]
    scale = [] if kind == "op" else [names[0].lower()]
    size = [max(abs(row[k]) for row in rows) for k in take]
    if width == 2:
        size = [max((row[k - k % 2]**2 + row[k - k % 2 + 1]**2)**0.5
                    for row in rows) for k in take]
    return (["row"] + scale + head, [0.0] * (1 + len(scale)) + size,
            [[k] + [rows[k][0]] * len(scale) + [rows[k][j] for j in take]
             for k in range(0, len(rows), every)], 0.0)


def main():
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "circuits")
    args = sys.argv[1:]
    program = "ngspice"
    if args[:1] == ["--program"]:
        program, args = args[1], args[2:]
    for file in sorted(os.listdir(here)):
        name, ending = os.path.splitext(file)
        if ending != ".cir" or (args and name not in args):
            continue
        text = open(os.path.join(here, file), encoding="ascii").read()
        kind, columns = columns_of(text)
        if kind == "tran":
            head, size, rows, change = transient(program, text, name, columns)
        else:
            head, size, rows, change = table(program, text, kind, columns)
        print("%-24s %s, %d rows, converged to %.1e" % (
            name, kind, len(rows), change), flush=True)
        with open(os.path.join(here, name + ".csv"), "w",
                  encoding="ascii") as out:
            out.write("# %s, converged to %.1e\n" % (kind, change))
            out.write(",".join(head) + "\n")
            for row in [size] + rows:
                out.write(",".join("%.9g" % (x + 0.0) for x in row) + "\n")


main()
