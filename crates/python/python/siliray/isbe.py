"""ISBE, the staging memory of mesh shaders: dumps, layouts, programs.

>>> import siliray
>>> from siliray import isbe
>>> dump = isbe.capture("organic")
>>> isbe.info(dump)["stage"], isbe.mesh(dump).triangles == siliray.Scene.open("organic").triangles
('mesh', True)
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TypeAlias, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _arrays, _native, _options
from ._document import Document, Table, document
from ._image import Image
from ._scene import Scene, SceneLike
from .errors import ArrayError, FileError

#: A path, or the bytes of a dump.
DumpLike: TypeAlias = Union[str, PathLike[str], bytes, bytearray, memoryview]

#: The largest numbers of 16 and of 32 bits.
_HALF, _WORD = 2**16 - 1, 2**32 - 1

__all__ = [
    "DumpLike",
    "Run",
    "assemble",
    "attributes",
    "capture",
    "check",
    "disassemble",
    "info",
    "inspect",
    "layout",
    "mesh",
    "run",
]


def info(dump: DumpLike) -> Document:
    """What is in a dump: the keys of `siliray isbe info --json`.

    >>> import siliray
    >>> from siliray import isbe
    >>> scene = siliray.Scene.open("organic", triangles=400)
    >>> isbe.info(isbe.capture(scene, vertices=64))["stage"]
    'mesh'
    """
    return document(_native.isbe_info(*_dump(dump)))


def check(dump: DumpLike) -> Document:
    """Checks every byte of a dump: the keys of `siliray check --json`.

    >>> import siliray
    >>> from siliray import isbe
    >>> scene = siliray.Scene.open("organic", triangles=400)
    >>> isbe.check(isbe.capture(scene))["errors"]
    0
    """
    name, data = _dump(dump)
    return Image.from_bytes(data, name if name.endswith(".isbe") else f"{name}.isbe").check()


def inspect(
    dump: DumpLike, *, workgroup: int = 0, offset: int | Sequence[int] = ()
) -> Document:
    """The vertices and primitives of a workgroup, or what bytes of the file are.

    >>> import siliray
    >>> from siliray import isbe
    >>> scene = siliray.Scene.open("organic", triangles=400)
    >>> dump = isbe.capture(scene)
    >>> isbe.inspect(dump, workgroup=1)["workgroups"] == isbe.info(dump)["workgroups"]
    True
    >>> isbe.inspect(dump, offset=0)["bytes"][0]["value"] == dump[0]
    True
    """
    places = offset if _options.is_list(offset) else [offset]
    offsets = _options.integers(places, "offset", len(places), 0, 2**64 - 1)
    number = _options.integer(workgroup, "workgroup")
    return document(_native.isbe_inspect(*_dump(dump), number, offsets))


def attributes() -> Table:
    """All attributes: ids, names, units and meanings, bits in a header.

    >>> from siliray import isbe
    >>> next(row for row in isbe.attributes() if row["name"] == "POSITION_X")["word"]
    'f32'
    """
    return Table(json.loads(_native.isbe_attributes())["attributes"])


def layout(
    attributes: Iterable[str],
    vertices: int,
    *,
    primitive_attributes: Iterable[str] = (),
    primitives: int = 256,
    topology: str = "triangles",
    shared_lines: int = 0,
) -> Document:
    """Where attributes and indices lie.

    >>> from siliray import isbe
    >>> isbe.layout(["POSITION"], 64)["vertices"]["group_bytes"]
    512
    """
    return document(
        _native.isbe_layout(
            {
                "attributes": _options.texts(attributes, "attributes"),
                "vertices": _options.integer(vertices, "vertices", 0, _WORD),
                "primitive_attributes": _options.texts(
                    primitive_attributes, "primitive_attributes"
                ),
                "primitives": _options.integer(primitives, "primitives", 0, _WORD),
                "topology": _options.text(topology, "topology"),
                "shared_lines": _options.integer(shared_lines, "shared_lines", 0, _HALF),
            }
        )
    )


def assemble(text: str, *, sm: int = 86) -> bytes:
    """Instructions as bytes, little endian.

    >>> from siliray import isbe
    >>> words = isbe.assemble("ISBERD.O.ATTR.SKEW.32 R1, [R2+0x42];")
    >>> isbe.disassemble(words)[0]["text"]
    'ISBERD.O.ATTR.SKEW.32 R1, [R2+0x42];'
    """
    return _native.isbe_assemble(_options.text(text, "text"), _sm(sm))[1]


def disassemble(program: bytes | str, *, sm: int = 86) -> Table:
    """Words as instructions, each with `position`, `words`, `text` and `error`: of bytes, or of a
    text with 16 hex digits a word.

    >>> from siliray import isbe
    >>> words = isbe.assemble("ISBERD.O.ATTR.SKEW.32 R1, [R2+0x42];")
    >>> isbe.disassemble(words).columns()["text"]
    ['ISBERD.O.ATTR.SKEW.32 R1, [R2+0x42];']
    """
    data = program.encode() if isinstance(program, str) else _options.data(program, "program")
    return Table(json.loads(_native.isbe_disassemble(data, _sm(sm)))["instructions"])


def mesh(
    dump: DumpLike,
    *,
    position: str = "POSITION",
    inverse_view_projection: ArrayLike | None = None,
) -> Scene:
    """The scene in a dump. `position` is the attribute that holds world positions; or
    `inverse_view_projection`, (4, 4), leads from clip space to the world.

    >>> import siliray
    >>> from siliray import isbe
    >>> scene = siliray.Scene.open("organic", triangles=400)
    >>> isbe.mesh(isbe.capture(scene)).triangles == scene.triangles
    True
    """
    matrix = None
    if inverse_view_projection is not None:
        rows = _arrays.floats(inverse_view_projection, "inverse_view_projection")
        if rows.shape != (4, 4):
            raise ArrayError(
                f"inverse_view_projection: found an array of shape {rows.shape}, expected (4, 4)"
            )
        matrix = rows.tolist()
    attribute = _options.text(position, "position")
    _, scene = _native.isbe_mesh(*_dump(dump), attribute, matrix)
    return Scene._wrap(scene)


def capture(
    scene: SceneLike,
    *,
    sm: int = 86,
    vertices: int = 128,
    primitives: int = 256,
    position: str = "POSITION",
) -> bytes:
    """A scene as a dump: split into meshlets of at most so many vertices and triangles, each a
    workgroup.

    >>> import siliray
    >>> from siliray import isbe
    >>> scene = siliray.Scene.open("organic", triangles=400)
    >>> few, many = (isbe.capture(scene, primitives=count) for count in (256, 32))
    >>> isbe.info(few)["workgroups"] < isbe.info(many)["workgroups"]
    True
    """
    return _native.isbe_capture(
        Scene.of(scene)._native,
        _sm(sm),
        _options.integer(vertices, "vertices", 0, _HALF),
        _options.integer(primitives, "primitives", 0, _HALF),
        _options.text(position, "position"),
    )[1]


class Run(Document):
    """What a program leaves: the keys of `siliray isbe run --json`.

    >>> from siliray import isbe
    >>> left = isbe.run("AST a[0x70], R1, R0;", registers={"R0": "lane", "R1": 7}, lanes=4)
    >>> isbe.info(left.dump)["workgroups"]
    1
    """

    #: The memory, as a dump.
    dump: bytes = b""


def run(
    program: str,
    dump: DumpLike | None = None,
    *,
    workgroup: int = 0,
    lanes: int = 32,
    registers: Mapping[str, str | int | float] | None = None,
    share: bool = False,
    patch: int = 0,
    prim: int = 0,
    stage: str = "mesh",
    sm: int = 86,
    attributes: Iterable[str] = ("POSITION",),
    vertices: int = 32,
    inputs: Iterable[str] = (),
    input_vertices: int = 32,
    primitive_attributes: Iterable[str] = (),
    primitives: int = 32,
    topology: str = "triangles",
) -> Run:
    """Runs a program of ISBERD, ISBEWR, ALD, AST, AL2P and VILD on a unit of a dump, or on a unit
    with empty memory that the other arguments describe.

    >>> from siliray import isbe
    >>> ran = isbe.run("AST a[0x70], R1, R0;", registers={"R0": "lane", "R1": 7}, lanes=4)
    >>> ran["instructions"], len(ran["memory"]["ATTR"]) > 0
    (1, True)
    """
    set_to = _options.mapping(registers, "registers")
    text, memory = _native.isbe_run(
        _options.text(program, "program"),
        {
            "lanes": _options.integer(lanes, "lanes", 1, _HALF),
            "registers": [f"{key}={_register(value, key)}" for key, value in set_to.items()],
            "dump": None if dump is None else _dump(dump),
            "workgroup": _options.integer(workgroup, "workgroup", 0, _WORD),
            "share": _options.truth(share, "share"),
            "patch": _options.integer(patch, "patch", 0, _HALF),
            "prim": _options.integer(prim, "prim", 0, _HALF),
            "stage": _options.text(stage, "stage"),
            "sm": _sm(sm),
            "attributes": _options.texts(attributes, "attributes"),
            "vertices": _options.integer(vertices, "vertices", 0, _HALF),
            "inputs": _options.texts(inputs, "inputs"),
            "input_vertices": _options.integer(input_vertices, "input_vertices", 0, _HALF),
            "primitive_attributes": _options.texts(primitive_attributes, "primitive_attributes"),
            "primitives": _options.integer(primitives, "primitives", 0, _HALF),
            "topology": _options.text(topology, "topology"),
        },
    )
    left = Run(json.loads(text))
    left.dump = memory
    return left


def _register(value: object, name: str) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float, np.number)):
        _options.wrong(f"registers: {name}", value, "a number or a text")
    return str(value)


def _sm(sm: int) -> int:
    return _options.integer(sm, "sm", 0, _HALF)


def _dump(dump: DumpLike) -> tuple[str, bytes]:
    if not isinstance(dump, (str, PathLike)):
        return "dump", _options.data(dump, "dump")
    place = _options.path(dump, "dump")
    try:
        return place, Path(place).read_bytes()
    except (OSError, ValueError) as error:
        raise FileError.of(error, place) from error
