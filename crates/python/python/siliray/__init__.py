"""siliray: ray-tracing silicon, in software.

Trace many rays against meshes, fast and without a missed hit; look into the acceleration structures
of drivers; simulate ray-tracing hardware.

>>> import siliray
>>> tracer = siliray.Tracer("interior")
>>> tracer.any([[0.0, 1.5, 0.0]], [[0.0, -1.0, 0.0]]).shape
(1,)
"""

from ._hits import MISS, AllHits, Hits
from ._scene import Geometry, Instance, Scene
from ._tracer import Tracer
from .errors import (
    ArrayError,
    BuildError,
    DtypeError,
    Error,
    FileError,
    ImageError,
    MachineError,
    NameError,
    OptionError,
    SceneError,
    TraceError,
)

__all__ = [
    "MISS",
    "AllHits",
    "ArrayError",
    "BuildError",
    "DtypeError",
    "Error",
    "FileError",
    "Geometry",
    "Hits",
    "ImageError",
    "Instance",
    "MachineError",
    "NameError",
    "OptionError",
    "Scene",
    "SceneError",
    "TraceError",
    "Tracer",
]
