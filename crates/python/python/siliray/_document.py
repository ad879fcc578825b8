"""Documents: what the library says, with the keys of `siliray --json`, and tables of their rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from html import escape
from typing import Any, TypeAlias, overload

from . import _native

#: A value of a document, as JSON has them.
Json: TypeAlias = Any

#: Rows of a table that a notebook shows.
_SHOWN = 20


class Table:
    """Rows of a document: dicts by position, and a table for whatever reads Arrow.

    `polars.DataFrame(table)`, `pyarrow.table(table)` and `pandas.DataFrame(table.columns())` take
    it. There an object inside a row becomes columns of its own, with a dot in their names.

    >>> from siliray import Table
    >>> table = Table([{"format": "ttu", "bytes": {"nodes": 3}}, {"format": "cwbvh"}])
    >>> table[0]["format"], table.columns()["bytes.nodes"]
    ('ttu', [3, None])
    """

    #: The rows, in their order.
    rows: list[dict[str, Json]]

    def __init__(self, rows: Iterable[dict[str, Json]] = ()) -> None:
        self.rows = list(rows)

    # It is no Sequence: polars would take that row by row, objects and all.
    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Json]]:
        return iter(self.rows)

    @overload
    def __getitem__(self, place: int) -> dict[str, Json]: ...
    @overload
    def __getitem__(self, place: slice) -> list[dict[str, Json]]: ...
    def __getitem__(self, place: int | slice) -> dict[str, Json] | list[dict[str, Json]]:
        return self.rows[place]

    def __eq__(self, other: object) -> bool:
        return self.rows == (other.rows if isinstance(other, Table) else other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<siliray.{type(self).__name__}: {len(self)} rows>"

    def columns(self) -> dict[str, list[Json]]:
        """The columns by name; None where a row has nothing.

        >>> from siliray import Table
        >>> Table([{"a": 1, "b": {"c": "x"}}, {"a": 2}]).columns()
        {'a': [1, 2], 'b.c': ['x', None]}
        """
        flat = [dict(_flat(row, "")) for row in self.rows]
        names = dict.fromkeys(name for row in flat for name in row)
        return {name: [row.get(name) for row in flat] for name in names}

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        columns = {name: _alike(values) for name, values in self.columns().items()}
        table = _native.rows(list(columns), list(columns.values()))
        return table.__arrow_c_stream__(requested_schema)

    def _repr_html_(self) -> str:
        columns = {
            name: values
            for name, values in self.columns().items()
            if not any(isinstance(value, list) for value in values)
        }
        head = "".join(f"<th>{escape(name)}</th>" for name in columns)
        rows = zip(*(values[:_SHOWN] for values in columns.values()))
        cells = ("".join(f"<td>{_cell(value)}</td>" for value in row) for row in rows)
        body = "".join(f"<tr>{row}</tr>" for row in cells)
        more = f"<p>{len(self):,} rows</p>" if len(self) > _SHOWN else ""
        return (
            f'<div style="overflow-x:auto"><table><thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table>{more}</div>"
        )


class Document(dict[str, Json]):
    """What the library says about one thing: a dict whose keys are those of `siliray --json`.

    Lists of objects in it are each a :class:`Table`, and so are empty lists.

    >>> import siliray
    >>> scene = siliray.Scene.open("organic", triangles=400)
    >>> built = siliray.build(scene, preset="fast")
    >>> built["presets"].columns()["preset"]
    ['fast']
    """

    def __init__(self, values: dict[str, Json] | Iterable[tuple[str, Json]] = ()) -> None:
        super().__init__(values)
        for key, value in self.items():
            if isinstance(value, list) and all(isinstance(row, dict) for row in value):
                self[key] = Table(value)

    def to_json(self) -> str:
        """The document as text.

        >>> import siliray
        >>> siliray.Document({"format": "ttu", "rows": [{"bytes": 3}]}).to_json()
        '{"format": "ttu", "rows": [{"bytes": 3}]}'
        """
        return json.dumps(self, default=list)

    def _repr_html_(self) -> str:
        plain = {key: value for key, value in self.items() if not isinstance(value, (list, dict))}
        rows = "".join(
            f"<tr><th>{escape(key)}</th><td>{_cell(value)}</td></tr>"
            for key, value in plain.items()
        )
        tables = "".join(
            f"<h4>{escape(key)}</h4>{value._repr_html_()}"
            for key, value in self.items()
            if isinstance(value, Table)
        )
        return f"<table>{rows}</table>{tables}"


def document(text: str) -> Document:
    """The document of a text."""
    return Document(json.loads(text))


def page(html: str, height: int) -> str:
    """A page inside a notebook, with a style of its own."""
    return (
        f'<iframe srcdoc="{escape(html)}" sandbox="allow-scripts" loading="lazy" '
        f'style="width:100%;height:{height}px;border:0"></iframe>'
    )


def _flat(row: dict[str, Json], before: str) -> Iterator[tuple[str, Json]]:
    for key, value in row.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield before + key, value


def _alike(values: list[Json]) -> list[Json]:
    """Values of one type: what Arrow has no name for becomes text."""
    kinds = {_kind(value) for value in values if value is not None}
    if kinds <= {"integer", "float"} or len(kinds) == 1 and "mixture" not in kinds:
        return values
    if kinds <= {"integers", "floats", "empty"}:
        return values
    return [None if value is None else _text(value) for value in values]


def _kind(value: Json) -> str:
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, int):
        return "integer" if -(2**63) <= value < 2**63 else "mixture"
    if isinstance(value, float):
        return "float"
    if isinstance(value, str):
        return "text"
    kinds = {_kind(part) for part in value if part is not None} if isinstance(value, list) else {""}
    if not kinds:
        return "empty"
    if kinds <= {"integer", "float"}:
        return "floats" if "float" in kinds else "integers"
    return "texts" if kinds == {"text"} else "mixture"


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _cell(value: Json) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return escape(str(value))
