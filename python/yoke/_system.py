"""Systems: read from files or built here, run, checked, verified."""

from __future__ import annotations

import json
import os
import re
import sys
import time
import warnings
from typing import (TYPE_CHECKING, Any, Callable, Iterable, Mapping, NamedTuple, Optional,
                    Sequence, Union)

import numpy as np

from . import _core, _html
from ._errors import Interrupted, NotConverged, YokeError
from ._part import Declared, Netlist, Part, text_of
from ._result import Path, Result

if TYPE_CHECKING:
    from ._check import Check, Verdict

__all__ = ["System", "Run", "Progress", "run"]


class Progress(NamedTuple):
    """What a progress function is told."""

    time: float
    start: float
    stop: float
    windows: int
    sweeps: int
    rate: float
    """Largest rate per sweep so far; NaN: not known."""
    estimate: float
    """Estimated coupling error over the tolerance; NaN: not known."""

    @property
    def fraction(self) -> float:
        return (self.time - self.start) / (self.stop - self.start)


ProgressFunction = Callable[[Progress], Any]

# ---- couplings -------------------------------------------------------------

_NAME = r"(?:'(?:[^']|'')*'|[^\W\d]\w*(?:\([^()]*\))?(?:\[[^\[\]]*\])?)"
_WORD = r"(?:'(?:[^']|'')+'|[^\W\d]\w*)"
_SUBSYSTEM = re.compile(rf"{_WORD}(?:\.{_WORD})*")
_PORT = re.compile(rf"\s*({_NAME}(?:\.{_NAME})+)\s*")
_NUMBER = re.compile(r"\s*((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*")


def parse_signal(text: str) -> tuple[str, list[tuple[Optional[str], float]]]:
    """``a.u = 2*b.y - c.z/3 + 1``: the input and its terms."""
    left, equal, right = text.partition("=")
    target = _PORT.fullmatch(left)
    if not equal or not target:
        raise ValueError(f'"{text}": a signal is written '
                         '"subsystem.input = subsystem.output", with constant '
                         "factors before outputs")
    terms: list[tuple[Optional[str], float]] = []
    at, sign, first = 0, 1.0, True
    while at < len(right):
        lead = re.compile(r"\s*([+-])\s*").match(right, at)
        if lead:
            sign, at = (-1.0 if lead[1] == "-" else 1.0), lead.end()
        elif not first:
            raise ValueError(f'"{text}": + or - is missing before '
                             f'"{right[at:].strip()}"')
        port, weight, at = _term(text, right, at)
        terms.append((port, sign * weight))
        sign, first = 1.0, False
    if not terms:
        raise ValueError(f'"{text}": nothing stands behind =')
    return target[1], terms


def _term(text: str, right: str, at: int) -> tuple[Optional[str], float, int]:
    port, weight, divide = None, 1.0, False
    while True:
        number, name = _NUMBER.match(right, at), _PORT.match(right, at)
        if number:
            value = float(number[1])
            if divide and value == 0.0:
                raise ValueError(f'"{text}": division by zero')
            weight = weight / value if divide else weight * value
            at = number.end()
        elif name and port is None and not divide:
            port, at = name[1], name.end()
        else:
            raise ValueError(f'"{text}": "{right[at:].strip()}" is no number '
                             "and no output; a signal is a sum of outputs with "
                             "constant factors" +
                             ("; write one =" if right[at:].lstrip()[:1] == "="
                              else "; a formula goes into a function of a "
                              "yoke.Part, or, between other subsystems, into "
                              'couple({"signal": "..."})'))
        if at >= len(right) or right[at] not in "*/":
            return port, weight, at
        divide = right[at] == "/"
        at += 1


def owner_of(port: str, names: Iterable[str]) -> Optional[str]:
    """The subsystem of a port; names of subsystems may have dots."""
    best = None
    for name in names:
        if port.startswith(name + ".") and (best is None or
                                            len(name) > len(best)):
            best = name
    return best


class _Signal(NamedTuple):
    input: str
    terms: list
    delay: float
    past: Optional[float]

    def text(self) -> str:
        parts = [f"{weight!r}*{port}" if port else repr(weight)
                 for port, weight in self.terms]
        return f"{self.input} = " + " + ".join(parts).replace("+ -", "- ")


