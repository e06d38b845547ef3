"""The comparison of two versions: the command, its answers, the estimates and their samples."""

import json
import os
import re
from math import inf, log
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import yaml
from campaigns import refused
from scipy import stats

from timefair.campaign import configuration
from timefair.campaign.scaffold import CAMPAIGN as CAMPAIGN_FILE
from timefair.extensions.compare.comparison import (
    UNKNOWN,
    Answer,
    Change,
    Design,
    Law,
    Loss,
    Measure,
    judge,
    judge_family,
    log_ratio,
    look_levels,
    samples,
    simulate,
    worse_probability,
)
from timefair.extensions.compare.rounds import Rounds
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.schema import RUN_SCHEMA
from timefair.records.store import open_record, write_record
from timefair.statistics.ert import ert
from timefair.statistics.two_samples import a12

SAME = (1.0, 1.0)


def ratio(line: str) -> float:
    found = re.search(r"needs ([\d.]+) times", line)
    assert found
    return float(found[1])


@pytest.mark.thinned(1)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("law", "status", "answer"),
    [
        (SAME, 0, "equal"), ((1.03, 1.0), 0, "equal"), ((1.3, 1.0), 1, "worse"),
        ((1.0, 1.3), 1, "worse"), ((0.7, 1.0), 0, "better"), ((1.1, 1.0), 3, "undecided"),
    ],
)  # fmt: skip
def test_the_last_line_is_the_verdict_and_gives_the_status(folder, compare, law, status, answer):
    results = folder("mine", {"baseline": SAME, "candidate": law})
    found, lines = compare(results, "baseline", "candidate")
    assert found == status
    assert lines[-1].startswith(f"{answer}: candidate needs ")
    assert "on 2 functions, in pairs of one seed" in lines[-1]
    assert ratio(lines[-1]) == pytest.approx(law[0] * law[1], rel=0.02)
    assert compare(results, "baseline", "candidate", "--quiet") == (status, lines[-1:])


def test_the_reason_is_the_speed_or_the_evaluations(folder, compare):
    results = folder("mine", {"baseline": SAME, "candidate": (1.3, 1.0)})
    _, lines = compare(results, "baseline", "candidate")
    (line,) = [line for line in lines if line.startswith("ratio of seconds 1.3 = ")]
    factors = re.findall(r"([\d.]+) \(", line)
    assert [float(factor) for factor in factors] == pytest.approx([1.3, 1], rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("by", "answers"),
    [("speed", (1, 0)), ("evaluations", (0, 1)), ("seconds", (1, 1)), ("quality", (0, 0))],
)
def test_the_verdict_is_about_what_the_user_asks_for(folder, compare, by, answers):
    slower = folder("slower", {"baseline": SAME, "candidate": (1.3, 1.0)})
    longer = folder("longer", {"baseline": SAME, "candidate": (1.0, 1.3)})
    found = tuple(
        compare(place, "baseline", "candidate", "--by", by)[0] for place in (slower, longer)
    )
    assert found == answers


@pytest.mark.parametrize("paired", [True, False])
def test_runs_that_spend_the_whole_budget_do_not_hide_a_slowdown(folder, compare, paired):
    """In seconds up to T, the ratio of the ERTs would be 1.08: stuck runs take 1 s in both."""
    laws = {"baseline": SAME, "candidate": (1.3, 1.0)}
    _, lines = compare(folder("mine", laws, stuck=3, paired=paired), "baseline", "candidate")
    assert ratio(lines[-1]) == pytest.approx(1.3, rel=0.02 if paired else 0.2)


