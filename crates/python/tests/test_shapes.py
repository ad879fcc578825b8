"""Beams, spheres and frusta, against geometry in double precision."""

from __future__ import annotations

import numpy as np
import pytest
import siliray
from worlds import soup

VERTICES, FACES = soup(150, 21)
TRACER = siliray.Tracer(siliray.Scene(VERTICES, FACES))
CORNERS = VERTICES[FACES].astype(np.float64)
RANDOM = np.random.default_rng(22)
CENTERS = RANDOM.uniform(-6, 6, (300, 3)).astype(np.float32)


def distances(points: np.ndarray) -> np.ndarray:
    """The distance of each point to each triangle."""
    a, b, c = (CORNERS[None, :, corner] for corner in range(3))
    p = points[:, None].astype(np.float64)
    normal = np.cross(b - a, c - a)
    area = (normal * normal).sum(-1)
    v = (np.cross(p - a, c - a) * normal).sum(-1) / area
    w = (np.cross(b - a, p - a) * normal).sum(-1) / area
    inside = (v >= 0) & (w >= 0) & (v + w <= 1)
    plane = np.abs(((p - a) * normal).sum(-1)) / np.sqrt(area)

    def to_edge(start: np.ndarray, end: np.ndarray) -> np.ndarray:
        along = end - start
        share = ((p - start) * along).sum(-1) / (along * along).sum(-1)
        foot = start + np.clip(share, 0, 1)[..., None] * along
        return np.linalg.norm(p - foot, axis=-1)

    edges = np.minimum(np.minimum(to_edge(a, b), to_edge(b, c)), to_edge(c, a))
    return np.where(inside, plane, edges)


NEAR = distances(CENTERS)


def test_spheres_find_the_nearest_triangle() -> None:
    found = TRACER.first_contact(siliray.Spheres(CENTERS, 100.0), exact=True)
    assert np.allclose(found.t, NEAR.min(axis=1), rtol=1e-5, atol=1e-5)
    best = NEAR[np.arange(len(CENTERS)), found.primitive]
    assert np.allclose(best, NEAR.min(axis=1), rtol=1e-5, atol=1e-5)
    assert found.met.all()
    radii = RANDOM.uniform(0.2, 2.0, len(CENTERS))
    spheres = siliray.Spheres(CENTERS, radii)
    touched = TRACER.touches(spheres, exact=True)
    clear = np.abs(NEAR.min(axis=1) - radii) > 1e-4
    assert np.array_equal(touched[clear], (NEAR.min(axis=1) < radii)[clear])
    assert 0.1 < touched.mean() < 0.9
    every = TRACER.contacts(spheres, exact=True)
    counts = (NEAR < radii[:, None]).sum(axis=1)
    certain = (np.abs(NEAR - radii[:, None]) > 1e-4).all(axis=1)
    assert np.array_equal(np.diff(every.offsets)[certain], counts[certain])
    assert np.array_equal(np.bincount(every.shape, minlength=300), np.diff(every.offsets))
    for shape in range(20):
        assert (np.diff(every.t[every.of(shape)]) >= 0).all()
    missed = TRACER.first_contact(siliray.Spheres(CENTERS, 1e-6), exact=True)
    assert np.isinf(missed.t).all() and (missed.primitive == siliray.MISS).all()


def test_beams_meet_boxes_when_the_boxes_overlap() -> None:
    low = RANDOM.uniform(-6, 6, (200, 3))
    start = np.concatenate([low, low + RANDOM.uniform(0.1, 0.6, (200, 3))], axis=1)
    move = RANDOM.uniform(-6, 6, (200, 3))
    end = start + np.concatenate([move, move], axis=1)
    start, end = start.astype(np.float32), end.astype(np.float32)
    found = TRACER.first_contact(siliray.Beams(start, end))
    least, most = CORNERS.min(axis=1)[None], CORNERS.max(axis=1)[None]
    enter, leave = np.zeros((200, 150)), np.ones((200, 150))
    for axis in range(3):
        s, e = start.astype(float), end.astype(float)
        # The box overlaps while its top is above the least and its bottom below the most.
        for from_, to, bound, sign in (
            (s[:, 3 + axis], e[:, 3 + axis], least[..., axis], 1),
            (s[:, axis], e[:, axis], most[..., axis], -1),
        ):
            speed = sign * (to - from_)[:, None]
            gap = sign * (bound - from_[:, None])
            t = gap / speed
            enter = np.where(speed > 0, np.maximum(enter, t), enter)
            leave = np.where(speed < 0, np.minimum(leave, t), leave)
    first = np.where(enter <= leave, enter, np.inf).min(axis=1)
    assert np.array_equal(np.isfinite(first), found.met) and 0.2 < found.met.mean() < 1.0
    assert np.allclose(found.t[found.met], first[found.met], atol=1e-5)
    exact = TRACER.first_contact(siliray.Beams(start, end), exact=True)
    assert (exact.t >= found.t).all() and (exact.t > found.t).any()
    assert np.array_equal(TRACER.touches(siliray.Beams(start, end)), found.met)


