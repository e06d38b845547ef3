"""Values without noise of noisy runs, and the traces that `noisy_value` selects from them.

In a record, they are in ``vectors`` (evaluations with the measured value and that without noise)
and ``recommendations``. A run is noisy if its column ``noise_free_f`` is not null.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from timefair.basics.optimum import precision
from timefair.records.rundata.settings import NoisyValue
from timefair.records.rundata.traces import (
    Held,
    Part,
    Parts,
    Source,
    TracePart,
    aligned,
    offsets_of,
)
from timefair.records.schema import RUN_SCHEMA
from timefair.statistics.runtimes import Rule, trace

if TYPE_CHECKING:
    import pandas as pd

SAID: dict[NoisyValue, str] = {
    "recommended": "Noisy runs: values without noise of the point that the run recommends.",
    "best_measured": "Noisy runs: values without noise of the best measured point.",
    "best_evaluated": "Noisy runs: best value without noise of all evaluated points, as COCO has "
    "it.",
    "measured": "Noisy runs: measured values, with their noise.",
}
"""A sentence for captions."""

_VECTOR = ("launch", "evaluations", "time_s", "outputs.list.element")
_RECOMMENDATION = ("launch", "evaluations", "time_s", "noise_free")


@dataclass(frozen=True)
class NoisyPart(Part):
    """The rows of some noisy runs, each in the order in which they were made.

    `precision` has measured values, NaN for recommendations; `launch` made each row.
    """

    launch: NDArray[np.intp]
    noise_free: NDArray[np.float64]

    def traced(self, rule: Rule, f_opt: NDArray[np.float64]) -> TracePart:
        """The traces by a rule, as distances to `f_opt` (one per run), or values if it is NaN."""
        events, lengths = [], []
        for begin, end in zip(self.offsets[:-1], self.offsets[1:], strict=True):
            here = slice(begin, end)
            at, found = trace(rule, self.launch[here], self.precision[here], self.noise_free[here])
            events.append((begin + at, found))
            lengths.append(at.size)
        offsets = offsets_of(np.array(lengths, dtype=np.int64))
        at = np.concatenate([np.empty(0, np.intp), *(rows for rows, _ in events)])
        value = np.concatenate([np.empty(0), *(found for _, found in events)])
        optimum = np.repeat(f_opt[self.rows], np.diff(offsets))
        distance = np.where(np.isnan(optimum), value, precision(value, optimum))
        traces = TracePart(self.rows, offsets, self.time_s[at], self.evaluations[at], distance)
        return _falling(traces)


NoisyRows = Parts[NoisyPart]


def said(frame: pd.DataFrame, value: NoisyValue) -> str:
    """Meaning of the values of noisy runs, as a sentence for captions; empty without such runs."""
    return SAID[value] if frame["noise_free_f"].notna().any() else ""


def chosen(runs: pa.Table, value: NoisyValue) -> pa.Table:
    """The runs for an export: noisy runs, last, get the events and best values that tables use."""
    noisy = np.asarray(pc.is_valid(runs["noise_free_f"]))
    if value == "measured" or not noisy.any():
        return runs
    mine = runs.filter(pa.array(noisy)).combine_chunks()
    every = np.arange(len(mine))
    (part,) = _parts(Held(mine), every, np.ones(every.size, dtype=np.bool_))
    f_opt = np.asarray(pc.cast(mine["f_opt"], pa.float64()).to_numpy(), dtype=np.float64)
    traces = part.traced(value, f_opt)
    best = traces.last_precision()
    kind = RUN_SCHEMA.field("events").type
    events = pa.StructArray.from_arrays(
        [
            pa.nulls(traces.precision.size, pa.int32()),
            pa.array(traces.evaluations.astype(np.int64)),
            pa.array(traces.time_s),
            pa.array(traces.precision),
        ],
        fields=list(kind.value_type),
    )
    columns = {
        "events": pa.ListArray.from_arrays(pa.array(traces.offsets, pa.int32()), events).cast(kind),
        "best_precision": pa.array(best),
        "best_f": pa.array(best + np.nan_to_num(f_opt)),
    }
    for name, column in columns.items():
        mine = mine.set_column(mine.schema.get_field_index(name), RUN_SCHEMA.field(name), column)
    return pa.concat_tables([runs.filter(pa.array(~noisy)), mine])


def read(source: Source, rows: NDArray[np.intp], noisy: NDArray[np.bool_]) -> NoisyRows:
    """The rows of a source; `rows` is that of each run (negative: omitted), `noisy` per row."""
    return NoisyRows(lambda: _parts(source, rows, noisy) if noisy.any() else iter(()))


def _parts(source: Source, rows: NDArray[np.intp], noisy: NDArray[np.bool_]) -> Iterator[NoisyPart]:
    mine = np.where((rows >= 0) & noisy[rows], rows, -1)
    columns = {"vectors": _VECTOR, "recommendations": _RECOMMENDATION}
    for here, (vectors, recommended) in aligned(source, mine, **columns):
        yield _part(vectors, recommended, here)


def _part(
    vectors: pa.ChunkedArray, recommended: pa.ChunkedArray, rows: NDArray[np.intp]
) -> NoisyPart:
    lengths = [
        pc.fill_null(pc.list_value_length(column), 0).to_numpy()
        for column in (vectors, recommended)
    ]
    evaluated, named = pc.list_flatten(vectors), pc.list_flatten(recommended)
    outputs = np.asarray(pc.list_flatten(pc.struct_field(evaluated, "outputs")), dtype=np.float64)
    measured, noise_free = outputs.reshape(-1, 2).T
    run = np.concatenate([np.repeat(np.arange(rows.size), length) for length in lengths])

    def both(name: str) -> NDArray[np.float64]:
        columns = (pc.struct_field(flat, name) for flat in (evaluated, named))
        return np.concatenate([np.asarray(column, dtype=np.float64) for column in columns])

    order = np.lexsort((both("evaluations"), run))  # stable
    of_named = np.asarray(pc.struct_field(named, "noise_free"), dtype=np.float64)
    return NoisyPart(
        rows=rows,
        offsets=offsets_of(np.bincount(run, minlength=rows.size)),
        time_s=both("time_s")[order],
        evaluations=both("evaluations")[order],
        precision=np.concatenate([measured, np.full(of_named.size, np.nan)])[order],
        launch=both("launch")[order].astype(np.intp),
        noise_free=np.concatenate([noise_free, of_named])[order],
    )


def _falling(part: TracePart) -> TracePart:
    """Omit events at which the precision does not decrease."""
    before = np.concatenate([[np.inf], part.precision[:-1]])
    before[part.offsets[:-1][part.offsets[:-1] < before.size]] = np.inf
    return part.with_events(part.precision < before)
