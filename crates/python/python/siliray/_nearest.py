"""The nearest points of a surface."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._columns import Columns
from ._hits import MISS
from ._lazy import lazy


class NearestPoints(Columns):
    """The nearest point of the surface for each of many points, as columns.

    Where there is none, or none in reach, `distance` is inf and ids are 0xFFFFFFFF.

    >>> import siliray
    >>> tracer = siliray.Tracer(siliray.Scene([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]]))
    >>> near = tracer.nearest_point([[0.5, 0.5, 9], [-3, -4, 0]])
    >>> near.distance, near.points[1]
    (array([9., 5.]), array([0., 0., 0.]))
    >>> near.is_inside, tracer.nearest_point([0.5, 0.5, -9]).signed_distance
    (array([False, False]), array([-9.]))
    """

    #: Where, (N, 3).
    points: NDArray[np.float64]
    #: How far.
    distance: NDArray[np.float64]
    #: Weight of the triangle's second corner.
    u: NDArray[np.float64]
    #: Weight of the triangle's third corner.
    v: NDArray[np.float64]
    #: Whether the point that was asked about is behind the surface: on the side from which corners
    #: run clockwise. For a closed surface, whether it is inside.
    is_inside: NDArray[np.bool_]

    _names = ("distance", "u", "v", "instance", "geometry", "primitive")

    def __init__(self, found: _native.Nearest) -> None:
        self.points, columns, self.is_inside = found
        self.distance, self.u, self.v, self.instance, self.geometry, self.primitive = columns

    @lazy
    def signed_distance(self) -> NDArray[np.float64]:
        """The distance, negative inside."""
        return np.where(self.is_inside, -self.distance, self.distance)

    def columns(self) -> dict[str, NDArray[Any]]:
        """All columns by name; of the points, one for each coordinate; inside is 1.

        >>> import siliray
        >>> tracer = siliray.Tracer(siliray.Scene([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]]))
        >>> list(tracer.nearest_point([0.5, 0.5, 9]).columns())[:4]
        ['x', 'y', 'z', 'distance']
        """
        x, y, z = np.ascontiguousarray(self.points.T)
        inside = {"is_inside": self.is_inside.view(np.uint8)}
        return {"x": x, "y": y, "z": z} | super().columns() | inside

    def __repr__(self) -> str:
        found = np.count_nonzero(self.primitive != MISS)
        return f"<siliray.NearestPoints: {found} of {len(self)} found>"
