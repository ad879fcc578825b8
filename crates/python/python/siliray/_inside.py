"""Which points lie inside closed meshes: those whose rays cross the surface an odd number of times.

A ray that meets an edge or a corner crosses there once, twice or not at all, which counting
triangles cannot tell. Such a ray decides nothing: its point is asked again in other directions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from . import _places
from ._arrays import Array
from ._hits import AllHits
from ._tracer import Tracer

#: Directions of no particular kind, the same each time.
_DIRECTIONS = np.random.default_rng(0x5111).normal(size=(8, 3)).astype(np.float32)

#: Rays whose hits are all held at once: so many that memory does not matter.
MOST = 1 << 20

#: How much of a triangle must lie between a hit and each of its edges for the hit to be sure.
_MARGIN = 1e-5


def inside(tracer: Tracer, points: Array) -> NDArray[np.bool_]:
    """Whether each point, (N, 3), lies inside. Of a point on the surface nothing is said.

    Rays go both ways. Where they disagree, the surface is open or crosses itself: a point that sees
    the open in either direction is outside, as trimesh has it, and others are asked again."""
    if len(points) > MOST:
        parts = range(0, len(points), MOST)
        return np.concatenate([inside(tracer, points[start : start + MOST]) for start in parts])
    contained = np.zeros(len(points), bool)
    bounds = tracer.scene.bounds
    if bounds is None:
        return contained
    asked = np.flatnonzero(((points > bounds[0]) & (points < bounds[1])).all(axis=1))
    votes = np.zeros(len(points), np.int32)
    for direction in _DIRECTIONS:
        if len(asked) == 0:
            break
        there, there_is_sure = _crossings(tracer.all(points[asked], direction))
        back, back_is_sure = _crossings(tracer.all(points[asked], -direction))
        is_odd, is_odd_behind = there % 2 == 1, back % 2 == 1
        is_open = (there_is_sure & (there == 0)) | (back_is_sure & (back == 0))
        is_settled = is_open | (there_is_sure & back_is_sure & (is_odd == is_odd_behind))
        contained[asked] = is_odd & ~is_open & is_settled
        votes[asked] += is_odd.astype(np.int32) + is_odd_behind
        asked = asked[~is_settled]
    contained[asked] = votes[asked] > len(_DIRECTIONS)
    return contained


def _crossings(hits: AllHits) -> tuple[Array, Array]:
    """How many triangles each ray hits, and whether all of them well inside."""
    is_sure = np.ones(len(hits.offsets) - 1, bool)
    is_sure[hits.ray[_places.are_on_edges(hits, _MARGIN)]] = False
    return np.diff(hits.offsets), is_sure
