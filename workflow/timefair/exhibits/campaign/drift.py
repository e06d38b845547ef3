"""Whether the machine changed its speed during the campaign, and effects that a mean would hide."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits import questions
from timefair.exhibits.columns import ALGORITHM
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import Layout, Value
from timefair.rundata.clocks import reference_s, seconds_per_evaluation
from timefair.rundata.runs import PROBLEM, Runs
from timefair.rundata.settings import Analysis

COLUMNS = (
    ALGORITHM,
    Column("round", "number of the round"),
    Column("runs", "number of runs in the round"),
    Column(
        "per_evaluation",
        "time of an evaluation relative to the first round: above 1 is slower",
    ),
    Column("reference", "time of the reference kernel relative to the first round"),
    Column(
        "spread",
        "standard deviation divided by mean, both of the time of an evaluation as a multiple of "
        "its median on the problem",
    ),
    Column("outliers", "number of runs far from the others"),
    Column(
        "first_run",
        "median time of an evaluation in the first run on each problem, over that in the others",
    ),
    Column(
        "warnings",
        "`spread` (10 % or more), `outliers`, `slow first runs` (more than 10 % slower), or `none`",
        text=True,
    ),
)

SPREAD = 0.1
"""Standard deviation over mean above which pyperf calls a benchmark unstable."""

OUTLIER = 14.826
"""Modified z-score (Iglewicz and Hoaglin, 1993) above which hyperfine reports an outlier."""

FIRST_RUN = 1.1
"""Time of a first run, as a multiple of the others, above which it is called slow."""


@exhibit(
    "drift",
    question=questions.MEASUREMENT,
    title="Speed over the rounds",
    caption="""
    Whether the speed of the machine changed during the campaign: the time of an evaluation, in
    seconds of wall clock, and of the reference kernel in each round, relative to the first round of
    the algorithm. Values are empty for too few runs.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Time of an evaluation and of the reference kernel in each round, relative to "
            "the first. Spread: standard deviation over mean. First: a problem's first run over "
            "the others.",
            values=(
                Value("runs", "Runs"),
                Value("per_evaluation", "Evaluation", decimals=2),
                Value("reference", "Reference", decimals=2),
                Value("spread", "Spread", decimals=2),
                Value("outliers", "Outliers"),
                Value("first_run", "First", decimals=2),
                Value("warnings", "Warnings"),
            ),
            rows=("algorithm", "round"),
        )
    ],
    charged=False,
    complete=True,
)
def over_rounds(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Time of an evaluation and of the reference kernel in each round of an algorithm, relative to
    its first round, and warnings.

    The wall-clock seconds per evaluation of each run are divided by the median of the algorithm's
    runs on that problem. The value of a round is the median of these ratios, divided by that of the
    first round.
    """
    relative = _relative(runs.frame)
    by_round = relative.groupby(["algorithm", "round"], sort=True)
    rows = pd.DataFrame(
        [_row(names, part) for names, part in by_round], columns=column_names(COLUMNS)
    )
    for name in ("per_evaluation", "reference"):
        first = rows.groupby("algorithm")[name].transform("first")
        rows[name] = (rows[name] / first).astype(float)
    return rows


def _relative(frame: pd.DataFrame) -> pd.DataFrame:
    per_evaluation = pd.Series(seconds_per_evaluation(frame, "wall"), index=frame.index)
    median = per_evaluation.groupby([frame[key] for key in [*PROBLEM, "algorithm"]]).transform(
        "median"
    )
    earliest = frame.groupby([*PROBLEM, "algorithm", "round"])["run"].transform("min")
    return frame[["algorithm", "round"]].assign(
        per_evaluation=per_evaluation / median,
        reference=reference_s(frame),
        first=frame["run"] == earliest,
    )


def _row(names: tuple[Hashable, ...], part: pd.DataFrame) -> dict[str, object]:
    algorithm, round = names
    known = part.dropna(subset="per_evaluation")
    values, is_first = known["per_evaluation"], known["first"]
    spread = float(values.std() / values.mean())
    outliers = int(_far(values.to_numpy()).sum())
    first_run = float(values[is_first].median() / values[~is_first].median())
    return {
        "algorithm": algorithm,
        "round": round,
        "runs": len(part),
        "per_evaluation": values.median(),
        "reference": part["reference"].median(),
        "spread": spread,
        "outliers": outliers,
        "first_run": first_run,
        "warnings": ", ".join(_warnings(spread, outliers, first_run)) or "none",
    }


def _warnings(spread: float, outliers: int, first_run: float) -> Iterator[str]:
    if spread >= SPREAD:
        yield "spread"
    if outliers:
        yield "outliers"
    if first_run > FIRST_RUN:
        yield "slow first runs"


def _far(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which values have a modified z-score above the limit; none if half of the values
    are equal.
    """
    if values.size == 0:
        return np.zeros(0, dtype=bool)
    distance = np.abs(values - np.median(values))
    usual = np.median(distance)
    return np.asarray((usual > 0) & (0.6745 * distance > OUTLIER * usual))
