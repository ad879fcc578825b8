"""Trees, and their images."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np

from . import _native, _options
from ._document import Document
from ._image import Image
from ._progress import Progress, callback
from ._scene import Scene, SceneLike
from .errors import OptionError


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
    settings: Mapping[str, str | bool | float] | None = None,
    width: int | None = None,
    max_leaf: int | None = None,
    ending: str | None = None,
    progress: Progress = None,
) -> Built:
    """Builds trees over a scene, and lays one out in a format of hardware.

    Without `format`, one tree for each preset. With it, one tree, whose image is
    :attr:`Built.image`; `settings` are those of the format, such as ``{"policy": "radv"}``; True
    is `on`.
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
            "settings": [
                (key, _setting(one, f"settings: {key}")) for key, one in set_to.items()
            ],
            "width": _options.optional_integer(width, "width", 1),
            "max_leaf": _options.optional_integer(max_leaf, "max_leaf", 1),
            "ending": _options.optional_text(ending, "ending"),
        },
        callback(progress),
    )
    built = Built(json.loads(text))
    built.image = None if image is None else Image._made(image)
    return built


def _setting(value: object, name: str) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "on" if value else "off"
    return _options.value(value, name)
