"""Whether the machine changed its speed while the campaign ran, and what would hide in a mean."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.tables.clocks import reference_s, seconds_per_evaluation
from timefair.tables.runs import PROBLEM, Runs
from timefair.tables.settings import Analysis

COLUMNS = [
    *("algorithm", "round", "runs", "per_evaluation", "reference"),
    *("spread", "outliers", "first_run", "warnings"),
]

SPREAD = 0.1
"""Standard deviation over mean above which pyperf calls a benchmark unstable."""

OUTLIER = 14.826
"""Modified z-score (Iglewicz and Hoaglin, 1993) of what hyperfine calls an outlier."""

FIRST_RUN = 1.1
"""What a first run takes, as a multiple of the others, above which it is called slow."""


def over_rounds(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """For each algorithm and round: its speed, relative to its first round, and warnings.

    Of each run, the seconds of wall clock of an evaluation are taken relative to the median of the
    algorithm's runs on that problem. ``per_evaluation`` is their median in the round, over that in
    the first round; ``reference`` is the same of the reference kernel: above 1 is slower.
    ``spread`` is their standard deviation over their mean, ``outliers`` counts runs far from the
    others, ``first_run`` is the median of the first runs on each problem over that of the others.
    ``warnings`` names what is beyond the limits, or says ``none``. NaN: too few runs.
    """
    told = _relative(runs.frame)
    by_round = told.groupby(["algorithm", "round"], sort=True)
    rows = pd.DataFrame([_row(names, part) for names, part in by_round], columns=COLUMNS)
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


def _row(names: tuple[Hashable, ...], told: pd.DataFrame) -> dict[str, object]:
    algorithm, round = names
    known = told.dropna(subset="per_evaluation")
    values, is_first = known["per_evaluation"], known["first"]
    spread = float(values.std() / values.mean())
    outliers = int(_far(values.to_numpy()).sum())
    first_run = float(values[is_first].median() / values[~is_first].median())
    return {
        "algorithm": algorithm,
        "round": round,
        "runs": len(told),
        "per_evaluation": values.median(),
        "reference": told["reference"].median(),
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
    """Which values have a modified z-score beyond the limit; none if half of them are equal."""
    if values.size == 0:
        return np.zeros(0, dtype=bool)
    distance = np.abs(values - np.median(values))
    usual = np.median(distance)
    return np.asarray((usual > 0) & (0.6745 * distance > OUTLIER * usual))
