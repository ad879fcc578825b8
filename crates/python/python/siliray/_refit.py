"""What became of trees that followed a scene."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Refit:
    """How much trees have decayed: what a ray has to expect, over what it had when the tree was
    built. 1 is as good as new.

    >>> import siliray
    >>> corners = [[0, 0, 0], [2, 0, 0], [0, 3, 0]]
    >>> tracer = siliray.Tracer(siliray.Scene(corners, [[0, 1, 2]]))
    >>> tracer.refit([[0, 0, 1], [4, 0, 1], [0, 6, 1]])
    Refit(objects=(1.0,), instances=None, rebuilt=0)
    """

    #: Of each object's tree.
    objects: tuple[float, ...]
    #: Of the tree over instances, if there is one.
    instances: float | None
    #: How many triangles and instances are in the parts of trees that were built anew.
    rebuilt: int

    @property
    def worst(self) -> float:
        """The largest of them."""
        over = () if self.instances is None else (self.instances,)
        return max((*self.objects, *over), default=0.0)
