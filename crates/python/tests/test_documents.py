"""Every example in a docstring and in the guides runs."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pkgutil
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import siliray
import siliray.open3d
import siliray.trimesh
from examples import examples
from siliray import generators, isbe

MODULES = ["siliray"] + [
    module.name
    for module in pkgutil.walk_packages(siliray.__path__, "siliray.")
    if module.name != "siliray._native"
]


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


#: Values and types of arguments, which say all by themselves.
VALUES = {
    "siliray.MISS", "siliray.__version__", "siliray.isbe", "siliray.isbe.DumpLike",
    "siliray.open3d.TensorLike", "siliray.generators.Vector", "siliray.trimesh.Answer",
}

#: What is said in the example of the class, or of the function that is named like it.
ELSEWHERE = {
    "siliray.Image.check": "siliray.check",
    "siliray.open3d.Tensor.cpu": "siliray.open3d.Tensor",
    "siliray.open3d.Tensor.isfinite": "siliray.open3d.Tensor",
    "siliray.open3d.Tensor.numpy": "siliray.open3d.Tensor",
}


def public_members() -> Iterator[tuple[str, Any]]:
    """Everything that users may name, with its whole name."""
    for name in siliray.__all__:
        yield from members(f"siliray.{name}", getattr(siliray, name))
    for module in (isbe, generators, siliray.open3d, siliray.trimesh):
        for name, thing in vars(module).items():
            is_own = getattr(thing, "__module__", None) == module.__name__
            if not name.startswith("_") and is_own:
                yield from members(f"{module.__name__}.{name}", thing)


def members(name: str, thing: Any) -> Iterator[tuple[str, Any]]:
    yield name, thing
    if not inspect.isclass(thing):
        return
    for base in reversed(thing.__mro__):
        if base.__module__.startswith("siliray"):
            for part, member in vars(base).items():
                if not part.startswith("_") and isinstance(member, METHODS):
                    yield f"{name}.{part}", getattr(thing, part)


METHODS = (types.FunctionType, classmethod, staticmethod)


def test_everything_public_is_documented_and_has_an_example() -> None:
    bare, silent = [], []
    for name, thing in dict(public_members()).items():
        if name in VALUES or name in ELSEWHERE:
            continue
        if not (text := inspect.getdoc(thing) or "").strip():
            silent.append(name)
        is_error = inspect.isclass(thing) and issubclass(thing, Exception)
        if not is_error and ">>>" not in text:
            bare.append(name)
    assert not silent and not bare
