"""What is in images: checks, fields, instructions, differences, vectors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from os import PathLike

from . import _native, _options
from ._document import Document, document
from ._image import Image, ImageLike, words
from ._options import Vector
from ._progress import Progress, callback
from ._scene import SceneLike
from .errors import OptionError


def check(image: ImageLike, *, scene: SceneLike | None = None) -> Document:
    """Proves that an image is safe to walk, or says what is wrong with it. Of a `scene` that it was
    made of, every primitive must be in it, bit for bit.

    The keys are those of `siliray check --json`: `sound`, `errors`, `warnings`, `findings` …

    >>> import siliray
    >>> scene = siliray.Scene.open("organic", triangles=400)
    >>> broken = bytearray(siliray.build(scene, format="gfx12").image.to_bytes())
    >>> broken[0:4] = b"oops"
    >>> siliray.check(broken)["findings"][0]["rule"]
    'container_magic'
    """
    return Image.of(image).check(scene=scene)


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
    levels = _options.optional_integer(depth, "depth", 1, _options.WORD)
    wanted: tuple[int | None, int] | None = None
    if primitive is not None:
        if isinstance(primitive, tuple):
            geometry, number = _options.integers(primitive, "primitive", 2, 0, _options.WORD)
            wanted = geometry, number
        else:
            wanted = None, _options.integer(primitive, "primitive", 0, _options.WORD)
    return document(
        Image.of(image)._native.inspect(
            {
                "node": _options.optional_integer(node, "node", 0, 2**64 - 1),
                "primitive": wanted,
                "offset": _options.optional_integer(offset, "offset", 0, 2**64 - 1),
                "point": None if point is None else _options.point(point, "point"),
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
    pointers = node if _options.is_list(node) else [node]
    nodes = _options.integers(pointers, "node", len(pointers), 0, _options.WORD)
    return document(
        Image.of(image)._native.intersect(
            {
                "nodes": nodes,
                "origin": _options.point(origin, "origin"),
                "direction": _options.point(direction, "direction"),
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
