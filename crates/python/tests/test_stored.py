"""Tracers in files, tracers that follow a mesh which moves, and their kernels."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
import siliray
from siliray.generators import Occlusion
from worlds import rays, soup

VERTICES, FACES = soup(400, 11)
SCENE = siliray.Scene(VERTICES, FACES)
RAYS = rays(3000, 12)


def same(one: siliray.Hits, other: siliray.Hits) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one._columns(), other._columns()))


def test_a_tracer_that_was_saved_answers_alike(tmp_path: Path) -> None:
    for rule in ("watertight", "moller-trumbore"):
        tracer, file = siliray.Tracer(SCENE, rule=rule), tmp_path / f"{rule}.tracer"
        tracer.save(file)
        for again in (siliray.Tracer.load(file, SCENE), siliray.Tracer.load(str(file), threads=1)):
            assert again.rule == rule and again.nbytes == tracer.nbytes
            assert same(again.closest(RAYS), tracer.closest(RAYS))
            assert same(again.all(RAYS), tracer.all(RAYS))
        known, hits = siliray.Tracer.load(file, SCENE).closest(RAYS), tracer.closest(RAYS)
        assert np.array_equal(known.positions, hits.positions, equal_nan=True)
        assert np.array_equal(known.normals, hits.normals, equal_nan=True)


def test_without_its_scene_a_tracer_knows_no_places(tmp_path: Path) -> None:
    file = tmp_path / "a.tracer"
    siliray.Tracer(SCENE).save(file)
    alone = siliray.Tracer.load(file)
    assert "a.tracer" in repr(alone) and alone.threads >= 1
    assert alone.touches(siliray.Spheres([[0, 0, 0]], 9)).all()
    for ask in (
        lambda: alone.scene,
        lambda: alone.closest(RAYS).positions,
        lambda: alone.generate(Occlusion(samples=1)),
        lambda: alone.refit(VERTICES),
    ):
        with pytest.raises(siliray.TraceError, match="load was given no scene"):
            ask()
    alone.refit(SCENE)
    assert alone.closest(RAYS).positions.shape == (3000, 3)
    other = siliray.Scene(VERTICES, FACES[1:])
    with pytest.raises(siliray.SceneError, match="has 399 triangles .* has 400 triangles"):
        siliray.Tracer.load(file, other)


def test_a_loaded_tracer_goes_to_another_process(tmp_path: Path) -> None:
    file = tmp_path / "a.tracer"
    tracer = siliray.Tracer(SCENE, threads=1)
    tracer.save(file)
    for loaded in (siliray.Tracer.load(file, SCENE, threads=2), siliray.Tracer.load(file)):
        again = pickle.loads(pickle.dumps(loaded))
        assert again.threads == loaded.threads and same(again.closest(RAYS), tracer.closest(RAYS))


@pytest.mark.parametrize(
    ("place", "text"),
    [(0, "does not begin"), (20, "header"), (70, "tables"), (-100, "nodes and leaves")],
)
def test_a_damaged_file_is_refused(tmp_path: Path, place: int, text: str) -> None:
    file = tmp_path / "a.tracer"
    siliray.Tracer(SCENE).save(file)
    data = bytearray(file.read_bytes())
    data[place] ^= 4
    file.write_bytes(data)
    with pytest.raises(siliray.TraceError, match=f"a.tracer: .*{text}"):
        siliray.Tracer.load(file)
    file.write_bytes(data[:300])
    with pytest.raises(siliray.TraceError, match="a.tracer: "):
        siliray.Tracer.load(file)


def test_files_that_cannot_be_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere.tracer") as raised:
        siliray.Tracer.load("nowhere.tracer")
    assert isinstance(raised.value, siliray.MissingFileError) and raised.value.errno == 2
    with pytest.raises(siliray.FileError, match="no-folder"):
        siliray.Tracer(SCENE).save(tmp_path / "no-folder" / "a.tracer")
    with pytest.raises(siliray.TraceError, match="a.tracer: .*in place"):
        siliray.Tracer(SCENE, mode="in_place").save(tmp_path / "a.tracer")


def moved() -> np.ndarray:
    """Every triangle elsewhere."""
    random = np.random.default_rng(13)
    shifts = np.repeat(random.uniform(-2.0, 2.0, (400, 3)), 3, axis=0)
    return (VERTICES + shifts).astype(np.float32)


@pytest.mark.parametrize("limit", [None, 1.2])
def test_a_refit_answers_as_a_new_tracer(limit: float | None) -> None:
    tracer, new = siliray.Tracer(SCENE), siliray.Tracer(siliray.Scene(moved(), FACES))
    before, other = tracer.closest(RAYS), tracer.with_threads(1)
    usual = siliray.Tracer(SCENE).closest(RAYS)
    refit = tracer.refit(moved(), limit=limit)
    assert refit.worst > 1.2 and refit.objects == (refit.worst,) and refit.instances is None
    assert (refit.rebuilt > 0) == (limit is not None)
    for one, two in ((tracer, new), (pickle.loads(pickle.dumps(tracer)), new)):
        assert same(one.closest(RAYS), two.closest(RAYS))
        assert np.array_equal(
            one.closest(RAYS).positions, two.closest(RAYS).positions, equal_nan=True
        )
    assert np.array_equal(tracer.scene.bounds, new.scene.bounds)
    # What was there before is as it was.
    assert np.array_equal(before.positions, usual.positions, equal_nan=True)
    assert same(other.closest(RAYS), usual) and other.scene is SCENE


def test_instances_are_followed() -> None:
    def scene(shift: float) -> siliray.Scene:
        place = np.eye(4)[:3]
        place[:, 3] = shift
        return siliray.Scene.from_objects(
            [[(VERTICES, FACES)]], [siliray.Instance(0), siliray.Instance(0, place)]
        )

    tracer = siliray.Tracer(scene(3))
    refit = tracer.refit(scene(5))
    assert refit.instances is not None and len(refit.objects) == 1
    assert same(tracer.closest(RAYS), siliray.Tracer(scene(5)).closest(RAYS))


def test_what_cannot_be_followed_is_named() -> None:
    tracer = siliray.Tracer(SCENE)
    before = tracer.closest(RAYS)
    wrong = VERTICES.copy()
    wrong[7, 1] = np.nan
    for move, error, text in (
        (wrong, siliray.SceneError, "vertex 7"),
        (VERTICES[:9], siliray.ArrayError, "vertices: found 9, but the mesh has 1200"),
        (VERTICES[:, :2], siliray.ArrayError, r"vertices: .*\(1200, 2\)"),
        (siliray.Scene(VERTICES, FACES[1:]), siliray.SceneError, "399 triangles"),
        (5, siliray.SceneError, "found int"),
    ):
        with pytest.raises(error, match=text):
            tracer.refit(move)
    several = siliray.Tracer(siliray.Scene.from_geometries([(VERTICES, FACES)] * 2))
    with pytest.raises(siliray.SceneError, match="one mesh"):
        several.refit(VERTICES)
    with pytest.raises(siliray.TraceError, match="in place"):
        siliray.Tracer(SCENE, mode="in_place").refit(VERTICES)
    for limit in (0.5, np.nan):
        with pytest.raises(siliray.OptionError, match="limit: found"):
            tracer.refit(VERTICES, limit=limit)
    assert same(tracer.closest(RAYS), before)


def test_kernels_answer_alike(tmp_path: Path) -> None:
    usual = siliray.Tracer(SCENE)
    plain = siliray.Tracer(SCENE, kernel="plain")
    assert plain.kernel == "plain" and same(plain.closest(RAYS), usual.closest(RAYS))
    usual.save(tmp_path / "a.tracer")
    assert siliray.Tracer.load(tmp_path / "a.tracer", kernel="plain").kernel == "plain"
    assert pickle.loads(pickle.dumps(plain)).kernel == "plain"
    with pytest.raises(siliray.NameError, match='did you mean "plain"'):
        siliray.Tracer(SCENE, kernel="plane")
    with pytest.raises(siliray.TraceError, match="neon"):
        siliray.Tracer(SCENE, kernel="neon" if usual.kernel != "neon" else "avx2")


def test_fast_is_the_tracer_of_the_library() -> None:
    """Made by the tracer's own way, whose trees a preset names."""
    sizes = {name: siliray.Tracer(SCENE, preset=name).nbytes for name in ("fast", "balanced")}
    assert sizes["balanced"] == siliray.Tracer(SCENE).nbytes
    assert siliray.Tracer(SCENE).source == "built"
