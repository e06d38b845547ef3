"""From how many problems on a search pays: by hand, how often it is true, and the sentence."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from campaigns import SMALL, SPHERE

from timefair.campaign import configuration
from timefair.exhibits.registry import TABLES
from timefair.extensions.tuning.findings import findings
from timefair.extensions.tuning.tables import break_even
from timefair.records.integrity import Origins, mixed
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.report.evidence import Evidence, Space


def found(spent, before, after, resamples=200, seed=1, confidence=0.95):
    rng = np.random.default_rng(seed)
    return break_even(spent, before, after, confidence=confidence, resamples=resamples, rng=rng)


def test_kinds_of_problems_have_the_same_weight():
    before = [np.full((2, 1), 10.0), np.full((8, 1), 4.0)]
    after = [np.full((4, 1), 6.0), np.full((2, 1), 4.0)]
    result = found(7.0, before, after)
    assert result.saved_s.tolist() == [2.0]  # (4 + 0) / 2
    assert result.problems.tolist() == [4.0]  # 7 / 2, rounded up
    assert (result.problems_low.item(), result.problems_high.item()) == (4.0, 4.0)


def test_limits_of_the_problems_are_those_of_the_saving_exchanged():
    rng = np.random.default_rng(3)
    before, after = [rng.exponential(2.0, (300, 1))], [rng.exponential(1.0, (300, 1))]
    result = found(10.0, before, after)
    assert result.problems_low.item() == np.ceil(10 / result.saved_s_high.item())
    assert result.problems_high.item() == np.ceil(10 / result.saved_s_low.item())
    wide = [rng.exponential(2.0, (30, 1))]
    undecided = found(10.0, wide, wide)
    assert undecided.saved_s_low.item() < 0 < undecided.saved_s_high.item()
    assert np.isinf(undecided.problems_high.item())
    assert np.isfinite(undecided.problems_low.item())


@pytest.mark.slow
def test_coverage():
    """Of 95 % intervals for 24 runs on each of 3 functions, 92 to 97 % hold the true number."""
    rng, truth, spent, held, times = np.random.default_rng(5), 0.5, 20.0, 0, 600
    for seed in range(times):
        before = [np.minimum(rng.exponential(1.5, (24, 1)), 6.0) for _ in range(3)]
        mean = 1.5 * (1 - np.exp(-6.0 / 1.5))
        after = [rng.normal(mean - truth, 0.4, (24, 1)) for _ in range(3)]
        result = found(spent, before, after, seed=seed, resamples=300)
        low, high = result.problems_low.item(), result.problems_high.item()
        held += low <= np.ceil(spent / truth) <= high
    assert 0.92 <= held / times <= 0.975


ANALYSIS = Analysis(targets=(10.0, 1.0, 0.1), resamples=50, problems=2)
SEARCH = {
    "of": "A", "tuner": "random", "seconds": 6.0, "candidates": 3, "evaluations": 6,
    "interrupted": 0, "overlap": [], "problems": "f1 D=2 instances 51-53", "checksum": "c",
    "result": {"parameters": {"F": 0.4}},
}  # fmt: skip


@pytest.fixture
def tuned(run, table):
    """`A` needs 0.8 s to 10 and 0.9 s to 1 on two functions; its variant `A-tuned` half a second
    less on the first function, and the same on the second. Nobody reaches 0.1."""

    def make(**changes) -> Runs:
        rows = []
        for function in (1, 2):
            for number in range(4):
                names = {"function": function, "run": number}
                rows.append(run([(1, 0.8, 5.0), (2, 0.9, 0.5)], **names))
                at = (0.3, 0.4) if function == 1 else (0.8, 0.9)
                events = [(1, at[0], 5.0), (2, at[1], 0.5)]
                rows.append(run(events, algorithm="A-tuned", **names))
        runs = Runs.of(table(*rows))
        origins = {"A": Origins(), "A-tuned": Origins(tuning=[SEARCH | changes])}
        return replace(runs, origins=origins)

    return make


def test_seconds_of_the_search_over_seconds_that_are_saved(tuned):
    frame = TABLES["tuning_pays"](tuned(), ANALYSIS).set_index("target")
    assert frame["algorithm"].unique().tolist() == ["A-tuned"]
    assert frame["default"].unique().tolist() == ["A"]
    assert frame["saved_s"].tolist() == pytest.approx([0.25, 0.25, 0.0])
    assert frame.loc[10.0, "problems"] == 24  # 6 s / 0.25 s
    assert (frame.loc[10.0, "problems_low"], frame.loc[10.0, "problems_high"]) == (24, 24)
    assert frame["verdict"].tolist() == ["pays", "pays", "never"]
    assert np.isinf(frame.loc[0.1, "problems"])
    assert frame["success_rate"].tolist() == [1.0, 1.0, 0.0]


def test_a_variant_that_is_slower_never_pays(tuned):
    runs = tuned()
    labels = runs.frame["algorithm"].map({"A": "A-tuned", "A-tuned": "A"})
    swapped = replace(runs, frame=runs.frame.assign(algorithm=labels))
    frame = TABLES["tuning_pays"](swapped, ANALYSIS)
    assert frame["saved_s"].tolist() == pytest.approx([-0.25, -0.25, 0.0])
    assert set(frame["verdict"]) == {"never"}


def test_a_variant_with_the_parameters_of_the_default_never_pays(tuned):
    """What it seems to save is due to chance."""
    frame = TABLES["tuning_pays"](tuned(result={"parameters": {}}), ANALYSIS)
    assert set(frame["chosen"]) == {"default"}
    assert frame["saved_s"].tolist() == pytest.approx([0.25, 0.25, 0.0])
    assert set(frame["verdict"]) == {"never"}
    assert np.isinf(frame[["problems", "problems_low", "problems_high"]]).all(axis=None)


def test_runs_of_two_searches_are_mixed():
    both = Origins(tuning=[SEARCH, SEARCH | {"checksum": "d"}])
    assert mixed({"A-tuned": both}) == ["A-tuned: runs of 2 searches for its parameters"]


NODE = {"cpu": "Z80", "cores": 2, "memory_mb": 15_900.0}
ELSEWHERE = (
    "parameters searched on Z81 with 2 cores and 16 GB, runs measured on Z80 with 2 cores and 16 GB"
)


@pytest.mark.parametrize(("cpu", "clauses"), [("Z80", []), ("Z81", [f"A-tuned: {ELSEWHERE}"])])
def test_a_search_on_another_kind_of_machine_is_mixed(cpu, clauses):
    search = SEARCH | {"machine": {"cpu": cpu, "cores": 2, "memory_gb": 16}}
    origin = Origins(machine=[NODE], tuning=[search])
    assert mixed({"A-tuned": origin}) == clauses
    assert mixed({"A-tuned": replace(origin, campaign=[{"block": "node"}])}) == []


# --- The checklist ----------------------------------------------------------------------------


def item(runs: Runs) -> dict:
    frame = TABLES["checklist"](runs, ANALYSIS)
    row = frame[(frame["topic"] == "Tuning") & (frame["part"] == "Tuning")].iloc[0]
    return row[["evidence", "missing"]].fillna("").to_dict()


def test_the_checklist_quotes_the_records_of_the_search(tuned):
    said = item(tuned())
    assert said["evidence"] == (
        "6.0 s measured: random, 3 candidates in 6 runs on f1 D=2 instances 51-53"
    )
    assert said["missing"] == "declare algorithms.A.ancillary.method"


CAMPAIGN = SMALL | {"problems": SPHERE | {"functions": "1-8"}, "algorithms": {"A": "timefair:DE"}}
ROW = {
    "suite": "bbob", "dimension": 2, "algorithm": "A-tuned", "default": "A", "target": 0.1,
    "tuning_s": 60.4, "success_rate": 0.9, "default_success_rate": 0.4, "saved_s": 0.5,
    "saved_s_low": 0.25, "saved_s_high": 1.0, "problems": 121.0, "problems_low": 61.0,
    "problems_high": 242.0, "verdict": "pays", "chosen": "new",
}  # fmt: skip


def said(*rows):
    evidence = Evidence(
        {"tuning_pays": pd.DataFrame([ROW | row for row in rows])}, configuration.parse(CAMPAIGN)
    )
    return list(findings(evidence, Space("bbob", 2)))


@pytest.mark.parametrize(
    ("row", "after"),
    [
        ({}, "At the target 0.1, it has paid off after 121 [61, 242] problems: A-tuned saves 0.5 "
         "[0.25, 1] s per problem."),
        ({"saved_s": -0.5, "saved_s_low": -1.0, "saved_s_high": -0.25, "verdict": "never"},
         "It never pays off at the target 0.1: A-tuned saves -0.5 [-1, -0.25] s per problem."),
        ({"saved_s_low": -0.1, "problems_high": math.inf, "verdict": "undecided"},
         "Whether it pays off at the target 0.1 is undecided: A-tuned saves 0.5 [-0.1, 1] s per "
         "problem. If it does, it takes at least 61 problems."),
        ({"saved_s_low": math.nan, "saved_s_high": math.nan, "verdict": "undecided"},
         "Whether it pays off at the target 0.1 is not known: some functions have a single run."),
        ({"chosen": "default", "verdict": "never"}, "It never pays off: the search kept the "
         "parameters of A, which were the best that it tried."),
    ],
    ids=["pays", "never", "undecided", "single", "default"],
)  # fmt: skip
def test_the_sentence_on_a_variant(row, after):
    assert said(row) == [f"Tuning A took 60.4 s. {after}"]


def test_the_hardest_target_that_half_of_the_runs_of_one_of_both_reached():
    easy = {"target": 10.0}
    unreached = {"target": 1e-3, "success_rate": 0.4, "default_success_rate": 0.1}
    by_default = {"target": 1e-2, "success_rate": 0.4, "default_success_rate": 0.6}
    (text,) = said(easy, {}, by_default, unreached)
    assert "At the target 0.01" in text
    assert said(unreached) == []
