"""The machines: the same documents as the command line, errors by name, interruption."""

from __future__ import annotations

import builtins
import json
import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import siliray
from command import document, documents, timeless
from siliray import isbe
from worlds import soup

SCENE = siliray.Scene.open("interior", triangles=2000)


def built(policy: str = "radv", format: str = "gfx12") -> siliray.Image:
    settings = {"policy": policy} if format == "gfx12" else {}
    image = siliray.build(SCENE, format=format, settings=settings).image
    assert image is not None
    return image


@pytest.fixture(scope="module")
def image() -> siliray.Image:
    return built()


@pytest.fixture(scope="module")
def file(image: siliray.Image, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("images") / "interior.rra"
    image.save(path)
    return path


SIZE = ("--triangles", 2000)


def test_build_says_what_the_command_says() -> None:
    usual = document("build", "interior", *SIZE)
    assert timeless(siliray.build(SCENE)) == timeless(usual)
    ttu = document("build", "interior", *SIZE, "--format", "ttu", "--preset", "best")
    made = siliray.build(SCENE, format="ttu", preset="best")
    assert timeless(made) == timeless(ttu)
    assert made.image is not None and made.image.nbytes == ttu["file_bytes"]
    wide = document("build", "interior", *SIZE, "--format", "xphmg-fp32", "--width", 4)
    assert timeless(siliray.build(SCENE, format="xphmg-fp32", width=4)) == timeless(wide)


def test_images_go_to_bytes_and_files_and_back(image: siliray.Image, file: Path) -> None:
    data = bytes(image)
    assert file.read_bytes() == data == image.to_bytes() and image.nbytes == len(data)
    for again in (
        siliray.Image.open(file),
        siliray.Image.from_bytes(data, "any-name"),
        siliray.Image.of(memoryview(data)),
        siliray.Image.of(str(file)),
    ):
        assert again.format == "gfx12" and again.to_bytes() == data
    rays = np.random.default_rng(5).normal(size=(2000, 6)).astype(np.float32)
    stored = siliray.Tracer(image)
    assert stored.source == "stored" and stored.mode == "in_place"
    assert np.array_equal(
        stored.any(rays), siliray.Tracer(SCENE).any(rays)
    ) or siliray.check(image)["warnings"]
    assert siliray.Scene.of(image).format == "gfx12"
    assert siliray.Scene.open(file).triangles == SCENE.triangles


@pytest.mark.parametrize(
    ("format", "mode", "source"),
    [
        ("gfx12", None, "stored"),
        ("gfx12", "in_place", "stored"),
        ("gfx12", "prepared", "rebuilt"),
        ("tree", None, "stored"),
        ("tree", "in_place", "converted"),
        ("cwbvh", None, "converted"),
    ],
)
def test_a_tracer_says_what_it_walks(format: str, mode: str | None, source: str) -> None:
    """As the command line says it."""
    tracer = siliray.Tracer(siliray.build(SCENE, format=format).image, mode=mode)
    assert tracer.source == source


def test_raw_memory_is_read_where_it_lies() -> None:
    made = siliray.build(SCENE, format="gfx12", settings={"policy": "radv"}, ending="bin").image
    assert made is not None
    tree = siliray.inspect(made, depth=1)["tree"]
    root = int(siliray.inspect(made)["root"], 16)
    base = tree[0]["offset"] - 8 * (root & ~0xF)
    raw = siliray.RawMemory(base=base, root=root)
    again = siliray.Image.from_bytes(made.to_bytes(), "dump.bin", raw=raw)
    kind = siliray.inspect(again, node=root)["kind"]
    assert kind == siliray.inspect(made, node=root)["kind"] == "box"
    with pytest.raises(siliray.OptionError, match="no structures"):
        siliray.Image.from_bytes(b"", structure=1, raw=raw)


def test_raw_memory_is_read_as_its_writer_has_it() -> None:
    vectors = Path(__file__).parents[2] / "gfx10" / "tests" / "vectors"
    file = vectors / "hiprt-cornell-bvh4.bin"
    layout = {"base": 0x40, "primitive_base": 0xBC0, "root": 0x5, "format": "gfx10-bvh4"}
    where = ["--raw", "--raw-format", "gfx10-bvh4", "--base", "0x40"]
    where += ["--primitive-base", "0xbc0", "--root", "0x5"]
    for writer in (None, "hiprt"):
        image = siliray.Image.open(file, raw=siliray.RawMemory(**layout, writer=writer))
        asked = where + ([] if writer is None else ["--writer", writer])
        assert timeless(siliray.check(image)) == timeless(document("check", file, *asked))
    for writer, format in (("nobody", "gfx10-bvh4"), ("hiprt", "gfx12-bvh4x2")):
        wrong = siliray.RawMemory(**{**layout, "format": format}, writer=writer)
        with pytest.raises(siliray.Error, match="writer"):
            siliray.Image.open(file, raw=wrong)


def test_a_check_compares_with_the_scene(image: siliray.Image, file: Path) -> None:
    assert siliray.check(image, scene=SCENE)["sound"]
    same = document("check", file, "--scene", "interior", *SIZE)
    assert timeless(siliray.check(file, scene=SCENE)) == timeless(same)
    moved = document("check", file, "--scene", "interior", "--triangles", 1900)
    found = siliray.check(file, scene=siliray.Scene.open("interior", triangles=1900))
    assert timeless(found) == timeless(moved) and not found["sound"]
    with pytest.raises(siliray.OptionError, match="scene: the format isbe holds no trees"):
        siliray.check(isbe.capture(SCENE), scene=SCENE)


def test_check_and_inspect_say_what_the_commands_say(image: siliray.Image, file: Path) -> None:
    assert timeless(siliray.check(file)) == timeless(document("check", file))
    assert timeless(siliray.inspect(file)) == timeless(document("inspect", file))
    tree = siliray.inspect(file, depth=3)
    assert timeless(tree) == timeless(document("inspect", file, "--tree", "--depth", 3))
    node = tree["tree"][1]["pointer"]
    assert timeless(siliray.inspect(file, node=int(node, 16))) == timeless(
        document("inspect", file, "--node", node)
    )
    found = siliray.inspect(file, primitive=(0, 7))
    assert timeless(found) == timeless(document("inspect", file, "--find", "0:7"))
    offset = tree["tree"][2]["offset"]
    assert timeless(siliray.inspect(file, offset=offset)) == timeless(
        document("inspect", file, "--find", f"@{offset}")
    )
    point = siliray.inspect(file, point=[0.1, 1.0, 0.3])
    assert timeless(point) == timeless(document("inspect", file, "--find", "0.1,1.0,0.3"))


def test_broken_images_are_told_not_raised(image: siliray.Image) -> None:
    data = bytearray(image.to_bytes())
    random = np.random.default_rng(11)
    broken = 0
    for place in random.integers(0, len(data), 60):
        changed = bytearray(data)
        changed[place : place + 64] = random.bytes(len(changed[place : place + 64]))
        report = siliray.check(changed)
        broken += not report["sound"]
        if not report["sound"]:
            with pytest.raises(siliray.ImageError):
                siliray.Image.from_bytes(changed, "x.rra").scene()
    assert broken > 0
    assert siliray.check(b"")["sound"] is False
    for cut in (1, 17, len(data) // 2, len(data) - 1):
        assert siliray.check(data[:cut])["sound"] is False


def test_intersect_says_what_the_command_says(file: Path) -> None:
    root = siliray.inspect(file)["root"]
    ray = ([0.1, 1.2, 4.0], [0.05, -0.1, -1.0])
    flat = [",".join(map(str, part)) for part in ray]
    expected = document(
        "intersect", file, "--node", root, "--origin", flat[0], f"--direction={flat[1]}"
    )
    assert siliray.intersect(file, int(root, 16), *ray) == expected
    with pytest.raises(siliray.ImageError, match="outside the image"):
        siliray.intersect(file, 0xFFFFF5, *ray)
    with pytest.raises(siliray.OptionError, match="takes one node"):
        siliray.intersect(file, [0x15, 0x25], *ray)
    with pytest.raises(siliray.NameError, match="cull_opaque"):
        siliray.intersect(file, 0x15, *ray, flags=["cull_opague"])
    with pytest.raises(siliray.ImageError, match="no intersection instruction"):
        siliray.intersect(built(format="ttu"), 0, *ray)


@pytest.mark.parametrize("machine", ["gfx12-radv", "gfx12-gpurt", "reference"])
def test_walks_are_those_of_the_command(file: Path, machine: str) -> None:
    command = ("walk", file, "--pixel", "400,300", "--machine", machine)
    walk = siliray.walk(file, pixel=(400, 300), machine=machine)
    assert list(walk) == documents(*command)
    assert walk.answer["event"] == "answer" and walk.why is None
    followed = siliray.walk(file, pixel=(400, 300), machine=machine, why=3)
    assert followed.why == documents(*command, "--why", "3")[-2]
    part = siliray.walk(file, pixel=(400, 300), machine=machine, steps=(2, 5))
    assert [step["step"] for step in part[:-1]] == [2, 3, 4]
    against = siliray.walk(file, pixel=(400, 300), machine=machine, against="gfx12-hiprt")
    assert against.answer == documents(*command, "--against", "gfx12-hiprt")[0]


def test_walks_of_rays_and_shapes(file: Path) -> None:
    walk = siliray.walk(SCENE, [0, 1, 3], [0, 0, -1], tmax=50, hits="all", machine="reference")
    tracer = siliray.Tracer(SCENE).all([0, 1, 3], [0, 0, -1], tmax=50)
    assert [hit["primitive"] for hit in walk.answer["hits"]] == tracer.primitive.tolist()
    sphere = siliray.Spheres([[0, 1, 0]], 1.5)
    near = siliray.walk(SCENE, shape=sphere, exact=True, machine="reference").answer["hits"]
    first = siliray.Tracer(SCENE).first_contact(sphere, exact=True)
    assert near[0]["t"] == first.t[0] and near[0]["primitive"] == first.primitive[0]
    with pytest.raises(siliray.OptionError, match="takes no beams"):
        siliray.walk(file, shape=sphere, machine="gfx12-radv")
    with pytest.raises(siliray.OptionError, match="pixel, shape: expected one"):
        siliray.walk(file)
    with pytest.raises(siliray.OptionError, match="outside a picture"):
        siliray.walk(file, pixel=(800, 0))
    with pytest.raises(siliray.NameError, match="no such primitive"):
        siliray.walk(file, pixel=(1, 1), machine="reference", why=10**6)


def test_comparisons_are_those_of_the_command() -> None:
    formats, options = ["gfx12:policy=radv", "ttu"], ("--presets", "fast", "--rays", 128)
    compared = siliray.compare(SCENE, formats=formats, presets=["fast"], rays=128)
    expected = document("compare", "interior", *SIZE, "--formats", ",".join(formats), *options)
    assert timeless(compared) == timeless(expected)
    assert "Formats side by side" in compared.html
    with pytest.raises(siliray.NameError, match="gfx13"):
        siliray.compare(SCENE, formats=["gfx13"])
    with pytest.raises(siliray.OptionError, match="reads none of the formats"):
        siliray.compare(SCENE, formats=["ttu"], machines=["gfx12-radv"])


def test_simulations_are_those_of_the_command() -> None:
    run = siliray.simulate(SCENE, {"slots": 16, "evict": True}, rays=512, workload="bounce")
    options = ("--set", "slots=16", "--set", "evict=true", "--rays", 512, "--workload", "bounce")
    expected = document("sim", "interior", *SIZE, *options)
    assert timeless(run) == timeless(expected)
    # What a run says of its configuration is a configuration.
    again = siliray.simulate(SCENE, run["runs"][0]["config"], rays=512, workload="bounce")
    assert again["runs"][0]["config_hash"] == run["runs"][0]["config_hash"]
    swept = siliray.simulate(SCENE, "deep", sweep={"slots": [8, 16], "t_box": [6, 12]}, rays=128)
    settings = [(run["settings"]["slots"], run["settings"]["t_box"]) for run in swept["runs"]]
    assert settings == [("8", "6"), ("8", "12"), ("16", "6"), ("16", "12")]
    both = siliray.simulate(SCENE, ["patent", {"base": "deep", "slots": 9}], rays=128)["runs"]
    assert [run["config_name"] for run in both] == ["patent", "deep"]
    assert siliray.configs() == document("sim", "--configs")


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ({"slotz": 1}, "slotz"),
        ({"slots": "many"}, "slots"),
        ("no-such-config", "no-such-config"),
        ({"l0_lines": 0}, "l0_lines = 0: expected 1 to"),
        (7, r"config: found 7 \(int\)"),
    ],
)
def test_wrong_configurations_are_named(config: object, text: str) -> None:
    with pytest.raises(siliray.OptionError, match=text):
        siliray.simulate(SCENE, config, rays=16)  # type: ignore[arg-type]


