"""Arrays as the extension module takes them: the right shape, aligned, in this machine's byte
order. Nothing is copied that is right already, whatever its strides."""

from __future__ import annotations

import math
from typing import Any, TypeAlias, Union

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ._native import GeneratedRays
from .errors import ArrayError, DtypeError, OptionError, RoomError

Array: TypeAlias = NDArray[Any]
#: Origins (or rays of 6 or 8 columns), directions, smallest and largest parameters.
RayArrays: TypeAlias = tuple[Array, Array | None, Array | None, Array | None]
#: Rays in arrays, or to be made.
Rays: TypeAlias = Union[RayArrays, GeneratedRays]


def tensor(values: Any) -> Any:
    """The array behind a tensor of Open3D or PyTorch, fetched from its device if need be; whatever
    else it is, as it is."""
    if isinstance(values, np.ndarray) or not callable(getattr(values, "numpy", None)):
        return values
    on_processor = values.cpu() if hasattr(values, "cpu") else values
    return on_processor.numpy()


def floats(values: ArrayLike, name: str) -> Array:
    """Single or double floats."""
    array = _array(values, name)
    if array.dtype.kind not in "fiu":
        raise DtypeError(f"{name}: found elements of type {array.dtype}, expected floats")
    if array.dtype == np.float16:
        array = array.astype(np.float32)
    elif array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    return _as_this_machine_has_it(array)


def _array(values: ArrayLike, name: str) -> Array:
    """Whatever NumPy makes of it. What lends its memory may refuse to, with any exception."""
    if np.ma.is_masked(values):
        raise ArrayError(f"{name}: found masked elements, expected numbers")
    try:
        return np.asarray(values)
    except Exception as error:
        raise ArrayError(f"{name}: {error}") from error


def _as_this_machine_has_it(array: Array) -> Array:
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return array if array.flags.aligned else array.copy()


def table(values: ArrayLike, name: str, *columns: int) -> Array:
    """Rows of so many floats; one row alone may come without its brackets."""
    array = floats(values, name)
    if array.ndim == 1 and array.shape[0] in columns:
        array = array[np.newaxis]
    if array.shape in ((0,), (0, 0)):
        array = array.reshape(0, columns[0])
    if array.ndim != 2 or array.shape[1] not in columns:
        wanted = " or ".join(f"(N, {count})" for count in columns)
        raise ArrayError(f"{name}: found an array of shape {array.shape}, expected {wanted}")
    return array


def column(values: ArrayLike, name: str, count: int) -> Array:
    """One float for each of so many rays; a single one counts for all."""
    array = floats(values, name)
    if array.ndim > 1 or (array.ndim == 1 and array.shape[0] not in (1, count)):
        raise ArrayError(
            f"{name}: found an array of shape {array.shape}, expected a number or ({count},)"
        )
    return np.broadcast_to(array, (count,))


def triangles(values: ArrayLike, name: str) -> Array:
    """Three indices for each triangle."""
    array = _array(values, name)
    if array.shape in ((0,), (0, 0), (0, 3)):
        return np.empty((0, 3), np.uint32)
    if array.dtype.kind not in "iu":
        raise DtypeError(f"{name}: found elements of type {array.dtype}, expected integers")
    if array.ndim != 2 or array.shape[1] != 3:
        raise ArrayError(f"{name}: found an array of shape {array.shape}, expected (N, 3)")
    if array.dtype.itemsize < 4:
        array = array.astype(np.int32)
    return _as_this_machine_has_it(array)


