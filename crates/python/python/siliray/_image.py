"""Images: acceleration structures as the bytes that hardware reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, Union

from . import _options
from ._document import Document, document
from ._native import Image as _Native
from .errors import FileError, OptionError

if TYPE_CHECKING:
    from ._native import ReadChoice
    from ._scene import Scene, SceneLike

#: An image, a path, or the bytes of a file.
ImageLike: TypeAlias = Union["Image", str, PathLike[str], bytes, bytearray, memoryview]


@dataclass(frozen=True)
class RawMemory:
    """Where nodes lie in raw memory.

    >>> from siliray import RawMemory
    >>> RawMemory(base=0x40, primitive_base=0x4C0, root=0x5).format
    'gfx12'
    """

    #: The address that box nodes count from.
    base: int
    #: The pointer of the first node.
    root: int
    #: The address that other nodes count from; the base by default.
    primitive_base: int | None = None
    #: Its format.
    format: str = "gfx12"
    #: Who wrote it, of the formats `gfx10-bvh4` and `gfx11-bvh4`: `own`, `radv`, `gpurt`, `hiprt`
    #: or `radv-file`; what the headers before its nodes say by default.
    writer: str | None = None
    #: The address of its first byte, so that the addresses in instances lead to their structures.
    address: int = 0


class Image:
    """An acceleration structure as bytes: what a driver wrote, or what :func:`siliray.build` made.

    It may be broken: :func:`siliray.check` says what is wrong with it. Where a scene is taken, an
    image is taken too, and is walked as it is stored.

    >>> import siliray
    >>> scene = siliray.Scene.open("organic", triangles=400)
    >>> image = siliray.build(scene, format="gfx12", preset="fast").image
    >>> image
    <siliray.Image 'organic.rra': gfx12, ... bytes>
    >>> siliray.Image.from_bytes(image.to_bytes(), "again.rra").check()["sound"]
    True
    """

    __slots__ = ("_choice", "_native")
    _native: _Native
    #: How the image is found in the bytes.
    _choice: ReadChoice

    @classmethod
    def _wrap(cls, native: _Native, choice: ReadChoice) -> Image:
        image = cls.__new__(cls)
        image._native, image._choice = native, choice
        return image

    @classmethod
    def _made(cls, native: _Native) -> Image:
        """What a build has made."""
        return cls._wrap(native, _choice(None, None) | {"format": native.format})

    def __reduce__(self) -> tuple[Callable[..., Image], tuple[object, ...]]:
        """Sent to another process as the bytes of the file."""
        return _read, (self.name, self.to_bytes(), self._choice)

    @classmethod
    def open(
        cls,
        path: str | PathLike[str],
        *,
        structure: int | None = None,
        raw: RawMemory | None = None,
    ) -> Image:
        """The image in a file: an `.rra` capture, a file that build wrote, a dump, raw memory.

        Of a file with several structures it starts in number `structure`, or in the largest.

        >>> import siliray, tempfile
        >>> made = siliray.build(siliray.Scene.open("organic", triangles=400), format="gfx12").image
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     made.save(f"{folder}/organic.rra")
        ...     image = siliray.Image.open(f"{folder}/organic.rra")
        >>> image.format, image.to_bytes() == made.to_bytes()
        ('gfx12', True)
        """
        choice = _choice(structure, raw)
        return cls._wrap(_Native.open(_options.path(path, "path"), choice), choice)

    @classmethod
    def from_bytes(
        cls,
        data: bytes | bytearray | memoryview,
        name: str = "image",
        *,
        structure: int | None = None,
        raw: RawMemory | None = None,
    ) -> Image:
        """The image in the bytes of a file called `name`.

        >>> import siliray
        >>> made = siliray.build(siliray.Scene.open("organic", triangles=400), format="ttu").image
        >>> siliray.Image.from_bytes(bytes(made), "organic.ttu").format
        'ttu'
        """
        held, called = _options.data(data, "data"), _options.text(name, "name")
        return _read(called, held, _choice(structure, raw))

    @classmethod
    def of(cls, thing: ImageLike) -> Image:
        """An image of whatever describes one: an image, a path, or the bytes of a file.

        >>> import siliray
        >>> siliray.Image.of(b"nothing of the kind").check()["sound"]
        False
        """
        if isinstance(thing, Image):
            return thing
        if isinstance(thing, (bytes, bytearray, memoryview)):
            return cls.from_bytes(thing)
        if isinstance(thing, (str, PathLike)):
            return cls.open(thing)
        _options.wrong("image", thing, "an image, a path or bytes")

    def to_bytes(self) -> bytes:
        """The bytes of the file.

        >>> import siliray
        >>> image = siliray.build("organic", format="cwbvh").image
        >>> len(image.to_bytes()) == image.nbytes
        True
        """
        return self._native.to_bytes()

    __bytes__ = to_bytes

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the file.

        >>> import siliray, tempfile
        >>> image = siliray.build(siliray.Scene.open("organic", triangles=400), format="ttu").image
        >>> with tempfile.NamedTemporaryFile(suffix=".ttu") as file:
        ...     image.save(file.name)
        ...     siliray.check(file.name)["sound"]
        True
        """
        write_file(path, self.to_bytes())

    def check(self, *, scene: SceneLike | None = None) -> Document:
        """What :func:`siliray.check` finds.

        >>> import siliray
        >>> scene = siliray.Scene.open("organic", triangles=400)
        >>> image = siliray.build(scene, format="gfx12").image
        >>> image.check(scene=scene)["errors"]
        0
        """
        from ._scene import Scene

        return document(self._native.check(None if scene is None else Scene.of(scene)._native))

    def scene(self) -> Scene:
        """The image as a scene, which machines walk as it is stored; it must be sound.

        >>> import siliray
        >>> scene = siliray.Scene.open("organic", triangles=400)
        >>> siliray.build(scene, format="gfx12").image.scene().format
        'gfx12'
        """
        from ._scene import Scene

        return Scene.of(self)

    @property
    def name(self) -> str:
        """What the file is called."""
        return self._native.name

    @property
    def format(self) -> str:
        """Its format."""
        return self._native.format

    @property
    def nbytes(self) -> int:
        """Bytes of the file."""
        return self._native.nbytes

    def __repr__(self) -> str:
        return f"<siliray.Image {self.name!r}: {self.format}, {self.nbytes} bytes>"

    def _repr_html_(self) -> str:
        from ._inspect import inspect

        found = self.check()
        if found["nodes"] == 0:
            return Document(found)._repr_html_()
        totals = Document(
            {"name": self.name, "format": self.format, "bytes": self.nbytes}
            | inspect(self)["totals"]
            | {key: found[key] for key in ("sound", "errors", "warnings")}
        )
        return totals._repr_html_()

    def _repr_png_(self) -> bytes | None:
        from ._render import render

        if not self.check()["sound"]:
            return None
        return render(self, size=(480, 360)).png


