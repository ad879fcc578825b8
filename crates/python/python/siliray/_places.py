"""Places: where a ray meets a surface, perhaps several triangles of it at an edge or a corner."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ._arrays import Array
from ._hits import AllHits

#: A hit this close to an edge, as a share of the triangle, is on it.
EDGE = 2.0**-22

#: Two hits on edges may be at one place if their parameters are no farther apart than this share of
#: the distance and of the scene's largest coordinate: somewhat more than rounding can part them.
_NEAR = 2.0**-20

#: They are if each lies in the plane of the other's triangle, but for this share of the scene's
#: largest coordinate: what rounding makes of a corner on another triangle's edge.
_APART = 2.0**-23

#: The corners, (N, 3, 3), of triangles by their geometries and numbers, in doubles.
Corners: TypeAlias = Callable[[Array, Array], Array]


#: Rays that begin farther from the middle of a scene than so many times its size are moved.
_FAR = 16.0


def nearer(
    origins: Array, directions: Array, bounds: Array, size: float
) -> tuple[Array, Array] | None:
    """Origins of rays in doubles, moved along them to where single floats can tell the parts of a
    scene with these bounds apart, and by how much of the directions. None if all are near."""
    reach = _FAR * size
    if np.abs(bounds).max() < reach and -reach <= origins.min() and origins.max() <= reach:
        return None
    middle = bounds.mean(axis=0)
    is_far = ~(np.abs(origins - middle).max(axis=1) <= reach)
    if not is_far.any():
        return None
    moved, by = origins.astype(np.float64), np.zeros(len(origins))
    with np.errstate(all="ignore"):
        steps = directions[is_far].astype(np.float64)
        lengths = np.abs(steps).max(axis=1)
        steps /= lengths[:, np.newaxis]
        square = (steps * steps).sum(axis=1)
        along = ((middle - moved[is_far]) * steps).sum(axis=1) / square
        # Where the ray enters the ball about the scene, at the latest.
        along -= 2 * size / np.sqrt(square)
        along = np.where(along > 0, along, 0.0)
        moved[is_far] += along[:, np.newaxis] * steps
        by[is_far] = along / lengths
    return moved, by


def are_on_edges(hits: AllHits, margin: float) -> Array:
    """Whether each hit is on an edge of its triangle, or within a margin of one."""
    least: Array = np.minimum(np.minimum(hits.u, hits.v), 1 - hits.u - hits.v)
    return least <= margin


def are_first(
    hits: AllHits, directions: Array, corners: Corners, bounds: Array | None, *, by_geometry: bool
) -> Array:
    """Whether each hit is the first at its place. `directions` are those of the rays, `bounds`
    those of the scene. Geometries share no place if they are told apart."""
    first = np.ones(len(hits), bool)
    if len(hits) < 2 or bounds is None:
        return first
    ray, t, geometry = hits.ray, hits.t, hits.geometry
    largest = float(np.abs(bounds).max())
    order = None
    if by_geometry and (geometry != geometry[0]).any():
        order = np.lexsort((t, geometry, ray))
        ray, t, geometry = ray[order], t[order], geometry[order]
    # Parameters are not enough, since far away they are the same for whole meshes; but without one
    # parameter there is not one place.
    gap = np.diff(t)
    is_near = gap == 0
    if (on_edge := are_on_edges(hits, EDGE)).any():
        on_edge = on_edge if order is None else on_edge[order]
        length = np.linalg.norm(directions, axis=1)[ray[1:]]
        reach = _NEAR * (t[1:] * length + largest)
        is_near |= on_edge[1:] & on_edge[:-1] & (gap * length <= reach)
    is_near &= ray[1:] == ray[:-1]
    if order is not None:
        is_near &= geometry[1:] == geometry[:-1]
    run = np.concatenate([[0], np.cumsum(~is_near)])
    some = np.flatnonzero(np.append(is_near, False) | np.append(False, is_near))
    run, rows = run[some], some if order is None else order[some]
    points, normals = _surfaces(hits, rows, corners)
    again = np.zeros(len(rows), bool)
    # Hits of a run may belong to several places in turn, so each is compared with all before.
    later, step = np.arange(len(rows)), 0
    while len(later):
        step += 1
        later = later[later >= step]
        later = later[run[later] == run[later - step]]
        earlier = later - step
        between = points[later] - points[earlier]
        again[later] = np.maximum(
            np.abs((between * normals[earlier]).sum(axis=1)),
            np.abs((between * normals[later]).sum(axis=1)),
        ) <= _APART * largest
        later = later[~again[later]]
    first[rows[again]] = False
    return first


def _surfaces(hits: AllHits, rows: Array, corners: Corners) -> tuple[Array, Array]:
    """Where some hits are on their triangles, and the unit normals of those, in doubles."""
    u, v = hits.u[rows].astype(np.float64), hits.v[rows].astype(np.float64)
    weights = np.stack([1 - u - v, u, v], axis=1)
    weights[weights <= EDGE] = 0
    weights /= weights.sum(axis=1, keepdims=True)
    triangles = corners(hits.geometry[rows], hits.primitive[rows])
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    np.divide(normals, lengths, out=normals, where=lengths > 0)
    return (weights[:, :, np.newaxis] * triangles).sum(axis=1), normals
