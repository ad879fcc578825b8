"""Hits that others have missed or doubled: reports to trimesh, Open3D and Mitsuba, as tests. The
meshes of a report are made anew where they were not part of it."""

from __future__ import annotations

import numpy as np
import siliray
from siliray.open3d import RaycastingScene
from siliray.trimesh import RayMeshIntersector
from worlds import every_hit, rays, soup


def ball(rings: int, sectors: int, radius: float = 1.0) -> siliray.Geometry:
    """A closed ball of latitudes and longitudes."""
    tilt = np.linspace(0, np.pi, rings + 1)[1:-1, None]
    turn = np.arange(sectors) / sectors * 2 * np.pi
    around = np.stack(
        [np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), np.cos(tilt) + 0 * turn], axis=-1
    )
    vertices = np.concatenate([[[0, 0, 1]], around.reshape(-1, 3), [[0, 0, -1]]]) * radius
    number = 1 + np.arange((rings - 1) * sectors).reshape(rings - 1, sectors)
    right = np.roll(number, -1, axis=1)
    top = np.stack([np.zeros(sectors, int), number[0], right[0]], -1)
    last = np.full(sectors, len(vertices) - 1)
    bottom = np.stack([last, right[-1], number[-1]], -1)
    a, b, c, d = (part.ravel() for part in (number[:-1], number[1:], right[1:], right[:-1]))
    between = np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)])
    return siliray.Geometry(vertices, np.concatenate([top, between, bottom]))


def box(extent: float, parts: int = 1) -> siliray.Geometry:
    """A box around the origin, each face cut into parts × parts squares."""
    step = np.arange(parts)
    side = np.stack(np.meshgrid(step, step, indexing="ij"), -1).reshape(-1, 2)
    squares = side[:, None] + [[0, 0], [1, 0], [1, 1], [0, 1]]
    corners = []
    for axis in range(3):
        for end in (0, parts):
            points = np.insert(squares, axis, end, axis=-1)
            corners.append(points if (end == 0) == (axis == 1) else points[:, ::-1])
    quads = np.concatenate(corners)
    vertices, index = np.unique(quads.reshape(-1, 3), axis=0, return_inverse=True)
    index = index.reshape(-1, 4)
    faces = np.concatenate([index[:, [0, 1, 2]], index[:, [0, 2, 3]]])
    return siliray.Geometry((vertices / parts - 0.5) * extent, faces)


def around(rows: int, columns: int) -> np.ndarray:
    """Directions as a picture of the whole sphere has them."""
    tilt = (np.arange(rows)[:, None] + 0.5) / rows * np.pi
    turn = np.arange(columns) / columns * 2 * np.pi
    x, y = np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn)
    return np.stack([x, y, np.cos(tilt) + 0 * turn], axis=-1).reshape(-1, 3)


