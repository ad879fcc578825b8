"""Pictures, heat maps and lost pixels."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
import siliray
from command import document, timeless


SCENE = siliray.Scene.open("organic", triangles=500)
SIZE = ("--triangles", 500)


def pixels_of(png: bytes) -> np.ndarray:
    """The pixels of a PNG file in RGB, by its definition."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, data, size = 8, b"", (0, 0)
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        body = png[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            size = struct.unpack(">II", body[:8])
            assert body[8:10] == bytes([8, 2])
        data += body if kind == b"IDAT" else b""
        at += 12 + length
    width, height = size
    rows = np.frombuffer(zlib.decompress(data), np.uint8).reshape(height, 1 + 3 * width)
    image = np.zeros((height, 3 * width), np.uint8)
    above = np.zeros(3 * width, np.uint8)
    for y, row in enumerate(rows):
        image[y] = unfiltered(row[0], row[1:], above)
        above = image[y]
    return image.reshape(height, width, 3)


def unfiltered(kind: int, row: np.ndarray, above: np.ndarray) -> np.ndarray:
    out = row.astype(int)
    for x in range(len(out)):
        left, up = (out[x - 3] if x >= 3 else 0), int(above[x])
        corner = int(above[x - 3]) if x >= 3 else 0
        paeth = min((left, up, corner), key=lambda value: abs(left + up - corner - value))
        out[x] = (out[x] + (0, left, up, (left + up) // 2, paeth)[kind]) % 256
    return out


def test_a_picture_is_that_of_the_command(tmp_path: Path) -> None:
    options = ("--size", "64x48", "--samples", 2)
    expected = document("render", "organic", *SIZE, "-o", tmp_path / "a.png", *options)
    picture = siliray.render(SCENE, size=(64, 48), samples=2)
    assert timeless(picture) == timeless(expected)
    assert picture.png == (tmp_path / "a.png").read_bytes()
    assert np.array_equal(pixels_of(picture.png), picture.pixels)
    picture.save(tmp_path / "b.png")
    assert (tmp_path / "b.png").read_bytes() == picture.png
    assert picture.counts is None and "64x48" in repr(picture)
    with pytest.raises(siliray.FileError, match="nowhere"):
        picture.save(tmp_path / "nowhere" / "c.png")


def test_a_heat_map_counts_what_the_command_counts(tmp_path: Path) -> None:
    options = ("--size", "40x30", "--heatmap", "boxes", "--machine", "gfx12-gpurt")
    expected = document("render", "organic", *SIZE, "-o", tmp_path / "a.npy", *options)
    map = siliray.render(SCENE, size=(40, 30), heatmap="boxes", machine="gfx12-gpurt")
    assert timeless(map) == timeless(expected)
    assert map.counts is not None and np.array_equal(map.counts, np.load(tmp_path / "a.npy"))
    assert np.array_equal(pixels_of(map.png)[:30], map.pixels)
    scaled = siliray.render(SCENE, size=(40, 30), heatmap="boxes", scale=7)
    assert scaled["heatmap"]["brightest"] == 7
    cycles = siliray.render(SCENE, size=(20, 15), heatmap="cycles", machine="ttu")
    assert cycles.counts is not None and cycles.counts.max() > 0


def test_cameras_and_losses() -> None:
    wide = siliray.render("interior", size=(32, 24), camera=[0, 1, 3, 0, 1, 0, 90])
    assert wide["camera"] == [0, 1, 3, 0, 1, 0, 90] and wide["up"] == [0, 1, 0]
    radv = siliray.build(SCENE, format="gfx12", settings={"policy": "radv"}).image
    lost = siliray.render(radv, size=(64, 48), losses=True, machine="gfx12-radv")["losses"]
    assert 0 <= lost["lost"] <= lost["hits"] and lost["hits"] > 100


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"size": (0, 5)}, "OptionError", "size: found 0"),
        ({"samples": 0}, "OptionError", "samples: found 0"),
        ({"heatmap": "heat"}, "NameError", "boxes"),
        ({"heatmap": "cycles"}, "OptionError", "counts no cycles"),
        ({"camera": [1, 2, 3]}, "OptionError", "found 3"),
        ({"camera": [0, 0, 0, 0, 0, 0, 40]}, "OptionError", "same point"),
        ({"camera": "kitchen"}, "NameError", "kitchen"),
        ({"heatmap": "boxes", "losses": True}, "OptionError", "one of them"),
        ({"scale": 3}, "OptionError", "scale"),
    ],
)
def test_wrong_pictures_are_named(options: dict, error: str, text: str) -> None:
    with pytest.raises(getattr(siliray, error), match=text):
        siliray.render(SCENE, **{"size": (8, 8)} | options)
