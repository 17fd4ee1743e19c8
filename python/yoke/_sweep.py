"""Many runs with different parameters."""

from __future__ import annotations

import concurrent.futures
import html
import itertools
import os
import re
import threading
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

from ._errors import YokeError
from ._result import Path, Result
from ._system import System

__all__ = ["sweep", "Sweep"]

Measure = Union[str, Callable[[Result], float]]

_MEASURE = re.compile(r"\s*(min|max|mean|rms|final|first|range)\s*\((.+)\)\s*")


def measured(result: Result, what: Measure) -> float:
    """A function of the result, or a text such as ``"max(motor.P)"``: min, max,
    range, mean and rms over time, first, final."""
    if callable(what):
        return float(what(result))
    form = _MEASURE.fullmatch(what)
    if not form:
        if what in result.measures:  # .measure of a netlist
            return result.measures[what]
        raise ValueError(f'measure "{what}": write one of min, max, range, '
                         "mean, rms, first, final with a variable in brackets")
    kind, y, t = form[1], result[form[2].strip()], result.time
    if kind in ("mean", "rms"):
        h = np.diff(t)
        a, b = y[:-1], y[1:]
        if kind == "mean":  # exact for straight lines between the rows
            return float(np.sum(h * (a + b)) / 2 / (t[-1] - t[0]))
        return float(np.sqrt(np.sum(h * (a * a + a * b + b * b)) / 3 /
                             (t[-1] - t[0])))
    last: dict[str, Callable[[], Any]] = {
        "min": y.min, "max": y.max, "final": lambda: y[-1],
        "first": lambda: y[0], "range": lambda: np.ptp(y)}
    return float(last[kind]())


class Sweep:
    """A row for each point: parameters, then measures; failures are rows with
    NaN and their error."""

    parameters: list[str]
    measures: list[str]
    points: list[tuple]
    """The values of the parameters, as they were given."""
    values: np.ndarray
    errors: list[Optional[Exception]]
    results: list[Optional[Result]]
    """Those that were kept (``keep=True``)."""

    def __init__(self, parameters: list[str], measures: list[str],
                 values: np.ndarray, errors: list[Optional[Exception]],
                 results: list[Optional[Result]],
                 points: list[tuple]) -> None:
        self.points = points
        self.parameters, self.measures = parameters, measures
        self.values, self.errors, self.results = values, errors, results

    @property
    def names(self) -> list[str]:
        return self.parameters + self.measures

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.names:
            raise KeyError(f"there is no column {name!r}; there are "
                           f"{', '.join(self.names)}")
        return self.values[:, self.names.index(name)]

    def __len__(self) -> int:
        return len(self.values)

    def frame(self) -> Any:
        """A pandas DataFrame with a column ``error``."""
        import pandas  # type: ignore[import]

        frame = pandas.DataFrame(self.values, columns=self.names)
        frame["error"] = ["" if e is None else str(e) for e in self.errors]
        return frame

    def __repr__(self) -> str:
        failed = sum(e is not None for e in self.errors)
        return f"<yoke.Sweep: {len(self)} runs, {failed} failed>"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(n)}</th>" for n in self.names)
        rows = "".join(
            "<tr>" + "".join(f"<td>{v:.6g}</td>" for v in row) +
            f"<td>{html.escape('' if e is None else str(e))}</td></tr>"
            for row, e in list(zip(self.values, self.errors))[:200])
        return f"<table><tr>{head}<th></th></tr>{rows}</table>"


def sweep(source: Union[Path, Callable[..., System]],
          vary: Mapping[str, Sequence[Any]],
          measure: Union[Measure, Sequence[Measure], Mapping[str, Measure],
                         None] = None, *,
          paired: bool = False, jobs: Optional[int] = None, keep: bool = False,
          parameters: Optional[Mapping[str, Any]] = None,
          progress: Optional[Callable[[int, int], Any]] = None,
          **options: Any) -> Sweep:
    """Runs a file for all combinations of values::

        s = yoke.sweep("drive.yaml", {"motor.R": np.linspace(1, 5, 9)},
                       measure={"peak": "max(motor.P)"}, stop=2)
        s["motor.R"], s["peak"]

    ``source`` is a file, or a function that makes a :class:`System` from the
    values by name (``vary={"gain": [1, 2]}`` calls ``source(gain=1)``), for
    systems with parts in Python.  ``paired``: the first values together, the
    second ones, and so on.  ``measure`` is a text or a function of the result,
    or several of them, by name in a dictionary.  ``jobs`` runs at once; the
    default is one for each processor.  ``progress`` is called with how many
    runs are done and how many there are.
    """
    wanted = measure
    if wanted is None:
        named: dict[str, Measure] = {}
    elif isinstance(wanted, Mapping):
        named = dict(wanted)
    else:
        several = [wanted] if callable(wanted) or isinstance(wanted, str) else wanted
        named = {}
        for k, w in enumerate(several, 1):
            name = w if isinstance(w, str) else getattr(w, "__name__", "")
            if name in named or name in ("", "<lambda>"):
                name = f"measure {k}"
            named[name] = w
    names = list(vary)
    columns = [list(vary[name]) for name in names]
    if paired and len({len(c) for c in columns}) > 1:
        raise ValueError("paired: all lists of values must be as long")
    points = list(zip(*columns) if paired else itertools.product(*columns))
    values = np.full((len(points), len(names) + len(named)), np.nan)
    errors: list[Optional[Exception]] = [None] * len(points)
    results: list[Optional[Result]] = [None] * len(points)
    stopped = threading.Event()
    active: set[System] = set()

    def one(k: int) -> None:
        if stopped.is_set():
            return
        point = dict(zip(names, points[k]))
        for c, value in enumerate(points[k]):
            if isinstance(value, (int, float, np.integer, np.floating)):
                values[k, c] = value
        try:
            system = source(**point) if callable(source) else \
                System(source, parameters={**(parameters or {}), **point})
            active.add(system)
            try:
                chosen: dict[str, Any] = {"jobs": 1, **options}
                result = system.run(progress=lambda _: stopped.is_set(),
                                    **chosen)
            finally:
                active.discard(system)
            if stopped.is_set():
                return
            for c, what in enumerate(named.values()):
                values[k, len(names) + c] = measured(result, what)
            results[k] = result if keep else None
        except YokeError as error:
            error.result = None
            errors[k] = error

    with concurrent.futures.ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
        futures = [pool.submit(one, k) for k in range(len(points))]
        try:
            for done, future in enumerate(
                    concurrent.futures.as_completed(futures), 1):
                future.result()
                if progress:
                    progress(done, len(points))
        except BaseException:
            stopped.set()
            for system in list(active):
                run = system._active
                if run is not None:
                    run.halt()
            raise
    return Sweep(names, list(named), values, errors, results, points)

