"""Everything beside each other in one run: contestants take turns, so that whatever slows the
machine slows all of them; figures are medians.

    scripts/bench-python --scene bathroom.ply
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

Contestant = Callable[[], Any]

SILIRAY = os.environ.get("SILIRAY", "siliray")


def main() -> None:
    measures: dict[str, Callable[[argparse.Namespace, Path], Iterator[dict[str, Any]]]] = {
        "import": measure_import,
        "rust": measure_rust,
        "trimesh": measure_trimesh,
        "open3d": measure_open3d,
        "engines": measure_engines,
        "file": measure_file,
    }
    options = arguments(list(measures))
    with tempfile.TemporaryDirectory() as folder:
        rows = []
        for name, measure in measures.items():
            if options.only and name not in options.only:
                continue
            for row in measure(options, Path(folder)):
                rows.append(row)
                print(text(row), flush=True)
    if options.json:
        options.json.write_text(json.dumps({"rows": rows}, indent=2) + "\n")
    short = [row for row in rows if not is_reached(row)]
    for row in short:
        print(f"not reached: {text(row)}", file=sys.stderr)
    sys.exit(1 if options.strict and short else 0)


def is_reached(row: dict[str, Any]) -> bool:
    """Whether a figure is as good as it must be; one that could not be measured is not."""
    if "skipped" in row:
        return False
    if row["wanted"] is None:
        return True
    if "times" in row:
        return bool(row["times"] >= row["wanted"])
    return bool(row["value"] <= row["wanted"])


def arguments(measures: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scene", default="interior", help="a file or a built-in scene")
    parser.add_argument("--rays", type=float, default=1e6, help="bounce rays")
    parser.add_argument("--runs", type=int, default=7, help="runs of which the median counts")
    parser.add_argument("--engine-rays", type=float, default=1e9, help="rays through engines")
    parser.add_argument("--file-rays", type=float, default=1e7, help="rays of the streamed file")
    parser.add_argument("--workers", type=int, default=2, help="workers of the engines")
    parser.add_argument("--only", action="append", choices=measures, help="again for several")
    parser.add_argument(
        "--strict", action="store_true", help="exit code 1 for a figure that is not reached"
    )
    parser.add_argument("--json", type=Path, help="a file for the rows")
    return parser.parse_args()


def in_turns(contestants: dict[str, Contestant], runs: int) -> dict[str, list[float]]:
    """Seconds of each run; a first one warms up and does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for run in range(runs + 1):
        for name, contestant in contestants.items():
            start = time.perf_counter()
            contestant()
            if run:
                seconds[name].append(time.perf_counter() - start)
    return seconds


def against(
    what: str, count: float, seconds: dict[str, list[float]], wanted: dict[str, float]
) -> Iterator[dict[str, Any]]:
    """The first contestant against each other one: the median of the quotients of each turn."""
    (name, own), *others = seconds.items()
    for other, times in others:
        quotient = statistics.median(t / o for t, o in zip(times, own, strict=True))
        yield {
            "measure": f"{what}: {name} against {other}",
            "mrays_per_second": count / statistics.median(own) / 1e6,
            "other_mrays_per_second": count / statistics.median(times) / 1e6,
            "times": quotient,
            "wanted": wanted.get(other),
        }


def text(row: dict[str, Any]) -> str:
    figures = [f"{row['measure']}:"]
    if "skipped" in row:
        figures.append(f"not measured, {row['skipped']}")
    if "times" in row:
        speeds = row["mrays_per_second"], row["other_mrays_per_second"]
        figures.append(f"{speeds[0]:.2f} to {speeds[1]:.2f} M rays/s, {row['times']:.2f} times")
    if "value" in row:
        figures.append(f"{row['value']:.3g} {row['unit']}")
    if row.get("wanted") is not None:
        bound = "at least" if "times" in row else "at most"
        figures.append(f"(wanted: {bound} {row['wanted']:.3g})")
    return " ".join(figures)


