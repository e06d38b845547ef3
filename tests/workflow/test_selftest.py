"""The self-test as a user starts it, with few repetitions, and what it refuses."""

import pytest

from timefair import cli
from timefair.extensions.selftest import commands


@pytest.mark.slow
def test_a_run_goes_through_the_whole_chain(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(commands, "QUICK", 1)
    monkeypatch.setattr("timefair.extensions.selftest.laws.RUNS", 4)
    words = ["selftest", "--quick", "--cores", "1", "--results", str(tmp_path)]
    status = cli.main(words)
    printed = capsys.readouterr().out
    # A busy machine may be found too imprecise, but no run may have other events than were drawn.
    assert status in (0, 1)
    assert "was drawn" not in printed
    assert all(column in printed for column in ("ert_s", "ert_evaluations", "success_rate"))


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--cores", "0"], "timefair: --cores: 0: should be 1 to "),
        (["--seed", "-1"], "timefair: --seed: -1: should be at least 0"),
    ],
)
def test_wrong_words(words, line, capsys):
    assert cli.main(["selftest", *words]) == 2
    assert capsys.readouterr().err.startswith(line)
