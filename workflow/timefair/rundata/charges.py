"""The ancillary cost of an algorithm, and the share of each problem in it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from timefair.records.integrity import Origins
from timefair.rundata.settings import Analysis

COLUMNS = ["tuning_s", "preparation_s", "preparation", "problems", "share_s"]


def costs(frame: pd.DataFrame, origins: Mapping[str, Origins], analysis: Analysis) -> pd.DataFrame:
    """Tuning, preparation and the share of a problem, one row per algorithm.

    Tuning is the declared time plus, for a tuned variant, the measured seconds of its search. If
    the preparation is not declared, it is the median of the measured ones over the algorithm's
    runs; ``preparation`` says which one it is. ``share_s`` is the sum of both divided by
    ``problems``.
    """
    measured = frame.groupby("algorithm")["preparation_s"].median().astype(float)
    rows = pd.DataFrame(index=measured.index)
    rows["tuning_s"] = [
        float(analysis.tuning_s.get(name, 0.0)) + searched_s(origins.get(str(name)))
        for name in rows.index
    ]
    declared = [analysis.preparation_s.get(name) for name in rows.index]
    rows["preparation_s"] = [
        float(known if given is None else given)
        for given, known in zip(declared, measured, strict=True)
    ]
    rows["preparation"] = ["measured" if given is None else "declared" for given in declared]
    rows["problems"] = np.full(len(rows), analysis.problems)
    rows["share_s"] = (rows["tuning_s"] + rows["preparation_s"].fillna(0.0)) / analysis.problems
    return rows[COLUMNS]


def searched_s(origin: Origins | None) -> float:
    """Measured seconds of the search for an algorithm's parameters; 0 without a search.

    If runs of several searches are allowed in one table, it is the sum of the searches.
    """
    searches = [] if origin is None else origin.tuning
    return float(sum(search["seconds"] for search in searches))


def shares_s(
    frame: pd.DataFrame, origins: Mapping[str, Origins], analysis: Analysis
) -> dict[str, float]:
    """The seconds that each algorithm is charged per problem."""
    shares = costs(frame, origins, analysis)["share_s"]
    return {str(name): float(share) for name, share in shares.items()}
