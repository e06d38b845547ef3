"""Results of analysed runs, from Python."""

import pandas as pd
import pytest
from matplotlib.figure import Figure

import timefair
from timefair.basics.errors import InputError


def timed(runs=8):
    """Runs of two algorithms, of which `wide` is better."""
    rows = [
        (name, "sphere", 3, 1, run, k, k / 1000, (100 - scale * k) ** 2 / (1 + run), 0.0)
        for name, scale in (("narrow", 0.1), ("wide", 0.9))
        for run in range(runs)
        for k in range(1, 101)
    ]
    names = "algorithm function dimension instance run evaluations seconds value optimum"
    return pd.DataFrame(rows, columns=names.split())


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("session"))
        yield timefair.analyse(
            timed(),
            name="timed",
            targets=[5000, 500],
            tables=["comparison", "ecdf", "ert"],
            figures={"names": ["ecdf"], "formats": ["svg"]},
        )


@pytest.mark.slow
def test_verdict_and_report(results):
    assert results.verdict[0].startswith("wide wins on f1 sphere")
    assert results.report().name == "report.html"
    assert repr(results) == "\n".join([*results.verdict, "Results('results/timed')"])
    shown = results._repr_html_()
    assert shown.startswith("<iframe")
    assert "wide wins on f1 sphere" in shown
    assert shown.count("&lt;figure") == 2


@pytest.mark.slow
def test_tables_and_figures_that_were_requested_or_not(results):
    assert {"ert.parquet"} < {path.name for path in (results.folder / "tables").iterdir()}
    ert = results.table("ert")
    assert set(ert["target"]) == {5000.0, 500.0}
    assert not (results.folder / "tables/multirun.parquet").exists()
    assert len(results.table("multirun"))
    assert isinstance(results.figure("ecdf"), Figure)
    assert timefair.load(results.folder).table("ert").equals(ert)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ask", "line"),
    [
        (lambda r: r.table("erts"), "'erts' is unknown; did you mean 'ert'"),
        (lambda r: r.figure("ecd"), "'ecd' is unknown; did you mean 'ecdf'"),
        (lambda r: r.figure("ecdf", page="x"), "page: 'x' is unknown"),
        (lambda r: timefair.load("nowhere"), "nowhere: has no results"),
        (lambda r: timefair.analyse(timed().drop(columns="value")), "no column value"),
        (lambda r: timefair.analyse(timed(), name="b", targetz=[1]), "targetz: unknown key"),
    ],
)
def test_what_is_wrong_is_one_line(results, ask, line):
    with pytest.raises(InputError, match=line):
        ask(results)
