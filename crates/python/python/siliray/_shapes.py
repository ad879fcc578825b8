"""Beams, spheres and frusta: shapes that tracers and machines are asked about."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays
from .errors import ArrayError, OptionError, RangeError


class Shapes:
    """Many shapes of one kind; see :class:`Beams`, :class:`Spheres` and :class:`Frusta`.

    >>> import siliray
    >>> isinstance(siliray.Spheres([0, 0, 0], 1), siliray.Shapes)
    True
    """

    __slots__ = ("numbers",)
    #: What they are.
    kind = ""
    #: A row of numbers for each.
    numbers: NDArray[np.float32]

    def __init__(self, *parts: NDArray[np.float32]) -> None:
        count = max(len(part) for part in parts)
        if any(len(part) == 0 for part in parts):
            count = 0
        if any(len(part) not in (1, count) for part in parts):
            lengths = ", ".join(str(len(part)) for part in parts)
            raise ArrayError(f"{self.kind}: found {lengths} rows, expected as many of each, or one")
        rows = [np.broadcast_to(part[:count], (count, part.shape[1])) for part in parts]
        self.numbers = np.ascontiguousarray(np.concatenate(rows, axis=1), dtype=np.float32)

    def __len__(self) -> int:
        return len(self.numbers)

    def _single(self) -> tuple[str, list[float]]:
        if len(self) != 1:
            raise OptionError(f"shape: found {len(self)} of them, expected one")
        return self.kind, [float(number) for number in self.numbers[0]]

    def __repr__(self) -> str:
        return f"<siliray.{type(self).__name__}: {len(self)}>"


class Beams(Shapes):
    """Boxes that move in a straight line, and may grow or shrink: from a box (minimum, maximum) to
    another, each (N, 6). The parameter is 0 at the start and 1 at the end.

    >>> from siliray import Beams
    >>> len(Beams([[0, 0, 0, 1, 1, 1]], [[5, 0, 0, 6, 1, 1], [9, 0, 0, 10, 1, 1]]))
    2
    """

    __slots__ = ()
    kind = "beam"

    def __init__(self, start: ArrayLike, end: ArrayLike) -> None:
        super().__init__(_rows(start, "start", 6), _rows(end, "end", 6))


class Spheres(Shapes):
    """Spheres that grow from their centres (N, 3) to their radii. The parameter is the radius so
    far: what is met first is what is nearest, and its `t` is the distance.

    >>> import siliray
    >>> floor = siliray.Scene([[-9, -9, 0], [9, -9, 0], [0, 9, 0]], [[0, 1, 2]])
    >>> near = siliray.Tracer(floor).first_contact(siliray.Spheres([[0, 0, 3]], 5), exact=True)
    >>> near.t
    array([3.], dtype=float32)
    """

    __slots__ = ()
    kind = "sphere"

    def __init__(self, centers: ArrayLike, radii: ArrayLike) -> None:
        super().__init__(_rows(centers, "centers", 3), _column(radii, "radii"))


class Frusta(Shapes):
    """Pyramids that are cut off: their tips, and from there to the middle of the cross-section at
    depth 1 (`forward`), from that to the middle of its right side and of its upper side, each
    (N, 3); and the first and last depth. The parameter is the depth.

    >>> from siliray import Frusta
    >>> Frusta([0, 0, 5], [0, 0, -1], [0.5, 0, 0], [0, 0.5, 0], near=0.1, far=9)
    <siliray.Frusta: 1>
    """

    __slots__ = ()
    kind = "frustum"

    def __init__(
        self,
        eyes: ArrayLike,
        forward: ArrayLike,
        right: ArrayLike,
        up: ArrayLike,
        near: ArrayLike = 0.0,
        far: ArrayLike = np.inf,
    ) -> None:
        vectors = [("eyes", eyes), ("forward", forward), ("right", right), ("up", up)]
        super().__init__(
            *(_rows(values, name, 3) for name, values in vectors),
            _column(near, "near"),
            _column(far, "far"),
        )


def _rows(values: ArrayLike, name: str, columns: int) -> NDArray[np.float32]:
    return _single(_arrays.table(values, name, columns), name)


def _column(values: ArrayLike, name: str) -> NDArray[np.float32]:
    array = _arrays.floats(values, name)
    if array.ndim > 1:
        found = f"{name}: found an array of shape {array.shape}"
        raise ArrayError(f"{found}, expected a number or (N,)")
    return _single(array.reshape(-1, 1), name)


def _single(table: _arrays.Array, name: str) -> NDArray[np.float32]:
    """As single floats, which must not become infinite by that."""
    with np.errstate(over="ignore"):
        single = table.astype(np.float32, copy=False)
    is_beyond = np.isfinite(table) & ~np.isfinite(single)
    if is_beyond.any():
        row = int(np.argmax(is_beyond.any(axis=1)))
        raise RangeError(
            f"{name}: found {table[row].tolist()} in row {row}, expected what single floats hold"
        )
    return single
