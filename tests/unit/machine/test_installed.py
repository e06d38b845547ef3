"""Installed packages with versions that timefair does not support are named."""

import sys
from importlib.metadata import version

import pytest

from timefair.basics.errors import InputError
from timefair.machine import facts


def requiring(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr(facts.metadata, "requires", lambda name: list(lines))


@pytest.mark.parametrize("extra", ["", "; extra == 'extras'"])
def test_a_version_out_of_the_bounds_is_refused(monkeypatch, extra):
    requiring(monkeypatch, f"numpy<2,>=1.26{extra}", "pandas>=2.2", f"scipy>99{extra}")
    with pytest.raises(InputError) as caught:
        facts.check_installed()
    first, second = caught.value.faults
    assert first.startswith(f"numpy is {version('numpy')}, but timefair needs <2,>=1.26; run `")
    assert f"`{sys.executable} -m pip install 'numpy<2,>=1.26'`" in first
    assert second.startswith(f"scipy is {version('scipy')}, but timefair needs >99; run `")


def test_a_missing_package_is_refused_unless_an_extra_needs_it(monkeypatch):
    requiring(monkeypatch, "no-such-package>=1", "no-other; extra == 'extras'")
    with pytest.raises(InputError, match=r"^no-such-package is missing, but timefair needs >=1;"):
        facts.check_installed()


def test_check_and_a_start_refuse_it(monkeypatch, tmp_path, capsys):
    from timefair.cli import main

    requiring(monkeypatch, "numpy<1")
    (tmp_path / "mine.yaml").write_text(
        "name: x\nproblems: {suite: bbob, functions: 1, dimensions: 2, instances: 1}\n"
        "algorithms: {DE: timefair:DE}\nbudget: {evaluations: 50}\nruns: 1\n"
    )
    monkeypatch.chdir(tmp_path)
    assert main(["check", "mine.yaml"]) == 2
    assert capsys.readouterr().err.startswith("timefair: numpy is ")
