"""The tracer, by arrays of every kind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import siliray
from command import document
from siliray.generators import Camera, Scatter
from worlds import bounded, every_hit, rays, soup

VERTICES, FACES = soup(300, 5)
RAYS = rays(2000, 6)
EXACT = every_hit(VERTICES, FACES, RAYS)


@pytest.fixture(scope="module")
def tracer() -> siliray.Tracer:
    return siliray.Tracer(siliray.Scene(VERTICES, FACES))


def test_every_answer_is_that_of_brute_force(tracer: siliray.Tracer) -> None:
    hits = tracer.closest(RAYS)
    nearest = EXACT.min(axis=1)
    assert np.array_equal(hits.hit, np.isfinite(nearest))
    seen = hits.hit
    assert 0.1 < seen.mean() < 0.9
    assert np.array_equal(hits.primitive[seen], EXACT.argmin(axis=1)[seen])
    assert np.allclose(hits.t[seen], nearest[seen], rtol=1e-4)
    assert (hits.instance[seen] == 0).all() and (hits.geometry[seen] == 0).all()
    for ids in (hits.instance, hits.geometry, hits.primitive):
        assert (ids[~seen] == siliray.MISS).all()
    assert np.array_equal(tracer.any(RAYS), seen)
    counts = np.isfinite(EXACT).sum(axis=1)
    assert np.array_equal(tracer.count(RAYS), counts)
    every = tracer.all(RAYS)
    assert np.array_equal(np.diff(every.offsets), counts)
    cells = np.sort(every.ray * 300 + every.primitive)
    assert np.array_equal(cells, np.flatnonzero(EXACT < np.inf))
    for ray in range(50):
        assert (np.diff(every.t[every.of(ray)]) >= 0).all()


def test_points_lie_on_triangles_and_normals_on_their_fronts(tracer: siliray.Tracer) -> None:
    hits = tracer.closest(RAYS)
    seen = hits.hit
    corners = VERTICES[FACES[hits.primitive[seen]]]
    weights = np.stack([1 - hits.u - hits.v, hits.u, hits.v], axis=-1)[seen]
    by_weights = (weights[:, :, None] * corners).sum(axis=1)
    assert np.allclose(hits.positions[seen], by_weights, atol=1e-4)
    assert np.isnan(hits.positions[~seen]).all() and np.isnan(hits.normals[~seen]).all()
    normals = hits.normals[seen]
    assert np.allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-5)
    fronts = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    fronts /= np.linalg.norm(fronts, axis=1, keepdims=True)
    assert np.abs(normals - fronts).max() < 1e-4
    # Those are the triangles that are left when backs are culled.
    towards = (normals * RAYS[seen, 3:]).sum(axis=1) < 0
    first = tracer.closest(RAYS[seen], tmax=np.nextafter(hits.t[seen], np.inf), cull="back")
    assert np.array_equal(first.hit, towards)
    along = RAYS[seen, :3] + hits.t[seen, None] * RAYS[seen, 3:]
    assert np.abs(hits.positions[seen] - along).max() < 1e-5
    every = tracer.all(RAYS)
    assert np.array_equal(every.positions[every.offsets[:-1][seen]], hits.positions[seen])


def test_arrays_of_the_caller_may_change(tracer: siliray.Tracer) -> None:
    """What is computed late does not depend on what became of the rays."""
    expected, every = tracer.closest(RAYS), tracer.all(RAYS)
    for kind in (np.float32, np.float64):
        rays = RAYS.astype(kind)
        pair = rays[:, :3].copy(), rays[:, 3:].copy()
        hits, all_hits, both = tracer.closest(rays), tracer.all(rays), tracer.closest(*pair)
        rays[:], pair[0][:], pair[1][:] = 1e6, 1e6, 1e6
        for name in ("positions", "normals"):
            for found, right in ((hits, expected), (both, expected), (all_hits, every)):
                assert np.array_equal(
                    getattr(found, name), getattr(right, name), equal_nan=True
                ), name


def test_hits_on_boxes_have_points_too(tmp_path: Path) -> None:
    """A description of a scene may hold boxes, which have no weights to tell where a hit is."""
    description = tmp_path / "boxes.scene.toml"
    description.write_text(
        'version = 1\n[[object]]\nname = "a"\n[[object.geometry]]\nboxes = [[0, 0, 0, 1, 2, 3]]\n'
    )
    tracer = siliray.Tracer(description)
    rays = np.array([[0.25, 0.5, 9, 0, 0, -2], [5, 5, 5, 1, 0, 0]], np.float32)
    hits, every = tracer.closest(rays), tracer.all(rays)
    rays[:] = 7
    assert np.allclose(hits.positions[0], [0.25, 0.5, 3]) and np.isnan(hits.positions[1]).all()
    assert np.allclose(hits.normals[0], [0, 0, 1])
    assert np.allclose(every.positions, [[0.25, 0.5, 3]])


def test_a_mirrored_instance_keeps_the_fronts_of_its_object() -> None:
    corners = np.array([[0, 0, 0], [2, 0, 0], [0, 3, 0]], np.float32)
    mirror = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, 0]]
    places = [siliray.Instance(0, mirror)]
    scene = siliray.Scene.from_objects([[(corners, [[0, 1, 2]])]], places)
    tracer = siliray.Tracer(scene)
    rays = np.array([[0.5, 0.5, 9, 0, 0, -1]], np.float32)
    # The front looked up, and looks down now.
    assert np.allclose(tracer.closest(rays).normals, [[0, 0, -1]])
    assert tracer.any(rays, cull="front").all() and not tracer.any(rays, cull="back").any()


def test_rays_never_go_backwards(tracer: siliray.Tracer) -> None:
    eight = bounded(RAYS, 0.0, 9.0)
    eight[7, 3] = -0.5
    for ask in (tracer.closest, tracer.any, tracer.count, tracer.all):
        with pytest.raises(siliray.OptionError, match=r"tmin: found -1.0 in row 0"):
            ask(RAYS, tmin=-1.0)
        with pytest.raises(siliray.OptionError, match=r"tmin: found -2.0 in row 3"):
            ask(RAYS, tmin=np.where(np.arange(len(RAYS)) == 3, -2.0, np.nan))
        with pytest.raises(siliray.OptionError, match=r"rays: tmin: found -0.5 in row 7"):
            ask(eight)
    assert same(tracer.closest(RAYS, tmin=-0.0), tracer.closest(RAYS))


def test_doubles_that_single_floats_cannot_hold_are_named(tracer: siliray.Tracer) -> None:
    wide = np.tile(RAYS.astype(np.float64), (40, 1))
    for column, value, name in (
        (3, 1e40, "directions"),
        (slice(3, 6), 1e-40, "directions"),
        (1, -1e39, "origins"),
    ):
        rays = wide.copy()
        rays[70_001, column] = value
        for ask in (tracer.closest, tracer.any, tracer.count, tracer.all):
            with pytest.raises(siliray.RangeError, match="rays: found .* in row 70001"):
                ask(rays)
            with pytest.raises(siliray.RangeError, match=f"{name}: found .* in row 70001"):
                ask(rays[:, :3], rays[:, 3:])
    with pytest.raises(siliray.RangeError, match=r"points: found \[1e40, 0.0, 0.0\] in row 1"):
        tracer.nearest_point([[0, 0, 0], [1e40, 0, 0]])
    with pytest.raises(siliray.RangeError, match=r"centers: found \[1e\+40, 0.0, 0.0\] in row 0"):
        siliray.Spheres([[1e40, 0, 0]], 1.0)
    # What asks nothing still hits nothing, and bounds beyond are no bounds.
    wide[0, 3:], wide[1, 0], wide[2, 3] = 0.0, np.nan, np.inf
    assert not tracer.any(wide[:3]).any()
    far = tracer.closest(wide[3:], tmax=1e300)
    assert same(far, tracer.closest(wide[3:].astype(np.float32)))


def same(a: siliray.Hits, b: siliray.Hits) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a._columns(), b._columns()))


@pytest.mark.parametrize(
    "shaped",
    [
        lambda r: (r[:, :3], r[:, 3:]),
        lambda r: (r[:, :3].copy(), r[:, 3:].copy()),
        lambda r: (np.asfortranarray(r),),
        lambda r: (np.repeat(r, 2, axis=0)[::2],),
        lambda r: (r[::-1].copy()[::-1],),
        lambda r: (r.astype(np.float64),),
        lambda r: (r.astype(">f4"),),
        lambda r: (r.tolist(),),
        lambda r: (bounded(r, 0, np.inf),),
        lambda r: (np.asfortranarray(bounded(r.astype(float), 0, np.inf)),),
    ],
    ids="pair copies fortran strided reversed double swapped lists eight columns".split(),
)
def test_rays_come_in_any_layout(tracer: siliray.Tracer, shaped) -> None:
    assert same(tracer.closest(*shaped(RAYS)), tracer.closest(RAYS))
    assert np.array_equal(tracer.any(*shaped(RAYS)), tracer.any(RAYS))


def test_files_of_rays_hold_arrays_of_rays(tmp_path: Path) -> None:
    """What the command line writes and reads is traced as it is, bounds and all."""
    files = tmp_path / "rays.npy", tmp_path / "hits.npy"
    document("rays", "organic", "--workload", "occlusion", "--rays", 900, "-o", files[0])
    rays = np.load(files[0])
    assert rays.shape == (900, 8) and np.isfinite(rays[:, 7]).all()
    rays[::2, 3] = 0.5 * rays[::2, 7]
    np.save(files[0], rays)
    document("trace", "organic", "--rays", files[0], "-o", files[1])
    hits = siliray.Tracer("organic").closest(rays)
    assert hits.hit.any() and np.array_equal(hits.to_numpy(), np.load(files[1]))


def test_read_only_unaligned_and_half_arrays(tracer: siliray.Tracer) -> None:
    frozen = RAYS.copy()
    frozen.flags.writeable = False
    assert same(tracer.closest(frozen), tracer.closest(RAYS))
    shifted = np.frombuffer(b"x" + RAYS.tobytes(), dtype=np.uint8)[1:].view(np.float32)
    assert not shifted.flags.aligned
    assert same(tracer.closest(shifted.reshape(-1, 6)), tracer.closest(RAYS))
    half = RAYS.astype(np.float16)
    assert same(tracer.closest(half), tracer.closest(half.astype(np.float32)))


def test_one_origin_or_one_direction_counts_for_all(tracer: siliray.Tracer) -> None:
    directions = RAYS[:, 3:]
    spread = tracer.closest(np.tile(RAYS[0, :3], (len(RAYS), 1)), directions)
    assert same(tracer.closest(RAYS[0, :3], directions), spread)
    parallel = tracer.closest(RAYS[:, :3], np.tile(directions[1], (len(RAYS), 1)))
    assert same(tracer.closest(RAYS[:, :3], directions[1:2]), parallel)


def test_bounds_mask_and_culling(tracer: siliray.Tracer) -> None:
    hits = tracer.closest(RAYS)
    seen = hits.hit
    beyond = tracer.closest(RAYS, tmin=hits.t)
    second = np.sort(EXACT, axis=1)[:, 1]
    assert np.array_equal(beyond.hit[seen], np.isfinite(second)[seen])
    assert not tracer.any(RAYS, tmax=np.where(seen, hits.t, 1.0)).any()
    assert not tracer.any(RAYS, tmin=0.0, tmax=1e-30).any()
    assert not tracer.any(RAYS, mask=0).any()
    front, back = tracer.count(RAYS, cull="back"), tracer.count(RAYS, cull="front")
    assert np.array_equal(front + back, tracer.count(RAYS))
    assert front.any() and back.any()


def test_nothing_gives_nothing(tracer: siliray.Tracer) -> None:
    for empty in ([], np.empty((0, 6)), np.empty((0, 8), np.float32)):
        assert len(tracer.closest(empty)) == 0
        assert tracer.any(empty).shape == (0,) and tracer.count(empty).shape == (0,)
        assert tracer.all(empty).offsets.tolist() == [0]
    assert tracer.closest(np.empty((0, 3)), np.empty((0, 3))).positions.shape == (0, 3)


def test_rays_that_ask_nothing_hit_nothing(tracer: siliray.Tracer) -> None:
    bad = RAYS[:6].copy()
    bad[0, 0], bad[1, 4], bad[2, 1], bad[3, 3:] = np.nan, np.nan, np.inf, 0.0
    bad[4, 5] = -np.inf
    hits = tracer.closest(bad)
    assert not hits.hit[:5].any() and hits.hit[5] == tracer.any(RAYS[5:6])[0]
    assert np.isinf(hits.t[:5]).all() and (hits.t[:5] > 0).all()
    assert not tracer.any(RAYS, tmin=np.nan).any()


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ((np.zeros((4, 5)),), siliray.ArrayError, r"rays: found an array of shape \(4, 5\)"),
        ((np.zeros((2, 2, 5)),), siliray.ArrayError, "expected"),
        ((np.zeros((4, 3)),), siliray.ArrayError, r"\(N, 6\) or \(N, 8\)"),
        ((np.zeros((4, 3)), np.zeros((5, 3))), siliray.ArrayError, "4 origins and 5 directions"),
        ((np.zeros((4, 6)), np.zeros((4, 6))), siliray.ArrayError, "origins"),
        ((np.zeros((4, 6), complex),), siliray.DtypeError, "complex128"),
        ((np.array([["a"] * 6]),), siliray.DtypeError, "expected floats"),
        ((None,), siliray.DtypeError, "object"),
    ],
)
def test_wrong_arrays_are_named(tracer: siliray.Tracer, arguments, error, text: str) -> None:
    for ask in (tracer.closest, tracer.any, tracer.count, tracer.all):
        with pytest.raises(error, match=text):
            ask(*arguments)
    assert issubclass(error, siliray.Error)


def test_wrong_options_are_named(tracer: siliray.Tracer) -> None:
    with pytest.raises(siliray.OptionError, match="mask: found 256"):
        tracer.any(RAYS, mask=256)
    with pytest.raises(siliray.OptionError, match="cull"):
        tracer.any(RAYS, cull="sides")
    with pytest.raises(siliray.ArrayError, match=r"tmin.*\(2000,\)"):
        tracer.any(RAYS, tmin=[1.0, 2.0])
    with pytest.raises(siliray.OptionError, match="threads"):
        siliray.Tracer(tracer.scene, threads=0)
    with pytest.raises(siliray.NameError, match='did you mean "prepared"'):
        siliray.Tracer(tracer.scene, mode="preparde")
    with pytest.raises(siliray.NameError, match="watertight"):
        siliray.Tracer(tracer.scene, rule="leaky")
    with pytest.raises(siliray.OptionError, match="progress"):
        tracer.any(RAYS, progress=3)


def test_modes_rules_presets_and_threads_agree(tracer: siliray.Tracer) -> None:
    usual = tracer.closest(RAYS)
    for options in (
        {"mode": "in_place"},
        {"threads": 1},
        {"threads": 3},
        {"preset": "fast"},
        {"preset": "balanced", "mode": "in-place"},
    ):
        assert same(siliray.Tracer(tracer.scene, **options).closest(RAYS), usual), options
    other = siliray.Tracer(tracer.scene, rule="moller-trumbore")
    assert other.rule == "moller-trumbore"
    assert np.array_equal(other.closest(RAYS).primitive, usual.primitive)
    assert siliray.Tracer(tracer.scene, threads=3).threads == 3
    assert tracer.mode == "prepared" and tracer.source == "built" and tracer.nbytes > 1000


def test_many_rays_are_answered_in_order(tracer: siliray.Tracer) -> None:
    many = np.tile(RAYS, (50, 1))
    hits = tracer.closest(many)
    once = tracer.closest(RAYS)
    assert np.array_equal(hits.primitive, np.tile(once.primitive, 50))
    assert np.array_equal(tracer.count(many), np.tile(tracer.count(RAYS), 50))


@pytest.mark.parametrize("count", [2**44, 2**50, 2**55, 2**62, 2**63 - 1, 2**64 - 1, None])
def test_more_answers_than_memory_holds_are_refused(tracer: siliray.Tracer, count) -> None:
    rays = tracer.generate(Scatter((0, 0, 0), (1, 1, 1)), 0, count)
    named = f"no memory for {2**64 - 1 if count is None else count} answers"
    if count is None:
        largest = Camera(eye=(0, 0, 9), at=(0, 0, 0), fov=40, width=2**32 - 1, height=2**32 - 1)
        with pytest.raises(MemoryError, match="no memory for 18446744065119617025 answers"):
            tracer.any(tracer.generate(largest))
    for ask in (tracer.closest, tracer.any, tracer.count):
        with pytest.raises(MemoryError, match=named):
            ask(rays)
    with pytest.raises(siliray.RoomError, match="no memory for"):
        tracer.all(rays)


def test_more_points_than_memory_holds_are_refused(tracer: siliray.Tracer) -> None:
    many = np.broadcast_to(np.float32([1, 2, 3]), (2**45, 3))
    with pytest.raises(siliray.RoomError, match=f"no memory for {2**45} "):
        tracer.any(many, [0, 0, 1])
    with pytest.raises(siliray.RoomError, match=f"no memory for {2**45} points"):
        tracer.nearest_point(many)
    with pytest.raises(siliray.RoomError, match=f"no memory for {2**45} points"):
        siliray.Scene(many, [[0, 1, 2]])


@pytest.mark.parametrize(("first", "count"), [(2**64 - 1, 3), (2**64 - 3, 3), (1, 2**64 - 1)])
def test_a_generator_is_not_cut_short(tracer: siliray.Tracer, first: int, count: int) -> None:
    with pytest.raises(siliray.OptionError, match=f"rays {first} to {first + count} are asked for"):
        tracer.generate(Scatter((0, 0, 0), (1, 1, 1)), first, count)
    assert len(tracer.generate(Scatter((0, 0, 0), (1, 1, 1)), 2**64 - 4, 3)) == 3


def test_masked_elements_are_refused(tracer: siliray.Tracer) -> None:
    masked = np.ma.masked_array(RAYS, mask=np.arange(RAYS.size).reshape(RAYS.shape) == 7)
    for ask in (
        lambda: tracer.any(masked),
        lambda: tracer.any(RAYS, tmin=np.ma.masked),
        lambda: tracer.nearest_point(masked[:, :3]),
        lambda: siliray.Scene(masked[:, :3], FACES),
        lambda: siliray.Scene(VERTICES, np.ma.masked_equal(FACES, FACES[0, 0])),
    ):
        with pytest.raises(siliray.ArrayError, match="found masked elements"):
            ask()
    assert same(tracer.closest(np.ma.masked_array(RAYS)), tracer.closest(RAYS))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("row", [3, 30_001])
def test_directions_that_are_hardly_any_are_named(tracer, kind: type, row: int) -> None:
    """Too small for the watertight test; zeros among them are allowed."""
    rays = np.tile(RAYS, (20, 1)).astype(kind)
    rays[:3, 3:] = 0
    rays[row, 3:] = 1e-39, 0, -1e-40
    for asked in ((rays,), (rays[:, :3], rays[:, 3:]), (np.asfortranarray(rays),)):
        for ask in (tracer.closest, tracer.any, tracer.count, tracer.all):
            with pytest.raises(siliray.RangeError, match=rf"in row {row}, .*scale it"):
                ask(*asked)
    rays[row, 3] = 1e-37
    assert len(tracer.closest(rays)) == len(rays)


def test_what_arrow_holds_cannot_change(tracer: siliray.Tracer) -> None:
    pa = pytest.importorskip("pyarrow")
    hits = tracer.closest(RAYS)
    hits.t[0] = 7.0
    table = pa.table(hits)
    assert table["t"][0].as_py() == 7.0
    with pytest.raises(ValueError, match="read-only"):
        hits.t[0] = 8.0