def _plain(value: Any) -> Any:
    """What JSON, and so a system file, can say."""
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, (bool, np.bool_, str)) or value is None:
        return value if isinstance(value, str) or value is None else bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return text_of(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "toarray"):
        return _plain(value.toarray())
    raise TypeError(f"{value!r} has no place in a system file")


def _of_parts(error: YokeError, where: str, text: str) -> YokeError:
    """The user knows no lines of a system that was built here, but the names
    of its subsystems."""
    lines = text.split("\n")

    def owner(place: re.Match) -> str:
        for line in reversed(lines[:int(place[1])]):
            section = re.match(r' "(\w+)": [{\[]', line)
            part = re.match(r'  ("(?:[^"\\]|\\.)*"): ', line)
            if part:
                return f"subsystem {part[1]}: "
            if section:
                break
        return ""

    told = re.sub(rf"^{re.escape(where)}:(\d+):\d+: ", owner, error.text,
                  flags=re.MULTILINE)
    return type(error)(error.status, told)


def _cache() -> Optional[str]:
    """As the program: compiled models are kept beside other caches."""
    for variable, tail in (("XDG_CACHE_HOME", "yoke"), ("HOME", ".cache/yoke")):
        folder = os.environ.get(variable, "")
        if folder.startswith("/"):
            return os.path.join(folder, tail)
    return None


def _find_file(path: Path) -> str:
    name = os.fspath(path)
    if os.path.isdir(name):
        for inside in ("system.yaml", "SystemStructure.ssd"):
            if os.path.exists(os.path.join(name, inside)):
                return os.path.join(name, inside)
    return name


_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9,
            "ps": 1e-12, "fs": 1e-15, "min": 60.0, "h": 3600.0, "d": 86400.0}


def _in_seconds(value: Any) -> Any:
    """"100 ms" is 0.1; what is no time stays as it is."""
    found = re.fullmatch(r"\s*([-+.\deE]+)\s*([a-zµ]+)\s*", str(value))
    if not found or found[2] not in _SECONDS:
        return value
    try:
        return float(found[1]) * _SECONDS[found[2]]
    except ValueError:
        return value


