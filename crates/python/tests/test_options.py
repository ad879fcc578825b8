"""Every argument of every function, with values that it cannot be: an error of siliray's own that
names the argument, or an answer; nothing else."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import siliray
import siliray.open3d
import siliray.trimesh
from siliray import dataframe, generators, isbe

pa = pytest.importorskip("pyarrow")

SCENE = siliray.Scene.open("organic", triangles=60)
IMAGE = siliray.build(SCENE, format="gfx12").image
ROOT = int(siliray.inspect(IMAGE)["root"], 16)
DUMP = isbe.capture(SCENE)
TRACER = siliray.Tracer(SCENE, threads=1)
CORNERS, FACES = [[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]]
MESH = siliray.Geometry(CORNERS, FACES)
RAYS = np.array([[0.5, 0.5, 9, 0, 0, -1]], np.float32)
ORIGIN, DIRECTION = RAYS[:, :3], RAYS[:, 3:]
OPEN3D = siliray.open3d.RaycastingScene()
OPEN3D.add_triangles(CORNERS, FACES)
TRIMESH = siliray.trimesh.RayMeshIntersector(MESH, threads=1)
EVERY = TRACER.all(RAYS)
CAMERA = generators.Camera(eye=(0, 1, 3), at=(0, 1, 0), fov=60, width=4, height=3)
CELLS = ("format=ttu", "preset=fast")
TABLE = pa.table({name: [float(x)] for name, x in zip("ox oy oz dx dy dz".split(), RAYS[0])})


class Strange:
    """Nothing that anything can be made of."""

    def __array__(self, *_: object, **__: object) -> None:
        raise RuntimeError("no array")


class Refusing:
    """A list that gives nothing away."""

    def __iter__(self) -> Iterator[object]:
        raise RuntimeError("no parts")


WRONG: list[Any] = [
    None,
    "zz",
    b"zz",
    "",
    -1,
    2**70,
    -(2**70),
    2.5,
    float("nan"),
    True,
    [],
    ["zz"],
    [None],
    [[1.0], [2.0, 3.0]],
    {},
    {"zz": 1},
    {3: 4},
    object(),
    Strange(),
    np.array(["zz"]),
    np.array([True, False, True]),
    np.zeros((2, 2, 2)),
    np.zeros(()),
    np.zeros((3, 0)),
    memoryview(np.zeros((3, 3))),
    Refusing(),
    1j,
    lambda: None,
]

#: Each function with arguments that are right.
CALLS: dict[str, tuple[Any, dict[str, Any]]] = {
    "Scene": (siliray.Scene, dict(vertices=CORNERS, faces=FACES, name="a")),
    "from_geometries": (siliray.Scene.from_geometries, dict(geometries=[MESH], name="a")),
    "from_objects": (
        siliray.Scene.from_objects,
        dict(objects=[[MESH]], instances=[siliray.Instance(0)], name="a"),
    ),
    "Instance": (
        lambda **fields: siliray.Scene.from_objects([MESH], [siliray.Instance(**fields)]),
        dict(object=0, transform=np.eye(4), mask=1, custom_index=2, flags=1),
    ),
    "Geometry": (
        lambda **fields: siliray.Scene.from_geometries([siliray.Geometry(**fields)]),
        dict(vertices=CORNERS, faces=FACES, name="a", opaque=True),
    ),
    "Scene.open": (siliray.Scene.open, dict(name="organic", triangles=60)),
    "Scene.from_bytes": (siliray.Scene.from_bytes, dict(data=IMAGE.to_bytes(), name="a.rra")),
    "Scene.of": (lambda scene: siliray.Scene.of(scene), dict(scene=SCENE)),
    "Tracer": (
        siliray.Tracer,
        dict(
            scene=SCENE, mode="prepared", rule="watertight", threads=1, preset="fast",
            kernel="plain",
        ),
    ),
    "Tracer.load": (
        siliray.Tracer.load,
        dict(path="nowhere.tracer", scene=SCENE, kernel="plain", threads=1),
    ),
    "refit": (
        siliray.Tracer(siliray.Scene(CORNERS, FACES)).refit, dict(moved=CORNERS, limit=2.0)
    ),
    "with_threads": (TRACER.with_threads, dict(threads=1)),
    "generate": (TRACER.generate, dict(generator=CAMERA, first=0, count=2)),
    **{
        name: (
            getattr(TRACER, name),
            dict(origins=ORIGIN, directions=DIRECTION, tmin=0.0, tmax=9.0, mask=1, cull="back"),
        )
        for name in ("closest", "any", "count", "all")
    },
    "columns": (EVERY.columns, dict(positions=True, normals=False)),
    "table": (EVERY.table, dict(positions=True, normals=False)),
    "all.of": (EVERY.of, dict(number=0)),
    "nearest_point": (TRACER.nearest_point, dict(points=ORIGIN, within=5.0, mask=1)),
    "touches": (TRACER.touches, dict(shapes=siliray.Spheres(ORIGIN, 9), exact=True, mask=1)),
    "first_contact": (TRACER.first_contact, dict(shapes=siliray.Spheres(ORIGIN, 9), exact=True)),
    "contacts": (TRACER.contacts, dict(shapes=siliray.Spheres(ORIGIN, 9), mask=1)),
    "Spheres": (siliray.Spheres, dict(centers=ORIGIN, radii=1.0)),
    "Beams": (siliray.Beams, dict(start=[0, 0, 0, 1, 1, 1], end=[2, 0, 0, 3, 1, 1])),
    "Frusta": (
        siliray.Frusta,
        dict(eyes=ORIGIN, forward=DIRECTION, right=[1, 0, 0], up=[0, 1, 0], near=0.1, far=9.0),
    ),
    "Image.open": (siliray.Image.open, dict(path=__file__, structure=None, raw=None)),
    "Image.from_bytes": (
        siliray.Image.from_bytes,
        dict(data=IMAGE.to_bytes(), name="a.rra", structure=None, raw=None),
    ),
    "RawMemory": (
        lambda **fields: siliray.Image.from_bytes(b"", raw=siliray.RawMemory(**fields)),
        dict(base=64, root=5, primitive_base=64, format="gfx12", writer=None),
    ),
    "build": (
        siliray.build,
        dict(
            scene=SCENE, format="gfx12", preset="fast", settings={"policy": "radv"}, width=4,
            max_leaf=2, ending="rra",
        ),
    ),
    "check": (siliray.check, dict(image=IMAGE, scene=SCENE)),
    "inspect": (siliray.inspect, dict(image=IMAGE, tree=True, depth=1)),
    **{
        f"inspect.{name}": (lambda name=name, **one: siliray.inspect(IMAGE, **one), {name: value})
        for name, value in dict(node=ROOT, primitive=1, offset=1, point=[0, 0, 0]).items()
    },
    "intersect": (
        siliray.intersect,
        dict(
            image=IMAGE, node=ROOT, origin=[0, 0, 9], direction=[0, 0, -1], extent=9.0, mask=1,
            resource=None, flags=(),
        ),
    ),
    "diff": (siliray.diff, dict(first=IMAGE, second=IMAGE, limit=1)),
    "vectors": (siliray.vectors, dict(files="nowhere.json")),
    "walk": (
        siliray.walk,
        dict(
            scene=IMAGE, origin=[0, 0, 9], direction=[0, 0, -1], tmin=0.0, tmax=9.0, hits="closest",
            mask=1, steps=(0, 9), why=1, against=None, machine="gfx12-gpurt", format=None,
            rebuild=False, preset=None, rule="watertight", stack_size=16,
        ),
    ),
    "walk.pixel": (siliray.walk, dict(scene=SCENE, pixel=(1, 1), size=(8, 8), camera=None)),
    "walk.shape": (siliray.walk, dict(scene=SCENE, shape=siliray.Spheres(ORIGIN, 9), exact=True)),
    "compare": (
        siliray.compare,
        dict(scenes=SCENE, formats=["ttu"], presets=["fast"], machines=["ttu"], rays=256),
    ),
    "simulate": (
        siliray.simulate,
        dict(
            scene=SCENE, config="patent", sweep={"slots": [8]}, workload="primary", rays=4,
            camera=None, format="ttu", preset="fast", rebuild=False, false_positives=False,
        ),
    ),
    "simulate.queries": (
        lambda queries: siliray.simulate(SCENE, queries=queries), dict(queries="nowhere.npy")
    ),
    "simulate.config": (
        lambda **config: siliray.simulate(SCENE, config, rays=4), dict(slots=8, base="patent")
    ),
    "simulate.sweep": (
        lambda **sweep: siliray.simulate(SCENE, sweep=sweep, rays=4), dict(slots=[8])
    ),
    "conformance": (
        # Without cells, all of the law is tried, which takes long.
        lambda only, **law: siliray.conformance(
            only=CELLS if isinstance(only, list) and not only else only, **law
        ),
        dict(seed=1, rays=4, only=CELLS, stack_size=16),
    ),
    "conformance.images": (
        lambda images: images is None or siliray.conformance(images, rays=4), dict(images=IMAGE)
    ),
    "clearance": (siliray.clearance, dict(scene=SCENE, part=MESH, along=[0, 0, 1])),
    "render": (
        siliray.render,
        dict(
            scene=SCENE, size=(8, 6), samples=1, heatmap="boxes", scale=9, losses=False,
            camera=None, machine=None, format=None, rebuild=False, preset=None,
            rule="watertight", stack_size=None,
        ),
    ),
    "isbe.info": (isbe.info, dict(dump=DUMP)),
    "isbe.check": (isbe.check, dict(dump=DUMP)),
    "isbe.inspect": (isbe.inspect, dict(dump=DUMP, workgroup=0, offset=0)),
    "isbe.layout": (
        isbe.layout,
        dict(
            attributes=["POSITION"], vertices=64, primitive_attributes=(), primitives=4,
            topology="triangles", shared_lines=0,
        ),
    ),
    "isbe.assemble": (isbe.assemble, dict(text="AST a[0x70], R1, R0;", sm=86)),
    "isbe.disassemble": (isbe.disassemble, dict(program=b"", sm=86)),
    "isbe.mesh": (isbe.mesh, dict(dump=DUMP, position="POSITION", inverse_view_projection=None)),
    "isbe.capture": (
        isbe.capture, dict(scene=SCENE, sm=86, vertices=64, primitives=64, position="POSITION")
    ),
    "isbe.run": (
        isbe.run,
        dict(
            program="AST a[0x70], R1, R0;", registers={"R0": "lane", "R1": 7}, lanes=4, share=False,
            patch=0, prim=0, stage="mesh", sm=86, attributes=["POSITION"], vertices=32, inputs=(),
            input_vertices=32, primitive_attributes=(), primitives=32, topology="triangles",
        ),
    ),
    "Camera": (
        lambda **fields: TRACER.generate(generators.Camera(**fields)),
        dict(
            eye=(0, 1, 3), at=(0, 1, 0), fov=60, width=4, height=3, up=(0, 1, 0), samples=1, seed=0
        ),
    ),
    "Lidar": (
        lambda **fields: TRACER.generate(generators.Lidar(**fields)),
        dict(
            path=[(0, 0, 0), (1, 0, 0)], sweeps=2, azimuths=4, elevations=[0.0], up=(0, 0, 1),
            forward=(1, 0, 0), reach=None,
        ),
    ),
    "Occlusion": (
        lambda **fields: TRACER.generate(generators.Occlusion(**fields)),
        dict(samples=2, seed=0, reach=None),
    ),
    "Scatter": (
        lambda **fields: TRACER.generate(generators.Scatter(**fields), 0, 2),
        dict(low=(0, 0, 0), high=(1, 1, 1), seed=0),
    ),
    "trimesh": (
        siliray.trimesh.RayMeshIntersector(MESH).intersects_id,
        dict(
            ray_origins=ORIGIN, ray_directions=DIRECTION, multiple_hits=True, max_hits=3,
            return_locations=True,
        ),
    ),
    "trimesh.threads": (
        lambda threads: siliray.trimesh.RayMeshIntersector(MESH, threads=threads), dict(threads=1)
    ),
    "trimesh.any": (TRIMESH.intersects_any, dict(ray_origins=ORIGIN, ray_directions=DIRECTION)),
    "trimesh.first": (TRIMESH.intersects_first, dict(ray_origins=ORIGIN, ray_directions=DIRECTION)),
    "trimesh.contains": (TRIMESH.contains_points, dict(points=ORIGIN)),
    "open3d": (siliray.open3d.RaycastingScene, dict(nthreads=0, device=None)),
    "open3d.add": (
        lambda **mesh: siliray.open3d.RaycastingScene().add_triangles(**mesh),
        dict(vertex_positions=CORNERS, triangle_indices=FACES),
    ),
    "open3d.add_mesh": (
        lambda mesh: siliray.open3d.RaycastingScene().add_triangles(mesh), dict(mesh=MESH)
    ),
    "open3d.cast": (OPEN3D.cast_rays, dict(rays=RAYS, nthreads=1)),
    "open3d.occlusions": (
        OPEN3D.test_occlusions, dict(rays=RAYS, tnear=0.0, tfar=9.0, nthreads=1)
    ),
    "open3d.count": (OPEN3D.count_intersections, dict(rays=RAYS, nthreads=1)),
    "open3d.list": (OPEN3D.list_intersections, dict(rays=RAYS, nthreads=1)),
    "open3d.occupancy": (
        OPEN3D.compute_occupancy, dict(query_points=ORIGIN, nthreads=1, nsamples=1)
    ),
    "open3d.signed": (
        OPEN3D.compute_signed_distance, dict(query_points=ORIGIN, nthreads=1, nsamples=1)
    ),
    "open3d.closest": (OPEN3D.compute_closest_points, dict(query_points=ORIGIN, nthreads=1)),
    "open3d.pinhole": (
        OPEN3D.create_rays_pinhole,
        dict(fov_deg=60, center=[0, 0, 0], eye=[0, 0, 5], up=[0, 1, 0], width_px=4, height_px=3),
    ),
    "open3d.matrices": (
        OPEN3D.create_rays_pinhole,
        dict(
            intrinsic_matrix=np.eye(3), extrinsic_matrix=np.eye(4), width_px=4, height_px=3
        ),
    ),
    "generated": (
        dataframe.generated, dict(generator=CAMERA, count=12, first=0, rays_per_row=4)
    ),
    "cast_rays": (
        dataframe.cast_rays,
        dict(
            frame=TABLE, scene=(CORNERS, FACES), query="closest", reduce=None, mode=None,
            rule="watertight", mask=1, cull=None, workers=1, threads=1, batch_size=1,
        ),
    ),
    "frame.simulate": (
        dataframe.simulate,
        dict(frame=pa.table({"config": ["patent"]}), scene=SCENE, workers=1, rays=4),
    ),
    "frame.check": (dataframe.check, dict(frame=pa.table({"file": ["nowhere"]}), workers=1)),
    "Visibility": (dataframe.Visibility, dict(samples=1)),
    "Histogram": (dataframe.Histogram, dict(low=0.0, high=1.0, bins=4)),
}

#: What the text may say instead of the argument's name.
ALSO = {
    "directions": ("rays",),
    "first": ("image",),
    "second": ("image",),
    "part": ("scene",),
    "scenes": ("scene", "zz"),
    "instances": ("instance",),
    "geometries": ("mesh", "vertices", "faces"),
    "objects": ("mesh", "vertices", "faces", "object 0"),
    "against": ("machine",),
    "machines": ("machine",),
    "presets": ("preset",),
    "formats": ("format",),
    "images": ("image", "zz"),
    "files": ("nowhere",),
    "name": ("triangles",),
    "data": ("a.rra",),
    "settings": ("setting",),
    "base": ("configuration",),
    "heatmap": ("scale",),
    "text": ("line 1",),
    "program": ("bytes", "line 1"),
    "registers": ("register",),
    "vertices": ("vertex",),
    "vertex_positions": ("vertex",),
    "moved": ("scene", "vertices", "vertex"),
    "scene": ("nowhere.tracer",),
    "kernel": ("nowhere.tracer",),
    "threads": ("nowhere.tracer",),
    "fov": ("field of view",),
}


@pytest.mark.parametrize("name", CALLS)
def test_wrong_values_are_named(name: str) -> None:
    call, right = CALLS[name]
    try:
        call(**right)
    except siliray.Error:
        assert any("nowhere" in str(value) for value in right.values()) or name == "RawMemory"
    faults = []
    for argument in right:
        for value in WRONG:
            try:
                call(**(right | {argument: value}))
            except siliray.Error as error:
                text = str(error)
                names = (argument, *ALSO.get(argument, ()))
                is_file = isinstance(error, siliray.FileError) and str(value) in text
                if "\n" in text or not (is_file or any(one in text for one in names)):
                    faults.append(f"{argument}={value!r}: {type(error).__name__}: {text}")
            except Exception as error:
                faults.append(f"{argument}={value!r}: {type(error).__name__}: {error}")
    assert not faults, f"{len(faults)} faults:\n" + "\n".join(faults)


def test_options_without_meaning_are_refused() -> None:
    for call, text in (
        (lambda: siliray.build(SCENE, format="ttu", ending="zz"), 'no ending "zz"'),
        (lambda: siliray.build(SCENE, format="gfx12", ending="zz"), "rra, gamma, bin"),
        (lambda: siliray.build(SCENE, ending="rra"), "ending: "),
        (lambda: siliray.simulate(SCENE, sweep={"slots": "16"}, rays=4), "sweep: slots"),
        (lambda: TRACER.any(np.array([[True] * 3]), DIRECTION), "origins: .* type bool"),
        (lambda: siliray.Scene(np.ones((3, 3), bool), FACES), "vertices: .* type bool"),
        (lambda: dataframe.simulate(TABLE, SCENE, slots=3), "slots: no such option"),
        (lambda: siliray.Image.from_bytes(5), "data: "),
        (lambda: siliray.Scene.open("organic", triangles=2**40), "triangles: "),
        (lambda: siliray.compare(SCENE, rays=2**40), "rays: "),
        (lambda: siliray.conformance(IMAGE, only=["format=ttu"]), "only: .* images"),
        (lambda: siliray.simulate(SCENE, rays=2**40), "rays: "),
        (lambda: dataframe.generated(CAMERA, 2**60, rays_per_row=1), "rays_per_row: "),
        (lambda: dataframe.Histogram(0, 1, 2**40), "bins: "),
        (lambda: dataframe.cast_rays(TABLE.to_pandas(), SCENE), r"found pandas.*DataFrame, exp"),
        (lambda: siliray.render(SCENE, size=(2**31, 2**31)), "2147483648x"),
    ):
        with pytest.raises(siliray.Error, match=text):
            call()


def test_an_image_goes_to_another_process(tmp_path: Path) -> None:
    capture = tmp_path / "a.rra"
    IMAGE.save(capture)
    for image in (IMAGE, siliray.Image.open(capture), siliray.Image.from_bytes(b"broken", "b.rra")):
        again = pickle.loads(pickle.dumps(image))
        assert (again.name, again.format, again.to_bytes()) == (
            image.name, image.format, image.to_bytes()
        )
    raw = siliray.RawMemory(base=0x40, root=5)
    memory = siliray.Image.from_bytes(bytes(4096), raw=raw)
    again = pickle.loads(pickle.dumps(memory))
    assert siliray.inspect(again)["root"] == siliray.inspect(memory)["root"]
    stored = pickle.loads(pickle.dumps(IMAGE.scene()))
    assert stored.format == "gfx12" and stored.triangles == SCENE.triangles


def test_a_scene_is_sent_as_it_was_made() -> None:
    corners = np.array(CORNERS, np.float32)
    scene = siliray.Scene(corners, FACES, name="a")
    corners[:] = 7
    assert np.array_equal(pickle.loads(pickle.dumps(scene)).bounds, [[0, 0, 0], [2, 3, 0]])
    place = [[1, 0, 0, 5], [0, 1, 0, 0], [0, 0, 1, 0]]
    placed = siliray.Scene.from_objects(
        [[MESH, siliray.Geometry(CORNERS, FACES, "b", opaque=False)]],
        [siliray.Instance(0, place, mask=3, custom_index=4, flags=2)],
    )
    again = pickle.loads(pickle.dumps(placed))
    assert again._native.to_arrays()[2] == placed._native.to_arrays()[2]
    assert again._native.to_arrays()[1][0][1][2:] == ("b", False)
    mesh = pickle.loads(pickle.dumps(isbe.mesh(DUMP)))
    assert mesh.triangles == SCENE.triangles
