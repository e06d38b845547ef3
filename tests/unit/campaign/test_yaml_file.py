"""What is written in a campaign file is what is read, or a line says what would be right."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from campaigns import SMALL, refused

from timefair.basics.errors import InputError
from timefair.campaign.configuration import parse, read_yaml
from timefair.campaign.driver import configuration_of

LABELS = ("NO", "on", "Yes", "True", "null", "007", "12", "1e3", "1.10", "2026-01-01", "1_000")


def read(folder: Path, text: str) -> object:
    path = folder / "mine.yaml"
    path.write_text(text)
    return read_yaml(path)


@pytest.mark.parametrize("section", ["algorithms", "published"])
def test_labels_are_kept_as_written(tmp_path, section):
    lines = "".join(f"  {label}: timefair:DE\n" for label in LABELS)
    found = read(tmp_path, f"{section}:\n{lines}  'off': timefair:DE\n")
    assert found == {section: dict.fromkeys([*LABELS, "off"], "timefair:DE")}
    if section == "algorithms":
        assert list(parse(SMALL | found).algorithms) == [*LABELS, "off"]


def test_a_label_in_quotes_and_without_is_given_twice(tmp_path):
    with pytest.raises(InputError, match=r"mine.yaml:3: 'NO' is given twice"):
        read(tmp_path, "algorithms:\n  NO: a\n  'NO': b\n")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[("1e3", 1000.0), ("2.5e-1", 0.25), ("1E+3", 1000.0), ("-1e-3", -0.001)],
        *[("1_000", 1000), ("1_000.5", 1000.5), ("-.5", -0.5), ("5.", 5.0), ("007.5", 7.5)],
        *[("0", 0), ("+5", 5), ("0x1F", 31), ("0.5", 0.5), ("'010'", "010"), ("'1e3'", "1e3")],
        *[("1-24", "1-24"), ("1,3", "1,3"), ("1e", "1e"), ("1.2.3", "1.2.3")],
        *[("2026-01-01", "2026-01-01"), ("on", True), ("~", None), (".inf", float("inf"))],
    ],
)
def test_numbers_are_numbers(tmp_path, text, value):
    found = read(tmp_path, f"a: {text}\n")["a"]
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize("text", ["010", "08", "00", "-010", "0o10", "12:30", "12:30.5", "1:00:00"])
def test_numbers_in_another_base_are_refused(tmp_path, text):
    for content in (f"\nruns: {text}", f"\na: [{text}]", f"\na:\n\n- {text}"):
        (line,) = refused(read, tmp_path, content)
        assert line.partition("mine.yaml:")[2].startswith(("2: ", "4: "))
        assert f"{text!r} in quotes" in line


@pytest.mark.parametrize(("value", "shown"), [(False, "false"), (7, "7"), (1.5, "1.5")])
def test_what_another_reader_made_of_a_label_is_refused(value, shown):
    assert refused(parse, SMALL | {"algorithms": {value: "timefair:DE"}})[0].endswith(
        f"{shown}: should be text; write it in quotes"
    )
    assert refused(parse, SMALL | {"name": value}) == (
        f"name: {shown}: should be text; write it in quotes",
    )


def test_snakemake_has_what_the_reader_reads(tmp_path):
    first, second = tmp_path / "a.yaml", tmp_path / "b.yaml"
    first.write_text("runs: 1\nalgorithms: {NO: a, 007: b}\nbudget: {time_s: 1e-1}\n")
    second.write_text("runs: 2\nalgorithms: {null: c}\n")
    workflow = SimpleNamespace(
        configfiles=[second, first],
        overwrite_configfiles=[second],
        config_settings=SimpleNamespace(config={"name": "x"}),
    )
    assert configuration_of(workflow) == {
        "runs": 2,
        "algorithms": {"NO": "a", "007": "b", "null": "c"},
        "budget": {"time_s": 0.1},
        "name": "x",
    }
    second.write_text("- runs\n")
    with pytest.raises(InputError, match=r"b.yaml: should be keys with values"):
        configuration_of(workflow)
