"""Hits: what rays meet."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays, _native, _options
from ._columns import ArrowTable, Columns, Lists, arrow_table
from ._lazy import lazy
from .errors import TraceError

#: What ids are where nothing is hit.
MISS = 0xFFFFFFFF

#: Arrays of so many bytes get large pages from NumPy, and are written much faster for it.
_LARGE = 4 << 20


def room(count: int) -> _native.Columns:
    """Columns for so many hits. Those too small for large pages share memory by threes."""
    if count == 0 or 4 * count >= _LARGE:
        t, u, v = (_arrays.room(count, np.float32) for _ in range(3))
        instance, geometry, primitive = (_arrays.room(count, np.uint32) for _ in range(3))
    else:
        t, u, v = np.empty((3, count), np.float32)
        instance, geometry, primitive = np.empty((3, count), np.uint32)
    return t, u, v, instance, geometry, primitive


class Hits(Columns):
    """Hits as columns: the same place in each belongs to the same hit.

    A miss has `t` = inf and the ids 0xFFFFFFFF. It is also a table for whatever reads Arrow:
    `pyarrow.table(hits)`, `polars.DataFrame(hits)`, `duckdb`. Of rays of shape (H, W, 6), columns
    have the shape (H, W), and tables have H × W rows.

    >>> import siliray
    >>> scene = siliray.Scene([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]])
    >>> rays = siliray.Tracer(scene).closest([[0.5, 0.5, 9], [5, 5, 9]], [0, 0, -1])
    >>> rays.hit
    array([ True, False])
    >>> rays.t
    array([ 9., inf], dtype=float32)
    >>> rays.positions
    array([[0.5, 0.5, 0. ],
           [nan, nan, nan]], dtype=float32)
    >>> rays.normals[0]
    array([0., 0., 1.], dtype=float32)
    """

    #: Ray parameter, in lengths of the direction.
    t: NDArray[np.float32]
    #: Weight of the triangle's second corner.
    u: NDArray[np.float32]
    #: Weight of the triangle's third corner.
    v: NDArray[np.float32]

    _names = ("t", "u", "v", "instance", "geometry", "primitive")

    def __init__(
        self,
        columns: _native.Columns,
        tracer: _native.Tracer,
        rays: _arrays.Rays,
        shape: tuple[int, ...] = (-1,),
    ) -> None:
        t, u, v, instance, geometry, primitive = columns
        self.t, self.u, self.v = t.reshape(shape), u.reshape(shape), v.reshape(shape)
        self.instance, self.geometry = instance.reshape(shape), geometry.reshape(shape)
        self.primitive = primitive.reshape(shape)
        self._tracer: _native.Tracer | None = tracer
        #: The ray of each hit, for scenes with boxes: triangles tell by themselves where a hit is.
        #: It is a copy, since arrays of the caller may change.
        self._rays: _native.RayArrays | None = None
        if tracer.has_boxes:
            self._rays = self._of_hits(tracer.rays(rays)), None, None, None

    def _of_hits(self, rays: NDArray[np.float32]) -> NDArray[np.float32]:
        return rays

    @lazy
    def hit(self) -> NDArray[np.bool_]:
        """Whether there is a hit."""
        return np.isfinite(self.t)

    def __getstate__(self) -> dict[str, Any]:
        """Columns go to another process, with positions and normals if they were asked for."""
        return self.__dict__ | {"_tracer": None, "_rays": None}

    def _columns(self) -> _native.Columns:
        floats = self.t.reshape(-1), self.u.reshape(-1), self.v.reshape(-1)
        ids = self.instance.reshape(-1), self.geometry.reshape(-1), self.primitive.reshape(-1)
        return *floats, *ids

    def _vectors(self, name: str) -> NDArray[np.float32]:
        if self._tracer is None:
            message = "hits from another process have the positions and normals asked for there"
            raise TraceError(f"{name}: {message}")
        vectors = _arrays.room(len(self), np.float32, 3)
        getattr(self._tracer, name)(self._columns(), self._rays, vectors.reshape(-1))
        return vectors.reshape(*self.t.shape, 3)

    @lazy
    def positions(self) -> NDArray[np.float32]:
        """Points of the hits on what was hit, (N, 3) or (H, W, 3), computed when first asked for;
        NaN for a miss."""
        return self._vectors("positions")

    @lazy
    def normals(self) -> NDArray[np.float32]:
        """Unit normals of what was hit, (N, 3), on the side from which corners run counterclockwise
        (those of trimesh's `face_normals` and Open3D's `primitive_normals`), computed when first
        asked for; NaN for a miss."""
        return self._vectors("normals")

    def columns(
        self, *, positions: bool = False, normals: bool = False
    ) -> dict[str, NDArray[Any]]:
        """All columns by name, of one dimension each: what `pandas.DataFrame` takes. With
        `positions` also `px`, `py`, `pz`, with `normals` also `nx`, `ny`, `nz`.

        >>> import siliray
        >>> tracer = siliray.Tracer(siliray.Scene([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]]))
        >>> columns = tracer.closest([0.5, 0.25, 9], [0, 0, -1]).columns(positions=True)
        >>> list(columns)[-3:], columns["py"]
        (['px', 'py', 'pz'], array([0.25], dtype=float32))
        """
        columns = super().columns()
        for wanted, name, vectors in (
            (positions, "positions", "p"), (normals, "normals", "n")
        ):
            if _options.truth(wanted, name):
                parts = np.ascontiguousarray(getattr(self, name).reshape(-1, 3).T)
                columns |= {vectors + axis: part for axis, part in zip("xyz", parts)}
        return columns

    def table(self, *, positions: bool = False, normals: bool = False) -> ArrowTable:
        """The same as a table for whatever reads Arrow: `pyarrow.table`, `polars.DataFrame`.

        >>> import siliray
        >>> import pyarrow
        >>> tracer = siliray.Tracer(siliray.Scene([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]]))
        >>> hits = tracer.closest([0.5, 0.25, 9], [0, 0, -1])
        >>> pyarrow.table(hits.table(normals=True))["nz"].to_pylist()
        [1.0]
        """
        self._shared()
        return arrow_table(self.columns(positions=positions, normals=normals))

    def __repr__(self) -> str:
        return f"<siliray.{type(self).__name__}: {np.count_nonzero(self.hit)} of {len(self)} hit>"


class AllHits(Lists, Hits):
    """Every hit of every ray, those of a ray in the order in which it meets them.

    >>> import siliray
    >>> corners = [[0, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 1], [2, 0, 1], [0, 3, 1]]
    >>> tracer = siliray.Tracer(siliray.Scene(corners, [[0, 1, 2], [3, 4, 5]]))
    >>> hits = tracer.all([[5, 5, 9], [0.5, 0.5, 9]], [0, 0, -1])
    >>> hits.ray, hits.t
    (array([1, 1]), array([8., 9.], dtype=float32))
    >>> hits.of(1)
    slice(0, 2, None)
    """

    _asker = "ray"

    def __init__(
        self,
        offsets: NDArray[np.int64],
        columns: _native.Columns,
        tracer: _native.Tracer,
        rays: _arrays.Rays,
    ) -> None:
        self.offsets = offsets
        super().__init__(columns, tracer, rays)

    def _of_hits(self, rays: NDArray[np.float32]) -> NDArray[np.float32]:
        return rays[self.ray]

    def columns(
        self, *, positions: bool = False, normals: bool = False
    ) -> dict[str, NDArray[Any]]:
        """Those of :meth:`Hits.columns`, and before them the ray of each hit.

        >>> import siliray
        >>> tracer = siliray.Tracer(siliray.Scene([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]]))
        >>> list(tracer.all([0.5, 0.5, 9], [0, 0, -1]).columns(normals=True))[::3]
        ['ray', 'v', 'primitive', 'nz']
        """
        return {"ray": self.ray} | Hits.columns(self, positions=positions, normals=normals)

    @lazy
    def ray(self) -> NDArray[np.int64]:
        """The ray of each hit, by its number."""
        return self._askers()
