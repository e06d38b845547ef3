"""What an algorithm costs besides its runs, and the share of each problem in it."""

from __future__ import annotations

import numpy as np
import pandas as pd

from timefair.rundata.settings import Analysis

COLUMNS = ["tuning_s", "preparation_s", "preparation", "problems", "share_s"]


def costs(frame: pd.DataFrame, analysis: Analysis) -> pd.DataFrame:
    """Declared tuning, preparation and the share of a problem, a row an algorithm.

    A preparation that is not declared is the median of the measured ones over the algorithm's runs;
    ``preparation`` says which it is. ``share_s`` is both divided by ``problems``.
    """
    measured = frame.groupby("algorithm")["preparation_s"].median().astype(float)
    rows = pd.DataFrame(index=measured.index)
    rows["tuning_s"] = [float(analysis.tuning_s.get(name, 0.0)) for name in rows.index]
    declared = [analysis.preparation_s.get(name) for name in rows.index]
    rows["preparation_s"] = [
        float(known if given is None else given)
        for given, known in zip(declared, measured, strict=True)
    ]
    rows["preparation"] = ["measured" if given is None else "declared" for given in declared]
    rows["problems"] = np.full(len(rows), analysis.problems)
    rows["share_s"] = (rows["tuning_s"] + rows["preparation_s"].fillna(0.0)) / analysis.problems
    return rows[COLUMNS]


def shares_s(frame: pd.DataFrame, analysis: Analysis) -> dict[str, float]:
    """The seconds that each algorithm is charged on a problem."""
    return {str(name): float(share) for name, share in costs(frame, analysis)["share_s"].items()}
