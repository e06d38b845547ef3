"""The description of a page: what the console prints at the end of a campaign."""

from timefair.report import description
from timefair.report.page import page

SECONDS = {"quick": 0.01, "slow": 0.5, "never": 50.0}


def test_the_console_finds_the_verdict_and_how_the_runs_went(evidence, tmp_path):
    known = evidence(SECONDS)
    written = tmp_path / "report.html"
    written.write_text(page(known.tables, {}, known.campaign), encoding="utf-8")
    verdict, runs = description.read(written)
    assert verdict.startswith("quick wins over 8 functions")
    assert runs == "0 of 240 runs failed, 0 were perturbed."


def test_lines_come_back_as_they_were(tmp_path):
    lines = ['"a" < b & c', "p > 0.05"]
    (tmp_path / "x.html").write_text(f"<head>\n{description.meta(lines)}\n", encoding="utf-8")
    assert description.read(tmp_path / "x.html") == lines


def test_without_a_page_there_is_nothing(tmp_path):
    assert description.read(tmp_path / "x.html") == []
    for text in ("<html>", description.meta([])):
        (tmp_path / "x.html").write_text(text, encoding="utf-8")
        assert description.read(tmp_path / "x.html") == []