def test_the_law_is_that_of_the_command(file: Path) -> None:
    only = ["machine=ttu", "preset=fast"]
    law = siliray.conformance(rays=10, only=only)
    filters = [part for filter in only for part in ("--only", filter)]
    assert timeless(law) == timeless(document("conformance", "--rays", 10, *filters))
    assert law["mismatches"] == 0 and law["cases"] > 0
    images = siliray.conformance(file, rays=300)
    assert timeless(images) == timeless(document("conformance", file, "--rays", 300))
    with pytest.raises(siliray.OptionError, match="only|no cell|machine"):
        siliray.conformance(only=["machine=nobody"])


def test_clearance_is_that_of_the_command(tmp_path: Path) -> None:
    vertices, faces = soup(20, 3)
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in (vertices + [0, 9, 0]).tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces.tolist()]
    (tmp_path / "part.obj").write_text("\n".join(lines))
    expected = document(
        "clearance", "interior", *SIZE, "--mesh", tmp_path / "part.obj", "--along", "0,-9,0"
    )
    found = siliray.clearance(SCENE, tmp_path / "part.obj", [0, -9, 0])
    assert found == expected and not found["clear"]
    with pytest.raises(siliray.OptionError, match="finite"):
        siliray.clearance(SCENE, SCENE, [np.nan, 0, 0])


