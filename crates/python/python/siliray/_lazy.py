"""Attributes that are computed when they are first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self, TypeVar, overload

T = TypeVar("T")


class lazy(cached_property[T]):
    """Python's own without its lock. Before Python 3.12 that is one for all objects: threads would
    wait for each other, and processes that are forked meanwhile for ever."""

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T: ...
    def __get__(self, instance: object | None, owner: type[Any] | None = None) -> Self | T:
        if instance is None:
            return self
        assert self.attrname is not None
        value: T = instance.__dict__.setdefault(self.attrname, self.func(instance))
        return value
