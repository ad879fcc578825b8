"""Rays of more dimensions than two, tables with places, and generated rays as arrays."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import siliray
from siliray.generators import Camera, Lidar, Scatter
from worlds import bounded, rays, soup

TRACER = siliray.Tracer(siliray.Scene(*soup(300, 21)))
FLAT = rays(24 * 32, 22)
SHAPED = FLAT.reshape(24, 32, 6)


def test_answers_have_the_shape_of_rays() -> None:
    hits, flat = TRACER.closest(SHAPED), TRACER.closest(FLAT)
    for name in ("t", "u", "v", "instance", "geometry", "primitive", "hit"):
        assert np.array_equal(getattr(hits, name), getattr(flat, name).reshape(24, 32)), name
    for name in ("positions", "normals"):
        expected = getattr(flat, name).reshape(24, 32, 3)
        assert np.array_equal(getattr(hits, name), expected, equal_nan=True)
    assert np.array_equal(TRACER.any(SHAPED), flat.hit.reshape(24, 32))
    assert np.array_equal(TRACER.count(SHAPED), TRACER.count(FLAT).reshape(24, 32))
    every, listed = TRACER.all(SHAPED), TRACER.all(FLAT)
    assert np.array_equal(every.offsets, listed.offsets) and np.array_equal(every.t, listed.t)
    assert len(hits) == len(flat) and "of 768 hit" in repr(hits)
    assert np.array_equal(hits.to_numpy(), flat.to_numpy())


@pytest.mark.parametrize(
    "asked",
    [
        (SHAPED[..., :3], SHAPED[..., 3:]),
        (SHAPED.astype(np.float64),),
        (bounded(FLAT, 0, np.inf).reshape(24, 32, 8),),
        (np.asfortranarray(SHAPED),),
        (FLAT[:, :3], SHAPED[..., 3:]),
    ],
    ids="pair doubles eight fortran mixed".split(),
)
def test_shapes_of_every_kind(asked: tuple[np.ndarray, ...]) -> None:
    assert np.array_equal(TRACER.closest(*asked).t, TRACER.closest(SHAPED).t)


def test_one_origin_and_bounds_of_a_picture() -> None:
    directions = SHAPED[..., 3:]
    spread = TRACER.closest(np.broadcast_to(SHAPED[0, 0, :3], (24, 32, 3)), directions)
    assert np.array_equal(TRACER.closest(SHAPED[0, 0, :3], directions).t, spread.t)
    t = TRACER.closest(SHAPED).t
    bound = np.where(np.isfinite(t), t, 1)
    assert not TRACER.any(SHAPED, tmax=bound).any()
    assert TRACER.any(SHAPED, tmin=bound).shape == (24, 32)


def test_wrong_shapes_are_named() -> None:
    for asked, text in (
        ((np.zeros((2, 3, 5)),), r"rays: found .*\(2, 3, 5\), expected \(.., 6\) or \(.., 8\)"),
        ((np.zeros((2, 3, 3)), np.zeros((3, 2, 3))), r"\(2, 3, 3\) and .* \(3, 2, 3\)"),
        ((np.zeros((2, 3, 3)), np.zeros((5, 3))), "6 origins and 5 directions"),
    ):
        with pytest.raises(siliray.ArrayError, match=text):
            TRACER.closest(*asked)
    with pytest.raises(siliray.ArrayError, match=r"tmax: .*\(32, 24\)"):
        TRACER.any(SHAPED, tmax=np.ones((32, 24)))
    assert TRACER.any(np.empty((0, 4, 6))).shape == (0, 4)
    assert TRACER.closest(np.empty((3, 0, 6))).positions.shape == (3, 0, 3)


def test_tables_have_points_and_normals() -> None:
    pa = pytest.importorskip("pyarrow")
    hits = TRACER.closest(SHAPED)
    table = pa.table(hits.table(positions=True, normals=True))
    usual = ["t", "u", "v", "instance", "geometry", "primitive"]
    assert table.column_names == [*usual, "px", "py", "pz", "nx", "ny", "nz"]
    for name, vectors in (("p", hits.positions), ("n", hits.normals)):
        columns = [table[name + axis].to_numpy() for axis in "xyz"]
        assert np.array_equal(np.stack(columns, -1), vectors.reshape(-1, 3), equal_nan=True)
    assert pa.table(hits).column_names == pa.table(hits.table()).column_names == usual
    every = TRACER.all(FLAT).columns(normals=True)
    assert list(every)[0] == "ray" and len(every["nz"]) == len(every["ray"])
    with pytest.raises(ValueError, match="read-only"):
        hits.t[0] = 8.0
    with pytest.raises(siliray.OptionError, match="positions"):
        hits.columns(positions=1)


@pytest.mark.parametrize(
    "generator",
    [
        Camera(eye=(0, 1, 9), at=(0, 0, 0), fov=50, width=20, height=10, samples=2, seed=3),
        Lidar([(0, 0, 0), (1, 0, 0)], sweeps=2, azimuths=50, elevations=[-5, 5], reach=7.5),
        Scatter(low=(-2, -2, -2), high=(2, 2, 2), seed=4),
    ],
    ids=lambda generator: generator.kind,
)
def test_generated_rays_become_arrays(generator) -> None:
    generated = TRACER.generate(generator, first=30, count=100)
    array = generated.to_numpy()
    assert array.shape == (100, 8) and array.dtype == np.float32
    assert np.array_equal(TRACER.closest(array).t, TRACER.closest(generated).t)
    assert np.array_equal(array[10:], TRACER.generate(generator, first=40, count=90).to_numpy())


def test_rays_are_not_copied() -> None:
    """NumPy says what it allocates: answers, and no second array of rays."""
    few = np.tile(FLAT[:2], (100_000, 1))
    frozen, pair = few.copy(), (few[:, :3], few[:, 3:])
    frozen.flags.writeable = False
    backwards, shaped = few[::-1], few.reshape(100, 2000, 6)
    for asked in ((few,), (frozen,), pair, (backwards,), (shaped,), (few.astype(np.float64),)):
        tracemalloc.start()
        TRACER.any(*asked)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert len(few) <= most < 1.1 * len(few)
