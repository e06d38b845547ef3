"""Recorded runs of timefair beside measured ones, in seconds of this machine."""

import numpy as np
import pandas as pd
import pytest

from timefair.exhibits.registry import TABLES
from timefair.io.importing import WantedProblems, import_data
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

WANTED = WantedProblems("bbob", [1], [2], [1])
TARGET, REACHED_S = 1.03, 0.25  # after 2.5 evaluations on average, in `fixtures_of_runs`
KERNELS = {"implementation": "compiled"} | {
    name: [1e-3, 1e-3] for name in ("arithmetic", "memory", "interpreter")
}
TWICE = KERNELS | {name: [2e-3, 2e-3] for name in ("arithmetic", "memory", "interpreter")}
MACHINE = {"cpu": "Z80", "cores": 2, "memory_mb": 15_922.4}


def _collected(facts, timed):
    """The facts of a file that joins 16 records."""
    named = {name: [value] for name, value in facts.items()}
    return {"collected": named | ({"kernels": [timed] * 16} if timed else {})}


@pytest.fixture
def both(tmp_path, write, row):
    """Runs of `ours`, and of `theirs` on a machine that is half as fast."""

    def read(here=KERNELS, there=TWICE, budget=None, runs=2, **changes):
        facts = {
            "machine": MACHINE,
            "campaign": {"budget": {"final_target": None} | (budget or {})},
        }
        ours, theirs = (
            [row(k % 2, algorithm=label) | {"run": k} | of for k in range(runs)]
            for label, of in (("ours", {}), ("theirs", {"cpu_s": 0.5, **changes}))
        )
        of = _collected(facts, there)
        write(tmp_path / "there" / "collected" / "theirs.parquet", *theirs, **of)
        write(tmp_path / "ours.parquet", *ours, **_collected(facts, here))
        output = tmp_path / "theirs.parquet"
        found = import_data(
            tmp_path / "there", "timefair", output, algorithm="theirs", label="theirs",
            wanted=WANTED,
        )  # fmt: skip
        return Runs.read([tmp_path / "ours.parquet", output]), found

    return read


def ert_of(runs, label="theirs", **settings):
    table = TABLES["ert"](runs, Analysis(targets=(TARGET,), **settings))
    return table[table["algorithm"] == label].iloc[0], table.attrs["published"]


def test_seconds_are_those_of_this_machine_and_the_limits_have_the_bridge(both):
    runs, _ = both()
    (ours, _), (theirs, said) = ert_of(runs, "ours"), ert_of(runs)
    assert ours["ert_s"] == pytest.approx(REACHED_S)
    assert theirs["ert_s"] == pytest.approx(REACHED_S / 2)
    assert theirs["ert_evaluations"] == ours["ert_evaluations"]
    ratio = theirs["ert_s_high"] / ours["ert_s_high"]
    assert ratio > 0.51  # the limit, and not only the ERT, has the uncertainty of the kernels
    assert said.startswith("Seconds of theirs are those of another machine (Z80 with 2 cores")
    assert "times 0.5 [0.47, 0.53], the ratio of the reference kernels (arithmetic)" in said
    assert runs.frame["algorithm"].unique().tolist() == ["ours"]  # no other result has them


def test_simulated_cost_is_the_same_on_every_machine(both):
    runs, _ = both(evaluation_cost_s=0.08, charged_s=0.24)
    assert ert_of(runs)[0]["ert_s"] == pytest.approx(0.2 + (REACHED_S - 0.2) / 2)


def test_on_the_cpu_clock_seconds_are_cpu_seconds(both):
    runs, _ = both()
    runs.frame["cpu_s"] = 1.0
    assert ert_of(runs, time="cpu")[0]["ert_s"] == pytest.approx(REACHED_S * 0.5 / 2)


@pytest.mark.parametrize(
    ("changes", "caution"),
    [
        ({"here": None}, "no reference kernels were timed here"),
        ({"there": None}, "Published data, which have no times: theirs."),
        ({"budget": {"cpu_s": 1.0}}, "they are of another clock"),
    ],
)
def test_without_a_bridge_there_are_no_seconds(both, changes, caution):
    runs, found = both(**changes)
    row, said = ert_of(runs)
    assert np.isnan(row["ert_s"])
    assert row["ert_evaluations"] == 2.5
    assert caution in said
    assert any("no reference kernels" in one for one in found.cautions) == ("there" in changes)


def test_a_verdict_that_the_bridge_could_change_is_none(both):
    settings = Analysis(targets=(TARGET,))

    def better(kernels):
        runs, _ = both(there=kernels, runs=40)
        table = TABLES["comparison"](runs, settings)
        row = table[(table["measure"] == "seconds") & (table["criterion"] == "ERT")].iloc[-1]
        return row["better"]

    slightly = KERNELS | {name: [1.02e-3, 1.02e-3] for name in TWICE if name != "implementation"}
    assert better(TWICE) == "theirs"
    assert pd.isna(better(slightly))
