"""The queries of trimesh: the same calls to trimesh with embreex and to siliray, compared."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import siliray
from siliray.trimesh import RayMeshIntersector
from worlds import every_hit, rays, soup

trimesh = pytest.importorskip("trimesh")
pytest.importorskip("embreex")

RAYS = rays(3000, 12).astype(np.float64)
ORIGINS, DIRECTIONS = RAYS[:, :3], RAYS[:, 3:]


def meshes() -> dict:
    turned = trimesh.transformations.rotation_matrix(0.7, [1, 2, 3], [0.1, 0.2, 0.3])
    torus = trimesh.creation.torus(3.0, 1.1, major_sections=40, minor_sections=24)
    box = trimesh.creation.box(extents=[3, 4, 5])
    for mesh in (torus, box):
        mesh.apply_transform(turned)
    return {
        "torus": torus,
        "box": box,
        "soup": trimesh.Trimesh(*soup(400, 13), process=False),
    }


MESHES = meshes()


@pytest.fixture(params=list(MESHES))
def mesh(request: pytest.FixtureRequest):
    return MESHES[request.param]


def by_ray_and_distance(locations, index_ray, index_tri):
    """Hits in the order in which siliray has them."""
    order = np.lexsort((((locations - ORIGINS[index_ray]) ** 2).sum(axis=1), index_ray))
    return locations[order], index_ray[order], index_tri[order]


def same_kind(ours, theirs) -> bool:
    if not isinstance(ours, tuple):
        ours, theirs = (ours,), (theirs,)
    return len(ours) == len(theirs) and all(
        (a.dtype, a.ndim, a.shape[1:]) == (b.dtype, b.ndim, b.shape[1:])
        for a, b in zip(ours, theirs)
    )


def test_every_query_agrees(mesh) -> None:
    theirs, ours = mesh.ray, RayMeshIntersector(mesh)
    assert np.array_equal(
        ours.intersects_first(ORIGINS, DIRECTIONS), theirs.intersects_first(ORIGINS, DIRECTIONS)
    )
    assert np.array_equal(
        ours.intersects_any(ORIGINS, DIRECTIONS), theirs.intersects_any(ORIGINS, DIRECTIONS)
    )
    for multiple_hits in (False, True):
        asked = {"multiple_hits": multiple_hits}
        a = ours.intersects_location(ORIGINS, DIRECTIONS, **asked)
        b = by_ray_and_distance(*theirs.intersects_location(ORIGINS, DIRECTIONS, **asked))
        assert len(a[1]) > 300
        assert np.array_equal(a[1], b[1]) and np.array_equal(a[2], b[2])
        assert np.abs(a[0] - b[0]).max() < 1e-9
        index_tri, index_ray = ours.intersects_id(ORIGINS, DIRECTIONS, **asked)
        assert np.array_equal(index_tri, b[2]) and np.array_equal(index_ray, b[1])


def test_every_answer_is_that_of_brute_force(mesh) -> None:
    """Not only of another program."""
    exact = every_hit(
        mesh.vertices.astype(np.float32), mesh.faces, RAYS.astype(np.float32)
    )
    ours = RayMeshIntersector(mesh)
    first = np.where(np.isfinite(exact.min(axis=1)), exact.argmin(axis=1), -1)
    assert np.array_equal(ours.intersects_first(ORIGINS, DIRECTIONS), first)
    index_tri, index_ray = ours.intersects_id(ORIGINS, DIRECTIONS)
    hit = np.zeros(exact.shape, bool)
    hit[index_ray, index_tri] = True
    assert np.array_equal(hit, np.isfinite(exact)) and len(index_ray) == hit.sum()


def test_results_have_the_same_types_and_shapes(mesh) -> None:
    theirs, ours = mesh.ray, RayMeshIntersector(mesh)
    away = (ORIGINS[:5] + 100, np.ones((5, 3)))
    for asked in ((ORIGINS[:50], DIRECTIONS[:50]), (ORIGINS[:0], DIRECTIONS[:0]), away):
        for name in ("intersects_first", "intersects_any", "intersects_location", "intersects_id"):
            a, b = getattr(ours, name)(*asked), getattr(theirs, name)(*asked)
            assert same_kind(a, b), name
        for options in ({"multiple_hits": False}, {"return_locations": True}, {"max_hits": 1}):
            a, b = ours.intersects_id(*asked, **options), theirs.intersects_id(*asked, **options)
            assert same_kind(a, b), options
    # Positions of arguments, too.
    a = ours.intersects_id(ORIGINS, DIRECTIONS, True, 2, True)
    b = theirs.intersects_id(ORIGINS, DIRECTIONS, True, 2, True)
    assert same_kind(a, b) and len(a[0]) == len(b[0])


@pytest.mark.parametrize("name", ["torus", "box"])
def test_contained_points_agree(name: str) -> None:
    mesh = MESHES[name]
    low, high = mesh.bounds
    points = np.random.default_rng(3).uniform(low - 0.5, high + 0.5, (20_000, 3))
    ours = RayMeshIntersector(mesh).contains_points(points)
    assert np.array_equal(ours, mesh.ray.contains_points(points))
    assert 0.05 < ours.mean() < 0.8
    assert RayMeshIntersector(mesh).contains_points([]).shape == (0,)


def test_a_mesh_of_trimesh_uses_it_for_everything() -> None:
    mesh = MESHES["torus"].copy()
    mesh.ray = RayMeshIntersector(mesh)
    points = np.random.default_rng(4).uniform(-4, 4, (500, 3))
    assert np.array_equal(mesh.contains(points), MESHES["torus"].contains(points))
    assert mesh.copy().ray is not mesh.ray


def test_changes_of_the_mesh_are_seen() -> None:
    mesh = MESHES["box"].copy()
    ray = RayMeshIntersector(mesh)
    assert ray.intersects_any([[0.1, 0.2, 20]], [[0, 0, -1]]).all()
    mesh.apply_translation([50, 0, 0])
    assert not ray.intersects_any([[0.1, 0.2, 20]], [[0, 0, -1]]).any()
    mesh.vertices[:, 0] -= 50
    assert ray.intersects_any([[0.1, 0.2, 20]], [[0, 0, -1]]).all()


def test_copies_and_pickles_answer_alike() -> None:
    ray = RayMeshIntersector(MESHES["torus"], threads=1)
    answer = ray.intersects_first(ORIGINS, DIRECTIONS)
    for other in (copy.copy(ray), copy.deepcopy(ray), pickle.loads(pickle.dumps(ray))):
        assert np.array_equal(other.intersects_first(ORIGINS, DIRECTIONS), answer)


def test_any_layout_of_rays() -> None:
    ray = RayMeshIntersector(MESHES["torus"])
    answer = ray.intersects_location(ORIGINS, DIRECTIONS)
    for origins, directions in (
        (np.asfortranarray(ORIGINS), np.asfortranarray(DIRECTIONS)),
        (RAYS[:, :3], RAYS[:, 3:]),
        (ORIGINS.tolist(), DIRECTIONS.tolist()),
    ):
        other = ray.intersects_location(origins, directions)
        assert all(np.array_equal(a, b) for a, b in zip(other, answer))
    single = ray.intersects_location(ORIGINS.astype(np.float32), DIRECTIONS.astype(np.float32))
    assert np.array_equal(single[1], answer[1]) and np.abs(single[0] - answer[0]).max() < 1e-5
    assert np.array_equal(
        ray.intersects_first(ORIGINS[0], DIRECTIONS),
        ray.intersects_first(np.tile(ORIGINS[0], (len(DIRECTIONS), 1)), DIRECTIONS),
    )


def test_directions_may_have_any_length() -> None:
    """trimesh makes them unit vectors, in doubles."""
    mesh = MESHES["torus"]
    theirs, ours = mesh.ray, RayMeshIntersector(mesh)
    exponents = np.resize([-1000, -200, -130, 0, 126, 200, 1000], len(ORIGINS))
    scaled, unscaled = np.ldexp(DIRECTIONS, exponents[:, np.newaxis]), (ORIGINS, DIRECTIONS)
    assert np.array_equal(ours.intersects_first(ORIGINS, scaled), ours.intersects_first(*unscaled))
    assert np.array_equal(ours.intersects_any(ORIGINS, scaled), theirs.intersects_any(*unscaled))
    for multiple_hits in (True, False):
        found = ours.intersects_location(ORIGINS, scaled, multiple_hits=multiple_hits)
        right = ours.intersects_location(*unscaled, multiple_hits=multiple_hits)
        assert np.allclose(found[0], right[0], atol=1e-9)
        assert np.array_equal(found[1], right[1]) and np.array_equal(found[2], right[2])
    with pytest.raises(siliray.RangeError, match="origins: .* in row 1"):
        ours.intersects_any([[0, 0, 0], [1e40, 0, 0]], [[0, 0, 1], [0, 0, 1]])


def test_wrong_calls_are_named() -> None:
    ray = RayMeshIntersector(MESHES["box"])
    with pytest.raises(ValueError, match="4 ray_origins and 5 ray_directions"):
        ray.intersects_first(ORIGINS[:4], DIRECTIONS[:5])
    with pytest.raises(siliray.ArrayError, match=r"origins.*\(3000, 2\)"):
        ray.intersects_any(ORIGINS[:, :2], DIRECTIONS)
    with pytest.raises(siliray.ArrayError, match=r"points.*\(3000, 6\)"):
        ray.contains_points(RAYS)
    with pytest.raises(siliray.DtypeError, match="directions"):
        ray.intersects_location(ORIGINS, DIRECTIONS.astype(complex))
    with pytest.raises(siliray.OptionError, match="max_hits"):
        ray.intersects_id(ORIGINS, DIRECTIONS, max_hits=-1)
    with pytest.raises(siliray.SceneError, match="str"):
        RayMeshIntersector("mesh").intersects_any(ORIGINS, DIRECTIONS)
    nothing = RayMeshIntersector(siliray.Geometry(np.empty((0, 3)), np.empty((0, 3), int)))
    assert not nothing.intersects_any(ORIGINS, DIRECTIONS).any()
    assert not nothing.contains_points(ORIGINS).any()
    assert nothing.intersects_location(ORIGINS, DIRECTIONS)[0].shape == (0, 3)
    bad = DIRECTIONS[:3] * [[np.nan], [0], [np.inf]]
    assert (ray.intersects_first(ORIGINS[:3], bad) == -1).all()


# Where trimesh with embreex is wrong.


def test_corners_are_not_missed() -> None:
    """From the middle of a ball every corner is seen. Embree lets rays slip through some."""
    ball = trimesh.creation.uv_sphere(count=[64, 128])
    corners, middle = ball.vertices, np.zeros_like(ball.vertices)
    ours = RayMeshIntersector(ball)
    assert ours.intersects_any(middle, corners).all()
    locations, index_ray, _ = ours.intersects_location(middle, corners)
    assert np.array_equal(index_ray, np.arange(len(corners)))
    assert np.abs(locations - corners).max() < 1e-6
    assert (~ball.ray.intersects_any(middle, corners)).any(), "Embree is right by now"


def test_no_limit_to_hits() -> None:
    """A stack of 150 sheets: trimesh stops after a hundred."""
    sheets = [trimesh.creation.box(extents=[2, 3, 1e-3]) for _ in range(150)]
    for number, sheet in enumerate(sheets):
        sheet.apply_translation([0, 0, number * 0.01])
    stack = trimesh.util.concatenate(sheets)
    ray = [[0.3, 0.4, -5]], [[0, 0, 1]]
    locations, _, _ = RayMeshIntersector(stack).intersects_location(*ray)
    expected = (np.arange(150)[:, None] * 0.01 + [-5e-4, 5e-4]).ravel()
    assert np.allclose(locations[:, 2], expected, atol=1e-12)
    assert len(RayMeshIntersector(stack).intersects_id(*ray, max_hits=7)[0]) == 7
    assert len(stack.ray.intersects_location(*ray)[0]) == 100


def test_sheets_close_together_are_both_hit() -> None:
    """trimesh steps past a hit by a millionth of the mesh and loses what is nearer."""
    sheet = trimesh.creation.box(extents=[20, 30, 1e-5])
    ray = [[0.3, 0.4, 1]], [[0, 0, -1]]
    locations, _, _ = RayMeshIntersector(sheet).intersects_location(*ray)
    assert np.allclose(locations[:, 2], [5e-6, -5e-6], atol=1e-12)
    assert len(sheet.ray.intersects_location(*ray)[0]) == 1


@pytest.mark.parametrize("away", [10.0, 1e4, 5e5, 1e6, 1e7, 1e9])
def test_rays_from_far_away_keep_all_their_hits(away: float) -> None:
    """Single floats of that size would not tell one side of the mesh from the other."""
    sheet = trimesh.creation.box(extents=[20, 30, 0.02])
    ray = RayMeshIntersector(sheet)
    # Through the inside of triangles, and through the edge that both triangles of a side share.
    for x, y in ((3.0, 2.0), (0.0, 0.0), (6.0, 9.0)):
        asked = [[x, y, away]], [[0, 0, -1.0]]
        locations, _, index_tri = ray.intersects_location(*asked)
        assert np.allclose(locations, [[x, y, 0.01], [x, y, -0.01]], atol=1e-9)
        assert np.array_equal(index_tri, ray.intersects_id(*asked)[0])
    ball = trimesh.creation.icosphere(4)
    directions = np.random.default_rng(3).normal(size=(2000, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    for towards in (directions, ball.vertices):
        found = RayMeshIntersector(ball).intersects_location(towards * away, -towards)
        assert np.array_equal(found[1], np.repeat(np.arange(len(towards)), 2))
        assert np.abs(found[0][::2] - towards).max() < 0.01


def test_triangles_that_lie_on_each_other_are_one_place() -> None:
    ball = trimesh.creation.icosphere(2)
    faces = np.concatenate([ball.faces, ball.faces[:, [1, 2, 0]], ball.faces[:, ::-1]])
    thrice = trimesh.Trimesh(ball.vertices, faces, process=False)
    ray = RayMeshIntersector(thrice)
    for index_ray in (
        ray.intersects_location(3 * ball.vertices, -ball.vertices)[1],
        ray.intersects_id(3 * ball.vertices, -ball.vertices)[1],
    ):
        assert np.array_equal(index_ray, np.repeat(np.arange(len(ball.vertices)), 2))


def test_a_ray_from_the_surface_meets_what_is_beyond() -> None:
    """Where a ray starts is no hit. To trimesh it may be one, if that place is one of single
    floats."""
    mesh = trimesh.creation.box(extents=[2, 2, 2])
    ray = [[0.25, 0.5, 1.0]], [[0, 0, -1.0]]
    locations, _, index_tri = RayMeshIntersector(mesh).intersects_location(*ray)
    assert locations.tolist() == [[0.25, 0.5, -1.0]]
    assert np.array_equal(RayMeshIntersector(mesh).intersects_first(*ray), index_tri)
    assert not RayMeshIntersector(mesh).intersects_any(ray[0], [[0, 0, 1.0]]).any()
    assert mesh.ray.intersects_any(ray[0], [[0, 0, 1.0]]).all()


def test_a_ray_along_a_plane_keeps_its_hit() -> None:
    """The first hit of a grazing ray has a place, too; trimesh drops it."""
    square = trimesh.Trimesh([[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0]], [[0, 1, 2], [0, 2, 3]])
    ray = [[-1, 0.5, 1e-9]], [[1, 0, -5e-10]]
    ours = RayMeshIntersector(square)
    assert ours.intersects_first(*ray)[0] == 0
    locations, index_ray, index_tri = ours.intersects_location(*ray, multiple_hits=False)
    assert index_ray.tolist() == [0] and index_tri.tolist() == [0]
    assert np.allclose(locations, [[1, 0.5, 0]], atol=1e-6)
    assert square.ray.intersects_first(*ray)[0] == 0
    assert len(square.ray.intersects_location(*ray, multiple_hits=False)[0]) == 0


def test_a_mesh_far_from_the_origin_keeps_its_details() -> None:
    """Map coordinates: single floats would round these steps of a centimetre away."""
    place = np.array([4_500_000.0, 5_300_000.0, 400.0])
    near = trimesh.creation.box(extents=[0.03, 0.04, 0.05])
    far = near.copy()
    far.apply_translation(place)
    origins = np.random.default_rng(7).uniform(-0.05, 0.05, (500, 3)) + [0, 0, 1]
    directions = np.tile([0.0, 0.0, -1.0], (500, 1))
    here = RayMeshIntersector(near).intersects_location(origins, directions)
    there = RayMeshIntersector(far).intersects_location(origins + place, directions)
    assert 20 < len(here[1]) < 900
    assert np.array_equal(here[1], there[1])
    assert np.abs(here[0] + place - there[0]).max() < 1e-8
    inside = RayMeshIntersector(far).contains_points(origins + place - [0, 0, 1])
    assert np.array_equal(inside, RayMeshIntersector(near).contains_points(origins - [0, 0, 1]))
