"""Ray casting as Open3D has it, by arrays alone. `scripts/compare-open3d` runs the same calls on
Open3D itself."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import siliray
from siliray.open3d import RaycastingScene
from worlds import every_hit, grid, rays, soup

VERTICES, FACES = soup(300, 21)
RAYS = rays(2000, 22)
EXACT = every_hit(VERTICES, FACES, RAYS)
SEEN = np.isfinite(EXACT.min(axis=1))


@pytest.fixture(scope="module")
def scene() -> RaycastingScene:
    """The soup as two meshes."""
    scene = RaycastingScene()
    assert scene.add_triangles(VERTICES, FACES[:100].astype(np.uint32)) == 0
    assert scene.add_triangles(VERTICES, FACES[100:].astype(np.uint32)) == 1
    return scene


def test_first_hits_are_those_of_brute_force(scene: RaycastingScene) -> None:
    hits = scene.cast_rays(RAYS)
    kinds = {name: (hits[name].dtype, hits[name].shape) for name in hits}
    assert kinds == {
        "t_hit": (np.float32, (2000,)),
        "geometry_ids": (np.uint32, (2000,)),
        "primitive_ids": (np.uint32, (2000,)),
        "primitive_uvs": (np.float32, (2000, 2)),
        "primitive_normals": (np.float32, (2000, 3)),
    }
    hits = {name: column.numpy() for name, column in hits.items()}
    assert all(type(column) is np.ndarray for column in hits.values())
    triangle = hits["geometry_ids"].astype(np.int64) * 100 + hits["primitive_ids"]
    assert np.array_equal(triangle[SEEN], EXACT.argmin(axis=1)[SEEN])
    assert np.allclose(hits["t_hit"][SEEN], EXACT.min(axis=1)[SEEN], rtol=1e-4)
    corners = VERTICES[FACES[triangle[SEEN]]].astype(np.float64)
    u, v = hits["primitive_uvs"][SEEN].T
    weights = np.stack([1 - u - v, u, v], axis=-1)
    points = RAYS[SEEN, :3] + hits["t_hit"][SEEN, None] * RAYS[SEEN, 3:]
    assert np.allclose((weights[:, :, None] * corners).sum(axis=1), points, atol=1e-4)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    assert np.abs(hits["primitive_normals"][SEEN] - normals).max() < 1e-6


def test_misses_have_the_values_of_open3d(scene: RaycastingScene) -> None:
    assert RaycastingScene.INVALID_ID == 0xFFFFFFFF == scene.INVALID_ID
    hits = {name: column.numpy()[~SEEN] for name, column in scene.cast_rays(RAYS).items()}
    assert np.isposinf(hits["t_hit"]).all()
    assert (hits["geometry_ids"] == scene.INVALID_ID).all()
    assert (hits["primitive_ids"] == scene.INVALID_ID).all()
    assert (hits["primitive_uvs"] == 0).all() and (hits["primitive_normals"] == 0).all()
    empty = RaycastingScene()
    assert np.isposinf(empty.cast_rays(RAYS)["t_hit"]).all()
    assert not empty.test_occlusions(RAYS).any() and not empty.count_intersections(RAYS).any()
    assert not empty.compute_occupancy(RAYS[:, :3]).any()


def test_occlusions_counts_and_lists(scene: RaycastingScene) -> None:
    occluded = scene.test_occlusions(RAYS)
    assert occluded.dtype == bool and np.array_equal(occluded, SEEN)
    near = scene.cast_rays(RAYS)["t_hit"]
    assert not scene.test_occlusions(RAYS, tfar=float(near.min())).any()
    between = ((EXACT > 1) & (EXACT < 2)).any(axis=1)
    assert np.array_equal(scene.test_occlusions(RAYS, 1.0, 2.0), between)
    counts = np.isfinite(EXACT).sum(axis=1)
    counted = scene.count_intersections(RAYS)
    assert counted.dtype == np.int32 and np.array_equal(counted, counts)
    listed = scene.list_intersections(RAYS)
    kinds = {name: (column.dtype, column.shape) for name, column in listed.items()}
    assert kinds == {
        "ray_splits": (np.uint32, (2001,)),
        "ray_ids": (np.uint32, (counts.sum(),)),
        "t_hit": (np.float32, (counts.sum(),)),
        "geometry_ids": (np.uint32, (counts.sum(),)),
        "primitive_ids": (np.uint32, (counts.sum(),)),
        "primitive_uvs": (np.float32, (counts.sum(), 2)),
    }
    assert np.array_equal(np.diff(listed["ray_splits"].astype(np.int64)), counts)
    triangle = listed["geometry_ids"].astype(np.int64) * 100 + listed["primitive_ids"]
    hit = np.zeros(EXACT.shape, bool)
    hit[listed["ray_ids"], triangle] = True
    assert np.array_equal(hit, np.isfinite(EXACT))
    for start, end in zip(listed["ray_splits"][:-1], listed["ray_splits"][1:]):
        assert (np.diff(listed["t_hit"][start:end]) >= 0).all()


def test_results_have_the_shape_of_the_rays(scene: RaycastingScene) -> None:
    flat, image = scene.cast_rays(RAYS), scene.cast_rays(RAYS.reshape(40, 25, 2, 6))
    for name, column in image.items():
        assert column.shape[:3] == (40, 25, 2)
        assert np.array_equal(column.reshape(flat[name].shape), flat[name])
    assert scene.test_occlusions(RAYS.reshape(40, 50, 6)).shape == (40, 50)
    assert scene.count_intersections(RAYS.reshape(40, 50, 6)).shape == (40, 50)
    assert scene.list_intersections(RAYS.reshape(40, 50, 6))["ray_splits"].shape == (2001,)
    assert scene.cast_rays(RAYS[0])["primitive_normals"].shape == (3,)
    for empty in (np.empty((0, 6), np.float32), np.empty((3, 0, 6)), []):
        assert scene.cast_rays(empty)["t_hit"].size == 0
    assert scene.cast_rays(np.empty((3, 0, 6)))["primitive_uvs"].shape == (3, 0, 2)


@pytest.mark.parametrize("nthreads", [0, 1, 2, 5])
def test_any_number_of_threads(scene: RaycastingScene, nthreads: int) -> None:
    usual, hits = scene.cast_rays(RAYS), scene.cast_rays(RAYS, nthreads)
    assert all(np.array_equal(usual[name], hits[name]) for name in usual)
    assert np.array_equal(scene.test_occlusions(RAYS, nthreads=nthreads), SEEN)
    built = RaycastingScene(nthreads=nthreads)
    built.add_triangles(VERTICES, FACES)
    assert np.array_equal(built.cast_rays(RAYS)["t_hit"], usual["t_hit"])


def test_meshes_may_be_added_between_queries() -> None:
    scene = RaycastingScene()
    scene.add_triangles(VERTICES, FACES[:150])
    before = scene.count_intersections(RAYS)
    scene.add_triangles(siliray.Geometry(VERTICES, FACES[150:]))
    after = scene.count_intersections(RAYS)
    assert np.array_equal(after, np.isfinite(EXACT).sum(axis=1)) and (after > before).any()
    assert scene.add_triangles(mesh=siliray.Geometry(VERTICES, FACES[:1])) == 2
    assert scene.add_triangles(vertex_positions=VERTICES, triangle_indices=FACES[:1]) == 3


def test_arrays_that_were_given_may_change() -> None:
    vertices = VERTICES.copy()
    scene = RaycastingScene()
    scene.add_triangles(vertices, FACES)
    vertices[:] = 0
    assert np.array_equal(scene.test_occlusions(RAYS), SEEN)


def test_a_shared_edge_or_corner_counts_once() -> None:
    """A sheet of 8 × 8 squares, and rays through its corners, edges and diagonals."""
    scene = RaycastingScene()
    scene.add_triangles(*grid(8))
    x, y = np.meshgrid(np.arange(0.5, 7.75, 0.25), np.arange(0.5, 7.75, 0.25))
    for direction in ([0, 0, -1], [0.25, 0.5, -2], [-0.3, 0.1, -0.7]):
        at = np.stack([x, y, np.zeros_like(x)], axis=-1).reshape(-1, 3)
        asked = np.concatenate([at - 3 * np.array(direction), np.tile(direction, (x.size, 1))], 1)
        counts = scene.count_intersections(asked)
        assert (counts == 1).all()
        assert np.array_equal(scene.list_intersections(asked)["ray_ids"], np.arange(x.size))
    # Of two sheets at the same place each counts.
    scene.add_triangles(*grid(8))
    assert (scene.count_intersections(asked) == 2).all()


def test_occupancy_of_a_box_on_a_grid() -> None:
    """Points in line with corners and edges, where a ray along the diagonal would go wrong."""
    scene = RaycastingScene()
    corners = [[x, y, z] for x in (0, 2) for y in (0, 3) for z in (0, 4)]
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]]
    faces += [[2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
    scene.add_triangles(corners, faces)
    axis = np.arange(-2, 6.5, 0.5)
    points = np.stack(np.meshgrid(axis, axis, axis), axis=-1).astype(np.float32)
    is_inside = ((points > 0) & (points < [2, 3, 4])).all(axis=-1)
    on_surface = ((points >= 0) & (points <= [2, 3, 4])).all(axis=-1) & ~is_inside
    occupancy = scene.compute_occupancy(points)
    assert occupancy.shape == points.shape[:3] and occupancy.dtype == np.float32
    assert np.array_equal(occupancy[~on_surface], is_inside[~on_surface])
    assert is_inside.sum() > 50


def test_rays_of_cameras() -> None:
    intrinsic = [[100, 0, 31.5], [0, 110, 22], [0, 0, 1]]
    extrinsic = np.eye(4)
    extrinsic[:3] = [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3]]
    by_matrix = RaycastingScene.create_rays_pinhole(intrinsic, extrinsic, 64, 48)
    assert by_matrix.shape == (48, 64, 6) and by_matrix.dtype == np.float32
    # A point along the ray of a pixel falls on that pixel.
    points = by_matrix[..., :3] + 7 * by_matrix[..., 3:]
    seen = points.astype(np.float64) @ extrinsic[:3, :3].T + extrinsic[:3, 3]
    assert np.allclose(seen[..., 2], 7)
    pixels = (seen @ np.array(intrinsic).T) / seen[..., 2:]
    columns, rows = np.meshgrid(np.arange(64) + 0.5, np.arange(48) + 0.5)
    assert np.allclose(pixels[..., 0], columns, atol=1e-4)
    assert np.allclose(pixels[..., 1], rows, atol=1e-4)
    by_angle = RaycastingScene.create_rays_pinhole(
        fov_deg=60, center=[1, 2, 3], eye=[5, -3, 2], up=[0, 0.1, 1], width_px=64, height_px=48
    )
    # Open3D's own.
    expected = [5.0, -3.0, 2.0, -0.3016001582145691, 1.102980136871338, -0.24056047201156616]
    assert np.allclose(by_angle[3, 5], expected, atol=1e-6)


@pytest.mark.parametrize(
    ("ask", "error", "text"),
    [
        (lambda s: s.cast_rays(RAYS[:, :5]), siliray.ArrayError, r"rays.*\(2000, 5\)"),
        (lambda s: s.cast_rays(3.0), siliray.ArrayError, "rays"),
        (lambda s: s.cast_rays(RAYS.astype(complex)), siliray.DtypeError, "complex"),
        (lambda s: s.cast_rays(RAYS, -1), siliray.OptionError, "nthreads"),
        (lambda s: s.test_occlusions(RAYS, tnear=-1), siliray.OptionError, "tnear"),
        (lambda s: s.compute_occupancy(RAYS[:, :3], nsamples=2), siliray.OptionError, "odd"),
        (lambda s: s.add_triangles(VERTICES, [[0, 1, 900]]), siliray.SceneError, "vertex 900"),
        (lambda s: s.add_triangles(VERTICES), siliray.SceneError, "ndarray"),
        (lambda s: s.add_triangles(VERTICES[:, :2], FACES), siliray.ArrayError, "vertex_positions"),
        (lambda s: s.add_triangles(VERTICES, FACES, 3), TypeError, "vertex_positions"),
        (lambda s: RaycastingScene(device="CUDA:0"), siliray.OptionError, "CUDA:0"),
        (lambda s: s.create_rays_pinhole(np.eye(2), np.eye(4), 4, 4), siliray.ArrayError, "intri"),
        (lambda s: s.create_rays_pinhole(np.zeros((3, 3)), np.eye(4), 4, 4), ValueError, "singul"),
        (lambda s: s.create_rays_pinhole(np.eye(3), np.eye(4), 0, 4), ValueError, "width_px"),
        (lambda s: s.create_rays_pinhole(60, width_px=3), TypeError, "fov_deg"),
    ],
)
def test_wrong_calls_are_named(ask, error: type, text: str) -> None:
    scene = RaycastingScene()
    with pytest.raises(error, match=text):
        ask(scene)
    assert scene.add_triangles(VERTICES, FACES) == 0


@pytest.mark.parametrize("away", [10.0, 5e5, 1e7])
def test_rays_from_far_away_count_both_sides(away: float) -> None:
    scene = RaycastingScene()
    low, high = [-10.0, -15.0, -0.01], [10.0, 15.0, 0.01]
    corners = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    corners = np.where(corners, high, low)
    scene.add_triangles(corners, [[0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]])
    for x, y in ((3.0, 2.0), (0.0, 0.0)):
        ray = [[x, y, away, 0, 0, -1]]
        assert scene.count_intersections(ray).numpy().tolist() == [2]
        hits = scene.list_intersections(ray)
        assert hits["t_hit"].numpy().tolist() == np.float32([away - 0.01, away + 0.01]).tolist()


def test_a_scene_travels_to_other_processes() -> None:
    scene = RaycastingScene(nthreads=1)
    scene.add_triangles([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]])
    for other in (copy.deepcopy(scene), pickle.loads(pickle.dumps(scene))):
        assert other.count_intersections([[0.5, 0.5, 9, 0, 0, -1]]).numpy().tolist() == [1]
        assert other.add_triangles([[0, 0, 1], [2, 0, 1], [0, 3, 1]], [[0, 1, 2]]) == 1
    assert scene.count_intersections([[0.5, 0.5, 9, 0, 0, -1]]).numpy().tolist() == [1]


def test_cameras_without_a_place_to_look_from_are_refused() -> None:
    whole = np.array([[9.0, 0, 1], [0, 9, 1], [0, 0, 1]])
    for intrinsic, extrinsic, text in (
        (whole, np.zeros((4, 4)), "extrinsic_matrix: it is singular"),
        (whole * np.nan, np.eye(4), "intrinsic_matrix: found a NaN"),
        (whole, np.full((4, 4), np.inf), "extrinsic_matrix: found a NaN"),
    ):
        with pytest.raises(siliray.OptionError, match=text):
            RaycastingScene.create_rays_pinhole(intrinsic, extrinsic, 2, 1)
