"""What is hidden is missing for a while, and for nobody else."""

import importlib
import sys

import pytest

from timefair.basics.hidden_modules import hidden_modules


def test_a_hidden_module_is_missing_only_inside_the_block(tmp_path, monkeypatch):
    (tmp_path / "plots.py").write_text("answer = 42\n")
    (tmp_path / "user.py").write_text(
        "try:\n    import plots\nexcept ImportError:\n    plots = None\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("plots", "user"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with hidden_modules("plots", "another"):
        assert importlib.import_module("user").plots is None
        with pytest.raises(ModuleNotFoundError, match="plots is hidden"):
            importlib.import_module("plots")
    assert importlib.import_module("plots").answer == 42
    with hidden_modules("plots"):
        assert importlib.import_module("plots").answer == 42  # it is loaded
