"""The gallery shows every figure, with what its declaration says."""

from gallery_page import PAGE, made


def test_the_page_says_what_the_declarations_say():
    assert PAGE.read_text(encoding="utf-8") == made(), (
        "run python tests/documentation/gallery_page.py --fix"
    )
