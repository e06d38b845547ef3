"""The page as a file: whole, alone, and with nothing taken for HTML that is none."""

import gzip
import json
import re
from base64 import b64decode
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from timefair import cli
from timefair.campaign import plan
from timefair.exhibits.files import write
from timefair.exhibits.registry import TABLES
from timefair.report import charts, payload
from timefair.report.account import in_one_sentence
from timefair.report.exhibits import PictureFile
from timefair.report.findings.leading import leading
from timefair.report.findings.situations import findings
from timefair.report.markup import Names
from timefair.report.page import page

FEW = {"tables": ["ert"], "figures": ["ecdf"]}


class Reader(HTMLParser):
    """All elements and their attributes."""

    def __init__(self, text):
        super().__init__()
        self.elements = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))


def data_of(text):
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])


@pytest.mark.slow
def test_the_page_asks_for_nothing_else(written):
    text = written({"A": 0.1, "B": 0.2}).read_text()
    for _, attributes in Reader(text).elements:
        for name in ("src", "href"):
            assert attributes.get(name, "#").startswith(("#", "data:"))
    assert "@import" not in text
    assert "url(" not in re.sub(r"url\(#\$\{clip\}\)", "", text)


@pytest.mark.slow
def test_every_anchor_is_there_once(written):
    elements = Reader(written({"A": 0.1, "B": 0.2}).read_text()).elements
    names = [attributes["id"] for _, attributes in elements if "id" in attributes]
    assert len(names) == len(set(names))
    links = {attributes["href"][1:] for tag, attributes in elements if tag == "a"}
    assert links <= set(names)


@pytest.mark.slow
def test_names_are_never_taken_for_html(written):
    evil = 'DE</script><script>faults.push("run")</script>&"'
    text = written({evil: 0.1, "B": 0.2}).read_text()
    scripts = [attributes for tag, attributes in Reader(text).elements if tag == "script"]
    assert [one for one in scripts if not one.get("id", "").startswith("data")] == [{}]
    assert {look["name"] for look in data_of(text)["algorithms"]} == {evil, "B"}


@pytest.mark.parametrize("tables", [(), ("runs",), ("ranks",), ("ecdf", "checklist")])
def test_a_campaign_of_few_tables_has_a_page(written, tables):
    text = written({"A": 0.1, "B": 0.2}, made=tables).read_text()
    assert set(data_of(text)["tables"]) == set(tables)
    assert '<h2 id="findings">' in text


@pytest.mark.slow
def test_a_campaign_without_runs_has_a_page(written):
    assert "Empty tables" in written({"A": 0.1, "B": 0.2}, runs=0).read_text()


