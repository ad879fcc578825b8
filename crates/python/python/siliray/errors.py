"""What can go wrong. Every exception of this package is an :class:`Error`; its text is the
library's own, and names the place.

>>> import siliray
>>> try:
...     siliray.Scene.open("no-such-file.obj")
... except siliray.FileError as error:
...     print(error)
no-such-file.obj: No such file or directory (os error 2)
"""

from __future__ import annotations

import errno


class Error(Exception):
    """Any error of siliray."""


class ArrayError(Error, ValueError):
    """An array has the wrong shape."""


class DtypeError(Error, TypeError):
    """An array has the wrong type of elements."""


class RangeError(ArrayError):
    """A number in an array is larger or smaller than what single floats hold."""


class BuildError(Error, ValueError):
    """No tree can be built from a scene."""


class FileError(Error, OSError):
    """A file cannot be read or written. Where the system says why, `errno` has its number and
    `filename` the file.

    >>> import errno, siliray
    >>> try:
    ...     siliray.Image.open("no-such-file.rra")
    ... except FileNotFoundError as error:
    ...     print(isinstance(error, siliray.FileError), error.errno == errno.ENOENT, error.filename)
    True True no-such-file.rra
    """

    def __new__(
        cls, text: str, code: int | None = None, filename: str | None = None
    ) -> FileError:
        kind = MissingFileError if cls is FileError and code == errno.ENOENT else cls
        return super().__new__(kind, text)

    def __init__(self, text: str, code: int | None = None, filename: str | None = None) -> None:
        super().__init__(text)
        self.errno, self.filename = code, filename

    @classmethod
    def of(cls, error: OSError | ValueError, file: str) -> FileError:
        """What Python says of a file, as one of siliray's.

        >>> import siliray
        >>> siliray.FileError.of(PermissionError(13, "Permission denied"), "a.rra").errno
        13
        """
        if isinstance(error, OSError):
            return cls(f"{file}: {error.strerror}", error.errno, file)
        return cls(f"{file}: {error}", None, file)

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[type[FileError], tuple[str, int | None, str | None]]:
        return type(self), (self.args[0], self.errno, self.filename)


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file."""


class ImageError(Error, ValueError):
    """The bytes of an image are broken, not safe to walk, or cannot hold a tree."""


class MachineError(Error, RuntimeError):
    """A machine has no answer."""


class NameError(Error, ValueError):
    """There is no format, machine, preset … of that name."""


class OptionError(Error, ValueError):
    """An option makes no sense, or not together with another."""


class RoomError(Error, MemoryError):
    """There is no memory for so many answers."""


class ProgramError(Error, ValueError):
    """A program is none, or has a fault."""


class SceneError(Error, ValueError):
    """A scene is not sound: a coordinate that is not finite, an index out of range …"""


class TraceError(Error, ValueError):
    """A scene cannot be traced, or a tracer not be saved, read or moved."""
