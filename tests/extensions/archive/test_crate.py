"""An archive has the whole campaign, says what it is, and is checked by one command."""

import shutil
import subprocess
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from archived import WORDS, command, measured
from campaigns import SMALL, SPHERE, refused

from timefair import cli
from timefair.basics.errors import InputError
from timefair.campaign import configuration, plan, provenance
from timefair.extensions.archive import files
from timefair.extensions.archive.crate import RESOLUTION, _not_by_targets, thinned
from timefair.extensions.archive.files import Member, _names, campaign_files, opened, own_code
from timefair.extensions.environments import interpreters
from timefair.records.schema import EVENT
from timefair.records.store import open_record

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
    def run(*words: object) -> tuple[int, list[str]]:
        capsys.readouterr()
        status = command("verify", *words)
        printed = capsys.readouterr()
        return status, (printed.out + printed.err).splitlines()

    return run


@pytest.fixture
def flip():
    def change(path: Path, position: int) -> None:
        content = bytearray(path.read_bytes())
        content[position] ^= 1
        path.write_bytes(content)

    return change


TABLE = "results/small/tables/ert.csv"


@pytest.fixture(scope="module")
def read_crate():
    """A class of the package rocrate, which takes long to import: a crate from its folder."""
    from rocrate.rocrate import ROCrate

    return ROCrate


def export(results: Path, output: Path, *words: str) -> int:
    return cli.main(["export", "crate", str(results), "--output", str(output), *WORDS, *words])


@pytest.mark.slow
def test_everything_of_the_campaign_is_in_it_and_rocrate_reads_it(campaign, exported, read_crate):
    there = {path.relative_to(exported).as_posix() for path in exported.rglob("*")}
    made = [p for p in campaign.rglob("*") if p.is_file() and ".made" not in p.parts]
    names = {f"results/small/{path.relative_to(campaign).as_posix()}" for path in made}
    assert names <= there
    assert {
        "README.md", "own/solver.py",
        "environment/machine-1.json", "environment/requirements-1.txt", files.WORKFLOW,
        "code/workflow/timefair/__init__.py", "ro-crate-metadata.json", files.MANIFEST,
    } <= there  # fmt: skip
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


OF_ROUNDS = SMALL | {"problems": SPHERE | {"functions": "1-2"}, "runs": 24, "rounds": 3}
TUNE = {
    "space": {"F": {"float": [0.3, 0.9]}},
    "tuner": "random",
    "budget_s": 9,
    "on": {"functions": 1, "dimensions": 2, "instances": "51-52"},
}
WRAPPER = """
import mylib


def solve(objective, rng):
    mylib.search(objective, rng)
"""
LIBRARY = "def search(objective, rng, version={}):\n    objective(objective.lower)\n"


def test_the_search_of_a_tuned_variant_has_to_be_there(tmp_path):
    algorithms = {"a": {"use": "timefair:DE", "tune": TUNE}}
    campaign = configuration.parse(OF_ROUNDS | {"algorithms": algorithms})
    keys = provenance.measure_keys(campaign)
    plan.write_keys(keys, tmp_path)
    search = str(plan.tuning_record("a-tuned", keys))
    for name in {*_names(tmp_path, campaign)} - {search}:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (line,) = refused(campaign_files, tmp_path, campaign, "r")
    assert f"{search}: missing" in line


@pytest.fixture
def versions(tmp_path, monkeypatch):
    """Two versions of a library, each found through `path`, behind one wrapper."""
    monkeypatch.chdir(tmp_path)
    interpreters._answer.cache_clear()
    (tmp_path / "wrapper.py").write_text(WRAPPER)
    for number, label in enumerate(("baseline", "candidate")):
        (tmp_path / "checkouts" / label).mkdir(parents=True)
        (tmp_path / "checkouts" / label / "mylib.py").write_text(LIBRARY.format(number))
    algorithms = {
        label: {"use": "wrapper.py:solve", "path": f"checkouts/{label}"}
        for label in ("baseline", "candidate")
    }
    return configuration.parse(OF_ROUNDS | {"algorithms": algorithms})


def test_the_files_of_each_version_are_in_the_archive(versions, tmp_path):
    found = {
        member.path: b"".join(member.chunks()).decode() for member in own_code(versions, tmp_path)
    }
    assert found == {
        "own/wrapper.py": WRAPPER,
        "own/baseline/mylib.py": LIBRARY.format(0),
        "own/candidate/mylib.py": LIBRARY.format(1),
    }


@pytest.mark.slow
def test_a_version_that_is_not_there_is_one_line(versions, tmp_path):
    (tmp_path / "checkouts/candidate").rename(tmp_path / "checkouts/moved")
    interpreters._answer.cache_clear()
    (line,) = refused(own_code, versions, tmp_path)
    assert line.startswith(
        "algorithms.candidate.path: 'checkouts/candidate': there is no such folder"
    )


@pytest.fixture
def small_zip(tmp_path):
    members = [Member("a.txt", b"first file\n" * 9), Member("b/c.txt", b"second\n")]
    files.write_zip(members, tmp_path / "small.zip")
    return tmp_path / "small.zip"


