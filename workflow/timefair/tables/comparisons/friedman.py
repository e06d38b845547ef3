"""Friedman's test on the ranks of the algorithms, and the pairs that differ."""

from __future__ import annotations

import numpy as np
import pandas as pd

from timefair.statistics.friedman import critical_difference, friedman, posthoc
from timefair.tables.comparisons.ranks import KEYS, cases
from timefair.tables.runs import Runs
from timefair.tables.settings import Analysis
from timefair.tables.stacked import stacked

STATISTICS = ["chi2", "p", "iman_davenport", "iman_davenport_p", "kendall_w"]
COLUMNS = [*KEYS, "algorithms", "problems", *STATISTICS, "critical_difference", "alpha"]
P_VALUES = ["p_raw", "p_holm", "p_shaffer", "p_nemenyi"]
PAIR_COLUMNS = [*KEYS, "algorithm_a", "algorithm_b", "rank_difference", "z", *P_VALUES]


def tested(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Friedman's test for each (suite, dimension, measure, criterion) of the table `ranks`.

    ``chi2`` and ``p`` are corrected for ties, ``iman_davenport`` is the F that follows, with its
    own ``_p``, ``kendall_w`` the agreement of the problems in [0, 1]. ``critical_difference`` is
    Nemenyi's at ``alpha``, which is 1 minus the confidence of the analysis. NaN for fewer than two
    algorithms or problems.
    """
    alpha = 1 - analysis.confidence
    rows = []
    for case in cases(runs, analysis):
        test = friedman(case.scores)
        rows.append(
            {
                **case.names,
                "algorithms": test.algorithms,
                "problems": test.problems,
                **{name: getattr(test, name) for name in STATISTICS},
                "critical_difference": critical_difference(test.algorithms, test.problems, alpha),
                "alpha": alpha,
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def paired(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Every pair of algorithms for each (suite, dimension, measure, criterion).

    ``rank_difference`` is the average rank of ``algorithm_a`` minus that of ``algorithm_b``,
    negative where a is better; ``z`` the same in standard errors; ``p_raw`` its two-sided p-value,
    then adjusted for all pairs after Holm, Shaffer and Nemenyi. NaN for fewer than two problems.
    """
    parts = []
    for case in cases(runs, analysis):
        pairs, names = posthoc(case.scores), np.array(case.algorithms, dtype=object)
        columns = (
            *(names[pairs.first], names[pairs.second], pairs.difference, pairs.z),
            *(pairs.p, pairs.p_holm, pairs.p_shaffer, pairs.p_nemenyi),
        )
        part = dict(zip(PAIR_COLUMNS[len(KEYS) :], columns, strict=True))
        parts.append({**case.names, **part})
    return stacked(parts, PAIR_COLUMNS)
