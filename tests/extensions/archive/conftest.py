"""A small campaign that was really measured and analysed, and an archive of it."""

import shutil
import zipfile
from pathlib import Path

import pytest
from archived import WORDS, command, measured

SOLVER = """
def search(objective, rng):
    while True:
        objective(rng.uniform(objective.lower, objective.upper))
"""
CAMPAIGN = {
    "name": "small",
    "problems": {"suite": "bbob", "functions": 1, "dimensions": 2, "instances": "1-2"},
    "algorithms": {"a": "timefair:random-search", "own": "solver.py:search"},
    "budget": {"evaluations": 60}, "runs": 2, "instances_per_job": 2, "tables": ["runs", "ert"],
    "figures": {"names": ["ert_evaluations"], "formats": ["svg"]}, "statistics": {"resamples": 20},
}  # fmt: skip


@pytest.fixture(scope="session")
def campaign(tmp_path_factory):
    """``results/small`` of a campaign with an algorithm of the user's own; do not change it."""
    folder = tmp_path_factory.mktemp("campaign")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        (folder / "solver.py").write_text(SOLVER)
        return measured(folder, CAMPAIGN)


@pytest.fixture
def results(campaign, tmp_path, monkeypatch):
    """A copy of the campaign, beside its solver; the working directory is that of the solver."""
    top = tmp_path / "study"
    shutil.copytree(campaign.parents[1], top)
    monkeypatch.chdir(top)
    return top / "results/small"


@pytest.fixture(scope="session")
def exported(campaign, tmp_path_factory):
    """The unpacked archive of the campaign; do not change it."""
    folder = tmp_path_factory.mktemp("exported")
    output = folder / "crate.zip"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(campaign.parents[1])
        assert command("export", "crate", campaign, "--output", output, *WORDS) == 0
    zipfile.ZipFile(output).extractall(folder / "crate")
    return folder / "crate"


@pytest.fixture
def crate(exported, tmp_path, monkeypatch):
    """A copy of the archive, seen from an empty folder."""
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    return Path(shutil.copytree(exported, tmp_path / "crate"))


@pytest.fixture
def verify(capsys):
    """A function: the status and the lines of ``timefair verify``."""

    def run(*words: object) -> tuple[int, list[str]]:
        capsys.readouterr()
        status = command("verify", *words)
        printed = capsys.readouterr()
        return status, (printed.out + printed.err).splitlines()

    return run


@pytest.fixture
def flip():
    """A function: changes one bit of the byte at a position of a file."""

    def change(path: Path, position: int) -> None:
        content = bytearray(path.read_bytes())
        content[position] ^= 1
        path.write_bytes(content)

    return change
