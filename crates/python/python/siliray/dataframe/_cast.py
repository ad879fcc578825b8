"""Rays as a table, and their hits: the work of one record batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from .. import _options
from .._arrays import RayArrays, floats
from .._scene import SceneLike
from .._tracer import MOST_THREADS, Tracer, chosen
from ..errors import ArrayError, DtypeError, OptionError
from ..generators import Generator
from ._reduce import Reduction
from ._scenes import SceneRecipe
from ._work import Work

#: Stored rays that are a batch.
_RAYS = 1 << 18

#: Rows of a table of generated rays; more are a mistake.
_MOST_ROWS = 10**8

#: Columns of a table of generated rays.
GENERATOR = ("generator", "first", "count")
_ORIGIN, _DIRECTION = ("ox", "oy", "oz"), ("dx", "dy", "dz")
#: Where a ray begins and ends for which a table says nothing, or null.
_BOUNDS = {"tmin": 0.0, "tmax": np.inf}

_HIT = [pa.field(name, pa.float32(), nullable=False) for name in ("t", "u", "v")] + [
    pa.field(name, pa.uint32(), nullable=False) for name in ("instance", "geometry", "primitive")
]
_QUERIES: dict[str, list[pa.Field]] = {
    "closest": _HIT,
    "any": [pa.field("hit", pa.bool_(), nullable=False)],
    "count": [pa.field("hits", pa.uint32(), nullable=False)],
}


def generated(
    generator: Generator, count: int, *, first: int = 0, rays_per_row: int = 1 << 20
) -> pa.Table:
    """The rays `first` to `first + count` of a generator, as a table with a row for each
    `rays_per_row` of them: columns `generator` (JSON), `first`, `count`.

    >>> from siliray.dataframe import generated
    >>> from siliray.generators import Scatter
    >>> generated(Scatter((0, 0, 0), (1, 1, 1), seed=7), 2_500_000)["count"].to_pylist()
    [1048576, 1048576, 402848]
    """
    if not isinstance(generator, Generator):
        _options.wrong("generator", generator, "one of siliray.generators")
    first = _options.integer(first, "first", 0, 2**64 - 1)
    count = _options.integer(count, "count", 0, 2**64 - 1 - first)
    rays_per_row = _options.integer(rays_per_row, "rays_per_row", 1)
    if count // rays_per_row > _MOST_ROWS:
        raise OptionError(
            f"rays_per_row: found {count // rays_per_row} rows, expected at most {_MOST_ROWS}"
        )
    starts = np.arange(first, first + count, rays_per_row, dtype=np.uint64)
    counts = np.minimum(np.uint64(rays_per_row), np.uint64(first + count) - starts)
    names = pa.array([generator.to_json()] * len(starts), pa.string())
    return pa.table(
        {"generator": names, "first": starts, "count": counts.astype(np.uint64)}
    )


class CastRays(Work):
    """A `RecordBatch` of rays becomes one of hits.

    Rays are columns ox oy oz dx dy dz, or `origin` and `direction` (lists of three), with or
    without `tmin` and `tmax`; their other columns stay, and those of the hits are added: for
    `query="closest"` t u v instance geometry primitive, for `any` hit, for `count` hits.

    In a table of :func:`generated` rays each row stands for many. Without `reduce` each of them
    gets a row, and `ray` is its number; the other columns are repeated. With `reduce` each row
    stays one, with the columns of the reduction.

    The scene is loaded once in each process. The callable has no other state.
    """

    def __init__(
        self,
        scene: SceneLike,
        *,
        query: str = "closest",
        reduce: Reduction | None = None,
        mode: str | None = None,
        rule: str = "watertight",
        threads: int | None = None,
        mask: int = 0xFF,
        cull: str | None = None,
    ) -> None:
        if _options.text(query, "query") not in _QUERIES:
            raise OptionError(f"query: found {query!r}, expected {', '.join(_QUERIES)}")
        if reduce is not None and not isinstance(reduce, Reduction):
            _options.wrong("reduce", reduce, "a Reduction")
        if reduce is not None and query != "closest":
            raise OptionError(f"query, reduce: a reduction asks by itself, and {query!r} is asked")
        chosen(mask, cull)
        mode, rule = _options.optional_text(mode, "mode"), _options.text(rule, "rule")
        threads = _options.optional_integer(threads, "threads", 1, MOST_THREADS)
        self._scene = SceneRecipe.of(scene, mode=mode, rule=rule, threads=threads)
        self._query, self._reduce, self._ask = query, reduce, {"mask": mask, "cull": cull}

    def prepare(self) -> None:
        self._scene.tracer()

    def rows(self, names: list[str]) -> int:
        return 1 if GENERATOR[0] in names else _RAYS

    def expands(self, names: list[str]) -> bool:
        return GENERATOR[0] in names and self._reduce is None

    def takes(self, names: list[str]) -> list[str]:
        if GENERATOR[0] in names:
            needed = list(GENERATOR)
        elif self._reduce is not None:
            raise ArrayError(
                "a reduction is made of the rays of a row: expected the columns "
                + ", ".join(GENERATOR)
            )
        else:
            vectors = (("origin", _ORIGIN), ("direction", _DIRECTION))
            needed = [
                name for one, three in vectors for name in ([one] if one in names else three)
            ]
            needed += [name for name in _BOUNDS if name in names]
            for one, three in vectors:
                same = [name for name in three if one in names and name in names]
                if same:
                    raise ArrayError(f"the table has {one!r} and {same[0]!r}, which say the same")
        doubled = [name for name in needed if names.count(name) > 1]
        if doubled:
            raise ArrayError(f"the table has several columns {doubled[0]!r}: expected one")
        missing = [name for name in needed if name not in names]
        if missing:
            raise ArrayError(
                f"the table has no column {missing[0]!r}: expected ox, oy, oz, dx, dy, dz, or "
                "origin and direction, or generator, first and count"
            )
        return needed

    def gives(self, names: list[str]) -> list[pa.Field]:
        if self._reduce is not None:
            return self._reduce.fields()
        hits = _QUERIES[self._query]
        number = pa.field("ray", pa.uint64(), nullable=False)
        return [number, *hits] if self.expands(names) else hits

    def columns(self, batch: pa.RecordBatch) -> tuple[np.ndarray | None, dict[str, pa.Array]]:
        names = batch.schema.names
        batch = batch.select(self.takes(names))
        tracer, fields = self._scene.tracer(), self.gives(names)
        if GENERATOR[0] not in names:
            return None, _arrays(fields, self._answer(tracer, _rays(batch)))
        if self._reduce is not None:
            reduced = [
                self._reduce(tracer, rays, first) for first, rays in _generated(tracer, batch)
            ]
            return None, {
                field.name: _column(field, [row[field.name] for row in reduced])
                for field in fields
            }
        parts, lengths = [], []
        for first, rays in _generated(tracer, batch):
            answer = self._answer(tracer, rays)
            numbers = np.arange(first, first + len(rays), dtype=np.uint64)
            parts.append({"ray": numbers} | answer)
            lengths.append(len(rays))
        joined = {
            field.name: np.concatenate([part[field.name] for part in parts] or [np.empty(0)])
            for field in fields
        }
        return np.repeat(np.arange(len(lengths)), lengths), _arrays(fields, joined)

    def _answer(self, tracer: Tracer, rays: Any) -> dict[str, np.ndarray]:
        arrays = rays if isinstance(rays, tuple) else (rays, None, None, None)
        origins, directions, tmin, tmax = arrays
        method = getattr(tracer, self._query)
        answer = method(origins, directions, tmin=tmin, tmax=tmax, **self._ask)
        if self._query == "closest":
            columns: dict[str, np.ndarray] = answer.columns()
            return columns
        return {_QUERIES[self._query][0].name: answer}


def _generated(tracer: Tracer, batch: pa.RecordBatch) -> Any:
    """First number and rays of each row."""
    for row in batch.to_pylist():
        generator, first, count = (row[name] for name in GENERATOR)
        if generator is None or first is None or count is None:
            raise ArrayError("a row of generated rays has a null")
        yield first, tracer.generate(_Text(generator), first, count)


class _Text(Generator):
    """A generator as it stands in a table."""

    def __init__(self, text: str) -> None:
        self._text = text

    def to_json(self) -> str:
        return self._text


def _rays(batch: pa.RecordBatch) -> RayArrays:
    names = batch.schema.names
    points = [
        _triples(batch.column(one), one)
        if one in names
        else np.stack([_floats(batch.column(name), name) for name in three], axis=1)
        for one, three in (("origin", _ORIGIN), ("direction", _DIRECTION))
    ]
    bounds = [
        _floats(batch.column(name), name, default) if name in names else None
        for name, default in _BOUNDS.items()
    ]
    return points[0], points[1], bounds[0], bounds[1]


def _floats(column: pa.Array, name: str, default: float | None = None) -> np.ndarray:
    """The rule for the columns of files of rays, too: `ray_files/table.rs`."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    is_integer = pa.types.is_integer(column.type)
    if not (pa.types.is_floating(column.type) or is_integer):
        raise DtypeError(f"column {name!r}: found {column.type}, expected floats or integers")
    if column.null_count and default is None:
        raise ArrayError(f"column {name!r}: found a null, expected a number")
    filled = column.fill_null(0) if column.null_count else column
    numbers = filled.to_numpy(zero_copy_only=False)
    # Once rounded, not twice by way of double floats.
    numbers = numbers.astype(np.float32) if is_integer else floats(numbers, name)
    if column.null_count:
        numbers = numbers.copy()
        numbers[column.is_null().to_numpy(zero_copy_only=False)] = default
    return numbers


