"""Tables of rays: whatever the engine, the partitioning and the workers, the same hits."""

import json
import os
import pickle
import subprocess
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import siliray
from siliray.dataframe import (
    CastRays,
    Depth,
    Histogram,
    Visibility,
    cast_rays,
    check,
    conformance,
    generated,
    simulate,
)
from siliray.dataframe import _documents
from siliray.generators import Camera, Lidar, Occlusion, Scatter

daft = pytest.importorskip("daft")

CAMERA = Camera(eye=(0.3, 1.4, 2.5), at=(0, 1.1, 0), fov=70, width=60, height=41)
LIDAR = Lidar(
    path=[(0, 1, 0), (1, 1.5, 0.5)],
    sweeps=3,
    azimuths=90,
    elevations=[-20.0, 0.0, 7.5],
    up=(0, 1, 0),
    reach=20.0,
)
SCENE = siliray.Scene.open("interior", triangles=2000)
SCATTER = Scatter((-1, 0.5, -1), (1, 2, 1), seed=20261)


@pytest.fixture(scope="module")
def tracer() -> siliray.Tracer:
    return siliray.Tracer(SCENE)


def stored(tracer: siliray.Tracer, count: int) -> tuple[pa.Table, siliray.Hits]:
    """Rays as a table, and what they hit."""
    rays = tracer._native.rays(tracer.generate(SCATTER, count=count))
    names = ["ox", "oy", "oz", "tmin", "dx", "dy", "dz", "tmax"]
    columns = dict(zip(names, np.ascontiguousarray(rays.T), strict=True))
    columns["tmax"][::3] = 1.5
    rays = np.stack([columns[name] for name in names], axis=1)
    table = pa.table({"ray": np.arange(count, dtype=np.uint64)} | columns)
    return table, tracer.closest(rays)


def assert_hits(table: pa.Table, hits: siliray.Hits) -> None:
    for name, column in hits.columns().items():
        np.testing.assert_array_equal(table[name].to_numpy(), column)


def test_stored_rays(tracer: siliray.Tracer) -> None:
    table, hits = stored(tracer, 5000)
    assert 1000 < np.count_nonzero(hits.hit) < 5000
    answer = cast_rays(table, SCENE)
    assert answer.column_names[:9] == table.column_names
    assert_hits(answer, hits)
    batch = CastRays(SCENE)(table.to_batches()[0])
    assert isinstance(batch, pa.RecordBatch)
    assert_hits(pa.Table.from_batches([batch]), hits)
    reader = cast_rays(table.to_reader(max_chunksize=700), SCENE, query="any")
    np.testing.assert_array_equal(reader.read_all()["hit"].to_numpy(), hits.hit)


def test_rays_as_lists(tracer: siliray.Tracer) -> None:
    table, hits = stored(tracer, 300)
    points = {
        name: np.stack([table[axis].to_numpy() for axis in axes], axis=1)
        for name, axes in (("origin", ("ox", "oy", "oz")), ("direction", ("dx", "dy", "dz")))
    }
    bounds = {name: table[name].combine_chunks() for name in ("tmin", "tmax")}
    fixed = {
        name: pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), 3)
        for name, rows in points.items()
    }
    varying = {name: pa.array(list(rows.astype(np.float64))) for name, rows in points.items()}
    for vectors in (fixed, varying):
        assert_hits(cast_rays(pa.table(vectors | bounds), SCENE), hits)


FEW = {name: [0.5, 5.0, 0.25] for name in ("ox", "oy")} | {
    "oz": [9.0, 9.0, 8.0],
    "dx": [0.0, 0.0, 0.0],
    "dy": [0.0, 0.0, 0.0],
    "dz": [-1.0, -1.0, -1.0],
}
NUMBERS = pa.array([-1, -1, -1], pa.int8())


