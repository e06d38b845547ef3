"""The explorer in a browser: its numbers are those of Python, and its address keeps the choice."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import parse_qs

import numpy as np
import pytest

from timefair import cli
from timefair.extensions.database import explorer, store
from timefair.extensions.database.standings import spaces
from timefair.statistics.evaluation_cost import at_cost
from timefair.statistics.rank_tests import rank

DATABASE = Path(__file__).parents[3] / "timefair-data/database-bbob-5.zip"
SETTINGS = (
    "unit=0&cost=0&budget=0.3",
    "unit=0&cost=0&budget=0.01&hard=4",
    "unit=0&cost=0.001&budget=5",
    "unit=0&cost=0.1&budget=600",
    "unit=0&cost=0.1&budget=600&easy=2&hard=5&functions=1,3,9",
    "unit=0&cost=10&budget=1000&functions=23",
    "unit=1&budget=500",
    "unit=1&budget=5000&easy=4",
    "unit=1&budget=50000&functions=5,7,11,13,15",
    "unit=1&budget=200&hard=2&functions=21",
)
ROWS = """[...document.querySelectorAll("tr[data-name]")].map(row =>
    [row.dataset.name, Number(row.dataset.share), Number(row.dataset.rank)])"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Of two of the designs."""
    folder = tmp_path_factory.mktemp("explorer")
    for line in (DATABASE.parent / store.DIGESTS).read_text().splitlines(keepends=True):
        if (name := line.split()[1]) in {DATABASE.name, "database-cec2022-10.zip"}:
            (folder / name).symlink_to(DATABASE.with_name(name))
            with (folder / store.DIGESTS).open("a") as digests:
                digests.write(line)
    path = folder / "explore.html"
    path.write_text(explorer.page(folder), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def costs():
    with store.opened(DATABASE) as design:
        (found,) = spaces(design.runs.timed_by(design.analysis.time), design.analysis)
    return found


def shown(browser, page, setting):
    browser.go("about:blank")  # another place of the same page would not be loaded
    browser.go(f"{page.as_uri()}#{setting}")
    browser.until(f"document.documentElement.dataset.ready === '#{setting}'")
    return {name: (share, place) for name, share, place in browser.run(ROWS)}


def expected(costs, setting):
    asked = {key: of[0] for key, of in parse_qs(setting).items()}
    cost, budget = float(asked.get("cost", 0)), float(asked["budget"])
    spent = costs.evaluations if asked["unit"] == "1" else at_cost(
        costs.seconds, costs.evaluations, cost)  # fmt: skip
    chosen = slice(int(asked.get("easy", 0)), int(asked.get("hard", spent.shape[-1])) + 1)
    functions = [int(f) for f in asked.get("functions", "").split(",") if f] or costs.functions
    on = [costs.functions.index(f) for f in functions]
    shares = (spent[:, on, :, chosen] <= budget).mean(axis=(2, 3))
    places = np.array([rank(-of) for of in shares.round(6).T]).mean(axis=0)
    return dict(zip(costs.labels, zip(shares.mean(axis=1), places, strict=True), strict=True))


@pytest.mark.parametrize("setting", SETTINGS)
def test_its_numbers_are_those_of_python(browser, page, costs, setting):
    found, right = shown(browser, page, setting), expected(costs, setting)
    assert found.keys() == right.keys()
    for name, numbers in right.items():
        assert found[name] == pytest.approx(numbers, rel=1e-3, abs=1e-3), name
    assert browser.faults == []
    assert browser.requests == [page.as_uri()] or not browser.requests


def test_a_choice_changes_the_address_and_the_page(browser, page):
    shown(browser, page, SETTINGS[0])
    browser.run("(() => { const box = document.querySelector('input[name=budget]');"
                "box.value = 0.02; box.dispatchEvent(new Event('change')); })()")  # fmt: skip
    browser.until("document.querySelector('h2').textContent === 'Within 0.02 s'")
    assert "budget=0.02" in browser.run("location.hash")
    assert browser.run("document.querySelectorAll('#shown svg').length") == 2
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(("width", "dark"), [(400, False), (1300, True)])
def test_it_fits_the_window(browser, page, width, dark):
    browser.open(page, width=width, dark=dark)
    browser.until("document.querySelector('#shown table') !== null")
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")


def test_a_file_of_rank_is_dropped_onto_it(browser, page, tmp_path):
    data = json.loads(re.search(r'id="data">(.*?)</script>', page.read_text(), re.S)[1])
    space, *others = data["spaces"]
    assert {one["title"] for one in others} == {"cec2022, D = 10"}
    assert page.stat().st_size < 10_000_000
    one = {**space, "labels": ["mine"]}
    browser.open(page)
    browser.until("document.querySelector('#shown table') !== null")
    browser.run(f"explorer.drop(new File([{json.dumps(json.dumps({'spaces': [one]}))}], 'x.json'))")
    assert "mine" in {name for name, *_ in browser.run(ROWS)}
    other = json.dumps(json.dumps({"spaces": [{**one, "title": "pbo, D = 16"}]}))
    browser.open(page)
    browser.until("document.querySelector('#shown table') !== null")
    browser.run(f"explorer.drop(new File([{other}], 'x.json'))")
    assert "x.json: has no runs" in browser.run(
        "document.querySelector('[role=alert]').textContent"
    )


def test_a_campaign_has_the_page_too(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["report", str(DATABASE), "--explore"]) == 0
    assert capsys.readouterr().out == "explore.html\n"
    assert (tmp_path / "explore.html").is_file()
    assert cli.main(["report", "nowhere", "--explore"]) == 2
    assert "nowhere" in capsys.readouterr().err
