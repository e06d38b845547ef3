"""The page of the study: its numbers, tables and pictures are those of the archives."""

import re

import pytest
from PIL import Image

import make_study
from study import numbers, pictures

PAGE = make_study.FOLDER / f"{make_study.NAME}.md"
MOST_WORDS = 2500


def test_the_page_is_short_and_shows_every_picture():
    text = PAGE.read_text(encoding="utf-8")
    assert len(text.split()) <= MOST_WORDS
    shown = re.findall(rf"\]\({make_study.NAME}/(\w+)\.png\)", text)
    assert sorted(shown) == sorted(pictures.NAMES)
    for name in shown:
        with Image.open(make_study.FOLDER / make_study.NAME / f"{name}.png") as image:
            assert image.width > 500


@pytest.mark.slow
def test_the_table_of_the_first_design_is_that_of_its_archive():
    (one,) = numbers.measured(numbers.DESIGNS[:1])
    found, text = numbers.against({one: numbers.counted(one, one.mine)}), PAGE.read_text("utf-8")
    assert all(found[f"table.against.{by}"].splitlines()[-1] in text for by in numbers.BEST_BY)


@pytest.mark.slow
@pytest.mark.thorough
def test_the_page_is_made_of_the_archives(tmp_path):
    assert make_study.main(["--numbers", "--output", str(tmp_path)]) == 0
    assert (tmp_path / PAGE.name).read_text("utf-8") == PAGE.read_text("utf-8")
