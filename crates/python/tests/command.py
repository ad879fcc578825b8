"""The command line, whose documents those of the package are compared with."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

import pytest
import siliray

SILIRAY = os.environ.get("SILIRAY", "")

#: What varies from run to run.
TIMES = ("seconds", "_per_second", "output", "file", "html", "csv")


def documents(*arguments: object) -> list[Any]:
    """What `siliray … --json` prints."""
    if not os.path.isfile(SILIRAY):
        pytest.skip("the variable SILIRAY names no program")
    command = [SILIRAY, *(str(argument) for argument in arguments), "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout, done.stderr
    text, found, decoder = done.stdout, [], json.JSONDecoder()
    while text.strip():
        one, end = decoder.raw_decode(text.lstrip())
        found.append(one)
        text = text.lstrip()[end:]
    return found


def document(*arguments: object) -> Any:
    """The same where it is one document."""
    return documents(*arguments)[0]


def timeless(value: Any) -> Any:
    """A document without what depends on the clock or on where files lie."""
    if isinstance(value, dict):
        kept = {key: part for key, part in value.items() if not key.endswith(TIMES)}
        return {key: timeless(part) for key, part in kept.items()}
    if isinstance(value, (list, siliray.Table)):
        return [timeless(part) for part in value]
    return value
