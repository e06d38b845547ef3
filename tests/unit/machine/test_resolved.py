"""What `timefair selftest` found of this machine, and who quotes it."""

import json
from pathlib import Path

import pytest

from timefair.basics.resolution import UNMEASURED
from timefair.machine import resolved
from timefair.machine.host import Host, Unknown

from .conftest import RESOLUTION, RESOLVED


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
