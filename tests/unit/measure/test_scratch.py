"""Every run has an empty folder for its temporary files."""

import os
import signal
import tempfile
from pathlib import Path

import pytest

from timefair.basics.disk import remove, remove_abandoned, temporary_folder
from timefair.machine.linux import kernel
from timefair.measure.isolation import look, scratch_folder


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_folder_is_removed_with_what_is_in_it(temporary):
    with scratch_folder() as folder:
        assert folder.parent.parent == temporary
        with tempfile.NamedTemporaryFile(delete=False) as file:
            assert os.path.dirname(file.name) == str(folder)
    assert list(temporary.iterdir()) == []
    assert tempfile.gettempdir() == str(temporary)


def test_what_a_killed_process_left_is_removed_and_what_is_in_use_is_not(temporary):
    ready, write = os.pipe()

    def live():
        with scratch_folder() as folder:
            (folder / "file").touch()
            os.write(write, b"x")
            signal.pause()

    pid = kernel.forked(live)
    os.read(ready, 1)
    remove_abandoned()
    assert len(list(temporary.rglob("file"))) == 1
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    with scratch_folder() as folder:
        tempfile.tempdir = str(temporary)
        remove_abandoned()
        assert list(temporary.iterdir()) == [folder.parent]
        assert list(folder.parent.iterdir()) == [folder]


def dig(folder: Path, levels: int) -> None:
    """Make folders in folders, with a file at the bottom, without paths, which may be too long."""
    at = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("deeper", dir_fd=at)
        below = os.open("deeper", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(os.open("bottom", os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.close(at)


@pytest.mark.parametrize(("levels", "seen"), [(3, 2), (1500, 1)])
def test_a_folder_of_any_depth_is_looked_through_and_removed(temporary, levels, seen):
    """A file whose path is longer than the kernel takes is not seen."""
    (temporary / "of-somebody").mkdir()
    dig(temporary / "of-somebody", levels)
    with scratch_folder() as folder:
        (folder / "top").write_bytes(bytes(1000))
        dig(folder, levels)
        left = look(folder, [temporary], {})
    assert (left["left_files"], left["left_mb"]) == (seen, 0.001)
    assert left["appeared"].startswith(f"{temporary}/of-somebody, ")
    assert [path.name for path in temporary.iterdir()] == ["of-somebody"]
    remove(str(temporary / "of-somebody"))


def test_a_folder_of_runs_may_be_removed_while_another_process_makes_it(tmp_path, monkeypatch):
    top, mkdir, removed = tmp_path / "top", os.mkdir, []

    def raced(path, *more, **keys):
        if Path(path) == top and not removed:
            removed.append(path)
            raise FileExistsError(17, "File exists", str(path))
        mkdir(path, *more, **keys)

    monkeypatch.setattr(os, "mkdir", raced)
    with temporary_folder("run-", top) as folder:
        assert Path(folder).parent == top
