"""Rays that need not be stored: a generator and a range of numbers stand for them.

A ray follows from generator, scene and number alone, whoever makes it and beside which others. So
a billion rays are a table of a thousand rows (see :mod:`siliray.dataframe`), and a worker that
fails is simply replaced.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

from . import _options

Vector = Sequence[float]


class Generator:
    """A rule for rays.

    >>> from siliray.generators import Camera, Generator
    >>> issubclass(Camera, Generator)
    True
    """

    kind: ClassVar[str]

    def to_json(self) -> str:
        """The rule as text, the same for the same rule.

        >>> from siliray.generators import Occlusion
        >>> Occlusion(samples=64, seed=1).to_json()
        '{"kind": "occlusion", "samples": 64, "seed": 1, "reach": null}'
        """
        members: dict[str, object] = {"kind": self.kind}
        for one in fields(self):  # type: ignore[arg-type]
            members[one.name] = _CHECKS[str(one.type)](getattr(self, one.name), one.name)
        return json.dumps(members)


def _finite(value: object, name: str) -> float:
    made = _options.number(value, name)
    if not math.isfinite(made):
        _options.wrong(name, value, "a finite number")
    return made


def _vector(value: object, name: str) -> list[float]:
    return [_finite(part, name) for part in _options.vector(value, name, 3)]


def _many(value: object, name: str, each: Callable[[object, str], object]) -> list[object]:
    return [each(part, name) for part in _options.listed(value, name, "a list")]


#: What a member may be, by the type that it is said to have.
_CHECKS: dict[str, Callable[[object, str], object]] = {
    "Vector": _vector,
    "float": _finite,
    "float | None": lambda value, name: None if value is None else _finite(value, name),
    "int": lambda value, name: _options.integer(
        value, name, 0, 2**64 - 1 if name == "seed" else 2**32 - 1
    ),
    "Sequence[Vector]": lambda value, name: _many(value, name, _vector),
    "Sequence[float]": lambda value, name: _many(value, name, _finite),
}


@dataclass(frozen=True)
class Camera(Generator):
    """The pixels of a picture, row by row from the upper left; of each, `samples` rays. A single
    one goes through the pixel's centre.

    >>> import siliray
    >>> tracer = siliray.Tracer(siliray.Scene.open("interior", triangles=500))
    >>> camera = Camera(eye=(0, 1.5, 3), at=(0, 1, 0), fov=60, width=64, height=48)
    >>> tracer.closest(tracer.generate(camera)).t.reshape(48, 64).shape
    (48, 64)
    """

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
    elevations first, then over the azimuths, then over the sweeps.

    >>> import siliray
    >>> tracer = siliray.Tracer(siliray.Scene.open("interior", triangles=500))
    >>> path = [(-1, 0.5, 0), (1, 0.5, 0)]
    >>> lidar = Lidar(path, sweeps=2, azimuths=360, elevations=[-10, 0, 10], up=(0, 1, 0))
    >>> tracer.closest(tracer.generate(lidar)).positions.shape
    (2160, 3)
    """

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
    `samples` rays a triangle. Triangles are counted instance by instance, geometry by geometry.

    >>> import siliray
    >>> tracer = siliray.Tracer(siliray.Scene([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]]))
    >>> rays = tracer.generate(Occlusion(samples=64))
    >>> rays.to_numpy().shape, bool(tracer.any(rays).any())
    ((64, 8), False)
    """

    kind: ClassVar[str] = "occlusion"
    samples: int
    seed: int = 0
    #: Where rays end; without it, nowhere.
    reach: float | None = None


@dataclass(frozen=True)
class Scatter(Generator):
    """From anywhere in a box in any direction: as many as there are numbers of 64 bits.

    >>> import siliray
    >>> tracer = siliray.Tracer(siliray.Scene.open("interior", triangles=500))
    >>> rays = tracer.generate(Scatter(low=(-1, 0, -1), high=(1, 2, 1), seed=7), count=1000)
    >>> len(tracer.count(rays))
    1000
    """

    kind: ClassVar[str] = "scatter"
    low: Vector
    high: Vector
    seed: int = 0
