"""Comparisons of formats, simulations of the traversal unit, the law."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, TypeAlias, Union

from . import _native, _options
from ._document import Document, Json, document, page
from ._image import Image, ImageLike
from ._progress import Progress, callback
from ._scene import Scene, SceneLike
from ._walk import Camera, chosen_camera
from .errors import OptionError

#: Rays that are held in memory at once; more are a mistake.
_MOST_RAYS = 10**8
#: A shipped configuration, a file, or parameters by name over `base` (by default "patent").
Config: TypeAlias = Union[str, PathLike[str], Mapping[str, Json]]


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
        [_config(one) for one in configs],
        swept,
        _choice(
            workload=workload,
            rays=rays,
            queries=queries,
            camera=camera,
            format=format,
            preset=preset,
            rebuild=rebuild,
            false_positives=false_positives,
        ),
        callback(progress),
    )
    simulated = Simulation(json.loads(text))
    simulated.html = html
    return simulated


class Simulator:
    """What is walked and asked, prepared once for the runs of many configurations. The options are
    those of :func:`simulate`."""

    def __init__(self, scene: SceneLike | Image, **options: Any) -> None:
        usual = (simulate.__kwdefaults__ or {}) | options
        chosen = {name: usual[name] for name in usual if name not in ("sweep", "progress")}
        self._native = _native.Simulator(Scene.of(scene)._native, _choice(**chosen))

    def run(self, config: Config) -> dict[str, Json]:
        """The run of a configuration, as :func:`simulate` has it in `runs`."""
        run: dict[str, Json] = json.loads(self._native.run(_config(config)))["runs"][0]
        return run


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
    if images is not None and not named:
        _options.wrong("images", images, "images, or None for worlds of its own")
    cells = _options.texts(only, "only")
    if named and cells:
        raise OptionError("only: it chooses among the law's own worlds, and there are images")
    text = _native.law(
        [Image.of(image).scene()._native for image in named],
        {
            "seed": _options.integer(seed, "seed", 0, 2**64 - 1),
            "rays": _options.integer(rays, "rays", 1),
            "only": cells,
            "stack_size": _options.integer(stack_size, "stack_size", 1, 0xFF),
        },
        callback(progress),
    )
    return document(text)


def _choice(
    *,
    workload: str,
    rays: int | None,
    queries: str | PathLike[str] | None,
    camera: Camera | None,
    format: str | None,
    preset: str | None,
    rebuild: bool,
    false_positives: bool,
) -> _native.SimChoice:
    return {
        "workload": _options.text(workload, "workload"),
        "rays": _options.optional_integer(rays, "rays", 1, _MOST_RAYS),
        "queries": None if queries is None else _options.path(queries, "queries"),
        "camera": chosen_camera(camera),
        "format": _options.optional_text(format, "format"),
        "preset": _options.optional_text(preset, "preset"),
        "rebuild": _options.truth(rebuild, "rebuild"),
        "false_positives": _options.truth(false_positives, "false_positives"),
    }


def _config(config: Config) -> tuple[str, list[str]]:
    if isinstance(config, Mapping):
        settings = _options.mapping(config, "config")
        base = _options.path(settings.pop("base", "patent"), "config: base")
        values = settings.items()
        return base, [f"{key}={_options.value(value, f'config: {key}')}" for key, value in values]
    if isinstance(config, (str, PathLike)):
        return _options.path(config, "config"), []
    _options.wrong("config", config, "a name, a file or a dict")


def _values(key: str, values: object) -> list[str]:
    name = f"sweep: {key}"
    return [_options.value(one, name) for one in _options.listed(values, name, "a list of values")]
