"""Walks of machines, step by step; who walks, and from where it is seen."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TypeAlias, Union

from . import _native, _options
from ._document import Document, Json, Table, document
from ._image import Image
from ._options import Vector
from ._progress import Progress, callback
from ._scene import Scene, SceneLike
from ._shapes import Shapes
from .errors import OptionError

#: Eye, target and vertical field of view in degrees, and perhaps three numbers more that say which
#: way is up; or the name of a camera of the scene.
Camera: TypeAlias = Union[str, Sequence[float]]


class Walk(Table):
    """A walk, one dict for each step, as `siliray walk --json` prints them; the last is the answer.

    >>> import siliray
    >>> scene = siliray.Scene.open("organic", triangles=400)
    >>> walk = siliray.walk(scene, [0, 0, 50], [0, 0, -1], machine="reference")
    >>> walk[-1]["event"], walk.answer["machine"]
    ('answer', 'reference')
    """

    @property
    def answer(self) -> dict[str, Json]:
        """The last object: `hits` and `counters`, or why there is no answer; or the first
        difference to another machine."""
        return self[-1]

    @property
    def why(self) -> dict[str, Json] | None:
        """What became of the primitive that was asked about."""
        return next((step for step in self if step["event"] == "why"), None)


def walk(
    scene: SceneLike | Image,
    origin: Vector | None = None,
    direction: Vector | None = None,
    *,
    tmin: float = 0.0,
    tmax: float = math.inf,
    pixel: tuple[int, int] | None = None,
    size: tuple[int, int] = (800, 600),
    camera: Camera | None = None,
    shape: Shapes | None = None,
    exact: bool = False,
    hits: str = "closest",
    mask: int = 0xFF,
    steps: tuple[int, int] | None = None,
    why: int | tuple[int, ...] | None = None,
    against: str | None = None,
    machine: str | None = None,
    format: str | None = None,
    rebuild: bool = False,
    preset: str | None = None,
    rule: str = "watertight",
    stack_size: int | None = None,
    progress: Progress = None,
) -> Walk:
    """Watches a machine walk, step by step; an image is walked as it is stored.

    What is asked is a ray, the ray through a `pixel` of a picture, or one `shape` (a beam, a sphere
    or a frustum). With `why` (a primitive; geometry and primitive; or instance, geometry and
    primitive) what became of that primitive; with `against` the first step at which another machine
    does something else.

    >>> import siliray
    >>> scene = siliray.Scene.open("organic", triangles=400)
    >>> image = siliray.build(scene, format="gfx12", settings={"policy": "radv"}).image
    >>> walk = siliray.walk(image, pixel=(400, 300), machine="gfx12-radv", why=0)
    >>> walk.why["accepted"], "text" in walk.why
    (False, True)
    """
    ray = None
    if (origin is None) != (direction is None):
        raise OptionError("origin and direction: expected both or none")
    if origin is not None and direction is not None:
        start, way = _options.point(origin, "origin"), _options.point(direction, "direction")
        near, far = _options.number(tmin, "tmin"), _options.number(tmax, "tmax")
        if near < 0:
            raise OptionError(f"tmin: found {tmin}, expected at least 0")
        ray = [*start, *way, near, far]
    if shape is not None and not isinstance(shape, Shapes):
        _options.wrong("shape", shape, "Beams, Spheres or Frusta")
    if sum(what is not None for what in (ray, pixel, shape)) != 1:
        raise OptionError("origin and direction, pixel, shape: expected one of them")
    if camera is not None and pixel is None:
        raise OptionError("camera: it is that of a pixel, and none is given")
    followed: tuple[int | None, int | None, int] | None = None
    if why is not None:
        ids = why if _options.is_list(why) else (why,)
        if not 1 <= len(ids) <= 3:
            raise OptionError("why: expected a primitive, with its geometry and instance before it")
        numbers = _options.integers(ids, "why", len(ids), 0, _options.WORD)
        instance, geometry, primitive = (None, None, None, *numbers)[-3:]
        assert primitive is not None
        followed = (instance, geometry, primitive)
    text = _native.walk(
        Scene.of(scene)._native,
        chosen_walker(machine, format, rebuild, preset, rule, stack_size),
        {
            "ray": ray,
            "pixel": None if pixel is None else _options.pair(pixel, "pixel", 0, _options.WORD),
            "size": picture_size(size),
            "camera": chosen_camera(camera),
            "shape": None if shape is None else shape._single(),
            "exact": _options.truth(exact, "exact"),
            "hits": _options.text(hits, "hits"),
            "mask": _options.integer(mask, "mask", 0, 0xFF),
            "steps": None if steps is None else _options.pair(steps, "steps", 0, _options.MOST),
            "why": followed,
            "against": _options.optional_text(against, "against"),
        },
        callback(progress),
    )
    return Walk(json.loads(text))


def clearance(
    scene: SceneLike, part: SceneLike, along: Vector, *, progress: Progress = None
) -> Document:
    """Slides a part through a scene, and says where it first touches: exactly, for the triangles of
    both. The keys are those of `siliray clearance --json`.

    >>> import siliray
    >>> floor = siliray.Scene([[-9, -9, 0], [9, -9, 0], [0, 9, 0]], [[0, 1, 2]])
    >>> part = siliray.Scene([[0, 0, 3], [1, 0, 4], [0, 1, 5]], [[0, 1, 2]])
    >>> touch = siliray.clearance(floor, part, [0, 0, -6])
    >>> touch["clear"], touch["first_contact"], touch["distance"]
    (False, 0.5, 3.0)
    """
    way = _options.point(along, "along")
    text = _native.clearance(
        Scene.of(scene)._native, Scene.of(part)._native, way, callback(progress)
    )
    return document(text)


def chosen_walker(
    machine: str | None,
    format: str | None,
    rebuild: bool,
    preset: str | None,
    rule: str,
    stack_size: int | None,
) -> _native.Walker:
    """Who walks what."""
    return {
        "machine": _options.optional_text(machine, "machine"),
        "format": _options.optional_text(format, "format"),
        "rebuild": _options.truth(rebuild, "rebuild"),
        "preset": _options.optional_text(preset, "preset"),
        "rule": _options.text(rule, "rule"),
        "stack_size": _options.optional_integer(stack_size, "stack_size", 1, 0xFF),
    }


def chosen_camera(camera: Camera | None) -> str | list[float] | None:
    """From where it is seen."""
    if camera is None or isinstance(camera, str):
        return camera
    return _options.vector(camera, "camera", 7, 10)


def picture_size(size: tuple[int, int]) -> tuple[int, int]:
    """Columns and rows of a picture."""
    return _options.pair(size, "size", 1, _options.WORD)
