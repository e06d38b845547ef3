"""Tables in print: valid LaTeX for every table, and what a reader sees in it."""

import functools
import re
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timefair.exhibits import latex, questions
from timefair.exhibits.exhibit import Exhibit
from timefair.exhibits.latex import Setting, document, typeset
from timefair.exhibits.latex.notation import Notation, escape
from timefair.exhibits.layout import Layout, Points, Value, generic, parts
from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

ANALYSIS = Analysis(targets=(1.0, 10.0, 0.1), resamples=50)
SETTING = Setting(ANALYSIS, time_s=0.8, evaluations_per_dimension=1000)
ALGORITHMS = ("my_algo%1", "a--b {x}", "[c]", "*d & e", r"\f#$~^")
TABLE = Exhibit("t", questions.BETTER, "A table", "A table.", (), lambda runs, analysis: runs.frame)
ERT = Layout(
    caption="ERT in seconds.",
    values=(Value("ert_s", "ERT", "low", ("ert_s_low", "ert_s_high")),),
    rows=("function", "algorithm"),
    columns="target",
)


@pytest.fixture(scope="module")
def campaign(run, table):
    """Algorithms with names that LaTeX would take for its own, on two functions."""
    rows = []
    for (k, name), function, i, r in product(enumerate(ALGORITHMS), (1, 2), (1, 2), (0, 1)):
        found = 10.0 ** (k - 3 * i)
        own = {"algorithm": name, "function": function, "instance": i, "run": r}
        events = [(1, 0.1, 50.0), (10 + k, 0.4, found)]
        rows.append(run(events, best_precision=found, **own))
    return table(*rows)


@pytest.fixture(scope="module")
def made(campaign):
    runs = Runs.of(campaign)
    make = functools.cache(lambda name: TABLES[name](runs, ANALYSIS))
    return lambda name: make(name).copy()


def printed(name, frame):
    table = TABLES[name].exhibit
    return typeset(table, frame, table.printed(frame), SETTING)


def typeset_frame(frame, layout):
    return typeset(TABLE, frame, [layout], SETTING)


def frame_of(values, **columns):
    names = [chr(ord("A") + k) for k in range(len(values))]
    shared = {"suite": "bbob", "dimension": 5, "function": 1, "algorithm": names, "target": 0.1}
    return pd.DataFrame(
        shared | {"ert_s": values, "ert_s_low": values, "ert_s_high": values} | columns
    )


def check(tex):
    """Braces and environments are balanced, rows have the columns of their tabular."""
    code = "\n".join(line for line in tex.splitlines() if not line.startswith("%"))
    bare = re.sub(r"\\[\\{}]", "", code)
    assert bare.count("{") == bare.count("}")
    assert min(np.cumsum([(c == "{") - (c == "}") for c in bare]), default=0) >= 0
    assert code.count("$") % 2 == code.count(r"\$") % 2
    environments = []
    for kind, name in re.findall(r"\\(begin|end)\{([a-z*]+)\}", code):
        if kind == "begin":
            environments.append(name)
        else:
            assert environments.pop() == name
    assert not environments
    labels = re.findall(r"\\label\{(.*?)\}", code)
    assert len(set(labels)) == len(labels) > 0
    bodies = re.findall(r"\\begin\{tabular\}\{@\{\}([lr]+)@\{\}\}(.*?)\\end\{tabular\}", code, re.S)
    assert len(bodies) == code.count(r"\begin{tabular}") > 0
    for columns, body in bodies:
        rows = [line for line in body.splitlines() if line.endswith(r"\\")]
        assert rows
        for row in rows:
            spans = [int(n) for n in re.findall(r"\\multicolumn\{(\d+)\}", row)]
            count = len(re.findall(r"(?<!\\)&", row)) + 1
            assert count + sum(spans) - len(spans) == len(columns), row


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", TABLES)
def test_every_table_is_valid_latex(name, made):
    frame = made(name)
    tex = printed(name, frame)
    check(tex)
    if not frame.empty:
        check(typeset_frame(frame, generic(frame, TABLES[name].title)))  # without a layout
    assert r"\usepackage{booktabs}" in tex
    assert rf"\label{{tab:{name}" in tex


@pytest.mark.thinned(4)
@pytest.mark.parametrize("name", TABLES)
def test_a_campaign_without_runs_is_valid_latex(name, no_runs):
    tex = printed(name, TABLES[name](no_runs, ANALYSIS))
    check(tex)
    assert "No rows." in tex


