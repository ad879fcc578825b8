"""Parquet to Parquet, by Daft and by the command line: the same hits, in bounded memory.

With SILIRAY_FILE_RAYS=1e7 in the environment, for ten million rays.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import siliray
from command import peak, watched
from siliray.generators import Scatter

pytest.importorskip("daft")

RAYS = int(float(os.environ.get("SILIRAY_FILE_RAYS", 200_000)))
GROUP = max(RAYS // 10, 1)
NAMES = ("ox", "oy", "oz", "tmin", "dx", "dy", "dz", "tmax")
HITS = ("t", "u", "v", "instance", "geometry", "primitive")

DAFT = """
import sys, daft
from siliray import Scene
from siliray.dataframe import cast_rays
rays = daft.read_parquet(sys.argv[1])
cast_rays(rays, Scene.open("interior", 1000), workers=2).write_parquet(sys.argv[2])
"""


def test_files_of_many_rays(tmp_path: Path) -> None:
    tracer = siliray.Tracer(siliray.Scene.open("interior", triangles=1000))
    low, high = tracer.scene.bounds.tolist()
    scatter = Scatter(low, high, seed=7)
    memory = {}
    for count in (1000, RAYS):
        file, out = tmp_path / f"{count}.parquet", tmp_path / f"{count}"
        schema = pa.schema(
            [pa.field("ray", pa.uint32())] + [pa.field(name, pa.float32()) for name in NAMES]
        )
        with pq.ParquetWriter(file, schema) as writer:
            for first in range(0, count, GROUP):
                rays = tracer._native.rays(tracer.generate(scatter, first, min(GROUP, count)))
                numbers = np.arange(first, first + len(rays), dtype=np.uint32)
                columns = dict(zip(NAMES, np.ascontiguousarray(rays.T)))
                writer.write_table(pa.table({"ray": numbers} | columns, schema))
        memory[count] = peak([sys.executable, "-c", DAFT, str(file), str(out)])
    assert pq.ParquetFile(file).num_row_groups == RAYS // GROUP > 5
    assert memory[RAYS] - memory[1000] < 500
    files = ("--rays", file, "-o", tmp_path / "hits.parquet")
    watched("trace", "interior", "--triangles", 1000, *files)
    found = pq.read_table(out, columns=["ray", *HITS]).sort_by("ray")
    assert np.array_equal(found["ray"].to_numpy(), np.arange(RAYS))
    expected = pq.read_table(tmp_path / "hits.parquet")
    for name in HITS:
        assert np.array_equal(found[name].to_numpy(), expected[name].to_numpy()), name
