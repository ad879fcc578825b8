"""Arguments that are no arrays: each is what it should be, or an error with its name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import index
from os import PathLike, fspath
from typing import Any, NoReturn, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

from .errors import OptionError

#: What counts and sizes are at most.
MOST = 2**63 - 1
#: The largest number of 32 bits.
WORD = 2**32 - 1

#: Three numbers.
Vector: TypeAlias = Sequence[float]


def wrong(name: str, value: object, expected: str) -> NoReturn:
    """Says what was found and what was expected."""
    lines, kind = repr(value).splitlines() or [""], type(value).__name__
    # Whole tables say nothing in a line.
    found = f"{lines[0]:.80} ({kind})" if len(lines) == 1 else f"{type(value).__module__}.{kind}"
    raise OptionError(f"{name}: found {found}, expected {expected}")


def integer(value: object, name: str, low: int = 0, high: int = MOST) -> int:
    """A whole number in a range."""
    try:
        number = index(value)  # type: ignore[arg-type]
    except TypeError:
        wrong(name, value, "a whole number")
    if isinstance(value, (bool, np.bool_)):
        wrong(name, value, "a whole number")
    if not low <= number <= high:
        raise OptionError(f"{name}: found {number}, expected {low} to {high}")
    return number


def optional_integer(value: object, name: str, low: int = 0, high: int = MOST) -> int | None:
    """The same, or None."""
    return None if value is None else integer(value, name, low, high)


def number(value: object, name: str) -> float:
    """A number, which may be infinite."""
    is_text = isinstance(value, (str, bytes, bytearray, bool, np.bool_))
    try:
        made = None if is_text else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        made = None
    if made is None:
        wrong(name, value, "a number")
    return made


def listed(values: object, name: str, expected: str) -> list[Any]:
    """The parts of a list or of what else has some, which it may refuse to give."""
    if isinstance(values, (str, bytes, bytearray, Mapping)) or not isinstance(values, Iterable):
        wrong(name, values, expected)
    try:
        return list(values)
    except Exception:
        wrong(name, values, expected)


def vector(values: object, name: str, *counts: int) -> list[float]:
    """So many numbers."""
    expected = f"{' or '.join(map(str, counts))} numbers"
    parts = listed(values, name, expected)
    if len(parts) not in counts:
        raise OptionError(f"{name}: found {len(parts)} numbers, expected {expected}")
    return [number(part, name) for part in parts]


def point(values: object, name: str) -> tuple[float, float, float]:
    """Three numbers."""
    x, y, z = vector(values, name, 3)
    return x, y, z


def is_list(values: object) -> TypeGuard[list[Any] | tuple[Any, ...] | NDArray[Any]]:
    """Whether there are several values."""
    if isinstance(values, np.ndarray):
        return values.ndim > 0
    return isinstance(values, (list, tuple))


def integers(values: object, name: str, count: int, low: int = 0, high: int = MOST) -> list[int]:
    """So many whole numbers."""
    if not is_list(values) or len(values) != count:
        wrong(name, values, f"{count} whole numbers")
    return [integer(value, name, low, high) for value in values]


def pair(values: object, name: str, low: int, high: int) -> tuple[int, int]:
    """Two whole numbers."""
    first, second = integers(values, name, 2, low, high)
    return first, second


def text(value: object, name: str) -> str:
    """A text."""
    if not isinstance(value, str):
        wrong(name, value, "a text")
    return value


def optional_text(value: object, name: str) -> str | None:
    """The same, or None."""
    return None if value is None else text(value, name)


def texts(values: object, name: str) -> list[str]:
    """Texts; one alone may come without its list."""
    if isinstance(values, str):
        return [values]
    return [text(value, name) for value in listed(values, name, "texts")]


def truth(value: object, name: str) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        wrong(name, value, "True or False")
    return bool(value)


def path(value: object, name: str) -> str:
    """The name of a file."""
    if isinstance(value, (str, PathLike)):
        place = fspath(value)
        if isinstance(place, str):
            return place
    wrong(name, value, "a path")


def data(value: object, name: str) -> bytes:
    """The bytes of a file."""
    if not isinstance(value, (bytes, bytearray, memoryview)):
        wrong(name, value, "bytes")
    return bytes(value)


def mapping(value: object, name: str) -> dict[str, Any]:
    """Values by name; None for none."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        wrong(name, value, "values by name")
    return {text(key, name): one for key, one in value.items()}


def value(value: object, name: str) -> str:
    """A value of a setting, as the command line takes it."""
    if isinstance(value, (bool, np.bool_)):
        return str(value).lower()
    if not isinstance(value, (str, int, float, np.integer, np.floating)):
        wrong(name, value, "a number, a text, True or False")
    return str(value)