def _triples(column: pa.Array, name: str) -> np.ndarray:
    kind = column.type
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    if not (is_list or pa.types.is_fixed_size_list(kind)):
        raise DtypeError(f"column {name!r}: found {kind}, expected lists of three numbers")
    values = column.flatten()
    lengths = column.value_lengths().to_numpy(zero_copy_only=False)
    if column.null_count or not np.all(lengths == 3):
        raise ArrayError(f"column {name!r}: found a null or another length, expected three numbers")
    if pa.types.is_dictionary(values.type):
        raise DtypeError(f"column {name!r}: found {kind}, expected lists of three numbers")
    return _floats(values, name).reshape(-1, 3)


def _arrays(fields: list[pa.Field], columns: dict[str, np.ndarray]) -> dict[str, pa.Array]:
    return {field.name: pa.array(columns[field.name], field.type) for field in fields}


def _column(field: pa.Field, values: list[Any]) -> pa.Array:
    """A column of numbers, or of lists of them."""
    if not pa.types.is_large_list(field.type):
        return pa.array(values, field.type)
    offsets = np.cumsum([0, *(len(value) for value in values)], dtype=np.int64)
    flat = np.concatenate(values or [np.empty(0)])
    return pa.LargeListArray.from_arrays(
        offsets, pa.array(flat, field.type.value_type), type=field.type
    )
