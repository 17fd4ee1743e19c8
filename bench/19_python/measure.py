"""Calls per second of functions in Python, and runs of compiled parts from Python
against the program, both sides in one run."""

import csv
import pathlib
import resource
import shutil
import subprocess
import sys
import time

import numpy as np
import yoke

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples"
build = pathlib.Path(sys.argv[1])
quick = "--quick" in sys.argv
found = []


def tell(case, quantity, value):
    found.append((case, quantity, value))
    print(f"{case:24} {quantity:28} {value:.6g}")


def processor(who):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


# ---- calls ------------------------------------------------------------------

SIZES = {1: "rhs-1", 3: "rhs-3", 1000: "rhs-1000"}


def calls(n, function):
    """Per second: by a run with fixed steps, and by a loop in Python."""
    count = 0

    def rhs(t, x):
        nonlocal count
        count += 1
        return function(x)

    steps = max(10, int((2e4 if quick else 2e5) / (4 + n / 200)))
    s = yoke.System()
    s.add("a", yoke.Part(rhs, x0=np.ones(n), stepper="rk4", step=1.0 / steps,
                         sparsity={"G": (np.arange(n), np.arange(n))}))
    s.subsystems()  # built, the functions probed
    count = 0
    began = time.process_time()
    s.run(stop=1, spot=0, record="a.x1", jobs=1)
    by_run = count / (time.process_time() - began)
    x = np.ones(n)
    total, began = count, time.process_time()
    for _ in range(total):
        rhs(0.0, x)
    return by_run, total / (time.process_time() - began)


for n, case in SIZES.items():
    by_run, by_loop = calls(n, (lambda x: -x) if n > 1 else (lambda x: -x[0]))
    tell(case, "calls per second, run", by_run)
    tell(case, "calls per second, loop", by_loop)
    tell(case, "microseconds added", 1e6 / by_run - 1e6 / by_loop)

# ---- compiled parts ----------------------------------------------------------

RUN = """
import resource, sys, yoke
def used():
    u = resource.getrusage(resource.RUSAGE_SELF)
    return u.ru_utime + u.ru_stime
began = used()
yoke.run(sys.argv[1], jobs=1, **{k: v for k, v in
         (a.split("=") for a in sys.argv[3:])}, output=sys.argv[2])
print(used() - began)
"""


def program(path, options, output):
    """Seconds of the processor, those of an empty run of the program taken off."""
    def once(*command):
        before = processor(resource.RUSAGE_CHILDREN)
        subprocess.run([build / "yoke", *command], check=True,
                       stdout=subprocess.DEVNULL)
        return processor(resource.RUSAGE_CHILDREN) - before

    flags = [f for k, v in options.items() for f in ("--" + k, v)]
    return once("run", path, "--quiet", "--jobs", "1", "--output-file", output,
                *flags) - once("--version")


def python(path, options, output):
    told = subprocess.run([sys.executable, "-c", RUN, path, output,
                           *(f"{k}={v}" for k, v in options.items())],
                          check=True, capture_output=True, text=True)
    return float(told.stdout)


PROBLEMS = {"slider-crank": {"stop": "40"}, "two-masses": {"stop": "400"},
            "van-der-pol": {"rtol": "1e-9", "stop": "500"}}
for name, options in list(PROBLEMS.items())[:1 if quick else None]:
    path = EXAMPLES / name / "system.yaml"
    pairs = []
    for k in range(2 if quick else 11):  # in turn, so that both see the same load
        order = (program, python) if k % 2 else (python, program)
        took = {side: side(path, options, f"/tmp/yoke-{side.__name__}.csv")
                for side in order}
        pairs.append((took[program], took[python]))
    own, ours = (float(np.median([p[k] for p in pairs])) for k in (0, 1))
    tell(name, "seconds, program", own)
    tell(name, "seconds, Python", ours)
    tell(name, "overhead, percent",
         100 * float(np.median([b / a for a, b in pairs]) - 1))

# ---- instructions, which do not depend on the load ----------------------------


def instructions(*command):
    told = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no",
                           "--cachegrind-out-file=/dev/null", *command],
                          check=True, capture_output=True, text=True).stderr
    line = next(x for x in told.splitlines() if "refs" in x)
    return int(line.rsplit(":", 1)[1].replace(",", ""))


if shutil.which("valgrind"):
    path, stop = EXAMPLES / "two-masses" / "system.yaml", "10" if quick else "100"
    own = instructions(build / "yoke", "run", path, "--stop", stop, "--jobs",
                       "1", "--quiet", "--output-file", "/tmp/yoke-program.csv")
    own -= instructions(build / "yoke", "--version")
    ours = instructions(sys.executable, "-c", RUN, path, "/tmp/yoke-python.csv",
                        "stop=" + stop)
    ours -= instructions(sys.executable, "-c", "import resource, sys, yoke")
    tell("two-masses", "instructions, program", own)
    tell("two-masses", "instructions, Python", ours)
    tell("two-masses", "more instructions, percent", 100 * (ours / own - 1))

if not quick:
    with open(HERE / "results.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("case", "quantity", "value"))
        writer.writerows((a, b, f"{c:.6g}") for a, b, c in found)
