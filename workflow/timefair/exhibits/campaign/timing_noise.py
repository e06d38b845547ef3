"""Timing noise: how much the speed of a machine varies, and which ratios of times that hides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from timefair.basics.slowdowns import lengthened
from timefair.basics.together import ALL
from timefair.exhibits.columns import FUNCTION_OR_ALL, RUNS, SPACE
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import Layout, Value
from timefair.exhibits.questions import Question
from timefair.rundata.clocks import slowdown
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

JOB = ["suite", "dimension", "function", "algorithm", "round"]
COLUMNS = (
    *SPACE,
    FUNCTION_OR_ALL,
    RUNS,
    Column(
        "jobs",
        "number of (function, round) pairs in which an algorithm ran, minimum over the algorithms",
    ),
    Column(
        "slowdown_median",
        "median over the runs of the time of equal work, as a multiple of the best on that core",
    ),
    Column("slowdown_max", "largest such multiple"),
    Column(
        "real_share",
        "share of real time in the times of the algorithm with the largest share, mean over the "
        "functions; the rest is simulated evaluation cost",
    ),
    Column(
        "detectable_ratio",
        "largest ratio of the times of two algorithms that the speed of the machine may explain, "
        "at the confidence of the campaign",
    ),
)


@exhibit(
    "timing_noise",
    question=Question.MEASUREMENT,
    title="Timing noise and the minimum detectable ratio",
    caption="""
    How much the speed of the machine varied, and which ratio of the times of two algorithms is
    therefore detectable. The slowdown of a run comes from the reference kernel before and after it
    and from the time that it waited for a core that others used. A slow machine lengthens real
    time, but not a simulated evaluation cost. `detectable_ratio` is the upper {confidence} limit of
    the ratio of the times of two identical algorithms. Values are empty if the machine reports
    neither value, and if the unit of time is the reference kernel. `detectable_ratio` is also empty
    for a single job.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Slowdown of the runs, as a multiple of the best on each core, and the largest "
            "ratio of the times of two algorithms that the speed of the machine may explain, with "
            "{confidence} confidence.",
            values=(
                Value("jobs", "Jobs"),
                Value("slowdown_median", "Slowdown, median", decimals=2),
                Value("slowdown_max", "at most", decimals=2),
                Value("real_share", "Real time", decimals=2),
                Value("detectable_ratio", "Minimum detectable ratio", decimals=2),
            ),
            rows=("function",),
        )
    ],
    charged=False,
)
def of_times(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """The minimum detectable ratio on each function, and over the functions of a space.

    The runs of a job share the speed of the machine. Therefore the mean logarithm of the factor by
    which it lengthens the clock of each job's runs is one observation, and the speed of an
    algorithm is a mean over its jobs. The standard deviation of these observations is computed over
    all jobs of the campaign, with the share of real time in the row of the table.
    """
    return detectable(slowdowns(runs, analysis), analysis.confidence)


def slowdowns(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """The slowdown of each run and the time on its clock, with the names of its job."""
    return runs.frame[[*JOB, "real_s"]].assign(
        slowdown=slowdown(runs.frame, analysis.time),
        clock_s=runs.frame["real_s"] + runs.frame["charged_s"].fillna(0.0),
    )


def detectable(rows: pd.DataFrame, confidence: float) -> pd.DataFrame:
    """The table `timing_noise` of some rows of `slowdowns`."""
    frame = pd.DataFrame(_rows(rows), columns=column_names(COLUMNS[:-1]))
    known = rows.dropna(subset="slowdown")
    job = known.groupby(JOB).ngroup().to_numpy()
    count = np.bincount(job)
    if count.size < 2:
        return frame.assign(detectable_ratio=np.nan)
    slow = known["slowdown"].to_numpy(dtype=np.float64)
    spread = frame["real_share"].map(
        lambda share: (np.bincount(job, np.log(lengthened(slow, share))) / count).std(ddof=1)
    )
    error = spread * np.sqrt(2 / frame["jobs"].astype(float))
    ratio = np.exp(stats.t.isf((1 - confidence) / 2, count.size - 1) * error)
    return frame.assign(detectable_ratio=ratio.where(frame["slowdown_median"].notna()))


def _rows(runs: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for (suite, dimension), space in runs.groupby(["suite", "dimension"], sort=True):
        parts = [(str(function), part) for function, part in space.groupby("function", sort=True)]
        for function, part in [*parts, (ALL, space)]:
            jobs = part.drop_duplicates(JOB).groupby("algorithm").size()
            yield {
                "suite": suite,
                "dimension": dimension,
                "function": function,
                "runs": len(part),
                "jobs": int(jobs.min()),
                "slowdown_median": part["slowdown"].median(),
                "slowdown_max": part["slowdown"].max(),
                "real_share": _real_share(part),
            }


def _real_share(part: pd.DataFrame) -> float:
    """Share of real time, mean over the functions, of the algorithm with the largest one."""
    sums = part.groupby(["algorithm", "function"])[["real_s", "clock_s"]].sum()
    shares = (sums["real_s"] / sums["clock_s"]).fillna(1.0)
    return float(shares.groupby("algorithm").mean().max())
