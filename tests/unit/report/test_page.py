"""The page of a report, its description and pictures, the checklist, and published data in it."""

import gzip
import json
import re
from base64 import b64decode
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from math import nan

import numpy as np
import pandas as pd
import pytest

from timefair.report import account, exhibits, read_description
from timefair.report.account import implementations
from timefair.report.evidence import Evidence
from timefair.report.exhibits import pictures
from timefair.report.findings import by_cost, findings, leading
from timefair.report.markup import Names
from timefair.report.page import page


class Reader(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.elements = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))


def data_of(text):
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])


@pytest.mark.slow
def test_the_page_asks_for_nothing_else_and_has_every_anchor_once(written):
    text = written({"A": 0.1, "B": 0.2}).read_text()
    elements = Reader(text).elements
    for _, attributes in elements:
        for name in ("src", "href"):
            assert attributes.get(name, "#").startswith(("#", "data:"))
    assert "@import" not in text
    assert "url(" not in re.sub(r"url\(#\$\{clip\}\)", "", text)
    names = [attributes["id"] for _, attributes in elements if "id" in attributes]
    assert len(names) == len(set(names))
    assert {attributes["href"][1:] for tag, attributes in elements if tag == "a"} <= set(names)


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
    svg = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>"
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
        {"algorithm": ["A", "B", None], "s_per_evaluation": [1.23456789, np.inf, np.nan]}
    )
    table = exhibits.table("overhead", frame)
    assert values_of(table, "s_per_evaluation")["values"] == [1.23, "inf", None]
    assert values_of(table, "algorithm")["words"] == ["A", "B"]
    assert values_of(table, "algorithm")["codes"] == [0, 1, -1]


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
    assert unpacked(text, "ecdf") == exhibits.table("ecdf", frame)


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
    views = [view for chart in exhibits.drawn(known.tables) for view in chart["views"]]
    assert axis in {view["x_label"] for view in views}
    assert not any("seconds" in view["x_label"] for view in views if clock == "reference")
    found = findings(known, known.spaces[0])
    wants = [one.want for one in found.situations]
    assert any(duration in want for want in wants if want.startswith("You have"))
    assert "You count seconds" not in wants
    assert all(duration in one.value for one in found.functions)


@pytest.mark.slow
@pytest.mark.parametrize("targets", ["share", "value"])
def test_without_a_known_optimum_the_page_says_neither_precision_nor_solved(evidence, targets):
    values = {"target_values": [1.0, 0.1]} if targets == "value" else {}
    made = ("comparison", "ranks", "ert", "quantiles", "anytime", "profile", "paper_values")
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


SECONDS = {"quick": 0.01, "slow": 0.5, "never": 50.0}


def test_the_console_finds_the_verdict_and_how_the_runs_went(evidence, tmp_path):
    known = evidence(SECONDS)
    written = tmp_path / "report.html"
    written.write_text(page(known.tables, {}, known.campaign), encoding="utf-8")
    verdict, runs = read_description(written)
    assert verdict.startswith("quick wins over 8 functions")
    assert runs == "0 of 240 runs failed, 0 were perturbed."


def spoken(html):
    return re.findall(r'aria-label="([^"]*)"', html)


def test_the_slopes_and_the_ecdf_have_the_numbers_of_the_tables(evidence):
    found = evidence(SECONDS)
    rows = found.table("comparison").query("criterion == 'ERT' and function == 'all'")
    slopes, _ = spoken(pictures(found, Names.of(SECONDS)))
    for measure, unit in (("seconds", "time"), ("evaluations", "evaluations")):
        of = rows[rows["measure"] == measure]
        ranks = dict(zip(of["algorithm_a"], of["value_a"], strict=True))
        ranks |= dict(zip(of["algorithm_b"], of["value_b"], strict=True))
        for name, rank in ranks.items():
            said = re.search(rf"{name} [^;]*?([\d.]+) by {unit}", slopes)[1]
            assert float(said) == pytest.approx(rank, rel=0.01)
    _, ecdf = spoken(pictures(found, Names.of(SECONDS)))
    rows = found.table("ecdf").query("unit == 'seconds' and function == 'all'")
    for name, share in rows.groupby("algorithm", observed=True)["fraction"].last().items():
        assert f"{name} {100 * share:.0f} %" in ecdf
    rows = found.table("ecdf")
    without = {"ecdf": rows[rows["function"].astype(str) != "8"]}  # the space does not have it
    assert (
        "51 targets (precisions 1 to 0.1), 7 functions with 2 instances, 80 runs per algorithm of "
        "1 s."
    ) in pictures(Evidence(without, found.campaign), Names.of(SECONDS))


