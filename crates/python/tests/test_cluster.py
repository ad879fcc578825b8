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

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import siliray
from siliray.dataframe import Histogram, cast_rays, check, conformance, generated, simulate
from siliray.generators import Scatter
from test_dataframe import sorted_bytes, stored
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
    tables = [generated(SCATTER, 3000, rays_per_row=90), stored(siliray.Tracer(SCENE), 3000)[0]]
    for table in tables:
        expected = sorted_bytes(cast_rays(table, SCENE))
        for workers, blocks in ((1, 1), (2, 5), (7, 11)):
            dataset = ray.data.from_arrow(table).repartition(blocks)
            answer = cast_rays(dataset, SCENE, workers=workers, threads=1)
            assert sorted_bytes(pa.concat_tables(ray.get(answer.to_arrow_refs()))) == expected


def test_documents_on_ray(cluster: Any, tmp_path: Path) -> None:
    """Configurations, files and seeds: each answered as it is without an engine, and by several
    workers though their tables come as one block."""
    image = siliray.build(SCENE, format="gfx12").image
    assert image is not None
    files = [tmp_path / "sound.rra", tmp_path / "broken.rra", tmp_path / "none.rra"]
    files[0].write_bytes(image.to_bytes())
    files[1].write_bytes(b"oops" + image.to_bytes()[4:])
    configs = ["patent", '{"slots": 4}', '{"slots": "many"}', '{"base": "patent"}']
    for question, values, work in (
        ("config", configs, lambda frame, **how: simulate(frame, SCENE, rays=64, **how)),
        ("file", [str(file) for file in files], check),
        (
            "seed",
            [1, 2, 3],
            lambda frame, **how: conformance(frame, rays=20, only=["format=cwbvh"], **how),
        ),
    ):
        table = pa.table({question: values})
        expected = work(table)
        answer = work(ray.data.from_arrow(table), workers=2).materialize()
        assert answer.num_blocks() > 1
        found = pa.concat_tables(ray.get(answer.to_arrow_refs()))
        assert found.sort_by(question).to_pydict() == expected.sort_by(question).to_pydict()


def test_nothing_of_ray(cluster: Any) -> None:
    """A table without blocks, and so without columns."""
    assert cast_rays(ray.data.from_items([]), SCENE).count() == 0


DAFT = """
import sys, daft, siliray, pyarrow as pa
from siliray.dataframe import cast_rays, generated, simulate
from siliray.generators import Scatter
scene = siliray.Scene.open("interior", triangles=2000)
daft.set_runner_ray(sys.argv[1])
table = generated(Scatter((-1, 0.5, -1), (1, 2, 1), seed=20261), 20_000, rays_per_row=900)
frame = daft.from_arrow(table)
def write(frame, name):
    answer = frame.to_arrow()
    with pa.ipc.new_file(sys.argv[2] + name, answer.schema) as file:
        file.write_table(answer)
for workers, parts in ((1, 1), (2, 5), (7, 11)):
    parted = frame.into_partitions(parts)
    write(cast_rays(parted, scene, workers=workers, threads=1), f"/{workers}.arrow")
configs = daft.from_pydict({"config": ["patent", '{"slots": 4}']})
write(simulate(configs, scene, rays=64, workers=2), "/runs.arrow")
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
    program = DAFT + example(ON_CLUSTERS[0], tmp_path)
    command = [sys.executable, "-c", program, cluster.address, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=160)
    assert done.returncode == 0, done.stderr

    def written(name: str) -> pa.Table:
        return pa.ipc.open_file(tmp_path / f"{name}.arrow").read_all()

    table = generated(SCATTER, 20_000, rays_per_row=900)
    tables = {sorted_bytes(written(workers)) for workers in "127"}
    (answer,) = tables
    expected = cast_rays(table, SCENE).sort_by("ray")
    found = pa.ipc.open_file(answer).read_all()
    assert found.column_names == expected.column_names
    assert all(found[name].equals(expected[name]) for name in found.column_names)
    runs = simulate(pa.table({"config": ["patent", '{"slots": 4}']}), SCENE, rays=64)
    assert written("runs").sort_by("config").to_pydict() == runs.sort_by("config").to_pydict()
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
    expected = cast_rays(table, SCENE, reduce=HISTOGRAM)
    assert found.select(["hits", "counts"]).to_pydict() == (
        expected.select(["hits", "counts"]).to_pydict()
    )
