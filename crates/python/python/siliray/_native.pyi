"""The extension module: arguments have their shape already."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, TypeAlias, TypedDict, final

from numpy import bool_, float32, float64, int64, uint8, uint32
from numpy.typing import NDArray

Progress: TypeAlias = Callable[[int, int], object]
Array: TypeAlias = NDArray[Any]
RayArrays: TypeAlias = tuple[Array, Array | None, Array | None, Array | None]
Rays: TypeAlias = RayArrays | GeneratedRays
Columns: TypeAlias = tuple[
    NDArray[float32],
    NDArray[float32],
    NDArray[float32],
    NDArray[uint32],
    NDArray[uint32],
    NDArray[uint32],
]

#: Points; distance, u, v, instance, geometry and primitive of each; whether each is inside.
Nearest: TypeAlias = tuple[
    NDArray[float64],
    tuple[
        NDArray[float64],
        NDArray[float64],
        NDArray[float64],
        NDArray[uint32],
        NDArray[uint32],
        NDArray[uint32],
    ],
    NDArray[bool_],
]

version: str

class ReadChoice(TypedDict):
    structure: int | None
    raw: tuple[int, int, int | None, int] | None
    writer: str | None
    format: str

class InspectChoice(TypedDict):
    node: int | None
    primitive: tuple[int | None, int] | None
    offset: int | None
    point: tuple[float, float, float] | None
    tree: bool
    depth: int | None

class OperandChoice(TypedDict):
    nodes: list[int]
    origin: tuple[float, float, float]
    direction: tuple[float, float, float]
    extent: float
    mask: int
    resource: list[int] | None
    flags: list[str]

class Walker(TypedDict):
    machine: str | None
    format: str | None
    rebuild: bool
    preset: str | None
    rule: str
    stack_size: int | None

class BuildChoice(TypedDict):
    presets: list[str]
    format: str | None
    settings: list[tuple[str, str]]
    width: int | None
    max_leaf: int | None
    ending: str | None

class WalkChoice(TypedDict):
    ray: list[float] | None
    pixel: tuple[int, int] | None
    size: tuple[int, int]
    camera: str | list[float] | None
    shape: tuple[str, list[float]] | None
    exact: bool
    hits: str
    mask: int
    steps: tuple[int, int] | None
    why: tuple[int | None, int | None, int] | None
    against: str | None

class CompareChoice(TypedDict):
    formats: list[str]
    presets: list[str]
    machines: list[str]
    rays: int

class SimChoice(TypedDict):
    workload: str
    rays: int | None
    queries: str | None
    camera: str | list[float] | None
    format: str | None
    preset: str | None
    rebuild: bool
    false_positives: bool

class LawChoice(TypedDict):
    seed: int
    rays: int
    only: list[str]
    stack_size: int

class TracerChoice(TypedDict):
    mode: str | None
    rule: str
    threads: int
    preset: str | None
    kernel: str | None

class RenderChoice(TypedDict):
    size: tuple[int, int]
    samples: int
    heatmap: str | None
    scale: int | None
    losses: bool
    camera: str | list[float] | None

class ShapeArrays(TypedDict):
    kind: str
    numbers: NDArray[float32]
    exact: bool
    mask: int

class LayoutChoice(TypedDict):
    attributes: list[str]
    vertices: int
    primitive_attributes: list[str]
    primitives: int
    topology: str
    shared_lines: int

class RunChoice(TypedDict):
    lanes: int
    registers: list[str]
    dump: tuple[str, bytes] | None
    workgroup: int
    share: bool
    patch: int
    prim: int
    stage: str
    sm: int
    attributes: list[str]
    vertices: int
    inputs: list[str]
    input_vertices: int
    primitive_attributes: list[str]
    primitives: int
    topology: str

@final
class Image:
    @staticmethod
    def open(path: str, choice: ReadChoice) -> Image: ...
    @staticmethod
    def from_bytes(name: str, bytes: bytes, choice: ReadChoice) -> Image: ...
    def to_bytes(self) -> bytes: ...
    def check(self, scene: Scene | None) -> str: ...
    def inspect(self, choice: InspectChoice) -> str: ...
    def intersect(self, choice: OperandChoice) -> str: ...
    def diff(self, other: Image, most: int) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def format(self) -> str: ...
    @property
    def nbytes(self) -> int: ...

@final
class Simulator:
    def __new__(cls, scene: Scene, choice: SimChoice) -> Simulator: ...
    def run(self, config: tuple[str, list[str]]) -> str: ...

@final
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
    @staticmethod
    def from_image(image: Image) -> Scene: ...
    def moved(self, vertices: Array) -> Scene: ...
    def to_arrays(
        self,
    ) -> tuple[
        str,
        list[list[tuple[NDArray[float32], NDArray[uint32], str, bool]]],
        list[tuple[int, list[list[float]], int, int, int]],
    ]: ...
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

@final
class GeneratedRays:
    def __len__(self) -> int: ...
    def to_numpy(self) -> NDArray[float32]: ...
    @property
    def count(self) -> int: ...
    @property
    def total(self) -> int: ...

@final
class Tracer:
    def __new__(
        cls, scene: Scene, choice: TracerChoice, progress: Progress | None
    ) -> Tracer: ...
    def with_threads(self, threads: int) -> Tracer: ...
    def generated(self, json: str, first: int, count: int | None) -> GeneratedRays: ...
    def rays(self, rays: Rays) -> NDArray[float32]: ...
    def closest(
        self, rays: Rays, ask: tuple[int, int], room_for: Columns, progress: Progress | None
    ) -> None: ...
    def any(
        self, rays: Rays, ask: tuple[int, int], room_for: NDArray[bool_], progress: Progress | None
    ) -> None: ...
    def count(
        self, rays: Rays, ask: tuple[int, int], room_for: NDArray[uint32], progress: Progress | None
    ) -> None: ...
    def all(
        self, rays: Rays, ask: tuple[int, int], room_for: NDArray[int64], progress: Progress | None
    ) -> Columns: ...
    @property
    def has_boxes(self) -> bool: ...
    def positions(self, hits: Columns, rays: Rays | None, room_for: NDArray[float32]) -> None: ...
    def normals(self, hits: Columns, rays: Rays | None, room_for: NDArray[float32]) -> None: ...
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

def save(tracer: Tracer, path: str) -> None: ...
def load(path: str, scene: Scene | None, kernel: str | None, threads: int) -> Tracer: ...
def refit(
    tracer: Tracer, moved: Scene, limit: float | None
) -> tuple[Tracer, tuple[list[float], float | None, int]]: ...

@final
class Planes:
    def __new__(cls, vertices: Array, faces: Array) -> Planes: ...
    def __len__(self) -> int: ...

def first_locations(
    tracer: Tracer,
    rays: RayArrays,
    planes: Planes,
    shift: Sequence[float],
    room_for: tuple[NDArray[float64], NDArray[int64], NDArray[int64]],
) -> int: ...
def locations(
    tracer: Tracer,
    rays: RayArrays,
    planes: Planes,
    hits: tuple[NDArray[int64], NDArray[uint32], NDArray[float32]],
    room_for: NDArray[float64],
) -> None: ...
def nearest_points(
    tracer: Tracer, points: Array, ask: tuple[int, float], progress: Progress | None
) -> Nearest: ...
def record_batch(names: Sequence[str], columns: Sequence[Array]) -> Any: ...
def table(names: Sequence[str], columns: Sequence[Array]) -> Any: ...
def touches(
    tracer: Tracer, shapes: ShapeArrays, progress: Progress | None
) -> NDArray[bool_]: ...
def first_contact(
    tracer: Tracer, shapes: ShapeArrays, progress: Progress | None
) -> Columns: ...
def contacts(
    tracer: Tracer, shapes: ShapeArrays, progress: Progress | None
) -> tuple[NDArray[int64], Columns]: ...
def rows(names: Sequence[str], columns: Sequence[Sequence[Any]]) -> Any: ...
def build(
    scene: Scene, choice: BuildChoice, progress: Progress | None
) -> tuple[str, Image | None]: ...
def walk(
    scene: Scene, walker: Walker, choice: WalkChoice, progress: Progress | None
) -> str: ...
def compare(
    scenes: Sequence[Scene], choice: CompareChoice, progress: Progress | None
) -> tuple[str, str]: ...
def simulate(
    scene: Scene,
    configs: Sequence[tuple[str, list[str]]],
    sweeps: Sequence[tuple[str, list[str]]],
    choice: SimChoice,
    progress: Progress | None,
) -> tuple[str, str]: ...
def configs() -> str: ...
def law(images: Sequence[Scene], choice: LawChoice, progress: Progress | None) -> str: ...
def vectors(files: Sequence[str], progress: Progress | None) -> str: ...
def clearance(
    scene: Scene, part: Scene, along: tuple[float, float, float], progress: Progress | None
) -> str: ...
def render(
    scene: Scene, walker: Walker, choice: RenderChoice, progress: Progress | None
) -> tuple[str, bytes, NDArray[uint8], NDArray[uint32] | None]: ...
def isbe_info(name: str, bytes: bytes) -> str: ...
def isbe_inspect(name: str, bytes: bytes, workgroup: int, offsets: Sequence[int]) -> str: ...
def isbe_attributes() -> str: ...
def isbe_layout(choice: LayoutChoice) -> str: ...
def isbe_assemble(text: str, sm: int) -> tuple[str, bytes]: ...
def isbe_disassemble(bytes: bytes, sm: int) -> str: ...
def isbe_mesh(
    name: str, bytes: bytes, position: str, matrix: Sequence[Sequence[float]] | None
) -> tuple[str, Scene]: ...
def isbe_capture(
    scene: Scene, sm: int, vertices: int, primitives: int, position: str
) -> tuple[str, bytes]: ...
def isbe_run(text: str, choice: RunChoice) -> tuple[str, bytes]: ...
