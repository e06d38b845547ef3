"""Names that a user gives functions are beside the numbers wherever a person reads them."""

import sys
from pathlib import Path

import pytest
from campaigns import refused
from matplotlib.text import Text

from timefair.basics.errors import InputError
from timefair.campaign import configuration, provenance
from timefair.campaign.plan import write_snapshot
from timefair.exhibits import files, latex
from timefair.exhibits.registry import FIGURES, TABLES
from timefair.problems import names
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

OWN = Path(__file__).parents[3] / "docs/guide/own.md"
GIVEN = {"bbob": {"1": "bowl & co"}}


@pytest.fixture
def costs(tmp_path, monkeypatch):
    """A function: the example of docs/guide/own.md, with other names in its file."""
    blocks = OWN.read_text().split("```")
    python, yaml = (
        next(block.partition("\n")[2] for block in blocks if f"# costs.{ending}" in block)
        for ending in ("py", "yaml")
    )
    monkeypatch.chdir(tmp_path)

    def make(attribute='{1: "pump", 2: "valve"}', **problems):
        example = '{1: "pump", 2: "valve"}'
        assert example in python
        (tmp_path / "costs.py").write_text(python.replace(example, attribute))
        (tmp_path / "costs.yaml").write_text(yaml)
        sys.modules.pop(f"timefair_own:{tmp_path / 'costs.py'}", None)
        given = configuration.read_yaml(tmp_path / "costs.yaml")
        return configuration.parse(given | {"problems": given["problems"] | problems})

    return make


def test_the_example_of_the_documentation_has_its_names(costs, tmp_path):
    campaign = costs()
    assert campaign.problems.names == {1: "pump", 2: "valve"}
    # the jobs of the analysis read the snapshot, and not the user's file
    snapshot = write_snapshot(campaign, tmp_path)
    (tmp_path / "costs.py").unlink()
    restored = configuration.restore(snapshot)
    given = restored.analysis_settings["function_names"]
    assert names.title("costs.py:loss", 1, given) == "f1 pump"
    assert names.title("costs.py:loss", 3, given) == "f3"


def test_names_of_the_campaign_precede_and_measure_nothing_again(costs):
    before = provenance.measure_keys(costs())
    campaign = costs(names={1: "engine"})
    assert campaign.problems.names == {1: "engine"}
    assert provenance.measure_keys(campaign) == before


@pytest.mark.parametrize("wrong", ['["pump"]', "{0: 'pump'}", "{1: ''}", "{1: 'a\\nb'}", "7"])
def test_a_wrong_attribute_is_named(costs, wrong):
    with pytest.raises(
        InputError, match=r"^problems\.suite: the attribute names of costs\.py:loss"
    ):
        costs(wrong)


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ({1: ""}, "problems.names.1: '': should be one line of text"),
        ({0: "pump"}, "problems.names.0: should be the number of a function"),
        ({"one": "pump"}, "problems.names.one: should be the number of a function"),
    ],
)
def test_a_wrong_name_in_the_campaign_is_named(costs, wrong, fault):
    assert refused(costs, names=wrong) == (fault,)


@pytest.mark.slow
def test_figures_and_printed_tables_have_the_names(run, table, tmp_path):
    rows = [
        run([(1, 0.1, 10.0), (5, 0.5, 1e-9)], algorithm=name, function=function, run=k)
        for name in "AB"
        for function in (1, 8)
        for k in range(2)
    ]
    analysis = Analysis(resamples=50, function_names=GIVEN)
    for name in ("ert", "anytime", "quantiles", "restarts"):
        frame = TABLES[name](Runs.of(table(*rows)), analysis)
        files.write(frame, tmp_path / f"{name}.parquet")
        stored = files.read(tmp_path / f"{name}.parquet")
        texts = [text.get_text() for text in FIGURES[name].figure(stored).findobj(Text)]
        for title in ("f1 bowl & co", "f8 Rosenbrock"):
            assert any(text.startswith(title) for text in texts), (name, title)
        exhibit = TABLES[name].exhibit
        printed = latex.typeset(exhibit, stored, exhibit.printed(stored), latex.Setting(analysis))
        assert r"f1 bowl \& co &" in printed
        assert set(stored["function"].astype(str)) <= {"1", "8", "all"}