def test_wrong_names_and_options_are_named() -> None:
    for ask, error, text in [
        (lambda: siliray.build(SCENE, format="gfx13"), "NameError", "gfx13"),
        (lambda: siliray.build(SCENE, preset="fastest"), "NameError", "did you mean"),
        (lambda: siliray.build(SCENE, width=99), "BuildError", "width of 99"),
        (lambda: siliray.build(SCENE, settings={"a": "b"}), "OptionError", "settings"),
        (
            lambda: siliray.build(SCENE, format="gfx12", settings={"policy": "fast"}),
            "OptionError",
            "expected dense, radv",
        ),
        (
            lambda: siliray.build(SCENE, format="gfx12", preset=["fast", "best"]),
            "OptionError",
            "one tree",
        ),
        (lambda: siliray.walk(SCENE, [0, 0, 0], [0, 0, 1], machine="gpu"), "NameError", "gpu"),
        (lambda: siliray.walk(SCENE, [0, 0, 0], None), "OptionError", "both"),
        (lambda: siliray.walk(SCENE, [0, 0], [0, 0, 1]), "OptionError", "origin: found 2"),
        (lambda: siliray.check("nowhere.rra"), "FileError", "nowhere.rra"),
        (lambda: siliray.check(7), "OptionError", r"image: found 7 \(int\)"),
        (lambda: siliray.Image.of("/proc/self/mem"), "FileError", "mem"),
        (lambda: siliray.simulate(SCENE, workload="tertiary"), "NameError", "tertiary"),
        (lambda: siliray.simulate(SCENE, queries="no.csv"), "OptionError", "no.csv"),
    ]:
        with pytest.raises(getattr(siliray, error), match=text) as caught:
            ask()
        assert isinstance(caught.value, siliray.Error)


