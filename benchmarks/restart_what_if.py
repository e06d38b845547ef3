"""Whether records of one restart policy predict what other policies really do.

    python benchmarks/restart_what_if.py --records FOLDER [--source-runs 30] [--runs 8]

Differential evolution runs on the functions of `config/studies/restart-policies.yaml`, with a
budget of evaluations, so that nothing depends on the load of the machine. The source of a
prediction are runs of `none` (the launches of the study never return), or of `independent` with a
DE that returns when it has not improved for 100 generations. The arms of other policies are
measured with other seeds, and stay in the folder for the next time.

A cell is a policy, function and target. Its 95 % prediction interval holds the noise of both sides:
the source's runs are resampled, and from the law of each sample as many runs are drawn as the arm
has. A cell counts if at least 5 launches of the source reached the target within the cutoff.
`stagnation` is not predicted, because thinned traces do not show when a launch stopped improving,
and `bet-and-run` is not computed.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from scipy.stats import spearmanr

from timefair.algorithms import registry
from timefair.extensions.restart_prediction.cells import LEAST_HITS, RestartCell, restart_cells
from timefair.extensions.restart_prediction.choice import resampled_runs
from timefair.extensions.restart_prediction.statistics import (
    Law,
    Outcome,
    fixed_cutoffs,
    geometric,
    luby,
)
from timefair.machine.linux import kernel
from timefair.measure.job.cores import held_cores
from timefair.measure.launching import run_seed
from timefair.measure.runs.child import Allowance
from timefair.measure.runs.run import measure_run
from timefair.policies.restarts import RESTARTS
from timefair.problems.registry import SUITES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.schema import RUN_SCHEMA

ROOT = Path(__file__).parents[1]
STUDY = yaml.safe_load((ROOT / "config/studies/restart-policies.yaml").read_text())
PATIENCE = 100
"""Generations without a better value after which a launch of the patient DE returns."""
MORE = {"geometric": {"policy": "geometric", "tau_evaluations": 1000}}
"""Besides the arms of the study."""
SOURCES = {"endless": {"policy": "none"}, "patient": {"policy": "independent"}}
PREDICTED = ("fixed", "luby", "geometric")
SEED, RESAMPLES = 8, 200
ANALYSIS = Analysis(targets=(1e2, 1e1, 1e0, 1e-1, 1e-2, 1e-3, 1e-5, 1e-8))
STEPS = (1.0, 1.25)
CUTOFFS = 31.25 * np.multiply.outer(2.0 ** np.arange(13), STEPS).ravel()
"""The cutoffs of the policies, and those in between."""


def arms() -> dict[str, dict[str, Any]]:
    """The policies of the study, by label, without `none`, and `MORE`."""
    of = {name: entry["restart"] for name, entry in STUDY["algorithms"].items()}
    return {name: restart for name, restart in of.items() if name != "none"} | MORE


def measured(
    folder: Path, kind: str, label: str, restart: dict[str, Any], runs: int, evaluations: int
) -> pa.Table:
    """Runs of one arm on all problems, from the folder if they are there."""
    path = folder / f"{kind}-{label}-{runs}-{evaluations}.parquet"
    if path.exists():
        return pq.read_table(path, schema=RUN_SCHEMA)
    entry = STUDY["algorithms"]["none"]
    more = {"patience": PATIENCE} if kind == "patient" else {}
    algorithm = registry.load(entry["use"], entry["parameters"] | more)
    policy = RESTARTS[restart["policy"]](**restart)
    allowance = Allowance(evaluations=evaluations, final_target=1e-8, restart=policy)
    chosen, parts = STUDY["problems"], []
    first, last = map(int, str(chosen["instances"]).split("-"))
    for function in chosen["functions"]:
        for instance in range(first, last + 1):
            cell = (function, chosen["dimensions"], instance)
            problem = SUITES[chosen["suite"]].problem(*cell)
            names = dict(zip(("function", "dimension", "instance"), cell, strict=True))
            for run in range(runs):
                seed = run_seed(SEED, problem.name, f"{kind}-{label}", run)
                row = measure_run(algorithm, problem, allowance, seed)
                assert row["status"] == "ok", row
                keys = {"suite": chosen["suite"], "algorithm": label, "run": run, "round": 1}
                whole = row | names | keys | {"f_opt": problem.f_opt}
                parts.append(pa.Table.from_pylist([whole], RUN_SCHEMA))
    table = pa.concat_tables(parts)
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)
    return table


def cells(table: pa.Table) -> list[RestartCell]:
    runs = Runs.of(table)
    traced = runs.launch_runtimes(ANALYSIS.targets_from_easy)
    return restart_cells(runs, ANALYSIS, traced, "evaluations")


def lengths(restart: dict[str, Any], budget: float) -> Iterator[float]:
    """Of the launches of a policy."""
    policy = RESTARTS[restart["policy"]](**restart)
    return (min(policy.limit(k).evaluations, budget) for k in itertools.count())


def computed(law: Law, restart: dict[str, Any], budget: float) -> Outcome:
    """What the statistics say of a policy; shape (samples, strata, targets)."""
    tau = restart["tau_evaluations"]
    policies = {
        "fixed": lambda: fixed_cutoffs(law, budget),
        "luby": lambda: luby(law, len(STEPS), budget),
        "geometric": lambda: geometric(law, budget),
    }
    outcome, place = policies[restart["policy"]](), int(np.searchsorted(law.cutoffs, tau))
    assert law.cutoffs[place] == tau
    return Outcome(outcome.cost[:, :, place], outcome.chance[:, :, place])


class Hits:
    """Costs of the source's launches to each target, to draw from within a cutoff."""

    def __init__(self, source: RestartCell) -> None:
        launches, strata = source.launches, source.strata[source.launches.run]
        of = [launches.hit[strata == k] for k in range(strata.max() + 1)]
        size = max(map(len, of))
        padded = [np.pad(h, ((0, size - len(h)), (0, 0)), constant_values=np.inf) for h in of]
        self._hit = np.sort(np.stack(padded), axis=1)

    def within(self, length: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A cost for each length, an array of shape (samples, strata, runs, targets).

        From the launches of the stratum; half the length if none of them reached the target.
        """
        cost = length / 2
        for stratum, target in np.ndindex(length.shape[1], length.shape[3]):
            hit, wanted = self._hit[stratum, :, target], length[:, stratum, :, target]
            count = hit.searchsorted(wanted, side="right")
            place = (rng.random(wanted.shape) * count).astype(int)
            cost[:, stratum, :, target] = np.where(count > 0, hit[place], wanted / 2)
        return cost


def drawn(
    law: Law,
    hits: Hits,
    restart: dict[str, Any],
    budget: float,
    runs: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """ERT and success rate of as many runs per stratum as an arm has; shape (samples, targets)."""
    samples, strata, _, targets = law.chance.shape
    shape = (samples, strata, runs, targets)
    left, cost, success = np.full(shape, budget), np.zeros(shape), np.zeros(shape, bool)
    for length in lengths(restart, budget):
        open_ = (left > 1e-9) & ~success
        if not open_.any():
            break
        most = np.minimum(length, left)
        at = np.searchsorted(law.cutoffs, most)[:, :, :, None, :]
        chance, failure = (
            np.take_along_axis(one[:, :, None], at, axis=3)[:, :, :, 0, :]
            for one in (law.chance, law.failure)
        )
        hit = open_ & (rng.random(shape) < chance)
        failed = np.minimum(failure, most)
        cost += np.where(hit, hits.within(most, rng), np.where(open_, failed, 0.0))
        left -= np.where(open_ & ~hit, failed, 0.0)
        success |= hit
    total, count = cost.sum(axis=(1, 2)), success.sum(axis=(1, 2))
    ert = np.divide(total, count, out=np.full(count.shape, np.inf), where=count > 0)
    return ert, count / (strata * runs)


def compared(source: RestartCell, arm: RestartCell, restart: dict[str, Any]) -> Iterator[dict]:
    """A row for each target that enough launches of the source reached."""
    rng, runs = np.random.default_rng(SEED), len(arm.strata)
    weights = resampled_runs(source.strata, resamples=RESAMPLES, rng=rng)
    weights[0] = 1.0
    law = source.law(weights, CUTOFFS)
    plain = computed(law, restart, source.budget).pooled(source.shares)
    ert, rate = drawn(law, Hits(source), restart, source.budget, runs // len(arm.shares), rng)
    longest = restart["tau_evaluations"] if restart["policy"] == "fixed" else source.budget
    seen = (source.launches.hit <= longest).sum(axis=0)
    hits = arm.spent.success.sum(axis=0)
    with np.errstate(divide="ignore"):
        real = np.where(hits > 0, arm.spent.cost.sum(axis=0) / hits, np.inf)
    for k, target in enumerate(ANALYSIS.targets_from_easy):
        low, high = np.quantile(ert[:, k], [0.025, 0.975], method="inverted_cdf")
        least, most = np.quantile(rate[:, k], [0.025, 0.975], method="inverted_cdf")
        if seen[k] >= LEAST_HITS:
            yield {
                "policy": arm.names["algorithm"],
                "function": arm.names["function"],
                "target": target,
                "judged": k == source.judged_target(),
                "predicted": plain.ert[0, k],
                "low": low,
                "high": high,
                "measured": real[k],
                "inside": low <= real[k] <= high,
                "rate": plain.chance[0, k],
                "measured rate": hits[k] / runs,
                "rate inside": least <= hits[k] / runs <= most,
            }


def summed_up(rows: pd.DataFrame) -> None:
    """Print the share of cells inside, and the rank correlation over the policies."""
    for policy, mine in rows.groupby("policy"):
        finite = mine[np.isfinite(mine["measured"]) & np.isfinite(mine["predicted"])]
        ratio = np.exp(np.log(finite["predicted"] / finite["measured"]).median())
        print(
            f"{policy:16} ERT {mine['inside'].sum()} of {len(mine)}, success rate "
            f"{mine['rate inside'].sum()} of {len(mine)}; predicted / measured: {ratio:.3f}"
        )
    print(f"{'all':16} ERT {rows['inside'].mean():.3f}, rate {rows['rate inside'].mean():.3f}")
    known = rows[rows["judged"] & np.isfinite(rows["measured"]) & np.isfinite(rows["predicted"])]
    logs = np.log(known[["predicted", "measured"]])
    logs -= logs.groupby(known["function"]).transform("mean")
    each = [
        spearmanr(mine["predicted"], mine["measured"]).statistic
        for _, mine in known.groupby("function")
        if len(mine) > 2
    ]
    print(
        f"at the hardest target of a function that 5 launches reached: {known['inside'].sum()} of "
        f"{rows['judged'].sum()}; rank correlation of policies: {np.mean(each):.2f} within a "
        f"function, {spearmanr(logs['predicted'], logs['measured']).statistic:.2f} over all, "
        "each function's mean removed"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=Path, required=True, help="folder of the measured runs")
    parser.add_argument("--source-runs", type=int, default=30, help="runs per instance of a source")
    parser.add_argument("--runs", type=int, default=8, help="runs per instance of an arm")
    parser.add_argument("--evaluations", type=int, default=200_000, help="budget of a run")
    parser.add_argument("--kinds", nargs="+", default=list(SOURCES))
    options = parser.parse_args()
    kernel.adopt_orphans()
    size = options.evaluations
    for kind in options.kinds:
        with held_cores(1):
            origin = measured(
                options.records, kind, "source", SOURCES[kind], options.source_runs, size
            )
            of_arms = {
                label: measured(options.records, kind, label, restart, options.runs, size)
                for label, restart in arms().items()
            }
        sources, rows = cells(origin), []
        for label, table in of_arms.items():
            restart = arms()[label]
            if restart["policy"] in PREDICTED:
                for source, arm in zip(sources, cells(table), strict=True):
                    rows += compared(source, arm, restart)
        found = pd.DataFrame(rows)
        print(f"\n{kind}, from {SOURCES[kind]['policy']}:")
        print(found[found["judged"]].to_markdown(index=False, floatfmt=".3g"))
        print("outside:")
        print(found[~found["inside"]].to_markdown(index=False, floatfmt=".3g"))
        summed_up(found)


if __name__ == "__main__":
    main()