@pytest.mark.parametrize(
    ("values", "decimals", "shown"),
    [
        ([0.5, 12.25], None, ["0.500", "12.250"]),
        ([3.0, 12345.0], None, ["3", "12345"]),
        ([5e-9, 12.5], None, ["5.00e−9", "1.25e+1"]),
        ([5e-10, 12.5], None, ["5.00e−10", "1.25e+01"]),
        ([1.5, 2e7], None, ["1.50e0", "2.00e7"]),
        ([0.0, 0.0], None, ["0", "0"]),
        ([0.0, -0.0, 5e-9], None, ["0", "0", "5.00e−9"]),
        ([-0.5, 0.5], None, ["−0.500", "0.500"]),
        ([0.5, np.inf, -np.inf, np.nan], None, ["0.500", "∞", "−∞", "n/a"]),
        ([0.12345, 1.0], 2, ["0.12", "1.00"]),
        ([1e-5, 0.0, -0.0, -1e-5], 3, ["<0.001", "0.000", "0.000", ">−0.001"]),
    ],
)
def test_numbers_of_a_column_have_one_notation(values, decimals, shown):
    notation = Notation.of(values, decimals)
    assert [notation.text(value) for value in values] == shown


@given(st.lists(st.floats(-1e300, 1e300), min_size=1))
def test_a_number_keeps_its_digits(values):
    notation = Notation.of(values)
    for value in values:
        shown = float(notation.text(value).replace("−", "-"))
        assert shown == pytest.approx(value, rel=0.00501)


@given(st.text())
def test_any_text_can_be_a_name(name):
    bare = re.sub(r"\\[\\{}]", "", escape(name))
    assert bare.count("{") == bare.count("}")
    assert not re.search(r"(?<!\\)[%&#_]", bare)
    assert "\n" not in bare


@pytest.mark.parametrize(
    ("values", "better", "bold"),
    [
        ([3.0, 1.0, 2.0], "low", [False, True, False]),
        ([3.0, 1.0, 2.0], "high", [True, False, False]),
        ([1.0, 1.0, 2.0], "low", [True, True, False]),
        ([np.inf, np.inf], "low", [False, False]),
        ([np.nan, 5.0, np.inf], "low", [False, True, False]),
        ([0.0, 1.0], "low", [True, False]),
        ([0.0, 0.0], "high", [False, False]),
        ([1.0], "low", [False]),
        ([1.0, 2.0], None, [False, False]),
    ],
)
def test_the_best_are_bold(values, better, bold):
    value = Value("ert_s", "ERT", better)
    frame = frame_of(values)
    assert latex.best(frame, ERT.keys, value).tolist() == bold
    tex = typeset_frame(frame, replace(ERT, values=(value,)))
    assert tex.count(r"\textbf") == sum(bold)


def test_intervals_are_in_small_brackets_ranks_in_parentheses_and_captions_complete():
    frame = frame_of([1.5, 2.5], ert_s_low=[1.25, np.nan], ert_s_high=[np.inf, np.nan])
    tex = typeset_frame(frame, ERT)
    assert r"{\scriptsize {[}1.25, $\infty${]}}" in tex
    assert r"{\scriptsize n/a}" in tex
    assert "n/a: not available." in tex
    frame = frame_of([1.0, np.inf], rank=[1.0, 2.5], text=["1 s", "> 0.8 s"])
    value = Value("ert_s", "ERT", "low", rank="rank", censored="text")
    tex = typeset_frame(frame, replace(ERT, values=(value,)))
    assert r"\textbf{1} & {\scriptsize (1)}" in tex
    assert r"$>$ 0.8 s & {\scriptsize (2.5)}" in tex
    layout = replace(ERT, caption="With {confidence} intervals and a {band}.")
    tex = typeset_frame(frame_of([1.0, 2.0], runs=[5, 10]), layout)
    assert r"With 95~\% intervals and a 0.25 to 0.75 quantile." in tex
    assert r"5 to 10 runs, budget of each: T~=~0.8~s and 1000 $\cdot$ D evaluations." in tex
    assert "Bold: the lowest value of all algorithms for each function and target." in tex


def test_long_texts_are_broken_into_lines():
    texts = ["one two three-four-five", "six"]
    frame = pd.DataFrame({"item": [1, 1], "part": ["a", "b"], "text": texts, "n": [1.5, 2.5]})
    layout = Layout("Texts.", (Value("text", "Text", wrap=9), Value("n", "N")), ("item", "part"))
    tex = typeset_frame(frame, layout)
    check(tex)
    lines = [line for line in tex.splitlines() if line.endswith(r"\\")][1:]
    assert lines == [
        r"1 & a & \parbox[t]{4.5em}{\raggedright one two t hree-four -five\strut} & 1.50 \\",
        r" & b & \parbox[t]{4.5em}{\raggedright six\strut} & 2.50 \\",
    ]
    assert [latex.grid(frame, layout).height(row) for row in (0, 1)] == [3, 1]


