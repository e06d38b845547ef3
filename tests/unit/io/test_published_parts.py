"""Numbers, pairing and cautions of the readers of published data."""

import math

import pytest

from timefair.io.common import Cautions, paired, parsed_count, parsed_name, parsed_number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("+1.234e-05", 1.234e-5), ("1.0e-008", 1e-8), ("1.5D-08", 1.5e-8), ("2.d3", 2000.0),
        ("1.#INF", math.inf), ("-1.#INF00000e+000", -math.inf), ("Inf", math.inf),
    ],
)  # fmt: skip
def test_numbers(text, value):
    assert parsed_number(text) == value


@pytest.mark.parametrize("text", ["NaN", "-1.#IND", "1.#QNAN0"])
def test_not_a_number(text):
    assert math.isnan(parsed_number(text))


@pytest.mark.parametrize("text", ["", "1_0", "1,5", "x", "1e", "D-8", "1.#INFO"])
def test_invalid_numbers(text):
    with pytest.raises(ValueError, match=r"."):
        parsed_number(text)


@pytest.mark.parametrize(("text", "value"), [("0", 0), ("12", 12), ("1.0e+05", 100_000)])
def test_counts(text, value):
    assert parsed_count(text) == value


@pytest.mark.parametrize("text", ["-1", "1.5", "1e300", "inf", "nan", "9" * 20, "²"])
def test_invalid_counts(text):
    with pytest.raises(ValueError, match=r"."):
        parsed_count(text)


@pytest.mark.parametrize("value", ["-1", "1.0", 2**31, None, True, "1" * 5000])
def test_invalid_names(value):
    with pytest.raises(ValueError, match="not a whole number"):
        parsed_name(value)


@pytest.mark.parametrize(
    ("listed", "found", "chosen"),
    [
        ("abc", "xyz", [("a", "x"), ("b", "y"), ("c", "z")]),  # as many: in order
        ("ac", "abc", [("a", "a"), ("c", "c")]),  # those that agree
        ("xy", "abc", [("x", "a"), ("y", "b")]),  # none agrees: the first
        ("abc", "ac", [("a", "a"), ("c", "c")]),
        ("aab", "ab", None),  # which a?
        ("abc", "ax", None),
        ("ab", "", []),
        ("", "ab", []),
    ],
)
def test_pairs(listed, found, chosen):
    assert paired(listed, found, str.__eq__) == chosen


def test_cautions_are_one_line_per_kind():
    cautions = Cautions()
    for place in ("b", "a", "b", "c"):
        cautions.add(place, "is odd")
    cautions.add("", "all of it is")
    assert cautions.lines == ["b and 2 more: is odd", "all of it is"]
