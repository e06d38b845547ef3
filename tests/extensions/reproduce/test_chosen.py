"""Which run is meant, and one line for each that cannot be replayed."""

from pathlib import Path
from types import MappingProxyType

import pytest

from timefair import cli
from timefair.basics.errors import InputError
from timefair.extensions.reproduce.chosen import chosen_run


def refused(capsys: pytest.CaptureFixture[str], path: Path, *arguments: str) -> str:
    assert cli.main(["reproduce", str(path), *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line.removeprefix("timefair: ")


@pytest.mark.slow
def test_the_run_and_its_cell(record):
    chosen = chosen_run(record, {"instance": 2, "run": 1})
    assert str(chosen) == "f8 D=3 instance 2 run 1 of de"
    assert chosen.instances == (1, 2)
    assert chosen.row["run"] == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([], "{path}: has several such runs; choose one by --instance (1-2) --run (0-1)"),
        (["--instance", "1"], "{path}: has several such runs; choose one by --run (0-1)"),
        (["--run", "7"], "--run: 7 is not in {path}; it has 0-1"),
        (["--function", "9"], "--function: 9 is not in {path}; it has 8"),
    ],
)
@pytest.mark.usefixtures("measuring")
def test_choices_that_name_no_single_run(record, arguments, line, capsys):
    assert refused(capsys, record, *arguments).startswith(line.format(path=record))


@pytest.mark.slow
def test_a_changed_byte_of_the_record_is_named(record, tmp_path):
    """Or it changes nothing that is recorded, as a byte of Parquet's statistics does."""
    original, damaged = record.read_bytes(), tmp_path / "damaged.parquet"
    row, found = chosen_run(record, WANTED).row, []
    for place in range(4, len(original), len(original) // 40):
        damaged.write_bytes(original[:place] + bytes([original[place] ^ 1]) + original[place + 1 :])
        try:
            assert chosen_run(damaged, WANTED).row == row
        except InputError as error:
            found += error.faults
    assert len(found) > 20
    assert all(line.startswith(f"{damaged}: ") for line in found)
    assert any("(checksum)" in line for line in found)


def test_a_run_that_is_there_twice(forged, capsys):
    path = forged(lambda rows, _: rows.append(rows[0]))
    line = refused(capsys, path, "--instance", "1", "--run", "0")
    assert line.startswith(f"{path}: has this run twice; ")


@pytest.mark.parametrize("name", ["campaign", "code", "machine", "key"])
def test_records_without_their_facts(forged, name, capsys):
    path = forged(lambda _, facts: facts.pop(name))
    line = refused(capsys, path, "--instance", "1", "--run", "0")
    assert line == f"{path}: its metadata have no {name}; it cannot be replayed"


WANTED = MappingProxyType({"instance": 2, "run": 1})
