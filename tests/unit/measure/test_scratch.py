"""Every run has an empty folder for its temporary files."""

from __future__ import annotations

import os
import tempfile

import pytest

from timefair.measure.isolation.scratch import reused_scratch_folders, scratch_folder


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_folder_is_removed_with_what_is_in_it(temporary):
    with scratch_folder() as folder:
        assert folder.parent == temporary
        with tempfile.NamedTemporaryFile(delete=False) as file:
            assert os.path.dirname(file.name) == str(folder)
    assert list(temporary.iterdir()) == []
    assert tempfile.gettempdir() == str(temporary)


def test_only_an_empty_folder_is_reused(temporary):
    with reused_scratch_folders():
        with scratch_folder() as first:
            pass
        with scratch_folder() as second:
            (second / "left").mkdir()
        assert list(temporary.iterdir()) == []
        with scratch_folder() as third:
            third.chmod(0o500)
        with scratch_folder() as fourth:
            assert fourth.stat().st_mode & 0o777 == 0o700
    assert first == second
    assert len({second, third, fourth}) == 3
    assert list(temporary.iterdir()) == []


def test_a_folder_that_a_run_removed_is_made_again(temporary):
    with reused_scratch_folders():
        with scratch_folder() as first:
            first.rmdir()
        with scratch_folder() as second:
            assert second.is_dir()
    assert list(temporary.iterdir()) == []