def test_trimesh_242_points_inside_a_solid_of_voxels() -> None:
    """Points inside a mesh made of voxels were called outside and the other way round, in streaks
    along the grid."""
    random = np.random.default_rng(242)
    side = 12
    full = np.zeros((side + 2,) * 3, bool)
    full[1:-1, 1:-1, 1:-1] = random.random((side,) * 3) < 0.55
    quads = []
    for axis in range(3):
        for step in (1, -1):
            voxels = np.argwhere(full & ~np.roll(full, -step, axis))
            corners = np.insert([[0, 0], [1, 0], [1, 1], [0, 1]], axis, (1 + step) // 2, axis=1)
            quads.append(voxels[:, None] + (corners if step == 1 else corners[::-1]))
    corners = np.concatenate(quads)
    vertices, index = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    index = index.reshape(-1, 4)
    faces = np.concatenate([index[:, [0, 1, 2]], index[:, [0, 2, 3]]])
    mesh = RayMeshIntersector(siliray.Geometry(vertices / side - 0.5, faces))
    points = random.uniform(0, side + 2, (30_000, 3))
    middles = np.argwhere(full | True) + 0.5
    for asked in (points, middles, np.floor(points * 4) / 4 + 0.125):
        voxel = tuple(np.minimum(np.floor(asked).astype(int), side + 1).T)
        assert np.array_equal(mesh.contains_points(asked / side - 0.5), full[voxel])


def test_trimesh_457_triangles_that_are_seen_are_listed() -> None:
    """Of the first hits of many rays some triangles were missing, though what is behind them was
    not hit either."""
    vertices, faces = soup(500, 457)
    asked = rays(6000, 458)
    exact = every_hit(vertices, faces, asked)
    mesh = RayMeshIntersector(siliray.Geometry(vertices, faces))
    found = mesh.intersects_id(asked[:, :3], asked[:, 3:], multiple_hits=False)
    seen = np.flatnonzero(np.isfinite(exact.min(axis=1)))
    assert np.array_equal(found[1], seen)
    assert np.array_equal(found[0], exact[seen].argmin(axis=1))


def test_trimesh_1180_no_ray_leaves_a_closed_room() -> None:
    """Of 1024 × 512 rays from inside a closed mesh one had no hit, always the same."""
    directions = around(512, 1024)
    origins = np.zeros_like(directions)
    for room in (ball(32, 64), ball(7, 9), box(3, 4)):
        locations, index_ray, _ = RayMeshIntersector(room).intersects_location(
            origins, directions, multiple_hits=False
        )
        assert locations.shape == (524_288, 3)
        assert np.array_equal(index_ray, np.arange(524_288))


def test_trimesh_1496_any_and_id_agree_at_corners_and_edges() -> None:
    """Rays from the middle through the corners of a larger box: whether they hit the small one, all
    of whose corners and edges they meet, depended on which question was asked."""
    small, large = RayMeshIntersector(box(40, 2)), np.asarray(box(60, 3).vertices)
    origins = np.zeros_like(large)
    assert small.intersects_any(origins, large).all()
    assert (small.intersects_first(origins, large) >= 0).all()
    _, index_ray = small.intersects_id(origins, large, multiple_hits=False)
    assert np.array_equal(index_ray, np.arange(len(large)))
    _, index_ray, _ = small.intersects_id(origins, large, return_locations=True)
    assert np.array_equal(index_ray, np.arange(len(large)))


def test_trimesh_1766_the_edge_between_two_triangles() -> None:
    """A ray onto the diagonal of a square passed between its triangles."""
    square = siliray.Geometry(
        [[-1, -1, 0], [-1, 1, 0], [1, 1, 0], [1, -1, 0]], [[0, 1, 2], [2, 3, 0]]
    )
    for scale_to_box in (True, False):
        mesh = RayMeshIntersector(square, scale_to_box)
        at = np.linspace(-0.99, 0.99, 199)
        origins = np.stack([at, at, np.ones_like(at)], axis=-1)
        directions = np.tile([0, 0, -1], (len(at), 1))
        for multiple_hits in (False, True):
            locations, index_ray, _ = mesh.intersects_location(
                origins, directions, multiple_hits=multiple_hits
            )
            assert np.array_equal(index_ray, np.arange(len(at)))
            assert np.allclose(locations, origins * [1, 1, 0], atol=1e-7)


def test_trimesh_1919_locations_are_those_of_exact_arithmetic() -> None:
    """The fast and the slow intersector gave different places for the same rays."""
    mesh = ball(24, 40, 2.5)
    vertices, faces = np.asarray(mesh.vertices, np.float32), np.asarray(mesh.faces)
    asked = rays(3000, 1919)
    exact = every_hit(vertices, faces, asked)
    intersector = RayMeshIntersector(siliray.Geometry(vertices, faces))
    locations, index_ray, index_tri = intersector.intersects_location(asked[:, :3], asked[:, 3:])
    hit = np.zeros(exact.shape, bool)
    hit[index_ray, index_tri] = True
    assert np.array_equal(hit, np.isfinite(exact))
    expected = asked[index_ray, :3] + exact[index_ray, index_tri, None] * asked[
        index_ray, 3:
    ].astype(np.float64)
    assert np.abs(locations - expected).max() < 1e-9


def test_trimesh_2524_no_hit_is_repeated_at_large_scales() -> None:
    """In a large mesh a step past a hit was lost to rounding, and one triangle was hit over and
    over."""
    for extent in (1e-6, 1.0, 1e4, 1e8, 1e15):
        mesh = RayMeshIntersector(box(extent))
        origins = np.array([[0.11, 0.23, -3], [-0.31, 0.07, -2]]) * extent
        directions = np.tile([0.01, 0.02, 1], (2, 1))
        locations, index_ray, index_tri = mesh.intersects_location(origins, directions)
        assert index_ray.tolist() == [0, 0, 1, 1]
        assert len(set(index_tri[:2])) == 2 and len(set(index_tri[2:])) == 2
        assert np.allclose(locations[:, 2] / extent, [-0.5, 0.5, -0.5, 0.5], rtol=1e-9)


def test_open3d_5777_points_lie_on_the_plane() -> None:
    """Points at the distances that were returned lay 3e-5 off the plane. Distances are single
    floats: they are within two units in the last place of the exact ones here. Whoever needs more
    asks for locations, which are doubles."""
    random = np.random.default_rng(5777)
    triangle = random.uniform(-300, 300, (3, 3)).astype(np.float32)
    weights = random.dirichlet([1.5, 1.5, 1.5], 5000)
    targets = weights @ triangle
    origins = (targets + random.normal(size=(5000, 3)) * 200).astype(np.float32)
    directions = (targets - origins).astype(np.float32)
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    asked = np.concatenate([origins, directions], axis=1)
    scene = RaycastingScene()
    scene.add_triangles(triangle, np.array([[0, 1, 2]], np.uint32))
    t = scene.cast_rays(asked)["t_hit"].numpy()
    a, b, c = triangle.astype(np.float64)
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal)
    points = origins + t[:, None].astype(np.float64) * directions
    seen = np.isfinite(t)
    assert seen.mean() > 0.99
    off = np.abs((points[seen] - a) @ normal)
    largest = np.maximum(t[seen], np.abs(asked[seen]).max(axis=1))
    assert (off <= 2 * np.spacing(largest)).all()
    mesh = RayMeshIntersector(siliray.Geometry(triangle, [[0, 1, 2]]))
    locations, index_ray, _ = mesh.intersects_location(origins, directions)
    assert np.array_equal(index_ray, np.flatnonzero(seen))
    assert np.abs((locations - a) @ normal).max() < 1e-10


