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

FILE = int(float(os.environ.get("SILIRAY_FILE_RAYS", 200_000))) // 20
RAYS = 20 * FILE
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
    """Twice as many files take hardly more memory."""
    tracer = siliray.Tracer(siliray.Scene.open("interior", triangles=1000))
    low, high = tracer.scene.bounds.tolist()
    scatter = Scatter(low, high, seed=7)
    schema = pa.schema(
        [pa.field("ray", pa.uint32())] + [pa.field(name, pa.float32()) for name in NAMES]
    )
    one = tmp_path / "rays.parquet"
    for part in ("half", "all"):
        (tmp_path / part).mkdir()
    with pq.ParquetWriter(one, schema) as writer:
        for number, first in enumerate(range(0, RAYS, FILE)):
            rays = tracer._native.rays(tracer.generate(scatter, first, FILE))
            numbers = np.arange(first, first + FILE, dtype=np.uint32)
            columns = dict(zip(NAMES, np.ascontiguousarray(rays.T)))
            table = pa.table({"ray": numbers} | columns, schema)
            writer.write_table(table)
            file = tmp_path / "all" / f"{number}.parquet"
            pq.write_table(table, file, row_group_size=FILE // 3)
            if first < RAYS // 2:
                os.link(file, tmp_path / "half" / file.name)
    memory = {}
    for part in ("half", "all"):
        rays, out = tmp_path / part / "*.parquet", tmp_path / f"{part}-hits"
        memory[part] = peak([sys.executable, "-c", DAFT, str(rays), str(out)])
    assert memory["all"] - memory["half"] < 500
    files = ("--rays", one, "-o", tmp_path / "hits.parquet")
    watched("trace", "interior", "--triangles", 1000, *files)
    found = pq.read_table(out, columns=["ray", *HITS]).sort_by("ray")
    assert np.array_equal(found["ray"].to_numpy(), np.arange(RAYS))
    expected = pq.read_table(tmp_path / "hits.parquet")
    for name in HITS:
        assert np.array_equal(found[name].to_numpy(), expected[name].to_numpy()), name
