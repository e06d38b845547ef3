"""What `timefair selftest` found of this machine, and who quotes it."""

import json
from pathlib import Path

import pytest

from timefair.basics.slowdowns import UNMEASURED, in_words
from timefair.machine import detectable
from timefair.machine.doctor import findings
from timefair.machine.host import Host, Unknown

from .conftest import BY_SECONDS, DETECTABLE, observation_of


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(environment={"XDG_STATE_HOME": str(tmp_path)})


def test_what_is_written_is_read_again(host):
    path = detectable.write(DETECTABLE, host)
    assert path.parent.parent == Path(host.environment["XDG_STATE_HOME"])
    assert detectable.slowdown(host) == DETECTABLE


def test_a_machine_that_nobody_has_tested_is_unknown(host):
    with pytest.raises(Unknown, match=UNMEASURED):
        detectable.slowdown(host)


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "null",
        json.dumps(DETECTABLE | {"seconds": {}}),
        json.dumps(DETECTABLE | {"seconds": BY_SECONDS | {"delta": "much"}}),
    ],
)
def test_a_damaged_file_is_unknown(host, text):
    detectable.place(host).parent.mkdir()
    detectable.place(host).write_text(text)
    with pytest.raises(Unknown, match="is damaged; run timefair selftest"):
        detectable.slowdown(host)


def test_machines_that_share_a_folder_have_files_of_their_own(tmp_path):
    for name in ("one", "two"):
        place = tmp_path / name / "proc/sys/kernel/hostname"
        place.parent.mkdir(parents=True)
        place.write_text(f"{name}\n")
    files = {
        detectable.place(Host(root=tmp_path / name, environment={"XDG_STATE_HOME": "/state"}))
        for name in ("one", "two")
    }
    assert len(files) == 2


def test_the_folder_without_the_variable_is_in_the_home():
    place = detectable.place(Host(environment={"HOME": "/home/ada"}))
    assert place.parent == Path("/home/ada/.local/state/timefair")


def test_a_detectable_slowdown_in_words():
    assert in_words(DETECTABLE) == (
        "a slowdown of 2.1 % is found with probability 0.81 by seconds to a target, "
        "no slowdown up to 400 % is found by precision at the end "
        "(10 runs of 20 ms each, 10 % of the runs perturbed; 2026-11-22, timefair 0.1.0)"
    )


def of_doctor(host, **facts):
    (found,) = [f for f in findings(observation_of(host, facts)) if f.name == "detectable_slowdown"]
    return found.severity, found.evidence


def test_the_doctor_quotes_it(build):
    assert of_doctor(build(), detectable_slowdown=DETECTABLE) == ("ok", in_words(DETECTABLE))


def test_the_doctor_says_how_to_measure_it(build):
    missing = {"detectable_slowdown": UNMEASURED}
    assert of_doctor(build(), detectable_slowdown=None, missing=missing) == ("unknown", UNMEASURED)
