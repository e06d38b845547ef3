"""The analysis in forks, and runs that do not belong to the campaign."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from timefair import cli
from timefair.campaign import configuration, plan

MAKE = "make-tables a.parquet --campaign campaign.json --output ."


@pytest.fixture
def study(tmp_path: Path, row, write) -> Path:
    """A campaign's folder with collected runs."""
    (tmp_path / "c.yaml").write_text(
        """
name: trial
problems: {suite: bbob, functions: 1, dimensions: 2, instances: 1}
algorithms: {a: timefair:random-search}
budget: {evaluations: 4}
tables: [ert_by_instance, quantiles]
figures: {names: [ert_evaluations], formats: [pdf, svg, png]}
"""
    )
    plan.write_snapshot(configuration.load(tmp_path / "c.yaml"), tmp_path)
    write(tmp_path / "a.parquet", row(0), row(1))
    return tmp_path


@pytest.mark.slow
def test_reading_the_runs_starts_no_thread(study: Path) -> None:
    """Because a thread does not survive a fork."""
    code = (
        "from pathlib import Path; from timefair.campaign import configuration;"
        "from timefair.cli import analysing; from timefair.cli.common import one_thread;"
        "one_thread(); campaign = configuration.restore(Path('campaign.json'));"
        "from timefair.basics import threads; noted = threads.noted(); noted.__enter__();"
        "analysing.load(campaign, [Path('a.parquet')]); noted.__exit__(None, None, None);"
        "assert not threads.lost(), threads.lost()"
    )
    subprocess.run([sys.executable, "-c", code], cwd=study, check=True)


@pytest.mark.slow
def test_runs_of_records_that_are_not_planned_are_refused(
    study: Path, row, write, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Snakemake collects them again only where it knows that the plan has changed."""
    monkeypatch.chdir(study)
    campaign = configuration.restore(study / "campaign.json")
    old, new = ({("a", 1): digit * 64} for digit in "01")
    plan.write_keys(new, study)
    for keys, status in ((old, 2), (new, 0)):
        records = plan.records_by("algorithm", campaign, keys, Path())["a"]
        facts = {"algorithm": "a", "records": [{"path": path, "checksum": ""} for path in records]}
        write(study / "a.parquet", row(0), row(1), **facts)
        assert cli.main(MAKE.split()) == status
        assert ("a.parquet: has runs of another" in capsys.readouterr().err) == (status == 2)
        assert (study / "tables/ert_by_instance.csv").exists() == (status == 0)
