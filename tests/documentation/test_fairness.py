"""The tests that docs/validation/fairness.md names exist."""

import re
from pathlib import Path

import pytest
from fences import ROOT

TEXT = (ROOT / "docs/validation/fairness.md").read_text()
NAMED = sorted(set(re.findall(r"`((?:tests/)?[\w/]+\.py)(?:::(\w+))?`", TEXT)))


@pytest.mark.parametrize(("file", "function"), NAMED, ids=lambda name: name or "all of it")
def test_a_named_test_exists(file, function):
    found = [path for path in Path(ROOT, "tests").rglob("*.py") if path.match(file)]
    assert len(found) == 1
    assert f"def {function}" in found[0].read_text()
