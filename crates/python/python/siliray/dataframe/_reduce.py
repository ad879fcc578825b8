"""What becomes of the rays of a row where they are traced, so that only the sum of it travels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from .._native import GeneratedRays
from .._options import integer, number
from .._tracer import Tracer
from ..errors import ArrayError, OptionError

#: The value of each column.
Row: TypeAlias = dict[str, Any]


class Reduction:
    """Makes one row of all rays of a row."""

    def fields(self) -> list[pa.Field]:
        """The columns that it makes."""
        raise NotImplementedError

    def __call__(self, tracer: Tracer, rays: GeneratedRays, first: int) -> Row:
        """The values of these columns."""
        raise NotImplementedError

    def combine(self, table: pa.Table) -> Row:
        """What all rows of a table are together, in whatever order they come."""
        raise NotImplementedError


def _joined(table: pa.Table, name: str) -> np.ndarray:
    """The lists of all rows, in the order of their rays."""
    table = table.select(["first", "count", name]).sort_by("first")
    first, count = table["first"].to_numpy(), table["count"].to_numpy()
    wrong = np.flatnonzero(first[1:] != first[:-1] + count[:-1])
    if len(wrong):
        found, expected = first[wrong[0] + 1], first[wrong[0]] + count[wrong[0]]
        raise ArrayError(f"first: found a row of rays from {found} on, expected from {expected} on")
    lists = table[name].chunks
    return np.concatenate([part.flatten().to_numpy() for part in lists] or [np.empty(0)])


@dataclass(frozen=True)
class Depth(Reduction):
    """`depth`: the distance of each ray's closest hit, a list of single floats; inf for none. The
    lists of all rows, one behind the other, are the depth map of a camera."""

    def fields(self) -> list[pa.Field]:
        return [pa.field("depth", pa.large_list(pa.float32()), nullable=False)]

    def __call__(self, tracer: Tracer, rays: GeneratedRays, first: int) -> Row:
        return {"depth": tracer.closest(rays).t}

    def combine(self, table: pa.Table) -> Row:
        """`depth` of all rays, in their order.

        >>> from siliray.dataframe import Depth, cast_rays, generated
        >>> from siliray.generators import Camera
        >>> camera = Camera(eye=(0, 1.5, 3), at=(0, 1, 0), fov=60, width=64, height=48)
        >>> table = generated(camera, 64 * 48, rays_per_row=1000)
        >>> rows = cast_rays(table, "interior", reduce=Depth())
        >>> Depth().combine(rows)["depth"].reshape(48, 64).shape
        (48, 64)
        """
        return {"depth": _joined(table, "depth")}


@dataclass(frozen=True)
class Visibility(Reduction):
    """`visible`: how many of each `samples` rays in a row hit nothing: with rays of
    :class:`siliray.generators.Occlusion`, the ambient light of each triangle. `target` is the
    number of the first. Rows must begin and end at multiples of `samples`."""

    samples: int

    def __post_init__(self) -> None:
        integer(self.samples, "samples", 1)

    def fields(self) -> list[pa.Field]:
        return [
            pa.field("target", pa.uint64(), nullable=False),
            pa.field("visible", pa.large_list(pa.uint32()), nullable=False),
        ]

    def __call__(self, tracer: Tracer, rays: GeneratedRays, first: int) -> Row:
        if first % self.samples or rays.count % self.samples:
            raise OptionError(
                f"visibility: {rays.count} rays from number {first} on, expected multiples of "
                f"{self.samples}"
            )
        free = ~tracer.any(rays)
        visible = free.reshape(-1, self.samples).sum(axis=1, dtype=np.uint32)
        return {"target": first // self.samples, "visible": visible}

    def combine(self, table: pa.Table) -> Row:
        """`visible` of all targets, in their order, and the first `target`."""
        first = min(table["target"].to_pylist(), default=0)
        return {"target": first, "visible": _joined(table, "visible")}


@dataclass(frozen=True)
class Histogram(Reduction):
    """`counts`: how many closest hits lie in each of `bins` equal parts of the distances from `low`
    to `high`; `hits`: how many there are at all."""

    low: float
    high: float
    bins: int

    def __post_init__(self) -> None:
        integer(self.bins, "bins", 1, 2**24)
        low, high = number(self.low, "low"), number(self.high, "high")
        if not 0 < high - low < math.inf:
            raise OptionError(f"low, high: found {low}, {high}, expected finite low < high")

    def fields(self) -> list[pa.Field]:
        return [
            pa.field("hits", pa.uint64(), nullable=False),
            pa.field("counts", pa.large_list(pa.uint64()), nullable=False),
        ]

    def __call__(self, tracer: Tracer, rays: GeneratedRays, first: int) -> Row:
        t = tracer.closest(rays).t
        hits = int(np.count_nonzero(np.isfinite(t)))
        scale = np.float32(self.bins / (self.high - self.low))
        # One step outside on each side takes what lies beyond, misses too.
        place = (t - np.float32(self.low)) * scale + np.float32(1.0)
        place = np.clip(place, 0, self.bins + 1, out=place).astype(np.int32)
        counts = np.bincount(place, minlength=self.bins + 2)[1:-1].astype(np.uint64)
        return {"hits": hits, "counts": counts}

    def combine(self, table: pa.Table) -> Row:
        """`counts` and `hits` of all rays."""
        counts = np.zeros(self.bins, dtype=np.uint64)
        for part in table["counts"].chunks:
            counts += part.flatten().to_numpy().reshape(-1, self.bins).sum(axis=0)
        return {"hits": sum(table["hits"].to_pylist()), "counts": counts}
