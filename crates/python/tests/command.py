"""The command line, whose documents those of the package are compared with."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
import siliray

SILIRAY = os.environ.get("SILIRAY", "")

#: What varies from run to run.
TIMES = ("seconds", "_per_second", "output", "file", "html", "csv")


def call(*arguments: object) -> list[str]:
    """How the command line is called."""
    if not os.path.isfile(SILIRAY):
        pytest.skip("the variable SILIRAY names no program")
    return [SILIRAY, *(str(argument) for argument in arguments)]


def documents(*arguments: object) -> list[Any]:
    """What `siliray … --json` prints."""
    done = subprocess.run(call(*arguments, "--json"), capture_output=True, text=True)
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


def watched(*arguments: object) -> float:
    """The most memory that `siliray …` holds, in MB."""
    return peak(call(*arguments))


def peak(command: list[str]) -> float:
    """The most memory that a program holds, in MB. (What `wait4` tells includes its parent's.)"""
    process, peak = subprocess.Popen(command, stdout=subprocess.DEVNULL), 0
    while process.poll() is None:
        lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
        held = (int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
        peak = max(peak, *held, 0)
        time.sleep(0.005)
    assert process.returncode == 0, f"{' '.join(command[:2])} has failed"
    return peak / 1e3


def timeless(value: Any) -> Any:
    """A document without what depends on the clock or on where files lie."""
    if isinstance(value, dict):
        kept = {key: part for key, part in value.items() if not key.endswith(TIMES)}
        return {key: timeless(part) for key, part in kept.items()}
    if isinstance(value, (list, siliray.Table)):
        return [timeless(part) for part in value]
    return value
