"""What engines run: a table's rows in, a table's rows out."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import pyarrow as pa


class Work(ABC):
    """A `RecordBatch` becomes another one: some columns are taken, others are added. It can be
    pickled, and its only state is what it loads once."""

    def prepare(self) -> None:
        """Loads now what else is loaded with the first batch."""

    def expands(self, names: list[str]) -> bool:
        """Whether a row of a table with these columns becomes many; then what was taken goes."""
        return False

    def rows(self, names: list[str]) -> int:
        """How many rows of such a table are a batch."""
        return 1

    @abstractmethod
    def takes(self, names: list[str]) -> list[str]:
        """Which columns of a table it needs; an error if it has not got them."""

    @abstractmethod
    def gives(self, names: list[str]) -> list[pa.Field]:
        """The columns that it adds to a table with these columns."""

    @abstractmethod
    def columns(self, batch: pa.RecordBatch) -> tuple[np.ndarray | None, dict[str, pa.Array]]:
        """The columns that it adds, and the row that each of theirs comes from if rows become
        many."""

    def schema(self, schema: pa.Schema) -> pa.Schema:
        """The columns of the table that it makes of one with these."""
        names = schema.names
        added = self.gives(names)
        gone = {field.name for field in added}
        if self.expands(names):
            gone.update(self.takes(names))
        return pa.schema([field for field in schema if field.name not in gone] + added)

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        schema = self.schema(batch.schema)
        rows, columns = self.columns(batch)
        kept = [name for name in schema.names if name not in columns]
        old = batch.select(kept)
        if rows is not None and kept:
            old = old.take(pa.array(rows))
        arrays = {name: old.column(name) for name in kept} | columns
        return pa.RecordBatch.from_arrays([arrays[name] for name in schema.names], schema=schema)
