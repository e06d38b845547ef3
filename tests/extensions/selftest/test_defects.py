"""Each kind of defect is found, and by which check."""

import pytest

from timefair.extensions.selftest import defects

FOUND_BY = {
    "clock-fast": "rate",
    "late-start": "delay",
    "after-the-end": "verify",
    "last-event-lost": "draws",
    "evaluations-off": "draws",
    "stream-shared": "draws",
    "run-twice": "verify",
    "run-copied": "seeds",
    "labels-swapped": "seeds",
    "failures-dropped": "verify",
    "failures-free": "erts",
    "targets-strict": "erts",
}


@pytest.mark.slow
@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", defects.DEFECTS)
def test_a_defect_is_found(name, sound):
    assert FOUND_BY[name] in defects.injected(name, sound, {})


@pytest.mark.slow
def test_sound_records_have_no_defect_and_stay_sound(sound):
    for name in ("failures-free", "targets-strict", "last-event-lost"):
        assert not defects.injected(name, sound, {FOUND_BY[name]: "found before"})
    assert defects.findings(sound) == {}
