"""Results: tables with names and units, and what a run did."""

from __future__ import annotations

import difflib
import fnmatch
import os
import textwrap
from typing import Any, Iterator, Mapping, Optional, Sequence, Union

import numpy as np

from . import _core, _html

__all__ = ["Table", "Result", "read"]

Path = Union[str, "os.PathLike[str]"]


class Table:
    """Columns with names and units; ``table["name"]`` is one of them.

    ``values`` has a row for each time and a column for each name; columns are
    views of it, not copies.
    """

    names: list[str]
    units: dict[str, str]
    """Units of the columns that have one."""
    values: np.ndarray

    def __init__(self, names: Sequence[str], units: Optional[Sequence[str]],
                 values: np.ndarray) -> None:
        self.names = list(names)
        self.units = {n: u for n, u in zip(names, units or ()) if u}
        self.values = values
        self._at = {name: k for k, name in enumerate(self.names)}

    def __getitem__(self, name: str) -> np.ndarray:
        try:
            return self.values[:, self._at[name]]
        except (KeyError, TypeError):
            near = difflib.get_close_matches(str(name), self.names, 1, 0.5)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise KeyError(f"there is no column {name!r}{hint}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._at

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def keys(self) -> list[str]:
        """The names of the columns."""
        return list(self.names)

    def match(self, pattern: str) -> list[str]:
        """The names that a pattern such as ``"motor.*"`` matches."""
        return fnmatch.filter(self.names, pattern)

    def frame(self) -> Any:
        """A pandas DataFrame; its index is the first column."""
        try:
            import pandas  # type: ignore[import]
        except ImportError as error:
            raise ImportError(
                "frame() needs pandas (Debian: python3-pandas), which is not "
                "installed; names, units and values hold the same") from error

        frame = pandas.DataFrame(self.values[:, 1:], columns=self.names[1:])
        frame.index = pandas.Index(self.values[:, 0], name=self.names[0])
        frame.attrs["units"] = dict(self.units)
        return frame

    def __repr__(self) -> str:
        rows, cols = self.values.shape
        return f"<{type(self).__name__}: {rows} rows, {cols} columns>"

    def _repr_html_(self) -> str:
        return _html.plot(self)

    def plot(self, *names: str) -> "_html.Picture":
        """A picture of some columns over the first one, by patterns; it shows
        itself in a notebook, and ``str(picture)`` is SVG."""
        return _html.Picture(_html.plot(self, self._chosen(names)))

    def _chosen(self, patterns: Sequence[str]) -> Optional[list[str]]:
        if not patterns:
            return None
        chosen: list[str] = []
        for pattern in patterns:
            found = [pattern] if pattern in self else self.match(pattern)
            if not found:
                self[pattern]  # raises with a suggestion
            chosen += [name for name in found if name not in chosen]
        return chosen


class Result(Table):
    """The result of a run.

    ``result["motor.w"]`` is a variable over ``result.time``; ``info`` holds
    what the run did: windows, sweeps, decisions, work of every subsystem.
    """

    info: dict[str, Any]
    tables: dict[str, Table]
    """The other tables, such as ``coupling``: the log of the iteration; those
    of .op, .dc and .ac of a netlist."""
    notes: dict[str, str]

    def __init__(self, tables: Mapping[str, tuple], info: dict[str, Any],
                 notes: dict[str, str]) -> None:
        main = tables.get("result")
        if main is None:
            main = (["time"], None, np.empty((0, 1)))
        super().__init__(*main)
        self.tables = {name: Table(*table) for name, table in tables.items()
                       if name != "result"}
        self.info = info
        self.notes = notes

    @property
    def time(self) -> np.ndarray:
        """The times of the rows.  At a jump two rows have the same time."""
        return self.values[:, 0]

    @property
    def converged(self) -> bool:
        """Every window met its test, and the run came to its end."""
        return bool(self.info.get("converged", True))

    @property
    def final(self) -> dict[str, float]:
        """The recorded variables at the time reached."""
        if "final" in self.info:
            return dict(self.info["final"])
        return dict(zip(self.names[1:], self.values[-1, 1:].tolist()))

    @property
    def measures(self) -> dict[str, float]:
        """Measures of the file by name; NaN where there is no value."""
        return {name: value
                for _, name, value, _ in self.info.get("measures", ())}

    def at(self, t: Any, name: Optional[str] = None) -> Any:
        """A variable, or a dictionary of all, at a time between the rows, on
        straight lines; behind a jump at exactly that time."""
        t = np.asarray(t, dtype=float)
        if np.isnan(t).any() or (t < self.time[0]).any() or \
                (t > self.time[-1]).any():
            raise ValueError(f"{t} is not between {self.time[0]} and "
                             f"{self.time[-1]}")
        if name is None:
            return {n: self.at(t, n) for n in self.names[1:]}
        column = self[name]
        right = np.searchsorted(self.time, t, side="right")
        left = np.clip(right - 1, 0, None)
        right = np.minimum(right, len(self.time) - 1)
        span = self.time[right] - self.time[left]
        part = np.divide(t - self.time[left], span, out=np.zeros_like(span),
                         where=span > 0)
        value = column[left] + part * (column[right] - column[left])
        return value.item() if value.ndim == 0 else value

    @property
    def summary(self) -> str:
        """What was done, in some lines."""
        i = self.info
        if not i:
            return repr(self)
        lines = [i.get("text", "")]
        for subsystem, since, text in i.get("remarks", ()):
            lines.append(f'subsystem "{subsystem}", t = {since:.9g}: {text}')
        for rung, t, text in i.get("decisions", ()):
            lines.append(f"decided: {rung}, from t = {t:.6g} s: {text}")
        for text in i.get("not_certified", ()):
            lines.append(f"not certified: {text}")
        for _, name, value, text in i.get("measures", ()):
            lines.append(f"{name} = {value:.9g}" if not text
                         else f"{name}: {text}")
        return "\n".join("\n".join(textwrap.wrap(line, 79)) for line in lines
                         if line)

    def save(self, path: Path) -> None:
        """Writes the rows to a .csv, .h5 or .raw file.  For a file that
        ``yoke report`` understands let the run write it: ``output=path``."""
        _core.write_table(path, self.names,
                          [self.units.get(n, "") for n in self.names],
                          self.values)

    def __repr__(self) -> str:
        rows, cols = self.values.shape
        end = f" to t = {self.time[-1]:.6g}" if rows else ""
        state = "" if self.converged else ", NOT converged"
        return f"<yoke.Result: {cols - 1} variables, {rows} rows{end}{state}>"

    def _repr_html_(self) -> str:
        return _html.result(self)


def read(path: Path) -> Result:
    """A result file that a run has written: .csv, .h5 or .raw."""
    if str(path).endswith((".yaml", ".yml", ".cir", ".mo", ".fmu", ".ssp")):
        raise ValueError(f"{path}: this is no result; yoke.run(path) runs it, "
                         "yoke.System(path) opens it")
    notes = _core.read_notes(path)
    return Result({"result": _core.read_table(path, "result")}, {}, notes)
