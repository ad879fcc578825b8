"""Places: where a ray meets a surface, perhaps several triangles of it at an edge or a corner."""

from __future__ import annotations

import numpy as np

from ._arrays import Array
from ._hits import AllHits

#: A hit this close to an edge, as a share of the triangle, is on it.
EDGE = 2.0**-22

#: Two hits on edges are at one place if they are no farther apart than this share of the distance
#: and of the scene's largest coordinate: somewhat more than rounding can part them.
_NEAR = 2.0**-20


def are_on_edges(hits: AllHits, margin: float) -> Array:
    """Whether each hit is on an edge of its triangle, or within a margin of one."""
    least: Array = np.minimum(np.minimum(hits.u, hits.v), 1 - hits.u - hits.v)
    return least <= margin


def are_first(
    hits: AllHits, directions: Array, bounds: Array | None, *, by_geometry: bool
) -> Array:
    """Whether each hit is the first at its place. `directions` are those of the rays, `bounds`
    those of the scene. Geometries share no place if they are told apart."""
    if len(hits) < 2 or bounds is None:
        return np.ones(len(hits), bool)
    ray, t, on_edge = hits.ray, hits.t, are_on_edges(hits, EDGE)
    order = None
    if by_geometry and (hits.geometry != hits.geometry[0]).any():
        order = np.lexsort((t, hits.geometry, ray))
        ray, t, on_edge = ray[order], t[order], on_edge[order]
    gap = np.diff(t)
    is_same = on_edge[1:] & on_edge[:-1]
    if is_same.any():
        length = np.linalg.norm(directions, axis=1)[ray[1:]]
        is_same &= gap * length <= _NEAR * (t[1:] * length + np.abs(bounds).max())
    is_same |= gap == 0
    is_same &= ray[1:] == ray[:-1]
    if order is not None:
        is_same &= np.diff(hits.geometry[order]) == 0
    first = np.ones(len(hits), bool)
    first[slice(1, None) if order is None else order[1:]] = ~is_same
    return first
