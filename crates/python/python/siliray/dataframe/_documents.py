"""Simulations, checks and the law as tables: a row is a question, its answer a document."""

from __future__ import annotations

import inspect
import json
import os
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

import siliray

from .._scene import SceneLike
from .._simulate import Simulator
from ..errors import ArrayError, DtypeError, Error, OptionError
from ._scenes import digest, once, pickled, received, sent
from ._work import Work


class Documents(Work):
    """Each row becomes a document with the keys of `siliray --json`, without those that vary from
    run to run (`seconds`, `…_per_second`). What cannot be answered has an `error` instead."""

    #: The column of questions.
    column: str
    #: Keys of documents that become columns of their own.
    keys: dict[str, pa.DataType]

    def takes(self, names: list[str]) -> list[str]:
        if self.column not in names:
            raise ArrayError(f"the table has no column {self.column!r}")
        return [self.column]

    def gives(self, names: list[str]) -> list[pa.Field]:
        own = [pa.field(key, kind) for key, kind in self.keys.items()]
        return [*own, pa.field("document", pa.string()), pa.field("error", pa.string())]

    def columns(self, batch: pa.RecordBatch) -> tuple[np.ndarray | None, dict[str, pa.Array]]:
        rows = [self._row(question) for question in batch.column(self.column).to_pylist()]
        fields = self.gives(batch.schema.names)
        return None, {
            field.name: pa.array([row.get(field.name) for row in rows], field.type)
            for field in fields
        }

    def _row(self, question: Any) -> dict[str, Any]:
        try:
            document = _lasting(self.answer(question))
        except Error as error:
            return {"error": str(error)}
        return {key: self.key(document, key) for key in self.keys} | {
            "document": json.dumps(document)
        }

    @abstractmethod
    def answer(self, question: Any) -> dict[str, Any]:
        """The document of a question."""

    def key(self, document: dict[str, Any], key: str) -> Any:
        """The value of a column of its own."""
        return document[key]


class Simulate(Documents):
    """`config` becomes a run of the traversal unit: the name of a shipped configuration, a file, or
    parameters as a JSON object or a struct, in which nulls count for nothing. `cycles` is a column
    of its own. Scene, tree and rays are made once in each process."""

    column = "config"
    keys = {"cycles": pa.uint64()}

    def __init__(self, scene: SceneLike, **options: Any) -> None:
        self._scene, self._options = sent(scene), _known(siliray.simulate, options, "sweep")
        values = {name: pickled(name, value) for name, value in self._options.items()}
        self._digest = digest(self._scene, values)

    def answer(self, question: Any) -> dict[str, Any]:
        config = question
        if isinstance(question, dict):
            config = {key: value for key, value in question.items() if value is not None}
        elif not isinstance(question, str):
            raise DtypeError(f"config: found {question!r}, expected a name or parameters")
        elif question.lstrip().startswith("{"):
            try:
                config = json.loads(question)
            except json.JSONDecodeError as error:
                raise DtypeError(f"config: {error}") from error
        return once((Simulator, self._digest), self._simulator).run(config)

    def _simulator(self) -> Simulator:
        return Simulator(received(self._scene), **self._options)


class Check(Documents):
    """`file` becomes what is wrong with an image. `sound` is a column of its own."""

    column = "file"
    keys = {"sound": pa.bool_()}

    def answer(self, question: Any) -> dict[str, Any]:
        if not isinstance(question, (str, os.PathLike)):
            raise DtypeError(f"file: found {question!r}, expected a path")
        return siliray.check(question)


class Conformance(Documents):
    """`seed` becomes a table of the law. `mismatches` is a column of its own."""

    column = "seed"
    keys = {"mismatches": pa.uint64()}

    def __init__(self, **options: Any) -> None:
        self._options = _known(siliray.conformance, options, "seed")

    def answer(self, question: Any) -> dict[str, Any]:
        if not isinstance(question, int):
            raise DtypeError(f"seed: found {question!r}, expected a whole number")
        return siliray.conformance(seed=question, **self._options)


def _known(function: Callable[..., Any], options: dict[str, Any], own: str) -> dict[str, Any]:
    """Options that a function has, but for those that each row has: what is wrong with others is
    said before workers start."""
    parameters = inspect.signature(function).parameters.values()
    known = [one.name for one in parameters if one.kind is one.KEYWORD_ONLY]
    known = [name for name in known if name not in (own, "progress")]
    for name in options:
        if name not in known:
            raise OptionError(f"{name}: no such option, expected {', '.join(known)}")
    return options


def _lasting(value: Any) -> Any:
    """A document without what varies from run to run."""
    if isinstance(value, dict):
        varying = ("seconds", "_per_second")
        return {key: _lasting(one) for key, one in value.items() if not key.endswith(varying)}
    if isinstance(value, (list, siliray.Table)):
        return [_lasting(one) for one in value]
    return value
