"""What a referee is told about tables of final values, and about a campaign."""

import pytest

from timefair.basics.errors import InputError
from timefair.extensions.referee import questions
from timefair.extensions.referee.questions import KEPT, POWER


def answers(path):
    return {one.question: one for one in questions.of_table(path)}


@pytest.fixture
def finals(tmp_path):
    def write(columns="algorithm,function,value", **values):
        lines = [f"{name},1,{value}" for name, of in values.items() for value in of]
        path = tmp_path / "finals.csv"
        path.write_text("\n".join([columns, *lines]) + "\n")
        return path

    return write


def test_too_few_runs_show_nothing_and_a_correction_may_change_a_conclusion(finals):
    found = answers(finals(new=[1.0, 2.0, 3.0], old=[4.0, 5.0, 6.0]))
    assert found[POWER].answer == "no"  # the least p of three runs each is 0.1
    more = answers(finals(new=[1, 2, 3, 4], random=[5, 6, 7, 8]))
    assert more[POWER].answer == "yes"
    assert more["Baseline: random search"].answer == "yes"
    assert found["Baseline: random search"].answer == "no"
    found = answers(finals(a=[1, 2, 3, 4], b=[5, 6, 7, 8], c=[1.5, 5.5, 2.5, 6.5]))
    assert found[KEPT].answer == "no"
    assert "1 have p" in found[KEPT].sentence
    assert found[KEPT].sentence.endswith("0 still have it after Holm's method.")
    found = answers(finals(columns="Optimizer,Problem,Best fitness", a=[1, 3, 5], b=[2, 4, 6]))
    assert found[KEPT].answer == "unknown"
    assert "0 have p" in found[KEPT].sentence


def test_costs_are_equal_unequal_or_unknown(tmp_path):
    path = tmp_path / "finals.csv"
    path.write_text(
        "algorithm,function,value,evaluations\n"
        + "".join(f"{name},1,{k},{n}\n" for name, n in (("a", 100), ("b", 300)) for k in range(5))
    )
    found = answers(path)
    assert found["Equal evaluations"].answer == "no"
    assert "factor of up to 3." in found["Equal evaluations"].sentence
    assert found["Equal seconds"].answer == "unknown"
    text = questions.page("finals.csv", found.values())
    assert text.startswith("# What finals.csv can claim\n")
    assert text.count("\n| ") == 1 + len(found)


def test_tests_are_counted_in_each_dimension_as_in_the_table_comparison(tmp_path):
    path = tmp_path / "finals.csv"
    rows = (
        f"{name},{d},{f},{k}\n"
        for name in "ab" for d, functions in ((2, 1), (3, 9)) for f in range(functions)
        for k in range(4)
    )  # fmt: skip
    path.write_text("algorithm,dimension,function,value\n" + "".join(rows))
    sentence = answers(path)[POWER].sentence
    assert sentence.endswith("after 1 test in a dimension, p can be 0.03.")


def test_of_traces_the_best_values_of_runs_count(tmp_path):
    path = tmp_path / "traces.csv"
    rows = (
        f"{name},1,{run},{at},{value}\n"
        for name in "ab" for run in range(3) for at, value in ((1, 9), (7, 2), (10, 5))
    )  # fmt: skip
    path.write_text("algorithm,function,run,evaluations,value\n" + "".join(rows))
    found = answers(path)
    assert "had 3 runs on" in found[POWER].sentence
    assert "a median of 10 to 10 evaluations" in found["Equal evaluations"].sentence


@pytest.mark.parametrize("separator", [";", "\t"])
def test_decimal_commas_are_read_as_analyse_does(finals, separator):
    path = finals(a=[1.5, 2.5, 3.5, 4.5], b=[5.5, 6.5, 7.5, 1e-3], c=[1.25, 1.75, 2.25, 2.75])
    there = answers(path)
    path.write_text(path.read_text().replace(",", separator).replace(".", ","))
    assert answers(path) == there


def test_a_wrong_table_is_refused_in_a_line(finals, tmp_path):
    with pytest.raises(InputError, match=r"row 2: value is 'x'; expected a number"):
        answers(finals(a=[1, "x"]))
    with pytest.raises(InputError, match="line 3: value: should be a number"):
        answers(finals(a=[1, ""]))
    with pytest.raises(InputError, match="has no column function"):
        answers(finals(columns="algorithm,thing,value", a=[1]))
    with pytest.raises(InputError, match="should be a folder"):
        answers(tmp_path / "nothing")
