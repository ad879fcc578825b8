"""The examples of the guides, as programs: each of `docs/python.md` by itself, those of
`docs/scale.md` one after the other.

    python examples.py FOLDER

writes them to a folder, for whoever checks their types."""

from __future__ import annotations

import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[3] / "docs"


def examples(guide: str) -> list[str]:
    """The programs in a guide."""
    text = (DOCS / guide).read_text()
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, example in enumerate(examples("python.md")):
        (folder / f"python_{number}.py").write_text(example)
    (folder / "scale.py").write_text("\n".join(examples("scale.md")))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
