#!/usr/bin/env python3
"""Makes devices.csv from devices.txt with ngspice (39 made the file in the
repository): python3 make_devices.py [PROGRAM].  Rows: case, temperature, "dc",
the voltages of the terminals, the currents into them; or "ac", the voltages,
the matrix of admittances at the angular frequency 1e6, row by row, real part
and imaginary part over 1e6; "cap" is "ac" of which only the imaginary parts
are compared.  Tests need neither ngspice nor this script."""
import itertools
import math
import os
import re
import subprocess
import sys
import tempfile

TERMINALS = {"d": 2, "q": 3, "m": 4, "j": 3}
OMEGA = 1e6


def terminals(card):
    return 3 if card[1].startswith("vdmos") else TERMINALS[card[0]]


def read_cases(path):
    cases = []
    for line in open(path, encoding="ascii"):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "case":
            cases.append({"name": words[1], "kinds": words[2]})
        elif words[0] == "card":
            cases[-1]["card"] = words[1:]
        elif words[0] == "temps":
            cases[-1]["temps"] = words[1:]
        elif words[0] == "volts":
            cases[-1]["volts"] = [w.split(",") for w in words[1:]]
        else:
            sys.exit("unknown line: " + line)
    return cases


def netlist(case, temperature):
    card = case["card"]
    split = card.index(":") if ":" in card else len(card)
    kind, model = card[0], card[1]
    nodes = ["n%d" % k for k in range(terminals(card))]
    text = ["device", ".model card %s %s" % (model, " ".join(card[2:split]))]
    text.append("%s1 %s card %s" % (kind, " ".join(nodes),
                                    " ".join(w for w in card[split + 1:]
                                             if w != "meyer")))
    for k, node in enumerate(nodes):
        text.append("v%d %s 0 dc 0 ac 0" % (k, node))
    text.append(".options temp=%s reltol=1e-9 abstol=1e-20 vntol=1e-12 "
                "itl1=500" % temperature)
    text += [".control", "set numdgt=16"]
    return text


def tasks(case):
    """Commands of each analysis, in the order of the rows."""
    n = terminals(case["card"])
    show = "print " + " ".join("i(v%d)" % k for k in range(n))
    for point in itertools.product(*case["volts"]):
        bias = ["alter v%d dc = %s" % (k, v) for k, v in enumerate(point)]
        if "dc" in case["kinds"]:
            yield bias + ["op", show]
        if case["kinds"] != "dc":
            for k in range(n):
                yield bias + ["alter @v%d[acmag] = %d" % (j, j == k)
                              for j in range(n)] + [
                    "ac lin 1 %.17g %.17g" % ((OMEGA / 2 / math.pi,) * 2), show]


def run(program, text):
    text = "\n".join(text + [".endc", ".end", ""])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "device.cir")
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        out = subprocess.run([program, "-b", path], capture_output=True,
                             text=True, check=False, timeout=300)
    values = [(float(m[1]), float(m[2] or 0)) for m in re.finditer(
        r"^i\(v\d\) = ([-+.0-9e]+)(?:,([-+.0-9e]+))?", out.stdout, re.M)]
    return values, out


def run_all(program, case, temperature):
    head = netlist(case, temperature)
    lists = list(tasks(case))
    # ngspice 39 multiplies the area of a diode by m again in every analysis of
    # one run: give each analysis its own.
    card = case["card"]
    own = card[card.index(":"):] if ":" in card else []
    if card[0] == "d" and any(word.startswith("m=") for word in own):
        values = []
        for commands in lists:
            more, out = run(program, head + commands)
            values += more
        return values, out
    return run(program, head + [c for commands in lists for c in commands])


def number(x):
    return "%.10g" % (x + 0.0)


def rows(program, case):
    n = terminals(case["card"])
    for temperature in case["temps"]:
        values, out = run_all(program, case, temperature)
        take = iter(values)
        points = list(itertools.product(*case["volts"]))
        each = (n if "dc" in case["kinds"] else 0) + (
            n * n if case["kinds"] != "dc" else 0)
        if len(values) != each * len(points):
            sys.exit("%s: %d values instead of %d\n%s\n%s" % (
                case["name"], len(values), each * len(points), out.stdout,
                out.stderr))
        for point in points:
            head = [case["name"], temperature]
            if "dc" in case["kinds"]:
                yield head + ["dc"] + list(point) + [
                    number(-next(take)[0]) for _ in range(n)]
            if case["kinds"] != "dc":
                columns = [[next(take) for _ in range(n)] for _ in range(n)]
                flat = []
                for j in range(n):
                    for k in range(n):
                        re_, im = columns[k][j]
                        flat += [number(-re_), number(-im / OMEGA)]
                yield head + ["cap" if case["kinds"] == "cap" else "ac"
                              ] + list(point) + flat


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    program = sys.argv[1] if len(sys.argv) > 1 else "ngspice"
    with open(os.path.join(here, "devices.csv"), "w", encoding="ascii") as out:
        for case in read_cases(os.path.join(here, "devices.txt")):
            for row in rows(program, case):
                out.write(",".join(row) + "\n")


main()