@pytest.mark.skipif("SILIRAY" not in os.environ, reason="no command line to compare with")
@pytest.mark.parametrize(
    "columns",
    [
        {"dx": pa.array([0, 0, 0], pa.uint8()), "dz": NUMBERS},
        {"oz": pa.array([2**53 + 1, 2**24 + 1, 2**60 + 2**36 + 1], pa.int64())},
        {"dz": NUMBERS.cast(pa.float64()).dictionary_encode(), "dx": pa.array([0, 0, 0])},
        {"dz": pa.array([-1.0, -1.0, -1.0], pa.float16())},
        {"tmin": [8.5, None, None], "tmax": [None, 20.0, 7.0]},
        {"tmax": pa.array([None, 9, 7], pa.int32()), "tmin": pa.array([None] * 3, pa.float32())},
        {"tmax": pa.array([None, 9.0, 7.0]).dictionary_encode()},
        {"dz": pa.array([-1.0, None, -1.0])},
        {"dz": NUMBERS.cast(pa.string())},
        {"dz": NUMBERS.cast(pa.decimal128(5, 1))},
        {"dz": [True, True, False]},
        {"direction": [[0.0, 0.0, -1.0]] * 3},
        {"origin": [[1, 2, 3]] * 3, "ox": None, "oy": None, "oz": None},
        {"origin": [[1, 2, 3], [1, 2], [1]], "ox": None, "oy": None, "oz": None},
    ],
)
def test_one_rule_for_columns(columns: dict[str, object], tmp_path: Path) -> None:
    """What the command line takes of a file is taken here, with the same hits; and what it refuses
    is refused."""
    corners, faces = [[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]]
    columns = {name: column for name, column in (FEW | columns).items() if column is not None}
    table = pa.table(columns)
    (tmp_path / "scene.obj").write_text("v 0 0 0\nv 2 0 0\nv 0 3 0\nf 1 2 3\n")
    pq.write_table(table, tmp_path / "rays.parquet")
    pa.feather.write_feather(table, tmp_path / "rays.arrow", compression="uncompressed")
    try:
        expected = cast_rays(table, (corners, faces)).select(["t", "primitive"])
    except siliray.Error:
        expected = None
    for source in ("rays.parquet", "rays.arrow"):
        command = [os.environ["SILIRAY"], "trace", "scene.obj", "--rays", source]
        command += ["-o", "hits.parquet"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode == 0) == (expected is not None), done.stderr
        if expected is not None:
            found = pq.read_table(tmp_path / "hits.parquet").select(["t", "primitive"])
            assert found.to_pydict() == expected.to_pydict()


