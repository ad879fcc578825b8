"""Every example in a docstring runs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest
import siliray

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


GUIDE = Path(__file__).resolve().parents[3] / "docs" / "python.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_examples_of_the_guide(number: int) -> None:
    example = EXAMPLES[number]
    if "import trimesh" in example:
        pytest.importorskip("trimesh")
    exec(compile(example, f"{GUIDE.name}, example {number}", "exec"), {})


def test_everything_public_is_documented_and_has_an_example() -> None:
    for name in siliray.__all__:
        thing = getattr(siliray, name)
        assert isinstance(thing, int) or (thing.__doc__ or "").strip(), name