def measure_import(options: argparse.Namespace, _: Path) -> Iterator[dict[str, Any]]:
    def imported(what: str) -> float:
        program = f"import time; s = time.perf_counter(); {what}; print(time.perf_counter() - s)"
        command = [sys.executable, "-c", program]
        return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    for what, wanted in (("import siliray", 0.3), ("import numpy", None)):
        value = statistics.median(imported(what) for _ in range(options.runs))
        yield {"measure": what, "value": value, "unit": "s", "wanted": wanted}


def mesh_file(options: argparse.Namespace, folder: Path) -> Path:
    """The scene as other packages read it."""
    if Path(options.scene).exists():
        return Path(options.scene)
    file = folder / "scene.ply"
    if not file.exists():
        command = [SILIRAY, "convert", options.scene, "-o", file]
        subprocess.run(command, check=True, capture_output=True)
    return file


def skipped(measure: str, error: ImportError) -> dict[str, Any]:
    return {"measure": measure, "skipped": str(error), "wanted": None}


def bounce_rays(options: argparse.Namespace, folder: Path) -> np.ndarray:
    """Origins and directions: what `siliray bench trace` traces, too."""
    file = folder / "rays.npy"
    if not file.exists():
        count = str(int(options.rays))
        command = [SILIRAY, "rays", options.scene, "--workload", "bounce"]
        subprocess.run([*command, "--rays", count, "-o", file], check=True, capture_output=True)
    rays = np.load(file)
    return np.ascontiguousarray(rays[:, [0, 1, 2, 4, 5, 6]])


def measure_rust(options: argparse.Namespace, folder: Path) -> Iterator[dict[str, Any]]:
    """The call from Python against Rust's. Rust's is given rays as it traces them, and memory for
    the hits that it has written to before; Python's converts rays and makes new columns."""
    import siliray

    rays = bounce_rays(options, folder)
    for threads in dict.fromkeys((1, os.cpu_count() or 1)):
        tracer = siliray.Tracer(options.scene, threads=threads)
        seconds: dict[str, list[float]] = {"Tracer.closest": [], "Rust": []}
        for _ in range(options.runs):
            # Three of each in a turn, and their medians.
            python = in_turns({"python": lambda: tracer.closest(rays)}, 3)["python"]
            command = [SILIRAY, "bench", "trace", options.scene, "--peers", "none", "--runs", "3"]
            command += ["--rays", str(len(rays)), "--threads", str(threads), "--json"]
            report = subprocess.run(command, check=True, capture_output=True).stdout
            row = next(
                row
                for row in json.loads(report)["rows"]
                if (row["workload"], row["mode"], row["threads"]) == ("bounce", "prepared", threads)
            )
            seconds["Tracer.closest"].append(statistics.median(python))
            seconds["Rust"].append(len(rays) / row["mrays_per_second"] / 1e6)
        yield from against(f"{threads} threads", len(rays), seconds, {"Rust": 0.95})


def measure_trimesh(options: argparse.Namespace, folder: Path) -> Iterator[dict[str, Any]]:
    """trimesh with embreex against the class of the same name, and against the tracer itself."""
    import siliray
    import siliray.trimesh

    try:
        import trimesh
        from trimesh.ray.ray_pyembree import RayMeshIntersector
    except ImportError as error:
        yield skipped("trimesh with embreex", error)
        return
    rays = bounce_rays(options, folder)
    single, double = (rays[:, :3], rays[:, 3:]), rays.astype(np.float64)
    double = double[:, :3], double[:, 3:]
    mesh = trimesh.load_mesh(mesh_file(options, folder), process=False)
    theirs = RayMeshIntersector(mesh)
    ours = siliray.trimesh.RayMeshIntersector(mesh, threads=1)
    tracer = siliray.Tracer(options.scene, threads=1)
    contests: dict[str, tuple[float, Contestant, Contestant, Contestant]] = {
        "intersects_location": (
            3.0,
            lambda: theirs.intersects_location(*double, multiple_hits=False),
            lambda: ours.intersects_location(*double, multiple_hits=False),
            lambda: tracer.closest(*single).positions,
        ),
        "intersects_first": (
            1.5,
            lambda: theirs.intersects_first(*double),
            lambda: ours.intersects_first(*double),
            lambda: tracer.closest(*single).primitive,
        ),
    }
    for name, (wanted, *contestants) in contests.items():
        names = (f"trimesh's {name}", f"siliray's {name}", "Tracer.closest")
        seconds = in_turns(dict(zip(names, contestants, strict=True)), options.runs)
        for own in names[1:]:
            pair = {own: seconds[own], names[0]: seconds[names[0]]}
            yield from against("1 thread", len(rays), pair, {names[0]: wanted})


