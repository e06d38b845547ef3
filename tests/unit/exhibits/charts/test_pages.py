"""Into which files figures are divided, and what overviews sum up."""

import pytest
from campaigns import SMALL, SPHERE
from synthetic import frames

from timefair import cli
from timefair.campaign import configuration
from timefair.exhibits import files
from timefair.exhibits.charts.pages import COLUMNS, LINES, MANY, pages
from timefair.exhibits.registry import FIGURES
from timefair.problems.registry import SUITES

CAMPAIGN = SMALL | {
    "problems": SPHERE | {"functions": "1-24", "dimensions": [2, 5]},
    "figures": "all",
}


def campaign(**changes):
    return configuration.parse({**CAMPAIGN, **changes})


@pytest.mark.parametrize(
    ("dimensions", "functions", "algorithms", "files"),
    [
        ((5,), 6, 8, ["ert"]),
        ((2, 5, 10), 6, MANY - 1, ["ert"]),
        ((5,), LINES * COLUMNS, 8, ["ert"]),
        ((5,), 1, 104, ["ert"]),
        ((5,), 2, MANY, ["ert", "ert_D5"]),
        ((10, 2), 24, 8, ["ert", "ert_D2", "ert_D10"]),
        ((5,), 49, 1, ["ert", "ert_D5_f1_24", "ert_D5_f25_48", "ert_D5_f49_49"]),
    ],
)
def test_a_figure_is_divided_where_a_page_has_no_room(dimensions, functions, algorithms, files):
    found = pages("functions", dimensions, range(1, functions + 1), algorithms)
    assert [page.file("ert") for page in found] == files
    assert [page.overview for page in found] == [len(files) > 1, *[False] * (len(files) - 1)]


@pytest.mark.slow
def test_a_table_has_the_pages_of_its_campaign():
    made = frames(range(1, 25), (2, 5), ("A",))
    for name, figure in FIGURES.items():
        if figure.needs == "nothing":
            assert figure.pages_of(made[figure.table]) == campaign().pages_of(name), name


def test_a_figure_without_what_it_needs_is_not_asked_for():
    one = campaign()
    assert "run_count_rules" in one.lacking
    assert "run_count_rules" not in one.figure_names
    assert "run_count_groups" not in one.made_tables
    assert one.not_drawn == []
    assert "run_count_rules" in campaign(runs=50).figure_names


@pytest.mark.parametrize("suite", SUITES.values(), ids=list(SUITES))
def test_names_and_groups_are_of_functions_that_the_suite_has(suite):
    assert set(suite.names) <= set(suite.functions)
    grouped = [function for numbers in suite.groups.values() for function in numbers]
    assert not grouped or grouped == list(suite.functions)


@pytest.mark.slow
def test_the_command_draws_all_pages(tmp_path, capsys):
    (tmp_path / "campaign.json").write_text(campaign(figures=["ert"]).snapshot())
    (tmp_path / "tables").mkdir()
    files.write(frames(range(1, 25), (2, 5), ("A",))["ert"], tmp_path / "tables/ert.parquet")
    words = f"figure {tmp_path} ert --output {tmp_path}/mine.svg"
    assert cli.main(words.split()) == 0
    made = [tmp_path / name for name in ("mine.svg", "mine_D2.svg", "mine_D5.svg")]
    assert sorted(capsys.readouterr().out.split()) == sorted(map(str, made))
    assert sorted(tmp_path.glob("*.svg")) == made
    made[2].unlink()
    made[2].mkdir()
    made[0].unlink()
    assert cli.main(words.split()) == 2
    assert capsys.readouterr().err == f"timefair: {made[2]}: is a folder; name a file in it\n"
    assert not made[0].exists()  # before the first page is drawn


def test_the_report_takes_the_overview_among_the_pages(tmp_path):
    (tmp_path / "campaign.json").write_text(campaign(figures=["quantiles"]).snapshot())
    table = frames(range(1, 25), (2, 5), ("A",))["quantiles"]
    for folder in ("tables", "figures"):
        (tmp_path / folder).mkdir()
    files.write(table, tmp_path / "tables/quantiles.parquet")
    for page in FIGURES["quantiles"].pages_of(table):
        picture = tmp_path / f"figures/{page.file('quantiles')}.svg"
        picture.write_text(f"<svg>{page.label}</svg>")
    assert cli.main(["report", str(tmp_path)]) == 0
