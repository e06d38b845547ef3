"""The pictures of the documentation: all are declared, and each says which campaign it is from."""

import importlib.util
import sys
from pathlib import Path

import pytest
from fences import fences

from timefair.exhibits.registry import FIGURES

ROOT = Path(__file__).parents[2]


@pytest.fixture
def pictures(monkeypatch):
    """The script, as a module."""
    spec = importlib.util.spec_from_file_location("make_pictures", ROOT / "docs/make_pictures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "make_pictures", module)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["campaign.yaml", "mine.py"])
def test_the_campaign_of_the_tutorial_is_that_of_its_page(name):
    shown = (block.text for block in fences(ROOT / "docs/guide/tutorial.md"))
    text = next(text for text in shown if text.startswith(f"# {name}\n"))
    assert (ROOT / "docs/guide/tutorial" / name).read_text() == text


@pytest.mark.slow
@pytest.mark.fast
def test_every_picture_is_declared_once_and_shown(pictures):
    declared = [picture.path for picture in pictures.PICTURES]
    assert len(set(declared)) == len(declared)
    files = (path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.png"))
    there = {str(path) for path in files if path.parts[0] != "studies"}  # see test_studies.py
    assert there <= set(declared)
    missing = set(declared) - there
    assert all(path.startswith("gallery/") for path in missing)  # a new figure, not drawn yet
    pages = "\n".join(path.read_text() for path in (ROOT / "docs").rglob("*.md"))
    for picture in pictures.PICTURES:
        assert Path(picture.path).name in pages
        assert picture.figure in {*FIGURES, pictures.PAGE}
        assert set(picture.without) <= set(picture.asked.algorithms)