@pytest.mark.slow
def test_a_campaign_that_was_looked_at_gives_each_look_its_share(folder, compare):
    results = folder("mine", {"baseline": SAME, "candidate": SAME})
    assert "95 % confidence" in compare(results, "baseline", "candidate")[1][-1]
    versions = {"baseline": "baseline", "candidate": "candidate", "looks": 4}
    (results / "comparison.json").write_text(json.dumps(versions))
    # There are no records of rounds in this folder: what is there counts as the first look.
    _, lines = compare(results, "baseline", "candidate")
    assert "99.5 % confidence" in lines[-1]
    assert lines[-1].endswith("stopped after round 1 of 4, as the answer is decided")
    (results / "comparison.json").write_text("{}")
    status, lines = compare(results, "baseline", "candidate")
    assert status == 2
    assert "comparison.json: not what timefair wrote" in lines[0]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("{} baseline candidat", "mine: 'candidat' is unknown; did you mean 'candidate'?"),
        ("{} baseline", "baseline: give RESULTS BASELINE CANDIDATE: one folder and two labels"),
        ("{} baseline candidate --margin 0.9", "--margin: 0.9: should be a ratio of at least 1"),
        ("{} baseline candidate --cores 2", "--cores: only with CAMPAIGN.yaml, which is measured"),
        ("nowhere.yaml baseline", "baseline: give --baseline LABEL and --candidate LABEL after a"),
    ],
)
def test_wrong_words_are_one_line_and_status_2(folder, compare, words, line):
    results = folder("mine", {"baseline": SAME, "candidate": SAME})
    status, lines = compare(*words.format(results).split())
    assert status == 2
    assert len(lines) == 1
    assert line in lines[0]


def test_a_version_that_never_evaluates_is_refused_with_its_message(folder, compare):
    results = folder("mine", {"baseline": SAME, "candidate": SAME})
    path = results / "collected/candidate.parquet"
    record = open_record(path)
    rows = [
        row | {"evaluations": 0, "events": [], "status": "raised", "message": "ValueError: no"}
        for row in record.read().to_pylist()
    ]
    write_record(path, pa.Table.from_pylist(rows, RUN_SCHEMA).to_batches(), record.facts)
    status, lines = compare(results, "baseline", "candidate")
    assert (status, len(lines)) == (2, 1)
    assert lines[0].endswith("candidate made no evaluation in any run: ValueError: no")


LIBRARY = """
def solve(objective, rng, lost=0.0):
    if rng.random() < lost:
        while True:
            objective(objective.upper)
    x = rng.uniform(objective.lower, objective.upper)
    value, step = objective(x), 1.0
    while True:
        y = x + step * rng.normal(size=x.size)
        found = objective(y)
        better = found < value
        x, value, step = (y, found, 1.5 * step) if better else (x, value, 0.9 * step)


def broken(objective, rng):
    objective(objective.lower)


def fail():
    raise ValueError("no data")


broken.prepare = fail


def called(objective, rng):
    solve(objective, rng, more=1)
"""
CAMPAIGN = {
    "name": "mine",
    "problems": {"suite": "bbob", "functions": [1, 5], "dimensions": 2, "instances": "1-2"},
    "algorithms": {
        "baseline": "library:solve",
        "candidate": {"use": "library:solve", "seed_as": "baseline"},
        "worse": {"use": "library:solve", "parameters": {"lost": 0.6}, "seed_as": "baseline"},
        "broken": "library:broken",
        "called": "library:called",
        "other": "timefair:DE",
    },
    "budget": {"evaluations": 300},
    "restart": {"policy": "none"},
    "targets": [1, 0.1, 0.01],
    "runs": 24,
    "rounds": 4,
    "instances_per_job": 2,
    "timing": {"reference": False},
    "statistics": {"matters": {"ratio": 1.2}},
}


@pytest.fixture
def study(tmp_path, monkeypatch):
    (tmp_path / "library.py").write_text(LIBRARY)
    (tmp_path / CAMPAIGN_FILE).write_text(yaml.safe_dump(CAMPAIGN, sort_keys=False))
    monkeypatch.chdir(tmp_path)
    package = str(Path(configuration.__file__).parents[3])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([package, os.environ.get("PYTHONPATH", "")]))
    return tmp_path


def records(study: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in study.rglob("results/**/*.parquet")}


def rounds_of(study: Path) -> set[str]:
    return {path.stem.rpartition("_")[2] for path in records(study)}


@pytest.mark.slow
def test_equal_versions_are_measured_until_that_is_sure_and_once(study, compare):
    status, printed = compare(CAMPAIGN_FILE, "--cores", "2")
    assert status == 0
    assert printed[0].startswith("plan      in total 96 runs of each version, in pairs of one seed")
    assert printed[-1].startswith(
        "equal: candidate needs 1 times the evaluations of baseline to the target"
    )
    assert "as the answer is decided" in printed[-1]
    made = rounds_of(study)
    assert made == {f"r{k}" for k in range(1, len(made) + 1)}
    assert 1 <= len(made) < 4
    assert {path.parts[-3] for path in records(study)} == {"baseline", "candidate"}

    before = records(study)
    assert compare(CAMPAIGN_FILE, "--quiet") == (0, printed[-1:])
    assert records(study) == before
    # The runs were looked at: a later test of them has the level of that look.
    assert compare("results/mine", "baseline", "candidate", "--quiet") == (0, printed[-1:])
    content = json.loads((study / "results/mine/comparison.json").read_text())
    assert content == {"baseline": "baseline", "candidate": "candidate", "looks": 4}


