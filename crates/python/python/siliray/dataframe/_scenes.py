"""Scenes in workers: sent as what describes them, loaded once in each process."""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from .._scene import Scene, SceneLike
from .._tracer import Tracer
from ..errors import OptionError

Made = TypeVar("Made")

_lock = threading.Lock()
#: What was made, last what was asked for last.
_all: dict[tuple[object, ...], Any] = {}
_KEPT = 8


def _unlock() -> None:
    global _lock
    _lock = threading.Lock()


if sys.platform != "win32":
    # Whoever holds the lock while a process is forked is not there in the child.
    os.register_at_fork(after_in_child=_unlock)


def once(key: tuple[object, ...], make: Callable[[], Made]) -> Made:
    """What is made once in each process, whoever asks for it."""
    with _lock:
        made: Made = _all.pop(key) if key in _all else make()
        _all[key] = made
        while len(_all) > _KEPT:
            del _all[next(iter(_all))]
        return made


def digest(*values: object) -> str:
    """Tells values apart that can be pickled."""
    return hashlib.sha256(pickle.dumps(values)).hexdigest()


def sent(scene: SceneLike) -> bytes:
    """A scene, path, mesh or pair of arrays as workers get it."""
    if isinstance(scene, os.PathLike):
        scene = os.fspath(scene)
    if isinstance(scene, str) and os.path.exists(scene):
        # Workers have other working directories.
        scene = os.path.abspath(scene)
    return pickled("scene", scene, "; name a file, or give vertices and faces")


def pickled(name: str, value: object, hint: str = "") -> bytes:
    """The value of an argument as workers get it."""
    try:
        return pickle.dumps(value)
    except Exception as error:
        kind = type(value).__name__
        raise OptionError(f"{name}: {kind} cannot be sent to workers ({error}){hint}") from error


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
        return cls(data, digest(data), mode, rule, threads)

    def tracer(self) -> Tracer:
        """The tracer of this process."""

        def tracer() -> Tracer:
            scene, mode, rule, threads = self.scene, self.mode, self.rule, self.threads
            return Tracer(received(scene), mode=mode, rule=rule, threads=threads)

        return once((Tracer, self.digest, self.mode, self.rule, self.threads), tracer)
