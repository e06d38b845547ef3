"""Simulated campaigns: verdicts of the report are rarely false, and never contradict each other.

Each algorithm reaches a target after a lognormal time, with a median of its own on each function,
and some runs take 50 times as long. The laws of two algorithms differ by a factor of time and by
the pace of their evaluations, so the true order is known under every criterion.
"""

import itertools
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

from timefair.campaign import configuration
from timefair.exhibits.comparisons.ranks import _ranking_slopes
from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.schema import RUN_SCHEMA
from timefair.report.evidence import Evidence
from timefair.report.findings import Verdict, findings, is_over_functions, pairs_of
from timefair.statistics.two_samples import wilcoxon

CHANCE = 1e-3
TARGETS = (10.0, 1.0, 0.1, 0.01, 1e-8)
REACHED_AT = np.array([0.02, 0.1, 0.3, 0.6, 1.0])
"""When a run reaches the targets, as shares of its time to the last one."""

NORMAL = np.random.default_rng(0).standard_normal(20_000)
SLOW = np.where(np.random.default_rng(1).random(NORMAL.size) < 0.15, 50.0, 1.0)
"""Draws from which true ERTs are computed."""

MADE = (
    "comparison",
    "ert",
    "quantiles",
    "rank_reversals",
    "profile",
    "ranks",
    "rankings",
    "summary",
)
PAIR = ["algorithm_a", "algorithm_b"]