@pytest.mark.thorough
@pytest.mark.slow
def test_a_version_that_cannot_be_launched_is_one_line_before_a_run(study, compare):
    status, printed = compare(CAMPAIGN_FILE, "--candidate", "called")
    said = "TypeError: solve() got an unexpected keyword argument 'more'"
    line = f"timefair: algorithms.called: cannot be launched: {said}"
    assert (status, printed) == (2, [line])
    assert not records(study)


@pytest.mark.slow
def test_a_job_that_fails_names_its_log(study, compare):
    rounds = Rounds(
        configuration.load(study / CAMPAIGN_FILE), study / "results", "baseline", "broken", 2
    )
    (line,) = refused(rounds.until_sure, Measure.EVALUATIONS, 1.2, print)
    assert line.startswith(f"{study}/results/mine/logs/broken/")
    assert line.endswith("the job failed: library:broken.prepare failed: ValueError: no data")


@pytest.mark.parametrize(
    ("changes", "words", "line"),
    [
        ({}, "--candidate candidat", "--candidate: 'candidat' is unknown"),
        ({"stopping": {"rule": "quantile"}}, "", "stopping.rule: 'quantile': should be 'fixed'"),
        ({"block": "node"}, "", "block: 'node': versions are measured side by side, not in blocks"),
    ],
)
def test_what_cannot_be_compared_is_one_line_before_a_run(study, compare, changes, words, line):
    (study / CAMPAIGN_FILE).write_text(yaml.safe_dump(CAMPAIGN | changes, sort_keys=False))
    status, printed = compare(CAMPAIGN_FILE, *words.split())
    assert (status, len(printed)) == (2, 1)
    assert line in printed[0]
    assert not records(study)


MARGIN = 0.1


@pytest.mark.parametrize(
    ("estimate", "error", "answer"),
    [
        (0.2, 0.01, Answer.WORSE),
        (-0.2, 0.01, Answer.BETTER),
        (0.0, 0.01, Answer.EQUAL),
        (0.05, 0.01, Answer.EQUAL),  # different, and by less than matters
        (0.0, 0.2, Answer.UNDECIDED),  # no significance is not equality
        (0.2, 0.1, Answer.UNDECIDED),  # different, perhaps by less than matters
        (0.1, 0.001, Answer.UNDECIDED),
        (0.0, 0.0, Answer.EQUAL),
        (0.3, 0.0, Answer.WORSE),
    ],
)
def test_the_answer_is_where_the_interval_lies(estimate, error, answer):
    found = judge(Change(estimate, error, 100), MARGIN, 0.05)
    assert found.answer is answer
    assert judge_family([Change(estimate, error, 100)], MARGIN, 0.05) == [found]


def test_a_family_is_judged_at_holms_levels_and_looks_share_theirs():
    t = stats.t(30)
    near = Change(MARGIN + 0.05 * t.isf(0.04 / 2), 0.05, 30)  # decided at 0.04
    sure = Change(1.0, 0.05, 30)
    assert [one.answer for one in judge_family([near, near], MARGIN, 0.05)] == [
        Answer.UNDECIDED
    ] * 2
    assert [one.answer for one in judge_family([near, sure], MARGIN, 0.05)] == [Answer.WORSE] * 2
    levels = look_levels(0.05, 5)
    assert levels.sum() == pytest.approx(0.05)
    assert (np.diff(levels) > 0).all()
    assert look_levels(0.05, 1).tolist() == [0.05]
    with pytest.raises(ValueError, match="at least 1, not 0"):
        look_levels(0.05, 0)


SAMPLES = 250
DEFAULT = Design(functions=4, runs=120, looks=4, ratio=1.05, level=0.05, paired=True, jobs=5)
"""The comparison of a campaign that `timefair init --for-optimizer` writes."""


