"""An archive has the whole campaign, says what it is, and is checked by one command."""

import shutil
import subprocess
from pathlib import Path

import pytest
from archived import WORDS

from timefair import cli
from timefair.extensions.archive import files

TABLE = "results/small/tables/ert.csv"


@pytest.fixture(scope="module")
def read_crate():
    """A class of the package rocrate, which takes long to import: a crate from its folder."""
    from rocrate.rocrate import ROCrate

    return ROCrate


def export(results: Path, output: Path, *words: str) -> int:
    return cli.main(["export", "crate", str(results), "--output", str(output), *WORDS, *words])


# --- Contents -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_everything_of_the_campaign_is_in_it(campaign, exported):
    there = {path.relative_to(exported).as_posix() for path in exported.rglob("*")}
    made = [p for p in campaign.rglob("*") if p.is_file() and ".made" not in p.parts]
    names = {f"results/small/{path.relative_to(campaign).as_posix()}" for path in made}
    assert names <= there
    assert {
        "README.md", "own/solver.py",
        "environment/machine-1.json", "environment/requirements-1.txt", files.WORKFLOW,
        "code/workflow/timefair/__init__.py", "ro-crate-metadata.json", files.MANIFEST,
    } <= there  # fmt: skip


@pytest.mark.slow
def test_rocrate_reads_it(read_crate, exported):
    crate = read_crate(exported)
    assert crate.mainEntity.id == files.WORKFLOW
    assert crate.root_dataset["author"].id == "https://orcid.org/0000-0002-1825-0097"
    assert crate.license.id == "https://spdx.org/licenses/CC-BY-4.0"
    (action,) = [entity for entity in crate.get_entities() if entity.type == "CreateAction"]
    assert action["instrument"] is crate.mainEntity
    assert "results/small/tables/" in [made.id for made in action["result"]]
    for entity in crate.data_entities:
        assert (exported / entity.id).exists(), entity.id


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--author", "Jane"], "--author: Jane: should be 'Family, Given', with an ORCID"),
        (["--author", "Doe, J. 0000-0002-1825-0098"], "--author: 0000-0002-1825-0098: is not an"),
        (["--license", "CC BY"], "--license: CC BY: should be an identifier of SPDX, such as"),
        (["--date", "today"], "--date: today: should be a date, such as 2026-11-22"),
        (["--output", "."], "--output: .: exists already; name another"),
        (["--output", "crate"], "--output: crate: should end in .zip"),
    ],
)
def test_wrong_input(words, line, results, tmp_path, capsys):
    assert export(results, tmp_path / "out.zip", *words) == 2
    printed = capsys.readouterr().err
    assert printed.startswith(f"timefair: {line}")
    assert printed.count("\n") == 1


# --- Bytes --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_same_campaign_makes_the_same_bytes(results, tmp_path):
    assert export(results, tmp_path / "one.zip") == 0
    shutil.copytree(results, tmp_path / "later/results/small")
    shutil.copy("solver.py", tmp_path / "later")
    assert export(tmp_path / "later/results/small", tmp_path / "other.zip") == 0
    one, other = ((tmp_path / name).read_bytes() for name in ("one.zip", "other.zip"))
    assert one == other


@pytest.mark.slow
def test_sha256sum_reads_the_manifest(crate):
    words = ["sha256sum", "--check", "--quiet", "--strict", files.MANIFEST]
    assert subprocess.run(words, cwd=crate).returncode == 0
    (crate / TABLE).write_text("")
    done = subprocess.run(words, cwd=crate, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, f"{TABLE}: FAILED\n")


@pytest.mark.slow
def test_a_changed_byte_of_any_file_is_named(crate, flip):
    there = [path for path in crate.rglob("*") if path.is_file() and path.stat().st_size]
    there.remove(crate / files.MANIFEST)
    for k, path in enumerate(there):
        flip(path, 7919 * k % path.stat().st_size)
    named = [line.removesuffix(": not as archived (SHA-256)") for line in files.faults(crate)]
    assert named == sorted(path.relative_to(crate).as_posix() for path in there)


@pytest.mark.slow
def test_a_file_more_and_a_file_less(crate, verify):
    (crate / TABLE).unlink()
    (crate / "more.txt").touch()
    status, lines = verify(crate, "--points-s", 0, "--quiet")
    assert status == 1
    assert f"{crate}: more.txt: not part of the archive" in lines
    assert f"{crate}: {TABLE}: missing" in lines


# --- Records and tables -------------------------------------------------------------------------


@pytest.mark.slow
def test_tables_are_made_again_from_the_archive_alone(crate, campaign, verify):
    status, lines = verify(crate, "--rebuild")
    assert lines[0].endswith("files, every byte is as archived")
    assert "8 of 8 best points evaluate to the recorded value" in lines[1]
    made = len(list((campaign / "tables").iterdir()))
    assert lines[2] == (
        f"{made} files of tables made again in an empty folder: all of them bit-identical"
    )
    assert (status, len(lines)) == (0, 3)


# --- Code ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_code_at_the_commit_of_the_records():
    top = Path(__file__).parents[3]
    first = subprocess.run(
        ["git", "rev-list", "--max-count=2", "HEAD"], cwd=top, capture_output=True, text=True
    ).stdout.split()[-1]
    if not first:
        pytest.skip("no git")
    found = files.workflow_code([first[:9] + "-dirty"])
    assert found.commit == first
    assert found.origin == (
        f"git archive of {first[:12]}, the commit that measured the runs; some files differed from "
        "it when the runs were measured"
    )
    assert files.workflow_code(["0000000"]).origin.endswith("the runs were measured by 0000000")