@pytest.mark.slow
def test_figures_that_the_page_does_not_draw_are_pictures(written):
    svg = PictureFile(b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml")
    text = written({"A": 0.1, "B": 0.2}, figures={"ert": svg, "quantiles": svg}).read_text()
    images = [attributes for tag, attributes in Reader(text).elements if tag == "img"]
    assert [image["alt"] for image in images] == [
        "Quantiles of the precision at the end; the numbers are in the table quantiles."
    ]
    drawn = {view["figure"] for chart in data_of(text)["charts"] for view in chart["views"]}
    assert "ert" in drawn
    assert "quantiles" not in drawn


def values_of(table, name):
    return next(column for column in table["columns"] if column["name"] == name)


def test_numbers_are_rounded_and_what_is_no_number_is_told():
    frame = pd.DataFrame(
        {"algorithm": ["A", "B", None], "per_evaluation": [1.23456789, np.inf, np.nan]}
    )
    table = payload.table("units", frame)
    assert values_of(table, "per_evaluation")["values"] == [1.23, "inf", None]
    assert values_of(table, "algorithm")["words"] == ["A", "B"]
    assert values_of(table, "algorithm")["codes"] == [0, 1, -1]


def test_level_stretches_of_a_curve_keep_their_ends():
    frame = pd.DataFrame(
        {
            "algorithm": ["A"] * 4 + ["B"] * 2,
            "cost": [1.0, 2, 3, 4, 1, 2],
            "fraction": [0.0, 0, 0, 1, 1, 1],
        }
    )
    table = payload.table("ecdf", frame)
    assert values_of(table, "cost")["values"] == [1, 3, 4, 1, 2]
    assert (table["rows"], table["shown"]) == (6, 5)


def unpacked(text, name):
    found = re.search(f'id="data-{name}">(.*?)</script>', text, re.DOTALL)
    return json.loads(gzip.decompress(b64decode(found[1])))


@pytest.mark.slow
def test_long_tables_are_compressed_and_short_ones_are_not(evidence, written):
    text = written({"A": 0.1, "B": 0.2}).read_text()
    known = data_of(text)["tables"]
    assert "columns" in known["friedman"]
    assert "columns" not in known["ecdf"]
    frame = evidence({"A": 0.1, "B": 0.2}).table("ecdf")
    assert unpacked(text, "ecdf") == payload.table("ecdf", frame)


def test_points_of_long_curves_that_change_nothing_visible_are_omitted(monkeypatch):
    monkeypatch.setattr(payload, "SMOOTH_ROWS", 10)
    share = np.linspace(0, 1, 5001)
    frame = pd.DataFrame({"algorithm": "A", "cost": np.arange(1.0, 5002.0), "fraction": share})
    table = payload.table("ecdf", frame)
    cost, fraction = (np.array(values_of(table, name)["values"]) for name in ("cost", "fraction"))
    assert 300 < table["shown"] < 1200
    assert (cost[0], cost[-1]) == (1, 5001)
    held = fraction[np.searchsorted(cost, frame["cost"], side="right") - 1]
    assert np.abs(held - share).max() < 2 * payload.SEEN


def test_a_curve_keeps_where_it_begins_to_be_known(monkeypatch):
    monkeypatch.setattr(payload, "SMOOTH_ROWS", 1)
    values = [np.nan, np.nan, np.inf, np.inf, 100.0, 100.01, 100.02, 1.0]
    frame = pd.DataFrame({"algorithm": "A", "cost": np.arange(1.0, 9.0), "median": values})
    kept = values_of(payload.table("anytime", frame), "cost")["values"]
    assert {3, 5, 8} <= set(kept)


@pytest.mark.slow
def test_a_page_of_one_campaign_is_the_same_every_time(written):
    pages = [written({"A": 0.1, "B": 0.2}, fresh=True).read_bytes() for _ in range(2)]
    assert pages[0] == pages[1]


@pytest.mark.slow
def test_the_best_of_many_algorithms_come_first(evidence):
    many = {f"n{k:02}": 0.5 - 0.02 * k for k in range(17)}
    order = leading(evidence(many, made=("ranks",)))
    assert order == sorted(many, reverse=True)
    names = Names.of(many, first=order)
    assert names.shown == frozenset(order[:8])
    assert "9 others" in names.legend()
    assert Names.of(list(many)[:16], first=order).shown == frozenset(list(many)[:16])


@pytest.mark.slow
@pytest.mark.parametrize("size", [1000, 600_000])
def test_pictures_that_are_too_large_stay_files(written, size):
    picture = PictureFile(b"<svg/>" + b" " * size, "image/svg+xml")
    text = written({"A": 0.1, "B": 0.2}, figures={"quantiles": picture}).read_text()
    assert ("<code>figures/quantiles</code></small>: too large" in text) is (size > 500_000)
    assert ("data:image/svg+xml;base64" in text) is (size < 500_000)


@pytest.mark.slow
def test_many_functions_are_folded(written):
    assert (
        "<summary><h4>Function by function (9)"
        in written({"A": 0.1, "B": 0.2}, functions=9).read_text()
    )
    assert "<h4>Function by function</h4>" in written({"A": 0.1, "B": 0.2}).read_text()


def test_a_table_that_is_too_long_is_left_to_its_file(monkeypatch):
    monkeypatch.setattr(payload, "MOST_ROWS", 1)
    table = payload.table("drift", pd.DataFrame({"algorithm": ["A", "B"], "runs": [1, 2]}))
    assert (table["rows"], table["shown"]) == (2, 0)


def test_large_curves_have_the_limits_of_leading_algorithms(monkeypatch):
    monkeypatch.setattr(payload, "SMOOTH_ROWS", 3)
    curves = {"algorithm": ["A", "A", "B", "B"], "cost": [1.0, 2.0, 1.0, 2.0]}
    limits = {"median_low": [2.0, 1.0, 3.0, 2.0], "median_high": [4.0, 2.0, 5.0, 3.0]}
    frame = pd.DataFrame(curves | {"median": [3.0, 1.0, 4.0, 2.0]} | limits)
    of_all, of_one = (payload.table("anytime", frame, first) for first in (None, {"A"}))
    assert values_of(of_all, "median_low")["values"] == [2, 1, 3, 2]
    assert values_of(of_one, "median_low")["values"] == [2, 1, None, None]
    assert values_of(of_one, "median")["values"] == [3, 1, 4, 2]
    assert (of_all["note"], of_one["note"]) == ("", payload.FEW_LIMITS)


def test_tables_that_do_not_fit_are_left_to_their_files(monkeypatch):
    sizes = {"ert": 50, "ecdf": 4000, "drift": 2000, "units": payload.SHORT_ROWS}
    frames = {
        name: pd.DataFrame({"algorithm": [f"A{k}" for k in range(size)]})
        for name, size in sizes.items()
    }
    tables = payload.packing(frames)()
    whole = payload.table("drift", frames["drift"])
    assert tables["drift"].form == payload.packed(whole)
    assert tables["drift"].facts == {key: whole[key] for key in whole if key != "columns"}
    assert tables["units"] == (payload.table("units", frames["units"]), "")
    forms = {name: table.form for name, table in tables.items() if table.form}
    assert payload.fitting(tables, first={"ecdf"}) == forms
    monkeypatch.setattr(payload, "TABLES_BYTES", len(forms["ecdf"] + forms["ert"]))
    assert set(payload.fitting(tables, first={"ecdf"})) == {"ecdf", "ert"}
    assert payload.without_rows(tables["drift"].facts)["rows"] == 2000


@pytest.mark.slow
def test_two_processes_make_the_same_page_as_one(evidence):
    known = evidence({"A": 0.1, "B": 0.2})
    alone, both = (page(known.tables, {}, known.campaign, cores=cores) for cores in (1, 2))
    assert alone == both


def test_limits_belong_to_their_value(evidence):
    table = payload.table("ert", evidence({"A": 0.1, "B": 0.2}).table("ert"))
    ert = values_of(table, "ert_s")
    assert [table["columns"][place]["name"] for place in ert["limits"]] == [
        "ert_s_low",
        "ert_s_high",
    ]
    assert values_of(table, "ert_s_low")["hidden"]
    assert values_of(table, "algorithm")["key"]


@pytest.mark.slow
def test_the_command_makes_the_page_of_files(evidence, tmp_path):
    known = evidence({"A": 0.1, "B": 0.2})
    (tmp_path / "tables").mkdir()
    for name in ("ert", "ranks"):
        write(known.table(name), tmp_path / f"tables/{name}.parquet")
    plan.write_snapshot(known.campaign, tmp_path)
    assert cli.main(["report", str(tmp_path)]) == 0
    assert set(data_of((tmp_path / "report.html").read_text())["tables"]) == {"ert", "ranks"}
    assert (tmp_path / "tables/tables.tex").is_file()
    assert not (tmp_path / "checklist.html").exists()  # its table was not made


def test_a_folder_without_tables_is_one_line(tmp_path, evidence, capsys):
    plan.write_snapshot(evidence({"A": 0.1}, made=()).campaign, tmp_path)
    line = f"timefair: {tmp_path}: has no tables; start snakemake and wait until it ends\n"
    assert cli.main(["report", str(tmp_path)]) == 2
    assert capsys.readouterr().err == line
    assert [path.name for path in tmp_path.iterdir()] == ["campaign.json"]


@pytest.mark.slow
def test_every_table_with_rows_has_its_place(written):
    text = written({"A": 0.1, "B": 0.2}).read_text()
    places = {a["data-table"] for _, a in Reader(text).elements if "data-table" in a}
    with_rows = {name for name, table in data_of(text)["tables"].items() if table["rows"]}
    assert places == with_rows - {"checklist"}
    assert places < set(TABLES)


def test_what_the_page_needs_is_made_though_nobody_asked_for_it(evidence):
    campaign = evidence({"A": 0.1}, made=(), **FEW).campaign
    measurement = {"checklist", "perturbation", "drift", "leftovers", "timing_noise", "runs"}
    assert set(campaign.made_tables) == {"ert", "ecdf", *measurement}
    assert campaign.table_names == ("ert",)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({}, "2 instances each, with 5 runs per instance and 1"),
        ({"stopping": {"rule": "quantile"}}, "each, with at most 5 runs per instance and 1"),
    ],
)
def test_the_first_sentence_says_at_most_if_a_rule_may_stop_earlier(evidence, keys, said):
    campaign = evidence({"fast": 0.01, "slow": 0.1}, made=(), **keys).campaign
    assert said in in_one_sentence(campaign)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("clock", "axis", "duration"),
    [
        ("cpu", "CPU time in seconds", "of CPU time"),
        ("reference", "reference units", "reference units"),
    ],
)
def test_axes_and_findings_name_the_clock(clock, axis, duration, evidence):
    known = evidence({"A": 0.1, "B": 0.2, "C": 0.4})
    of_clock = known.campaign.statistics.model_copy(update={"time": clock})
    known = replace(known, campaign=known.campaign.model_copy(update={"statistics": of_clock}))
    for frame in known.tables.values():
        frame.attrs["clock"] = clock
    views = [view for chart in charts.drawn(known.tables) for view in chart["views"]]
    assert axis in {view["x_label"] for view in views}
    assert not any("seconds" in view["x_label"] for view in views if clock == "reference")
    found = findings(known, known.spaces[0])
    wants = [one.want for one in found.situations]
    assert any(duration in want for want in wants if want.startswith("You have"))
    assert "You count seconds" not in wants
    assert all(duration in one.value for one in found.functions)


