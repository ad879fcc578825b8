"""Scenes from arrays, files and the objects of other packages."""

from __future__ import annotations

import pickle
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import siliray
from worlds import rays, soup

VERTICES, FACES = soup(60, 8)
RAYS = rays(500, 9)


def answers(scene: siliray.Scene) -> np.ndarray:
    return siliray.Tracer(scene).closest(RAYS).primitive


USUAL = answers(siliray.Scene(VERTICES, FACES))


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64, np.uint16, np.uint32, np.uint64])
def test_faces_of_any_integer_type(dtype: type) -> None:
    assert np.array_equal(answers(siliray.Scene(VERTICES, FACES.astype(dtype))), USUAL)


def test_vertices_of_any_layout() -> None:
    for vertices in (
        VERTICES.astype(np.float64),
        np.asfortranarray(VERTICES),
        np.repeat(VERTICES, 2, axis=0)[::2],
        VERTICES.astype(">f8"),
        VERTICES.tolist(),
    ):
        assert np.array_equal(answers(siliray.Scene(vertices, FACES)), USUAL)


def test_several_geometries_are_numbered() -> None:
    halves = [(VERTICES, FACES[:30]), siliray.Geometry(VERTICES, FACES[30:], name="second")]
    hits = siliray.Tracer(siliray.Scene.from_geometries(halves)).closest(RAYS)
    seen = hits.hit
    together = hits.geometry[seen] * 30 + hits.primitive[seen]
    assert np.array_equal(together, USUAL[seen])


def test_instances_are_placed_masked_and_numbered() -> None:
    moved = np.eye(4)
    moved[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    moved[:3, 3] = [40, 50, 60]
    scene = siliray.Scene.from_objects(
        [[(VERTICES, FACES)]], [siliray.Instance(0, mask=1), siliray.Instance(0, moved, mask=2)]
    )
    assert (scene.instances, scene.triangles, scene.placed_triangles) == (2, 60, 120)
    tracer = siliray.Tracer(scene)
    there = RAYS.copy()
    there[:, :3] = RAYS[:, :3] @ moved[:3, :3].T + moved[:3, 3]
    there[:, 3:] = RAYS[:, 3:] @ moved[:3, :3].T
    hits = tracer.closest(there, mask=2)
    assert (hits.instance[hits.hit] == 1).all()
    assert np.mean(hits.primitive == USUAL) > 0.99  # the rays themselves were rounded
    assert np.array_equal(tracer.closest(RAYS, mask=1).primitive, USUAL)
    assert not tracer.any(RAYS, mask=4).any()


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: siliray.Scene([[0, 0, np.nan]] * 3, [[0, 1, 2]]), "SceneError", "vertex 0.*NaN"),
        (lambda: siliray.Scene([[0, np.inf, 0]] * 3, [[0, 1, 2]]), "SceneError", "not finite"),
        (lambda: siliray.Scene([[0, 1e300, 0]] * 3, [[0, 1, 2]]), "RangeError", "vertices.*row 0"),
        (lambda: siliray.Scene([[0, 1e38, 0]] * 3, [[0, 1, 2]]), "SceneError", "beyond 2"),
        (lambda: siliray.Scene(VERTICES, [[0, 1, 180]]), "SceneError", "vertex 180 does not exist"),
        (lambda: siliray.Scene(VERTICES, [[0, -1, 2]]), "SceneError", "triangle 0 names vertex -1"),
        (lambda: siliray.Scene(VERTICES, [[0, 1]]), "ArrayError", r"faces.*\(1, 2\)"),
        (lambda: siliray.Scene(VERTICES, [[0.0, 1, 2]]), "DtypeError", "faces.*float64"),
        (lambda: siliray.Scene(VERTICES[:, :2], FACES), "ArrayError", r"vertices.*\(180, 2\)"),
        (lambda: siliray.Scene.of(3), "SceneError", "int"),
        (lambda: siliray.Scene.open("interior.ply", 5), "OptionError", "built-in"),
        (lambda: siliray.Scene.open("nowhere.ply"), "FileError", "nowhere.ply"),
        (lambda: siliray.Scene.from_bytes(b"", "a.obj"), "SceneError", "a.obj.*empty"),
        (lambda: siliray.Scene.from_bytes(b"solid", "a.rra"), "ImageError", "a.rra"),
    ],
)
def test_wrong_scenes_are_named(make, error: str, text: str) -> None:
    with pytest.raises(getattr(siliray, error), match=text):
        make()


def test_objects_are_geometries_pairs_or_lists_of_them() -> None:
    pair, geometry = (VERTICES, FACES), siliray.Geometry(VERTICES, FACES)
    places = [siliray.Instance(0), siliray.Instance(1)]
    for objects in ([pair, geometry], [[pair], (geometry,)], ((VERTICES, FACES.tolist()), [pair])):
        assert siliray.Scene.from_objects(objects, places).placed_triangles == 120
    for two in ([pair, geometry], (pair, geometry), (geometry, geometry)):
        assert siliray.Scene.from_objects([two], places[:1]).placed_triangles == 120


def test_wrong_instances_are_named() -> None:
    def place(**options: object) -> None:
        siliray.Scene.from_objects([[(VERTICES, FACES)]], [siliray.Instance(**options)])

    with pytest.raises(siliray.SceneError, match="instance 0: object 1 does not exist"):
        place(object=1)
    with pytest.raises(siliray.SceneError, match="instance 0: the transform is singular"):
        place(object=0, transform=np.zeros((3, 4)))
    with pytest.raises(siliray.ArrayError, match=r"transform.*\(3, 3\)"):
        place(object=0, transform=np.eye(3))
    with pytest.raises(siliray.OptionError, match="mask: found 300"):
        place(object=0, mask=300)
    with pytest.raises(siliray.OptionError, match="last row"):
        place(object=0, transform=2 * np.eye(4))


