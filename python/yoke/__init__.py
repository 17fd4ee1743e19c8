"""Yoke: coupled differential-algebraic systems by dynamic iteration.

    import yoke

    result = yoke.run("drive.yaml", rtol=1e-6, parameters={"load.c": 4})
    result["motor.w"], result.time, result.frame()

Systems are read from files (system files, netlists, equation models, FMUs) or
built from subsystems, some of which may be written in Python:

    s = yoke.System()
    s.add("body", yoke.Part(lambda t, x, u: [x[1], u[0]], states=["x", "v"],
                            inputs=["f"], x0=[1, 0]))
    s.add("spring", yoke.Linear(D=-4, inputs=["x"], outputs=["f"]))
    s.connect("body.f = spring.f")
    s.connect("spring.x = body.x")
    s.run(stop=10)
"""

from ._check import Check, Contraction, Difference, Verdict
from ._core import version as __version__
from ._errors import Interrupted, NotConverged, Retry, YokeError
from ._part import (Component, Declared, Fmu, Include, Linear, Model, Netlist,
                    Part, part)
from ._result import Result, Table, read
from ._sweep import Sweep, sweep
from ._system import Progress, Run, System, run

__all__ = [
    "Check", "Component", "Contraction", "Declared", "Difference", "Fmu",
    "Include", "Interrupted", "Linear", "Model", "Netlist", "NotConverged",
    "Part", "Progress", "Result", "Retry", "Run", "Sweep", "System", "Table",
    "Verdict", "YokeError", "part", "read", "run", "sweep", "__version__",
]
