"""The pages of studies: their numbers, tables and pictures are those of their archives."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from archived import WORDS, command, measured

import make_study
from study import page, pictures, results, tables, words
from timefair.campaign import configuration
from timefair.cli.common import measuring_environment
from timefair.extensions.archive import files
from timefair.records.integrity import RUN_KEY
from timefair.records.store import open_record

ROOT = Path(__file__).parents[2]
TEMPLATE = page.TEMPLATE.read_text(encoding="utf-8")
ARCHIVE = page.FOLDER / results.ARCHIVE
MOST_BYTES = 30_000_000
REPLAYED = 2
SMALL = {
    "name": "small-study",
    "problems": {"suite": "bbob", "functions": 1, "dimensions": [5, 20], "instances": 1},
    "algorithms": {
        "DE": "timefair:DE",
        "L-BFGS-B": "scipy:L-BFGS-B",
        "random": "timefair:random-search",
    },
    "budget": {"time_s": 2, "evaluations": 5000, "final_target": 1e-8},  # 2 s: no run needs it
    "runs": 2,
    "tables": ["runs"],
    "figures": {"names": ["critical_difference"], "formats": ["svg"]},
    "statistics": {"resamples": 20},
}
"""Of the same shape as the study, with few optimizers, functions and instances."""


def needs(name: str) -> pytest.MarkDecorator:
    """Skip a test while a file of the study is missing."""
    missing = not (page.FOLDER / name).exists()
    return pytest.mark.skipif(missing, reason=f"docs/studies/{name}: the study was not measured")


shipped, published = needs(results.ARCHIVE), needs(results.FILE)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The compact archive of a small campaign with the shape of the study."""
    folder = tmp_path_factory.mktemp("campaign")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIMEFAIR_LOCKS", str(tmp_path_factory.mktemp("locks")))
        patch.chdir(folder)
        campaign = measured(folder, SMALL)
        archive = folder / "small.zip"
        assert command("export", "crate", campaign, "--output", archive, "--compact", *WORDS) == 0
    return archive


@pytest.fixture(scope="module")
def made(small, tmp_path_factory):
    """A folder with the page of the small campaign."""
    folder = tmp_path_factory.mktemp("page")
    make_study.main([str(small), "--output", str(folder)])
    return folder


# --- The page -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "asked", ["restart_what_if", "cost_crossovers", "overhead", "perturbation", "drift"]
)
def test_the_campaign_makes_the_tables_of_the_page(asked):
    pytest.importorskip("modcma")  # an algorithm of the study; it has no version for Python 3.13
    campaign = configuration.load(ROOT / f"config/studies/{results.NAME}.yaml")
    assert asked in campaign.made_tables
    assert {f"d{dimension}" for dimension in campaign.problems.dimensions} == {
        name.partition(".")[0] for name in page.names(TEMPLATE) if re.match(r"d\d+\.", name)
    }


def test_the_prose_quotes_results_by_their_names():
    text = re.sub(r"\{\{.*?\}\}|`[^`]*`|\]\([^)]*\)|```.*?```", "", TEMPLATE, flags=re.S)
    assert re.findall(r"\d+[.,]\d+|\d+ %|\d{3,}", text) == []


@pytest.mark.thorough
@pytest.mark.slow
def test_the_page_shows_every_table_and_picture(made):
    found = results.read(made)
    text = (made / page.PAGE).read_text(encoding="utf-8")
    assert "{{" not in text
    tables = {name for name in found["values"] if name.startswith("table.")}
    assert tables <= page.names(TEMPLATE)
    drawn = {path.stem for path in (made / results.NAME).glob("*.png")}
    assert drawn == set(pictures.NAMES)
    assert set(re.findall(rf"\]\({results.NAME}/(\w+)\.png\)", text)) == drawn
    assert {pictures.origin(path) for path in (made / results.NAME).glob("*.png")} == {
        found["archive"]
    }


@pytest.mark.thorough
@pytest.mark.slow
def test_numbers_are_those_of_the_runs(made, small):
    values = results.read(made)["values"]
    with files.opened(small, pytest.fail) as folder:
        collected = sorted(files.results_of(folder).glob("collected/*.parquet"))
        runs = [row for path in collected for row in open_record(path).read().to_pylist()]
    assert values["runs"] == str(len(runs)) == "12"
    evaluations = {
        name: np.median([row["evaluations"] for row in runs if row["algorithm"] == name])
        for name in SMALL["algorithms"]
    }
    assert values["costly"] == min(evaluations, key=lambda name: evaluations[name])
    perturbed = np.mean([row["perturbation"] == "perturbed" for row in runs])
    assert values["perturbed"] == words.percent(perturbed)
    of_d5 = [r["evaluations"] for r in runs if (r["dimension"], r["algorithm"]) == (5, "DE")]
    (row,) = re.findall(r"^\| DE \|.*$", values["table.optimizers"], flags=re.M)
    assert row.split(" | ")[2] == words.number(float(np.median(of_d5)), 3)


# --- What comes with the repository -------------------------------------------------------------


@pytest.mark.thorough
@shipped
@pytest.mark.slow
def test_the_results_are_those_of_the_archive():
    assert ARCHIVE.stat().st_size <= MOST_BYTES
    with tables.opened(ARCHIVE) as study:
        assert results.of_study(study) == results.read(page.FOLDER)


# --- Replay -------------------------------------------------------------------------------------


def replayed(archive: Path) -> list[str]:
    """What `timefair reproduce` prints of some runs of an archive, one of each of some algorithms.

    The runs are those of the records with all of their improvements. Runs of libraries that are not
    installed are left out. A run that differs is a fault, unless the software or the machine is
    another one than that of the record.
    """
    printed: list[str] = []
    environment = measuring_environment(1)  # in another one, it would start Python again
    with files.opened(archive, pytest.fail) as folder:
        records = sorted(files.results_of(folder).rglob("records/**/*.parquet"))
        order = np.random.default_rng(2026).permutation(len(records))
        for path in (records[k] for k in order):
            row = open_record(path).read(RUN_KEY).slice(0, 1).to_pylist()[0]
            options = [f"--{name}={number}" for name, number in row.items()]
            program = [sys.executable, "-m", "timefair", "reproduce", str(path), *options]
            done = subprocess.run(program, env=environment, capture_output=True, text=True)
            if done.returncode == 2 and "not installed" in done.stderr:
                continue
            assert done.returncode in (0, 1), done.stderr
            elsewhere = re.search(r"^(software|machine) ", done.stdout, flags=re.M)
            assert done.returncode == 0 or elsewhere, done.stdout
            printed.append(done.stdout)
            if len(printed) == REPLAYED:
                return printed
    return printed


@shipped
@pytest.mark.slow
@pytest.mark.thorough
def test_runs_of_the_study_can_be_replayed():
    assert replayed(ARCHIVE)
