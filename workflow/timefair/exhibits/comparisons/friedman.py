"""Friedman's test on the ranks of the algorithms, and the pairs that differ."""

from __future__ import annotations

import numpy as np
import pandas as pd

from timefair.exhibits import questions
from timefair.exhibits.columns import SPACE
from timefair.exhibits.comparisons.pairs import PAIR
from timefair.exhibits.comparisons.ranks import CRITERION, KEYS, cases
from timefair.exhibits.exhibit import Column, column_names, exhibit
from timefair.exhibits.layout import Layout, Value
from timefair.rundata.frames import stacked
from timefair.rundata.problems import listed
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis
from timefair.statistics.ranks import average_ranks, critical_difference, friedman, posthoc

STATISTICS = (
    Column("chi2", "Friedman's χ², corrected for ties"),
    Column("p", "p-value of `chi2`"),
    Column("iman_davenport", "F statistic of Iman and Davenport"),
    Column("iman_davenport_p", "p-value of `iman_davenport`"),
    Column("kendall_w", "Kendall's coefficient W: agreement of the problems, from 0 to 1"),
)
COLUMNS = (
    *SPACE,
    *CRITERION,
    Column("algorithms", "number of algorithms"),
    Column("problems", "number of functions that were run with every algorithm"),
    *STATISTICS,
    Column("critical_difference", "Nemenyi's critical difference of average ranks", "ranks"),
    Column("alpha", "level of the critical difference: 1 − confidence"),
)
P_VALUES = (
    Column("p_raw", "two-sided p-value of `z`"),
    Column("p_holm", "`p_raw` adjusted for all pairs by Holm's procedure"),
    Column("p_shaffer", "`p_raw` adjusted for all pairs by Shaffer's static procedure"),
    Column("p_nemenyi", "p-value of Nemenyi's test, for all pairs simultaneously"),
)
PAIR_COLUMNS = (
    *SPACE,
    *CRITERION,
    *PAIR,
    Column(
        "rank_difference",
        "average rank of `algorithm_a` minus that of `algorithm_b`: negative if a is better",
        "ranks",
    ),
    Column("z", "`rank_difference` in standard errors"),
    *P_VALUES,
)

IN_PART = "Only pairs with the best algorithm or with those named in `statistics.pairs` are listed."


@exhibit(
    "friedman",
    question=questions.BETTER,
    title="Friedman's test of average ranks",
    caption="""
    Friedman's test of the hypothesis that all algorithms have equal ranks, with the functions as
    blocks, for each criterion of the table `ranks`. Values are empty for fewer than two algorithms
    or functions.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Friedman's test of equal average ranks, corrected for ties; the F statistic "
            "of Iman and Davenport; Kendall's W. Average ranks that differ by more than Nemenyi's "
            "critical difference (CD) differ with {confidence} confidence.",
            values=(
                Value("algorithms", "Algorithms"),
                Value("problems", "Problems"),
                Value("chi2", "χ²", decimals=2),
                Value("p", "p", decimals=4),
                Value("iman_davenport", "F", decimals=2),
                Value("iman_davenport_p", "p of F", decimals=4),
                Value("kendall_w", "W", decimals=2),
                Value("critical_difference", "CD", decimals=2),
            ),
            rows=("measure", "criterion"),
        )
    ],
    default=True,
    comparing=True,
)
def tested(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Friedman's test for each (suite, dimension, measure, criterion) of the table `ranks`."""
    alpha = 1 - analysis.confidence
    rows = []
    for case in cases(runs, analysis):
        test = friedman(case.scores)
        rows.append(
            {
                **case.names,
                "algorithms": test.algorithms,
                "problems": test.problems,
                **{name: getattr(test, name) for name in column_names(STATISTICS)},
                "critical_difference": critical_difference(test.algorithms, test.problems, alpha),
                "alpha": alpha,
            }
        )
    return pd.DataFrame(rows, columns=column_names(COLUMNS))


@exhibit(
    "posthoc",
    question=questions.BETTER,
    title="Pairs of average ranks that differ",
    caption="""
    Pairs of algorithms after Friedman's test: the difference of their average ranks, and its
    p-values, unadjusted and adjusted for all pairs. For more than 12 algorithms, only pairs with
    the best one (lowest average rank) are listed; `statistics.pairs` selects other pairs.
    """,
    columns=PAIR_COLUMNS,
    layouts=[
        Layout(
            caption="Difference of the average ranks of two algorithms, negative if the first is "
            "better, and its p-value after Holm over all pairs.",
            values=(
                Value("rank_difference", "Difference", decimals=2),
                Value("p_holm", "p", decimals=3),
            ),
            rows=tuple(column_names(PAIR)),
            columns="criterion",
            parts=("suite", "dimension", "measure"),
        )
    ],
    comparing=True,
)
def paired(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Pairs of algorithms for each (suite, dimension, measure, criterion)."""
    parts, complete = [], True
    for case in cases(runs, analysis):
        pairs, names = posthoc(case.scores), np.array(case.algorithms, dtype=object)
        averages = dict(zip(case.algorithms, average_ranks(case.scores).tolist(), strict=True))
        chosen = listed(analysis, averages)
        columns = (
            *(names[pairs.first], names[pairs.second], pairs.difference, pairs.z),
            *(pairs.p, pairs.p_holm, pairs.p_shaffer, pairs.p_nemenyi),
        )
        kept = [chosen.has(a, b) for a, b in zip(columns[0], columns[1], strict=True)]
        part = dict(zip(column_names(PAIR_COLUMNS)[len(KEYS) :], columns, strict=True))
        parts.append({**case.names, **{name: part[name][kept] for name in part}})
        complete = complete and all(kept)
    frame = stacked(parts, column_names(PAIR_COLUMNS))
    frame.attrs["pairs"] = "" if complete else IN_PART
    return frame
