"""Every example in a docstring and in the guides runs."""

from __future__ import annotations

import ast
import doctest
import importlib
import pkgutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import siliray
from examples import examples

MODULES = ["siliray"] + [
    f"siliray.{module.name}"
    for module in pkgutil.iter_modules(siliray.__path__)
    if module.name != "_native"
] + [f"siliray.dataframe.{name}" for name in ("_cast", "_reduce", "_engines")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert failed == 0


EXAMPLES = examples("python.md")
SCALE = examples("scale.md")
#: Those that need a cluster; `test_cluster.py` runs them on one.
ON_CLUSTERS = [example for example in SCALE if '"auto"' in example]


def run(example: str, name: str, names: dict[str, Any]) -> None:
    exec(compile(example, name, "exec"), names)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_examples_of_the_guide(number: int) -> None:
    example = EXAMPLES[number]
    if "import trimesh" in example:
        pytest.importorskip("trimesh")
    run(example, f"python.md, example {number}", {})


def test_examples_of_the_guide_to_clusters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those for one machine, one after the other, where the files that they name are."""
    daft = pytest.importorskip("daft")
    pytest.importorskip("ray")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scene.ply").write_text(TRIANGLE)
    names: dict[str, Any] = {}
    for number, example in enumerate(SCALE):
        if example in ON_CLUSTERS:
            continue
        if "read_parquet" in example:
            ray_files(tmp_path / "rays")
        run(example, f"scale.md, example {number}", names)
    assert len(ON_CLUSTERS) == 2 and len(SCALE) == 5
    hits, cycles = (ast.literal_eval(line) for line in capsys.readouterr().out.splitlines())
    assert 800_000 < hits["hits"][0] < 10**6
    assert len(cycles) == 6 and all(count > 0 for count in cycles)
    written = daft.read_parquet("hits/*.parquet").sort("ox").to_pydict()
    assert written["primitive"] == [0, 0, 0xFFFFFFFF, 0xFFFFFFFF]


#: A mesh in a file.
TRIANGLE = """ply
format ascii 1.0
element vertex 3
property float x
property float y
property float z
element face 1
property list uchar int vertex_indices
end_header
0 0 0
2 0 0
0 3 0
3 0 1 2
"""


def ray_files(folder: Path) -> None:
    """Two files of rays from above, of which two hit the triangle."""
    folder.mkdir()
    for number, places in enumerate(((0.25, 0.5), (2.5, 3.5))):
        columns = {name: [value, value] for name, value in RAY.items()} | {"ox": list(places)}
        pq.write_table(pa.table(columns), folder / f"{number}.parquet")


RAY = {"ox": 0.0, "oy": 0.5, "oz": 9.0, "dx": 0.0, "dy": 0.0, "dz": -1.0}


def test_everything_public_is_documented_and_has_an_example() -> None:
    for name in siliray.__all__:
        thing = getattr(siliray, name)
        assert isinstance(thing, int) or (thing.__doc__ or "").strip(), name
