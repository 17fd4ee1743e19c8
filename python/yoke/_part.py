"""Subsystems: those written in Python, and those that files and matrices make."""

from __future__ import annotations

import difflib
import inspect
import os
import weakref
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

__all__ = ["Part", "part", "Declared", "Model", "Netlist", "Fmu", "Linear",
           "Component", "Include"]

Names = Union[int, str, Sequence[str]]

# Flags of yoke/system.h.
_AFFINE, _LINEAR, _TIMELESS = 1, 2, 32

# Keys of a subsystem that belong to its stepper (docs/manual/system-file.md).
_STEPPER = ("stepper", "step", "steps", "rtol", "atol", "min_step", "max_step",
            "newton", "max_newton", "rho", "dense", "given", "warm", "latent")


def _meant(key: str) -> str:
    """A suggestion for a misspelt keyword of a part."""
    known = [*_STEPPER, *inspect.signature(Part.__init__).parameters]
    near = difflib.get_close_matches(key, known, 1, 0.6)
    return f"; did you mean {near[0]!r}?" if near else ""


def text_of(value: Any) -> str:
    """A value as the text of an option."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return str(value)


def _names(given: Names, what: str) -> Optional[list[str]]:
    """Names as a list, or None for a count: the library makes x1, x2, ..."""
    if isinstance(given, (int, np.integer)):
        return None
    if isinstance(given, str):
        given = given.replace(",", " ").split()
    names = [str(name) for name in given]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"{what}: the name {sorted(twice)[0]!r} occurs twice")
    return names


def _count(given: Names, names: Optional[list[str]], what: str) -> int:
    count = int(given) if names is None else len(names)  # type: ignore[arg-type]
    if count < 0:
        raise ValueError(f"{what} = {count} is negative")
    return count


def _arguments(function: Callable[..., Any], full: int) -> int:
    """3, or 2 if the function does not take the inputs."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 3
    needed = taken = 0
    for p in parameters:
        if p.kind is p.VAR_POSITIONAL:
            return 3
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            taken += 1
            needed += p.default is p.empty
    if needed <= full <= taken:
        return 3
    if needed <= full - 1 <= taken:
        return 2
    raise TypeError(f"{getattr(function, '__name__', function)} takes {needed} "
                    f"argument{'' if needed == 1 else 's'}; it is called with "
                    f"{full}, or with {full - 1} without the inputs u")


def _vector(values: Any, count: int, what: str) -> np.ndarray:
    try:
        array = np.array(values, dtype=float, ndmin=1)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{what} must be numbers: {error}") from None
    if array.shape != (count,):
        raise ValueError(f"{what} must have {count} values, not shape "
                         f"{array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{what} has values that are not finite")
    return array


