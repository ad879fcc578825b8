"""Contacts: what beams, spheres and frusta meet."""

from __future__ import annotations


import numpy as np
from numpy.typing import NDArray

from . import _native
from ._columns import Columns, Lists
from ._lazy import lazy


class Contacts(Columns):
    """Contacts as columns: the same place in each belongs to the same contact.

    Where nothing is met, `t` and `exit` are inf and the ids 0xFFFFFFFF. It is also a table for
    whatever reads Arrow.

    >>> import siliray
    >>> tracer = siliray.Tracer(siliray.Scene([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]]))
    >>> contacts = tracer.first_contact(siliray.Spheres([[0, 0, 4], [9, 9, 9]], 5), exact=True)
    >>> contacts.t, contacts.met
    (array([ 4., inf], dtype=float32), array([ True, False]))
    """

    #: Parameter of the first contact: of a beam the share of its way, of a sphere the distance, of
    #: a frustum the depth. Never late.
    t: NDArray[np.float32]
    #: Parameter of the last contact.
    exit: NDArray[np.float32]

    _names = ("t", "exit", "instance", "geometry", "primitive")

    def __init__(self, columns: _native.Columns) -> None:
        self.t, self.exit, _, self.instance, self.geometry, self.primitive = columns

    @lazy
    def met(self) -> NDArray[np.bool_]:
        """Whether there is a contact."""
        return np.isfinite(self.t)

    def __repr__(self) -> str:
        return f"<siliray.{type(self).__name__}: {np.count_nonzero(self.met)} of {len(self)} met>"


class AllContacts(Lists, Contacts):
    """Every contact of every shape, those of a shape in the order in which it meets them.

    >>> import siliray
    >>> corners = [[0, 0, 0], [2, 0, 0], [0, 3, 0], [0, 0, 1], [2, 0, 1], [0, 3, 1]]
    >>> tracer = siliray.Tracer(siliray.Scene(corners, [[0, 1, 2], [3, 4, 5]]))
    >>> contacts = tracer.contacts(siliray.Spheres([[0, 0, 9], [0, 0, 3]], 4), exact=True)
    >>> contacts.shape, contacts.t
    (array([1, 1]), array([2., 3.], dtype=float32))
    """

    _asker = "shape"

    def __init__(self, offsets: NDArray[np.int64], columns: _native.Columns) -> None:
        super().__init__(columns)
        self.offsets = offsets

    @lazy
    def shape(self) -> NDArray[np.int64]:
        """The shape of each contact, by its number."""
        return self._askers()
