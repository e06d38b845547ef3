"""The page in a real browser that has no network."""

import pytest

from timefair.report.exhibits import PictureFile

pytestmark = pytest.mark.slow

FIGURES = dict.fromkeys(
    ("ranks", "ert", "ert_evaluations", "anytime", "ecdf", "profile", "quantiles"),
    PictureFile(
        b"<svg xmlns='http://www.w3.org/2000/svg' width='10' height='10'/>", "image/svg+xml"
    ),
)
SECONDS = {"quick": 0.01, "slow": 0.5, "never": 50.0}
CHARTS = ("ranks", "ert", "anytime", "ecdf", "profile")


DRAWN = "[...document.querySelectorAll('[id^=chart-]')].every(it => it.hasChildNodes())"
"""All charts are drawn."""


@pytest.fixture(scope="module")
def of_three(written):
    return written(SECONDS, figures=FIGURES)


@pytest.fixture
def opened(browser, of_three):
    """The browser at that page, and that nothing went wrong there."""
    browser.open(of_three)
    browser.until(DRAWN)
    yield browser
    assert browser.faults == []
    assert [url for url in browser.requests if not url.startswith("data:")] == [of_three.as_uri()]


def texts(browser, selector):
    return browser.run(f"[...document.querySelectorAll('{selector}')].map(it => it.textContent)")


def test_the_page_is_there_with_all_its_parts(opened):
    assert texts(opened, "h1") == ["known"]
    assert texts(opened, ".headline")[0].startswith("quick ")
    links = opened.run("[...document.querySelectorAll('nav a')].map(it => it.hash)")
    assert "#findings" in links
    assert opened.run("document.querySelectorAll('h2').length") == len(links)


@pytest.mark.parametrize("name", [name for name in CHARTS if name != "ranks"])
def test_axes_have_names_and_ticks_of_one_form(opened, name):
    panels = opened.run(f"document.querySelectorAll('#chart-{name} .panel').length")
    assert all(map(len, texts(opened, f"#chart-{name} .axis")))
    assert len(texts(opened, f"#chart-{name} .axis")) == 2 * panels
    inside = (
        f"[...document.querySelectorAll('#chart-{name} .axis')].every(it => "
        "(([a, b]) => a.top >= b.top && a.bottom <= b.bottom)"
        "([it, it.closest('svg')].map(it => it.getBoundingClientRect())))"
    )
    assert opened.run(inside)
    for axis in ("middle", "end"):
        selector = f"#chart-{name} .panel:first-child .grid text[text-anchor={axis}]"
        decades = {tick.startswith("10") and tick[2:3] > "9" for tick in texts(opened, selector)}
        assert len(decades) == 1


@pytest.mark.parametrize("name", CHARTS)
def test_figures_appear(opened, name):
    drawn = opened.run(
        f"[...document.querySelectorAll('#chart-{name} svg')].map(it =>"
        "it.querySelectorAll('path.curve, .rank circle').length)"
    )
    assert drawn
    assert all(count == len(SECONDS) for count in drawn)
    paths = opened.run(
        f"[...document.querySelectorAll('#chart-{name} path')].map(it => it.getAttribute('d'))"
    )
    assert not any("NaN" in path or "Infinity" in path for path in paths)


def test_the_pointer_views_and_hidden_algorithms(opened):
    opened.hover("#chart-ecdf .panel svg")
    lines = texts(opened, ".tip:not([hidden]) div")
    assert sorted(line.split("0")[0].split("1")[0] for line in lines) == sorted(SECONDS)
    before = opened.run("document.querySelector('#chart-ert .panel').innerHTML")
    opened.click("#chart-ert .switch button:nth-child(2)")
    assert texts(opened, "#chart-ert [aria-pressed=true]") == ["evaluations"]
    assert opened.run("document.querySelector('#chart-ert .panel').innerHTML") != before
    assert opened.run("document.activeElement.textContent") == "evaluations"
    opened.click(".legend button")
    assert opened.run("document.querySelectorAll('#chart-profile path.curve').length") == 2
    opened.click(".legend button")
    assert opened.run("document.querySelectorAll('#chart-profile path.curve').length") == 3


def open_table(browser, name):
    browser.click(f"#table-{name} summary")
    browser.until(f"document.querySelector('#table-{name} tbody tr') !== null")


def column(browser, name, label):
    head = texts(browser, f"#table-{name} thead th")
    return texts(browser, f"#table-{name} tbody td:nth-child({head.index(label) + 1})")


def sorting(browser, name, label):
    place = texts(browser, f"#table-{name} thead th").index(label) + 1
    return f"#table-{name} thead th:nth-child({place})"


def order(browser, heading):
    return browser.run(f"document.querySelector('{heading}').getAttribute('aria-sort')")


def test_a_table_is_sorted_by_click_and_by_enter(opened):
    open_table(opened, "paper_values")
    heading = sorting(opened, "paper_values", "algorithm")
    assert order(opened, heading) == "none"
    opened.click(f"{heading} button")
    assert order(opened, heading) == "ascending"
    assert column(opened, "paper_values", "algorithm")[::8] == ["never", "quick", "slow"]
    opened.run(f"document.querySelector('{heading} button').focus()")
    opened.press("Enter")
    assert order(opened, heading) == "descending"
    assert column(opened, "paper_values", "algorithm")[0] == "slow"


@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_nothing_is_wider_than_the_window(browser, of_three, width, dark):
    browser.open(of_three, width=width, dark=dark)
    browser.until(DRAWN)
    assert browser.run("document.documentElement.scrollWidth") <= width
    red = browser.run("getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]")
    assert (int(red) < 64) is dark
    assert browser.faults == []


MANY = {f"n{k:02}": 0.01 + 0.01 * k for k in range(20)}


def test_of_many_algorithms_the_best_are_in_colour_and_the_others_grey(browser, written):
    browser.open(written(MANY, figures=FIGURES, made=("ranks", "ert", "ecdf")))
    browser.until(DRAWN)
    pressed = texts(browser, ".legend [aria-pressed=true]")
    assert pressed == sorted(MANY)[:8]
    assert browser.run("document.querySelector('.legend details').open") is False
    assert (
        browser.run("document.querySelectorAll('#chart-ecdf .panel:first-child .curve').length")
        == 8
    )
    assert (
        browser.run("document.querySelectorAll('#chart-ecdf .panel:first-child .rest').length") == 1
    )
    browser.click(".legend summary")
    browser.click(".legend .others button")
    assert (
        browser.run("document.querySelectorAll('#chart-ecdf .panel:first-child .curve').length")
        == 9
    )
    browser.hover("#chart-ecdf .panel svg")
    assert len(texts(browser, ".tip:not([hidden]) div")) == 9
    assert browser.faults == []
