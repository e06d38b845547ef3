"""Number of problems after which the search for parameters has paid off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.charts.chart import Picture, leaders
from timefair.exhibits.columns import SPACE, TARGET
from timefair.exhibits.exhibit import Column, Figure, column_names, exhibit
from timefair.exhibits.layout import INTERVAL, Layout, Points, Value
from timefair.exhibits.questions import Question
from timefair.extensions.tuning.statistics import BreakEven, break_even
from timefair.rundata.clocks import searched_s
from timefair.rundata.frames import stacked
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

TUNING = Question(17, "After how many problems does tuning pay off?", "how-to/tuning.md")
PAYS, NEVER, UNDECIDED = "pays", "never", "undecided"
NEW, DEFAULT = "new", "default"
"""The verdicts, and what a search can choose."""

COLUMNS = (
    *SPACE,
    Column("algorithm", "label of the tuned variant", text=True),
    Column("default", "label of the algorithm with its own parameters", text=True),
    TARGET,
    Column("tuning_s", "measured seconds of the search", "s"),
    Column(
        "chosen",
        "what the search chose: `new` parameters, or those of the `default`. With those of the "
        "default both are the same algorithm: `saved_s` is then due to chance, and tuning never "
        "pays off",
        text=True,
    ),
    Column("runs", "number of runs of the tuned variant"),
    Column("success_rate", "share of the runs of the tuned variant that reached the target"),
    Column("default_success_rate", "the same for the algorithm with its own parameters"),
    *Column(
        "saved_s",
        "seconds that the tuned variant saves per problem until the target, average over the "
        "functions; negative if it needs more",
        "s",
    ).interval(),
    *Column(
        "problems",
        "number of problems after which the search has paid off: `tuning_s` divided by "
        "`saved_s`, rounded up; `inf`: never",
    ).interval(),
    Column(
        "verdict",
        f"`{PAYS}`: the interval of `saved_s` is above 0. `{NEVER}`: it is not above 0 anywhere, "
        "or the search chose the default. "
        f"`{UNDECIDED}`: it contains 0, or a function has a single run",
        text=True,
    ),
)


@exhibit(
    "tuning_pays",
    question=TUNING,
    title="Number of problems after which tuning pays off",
    caption="""
    Number of problems after which tuning has saved the measured seconds of the search for
    parameters: the seconds of the search, divided by the seconds that the tuned variant saves per
    problem. The cost of a problem is the mean time of a run until the target, or until its own end
    if it did not reach the target; functions have equal weight, and the runs of all
    instances are pooled. Limits come from a bootstrap over the runs of each function. They hold for
    these functions and for this one search: another search may find other parameters.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Number of problems after which tuning pays off, with the seconds that the "
            "tuned variant saves per problem. ∞: never.",
            brackets=INTERVAL,
            values=(
                Value("tuning_s", "Tuning, s"),
                Value("saved_s", "Saved, s", interval=("saved_s_low", "saved_s_high")),
                Value("problems", "Problems", interval=("problems_low", "problems_high")),
                Value("verdict", "Verdict"),
            ),
            rows=("algorithm", "target"),
            points=(Points("target", 3),),
        )
    ],
    figures=[
        Figure(
            "tuning_pays",
            "Number of problems after which tuning pays off",
            "Number of problems after which tuning has saved the measured seconds of the search "
            "for parameters, for targets from easy to hard. Lines are bootstrap intervals. In the "
            "grey strip, the search never pays off. If a line enters the strip, it is undecided "
            "whether the search pays off.",
            Picture(
                "timefair.extensions.tuning.figure:tuning_pays",
                reading=leaders("that pay off first") + " The grey ones have no lines.",
            ),
            default=True,
            needs="tuning",
        )
    ],
    charged=False,
)
def tuning_pays(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """The break-even of each tuned variant at each target, from easy to hard."""
    targets = analysis.targets_from_easy
    cost_s = runs.runtimes("seconds", targets)
    reached = np.isfinite(cost_s)
    cost_s = np.minimum(cost_s, runs.spent("seconds")[:, np.newaxis])
    rows: list[dict[str, Any]] = []
    for names, members in runs.groups(tuple(column_names(SPACE))):
        for variant, default in _pairs(runs):
            both = [_of(runs, members, label) for label in (default, variant)]
            if not all(map(len, both)):
                continue
            is_new = bool(runs.origins[variant].tuning[0]["result"]["parameters"])
            found = _found(runs, analysis, cost_s, names | {"algorithm": variant}, *both)
            of_variant = {
                **names,
                "algorithm": variant,
                "default": default,
                "tuning_s": searched_s(runs.origins[variant]),
                "chosen": NEW if is_new else DEFAULT,
                "runs": len(both[1]),
            }
            rates = [reached[one].mean(axis=0) for one in both]
            for place, target in enumerate(targets):
                rows.append(
                    {
                        **of_variant,
                        "target": target,
                        "default_success_rate": rates[0][place],
                        "success_rate": rates[1][place],
                        **_row(found, place, is_new=is_new),
                    }
                )
    return stacked(rows, column_names(COLUMNS))


def _pairs(runs: Runs) -> Iterator[tuple[str, str]]:
    """The label of each tuned variant, and that of its algorithm."""
    for label, origin in runs.origins.items():
        if origin.tuning:
            yield label, str(origin.tuning[0]["of"])


def _of(runs: Runs, members: NDArray[np.intp], label: str) -> NDArray[np.intp]:
    names = runs.frame["algorithm"].to_numpy()[members]
    return np.asarray(members[names == label])


def _found(
    runs: Runs,
    analysis: Analysis,
    cost_s: NDArray[np.float64],
    names: dict[str, Any],
    default: NDArray[np.intp],
    variant: NDArray[np.intp],
) -> BreakEven:
    """The break-even over the functions on which both have runs."""
    functions = runs.frame["function"].to_numpy()
    common = np.intersect1d(functions[default], functions[variant])
    samples = [
        [cost_s[members[functions[members] == function]] for function in common]
        for members in (default, variant)
    ]
    return break_even(
        searched_s(runs.origins[names["algorithm"]]),
        *samples,
        confidence=analysis.confidence,
        resamples=analysis.resamples,
        rng=analysis.stream(names),
    )


def _row(found: BreakEven, place: int, *, is_new: bool) -> dict[str, Any]:
    low, high = found.saved_low[place], found.saved_high[place]
    problems = (found.problems[place], found.problems_low[place], found.problems_high[place])
    if not is_new:
        problems = (np.inf, np.inf, np.inf)
    return {
        "saved_s": found.saved[place],
        "saved_s_low": low,
        "saved_s_high": high,
        **dict(zip(("problems", "problems_low", "problems_high"), problems, strict=True)),
        "verdict": NEVER if high <= 0 or not is_new else PAYS if low > 0 else UNDECIDED,
    }
