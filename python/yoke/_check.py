"""Checks before a run, and the comparison of a run with others."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Optional

import numpy as np

from . import _core
from ._errors import NotConverged, YokeError
from ._result import Result

if TYPE_CHECKING:
    from ._system import System

__all__ = ["Check", "Verdict", "Contraction", "Difference"]


class Contraction(NamedTuple):
    """How one sweep acts over one implicit step of length ``h``."""

    h: float
    radius: float
    norm: float


class Check:
    """What a check found."""

    ok: bool
    """Every input is connected and every part is solvable."""
    problem: str
    """Why not, in the words of ``yoke check``; or ``""``."""
    schedule: str
    """What runs after what in a sweep."""
    contraction: list[Contraction]
    """At the start, for shorter and shorter steps; empty if there is nothing to
    iterate, or if it is not known."""
    orders: list[tuple[str, float]]
    """Schedules and their radius over a window, best first."""
    subsystems: dict[str, dict[str, Any]]
    """Of each: differential and algebraic unknowns, index."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.ok = told["status"] == 0
        self.problem = told["problem"] or ""
        self.schedule = told["schedule"]
        self.contraction = [Contraction(*c) for c in told["contraction"]]
        self.orders = told["orders"]
        self.subsystems = {
            name: {"solvable": solvable, "differential": d, "algebraic": a,
                   "index": index, "text": text}
            for name, solvable, d, a, index, text in told["parts"]}

    @property
    def contracts(self) -> Optional[bool]:
        """Does the iteration contract, at the start, on short windows?  None:
        it is not known, or there is nothing to iterate."""
        radii = [c.radius for c in self.contraction if not math.isnan(c.radius)]
        return radii[-1] < 1 - 1e-6 if radii else None

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        lines = [f"schedule: {self.schedule}"]
        for name, s in self.subsystems.items():
            if s["differential"] + s["algebraic"]:
                lines.append(f"{name}: {s['differential']} differential, "
                             f"{s['algebraic']} algebraic, index {s['index']}")
        lines.append(self.problem or "every cluster is solvable")
        if self.contraction:
            lines.append("contraction per sweep at the start:")
            lines += [f"  h = {c.h:<10.3g} radius {c.radius:.4g}"
                      for c in self.contraction]
            lines.append("The iteration contracts." if self.contracts else
                         "The iteration diverges in this order, however short "
                         "the windows.")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<yoke.Check: {'ok' if self.ok else self.problem}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def check(system: "System", parameters: Optional[Mapping[str, Any]],
          options: Mapping[str, Any]) -> Check:
    from ._system import option_pairs

    chosen = {**system.options, **options}
    model = system._built(parameters or {}, chosen.get("start"))
    return Check(model.check(option_pairs(chosen)))


# ---- verify ----------------------------------------------------------------

# As `yoke verify`: what the tolerance promises, since steppers control the
# error of a step, which adds up over the run.
PROMISE = 10.0
# No whole number: jumps at round times lie between rows, where runs that agree
# cannot be on different sides of them.
ROWS = 500.618


class Difference(NamedTuple):
    """The largest difference of a variable between two runs."""

    value: float
    tolerances: float
    time: float


