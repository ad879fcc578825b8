"""The staging memory of mesh shaders."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import siliray
from command import document, timeless
from siliray import isbe

SCENE = siliray.Scene.open("organic", triangles=600)
DUMP = isbe.capture(SCENE, vertices=64, primitives=100)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("isbe") / "organic.isbe"
    path.write_bytes(DUMP)
    return path


def test_documents_are_those_of_the_command(file: Path) -> None:
    assert timeless(isbe.info(file)) == timeless(document("isbe", "info", file))
    assert timeless(isbe.check(file)) == timeless(document("isbe", "check", file))
    second = isbe.inspect(file, workgroup=1)
    assert timeless(second) == timeless(document("isbe", "inspect", file, "--workgroup", 1))
    byte = document("isbe", "inspect", file, "--offset", 300)
    assert isbe.inspect(file, offset=300)["bytes"] == byte["bytes"]
    assert list(isbe.attributes()) == document("isbe", "attributes")["attributes"]
    layout = document("isbe", "layout", "--attributes", "POSITION,GENERIC0", "--vertices", 96)
    assert isbe.layout(["POSITION", "GENERIC0"], 96) == layout
    assert file.read_bytes() == DUMP


def test_a_dump_is_the_scene_again() -> None:
    again = isbe.mesh(DUMP)
    assert again.triangles == SCENE.triangles
    rays = np.random.default_rng(1).normal(size=(3000, 6)).astype(np.float32) * 3
    hits, expected = (siliray.Tracer(scene).closest(rays) for scene in (again, SCENE))
    assert np.array_equal(hits.t, expected.t) and np.isfinite(hits.t).any()


def test_programs_are_assembled_and_run(file: Path) -> None:
    text = "ISBERD.O.ATTR.SKEW.32 R1, [R0];"
    words = isbe.assemble(text)
    assert len(words) == 16 and isbe.disassemble(words)[0]["text"] == text
    command = ("isbe", "run", "-e", text, "--input", file, "--set", "R0=4*lane", "--lanes", 8)
    ran = isbe.run(text, file, registers={"R0": "4*lane"}, lanes=8)
    assert timeless(ran) == timeless(document(*command))
    assert isbe.info(ran.dump)["workgroups"] == 1
    for wrong in ("HCF;", "ISBERD R1"):
        with pytest.raises(siliray.ProgramError, match="line 1"):
            isbe.assemble(wrong)
    with pytest.raises(siliray.ProgramError, match="multiple of 16"):
        isbe.disassemble(b"1234567")


def test_wrong_dumps_are_named() -> None:
    with pytest.raises(siliray.ImageError, match="dump"):
        isbe.info(b"nothing")
    with pytest.raises(siliray.FileError, match="nowhere.isbe"):
        isbe.info("nowhere.isbe")
    with pytest.raises(siliray.OptionError, match="workgroup 99999"):
        isbe.inspect(DUMP, workgroup=99999)
    with pytest.raises(siliray.NameError, match="POSITRON"):
        isbe.layout(["POSITRON"], 4)
    with pytest.raises(siliray.OptionError):
        isbe.layout(["POSITION"], 0)
    with pytest.raises(siliray.ArrayError, match=r"\(3, 3\)"):
        isbe.mesh(DUMP, inverse_view_projection=np.eye(3))
    assert not isbe.check(DUMP[: len(DUMP) // 2])["sound"]
