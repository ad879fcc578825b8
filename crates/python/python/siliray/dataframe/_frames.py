"""The functions that take a table of any engine."""

from __future__ import annotations

from typing import Any, TypeVar

from .._scene import SceneLike
from ._cast import CastRays
from ._engines import run
from ._reduce import Reduction

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
