"""The ray casting of Open3D, answered by siliray.

>>> import numpy as np
>>> from siliray.open3d import RaycastingScene
>>> scene = RaycastingScene()
>>> scene.add_triangles(
...     np.array([[0, 0, 0], [2, 0, 0], [0, 3, 0]], np.float32), np.array([[0, 1, 2]], np.uint32)
... )
0
>>> rays = np.array([[0.5, 0.5, 9, 0, 0, -1], [5, 5, 9, 0, 0, -1]], np.float32)
>>> hits = scene.cast_rays(rays)
>>> hits["t_hit"].numpy()
array([ 9., inf], dtype=float32)
>>> hits["primitive_ids"].numpy()
array([         0, 4294967295], dtype=uint32)

Tensors of Open3D in give tensors of Open3D out. Arrays in give arrays out, which have `numpy()` as
tensors have it: this module does not need Open3D itself.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _options, _pinhole, _places
from ._hits import MISS
from ._inside import MOST, inside
from ._nearest import NearestPoints
from ._scene import Scene, mesh_arrays
from ._tracer import MOST_THREADS, Tracer
from .errors import ArrayError, OptionError

#: A tensor of Open3D, or whatever NumPy makes an array of.
TensorLike: TypeAlias = Any


class Tensor(np.ndarray[Any, np.dtype[Any]]):
    """An array with what users of Open3D's tensors ask of results.

    >>> import numpy as np
    >>> np.array([1.0, np.inf]).view(Tensor).isfinite().numpy()
    array([ True, False])
    """

    def numpy(self) -> NDArray[Any]:
        """The same as a plain array."""
        return self.view(np.ndarray)

    def cpu(self) -> Tensor:
        """Itself: it is in the processor's memory."""
        return self

    def isfinite(self) -> Tensor:
        """Whether each element is finite."""
        return np.isfinite(self).view(Tensor)


