"""The nearest points of a surface, against a look at every triangle in doubles."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
import siliray
from siliray.open3d import RaycastingScene
from worlds import soup

VERTICES, FACES = soup(300, 31)
POINTS = np.random.default_rng(32).uniform(-6, 6, (700, 3)).astype(np.float32)


def distances(vertices: np.ndarray, faces: np.ndarray, points: np.ndarray) -> np.ndarray:
    """The distance of each point to each triangle: to its plane where the foot is inside, else to
    the nearest edge."""
    corners = vertices.astype(np.float64)[faces]
    offsets = points.astype(np.float64)[:, None, None] - corners
    edges = np.roll(corners, -1, axis=1) - corners
    normal = np.cross(edges[:, 0], edges[:, 1])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    along = np.clip((offsets * edges).sum(-1) / (edges**2).sum(-1), 0, 1)
    nearest = np.linalg.norm(offsets - along[..., None] * edges, axis=-1).min(axis=-1)
    is_inside = ((np.cross(edges, offsets) * normal[:, None]).sum(-1) >= 0).all(axis=-1)
    return np.where(is_inside, np.abs((offsets[:, :, 0] * normal).sum(-1)), nearest)


EXACT = distances(VERTICES, FACES, POINTS)


def box() -> tuple[np.ndarray, np.ndarray]:
    """A closed box of 2 × 3 × 4."""
    corners = [[x, y, z] for x in (0, 2) for y in (0, 3) for z in (0, 4)]
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]]
    faces += [[2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
    return np.array(corners, np.float32), np.array(faces, np.uint32)


def to_box(points: np.ndarray) -> np.ndarray:
    """The signed distance to the box."""
    beyond = np.maximum(-points, points - [2, 3, 4])
    return np.linalg.norm(np.maximum(beyond, 0), axis=-1) + np.minimum(beyond.max(axis=-1), 0)


def test_distances_are_those_of_brute_force() -> None:
    tracer = siliray.Tracer(siliray.Scene(VERTICES, FACES))
    near = tracer.nearest_point(POINTS)
    assert np.abs(near.distance - EXACT.min(axis=1)).max() < 1e-12
    assert np.array_equal(near.primitive, EXACT.argmin(axis=1))
    corners = VERTICES.astype(np.float64)[FACES[near.primitive]]
    weights = np.stack([1 - near.u - near.v, near.u, near.v], axis=-1)
    assert np.abs((weights[..., None] * corners).sum(axis=1) - near.points).max() < 1e-12
    assert np.abs(np.linalg.norm(near.points - POINTS, axis=1) - near.distance).max() < 1e-12
    assert (near.instance == 0).all() and (near.geometry == 0).all()
    for threads in (1, 2):
        again = tracer.with_threads(threads).nearest_point(np.asfortranarray(POINTS))
        assert np.array_equal(again.points, near.points)
    assert pa.table(near)["distance"].to_numpy().tolist() == near.distance.tolist()


def test_what_does_not_count() -> None:
    instances = [
        siliray.Instance(0, np.eye(4)[:3], mask=1),
        siliray.Instance(0, [[1, 0, 0, 20], [0, 1, 0, 0], [0, 0, 1, 0]], mask=2),
    ]
    scene = siliray.Scene.from_objects([[siliray.Geometry(*box())]], instances)
    tracer = siliray.Tracer(scene)
    assert tracer.nearest_point([1, 1, 5]).distance.tolist() == [1]
    far = tracer.nearest_point([1, 1, 5], mask=2)
    assert far.instance.tolist() == [1] and np.allclose(far.distance, np.hypot(19, 1))
    near = tracer.nearest_point([[1, 1, 5], [1, 1, 7]], within=2)
    assert near.distance.tolist() == [1, np.inf]
    assert near.primitive[1] == siliray.MISS and np.isposinf(near.points[1]).all()
    bad = tracer.nearest_point([[np.nan, 0, 0], [np.inf, 0, 0]])
    assert np.isposinf(bad.distance).all() and not bad.is_inside.any()
    assert len(tracer.nearest_point([])) == 0
    with pytest.raises(siliray.OptionError, match="within"):
        tracer.nearest_point(POINTS, within=-1)
    with pytest.raises(siliray.OptionError, match="within"):
        tracer.nearest_point(POINTS, within=float("nan"))
    with pytest.raises(siliray.ArrayError, match=r"points.*\(700, 2\)"):
        tracer.nearest_point(POINTS[:, :2])
    with pytest.raises(siliray.OptionError, match="mask"):
        tracer.nearest_point(POINTS, mask=256)


def test_the_side_of_a_closed_surface() -> None:
    tracer = siliray.Tracer(siliray.Scene(*box()))
    signed = to_box(POINTS.astype(np.float64))
    near = tracer.nearest_point(POINTS)
    assert np.abs(near.signed_distance - signed).max() < 1e-12
    assert np.array_equal(near.is_inside, signed < 0) and near.is_inside.any()


def test_distances_as_open3d_has_them() -> None:
    scene = RaycastingScene()
    scene.add_triangles(*box())
    points = POINTS.reshape(7, 20, 5, 3)
    signed = to_box(points.astype(np.float64))
    distance = scene.compute_signed_distance(points)
    assert distance.dtype == np.float32 and distance.shape == (7, 20, 5)
    assert np.abs(distance - signed).max() < 1e-6
    assert np.abs(scene.compute_distance(points, 1) - np.abs(signed)).max() < 1e-6
    found = scene.compute_closest_points(points, nthreads=2)
    kinds = {name: (column.dtype, column.shape) for name, column in found.items()}
    assert kinds == {
        "points": (np.float32, (7, 20, 5, 3)),
        "geometry_ids": (np.uint32, (7, 20, 5)),
        "primitive_ids": (np.uint32, (7, 20, 5)),
        "primitive_uvs": (np.float32, (7, 20, 5, 2)),
        "primitive_normals": (np.float32, (7, 20, 5, 3)),
    }
    assert np.abs(np.linalg.norm(found["points"] - points, axis=-1) - np.abs(signed)).max() < 1e-5
    vertices, faces = box()
    corners = vertices[faces[found["primitive_ids"]]].astype(np.float64)
    a, b, c = (corners[..., corner, :] for corner in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    assert np.abs(found["primitive_normals"] - normals).max() < 1e-6
    # Faces the other way round: inside is inside.
    inverted = RaycastingScene()
    inverted.add_triangles(vertices, faces[:, ::-1])
    assert np.array_equal(inverted.compute_signed_distance(points), distance)
    empty = RaycastingScene()
    assert np.isposinf(empty.compute_distance(points)).all()
    assert (empty.compute_closest_points(points)["primitive_ids"] == empty.INVALID_ID).all()
    with pytest.raises(siliray.ArrayError, match="query_points"):
        scene.compute_distance(POINTS[:, :2])
