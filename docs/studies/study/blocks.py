"""The tables that the page prints, in Markdown, by name: ``table.leaders.d5``."""

from __future__ import annotations

from study import findings
from study.findings import COSTS_S, SHORT
from study.tables import Study
from study.words import NONE, duration, interval, number, percent, table

MOST_ROWS = 30
"""Most rows of a table whose length depends on the results."""


def of_study(study: Study) -> dict[str, str]:
    """All tables."""
    found = {"table.optimizers": optimizers(study), "table.quality": quality(study)}
    of_dimension = {
        "ranking": ranking,
        "leaders": leaders,
        "rank_reversals": rank_reversals_over_all,
        "portfolios": portfolios,
    }
    for dimension in study.campaign.problems.dimensions:
        for name, make in of_dimension.items():
            found[f"table.{name}.d{dimension}"] = make(study, dimension)
    return found


def optimizers(study: Study) -> str:
    """The implementation of each optimizer, and how many evaluations it makes."""
    dimensions = study.campaign.problems.dimensions
    frame, overhead = study.runs.frame, study.table("overhead")
    evaluations = frame.groupby(["algorithm", "dimension"])["evaluations"].median()
    own = overhead.groupby(["algorithm", "dimension"])["overhead_s"].median()
    head = ["optimizer", "implementation"]
    head += [f"evaluations per run, D = {dimension}" for dimension in dimensions]
    head += [f"own time per evaluation, D = {dimension}" for dimension in dimensions]
    rows = [
        [
            label,
            f"`{spec.use}`",
            *(number(evaluations[label, dimension], 3) for dimension in dimensions),
            *(duration(own[label, dimension]) for dimension in dimensions),
        ]
        for label, spec in study.campaign.algorithms.items()
    ]
    return table(head, rows)


def quality(study: Study) -> str:
    """Perturbed runs of each optimizer, and the speed of the machine around its runs."""
    spread = study.table("drift").set_index("algorithm")["spread"]
    rows = [
        [
            row["algorithm"],
            row["runs"],
            percent(row["perturbed"] / row["runs"]),
            percent(row["delay_share_max"]),
            number(row["reference_ratio_median"], 3),
            number(row["reference_ratio_max"], 3),
            percent(spread[row["algorithm"]]),
        ]
        for _, row in study.table("perturbation").iterrows()
    ]
    head = ["optimizer", "runs", "perturbed", "longest wait for a core"]
    return table([*head, "slowdown, median", "slowdown, largest", "spread"], rows)


def ranking(study: Study, dimension: int) -> str:
    """Average ranks by time and by evaluations, the best by time first."""
    summary = study.table("summary")
    here = summary[summary["dimension"] == dimension].sort_values("rank_s", kind="stable")
    rows = [
        [
            row["algorithm"],
            number(row["rank_s"], 3),
            number(row["rank_evaluations"], 3),
            percent(row["reached"]),
            f"{row['best_on_s']:.0f}",
            f"{row['best_on_evaluations']:.0f}",
        ]
        for _, row in here.iterrows()
    ]
    head = ["optimizer", "rank by time", "rank by evaluations", "targets reached"]
    return table([*head, "functions won by time", "functions won by evaluations"], rows)


def leaders(study: Study, dimension: int) -> str:
    """The best optimizer at each evaluation cost, for a short and for the largest known budget."""
    rows = []
    for cost_s in COSTS_S:
        row = [duration(cost_s, 1)]
        for part in (SHORT, 1.0):
            found = findings.leader(study.cheap_map, dimension, cost_s, part)
            row += [NONE] * 3 if found is None else _leader(found)
        rows.append(row)
    cells = ["budget", "best (targets reached)", "may be as good"]
    return table(["evaluation cost", *cells, *cells], rows)


def _leader(found: findings.Leader) -> list[str]:
    best = f"{found.best} ({percent(found.share)})" if found.best else NONE
    return [duration(found.budget_s), best, found.tied_in_short or NONE]


def rank_reversals_over_all(study: Study, dimension: int) -> str:
    """Significant rank reversals over all functions, with the evaluation cost of the turn."""
    crossovers = study.table("cost_crossovers")
    sure = findings.rank_reversals(study.table("rank_reversals"), dimension, over_all=True)
    rows = []
    for _, row in sure.head(MOST_ROWS).iterrows():
        by_time, by_evaluations = row["winner_by_time"], row["winner_by_evaluations"]
        turn = findings.crossing(crossovers, dimension, by_time, by_evaluations)
        a, b = ("a", "b") if row["algorithm_a"] == by_evaluations else ("b", "a")
        quartiles = interval(duration(turn.low_s), duration(turn.high_s))
        rows.append(
            [
                by_evaluations,
                by_time,
                number(row["evaluations"], 3),
                f"{row[f'by_evaluations_{a}']:.0f} : {row[f'by_evaluations_{b}']:.0f}",
                f"{row[f'by_time_{a}']:.0f} : {row[f'by_time_{b}']:.0f}",
                number(row["p_adjusted"]),
                f"{duration(turn.median_s)} {quartiles}" if turn.cells else NONE,
                turn.cells,
            ]
        )
    head = ["better by evaluations", "better by time", "evaluations"]
    head += ["functions, equal evaluations", "functions, equal time"]
    head += ["p", "crossover cost", "crossovers"]
    return table(head, rows)


def portfolios(study: Study, dimension: int) -> str:
    """One optimizer, two of them, and the best of all on each pair."""
    rows = []
    for row in findings.portfolios(study.table("portfolio"), dimension):
        gain, low, high = (number(100 * row[n]) for n in ("gain", "gain_low", "gain_high"))
        rows.append(
            [
                row["arrangement"],
                row["members"] if isinstance(row["members"], str) else NONE,
                row["shares"] if row["size"] == 2 else NONE,
                row["cores"],
                percent(row["share"]),
                percent(row["held_out"]),
                NONE if gain == NONE or row["size"] == 1 else f"{gain} {interval(low, high)}",
            ]
        )
    head = ["arrangement", "members", "parts of the budget", "cores", "targets reached"]
    return table([*head, "on new functions", "gain in percentage points"], rows)