class Verdict:
    """The coupled run against others."""

    ok: bool
    """Both differences are within ten tolerances."""
    splitting: dict[str, Difference]
    """Coupled minus monolithic, of each variable."""
    total: dict[str, Difference]
    """Coupled minus reference; empty if the reference failed."""
    runs: dict[str, Any]
    """``coupled``, ``monolithic``, ``reference``: results, or the errors."""
    fixed_steps: list[str]
    """Subsystems with fixed steps, which promise no tolerance."""

    def __init__(self, runs: dict[str, Any], rtol: float, atol: float,
                 fixed: list[str]) -> None:
        self.runs = runs
        self.fixed_steps = fixed
        self.splitting = compare(runs["coupled"], runs["monolithic"], rtol, atol)
        reference = runs["reference"]
        self.total = {} if isinstance(reference, Exception) else \
            compare(runs["coupled"], reference, rtol, atol)
        self.ok = runs["coupled"].converged and all(
            d.tolerances <= PROMISE for d in self.splitting.values())
        if not fixed:
            self.ok = self.ok and bool(self.total or not self.splitting) and all(
                d.tolerances <= PROMISE for d in self.total.values())

    def worst(self) -> tuple[str, Difference]:
        """The variable with the largest splitting error, in tolerances."""
        if not self.splitting:
            raise ValueError("no variable is recorded")
        name = max(self.splitting, key=lambda n: self.splitting[n].tolerances)
        return name, self.splitting[name]

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        lines = []
        for title, found in (("coupled - monolithic", self.splitting),
                             ("coupled - reference", self.total)):
            if not found:
                lines.append(f"{title}: not known ({self.runs['reference']})")
                continue
            name = max(found, key=lambda n: found[n].tolerances)
            d = found[name]
            lines.append(f"{title}: at most {d.value:.3g}, {d.tolerances:.3g} "
                         f"tolerances ({name}, t = {d.time:.6g})")
        if self.fixed_steps:
            lines.append(f"fixed steps promise no tolerance: "
                         f"{', '.join(self.fixed_steps)}")
        if not self.runs["coupled"].converged:
            lines.append("NOT every window of the coupled run converged")
        lines.append("verified" if self.ok else "NOT verified")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<yoke.Verdict: {'ok' if self.ok else 'NOT verified'}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def compare(a: Result, b: Result, rtol: float,
            atol: float) -> dict[str, Difference]:
    """Row by row; both have the same grid."""
    found = {}
    for name in b.names[1:]:
        if name not in a:
            continue
        rows = min(len(a.values), len(b.values))
        apart = np.abs(a[name][:rows] - b[name][:rows])
        k = int(np.argmax(np.where(np.isnan(apart), np.inf, apart)))
        tolerance = atol + rtol * float(np.abs(b[name]).max())
        size = float(apart[k])
        found[name] = Difference(size, size / tolerance if size else 0.0,
                                 float(b.time[k]))
    return found


def fixed_of(system: "System") -> list[str]:
    known = _core.steppers()
    return [s["name"] for s in system.subsystems()
            if not s["hidden"] and s["stepper"] and known[s["stepper"]][1]]


def verify(system: "System", parameters: Optional[Mapping[str, Any]],
           options: Mapping[str, Any]) -> Verdict:
    """The runs of ``yoke verify`` that decide: coupled as asked for, everything
    as one system, and that to a hundredth of the tolerance, by radau5 with
    short steps."""
    from ._system import option_pairs

    chosen = {**system.options, **options}
    model = system._built(parameters or {}, chosen.get("start"))
    if any(s["closed"] for s in model.subsystems()):
        raise YokeError(-1, "verify: closed parts cannot be solved as one with "
                            "others; use the program, yoke verify")
    told = model.options(option_pairs(chosen))
    span = told["stop"] - told["start"]
    every = told["every"] if told["every"] > 0 else span / ROWS
    base = {**chosen, "every": every, "spot": 0, "second": 0,
            "parameters": parameters}
    fixed = fixed_of(system)
    base.pop("output", None)
    runs: dict[str, Any] = {}
    try:
        runs["coupled"] = system.run(output="", **base)
    except NotConverged as error:
        runs["coupled"] = error.result
    whole: dict[str, Any] = {**base, "scheme": "monolithic", "schedule": "",
                             "order": ""}
    runs["monolithic"] = system.run(output="", **whole)
    fine = {**whole, "rtol": max(told["rtol"] / 100, 1e-13),
            "atol": told["atol"] / 100, "stepper": "radau5"}
    if not fixed:
        steps = sum(w["steps"]
                    for w in runs["coupled"].info["work"].values())
        fine["step"] = span / min(max(steps, 2e3), 2e4)
    try:
        runs["reference"] = system.run(output="", **fine)
    except YokeError as error:
        runs["reference"] = error
    return Verdict(runs, told["rtol"], told["atol"], fixed)