def shares(loss: Loss, paired: bool = True, law: Law = Law()) -> dict[Answer, float]:  # noqa: B008
    design = Design(**{**vars(DEFAULT), "paired": paired})
    rng = np.random.default_rng(17)
    return simulate(design, law, loss, samples=SAMPLES, rng=rng)[0]


def at_most(rate: float) -> float:
    """A share of the samples that a rate exceeds with probability 0.001."""
    return float(stats.binom.isf(0.001, SAMPLES, rate)) / SAMPLES


@pytest.mark.slow
@pytest.mark.thinned(5)
@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("success", [0.5, 0.8, 0.95])
def test_equal_versions_are_rarely_found_to_differ(paired, success):
    found = shares(Loss(), paired, Law(success=success))
    assert found[Answer.WORSE] + found[Answer.BETTER] <= at_most(0.05)


@pytest.mark.slow
@pytest.mark.thinned(3)
@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("slowdown", [1.05, 1 / 1.05])
def test_no_answer_is_more_often_wrong_than_its_level_on_a_limit_of_the_margin(paired, slowdown):
    assert shares(Loss(slowdown=slowdown), paired)[Answer.UNDECIDED] >= 1 - at_most(0.05)


@pytest.mark.slow
def test_a_slowdown_of_a_tenth_is_found():
    assert shares(Loss(slowdown=1.1))[Answer.WORSE] >= 1 - at_most(0.1)


@pytest.mark.slow
@pytest.mark.thinned(2)
@pytest.mark.parametrize(("paired", "success"), [(True, 0.5), (False, 0.8)])
def test_a_loss_of_a_fifth_of_the_successes_is_found(paired, success):
    assert shares(Loss(lost=0.2), paired, Law(success=success))[Answer.WORSE] >= 0.95


RNG = np.random.default_rng(3)
COST = RNG.exponential(size=(2, 40))
REACHED = RNG.random((2, 40)) < 0.7


def change(baseline: int = 0, candidate: int = 1, *, paired: bool = False) -> Change:
    return log_ratio(
        (COST[baseline], REACHED[baseline]), (COST[candidate], REACHED[candidate]), paired=paired
    )


def test_the_estimate_is_the_logarithm_of_the_ratio_also_of_its_factors():
    one, other = (float(ert(COST[k], REACHED[k])) for k in (0, 1))
    assert change().estimate == pytest.approx(log(other / one))
    assert change(paired=True).estimate == change().estimate
    assert change(1, 0).estimate == pytest.approx(-change().estimate)
    evaluations = np.round(1000 * COST) + 1
    parts = [
        log_ratio((evaluations[0], REACHED[0]), (evaluations[1], REACHED[1]), paired=True),
        log_ratio((COST[0], evaluations[0]), (COST[1], evaluations[1]), paired=True),
    ]
    assert sum(part.estimate for part in parts) == pytest.approx(change().estimate)


def test_the_error_is_that_of_many_repetitions():
    estimates, errors = [], []
    for _ in range(800):
        baseline, candidate = (
            (RNG.exponential(size=60), (RNG.random(60) < 0.7).astype(float)) for _ in range(2)
        )
        found = log_ratio(baseline, candidate, paired=False)
        estimates.append(found.estimate)
        errors.append(found.error)
    assert np.std(estimates) == pytest.approx(np.mean(errors), rel=0.12)


def test_what_pairs_have_in_common_does_not_count():
    reached = np.ones(40)
    slower = 1.2 * COST[0]
    paired = log_ratio((COST[0], reached), (slower, reached), paired=True)
    alone = log_ratio((COST[0], reached), (slower, reached), paired=False)
    # Half a pair of each kind of disagreement counts, as it may be too rare for these runs.
    assert paired.error == pytest.approx(1 / 40)
    assert alone.error > 5 * paired.error
    assert paired.estimate == pytest.approx(log(1.2))


def test_what_the_runs_of_a_job_have_in_common_is_in_the_error():
    runs, jobs = 100, np.repeat(np.arange(20), 5)
    estimates, errors, of_runs = [], [], []
    for _ in range(400):
        slow = np.exp(RNG.normal(0, 0.2, 20))[jobs]
        baseline, reached = RNG.exponential(size=runs), np.ones(runs)
        pair = ((baseline, reached), (slow * baseline, reached))
        found = log_ratio(*pair, paired=True, jobs=(jobs, jobs))
        estimates.append(found.estimate)
        errors.append(found.error)
        of_runs.append(log_ratio(*pair, paired=True).error)
    assert found.freedom == 19
    assert np.std(estimates) == pytest.approx(np.mean(errors), rel=0.15)
    assert np.mean(of_runs) < 0.75 * np.std(estimates)
    few = np.repeat(np.arange(2), 50)
    assert log_ratio(*pair, paired=True, jobs=(few, few)).freedom == runs - 1