def test_frusta_hold_what_their_planes_hold() -> None:
    eyes = RANDOM.uniform(-8, 8, (120, 3))
    forward = -eyes / np.linalg.norm(eyes, axis=1, keepdims=True)
    right = 0.15 * np.cross(forward, [0.3, 1.0, 0.2])
    up = 0.1 * np.cross(right, forward)
    frusta = siliray.Frusta(eyes, forward, right, up, near=1.0, far=9.0)
    numbers = frusta.numbers.astype(np.float64)
    every = TRACER.contacts(frusta, exact=True)
    # A triangle with a corner inside is met; how deep the corner lies bounds the contact.
    inside_any = 0
    for shape in range(len(frusta)):
        eye, f, r, u = numbers[shape, :12].reshape(4, 3)
        place = np.linalg.solve(np.stack([f, r, u], axis=1), (CORNERS - eye).reshape(-1, 3).T).T
        depth = place[:, 0]
        inside = (depth > 1) & (depth < 9) & (np.abs(place[:, 1:]) < depth[:, None]).all(axis=1)
        corners = inside.reshape(-1, 3)
        met = every.primitive[every.of(shape)]
        assert set(np.flatnonzero(corners.any(axis=1))) <= set(met.tolist())
        inside_any += corners.any()
        first = dict(zip(met.tolist(), every.t[every.of(shape)].tolist()))
        for triangle in np.flatnonzero(corners.any(axis=1)):
            nearest = depth.reshape(-1, 3)[triangle][corners[triangle]].min()
            assert first[triangle] <= nearest + 1e-4
    assert inside_any > 10


def test_masks_instances_and_tables() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    right = [[1, 0, 0, 20], [0, 1, 0, 0], [0, 0, 1, 0]]
    places = [siliray.Instance(0, mask=1), siliray.Instance(0, right, mask=2)]
    tracer = siliray.Tracer(siliray.Scene.from_objects([[(VERTICES, FACES)]], places))
    there = siliray.Spheres(CENTERS + [20, 0, 0], 3.0)
    found = tracer.first_contact(there, exact=True, mask=2)
    plain = TRACER.first_contact(siliray.Spheres(CENTERS, 3.0), exact=True)
    assert (found.instance[found.met] == 1).all()
    assert np.allclose(found.t, plain.t, atol=1e-4)
    assert not tracer.touches(there, mask=4).any()
    table = pyarrow.table(tracer.contacts(there))
    assert table.column_names[:3] == ["shape", "t", "exit"]
    assert found.to_numpy().dtype.names == tuple(found.columns())
    with pytest.raises(siliray.OptionError, match="without instances"):
        tracer.touches(siliray.Beams([0, 0, 0, 1, 1, 1], [1, 0, 0, 2, 1, 1]), exact=True)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: siliray.Spheres([[0, 0, np.nan]], 1), "ArrayError", "sphere 0.*NaN"),
        (lambda: siliray.Spheres([[0, 0, 0]], -1), "ArrayError", "sphere 0: negative"),
        (lambda: siliray.Spheres([[0, 0]], 1), "ArrayError", r"centers.*\(1, 2\)"),
        (lambda: siliray.Spheres(np.zeros((3, 3)), [1, 2]), "ArrayError", "3, 2 rows"),
        (lambda: siliray.Spheres(np.zeros((3, 3)), [[1, 2]]), "ArrayError", "radii"),
        (lambda: siliray.Spheres([["a"] * 3], 1), "DtypeError", "centers"),
        (lambda: siliray.Beams([1, 0, 0, 0, 1, 1], [1] * 6), "ArrayError", "beam 0"),
        (
            lambda: siliray.Frusta([0, 0, 0], [0, 0, 1], [1, 0, 0], [2, 0, 0]),
            "ArrayError",
            "frustum 0: flat",
        ),
        (lambda: 7, "OptionError", r"shapes: found 7 \(int\)"),
    ],
)
def test_wrong_shapes_are_named(make, error: str, text: str) -> None:
    with pytest.raises(getattr(siliray, error), match=text):
        TRACER.touches(make())


def test_no_shapes_meet_nothing() -> None:
    empty = siliray.Spheres(np.empty((0, 3)), 1.0)
    assert TRACER.touches(empty).shape == (0,) and len(TRACER.first_contact(empty)) == 0
    assert TRACER.contacts(empty).offsets.tolist() == [0]
