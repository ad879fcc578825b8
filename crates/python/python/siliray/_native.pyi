"""The extension module: arguments have their shape already."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, TypeAlias

from numpy import bool_, float32, int64, uint32
from numpy.typing import NDArray

Progress: TypeAlias = Callable[[int, int], object]
Array: TypeAlias = NDArray[Any]
Rays: TypeAlias = tuple[Array, Array | None, Array | None, Array | None]
Columns: TypeAlias = tuple[
    NDArray[float32],
    NDArray[float32],
    NDArray[float32],
    NDArray[uint32],
    NDArray[uint32],
    NDArray[uint32],
]

class Scene:
    @staticmethod
    def from_arrays(
        name: str,
        objects: Sequence[Sequence[tuple[Array, Array, str, bool]]],
        instances: Sequence[tuple[int, Sequence[Sequence[float]], int, int, int]],
    ) -> Scene: ...
    @staticmethod
    def open(name: str | PathLike[str], triangles: int | None) -> Scene: ...
    @staticmethod
    def from_bytes(name: str | PathLike[str], bytes: bytes) -> Scene: ...
    @property
    def name(self) -> str: ...
    @property
    def format(self) -> str | None: ...
    @property
    def triangles(self) -> int: ...
    @property
    def placed_triangles(self) -> int: ...
    @property
    def instances(self) -> int: ...
    @property
    def bounds(self) -> NDArray[float32] | None: ...

class Tracer:
    def __init__(
        self,
        scene: Scene,
        mode: str | None,
        rule: str,
        threads: int,
        preset: str | None,
        progress: Progress | None,
    ) -> None: ...
    def closest(
        self, rays: Rays, ask: tuple[int, int], progress: Progress | None
    ) -> Columns: ...
    def any(
        self, rays: Rays, ask: tuple[int, int], progress: Progress | None
    ) -> NDArray[bool_]: ...
    def count(
        self, rays: Rays, ask: tuple[int, int], progress: Progress | None
    ) -> NDArray[uint32]: ...
    def all(
        self, rays: Rays, ask: tuple[int, int], progress: Progress | None
    ) -> tuple[NDArray[int64], Columns]: ...
    def surfaces(
        self, rays: Rays, hits: Columns
    ) -> tuple[NDArray[float32], NDArray[float32]]: ...
    @property
    def source(self) -> str: ...
    @property
    def mode(self) -> str: ...
    @property
    def rule(self) -> str: ...
    @property
    def kernel(self) -> str: ...
    @property
    def triangles(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def threads(self) -> int: ...

def record_batch(names: Sequence[str], columns: Sequence[Array]) -> Any: ...
def table(names: Sequence[str], columns: Sequence[Array]) -> Any: ...
