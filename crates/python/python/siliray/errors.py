"""What can go wrong. Every exception of this package is an :class:`Error`; its text is the
library's own, and names the place.

>>> import siliray
>>> try:
...     siliray.Scene.open("no-such-file.obj")
... except siliray.FileError as error:
...     print(error)
no-such-file.obj: No such file or directory (os error 2)
"""


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
    """A file cannot be read."""


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
    """A scene cannot be traced."""
