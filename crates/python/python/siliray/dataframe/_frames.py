"""The functions that take a table of any engine."""

from __future__ import annotations

from typing import Any, TypeVar

from .._scene import SceneLike
from ._cast import CastRays
from ._documents import Check, Conformance, Simulate
from ._engines import run
from ._reduce import Reduction
from ._work import Work

Frame = TypeVar("Frame")


def cast_rays(
    frame: Frame,
    scene: SceneLike,
    *,
    query: str = "closest",
    reduce: Reduction | None = None,
    mode: str | None = None,
    rule: str = "watertight",
    mask: int = 0xFF,
    cull: str | None = None,
    workers: int | None = None,
    threads: int | None = None,
    batch_size: int | None = None,
) -> Frame:
    """Traces a table of rays, or of generated ones: see :class:`CastRays`.

    The scene is what :meth:`siliray.Scene.of` takes; a file must be where the workers are.
    `workers` load it, each once, and trace with `threads` threads each. `batch_size` is how many
    rows a worker is given at once.
    """
    work = CastRays(
        scene,
        query=query,
        reduce=reduce,
        mode=mode,
        rule=rule,
        threads=threads,
        mask=mask,
        cull=cull,
    )
    answer: Any = run(frame, work, workers=workers, threads=threads, batch_size=batch_size)
    result: Frame = answer
    return result


def simulate(
    frame: Frame, scene: SceneLike, *, workers: int | None = None, **options: Any
) -> Frame:
    """Runs the traversal unit for each row's `config`: see :class:`Simulate`. The options are those
    of :func:`siliray.simulate`. Unless `workers` says otherwise, there is one for each processor,
    here and in :func:`check` and :func:`conformance`.

    >>> import pyarrow as pa
    >>> from siliray.dataframe import simulate
    >>> table = pa.table({"config": ["patent", '{"slots": 4}', '{"slots": "many"}']})
    >>> runs = simulate(table, "organic", rays=64)
    >>> runs["cycles"][0].as_py() < runs["cycles"][1].as_py(), runs["error"][2].is_valid
    (True, True)
    """
    return _run(frame, Simulate(scene, **options), workers)


def check(frame: Frame, *, workers: int | None = None) -> Frame:
    """Checks the image of each row's `file`: see :class:`Check`."""
    return _run(frame, Check(), workers)


def conformance(frame: Frame, *, workers: int | None = None, **options: Any) -> Frame:
    """Tries the law with each row's `seed`: see :class:`Conformance`. The options are those of
    :func:`siliray.conformance`."""
    return _run(frame, Conformance(**options), workers)


def _run(frame: Frame, work: Work, workers: int | None) -> Frame:
    # A row keeps one processor busy, so that there is a worker for each.
    result: Frame = run(frame, work, workers=workers, threads=1, batch_size=None)
    return result
