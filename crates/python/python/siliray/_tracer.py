"""The fast tracer."""

from __future__ import annotations

import math
import os
from os import PathLike
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
from ._refit import Refit
from ._scene import Scene, SceneLike
from ._shapes import Shapes
from .errors import OptionError, TraceError
from .generators import Generator

if TYPE_CHECKING:
    from ._native import ShapeArrays
    from ._native import TracerChoice as Choice

#: More threads than this are a mistake.
MOST_THREADS = 1024

_CULL = {None: 0, "back": 0x10, "front": 0x20}


class Tracer:
    """Answers rays, many at a time, on all processors. No hit is missed, doubled or invented: every
    answer is that of testing every triangle.

    `mode` is `prepared` (a copy made for the processor, the default for scenes) or `in_place` (the
    bytes of an image). `rule` decides when a triangle is hit: `watertight` or `moller-trumbore`.
    `threads` is how many work at once; all processors by default. `preset` is how the tree is
    built: `fast`, `balanced` (the default) or `best`. `kernel` names the instructions that are
    used, `plain`, `avx2` …; by default the fastest that this processor has.

    Rays are `origins` and `directions` of shape (N, 3), one of which may be a single row; or one
    array of shape (N, 6), or (N, 8) as in files of rays: ox oy oz tmin dx dy dz tmax. Rays of more
    dimensions, such as (H, W, 6), give answers of that shape, (H, W). Single floats in any layout
    are read where they are; doubles are rounded, and those that single floats cannot hold are an
    error. A direction need not have unit length. A ray with a NaN or an infinity,
    without a direction, or with `tmin` above `tmax` hits nothing; a negative `tmin` is an error.

    >>> import numpy as np, siliray
    >>> tracer = siliray.Tracer("organic")
    >>> rays = np.array([[0.1, 0.2, 50, 0, 0, -1]], dtype=np.float32)
    >>> bool(tracer.any(rays)[0])
    True
    >>> tracer.closest(rays[:, :3], rays[:, 3:]).primitive.dtype
    dtype('uint32')
    """

    __slots__ = ("_choice", "_native", "_path", "_scene")
    _native: _Native
    #: How it is made, as it was asked for.
    _choice: Choice
    #: The file that it was read from.
    _path: str | None
    _scene: Scene | None

    def __init__(
        self,
        scene: SceneLike,
        *,
        mode: str | None = None,
        rule: str = "watertight",
        threads: int | None = None,
        preset: str | None = None,
        kernel: str | None = None,
        progress: Progress = None,
    ) -> None:
        self._choice = {
            "mode": _options.optional_text(mode, "mode"),
            "rule": _options.text(rule, "rule"),
            "threads": _threads(threads),
            "preset": _options.optional_text(preset, "preset"),
            "kernel": _options.optional_text(kernel, "kernel"),
        }
        self._path, self._scene = None, Scene.of(scene)
        self._native = _Native(self._scene._native, self._choice, callback(progress))

    @classmethod
    def _of(
        cls, native: _Native, choice: Choice, path: str | None, scene: Scene | None
    ) -> Tracer:
        tracer = cls.__new__(cls)
        tracer._native, tracer._choice = native, choice
        tracer._path, tracer._scene = path, scene
        return tracer

    @classmethod
    def load(
        cls,
        path: str | PathLike[str],
        scene: SceneLike | None = None,
        *,
        kernel: str | None = None,
        threads: int | None = None,
    ) -> Tracer:
        """A tracer that :meth:`save` has written: nothing is built, and it answers as the saved one
        did. A file that is damaged, cut or from another version is refused.

        The file holds no scene. Where `scene`, positions or normals of hits are wanted, or rays of
        occlusion are made, give the scene that the tracer was made of.

        >>> import siliray, tempfile
        >>> scene = siliray.Scene([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     siliray.Tracer(scene).save(f"{folder}/scene.tracer")
        ...     tracer = siliray.Tracer.load(f"{folder}/scene.tracer", scene)
        >>> tracer.closest([0.5, 0.5, 9], [0, 0, -1]).positions
        array([[0.5, 0.5, 0. ]], dtype=float32)
        """
        place, kernel = _options.path(path, "path"), _options.optional_text(kernel, "kernel")
        held, count = None if scene is None else Scene.of(scene), _threads(threads)
        native = _native.load(place, None if held is None else held._native, kernel, count)
        choice: Choice = {
            "mode": None, "rule": native.rule, "threads": count, "preset": None, "kernel": kernel,
        }
        # Elsewhere the working directory is another one.
        return cls._of(native, choice, os.path.abspath(place), held)

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the tracer to a file, for :meth:`load`; not one that walks an image in place,
        which has a file of its own.

        >>> import siliray, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     siliray.Tracer("organic").save(f"{folder}/organic.tracer")
        ...     siliray.Tracer.load(f"{folder}/organic.tracer").any([0, 0, 50], [0, 0, -1])
        array([ True])
        """
        _native.save(self._native, _options.path(path, "path"))

    def refit(self, moved: SceneLike | NDArray[Any], *, limit: float | None = None) -> Refit:
        """Follows a scene whose vertices or instances have moved, without building anything: the
        answers are those of a new tracer, only slower the more neighbours drift apart. `moved` has
        the same triangles and instances elsewhere; of a single mesh, its vertices, (N, 3), are
        enough. What has decayed by more than a factor of `limit` is built anew.

        Hits that were found before keep their positions and normals, and tracers that
        :meth:`with_threads` has made stay as they are.

        >>> import numpy as np, siliray
        >>> corners = np.array([[0, 0, 0], [2, 0, 0], [0, 3, 0]], np.float32)
        >>> tracer = siliray.Tracer(siliray.Scene(corners, [[0, 1, 2]]))
        >>> tracer.refit(corners + [0, 0, 4], limit=2).worst
        1.0
        >>> tracer.closest([0.5, 0.5, 9], [0, 0, -1]).t
        array([5.], dtype=float32)
        """
        if limit is not None and not _options.number(limit, "limit") >= 1:
            raise OptionError(f"limit: found {limit}, expected at least 1")
        values = _arrays.tensor(moved)
        if isinstance(values, (np.ndarray, list)):
            table = _arrays.table(values, "vertices", 3)
            scene = Scene._wrap(self.scene._native.moved(table))
        else:
            scene = Scene.of(moved)
        bound = None if limit is None else float(limit)
        native, (objects, instances, rebuilt) = _native.refit(self._native, scene._native, bound)
        self._native, self._scene, self._path = native, scene, None
        return Refit(tuple(objects), instances, rebuilt)

    def with_threads(self, threads: int | None) -> Tracer:
        """The same tracer for another number of threads; nothing is built or copied.

        >>> import siliray
        >>> siliray.Tracer("organic").with_threads(1).threads
        1
        """
        count = _threads(threads)
        choice: Choice = {**self._choice, "threads": count}
        return Tracer._of(self._native.with_threads(count), choice, self._path, self._scene)

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """Sent to another process, it is built or read again there."""
        return _again, (self._choice, self._path, self._scene)

    def generate(
        self, generator: Generator, first: int = 0, count: int | None = None
    ) -> GeneratedRays:
        """Rays of a generator, from number `first` on: to be traced instead of arrays. They are
        made while they are traced, and take no memory; `to_numpy()` makes an array of them, (N, 8).

        >>> import siliray
        >>> from siliray.generators import Camera
        >>> tracer = siliray.Tracer("interior")
        >>> camera = Camera(eye=(0, 1.5, 3), at=(0, 1, 0), fov=60, width=640, height=480)
        >>> len(tracer.closest(tracer.generate(camera)))
        307200
        >>> row = tracer.generate(camera, first=640, count=640)
        >>> len(tracer.closest(row)), row.to_numpy().shape
        (640, (640, 8))
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

        >>> import siliray
        >>> tracer = siliray.Tracer(siliray.Scene([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]]))
        >>> hits = tracer.closest([[0.5, 0.5, 9], [5, 5, 9]], [0, 0, -2])
        >>> hits.t, hits.primitive
        (array([4.5, inf], dtype=float32), array([         0, 4294967295], dtype=uint32))
        """
        rays, shape = _arrays.any_rays(origins, directions, tmin, tmax)
        columns, native = room(_arrays.count(rays)), self._native
        native.closest(rays, chosen(mask, cull), columns, callback(progress))
        return Hits(columns, native, rays, shape)

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
        """Whether each ray hits anything: faster than :meth:`closest`.

        >>> import siliray
        >>> tracer = siliray.Tracer(siliray.Scene([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]]))
        >>> rays = [[0.5, 0.5, 9, 0, 0, -1], [5, 5, 9, 0, 0, -1]]
        >>> tracer.any(rays), tracer.any(rays, tmax=[8, 8])
        (array([ True, False]), array([False, False]))
        """
        rays, shape = _arrays.any_rays(origins, directions, tmin, tmax)
        answers = _arrays.room(_arrays.count(rays), bool)
        self._native.any(rays, chosen(mask, cull), answers, callback(progress))
        return answers.reshape(shape)

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
        """How many triangles each ray hits, each counted once.

        >>> import siliray
        >>> corners = [[0, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 1], [2, 0, 1], [0, 3, 1]]
        >>> tracer = siliray.Tracer(siliray.Scene(corners, [[0, 1, 2], [3, 4, 5]]))
        >>> tracer.count([[0.5, 0.5, 9], [0.5, 0.5, 0.5], [5, 5, 9]], [0, 0, -1])
        array([2, 1, 0], dtype=uint32)
        """
        rays, shape = _arrays.any_rays(origins, directions, tmin, tmax)
        answers = _arrays.room(_arrays.count(rays), np.uint32)
        self._native.count(rays, chosen(mask, cull), answers, callback(progress))
        return answers.reshape(shape)

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
        """All hits of each ray, each triangle's once, the closest first.

        >>> import siliray
        >>> corners = [[0, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 1], [2, 0, 1], [0, 3, 1]]
        >>> tracer = siliray.Tracer(siliray.Scene(corners, [[0, 1, 2], [3, 4, 5]]))
        >>> hits = tracer.all([[5, 5, 9], [0.5, 0.5, 9]], [0, 0, -1])
        >>> hits.primitive, hits.offsets
        (array([1, 0], dtype=uint32), array([0, 0, 2]))
        """
        rays, _ = _arrays.any_rays(origins, directions, tmin, tmax)
        offsets, native = _arrays.room(_arrays.count(rays) + 1, np.int64), self._native
        offsets[0] = 0
        columns = native.all(rays, chosen(mask, cull), offsets[1:], callback(progress))
        return AllHits(offsets, columns, native, rays)

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
        """Everything that each beam, sphere or frustum meets; see :meth:`touches`.

        >>> import siliray
        >>> corners = [[0, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 1], [2, 0, 1], [0, 3, 1]]
        >>> tracer = siliray.Tracer(siliray.Scene(corners, [[0, 1, 2], [3, 4, 5]]))
        >>> met = tracer.contacts(siliray.Spheres([[0.5, 0.5, 0], [0.5, 0.5, 9]], 2), exact=True)
        >>> met.shape, met.primitive
        (array([0, 0]), array([0, 1], dtype=uint32))
        """
        shape = _shapes(shapes, exact, mask)
        offsets, columns = _native.contacts(self._native, shape, callback(progress))
        return AllContacts(offsets, columns)

    @property
    def scene(self) -> Scene:
        """What is traced."""
        if self._scene is None:
            message = "the tracer was read from a file, and load was given no scene"
            raise TraceError(f"scene: {message}")
        return self._scene

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
        name = self._path if self._scene is None else self._scene.name
        triangles = self._native.triangles
        return f"<siliray.Tracer over {name!r}: {triangles} triangles, {self.mode}, {self.kernel}>"


def _again(choice: Choice, path: str | None, scene: Scene | None) -> Tracer:
    threads = choice["threads"] or None
    if path is not None:
        return Tracer.load(path, scene, kernel=choice["kernel"], threads=threads)
    return Tracer(
        scene,
        mode=choice["mode"],
        rule=choice["rule"],
        threads=threads,
        preset=choice["preset"],
        kernel=choice["kernel"],
    )


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