def test_open3d_6188_rays_around_a_point_beside_a_cube() -> None:
    """Of rays in all directions from a point near a cube some were said to hit it that pass by, and
    the other way round."""
    cube = box(1.0)
    scene = RaycastingScene()
    scene.add_triangles(np.asarray(cube.vertices) + 0.5, cube.faces)
    origin = np.array([2, 0.5, 0.5])
    directions = around(300, 600)
    asked = np.concatenate([np.tile(origin, (len(directions), 1)), directions], axis=1)
    asked = asked.astype(np.float32)
    with np.errstate(divide="ignore"):
        near = (np.array([[[0.0]], [[1.0]]]) - origin) / asked[:, 3:].astype(np.float64)
    enter, leave = near.min(axis=0).max(axis=1), near.max(axis=0).min(axis=1)
    is_clear = np.abs(enter - leave) > 1e-6
    expected = (enter <= leave) & (leave > 0)
    for hit in (np.isfinite(scene.cast_rays(asked)["t_hit"]), scene.test_occlusions(asked)):
        assert np.array_equal(hit[is_clear], expected[is_clear])
    counts = scene.count_intersections(asked)
    assert np.array_equal(counts[is_clear], 2 * expected[is_clear])
    assert is_clear.mean() > 0.999 and 0.01 < expected.mean() < 0.2


