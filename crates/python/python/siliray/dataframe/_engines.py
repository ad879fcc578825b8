"""Thin adapters: the same work in Daft, in Ray Data, and without an engine."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow as pa

from .._options import optional_integer, wrong
from ._work import Work

#: Blocks for each worker of a table that has fewer than there are workers: the last of them keeps
#: a worker busy alone, and one that is lost is done again.
_BLOCKS = 10


def run(
    frame: Any, work: Work, *, workers: int | None, threads: int | None, batch_size: int | None
) -> Any:
    """Does the work on every row of a table of whatever engine."""
    workers = optional_integer(workers, "workers", 1)
    threads = optional_integer(threads, "threads", 1)
    batch_size = optional_integer(batch_size, "batch_size", 1)
    if isinstance(frame, pa.RecordBatch):
        return work(frame)
    if isinstance(frame, pa.Table):
        return _here(frame, work, workers or _workers(threads))
    if isinstance(frame, pa.RecordBatchReader):
        return pa.RecordBatchReader.from_batches(work.schema(frame.schema), map(work, frame))
    # An engine of which there is a table has been imported.
    if "daft" in sys.modules and isinstance(frame, sys.modules["daft"].DataFrame):
        return _daft(frame, work, workers, threads, batch_size)
    if "ray.data" in sys.modules and isinstance(frame, sys.modules["ray.data"].Dataset):
        return _ray(frame, work, workers, threads, batch_size)
    wrong("frame", frame, "a table of daft, ray.data or pyarrow")


def _workers(threads: int | None) -> int:
    """How many workers with so many threads each keep this machine busy."""
    processors = os.cpu_count() or 1
    return max(1, processors // (threads or processors))


def _here(table: pa.Table, work: Work, workers: int) -> pa.Table:
    schema = work.schema(table.schema)
    if workers == 1:
        return pa.Table.from_batches(map(work, table.to_batches()), schema)
    batches = table.to_batches(max_chunksize=work.rows(table.column_names))
    with ThreadPoolExecutor(workers) as pool:
        return pa.Table.from_batches(pool.map(work, batches), schema)


def _cluster(workers: int | None, threads: int | None) -> tuple[int, float]:
    """How many workers keep Ray's machines busy, and how many processors each takes, as Ray counts
    them."""
    from ray import nodes as known

    listed: list[dict[str, Any]] = known()  # type: ignore[no-untyped-call]
    nodes = [node["Resources"].get("CPU", 0) for node in listed if node["Alive"]]
    smallest = int(min((cpus for cpus in nodes if cpus), default=os.cpu_count() or 1))
    threads = threads or smallest
    workers = workers or max(1, int(sum(nodes)) // threads)
    # Workers that held every processor would leave none to whoever cuts, reads and writes tables,
    # and wait for them for ever. Ray takes whole numbers, or less than one.
    share = min(float(threads), max(sum(nodes) - 1, 0.1) / workers)
    return workers, float(int(share)) if share >= 1 else share


def _daft(
    frame: Any, work: Work, workers: int | None, threads: int | None, batch_size: int | None
) -> Any:
    import daft

    names = frame.column_names
    takes, gives = work.takes(names), work.gives(names)
    expands = work.expands(names)
    # A method has one value for each row: many are a list, which is taken apart afterwards.
    wrap = pa.large_list if expands else (lambda kind: kind)
    kind = pa.struct([pa.field(field.name, wrap(field.type)) for field in gives])
    share = None
    if daft.runners.get_or_create_runner().name == "ray":
        workers, share = _cluster(workers, threads)
        if (frame.num_partitions() or workers) < workers:
            frame = frame.into_partitions(_BLOCKS * workers)
    workers = workers or _workers(threads)

    @daft.cls(max_concurrency=workers, cpus=share, use_process=False)
    class Worker:
        def __init__(self, work: Work) -> None:
            self.work = work
            work.prepare()

        @daft.method.batch(
            return_dtype=daft.DataType.from_arrow_type(kind),
            unnest=True,
            batch_size=batch_size or work.rows(names),
        )
        def columns(self, *columns: daft.Series) -> pa.Array:
            batch = pa.RecordBatch.from_arrays([one.to_arrow() for one in columns], names=takes)
            rows, made = self.work.columns(batch)
            arrays = [made[field.name] for field in gives]
            if rows is not None:
                ends = np.searchsorted(rows, np.arange(batch.num_rows + 1))
                arrays = [pa.LargeListArray.from_arrays(ends, array) for array in arrays]
            return pa.StructArray.from_arrays(arrays, fields=list(kind))

    added = [field.name for field in gives]
    gone = set(added) | set(takes if expands else ())
    kept = [daft.col(name) for name in names if name not in gone]
    worker: Any = Worker(work)
    made = worker.columns(*(daft.col(name) for name in takes))
    frame = frame.select(*kept, made)
    return frame.explode(*map(daft.col, added)) if expands else frame


class _Actor:
    """A worker of Ray Data."""

    def __init__(self, work: Work) -> None:
        self.work = work
        work.prepare()

    def __call__(self, table: pa.Table) -> pa.Table:
        schema = self.work.schema(table.schema)
        batches = table.combine_chunks().to_batches()
        return pa.Table.from_batches(map(self.work, batches), schema)


def _ray(
    frame: Any, work: Work, workers: int | None, threads: int | None, batch_size: int | None
) -> Any:
    from ray.data import ActorPoolStrategy
    from ray.data.dataset import MaterializedDataset

    schema = frame.schema()
    if schema is None:
        # A table without blocks.
        return frame
    names = schema.names
    work.takes(names)
    workers, share = _cluster(workers, threads)
    rows = batch_size or work.rows(names)
    if isinstance(frame, MaterializedDataset) and frame.num_blocks() < workers:
        # A block is one worker's. Tables of pyarrow and pandas come as one.
        batches = -(-frame.count() // rows)
        frame = frame.repartition(max(1, min(batches, _BLOCKS * workers)))
    return frame.map_batches(
        _Actor,
        fn_constructor_args=(work,),
        batch_format="pyarrow",
        batch_size=rows,
        compute=ActorPoolStrategy(size=workers),
        num_cpus=share,
        zero_copy_batch=True,
    )
