"""Answers as columns: the same place in each belongs to the same answer."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native, _options


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
        return len(self.primitive)

    def columns(self) -> dict[str, NDArray[Any]]:
        """All columns by name: what `pandas.DataFrame` takes."""
        return {name: getattr(self, name) for name in self._names}

    def to_numpy(self) -> NDArray[np.void]:
        """A structured array, as `siliray trace -o hits.npy` writes it."""
        columns = self.columns()
        types = [(name, column.dtype) for name, column in columns.items()]
        array = np.empty(len(self), dtype=types)
        for name, column in columns.items():
            array[name] = column
        return array

    def _shared(self) -> dict[str, NDArray[Any]]:
        """The columns for who takes them without a copy and counts on their staying as they are."""
        columns = self.columns()
        for column in columns.values():
            column.flags.writeable = False
        return columns

    def __arrow_c_array__(self, requested_schema: object | None = None) -> Any:
        columns = self._shared()
        batch = _native.record_batch(list(columns), list(columns.values()))
        return batch.__arrow_c_array__(requested_schema)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        columns = self._shared()
        table = _native.table(list(columns), list(columns.values()))
        return table.__arrow_c_stream__(requested_schema)


class Lists(Columns):
    """Many answers to each of many questions, one list behind the other."""

    #: Where the answers to each question begin, and the end: (N + 1,).
    offsets: NDArray[np.int64]
    #: What asks, which is the name of the first column.
    _asker: str

    def _askers(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def of(self, number: int) -> slice:
        """Which answers are those to a question, by its number."""
        number = _options.integer(number, "number", 0, len(self.offsets) - 2)
        return slice(int(self.offsets[number]), int(self.offsets[number + 1]))

    def columns(self) -> dict[str, NDArray[Any]]:
        """All columns by name; the first says which question each answers."""
        return {self._asker: getattr(self, self._asker)} | super().columns()
