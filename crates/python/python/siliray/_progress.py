"""Progress: a callable, or a bar as tqdm has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, Union, runtime_checkable

from .errors import OptionError


@runtime_checkable
class Bar(Protocol):
    """What tqdm's bars are."""

    total: Any

    def update(self, n: Any, /) -> object: ...


#: A bar, whose total is set and which is updated, or a callable that is told what is done and what
#: there is to do. An exception that it raises ends the work.
Progress: TypeAlias = Union[Bar, Callable[[int, int], object], None]


def callback(progress: Progress) -> Callable[[int, int], object] | None:
    """The callable that the extension module takes."""
    if progress is None:
        return None
    if isinstance(progress, Bar):
        bar, told = progress, 0

        def update(done: int, total: int) -> None:
            nonlocal told
            bar.total = total
            bar.update(done - told)
            told = done

        return update
    if not callable(progress):
        found = type(progress).__name__
        raise OptionError(f"progress: found {found}, expected a callable or a bar")
    return progress
