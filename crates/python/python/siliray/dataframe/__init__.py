"""Tables of work, on one machine or on many: rays, generators of rays, configurations, files,
seeds.

Each function takes a table of one of these engines and gives one back:

* `daft.DataFrame`: Daft's own runner on one machine; the same program on a cluster of Ray after
  `daft.set_runner_ray()`
* `ray.data.Dataset`: Ray Data
* `pyarrow.Table`, `pyarrow.RecordBatch` or `pyarrow.RecordBatchReader`: here, without an engine

The work itself is a callable that turns a `pyarrow.RecordBatch` into another one: :class:`CastRays`
and the like. They can be pickled, load their scene once in each process, and have no other state:
who runs them, how often and on which parts of a table changes nothing.

>>> import pyarrow as pa
>>> from siliray.dataframe import cast_rays
>>> rays = pa.table({"ox": [0.5, 5.0], "oy": [0.5, 5.0], "oz": [9.0, 9.0],
...                  "dx": [0.0, 0.0], "dy": [0.0, 0.0], "dz": [-1.0, -1.0]})
>>> triangle = ([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2]])
>>> cast_rays(rays, triangle)["t"].to_pylist()
[9.0, inf]

Rays need not be stored. A row of a table of :func:`generated` rays stands for many:

>>> from siliray.dataframe import Depth, generated
>>> from siliray.generators import Camera
>>> camera = Camera(eye=(0, 1.5, 3), at=(0, 1, 0), fov=60, width=64, height=48)
>>> table = generated(camera, 64 * 48, rays_per_row=1000)
>>> table.num_rows
4
>>> cast_rays(table, "interior").num_rows
3072
>>> cast_rays(table, "interior", reduce=Depth())["depth"].combine_chunks().values.to_numpy().shape
(3072,)
"""

from ._cast import CastRays, generated
from ._documents import Check, Conformance, Simulate
from ._frames import cast_rays, check, conformance, simulate
from ._reduce import Depth, Histogram, Reduction, Visibility

__all__ = [
    "CastRays",
    "Check",
    "Conformance",
    "Depth",
    "Histogram",
    "Reduction",
    "Simulate",
    "Visibility",
    "cast_rays",
    "check",
    "conformance",
    "generated",
    "simulate",
]
