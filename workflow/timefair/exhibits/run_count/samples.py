"""Complete samples, on which rules for the number of runs are judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.basics.together import ALL
from timefair.rundata.problems import precision_at_the_end
from timefair.rundata.runs import Runs

CELL = ["suite", "function", "dimension", "instance", "algorithm"]
STRATUM = ["suite", "dimension"]


@dataclass(frozen=True)
class Samples:
    """The precisions at the end of the first runs of each cell, in the order of the runs.

    - `names`: One row per sample: suite, function, dimension, instance and algorithm, in the order
      of the samples.
    - `values`: Shape (samples, cap): the first runs.
    - `truth`: Shape (samples, cap): the same number of runs after them; NaN in the rows of cells
      with fewer runs.
    """

    names: pd.DataFrame
    values: NDArray[np.float64]
    truth: NDArray[np.float64]

    @classmethod
    def of(cls, runs: Runs, cap: int) -> Samples:
        """The cells with at least `cap` runs; other cells are omitted."""
        best = precision_at_the_end(runs)
        first = np.flatnonzero(~runs.frame.duplicated(CELL).to_numpy())
        sizes = np.diff(np.append(first, best.size))
        complete, sizes = first[sizes >= cap], sizes[sizes >= cap]
        places = complete[:, np.newaxis] + np.arange(cap)
        truth = np.full(places.shape, np.nan)
        truth[sizes >= 2 * cap] = best[places[sizes >= 2 * cap] + cap]
        names = runs.frame[CELL].iloc[complete].reset_index(drop=True)
        return cls(names, best[places], truth)

    @property
    def has_truth(self) -> NDArray[np.bool_]:
        """Which samples have independent runs to compare with."""
        return np.asarray(~np.isnan(self.truth).any(axis=1))

    def groups(self, keys: list[str]) -> Iterator[tuple[dict[str, Any], NDArray[np.intp]]]:
        """The rows of each combination of keys, in the order of the keys' values."""
        if self.names.empty:
            return
        for values, rows in sorted(self.names.groupby(keys).indices.items()):
            names: Any = values if isinstance(values, tuple) else (values,)
            yield dict(zip(keys, names, strict=True)), np.asarray(rows, dtype=np.intp)

    def strata(self) -> Iterator[tuple[dict[str, Any], Samples]]:
        """The samples of each (suite, dimension), in the order of these."""
        for names, rows in self.groups(STRATUM):
            yield names, self.taken(rows)

    def taken(self, rows: NDArray[np.intp]) -> Samples:
        """Some of the samples."""
        names = self.names.iloc[rows].reset_index(drop=True)
        return Samples(names, self.values[rows], self.truth[rows])


def pooled(sums: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Sums over all dimensions and over each one, with ``dimension`` as text; ``all`` is first.

    Rows keep the order in which their keys first appear. Without rows, there are no sums.
    """
    if sums.empty:
        return sums
    everywhere = sums.assign(dimension=ALL)
    each = sums.assign(dimension=sums["dimension"].astype(str))
    both = pd.concat([everywhere, each]).sort_values("suite", kind="stable")
    return both.groupby(keys, sort=False, as_index=False).sum(numeric_only=True)


def percent(part: pd.Series, whole: pd.Series) -> pd.Series:
    """Share in percent; NaN if the total is 0."""
    return 100.0 * part / whole.where(whole > 0)