def option_pairs(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Options of a run as pairs of texts."""
    pairs = [] if "output" in options else [("output", "")]
    if "measures" in options:
        raise TypeError("there is no option measures; did you mean measure?")
    for key, value in options.items():
        if value is None:
            continue
        if key in ("record", "order", "monitor") and not isinstance(value, str):
            value = " ".join(str(v) for v in value)
        if key == "output":
            files = [value] if isinstance(value, (str, os.PathLike)) else value
            value = "\n".join(os.fspath(f) for f in files)
        if key in ("start", "stop", "window", "step", "every"):
            value = _in_seconds(value)
        pairs.append((key.rstrip("_"), text_of(value)))
    return pairs


def by_name(parameters: Optional[Mapping[str, Any]]) -> dict[str, Any]:
    if parameters is not None and not isinstance(parameters, Mapping):
        raise TypeError(f"parameters is a dictionary, {{\"load.c\": 4}}, not "
                        f"{parameters!r}")
    return dict(parameters or {})


Measures = Union[str, Sequence[str], Mapping[str, str], None]


def measure_texts(measures: Measures) -> dict[str, str]:
    """Measures by name; one without a name is called as it is written."""
    if isinstance(measures, Mapping):
        return dict(measures)
    several = [measures] if isinstance(measures, str) else measures or ()
    return {text: text for text in several}


class System:
    """Subsystems and what couples them.

    ``System("drive.yaml")`` reads a system file, a netlist, an equation model,
    an FMU or an SSP package; ``System()`` is empty.  To both subsystems can be
    added::

        s = yoke.System(name="drive")
        s.add("motor", yoke.Model("motor.mo", parameters={"R": 2}))
        s.add("control", yoke.Part(rhs, states=["i"], inputs=["e"]))
        s.connect("motor.v = 10*control.i")
        s.connect("control.e = 100 - motor.w")
        result = s.run(stop=2)

    ``parameters`` replaces values: ``{"load.c": 4, "motor.R": "2 Ohm"}``, as
    ``--set`` does.  ``interpret`` uses no C compiler for equation models.
    """

    def __init__(self, path: Optional[Path] = None, *,
                 name: Optional[str] = None,
                 parameters: Optional[Mapping[str, Any]] = None,
                 interpret: bool = False, variant: Optional[str] = None,
                 trust: bool = False) -> None:
        self._path = None if path is None else _find_file(path)
        self._name = name
        self._parameters = by_name(parameters)
        self._load = (interpret, variant, trust)
        self._added: dict[str, Union[Part, Declared]] = {}
        self._signals: list[_Signal] = []
        self._couplings: list[Any] = []
        self._model: Optional[_core.Model] = None
        self._settings: tuple[Any, ...] = ()
        self._building = False
        self._active: Optional[Run] = None
        self.options: dict[str, Any] = {}
        """Options of all runs; keywords of :meth:`run` come later."""
        self.result: Optional[Result] = None
        """The result of the last run, also of one that failed."""
        if self._path is not None:
            if "." not in os.path.basename(self._path) and \
                    not os.path.exists(self._path):
                raise YokeError(-3, f"{self._path}: there is no such file; a "
                                    "system that is built here has a name, "
                                    f"yoke.System(name={str(path)!r})")
            self._built({})

    # ---- building ----------------------------------------------------------

    def add(self, name: str, subsystem: Union[Part, Declared]) -> "System":
        """Adds a :class:`Part`, or a :class:`Model`, :class:`Netlist`,
        :class:`Linear`, :class:`Fmu`, :class:`Component`."""
        if not isinstance(subsystem, (Part, Declared)):
            raise TypeError(f"{name}: {subsystem!r} is no subsystem; give a "
                            "yoke.Part, Model, Netlist, Linear, Fmu or "
                            "Component")
        if self._path is not None and isinstance(subsystem, Declared):
            raise TypeError(f"{name}: to a system from a file only a yoke.Part "
                            "can be added; build the system with "
                            "yoke.System() and yoke.Include(path)")
        if not isinstance(name, str) or not _SUBSYSTEM.fullmatch(name) or \
                name == "run":
            raise ValueError(f"{name!r} is not a name for a subsystem: a "
                             "letter first, then letters, digits and _; any "
                             "other name stands in single quotes, "
                             "\"'Motor 1'\"")
        if name in self._added:
            raise ValueError(f"there is a subsystem {name!r} already")
        if isinstance(subsystem, Part):
            subsystem._take(self, name)
        self._added[name] = subsystem
        self._model = None
        return self

    def connect(self, target: str, source: Optional[str] = None, *,
                weight: float = 1.0, delay: float = 0.0,
                past: Optional[float] = None) -> "System":
        """Sets an input: ``connect("a.u = 2*b.y - c.z + 1")``, or
        ``connect("a.u", "b.y", weight=2)``.  With ``delay`` it is what the
        outputs were so many seconds ago; ``past`` is their value before the
        start."""
        if source is None:
            if weight != 1.0:
                raise TypeError("weight belongs to connect(input, output)")
            name, terms = parse_signal(target)
        else:
            name, terms = target.strip(), [(source.strip(), float(weight))]
        if any(s.input == name for s in self._signals):
            raise ValueError(f"{name} is connected already; write one sum")
        if not delay >= 0.0:
            raise ValueError(f"delay = {delay} is not positive")
        self._signals.append(_Signal(name, terms, float(delay), past))
        self._model = None
        return self

    def couple(self, entry: Mapping[str, Any]) -> "System":
        """Another entry of the section ``couplings`` of a system file, between
        subsystems that are not written in Python:
        ``couple({"connect": ["a.p", "b.p"]})``, a ``constraint``, ..."""
        if self._path is not None:
            raise TypeError("a system from a file has its couplings there; "
                            "connect() adds signals of Python parts")
        self._couplings.append(dict(entry))
        self._model = None
        return self

    def _text(self) -> str:
        """The parts that need no Python, as a system file in JSON."""
        given = {n: p for n, p in self._added.items()
                 if isinstance(p, Declared)}
        declared = {n: dict(p.keys) for n, p in given.items()}
        couplings: list[Any] = []
        for signal in self._signals:
            if self._is_inner(signal):
                entry: dict[str, Any] = {"signal": signal.text()}
                if signal.delay:
                    entry["delay"] = signal.delay
                    if signal.past is not None:
                        entry["past"] = signal.past
                couplings.append(entry)
                continue
            for port, _ in signal.terms:  # outputs that Python parts read
                owner = owner_of(port or "", declared)
                if owner and isinstance(given[owner], Netlist) and \
                        "outputs" not in given[owner].keys:
                    wanted = declared[owner].setdefault("outputs", [])
                    wanted.append((port or "")[len(owner) + 1:])
        for signal in self._signals:  # and those that the file names
            for port, _ in signal.terms:
                owner = owner_of(port or "", declared)
                if owner and "outputs" in declared[owner] and \
                        "outputs" not in given[owner].keys:
                    name = (port or "")[len(owner) + 1:]
                    if name not in declared[owner]["outputs"]:
                        declared[owner]["outputs"].append(name)
        return json.dumps({"yoke": 1, "name": self._name or "system",
                           "subsystems": _plain(declared),
                           "couplings": _plain(couplings + self._couplings)},
                          ensure_ascii=False, indent=1)

    def _is_inner(self, signal: _Signal) -> bool:
        """Is it between declared subsystems alone?"""
        if self._path is not None:
            return False
        ports = [signal.input] + [p for p, _ in signal.terms if p]
        owners = [owner_of(p, self._added) for p in ports]
        return not any(o is None or isinstance(self._added[o], Part)
                       for o in owners)

    def _built(self, parameters: Mapping[str, Any], start: Any = None,
               measure: Measures = None) -> _core.Model:
        settings = [(k, text_of(v)) for k, v in
                    {**self._parameters, **by_name(parameters)}.items()]
        if start is not None:  # models may depend on it
            settings.append(("run.start", text_of(start)))
        measures = measure_texts(measure)
        chosen = (settings, measures)
        if self._model is not None and chosen == self._settings:
            return self._model
        if self._building:
            raise YokeError(-1, "this system is being computed already; "
                                "another thread, or a function of a subsystem, "
                                "needs a System of its own")
        self._building = True
        try:
            self._model = self._make(settings, measures)
            self._settings = chosen
        finally:
            self._building = False
        return self._model

    def _make(self, settings: list[tuple[str, str]],
              measures: Mapping[str, str]) -> _core.Model:
        model = _core.Model()
        interpret, variant, trust = self._load
        declared = any(isinstance(p, Declared) for p in self._added.values())
        scratch = os.environ.get("TMPDIR", "")
        if self._path is not None or declared or measures:
            where = self._path or os.path.join(os.getcwd(),
                                               f"{self._name or 'system'}")
            text = None if self._path else self._text()
            try:
                model.load(where, text, settings, interpret, _cache(),
                           scratch if scratch.startswith("/") else None,
                           variant, trust)
            except YokeError as error:
                if text is None:
                    raise
                raise _of_parts(error, where, text) from None
            facts = model.file_facts()
            for text in facts["warnings"] + facts["interpreted"]:
                warnings.warn(text, stacklevel=5)
            for name, text in measures.items():
                model.measure(name, text)
        elif [s for s in settings if not s[0].startswith("run.")]:
            raise YokeError(-1, f"parameter {settings[0][0]}: the subsystems "
                                "of this system are written in Python and have "
                                "no parameters")
        for name, part in self._added.items():
            if isinstance(part, Part):
                model.add(name, part._spec, part._stepper)
        for signal in self._signals:
            if self._is_inner(signal):
                continue
            for port, weight in signal.terms:
                model.signal(signal.input, port, weight, signal.delay,
                             signal.past)
        return model

    # ---- facts -------------------------------------------------------------

    @property
    def name(self) -> str:
        told = self._built({}).file_facts()["name"]
        return self._name or told or "system"

    def subsystems(self) -> list[dict[str, Any]]:
        """Name, kind, states, inputs, outputs and stepper of each."""
        return self._built({}).subsystems()

    def links(self) -> list[tuple[str, str, str, str, float, float]]:
        """(subsystem, input, subsystem, output, weight, delay) of each signal.
        """
        return self._built({}).links()

    def parameters(self) -> dict[str, Any]:
        """Parameters that the file gives: values, or texts where those are
        known only inside."""
        return {f"{sub}.{name}": text if value is None else value
                for sub, name, text, value in self._built({}).parameters()}

    def reports(self) -> list[str]:
        """What was done to make the subsystems: index reduction, remarks."""
        return self._built({}).file_facts()["reports"]

    def conform(self, name: str, t: float = 0.0) -> None:
        """Raises if a subsystem is not what it claims to be: Jacobians against
        differences, purity, save and restore, ``linear`` and ``affine``."""
        self._built({}).conform(name, t)

    def graph(self) -> "_html.Picture":
        """The subsystems and their signals as a picture."""
        return _html.Picture(_html.graph(self))

    def __repr__(self) -> str:
        try:
            count = sum(not s["hidden"] for s in self.subsystems())
            return f"<yoke.System {self.name!r}: {count} subsystems>"
        except YokeError as error:
            return f"<yoke.System: {error}>"

    def _repr_html_(self) -> str:
        return _html.system(self)

    # ---- running -----------------------------------------------------------

    def start(self, *, parameters: Optional[Mapping[str, Any]] = None,
              progress: Union[bool, ProgressFunction, None] = None,
              measure: Measures = None, **options: Any) -> "Run":
        """A run in steps: see :class:`Run`."""
        chosen = {**self.options, **options}
        model = self._built(parameters or {}, chosen.get("start"), measure)
        return Run(self, model, option_pairs(chosen), progress)

    def run(self, *, parameters: Optional[Mapping[str, Any]] = None,
            progress: Union[bool, ProgressFunction, None] = None,
            measure: Measures = None, **options: Any) -> Result:
        """Runs the system and returns its result.

        Options are those of ``yoke run``: ``stop=2``, ``rtol=1e-6``,
        ``scheme="jacobi"``, ``record=["motor.*"]``, ``every=0.01``,
        ``jobs=1``.  A result file is written only if it is asked for here,
        ``output="result.h5"``, whatever the system file says.

        ``measure`` are numbers that are taken of the whole solution, as those
        of ``--measure``: ``{"peak": "max(motor.u*motor.i)"}``; they are in
        :attr:`Result.measures`.

        ``progress`` is True for a line on standard error, or a function that is
        called with a :class:`Progress` about ten times a second and may return
        True to end the run.  Ctrl-C raises :class:`Interrupted`; it and
        :class:`YokeError` have the result so far.
        """
        chosen = {**self.options, **options}
        model = self._built(parameters or {}, chosen.get("start"), measure)
        pairs = option_pairs(chosen)
        facts = model.file_facts()
        if not facts["has_run"] and not facts["analyses"]:
            raise YokeError(-1, f"{self._path} has no analysis; it needs "
                                ".tran, .op, .dc or .ac")
        extra: dict[str, Any] = {}
        for i, kind in enumerate(facts["analyses"]):
            count = sum(k.split(" ")[0] == kind for k in extra)
            extra[f"{kind} {count + 1}" if count else kind] = model.analyse(i)
        if not facts["has_run"]:
            self.result = Result(extra, {}, {})
            return self.result
        run = Run(self, model, pairs, progress)
        run._extra = extra
        self._active = run
        try:
            run.advance(run.stop)
        finally:
            self._active = None
            run.close()
        result = run.result()
        if not result.converged and run.time >= run.stop:
            raise NotConverged(2, "NOT every window converged: "
                               + result.info.get("text", ""), result)
        return result

    def check(self, *, parameters: Optional[Mapping[str, Any]] = None,
              **options: Any) -> Check:
        """Is the system solvable, and does the iteration contract?  Returns a
        :class:`yoke.Check`; what ``yoke check`` refuses is not ``ok``."""
        from ._check import check

        return check(self, parameters, options)

    def verify(self, *, parameters: Optional[Mapping[str, Any]] = None,
               **options: Any) -> Verdict:
        """Compares the coupled run with the system solved as one, and with a
        reference of a hundredth of the tolerance: a :class:`yoke.Verdict`."""
        from ._check import verify

        return verify(self, parameters, options)


def _bar(p: Progress, began: float) -> None:
    full = int(30 * p.fraction)
    left = (time.monotonic() - began) * (1 / p.fraction - 1) if p.fraction else 0
    end = "\n" if p.time >= p.stop else ""
    remaining = f"{left:.0f} s" if left < 100 else \
        f"{left / 60:.0f} min" if left < 6000 else f"{left / 3600:.0f} h"
    sys.stderr.write(f"\r[{'#' * full}{'.' * (30 - full)}] t = {p.time:.4g}  "
                     f"{p.windows} window{'' if p.windows == 1 else 's'}  "
                     f"{remaining} left  {end}")
    sys.stderr.flush()


class Run:
    """A run that goes on in steps::

        with system.start(stop=10) as run:
            while run.time < run.stop:
                run.advance(run.time + 1)
                print(run.values()["motor.w"])
        result = run.result()
    """

    def __init__(self, system: System, model: _core.Model,
                 pairs: list[tuple[str, str]],
                 progress: Union[bool, ProgressFunction, None]) -> None:
        began = time.monotonic()
        if progress is True:
            told: Optional[Callable[..., Any]] = \
                lambda *facts: _bar(Progress(*facts), began)
        elif progress:
            function = progress
            told = lambda *facts: function(Progress(*facts))  # type: ignore[operator]
        else:
            told = None
        chosen = model.options(pairs)
        self.start = float(chosen["start"])
        self.stop = float(chosen["stop"])
        self._system = system
        self._extra: dict[str, Any] = {}
        self._last: Optional[Result] = None
        self._time = self.start
        try:
            self._run: Optional[_core.Run] = _core.Run(model, pairs, told)
        except KeyboardInterrupt as error:
            if isinstance(error, Interrupted):
                raise
            raise Interrupted("interrupted at the start of the run") from error

    @property
    def time(self) -> float:
        """The time reached."""
        return self._run.time if self._run is not None else self._time

    def advance(self, t: float) -> bool:
        """Windows until ``t``; False if a progress function ended it."""
        if self._run is None:
            raise ValueError("the run is closed")
        try:
            return self._run.advance(min(float(t), self.stop))
        except KeyboardInterrupt as error:
            result = self.result()
            raise Interrupted(f"interrupted at t = {self.time:.6g}; the result "
                              "so far is in the exception", result) from error
        except YokeError as error:
            if error.result is None:
                error.result = self.result()
            raise
        finally:
            if self._run is not None:
                self._time = self._run.time

    def halt(self) -> None:
        """Ends :meth:`advance` soon; for other threads."""
        if self._run is not None:
            self._run.halt()

    def values(self) -> dict[str, float]:
        """The recorded variables at the time reached."""
        if self._run is None:
            return self.result().final
        return self._run.summary()["final"]

    def result(self) -> Result:
        """The result so far."""
        if self._run is not None:
            self._last = self._made(self._run.summary(), False)
        assert self._last is not None
        self._system.result = self._last
        return self._last

    def _made(self, info: dict[str, Any], final: bool) -> Result:
        assert self._run is not None
        return Result({**self._run.tables(final), **self._extra}, info,
                      self._run.notes())

    def close(self) -> None:
        """Ends the run and closes its result files."""
        if self._run is None:
            return
        info, self._time = self._run.summary(), self._run.time
        try:
            self._run.close()
        finally:
            self._system.result = self._last = self._made(info, True)
            self._run = None

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()


def run(path: Path, *, parameters: Optional[Mapping[str, Any]] = None,
        progress: Union[bool, ProgressFunction, None] = None,
        measure: Measures = None, interpret: bool = False,
        variant: Optional[str] = None, trust: bool = False,
        **options: Any) -> Result:
    """Runs a file: ``yoke.run("drive.yaml", rtol=1e-6,
    parameters={"load.c": 4})``.  See :meth:`System.run`."""
    system = System(path, parameters=parameters, interpret=interpret,
                    variant=variant, trust=trust)
    return system.run(progress=progress, measure=measure, **options)