@pytest.mark.parametrize("paired", [True, False])
def test_a_version_without_any_success_is_worse_by_at_least_a_factor(paired):
    runs = 100
    broken = log_ratio(
        (np.full(runs, 0.5), np.ones(runs)), (np.ones(runs), np.zeros(runs)), paired=paired
    )
    assert broken.estimate == pytest.approx(log(2 * 2 * runs))
    assert broken.interval(0.95)[0] > log(2)


def test_the_worse_probability_is_that_of_a12():
    baseline = np.array([1.0, 2.0, 3.0, 4.0, 5.0, inf])
    candidate = np.array([2.0, 2.0, 6.0, 7.0, inf, inf])
    found = worse_probability(baseline, candidate, paired=False)
    effect = a12([(baseline, candidate)], confidence=0.95)
    assert found.estimate == pytest.approx(effect.a12 - 0.5)
    assert worse_probability(baseline, baseline, paired=True).estimate == 0
    # Equal results in all pairs: nothing varies but the two added values.
    assert worse_probability(baseline, baseline, paired=True).error == pytest.approx(0, abs=1e-12)
    assert worse_probability(baseline, baseline, paired=False).error > 0.1
    assert worse_probability(baseline[:5], candidate, paired=False) is UNKNOWN


@pytest.fixture
def sample(table, analysis):
    """Makes the only sample of the runs of two versions."""

    def make(baseline, candidate, hardest=1e-8):
        rows = [*baseline, *(one | {"algorithm": "B"} for one in candidate)]
        (found,) = samples(Runs.of(table(*rows)), analysis, ("A", "B"), hardest, 1)
        return found

    return make


@pytest.fixture
def analysis():
    return Analysis(targets=(1.0,))


def test_targets_and_evaluations_of_early_ends_and_of_unknown_optima(sample, run):
    baseline = [run([(1, 0.1, float(k))], run=k) for k in range(1, 5)]
    candidate = [run([(1, 0.1, 9.0)], run=k) for k in range(1, 5)]
    found = sample(baseline, candidate)
    assert found.target == 2.0
    assert [one.success.tolist() for one in found.efforts] == [[1, 1, 0, 0], [0] * 4]
    baseline = [run([(10, 0.1, 1.0)], wall_s=0.1, evaluations=10, stop_reason="target")]
    candidate = [run([(90, 0.9, 1.0)])]
    found = sample(baseline, candidate)
    assert [one.evaluations.tolist() for one in found.efforts] == [[10.0], [90.0]]
    assert [one.success.tolist() for one in found.efforts] == [[1.0], [1.0]]
    baseline = [run([(1, 0.1, 3.0)], f_opt=None)]
    candidate = [run([(1, 0.1, 8.0)], f_opt=None)]
    found = sample(baseline, candidate, hardest=0.0)
    assert [of.tolist() for of in found.at_the_end] == [[0.0], [5.0]]
    assert [one.success.tolist() for one in found.efforts] == [[1.0], [0.0]]


def test_both_runs_of_a_pair_have_the_evaluations_of_the_slower_one(sample, run):
    """Baseline: 100 evaluations in 1 s; candidate: 50; an event after 60 is too late."""
    baseline = [run([(2, 0.02, 5.0), (60, 0.6, 1.0)], run=0), run([(10, 0.1, 1.0)], run=1)]
    candidate = [
        run([(2, 0.04, 5.0)], run=0, evaluations=50),
        run([(10, 0.2, 1.0)], run=1, evaluations=50),
    ]
    found = sample(baseline, candidate)
    assert found.paired
    one, other = found.efforts
    assert one.success.tolist() == other.success.tolist() == [0, 1]
    assert one.evaluations.tolist() == other.evaluations.tolist() == [50, 10]
    np.testing.assert_allclose(one.seconds, [0.5, 0.1], rtol=1e-12)
    np.testing.assert_allclose(other.seconds, [1.0, 0.2], rtol=1e-12)
