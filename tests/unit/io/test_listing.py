"""Small tables as text."""

from timefair.io import listing

ROWS = [
    {"name": "a|b", "share": 0.123456, "good": True, "note": None},
    {"name": "c", "share": 12345.6, "good": False, "note": "x, y"},
]


def test_markdown_is_aligned_and_rounded() -> None:
    assert listing.markdown(ROWS).splitlines() == [
        "| name | share    | good | note |",
        "| ---- | -------- | ---- | ---- |",
        "| a\\|b | 0.123    | yes  |      |",
        "| c    | 1.23e+04 | no   | x, y |",
    ]
