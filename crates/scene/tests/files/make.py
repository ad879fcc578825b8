"""Makes the files in this folder and expected.json, with trimesh as the outside truth.

Needs: pip install trimesh==5.2.0 numpy. Run it in this folder; the files are committed, so that
tests do not need Python.
"""

import json

import numpy as np
import trimesh

expected = {}


def note(name):
    """What trimesh itself reads back from the file."""
    read = trimesh.load(name)
    if isinstance(read, trimesh.Scene):
        # One mesh in world space: the area of a trimesh scene leaves its transforms out.
        read = read.to_mesh()
    expected[name] = {
        "triangles": len(read.faces),
        "bounds": np.asarray(read.bounds, dtype=float).tolist(),
        "area": float(read.area),
    }


def save(name, mesh, **options):
    mesh.export(name, **options)
    note(name)


tilt = trimesh.transformations.rotation_matrix(0.7, [1, 2, 3], [4, 5, 6])
ball = trimesh.creation.icosphere(subdivisions=1, radius=1.75)
ball.apply_scale([1.0, 0.6, 1.3])
ball.apply_transform(tilt)
ring = trimesh.creation.annulus(r_min=0.4, r_max=1.1, height=0.3, sections=9)
ring.apply_transform(tilt)

save("ball.ply", ball)
save("ball_text.ply", ball, encoding="ascii")
save("ring.stl", ring)
save("ring_text.stl", ring, file_type="stl_ascii")
save("ball.obj", ball)

scene = trimesh.Scene()
scene.add_geometry(ball, node_name="first", geom_name="ball")
scene.graph.update("arm", "first", matrix=trimesh.transformations.translation_matrix([3, -1, 2]))
bend = trimesh.transformations.compose_matrix(
    scale=[1.5, 0.5, -2.0], angles=[0.3, -0.2, 1.1], translate=[-4, 7, 1]
)
scene.graph.update("hand", "arm", matrix=bend, geometry="ball")
scene.add_geometry(ring, node_name="ring", geom_name="ring", transform=tilt)
save("scene.glb", scene)

with open("expected.json", "w") as out:
    json.dump({"trimesh": trimesh.__version__, "files": expected}, out, indent=1)
    out.write("\n")
