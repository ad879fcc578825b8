"""The fast tracer."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays, _native, _options
from ._contacts import AllContacts, Contacts
from ._hits import AllHits, Hits, room
from ._native import GeneratedRays
from ._native import Tracer as _Native
from ._nearest import NearestPoints
from ._progress import Progress, callback
from ._scene import Scene, SceneLike
from ._shapes import Shapes
from .errors import OptionError
from .generators import Generator

if TYPE_CHECKING:
    from ._native import ShapeArrays

#: More threads than this are a mistake.
MOST_THREADS = 1024

_CULL = {None: 0, "back": 0x10, "front": 0x20}


class Tracer:
    """Answers rays, many at a time, on all processors. No hit is missed, doubled or invented: every
    answer is that of testing every triangle.

    `mode` is `prepared` (a copy made for the processor, the default for scenes) or `in_place` (the
    bytes of an image). `rule` decides when a triangle is hit: `watertight` or `moller-trumbore`.
    `threads` is how many work at once; all processors by default. `preset` is how the tree is
    built: `fast`, `balanced` (the default) or `best`.

    Rays are `origins` and `directions` of shape (N, 3), one of which may be a single row; or one
    array of shape (N, 6), or (N, 8) as in files of rays: ox oy oz tmin dx dy dz tmax. Single floats
    in any layout are read where they are; doubles are rounded, and those that single floats cannot
    hold are an error. A direction need not have unit length. A ray with a NaN or an infinity,
    without a direction, or with `tmin` above `tmax` hits nothing; a negative `tmin` is an error.

    >>> import numpy as np, siliray
    >>> tracer = siliray.Tracer("organic")
    >>> rays = np.array([[0.1, 0.2, 50, 0, 0, -1]], dtype=np.float32)
    >>> bool(tracer.any(rays)[0])
    True
    >>> tracer.closest(rays[:, :3], rays[:, 3:]).primitive.dtype
    dtype('uint32')
    """

    __slots__ = ("_choice", "_native", "scene")
    _native: _Native
    #: Mode, rule, threads and preset, as they were asked for.
    _choice: tuple[str | None, str, int | None, str | None]
    #: What is traced.
    scene: Scene

    def __init__(
        self,
        scene: SceneLike,
        *,
        mode: str | None = None,
        rule: str = "watertight",
        threads: int | None = None,
        preset: str | None = None,
        progress: Progress = None,
    ) -> None:
        count = _threads(threads)
        mode, rule = _options.optional_text(mode, "mode"), _options.text(rule, "rule")
        preset = _options.optional_text(preset, "preset")
        self._choice = mode, rule, threads, preset
        self.scene = Scene.of(scene)
        self._native = _Native(self.scene._native, mode, rule, count, preset, callback(progress))

    def with_threads(self, threads: int | None) -> Tracer:
        """The same tracer for another number of threads; nothing is built or copied.

        >>> import siliray
        >>> siliray.Tracer("organic").with_threads(1).threads
        1
        """
        tracer = Tracer.__new__(Tracer)
        tracer.scene = self.scene
        tracer._choice = *self._choice[:2], threads, self._choice[3]
        tracer._native = self._native.with_threads(_threads(threads))
        return tracer

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """Sent to another process, it is built again there."""
        return _build, (self.scene, *self._choice)

    def generate(
        self, generator: Generator, first: int = 0, count: int | None = None
    ) -> GeneratedRays:
        """Rays of a generator, from number `first` on: to be traced instead of arrays. They are
        made while they are traced, and take no memory.

        >>> import siliray
        >>> from siliray.generators import Camera
        >>> tracer = siliray.Tracer("interior")
        >>> camera = Camera(eye=(0, 1.5, 3), at=(0, 1, 0), fov=60, width=640, height=480)
        >>> len(tracer.closest(tracer.generate(camera)))
        307200
        >>> len(tracer.closest(tracer.generate(camera, first=640, count=640)))
        640
        """
        first = _options.integer(first, "first", 0, 2**64 - 1)
        if count is not None:
            count = _options.integer(count, "count", 0, 2**64 - 1)
        if not isinstance(generator, Generator):
            _options.wrong("generator", generator, "one of siliray.generators")
        return self._native.generated(generator.to_json(), first, count)

    def closest(
        self,
        origins: ArrayLike | GeneratedRays,
        directions: ArrayLike | None = None,
        *,
        tmin: ArrayLike | None = None,
        tmax: ArrayLike | None = None,
        mask: int = 0xFF,
        cull: str | None = None,
        progress: Progress = None,
    ) -> Hits:
        """The closest hit of each ray.

        Hits lie between `tmin` and `tmax`, both excluded. Only instances whose mask shares a bit
        with `mask` are seen. `cull` leaves out triangles seen from the `front` (their corners run
        counterclockwise) or from the `back`.
        """
        rays = _arrays.any_rays(origins, directions, tmin, tmax)
        columns = room(_arrays.count(rays))
        self._native.closest(rays, chosen(mask, cull), columns, callback(progress))
        return Hits(columns, self._native, rays)

    def any(
        self,
        origins: ArrayLike | GeneratedRays,
        directions: ArrayLike | None = None,
        *,
        tmin: ArrayLike | None = None,
        tmax: ArrayLike | None = None,
        mask: int = 0xFF,
        cull: str | None = None,
        progress: Progress = None,
    ) -> NDArray[np.bool_]:
        """Whether each ray hits anything: faster than :meth:`closest`."""
        rays = _arrays.any_rays(origins, directions, tmin, tmax)
        answers = _arrays.room(_arrays.count(rays), bool)
        self._native.any(rays, chosen(mask, cull), answers, callback(progress))
        return answers

    def count(
        self,
        origins: ArrayLike | GeneratedRays,
        directions: ArrayLike | None = None,
        *,
        tmin: ArrayLike | None = None,
        tmax: ArrayLike | None = None,
        mask: int = 0xFF,
        cull: str | None = None,
        progress: Progress = None,
    ) -> NDArray[np.uint32]:
        """How many triangles each ray hits, each counted once."""
        rays = _arrays.any_rays(origins, directions, tmin, tmax)
        answers = _arrays.room(_arrays.count(rays), np.uint32)
        self._native.count(rays, chosen(mask, cull), answers, callback(progress))
        return answers

    def all(
        self,
        origins: ArrayLike | GeneratedRays,
        directions: ArrayLike | None = None,
        *,
        tmin: ArrayLike | None = None,
        tmax: ArrayLike | None = None,
        mask: int = 0xFF,
        cull: str | None = None,
        progress: Progress = None,
    ) -> AllHits:
        """All hits of each ray, each triangle's once, the closest first."""
        rays = _arrays.any_rays(origins, directions, tmin, tmax)
        offsets = _arrays.room(_arrays.count(rays) + 1, np.int64)
        offsets[0] = 0
        columns = self._native.all(rays, chosen(mask, cull), offsets[1:], callback(progress))
        return AllHits(offsets, columns, self._native, rays)

    def nearest_point(
        self,
        points: ArrayLike,
        *,
        within: float = math.inf,
        mask: int = 0xFF,
        progress: Progress = None,
    ) -> NearestPoints:
        """The nearest point of the surface for each point, (N, 3): where, how far, on which
        triangle, and on which side of it. What is farther than `within` does not count. Points are
        rounded to single floats; distances are doubles. Of equally near triangles the one with the
        lowest ids counts.

        >>> import siliray
        >>> tracer = siliray.Tracer(siliray.Scene([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]]))
        >>> tracer.nearest_point([[1, 1, 2], [9, 1, 2]], within=3).distance
        array([ 2., inf])
        """
        reach = _options.number(within, "within")
        if not reach >= 0:
            raise OptionError(f"within: found {within}, expected at least 0")
        mask, _ = chosen(mask, None)
        table = _arrays.table(points, "points", 3)
        found = _native.nearest_points(
            self._native, table, (mask, reach), callback(progress)
        )
        return NearestPoints(found)

    def touches(
        self, shapes: Shapes, *, exact: bool = False, mask: int = 0xFF, progress: Progress = None
    ) -> NDArray[np.bool_]:
        """Whether each beam, sphere or frustum meets anything.

        Without `exact` a triangle counts as met when its own box is: nothing is missed, and the
        first contact is never late. With it the triangles themselves are tested, exactly.

        >>> import siliray
        >>> tracer = siliray.Tracer(siliray.Scene([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]]))
        >>> tracer.touches(siliray.Spheres([[1.8, 2.8, 0], [0.5, 0.5, 0]], 0.1), exact=True)
        array([False,  True])
        """
        return _native.touches(
            self._native, _shapes(shapes, exact, mask), callback(progress)
        )

    def first_contact(
        self, shapes: Shapes, *, exact: bool = False, mask: int = 0xFF, progress: Progress = None
    ) -> Contacts:
        """What each beam, sphere or frustum meets first; see :meth:`touches`.

        >>> import siliray
        >>> tracer = siliray.Tracer(siliray.Scene([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]]))
        >>> box, below = [0, 0, 9, 1, 1, 10], [0, 0, -1, 1, 1, 0]
        >>> tracer.first_contact(siliray.Beams(box, below)).t.round(3)
        array([0.9], dtype=float32)
        """
        shape = _shapes(shapes, exact, mask)
        return Contacts(_native.first_contact(self._native, shape, callback(progress)))

    def contacts(
        self, shapes: Shapes, *, exact: bool = False, mask: int = 0xFF, progress: Progress = None
    ) -> AllContacts:
        """Everything that each beam, sphere or frustum meets; see :meth:`touches`."""
        shape = _shapes(shapes, exact, mask)
        offsets, columns = _native.contacts(self._native, shape, callback(progress))
        return AllContacts(offsets, columns)

    @property
    def mode(self) -> str:
        """`prepared` or `in_place`."""
        return self._native.mode

    @property
    def rule(self) -> str:
        """`watertight` or `moller-trumbore`."""
        return self._native.rule

    @property
    def kernel(self) -> str:
        """The instructions in use: `plain`, `avx2`, `avx512` …."""
        return self._native.kernel

    @property
    def source(self) -> str:
        """What is walked: `built`, `stored`, `converted` or `rebuilt`."""
        return self._native.source

    @property
    def threads(self) -> int:
        """How many threads work at once."""
        return self._native.threads

    @property
    def nbytes(self) -> int:
        """Bytes of memory that it walks."""
        return self._native.bytes

    def __repr__(self) -> str:
        name, triangles = self.scene.name, self._native.triangles
        return f"<siliray.Tracer over {name!r}: {triangles} triangles, {self.mode}, {self.kernel}>"


def _build(
    scene: Scene, mode: str | None, rule: str, threads: int | None, preset: str | None
) -> Tracer:
    return Tracer(scene, mode=mode, rule=rule, threads=threads, preset=preset)


def _shapes(shapes: Shapes, exact: bool, mask: int) -> ShapeArrays:
    if not isinstance(shapes, Shapes):
        _options.wrong("shapes", shapes, "Beams, Spheres or Frusta")
    mask, _ = chosen(mask, None)
    exact = _options.truth(exact, "exact")
    return {"kind": shapes.kind, "numbers": shapes.numbers, "exact": exact, "mask": mask}


def _threads(threads: int | None) -> int:
    """What the extension module takes: 0 is one for each processor."""
    return 0 if threads is None else _options.integer(threads, "threads", 1, MOST_THREADS)


def chosen(mask: int, cull: str | None) -> tuple[int, int]:
    """What the extension module takes: mask of instances, flags of rays."""
    if not (cull is None or isinstance(cull, str)) or cull not in _CULL:
        _options.wrong("cull", cull, "'front', 'back' or None")
    return _options.integer(mask, "mask", 0, 0xFF), _CULL[cull]
