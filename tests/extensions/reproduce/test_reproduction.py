"""A sample of a campaign's runs: as many of each algorithm as asked for, replayed and judged."""

import numpy as np
import pytest

from timefair import cli
from timefair.extensions.reproduce.chosen import sample
from timefair.extensions.reproduce.verdict import Finding, replay_all
from timefair.records.collect import collect
from timefair.records.integrity import Place
from timefair.records.store import open_record


@pytest.fixture
def results(record):
    """``results/NAME`` of the record."""
    return record.parents[3]


@pytest.mark.parametrize(("share", "chosen"), [(0.01, 1), (0.5, 2), (0.51, 3), (1.0, 4)])
def test_a_share_is_rounded_up(results, share, chosen):
    (stratum,) = sample(results, share, np.random.default_rng(1))
    assert (stratum.label, stratum.runs, stratum.lost) == ("de", 4, 0)
    assert len(set(stratum.sampled)) == chosen


def test_runs_without_a_result_are_left_out(forged):
    folder = forged(lambda rows, _: rows[0].update(status="killed")).parent / "results"
    (folder / "records").mkdir(parents=True)
    (folder.parent / "forged.parquet").rename(folder / "records/forged.parquet")
    (stratum,) = sample(folder, 1.0, np.random.default_rng(1))
    assert (stratum.runs, stratum.lost, len(stratum.sampled)) == (3, 1, 3)


@pytest.mark.slow
def test_runs_that_repeat_differ_and_cannot_be_measured(results, forged):
    (stratum,) = sample(results, 1.0, np.random.default_rng(1))
    place = stratum.sampled[-1]
    found = [replay_all([place])[0].finding]
    other = forged(lambda rows, _: rows[-1].update(best_f=0.0))
    found.append(replay_all([place._replace(path=other)])[0].finding)
    gone = forged(lambda _, facts: facts["campaign"]["algorithms"]["de"].update(use="no:no"))
    found.append(replay_all([place._replace(path=gone)])[0].finding)
    assert found == [Finding.IDENTICAL, Finding.DIFFERENT, Finding.UNDECIDED]


@pytest.fixture
def grown(measured_record, campaign):
    """``results/NAME`` of a campaign with a collected file, which got f9 after f8 was measured."""
    places = {}
    for function in (8, 9):
        chosen = {"functions": function, "instances": 1}
        path = measured_record(problems=campaign["problems"] | chosen)
        places[path] = Place("de", open_record(path).facts["key"], function, 3, (1,), 1)
    folder = next(iter(places)).parents[3]
    (folder / "collected").mkdir()
    expected = {(function, 3, 1, run) for function in (8, 9) for run in (0, 1)}
    collect("de", places, expected, folder / "collected/de.parquet")
    return folder


@pytest.mark.thorough
@pytest.mark.slow
def test_runs_of_a_campaign_that_grew_are_replayed_from_its_records(grown):
    (stratum,) = sample(grown, 1.0, np.random.default_rng(1))
    assert [place.function for place in stratum.sampled] == [8, 8, 9, 9]
    found = [each.finding for each in replay_all(stratum.sampled[1:3])]
    assert found == [Finding.IDENTICAL, Finding.IDENTICAL]


@pytest.mark.slow
def test_the_command_gives_a_verdict(results, monkeypatch, capfd):
    with monkeypatch.context() as patch:
        patch.setenv("PYTHONHASHSEED", "0")  # the command sets it for its processes
        assert cli.main(["reproduce", str(results), "--share", "25%"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0] == "de: 1 of 4 runs: 1 identical bit for bit"
    assert lines[1] == "1 of 4 runs were replayed: 1 identical bit for bit"
    assert lines[2].startswith("Repeated, in the terms of the ACM, if the team")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--share", "0%"], "--share: 0%: should be above 0 and at most 100%, such as 5%"),
        (["--share", "101%"], "--share: 101%: should be above 0 and at most 100%, such as 5%"),
        (["--share", "half"], "--share: half: should be above 0 and at most 100%, such as 5%"),
        (["--seed", "-1"], "--seed: -1: should be at least 0"),
        (["--run", "0"], "--run: is for a file; {folder} is none"),
        ([], "{folder}: contains no records; name results/NAME"),
    ],
)
def test_wrong_input(tmp_path, arguments, line, capsys):
    assert cli.main(["reproduce", str(tmp_path), *arguments]) == 2
    assert capsys.readouterr().err == f"timefair: {line.format(folder=tmp_path)}\n"
