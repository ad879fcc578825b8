"""Scenes in workers: sent as what describes them, loaded once in each process."""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import threading
from dataclasses import dataclass
from functools import lru_cache

from .._scene import Scene, SceneLike
from .._tracer import Tracer
from ..errors import OptionError

_lock = threading.Lock()
_tracers: dict[tuple[object, ...], Tracer] = {}


def _unlock() -> None:
    global _lock
    _lock = threading.Lock()


if sys.platform != "win32":
    # Whoever holds the lock while a process is forked is not there in the child.
    os.register_at_fork(after_in_child=_unlock)


def sent(scene: SceneLike) -> bytes:
    """A scene, path, mesh or pair of arrays as workers get it."""
    if isinstance(scene, os.PathLike):
        scene = os.fspath(scene)
    if isinstance(scene, str) and os.path.exists(scene):
        # Workers have other working directories.
        scene = os.path.abspath(scene)
    try:
        return pickle.dumps(scene)
    except Exception as error:
        raise OptionError(
            f"scene: {type(scene).__name__} cannot be sent to workers ({error}); "
            "name a file, or give vertices and faces"
        ) from error


@lru_cache(maxsize=4)
def received(data: bytes) -> Scene:
    """The scene of what was sent, loaded once in each process."""
    return Scene.of(pickle.loads(data))


@dataclass(frozen=True)
class SceneRecipe:
    """A tracer to be made where it is needed."""

    #: A pickled scene, path, mesh or pair of arrays.
    scene: bytes
    #: Tells recipes apart.
    digest: str
    mode: str | None
    rule: str
    threads: int | None

    @classmethod
    def of(
        cls, scene: SceneLike, *, mode: str | None, rule: str, threads: int | None
    ) -> SceneRecipe:
        data = sent(scene)
        return cls(data, hashlib.sha256(data).hexdigest(), mode, rule, threads)

    def tracer(self) -> Tracer:
        """The tracer of this process."""
        key = (self.digest, self.mode, self.rule, self.threads)
        with _lock:
            if key not in _tracers:
                _tracers[key] = Tracer(
                    received(self.scene), mode=self.mode, rule=self.rule, threads=self.threads
                )
            return _tracers[key]