def faults_of_zip(path: Path) -> list[str]:
    lines: list[str] = []
    try:
        with opened(path, lines.append):
            pass
    except InputError as error:
        lines += error.faults
    return lines


def test_a_changed_byte_of_a_file_in_a_zip(small_zip, flip):
    assert faults_of_zip(small_zip) == []
    flip(small_zip, small_zip.read_bytes().index(b"second"))
    (unread, missing) = faults_of_zip(small_zip)
    assert "b/c.txt: cannot be read from the zip" in unread
    assert missing.endswith("b/c.txt: not as archived (SHA-256)")


PROBLEM = ("bbob", 1, 2)
TARGETS = [1e1, 1e-1, 1e-8]


def runs_with(events: list, launch_events: list | None = None) -> pa.Table:
    """One run with improvements (launch, evaluations, precision); 1 µs for an evaluation."""

    def column(found: list | None) -> pa.Array:
        rows = [
            {"launch": launch, "evaluations": n, "time_s": 1e-6 * n, "precision": precision}
            for launch, n, precision in found or []
        ]
        return pa.array([None if found is None else rows], pa.list_(EVENT))

    named = dict(zip(("suite", "function", "dimension"), ([name] for name in PROBLEM), strict=True))
    return pa.table({**named, "launch_events": column(launch_events), "events": column(events)})


def kept(events: list, launch_events: list | None = None, equal=()) -> tuple[list, list | None]:
    runs = thinned(runs_with(events, launch_events), TARGETS, {PROBLEM: np.array(equal, dtype=int)})
    found = (runs[name][0].as_py() for name in ("events", "launch_events"))
    own, other = ([e["evaluations"] for e in f] if f is not None else None for f in found)
    assert own is not None
    return own, other


def test_improvements_for_targets_comparisons_and_launches_are_kept():
    precision = np.geomspace(1e3, 1e-9, 20_000)
    own, _ = kept([(0, k + 1, value) for k, value in enumerate(precision)])
    for target in TARGETS:
        assert int(np.argmax(precision <= target)) + 1 in own
    assert {1, precision.size} <= set(own)
    assert len(own) < 300
    events = [(0, 2 * k + 1, 1.0 / (k + 1)) for k in range(10_000)]
    without, _ = kept(events)
    own, _ = kept(events, equal=[12_346])
    assert sorted({*own} - {*without}) == [12_345]
    events = [(0, k, 0.6 - 1e-6 * k) for k in range(1, 10_001)] + [(1, 10_003, 0.01)]
    later = [(1, 10_004, 0.005), (1, 10_005, 0.004), (1, 10_006, 0.003)]
    own, other = kept([*events, *later], [(1, 10_001, 30.0), (1, 10_002, 20.0)])
    assert 10_003 in own
    assert other == []  # neither reaches a target, nor is the last of its launch
    assert 10_006 in own


@pytest.mark.parametrize(
    ("changed", "clause"),
    [
        ({}, ""),
        ({"f_opt": None}, "the optima of some problems are unknown"),
        ({"vectors": [[]]}, "its problems have several objectives or constraints, or change"),
        ({"noise_free_f": 1.0, "vectors": [[]]}, "its runs are noisy"),
    ],
)
def test_runs_whose_tables_do_not_depend_on_targets(changed, clause):
    row = {"f_opt": 1.0, "vectors": None, "noise_free_f": None} | changed
    types = {"f_opt": pa.float64(), "vectors": pa.list_(pa.list_(pa.float64()))}
    columns = {
        name: pa.array([value], types.get(name, pa.float64())) for name, value in row.items()
    }
    assert _not_by_targets(pa.table(columns)) == clause


@pytest.mark.slow
def test_the_archive(campaign, tmp_path, verify, monkeypatch):
    monkeypatch.chdir(campaign.parents[1])
    output, packed = tmp_path / "compact", tmp_path / "compact.zip"
    assert command("export", "crate", campaign, "--output", packed, "--compact", *WORDS) == 0
    zipfile.ZipFile(packed).extractall(output)
    monkeypatch.chdir(tmp_path)
    there = {path.relative_to(output).as_posix() for path in output.rglob("*") if path.is_file()}
    assert not any(path.startswith("code/tests/") for path in there)
    results = output / "results" / campaign.name
    assert sorted(path.name for path in results.iterdir()) == [
        "campaign.json", "collected", "keys.json", "records",
    ]  # fmt: skip
    assert len(list(results.rglob("records/**/*.parquet"))) == 2  # one per algorithm
    assert open_record(results / "collected/a.parquet").facts["thinned"]["resolution"] == RESOLUTION

    status, lines = verify(output)
    assert status == 0, lines
    status, lines = verify(output, "--rebuild")
    assert status == 2
    made = tmp_path / "ert.csv"
    assert command("table", results, "ert", "--output", made) == 0
    assert made.read_bytes() == (campaign / "tables/ert.csv").read_bytes()