@pytest.mark.parametrize("generator", [CAMERA, LIDAR, SCATTER, Occlusion(samples=5, seed=3)])
def test_generated_rays(tracer: siliray.Tracer, generator: object) -> None:
    """Whatever rows the rays are cut into, they are the same."""
    rays = tracer.generate(generator, count=700)
    hits = tracer.closest(rays)
    np.testing.assert_array_equal(tracer.closest(tracer._native.rays(rays)).t, hits.t)
    for rays_per_row in (7, 333, 10_000):
        table = generated(generator, 700, rays_per_row=rays_per_row)
        table = table.append_column("view", pa.array(range(table.num_rows)))
        answer = cast_rays(table, SCENE)
        assert answer.column_names[:2] == ["view", "ray"]
        np.testing.assert_array_equal(answer["ray"].to_numpy(), np.arange(700))
        np.testing.assert_array_equal(answer["view"].to_numpy(), np.arange(700) // rays_per_row)
        assert_hits(answer, hits)


def test_all_hits_of_generated_rays(tracer: siliray.Tracer) -> None:
    rays = tracer.generate(SCATTER, first=5, count=50)
    hits, arrays = tracer.all(rays), tracer.all(tracer._native.rays(rays))
    np.testing.assert_array_equal(hits.positions, arrays.positions)
    np.testing.assert_array_equal(tracer.count(rays), np.diff(hits.offsets))


def test_reductions(tracer: siliray.Tracer) -> None:
    count = CAMERA.width * CAMERA.height
    hits = tracer.closest(tracer.generate(CAMERA))
    table = generated(CAMERA, count, rays_per_row=500)
    depth = cast_rays(table, SCENE, reduce=Depth())
    assert depth.column_names == ["generator", "first", "count", "depth"]
    np.testing.assert_array_equal(depth["depth"].combine_chunks().flatten().to_numpy(), hits.t)
    histogram = cast_rays(table, SCENE, reduce=Histogram(0, 8, 32))
    expected, _ = np.histogram(hits.t[hits.hit], bins=32, range=(0, 8))
    total = Histogram(0, 8, 32).combine(histogram)
    np.testing.assert_array_equal(total["counts"], expected)
    assert total["hits"] == np.count_nonzero(hits.hit)
    backwards = depth.take(list(range(depth.num_rows))[::-1])
    np.testing.assert_array_equal(Depth().combine(backwards)["depth"], hits.t)
    with pytest.raises(siliray.ArrayError, match="rays from 1000 on, expected from 500 on"):
        Depth().combine(depth.take([0, 2, 3]))
    sky = Occlusion(samples=16, seed=1, reach=2.0)
    blocked = tracer.any(tracer.generate(sky)).reshape(-1, 16)
    table = generated(sky, blocked.size, rays_per_row=1600)
    visible = cast_rays(table, SCENE, reduce=Visibility(16))
    np.testing.assert_array_equal(
        visible["visible"].combine_chunks().flatten().to_numpy(), 16 - blocked.sum(axis=1)
    )
    np.testing.assert_array_equal(visible["target"].to_numpy(), np.arange(visible.num_rows) * 100)
    total = Visibility(16).combine(visible)
    np.testing.assert_array_equal(total["visible"], 16 - blocked.sum(axis=1))
    assert total["target"] == 0


def sorted_bytes(table: pa.Table) -> bytes:
    """A table, sorted by the number of its rays, as a file."""
    table = table.sort_by("ray").combine_chunks()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def test_daft_is_deterministic(tracer: siliray.Tracer) -> None:
    """The same table byte for byte for 1, 2 and 7 workers, whatever the partitioning."""
    stored_rays, hits = stored(tracer, 4000)
    generated_rays = generated(SCATTER, 4000, rays_per_row=90)
    seen: dict[str, set[bytes]] = {"stored": set(), "generated": set()}
    for workers, rows in ((1, 4000), (2, 700), (7, 130), (7, 11)):
        for name, table in (("stored", stored_rays), ("generated", generated_rays)):
            frame = daft.from_arrow(table)
            frame = frame.into_batches(rows if name == "stored" else max(1, rows // 90))
            answer = cast_rays(frame, SCENE, workers=workers, threads=1, batch_size=rows)
            table = answer.to_arrow()
            seen[name].add(sorted_bytes(table))
    assert [len(tables) for tables in seen.values()] == [1, 1]
    assert_hits(table, tracer.closest(tracer.generate(SCATTER, count=4000)))
    assert_hits(pa.ipc.open_file(seen["stored"].pop()).read_all(), hits)


def test_daft_reduces(tracer: siliray.Tracer) -> None:
    table = generated(SCATTER, 20_000, rays_per_row=1500)
    local = cast_rays(table, SCENE, reduce=Histogram(0, 4, 8))
    frame = cast_rays(daft.from_arrow(table), SCENE, reduce=Histogram(0, 4, 8), workers=2)
    answer = frame.to_arrow().sort_by("first")
    assert answer["counts"].to_pylist() == local["counts"].to_pylist()
    total = frame.agg(daft.col("hits").sum()).to_pydict()["hits"]
    assert total == [int(np.count_nonzero(tracer.any(tracer.generate(SCATTER, count=20_000))))]


def test_simulations() -> None:
    """A run for each configuration: what `siliray.simulate` says, whatever the engine; a bad one is
    an error in its row and nowhere else."""
    configs = ["patent", '{"slots": 4}', '{"slots": "many"}', "{", None]
    table = pa.table({"config": configs})
    runs = simulate(table, SCENE, rays=64)
    for row, config in enumerate(("patent", {"slots": 4})):
        expected = siliray.simulate(SCENE, config, rays=64)["runs"][0]
        assert runs["cycles"][row].as_py() == expected["cycles"]
        assert json.loads(runs["document"][row].as_py())["config"] == expected["config"]
    assert runs["error"].is_valid().to_pylist() == [False, False, True, True, True]
    assert "slots = many: expected a whole number" in runs["error"][2].as_py()
    through_daft = simulate(daft.from_arrow(table), SCENE, rays=64, workers=2).to_arrow()
    assert through_daft.to_pydict() == runs.to_pydict()
    structs = pa.table({"config": [{"base": "patent"}, {"slots": 4}]})
    for frame in (structs, daft.from_arrow(structs)):
        answer = simulate(frame, SCENE, rays=64).to_pydict()
        assert answer["cycles"] == runs["cycles"].to_pylist()[:2]
    for call, option in ((simulate, {"sweep": {"slots": [4, 8]}}), (conformance, {"seed": 3})):
        arguments = (table, SCENE) if call is simulate else (table,)
        with pytest.raises(siliray.OptionError, match="no such option"):
            call(*arguments, **option)


def test_simulations_share_what_is_prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scene, tree and rays are made once for all rows, which keep every processor busy."""
    prepared, together = [], threading.Barrier(2, timeout=20)

    class Watched(_documents.Simulator):
        def __init__(self, *arguments: object, **options: object) -> None:
            prepared.append(self)
            super().__init__(*arguments, **options)

        def run(self, config: object) -> dict[str, object]:
            together.wait()
            return super().run(config)

    monkeypatch.setattr(_documents, "Simulator", Watched)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    table = pa.table({"config": ["patent", '{"slots": 4}', '{"slots": 8}', '{"slots": 16}']})
    runs = simulate(table, SCENE, rays=64).to_pydict()
    assert len(set(runs["cycles"])) > 1 and not any(runs["error"])
    assert len(prepared) == 1


def test_checks_and_the_law(tmp_path: Path) -> None:
    image = siliray.build(SCENE, format="gfx12").image
    assert image is not None
    sound, broken = tmp_path / "sound.rra", tmp_path / "broken.rra"
    sound.write_bytes(image.to_bytes())
    broken.write_bytes(b"oops" + image.to_bytes()[4:])
    files = [str(sound), str(broken), str(tmp_path / "none.rra")]
    answer = check(pa.table({"file": files}))
    assert answer["sound"].to_pylist() == [True, False, None]
    assert json.loads(answer["document"][1].as_py())["findings"][0]["rule"] == "container_magic"
    assert "No such file" in answer["error"][2].as_py()
    through_daft = check(daft.from_pydict({"file": files})).to_arrow().sort_by("file")
    assert through_daft.to_pydict() == answer.sort_by("file").to_pydict()
    seeds = daft.from_pydict({"seed": [1, 2]})
    law = conformance(seeds, rays=20, only=["format=cwbvh"], workers=2)
    assert law.to_pydict()["mismatches"] == [0, 0]


def test_scenes_travel() -> None:
    """A scene is sent as what it was made of, and the callable with it."""
    corners = np.array([[0, 0, 0], [2, 0, 0], [0, 3, 0]], dtype=np.float32)
    scenes = [
        siliray.Scene(corners, [[0, 1, 2]]),
        siliray.Scene.from_objects([[(corners, [[0, 1, 2]])]], [siliray.Instance(0)]),
        (corners, [[0, 1, 2]]),
    ]
    rays = pa.table({"origin": [[0.5, 0.5, 9.0]], "direction": [[0.0, 0.0, -2.0]]})
    for scene in scenes:
        work = pickle.loads(pickle.dumps(CastRays(scene)))
        assert work(rays.to_batches()[0])["t"].to_pylist() == [4.5]
    again = pickle.loads(pickle.dumps(siliray.Scene.open("interior", triangles=500)))
    assert (again.name, again.triangles) == ("interior", 516)
    with pytest.raises(siliray.OptionError, match="cannot be sent to workers"):
        CastRays(lambda: None)


def test_what_is_wrong_is_said() -> None:
    rays = pa.table({name: [0.0, 1.0] for name in ("ox", "oy", "oz", "dx", "dy", "dz")})
    scene = ([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]])
    with pytest.raises(siliray.ArrayError, match="no column 'dy'"):
        cast_rays(rays.drop_columns(["dy"]), scene)
    with pytest.raises(siliray.DtypeError, match="column 'dz': found string"):
        cast_rays(rays.set_column(5, "dz", pa.array(["a", "b"])), scene)
    with pytest.raises(siliray.ArrayError, match="column 'dz': found a null"):
        cast_rays(rays.set_column(5, "dz", pa.array([1.0, None])), scene)
    with pytest.raises(siliray.ArrayError, match="a reduction is made of the rays of a row"):
        cast_rays(rays, scene, reduce=Depth())
    with pytest.raises(siliray.OptionError, match="query: found 'nearest'"):
        cast_rays(rays, scene, query="nearest")
    with pytest.raises(siliray.OptionError, match="expected a table of daft, ray.data or pyarrow"):
        cast_rays([1, 2], scene)
    with pytest.raises(siliray.OptionError, match="rays 0 to 99 are asked for, and there are 10"):
        view = Camera(eye=(0, 0, 9), at=(0, 0, 0), fov=40, width=5, height=2)
        cast_rays(generated(view, 99), scene)
    with pytest.raises(siliray.OptionError, match="expected multiples of 3"):
        cast_rays(generated(Occlusion(samples=3), 2), scene, reduce=Visibility(3))
    with pytest.raises(siliray.OptionError, match="query, reduce: .* 'any' is asked"):
        cast_rays(generated(SCATTER, 5), scene, query="any", reduce=Depth())
    with pytest.raises(siliray.ArrayError, match="several columns 'dz'"):
        cast_rays(rays.append_column("dz", rays["dz"]), scene)
    with pytest.raises(siliray.DtypeError, match="column 'dz': found decimal"):
        decimals = rays["dz"].cast(pa.decimal128(20, 3))
        cast_rays(rays.set_column(5, "dz", decimals), scene)
    for low, high in ((0, np.inf), (-np.inf, 0), (np.nan, 1), (2, 1), (-1.7e308, 1.7e308)):
        with pytest.raises(siliray.OptionError, match="low, high: found .* finite"):
            Histogram(low, high, 4)
    with pytest.raises(siliray.OptionError, match="workers: found 0"):
        cast_rays(rays, scene, workers=0)


@pytest.mark.skipif("SILIRAY" not in os.environ, reason="no command line to compare with")
def test_tables_of_the_command_line(tracer: siliray.Tracer, tmp_path: Path) -> None:
    """What pyarrow writes is read by `siliray trace`, and what it writes is read by pyarrow."""
    count = 300_000
    table, hits = stored(tracer, count)
    table = table.drop_columns(["ray"])
    pq.write_table(table, tmp_path / "rays.parquet", row_group_size=70_000)
    pq.write_table(table, tmp_path / "zstd.parquet", compression="zstd")
    pa.feather.write_feather(table, tmp_path / "rays.arrow")
    rays = np.stack([table[name].to_numpy() for name in table.column_names], axis=1)
    np.save(tmp_path / "rays.npy", rays)
    for source, target in (
        ("rays.npy", "hits.npy"),
        ("rays.parquet", "hits.parquet"),
        ("zstd.parquet", "hits.arrow"),
        ("rays.arrow", "hits.feather"),
    ):
        command = [os.environ["SILIRAY"], "trace", "interior", "--triangles", "2000"]
        command += ["--rays", source, "-o", target]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
        if target.endswith(".npy"):
            array = np.load(tmp_path / target)
            answer = pa.table({name: array[name] for name in array.dtype.names})
        elif target.endswith(".parquet"):
            answer = pq.read_table(tmp_path / target)
            assert pq.ParquetFile(tmp_path / target).num_row_groups == -(-count // (1 << 20))
        else:
            answer = pa.feather.read_table(tmp_path / target)
        assert answer.column_names == list(hits.columns())
        assert_hits(answer, hits)
