"""Numbers, names and errors in the form for sentences."""

import pytest

from timefair.basics.errors import described, suggest, unknown
from timefair.basics.words import counted, duration, first, listed, p_value, percent, rough

SAID = [
    (listed(["A"]), "A"),
    (listed(["A", "B"], "or"), "A or B"),
    (listed(list("ABCDEFG")), "A, B, C, D, E and 2 others"),
    (first(range(10), 8), "0, 1, 2, 3, 4, 5, 6, 7 and 2 more"),
    (duration(0.0086), "8.6 ms"),
    (duration(2e-5, "cpu"), "20 µs of CPU time"),
    (duration(12, "reference"), "12 reference units"),
    (f"{rough(75)}, {rough(720)}, {rough(12600)}", "75 s, 12 min, 3.5 h"),
    (f"{percent(0.414)}, {percent(0.004)}, {percent(1)}", "41 %, 0.4 %, 100 %"),
    (f"{p_value(0.0312)}, {p_value(1e-7)}, {p_value(0.2, '≥')}", "p = 0.031, p < 0.001, p ≥ 0.2"),
    (counted(2, "has", "have"), "2 have"),
    (unknown("rank", ["ranks"]), "'rank' is unknown; did you mean 'ranks'?; known: ranks"),
    (suggest("PSO", ["GA.Base", "PSO.Original"]), "; did you mean 'PSO.Original'?"),
    (described(ValueError("no\nconvergence")), "ValueError: no convergence"),
]


@pytest.mark.parametrize(("said", "right"), SAID)
def test_what_is_said(said, right):
    assert said.replace("\u00a0", " ") == right