def many(algorithms, functions, targets):
    rows = [
        (f, f"algorithm-{a}", 10.0**-t, 1.0 + a)
        for f in range(functions)
        for a in range(algorithms)
        for t in range(targets)
    ]
    frame = pd.DataFrame(rows, columns=["function", "algorithm", "target", "ert_s"])
    return frame.assign(ert_s_low=frame["ert_s"], ert_s_high=frame["ert_s"])


@pytest.mark.parametrize("shape", [(2, 3, 2), (15, 24, 3), (15, 1, 11), (70, 1, 1), (1, 100, 1)])
@pytest.mark.parametrize("layout", [ERT, ERT.turned], ids=["as it is", "turned"])
def test_long_and_wide_tables_are_cut(shape, layout):
    whole = latex.grid(many(*shape), layout)
    tables = latex.tabulars(whole)
    assert all(table.lines <= latex.LINES for table in tables)
    assert max(map(latex.width_of, whole.groups)) < latex.CHARACTERS
    together = "\n".join(table.tex for table in tables)
    assert together.count(r"\scriptsize") == np.prod(shape)
    for page in latex.pages(tables):
        assert len(page) == 1 or sum(table.lines for table in page) <= latex.LINES


@pytest.mark.parametrize("shape", [(13, 24, 11), (104, 6, 11), (104, 24, 1), (2, 500, 1)])
def test_a_part_is_on_one_page_and_says_what_is_missing(shape):
    brackets = "Brackets: {confidence} interval."
    tex = typeset_frame(many(*shape), replace(ERT, name="long", brackets=brackets))
    check(tex)
    assert ("Brackets: 95~" in tex) is ("Intervals are not printed." not in tex)
    assert tex.count(r"\begin{table*}") == tex.count(r"\label{") == 1
    algorithms, functions, targets = shape
    assert ("Not every target is printed." in tex) is (targets > 1)
    assert (f"Of {algorithms} algorithms, the " in tex) is (algorithms > 13)
    assert ("rows, the first " in tex) is (functions > 100)
    assert len(tex.splitlines()) < 2 * latex.LINES


def test_a_whole_layout_takes_pages_and_each_function_has_its_own_digits():
    functions, algorithms = range(1, 31), [f"A{k}" for k in range(8)]
    keys = pd.MultiIndex.from_product([functions, algorithms], names=["function", "algorithm"])
    frame = keys.to_frame(index=False).assign(suite="s", dimension=5)
    frame["f"] = 10.0 ** (frame["function"] % 7 - 2) * 1.2345678 + frame.index % 8 * 1e-12
    frame.loc[0, "f"] = 0.011
    layout = Layout("F.", (Value("f", "f", "low", digits=5),), ("function", "algorithm"))
    tex = typeset_frame(frame, replace(layout, whole=True))
    check(tex)
    assert tex.count(r"\begin{table*}") == 5  # 240 rows
    assert tex.count("(continued)") == 4
    assert "12.346 " in tex
    assert "1234.6 " in tex
    assert "are printed" not in tex
    assert tex.count(r"\textbf") == 1  # of the others, all are printed alike
    assert typeset_frame(frame, layout).count(r"\begin{table*}") == 1


@pytest.mark.parametrize(
    ("points", "kept"),
    [
        (Points("target", 3), [1.0, 51.0, 101.0]),
        (Points("target", 1), [101.0]),
        (Points("target", 1000), [*map(float, range(1, 102))]),
        (Points("target", (0.5, 2.5, 10.0, np.inf)), [2.0, 10.0, 101.0]),
        (Points("target", (0.1, 1.0), relative=True), [10.0, 101.0]),
    ],
)
def test_few_points_of_a_curve_are_printed(points, kept):
    frame = frame_of([1.0]).merge(pd.DataFrame({"to": np.arange(1.0, 102.0)}), how="cross")
    frame["target"] = frame.pop("to")
    (part,) = parts(frame, replace(ERT, points=(points,)))
    assert part.rows["target"].tolist() == kept
    assert part.left_out == (("target",) if len(kept) < 101 else ())


def test_a_document_of_all_tables():
    tex = document(["ert", "runs"])
    assert re.findall(r"\\input\{(.*?)\}", tex) == ["ert.tex", "runs.tex"]
    assert re.findall(r"\\usepackage\{(.*?)\}", tex) == ["lmodern", "booktabs"]
    assert r"\IfFileExists{lmodern.sty}" in tex  # small installations of TeX lack it
    assert "No table." in document([])
