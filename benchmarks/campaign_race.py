"""What a campaign-wide race saves, how often it is wrong, and what it does to the other tables.

    python benchmarks/campaign_race.py replay FOLDER [FOLDER ...] [--replications 200]
    python benchmarks/campaign_race.py simulate [--replications 400]
    python benchmarks/campaign_race.py side-effects [--replications 400]
    python benchmarks/campaign_race.py measured RACE EQUAL

`replay` takes folders ``results/NAME`` of campaigns that were measured with one number of runs
everywhere. The recorded runs of an algorithm on a function are taken as its true distribution: each
run that the race asks for is drawn from them with replacement, and costs the mean seconds of the
recorded ones. So the true order of each pair is known. Equal allocation gives each algorithm one
more run on each function at a time, and is judged after each run by the same confidence sequences.
"Saved" is the share of the core-seconds of equal allocation that the race does without, once until
both have decided the same number of pairs (as many as the one that decided fewer in the end), and
once to the end: of the race where no pair is open or in reach, of equal allocation where no pair is
open or at 60 runs.

`simulate` has worlds whose truth is known by construction. In the first ones no order of a pair is
right, so that each statement is wrong.

`side-effects` shows what the race does to results that do not know of it: on functions where two
algorithms are equal, the mean error of A12 and of the mean of an algorithm, how often the nominal
95 % interval of A12 covers 0.5, and how often a Mann-Whitney test rejects at 0.05; and over all
functions, how much the mean A12 of decided pairs is exaggerated, and how often the confidence
sequence of a pair contains its mean A12 at the end.

`measured` compares two measured campaigns (folders ``results/NAME``) that differ in their stopping
rule: `campaign_race`, and `fixed`, whose runs are judged in their order as for `replay`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import binomtest

from timefair.extensions.race.statistics import (
    CampaignRace,
    Standing,
    ranking_race,
)
from timefair.records.store import open_record
from timefair.statistics.comparison import a12, mann_whitney

ROUNDS, CAP = 10, 60
MEASURED_START = 4
"""First runs of an algorithm on a function in config/studies/campaign-race.yaml."""

Draws = list[list[NDArray[np.float64]]]
"""For each function the results that each algorithm would have, in the order of its runs."""


class Course(NamedTuple):
    """A race or an equal allocation: after each look its cost and the number of decided pairs."""

    costs: list[float]
    decided: list[int]
    last: Standing
    runs: NDArray[np.int64]

    def cost_of(self, pairs: int) -> float:
        """What it had cost when it had decided so many pairs."""
        return next(c for c, d in zip(self.costs, self.decided, strict=True) if d >= pairs)


def _seen(draws: Draws, runs: NDArray[np.int64]) -> Draws:
    return [[own[: runs[a, f]] for a, own in enumerate(row)] for f, row in enumerate(draws)]


def raced(
    race: CampaignRace, draws: Draws, costs: NDArray[np.float64], budget: float = np.inf
) -> Course:
    """A race until it gives no more runs, or the rounds end."""
    runs = np.full(costs.shape, race.start)
    spent, decided, standing = [], [], None
    for left in range(ROUNDS - 1, -1, -1):
        standing = race.look(_seen(draws, runs), standing)
        spent.append(float((runs * costs).sum()))
        decided.append(int((~standing.is_open).sum()))
        share = (budget - spent[-1]) / left if left else 0.0
        more = race.grant(standing, runs, costs, CAP, share).more
        if not more.any():
            break
        runs = runs + more
    return Course(spent, decided, standing, runs)


def equal(race: CampaignRace, draws: Draws, costs: NDArray[np.float64], pairs: int) -> Course:
    """Equal allocation until all pairs are decided, or up to the cap.

    It is judged after each run until `pairs` are decided, and then after each fifth run.
    """
    spent, decided, standing, n = [], [], None, race.start
    while True:
        runs = np.full(costs.shape, n)
        standing = race.look(_seen(draws, runs), standing)
        spent.append(float((runs * costs).sum()))
        decided.append(int((~standing.is_open).sum()))
        if n == CAP or not standing.is_open.any():
            return Course(spent, decided, standing, runs)
        n = min(n + (1 if decided[-1] < pairs else 5), CAP)


# --- Recorded campaigns -------------------------------------------------------------------------


class Recorded(NamedTuple):
    """The runs of a campaign in one dimension."""

    name: str
    results: Draws
    costs: NDArray[np.float64]


def recorded(folder: Path) -> Iterator[Recorded]:
    """The campaign of a folder, one dimension after the other."""
    columns = ["algorithm", "function", "dimension", "best_precision", "wall_s"]
    campaign = json.loads((folder / "campaign.json").read_text())
    frames = [
        open_record(path).read(columns).to_pandas()
        for path in sorted((folder / "collected").glob("*.parquet"))
    ]
    for frame in frames:  # runs that reached the final target are equal
        frame["best_precision"] = frame["best_precision"].clip(campaign["budget"]["final_target"])
    for dimension in sorted(frames[0]["dimension"].unique()):
        own = [frame[frame["dimension"] == dimension] for frame in frames]
        functions = sorted(own[0]["function"].unique())
        cells = [[frame[frame["function"] == f] for frame in own] for f in functions]
        yield Recorded(
            f"{folder.name}, D = {dimension}",
            [[cell["best_precision"].to_numpy(float) for cell in row] for row in cells],
            np.array([[cell["wall_s"].mean() for cell in row] for row in cells]).T,
        )


def true_a12(results: Draws, pairs: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
    """The mean A12 of each pair if the recorded runs are all that there are."""

    def one(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
        return float(((x[:, None] < y) + 0.5 * (x[:, None] == y)).mean())

    return np.mean([[one(row[a], row[b]) for a, b in pairs] for row in results], axis=0)


def replay(folders: Sequence[Path], replications: int, start: int, dimension: int | None) -> None:
    """Print a row for each campaign and dimension."""
    print(
        "| campaign | algorithms × functions | recorded runs | pairs decided, race / equal | "
        "wrong | core-s, race / equal | saved [95 %] | saved to the end [95 %] |\n"
        "|---|---|---|---|---|---|---|---|"
    )
    for folder in folders:
        for world in recorded(folder):
            if dimension is None or world.name.endswith(f"= {dimension}"):
                print(_replayed(world, replications, start), flush=True)


def _replayed(world: Recorded, replications: int, start: int) -> str:
    algorithms, functions = world.costs.shape
    race = ranking_race(algorithms, functions, 1, start, 0.95)
    truth = np.sign(np.round(true_a12(world.results, race.pairs) - 0.5, 12))
    rows = []
    for seed in range(replications):
        rng = np.random.default_rng(seed)
        draws = [[rng.choice(own, CAP) for own in row] for row in world.results]
        one = raced(race, draws, world.costs)
        other = equal(race, draws, world.costs, one.decided[-1])
        pairs = min(one.decided[-1], other.decided[-1])
        wrong = ((one.last.better != 0) & (one.last.better != truth)).any()
        rows.append(
            (
                *(one.decided[-1], other.decided[-1], wrong),
                *(one.cost_of(pairs), other.cost_of(pairs)),
                *(one.costs[-1], other.costs[-1]),
            )
        )
    table = np.array(rows, dtype=np.float64)
    means = table.mean(axis=0)
    sizes = [own.size for row in world.results for own in row]
    return (
        f"| {world.name} | {algorithms} × {functions} | {min(sizes)} | {means[0]:.1f} / "
        f"{means[1]:.1f} of {len(race.pairs)} | {int(table[:, 2].sum())} of {replications} | "
        f"{means[3]:.0f} / {means[4]:.0f} | {_saved(*table[:, 3:5].T)} | "
        f"{_saved(*table[:, 5:].T)} |"
    )


def _saved(cost: NDArray[np.float64], of: NDArray[np.float64]) -> str:
    """In percent, with the 95 % interval of the bootstrap over replications."""
    chosen = np.random.default_rng(0).integers(cost.size, size=(2000, cost.size))
    ratios = cost[chosen].sum(axis=1) / of[chosen].sum(axis=1)
    low, high = 100 * np.quantile(1 - ratios, [0.025, 0.975])
    return f"{100 * (1 - cost.sum() / of.sum()):.0f} % [{low:.0f}, {high:.0f}]"


# --- Measured campaigns -------------------------------------------------------------------------


def measured(race_folder: Path, equal_folder: Path) -> None:
    """Print what both campaigns cost until the same number of pairs was decided."""
    one, other = _in_rounds(race_folder), _in_blocks(equal_folder)
    pairs = min(one.decided[-1], other.decided[-1])
    costs = one.cost_of(pairs), other.cost_of(pairs)
    same = (one.last.better == other.last.better) | (one.last.better * other.last.better == 0)
    print("| pairs decided, race / equal | opposite orders | core-s until so many, race / equal |")
    print("|---|---|---|")
    print(
        f"| {one.decided[-1]} / {other.decided[-1]} of {len(same)} | {int((~same).sum())} | "
        f"{pairs} pairs: {costs[0]:.0f} / {costs[1]:.0f}, saved "
        f"{100 * (1 - costs[0] / costs[1]):.0f} % |"
    )
    print(f"\nAll runs of the race: {one.costs[-1]:.0f} core-s, of equal allocation: "
          f"{other.costs[-1]:.0f} core-s")  # fmt: skip


def _frame(folder: Path) -> pd.DataFrame:
    columns = ["algorithm", "function", "instance", "round", "run", "best_precision", "wall_s"]
    campaign = json.loads((folder / "campaign.json").read_text())
    parts = [
        open_record(path).read(columns).to_pandas()
        for path in sorted((folder / "collected").glob("*.parquet"))
    ]
    frame = pd.concat(parts, ignore_index=True)
    final = campaign["budget"]["final_target"]
    return frame.assign(best_precision=frame["best_precision"].clip(final))


def _course(frame: pd.DataFrame, looks: pd.Series, start: int) -> Course:
    """Judge the runs of a campaign: at look k those with at most k in `looks`."""
    names, functions = sorted(frame["algorithm"].unique()), sorted(frame["function"].unique())
    race = ranking_race(len(names), len(functions), 1, start, 0.95)
    spent, decided, standing = [], [], None
    for look in range(1, int(looks.max()) + 1):
        seen = frame[looks <= look]
        cells = dict(list(seen.groupby(["function", "algorithm"])["best_precision"]))
        samples = [[cells[f, name].to_numpy(float) for name in names] for f in functions]
        standing = race.look(samples, standing)
        spent.append(float(seen["wall_s"].sum()))
        decided.append(int((~standing.is_open).sum()))
    return Course(spent, decided, standing, np.empty(0))


def _in_rounds(folder: Path) -> Course:
    frame = _frame(folder)
    first = frame[frame["round"] == 1].groupby(["function", "algorithm"]).size().min()
    return _course(frame, frame["round"], int(first))


def _in_blocks(folder: Path) -> Course:
    """One more run on each instance at a time, from as many as the race begins with."""
    frame = _frame(folder)
    instances = frame["instance"].nunique()
    first = -(-MEASURED_START // instances)
    return _course(frame, (frame["run"] - first + 2).clip(lower=1), first * instances)


# --- Worlds with a known truth ------------------------------------------------------------------

STEP = 0.15
"""Difference of neighbours in the world "small steps", in standard deviations."""

Law = Callable[[np.random.Generator, int, int], NDArray[np.float64]]
"""Results of an algorithm on a function: generator, algorithm, function."""


def _equal_law(rng: np.random.Generator, algorithm: int, function: int) -> NDArray[np.float64]:
    return rng.lognormal(size=CAP)


def _crossing(rng: np.random.Generator, algorithm: int, function: int) -> NDArray[np.float64]:
    """Each algorithm is far ahead on half of the functions: all mean A12 are 0.5."""
    return rng.normal(size=CAP) + 3 * ((algorithm + function) % 2)


def _solved(rng: np.random.Generator, algorithm: int, function: int) -> NDArray[np.float64]:
    """Half of the runs reach the final target, which is a tie."""
    return np.where(rng.random(CAP) < 0.5, 0.0, rng.lognormal(sigma=3, size=CAP))


def _unequal_spread(rng: np.random.Generator, algorithm: int, function: int) -> NDArray[np.float64]:
    """The same median, with a spread that differs a hundredfold."""
    return rng.normal(scale=10.0 ** (algorithm % 3), size=CAP)


def _steps(rng: np.random.Generator, algorithm: int, function: int) -> NDArray[np.float64]:
    """Algorithm k is better than k + 1 by `STEP`, but equal on a third of the functions."""
    return rng.normal(size=CAP) + STEP * algorithm * (1 if function % 3 else 0)


WORLDS: dict[str, tuple[Law, int]] = {
    "equal": (_equal_law, 0),
    "crossing": (_crossing, 0),
    "half solved": (_solved, 0),
    "unequal spread": (_unequal_spread, 0),
    "small steps": (_steps, 1),
}
"""Law, and whether there is a right order: of a pair (a, b) with a < b, a is then better."""

DESIGNS = ((4, 24, 4), (6, 6, 5), (2, 4, 4))
"""Algorithms, functions, first runs."""


def simulate(replications: int) -> None:
    """Print how often a statement is wrong."""
    print(
        "| world | algorithms × functions | first runs | campaigns with a wrong statement [95 %] |"
    )
    print("|---|---|---|---|")
    for name, (law, right) in WORLDS.items():
        for algorithms, functions, start in DESIGNS:
            wrong = sum(
                _is_wrong(law, right, algorithms, functions, start, seed)
                for seed in range(replications)
            )
            low, high = binomtest(wrong, replications).proportion_ci()
            print(
                f"| {name} | {algorithms} × {functions} | {start} | "
                f"{100 * wrong / replications:.1f} % [{100 * low:.1f}, {100 * high:.1f}] |",
                flush=True,
            )


def side_effects(replications: int) -> None:
    """Print what results on single functions are worth after a race, and without one."""
    print(
        "| after | mean error of A12 | coverage of the interval of A12 | mean error of the mean | "
        "rejections by the Mann-Whitney test | mean error of the mean A12, decided pairs | "
        "coverage of the confidence sequences |\n|---|---|---|---|---|---|---|"
    )
    for adaptive in (False, True):
        print(_side_effects(adaptive, replications), flush=True)


def _drawn(law: Law, algorithms: int, functions: int, seed: int) -> Draws:
    rng = np.random.default_rng([seed, algorithms, functions])
    return [[law(rng, a, f) for a in range(algorithms)] for f in range(functions)]


def _is_wrong(law: Law, right: int, algorithms: int, functions: int, start: int, seed: int) -> bool:
    race = ranking_race(algorithms, functions, 1, start, 0.95)
    path = raced(race, _drawn(law, algorithms, functions, seed), np.ones((algorithms, functions)))
    better = path.last.better
    return bool(((better != 0) & (better != right)).any())


def _side_effects(adaptive: bool, replications: int) -> str:
    """What tables on single functions say, on the first two algorithms of equal law on function 0.

    The others differ from them in small steps on other functions, so that the race goes on. Without
    the race, all have as many runs as there are on average with it.
    """
    algorithms, functions, start = 4, 12, 5
    race = ranking_race(algorithms, functions, 1, start, 0.95)
    costs = np.ones((algorithms, functions))
    steps = np.array([b - a for a, b in race.pairs])
    truth = (2 * ndtr(STEP * steps / np.sqrt(2)) + 0.5) / 3
    errors, covered, means, rejected, exaggerated, held = [], [], [], [], [], []
    for seed in range(replications):
        draws = _drawn(_steps, algorithms, functions, seed)
        course = raced(race, draws, costs)
        runs, standing = course.runs, course.last
        if not adaptive:
            runs = np.full(costs.shape, round(float(runs.mean())))
            standing = race.look(_seen(draws, runs))
        found = standing.estimates.a12
        exaggerated += (found - truth)[~standing.is_open].tolist()
        held += (np.abs(found - truth) <= standing.radius).tolist()
        for function in range(0, functions, 3):
            first, second = draws[function][0][: runs[0, function]], draws[function][1]
            second = second[: runs[1, function]]
            effect = a12(first, second, confidence=0.95)
            errors.append(effect.a12 - 0.5)
            covered.append(effect.low <= 0.5 <= effect.high)
            means.append(first.mean())
            rejected.append(mann_whitney(first, second) <= 0.05)
    name = "campaign_race" if adaptive else "equal allocation"

    def shown(values: list[float]) -> str:
        spread = 1.96 * np.std(values) / np.sqrt(len(values))
        return f"{np.mean(values):+.4f} ± {spread:.4f}"

    return (
        f"| {name} | {shown(errors)} | {100 * np.mean(covered):.1f} % | {shown(means)} | "
        f"{100 * np.mean(rejected):.1f} % | {shown(exaggerated)} | {100 * np.mean(held):.2f} % |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("replay")
    one.add_argument("folders", nargs="+", type=Path)
    one.add_argument("--replications", type=int, default=200)
    one.add_argument("--start", type=int, default=5)
    one.add_argument("--dimension", type=int)
    for name in ("simulate", "side-effects"):
        other = commands.add_parser(name)
        other.add_argument("--replications", type=int, default=400)
    pair = commands.add_parser("measured")
    pair.add_argument("race", type=Path)
    pair.add_argument("equal", type=Path)
    asked = parser.parse_args()
    if asked.command == "replay":
        replay(asked.folders, asked.replications, asked.start, asked.dimension)
    elif asked.command == "measured":
        measured(asked.race, asked.equal)
    elif asked.command == "simulate":
        simulate(asked.replications)
    else:
        side_effects(asked.replications)


if __name__ == "__main__":
    main()
