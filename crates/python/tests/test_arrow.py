"""Hits as tables of other packages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import siliray
from command import watched
from siliray.generators import Scatter
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


def test_ten_million_rays_of_parquet(tmp_path: Path) -> None:
    """Whatever their number, they take as much memory, and become the hits of arrays in their
    order."""
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    scene, part = siliray.Scene.open("interior", triangles=1000), 1_000_000
    tracer = siliray.Tracer(scene)
    low, high = scene.bounds.tolist()
    scatter = Scatter(low, high, seed=7)
    names = ("ox", "oy", "oz", "tmin", "dx", "dy", "dz", "tmax")
    memory = {}
    for count in (1000, 10 * part):
        file = tmp_path / f"{count}.parquet"
        schema = pyarrow.schema([(name, pyarrow.float32()) for name in names])
        with parquet.ParquetWriter(file, schema, compression=None) as writer:
            for first in range(0, count, part):
                made = tracer.generate(scatter, first, min(part, count))
                columns = np.ascontiguousarray(tracer._native.rays(made).T)
                writer.write_table(pyarrow.table(dict(zip(names, columns)), schema))
        hits = tmp_path / "hits.parquet"
        files = ("--rays", file, "-o", hits)
        memory[count] = watched("trace", "interior", "--triangles", 1000, *files)
    assert memory[10 * part] - memory[1000] < 500
    found = parquet.ParquetFile(tmp_path / "hits.parquet")
    assert found.metadata.num_rows == 10 * part and found.num_row_groups > 5
    first = 0
    for group in map(found.read_row_group, range(found.num_row_groups)):
        expected = tracer.closest(tracer.generate(scatter, first, group.num_rows))
        assert group.equals(pyarrow.table(expected))
        first += group.num_rows
