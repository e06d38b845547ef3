"""What `timefair selftest` found of this machine, and who quotes it."""

import json
from pathlib import Path

import pytest

from timefair.basics.resolution import UNMEASURED, in_words
from timefair.machine import resolved
from timefair.machine.doctor import findings
from timefair.machine.host import Host, Unknown

from .conftest import RESOLUTION, RESOLVED, observation_of


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(environment={"XDG_STATE_HOME": str(tmp_path)})


def test_what_is_written_is_read_again(host):
    path = resolved.write(RESOLUTION, host)
    assert path.parent.parent == Path(host.environment["XDG_STATE_HOME"])
    assert resolved.resolution(host) == RESOLUTION


def test_a_machine_that_nobody_has_tested_is_unknown(host):
    with pytest.raises(Unknown, match=UNMEASURED):
        resolved.resolution(host)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "null",
        json.dumps(RESOLUTION | {"seconds": {}}),
        json.dumps(RESOLUTION | {"seconds": RESOLVED | {"delta": "much"}}),
    ],
)
def test_a_damaged_file_is_unknown(host, text):
    resolved.place(host).parent.mkdir()
    resolved.place(host).write_text(text)
    with pytest.raises(Unknown, match="is damaged; run timefair selftest"):
        resolved.resolution(host)


def test_machines_that_share_a_folder_have_files_of_their_own(tmp_path):
    for name in ("one", "two"):
        place = tmp_path / name / "proc/sys/kernel/hostname"
        place.parent.mkdir(parents=True)
        place.write_text(f"{name}\n")
    files = {
        resolved.place(Host(root=tmp_path / name, environment={"XDG_STATE_HOME": "/state"}))
        for name in ("one", "two")
    }
    assert len(files) == 2


def test_the_folder_without_the_variable_is_in_the_home():
    place = resolved.place(Host(environment={"HOME": "/home/ada"}))
    assert place.parent == Path("/home/ada/.local/state/timefair")


def test_a_resolution_in_words():
    assert in_words(RESOLUTION) == (
        "a slowdown of 2.1 % is found with probability 0.81 by seconds to a target, "
        "no slowdown up to 400 % is found by precision at the end "
        "(10 runs of 20 ms each, 10 % of the runs disturbed; 2026-11-22, timefair 0.1.0)"
    )


def of_doctor(host, **facts):
    (found,) = [f for f in findings(observation_of(host, facts)) if f.name == "resolution"]
    return found.severity, found.evidence


def test_the_doctor_quotes_it(build):
    assert of_doctor(build(), resolution=RESOLUTION) == ("ok", in_words(RESOLUTION))


def test_the_doctor_says_how_to_measure_it(build):
    missing = {"resolution": UNMEASURED}
    assert of_doctor(build(), resolution=None, missing=missing) == ("unknown", UNMEASURED)
