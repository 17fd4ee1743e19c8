#!/usr/bin/env python3
"""measure.py BUILD [--quick] -- errors of ngspice and Yoke at their presets."""
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

MOST = 1e-3  # error of Yoke with its preset

# name: circuit, printed step, stop
CIRCUITS = {
    "clipper": ("""v1 in 0 pulse(0 5 0 1u 1u 5u 12u)
r1 in out 1k
d1 out 0 dm
.model dm d(is=1e-14 n=1)""", 1e-7, 36e-6),
    "rectifier": ("""v1 in 0 sin(0 10 1k)
d1 in out dm
r1 out 0 1k
c1 out 0 1u
.model dm d(is=1e-14 rs=1 cjo=4p tt=5n)""", 5e-6, 5e-3),
    "rlc": ("""v1 in 0 pulse(0 1 0 10n 10n 1 2)
r1 in a 10
l1 a out 1m
c1 out 0 1n""", 2e-7, 200e-6),
    "amplifier": ("""vcc c 0 12
vin i 0 sin(0 10m 10k)
c1 i b 10u
r1 c b 47k
r2 b 0 10k
rc c out 2.2k
re e 0 470
ce e 0 100u
q1 out b e qn
.model qn npn(bf=200 cje=8p cjc=4p tf=0.4n tr=50n)""", 1e-6, 500e-6),
    "inverters": ("""vdd d 0 5
vin a 0 pulse(0 5 0 1n 1n 20n 50n)
m1 b a d d p w=20u l=1u
m2 b a 0 0 n w=10u l=1u
m3 out b d d p w=20u l=1u
m4 out b 0 0 n w=10u l=1u
c1 b 0 0.1p
c2 out 0 0.5p
.model n nmos(vto=0.8 kp=50u cgso=0.3n cgdo=0.3n tox=20n)
.model p pmos(vto=-0.8 kp=20u cgso=0.3n cgdo=0.3n tox=20n)""", 2e-10, 200e-9),
}
TIGHT = ".options reltol=1e-6 vntol=1e-9 abstol=1e-15 chgtol=1e-17"


def read_raw(path):
    """Times and v(out) of a binary raw file."""
    head, body = open(path, "rb").read().split(b"Binary:\n", 1)
    head = head.decode()
    cols = int(re.search(r"No. Variables:\s*(\d+)", head)[1])
    rows = int(re.search(r"No. Points:\s*(\d+)", head)[1])
    lines = head.split("Variables:\n", 1)[1].splitlines()[:cols]
    names = [line.split()[1].lower() for line in lines]
    data = np.frombuffer(body, count=cols * rows).reshape(rows, cols)
    return data[:, 0], data[:, names.index("v(out)")]


def ngspice(name, options, longest=""):
    body, step, stop = CIRCUITS[name]
    with open("n.cir", "w") as f:
        f.write(f"{name}\n{body}\n{options}\n.tran {step} {stop} {longest}\n"
                ".end\n")
    subprocess.run(["ngspice", "-b", "-r", "n.raw", "n.cir"],
                   capture_output=True, check=False)
    return read_raw("n.raw")


def yoke(program, name, extra):
    body, step, stop = CIRCUITS[name]
    with open("y.cir", "w") as f:
        f.write(f"{name}\n{body}\n.tran {step} {stop}\n.end\n")
    run = subprocess.run([program, "run", "y.cir", "-o", "y.csv", "--json",
                          *extra], capture_output=True, text=True, check=True)
    work = json.loads(run.stdout)["work"].values()
    lines = open("y.csv").read().splitlines()
    column = lines[0].split(",").index("v(out)")
    data = np.array([line.split(",") for line in lines[1:]], dtype=float)
    return data[:, 0], data[:, column], sum(w["steps"] for w in work)


def measure(program, name):
    _, step, stop = CIRCUITS[name]
    t, exact = ngspice(name, TIGHT, f"0 {step / 20}")
    size = np.max(np.abs(exact))
    grid = np.arange(step, stop * (1 - 1e-9), step)
    want = np.interp(grid, t, exact)

    def on_grid(s, v):
        return np.max(np.abs(np.interp(grid, s, v) - want)) / size

    s, v = ngspice(name, "")
    out = {"ngspice points": np.max(np.abs(v - np.interp(s, t, exact))) / size,
           "ngspice grid": on_grid(s, v), "ngspice steps": len(s)}
    for label, extra in (("1e-3", ["--rtol", "1e-3"]), ("preset", [])):
        s, v, steps = yoke(program, name, extra)
        out[f"yoke {label}"] = on_grid(s, v)
        out[f"yoke {label} steps"] = steps
    return out


def main():
    program = os.path.abspath(os.path.join(sys.argv[1], "yoke"))
    here = os.path.dirname(os.path.abspath(__file__))
    rows, bad = [], 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in CIRCUITS:
            for quantity, value in measure(program, name).items():
                rows.append(f"{name},{quantity},{value:.3g}")
                print(rows[-1])
                if quantity == "yoke preset" and not value < MOST:
                    print(f"FAILED: {value:.3g} is not below {MOST:g}")
                    bad += 1
        os.chdir(here)
    if "--quick" not in sys.argv:
        with open(os.path.join(here, "results.csv"), "w") as f:
            f.write("case,quantity,value\n" + "\n".join(rows) + "\n")
    sys.exit(1 if bad else 0)


main()