class RaycastingScene:
    """Meshes that rays are cast at, with the names, arguments and results of Open3D's.

    `nthreads` is how many threads build the tree, and in each query how many answer it; 0 is one
    for each processor. Rays are tensors or arrays of shape (.., 6): origin and direction. Results
    have the shape of what was asked, (..).

    What differs from Open3D: no hit is lost or doubled; doubles, indices of any integer type and
    meshes of the older kind are taken too; the hits of a ray are listed the closest first.

    >>> scene = RaycastingScene()
    >>> scene.add_triangles([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]])
    0
    >>> scene.add_triangles([[0, 0, 1], [2, 0, 1], [0, 3, 1]], [[0, 1, 2]])
    1
    >>> scene.cast_rays([[0.5, 0.5, 9, 0, 0, -1]])["geometry_ids"].numpy()
    array([1], dtype=uint32)
    >>> scene.count_intersections([[0.5, 0.5, 9, 0, 0, -1]]).numpy()
    array([2], dtype=int32)
    """

    #: What ids are where nothing is hit.
    INVALID_ID = MISS

    def __init__(self, nthreads: int = 0, device: object = None) -> None:
        if device is not None and not str(device).upper().startswith("CPU"):
            _options.wrong("device", device, "the processor")
        self._building_threads = _threads(nthreads)
        self._meshes: list[tuple[_arrays.Array, _arrays.Array]] = []
        self._world: _World | None = None
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {"nthreads": self._building_threads or 0, "meshes": list(self._meshes)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        RaycastingScene.__init__(self, state["nthreads"])
        self._meshes = state["meshes"]

    @overload
    def add_triangles(
        self, vertex_positions: TensorLike, triangle_indices: TensorLike
    ) -> int: ...
    @overload
    def add_triangles(self, mesh: Any) -> int: ...
    def add_triangles(self, *arguments: Any, **named: Any) -> int:
        """Adds a mesh: its vertices, (N, 3), and triangles, (M, 3), or a mesh of Open3D or trimesh.
        Returns its geometry id: the first has 0.

        >>> scene = RaycastingScene()
        >>> scene.add_triangles([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]])
        0
        >>> scene.add_triangles([[0, 0, 1], [2, 0, 1], [0, 3, 1]], [[0, 1, 2]])
        1
        """
        given = _bound(
            "add_triangles", (("vertex_positions", "triangle_indices"), ("mesh",)), arguments, named
        )
        if len(given) == 2:
            vertices, faces = (_arrays.tensor(tensor) for tensor in given)
        else:
            vertices, faces = mesh_arrays(given[0])
        mesh = (
            _arrays.table(vertices, "vertex_positions", 3).copy(),
            _arrays.triangles(faces, "triangle_indices").copy(),
        )
        # What is wrong with a mesh is said when it is added.
        Scene(*mesh)
        with self._lock:
            self._meshes.append(mesh)
            return len(self._meshes) - 1

    def cast_rays(self, rays: TensorLike, nthreads: int = 0) -> dict[str, Any]:
        """The first hit of each ray: `t_hit` (inf for a miss), `geometry_ids` and `primitive_ids`
        (`INVALID_ID` for a miss), `primitive_uvs`, (.., 2), and `primitive_normals`, (.., 3), unit
        normals on the side from which the corners run counterclockwise; zero for a miss.

        >>> scene = RaycastingScene()
        >>> scene.add_triangles([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]])
        0
        >>> hits = scene.cast_rays([[[0.5, 0.75, 9, 0, 0, -1], [5, 5, 9, 0, 0, -1]]])
        >>> hits["t_hit"].numpy(), hits["primitive_uvs"].numpy()[0, 0]
        (array([[ 9., inf]], dtype=float32), array([0.25, 0.25], dtype=float32))
        """
        table, shape, wrap = _rows(rays, "rays", 6)
        world = self._now()
        hits = world.tracer.with_threads(_threads(nthreads)).closest(table)
        uvs = np.stack([hits.u, hits.v], axis=-1)
        return {
            "t_hit": wrap(hits.t.reshape(shape)),
            "geometry_ids": wrap(hits.geometry.reshape(shape)),
            "primitive_ids": wrap(hits.primitive.reshape(shape)),
            "primitive_uvs": wrap(uvs.reshape(*shape, 2)),
            "primitive_normals": wrap(
                world.normals(hits.geometry, hits.primitive).reshape(*shape, 3)
            ),
        }

    def test_occlusions(
        self, rays: TensorLike, tnear: float = 0.0, tfar: float = float("inf"), nthreads: int = 0
    ) -> Any:
        """Whether each ray hits anything between `tnear` and `tfar`.

        >>> scene = RaycastingScene()
        >>> scene.add_triangles([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]])
        0
        >>> rays = [[0.5, 0.5, 9, 0, 0, -1]]
        >>> scene.test_occlusions(rays).numpy(), scene.test_occlusions(rays, tfar=8).numpy()
        (array([ True]), array([False]))
        """
        near, far = _options.number(tnear, "tnear"), _options.number(tfar, "tfar")
        if not near >= 0:
            raise OptionError(f"tnear: found {tnear}, expected at least 0")
        table, shape, wrap = _rows(rays, "rays", 6)
        tracer = self._now().tracer.with_threads(_threads(nthreads))
        tmin = None if near == 0 else near
        tmax = None if far == float("inf") else far
        return wrap(tracer.any(table, tmin=tmin, tmax=tmax).reshape(shape))

    def count_intersections(self, rays: TensorLike, nthreads: int = 0) -> Any:
        """How often each ray meets a surface. The triangles of a mesh that share an edge or a
        corner count once for a ray through it.

        >>> scene = RaycastingScene()
        >>> corners = [[0, 0, 0], [2, 0, 0], [2, 3, 0], [0, 3, 0]]
        >>> scene.add_triangles(corners, [[0, 1, 2], [0, 2, 3]])
        0
        >>> scene.count_intersections([[1, 1.5, 9, 0, 0, -1], [5, 5, 9, 0, 0, -1]]).numpy()
        array([1, 0], dtype=int32)
        """
        table, shape, wrap = _rows(rays, "rays", 6)
        counts = np.empty(len(table), np.int32)
        for start in range(0, len(table), MOST):
            part = slice(start, start + MOST)
            counts[part] = np.diff(self._list(table[part], nthreads)["ray_splits"])
        return wrap(counts.reshape(shape))

    def list_intersections(self, rays: TensorLike, nthreads: int = 0) -> dict[str, Any]:
        """All hits of each ray, counted as :meth:`count_intersections` counts: `ray_splits`,
        (N + 1,), where the hits of each ray begin, and for each hit `ray_ids`, `t_hit`,
        `geometry_ids`, `primitive_ids` and `primitive_uvs`, (M, 2).

        >>> scene = RaycastingScene()
        >>> scene.add_triangles([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]])
        0
        >>> hits = scene.list_intersections([[5, 5, 9, 0, 0, -1], [0.5, 0.5, 9, 0, 0, -1]])
        >>> hits["ray_splits"].numpy(), hits["ray_ids"].numpy()
        (array([0, 0, 1], dtype=uint32), array([1], dtype=uint32))
        """
        table, _, wrap = _rows(rays, "rays", 6)
        return {name: wrap(column) for name, column in self._list(table, nthreads).items()}

    def compute_occupancy(
        self, query_points: TensorLike, nthreads: int = 0, nsamples: int = 1
    ) -> Any:
        """1 for each point, (.., 3), that lies inside closed meshes, 0 for others. `nsamples` is
        there for Open3D's sake: a ray through an edge or a corner is replaced by another.

        >>> scene = RaycastingScene()
        >>> corners = [[x, y, z] for x in (0, 2) for y in (0, 3) for z in (0, 4)]
        >>> faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]]
        >>> faces += [[2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
        >>> scene.add_triangles(corners, faces)
        0
        >>> scene.compute_occupancy([[1, 1, 1], [1, 1, 5]]).numpy()
        array([1., 0.], dtype=float32)
        """
        if _options.integer(nsamples, "nsamples", 1) % 2 == 0:
            raise OptionError(f"nsamples: found {nsamples}, expected an odd number")
        table, shape, wrap = _rows(query_points, "query_points", 3)
        tracer = self._now().tracer.with_threads(_threads(nthreads))
        return wrap(inside(tracer, table).astype(np.float32).reshape(shape))

    def compute_closest_points(self, query_points: TensorLike, nthreads: int = 0) -> dict[str, Any]:
        """The nearest point of the meshes for each point, (.., 3): `points`, (.., 3), with
        `geometry_ids`, `primitive_ids`, `primitive_uvs`, (.., 2), and `primitive_normals`, (.., 3).
        Of equally near triangles the first one counts.

        >>> scene = RaycastingScene()
        >>> scene.add_triangles([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]])
        0
        >>> found = scene.compute_closest_points([[0.5, 0.5, 9], [-3, 0.5, 0]])
        >>> found["points"].tolist()
        [[0.5, 0.5, 0.0], [0.0, 0.5, 0.0]]
        """
        near, shape, wrap = self._nearest(query_points, nthreads)
        uvs = np.stack([near.u, near.v], axis=-1).astype(np.float32)
        normals = self._now().normals(near.geometry, near.primitive)
        return {
            "points": wrap(near.points.astype(np.float32).reshape(*shape, 3)),
            "geometry_ids": wrap(near.geometry.reshape(shape)),
            "primitive_ids": wrap(near.primitive.reshape(shape)),
            "primitive_uvs": wrap(uvs.reshape(*shape, 2)),
            "primitive_normals": wrap(normals.reshape(*shape, 3)),
        }

    def compute_distance(self, query_points: TensorLike, nthreads: int = 0) -> Any:
        """The distance of each point, (.., 3), to the meshes; inf if there are none.

        >>> scene = RaycastingScene()
        >>> scene.add_triangles([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]])
        0
        >>> scene.compute_distance([[0.5, 0.5, -9], [-3, -4, 0]]).numpy()
        array([9., 5.], dtype=float32)
        """
        near, shape, wrap = self._nearest(query_points, nthreads)
        return wrap(near.distance.astype(np.float32).reshape(shape))

    def compute_signed_distance(
        self, query_points: TensorLike, nthreads: int = 0, nsamples: int = 1
    ) -> Any:
        """The same, negative inside closed meshes, as :meth:`compute_occupancy` has it: which way
        triangles face does not matter.

        >>> scene = RaycastingScene()
        >>> corners = [[x, y, z] for x in (0, 2) for y in (0, 3) for z in (0, 4)]
        >>> faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]]
        >>> faces += [[2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
        >>> scene.add_triangles(corners, faces)
        0
        >>> scene.compute_signed_distance([[1, 1, 0.25], [1, 1, 5]]).numpy()
        array([-0.25,  1.  ], dtype=float32)
        """
        occupied = self.compute_occupancy(query_points, nthreads, nsamples)
        near, shape, wrap = self._nearest(query_points, nthreads)
        inside = np.asarray(_arrays.tensor(occupied)).reshape(-1) > 0
        signed = np.where(inside, -near.distance, near.distance)
        return wrap(signed.astype(np.float32).reshape(shape))

    @overload
    @staticmethod
    def create_rays_pinhole(
        intrinsic_matrix: TensorLike, extrinsic_matrix: TensorLike, width_px: int, height_px: int
    ) -> Any: ...
    @overload
    @staticmethod
    def create_rays_pinhole(
        fov_deg: float,
        center: TensorLike,
        eye: TensorLike,
        up: TensorLike,
        width_px: int,
        height_px: int,
    ) -> Any: ...
    @staticmethod
    def create_rays_pinhole(*arguments: Any, **named: Any) -> Any:
        """Rays of a camera, one through the middle of each pixel: (height_px, width_px, 6).

        By matrices: the intrinsic one, (3, 3), and the extrinsic one from world to camera, (4, 4).
        Or by the horizontal angle of view in degrees, the point that is looked at, the eye and the
        direction of up, along which rows follow each other, as in Open3D: for a picture whose first
        row is at the top, give what is down. Directions reach the plane at distance 1, so that
        `t_hit` is depth.

        >>> rays = RaycastingScene.create_rays_pinhole(
        ...     fov_deg=90, center=[0, 0, 0], eye=[0, 0, 5], up=[0, 1, 0], width_px=4, height_px=2
        ... )
        >>> rays.shape, rays[0, 0].tolist()
        ((2, 4, 6), [0.0, 0.0, 5.0, 0.75, -0.25, -1.0])
        """
        given = _bound(
            "create_rays_pinhole",
            (
                ("intrinsic_matrix", "extrinsic_matrix", "width_px", "height_px"),
                ("fov_deg", "center", "eye", "up", "width_px", "height_px"),
            ),
            arguments,
            named,
        )
        width, height = (
            _options.integer(given[place], name, 1, 2**16)
            for place, name in ((-2, "width_px"), (-1, "height_px"))
        )
        if len(given) == 4:
            intrinsic = _pinhole.matrix(given[0], "intrinsic_matrix", (3, 3))
            extrinsic = _pinhole.matrix(given[1], "extrinsic_matrix", (4, 4))
            if np.linalg.det(extrinsic[:3, :3]) == 0:
                raise OptionError("extrinsic_matrix: it is singular")
        else:
            angle, center, eye, up = given[:4]
            intrinsic, extrinsic = _pinhole.camera(
                _options.number(angle, "fov_deg"), center, eye, up, width, height
            )
        return _wrap_of(*given[:-2])(_pinhole.rays(intrinsic, extrinsic, width, height))

    def _now(self) -> _World:
        """What is traced, with all meshes that were added. Nobody waits for another thread that
        makes it, as a forked process would for ever."""
        world, count = self._world, len(self._meshes)
        if world is None or world.count != count:
            world = self._world = _World(self._meshes[:count], self._building_threads)
        return world

    def _nearest(
        self, query_points: TensorLike, nthreads: int
    ) -> tuple[NearestPoints, tuple[int, ...], Callable[[_arrays.Array], Any]]:
        table, shape, wrap = _rows(query_points, "query_points", 3)
        tracer = self._now().tracer.with_threads(_threads(nthreads))
        return tracer.nearest_point(table), shape, wrap

    def _list(self, table: _arrays.Array, nthreads: int) -> dict[str, _arrays.Array]:
        world = self._now()
        tracer, bounds = world.tracer.with_threads(_threads(nthreads)), world.tracer.scene.bounds
        nearer = None
        if len(table) and bounds is not None:
            size = float((bounds[1] - bounds[0]).max())
            nearer = _places.nearer(table[:, :3], table[:, 3:], bounds, size)
        hits = tracer.all(table) if nearer is None else tracer.all(nearer[0], table[:, 3:])
        first = _places.are_first(
            hits, table[:, 3:], world.corners, bounds, by_geometry=True
        )
        t = hits.t[first]
        if nearer is not None:
            t = (t + nearer[1][hits.ray[first]]).astype(np.float32)
        splits = np.concatenate([[0], np.cumsum(first)])[hits.offsets]
        return {
            "ray_splits": splits.astype(np.uint32),
            "ray_ids": hits.ray[first].astype(np.uint32),
            "t_hit": t,
            "geometry_ids": hits.geometry[first],
            "primitive_ids": hits.primitive[first],
            "primitive_uvs": np.stack([hits.u[first], hits.v[first]], axis=-1),
        }


class _World:
    """Meshes that can be traced."""

    def __init__(
        self, meshes: list[tuple[_arrays.Array, _arrays.Array]], threads: int | None
    ) -> None:
        self.tracer = Tracer(Scene.from_geometries(meshes), threads=threads)
        self.count, self._meshes = len(meshes), meshes
        counts = [len(faces) for _, faces in meshes]
        self._starts = np.cumsum([0, *counts])
        # The last row is that of a miss.
        self._normals = np.zeros((self._starts[-1] + 1, 3), np.float32)
        for (vertices, faces), start in zip(meshes, self._starts):
            self._normals[start : start + len(faces)] = _unit_normals(vertices, faces)

    def corners(self, geometry: _arrays.Array, primitive: _arrays.Array) -> _arrays.Array:
        """The corners of triangles, (N, 3, 3), in doubles."""
        corners = np.empty((len(geometry), 3, 3))
        for number in np.unique(geometry):
            of_it = geometry == number
            vertices, faces = self._meshes[number]
            corners[of_it] = vertices[faces[primitive[of_it]]]
        return corners

    def normals(self, geometry: _arrays.Array, primitive: _arrays.Array) -> _arrays.Array:
        rows = primitive
        if len(self._starts) > 2:
            starts = np.take(self._starts, geometry, mode="clip")
            rows = np.where(primitive == MISS, len(self._normals) - 1, starts + primitive)
        return np.take(self._normals, rows, axis=0, mode="clip")


def _unit_normals(vertices: _arrays.Array, faces: _arrays.Array) -> NDArray[np.float64]:
    a, b, c = (vertices[faces[:, corner]].astype(np.float64) for corner in range(3))
    normals: NDArray[np.float64] = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    np.divide(normals, lengths, out=normals, where=lengths > 0)
    return normals


def _threads(nthreads: int) -> int | None:
    return _options.integer(nthreads, "nthreads", 0, MOST_THREADS) or None


def _is_open3d(thing: object) -> bool:
    return type(thing).__module__.startswith("open3d")


def _wrap_of(*things: object) -> Callable[[_arrays.Array], Any]:
    """What makes results of the kind that was asked with."""
    if any(_is_open3d(thing) for thing in things):
        return sys.modules["open3d"].core.Tensor.from_numpy  # type: ignore[no-any-return]
    return lambda array: array.view(Tensor)


def _rows(
    values: TensorLike, name: str, columns: int
) -> tuple[_arrays.Array, tuple[int, ...], Callable[[_arrays.Array], Any]]:
    """A table of so many columns, the shape of what was asked, and how to return results."""
    array = _arrays.floats(_arrays.tensor(values), name)
    if array.shape == (0,):
        array = array.reshape(0, columns)
    if array.ndim == 0 or array.shape[-1] != columns:
        raise ArrayError(f"{name}: found an array of shape {array.shape}, expected (.., {columns})")
    return array.reshape(-1, columns), array.shape[:-1], _wrap_of(values)


def _bound(
    what: str, kinds: tuple[tuple[str, ...], ...], arguments: tuple[Any, ...], named: dict[str, Any]
) -> list[Any]:
    """The arguments of one of several kinds of calls, in its order."""
    for names in kinds:
        rest = names[len(arguments) :]
        if len(arguments) <= len(names) and set(rest) == set(named):
            return [*arguments, *(named[name] for name in rest)]
    expected = " or ".join(f"({', '.join(names)})" for names in kinds)
    raise TypeError(f"{what}() takes {expected}")
