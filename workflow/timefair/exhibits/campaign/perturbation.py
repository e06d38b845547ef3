"""Number of perturbed runs of each algorithm, and the size of the perturbations."""

from __future__ import annotations

import pandas as pd

from timefair.exhibits.columns import ALGORITHM
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import Layout, Value
from timefair.exhibits.questions import Question
from timefair.rundata.clocks import reference_s
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis

STATES = ("clean", "perturbed", "unknown")
FIGURES = ("delay_share", "reference_ratio")
COLUMNS = (
    ALGORITHM,
    Column("runs", "number of runs"),
    Column("clean", "number of runs that nothing perturbed"),
    Column("perturbed", "number of perturbed runs"),
    Column("unknown", "number of runs for which the machine reports neither value"),
    Column("excluded", "perturbed runs that tables of results omit (`timing.perturbed: exclude`)"),
    Column("repeated", "runs that were measured again (`timing.perturbed: repeat`)"),
    Column("repeats", "how often runs were measured again, in total"),
    Column(
        "delay_share_median",
        "median of the time waited for a core that others used, as a share of the real time",
    ),
    Column("delay_share_max", "largest such share"),
    Column(
        "reference_ratio_median",
        "median of the time of the reference kernel around the run, as a multiple of its best on "
        "that core in the complete campaign",
    ),
    Column("reference_ratio_max", "largest such multiple"),
    Column("steal_s", "time that the host took from the cores, in total", "s"),
    Column("throttled_s", "time lost to a quota, in total", "s"),
)


@exhibit(
    "perturbation",
    question=Question.MEASUREMENT,
    title="Perturbed runs",
    caption="""
    Runs that something else on the machine perturbed, per algorithm. A run is perturbed if it
    waited more than 5 % of its time for a core that others used, or if a slow core made its time
    more than 1.15 times as long. The speed of the core is that of the reference kernel (a small
    fixed piece of work), as the mean before and after the run, relative to its best in the job so
    far. A simulated evaluation cost is part of the time of a run, and no machine lengthens it.
    Values are empty if the machine does not report them.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Perturbed runs per algorithm. Again: measured again after a perturbation. "
            "Delay: waiting for a core that others used, as a share of the real time. Reference: "
            "the reference kernel around a run, as a multiple of its best.",
            values=(
                Value("runs", "Runs"),
                Value("clean", "Clean"),
                Value("perturbed", "Perturbed"),
                Value("unknown", "Unknown"),
                Value("excluded", "Omitted"),
                Value("repeated", "Again"),
                Value("delay_share_median", "Delay, median", decimals=3),
                Value("delay_share_max", "at most", decimals=3),
                Value("reference_ratio_median", "Reference, median", decimals=2),
                Value("reference_ratio_max", "at most", decimals=2),
            ),
            rows=("algorithm",),
        )
    ],
    charged=False,
    complete=True,
)
def counted(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Counts and figures of perturbed runs, one row per algorithm."""
    frame = runs.frame
    counts = frame[["algorithm", "steal_s", "throttled_s"]].assign(
        runs=1,
        **{state: frame["perturbation"] == state for state in STATES},
        excluded=runs.perturbed & (analysis.perturbed == "exclude"),
        repeated=frame["repeats"] > 0,
        repeats=frame["repeats"].fillna(0),
        delay_share=frame["foreign_delay_s"].astype(float)
        / frame["real_s"].where(frame["real_s"] > 0),
        reference_ratio=_reference_ratio(frame),
    )
    grouped = counts.groupby("algorithm")
    sums = ["runs", *STATES, "excluded", "repeated", "repeats"]
    rows = grouped[sums].sum().astype(int)
    for figure in FIGURES:
        rows[f"{figure}_median"] = grouped[figure].median()
        rows[f"{figure}_max"] = grouped[figure].max()
    for name in ("steal_s", "throttled_s"):
        rows[name] = grouped[name].sum(min_count=1).astype(float)
    return rows.reset_index()[column_names(COLUMNS)]


def _reference_ratio(frame: pd.DataFrame) -> pd.Series[float]:
    taken = pd.Series(reference_s(frame), index=frame.index)
    return taken / taken.groupby(frame["core"]).transform("min")
