"""Tables with a simulated cost, and of precisions below the final target."""

import numpy as np
import pytest
from campaigns import SMALL

from timefair.analysis import typeset
from timefair.basics.errors import InputError
from timefair.campaign import configuration
from timefair.exhibits.registry import TABLES
from timefair.io.importing import import_all
from timefair.records.rundata.problems import (
    final_target,
    precision_at_the_end,
    value_at_the_target,
)
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.store import write_record

COSTLY = {"evaluation_cost_s": 0.01, "real_s": 0.2, "charged_s": 0.8, "cpu_s": 0.1}
CAMPAIGN = SMALL | {"budget": {"time_s": 1.0, "evaluation_cost_s": 0.01}, "targets": [1.0]}
SENTENCE = "Each evaluation counts 0.01 s more than it takes."


@pytest.fixture
def runs(run, table):
    rows = [run([(10, 0.15, 0.5)], run=k, foreign_delay_s=0.1, **COSTLY) for k in range(3)]
    return Runs.of(table(*rows))


@pytest.fixture
def campaign():
    return configuration.parse(CAMPAIGN)


def made(name, runs, campaign):
    return TABLES[name](runs, Analysis.of(campaign.analysis_settings))


def test_captions_shares_and_the_checklist_state_it(runs, campaign):
    frame = made("ert", runs, campaign)
    assert frame.attrs["cost"] == SENTENCE
    assert "0.01 s more than it takes" in typeset("ert", frame, campaign).replace("\u00a0", " ")
    assert (frame["ert_s"] == 0.15).all()
    delay = made("perturbation", runs, campaign).filter(like="delay_share").to_numpy(float)
    np.testing.assert_allclose(delay, 0.5)
    overhead = made("overhead", runs, campaign)
    np.testing.assert_allclose(overhead["s_per_evaluation"], 0.2 / 100)
    rows = made("checklist", runs, campaign)
    said = rows.to_csv()
    assert "each evaluation counts 0.01 s more than it takes" in said


def test_cpu_time_has_no_simulated_cost(runs):
    with pytest.raises(InputError, match="with a simulated cost, 'wall'"):
        runs.timed_by("cpu")
    with pytest.raises(InputError, match=r"with budget\.evaluation_cost_s write 'wall'"):
        configuration.parse(CAMPAIGN | {"statistics": {"time": "cpu"}})


ANALYSIS = Analysis(
    targets=(1.0, 1e-8), resamples=50, executions=(1, 2), run_count={"cap": 6}, seed=1
)
HEADER = "algorithm,function,dimension,instance,run,evaluations,seconds,value,optimum,budget_s\n"
ENDS = {"A": 9e-9, "B": 1e-9}
"""Precisions at the end of two algorithms that reach the final target 1e-8."""

RANKED = {
    "quantiles": ["precision", "rank", "probability"],
    "paper_values": ["precision_mean", "precision_mean_high", "precision_deviation", "rank"],
    "best_of": ["precision"],
    "restart_fairness": ["one_launch", "best_of_restarts"],
}
"""Columns that are equal for both algorithms."""


@pytest.fixture(params=["at the target", "later"])
def foreign(tmp_path, request):
    """A table of runs that end when they reach 1e-8, or that go on after that."""
    lines = [
        f"{name},1,5,1,{run},{at},{0.001 * at},{value},0,1\n"
        for name, end in ENDS.items()
        for run in range(6)
        for at, value in ((1, 50.0), (100, end + 1e-10 * run), (900, 2.0))
        if at < 900 or request.param == "later"
    ]
    (tmp_path / "tiny.csv").write_text(HEADER + "".join(lines))
    import_all(tmp_path / "tiny.csv", "table", tmp_path)
    return Runs.read([tmp_path / f"{name}.parquet" for name in ENDS])


@pytest.fixture
def measured(run, table, tmp_path):
    def made(target, **ends):
        for name, values in ends.items():
            launch = {"start_s": 0.0, "end_s": 0.5, "evaluations": 9, "end": "target"}
            rows = [
                run(
                    [(1, 0.1, 50.0), (9, 0.5 if name == "A" else 0.6, end)],
                    algorithm=name, run=k, f_opt=100.0, best_f=100.0 + end,
                    launch_log=[launch | {"best_precision": end}], launches=1,
                )
                for k, end in enumerate(values)
            ]  # fmt: skip
            facts = {"algorithm": name, "campaign": {"budget": {"final_target": target}}}
            write_record(tmp_path / f"{name}.parquet", table(*rows).to_batches(), facts)
        return Runs.read([tmp_path / f"{name}.parquet" for name in ends])

    return made


def of_both(frame, columns):
    return [frame.loc[frame["algorithm"] == name, columns].to_numpy().tolist() for name in ENDS]


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", RANKED)
def test_algorithms_that_reach_the_target_in_every_run_are_equal(name, foreign):
    a, b = of_both(TABLES[name](foreign, ANALYSIS), RANKED[name])
    np.testing.assert_array_equal(a, b)


def test_the_pair_is_a_tie_and_the_ranks_are_equal(foreign):
    frame = TABLES["comparison"](foreign, ANALYSIS).query("measure == 'precision'")
    (row,) = frame.query("function == '1' and criterion == 'Q.50'").to_dict("records")
    assert (row["a12"], row["p"], row["value_a"], row["value_b"]) == (0.5, 1.0, 0.0, 0.0)
    assert frame["better"].isna().all()
    ranks = TABLES["ranks"](foreign, ANALYSIS).query("measure == 'precision'")
    assert (ranks["average_rank"] == 1.5).all()


def test_the_final_target_is_that_of_the_campaign_for_runs_and_launches(measured):
    runs = measured(1e-3, A=[9e-4, 2e-3], B=[1e-4, 1e-3])
    assert final_target(runs) == 1e-3
    assert precision_at_the_end(runs).tolist() == [0.0, 2e-3, 0.0, 0.0]
    assert value_at_the_target(runs).tolist() == [100.001] * 4
    frame = TABLES["paper_values"](runs, ANALYSIS).set_index("algorithm")
    assert frame["precision_mean"].to_dict() == {"A": 1e-3, "B": 0.0}
    assert frame["rank"].to_dict() == {"A": 2.0, "B": 1.0}
    frame = TABLES["restart_fairness"](measured(1e-8, A=[9e-9], B=[1e-9]), ANALYSIS)
    assert (frame[["one_launch", "best_of_restarts"]] == 0).all(axis=None)