def test_open3d_4985_trees_may_be_as_deep_as_they_must() -> None:
    """Of one mesh among many rays could not be cast: its tree was too deep. Deep are those of
    triangles that become smaller and smaller, and of many that lie on each other."""
    sizes = 2.0 ** -np.arange(96)
    corners = np.array([[3, 2, 1], [4, 2, 1], [3, 3, 2]])
    around_each = np.diag([1.0, -1, 1]), np.diag([-1.0, 1, -1])[[1, 2, 0]]
    chain = np.concatenate([corners @ turn * size for size in sizes for turn in around_each])
    heap = np.tile(corners * sizes[-1], (50_000, 1))
    for vertices in (chain, np.concatenate([chain, heap])):
        faces = np.arange(len(vertices), dtype=np.uint32).reshape(-1, 3)
        scene = RaycastingScene()
        scene.add_triangles(vertices.astype(np.float32), faces)
        targets = chain.reshape(-1, 3, 3).mean(axis=1)
        # From nearer than what is smaller, so that each is the first on its way.
        asked = np.concatenate([targets * 0.75, targets / 4], axis=1).astype(np.float32)
        hits = scene.cast_rays(asked)
        assert np.array_equal(hits["primitive_ids"], np.arange(len(targets)))
        assert np.allclose(hits["t_hit"], 1)
        assert scene.test_occlusions(asked).all()


def test_open3d_5105_points_in_line_with_an_edge_are_outside() -> None:
    """Whether a point beside a cube is inside was asked by a ray along the diagonal, which met an
    edge of the cube and counted it once."""
    cube = box(1.0)
    scene = RaycastingScene()
    scene.add_triangles(np.asarray(cube.vertices) + 0.5, cube.faces)
    points = np.array([[-1, -1, 0], [-1, -1, -1], [0.5, 0.5, 0.5]], np.float32)
    assert scene.compute_occupancy(points).tolist() == [0, 0, 1]
    assert np.allclose(scene.compute_signed_distance(points), [2**0.5, 3**0.5, -0.5])


def test_mitsuba_1149_no_ray_passes_through_the_edge_of_a_solid() -> None:
    """Rays onto edges between triangles of a ball passed through it, at glancing angles and at
    others. No ray may miss, and none may meet the far side first."""
    mesh = ball(20, 30, 3.0)
    vertices, faces = np.asarray(mesh.vertices, np.float32), np.asarray(mesh.faces)
    random = np.random.default_rng(1149)
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    part = random.random((len(edges), 1)).astype(np.float32)
    targets = vertices[edges[:, 0]] * (1 - part) + vertices[edges[:, 1]] * part
    targets = np.concatenate([targets, vertices])
    tracer = siliray.Tracer(siliray.Scene(vertices, faces))
    for spread in (0.0, 0.5, 1.5):
        outward = targets + spread * random.normal(size=targets.shape).astype(np.float32)
        origins = (targets + outward * 2).astype(np.float32)
        is_outside = np.linalg.norm(origins, axis=1) > 3.5
        # Only rays from the side on which the target lies, by their angle to the ball.
        falling = ((targets - origins) * targets).sum(axis=1) / np.linalg.norm(
            targets - origins, axis=1
        )
        is_asked = is_outside & (falling < -0.3)
        hits = tracer.closest(origins[is_asked], (targets - origins)[is_asked])
        assert is_asked.sum() > 900
        assert hits.hit.all()
        assert np.abs(hits.t - 1).max() < 0.02
    inside = random.normal(size=(50_000, 3)).astype(np.float32)
    assert tracer.any(np.zeros(3), inside).all()
    assert (tracer.closest(np.zeros(3), targets).hit).all()
