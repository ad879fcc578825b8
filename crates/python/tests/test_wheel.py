"""What is installed is the wheel, with all that belongs into one."""

from __future__ import annotations

from importlib.metadata import distribution
from pathlib import Path

import siliray


def test_the_wheel_has_all_that_belongs_into_it() -> None:
    wheel = distribution("siliray")
    package = Path(str(wheel.locate_file("siliray")))
    assert Path(siliray.__file__).parent.samefile(package)
    names = {str(file) for file in wheel.files or ()}
    modules = {f"siliray/{file.relative_to(package)}" for file in package.rglob("*.py")}
    assert len(modules) > 30 and modules <= names
    assert {"siliray/py.typed", "siliray/_native.pyi", "siliray/_native.abi3.so"} <= names
    assert wheel.version == siliray.__version__
    metadata = wheel.metadata
    assert metadata["Requires-Python"] == ">=3.11" and metadata["License-Expression"]
    assert "numpy>=1.26" in (wheel.requires or ()) and "# siliray for Python" in str(metadata)
    assert "Typing :: Typed" in (metadata.get_all("Classifier") or ())
    # One wheel serves every version from that on.
    assert "Tag: cp311-abi3-" in (wheel.read_text("WHEEL") or "")
