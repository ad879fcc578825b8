"""Answers as columns: the same place in each belongs to the same answer."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from . import _native, _options


def arrow_table(columns: dict[str, NDArray[Any]]) -> ArrowTable:
    """Columns by name as a table for whatever reads Arrow, without a copy."""
    table: ArrowTable = _native.table(list(columns), list(columns.values()))
    return table


class ArrowTable(Protocol):
    """What `pyarrow.table` and `polars.DataFrame` take."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any: ...


class Columns:
    """Columns of one length, which whatever reads Arrow takes without a copy. From then on they
    cannot be written to."""

    #: Which instance; 0 for a scene without instances.
    instance: NDArray[np.uint32]
    #: Which geometry of the object.
    geometry: NDArray[np.uint32]
    #: Which triangle of the geometry.
    primitive: NDArray[np.uint32]

    #: Those that are held as they are, in their order.
    _names: tuple[str, ...]

    def __len__(self) -> int:
        return self.primitive.size

    def columns(self) -> dict[str, NDArray[Any]]:
        """All columns by name, of one dimension each: what `pandas.DataFrame` takes.

        >>> import siliray
        >>> tracer = siliray.Tracer(siliray.Scene([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]]))
        >>> list(tracer.first_contact(siliray.Spheres([0, 0, 3], 5)).columns())
        ['t', 'exit', 'instance', 'geometry', 'primitive']
        """
        return {name: getattr(self, name).reshape(-1) for name in self._names}

    def to_numpy(self) -> NDArray[np.void]:
        """A structured array, as `siliray trace -o hits.npy` writes it.

        >>> import siliray
        >>> tracer = siliray.Tracer(siliray.Scene([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]]))
        >>> tracer.closest([0.5, 0.75, 9], [0, 0, -1]).to_numpy()[0].item()
        (9.0, 0.25, 0.25, 0, 0, 0)
        """
        columns = self.columns()
        types = [(name, column.dtype) for name, column in columns.items()]
        array = np.empty(len(self), dtype=types)
        for name, column in columns.items():
            array[name] = column
        return array

    def _shared(self) -> dict[str, NDArray[Any]]:
        """The columns for who takes them without a copy and counts on their staying as they are."""
        for name in self._names:
            getattr(self, name).flags.writeable = False
        columns = self.columns()
        for column in columns.values():
            column.flags.writeable = False
        return columns

    def __arrow_c_array__(self, requested_schema: object | None = None) -> Any:
        columns = self._shared()
        batch = _native.record_batch(list(columns), list(columns.values()))
        return batch.__arrow_c_array__(requested_schema)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        return arrow_table(self._shared()).__arrow_c_stream__(requested_schema)


class Lists(Columns):
    """Many answers to each of many questions, one list behind the other."""

    #: Where the answers to each question begin, and the end: (N + 1,).
    offsets: NDArray[np.int64]
    #: What asks, which is the name of the first column.
    _asker: str

    def _askers(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def of(self, number: int) -> slice:
        """Which answers are those to a question, by its number.

        >>> import siliray
        >>> corners = [[0, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 1], [2, 0, 1], [0, 3, 1]]
        >>> tracer = siliray.Tracer(siliray.Scene(corners, [[0, 1, 2], [3, 4, 5]]))
        >>> hits = tracer.all([[5, 5, 9], [0.5, 0.5, 9]], [0, 0, -1])
        >>> hits.of(0), hits.t[hits.of(1)]
        (slice(0, 0, None), array([8., 9.], dtype=float32))
        """
        number = _options.integer(number, "number", 0, len(self.offsets) - 2)
        return slice(int(self.offsets[number]), int(self.offsets[number + 1]))

    def columns(self) -> dict[str, NDArray[Any]]:
        """All columns by name; the first says which question each answers.

        >>> import siliray
        >>> tracer = siliray.Tracer(siliray.Scene([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]]))
        >>> tracer.all([[5, 5, 9], [0.5, 0.5, 9]], [0, 0, -1]).columns()["ray"]
        array([1])
        """
        return {self._asker: getattr(self, self._asker)} | super().columns()
