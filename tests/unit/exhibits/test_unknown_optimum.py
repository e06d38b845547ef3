"""Without a known optimum nothing is called precision, and targets are what was found or named."""

import pandas as pd
import pytest

from timefair.exhibits.registry import FIGURES, TABLES
from timefair.exhibits.unknown_optimum import captioned
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import USUAL_SHARES, Analysis

SETTINGS = {"resamples": 50}


@pytest.fixture
def unknown(table, run):
    """Two algorithms that start at values of 10 to 12 and reach -2 and 1."""
    return Runs.of(
        table(
            run([(1, 0.1, 10.0), (5, 0.5, -2.0)], f_opt=None, best_f=-2.0),
            run([(1, 0.1, 10.0), (9, 0.6, 4.0)], run=1, f_opt=None, best_f=4.0),
            run([(1, 0.1, 12.0), (7, 0.5, 1.0)], algorithm="B", f_opt=None, best_f=1.0),
        )
    )


def success(runs: Runs, **changes) -> pd.DataFrame:
    frame = TABLES["success"](runs, Analysis(**SETTINGS, **changes))
    return frame[frame["function"].astype(str) == "1"]


def test_the_default_targets_are_shares_of_what_was_found(unknown):
    frame = success(unknown)
    assert sorted(set(frame["target"]), reverse=True) == list(USUAL_SHARES)
    # the way is from 10 to -2; a half of it is left at 4, a fifth at 0.4
    of = frame[frame["algorithm"] == "A"].set_index("target")["successes"]
    assert (of[0.5], of[0.2]) == (2, 1)
    of = frame[frame["algorithm"] == "B"].set_index("target")["successes"]
    assert (of[0.5], of[0.2]) == (1, 0)


def test_targets_may_be_values_of_f(unknown):
    frame = success(unknown, target_values=(4.0, 0.0, -5.0))
    assert list(frame[frame["algorithm"] == "A"]["target"]) == [4.0, 0.0, -5.0]
    assert list(frame[frame["algorithm"] == "A"]["successes"]) == [2, 1, 0]
    assert list(frame[frame["algorithm"] == "B"]["successes"]) == [1, 0, 0]


@pytest.mark.slow
def test_no_label_and_no_caption_says_precision(unknown):
    analysis = Analysis(**SETTINGS)
    for name, entry in FIGURES.items():
        if name not in ("quantiles", "anytime", "ert", "ecdf"):
            continue
        frame = TABLES[entry.table](unknown, analysis)
        drawing = entry.figure(frame)
        from matplotlib.text import Text

        texts = " ".join(text.get_text() for text in drawing.findobj(Text))
        assert "recision" not in texts, name
        caption = captioned(entry.figure.printed_caption, frame)
        assert "recision" not in caption
        assert "optimum is unknown" in caption or "target" not in caption


def test_final_values_are_of_f_itself(unknown):
    frame = TABLES["paper_values"](unknown, Analysis(**SETTINGS))
    assert frame[["f_best", "f_median", "f_worst"]].to_numpy().tolist() == [[-2, 1, 4], [1, 1, 1]]


def test_the_checklist_says_what_a_gap_is_and_that_no_target_ends_a_run(unknown):
    frame = TABLES["checklist"](unknown, Analysis(**SETTINGS))
    text = frame.to_csv()
    assert "a gap is f minus the least f" in text
    assert "no target ends a run" in text
    assert "recision" not in text
