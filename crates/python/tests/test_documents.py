"""Every example in a docstring runs."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest
import siliray

MODULES = ["siliray"] + [
    f"siliray.{module.name}"
    for module in pkgutil.iter_modules(siliray.__path__)
    if module.name not in ("_native", "dataframe")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert failed == 0


def test_everything_public_is_documented_and_has_an_example() -> None:
    for name in siliray.__all__:
        thing = getattr(siliray, name)
        assert isinstance(thing, int) or (thing.__doc__ or "").strip(), name