def measure_open3d(options: argparse.Namespace, folder: Path) -> Iterator[dict[str, Any]]:
    import siliray
    from siliray.open3d import RaycastingScene

    try:
        import open3d
    except ImportError as error:
        yield skipped("Open3D", error)
        return
    rays = bounce_rays(options, folder)
    mesh = open3d.t.io.read_triangle_mesh(str(mesh_file(options, folder)))
    theirs = open3d.t.geometry.RaycastingScene()
    theirs.add_triangles(mesh)
    tensor = open3d.core.Tensor.from_numpy(rays)
    ours = RaycastingScene()
    ours.add_triangles(mesh)
    for threads in dict.fromkeys((1, os.cpu_count() or 1)):
        tracer = siliray.Tracer(options.scene, threads=threads)
        seconds = in_turns(
            {
                "Tracer.closest": lambda: tracer.closest(rays),
                "Tracer.closest with normals": lambda: tracer.closest(rays).normals,
                "siliray's cast_rays": lambda: ours.cast_rays(tensor, nthreads=threads),
                "cast_rays": lambda: theirs.cast_rays(tensor, nthreads=threads),
            },
            options.runs,
        )
        for own in [name for name in seconds if name != "cast_rays"]:
            pair = {own: seconds[own], "cast_rays": seconds["cast_rays"]}
            what = f"Open3D, {threads} threads"
            # Theirs has normals; ours that has them in the same call must reach the figure, too.
            wanted = {} if own == "Tracer.closest with normals" else {"cast_rays": 1.3}
            yield from against(what, len(rays), pair, wanted)


