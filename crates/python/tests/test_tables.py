"""Documents as tables of other packages, and in notebooks."""

from __future__ import annotations

import re

import numpy as np
import pytest
import siliray

SCENE = siliray.Scene.open("organic", triangles=500)
COMPARED = siliray.compare(SCENE, formats=["ttu", "tree"], presets=["fast"], rays=64)
SIMULATED = siliray.simulate(SCENE, sweep={"slots": [4, 8, 16]}, rays=128)


def test_frames_take_tables() -> None:
    polars = pytest.importorskip("polars")
    pandas = pytest.importorskip("pandas")
    pyarrow = pytest.importorskip("pyarrow")
    rows = COMPARED["rows"]
    frame = polars.DataFrame(rows)
    assert frame.height == len(rows)
    assert frame["format"].to_list() == [row["format"] for row in rows]
    assert frame["bytes_per_triangle.total"].to_list() == [
        row["bytes_per_triangle"]["total"] for row in rows
    ]
    assert frame["primary.cycles"].dtype == polars.Float64
    frame = pandas.DataFrame(SIMULATED["runs"].columns())
    assert frame["cycles"].is_monotonic_decreasing and len(frame) == 3
    table = pyarrow.table(SIMULATED["runs"])
    assert table.column("cycles").to_pylist() == [run["cycles"] for run in SIMULATED["runs"]]
    histogram = table.column("latency_histogram").to_pylist()
    assert histogram == [run["latency_histogram"] for run in SIMULATED["runs"]]
    assert table.to_pandas()["cycles"].dtype == np.int64
    if hasattr(pandas.DataFrame, "from_arrow"):
        assert len(pandas.DataFrame.from_arrow(SIMULATED["runs"])) == 3


def test_tables_hold_any_values() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    rows = siliray.Table(
        [
            {"a": 1, "b": True, "c": None, "d": [1, 2], "e": {"x": "y"}, "f": [1, "z"], "g": 2**63},
            {"a": 1.5, "b": None, "d": [], "e": {"x": None}, "f": 3, "h": ["p", None]},
        ]
    )
    table = pyarrow.table(rows).to_pydict()
    assert table["a"] == [1.0, 1.5] and table["b"] == [True, None] and table["c"] == [None, None]
    assert table["d"] == [[1, 2], []] and table["e.x"] == ["y", None]
    assert table["f"] == ['[1, "z"]', "3"] and table["g"] == [str(2**63), None]
    assert table["h"] == [None, ["p", None]]
    assert pyarrow.table(siliray.Table()).num_rows == 0


def test_walks_and_findings_are_tables() -> None:
    polars = pytest.importorskip("polars")
    walk = siliray.walk(SCENE, [0, 0, 50], [0, 0, -1], machine="reference")
    assert polars.DataFrame(walk).height == len(walk)
    broken = bytearray(siliray.build(SCENE, format="gfx12").image.to_bytes())
    broken[len(broken) // 2] ^= 0x55
    found = siliray.check(broken)
    assert isinstance(found["findings"], (siliray.Table, list))


def test_notebooks_show_pages_and_pictures() -> None:
    for page in (COMPARED._repr_html_(), SIMULATED._repr_html_()):
        assert page.startswith("<iframe srcdoc=") and page.count("<iframe") == 1
        inside = re.search(r'srcdoc="([^"]*)"', page)
        assert inside and "&lt;svg" in inside.group(1)
    image = siliray.build(SCENE, format="cwbvh").image
    assert "cwbvh" in image._repr_html_() and image._repr_png_().startswith(b"\x89PNG")
    map = siliray.render(SCENE, heatmap="nodes", size=(80, 60))
    assert map._repr_png_() == map.png and map._repr_html_() is None
    assert "<table>" in siliray.build(SCENE)._repr_html_()
    assert siliray.Image.from_bytes(b"nothing", "x.rra")._repr_png_() is None
    assert "container_magic" in siliray.Image.from_bytes(b"nothing", "x.rra")._repr_html_()
    many = siliray.Table([{"<b>": "<i>"}] * 30)._repr_html_()
    assert "&lt;b&gt;" in many and "<b>" not in many and "30 rows" in many
