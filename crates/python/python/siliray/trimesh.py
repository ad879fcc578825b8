"""The ray queries of trimesh, answered by siliray.

>>> import siliray.trimesh
>>> square = siliray.Geometry([[0, 0, 0], [2, 0, 0], [2, 3, 0], [0, 3, 0]], [[0, 1, 2], [0, 2, 3]])
>>> ray = siliray.trimesh.RayMeshIntersector(square)
>>> ray.intersects_first([[1.5, 1, 5], [9, 9, 5]], [[0, 0, -1], [0, 0, -1]])
array([ 0, -1], dtype=int32)

With trimesh, `mesh.ray = siliray.trimesh.RayMeshIntersector(mesh)` gives `mesh.ray` and
`mesh.contains` to siliray. This module does not need trimesh itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays, _native, _options, _places
from ._hits import MISS, AllHits
from ._inside import inside
from ._lazy import lazy
from ._scene import Scene, mesh_arrays
from ._tracer import MOST_THREADS, Tracer
from .errors import RangeError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class RayMeshIntersector:
    """Ray queries of a mesh, with the names, arguments and results of trimesh's.

    `geometry` is a mesh of trimesh, or anything else with vertices and faces; when a mesh of
    trimesh changes, the next query sees it. `scale_to_box` is there for trimesh's sake: nothing
    needs scaling here. `threads` is how many work at once, all processors by default.

    What differs from trimesh: no hit is lost or doubled; there is no limit to the hits of a ray
    unless `max_hits` sets one; the hits of a ray follow each other, the closest first; one origin
    may serve all directions, or one direction all origins.

    >>> import siliray
    >>> corners = [[0, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 1], [2, 0, 1], [0, 3, 1]]
    >>> mesh = siliray.Geometry(corners, [[0, 1, 2], [3, 4, 5]])
    >>> ray = RayMeshIntersector(mesh)
    >>> locations, index_ray, index_tri = ray.intersects_location([[0.5, 0.5, 9]], [[0, 0, -1]])
    >>> locations
    array([[0.5, 0.5, 1. ],
           [0.5, 0.5, 0. ]])
    >>> index_ray, index_tri
    (array([0, 0]), array([1, 0]))
    """

    def __init__(
        self, geometry: Any, scale_to_box: bool = True, *, threads: int | None = None
    ) -> None:
        self.mesh = geometry
        self._scale_to_box = scale_to_box
        self._threads = _options.optional_integer(threads, "threads", 1, MOST_THREADS)
        self._world: _World | None = None

    @overload
    def intersects_id(
        self,
        ray_origins: ArrayLike,
        ray_directions: ArrayLike,
        multiple_hits: bool = True,
        max_hits: int | None = None,
        return_locations: Literal[False] = False,
    ) -> tuple[Integers, Integers]: ...
    @overload
    def intersects_id(
        self,
        ray_origins: ArrayLike,
        ray_directions: ArrayLike,
        multiple_hits: bool = True,
        max_hits: int | None = None,
        *,
        return_locations: Literal[True],
    ) -> tuple[Integers, Integers, Floats]: ...
    @overload
    def intersects_id(
        self,
        ray_origins: ArrayLike,
        ray_directions: ArrayLike,
        multiple_hits: bool = True,
        max_hits: int | None = None,
        return_locations: bool = False,
    ) -> tuple[Integers, Integers] | tuple[Integers, Integers, Floats]: ...
    def intersects_id(
        self,
        ray_origins: ArrayLike,
        ray_directions: ArrayLike,
        multiple_hits: bool = True,
        max_hits: int | None = None,
        return_locations: bool = False,
    ) -> tuple[Integers, Integers] | tuple[Integers, Integers, Floats]:
        """The triangles that rays hit: `index_tri` and `index_ray`, and if `return_locations` also
        `locations`. Each place counts once: of a ray through an edge one triangle is listed.
        (`siliray.Tracer` lists all.)

        >>> import siliray
        >>> corners = [[0, 0, 0], [2, 0, 0], [2, 3, 0], [0, 3, 0]]
        >>> ray = RayMeshIntersector(siliray.Geometry(corners, [[0, 1, 2], [0, 2, 3]]))
        >>> ray.intersects_id([[1, 1.5, 9]], [[0, 0, -1]])
        (array([0]), array([0]))
        >>> ray.intersects_id([[1, 1.5, 9]], [[0, 0, -1]], return_locations=True)
        (array([0]), array([0]), array([[1. , 1.5, 0. ]]))
        """
        if max_hits is not None:
            max_hits = _options.integer(max_hits, "max_hits", 0, 2**62)
        multiple_hits = _options.truth(multiple_hits, "multiple_hits")
        return_locations = _options.truth(return_locations, "return_locations")
        world = self._now()
        rays = world.rays(ray_origins, ray_directions)
        if max_hits == 0:
            rays = rays[0][:0], rays[1][:0]
        return _held(rays, lambda origins, directions: self._ids(
            world, origins, directions, multiple_hits, max_hits, return_locations
        ))

    def _ids(
        self,
        world: _World,
        origins: _arrays.Array,
        directions: _arrays.Array,
        multiple_hits: bool,
        max_hits: int | None,
        return_locations: bool,
    ) -> tuple[Integers, Integers] | tuple[Integers, Integers, Floats]:
        if return_locations and not multiple_hits:
            return world.first_locations(origins, directions)
        if multiple_hits:
            every = world.tracer.all(world.moved(origins), directions)
            index_tri, index_ray, t = every.primitive, every.ray, every.t
            is_wanted = world.are_wanted(every, directions, max_hits)
            if not is_wanted.all():
                index_tri, index_ray, t = index_tri[is_wanted], index_ray[is_wanted], t[is_wanted]
        else:
            hits = world.tracer.closest(world.moved(origins), directions)
            index_tri, t = hits.primitive, hits.t
            index_ray = np.flatnonzero(index_tri != MISS)
            if len(index_ray) < len(t):
                index_tri, t = index_tri[index_ray], t[index_ray]
        if not return_locations:
            return index_tri.astype(np.int64), index_ray
        locations = world.locations((origins, directions), index_ray, (index_tri, t))
        return index_tri.astype(np.int64), index_ray, locations

    def intersects_location(
        self, ray_origins: ArrayLike, ray_directions: ArrayLike, multiple_hits: bool = True
    ) -> tuple[Floats, Integers, Integers]:
        """Where rays hit: `locations`, (M, 3), `index_ray` and `index_tri`. Each place counts once,
        however many triangles meet there. A location lies on the plane of its triangle as exactly
        as doubles allow.

        >>> import siliray
        >>> corners = [[0, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 1], [2, 0, 1], [0, 3, 1]]
        >>> ray = RayMeshIntersector(siliray.Geometry(corners, [[0, 1, 2], [3, 4, 5]]))
        >>> ray.intersects_location([[0.5, 0.5, 9]], [[0, 0, -1]], multiple_hits=False)
        (array([[0.5, 0.5, 1. ]]), array([0]), array([1]))
        """
        index_tri, index_ray, locations = self.intersects_id(
            ray_origins, ray_directions, multiple_hits, return_locations=True
        )
        return locations, index_ray, index_tri

    def intersects_first(
        self, ray_origins: ArrayLike, ray_directions: ArrayLike
    ) -> NDArray[np.int32]:
        """The first triangle of each ray, (N,); -1 where there is none.

        >>> import siliray
        >>> corners = [[0, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 1], [2, 0, 1], [0, 3, 1]]
        >>> ray = RayMeshIntersector(siliray.Geometry(corners, [[0, 1, 2], [3, 4, 5]]))
        >>> ray.intersects_first([[0.5, 0.5, 9], [9, 9, 9]], [[0, 0, -1]])
        array([ 1, -1], dtype=int32)
        """
        world = self._now()
        hits = _held(
            world.rays(ray_origins, ray_directions),
            lambda origins, directions: world.tracer.closest(world.moved(origins), directions),
        )
        # What a miss has for an id is -1 when it is read with its sign.
        return hits.primitive.view(np.int32)

    def intersects_any(
        self, ray_origins: ArrayLike, ray_directions: ArrayLike
    ) -> NDArray[np.bool_]:
        """Whether each ray hits the mesh, (N,).

        >>> import siliray
        >>> mesh = siliray.Geometry([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]])
        >>> RayMeshIntersector(mesh).intersects_any([[0.5, 0.5, 9], [9, 9, 9]], [[0, 0, -1]])
        array([ True, False])
        """
        world = self._now()
        return _held(
            world.rays(ray_origins, ray_directions),
            lambda origins, directions: world.tracer.any(world.moved(origins), directions),
        )

    def contains_points(self, points: ArrayLike) -> NDArray[np.bool_]:
        """Whether each point, (N, 3), lies inside the mesh, which should be closed. Points on the
        surface may be either.

        >>> import siliray
        >>> corners = [[x, y, z] for x in (0, 2) for y in (0, 3) for z in (0, 4)]
        >>> faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1]]
        >>> faces += [[2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
        >>> box = RayMeshIntersector(siliray.Geometry(corners, faces))
        >>> box.contains_points([[1, 1, 1], [1, 1, 5]])
        array([ True, False])
        """
        world = self._now()
        table = _arrays.table(points, "points", 3)
        return inside(world.tracer, world.moved(table))

    def _now(self) -> _World:
        """What is traced, of the mesh as it is now."""
        version = _version(self.mesh)
        world = self._world
        if world is None or world.version != version:
            world = self._world = _World(self.mesh, version, self._threads)
        return world

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_world": None}

    def __copy__(self) -> RayMeshIntersector:
        return RayMeshIntersector(self.mesh, self._scale_to_box, threads=self._threads)

    def __deepcopy__(self, memo: object) -> RayMeshIntersector:
        return self.__copy__()


Answer = TypeVar("Answer")


def _held(
    rays: tuple[_arrays.Array, _arrays.Array],
    ask: Callable[[_arrays.Array, _arrays.Array], Answer],
) -> Answer:
    """An answer about rays. It says nothing of lengths of directions, so those that single floats
    cannot hold are asked about again, with other lengths."""
    origins, directions = rays
    try:
        return ask(origins, directions)
    except RangeError:
        wide = directions.astype(np.float64)
        _, exponents = np.frexp(np.abs(wide).max(axis=1, keepdims=True))
        return ask(origins, np.ldexp(wide, -exponents))


def _version(mesh: Any) -> int:
    """Meshes of trimesh are hashed by what they hold."""
    try:
        return hash(mesh)
    except TypeError:
        return id(mesh)


class _World:
    """A mesh that can be traced.

    The tracer's numbers are single floats, a mesh's are doubles. A mesh that lies farther away than
    it is large is moved to where single floats are dense, with the rays; so is the origin of a ray
    that comes from far away."""

    def __init__(self, mesh: Any, version: int, threads: int | None) -> None:
        self.version = version
        vertices, faces = mesh_arrays(mesh)
        self._vertices = np.asarray(_arrays.table(vertices, "vertices", 3), np.float64)
        self._faces = _arrays.triangles(faces, "faces")
        self._shift: Floats | None = None
        self._size = 0.0
        if len(self._vertices):
            low, high = self._vertices.min(axis=0), self._vertices.max(axis=0)
            middle = (low + high) / 2
            self._bounds, self._size = np.array([low, high]), float((high - low).max())
            if np.abs(middle).max() > self._size > 0:
                self._shift = middle
        self.tracer = Tracer(Scene(self.moved(self._vertices), self._faces), threads=threads)

    def moved(self, points: _arrays.Array) -> _arrays.Array:
        return points if self._shift is None else points - self._shift

    def rays(
        self, ray_origins: ArrayLike, ray_directions: ArrayLike
    ) -> tuple[_arrays.Array, _arrays.Array]:
        """Origins and directions, as many of both."""
        names = "ray_origins", "ray_directions"
        if ray_directions is None:
            _options.wrong(names[1], None, "an array")
        origins, directions, _, _ = _arrays.rays(ray_origins, ray_directions, None, None, names)
        assert directions is not None
        if len(origins) and self._size > 0:
            nearer = _places.nearer(origins, directions, self._bounds, self._size)
            if nearer is not None:
                origins, _ = nearer
        return origins, directions

    def are_wanted(
        self, hits: AllHits, directions: _arrays.Array, max_hits: int | None
    ) -> _arrays.Array:
        """Which hits are returned: one at each place, and only the first so many of a ray."""
        bounds = self.tracer.scene.bounds
        first = _places.are_first(hits, directions, self._corners, bounds, by_geometry=False)
        if max_hits is not None:
            places = np.concatenate([[0], np.cumsum(first)])
            first &= places[:-1] - places[hits.offsets[hits.ray]] < max_hits
        return first

    def first_locations(
        self, origins: _arrays.Array, directions: _arrays.Array
    ) -> tuple[Integers, Integers, Floats]:
        """The first triangle of each ray that hits one, the ray, and where."""
        count = len(origins)
        places, index_ray = np.empty(3 * count), np.empty(count, np.int64)
        index_tri = np.empty(count, np.int64)
        found = _native.first_locations(
            self.tracer._native,
            (origins, directions, None, None),
            self._planes,
            (0.0, 0.0, 0.0) if self._shift is None else self._shift.tolist(),
            (places, index_ray, index_tri),
        )
        results = index_tri[:found], index_ray[:found], places[: 3 * found].reshape(-1, 3)
        if found < count // 2:
            # Not worth the memory of all rays.
            return results[0].copy(), results[1].copy(), results[2].copy()
        return results

    def locations(
        self,
        rays: tuple[_arrays.Array, _arrays.Array],
        index_ray: Integers,
        hits: tuple[NDArray[np.uint32], NDArray[np.float32]],
    ) -> Floats:
        """Where rays meet the planes of the triangles that they hit, in doubles."""
        places = np.empty(3 * len(index_ray))
        _native.locations(
            self.tracer._native, (*rays, None, None), self._planes, (index_ray, *hits), places
        )
        return places.reshape(-1, 3)

    def _corners(self, _: _arrays.Array, triangles: _arrays.Array) -> _arrays.Array:
        return self.moved(self._vertices[self._faces[triangles]])

    @lazy
    def _planes(self) -> _native.Planes:
        return _native.Planes(self._vertices, self._faces)
