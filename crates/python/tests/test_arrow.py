"""Hits as tables of other packages."""

from __future__ import annotations

import numpy as np
import pytest
import siliray
from worlds import rays

TRACER = siliray.Tracer("organic")
RAYS = rays(5000, 4)
NAMES = ["t", "u", "v", "instance", "geometry", "primitive"]


def test_arrow_sees_the_same_memory() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    hits = TRACER.closest(RAYS)
    for table in (pyarrow.table(hits), pyarrow.record_batch(hits)):
        assert table.column_names == NAMES if hasattr(table, "column_names") else True
        assert table.num_rows == len(RAYS)
    batch = pyarrow.record_batch(hits)
    for name in NAMES:
        column = getattr(hits, name)
        assert np.array_equal(batch.column(name).to_numpy(zero_copy_only=True), column)
        assert batch.column(name).buffers()[1].address == column.__array_interface__["data"][0]
    del hits
    assert np.isfinite(batch.column("t").to_numpy()).any()
    every = pyarrow.table(TRACER.all(RAYS))
    assert every.column_names == ["ray", *NAMES]


def test_frames() -> None:
    polars = pytest.importorskip("polars")
    pandas = pytest.importorskip("pandas")
    hits = TRACER.closest(RAYS)
    frame = polars.DataFrame(hits)
    assert frame.columns == NAMES and frame.height == len(RAYS)
    assert np.array_equal(frame["primitive"].to_numpy(), hits.primitive)
    assert np.array_equal(pandas.DataFrame(hits.columns())["t"], hits.t)
    assert len(polars.DataFrame(TRACER.closest(RAYS[:0]))) == 0


def test_structured_arrays_have_the_layout_of_hit_files() -> None:
    hits = TRACER.closest(RAYS)
    array = hits.to_numpy()
    assert array.dtype.names == tuple(NAMES) and array.dtype.itemsize == 24
    assert np.array_equal(array["primitive"], hits.primitive)
