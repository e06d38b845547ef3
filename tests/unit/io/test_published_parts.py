"""Numbers, pairing and cautions of the readers of published data."""

import pytest

from timefair.io.common import Cautions, parsed_count, parsed_name, parsed_number


@pytest.mark.parametrize("text", ["", "1_0", "1,5", "x", "1e", "D-8", "1.#INFO"])
def test_invalid_numbers(text):
    with pytest.raises(ValueError, match=r"."):
        parsed_number(text)


@pytest.mark.parametrize("text", ["-1", "1.5", "1e300", "inf", "nan", "9" * 20, "²"])
def test_invalid_counts(text):
    with pytest.raises(ValueError, match=r"."):
        parsed_count(text)


@pytest.mark.parametrize("value", ["-1", "1.0", 2**31, None, True, "1" * 5000])
def test_invalid_names(value):
    with pytest.raises(ValueError, match="not a whole number"):
        parsed_name(value)


def test_cautions_are_one_line_per_kind():
    cautions = Cautions()
    for place in ("b", "a", "b", "c"):
        cautions.add(place, "is odd")
    cautions.add("", "all of it is")
    assert cautions.lines == ["b and 2 more: is odd", "all of it is"]
