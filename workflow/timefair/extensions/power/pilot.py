"""Estimates from the runs of a small campaign how much a larger one has to measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from timefair.extensions.power.design import Components, components, log_ratio_variance
from timefair.extensions.power.power import CostLaw
from timefair.records.rundata.problems import Spent
from timefair.records.rundata.runs import Runs, Unit
from timefair.records.rundata.settings import Analysis


class Case(NamedTuple):
    """The runs of an algorithm on a function, at a target that some of these runs reached."""

    success: float
    spread: float

    @property
    def law(self) -> CostLaw:
        """The distribution of their costs."""
        return CostLaw.of_spread(self.spread, self.success)


@dataclass(frozen=True)
class Pilot:
    """The runs on one suite in one dimension.

    - `instances`, `runs`: Largest number of instances of a function; smallest number of runs of an
      algorithm on an instance.
    - `targets`: Number of targets.
    - `rows`: The runs of each (function, instance, algorithm).
    - `spent`: Cost of each run up to each target.
    - `core_s`: Mean core-seconds of one run of every algorithm.
    """

    suite: str
    dimension: int
    algorithms: tuple[str, ...]
    functions: tuple[int, ...]
    instances: int
    runs: int
    targets: int
    rows: Mapping[tuple[int, int, str], NDArray[np.intp]]
    spent: Spent
    core_s: float

    @property
    def success_rates(self) -> NDArray[np.float64]:
        """Success rates of each algorithm on each function at each target, without the rates 0 and
        1.
        """
        rates = [self.spent.success[rows].mean(axis=0) for rows in self._pooled()]
        found = np.concatenate(rates)
        return np.asarray(found[(found > 0) & (found < 1)], dtype=np.float64)

    def cases(self) -> list[Case]:
        """The runs of each algorithm on each function at each target, sorted by increasing spread.

        Cases without a finite variance are omitted: targets that no run reached, and fewer than two
        runs.
        """
        found = []
        for rows in self._pooled():
            for target in range(self.targets):
                success = self.spent.success[rows, target]
                _, variance = log_ratio_variance(self.spent.cost[rows, target], success)
                if np.isfinite(variance):
                    found.append(Case(float(success.mean()), float(np.sqrt(variance))))
        return sorted(found, key=lambda case: case.spread)

    def components(self) -> tuple[Components, int]:
        """Variances of the log ratio of two ERTs, and the number of comparisons behind them.

        They are averages over the pairs of algorithms and the targets for which some function has
        ERTs of both. NaN if no comparison determines a variance.
        """
        found = [one for one in self._comparisons() if not np.isnan(one.runs)]
        values = np.array([(one.functions, one.instances, one.runs) for one in found])
        means = [
            float(column[~np.isnan(column)].mean()) if (~np.isnan(column)).any() else np.nan
            for column in values.reshape(-1, 3).T
        ]
        return Components(*means), len(found)

    def _comparisons(self) -> Iterator[Components]:
        shape = (len(self.functions), self.instances, self.targets)
        logarithms = {name: np.full((2, *shape), np.nan) for name in self.algorithms}
        place = {function: k for k, function in enumerate(self.functions)}
        of_function = {f: sorted({i for g, i, _ in self.rows if g == f}) for f in self.functions}
        for (function, instance, name), rows in self.rows.items():
            number = of_function[function].index(instance)
            for target in range(self.targets):
                logarithms[name][:, place[function], number, target] = log_ratio_variance(
                    self.spent.cost[rows, target], self.spent.success[rows, target]
                )
        for a, b in combinations(self.algorithms, 2):
            difference = logarithms[a][0] - logarithms[b][0]
            variance = logarithms[a][1] + logarithms[b][1]
            for target in range(self.targets):
                yield components(difference[..., target], variance[..., target], self.runs)

    def _pooled(self) -> Iterator[NDArray[np.intp]]:
        """The runs of each algorithm on each function, with all instances pooled."""
        together: dict[tuple[int, str], list[NDArray[np.intp]]] = {}
        for (function, _, name), rows in self.rows.items():
            together.setdefault((function, name), []).append(rows)
        return map(np.concatenate, together.values())


def pilots(runs: Runs, analysis: Analysis, unit: Unit, cores: Mapping[str, int]) -> Iterator[Pilot]:
    """The pilot data of each suite and dimension, with ERTs in a unit.

    `cores` has the number of cores of a run, by algorithm.
    """
    taken = runs.wanted(analysis).with_values(analysis.noisy_value).timed_by(analysis.time)
    for space in taken.spaces():
        rows = {
            (names["function"], names["instance"], names["algorithm"]): members
            for names, members in space.groups(("function", "instance", "algorithm"))
        }
        algorithms = tuple(sorted({name for _, _, name in rows}))
        functions = tuple(sorted({function for function, _, _ in rows}))
        targets = analysis.targets
        real_s = space.frame.groupby("algorithm")["real_s"].mean()
        yield Pilot(
            suite=str(space.frame["suite"].iloc[0]),
            dimension=int(space.frame["dimension"].iloc[0]),
            algorithms=algorithms,
            functions=functions,
            instances=max(len({i for f, i, _ in rows if f == function}) for function in functions),
            runs=min(map(len, rows.values())),
            targets=len(targets),
            rows=rows,
            spent=Spent.until(space.runtimes(unit, targets), space.spent(unit)),
            core_s=float(sum(real_s[name] * cores[name] for name in algorithms)),
        )
