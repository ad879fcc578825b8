"""The benchmark says which figures are not as good as they must be."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[1] / "bench"))
import bench  # noqa: E402

SPEED = {"measure": "a", "mrays_per_second": 3.0, "other_mrays_per_second": 1.0, "times": 3.0}
MEMORY = {"measure": "b", "value": 220.0, "unit": "MB"}


@pytest.mark.parametrize(
    "row, is_reached",
    [
        (SPEED | {"wanted": 3.0}, True),
        (SPEED | {"wanted": 3.1}, False),
        (SPEED | {"wanted": None}, True),
        (MEMORY | {"wanted": 500.0}, True),
        (MEMORY | {"wanted": 200.0}, False),
        (MEMORY | {"wanted": None}, True),
        (bench.skipped("c", ImportError("no module")), False),
    ],
)
def test_a_missed_figure_is_an_error(
    row: dict[str, Any],
    is_reached: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(bench, "measure_import", lambda options, folder: iter([row]))
    for strict in ([], ["--strict"]):
        monkeypatch.setattr(sys, "argv", ["bench.py", "--only", "import", *strict])
        with pytest.raises(SystemExit) as ended:
            bench.main()
        assert ended.value.code == (1 if strict and not is_reached else 0)
        assert ("not reached" in capsys.readouterr().err) != is_reached