def test_an_empty_scene_is_hit_by_nothing() -> None:
    scene = siliray.Scene(np.empty((0, 3)), np.empty((0, 3), int))
    assert scene.bounds is None and scene.triangles == 0
    assert not siliray.Tracer(scene).any(RAYS).any()


def test_flat_and_repeated_triangles_are_taken() -> None:
    faces = np.concatenate([FACES, FACES[:5], [[0, 0, 1], [7, 7, 7]]])
    tracer = siliray.Tracer(siliray.Scene(VERTICES, faces))
    assert np.array_equal(tracer.closest(RAYS).primitive, USUAL)


def test_meshes_of_other_packages() -> None:
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.Trimesh(VERTICES, FACES, process=False)
    assert np.array_equal(answers(siliray.Scene.of(mesh)), USUAL)
    assert siliray.Tracer(mesh).scene.triangles == 60
    placed = trimesh.Scene()
    moved = trimesh.transformations.translation_matrix([7, 0, 0])
    placed.add_geometry(mesh, transform=moved)
    placed.add_geometry(mesh)
    scene = siliray.Scene.of(placed)
    assert scene.instances == 2 and scene.bounds[1, 0] > 10
    legacy = SimpleNamespace(vertices=VERTICES, triangles=FACES)
    assert np.array_equal(answers(siliray.Scene.of(legacy)), USUAL)

    class Tensor:
        def __init__(self, array: np.ndarray) -> None:
            self.array = array

        def numpy(self) -> np.ndarray:
            return self.array

    class Elsewhere(Tensor):
        def numpy(self) -> np.ndarray:
            raise RuntimeError("not in the processor's memory")

        def cpu(self) -> Tensor:
            return Tensor(self.array)

    for kind in (Tensor, Elsewhere):
        tensors = SimpleNamespace(
            vertex={"positions": kind(VERTICES)}, triangle={"indices": kind(FACES)}
        )
        assert np.array_equal(answers(siliray.Scene.of(tensors)), USUAL)
    assert siliray.Scene.of(SimpleNamespace(vertex={}, triangle={})).triangles == 0


def test_the_graph_of_a_scene_places_its_meshes() -> None:
    trimesh = pytest.importorskip("trimesh")
    turned = trimesh.transformations.rotation_matrix(0.5, [1, 2, 3])
    moved = trimesh.transformations.translation_matrix([3, 0, 1])
    placed = trimesh.Scene()
    mesh = trimesh.Trimesh(VERTICES, FACES, process=False)
    placed.add_geometry(mesh, node_name="first", geom_name="soup", transform=turned)
    placed.graph.update("second", frame_from="first", matrix=moved @ turned, geometry="soup")
    placed.add_geometry(trimesh.creation.box(), node_name="third", transform=2 * moved - np.eye(4))
    placed.add_geometry(trimesh.PointCloud(VERTICES), node_name="cloud")
    scene = siliray.Scene.of(placed)
    assert (scene.instances, scene.triangles, scene.placed_triangles) == (3, 72, 132)
    # As one mesh, whose triangles follow those of the nodes.
    nodes = [node for node in placed.graph.nodes_geometry if node != "cloud"]
    parts = []
    for node in nodes:
        matrix, name = placed.graph[node]
        parts.append(placed.geometry[name].copy().apply_transform(matrix))
    whole = siliray.Tracer(trimesh.util.concatenate(parts)).closest(RAYS)
    hits = siliray.Tracer(scene).closest(RAYS)
    starts = np.cumsum([0] + [len(part.faces) for part in parts])
    seen = hits.hit & whole.hit
    assert np.mean(hits.hit == whole.hit) > 0.995  # both are rounded, one after it is placed
    numbers = starts[hits.instance[seen]] + hits.primitive[seen]
    assert np.mean(numbers == whole.primitive[seen]) > 0.99
    assert set(hits.instance[seen]) == {0, 1, 2}
    assert siliray.Scene.of(trimesh.Scene()).triangles == 0


def test_files_and_bytes(tmp_path: Path) -> None:
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in VERTICES.tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES.tolist()]
    text = "\n".join(lines)
    (tmp_path / "soup.obj").write_text(text)
    for scene in (
        siliray.Scene.open(tmp_path / "soup.obj"),
        siliray.Scene.from_bytes(text.encode(), "soup.obj"),
    ):
        assert scene.name == "soup.obj" and scene.format is None
        assert np.array_equal(answers(scene), USUAL)
        assert np.allclose(scene.bounds, [VERTICES.min(0), VERTICES.max(0)])
    built_in = siliray.Scene.open("organic", triangles=400)
    assert "organic" in repr(built_in) and built_in.triangles > 300


def test_what_nothing_places_is_not_there() -> None:
    mesh = siliray.Geometry(VERTICES, FACES)
    for objects in ([], [[mesh]], [[mesh], [mesh]]):
        scene = siliray.Scene.from_objects(objects, [])
        for same in (scene, pickle.loads(pickle.dumps(scene))):
            assert (same.placed_triangles, same.instances, same.bounds) == (0, 0, None)
            assert not siliray.Tracer(same).any(RAYS).any()
    with pytest.raises(siliray.SceneError, match="vertex 1000000 does not exist"):
        siliray.Scene.from_objects([[(VERTICES, [[0, 1, 10**6]])]], [])


def test_parts_of_scenes_can_be_compared_and_hashed() -> None:
    one, other = siliray.Instance(0), siliray.Instance(0)
    assert one == one and one != other and len({one, other}) == 2
    mesh = siliray.Geometry(VERTICES, FACES)
    assert mesh in [siliray.Geometry(VERTICES, FACES), mesh] and len({mesh, mesh}) == 1
