"""The page in a real browser that has no network."""

import pytest

pytestmark = pytest.mark.slow

FIGURES = dict.fromkeys(
    ("ranks", "ert", "ert_evaluations", "anytime", "ecdf", "profile", "quantiles"),
    "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='10' height='10'/>",
)
SECONDS = {"quick": 0.01, "slow": 0.5, "never": 50.0}
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


def count(browser, selector):
    return len(texts(browser, selector))


def test_the_page_is_there_with_all_its_parts(opened):
    assert texts(opened, "h1") == ["known"]
    assert texts(opened, ".headline")[0].startswith("quick ")
    links = opened.run("[...document.querySelectorAll('nav a')].map(it => it.hash)")
    assert "#findings" in links
    assert count(opened, "h2") == len(links)


@pytest.mark.parametrize("name", ["ert", "anytime", "ecdf", "profile"])
def test_charts_have_all_curves_and_axes_with_names_and_ticks_of_one_form(opened, name):
    panels = count(opened, f"#chart-{name} .panel")
    assert count(opened, f"#chart-{name} path.curve") == panels * len(SECONDS) > 0
    paths = opened.run(
        f"[...document.querySelectorAll('#chart-{name} path')].map(it => it.getAttribute('d'))"
    )
    assert not any("NaN" in path or "Infinity" in path for path in paths)
    assert all(map(len, texts(opened, f"#chart-{name} .axis")))
    assert count(opened, f"#chart-{name} .axis") == 2 * panels
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


def test_the_pointer_views_and_hidden_algorithms(opened):
    opened.hover("#chart-ecdf .panel svg")
    lines = texts(opened, ".tip:not([hidden]) div")
    assert sorted(line.split("0")[0].split("1")[0] for line in lines) == sorted(SECONDS)
    before = opened.run("document.querySelector('#chart-ert .panel').innerHTML")
    opened.click("#chart-ert .switch button:nth-child(2)")
    assert texts(opened, "#chart-ert [aria-pressed=true]") == ["evaluations"]
    assert opened.run("document.querySelector('#chart-ert .panel').innerHTML") != before
    opened.click(".legend button")
    assert count(opened, "#chart-profile path.curve") == 2
    opened.click(".legend button")
    assert count(opened, "#chart-profile path.curve") == 3


def test_a_table_is_sorted_by_click_and_by_enter(opened):
    opened.click("#table-paper_values summary")
    opened.until("document.querySelector('#table-paper_values tbody tr') !== null")
    place = texts(opened, "#table-paper_values thead th").index("algorithm") + 1
    heading = f"#table-paper_values thead th:nth-child({place})"

    def found():
        order = opened.run(f"document.querySelector('{heading}').getAttribute('aria-sort')")
        return order, texts(opened, f"#table-paper_values tbody td:nth-child({place})")[::8]

    assert found()[0] == "none"
    opened.click(f"{heading} button")
    assert found() == ("ascending", ["never", "quick", "slow"])
    opened.run(f"document.querySelector('{heading} button').focus()")
    opened.press("Enter")
    assert found() == ("descending", ["slow", "quick", "never"])


@pytest.mark.parametrize(("width", "dark"), [(320, True), (1280, False)])
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
    assert texts(browser, ".legend [aria-pressed=true]") == sorted(MANY)[:8]
    assert browser.run("document.querySelector('.legend details').open") is False
    assert count(browser, "#chart-ecdf .panel:first-child .curve") == 8
    assert count(browser, "#chart-ecdf .panel:first-child .rest") == 1
    browser.click(".legend summary")
    browser.click(".legend .others button")
    assert count(browser, "#chart-ecdf .panel:first-child .curve") == 9
    browser.hover("#chart-ecdf .panel svg")
    assert count(browser, ".tip:not([hidden]) div") == 9
    assert browser.faults == []