def _places(given: Any, rows: int, cols: int,
            what: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of the entries that a matrix may have."""
    if hasattr(given, "tocoo"):
        coo = given.tocoo()
        shape, row, col = coo.shape, coo.row, coo.col
    elif isinstance(given, tuple) and len(given) == 2:
        row, col = (np.asarray(v).ravel() for v in given)
        shape = (rows, cols)
    else:
        matrix = np.asarray(given)
        shape = matrix.shape
        row, col = np.nonzero(matrix) if matrix.ndim == 2 else ((), ())
    if tuple(shape) != (rows, cols):
        raise ValueError(f"{what} must be {rows} by {cols}, not {shape}")
    return (np.ascontiguousarray(row, dtype=np.intc),
            np.ascontiguousarray(col, dtype=np.intc))


class Part:
    """A subsystem whose functions are written in Python.

    Give one of

    ``rhs(t, x, u)``
        the right-hand side of x' = f(t, x, u);
    ``residual(t, x, u)``
        a pair ``(q, f)`` of the charge form d/dt q(t, x, u) + f(t, x, u) = 0;
        an algebraic equation has q = 0.

    ``x`` and ``u`` are arrays that must not be written to.  A function returns
    an array, a list, or one number; it may leave out the argument ``u``.  It
    must be pure: the same arguments give the same result.

    ``states``, ``inputs``, ``outputs``
        names (a list, or one text), or how many there are.  Without ``states``
        the length of ``x0`` decides.
    ``output(t, x, u)``
        the outputs; without it they are the states.
    ``x0``, ``nominal``
        initial values (default zero) and sizes of the unknowns (default one).
    ``units``
        units of states and outputs by name, for results and pictures.
    ``jacobian(t, x, u)``
        of ``rhs``: df/dx, or a pair with df/du; of ``residual``: dq/dx and
        df/dx, with inputs also dq/du and df/du.  Default: differences.
    ``output_jacobian(t, x, u)``
        dy/dx, or a pair with dy/du.
    ``sparsity``
        a dictionary of patterns under the keys ``C`` (dq/dx), ``G`` (df/dx),
        ``Cu``, ``Gu``, ``Hx``, ``Hu``: a matrix whose entries that are not zero
        count, one of scipy.sparse, or a pair of arrays (rows, columns).
        Without it the functions are probed (at most 4000 unknowns and inputs).
    ``events(t, x, u)``, ``on_event(t, x, u, happened)``, ``event_count``
        indicators, and what happens when one rises to zero: ``on_event``
        returns the new states, or None if they stay as they are.
    ``memory``
        an array of floats that ``on_event`` may change, and nobody else: what a
        switch remembers.  The library saves and restores it.
    ``breaks``
        times at which the functions are not smooth, or a function of t that
        returns the next one (or None).
    ``timeless``, ``linear``, ``affine``
        promises: no dependence on t; linear in x and u; with constant
        matrices.  :meth:`yoke.System.conform` tests the last two.

    All other keywords are options of the stepper: ``stepper="rk4", step=1e-3``.
    """

    def __init__(self, rhs: Optional[Callable[..., Any]] = None, *,
                 residual: Optional[Callable[..., Any]] = None,
                 states: Optional[Names] = None, inputs: Names = 0,
                 outputs: Optional[Names] = None,
                 output: Optional[Callable[..., Any]] = None,
                 x0: Any = None, nominal: Any = None,
                 units: Optional[Mapping[str, str]] = None,
                 equations: Optional[Sequence[str]] = None,
                 jacobian: Optional[Callable[..., Any]] = None,
                 output_jacobian: Optional[Callable[..., Any]] = None,
                 sparsity: Optional[Mapping[str, Any]] = None,
                 events: Optional[Callable[..., Any]] = None,
                 on_event: Optional[Callable[..., Any]] = None,
                 event_count: int = 1,
                 memory: Optional[np.ndarray] = None,
                 breaks: Any = None, timeless: bool = False,
                 linear: bool = False, affine: bool = False,
                 **stepper: Any) -> None:
        if states is None:
            if x0 is None and (rhs or residual):
                raise TypeError("give the states, states=[\"x\", \"v\"], or their "
                                "initial values, x0=[1, 0]")
            states = len(np.atleast_1d(x0)) if x0 is not None else 0
        x, u = _names(states, "states"), _names(inputs, "inputs")
        n, m = _count(states, x, "states"), _count(inputs, u, "inputs")
        if (rhs is None) == (residual is None) and not (n == 0 and output):
            raise TypeError("give one of rhs and residual")
        if (output is None) != (outputs is None):
            raise TypeError("output is the function, outputs the names: give "
                            "both, or none for y = x")
        if (events is None) != (on_event is None):
            raise TypeError("events and on_event belong together")
        y = _names(outputs, "outputs") if outputs is not None else None
        p = _count(outputs, y, "outputs") if outputs is not None else n
        self._spec: dict[str, Any] = {
            "n": n, "m": m, "p": p, "x": x, "u": u, "y": y,
            "flags": (_AFFINE if affine else 0) | (_LINEAR if linear else 0) |
                     (_TIMELESS if timeless else 0),
            "events": event_count if events else 0,
            "x0": None if x0 is None else _vector(x0, n, "x0"),
            "nominal": None if nominal is None
                       else _vector(nominal, n, "nominal"),
            "eq": None if equations is None else _names(equations, "equations"),
        }
        if equations is None and rhs is not None:
            self._spec["eq"] = [f"der({name})" for name in
                                x or [f"x{k + 1}" for k in range(n)]]
        if self._spec["eq"] is not None and len(self._spec["eq"]) != n:
            raise ValueError(f"equations must have {n} names")
        self._take_units(dict(units or {}), x, y)
        functions = {"rhs": (rhs, 3), "residual": (residual, 3),
                     "output": (output, 3), "jacobian": (jacobian, 3),
                     "output_jacobian": (output_jacobian, 3),
                     "indicate": (events, 3), "apply": (on_event, 4)}
        for key, (function, full) in functions.items():
            if function is not None and not callable(function):
                raise TypeError(f"{key} is not a function")
            self._spec[key] = None if function is None else (
                function, _arguments(function, full))
        self._take_patterns(sparsity, n, m, p)
        self._take_breaks(breaks)
        self._take_memory(memory)
        for key in stepper:
            if key not in _STEPPER:
                raise TypeError(f"Part: there is no keyword {key!r}"
                                + _meant(key))
        self._stepper = [("method" if k == "stepper" else k, text_of(v))
                         for k, v in stepper.items()]

    def _take_patterns(self, sparsity: Optional[Mapping[str, Any]], n: int,
                       m: int, p: int) -> None:
        sizes = {"C": (n, n), "G": (n, n), "Cu": (n, m), "Gu": (n, m),
                 "Hx": (p, n), "Hu": (p, m)}
        given = dict(sparsity or {})
        for key in given:
            if key not in sizes:
                raise ValueError(f"sparsity: there is no matrix {key!r}; the "
                                 f"keys are {', '.join(sizes)}")
        ode = self._spec["rhs"] is not None
        places = {}
        for key, (rows, cols) in sizes.items():
            fixed = ode and key in ("C", "Cu")
            fixed |= self._spec["output"] is None and key in ("Hx", "Hu")
            if fixed:
                if key in ("C", "Hx") and self._spec["jacobian"] is not None:
                    places[key] = _places(np.eye(rows, cols), rows, cols, key)
            elif key in given:
                places[key] = _places(given[key], rows, cols, f"sparsity {key}")
            elif self._spec["jacobian"] is not None:
                places[key] = _places(np.ones((rows, cols)), rows, cols, key)
        self._spec["patterns"] = places or None

    def _take_units(self, units: dict[str, str], x: Optional[list[str]],
                    y: Optional[list[str]]) -> None:
        known = (x or []) + (y or [])
        for name in units:
            if name not in known:
                raise ValueError(f"units: there is no state or output {name!r}")
        for key, names in (("x_unit", x), ("y_unit", y)):
            self._spec[key] = None if not names else \
                [str(units.get(name, "")) for name in names]

    def _take_breaks(self, breaks: Any) -> None:
        self._spec["breaks"] = self._spec["next_break"] = None
        if callable(breaks):
            self._spec["next_break"] = (breaks, 1)
        elif breaks is not None:
            times = np.sort(np.array(breaks, dtype=float, ndmin=1).ravel())
            if np.isnan(times).any():
                raise ValueError("breaks has values that are not numbers")
            self._spec["breaks"] = times

    def _take_memory(self, memory: Optional[np.ndarray]) -> None:
        if memory is not None and not (
                isinstance(memory, np.ndarray) and memory.dtype == np.float64 and
                memory.flags.c_contiguous and memory.flags.writeable and
                memory.size > 0):
            raise TypeError("memory must be an array of floats in one piece "
                            "that can be written to")
        self._spec["memory"] = memory
        self._used: Optional["weakref.ref[Any]"] = None

    def _take(self, system: Any, name: str) -> None:
        """Two subsystems with one memory would change each other's."""
        if self._spec["memory"] is None:
            return
        if self._used is not None and self._used() is not None:
            raise ValueError(f"{name}: a part with memory belongs to one "
                             "subsystem; make another Part with an array of "
                             "its own")
        self._used = weakref.ref(system)

    def __repr__(self) -> str:
        s = self._spec
        return f"<yoke.Part: {s['n']} states, {s['m']} inputs, {s['p']} outputs>"


def part(**keywords: Any) -> Callable[[Callable[..., Any]], Part]:
    """Makes a :class:`Part` of the right-hand side below::

        @yoke.part(states=["x", "v"], inputs=["f"], x0=[1, 0])
        def mass(t, x, u):
            return [x[1], u[0] - 4 * x[0]]
    """
    return lambda rhs: Part(rhs, **keywords)


class Declared:
    """A subsystem as a system file declares it: keys and values."""

    def __init__(self, **keys: Any) -> None:
        self.keys = {key: value for key, value in keys.items()
                     if value is not None}

    def __repr__(self) -> str:
        return f"<yoke.{type(self).__name__}: {self.keys}>"


def _file(path: Union[str, "os.PathLike[str]"]) -> str:
    return os.path.abspath(os.fspath(path))


class Model(Declared):
    """An equation model: ``Model("motor.mo", parameters={"R": "2 Ohm"})``.
    ``class_`` chooses one of several models of a file."""

    def __init__(self, path: Union[str, "os.PathLike[str]"],
                 class_: Optional[str] = None,
                 parameters: Optional[Mapping[str, Any]] = None,
                 **keys: Any) -> None:
        super().__init__(model=_file(path), parameters=parameters,
                         **{"class": class_}, **keys)


class Netlist(Declared):
    """A circuit: ``Netlist("amp.cir", inputs={"vin": "u"})``.  Outputs that
    connections name need not be listed."""

    def __init__(self, path: Union[str, "os.PathLike[str]"],
                 inputs: Optional[Mapping[str, str]] = None,
                 outputs: Optional[Sequence[str]] = None,
                 parameters: Optional[Mapping[str, Any]] = None,
                 **keys: Any) -> None:
        super().__init__(netlist=_file(path), inputs=inputs, outputs=outputs,
                         parameters=parameters, **keys)


class Fmu(Declared):
    """A functional mock-up unit: ``Fmu("motor.fmu", step="1 ms")``."""

    def __init__(self, path: Union[str, "os.PathLike[str]"],
                 parameters: Optional[Mapping[str, Any]] = None,
                 **keys: Any) -> None:
        super().__init__(fmu=_file(path), parameters=parameters, **keys)


class Include(Declared):
    """Another system file as one subsystem."""

    def __init__(self, path: Union[str, "os.PathLike[str]"],
                 parameters: Optional[Mapping[str, Any]] = None,
                 **keys: Any) -> None:
        super().__init__(system=_file(path), parameters=parameters, **keys)


class Component(Declared):
    """A built-in part: ``Component("wire", ...)``; see ``yoke help``."""

    def __init__(self, component: str, **keys: Any) -> None:
        super().__init__(component=component, **keys)


class Linear(Declared):
    """E x' + F u' = A x + B u + source(t), y = H x + D u; matrices as arrays
    or lists, ``states``, ``inputs`` and ``outputs`` are names."""

    def __init__(self, *, A: Any = None, B: Any = None, D: Any = None,
                 E: Any = None, F: Any = None, H: Any = None, x0: Any = None,
                 source: Optional[Sequence[str]] = None,
                 states: Optional[Sequence[str]] = None,
                 inputs: Optional[Sequence[str]] = None,
                 outputs: Optional[Sequence[str]] = None,
                 parameters: Optional[Mapping[str, Any]] = None,
                 **keys: Any) -> None:
        given = {"A": A, "B": B, "D": D, "E": E, "F": F, "H": H, "x0": x0,
                 "source": source, "x": states, "u": inputs, "y": outputs}
        super().__init__(linear={k: v for k, v in given.items()
                                 if v is not None},
                         parameters=parameters, **keys)
