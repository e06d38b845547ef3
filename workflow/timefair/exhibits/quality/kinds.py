"""Results on problems that change, with noise, or with two objectives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair.basics.errors import InputError
from timefair.exhibits import questions
from timefair.exhibits.charts.chart import LEADERS, Curves, Picture
from timefair.exhibits.exhibit import Figure, Parts, drawn, exhibit
from timefair.exhibits.layout import INTERVAL, Layout, Points
from timefair.exhibits.quality.quantiles import CELL, limited
from timefair.problems.base import Suite
from timefair.problems.kinds import Changes, TwoObjectives, after_each
from timefair.problems.registry import SUITES, find
from timefair.records.rundata.problems import precision_at_the_end
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis, NoisyValue
from timefair.statistics.changes import (
    Followed,
    best_before_change,
    draws_of_runs,
    error_after,
    mean_over_runs,
    offline_errors,
    recovered,
    recovery_times,
)
from timefair.statistics.samples import sample_quantile

GRID = 101  # points of a curve
FIRST = 1e-3  # the first point of a curve in seconds, as a share of the period

BOOTSTRAP = (
    "The environments of one run are not independent. The intervals are therefore from a bootstrap "
    "of whole runs; with one run, they have no width."
)
POOLED = "The runs of all instances are pooled."

OF_BUDGET = """
    unit (text): unit of the period and of all costs, that of the budget: `seconds` or `evaluations`
