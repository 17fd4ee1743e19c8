"""Exceptions: the same texts as the program prints."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Optional

from . import _core

if TYPE_CHECKING:
    from ._result import Result

__all__ = ["YokeError", "NotConverged", "Interrupted", "Retry"]

_PLACE = re.compile(r"^(?P<file>[^\n:]+):(?P<line>\d+)(?::(?P<column>\d+))?: ")


class YokeError(Exception):
    """What the library refused or could not do.

    ``str(error)`` is the text that the program prints.  An exception of a
    function of the user is its ``__cause__``.
    """

    status: int
    """Status of the C interface, such as -4."""
    name: str
    """Its name, such as ``"YOKE_E_MODEL"``."""
    text: str
    file: Optional[str]
    """The file, line and column that the text begins with, or None."""
    line: Optional[int]
    column: Optional[int]
    result: Optional["Result"]
    """What a run computed before it failed, or None."""

    def __init__(self, status: int, text: str,
                 result: Optional["Result"] = None) -> None:
        super().__init__(text)
        self.status = status
        self.name = _core.status_name(status)
        self.text = text
        self.result = result
        place = _PLACE.match(text)
        self.file = place["file"] if place else None
        self.line = int(place["line"]) if place else None
        self.column = int(place["column"]) if place and place["column"] else None

    def __reduce__(self):
        return type(self), (self.status, self.text)


class NotConverged(YokeError):
    """The coupled iteration did not reach its tolerance in some window."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run; ``result`` holds what was computed before."""

    result: Optional["Result"]

    def __init__(self, text: str = "", result: Optional["Result"] = None) -> None:
        super().__init__(text)
        self.result = result


class Retry(Exception):
    """Raised by a function of a :class:`yoke.Part`: it is not defined at this
    point, and a smaller step may avoid it.  Arithmetic errors, such as
    ``ZeroDivisionError``, and results that are not finite mean the same."""


def make_error(status: int, text: str) -> YokeError:
    kind = NotConverged if status == 2 else YokeError
    return kind(status, text)


_core.setup(make_error, Retry)
