"""Scenes: what is traced."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, TypeAlias, TypeGuard, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays, _options
from ._image import Image
from ._native import Scene as _Native
from .errors import ArrayError, OptionError, SceneError

#: What :meth:`Scene.of` takes: a scene, an image, a path or the name of a built-in scene, a mesh of
#: trimesh or Open3D, a scene of trimesh, or a pair of vertices and faces.
SceneLike: TypeAlias = Union["Scene", str, PathLike[str], tuple[ArrayLike, ArrayLike], Any]

#: What a geometry may be given as.
GeometryLike: TypeAlias = Union["Geometry", tuple[ArrayLike, ArrayLike], Any]


@dataclass(frozen=True, eq=False)
class Geometry:
    """A triangle mesh: one part of an object.

    >>> from siliray import Geometry
    >>> square = Geometry([[0, 0, 0], [2, 0, 0], [2, 3, 0], [0, 3, 0]], [[0, 1, 2], [0, 2, 3]])
    """

    vertices: ArrayLike
    faces: ArrayLike
    name: str = ""
    #: Whether hits count without further questions.
    opaque: bool = True


@dataclass(frozen=True, eq=False)
class Instance:
    """An object, placed in the world.

    >>> from siliray import Instance
    >>> Instance(0, [[1, 0, 0, 5], [0, 1, 0, 0], [0, 0, 1, 0]], mask=0x0F).mask
    15
    """

    #: Which object, by its position.
    object: int
    #: From the object's space to the world: (3, 4), or (4, 4) with a last row 0, 0, 0, 1.
    transform: ArrayLike = field(default_factory=lambda: np.eye(4, dtype=np.float32))
    #: Seen only by rays whose mask shares a bit with this one.
    mask: int = 0xFF
    #: A number of your own, 24 bits.
    custom_index: int = 0
    #: 1: never culled by its face; 2: front is back; 4: all opaque; 8: nothing opaque.
    flags: int = 0


class Scene:
    """Triangle meshes, perhaps placed many times; or an image of a tree, as it is stored.

    >>> import siliray
    >>> scene = siliray.Scene([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]])
    >>> scene.triangles
    1
    >>> siliray.Scene.open("interior", triangles=500)
    <siliray.Scene 'interior': 516 triangles>
    """

    __slots__ = ("_native", "_recipe")
    _native: _Native
    #: What makes the same scene elsewhere, if it is not its arrays.
    _recipe: tuple[Callable[..., Scene], tuple[Any, ...]] | None

    def __init__(self, vertices: ArrayLike, faces: ArrayLike, *, name: str = "arrays") -> None:
        name, geometry = _options.text(name, "name"), Geometry(vertices, faces)
        self._native, self._recipe = _objects(name, [[geometry]], []), None

    @classmethod
    def _wrap(
        cls, native: _Native, maker: Callable[..., Scene] | None = None, *args: Any
    ) -> Scene:
        scene = cls.__new__(cls)
        scene._native, scene._recipe = native, None if maker is None else (maker, args)
        return scene

    def __reduce__(self) -> tuple[Callable[..., Scene], tuple[Any, ...]]:
        """Scenes are sent to other processes as what they were made of: files by their names."""
        if self._recipe is not None:
            return self._recipe
        name, objects, instances = self._native.to_arrays()
        parts = [[Geometry(*geometry) for geometry in geometries] for geometries in objects]
        return _of_objects, (name, parts, [Instance(*instance) for instance in instances])

    @classmethod
    def from_geometries(
        cls, geometries: Iterable[GeometryLike], *, name: str = "arrays"
    ) -> Scene:
        """A scene that is one object with several geometries, numbered by position.

        >>> import siliray
        >>> corners = [[0, 0, 0], [2, 0, 0], [0, 3, 0]]
        >>> above = [[0, 0, 1], [2, 0, 1], [0, 3, 1]]
        >>> scene = siliray.Scene.from_geometries([(corners, [[0, 1, 2]]), (above, [[0, 1, 2]])])
        >>> siliray.Tracer(scene).closest([[0.5, 0.5, 9]], [[0, 0, -1]]).geometry
        array([1], dtype=uint32)
        """
        return _of_objects(name, [_options.listed(geometries, "geometries", "geometries")], [])

    @classmethod
    def from_objects(
        cls,
        objects: Iterable[Iterable[GeometryLike]],
        instances: Iterable[Instance],
        *,
        name: str = "arrays",
    ) -> Scene:
        """A scene of objects, each a geometry or a list of them, and where they are placed. What
        no instance places is not in the world: without instances, the scene is empty.

        >>> import siliray
        >>> mesh = siliray.Geometry([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]])
        >>> right = [[1, 0, 0, 10], [0, 1, 0, 0], [0, 0, 1, 0]]
        >>> places = [siliray.Instance(0), siliray.Instance(0, right, mask=2)]
        >>> scene = siliray.Scene.from_objects([[mesh]], places)
        >>> tracer = siliray.Tracer(scene)
        >>> tracer.closest([[10.5, 0.5, 9]], [[0, 0, -1]]).instance
        array([1], dtype=uint32)
        >>> tracer.any([[10.5, 0.5, 9]], [[0, 0, -1]], mask=1)
        array([False])
        """
        parts = [
            [one]
            if _is_mesh(one) or _is_pair(one)
            else _options.listed(one, f"objects[{number}]", "a list of geometries")
            for number, one in enumerate(_options.listed(objects, "objects", "lists of geometries"))
        ]
        placed = _options.listed(instances, "instances", "a list of Instance")
        if not placed:
            # To the library, a single object without instances is itself the world.
            _objects(name, [[part for one in parts for part in one]], [])
            parts = [[]]
        return _of_objects(name, parts, placed)

    @classmethod
    def open(cls, name: str | PathLike[str], triangles: int | None = None) -> Scene:
        """A file (OBJ, PLY, STL, glTF, a scene description, an image such as `.rra`, an ISBE dump)
        or a built-in scene: `organic`, `interior`, `hairball`, `forest`, of about so many
        `triangles`.

        >>> import pathlib, siliray, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = pathlib.Path(folder, "triangle.obj")
        ...     _ = file.write_text("v 0 0 0\\nv 2 0 0\\nv 0 3 0\\nf 1 2 3\\n")
        ...     siliray.Scene.open(file)
        <siliray.Scene 'triangle.obj': 1 triangles>
        """
        name = _options.path(name, "name")
        native = _Native.open(name, _options.optional_integer(triangles, "triangles", 1, 10**8))
        # Elsewhere the working directory is another one.
        place = os.path.abspath(name) if os.path.exists(name) else name
        return cls._wrap(native, Scene.open, place, triangles)

    @classmethod
    def from_bytes(cls, data: bytes, name: str) -> Scene:
        """What the bytes of a file called `name` hold.

        >>> import siliray
        >>> siliray.Scene.from_bytes(b"v 0 0 0\\nv 2 0 0\\nv 0 3 0\\nf 1 2 3\\n", "a.obj").triangles
        1
        """
        data, name = _options.data(data, "data"), _options.text(name, "name")
        return cls._wrap(_Native.from_bytes(name, data), Scene.from_bytes, data, name)

    @classmethod
    def of(cls, thing: SceneLike) -> Scene:
        """A scene of whatever describes one: see :data:`SceneLike`.

        In a scene of trimesh, each mesh is an object and each node of the graph that places one is
        an instance: hit `n` of `hits.instance` is `list(scene.graph.nodes_geometry)[n]`, if all of
        them are meshes. Paths and clouds of points have no triangles and are left out.

        >>> import siliray
        >>> siliray.Scene.of(([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]])).triangles
        1
        """
        if isinstance(thing, Scene):
            return thing
        if isinstance(thing, Image):
            return cls._wrap(_Native.from_image(thing._native), Scene.of, thing)
        if isinstance(thing, (str, PathLike)):
            return cls.open(thing)
        if hasattr(thing, "graph") and hasattr(thing, "geometry"):
            return _trimesh_scene(thing)
        if not (_is_mesh(thing) or _is_pair(thing)):
            found = type(thing).__name__
            expected = "a scene, an image, a path, a mesh or a tuple (vertices, faces)"
            raise SceneError(f"scene: found {found}, expected {expected}")
        return cls.from_geometries([thing])

    @property
    def name(self) -> str:
        """Name of the file or of the built-in scene."""
        return self._native.name

    @property
    def format(self) -> str | None:
        """The format of an image; None for a scene."""
        return self._native.format

    @property
    def triangles(self) -> int:
        """Triangles stored, each object counted once."""
        return self._native.triangles

    @property
    def placed_triangles(self) -> int:
        """Triangles seen, each object counted as often as it is placed."""
        return self._native.placed_triangles

    @property
    def instances(self) -> int:
        """Placed copies of objects; 0 for a scene that is a single object in world space."""
        return self._native.instances

    @property
    def bounds(self) -> NDArray[np.float32] | None:
        """Smallest and largest corner in world space, (2, 3); None for an empty scene."""
        return self._native.bounds

    def __repr__(self) -> str:
        kind = "" if self.format is None else f" ({self.format})"
        return f"<siliray.Scene {self.name!r}{kind}: {self.triangles} triangles>"


def _of_objects(
    name: str, objects: Sequence[Sequence[GeometryLike]], instances: Sequence[Instance]
) -> Scene:
    return Scene._wrap(_objects(_options.text(name, "name"), objects, instances))


def _objects(
    name: str, objects: Sequence[Sequence[GeometryLike]], instances: Sequence[Instance]
) -> _Native:
    parts = [[_geometry(part) for part in parts] for parts in objects]
    return _Native.from_arrays(name, parts, [_placed(instance) for instance in instances])


def _is_mesh(thing: object) -> bool:
    return any(hasattr(thing, name) for name in ("vertices", "vertex"))


def _is_pair(thing: object) -> TypeGuard[tuple[Any, Any]]:
    """Whether it is vertices and faces, and not two geometries."""
    if not (isinstance(thing, tuple) and len(thing) == 2):
        return False
    return not any(_is_mesh(part) or _is_pair(part) for part in thing)


def _geometry(thing: GeometryLike) -> tuple[_arrays.Array, _arrays.Array, str, bool]:
    name, opaque = "", True
    if isinstance(thing, Geometry):
        vertices, faces = thing.vertices, thing.faces
        name = _options.text(thing.name, "name")
        opaque = _options.truth(thing.opaque, "opaque")
    elif _is_pair(thing):
        vertices, faces = thing
    else:
        vertices, faces = mesh_arrays(thing)
    points = _arrays.table(vertices, "vertices", 3)
    return points, _arrays.triangles(faces, "faces"), name, opaque


def mesh_arrays(thing: Any) -> tuple[ArrayLike, ArrayLike]:
    """Vertices and faces of a mesh of trimesh or Open3D, told by what it has."""
    if hasattr(thing, "vertices") and hasattr(thing, "faces"):
        return thing.vertices, thing.faces
    if hasattr(thing, "vertices") and hasattr(thing, "triangles"):
        return np.asarray(thing.vertices), np.asarray(thing.triangles)
    if hasattr(thing, "vertex") and hasattr(thing, "triangle"):
        if "positions" not in thing.vertex or "indices" not in thing.triangle:
            return np.empty((0, 3)), np.empty((0, 3), np.uint32)
        return _arrays.tensor(thing.vertex["positions"]), _arrays.tensor(thing.triangle["indices"])
    found = type(thing).__name__
    raise SceneError(f"mesh: found {found}, expected vertices and faces (or triangles)")


def _trimesh_scene(thing: Any) -> Scene:
    """Each mesh is an object, each node of the graph that places one is an instance. Paths and
    clouds of points have no triangles and are left out."""
    meshes = {name: mesh for name, mesh in thing.geometry.items() if hasattr(mesh, "faces")}
    numbers = {name: number for number, name in enumerate(meshes)}
    instances = []
    for node in thing.graph.nodes_geometry:
        transform, name = thing.graph[node]
        if name in numbers:
            instances.append(Instance(numbers[name], transform))
    objects = [[Geometry(mesh.vertices, mesh.faces, name)] for name, mesh in meshes.items()]
    return Scene.from_objects(objects, instances, name="trimesh")


def _placed(instance: Instance) -> tuple[int, list[list[float]], int, int, int]:
    if not isinstance(instance, Instance):
        _options.wrong("instances", instance, "Instance")
    rows = _arrays.floats(instance.transform, "transform")
    if rows.shape not in ((3, 4), (4, 4)):
        raise ArrayError(
            f"transform: found an array of shape {rows.shape}, expected (3, 4) or (4, 4)"
        )
    if rows.shape == (4, 4) and tuple(rows[3]) != (0.0, 0.0, 0.0, 1.0):
        raise OptionError("transform: the last row of a (4, 4) transform must be 0, 0, 0, 1")
    numbers = [[float(number) for number in row] for row in rows[:3]]
    return (
        _options.integer(instance.object, "object", 0, 2**32 - 1),
        numbers,
        _options.integer(instance.mask, "mask", 0, 0xFF),
        _options.integer(instance.custom_index, "custom_index", 0, 2**24 - 1),
        _options.integer(instance.flags, "flags", 0, 0xF),
    )