"""


@exhibit(
    "changes",
    question=questions.CHANGES,
    title="Errors on problems that change",
    caption=f"""
    How close algorithms come to the optimum between two changes: the best error before the change
    (Trojanowski and Michalewicz 1999), its mean over runs and environments, and the offline error
    (Branke and Schmeck 2003), the mean of the best error since the change over the seconds or the
    evaluations of the run. Until the first evaluation in an environment, the error is that of the
    middle of the bounds. Larger errors count as this error. A run that failed keeps this error in
    all environments that it did not reach. {POOLED} {BOOTSTRAP} Only for suites with problems that
    change.
    """,
    columns=f"""
    CELL, RUNS
    environments: number of environments of a run; one more than its changes
    {OF_BUDGET}
    period [`unit`]: length of an environment
    before_change [precision] (interval) <Before the change; low limits>: mean over runs and
        environments of the best error before the change
    offline_error [precision] (interval) <Offline; low limits>: offline error: mean over time, or
        over evaluations, of the best error since the change
    """,
    layouts=Layout(
        caption="Best error before a change and offline error, means over runs and changes.",
        brackets=INTERVAL,
    ),
    charged=False,
)
def errors(runs: Runs, analysis: Analysis) -> Parts:
    for cell in _cells(runs, analysis):
        draws, confidence = cell.draws(analysis), analysis.confidence
        best = [best_before_change(run) for run in cell.runs]
        offline = [offline_errors(cell.held(run), cell.period) for run in cell.runs]
        part = cell.columns | limited("before_change", mean_over_runs(best, draws, confidence))
        yield part | limited("offline_error", mean_over_runs(offline, draws, confidence))


@exhibit(
    "recovery",
    question=questions.CHANGES,
    title="Recovery after changes",
    caption=f"""
    Expected cost from a change until the error is again at most a target, and the share of
    environments in which this happens before the next change. Each environment is a trial, as each
    run is for the ERT. The targets of the campaign are errors here, and only an
    evaluated point can reach them. {POOLED} {BOOTSTRAP} Only for suites with problems that
    change.
    """,
    columns=f"""
    CELL, RUNS
    {OF_BUDGET}
    target [precision] (exact): error to reach again after a change
    recovered (interval): share of environments in which the error reached the target
    recovery [`unit`] (interval) <Recovery; low limits>: expected cost from a change until the error
        is at most `target`: the cost of all environments, each until it reached the target or
        ended, divided by the number of those that reached it; `inf` if none did
    """,
    layouts=Layout(
        caption="Expected cost from a change until the error is at most a target.",
        brackets=INTERVAL,
        columns="target",
        points=(Points("target", 5),),
    ),
    charged=False,
)
def recovery(runs: Runs, analysis: Analysis) -> Parts:
    targets = np.array(analysis.targets_from_easy)
    for cell in _cells(runs, analysis):
        times = [recovery_times(run, targets) for run in cell.runs]
        cost, share = recovered(times, cell.period, cell.draws(analysis), analysis.confidence)
        part = cell.columns | {"target": targets}
        yield part | limited("recovered", share) | limited("recovery", cost)


@exhibit(
    "after_change",
    question=questions.CHANGES,
    title="Error over the cost since the change",
    caption=f"""
    Best error since the change over the cost since the change: the mean over runs and environments,
    with its interval at each cost. Until the first evaluation in an environment, the error is that
    of the middle of the bounds. {POOLED} {BOOTSTRAP} Only for suites with problems that change.
    """,
    columns="""
    CELL, RUNS, UNIT
    cost [`unit`]: cost since the change
    error [precision] (interval) <Error; low limits>: mean over runs and environments of the best
        error since the change
    """,
    layouts=Layout(
        caption="Mean of the best error since the change after a cost.",
        brackets=INTERVAL,
        columns="cost",
        points=(Points("cost", (0.01, 0.1, 1.0), relative=True),),
    ),
    figures=drawn(
        "Mean over runs and changes of the best error since the change, with its interval at "
        "each cost. Lower is better. A curve ends at the next change.",
        Curves(
            x="cost",
            y="error",
            low="error_low",
            high="error_high",
            x_label="{cost} since the change",
            y_label="mean error",
            view="error since the change",
            scale="own log",
        ),
        needs="problems that change",
    ),
    charged=False,
)
def after_change(runs: Runs, analysis: Analysis) -> Parts:
    for cell in _cells(runs, analysis):
        grid = cell.grid
        found = [error_after(run, grid) for run in cell.runs]
        error = mean_over_runs(found, cell.draws(analysis), analysis.confidence)
        yield cell.columns | {"cost": grid} | limited("error", error)


@dataclass(frozen=True)
class _Cell:
    """The runs of an algorithm on a function, in the unit of their budget."""

    names: dict[str, Any]
    unit: str
    period: float
    environments: int
    runs: list[Followed]

    @property
    def columns(self) -> dict[str, Any]:
        of_changes = {"environments": self.environments, "unit": self.unit, "period": self.period}
        return {**self.names, "runs": len(self.runs), **of_changes}

    @property
    def grid(self) -> NDArray[np.float64]:
        if self.unit == "seconds":
            return np.geomspace(FIRST * self.period, self.period, GRID)
        return np.unique(np.round(np.geomspace(1.0, self.period, GRID)))

    def held(self, run: Followed) -> Followed:
        """A run with the cost from which each error holds: that of evaluation n from n - 1 on."""
        if self.unit == "seconds":
            return run
        return replace(run, since=np.maximum(run.since - 1.0, 0.0))

    def draws(self, analysis: Analysis) -> NDArray[np.float64]:
        rng = analysis.stream(self.names)
        return draws_of_runs(len(self.runs), resamples=analysis.resamples, rng=rng)


def _cells(runs: Runs, analysis: Analysis) -> list[_Cell]:
    """Every cell on problems that change; the tables of the same runs share them."""
    parameters = repr(sorted(analysis.suite_parameters.items()))
    return runs.once(("changes", parameters), lambda: list(_read(runs, analysis)))


def _read(runs: Runs, analysis: Analysis) -> Iterator[_Cell]:
    for names, members in runs.groups(CELL):
        suite = SUITES.get(names["suite"])
        if suite is None or suite.environments == 1:
            continue
        suite = suite.configured(analysis.suite_parameters)
        unit, period = _period(runs, names, members, suite)
        followed = [_followed(runs, row, suite, unit, period) for row in members]
        yield _Cell(names, unit, period, suite.environments, followed)


def _period(
    runs: Runs, names: dict[str, Any], members: NDArray[np.intp], suite: Suite
) -> tuple[str, float]:
    budgets = runs.frame[["budget_s", "budget_evaluations"]].iloc[members].drop_duplicates()
    if len(budgets) > 1:
        raise InputError(
            f"{names['algorithm']}: its runs on f{names['function']} in {names['dimension']} "
            "dimensions have several budgets, and thus several periods; read one campaign at a time"
        )
    budget_s, evaluations = budgets.to_numpy(dtype=np.float64)[0]
    if np.isnan(evaluations):
        return "seconds", budget_s / suite.environments
    return "evaluations", evaluations / suite.environments


def _followed(runs: Runs, row: np.intp, suite: Suite, unit: str, period: float) -> Followed:
    place = runs.frame[["function", "dimension", "instance"]].iloc[row]
    key = (*map(int, place),)
    changes: Changes | None = runs.once(
        ("landscape", suite.environments, *key), lambda: suite.problem(*key).changes
    )
    assert changes is not None
    evaluations, time_s, *vectors = runs.vectors[row].T
    if not vectors:
        nothing = np.empty(0)
        return Followed(nothing.astype(np.intp), nothing, nothing, changes.uninformed)
    environment, error = changes.errors(np.column_stack(vectors))
    cost = time_s if unit == "seconds" else evaluations
    since = np.maximum(cost - environment * period, 0.0)
    return Followed(environment, since, error, changes.uninformed)


VALUES: tuple[NoisyValue, ...] = ("measured", "best_measured", "recommended", "best_evaluated")


@exhibit(
    "noise",
    question=questions.NOISE,
    title="What noisy runs have found",
    caption="""
    Quantiles over runs of the precision at the end: of the best measured value, and of values
    without noise by three rules. The quantiles of each column are computed separately. The runs of
    all instances are pooled. Only noisy runs whose value without noise is known have rows.
    """,
    columns="""
    CELL, RUNS, QUANTILE
    measured [precision] <Measured; low>: best measured value at the end, with its noise
    best_measured [precision] <Best measured; low>: value without noise of the best measured point
    recommended [precision] <Recommended; low>: value without noise of the point that the run
        recommends: what the launch with the best measured value recommended last, else the best
        measured point
    best_evaluated [precision] <Best evaluated; low>: best value without noise of all evaluated
        points, as in COCO's logger; empty for a user's function, because its value without noise is
        known for some points only
    luck <Luck>: quantile of the difference between the value without noise and the measured value
        of the best measured point, both values of f; positive: the point was measured better than
        it is
    recommending: share of the runs in which a launch has recommended a point
    """,
    layouts=Layout(
        caption="Precision at the end of noisy runs: of the best measured value, and without "
        "noise of the best measured point, of the recommended point, and of the best of all "
        "evaluated points. Quantiles over runs.",
        parts=("suite", "dimension", "quantile"),
    ),
    charged=False,
    measured=True,
)
def of_noisy_runs(runs: Runs, analysis: Analysis) -> Parts:
    every = runs.where(np.asarray(runs.frame["noise_free_f"].notna()))
    recommending = np.zeros(len(every.frame), dtype=np.bool_)
    for part in every.noisy:
        owner = np.repeat(part.rows, np.diff(part.offsets))
        recommending[owner[np.isnan(part.precision)]] = True
    for suite, of_suite in every.groups(("suite",)):
        mine = np.zeros(len(every.frame), dtype=np.bool_)
        mine[of_suite] = True
        noisy, own = every.where(mine), ":" in suite["suite"]
        ends = {
            value: precision_at_the_end(noisy.with_values(value))
            for value in VALUES
            if not (own and value == "best_evaluated")
        }
        noise_free, measured = (
            noisy.frame[name].to_numpy(dtype=np.float64) for name in ("noise_free_f", "best_f")
        )
        found = np.isfinite(noise_free)
        ends["luck"] = np.where(found, noise_free - np.where(found, measured, 0.0), np.inf)
        for names, members in noisy.groups(CELL):
            share = float(np.mean(recommending[mine][members]))
            for p in sorted(analysis.quantiles):
                values = {name: float(sample_quantile(of[members], p)) for name, of in ends.items()}
                row = {**names, "runs": len(members), "quantile": p, "recommending": share}
                yield dict.fromkeys(VALUES, np.nan) | row | values


SHARES = (0.25, 0.5, 0.75)  # shares of the runs that have reached a surface
POINTS = 200  # maximal number of points of a surface, and of the front of a run


@exhibit(
    "attainment",
    question=questions.FRONT,
    title="Attainment surfaces",
    caption=f"""
    Which values of two objectives a share of the runs has reached by the end of the run: each row
    is a corner of the surface that at least this share of the runs dominates (Grunert da Fonseca,
    Fonseca and Hall 2001). The runs of all instances are pooled: objectives are normalized, so that
    the ideal point is (0, 0) and the nadir point (1, 1), and only this region is shown. A surface
    has at most {POINTS} corners. Only for suites with two objectives.
    """,
    columns="""
    CELL, RUNS
    share: share of the runs that reached every point of the surface
    f1: first objective; 0 is its ideal value, and 1 that of the nadir point
    f2: second objective, likewise
    missed <Missed; low .4>: part of the region between the ideal and the nadir point that the
        surface does not dominate; the same in all rows of a surface
    """,
    layouts=Layout(
        caption="Part of the region between the ideal and the nadir point that the surface of "
        "half of the runs does not dominate.",
        points=(Points("share", (0.5,)),),
    ),
    figures=Figure(
        "attainment",
        "Attainment surfaces of half of the runs",
        "The trade-offs between two objectives that half of the runs had reached at their end. "
        "Lower and further left is better. The axes have the ideal point at 0 and the nadir "
        "point at 1.",
        Picture(
            "timefair.exhibits.charts.curves:attainment",
            "functions",
            reading="An overview is a map of all functions: the part of the region that the "
            f"surface does not dominate, as a multiple of the least. {LEADERS}",
        ),
        needs="two objectives",
    ),
    charged=False,
)
def surfaces(runs: Runs, analysis: Analysis) -> Parts:
    return (
        {**cell, "runs": np.full(len(corners), len(members)), "share": share, "f1": corners[:, 0],
         "f2": corners[:, 1], "missed": missed}
        for cell, members in runs.groups(CELL)
        for share, corners, missed in _of_cell(runs, cell, members, analysis)
        if len(corners)
    )  # fmt: skip


def _of_cell(
    runs: Runs, cell: dict[str, Any], members: NDArray[np.intp], analysis: Analysis
) -> Iterator[tuple[float, NDArray[np.float64], float]]:
    try:
        suite = find(cell["suite"], analysis.suite_parameters)
    except InputError:  # of imported runs
        return
    if not issubclass(suite.kind, TwoObjectives):
        return
    fronts = [_normalized_front(runs, cell, row, suite) for row in members]
    if not any(map(len, fronts)):
        return
    for share, corners in zip(SHARES, attained(fronts, SHARES), strict=True):
        missed = 1 - float(after_each(corners)[-1]) if len(corners) else 1.0
        yield share, _thinned(corners), missed


def _normalized_front(
    runs: Runs, cell: dict[str, Any], row: np.intp, suite: Suite
) -> NDArray[np.float64]:
    front = runs.fronts[row]
    if not len(front):
        return np.empty((0, 2))
    instance = int(runs.frame["instance"].iloc[row])
    kind = suite.problem(int(cell["function"]), int(cell["dimension"]), instance).kind
    assert isinstance(kind, TwoObjectives)
    found = kind.normalize(front)
    return _thinned(found[(found <= 1).all(axis=1)])


def _thinned(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """At most `POINTS` of the points, including the first and the last."""
    if len(points) <= POINTS:
        return points
    kept: NDArray[np.float64] = points[np.linspace(0, len(points) - 1, POINTS).astype(int)]
    return kept


def attained(
    fronts: list[NDArray[np.float64]], shares: tuple[float, ...]
) -> list[NDArray[np.float64]]:
    """The corners of the surface that each share of the fronts dominates, by their first number.

    - `fronts`: Fronts of the runs, each of shape ``(points, 2)``; an empty one attains nothing.

    Raises InputError if the package moocore is not installed.
    """
    try:
        import moocore
    except ImportError:
        raise InputError(
            "tables: 'attainment': needs the package moocore: pip install 'timefair[extras]'"
        ) from None
    some = [front for front in fronts if len(front)]
    found = []
    for share in shares:
        needed = int(np.ceil(share * len(fronts) - 1e-9))
        if needed > len(some):
            found.append(np.empty((0, 2)))
            continue
        sets = np.repeat(np.arange(len(some)), [len(front) for front in some])
        percentile = 100 * needed / len(some)
        corners = moocore.eaf(np.vstack(some), sets, percentiles=[percentile])[:, :2]
        found.append(corners[np.argsort(corners[:, 0], kind="stable")])
    return found
