"""The pages of studies: their numbers, tables and pictures are those of their archives."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from archived import WORDS, command, measured

import make_study
from study import blocks, findings, page, pictures, results, tables, words
from timefair.archive import inspection
from timefair.basics.errors import InputError
from timefair.campaign import configuration
from timefair.cli.common import measuring_environment
from timefair.records.integrity import RUN_KEY
from timefair.records.store import open_record

ROOT = Path(__file__).parents[2]
TEMPLATE = page.TEMPLATE.read_text(encoding="utf-8")
ARCHIVE = page.FOLDER / results.ARCHIVE
MOST_BYTES = 30_000_000
REPLAYED = 2
SMALL = {
    "name": "small-study",
    "problems": {"suite": "bbob", "functions": [1, 8], "dimensions": [5, 20], "instances": 1},
    "algorithms": {
        "DE": "timefair:DE",
        "L-BFGS-B": "scipy:L-BFGS-B",
        "random": "timefair:random-search",
    },
    "budget": {"time_s": 2, "evaluations": 20_000, "final_target": 1e-8},  # 2 s: no run needs it
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
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
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
def made(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the page of the small campaign."""
    folder = tmp_path_factory.mktemp("page")
    make_study.main([str(small), "--output", str(folder)])
    return folder


# --- The page -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "asked",
    ["restart_what_if", "cost_crossovers", "cost_winners", "overhead", "perturbation", "drift"],
)
def test_the_campaign_makes_the_tables_of_the_page(asked: str) -> None:
    campaign = configuration.load(ROOT / f"config/studies/{results.NAME}.yaml")
    assert asked in campaign.made_tables
    assert {f"d{dimension}" for dimension in campaign.problems.dimensions} == {
        name.partition(".")[0] for name in page.names(TEMPLATE) if re.match(r"d\d+\.", name)
    }


def test_the_prose_quotes_results_by_their_names() -> None:
    text = re.sub(r"\{\{.*?\}\}|`[^`]*`|\]\([^)]*\)|```.*?```", "", TEMPLATE, flags=re.S)
    assert re.findall(r"\d+[.,]\d+|\d+ %|\d{3,}", text) == []


@pytest.mark.slow
def test_the_page_shows_every_table_and_picture(made: Path) -> None:
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


@pytest.mark.slow
def test_numbers_are_those_of_the_runs(made: Path, small: Path) -> None:
    values = results.read(made)["values"]
    with inspection.opened(small, pytest.fail) as folder:
        collected = sorted(inspection.results_of(folder).glob("collected/*.parquet"))
        runs = [row for path in collected for row in open_record(path).read().to_pylist()]
    assert values["runs"] == str(len(runs)) == "24"
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


@pytest.mark.slow
def test_the_same_archive_makes_the_same_results(
    made: Path, small: Path, tmp_path: Path, monkeypatch
) -> None:
    """And the same pictures, of which two are drawn again: all of them take four seconds."""
    monkeypatch.setattr(pictures, "SHOWN", pictures.SHOWN[:1])
    results.write(small, tmp_path)
    again = sorted((tmp_path / results.NAME).iterdir())
    assert len(again) == 3
    for path in again:
        assert (made / results.NAME / path.name).read_bytes() == path.read_bytes(), path.name


@pytest.mark.slow
def test_a_changed_archive_makes_no_page(small: Path, tmp_path: Path, capsys) -> None:
    changed = tmp_path / "changed"
    with zipfile.ZipFile(small) as archive:
        archive.extractall(changed)
    (changed / "README.md").write_text("other")
    assert make_study.main([str(changed), "--output", str(tmp_path)]) == 2
    assert "README.md: not as archived" in capsys.readouterr().err
    assert not (tmp_path / page.PAGE).exists()


def test_a_name_that_no_result_has() -> None:
    with pytest.raises(InputError, match=r"\{\{speed\}\}: is not in bbob-2026/results.json"):
        page.made("{{speed}} and {{runs}}", {"archive": "", "values": {"runs": "3"}})


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.01234, 2, "0.012"), (1303.2, 3, "1,303"), (-1.55, 2, "−1.6"), (float("nan"), 2, "–"),
        (float("inf"), 2, "∞"), (0.0, 2, "0"), (99.96, 3, "100"), (0.9996, 3, "1.00"),
    ],
)  # fmt: skip
def test_numbers_in_words(value: float, digits: int, text: str) -> None:
    assert words.number(value, digits) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 s"), (4e-5, "40 µs"), (4e-8, "0.040 µs"), (0.0025, "2.5 ms"), (2.5, "2.5 s"),
        (119.0, "119 s"), (310.0, "5.2 min"), (7200.0, "2.0 h"), (float("inf"), "∞"),
    ],
)  # fmt: skip
def test_durations_in_words(seconds: float, text: str) -> None:
    assert words.duration(seconds) == text


# --- Tables whose rows depend on the results ----------------------------------------------------


class Tables(dict[str, pd.DataFrame]):
    """Tables by name, in place of a study."""

    def table(self, name: str) -> pd.DataFrame:
        return self[name]


