"""Meshes and rays that tests share, and brute force to compare with."""

from __future__ import annotations

import numpy as np


def soup(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Triangles here and there, in single precision."""
    random = np.random.default_rng(seed)
    centers = random.uniform(-4.0, 4.0, (count, 1, 3))
    corners = centers + random.uniform(-0.9, 0.9, (count, 3, 3))
    vertices = corners.reshape(-1, 3).astype(np.float32)
    return vertices, np.arange(3 * count).reshape(-1, 3)


def rays(count: int, seed: int) -> np.ndarray:
    """Rays from outside and inside, of every direction and length."""
    random = np.random.default_rng(seed)
    origins = random.uniform(-6.0, 6.0, (count, 3))
    directions = random.normal(size=(count, 3)) * random.uniform(0.2, 5.0, (count, 1))
    return np.concatenate([origins, directions], axis=1).astype(np.float32)


def bounded(rays: np.ndarray, tmin: float, tmax: float) -> np.ndarray:
    """Rays of eight columns, as files have them."""
    return np.insert(rays, [3, 6], [tmin, tmax], axis=1)


def every_hit(vertices: np.ndarray, faces: np.ndarray, rays: np.ndarray) -> np.ndarray:
    """The parameter of each ray at each triangle, in double precision; inf where it misses."""
    a, b, c = (vertices[faces[:, corner]].astype(np.float64) for corner in range(3))
    origins, directions = rays[:, None, :3].astype(np.float64), rays[:, None, 3:].astype(np.float64)
    p = np.cross(directions, c - a)
    determinant = ((b - a) * p).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        u = ((origins - a) * p).sum(axis=-1) / determinant
        q = np.cross(origins - a, b - a)
        v = (directions * q).sum(axis=-1) / determinant
        t = ((c - a) * q).sum(axis=-1) / determinant
    hit = (u >= 0) & (v >= 0) & (u + v <= 1) & (t > 0)
    return np.where(hit, t, np.inf)


def grid(side: int) -> tuple[np.ndarray, np.ndarray]:
    """A flat square of 2 × side × side triangles with corners at whole numbers."""
    x, y = np.meshgrid(np.arange(side + 1), np.arange(side + 1))
    vertices = np.stack([x, y, np.zeros_like(x)], axis=-1).reshape(-1, 3).astype(np.float32)
    corner = (np.arange(side)[:, None] * (side + 1) + np.arange(side)).reshape(-1)
    one, two = corner + 1, corner + side + 1
    faces = np.concatenate([np.stack([corner, one, two], -1), np.stack([one, two + 1, two], -1)])
    return vertices, faces
