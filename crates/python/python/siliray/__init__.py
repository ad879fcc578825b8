"""siliray: ray-tracing silicon, in software.

Trace many rays against meshes, fast and without a missed hit; look into the acceleration structures
of drivers; simulate ray-tracing hardware.

>>> import siliray
>>> tracer = siliray.Tracer("interior")
>>> tracer.any([[0.0, 1.5, 0.0]], [[0.0, -1.0, 0.0]]).shape
(1,)
"""

from . import isbe
from ._build import Built, build
from ._contacts import AllContacts, Contacts
from ._document import Document, Table
from ._hits import MISS, AllHits, Hits
from ._image import Image, RawMemory
from ._inspect import check, diff, inspect, intersect, vectors
from ._native import version as __version__
from ._nearest import NearestPoints
from ._refit import Refit
from ._render import Rendering, render
from ._scene import Geometry, Instance, Scene
from ._shapes import Beams, Frusta, Shapes, Spheres
from ._simulate import Comparison, Simulation, compare, configs, conformance, simulate
from ._tracer import Tracer
from ._walk import Walk, clearance, walk
from .errors import (
    ArrayError,
    BuildError,
    DtypeError,
    Error,
    FileError,
    ImageError,
    MachineError,
    MissingFileError,
    OptionError,
    ProgramError,
    RangeError,
    RoomError,
    SceneError,
    TraceError,
)

# Not for `import *`: Python has an error of that name, too.
from .errors import NameError as NameError

__all__ = [
    "MISS",
    "AllContacts",
    "AllHits",
    "ArrayError",
    "Beams",
    "BuildError",
    "Built",
    "Comparison",
    "Contacts",
    "Document",
    "DtypeError",
    "Error",
    "FileError",
    "Frusta",
    "Geometry",
    "Hits",
    "Image",
    "ImageError",
    "Instance",
    "MachineError",
    "MissingFileError",
    "NearestPoints",
    "OptionError",
    "ProgramError",
    "RangeError",
    "RawMemory",
    "Refit",
    "Rendering",
    "RoomError",
    "Scene",
    "SceneError",
    "Shapes",
    "Simulation",
    "Spheres",
    "Table",
    "TraceError",
    "Tracer",
    "Walk",
    "__version__",
    "build",
    "check",
    "clearance",
    "compare",
    "configs",
    "conformance",
    "diff",
    "inspect",
    "intersect",
    "isbe",
    "render",
    "simulate",
    "vectors",
    "walk",
]
