"""The documentation site is built without a warning, and its search works."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx")
pytest.importorskip("furo")

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
RESULTS = r"""new Promise(done => {
    const look = () => {
        const ended = document.querySelector("#search-results .search-summary");
        const found = document.querySelectorAll("#search-results li a");
        const all = ended && /found \d+ page/.test(ended.textContent);
        all ? done([...found].map(it => it.textContent)) : setTimeout(look, 20);
    };
    look();
})"""
"""A promise of the titles that the search has found."""


def build(output: Path, *options: str) -> None:
    words = [sys.executable, "-m", "sphinx", "-q", "-W", *options, "-c", "docs", ".", str(output)]
    path = os.pathsep.join([str(ROOT / "workflow"), os.environ.get("PYTHONPATH", "")])
    built = subprocess.run(
        words, cwd=ROOT, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stderr


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    output = tmp_path_factory.mktemp("site")
    build(output)
    return output


@pytest.mark.thorough
def test_search_works_without_a_network(site, browser):
    browser.open(site / "docs/README.html")
    assert browser.run("document.querySelector('h1').textContent").startswith("Documentation")
    asked = (site / "search.html").as_uri() + "?q=restart"
    browser.go(asked)
    titles = browser.run(RESULTS)
    assert "Would another restart policy be better?" in titles
    assert [url for url in browser.requests if not url.startswith(("data:", "file:"))] == []
