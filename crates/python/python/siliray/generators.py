"""Rays that need not be stored: a generator and a range of numbers stand for them.

A ray follows from generator, scene and number alone, whoever makes it and beside which others. So
a billion rays are a table of a thousand rows (see :mod:`siliray.dataframe`), and a worker that
fails is simply replaced.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import ClassVar

Vector = Sequence[float]


class Generator:
    """A rule for rays."""

    kind: ClassVar[str]

    def to_json(self) -> str:
        """The rule as text, the same for the same rule.

        >>> from siliray.generators import Occlusion
        >>> Occlusion(samples=64, seed=1).to_json()
        '{"kind": "occlusion", "samples": 64, "seed": 1, "reach": null}'
        """
        members = asdict(self)  # type: ignore[call-overload]
        return json.dumps({"kind": self.kind} | members, default=_plain)


def _plain(value: object) -> object:
    """What NumPy's numbers and arrays are to JSON."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is neither a number nor a list of them")


@dataclass(frozen=True)
class Camera(Generator):
    """The pixels of a picture, row by row from the upper left; of each, `samples` rays. A single
    one goes through the pixel's centre."""

    kind: ClassVar[str] = "camera"
    eye: Vector
    at: Vector
    #: How much of the world is as high as the picture, in degrees.
    fov: float
    width: int
    height: int
    up: Vector = (0.0, 1.0, 0.0)
    samples: int = 1
    seed: int = 0


@dataclass(frozen=True)
class Lidar(Generator):
    """A scanner that turns `sweeps` times while it moves along a path. Numbers run over the
    elevations first, then over the azimuths, then over the sweeps."""

    kind: ClassVar[str] = "lidar"
    #: Corners of the path.
    path: Sequence[Vector]
    #: Turns: the first at the beginning of the path, the last at its end.
    sweeps: int
    #: Directions of a turn.
    azimuths: int
    #: Angles of the beams above the plane of turning, in degrees.
    elevations: Sequence[float]
    up: Vector = (0.0, 0.0, 1.0)
    #: Where azimuth 0 is.
    forward: Vector = (1.0, 0.0, 0.0)
    #: How far it sees; without it, any distance.
    reach: float | None = None


@dataclass(frozen=True)
class Occlusion(Generator):
    """From points of each placed triangle of the scene, cosine distributed about its front side,
    `samples` rays a triangle. Triangles are counted instance by instance, geometry by geometry."""

    kind: ClassVar[str] = "occlusion"
    samples: int
    seed: int = 0
    #: Where rays end; without it, nowhere.
    reach: float | None = None


@dataclass(frozen=True)
class Scatter(Generator):
    """From anywhere in a box in any direction: as many as there are numbers of 64 bits."""

    kind: ClassVar[str] = "scatter"
    low: Vector
    high: Vector
    seed: int = 0
