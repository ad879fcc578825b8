"""The same calls to Open3D and to siliray: how many answers agree, and who is right where they do
not. `scripts/compare-open3d` runs it.

Truth is brute force in double precision, or what is known of the scene: from inside a closed mesh
every ray hits, and a flat sheet is met once."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import open3d
from siliray.open3d import RaycastingScene
from worlds import every_hit, grid, rays, soup

Original = open3d.t.geometry.RaycastingScene
ROW = "{:24} {:42} {:>8} {:>8} {:>9} {:>9}"
wrong_here = 0


def report(call: str, scene: str, theirs: np.ndarray, ours: np.ndarray, truth: np.ndarray) -> None:
    """A line of the table. `truth` is what the answer must be, of the same shape."""
    global wrong_here
    different = theirs != ours
    right = np.count_nonzero(ours[different] == truth[different])
    others = np.count_nonzero(theirs[different] == truth[different])
    wrong_here += np.count_nonzero(ours != truth)
    counts = (theirs.size, theirs.size - np.count_nonzero(different), right, others)
    print(ROW.format(call, scene, *counts))


def both(*meshes: tuple[np.ndarray, np.ndarray]) -> tuple[Original, RaycastingScene]:
    scenes = (Original(), RaycastingScene())
    for vertices, faces in meshes:
        ids = [scene.add_triangles(vertices, faces.astype(np.uint32)) for scene in scenes]
        assert ids[0] == ids[1]
    return scenes


def soup_of_triangles() -> None:
    vertices, faces = soup(1000, 31)
    asked = rays(5000, 32)
    exact = every_hit(vertices, faces, asked)
    theirs, ours = both((vertices, faces[:300]), (vertices, faces[300:]))
    a, b = theirs.cast_rays(asked), ours.cast_rays(asked)
    assert {k: (str(v.dtype).lower(), tuple(v.shape)) for k, v in a.items()} == {
        k: (str(v.dtype), v.shape) for k, v in b.items()
    }
    a, b = ({k: v.numpy() for k, v in hits.items()} for hits in (a, b))
    seen = np.isfinite(exact.min(axis=1))
    triangle = np.where(seen, exact.argmin(axis=1), -1)
    for name, truth in (
        ("geometry_ids", np.where(seen, triangle >= 300, RaycastingScene.INVALID_ID)),
        (
            "primitive_ids",
            np.where(seen, triangle - 300 * (triangle >= 300), RaycastingScene.INVALID_ID),
        ),
    ):
        report("cast_rays", f"soup, {name}", a[name], b[name], truth)
    same = seen & (a["primitive_ids"] == b["primitive_ids"])
    print("  largest differences:", end="")
    for name in ("t_hit", "primitive_uvs", "primitive_normals"):
        print(f" {name} {np.abs(a[name][same] - b[name][same]).max():.1e}", end="")
    t = exact.min(axis=1)[same]
    print(f"\n  error of t_hit: Open3D {np.abs(a['t_hit'][same] - t).max():.1e}", end="")
    print(f", siliray {np.abs(b['t_hit'][same] - t).max():.1e}")
    report(
        "test_occlusions",
        "soup",
        theirs.test_occlusions(asked).numpy(),
        ours.test_occlusions(asked).numpy(),
        seen,
    )
    between = ((exact > 1) & (exact < 2)).any(axis=1)
    report(
        "test_occlusions",
        "soup, tnear 1, tfar 2",
        theirs.test_occlusions(asked, 1.0, 2.0).numpy(),
        ours.test_occlusions(asked, 1.0, 2.0).numpy(),
        between,
    )
    counts = np.isfinite(exact).sum(axis=1)
    report(
        "count_intersections",
        "soup",
        theirs.count_intersections(asked).numpy(),
        ours.count_intersections(asked).numpy(),
        counts,
    )
    listed = [
        {k: v.numpy() for k, v in scene.list_intersections(asked).items()}
        for scene in (theirs, ours)
    ]
    assert {k: v.dtype for k, v in listed[0].items()} == {k: v.dtype for k, v in listed[1].items()}
    tables = []
    for hits in listed:
        table = np.zeros(exact.shape, bool)
        table[hits["ray_ids"], hits["geometry_ids"] * 300 + hits["primitive_ids"]] = True
        tables.append(table)
    report("list_intersections", "soup, ray × triangle", *tables, np.isfinite(exact))


def closed_ball() -> None:
    mesh = open3d.geometry.TriangleMesh.create_sphere(1.0, resolution=64)
    vertices = np.asarray(mesh.vertices, np.float32)
    faces = np.asarray(mesh.triangles)
    theirs, ours = both((vertices, faces))
    middles = (vertices[faces] * np.float32(1 / 3)).sum(axis=1)
    edges = (vertices[faces[:, 0]] + vertices[faces[:, 1]]) / 2
    for name, targets in (("corners", vertices), ("edges", edges), ("faces", middles)):
        asked = np.concatenate([0 * targets, targets], axis=1).astype(np.float32)
        one = np.ones(len(asked), np.int32)
        where = f"ball from its middle, {name}"
        ask: Callable[[Original | RaycastingScene], np.ndarray]
        for call, ask in (
            ("cast_rays", lambda scene: np.isfinite(scene.cast_rays(asked)["t_hit"].numpy())),
            ("test_occlusions", lambda scene: scene.test_occlusions(asked).numpy()),
            ("count_intersections", lambda scene: scene.count_intersections(asked).numpy()),
        ):
            report(call, where, ask(theirs), ask(ours), one.astype(ask(ours).dtype))


def flat_sheet() -> None:
    theirs, ours = both(grid(16))
    x, y = np.meshgrid(np.arange(0.5, 15.75, 0.25), np.arange(0.5, 15.75, 0.25))
    at = np.stack([x, y, 0 * x], axis=-1)
    for direction in ([0, 0, -1], [0.25, 0.5, -2], [-0.3, 0.1, -0.7]):
        directions = np.broadcast_to(direction, at.shape)
        asked = np.concatenate([at - 3 * directions, directions], axis=-1).astype(np.float32)
        report(
            "count_intersections",
            f"sheet, corners and edges, {direction}",
            theirs.count_intersections(asked).numpy(),
            ours.count_intersections(asked).numpy(),
            np.ones(x.shape, np.int32),
        )


def occupancy() -> None:
    mesh = open3d.geometry.TriangleMesh.create_box()
    vertices, faces = np.asarray(mesh.vertices, np.float32), np.asarray(mesh.triangles)
    theirs, ours = both((vertices, faces))
    axis = np.arange(-1, 2.25, 0.25) + 0.125
    for name, shift in (("between its corners", 0.0), ("in line with its corners", 0.125)):
        points = np.stack(np.meshgrid(axis, axis, axis), axis=-1).astype(np.float32) - shift
        points = points.astype(np.float32)
        inside = ((points > 0) & (points < 1)).all(axis=-1)
        on_surface = ((points >= 0) & (points <= 1)).all(axis=-1) & ~inside
        answers = [scene.compute_occupancy(points).numpy() for scene in (theirs, ours)]
        report(
            "compute_occupancy",
            f"box, {name}",
            *(answer[~on_surface] for answer in answers),
            inside[~on_surface].astype(np.float32),
        )


def distances() -> None:
    """Of a box, whose distances are known."""
    mesh = open3d.geometry.TriangleMesh.create_box()
    vertices, faces = np.asarray(mesh.vertices, np.float32), np.asarray(mesh.triangles)
    theirs, ours = both((vertices, faces))
    axis = np.arange(-1, 2.25, 0.25)
    points = np.stack(np.meshgrid(axis, axis, axis), axis=-1).astype(np.float32)
    from_middle = np.abs(points.astype(np.float64) - 0.5) - 0.5
    truth = np.linalg.norm(np.maximum(from_middle, 0), axis=-1) + np.minimum(
        from_middle.max(axis=-1), 0
    )
    right = np.ones(truth.shape, bool)
    for call, wanted in (("compute_distance", np.abs(truth)), ("compute_signed_distance", truth)):
        answers = [getattr(scene, call)(points).numpy() for scene in (theirs, ours)]
        close = [np.abs(answer - wanted) < 1e-6 for answer in answers]
        report(call, "box, in line with its corners", *close, right)
    points = rays(5000, 77)[:, :3].astype(np.float32)
    found = [scene.compute_closest_points(points) for scene in (theirs, ours)]
    assert {k: (str(v.dtype).lower(), tuple(v.shape)) for k, v in found[0].items()} == {
        k: (str(v.dtype), v.shape) for k, v in found[1].items()
    }
    away = np.linalg.norm(points - np.clip(points, 0, 1), axis=-1)
    outside = away > 0
    reached = [np.linalg.norm(each["points"].numpy() - points, axis=-1) for each in found]
    close = [np.abs(each - away)[outside] < 1e-5 for each in reached]
    report("compute_closest_points", "box, from outside", *close, np.ones_like(close[0]))


def cameras() -> None:
    extrinsic = np.eye(4)
    extrinsic[:3] = [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3]]
    calls = {
        "by matrices": ([[100, 0, 31.5], [0, 110, 22], [0, 0, 1]], extrinsic, 64, 48),
        "by angle": (60.0, [1, 2, 3], [5, -3, 2], [0, 0.1, 1], 64, 48),
    }
    for name, call in calls.items():
        theirs = Original.create_rays_pinhole(*call).numpy()
        ours = RaycastingScene.create_rays_pinhole(*call).numpy()
        same = np.isclose(theirs, ours, rtol=0, atol=5e-7)
        report("create_rays_pinhole", name, same, np.ones_like(same), np.ones_like(same))


def tensors() -> None:
    """What Open3D itself gives and takes."""
    mesh = open3d.geometry.TriangleMesh.create_torus()
    scene = RaycastingScene()
    tensor_mesh = open3d.t.geometry.TriangleMesh.from_legacy(mesh)
    assert scene.add_triangles(tensor_mesh) == 0
    assert scene.add_triangles(tensor_mesh.vertex.positions, tensor_mesh.triangle.indices) == 1
    assert scene.add_triangles(mesh) == 2
    asked = open3d.core.Tensor(rays(1000, 5))
    original = Original()
    for _ in range(3):
        original.add_triangles(tensor_mesh)
    a, b = original.cast_rays(asked), scene.cast_rays(asked)
    assert all(isinstance(column, open3d.core.Tensor) for column in b.values())
    assert {k: (v.dtype, v.shape) for k, v in a.items()} == {
        k: (v.dtype, v.shape) for k, v in b.items()
    }
    hit = b["t_hit"].isfinite()
    assert np.array_equal(hit.numpy(), a["t_hit"].isfinite().numpy())
    assert scene.test_occlusions(asked).dtype == open3d.core.bool
    assert scene.count_intersections(asked).dtype == open3d.core.int32
    camera = RaycastingScene.create_rays_pinhole(
        open3d.core.Tensor.eye(3), open3d.core.Tensor.eye(4), 4, 3
    )
    assert isinstance(camera, open3d.core.Tensor)
    print("tensors and meshes of Open3D are taken, and tensors are given back")


def main() -> int:
    print(f"Open3D {open3d.__version__}; of answers that differ, how many each has right")
    print(ROW.format("call", "scene", "answers", "agree", "siliray", "Open3D"))
    parts = (soup_of_triangles, closed_ball, flat_sheet, occupancy, distances, cameras, tensors)
    for part in parts:
        part()
    print(f"answers of siliray that are wrong: {wrong_here}")
    return 1 if wrong_here else 0


if __name__ == "__main__":
    sys.exit(main())