def inverted(function: str, target: float, p: float, *, significant: bool) -> dict[str, object]:
    """A row of `rank_reversals`: B is better by evaluations, A by time."""
    return {
        "dimension": 5, "function": function, "target": target, "p_adjusted": p,
        "algorithm_a": "A", "algorithm_b": "B",
        "winner_by_evaluations": "B", "winner_by_time": "A", "evaluations": 433.0,
        "by_evaluations_a": 3.0, "by_evaluations_b": 20.0, "by_time_a": 22.0, "by_time_b": 1.0,
        "significant": significant,
    }  # fmt: skip


def crossing(function: int, target: float, at_s: float, first: str = "A") -> dict[str, object]:
    """A row of `cost_crossovers`: `first` is better at low costs."""
    other = "B" if first == "A" else "A"
    return {
        "dimension": 5, "function": function, "target": target,
        "algorithm_a": "A", "algorithm_b": "B", "better_below": first, "better_above": other,
        "turns_at_s": at_s,
    }  # fmt: skip


INVERTED = Tables(
    rank_reversals=pd.DataFrame(
        [
            inverted("all", np.nan, 0.01, significant=True),
            inverted("all", np.nan, 0.2, significant=False),
            inverted("2", np.nan, 0.02, significant=True),
            inverted("1", 0.1, 0.001, significant=True),
        ]
    ),
    cost_crossovers=pd.DataFrame(
        [
            crossing(1, 0.1, 0.001), crossing(1, 0.01, 0.003), crossing(2, 0.1, 0.005),
            crossing(2, 0.01, 8.0, first="B"),
        ]
    ),
)  # fmt: skip


def test_a_rank_reversal_over_all_functions_has_its_crossover_cost() -> None:
    *_, row = blocks.rank_reversals_over_all(INVERTED, 5).splitlines()
    assert row == "| B | A | 433 | 20 : 3 | 1 : 22 | 0.010 | 3.0 ms [2.0 ms, 4.0 ms] | 3 |"


@pytest.mark.parametrize(
    ("tied", "text"),
    [
        ("", ""), ("A", "A"), ("A, B, C", "A, B, C"), ("A, B, C, D", "4 optimizers"),
        ("A, B, C, D, E, F, G and 14 more", "21 optimizers"),
    ],
)  # fmt: skip
def test_many_tied_optimizers_are_counted(tied: str, text: str) -> None:
    assert findings.Leader(1.0, "Z", 0.5, tied).tied_in_short == text


def test_the_speed_of_the_machine_over_the_campaign() -> None:
    started = pd.Timestamp("2026-11-23", tz="UTC") + pd.to_timedelta(np.arange(100), unit="s")
    slow = np.where(np.arange(100) < 90, 1.0, 1.2)
    core = np.arange(100) % 2
    frame = pd.DataFrame(
        {"core": core, "started_utc": started, "reference_before_s": slow * (1 + core)}
    )
    found = findings.speeds(frame)
    assert list(found.index) == list(range(10))
    assert found.to_numpy() == pytest.approx([1.0] * 9 + [1.2])


# --- What comes with the repository -------------------------------------------------------------


def test_there_is_a_page_if_and_only_if_there_are_results() -> None:
    there = (page.FOLDER / results.FILE).exists()
    assert (page.FOLDER / page.PAGE).exists() == there
    assert any(page.FOLDER.rglob("*.png")) == there


@published
def test_the_page_is_the_prose_with_the_results() -> None:
    found = results.read(page.FOLDER)
    text = (page.FOLDER / page.PAGE).read_text(encoding="utf-8")
    assert text == page.made(TEMPLATE, found), "run python docs/studies/make_study.py"
    assert "<!-- write:" not in text
    drawn = {path.stem: pictures.origin(path) for path in page.FOLDER.rglob("*.png")}
    assert drawn == dict.fromkeys(pictures.NAMES, found["archive"])


@published
@pytest.mark.parametrize("dimension", [5, 20])
def test_what_the_prose_says_without_a_number(dimension: int) -> None:
    values = {
        key: results.read(page.FOLDER)["values"][f"d{dimension}.{key}"]
        for key in (
            "first_by_time", "rank_reversals.functions.significant", "restarts.gain",
            "restarts.not_judged",
        )
    }  # fmt: skip
    assert values == {
        "first_by_time": "modcma-BIPOP",
        "rank_reversals.functions.significant": "0",
        "restarts.gain": "0",
        "restarts.not_judged": "0",
    }


@pytest.mark.thorough
@shipped
@pytest.mark.slow
def test_the_results_are_those_of_the_archive() -> None:
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
    with inspection.opened(archive, pytest.fail) as folder:
        records = sorted(inspection.results_of(folder).rglob("records/**/*.parquet"))
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


@pytest.mark.slow
def test_runs_of_a_compact_archive_can_be_replayed(small: Path) -> None:
    printed = replayed(small)
    assert len(printed) == REPLAYED
    assert all(re.search("identical(,| as far as)", text) for text in printed), printed


@shipped
@pytest.mark.slow
def test_runs_of_the_study_can_be_replayed() -> None:
    assert replayed(ARCHIVE)