def test_the_pictures_are_of_the_dimension_with_the_most_functions(evidence):
    found = evidence(SECONDS)
    rows = found.table("comparison")
    none = {"comparison": rows.assign(target=nan)}
    assert pictures(Evidence(none, found.campaign), Names.of(SECONDS)) == ""  # no ERT to rank by
    more = rows[rows["function"].isin(["1", "all"])].assign(dimension=40)
    both = {"comparison": pd.concat([rows, more])}
    assert "8 functions, bbob, 2 dimensions." in pictures(
        Evidence(both, found.campaign), Names.of(SECONDS)
    )


def test_implementations_and_their_speed_are_on_the_first_screen(evidence):
    line = implementations(evidence(SECONDS))
    assert "quick 200\u00a0(98\u00a0%), slow" in line
    assert line.endswith(", Python with numpy.</p>\n")


def row(item=1, part="Time T", evidence="T = 1 s", missing=None, topic="Budget", met=True):
    return {
        "item": item, "topic": topic, "part": part, "met": met if missing is None else False,
        "evidence": evidence, "missing": missing,
    }  # fmt: skip


ROWS = [
    row(),
    row(part="Overshoot", evidence=None, missing="2 runs"),
    row(item=2, topic="Restarts", part="Policy", evidence="independent"),
]


def parts_of(text):
    rows = [
        re.findall(r"<t[dh].*?>(.*?)</t[dh]>", r) for r in re.findall(r"<tr.*?</tr>", text, re.S)
    ]
    texts = [[unescape(re.sub("<.*?>", "", cell)) for cell in cells] for cells in rows]
    return [cells for cells in texts if cells[0] != "Part"]


def test_every_row_is_on_the_page_and_an_item_is_met_if_all_its_parts_are():
    text = account.checklist_page(ROWS, "trial", "")
    assert parts_of(text) == [
        ["Time T", "✓ met", "T = 1 s", ""],
        ["Overshoot", "✗ not met", "", "2 runs"],
        ["Policy", "✓ met", "independent", ""],
    ]
    assert "1 of 8" not in text
    assert '1 of 2 items are met. Not met: <a href="#item-1">Budget</a>.' in text
    assert "2 of 2 items are met.</p>" in account.checklist_page([ROWS[0], ROWS[2]], "trial", "")


@pytest.mark.parametrize("said", ["<script>alert(1)</script>", "a & b", '"><b>', "{campaign}"])
def test_texts_are_no_html(said):
    text = account.checklist_page(
        [row(evidence=said, missing=said, part=said, topic=said)], said, said
    )
    assert not {"script", "b"} & set(re.findall(r"<(\w+)", text))
    assert parts_of(text) == [[said, "✗ not met", said, said]]
    assert unescape(text).count(said) >= 6


def test_in_seconds_only_who_was_measured_is_compared(evidence):
    known = evidence(SECONDS, functions=1, made=("ert",))
    ert = known.table("ert")
    ert.loc[ert["algorithm"] == "quick", "ert_s"] = nan  # as of published data
    ((function, (target, results)),) = by_cost(known, known.spaces[0], "seconds").items()
    assert (function, target, set(results)) == (1, 0.1, {"slow", "never"})
