"""What the analysis of a campaign makes, and with what it is made again."""

import contextlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from campaigns import SMALL
from rows_to_write import a_run, table

from timefair import analysis, cli
from timefair.campaign import configuration, plan, provenance
from timefair.records.store import write_record

CAMPAIGN = """
name: trial
problems: {suite: bbob, functions: 1, dimensions: 2, instances: 1}
algorithms: {A: timefair:random-search}
budget: {evaluations: 4}
targets: [1.0]
tables: [ert, ert_by_instance]
figures: {names: [ert_evaluations], formats: [svg]}
"""
CONTENT = SMALL | {"targets": [1.0], "tables": ["ert", "quantiles"], "figures": ["ert"]}
RECORDS = {"A": ["records/A/0/f1.parquet"]}
RUNS = table(*(a_run((1, 0.1, 8.0), (3, 0.2, 0.5), run=run) for run in range(3)))


def analysed(study: Path, campaign: str = CAMPAIGN, cores: int = 1) -> set[str]:
    (study / "c.yaml").write_text(campaign)
    plan.write_snapshot(configuration.load(study / "c.yaml"), study)
    words = ["make-tables", str(study / "A.parquet"), "--campaign", str(study / "campaign.json")]
    assert cli.main([*words, "--output", str(study), "--cores", str(cores)]) == 0
    files = [path for place in ("tables", "figures") for path in (study / place).iterdir()]
    return {str(path.relative_to(study)) for path in files}


@pytest.fixture
def study(tmp_path):
    write_record(tmp_path / "A.parquet", RUNS.to_batches(), {})
    return tmp_path


def test_all_files_are_made_that_snakemake_waits_for(study):
    made = analysed(study)
    campaign = configuration.restore(study / "campaign.json")
    assert {f"results/{name}" for name in made} == {*analysis.outputs(campaign, "results").values()}
    assert {"tables/ert.tex", "tables/checklist.csv", "figures/ert_evaluations.svg"} <= made
    assert "tables/checklist.tex" not in made  # it is made for the report only


@pytest.mark.slow
def test_forks_make_the_same_bytes(study):
    files = analysed(study)
    alone = {name: (study / name).read_bytes() for name in files}
    for name in files:
        (study / name).unlink()
    assert analysed(study, cores=2) == files
    assert {name: (study / name).read_bytes() for name in files} == alone


@pytest.mark.slow
def test_pages_that_a_smaller_campaign_has_not_are_removed(study):
    larger = "problems: {suite: bbob, functions: 1-24, dimensions: [2, 3], instances: 1}\n"
    smaller = "problems: {suite: bbob, functions: 1, dimensions: 2, instances: 1}\n"
    pages = {f"figures/ert_evaluations_D{dimension}.svg" for dimension in (2, 3)}
    runs = [a_run((1, 0.1, 8.0), (3, 0.2, 0.5), dimension=dimension) for dimension in (2, 3)]
    write_record(study / "A.parquet", table(*runs).to_batches(), {})
    assert smaller in CAMPAIGN
    assert pages <= analysed(study, CAMPAIGN.replace(smaller, larger))
    mine = study / "figures" / "ert_evaluations_mine.svg"
    mine.write_text("a drawing of the user's")
    left = analysed(study)
    assert not pages & left
    assert {"figures/ert_evaluations.svg", "figures/ert_evaluations_mine.svg"} <= left


def test_the_mark_of_an_earlier_analysis_is_removed(study):
    mark = study / analysis.MADE / "key.done"
    mark.parent.mkdir()
    mark.touch()
    analysed(study)
    assert not mark.exists()
    assert set(pd.read_csv(study / "tables/ert.csv")["target"]) == {1.0}


def key(records: Any = RECORDS, added: dict[str, Any] | None = None, **changed: Any) -> str:
    campaign = configuration.parse(CONTENT | changed)
    return provenance.analysis_key(campaign, added or {}, records)


@pytest.mark.parametrize(
    "changed",
    [
        {"targets": [0.5]},
        {"statistics": {"confidence": 0.9}},
        {"budget": {"evaluations": 4, "final_target": 1e-3}},
        {"added": {"registered": {"question": "another"}}},
        {"records": {"A": ["records/A/1/f1.parquet"]}},
        {"tables": ["ert"]},
    ],
)
def test_any_setting_and_other_records_make_everything_again(changed):
    assert key(**changed) != key() == key()


@pytest.mark.parametrize(
    "file", ["exhibits/charts/dots.py", "report/page.py", "exhibits/latex/__init__.py"]
)
def test_other_code_makes_everything_again(file, monkeypatch):
    before, code = key(), provenance._code
    edited = next(path for path in provenance.PACKAGE.rglob("*.py") if str(path).endswith(file))
    monkeypatch.setattr(provenance, "_code", lambda p: "edited" if p == edited else code(p))
    assert key() != before


@pytest.mark.slow
def test_reading_the_runs_starts_no_thread(study):
    """Because a thread does not survive a fork."""
    analysed(study)
    code = (
        "from pathlib import Path; from timefair.campaign import configuration;"
        "from timefair.cli import analysing; from timefair.cli.arguments import one_thread;"
        "one_thread(); campaign = configuration.restore(Path('campaign.json'));"
        "from timefair.basics import threads; noted = threads.noted(); noted.__enter__();"
        "analysing.load(campaign, [Path('A.parquet')]); noted.__exit__(None, None, None);"
        "assert not threads.lost(), threads.lost()"
    )
    subprocess.run([sys.executable, "-c", code], cwd=study, check=True)


@pytest.mark.slow
def test_runs_of_records_that_are_not_planned_are_refused(study, capsys):
    """Snakemake collects them again only where it knows that the plan has changed."""
    analysed(study)
    campaign = configuration.restore(study / "campaign.json")
    old, new = ({("A", 1): digit * 64} for digit in "01")
    plan.write_keys(new, study)
    for keys, status in ((old, 2), (new, 0)):
        records = plan.records_by("algorithm", campaign, keys, Path())["A"]
        facts = {"records": [{"path": path, "checksum": ""} for path in records]}
        write_record(study / "A.parquet", RUNS.to_batches(), {"algorithm": "A", **facts})
        for path in (study / "tables").iterdir():
            path.unlink()
        words = ["make-tables", "A.parquet", "--campaign", "campaign.json", "--output", "."]
        with contextlib.chdir(study):
            assert cli.main(words) == status
        assert ("A.parquet: has runs of another" in capsys.readouterr().err) == (status == 2)
        assert (study / "tables/ert_by_instance.csv").exists() == (status == 0)
