"""Ray for real: a head and two workers, each with processes of its own, one of which dies."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import siliray
from siliray.dataframe import Histogram, cast_rays, generated
from siliray.generators import Scatter
from test_documents import ON_CLUSTERS, SCALE, TRIANGLE, ray_files

ray = pytest.importorskip("ray")

SCENE = siliray.Scene.open("interior", triangles=2000)
SCATTER = Scatter((-1, 0.5, -1), (1, 2, 1), seed=20261)
HISTOGRAM = Histogram(0, 8, 64)
STORE = 100 << 20


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    from ray.cluster_utils import Cluster

    os.environ["RAY_DATA_DISABLE_PROGRESS_BARS"] = "1"
    cluster = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 4, "object_store_memory": STORE, "include_dashboard": False},
    )
    for _ in range(2):
        cluster.add_node(num_cpus=4, object_store_memory=STORE)
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, logging_level="ERROR", log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def actors() -> list[tuple[int, int]]:
    """Processes that trace, each with the process of its node that started it."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes()
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, ValueError):
            continue
        if command.startswith(b"ray::MapWorker"):
            found.append((int(folder.name), parent))
    return found


def test_ray_is_deterministic(cluster: Any) -> None:
    """The same table byte for byte for 1, 2 and 7 workers, whatever the partitioning."""
    table = generated(SCATTER, 3000, rays_per_row=90)
    expected = cast_rays(table, SCENE)
    for workers, blocks in ((1, 1), (2, 5), (7, 11)):
        dataset = ray.data.from_arrow(table).repartition(blocks)
        answer = cast_rays(dataset, SCENE, workers=workers, threads=1)
        found = pa.concat_tables(ray.get(answer.to_arrow_refs())).sort_by("ray")
        assert found.combine_chunks().equals(expected.combine_chunks())


DAFT = """
import sys, daft, siliray, pyarrow as pa
from siliray.dataframe import Histogram, cast_rays, generated
from siliray.generators import Scatter
scene = siliray.Scene.open("interior", triangles=2000)
daft.set_runner_ray(sys.argv[1])
table = generated(Scatter((-1, 0.5, -1), (1, 2, 1), seed=20261), 400_000, rays_per_row=20_000)
frame = daft.from_arrow(table).into_partitions(7)
answer = cast_rays(frame, scene, reduce=Histogram(0, 8, 64), workers=2, threads=1)
rays = cast_rays(daft.from_arrow(table).limit(3), scene, workers=2, threads=1)
assert rays.count_rows() == 60_000
answer = answer.to_arrow()
with pa.ipc.new_file(sys.argv[2], answer.schema) as file:
    file.write_table(answer)
"""


def example(text: str, folder: Path) -> str:
    """A program of the guide for clusters, with places that exist, on a cluster that is there."""
    text = SCALE[0].split("frame =")[0].replace("10**6", "10**5") + text
    for there, here in (("s3://my", folder), ("/scenes", folder)):
        text = text.replace(there, str(here))
    return re.sub(r'^.*\("auto"\)$', "", text, flags=re.MULTILINE)


def test_daft_on_ray(cluster: Any, tmp_path: Path) -> None:
    """The program of the native runner on the cluster, and that of the guide."""
    ray_files(tmp_path / "rays")
    (tmp_path / "city.ply").write_text(TRIANGLE)
    out = tmp_path / "answer.arrow"
    program = DAFT + example(ON_CLUSTERS[0], tmp_path)
    command = [sys.executable, "-c", program, cluster.address, str(out)]
    subprocess.run(command, check=True, capture_output=True, timeout=80)
    table = generated(SCATTER, 400_000, rays_per_row=20_000)
    expected = cast_rays(table, SCENE, reduce=HISTOGRAM)
    found = pa.ipc.open_file(out).read_all().sort_by("first")
    assert found["counts"].to_pylist() == expected["counts"].to_pylist()
    assert np.array_equal(found["hits"].to_numpy(), expected["hits"].to_numpy())
    hits = pq.read_table(tmp_path / "hits").sort_by("ox")
    assert hits["primitive"].to_pylist() == [0, 0, 0xFFFFFFFF, 0xFFFFFFFF]


def test_the_guides_program_for_ray(cluster: Any, tmp_path: Path) -> None:
    (tmp_path / "city.ply").write_text(TRIANGLE)
    names: dict[str, Any] = {}
    exec(example(ON_CLUSTERS[1], tmp_path), names)
    # The triangle is in the box that rays start from; most of them miss it.
    assert 0 < names["dataset"].sum("hits") < 50_000


def test_a_killed_node_changes_nothing(cluster: Any) -> None:
    """A node of the cluster is killed in the middle of a job, which goes on long after it."""
    tracer = siliray.Tracer(SCENE, threads=1)
    start = time.perf_counter()
    HISTOGRAM(tracer, tracer.generate(SCATTER, 0, 500_000), 0)
    # About a third of a second for a row, on whatever machine.
    rows, rays = 40, int(500_000 / (time.perf_counter() - start) / 3)
    table = generated(SCATTER, rows * rays, rays_per_row=rays)
    dataset = ray.data.from_arrow(table).repartition(rows)
    # An actor fits twice on no node, so that there is room for one more.
    answer = cast_rays(dataset, SCENE, reduce=HISTOGRAM, workers=2, threads=3)
    killed: list[float] = []

    def kill() -> None:
        head = {info.process.pid for info in cluster.head_node.all_processes["raylet"]}
        while len(actors()) < 2:
            time.sleep(0.1)
        time.sleep(1.0)
        actor, raylet = next(pair for pair in actors() if pair[1] not in head)
        # An actor works on for a while after its node has died.
        for process in (raylet, actor):
            os.kill(process, signal.SIGKILL)
        killed.append(time.monotonic())

    killer = threading.Thread(target=kill)
    killer.start()
    found = pa.concat_tables(ray.get(answer.to_arrow_refs())).sort_by("first")
    ended = time.monotonic()
    killer.join()
    assert ended - killed[0] > 2.0, "the job must outlast the node"
    assert sum(node["Alive"] for node in ray.nodes()) == 2
    assert found["first"].to_pylist() == [row * rays for row in range(rows)]
    tracer = siliray.Tracer(SCENE)
    for row in range(0, rows, 7):
        expected = HISTOGRAM(tracer, tracer.generate(SCATTER, row * rays, rays), row * rays)
        assert found["counts"][row].as_py() == expected["counts"].tolist()
        assert found["hits"][row].as_py() == expected["hits"]
