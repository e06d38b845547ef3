"""Each kind of defect is found, and by which check."""

import re
from pathlib import Path

import pytest

from timefair.selftest import checks, defects

ROOT = Path(__file__).parents[3]
FOUND_BY = {
    "clock-fast": {"rate"},
    "last-event-lost": {"draws"},
    "failures-free": {"erts"},
    "perturbed-left-in": {"counts"},
    "perturbed-dropped": {"collect", "verify"},
    "run-twice": {"collect", "verify"},
    "run-copied": {"seeds", "moments"},
    "late-truncation": {"collect", "verify"},
    "deadline-moved": {"collect", "verify", "budget"},
    "events-of-another": {"draws"},
    "launches-sum": {"collect", "verify"},
    "stream-shared": {"draws"},
    "evaluations-off": {"draws"},
    "labels-swapped": {"seeds", "draws"},
    "unit-of-1000": {"collect", "verify"},
    "restarts-free": {"collect", "verify"},
    "relaunch-free": {"delay"},
    "instances-mixed": {"seeds"},
    "warm-cache": {"draws"},
    "rounded": {"grain"},
    "after-the-end": {"collect", "verify"},
    "wrong-hour": {"moments"},
    "cpu-for-wall": {"rate"},
    "cpu-unit": {"cpu"},
    "late-start": {"delay"},
    "failures-dropped": {"collect", "verify"},
    "targets-strict": {"erts"},
    "preparation-lost": set(),
}


def documented():
    """The checks of each defect, as docs/how-to/selftest.md lists them."""
    lines = (ROOT / "docs/how-to/selftest.md").read_text().splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| `")]
    return {
        re.match(r"`(.*?)`", defect)[1]: set(re.findall(r"`(.*?)`", checks))
        for defect, checks in (row for row in rows if len(row) == 2)
        if defect[1:].split("`")[0] in defects.DEFECTS
    }


def test_the_documentation_names_the_checks():
    assert documented() == FOUND_BY


@pytest.mark.slow
def test_sound_records_have_no_defect(sound):
    assert checks.findings(sound) == {}


def test_every_defect_has_its_checks():
    assert set(FOUND_BY) == set(defects.DEFECTS)
    assert {name for name, found in FOUND_BY.items() if not found} == set(defects.NOT_FOUND)


@pytest.mark.slow
@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", defects.DEFECTS)
def test_a_defect_is_found(name, sound):
    found = defects.injected(name, sound, {}).found
    assert FOUND_BY[name] <= set(found)
    if name in defects.NOT_FOUND:
        assert not found


@pytest.mark.slow
def test_a_defect_changes_neither_the_records_nor_the_code_for_others(sound):
    for name in ("failures-free", "perturbed-left-in", "targets-strict", "last-event-lost"):
        defects.injected(name, sound, {})
    assert checks.findings(sound) == {}


@pytest.mark.slow
def test_what_is_found_without_the_defect_does_not_count(sound):
    assert not defects.injected("cpu-unit", sound, {"cpu": "found before"}).found


@pytest.mark.slow
def test_the_table_has_a_row_for_each(sound):
    results = [defects.injected("cpu-unit", sound, {})]
    (row,) = defects.table(results).to_dict("records")
    assert (row["defect"], row["found_by"]) == ("cpu-unit", "cpu")
    assert row["finding"].endswith("CPU time is 0.01 times the wall time on a core")
