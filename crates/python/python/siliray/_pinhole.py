"""The rays of a pinhole camera, one for each pixel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrays
from .errors import ArrayError, OptionError


def matrix(values: Any, name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """A matrix of that shape and of finite numbers."""
    array = _arrays.floats(_arrays.tensor(values), name).astype(np.float64)
    if array.shape != shape:
        raise ArrayError(f"{name}: found an array of shape {array.shape}, expected {shape}")
    if not np.isfinite(array).all():
        raise OptionError(f"{name}: found a NaN or an infinity, expected finite numbers")
    return array


def camera(
    fov_deg: float, center: Any, eye: Any, up: Any, width: int, height: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The matrices of a camera: y along `up`, z ahead."""
    if not 0 < fov_deg < 180:
        raise OptionError(f"fov_deg: found {fov_deg}, expected an angle between 0 and 180")
    focal = width / (2 * np.tan(np.radians(fov_deg) / 2))
    intrinsic = np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1]])
    at, place, above = (
        matrix(values, name, (3,))
        for values, name in ((center, "center"), (eye, "eye"), (up, "up"))
    )
    ahead = at - place
    across = np.cross(above, ahead)
    if not np.linalg.norm(across) > 0:
        raise OptionError("up: expected a direction other than that from the eye to the center")
    axes = [across, np.cross(ahead, across), ahead]
    extrinsic = np.eye(4)
    extrinsic[:3, :3] = [axis / np.linalg.norm(axis) for axis in axes]
    extrinsic[:3, 3] = -extrinsic[:3, :3] @ place
    return intrinsic, extrinsic


def rays(
    intrinsic: NDArray[np.float64], extrinsic: NDArray[np.float64], width: int, height: int
) -> NDArray[np.float32]:
    """A ray through the middle of each pixel."""
    rotation, shift = extrinsic[:3, :3], extrinsic[:3, 3]
    try:
        to_world = rotation.T @ np.linalg.inv(intrinsic)
    except np.linalg.LinAlgError:
        raise OptionError("intrinsic_matrix: it is singular") from None
    columns, rows = np.arange(width) + 0.5, np.arange(height) + 0.5
    made = np.empty((height, width, 6), np.float32)
    made[..., :3] = -rotation.T @ shift
    made[..., 3:] = (
        columns[np.newaxis, :, np.newaxis] * to_world[:, 0]
        + rows[:, np.newaxis, np.newaxis] * to_world[:, 1]
        + to_world[:, 2]
    )
    return made
