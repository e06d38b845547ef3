"""The registered question for tables: the runs that answer it, and the deviations."""

from __future__ import annotations

import numpy as np
import pandas as pd

from timefair.records.integrity import RUN_KEY, Origins
from timefair.rundata.deviations import Deviation, Measured, of_runs, planned_runs
from timefair.rundata.failed import without_failed
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis


def registered_analysis(analysis: Analysis) -> Analysis:
    """The settings that were registered."""
    return Analysis.of(analysis.registration["analysis"])


def answering(runs: Runs, analysis: Analysis) -> Runs:
    """The planned runs of all registered algorithms, treated as registered.

    Runs that were not planned are omitted, so that without a known optimum, precisions are
    distances to the best of the planned runs. Algorithms that made no evaluation in any planned run
    are also omitted, and so are perturbed runs if the registration excludes them.
    """
    asked, settings = analysis.registration["campaign"], registered_analysis(analysis)
    planned = _is_planned(runs.frame, analysis)
    kept = runs.where(planned & runs.frame["algorithm"].isin(asked["algorithms"]).to_numpy())
    kept = without_failed(kept.from_own_best()).wanted(settings)
    kept = kept.with_values(settings.noisy_value).timed_by(settings.time)
    return kept.amortised(settings) if settings.ancillary == "amortised" else kept


def all_deviations(runs: Runs, analysis: Analysis) -> list[Deviation]:
    """All deviations: of the campaign and the code, then of the runs of each algorithm."""
    registration = analysis.registration
    if not registration:
        return []
    known = [Deviation(*one) for one in registration["deviations"]]
    return known + list(of_runs(registration, _measured(runs, analysis)))


def _measured(runs: Runs, analysis: Analysis) -> dict[str, Measured]:
    frame = runs.frame
    omitted = np.zeros(len(frame), dtype=np.bool_)
    if registered_analysis(analysis).perturbed == "exclude":
        omitted = runs.perturbed & _is_planned(frame, analysis)
    found = {}
    for label, rows in frame.groupby("algorithm", observed=True).indices.items():
        mine = frame.iloc[rows]
        started = mine["started_utc"].min()
        found[str(label)] = Measured(
            runs.origins.get(str(label), Origins()),
            set(mine[list(RUN_KEY)].itertuples(index=False, name=None)),
            runs.stopping.to_dict("records"),
            int(omitted[rows].sum()),
            None if pd.isna(started) else started.to_pydatetime(),
        )
    return found


def _is_planned(frame: pd.DataFrame, analysis: Analysis) -> np.ndarray:
    planned = planned_runs(analysis.registration["campaign"])
    keys = frame[list(RUN_KEY)].itertuples(index=False, name=None)
    return np.fromiter((key in planned for key in keys), np.bool_, len(frame))
