"""Many runs with different parameters."""

from __future__ import annotations

import concurrent.futures
import html
import itertools
import os
import threading
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

from ._errors import YokeError
from ._result import Path, Result
from ._system import System

__all__ = ["sweep", "Sweep"]

Measure = Union[str, Callable[[Result], float]]

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

    Texts are measures of ``yoke run``, ``"max(motor.u*motor.i)"``, taken of
    the whole solution, or the names of those of the file.  A run that fails,
    and a function that raises, give NaN and an error; if all runs fail the
    error of the first is raised.
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
    for name in names:
        if isinstance(vary[name], str) or not hasattr(vary[name], "__iter__"):
            raise TypeError(f"vary: give a list of values for {name!r}, not "
                            f"{vary[name]!r}")
    columns = [list(vary[name]) for name in names]
    if paired and len({len(c) for c in columns}) > 1:
        raise ValueError("paired: all lists of values must be as long")
    points = list(zip(*columns) if paired else itertools.product(*columns))
    values = np.full((len(points), len(names) + len(named)), np.nan)
    errors: list[Optional[Exception]] = [None] * len(points)
    results: list[Optional[Result]] = [None] * len(points)
    stopped = threading.Event()
    active: set[System] = set()
    texts = {n: w for n, w in named.items()
             if isinstance(w, str) and not w.isidentifier()}

    def taken(result: Result, name: str, what: Measure) -> float:
        if callable(what):
            return float(what(result))
        told = what if what.isidentifier() else name
        for _, known, value, problem in result.info.get("measures", ()):
            if known == told and problem:
                raise YokeError(-4, problem)
            if known == told:
                return value
        raise YokeError(-1, f'there is no measure "{what}"; write max({what}), '
                            f"final({what}), ...")

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
                                    measure=texts, **chosen)
            finally:
                active.discard(system)
            if stopped.is_set():
                return
            results[k] = result if keep else None
            for c, (name, what) in enumerate(named.items(), len(names)):
                try:
                    values[k, c] = taken(result, name, what)
                except Exception as error:
                    errors[k] = errors[k] or error
        except Exception as error:
            if isinstance(error, YokeError):
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
    if points and None not in errors:
        raise errors[0]  # type: ignore[misc]
    return Sweep(names, list(named), values, errors, results, points)

