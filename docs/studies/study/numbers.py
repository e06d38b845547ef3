"""What the page quotes, as text by name; each number is computed from the archives."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from timefair.exhibits.comparisons.comparison import over
from timefair.extensions.break_even import tables as break_even
from timefair.extensions.database.standings import EVALUATIONS, Costs, ranks_of, spaces
from timefair.extensions.database.store import Design, kinds, opened, read_list
from timefair.records.rundata.runs import Runs

ROOT = Path(__file__).resolve().parents[3]
DATABASE = ROOT / "timefair-data"
AUDITED = ROOT / "benchmarks/library_bias.jsonl"
MAX_ITER = ROOT / "benchmarks/max_iter.csv"
DESIGNS = ("database-bbob-5", "database-bbob-20", "database-cec2022-10")
MORE = (
    *("database-cec2022-20", "database-cec2017-10", "database-cec2017-30"),
    *("database-engineering", "database-engineering-mixed"),
)
"""Designs without the details."""
LIBRARY = "mealpy-"
REFERENCES = {
    "random-search": "random search",
    "Nelder-Mead": "Nelder–Mead",
    "DE": "DE",
    "L-SHADE": "L-SHADE",
    "modcma-BIPOP": "BIPOP-CMA-ES",
}
ESTABLISHED = {
    "DE": "DE, compiled",
    "scipy-DE": "DE of scipy, in Python",
    "modcma-BIPOP": "BIPOP-CMA-ES, compiled",
    "pycma-BIPOP": "BIPOP-CMA-ES of pycma, in Python",
}
MEASURES = {
    "evaluations": EVALUATIONS,
    "CPU seconds": 0.0,
    "1 ms an evaluation": 1e-3,
    "100 ms an evaluation": 1e-1,
}
SIDES = ("better", "open", "worse")
COSTED = ("DE", "L-SHADE", "modcma-BIPOP")
"""References at the costs of an evaluation."""
WINNERS = "minionpy:"
"""Library of the winners of competitions."""
TESTED = 6
"""Functions from which a test over functions can decide."""
LEVEL = 0.05
LEAST = 500
"""Evaluations of a run; those with fewer would end the cost map."""
BEST, BEST_BY = 2, ("evaluations", "CPU seconds")


@dataclass(frozen=True, eq=False)
class Measured:
    """A design of the database: its costs, and the names of its metaheuristics."""

    design: Design
    runs: Runs
    costs: Costs
    mine: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        mine = tuple(label for label in self.costs.labels if label.startswith(LIBRARY))
        object.__setattr__(self, "mine", mine)

    @property
    def place(self) -> str:
        return f"{self.costs.suite}.{self.costs.dimension}"

    @property
    def space(self) -> str:
        whole = ", whole variables" * (kinds(self.design.campaign) != {"continuous"})
        return f"`{self.costs.suite}`{self.costs.title.removeprefix(self.costs.suite)}{whole}"

    @cache  # noqa: B019
    def gains(self, measure: str) -> NDArray[np.float64]:
        """As `standings.At.gains`, shape (functions, optimizers, optimizers)."""
        return self.costs.at(MEASURES[measure]).gains

    def ranks(self, measure: str) -> pd.Series:
        """Average ranks of all optimizers, by name."""
        return pd.Series(ranks_of(self.gains(measure)), self.costs.labels)

    def against(self, measure: str, reference: str, names: Sequence[str]) -> NDArray[np.int_]:
        """For each optimizer: 1 if it is significantly better than the reference, -1 if worse.

        Wilcoxon's signed-rank test over the functions; the false discovery rate over the names is
        that of Benjamini and Hochberg (1995).
        """
        place = self.costs.labels.index(reference)
        gains = self.gains(measure)
        return decided([gains[:, self.costs.labels.index(name), place] for name in names])


def decided(gains: Iterable[NDArray[np.float64]]) -> NDArray[np.int_]:
    """The sign of each comparison that the false discovery rate lets pass, else 0."""
    rows = [over(one) for one in gains]
    sure = stats.false_discovery_control([row["p"] for row in rows]) <= LEVEL
    return np.array([int(np.sign(row["balance"])) for row in rows]) * sure


def measured(names: Iterable[str] = DESIGNS) -> Iterator[Measured]:
    """Some designs."""
    for name in names:
        with opened(DATABASE / f"{name}.zip") as design:
            runs = design.runs.timed_by(design.analysis.time)
            (costs,) = spaces(runs, design.analysis)
            yield Measured(design, runs, costs)


def of_study(every: Sequence[Measured], more: Sequence[Measured]) -> dict[str, str]:
    """All numbers and tables."""
    bias = {row["label"]: row["bias"] for row in read_list(DATABASE)}
    mine, everyone = len(every[0].mine), len(every[0].costs.labels)
    found = {"table.designs": designs([*every, *more]), **biases(bias)}
    found |= {"metaheuristics": str(mine), "optimizers": str(everyone)}
    found["others"] = str(everyone - mine)
    found |= {"map.least": str(LEAST), "map.without": str(everyone - len(enough(every[0])))}
    tested = [one for one in (*every, *more) if len(one.costs.functions) >= TESTED]
    counts = {one: counted(one, one.mine) for one in tested}
    found |= against(counts)
    for one in every:
        place = one.place
        for (measure, reference), sides in counts[one].items():
            for words, number in zip(SIDES, sides, strict=True):
                found[f"{place}.{measure}.{reference}.{words}"] = str(number)
        unbiased = [name for name in one.mine if bias[name] == "none"]
        found["unbiased"] = str(len(unbiased))
        for (_, reference), sides in counted(one, unbiased, ["evaluations"]).items():
            found[f"unbiased.{place}.{reference}"] = "/".join(map(str, sides))
    found["table.best"] = best([*every, *more])
    return found | implementation(every) | reversals(every) | max_iter()


def enough(one: Measured) -> list[str]:
    """The optimizers of which every run that reached no last target made `LEAST` evaluations."""
    frame = one.runs.frame
    cut = frame[frame["stop_reason"] != "target"]
    fewest = cut.groupby("algorithm")["evaluations"].min()
    return [label for label in one.costs.labels if fewest.get(label, LEAST) >= LEAST]


def table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """A table of Markdown."""
    every = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in every)


def designs(every: Sequence[Measured]) -> str:
    """What was measured, and how quietly."""
    rows = []
    for one in every:
        perturbed = f"{100 * one.runs.perturbed.mean():.0f} %"
        counts = (len(one.costs.functions), f"{len(one.runs.frame):,}")
        jobs = [job for of in one.runs.origins.values() for job in of.kernels]
        kernel = 1e3 * np.median([job["arithmetic"][0] for job in jobs])
        rows.append((one.space, *counts, perturbed, f"{kernel:.2g} ms"))
    return table(("problems", "functions", "runs", "perturbed", "reference kernel"), rows)


Counts = dict[tuple[str, str], tuple[int, int, int]]
"""By measure and reference: how many are better, not decided and worse."""


def counted(one: Measured, names: Sequence[str], measures: Iterable[str] = MEASURES) -> Counts:
    """How some optimizers compare with each reference by each measure."""
    found = {}
    for measure in measures:
        for reference in REFERENCES:
            signs = one.against(measure, reference, names)
            sides = [int((signs == side).sum()) for side in (1, 0, -1)]
            found[measure, reference] = (sides[0], sides[1], sides[2])
    return found


def against(counts: Mapping[Measured, Counts]) -> dict[str, str]:
    """The counts as tables by evaluations, in seconds and at costs of an evaluation; and the most
    that are better in a design."""
    free, costed = BEST_BY, [measure for measure in MEASURES if measure not in BEST_BY]
    columns = {by: [(by, name, REFERENCES[name]) for name in REFERENCES] for by in free}
    columns["costs"] = [
        (by, name, f"{REFERENCES[name]}, {by.removesuffix(' an evaluation')}")
        for name in COSTED
        for by in costed
    ]
    found = {"designs": str(len(counts))}
    for what, of in columns.items():
        rows = [
            (one.space, *("/".join(map(str, sides[by, name])) for by, name, _ in of))
            for one, sides in counts.items()
        ]
        head = ("problems", *(words for *_, words in of))
        found[f"table.against.{what}"] = table(head, rows)
        for by, name, _ in of:
            most = max(sides[by, name][0] for sides in counts.values())
            found[f"most.{by}.{name}.better"] = str(most)
    return found


def best(every: Sequence[Measured]) -> str:
    """The metaheuristics with the best average ranks, the best winner of competitions, and their
    places among all."""
    rows = []
    winners = [row["label"] for row in read_list(DATABASE) if row["use"].startswith(WINNERS)]
    for one in every:
        rows.append([one.space])
        for measure in BEST_BY:
            ranks = one.ranks(measure)
            places = ranks.rank(method="min").astype(int)
            first = ranks[list(one.mine)].sort_values(kind="stable").index[:BEST]
            named = ", ".join(f"{name.removeprefix(LIBRARY)} ({places[name]})" for name in first)
            winner = ranks[winners].idxmin()
            rows[-1] += [ranks.idxmin(), f"{winner} ({places[winner]})", named]
    head = [(f"first by {measure}", "winner", "of MEALPY") for measure in BEST_BY]
    return table(("problems", *head[0], *head[1]), rows)


def implementation(every: Sequence[Measured]) -> dict[str, str]:
    """How many lose to a reference in CPU seconds, and of these how many only there; and how fast
    their own code would have to be for a tie with it."""
    rows, found = [], {}
    for one in every:
        for reference, words in ESTABLISHED.items():
            seconds, evaluations = (
                one.against(measure, reference, one.mine)
                for measure in ("CPU seconds", "evaluations")
            )
            only = (seconds < 0) & (evaluations >= 0)
            names = [name for name, is_one in zip(one.mine, only, strict=True) if is_one]
            cells = ((seconds < 0).sum(), only.sum(), *factors(one, names, reference))
            rows.append((one.space, words, *cells))
            place = f"implementation.{one.place}.{reference}"
            for name, cell in zip(("lost", "only", "factor", "never"), cells, strict=True):
                found[f"{place}.{name}"] = str(cell)
    head = ("worse in CPU seconds", "of these not by evaluations", "tie if faster by", "never")
    return found | {"table.implementation": table(("problems", "than", *head), rows)}


def factors(one: Measured, names: Sequence[str], reference: str) -> tuple[str, str]:
    """Quartiles of 1 / break-even factor of own time (`implementation`), and how many have none."""
    found = []
    for name in names:
        two = one.runs.where(one.runs.frame["algorithm"].isin([name, reference]).to_numpy())
        frame = break_even.implementation(two, one.design.analysis)
        found += [row["factor"] for _, row in frame.iterrows() if row["behind"] == name]
    known = np.array(found)[np.nan_to_num(found) > 0] if found else np.empty(0)
    if not known.size:
        return "–", str(len(found))
    quartiles = np.quantile(1 / known, [0.25, 0.5, 0.75])
    low, middle, high = (f"{value:.2g}" if value < 10 else f"{value:.0f}" for value in quartiles)
    return f"{middle} ({low} to {high})", str(len(found) - known.size)


def reversals(every: Sequence[Measured]) -> dict[str, str]:
    """Pairs of all optimizers whose order by evaluations is reversed in CPU seconds."""
    rows, found = [], {}
    for one in every:
        labels = range(len(one.costs.labels))
        pairs = [(a, b) for a in labels for b in labels if a < b]
        signs = [
            decided([one.gains(measure)[:, a, b] for a, b in pairs])
            for measure in ("evaluations", "CPU seconds")
        ]
        both = (signs[0] != 0) & (signs[1] != 0)
        opposite = both & (signs[0] != signs[1])
        tau = stats.kendalltau(one.ranks("evaluations"), one.ranks("CPU seconds")).statistic
        counts = [(sign != 0).sum() for sign in signs]
        share = f"{opposite.sum():,} ({100 * opposite.sum() / max(both.sum(), 1):.0f} %)"
        numbers = (f"{n:,}" for n in (len(pairs), *counts, both.sum()))
        rows.append((one.space, *numbers, share, f"{tau:.2f}"))
        found[f"opposite.{one.place}"] = share
    head = ("pairs", "by evaluations", "in CPU seconds", "by both", "of these opposite")
    return {"table.reversals": table(("problems", *head, "Kendall's τ"), rows), **found}


def audited() -> pd.DataFrame:
    """Each test of a pair of problems for a bias: use, kind, factor and whether it was found."""
    rows = [json.loads(line) for line in AUDITED.read_text(encoding="utf-8").splitlines()]
    tests = [{"use": row["use"], **one} for row in rows for one in row["found"]]
    frame = pd.DataFrame(tests)
    return frame[frame["use"].str.startswith("mealpy:")]


def biases(bias: dict[str, str]) -> dict[str, str]:
    """How many metaheuristics profit from a place, and by which factor."""
    mine = {name: kinds for name, kinds in bias.items() if name.startswith(LIBRARY)}
    biased = [name for name, kinds in mine.items() if kinds not in ("none", "")]
    frame = audited()
    rows = []
    for kind in ("origin", "bounds", "centre", "axes"):
        number = sum(kind in kinds.split() for kinds in mine.values())
        pairs = frame[(frame["kind"] == kind) & (frame["problems"] == "pair")]
        found, others = (pairs.loc[pairs["found"] == is_so, "factor"] for is_so in (True, False))
        rows.append((kind, number, f"{found.median():,.0f}", f"{others.median():.1f}"))
    head = ("an optimum at", "profit", "easier by a factor of (median)", "the others")
    return {"biased": str(len(biased)), "table.bias": table(head, rows)}


def max_iter() -> dict[str, str]:
    """What 500 iterations as a schedule lose against a schedule that fills the budget."""
    with MAX_ITER.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    logs = np.array([float(row["log10_loss"]) for row in rows])
    sure = stats.false_discovery_control([float(row["p"]) for row in rows]) <= LEVEL
    low, middle, high = 10 ** np.quantile(logs, [0.25, 0.5, 0.75])
    worse = [row["label"] for row, is_sure in zip(rows, sure & (logs > 0), strict=True) if is_sure]
    return {
        "max_iter.all": str(len(rows)),
        "max_iter.worse": str(len(worse)),
        "max_iter.names": ", ".join(name.removeprefix(LIBRARY) for name in worse),
        "max_iter.better": str(int((sure & (logs < 0)).sum())),
        "max_iter.median": f"{middle:.1f}",
        "max_iter.quartiles": f"{low:.2g} to {high:.2g}",
        "max_iter.most": f"{10 ** logs.max():,.0f}",
    }