@pytest.mark.slow
def test_names_of_functions_are_beside_their_numbers(written):
    problems = {
        "suite": "bbob", "functions": "1-8", "dimensions": 2, "instances": "1-2",
        "names": {"1": "a <bowl>"},
    }  # fmt: skip
    text = written({"A": 0.1, "B": 0.2}, problems=problems, made=("ert", "comparison")).read_text()
    assert data_of(text)["functions"]["1"] == "f1 a <bowl>"
    assert data_of(text)["functions"]["8"] == "f8 Rosenbrock"
    assert '<th scope="row">f1 a &lt;bowl&gt;</th>' in text


@pytest.mark.slow
@pytest.mark.parametrize("targets", ["share", "value"])
def test_without_a_known_optimum_the_page_says_neither_precision_nor_solved(evidence, targets):
    values = {"target_values": [1.0, 0.1]} if targets == "value" else {}
    made = (
        "comparison",
        "ranks",
        "ert",
        "quantiles",
        "anytime",
        "profile",
        "data_profile",
        "means",
    )
    known = evidence({"A": 0.1, "B": 0.2, "C": 0.3}, made=made, **values)
    for frame in known.tables.values():
        frame.attrs |= {"optimum": "unknown", "targets": targets}
    text = page(known.tables, {}, known.campaign)
    read = re.sub(r"<(style|script).*?</\1>", "", text, flags=re.DOTALL)
    assert re.findall(r"[^.>]*(?:[Pp]recision|\b[Ss]olve[sd]\b)[^.<]*", read) == []
    assert "% of them" in read
    assert ("reaches all by construction" in read) == (targets == "share")
    for table in data_of(text)["tables"].values():
        for column in table.get("columns", ()):
            assert "recision" not in column["label"] + column["meaning"]
    for chart in data_of(text)["charts"]:
        labels = [view[key] for view in chart["views"] for key in ("label", "note")]
        assert "recision" not in chart["title"] + "".join(labels)


def test_the_headline_of_a_single_space_is_there_once(written):
    text = written({"A": 0.1, "B": 0.2}, made=("ert", "ranks", "friedman")).read_text()
    assert text.count('<p class="headline">') == 1