def everything() -> list[object]:
    image = built()
    spheres = siliray.Spheres(np.zeros((999, 3)), 50.0)
    return [
        siliray.check(image)["counts"],
        siliray.inspect(image, primitive=3)["hits"][0]["way"][-1]["offset"],
        len(siliray.walk(image, pixel=(400, 300), machine="reference")),
        siliray.simulate(SCENE, rays=64)["runs"][0]["cycles"],
        siliray.compare(SCENE, formats=["ttu"], presets=["fast"], rays=32)["rows"][0]["bytes"],
        int(siliray.render(SCENE, size=(32, 24), heatmap="boxes").pixels.sum()),
        siliray.clearance(SCENE, SCENE, [1, 0, 0])["first_contact"],
        siliray.Tracer(SCENE).first_contact(spheres).primitive.tolist(),
        siliray.isbe.info(siliray.isbe.capture(SCENE))["primitives"],
    ]


def answer_in(queue: multiprocessing.Queue) -> None:
    queue.put(everything())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_forked_processes_and_threads_answer_alike() -> None:
    usual = everything()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=answer_in, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == usual
    child.join(60)
    assert child.exitcode == 0
    with ThreadPoolExecutor(4) as pool:
        assert all(answer == usual for answer in pool.map(lambda _: everything(), range(4)))


