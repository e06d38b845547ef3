"""The fixtures of unit tests, which those of extensions share."""

import pytest
from fixtures_of_runs import (  # noqa: F401
    _one_thread,
    campaign,
    measured,
    no_runs,
    row,
    run,
    table,
    write,
)

from timefair.basics import threads


@pytest.fixture(autouse=True)
def nothing_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another test in this process noted as lost or shared by forks is not noted here."""
    monkeypatch.setattr(threads, "_lost", {})
    monkeypatch.setattr(threads, "_shared", {})
