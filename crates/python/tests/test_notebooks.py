"""Every notebook runs from the first cell to the last, and shows its figures."""

from __future__ import annotations

from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[3] / "examples" / "notebooks").glob("*.ipynb"))

#: Figures that each must show at least: pictures, and pages in frames.
FIGURES = {"compare-formats": (2, 2), "lidar-sweep": (3, 0), "lost-hits": (1, 0)}


def test_there_are_notebooks() -> None:
    assert {book.stem for book in NOTEBOOKS} == set(FIGURES)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path) -> None:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    assert not any(cell.get("outputs") for cell in book.cells), "committed with outputs"
    resources = {"metadata": {"path": str(path.parent)}}
    nbclient.NotebookClient(book, timeout=120, resources=resources).execute()
    outputs = [output for cell in book.cells for output in cell.get("outputs", [])]
    kinds = [output.get("data", {}) for output in outputs]
    pictures = sum("image/png" in data for data in kinds)
    frames = sum("<iframe" in data.get("text/html", "") for data in kinds)
    least_pictures, least_frames = FIGURES[path.stem]
    assert pictures >= least_pictures and frames >= least_frames
