"""Pictures, heat maps, and maps of lost pixels."""

from __future__ import annotations

import json
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native, _options
from ._document import Document
from ._image import Image, write_file
from ._progress import Progress, callback
from ._scene import Scene, SceneLike
from ._walk import Camera, chosen_camera, chosen_walker, picture_size
from .errors import OptionError


class Rendering(Document):
    """A picture; its figures have the keys of `siliray render --json`.

    >>> import siliray
    >>> scene = siliray.Scene.open("organic", triangles=400)
    >>> map = siliray.render(scene, heatmap="boxes", size=(64, 48))
    >>> map.counts.shape, int(map.counts.max()) == map["heatmap"]["most"]
    ((48, 64), True)
    """

    #: The picture as the bytes of a PNG file, of a heat map with its legend.
    png: bytes
    #: The pixels in sRGB, (rows, columns, 3).
    pixels: NDArray[np.uint8]
    #: Of a heat map: what was counted for each pixel, (rows, columns).
    counts: NDArray[np.uint32] | None

    def __init__(
        self,
        values: dict[str, Any],
        png: bytes,
        pixels: NDArray[np.uint8],
        counts: NDArray[np.uint32] | None,
    ) -> None:
        super().__init__(values)
        self.png, self.pixels, self.counts = png, pixels, counts

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the PNG file.

        >>> import pathlib, siliray, tempfile
        >>> picture = siliray.render("organic", size=(32, 24), samples=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     picture.save(f"{folder}/organic.png")
        ...     pathlib.Path(folder, "organic.png").read_bytes()[1:4]
        b'PNG'
        """
        write_file(path, self.png)

    def _repr_png_(self) -> bytes:
        return self.png

    # The picture says more than its figures.
    def _repr_html_(self) -> None:  # type: ignore[override]
        return None

    def __repr__(self) -> str:
        what = self["heatmap"]["measure"] if self["heatmap"] else "picture"
        size = f"{self['width']}x{self['height']}"
        return f"<siliray.Rendering of {self['scene']!r}: {what}, {size} by {self['machine']}>"


def render(
    scene: SceneLike | Image,
    *,
    size: tuple[int, int] = (640, 480),
    samples: int = 4,
    heatmap: str | None = None,
    scale: int | None = None,
    losses: bool = False,
    camera: Camera | None = None,
    machine: str | None = None,
    format: str | None = None,
    rebuild: bool = False,
    preset: str | None = None,
    rule: str = "watertight",
    stack_size: int | None = None,
    progress: Progress = None,
) -> Rendering:
    """Renders what a machine sees; an image is walked as it is stored.

    A picture in soft light; or, with `heatmap`, how much work each pixel took the machine: `boxes`,
    `triangles` or `nodes`, of every machine but the hart also `bytes`, and of the machine `ttu`
    also `blocks` or `cycles`; or, with `losses`, the pixels whose hit the machine misses, in red.

    >>> import siliray
    >>> scene = siliray.Scene.open("organic", triangles=400)
    >>> radv = siliray.build(scene, format="gfx12", settings={"policy": "radv"}).image
    >>> siliray.render(radv, losses=True, machine="gfx12-radv", size=(64, 48))["losses"]["wrong"]
    0
    """
    losses = _options.truth(losses, "losses")
    if heatmap is not None and losses:
        raise OptionError("heatmap and losses: expected one of them")
    brightest = _options.optional_integer(scale, "scale", 1, _options.WORD)
    if brightest is not None and heatmap is None:
        raise OptionError("scale: expected the count with the brightest colour of a heat map")
    text, png, pixels, counts = _native.render(
        Scene.of(scene)._native,
        chosen_walker(machine, format, rebuild, preset, rule, stack_size),
        {
            "size": picture_size(size),
            "samples": _options.integer(samples, "samples", 1, _options.WORD),
            "heatmap": _options.optional_text(heatmap, "heatmap"),
            "scale": brightest,
            "losses": losses,
            "camera": chosen_camera(camera),
        },
        callback(progress),
    )
    return Rendering(json.loads(text), png, pixels, counts)
