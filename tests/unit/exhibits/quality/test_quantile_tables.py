"""Tables of quality: quantiles, means, attainment and errors on problems that change."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timefair.exhibits import quality
from timefair.exhibits.registry import TABLES
from timefair.problems.suites import SUITES, find
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.rundata.traces import nondominated
from timefair.records.schema import RUN_SCHEMA

ANALYSIS = Analysis(targets=(1.0, 0.1), resamples=200)


def made(name, table, analysis=ANALYSIS):
    return TABLES[name](Runs.of(table), analysis)


@pytest.fixture
def results(run, table):
    def make(**precisions):
        rows = [
            run([(1, 0.1, q)] if np.isfinite(q) else [], algorithm=name, run=k)
            for name, values in precisions.items()
            for k, q in enumerate(values)
        ]
        return table(*rows)

    return make


def test_quantiles_have_intervals_probabilities_and_ranks(results):
    frame = made("quantiles", results(A=range(1, 12), B=[2.0] * 11, C=[np.inf] * 11))
    a, b, c = (frame[frame["algorithm"] == name].set_index("quantile") for name in "ABC")
    assert a.loc[0.5, ["precision", "precision_low", "precision_high"]].tolist() == [6, 2, 10]
    assert a.loc[0.5, "precision_coverage"] == pytest.approx(1 - 2 * 12 / 2**11)
    assert a.loc[0.1, "precision_low"] == 0
    assert a.loc[0.9, "precision_high"] == np.inf
    assert a.loc[0.5, "probability"] == 0.5
    assert b.loc[0.1, ["probability_high", "probability_paper_low"]].tolist() == [1, 1]
    assert c["probability"].isna().all()
    ranks = frame.pivot(index="algorithm", columns="quantile", values="rank")
    assert ranks[0.1].tolist() == [1.5, 1.5, 3]
    assert ranks[0.5].tolist() == [2, 1, 3]


@pytest.mark.parametrize(
    ("name", "column"), [("quantiles", "precision"), ("paper_values", "precision_mean")]
)
def test_the_interval_of_negative_precisions_contains_them(name, column, results):
    """With several objectives, a run can be better than the best known result."""
    frame = made(name, results(A=-1e-5 * np.arange(1.0, 8.0)))
    low, value, high = (frame[f"{column}{end}"] for end in ("_low", "", "_high"))
    assert (low <= value).all()
    assert (value <= high).all()
    if name == "quantiles":
        assert low.iloc[0] == -np.inf  # as many runs determine no lower limit


def test_a_quantile_beyond_the_budget_or_what_was_spent_is_written_as_such(run, table):
    budget = {"budget_s": 0.8, "budget_evaluations": 100_000}
    rows = table(
        run([(57_491, 0.12345, 0.5)], **budget),
        run(run=1, wall_s=0.8, evaluations=100_000, **budget),
        run(run=2, wall_s=0.3, evaluations=500, **budget),  # ended early: censored too
    )
    frame = made("quantiles_to_target", rows).set_index(["target", "quantile"])
    reached, beyond = frame.loc[(1.0, 0.1)], frame.loc[(1.0, 0.5)]
    assert (reached["runs"], reached["successes"]) == (3, 1)
    assert reached["runtime_s"] == 0.12345
    assert reached["runtime_s_text"] == "0.1235 s"
    assert reached["runtime_evaluations_text"] == "5.749e4"
    assert (beyond["runtime_s"], beyond["runtime_evaluations"]) == (np.inf, np.inf)
    assert beyond["runtime_s_text"] == "> 0.8 s"
    assert beyond["runtime_evaluations_text"] == "> 1e5"
    rows = table(run([(10, 0.1, 0.5)]), run(run=1, evaluations=300), run(run=2, evaluations=200))
    frame = made("quantiles_to_target", rows).set_index(["target", "quantile"])
    assert frame.loc[(1.0, 0.5), "runtime_evaluations_text"] == "> 200"
    assert frame.loc[(1.0, 0.9), "runtime_evaluations_text"] == "> 300"
    assert frame.loc[(1.0, 0.9), "runtime_s_text"] == "> 1 s"


def test_censored_algorithms_share_the_last_rank(results):
    frame = made("quantiles_to_target", results(A=[0.5], B=[5.0], C=[7.0]))
    easy = frame[(frame["target"] == 1.0) & (frame["quantile"] == 0.5)]
    assert easy["runtime_s_rank"].tolist() == [1, 2.5, 2.5]
    hard = frame[frame["target"] == 0.1]
    assert (hard["runtime_evaluations_rank"] == 2).all()


def test_means_of_the_paper_and_of_the_default(results):
    frame = made("paper_values", results(A=[1.0, 2.0, 3.0], B=[1.0, np.inf, 1.0], C=[5.0]))
    a, b, c = (row for _, row in frame.iterrows())
    half = 1.959964 * np.sqrt(2 / 3 / 3)
    paper = ["precision_mean_paper_low", "precision_mean_paper_high"]
    assert a[paper].tolist() == pytest.approx([2 - half, 2 + half])
    assert (a["precision_deviation"], a["precision_mean_low"]) == (1, 0)
    assert (b["precision_mean"], b["precision_mean_high"]) == (np.inf, np.inf)
    assert b[["precision_mean_low", "precision_deviation"]].isna().all()
    assert c[["precision_mean_low", "precision_mean_high", "precision_deviation"]].isna().all()
    assert frame["rank"].tolist() == [1, 3, 2]


def test_success_shows_the_wrong_mean_the_right_one_and_ert(run, table):
    rows = table(
        run([(10, 0.1, 0.5)]),
        run([(30, 0.3, 0.05)], run=1),
        run(run=2, wall_s=0.8, evaluations=70, algorithm="B"),
        run([(20, 0.2, 0.5)], run=3, algorithm="B"),
    )
    frame = made("success", rows).set_index(["algorithm", "target"])
    a, b = frame.loc[("A", 1.0)], frame.loc[("B", 1.0)]
    names = ["mean_evaluations_successes_only", "mean_evaluations", "ert_evaluations"]
    assert a[names].tolist() == [20, 20, 20]
    assert b[names[0]] == 20
    assert np.isnan(b[names[1]])
    assert b[names[2]] == 90
    assert b["ert_s"] == pytest.approx(1.0)
    assert b["mean_s_successes_only"] == pytest.approx(0.2)
    failed = frame.loc[("B", 0.1)]
    assert failed[["mean_s_successes_only", "mean_s"]].isna().all()
    assert failed["ert_s"] == np.inf
    limits = failed[["success_rate", "success_rate_low", "success_rate_high"]]
    assert limits.tolist() == pytest.approx([0, 0, 1 - np.sqrt(0.025)])


def test_several_executions(results):
    analysis = Analysis(targets=(1.0,), quantiles=(0.5, 0.1), executions=(3, 1), confidence=0.9)
    campaign = results(A=[0.5, 5.0], B=[5.0, 5.0])
    frame = made("multirun", campaign, analysis)
    assert frame["quantile"].tolist() == [0.1, 0.1, 0.5, 0.5]
    assert frame["executions"].tolist() == [1, 3, 1, 3]
    assert frame["probability"].tolist() == pytest.approx([0.1, 0.271, 0.5, 0.875])
    assert frame["executions_needed"].tolist() == [22, 22, 4, 4]
    to_target = made("multirun_to_target", campaign, analysis)
    assert to_target["probability"].tolist() == pytest.approx([0.5, 0.875, 0, 0])
    assert to_target["executions_needed"].tolist() == [4, 4, np.inf, np.inf]
    assert (to_target["executions_needed_low"] <= to_target["executions_needed"]).all()
    assert (to_target["executions_needed_high"] >= to_target["executions_needed"]).all()
    assert (to_target["probability_high"] > to_target["probability"]).all()


def test_a_disagreement_is_found_with_its_sorted_solutions(results):
    campaign = results(steady=[2.0, 2.0, 2.0], lucky=[98.0, 1.0, 1.5], bad=[200.0, 300.0, 100.0])
    frame = made("disagreements", campaign)
    (row,) = frame.to_dict("records")
    assert (row["algorithm"], row["other"]) == ("steady", "lucky")
    assert [row[m] for m in ("mean", "median", "mean_rank", "median_rank")] == [2, 2, 1, 2]
    assert row["other_mean"] == pytest.approx(33.5)
    assert [row[f"other_{m}"] for m in ("median", "mean_rank", "median_rank")] == [1.5, 2, 1]
    assert row["gap_decades"] == pytest.approx(np.log10(2 / 1.5))
    solutions = made("sorted_solutions", campaign)
    lucky = solutions[solutions["algorithm"] == "lucky"]
    assert lucky["precision"].tolist() == [1.0, 1.5, 98.0]
    assert lucky["order"].tolist() == [1, 2, 3]
    assert set(solutions["better_by_mean"]) == {"steady"}
    assert set(solutions["algorithm"]) == {"steady", "lucky"}


def noisy(make, measured, true, recommended=None, best=None, **changes):
    """A noisy run: a first point, a better measured one, and an unnoticed better one."""
    best = true if best is None else best
    rows = [(1, 9.0, 9.0), (2, measured, true), (3, measured + 1, best)]
    row = make([(1, 0.1, 9.0), (2, 0.2, measured)], **{"suite": "bbob-noisy", **changes})
    return row | {
        "best_f": measured,
        "noise_free_f": true,
        "vectors": [
            {"launch": 0, "evaluations": n, "time_s": n / 10, "outputs": [y, t]} for n, y, t in rows
        ],
        "recommendations": []
        if recommended is None
        else [{"launch": 0, "evaluations": 3, "time_s": 0.3, "noise_free": recommended}],
    }


def test_each_column_has_its_own_quantiles(run, table):
    runs = Runs.of(
        table(
            noisy(run, 1.0, 4.0, best=2.0),
            noisy(run, 2.0, 3.0, recommended=0.5, best=1.0, run=1),
            noisy(run, 3.0, 2.5, recommended=1.5, run=2),
            run([(1, 0.1, 5.0)], algorithm="exact"),
        )
    )
    made = TABLES["noise"](runs, Analysis(quantiles=(0.5,)))
    assert made["algorithm"].tolist() == ["A"]
    row = made.iloc[0]
    assert (row["runs"], row["quantile"]) == (3, 0.5)
    assert row["measured"] == 2.0
    assert row["best_measured"] == 3.0
    assert row["recommended"] == 1.5
    assert row["best_evaluated"] == 2.0
    assert row["luck"] == 1.0
    assert row["recommending"] == 2 / 3
    assert made.attrs["noise"] == ""


def test_of_my_function_the_best_of_all_points_is_empty_and_a_run_without_one_is_infinite(
    run, table
):
    mine = {"suite": "mine.py:f", "f_opt": None}
    runs = Runs.of(table(noisy(run, 1.0, 4.0, **mine), noisy(run, 2.0, 3.0, run=1, **mine)))
    made = TABLES["noise"](runs, Analysis(quantiles=(0.1, 0.9)))
    assert np.isnan(made["best_evaluated"].to_numpy(dtype=float)).all()
    assert made["best_measured"].tolist() == [0.0, 1.0]  # distances to the best of the runs
    assert made["luck"].tolist() == [1.0, 3.0]
    nothing = run([], suite="bbob-noisy", best_f=np.inf, best_precision=np.inf)
    nothing |= {"noise_free_f": np.inf, "vectors": [], "recommendations": []}
    made = TABLES["noise"](Runs.of(table(nothing)), Analysis(quantiles=(0.5,)))
    values = made[["measured", "best_measured", "recommended", "best_evaluated", "luck"]]
    assert np.isinf(values.to_numpy(dtype=float)).all()


number = st.one_of(st.floats(0, 1), st.integers(0, 3).map(lambda k: k / 3))
fronts = st.lists(st.tuples(number, number), max_size=12).map(
    lambda rows: nondominated(np.array(rows).reshape(-1, 2))
)


@given(st.lists(st.tuples(number, number), max_size=20))
def test_a_front_has_what_no_other_vector_weakly_dominates(rows):
    vectors = np.unique(np.array(rows).reshape(-1, 2), axis=0)
    expected = [v for v in vectors if not any((o <= v).all() and (o < v).any() for o in vectors)]
    np.testing.assert_array_equal(
        nondominated(np.array(rows).reshape(-1, 2)), np.reshape(expected, (-1, 2))
    )


@pytest.mark.slow
@given(st.lists(fronts, min_size=1, max_size=5), st.sampled_from(quality.SHARES))
def test_each_corner_is_dominated_by_the_share_and_by_no_fewer_runs(runs, share):
    pytest.importorskip("moocore")
    (corners,) = quality.attained(runs, (share,))
    needed = int(np.ceil(share * len(runs)))

    def reached(point):
        return sum((front <= point).all(axis=1).any() for front in runs if len(front))

    for corner in corners:
        assert reached(corner) >= needed
        assert reached(corner - [1e-9, 0]) < needed
        assert reached(corner - [0, 1e-9]) < needed
    assert len(corners) > 0 or sum(map(bool, map(len, runs))) < needed


def run_of(problem, vectors, instance, k):
    width, ideal = np.array(problem.outputs.widths), ideal_of(problem)
    rows = [
        {"launch": 0, "evaluations": n, "time_s": 0.1, "outputs": list(ideal + vector * width)}
        for n, vector in enumerate(np.array(vectors), start=1)
    ]
    return {
        "suite": "bbob-biobj", "function": 1, "dimension": 2, "instance": instance,
        "algorithm": "A", "run": k, "f_opt": problem.f_opt, "wall_s": 1.0, "evaluations": 9,
        "best_precision": 0.5, "events": [], "vectors": rows,
    }  # fmt: skip


def ideal_of(problem):
    """The ideal point: where normalized vectors are 0."""
    far = np.array([[1e3, 1e3]])
    return far[0] - problem.outputs.normalize(far)[0] * np.array(problem.outputs.widths)


def test_runs_of_all_instances_are_pooled_in_normalized_objectives():
    pytest.importorskip("moocore")
    found = [[(0.5, 0.25), (0.75, 0.75)], [(0.25, 0.5), (2.0, 0.125)], [(0.5, 0.5)], [(1.5, 1.5)]]
    rows = [
        run_of(SUITES["bbob-biobj"].problem(1, 2, instance), vectors, instance, 0)
        for instance, vectors in enumerate(found, start=1)
    ]
    table = quality.attainment(
        Runs.of(pa.Table.from_pylist(rows, RUN_SCHEMA)), Analysis(resamples=10)
    )
    of_share = {share: part[["f1", "f2"]].to_numpy() for share, part in table.groupby("share")}
    np.testing.assert_allclose(of_share[0.25], [[0.25, 0.5], [0.5, 0.25]], atol=1e-9)
    np.testing.assert_allclose(of_share[0.5], [[0.5, 0.5]], atol=1e-9)
    np.testing.assert_allclose(of_share[0.75], [[0.5, 0.5]], atol=1e-9)
    missed = table.groupby("share")["missed"].first()
    np.testing.assert_allclose(missed, [1 - 0.5, 0.75, 0.75], atol=1e-9)


def test_a_surface_has_a_limited_number_of_corners():
    pytest.importorskip("moocore")
    first = np.linspace(0.001, 0.999, 3 * quality.POINTS)
    vectors = np.column_stack([first, 1 - first])
    problem = SUITES["bbob-biobj"].problem(1, 2, 1)
    table = pa.Table.from_pylist([run_of(problem, vectors, 1, 0)], RUN_SCHEMA)
    found = quality.attainment(Runs.of(table), Analysis(resamples=10))
    assert found.groupby("share").size().tolist() == [quality.POINTS] * 3
    np.testing.assert_allclose(found[["f1", "f2"]].iloc[[0, -1]], vectors[[0, -1]], atol=1e-6)


ENVIRONMENTS = 4
CHANGES = find("moving", {"environments": ENVIRONMENTS}).problem(2, 2, 1).changes
LEAST, MIDDLE = CHANGES.least, CHANGES.uninformed
SECONDS, EVALUATIONS = {"budget_s": 8.0}, {"budget_evaluations": 40}
"""Periods of 2 s, and of 10 evaluations."""


def moving_run(found, k=0, algorithm="A", **budget):
    vectors = [
        {"launch": 0, "evaluations": n, "time_s": t, "outputs": [LEAST[e] + error, float(e)]}
        for n, t, e, error in found
    ]
    return {
        "suite": "moving", "function": 2, "dimension": 2, "instance": 1, "algorithm": algorithm,
        "run": k, "f_opt": 0.0, "wall_s": 8.0, "evaluations": 40, "best_precision": 1.0,
        "events": [], "vectors": vectors, **budget,
    }  # fmt: skip


FOUND = [(1, 0.5, 0, 4.0), (3, 1.0, 0, 1.0), (21, 4.0, 2, 2.0)]


def table(build, *rows):
    suite = {"suite_parameters": {"environments": ENVIRONMENTS}}
    analysis = Analysis(resamples=50, targets=(4.5, 1.5), **suite)
    return build(Runs.of(pa.Table.from_pylist(list(rows), RUN_SCHEMA)), analysis)


def test_errors_in_seconds_and_in_evaluations():
    frame = table(quality.changes, moving_run(FOUND, **SECONDS))
    (row,) = frame.to_dict("records")
    assert [row["runs"], row["environments"], row["unit"], row["period"]] == [1, 4, "seconds", 2.0]
    best = [1.0, MIDDLE[1], 2.0, MIDDLE[3]]
    assert row["before_change"] == pytest.approx(np.mean(best))
    offline = [(0.5 * MIDDLE[0] + 0.5 * 4.0 + 1.0 * 1.0) / 2, MIDDLE[1], 2.0, MIDDLE[3]]
    assert row["offline_error"] == pytest.approx(np.mean(offline))
    for name in ("before_change", "offline_error"):
        assert row[f"{name}_low"] == row[f"{name}_high"] == row[name]
    (row,) = table(quality.changes, moving_run(FOUND, **EVALUATIONS)).to_dict("records")
    assert [row["unit"], row["period"]] == ["evaluations", 10.0]
    offline = [(2 * 4.0 + 8 * 1.0) / 10, MIDDLE[1], 2.0, MIDDLE[3]]
    assert row["offline_error"] == pytest.approx(np.mean(offline))


def test_recovery_after_changes():
    frame = table(quality.recovery, moving_run(FOUND, **SECONDS), moving_run(FOUND, k=1, **SECONDS))
    assert frame["target"].tolist() == [4.5, 1.5]
    assert frame["recovered"].tolist() == [0.5, 0.25]
    np.testing.assert_allclose(frame["recovery"], [(0.5 + 0.0 + 2 * 2) / 2, (1.0 + 3 * 2) / 1])
    counted = table(quality.recovery, moving_run(FOUND, **EVALUATIONS))
    np.testing.assert_allclose(counted["recovery"], [(1 + 1 + 2 * 10) / 2, (3 + 3 * 10) / 1])


def test_the_curve_ends_at_the_mean_error_before_a_change():
    for budget, period in ((SECONDS, 2.0), (EVALUATIONS, 10.0)):
        run = moving_run(FOUND, **budget)
        curve, frame = table(quality.after_change, run), table(quality.changes, run)
        assert curve["cost"].iloc[-1] == pytest.approx(period)
        assert curve["error"].iloc[-1] == pytest.approx(frame["before_change"].iloc[0])
        assert (curve["error"].diff().iloc[1:] <= 0).all()
        assert (curve["error_low"] <= curve["error_high"]).all()
    assert curve["cost"].tolist() == list(range(1, 11))