def test_stacks_are_those_of_the_machine() -> None:
    def hits(machine: str, size: int) -> object:
        walk = siliray.walk(SCENE, pixel=(400, 300), machine=machine, stack_size=size)
        return walk.answer["hits"]

    assert hits("gfx11-radv", 64) == hits("gfx11-radv", 8) and hits("hart", 200)
    with pytest.raises(siliray.OptionError, match="no stack of 40 entries, but of 8, 16, 32 or 64"):
        hits("gfx11-radv", 40)


@pytest.mark.parametrize(
    "work",
    [
        lambda **more: siliray.build("forest", preset=["best"] * 40, **more),
        lambda **more: siliray.simulate("forest", sweep={"slots": range(2, 60)}, **more),
        lambda **more: siliray.compare("forest", rays=20000, **more),
        lambda **more: siliray.conformance(rays=20000, **more),
    ],
    ids=["build", "simulate", "compare", "conformance"],
)
def test_long_work_is_interrupted_and_tells_progress(work) -> None:
    told: list[tuple[int, int]] = []
    thread = threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT))
    thread.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        work(progress=lambda done, total: told.append((done, total)))
    assert time.monotonic() - start < 20
    thread.join()
    assert told == sorted(told)


@pytest.mark.parametrize(
    "format",
    "tree ttu cwbvh gfx12 gfx12-bvh4x2 gfx10-bvh4 gfx11-bvh4 xphmg-fp32 xphmg-int8q".split(),
)
def test_what_a_check_finds_sound_runs(format: str) -> None:
    """One bit flipped, mostly in headers: an image that is safe to walk is run as blocks, too."""
    random, run = np.random.default_rng(21), 0
    for scene in ("organic", "forest"):
        image = siliray.build(siliray.Scene.open(scene, triangles=60), format=format).image
        data = np.frombuffer(image.to_bytes(), np.uint8)
        for number in range(60):
            damaged = data.copy()
            reach = len(data) if number % 3 == 0 else min(len(data), 256)
            damaged[random.integers(reach)] ^= 1 << random.integers(8)
            again = siliray.Image.from_bytes(damaged.tobytes(), image.name)
            if again.check()["sound"]:
                siliray.simulate(again, rays=4, camera=[0, 1, 9, 0, 0, 0, 40])
                run += 1
    assert run > 30


def test_an_empty_list_is_a_table_too() -> None:
    image = siliray.build(SCENE, format="gfx12", preset="fast").image
    found = siliray.check(image)
    assert found["findings"] == [] and found["findings"].columns() == {}


def test_documents_become_json_again() -> None:
    built = siliray.build(SCENE, preset="fast", format="gfx12", settings={"obb": True})
    assert built["obb"] == "on"
    assert siliray.Document(json.loads(built.to_json())) == built


def test_misfits_are_named() -> None:
    with pytest.raises(siliray.NameError, match=r"\(there are rra, gamma, bin\)"):
        siliray.build(SCENE, format="gfx12", ending="zz")
    with pytest.raises(siliray.OptionError, match="camera: it is that of a pixel"):
        siliray.walk(SCENE, (0, 0, 9), (0, 0, -1), camera="nonsense")


def test_a_star_import_leaves_errors_of_python_alone() -> None:
    names: dict[str, object] = {}
    exec("from siliray import *", names)
    assert not [name for name in names if hasattr(builtins, name) and name[0] != "_"]
    assert issubclass(siliray.NameError, siliray.Error)