def rays(
    origins: ArrayLike,
    directions: ArrayLike | None,
    tmin: ArrayLike | None,
    tmax: ArrayLike | None,
    names: tuple[str, str] = ("origins", "directions"),
) -> RayArrays:
    """Rays: origins and directions of shape (N, 3), one of which may be a single row for all; or
    one array of shape (N, 6), or (N, 8) with bounds: ox oy oz tmin dx dy dz tmax."""
    if directions is None:
        first: Array = table(origins, "rays", 6, 8)
        second: Array | None = None
        count = first.shape[0]
        if first.shape[1] == 8:
            _none_negative(first[:, 3], "rays: tmin")
    else:
        first, second = table(origins, names[0], 3), table(directions, names[1], 3)
        count = max(first.shape[0], second.shape[0])
        if 0 in (first.shape[0], second.shape[0]):
            count = 0
        if first.shape[0] not in (1, count) or second.shape[0] not in (1, count):
            raise ArrayError(
                f"{first.shape[0]} {names[0]} and {second.shape[0]} {names[1]}: "
                "expected as many of both, or one of either"
            )
        first = np.broadcast_to(first[:count], (count, 3))
        second = np.broadcast_to(second[:count], (count, 3))
    near = None if tmin is None else column(tmin, "tmin", count)
    if near is not None:
        _none_negative(near, "tmin")
    far = None if tmax is None else column(tmax, "tmax", count)
    return first, second, near, far


def _none_negative(tmin: Array, name: str) -> None:
    """Nothing is hit behind the origin, so who asks for that shall know."""
    is_negative = tmin < 0
    if is_negative.any():
        row = int(np.argmax(is_negative))
        raise OptionError(f"{name}: found {tmin[row]} in row {row}, expected at least 0")


def any_rays(
    origins: ArrayLike | GeneratedRays,
    directions: ArrayLike | None,
    tmin: ArrayLike | None,
    tmax: ArrayLike | None,
) -> tuple[Rays, tuple[int, ...]]:
    """The same in any number of dimensions, or the rays of a generator; and the shape of answers.
    Where there are more than two dimensions, all but the last count rays."""
    if not isinstance(origins, GeneratedRays):
        return _shaped_rays(origins, directions, tmin, tmax)
    if not (directions is None and tmin is None and tmax is None):
        raise OptionError(
            "directions, tmin, tmax: rays of a generator have their directions and bounds already"
        )
    return origins, (-1,)


def _shaped_rays(
    origins: ArrayLike,
    directions: ArrayLike | None,
    tmin: ArrayLike | None,
    tmax: ArrayLike | None,
) -> tuple[RayArrays, tuple[int, ...]]:
    if directions is None:
        arrays = [_rows_of(floats(origins, "rays"), "rays", 6, 8)]
    else:
        arrays = [
            _rows_of(floats(values, name), name, 3)
            for values, name in ((origins, "origins"), (directions, "directions"))
        ]
    shapes = {shape for _, shape in arrays if len(shape) > 1}
    if len(shapes) > 1:
        one, other = (shape for _, shape in arrays)
        raise ArrayError(
            f"origins of shape {(*one, 3)} and directions of shape {(*other, 3)}: "
            "expected as many of both, or one of either"
        )
    shape = shapes.pop() if shapes else (-1,)
    first, second = arrays[0][0], arrays[1][0] if directions is not None else None
    near, far = _bound(tmin, "tmin", shape), _bound(tmax, "tmax", shape)
    return rays(first, second, near, far), shape


def _rows_of(array: Array, name: str, *columns: int) -> tuple[Array, tuple[int, ...]]:
    """An array as a table, and what counts its rows."""
    if array.ndim <= 2:
        return array, array.shape[:1]
    shape = array.shape[:-1]
    if array.shape[-1] not in columns:
        wanted = " or ".join(f"(.., {count})" for count in columns)
        raise ArrayError(f"{name}: found an array of shape {array.shape}, expected {wanted}")
    return array.reshape(math.prod(shape), array.shape[-1]), shape


def _bound(values: ArrayLike | None, name: str, shape: tuple[int, ...]) -> Array | None:
    """One float for each ray of that shape, one behind the other; or whatever it is."""
    if values is None:
        return None
    array = floats(values, name)
    return array.reshape(-1) if array.shape == shape else array


def count(rays: Rays) -> int:
    """How many rays there are."""
    return rays.count if isinstance(rays, GeneratedRays) else len(rays[0])


def room(count: int, dtype: DTypeLike, width: int | None = None) -> Array:
    """An array for so many answers."""
    shape = count if width is None else (count, width)
    try:
        # What is not there yet of truths must be none or one.
        return np.zeros(shape, dtype) if dtype is bool else np.empty(shape, dtype)
    except (MemoryError, OverflowError, ValueError):
        # NumPy has several errors for it.
        raise RoomError(f"there is no memory for {count} answers") from None
