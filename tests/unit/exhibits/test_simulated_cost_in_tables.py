"""Tables, captions and settings know a simulated evaluation cost."""

import numpy as np
import pytest
from campaigns import SMALL

from timefair.analysis import typeset
from timefair.basics.errors import InputError
from timefair.campaign import configuration
from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

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


def test_captions_state_it(runs, campaign):
    frame = made("ert", runs, campaign)
    assert frame.attrs["cost"] == SENTENCE
    assert "0.01 s more than it takes" in typeset("ert", frame, campaign).replace("\u00a0", " ")
    assert (frame["ert_s"] == 0.15).all()


def test_perturbation_and_overhead_are_shares_of_the_real_time(runs, campaign):
    delay = made("perturbation", runs, campaign).filter(like="delay_share").to_numpy(float)
    np.testing.assert_allclose(delay, 0.5)
    overhead = made("overhead", runs, campaign)
    np.testing.assert_allclose(overhead["s_per_evaluation"], 0.2 / 100)


def test_cpu_time_has_no_simulated_cost(runs):
    with pytest.raises(InputError, match="with a simulated cost, 'wall'"):
        runs.timed_by("cpu")
    with pytest.raises(InputError, match=r"with budget\.evaluation_cost_s write 'wall'"):
        configuration.parse(CAMPAIGN | {"statistics": {"time": "cpu"}})


def test_the_checklist_states_it(runs, campaign):
    rows = made("checklist", runs, campaign)
    said = rows.to_csv()
    assert "each evaluation counts 0.01 s more than it takes" in said