def measure_engines(options: argparse.Namespace, _: Path) -> Iterator[dict[str, Any]]:
    """The same generated rays, with the same reduction: by the bare call, through Daft, and through
    Ray Data. Workers are warm: a few rows go first."""
    import daft
    import ray
    import siliray
    from siliray.dataframe import Histogram, cast_rays, generated
    from siliray.generators import Scatter

    tracer = siliray.Tracer(options.scene)
    low, high = np.asarray(tracer.scene.bounds)
    middle, half = (low + high) / 2, (high - low) / 4
    scatter = Scatter((middle - half).tolist(), (middle + half).tolist(), seed=1)
    histogram = Histogram(0, float(np.linalg.norm(high - low)), 256)
    per_row, turns = 1 << 19, 3
    rows_of_turn = max(int(options.engine_rays / per_row / turns), 8 * options.workers)
    count = rows_of_turn * per_row
    processors = os.cpu_count() or 1
    threads = max(1, processors // options.workers)
    ray.init(
        # One more than workers take: reading needs one, too.
        num_cpus=processors + 1,
        object_store_memory=200 << 20,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
    )
    ray.data.DataContext.get_current().enable_progress_bars = False
    daft.set_runner_native()

    def table(turn: int) -> Any:
        return generated(scatter, count, first=turn * count, rays_per_row=per_row)

    def bare(turn: int) -> tuple[float, int]:
        start, hits = time.perf_counter(), 0
        for first in range(turn * count, (turn + 1) * count, per_row):
            hits += histogram(tracer, tracer.generate(scatter, first, per_row), first)["hits"]
        return time.perf_counter() - start, hits

    def first_to_last(
        parts: Iterator[tuple[int, int]], rows_of_part: int = 1
    ) -> tuple[float, int]:
        """From the first part on, which finds workers warm. What they may have done before it came
        (a part each, and one more that waits) does not count."""
        _, hits = next(parts)
        start, rows = time.perf_counter(), 0
        for part_rows, part_hits in parts:
            rows, hits = rows + part_rows, hits + part_hits
        seconds = time.perf_counter() - start
        before = 2 * options.workers * rows_of_part
        return seconds * rows_of_turn / max(rows - before, 1), hits

    def through_daft(turn: int) -> tuple[float, int]:
        frame = daft.from_arrow(table(turn))
        answer = cast_rays(
            frame, options.scene, reduce=histogram, workers=options.workers, threads=processors
        )
        parts = answer.select("hits").to_arrow_iter(results_buffer_size=None)
        return first_to_last((part.num_rows, sum(part["hits"].to_pylist())) for part in parts)

    def through_ray(turn: int) -> tuple[float, int]:
        # Ray takes some 15 ms for a task, so that one has several rows.
        rows_of_part = 8
        dataset = ray.data.from_arrow(table(turn)).repartition(-(-rows_of_turn // rows_of_part))
        answer = cast_rays(
            dataset, options.scene, reduce=histogram, workers=options.workers, threads=threads
        )
        parts = answer.iter_batches(batch_size=None, batch_format="pyarrow")
        found = ((part.num_rows, sum(part["hits"].to_pylist())) for part in parts)
        return first_to_last(found, rows_of_part)

    contestants = {"bare": bare, "Daft": through_daft, "Ray Data": through_ray}
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for turn in range(turns):
        hits = set()
        for name, contestant in contestants.items():
            spent, found = contestant(turn)
            seconds[name].append(spent)
            hits.add(found)
            print(f"  turn {turn}, {name}: {count / spent / 1e6:.2f} M rays/s", flush=True)
        assert len(hits) == 1, f"hits differ: {hits}"
    ray.shutdown()
    for name, wanted in (("Daft", 0.9), ("Ray Data", 0.8)):
        pair = {name: seconds[name], "bare": seconds["bare"]}
        what = f"{turns * count / 1e6:.0f} M rays"
        yield from against(what, count, pair, {"bare": wanted})


def measure_file(options: argparse.Namespace, folder: Path) -> Iterator[dict[str, Any]]:
    """What `siliray trace` takes beyond the scene for a file of many rays."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sys.path.append(str(Path(__file__).parents[1] / "tests"))
    from command import watched

    rays = bounce_rays(options, folder)
    one = pa.table(dict(zip(("ox", "oy", "oz", "dx", "dy", "dz"), rays.T.copy(), strict=True)))
    repeats = max(1, round(options.file_rays / len(rays)))
    files = {"few": folder / "few.parquet", "many": folder / "many.parquet"}
    pq.write_table(one.slice(0, 1000), files["few"])
    with pq.ParquetWriter(files["many"], one.schema) as writer:
        for _ in range(repeats):
            writer.write_table(one, row_group_size=1 << 20)
    peak, spent = {}, {}
    for name, file in files.items():
        # A small scene, so that nothing hides behind what building it takes.
        files_of = ("--rays", file, "-o", folder / "hits.parquet")
        start = time.perf_counter()
        peak[name] = watched("trace", "interior", "--triangles", "1000", *files_of)
        spent[name] = time.perf_counter() - start
    found = pq.ParquetFile(folder / "hits.parquet").metadata.num_rows
    assert found == repeats * len(rays), f"{found} hits"
    what = f"{found / 1e6:.0f} M rays of a Parquet file"
    yield {
        "measure": f"{what}: memory beyond the scene",
        "value": peak["many"] - peak["few"],
        "unit": "MB",
        "wanted": 500.0,
    }
    yield {
        "measure": f"{what}: read, traced, written",
        "value": found / (spent["many"] - spent["few"]) / 1e6,
        "unit": "M rays/s",
        "wanted": None,
    }


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
