"""Threads, forks, signals, progress, and how long an import takes."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import siliray
from worlds import rays, soup

TRACER = siliray.Tracer("organic", threads=2)
RAYS = rays(30_000, 3)
ANSWER = TRACER.closest(RAYS).primitive


def test_importing_is_quick() -> None:
    # Time of the processor: on a busy machine a process waits for its turn.
    program = "import siliray, time; print(time.process_time())"
    times = [
        float(subprocess.check_output([sys.executable, "-c", program], text=True)) for _ in range(3)
    ]
    assert min(times) <= 0.3


def test_many_threads_share_a_tracer() -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = pool.map(lambda _: TRACER.closest(RAYS).primitive, range(24))
        assert all(np.array_equal(answer, ANSWER) for answer in answers)


def test_other_threads_run_while_rays_are_traced() -> None:
    many = np.tile(RAYS, (40, 1))
    counted, is_done = 0, threading.Event()

    def trace() -> None:
        TRACER.all(many)
        is_done.set()

    thread = threading.Thread(target=trace)
    thread.start()
    while not is_done.wait(0.001):
        counted += 1
    thread.join()
    assert counted > 5


def in_child(queue: multiprocessing.Queue) -> None:
    again, hits = siliray.Tracer("organic", threads=2), TRACER.closest(RAYS)
    assert np.array_equal(np.isfinite(hits.positions[:, 0]), hits.hit)
    queue.put((hits.primitive, again.closest(RAYS).primitive))


def assert_a_child_answers_alike(how: str) -> None:
    context = multiprocessing.get_context(how)
    queue = context.Queue()
    child = context.Process(target=in_child, args=(queue,))
    child.start()
    answers = queue.get(timeout=60)
    child.join(60)
    assert child.exitcode == 0
    assert all(np.array_equal(answer, ANSWER) for answer in answers)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_a_child_process_answers_alike(how: str) -> None:
    assert_a_child_answers_alike(how)


def test_tracers_and_hits_go_to_other_processes() -> None:
    tracer = siliray.Tracer(siliray.Scene(*soup(200, 5)), threads=1)
    hits, every = tracer.closest(RAYS), tracer.all(RAYS)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.map(tracer.closest, [RAYS[:20_000], RAYS[20_000:]])
    assert np.array_equal(np.concatenate([part.t for part in found]), hits.t)
    assert pickle.loads(pickle.dumps(tracer.with_threads(2))).threads == 2
    positions = hits.positions
    assert np.array_equal(pickle.loads(pickle.dumps(hits)).positions, positions, equal_nan=True)
    again = copy.deepcopy(every)
    assert np.array_equal(again.ray, every.ray) and np.array_equal(again.t, every.t)
    with pytest.raises(siliray.TraceError, match="another process"):
        again.normals


def test_progress_by_callable_and_by_bar() -> None:
    told: list[tuple[int, int]] = []
    many = np.tile(RAYS, (20, 1))
    TRACER.count(many, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (len(many), len(many))
    assert told == sorted(told)
    tqdm = pytest.importorskip("tqdm")
    with tqdm.tqdm(disable=True) as bar:
        TRACER.closest(many, progress=bar)
        assert bar.total == len(many)

    class Bar:
        total, done = None, 0

        def update(self, n: int) -> None:
            self.done += n

    bar = Bar()
    TRACER.any(many, progress=bar)
    assert bar.done == bar.total == len(many)
    siliray.Tracer("organic", progress=(building := Bar()))
    assert 0 < building.done <= building.total == 100


def test_an_exception_in_a_callback_ends_the_work() -> None:
    def refuse(done: int, total: int) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        TRACER.all(np.tile(RAYS, (100, 1)), progress=refuse)
    assert np.array_equal(TRACER.closest(RAYS).primitive, ANSWER)


def test_a_signal_interrupts() -> None:
    many = np.tile(RAYS, (100, 1))
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        while True:
            TRACER.all(many)
    assert time.monotonic() - start < 5


SCENE = siliray.Scene.open("organic", triangles=20_000)

#: Each would take minutes, most of them on one machine.
LONG = {
    "compare": lambda: siliray.compare(
        SCENE, formats=["cwbvh"], presets=["fast"], machines=["reference"], rays=300_000
    ),
    "simulate": lambda: siliray.simulate(SCENE, rays=200_000),
    "conformance": lambda: siliray.conformance(rays=10_000_000, only=["machine=reference"]),
}


@pytest.mark.parametrize("name", LONG)
def test_a_signal_interrupts_one_machine(name: str) -> None:
    threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        LONG[name]()
    assert time.monotonic() - start < 15


#: Work that cannot be told to end; each would take long.
UNSTOPPABLE = {
    "open": 'siliray.Scene.open("hairball", triangles=100_000_000)',
    "capture": "siliray.isbe.capture(scene)",
    "check": "siliray.check(image, scene=scene)",
}


@pytest.mark.parametrize("name", UNSTOPPABLE)
def test_a_signal_returns_from_what_cannot_be_stopped(name: str) -> None:
    """In a process of its own, whose end also ends what still goes on."""
    program = f"""
import os, signal, siliray, threading, time
scene = siliray.Scene.open("organic", triangles={0 if name == "open" else 3_000_000} or 500)
image = siliray.build(scene, format="tree", preset="fast").image if "{name}" == "check" else None
threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    {UNSTOPPABLE[name]}
except KeyboardInterrupt:
    print(time.monotonic() - start, flush=True)
os._exit(0)
"""
    out = subprocess.check_output([sys.executable, "-c", program], text=True, timeout=60)
    assert 0.1 < float(out) < 1.0


def test_other_threads_run_while_arrays_become_scenes() -> None:
    vertices, faces = soup(1_500_000, 4)
    wide = faces.astype(np.int64)
    scene = siliray.Scene(vertices, wide)
    for work in (
        lambda: siliray.Scene(vertices, wide),
        lambda: scene._native.to_arrays(),
        lambda: siliray._native.Planes(vertices.astype(np.float64), wide),
    ):
        assert others_run_during(work)


def others_run_during(work: Callable[[], object]) -> bool:
    """Whether this thread is never kept waiting for half as long as work takes."""
    thread = threading.Thread(target=work)
    start = last = time.monotonic()
    longest = 0.0
    thread.start()
    while thread.is_alive():
        time.sleep(0.001)
        now = time.monotonic()
        longest, last = max(longest, now - last), now
    return longest < (last - start) / 2


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_in_the_middle_of_work() -> None:
    """Threads of the parent trace while it forks; children trace, too."""
    is_over = threading.Event()
    many = np.tile(RAYS, (20, 1))

    def trace() -> None:
        while not is_over.is_set():
            assert len(TRACER.closest(many).positions) == len(many)

    threads = [threading.Thread(target=trace) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(2):
            assert_a_child_answers_alike("fork")
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        (lambda: siliray.Tracer(SCENE, threads=100_000), "threads.*100000.*1024"),
        (lambda: siliray.Tracer(SCENE, threads="two"), "threads.*whole number"),
        (lambda: TRACER.with_threads(0), "threads.*found 0"),
        (lambda: TRACER.closest(RAYS, mask=1.5), "mask.*whole number"),
        (lambda: TRACER.closest([[1, 2, 3], [4, 5]]), "rays.*inhomogeneous"),
    ],
)
def test_what_cannot_be_is_named(ask: Callable[[], object], text: str) -> None:
    with pytest.raises(siliray.Error, match=text):
        ask()
