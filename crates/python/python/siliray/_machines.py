"""The machines: trees, images, walks, comparisons, simulations, the law."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import TypeAlias, Union

import numpy as np

from . import _native, _options
from ._document import Document, Json, Table, document, page
from ._image import Image, ImageLike, words
from ._progress import Progress, callback
from ._scene import Scene, SceneLike
from ._shapes import Shapes
from .errors import OptionError

#: Rays that are held in memory at once; more are a mistake.
_MOST_RAYS = 10**8
#: The largest number of 32 bits.
_WORD = 2**32 - 1

#: Three numbers.
Vector: TypeAlias = Sequence[float]
#: Eye, target and vertical field of view in degrees, and perhaps three numbers more that say which
#: way is up; or the name of a camera of the scene.
Camera: TypeAlias = Union[str, Sequence[float]]
#: A shipped configuration, a file, or parameters by name over `base` (by default "patent").
Config: TypeAlias = Union[str, PathLike[str], Mapping[str, Json]]


class Built(Document):
    """Trees and their figures, as `siliray build --json` has them.

    >>> import siliray
    >>> scene = siliray.Scene.open("organic", triangles=400)
    >>> built = siliray.build(scene, format="cwbvh", preset="fast")
    >>> built["bytes"] == sum(built["bytes_split"].values()), built.image.format
    (True, 'cwbvh')
    """

    #: The image of the tree, if a format was asked for.
    image: Image | None = None

    def _repr_png_(self) -> bytes | None:
        return None if self.image is None else self.image._repr_png_()


def build(
    scene: SceneLike,
    *,
    format: str | None = None,
    preset: str | Sequence[str] | None = None,
    settings: Mapping[str, str] | None = None,
    width: int | None = None,
    max_leaf: int | None = None,
    ending: str | None = None,
    progress: Progress = None,
) -> Built:
    """Builds trees over a scene, and lays one out in a format of hardware.

    Without `format`, one tree for each preset. With it, one tree, whose image is
    :attr:`Built.image`; `settings` are those of the format, such as ``{"policy": "radv"}``.
    `ending` names the kind of file where there are several: of gfx12, `rra` or `bin` for raw
    memory.

    >>> import siliray
    >>> scene = siliray.Scene.open("organic", triangles=400)
    >>> [tree["preset"] for tree in siliray.build(scene)["presets"]]
    ['fast', 'balanced', 'best']
    >>> radv = siliray.build(scene, format="gfx12", settings={"policy": "radv"})
    >>> radv["policy"], radv.image.check()["sound"]
    ('radv', True)
    """
    set_to = _options.mapping(settings, "settings")
    if set_to and format is None:
        raise OptionError("settings: they are those of a format, and none is given")
    if ending is not None and format is None:
        raise OptionError("ending: it is that of a format's file, and no format is given")
    text, image = _native.build(
        Scene.of(scene)._native,
        {
            "presets": [] if preset is None else _options.texts(preset, "preset"),
            "format": _options.optional_text(format, "format"),
            "settings": [(key, _value(value, f"settings: {key}")) for key, value in set_to.items()],
            "width": _options.optional_integer(width, "width", 1),
            "max_leaf": _options.optional_integer(max_leaf, "max_leaf", 1),
            "ending": _options.optional_text(ending, "ending"),
        },
        callback(progress),
    )
    built = Built(json.loads(text))
    built.image = None if image is None else Image._made(image)
    return built


def check(image: ImageLike) -> Document:
    """Proves that an image is safe to walk, or says what is wrong with it.

    The keys are those of `siliray check --json`: `sound`, `errors`, `warnings`, `findings` …

    >>> import siliray
    >>> scene = siliray.Scene.open("organic", triangles=400)
    >>> broken = bytearray(siliray.build(scene, format="gfx12").image.to_bytes())
    >>> broken[0:4] = b"oops"
    >>> siliray.check(broken)["findings"][0]["rule"]
    'container_magic'
    """
    return Image.of(image).check()


def inspect(
    image: ImageLike,
    *,
    node: int | None = None,
    primitive: int | tuple[int, int] | None = None,
    offset: int | None = None,
    point: Vector | None = None,
    tree: bool = False,
    depth: int | None = None,
) -> Document:
    """What is in an image, sound or not.

    Totals; with `tree` every node, or those of the first `depth` levels; with `node` the fields of
    the node behind a pointer; with `primitive` (a number, or geometry and number), `offset` (a byte
    of the file) or `point` the ways from the root to it, as `hits`.

    >>> import siliray
    >>> scene = siliray.Scene.open("organic", triangles=400)
    >>> image = siliray.build(scene, format="gfx12").image
    >>> root = int(siliray.inspect(image)["root"], 16)
    >>> siliray.inspect(image, node=root)["kind"]
    'box'
    >>> siliray.inspect(image, primitive=7)["hits"][0]["way"][0]["depth"]
    0
    """
    asked = [node, primitive, offset, point]
    if sum(what is not None for what in asked) > 1:
        raise OptionError("node, primitive, offset and point: expected one of them")
    levels = _options.optional_integer(depth, "depth", 1, _WORD)
    wanted: tuple[int | None, int] | None = None
    if primitive is not None:
        if isinstance(primitive, tuple):
            geometry, number = _options.integers(primitive, "primitive", 2, 0, _WORD)
            wanted = geometry, number
        else:
            wanted = None, _options.integer(primitive, "primitive", 0, _WORD)
    return document(
        Image.of(image)._native.inspect(
            {
                "node": _options.optional_integer(node, "node", 0, 2**64 - 1),
                "primitive": wanted,
                "offset": _options.optional_integer(offset, "offset", 0, 2**64 - 1),
                "point": None if point is None else _vector(point, "point"),
                "tree": _options.truth(tree, "tree") or levels is not None,
                "depth": levels,
            }
        )
    )


def intersect(
    image: ImageLike,
    node: int | Sequence[int],
    origin: Vector,
    direction: Vector,
    *,
    extent: float = math.inf,
    mask: int = 0xFF,
    resource: Sequence[int] | None = None,
    flags: Iterable[str] = (),
) -> Document:
    """One intersection instruction of GFX12 on a node: its ten registers, and what they mean.

    Of the format gfx12-bvh4x2, `node` may be two nodes.

    >>> import siliray
    >>> scene = siliray.Scene.open("organic", triangles=400)
    >>> image = siliray.build(scene, format="gfx12").image
    >>> root = int(siliray.inspect(image)["root"], 16)
    >>> answer = siliray.intersect(image, root, [0, 0, 50], [0, 0, -1])
    >>> answer["decoded"]["instruction"], len(answer["registers"])
    ('image_bvh8_intersect_ray', 10)
    """
    pointers = node if isinstance(node, (list, tuple, np.ndarray)) else [node]
    nodes = _options.integers(pointers, "node", len(pointers), 0, _WORD)
    return document(
        Image.of(image)._native.intersect(
            {
                "nodes": nodes,
                "origin": _vector(origin, "origin"),
                "direction": _vector(direction, "direction"),
                "extent": _options.number(extent, "extent"),
                "mask": _options.integer(mask, "mask", 0, 0xFF),
                "resource": words(resource, "resource", 4),
                "flags": _options.texts(flags, "flags"),
            }
        )
    )


def diff(first: ImageLike, second: ImageLike, *, limit: int | None = None) -> Document:
    """How two images of one format differ, structure by structure and field by field.

    The keys are those of `siliray diff --json`: `equal`, `summary`, and under `differences` all
    structures that are not the same, or the first `limit` of them.

    >>> import siliray
    >>> scene = siliray.Scene.open("organic", triangles=400)
    >>> fast, best = (
    ...     siliray.build(scene, format="gfx12", preset=preset).image for preset in ("fast", "best")
    ... )
    >>> siliray.diff(fast, fast)["equal"], siliray.diff(fast, best, limit=3)["equal"]
    (True, False)
    """
    one, other = Image.of(first), Image.of(second)
    most = _options.MOST if limit is None else _options.integer(limit, "limit")
    return document(one._native.diff(other._native, most))


def vectors(
    files: str | PathLike[str] | Sequence[str | PathLike[str]], *, progress: Progress = None
) -> Document:
    """Runs vector files: cases with known answers. The keys are those of `siliray vectors --json`;
    a file that cannot be run is one failed case.

    >>> import siliray
    >>> ran = siliray.vectors("nowhere.json")
    >>> ran["failed"], ran["files"][0]["failures"][0]["expected"]
    (1, 'a file')
    """
    named = files if isinstance(files, (list, tuple)) else [files]
    places = [_options.path(file, "files") for file in named]
    return document(_native.vectors(places, callback(progress)))


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
        start, way = _vector(origin, "origin"), _vector(direction, "direction")
        near, far = _options.number(tmin, "tmin"), _options.number(tmax, "tmax")
        if near < 0:
            raise OptionError(f"tmin: found {tmin}, expected at least 0")
        ray = [*start, *way, near, far]
    if shape is not None and not isinstance(shape, Shapes):
        _options.wrong("shape", shape, "Beams, Spheres or Frusta")
    if sum(what is not None for what in (ray, pixel, shape)) != 1:
        raise OptionError("origin and direction, pixel, shape: expected one of them")
    followed: tuple[int | None, int | None, int] | None = None
    if why is not None:
        ids = why if isinstance(why, (list, tuple)) else (why,)
        if not 1 <= len(ids) <= 3:
            raise OptionError("why: expected a primitive, with its geometry and instance before it")
        numbers = _options.integers(ids, "why", len(ids), 0, _WORD)
        instance, geometry, primitive = (None, None, None, *numbers)[-3:]
        assert primitive is not None
        followed = (instance, geometry, primitive)
    text = _native.walk(
        Scene.of(scene)._native,
        chosen_walker(machine, format, rebuild, preset, rule, stack_size),
        {
            "ray": ray,
            "pixel": None if pixel is None else _pair(pixel, "pixel", 0, _WORD),
            "size": picture_size(size),
            "camera": chosen_camera(camera),
            "shape": None if shape is None else shape._single(),
            "exact": _options.truth(exact, "exact"),
            "hits": _options.text(hits, "hits"),
            "mask": _options.integer(mask, "mask", 0, 0xFF),
            "steps": None if steps is None else _pair(steps, "steps", 0, _options.MOST),
            "why": followed,
            "against": _options.optional_text(against, "against"),
        },
        callback(progress),
    )
    return Walk(json.loads(text))


class Comparison(Document):
    """Formats side by side, as `siliray compare --json` has them: `rows` and `skipped`.

    In a notebook it is shown as the page that `siliray compare --html` writes.

    >>> import siliray
    >>> scene = siliray.Scene.open("organic", triangles=400)
    >>> compared = siliray.compare(scene, formats=["ttu"], presets=["fast"], rays=64)
    >>> [row["lost"] for row in compared["rows"]]
    [0]
    """

    #: The page.
    html: str = ""

    def _repr_html_(self) -> str:
        return page(self.html, 900)


def compare(
    scenes: SceneLike | list[SceneLike],
    *,
    formats: Sequence[str] = (),
    presets: Sequence[str] = (),
    machines: Sequence[str] = (),
    rays: int = 1024,
    progress: Progress = None,
) -> Comparison:
    """Compares node formats: bytes, work, cycles and lost hits, for the same scenes and rays.

    A format stands for the ways in which it is compared, `gfx12:policy=radv+obb=on` for one of
    them. Nothing said means all formats, and the presets fast, balanced and best.

    >>> import siliray
    >>> scene = siliray.Scene.open("organic", triangles=400)
    >>> compared = siliray.compare(scene, formats=["cwbvh", "ttu"], presets=["fast"], rays=64)
    >>> compared["rows"].columns()["format"]
    ['cwbvh', 'ttu']
    """
    all_scenes = scenes if isinstance(scenes, list) else [scenes]
    text, html = _native.compare(
        [Scene.of(scene)._native for scene in all_scenes],
        {
            "formats": _options.texts(formats, "formats"),
            "presets": _options.texts(presets, "presets"),
            "machines": _options.texts(machines, "machines"),
            "rays": _options.integer(rays, "rays", 1, _MOST_RAYS),
        },
        callback(progress),
    )
    compared = Comparison(json.loads(text))
    compared.html = html
    return compared


class Simulation(Document):
    """Runs of the traversal unit, as `siliray sim --json` has them: `runs`.

    In a notebook it is shown as the report that `siliray sim --report` writes.

    >>> import siliray
    >>> scene = siliray.Scene.open("organic", triangles=400)
    >>> run = siliray.simulate(scene, rays=256)["runs"][0]
    >>> run["cycles"] > 0, run["bound"] in run["bounds"]
    (True, True)
    """

    #: The report.
    html: str = ""

    def _repr_html_(self) -> str:
        return page(self.html, 900)


def simulate(
    scene: SceneLike | Image,
    config: Config | list[Config] = "patent",
    *,
    sweep: Mapping[str, Iterable[Json]] | None = None,
    workload: str = "primary",
    rays: int | None = None,
    queries: str | PathLike[str] | None = None,
    camera: Camera | None = None,
    format: str | None = None,
    preset: str | None = None,
    rebuild: bool = False,
    false_positives: bool = False,
    progress: Progress = None,
) -> Simulation:
    """Simulates the tree traversal unit of US 9,569,559, cycle by cycle.

    `config` is a shipped configuration (:func:`configs` lists them), a file, or a dict of
    parameters over the one that its key `base` names, `patent` else; a list of these is run one by
    one. `sweep` runs every combination of the values of its parameters. `workload` is `primary`,
    `occlusion`, `bounce` or `beams`; or the rays and beams of the file `queries`. A run's own
    `config` is a config again.

    >>> import siliray
    >>> sweep = {"l0_lines": [8, 64]}
    >>> scene = siliray.Scene.open("organic", triangles=400)
    >>> runs = siliray.simulate(scene, {"slots": 16}, sweep=sweep, rays=256)["runs"]
    >>> [run["settings"]["l0_lines"] for run in runs], runs[0]["cycles"] > runs[1]["cycles"]
    (['8', '64'], True)
    """
    configs = config if isinstance(config, list) else [config]
    swept = [(key, _values(key, all)) for key, all in _options.mapping(sweep, "sweep").items()]
    text, html = _native.simulate(
        Scene.of(scene)._native,
        {
            "configs": [_config(one) for one in configs],
            "sweeps": swept,
            "workload": _options.text(workload, "workload"),
            "rays": _options.optional_integer(rays, "rays", 1, _MOST_RAYS),
            "queries": None if queries is None else _options.path(queries, "queries"),
            "camera": chosen_camera(camera),
            "format": _options.optional_text(format, "format"),
            "preset": _options.optional_text(preset, "preset"),
            "rebuild": _options.truth(rebuild, "rebuild"),
            "false_positives": _options.truth(false_positives, "false_positives"),
        },
        callback(progress),
    )
    simulated = Simulation(json.loads(text))
    simulated.html = html
    return simulated


def configs() -> Document:
    """The shipped configurations of the traversal unit, and what parameters, counters, states and
    limits mean.

    >>> import siliray
    >>> siliray.configs()["configs"][0]["name"]
    'patent'
    """
    return document(_native.configs())


def conformance(
    images: ImageLike | list[ImageLike] | None = None,
    *,
    seed: int = 1,
    rays: int = 2000,
    only: Sequence[str] = (),
    stack_size: int = 16,
    progress: Progress = None,
) -> Document:
    """The law: every machine against brute force, bit for bit.

    Without images on worlds of its own, or the cells that `only` names, such as
    ``["machine=ttu", "preset=fast"]``; with images, every machine that reads them, on the bytes as
    they are: which hits each loses, and through which node and child.

    >>> import siliray
    >>> scene = siliray.Scene.open("organic", triangles=400)
    >>> image = siliray.build(scene, format="cwbvh").image
    >>> law = siliray.conformance(image, rays=200)
    >>> [machine["losses"] for machine in law["images"][0]["machines"]]
    [0, ...]
    """
    named = images if isinstance(images, list) else [] if images is None else [images]
    text = _native.law(
        [Image.of(image).scene()._native for image in named],
        {
            "seed": _options.integer(seed, "seed", 0, 2**64 - 1),
            "rays": _options.integer(rays, "rays", 1),
            "only": _options.texts(only, "only"),
            "stack_size": _options.integer(stack_size, "stack_size", 1, 31),
        },
        callback(progress),
    )
    return document(text)


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
    way = _vector(along, "along")
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
        "stack_size": _options.optional_integer(stack_size, "stack_size", 1, 31),
    }


def chosen_camera(camera: Camera | None) -> str | list[float] | None:
    """From where it is seen."""
    if camera is None or isinstance(camera, str):
        return camera
    return _options.vector(camera, "camera", 7, 10)


def picture_size(size: tuple[int, int]) -> tuple[int, int]:
    """Columns and rows of a picture."""
    return _pair(size, "size", 1, _WORD)


def _pair(values: object, name: str, low: int, high: int) -> tuple[int, int]:
    first, second = _options.integers(values, name, 2, low, high)
    return first, second


def _config(config: Config) -> tuple[str, list[str]]:
    if isinstance(config, Mapping):
        settings = _options.mapping(config, "config")
        base = _options.path(settings.pop("base", "patent"), "config: base")
        values = settings.items()
        return base, [f"{key}={_value(value, f'config: {key}')}" for key, value in values]
    if isinstance(config, (str, PathLike)):
        return _options.path(config, "config"), []
    _options.wrong("config", config, "a name, a file or a dict")


def _values(key: str, values: object) -> list[str]:
    name = f"sweep: {key}"
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        _options.wrong(name, values, "a list of values")
    return [_value(value, name) for value in values]


def _value(value: Json, name: str) -> str:
    if isinstance(value, (bool, np.bool_)):
        return str(value).lower()
    if not isinstance(value, (str, int, float, np.integer, np.floating)):
        _options.wrong(name, value, "a number, a text, True or False")
    return str(value)


def _vector(values: Vector, name: str) -> tuple[float, float, float]:
    x, y, z = _options.vector(values, name, 3)
    return x, y, z