def _read(name: str, data: bytes, choice: ReadChoice) -> Image:
    return Image._wrap(_Native.from_bytes(name, data, choice), choice)


def write_file(path: str | PathLike[str], data: bytes) -> None:
    """Writes a file."""
    place = _options.path(path, "path")
    try:
        Path(place).write_bytes(data)
    except (OSError, ValueError) as error:
        raise FileError.of(error, place) from error


def _choice(structure: int | None, raw: RawMemory | None) -> ReadChoice:
    start = _options.optional_integer(structure, "structure")
    if raw is None:
        return {"structure": start, "raw": None, "writer": None, "format": "gfx12"}
    if not isinstance(raw, RawMemory):
        _options.wrong("raw", raw, "RawMemory")
    if start is not None:
        raise OptionError("structure and raw: raw memory has no structures to start in")
    last = 2**64 - 1
    address = _options.integer(raw.address, "address", 0, last)
    base = _options.integer(raw.base, "base", 0, last)
    primitives = _options.optional_integer(raw.primitive_base, "primitive_base", 0, last)
    root = _options.integer(raw.root, "root", 0, last)
    return {
        "structure": None,
        "raw": (address, base, primitives, root),
        "writer": _options.optional_text(raw.writer, "writer"),
        "format": _options.text(raw.format, "format"),
    }


def words(values: Sequence[int] | None, name: str, count: int) -> list[int] | None:
    """So many words of 32 bits."""
    if values is None:
        return None
    return _options.integers(values, name, count, 0, 2**32 - 1)