@dataclass(frozen=True)
class Simulated:
    """A campaign with its laws: logarithms of times, shape (algorithms, functions), and of paces.

    `mean` has the expectation of the first over functions like these.
    """

    seed: int
    algorithms: int
    functions: int
    runs: int
    times: np.ndarray
    mean: np.ndarray
    paces: np.ndarray
    spread: float
    hard: np.ndarray
    fails: bool

    @classmethod
    def drawn(cls, seed):
        rng = np.random.default_rng(seed)
        algorithms, functions = int(rng.integers(2, 11)), int(rng.integers(1, 25))
        apart = rng.choice([0.0, 0.0, 0.3, 1.0])
        mean = apart * (np.arange(algorithms) // rng.choice([1, 2]))
        between = rng.choice([0.0, 0.0, 0.5, 1.5])
        own = between * rng.standard_normal((algorithms, functions))
        paces = np.log(1e-7) + rng.choice([0.0, 2.0]) * (np.arange(algorithms) % 2)
        return cls(
            seed, algorithms, functions, int(rng.choice([3, 5, 10, 15])), mean[:, None] + own,
            mean, paces, float(rng.choice([0.1, 0.5, 1.0, 2.0])), rng.normal(-2, 1.5, functions),
            bool(rng.random() < 0.1),
        )  # fmt: skip

    def rows(self, algorithm, again=0):
        """The runs of an algorithm; other ones with another number in `again`."""
        rng = np.random.default_rng([self.seed, algorithm, again])
        pace, digits = np.exp(self.paces[algorithm]), 9e-9 * 0.3 ** (algorithm % 3)
        for function, number in itertools.product(range(self.functions), range(self.runs)):
            median = np.exp(self.hard[function] + self.times[algorithm, function])
            time = median * np.exp(self.spread * rng.standard_normal())
            at = time * REACHED_AT * (50 if rng.random() < 0.15 else 1)
            found = zip(at, (9.0, 0.9, 0.09, 9e-3, digits * rng.random()), strict=True)
            events = [(0.0, 1, 100.0)]
            for time_s, precision in found:
                if time_s < 1.0:
                    count = max(int(time_s / pace), events[-1][1] + 1)
                    events.append((time_s, count, precision))
            solved = len(events) > len(TARGETS)
            end = events[-1][0] if solved else 1.0
            yield {
                "suite": "bbob", "function": function + 1, "dimension": 2, "instance": 1,
                "algorithm": f"a{algorithm}", "round": 1, "run": number, "f_opt": 0.0,
                "seed": number, "budget_s": 1.0, "status": "ok",
                "stop_reason": "target" if solved else "time", "attempts": 1, "wall_s": end,
                "cpu_s": end, "evaluations": max(int(end / pace), events[-1][1]), "launches": 1,
                "completed_restarts": 0, "best_f": events[-1][2],
                "best_precision": events[-1][2], "overshoot_s": 0.0, "reaped_s": end,
                "preparation_s": 0.1, "objective_s": 1e-5, "bare_s": 1e-5,
                "isolation": "private", "launch_log": [], "perturbation": "clean",
                "events": [
                    {"launch": 0, "evaluations": n, "time_s": t, "precision": q}
                    for t, n, q in events
                ],
            }  # fmt: skip

    def evidence(self, algorithms=None, again=0, made=MADE):
        """The tables of some algorithms; `again` measures the last of them another time."""
        chosen = range(self.algorithms) if algorithms is None else algorithms
        rows = [row for k in chosen for row in self.rows(k, again if k == max(chosen) else 0)]
        if self.fails:
            nothing = {"status": "no_evaluation", "stop_reason": "time_killed", "evaluations": 0,
                       "events": [], "best_f": None, "best_precision": float("inf")}  # fmt: skip
            rows += [row | nothing | {"algorithm": "stuck"} for row in self.rows(0)]
        labels = [f"a{k}" for k in chosen] + ["stuck"] * self.fails
        campaign = configuration.parse(
            {
                "name": "simulated",
                "problems": {"suite": "bbob", "functions": f"1-{max(self.functions, 2)}"
                             if self.functions > 1 else 1, "dimensions": 2, "instances": 1},
                "algorithms": dict.fromkeys(labels, "timefair:random-search"),
                "budget": {"time_s": 1.0}, "runs": self.runs, "targets": TARGETS,
                "statistics": {"pairs": "all", "resamples": 20},
            }
        )  # fmt: skip
        runs = Runs.of(pa.Table.from_pylist(rows, RUN_SCHEMA))
        frames = {
            name: TABLES[name](runs, Analysis.of(campaign.settings_of(name))) for name in made
        }
        return Evidence(frames, campaign)

    def evaluations(self, algorithm, function, limit):
        """The true ERTs in evaluations within a logarithmic limit, targets from easy to hard."""
        times = np.exp(self.hard[function] + self.times[algorithm, function] + self.spread * NORMAL)
        at = (times * SLOW)[:, np.newaxis] * REACHED_AT / np.exp(self.paces[algorithm])
        reached = (at < np.exp(limit)).mean(axis=0)
        spent = np.minimum(at, np.exp(limit)).mean(axis=0)
        return np.where(reached > 0, spent / np.maximum(reached, 1e-9), np.inf)

    def truly_better(self, row):
        """1 if `algorithm_a` is truly better in a row of `comparison`, -1 if b is, 0 if neither."""
        a, b = (int(row[name][1:]) for name in PAIR)
        over = row["function"] == "all"
        of = self.mean if over else self.times[:, int(row["function"]) - 1]
        gap = of[b] - of[a]
        if row["measure"] != "evaluations" or not (over or row["target"] > 0):
            return np.sign(round(gap, 9))
        if over and gap == 0 and self.paces[a] == self.paces[b]:
            return 0
        limit = -max(self.paces[a], self.paces[b])  # evaluations of the slower one within 1 s
        functions = range(self.functions) if over else [int(row["function"]) - 1]
        first, second = (
            np.array([self.evaluations(name, function, limit) for function in functions])
            for name in (a, b)
        )
        if over:
            gains = np.mean(np.float64(first < second) - (second < first), axis=1)
            return np.sign(wilcoxon(-gains, np.zeros(gains.size)).balance)
        place = TARGETS.index(row["target"])
        return np.sign(round(np.log(second[0, place] / first[0, place]), 9))


def false_statements(simulated, comparison):
    decided = comparison[comparison["better"].notna()].to_dict("records")
    return [
        row
        for row in decided
        if simulated.truly_better(row) != (1 if row["better"] == row["algorithm_a"] else -1)
    ]


def contradictions(evidence):
    """Statements of the report that differ from the table `comparison` or from each other."""
    (space,) = evidence.spaces
    found = findings(evidence, space)
    table = evidence.table("comparison")
    functions = table["function"][table["function"] != "all"].nunique()
    over_functions = is_over_functions(evidence, space)
    better = {
        (row["measure"], row["criterion"], row["function"], *sorted(row[name] for name in PAIR)):
        row["better"]
        for row in table[table["better"].notna()].to_dict("records")
    }  # fmt: skip
    compared = evidence.compared(space)

    def of(measure, criterion, function, a, b):
        return better.get((measure, criterion, function, *sorted((a, b))))

    standings = [
        (one.standing, one.measure, one.criterion, "all" if over_functions else "1")
        for one in found.situations
        if over_functions or functions == 1
    ]
    standings += [(one.standing, "seconds", "ERT", str(one.function)) for one in found.functions]
    for standing, *key in standings:
        if standing.verdict in (Verdict.NOTHING, Verdict.MIXED):
            continue
        if standing.verdict is Verdict.OPEN:
            if standing.leaders or set(standing.tied) != set(compared):
                yield f"{key}: open, with {standing.leaders} first and {standing.tied} tied"
            won = [of(*key, standing.tied[0], name) for name in standing.tied[1:]]
            if standing.tied[0] in won:
                yield f"{key}: open, and the best wins in {won}"
            continue
        leader = standing.leaders[0]
        for name in set(compared) - set(standing.leaders):
            decision = of(*key, leader, name)
            if decision != (None if name in standing.tied else leader):
                yield f"{key}: {leader} and {name}: {standing.verdict}, the table has {decision}"
        if (standing.verdict is Verdict.CLEAR) != (len(standing.front) == 1):
            yield f"{key}: {standing.verdict} with {standing.front} in front"
    for one in found.situations:
        if not over_functions and one.standing.verdict is Verdict.CLEAR:
            places = table.query("measure == @one.measure and criterion == @one.criterion")
            for function in set(places["function"]) - {"all"}:
                winners = {
                    of(one.measure, one.criterion, function, one.standing.leaders[0], name)
                    for name in set(compared) - set(one.standing.leaders)
                }
                if winners != set(one.standing.leaders):
                    yield f"{one.want}: clear, but on f{function} the table has {winners}"
    if found.winner and not found.headline.startswith(f"{found.winner} wins"):
        yield f"the winner is {found.winner}, and the headline: {found.headline}"
    if " wins " in found.headline and not found.winner:
        yield f"no winner, and the headline: {found.headline}"
    yield from _orders(evidence, space, found)
    rank_reversals = evidence.table("rank_reversals")
    for row in rank_reversals[rank_reversals["significant"].astype(bool)].to_dict("records"):
        pair = [row[name] for name in PAIR]
        if row["criterion"] == "fixed budget":
            by_time = of("precision", "Q.50", row["function"], *pair)
            if by_time != row["winner_by_time"]:
                yield f"rank reversal of {row['winner_by_time']} on {row['function']}: {by_time}"
            by_count = of("evaluations", "ERT", row["function"], *pair)
            if by_count not in (None, row["winner_by_evaluations"]):
                yield f"{row['winner_by_evaluations']} by evaluations: {by_count}"
    texts = [found.headline, *found.sentences, *(one.standing.reason for one in found.situations)]
    for text in texts:
        if any(wrong in text for wrong in ("nan", "  ", " , ", "than (", ": is ")):
            yield f"bad words: {text}"
    for one in found.situations:
        losers = {
            str(row["algorithm_a" if row["better"] == row["algorithm_b"] else "algorithm_b"])
            for row in table.to_dict("records")
            if (row["measure"], row["criterion"]) == (one.measure, one.criterion)
            and (row["function"] == "all") == over_functions
            and isinstance(row["better"], str)
        }
        if one.standing.verdict is not Verdict.MIXED and losers & set(one.standing.leaders):
            yield f"{one.want}: {losers & set(one.standing.leaders)} first, and worse than another"


def _orders(evidence, space, found):
    """Average ranks by the ERT that differ between the tables, the figures and the report."""
    columns = {
        "seconds": ("rank_s", "by time"),
        "evaluations": ("rank_evaluations", "by evaluations"),
    }
    ranks = evidence.table("ranks").query("criterion == 'ERT'")
    slopes = _ranking_slopes(evidence.table("rankings"))
    slopes = slopes[slopes["criterion"] == "fixed target"]
    summary = evidence.table("summary").set_index("algorithm")
    for unit, (column, position) in columns.items():
        mine = ranks[ranks["measure"] == unit].set_index("algorithm")["average_rank"]
        drawn = slopes[slopes["position"] == position].set_index("algorithm")["average_rank"]
        compared = pairs_of(evidence, space, unit, "ERT").values
        every = {"rankings": drawn, "summary": summary[column], "comparison": compared}
        for name, other in every.items():
            if any(abs(rank - mine[label]) > 1e-9 for label, rank in dict(other).items()):
                yield f"ranks by {unit}: {dict(mine)}, {name}: {dict(other)}"
        said = [one.standing for one in found.situations if one.measure == unit]
        losers = pairs_of(evidence, space, unit, "ERT").losers
        for one in said:
            if one.basis.startswith("over") and one.leaders:
                best = min(rank for label, rank in compared.items() if label not in losers)
                if any(mine[label] > best + 1e-9 for label in one.leaders):
                    yield f"first by {unit}: {one.leaders}, and by ranks: {dict(mine)}"


def check(campaigns):
    false = []
    for seed in campaigns:
        simulated = Simulated.drawn(seed)
        evidence = simulated.evidence()
        assert list(contradictions(evidence)) == [], f"campaign {seed}"
        if wrong := false_statements(simulated, evidence.table("comparison")):
            false.append((seed, wrong[0]))
    assert len(false) <= binom.ppf(1 - CHANCE, len(campaigns), 0.05), false
    return len(false)


@pytest.mark.slow
def test_no_statement_contradicts_another_and_few_are_false():
    check(range(2))


@pytest.mark.thorough
def test_the_same_of_many_campaigns():
    """One of the 200 has a false verdict on any pair, function and criterion."""
    assert check(range(200)) <= 0.05 * 200


@pytest.mark.slow
@pytest.mark.thinned(6)
@pytest.mark.parametrize("seed", range(6))
def test_a_third_algorithm_does_not_change_the_verdict_on_a_pair(seed):
    simulated = Simulated.drawn(seed + 500)
    known = range(min(max(simulated.algorithms, 3), simulated.algorithms))
    if len(known) < 3:
        pytest.skip("the campaign has two algorithms")
    keys = ["measure", "criterion", "function", *PAIR]
    here, again, without = (
        evidence.table("comparison").set_index(keys)
        for evidence in (
            simulated.evidence(known, made=("comparison",)),
            simulated.evidence(known, again=1, made=("comparison",)),
            simulated.evidence(known[:-1], made=("comparison",)),
        )
    )
    common = here.index.intersection(without.index)
    assert len(common)
    assert here.loc[common, "better"].equals(again.loc[common, "better"])
    assert here.loc[common, "p_adjusted"].equals(again.loc[common, "p_adjusted"])
    assert here.loc[common, "p"].equals(without.loc[common, "p"])
    both = here.loc[common, "better"].notna() & without.loc[common, "better"].notna()
    assert (here.loc[common, "better"][both] == without.loc[common, "better"][both]).all()
